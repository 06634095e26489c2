"""Events of the kind "text": text as it comes."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import nearxml
from support.cases import one_in
from support.scaling import assert_scales_linearly
from support.splits import chunkings, chunks

import xml5tree

BACKENDS = ["etree", "lxml"]
ANY_DOCUMENT = nearxml.documents() | nearxml.near_markup()


def named(event, item):
    """An event that can be compared."""
    if event == "text":
        return event, item[0].tag, item[1]
    return event, getattr(item, "tag", item)


def read(pieces, events=("start", "end", "text"), **options):
    """The events after each piece, and after the end."""
    parser = xml5tree.XMLPullParser(events, **options)
    found = []
    for piece in pieces:
        parser.feed(piece)
        found.append([named(*event) for event in parser.read_events()])
    parser.close()
    return [*found, [named(*event) for event in parser.read_events()]]


@pytest.mark.parametrize("backend", BACKENDS)
def test_text_comes_with_its_element(backend):
    found = read(["<r>ab", "c<x>d", "</x>", "e &am", "p; f", "<y/>g</r>"], backend=backend)
    assert found == [
        [("start", "r"), ("text", "r", "ab")],
        [("text", "r", "c"), ("start", "x"), ("text", "x", "d")],
        [("end", "x")],
        [("text", "r", "e ")],
        [("text", "r", "& f")],
        [("start", "y"), ("end", "y"), ("text", "r", "g"), ("end", "r")],
        [],
    ]


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_may_become_a_tag_or_a_reference_is_held_back(backend):
    document = "<r>a <b>c</b> 1<2 &amp; &x; <![CDATA[<z>]]>]]> d</r>"
    pieces = [text for step in read(document, ("text",), backend=backend, elements={"r", "b"}) for _, _, text in step]
    assert "".join(pieces) == "a c 1<2 & &x; <z>]]> d"
    assert not {"<b", "</", "&a", "&am", "<![", "]]&gt;"} & {piece[:3] for piece in pieces}


@pytest.mark.parametrize("backend", BACKENDS)
def test_other_events_are_in_their_place(backend):
    document = "<r xmlns='u'>a<p:x xmlns:p='v'>b</p:x>c<!--n-->d<?p?>e</r>"
    ns = "{u}r"
    events = ("start-ns", "end-ns", "comment", "pi", "text")
    (found, end) = read([document], events, backend=backend)
    kinds = [(event[0], *event[2:]) for event in found]
    assert kinds == [
        ("start-ns",),
        ("text", "a"),
        ("start-ns",),
        ("text", "b"),
        ("end-ns",),
        ("text", "c"),
        ("comment",),
        ("text", "d"),
        ("pi",),
        ("text", "e"),
        ("end-ns",),
    ]
    assert end == []
    assert found[1] == ("text", ns, "a")
    assert read([document], ("text",), backend=backend)[0][-1] == ("text", ns, "cde")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_tag_filters_text(backend):
    document = "<r>a<x>b<y>c</y>d</x>e</r>"
    assert read([document], backend=backend, tag="x") == [
        [("start", "x"), ("text", "x", "b"), ("text", "x", "d"), ("end", "x")],
        [],
    ]
    assert read([document], ("text",), backend=backend, tag=["y", "r"])[0] == [
        ("text", "r", "a"),
        ("text", "y", "c"),
        ("text", "r", "e"),
    ]


@pytest.mark.parametrize("backend", BACKENDS)
def test_iterparse(backend):
    source = ["a<r>b", "c</r>d"]
    events = xml5tree.iterparse(source, ("text",), backend=backend, roots="all", recovery="draft")
    found = [named(*event) for event in events]
    around = "{urn:x-xml5tree}roots"
    assert found == [("text", around, "a"), ("text", "r", "b"), ("text", "r", "c"), ("text", around, "d")]


def test_who_has_no_text_events():
    for options in ({"dialect": "microxml"}, {"recovery": "strict"}):
        with pytest.raises(ValueError, match="text"):
            xml5tree.XMLPullParser(("text",), **options)


def events_of_tree(root):
    """The events of a tree of which all has come."""
    found = [("start", root.tag)]
    text = [root.text]
    for child in root:
        if isinstance(child.tag, str):
            found += [*joined(root, text), *events_of_tree(child)]
            text = []
        text.append(child.tail)
    return [*found, *joined(root, text), ("end", root.tag)]


def joined(element, texts):
    text = "".join(filter(None, texts))
    return [("text", element.tag, text)] if text else []


def merged(events):
    """Events with adjacent texts in one."""
    found = []
    for event in events:
        if event[0] == "text" and found and found[-1][0] == "text":
            event = ("text", event[1], found.pop()[2] + event[2])
        found.append(event)
    return found


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@given(data=st.data())
def test_pieces_make_the_texts_of_the_tree(recovery, data):
    document = data.draw(ANY_DOCUMENT)
    pieces = data.draw(chunkings(document))
    options = data.draw(st.sampled_from([{}, {"roots": "all"}, {"roots": "all", "elements": {"a", "item"}}]))
    options = {**options, "recovery": recovery}
    for backend in BACKENDS:
        parser = xml5tree.XMLParser(backend=backend, **options)
        try:
            parser.feed(document)
            expected = events_of_tree(parser.close())
        except xml5tree.ParseError:
            continue
        for parts in ([document], pieces):
            found = read(parts, backend=backend, **options)
            assert merged(event for step in found for event in step) == expected


@pytest.mark.parametrize(
    ("part", "size", "backend"),
    one_in(3, product(["x", "&", "<b>", "<b>x</b>", "<a/>", "&#65;", "<", "</"], [1, 1000], BACKENDS)),
)
def test_linear_time(part, size, backend):
    def parse(document):
        parser = xml5tree.XMLPullParser(("text",), backend=backend, roots="all", elements={"a", "b"}, max_depth=20)
        for piece in chunks(document, size):
            parser.feed(piece)
            for _ in parser.read_events():
                pass
        parser.close()
        return sum(1 for _ in parser.read_events())

    few = 120 if size > 1 else max(30, 125 // len(part))
    assert_scales_linearly(parse, lambda count: part * count, few, factor=8, slack=2.2, floor=0.002)


def test_text_that_is_read_late():
    def parse(count):
        parser = xml5tree.XMLPullParser(("text",))
        parser.feed("<a>")
        for _ in range(count):
            parser.feed("&")
        ((event, (element, text)),) = parser.read_events()
        assert (event, element.tag, text) == ("text", "a", "&" * (count - 1))  # "&" may begin a reference

    assert_scales_linearly(parse, lambda count: count, 1000, factor=8, slack=3)
