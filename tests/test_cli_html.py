"""HTML on the command line."""

import gzip
import json

import pytest
from support.commands import run_command

pytest.importorskip("html5lib")

PAGE = b"<!DOCTYPE html>\n<title>Fish &amp; chips</title>\n<p>First<p>Second<b/>\n"


def test_tokens():
    result = run_command("tokens", "--dialect", "html", "-", stdin=PAGE)
    assert result.status == 0
    assert result.out.splitlines()[:4] == [
        "Doctype html None None",
        'Characters "\\n"',
        "StartTag title",
        'Characters "Fish & chips"',
    ]
    assert "StartTag b self_closing" in result.out.splitlines()


def test_tokens_of_the_draft():
    arguments = ["tokens", "--dialect", "html", "--revision", "2008", "--format", "json", "-"]
    objects = [json.loads(line) for line in run_command(*arguments, stdin=PAGE).out.splitlines()]
    assert [(item["token"], item["code"]) for item in objects if "code" in item] == [
        ("ParseError", "non-void-html-element-start-tag-with-trailing-solidus")
    ]
    assert {"token": "StartTag", "name": "b", "attributes": {}, "self_closing": False} in objects


def test_tree():
    result = run_command("tree", "--dialect", "html", "-", stdin=PAGE)
    assert result.status == 0
    assert [line.split()[0] for line in result.out.splitlines()[1:]] == ["html", "head", "title", "body", "p", "p", "b"]


def test_xpath():
    result = run_command("xpath", "--dialect", "html", "//p/text()", "-", stdin=PAGE)
    assert (result.status, result.out) == (0, "First\nSecond\n")


def test_check():
    result = run_command("check", "--dialect", "html", "-", stdin=PAGE)
    assert result.status == 2
    assert "3:18: non-void-html-element-start-tag-with-trailing-solidus" in result.out
    assert "as html: 2 errors" in result.out
    assert "reads it as HTML" not in result.out


def test_check_by_the_draft():
    result = run_command("check", "--dialect", "html", "--revision", "2008", "-", stdin=PAGE + b"<a")
    assert result.status == 2
    assert "as html: 2 errors" in result.out
    assert "html-tree-construction" not in result.out


@pytest.mark.parametrize(
    ("document", "is_html"),
    [
        (PAGE, True),
        (b"\n<!-- a --><HTML lang=de><p>a & b", True),
        (b'<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><p>a & b', True),
        (b'<html xmlns="http://www.w3.org/1999/xhtml">a & b</html>', False),
        (b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "a"><html>a & b</html>', False),
        (b"<htm>a & b</htm>", False),
        (b"<html></html>", False),
    ],
)
def test_check_names_the_option_where_a_page_is_read_as_xml(document, is_html):
    result = run_command("check", "-", stdin=document)
    assert ("looks like HTML, which is not XML; --dialect html reads it as HTML." in result.out) is is_html


@pytest.mark.parametrize("command", ["repair", "report"])
def test_what_html_has_not(command):
    result = run_command(command, "--dialect", "html", "-", stdin=PAGE)
    assert result.status == 3
    assert "'html' is not one of" in result.err
    help_text = " ".join(run_command(command, "--help").out.split())
    assert "HTML cannot be repaired" in help_text


@pytest.mark.parametrize("command", ["check", "tokens"])
def test_revision_is_of_html(command):
    result = run_command(command, "--revision", "2008", "-", stdin=PAGE)
    assert result.status == 3
    assert "--revision is for --dialect html" in result.err


def test_check_lists_damaged_compression(tmp_path):
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b"<!DOCTYPE html><title>x</title><p>" + b"Fish and chips, " * 9)[:-6])
    found = run_command("check", "--dialect", "html", path, "--format", "json")
    assert json.loads(found.out)["files"][0]["counts"] == {"damaged-compression": 1}
