"""The lattice of readings: what may stand at each place of a text."""

import random

import pytest
from support.operations import EXAMPLES
from support.scaling import assert_scales_linearly

import xml5tree
from xml5tree.intent.costs import OPERATIONS
from xml5tree.intent.lattice import EMPTY, END, LOOK, SPACE, START, TEXT, Lattice
from xml5tree.tokens import Characters, EmptyTag, EndTag, ShortEndTag, StartTag

KINDS = {TEXT: "text", SPACE: "space", START: "start", EMPTY: "empty", END: "end"}
STEP = 4096


def lattice_of(text, **options):
    octets = text.encode()
    lattice = Lattice(**options)
    lattice.feed(octets, final=True)
    lattice.advance(len(octets))
    return lattice


def tape_of(lattice):
    """Return the usual readings."""
    tape, place = [], 0
    while place < lattice.fed:
        tape.append(lattice.edges(place)[0])
        assert tape[-1].begin == place < tape[-1].end <= lattice.fed
        place = tape[-1].end
    return tape


def all_edges_of(lattice):
    """Return the edges at all places that any reading reaches."""
    edges, seen, places = [], set(), [0]
    while places:
        place = places.pop()
        if place < lattice.fed and place not in seen:
            seen.add(place)
            edges += lattice.edges(place)
            places += [edge.end for edge in lattice.edges(place)]
    return edges


def facts(edge):
    return [getattr(edge, name) for name in edge.__slots__ if name != "mate"]


def read_as(lattice, edge):
    """Return the source that the draft reads for an edge."""
    return lattice.text(edge.begin, edge.end) if edge.instead is None else edge.instead


def shown(lattice, place):
    """Return the readings at a place, the cheapest first."""
    return [(KINDS[edge.kind], read_as(lattice, edge).decode()) for edge in lattice.edges(place)]


def with_text(tokens, text):
    if text and tokens and tokens[-1][0] == "text":
        text = tokens.pop()[1] + text
    return [*tokens, ("text", text)] if text else tokens


def tokens_of_draft(text):
    tokens = []
    for token in xml5tree.tokenize(text):
        match token:
            case Characters(data):
                tokens = with_text(tokens, data)
            case StartTag() | EmptyTag():
                kind = "start" if isinstance(token, StartTag) else "empty"
                tokens.append((kind, token.name, bool(token.attributes)))
            case EndTag():
                tokens.append(("end", token.name, False))
            case ShortEndTag():
                tokens.append(("end", "", False))
            case _:
                tokens.append(("section", "", False))
    return tokens


def tokens_of_edges(lattice, edges):
    """Return what the draft should read for edges, as `tokens_of_draft`."""
    tokens = []
    for edge in edges:
        source = read_as(lattice, edge).decode()
        if edge.kind >= START:
            tokens.append((KINDS[edge.kind], edge.name.decode(), edge.has_attributes))
        elif source.startswith("<![CDATA["):
            content = source.removeprefix("<![CDATA[").replace("]]]]><![CDATA[>", "]]>").removesuffix("]]>")
            tokens = with_text(tokens, content)
        elif source.startswith(("<!", "<?")):
            tokens.append(("section", "", False))
        else:
            for reference, character in (("&lt;", "<"), ("&copy;", "©"), ("&amp;", "&")):
                source = source.replace(reference, character)
            tokens = with_text(tokens, source)
    return tokens


PARTS = [
    *("<a>", "</a>", '<b x="1">', "<c/>", "</>", "<", ">", "/", '"', "'", "=", ":", ",", ";", "-", "[", "]", "?", "\\"),
    *(" ", "\n", "\t", "\u00a0", "\u200b", "x", "text", "1", "é", "“", "”", "$x", "--", "!>", "-->", "]]>", "?>"),
    *("<!--", "<![CDATA[", "<![cdata[", "<!-", "<!", "<!D", "<?", "<?p ", "</", "</ a>", "< a>", "<a", "b/t>"),
    *('a="1"', "k='2'", "==", " y=", "<a b='", '<a b="', "&copy", "&amp "),
]


def random_document(seed):
    chosen = random.Random(seed)
    text = "<r>" + "".join(chosen.choices(PARTS, k=chosen.randint(1, 10)))
    return text[:-1] + "x" if text.endswith("]") else text  # an unclosed section's last "]" may be half its end


