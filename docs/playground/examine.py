"""What the playground shows of a document, as plain values; a worker of the page runs this with Pyodide."""

import base64
import json
import re
import xml.etree.ElementTree as ET
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import xml5tree
from xml5tree.cli.sidebyside import Gap, aligned, mark_differences, outline, rows_of, segments, shortened
from xml5tree.dialects import make_settings
from xml5tree.errors.explanations import explanations, literal_or_text
from xml5tree.errors.faults import Fault

#: Faults and rows of the comparison that are shown.
SHOWN_FAULTS = 300
SHOWN_ROWS = 1500

#: Names of elements that feeds begin with, and of those that are their entries.
FEEDS = {"rss": "item", "feed": "entry", "RDF": "item"}

#: What is wrong with a feed and how its author mends it, for the codes that feeds usually have. Texts of other codes
#: are those of the documentation.
IN_FEEDS = {
    "unescaped-ampersand": "A plain & in a title, text or address. Write it as &amp;.",
    "missing-semicolon-after-character-reference": (
        "An & in an address or text that looks like the begin of a character reference. In a link, write each & as "
        "&amp;."
    ),
    "unknown-named-character-reference": (
        "A name that XML and HTML do not know. Write the character itself, or its number, such as &#160;."
    ),
    "undeclared-entity-reference": (
        "A name of HTML such as &nbsp; or &eacute;, which XML does not know. Write the character itself, or its number."
    ),
    "undeclared-namespace-prefix": (
        "A prefix such as media:, dc: or content: is used but not declared. Add its xmlns: attribute to the first tag "
        "of the feed."
    ),
    "unquoted-attribute-value": "An attribute without quotes. Put its value into double quotes.",
    "missing-whitespace-between-attributes": "Two attributes without a space between them.",
    "mismatched-end-tag": "An end tag comes while another element is still open: an end tag before it is missing.",
    "unmatched-end-tag": "An end tag without a start tag, often one too many, or one that is misspelled.",
    "eof-in-element": "The feed ends too early: the server broke off, or end tags are missing at the end.",
    "eof-in-tag": "The feed ends within a tag: the download or the program that wrote it was interrupted.",
    "invalid-first-character-of-tag-name": "A plain < in a text. Write it as &lt;, or use a CDATA section.",
    "text-outside-root": (
        "Text before or after the feed, often a warning of the server or of PHP. Nothing may stand before <?xml."
    ),
    "invalid-byte-sequence": "Bytes that are not of the encoding that the feed declares. Save it as UTF-8, and say so.",
    "control-character-in-input-stream": "A control character, often pasted from a word processor. Remove it.",
    "duplicate-attribute": "A tag has the same attribute twice. Remove one.",
    "assumed-end-before": "An end tag is missing, for example of the entry before. Add it.",
    "assumed-stray-end-tag": "An end tag without a start tag, often one too many. Remove it.",
    "assumed-name": "A start tag that is misspelled: its name is nearly that of the end tag.",
    "assumed-junk": "Text before the feed, often a warning of the server or of PHP. Nothing may stand before <?xml.",
}

_ENCODING = re.compile(r"""\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']*)""")
_ENTRY = re.compile(r"<(?:item|entry)\b[^<]*", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^>]*>(.{0,200}?)(?=<|$)", re.IGNORECASE | re.DOTALL)


def examine(request: str) -> str:
    """Return what is known of a document, as JSON.

    Args:
        request: as JSON, an object with ``text`` or, in base64, ``bytes``; ``dialect``; and ``whole``, whether lines
            without errors are wanted, too.
    """
    wanted = json.loads(request)
    document = base64.b64decode(wanted["bytes"]) if wanted.get("bytes") else as_saved(wanted.get("text", ""))
    dialect = wanted.get("dialect", "xml5")
    policies = ["draft", "intent"] if dialect == "xml5" else ["draft"]
    readings = {policy: read(document, dialect, policy, wanted.get("whole", False)) for policy in policies}
    codes = {fault["code"] for reading in readings.values() for fault in reading["faults"]}
    if len(readings) == 2:
        mark_differences(readings["draft"]["tree"], readings["intent"]["tree"])
    found = {
        "version": xml5tree.__version__,
        "dialect": dialect,
        "readings": readings,
        "explanations": {code: explained(code, dialect) for code in sorted(codes)},
        "feed": feed_report(document, readings) if dialect == "xml5" else None,
    }
    return json.dumps(found)


