"""Calls of tools in the output of language models: `xml5tree.tools`."""

import json
import re
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from support.cases import one_in
from support.scaling import assert_scales_linearly
from support.splits import chunkings, chunks

from compat.tool_calls import FORMATS as FORMS
from compat.tool_calls import TOOLS, write_calls
from xml5tree.tools import FORMATS, Call, CallReader, Format, read
from xml5tree.tools.grammar import Grammar, grammar_of
from xml5tree.tools.schemas import read_nested, read_tools
from xml5tree.tools.values import ValueEnd

PRESETS = sorted(FORMS)
each_preset = pytest.mark.parametrize("preset", PRESETS)


def calls_of(output):
    return [(call.name, call.arguments, call.complete) for call in output.calls]


_MARKED = """<@tool_calls>
<@invoke name="f">
<@parameter name="a" string="true">x < 1</@parameter>
<@parameter name="n" string="false">[1]</@parameter>
</@invoke>
</@tool_calls>"""
_JSON_CALL = '{"name": "f", "arguments": {"a": "x < 1", "n": [1]}}'
_KEYS = "<arg_key>a</arg_key>\n<arg_value>x < 1</arg_value>\n<arg_key>n</arg_key>\n<arg_value>[1]</arg_value>"
_PARAMETERS = '<{0}parameter name="a">x < 1</{0}parameter><{0}parameter name="n">[1]</{0}parameter>'
_NESTED = '<tool_call>\n<invoke name="f">\n<a>x < 1</a>\n<n><item>1</item></n>\n</invoke>\n</tool_call>'
_OPENED = "<|open|>{}<|sep|>{}<|close|>{}<|sep|>"
OTHER_FORMATS = {  # the call of a tool f with the arguments a, "x < 1", and n, [1]
    "deepseek-v4": _MARKED.replace("@", "｜DSML｜"),
    "deepseek-v4.1": _MARKED.replace("@", "｜DSML｜ "),
    "gigachat-3.5": _MARKED.replace("@", "｜GCML｜").replace("\n", ""),
    "minimax-m3": _NESTED.replace("<", "]<]minimax[>[<").replace("x ]<]minimax[>[<", "x <"),
    "hunyuan-3": f"<tool_calls>\n<tool_call>f<tool_sep>\n{_KEYS}\n</tool_call>\n</tool_calls>",
    "iquest": f"<iquest_tool_call>f{_KEYS}</iquest_tool_call>",
    "kimi-k3": _OPENED.format(
        "tools",
        _OPENED.format(
            'call tool="f" index="1"',
            _OPENED.format('argument key="a" type="string"', "x < 1", "argument")
            + _OPENED.format('argument key="n" type="array"', "[1]", "argument"),
            "call",
        ),
        "tools",
    ),
    "minicpm5": '<function name="f"><param name="a"><![CDATA[x < 1]]></param><param name="n">[1]</param></function>',
    "step3": "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>"
    f'<steptml:invoke name="f">{_PARAMETERS.format("steptml:")}</steptml:invoke>'
    "<｜tool_call_end｜><｜tool_calls_end｜>",
    "dots": f'<dots_function_call><invoke name="f">{_PARAMETERS.format("")}</invoke></dots_function_call>',
    "llama-3.1": '<function=f>{"a": "x < 1", "n": [1]}</function>',
    "longcat": f"<longcat_tool_call>{_JSON_CALL}</longcat_tool_call>",
    "nemotron": f"<TOOLCALL>[{_JSON_CALL}]</TOOLCALL>",
    "olmo-3": '<function_calls>\nf(a="x < 1", n=[1])\n</function_calls>',
}


@pytest.mark.parametrize("name", OTHER_FORMATS)
def test_other_formats(name):
    tools = {"f": {"properties": {"a": {"type": "string"}, "n": {"type": "array", "items": {"type": "integer"}}}}}
    text = f"See 1 < 2.\n{OTHER_FORMATS[name]}\nDone"
    for format in (name, *(["auto"] if name != "minicpm5" else [])):
        for pieces in ([text], list(text), chunks(text, 7)):
            output = read(pieces, format, tools)
            (call,) = output
            assert (call.name, call.arguments, call.complete) == ("f", {"a": "x < 1", "n": [1]}, True)
            assert [error for error in call.errors if error.effect != "kept"] == []
            assert output.text.split() == ["See", "1", "<", "2.", "Done"]


NESTED = {
    "<b>1</b>": {"b": "1"},
    "\n<b>\n<item>1</item>\n<item></item></b>\n": {"b": ["1", ""]},
    "x<b>1</b>": None,
    "<b>1</b>x": None,
    "<b><c>1</c>x</b>": None,
    "<b>1</b><b>2</b>": None,
    "<item>1</item><b>2</b><item>3</item>": None,
    "<b>1</b></c>": None,
    "x": None,
}


@pytest.mark.parametrize("text", NESTED)
def test_values_that_nest_lose_nothing(text):
    delimiters = FORMATS["minimax-m3"].delimiters
    text, value = text.replace("<", "]<]minimax[>[<"), NESTED[text]
    assert read_nested(text, delimiters) == (text if value is None else value)


def test_every_format_is_tested():
    assert FORMATS.keys() - FORMS.keys() == {"roo"} | OTHER_FORMATS.keys()
    assert FORMATS["roo"] == FORMATS["cline"]


