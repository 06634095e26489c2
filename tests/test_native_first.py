"""Whole documents: what the native parser accepts gives its tree and an empty log, save for a few exceptions."""

import codecs
import encodings
import io
import itertools
import pkgutil
import re
import xml.etree.ElementTree as ET

import lxml.etree
import pytest
from hypothesis import given
from support import nearxml
from support.cases import each_case, in_whole_run, one_in
from support.trees import assert_same_document, assert_same_tree

import xml5tree
import xml5tree.lxml.etree
from xml5tree.backends import find_backend, native_first
from xml5tree.backends import lxml as lxml_backend
from xml5tree.dialects import find_dialect
from xml5tree.input import labels as known_labels
from xml5tree.input.labels import check_label
from xml5tree.options import Settings
from xml5tree.xml.limits import COMMON_LIMITS, EXPAT_LIMITS, LIBXML2_LIMITS

BACKENDS = ["etree", "lxml"]
each_backend = pytest.mark.parametrize("backend", BACKENDS)


def parse(document, backend, **options):
    """The root element and the log as (line, column, code)."""
    parser = xml5tree.XMLParser(backend=backend, **options)
    root = xml5tree.fromstring(document, parser=parser)
    return root, [(entry.line, entry.column, entry.code) for entry in parser.error_log]


ACCEPTED = {
    "plain": "<a b='c'>x<d/>y</a>",
    "prolog and epilog": "<?xml version='1.0' standalone='yes'?>\n<!--b--><?c d?>\n<a/>\n<!--e--><?f g?>\n",
    "namespaces": "<p:a xmlns:p='u' xmlns='v' p:b='' c=''><d xmlns=''/></p:a>",
    "references": "<a b='&lt;&#10;&#x1F600;'>&amp;&gt;&apos;&quot;&#13;&#150;</a>",
    "sections": "<a><![CDATA[<&]]>x<![CDATA[]]]]><![CDATA[>]]></a>",
    "empty section": "<a><![CDATA[]]></a>",
    "newlines": "<a b='1\r\n2\t3\n4'>\r\n\r<c/>\r\n</a>",
    "odd characters": "<a>\x7f\x80\u2028\ufdd0\U0001fffe\ufeff</a>",
    "DOCTYPE": "<!DOCTYPE x SYSTEM 's'><a/>",
    "internal subset": "<!DOCTYPE a [<!ENTITY e '<b>x</b>'><!ATTLIST a c CDATA 'd' e NMTOKENS 'f'>]><a e=' g '>&e;</a>",
    "redeclared lt": "<!DOCTYPE a [<!ENTITY lt '&#38;#60;'>]><a>&lt;</a>",
    "version 1.1": "<?xml version='1.1'?><a>\x85</a>",
    "deep": "<a>" * 200 + "</a>" * 200,
}


@pytest.mark.parametrize("document", ACCEPTED.values(), ids=ACCEPTED)
def test_native_tree(document):
    for data in (document, document.encode()):
        root, log = parse(data, "etree")
        assert_same_tree(root, ET.fromstring(data))
        assert log == []
        root, log = parse(data, "lxml")
        # libxml2 does not count the lines that a lone U+000D ends, which XML reads as U+000A.
        counted = re.sub("\r(?!\n)", "\n", document).encode()
        assert_same_document(root, lxml.etree.fromstring(counted), prefixes=True, lines=True)
        assert log == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "iso-8859-1"])
@pytest.mark.parametrize("line_break", ["\r", "\r\n", "\n", "\n\r"])
def test_lines_do_not_depend_on_how_a_document_is_read(line_break, encoding):
    document = line_break.join(["<?xml version='1.0'?>", "<a>", "<b", "/>&amp;", "<c>x</c></a>"])
    if encoding == "iso-8859-1":
        document = document.replace("'?", "' encoding='iso-8859-1'?")
    lines = set()
    for data in (document, document.encode(encoding)):
        whole = xml5tree.fromstring(data, backend="lxml")
        fed = xml5tree.fromstringlist([data], backend="lxml")
        dropped_in = xml5tree.lxml.etree.fromstring(data)
        lines |= {tuple(element.sourceline for element in root.iter()) for root in (whole, fed, dropped_in)}
    breaks = document.replace("\r\n", "\n").count("\r") + document.replace("\r\n", "\n").count("\n")
    assert lines == {(2, 4, 5) if breaks == 4 else (3, 7, 9)}


def test_files_too():
    """What ``parse`` reads is tried as ``fromstring``'s argument is; an empty section shows which parser it was."""
    document = "<a><![CDATA[]]></a>"
    assert xml5tree.parse(io.StringIO(document), backend="lxml").getroot().text == ""
    assert xml5tree.parse(io.BytesIO(document.encode()), backend="lxml").getroot().text == ""


def test_differences_between_the_native_parsers_stay():
    document = "<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>"
    assert parse(document, "etree")[0].attrib == {"b": "c"}
    assert parse(document, "lxml")[0].attrib == {}
    assert parse("<Ĳ/>", "lxml")[0].tag == "Ĳ"
    assert parse("<Ĳ/>", "etree")[0].tag == "U000132"


