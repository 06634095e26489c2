"""How fast each way in is beside its natural peer: a table in docs/internals/performance.md.

usage: python -m compat.doors [--megabytes N] [--rounds N] [--rows TEXT] [--write]

A peer is what one would use if no document were broken, doing the same work by hand: `iterparse` of ElementTree and
lxml, `xml.sax` with expat, html5lib, and for commands the function of the library that they call. It reads the
well-formed document; xml5tree reads that one, and one with a fault in every fiftieth record. All take turns. A figure
is a ratio of the least processor times of all rounds. Of commands the time is that of the whole process.
"""

import argparse
import contextlib
import io
import math
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
import xml.sax
import xml.sax.handler
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

import xml5tree
import xml5tree.sax
from compat.pages import write_part
from compat.peak_memory import release_memory
from compat.records_speed import FIELDS, SMALL

_PAGE: Final = Path(__file__).parent.parent / "docs/internals/performance.md"
_BEGIN: Final = "<!-- doors: made by python -m compat.doors --write -->\n"
_END: Final = "<!-- end -->\n"
_FLOOR: Final = 1.5
_HTML_FLOOR: Final = 0.5
_BROKEN_EVERY: Final = 50
_PAGE_ITEM: Final = (
    '<li class="item n{0}"><a href="/page?x={0}&amp;y=2" title="A title">Link &mdash; number {0}</a> and <b>bold</b> '
    "{1} text that goes on for a while.<br></li>\n"
)
_FRAGMENT: Final = "<p>Fish &amp; <b>chips</b><br>now"


class Document(NamedTuple):
    """A document, well-formed and with a fault in every fiftieth record."""

    well_formed: bytes
    broken: bytes


def _document(head: str, record: str, tail: str, size: int) -> Document:
    count = size // len(record)
    whole = "".join(record.format(number, "and") for number in range(count))
    broken = "".join(record.format(number, "and" if number % _BROKEN_EVERY else "&") for number in range(count))
    return Document(f"{head}{whole}{tail}".encode(), f"{head}{broken}{tail}".encode())


class Door(NamedTuple):
    """A way in, and its peer.

    Attributes:
        name: what it is called in the table.
        peer: what its peer is called.
        ours: reads a document.
        theirs: reads one as the peer does.
        document: the documents.
        floor: the ratio that the project holds itself to.
    """

    name: str
    peer: str
    ours: Callable[[bytes], object]
    theirs: Callable[[bytes], object]
    document: Document
    floor: float = _FLOOR


def _cleared(events: Any) -> int:
    """Read elements and clear them, as one reads a large document."""
    count = 0
    for _, element in events:
        count += 1
        element.clear()
    return count


def _lxml_records(data: bytes) -> Iterator[Any]:
    from lxml import etree

    for _, element in etree.iterparse(io.BytesIO(data), tag="item"):
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]


def _etree_records(data: bytes) -> Iterator[Any]:
    for _, element in ElementTree.iterparse(io.BytesIO(data)):
        if element.tag == "item":
            yield element
            element.clear()


def _by_hand(elements: Iterator[Any]) -> int:
    found = (
        {"title": each.findtext("title"), "link": each.findtext("link"), "id": each.get("id")} for each in elements
    )
    return sum(1 for _ in found)


def _counted(things: Iterator[Any]) -> int:
    return sum(1 for _ in things)


def _ours(data: bytes, **options: Any) -> Any:
    return xml5tree.records(io.BytesIO(data), "item", **options)


def _sax(data: bytes) -> None:
    xml.sax.parseString(data, xml.sax.handler.ContentHandler())


def _our_sax(data: bytes) -> None:
    parser = xml5tree.sax.create_parser()
    parser.setContentHandler(xml.sax.handler.ContentHandler())
    parser.parse(io.BytesIO(data))


#: Byte code is kept here for as long as the measurement goes on, as that of what is installed is.
_BYTE_CODE: Final = tempfile.TemporaryDirectory()


def _process(command: list[str], data: bytes, good: tuple[int, ...] = (0,)) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    status = subprocess.run(
        command,
        input=data,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment | {"PYTHONPYCACHEPREFIX": _BYTE_CODE.name},
    ).returncode
    if status not in good:
        raise RuntimeError(f"{shlex.join(command)} ended with status {status}")


def run_command(arguments: list[str]) -> Callable[[bytes], None]:
    """Return what runs a command of xml5tree on a document; its status is 1 for one with errors."""
    return lambda data: _process([sys.executable, "-m", "xml5tree", *arguments, "-"], data, (0, 1))


def _program(text: str) -> Callable[[bytes], None]:
    return lambda data: _process([sys.executable, "-c", text], data)


_REPAIR_PROGRAM: Final = "import sys, xml5tree\nsys.stdout.buffer.write(xml5tree.repair(sys.stdin.buffer.read()))"
_RECORDS_PROGRAM: Final = (
    "import json, sys, xml5tree\n"
    f"for each in xml5tree.records(sys.stdin.buffer, 'item', fields={FIELDS!r}):\n"
    "    print(json.dumps(dict(each), ensure_ascii=False))"
)


def _html5lib(data: bytes) -> None:
    import html5lib

    html5lib.parse(data.decode(), treebuilder="etree")


def _html5lib_fragments(data: bytes) -> None:
    import html5lib

    for _ in range(100):
        html5lib.parseFragment(data.decode(), treebuilder="etree")


