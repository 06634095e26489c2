"""What models write in place of their format, each kind in several formats."""

import sys

import pytest
from support.splits import chunks
from test_consumers import compat

from xml5tree.tools import FORMATS, CallReader, Format, read

TOOLS = {"read": {"properties": {"path": {"type": "string"}, "n": {"type": "integer"}}, "required": ["path"]}}
CALL = "<tool_call>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>"
INVOKE = (
    '<function_calls>\n<invoke name="read">\n<parameter name="path">a.txt</parameter>\n</invoke>\n</function_calls>'
)
JSON = '<tool_call>\n{"name": "read", "arguments": {"path": "a.txt"}}\n</tool_call>'
KEYS = "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>"

#: Outputs with the one call read(path="a.txt"), which is to be executed.
RIGHT = {
    "an end tag twice": ("qwen3-coder", CALL.replace("</parameter>", "</parameter>\n</parameter>")),
    "an end tag twice, invoke": ("claude", INVOKE.replace("</parameter>", "</parameter></parameter>")),
    "an end tag twice, keys": ("glm", KEYS.replace("</arg_value>", "</arg_value>\n</arg_value>")),
    "the end tag of a call twice": ("qwen3-coder", CALL.replace("</function>", "</function>\n</function>")),
    "an alien end tag": ("claude", INVOKE.replace("</invoke>", "</invoke></call>\n</invoke>")),
    "typographic quotes": ("claude", INVOKE.replace('"read"', "“read”").replace('"path"', "‘path’")),
    "markup after the name": ("glm", KEYS.replace("read", "read<tool_sep>")),
    "JSON in place of tags": ("qwen3-coder", JSON),
    "JSON in place of keys": ("glm", JSON),
    "tags in place of JSON": ("hermes", CALL),
    "JSON in a tag": ("qwen3-coder", '<function=read>{"path": "a.txt"}</function>'),
    "JSON in an invoke": ("claude", '<invoke name="read">\n{"path": "a.txt"}\n</invoke>'),
    "a mention before": ("hermes", f"I write `<tool_call>` now.\n{JSON}"),
    "a mention in prose before": ("hermes", f"The tag <tool_call> begins it.\n{JSON}"),
    "the start tag twice": ("hermes", f"<tool_call>\n{JSON}"),
    "two mentions before": ("qwen3-coder", f"Write `<function=x>` and `</function>`.\n{CALL}"),
    "another call in fenced code": ("qwen3-coder", f"So:\n```xml\n{CALL}\n```\n{CALL}"),
    "fenced code that does not end": ("qwen3-coder", f"So:\n```\nx\n{CALL}"),
    "the last end tag missing": ("qwen3-coder", CALL.replace("\n</parameter>", "")),
    "the end tag of the call missing": ("qwen3-coder", CALL.replace("\n</function>", "")),
    "spaces in a tag": ("qwen3-coder", CALL.replace("<parameter=path>", "< parameter = path >")),
    "a space in an end tag": ("qwen3-coder", CALL.replace("</parameter>", "</ parameter>")),
    "an end tag without its end": ("qwen3-coder", CALL.replace("</parameter>", "</parameter")),
    "capitals": ("claude", INVOKE.replace("parameter", "Parameter")),
    "another name of the element": ("qwen3-coder", CALL.replace("parameter", "param")),
    "the name as the element": (
        "qwen3-coder",
        CALL.replace("<parameter=path>", "<path>").replace("/parameter", "/path"),
    ),
    "the name in the end tag": ("qwen3-coder", CALL.replace("</parameter>", "</path>")),
    "the call's name as content": ("qwen3-coder", CALL.replace("=read>", ">read</function>", 1)),
    "the call's tag without its end": ("qwen3-coder", CALL.replace("=read>", "=read")),
    "the call's tag with a colon": ("qwen3-coder", CALL.replace("function=", "function:")),
    "the end tag of a key missing": ("glm", KEYS.replace("</arg_key>", "")),
    "the call's tag in place of a key's": ("glm", KEYS.replace("<arg_key>", "<tool_call>")),
    "function for name": ("hermes", JSON.replace('"name"', '"function"')),
    "an object around": (
        "hermes",
        '<tool_call>{"function": {"name": "read", "arguments": {"path": "a.txt"}}}</tool_call>',
    ),
    "a call of Python": ("hermes", '<tool_call>read(path="a.txt")</tool_call>'),
    "a fence in the tag": ("hermes", JSON.replace("\n{", "\n```json\n{").replace("}\n<", "}\n```\n<")),
    "indented": ("cline", "<read>\n  <path>\n    a.txt\n  </path>\n</read>"),
}
#: The same, but not to be executed.
DOUBTFUL = {
    "a brace too many": ("hermes", JSON.replace("}}", "}}}")),
    "an end tag after the JSON": ("hermes", JSON.replace("\n</", "</parameter>\n</")),
    "no tags": ("hermes", JSON[len("<tool_call>\n") : -len("\n</tool_call>")]),
}
#: Outputs without a call.
TEXT = {
    "a mention": ("qwen3-coder", "Write `<function=read>`, then `</function>`."),
    "a mention of a whole call": ("claude", 'Write `<invoke name="read"></invoke>` there.'),
    "fenced code": ("claude", f"```\n{INVOKE}\n```\nDone"),
    "an argument without a call": ("qwen3-coder", "<parameter=path>a.txt</parameter>"),
    "a tag in prose": ("glm", "The tag <tool_call> begins it."),
    "a line break in a name": ("claude", '<invoke name="read {\npath'),
}


