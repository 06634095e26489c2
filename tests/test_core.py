"""The core: it takes what it should, leaves everything else to the states, and writes what they would.

The tests on how much it takes are about the compiled scan alone; the states take nothing at once.
"""

import json
import random
from itertools import product
from pathlib import Path

import pytest
from support.cases import each_case, one_in
from support.outcomes import assert_same_on_all_ways, longest_run, on_each_way, runs_of
from support.splits import chunks

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.dialects.xml5.core import Core
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.input.stream import InputStream

pytestmark = pytest.mark.skipif("compiled" not in LANES, reason="the scanner is not compiled, or switched off")

FILLER = "<c k='v'>text &amp; more</c>" * 3


def repair_all_ways(document, backend="etree", **options):
    """What comes of a document, which must be the same by both readers.

    Returns:
        The repaired document, and how many characters the compiled scan took in its longest run.
    """
    longest = dict.fromkeys(LANES, 0)
    original = Core.take

    def take(self, *arguments):
        taken = original(self, *arguments)
        longest[name] = max(longest[name], taken[0] if taken else 0)
        return taken

    results = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Core, "take", take)
        for name in LANES:
            with lane(name):
                repairer = xml5tree.Repairer(**options)
                results.append((repairer.feed(document) + repairer.close(), list(repairer.error_log)))
                parser = xml5tree.XMLParser(backend=backend, **options)
                parser.feed(document)
                parser.close()
                results[-1] += (list(parser.error_log),)
    assert results[1:] == results[:-1]
    assert longest.pop("states") == 0
    return results[0][0], longest["compiled"]


#: What may be in content: clean, or with errors that the compiled scan reads, or that it leaves to the states.
CONTENT = json.loads((Path(__file__).parent / "data" / "content.json").read_text("ascii"))
DECLARATIONS = (
    "<!DOCTYPE r [<!ENTITY e 'text'><!ENTITY x '&#34;&#38;#10;x'><!ENTITY é '<i/>'><!ATTLIST t k NMTOKEN #IMPLIED>"
    "<!ATTLIST n xmlns CDATA 'n'><!ATTLIST d k CDATA 'v' l CDATA 'w'><!ATTLIST b l CDATA 'é'>]>"
)


@each_case("content", CONTENT)
def test_content(content):
    for prolog in ("", DECLARATIONS):
        repair_all_ways(
            f"{prolog}<r><a xmlns:p='u' xmlns:q='u'><b>é\n{content}<c/>{FILLER}{content}</b>&</a></r>", recovery="draft"
        )


def test_takes_all_that_is_clean():
    document = f"<a xmlns:p='u'>{FILLER}<p:b p:k='1' k='>'/><!-- < --><![CDATA[ <x> ]]><?p ?>{FILLER}<b>]</b></a>"
    repaired, taken = repair_all_ways(document)
    assert repaired == document
    assert taken > len(document) - 30


@pytest.mark.parametrize(
    "odd",
    [
        "<b xmlns='u'/>",
        "<b xmlns:q='u'><q:c/></b>",
        "<?p:q ?>",
        "<?é x?>",
        "<![CD><?p ??>",
        "<!-- a -- b -->",
        "<!-- <![CDATA[ -- ]]> -->",
        "\x0b<![CDATA[x]]>\x0b",
        "x ]]",
        "5 < 6 & 7",
        "<Ĳ>",  # a name since the fifth edition
        "<b",
    ],
)
def test_leaves_the_rest_to_the_states(odd):
    for backend in ("etree", "lxml"):
        repair_all_ways(f"<a xmlns:ĳ='u v' xmlns:r='v'>{odd}{FILLER}</a>", backend)


@pytest.mark.parametrize("length", [500, 2000])
@pytest.mark.parametrize(
    "context", ["<r><{}>", "<r><{}><b>", "<r xmlns:{}='u'><b>", "<!DOCTYPE r [<!ATTLIST {} b CDATA 'x'>]><r>"]
)
def test_long_names_around_a_stretch(context, length):
    """Names of any length give the same with the core, which reads none that are long again and again."""
    for character in ("x", "\u00e9"):
        repair_all_ways(context.format(character * length) + f"{FILLER}&{FILLER}</b>{FILLER}")


def test_depth():
    document = "<a>" + "<b>" * 30 + FILLER + "</b>" * 30 + FILLER + "</a>"
    for depth in (10, 20, 33, 300):
        repair_all_ways(document, max_depth=depth)
    repair_all_ways("<a>" + FILLER + "<b>" * 3000 + FILLER)


