"""The contract of a scan (xml5tree/fastpath/contract.py), which the pure one and the compiled one fulfil."""

import random

import pytest
from support.cases import each_case

from compat.lanes import LANES
from xml5tree.fastpath.contract import Adopted, Cache, Default, Expansion, Limits, Run, TagRule
from xml5tree.fastpath.tags import deepest, measure

SCANS = {name: scanner.scan for name, scanner in LANES.items() if scanner is not None}
LIMITS = Limits(levels=100, added=1000, min_bytes=0, has_fifth_edition_names=True)


@pytest.fixture(params=SCANS)
def scan(request):
    """A scan of a whole text, or of a part of it."""

    def scan(text, start=0, stop=None, open_names=(), prefixes=None, declared=None, **limits):
        data = text.encode()
        stop = len(data) if stop is None else stop
        arguments = (list(open_names), prefixes or {}, declared or {}, LIMITS._replace(**limits), Cache())
        return Run(*SCANS[request.param](data, start, stop, *arguments))

    return scan


def test_a_run_of_everything(scan):
    text = "é &lt; <b k='v'>\n<c/></b><!-- x --><![CDATA[<]]><?p x?></a><d>\n<e>"
    run = scan(text, open_names=["r", "a"])
    assert run == Run(len(text.encode()), run.resume, None, 1, ["d", "e"], len(text), 2, 0)
    assert run.resume >= run.end - len("<e>")


def test_part(scan):
    text = "<<b>text</b><<"
    run = scan(text, 1, 12)
    assert (run.end, run.ended, run.opened, run.characters) == (12, 0, [], 11)
    assert scan(text, 1, 11).end < 11
    assert scan(text, 4, 4)[:1] == (4,)


#: Where a run that begins before each of these ends before it. What is before it in the data is free of errors.
FAULTS = [
    *[
        "\x0b",
        "\x1f",
        "\ufffe",
        "\uffff",
        "]]>",
        "&",
        "&x;",
        "&amp",
        "&#0;",
        "&#xFFFE;",
        "&#xD800;",
        "&#x110000;",
    ],
    *["&#;", "&#x;", "&#X41;", "&#1", "&#99999999999999999999;", "<", "<1/>", "<-b/>", "<a:b/>", "<p:/>", "<:b/>"],
    *["<p:b:c/>", "<xmlns:b/>", "<b", "<b k/>", "<b k=v/>", "<b k='<'/>", "<b k='&'/>", "<b k='\ufffe'/>"],
    *[
        "<b k='v'l='w'/>",
        "<b k='v' k='w'/>",
        "<b p:k='v' q:k='w'/>",
        "<b a:k='v'/>",
        "<b xmlns='u v'/>",
        "<b xmlns='1:2'/>",
        "<b xmlns:p=''/>",
        "<b xmlns:xml='u'/>",
        "<b xmlns:xmlns='u'/>",
        "<b xmlns='http://www.w3.org/2000/xmlns/'/>",
        "<b xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
        "<b xmlns:o='u' o:k='v' p:k='w'/>",
    ],
    *["<b / >", "<b k='v", "</c>", "</b", "</>", "</ b>", "<!-- -- -->", "<!-- --->", "<!--\x0b-->", "<!-- x"],
    *[
        "<![CDATA[\x0b]]>",
        "<![CDATA[x]]",
        "<!DOCTYPE b>",
        "<?xml x?>",
        "<?XmL?>",
        "<?p:q x?>",
        "<?é x?>",
    ],
    *["<?p \x0b?>", "<?p x", "<?1?>", "<? p?>", "<?p?x?>"],
]


@each_case("fault", FAULTS)
@each_case("before", ["", "text", "]", "<b>x</b>", "<b>", "y" * 40])
def test_faults(scan, fault, before):
    text = f"<x>{before}{fault} ..."
    run = scan(text, prefixes={"p": "u", "q": "u"}, open_names=["a"])
    assert run.end <= len(f"<x>{before}".encode())
    assert run.end >= len("<x>")
    assert run.end <= run.resume