@pytest.mark.parametrize("block", range(8))
def test_the_draft_reads_each_reading_as_it_is_said_to_be(block):
    for seed in range(250 * block, 250 * (block + 1)):
        text = random_document(seed)
        lattice = lattice_of(text)
        for edge in all_edges_of(lattice):
            source = read_as(lattice, edge).decode()
            is_open_text = edge.kind == TEXT and source.startswith("<") and not source.startswith("<![")
            if is_open_text or ("CDATA" in source and ("&" in source or source.endswith("]"))):
                continue  # what follows counts
            is_last = edge.end == lattice.fed
            following = [] if is_last else [("empty", "q", False)]
            found = tokens_of_draft(f"<r>{source}{'' if is_last else '<q/>'}")
            expected = [("start", "r", False), *tokens_of_edges(lattice, [edge]), *following]
            assert found == expected, (seed, text, edge)


@pytest.mark.parametrize("block", range(8))
def test_the_draft_reads_the_usual_readings_in_their_places(block):
    for seed in range(500 * block, 500 * (block + 1)):
        text = random_document(seed)
        lattice = lattice_of(text)
        tape = tape_of(lattice)
        edited = b"".join(read_as(lattice, edge) for edge in tape).decode()
        if "CDATA" not in edited or "&" not in edited:
            assert tokens_of_draft(edited) == tokens_of_edges(lattice, tape), (seed, text)


WELL_FORMED = [
    '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e "<x>"> <!-- ]> --> <?p ]> ?>]><r/>',
    '<r a="x > y" b=\'"\'><!-- <a> </b> --><![CDATA[ <a> ]] > ]]><?p <a> ?><e/>&lt; &#60;</r>',
    "<r\n a = '1'\n\tb='2' ><é:ü.-1/></r >",
    '<r><a k="' + "v" * 3 * LOOK + '"/><!--' + "<a> " * LOOK + "--><![CDATA[" + "</x> " * LOOK + "]]></r>",
    "<r><a " + 'k="1" ' * LOOK + "/>" + "text " * LOOK + "<?p " + "x " * LOOK + "?></r>",
    "<!DOCTYPE r [" + '<!ENTITY a "b>">\n' * LOOK + "]><r/>",
]


@pytest.mark.parametrize("text", WELL_FORMED, ids=lambda text: text[:40])
def test_well_formed_markup_is_read_as_it_stands(text):
    lattice = lattice_of(text)
    tape = tape_of(lattice)
    assert all(edge.instead is None and not edge.cost for edge in tape)
    tags = [token for token in tokens_of_draft(text) if token[0] in {"start", "empty", "end"}]
    assert [token for token in tokens_of_edges(lattice, tape) if token[0] in {"start", "empty", "end"}] == tags