@pytest.mark.parametrize(
    ("odd", "declared"),
    one_in(
        3,
        product(
            [
                "<c/>t<c x='>'/>",
                "x]</b>]</b>>",  # the end tags are dropped
                "x]]</b>><b>",
                "</b\n><b>",
                "<!--<b>--><![CDATA[<b>]]><?b <b>?>",
                "<p:c xmlns:p='u'><p:c>x</p:c></p:c><p:c/>",
                "<c xmlns='u'><c>x</c></c><c/>",
                "<q:c><q:c>x</q:c></q:c>",
                "<xml:c/><1a><b x=1 y>& </z></r>",
                "</b></b></b></b></b></b></b></b></b></b><b>",
            ],
            ["", "<!DOCTYPE a [<!ATTLIST b k CDATA 'v'><!ENTITY e 'x'>]>"],
        ),
    ),
)
def test_runs_at_the_greatest_depth(odd, declared):
    """Elements there become siblings in runs, too."""
    document = f"{declared}<a>{'<b>' * 30}<c>{FILLER}</c>{odd}<d>{FILLER}</d>{'</b>' * 30}</a>"
    for number, depth in enumerate((2, 3, 30, 33)):
        recovery = ("draft", "intent")[(number + bool(declared)) % 2]
        _, taken = repair_all_ways(document, max_depth=depth, recovery=recovery)
        assert taken > len(FILLER)


@pytest.mark.parametrize("elements", [1, 60])
def test_declared_elements(elements):
    declarations = "".join(
        f"<!ATTLIST d{i} k CDATA '&lt;'><!ATTLIST t{i} k NMTOKEN #IMPLIED><!ATTLIST x{i} xmlns:x CDATA 'u'>"
        for i in range(elements)
    )
    body = "".join(
        f"<d{i}/><d{i} k=''> <!--<d0>--> </d{i}><t{i} k='v'/><t{i} k=' v  w '/><x{i}/>" for i in range(elements)
    )
    repair_all_ways(f"<!DOCTYPE a [{declarations}]><a>{FILLER}{body}{FILLER}</a>")
    broken = "".join(
        f"<d{i} a=b c></d{i}><d{i} xmlns:q='u' q:k='&u;'/><t{i} k=v a='1' a='1' />" for i in range(elements)
    )
    content = f"<a>{broken}{FILLER}</a>"
    _, taken = repair_all_ways(f"<!DOCTYPE a [{declarations}]>{content}", recovery="draft", attribute_defaults=True)
    assert taken == len(content)


BROKEN = [
    *[
        '<w a=\'1\' b="two>t</w> and <i class="x">so</i>',
        '<w b="say "hello" twice">',
        "we <3 you",
        "<1a>t</1a>",
        "<@a>",
    ],
    *["<w a='1' @click='go'>", "<w 1st=''>t</w>", "<a$b>t</a$b>", "<a$b><c></a$b>", "<c><a$b></c>", "<a:b:c>t</a:b:c>"],
    *[
        "<p:b:c>t</p:b:c >",
        "<p:b:c d:e:f=''/>",
        "<a:>t</a:>",
        "<w a:b:c='1' a:bU00003Ac=''>",
        "<w b='a\x01b\x0c'>",
        "\x02",
    ],
    *[
        "<w b='&#11;' c='&#xD;&#10;&#9;'>",
        "&#11;",
        "&#0;",
        "&#xFFFF;",
        "&#65 b",
        "&#X41;",
        "&#x;",
        "&#13 &#10 &#60 &#93 >",
    ],
    *[
        "]]>",
        "]",
        ">",
        "</>",
        "</w x='1'>",
        "</w/>",
        "</w / é>",
        "<w a\n='1' b>",
        "<w ='x'>",
        "<w a / b='2'/>",
        "<w :c />",
    ],
    *[
        "<w a=1:b=c d :e>",
        "<w b=x&y&amp;&lt>",
        "<w b=&u;>",
        "<w b='&u;<i>&v'>",
        "<w b='>&<'c>",
        '<w a="1", b="2">',
        "&u;",
    ],
    *[
        "<w xmlns:q='v' q:r=1>",
        "<w xmlns:q='' q:r=1>",
        "<w xmlns='v v' b>",
        "<q:w a>",
        "<q:w q:a$='1'>",
        "<xml:w xml:lang=x>",
    ],
    *[
        "<a\"b='c'>",
        "<w <i>t</i>",
        "<w\u0132 \u0132=1>",
        "<\U0001f600 \u20ac='1'/>",
        "<w a='1' a=2 a='3&'>",
        "</w>",
        "<i>",
    ],
    *["<w\na$='1'\n b='x\ny'>", "<w\n\n1=''\n/>", "<a:é$\n>\n</a:é$\n>", "\n<w a='1'\na='2'\nb>\n", "<w b=&u;\n>\n<p>"],
]


