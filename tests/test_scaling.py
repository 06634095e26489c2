"""Invariant I7: time grows in proportion to the input, for every family of input and every size of chunk.

Families are documents in which one quantity grows; after them come documents in which two grow.
"""

import time
from itertools import product

import pytest
from support.cases import each_case, one_in
from support.quantities import LONG_OR_MANY, USES, document
from support.scaling import assert_grows_at_most, assert_scales_linearly, parts_in
from support.splits import chunks

import xml5tree
from xml5tree.dialects import base as dialects_base


def numbered(part):
    """Make n copies of ``part``, each with another number in the place of ``#``."""
    return lambda n: "".join([part.replace("#", str(i)) for i in range(n)])


def repeated(part):
    return lambda n: part * n


def around(before, middle, after=""):
    """Put ``before`` and ``after`` around n copies of ``middle``."""
    return lambda n: before + middle(n) + after


def within(before, part, after=""):
    return around(before, repeated(part), after)


def in_subset(declarations, content="<a>&"):
    """Put declarations into the internal subset of a DOCTYPE."""
    return around("<!DOCTYPE a [", declarations, "]>" + content)


def chain(first, link, end):
    """Make a chain of declarations: ``#`` stands for the number of each, ``@`` for that of the one before."""

    def make(n):
        links = [link.replace("#", str(i)).replace("@", str(i - 1)) for i in range(1, n)]
        return "".join(["<!DOCTYPE a [", first, *links, end.replace("@", str(n - 1))])

    return make


LONG_NAME = "e" + "x" * 30

