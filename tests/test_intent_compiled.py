"""The search in C makes the same steps as that in Python, at the same costs."""

import gc
import random
import re
import weakref
from collections import defaultdict
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xml5tree.accelerator import compiled
from xml5tree.intent import attributes, beginning
from xml5tree.intent.names import ENDS, INLINE, NEVER_FILLED, PHRASE, PRINTED, VOID
from xml5tree.intent.search import Search

if compiled is None:
    pytest.skip("the search is not compiled, or switched off", allow_module_level=True)

from xml5tree.accelerator import _scan
from xml5tree.intent.compiled import COSTS_OF_SEARCH, CompiledSearch
from xml5tree.xml.structure import Content

FEED = """<?xml version="1.0"?>
<rss version="2.0">
  <channel>
    <title>News &amp; more</title>
    <!-- a note -->
    {}
  </channel>
</rss>
"""
ITEM = """<item>
      <title>One <b>bold</b> <i>word</i></title>
      <link href="http://example.org/{0}"/>
      <guid isPermaLink="false">{0}</guid>
      <text><![CDATA[5 < 6]]></text>
    </item>
    """
LIST = "<ul>{}</ul>"
POINT = '<li class="a"><p>Text<br>more<p>and more</li><li><p>last</p></li>'
PIECES = [
    *(
        "<",
        ">",
        "</",
        "/>",
        '"',
        "'",
        "=",
        " ",
        "\n",
        "\t",
        "&",
        "&amp;",
        "&copy ",
        "\xa0",
        "\u201c",
        "\u2014",
        "\u200b",
    ),
    *("<a>", "</a>", "<a b='1'>", "<item>", "</item>", "<ITEM>", "</itme>", "</>", "<1>", "<br>", "</p>", "<x@y.org>"),
    *("<!--", "-->", "<!-->", "<![CDATA[", "]]>", "<?x", "?>", '<?xml version="1.0"?>', "<!DOCTYPE a [", "]>", "text"),
]
ATTRIBUTES = [
    *(
        ' a="1"',
        " b=2",
        " c",
        ' d = "x y"',
        " e='q'",
        ' f="a<b"',
        ' g="x > y"',
        ' h="unclosed',
        ' i=unopened"',
        " checked",
    ),
    *(' j="in "side" it"', " k=/more", ' l="1"m="2"', " /", ' n="', " o=", ' r="a=b" s', ' t="x y=" u="', ' v="&amp;"'),
    *(
        " =",
        " = ",
        " p=/",
        " q=a/b/",
        " :",
        " k=\u201cv\u201d",
        ' k=\u201ev "w\u201c',
        " k=\u2018v\u2019",
        " k=\u2019v\u2019",
        " k=\u201cv",
        ' m="1"2',
    ),
    *(
        ' w=a"b"',
        ' "x"',
        ' y"z"',
        ' 1a="2"',
        ' a&b="1"',
        ' z="1",',
        ' :x="1"',
        ' @y="2"',
        " q='it's '",
        ' c=3D"4"',
        "<",
        '"',
        "'",
    ),
]
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["item", "title", "ab"]),
        st.lists(st.sampled_from(ATTRIBUTES), max_size=3).map("".join),
        st.sampled_from([">", "/>", "", "\n", " "]),
        st.sampled_from(
            [
                "text",
                "x > y",
                "item> b",
                "5 < 6",
                "x <5 y<7.5 />8",
                "<=<%<3a\n>",
                "<  ",
                "< /a",
                "<<",
                "< b c",
                "<  x, y, item",
                "a<b.",
                '< this">',
                "<x@y z='1'>",
                "<\nitem x=1>",
                "</item>",
                "<\\/item>",
                "</title>\n",
                "</ab>",
            ]
        ),
    ),
    max_size=8,
)
BEGINNINGS = [
    *("<b>Warning</b>: x on line 3<br />\n", "<h1>404</h1>", '<?xml version="1.0"?>', '<xml version="1.0"?>'),
    *("<?p <q> ?>", "<!DOCTYPE a>", "<!-- <q> -->", "<!-- x", "<![CDATA[<q>]]>", "text", "\n", "<a", "<html", "<p"),
    *("<\u00e9", "<a@b.c", ' xmlns="http://a"', ' xlmns:p="http://a"', ' XMLNS:p="urn:a"', ' xmlns p="http://a"'),
    *(' xml:base="http://x"', ' xmlns:="http://b"', "\"xmlns:p='http://u'", ' mlns:p = "http://a"', ' xml:lang="en"'),
    *(' x="1"', ">", "/>", "<a>", "</a>", "</html>", "<p:i>t</p:i>", "<i>t</i>", "<i>", "</i>", "&", "<", '"'),
    f"<!-- {'x' * 17_000} -->",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
OPTIONS = [
    {},
    {"roots": True},
    {"root_names": frozenset({b"rss", b"a"})},
    {"elements": frozenset({b"item", b"title", b"a"})},
    {"elements": frozenset({b"rss", b"title", b"item", b"b"}), "raw": frozenset({b"title", b"item"})},
    {
        "content": {
            "item": Content(never=frozenset({"item", "{*}point"})),
            "title": Content(children=frozenset()),
            "{*}channel": Content(children=frozenset({"item", "title", "#"})),
        }
    },
]
DTD = "<!DOCTYPE rss [<!ELEMENT item (title, ab*)><!ELEMENT title EMPTY><!ELEMENT ab (#PCDATA)><!-- ]' -->]>"


def steps_of(search, octets, size):
    """Return the steps, the cost and all places that are decided on the way."""
    steps = []
    for begin in range(0, len(octets) + 1, size):
        search.lattice.feed(octets[begin : begin + size], final=begin + size > len(octets))
        for edge, *rest in search.advance():
            shown = edge.kind, edge.name, edge.begin, edge.end, edge.has_attributes, edge.instead, edge.operation
            steps.append((shown, *rest))
        search.lattice.forget(search.kept)
    return steps, search.place, search.kept, search.start, search.doubt


def check(octets, *sizes, **options):
    search = Search(**options)
    expected = steps_of(search, octets, 1 << 20)
    for size in sizes:
        other = CompiledSearch(**options)
        assert steps_of(other, octets, size) == expected
        assert other.cost == search.cost


def broken(octets, seed):
    """Return a document after a few changes at random places."""
    chosen, changed = random.Random(seed), bytearray(octets)
    for _ in range(chosen.choice((1, 2, 5, 12))):
        at, kind = chosen.randrange(len(changed) + 1), chosen.random()
        if kind < 0.4:
            del changed[at : at + chosen.choice((1, 2, 5, 12))]
        elif kind < 0.8:
            changed[at:at] = chosen.choice(PIECES).encode()
        else:
            changed[at:at] = changed[at : at + chosen.randrange(1, 60)]
    return bytes(changed)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "none")
