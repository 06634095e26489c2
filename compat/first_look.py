"""How much of the example documents parsers find: the table in README.md.

usage: python compat/first_look.py [--write]

Beside each broken document of docs/examples is what its author meant, mended by hand, in docs/examples/mended. Counted
is how many of the texts and attribute values of that a parser finds in the broken document, on an element of the right
name in an element of the right name. Prefixes and white space at the ends do not count. Every parser gets the bytes of
the file, as from a user who has just met it.

--write puts the table into README.md.
"""

import argparse
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal

from pages import read_part, write_part
from versions import expat, libxml2, require

ROOT: Final = Path(__file__).parent.parent
_EXAMPLES: Final = ROOT / "docs/examples"
_README: Final = ROOT / "README.md"
_TITLE: Final = re.compile(r"^## (\S+): (.*)$", re.MULTILINE)
_BEGIN: Final = "<!-- made by compat/first_look.py --write -->\n"
_END: Final = "<!-- end -->\n"
_ROW: Final = re.compile(r"^\|.*\n", re.MULTILINE)

#: Names of the element around an element, and of that; name of an attribute or "" for text; and the value.
Fact = tuple[str, str, str]


def _local(name: str) -> str:
    return re.split("[}:]", name)[-1]


def _facts(elements: Iterable[tuple[Iterable[str], Mapping[str, str], str]]) -> Counter[Fact]:
    """The facts of elements: names from the root to each, attributes, and the text directly inside."""
    facts: Counter[Fact] = Counter()
    for names, attributes, text in elements:
        path = "/".join(map(_local, names[-2:]))
        facts.update((path, _local(attribute), value) for attribute, value in attributes.items())
        if text := " ".join(text.split()):
            facts[path, "", text] += 1
    return facts


# Parsers ------------------------------------------------------------------------------------------------------------


def _facts_of_tree(root: Any) -> Counter[Fact]:
    return _facts(_elements_of_tree(root, (root.tag,)))


def _elements_of_tree(element: Any, names: tuple[str, ...]) -> Iterator[tuple[Iterable[str], Mapping[str, str], str]]:
    yield names, element.attrib, "".join([element.text or "", *(child.tail or "" for child in element)])
    for child in element:
        if isinstance(child.tag, str):
            yield from _elements_of_tree(child, (*names, child.tag))


def _lxml(data: bytes) -> Counter[Fact]:
    from lxml import etree

    root = etree.fromstring(data, etree.XMLParser(recover=True))
    return Counter() if root is None else _facts_of_tree(root)


def _beautiful_soup(data: bytes) -> Counter[Fact]:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(data, "xml")
    return _facts(
        (
            [parent.name for parent in [*reversed(list(tag.parents)), tag] if parent is not soup],
            tag.attrs,
            "".join(tag.find_all(string=True, recursive=False)),
        )
        for tag in soup.find_all(True)
    )


def _markupever(data: bytes) -> Counter[Fact]:
    import markupever
    from markupever.dom import Element, Text

    def names(element: Any) -> list[str]:
        return [*names(element.parent), element.name.local] if isinstance(element, Element) else []

    elements = [node for node in markupever.parse(data, "xml").root().descendants() if isinstance(node, Element)]
    return _facts(
        (
            names(element),
            {name.local: value for name, value in element.attrs.items()},
            "".join(child.content for child in element.children() if isinstance(child, Text)),
        )
        for element in elements
    )


def _xml5tree(data: bytes, *, recovery: Literal["draft", "intent"]) -> Counter[Fact]:
    import xml5tree

    return _facts_of_tree(xml5tree.fromstring(data, recovery=recovery))


#: What the table calls a parser, and how it reads.
PARSERS: Final[Mapping[str, Callable[[bytes], Counter[Fact]]]] = {
    "lxml, recover": _lxml,
    "BeautifulSoup": _beautiful_soup,
    "markupever": _markupever,
    "xml5tree, draft": lambda data: _xml5tree(data, recovery="draft"),
    "xml5tree": lambda data: _xml5tree(data, recovery="intent"),
}
PACKAGES: Final = ("lxml", "beautifulsoup4", "markupever")


# The table ----------------------------------------------------------------------------------------------------------


def _found(parse: Callable[[bytes], Counter[Fact]], data: bytes, wanted: Counter[Fact]) -> str:
    """How many of the facts a parser finds."""
    try:
        facts = parse(data)
    except Exception:  # each parser has its own exceptions
        return "refuses"
    return str((facts & wanted).total())


def table() -> str:
    """The table, as Markdown."""
    lines = [f"| document | facts | {' | '.join(PARSERS)} |\n|---|---:{'|---:' * len(PARSERS)}|\n"]
    for name, problem in _TITLE.findall((ROOT / "docs/examples.md").read_text("utf-8")):
        wanted = _facts_of_tree(ET.parse(_EXAMPLES / "mended" / name).getroot())
        data = (_EXAMPLES / name).read_bytes()
        cells = [_found(parse, data, wanted) for parse in PARSERS.values()]
        lines.append(f"| [{problem}](docs/examples/{name}) | {wanted.total()} | {' | '.join(cells)} |\n")
    return "".join(lines)


def table_of_readme() -> str:
    """The table that stands in README.md."""
    return "".join(_ROW.findall(read_part(_README, _BEGIN, _END)))


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
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    given = parser.parse_args()
    require(PACKAGES)  # or its column would say that it refuses all documents
    if given.write:
        write_part(_README, _BEGIN, _END, f"\n{table()}\n{versions()}")
    else:
        print(f"{table()}\n{versions()}", end="")


if __name__ == "__main__":
    _main()