@pytest.mark.parametrize(("recovery", "backend"), [("draft", "etree"), ("intent", "lxml")])
@each_case("broken", one_in(2, BROKEN))
def test_what_the_draft_decides_from_the_token(broken, recovery, backend):
    between = "<p k='v'>some text</p>"
    repair_all_ways(f"<r xmlns:p='u'>{between}{broken}{between}{broken}{between * 3}</r>", backend, recovery=recovery)


@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_lines_of_elements_around_what_is_broken(recovery):
    """Newlines in tags that are written anew stay, so that elements are on the lines of the document."""
    document = f"<r>{'<p>some text</p>'.join(BROKEN * 2)}<q/></r>"

    def lines():
        root = xml5tree.fromstring(document, backend="lxml", recovery=recovery)
        return [(element.tag, element.sourceline) for element in root.iter()]

    on_each_way(lines)


@pytest.mark.parametrize("max_depth", [2, 3, 4])
def test_lines_of_elements_that_are_too_deep(max_depth):
    """What ends an element may have newlines of its own, which are not those of the end tag that is written."""
    document = "<r>\n<a\n>\n\n<b\n><c\n\n k=''>\n<d\n/></c\n></b></a\n><e\n><f\n/></r>"

    def lines():
        root = xml5tree.fromstring(document, backend="lxml", max_depth=max_depth, recovery="draft")
        return [(element.tag, element.sourceline) for element in root.iter()]

    expected = [(name, document[: document.find(">", document.find(f"<{name}"))].count("\n") + 1) for name in "rabcdef"]
    assert on_each_way(lines) == expected


@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_prefixes_that_are_known_beside_their_family(recovery):
    rng = random.Random(4)
    office = "http://schemas.openxmlformats.org/"
    pieces = [
        *[
            "<a:b>",
            "</a:b>",
            "<a:b/>",
            "<w:p a:k=''/>",
            "<a:b:c/>",
            "<q:c/>",
            "<q:c>",
            "</q:c>",
            "<wp:d>",
            "</wp:d>",
            FILLER,
        ],
        *[
            f"<x xmlns:p='{office}x'>",
            "<x xmlns='urn:schemas-microsoft-com:x'>",
            "</x>",
            "<a:b xmlns:a='u'/>",
            "<y xmlns:r='v'>",
        ],
        *["</y>", f"<a:b xmlns:p='{office}'/>", "<o:c/><v:c/>", "<o:c>", "</o:c>"],
    ]
    for _ in one_in(2, range(25)):
        body = "".join(rng.choices(pieces, k=rng.randrange(5, 25)))
        repair_all_ways(f"<r>{body}</r>", recovery=recovery)


@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_broken_tags_in_a_row(recovery):
    rng = random.Random(8)
    for _ in one_in(2, range(40)):
        body = "".join(rng.choices([*BROKEN, "<p>text</p>", "text\n", "</i>", "</w>"], k=rng.randrange(2, 12)))
        repair_all_ways(f"<r xmlns:p='u'>{body}</r>", recovery=recovery)


def test_what_is_broken_with_options():
    body = "".join(f"<p>some text</p>{broken}" for broken in BROKEN)
    kinds = [
        {"control_characters": "drop"},
        {"elements": ["r", "w", "p", "i"]},
        {"elements": ["r", "w", "p"], "raw": ["w"]},
        {"root_element": "r"},
        {"roots": "all"},
        {"max_depth": 9},
        {"max_errors": 3},
        {"entities": {"u": "U"}},
    ]
    for recovery, options in one_in(3, product(("intent", "draft"), kinds)):
        repair_all_ways(f"<r xmlns:p='u'>{body}</r>", recovery=recovery, **options)


