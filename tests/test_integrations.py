"""The doors for other libraries: what is broken comes out as it was meant, what is well-formed as ever."""

import asyncio
import copy
import dataclasses
import functools
import importlib
import importlib.util
import io
import json
import logging
import operator
import re
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from lxml import etree
from support.splits import chunks
from test_consumers import CREATORS, DC, FEED, GUIDS, LINK, TITLE, TITLES, compat

import xml5tree

GOOD = b"""\
<?xml version="1.0" encoding="iso-8859-1"?>
<!DOCTYPE r SYSTEM "r.dtd">
<?style a b?>
<r xmlns="urn:a" xmlns:b="urn:b" b:c="1" c="2"><!-- x -->caf\xe9 &amp; &#x20ac;<b:e xmlns:d="urn:d" d:f="g">h</b:e>
 <i xmlns="">j<k/><![CDATA[l < m]]></i>n<o p="q r"/></r>
"""
PLAIN = b"Service unavailable"


def test_nothing_imports_a_door():
    doors = {path.stem for path in (Path(xml5tree.__file__).parent / "integrations").glob("[a-z]*.py")}
    assert doors
    code = f"""if True:
        import pkgutil, sys
        import xml5tree, xml5tree.ElementTree, xml5tree.sax, xml5tree.lxml.etree, xml5tree.integrations
        xml5tree.fromstring("<a>", backend="lxml")
        assert not [name for name in {doors} if f"xml5tree.integrations.{{name}}" in sys.modules]
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


class TestSoup:
    @pytest.fixture(autouse=True)
    def door(self):
        self.bs4 = compat("bs4")
        importlib.import_module("xml5tree.integrations.soup")

    @pytest.mark.parametrize("feature", ["xml5", "xml5-lxml"])
    def test_broken(self, feature):
        soup = self.bs4.BeautifulSoup(FEED, feature)
        assert soup.channel.title.string == TITLE
        assert soup.link.string == LINK
        assert [item.title.string for item in soup.find_all("item")] == TITLES
        assert [creator.string for creator in soup.find_all("dc:creator")] == CREATORS
        assert "unquoted-attribute-value" in [entry.code for entry in soup.builder.error_log]
        assert soup.is_xml

    def test_other_features_are_what_they_were(self):
        assert type(self.bs4.BeautifulSoup("<a/>", "xml").builder).__name__ == "LXMLTreeBuilderForXML"
        assert not self.bs4.BeautifulSoup("<a/>", "html.parser").is_xml

    @pytest.mark.parametrize("document", [GOOD, GOOD.decode("latin-1"), b"<a/>", "\ufeff<a>b</a>"])
    def test_well_formed(self, document):
        ours = self.bs4.BeautifulSoup(document, "xml5")
        native = self.bs4.BeautifulSoup(document, "xml")
        assert str(ours) == str(native)
        assert [tag.namespace for tag in ours.find_all(True)] == [tag.namespace for tag in native.find_all(True)]
        assert not ours.builder.error_log

    def test_options(self):
        soup = self.bs4.BeautifulSoup(
            "<a>&x;<b c='d e'/>", "xml5", entities={"x": "y"}, multi_valued_attributes={"*": "c"}
        )
        assert soup.a.contents[0] == "y"
        assert soup.b["c"] == ["d", "e"]
        with pytest.raises(ValueError, match="recovery"):
            self.bs4.BeautifulSoup("<a>", "xml5", recovery="nope")

    def test_encodings(self):
        document = "<a>é</a>".encode("cp1252")
        assert self.bs4.BeautifulSoup(document, "xml5", from_encoding="windows-1252").a.string == "é"
        with pytest.raises(self.bs4.builder.ParserRejectedMarkup, match="nope"):
            self.bs4.BeautifulSoup(document, "xml5", from_encoding="nope")

    def test_without_a_tree(self):
        with pytest.raises(self.bs4.builder.ParserRejectedMarkup, match="no root element"):
            self.bs4.BeautifulSoup(PLAIN, "xml5")
        assert list(self.bs4.BeautifulSoup(" \n", "xml5")) == []

    def test_copies(self):
        soup = self.bs4.BeautifulSoup(FEED, "xml5")
        count = len(soup.builder.error_log)
        assert str(copy.copy(soup)) == str(soup)
        assert len(soup.builder.error_log) == count > 0


class TestParsel:
    @pytest.fixture(autouse=True)
    def door(self):
        self.parsel = compat("parsel")
        from xml5tree.integrations.parsel import Selector

        self.Selector = Selector

    @pytest.mark.parametrize("document", [{"body": FEED}, {"text": FEED.decode()}])
    def test_broken(self, document):
        selector = self.Selector(**document)
        assert selector.xpath("/rss/@version").get() == "2.0"
        assert selector.css("channel > link::text").get() == LINK
        assert selector.css("item").xpath("title/text()").getall() == TITLES
        assert "unquoted-attribute-value" in [entry.code for entry in selector.error_log]
        assert not selector.css("item")[0].error_log

    def test_well_formed(self):
        selector = self.Selector(body=GOOD, namespaces={"a": "urn:a"})
        assert selector.xpath("/a:r/a:o/@p").get() == "q r"
        assert etree.tostring(selector.root) == etree.tostring(etree.fromstring(GOOD))
        assert not selector.error_log

    @pytest.mark.parametrize("document", ["<a>Привет</a>", "<a>Привет", '<?xml version="1.0"?><a b=1>Привет</a>'])
    def test_encoding(self, document):
        """It overrules what the document has, as in parsel; not for text, nor the options."""
        for encoding in ("cp1251", "koi8-r", "utf-16-le", "utf-8"):
            body = document.encode(encoding)
            assert self.Selector(body=body, encoding=encoding).xpath("string()").get() == "Привет"
            assert self.Selector(document, encoding=encoding).xpath("string()").get() == "Привет"
            options = {"encoding": encoding}
            assert self.Selector(body=body, encoding="ascii", options=options).xpath("string()").get() == "Привет"
        with pytest.raises(LookupError):
            self.Selector(body=b"<a/>", encoding="nope")

    def test_refused(self):
        with pytest.raises(xml5tree.ParseError, match="no root element"):
            self.Selector(body=PLAIN)
        with pytest.raises(TypeError):
            self.Selector("<a/>", options={"nope": 1})
        with pytest.raises(ValueError, match="root"):
            self.Selector()
        with pytest.raises(xml5tree.ParseError, match="empty"):
            self.Selector("", options={"recovery": "strict"})
        assert self.Selector("<a>&x;", options={"entities": {"x": "y"}}).xpath("string()").get() == "y"

    @pytest.mark.parametrize("kind", [{}, {"type": "xml"}, {"type": "html"}])
    @pytest.mark.parametrize("blank", ["", " \n"])
    def test_blank(self, blank, kind):
        """As parsel has it, which for `body` refuses no bytes at all."""
        expected = self.parsel.Selector(text=blank, **({"type": "xml"} | kind)).get()
        assert expected in {"<html/>", "<html></html>"}
        for document in ({"text": blank}, {"body": blank.encode()}):
            selector = self.Selector(**document, **kind)
            assert selector.get() == expected
            assert selector.css("item").getall() == []


class Stats(dict):
    """The part of Scrapy's stats collector that is used."""

    def inc_value(self, key, count=1, start=0, spider=None):
        self[key] = self.get(key, start) + count