def test_every_format_has_a_source():
    page = (Path(__file__).parents[1] / "docs/internals/model-output.md").read_text("utf-8")
    table = page.partition("### Formats\n")[2].partition("\n###")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| `")]
    assert all(len(row) == 3 and re.search(r"\w", row[2]) for row in rows)
    assert sorted(name for row in rows for name in re.findall("`(.*?)`", row[0])) == sorted(FORMATS)
    described = re.findall(r"^\* `(\w+)=(.*?)`: ", page, re.MULTILINE)
    assert described == [(name, repr(default)) for name, default in Format._field_defaults.items()]


@each_preset
def test_calls_with_prose_around(preset):
    calls = [("write_file", {"path": "a.py", "content": "x < 1 && y"}), ("search", {"query": "R&amp;D"})]
    text = f"First, <b>. {write_calls(preset, calls)} Done &amp; 1 < 2"
    for pieces in ([text], chunks(text, 1), chunks(text, 7)):
        output = read(pieces, preset, TOOLS)
        assert calls_of(output) == [(name, arguments, True) for name, arguments in calls]
        assert output.parts[0] == "First, <b>. "
        assert output.text.startswith("First, <b>. ")
        assert output.text.endswith(" Done &amp; 1 < 2")
        first, second = output.calls
        assert text[first.start : first.end].startswith("<")
        assert "write_file" in text[first.start : first.end]
        assert first.end <= second.start
        assert "search" in text[second.start : second.end]
        assert first.errors == second.errors == ()


#: Of each format, an argument's end tag followed by what may follow it, in content.
_END = r"</{}(=[^<>\n]*)?[\t\n ]*>\s*</?{}[\t\n />=]"
ENDS = {
    "qwen3-coder": _END.format("parameter", "(tool_call|function|parameter|path|content)"),
    "seed-oss": _END.format("parameter", "(seed:tool_call|function|parameter|path|content)"),
    "minimax-m2": _END.format("parameter", "(minimax:tool_call|invoke|parameter|path|content)"),
    "claude": _END.format(r"([\w.-]+:)?parameter", r"(([\w.-]+:)?(function_calls|invoke|parameter)|path|content)"),
    "deepseek-v3.2": _END.format("｜DSML｜parameter", "(｜DSML｜(function_calls|invoke|parameter)|path|content)"),
    "glm": _END.format("arg_value", "(tool_call|arg_key|arg_value)"),
    "hermes": "(?!)",
    "cline": _END.format("content", "(write_file|search|path|content|query|limit)"),
}
TAGS = [
    *["</parameter>", "<parameter=x>", "</function>", "<function=x>", "</tool_call>", "<tool_call>", "</invoke>"],
    *[
        "</arg_value>",
        "<arg_key>",
        "</content>",
        "<path>",
        "</write_file>",
        "</｜DSML｜parameter>",
        "</｜DSML｜invoke>",
    ],
]
CONTENTS = st.lists(
    st.sampled_from([*TAGS, "\n", "\r", "\0", " ", "&lt;", "<!--", "<![CDATA[", "]]>", "<", "</", '"', "\\", "{", "x"])
    | st.text(max_size=5),
    max_size=10,
).map("".join)


@given(st.data())
@example(None)
def test_a_file_is_written_as_it_is(data):
    """What a tool is told to write comes out to the character, in every format and however it is split."""
    preset = data.draw(st.sampled_from(PRESETS)) if data else "qwen3-coder"
    content = data.draw(CONTENTS) if data else "s.replace('</parameter>', '</function>')\r\n\n"
    end = {"glm": "</arg_value>", "deepseek-v3.2": "</｜DSML｜parameter>", "cline": "</content>"}.get(
        preset, "</parameter>"
    )
    assume(not re.search(ENDS[preset], content + end))
    calls = [("write_file", {"path": "a", "content": content}), ("search", {"query": "x"})]
    text = f"a {write_calls(preset, calls)} b"
    for pieces in ([text], data.draw(chunkings(text)) if data else list(text)):
        output = read(pieces, preset, TOOLS)
        assert calls_of(output) == [(name, arguments, True) for name, arguments in calls]


@each_preset
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_events(preset, size):
    """Names come first, and what has come of an argument is the beginning of it."""
    calls = [("write_file", {"path": "a", "content": "if a < b:\n\n    pass </p\n"}), ("search", {"query": "</x>"})]
    text = f"one {write_calls(preset, calls)} two"
    reader = CallReader(preset, TOOLS)
    events = [event for piece in chunks(text, size) for event in reader.feed(piece)] + reader.close()
    kinds = [event.kind for event in events]
    assert kinds[0] == kinds[-1] == "text"
    found, shown = [], {}
    for event in events:
        if event.kind == "call":
            assert event.call.name == calls[len(found)][0]
            found.append(event.call)
            shown = {}
        elif event.kind == "argument":
            assert event.call.name == found[-1].name
            shown[event.argument] = shown.get(event.argument, "") + event.text
        elif event.kind == "end":
            assert event.call.complete
            expected = calls[len(found) - 1][1]
            assert event.call.arguments == expected
            if preset == "hermes":
                assert json.loads(shown[""])["arguments"] == expected
            else:
                assert shown == expected
    assert len(found) == len(calls)
    assert reader.close() == []


@each_preset
def test_a_call_ends_as_soon_as_its_end_is_there(preset):
    text = write_calls(preset, [("search", {"query": "x"})])
    reader = CallReader(preset, TOOLS)
    end = FORMS[preset].call[1].format("search").strip()
    place = text.index(end) + len(end)
    events = reader.feed(text[:place])
    assert [event.kind for event in events][-1] == "end"


@each_preset
def test_cut_anywhere(preset):
    """A call that is cut off is not complete, and its arguments are the beginning of what they were to be."""
    calls = [("write_file", {"path": "a", "content": "x = 1\ny = '</b>'\n"})]
    whole = write_calls(preset, calls)
    end = read(whole, preset, TOOLS).calls[0].end
    for place in range(len(whole)):
        output = read(whole[:place], preset, TOOLS)
        for name, arguments, complete in calls_of(output):
            assert complete == (place >= end)
            assert "write_file".startswith(name)
            assert complete or preset == "glm" or name in {"write_file", ""}
            for key, value in arguments.items():
                assert any(known.startswith(key) for known in calls[0][1])
                assert calls[0][1].get(key, "").startswith(value.rstrip("<")) or not complete


CUT_TAGS = [  # the format, an output that ends in a tag, and its parts: text, or the name of a call and its arguments
    ("claude", 'See. <invoke name="w"', ["See. ", ("w",)]),
    ("claude", 'See. <invoke name="w', ["See. ", ("",)]),
    ("claude", "See. <invoke name=w", ["See. ", ("",)]),
    ("claude", "See. <invoke name=w ", ["See. ", ("w",)]),
    ("claude", 'See. <invoke name="a&amp;b', ["See. ", ("",)]),
    ("claude", 'See. <invoke name="w></invoke>', ["See. ", ("",)]),
    ("claude", 'See. <invoke name="w" /', ["See. ", ("w",)]),
    ("claude", "See. <invoke", ["See. ", ("",)]),
    ("claude", "See. <invok", ["See. <invok"]),
    ("claude", "See. <function_calls", ["See. <function_calls"]),
    ("claude", '<invoke name="v"><invoke name="w"', [("v",), ("w",)]),
    ("claude", '<invoke name="v"><invoke nam', [("v",), ("",)]),
    ("claude", '<invoke name="&#101;', [("",)]),
    ("claude", '<invoke name="&amp;', [("",)]),
    ("claude", '<invoke name="v"><parameter name="x">1</parameter><parameter name="y', [("v", "x")]),
    ("qwen3-coder", "See. <tool_call>\n<function=wri", ["See. ", ("",)]),
    ("qwen3-coder", "See. <tool_call>\n<function=w ", ["See. ", ("w",)]),
    ("cline", "See. <f quer", ["See. ", ("f",)]),
    ("cline", "See. <f", ["See. ", ("",)]),
    ("glm", "See. <tool_call", ["See. ", ("",)]),
    ("glm", "See. <tool_call ", ["See. ", ("",)]),
    ("hermes", "See. <tool_call", ["See. <tool_call"]),
    ("hermes", "See. <tool_call ", ["See. <tool_call "]),
]


@pytest.mark.parametrize(("preset", "text", "expected"), CUT_TAGS)
def test_a_tag_that_is_cut_off_is_not_lost(preset, text, expected):
    """Of a call, it shows that the output is not whole. A name that may be cut off, too, is not taken for one."""
    for pieces in ([text], list(text), chunks(text, 7)):
        output = read(pieces, preset, {"f": ["x"]})
        assert [part if isinstance(part, str) else (part.name, *part.arguments) for part in output.parts] == expected
        for call in output.calls:
            assert not call.complete
            assert "assumed-name" not in [error.code for error in call.errors]
            assert "dropped: the format" not in str(call.errors)
            assert text.startswith("<", call.start)
            assert call.end <= len(text)


DRIFT = [
    "`",
    "```",
    "\n```\n",
    "</ parameter>",
    "</parameter",
    "<param=path>",
    "<path>",
    "</path>",
    "<function = search>",
]
DRIFT += [
    "<function:search>",
    "<function>search</function>",
    "<function=search\n",
    "<tool=search>",
    "</tool>",
    "[",
    "]",
    "f(a=1)",
]
DRIFT += [
    "\n  <parameter=query>",
    "\n  <function=search>",
    "\n<search>\n",
    "\n <query>",
    "<tool_sep>",
    "<think>",
    "</think>",
]
DRIFT += [
    '{"name": "f", "arguments": {"a": 1}}',
    "<arg_key>path</arg_key>",
    "<invoke name=“search”>",
    "<parameter name='n'>",
]
DRIFT += [part for text in OTHER_FORMATS.values() for part in re.findall(r"<[^<>]*>|\]<\]minimax\[>\[<[^<>]*>", text)]
HEAPS = st.lists(
    st.sampled_from(
        [*TAGS, "<search>", "<write_file>", "<function_calls>", '<invoke name="x">', '<parameter name="y">']
    )
    | st.sampled_from(
        ['{"name": "x"', ', "arguments": {}}', "x\n", " ", "\n", "\r\n", "\r", "</arg_key>", "<arg_value>", "</p", "<"]
    )
    | st.sampled_from([*DRIFT, "<think>", "</think>"])
    | st.text(max_size=3),
    max_size=14,
).map("".join)


