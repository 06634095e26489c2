"""Well-formed documents at every door: none has an entry, and what it costs to ask whether they are well-formed.

usage: python -m compat.wellformed [--count N] [--cost] [FOLDER ...]

XML files below the folders, /usr by default, that both native parsers accept are read by a path, as a file, in parts
and as a whole. Where the draft has nothing to report, nothing may be reported at any door. At the end stands how many
documents were read. --cost measures on documents of compat/documents.py instead: the time to ask, as a multiple of the
time in which lxml makes a tree. The exit status is 1 if something is reported, or more than 0.3 is measured.
"""

import argparse
import io
import os
import sys
import time
import warnings
import xml.etree.ElementTree as ET
import xml.sax.handler
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from lxml import etree

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.sax
from compat import documents
from xml5tree.dialects import make_settings
from xml5tree.wellformed import settings_for
from xml5tree.xml.limits import COMMON_LIMITS

_SUFFIXES: Final = frozenset(
    (".xml", ".svg", ".xsd", ".xsl", ".xslt", ".rng", ".rdf", ".xhtml", ".ui", ".conf", ".lang")
)
_LARGEST: Final = 4 << 20
_MOST_COST: Final = 0.3
_ROUNDS: Final = 15
_DRAFT: Final[Any] = {"recovery": "draft"}


def _sax(source: Any, **options: Any) -> None:
    parser = xml5tree.sax.create_parser(**options)
    parser.setContentHandler(xml.sax.handler.ContentHandler())
    parser.parse(source)


#: Each reads a document, given its path and its bytes.
DOORS: Final[dict[str, Callable[..., object]]] = {
    "repair": lambda path, data, **options: xml5tree.repair(data, **options),
    "repair_iter, file": lambda path, data, **options: [*xml5tree.repair_iter(io.BytesIO(data), **options)],
    "open, path": lambda path, data, **options: xml5tree.open(path, **options).read(),
    "iterparse, path": lambda path, data, **options: [*xml5tree.iterparse(path, **options)],
    "iterparse, lxml": lambda path, data, **options: [*xml5tree.iterparse(path, backend="lxml", **options)],
    "iterparse, errors": lambda path, data, **options: [*xml5tree.iterparse(path, ("error", "end"), **options)],
    "records, file": lambda path, data, **options: [*xml5tree.records(io.BytesIO(data), "*", **options)],
    "fromstringlist, parts": lambda path, data, **options: xml5tree.fromstringlist([data[:99], data[99:]], **options),
    "SAX, path": lambda path, data, **options: _sax(str(path), **options),
    "canonicalize": lambda path, data, **options: xml5tree.ElementTree.canonicalize(from_file=str(path), **options),
    "lxml.iterparse": lambda path, data, **options: [*xml5tree.lxml.etree.iterparse(str(path), **options)],
}


def reported(door: Callable[..., object], path: Path, data: bytes, **options: Any) -> list[str]:
    """What a door reports of a document."""
    found: list[str] = []
    try:
        door(path, data, on_error=lambda entry: found.append(entry.code), **options)
    except (xml5tree.ParseError, xml5tree.lxml.etree.DocumentError, xml.sax.SAXException) as error:
        found.append(f"refused: {error}")
    return found


def paths(folders: list[str]) -> Iterator[Path]:
    for folder in folders:
        for place, below, names in os.walk(folder):
            below.sort()
            yield from (Path(place, name) for name in sorted(names) if Path(name).suffix in _SUFFIXES)


def _is_accepted(data: bytes) -> bool:
    try:
        ET.fromstring(data)
        etree.fromstring(data, etree.XMLParser(huge_tree=True))
    except (ET.ParseError, etree.XMLSyntaxError, ValueError, LookupError):
        return False
    return True


def look(folders: list[str], count: int) -> int:
    """Read real documents; return how many are reported on."""
    read = wrong = noted = 0
    seen = set()
    for path in paths(folders):
        if read == count:
            break
        if not path.is_file() or path.stat().st_size > _LARGEST:
            continue
        data = path.read_bytes()
        if hash(data) in seen or not _is_accepted(data):
            continue
        seen.add(hash(data))
        read += 1
        for name, door in DOORS.items():
            found = reported(door, path, data)
            if found and found == reported(door, path, data, **_DRAFT):
                noted += 1  # such as a reference to an entity of an external DTD
            elif found:
                wrong += 1
                print(f"{path}: {name}: {', '.join(found[:5])}")
    print(f"{read:,} documents at {len(DOORS)} doors: {wrong} reported on; {noted} have entries by the draft, too")
    return wrong


def cost() -> float:
    """Measure what it costs to ask; return the largest multiple."""
    dialect, settings = make_settings({})
    largest = 0.0
    for name, document in (
        ("feed", documents.feed(4000)),
        ("catalog", documents.catalog(16_000)),
        ("nested", documents.nested(12_000)),
    ):
        data = document.encode()
        asked = theirs = float("inf")
        for _ in range(_ROUNDS):
            file = io.BytesIO(data)
            start = time.process_time()
            found = settings_for(file, dialect, settings, COMMON_LIMITS)
            middle = time.process_time()
            etree.fromstring(data)
            end = time.process_time()
            assert found.recovery == "draft"
            asked, theirs = min(asked, middle - start), min(theirs, end - middle)
        largest = max(largest, asked / theirs)
        print(f"{name}: {len(data):,} bytes, {asked / theirs:.2f} of lxml's time")
    return largest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--cost", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", xml5tree.RowsWarning)
    if arguments.cost:
        return int(cost() > _MOST_COST)
    return int(look(arguments.folders or ["/usr"], arguments.count) > 0)


if __name__ == "__main__":
    sys.exit(main())