FAMILIES = {
    # Markup that begins and does not end
    "start tags": repeated("<a "),
    "ampersands": within("<a>", "&"),
    "less-than signs": repeated("<"),
    "less-than signs in an element": within("<a>", "<"),
    "colons in place of names": within("<a>", "<:"),
    "comments": repeated("<!--"),
    "CDATA sections": within("<a>", "<![CDATA["),
    "empty comments": repeated("<!-->"),
    "bogus comments": within("<a>", "<!x>"),
    "instructions": repeated("<?x"),
    "closed instructions": within("<a>", "<?x>"),
    "end tags": within("<a>", "</"),
    "quotes": within("<a ", "'"),
    "quotes as values": within("<a b=", "'"),
    "equals signs": within("<a ", "="),
    "solidi": within("<a ", "/"),
    "unclosed values": within("<a b='", "x>"),
    # Long tokens
    "name": within("<", "x"),
    "name with odd characters": within("<", "$"),
    "name with colons": within("<a", ":"),
    "end tag name": within("<a></", "x"),
    "attribute name": within("<a ", "x"),
    "attribute value": within("<a b='", "x", "'>"),
    "unquoted value": within("<a b=", "x", ">"),
    "value of lines": within("<a b='", "\n", "'>"),
    "value of less-than signs": within("<a b='", "<", "'>"),
    "value of ampersands": within("<a b='", "&", "'>"),
    "comment": within("<a><!--", "x", "-->&"),
    "comment of hyphens": within("<a><!--", "-", "-->&"),
    "comment of exclamation marks": within("<a><!--", "--!", "-->&"),
    "comment of comments": within("<a><!--", "<!-", "-->&"),
    "instruction": within("<a><?x ", "?", "?>&"),
    "instruction target": within("<a><?", "x", "?>&"),
    "reference name": within("<a>&", "x", ";"),
    "reference name without semicolon": within("<a>&", "x"),
    "reference name in value": within("<a b='&", "x", ";'>"),
    "zeros": within("<a>&#", "0"),
    "digits": within("<a>&#x", "F", ";"),
    "brackets": within("<a>&", "]"),
    "brackets in CDATA": within("<a><![CDATA[", "]"),
    "ends of CDATA": within("<a>", "]]>"),
    "empty CDATA sections": within("<a>", "<![CDATA[]]>"),
    "targets that are not ASCII": within("<a>", "<?é x?>"),
    "white space": within("", " ", "<a>&"),
    "lines before the root": within("", "\n", "<a>&"),
    "text before the root": within("", "x ", "<a>"),
    "text after the root": within("<a/>", "x"),
    "text after the root, before an ampersand": within("<a/>", "x", "&"),
    "references after the root": within("<a/>", "x &amp; "),
    "attributes after the root": within("<a/><a ", 'b="1" '),
    "tags with attributes after the root": within("<a/>", 'x<a b="1" b="2">'),
    "white space in a tag": within("<a", " \n", "b>"),
    # XML declaration
    "XML declaration": within("<?xml ", "x"),
    "XML declaration of spaces": within("<?xml version='1.0'", " ", "x?><a>"),
    "XML declaration of versions": within("<?xml ", "version='", "?><a>"),
    "XML declaration of bytes": lambda n: b"<?xml " + b"x" * n,
    # DOCTYPE
    "DOCTYPE name": within("<!DOCTYPE ", "x", "><a>&"),
    "system identifier": within("<!DOCTYPE a SYSTEM '", "x", "'><a>&"),
    "public identifier": within("<!DOCTYPE a PUBLIC '", "x", "'><a>&"),
    "identifier of greater-than signs": within("<!DOCTYPE a SYSTEM '", ">", "<a>&"),
    "identifiers": repeated('<!DOCTYPE a SYSTEM ">'),
    "other identifiers": repeated("<!DOCTYPE a PUBLIC '>"),
    "identifiers in content": within("<a>", '<!DOCTYPE a SYSTEM ">'),
    "DOCTYPEs": repeated("<!DOCTYPE a ["),
    "junk in the subset": in_subset(repeated("x")),
    "per cent signs": in_subset(repeated("%")),
    "undeclared parameter entities": in_subset(repeated("%x;")),
    "unclosed declarations": in_subset(repeated("<!ENTITY ")),
    "bad declarations": in_subset(repeated("<!ENTITY >")),
    "quotes in a declaration": in_subset(around("<!ENTITY ", repeated("'"))),
    "unclosed quotes in declarations": in_subset(repeated("<!ENTITY e 'x>")),
    "unclosed quotes of both kinds": in_subset(repeated("<!ENTITY e ' \">")),
    "quotes that seem to be closed": in_subset(repeated("<!ENTITY e '>' 'x>")),
    "unclosed quote before quotes": within("<!DOCTYPE a [<!ENTITY e '>]><a>", '<b c="d"/>'),
    "unclosed quote and white space": in_subset(around("<!ENTITY e '>'", repeated(" "))),
    "literals": in_subset(around("<!FOO ", repeated("'>' "), ">")),
    "literal of brackets": in_subset(around("<!FOO '>", repeated("] "), "' x>")),
    "entity declarations": in_subset(numbered("<!ENTITY e# 'x'>")),
    "attribute declarations": in_subset(around("<!ATTLIST a ", numbered(" b# CDATA 'x'"), ">"), "<a><a>&"),
    "elements with attribute lists": lambda n: (
        in_subset(numbered(f"<!ATTLIST {LONG_NAME}# b CDATA 'x'>"))(n) + f"<{LONG_NAME} c='d'/><e/>" * n
    ),
    "attribute lists": in_subset(numbered("<!ATTLIST a b# CDATA 'x'>")),
    "content model": in_subset(around("<!ELEMENT a (b", repeated("|b"), ")>")),
    "content model without an end": in_subset(around("<!ELEMENT a (b", repeated(" ,b"), " >")),
    "content model of groups": in_subset(lambda n: "<!ELEMENT a " + "(" * n + "b" + ")" * n + ">"),
    "mixed content model": in_subset(around("<!ELEMENT a (#PCDATA", repeated(" |bb"), ")>")),
    "spaces in a content model": in_subset(around("<!ELEMENT a (b", repeated(" "), "x)>")),
    "spaces in a declaration": in_subset(around("<!ATTLIST a b", repeated(" "), "x>")),
    # Many of them
    "nested": repeated("<a>"),
    "nested and closed": lambda n: "<a>" * n + "</a>" * n,
    "nested names": numbered("<a#>"),
    "unmatched end tags": lambda n: "<a>" * n + "</b>" * n,
    "unmatched end tags in nested elements": lambda n: "<r>" + "<a></b>" * n + "<c></d></r>" * n,
    "unmatched end tags that others follow": lambda n: "<a></b>" * 100 + "<c><d></e></c>" * n,
    "mismatched end tags": lambda n: "<a>" * n + "<b></a>" * n,
    "short end tags": within("<a>", "</>"),
    "attributes": around("<a a=1 ", numbered("b#='x' "), ">"),
    "attributes without value": around("<a ", numbered("b# "), ">"),
    "duplicate attributes": within("<a ", "b='x' ", ">"),
    "duplicate attributes with references": within("<a b='&amp;' ", "b='&#38;' ", ">"),
    "value of a duplicate attribute": within("<a b='' b='", "x&amp;<"),
    "values after their tags": within("<a>", "<b c='x' c>='"),
    "tags that are text": within("<a>", "< b c "),
    "coerced attributes": around("<a ", numbered("#$='x' "), ">"),
    "references": within("<a>", "&#65;"),
    "predefined entities": within("<a>", "x &lt; ", "<"),
    "unfinished references": within("<a>", "&#"),
    "carriage returns": within("<a>", "\r"),
    "surrogates": within("<a>", "\ud800"),
    "surrogate pairs": within("<a>", "\ud83d\ude00"),
    "control characters": within("<a>", "\x01"),
    "bad bytes": lambda n: b"<a>" + b"\xff" * n,
    "cut characters": lambda n: b"<a>" + b"\xe3\x81" * n,
    "lines of errors": within("<a>", "\n&"),
    "lines in tags": within("<a>", "<b\n>"),
    "lines that are dropped": within("<a>", "</x\n><b/>"),
    "sections that meet": within("<a>", "<![CDATA[]]]]><![CDATA[>]]>"),
    # Namespaces
    "declared prefixes": around("<r>", numbered("<p#:a xmlns:p#='u'/>"), "&"),
    "prefixes declared above": lambda n: "<r " + numbered("xmlns:p#='u' ")(n) + ">" + numbered("<p#:a/>")(n),
    "prefixes declared on one element": around("<r ", numbered("xmlns:p#='u' p#:x='' "), ">"),
    "undeclared prefixes": around("<r>", numbered("<p#:a/>")),
    "nested undeclared prefixes": around("<r>", numbered("<p#:a>")),
    "undeclared prefixes of attributes": around("<r ", numbered("p#:x='' "), ">"),
    "prefixes that are no names": around("<r ", numbered("xmlns:#='u' "), ">"),
    "prefixes that are no names where all fresh ones are taken": lambda n: (
        "<r " + numbered("xmlns:ns#='u' ")(n) + ">" + numbered("<a xmlns:#='v'>")(n)
    ),
    "reserved prefixes": around("<r>", numbered("<p#:a xmlns:p#='http://www.w3.org/XML/1998/namespace'/>")),
    "redeclared prefix": within("<r>", "<p:a xmlns:p='u'>"),
    "prefix undeclared again": within("<r xmlns:p='u'>", "<p:a xmlns:p=''>"),
    "namespace name": within("<r xmlns='", "é ", "'>"),
    # Entities
    "entity references": within("<!DOCTYPE a [<!ENTITY e 'x'>]><a>", "&e;"),
    "entity references in a value": within("<!DOCTYPE a [<!ENTITY e 'x'>]><a b='", "&e;", "'>"),
    "entities that open elements": within("<!DOCTYPE a [<!ENTITY e '<b>'>]><a>", "&e;"),
    "entity of unclosed tags": around("<!DOCTYPE a [<!ENTITY e '", repeated("<b "), "'>]><a>&e;"),
    "chain of entities": chain("<!ENTITY e0 'x'>", "<!ENTITY e# '&e@;'>", "]><a>&e@;"),
    "chain of entities in a value": chain("<!ENTITY e0 'x'>", "<!ENTITY e# '&e@;'>", "]><a b='&e@;'>"),
    "chain of entities with elements": chain("<!ENTITY e0 'x'>", "<!ENTITY e# '<b>&e@;</b>'>", "]><a>&e@;"),
    "chain of defaults": chain("<!ENTITY e0 'x'>", "<!ENTITY e# '&e@;'>", "<!ATTLIST a b CDATA '&e@;'>]><a>&"),
    "chain of parameter entities": chain("<!ENTITY % e0 ''>", "<!ENTITY % e# '&#37;e@;'>", "%e@;]><a>&"),
    "recursive entities": chain("<!ENTITY e0 '&e0;'>", "<!ENTITY e# '&e#;&e@;'>", "]><a>&e@;"),
}


