"""The XML declaration: which labels of encodings are known, and what is said of a declaration that is broken."""

import contextlib
import xml.etree.ElementTree as ET
from encodings.aliases import aliases

import pytest
from support.cases import each_case
from support.splits import chunks

import xml5tree
from xml5tree.input import labels

#: A codec of Python, a text that shows it, and labels that stand for it: those of the WHATWG Encoding Standard that
#: XML 1.0 allows and does not read otherwise, and some of libiconv.
LABELS = [
    ("utf-8", "é日", "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"),
    ("cp866", "я", "cp866 csibm866 ibm866"),
    ("iso8859-2", "ł", "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 l2 latin2"),
    ("iso8859-3", "ħ", "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 l3 latin3"),
    ("iso8859-4", "ķ", "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 l4 latin4"),
    ("iso8859-5", "я", "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5"),
    ("iso8859-6", "ع", "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e"),
    ("iso8859-6", "ع", "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6"),
    ("iso8859-7", "λ", "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso88597 sun_eu_greek"),
    ("iso8859-8", "ש", "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso88598 visual"),
    ("iso8859-8", "ש", "csiso88598i iso-8859-8-i logical"),
    ("iso8859-10", "ŋ", "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
    ("iso8859-13", "ų", "iso-8859-13 iso8859-13 iso885913"),
    ("iso8859-14", "ŵ", "iso-8859-14 iso8859-14 iso885914"),
    ("iso8859-15", "€", "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 latin-9"),
    ("iso8859-16", "ș", "iso-8859-16 iso8859-16 iso885916"),
    ("koi8-r", "я", "cskoi8r koi koi8 koi8-r koi8_r"),
    ("koi8-u", "ї", "koi8-ru koi8-u"),
    ("mac-roman", "é", "csmacintosh mac macintosh x-mac-roman"),
    ("mac-cyrillic", "я", "x-mac-cyrillic x-mac-ukrainian"),
    ("cp874", "ก€", "dos-874 windows-874"),
    ("iso8859-11", "ก", "iso-8859-11 iso8859-11 iso885911 tis-620"),
    ("cp1250", "ł", "cp1250 windows-1250 x-cp1250 ms-ee"),
    ("cp1251", "я", "cp1251 windows-1251 x-cp1251 ms-cyrl"),
    ("cp1252", "€", "cp1252 windows-1252 x-cp1252 ms-ansi"),
    ("cp1253", "λ", "cp1253 windows-1253 x-cp1253 ms-greek"),
    ("cp1254", "ş", "cp1254 windows-1254 x-cp1254 ms-turk"),
    ("cp1255", "ש", "cp1255 windows-1255 x-cp1255 ms-hebr"),
    ("cp1256", "ع", "cp1256 windows-1256 x-cp1256 ms-arab"),
    ("cp1257", "ų", "cp1257 windows-1257 x-cp1257 winbaltrim"),
    ("cp1258", "ơ", "cp1258 windows-1258 x-cp1258"),
    ("gbk", "汉", "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk windows-936"),
    ("gb18030", "汉😀", "gb18030"),
    ("big5", "漢", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
    ("euc-jp", "日", "cseucpkdfmtjapanese euc-jp x-euc-jp"),
    ("iso2022-jp", "日", "csiso2022jp iso-2022-jp"),
    ("cp932", "日", "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"),
    ("euc-kr", "한", "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601"),
    ("cp949", "한", "windows-949"),
    ("hp-roman8", "é", "cshproman8"),
]


@each_case(("codec", "text", "labels"), LABELS)
def test_labels(codec, text, labels):
    for label in labels.split():
        for written in (label, label.upper()):
            document = f"<?xml version='1.0' encoding='{written}'?><a>".encode() + f"{text}</a>".encode(codec)
            parser = xml5tree.XMLParser()
            parser.feed(document)
            assert parser.close().text == text, written
            assert parser.error_log == [], written


WORD = "Вести"


def read_in_pieces(document, size, **options):
    """The text of a document's root, and the error log, if it comes in pieces of one size."""
    parser = xml5tree.XMLParser(**options)
    for piece in chunks(document, size):
        parser.feed(piece)
    return parser.close().text, parser.error_log


def check_text(document, text, backend="etree"):
    """Check that a document has the text in every way to read it, and return the log."""
    for recovery in ("intent", "draft"):
        options = {"recovery": recovery, "backend": backend}
        assert xml5tree.fromstring(document, **options).text == text, recovery
        assert ET.fromstring(xml5tree.repair(document, recovery=recovery)).text == text, recovery
        whole, log = read_in_pieces(document, len(document), **options)
        for size in (1, 2, 7, 31) if len(document) < 500 else (97, 1024):
            assert read_in_pieces(document, size, **options) == (whole, log) == (text, log), size
    return log


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@each_case(
    "declaration",
    [
        """<?xml version="1.0" encoding="windows-1251?>""",  # no closing quote
        """<?xml version="1.0" encoding='windows-1251 standalone="yes"?>""",
        """<?xml version="1.0" encoding=windows-1251"?>""",
        """<?xml version="1.0" encoding="windows-1251'?>""",  # mismatched
        """<?xml version='1.0" encoding='windows-1251"?>""",
        """<?xml version="1.0" encoding=""windows-1251""?>""",  # doubled
        """<?xml version=''1.0'' encoding=''windows-1251''?>""",
        r"""<?xml version=\"1.0\" encoding=\"windows-1251\"?>""",  # escaped
        r"""<?xml version=\'1.0\' encoding=\'windows-1251\'?>""",
        """<?xml version=&quot;1.0&quot; encoding=&quot;windows-1251&quot;?>""",
        """<?xml version=&#39;1.0&#39; encoding=&#39;windows-1251&#39;?>""",
        """<?xml version=“1.0” encoding=“windows-1251”?>""",  # typographic
        """<?xml version=«1.0» encoding=«windows-1251»?>""",
        """<?xml version=‘1.0’ encoding=‘windows-1251’?>""",
        """<?xml version=`1.0` encoding=`windows-1251`?>""",
        """<?xml version="1.0" Encoding="windows-1251"?>""",  # another name
        """<?xml VERSION="1.0" ENCODING="windows-1251"?>""",
        """<?xml version="1.0" charset="windows-1251"?>""",
        """<?xml version="1.0" encoding = " windows-1251 " ?>""",  # spaces
        """ \r\n <?xml version="1.0" encoding="windows-1251"?>""",
        """<?xml version="1.0" encoding="windows-1251>""",  # no end
        """<?xml version="1.0" encoding="windows-1251" """,
        """<?xml version="1.0" encoding="cp-1251"?>""",  # other labels
        """<?xml version="1.0" encoding="win-1251"?>""",
        """<?xml version="1.0" encoding="WIN1251"?>""",
        """<?xml version="1.0" encoding="windows1251"?>""",
        """<?xml version="1.0" encoding="Windows_1251"?>""",
        """<?xml version="1.0" encoding="Windows 1251"?>""",
        """<?xml version="1.0" encoding="x-cp-1251"?>""",
    ],
)
@pytest.mark.parametrize("quotes", ["utf-8", "cp1251"])
def test_labels_that_can_be_read(declaration, quotes, backend):
    check_text(declaration.encode(quotes, "replace") + f"<a>{WORD}</a>".encode("cp1251"), WORD, backend)


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("iso 8859 5", "iso8859-5"),
        ("ISO8859_5", "iso8859-5"),
        ("koi-8-r", "koi8-r"),
        ("cp-866", "cp866"),
        ("i-b-m-866", "cp866"),
    ],
)
def test_hyphens_and_spaces_do_not_tell_labels_apart(label, codec):
    check_text(f"<?xml version='1.0' encoding='{label}'?><a>{WORD}</a>".encode(codec), WORD)
    assert xml5tree.fromstring(f"<a>{WORD}</a>".encode(codec), encoding=label).text == WORD