@given(st.data())
def test_any_text_in_any_pieces(data):
    """Nothing raises, pieces change nothing, and calls have their places."""
    preset, text = data.draw(st.sampled_from([*FORMATS, "auto"])), data.draw(HEAPS)
    options = data.draw(st.sampled_from([{}, {"thinking": "think"}, {"thinking": "think", "thinking_calls": True}]))
    results = []
    for pieces in ([text], data.draw(chunkings(text)), list(text)):
        output = read(pieces, preset, TOOLS, **options)
        end = 0
        for call in output.calls:
            assert end <= call.start < call.end <= len(text)
            end = call.end
        results.append((repr(output), output.thinking, [(call.start, call.end, call.errors) for call in output.calls]))
    assert results[1:] == results[:-1]


INVOKE = '<invoke name="search">{}</invoke>'
QUERY = '<parameter name="query">{}</parameter>'
FAULTS = {
    "no element around": ("qwen3-coder", "<function=search>\n<parameter=query>\na\n</parameter>\n</function>", []),
    "quotes": ("qwen3-coder", '<function="search"><parameter name="query">a</parameter></function>', []),
    "values in end tags": (
        "qwen3-coder",
        "<function=search><parameter=query>a</parameter=query></function=search>",
        [],
    ),
    "backslashes": (
        "claude",
        INVOKE.format(QUERY.format("a")).replace('"', '\\"'),
        ["assumed-quotes"] * 2,
    ),
    "no end of an argument": ("claude", INVOKE.format('<parameter name="query">a'), ["assumed-end-before"]),
    "no end of a call": (
        "glm",
        "<tool_call>search\n<arg_key>query</arg_key><arg_value>a</arg_value>\n<tool_call>search</tool_call>",
        ["assumed-end-before"],
    ),
    "misspelt end of a call": ("claude", INVOKE.format(QUERY.format("a"))[:-2] + ">", ["assumed-end-tag"]),
    "an argument twice": ("claude", INVOKE.format(QUERY.format("b") + QUERY.format("a")), ["assumed-twice"]),
    "another prefix": ("claude", '<x:invoke name="search"><x:parameter name="query">a</x:parameter></x:invoke>', []),
    "JSON in JSON": (
        "hermes",
        '<tool_call>{"name": "search", "arguments": "{\\"query\\": \\"a\\"}"}</tool_call>',
        [],
    ),
    "the key parameters": ("hermes", '<tool_call>{"name": "search", "parameters": {"query": "a"}}</tool_call>', []),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name):
    preset, text, codes = FAULTS[name]
    for pieces in ([text], list(text)):
        call = read(pieces, preset, TOOLS).calls[0]
        assert (call.name, call.arguments, call.complete) == ("search", {"query": "a"}, True)
        assert [entry.code for entry in call.errors] == codes


def test_more_faults():
    assert calls_of(read('<invoke name="f"/>', "claude")) == [("f", {}, True)]
    text = '<tool_call>{"name": "f", "arguments": {"a": "b\nc"}}</tool_call>'
    assert calls_of(read(text, "hermes")) == [("f", {"a": "b\nc"}, True)]
    text = '<tool_call>{"name": "f", "arguments": {"a": }}</tool_call>'
    assert calls_of(read(text, "hermes")) == [("f", {}, False)]


@pytest.mark.parametrize(
    ("arguments", "expected", "twice"),
    [
        ('{"path": "a", "path": "b"}', {"path": "b"}, ["path"]),
        ('{"a": {"b": 1, "b": 2, "c": 3, "b": 4}, "d": 5, "d": 6}', {"a": {"b": 4, "c": 3}, "d": 6}, ["b", "d"]),
        (json.dumps('{"path": "a", "path": "b"}'), {"path": "b"}, ["path"]),
    ],
)
def test_what_json_names_twice_is_reported(arguments, expected, twice):
    text = f'<tool_call>{{"name": "f", "arguments": {arguments}}}</tool_call>'
    for pieces in ([text], list(text)):
        (call,) = read(pieces, "hermes").calls
        assert (call.arguments, call.complete) == (expected, True)
        assert [(entry.code, entry.effect) for entry in call.errors] == [("assumed-twice", "lost")] * len(twice)
        for entry, name in zip(call.errors, twice, strict=True):
            assert repr(name) in entry.message


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_what_is_no_number_is_no_json(number):
    text = f'<tool_call>{{"name": "f", "arguments": {{"a": {number}}}}}</tool_call>'
    assert calls_of(read(text, "hermes")) == [("f", {}, False)]
    (call,) = read(f"<f><a>{number}</a></f>", "cline", {"f": {"properties": {"a": {"type": "number"}}}}).calls
    assert (call.arguments, call.unconverted) == ({"a": number}, ("a",))


