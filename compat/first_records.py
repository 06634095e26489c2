"""Measure how late records and events of a slow stream come: the table in docs/internals/records.md.

usage: python -m compat.first_records [--write]

A document comes in parts of 64 characters. The delay of a record, or of the end event of its element, is the number of
characters that had come after its end tag when it was given: of the first record, and the median of the first thousand.

--write puts the table into docs/internals/records.md.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

import xml5tree
from compat.documents import DOCUMENTS
from compat.pages import write_part

_PART: Final = 64
_RECORDS: Final = 1000
_PAGE: Final = Path(__file__).parent.parent / "docs" / "internals" / "records.md"
_BEGIN: Final = "<!-- made by python -m compat.first_records --write -->\n\n"
_END: Final = "<!-- end of delays -->"


def _lines() -> str:
    """Records of one line, in the root element."""
    records = (f"<item><n>{number}</n><text>some words</text></item>\n" for number in range(5000))
    return f"<items>\n{''.join(records)}</items>\n"


def _feed(name: str) -> str:
    document: Any = DOCUMENTS[name]()
    return document if isinstance(document, str) else document.decode()


#: Documents, whose records are all called ``item``.
SHAPES: Final = {
    "records of one line": _lines,
    "a news feed": lambda: _feed("rss"),
    "a news feed, broken": lambda: _feed("rss-broken"),
}


class Slow:
    """A document that comes part by part.

    Attributes:
        come: how many characters have come.
    """

    def __init__(self, document: str) -> None:
        self._document = document
        self.come = 0

    def __iter__(self) -> Iterator[str]:
        while self.come < len(self._document):
            part = self._document[self.come : self.come + _PART]
            self.come += len(part)
            yield part


def delays(document: str, recovery: Any, *, events: bool = False) -> list[int]:
    """Return how many characters had come after each of the first records, when it was given.

    Args:
        document: the document.
        recovery: the option `recovery`.
        events: whether to read end events by `iterparse`, and not records.
    """
    slow = Slow(document)
    found: list[int] = []
    if events:
        place = 0
        for _ in xml5tree.iterparse(slow, tag="item", recovery=recovery):
            place = document.index("</item>", place) + len("</item>")
            found.append(slow.come - place)
            if len(found) == _RECORDS:
                break
        return found
    for record in xml5tree.records(slow, "item", recovery=recovery):
        found.append(slow.come - record.end)
        if len(found) == _RECORDS:
            break
    return found


def table() -> str:
    """Return the table."""
    lines = [
        "| document | read by | first, draft | median, draft | first, intent | median, intent |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for name, make in SHAPES.items():
        document = make()
        for door, events in (("`records`", False), ("`iterparse`", True)):
            if events and "broken" in name:
                continue  # where its records end, only `records` knows
            cells = []
            for recovery in ("draft", "intent"):
                found = delays(document, recovery, events=events)
                cells += [f"{found[0]:,}", f"{median(found):,.0f}"]
            lines.append(f"| {name} | {door} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    found = f"{table()}\n"
    print(found, end="")
    if parser.parse_args().write:
        write_part(_PAGE, _BEGIN, _END, found)


if __name__ == "__main__":
    main()
