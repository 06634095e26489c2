"""Effects of errors that depend on the text after them: the same on every way, wherever a document is cut."""

from itertools import product

import pytest
from support.cases import one_in
from support.outcomes import assert_same_on_all_ways
from support.splits import chunks, splits

import xml5tree
from xml5tree.errors.codes import KEPT, LOST, MOVED

pytestmark = pytest.mark.usefixtures("reader")

#: The end of a start tag with an attribute without a value, and the error.
ENDS = [
    *[(f" k{end}", "attribute-without-value") for end in (">", "/>", " >", " />", "\n>")],
    *[(f" k{end}", "missing-attribute-value") for end in ("=>", " =>", "= >", "=\n>")],
    *[(f" j='1' k{end}", "attribute-without-value") for end in (">", "/>")],
    *[(f" k='' k{end}", "attribute-without-value") for end in (">", "/>")],
]
VALUES = ["='v' m=\"w\">t", "'v'>t", '"v" t', "=v>t"]
TEXTS = ["v='w'>t", "", " 'v'", "<b/>", "&quot;v", "é", "-'"]
#: What comes after the `<` of text.
OPENINGS = [" ", "\n", "  ", ":", "/ ", "/\n", "/:", " : "]
TAGS = ["l='v'/>", 'l="v">', "l = 'v'>", "l/>", "l>", "l />", "l\n>", "l m='v'>", 'l:k\nm =\n"v"/>', "имя='v'/>"]
NO_TAGS = ["l", "5='v'>", "l = v", "l m n>", "l m>", "l & m='v'", "l / >", "l<b/>", "", ">", "='v'", "l=&quot;"]
LONG = [f"{'l' * 63}='v'", f"l{' ' * 63}/>", f"l='{'v' * 80}'>", f"{'имя' * 20}mm='v'", f"{'имя' * 20}m/>"]
#: Two values that are the same in the tree, or that are not.
EQUAL = [
    *[
        ("x&amp;y", "x&amp;y"),
        ("x&amp;y", "x&#38;y"),
        ("1 2", "1\t2"),
        ("1\n2", "1&#32;2"),
        ("<", "&lt;"),
        ("&", "&amp;"),
    ],
    *[
        ("&x;", "&x;"),
        ("&e;", "&e;"),
        ("&e;", "own &amp; text"),
        ("&#xE9;", "é"),
        ("&#0;", "&#0;"),
        ("", "&n;"),
        ("\\", "\\"),
    ],
]
UNEQUAL = [
    ("x&amp;y", "x&amp;z"),
    ("x", "x&amp;"),
    ("x&amp;", "x"),
    ("1 2", "1\t3"),
    ("&e;", "&x;"),
    ("", "&e;"),
    ("&lt;", "<a"),
]
DTD = "<!DOCTYPE r [<!ENTITY e 'own &#38;amp; text'><!ENTITY n ''>]>"


def assert_effect(document, code, effect):
    """Assert the effect of the only error of a code in the draft's reading, wherever there is a cut."""
    for pieces in splits(document):
        repairer = xml5tree.Repairer(recovery="draft")
        for piece in pieces:
            repairer.feed(piece)
        repairer.close()
        effects = [entry.effect for entry in repairer.error_log if entry.code == code]
        assert effects == [effect], pieces


@pytest.mark.parametrize(
    ("of_tag", "of_text"), one_in(5, product(ENDS, [*product(VALUES, [MOVED]), *product(TEXTS, [KEPT])]))
)
def test_value_after_its_tag(of_tag, of_text):
    (end, code), (after, effect) = of_tag, of_text
    document = f"<r><b{end}{after}</b></r>"
    assert_effect(document, code, effect)
    parser = xml5tree.XMLParser(recovery="intent")
    xml5tree.fromstring(document, parser=parser)
    assert effect == KEPT or parser.error_log.effect != KEPT


@pytest.mark.parametrize(
    ("of_text", "opening"), one_in(5, product([*product(TAGS, [MOVED]), *product(NO_TAGS, [KEPT])], OPENINGS))
)
def test_tag_that_is_text(of_text, opening):
    after, effect = of_text
    document = f"<r>x<{opening}{after} y</r>"
    assert_effect(document, "invalid-first-character-of-tag-name", effect)
    parser = xml5tree.XMLParser(recovery="intent")
    root = xml5tree.fromstring(document, parser=parser)
    assert effect == KEPT or len(root) or "<" not in (root.text or "") or parser.error_log.effect != KEPT


@pytest.mark.parametrize(("after", "effect"), list(zip(LONG, [KEPT, KEPT, MOVED, KEPT, MOVED], strict=True)))
def test_how_far_a_tag_that_is_text_is_looked_for(after, effect):
    """64 characters, whatever they are in bytes; no more are held back."""
    document = f"<r>< {after}{'y' * 70}</r>"
    assert_effect(document, "invalid-first-character-of-tag-name", effect)
    repairer = xml5tree.Repairer(recovery="draft")
    assert "&lt;" in repairer.feed(f"<r>< {after}{'y' * 70}")


def test_texts_that_end_in_an_entity():
    """What follows the reference is not looked at."""
    document = "<!DOCTYPE r [<!ENTITY e '<b k=></b>&#60; l'>]><r>&e;='v'/></r>"
    assert_effect(document, "missing-attribute-value", KEPT)
    assert_effect(document, "invalid-first-character-of-tag-name", KEPT)


def quoted(value):
    return [f"{quote}{value}{quote}" for quote in "'\""]


@pytest.mark.parametrize(("values", "effect"), [*product(EQUAL, [KEPT]), *product(UNEQUAL, [LOST])])
def test_duplicate_attributes(values, effect):
    for first, second in zip(*map(quoted, values), strict=True):
        assert_effect(f"{DTD}<r><b k={first} l='' k={second}>x</b></r>", "duplicate-attribute", effect)
    first, second = values
    if second and not set("\t\n ").intersection(second):
        assert_effect(f"{DTD}<r><b k='{first}' k={second} l=''/></r>", "duplicate-attribute", effect)


@pytest.mark.parametrize("middle", ["", "&amp;", "<", "&"])
@pytest.mark.parametrize(("end", "effect"), [("v", KEPT), ("w", LOST)])
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_long_duplicate_attributes(middle, end, effect, recovery):
    value = "v" * 5000 + middle
    document = f"<r><b k='{value}v' k='{value}{end}'>x</b></r>"
    for size in (7, 4000):
        assert_same_on_all_ways(document, list(chunks(document, size)), {"recovery": recovery})
    parser = xml5tree.XMLParser(recovery=recovery)
    xml5tree.fromstring(document, parser=parser)
    assert [entry.effect for entry in parser.error_log if entry.code == "duplicate-attribute"] == [effect]


@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_errors_in_a_duplicate_come_after_it(recovery):
    document = "<r><b k='1 & 2' k='1 &#38; 2 < 3 &#0;' l=''>x</b><b k='1' k='& cut"
    for pieces in splits(document):
        assert_same_on_all_ways(document, pieces, {"recovery": recovery})
    parser = xml5tree.XMLParser(recovery="draft")
    xml5tree.fromstring(document, parser=parser)
    assert [(entry.code, entry.column) for entry in parser.error_log][1:4] == [
        ("duplicate-attribute", 16),
        ("less-than-sign-in-attribute-value", 29),
        ("null-character-reference", 33),
    ]