GOOD = [
    *[
        "&#13;",
        "&#x9;",
        "&#x10FFFF;",
        "&#0000065;",
        "&apos;&quot;",
        "]] >",
        "]>",
        "\x7f\x85",
        "\ufffd",
        "\U0001fffe",
        "\t\n",
    ],
    *["<b k = '\n' >x</b >", "<p:b p:k=\">\" k='v' q:l=''/>", "<b p:k='' r:k=''/>", "<b xml:lang='de'/>", "<é é='é'/>"],
    *[
        "<b\nk='v'\tl='w'\n/>",
        "<!---->",
        "<!-- - & < -->",
        "<![CDATA[]]>",
        "<![CDATA[]]]]>",
        "<![CDATA[ & ]>]]>",
        "<?p?>",
        "<?p ??>",
        "<?p  ?>",
    ],
    "<b " + " ".join(f"k{i}='{i}' p:k{i}='v'" for i in range(40)) + "/>",
    "<b>" * 50 + "</b>" * 50,
]


@each_case("good", GOOD)
def test_what_is_free_of_errors(scan, good):
    text = f"<x>{good}</x>{'z' * 20}"
    run = scan(text, prefixes={"p": "u", "q": "u", "r": "v"})
    assert run[:5] == (len(text.encode()), run.resume, None, 0, [])
    assert run.characters == len(text)
    assert run.newlines == text.count("\n")


def test_many_attributes(scan):
    """Duplicates are found among any number of attributes, by name and by expanded name."""
    rng = random.Random(1)
    names = [f"k{i}" for i in range(60)]
    for name, duplicate in [("k7", "k7"), ("p:k7", "q:k7")]:
        others = [n for n in names if n != "k7"]
        tag = [*others, name, duplicate]
        rng.shuffle(tag)
        text = "x<b " + " ".join(f"{each}=''" for each in tag) + "/>"
        assert scan(text, prefixes={"p": "u", "q": "u"}).end <= 1
        distinct = text.replace(f" {duplicate}=''", "", 1)
        assert scan(distinct, prefixes={"p": "u", "q": "u"}).end == len(distinct)


def test_levels(scan):
    text = "<b><b><b/></b></b>"
    assert scan(text, levels=4).end == len(text)
    assert scan(text, levels=2).end < text.index("<b/>") + 1


def test_end_tags_of_open_elements(scan):
    text = "x</c></b></a>y"
    run = scan(text, open_names=["b", "c"])
    assert (run.end, run.ended) == (text.index("</a>"), 2)


AMPERSANDS = [  # what may be in a run, and its markup
    *[("& ", "&amp; "), ("&1;", "&amp;1;"), ("&&x", "&amp;&amp;x"), ("&x=", "&amp;x="), ("&:x:y é", "&amp;:x:y é")],
    *[("&x;é\n&x;", "Xé\nX"), ("&é;&", "É&amp;"), ("&", "&amp;"), ("&\ufffd", "&amp;\ufffd")],
    *[
        ('<b k="&=&lt;&x;&amp;&quot;" l="">', '<b k="&amp;=&lt;X&amp;&quot;" l="">'),
        ('<b k="\'&>"/>', '<b k="\'&amp;>"/>'),
        ('<b k="&" \t/>', '<b k="&amp;"/>'),
    ],
]
NO_AMPERSANDS = [  # what ends a run before it
    *["&y;", "&x:;", "&#;", "&#X41;", "&#65", "&#x", "&", "&x", "&é"],
    *["<b k='&'/>", '<b  k="&"/>', '<b k ="&"/>', '<b k= "&"/>', '<b k="&" \n/>', '<b k="&"\n/>', '<b k="\t&"/>'],
    *['<b k="&\n"/>', '<b k="&&gt;"/>', '<b k="&apos;&"/>', '<b k="&&#65;"/>', '<b k="" k="&"/>'],
    *['<b k="&y;"/>', '<b k="&', '<b k="<&"/>', '<b l="" m=\'\' k="&"/>'],
]
KNOWN = {b"x": b"X", "é".encode(): "É".encode()}


@each_case(("source", "markup"), AMPERSANDS)
def test_ampersands(scan, source, markup):
    """A run has them, each with its place; or it ends before them. Without these limits it ends before them."""
    text = f"é\n{source}<c/>"
    run = scan(text, references=KNOWN)
    if run.markup is None:
        assert run.end <= len(f"é\n{source}".encode())
        assert run.errors == ()
    else:
        assert run[:4] == (len(text.encode()), run.resume, f"é\n{markup}<c/>".encode(), 0)
        assert (run.characters, run.newlines) == (len(text), text.count("\n"))
        wrong = [error[0] for error in run.errors]
        assert all(text[place] == "&" for place in wrong)
        assert [error[1] for error in run.errors] == [text.count("\n", 0, place) for place in wrong]
        correct = {place for name in ("lt", "amp", "quot") for place in places_of(f"&{name};", text)}
        assert wrong == [place for place in places_of("&", text) if place not in correct]
    without = scan(text)
    assert without.markup is None
    assert without.end <= text.encode().index(b"&")


