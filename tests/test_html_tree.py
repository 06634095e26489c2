"""Trees of HTML: what html5lib's construction makes of our tokens, through our markup and backends (H-110 to H-116)."""

import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.html import HtmlTreeCase
from support.htmltree import construct, construct_by_html5lib
from support.splits import chunkings, splits

import xml5tree

etree = pytest.importorskip("lxml.etree")

PAGE = """<!DOCTYPE html>
<title>Fish & chips</title>
<p
  class=menu>First<p>Second<br>line
<table>misplaced<tr><td>cell</table>
<svg viewBox='0 0 1 1'><path d=m xlink:href='#a' /></svg>
"""


def parse(document, backend="lxml", **options):
    return xml5tree.fromstring(document, dialect="html", backend=backend, **options)


def markup(document, **options):
    return etree.tostring(parse(document, **options), encoding="unicode")


def body(document, **options):
    """What is in the body of a page, as markup."""
    return markup(document, **options).partition("<body>")[2].rpartition("</body>")[0]


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_page(backend):
    root = parse(PAGE, backend)
    assert root.tag == "html"
    assert [element.text for element in root.findall(".//p")] == ["First", "Second"]
    assert root.find(".//p").attrib == {"class": "menu"}
    assert root.findtext(".//tbody/tr/td") == "cell"
    path = root.find(".//{http://www.w3.org/2000/svg}path")
    assert path.get("{http://www.w3.org/1999/xlink}href") == "#a"


def test_xpath_and_namespaces():
    assert parse(PAGE).xpath("//p[@class='menu']/text()") == ["First"]
    namespaces = {"h": "http://www.w3.org/1999/xhtml"}
    root = parse(PAGE, namespaces=True)
    assert root.xpath("//p") == []
    assert root.xpath("//h:p/text()", namespaces=namespaces)[0] == "First"
    assert parse("<svg><desc><p>a", namespaces=True).xpath("//*[local-name()='desc']/h:p", namespaces=namespaces)


def test_lines_are_those_of_the_document():
    lines = {element.tag: element.sourceline for element in reversed(list(parse(PAGE).iter()))}
    assert lines["title"] == 2
    assert lines["p"] == 4
    assert lines["br"] == 4
    assert lines["td"] == 5
    assert lines["{http://www.w3.org/2000/svg}svg"] == 6


def test_lines_after_text_that_the_tree_drops():
    root = parse("\n\n<!DOCTYPE html>\n\n<pre>\n\n</pre>\n<p>a")
    assert [(element.tag, element.sourceline) for element in root.iter("pre", "p")] == [("pre", 5), ("p", 8)]


def test_doctype_and_comments():
    tree = parse("<!--a--><!DOCTYPE HTML PUBLIC '-//b//' 'c'><p>d<!-- e -- f - -->").getroottree()
    assert tree.docinfo.doctype == '<!DOCTYPE html PUBLIC "-//b//" "c">'
    assert tree.getroot().getprevious().text == "a"
    assert tree.xpath("//comment()")[1].text == " e - - f - "


@pytest.mark.parametrize(
    ("fragment", "document", "expected"),
    [
        (True, "<p>a<p>b", "<div><p>a</p><p>b</p></div>"),
        ("div", "<td>a", "<div>a</div>"),
        ("tr", "<td>a", "<tr><td>a</td></tr>"),
        ("TITLE", "a<b></title>", "<title>a&lt;b&gt;&lt;/title&gt;</title>"),
        ("script", "a<b>&amp;", "<script>a&lt;b&gt;&amp;amp;</script>"),
        (True, "", "<div/>"),
        (True, "a &amp; b<!--c-->", "<div>a &amp; b<!--c--></div>"),
    ],
)
def test_fragment(fragment, document, expected):
    assert markup(document, fragment=fragment) == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<p><b>a<p>b", "<p><b>a</b></p><p><b>b</b></p>"),
        ("<table>a<tr><td>b", "a<table><tbody><tr><td>b</td></tr></tbody></table>"),
        ("<o:p>a</o:p>", "<oU00003Ap>a</oU00003Ap>"),
        ('<p a"b=c xml:lang=de xmlns=d>', '<p aU000022b="c" xmlU00003Alang="de" U000078mlns="d"/>'),
        ("<svg xml:lang=de xmlns=d></svg>", '<svg xmlns="http://www.w3.org/2000/svg" xml:lang="de" U000078mlns="d"/>'),
        ("<svg><desc><p>a", '<svg xmlns="http://www.w3.org/2000/svg"><desc><p xmlns="">a</p></desc></svg>'),
        ("a\0b\x01c\fd", "ab\ufffdc d"),
        ("&#x81;&#1;", "\x81\ufffd"),
        ("<script>a<b]]></script>", "<script>a&lt;b]]&gt;</script>"),
        ("a\ud800", "a\ufffd"),
        ("&#13;", "&#13;"),
    ],
)
def test_what_xml_cannot_hold(document, expected):
    assert body("<!DOCTYPE html><body>" + document).replace("\r", "&#13;") == expected


