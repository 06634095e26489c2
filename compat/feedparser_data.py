"""Read the feeds of feedparser's tests, and run its tests with our SAX driver as its parser.

usage: python -m compat.feedparser_data

The feeds are in feedparser's source distribution, which is fetched from the Python package index. As documents, all
that compat/invariants.py says must hold of them. As feeds, read through our driver, they must have as many entries as
feedparser finds by itself, be it with expat or with its own parser for broken feeds, and what a test expects of a feed
must come true if it does so without the driver; with each of our policies. What differs is compared with
expected/feedparser_data.txt.
"""

import io
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from compat import expected
from compat.cache import SKIPPED, Unavailable, from_pypi, read_archive
from compat.drivers import driver, has_intent
from compat.invariants import check, failures

VERSION = "6.0.14"
#: Ways of our driver, with its options.
OURS: dict[str, dict[str, Any]] = {"xml5tree": {"recovery": "draft"}, "xml5tree intent": {"recovery": "intent"}}

_HEADER = re.compile(rb"^Header:\s+([^:]+):(.+)$", re.MULTILINE)
_EXPECTATION = re.compile(rb"Description:\s*.*?\s*Expect:\s*(.*)\s*-->")
_CONDITION = re.compile(rb"SkipUnless:\s*(.*?)\n")
_WIDE = {b"\0\0\0<": "utf-32-be", b"<\0\0\0": "utf-32-le", b"\0<\0?": "utf-16-be", b"<\0?\0": "utf-16-le"}
_MARKED = {b"\0\0\xfe\xff": "utf-32", b"\xff\xfe\0\0": "utf-32", b"\xfe\xff": "utf-16", b"\xff\xfe": "utf-16"}


def parse(data: bytes, way: str) -> Any:
    """What feedparser makes of a feed.

    Args:
        data: the feed, with the headers that it is sent with in a comment.
        way: feedparser's parser: "expat", after which it tries "loose" by itself, "loose", or one of `OURS`.
    """
    import feedparser

    headers = {name.decode(): value.decode().strip() for name, value in _HEADER.findall(data)}
    feedparser.api._XML_AVAILABLE = way != "loose"
    feedparser.api.PREFERRED_XML_PARSERS[:] = [driver(**OURS[way])] if way in OURS else []
    return feedparser.parse(io.BytesIO(data), response_headers=headers)


def comes_true(expectation: str, result: Any) -> bool:
    """Whether what a test expects of a feed, an expression in Python, holds."""
    import datetime
    import time

    try:
        return bool(eval(expectation, {"datetime": datetime, "time": time}, dict(result)))
    except Exception:  # such as a key that is not there
        return False


def readable(data: bytes) -> bytes:
    """The text of a feed in UTF-8, for what is said in its comments."""
    encodings = [name for start, name in (*_MARKED.items(), *_WIDE.items()) if data.startswith(start)]
    return data.decode(encodings[0]).encode() if encodings else data


def check_feed(data: bytes, results: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """In what a feed is another through our driver, and what is to be known of it; the same of each policy only once.

    Args:
        data: the feed.
        results: what feedparser made of it, by its parser.
    """
    entries = {way: len(result.entries) for way, result in results.items()}
    for way in OURS:
        if way in results and entries[way] < max(entries.values()):
            yield f"entries{way.removeprefix('xml5tree')}", f"entries found: {entries}"
            break
    text = readable(data)
    condition, expectation = _CONDITION.search(text), _EXPECTATION.search(text)
    try:
        applies = expectation is not None and (condition is None or eval(condition[1]))
    except Exception:
        applies = False
    if expectation is not None and applies:
        wanted = expectation[1].decode()
        for way in OURS:
            if way in results and comes_true(wanted, results["expat"]) and not comes_true(wanted, results[way]):
                yield f"expectation{way.removeprefix('xml5tree')}", f"{wanted}\n  {results[way]}"
                break


def main() -> int:
    try:
        archive = from_pypi("feedparser", VERSION)
        import feedparser
    except (Unavailable, ImportError) as error:
        print(f"skipped: {error}")
        return SKIPPED
    files = {path: data for path, data in read_archive(archive, "tests/").items() if path.endswith(".xml")}
    ways = ["expat", "loose", *(way for way in OURS if way == "xml5tree" or has_intent())]
    found = {}
    broken: Counter[str] = Counter()
    entries: Counter[str] = Counter()
    for path, data in sorted(files.items()):
        results = {way: parse(data, way) for way in ways}
        found |= failures(path, check(data, (4096,), well_formed=False), check_feed(data, results))
        broken.update({way: bool(result.bozo) for way, result in results.items()})
        entries.update({way: len(result.entries) for way, result in results.items()})
    right = expected.report(found, expected.read("feedparser_data"))
    print(f"feedparser {feedparser.__version__}: {len(files)} feeds, {len(found)} differences")
    print(f"entries, by parser: {dict(entries)}; feeds that are said to be broken: {dict(broken)}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