def places_of(needle, text):
    return [index for index in range(len(text)) if text.startswith(needle, index)]


def test_the_compiled_scan_takes_ampersands():
    for source, _ in AMPERSANDS:
        data = f"{source}<c/>".encode()
        if "compiled" in SCANS:
            limits = LIMITS._replace(references=KNOWN)
            assert SCANS["compiled"](data, 0, len(data), [], {}, {}, limits, Cache())[0] == len(data)


@each_case("source", NO_AMPERSANDS)
def test_ampersands_for_the_states(scan, source):
    run = scan(f"<x>{source}", references=KNOWN)
    assert run.end == len("<x>")
    assert run.markup is None
    assert run.errors == ()


def test_ampersands_and_defaults(scan):
    text = '<d l="&" m="&x;"/>&'
    run = scan(f"{text}<d/>", references=KNOWN, declared=RULES)
    if run.end:
        wanted = '<d l="&amp;" m="X" k="v"/>&amp;<d k="v" l="w"/>'
        assert run == Run(len(text) + 4, run.resume, wanted.encode(), 0, [], len(text) + 4, 0, 18, run.errors)
        assert [error[0] for error in run.errors] == [6, 12, 18]


ENTITIES = {
    b"e": Expansion(b"text", b"text", 4),
    "é".encode(): Expansion("É".encode(), "É".encode(), 1),
    b"q": Expansion(b'"&#10;x', b"&quot; x", 3),
}


@pytest.mark.parametrize(
    ("source", "markup", "cost"),
    [
        ("a&e;b", "atextb", 4),
        ("\n&e;&e;é&lt;&e;", "\ntexttexté&lt;text", 12),
        ('<b k="&e;-&amp;&e;" l="&quot;">&e;</b>', '<b k="text-&amp;text" l="&quot;">text</b>', 12),
        ("<!-- &e; --><![CDATA[&e;]]><?p &e;?>&e;", "<!-- &e; --><![CDATA[&e;]]><?p &e;?>text", 4),
        ("<d k=''/>&e;<d/>", '<d k=\'\' l="w"/>text<d k="v" l="w"/>', 22),
    ],
)
def test_entities(scan, source, markup, cost):
    text = f"{source}<c/>"
    run = scan(text, entities=ENTITIES, declared=RULES, added=cost)
    assert run == Run(
        len(text.encode()), run.resume, f"{markup}<c/>".encode(), 0, [], len(text), text.count("\n"), cost
    )
    less = scan(text, entities=ENTITIES, declared=RULES, added=cost - 1)
    assert less.end < len(text.encode())
    assert less.cost < cost
    assert scan(text, declared=RULES).end < len(text.encode())


@each_case(
    "source",
    [
        *["&u;", "&e", "&e ", "&é", '<b k="&u;"/>', "<b k='&e;'/>", '<b  k="&e;"/>', '<b k="&e;" />', '<b k="\t&e;"/>'],
        *[
            '<b k="&e;"\n/>',
            '<b k="&#38;&e;"/>',
            '<t k="&e;"/>',
            "<b l='' k=\"&e;\"/>",
            '<b xmlns="&e;"/>',
            '<b k="<&e;"/>',
        ],
    ],
)
def test_entities_for_the_states(scan, source):
    run = scan(f"x<x/>{source}<c/>", entities=ENTITIES, declared=RULES)
    if source == '<b k="&e;" />':  # the compiled scan drops the space
        assert run.markup in {None, b'x<x/><b k="text"/><c/>'}
    else:
        assert (run.end, run.markup, run.cost) == (len("x<x/>"), None, 0)


def test_the_compiled_scan_takes_entities():
    text = 'é&é;&q;<b k="&é;&q;"/>\x01&e;'
    limits = LIMITS._replace(entities=ENTITIES, references={})
    if "compiled" in SCANS:
        data = text.encode()
        run = Run(*SCANS["compiled"](data, 0, len(data), [], {}, {}, limits, Cache()))
        assert run[:3] == (data.index(b"\x01"), len(data), 'éÉ"&#10;x<b k="É&quot; x"/>'.encode())
        assert run.cost == 8  # what is left to the states costs nothing