NESTED = ["nested", "nested and closed", "nested names", "nested undeclared prefixes", "redeclared prefix"]


def repair(document, size, max_depth=50, **options):
    """Repair a document in pieces; the length of the markup.

    Few families are this shallow, so that their depth makes no difference.
    """
    repairer = xml5tree.Repairer(max_depth=max_depth, **options)
    try:
        return sum([len(repairer.feed(piece)) for piece in chunks(document, size)]) + len(repairer.close())
    except xml5tree.ParseError as error:
        assert error.code == "no-root-element"
        return 0


#: How many characters an input has at least, as what costs little for each shows its growth in many only.
LEAST = 125


def size_that_takes(seconds, function, make_input):
    """How many parts an input has that takes this long; more than a block of characters in any case is enough."""
    size = min(64, max(4, parts_in(make_input, LEAST)))
    while size < 2**18:
        data = make_input(size)
        start = time.process_time()
        function(data)
        if time.process_time() - start >= seconds:
            break
        size *= 2
    return size


#: Size of chunks; what the smaller document takes at least; and what is allowed. It is less for documents that come by
#: the character, which are short; longer ones do not all fit into the processor's caches.
SIZES = {"1": (1, 0.001, 2.2), "1000": (1000, 0.001, 3), "whole": (10**9, 0.0015, 3)}
#: What is read in runs, which take a third of the time, where there is less of it.
PAST_RUNS = {"value of ampersands": 2048, "redeclared prefix": 512}
#: One token that grows: a scan takes it if it is in one block, which is short here.
ONE_TOKEN = {
    "attribute value",
    "unquoted value",
    "comment",
    "instruction",
    "instruction target",
    "text before the root",
    "attributes",
    "value of lines",
    "attributes without value",
    "duplicate attributes",
    "duplicate attributes with references",
    "value of a duplicate attribute",
    "coerced attributes",
    "prefixes declared on one element",
    "undeclared prefixes of attributes",
    "prefixes that are no names",
    "namespace name",
    "comment of hyphens",
    "comment of exclamation marks",
    "comment of comments",
    "entity references in a value",
}


