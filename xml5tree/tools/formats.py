"""The formats of tool calls, as a table."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Format(NamedTuple):
    """A format of tool calls. Names are written as in the option `elements`.

    Names of tools and arguments are in an attribute ``name``, or as in ``<call=name>``, unless an option says
    otherwise.

    Attributes:
        call: the element of a call; "": the name of the tool.
        argument: the element of an argument; "": the name of the argument.
        key: the element with the next argument's name; the tool's name is the first text in the call. "": none.
        around: elements around calls, which may be missing.
        trims: as the option `trim_raw`, for arguments.
        is_json: whether a call is a JSON object with ``name`` and ``arguments``, or several.
        string_attribute: the attribute of an argument that says whether it is text or JSON; "": the schema decides.
        name_attribute: the attributes with the names of a tool and of an argument.
        delimiters: what begins a start tag and an end tag, and what ends both.
        spellings: parts of names as they may be written, and as they are meant.
        has_suffix: whether names may end in a colon and more, as in ``<tool_call:opensource>``.
        marks: other texts of the format, which are dropped.
        nests: whether elements in an argument make objects, or lists of ``item``.
    """

    call: str = ""
    argument: str = ""
    key: str = ""
    around: tuple[str, ...] = ()
    trims: bool = False
    is_json: bool = False
    string_attribute: str = ""
    name_attribute: tuple[str, str] = ("name", "name")
    delimiters: tuple[str, str, str] = ("<", "</", ">")
    spellings: tuple[tuple[str, str], ...] = ()
    has_suffix: bool = False
    marks: tuple[str, ...] = ()
    nests: bool = False


_INVOKE: Final = Format("invoke", "parameter")
_FUNCTION: Final = Format("function", "parameter", around=("tool_call",), trims=True)
_DSML: Final = Format(
    "｜DSML｜invoke",
    "｜DSML｜parameter",
    around=("｜DSML｜function_calls", "｜DSML｜tool_calls", "｜DSML｜calls"),
    string_attribute="string",
    spellings=(("|", "｜"), ("GCML", "DSML")),
)
_KEYS: Final = Format("tool_call", "arg_value", key="arg_key", around=("tool_calls",), has_suffix=True)

#: The comment above a format is a call in it, and a public source: the name of a parser in sglang
#: (``srt/function_call``) or vLLM (``tool_parsers``), unless it says otherwise.
FORMATS: Final[Mapping[str, Format]] = {
    # <tool_call>\n<function=name>\n<parameter=key>\nvalue\n</parameter>\n</function>\n</tool_call>
    # (vLLM qwen3coder; also Qwen 3.5 and later, Step 3.5, MiMo, Nemotron 3)
    "qwen3-coder": _FUNCTION,
    # <seed:tool_call><function=name><parameter=key>value</parameter></function></seed:tool_call> (vLLM seed_oss)
    "seed-oss": Format("function", "parameter", around=("seed:tool_call",)),
    # <minimax:tool_call><invoke name="name"><parameter name="key">value</parameter></invoke></minimax:tool_call>
    # (vLLM minimax_m2)
    "minimax-m2": _INVOKE._replace(around=("minimax:tool_call",)),
    # ]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="name">]<]minimax[>[<key>value]<]minimax[>[</key>…
    # (sglang minimax-m3)
    "minimax-m3": Format(
        "invoke", around=("tool_call",), delimiters=("]<]minimax[>[<", "]<]minimax[>[</", ">"), nests=True
    ),
    # <function_calls><invoke name="name"><parameter name="key">value</parameter></invoke></function_calls>
    # (Anthropic's documentation of prompts with tools)
    "claude": Format("{*}invoke", "{*}parameter", around=("{*}function_calls",)),
    # The format above with a mark of its own before each name, and string="true" or "false" for each argument.
    # (sglang deepseekv32, deepseekv4 and deepseekv41: other names of the element around, and a space after the mark)
    "deepseek-v3.2": _DSML,
    "deepseek-v4": _DSML,
    "deepseek-v4.1": _DSML,
    # The format above with another mark. (sglang gigachat35)
    "gigachat-3.5": _DSML,
    # <tool_call>name\n<arg_key>key</arg_key>\n<arg_value>value</arg_value>\n</tool_call> (sglang glm45, glm47)
    "glm": _KEYS,
    # <tool_calls><tool_call>name<tool_sep>\n<arg_key>key</arg_key>\n<arg_value>value</arg_value>…, where all names may
    # have a suffix, such as ":opensource" (sglang hunyuan, vLLM hy_v3 and hy_v4)
    "hunyuan-3": _KEYS,
    # <iquest_tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></iquest_tool_call> (sglang iquest_q1)
    "iquest": _KEYS._replace(call="iquest_tool_call"),
    # <|open|>call tool="name" index="1"<|sep|><|open|>argument key="key" type="string"<|sep|>value<|close|>…
    # (sglang kimi_k3)
    "kimi-k3": Format(
        "call",
        "argument",
        around=("tools",),
        string_attribute="type",
        name_attribute=("tool", "key"),
        delimiters=("<|open|>", "<|close|>", "<|sep|>"),
        marks=("<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>"),
    ),
    # <function name="name"><param name="key"><![CDATA[value]]></param></function> (sglang minicpm5)
    "minicpm5": Format("function", "param"),
    # Marks, and <steptml:invoke name="name"><steptml:parameter name="key">value</steptml:parameter>… (vLLM step3)
    "step3": Format(
        "steptml:invoke",
        "steptml:parameter",
        marks=(
            "<｜tool_calls_begin｜>",
            "<｜tool_call_begin｜>function<｜tool_sep｜>",
            "<｜tool_call_end｜>",
            "<｜tool_calls_end｜>",
        ),
    ),
    # <dots_function_call><invoke name="name"><parameter name="key">value</parameter></invoke>…, or JSON (sglang dots)
    "dots": _INVOKE._replace(around=("dots_function_call",)),
    # <function=name>{"key": value}</function> (the chat template of Llama 3.1, custom tools)
    "llama-3.1": Format("function", "parameter"),
    # <tool_call>\n{"name": "name", "arguments": {"key": "value"}}\n</tool_call> (vLLM hermes)
    "hermes": Format("tool_call", is_json=True),
    # <longcat_tool_call>{"name": "name", "arguments": {"key": "value"}}</longcat_tool_call> (vLLM longcat)
    "longcat": Format("longcat_tool_call", is_json=True),
    # <function_calls>\nname(key="value")\nname()\n</function_calls> (vLLM olmo3)
    "olmo-3": Format("function_calls", is_json=True),
    # <TOOLCALL>[{"name": "name", "arguments": {"key": "value"}}]</TOOLCALL> (vLLM nemotron_json; no model of 2026)
    "nemotron": Format("TOOLCALL", is_json=True),
    # <name>\n<key>value</key>\n</name> (the prompts of these extensions until 2025, before native calls)
    "cline": Format(trims=True),
    "roo": Format(trims=True),
}
