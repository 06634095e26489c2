"""Tool calls as language models write them.

How the formats are written, for tests and for the comparison of docs/internals/model-output.md.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

__all__ = ["FORMATS", "TOOLS", "write_call", "write_calls"]


class Form(NamedTuple):
    """How a format is written.

    Attributes:
        around: what stands before and after all calls, and what between two.
        call: what stands before and after the arguments; ``{}`` is the name.
        argument: an argument; ``{0}`` is its name and ``{1}`` its value.
    """

    around: tuple[str, str, str]
    call: tuple[str, str]
    argument: str


FORMATS: Final[Mapping[str, Form]] = {
    "qwen3-coder": Form(
        ("<tool_call>\n", "\n</tool_call>", "\n</tool_call>\n<tool_call>\n"),
        ("<function={}>\n", "</function>"),
        "<parameter={0}>\n{1}\n</parameter>\n",
    ),
    "seed-oss": Form(
        ("<seed:tool_call>\n", "\n</seed:tool_call>", "\n</seed:tool_call>\n<seed:tool_call>\n"),
        ("<function={}>\n", "</function>"),
        "<parameter={0}>{1}</parameter>\n",
    ),
    "minimax-m2": Form(
        ("<minimax:tool_call>\n", "\n</minimax:tool_call>", "\n"),
        ('<invoke name="{}">\n', "</invoke>"),
        '<parameter name="{0}">{1}</parameter>\n',
    ),
    "claude": Form(
        ("<function_calls>\n", "\n</function_calls>", "\n"),
        ('<invoke name="{}">\n', "</invoke>"),
        '<parameter name="{0}">{1}</parameter>\n',
    ),
    "deepseek-v3.2": Form(
        ("<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>", "\n"),
        ('<｜DSML｜invoke name="{}">\n', "</｜DSML｜invoke>"),
        '<｜DSML｜parameter name="{0}" string="true">{1}</｜DSML｜parameter>\n',
    ),
    "glm": Form(
        ("", "", "\n"),
        ("<tool_call>{}\n", "</tool_call>"),
        "<arg_key>{0}</arg_key>\n<arg_value>{1}</arg_value>\n",
    ),
    "hermes": Form(("", "", "\n"), ("<tool_call>\n", "\n</tool_call>"), ""),
    "cline": Form(("", "", "\n\n"), ("<{}>\n", "</{}>"), "<{0}>\n{1}\n</{0}>\n"),
}
#: The tools of all cases.
TOOLS: Final[Mapping[str, Mapping[str, Any]]] = {
    "write_file": {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}},
    "search": {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}},
}


def write_call(format: str, name: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as a format has it, without what stands around calls."""
    form = FORMATS[format]
    if format == "hermes":
        return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False).join(form.call)
    written = "".join([form.argument.format(key, value) for key, value in arguments.items()])
    return written.join(part.format(name) for part in form.call)


def write_calls(format: str, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Return calls as a format has them."""
    before, after, between = FORMATS[format].around
    return before + between.join([write_call(format, name, arguments) for name, arguments in calls]) + after
