"""Errors that runs of the core may have: what comes of them is the same on every way.

For ampersands see test_ampersands.py.
"""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import one_in
from support.outcomes import assert_same_on_all_ways, longest_run, on_each_way, outcome
from support.scaling import assert_grows_at_most
from support.splits import chunkings, cut, splits

import xml5tree
from compat.lanes import LANES
from xml5tree.errors.locator import Locator

END_TAGS = [
    "</u:a>",
    "</g:a>",
    "</u:a></u:a>",
    "</a>",
    "</b>",
    "</c>",
    "</x>",
    "</p:c>",
    "</o:c>",
    "</r>",
    "</m:>",
    "</m:p>",
    "</x >",
    "</b\n>",
    "</>",
    "</c></b></a>",
    *["</a k='v'>", "</b/>", "</c\nd>", "</a<b>", "</x y>", "</é>", "</p:c >", "</o:a/x>"],
]
SECTIONS = [
    *[
        "<!--z-->",
        "<!--a--b-->",
        "<!--z--->",
        "<!-->",
        "<!--->",
        "<!--z--!>",
        "<!-- <!--z-->",
        "<!--\x0b-->",
        "<!---\n-->",
    ],
    *[
        "<!z>",
        "<!-z>",
        "<!>",
        "<![CDATA z>",
        "<!doctype a>",
        "<!DOCTYPE a>",
        "<? z>",
        "<?p z?>",
        "<?p?z?>",
        "<?p??>",
        "<?>?>",
    ],
    *[
        "<?xml z?>",
        "<?XML z?>",
        "<?1 z?>",
        "<?p:q\n z?>",
        "<?é z?>",
        "<?p\n\x0b?>",
        "<?<p z?>",
        "<![CDATA[y]]>",
        "<![CDATA[]]]>",
    ],
    *[
        "<![CDATA[\x0b]]>",
        "]<![CDATA[]]]]>",
        "&#93;",
        "&#93",
        "&#xD83D;&#xDE09;",
        "&#XD83D&#56841",
        "&#xDE09;",
        "&#55357;",
    ],
]
TEXTS = [
    *["< ", "<", "<<", "<:", "<>", "</ ", "</:", "</<", "5 < 6", "<\n", "\x0b", "\x0c", "\x01y", "\ufffe", "\uffff"],
    *["\x0b<![CDATA[x]]>\x0b", "\x0b</x>\x0b", "<![CDATA[\x0b]]>", "<!--\x0b-->", "x", "]", "]]", "]]>", ">", "é", "𐀀"],
    *[" ", "\n", "&amp;", "&", "&x;", "&#11;", "&own;", "<!--z-->", "<?p z?>", "<![CDATA[y]]>", "y" * 40],
]
ATTRIBUTES = [
    *[' k="v"', ' k="w"', 'k="v"', " k=v", " k=v/", " k", " k=", " k= v", " k =v", " k='v'", ' k="&"', ' k="&gt;"'],
    *[" l=v", ' l="v"', 'l="v"', " l", ' p:k="v"', " p:k=v", ' o:k="v"', " q:k=v", " xmlns=u", ' xmlns:s="u"', ' "k"'],
    *[
        ' u:k="v"',
        ' u:l="v"',
        ' g:k="w"',
        " u:k=v",
        ' xmlns:u=""',
        ' xmlns:u="u"',
        ' xmlns:g="urn:x-undeclared-prefix:g"',
    ],
    *[" xmlns:xml='u'", " xmlns:xmlns='u'", " xmlns='http://www.w3.org/2000/xmlns/'", " xmlns:z='a b'", " xmlns:z='}'"],
    *[
        " xmlns:x='http://www.w3.org/XML/1998/namespace'",
        " xmlns:xml='http://www.w3.org/XML/1998/namespace'",
        " xmlns:=''",
    ],
    *[
        " xmlns:1='u'",
        " xmlns:y:z='u'",
        " xmlns:z='&own;'",
        " xmlns:z='&x;'",
        " k='&own;'",
        " p:k='w' o:k='v'",
        " k=\\'v'",
    ],
    "".join([f" k{number}=''" for number in range(13)]) + " k3='v'",
    *["  k=v", "\nk=v", ' k="\n"', "k", ' e="w"', " f=w", " k=é", " k=&amp;", ' k=v"w', " k=v<w", " k=\x0b", " k==v"],
]
NAMES = ["a", "b", "c", "d", "t", "n", "xmlns:a", "1", "a<b", "p:c", "s:c", "u:a", "u:a", "g:a", "m:", "x:c"]
DTD = (
    '<!DOCTYPE r [<!ENTITY own "its own &amp; text"><!ATTLIST d e CDATA "&own; v" f CDATA "w">'
    "<!ATTLIST t k NMTOKENS #IMPLIED><!ATTLIST n m ID #IMPLIED>]>"
)
HEADS = ["<r>", '<r xmlns:p="u" xmlns:o="u">', f"{DTD}<r>", "<r><a><b>\n", "<r><a><a><b><b><c>", "<r><s:c>"]
OPTIONS = [
    {},
    {"entities": "html"},
    {"recovery": "intent"},
    {"max_errors": 2},
    {"roots": "all"},
    {"elements": {"r", "a", "b", "c"}},
    {"root_element": "r"},
    {"attribute_defaults": True},
    {"max_depth": 8},
    {"max_depth": 3},
    {"max_depth": 3, "recovery": "intent"},
    {"control_characters": "drop"},
    {"control_characters": "escape", "recovery": "intent"},
]


