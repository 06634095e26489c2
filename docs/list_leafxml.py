"""Write the table of docs/internals/leafxml.md anew: what becomes of the example documents in XML5 and in LeafXML.

usage: python docs/list_leafxml.py
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import marked

import xml5tree

PAGE = Path(__file__).parent / "internals" / "leafxml.md"
EXAMPLES = Path(__file__).parent / "examples"
BEGIN = "<!-- The table is made by list_leafxml.py. -->\n"
END = "<!-- end -->\n"


def documents() -> Iterator[Path]:
    """The example documents."""
    return (EXAMPLES / mended.name for mended in sorted((EXAMPLES / "mended").iterdir()))


def table() -> str:
    """The table in Markdown."""
    lines = [
        BEGIN,
        "\n| document | XML5: entries in the log | LeafXML: line, column and code of the error | mended by hand |\n",
        "|---|---:|---|---|\n",
    ]
    for path in documents():
        parser = xml5tree.XMLParser()
        xml5tree.parse(path, parser=parser)
        mended = outcome(EXAMPLES / "mended" / path.name)
        lines.append(
            f"| [{path.name}](../examples/{path.name}) | {len(parser.error_log)} | {outcome(path)} | {mended} |\n"
        )
    return "".join([*lines, "\n", END])


def outcome(path: Path) -> str:
    """What LeafXML says of a document."""
    try:
        xml5tree.parse(path, dialect="leafxml")
    except xml5tree.ParseError as error:
        line, column = error.position
        return f"{line}:{column} `{error.code}`: {error.reason}"
    return "its tree"


parts = partial(marked.parts, begin=BEGIN, end=END)


if __name__ == "__main__":
    marked.replace(PAGE, BEGIN, END, table())