UNDECLARED = "undeclared-namespace-prefix"
NO_SEMICOLON, KEPT = "missing-semicolon-after-character-reference", "was kept as text"
NAMESPACES = [  # a run, and the prefixes that are bound at elements that it leaves open
    ("<c xmlns='http://a.b/c?d=e#f'><d/></c>", ()),
    ("<c xmlns='http://a.b:8080/c'><d xmlns='u://h:0'/></c>", ()),
    ("<c " + " ".join(f"xmlns:n{i}='u'" for i in range(120)) + "><n119:d/></c>", ()),
    ("<c xmlns=''/><o:c xmlns:o='u'><o:d o:k='v'/></o:c>", ()),
    ("<o:c o:k='v' xmlns:o='u'/>", ()),
    ("<c xmlns:o='u' xmlns:s='v' o:k='1' s:k='2'/>", ()),
    ("<d xmlns:p='v'><c p:k='1' q:k='2'/></d>", ()),
    ("<c><d xmlns='u' xmlns:o='v'><e/>", ((1, "", "u"), (1, "o", "v"))),
    ("<o:c xmlns:o='u'><d xmlns:o='v'></d><d xmlns:o='w'>", ((0, "o", "u"), (1, "o", "w"))),
]


@pytest.mark.parametrize(("text", "scopes"), NAMESPACES)
def test_namespaces(text, scopes):
    """The compiled scan takes declarations, and tells those of elements that it leaves open; the pure one does not."""
    for name, scan in SCANS.items():
        run = Run(*scan(text.encode(), 0, len(text), [], {"p": "u", "q": "u"}, {}, LIMITS, Cache()))
        if name == "compiled":
            assert (run.end, run.markup, run.scopes) == (len(text), None, scopes)
        else:
            assert run.end == 0 or run.scopes == ()