#: By the kind of doubtful place: a document, with `|` before the place, and its likeliest readings in order.
PLACES = {
    "a < before a space": ("<a>1 |< 2</a>", [("text", "<")]),
    "a < before a digit": ("<a>1 |<2</a>", [("text", "&lt;")]),
    "a < that may begin a tag": ("<a>b|<c)</a>", [("text", "&lt;"), ("start", "<c)>")]),
    "two < before a known tag": ("<a/>\n|<<a/><a/>", [("space", ""), ("text", "&lt;")]),
    "a < lost before an end tag": ("<a>b|/a><a/>", [("text", "/a>"), ("end", "</a>")]),
    "a < lost before a start tag": ("<a></a>|a>b</a>", [("text", "a>b"), ("start", "<a>")]),
    "a < in a name": ("<name/>|<na<me/><name/>", [("start", "<na>"), ("empty", "<na/>"), ("text", "&lt;")]),
    "a name in no tag": ("<a>|<m@example.org></a>", [("text", "&lt;"), ("start", "<m@example.org>")]),
    "numbers for names": ("<a>|<1>x</1></a>", [("start", "<1>"), ("text", "&lt;")]),
    "words": ("<r>if |<b and c> d</r>", [("text", "&lt;"), ("start", "<b and c>")]),
    "a space before a name": ("<r>|< r></r>", [("start", "<r>"), ("text", "<")]),
    "a zero-width space before a name": ("<r>|<\u200br></r>", [("start", "<r>"), ("text", "&lt;")]),
    "a no-break space": ('<r>|<a\u00a0k="1"></r>', [("start", '<a  k="1">')]),
    "a tag without >": ('<r>|<a k="1"<b/></r>', [("start", '<a k="1">'), ("empty", '<a k="1"/>')]),
    "text right after a value": ('<r>|<a k="1"this</a></r>', [("start", '<a k="1">')]),
    "a closing quote lost": ('<r>|<a k="1>x</a></r>', [("start", '<a k="1">')]),
    "a closing quote lost before another value": ('<r>|<a k="1 m="2">x</a></r>', [("start", '<a k="1" m="2">')]),
    "an opening quote lost": ('<r>|<a k=1">x</a></r>', [("start", '<a k="1">')]),
    "an opening quote lost before others": ("<r>|<a k=b[@c != '']\"/></r>", [("empty", "<a k=\"b[@c != '']\"/>")]),
    "quotes in a value": ('<r>|<a k="x "y" z">2</a></r>', [("start", '<a k="x &quot;y&quot; z">')]),
    "JSON": (
        '<r>|<a k="{"a" : ["b","c","d","e","f"]}" m="1"/></r>',
        [("empty", f"""<a k="{'{"a" : ["b","c","d","e","f"]}'.replace('"', "&quot;")}" m="1"/>""")],
    ),
    "a quote as a sign": ('<r>|<a k="5" screen" m="1"/></r>', [("empty", '<a k="5&quot; screen" m="1"/>')]),
    "an end of a section in text": (
        "<r>|<![CDATA[a]]>b]]></r>",
        [("text", "<![CDATA[a]]>"), ("text", "<![CDATA[a]]]]><![CDATA[>b]]>")],
    ),
    "two < before an empty tag": ("<r><a/>|<<b/></r>", [("space", ""), ("text", "&lt;")]),
    "a value of one quote": ('<r>|<a k="""/></r>', [("empty", '<a k="&quot;"/>')]),
    "a quote too many": ('<r>|<a k="1""/></r>', [("empty", '<a k="1"/>')]),
    "typographic quotes": ("<r>|<a k=“1”/></r>", [("empty", '<a k="1"/>')]),
    "quotes as references": ("<r>|<a k=&quot;1&quot;/></r>", [("empty", '<a k="1"/>')]),
    "quotes after a backslash": ('<r>|<a k=\\"1\\"/></r>', [("empty", '<a k="1"/>')]),
    "a / after a value": ("<r>|<a k=1/></r>", [("empty", "<a k=1 />"), ("start", "<a k=1/>")]),
    "a / that may be of a path": ("<a>|<a k=b/c/></a>", [("start", "<a k=b/c/>"), ("empty", "<a k=b/c />")]),
    "no =": ('<r>|<a k "1"/></r>', [("empty", '<a k="1"/>')]),
    "an = that mail has encoded": ("<r>|<a k=3D'1'/></r>", [("empty", "<a k='1'/>")]),
    "several =": ('<r>|<a k=="1"/></r>', [("empty", '<a k="1"/>')]),
    "a comma between attributes": ('<r>|<a k="1", m="2"/></r>', [("empty", '<a k="1" m="2"/>')]),
    "a value without a name": ("<a>|<a=x>y</a></a>", [("start", '<a name="x">')]),
    "a name that runs into the next": ('<a>|<ab="1">x</a></a>', [("start", '<a b="1">')]),
    "an end tag without >": ("<a>x|</a<b/>", [("end", "</a>"), ("text", "&lt;")]),
    "an end tag with words": ("<a>x|</a b>", [("end", "</a b>")]),
    "a space in an end tag": ("<a>x|< /a>", [("end", "</a>"), ("text", "<")]),
    "a backslash in an end tag": ("<a>x|<\\a>", [("end", "</a>"), ("text", "&lt;")]),
    "an end tag that is escaped as in JSON": ("<a>x|<\\/a>", [("end", "</a>"), ("text", "&lt;")]),
    "an end tag cut off": ("<abc>x|</ab", [("space", ""), ("text", "&lt;")]),
    "a start tag cut off": ('<r>|<a k="1" m="2', [("start", '<a k="1">')]),
    "a reference without ;": ("<r>|&copy x</r>", [("text", "©")]),
    "a comment that is not closed": ("<r>|<!-- x <a/></r>", [("space", "<!-- x-->"), ("space", "<!-- x <a/></r>")]),
    "a comment closed otherwise": ("<r>|<!-- x -- ><a/> -->", [("space", "<!-- x -->")]),
    "a comment in a comment": ("<r>|<!--a<!--b-->c--></r>", [("space", "<!--a<!- -b- ->c-->"), ("space", "<!--a-->")]),
    "a misspelt comment": ("<r>|<!- <a> --></r>", [("space", "<!-- <a> -->")]),
    "CDATA in a CDATA section": (
        "<r>|<![CDATA[a<![CDATA[b]]>c]]></r>",
        [("text", "<![CDATA[a<![CDATA[b]]]]><![CDATA[>c]]>")],
    ),
    "a CDATA section that is not closed": ("<r><a>|<![CDATA[x</a></r>", [("text", "<![CDATA[x]]>")]),
    "a CDATA section closed otherwise": ("<r>|<![CDATA[x]></r>", [("text", "<![CDATA[x]]>")]),
    "a misspelt CDATA section": (
        "<r>|<![cdata[ <a> ]]></r>",
        [("text", "<![CDATA[ <a> ]]>"), ("text", "&lt;"), ("space", "<![cdata[ <a>")],
    ),
    "an instruction that is not closed": ("<r>|<?p x ><a/></r>", [("space", "<?p x ?>")]),
    "a ? without a name": ("<r>List|<?> x</r>", [("text", "&lt;")]),
    "a declaration with a space": ('|<? xml version="1.0"?><r/>', [("space", "")]),
    "a declaration without its ?": ('|<xml version="1.0"?><r/>', [("space", "")]),
    "a stretch twice": ('<r>|<a k="1"><b/><a k="1"><b/></a></r>', [("start", '<a k="1">'), ("space", "")]),
    "junk before the root": ("|<b>Warning</b>: x on line 7<r><a/></r>", [("start", "<b>"), ("space", "")]),
}