@given(text=TEXTS)
def test_pieces(options, text):
    check(text.encode(), 7, **options)


def test_very_many_errors():
    """All of them together cost more than 32 bits hold."""
    search, octets = CompiledSearch(), b"<r>%b</r>" % b"".join(b"<a/></b%d>\n" % number for number in range(170_000))
    assert [*steps_of(search, octets, 1 << 16)[1:]] == [len(octets), len(octets), None, 0]
    assert search.cost > 1 << 30


@pytest.mark.parametrize("document", [b"<></a><<br>", b"</a>>>>x<br>", b"<x@y.org></>><br>"])
def test_end_tag_before_any_start_tag(document):
    """A root whose start tag is assumed ends before the first start tag that there is."""
    check(document, 7)


def test_a_carriage_return_before_a_tag():
    """The tag is not first on its line, whatever tabs are around."""
    rows = b"\n\t\r\t<a>1</a>" * 9
    check(b"<r>" + (b"\n" + b" " * 17 + b"<a>1</a>") * 9 + rows + b"\n\t\r\t<a>1<b></a>" + rows + b"</r>", 1 << 20)


@pytest.mark.parametrize("options", OPTIONS[-1:] + OPTIONS[:1], ids=["caller", "dtd"])
@given(text=TEXTS, names=st.lists(st.sampled_from(["item", "title", "ab", "rss", "p:point", "point"]), max_size=30))
def test_known_structure(options, text, names):
    tags = "".join(f"<{name}>" if number % 3 else f"</{name}>" for number, name in enumerate(names))
    beginning = "<r>" if options else DTD + "<rss>"
    check((beginning + tags + text + tags + "</rss>").encode(), 7, **options)
    if options:
        check((DTD + tags + text).encode(), 7, **options)