def calls_of(format, text, **options):
    found = []
    for pieces in ([text], list(text), chunks(text, 7)):
        output = read(pieces, format, TOOLS, **options)
        found.append(([(call.name, call.arguments, call.complete, call.fault) for call in output], output.text))
    assert found[1:] == found[:-1]
    return found[0]


@pytest.mark.parametrize("name", RIGHT)
def test_right_calls(name):
    for format in (RIGHT[name][0], *(["auto"] if RIGHT[name][0] not in {"cline"} else [])):
        calls, _ = calls_of(format, RIGHT[name][1])
        assert calls == [("read", {"path": "a.txt"}, True, "")]


@pytest.mark.parametrize("name", DOUBTFUL)
def test_doubtful_calls(name):
    [(called, arguments, complete, fault)], _ = calls_of(*DOUBTFUL[name])
    assert (called, arguments, complete) == ("read", {"path": "a.txt"}, True)
    assert fault


@pytest.mark.parametrize("name", TEXT)
def test_text_that_has_no_call(name):
    format, text = TEXT[name]
    assert calls_of(format, text) == ([], text)


def test_what_a_missing_end_tag_may_have_cut_is_not_executed_without_a_schema():
    text = CALL.replace("\n</parameter>", "")
    (call,) = read(text, "qwen3-coder")
    assert "assumed to end" in call.fault
    (call,) = read(text.replace("path", "n"), "qwen3-coder", TOOLS)  # a required argument is missing
    assert call.fault


def test_several_calls_in_one_tag():
    one = '{"name": "read", "arguments": {"path": "a"}}'
    two = '{"name": "read", "arguments": {"path": "b"}}'
    for inside in (f"[{one}, {two}]", f"{one}\n{two}"):
        text = f"<tool_call>{inside}</tool_call>"
        calls, rest = calls_of("hermes", text)
        assert [(name, arguments, fault) for name, arguments, _, fault in calls] == [
            ("read", {"path": "a"}, ""),
            ("read", {"path": "b"}, ""),
        ]
        assert rest == ""


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_calls_of_python(line_break):
    lines = ["<function_calls>", 'f(a="\u00e4</b>", b=null, c={"d": true})', "", "g(", "x=-1", ")", "</function_calls>"]
    text = line_break.join(lines)
    for pieces in ([text], list(text)):
        first, second = read(pieces, "olmo-3")
        assert (first.name, first.arguments, first.fault) == ("f", {"a": "\u00e4</b>", "b": None, "c": {"d": True}}, "")
        assert (second.name, second.arguments, second.fault) == ("g", {"x": -1}, "")
        assert text[second.start : second.end].split() == ["g(", "x=-1", ")", "</function_calls>"]


@pytest.mark.parametrize("line", ["f(1)", "f(**a)", "x=f()", "f(a=g())", "f(a=b)", "f(a=1); g()", "f(a=1"])
def test_what_is_no_call_of_python_is_text(line):
    text = f"<function_calls>\n{line}\n</function_calls>"
    assert calls_of("olmo-3", text) == ([], text)


#: What others write, and no preset reads: each call has a fault, or is text.
NOT_KNOWN = {
    "ZAYA": ("qwen3-coder", "<function=f><parameter><name>k</name><value>v</value></parameter></function>"),
    "Claude 2": ("claude", "<invoke><tool_name>f</tool_name><parameters><k>v</k></parameters></invoke>"),
    "K2 Horizon, typed": (
        Format("ifm|tool_call", "ifm|arg_value", key="ifm|arg_key", around=("ifm|tool_calls",)),
        "<ifm|tool_calls><ifm|tool_call>f<ifm|arg_key>k</ifm|arg_key><ifm|arg_type>string</ifm|arg_type>"
        "<ifm|arg_value>v</ifm|arg_value></ifm|tool_call></ifm|tool_calls>",
    ),
    "Granite 3.1": ("hermes", '<tool_call>[{"name": "f", "arguments": {"k": "v"}}]'),
    "MiniMax-M3, space after its mark": ("minimax-m3", ']<]minimax[>[ <invoke name="f">]<]minimax[>[ </invoke>'),
    "no tags": ("claude", '[f(k="v")]'),
}


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_formats_that_are_not_known_are_never_executed(name):
    for format in (NOT_KNOWN[name][0], "auto"):
        assert all(fault for *_, fault in calls_of(format, NOT_KNOWN[name][1])[0])


