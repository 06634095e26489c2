"""Time of MicroXML grows in proportion to the input, for every terminator that may not come (M-090)."""

from contextlib import suppress
from functools import partial

import pytest
from support.cases import each_case, one_in
from support.scaling import assert_scales_linearly, parts_in
from support.splits import chunks

import xml5tree


def repeated(part, before="", after=""):
    return lambda n: before + part * n + after


FAMILIES = {
    # Terminators that do not come
    "comments": repeated("<!--"),
    "comments and dashes": repeated("<!-- -- ", "<a>"),
    "processing instructions": repeated("<?"),
    "CDATA sections": repeated("<![CDATA["),
    "brackets in a CDATA section": repeated("]", "<![CDATA["),
    "less-than signs": repeated("<"),
    "start tags": repeated("<a "),
    "start tags with a value": repeated("<a b='"),
    "start tags with values in both quotes": repeated("<a b='<c d=\"<"),
    "end tags": repeated("</a "),
    "white space in an end tag": repeated(" ", "</a"),
    "ampersands": repeated("&"),
    "a long reference": repeated("a", "&"),
    "a long number": repeated("0", "&#x", ";"),
    "a long decimal number": repeated("1", "<a>&#", ";"),
    "names in a tag that is none": repeated(" a", "<e"),
    "names in a tag that is none, and one sign": repeated(" a", "<e", "!"),
    "names after an attribute": repeated(" a", "<e b=''"),
    "white space after an attribute": repeated(" ", "<e b=''"),
    "signs in a value": repeated("<>", "<a b='"),
    "signs in a value with an end": repeated("<>", "<a b='", "'/>"),
    "a quote far away": repeated('<a b="c>', "<a b='c>", "'"),
    "DOCTYPEs": repeated("<!DOCTYPE "),
    "DOCTYPEs with quotes": repeated("<!DOCTYPE '\""),
    "DOCTYPEs with subsets": repeated("<!DOCTYPE a ["),
    "DOCTYPEs with declarations": repeated("<!DOCTYPE a [<!b "),
    "DOCTYPEs with declarations that a quote hides": repeated("<!DOCTYPE a[<!b ", "", "'>"),
    "DOCTYPEs with declarations and quotes": repeated("<!DOCTYPE a[<!b '<!DOCTYPE a[<!b \"", "", ">"),
    "literals of a declaration": repeated("'>'", "<!DOCTYPE a [<!b "),
    "comments in a subset": repeated("<!DOCTYPE a [<!--"),
    # Quantities
    "attributes": lambda n: "<a" + "".join(f" b{i}='{i}'" for i in range(n)) + ">",
    "attributes without values": lambda n: "<a" + "".join(f" b{i}" for i in range(n)) + ">",
    "attributes with signs": lambda n: "<a" + "".join(f" b{i}='>'" for i in range(n)) + ">",
    "equal attributes": repeated(" b=c", "<a", ">"),
    "elements": repeated("<a>x</a>", "<r>", "</r>"),
    "empty elements": repeated("<a/>", "<r>"),
    "roots": repeated("<a/> "),
    "elements at the greatest depth": repeated("<b>x</b>", "<a>" * 1200),
    "end tags that close nothing": repeated("</b>", "<a>"),
    "end tags that close one": repeated("<b></a>", "<a>"),
    "white space after the root": repeated(" ", "<a/>"),
    "white space and comments after the root": repeated(" <!---->\f", "<a/>", "x"),
    "odd characters": repeated("<b>\x01\x7f\x0c</b>", "<a>"),
    "odd names": repeated("<p:b c$='1'/>", "<a>"),
    "text": repeated("x & y > z &lt; ", "<a>"),
    "line breaks in tags": repeated("<b\n/>", "<a>"),
    "nested": repeated("<a>"),
    "nested and closed": lambda n: "<a>" * n + "</a>" * n,
    "nested names": lambda n: "".join(f"<a{i}>" for i in range(n)),
}


def repair(document, size):
    repairer = xml5tree.Repairer(dialect="microxml", max_depth=50)
    return sum([len(repairer.feed(piece)) for piece in chunks(document, size)]) + len(repairer.close())


@pytest.mark.parametrize("chunk", [1, 10**9], ids=["1", "whole"])
@each_case("family", one_in(3, FAMILIES))
def test_linear_time(family, chunk):
    make_input = FAMILIES[family]
    small = min(60, parts_in(make_input, 125)) if chunk == 1 else 80
    slack = 2.2 if chunk == 1 else 3  # these are short, so that a share that grows with the square is small
    read = partial(repair, size=chunk)
    assert_scales_linearly(read, make_input, small, factor=8, slack=slack, floor=0.002)


@pytest.mark.parametrize("family", one_in(3, FAMILIES))
def test_linear_time_of_whole_documents(family):
    def read(document):
        with suppress(xml5tree.ParseError):
            xml5tree.fromstring(document, dialect="microxml", max_depth=50)

    assert_scales_linearly(read, FAMILIES[family], 200, factor=16, slack=2.2, floor=0.002)


@pytest.mark.parametrize("family", ["attributes", "attributes without values", "nested", "nested and closed", "roots"])
@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_many(family, backend):
    """10 000 of them; a tree of ElementTree is taken apart by recursion, so it is not to be too deep."""
    document = FAMILIES[family](10_000)
    parser = xml5tree.XMLParser(backend=backend, dialect="microxml")
    parser.feed(document)
    assert parser.close().tag in {"a", "U000023doc"}


def test_many_attributes_natively():
    document = FAMILIES["attributes"](100_000).removesuffix(">") + "/>"
    assert len(xml5tree.fromstring(document, dialect="microxml").attrib) == 100_000
