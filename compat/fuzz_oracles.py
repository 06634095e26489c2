"""What a fuzzer asks of a document: the invariants I1 to I8 of docs/internals/architecture.md, at every entry point.

Each oracle reads the document in several ways and gives the invariants that fail, with details. What is asked depends
on the document and on the number of a variant alone, so that a finding can be repeated.
"""

import io
import os
import re
import tempfile
import time
import traceback
import warnings
import xml.etree.ElementTree as ET
import xml.sax
import xml.sax.handler
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple

from lxml import etree
from support.splits import chunks
from support.trees import comparable_content

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.sax
from compat.invariants import (
    BACKENDS,
    EmptyResolver,
    check_repair,
    codes,
    contents,
    dump_of,
    first_difference,
    natively,
    without_lines,
)
from compat.lanes import LANES, lane
from xml5tree import ranges, tools
from xml5tree.nesting import json_text

__all__ = ["VARIANTS", "failures", "repair"]

#: So that entities do not take most of the time.
_LIMITS: dict[str, Any] = {"amplification_threshold": 20_000, "max_amplification": 2}
#: Every option; the defaults more often, as only with them native parsers try first where there is a DOCTYPE.
_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    _LIMITS,
    _LIMITS | {"resolve_entities": False},
    _LIMITS | {"forbid_dtd": True},
    _LIMITS | {"entities": "xml", "namespaces": {}},
    _LIMITS | {"entities": {"e": "<b>&"}, "namespaces": {"p": "urn:p", "z": "urn:z"}},
    _LIMITS | {"max_depth": 3, "max_errors": 2},
    _LIMITS | {"attribute_defaults": True},
    _LIMITS | {"attribute_defaults": False},
    _LIMITS | {"encoding": "iso-8859-1"},
    _LIMITS | {"encoding": "utf-16"},
)
_EVENTS = ("start", "end", "start-ns", "end-ns", "comment", "pi")
#: What may have a document repaired that a native parser would accept.
_EXCEPTION = re.compile(rb"SYSTEM|PUBLIC|%|encoding|\0")
_SIZES = (1, 2, 7, 64, 1000)

#: How long repaired markup may be, under the limits above: so much, and so many times the document. A prefix that is
#: declared where it is used makes ten times a short tag, coerced names and escapes make less.
_LONGEST_MARKUP, _GROWTH = 100_000, 50

#: Processor time that a document may take: for each oracle, and for each byte. An oracle reads a document in ten ways
#: or so; by intent without the compiled scanner each of them may take 2 ms for an error, and there may be an error in
#: every six bytes. Declarations may expand to the limit, which takes seconds for every reading (docs/security.md).
_SECONDS, _SECONDS_WITH_DECLARATIONS, _SECONDS_PER_BYTE = 2.0, 40.0, 0.003

Failures = Iterator[tuple[str, str]]
Log = list[xml5tree.ErrorEntry]
#: The lines of a tree's dump, or why there is none; and the errors, None where they cannot be had.
Reading = tuple[list[str], Log | None]


class Case(NamedTuple):
    """A document and how it is read."""

    data: bytes
    document: Any  # the data, or text of it
    options: dict[str, Any]
    size: int

    @property
    def pieces(self) -> list[Any]:
        return list(chunks(self.document, self.size))

    @property
    def file(self) -> Any:
        return io.StringIO(self.document, "") if isinstance(self.document, str) else io.BytesIO(self.document)


def _read(call: Callable[[], Any], backend: str, log: Callable[[], Any] | None = None) -> Reading:
    """What a way of reading makes of a document."""
    try:
        root = call()
    except xml5tree.ParseError as error:
        code = error.code if isinstance(error.code, str) else error.reason  # a drop-in has numbers
        return [f"refused: {code}"], _entries(error.errors)
    root = root.getroot() if hasattr(root, "getroot") else root
    return without_lines(dump_of(root, backend)) or [], None if log is None else _entries(log())


def _entries(log: Any) -> list[xml5tree.ErrorEntry]:
    """The errors without their effects, which depend on whether the way of reading leaves out comments."""
    return [
        xml5tree.ErrorEntry(entry.code, entry.kind, entry.message, entry.line, entry.column, entry.offset, "kept")
        for entry in log
    ]