class TestScrapy:
    @pytest.fixture(autouse=True)
    def door(self):
        compat("scrapy")
        from scrapy.http import Request, Response, TextResponse, XmlResponse
        from scrapy.settings import Settings

        from xml5tree.integrations.scrapy import FeedMixin, RepairMiddleware

        self.FeedMixin = FeedMixin
        self.Response, self.TextResponse, self.XmlResponse = Response, TextResponse, XmlResponse
        self.request = Request("https://example.org/feed.xml")
        self.crawler = type("Crawler", (), {})()
        self.crawler.stats = Stats()
        self.crawler.settings = Settings()
        self.middleware = RepairMiddleware.from_crawler(self.crawler)

    def response(self, body, cls=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return (cls or self.XmlResponse)(self.request.url, body=body, headers=headers)

    def test_broken(self, caplog):
        with caplog.at_level(logging.WARNING, "xml5tree.scrapy"):
            response = self.middleware.process_response(self.request, self.response(FEED))
        assert isinstance(response, self.XmlResponse)
        assert response.xpath("//item/title/text()").getall() == TITLES
        assert response.xpath("//dc:creator/text()", namespaces=DC).getall() == CREATORS
        stats = self.crawler.stats
        assert (stats["xml5tree/documents"], stats["xml5tree/documents/repaired"]) == (1, 1)
        counts = [number for name, number in stats.items() if name.startswith("xml5tree/errors/")]
        assert sum(counts) == stats["xml5tree/errors"] > 0
        assert "https://example.org/feed.xml: errors repaired" in caplog.text
        assert "unquoted-attribute-value (1)" in caplog.text

    @pytest.mark.parametrize("body", [GOOD, b"<a/>"])
    def test_well_formed(self, body):
        response = self.response(body)
        assert self.middleware.process_response(self.request, response) is response
        assert self.crawler.stats == {"xml5tree/documents": 1}

    def test_what_is_no_xml(self, caplog):
        response = self.response(b"<p>1 & 2", self.TextResponse)
        assert self.middleware.process_response(self.request, response) is response
        response = self.response(PLAIN)
        assert self.middleware.process_response(self.request, response) is response
        assert self.crawler.stats == {"xml5tree/documents": 1, "xml5tree/documents/refused": 1}
        assert "no root element" in caplog.text

    @pytest.mark.parametrize(
        ("body", "content_type", "text"),
        [
            ("<a>é & ü".encode("cp1252"), "text/xml; charset=windows-1252", "é & ü"),
            ("<a>é & ü".encode(), "text/xml; charset=nope", "é & ü"),
            ("<a>é & ü".encode("utf-8-sig"), "text/xml; charset=windows-1252", "é & ü"),
            (b'<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9 & \xfc', "text/xml", "é & ü"),
        ],
    )
    def test_encodings(self, body, content_type, text):
        response = self.response(body, Content_Type=content_type)
        response = self.middleware.process_response(self.request, response)
        assert response.xpath("string()").get() == text

    @pytest.mark.parametrize("body", ["<a>Привет</a>", "<a>Привет", "\ufeff<a>Привет"])
    @pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "utf-8"])
    def test_encoding_of_the_response(self, body, encoding):
        """That which somebody has set goes before every other, and what Scrapy guesses does not count."""
        if encoding != "utf-8" and body[0] == "\ufeff":
            return
        headers = {"Content-Type": "text/xml; charset=ascii"}
        response = self.XmlResponse(self.request.url, body=body.encode(encoding), headers=headers, encoding=encoding)
        repaired = self.middleware.process_response(self.request, response)
        assert repaired.xpath("string()").get() == "Привет"
        mixin = type("Mixin", (self.FeedMixin, type("Spider", (), {"adapt_response": lambda self, it: it})), {})()
        mixin.crawler = self.crawler
        assert mixin.adapt_response(response).xpath("string()").get() == "Привет"
        for cls in (self.Response, self.TextResponse, self.XmlResponse):
            guessed = self.response(body.encode(), cls, Content_Type="text/html")
            assert mixin.adapt_response(guessed).xpath("string()").get() == "Привет"

    def test_setting(self):
        broken = b"<r><i>1<i>2</i><i>3</i></r>"
        for recovery, found in {"draft": 3, "intent": 3}.items():
            self.crawler.settings.set("XML5TREE_OPTIONS", json.dumps({"recovery": recovery}))
            response = self.middleware.process_response(self.request, self.response(broken))
            assert len(response.xpath("//i")) == found
            assert len(response.xpath("/r/i")) == (3 if recovery == "intent" else 1)

    @pytest.mark.parametrize("iterator", ["iternodes", "xml"])
    @pytest.mark.parametrize("is_xml", [True, False])
    def test_feed_spider(self, iterator, is_xml):
        from scrapy.spiders import XMLFeedSpider

        class Spider(self.FeedMixin, XMLFeedSpider):
            name = "feed"
            namespaces = tuple(DC.items())

            def parse_node(self, response, selector):
                return {"title": selector.xpath("title/text()").get(), "by": selector.xpath("dc:creator/text()").get()}

        Spider.iterator = iterator
        self.crawler.settings.set("XML5TREE_OPTIONS", {"recovery": "intent"})
        spider = Spider()
        spider.crawler = self.crawler
        items = list(spider._parse(self.response(FEED, self.XmlResponse if is_xml else self.Response)))
        assert items == [{"title": title, "by": by} for title, by in zip(TITLES, CREATORS, strict=True)]
        assert self.crawler.stats["xml5tree/documents/repaired"] == 1

    def test_a_crawl(self, tmp_path):
        """Scrapy calls the middleware, with the settings of a spider."""
        (tmp_path / "feed.xml").write_bytes(FEED)
        (tmp_path / "spider.py").write_text(f"""if True:
            import scrapy
            from scrapy.http import XmlResponse

            class Spider(scrapy.Spider):
                name = "feed"
                start_urls = ["file://{tmp_path}/feed.xml"]
                custom_settings = {{
                    "DOWNLOADER_MIDDLEWARES": {{"xml5tree.integrations.scrapy.RepairMiddleware": 585}},
                    "XML5TREE_OPTIONS": {{"recovery": "intent"}},
                }}

                def parse(self, response):
                    yield {{"titles": response.xpath("//item/title/text()").getall()}}
        """)
        command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-o", "items.json"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
        assert json.loads((tmp_path / "items.json").read_text("utf-8")) == [{"titles": TITLES}], done.stderr
        assert "'xml5tree/documents/repaired': 1" in done.stderr


