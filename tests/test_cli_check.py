"""``xml5tree check``, and what all commands have in common."""

import contextlib
import glob
import gzip
import itertools
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
import unicodedata
import urllib.parse
from functools import partial
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import nearxml
from support.cases import each_case, in_whole_run
from support.commands import PACKAGE, _Stream, run_command, start_command
from support.splits import chunkings

import xml5tree
from xml5tree.cli.application import application
from xml5tree.cli.findings import examine
from xml5tree.cli.jobs import Progress
from xml5tree.cli.rendering import Excerpt, excerpts, printable, show_excerpt
from xml5tree.cli.sources import InputDocument, expand, text_blocks
from xml5tree.errors.codes import CODES
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.explanations import explanations

FEED = PACKAGE / "docs/examples/feed.xml"
DOCUMENTS = {
    "good.xml": b"<a>fine</a>",
    "errors.xml": b"<a>Tom & Jerry<br x='1'y='2'/></a>",
    "lossy.xml": b'<a x="1" x="2"/>',
    "none.xml": b"no markup",
    "empty.xml": b"",
}
STATUSES = {"good.xml": 0, "errors.xml": 1, "lossy.xml": 2, "none.xml": 2, "empty.xml": 2}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, data in DOCUMENTS.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# What is printed.


def test_text():
    status, out, err = run_command("check", FEED)
    assert (status, err) == (2, "")
    assert out.startswith(f"{FEED}:2:1: undeclared-namespace-prefix: prefix 'media' is not declared; bound to http://")
    assert (
        f"{FEED}:2:14: unquoted-attribute-value: attribute value without quotes; read up to white space or '>'\n"
        "    2 | <rss version=2.0>\n"
        "      |              ^\n"
    ) in out
    assert f"\n{FEED}: 12 errors; content is moved; the document is cut off\n" in out
    assert out.endswith("What a code means: xml5tree check --explain unescaped-ampersand\n")
    assert "\x1b" not in out


def test_places_are_those_of_the_library_with_columns_from_one():
    parser = xml5tree.XMLParser()
    xml5tree.parse(FEED, parser=parser)
    out = run_command("check", FEED).out
    assert re.findall(rf"^{FEED}:(\d+):(\d+): ([a-z-]+): (.*)$", out, re.MULTILINE) == [
        (str(entry.line), str(entry.column + 1), entry.code, entry.message) for entry in parser.error_log
    ]


@pytest.mark.parametrize(
    ("document", "line", "caret"),
    [
        ("<a>x & y</a>", "<a>x & y</a>", 5),
        ("<a>\n\n\tx & y</a>", " x & y</a>", 3),
        ("<a>日本 & y</a>", "<a>日本 & y</a>", 8),  # wide characters take two columns
        ("<a>e\u0301 & y</a>", "<a>e\u0301 & y</a>", 5),  # and combining ones none
        ("<a>" + "x" * 500 + " & y</a>", "…" + "x" * 54 + " & y</a>", 56),
        ("<a>" + "x" * 100 + " & " + "y" * 300 + "</a>", "…" + "x" * 54 + " & " + "y" * 53 + "…", 56),
    ],
)
def test_caret(document, line, caret):
    out = run_command("check", "-", stdin=document.encode()).out.splitlines()
    assert out[1].partition(" | ")[2] == line
    assert out[2].partition("| ")[2] == " " * caret + "^"


@given(nearxml.byte_documents() | nearxml.documents().map(lambda text: text.encode("utf-8", "replace")))
def test_nothing_that_a_terminal_obeys_is_printed(document):
    out = run_command("check", "--max-errors", 0, "-", stdin=document).out
    assert out == printable(out.replace("\n", "\0")).replace("\u2400", "\n")


