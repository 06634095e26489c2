"""What parsers find in the output of language models: the table in docs/internals/model-output.md.

usage: python compat/model_output.py [--write]

Each case is a small output of one of the kinds that people have trouble with, with the elements that its reader asked
the model for, and what stands in them: texts and attribute values. Counted is how many of these a parser finds, on an
element of the right name. White space at the ends of a text does not count, and neither does the nesting of elements.
The ways to parse are those that are found in programs: a regular expression for each element; a root element written
around the output, for a parser of XML; BeautifulSoup.

--write puts the table into docs/internals/model-output.md.
"""

import argparse
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parent.parent
sys.path[:0] = [str(Path(__file__).parent)]

from pages import read_part, write_part  # noqa: E402
from versions import expat, libxml2, require  # noqa: E402

_PAGE: Final = ROOT / "docs/internals/model-output.md"
_BEGIN: Final = "<!-- made by compat/model_output.py --write -->\n"
_END: Final = "<!-- end -->\n"
_ROW: Final = re.compile(r"^\|.*\n", re.MULTILINE)

#: Name of an element, name of an attribute or "" for text, and the value.
Fact = tuple[str, str, str]


class Case(NamedTuple):
    """An output of a model.

    Attributes:
        title: what is difficult about it.
        output: the output.
        elements: the elements that were asked for.
        wanted: what stands in it.
    """

    title: str
    output: str
    elements: frozenset[str]
    wanted: tuple[Fact, ...]


def _case(title: str, output: str, elements: str, *wanted: tuple[str, ...]) -> Case:
    facts = tuple((fact[0], fact[1] if len(fact) == 3 else "", fact[-1]) for fact in wanted)
    return Case(title, output, frozenset(elements.split()), facts)


CASES: Final = (
    _case(
        "reasoning before the answer, with comparisons",
        "<think>\nIs a<b? 2 < 3, so yes; c>d does not matter.\n</think>\nYes.\n<answer>true</answer>",
        "think answer",
        ("think", "Is a<b? 2 < 3, so yes; c>d does not matter."),
        ("answer", "true"),
    ),
    _case(
        "a value that ends in a less-than sign",
        "<tool_call>grep\n<arg_key>pattern</arg_key>\n<arg_value>if x .<</arg_value>\n</tool_call>",
        "tool_call arg_key arg_value",
        ("tool_call", "grep"),
        ("arg_key", "pattern"),
        ("arg_value", "if x .<"),
    ),
    _case(
        "raw ampersands, and references",
        "<question>Is 3 < 4 && 4 > 3?</question>\n<answer>Yes &amp; no; R&D says &quot;3 &lt; 4&quot;.</answer>",
        "question answer",
        ("question", "Is 3 < 4 && 4 > 3?"),
        ("answer", 'Yes & no; R&D says "3 < 4".'),
    ),
    _case(
        "several answers with numbered prose between them",
        "Here is what I remember:\n\n1. <item>likes tea</item>\n2. <item>has a cat & a dog</item>\n"
        "3. <item>lives in Graz</item>\n\nAnything else?",
        "item",
        ("item", "likes tea"),
        ("item", "has a cat & a dog"),
        ("item", "lives in Graz"),
    ),
    _case(
        "misspelt end tags",
        "<summary>All good</summry>\n<answer>42</anwser>\n<score>7</Score>",
        "summary answer score",
        ("summary", "All good"),
        ("answer", "42"),
        ("score", "7"),
    ),
    _case(
        "stray brackets, and tags that nobody asked for",
        "<tasks>[<task>write <tests> for <b>all</b></task>, <task>ship it</task>>]</tasks> <",
        "tasks task",
        ("task", "write <tests> for <b>all</b>"),
        ("task", "ship it"),
    ),
    _case(
        "code with generics",
        '<file path="Box.java">\nclass Box<T extends Comparable<T>> {\n  List<String> names;\n'
        '  boolean f(int a, int b) { return a<b && b>0; }\n}\n</file>\n<file path="a.h">#include <vector></file>',
        "file",
        ("file", "path", "Box.java"),
        (
            "file",
            "class Box<T extends Comparable<T>> {\n  List<String> names;\n"
            "  boolean f(int a, int b) { return a<b && b>0; }\n}",
        ),
        ("file", "path", "a.h"),
        ("file", "#include <vector>"),
    ),
    _case(
        "calls, cut off in an end tag",
        "<call><name>search</name><query>xml</query></call>\n<call><name>open</name><query>https://example.org/?a=1&b=2"
        "</que",
        "call name query",
        ("name", "search"),
        ("query", "xml"),
        ("name", "open"),
        ("query", "https://example.org/?a=1&b=2"),
    ),
    _case(
        "HTML in attribute values",
        '<cell value="<b>Total</b><br/>1 & 2" id="1">Sum</cell>\n<cell value="x > y" id="2">a</cell>',
        "cell",
        ("cell", "value", "<b>Total</b><br/>1 & 2"),
        ("cell", "id", "1"),
        ("cell", "Sum"),
        ("cell", "value", "x > y"),
        ("cell", "id", "2"),
        ("cell", "a"),
    ),
    _case(
        "a fence around, and junk after the end",
        "```xml\n<result><title>A</title><title>B</title></result>\n```\nI hope this helps! If a<b, <ask> me.</result>",
        "result title",
        ("title", "A"),
        ("title", "B"),
    ),
)


