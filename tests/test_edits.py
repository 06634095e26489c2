"""Edits: what a repair changes, as a list (invariant I10)."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support import nearmicroxml, nearxml
from support.cases import one_in
from support.scaling import assert_grows_at_most, assert_scales_linearly
from support.splits import chunkings

import xml5tree
from compat.lanes import LANES, lane

DRAFT, INTENT, MICROXML = {"recovery": "draft"}, {"recovery": "intent"}, {"dialect": "microxml"}
WAYS = [DRAFT, INTENT, MICROXML]
IDS = ["draft", "intent", "microxml"]

FALSELY_MARKED = st.tuples(st.sampled_from([b"\xff\xfe", b"\xfe\xff"]), nearxml.byte_documents()).map(b"".join)
TEXTS = nearxml.documents() | nearxml.near_markup() | nearmicroxml.near_microxml()
OPTIONS = st.sampled_from(
    [
        *[{}, {}, {"max_depth": 3}, {"roots": "all"}, {"attribute_defaults": False}],
        *[{"control_characters": "drop"}, {"control_characters": "escape"}, {"root_element": "b"}],
    ]
)
#: Errors of what is no MicroXML, but XML, and so stays.
KEPT_IN_MICROXML = {
    "control-character-in-input-stream",
    "noncharacter-in-input-stream",
    "invalid-name",
    "encoding-not-utf-8",
    "text-outside-root",
    "element-after-root",
}


def rewritten(pieces, **options):
    """The document with its edits applied, the edits and the log; None where it has no tree."""
    found = []
    repairer = xml5tree.Repairer(edits=found, **options)
    try:
        parts = [repairer.feed(piece) for piece in pieces]
        parts.append(repairer.close())
    except xml5tree.ParseError:
        return None
    return parts[0][:0].join(parts), found, repairer.error_log


def with_newlines(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


def options_of(way, other):
    return (
        way if way is MICROXML and other.keys() & {"roots", "root_element", "control_characters"} else {**way, **other}
    )


@pytest.mark.parametrize("way", WAYS, ids=IDS)
@given(data=st.data())
def test_i10_edits(way, data):
    document = data.draw(TEXTS | nearxml.byte_documents() | FALSELY_MARKED)
    options = options_of(way, data.draw(OPTIONS))
    with lane(data.draw(st.sampled_from(sorted(LANES)))):
        result = rewritten([document], **options)
        if result is None:
            return
        markup, edits, log = result
        assert rewritten(data.draw(chunkings(document)), **options) == result
    # The source with its edits applied is the markup, and the inverse edits give the source back.
    assert xml5tree.apply(document, edits) == markup
    assert xml5tree.apply(markup, xml5tree.invert(edits)) == document
    # They are in order, do not touch each other, and change something.
    assert all(first.end < second.begin for first, second in pairwise(edits))
    assert all(edit.replacement != edit.original == document[edit.begin : edit.end] for edit in edits)
    # Each has an entry of the log, or says why not.
    assert all(entry in log for edit in edits for entry in edit.entries)
    assert all((edit.reason == "error") == bool(edit.entries) for edit in edits if edit.reason != "encoding")
    offsets = [[entry.offset for entry in edit.entries] for edit in edits if edit.reason == "error"]
    assert offsets == [*map(sorted, offsets)]
    # Each entry of the log is in an edit, unless it changes nothing.
    in_no_edit = {*log}.difference(*[edit.entries for edit in edits])
    assert all(may_change_nothing(entry, **options) for entry in in_no_edit)


@pytest.mark.parametrize(
    "document",
    [
        b'<\0a\0\xb7\0b\0 \0x\0.\0y\0\0=\0"\0"\0>\0<\0/\0a\0\xb7\0b\0>\0',
        *('<r><i\0tem b="1>x</item><item b="2">y</item></r>', "<a>x<\0/b>y</a>", "<a><b>x</b\ufdd0y></a>"),
        *("<a><b>x</\x0bb</a>", '<r><a b="\x0b>x</a><a b="1">y</a></r>', "<r><a b=\x0b1 c=\ufdd0>x</a></r>"),
    ],
)
def test_errors_of_characters_that_are_replaced_are_in_edits(document):
    whole = rewritten([document], recovery="intent")
    assert rewritten([document[at : at + 1] for at in range(len(document))], recovery="intent") == whole
    _, edits, log = whole
    assert not {*log}.difference(*[edit.entries for edit in edits])


def may_change_nothing(entry, *, dialect="xml5", max_depth=None, **_):
    """Return whether the markup may have stayed where the entry says that something is wrong."""
    if dialect == "microxml" and entry.code in KEPT_IN_MICROXML:
        return True
    if max_depth is not None and entry.code in {"mismatched-end-tag", "eof-in-element"}:
        return True  # what it closes may have been closed before, because it was too deep
    if entry.code == "encoding-declaration-mismatch" and "utf-32" in entry.message:
        return True  # the markup is in UTF-8, and that may be what was declared
    return "not ASCII, which the document declares" in entry.message


@pytest.mark.parametrize("way", WAYS, ids=IDS)
@given(data=st.data())
def test_it_is_the_markup_of_a_repair(way, data):
    document = data.draw(TEXTS)
    options = options_of(way, data.draw(OPTIONS))
    result = rewritten([document], **options)
    if result is None:
        return
    markup = xml5tree.Repairer(**options)
    assert result[0] == markup.feed(document) + markup.close()
    assert [*result[2]] == [*markup.error_log]


@pytest.mark.parametrize("end", ["<", "</"])
def test_markup_that_the_end_cuts_has_its_errors(end):
    def codes(recovery):
        edits = xml5tree.edits(f"<a><![CDATA[b]]>{end}", recovery=recovery)
        return [[entry.code for entry in edit.entries] for edit in edits]

    assert codes("draft") == [["eof-before-tag-name", "eof-in-element"]] * len(end)
    assert codes("intent") == [["assumed-unfinished-tag", "eof-in-element"]]


@given(nearxml.well_formed_documents())
def test_a_well_formed_document_has_no_edits_of_errors(document):
    for edit in xml5tree.edits(document):
        assert edit.reason != "error"
        assert not edit.entries


def test_what_an_edit_is():
    edits = xml5tree.edits("<a b=c>x & y</a>")
    assert [(edit.begin, edit.end, edit.original, edit.replacement, edit.reason) for edit in edits] == [
        (5, 6, "c", '"c"', "error"),
        (9, 10, "&", "&amp;", "error"),
    ]
    assert [[entry.code for entry in edit.entries] for edit in edits] == [
        ["unquoted-attribute-value"],
        ["unescaped-ampersand"],
    ]


@pytest.mark.parametrize(
    ("document", "options", "expected"),
    [
        ("<a><b></a>", {}, [(6, 6, "", "</b>", "error")]),
        ("<a></b></a>", {}, [(3, 7, "</b>", "", "error")]),
        ("<a", {}, [(2, 2, "", "></a>", "error")]),
        ("<a>]]></a>", {}, [(5, 6, ">", "&gt;", "error")]),
        ("<a>\x01</a>", {}, [(3, 4, "\x01", "\ufffd", "error")]),
        ("<1><b/></1>", DRAFT, [(1, 1, "", "U00003", "error"), (9, 9, "", "U00003", "error")]),
        # Without an error
        ("<!DOCTYPE a[]><a/>", {}, [(11, 13, "[]", "", "doctype")]),
        (
            '<!DOCTYPE a[<!ENTITY e "x">]><a>&e;</a>',
            {},
            [(11, 28, '[<!ENTITY e "x">]', "", "doctype"), (32, 35, "&e;", "x", "doctype")],
        ),
        ('<?xml version="1.0" encoding="utf-8"?><a/>', {}, [(19, 36, ' encoding="utf-8"', "", "encoding")]),
        ("<a><![CDATA[]]></a>", {}, []),
        ("<a><![CDATA[", {}, [(12, 12, "", "]]></a>", "error")]),
        (
            "<a><b><c/></b></a>",
            {"max_depth": 2} | DRAFT,
            [(6, 6, "", "</b>", "error"), (10, 14, "</b>", "", "depth")],
        ),
        (
            # The namespaces of the elements around go with what is attached to an outer one.
            '<a><b xmlns:p="u"><c/><p:c\t></p:c></b></a>',
            {"max_depth": 2} | DRAFT,
            [(18, 18, "", "</b>", "error"), (26, 27, "\t", ' xmlns:p="u"', "depth"), (34, 38, "</b>", "", "depth")],
        ),
        (
            "<&#x20;>",
            MICROXML,
            [(0, 1, "<", "<U000023doc>&lt;", "error"), (7, 8, ">", "&gt;</U000023doc>", "error")],
        ),
        ("<a b='\t'/>", MICROXML, [(5, 8, "'\t'", '"&#x9;"', "value")]),
        ("<a/><b/>", MICROXML, [(0, 0, "", "<U000023doc>", "error"), (8, 8, "", "</U000023doc>", "error")]),
    ],
)
def test_edits(document, options, expected):
    edits = xml5tree.edits(document, **{"recovery": "draft", **options})
    assert [(edit.begin, edit.end, edit.original, edit.replacement, edit.reason) for edit in edits] == expected


def test_a_name_is_written_differently_for_the_error_of_a_tag_that_has_a_part_of_it_elsewhere():
    document = "<b xmlns='http://www.w3.org/XML/1998/namespace' xml:><a/></b>"
    edits = [*xml5tree.edits(document, recovery="draft")]
    assert [edit.replacement for edit in edits if edit.begin > document.index("<a/>")] == ["xml:", "xml:"]
    assert all("reserved-namespace-declaration" in {entry.code for entry in edit.entries} for edit in edits)


@pytest.mark.parametrize(
    ("document", "options", "expected"),
    [
        ("<a><b><c>x</c></b></a>", {"max_depth": 2}, [(6, ["max-depth-exceeded"]), (14, [])]),
        ("<a><b><c>x</c></b></a>", {"max_depth": 2} | MICROXML, [(6, ["max-depth-exceeded"]), (14, [])]),
        (
            "<a><b><c/><b><c/></a>",
            {"max_depth": 2},
            [(6, ["max-depth-exceeded"]), (13, [])],
        ),
        (
            "x <!DOCTYPE a> y <plist><key>1</key></plist>",
            {"root_element": "key"},
            [(0, ["assumed-junk"]), (15, ["assumed-junk"]), (36, ["unmatched-end-tag"])],
        ),
        (
            "<log<y><![CDATA[\n</log>",
            INTENT,
            [(4, ["assumed-end-of-tag"]), (17, ["assumed-end-of-section", "mismatched-end-tag"])],
        ),
        (
            "<log><y><![CDATA[\x01\n</log>",
            INTENT,
            [
                (17, ["control-character-in-input-stream", "coerced-character"]),
                (19, ["assumed-end-of-section", "mismatched-end-tag"]),
            ],
        ),
        (
            "<r><b>x<1>y</1><b>z</b><2>w</2></r>",
            INTENT,
            [(7, ["assumed-end-before"]), *[(begin, ["coerced-element-name"]) for begin in (8, 13, 24, 29)]],
        ),
        (
            "<?xml <!----><a/>",
            {},
            [(6, ["invalid-xml-declaration", "abrupt-closing-xml-declaration"])],
        ),
        ("<a b c='1'<c/></a>", MICROXML, [(4, ["attribute-without-value", "unclosed-tag"])]),
        (
            "<a b=c d='e<f/></a>",
            MICROXML,
            [(5, ["unquoted-attribute-value", "missing-quote-after-attribute-value", "unclosed-tag"])],
        ),
        (
            "<b></a><![CDATA[x>]]></b>",
            MICROXML,
            [(begin, ["unmatched-end-tag", "cdata-not-allowed"]) for begin in (3, 17)],
        ),
        (
            "x <!--c-->",
            MICROXML,
            [(0, ["text-outside-root", "document-wrapped"]), (1, ["document-wrapped"]), (10, ["no-root-element"])],
        ),
        ("<!DOCTYPE a [ <a/>", MICROXML, [(0, ["doctype-not-allowed", "unclosed-doctype"])]),
    ],
)
def test_the_entries_of_edits(document, options, expected):
    """They are the same however the document comes, also where the error is far from the change."""
    for pieces in ([document], document):
        _, edits, _ = rewritten(pieces, **{"recovery": "draft", **options})
        assert [(edit.begin, [entry.code for entry in edit.entries]) for edit in edits] == expected


def test_roots():
    document = "<a/><b/>"
    edits = xml5tree.edits(document, roots="all")
    assert [(edit.begin, edit.end, edit.reason) for edit in edits] == [(0, 0, "roots"), (8, 8, "roots")]
    assert xml5tree.apply(document, edits) == xml5tree.repair(document, roots="all")


# The units of the document -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "begin", "replacement"),
    [
        ("<a>é &</a>".encode(), 6, b"&amp;"),
        ("<a>é &</a>".encode("utf-16"), 12, "&amp;".encode("utf-16-le")),
        (b'<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9 &</a>', 48, b"&amp;"),
        ("\ufeff<a>é &</a>".encode(), 9, b"&amp;"),
        ("<a>\r\né &</a>", 7, "&amp;"),
    ],
)
def test_offsets_are_those_of_the_document(document, begin, replacement):
    (edit,) = xml5tree.edits(document)
    assert (edit.begin, edit.replacement) == (begin, replacement)


@pytest.mark.parametrize(
    "document",
    [
        "\n<![CDATA[\r]]>]]></b>",
        "<y\nz</d<b</><![CDATA[x\r]></d><b>",
        "<b=1><b></d\n>é\n</d\r>;<b x=''></>",
        "<r<b></><b>\r<![CDATA[\n]]>]]><b",
        '<?xml version="1.0"\r\nencoding="UTF-8"?><a></b></a\n>',
    ],
)
def test_line_breaks_in_what_is_edited(document):
    """An edit that has a line break in it keeps its kind, with edits and without."""
    edits = xml5tree.edits(document, recovery="intent")
    assert xml5tree.repair(document, recovery="intent") == xml5tree.apply(document, edits)


def test_line_breaks_are_kept():
    document = "<a>\r\n<c>1</c><b>\r<c></b>\n</a>"
    assert xml5tree.apply(document, xml5tree.edits(document)) == "<a>\r\n<c>1</c><b>\r<c></c></b>\n</a>"


def test_line_breaks_stay_as_many():
    document = "<a>\r</x>\n</a>"
    repaired = xml5tree.apply(document, xml5tree.edits(document))
    assert with_newlines(repaired) == xml5tree.repair(document, output_encoding="utf-8") == "<a>\n\n</a>"


def test_an_encoding_that_has_to_be_declared():
    edits = xml5tree.edits(b"<a>\xe9</a>", encoding="windows-1252")
    assert [(edit.replacement, edit.reason) for edit in edits] == [
        (b'<?xml version="1.0" encoding="windows-1252"?>\n', "declaration")
    ]


def test_an_encoding_that_not_every_parser_reads():
    document = '<?xml version="1.0" encoding="shift_jis"?><a>日本 &</a>'.encode("shift_jis")
    (edit,) = xml5tree.edits(document)
    assert (edit.begin, edit.end, edit.reason) == (0, len(document), "encoding")
    assert edit.replacement == xml5tree.repair(document)
    assert [entry.code for entry in edit.entries] == ["unescaped-ampersand"]


@pytest.mark.parametrize(
    ("content", "repaired", "is_lost"),
    [
        ("<a>\x81</a>", "<a>&#65533;</a>", False),
        ("<a b='\x81'/>", "<a b='&#65533;'/>", False),
        ("<a b=\x81/>", '<a b="&#65533;"/>', False),
        ("<a><![CDATA[x\x81\x01]]></a>", "<a><![CDATA[x]]>&#65533;<![CDATA[]]>&#65533;<![CDATA[]]></a>", False),
        ("<a><!--\x81--></a>", "<a><!--?--></a>", True),
        ("<a><?b \x81?></a>", "<a><?b ??></a>", True),
        ("<!DOCTYPE a SYSTEM '\x81'><a/>", "<!DOCTYPE a SYSTEM '?'><a/>", True),
        ("<!DOCTYPE a[<!ENTITY e '&#xFFFD;'>]><a>&e;</a>", "<!DOCTYPE a><a>&#65533;</a>", False),
        ("<!DOCTYPE a[<!ENTITY e '<!--&#xFFFD;-->'>]><a>&e;</a>", "<!DOCTYPE a><a><!--?--></a>", True),
        ("<!DOCTYPE a[<!ATTLIST a b CDATA '&#xFFFD;'>]><a/>", '<!DOCTYPE a><a b="&#65533;"/>', False),
    ],
)
@pytest.mark.usefixtures("reader")
def test_an_encoding_that_lacks_a_character(content, repaired, is_lost):
    declaration = '<?xml version="1.0" encoding="windows-1252"?>'
    document = (declaration + content).encode("latin-1")
    log = []
    edits = xml5tree.edits(document, on_error=log.append)
    assert xml5tree.repair(document) == (declaration + repaired).encode()
    assert xml5tree.apply(document, edits) == (declaration + repaired).encode()
    assert [entry.effect for entry in log if entry.code == "unencodable-character"] == ["lost"] * is_lost


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("declaration", [b"", b"<?xml version='1.0'?>", b"<?xml version='1.0' encoding='iso-8859-2'?>"])
@pytest.mark.parametrize("size", [1, 12])
def test_a_false_byte_order_mark_is_dropped(mark, declaration, size):
    """The declaration, or what follows, contradicts a mark of UTF-16; whether it does shows in 64 characters."""
    content = b"<r><a>" + b"Fish & chips " * size + b"</a></r>"
    document = mark + declaration + content
    edits = []
    repaired = xml5tree.repair(document, edits=edits)
    assert xml5tree.apply(document, edits) == repaired == xml5tree.repair(document)
    assert xml5tree.apply(repaired, xml5tree.invert(edits)) == document
    assert ET.fromstring(repaired)[0].text == "Fish & chips " * size
    is_false = len(mark) == 2
    assert repaired.startswith(mark) is not is_false
    if is_false:
        assert (edits[0].begin, edits[0].entries[0].code) == (0, "encoding-declaration-mismatch")


def test_bytes_that_are_no_characters():
    document = b"<a>\xe9 \xff</a>"
    edits = xml5tree.edits(document)
    assert [(edit.begin, edit.original, edit.replacement.decode()) for edit in edits] == [
        (3, b"\xe9", "é"),
        (5, b"\xff", "ÿ"),
    ]


# Functions and objects ------------------------------------------------------------------------------------------------


def test_edits_come_as_the_document_does():
    found = []
    repairer = xml5tree.Repairer(edits=found)
    assert repairer.edits is found
    repairer.feed("<a>&<b>")
    repairer.feed("x")
    assert [edit.begin for edit in found] == [3]
    repairer.feed("</a>")
    repairer.close()
    assert [edit.begin for edit in found] == [3, 8]


def test_edits_of_a_repair():
    found = []
    assert xml5tree.repair("<a>&</a>", edits=found) == "<a>&amp;</a>"
    assert found == xml5tree.edits("<a>&</a>")


def test_some_edits_can_be_left_out():
    document = "<a b=c>x & y</a>"
    _, ampersand = xml5tree.edits(document)
    assert xml5tree.apply(document, [ampersand]) == "<a b=c>x &amp; y</a>"


def test_edits_of_another_document():
    edits = xml5tree.edits("<a>&</a>")
    with pytest.raises(ValueError, match="another document"):
        xml5tree.apply("<a>x</a>", edits)
    with pytest.raises(ValueError, match="not in the document"):
        xml5tree.apply("<a>", edits)
    with pytest.raises(ValueError, match="not behind the one before"):
        xml5tree.apply("<a>&</a>", edits * 2)


@pytest.mark.parametrize("dialect", ["html", "leafxml"])
def test_dialects_without_edits(dialect):
    with pytest.raises(ValueError, match=dialect):
        xml5tree.edits("<a/>", dialect=dialect)


@pytest.mark.parametrize("document", [b"", "", bytearray()])
def test_an_empty_document_has_edits_of_its_kind(document):
    """MicroXML makes a tree of it."""
    edits = []
    markup = xml5tree.repair(document, dialect="microxml", edits=edits)
    assert markup == xml5tree.repair(document, dialect="microxml") == xml5tree.apply(document, edits)
    assert xml5tree.apply(markup, xml5tree.invert(edits)) == document


def test_a_document_without_a_root_has_no_edits():
    with pytest.raises(xml5tree.ParseError):
        xml5tree.edits("text")


FAMILIES = {
    "ampersands": lambda n: "<a>" + "&" * n,
    "dropped end tags": lambda n: "<a>" + "</b>" * n,
    "unclosed elements": lambda n: "<a>" * n,
    "broken tags": lambda n: "<a>" + "<b c=d>" * n,
    "a comment": lambda n: "<a><!--" + "--x" * n,
    "a section": lambda n: "<a><![CDATA[" + "\x01x" * n,
    "text outside the root": lambda n: "x" * n + "<a/>",
    "entities": lambda n: '<!DOCTYPE a[<!ENTITY e "x">]><a>' + "&e;" * n,
}


@pytest.mark.parametrize(("family", "size"), one_in(3, product(FAMILIES, [1, 10**9])))
def test_linear_time(family, size):
    def edit(document):
        rewritten([document[start : start + size] for start in range(0, len(document), size)])

    assert_scales_linearly(edit, FAMILIES[family], 200)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_edit_takes_no_longer_the_more_follows(encoding):
    """The rest of a document is not copied at each edit."""

    def document(length):
        return f"<r>{'<a x=1>b & c</a>' * 1000}<t>{'x' * length}</t></r>".encode(encoding)

    assert_grows_at_most(xml5tree.edits, document(1_000_000), document(8_000_000), 3)


@pytest.mark.parametrize(
    ("declared", "encoding", "written"),
    [
        *[(label, "utf-16", label) for label in ("utf-16", "UTF-16", "UTF-16LE")],
        *[(label, "utf-16", "utf-16") for label in ("utf-16-le", "UTF16", "unicode", "ucs-2")],
        *[(label, "latin-1", label) for label in ("iso-8859-1", "ISO_8859-1", "iso8859-1", "latin1")],
        ("x-cp1252", "latin-1", "windows-1252"),
        *[(label, "cp1252", label) for label in ("windows-1252", "Windows-1252", "cp1252")],
        *[(f"windows-{number}", f"cp{number}", f"windows-{number}") for number in range(1250, 1259)],
        *[(f"iso-8859-{number}", f"iso8859-{number}", f"iso-8859-{number}") for number in (2, 5, 7, 9, 13, 15)],
        ("koi8-r", "koi8-r", "koi8-r"),
        ("koi8", "koi8-r", "koi8-r"),
    ],
)
def test_a_label_is_one_that_native_parsers_read(declared, encoding, written):
    document = f"<?xml version='1.0' encoding='{declared}'?><a>b &</a>".encode(encoding)
    applied = xml5tree.apply(document, xml5tree.edits(document))
    for parse in (ET.fromstring, etree.fromstring):
        assert parse(applied).text == "b &"
    assert re.search("encoding=.([^'\"]*)", applied.decode(encoding))[1] == written


@pytest.mark.parametrize("document", ["<a>x]]>", "<a>]]>", "<a>x]]>]]>"])
@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_the_end_of_a_section_at_the_end_has_its_error(document, recovery):
    *_, edit = xml5tree.edits(document, recovery=recovery)
    assert edit.replacement == "&gt;</a>"
    assert [entry.code for entry in edit.entries] == ["cdata-end-in-text", "eof-in-element"]
