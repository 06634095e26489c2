"""What a document says reaches the terminal as text only: nothing that a terminal obeys, whoever prints it."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import commands
from support.cases import each_case
from support.commands import run_command

from xml5tree.cli.rendering import in_json, printable

#: C0 but for tab and newline, DEL, C1, marks and overrides of the direction of writing, separators of lines.
HARMFUL = [
    *(chr(code) for code in range(0x20) if chr(code) not in "\t\n"),
    *(chr(code) for code in range(0x7F, 0xA0)),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
]
OBEYED = re.compile(f"[{''.join(map(re.escape, HARMFUL))}]")
#: Well-formed XML can have these, if not all of them in names.
ALLOWED = "".join(character for character in HARMFUL if character >= "\x7f")
COMMANDS = [
    *(["check", "--max-errors", "0", "--format", form] for form in ("text", "json", "sarif", "github")),
    ["repair"],
    ["repair", "--encoding", "utf-16"],
    ["repair", "--diff"],
    *(["xpath", "//node() | //@* | //namespace::*", "--format", form] for form in ("text", "xml", "json")),
    ["xpath", "//nothing"],
    ["xpath", "//no:prefix"],
    ["tree"],
    *(["tokens", "--format", form] for form in ("text", "json")),
    ["report", "-o", "-"],
]


def document(text):
    return (
        f"<!DOCTYPE a PUBLIC '' '{text}' [<!ENTITY e '{text}'><!ATTLIST a d CDATA '{text}'>]><?p {text}?>"
        f"<a b='{text}' xmlns='{text}' xmlns:p='{text}' {text}='x' c=1{text}>{text}\n&e;&{text};& <p:b{text}/>"
        f"<!--{text}--><![CDATA[{text}]]><\u061c{text} xmlns:\u061c='u'></{text}></a{text}>\r\n{text}"
    ).encode("utf-8", "surrogatepass")


def name_of(command):
    return " ".join([command[0], *(part for part in command[1:] if part[0] not in "/-0")])


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(commands._Stream, "isatty", lambda self: True)


def check_nothing_is_obeyed(command, text):
    status, out, err = run_command(*command, "-", stdin=document(text))
    assert status in (0, 1, 2, 3)
    assert out or err
    assert not OBEYED.search(out), command
    assert not OBEYED.search(err), command


@each_case("command", COMMANDS, ids=name_of)
@each_case("text", ["".join(HARMFUL), ALLOWED, "\x9b31m", "\x9d0;title\x9c", "\u202egnp"])
def test_on_a_terminal(terminal, command, text):
    check_nothing_is_obeyed(command, text)


@pytest.mark.parametrize("command", [c for c in COMMANDS if name_of(c) not in {"repair", "repair utf-16"}], ids=name_of)
def test_where_piped(command):
    """It may be for a terminal all the same, as with ``less -R``; but markup and patches have to be exact."""
    if command[:2] == ["repair", "--diff"] or "xml" in command:
        assert ALLOWED in run_command(*command, "-", stdin=f"<a>&{ALLOWED}</a>".encode()).out
    else:
        check_nothing_is_obeyed(command, "".join(HARMFUL))


def test_file_names(terminal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "a\x9b31m\u202e\x1b]0;x\x07.xml"
    (tmp_path / name).write_bytes(b"<a>&<b></a>")
    for command in (*COMMANDS, ["repair", "--in-place"], ["report"], ["repair", "-o", f"{name}.out"]):
        _, out, err = run_command(*command, name)
        assert not OBEYED.search(out + err), command
        (tmp_path / name).write_bytes(b"<a>&<b></a>")


def test_repair_on_a_terminal_is_the_markup_otherwise(terminal):
    source = '<?xml version="1.0"?>\r\n<a>\té\x9b</a>\r\n'.encode()
    assert run_command("repair", "-", stdin=source).out == '<?xml version="1.0"?>\n<a>\té\ufffd</a>\n'
    expected = '<?xml version="1.0"?>\n<a>\t&#233;&#155;</a>\n'
    assert run_command("repair", "--encoding", "ascii", "-", stdin=source).out == expected


@given(st.text(st.sampled_from([*HARMFUL, "\t", "\n", "a", "é", "\U0001f600"])))
def test_printable(text):
    assert len(printable(text)) == len(text)
    assert not OBEYED.search(printable(text) + printable(text, lines=True))
    assert not set("\t\n") & set(printable(text))
    kept = [character for character in text if character in "\t\n"]
    assert [character for character in printable(text, lines=True) if character in "\t\n"] == kept


@given(text=st.text(st.sampled_from([*HARMFUL, "\t", "\n", '"', "\\", "é", "\ud800", "\U0001f600"])))
@pytest.mark.parametrize("ensure_ascii", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_loses_nothing(text, ensure_ascii, indent):
    written = in_json({"a": [text]}, indent=indent, ensure_ascii=ensure_ascii)
    assert not OBEYED.search(written)
    assert json.loads(written) == {"a": [text]}