def test_a_label_that_no_native_parser_knows_is_reported():
    log = check_text(f"<?xml version='1.0' encoding='cp-1251'?><a>{WORD}</a>".encode("cp1251"), WORD)
    (entry,) = log
    assert (entry.code, entry.effect) == ("unsupported-encoding", "kept")
    assert entry.message == "encoding 'cp-1251' is unknown or refused; the document is read as cp1251"


@pytest.mark.parametrize(
    "label", ["u-t-f-7", "utf7", "UTF 7", "rot-1-3", "hex", "unicode_escape", "uni-code_escape", "i-d-n-a"]
)
def test_no_spelling_leads_to_a_refused_encoding(label):
    document = f"<?xml version='1.0' encoding='{label}'?><a>+ADw-b+AD4- \\x3cb>é</a>".encode()
    log = check_text(document, xml5tree.fromstring(document, encoding="utf-8").text)
    assert "unsupported-encoding" in {entry.code for entry in log}
    with pytest.raises(LookupError):
        xml5tree.fromstring(b"<a/>", encoding=label)


@pytest.mark.parametrize("label", ["cp-037", "EBCDIC cp be", "utf 16", "ibm-1140"])
def test_no_spelling_leads_to_an_encoding_without_ascii(label):
    check_text(f"<?xml version='1.0' encoding='{label}'?><a>é</a>".encode(), "é")


