"""Time of the tokenizers of HTML grows in proportion to the input, for every family of input and size of chunk."""

from itertools import product

import pytest
from support.cases import each_case, one_in
from support.html import tokenize_in_pieces
from support.scaling import assert_scales_linearly
from support.splits import chunks

import xml5tree


def within(before, part, after=""):
    """Make n copies of ``part``, with its number for ``#``, between two texts."""
    return lambda n: before + "".join([part.replace("#", str(i)) for i in range(n)]) + after


FAMILIES = {
    "ampersands": within("", "&"),
    "letters after an ampersand": within("&", "x"),
    "letters after an ampersand in a value": within("<a b='&", "x", "'>"),
    "references that might be longer": within("", "&notin"),
    "names of references": within("", "&ampx#;"),
    "digits": within("&#", "1"),
    "hexadecimal digits": within("&#x", "a", "g"),
    "less-than signs": within("", "<"),
    "start tags": within("", "<a "),
    "end tags": within("", "</"),
    "tag name": within("<", "x"),
    "odd characters in a name": within("<a ", '"'),
    "null characters in a name": within("<a", "\0"),
    "attributes": within("<a ", "B#=1 ", ">"),
    "duplicate attributes": within("<a ", "b='c' ", ">"),
    "clean attributes of a tag without an end": within("<a", ' b#="c" c# d#=c'),
    "clean tags with a duplicate at the end": within("", '<a b="#" b="">'),
    "solidi": within("<a ", "/"),
    "equals signs": within("<a ", "= "),
    "unquoted value": within("<a b=", "<", ">"),
    "quoted value": within("<a b='", '"<', "'>"),
    "comment": within("<!--", "x", "-->"),
    "comment of hyphens": within("<!--", "-", ">"),
    "comment of ends": within("<!--", "--!"),
    "comments": within("", "<!-->"),
    "bogus comment": within("<?", "x"),
    "bogus comments": within("", "<!x>"),
    "null characters in a bogus comment": within("<?", "\0"),
    "declarations in part": within("", "<!DOCTYP"),
    "DOCTYPE name": within("<!DOCTYPE ", "x"),
    "public identifier": within("<!DOCTYPE a PUBLIC '", '"'),
    "bogus DOCTYPE": within("<!DOCTYPE a b", "'"),
    "title": within("<title>", "x<", "</title>"),
    "end tags in a title": within("<title>", "</titles>"),
    "name of an end tag in a title": within("<title></", "x"),
    "hyphens in a title": within("<title><!--", "-"),
    "references in a title": within("<title>", "&amp;&"),
    "script": within("<script>", "x<!--"),
    "hyphens in a script": within("<script><!--", "-x--"),
    "scripts in a comment in a script": within("<script><!--", "<script></script>"),
    "name in a comment in a script": within("<script><!--<", "x"),
    "plain text": within("<plaintext>", "\0<"),
    "brackets in a CDATA section": within("<svg><![CDATA[", "]"),
    "CDATA sections": within("<svg>", "<![CDATA[x]]>"),
    "foreign elements": within("<svg>", "<g>"),
    "end tags of no foreign element": within("<svg><g>", "</h>"),
    "break-out tags": within("", "<svg><p>"),
    "control characters": within("", "\x01"),
    "carriage returns": within("", "\r"),
    "surrogates": within("", "\ud800"),
    "white space": within("<a", " ", ">"),
    "text": within("", "text \n"),
    "tags": within("", '<p class="a#">b</p>'),
}


@pytest.mark.parametrize("revision", ["12.2.4", "2008"])
@each_case("family", one_in(3, FAMILIES))
def test_tokens(family, revision):
    def run(text):
        for _ in xml5tree.tokenize(text, dialect="html", revision=revision):
            pass

    assert_scales_linearly(run, FAMILIES[family], 250, factor=8, slack=2.2, floor=0.002)


@each_case("family", one_in(3, FAMILIES))
def test_by_character(family):
    assert_scales_linearly(
        lambda text: tokenize_in_pieces(chunks(text, 1)),
        FAMILIES[family],
        60,
        factor=8,
        slack=2.2,
        floor=0.002,
    )


#: Families of which the tree grows in proportion too: elements nest deep, but are not formatting elements.
TREES = {
    "elements": within("", "<div>"),
    "elements of text": within("", "<span>a"),
    "paragraphs": within("", "<p>a"),
    "tables": within("", "<table><tr><td>"),
    "end tags of nothing": within("<span>", "</b>"),
    "foreign elements": within("<svg>", "<g>"),
    "text in a table": within("<table>", "a<tr>"),
    "ruby": within("", "<rp>", "</div>"),
    "attributes that XML cannot hold": within("<a ", '#"=b '),
}


@pytest.mark.parametrize("family", TREES)
def test_tree(family):
    pytest.importorskip("html5lib")

    def run(text):
        xml5tree.fromstring(text, dialect="html", max_depth=50)

    # Beyond the depth at which no more elements are kept open, each costs as much as any other.
    assert_scales_linearly(run, TREES[family], 1000, floor=0.002)


#: What stays open: scopes, most of which begin with a marker among the active formatting elements, and other elements.
SCOPES = {
    "marquees": "<marquee>",
    "objects": "<object>",
    "cells": "<table><td>",
    "captions": "<table><caption>",
    "tables of rows": "<table><tr><td><p>",
    "descriptions": "<svg><desc>",
    "identifiers": "<math><mi>",
    "groups of options": "<optgroup>",
    "templates": "<template>",
    "buttons": "<div><button>",
    "elements": "<span>",
}
#: What asks for scopes, opens formatting elements or looks for one that may be open.
FORMATTING = {
    "formatting elements": "<i>",
    "formatting elements of different attributes": "<i id=#>",
    "links": "<a>",
    "elements without a break": "<nobr>",
    "end tags of formatting elements": "</i>",
    "formatting elements that blocks close": "<b><p></b></p>",
    "formatting elements to open again": "<p><i></p>x</i>",
    "paragraphs": "<p>",
    "headings": "<h1></h2>",
    "items": "<li>",
    "end tags of nothing": "</x>",
    "elements of no rule": "<x></x>",
    "closed tables": "<table></table>",
    "text in a table": "<table>x<td></table>",
    "closed scopes": "<marquee><i></marquee>",
    "end tags of scopes": "</object>",
    "cells": "<td>",
    "lists to choose from": "<select></select>",
}


@pytest.mark.parametrize(("scope", "formatting"), one_in(7, product(SCOPES, FORMATTING)))
def test_scopes_and_formatting(scope, formatting):
    pytest.importorskip("html5lib")
    make = within("", FORMATTING[formatting])

    def run(text):
        xml5tree.fromstring(text, dialect="html", max_depth=50)

    assert_scales_linearly(run, lambda n: SCOPES[scope] * n + make(n), 1000, floor=0.002)
