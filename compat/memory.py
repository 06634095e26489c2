"""Read a long feed with faults as a stream, and fail if that takes more memory than it should.

usage: python -m compat.memory [MEGABYTES] (1024 without it)
"""

import sys
import time
from collections.abc import Iterator

from compat.peak_memory import peak_memory
from xml5tree import streaming

#: By how many megabytes the peak memory of the process may grow.
MOST_GROWTH = 24

TEXT = "lorem ipsum dolor sit amet consectetur adipiscing elit " * 250
GOOD = f'<item id="{{0}}"><title>Tom &amp; Jerry {{0}}</title><body lang="la">{TEXT}</body></item>\n'
BAD = [
    f"<item id={{0}}><title>Tom & Jerry {{0}}</title><body>{TEXT}</body></item>\n",
    f"<item id='{{0}}'><title>5 < 6<body>{TEXT}</item>\n",
    f"<item id='{{0}}'><title>{{0}}</titel><media:body id=1 id=2>{TEXT}</media:body></item>\n",
    f"<item id='{{0}}'><title>&nbsp;\x01{{0}}</title></wrong>{TEXT}</item>\n",
]


def feed(size: int) -> Iterator[bytes]:
    """Parts of a feed of so many bytes; every fourth item has a fault, and the end is missing."""
    yield b"<feed xmlns='http://example.org/feed'>\n"
    number = 0
    while size > 0:
        record = BAD[number // 4 % len(BAD)] if number % 4 == 0 else GOOD
        part = record.format(number).encode()
        size -= len(part)
        number += 1
        yield part


def read_etree(size: int) -> int:
    """Count items with `iterparse`, clearing the root element after each."""
    events = streaming.iterparse(feed(size), events=("start", "end"))
    _, root = next(events)
    count = 0
    for event, element in events:
        if event == "end" and element.tag == "{http://example.org/feed}item":
            count += 1
            root.clear()
    return count


def read_lxml(size: int) -> int:
    """Count items with `iterparse` on lxml, deleting each when the next is there."""
    count = 0
    for _, element in streaming.iterparse(feed(size), backend="lxml", tag="{*}item"):
        count += 1
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    return count


def read_file(size: int) -> int:
    """Count items in the lines of the repaired markup."""
    with streaming.open(feed(size)) as file:
        return sum(line.startswith(b"<item ") for line in file)


def main() -> int:
    size = int(sys.argv[1] if len(sys.argv) > 1 else 1024) << 20
    expected = sum(1 for _ in feed(size)) - 1
    before = peak_memory() >> 20
    failed = False
    for read in (read_etree, read_lxml, read_file):
        start = time.perf_counter()
        count = read(size)
        peak = peak_memory() >> 20
        seconds = time.perf_counter() - start
        print(f"{read.__name__}: {count} items in {seconds:.1f} s, peak memory {peak} MB ({before} before)")
        failed = failed or count != expected or peak - before > MOST_GROWTH
    return failed


if __name__ == "__main__":
    sys.exit(main())