ADOPTED = {prefix.encode(): Adopted(b"U", f" xmlns:{prefix}='U'".encode()) for prefix in ("o", "s")}
NO_VALUE, NO_SPACE = "attribute-without-value", "missing-whitespace-between-attributes"
ERRORS = [  # what may be in a run, its markup, and the errors: places, codes and details
    ("é < 6", "é &lt; 6", [(2, "invalid-first-character-of-tag-name", ("<",))]),
    ("</ <<b/>", "&lt;/ &lt;<b/>", [(0, "invalid-first-character-of-tag-name", ("</",)), (3, None, ("<",))]),
    ("<b k=v>", '<b k="v">', [(5, "unquoted-attribute-value", ())]),
    ("<b k=a/b/>", '<b k="a/b/">', [(5, "unquoted-attribute-value", ())]),
    ('<b k=é l="" />', '<b k="é" l=""/>', [(5, "unquoted-attribute-value", ())]),
    ("<b k=/>", '<b k="/">', [(5, "unquoted-attribute-value", ())]),
    ("<b k=>", '<b k="">', [(3, "missing-attribute-value", ())]),
    ("<b k l/>", '<b k="" l=""/>', [(3, NO_VALUE, ()), (5, NO_VALUE, ())]),
    ('<b k=""l="">', '<b k="" l="">', [(7, NO_SPACE, ())]),
    (
        '<b k="v" k="w"l=x>',
        '<b k="v" l="x">',
        [(9, "duplicate-attribute", ("k", "")), (14, NO_SPACE, ()), (16, None, ())],
    ),
    ('<b k=""k="">', '<b k="">', [(7, NO_SPACE, ()), (7, "duplicate-attribute", ("k", ""))]),
    ("a\x0b\x0cb\ufffe<c/>\x01", "a\ufffd b\ufffd<c/>\ufffd", [(1, "coerced-character", ()), (9, None, ())]),
    ("\x0b</y>\x0b<!--x-->", "\ufffd\ufffd<!--x-->", [(0, "coerced-character", ()), (1, "unmatched-end-tag", None)]),
    ("</y>", "", [(0, "unmatched-end-tag", ("y", 0, 0, False))]),
    ("<c></y><d></d></c></y>", "<c><d></d></c>", [(3, "unmatched-end-tag", ("y", 0, 1, False)), (18, None, None)]),
    ("<c><d></c>", "<c><d></d></c>", [(6, "mismatched-end-tag", ("c", 0, 0, "d", 1))]),
    ("<o:c/><o:c />", "<o:c xmlns:o='U'/><o:c xmlns:o='U'/>", [(0, UNDECLARED, ("o", "U")), (6, None, None)]),
    ("<o:c><o:d/></o:c>", "<o:c xmlns:o='U'><o:d/></o:c>", [(0, UNDECLARED, ("o", "U"))]),
    (
        '<c o:k="" s:l="">x</c>',
        """<c xmlns:o='U' xmlns:s='U' o:k="" s:l="">x</c>""",
        [(0, None, None), (0, None, None)],
    ),
    ("<c><o:c></c>", "<c><o:c xmlns:o='U'></o:c></c>", [(3, None, None), (8, "mismatched-end-tag", None)]),
    ("\x0b<o:c></o:c>", "\ufffd<o:c xmlns:o='U'></o:c>", [(0, "coerced-character", ()), (1, UNDECLARED, None)]),
    ("\x0b<o:c>x", "\ufffd<o:c xmlns:o='U'>x", [(0, "coerced-character", ()), (1, UNDECLARED, None)]),
    ("<o:c>x</y>", "<o:c xmlns:o='U'>x", [(0, UNDECLARED, None), (6, "unmatched-end-tag", ("y", 0, 1, False))]),
    ("<o:c><o:c></o:c>", "<o:c xmlns:o='U'><o:c></o:c>", [(0, UNDECLARED, None)]),
    (f"<o:d>{'x' * 5000}<c/></o:d>", f"<o:d xmlns:o='U'>{'x' * 5000}<c/></o:d>", [(0, UNDECLARED, None)]),
    ("<b xmlns=u>", '<b xmlns="u">', [(9, "unquoted-attribute-value", ())]),
    ("<b xmlns>", '<b xmlns="">', [(3, NO_VALUE, ())]),
    ('<b xmlns="u" xmlns="v"/>', '<b xmlns="u"/>', [(13, "duplicate-attribute", ("xmlns", ""))]),
    ('<b xmlns:o="u"><o:c/></b><o:c/>', """<b xmlns:o="u"><o:c/></b><o:c xmlns:o='U'/>""", [(25, UNDECLARED, None)]),
    ('<o:c xmlns="u"/>', """<o:c xmlns:o='U' xmlns="u"/>""", [(0, UNDECLARED, None)]),
    ("<c></b></y>", "<c></c></b>", [(3, "mismatched-end-tag", ("b", 0, -1, "c", 1)), (7, None, ("y", -1, -1, False))]),
]
ERRORS += [
    ("&&x é&x;", "&amp;&amp;x éX", [(0, "unescaped-ampersand", ()), (1, NO_SEMICOLON, ("&x", KEPT)), (5, "", ("x",))]),
    ('<c k="& &éa="/>', '<c k="&amp; &amp;éa="/>', [(6, "unescaped-ampersand", ()), (8, NO_SEMICOLON, ("&éa", KEPT))]),
]
ERRORS_FOR_THE_STATES = [  # what ends a run before it
    *[
        "<o:c k=v/>",
        '<c k=v o:k=""/>',
        "<o:c k=''/>",
        '<o:c  k=""/>',
        '<c o:k="" s:l=v/>',
    ],
    *['<c o:k="" s:k=""/>', '<c p:k="" q:k="" o:k=""/>', "<n:c/>", '<b xmlns="u" o:k=v>', '<c k="&" o:k=""/>'],
    *["<", "</", "<b k=<>", '<b k=v"w>', "<b k=&x;>", "<b k=\x0b>", "<b k=\ufffe>", "<b k= v>", "<b k =v>", "<b k = >"],
    *[
        "<b k=é l='' />",
        "<b  k=v>",
        "<b\nk=v>",
        "<b k=v\n>",
        "<b k=v l='w'>",
        '<b k="" k=v>',
        '<b k="" k>',
        '<b k=""\nk="">',
        "<b k",
    ],
    *[
        "<b k=v",
        "<b k=",
        "<b k/ >",
        "<b k=v / >",
        "<b xmlns:p=>",
        "<b n:k=v>",
        "<b p:k=v q:k=w>",
        "<n:b k=v>",
        '<b "k">',
    ],
    *['<b k="&gt;" l=v>', '<b k="\t" l=v>', "</>", "</y >", "</y\n>", "</r>", "</o:>", "</y"],
    '<b k1="" k2="" k3="" k4="" k5="" k6="" k7="" k8="" k9="" k10="" k11="" k12="" k13="" k13="">',
    "<c>" * 70 + "</y>",
]