@dataclasses.dataclass
class Item:
    class Meta:
        name = "item"

    title: str | None = dataclasses.field(default=None, metadata={"type": "Element"})
    guid: int | None = dataclasses.field(default=None, metadata={"type": "Element"})


@dataclasses.dataclass
class Channel:
    class Meta:
        name = "channel"

    name: str | None = dataclasses.field(default=None, metadata={"type": "Attribute"})
    item: list[Item] = dataclasses.field(default_factory=list, metadata={"type": "Element"})


@dataclasses.dataclass
class Mixed:
    class Meta:
        name = "p"

    content: list[object] = dataclasses.field(
        default_factory=list, metadata={"type": "Wildcard", "namespace": "##any", "mixed": True}
    )


@dataclasses.dataclass
class Wild(Mixed):
    class Meta:
        name = "p"
        namespace = "urn:a"

    attributes: dict[str, str] = dataclasses.field(
        default_factory=dict, metadata={"type": "Attributes", "namespace": "##any"}
    )


class TestXsdata:
    @pytest.fixture(autouse=True)
    def door(self):
        compat("xsdata")
        from xsdata.formats.dataclass.parsers import XmlParser

        from xml5tree.integrations.xsdata import XML5Handler

        self.Handler = XML5Handler
        self.XmlParser = XmlParser
        self.parser = XmlParser(handler=XML5Handler)

    def test_broken(self):
        document = (
            "<channel name=a&b><item><title>First: 5 < 6</title><guid>1</guid></item><item><title>Two</title><guid>2"
        )
        channel = self.parser.from_string(document, Channel)
        assert channel.name == "a&b"
        assert [(item.title, item.guid) for item in channel.item] == [("First: 5 < 6", 1), ("Two", 2)]
        assert self.parser.error_log.truncated

    @pytest.mark.parametrize("size", [3, 30_000])
    def test_well_formed(self, size, tmp_path):
        path = tmp_path / "document.xml"
        path.write_text(f"<p>1<!-- a -->2<b>{'3' * size}</b>4<?a b?>5<c/>{'6' * size}<d/>7</p>", "utf-8")
        first, b, c, d = self.parser.from_path(path, Mixed).content
        assert (first, b.text, b.tail) == ("12", "3" * size, "45")
        assert (c.tail, d.tail) == ("6" * size, "7")
        assert not self.parser.error_log

    def test_as_the_standard_library(self):
        from xsdata.formats.dataclass.parsers.handlers import XmlEventHandler

        document = GOOD.replace(b"<r ", b"<p ").replace(b"</r>", b"</p>")
        native = self.XmlParser(handler=XmlEventHandler)
        assert self.parser.from_bytes(document, Wild) == native.from_bytes(document, Wild)
        assert self.parser.ns_map == native.ns_map

    def test_trees(self):
        root = xml5tree.fromstring("<channel name=x>")
        assert self.parser.parse(root, Channel).name == "x"

    def test_options(self):
        class Handler(self.Handler):
            options: ClassVar = {"entities": {"x": "y"}}

        assert self.XmlParser(handler=Handler).from_string("<channel name='&x;'>", Channel).name == "y"

    def test_refused(self):
        from xsdata.exceptions import ParserError

        with pytest.raises(ParserError, match="no root element"):
            self.parser.from_bytes(PLAIN, Channel)