@pytest.mark.parametrize(("recovery", "backend"), [("draft", "etree"), ("intent", "lxml")])
@each_case(
    "value",
    one_in(
        2,
        [
            *[
                "text",
                "",
                " ",
                "\n",
                "x\n ",
                "x\n y",
                "\tx",
                'it\'s > "y"',
                "]",
                "]]&#62;",
                "&#93;",
                "&#38;",
                "&#38;#38;",
            ],
            *["&#38;#60;", "&#38;#10;x", "&#13;x", "<i/>", "&#60;", "&b;", "x&b;&c;y", "&c;", "&d;", "&u;", "&amp;x"],
            *["&#1;", "é&#233;", "& x", "x" * 70_000, "&b"],
        ],
    ),
)
def test_declared_entities(value, recovery, backend):
    escaped = value.replace("'", "&#39;")
    declarations = f"<!ENTITY b 'B'><!ENTITY c '&b;  C'><!ENTITY d '&a;'><!ENTITY a '{escaped}'>"
    attributes = "<!ATTLIST t k NMTOKENS #IMPLIED><!ATTLIST s l CDATA '&b;'>"
    body = (
        f"{FILLER}&a;-&b;<i>&a;</i>]&a;>{FILLER}<i k=\"&a;\" l='&b;'/><i k='&a;'/><t k=\"&a;\"/><t k='&c;'/>{FILLER}"
        f'&c;<s k="&a;"/><s k="&b;">&b</s>{FILLER}</x>&a;\x01&b;\x02<i>&b;&u;&u; &b</j></k>&a;</i>&a;{FILLER}'
    )
    repair_all_ways(f"<!DOCTYPE r [{declarations}{attributes}]><r>{body}</r>", backend, recovery=recovery)


def test_declared_entities_are_taken():
    document = f"<!DOCTYPE r [<!ENTITY a 'b &#38;amp; c'>]><r>{FILLER}<i k=\"&a;\">&a;</i>{FILLER}</r>"
    repaired, taken = repair_all_ways(document, recovery="draft")
    assert '<i k="b &amp; c">b &amp; c</i>' in repaired
    assert taken > len(FILLER) * 2


@pytest.mark.parametrize("amplification", [1, 3])
def test_entities_that_the_budget_does_not_hold(amplification):
    declarations = "<!ENTITY a 'value'><!ENTITY b '&a;&a;'><!ATTLIST c k CDATA 'default'>"
    body = '<c/>&a;<c>&a;</c><d k="&a;"/>&b;x' * 15
    document = f"<!DOCTYPE r [{declarations}]><r>{body}</r>"
    for threshold in (*range(0, 400, 57), 550, 1500, 61_000):
        repair_all_ways(document, max_amplification=amplification, amplification_threshold=threshold)


def test_references_where_white_space_is_collapsed():
    document = f'<!DOCTYPE r [<!ATTLIST t k NMTOKEN #IMPLIED>]><r>&s;{FILLER}<t k="&s;x &s;"/>{FILLER}</r>'
    assert '<t k="x"/>' in repair_all_ways(document, entities={"s": " "})[0]


@pytest.mark.parametrize("amplification", [1, 3])
def test_defaults_that_the_budget_does_not_hold(amplification):
    declarations = "<!ATTLIST b k CDATA 'value' l CDATA 'é' m CDATA '&lt;'>"
    elements = "<b/><b k='w'/>x" * 50
    document = f"<!DOCTYPE a [{declarations}]><a>{elements}</a>"
    for threshold in range(0, 2500, 197):
        repair_all_ways(document, max_amplification=amplification, amplification_threshold=threshold)


def test_stretches_share_the_budget_of_defaults():
    elements = "<b/>text" * 40
    document = f"<!DOCTYPE a [<!ATTLIST b k CDATA 'v'>]><a>{(elements + '&') * 10}</a>"
    most = 242
    repaired, taken = repair_all_ways(document, max_amplification=0, amplification_threshold=most * len(" k='v'"))
    assert taken > len(elements) - len("text")
    assert repaired.count('<b k="v"/>') == most
    assert repaired.count("<b/>") == 400 - most


def test_declared_elements_with_two_prefixes():
    declarations = "<!ATTLIST b k CDATA 'v'>"
    for body in ("<b p:x='1'  xml:lang='de'/>", "<b p:x='1' k=':'/>", "<b p:x='1' q:x='2'/>"):
        repair_all_ways(f"<!DOCTYPE a [{declarations}]><a xmlns:p='u' xmlns:q='u'>{FILLER}{body}{FILLER}</a>")


def test_many_declared_elements_behind_less_than_signs():
    declarations = "".join(f"<!ATTLIST b{i} k CDATA 'v'>" for i in range(100))
    repair_all_ways(f"<!DOCTYPE a [{declarations}<!ATTLIST c xmlns CDATA 'urn:c'>]><a><<c/>{FILLER}</a>")


