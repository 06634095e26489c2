"""Ampersands that are errors, which the core may take: what comes of them is the same on every way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.outcomes import assert_same_on_all_ways, longest_run, on_each_way, outcome
from support.splits import chunkings, splits

import xml5tree
from compat.lanes import LANES

#: What stands at an ampersand, in text and in values.
FORMS = [
    *[
        "&",
        "& ",
        "&&",
        "&;",
        "&1;",
        "&-x;",
        "&.",
        "&=",
        "&x",
        "&x=1",
        "&x y;",
        "&:x",
        "&x:y;",
        "&é",
        "&é ",
        "&\u0301x;",
    ],
    *["&x;", "&x;&x;", "&nbsp;", "&eacute;", "&copy", "&amp", "&lt", "&LT;", "&NewLine;", "&Tab;", "&rsqb;", "&fjlig;"],
    *["&own;", "&tag;", "&bad;", "&]]>", "&rsqb;]>", "&#", "&#;", "&#x;", "&#65", "&#65;", "&#0;", "&\x0b", "&\ufffe"],
    *["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&amp;x;", "&" + "n" * 70 + ";", "&𐀀;", "&😀;", "&\n", "&\t"],
    "&mdash",
]
IN_VALUES = [form for form in FORMS if "<" not in form]
START_TAGS = [
    *['<b k="{}">', "<b k='{}'>", '<b k="{}" l="{}">', '<b  k="{}">', '<b k = "{}">', '<b k="{}" >', '<b\nk="{}">'],
    *['<b k="\n{}">', '<b k="\'{}">', '<b k="{}"l="">', '<b k="{}" k="">', '<b p:k="{}">', '<b xmlns:p="{}">'],
    *['<b k=">{}">', '<b k="<{}">', '<d k="{}">', '<n k="{}">', '<t k="{}">', "<b k={}>", '<p:b k="{}">'],
]
AROUND = ["</b>", "<b>", "<b/>", "<c>x</c>", "x", " ", "\n", "\n\n", "é", "]", "]]", "]]>", "<", "</", "</c>", "x < y"]
HIDDEN = ["<!--{}-->", "<![CDATA[{}]]>", "<?p {}?>", "<!-- {} -- >"]
DTD = (
    '<!DOCTYPE r [<!ENTITY own "its own &amp; text"><!ENTITY tag "<i>x</i>"><!ENTITY bad "<i>&own;">'
    '<!ATTLIST d e CDATA "&own; v" f CDATA "w"><!ATTLIST t k NMTOKENS #IMPLIED><!ATTLIST n m ID #IMPLIED>]>'
)
HEADS = [
    "<r>",
    '<r xmlns:p="u">',
    f"{DTD}<r>",
    "<!DOCTYPE r SYSTEM 'x'><r>",
    "<!DOCTYPE r [<!ATTLIST b l CDATA 'v&#38;'>]><r>",
]


@st.composite
def documents(draw):
    """Documents full of ampersands."""
    form = st.sampled_from(FORMS)
    value = st.sampled_from(IN_VALUES)
    tag = st.builds(lambda tag, one, two: tag.format(one, two), st.sampled_from(START_TAGS), value, value)
    empty = tag.map(lambda tag: tag.replace(">", "/>"))
    hidden = st.builds(str.format, st.sampled_from(HIDDEN), form)
    piece = st.one_of(form, form, form, tag, empty, hidden, st.sampled_from(AROUND), st.sampled_from(AROUND))
    pieces = draw(st.lists(piece, min_size=1, max_size=24))
    return draw(st.sampled_from(HEADS)) + "".join(pieces) + draw(st.sampled_from(["</r>", "", "</r>&x"]))


OPTIONS = [
    {},
    {"entities": "xml"},
    {"entities": "html", "recovery": "intent"},
    {"entities": {"x": "X", "own": " ", "nbsp": "]", "eacute": "&eacute;", "é": "\n", "copy": "", "LT": "\x0b"}},
    {"resolve_entities": False, "entities": "xml"},
    {"max_errors": 2},
    {"roots": "all"},
    {"elements": {"b", "r"}},
    {"root_element": "r"},
    {"attribute_defaults": True},
]


@given(st.data())
def test_lanes(data):
    options = data.draw(st.sampled_from(OPTIONS))
    document = data.draw(documents())
    assert_same_on_all_ways(document, data.draw(chunkings(document)), options)


@given(st.data())
def test_events(data):
    """Errors come at the same places among events."""
    backend = data.draw(st.sampled_from(["etree", "lxml"]))
    document = data.draw(documents())
    pieces = data.draw(chunkings(document))

    def events():
        parser = xml5tree.XMLPullParser(backend=backend, events=("start", "end", "error"))
        found = []
        try:
            for piece in pieces:
                parser.feed(piece)
                found += parser.read_events()
            parser.close()
        except xml5tree.ParseError as error:
            found.append(("refused", error.code))
        found += parser.read_events()
        return [(kind, getattr(what, "tag", what)) for kind, what in found]

    on_each_way(events)


DOCUMENT = f"{DTD}<r>&é &x; &nbsp;<b k=\"&a=&nbsp;&x;\">&</b>\n&<d k='&'/>&own;&x</r>"


def test_every_split():
    """However a document is cut, it is the same: in two pieces, or in three of which the middle one is short."""
    document = DOCUMENT[DOCUMENT.index("<r>") :]
    cut = [parts for parts in splits(document, 3) if len(parts) < 3 or len(parts[1]) < 9]
    results = on_each_way(lambda: [outcome(parts, {})[:2] for parts in cut])
    assert results[1:] == results[:-1]


@pytest.mark.parametrize("document", [DOCUMENT, DOCUMENT[len(DTD) :]])
def test_strict(document):
    """Without recovery, the first error is the same."""

    def told():
        with pytest.raises(xml5tree.ParseError) as raised:
            xml5tree.fromstring(document, recovery="strict")
        return raised.value.code, raised.value.position

    on_each_way(told)


@pytest.mark.usefixtures("reader")
def test_a_callback_that_raises():
    """What the caller's function raises ends the document at the same error."""
    told = []

    def stop_at_the_third(entry, told=told):
        told.append(entry.offset)
        if len(told) == 3:
            raise LookupError

    with pytest.raises(LookupError):
        xml5tree.repair("<r>& <b>&x</b> &\n & &</r>", on_error=stop_at_the_third)
    assert told == [3, 8, 15]