_PATH = '<parameter name="path">'
_N = '<parameter name="n">5</parameter>'
_GLM = "<tool_call>write\n{}</tool_call>"
MISSING = {  # the format, the output, the arguments, and codes and effects of the errors
    "end tag before the next argument": (
        "claude",
        f'<invoke name="write">{_PATH}a.py{_N}</invoke>',
        {"path": "a.py", "n": 5},
        [("assumed-end-before", "moved")],
    ),
    "end tag before the next argument, of a name that the tool does not have": (
        "claude",
        f'<invoke name="write">{_PATH}a.py<parameter name="m">5</parameter></invoke>',
        {"path": 'a.py<parameter name="m">5'},
        [("assumed-text", "moved")],
    ),
    "end tag before the next argument, of a name that has come": (
        "claude",
        f'<invoke name="write">{_N}{_PATH}a.py{_N}</invoke>',
        {"n": 5, "path": 'a.py<parameter name="n">5'},
        [("assumed-text", "moved")],
    ),
    "end tag before the next argument, on lines": (
        "qwen3-coder",
        "<function=write>\n<parameter=path>\na.py\n<parameter=n>\n5\n</parameter>\n</function>",
        {"path": "a.py", "n": 5},
        [("assumed-end-before", "moved")],
    ),
    "end tag before the next argument, with a mark": (
        "deepseek-v3.2",
        f'<invoke name="write">{_PATH}a.py{_N}</invoke>'.replace("invoke", "｜DSML｜invoke").replace(
            "param", "｜DSML｜param"
        ),
        {"path": "a.py", "n": 5},
        [("assumed-end-before", "moved")],
    ),
    "end tag before the next argument, of which a third one is whole": (
        "claude",
        f'<invoke name="write">{_PATH}</parameter> a.py <parameter name=\\"m\\">5</parameter>{_N}</invoke>',
        {"path": '</parameter> a.py <parameter name=\\"m\\">5', "n": 5},
        [("assumed-text", "moved")],
    ),
    "end tag before an argument with other attributes": (
        "claude",
        f'<invoke name="write">{_PATH}a.py<parameter required\n type = x name="n">5</parameter></invoke>',
        {"path": "a.py", "n": 5},
        [("assumed-end-before", "moved"), ("assumed-attribute", "lost"), ("assumed-attribute", "lost")],
    ),
    "two end tags": (
        "claude",
        f'<invoke name="write">{_PATH}a.py<parameter name="n">5</invoke>',
        {"path": "a.py", "n": 5},
        [("assumed-end-before", "moved"), ("assumed-end-before", "kept")],
    ),
    "end tags before the next call": (
        "claude",
        f'<invoke name="write">{_PATH}a.py<invoke name="write">{_N}</invoke>',
        {"path": 'a.py<invoke name="write"><parameter name="n">5'},
        [("assumed-text", "moved")],
    ),
    "end tag before the next name": (
        "glm",
        _GLM.format("<arg_key>path</arg_key><arg_value>a.py<arg_key>n</arg_key><arg_value>5</arg_value>"),
        {"path": "a.py", "n": 5},
        [("assumed-end-before", "moved")],
    ),
    "end tag before the next name, whose value has no start tag": (
        "glm",
        _GLM.format("<arg_key>path</arg_key><arg_value>a.py<arg_key>n</arg_key>5</arg_value>"),
        {"path": "a.py<arg_key>n</arg_key>5"},
        [("assumed-text", "moved")],
    ),
    "end tag of a name": (
        "glm",
        _GLM.format("<arg_key>path<arg_value>a</arg_value><arg_key>n</arg_key><arg_value>5</arg_value>"),
        {"path": "a", "n": 5},
        [("assumed-end-before", "kept")],
    ),
    "value": (
        "glm",
        _GLM.format("<arg_key>path</arg_key>\n<arg_key>n</arg_key><arg_value>5</arg_value>"),
        {"n": 5},
        [("assumed-start-tag", "lost")],
    ),
    "start tag of a value": (
        "glm",
        _GLM.format("<arg_key>path</arg_key>a.py</arg_value><arg_key>n</arg_key><arg_value>5</arg_value>"),
        {"n": 5},
        [("assumed-text", "moved"), ("unmatched-end-tag", "moved"), ("assumed-start-tag", "lost")],
    ),
    "last value": (
        "glm",
        _GLM.format("<arg_key>n</arg_key><arg_value>5</arg_value><arg_key>path</arg_key>"),
        {"n": 5},
        [("assumed-start-tag", "lost")],
    ),
    "name as an element": (
        "glm",
        _GLM.format("<arg_key>n</arg_key><arg_value>5</arg_value><arg_value>a.py</arg_value>"),
        {"n": 5, "": "a.py"},
        [("assumed-name", "moved")],
    ),
    "name of an argument": (
        "claude",
        f'<invoke name="write"><parameter>x</parameter>{_N}</invoke>',
        {"": "x", "n": 5},
        [("assumed-name", "moved")],
    ),
    "name of an argument in a value": (
        "qwen3-coder",
        "<function=write><parameter=>x</parameter></function>",
        {"": "x"},
        [("assumed-name", "moved")],
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_missing_tags_and_names_are_errors(name):
    preset, text, arguments, errors = MISSING[name]
    tools = {"write": {"properties": {"path": {"type": "string"}, "n": {"type": "integer"}}}}
    for line_break in ("\n", "\r\n"):
        written = text.replace("\n", line_break)
        for pieces in ([written], list(written), chunks(written, 7)):
            (call,) = read(pieces, preset, tools).calls
            assert call.complete
            assert call.arguments == {
                key: value.replace("\n", line_break) if isinstance(value, str) else value
                for key, value in arguments.items()
            }
            assert [(error.code, error.effect) for error in call.errors] == errors
            assert all(call.start <= error.offset < call.end for error in call.errors)


IN_ATTRIBUTES = [  # the format, the output, the arguments, and for each attribute that is dropped its name and its tag
    ("claude", '<invoke name="f"><parameter name="x" value="1"/></invoke>', {"x": ""}, ["value <parameter"]),
    ("claude", '<invoke name="f"><parameter name="x" value="1"></parameter></invoke>', {"x": ""}, ["value <parameter"]),
    ("claude", '<invoke name="f" x="1" y/>', {}, ["x <invoke", "y <invoke"]),
    ("claude", '<invoke id="1" name="f"><parameter name="x">2</parameter></invoke>', {"x": "2"}, ["id <invoke"]),
    (
        "qwen3-coder",
        '<function=f x="1">\n<parameter=y value="2"/></function>',
        {"y": ""},
        ["x <function", "value <parameter"],
    ),
    (
        "deepseek-v3.2",
        '<｜DSML｜invoke name="f" string="true"><｜DSML｜parameter name="x" type="int" string="false">1'
        "</｜DSML｜parameter></｜DSML｜invoke>",
        {"x": 1},
        ["string <｜DSML｜invoke", "type <｜DSML｜parameter"],
    ),
    (
        "glm",
        '<tool_call name="g">f\n<arg_key a="b">x</arg_key><arg_value name="y">1</arg_value></tool_call>',
        {"x": "1"},
        ["name <tool_call", "a <arg_key", "name <arg_value"],
    ),
    ("hermes", '<tool_call id="1">{"name": "f", "arguments": {}}</tool_call>', {}, ["id <tool_call"]),
    ("cline", '<f x="a b"/>', {}, ["x <f"]),
    ("roo", '<f><x value="a b"/></f>', {"x": ""}, ["value <x"]),
    ("cline", "<f name='g'><x>1</x></f>", {"x": "1"}, ["name <f"]),
]


@pytest.mark.parametrize(("preset", "text", "arguments", "dropped"), IN_ATTRIBUTES)
def test_attributes_that_a_format_does_not_have_are_errors(preset, text, arguments, dropped):
    for pieces in ([text], list(text), chunks(text, 7)):
        (call,) = read(pieces, preset, {"f": ["x"]}).calls
        assert (call.name, call.arguments, call.complete) == ("f", arguments, True)
        errors = [error for error in call.errors if error.effect != "kept"]
        assert [(error.code, error.effect) for error in errors] == [("assumed-attribute", "lost")] * len(dropped)
        for error, name_and_tag in zip(errors, dropped, strict=True):
            name, tag = name_and_tag.split()
            assert repr(name) in error.message
            assert text.startswith(tag, error.offset)


NAMELESS = [
    ("claude", "<invoke>{}</invoke>".format('<parameter name="a">x</parameter>')),
    ("claude", '<invoke name=" ">{}</invoke>'.format('<parameter name="a">x</parameter>')),
    ("glm", "<tool_call><arg_key>a</arg_key><arg_value>x</arg_value></tool_call>"),
    ("hermes", '<tool_call>{"name": "", "arguments": {"a": "x"}}</tool_call>'),
]


@pytest.mark.parametrize(("preset", "text"), NAMELESS)
def test_a_call_without_a_name_has_an_error(preset, text):
    for pieces in ([text], list(text)):
        (call,) = read(pieces, preset).calls
        assert (call.name, call.arguments, call.complete) == ("", {"a": "x"}, True)
        assert [(error.code, error.effect) for error in call.errors] == [("assumed-name", "moved")]


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ("", "w(x='1')", "<arg_key>a</arg_key><arg_value>1</arg_value>"),
    ],
)
def test_text_in_place_of_the_name_of_a_tool_is_an_error(before, name, after):
    text = f"{before}<tool_call>\n {name}\n{after}</tool_call>."
    for pieces in ([text], list(text), chunks(text, 7)):
        (call,) = read(pieces, "glm").calls
        assert (call.name, call.complete) == (name, True)
        (error, *_) = call.errors
        place = text.index(name) + len(name)
        assert (error.code, error.effect, error.offset) == ("assumed-name", "moved", place)
    (call,) = read(text, "glm", {name: ["a"]}).calls
    assert "assumed-name" not in [error.code for error in call.errors]


