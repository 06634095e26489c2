"""feedparser: `install` makes it read broken feeds as if they were good ones; with feedparser 6.0.10 or later.

feedparser asks `xml.sax` for the first parser of a list that can be made. This module is such a parser: a driver with
the options of `install`. A feed that it refuses, for example because there is no tag, is read by feedparser's own
looser parser, and ``bozo`` is set.
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

    Its list of parsers gets a new first entry, and is as it was otherwise. A second call sets other options.

    Args:
        **options: see `xml5tree.options.Settings`; those about logging and `on_error` tell of the errors.

    Raises:
        TypeError, ValueError, LookupError: an option or a value of one that does not exist.
    """
    global _options
    SAXParser(**options)
    _options = options
    uninstall()
    feedparser.api.PREFERRED_XML_PARSERS.insert(0, __name__)


def uninstall() -> None:
    """Make feedparser read feeds with the parsers that it had."""
    if __name__ in feedparser.api.PREFERRED_XML_PARSERS:
        feedparser.api.PREFERRED_XML_PARSERS.remove(__name__)


def create_parser() -> SAXParser:
    """Return a parser with the options of `install`; `xml.sax` calls this."""
    return SAXParser(**_options)
