"""Standard streams that cannot be written to, and names that cannot be printed: a sentence and status 3."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import click
import pytest
from support.cases import each_case
from support.commands import PACKAGE, run_command, start_command

from xml5tree.cli.application import application, run

FULL = "/dev/full"
FEED = PACKAGE / "docs/examples/feed.xml"
SENTENCE = "xml5tree: the output cannot be written: No space left on device\n"
COMMANDS = [
    ["check", FEED],
    *(["check", "--format", form, FEED] for form in ("json", "sarif", "github")),
    ["check", FEED, "missing.xml"],
    ["check", "--explain", "list"],
    ["check", "--explain", "duplicate-attribute"],
    ["repair", FEED],
    ["repair", "--diff", FEED],
    ["repair", "--encoding", "utf-16", FEED],
    *(["xpath", "//title", "--format", form, FEED] for form in ("text", "xml", "json")),
    ["tree", FEED],
    ["tree", FEED, FEED],
    *(["tokens", "--format", form, FEED] for form in ("text", "json")),
    ["report", "-o", "-", FEED],
    ["--help"],
    ["--version"],
    *([command, "--help"] for command in ("check", "repair", "xpath", "tree", "tokens", "report")),
]
needs_full = pytest.mark.skipif(not os.path.exists(FULL), reason="the system has no device that is always full")


def name_of(command):
    return " ".join(str(getattr(part, "name", part)) for part in command)


@needs_full
@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_full_standard_output(command):
    err = io.StringIO()
    with open(FULL, "w") as full, contextlib.redirect_stdout(full), contextlib.redirect_stderr(err):
        assert run([str(part) for part in command]) == 3
    assert err.getvalue().endswith(SENTENCE)
    assert err.getvalue().count(SENTENCE) == 1


@needs_full
@pytest.mark.parametrize(
    "command", [["check", FEED], ["repair", FEED], ["report", "-o", "-", FEED], ["--help"]], ids=name_of
)
def test_full_standard_output_of_a_process(command):
    """Nothing is left that would be written, and fail, when the interpreter ends."""
    with open(FULL, "wb") as full, start_command(*command, stdout=full, stderr=subprocess.PIPE) as process:
        err = process.stderr.read().decode()
        assert process.wait(60) == 3
    assert err.endswith(SENTENCE)
    assert "Traceback" not in err
    assert "Exception ignored" not in err


@needs_full
@pytest.mark.parametrize(
    "command", [["check", "missing.xml"], ["repair", FEED], ["tree", FEED], ["check", "--none"]], ids=name_of
)
def test_full_standard_error(command):
    """Nothing can be said, but the exit status tells."""
    with open(FULL, "wb") as full, start_command(*command, stdout=subprocess.PIPE, stderr=full) as process:
        process.stdout.read()
        assert process.wait(60) == 3


@needs_full
@pytest.mark.parametrize("command", ["repair", "report"])
def test_full_file(command):
    status, out, err = run_command(command, "-o", FULL, FEED)
    assert (status, out) == (3, "")
    assert err == f"xml5tree: {FEED}: cannot write {FULL}: No space left on device\n"


@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_closed_pipe(command):
    reader, writer = os.pipe()
    os.close(reader)
    err = io.StringIO()
    with open(writer, "w") as pipe, contextlib.redirect_stdout(pipe), contextlib.redirect_stderr(err):
        assert run([str(part) for part in command]) == 141
    assert "cannot be written" not in err.getvalue()


@pytest.mark.parametrize(
    ("streams", "command", "status", "said"),
    [
        (">&-", ["check", FEED], 3, "the output cannot be written: Bad file descriptor"),
        (">&-", ["repair", FEED], 3, "the output cannot be written: Bad file descriptor"),
        (">&-", ["--help"], 3, "the output cannot be written: Bad file descriptor"),
        (">&-", ["check", "-q", FEED], 2, ""),
        ("<&-", ["check", "-"], 3, "xml5tree: <stdin>: Bad file descriptor"),
        ("2>&-", ["check", "missing.xml"], 3, ""),
        ("<&- >&- 2>&-", ["check", "-q", FEED], 2, ""),
    ],
)
def test_closed_streams(streams, command, status, said):
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {streams}', "sh", sys.executable, "-m", "xml5tree", *command],
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        *(["check", "--format", form] for form in ("text", "json", "sarif", "github")),
        ["repair"],
        ["repair", "--diff"],
        ["repair", "--in-place"],
        ["xpath", "//b"],
        ["xpath", "//b", "--format", "json"],
        ["tree"],
        ["tokens", "--format", "json"],
        ["report"],
    ],
    ids=name_of,
)
def test_names_that_are_not_utf8(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"b\xff.xml")
    try:
        (tmp_path / name).write_bytes(b"<a><b>&</b></a>")
    except OSError:
        pytest.skip("the file system has no names that are not UTF-8")
    status, out, _ = run_command(*command, name)
    assert status in (0, 1)
    assert "sarif" not in command or '"uri": "b%FF.xml"' in out
    assert run_command(*command, name, name + ".none").status == 3
    assert run_command(*command, "*.xml").status in (0, 1, 3)


def text_options():
    """Yield the options of all commands that take any text, other than a path or a pattern for names of files."""
    for name in application.list_commands(None):
        for option in application.get_command(None, name).params:
            is_text = option.param_type_name == "option" and isinstance(option.type, click.types.StringParamType)
            if is_text and option.opts[-1] not in ("--output", "--summary", "--include", "--exclude"):
                yield name, option.opts[-1]


@each_case(("command", "option"), list(text_options()))
@each_case("value", ["\udcff", "a=\udcff"])
def test_options_that_are_no_text(command, option, value):
    """Bytes that are no characters in the encoding of the command line are refused by name, whatever the option."""
    expression = ["//a"] if command == "xpath" else []
    status, out, err = run_command(command, option, value, *expression, FEED)
    assert (status, out) == (3, "")
    assert option in err


@pytest.mark.parametrize(
    ("command", "argument"),
    [
        (["check", "--elements", "é"], "--elements"),
        (["check", "--root-element", "é"], "--root-element"),
        (["records", "--tag", "é"], "--tag"),
        (["records", "--field", "a=é"], "--field"),
        (["xpath", "//é"], "EXPR"),
        (["xpath", "-n", "é=u", "//a"], "--namespace"),
    ],
    ids=name_of,
)
def test_names_in_a_locale_without_them(command, argument):
    """The message says which argument it is, that the locale is the reason, and what helps."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    call = [os.fsencode(part) for part in (sys.executable, "-m", "xml5tree", *command, FEED)]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)
    assert argument in done.stderr
    assert "no characters in ascii" in done.stderr
    assert "PYTHONUTF8=1" in done.stderr
    if argument in ("--elements", "EXPR"):  # an option and a positional argument
        environment["PYTHONUTF8"] = "1"
        assert b"no characters in" not in subprocess.run(call, env=environment, capture_output=True, check=False).stderr


