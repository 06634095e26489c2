"""feedparser (6.0.10 or later): `install` makes it read broken feeds.

feedparser takes the first parser of a list that `xml.sax` can make; this module is such a driver. A feed that it
refuses, because there is no tag for example, goes to feedparser's own loose parser, and ``bozo`` is set.
"""

from typing import Unpack

import feedparser.api

from xml5tree.options import Options
from xml5tree.sax import SAXParser

__all__ = ["create_parser", "install", "uninstall"]

#: The options of `install`.
_options: Options = {}


def install(**options: Unpack[Options]) -> None:
    """Make feedparser read all feeds with xml5tree, in this process and from now on.

    The options are those of `xml5tree.options.Settings`; `logger` and `on_error` report errors. A second call changes
    them. Raises `TypeError`, `ValueError` or `LookupError` for an option.
    """
    global _options
    SAXParser(**options)
    _options = options
    uninstall()
    feedparser.api.PREFERRED_XML_PARSERS.insert(0, __name__)


def uninstall() -> None:
    """Undo `install`."""
    if __name__ in feedparser.api.PREFERRED_XML_PARSERS:
        feedparser.api.PREFERRED_XML_PARSERS.remove(__name__)


def create_parser() -> SAXParser:
    """Return a parser with the options of `install`; `xml.sax` calls this."""
    return SAXParser(**_options)