@given(st.data(), st.text("ab\n", max_size=30))
def test_excerpts(data, text):
    """Places are found however the document is cut into blocks; far from them nothing is shown."""
    text = "".join(character * data.draw(st.sampled_from([1, 1, 150])) for character in text)
    offsets = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    expected = []
    for offset in offsets:
        before, after = text[:offset].rpartition("\n")[2], text[offset:].partition("\n")[0]
        start, end = text[max(offset - 200, 0) : offset], text[offset : offset + 200]
        if "\n" not in start and offset > 200:
            before = "…" + start
        if "\n" not in end and len(text) > offset + 200:
            after = end + "…"
        expected.append(Excerpt(before, after))
    assert list(excerpts(data.draw(chunkings(text)), offsets)) == expected


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("filler", ["", "é" * 40_000, "<c/>\n" * 20_000])
def test_strict_excerpt(tmp_path, filler, line_break):
    """The native parser tells only line and column, and a block of the file may end anywhere."""
    path = tmp_path / "a.xml"
    text = f"\ufeff<a>\n{filler}<b></x></b>\n</a>".replace("\n", line_break)
    path.write_bytes(text.encode())
    result = run_command("check", "--recovery", "strict", "--format", "json", path)
    entry = json.loads(result.out)["files"][0]["errors"][0]
    characters = text[1:].replace("\r\n", "\n")
    assert result.status == 2
    assert entry["offset"] == characters.index("x></b>")
    assert entry["line"] == characters.count("\n", 0, entry["offset"]) + 1
    shown = run_command("check", "--recovery", "strict", path).out.splitlines()
    assert shown[1].endswith("<b></x></b>")
    assert shown[2].endswith("^")


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]) | st.sampled_from("aé\xad…漢\u0301"), max_size=120)
)
def test_excerpts_take_no_more_columns_than_there_are(text):
    """Characters that take a column each, which most do, need no looking up."""
    entry = ErrorEntry("x", "parse-error", "", 1, 0, 0, "kept")
    for place in (0, len(text) // 2, len(text)):
        shown = show_excerpt(entry, Excerpt(text[:place], text[place:]), 80)
        line, below = map(click.unstyle, shown.split("\n"))
        assert sum(map(columns_of, line)) <= 80
        assert below.endswith("^")
        assert sum(map(columns_of, line)) >= len(below) - 1


def columns_of(character):
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class InMemory(InputDocument):
    def __init__(self, document):
        super().__init__("-")
        self._document = document

    def blocks(self, *, advances=False):
        yield self._document


@given(nearxml.byte_documents())
def test_offsets_count_the_characters_of_the_source(document):
    """What is shown as the source is the text that the parser's offsets are of."""
    source = InMemory(document)
    text = "".join(text_blocks(source, {}))
    found = examine(source, max_errors=None, reading={"recovery": "intent"})
    log = []
    with contextlib.suppress(xml5tree.ParseError):
        # In the document's own encoding, markup may lack more characters.
        xml5tree.repair(document, output_encoding="utf-8", on_error=log.append, filename="<stdin>")
    assert found.has_tree == {"no-root-element", "not-xml"}.isdisjoint(found.tallies)
    assert sorted(found.entries[: len(log)], key=repr) == sorted(log, key=repr)
    for entry in found.entries:
        before = text[: entry.offset]
        assert (entry.line, entry.column) == (before.count("\n") + 1, len(before) - before.rfind("\n") - 1)


def test_max_errors(tmp_path):
    path = tmp_path / "many.xml"
    path.write_text("<a>" + "& " * 150 + "</a>")
    out = run_command("check", path).out
    assert out.count(": unescaped-ampersand: ") == 100
    assert "150 errors; content is kept" in out
    assert "100 of 150 errors shown; --max-errors 0 shows all." in out
    assert run_command("check", path, "--max-errors", 2).out.count(": unescaped-ampersand: ") == 2
    assert run_command("check", path, "--max-errors", 0).out.count(": unescaped-ampersand: ") == 150
    found = json.loads(run_command("check", path, "--max-errors", 2, "--format", "json").out)["files"][0]
    assert (found["total"], len(found["errors"]), found["counts"]) == (150, 2, {"unescaped-ampersand": 150})


def test_the_worst_errors_are_shown(tmp_path):
    path = tmp_path / "many.xml"
    path.write_text("<a>" + "& " * 150 + "<b x=1/></c><b></a>")
    out = run_command("check", path, "--recovery", "draft").out
    codes = re.findall(rf"^{re.escape(str(path))}:1:\d+: ([a-z-]+):", out, re.MULTILINE)
    few = ["unquoted-attribute-value", "unmatched-end-tag", "mismatched-end-tag"]
    assert codes == ["unescaped-ampersand"] * 97 + few
    assert "100 of 153 errors shown" in out
    found = json.loads(run_command("check", path, "--max-errors", 2, "--format", "json", "--recovery", "draft").out)
    assert [error["code"] for error in found["files"][0]["errors"]] == codes[-2:]


def test_json(folder):
    found = json.loads(run_command("check", "--format", "json", *DOCUMENTS).out)
    assert {file["file"]: file["status"] for file in found["files"]} == STATUSES
    by_name = {file["file"]: file for file in found["files"]}
    assert by_name["errors.xml"]["errors"][0] == {
        "code": "unescaped-ampersand",
        "kind": "not-well-formed",
        "message": "'&' that starts no reference was kept as text",
        "line": 1,
        "column": 8,
        "offset": 7,
        "effect": "kept",
        "filename": "errors.xml",
        "confidence": None,
        "lossy": False,
    }
    assert by_name["none.xml"]["has_tree"] is False
    assert by_name["lossy.xml"]["lossy"] is True


def test_sarif(folder):
    """What SARIF 2.1.0 requires (its sections 3.13 to 3.30) is there, and refers to what there is."""
    names = ["na me.xml", *DOCUMENTS]
    os.rename("good.xml", "na me.xml")
    (folder / "good.xml").write_bytes(DOCUMENTS["lossy.xml"])
    log = json.loads(run_command("check", "--format", "sarif", *names, folder / "errors.xml").out)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "xml5tree"
    assert driver["version"] == xml5tree.__version__
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    rules = driver["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["id"] in CODES
        assert rule["shortDescription"]["text"].endswith(".")
        assert rule["fullDescription"]["text"].endswith(".")
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
    uris = set()
    assert run["results"]
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert region["startLine"] >= 1
        assert region["startColumn"] >= 1
        uris.add(location["physicalLocation"]["artifactLocation"]["uri"])
    assert {urllib.parse.unquote(uri) for uri in uris} == {
        *(name for name in DOCUMENTS),
        (folder / "errors.xml").as_uri(),
    }
    assert all(not re.search(r"[^!-~]", uri) for uri in uris)


def test_confidence_in_json_and_sarif(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<r><a>1</a><a>2<a>3</a>x & y</r>")
    json_, sarif = (json.loads(run_command("check", "--format", form, path).out) for form in ("json", "sarif"))
    confidences = [error["confidence"] for error in json_["files"][0]["errors"]]
    assert [type(confidence) for confidence in confidences] == [float, type(None)]
    assert [result["properties"]["confidence"] for result in sarif["runs"][0]["results"]] == confidences


def test_github(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a,b%.xml").write_text('<a x="1" x="2">5% & <b></a>')
    out = run_command("check", "--format", "github", "a,b%.xml", "--max-errors", 2).out
    duplicate, element, rest = out.splitlines()
    place = "file=a%2Cb%25.xml,line=1,col="
    assert duplicate.startswith(f"::error {place}10,title=duplicate-attribute::attribute 'x' given twice")
    assert element.startswith(f"::warning {place}24,title=mismatched-end-tag::end tag '</a>' also closed ")
    assert rest == "::notice file=a%2Cb%25.xml::1 more error"


@each_case("code", CODES)
def test_explain(code):
    status, out, _ = run_command("check", "--explain", code)
    assert status == 0
    assert out.startswith(code)
    assert "\nbecomes\n" in out


def test_explain_what_there_is_not():
    status, out, err = run_command("check", "--explain", "ampersand")
    assert (status, out) == (3, "")
    assert "there is no code 'ampersand'; perhaps unescaped-ampersand." in err
    assert [line.partition(":")[0] for line in run_command("check", "--explain", "list").out.splitlines()] == list(
        explanations()
    )


# Exit status and files.


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("options", [[], ["-q"], ["--format", "json"], ["--format", "sarif"], ["--format", "github"]])
def test_status(folder, name, options):
    status, out, err = run_command("check", name, *options)
    assert (status, err) == (STATUSES[name], "")
    assert bool(out) == ("-q" not in options and not (options[-1:] == ["github"] and name == "good.xml"))


def test_status_is_that_of_the_worst_file(folder):
    assert run_command("check", "good.xml", "errors.xml").status == 1
    assert run_command("check", "none.xml", "errors.xml").status == 2
    out = run_command("check", *DOCUMENTS).out
    assert out.splitlines()[-2] == "5 files: 1 well-formed, 1 with content kept, 1 with content lost, 2 without a tree"


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "--format", "xml", "good.xml"],
        ["check", "--max-errors", "-1", "good.xml"],
        ["check", "--input-encoding", "rot13", "good.xml"],
        ["mend"],
        ["repair", "--in-place", "--diff", "good.xml"],
        ["repair", "--in-place", "-"],
        ["repair", "good.xml", "errors.xml"],
        ["repair", "--encoding", "x-none", "good.xml"],
        ["xpath", "//a["],
        ["xpath", "//a[", "good.xml"],
        ["xpath", "-n", "a", "//a", "good.xml"],
    ],
)
def test_wrong_usage(folder, arguments):
    status, out, err = run_command(*arguments)
    assert (status, out) == (3, "")
    assert "Error: " in err
    assert sorted(os.listdir()) == sorted(DOCUMENTS)


@pytest.mark.parametrize(
    "arguments",
    [
        *(["check", ""], ["check", "good.xml", ""], ["repair", "--in-place", "errors.xml", ""], ["report", ""]),
        *(["xpath", "//a", ""], ["tree", ""], ["tokens", ""], ["records", ""], ["apply", "", "good.xml"]),
    ],
)
def test_an_empty_name_is_wrong_usage(folder, arguments):
    status, out, err = run_command(*arguments)
    assert (status, out) == (3, "")
    assert "the name of a file is empty" in err
    assert sorted(os.listdir()) == sorted(DOCUMENTS)


@pytest.mark.parametrize("command", [["check"], ["repair", "--diff"], ["xpath", "//a"], ["tree"], ["tokens"]])
def test_what_cannot_be_read_is_named_and_the_rest_goes_on(folder, command):
    (folder / "dir").mkdir()
    status, out, err = run_command(*command, "missing.xml", "dir", "no*such", "no-such://a.example/x", "errors.xml")
    assert status == 3
    assert "Tom" in out
    assert err.splitlines()[:3] == [
        "xml5tree: missing.xml: No such file or directory",
        "xml5tree: dir: is a folder without files such as *.xml; --include '*.epub' reads such files, too",
        "xml5tree: no*such: no file matches this pattern",
    ]
    assert err.splitlines()[3].startswith("xml5tree: no-such://a.example/x: ")


def test_patterns(folder):
    (folder / "sub" / "sub").mkdir(parents=True)
    (folder / "sub" / "sub" / "x.xml").write_bytes(b"<a/>")
    (folder / "[good].xml").write_bytes(b"<a/>")
    found = json.loads(run_command("check", "--format", "json", "**/*.xml", "[good].xml", "[eg]*.xml").out)["files"]
    assert [file["file"] for file in found] == [
        *sorted([*DOCUMENTS, "[good].xml", "sub/sub/x.xml"]),
        "[good].xml",
        *["empty.xml", "errors.xml", "good.xml"],
    ]


@pytest.mark.parametrize(
    "pattern",
    [
        "**/*.xml",
        "**",
        "**/",
        "d/**",
        "d/**/*",
        "d/**/**/*.xml",
        "*/**/x.xml",
        "./**/x*",
        "**/e/**/*.xml",
        "d//**//x.xml",
        "d**/x.xml",
        "[d]/**/?.xml",
        "**/[[]*/x.xml",
        "**/.h/x.xml",
        "none/**/x.xml",
        "**/**",
    ],
)
@pytest.mark.parametrize("is_absolute", [False, True])
def test_patterns_are_those_of_glob(tmp_path, monkeypatch, pattern, is_absolute):
    monkeypatch.chdir(tmp_path)
    for folder in (".", "d", "d/e", "d/e/f", "e", "[x]", "d/.h", ".h", "[x]/[y]"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        for name in ("x.xml", "y.xml", ".x.xml"):
            (tmp_path / folder / name).write_bytes(b"<a/>")
    if is_absolute:
        pattern = os.path.join(glob.escape(str(tmp_path)), pattern)
    expected = {os.path.normpath(name) for name in glob.glob(pattern, recursive=True) if os.path.isfile(name)}
    found = [source.path for source in expand([pattern])]
    assert sorted(map(str, found)) == sorted(expected or [str(Path(pattern))])


@pytest.mark.parametrize("pattern", ["d/**/*.xml", "**/*.xml", "**/**/x.xml", "d"])
def test_links_to_folders_are_not_followed(tmp_path, monkeypatch, pattern):
    """Two links to a folder that they are in would be followed without end."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d/x.xml").write_bytes(b"<a/>")
    for name, target in (("a", "."), ("b", "."), ("c", "../d")):
        (tmp_path / "d" / name).symlink_to(target)
    assert [str(source.path) for source in expand([pattern])] == ["d/x.xml"]
    assert [str(source.path) for source in expand(["d/a/x.xml"])] == ["d/a/x.xml"]


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("by_stdin", [False, True])
def test_gzip_and_standard_input(tmp_path, compress, by_stdin):
    data = compress(FEED.read_bytes())
    path = tmp_path / "feed"
    path.write_bytes(data)
    status, out, err = run_command("check", "-", stdin=data) if by_stdin else run_command("check", path)
    name = "<stdin>" if by_stdin else str(path)
    assert (status, err) == (2, "")
    assert out == run_command("check", FEED).out.replace(str(FEED), name)


def test_standard_input_is_a_pipe_or_a_file():
    for data in (FEED.read_bytes(), gzip.compress(FEED.read_bytes())):
        with start_command("check", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            out, _ = process.communicate(data)
            assert out.count(b"<stdin>:") == 13
            assert b"    2 | <rss version=2.0>\n" in out
    with FEED.open("rb") as file, start_command("check", "-", stdin=file, stdout=subprocess.PIPE) as process:
        assert process.communicate()[0] == out


def test_damaged_gzip(tmp_path):
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(FEED.read_bytes())[:250])
    status, out, err = run_command("check", path)
    assert status == 3
    assert "unquoted-attribute-value" in out
    assert "the compressed data is damaged or cut off" in err


@in_whole_run
def test_unpacking_is_limited(tmp_path):
    """Beyond the threshold, what comes out of gzip may be a hundred times what went in, and no more."""
    bomb = gzip.compress(b"<a>" + b"x" * 9_000_000 + b"</a>")
    path = tmp_path / "bomb.gz"
    path.write_bytes(bomb)
    for command in (
        ["check"],
        ["repair"],
        ["repair", "--in-place"],
        ["xpath", "//a"],
        ["tree"],
        ["tokens"],
        ["report"],
    ):
        status, _, err = run_command(*command, path)
        assert status == 3
        assert err.startswith(
            f"xml5tree: {path}: the gzip data unpacks to more than 100 times its size and more than 8"
        )
        if "--in-place" not in command:
            assert run_command(*command, "-", stdin=bomb).err == err.replace(str(path), "<stdin>")
    assert path.read_bytes() == bomb
    assert os.listdir(tmp_path) == ["bomb.gz"]
    for harmless in (b"<a>" + b"x" * 1_000_000 + b"</a>", b"<a>" + os.urandom(1_500_000).hex().encode() + b"</a>"):
        assert run_command("check", "-", stdin=gzip.compress(harmless)).status == 0


def test_unpacked_document_of_members(tmp_path):
    """As `cat a.gz b.gz` makes it."""
    data = gzip.compress(b"<a>") + gzip.compress(b"x</a>")
    assert run_command("xpath", "//a", "-", stdin=data) == (0, "x\n", "")


def test_input_encoding(tmp_path):
    path = tmp_path / "greek.xml"
    path.write_bytes("<a>Ω</a>".encode("iso8859-7"))
    assert run_command("check", path).status == 1
    assert run_command("check", path, "--input-encoding", "iso-8859-7").status == 0
    assert run_command("repair", path, "--input-encoding", "iso-8859-7", "--encoding", "utf-8").out == "<a>Ω</a>"
    assert run_command("xpath", "//a", path, "--input-encoding", "iso-8859-7").out == "Ω\n"
    assert run_command("tree", path, "--input-encoding", "iso-8859-7").out == 'a "Ω"\n'
    assert 'Characters "Ω"' in run_command("tokens", path, "--input-encoding", "iso-8859-7").out


# Processes.


@pytest.mark.parametrize("command", [["check", "--max-errors", "0"], ["repair"], ["tree"], ["tokens"]])
def test_closed_pipe(tmp_path, command):
    path = tmp_path / "long.xml"
    path.write_text("<a>" + "<b>& &</b>\n" * 6_000)
    with start_command(*command, path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(60) == 141
    assert err == b""


@pytest.mark.parametrize("command", [["check"], ["repair", "-o", "out.xml"]])
def test_interrupt(tmp_path, command):
    """Ctrl-C ends a command quietly, and leaves nothing behind."""
    pipe = subprocess.PIPE
    # Where the tests run in the background of a script, Ctrl-C is ignored, and so it would be by their children.
    heed = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with start_command(*command, "-", cwd=tmp_path, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=heed) as process:
        # More than a pipe holds: when it is written, the command is reading.
        process.stdin.write(b"<a>" + b"<b>& &</b>\n" * 20_000)
        process.stdin.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.stdout.read(), process.stderr.read()
        assert process.wait(60) == 130
    assert (out, err.strip()) == (b"", b"")
    assert os.listdir(tmp_path) == []


def on_terminal(*arguments, **environment):
    """What a command writes to a terminal."""
    leader, follower = pty.openpty()
    process = start_command(
        *arguments, stdin=follower, stdout=follower, stderr=follower, env={"TERM": "xterm", **environment}
    )
    os.close(follower)
    written = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # how Linux reports that nobody has it open any more
            break
        if not part:
            break
        written += part
    os.close(leader)
    process.wait(60)
    return written.decode()


def test_colours_are_for_terminals():
    shown = on_terminal("check", FEED)
    assert "\x1b[33m" in shown
    plain = on_terminal("check", FEED, NO_COLOR="1")
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d+m", "", shown) == plain


@pytest.mark.parametrize(
    ("options", "environment", "expected"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "auto"], {"FORCE_COLOR": "1"}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "", "NO_COLOR": ""}, False),
    ],
)
def test_colours_in_a_pipe(monkeypatch, options, environment, expected):
    for variable in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    for command in (["check"], ["check", "-j2", FEED], ["tree"], ["repair", "--diff"]):
        assert ("\x1b[" in run_command(*command, FEED, *options).out) == expected


#: A line of the progress bar at its end.
BAR = re.compile(r"\[#{10}\]  100%  (?:\d+ of \d+ files, )?(\d+) MB, \d+\.\d MB/s, (\d+) errors?")
LONG = "<a>\n" + f"<b>{'x' * 1000}</b>\n" * 21_000


def lines_of(shown):
    """Return what a terminal has on each line, at any time."""
    return re.split(r"[\r\n]+|\x1b\[K|\x1b\[\?25[lh]", shown)


def test_progress(tmp_path):
    path = tmp_path / "long.xml"
    path.write_text(f"{LONG}&</a>")
    shown = on_terminal("check", path, NO_COLOR="1")
    assert BAR.search(shown).groups() == ("21", "1")
    assert all(len(line) <= 80 for line in lines_of(shown) if "MB/s" in line)
    assert "MB/s" not in run_command("check", path).err
    path.write_text("<a>&</a>")
    assert "MB/s" not in on_terminal("check", path)


@pytest.mark.parametrize(
    "command",
    [
        ["check"],
        ["repair", "-o", "{}.out"],
        ["repair", "--in-place", "--force"],
        ["tree", "--depth", "1"],
        ["records", "--tag", "b", "--field", "t=.", "-o", "{}.out"],
        ["records", "--tag", "nothing", "-o", "{}.out"],
    ],
    ids=" ".join,
)
def test_progress_counts_what_the_last_line_counts(tmp_path, command):
    """A fault with two entries is one error for both, and no message is on the line of the bar."""
    path = tmp_path / "long.xml"
    path.write_text(f"{LONG}<b>\x01\x02</b><b>&</b><b>\x03</b>")
    shown = on_terminal(*(part.format(path) for part in command), path, NO_COLOR="1")
    messages = [line for line in lines_of(shown) if "xml5tree: " in line or "long.xml: " in line]
    assert messages
    assert [line for line in messages if "MB/s" in line] == []
    if "nothing" in command:
        assert BAR.search(shown)
    else:
        assert re.search(r"(\d+) errors", messages[-1])[1] == BAR.findall(shown)[-1][1]


@pytest.mark.parametrize(
    ("command", "jobs"), [(["check", "--format", "concise"], 1), (["check", "-q"], 2), (["repair", "--diff"], 2)]
)
def test_progress_of_several_files(tmp_path, command, jobs):
    """There is one bar for all; what is written for one of them is on lines of its own."""
    for number in range(3):
        (tmp_path / f"{number}.xml").write_text(f"{LONG[: LONG.index(chr(10), 7_000_000)]}<b>&</b></a>")
    shown = on_terminal(*command, tmp_path, "--jobs", jobs, NO_COLOR="1")
    lines = [line for line in lines_of(shown) if "MB/s" in line]
    assert lines[-1].startswith("[##########]  100%  3 of 3 files, 21 MB, ")
    assert lines[-1].rstrip().endswith(", 3 errors")
    assert all(line.startswith("[") and line.count("MB/s") == 1 for line in lines)


def test_no_bar_for_many_small_files(tmp_path):
    for number in range(300):
        (tmp_path / f"{number}.xml").write_text("<a>&</a>")
    shown = on_terminal("check", "-q", tmp_path)
    assert shown == ""


def test_the_bar_is_drawn_ten_times_a_second(monkeypatch):
    err = _Stream()
    err.isatty = lambda: True
    clock = itertools.count()
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock) / 1000)
    with Progress([10**9]) as progress:
        for position in range(5000):
            progress.at(0, position * 10**5, position)
            progress.draw()
            if position % 100 == 99:
                progress.hide()
    duration = next(clock) / 1000
    assert 10 * duration * 0.8 < err.text().count("MB/s") <= 10 * duration + 1


@each_case("drawn", [False, True])
def test_the_bar_of_a_command_that_fails(monkeypatch, drawn):
    """There is no empty line in its place if it was not drawn yet; else the cursor is shown again."""
    err = _Stream()
    err.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", err)
    with contextlib.suppress(KeyError), Progress([10**9]) as progress:
        progress.draw(at_once=drawn)
        raise KeyError
    assert err.text().endswith("\x1b[?25h\n") == bool(err.text()) == drawn


def test_without_the_extra():
    code = """if True:
        import sys
        sys.modules["click"] = None
        from xml5tree.__main__ import main
        sys.exit(main())
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "The command line needs one more package: pip install 'xml5tree[cli]'\n"
        "(in a copy of the repository: pip install '.[cli]')\n"
    )


def test_version_and_help():
    scanner = "with the compiled scanner" if xml5tree.accelerated else "pure Python"
    assert run_command("--version").out == f"xml5tree {xml5tree.__version__} ({scanner})\n"
    names = application.list_commands(click.Context(application))
    assert len(names) > 8
    for command in ([], *([name] for name in names)):
        status, out, _ = run_command(*command, "--help")
        assert status == 0
        assert out.startswith("Usage: xml5tree")
        assert all(len(line) <= 100 for line in out.splitlines())


def test_every_option_has_a_help():
    context = click.Context(application)
    for name in application.list_commands(context):
        options = [one for one in application.get_command(context, name).params if isinstance(one, click.Option)]
        assert [one.opts for one in options if not one.help] == []


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_standard_input_that_comes_in_small_parts(compress):
    """Byte by byte, the head by which gzip is known included."""
    data = compress(b"<a><b>one</b><b>two</a>")
    whole = run_command("tree", "-", stdin=data).out
    with start_command("tree", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        for byte in data:
            process.stdin.write(bytes([byte]))
        process.stdin.close()
        assert process.stdout.read().decode() == whole
    assert "two" in whole


def test_standard_input_that_does_not_block():
    """It must not look as if it had ended."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    pipe = subprocess.PIPE
    with start_command("check", "-", stdin=reading, stdout=pipe, stderr=pipe) as process:
        os.write(writing, b"<a>")
        out, err = process.communicate()
        os.close(writing)
        os.close(reading)
    assert (process.returncode, out) == (3, b"")
    assert b"does not block" in err
    assert b"Traceback" not in err
