"""The name patterns against the parsers whose reading of names they describe, over the Basic Multilingual Plane."""

import functools
import re
import xml.parsers.expat

import lxml.etree
import pytest
from support.cases import each_case, in_whole_run, one_in

import xml5tree
from xml5tree.tree.infoset import coerce_name
from xml5tree.xml.names import _FOURTH, EXPAT, FIFTH_EDITION, NAME, NameRules

# Production 4 of XML 1.0, fifth edition, without the colon, and what production 4a adds to it.
NAME_START_CHAR = re.compile(
    "[A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff]"
)
NAME_CHAR = re.compile(NAME_START_CHAR.pattern[:-1] + "\\-.0-9\xb7\u0300-\u036f\u203f-\u2040]")

# What is not a Char is an error wherever it stands; white space next to a name is not part of it.
PLANE = [chr(code) for code in [*range(0x21, 0xD800), *range(0xE000, 0xFFFE)]]
ASTRAL = [chr(code) for code in [*range(0x10000, 0x110000, 0x3F1), 0x1FFFE, 0xEFFFD, 0xEFFFF, 0xF0000, 0x10FFFD]]
CHARACTERS = [chr(code) for code in range(0x10000)] + ASTRAL
TEXT = "".join(CHARACTERS)

# Each place takes a name as {0}, and may stand any number of times in an element.
PLACES = {
    "element": "<{0}/>",
    "prefix": '<{0}:e {0}:e="" xmlns:{0}="u"/>',
    "local name": '<p:{0} p:{0}="" xmlns:p="u"/>',
    "attribute": '<e {0}=""/>',
    "processing instruction": "<?{0} d?>",
}
POSITIONS = {"first": "{0}a", "later": "a{0}"}


def reads_with_expat(markup, namespaces="}"):
    parser = xml.parsers.expat.ParserCreate("utf-8", namespaces)
    try:
        parser.Parse(markup.encode(), True)
    except xml.parsers.expat.ExpatError:
        return False
    return True


def reads_with_lxml(markup):
    try:
        lxml.etree.fromstring(markup.encode())
    except lxml.etree.XMLSyntaxError:
        return False
    return True


@functools.cache
def judged_names(position, rules):
    """A name for every character, and whether the rules allow it."""
    names = [POSITIONS[position].format(character) for character in PLANE + ASTRAL]
    return names, [rules.is_ncname(name) for name in names]


def disagreements(reads, place, position, rules):
    """The characters at a position of a name in a place of which `reads` and `rules` think differently.

    What the rules allow is read in bulk; what they refuse, one by one: in elements all of it, elsewhere what is next to
    something allowed.
    """
    names, good = judged_names(position, rules)
    markup = [PLACES[place].replace("{0}", name) for name in names]
    wrong = [
        index
        for index in range(len(names))
        if not good[index]
        and (place == "element" or any(good[max(index - 1, 0) : index + 2]))
        and reads(f"<r>{markup[index]}</r>")
    ]
    allowed = [index for index in range(len(names)) if good[index]]
    for start in range(0, len(allowed), 500):
        some = allowed[start : start + 500]
        if not reads("<r>" + "".join(markup[index] for index in some) + "</r>"):
            wrong += [index for index in some if not reads(f"<r>{markup[index]}</r>")]
    return [(PLANE + ASTRAL)[index] for index in wrong]


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("place", PLACES)
def test_expat_reads_the_names_of_its_rules(place, position):
    assert disagreements(reads_with_expat, place, position, EXPAT) == []


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("place", PLACES)
def test_libxml2_reads_the_names_of_the_fifth_edition(place, position):
    assert disagreements(reads_with_lxml, place, position, FIFTH_EDITION) == []


@pytest.mark.parametrize("position", POSITIONS)
def test_expat_without_namespaces_differs_in_the_colon_only(position):
    def reads(markup):
        return reads_with_expat(markup, None)

    assert disagreements(reads, "element", position, EXPAT) == [":"]


@pytest.mark.parametrize("character", "\xaa\xb5\xba")
def test_expat_reads_more_in_utf_16(character):
    xml.parsers.expat.ParserCreate().Parse(f"\ufeff<{character}/>".encode("utf-16-le"), True)
    assert not reads_with_expat(f"<{character}/>")
    assert not EXPAT.is_ncname(character)
    assert not FIFTH_EDITION.is_ncname(character)


