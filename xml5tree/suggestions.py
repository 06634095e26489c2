"""Advice for unknown options: what else is meant, or what to use in place of options of other libraries."""

from collections.abc import Iterable
from typing import Final

_TABLES: Final = "read_table, read_frame and record_batches"
_EVENTS: Final = "iterparse, aiterparse and XMLPullParser"
_RECORDS: Final = f"records, {_TABLES}"
_LXML_ONLY: Final = "xml5tree.lxml.etree.XMLParser has it"
#: Arguments that only some calls have, and these calls.
_OF_CALLS: Final = {
    "fields": _RECORDS,
    **dict.fromkeys(("tag", "on_bad", "bad_from"), f"{_EVENTS}, {_RECORDS}"),
    "spans": f"{_EVENTS} and records",
    "storage_options": _RECORDS,
    **dict.fromkeys(("schema", "bad_values", "file_column"), _TABLES),
    **dict.fromkeys(("sample", "batch_size"), "record_batches"),
    "backend": "calls that make trees",
    "parser": "fromstring and parse",
    "target": "XMLParser",
    "events": _EVENTS,
    "spool": "open",
    "edits": "Repairer and repair_iter",
    "output_encoding": "repair, repair_iter and Repairer",
    "executor": "arecords and aiterparse",
}
#: Options of other libraries, and what does the same here.
_ELSEWHERE: Final = {
    **dict.fromkeys(("recover", "strict"), 'recovery="strict" refuses what is not well-formed'),
    "huge_tree": "max_depth, max_amplification and amplification_threshold are the limits; text can have any length",
    "no_network": "nothing is ever fetched",
    "load_dtd": f"no external DTD is read; {_LXML_ONLY}",
    **dict.fromkeys(("dtd_validation", "ns_clean", "strip_cdata", "remove_blank_text", "remove_comments"), _LXML_ONLY),
    **dict.fromkeys(("remove_pis", "collect_ids", "compact"), _LXML_ONLY),
    "schema_validation": "validate the tree, for example with lxml.etree.XMLSchema",
    **dict.fromkeys(("decompress", "compression"), "gzip and zstd are unpacked by themselves"),
    "base_url": "filename names the document",
    "html": 'dialect="html" reads HTML',
    "from_encoding": "encoding says what the document is in",
    "xpath": "tag names the records, fields has the paths to their values; or search the tree",
    **dict.fromkeys(("columns", "names"), f"fields names the columns of {_RECORDS}"),
    "errors": "bad_values is about values that do not fit their type, on_bad about records with errors",
    **dict.fromkeys(("dtype", "converters"), f"schema says the types of {_TABLES}"),
    "parse_dates": f"schema says the types of {_TABLES}, such as date and timestamp",
    "chunksize": "batch_size of record_batches",
    "rowTag": "tag names the records",
    "iterparse": "records reads documents of any size",
    "features": 'dialect="html" reads HTML, every other dialect XML',
    "forbid_external_entities": "forbid_external",
    "process_namespaces": "namespaces binds undeclared prefixes",
    "force_list": 'a path in a list, {"name": ["path"]}, in fields gives all values',
}


def advice(name: str, options: Iterable[str]) -> str:
    """Return what to say of an unknown option, where `options` are those that there are."""
    if name in _OF_CALLS:
        return f"it is an argument of {_OF_CALLS[name]}"
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    from difflib import get_close_matches

    near = get_close_matches(name, [*options, *_OF_CALLS], n=2, cutoff=0.7)
    if not near:
        return "xml5tree.options.Settings has all options"
    return f"is {' or '.join(f'{it}, of {_OF_CALLS[it]}' if it in _OF_CALLS else it for it in near)} meant?"