# Parsers ------------------------------------------------------------------------------------------------------------


def _found(elements: list[tuple[str, Mapping[str, str], str]]) -> Counter[Fact]:
    """The facts of elements, each of which is a name, attributes, and the text directly inside."""
    facts: Counter[Fact] = Counter()
    for name, attributes, text in elements:
        facts.update((name, attribute, value) for attribute, value in attributes.items())
        facts[name, "", text.strip()] += 1
    return facts


def _of_tree(root: Any, names: frozenset[str]) -> Counter[Fact]:
    found = [element for element in root.iter() if element.tag in names]
    return _found(
        [
            (element.tag, element.attrib, "".join([element.text or "", *(child.tail or "" for child in element)]))
            for element in found
        ]
    )


def _regular_expression(output: str, names: frozenset[str]) -> Counter[Fact]:
    found = []
    for name in names:
        for attributes, text in re.findall(rf"<{name}((?:\s[^>]*)?)>(.*?)</{name}>", output, re.DOTALL):
            found.append((name, dict(re.findall(r'([\w-]+)="([^"]*)"', attributes)), text))
    return _found(found)


def _element_tree(output: str, names: frozenset[str]) -> Counter[Fact]:
    return _of_tree(ET.fromstring(f"<root>{output}</root>"), names)


def _lxml(output: str, names: frozenset[str]) -> Counter[Fact]:
    from lxml import etree

    return _of_tree(etree.fromstring(f"<root>{output}</root>", etree.XMLParser(recover=True)), names)


def _beautiful_soup(output: str, names: frozenset[str]) -> Counter[Fact]:
    from bs4 import BeautifulSoup

    elements = BeautifulSoup(output, "html.parser").find_all(sorted(names))
    return _found([(tag.name, tag.attrs, "".join(tag.find_all(string=True, recursive=False))) for tag in elements])


def _xml5tree(output: str, names: frozenset[str]) -> Counter[Fact]:
    import xml5tree

    return _of_tree(xml5tree.fromstring(output, elements=names, roots="all", recovery="intent"), names)


#: What the table calls a parser, and how it reads.
PARSERS: Final[Mapping[str, Callable[[str, frozenset[str]], Counter[Fact]]]] = {
    "regular expression": _regular_expression,
    "ElementTree, in a root": _element_tree,
    "lxml, recover, in a root": _lxml,
    "BeautifulSoup": _beautiful_soup,
    "xml5tree": _xml5tree,
}
PACKAGES: Final = ("lxml", "beautifulsoup4")


# The table ----------------------------------------------------------------------------------------------------------


def found(parse: Callable[[str, frozenset[str]], Counter[Fact]], case: Case) -> int | None:
    """How many of the facts a parser finds; None where it refuses the output."""
    try:
        facts = parse(case.output, case.elements)
    except Exception:  # each parser has its own exceptions
        return None
    return (facts & Counter(case.wanted)).total()


def table() -> str:
    """The table, as Markdown."""
    lines = [f"| output | facts | {' | '.join(PARSERS)} |\n|---|---:{'|---:' * len(PARSERS)}|\n"]
    totals = dict.fromkeys(PARSERS, 0)
    for case in CASES:
        counts = {name: found(parse, case) for name, parse in PARSERS.items()}
        for name, count in counts.items():
            totals[name] += count or 0
        cells = ["refuses" if count is None else str(count) for count in counts.values()]
        lines.append(f"| {case.title} | {len(case.wanted)} | {' | '.join(cells)} |\n")
    whole = sum(len(case.wanted) for case in CASES)
    lines.append(f"| all | {whole} | {' | '.join(map(str, totals.values()))} |\n")
    return "".join(lines)


def table_of_page() -> str:
    """The table that stands in docs/internals/model-output.md."""
    return "".join(_ROW.findall(read_part(_PAGE, _BEGIN, _END)))


def versions() -> str:
    """What the table was made with."""
    packages = ", ".join(f"{package} {metadata.version(package)}" for package in PACKAGES)
    return f"Made with {expat()}, libxml2 {libxml2()}, {packages}.\n"


def _main() -> None:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help="put the table into docs/internals/model-output.md")
    given = parser.parse_args()
    require(PACKAGES)  # or its column would say that it refuses all documents
    if given.write:
        write_part(_PAGE, _BEGIN, _END, f"\n{table()}\n{versions()}")
    else:
        print(f"{table()}\n{versions()}", end="")


if __name__ == "__main__":
    _main()