class TestFeedparser:
    @pytest.fixture(autouse=True)
    def door(self, monkeypatch):
        self.feedparser = compat("feedparser")
        from xml5tree.integrations import feedparser as door

        monkeypatch.setattr("feedparser.api.PREFERRED_XML_PARSERS", ["other"])
        self.door = door
        yield
        door.uninstall()

    def parsers(self):
        return self.feedparser.api.PREFERRED_XML_PARSERS

    def test_broken(self):
        self.door.install()
        result = self.feedparser.parse(io.BytesIO(FEED))
        assert not result.bozo
        assert (result.version, result.feed.title, result.feed.link) == ("rss20", TITLE, LINK)
        assert [entry.title for entry in result.entries] == TITLES
        assert [int(entry.id) for entry in result.entries] == GUIDS

    def test_install(self):
        for _ in range(2):
            self.door.install()
            assert self.parsers() == ["xml5tree.integrations.feedparser", "other"]
        for _ in range(2):
            self.door.uninstall()
            assert self.parsers() == ["other"]
        assert self.feedparser.parse(io.BytesIO(FEED)).bozo

    def test_options(self, caplog):
        told = []
        self.door.install(on_error=told.append, logger="feeds")
        self.feedparser.parse(io.BytesIO(FEED))
        assert "unescaped-ampersand" in {entry.code for entry in told}
        assert caplog.records
        with pytest.raises(TypeError, match="unknown option"):
            self.door.install(nope=1)

    @pytest.mark.parametrize("between", [b"", b"\n", b"<?xml version='1.0'?>", b"junk", b"<!-- x -->"])
    def test_several_feeds(self, between):
        """The entries of all are there."""
        self.door.install()
        for feed in (FEED, FEED.rstrip() + b"</channel></rss>"):
            result = self.feedparser.parse(io.BytesIO(feed + between + feed))
            assert [entry.title for entry in result.entries] == TITLES * 2
            assert not result.bozo
        self.door.install(dialect="microxml")  # which has no such option
        self.door.install(roots="first")
        assert len(self.feedparser.parse(io.BytesIO(FEED + FEED)).entries) < len(TITLES * 2)

    def test_one_feed_among_all(self):
        """That others are looked for has no effect on one."""
        good = b"<rss version='2.0'><channel><title>T</title><item><title>a</title></item></channel></rss>"
        expected = self.feedparser.parse(io.BytesIO(good))
        self.door.install()
        assert self.feedparser.parse(io.BytesIO(good)) == expected

    def test_log(self):
        """Each result has its own, which is no item of the dictionary."""
        self.door.install()
        broken = self.feedparser.parse(io.BytesIO(FEED))
        good = self.feedparser.parse(io.BytesIO(b"<rss version='2.0'><channel/></rss>"))
        assert "unescaped-ampersand" in {entry.code for entry in broken.feed.error_log}
        assert good.feed.error_log == []
        assert "error_log" not in broken.feed

    def test_fall_back(self):
        self.door.install()
        result = self.feedparser.parse(io.BytesIO(PLAIN))
        assert result.bozo
        assert result.entries == []

    def test_listparser(self):
        listparser = compat("listparser")
        broken = b'<opml version=1.1><body><outline type=rss text="A & B" xmlUrl="http://example.org/?a=1&copy=2">'
        result = listparser.parse(xml5tree.repair(broken))
        assert [(feed.title, feed.url) for feed in result.feeds] == [("A & B", "http://example.org/?a=1&copy=2")]