#: What may be outside the root element.
OUTER = [
    *[
        "x",
        " ",
        "\n",
        "x\n y ",
        "&amp;",
        "&",
        "&#32;",
        "&#0;",
        "&x;",
        "&#xD800;",
        "]]>",
        "< ",
        "</ b",
        "<:",
        "<>",
        "\ufeff",
        "\x0b",
    ],
    *[
        "<a>",
        "<a/>",
        "</a>",
        "</a></a>",
        "</>",
        "<a k=v>x</a>",
        "<b\nk k/>",
        "</b\nk>",
        "<o:c/>",
        "<c xmlns:p='&x;' k='&x;'/>",
        "é",
        "<![CDATA[ y]]>",
        "<1>",
    ],
    *[
        "<!-- <a>\n -->",
        "<?p <b> ?>",
        "<!a <b>",
        "<?xml\nz?>",
        "<?xml?z?>",
        "<!DOCTYPE a>",
        "<!--a--b-->",
        "<? z>",
        "<?p:q?>",
    ],
]


@st.composite
def documents(draw):
    """Documents full of such errors."""
    attributes = st.lists(st.sampled_from(ATTRIBUTES), max_size=4).map("".join)
    ends = st.sampled_from([">", ">", "/>", " >", " />", "\n>"])
    tag = st.builds(lambda name, rest, end: f"<{name}{rest}{end}", st.sampled_from(NAMES), attributes, ends)
    piece = st.one_of(tag, *map(st.sampled_from, (END_TAGS, TEXTS, SECTIONS)))
    outer = st.lists(st.sampled_from(OUTER), max_size=6).map("".join)
    pieces = draw(st.lists(piece, min_size=1, max_size=24))
    end = draw(st.sampled_from(["</r>", "", "</x>\n", "</x></x></x>", "</r>\n</x>"]))
    head, before, after = draw(st.sampled_from(HEADS)), draw(outer), draw(outer)
    return f"{before}{head}{''.join(pieces)}{end}{after}"


@given(st.data())
def test_ways(data):
    options = data.draw(st.sampled_from(OPTIONS))
    document = data.draw(documents())
    assert_same_on_all_ways(document, data.draw(chunkings(document)), options)


@pytest.mark.parametrize("options", [{}, {"recovery": "intent"}])
@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_each_attribute_alone(attribute, options):
    """Random documents seldom have a tag with no other error."""
    document = f"<r><a{attribute}>x</a><b{attribute}/></r>"
    assert_same_on_all_ways(document, [document[:12], document[12:]], options)


def lines_of(root):
    """The elements of a tree, and the lines that they are on."""
    return [(element.tag, element.sourceline, element.attrib.items()) for element in root.iter("*")]


@given(data=st.data())
def test_ways_under_intent(data):
    """What intent makes of a document is read to the same on all ways."""
    options = data.draw(st.sampled_from(OPTIONS))
    document = data.draw(documents())
    assert_same_on_all_ways(document, data.draw(chunkings(document)), {**options, "recovery": "intent"})


