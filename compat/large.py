"""Read records of documents that are large in one way or another, made while they are read.

usage: python -m compat.large [--scale X] [--document NAME] [--backend NAME]

At scale 1 these are a stream of 10 GB, 10⁸ small records, a record of 2 GB of text, and 10⁵ open elements. All but the
record of 2 GB must be read in constant memory. libxml2 refuses texts of more than a billion bytes, so
that with lxml the record of 2 GB is an error. Scale 0.001 is for a try.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from typing import Final

from compat.peak_memory import peak_memory
from xml5tree import ParseError, records

#: Peak memory in megabytes that a process may take for a document of any size.
LIMIT: Final = 100

BACKENDS: Final = ("etree", "lxml")
_TEXT: Final = b"lorem ipsum dolor sit amet " * 370 + b"& "


def stream(scale: float) -> Iterator[bytes]:
    """10 GB of records of 10 kB, with errors."""
    yield b"<r>"
    for number in range(int(1_000_000 * scale)):
        yield b"<item id=%d>%s</item>\n" % (number, _TEXT)
    yield b"</r>"


def small(scale: float) -> Iterator[bytes]:
    """10⁸ records without errors."""
    yield b"<r>"
    block = b"<item><a>1</a></item>\n" * 1000
    for _ in range(int(100_000 * scale)):
        yield block
    yield b"</r>"


def long(scale: float) -> Iterator[bytes]:
    """A record of 2 GB of text."""
    yield b"<r><item>"
    block = b"lorem ipsum dolor\n" * 1000
    for _ in range(int(111_111 * scale)):
        yield block
    yield b"</item></r>"


def deep(scale: float) -> Iterator[bytes]:
    """A record within 10⁵ open elements."""
    yield b"<r>"
    for _ in range(max(1, int(100 * scale))):
        yield b"<a>" * 1000
    yield b"<item>1</item>"


DOCUMENTS: Final[dict[str, Callable[[float], Iterator[bytes]]]] = {
    "stream": stream,
    "small": small,
    "long": long,
    "deep": deep,
}


def read(name: str, backend: str, scale: float) -> tuple[int, float, int, str]:
    """Read a document: how many records, seconds of processor time, peak memory in megabytes, and what was wrong."""
    start = time.process_time()
    count = 0
    problem = ""
    try:
        for _ in records(DOCUMENTS[name](scale), "item", backend=backend, max_errors=100):
            count += 1
    except ParseError as error:
        problem = error.reason
    return count, time.process_time() - start, peak_memory() >> 20, problem


def main() -> int:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        prog="python -m compat.large",
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scale", type=float, default=1.0, help="how large the documents are (default: 1)")
    parser.add_argument("--document", choices=DOCUMENTS, help="only this one")
    parser.add_argument("--backend", choices=BACKENDS, help="only this one")
    given = parser.parse_args()
    failed = False
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for name in [given.document] if given.document else DOCUMENTS:
            for backend in [given.backend] if given.backend else BACKENDS:
                count, seconds, peak, problem = pool.apply(read, (name, backend, given.scale))
                is_known = (name, backend) == ("long", "lxml") and "too long" in problem
                failed = failed or (bool(problem) and not is_known) or (peak > LIMIT and name != "long")
                words = f"; {problem}" if problem else ""
                print(
                    f"{name}, {backend}: {count:,} records in {seconds:.1f} s, peak memory {peak} MB{words}", flush=True
                )
    return failed


if __name__ == "__main__":
    sys.exit(main())