class TestSickle:
    @pytest.fixture(autouse=True)
    def door(self, monkeypatch):
        compat("sickle")
        from xml5tree.integrations.sickle import Sickle

        self.Sickle = Sickle
        self.answers = []
        self.headers = {}
        monkeypatch.setattr("sickle.app.requests.get", lambda url, params, **others: self.answer(params))

    def answer(self, params):
        import requests

        response = requests.Response()
        response.status_code = 200
        response._content = self.answers.pop(0)
        response.headers.update(self.headers)
        return response

    def record(self, number, rest=""):
        return f"""<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record>
            <header><identifier>oai:{number}</identifier><datestamp>2020</datestamp></header>
            <metadata><oai_dc:dc><dc:title>Fish & chips {number}</dc:title></oai_dc:dc></metadata></record>
            {rest}""".encode()

    def test_broken(self):
        token = "<resumptionToken>go on</resumptionToken></ListRecords></OAI-PMH>"
        self.answers = [self.record(1, token), self.record(2)]
        records = self.Sickle("https://example.org/oai").ListRecords(metadataPrefix="oai_dc")
        found = list(records)
        assert [record.header.identifier for record in found] == ["oai:1", "oai:2"]
        assert [record.metadata["title"] for record in found] == [["Fish & chips 1"], ["Fish & chips 2"]]
        assert records.oai_response.error_log.truncated

    @pytest.mark.parametrize("document", ["<a>Привет</a>", "<a>Привет"])
    def test_encodings(self, document):
        """That of the client goes before that of the server, unless there is no such one, and before the document's."""
        for encoding, known, named in (
            *[("cp1251", "cp1251", "koi8-r"), ("cp1251", None, "cp1251"), ("utf-8", None, "nope")],
            *[("utf-8-sig", None, "cp1251"), ("utf-8", None, None), ("utf-8", "nope", None)],
        ):
            self.answers = [document.encode(encoding)]
            self.headers = {} if named is None else {"Content-Type": f"text/xml; charset={named}"}
            assert self.Sickle("https://example.org/oai", encoding=known).harvest(verb="Identify").xml.text == "Привет"

    def test_options(self):
        self.answers = [b"<a>&x;</a>"]
        client = self.Sickle("https://example.org/oai", options={"entities": {"x": "y"}}, timeout=1)
        assert client.harvest(verb="Identify").xml.text == "y"
        with pytest.raises(TypeError, match="nope"):
            self.Sickle("https://example.org/oai", options={"nope": 1})

    def test_refused(self):
        self.answers = [PLAIN]
        with pytest.raises(etree.XMLSyntaxError, match="no root element"):
            self.Sickle("https://example.org/oai").ListRecords(metadataPrefix="oai_dc")