@given(documents())
def test_trees(document):
    """The trees are the same, with the lines of the document."""

    def trees():
        etree = ET.tostring(xml5tree.fromstring(document, backend="etree"))
        return etree, lines_of(xml5tree.fromstring(document, backend="lxml"))

    on_each_way(trees)


DOCUMENT = "<r><a>\n</x>1 < 2\x0b<b k=v l=\"\"m=''>\x0c<c></b></y>\n</a></x></r>"


def test_every_split():
    """However a document is cut, it is the same: in two pieces, or in three of which the middle one is short."""
    cut = [parts for parts in splits(DOCUMENT, 3) if len(parts) < 3 or len(parts[1]) < 6]
    results = on_each_way(lambda: [outcome(parts, {})[:5] for parts in cut])
    assert results[1:] == results[:-1]


@pytest.mark.parametrize(
    "content",
    one_in(
        5,
        [
            *['<b k="v"l="w">x</b>', '<b k="v"l=" w">say " x</b>', '<b k="EUR l="w">x</b>', '<b k="" k="v">x</b>'],
            *[
                "<b k=v l>x</b>",
                "<b k=v/>",
                "<b k=`v`>x</b>",
                "<b k l>x</b>",
                "x < b>y",
                "5 < 6",
                "x < b y",
                "</ b>",
                "</ 6 >",
            ],
            *["\x0bx\x0c", "\x0b<![CDATA[\x0b]]>", "x]\x0b", "<u:b>5 < 6</u:b>", "<u:b><b/></u:b>"],
        ],
    ),
)
def test_every_split_under_intent(content):
    """Whether an error is doubted or not: it is the same, where the tag after it is doubted, too."""
    document = f"<r><u:a/><b>x</b>{content}<c>{content}<b>y<b/></r>"
    begin = document.index(content) - 2
    end = document.rindex(content) + len(content) + 2  # what is around both is split elsewhere
    # Pieces make no difference to the states, which know no runs.
    expected = on_each_way(lambda: outcome([document], {"recovery": "intent"})[:5])
    for place in range(begin, end):
        assert outcome(cut(document, [place]), {"recovery": "intent"})[:5] == expected, place


@pytest.mark.parametrize(
    "cut",
    [
        *["<r><a>x</y>", "<r><a>x</y></y> \n", "<r><a>x</y><b/>", "<r><a></y>x</y>", "<r><a></a></y>"],
        *["<r/>&#65;<a>", "<r/>x<a>", "<r/>&<a>", "<r/>&#<a>", "<r/><a>x", "<r/> &#32;<a>"],
    ],
)
def test_where_a_document_is_cut_off(cut):
    """Whether it ends in wrong end tags for all that is open is found on every way."""
    for recovery in ("draft", "intent"):
        on_each_way(lambda recovery=recovery: outcome([cut], {"recovery": recovery}))


@pytest.mark.usefixtures("reader")
def test_what_came_since_an_end_tag_was_ignored():
    """It is told of elements that are still open, on every way."""
    document = "<r><a></x>\n<b></y></b>" + "text" * 100 + "</r>" + " " * 20
    repairer = xml5tree.Repairer()
    repairer.feed(document)
    repairer.close()
    messages = [entry.message for entry in repairer.error_log if entry.code == "mismatched-end-tag"]
    assert len(messages) == 1
    assert "line 1" in messages[0]


@pytest.mark.usefixtures("reader")
def test_a_callback_that_raises():
    """What the caller's function raises ends the document at the same error."""
    told = []

    def stop_at_the_third(entry, told=told):
        told.append(entry.offset)
        if len(told) == 3:
            raise LookupError

    with pytest.raises(LookupError):
        xml5tree.repair("<r>< <b k=v></x> &\n & &</r>", on_error=stop_at_the_third)
    assert told == [3, 10, 12]


