"""What finds the calls of tools in the output of language models: the first table in docs/internals/model-output.md.

usage: python compat/model_calls.py [--write]

The outputs are written for this comparison, after reports of calls that were lost or changed: each kind of fault in
each format that can have it, and what models write in place of a format. Counted are the calls that are found exactly,
name and arguments, and those that are found and are wrong: with another argument, or cut off, so that a program would
carry out what nobody asked for. The ways to read are the regular expressions by which servers of models have read the
formats, as far as they are described (some have programs by now that look further); the XML parser of langchain; lxml
with recover=True and a root element around the output; and xml5tree.tools. Integers count as found where the text says
them.

--write puts the table into docs/internals/model-output.md.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parent.parent
sys.path[:0] = [str(Path(__file__).parent)]

from pages import read_part, write_part  # noqa: E402
from tool_calls import FORMATS, TOOLS, write_call, write_calls  # noqa: E402
from versions import libxml2, version_of  # noqa: E402

_PAGE: Final = ROOT / "docs/internals/model-output.md"
_BEGIN: Final = "<!-- made by compat/model_calls.py --write -->\n"
_END: Final = "<!-- end of the calls -->\n"
_ROW: Final = re.compile(r"^\|.*\n", re.MULTILINE)

Calls = list[tuple[str, dict[str, Any]]]


class Case(NamedTuple):
    """An output of a model.

    Attributes:
        title: what is difficult about it.
        format: its format.
        output: the output.
        wanted: the calls that are there whole.
    """

    title: str
    format: str
    output: str
    wanted: Calls


# Outputs ------------------------------------------------------------------------------------------------------------

_CODE: Final = "def f(a, b):\n    return a < b and b > 0 and a & 1\n"
_MARKUP: Final = '<p class="x">R&amp;D &lt; <b>all</b></p>\n<!-- no comment -->\n<![CDATA[ no section ]]> <br>\n'
#: The end tag of an argument, and of a call.
_ARGUMENT_END: Final = {
    "qwen3-coder": "\n</parameter>",
    "seed-oss": "</parameter>",
    "minimax-m2": "</parameter>",
    "claude": "</parameter>",
    "deepseek-v3.2": "</｜DSML｜parameter>",
    "glm": "</arg_value>",
    "cline": "\n</content>",
}


def _file(content: str) -> tuple[str, dict[str, Any]]:
    return "write_file", {"path": "a.txt", "content": content}


_SEARCH: Final = ("search", {"query": "a < b & c", "limit": 3})


def _cases() -> Iterator[Case]:
    for format in FORMATS:
        yield from _cases_of(format)
        yield from _drift_of(format)


def _cases_of(format: str) -> Iterator[Case]:
    """Yield the outputs in a format."""

    def case(title: str, output: str, *wanted: tuple[str, dict[str, Any]]) -> Case:
        return Case(title, format, output, list(wanted))

    def whole(title: str, *calls: tuple[str, dict[str, Any]]) -> Case:
        return case(title, write_calls(format, calls), *calls)

    file = _file(_CODE)
    text = write_calls(format, [file])
    call_end = FORMATS[format].call[1].format("write_file")
    yield case(
        "prose around two calls",
        f"I <b>think</b> 1 < 2.\n\n{text}\n\nAnd then:\n{write_calls(format, [_SEARCH])}\nDone & done.",
        file,
        _SEARCH,
    )
    yield whole("code, and markup of other kinds, in a value", _file(_CODE + _MARKUP), _SEARCH)
    yield whole("line breaks at both ends of a value", _file("\n\n  x = 1\n\n"))
    end = _ARGUMENT_END.get(format, "\n</tool_call>").strip()
    yield whole("the end tag of the value in it", _file(f"text.replace('{end}', '')\nx = 1\n"), _SEARCH)
    yield whole("the end tag of the call in it", _file(f"text.split('{call_end.strip()}')\n"), _SEARCH)
    yield whole("a whole call in a value, as in a manual", _file(f"Write this:\n{text}\nand wait.\n"))
    yield case("cut off in a value", text[: text.index("return")])
    whole_call = write_call(format, *file)
    cut = text.index(whole_call) + len(whole_call) - len(call_end.lstrip()) + 4
    yield case("cut off in the end tag of the call", text[:cut])
    second = write_calls(format, [_SEARCH])
    yield case("cut off in the second call", f"{text}\n{second[: second.index('a < b') + 3]}", file)
    if format in _ARGUMENT_END:
        last = text.rindex(_ARGUMENT_END[format])
        without = text[:last] + text[last + len(_ARGUMENT_END[format]) :]
        yield case("the last value has no end tag", without, file)
    without = text.replace(call_end, "", 1)
    if format != "hermes":
        yield case("a call has no end tag, and another follows", f"{without}\n{second}", file, _SEARCH)
        name = re.sub(r"\W", "", call_end.rpartition("DSML")[2])
        wrong = call_end.replace(name, name[:-2] + name[-1] + name[-2])
        yield case("the end tag of the call is misspelt", text.replace(call_end, wrong, 1), file)
    if FORMATS[format].around[0]:
        yield case("nothing around the call", f"Now.\n{whole_call}\nDone.", file)
        yield case("what is around the call is not closed", text.replace(FORMATS[format].around[1], ""), file)
    if 'name="' in text:
        yield case("quotes with backslashes", text.replace('="write_file"', '=\\"write_file\\"'), file)
        yield case("single quotes and spaces", text.replace('name="write_file"', " name = 'write_file' "), file)
    if format == "qwen3-coder":
        yield case(
            "attributes for values after the name",
            text.replace("<function=", '<function name="', 1).replace("write_file>", 'write_file">', 1),
            file,
        )


def _drift_of(format: str) -> Iterator[Case]:
    """Yield outputs in which a model leaves its format, or mentions it."""
    file, text = _file(_CODE), write_calls(format, [_file(_CODE)])
    second = write_calls(format, [_SEARCH])
    start, end = (part.format("write_file").strip() for part in FORMATS[format].call)
    start = start.splitlines()[0]
    argument_end = _ARGUMENT_END.get(format, "").strip()

    def case(title: str, output: str, *wanted: tuple[str, dict[str, Any]]) -> Case:
        return Case(title, format, output, list(wanted))

    head = "<tool_call>" if format in {"glm", "hermes"} else start
    yield case("the start tag mentioned as code", f"I begin with `{head}` now.\n{text}", file)
    yield case("the end tag mentioned as code", f"It ends with `{end}`.\n{text}", file)
    yield case("an end tag twice at the end of the call", text.replace(end, f"{end}\n{end}", 1), file)
    yield case("an alien end tag after the call", text.replace(end, f"{end}\n</function_invocation>", 1), file)
    yield case("thinking before the call", f"<think>\nIs a<b? List<int>.\n</think>\n{text}", file)
    yield case("a call in fenced code, and another", f"So:\n```\n{second}\n```\nNow:\n{text}", file)
    yield case("fenced code without an end before", f"So:\n```\nx = 1\n{text}", file)
    yield case("line breaks of two characters around tags", text.replace(f"\n{end}", f"\r\n{end}"), file)
    yield case("two calls without anything between them", text + second, file, _SEARCH)
    yield case("white space at the end of end tags", text.replace(end, f"{end[:-1]} >"), file)
    if argument_end:
        twice = text[::-1].replace(argument_end[::-1], f"{argument_end}\n{argument_end}"[::-1], 1)[::-1]
        yield case("the end tag of the last value twice", twice, file)
        name = re.sub(r"\W", "", argument_end.rpartition("DSML")[2])
        if format not in {"cline", "glm"}:
            yield case("another case in the tags of values", text.replace(name, name.capitalize()), file)
            yield case("a space in the end tags of values", text.replace(f"</{name}", f"</ {name}"), file)
        first = text.index(argument_end)
        if format != "cline":
            without = (text[:first].rstrip("\n") + text[first + len(argument_end) :]).replace("a.txt<", "a.txt\n<")
            yield case("the first value has no end tag", without, file)
    if 'name="' in text:
        yield case("typographic quotes", re.sub('name="(\\w+)"', "name=“\\1”", text), file)
        body = re.sub(f"(?s)({re.escape(start)}).*({re.escape(end)})", r"\1{}\2", text)
        yield case("JSON in place of arguments", body.replace("{}", json.dumps(file[1])), file)
    if format in {"qwen3-coder", "glm"}:
        yield case("JSON in place of the call", write_calls("hermes", [file]), file)
    if format == "qwen3-coder":
        for written in ("parameter = ", "param=", "parameter name="):
            yield case(f"'{written}' in place of 'parameter='", text.replace("parameter=", written), file)
    if format == "hermes":
        yield case("tags in place of the JSON", write_calls("qwen3-coder", [file]), file)
        yield case("several calls in one tag", text.replace(end, second.replace("<tool_call>", "")), file, _SEARCH)
        yield case("'function' in place of 'name'", text.replace('"name"', '"function"'), file)
        yield case("a fence in the tag", text.replace("\n{", "\n```json\n{").replace("}\n", "}\n```\n"), file)


def _is_trimmed(format: str) -> bool:
    return format in {"qwen3-coder", "cline"}


CASES: Final = tuple(_cases())


# Ways to read -------------------------------------------------------------------------------------------------------


def _converted(name: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a call, in which what has to be an integer is one."""
    types = TOOLS.get(name, {}).get("properties", {})

    def value(key: str, text: Any) -> Any:
        is_number = types.get(key, {}).get("type") == "integer" and isinstance(text, str)
        return int(text) if is_number and text.strip().isdecimal() else text

    return name, {key: value(key, text) for key, text in arguments.items()}


