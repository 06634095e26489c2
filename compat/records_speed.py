"""How fast `xml5tree.records` is beside bare `xml5tree.iterparse`: the table in docs/records.md.

usage: python -m compat.records_speed [--megabytes N] [--rounds N] [--backend NAME] [--write]

Both read the same document from memory in parts of 64 KiB. As elements, both only count the records; with fields, both
look at three values in each: `iterparse` by `findtext` and `get`; it clears each element after that. The two take
turns. A figure is the ratio of the least processor times of all rounds, 1 being as fast as `iterparse`; before each
reading, garbage is collected and free memory is given back to the system.

--write puts the table into docs/records.md.
"""

import argparse
import math
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

import xml5tree
from compat.pages import write_part
from compat.peak_memory import release_memory

_PAGE: Final = Path(__file__).parent.parent / "docs/records.md"
_BEGIN: Final = "<!-- made by python -m compat.records_speed --write -->\n"
_END: Final = "<!-- end -->\n"
_PART: Final = 1 << 16
_FIELDS: Final = {"title": "title", "link": "link", "id": "@id"}
#: The beginnings of records; in the broken document, every fourth has the fault.
_SMALL: Final = (
    '<item id="{0}"><title>Story {0} {1} more</title><link>http://example.org/{0}</link><author>someone</author>'
    "<description>lorem ipsum dolor sit amet</description><n>{0}</n></item>\n"
)
_LARGE: Final = (
    '<item id="{0}"><title>Story {0} {1} more</title><link>http://example.org/{0}</link>'
    + "<p>lorem ipsum dolor sit amet, consectetur adipiscing <b>elit</b></p>\n" * 20
    + "</item>\n"
)
DOCUMENTS: Final = {
    "5 tags, well-formed": (_SMALL, 0),
    "5 tags, broken": (_SMALL, 4),
    "42 tags, well-formed": (_LARGE, 0),
    "42 tags, broken": (_LARGE, 4),
}


def make(record: str, broken: int, size: int) -> bytes:
    """A document of about so many bytes; every so manieth record has an error, or none."""
    parts = ["<rss><channel>"]
    length = number = 0
    while length < size:
        number += 1
        parts.append(record.format(number, "&" if broken and not number % broken else "and"))
        length += len(parts[-1])
    return "".join([*parts, "</channel></rss>"]).encode()


def parts_of(data: bytes) -> Iterator[bytes]:
    """The document as a file gives it."""
    for start in range(0, len(data), _PART):
        yield data[start : start + _PART]


def _events(data: bytes, backend: str) -> Iterator[Any]:
    """The elements, as `iterparse` is mostly used."""
    for _, element in xml5tree.iterparse(parts_of(data), backend=backend, tag="item", recovery="draft"):
        yield element
        element.clear()


def bare_elements(data: bytes, backend: str) -> int:
    """Count the records with `iterparse`."""
    return sum(1 for _ in _events(data, backend))


def bare_fields(data: bytes, backend: str) -> int:
    """Find values with `iterparse`."""
    found = (
        (element.findtext("title"), element.findtext("link"), element.get("id")) for element in _events(data, backend)
    )
    return sum(1 for _ in found)


def records_elements(data: bytes, backend: str) -> int:
    """Count the records with `records`."""
    return sum(1 for _ in xml5tree.records(parts_of(data), "item", backend=backend, recovery="draft"))


def records_fields(data: bytes, backend: str) -> int:
    """Find values with `records`."""
    records = xml5tree.records(parts_of(data), "item", fields=_FIELDS, backend=backend, recovery="draft")
    found = ((record["title"], record["link"], record["id"]) for record in records)
    return sum(1 for _ in found)


WAYS: Final = {"elements": (bare_elements, records_elements), "fields": (bare_fields, records_fields)}


def _seconds(read: Callable[[bytes, str], int], data: bytes, backend: str) -> tuple[float, int]:
    release_memory()
    start = time.process_time()
    count = read(data, backend)
    return time.process_time() - start, count


def ratio(data: bytes, backend: str, way: str, rounds: int) -> tuple[float, float]:
    """How many times as fast records are as `iterparse`, and how many thousand records a second there are."""
    least = [math.inf, math.inf]
    for number in range(rounds):
        for place in (0, 1) if number % 2 else (1, 0):
            seconds, count = _seconds(WAYS[way][place], data, backend)
            least[place] = min(least[place], seconds)
    return least[0] / least[1], count / least[1] / 1000


def table(megabytes: float, rounds: int, backends: list[str]) -> str:
    """The table, as Markdown."""
    lines = ["| records | backend | as | × `iterparse` | records/s |\n|---|---|---|--:|--:|\n"]
    for name, (record, broken) in DOCUMENTS.items():
        data = make(record, broken, int(megabytes * 1e6))
        for backend in backends:
            for way in WAYS:
                found, rate = ratio(data, backend, way, rounds)
                lines.append(f"| {name} | {backend} | {way} | {found:.2f} | {rate:,.0f} 000 |\n")
                print(lines[-1], end="", flush=True)
    return "".join(lines)


def _main() -> None:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--megabytes", type=float, default=4, help="size of each document")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--backend", choices=["etree", "lxml"])
    parser.add_argument("--write", action="store_true", help="put the table into docs/records.md")
    given = parser.parse_args()
    rows = table(given.megabytes, given.rounds, [given.backend] if given.backend else ["etree", "lxml"])
    if given.write:
        made = f"{rows}\nMade with CPython {platform.python_version()}, {expat.EXPAT_VERSION.replace('_', ' ')}.\n"
        write_part(_PAGE, _BEGIN, _END, f"\n{made}")


if __name__ == "__main__":
    _main()
