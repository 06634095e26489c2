"""Scrapy (2.11 or later): a downloader middleware, a spider mixin.

Both read the setting ``XML5TREE_OPTIONS``, a dictionary of options of `xml5tree.options.Settings`. They log one line
for each document with errors. The crawler's stats count ``xml5tree/documents``, ``xml5tree/documents/repaired``,
``xml5tree/documents/refused``, ``xml5tree/errors`` and ``xml5tree/errors/`` with each code.
"""

import logging
from typing import TYPE_CHECKING, Any, Final, Self, cast

from scrapy.http import Response, XmlResponse
from w3lib.encoding import http_content_type_encoding, read_bom

from xml5tree.errors.log import ParseError
from xml5tree.input.labels import find_encoding
from xml5tree.options import Options, when_pulled
from xml5tree.parser import Repairer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request

__all__ = ["FeedMixin", "RepairMiddleware"]

_logger: Final = logging.getLogger("xml5tree.scrapy")


class RepairMiddleware:
    """A downloader middleware that gives spiders well-formed XML.

    Its place in ``DOWNLOADER_MIDDLEWARES`` is below 590, where responses are unpacked.
    """

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        """Make the middleware for a crawler."""
        return cls(crawler)

    def process_response(self, request: "Request", response: Response, spider: Any = None) -> Response:
        """Return a repaired response for broken XML, and any other response unchanged."""
        if not isinstance(response, XmlResponse):
            return response
        return _repaired(response, self._crawler, _encoding(response))


class FeedMixin:
    """A mixin for `scrapy.spiders.XMLFeedSpider` that repairs feeds: ``class Spider(FeedMixin, XMLFeedSpider)``.

    It reads every response as XML, whatever its content type, and needs no middleware.
    """

    crawler: Any

    def adapt_response(self, response: Response) -> Response:
        """Return a repaired response; see `scrapy.spiders.XMLFeedSpider.adapt_response`."""
        encoding = _encoding(response)  # a copy has the one that Scrapy guesses
        if not isinstance(response, XmlResponse):
            response = response.replace(cls=XmlResponse)
        adapted: Response = super().adapt_response(_repaired(response, self.crawler, encoding))  # type: ignore[misc]
        return adapted


def _repaired(response: Response, crawler: Any, encoding: str | None) -> Response:
    """Return a response with repaired markup, or the response itself if it has no errors or no tree."""
    options = cast(Options, {"filename": response.url, **crawler.settings.getdict("XML5TREE_OPTIONS")})
    count = crawler.stats.inc_value
    count("xml5tree/documents")
    # A server may write anything for an encoding.
    known: Options = {} if encoding is None or find_encoding(encoding) is None else {"encoding": encoding}
    repairer = Repairer(output_encoding="utf-8", **known | when_pulled(options))
    try:
        markup = repairer.feed(response.body) + repairer.close()
    except ParseError as error:
        count("xml5tree/documents/refused")
        _logger.warning("%s", error)
        return response
    log = repairer.error_log
    if not log:
        return response
    count("xml5tree/documents/repaired")
    tallies = log.summary()
    for code, tally in tallies.items():
        count(f"xml5tree/errors/{code}", tally.number)
    count("xml5tree/errors", sum(tally.number for tally in tallies.values()))
    codes = ", ".join(f"{code} ({tally.number})" for code, tally in tallies.items())
    _logger.warning("%s: errors repaired, content is %s: %s", response.url, log.effect, codes)
    return response.replace(body=markup, encoding="utf-8")


def _encoding(response: Response) -> str | None:
    """Return the encoding known for a response, in Scrapy's order: its own, then HTTP's without a BOM."""
    own: str | None = getattr(response, "_encoding", None)  # `encoding` may be a guess
    if own is not None or read_bom(response.body)[0] is not None:
        return own
    content_type = response.headers.get("Content-Type") or b""
    named: str | None = http_content_type_encoding(content_type.decode("latin-1"))
    return named
