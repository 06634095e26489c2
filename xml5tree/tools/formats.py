"""The formats of tool calls, as the projects describe them: a table, which a format is a few lines of."""

from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["FORMATS", "Format"]


class Format(NamedTuple):
    """How a model writes its calls. Names are as in the option `elements`.

    The names of tools and arguments stand in an attribute ``name``, or as in ``<call=name>``, unless said otherwise.

    Attributes:
        call: the element that is a call; "": each tool has an element of its own name.
        argument: the element that is an argument; "": each argument has an element of its own name.
        key: the element with the name of the argument that comes next; the name of the tool is the first text in the
            call then. "": there is none.
        around: elements around calls, which may be missing.
        trims: whether a line break after the start tag of an argument and one before its end tag are no part of it.
        is_json: whether a call is an object of JSON with ``name`` and ``arguments``.
        string_attribute: the attribute of an argument which says by "true" or "false" that it is text, or JSON; "":
            there is none, and only the schema of the tool tells.
    """

    call: str = ""
    argument: str = ""
    key: str = ""
    around: tuple[str, ...] = ()
    trims: bool = False
    is_json: bool = False
    string_attribute: str = ""


FORMATS: Final[Mapping[str, Format]] = {
    # <tool_call>\n<function=name>\n<parameter=key>\nvalue\n</parameter>\n</function>\n</tool_call>
    "qwen3-coder": Format("function", "parameter", around=("tool_call",), trims=True),
    # <seed:tool_call><function=name><parameter=key>value</parameter></function></seed:tool_call>
    "seed-oss": Format("function", "parameter", around=("seed:tool_call",)),
    # <minimax:tool_call><invoke name="name"><parameter name="key">value</parameter></invoke></minimax:tool_call>
    "minimax-m2": Format("invoke", "parameter", around=("minimax:tool_call",)),
    # <function_calls><invoke name="name"><parameter name="key">value</parameter></invoke></function_calls>
    "claude": Format("{*}invoke", "{*}parameter", around=("{*}function_calls",)),
    # The same with a mark of its own before each name, and string="true" or "false" for each argument.
    "deepseek-v3.2": Format(
        "｜DSML｜invoke", "｜DSML｜parameter", around=("｜DSML｜function_calls",), string_attribute="string"
    ),
    # <tool_call>name\n<arg_key>key</arg_key>\n<arg_value>value</arg_value>\n</tool_call>
    "glm": Format("tool_call", "arg_value", key="arg_key"),
    # <tool_call>\n{"name": "name", "arguments": {"key": "value"}}\n</tool_call>
    "hermes": Format("tool_call", is_json=True),
    # <name>\n<key>value</key>\n</name>
    "cline": Format(trims=True),
    "roo": Format(trims=True),
}
