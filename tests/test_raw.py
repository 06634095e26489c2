"""Raw elements, tags with a value after their name, and quotes with backslashes."""

import re
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from support.cases import each_case, one_in
from support.outcomes import assert_same_on_all_ways
from support.scaling import assert_scales_linearly
from support.splits import chunkings, chunks

import xml5tree

pytestmark = pytest.mark.usefixtures("reader")

BACKENDS = ["etree", "lxml"]
RECOVERIES = ["draft", "intent"]
OPTIONS = {"elements": {"calls", "f", "p", "q"}, "raw": {"p"}, "roots": "all"}
AROUND = '<xml5tree:roots xmlns:xml5tree="urn:x-xml5tree">', "</xml5tree:roots>"


def repaired(document, size, **options):
    """The markup without the element around the roots, and the errors."""
    repairer = xml5tree.Repairer(**{**OPTIONS, **options})
    markup = "".join([*map(repairer.feed, chunks(document, size)), repairer.close()])
    return markup.removeprefix(AROUND[0]).removesuffix(AROUND[1]), [
        (entry.code, entry.effect) for entry in repairer.error_log
    ]


EOF_IN_ELEMENT = ("eof-in-element", "moved")
HALF_A_TAG = ("eof-in-tag", "kept")
RAW = {
    "what else is markup": (
        "<f><p>&amp; <b> <!-- <![CDATA[ <?x ]]> <q></p></f>",
        "<f><p>&amp;amp; &lt;b> &lt;!-- &lt;![CDATA[ &lt;?x ]]&gt; &lt;q></p></f>",
        [],
    ),
    "attributes": ("<f><p k='&lt;'>&lt;</p></f>", "<f><p k='&lt;'>&amp;lt;</p></f>", []),
    "near end tags": ("<f><p></P></ p></pp></></p></f>", "<f><p>&lt;/P>&lt;/ p>&lt;/pp>&lt;/></p></f>", []),
    "its end tag in it": ("<f><p>a</p>b</p></f>", "<f><p>a&lt;/p>b</p></f>", []),
    "two of them": ("<f><p>a</p></p></f>", "<f><p>a&lt;/p></p></f>", []),
    "a sibling after it": ("<f><p>a</p> \n <q/></f>", "<f><p>a</p> \n <q/></f>", []),
    "white space in the end tag": ("<f><p>a</p \n></f>", "<f><p>a</p \n></f>", []),
    "an outer end tag after it": (
        "<calls><f><p>a</p></calls>",
        "<calls><f><p>a</p></f></calls>",
        [("mismatched-end-tag", "moved")],
    ),
    "no parent, so that text may follow": ("<p>a</p> b", "<p>a</p> b", []),
    "text after it and nothing better": ("<f><p>a</p> b</f>", "<f><p>a</p> b</f>", []),
    "the same, cut off": ("<f><p>a</p> b", "<f><p>a</p> b</f>", [EOF_IN_ELEMENT]),
    "no end tag": ("<f><p>a</f>b", "<f><p>a</p></f>b", [("assumed-end-before", "moved")]),
    "no end tag, nor a line break before another one": (
        "<f><p>a\n</f>b",
        "<f><p>a</p>\n</f>b",
        [("assumed-end-before", "moved")],
    ),
    "no end tag at all": ("<f><p>a", "<f><p>a</p></f>", [EOF_IN_ELEMENT]),
    "half an end tag": ("<f><p>a</", "<f><p>a</p></f>", [HALF_A_TAG, EOF_IN_ELEMENT]),
    "another half": ("<f><p>a</q", "<f><p>a&lt;/q</p></f>", [EOF_IN_ELEMENT]),
    "an empty tag": ("<f><p/>&lt;</f>", "<f><p/>&lt;</f>", []),
    "in an entity it is as any": (
        "<!DOCTYPE f [<!ENTITY e '<p>&#38;amp;</p>'>]><f>&e;</f>",
        None,
        [],
    ),
    "outer end tags in it": ("<f><p>a</f>b</p></f>", "<f><p>a&lt;/f>b</p></f>", []),
    "its end tag is far": (f"<f><p></f>{'x' * 70000}</p></f>", None, None),
}