BALANCED = [  # values with the tags of arguments, each with its end tag or no whole tag at all
    ("claude", 'see <parameter name="x">1</parameter> in docs'),
    ("claude", '<parameter name="x">1</parameter>'),
    ("claude", 'see <parameter name="x"/> in docs'),
    ("claude", 'see <parameter name="x"> and <parameter name="y">1</parameter> 2</parameter> in docs'),
    ("claude", "s.find('<parameter name=\"')"),
    ("qwen3-coder", 's.find("<parameter=") > 0 and s.find("</parameter>")'),
    ("glm", "see <arg_key>x</arg_key><arg_value>1</arg_value> in docs"),
    ("cline", "see <content> in docs"),
    ("cline", "usage: <path> [<content>] <write_file> <query>"),
    ("cline", "see <search>\n<query>x</query> </search> in docs"),
    ("cline", "s.replace('</content>', '') and <content>x</content>"),
    ("cline", "see <content>x</content> and <content> in docs"),
]


AS_NAMES = [  # a call whose tags are names, the value of its query, and the tag that shows that an end tag is missing
    ("<query>a <search><query>b</query>", "a <search><query>b", "<search>"),
    ("<query>a</query><note>n</note><query>b</query>", "a</query><note>n</note><query>b", "<query>"),
    ("<query>a <limit>3</limit></search> <f><path>b</query>", "a <limit>3</limit></search> <f><path>b", "<f>"),
]


@pytest.mark.parametrize(("arguments", "query", "tag"), AS_NAMES)
def test_missing_end_tags_with_the_names_of_arguments_are_errors(arguments, query, tag):
    text = f"<search>{arguments}</search>"
    for pieces in ([text], list(text), chunks(text, 7)):
        (call,) = read(pieces, "cline", {"search": ["query", "limit"], "f": ["path"]}).calls
        assert (call.arguments, call.complete) == ({"query": query}, True)
        (error,) = call.errors
        assert (error.code, error.effect) == ("assumed-text", "moved")
        assert repr(tag) in error.message


@pytest.mark.parametrize(("end", "effect"), [("", "moved"), ("</query>", "kept")])
def test_a_call_at_the_beginning_of_a_line_ends_the_one_before(end, effect):
    text = f"<search><query>a{end}\n<search>\n<query>b</query></search>"
    for pieces in ([text], list(text), chunks(text, 7)):
        first, second = read(pieces, "cline", {"search": ["query"]}).calls
        assert (first.arguments["query"][:1], second.arguments, second.errors) == ("a", {"query": "b"}, ())
        assert [error.effect for error in first.errors] == [effect]


@pytest.mark.parametrize(("preset", "content"), BALANCED)
def test_a_value_with_whole_arguments_in_it_has_no_error(preset, content):
    text = write_calls(preset, [("write_file", {"path": "a", "content": content})])
    for pieces in ([text], list(text)):
        (call,) = read(pieces, preset, TOOLS).calls
        assert (call.arguments, call.complete, call.errors) == ({"path": "a", "content": content}, True, ())


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {"hermes", "cline"}))
def test_a_call_that_is_cut_off_has_no_error_of_what_may_follow(preset):
    text = write_calls(preset, [("write_file", {"path": "a", "content": "x"})])
    end = read(text, preset, TOOLS).calls[0].end
    for place in range(end):
        for call in read(text[:place], preset, TOOLS).calls:
            codes = {error.code for error in call.errors}
            assert not codes & {"assumed-text", "assumed-start-tag"}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_places_of_errors_after_lines_of_arguments(size):
    call = "<function=f>\n<parameter=a>\none\ntwo\nthree\n</parameter>\nodd\n</function>\n"
    places = [
        [(error.line, error.column) for error in found.errors] for found in read(chunks(call * 2, size), "qwen3-coder")
    ]
    assert places == [[(9, 0)], [(15, 0)]]


@pytest.mark.parametrize("preset", ["qwen3-coder", "cline"])
def test_line_breaks_of_two_characters_in_pieces(preset):
    calls = [("write_file", {"path": "a", "content": "x\r\n\r\ny\r\n"})]
    text = write_calls(preset, calls).replace("\r\n", "\n").replace("\n", "\r\n")
    for size in (len(text), 1, 2, 3):
        assert calls_of(read(chunks(text, size), preset, TOOLS)) == [(*calls[0], True)]


