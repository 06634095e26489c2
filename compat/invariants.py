"""What must hold of every document, whoever wrote it; runners put the documents of suites through it."""

import traceback
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from lxml import etree
from support.splits import chunks
from support.trees import comparable_content, dump, dump_document

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.backends.lxml import check_log

__all__ = [
    *["ACCEPTED_BY_LIBXML2", "BACKENDS", "EmptyResolver", "check", "check_repair", "codes", "contents", "dump_of"],
    *["failures", "fed", "first_difference", "natively", "outcome_of", "without_lines"],
]

BACKENDS = ("etree", "lxml")


class EmptyResolver(etree.Resolver):
    """For external DTDs, which libxml2 reads where it does not collect IDs."""

    def resolve(self, system_url: str, public_id: str, context: Any) -> Any:
        return self.resolve_string("", context)


#: Takes IDs and depths that libxml2 otherwise refuses, which are well-formed.
ACCEPTED_BY_LIBXML2 = etree.XMLParser(collect_ids=False, huge_tree=True)
ACCEPTED_BY_LIBXML2.resolvers.add(EmptyResolver())

Log = list[xml5tree.ErrorEntry]
#: The lines of a tree's dump, None where the document has no root element; and the errors.
Outcome = tuple[list[str] | None, Log]


def dump_of(root: Any, backend: str) -> list[str]:
    """All that a tree holds, but for the empty text that an empty CDATA section leaves in lxml's."""
    lines = dump(root) if backend == "etree" else dump_document(root, prefixes=True, lines=True)
    return [line for line in lines if line not in ("text ''", "tail ''")]


def natively(data: bytes, backend: str) -> list[str] | None:
    """What the native parser makes of a document, None where it refuses it.

    lxml forgets an error if libxml2 warns of something after it; such a document counts as refused.
    """
    try:
        if backend == "etree":
            return dump_of(ET.fromstring(data), backend)
        parser = etree.XMLParser()
        root = etree.fromstring(data, parser)
        check_log(parser.error_log)
        return dump_of(root, backend)
    except (ET.ParseError, etree.LxmlError, ValueError, LookupError):
        return None


def outcome_of(read: Callable[[xml5tree.XMLParser], Any], backend: str, **options: Any) -> Outcome:
    """What we make of a document, which `read` has the parser read."""
    options = {"recovery": "draft", **options}
    parser = xml5tree.XMLParser(backend=backend, **options)
    try:
        root = read(parser)
    except xml5tree.ParseError as error:
        if error.code not in {"no-root-element", "not-xml"}:
            raise
        return None, list(error.errors)
    return dump_of(root, backend), list(parser.error_log)


def fed(data: bytes, size: int | None = None) -> Callable[[xml5tree.XMLParser], Any]:
    """Have a document fed, as it is or in pieces of a size."""

    def read(parser: xml5tree.XMLParser) -> Any:
        for piece in chunks(data, size or max(len(data), 1)):
            parser.feed(piece)
        return parser.close()

    return read


def failures(name: str, *checks: Iterator[tuple[str, str]]) -> dict[str, str]:
    """The checks that a document of this name fails; an exception is a failure, too."""
    failed = {}
    try:
        for check, detail in chain(*checks):
            failed[f"{name} {check}"] = detail
    except Exception:
        failed[f"{name} exception"] = traceback.format_exc(limit=-3)
    return failed


def check(data: bytes, sizes: tuple[int, ...], well_formed: bool) -> Iterator[tuple[str, str]]:
    """The checks that a document fails, and what is to be known of it; `well_formed`: the suite says so."""
    native = {backend: natively(data, backend) for backend in BACKENDS}
    for backend, tree in native.items():
        ours, log = outcome_of(fed(data), backend)
        if tree is not None:
            whole, whole_log = outcome_of(lambda parser: parser.parse_whole(data), backend)
            meant, meant_log = outcome_of(fed(data), backend, recovery="intent")
            for way, our_tree in (("fed", ours), ("whole", whole)):
                if without_lines(our_tree) != without_lines(tree):
                    yield f"{way}-{backend}", first_difference(our_tree, tree)
                elif our_tree != tree:
                    yield f"{way}-lines", first_difference(our_tree, tree)
            if meant != ours:
                yield f"intent-{backend}", first_difference(meant, ours)
            if log or whole_log or meant_log:
                yield f"log-{backend}", f"its parser accepts it, we report {codes(log or meant_log)}"
        elif ours is not None and not log and not any(native.values()) and not well_formed:
            yield "silent", "no native parser accepts it, we report nothing"
        for size in sizes:
            if outcome_of(fed(data, size), backend) != (ours, log):
                yield f"pieces-{backend}", f"fed in pieces of {size} it is another tree, or other errors"
        for name in LANES:
            with lane(name):
                if outcome_of(fed(data), backend) != (ours, log):
                    yield f"lanes-{backend}", f"with {name} it is another tree, or other errors"
    on_etree, on_lxml = (contents(data, backend) for backend in BACKENDS)
    if on_etree != on_lxml:
        yield "backends", first_difference(on_lxml, on_etree)
    yield from check_repair(data, on_etree)


def without_lines(tree: list[str] | None) -> list[str] | None:
    return tree and [line for line in tree if not line.startswith("line ")]


def contents(data: bytes, backend: str) -> list[str] | None:
    """What both libraries can hold of our tree."""
    try:
        parser = xml5tree.XMLParser(backend=backend, attribute_defaults=True, recovery="draft")
        parser.feed(data)
        return comparable_content(parser.close())
    except xml5tree.ParseError:
        return None


def check_repair(data: bytes, content: list[str] | None) -> Iterator[tuple[str, str]]:
    try:
        log: list[xml5tree.ErrorEntry] = []
        repaired = xml5tree.repair(data, attribute_defaults=True, recovery="draft", on_error=log.append)
    except xml5tree.ParseError:
        if content is not None:
            yield "repair", "it has a root element, but not when it is repaired"
        return
    for name, parse in (("expat", ET.fromstring), ("libxml2", lambda it: etree.fromstring(it, ACCEPTED_BY_LIBXML2))):
        try:
            tree = parse(repaired)
        except (ET.ParseError, etree.LxmlError) as error:
            yield f"repair-{name}", f"repaired it is refused: {error}"
        else:
            is_lossy = any(entry.code == "unencodable-character" for entry in log)
            if comparable_content(tree) != content and not is_lossy:
                yield f"repair-{name}", first_difference(comparable_content(tree), content)
    repairer = xml5tree.Repairer()
    if repairer.feed(repaired) + repairer.close() != repaired or repairer.error_log:
        yield "repair-again", f"repaired again it changes: {codes(repairer.error_log)}"


def first_difference(ours: list[str] | None, wanted: list[str] | None) -> str:
    if ours is None or wanted is None:
        return "we give no tree" if ours is None else "we give a tree"
    for number, (line, other) in enumerate(zip(ours, wanted, strict=False)):
        if line != other:
            return f"line {number + 1} of the dump: {other[:200]} expected, {line[:200]} found"
    return f"{len(wanted)} lines of the dump expected, {len(ours)} found"


def codes(log: Any) -> str:
    return ", ".join(f"{count} × {code}" for code, count in Counter(entry.code for entry in log).items())