XHTML, SVG, XLINK = "http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"


@pytest.mark.parametrize(
    ("content", "coerced"),
    [
        (f"<p xmlns='{XHTML}'>a", {}),
        (f"<svg xmlns='{SVG}' xmlns:xlink='{XLINK}' xlink:href='a'/>", {}),
        (f"<svg xmlns='{SVG}'><g xmlns='{SVG}'/></svg>", {}),
        ("<p xmlns='a'>b", {"xmlns": "U000078mlns"}),
        ("<p xmlns=''>b", {"xmlns": "U000078mlns"}),
        ("<br xmlns='a'/>", {"xmlns": "U000078mlns"}),
        ("<table><tr xmlns='a'></table>", {"xmlns": "U000078mlns"}),
        (f"<p xmlns='{SVG}'>a", {"xmlns": "U000078mlns"}),
        (f"<svg xmlns='{XHTML}'/>", {"xmlns": "U000078mlns"}),
        (f"<svg><desc><p xmlns='{SVG}'></p></desc></svg>", {"xmlns": "U000078mlns"}),
        ("<svg xmlns:xlink='a'/>", {"xmlns:xlink": "xmlnsU00003Axlink"}),
        (f"<p xmlns:xlink='{XLINK}'>a", {"xmlns:xlink": "xmlnsU00003Axlink"}),
        (
            "<svg xmlns:a='b' xlink:c='d' xml:e='f'/>",
            {"xmlns:a": "xmlnsU00003Aa", "xlink:c": "xlinkU00003Ac", "xml:e": "xmlU00003Ae"},
        ),
    ],
)
@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("namespaces", [False, True])
def test_declarations_that_say_other_than_the_tree(content, coerced, backend, namespaces):
    """XML cannot hold them as attributes, so they are renamed, and nothing is silent."""
    parser = xml5tree.XMLParser(dialect="html", backend=backend, namespaces=namespaces)
    root = xml5tree.fromstring(f"<!DOCTYPE html><title>t</title>{content}", parser=parser)
    assert {entry.code for entry in parser.error_log} <= {"coerced-attribute-name", "html-tree-construction"}
    messages = [entry.message for entry in parser.error_log if entry.code == "coerced-attribute-name"]
    assert messages == [f"attribute name {a!r} is not allowed in XML; written as {b!r}" for a, b in coerced.items()]
    names = [name for element in root.iter() for name in element.attrib if "U0000" in name]
    assert names == list(coerced.values())


def test_noscript():
    assert body("<body><noscript><p>a</noscript>") == "<noscript><p>a</p></noscript>"
    assert body("<body><noscript><p>a</noscript>", scripting=True) == "<noscript>&lt;p&gt;a</noscript>"


def test_errors_of_tokens_and_of_the_tree():
    parser = xml5tree.XMLParser(dialect="html")
    parser.feed('<p>&lt<div/></b>\n<o:p a"=\x01>')
    parser.close()
    assert [(entry.code, entry.line, entry.column) for entry in parser.error_log] == [
        ("html-tree-construction", 1, 0),
        ("missing-semicolon-after-character-reference", 1, 6),
        ("non-void-html-element-start-tag-with-trailing-solidus", 1, 6),
        ("html-tree-construction", 1, 12),
        ("coerced-character", 2, 0),
        ("coerced-element-name", 2, 0),
        ("coerced-attribute-name", 2, 0),
        ("unexpected-character-in-attribute-name", 2, 6),
        ("control-character-in-input-stream", 2, 8),
        ("html-tree-construction", 2, 10),
    ]