TRIMMED = [  # a value as written, and as it is read
    ("x", "x"),
    ("x\n", "x"),
    ("x\r\n", "x"),
    ("x\r", "x"),
    ("x\r\n\r\n", "x\r\n"),
    ("\nx\n", "x"),
    ("\r\nx", "x"),
    ("\r\nx\r\n", "x"),
    ("\r\nx\n", "x"),
    ("\rx\r", "x"),
    ("\r\n\r\nx\r\r\n", "\r\nx\r"),
    ("\nx\r\n", "x\r"),  # content that ends in a carriage return, on lines of its own
    ("\r\n", ""),
    ("\r\n\r\n", ""),
    (" \nx\n ", " \nx\n "),
]


@pytest.mark.parametrize(("written", "value"), TRIMMED)
@pytest.mark.parametrize("preset", ["qwen3-coder", "cline", "roo"])
def test_one_line_break_at_each_end_of_a_value_is_dropped(preset, written, value):
    form = "<f><a>{}</a></f>" if preset != "qwen3-coder" else "<function=f><parameter=a>{}</parameter></function>"
    text = form.format(written)
    for size in (len(text), 1, 2, 3):
        (call,) = read(chunks(text, size), preset, {"f": ["a"]}).calls
        assert (call.arguments, call.complete) == ({"a": value}, True)
        reader = CallReader(preset, {"f": ["a"]})
        events = [event for piece in chunks(text, size) for event in reader.feed(piece)]
        assert "".join(event.text for event in events if event.kind == "argument") == value


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_a_line_break_before_the_end_of_a_call_is_not_of_a_value_without_its_end(line_break):
    text = f'<invoke name="search"><parameter name="query">a{line_break}{line_break}</invoke>'
    for size in (len(text), 1, 2, 3):
        assert calls_of(read(chunks(text, size), "claude")) == [("search", {"query": "a" + line_break}, True)]


ENDS_TOO_EARLY = [  # content that has the end tags of its argument and call, and the first end tag in the text after it
    ("claude", "see </parameter></invoke> in docs", "</invoke>"),
    ("qwen3-coder", "see </parameter></function></tool_call> in docs", "</function>"),
    ("glm", "see </arg_value></tool_call> in docs", "</tool_call>"),
    ("cline", "see </content></write_file> in docs", "</write_file>"),
]


@pytest.mark.parametrize(("preset", "content", "end"), ENDS_TOO_EARLY)
def test_an_end_tag_after_a_call_is_an_error_of_the_call(preset, content, end):
    """Nothing else tells that content went on after what looked like the end of the call."""
    calls = [("search", {"query": "a"}), ("write_file", {"path": "a", "content": content}), ("search", {"query": "b"})]
    text = "".join(write_calls(preset, [call]) for call in calls)
    for pieces in ([text], list(text)):
        before, call, after = read(pieces, preset, TOOLS).calls
        assert before.errors == after.errors == ()
        assert (call.arguments["content"].strip(), call.complete) == ("see", True)
        assert [(error.code, error.effect) for error in call.errors] == [("unmatched-end-tag", "moved")]
        assert text.startswith(end, call.errors[0].offset)
        assert call.errors[0].offset > call.end


def test_many_end_tags_after_a_call_are_one_error():
    assert len(read('<invoke name="f"></invoke>' + 9 * " x</invoke>", "claude").calls[0].errors) == 1
    call = '<invoke name="f"></invoke>'
    assert read(f"</invoke> {call} and </function_calls></parameter>", "claude").calls[0].errors == ()


def test_text_in_a_call_is_not_lost():
    call = '<invoke name="f"> so <parameter name="a">1</parameter> and </invoke>'
    text = f"<function_calls> why {call} but </function_calls> x"
    for pieces in ([text], list(text)):
        output = read(pieces, "claude")
        assert output.text == " why  so  and  but  x"
        assert output.calls[0].arguments == {"a": "1"}


def test_white_space_around_tags_is_no_text():
    for preset in PRESETS:
        text = write_calls(preset, [("search", {"query": "a"}), ("search", {"query": "b"})])
        assert read(text, preset, TOOLS).text.strip() == ""
    text = "<function_calls>\n<invoke name='f'>\n</invoke>\n \n</function_calls>"
    for pieces in ([text], list(text), chunks(text, 7)):
        assert read(pieces, "claude").text == ""


_A = '<parameter name="a">2</parameter>'
OUTSIDE_ARGUMENTS = [  # the format, a call up to text in it, the text, and the rest of the call
    ("claude", '<invoke name="f">', '<param name="x">1</param>', f"{_A}</invoke>"),
    ("claude", f'<invoke name="f">{_A} ', '{"x":\n 1}', "\n</invoke>"),
    ("minimax-m2", '<invoke name="f">', "&amp;", f" {_A}</invoke>"),
    (
        "deepseek-v3.2",
        '<｜DSML｜invoke name="f">',
        '<parameter name="z">2</parameter>',
        '<｜DSML｜parameter name="a">2</｜DSML｜parameter></｜DSML｜invoke>',
    ),
    ("qwen3-coder", "<function=f>\n<parameter=a>\n2\n</parameter>\n", "and <b>", "\n</function>"),
    ("seed-oss", "<function=f><parameter=a>2</parameter>", "z", "</function>"),
    ("glm", "<tool_call>f<b>\n", "x = <1>", "<arg_key>a</arg_key><arg_value>2</arg_value></tool_call>"),
    ("glm", "<tool_call>f<b><arg_key>a</arg_key>\n", "z", "\n<arg_value>2</arg_value></tool_call>"),
    ("glm", "<tool_call>f<b>\n", "</arg_value>", "\n<arg_key>a</arg_key><arg_value>2</arg_value></tool_call>"),
    ("cline", "<f>", "b>1</b>", "<a>2</a></f>"),
    ("cline", "<f>\r\n", "<A>1</A>\r\n<A>", "<a>2</a></f>"),
    ("roo", "<f><a>2</a>", "<file>1</file>", "</f>"),
    (Format("act", "input"), '<act name="f"><input name="a">2</input>', "<!-- x -->", "</act>"),
]


@pytest.mark.parametrize(("form", "before", "outside", "after"), OUTSIDE_ARGUMENTS)
def test_text_outside_the_arguments_of_a_call_is_an_error_of_the_call(form, before, outside, after):
    """An argument may be missing that the call seems to have."""
    text = f"see\n{before}{outside}{after}"
    place = len(f"see\n{before}")
    for pieces in ([text], list(text), chunks(text, 7)):
        output = read(pieces, form, {"f": ["a"]})
        (call,) = output.calls
        assert (call.name.removesuffix("<b>"), call.arguments, call.complete) == ("f", {"a": "2"}, True)
        (moved,) = output.parts[output.parts.index(call) + 1 :]
        assert moved.strip() == outside
        assert moved in text
        (error,) = [error for error in call.errors if error.effect != "kept"]
        line_breaks = text.count("\n", 0, place)
        assert (error.effect, error.offset, error.line) == ("moved", place, 1 + line_breaks)