def test_ebooklib(monkeypatch):
    """Its chapters and package are parsed by functions that look `etree` up in their module."""
    compat("ebooklib")
    import ebooklib.utils

    from xml5tree.lxml import etree as ours

    monkeypatch.setattr(ebooklib.utils, "etree", ours)
    tree = ebooklib.utils.parse_string(b"<package><metadata><title>R&D</title><creator>A</metadata></package>")
    assert tree.xpath("string(//title)") == "R&D"


def test_python_docx(monkeypatch):
    compat("docx")
    import docx.oxml.parser

    from xml5tree.lxml import etree as ours

    monkeypatch.setattr(docx.oxml.parser, "etree", ours)
    document = (
        b'<w:p xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:r><w:t>R&D</w:t></w:r></w:p>'
    )
    assert docx.oxml.parser.parse_xml(document).text == "R&D"


def test_all_libraries_are_there():
    """Say it loudly where some of the tests above did nothing."""
    names = [
        "bs4",
        "docx",
        "ebooklib",
        "feedparser",
        "langchain_core",
        "listparser",
        "mcp",
        "openai",
        "parsel",
        "scrapy",
        "sickle",
        "xsdata",
    ]
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"integrations were NOT TESTED with {', '.join(missing)}: the extra 'compat' is not installed")