def test_a_page_without_errors_has_an_empty_log():
    parser = xml5tree.XMLParser(dialect="html")
    parser.feed("<!DOCTYPE html><html lang=en><head><title>a</title></head><body><p>b</p><br></body></html>")
    parser.close()
    assert parser.error_log == []


def test_max_depth():
    parser = xml5tree.XMLParser(dialect="html", max_depth=5)
    parser.feed("<!DOCTYPE html><title>t</title>" + "<div>" * 1000 + "a")
    root = parser.close()
    depth, element = 1, root
    while len(element):
        depth, element = depth + 1, element[-1]
    assert depth == 5
    assert "".join(root.itertext()) == "ta"
    parser = xml5tree.XMLParser(dialect="html", max_depth=300)
    parser.feed("<!DOCTYPE html><title>t</title>" + "<div>" * 1000 + "a")
    parser.close()
    assert "max-depth-exceeded" in {entry.code for entry in parser.error_log}


@pytest.mark.parametrize(
    ("page", "max_depth", "offset"),
    [
        ("<table><tr><td>a<td>b", 3, 7),  # tables stay open, whatever the limit is
        ("<table><tr><td>" * 100, 300, 1117),
        ("<div><table><tr><td>a", 4, 12),
        ("<form><div></form>" * 80, 100, 18 * 80),  # closed before what it contains; known at the end
    ],
)
@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("is_fed", [False, True])
def test_elements_that_are_attached_higher_are_reported(page, max_depth, offset, backend, is_fed):
    parser = xml5tree.XMLParser(dialect="html", backend=backend, max_depth=max_depth)
    if is_fed:
        parser.feed(page)
        root = parser.close()
    else:
        root = xml5tree.fromstring(page, parser=parser)
    assert depth(root) == max_depth
    whole = parse(page, backend)
    assert depth(whole) > max_depth
    places = [entry.offset for entry in parser.error_log if entry.code == "max-depth-exceeded"]
    assert places == [offset]


def depth(root):
    deepest, elements = 0, [(root, 1)]
    while elements:
        element, level = elements.pop()
        deepest = max(deepest, level)
        elements += [(child, level + 1) for child in element]
    return deepest


def test_phases_are_used_again():
    from xml5tree.dialects.html import construction

    for read in (lambda: parse("<p>a"), lambda: markup("<p>a"), fed):
        read()
        (*_, phases) = construction._idle
        count = len(construction._idle)
        read()
        assert construction._idle[-1] is phases
        assert len(construction._idle) == count


def fed():
    parser = xml5tree.XMLParser(dialect="html")
    parser.feed("<p>a")
    return parser.close()


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_long_names(backend):
    name = "a" * 60_000
    root = parse(f"<{name} {name}b=1 {name}c=2>", backend)
    element = next(element for element in root.iter() if element.tag.startswith("aa"))
    assert all(name.startswith(attribute[:60_000]) for attribute in element.attrib)
    assert element.get(min(element.attrib, key=len)) == "1"


def test_bytes():
    assert parse("<p>é".encode()).findtext(".//p") == "é"
    assert parse(b"\xef\xbb\xbf<p>a").findtext(".//p") == "a"
    assert parse("<p>é".encode("latin-1"), encoding="latin-1").findtext(".//p") == "é"
    assert parse(b"<p>caf\xe9").findtext(".//p") == "caf\xe9"


def test_what_is_refused():
    with pytest.raises(ValueError, match="a repair is not for dialect='html'"):
        xml5tree.repair("<p>", dialect="html")
    with pytest.raises(ValueError, match="reading events is not for dialect='html'"):
        xml5tree.iterparse("page.html", dialect="html")
    with pytest.raises(ValueError, match="a repair is not for dialect='html'"):
        xml5tree.open("page.html", dialect="html")
    with pytest.raises(ValueError, match="2008"):
        parse("<p>", revision="2008")
    with pytest.raises(ValueError, match="revision must be"):
        xml5tree.tokenize("", dialect="html", revision="5")
    with pytest.raises(ValueError, match="fragment must be the name"):
        parse("<p>", fragment="a b")
    with pytest.raises(TypeError, match="fragment must be"):
        parse("<p>", fragment=None)
    with pytest.raises(TypeError, match="namespaces"):
        parse("<p>", namespaces={"a": "b"})
    with pytest.raises(ValueError, match='recovery="strict"'):
        parse("<p>", recovery="strict")
    with pytest.raises(ValueError, match="initial_state is for tokenize"):
        parse("<p>", initial_state="RCDATA")
    with pytest.raises(ValueError, match="content_models is for tokenize"):
        parse("<p>", content_models=False)
    with pytest.raises(ValueError, match=r'fragment has no effect.*is for dialect="html"'):
        xml5tree.fromstring("<p/>", fragment=True)
    with pytest.raises(ValueError, match="no initial state 'x'"):
        list(xml5tree.tokenize("", dialect="html", initial_state="x"))
    with pytest.raises(TypeError, match="no option 'encoding'"):
        xml5tree.tokenize("", encoding="utf-8")