def test_each_text_outside_the_arguments_of_a_call_is_an_error():
    text = f'<invoke name="f">x{_A}y</parameter>y {_A} \xa0\r\n\t {_A}<b></invoke>z'
    for pieces in ([text], list(text)):
        (call,) = read(pieces, "claude").calls
        assert [(text[error.offset], error.code) for error in call.errors if error.effect != "kept"] == [
            ("x", "assumed-text"),
            ("y", "assumed-text"),
            ("<", "unmatched-end-tag"),
            ("<", "assumed-twice"),
            ("<", "assumed-twice"),
            ("<", "assumed-text"),
        ]


def test_what_is_no_call_is_text():
    text = 'Write <tool_call> like this: <tool_call>x</tool_call> or "<parameter=a>" and </parameter> <content>'
    for preset in ("qwen3-coder", "hermes", "minimax-m2", "cline"):
        for pieces in ([text], list(text)):
            output = read(pieces, preset, TOOLS)
            assert output.calls == []
            if preset != "qwen3-coder":
                assert output.text == text
    output = read("<tool_call>not JSON</tool_call>", "hermes")
    assert output.parts == ("<tool_call>not JSON</tool_call>",)


VALUES = [
    ({"type": "integer"}, "7", 7, True),
    ({"type": "integer"}, " 7\n", 7, True),
    ({"type": "integer"}, "7.0", 7, True),
    ({"type": "integer"}, "seven", "seven", False),
    ({"type": "integer"}, "true", "true", False),
    ({"type": "number"}, "7.5", 7.5, True),
    ({"type": "boolean"}, "true", True, True),
    ({"type": "boolean"}, "True", True, True),
    ({"type": "array"}, '["a", 1]', ["a", 1], True),
    ({"type": "object"}, '{"a": 1}', {"a": 1}, True),
    ({"type": "object"}, "[1]", "[1]", False),
    ({"type": ["string", "null"]}, "null", None, True),
    ({"type": ["string", "null"]}, "x", "x", True),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "7", 7, True),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "x", "x", True),
    ({"type": "string"}, "7", "7", True),
    ({}, "7", "7", True),
    ({"anyOf": [{"$ref": "#/x"}, {"type": "null"}]}, "x", "x", True),
    ({"type": "integer"}, "9" * 5000, "9" * 5000, False),
    ({"type": "array"}, "[" * 100_000, "[" * 100_000, False),
]


@pytest.mark.parametrize(("schema", "text", "value", "is_right"), VALUES, ids=[f"{s}{t[:9]}" for s, t, *_ in VALUES])
def test_values_by_schema(schema, text, value, is_right):
    parameters = {"type": "object", "properties": {"a": schema}}
    for tools in (
        {"f": parameters},
        [{"type": "function", "function": {"name": "f", "parameters": parameters}}],
        [{"name": "f", "input_schema": parameters}],
    ):
        (call,) = read(write_calls("claude", [("f", {"a": text})]), "claude", tools).calls
        assert call.arguments == {"a": value}
        assert type(call.arguments["a"]) is type(value)
        assert call.unconverted == (() if is_right else ("a",))


def test_values_that_say_themselves_what_they_are():
    form = '<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="{}">12</｜DSML｜parameter></｜DSML｜invoke>'
    tools = {"f": {"properties": {"a": {"type": "integer"}}}}
    names = {"f": ["a"]}
    for said, known, text, value, is_right in (
        ("true", tools, "12", "12", True),
        ("false", tools, "12", 12, True),
        ("false", None, "12", 12, True),
        ("false", names, "12", 12, True),
        ("?", tools, "12", 12, True),
        ("?", None, "12", "12", True),
        ("false", None, '"five"', "five", True),
        ("false", None, "five<", "five<", False),
        ("false", names, "five<", "five<", False),
        ("false", tools, "five<", "five<", False),
        ("false", {"f": {"properties": {"a": {"type": "string"}}}}, "five<", "five<", True),
    ):
        (call,) = read(form.format(said).replace("12", text), "deepseek-v3.2", known).calls
        assert call.arguments == {"a": value}
        assert call.unconverted == (() if is_right else ("a",))


VALUES_OF_JSON = [
    ({"type": "integer"}, 5, 5, True),
    ({"type": "integer"}, "5", 5, True),
    ({"type": "integer"}, 5.0, 5, True),
    ({"type": "integer"}, 5.5, 5.5, False),
    ({"type": "integer"}, "five", "five", False),
    ({"type": "integer"}, True, True, False),
    ({"type": "integer"}, None, None, False),
    ({"type": "number"}, 5, 5, True),
    ({"type": "boolean"}, "true", True, True),
    ({"type": "string"}, "5", "5", True),
    ({"type": "string"}, 5, 5, False),
    ({"type": ["string", "null"]}, "null", "null", True),
    ({"type": "array"}, '["a"]', ["a"], True),
    ({"type": "object"}, ["a"], ["a"], False),
    ({"anyOf": [{"$ref": "#/x"}, {"type": "null"}]}, {"a": 1}, {"a": 1}, True),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", "x", False),
    ({}, 5, 5, True),
    (True, 5, 5, True),
]


@pytest.mark.parametrize(("schema", "given", "value", "is_right"), VALUES_OF_JSON)
def test_values_of_json_by_schema(schema, given, value, is_right):
    text = write_calls("hermes", [("f", {"a": given, "b": 1})])
    (call,) = read(text, "hermes", {"f": {"properties": {"a": schema}}}).calls
    assert call.arguments == {"a": value, "b": 1}
    assert type(call.arguments["a"]) is type(value)
    assert call.unconverted == (() if is_right else ("a",))
    assert read(text, "hermes").calls[0].arguments == {"a": given, "b": 1}


def test_the_last_value_of_an_argument_counts_for_its_type():
    text = INVOKE.format("".join(f'<parameter name="limit">{value}</parameter>' for value in ("x", "5")))
    (call,) = read(text, "claude", TOOLS).calls
    assert (call.arguments, call.unconverted) == ({"limit": 5}, ())


def test_a_format_of_ones_own():
    own = Format("action", "input", around=("step",), trims=True)
    output = read('<step><action name="go"><input name="to">\nhome\n</input></action></step>', own)
    assert calls_of(output) == [("go", {"to": "home"}, True)]


def test_wrong_use():
    for error, arguments in (
        (ValueError, ("unknown",)),
        (ValueError, ("cline",)),
        (ValueError, ("cline", {"a b": ["c"]})),
        (TypeError, ("claude", {"f": "path"})),
        (TypeError, ("claude", {"f": 1})),
        (TypeError, ("claude", {1: []})),
        (TypeError, ("claude", "f")),
        (TypeError, ("claude", [1])),
        (TypeError, ("claude", [{}])),
    ):
        with pytest.raises(error):
            CallReader(*arguments)
    with pytest.raises(TypeError, match="unknown option 'fence'; the options are fenced, thinking"):
        read("x", "claude", fence=True)
    reader = CallReader("claude")
    for text in ("", '<function_calls><invoke name="f"><parameter name="a">in an argument'):
        reader.feed(text)
        for wrong in (b"x", 5, ["x"], None):
            with pytest.raises(TypeError, match=f"str expected, not {type(wrong).__name__}"):
                reader.feed(wrong)
    with pytest.raises(TypeError, match="not bytes"):
        read(b"x", "claude")
    reader.close()
    with pytest.raises(ValueError, match="close"):
        reader.feed("x")
    assert reader.close() == []
    assert repr(Call("f", 0)) == "<Call 'f' {}, not complete>"


