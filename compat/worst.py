"""What a megabyte costs at worst, in seconds and bytes of memory, over the families of tests/test_scaling.py.

usage: python -m compat.worst [--write]

Each family without a DOCTYPE makes a document of a megabyte, which a process of its own reads by
`fromstring` as the page recommends. --write puts the worst figures into docs/security.md.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import xml5tree
from compat.pages import write_part
from compat.peak_memory import peak_memory

_ROOT: Final = Path(__file__).parent.parent
_PAGE: Final = _ROOT / "docs/security.md"
_END: Final = "<!-- end -->\n"
_BEGIN: Final = "<!-- made by compat/worst.py --write -->\n\n"
_LENGTH: Final = 1_000_000
#: The options that the page recommends.
_OPTIONS: Final[dict[str, Any]] = {"forbid_dtd": True, "max_errors": 100}
#: A document that takes longer is named, and not counted.
_SECONDS_AT_MOST: Final = 120


def families() -> dict[str, Callable[[int], str | bytes]]:
    """Return the makers of documents, by name."""
    sys.path.insert(0, str(_ROOT / "tests"))
    from test_scaling import FAMILIES

    return {name: make for name, make in FAMILIES.items() if "<!DOCTYPE" not in str(make(8))}


def document_of(make: Callable[[int], str | bytes]) -> bytes:
    """Return a document of a family that has about the length that is measured."""
    document = make(64)
    if len(make(128)) > len(document):
        document = make(64 * _LENGTH // len(document))
    return document if isinstance(document, bytes) else document.encode("utf-8", "surrogatepass")


def read(name: str, backend: str) -> dict[str, float]:
    """Read the document of a family; processor time and memory beside the document, for each of its megabytes."""
    xml5tree.fromstring("<a>&<b></a>", backend=backend)
    document = document_of(families()[name])
    before, start = peak_memory(), time.process_time()
    try:
        tree = xml5tree.fromstring(document, backend=backend, **_OPTIONS)
    except xml5tree.ParseError:
        tree = None
    seconds, memory = time.process_time() - start, peak_memory() - before
    del tree
    megabytes = len(document) / 1e6
    return {"seconds": seconds / megabytes, "memory": memory / megabytes / 1e6}


def measure(name: str, backend: str) -> dict[str, float] | None:
    """Have another process read the document of a family; None if it takes too long."""
    command = [sys.executable, "-m", "compat.worst", "--read", name, "--backend", backend]
    try:
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, check=True, timeout=_SECONDS_AT_MOST)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the worst figures into the page")
    parser.add_argument("--read", metavar="FAMILY", help=argparse.SUPPRESS)
    parser.add_argument("--backend", default="etree", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        print(json.dumps(read(arguments.read, arguments.backend)))
        return
    rows = []
    for backend in ("etree", "lxml"):
        found = {name: measure(name, backend) for name in families()}
        known = {name: figures for name, figures in found.items() if figures is not None}
        for figure in ("seconds", "memory"):
            worst = sorted(known, key=lambda name, figure=figure: -known[name][figure])[:5]
            print(backend, figure, ", ".join(f"{name} {known[name][figure]:.1f}" for name in worst), flush=True)
        print(backend, "more than", _SECONDS_AT_MOST, "seconds:", [name for name in found if name not in known])
        rows.append([backend, *(max(each[figure] for each in known.values()) for figure in ("seconds", "memory"))])
    if arguments.write:
        lines = [f"| `{backend}` | {seconds:.0f} s | {memory:.0f} MB |\n" for backend, seconds, memory in rows]
        head = "| backend | time for each megabyte | memory for each megabyte |\n|---|---:|---:|\n"
        write_part(_PAGE, _BEGIN, _END, head + "".join(lines))


if __name__ == "__main__":
    _main()
