"""Sickle (0.7 or later): an OAI-PMH client for broken responses."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import suppress
from email.message import Message
from typing import Any

import sickle
from sickle.response import OAIResponse as _OAIResponse

from xml5tree.errors.log import ErrorLog
from xml5tree.lxml.functions import fromstring
from xml5tree.lxml.parsers import XMLParser
from xml5tree.options import Options

__all__ = ["OAIResponse", "Sickle"]


def _charset(http_response: Any) -> str | None:
    """Return the encoding that a server names, without a BOM; `http_response.encoding` may be a guess."""
    if http_response.content.startswith((BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE)):
        return None
    message = Message()
    message["Content-Type"] = http_response.headers.get("Content-Type", "")
    return message.get_content_charset()


def _parser(encoding: str | None, options: Options) -> XMLParser:
    if encoding is not None:
        with suppress(LookupError):  # a server may write anything
            return XMLParser(**{"remove_blank_text": True, "encoding": encoding, **options})
    return XMLParser(**{"remove_blank_text": True, **options})


class OAIResponse(_OAIResponse):
    """A repaired response of a server."""

    def __init__(
        self, http_response: Any, params: dict[str, Any], options: Options, encoding: str | None = None
    ) -> None:
        super().__init__(http_response, params)
        known = _charset(http_response) if encoding is None else encoding
        self._parser = _parser(known, options)
        self._root: Any = None

    @property
    def xml(self) -> Any:
        """The root element; raises `DocumentError` of `xml5tree.lxml.etree` without one."""
        if self._root is None:
            self._root = fromstring(self.http_response.content, self._parser)
        return self._root

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the response, known after `xml`."""
        log: ErrorLog = self._parser.error_log
        return log


class Sickle(sickle.Sickle):
    """`sickle.Sickle` that reads broken responses; ``oai_response`` of its iterators has an ``error_log``."""

    def __init__(self, endpoint: str, *arguments: Any, options: Options | None = None, **keywords: Any) -> None:
        """Set the URL of the interface, and options of `xml5tree.options.Settings`, or None.

        The other arguments are those of `sickle.Sickle`. Raises `TypeError`, `ValueError` or `LookupError` for an
        option.
        """
        self._options: Options = options or {}
        XMLParser(**self._options)
        super().__init__(endpoint, *arguments, **keywords)

    def harvest(self, **parameters: Any) -> OAIResponse:
        """Ask the server; see `sickle.Sickle.harvest`."""
        response = super().harvest(**parameters)
        return OAIResponse(response.http_response, response.params, self._options, self.encoding)