def scan_with_errors(scan, text, **limits):
    """Scan with limits that permit errors; `r`, `a` and `b` are open, from the outermost."""
    open_names = {"r": 1, "a": 1, "b": 1}
    prefixes = {"p": "u", "q": "u"}
    return scan(
        text, open_names=["a", "b"], prefixes=prefixes, references=KNOWN, all_open=open_names, adopted=ADOPTED, **limits
    )


@each_case(("source", "markup", "errors"), ERRORS)
def test_errors(scan, source, markup, errors):
    """A run has them, each with its place; or it ends before them."""
    text = f"é\n{source}"
    run = scan_with_errors(scan, f"{text}<z/>")
    if run.markup is None:
        assert run.end < len(text.encode())
        assert run.errors == ()
    else:
        assert run.markup.decode() == f"é\n{markup}<z/>"
        assert [error[0] for error in run.errors] == [2 + place for place, _, _ in errors]
        assert [error[1] for error in run.errors] == [text.count("\n", 0, error[0]) for error in run.errors]
        for (_, _, code, detail, _), (_, wanted_code, wanted_detail) in zip(run.errors, errors, strict=True):
            assert wanted_code in {code, None}
            assert wanted_detail in {detail, None}
    without = scan(f"{text}<z/>", open_names=["a", "b"], prefixes={"p": "u", "q": "u"})
    assert without.markup is None
    assert without.end < len(text.encode())
    assert without.errors == ()


def test_the_compiled_scan_takes_errors():
    for source, _, errors in ERRORS:
        data = f"{source}<c/>".encode()
        if "compiled" in SCANS:
            limits = LIMITS._replace(references=KNOWN, all_open={"b": 1}, adopted=ADOPTED)
            run = Run(*SCANS["compiled"](data, 0, len(data), ["b"], {}, {}, limits, Cache()))
            assert (run.end, len(run.errors)) == (len(data), len(errors))


@each_case("source", ERRORS_FOR_THE_STATES)
def test_errors_for_the_states(scan, source):
    run = scan_with_errors(scan, f"<x>{source}")
    assert run.end <= len("<x>" + source.rpartition("<")[0])
    assert run.markup is None
    assert run.errors == ()


BROKEN = [  # what may be in a run where the limits say so, its markup, and the codes of the errors
    ("x]]]>y", "x]]]&gt;y", ["cdata-end-in-text"]),
    ("&#65 &#x;", "A &amp;#x;", ["missing-semicolon-", "absence-of-digits-"]),
    ("&#X3C;&#X26;&#0;", "&lt;&amp;\ufffd", ["uppercase-x-", "uppercase-x-", "null-character-reference"]),
    ("&#x110000;", "\ufffd", ["character-reference-outside-unicode-range"]),
    ("&#11;&#xFFFE;\x01<z/>", "\ufffd\ufffd\ufffd<z/>", ["control-", "coerced-character", "noncharacter-"]),
    ("<1a>x</1a>", "<U000031a>x</U000031a>", ["coerced-element-name"]),
    ("<a:é$:c></a:é$:c\t>", "", ["coerced-element-name", "undeclared-"]),
    ("<p:é$:c></p:é$:c\t>", "<p:éU000024U00003Ac></p:éU000024U00003Ac>", ["coerced-element-name"]),
    ("<1><c><d></c>", "<U000031><c><d></d></c>", ["coerced-element-name", "mismatched-end-tag"]),
    ("<c><1></c>", "<c><U000031></U000031></c>", ["coerced-element-name", "mismatched-end-tag"]),
    ("<c k='a&b' k2=&l/>", '<c k="a&amp;b" k2="&amp;l/">', ["missing-semicolon-", "unquoted-", "missing-semicolon-"]),
    ("<c k='<&amp;&#9;\t>\"' k='w'/>", '<c k="&lt;&amp;&#9; >&quot;"/>', ["less-than-sign-", "duplicate-attribute"]),
    (
        "<c @k='\x0cv' / :l k=1>",
        '<c U000040k=" v" l="" k="1">',
        ["unexpected-solidus-", "colon-", "attribute-", "unquoted-", "coerced-character", "coerced-attribute-name"],
    ),
    ("<c k='v'l = ''m/>", '<c k="v" l="" m=""/>', ["missing-whitespace-", "missing-whitespace-", "attribute-"]),
    ("<o:c xmlns='u' k='&#1;'>", '<o:c xmlns:o=\'U\' xmlns="u" k="\ufffd">', ["control-", "coerced-", "undeclared-"]),
    ("<c\n@k='a\nb'\n/>", '<c U000040k="a b"\n\n\n/>', ["coerced-attribute-name"]),
    ("<c></c k='é'></>", "<c></c></b>", ["end-tag-with-attributes"] * 5 + ["missing-end-tag-name"]),
    ("<c></c/>", "<c></c>", ["end-tag-with-trailing-solidus"]),
]