def test_condensed_labels_are_unambiguous():
    names = {}
    for label in (*aliases, *aliases.values(), *labels._LABELS):
        names.setdefault(labels._IGNORED.sub("", label), set()).add(labels.find_encoding(label, strictly=True))
    assert [found for found in names.values() if len(found) > 1 and found != {"gbk", "gb2312"}] == []


NO_VERSION = "no version 1.x; read as 1.0"
WRONG = "order, quotes or spaces are wrong; what could be recognised was used"


@pytest.mark.parametrize(
    ("declaration", "complaint"),
    [
        ("<?xml?>", NO_VERSION),
        ("<?xml version='2.0'?>", NO_VERSION),
        ("<?xml encoding='1'?>", NO_VERSION),
        ("<?xml version='1.0' encoding='1'?>", "encoding is not understood and was ignored"),
        ("<?xml version='1.0' encoding='utf-8' standalone='1'?>", "standalone is not understood and was ignored"),
        ("<?xml version='1.0' encoding='1' standalone='1'?>", "encoding is not understood and was ignored"),
        ("<?xml encoding='utf-8' version='1.0'?>", WRONG),
        ("<?xml version=1.0 standalone='yes'?>", WRONG),
        ("<?xml version='1.0'standalone='yes'?>", WRONG),
        ("<?xml version='1.0' x?>", WRONG),
    ],
)
def test_complaints(declaration, complaint):
    repairer = xml5tree.Repairer()
    repairer.feed(f"{declaration}<a/>")
    repairer.close()
    assert [entry.message for entry in repairer.error_log] == [f"XML declaration: {complaint}"]


@pytest.mark.parametrize(
    ("document", "effect"),
    [
        ("<?xml w00 %", "lost"),
        ("<?xml version='1.0' Dear reader", "lost"),
        ("<?xml Dear reader> <a/>", "lost"),
        ("<?xml version='1.0' and more <a/>", "lost"),
        ("<?xml", "kept"),
        ("<?xml vers", "kept"),
        ("<?xml version='1.0' enc", "kept"),
        ("<?xml version='1.0' encoding='u", "kept"),
        ("<?xml version=1.0 coding=utf-8 <a/>", "kept"),
        ("<?xml version='1.0' whatever %?><a/>", "kept"),  # it is closed, so it is a declaration
    ],
)
def test_words_that_a_declaration_has_swallowed(document, effect):
    """What is dropped with a declaration that is not closed may have been content."""
    for size in (1, len(document)):
        repairer = xml5tree.Repairer(roots="all")
        for start in range(0, len(document), size):
            repairer.feed(document[start : start + size])
        repairer.close()
        assert repairer.error_log.effect == effect