_DOTALL: Final = re.DOTALL
_AROUND: Final = {
    "qwen3-coder": r"<tool_call>(.*?)</tool_call>|<tool_call>(.*?)$",
    "seed-oss": r"<seed:tool_call>(.*?)</seed:tool_call>|<seed:tool_call>(.*?)$",
    "minimax-m2": r"<minimax:tool_call>(.*?)</minimax:tool_call>",
    "claude": r"<function_calls>(.*?)</function_calls>",
    "deepseek-v3.2": r"<｜DSML｜function_calls>(.*?)</｜DSML｜function_calls>",
}
_CALL: Final = {
    "qwen3-coder": r"<function=(.*?)</function>|<function=(.*)$",
    "seed-oss": r"<function=(.*?)</function>|<function=(.*)$",
    "minimax-m2": r"<invoke name=(.*?)</invoke>",
    "claude": r"<invoke name=(.*?)</invoke>",
    "deepseek-v3.2": r"<｜DSML｜invoke\s+name=(.*?)</｜DSML｜invoke>",
}
_ARGUMENT: Final = {
    "qwen3-coder": r"<parameter=(.*?)(?:</parameter>|(?=<parameter=)|(?=</function>)|$)",
    "seed-oss": r"<parameter=(.*?)(?:</parameter>|(?=<parameter=)|(?=</function>)|$)",
    "minimax-m2": r"<parameter name=(.*?)</parameter>",
    "claude": r"<parameter name=(.*?)</parameter>",
    "deepseek-v3.2": r"<｜DSML｜parameter\s+name=(.*?)</｜DSML｜parameter>",
}