@each_case(("source", "markup", "codes"), BROKEN)
def test_what_is_broken(scan, source, markup, codes):
    """The compiled scan writes it anew. The pure one ends before it, as both do without `broken`."""
    text = f"x<x/>\né{source}<z/>"
    run = scan_with_errors(scan, text, broken=True)
    if run.markup is not None and markup:
        assert run.markup.decode() == f"x<x/>\né{markup}<z/>"
        assert len(run.errors) == len(codes)
        assert all(error[2].startswith(code) for error, code in zip(run.errors, codes, strict=True))
        assert all(error[1] == 1 for error in run.errors)
        without_lines = scan_with_errors(scan, text, broken=True, keeps_lines=False)
        assert (without_lines.end < len(text.encode())) == ("\n" in source)
    else:
        assert run.errors == ()
    without = scan_with_errors(scan, text)
    assert without.end < len(text.encode())
    assert all(not code.startswith("coerced-") for _, _, code, _, _ in without.errors)


def test_the_compiled_scan_takes_what_is_broken():
    for source, markup, _ in BROKEN:
        if "compiled" in SCANS and markup:
            data = f"{source}<z/>".encode()
            limits = LIMITS._replace(references=KNOWN, all_open={"b": 1}, adopted=ADOPTED, broken=True)
            assert SCANS["compiled"](data, 0, len(data), ["b"], {"p": "u"}, {}, limits, Cache())[0] == len(data)


def test_names_that_are_renamed_and_stay_open():
    limits = LIMITS._replace(references=KNOWN, adopted=ADOPTED, broken=True)
    if "compiled" in SCANS:
        data = b"<1><c><p:a:b xmlns:o='u'><d><o:$>"
        run = Run(*SCANS["compiled"](data, 0, len(data), [], {"p": "u"}, {}, limits, Cache()))
        assert run.opened == ["1", "c", "p:a:b", "d", "o:$"]
        assert run.renamed == ((0, "U000031"), (2, "p:aU00003Ab"), (4, "o:U000024"))
        assert run.scopes == ((2, "o", "u"),)


@each_case(
    "source",
    [
        *["<c k='&x;' k2='\\'l=\\>", "<c xmlns:o='' l=v/>", "<c xmlns='u v' l=v/>", "<n:c k='&'/>"],
        *[
            "<c p:k='&' q:k=''/>",
            "<c a$='' aU000024='' l=v/>",
            "<xmlns:c k='&'/>",
            "<c xmlns:1='u'/>",
            "<c k='&",
            "<c k=v ",
        ],
        *["&#93", "&#65", f"<c k='{'x' * 3000}&'/>", f"<c {' '.join(f'k{i}=v' for i in range(14))} @='&'/>", "</c\nx>"],
        "<1></1\n>",
    ],
)
def test_what_is_broken_for_the_states(scan, source):
    run = scan_with_errors(scan, f"<x>{source}", broken=True)
    assert run.end <= len("<x>" + ("<1>" if source.startswith("<1>") else ""))


@pytest.mark.parametrize(
    ("text", "is_last"), [("</y>", True), ("</y> \n", True), ("</y>x", False), ("</y></b>", False)]
)
def test_what_follows_an_end_tag_that_ends_nothing(scan, text, is_last):
    run = scan_with_errors(scan, text)
    assert run.errors in {(), ((0, 0, "unmatched-end-tag", ("y", 0, 0, is_last), None),)}


@pytest.mark.parametrize(
    ("text", "lowest"),
    [
        ("<c></c>", None),
        ("</y><c>", 0),
        ("</y></b><c>", -1),
        ("</b></y><c>", -1),
        ("<c><d></c>", 0),
        ("<c></y><d></d>", 1),
    ],
)
def test_how_shallow_a_run_is_at_its_end(scan, text, lowest):
    assert scan_with_errors(scan, text).lowest in {lowest, None}


def test_forbidden_characters_at_the_end_are_for_the_states(scan):
    """They have to know that the next ones in the same text are no other error."""
    for text in ("x\x0b", "x\x0by</y>\n<![CDATA[z]]>\x0b", "x\x0b<", "x\x0b&#0;"):
        run = scan_with_errors(scan, f"</y>{text}")
        assert run.end in {0, len("</y>x")}
        assert len(run.errors) == (run.end > 0)