def test_json_in_the_element_around_calls():
    for format in ("claude", "dots", "seed-oss", "minimax-m2"):
        [around] = FORMATS[format].around
        around = around.removeprefix("{*}")
        text = f'<{around}>{{"name": "read", "arguments": {{"path": "a.txt"}}}}</{around}>'
        assert calls_of(format, text) == ([("read", {"path": "a.txt"}, True, "")], "")


def test_names_with_a_suffix():
    text = KEYS.replace("read", "read<tool_sep>").replace(">", ":opensource>")
    assert calls_of("hunyuan-3", text) == ([("read", {"path": "a.txt"}, True, "")], "")
    two = text.replace(
        "</arg_value:opensource>\n",
        "<arg_key:opensource>n</arg_key:opensource><arg_value:opensource>1</arg_value:opensource>",
    )
    [(_, arguments, _, fault)], _ = calls_of("hunyuan-3", two)
    assert (arguments, bool(fault)) == ({"path": "a.txt", "n": 1}, True)


def test_what_kimi_writes_around_text():
    text = "<|open|>response<|sep|>Hi<|close|>response<|sep|><|close|>message<|sep|>"
    assert calls_of("kimi-k3", text) == ([], "Hi")


def test_a_start_tag_in_a_string_is_content():
    text = '<tool_call>{"name": "read", "arguments": {"path": "<tool_call>"}}\n' + JSON
    assert [arguments for _, arguments, *_ in calls_of("hermes", text)[0]] == [
        {"path": "<tool_call>"},
        {"path": "a.txt"},
    ]


def test_a_call_in_a_value():
    manual = f"Write:\n{CALL}\nThen wait."
    text = CALL.replace("a.txt", manual)
    calls, _ = calls_of("qwen3-coder", text)
    assert calls == [("read", {"path": manual}, True, "")]


#: Tags around calls without a call, what is left of the text, and in which formats.
ORPHANS = {
    "<tool_call>\n</tool_call>": ("", ["qwen3-coder", "hermes", "glm"]),
    "a\n</tool_call>\nb": ("a\n\nb", ["qwen3-coder", "hermes", "glm"]),
    "</tool_call>": ("", ["qwen3-coder", "hermes", "glm"]),
    "a\n  </function_calls>": ("a\n  ", ["claude"]),
    "a </tool_call> b": ("a </tool_call> b", ["qwen3-coder", "hermes", "glm"]),
    "`</tool_call>`": ("`</tool_call>`", ["qwen3-coder", "hermes", "glm"]),
    "```\n</tool_call>\n```": ("```\n</tool_call>\n```", ["qwen3-coder", "hermes", "glm"]),
}


@pytest.mark.parametrize("text", ORPHANS)
def test_orphans_do_not_stay_in_the_text(text):
    rest, formats = ORPHANS[text]
    for format in (*formats, "auto"):
        assert calls_of(format, text) == ([], rest)


def test_fenced_calls_by_option():
    assert len(read(TEXT["fenced code"][1], "claude", fenced=True)) == 1


def test_mixed_formats():
    text = f"{CALL}\n{INVOKE}\n{JSON}\n{KEYS}"
    assert len(calls_of("auto", text)[0]) == 4


def test_events_tell_empty_and_repeated_arguments():
    reader = CallReader("claude")
    call = '<invoke name="f"><parameter name="a"></parameter><parameter name="a">1</parameter></invoke>'
    events = reader.feed(call) + reader.close()
    kinds = [event.kind for event in events]
    assert kinds == [
        "call",
        *["argument-start", "argument-end"],
        *["argument-start", "argument", "argument-end"],
        "end",
    ]
    assert [event.call.arguments for event in events] == [
        {},
        {},
        {"a": ""},
        {"a": ""},
        {"a": ""},
        {"a": "1"},
        {"a": "1"},
    ]


def test_output_is_a_collection_of_calls():
    output = read(f"x{CALL}", "qwen3-coder")
    assert [call.name for call in output] == ["read"]
    assert output
    assert not read("x", "qwen3-coder")


def test_text_after_a_literal_end_tag_is_not_held_back():
    reader = CallReader("qwen3-coder")
    reader.feed("Use </tool_call> so. ")
    assert sum(len(event.text) for event in reader.feed("x" * 60_000)) == 60_000


