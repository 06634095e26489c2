"""The shortcuts of HTML give the tokens, errors and trees that the states and html5lib's phases alone give."""

from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case, one_in
from support.html import tokenize_in_pieces
from support.splits import chunkings

import xml5tree

etree = pytest.importorskip("lxml.etree")
pytest.importorskip("html5lib")

from xml5tree.dialects.html import construction  # noqa: E402 (it needs html5lib)
from xml5tree.dialects.html.machine import Tokenizer  # noqa: E402
from xml5tree.dialects.html.tree import TreeSink  # noqa: E402

FORMATTING = ["a", "b", "i", "em", "font", "nobr", "code"]
BLOCKS = ["p", "div", "ul", "ol", "dl", "address", "h1", "h2", "pre", "blockquote", "section", "button", "form"]
ITEMS = ["li", "dt", "dd"]
TABLES = ["table", "caption", "tbody", "tr", "td", "th", "col"]
FOREIGN = ["svg", "math", "mi", "desc", "title", "foreignObject", "annotation-xml", "g"]
OTHER = ["span", "SPAN", "x1", "object", "select", "option", "ruby", "rt", "noscript", "template", "body", "html"]
OTHER += ["textarea", "script", "style", "iframe", "plaintext"]
VOID = ["br", "img", "hr", "input", "wbr", "param", "meta"]
NAMES = [*FORMATTING * 3, *BLOCKS * 2, *ITEMS * 2, *TABLES, *FOREIGN, *OTHER, *VOID * 2]
ATTRIBUTES = [
    "",
    " id=a",
    " class='b'",
    ' title="c d"',
    " x",
    " a:b=c",
    " xlink:href=d",
    ' id="1" id="2"',
    ' q="&amp;&lt;"',
]
ATTRIBUTES += [" color=red", " type=hidden", ' t="\x01"', ' t="\f"', " A=b", " é=f", " encoding=text/html"]
ATTRIBUTES += [" s='a\"&amp;b'", " s='&'", " s='x id=\"y\"'", ' d="\'"', " e='' f", " u='"]
TEXTS = [
    "text",
    " ",
    "\n",
    " a b\n",
    "&amp;",
    "&mdash;",
    "&lt",
    "&#13;",
    "&#1;",
    "&NotEqualTilde;",
    "&nosuch;",
    "\0",
    "\x01",
]
TEXTS += ["&", "& ", "&;", "&#", "&#39;", "&#x2019;", "&#12;", "&#0;", "&#x80;", "&#XD800;", "&#xfffe;", "&#x110000;"]
TEXTS += ["\f", "\x0b", "\ud800", "é", "\r\n", "]]>", "<", "</>", "<!--c-->", "<![CDATA[d]]>", "<?e>", "<!DOCTYPE f>"]

start_tags = st.builds(
    "<{}{}{}>".format, st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES), st.sampled_from(["", "", "/"])
)
end_tags = st.builds("</{}{}>".format, st.sampled_from(NAMES), st.sampled_from(["", "", "", " x", "/"]))
plain_tags = st.builds("<{}{}>".format, st.sampled_from(["", "/"]), st.sampled_from(FORMATTING + BLOCKS + ITEMS + VOID))


@st.composite
def nested(draw):
    """Well-nested content, as most pages have."""
    name = draw(st.sampled_from([*FORMATTING, *BLOCKS, *ITEMS, "span", "td"]))
    content = draw(st.lists(st.sampled_from(TEXTS[:8] + TEXTS[-22:-16]) | plain_tags, max_size=3).map("".join))
    return f"<{name}{draw(st.sampled_from(ATTRIBUTES[:5]))}>{content}</{name}>"


pages = st.builds(
    str.__add__,
    st.sampled_from(
        ["<!DOCTYPE html><body>", "", "<!DOCTYPE html><table><tr><td>", "<svg>", "<!DOCTYPE html><ul><li>"]
    ),
    st.lists(nested() | start_tags | end_tags | plain_tags | st.sampled_from(TEXTS), max_size=25).map("".join),
)
settings = st.sampled_from(
    [{}, {}, {"fragment": True}, {"fragment": "td"}, {"namespaces": True}, {"max_depth": 3}, {"scripting": True}]
)