def test_a_rival_that_has_no_chance():
    """It is so much dearer that no margin is as large."""
    known = {"content": {"i": Content(children=frozenset({"b", "#"}))}}
    doctype = b"<!DOCTYPE rss [<!ELEMENT item (title, ab*)><!ELEMENT title EMPTY>"
    check(doctype + b"<title>One <b></b><&i></i><title>One <i></i>One <b></b><i></i></title>", 1 << 20, **known)


@given(rows=ROWS)
def test_attributes(rows):
    tags = "".join(f"<{name}{attributes}{close}{text}" for name, attributes, close, text in rows)
    check(f"<root>\n{tags}</root>\n{' ' * 20}".encode(), 1 << 20)


def test_words_are_those_of_python():
    path = Path(_scan.__file__).with_name("lattice.h")
    if not path.exists():
        pytest.skip("no sources")
    table = path.read_text("utf-8").partition("LISTS_OF_WORDS[] = {")[2].partition("\n};\nenum { LONGEST_WORD = ")
    lists = defaultdict(set)
    for row in re.findall(r"\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", table[0], flags=re.DOTALL)):
        words = " ".join(re.findall(r'"([^"]*)"', row)).encode().split()
        assert max(map(len, words)) <= int(table[2].partition(",")[0])
        for name, values in re.findall(r"\.(\w+) = ([\w| ]+)", row):
            for value in values.split(" | "):
                lists[name, value.strip()].update(words)
    ends = defaultdict(set)
    for (name, value), words in lists.items():
        for word in words if name == "ends_before" else ():
            ends[word] |= lists["ends_others", value]
    assert ends == ENDS
    assert {value: words for (name, value), words in lists.items() if name == "kinds"} == {
        "IS_VOID": VOID,
        "IS_NEVER_FILLED": NEVER_FILLED,
        "IS_INLINE": INLINE,
        "IS_PHRASE": PHRASE,
        "IS_PRINTED": PRINTED,
        "IS_BOOLEAN": attributes._BOOLEAN,
        "IS_BEFORE": beginning._HTML,
    }


@pytest.mark.parametrize("name", sorted(beginning._HTML, key=bytes.decode))
def test_each_element_that_servers_write_before_a_document(name):
    for content in (b"/>", b">x</%b>" % name, b">Warning: on line 3</%b>\n" % name):
        check(b"<%b%b<feed><entry>a</entry><entry>b</entry></feed>" % (name, content), 1 << 20)


@pytest.mark.parametrize("character", ["\ufeff", "\xa0", "\u200b", "\u201c", "\u2014", "\xd7", "\xe9", "\u65e5"])
def test_what_is_no_letter_begins_no_first_tag(character):
    for tag in ('<p Xmlns:p="http://p">', "<noscript>", "<p:i xml ns:p='http://a'>"):
        check(f"<{character}{tag}Warning: on line 3</p><feed><e>a</e><p:e/></feed>".encode(), 1 << 20)


