"""Libraries that read XML, each with a broken document in and the right data out."""

import io
import xml.dom.minidom
import xml.dom.pulldom
import xml.etree.ElementTree as ET
import xml.sax

import pytest
from lxml import etree, objectify

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.sax
from xml5tree import streaming

#: An attribute value without quotes, a raw ampersand, an entity and a prefix that are not declared, a control character
#: and a missing end tag.
FEED = b"""\
<?xml version="1.0"?>
<rss version=2.0>
<channel>
<title>Tom & Jerry's&nbsp;News</title>
<link>http://example.org/?a=1&copy=2</link>
<item><title>First: 5 < 6</title><dc:creator>Ann</dc:creator><guid>1</guid></item>
<item><title>Sec\x08ond</title><dc:creator>Bob</dc:creator><guid>2</item>
<item><title>Third</title><dc:creator>Eve</dc:creator><guid>3</guid></item>
</channel>
</rss>
"""
DC = {"dc": "http://purl.org/dc/elements/1.1/"}

#: What is in it, and what the libraries below are to find.
TITLE = "Tom & Jerry's\xa0News"
LINK = "http://example.org/?a=1&copy=2"
TITLES = ["First: 5 < 6", "Sec\ufffdond", "Third"]
CREATORS = ["Ann", "Bob", "Eve"]
GUIDS = [1, 2, 3]


def compat(name):
    """An optional library of the extra `compat`."""
    return pytest.importorskip(name, reason=f"{name} is not installed; it is in the extra 'compat'")


def broken():
    return io.BytesIO(FEED)


def repaired():
    return streaming.open(broken())


def test_the_feed_is_broken():
    with pytest.raises(ET.ParseError):
        ET.fromstring(FEED)
    with pytest.raises(etree.XMLSyntaxError):
        etree.fromstring(FEED)


@pytest.mark.parametrize("as_file", [False, True])
def test_beautiful_soup(as_file):
    bs4 = compat("bs4")
    soup = bs4.BeautifulSoup(repaired() if as_file else xml5tree.repair(FEED), "xml")
    assert soup.channel.title.string == TITLE
    assert soup.link.string == LINK
    assert [item.title.string for item in soup.find_all("item")] == TITLES
    assert [creator.string for creator in soup.find_all("dc:creator")] == CREATORS


def test_parsel():
    parsel = compat("parsel")
    selector = parsel.Selector(root=xml5tree.fromstring(FEED, backend="lxml"), type="xml")
    assert selector.xpath("/rss/@version").get() == "2.0"
    assert selector.css("channel > link::text").get() == LINK
    assert selector.xpath("//item/title/text()").getall() == TITLES
    assert selector.xpath("//dc:creator/text()", namespaces=DC).getall() == CREATORS


@pytest.mark.parametrize(("parser", "xpath"), [("lxml", "//item"), ("etree", ".//item")])
def test_pandas(parser, xpath, tmp_path):
    pandas = compat("pandas")
    for source in (repaired(), io.BytesIO(xml5tree.repair(FEED))):
        frame = pandas.read_xml(source, xpath=xpath, parser=parser)
        assert frame["title"].tolist() == TITLES
        assert frame["creator"].tolist() == CREATORS
        assert frame["guid"].tolist() == GUIDS
    path = tmp_path / "feed.xml"  # this way of pandas takes nothing but a path
    path.write_bytes(xml5tree.repair(FEED))
    frame = pandas.read_xml(path, iterparse={"item": ["title", "guid"]}, parser=parser)
    assert frame["title"].tolist() == TITLES