def test_stand_ins():
    from xml5tree import ElementTree
    from xml5tree.lxml import etree as stand_in

    for library in (ElementTree, stand_in):
        parser = library.XMLParser(dialect="html", fragment=True)
        assert [p.text for p in library.fromstring("<p>a<p>b", parser)] == ["a", "b"]
        with pytest.raises(ValueError, match="reading events is not for dialect='html'"):
            library.XMLPullParser(dialect="html")
        with pytest.raises(ValueError, match='recovery="strict"'):
            library.XMLParser(dialect="html", recovery="strict")


def test_without_html5lib():
    code = """if True:
        import sys
        sys.modules["html5lib"] = None
        import xml5tree
        assert len(list(xml5tree.tokenize("<p>a", dialect="html"))) == 2
        try:
            xml5tree.fromstring("<p>a", dialect="html")
        except ImportError as error:
            assert "xml5tree[html]" in str(error), error
        else:
            raise AssertionError("no error")
    """
    subprocess.run([sys.executable, "-c", code], check=True)


NAMES = ["p", "b", "i", "a", "h1", "div", "li", "table", "caption", "tr", "td", "select", "option"]
NAMES += ["svg", "math", "mi", "desc", "title"]

#: Parts of pages, of which many are where HTML does not allow them.
PARTS = [
    *(
        f"<{name}>"
        for name in [
            "p",
            "b",
            "i",
            "a",
            "table",
            "tr",
            "td",
            "caption",
            "select",
            "option",
            "div",
            "svg",
            "math",
            "desc",
            "title",
            "mi",
            "li",
            "h1",
        ]
    ),
    *(
        f"</{name}>"
        for name in [
            "p",
            "b",
            "i",
            "a",
            "table",
            "tr",
            "td",
            "caption",
            "select",
            "option",
            "div",
            "svg",
            "math",
            "desc",
            "title",
            "mi",
            "li",
            "h1",
            "br",
        ]
    ),
    "<font color=red>",
    "<input type=hidden>",
    "<body a=b>",
    "<html c=d>",
    "<frameset>",
    "<template>",
    "<svg xlink:href=a xml:lang=b xmlns:xlink=c xmlns=d e:f=g>",
    "<isindex>",
    "<annotation-xml encoding=text/html>",
    "<x:y a\"b='>",
    "<script><!--",
    "<textarea>\n",
    "<![CDATA[",
    "<!DOCTYPE a PUBLIC \"b'\" '\"'>",
    "<!--a--b-->",
    "text",
    " ",
    "\n",
    "\r\n",
    "\0",
    "\x01",
    "\ud800",
    "&lt",
    "&#0;",
    "<",
    ">",
    "'",
]
pages = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)
settings = st.sampled_from([{}, {"fragment": True}, {"fragment": "select"}, {"namespaces": True}, {"max_depth": 3}])


@given(pages, settings, st.data())
def test_any_text_gives_a_tree_however_it_is_fed(page, options, data):
    root = parse(page, **options)
    parser = xml5tree.XMLParser(dialect="html", backend="lxml", **options)
    for piece in data.draw(chunkings(page)):
        parser.feed(piece)
    fed = parser.close()
    assert etree.tostring(fed) == etree.tostring(root)
    assert [element.sourceline for element in fed.iter()] == [element.sourceline for element in root.iter()]
    whole = xml5tree.XMLParser(dialect="html", backend="lxml", **options)
    whole.parse_whole(page)
    assert whole.error_log == parser.error_log


