"""Read records of documents that are large in one way or another, made while they are read.

usage: python -m compat.large [SCALE] (1 without it; 0.001 for a try)

At scale 1 these are a stream of 10 GB, 10⁸ small records, a record of 2 GB of text, and 10⁵ open elements. All but the
record of 2 GB must be read in constant memory.
"""

import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from typing import Final

from compat.peak_memory import peak_memory
from xml5tree import records

#: Peak memory in megabytes that a process may take for a document of any size.
LIMIT: Final = 100

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


def read(name: str, backend: str, scale: float) -> tuple[int, float, int]:
    """Read a document: the number of records, seconds, and peak memory in megabytes."""
    start = time.perf_counter()
    count = sum(1 for _ in records(DOCUMENTS[name](scale), "item", backend=backend, max_errors=100))
    return count, time.perf_counter() - start, peak_memory() >> 20


def main() -> int:
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    failed = False
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for name in DOCUMENTS:
            for backend in ("etree", "lxml"):
                count, seconds, peak = pool.apply(read, (name, backend, scale))
                print(f"{name}, {backend}: {count:,} records in {seconds:.1f} s, peak memory {peak} MB", flush=True)
                failed = failed or (peak > LIMIT and name != "long")
    return failed


if __name__ == "__main__":
    sys.exit(main())