def as_saved(text: str) -> str | bytes:
    """Return a text as the bytes of a file if it says no other encoding than UTF-8, whose declaration is then right."""
    declared = _ENCODING.match(text)
    if declared and declared[1].lower() not in {"utf-8", "utf8"}:
        return text
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return text


def read(document: str | bytes, dialect: str, recovery: str, whole: bool) -> dict[str, Any]:
    """Return what one policy makes of a document."""
    options: Any = {"dialect": dialect, "recovery": recovery}
    parser: Any = xml5tree.XMLParser(**options)
    result: dict[str, Any] = {"refused": None, "markup": "", "tree": [], "rows": []}
    try:
        root = xml5tree.fromstring(document, parser=parser)
        result["tree"] = list(outline(root))
        log = parser.error_log
        result["entries"] = count_entries(root)
    except xml5tree.ParseError as error:
        log = error.errors
        line, column = error.position
        result["refused"] = f"{error.reason}: line {line}, column {column + 1}"
    else:
        markup = xml5tree.repair(document, output_encoding="utf-8", **options)
        result["markup"] = markup if isinstance(markup, str) else markup.decode()
    faults = log.faults()
    result["faults"] = [as_dict(fault) for fault in faults[:SHOWN_FAULTS]]
    result |= {"count": len(faults), "effect": log.effect, "truncated": log.truncated}
    result["hints"] = [str(hint) for hint in log.hints]
    if not result["refused"]:
        rows = rows_of(segments(lambda: [document], options), faults)
        result["rows"] = list(shown_rows(rows if whole else aligned(rows)))
    return result


def characters(document: str | bytes, options: Any) -> str:
    """Return the characters that offsets of errors count."""
    dialect, settings = make_settings(options)
    stream = dialect.make_stream(settings)
    return stream.feed(document) + stream.feed(document[:0], final=True)


def as_dict(fault: Fault) -> dict[str, Any]:
    """Return a fault for the page; columns count from 1, as editors count them."""
    return {
        "code": fault.code,
        "message": fault.message,
        "line": fault.line,
        "column": fault.column + 1,
        "offset": fault.offset,
        "effect": fault.effect,
    }


def explained(code: str, dialect: str) -> dict[str, Any]:
    """Return what the documentation says of a code."""
    explanation = explanations()[code]
    repair = explanation.elsewhere.get(dialect, explanation.repair)
    example = literal_or_text(explanation.document)
    return {"meaning": explanation.meaning, "repair": repair, "example": example, "feed": IN_FEEDS.get(code)}


def shown_rows(rows: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a comparison for the page."""
    for number, row in enumerate(rows):
        if number == SHOWN_ROWS:
            yield {"cut": True}
            return
        yield {"gap": row.lines} if isinstance(row, Gap) else asdict(row)


def count_entries(root: Any) -> int:
    """Return how many entries a program finds in a feed, where it looks for them: in the channel, or in the feed."""
    parents = [root, *root.findall("{*}channel")]
    names = set(FEEDS.values())
    return sum(isinstance(child.tag, str) and local(child.tag) in names for parent in parents for child in parent)


def local(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition("}")[2]


def feed_report(document: str | bytes, readings: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the section on feeds says; None where the document is none."""
    tree = readings["intent"]["tree"] or readings["draft"]["tree"]
    if not tree or local(tree[0][2].split(" ")[0]) not in FEEDS:
        return None
    text = characters(document, {"recovery": "intent"})
    starts = [match.start() for match in _ENTRY.finditer(text)]
    sentences: dict[str, list[dict[str, Any]]] = {}
    for fault in readings["intent"]["faults"]:
        number = bisect_right(starts, fault["offset"])
        where = "in the feed itself" if not number else f"in entry {number}"
        title = number and _TITLE.search(text, starts[number - 1])
        if title and title[1].strip() and (number == len(starts) or title.start() < starts[number]):
            where += f", “{shortened(title[1].strip())}”"
        words = IN_FEEDS.get(fault["code"]) or explained(fault["code"], "xml5")["meaning"]
        sentences.setdefault(words, []).append({"line": fault["line"], "column": fault["column"], "where": where})
    try:
        ET.fromstring(document)
        accepted = True
    except (ET.ParseError, ValueError, LookupError):
        accepted = False
    return {
        "accepted": accepted,
        "entries": {policy: reading.get("entries", 0) for policy, reading in readings.items()},
        "sentences": [{"words": words, "places": places} for words, places in sentences.items()],
    }