def _our_fragments(data: bytes) -> None:
    for _ in range(100):
        xml5tree.fromstring(data.decode(), dialect="html", fragment=True)


def doors(size: int) -> list[Door]:
    """All ways in, with documents of about so many bytes."""
    feed = _document("<rss><channel>\n", SMALL, "</channel></rss>\n", size)
    page = _document("<!DOCTYPE html><title>Page</title><ul>\n", _PAGE_ITEM, "</ul>\n", size // 4)
    fragment = Document(_FRAGMENT.encode(), _FRAGMENT.replace("amp;", "").encode())
    fields: dict[str, Any] = {"fields": FIELDS}
    lxml: dict[str, Any] = {"backend": "lxml"}

    def with_lxml(data: bytes) -> int:
        from lxml import etree

        return _cleared(etree.iterparse(io.BytesIO(data)))

    return [
        Door(
            "`iterparse`",
            "ElementTree's",
            lambda data: _cleared(xml5tree.iterparse(io.BytesIO(data))),
            lambda data: _cleared(ElementTree.iterparse(io.BytesIO(data))),
            feed,
        ),
        Door(
            '`iterparse(backend="lxml")`',
            "lxml's",
            lambda data: _cleared(xml5tree.iterparse(io.BytesIO(data), **lxml)),
            with_lxml,
            feed,
        ),
        Door(
            "`records`",
            "ElementTree's `iterparse` by hand",
            lambda data: _counted(_ours(data)),
            lambda data: _counted(_etree_records(data)),
            feed,
        ),
        Door(
            "`records(fields=…)`",
            "the same",
            lambda data: _counted(_ours(data, **fields)),
            lambda data: _by_hand(_etree_records(data)),
            feed,
        ),
        Door(
            '`records(backend="lxml")`',
            "lxml's `iterparse` by hand",
            lambda data: _counted(_ours(data, **lxml)),
            lambda data: _counted(_lxml_records(data)),
            feed,
        ),
        Door(
            '`records(fields=…, backend="lxml")`',
            "the same",
            lambda data: _counted(_ours(data, **fields, **lxml)),
            lambda data: _by_hand(_lxml_records(data)),
            feed,
        ),
        Door("`xml5tree.sax`", "`xml.sax`", _our_sax, _sax, feed),
        Door("`xml5tree repair`", "`xml5tree.repair`", run_command(["repair"]), _program(_REPAIR_PROGRAM), feed),
        Door(
            "`xml5tree records`",
            "`xml5tree.records`",
            run_command(["records", *(f"--field={name}={path}" for name, path in FIELDS.items())]),
            _program(_RECORDS_PROGRAM),
            feed,
        ),
        Door(
            'MicroXML, `fromstring(dialect="microxml")`',
            "XML5 by the draft",
            lambda data: xml5tree.fromstring(data, dialect="microxml"),
            lambda data: xml5tree.fromstring(data, recovery="draft"),
            feed,
        ),
        Door(
            'HTML, `fromstring(dialect="html")`',
            "html5lib",
            lambda data: xml5tree.fromstring(data, dialect="html"),
            _html5lib,
            page,
            _HTML_FLOOR,
        ),
        Door(
            "HTML, a fragment of 30 characters", "html5lib", _our_fragments, _html5lib_fragments, fragment, _HTML_FLOOR
        ),
    ]


def _processor_time() -> float:
    """The processor time of this process and of its children, in seconds."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _seconds(read: Callable[[bytes], object], data: bytes) -> float:
    release_memory()
    start = _processor_time()
    read(data)
    return _processor_time() - start


def table(size: int, rounds: int, rows: str) -> str:
    """The table, as Markdown."""
    lines = ["| way in | peer | well-formed | broken | floor |\n|---|---|--:|--:|--:|\n"]
    for door in doors(size):
        if rows not in door.name:
            continue
        least = [math.inf] * 3
        turns = (
            (door.theirs, door.document.well_formed),
            (door.ours, door.document.well_formed),
            (door.ours, door.document.broken),
        )
        with contextlib.suppress(ImportError):
            for number in range(rounds):
                for place in range(len(turns)):
                    which = (place + number) % len(turns)
                    least[which] = min(least[which], _seconds(*turns[which]))
            peer, whole, broken = least
            cells = [cell(whole / peer, door.floor), cell(broken / peer, door.floor)]
            lines.append(f"| {door.name} | {door.peer} | {' | '.join(cells)} | {door.floor:g} |\n")
            print(lines[-1], end="", flush=True)
    return "".join(lines)


def cell(ratio: float, floor: float) -> str:
    """Return a ratio, in bold if it is above its floor."""
    return f"**{ratio:.2f}**" if ratio > floor else f"{ratio:.2f}"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=2, help="size of the documents (default: 2)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (default: 5)")
    parser.add_argument("--rows", default="", metavar="TEXT", help="only rows with this in their names")
    parser.add_argument("--write", action="store_true", help="put the table into docs/internals/performance.md")
    given = parser.parse_args()
    if given.write and given.rows:
        parser.error("--write wants all rows")
    made = f"`{shlex.join(['python', '-m', 'compat.doors', *sys.argv[1:]])}`."
    text = table(int(given.megabytes * 1e6), given.rounds, given.rows)
    if given.write:
        write_part(_PAGE, _BEGIN, _END, f"\n{text}\n{made}\n\n")


if __name__ == "__main__":
    main()