@given(text=st.lists(st.sampled_from(BEGINNINGS), min_size=3, max_size=24).map("".join))
def test_beginnings(text):
    check(text.encode(), 1 << 20)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "none")
@pytest.mark.parametrize("seed", range(8))
def test_broken_documents(options, seed):
    feed = FEED.format("".join(map(ITEM.format, range(9)))).encode()
    check(broken(feed, seed), 1 << 20, **options)
    check(broken(LIST.format(POINT * 5).encode(), seed), 1 << 20, **options)


@pytest.mark.parametrize("size", [1000, 4096, 50_000])
@pytest.mark.parametrize("seed", range(2))
def test_documents_that_are_longer_than_can_be_seen(size, seed):
    feed = FEED.format("".join(map(ITEM.format, range(350)))).encode()
    check(broken(feed, seed), size)
    check(broken(LIST.format(POINT * 1200).encode(), seed), size, roots=True)


@pytest.mark.parametrize("close", ['">', '"/>', '" k="w">', "'>", '"', ""])
@pytest.mark.parametrize("part", ["v", "v w ", 'x="y" ', "v>", "</b>", "v]]> ", "'", "/", "\u00e9"])
def test_tags_that_are_longer_than_can_be_seen(part, close):
    short, long = (f'<a k l="m" data="{part * (length // len(part))}{close}' for length in (17_000, 40_000))
    check(f"<r>{short}x</a>{long}<a>y</a></r>".encode(), 5000)


def places_asked(document, **options):
    """Return the places about which the search asks Python."""
    search = CompiledSearch(**options)
    asked, edges = [], search._edges
    search._edges = lambda place, is_kept: asked.append(place) or edges(place, is_kept)
    assert steps_of(search, document, 1 << 20)[1] == len(document)
    return asked


def test_long_values_are_read_without_python():
    assert not places_asked(b"<r>" + b'<a data="%b"/>' % (b"v" * 50_000) * 3 + b"</r>")


@pytest.mark.parametrize("row", [b"<u>", b"<u k='1'>\n", b"<u><b/>", b"<u></b>"])
@pytest.mark.parametrize("names", [b"", b"r u b"])
def test_equal_tags_in_a_row_are_read_without_python(row, names):
    """But the first of each name, where the caller lists names, and the end tag of no element."""
    options = {"elements": frozenset(names.split())} if names else {}
    document = b"<r><u></u>" + row * 500 + b"x" + b"</u>" * 400 + b"<a>1<b></a></r>"
    check(document, 1 << 20, 777, **options)
    assert len(places_asked(document, **options)) < 10


@pytest.mark.parametrize(
    "record",
    ["<É>x</É>", "<né k=1>x</né>", "<a k='\xa0\u200b'>x</a>", "<a>x</a><é/>", "<a>5 < <b c></a>", '<a>p <5 q <="</a>'],
)
@pytest.mark.parametrize("names", [None, "r i a É é né"])
def test_records_are_read_without_python(record, names):
    """But the first of each name, where the caller lists names."""
    options = {"elements": frozenset(names.encode().split())} if names else {}
    records = [f"<i>{record}{number}</i>" for number in range(200)]
    document = "<r><i>{}</r>".format("".join(records)).encode()
    check(document, 1 << 20, **options)
    assert len(places_asked(document, **options)) <= 12


@pytest.mark.parametrize(
    "options",
    [{"root_names": frozenset({b"r"})}, {"roots": True}, {"elements": frozenset(b"r item title link b i".split())}],
    ids="-".join,
)
def test_options_are_followed_without_python(options):
    document = "<r><item>{}</r>".format("".join(map(ITEM.format, range(350)))).encode()
    assert len(places_asked(document, **options)) <= 24