def _fed(case: Case, backend: str, size: int | None = None) -> Reading:
    parser = xml5tree.XMLParser(backend=backend, **case.options)

    def call() -> Any:
        for piece in chunks(case.document, size or max(1, len(case.document))):
            parser.feed(piece)
        return parser.close()

    return _read(call, backend, lambda: parser.error_log)


def _differences(name: str, found: Reading, *wanted: Reading) -> Failures:
    """Whether a reading is one of those that are right."""
    if found[0] not in [tree for tree, _ in wanted]:
        yield name, first_difference(found[0], wanted[0][0])
    elif found[1] is not None and not any(found == reading for reading in wanted):
        yield f"{name}-log", f"{codes(found[1])} found, {codes(wanted[0][1] or [])} expected"


# The oracles


def chunks_and_lanes(case: Case) -> Failures:
    """I4 and I6."""
    for backend in BACKENDS:
        whole = _fed(case, backend)
        yield from _differences(f"i4-pieces-{backend}", _fed(case, backend, case.size), whole)
        for name in LANES:
            with lane(name):
                yield from _differences(f"i6-{name}-{backend}", _fed(case, backend), whole)
                yield from _differences(f"i6-{name}-pieces-{backend}", _fed(case, backend, case.size), whole)


def native_parsers(case: Case) -> Failures:
    """I2 and I8: what a native parser accepts is its tree, and the log is empty exactly where both accept."""
    for backend in BACKENDS:
        tree = without_lines(natively(case.data, backend))
        parser = xml5tree.XMLParser(backend=backend)
        whole = _whole(lambda parser=parser: parser.parse_whole(case.data), parser, backend)
        if tree is not None and not _is_exception(case.data):
            yield from _differences(f"i2-identity-{backend}", whole, (tree, []))
        strict = xml5tree.XMLParser(backend=backend, recovery="strict")
        found, _ = _read(lambda strict=strict: strict.parse_whole(case.data), backend)
        if found == ["refused: unsafe-declarations"]:
            continue  # expat is not asked
        if found != (["refused: not-well-formed"] if tree is None else tree):
            yield f"i2-strict-{backend}", first_difference(found, tree)
    yield from _nothing_silent(case)


def _is_exception(data: bytes) -> bool:
    """Whether this may be a document that is not left to a native parser (E1 and E5 of D-001, D-003 to D-005)."""
    return _EXCEPTION.search(data) is not None or data.startswith((b"\xfe\xff", b"\xff\xfe"))


def _nothing_silent(case: Case) -> Failures:
    """Asked of text, so that encodings, in which the native parsers differ, play no part.

    Nor do parameter entities, which neither of them reads (E5 of D-001).
    """
    if b"%" in case.data:
        return
    try:
        text = case.data.decode()
    except UnicodeError:
        return
    parser = xml5tree.XMLParser(backend="lxml")
    with suppress(xml5tree.ParseError):
        parser.feed(text)
        parser.close()
        accepted = {_expat_accepts(case.data), _libxml2_accepts(case.data)}
        log = [entry for entry in parser.error_log if entry.code != "entity-expansion-limit"]
        if accepted == {True} and log:
            yield "i8-reported", f"both native parsers accept it, we report {codes(log)}"
        if accepted == {False} and not parser.error_log:
            yield "i8-silent", "no native parser accepts it, we report nothing"


def _expat_accepts(data: bytes) -> bool:
    parser = ET.XMLParser(encoding="utf-8")
    try:
        parser.feed(data)
        parser.close()
    except ET.ParseError:
        return False
    return True


def _libxml2_accepts(data: bytes) -> bool:
    """Whether libxml2 accepts it by its whole log: lxml forgets an error about namespaces that a warning follows."""
    parser = etree.XMLParser(encoding="utf-8", collect_ids=False, huge_tree=True)
    parser.resolvers.add(EmptyResolver())
    try:
        etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return False
    return not parser.error_log.filter_from_errors()


def both_backends(case: Case) -> Failures:
    """I3 and I5, with the default options."""
    on_etree, on_lxml = (contents(case.data, backend) for backend in BACKENDS)
    if on_etree != on_lxml:
        yield "i3-backends", first_difference(on_lxml, on_etree)
    for name, detail in check_repair(case.data, on_etree):
        yield f"i5-{name}", detail


