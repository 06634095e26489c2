"""The head that all records need: DOCTYPE, and elements around."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Final, NamedTuple
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import quoteattr
from xml.sax.xmlreader import AttributesImpl

from xml5tree.ranges.extents import HIDING_ENDS, SIZES, Extent, Sizes, Tags, extents
from xml5tree.ranges.files import Utf8
from xml5tree.ranges.gaps import MISC
from xml5tree.sax import SAXParser

#: Bytes in which the head is searched.
_HEAD: Final = SIZES.window
_BEFORE_DOCTYPE: Final = rb"(?:\xef\xbb\xbf)?(?><\?xml\s(?>[^?<]++|\?(?!>))*+\?>)?+" + MISC
#: A DOCTYPE; in its subset, quotes, comments and instructions hide brackets.
_DOCTYPE: Final = (
    rb"(?>(<!DOCTYPE\s(?>[^\[<>\"']++|\"[^\"]*+\"|'[^']*+')*+"
    rb"(?>\[(?>[^\]\"'<]++|\"[^\"]*+\"|'[^']*+'|<!--(?>[^-]++|-(?!-))*+-->|<\?(?>[^?]++|\?(?!>))*+\?>|<)*+\]\s*+)?+>))?+"
)
_PROLOG: Final = re.compile(_BEFORE_DOCTYPE + _DOCTYPE + rb"\s*+")
_ANY_DOCTYPE: Final = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
#: The declaration of an entity that may have tags in it.
_TAGS_IN_ENTITY: Final = re.compile(rb"<!ENTITY\s[^<>\"']*+(?:\"[^\"]*[<&%][^\"]*\"|'[^']*[<&%][^']*')")
_PLAIN_ROOT: Final = "records"


class Head(NamedTuple):
    """Markup to put around records that are read alone."""

    # the DOCTYPE, and the start tags of the elements around the first record, with only their namespace declarations
    before: bytes
    after: bytes  # the end tags of those elements
    namespaces: Mapping[str, str]  # the declared namespaces, by prefix; "" for the default one
    around: Mapping[bytes, bool] = {}  # the names of the elements, the root first, and whether they declare namespaces
    size: int = 0  # bytes of the XML declaration and the DOCTYPE
    doubt: str = ""  # see `RangeRecords`
    first: int = 0  # the offset of the first record, as far as it is known


def begin(document: Utf8, tags: Tags, start: int, sizes: Sizes) -> tuple[Head, Iterator[bytes]]:
    """Return the head of a document, and the bytes needed for a range that begins at `start`."""
    blocks = document.blocks()
    parts = []
    size = 0
    while size < _HEAD and (part := next(blocks, b"")):
        parts.append(part)
        size += len(part)
    head = _head_of(b"".join(parts)[:_HEAD], tags)
    base = sizes.first_window(max(start, head.size))
    return head, _without(head.size - base, document.blocks(base) if base else chain(parts, blocks))


def _without(size: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield blocks with the first `size` bytes replaced by spaces, so that no tag is found there."""
    for block in blocks:
        if size <= 0:
            yield block
            continue
        yield b" " * min(size, len(block)) + block[size:]
        size -= len(block)


def _head_of(data: bytes, tags: Tags) -> Head:
    prolog = _PROLOG.match(data)
    assert prolog is not None
    doctype, size = prolog[1] or b"", prolog.end()
    sizes = SIZES._replace(reach=1, longest=1)
    content = b" " * size + data[size:]
    first = next(extents(iter([content]), tags, sizes=sizes), None) if data else None
    assert first is None or isinstance(first, Extent)  # several need greater sizes
    before = _without_open_end(data) if first is None else data[: first.offset]
    found = _Stack(tags)
    parser = SAXParser(encoding="utf-8", max_errors=0)
    parser.setContentHandler(found)
    with suppress(SAXParseException):  # every element is hidden
        parser.feed(before + b"<" + tags.name.encode() + b"/>")
        parser.close()
    elements = found.elements or [(_PLAIN_ROOT, {})]
    start_tags = "".join(
        f"<{name}{''.join(f' {key}={quoteattr(value)}' for key, value in declarations.items())}>"
        for name, declarations in elements
    )
    end_tags = "".join(f"</{name}>" for name, _ in reversed(elements))
    namespaces = {
        key.removeprefix("xmlns").removeprefix(":"): value
        for _, declarations in elements
        for key, value in declarations.items()
    }
    doubt = ""
    if _TAGS_IN_ENTITY.search(doctype):
        doubt = "an entity is declared that may have tags in it"
    elif _ANY_DOCTYPE.search(before, size):
        doubt = "the DOCTYPE is not well-formed"
    elif first is None and len(data) >= _HEAD:
        doubt = "the first record is far from the beginning"
    elif not found.elements:
        doubt = "no start tag of a record was found" if first is None else "a record is the root element"
    around: dict[bytes, bool] = {}
    for name, declarations in found.elements:
        around[name.encode()] = bool(declarations) or around.get(name.encode(), False)
    return Head(
        doctype + start_tags.encode(),
        end_tags.encode(),
        namespaces,
        around,
        size,
        doubt,
        len(before),
    )


def _without_open_end(data: bytes) -> bytes:
    """Return the beginning of a document without a comment, a CDATA section or a tag that goes on after it."""
    for begin, end in (*HIDING_ENDS.items(), (b"<", b">")):
        start = data.rfind(begin)
        if start > data.rfind(end):
            data = data[:start]
    return data


class _Stack(ContentHandler):
    """Finds the open elements around the last element with the name of records."""

    def __init__(self, tags: Tags) -> None:
        super().__init__()
        self._tags = tags
        self._open: list[tuple[str, dict[str, str]]] = []
        self.elements: list[tuple[str, dict[str, str]]] = []

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        if name == self._tags.name:
            self.elements = self._open[:]
        declarations = {key: value for key, value in attrs.items() if key == "xmlns" or key.startswith("xmlns:")}
        self._open.append((name, declarations))

    def endElement(self, name: str) -> None:
        self._open.pop()