@pytest.mark.parametrize("cut", [0, 3])
def test_columns_of_a_tag_with_errors_on_its_next_line(cut):
    """Errors of the whole tag come after those within it, though they stand before them."""
    document = '<?xml\n<&;\nhr\' e="?">%p'

    def log():
        found = []
        parser = xml5tree.XMLParser(recovery="draft", on_error=found.append)
        parser.feed(document[:cut])
        parser.feed(document[cut:])
        parser.close()
        return {(entry.code, entry.line, entry.column) for entry in found}

    assert {("attribute-without-value", 3, 0), ("coerced-element-name", 2, 0)} <= on_each_way(log)


@pytest.mark.skipif("compiled" not in LANES, reason="the scanner is not compiled, or switched off")
@pytest.mark.parametrize(
    "content",
    [
        *[
            "</x>",
            "<b><c></b>",
            "<b></x><c></y></b></z>",
            "a < b",
            "\x0b\x0c<b/>",
            "<b k=v>x</b>",
            '<b k=""l="" l=""/>',
        ],
        *[
            "<b k l/>",
            "<b k=><c></b>",
            "<b k=v />",
            '<u:a>x<u:b u:k=""/>y</u:a>',
            '<b u:k="v" u:l="" zz:k=""><u:c/></b>',
        ],
        "<u:a><c></u:a></c>",
        *[
            "<!--a--b-->",
            "<!z>",
            "<? z>",
            "<?xml z?>",
            "<![CDATA[\x0b]]>",
            "<b xmlns:z='a b'/>",
            "<b></b\nk='v'>",
            "&#55357;",
        ],
        "<b>" * 100 + "</x></y>" * 30 + "</b>" * 100,
        "<b\nk=v><!--\n--->&#93</x\n>></b>",
    ],
)
def test_runs_go_on(content):
    content = f"{content}<z/>{'x' * 100}{content}{'y' * 100}"
    document = f"<r>{content}</r>"
    assert longest_run(document, recovery="draft") == len(document)
    if "\x0b" not in content and not content.startswith("&#55357;"):
        assert longest_run(document, recovery="draft", control_characters="drop") == len(document)


@pytest.mark.skipif("compiled" not in LANES, reason="the scanner is not compiled, or switched off")
@pytest.mark.parametrize(
    "content",
    [
        *["5 < 6", "a < b c", "<<b/>", "\x0b\x0c<b/>", '<b k="" k="">x</b>', "<b k=v>x</b>", '<b k="v"l="">x</b>'],
        *["<b k=>x</b>", '<b k="" l>x</b>', "<u:b>5 < 6</u:b>", '<b u:k=""/>', '<b u:k="">x</b>', "R & D"],
    ],
)
def test_runs_go_on_under_intent(content):
    """So they do past errors that intent reads as the draft does."""
    content = f"{content}<z/>{'x' * 100}{content}{'y' * 100}"
    document = f"<r>x<b>x</b><b/><u:a/><u:b>x</u:b><z/>{content}</r>"
    assert longest_run(document, recovery="intent") >= len(content)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('<b k="EUR l="v">x</b>', "assumed-end-of-value"),
        ('<b k=v">x</b>', "assumed-quotes"),
        ("<b k=“v”>x</b>", "assumed-quotes"),
        ("<b k=v/>", "assumed-empty"),
        ("<b>x< i>y</i></b>", "assumed-text"),
        ("<b k=v<i/></b>", "assumed-end-of-tag"),
        ("5<6", "assumed-text"),
        ("<b>x</ b>", "assumed-end-tag"),
        ("x <y z> z", "assumed-text"),
    ],
)
def test_what_intent_reads_otherwise_is_not_gone_past(content, code):
    document = f"<r><i>z</i><b>x</b>{'x' * 100}<z/>{content}<z/>{'x' * 100}</r>"
    _, entries, *_ = on_each_way(lambda: outcome([document], {"recovery": "intent"}))
    assert code in {entry.code for entry in entries}


FILLING = "x" * 200 + "<z/>"