def functions(case: Case) -> Failures:
    """The functions and pull parsers give what a parser that is fed gives, or what the native parser does."""
    for backend in BACKENDS:
        options = {"backend": backend, **case.options}
        fed = _fed(case, backend)
        parser = xml5tree.XMLParser(**options)
        whole = _whole(lambda parser=parser: xml5tree.fromstring(case.document, parser=parser), parser, backend)
        yield from _differences(f"fromstring-{backend}", whole, fed, *_native(case, backend))
        parser = xml5tree.XMLParser(**options)
        parsed = _whole(lambda parser=parser: xml5tree.parse(case.file, parser=parser), parser, backend)
        yield from _differences(f"parse-{backend}", parsed, whole)
        listed = _read(lambda options=options: xml5tree.fromstringlist(case.pieces, **options), backend)
        yield from _differences(f"fromstringlist-{backend}", listed, fed)
        yield from _streams(case, backend, fed)


def _streams(case: Case, backend: str, fed: Reading) -> Failures:
    options = {"backend": backend, **case.options}
    events: dict[str, list[tuple[str, object]]] = {}
    for name, source in (("file", case.file), ("pieces", case.pieces)):
        iterator = xml5tree.iterparse(source, _EVENTS, **options)
        events[name] = []

        def run(iterator: Any = iterator, seen: Any = events[name]) -> Any:
            seen += [_described(*event) for event in iterator]
            return iterator.root

        found = _read(run, backend, lambda iterator=iterator: iterator.error_log)
        yield from _differences(f"iterparse-{name}-{backend}", found, fed)
    puller = xml5tree.XMLPullParser(_EVENTS, **options)

    def pull() -> Any:
        for piece in case.pieces:
            puller.feed(piece)
        return puller.close()

    yield from _differences(f"pull-{backend}", _read(pull, backend, lambda: puller.error_log), fed)
    with suppress(xml5tree.ParseError):
        pulled = [_described(*event) for event in puller.read_events()]
        if not events["file"] == events["pieces"] == pulled:
            yield f"i4-events-{backend}", "other events for a file, an iterable and what is fed"


def _described(event: str, node: Any) -> tuple[str, object]:
    return event, node if event in ("start-ns", "end-ns") else getattr(node, "tag", None)


def markup(case: Case) -> Failures:
    """All that gives markup gives the same, and nothing is left to repair in it (I5)."""
    wanted = _markup(lambda: xml5tree.repair(case.document, **case.options))
    repairer = xml5tree.Repairer(**case.options)
    ways: dict[str, Callable[[], Any]] = {
        "repairer": lambda: _joined([*map(repairer.feed, case.pieces), repairer.close()], case),
        "repairer-again": lambda: _joined([*map(repairer.feed, case.pieces), repairer.close()], case),
        "repair_iter": lambda: _joined(list(xml5tree.repair_iter(case.pieces, **case.options)), case),
        "open": lambda: _of_type(xml5tree.open(case.file, **case.options).read(), case),
        "open-pieces": lambda: _of_type(xml5tree.open(case.pieces, **case.options).read(), case),
    }
    in_utf8 = _markup(lambda: xml5tree.repair(case.document, output_encoding="utf-8", **case.options))
    for name, way in ways.items():
        found = _markup(way)
        expected = in_utf8 if name.startswith("open") else wanted
        if found != expected:
            yield f"i4-{name}", f"{found!r:.200} found, {expected!r:.200} expected"
    if isinstance(wanted, bytes | str):
        if _LIMITS.items() <= case.options.items() and len(wanted) > _LONGEST_MARKUP + _GROWTH * len(case.document):
            yield "i7-markup", f"{len(case.document)} became {len(wanted)}"
        again = xml5tree.Repairer()
        if again.feed(wanted) + again.close() != wanted or again.error_log:
            yield "i5-again", f"repaired again it changes: {codes(again.error_log)}"


