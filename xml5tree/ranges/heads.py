"""What stands before the first record of a document, and matters for all: the DOCTYPE, and the elements around them."""

import re
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import Final, NamedTuple
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import quoteattr
from xml.sax.xmlreader import AttributesImpl

from xml5tree.ranges.extents import SIZES, Tags, extents
from xml5tree.sax import SAXParser

__all__ = ["HEAD", "Head", "head_of"]

#: Bytes in which it is looked for.
HEAD: Final = SIZES.window
_DOCTYPE: Final = re.compile(rb"<!DOCTYPE[^\[<>]*(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_PLAIN_ROOT: Final = "records"


class Head(NamedTuple):
    """What is put around records that are read for themselves.

    Attributes:
        before: the DOCTYPE, and the start tags of the elements around the first record, without their attributes but
            for namespace declarations.
        after: their end tags.
        namespaces: the namespaces that are declared, by their prefixes; the default one by "".
    """

    before: bytes
    after: bytes
    namespaces: Mapping[str, str]


def head_of(data: bytes, tags: Tags) -> Head:
    """The head of a document that begins with these bytes."""
    first = next(extents(iter([data]), tags, sizes=SIZES._replace(reach=1, longest=1)), None) if data else None
    before = data if first is None else data[: first.offset]
    found = _Stack(tags)
    parser = SAXParser(encoding="utf-8", max_errors=0)
    parser.setContentHandler(found)
    with suppress(SAXParseException):  # there is no element that is not hidden
        parser.feed(before + b"<" + tags.name.encode() + b"/>")
        parser.close()
    elements = found.elements or [(_PLAIN_ROOT, {})]
    start_tags = "".join(
        f"<{name}{''.join(f' {key}={quoteattr(value)}' for key, value in declarations.items())}>"
        for name, declarations in elements
    )
    end_tags = "".join(f"</{name}>" for name, _ in reversed(elements))
    doctype = next(islice(_DOCTYPE.finditer(before), 1), None)
    namespaces = {
        key.removeprefix("xmlns").removeprefix(":"): value
        for _, declarations in elements
        for key, value in declarations.items()
    }
    return Head((b"" if doctype is None else doctype[0]) + start_tags.encode(), end_tags.encode(), namespaces)


class _Stack(ContentHandler):
    """Finds the elements that are open around the last element with the name of records."""

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