def test_feedparser(monkeypatch):
    feedparser = compat("feedparser")
    monkeypatch.setattr("feedparser.api.PREFERRED_XML_PARSERS", [])
    assert feedparser.parse(broken()).bozo
    monkeypatch.setattr("feedparser.api.PREFERRED_XML_PARSERS", ["xml5tree.sax"])
    result = feedparser.parse(broken())
    assert not result.bozo
    assert result.version == "rss20"
    assert (result.feed.title, result.feed.link) == (TITLE, LINK)
    assert [entry.title for entry in result.entries] == TITLES
    assert [entry.author for entry in result.entries] == CREATORS
    assert [entry.id for entry in result.entries] == ["1", "2", "3"]


def test_feedparser_and_an_atom_feed_cut_short(monkeypatch):
    feedparser = compat("feedparser")
    monkeypatch.setattr("feedparser.api.PREFERRED_XML_PARSERS", ["xml5tree.sax"])
    result = feedparser.parse(
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>1 & 2</title><media:thumbnail url=a.png /></entry>'
        b'<entry><title type="html">&lt;b>3&lt;/b></title><content type="xhtml"><div>4'
    )
    assert not result.bozo
    assert [entry.title for entry in result.entries] == ["1 & 2", "<b>3</b>"]
    assert result.entries[0].media_thumbnail == [{"url": "a.png"}]
    assert "4" in result.entries[1].content[0].value


def test_feedparser_and_what_is_no_feed(monkeypatch):
    feedparser = compat("feedparser")
    monkeypatch.setattr("feedparser.api.PREFERRED_XML_PARSERS", ["xml5tree.sax"])
    result = feedparser.parse(io.BytesIO(b"Service unavailable"))
    assert result.bozo
    assert isinstance(result.bozo_exception, xml.sax.SAXParseException)


@pytest.mark.parametrize("as_file", [False, True])
def test_xmltodict(as_file):
    xmltodict = compat("xmltodict")
    channel = xmltodict.parse(repaired() if as_file else xml5tree.repair(FEED))["rss"]["channel"]
    assert (channel["title"], channel["link"]) == (TITLE, LINK)
    assert [item["title"] for item in channel["item"]] == TITLES
    assert [item["dc:creator"] for item in channel["item"]] == CREATORS


def minidom_parse():
    return xml.dom.minidom.parse(repaired())


def minidom_parse_with_parser():
    return xml.dom.minidom.parse(broken(), parser=xml5tree.sax.create_parser())


def minidom_parse_string():
    return xml.dom.minidom.parseString(xml5tree.repair(FEED))


@pytest.mark.parametrize("parse", [minidom_parse, minidom_parse_with_parser, minidom_parse_string])
def test_minidom(parse):
    document = parse()
    assert document.documentElement.getAttribute("version") == "2.0"
    assert text_of(document.getElementsByTagName("link")) == [LINK]
    assert text_of(document.getElementsByTagName("title")) == [TITLE, *TITLES]
    assert text_of(document.getElementsByTagNameNS(DC["dc"], "creator")) == CREATORS


def text_of(elements):
    return ["".join(node.data for node in element.childNodes) for element in elements]


def pulldom_parse():
    return xml.dom.pulldom.parse(repaired())


def pulldom_parse_with_parser():
    return xml.dom.pulldom.parse(broken(), parser=xml5tree.sax.create_parser())


@pytest.mark.parametrize("parse", [pulldom_parse, pulldom_parse_with_parser])
def test_pulldom(parse):
    events = parse()
    titles = []
    for event, node in events:
        if event == xml.dom.pulldom.START_ELEMENT and node.tagName == "item":
            events.expandNode(node)
            titles += text_of(node.getElementsByTagName("title"))
    assert titles == TITLES


def test_dom_of_a_document_cut_short():
    """The file closes what is open while pulldom still listens, which it does not when the parser is closed."""
    document = xml.dom.minidom.parse(streaming.open([b"<a>text<b c='d"]))
    assert document.documentElement.toxml() == "<a>text<b/></a>"