def _markup(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except xml5tree.ParseError as error:
        return error.code, _entries(error.errors)


def _joined(parts: list[Any], case: Case) -> Any:
    return type(case.document)().join(part for part in parts if part)


def _of_type(data: bytes, case: Case) -> Any:
    return data.decode() if isinstance(case.document, str) else data


def drop_ins(case: Case) -> Failures:
    """The drop-ins give what the functions do."""
    et: Any = xml5tree.ElementTree
    fed = _fed(case, "etree")
    either = (fed, *_native(case, "etree"))
    ways: dict[str, Callable[[], Any]] = {
        "fromstring": lambda: et.fromstring(case.document, **case.options),
        "parse": lambda: et.parse(case.file, **case.options),
        "parser": lambda: et.fromstring(case.document, et.XMLParser(**case.options)),
        "fromstringlist": lambda: et.fromstringlist(case.pieces, **case.options),
        "iterparse": lambda: _exhausted(et.iterparse(case.file, _EVENTS, **case.options)),
        "standard": lambda: ET.parse(case.file, et.XMLParser(**case.options)),
    }
    for name, way in ways.items():
        yield from _differences(f"drop-in-etree-{name}", _read(way, "etree"), *either)
    yield from _drop_in_of_lxml(case)


def _drop_in_of_lxml(case: Case) -> Failures:
    module: Any = xml5tree.lxml.etree
    plain = case._replace(options={"recovery": "draft"})
    parser = module.XMLParser(recovery="draft")
    either = (_fed(plain, "lxml"), *_native(plain, "lxml"))
    # For libxml2 a document is bytes.
    file = io.BytesIO(case.document.encode("utf-8", "surrogatepass")) if isinstance(case.document, str) else case.file
    ways: dict[str, Callable[[], Any]] = {
        "fromstring": lambda: module.fromstring(case.document, parser),
        "fromstringlist": lambda: module.fromstringlist(case.pieces, parser),
        "iterparse": lambda: _exhausted(module.iterparse(case.file, _EVENTS, recovery="draft")),
    }
    if not isinstance(case.document, str):
        ways["parse"] = lambda: module.parse(file, parser)
    for name, way in ways.items():
        try:
            root = way()
        except module.XMLSyntaxError as error:
            if not either[0][0][0].startswith("refused"):
                yield f"drop-in-lxml-{name}", f"it is refused: {error}"
        else:
            yield from _differences(f"drop-in-lxml-{name}", _read(lambda root=root: root, "lxml"), *either)


def _exhausted(iterator: Any) -> Any:
    for _ in iterator:
        pass
    return iterator.root


def sax_and_tokens(case: Case) -> Failures:
    """The SAX driver reports the tree of the ElementTree backend; `tokenize` takes all text."""
    fed = _sax_contents(lambda: xml5tree.fromstringlist([case.document], **case.options))
    parser = xml5tree.sax.create_parser(True, **case.options)
    handler = _TreeHandler()
    parser.setContentHandler(handler)

    def read() -> Any:
        for piece in case.pieces or [case.document]:  # a driver that is fed nothing starts no document
            parser.feed(piece)
        parser.close()
        return handler.builder.close()

    found = _sax_contents(read)
    if found != fed:
        yield "sax", first_difference(found, fed)
    for _ in xml5tree.tokenize(case.data.decode("utf-8", "replace")):
        pass


def _sax_contents(call: Callable[[], Any]) -> list[str]:
    try:
        return comparable_content(call())
    except (xml5tree.ParseError, xml.sax.SAXParseException):
        return ["refused"]


class _TreeHandler(xml.sax.handler.ContentHandler):
    """Makes a tree of what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.builder = ET.TreeBuilder()

    def startElementNS(self, name: Any, qname: Any, attrs: Any) -> None:
        self.builder.start(_expanded(name), {_expanded(key): value for key, value in attrs.items()})

    def endElementNS(self, name: Any, qname: Any) -> None:
        self.builder.end(_expanded(name))

    def characters(self, content: str) -> None:
        self.builder.data(content)


def _expanded(name: tuple[str | None, str]) -> str:
    uri, local = name
    return f"{{{uri}}}{local}" if uri else local


def _whole(call: Callable[[], Any], parser: xml5tree.XMLParser, backend: str) -> Reading:
    return _read(call, backend, lambda: parser.error_log)


def _native(case: Case, backend: str) -> list[Reading]:
    """What the native parser makes of a document that it accepts, unless the options hinder it; else nothing.

    Whether it may try is up to the library: with and without it the tree is the same, except where the native parsers
    differ from each other.
    """
    data = case.document.encode("utf-8", "replace") if isinstance(case.document, str) else case.document
    encoding = "utf-8" if isinstance(case.document, str) else case.options.get("encoding")
    if case.options.keys() & {"forbid_dtd", "resolve_entities"}:
        return []
    try:
        if backend == "etree":
            root = ET.fromstring(data, ET.XMLParser(encoding=encoding))
        else:
            root = etree.fromstring(data, etree.XMLParser(encoding=encoding, huge_tree=True))
    except (ET.ParseError, etree.LxmlError, ValueError, LookupError):
        return []
    return [(without_lines(dump_of(root, backend)) or [], [])]


def _other_reading(name: str, options: dict[str, Any]) -> Callable[[Case], Failures]:
    """I3, I4 and I5 for another way of reading documents than by XML5's draft."""
    is_streamed = options.get("dialect") != "html"

    def oracle(case: Case) -> Failures:
        limits = {} if "dialect" in options else _LIMITS  # other dialects have no declarations
        case = case._replace(options=limits | options)
        for backend in BACKENDS:
            whole = _fed(case, backend)
            yield from _differences(f"i4-{name}-{backend}", _fed(case, backend, case.size), whole)
            for lane_name in LANES if is_streamed else ():
                with lane(lane_name):
                    yield from _differences(f"i6-{name}-{lane_name}-{backend}", _fed(case, backend), whole)
            if is_streamed:
                yield from _errors_and_records(name, case, backend)
        if is_streamed and options.get("roots") != "all":
            yield from _stable_markup(name, case, options)

    oracle.__name__ = name
    return oracle


def _errors_and_records(name: str, case: Case, backend: str) -> Failures:
    """Events with errors among them, and records, do not depend on the pieces (I4)."""
    options = {"backend": backend, **case.options}
    whole = [case.document] if case.document else []
    for what, read in (("events", _events_of), ("records", _records_of)):
        if what == "records" and options.get("roots") == "all":
            continue
        found, wanted = read(case.pieces, options), read(whole, options)
        if found != wanted:
            yield f"i4-{name}-{what}-{backend}", f"{found!r:.300} found, {wanted!r:.300} expected"


def _events_of(pieces: list[Any], options: dict[str, Any]) -> list[object]:
    found: list[object] = []
    try:
        for event, item in xml5tree.iterparse(pieces, ("start", "end", "error"), **options):
            found.append(item if event == "error" else (event, item.tag))
    except xml5tree.ParseError as error:
        found.append(error.code)
    return found


def _records_of(pieces: list[Any], options: dict[str, Any]) -> list[object]:
    found: list[object] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", xml5tree.RowsWarning)  # of elements after the root
            for record in xml5tree.records(pieces, "*", **options):
                found.append(
                    (record.element.tag, record.line, record.offset, record.end, record.byte_offset, record.errors)
                )
    except xml5tree.ParseError as error:
        found.append(error.code)
    return found


def _stable_markup(name: str, case: Case, options: dict[str, Any]) -> Failures:
    """I5: markup that was repaired is not repaired again."""
    with suppress(xml5tree.ParseError):
        markup: Any = xml5tree.repair(case.document, **case.options)
        again = xml5tree.Repairer(**options)
        same = again.repair_whole(markup) == markup
        if "elements" in options and b"XML/1998/namespace" in case.data:
            return  # names in that namespace get the prefix xml, which is no part of the names that are known
        # Characters that XML allows stay, though MicroXML does not have them (M-076).
        if not same or (again.error_log and name != "microxml"):
            yield f"i5-{name}", f"repaired again it changes: {codes(again.error_log)}"


def cut_into_ranges(case: Case) -> Failures:
    """Every record is in one range, however a file is cut; one in some encodings cannot be."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "document.xml")
        with open(path, "wb") as file:
            file.write(case.data)
        wanted = _rows(path, [])
        size = max(1, len(case.data) // 5)
        found = _rows(path, list(range(size, len(case.data), size)))
    if found not in (wanted, ["ValueError"]):
        yield "ranges", f"{found!r:.300} found, {wanted!r:.300} expected"


def _rows(path: str, cuts: list[int]) -> list[object]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rows that may differ from those of the whole file
            return [
                (row.byte_offset, row.data, json_text(dict(row)), row.effect)  # as text, which is compared at any depth
                for start, end in zip([0, *cuts], [*cuts, None], strict=True)
                for row in ranges.read(ranges.Range(path, start, end), "{*}a")
            ]
    except (ValueError, OSError, xml5tree.ParseError) as error:
        return [type(error).__name__]


def threads(case: Case) -> Failures:
    """Threads that share a parser for whole documents get what each would get alone."""

    def read(parser: xml5tree.XMLParser, backend: str) -> tuple[object, list[str]]:
        try:
            found: object = dump_of(parser.parse_whole(case.document), backend)
        except xml5tree.ParseError as error:
            found = error.code
        return found, [entry.code for entry in parser.error_log]

    for backend in BACKENDS:
        options: dict[str, Any] = {**_LIMITS, **case.options, "backend": backend}
        alone = read(xml5tree.XMLParser(**options), backend)
        shared = xml5tree.XMLParser(**options)
        with ThreadPoolExecutor(3) as pool:
            for found in pool.map(lambda _, parser=shared, name=backend: read(parser, name), range(6)):
                if found != alone:
                    yield f"threads-{backend}", f"{found!r:.300} found, {alone!r:.300} expected"


def calls(case: Case) -> Failures:
    """Any text has its calls of tools, which do not depend on the pieces (I4)."""
    text = case.data.decode("utf-8", "replace")
    form = tools.Format("a", "b", key="item" if len(text) % 2 else "", around=("r",), trims=len(text) % 3 > 0)
    whole = tools.read(text, form)
    pieces = tools.read([text[start : start + case.size] for start in range(0, len(text), case.size)], form)
    if repr(pieces) != repr(whole):
        yield "i4-calls", f"{pieces!r:.300} found, {whole!r:.300} expected"


#: Names of which it is known that they are tags.
_KNOWN = frozenset({"a", "b", "r", "item"})
_ORACLES: tuple[Callable[[Case], Failures], ...] = (
    chunks_and_lanes,
    native_parsers,
    both_backends,
    functions,
    markup,
    drop_ins,
    sax_and_tokens,
    _other_reading("intent", {"recovery": "intent"}),
    _other_reading("all-roots", {"roots": "all", "recovery": "draft"}),
    _other_reading("all-roots-intent", {"roots": "all", "recovery": "intent"}),
    _other_reading("elements", {"elements": _KNOWN, "recovery": "draft"}),
    _other_reading("raw", {"elements": _KNOWN, "raw": frozenset({"b", "item"}), "trim_raw": True, "roots": "all"}),
    _other_reading("root", {"root_element": frozenset({"a", "r"}), "recovery": "draft"}),
    _other_reading("known", {"never_nest": frozenset({"a", "item"}), "empty": frozenset({"b"}), "recovery": "intent"}),
    _other_reading("dropped", {"control_characters": "drop"}),
    _other_reading("microxml", {"dialect": "microxml"}),
    _other_reading("leafxml", {"dialect": "leafxml"}),
    _other_reading("html", {"dialect": "html"}),
    cut_into_ranges,
    calls,
    threads,
)

#: How many ways there are to ask of a document.
VARIANTS = len(_ORACLES) * len(_OPTIONS) * len(_SIZES) * 2


def failures(data: bytes, variant: int) -> dict[str, str]:
    """The invariants that fail for a document, with details; `variant` is a number below VARIANTS."""
    variant, oracle = divmod(variant, len(_ORACLES))
    variant, option = divmod(variant, len(_OPTIONS))
    as_text, size = divmod(variant, len(_SIZES))
    options = {"recovery": "draft", **_OPTIONS[option]}
    case = Case(data, _text(data) if as_text else data, options, _SIZES[size])
    start = time.process_time()
    try:
        failed = dict(_ORACLES[oracle](case))
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return {f"i1-{type(error).__name__}-in-{place.name}": traceback.format_exc(limit=-5)}
    seconds = time.process_time() - start
    if seconds > _allowed(data):
        failed[f"i7-{_ORACLES[oracle].__name__}"] = f"{len(data)} bytes took {seconds:.1f} s"
    return failed


def _text(data: bytes) -> Any:
    """The document as text, if it is UTF-8."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeError:
        return data


def _allowed(data: bytes) -> float:
    declares = b"<!E" in data or b"<!A" in data or b"\0" in data
    return (_SECONDS_WITH_DECLARATIONS if declares else _SECONDS) + _SECONDS_PER_BYTE * len(data)


def repair(data: bytes) -> None:
    """Repair a document by all lanes, for the ways that it takes through the package."""
    for name in LANES:
        with lane(name), suppress(xml5tree.ParseError):
            xml5tree.repair(data, **_LIMITS)