MISSPELT = [
    '<?XML version="1.0" encoding="windows-1251"?>',
    '<?Xml version="1.0" encoding="windows-1251"?>',
    '<?phpxml version="1.0" encoding="windows-1251"?>',
    '< ?xml version="1.0" encoding="windows-1251"?>',
    '<? xml version="1.0" encoding="windows-1251"?>',
    '<?xmlversion="1.0" encoding="windows-1251"?>',
    '<?xmlencoding="windows-1251"?>',
    "<?xmlversion=“1.0” charset=“cp-1251”?>",
    '<!--<?xml version="1.0" encoding="windows-1251"?>-->',
    '<!-- <?xml version="1.0" encoding="windows-1251" ?> -->\n',
    '<!--?xml version="1.0" encoding="windows-1251"?-->',
    '<!-- made by hand >> <?xml version="1.0" encoding=windows-1251?> -->',
    '\n <?XML version="1.0" encoding="windows-1251"?>',
]


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@each_case("declaration", MISSPELT)
def test_labels_in_what_was_meant_as_a_declaration(declaration, backend):
    for between in ("", f"<!-- {'x' * 3000} -->"):
        document = f"{declaration}{between}<a>{WORD}</a>".encode("cp1251", "xmlcharrefreplace")
        log = check_text(document, WORD, backend)
        (entry,) = [entry for entry in log if entry.code == "assumed-encoding"]
        assert entry.effect == "kept"
        assert declaration[entry.offset :].lstrip("< ?").lower().startswith(("xml", "phpxml"))


@pytest.mark.parametrize("backend", ["etree", "lxml"])
@each_case("declaration", [text for text in MISSPELT if not text.startswith("<? ")])
def test_what_is_no_declaration_does_not_garble_utf8(declaration, backend):
    """A well-formed document may begin so, and says nothing of its encoding then."""
    for between in ("", "x" * 20000):
        log = check_text(f"{declaration}<a>{between}{WORD}</a>".encode(), between + WORD, backend)
        assert "assumed-encoding" not in {entry.code for entry in log}


@each_case(
    "before",
    [
        '<!-- <?xml version="1.0" encoding="windows-1251"?>',  # a comment that is not closed
        '<?xml-stylesheet href="a" charset="windows-1251"?>',
        '<?xml version="1.0"?><!-- <?xml version="1.0" encoding="windows-1251"?> -->',
        '<a><!-- <?xml version="1.0" encoding="windows-1251"?> -->',
        '<!-- x --><!-- <?xml version="1.0" encoding="windows-1251"?> -->',  # it does not begin the document
        '<?xsml version="1.0" encoding="windows-1251"?>',
        f'<!-- {"x" * 1024} --><?XML version="1.0" encoding="windows-1251"?>',  # too far away
        '<?XML version="1.0" encoding="utf-7"?>',
        '<?XML version="1.0" encoding="utf-16"?>',
        '<?XML version="1.0" encoding="cp037"?>',
    ],
)
def test_what_is_not_meant_as_a_declaration(before):
    document = f"{before}<a>{WORD}</a>".encode("cp1251")
    for size in (1, 64, len(document)):
        repairer = xml5tree.Repairer()
        markup = b"".join(repairer.feed(piece) for piece in chunks(document, size))
        with contextlib.suppress(xml5tree.ParseError):
            markup += repairer.close()
        assert WORD.encode() not in markup
        assert "assumed-encoding" not in {entry.code for entry in repairer.error_log}