PIECES = [
    "x",
    "<",
    "</",
    "</parameter>",
    "</parameter> x",
    "</function>",
    "<function=a>",
    "<parameter=b>",
    "\n",
    "<tool_call>",
    "<parameter name=\"b\" c='d'",
    "\r",
]


@pytest.mark.parametrize(("part", "size"), one_in(3, product([*PIECES, "<tool_call>"], [1, 1000])))
def test_linear_time(part, size):
    few = 120 if size > 1 else max(30, 125 // len(part))
    for start in ("", "<function=f>", "<function=f><parameter=a>"):

        def parse(document, start=start):
            read(chunks(start + document, size), "qwen3-coder")

        assert_scales_linearly(parse, lambda count: part * count, few, factor=8, slack=2.2, floor=0.002)


@pytest.mark.parametrize("part", ["<f>", "<f><a>", "</a><a>", "<f" + " \n" * 99, "<f" + " x=1" * 9])
def test_linear_time_of_tags_with_the_names_of_arguments(part):
    def parse(document):
        read(f"<f><a>{document}</a></f>", "cline", {"f": ["a"]})

    assert_scales_linearly(parse, lambda count: part * count, 200, factor=8, slack=3, floor=0.003)


@pytest.mark.parametrize("preset", ["glm", "qwen3-coder"])
def test_linear_time_of_white_space(preset):
    """The tag is a call whose name is to come, or around calls."""

    def parse(pieces):
        read(["<tool_call>", *pieces], preset)

    assert_scales_linearly(parse, lambda count: [" \n" * 50 * count] + count * [" "], 100, factor=16)


#: Beginnings after which text is held back, or reported as it comes, until something ends it.
HELD = {
    "text": ("claude", ""),
    "name of a call": ("glm", "<tool_call>"),
    "name of an argument": ("glm", "<tool_call>f\n<arg_key>"),
    "name in a tag": ("qwen3-coder", "<function="),
    "value of an attribute": ("claude", '<invoke name="f" a="'),
    "name in an attribute": ("claude", '<invoke name="'),
    "text before an argument": ("claude", '<invoke name="f">'),
    "argument": ("claude", '<invoke name="f"><parameter name="a">'),
    "call in JSON": ("hermes", "<tool_call>"),
    "argument in JSON": ("hermes", '<tool_call>{"name": "f", "arguments": {"a": "'),
    "end tag": ("qwen3-coder", "<function=f><parameter=a></"),
    "thinking": ("claude", "<think>"),
    "perhaps thinking": ("claude", "x"),
}


@pytest.mark.parametrize(
    ("begun", "filling"), [*product(HELD, ["x", " ", "\n "]), ("thinking", "</"), ("perhaps thinking", "</")]
)
def test_linear_time_of_held_text(begun, filling):
    """The length of what is held back, and the number of pieces that it comes in, grow at once."""
    preset, head = HELD[begun]

    def make(count):
        return [head, *[filling * (64 // len(filling))] * count]

    options = {"thinking": "think"} if "thinking" in begun else {}
    assert_scales_linearly(lambda pieces: read(pieces, preset, **options), make, 2000, factor=16, slack=2)


def test_linear_time_of_a_long_piece():
    """What has been reported of a piece is not copied with each tag."""
    part = "<invoke name='f'><parameter name='a'>x</parameter></invoke>" + "y" * 4000
    assert_scales_linearly(lambda text: read(text, "claude"), lambda count: part * count, 200, factor=8, slack=2)


def test_a_call_may_begin_where_nothing_is_held():
    """An empty tag begins and ends a call; what stands before it is held no more."""
    form = Format("a", "b", key="item", around=("r",))
    for document in ("<a/>\0", "<a/>", "x <a/> y<a/>\n"):
        whole = read(document, form)
        assert repr(read(list(document), form)) == repr(whole)
        assert [error.code for call in whole.calls for error in call.errors] == ["assumed-name"] * len(whole.calls)


@pytest.mark.parametrize("part", ['"', "\\", '{"name": "', "</tool_call>", '"</tool_call>'])
def test_linear_time_of_json(part):
    def parse(document):
        read(chunks("<tool_call>" + document, 7), "hermes")

    assert_scales_linearly(parse, lambda count: part * count, 200, factor=8, slack=3, floor=0.003)


def test_it_is_imported_when_it_is_asked_for():
    code = "import sys, xml5tree; assert not [m for m in sys.modules if m.startswith('xml5tree.tools')]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_long_name_of_the_element_with_the_reasoning():
    """Patterns have all beginnings of its tags."""
    name = "n" * 64
    assert read(f"<{name}>why</{name}>text", "hermes", thinking=name).thinking == "why"
    with pytest.raises(ValueError, match="at most 64 characters"):
        read("text", "hermes", thinking=f"{name}n")


@pytest.mark.parametrize("rest", ["'\"'", '"\'"', " x='\"' y", " x=\"'", " it's \"", "'\"'\"'"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_quotes_within_quotes_of_an_unfinished_tag(rest, size):
    """The tag is read alike in pieces, which may end between two kinds of quotes."""
    form = Format("a", "b")
    text = f"<a{rest}"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert repr(read(pieces, form)) == repr(read(text, form))


def least_time(function):
    """The least processor time of a call, of several."""
    times = []
    for _ in range(7):
        started = time.process_time()
        function()
        times.append(time.process_time() - started)
    return min(times)


@pytest.mark.parametrize("name", FORMATS)
def test_patterns_are_compiled_once_for_equal_names(name):
    first = grammar_of(FORMATS[name], read_tools({"f": ["a"]}))
    again = grammar_of(FORMATS[name], read_tools({"f": {"properties": {"a": {"type": "integer"}}}}))
    assert (first._tag is again._tag, first.of_values is again.of_values) == (True, True)
    assert (first.tools["f"].arguments, again.tools["f"].arguments) == ({"a": {}}, {"a": {"type": "integer"}})
    other = grammar_of(FORMATS[name], read_tools({"g": ["b"]}))
    assert other.names == Grammar(FORMATS[name], frozenset("g"), frozenset("b")).names


@pytest.mark.parametrize("name", [name for name in FORMATS if FORMATS[name].argument or FORMATS[name].key])
def test_text_of_values_is_passed_over(name):
    """In search of what opens a tag, not of all tags at each character."""
    text, each = "x = y + 1\n" * 30_000, re.compile("<a>|()(?!)|</a>")
    ends = ValueEnd(grammar_of(FORMATS[name], {}))

    def read_value():
        ends.begin_value(0, ends._grammar.format.argument, "a", opened="f", depth=0, is_key=False)
        ends.read_tags(text, 0, len(text))

    assert least_time(read_value) < least_time(lambda: each.search(text)) / 2