@pytest.mark.parametrize(("chunk", "seconds", "slack"), SIZES.values(), ids=SIZES)
@each_case("family", one_in(3, FAMILIES))
def test_linear_time(family, chunk, seconds, slack):
    def read(document):
        return repair(document, chunk)

    make_input = FAMILIES[family]
    with pytest.MonkeyPatch.context() as patch:
        if family in ONE_TOKEN:
            patch.setattr(dialects_base, "BLOCK", 512)
        small = max(size_that_takes(seconds, read, make_input), PAST_RUNS.get(family, 0) if chunk > 1 else 0)
        assert_scales_linearly(read, make_input, small, factor=8, slack=slack, floor=0.002)


@pytest.mark.parametrize("family", NESTED)
def test_linear_time_at_any_depth(family):
    assert_scales_linearly(
        lambda document: repair(document, 10**9, max_depth=2000), FAMILIES[family], 120, factor=16, slack=4
    )


#: What declarations may add is small here, so that it grows no faster than the document at the sizes that are tried.
LIMITS = {"amplification_threshold": 1000, "max_amplification": 2}
#: Each pair at a size where it is past the bounds at which the core gives up, and at four times that. So many
#: prefixes are past `_MANY` of tree/namespaces.py.
SMALL, MANY_PREFIXES, FACTOR = 66, 130, 4
MOST_TIME = 2.2 * FACTOR
#: How much longer than the document its markup may be. Namespace names of up to 128 characters are declared again
#: on each element, which can have a name of four characters.
MOST_MARKUP = 40

QUANTITIES = {**LONG_OR_MANY, **USES}
WHOLE = 10**9