#: Outputs, their reasoning, the text beside it, and how many calls there are, also if those in reasoning count.
THINKING = {
    "<think>a</think>b": ("a", "b", 0, 0),
    "a</think>b": ("a", "b", 0, 0),
    "ab": ("", "ab", 0, 0),
    f"a{CALL}": ("", "a", 1, 1),
    f"<think>{CALL}</think>{CALL}": (CALL, "", 1, 2),
    f"a{CALL}b</think>{CALL}": (f"a{CALL}b", "", 1, 2),
    f"{CALL}<think>a{CALL}</think>b{CALL}": (f"a{CALL}", "b", 2, 3),
    f"{CALL}\n<think>a</think>\n{CALL}<think>b</think>": ("ab", "\n\n", 2, 2),
    "<think>a": ("a", "", 0, 0),
    f"<think>a{CALL}": (f"a{CALL}", "", 0, 1),
    "\n<think>a</thinkb</think>": ("a</thinkb", "\n", 0, 0),
    "<think>```\na</think>b<think>c</think>": ("```\nac", "b", 0, 0),
    "<think>a</think>b</think>c": ("a", "b</think>c", 0, 0),
    "<think>a</think>Say `<think>`.": ("a", "Say `<think>`.", 0, 0),
    f"<think>a</think>{CALL.replace('a.txt', '<think>x</think>')}": ("a", "", 1, 1),
    "<thinking>a": ("", "<thinking>a", 0, 0),
}


@pytest.mark.parametrize("text", THINKING)
def test_thinking(text):
    thinking, rest, *counts = THINKING[text]
    for pieces in ([text], list(text), chunks(text, 3)):
        pieces = list(pieces)
        output = read(pieces, "qwen3-coder", thinking="think")
        assert (output.thinking, output.text, len(output)) == (thinking, rest, counts[0])
        output = read(pieces, "qwen3-coder", thinking="think", thinking_calls=True)
        assert (output.thinking, output.text, len(output)) == (thinking.replace(CALL, ""), rest, counts[1])


@pytest.mark.parametrize("format", ["kimi-k3", "minimax-m3", "claude", "hermes"])
def test_the_tags_of_thinking_are_those_of_the_format(format):
    opens, closes, ends = FORMATS[format].delimiters
    for text in (f"{opens}think{ends}a<b{closes}think{ends}c", "<think>a<b</think>c", "a<b</think>c"):
        for pieces in ([text], list(text)):
            output = read(pieces, format, thinking="think")
            assert (output.thinking, output.text) == ("a<b", "c")


def test_thinking_comes_at_once_if_its_start_tag_was_fed():
    reader = CallReader("claude", thinking="think")
    found = [event for text in ("<think>", "a", "b</thi", "nk>", "c") for event in reader.feed(text)]
    assert [(event.kind, event.text) for event in found] == [
        ("thinking", "a"),
        ("thinking", "b"),
        ("text", "c"),
    ]
    assert CallReader("claude", thinking="think").feed("a") == []


#: What is nearly the JSON of an object with a, True, and b, None, and whether it is read without being repaired.
NEARLY = {
    "{'a': True, 'b': None,}": True,
    '{"a": true, "b": null,}': False,
    '{"a": True, "b": None}': True,
    '{"a": true "b": null}': False,
    '{"a": true, "b": null}}': False,
    '```json\n{"a": true, "b": null}\n```': False,
    '{"a": true, "b": null': False,
}


@pytest.mark.parametrize("value", NEARLY)
def test_json_is_repaired_by_option(value):
    compat("json_repair")
    tools = {"f": {"properties": {"o": {"type": "object"}}}}
    text = f'<invoke name="f"><parameter name="o">{value}</parameter></invoke>'
    (call,) = read(text, "claude", tools, repair_json=True)
    assert call.arguments == {"o": {"a": True, "b": None}}
    assert [error.effect for error in call.errors] == ["kept" if NEARLY[value] else "moved"]
    (call,) = read(text, "claude", tools)
    assert call.unconverted == (() if NEARLY[value] else ("o",))
    assert (call.arguments["o"] == value) is not NEARLY[value]


@pytest.mark.parametrize(
    "value", [r'{"name": "f", "arguments": {"a": "\d+"}}', '{"name": "f", "arguments": {"a": "x",}}']
)
def test_a_call_in_json_is_repaired_by_option(value):
    compat("json_repair")
    text = f"<tool_call>{value}</tool_call>"
    (call,) = read(text, "hermes", repair_json=True)
    assert call.arguments["a"] in {r"\d+", "x"}
    assert "was repaired" in call.fault
    (call,) = read(text, "hermes")
    assert not call.complete


def test_without_the_library_the_option_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "json_repair", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'xml5tree\[model\]'"):
        read("<tool_call>{x</tool_call>", "hermes", repair_json=True)
