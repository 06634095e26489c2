"""The formats of tool calls, as a table."""

from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["FORMATS", "Format"]


class Format(NamedTuple):
    """A format of tool calls. Names are written as in the option `elements`.

    The name of a tool or argument is in an attribute ``name``, or as in ``<call=name>``, unless an option says
    otherwise.

    Attributes:
        call: the element of a call; "": the name of the tool.
        argument: the element of an argument; "": the name of the argument.
        key: the element with the name of the next argument; the tool's name is the first text in the call. "": none.
        around: elements around calls, which may be missing.
        trims: as the option `trim_raw`, for arguments.
        is_json: whether a call is a JSON object with ``name`` and ``arguments``.
        string_attribute: the attribute of an argument that is "true" for text and "false" for JSON; "": the tool's
            schema decides.
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
    # The format above with a mark of its own before each name, and string="true" or "false" for each argument.
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