@pytest.mark.parametrize(("marked", "expected"), PLACES.values(), ids=PLACES.keys())
def test_each_kind_of_doubtful_place_has_its_readings_in_order(marked, expected):
    before, after = marked.split("|")
    readings = shown(lattice_of(before + after), len(before.encode()))
    assert readings[: len(expected)] == expected


def test_readings_cost_in_their_order():
    for marked, _ in PLACES.values():
        before, after = marked.split("|")
        costs = [edge.cost for edge in lattice_of(before + after).edges(len(before.encode()))]
        assert costs == sorted(costs), marked


def test_a_value_without_a_name_before_attributes_that_are_too_dear_makes_no_tag():
    text = "<r><k>1</k>|<k='x' message=\"a " + '&b=c" ' * 40 + "<e>"
    before, after = text.split("|")
    edges = lattice_of(before + after).edges(len(before))
    assert all(edge.instead.endswith(b">") for edge in edges if edge.kind == START and edge.instead is not None)
    assert b"k" in {edge.name for edge in edges}


def test_what_is_read_instead_has_an_operation():
    for marked, _ in PLACES.values():
        for edge in all_edges_of(lattice_of(marked.replace("|", ""))):
            assert (edge.instead is None) == (edge.operation == ""), (marked, edge)
            assert not edge.operation or edge.operation in OPERATIONS


#: The operations that are the lattice's.
OF_LATTICE = {
    *("text", "bracket_twice", "bracket_lost", "spaced_tag", "tag_without_end", "odd_space"),
    *("end_tag_without_end", "end_tag_spaced", "value_without_end", "quotes", "equals", "separator", "solidus"),
    *("split", "empty_after_value", "unfinished", "twice", "section_without_end", "nested_section", "end_in_section"),
    *("misspelt_section", "declaration", "reference", "junk", "misspelt_xmlns"),
}


@pytest.mark.parametrize("operation", sorted(OF_LATTICE))
def test_the_example_of_an_operation_has_an_edge_with_it(operation):
    edges = all_edges_of(lattice_of(EXAMPLES[operation][0]))
    assert operation in {edge.operation for edge in edges}


# Options -----------------------------------------------------------------------------------------------------------


def test_with_known_elements_other_tags_are_text():
    lattice = lattice_of("<r><b>x</b><y k='1'>z</y></r>", elements=frozenset({b"r", b"y"}))
    assert shown(lattice, 3) == shown(lattice, 7) == [("text", "<")]  # the reader takes them for text by itself
    assert shown(lattice, 11) == [("start", "<y k='1'>")]