SCOPES = [
    "<p:b xmlns:p='u'><p:c/>&#0;<p:d p:k='v'/></p:b><p:e/>",
    "<b xmlns='u'><c xmlns=''>x</>&#0;<c/></b><c/>",
    "<p:b xmlns:p='u'><c><p:d xmlns:p='v'>&#0;</p:d><p:d/></c></p:b>",
    "<p:b xmlns:p='u'><c xmlns:q='v'><q:d>&#0;</p:b><q:d/><p:d/>",
    "<o:b><c xmlns:q='v'><o:d/>&#0;</c><o:d/></o:b><o:d/><o:b/>",
    "<o:b/><o:b>&#0;<c xmlns:o='v'><o:d/>&#0;</c></o:b><o:d/>",
    "<b p:k='1' q:k='2' xmlns:p='u' xmlns:q='v'/><b xmlns:p='u' xmlns:q='u'><c p:k='1' q:k='2'/></b>",
    "<b xmlns:ns0='u'><1:c/>&#0;<ns0:c/><1:c xmlns:1='v'/></b><1:c/>",
    "<math:b/><b xmlns:m='http://www.w3.org/1998/Math/MathML'><math:b/>&#0;<math:b/></b><math:b/>",
]


@pytest.mark.parametrize("part", SCOPES)
def test_runs_that_are_cut_within_scopes(part):
    """What is bound where a run ends is bound in what the states read next; `&#0;` is for these."""
    document = f"<a xmlns:p='t'>{FILLER}{part * 3}{FILLER}</a>"
    repair_all_ways(document)
    for size in (1, 20):
        assert_same_on_all_ways(document, list(chunks(document, size)), {})


def test_declarations_do_not_end_runs():
    record = (
        "<entry><div xmlns='http://www.w3.org/1999/xhtml'><p>x</p></div>"
        "<dc:x xmlns:dc='http://purl.org/dc/elements/1.1/' dc:k='v'>y</dc:x><zz:z>z</zz:z></entry>"
    )
    document = f"<feed>{record * 20}&</feed>"
    assert longest_run(document, recovery="draft") > len(record) * 18


@pytest.mark.usefixtures("reader")
def test_the_same_text_twice():
    part = "<b xmlns='u'/><b xmlns='u'/>" + "é" * 200
    repairer = xml5tree.Repairer()
    repaired = "".join(map(repairer.feed, ["<a>", part, part, part, "</a>"])) + repairer.close()
    assert repaired == f"<a>{part * 3}</a>"


@pytest.mark.parametrize(
    "document",
    [
        "<a>é€\U0001f600</a>".encode(),
        "\ufeff<?xml version='1.0'?>\n<a>é</a>".encode(),
        "<a>é\r\né\ré</a>".encode(),
        "<a>é\xe9\xe2\x82</a>".encode("latin-1"),
        "<a>é\x0b\0\ufffe</a>".encode(),
        "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>".encode("latin-1"),
        "<a>é</a>".encode("utf-16"),
    ],
)
def test_the_text_in_utf8(document):
    """It is the bytes of the document where they are that, and is encoded otherwise."""
    for cut in range(len(document) + 1):
        stream = InputStream()
        for part in (document[:cut], document[cut:], b""):
            text = stream.feed(part, final=not part)
            assert stream.utf8 == text.encode()


PROLOGS = [
    "",
    "\n",
    "<!-- a -->\n<?b c?> ",
    "<?xml version='1.0'?>\n\n",
    "x<!-- a -->",
    "</x>",
    "<!DOCTYPE a [<!ENTITY e 'x'>]>",
]
EPILOGS = [
    "",
    "\n<!-- d -->\n<?e f?>\n",
    "x",
    "<a/>",
    "</a>",
    "&amp;",
    "]]>",
    "<![CDATA[x]]>",
    "<!-- - -- -->",
    "\x0b",
    "<",
]
ROOTS = [
    "<a>{}</a>",
    "<a xmlns='u' xmlns:p='urn:v' p:b='1'\nc='2'>{}</a >",
    "<p:a>{}</p:a>",
    "<a b=c d>{}</a>",
    "<a b='1' b='2'/>",
    "<a><b>{}</a>",
    "<a>{}",
    "<1a>{}</1a>",
    "< a>{}</a>",
    "<a b='&e;'>{}&e;</a>",
]


