"""Single bytes that are not UTF-8: letters of windows-1252, or the rest of a character of another script (D-006)."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case
from support.splits import chunkings, chunks

import xml5tree
from xml5tree.input.scripts import _REACH
from xml5tree.ranges import read as read_range
from xml5tree.ranges import split

pytestmark = pytest.mark.usefixtures("reader")

each_backend = pytest.mark.parametrize("backend", ["etree", "lxml"])
LOST = "\ufffd"


def read(pieces, **options):
    parser = xml5tree.XMLParser(**options)
    for piece in pieces:
        parser.feed(piece)
    return "".join(parser.close().itertext()), list(parser.error_log)


#: Content in pieces, of which text is in UTF-8; and what is read.
CONTENTS = [
    (("Привет, м", b"\xd0", "..."), f"Привет, м{LOST}..."),  # cut by a summary
    ((b"\x9f", "ривет"), f"{LOST}ривет"),
    (("Привет ", b"\xd0", "..."), f"Привет {LOST}..."),
    (("<b>x</b>Привет ", b"\xd0", "<i/>"), f"xПривет {LOST}"),
    (("<b>Привет</b> ", b"\xe9", "<i>Дом</i>"), "Привет éДом"),  # other texts say nothing: they may be in other records
    ((b"\xe9", " Привет"), f"{LOST} Привет"),
    (("Γειά ", b"\xce", "</a>"), f"Γειά {LOST}"),
    (("שלום", b"\xd7", " "), f"שלום{LOST} "),
    (("日本", b"\xe8", "日本"), f"日本{LOST}日本"),
    ((b"\xe3\x82", " 日本"), f"{LOST * 2} 日本"),
    (("Привет &amp; &nbsp;", b"\xd0"), f"Привет & \xa0{LOST}"),
    (("Привет", b"\x81", "!"), f"Привет{LOST}!"),
    (("Имя: Jos", b"\xe9", ""), "Имя: José"),  # a word of another script
    (("Имя: ", b"\xc9", "mile"), "Имя: Émile"),
    (("caf", b"\xe9", " x"), "café x"),
    (("é ", b"\xe9", " x"), "é é x"),
    (("Việt ế ", b"\xe0", ""), "Việt ế à"),
    ((b"\xcf\xf0\xe8\xe2\xe5\xf2", " x"), "Ïðèâåò x"),  # nothing but such bytes
    ((b"\xe9", " xyz"), "é xyz"),
    (("Привет", "x" * _REACH, " ", b"\xe9"), f"Привет{'x' * _REACH} é"),  # too far away
    ((b"\xe9", " ", "x" * _REACH, "Привет"), f"é {'x' * _REACH}Привет"),
]


@each_backend
@pytest.mark.parametrize("recovery", ["intent", "draft"])
@each_case(("content", "text"), CONTENTS)
def test_letters_around(content, text, recovery, backend):
    options = {"recovery": recovery, "backend": backend}
    data = b"".join(part if isinstance(part, bytes) else part.encode() for part in content).removesuffix(b"</a>")
    document = b"<a>" + data + b"</a>"
    whole = read([document], **options)
    assert whole[0] == text
    entries = [entry for entry in whole[1] if entry.code == "invalid-byte-sequence"]
    assert {entry.effect for entry in entries} == {"lost" if LOST in text else "kept"}
    assert "".join(ET.fromstring(xml5tree.repair(document, recovery=recovery)).itertext()) == text
    for size in (1, 2, 3, 7, _REACH, _REACH + 1):
        assert read(chunks(document, size), **options) == whole, size


@each_backend
def test_values_and_names(backend):
    document = "<a t='Привет ".encode() + b"\xd0' u='Jos\xe9'>" + "Дом".encode() + b"<b>\xe9</b></a>"
    root = xml5tree.fromstring(document, backend=backend)
    assert (root.get("t"), root.get("u"), root.findtext("b")) == (f"Привет {LOST}", "José", "é")


def test_no_other_encoding_is_recommended_for_lost_bytes():
    repairer = xml5tree.Repairer()
    repairer.feed("<a>Привет м".encode() + b"\xd0</a>")
    repairer.close()
    assert repairer.error_log.hints == ()


@pytest.mark.parametrize("dialect", ["microxml", "html"])
def test_other_dialects(dialect):
    document = "<p>Привет м".encode() + b"\xd0... Jos\xe9</p>"
    expected = read([document], dialect=dialect, backend="lxml")
    assert expected[0] == f"Привет м{LOST}... José"
    for size in (1, 5):
        assert read(chunks(document, size), dialect=dialect, backend="lxml") == expected


PARTS = [b"\xd0", b"\xe9", b"\xe3\x81", b"x", b" ", b"<b/>", b"\r\n", b"\xed\xa0\xbd\xed\xb8\x89", b"\xc3\xa9", b"\0"]


@given(st.lists(st.sampled_from([*PARTS, "я".encode(), "日".encode(), b"." * 60, b"=" * 7])), st.data())
def test_chunks_do_not_matter(parts, data):
    document = b"<a>" + b"".join(parts) + b"</a>"
    assert read(data.draw(chunkings(document))) == read([document])
    assert xml5tree.apply(document, xml5tree.edits(document)) == xml5tree.repair(document)
    text = read([document])[0]
    for record in xml5tree.records([document], "b", spans=True):
        assert document[slice(*record.span)] == b"<b/>"
    assert len(text) <= len(document)


def test_each_record_of_a_range_is_read_as_in_the_file(tmp_path):
    path = tmp_path / "records.xml"
    record = "<r><t>Дом {}</t>".encode() + b"<n>1 \xe9 2</n><m>x\xe9</m><k> \xd0</k></r>\n"
    path.write_bytes(b"<a>" + b"".join(record.replace(b"{}", str(number).encode()) for number in range(40)) + b"</a>")
    expected = [[child.text for child in item.element] for item in xml5tree.records(path, "r")]
    for size in (100, 333, 1000):
        found = [
            [child.text for child in item.element] for part in split(path, size=size) for item in read_range(part, "r")
        ]
        assert found == expected, size