def test_internal_subset_stays_with_lxml():
    tree = parse("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "lxml")[0].getroottree()
    assert [(entity.name, entity.content) for entity in tree.docinfo.internalDTD.iterentities()] == [("e", "x")]


# Exceptions: accepted by the native parser, but with content lost or misread --------------------------------------


@each_backend
@pytest.mark.parametrize(
    "doctype", ["<!DOCTYPE a SYSTEM 's'>", "<!DOCTYPE a PUBLIC 'p' 's'>", "<!DOCTYPE a\nSYSTEM 's' [<!ENTITY e 'x'>]>"]
)
def test_references_that_the_external_dtd_may_declare(backend, doctype):
    """E1 of D-001."""
    for encoding in (None, "utf-8", "utf-16"):
        document = doctype + "<a b='&eacute;&u;'>&eacute;&u;</a>"
        root, log = parse(document if encoding is None else document.encode(encoding), backend)
        assert (root.get("b"), root.text) == ("é&u;", "é&u;")
        assert [code for _, _, code in log] == ["undeclared-entity-reference", "unknown-named-character-reference"] * 2
    root, log = parse(doctype + "<a b='&lt;&#65;'>&amp;</a>", backend)
    assert (root.get("b"), root.text, log) == ("<A", "&", [])


@each_backend
@pytest.mark.parametrize("as_bytes", [False, True])
@pytest.mark.parametrize("before", [0, 1, 199, 200, 201, 1000])
def test_such_a_reference_among_many_others(backend, before, as_bytes):
    document = f"<!DOCTYPE a SYSTEM 's'><a>{'&amp;' * before}%s{'&lt;' * 3}</a>"
    for reference, codes in [("&e;", ["unknown-named-character-reference"]), ("", [])]:
        data = (document % reference).encode() if as_bytes else document % reference
        assert [code for _, _, code in parse(data, backend)[1]] == codes


@each_backend
@pytest.mark.parametrize("subset", ["%p;", "<!ENTITY % p SYSTEM 's'>%p;"])
def test_references_that_an_unread_parameter_entity_may_declare(backend, subset):
    document = f"<!DOCTYPE a [{subset}]><a b='&u;'/>"
    root, log = parse(document, backend)
    assert root.get("b") == "&u;"
    assert [code for _, _, code in log] == ["unknown-named-character-reference"]


@each_backend
def test_byte_order_mark_contradicts_declaration(backend):
    """D-003."""
    document = "\ufeff<?xml version='1.0' encoding='{}'?><a>é</a>"
    for encoding, declared in [("utf-8", "iso-8859-1"), ("utf-16-le", "iso-8859-1"), ("utf-16-be", "utf-8")]:
        root, log = parse(document.format(declared).encode(encoding), backend)
        assert root.text == "é"
        assert log == [(1, 0, "encoding-declaration-mismatch")]
    for encoding, declared in [("utf-8", "UTF-8"), ("utf-16-le", "UTF-16"), ("utf-16-be", "utf-16")]:
        root, log = parse(document.format(declared).encode(encoding), backend)
        assert (root.text, log) == ("é", [])


@each_backend
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_text_that_looks_like_utf_16(backend, encoding):
    """expat reads UTF-16 where there is a zero byte, even if it is told that it gets UTF-8."""
    document = "<?xml version='1.0'?><a>x</a>".encode(encoding).decode("latin-1")
    parser = xml5tree.XMLParser(backend=backend)
    outcomes = []
    for data in (document, [document]):
        read = xml5tree.fromstring if isinstance(data, str) else xml5tree.fromstringlist
        root = read(data, parser=parser)
        outcomes.append((root.tag, "".join(root.itertext()), list(parser.error_log)))
    assert outcomes[0] == outcomes[1]
    assert "unexpected-null-character" in {entry.code for entry in outcomes[0][2]}


@each_backend
def test_wide_encoding_declared_in_narrow_bytes(backend):
    """D-004."""
    root, log = parse("<?xml version='1.0' encoding='utf-16'?><a>é</a>".encode(), backend)
    assert (root.text, log) == ("é", [(1, 0, "encoding-declaration-mismatch")])


REFUSED = ["utf-7", "UTF7", "unicode-1-1-utf-7", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "rot13"]


@each_backend
@pytest.mark.parametrize("label", [*REFUSED, "undefined", "hex", "java", "x-unknown"])
def test_encodings_that_hide_markup(backend, label):
    """D-005: read as UTF-8, where a native parser may know more than is good."""
    document = f"<?xml version='1.0' encoding='{label}'?><a>é+ADw-b/+AD4-\\u003cb/\\u003e\\x41</a>"
    root, log = parse(document.encode(), backend)
    assert root.text == "é+ADw-b/+AD4-\\u003cb/\\u003e\\x41"
    assert log == [(1, 0, "unsupported-encoding")]


@each_backend
def test_declared_encodings(backend):
    for encoding, text in [
        *[("iso-8859-1", "é\x80"), ("windows-1252", "é€"), ("us-ascii", "e"), ("utf-8", "é€😀"), ("koi8-r", "я")],
        *[("shift_jis", "日本"), ("euc-jp", "日本"), ("gb18030", "日本😀"), ("big5", "日本")],
    ]:
        document = f"<?xml version='1.0' encoding='{encoding}'?><a>{text}</a>"
        root, log = parse(document.encode(encoding), backend)
        assert (root.text, log) == (text, [])


# Beyond what the native parser accepts, but well-formed -----------------------------------------------------------


@each_backend
@pytest.mark.parametrize("version", ["2.0", "0.1", "10.", "1."])
def test_versions_that_only_expat_takes(backend, version):
    """E10."""
    document = f"<?xml version='{version}'?><a>é</a>"
    for data in (document, "\ufeff" + document, document.encode()):
        root, log = parse(data, backend)
        assert root.text == "é"
        assert log == [(1, 0, "invalid-xml-declaration")]


@each_backend
@pytest.mark.parametrize("end", ["</a>", ""])
def test_text_with_an_encoding_declaration(backend, end):
    """D-007; lxml itself raises ValueError."""
    for encoding in ("iso-8859-1", "utf-16", "x-unknown"):
        root, log = parse(f"<?xml version='1.0' encoding='{encoding}'?><a>é{end}", backend)
        assert root.text == "é"
        assert log == ([] if end else [(1, len(f"<?xml version='1.0' encoding='{encoding}'?><a>é"), "eof-in-element")])


@each_backend
@pytest.mark.parametrize(
    "document",
    [
        "<!DOCTYPE a><a>{}</a>",
        "<a>{}</a>",
        "<!DOCTYPE a><a b='{}'/>",
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;{}</a>",
    ],
)
def test_huge_tokens(backend, document):
    """libxml2 stops at 10 million characters, unless it is told that the document may be huge."""
    root, log = parse(document.format("x" * 10_000_001), backend)
    assert log == []
    assert len(root.text or root.get("b")) >= 10_000_001


@each_backend
@pytest.mark.parametrize("document", ["<a xml:id='1 2'/>", "<a xml:id=''><b xml:id='x'/><c xml:id='x'/></a>"])
def test_xml_id_is_an_attribute_like_any_other(backend, document):
    for data in (document, "<!DOCTYPE a>" + document):
        root, log = parse(data, backend)
        assert log == []
        expected = [element.attrib for element in ET.fromstring(document).iter()]
        assert [dict(element.attrib) for element in root.iter()] == expected


@each_backend
def test_depth(backend):
    """No limit for what the native parser takes; beyond that, the default one."""
    depth = 1500
    for data in ("<a>" * depth + "</a>" * depth, "<!DOCTYPE a>" + "<a>" * depth + "</a>" * depth):
        root, log = parse(data, backend)
        assert (sum(1 for _ in root.iter()), log) == (depth, [])


@each_backend
@pytest.mark.parametrize("end", ["</a>", ""])
@pytest.mark.parametrize("prolog", ["", "<?xml version='1.0'?>\n", "<!DOCTYPE a [<!ENTITY e '&#233;'>]>"])
def test_wide_encodings(backend, end, prolog):
    document = prolog + "<a>é😀日本" + end
    for encoding in ("utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        root, log = parse(document.encode(encoding), backend)
        assert root.text == "é😀日本"
        assert [code for _, _, code in log] == ([] if end else ["eof-in-element"])


@each_backend
@pytest.mark.parametrize("document", ["<a>é</a>", "<a>é", "<!DOCTYPE a SYSTEM 's'><a>é</a>"])
def test_bytes_like_objects(backend, document):
    data = document.encode()
    for view in (bytearray(data), memoryview(data), memoryview(b"<" + data + b">")[1:-1]):
        assert parse(view, backend)[0].text == "é"
        assert xml5tree.fromstringlist([view[:2], view[2:]], backend=backend).text == "é"
        assert xml5tree.repair(view) == xml5tree.repair(data)


# Limits that the caller has set -----------------------------------------------------------------------------------


LAUGHS = "<!ENTITY e0 'ha'>" + "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, 6))


@each_backend
@pytest.mark.parametrize(
    ("subset", "options", "code"),
    [
        (LAUGHS, {"amplification_threshold": 5000, "max_amplification": 1}, "entity-expansion-limit"),
        ("<!ENTITY e4 '<b><c><d/></c></b>'>", {"max_depth": 3}, "max-depth-exceeded"),
    ],
)
def test_limits_hold_in_entities(backend, subset, options, code):
    """The native parsers take these documents, whole or not at all."""
    document = f"<!DOCTYPE a [{subset}]><a>&e4;</a>"
    for data in (document, document.encode()):
        assert parse(data, backend)[1] == []
        root, log = parse(data, backend, **options)
        assert code in [code for _, _, code in log]
        assert len("".join(root.itertext())) < 5000
    parser = xml5tree.lxml.etree.XMLParser(**options)
    xml5tree.lxml.etree.fromstring(document, parser)
    assert code in [entry.code for entry in parser.error_log]


def test_each_lowered_limit_counts():
    document = "<!DOCTYPE a><a/>"
    for options, tried in [
        *[({}, True), ({"max_amplification": 99}, False), ({"amplification_threshold": 8 * 1024 * 1024 - 1}, False)],
        *[({"max_amplification": 101}, True), ({"amplification_threshold": 10**9}, True), ({"max_depth": 50}, False)],
    ]:
        assert native_first.may_try(document, Settings(**options), EXPAT_LIMITS) == tried
        assert native_first.may_try("<a/>", Settings(**options), EXPAT_LIMITS)


@each_backend
def test_limit_of_depth_holds(backend):
    for encoding in ("utf-8", "utf-16", "utf-32-be"):
        document = "<a>" * 10 + "</a>" * 10
        for data in (document, document.encode(encoding)):
            root, log = parse(data, backend, max_depth=9)
            assert [code for _, _, code in log] == ["max-depth-exceeded"]
            assert (root.tag, sum(1 for _ in root.iter())) == ("a", 10)
            assert parse(data, backend, max_depth=10)[1] == []
    # What cannot be as deep as the limit still goes to the native parser: only it makes this text.
    assert parse("<a><![CDATA[]]></a>", "lxml", max_depth=5)[0].text == ""


# When the native parser must not be asked -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "insertion"),
    [("iso-2022-jp", "\x1b(B"), ("iso-2022-kr", "\x0f"), ("iso-2022-cn", "\x0f"), ("hz", "~\n")],
)
def test_doctype_hidden_by_the_encoding(encoding, insertion):
    """Bytes that say nothing, put in the middle of what is looked for."""
    declaration = f"<?xml version='1.0' encoding='{encoding}'?>"
    document = declaration + f"<!DOC{insertion}TYPE a [<!ENTITY e 'hidden'>]><a>&e;</a>"
    try:
        root = xml5tree.fromstring(document.encode(), backend="lxml", forbid_dtd=True)
    except xml5tree.ParseError as error:
        assert error.code in ("doctype-forbidden", "no-root-element", "not-xml")
    else:
        assert root.text == "&e;"


@each_backend
def test_encoding_declared_far_from_the_start(backend):
    """A declaration that goes on where nobody looks."""
    declaration = f"<?xml version='1.0'{' ' * 2000}encoding='iso-2022-jp'?>"
    document = (declaration + "<!DOC\x1b(BTYPE a [<!ENTITY e 'hidden'>]><a>&e;</a>").encode()
    assert not native_first.may_try(document, Settings(), EXPAT_LIMITS)
    with pytest.raises(xml5tree.ParseError):
        xml5tree.fromstring(document, backend=backend, forbid_dtd=True)


def text_codecs():
    """Python's names of all its text encodings that are not refused."""
    names = set()
    for module in pkgutil.iter_modules(encodings.__path__):
        try:
            check_label(module.name)
            names.add(codecs.lookup(module.name).name)
        except LookupError:  # no codec, or refused
            continue
    return sorted(names)


def strictly(codec, data):
    """What bytes stand for; None where they are not valid."""
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def is_plain(codec):
    """Whether each byte below 0x80 is that character of ASCII wherever it stands, and nothing else is.

    All sequences of one byte and of two are tried, and the longer ones that begin with what a decoder waits after.
    """
    if codec in {"utf-8", "utf-8-sig"}:
        return True  # so it is defined; trying takes a minute
    if any(strictly(codec, bytes([byte])) != chr(byte) for byte in range(0x80)):
        return False
    whole = [byte for byte in range(0x80, 0x100) if strictly(codec, bytes([byte])) is not None]
    if any(is_ascii(strictly(codec, bytes([byte]))) for byte in whole):
        return False
    prefixes = [bytes([byte]) for byte in range(0x80, 0x100) if byte not in whole]
    for _ in range(3):
        longer = []
        for prefix, byte in itertools.product(prefixes, range(0x100)):
            data = prefix + bytes([byte])
            text = strictly(codec, data)
            if text is None and may_go_on(codec, data):
                longer.append(data)
            elif text is not None and (min(data) < 0x80 or is_ascii(text)):
                return False
        prefixes = longer
    return all(min(prefix) >= 0x80 or strictly(codec, prefix + HANGUL[len(prefix) :]) is None for prefix in prefixes)


#: The one character of more than four bytes that there is: a syllable of EUC-KR that is composed of its letters.
HANGUL = b"\xa4\xd4\xa4\xa1\xa4\xbf\xa4\xd4"


def is_ascii(text):
    """Whether there is a character of ASCII; not counting "~", which is in JIS X 0212 and never markup."""
    return any(character < "\x80" and character != "~" for character in text)


def may_go_on(codec, data):
    """Whether bytes are the beginning of a character, of which a decoder does not complain."""
    try:
        return codecs.getincrementaldecoder(codec)().decode(data) == ""
    except UnicodeDecodeError:
        return False


@in_whole_run
def test_encodings_that_hide_nothing():
    """Of all of Python's encodings, these may go to the native parser; the rest is repaired."""
    names = text_codecs()
    assert len(names) > 90
    document = b"<!DOCTYPE a><a/>"
    tried = {codec for codec in names if native_first.may_try(document, Settings(encoding=codec), EXPAT_LIMITS)}
    # The former is no encoding of documents, the latter one that no document names.
    assert {codec for codec in names if is_plain(codec)} == tried | {"charmap", "palmos"}
    declared = {
        codec
        for codec in names
        if native_first.may_try(f"<?xml version='1.0' encoding='{codec}'?><a/>".encode(), Settings(), EXPAT_LIMITS)
    }
    assert declared == tried
    assert not tried & {"johab", "big5", "big5hkscs", "gbk", "gb18030", "shift_jis", "cp932", "cp949", "cp950", "hz"}


VIETNAMESE = ["VISCII", "VISCII1.1-1", "csVISCII", "TCVN", "TCVN-5712", "TCVN5712-1"]
OTHERS = ["NEXTSTEP", "Georgian-PS", "Georgian-Academy", "MuleLao-1", "MacUkraine", "MacThai", "MacHebrew", "CP1131"]
PUNCTUATION = "<>?!&\"'[]-;=/%#|"
LETTERS = "DOCTYPESYSTEMPUBLIC"


def labels_of_plain_encodings():
    """All names by which Python knows encodings that may go to the native parser."""
    labels = {*encodings.aliases.aliases, *known_labels._LABELS, *text_codecs()}
    head = "<?xml version='1.0' encoding='{}'?><a/>"
    return sorted(
        label
        for label in {spelling for label in labels for spelling in (label, label.replace("_", "-"))}
        if native_first.may_try(head.format(label).encode(), Settings(), LIBXML2_LIMITS)
    )


def test_libxml2_decodes_nothing_else_to_markup():
    """libxml2 has decoders of its own; in these encodings it, too, reads ASCII where there is ASCII, and only there."""
    read = 0
    for label in [*labels_of_plain_encodings(), *VIETNAMESE, *OTHERS]:
        head = f"<?xml version='1.0' encoding='{label}'?><a>".encode()
        try:
            lxml.etree.fromstring(head + b"</a>")
        except lxml.etree.XMLSyntaxError:
            continue  # libxml2 does not know it
        read += 1
        # libiconv composes a letter and a mark after it, which hides no letter that markup consists of.
        composes = "1258" in label or label in VIETNAMESE
        expected = "".join(character for character in PUNCTUATION + LETTERS * (not composes) if character not in "<&")
        for lead in one_in(3, range(0x80, 0x100)):
            for prefix in (bytes([lead]), b"\x8f" + bytes([lead])):
                # Either the bytes are refused, or every character of ASCII is still there.
                body = b"".join(prefix + character.encode() for character in expected)
                for data, ascii_text in ((body, expected), (prefix + b"<b/>" + prefix + b"&lt;", "<")):
                    try:
                        root = lxml.etree.fromstring(head + data + b"</a>")
                    except lxml.etree.XMLSyntaxError:
                        continue
                    found = "".join(character for character in "".join(root.itertext()) if character < "\x7e")
                    assert found == ascii_text, (label, data)
    assert read > 60


@each_backend
def test_doctype_in_a_character_of_johab(backend):
    """The "?" that seems to end the processing instruction is half of a character."""
    document = b'<?xml version="1.0" encoding="johab"?><?pi \xd9\x3f><a ?><!DOCTYPE a [<!ENTITY e "hidden">]><a>&e;</a>'
    with pytest.raises(xml5tree.ParseError, match="forbid_dtd"):
        xml5tree.fromstring(document, backend=backend, forbid_dtd=True)
    for options in ({"resolve_entities": False}, {"max_amplification": 0, "amplification_threshold": 0}):
        assert xml5tree.fromstring(document, backend=backend, **options).text == "&e;"
    parser = xml5tree.lxml.etree.XMLParser(forbid_dtd=True)
    with pytest.raises(xml5tree.ParseError, match="DOCTYPE"):
        xml5tree.lxml.etree.fromstring(document, parser)


@pytest.mark.parametrize("label", [*VIETNAMESE, *OTHERS, "CP1133"])
def test_encodings_that_only_libxml2_knows(label):
    """They hide nothing either, so libxml2 may read them where it can."""

    def read(byte):
        return lxml.etree.fromstring(head + bytes([byte]) + b"</a>").text

    head = f"<?xml version='1.0' encoding='{label}'?><a>".encode()
    with pytest.raises(LookupError):
        check_label(label)
    assert native_first.may_try(head + b"</a>", Settings(), LIBXML2_LIMITS)
    assert not native_first.may_try(codecs.BOM_UTF8 + head + b"</a>", Settings(), LIBXML2_LIMITS)
    try:
        read(0x41)
    except lxml.etree.XMLSyntaxError:
        pytest.skip(f"this libxml2 does not know {label}")
    assert "".join(read(byte) for byte in range(0x21, 0x7F) if byte not in b"<&") == "".join(
        chr(byte) for byte in range(0x21, 0x7F) if byte not in b"<&"
    )
    found = 0
    for byte in range(0x80, 0x100):
        try:
            text = read(byte)
        except lxml.etree.XMLSyntaxError:
            continue
        found += 1
        assert text > "\x7f"
        assert parse(head + bytes([byte]) + b"</a>", "lxml")[0].text == text
    assert found > 80


@each_case("codec", text_codecs())
def test_nothing_is_hidden_by_any_encoding(codec):
    """A document whose DOCTYPE does not show in the bytes is not left to a native parser, unless all read UTF-16."""
    body = "<!DOCTYPE a [<!ENTITY e 'hidden'>]><a>&e;</a>"
    documents = [body.encode(codec), f"<?xml version='1.0' encoding='{codec}'?>".encode() + body.encode(codec)]
    for document, encoding in itertools.product(documents, [None, codec]):
        if b"<!DOCTYPE" not in document:
            settings = Settings(encoding=encoding, resolve_entities=not native_first.is_wide(document))
            assert not native_first.may_try(document, settings, EXPAT_LIMITS)


@each_backend
@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16-le", "utf-32-be"])
def test_refusals_hold_whatever_the_encoding(backend, encoding):
    document = "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>".encode(encoding)
    for options in ({}, {"encoding": encoding}):
        with pytest.raises(xml5tree.ParseError, match="forbid_dtd"):
            xml5tree.fromstring(document, backend=backend, forbid_dtd=True, **options)
        assert xml5tree.fromstring(document, backend=backend, resolve_entities=False, **options).text == "&e;"
    ebcdic = "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>".encode("cp037")
    with pytest.raises(xml5tree.ParseError, match="forbid_dtd"):
        xml5tree.fromstring(ebcdic, backend=backend, forbid_dtd=True, encoding="cp037")


# Errors that libxml2 goes on after, and a warning after them, which is all that lxml looks at ----------------------


HIDDEN_BY_A_WARNING = {
    "undeclared prefix of an attribute": ("<a x:y='1'><b xmlns='rel'/></a>", "undeclared-namespace-prefix"),
    "undeclared prefix of an element": ("<a><x:y/><b xmlns='rel'/></a>", "undeclared-namespace-prefix"),
    "prefix bound to nothing": ("<a xmlns:p=''><b xmlns='rel'/></a>", "namespace-prefix-undeclared"),
    "two colons": ("<a:b:c xmlns:a='http://u'><b xmlns='rel'/></a:b:c>", "coerced-element-name"),
    "reserved prefix": ("<a xmlns:xml='u'><b xmlns='rel'/></a>", "reserved-namespace-declaration"),
    "unknown entity": ("<!DOCTYPE a SYSTEM 's'><a>&u;<b xmlns='rel'/></a>", "unknown-named-character-reference"),
}
each_hidden_error = pytest.mark.parametrize(
    ("document", "code"), HIDDEN_BY_A_WARNING.values(), ids=list(HIDDEN_BY_A_WARNING)
)


@each_hidden_error
def test_errors_hidden_by_a_warning(document, code):
    lxml.etree.fromstring(document)
    for data in (document, document.encode()):
        root, log = parse(data, "lxml")
        assert [found for _, _, found in log] == [code]
        assert_same_tree(root, parse(data, "etree")[0])
        for parser in (xml5tree.lxml.etree.XMLParser(), xml5tree.lxml.etree.XMLParser(attribute_defaults=True)):
            if "DOCTYPE" in document and parser.collects_ids and parser._settings.attribute_defaults:
                continue  # it wants the external DTD
            assert_same_tree(xml5tree.lxml.etree.fromstring(data, parser), root)
            assert [entry.code for entry in parser.error_log] == [code]
        assert_same_tree(xml5tree.lxml.etree.fromstring(data, lxml.etree.XMLParser()), root)


@each_hidden_error
def test_errors_hidden_by_a_warning_are_refused_in_strict_mode(document, code):
    etree = xml5tree.lxml.etree
    strict = etree.XMLParser(recover=False)
    calls = [
        lambda: xml5tree.fromstring(document, backend="lxml", recovery="strict"),
        lambda: xml5tree.fromstringlist([document[:9], document[9:]], backend="lxml", recovery="strict"),
        lambda: list(xml5tree.iterparse(io.StringIO(document), backend="lxml", recovery="strict")),
        lambda: etree.fromstring(document, strict),
        lambda: etree.fromstringlist([document[:9], document[9:]], strict),
        lambda: etree.parse(io.StringIO(document), strict),
        lambda: list(etree.iterparse(io.StringIO(document), recover=False)),
    ]
    for call in calls:
        with pytest.raises(xml5tree.ParseError) as refusal:
            call()
        assert len(refusal.value.errors) >= 1


def test_warnings_are_no_errors():
    for document in ("<a xmlns='rel'/>", "<a xml:id='b'><c xmlns:p='rel'/></a>"):
        for options in ({}, {"recovery": "strict"}):
            parser = xml5tree.XMLParser(backend="lxml", **options)
            root = xml5tree.fromstring(document, parser=parser)
            assert_same_document(root, lxml.etree.fromstring(document), prefixes=True, lines=True)
            assert len(parser.error_log) == 0


VALUES = ["%", "&", "&;", "&#0;", "&#xD800;"]
DECLARATIONS = [
    *(f"<!ENTITY e '{value}'>" for value in VALUES),
    *(f"<!ENTITY % e '{value}'>" for value in VALUES),
    *(f"<!ATTLIST a b CDATA '{value}'>" for value in [*VALUES[1:], "<", "&e;"]),
]


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_values_that_are_passed_over(declaration):
    """Expat does not look at the values of declarations after a parameter entity that it does not read."""
    document = f"<!DOCTYPE a SYSTEM 'x' [%p;{declaration}]><a/>"
    expected = ET.fromstring(document)
    root, log = parse(document, "etree")
    assert log == []
    assert_same_tree(root, expected)
    parser = xml5tree.XMLParser()
    assert_same_tree(xml5tree.fromstringlist([document], parser=parser), expected)
    assert parser.error_log == []
    # Where everything is read, they are looked at.
    reader = xml5tree.XMLParser()
    xml5tree.fromstringlist([document.replace("%p;", "")], parser=reader)
    assert reader.error_log


@pytest.mark.parametrize("size", [1, 5, 1 << 16])
@pytest.mark.parametrize(
    "document",
    [
        "<a/>",
        "<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n<!-- c --><a\nk='v'>é\n<b/>\n</a>\n<?p x?>",
        "<!DOCTYPE a [<!ENTITY e 'x'><!ATTLIST a k CDATA 'v'>]>\n<a>&e;</a>",
        "<a xmlns:p='u'><p:b p:k='v'/></a>",
    ],
)
@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-16", "utf-32"])
def test_libxml2_in_blocks(monkeypatch, document, size, encoding):
    """It is given documents by blocks, and makes of them what it makes of them as a whole."""
    if encoding is not None:
        document = document.replace("utf-8", encoding).encode(encoding)
    monkeypatch.setattr(lxml_backend, "_BLOCK", size)
    parser = lxml.etree.XMLParser(encoding="utf-8" if encoding is None else None)
    whole = lxml.etree.fromstring(document.encode() if encoding is None else document, parser).getroottree()
    ours = find_backend("lxml").parse_whole(document, Settings()).getroottree()
    assert lxml.etree.tostring(ours) == lxml.etree.tostring(whole)
    for name in ("encoding", "xml_version", "standalone", "doctype"):
        assert getattr(ours.docinfo, name) == getattr(whole.docinfo, name)
    assert [element.sourceline for element in ours.iter()] == [element.sourceline for element in whole.iter()]


@pytest.mark.parametrize("fault", ["&", "&nbsp ", "<b k=v>", "</b>", "<p:b>"])
def test_libxml2_stops_early(monkeypatch, fault):
    """After the block with an error it gets no more of the document."""
    blocks = []

    class Parser(lxml.etree.XMLParser):
        def feed(self, data):
            blocks.append(len(data))
            super().feed(data)

    monkeypatch.setattr(lxml_backend.etree, "XMLParser", Parser)
    with pytest.raises(lxml.etree.XMLSyntaxError):
        find_backend("lxml").parse_whole(f"<a>{fault}{'<b/>&lt;' * 50_000}</a>", Settings())
    assert 0 < sum(blocks) < 100_000


HEADS = [
    f"{mark}{declaration}{rest}"
    for mark in ("", "\ufeff", " ")
    for declaration in (
        "",
        "<?xml version='1.0'?>",
        '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>',
        '<?xml version="1.0" encoding="utf-16"?>',
        '<?xml version="1.0" encoding="iso-8859-1"?>',
        '<?xml encoding="utf-8"?>',
        '<?xml version="2.0"?>',
    )
    for rest in (
        "<a/>",
        "\n<!-- a\n--><?xml-stylesheet b?>\n<a/>",
        "<!-- <!DOCTYPE a> --><a/>",
        "<!DOCTYPE a><a/>",
        "<!-- --><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<?xml-a ?><?xml version='1.0'?><a/>",
        "<?p <a ?><!DOCTYPE a><a/>",
        "<!-- a",
        "<a\0/>",
        "text<a/>",
        "",
    )
]


@each_case("head", HEADS)
def test_quick_look_only_takes_what_the_long_one_takes(monkeypatch, head):
    """The pattern for documents that are certainly in UTF-8, without a DOCTYPE, agrees with what it saves."""
    data = head.encode()
    limits = LIBXML2_LIMITS
    for settings in (Settings(), Settings(forbid_dtd=True), Settings(max_depth=2), Settings(encoding="utf-16")):
        monkeypatch.undo()
        quick = native_first.may_try(data, settings, limits)
        monkeypatch.setattr(native_first, "_IS_UTF8", re.compile(b"(?!)"))
        assert quick is native_first.may_try(data, settings, limits)


def test_quick_look_takes_most_documents(monkeypatch):
    monkeypatch.setattr(native_first, "may_have_doctype", lambda data: pytest.fail("there is a longer look"))
    for head in ("", "\ufeff", "<?xml version='1.0'?>\n", '<?xml version="1.0" encoding="utf-8"?>\n<!-- a -->\n'):
        assert native_first.may_try(f"{head}<a/>".encode(), Settings(), EXPAT_LIMITS)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("comments", [0, 1, 49, 50, 200])
def test_doctype_after_exclamation_marks(encoding, comments):
    """However many there are before it, and in content, a DOCTYPE in an encoding of wide units is found."""
    for doctype in ("", "<!DOCTYPE a>"):
        document = f"<?xml version='1.0'?>{'<!-- ! -->' * comments}{doctype}<a>{'!' * comments}\u2100</a>"
        assert native_first.may_have_doctype(f"\ufeff{document}".encode(encoding)) == bool(doctype)


needs_compiled_scan = pytest.mark.skipif(not xml5tree.accelerated, reason="only the compiled scan looks for errors")

#: Faults that are found without the native parser.
FOUND_FIRST = [
    "<b>x</a>",
    "<b>x</b></c>",
    "x & y",
    "&nbsp;",
    "<b c='&nbsp;'/>",
    "<b c=d/>",
    "<b c='1'd='2'/>",
    "<b c='1' c='2'/>",
    "<p:b/>",
    "x < y <b/>",
    "]]>",
    "\x0b<b/>",
    "<b\r\nc=d/>",
]


@needs_compiled_scan
@each_backend
@pytest.mark.parametrize("fault", FOUND_FIRST)
def test_errors_are_looked_for_first(monkeypatch, backend, fault):
    """A document that the native parser would refuse soon does not go to it."""
    native = find_backend(backend)
    monkeypatch.setattr(type(native), "parse_whole", lambda *_: pytest.fail("the native parser tries the document"))
    document = f"<?xml version='1.0' encoding='UTF-8'?>\n<a>{fault}</a>"
    for data in (document, document.encode(), b"\xef\xbb\xbf" + document.encode()):
        assert xml5tree.fromstring(data, backend=backend).tag == "a"


@needs_compiled_scan
@pytest.mark.parametrize("filler", ["x", "<b/>", "é", "\r\n", "<![CDATA[<br>&]]>", "<b c='&amp;'>&#38;</b>"])
def test_far_errors_are_looked_for_where_they_are_likely(filler):
    """All of a large document is scanned if tags are missing, or if an ampersand begins no reference, but for CDATA."""
    for fault, is_likely in (("& ", True), ("<c>", True), ("</c>", True), ("<c d=e/>", False), ("<c></d>", False)):
        for length, is_found in ((100, True), (80_000, is_likely)):
            for data in (document := f"<a>{filler * length}{fault}{filler}</a>", document.encode()):
                assert native_first.is_certainly_refused(data, Settings(), LIBXML2_LIMITS) is is_found


@needs_compiled_scan
def test_what_only_seems_broken_goes_to_the_native_parser():
    """Between quotes and in instructions, tags are counted that are none; the draft does not look at it twice."""
    for content, seems_broken in (("<b c='/>'/>", True), ("<?c <d> & ?>", True), ("<!-- <c> & ! --><!-- > -->", False)):
        for more, is_broken in (("& ", True), ("", False)):
            document = f"<a>{'x' * 80_000}{content}{more}</a>"
            assert native_first.is_certainly_refused(document, Settings(), LIBXML2_LIMITS) is is_broken
            found = native_first.is_certainly_refused(document, Settings(recovery="draft"), LIBXML2_LIMITS)
            assert found is (None if seems_broken or is_broken else False)


@pytest.mark.parametrize("value", ["<b></b>", "&#60;b></b>", "&#x3C;b/>", "<b/&#62;"])
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_elements_of_entities_have_the_lines_of_libxml2(recovery, value):
    """Their markup may make a well-formed document seem broken."""
    document = f"<!DOCTYPE a [\n<!ENTITY e '{value}'>\n]>\n<a>\n&e;</a>"
    found = xml5tree.fromstring(document, recovery=recovery, backend="lxml")
    assert [element.sourceline for element in found.iter()] == [
        element.sourceline for element in lxml.etree.fromstring(document).iter()
    ]


@needs_compiled_scan
@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
@pytest.mark.parametrize("doctype", ["", "<!DOCTYPE a [<!ENTITY e 'é'>]>"])
@pytest.mark.parametrize("recovery", ["draft", "intent"])
def test_what_seems_broken_is_not_tried(recovery, encoding, doctype):
    """Whether it does is found in all encodings of ASCII, and with a DOCTYPE, which may declare entities."""
    is_made_certain = recovery == "intent" and encoding == "utf-8" and not doctype
    text = (
        f"<?xml version='1.0' encoding='{encoding}'?>{doctype}<a>é<!-- & --><b>{'x' * 40_000}{'&e;' if doctype else ''}"
    )
    for end, found in (("</b></a>", False), ("</a>", None), ("& </b></a>", None), ("<![CDATA[</b></a>", None)):
        if is_made_certain and found is None:
            found = "CDATA" not in end  # of which the scan is not certain
        settings = Settings(recovery=recovery)
        assert native_first.is_certainly_refused((text + end).encode(encoding), settings, LIBXML2_LIMITS) is found


@needs_compiled_scan
@given(nearxml.byte_documents())
def test_what_is_certainly_refused_is_refused(data):
    text = data.decode("utf-8", "replace")
    for document in (data, text, text.replace("\n", "\r\n")):
        for native in map(find_backend, BACKENDS):
            if native_first.may_try(document, Settings(), native.limits) and native_first.is_certainly_refused(
                document, Settings(), native.limits
            ):
                with pytest.raises(native.refusals):
                    native.parse_whole(document, Settings())


NOT_CLEAN = [
    "<a>&#1;</a>",
    "<a></b></a>",
    "<a>",
    "<a/><a/>",
    "<a/>x",
    "<?xml-b \x02?><a/>",
    "<!-- -- --><a/>",
    "<a\x02/>",
]


def is_own_repair(document, settings):
    """Whether a document certainly is its own repair."""
    dialect = find_dialect("xml5")
    return dialect.judge(document, settings, COMMON_LIMITS) is True and native_first.is_own_repair(document)


@needs_compiled_scan
@pytest.mark.parametrize("document", [*ACCEPTED.values(), *NOT_CLEAN])
def test_a_clean_document_is_its_own_repair(document):
    """Then no stage reads it; whatever the stages would change of a document, that is not clean."""
    settings = Settings(recovery="draft")
    for data in (document, document.encode(), codecs.BOM_UTF8 + document.encode()):
        if is_own_repair(data, settings):
            repairer = xml5tree.Repairer()
            assert repairer.feed(data) + repairer.close() == data
            assert list(repairer.error_log) == []
    assert is_own_repair(document, settings) is (document in CLEAN)


#: The documents above that are seen to be clean; others may be, too.
CLEAN = [
    ACCEPTED[name]
    for name in (
        "plain",
        "namespaces",
        "references",
        "sections",
        "empty section",
        "newlines",
        "odd characters",
        "version 1.1",
        "deep",
    )
]


@needs_compiled_scan
def test_stages_do_not_read_clean_documents(monkeypatch):
    dialect = type(find_dialect("xml5"))
    for document, options in (("<a>x</a>", {}), (b"<?xml version='1.0' encoding='utf-8'?>\n<a>x</a>\n", {})):
        assert xml5tree.repair(document, output_encoding="utf-8", **options) == document
        with monkeypatch.context() as patch:
            patch.setattr(dialect, "make_pipeline", lambda *_, **__: pytest.fail("the stages read the document"))
            assert xml5tree.repair(document, **options) == document
            assert xml5tree.edits(document, **options) == []
    for document, options in (
        ("<a><b/></a>", {"max_depth": 1}),
        ("<a/>", {"roots": "all"}),
        ("<a/>", {"root_element": "b"}),
        ("<?xml version='1.0' encoding='koi8-r'?><a/>", {}),
        (b"<a>\xff</a>", {}),
    ):
        assert not is_own_repair(document, Settings(**options))


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_rare_patterns_in_small_documents(line_break):
    """The stages would take the first section to end with its element."""
    document = "<a>\n<b><c><![CDATA[x]]</c></b>\n<b><c><![CDATA[y]]></c></b>\n</a>".replace("\n", line_break)
    for data in (document, document.encode()):
        assert xml5tree.repair(data, on_error=pytest.fail) == data


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("uri", ["1:2", "http://[x", "u v", "u#a#b", "%zz", "é", "http://h:99999999999/"])
def test_a_namespace_name_that_libxml2_refuses_is_not_clean(uri):
    for document in (f"<b xmlns='{uri}'/>", f"<b><p:c xmlns:p='{uri}'/></b>"):
        repairer = xml5tree.Repairer()
        assert repairer.feed(document) + repairer.close() == xml5tree.repair(document) != document
        assert [edit.entries[0].code for edit in xml5tree.edits(document)] == ["coerced-namespace-uri"]


@pytest.mark.usefixtures("reader")
@given(data=nearxml.byte_documents())
def test_what_is_certainly_clean_is_left_alone(data):
    text = data.decode("utf-8", "replace")
    for document in (data, text, text.replace("\n", "\r\n"), text.replace("\n", "\r")):
        if is_own_repair(document, Settings()):
            for recovery in ("draft", "intent"):
                repairer = xml5tree.Repairer(recovery=recovery)
                assert repairer.feed(document) + repairer.close() == document
                assert list(repairer.error_log) == []