@each_case("root", ROOTS)
@each_case("prolog", one_in(3, PROLOGS))
def test_runs_from_outside_the_root(prolog, root):
    """A run may begin before the root element and end after it; of three parts, each two are tried together."""
    for epilog in EPILOGS if prolog == PROLOGS[0] or root == ROOTS[0] else EPILOGS[:1]:
        document = prolog + root.format(FILLER + "x & y\n<b/></c>") + epilog
        repair_all_ways(document, recovery="draft")
        assert_same_on_all_ways(document, list(chunks(document, 7)), {"recovery": "draft"})


def test_one_run_takes_a_whole_document():
    document = f"<!-- a --><a xmlns:p='u' b=c>{FILLER}</a>\n<?d?>\n"
    assert [*filter(None, runs_of(document, recovery="draft"))] == [len(document)]


@pytest.mark.parametrize("size", [1, 2, 7, 64])
@pytest.mark.parametrize(
    "document", ["W\n<?xml version='1.0'?>\n<r><i>&</i></r>", "W\n\n<r><i>&</i></r>", "\n<r>&</r>"]
)
def test_white_space_before_the_root_after_what_is_dropped(document, size):
    """A run that begins there has the white space only where the states write it."""
    repairer = xml5tree.Repairer(recovery="draft")
    pieces = "".join([*map(repairer.feed, chunks(document, size)), repairer.close()])
    assert xml5tree.repair(document, recovery="draft") == pieces


#: After the root: tags and texts that are dropped without the states, and what is left to these.
AFTER_ROOT = ["<a>", "</a>", "<b/>", '<c x="1" y="2">', "text", " ", "\n"]
FOR_THE_STATES = ['<c x="1" x="2">', "<c x='1'>", "</>", "</a b>", "<a b>", "< a>", "<3", "<\u00e9>", "&amp;", "]]>"]
FOR_THE_STATES += ["<!-- c -->", "<?p?>", "<![CDATA[x]]>", "\x01", "\ufeff", "<a:b>", "<a"]


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("root", ["<r/>", "<r><a>q</r>", "<!DOCTYPE r [<!ENTITY e '<a>x</a>'>]><r/>\n"])
def test_what_follows_the_root_is_reported_alike(root, recovery):
    chooser = random.Random(7)
    for odd in FOR_THE_STATES:
        document = root + "".join(chooser.choices(AFTER_ROOT, k=6)) + odd + "".join(chooser.choices(AFTER_ROOT, k=4))
        assert_same_on_all_ways(document, list(chunks(document, 2)), {"recovery": recovery})


def test_what_follows_the_root_is_not_for_the_states(monkeypatch):
    read = []
    original = Tokenizer.begin_token
    monkeypatch.setattr(Tokenizer, "begin_token", lambda self: read.append(self) or original(self))
    xml5tree.repair("<r/>" + "".join(AFTER_ROOT) * 20)
    assert len(read) < 5


@pytest.mark.parametrize("bad", ["\0", b"\xff", b"\xe9"])
@pytest.mark.parametrize("content", ["{}", "<b c='{}'/>", "<b{} {}='d'/>"])
def test_after_what_was_replaced(bad, content):
    """The states read the first token with U+FFFD; from then on it is in no name."""
    bad = bad.encode() if isinstance(bad, str) else bad
    part = content.encode().replace(b"{}", bad)
    document = b"<a>" + part + FILLER.encode() + (part + b" & " + FILLER.encode()) * 40 + b"</a>"
    _, longest = repair_all_ways(document, backend="lxml", recovery="draft")
    assert longest > 39 * len(FILLER)


@each_case(
    "tag", ["<b xml:id='i'/>", "<b xml:id='i' xml:id=j>", "<b xml:id = '1'>", "<b c=d xml:id>", "<p:b p:id='1'>"]
)
@pytest.mark.parametrize("root", ["<a xmlns:p='http://www.w3.org/XML/1998/namespace'>", "<a xml:id='i'>", "<a>"])
def test_identifiers(tag, root):
    """Where the reader of the markup checks `xml:id`, the states read tags that have one, and nothing else."""
    document = f"{root}{tag}xml:id{FILLER}<!-- xml:id -->{FILLER}<xml:id>{tag}</xml:id>{FILLER}</a>"
    _, longest = repair_all_ways(document, recovery="draft")
    assert longest > 2 * len(FILLER)
    whole = []
    for name in LANES:
        with lane(name):
            whole.append(xml5tree.repair(document, recovery="draft"))
    assert whole[1:] == whole[:-1]
