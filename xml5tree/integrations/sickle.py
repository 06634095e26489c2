"""Sickle: a client for OAI-PMH that reads broken answers; with Sickle 0.7 or later."""

from typing import Any

import sickle
from sickle.response import OAIResponse as _OAIResponse

from xml5tree.errors.log import ErrorLog
from xml5tree.lxml.functions import fromstring
from xml5tree.lxml.parsers import XMLParser
from xml5tree.options import Options

__all__ = ["OAIResponse", "Sickle"]


class OAIResponse(_OAIResponse):
    """An answer of a server, repaired."""

    def __init__(self, http_response: Any, params: dict[str, Any], options: Options) -> None:
        super().__init__(http_response, params)
        self._parser = XMLParser(remove_blank_text=True, **options)
        self._root: Any = None

    @property
    def xml(self) -> Any:
        """The root element.

        Raises:
            xml5tree.lxml.etree.DocumentError: there is none; it is an `lxml.etree.XMLSyntaxError`.
        """
        if self._root is None:
            self._root = fromstring(self.http_response.content, self._parser)
        return self._root

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the answer, once `xml` has been read."""
        log: ErrorLog = self._parser.error_log
        return log


class Sickle(sickle.Sickle):
    """`sickle.Sickle`, except that broken answers are read; ``oai_response`` of its iterators has an ``error_log``."""

    def __init__(self, endpoint: str, *arguments: Any, options: Options | None = None, **keywords: Any) -> None:
        """Set the address.

        Args:
            endpoint: the URL of the interface.
            *arguments: as for `sickle.Sickle`.
            options: those of `xml5tree.options.Settings`; None: none.
            **keywords: as for `sickle.Sickle`.

        Raises:
            TypeError, ValueError, LookupError: an option or a value of one that does not exist.
        """
        self._options: Options = options or {}
        XMLParser(**self._options)
        super().__init__(endpoint, *arguments, **keywords)

    def harvest(self, **parameters: Any) -> OAIResponse:
        """Ask the server; see `sickle.Sickle.harvest`."""
        response = super().harvest(**parameters)
        return OAIResponse(response.http_response, response.params, self._options)
