"""Readable namespace names and the percent-encoding of the others, against lxml's parser."""

import itertools
import string
from urllib.parse import unquote_to_bytes

import lxml.etree
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.cases import each_case, one_in

from xml5tree.xml.uris import is_readable, percent_encode

RESERVED = {"http://www.w3.org/2000/xmlns/", "http://www.w3.org/XML/1998/namespace"}

READABLE = [
    "http://www.w3.org/1999/xhtml",
    "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://a9.com/-/spec/opensearch/1.1/",
    "DAV:",
    "www.example.org",
    "u",
    "#",
    "?",
    "/",
    "//",
    "///",
    "//@",
    "a//b",
    "a/b:c",
    "a:b:c",
    "./1:2",
    "%4a",
    "u#[a]",
    "u#a?b/c",
    "u?a?b/c",
    "//a:b:c@d:1",
    "//[::1]:80/",
    "//[]",
    "//[\xe9 #?/@[\n]",
    "//u@[\xe9]",
    "//a:2147483647",
    "//a:0002147483647",
    "//1.2.3.4a",
    "//1.2.3.400",
    "~!$&'()*+,;=-._@",
]

# Refused names, and what they become.
ENCODED = {
    "u v": "u%20v",
    "\xe9": "%C3%A9",
    "\u540d\U00010000": "%E5%90%8D%F0%90%80%80",
    "{u}": "%7Bu%7D",
    "\\": "%5C",
    '"<>^`|': "%22%3C%3E%5E%60%7C",
    "\t\n\r": "%09%0A%0D",
    "\x7f\x80": "%7F%C2%80",
    "%": "%25",
    "%zz%4": "%25zz%254",
    "%%41": "%25%41",
    "u#a#b": "u#a%23b",
    "##": "#%23",
    "1:2": "1%3A2",
    ":": "%3A",
    "::": "%3A%3A",
    "a b:c/d:e": "a%20b%3Ac/d:e",
    "a_b:c": "a_b%3Ac",
    "a:b c:d": "a:b%20c:d",
    "u[v]": "u%5Bv%5D",
    "u?[v]#[w]#": "u?%5Bv%5D#[w]%23",
    "//a b/c d": "//a%20b/c%20d",
    "//a@b@c": "//a%40b@c",
    "//a:b": "//a%3Ab",
    "//a:": "//a%3A",
    "//a:1:2": "//a%3A1:2",
    "//a:2147483648": "//a%3A2147483648",
    "//u \xe9:p@h:1/": "//u%20%C3%A9:p@h:1/",
    "//\xe9@[\xe9]:1": "//%C3%A9@[\xe9]:1",
    "http://[a": "http://%5Ba",
    "http://[a]b": "http://%5Ba%5Db",
    "http://[\xe9]/\xe9": "http://[\xe9]/%C3%A9",
    "http://www.w3.org/2000/xmlns/ ": "http://www.w3.org/2000/xmlns/%20",
}

# Short strings of these exercise every delimiter beside every kind of character.
DELIMITERS = "/:@?#[]%a1.\xe9"

characters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
parts = ["//", "http:", "urn:", "%41", "%4", "1.2.3.4", ":80", ":2147483648", "\xe9"]
pieces = st.sampled_from([*string.printable[:-2], *"/:@?#[]%" * 4, *parts])
near_uris = st.lists(pieces | characters, min_size=1, max_size=12).map("".join)


def lxml_reads(uri):
    """Whether lxml reads a namespace name; it has to be the same for a prefix and as the default."""
    value = "".join(f"&#{ord(c)};" if c in '&<>"\t\n\r' else c for c in uri)
    accepted = set()
    for attribute in ("xmlns:p", "xmlns"):
        try:
            lxml.etree.fromstring(f'<a {attribute}="{value}"/>'.encode())
            accepted.add(True)
        except lxml.etree.XMLSyntaxError:
            accepted.add(False)
    (answer,) = accepted
    return answer


@each_case("uri", READABLE)
def test_readable(uri):
    assert lxml_reads(uri)
    assert is_readable(uri)
    assert percent_encode(uri) == uri


@each_case(("uri", "encoded"), ENCODED.items())
def test_percent_encoded(uri, encoded):
    assert not lxml_reads(uri)
    assert not is_readable(uri)
    assert percent_encode(uri) == encoded
    assert lxml_reads(encoded)


@given(near_uris)
@example("//a:00")
def test_is_readable_agrees_with_lxml(uri):
    assert is_readable(uri) == (uri in RESERVED or lxml_reads(uri))


@given(near_uris)
def test_percent_encode(uri):
    encoded = percent_encode(uri)
    assert is_readable(encoded)
    assert encoded in RESERVED or lxml_reads(encoded)
    assert percent_encode(encoded) == encoded
    assert unquote_to_bytes(encoded) == unquote_to_bytes(uri)


@pytest.mark.parametrize("prefix", ["", "//", "a:"])
def test_every_short_string(prefix):
    for size in range(1, 4):
        for letters in itertools.product(DELIMITERS, repeat=size):
            uri = prefix + "".join(letters)
            assert is_readable(uri) == lxml_reads(uri), uri
            assert is_readable(percent_encode(uri)), uri


@pytest.mark.parametrize("place", ["{}", "a:{}", "//{}", "//{}@", "//[{}]", "//a:{}", "?{}", "#{}", "%{}0", "%0{}"])
def test_every_character_of_latin_1_in_every_component(place):
    for code in [9, 10, 13, *range(0x20, 0x100)]:
        uri = place.format(chr(code))
        assert is_readable(uri) == lxml_reads(uri), uri


def test_every_kind_of_port():
    ports = [*map(str, range(2147483640, 2147483655)), "0", "00", "999999999", "1999999999", "2099999999", "2147399999"]
    ports += ["2146999999", "2147479999", "2147482999", "2147483599", "2200000000", "3000000000", "10000000000"]
    for port in ports:
        uri = f"x://u@h:{port}/"
        assert is_readable(uri) == lxml_reads(uri) == (int(port) < 2**31), uri


@pytest.mark.parametrize("uri", ["", *sorted(RESERVED)])
def test_what_other_rules_decide_is_left_alone(uri):
    assert percent_encode(uri) == uri


@pytest.mark.parametrize(
    "unit", one_in(2, ["a", "\xe9", "%", ":", "@", "/", "[", "]", "#", "?", "a:", ":1", "1.", "[/", "//[", "%4"])
)
def test_long_names(unit):
    for start in ("", "//", "//a:", "a:"):
        uri = start + unit * 50_000
        encoded = percent_encode(uri)
        assert is_readable(encoded)
        assert unquote_to_bytes(encoded) == unquote_to_bytes(uri)