@pytest.mark.skipif("compiled" not in LANES, reason="the scanner is not compiled, or switched off")
@pytest.mark.parametrize(
    "content",
    [
        "nuts & bolts, Q&A, a&&b",
        '<a href="?x=1&y=2&z=&amp;&lt;&quot;">y</a><a b="" href="&"/>',
        "&nbsp;".join("xyz"),
        '<b k="&nbsp;"/>' * 3,
        "&unknown;" * 3,
        "&ⁿ &é &𐀀é ",
    ],
)
def test_runs_go_on(content):
    """Runs go on past ampersands; only the first reference to a name ends one."""
    document = f"<r>{content}<z/>{'x' * 100}{content}{'y' * 100}</r>"
    assert longest_run(document, recovery="draft") > 200 + len(content)


@pytest.mark.skipif("compiled" not in LANES, reason="the scanner is not compiled, or switched off")
@pytest.mark.parametrize("content", ["nuts & bolts, Q&A, a&&b", "&nbsp;".join("xyz"), "&unknown;" * 3, "&ⁿ &é &𐀀é "])
def test_runs_go_on_under_intent(content):
    """So they do where the policy is asked about tags."""
    document = f"<r>{content}<z/>{'x' * 100}{content}{'y' * 100}</r>"
    assert longest_run(document, recovery="intent") >= 200 + len(content)


@pytest.mark.parametrize("entities", ["html", "xml"])
@pytest.mark.parametrize("reference", ["&amp", "&lt", "&copy", "&eacute", "&mdash", "&y", "&ampx"])
def test_references_without_semicolons_under_intent(reference, entities):
    """Those that the policy takes for references do not go past it as text."""
    document = f"<r>a {reference} b<i k='{reference}'>c</i></r>"
    entries = on_each_way(lambda: outcome([document], {"recovery": "intent", "entities": entities}))[1]
    is_assumed = reference in {"&amp", "&lt"} or (reference in {"&copy", "&eacute", "&mdash"} and entities == "html")
    codes = {entry.code for entry in entries}
    assert codes == {"assumed-reference" if is_assumed else "unescaped-ampersand"}


NAMES = ["amp", "lt", "copy", "eacute", "declared", "utm_source", "ampx", "copyx", "é"]


@pytest.mark.parametrize("doctype", ["", "<!DOCTYPE r [<!ENTITY declared 'x'>]>"])
@pytest.mark.parametrize("entities", ["html", "xml"])
@pytest.mark.usefixtures("reader")
def test_names_without_semicolons_are_references_if_there_is_such_an_entity(entities, doctype):
    """In text and values."""
    document = f"{doctype}<r>" + "".join(f"<i k='&{name}='>&{name}=</i>" for name in NAMES) + "</r>"
    known = {"amp", "lt"} | ({"copy", "eacute"} if entities == "html" else set()) | ({"declared"} if doctype else set())
    entries = outcome([document], {"entities": entities})[1]
    is_reference = [entry.code == "missing-semicolon-after-character-reference" for entry in entries]
    assert is_reference == [name in known for name in NAMES for _ in ("value", "text")]
    assert {entry.code for entry in entries} <= {
        "missing-semicolon-after-character-reference",
        "unescaped-ampersand",
    }


@pytest.mark.usefixtures("reader")
def test_attributes_with_ampersands_that_come_twice():
    """What they stand for is known where a tag comes twice, whatever has taken the first one past the states."""
    tag = '<t k="&own; & &nbsp;&#65;&lt;">'
    document = f"<r>&own;&nbsp;&own;{'x' * 40}<i>{tag}{tag}text</t></i></r>"
    codes = [entry.code for entry in outcome([document], {"recovery": "intent"})[1]]
    assert codes.count("assumed-twice") == 1


@pytest.mark.skipif("compiled" not in LANES, reason="the scanner is not compiled, or switched off")
def test_what_is_noted_of_references_is_bounded():
    names = [f"n{number}" for number in range(1500)]
    document = f"<r>{''.join(f'&{name};' for name in names)}</r>"
    for _ in range(2):
        repaired = xml5tree.repair(document)
        assert repaired == document.replace("&", "&amp;")
    long = {"x": "long" * 100}
    assert xml5tree.repair("<r>&x;&x; &x;</r>", entities=long) == f"<r>{long['x'] * 2} {long['x']}</r>"
