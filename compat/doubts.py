"""Read a long stream in which a tag is doubtful every fifty characters, with ``recovery="intent"``.

usage: python -m compat.doubts [MEGABYTES] (50 without it)

It is read by `iterparse` on either backend and by `open`, whole and a fifth of it. The command fails if that takes more
memory than it should, or if the whole takes much more than five times as long as the fifth.
"""

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import get_context
from typing import Final

import xml5tree
from compat.peak_memory import peak_memory

#: Peak memory in megabytes that a process may take for a document of any size.
LIMIT: Final = 100
#: The part of the document that its time is compared with, and how much more than in proportion the whole may take.
PART: Final = 5
SLACK: Final = 1.5

#: Records of about fifty characters, each with a fault: an end tag misspelt, missing, stray, of another name, twice; a
#: "<" that is text; a start tag that lacks its ">"; an empty tag that lacks its "/".
RECORDS: Final = (
    "<item><title>{:08} title</titel></item>\n",
    "<item><title>{:08} of many words</item>\n",
    "<item><title>{:08} word</title></x></item>\n",
    "<item><title>{:08} words</link></item>\n",
    "<item><title>{:08}</title></title></item>\n",
    "<item n='{:08}'><title>a<b words</title></item>\n",
    "<item n='{:08}'><titlewords</title></item>\n",
    "<item><title>{:08} words<br></title></item>\n",
)


def stream(size: int) -> Iterator[bytes]:
    """So many bytes of records, in parts of some thousand bytes; the end is missing."""
    yield b"<feed>\n"
    number = 0
    while size > 0:
        part = "".join(RECORDS[count % len(RECORDS)].format(count) for count in range(number, number + 100)).encode()
        number += 100
        size -= len(part)
        yield part


def read_etree(size: int) -> int:
    """Count items with `iterparse`, clearing the root element after each."""
    events = xml5tree.iterparse(stream(size), ("start", "end"), recovery="intent", max_errors=100)
    _, root = next(events)
    count = 0
    for event, element in events:
        if event == "end" and element.tag == "item":
            count += 1
            root.clear()
    return count


def read_lxml(size: int) -> int:
    """Count items with `iterparse` on lxml, deleting each when the next is there."""
    count = 0
    for _, element in xml5tree.iterparse(stream(size), backend="lxml", tag="item", recovery="intent", max_errors=100):
        count += 1
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    return count


def read_file(size: int) -> int:
    """Count items in the markup that `open` gives."""
    count = 0
    with xml5tree.open(stream(size), recovery="intent", max_errors=100) as file:
        for line in file:
            count += line.count(b"</item>")
    return count


READERS: Final[dict[str, Callable[[int], int]]] = {
    "iterparse, etree": read_etree,
    "iterparse, lxml": read_lxml,
    "open": read_file,
}


def measure(name: str, size: int) -> tuple[int, float, int]:
    """Read a stream: the number of items, seconds of processor time, and peak memory in megabytes."""
    begun = time.process_time()
    count = READERS[name](size)
    return count, time.process_time() - begun, peak_memory() >> 20


def main() -> int:
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 50.0
    failed = False
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for name in READERS:
            read = partial(pool.apply, measure)
            _, seconds_of_part, peak_of_part = read((name, int(megabytes * 1e6 / PART)))
            count, seconds, peak = read((name, int(megabytes * 1e6)))
            print(
                f"{name}: {count:,} items in {seconds:.1f} s, {megabytes / seconds:.2f} MB/s, peak memory {peak} MB; "
                f"a fifth in {seconds_of_part:.1f} s, {peak_of_part} MB",
                flush=True,
            )
            failed = failed or peak > LIMIT or seconds > SLACK * PART * seconds_of_part
    return failed


if __name__ == "__main__":
    sys.exit(main())