def _regular_expressions(format: str, output: str) -> Calls:
    if format == "hermes":
        found = re.findall(r"<tool_call>(.*?)</tool_call>|<tool_call>(.*)", output, _DOTALL)
        calls = [json.loads(first or second) for first, second in found]
        return [(call["name"], call["arguments"]) for call in calls]
    if format == "glm":
        return _glm(output)
    if format == "cline":
        return _cline(output)
    blocks = [next(filter(None, groups), "") for groups in _groups(_AROUND[format], output)]
    if not blocks and format in {"qwen3-coder", "seed-oss"}:
        blocks = [output]
    calls = []
    for block in blocks:
        for groups in _groups(_CALL[format], block):
            name, _, body = next(filter(None, groups), "").partition(">")
            arguments = {}
            for argument in re.findall(_ARGUMENT[format], body, _DOTALL):
                key, _, value = argument.partition(">")
                if _is_trimmed(format) or format == "seed-oss":
                    value = value.removeprefix("\n").removesuffix("\n")
                elif format == "minimax-m2":
                    value = value.strip()
                arguments[re.split("[\"' ]", key.strip("\"' "))[0]] = value
            calls.append((name.strip("\"' "), arguments))
    return calls


def _groups(pattern: str, text: str) -> list[tuple[str | None, ...]]:
    return [found.groups() for found in re.finditer(pattern, text, _DOTALL)]