def test_a_raw_element_has_text_up_to_its_end_tag():
    lattice = lattice_of("<r><raw><a></b> </raw>x </raw></r>", raw=frozenset({b"raw"}))
    kinds = [(KINDS[edge.kind], read_as(lattice, edge)) for edge in tape_of(lattice)]
    assert kinds == [
        ("start", b"<r>"),
        ("start", b"<raw>"),
        ("text", b"<a></b> </raw>x "),
        ("end", b"</raw>"),
        ("end", b"</r>"),
    ]


def test_with_any_number_of_roots_nothing_is_junk():
    text = "<b>Warning</b>: x on line 7<r><a/></r>"
    assert [edge.operation for edge in lattice_of(text).edges(0)] == ["", "junk"]
    assert [edge.operation for edge in lattice_of(text, roots=True).edges(0)] == [""]


def test_equal_rows_are_no_stretch_that_stands_there_twice():
    row = "<i><k>1</k></i>"
    edges = all_edges_of(lattice_of(f"<r>{row * 4}<i><k>1</k>{row * 4}</r>"))
    assert "twice" not in {edge.operation for edge in edges}


# Long documents ----------------------------------------------------------------------------------------------------


def readings_in_steps(pieces):
    """Return all that stands at places of the usual readings and beside them, as a search asks for it."""
    lattice, readings, place, front = Lattice(), [], 0, 0
    for index, piece in enumerate(pieces):
        lattice.feed(piece, final=index == len(pieces) - 1)
        while front < lattice.fed:
            following = min(front + STEP, lattice.fed) if lattice.final else front + STEP
            if following > lattice.reach():
                break
            front = following
            lattice.advance(front)
            while place < front:
                edges = lattice.edges(place)
                readings.append([facts(edge) for edge in edges])
                for edge in edges[1:]:
                    if edge.end < front:
                        readings.append([facts(other) for other in lattice.edges(edge.end)])
                place = edges[0].end
            lattice.forget(front - LOOK)
    return readings


LONG = [
    "x" * 20_000,
    f"<!-- {'y ' * 9_000} -->",
    f'<a k="{"v" * 20_000}">',
    "<b " + 'k="1" ' * 3_000 + "/>",
    "<!--" * 9,
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [13, 1_000, 20_000])
def test_readings_do_not_depend_on_how_the_document_is_cut(seed, size):
    chosen = random.Random(seed)
    parts = ["".join(chosen.choices(PARTS, k=300)) + chosen.choice(["", *LONG]) for _ in range(12)]
    octets = ("<r>" + "".join(parts)).encode()
    pieces = [octets[at : at + size] for at in range(0, len(octets), size)]
    assert readings_in_steps(pieces) == readings_in_steps([octets])


def test_no_reading_is_longer_than_can_be_seen():
    for part in LONG:
        assert all(edge.end - edge.begin <= LOOK for edge in all_edges_of(lattice_of("<r>" + part)))


FAMILIES = {
    "comments with tags": "<!-- <a></b>",
    "CDATA sections": "<![CDATA[",
    "CDATA sections with tags": "<a><![CDATA[x</a>",
    "misspelt sections": "<!- ",
    "less-than signs": "<",
    "start tags with spaces": "<a ",
    "end tags": "</a ",
    "both quotes": "<a x='<b y=\"",
    "quotes as references": "<a b=&quot;",
    "tags with a word after a value": '<a k="1"x ',
    "names and >": "<a/> a> ",
    "numbers": "<1>",
    "stretches": '<a k="1"><b/>',
}


@pytest.mark.parametrize("part", FAMILIES.values(), ids=FAMILIES.keys())
def test_time_grows_with_the_document(part):
    def make(count):
        return ("<r>" + part * count).encode()

    least = 2 * LOOK // len(part)  # from here on, places see as far as they ever do
    assert_scales_linearly(lambda octets: readings_in_steps([octets]), make, least, 2, slack=1.6)


@pytest.mark.parametrize("part", [" ", "/", "=", 'x="', "a=b ", "a ", "k=“ ", "x=\" y=' "])
def test_time_grows_with_a_tag(part):
    least = 2 * LOOK // len(part.encode())
    assert_scales_linearly(
        lambda octets: readings_in_steps([octets]), lambda n: f"<r><a {part * n}>".encode(), least, 2, slack=1.6
    )