@pytest.mark.parametrize("tag", ["<x\n", "<x k='1' "])
@pytest.mark.parametrize("end", ["", f"<x>{'<t>a</t>' * 5}</x>&</q>" * 9])
def test_a_start_tag_without_end_that_is_forgotten(tag, end):
    """What follows teaches nothing, however far it is."""
    check(f"<r>{'<t>a</t>' * 3}{tag}{'<t>a</t>' * 8000}{end}</r>".encode(), 5000)


@pytest.mark.parametrize("size", [1000, 50_000])
def test_a_root_that_ends_far_before_the_end_tags_of_what_goes_on(size):
    for before, after in ((1, 5), (1, 350), (350, 1), (350, 350)):
        items = ["".join(map(ITEM.format, range(count))) for count in (before, after)]
        check(f"<rss><channel>{items[0]}</channel></rss>{items[1]}</channel></rss>".encode(), size)
        check(f"<rss><channel>{items[0]}</channel></rss><rss/>{items[1]}</channel></item></rss>".encode(), size)


def test_any_octet_in_a_name():
    for octet in range(256):
        name = b"i" + bytes([octet]) + b"m"
        check(b'<r><item>1</item><%b a="1">2</item><%b>3</%b>4</r>' % (name, name, name), 50_000)


def test_documents_without_an_error_have_no_steps():
    feed = FEED.format("".join(map(ITEM.format, range(350)))).encode()
    steps, place, _, *rest = steps_of(CompiledSearch(), feed, 4096)
    assert (steps, place, rest) == ([], len(feed), [None, -1])


@pytest.mark.parametrize("section", ["<![CDATA[{}]]>", "<!--{}-->", "<?p {}?>"])
@pytest.mark.parametrize("make", [Search, CompiledSearch])
def test_sections_that_are_longer_than_can_be_seen_are_no_error(make, section):
    document = f"<r>{'<a/>' * 5000}{section.format('<b> ' * 9000)}{'<a/>' * 5000}</r>".encode()
    assert steps_of(make(), document, 4096)[0] == []
    assert steps_of(make(), document, 4096)[-1] == -1


def test_suspects_end_with_the_outer_record():
    records = "<r>" + "<s>1</s>" * 20 + "<s>2<s>3</s></s>" * 2 + "<s>4</s>" * 5000 + "</r>"
    check(records.encode(), 5000)
    check(records.replace("</s></s>", "</s>", 1).encode(), 5000)


@pytest.mark.parametrize(
    "tag",
    [
        *('<i k="1" = >', '<i : k="1">', "<i k=\u201c1\u201d>", "<i k=\u2018a b\u2019 l>", "<i k=1>", '<i k="1"2.5'),
        *('<i k="1', '<i k="1"', '<i k="a "b" c">', "<i k l>", '<i k"1">'),
        *("<i k=/><i>", "<i><  x, y z", "<i>a<b.", '<i>< this">< this/>'),
    ],
)
def test_usual_faults_of_tags_are_read_without_python(tag):
    document = "<r>" + f"<a>x</a>{tag}y</i><i k='2'>z</i>" * 50 + "</r>"
    assert len(places_asked(document.encode())) <= 2  # about the beginning of the document


def test_what_is_asked_for_the_beam_is_kept():
    """Also after the search has looked ahead: what has been asked for has numbers in the steps."""
    search = CompiledSearch()
    kept, edges = set(), search._edges
    search._edges = lambda place, is_kept: (kept.add(place) if is_kept else None) or edges(place, is_kept)
    document = b"<r>" + b"<a>x</a>" * 20 + b"<a>y" + b"<a>x</a>" * 50 + b"<b>x a> y</b>" + b"<a>x</a>" * 3000 + b"</r>"
    steps = steps_of(search, document, 1 << 20)
    assert steps == steps_of(Search(), document, 1 << 20)
    assert document.index(b"x a>") in kept


def test_what_is_asked_may_fail():
    search = _scan.open_search(COSTS_OF_SEARCH, True, False, (), 1)

    def fail(place, is_kept):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        _scan.step_search(search, fail, b"<a>", 0, 3, True)
    with pytest.raises(RuntimeError, match="has failed"):
        _scan.step_search(search, fail, b"<a>", 0, 3, True)