RULES = {
    b"d": TagRule(False, False, (Default(b"k", b' k="v"', 6), Default(b"l", b' l="w"', 6))),
    b"t": TagRule(False, True, ()),
    b"n": TagRule(True, False, ()),
}


def test_defaults(scan):
    text = "<d/><d k=''>x</d><d l='' k=''/><!-- <d/> --><d >y</d>"
    run = scan(text, declared=RULES)
    wanted = '<d k="v" l="w"/><d k=\'\' l="w">x</d><d l=\'\' k=\'\'/><!-- <d/> --><d  k="v" l="w">y</d>'
    assert run == Run(len(text), run.resume, wanted.encode(), 0, [], len(text), 0, 30)
    assert scan("<x/>", declared=RULES).markup is None


def test_no_more_defaults_than_are_allowed(scan):
    assert scan("<d/><d/>", declared=RULES, added=25).cost == 24
    assert scan("<d/><d/><d/>", declared=RULES, added=25).cost in {0, 24}
    assert scan("<d/>", declared=RULES, added=11).end == 0


@pytest.mark.parametrize(
    "tag", ["<n/>", "<t k=' v'/>", "<t k='v '/>", "<t k='v  w'/>", "<t k='&#32;v'/>", "<d p:k='' xml:lang='' m=''/>"]
)
def test_declared_elements_for_the_states(scan, tag):
    assert scan(f"x{tag}", prefixes={"p": "u"}, declared=RULES).end <= 1


def test_declared_elements_as_they_are(scan):
    text = "<t k='v w' l=''/><d p:k='' k='' l=''/>"
    assert scan(text, prefixes={"p": "u"}, declared=RULES).end == len(text)


def test_editions(scan):
    fourth = scan("<Ĳ/>", has_fifth_edition_names=False)
    assert fourth.end == 0


def test_a_part_of_a_run_ends_where_it_should(scan):
    """A scan that is to stop between two tokens of a run ends there, but for "]" at the end of a text."""
    rng = random.Random(3)
    pieces = ["<d/>", "<d k=''>x</d>", "<c k='v'/>", "text", "é", "]", "\n ", "<!-- <d> -->", "<?p?>", "<![CDATA[x]]>"]
    for _ in range(100):
        chosen = rng.choices([*pieces, "&amp;"], k=rng.randrange(2, 60))
        text = "<b>" + "".join(chosen) + "</b></a><e>"
        whole = scan(text, open_names=["r", "a"], declared=RULES, levels=4, added=10_000)
        assert whole.end == len(text.encode())
        length = rng.randrange(len(chosen))
        part = ("<b>" + "".join(chosen[:length])).encode()
        run = scan(text, 0, len(part), open_names=["r", "a"], declared=RULES, levels=len(text), added=10_000)
        assert run.end == (len(part.rstrip(b"]")) if not part.endswith(b"]]>") else len(part))
        assert (run.ended, run.opened) == (0, ["b"])
        markup = whole.markup or text.encode()
        assert markup.startswith(run.markup or part[: run.end])


def test_all_scans_take_the_same():
    """On well-formed content the scans agree to the last byte; the pure one has its own idea only at faults."""
    rng = random.Random(2)
    pieces = ["<b>x</b>", "<c k='v'/>", "text", "é", "\n", "<!-- x -->", "<?p x?>", "<![CDATA[x]]>", "&amp;"]
    for _ in range(200):
        text = "".join(rng.choices(pieces, k=rng.randrange(1, 60))) + "<d/>"
        runs = [
            Run(*scan(text.encode(), 0, len(text.encode()), [], {}, {}, LIMITS, Cache())) for scan in SCANS.values()
        ]
        assert {(run.end, run.characters, run.newlines) for run in runs} == {
            (len(text.encode()), len(text), text.count("\n"))
        }


@pytest.mark.parametrize(
    ("tags", "levels"),
    [
        (b"", 0),
        (b"<a>", 1),
        (b"<a/><a b='c'/>", 1),
        (b"<a></a><b><c/></b>", 2),
        (b"</a></b><c><d>", 0),
        (b"</a><c><d><e f='/'></e>", 2),
        (b"x <a b='>'/> y > z <a b='/>'><a>", 2),
    ],
)
def test_deepest(tags, levels):
    """The levels are exact, so that documents that nest deeply keep the fast path up to the greatest depth."""
    assert deepest(measure(tags)[2]) == levels