def allowed(rules, position):
    return {c for c in CHARACTERS if rules.is_ncname(POSITIONS[position].format(c))}


def test_fifth_edition_is_as_specified():
    assert allowed(FIFTH_EDITION, "first") == set(NAME_START_CHAR.findall(TEXT))
    assert allowed(FIFTH_EDITION, "later") == set(NAME_CHAR.findall(TEXT))


@pytest.mark.parametrize(("position", "count"), [("first", 34515), ("later", 35121)])
def test_what_expat_reads_is_in_the_fifth_edition(position, count):
    assert len(allowed(EXPAT, position)) == count
    assert allowed(EXPAT, position) < allowed(FIFTH_EDITION, position)


@pytest.mark.parametrize("rules", [FIFTH_EDITION, EXPAT], ids=["fifth edition", "expat"])
def test_bad_patterns_are_the_complement(rules):
    assert set(rules.bad_start.findall(TEXT)) == set(CHARACTERS) - allowed(rules, "first")
    assert set(rules.bad_char.findall(TEXT)) == set(CHARACTERS) - allowed(rules, "later")


@pytest.mark.parametrize("rules", [FIFTH_EDITION, EXPAT], ids=["fifth edition", "expat"])
@pytest.mark.parametrize("name", ["", ":", "a:b", "1a", "-a", "a b", "a\n", "a$", "\ud800"])
def test_no_ncname(rules, name):
    assert not rules.is_ncname(name)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("abcdef", "abcdef"),
        ("abcdefg", "abcdef"),
        ("éée", "éée"),
        ("ééé", "ééé"),
        ("ééée", "ééé"),
        ("eéééé", "eéé"),
        ("a$b", "aU0000"),
    ],
)
def test_names_that_are_too_long(name, written):
    """The limit is in bytes of UTF-8; no character is cut in two."""
    rules = NameRules(*_FOURTH, 6)
    assert coerce_name(name, rules) == written
    assert rules.is_ncname(name) == (name == written)


#: What libxml2 reads of a name, with all limits off.
LONGEST = 10_000_000
LONG = {
    "DOCTYPE": "<!DOCTYPE {0}><a>x</a>",
    "processing instruction": "<a><?{0} d?>x</a>",
    "attribute": "<a {0}='1'>x</a>",
    "element": "<a><{0}>x</{0}></a>",
    "prefix": "<a><{0}:b xmlns:{0}='u'>x</{0}:b></a>",
}


@pytest.mark.parametrize("kind", one_in(5, LONG))
def test_names_that_libxml2_does_not_read(kind):
    document = LONG[kind]
    reader = lxml.etree.XMLParser(huge_tree=True)
    readable, unreadable = (document.format("n" * length) for length in (LONGEST, LONGEST + 1))
    lxml.etree.fromstring(readable, reader)
    with pytest.raises(lxml.etree.XMLSyntaxError):
        lxml.etree.fromstring(unreadable, reader)
    parser = xml5tree.XMLParser(backend="lxml", recovery="draft")  # intent sees no tag of such a length
    xml5tree.fromstringlist([readable], parser=parser)
    assert parser.error_log == []
    root = xml5tree.fromstring(unreadable, parser=parser)
    assert "".join(root.itertext()) == "x"
    assert len(parser.error_log) == 1
    lxml.etree.fromstring(xml5tree.repair(unreadable, recovery="draft"), reader)


#: The longest identifiers of a DOCTYPE that libxml2 reads, with all limits off.
LONG_IDENTIFIERS = {
    "system": ("<!DOCTYPE a SYSTEM '{0}'><a>x</a>", 9_999_995, "<!DOCTYPE a>"),
    "system after public": ("<!DOCTYPE a PUBLIC 'p' '{0}'><a>x</a>", 9_999_995, '<!DOCTYPE a PUBLIC "p" "">'),
    "public": ("<!DOCTYPE a PUBLIC '{0}' 's'><a>x</a>", 9_999_999, '<!DOCTYPE a SYSTEM "s">'),
}