@pytest.mark.parametrize(
    "edges",
    [(), [], [1], [(0,)], [(0, "", 0, 3, -1, 0, 0)], [(9, b"", 0, 3, -1, 0, 0)], [(0, b"", 0, 4, -1, 0, 0)]],
    ids=str,
)
def test_wrong_edges(edges):
    search = _scan.open_search(COSTS_OF_SEARCH, True, False, (), 1)
    with pytest.raises((TypeError, ValueError)):
        _scan.step_search(search, lambda place, is_kept: edges, b"<a>", 0, 3, True)


def test_a_search_is_not_used_while_it_is_at_work():
    search, errors = _scan.open_search(COSTS_OF_SEARCH, True, False, (), 1), []

    def use(place, is_kept):
        assert _scan.count_search(search, 0, b"a") == 1
        with pytest.raises(RuntimeError, match="at work"):
            _scan.step_search(search, use, b"<a>", 0, 3, True)
        errors.append(place)
        return [(2, b"a", 0, 3, -1, 16, 0)]

    _scan.step_search(search, use, b"<a>", 0, 3, True)
    assert {*errors} == {0}


@pytest.mark.parametrize(
    "arguments",
    [
        (b"<a>", 0, 4, True),  # more than there is
        (b"<a>", 1, 0, True),  # a negative length
        (b"<a>", 1, 3, True),  # what is undecided is forgotten
    ],
)
def test_wrong_texts(arguments):
    search = _scan.open_search(COSTS_OF_SEARCH, True, False, (), 1)
    with pytest.raises(ValueError, match="no text"):
        _scan.step_search(search, lambda place, is_kept: [], *arguments)


def test_costs_must_be_there():
    with pytest.raises(ValueError, match="costs expected"):
        _scan.open_search((1,), True, False, (), 1)


def test_searches_are_freed_at_once():
    gc.disable()
    try:
        search = CompiledSearch()
        steps_of(search, b"<a><b></a>", 100)
        alive = weakref.ref(search)
        del search
        assert alive() is None
    finally:
        gc.enable()


def test_a_search_is_not_held_by_what_it_asks() -> None:
    """Nor does it hold that, after an exception."""

    class Ask:
        def __call__(self, place: int, is_kept: bool) -> NoReturn:
            raise ValueError("of a callback")

    ask = Ask()
    asked = weakref.ref(ask)
    search = _scan.open_search(COSTS_OF_SEARCH, True, False, (), 1)
    with pytest.raises(ValueError, match="of a callback"):
        _scan.step_search(search, ask, b"<a></b>", 0, 7, True)
    del ask
    assert asked() is None
    with pytest.raises(RuntimeError, match="has failed"):
        _scan.step_search(search, Ask(), b"<a></b>", 0, 7, True)


ITEM = "<item><title>a title</title><link>http://host/</link>\n<text>some <b>bold</b> text</text></item>"
TORN = "<item><title>a title</title><link>http://host/<text>some text</text></item>"


def records(*numbers, between=TORN, head="<rss><channel>", tail="</channel></rss>"):
    """Return a document of so many records, with a broken one between them."""
    return (head + between.join(ITEM * number for number in numbers) + tail).encode()


@pytest.mark.parametrize(
    "document",
    [
        records(2500, 1200),
        records(600, 1, 1, 900, 3),  # quiet, the beam, quiet, and the rest of the document
        records(1900, 300, between="</channel><channel>" + TORN),  # elements end between the mark and the error
        records(2200, 10, head="<r v='1'>" + "<!-- before -->" * 5000 + "<channel>", tail="</channel></r>"),
        records(500, 500, between="</item>", head="<rss>" + "<a>" * 300, tail="</a>" * 300 + "</rss>"),
        records(30, 1500, 100, between="<v a='%s'/>" % ("QUJD" * 20_000) + TORN),
        records(2200, 100, between="<item>a<item>b</item>"),
        b"<?xml version='1.0'?><r>" + records(900) + b"<?xml version='1.0'?><r>" + records(300, 1) + b"</r>",
    ],
    ids=["far", "near", "ended", "late", "deep", "long", "nested", "roots"],
)
def test_quiet(document):
    check(document, 1000, 1 << 16, 1 << 20)


