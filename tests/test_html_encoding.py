"""The encoding that a page of bytes names in a `meta` element (H-117)."""

import importlib.util

import pytest
from support.cases import each_case
from support.commands import run_command
from support.splits import chunks

import xml5tree
from xml5tree.dialects.html.prescan import declared_encoding

TEXT = "Привет, мир — «тест»"
PAGE = f'<!DOCTYPE html><html><head><meta charset="windows-1251"><title>{TEXT}</title></head><body>x</body></html>'

needs_html5lib = pytest.mark.skipif(importlib.util.find_spec("html5lib") is None, reason="html5lib is not installed")


@each_case(
    ("head", "encoding"),
    [
        ("<meta charset=windows-1251>", "cp1251"),
        ("<META CHARSET = 'KOI8-R' >", "koi8-r"),
        ('<meta\ncharset\t=\n"utf-8"/>', "utf-8"),
        ("<meta/charset=sjis>", "cp932"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">', "iso8859-2"),
        ('<meta content="text/html; charset=iso-8859-2" http-equiv=content-type>', "iso8859-2"),
        ("<meta http-equiv=content-type content=\"charset='big5'\">", "big5hkscs"),
        ("<meta http-equiv=content-type content='text/html; charset = gb2312;x'>", "gbk"),
        # It must be about the encoding, of a name that is known, and of an encoding that reads ASCII as what it is.
        ('<meta content="text/html; charset=iso-8859-2">', None),
        ('<meta http-equiv=refresh content="charset=iso-8859-2">', None),
        ("<meta name=charset content=iso-8859-2>", None),
        ("<meta http-equiv=content-type content='charset=\"big5'>", None),
        ("<meta charset=unknown><meta charset=koi8-r>", "koi8-r"),
        *(("<meta charset=" + label + ">", None) for label in ("cp037", "utf-7", "rot13", "hex", "idna", "")),
        # Names that mean another encoding in HTML.
        ("<meta charset=utf-16>", "utf-8"),
        ("<meta charset=UTF-16LE>", "utf-8"),
        ("<meta charset=iso-8859-1>", "cp1252"),
        ("<meta charset=us-ascii>", "cp1252"),
        ("<meta charset=x-user-defined>", "cp1252"),
        ("<meta charset=iso-8859-9>", "cp1254"),
        # Where there is no such tag.
        ("<!-- <meta charset=koi8-r> -->", None),
        ("<!--><meta charset=koi8-r>", "koi8-r"),
        ("<!-- <meta charset=koi8-r>", None),
        ("<a title='<meta charset=koi8-r>'>", None),
        ("<a title=<meta charset=koi8-r>", None),
        ("</a <meta charset=koi8-r>", None),
        ("<!x <meta charset=koi8-r>", None),
        ("<?x <meta charset=koi8-r>", None),
        ("< <meta charset=koi8-r>", "koi8-r"),
        ("<metal charset=koi8-r>", None),
        ("<meta charset=koi8-r charset=big5>", "koi8-r"),
        ("<meta =charset=koi8-r>", None),
        ("<meta charset='koi8-r", None),
        # What is cut off might be the beginning of another name.
        ("<meta charset=iso-8859-1", None),
        ("<meta charset=koi8-r ", None),
        ("<meta charset=koi8-r name", None),
        ("<meta charset", None),
        ("<meta ", None),
        ("<", None),
        ("", None),
    ],
)
def test_prescan(head, encoding):
    assert declared_encoding(head) == encoding


@needs_html5lib
@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize("size", [1, 3, 100, 10_000])
def test_pages(backend, size):
    for label in ("windows-1251", "utf-8"):
        page = PAGE.replace("windows-1251", label).encode(label)
        parser = xml5tree.XMLParser(dialect="html", backend=backend)
        for piece in chunks(page, size):
            parser.feed(piece)
        assert parser.close().findtext(".//title") == TEXT
        assert not parser.error_log
    assert xml5tree.fromstring(PAGE.encode("cp1251"), dialect="html", backend=backend).findtext(".//title") == TEXT


@needs_html5lib
def test_what_overrules_it():
    def title(page, **options):
        return xml5tree.fromstring(page, dialect="html", **options).findtext(".//title")

    assert title(b"\xef\xbb\xbf" + PAGE.encode()) == TEXT
    assert title("\ufeff".encode("utf-16") + PAGE.encode("utf-16-le")[2:]) is not None
    assert title(PAGE.encode("koi8-r", "replace"), encoding="koi8-r").startswith("Привет, мир")
    assert title(PAGE) == TEXT
    late = PAGE.replace("<meta", " " * 1024 + "<meta").encode("cp1251")
    assert title(late) != TEXT
    assert title(PAGE.replace("<meta", " " * 900 + "<meta").encode("cp1251")) == TEXT
    declared = "<?xml version='1.0' encoding='koi8-r'?><title>мир</title>"
    assert title(declared.encode("koi8-r")) == "мир"
    assert title(declared.replace("<title", "<meta charset=cp1251><title").encode("cp1251")) == "мир"
    # XML has no such elements.
    assert xml5tree.fromstring(b"<meta charset='cp1251'>\xcc</meta>").text == "\xcc"


@needs_html5lib
def test_commands(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(PAGE.replace("x</body>", "«</b></body>").encode("cp1251"))
    assert TEXT in run_command("tree", "--dialect", "html", path).out
    assert TEXT in run_command("tokens", "--dialect", "html", path).out
    assert "«</b></body>" in run_command("check", "--dialect", "html", path).out