def _glm(output: str) -> Calls:
    calls = []
    for block in re.findall("<tool_call>.*?</tool_call>", output, _DOTALL):
        found = re.search(r"<tool_call>([^\n]*)\n(.*)</tool_call>", block, _DOTALL)
        if found:
            pairs = re.findall(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", found[2], _DOTALL)
            calls.append((found[1], {key.strip(): value.strip() for key, value in pairs}))
    return calls


def _cline(output: str) -> Calls:
    """Find the first end tag of each argument, but the last one of content, as the extension does."""
    calls = []
    for name, body in re.findall(f"<({'|'.join(TOOLS)})>(.*?)</\\1>", output, _DOTALL):
        arguments = {}
        for key in ("path", "query", "limit"):
            if found := re.search(f"<{key}>(.*?)</{key}>", body, _DOTALL):
                arguments[key] = found[1].strip()
        if found := re.search("<content>(.*)</content>", body, _DOTALL):
            arguments["content"] = found[1].removeprefix("\n").removesuffix("\n")
        calls.append((name, arguments))
    return calls


def _lxml(format: str, output: str) -> Calls:
    from lxml import etree

    root = etree.fromstring(f"<root>{output}</root>", etree.XMLParser(recover=True))
    return _of_tree(format, root)


def _of_tree(format: str, root: Any) -> Calls:
    """Return the calls that a tree has, by the names of its elements without their prefixes."""
    calls: Calls = []
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        tag = re.split("[:}｜]", element.tag)[-1]
        text = "".join(element.itertext())
        if format == "hermes" and tag == "tool_call":
            found = json.loads(text)
            calls.append((found["name"], found["arguments"]))
        elif format == "glm" and tag == "tool_call":
            keys, values = ([child.text or "" for child in element.iter(name)] for name in ("arg_key", "arg_value"))
            calls.append(((element.text or "").strip(), dict(zip(keys, values, strict=False))))
        elif format == "cline" and tag in TOOLS:
            trimmed = {child.tag: (child.text or "").removeprefix("\n").removesuffix("\n") for child in element}
            calls.append((tag, trimmed))
        elif tag in {"function", "invoke"} and element.get("name"):
            children = [child for child in element if child.get("name")]
            calls.append((element.get("name"), {child.get("name"): child.text or "" for child in children}))
    return calls


def _langchain(format: str, output: str) -> Calls:
    from langchain_core.output_parsers import XMLOutputParser

    found = XMLOutputParser(parser="xml").parse(output)
    calls: Calls = []
    for tag, content in found.items():
        if format == "hermes" and tag == "tool_call":
            call = json.loads(content)
            calls.append((call["name"], call["arguments"]))
        elif format == "cline" and tag in TOOLS:
            arguments = {key: str(value) for child in content for key, value in child.items()}
            calls.append((tag, {key: text.removeprefix("\n").removesuffix("\n") for key, text in arguments.items()}))
    return calls


def _xml5tree(format: str, output: str) -> Calls:
    from xml5tree.tools import read

    return [(call.name, call.arguments) for call in read(output, format, TOOLS).calls if call.complete]


#: What the table calls a way, and how it reads.
WAYS: Final[Mapping[str, Callable[[str, str], Calls]]] = {
    "regular expressions": _regular_expressions,
    "langchain": _langchain,
    "lxml, recover, in a root": _lxml,
    "xml5tree": _xml5tree,
}


def judge(read: Callable[[str, str], Calls], case: Case) -> tuple[int, int]:
    """Return how many calls a way finds exactly, and how many that are wrong; a way that raises finds none."""
    try:
        found = [_converted(*call) for call in read(case.format, case.output)]
    except ModuleNotFoundError:
        raise
    except Exception:  # each way has its own exceptions
        return 0, 0
    exact = 0
    left = list(case.wanted)
    for call in found:
        if call in left:
            left.remove(call)
            exact += 1
    return exact, len(found) - exact


# The table ----------------------------------------------------------------------------------------------------------


def table() -> str:
    """Return the table, as Markdown."""
    titles = list(dict.fromkeys(case.title for case in CASES))
    lines = [f"| output | outputs | calls | {' | '.join(WAYS)} |\n|---|---:|---:{'|---:' * len(WAYS)}|\n"]
    for title in (*titles, None):
        cases = [case for case in CASES if title in (case.title, None)]
        wanted = sum(len(case.wanted) for case in cases)
        cells = []
        for read in WAYS.values():
            exact, wrong = (sum(numbers) for numbers in zip(*(judge(read, case) for case in cases), strict=True))
            cells.append(f"{exact}, {wrong} wrong" if wrong else str(exact))
        lines.append(f"| {title or 'all'} | {len(cases)} | {wanted} | {' | '.join(cells)} |\n")
    return "".join(lines)


def table_of_page() -> str:
    """Return the table that stands in docs/internals/model-output.md."""
    return "".join(_ROW.findall(read_part(_PAGE, _BEGIN, _END)))


def versions() -> str:
    """Return what the table was made with."""
    return f"Made with Python's `re`, langchain-core {version_of('langchain-core')}, libxml2 {libxml2()}.\n"


def _main() -> None:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help="put the table into docs/internals/model-output.md")
    parser.add_argument("--misses", action="store_true", help="list what xml5tree does not find exactly")
    given = parser.parse_args()
    if version_of("langchain-core") is None:
        sys.exit("not installed: langchain-core; its column would say that it finds nothing")
    if given.misses:
        for case in CASES:
            exact, wrong = judge(_xml5tree, case)
            if exact < len(case.wanted) or wrong:
                print(case.title, case.format, _xml5tree(case.format, case.output), case.output, sep="\n", end="\n\n")
    elif given.write:
        write_part(_PAGE, _BEGIN, _END, f"\n{table()}\n{versions()}")
    else:
        print(f"{table()}\n{versions()}", end="")


if __name__ == "__main__":
    _main()
