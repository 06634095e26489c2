"""Reads repaired markup with a caller's parser, so that it is the `parser` of the tree."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lxml import etree

from xml5tree.backends.lxml import check_log


class FedParser:
    """Feeds a parser of lxml, and from the beginning another one without limits if the first refuses the markup.

    For that, it keeps the markup until the document ends: some twentieth of the memory of the tree.
    """

    def __init__(self, first: etree.XMLParser, make_other: Callable[[], Any]) -> None:
        """Take both; methods of `first` that a subclass overrides are not used."""
        self._first = first
        self._make_other = make_other
        self._other: Any = None
        self._fed: list[bytes] = []
        with suppress(etree.XMLSyntaxError):
            etree.XMLParser.close(first)  # it may have been left in the middle of a document

    def feed(self, markup: bytes) -> None:
        if self._other is None:
            self._fed.append(markup)
            try:
                etree.XMLParser.feed(self._first, markup)
            except etree.XMLSyntaxError:
                self._change()
        else:
            self._other.feed(markup)

    def close(self) -> Any:
        if self._other is None:
            try:
                root = etree.XMLParser.close(self._first)
                check_log(self.feed_error_log)
                self._fed.clear()
                return root
            except etree.XMLSyntaxError:
                self._change()
        return self._other.close()

    def _change(self) -> None:
        self._other = self._make_other()
        for markup in self._fed:
            self._other.feed(markup)
        self._fed.clear()

    @property
    def feed_error_log(self) -> Any:
        log: Any = etree.XMLParser.feed_error_log
        return log.__get__(self._first) if self._other is None else self._other.feed_error_log
