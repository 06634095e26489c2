"""Documents without an element in `xml5tree.lxml.etree`: exceptions, and what ``recover=True`` gives as lxml does."""

import io

import lxml.etree
import pytest

from xml5tree.lxml import etree

WITHOUT_ELEMENT = ["  ", "text", "<!-- x -->", "</a>", "<", "<?x y?>\n<!DOCTYPE a>\n"]


class Target:
    def start(self, tag, attributes):
        raise AssertionError

    def data(self, text):
        pass

    def close(self):
        return "result"


def feed(etree, document, parser):
    for part in document or [""]:
        parser.feed(part)
    return parser.close()


def parse(etree, document, parser):
    tree = etree.parse(io.BytesIO(document.encode()), parser)
    return tree if tree == "result" else tree.getroot()


WAYS = [
    lambda etree, document, parser: etree.fromstring(document, parser),
    lambda etree, document, parser: etree.XML(document.encode(), parser),
    lambda etree, document, parser: etree.fromstringlist([document], parser),
    parse,
    feed,
]


def result(etree, way, document, **options):
    try:
        return way(etree, document, etree.XMLParser(**options))
    except etree.XMLSyntaxError:
        return "refused"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("document", ["", *WITHOUT_ELEMENT])
def test_recovery_without_element(way, document):
    """The result is lxml's if recovery is wanted explicitly; the default is an exception."""
    options = {"recover": True}
    assert result(etree, way, document, **options) == result(lxml.etree, way, document, **options)
    with_target = {**options, "target": Target()}
    assert result(etree, way, document, **with_target) == result(lxml.etree, way, document, **with_target) == "result"
    assert result(etree, way, document) == result(etree, way, document, target=Target()) == "refused"


@pytest.mark.parametrize("document", WITHOUT_ELEMENT)
def test_streams_without_element(document):
    for module in (lxml.etree, etree):
        events = module.iterparse(io.BytesIO(document.encode()), recover=True)
        assert list(events) == []
        assert events.root is None
        parser = module.XMLPullParser(recover=True)
        parser.feed(document)
        assert parser.close() is None
        assert list(parser.read_events()) == []
    with pytest.raises(etree.DocumentError):
        list(etree.iterparse(io.BytesIO(document.encode())))


@pytest.mark.parametrize("document", WITHOUT_ELEMENT)
def test_functions_with_identifiers(document):
    parser = etree.XMLParser(recover=True)
    assert etree.XMLID(document, parser) == etree.XMLDTDID(document, parser) == (None, {})
    tree, ids = etree.parseid(io.StringIO(document), parser)
    assert (tree.getroot(), ids) == (None, {})


@pytest.mark.parametrize("way", WAYS)
def test_log_without_element(way):
    """It says that there is none, also where that is no exception; and the parser can be used again."""
    parser = etree.XMLParser(recover=True)
    for _ in range(2):
        assert way(etree, "  ", parser) is None
        assert [entry.code for entry in parser.error_log] == ["no-root-element"]
        if way is feed:
            assert parser.feed_error_log == parser.error_log
        assert way(etree, "<a>", parser).tag == "a"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("recover", [None, True, False])
def test_exception_for_an_empty_document(way, recover):
    """It has lxml's name for a document without one, and an entry in its log."""
    with pytest.raises(lxml.etree.XMLSyntaxError) as caught:
        way(etree, "", etree.XMLParser(recover=recover))
    error = caught.value
    assert error.filename == "<string>"
    assert [entry.type for entry in error.error_log] == [error.code] == [etree.ErrorTypes.ERR_DOCUMENT_EMPTY]


def test_binary_files_are_still_refused():
    with pytest.raises(etree.DocumentError):
        etree.fromstring(b"\x89PNG\r\n\x1a\n\0\0\0", etree.XMLParser(recover=True))