def put_after(first, chunk):
    """The quantities that are put after `first`: of those that come after it in the list, a third of the long ones or
    many ones, and half of the uses, of which the quantity that is next to it, and mostly like it, has the other half.

    In small chunks, it is some of the other half: what is done for each chunk again takes time with any use, so that
    each is tried with some of the others.
    """
    names, uses = [*QUANTITIES], [*USES]
    place = names.index(first)
    if chunk != WHOLE:
        return uses[(place + 1) % 2 + place // 2 % 2 * 2 :: 4]
    return [*names[place + 1 : len(LONG_OR_MANY) : 3], *uses[place % 2 :: 2]]


@pytest.mark.parametrize(("first", "chunk"), one_in(7, product(LONG_OR_MANY, [1000, WHOLE])))
def test_linear_in_two_quantities(first, chunk):
    """Time and markup are linear in the document where a quantity grows together with each of the others."""
    lengths = []
    for second in put_after(first, chunk):
        size = MANY_PREFIXES if "prefixes" in first and "length" not in first else SMALL
        if "depth of prefixes" in (first, second):  # read in runs, a fifth of the time, as far as they may be deep
            size *= 3
        few, many = (document(QUANTITIES[first](n), QUANTITIES[second](n)) for n in (size, size * FACTOR))
        try:
            assert_grows_at_most(lambda text: lengths.append(repair(text, chunk, **LIMITS)), few, many, MOST_TIME)
        except AssertionError as error:
            raise AssertionError(f"{first}, {second}: {error}") from None
        assert lengths[-1] <= MOST_MARKUP * len(many), (first, second)


LARGE = {
    "elements nested 100 000 deep": (FAMILIES["nested"], 100_000),
    "50 000 attributes": (FAMILIES["attributes"], 50_000),
    "100 000 unmatched end tags": (lambda n: "<a>" * 2000 + "</b>" * n, 100_000),
    "40 000 mismatched end tags in 200 000 elements": (lambda n: "<a>" * 5 * n + "<x><y></x>" * n, 40_000),
    "attribute of 20 MB": (FAMILIES["attribute value"], 20_000_000),
    # A million of these take half a minute, which is too long for a test.
    "10 000 undeclared prefixes": (FAMILIES["undeclared prefixes"], 10_000),
    "10 000 undeclared prefixes of attributes": (FAMILIES["undeclared prefixes of attributes"], 10_000),
    "30 000 prefixes declared on one element": (FAMILIES["prefixes declared on one element"], 30_000),
}


@pytest.mark.parametrize("name", one_in(2, LARGE))
def test_large_documents(name):
    make_input, size = LARGE[name]
    document = make_input(size)
    start = time.process_time()
    repair(document, 10**9)
    assert time.process_time() - start < 40


ENCODINGS = ["str", "utf-8", "utf-16"]

#: How many characters the small document of a family has, which comes in pieces of ten.
SHORT = 1500
# One token that comes in small parts, read as it is, with `recovery="strict"`: what is in it must not matter, nor what
# it is.
TOKENS = {
    "comment": around("<a><!--", repeated("x"), "--></a>"),
    "comment of ends of tags": around("<a><!--", repeated("<b>"), "--></a>"),
    "instruction": around("<a><?p ", repeated("?"), "?></a>"),
    "attribute value": around("<a b='", repeated(">"), "'/>"),
    "attributes": around("<a", numbered(" a#='>'"), "/>"),
    "name": around("<a", repeated("b"), "/>"),
    "entity value": around("<!DOCTYPE a [<!ENTITY e '", repeated(">"), "'>]><a/>"),
    "text": around("<a>", repeated("&gt;"), "</a>"),
    "elements": around("<a>", repeated("<b>&lt;</b>"), "</a>"),
    "tag that does not end": lambda n: "<a>" + "<b c='" + ">" * n,
}


@pytest.mark.parametrize(
    ("encode", "make"),
    [
        (str, xml5tree.XMLPullParser),
        (str.encode, xml5tree.XMLParser),
        (lambda text: text.encode("utf-16"), xml5tree.XMLPullParser),
    ],
    ids=["str", "utf-8", "utf-16"],
)
@each_case("family", one_in(2, TOKENS))
def test_linear_time_without_recovery(family, encode, make):
    def parse(document):
        parser = make(recovery="strict")
        try:
            for piece in chunks(document, 10):
                parser.feed(piece)
            parser.close()
        except xml5tree.ParseError as error:
            assert family == "tag that does not end", error

    make_input = TOKENS[family]
    small = parts_in(make_input, SHORT)
    assert_scales_linearly(parse, lambda n: encode(make_input(n)), small, factor=16, slack=3, floor=0.003)