@contextmanager
def without_shortcuts():
    """Leave everything to the states and the phases."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tokenizer, "pass_clean_tags", lambda self: None)
        patch.setattr(TreeSink, "_current", lambda self: None)
        yield


def read(pieces, backend, options):
    """The tree, its lines and the log of a document that comes in pieces."""
    parser = xml5tree.XMLParser(dialect="html", backend=backend, **options)
    if len(pieces) == 1:
        root = parser.parse_whole(pieces[0])
    else:
        for piece in pieces:
            parser.feed(piece)
        root = parser.close()
    elements = [
        (element.tag, dict(element.attrib), element.text, element.tail, getattr(element, "sourceline", 0))
        for element in root.iter()
    ]
    return elements, parser.error_log


@each_case(
    "document",
    [
        "<p>" + "<b>" * 5 + "a</p><p>b",
        '<p><b id="c"><b><b id="c"><b><b id="c"><b id="c">a</p><p>b',
        "<b>" * 3 + "<object>" + "<b>" * 4 + "a</object>b<p>c",
        "<p><a>b<a>c</a>d</p><a><table><a>e",
        "<h1>a<h2>b</h1>c</h2><h3><b><h4>d",
        "<svg><foreignObject><p>a</p>b</foreignObject><desc><b>c</b><li>d</desc></svg>e",
        "<math><mi><p>a</p><b>b</b></mi><annotation-xml encoding=text/html><div>c</div></annotation-xml></math>",
        "<pre>\n\na</pre><listing>\nb<p>\nc</listing>\nd<textarea>\ne</textarea>\n",
        "<table><td><pre>\na</pre><p>b<td>c<b>d<td>\n e</table><b>f",
        "<ul><li>a<li><p>b<li>c<ul><li>d</ul><div><li>e</ul><dl><dt>f<dd>g<p>h<dt>i</dl>",
        "<li><b><li>a</li></b><address><li>b</address><p><button><p>a</button>b<div>c",
        "<p><span>a<div>b</p>c</span>d</div><p><b>e<ul>f",
        "<frameset>", "a<frameset>", " <frameset>", "<br><frameset>", "<li><frameset>", "<p><frameset>",
        "<!DOCTYPE html>\n<div>\n</div>\n<frameset>", "<span><b></b></span>&#32;<frameset>", "&nbsp;<frameset>",
        "<div><title>a</div></title><div></title></div><script>b</script></div>",
        "<b><p>a</b>b</p>c<table>d<b>e<tr>f</b><td>g</b>h</table>i",
        "<font color=red>a<p>b</font>c<br/>d<div/>e</div><em/>f<img src='g'/>",
        "a & b &amp c &#38; d &; e &",
        "<p>a<frameset>", "<p>a</p><frameset>", "<p></p><li></li><frameset>", "<p><br><frameset>",
        "<p><img></p> <frameset>",
        "<ul><li><desc><li>a</desc><title>b</title><p xlink:href=c>d",
        "<p>a&#12;b<p>c&#12;",
        "<i><b><b><b><b>a</b></b></b></b>c<p>d",
        "<math><mi><p>a</p><mglyph>b<malignmark/>c</mi><mglyph>d",
        "a\x0cb<p>c\x0cd</p>e<p title='\x0c'>f",
        "<table>\n<tr>\n<td>a<td>b</td>\n<th c:d=e>f</th>g</tr>\nh<tr/><td/>\n</tr><tr>\n&#13;</tr></table>",
        "<table><tbody><tr><td><b>a<td>b</td></tr><tfoot> <tr><th><i>c</th><td><table><tr><td>d</td></tr></table>e",
        "<table><tr><td><p>a</td><td><svg><td>b</td></svg></td> </tr></td><select><td>c</select><tr>\x0c<td>d",
        "<table><tr><td><b>a</td></tr></table>c<table><tr><svg><tr><td>d</td></tr><tbody><tr>e",
        "<table><caption>a<td>b</caption><tr><td><frameset>c</td><td></tr>d</table>e</td>",
        "<p\x0c>a<p b=\x01>\x01c<p>d",
    ],
)  # fmt: skip
@pytest.mark.parametrize("options", [{}, {"fragment": True}])
def test_examples(document, options):
    for page in one_in(2, (document, "<!DOCTYPE html><body>" + document, document + document)):
        for backend in ("etree", "lxml"):
            with without_shortcuts():
                expected = read([page], backend, options)
            for pieces in ([page], list(page)):
                assert read(pieces, backend, options) == expected


def test_depth_limit():
    for document in ("<div>" * 300 + "a<p>b", "<span>" * 300 + "a<br>b<b>c", "<ul><li>" * 200 + "a</li>b"):
        for options in ({"max_depth": 256}, {"max_depth": 300}):
            with without_shortcuts():
                expected = read([document], "lxml", options)
            assert read([document], "lxml", options) == expected


@given(pages, settings, st.data())
def test_trees_lines_and_logs(page, options, data):
    pieces = data.draw(chunkings(page))
    for backend in ("etree", "lxml"):
        with without_shortcuts():
            expected = read([page], backend, options)
        assert read([page], backend, options) == expected
        assert read(pieces, backend, options) == expected


@given(pages, st.booleans(), st.data())
def test_tokens(page, scripting, data):
    pieces = data.draw(chunkings(page))
    for revision in ("12.2.4", "2008"):
        with without_shortcuts():
            expected = tokenize_in_pieces([page], revision=revision, scripting=scripting)
        assert tokenize_in_pieces([page], revision=revision, scripting=scripting) == expected
        assert tokenize_in_pieces(pieces, revision=revision, scripting=scripting) == expected


@given(pages, pages, settings)
def test_phases_keep_nothing_of_the_document_before(before, page, options):
    construction._idle.clear()
    expected = read([page], "etree", options)
    construction._idle.clear()
    read([before], "etree", options)
    assert len(construction._idle) == 1
    assert read([page], "etree", options) == expected
