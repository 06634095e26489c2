"""How many Python functions a small broken document goes through, package by package.

usage: python -m compat.calls [--write]

--write puts the table into docs/internals/architecture.md. The document is read with the compiled scanner, after others
of its kind, so that nothing is imported or made for the first time. Functions of C are not counted. Packages stand in
the order of their first call.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final

import xml5tree
import xml5tree.lxml.etree
from compat.pages import write_part

_PAGE: Final = Path(__file__).parent.parent / "docs/internals/architecture.md"
_BEGIN: Final = "<!-- calls: made by python -m compat.calls --write -->\n"
_END: Final = "<!-- end -->\n"
DOCUMENT: Final = b"<a b=c>x & y</a>"
#: What reads it.
DOORS: Final[dict[str, Callable[[], object]]] = {
    "`fromstring`, draft": lambda: xml5tree.fromstring(DOCUMENT, backend="lxml", recovery="draft"),
    "`fromstring`": lambda: xml5tree.fromstring(DOCUMENT, backend="lxml"),
    "`repair`": lambda: xml5tree.repair(DOCUMENT),
    "`lxml.etree.fromstring`": lambda: xml5tree.lxml.etree.fromstring(DOCUMENT),
}
#: How many folders deep the packages of a folder are counted.
_DEPTH: Final = {"dialects": 3}


def room_of(module: str) -> str | None:
    """Return the package that a module is counted in, as a path in xml5tree; None if it is in none."""
    package, *path = module.split(".")
    if package != "xml5tree":
        return None
    folders = path[: _DEPTH.get(path[0], 1)] if path else []
    return "/".join(folders) if len(path) > len(folders) or not path else "/".join(path)


def calls(door: str) -> Counter[str]:
    """Return how many functions a door calls in each package, in the order of first calls."""
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        room = room_of(frame.f_globals.get("__name__", "")) if event == "call" else None
        if room is not None:
            found[room] += 1

    for _ in range(3):
        DOORS[door]()
    sys.setprofile(note)
    try:
        DOORS[door]()
    finally:
        sys.setprofile(None)
    return found


def table() -> str:
    """Return the table."""
    counts = [calls(door) for door in DOORS]
    rooms = dict.fromkeys(room for found in counts[1:] for room in found)
    lines = ["| package | " + " | ".join(DOORS) + " |", "|---|" + "--:|" * len(DOORS)]
    lines += [f"| `{room}` | " + " | ".join(str(found[room] or "") for found in counts) + " |" for room in rooms]
    lines.append("| all | " + " | ".join(str(found.total()) for found in counts) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into docs/internals/architecture.md")
    given = parser.parse_args()
    if not xml5tree.accelerated:
        parser.error("the compiled scanner is not there")
    made = table()
    print(made)
    if given.write:
        write_part(_PAGE, _BEGIN, _END, f"\n{made}\n\n")


if __name__ == "__main__":
    main()