@in_whole_run
@pytest.mark.parametrize("kind", one_in(3, LONG_IDENTIFIERS))
def test_identifiers_that_libxml2_does_not_read(kind):
    """Such an identifier made the lxml backend refuse the document."""
    document, longest, written = LONG_IDENTIFIERS[kind]
    reader = lxml.etree.XMLParser(huge_tree=True)
    readable, unreadable = (document.format("n" * length) for length in (longest, longest + 1))
    lxml.etree.fromstring(readable, reader)
    with pytest.raises(lxml.etree.XMLSyntaxError):
        lxml.etree.fromstring(unreadable, reader)
    parser = xml5tree.XMLParser(backend="lxml", recovery="draft")  # intent sees no tag of such a length
    xml5tree.fromstringlist([readable], parser=parser)
    assert parser.error_log == []
    for read in (xml5tree.fromstring, lambda data, parser: xml5tree.fromstringlist([data], parser=parser)):
        assert read(unreadable, parser=parser).text == "x"
        assert [entry.code for entry in parser.error_log] == ["doctype-identifier-too-long"]
        assert parser.error_log.effect == "lost"
    assert xml5tree.repair(unreadable) == f"{written}<a>x</a>"
    strict = xml5tree.XMLParser(backend="etree")
    assert xml5tree.fromstringlist([unreadable], parser=strict).text == "x"
    assert strict.error_log == []


@pytest.mark.parametrize(
    ("text", "start", "name"),
    [
        ("amp;", 0, "amp"),
        ("&a.b-c:d_1 x", 1, "a.b-c:d_1"),
        (":a/>", 0, ":a"),
        ("\xe9t\xe9=", 0, "\xe9t\xe9"),
        ("a\U00010000\xb7\xd7", 0, "a\U00010000\xb7"),
    ],
)
def test_longest_name(text, start, name):
    match = re.compile(NAME).match(text, start)
    assert match is not None
    assert match[0] == name


@pytest.mark.parametrize("text", ["", "1", "-a", ".a", "\xb7", "\u0300a", " a", "\ud800", "$"])
def test_no_name(text):
    assert re.match(NAME, text) is None


def test_name_is_an_ncname_with_colons():
    assert {c for c in CHARACTERS if re.fullmatch(NAME, c)} == allowed(FIFTH_EDITION, "first") | {":"}
    assert {c for c in CHARACTERS if re.fullmatch(NAME, "a" + c)} == allowed(FIFTH_EDITION, "later") | {":"}


DAMAGED = ["\0", "\ud800", b"\0", b"\xe3\x81", b"\x81"]


@pytest.mark.parametrize("recovery", ["intent", "draft"])
@each_case("bad", DAMAGED)
def test_what_is_replaced_in_names_is_coerced_alike(bad, recovery):
    """U+FFFD is in names of libxml2, but not of expat."""
    pattern = "<r>{}<a@b @c='1'>2</a@b><@/><p@:q x@:y='1'/><?t@ u?><i/></r>"
    for before in ("", "<b/>" * 40, "<a\ufffdb/>", "@"):
        text = pattern.format(before)
        document = text.replace("@", bad) if isinstance(bad, str) else text.encode().replace(b"@", bad)
        results = []
        for backend in ("etree", "lxml"):
            for size in (1, 3, len(document)):
                parser = xml5tree.XMLParser(backend=backend, recovery=recovery)
                for start in range(0, len(document), size):
                    parser.feed(document[start : start + size])
                root = parser.close()
                elements = [(element.tag, dict(element.attrib), element.text) for element in root.iter("*")]
                results.append((elements[2:] if "\ufffd" in before else elements, root.tag))
        assert results == results[:1] * len(results)
        assert "\ufffd" not in "".join(tag for tag, *_ in results[0][0])
        assert any(tag == "aU00FFFDb" and attributes == {"U00FFFDc": "1"} for tag, attributes, _ in results[0][0])
        markup = xml5tree.repair(document, recovery=recovery)
        assert xml5tree.repair(markup, recovery=recovery) == markup


def test_u_fffd_stays_in_names_where_nothing_was_replaced():
    document = "<a\ufffdb><c \ufffd='1'>x & \ufffd</c></a\ufffdb>"
    for size in (1, len(document)):
        parser = xml5tree.XMLParser(backend="lxml")
        for start in range(0, len(document), size):
            parser.feed(document[start : start + size])
        root = parser.close()
        assert (root.tag, dict(root[0].attrib)) == ("a\ufffdb", {"\ufffd": "1"})