@each_case("recovery", RECOVERIES)
@each_case("name", RAW)
def test_raw_elements(name, recovery):
    document, markup, errors = RAW[name]
    sizes = (1, 3, 100_000) if len(document) < 1000 else (1000, 100_000)
    found = [repaired(document, size, recovery=recovery) for size in sizes]
    assert found[1:] == found[:-1]
    assert markup is None or found[0][0] == markup
    if errors is not None and (recovery == "draft" or "mismatched-end-tag" not in dict(errors)):
        assert found[0][1] == errors


VALUES = {
    "a name and a value": (
        "<f=search><q>a</q></f>",
        '<f name="search"><q>a</q></f>',
        ["assumed-attribute"],
    ),
    "in the end tag": ("<f>a</f=search>", "<f>a</f>", ["assumed-attribute"]),
    "quotes": ("<f=\"a b\"/><f='c'/>", '<f name="a b"/><f name="c"/>', ["assumed-attribute"] * 2),
    "references": ("<f=&lt;/>", '<f name="&lt;/"></f>', ["assumed-attribute", "eof-in-element"]),
    "other attributes": ("<f=a k='v'>x</f>", '<f name="a" k="v">x</f>', ["assumed-attribute"]),
    "the attribute twice": ("<f=a name='b'>x</f>", '<f name="a">x</f>', ["assumed-attribute", "duplicate-attribute"]),
    "no value": ("<f=>x</f>", '<f name="">x</f>', ["assumed-attribute", "missing-attribute-value"]),
    "a name that is not known": ("<g=a>x", "&lt;g=a>x", ["assumed-text"]),
    "of a raw element": ("<f><p=a><q></p=a></f>", '<f><p name="a">&lt;q></p></f>', ["assumed-attribute"] * 2),
    "quotes with backslashes": (
        r"""<f k=\"a \'b\'\" l=\'c\' m="d">x</f>""",
        """<f k="a \\'b\\'" l="c" m="d">x</f>""",
        ["assumed-quotes"] * 2,
    ),
    "references in them": (
        r"<f k=\"a &lt; &\">x</f>",
        '<f k="a &lt; &amp;">x</f>',
        ["assumed-quotes", "unescaped-ampersand"],
    ),
    "a quote with a backslash that is not closed": (
        r"<f k=\"a>x</f>",
        r'<f k="\&quot;a">x</f>',
        ["unquoted-attribute-value"],
    ),
    "both": (r"<f=\"a b\">x</f>", '<f name="a b">x</f>', ["assumed-attribute", "assumed-quotes"]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_and_backslashes(name):
    document, markup, codes = VALUES[name]
    for size in (1, 2, 100):
        found, errors = repaired(document, size)
        assert (found, [code for code, _ in errors]) == (markup, codes)


def test_another_attribute_and_none():
    assert xml5tree.fromstring("<f=a />", elements={"f"}, value_attribute="id").attrib == {"id": "a"}
    assert xml5tree.fromstring("<f><f=a></f>", elements={"f"}, value_attribute=None).text == "<f=a>"
    assert xml5tree.fromstring("<f=a/>", elements={"f=a"}).tag == "fU00003Da"


@pytest.mark.parametrize("content", ["", "a", "\n", "\n\n", "a\n", "\na", "\n\na\n\n", "\r\na\r\n"])
def test_line_breaks_around_content(content):
    document = f"<f><p>\n{content}\n</p></f>"
    expected = content.replace("\r\n", "\n").replace("\r", "\n")
    for size in (1, 2, 100):
        parser = xml5tree.XMLParser(**OPTIONS, trim_raw=True)
        root = parser.parse_parts(list(chunks(document, size)))
        assert (root.findtext(".//p") or "") == expected
    assert (xml5tree.fromstring(document, **OPTIONS).findtext(".//p") or "") == f"\n{expected}\n"


def test_text_comes_as_far_as_it_is_certain():
    parser = xml5tree.XMLPullParser(("text",), **OPTIONS, trim_raw=True)
    shown = []
    for piece in ["<f><p>\n", "a", "\n", "b</", "b>", "c</p>", "d", "\n", "</p>", "</f>", "e"]:
        parser.feed(piece)
        shown.append("".join(text for _, (_, text) in parser.read_events()))
    assert shown == ["", "a", "", "\nb", "</b>", "c", "", "", "", "</p>d", "e"]


PARTS = st.sampled_from(
    [
        *[
            "a",
            "\n",
            "<",
            "</",
            "</p",
            ">",
            "</p>",
            "</p >",
            "</p=x>",
            "<p>",
            "<p=y>",
            "</f>",
            "<f>",
            "<q/>",
            "</calls>",
        ],
        *["&amp;", "]]>"],
    ]
)
CONTENTS = st.lists(PARTS | st.text(max_size=4), max_size=12).map("".join)
#: The end tag of a raw element, and after it what may follow it within a function.
END = re.compile(r"</p(=[^<>\n]*)?[\t\n ]*>[\t\n\r ]*(</(calls|f)|<(calls|f|p|q))[\t\n />=]")


@given(CONTENTS, st.sampled_from(RECOVERIES), st.data())
@example("x</p>y</f>z", "draft", None)
def test_content_is_read_as_it_stands(content, recovery, data):
    """Any content that has no end of the element in it is there to the character, however the document is split."""
    content = re.sub("[^\t\n -\ud7ff\ue000-\ufffd]", "", content)
    assume(not END.search(content))
    document = f"<calls><f><p>{content}</p></f></calls>"
    for pieces in ([document], data.draw(chunkings(document)) if data else list(document)):
        for backend in BACKENDS:
            parser = xml5tree.XMLParser(**OPTIONS, recovery=recovery, backend=backend)
            assert (parser.parse_parts(pieces).findtext(".//p") or "") == content


@given(CONTENTS, st.sampled_from(["first", "all"]), st.booleans(), st.data())
def test_chunks_and_lanes_agree(content, roots, trim_raw, data):
    document = data.draw(st.sampled_from(["", "<f>", "<f><p>", "x<calls><f=a>"])) + content
    options = {**OPTIONS, "roots": roots, "trim_raw": trim_raw, "recovery": data.draw(st.sampled_from(RECOVERIES))}
    pieces = data.draw(chunkings(document))
    assert_same_on_all_ways(document, pieces, options)


@pytest.mark.parametrize(
    ("part", "size"),
    one_in(
        3,
        product(
            ["x", "<", "</", "</p>", "</p> x", "</f>", "</f> ", "\n", "</p ", "</p=x>\n", '<f=a k=\\"', "<p>"],
            [1, 1000],
        ),
    ),
)
def test_linear_time(part, size):
    def repair(document):
        repairer = xml5tree.Repairer(**OPTIONS, trim_raw=True, max_depth=20)
        for piece in chunks(document, size):
            repairer.feed(piece)
        with suppress(xml5tree.ParseError):
            repairer.close()

    for start in ("<f><p>", "<f>", "<f><p></p>x"):
        make = f"{start}{{}}".format
        few = 200 if size > 1 else max(50, 250 // len(part))
        assert_scales_linearly(repair, lambda count, make=make: make(part * count), few, factor=8, slack=3, floor=0.002)


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (TypeError, {"raw": "p"}),
        (TypeError, {"raw": 1}),
        (ValueError, {"raw": {"z"}}),
        (ValueError, {"raw": {"p"}, "elements": None}),
        (ValueError, {"value_attribute": "a b"}),
        (ValueError, {"value_attribute": ""}),
        (TypeError, {"value_attribute": 1}),
        (TypeError, {"trim_raw": 1}),
        (ValueError, {"trim_raw": True, "elements": None, "dialect": "microxml"}),
    ],
)
def test_wrong_options(error, options):
    with pytest.raises(error):
        xml5tree.XMLParser(**{"elements": {"p"}, **options})
