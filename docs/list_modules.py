"""Write the package map of docs/internals/architecture.md: packages, and modules outside of them, as they describe it.

usage: python docs/list_modules.py
"""

import ast
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import marked

PAGE = Path(__file__).parent / "internals" / "architecture.md"
PACKAGE = Path(__file__).parent.parent / "xml5tree"
BEGIN = "<!-- The map is made by list_modules.py. -->\n"
END = "<!-- end of the map -->\n"
#: The decisions, rules and sections of specifications that a docstring cites. The map leaves them out.
CITATIONS = re.compile(r" \([^()]*(?:§|[A-Z]-\d{3})[^()]*\)")


def summary(path: Path) -> str:
    """Return the first paragraph of a module's docstring, without citations."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    first = " ".join(docstring.split("\n\n")[0].split())
    return CITATIONS.sub("", first).replace("``", "`").replace("|", "\\|").removesuffix(".")


def rows(folder: Path) -> Iterator[str]:
    """Yield a row for each module of the package that is in no other one, and for each package in it."""
    if folder == PACKAGE:
        for path in sorted(folder.glob("*.py")):
            if path.name != "__init__.py":
                yield f"| `{path.name}` | {summary(path)} |\n"
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        yield f"| `{inner.relative_to(PACKAGE)}/` | {summary(inner / '__init__.py')} |\n"
        yield from rows(inner)


def package_map() -> str:
    """The map in Markdown."""
    return "".join([BEGIN, "\n| module | content |\n|---|---|\n", *rows(PACKAGE), "\n", END])


parts = partial(marked.parts, begin=BEGIN, end=END)


if __name__ == "__main__":
    marked.replace(PAGE, BEGIN, END, package_map())