@pytest.mark.parametrize("name", [b"b\xff.xml", b"b\x07.xml", "b\u202e.xml".encode(), b"b%FF \xc3\xa9.xml"], ids=ascii)
@pytest.mark.parametrize("absolute", [False, True])
def test_programs_find_files_again(tmp_path, monkeypatch, name, absolute):
    """What a command writes for programs has the name of the file, whatever that is."""
    monkeypatch.chdir(tmp_path)
    path = (tmp_path if absolute else Path()) / os.fsdecode(name)
    try:
        path.write_bytes(b"<a><b>&</b></a>")
    except OSError:
        pytest.skip("the file system has no such names")
    other = tmp_path / "other.xml"
    other.write_bytes(b"<a/>")
    outputs = {
        "check": json.loads(run_command("check", "--format", "json", path).out)["files"][0],
        "xpath": json.loads(run_command("xpath", "//b", "--format", "json", path).out),
        "tokens": json.loads(run_command("tokens", "--format", "json", path, other).out.splitlines()[0]),
    }
    assert run_command("check", "-q", "--summary", "summary.jsonl", path).status == 1
    outputs["summary"] = json.loads((tmp_path / "summary.jsonl").read_bytes())
    sarif = json.loads(run_command("check", "--format", "sarif", path).out)["runs"][0]["results"][0]
    outputs["sarif"] = sarif["locations"][0]["physicalLocation"]["artifactLocation"]
    for form, found in outputs.items():
        location = found.get("uri") or quote(found["file"])
        again = Path(os.fsdecode(unquote_to_bytes(location.removeprefix("file://"))))
        assert (form, again) == (form, path)


@pytest.mark.parametrize("value", ["\udcff", "\x01"])
def test_arguments_that_are_no_characters_of_xml(value):
    for command in (["xpath", value], ["xpath", "-n", f"p={value}", "//a"], ["xpath", "-n", f"{value}=p", "//a"]):
        status, out, err = run_command(*command, FEED)
        assert (status, out) == (3, "")
        assert "Error: Invalid value" in err
