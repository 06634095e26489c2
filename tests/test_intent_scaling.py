"""Invariant I7 for `recovery="intent"`: time is linear in the document, whatever its faults are."""

from collections.abc import Callable

import pytest
from support.cases import one_in
from support.scaling import assert_scales_linearly
from support.splits import chunks

import xml5tree

#: Documents in which much is doubted.
FAMILIES = {
    "tags in names": lambda n: "<r>" + "<a" * n,
    "tags in attributes": lambda n: "<r>" + "<a b " * n,
    "attributes in names": lambda n: "<r><i/><it/>" + "<itx='1'>" * n,
    "comments": lambda n: "<r>" + "<a><!-- x </a>" * n,
    "comments within each other": lambda n: "<r>" + "<!--<a>" * (2 * n),  # more than is read ahead
    "CDATA sections": lambda n: "<r>" + "<a><![CDATA[ x </a>" * n,
    "instructions": lambda n: "<r>" + "<a><?x </a>" * n,
    "misspelt comments": lambda n: "<r>" + "<a><!- x> </a>" * n,
    "misspelt CDATA sections": lambda n: "<r>" + "<a><![cdata[ x> </a>" * n,
    "sections in sections": lambda n: "<r>" + "<![CDATA[ <![CDATA[ ]]>" * n,
    "unclosed values": lambda n: "<r><a " + 'x="' * n,
    "unclosed values before tags": lambda n: "<r>" + "<a x=\"1>t</a><b y='2>" + "<c>t</c>" * n,
    "unclosed values after each other": lambda n: "<r>" + ('<a x="1>t</a>' + "<c>t</c>" * 500) * (n // 60),
    "unclosed values before long text": lambda n: (
        "<r>" + ('<a x="1>' + "t" * 12_000 + "</a>" + "<c>t</c>" * 500) * (n // 60)
    ),
    "unclosed values in text": lambda n: '<r><a x="' + "t<" * (8 * n),
    "values without quotes": lambda n: "<r><a " + "b =" * (4 * n),
    "values without names": lambda n: "<r><a " + "= " * (4 * n),
    "alternating quotes": lambda n: "<r><a x=" + "\"'" * (8 * n),
    "typographic quotes": lambda n: "<r>" + "<a b=“x " * n,
    "distinct names": lambda n: "<r>" + "".join(f"<a{i}></a{i}>" for i in range(n)),
    "distinct names after text": lambda n: "<r>" + "".join(f"<×<a{i}>" for i in range(n)),
    "distinct names within each other": lambda n: "<r>" + "".join(f"<a{i}>" for i in range(n)),
    "no end tags": lambda n: "<a><b>" * n,
    "end tags that are not open": lambda n: "<r>" + f"<item><b>x</c>{'y' * 36}" * n,
    "end tags without >": lambda n: "<r>" + "</a " * n,
    "end tags without > that are misspelt": lambda n: "<r>" + "<item>x</itme " * n,
    "crossed tags": lambda n: "<r>" + "<a><b></a></b>" * n,
    "elements that are always empty": lambda n: "<r>" + "<b></b>" * n + "</c>",
    "void elements": lambda n: "<r>" + "a<br>b" * n,
    "double quotes before single ones": lambda n: "<r>" + "<a x=\"'" * n,
    "single quotes before double ones": lambda n: "<r>" + "<a x='\"" * n,
    "end tags before start tags": lambda n: "<r>" + "</a><b>" * n,
    "texts like tags": lambda n: "<r>" + "<a>b<c d>" * n,
    "texts with less-than signs": lambda n: "<r>" + "< a" * n,
    "references without semicolons": lambda n: "<r>" + "&amp " * n,
}
#: Documents of one long thing: each has a function that makes it of a number.
LONG = {
    "name of an element that has attributes": lambda n: "<r><" + "a" * n + " b='1'>x",
    "unclosed value": lambda n: "<r><a b='1" + "a" * 8 * n,
    "unclosed values": lambda n: "<r><a" + " b='1>" * n,
    "values without quotes": lambda n: "<r><a" + " b=1 c" * n,
    "equals signs": lambda n: "<r><a b" + "= " * n,
    "separated attributes": lambda n: "<r><a" + ' b="1",' * n,
    "typographic quotes that are not closed": lambda n: "<r><a" + " b=“x c=‘y" * (n // 2),
}


#: Documents of which much was once read again and again, as far as the look-ahead goes.
WITHIN_REACH = {
    "values with less-than signs": (lambda n: "<r>" + '"<a " x=' * n, 500),
    "instructions that do not end, where junk may be": (lambda n: "<b>" + "<?" * n, 4000),
    "instructions within each other": (lambda n: "<r>" + "<?x " * n, 450),
    "question marks that are text": (lambda n: "<r>" + "<?1 3<4 " * n, 500),
    "attributes without an equals sign": (lambda n: "<r><a " + 'x"1" ' * n + ">t", 1000),
    "less-than signs before the root": (lambda n: "<!DOCTYPE r [" + "</" * n + "<r>", 3000),
    "tags that are passed over when they are read ahead": (lambda n: "<r>" + "<b></b><:a></:a>" * n, 250),
    # Each name is compared with those of open elements, in each window again. There are more than are remembered.
    "end tags of other names than open elements have": (lambda n: names("<#>", 100) + names("</#>", n), 500),
    "end tags of names with the same letters": (lambda n: names("<xyxyxyxy#>", 60) + names("</yxyxyxyx#>", n), 500),
}


def names(tag, n):
    """Repeat a tag with other letters in the place of ``#``; their order has nothing to do with the number."""
    return "".join([tag.replace("#", f"{number * 2654435761 % 2**32:032b}") for number in range(1, n + 1)])


#: Two quantities that grow together.
BOTH: dict[str, Callable[[int], str]] = {
    "levels and end tags of nothing": lambda n: "<r>" + "<a>" * n + "</b>" * n,
    "levels and texts": lambda n: "<r>" + "<a>x" * n + "</a>y" * n + "<",
    "levels and children": lambda n: "<r>" + "<a>" * n + "<b>x</b>" * n + "</c>",
    "names and end tags of others": lambda n: "<r>" + names("<#>", n) + names("</#x>", n),
    "names and unclosed elements": lambda n: "<r>" + names("<#>x</#>", n) + names("<#>x", n),
    "attributes and tags": lambda n: "<r>" + ("<a" + " b=1'" * (n // 50) + ">") * 50,
    "records and missing end tags": lambda n: "<r>" + ("<i><t>a</t>" + "<l>b</l>" * (n // 50)) * 50,
    "columns and levels": lambda n: "<r>" + "".join(f"\n{' ' * (i % 60)}<a>" for i in range(n)) + "</r>",
    "comments and quotes": lambda n: "<r>" + '<!-- "' * n + "<a b='" * n,
    "start tags twice and thrice": lambda n: "<r>" + "<a k='1'><a k='1'>x</a>" * n + "<b><b><b>" * n,
    "roots and roots": lambda n: "<r>" + "<a/></r>" * n + "<r>" * n,
}


#: Documents that contradict what is known: `a` never nests, and `b` is empty.
KNOWN = {
    "levels": lambda n: "<r>" + "<a>" * n + "</b>" * n,
    "levels and end tags of others": lambda n: "<r>" + "<x>" * n + "<a><b>x</b>" * n + "</y>" * n,
    "distinct names": lambda n: "<r>" + names("<b><#></#></b>", n) + "</c>",
    "one long tag": lambda n: "<r></c><b " + "k='1' " * (4 * n) + ">x</b>",
    "a section without an end": lambda n: "<r></c><b>x</b><!--" + "<b>x</b> " * (4 * n),
    "declarations": lambda n: "<!DOCTYPE r [" + names("<!ELEMENT # (b*)>", n) + "]><r></c>" + names("<#>x</#>", n),
}


def repair(pieces, **options):
    repairer = xml5tree.Repairer(recovery="intent", max_errors=100, **options)
    for piece in pieces:
        repairer.feed(piece)
    repairer.close()


@pytest.mark.parametrize("family", one_in(2, FAMILIES))
def test_linear_time(family):
    assert_scales_linearly(lambda document: repair(chunks(document, 1000)), FAMILIES[family], 1500, slack=2)


@pytest.mark.parametrize("family", one_in(2, KNOWN))
def test_linear_time_with_what_is_known(family):
    known = {"never_nest": {"a"}, "empty": {"b"}}
    assert_scales_linearly(lambda document: repair(chunks(document, 1000), **known), KNOWN[family], 1500, slack=2)


@pytest.mark.parametrize("family", one_in(2, BOTH))
def test_linear_time_of_two_quantities(family):
    assert_scales_linearly(lambda document: repair([document]), BOTH[family], 4000, slack=2)


@pytest.mark.parametrize("family", one_in(2, WITHIN_REACH))
def test_linear_time_within_reach(family):
    """Time grows no faster even where a document is shorter than what is read ahead."""
    make_document, small = WITHIN_REACH[family]
    assert_scales_linearly(lambda document: repair([document]), make_document, small, factor=8, slack=4)


@pytest.mark.parametrize("family", one_in(2, LONG))
def test_linear_time_of_long_things(family):
    assert_scales_linearly(lambda document: repair([document]), LONG[family], 5000, factor=8, slack=4)