class TestLangchain:
    TEXT = """Let me see.
<tool_call>
<function=search>
<parameter=query>
a < b && c
</parameter>
<parameter=limit>
3
</parameter>
</function>
</tool_call>
Done."""
    SCHEMA: ClassVar = {
        "search": {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}
    }

    @pytest.fixture(autouse=True)
    def door(self):
        compat("langchain_core")
        from xml5tree.integrations.langchain import ToolCallParser

        self.parser = ToolCallParser(format="qwen3-coder", tools=self.SCHEMA)

    def calls(self, message):
        return [(call["name"], call["args"]) for call in message.tool_calls]

    def test_message(self):
        message = self.parser.invoke(self.TEXT)
        assert self.calls(message) == [("search", {"query": "a < b && c", "limit": 3})]
        assert message.content.split() == ["Let", "me", "see.", "Done."]
        assert message.invalid_tool_calls == []

    def added_up(self, parser, stream):
        """Return the sum of a stream's chunks."""
        return functools.reduce(operator.add, parser.transform(iter(stream)))

    @pytest.mark.parametrize("size", [1, 7, 1000])
    def test_stream(self, size):
        from langchain_core.messages import AIMessageChunk

        parts = [*chunks(self.TEXT, size)]
        blocks = [AIMessageChunk(content=[{"type": "text", "text": part}]) for part in parts]
        for stream in (parts, [AIMessageChunk(content=part) for part in parts], blocks):
            message = self.added_up(self.parser, stream)
            whole = self.parser.parse(self.TEXT)
            assert message.content == whole.content
            assert self.calls(message) == self.calls(whole)
            assert message.invalid_tool_calls == []

    def test_behind_a_model_that_streams(self):
        from langchain_core.language_models import GenericFakeChatModel
        from langchain_core.messages import AIMessage

        async def streamed(chain):
            return [chunk async for chunk in chain.astream("x")]

        for stream in (lambda chain: [*chain.stream("x")], lambda chain: asyncio.run(streamed(chain))):
            model = GenericFakeChatModel(messages=iter([AIMessage(content=self.TEXT)]))
            found = stream(model | self.parser)
            named = [part["name"] for chunk in found for part in chunk.tool_call_chunks if part["name"]]
            assert named == ["search"]
            assert len([chunk for chunk in found if chunk.tool_call_chunks]) > 5
            message = functools.reduce(operator.add, found)
            assert self.calls(message) == self.calls(self.parser.parse(self.TEXT))
            assert message.content == self.parser.parse(self.TEXT).content

    def test_tools_of_langchain(self):
        from langchain_core.tools import tool

        from xml5tree.integrations.langchain import ToolCallParser

        @tool
        def search(query: str, limit: int) -> str:
            """Search."""
            return f"{query} {limit + 1}"

        parser = ToolCallParser(format="qwen3-coder", tools=[search])
        for message in (parser.parse(self.TEXT), self.added_up(parser, self.TEXT)):
            [call] = message.tool_calls
            assert search.invoke(call).content == "a < b && c 4"

    def test_options(self):
        from xml5tree.integrations.langchain import ToolCallParser

        parser = ToolCallParser(format="qwen3-coder", options={"thinking": "think"})
        text = f"<think>Why {self.TEXT}</think>{self.TEXT}"
        for message in (parser.parse(text), self.added_up(parser, text)):
            assert message.additional_kwargs == {"reasoning_content": f"Why {self.TEXT}"}
            assert len(message.tool_calls) == 1

    #: A format, an output with one call that is not to be executed, the call in it, and why.
    INVALID: ClassVar = {
        "cut off": ("qwen3-coder", "a <function=f>\n<parameter=x>\n1 && ", "<function=.*", "the call is cut off"),
        "cut off in a tag": ("claude", 'a <invoke name="f"', "<invoke.*", "the call is cut off"),
        "cut off in JSON": ("hermes", '<tool_call>{"name": "f", "argu', ".*", "the call is cut off"),
        "no JSON": ("hermes", '<tool_call>{"name": "f", "x": }</tool_call> b', ".*>", "the call is not valid JSON"),
        "no name": ("claude", "a <invoke></invoke>", "<.*", "the call has no name; the empty name was assumed"),
        "an attribute": ("claude", 'a <invoke name="f" x="1"/> b', "<.*>", "attribute 'x' .* was dropped: .*"),
        "text": ("claude", '<invoke name="f">x: 1</invoke>', ".*", "text of the call .* was moved .*"),
        "an end tag": (
            "claude",
            '<invoke name="f"><parameter name="x">1<parameter name="y">2</parameter></invoke>',
            ".*",
            "'<parameter name=\"y\">' in argument 'x' .* may be missing",
        ),
    }

    @pytest.mark.parametrize("name", INVALID)
    def test_calls_that_are_not_to_be_executed_are_invalid(self, name):
        from xml5tree.integrations.langchain import ToolCallParser

        preset, text, source, reason = self.INVALID[name]
        parser = ToolCallParser(format=preset)
        whole = parser.parse(text)
        [call] = whole.invalid_tool_calls
        assert call["name"] == ("" if name == "no name" else "f")
        assert call["args"] == re.search(source, text, re.DOTALL)[0]
        assert re.fullmatch(reason, call["error"])
        for message in (whole, *[self.added_up(parser, chunks(text, size)) for size in (1, 7, 1000)]):
            assert message.tool_calls == []
            [call] = message.invalid_tool_calls
            assert (call["name"] or "") == ("" if name == "no name" else "f")
            assert message.response_metadata == {"faults": {call["id"]: whole.invalid_tool_calls[0]["error"]}}

    def test_an_error_that_shows_after_the_call(self):
        """The stream has given the call before."""
        from xml5tree.integrations.langchain import ToolCallParser

        parser = ToolCallParser(format="claude")
        call = '<invoke name="f"><parameter name="x">see </parameter></invoke>'
        text = f"{call} in docs</parameter></invoke> {call}"
        for message in (parser.parse(text), *[self.added_up(parser, chunks(text, size)) for size in (1, 7, 1000)]):
            assert self.calls(message) == [("f", {"x": "see "})]
            [late] = message.invalid_tool_calls
            assert late["id"] != message.tool_calls[0]["id"]
            [reason] = parser.parse(text).response_metadata["faults"].values()
            assert message.response_metadata == {"faults": {late["id"]: reason}}

    TOOLS_OF_MODEL: ClassVar = {
        "search": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["query"],
        }
    }

    def test_what_a_message_has_besides_its_content_is_kept(self):
        from langchain_core.messages import AIMessage, AIMessageChunk

        native = {"name": "now", "args": {}, "id": "call_1", "type": "tool_call"}
        usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
        found = {"id": "run-1", "usage_metadata": usage, "response_metadata": {"model": "m"}}
        message = self.parser.invoke(
            AIMessage(content=self.TEXT, tool_calls=[native], additional_kwargs={"refusal": None}, **found)
        )
        assert (message.id, message.usage_metadata, message.response_metadata) == tuple(found.values())
        assert message.additional_kwargs == {"refusal": None}
        assert [call["name"] for call in message.tool_calls] == ["now", "search"]
        chunk = {"name": "now", "args": "{}", "id": "call_1", "index": 0}
        parts = [
            AIMessageChunk(content=self.TEXT[:40], tool_call_chunks=[chunk], id="run-1"),
            AIMessageChunk(content=self.TEXT[40:], **found),
        ]
        whole = self.added_up(self.parser, parts)
        assert (whole.id, whole.usage_metadata, whole.response_metadata) == tuple(found.values())
        assert [call["name"] for call in whole.tool_calls] == ["now", "search"]

    @pytest.mark.parametrize("size", [1, 7, 1000])
    def test_arguments_in_parts(self, size):
        from xml5tree.integrations.langchain import ToolCallParser

        parser = ToolCallParser(format="qwen3-coder", tools=self.TOOLS_OF_MODEL)
        query = 'a "b" < c\\ \u00e4' * 9
        call = "<function=search><parameter=query>{}</parameter><parameter=limit>3</parameter></function>"
        text = f"So: {call.format(query)} and {call.format('x')[:-11]}"
        found = list(parser.transform(iter(chunks(text, size))))
        parts = [part["args"] for chunk in found for part in chunk.tool_call_chunks]
        assert size > 7 or len(parts) > 9
        message = functools.reduce(operator.add, found)
        assert self.calls(message) == [("search", {"query": query, "limit": 3})]
        assert [call["name"] for call in message.invalid_tool_calls] == ["search"]

    def test_unknown_format(self):
        from xml5tree.integrations.langchain import ToolCallParser

        with pytest.raises(ValueError, match="format must be one of"):
            ToolCallParser(format="nope").parse("text")