@pytest.mark.parametrize(
    "content",
    [
        f"<u:b><c>x</c></u:b>{FILLING}<u:b><c>x</c>text</u:b>",  # text is new after a child
        f"<u:b/><u:b></u:b>{FILLING}<c><d/><u:b>text</u:b></c>",  # and in an element that was empty
        f"{FILLING}\x0b<n/>]",
        f"<c><d>y</d></c>{FILLING}\x0b<c><d>y</d>text</c>",  # a text with an error is before what is cut
        f"<c><d>y</d></c>{FILLING}]<c><d>y</d>text</c>",
        f'<c><d>y</d></c>{FILLING}<c k="1"l="/"><d>y</d>text</c>',  # what a quote is depends on what follows
    ],
)
def test_runs_before_what_is_read_otherwise(content):
    document = f"<r>x<u:a/><c/>{FILLING}{content}{FILLING}</r>"
    on_each_way(lambda: outcome([document], {"recovery": "intent"}))


def test_quotes_that_reading_ahead_takes_for_another_pair():
    """What intent finds wrong by that is far before the end of the run in which the tag would be."""
    tag = '<e k="v"l=" w"/></a>" x="1"/>'
    document = f"<r><s><c/><a>x</a><a>x<c/>{tag}<z/></s>{'<z/>' * 10_000}</r>"
    on_each_way(lambda: outcome([document], {"recovery": "intent"}))


@pytest.mark.usefixtures("reader")
def test_many_end_tags_that_end_nothing():
    """They are not looked for among all elements that are open."""
    document = "<r>" + "<a>" * 150 + "</x>" * 1000 + "</a>" * 150 + "</r>"
    expected = document.replace("</x>", "")
    assert xml5tree.repair(document, recovery="draft") == expected


@pytest.mark.parametrize("end", ["</m:p>", "</m:p></m:>", "</m:p ></m:>", "</m:></m:p>"])
def test_an_end_tag_whose_name_begins_as_that_of_an_element_that_is_renamed(end):
    """It is not that of the element, of which the markup has another name."""
    document = f"<r><m: >x{end}{'y' * 40}</r>"
    on_each_way(lambda: outcome([document], {"recovery": "draft"}))


@pytest.mark.parametrize(
    "content",
    [
        '<p:b xmlns:p="u"><p:c/></p:b><p:b/>',
        '<b xmlns:p=""><p:c/><p:c></p:c></b><p:b/>',
        "<p:b><p:c/><c p:k='v'/></p:b><p:c/>",
        '<p:b><c xmlns:p="u"><p:c/></c><p:c/></p:b><p:c p:k="v"/>',
        '<c xmlns:p="u"><b xmlns:p=""><p:c/></b><p:c/></c><p:c/>',
        "<p:b><p:c></b><p:c/>",
        '<1:b/><c xmlns:ns0="u"/><ns0:c/><1:b><ns0:c/></1:b><ns0:c/>',
    ],
)
def test_a_prefix_that_is_declared_in_some_places_only(content):
    """Where nothing binds it, it is bound at each element, on every way."""
    document = f"<r><p:a/><ns0:a/>{content}<p:a/><q:a></q:a>{'x' * 40}</r>"
    for options in ({}, {"namespaces": {"p": "v"}}):
        assert_same_on_all_ways(document, [document[:30], document[30:]], options)


def test_time_of_declarations_after_many_prefixes_that_are_not_declared():
    """A declaration that the states read takes hardly longer for the prefixes that were found undeclared before it."""

    def make_document(prefixes):
        uses = "".join([f"<p{number}:a/>" for number in range(prefixes)])
        return "<r>" + uses + '<a xmlns:z="%20">x</a>' * 1000 + "</r>"

    assert_grows_at_most(xml5tree.repair, make_document(1), make_document(63), 2.5)


@given(text=st.text("ab\n", max_size=60), data=st.data())
def test_positions_in_any_order(text, data):
    """Lines that are known, and texts whose newlines were counted, count as those that the locator counts."""
    base = data.draw(st.integers(0, len(text)))
    locator = Locator()
    locator.advance(0, text)
    locator.advance(base, text[base:])
    for offset in data.draw(st.lists(st.integers(base, len(text)), max_size=8)):
        before = text[:offset]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
        how = data.draw(st.sampled_from(["locate", "line", "column", "pass over"]))
        if how == "locate":
            assert locator.locate(offset) == (line, column)
        elif how == "line":
            assert locator.line(offset) == line
        elif how == "column":
            assert locator.column(offset, line) == column
        else:
            end = data.draw(st.integers(offset, len(text)))
            locator.pass_over(offset, (line, column), end - offset, text.count("\n", offset, end))