@given(pages, settings)
def test_backends_agree(page, options):
    native = parse(page, **options)
    elements = [element for element in native.iter() if isinstance(element.tag, str)]
    found = [(element.tag, dict(element.attrib)) for element in parse(page, "etree", **options).iter()]
    assert found == [(element.tag, dict(element.attrib)) for element in elements]
    assert "".join(parse(page, "etree", **options).itertext()) == "".join(native.xpath("descendant-or-self::*/text()"))


def parts_of(root):
    """What elements have, in document order; None is not the empty text."""
    return [(element.tag, element.attrib, list(element.attrib), element.text, element.tail) for element in root.iter()]


@given(pages, settings)
def test_the_tree_built_without_markup_is_that_of_the_markup(page, options):
    whole = xml5tree.XMLParser(dialect="html", **options)
    fed = xml5tree.XMLParser(dialect="html", **options)
    fed.feed(page)
    assert parts_of(whole.parse_whole(page)) == parts_of(fed.close())
    assert parts_of(parse(page, "etree", **options)) == parts_of(whole.parse_whole(page))
    assert whole.error_log == fed.error_log


def test_log_of_a_whole_document_that_is_refused():
    parser = xml5tree.XMLParser(dialect="html")
    with pytest.raises(xml5tree.ParseError) as caught:
        parser.parse_whole(b"\x89PNG\r\n\x1a\n", "picture.png")
    assert [entry.code for entry in parser.error_log] == ["not-xml"]
    assert caught.value.filename == parser.error_log.filename == "picture.png"


@given(pages)
def test_the_tree_is_that_of_html5lib_with_its_own_tokenizer(page):
    for fragment in (None, "div"):
        case = HtmlTreeCase("", 0, page, fragment, None, "")
        try:
            expected = construct_by_html5lib(case)
        except AssertionError:
            continue  # it fails on a few pages
        assert construct(case) == expected


@given(st.text(st.sampled_from("<>/!-='\"&;#xaA [CDATA]\0\n\r\ud800é"), max_size=40) | pages, st.data())
def test_tokens_do_not_depend_on_how_the_text_comes(text, data):
    from support.html import tokenize_in_pieces

    for revision in ("12.2.4", "2008"):
        pieces = data.draw(chunkings(text))
        assert tokenize_in_pieces(pieces, revision=revision) == tokenize_in_pieces([text], revision=revision)


def test_splits_of_a_page():
    expected = markup(PAGE)
    for pieces in splits(PAGE):
        parser = xml5tree.XMLParser(dialect="html", backend="lxml")
        for piece in pieces:
            parser.feed(piece)
        assert etree.tostring(parser.close(), encoding="unicode") == expected


def test_elementtree_writes_what_can_be_read_again():
    root = parse(PAGE, "etree")
    again = ET.fromstring(ET.tostring(root))
    assert [element.tag for element in again.iter()] == [element.tag for element in root.iter()]


@pytest.mark.parametrize("document", ["<p>&lt;x&#1;", "<p>&#x42;&#1;", "<title>&amp;&#1;", "<p>&nosuch;&#1;"])
def test_places_of_text_that_begins_with_a_reference(document):
    """Such text begins with the ampersand, wherever the document is cut."""

    def entries(*pieces):
        parser = xml5tree.XMLParser(dialect="html")
        for piece in pieces:
            parser.feed(piece)
        parser.close()
        return list(parser.error_log)

    whole = entries(document)
    assert document.index("&") in [entry.offset for entry in whole]
    assert all(entries(document[:place], document[place:]) == whole for place in range(1, len(document)))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<frameset> a b&#32;\nc", "   \n"),
        ("<frameset>a</frameset> b\tc", " \t"),
        ("<frameset></frameset></html>a b", " "),
    ],
)
@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_white_space_in_framesets(page, text, backend):
    """The standard ignores other characters there, each by itself."""
    assert "".join(parse(page, backend).itertext()) == text


def test_white_space_in_a_group_of_columns():
    assert parse("a b", fragment="colgroup").text == " "


@pytest.mark.parametrize(("max_depth", "first"), [(300, 100), (2000, 0)])
def test_as_many_formatting_elements_are_opened_again_as_may_be_open(max_depth, first):
    """H-119."""
    opened = "<p>" + "".join([f"<i id={number}>" for number in range(400)]) + "</p>"
    root = xml5tree.fromstring(f"{opened}<p>x", dialect="html", max_depth=max_depth)
    again = [int(element.get("id")) for element in root.iter("i")][400:]
    assert again == list(range(first, 400))