def test_xslt():
    stylesheet = etree.XSLT(
        etree.XML(
            '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
            '<xsl:output method="text"/><xsl:template match="/"><xsl:for-each select="//item">'
            '<xsl:value-of select="title"/>;</xsl:for-each></xsl:template></xsl:stylesheet>'
        )
    )
    assert str(stylesheet(xml5tree.parse(broken(), backend="lxml"))) == ";".join([*TITLES, ""])
    assert str(stylesheet(etree.parse(repaired()))) == ";".join([*TITLES, ""])


def objectify_fromstring():
    return xml5tree.fromstring(FEED, backend=objectify.makeparser())


def objectify_parse():
    return objectify.parse(repaired()).getroot()


@pytest.mark.parametrize("parse", [objectify_fromstring, objectify_parse])
def test_objectify(parse):
    rss = parse()
    assert isinstance(rss, objectify.ObjectifiedElement)
    assert [item.title.pyval for item in rss.channel.item] == TITLES
    assert [item.guid + 1 for item in rss.channel.item] == [2, 3, 4]


def test_model_output_cut_short():
    answer = "Here you are:\n```xml\n<cities>\n<city id=1>Rome & Milan</city>\n<city id=2>Pa"
    parser = xml5tree.XMLParser()
    cities = xml5tree.fromstring(answer, parser=parser)
    assert [(city.get("id"), city.text) for city in cities] == [("1", "Rome & Milan"), ("2", "Pa")]
    assert parser.error_log.truncated
    assert [error.code for error in parser.error_log] == [
        *["text-outside-root", "unquoted-attribute-value", "unescaped-ampersand", "unquoted-attribute-value"],
        "eof-in-element",
    ]


def test_model_output_as_it_comes():
    parser = streaming.XMLPullParser()
    cities = []
    for token in ["Sure! <ci", "ties><city>Ro", "me & Mi", "lan</ci", "ty><city>Pa"]:
        parser.feed(token)
        cities += [element.text for event, element in parser.read_events()]
    assert cities == ["Rome & Milan"]
    root = parser.close()
    assert [city.text for city in root] == ["Rome & Milan", "Pa"]
    assert parser.error_log.truncated


class Seen:
    """A target that joins what it is called with."""

    def __init__(self):
        self.seen = ""

    def start(self, tag, attributes):
        self.seen += f"<{tag}>"

    def end(self, tag):
        self.seen += f"</{tag}>"

    def data(self, data):
        self.seen += data

    def close(self):
        return self.seen


#: Parsers of both libraries for a target.
FED_TARGETS = {
    "etree": lambda target: xml5tree.XMLParser(target=target),
    "ElementTree": lambda target: xml5tree.ElementTree.XMLParser(target=target),
    "lxml": lambda target: xml5tree.XMLParser(target=target, backend="lxml"),
    "lxml.etree": lambda target: xml5tree.lxml.etree.XMLParser(target=target),
}


@pytest.mark.parametrize(
    "document",
    [
        "<a>xy<b>z&amp;w;</b> tail;<!-- c -->u</a>",
        "<a>1 > 2<b/>3 > </a>\n",
        "<a>x<b/>]><![CDATA[1 < 2]]>;&gt;</a> \n<!-- end -->",
        "\n<!DOCTYPE a>\n<a>\n\n é\U0001f600&#233;\n</a>\n",
        "<a>1 & 2 && < 3 <b x=1>y&amp</c>z",
    ],
)
def test_text_comes_with_the_feed_that_has_it(document):
    """Text before an unfinished tag, too: a target of lxml gets as much with each feed as one of ElementTree."""
    for begin in range(len(document)):
        for size in (1, 2, 7):
            seen = []
            for make in FED_TARGETS.values():
                target = Seen()
                parser = make(target)
                found = []
                parts = [document[:begin], *(document[at : at + size] for at in range(begin, len(document), size))]
                for part in parts:
                    parser.feed(part)
                    found.append(target.seen)
                assert parser.close() == target.seen
                seen.append([*found, target.seen])
            assert seen == seen[:1] * len(seen)