@pytest.mark.parametrize("error", ["", "<row><a>1</b></row>"])
def test_an_element_that_goes_on_is_seen_far_from_other_errors(error):
    """No other has in it what is usual around it. One that does end, and a section of rows, are left alone."""
    row = "<row><a>1</a></row><sum>3</sum>"
    ends = row.replace("</row><sum>3</sum>", "<sum>3</sum></row>")
    parts = ("<r><t>" + row * 500 + error + row * 1500 + ends + row * 1500, "<row><a>1</a><sum>3</sum>" + row * 1500)
    document, place = "".join((*parts, "<part>", row * 1500, "</part></t></r>")).encode(), len(parts[0]) + 13
    check(document, 1 << 16, 1 << 20)
    steps, *_ = steps_of(CompiledSearch(), document, 1 << 20)
    assert [(closed, shown[2]) for shown, _, closed, *_ in steps if closed] == [((b"row",), place)]


def test_records_that_follow_each_other_are_seen_far_from_other_errors():
    """One that lacks its end tag has the next ones in it. So has `<br>`, which has no content; but not a section."""
    row = b"<row>1</row>"
    for part, closed in ((b"<row>1", [(b"row",)]), (b"<br>", [(b"br",)]), (b"<part>" + row * 5000 + b"</part>", [])):
        document = b"<r>%b</r>" % part.join([row * 5000, row * 5000])
        check(document, 1 << 16, 1 << 20)
        steps, *_ = steps_of(CompiledSearch(), document, 1 << 20)
        assert [step[2] for step in steps] == closed
        assert all(step[0][2] == len(b"<r>" + row * 5000 + part) for step in steps)


def test_records_without_end_tags_are_seen_far_from_other_errors():
    """The third that is open is suspicious, where such children are usual; parts in parts that end are left alone."""
    parts = b"<part><part><part>" + b"<t>1</t>" * 9000 + b"</part></part></part>"
    for record, after in ((b"<row><a>1</a>", b""), (b"<row><a>1</a><row><a>2</a></row>", b""), (b"", parts * 9)):
        document = b"<r>%b%b</r>" % (record * 3000, after)
        check(document, 1 << 16, 1 << 20)
        steps, *_ = steps_of(CompiledSearch(), document, 1 << 20)
        assert sum(bool(step[2]) for step in steps) == (3000 if record else 0)


def test_what_is_open_before_an_error_is_known():
    """The root begins far before what is learned, and its records are known as its own."""
    record = '<record a="1"/>'
    document = ("<r>" + record * 20_000 + "<x>" + record * 20 + "</r>").encode()
    check(document, 1 << 16, 1 << 20)
    steps, *_ = steps_of(CompiledSearch(), document, 1 << 20)
    assert [step[2] for step in steps] == [(b"x",)]
    assert steps[0][0][2] == document.index(b"<x>") + 3


def test_quiet_follows_an_error():
    """What is far from every error is not learned: as much as two windows and what may be seen ahead."""
    search, steps = Search(), []
    search.lattice.feed(records(4000, 1000), final=True)
    for step in search.advance():
        steps.append((step.closed, search.model.starts[b"item"]))
    assert [closed for closed, _ in steps] == [(b"link",)]
    assert all(count < 2500 for _, count in steps)
    assert search.is_quiet
    assert search.model.starts[b"item"] - search.model.ends[b"item"] == search.model.open_names.count(b"item")
