"""Hints of `check`: text that seems to be encoded, or escaped, twice."""

import json

import pytest
from support.commands import run_command

import xml5tree
from xml5tree.errors.doubling import Doubling


def twice(text):
    return text.encode().decode("cp1252")


def hints_of(*parts, encoding="utf-8"):
    doubling = Doubling()
    for part in parts:
        doubling.take(part)
    return [str(hint) for hint in doubling.hints(encoding)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (twice("Café"), "encoded twice: 'Ã©', perhaps for 'é'"),
        (twice("Ä"), "encoded twice: 'Ã„', perhaps for 'Ä'"),
        (twice("it’s"), "encoded twice: 'â€™', perhaps for '’'"),
        ("Caf\xc3\xa9 na\xc3\xafve", "and 1 more"),
        (twice("😀"), "perhaps for '😀'"),
        ("é".encode().decode("latin-1"), "perhaps for 'é'"),
        ("R&amp;amp;D", "escaped twice: '&amp;amp;'"),
        ("caf&amp;eacute; &amp;#233; &amp;#xE9;", "and 2 more"),
        ("&amp;lt;b&amp;gt;", "escaped twice: '&amp;lt;'"),
    ],
)
def test_there_is_a_hint(text, hint):
    (found,) = hints_of(text)
    assert hint in found


@pytest.mark.parametrize(
    "text",
    [
        *[
            "Café",
            "CAFÉ…",
            "NÃO",
            "MAÇÃ",
            "Â",
            "“«À»”",
            "日本語",
            "–",
            "R&amp;D",
            "a &amp; b;",
            "&amp;;",
            "?a=1&amp;b=2",
        ],
        # HTML in a feed is escaped once, and what is escaped in it, twice.
        "&lt;p&gt;R&amp;amp;D&lt;/p&gt;",
    ],
)
def test_there_is_none(text):
    assert hints_of(text) == []


def test_hints_do_not_depend_on_chunks():
    text = f"a{twice('é')}b&amp;eacute;c{twice('“😀…')}d&amp;#233;"
    whole = hints_of(text)
    assert len(whole) == 2
    for size in range(1, len(text)):
        assert hints_of(*(text[start : start + size] for start in range(0, len(text), size))) == whole


def test_what_is_utf8_and_says_otherwise_can_be_read_as_such(tmp_path):
    path = tmp_path / "document.xml"
    path.write_bytes('<?xml version="1.0" encoding="windows-1252"?><a>Café</a>'.encode())
    (file,) = json.loads(run_command("check", "--format", "json", path).out)["files"]
    (hint,) = file["hints"]
    assert (hint["option"], hint["value"]) == ("encoding", "utf-8")
    assert "--input-encoding utf-8 reads it as such" in hint["message"]
    assert file["status"] == 0
    assert run_command("check", "--input-encoding", "utf-8", path).out.count("\n") == 1


def test_nothing_is_repaired(tmp_path):
    document = f"<a>{twice('é')} R&amp;amp;D</a>"
    path = tmp_path / "document.xml"
    path.write_text(document, encoding="utf-8")
    result = run_command("check", path)
    assert result.status == 0
    assert len(result.out.splitlines()) == 3
    assert run_command("check", "--format", "concise", path).out == f"{path}: well-formed\n"
    parser = xml5tree.XMLParser()
    parser.feed(document)
    parser.close()
    assert parser.error_log.hints == ()
    assert xml5tree.repair(document) == document
