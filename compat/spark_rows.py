"""What Spark's own source for XML and this library's make of broken documents: the table in docs/internals/records.md.

usage: python -m compat.spark_rows [--write]

Each document has three records with an id and a title, and one fault. Both sources get the same schema and options.
Counted are the records that come with their id, and the ids and titles that are those which the author wrote. PySpark
has to be installed, with a Java runtime.

--write puts the table into docs/internals/records.md.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from compat.pages import read_part, write_part

ROOT: Final = Path(__file__).parent.parent
_PAGE: Final = ROOT / "docs/internals/records.md"
_BEGIN: Final = "<!-- made by python -m compat.spark_rows --write -->\n"
_END: Final = "<!-- end -->\n"
_FIRST: Final = "<r><item><id>1</id><title>One</title></item>\n"
_LAST: Final = "\n<item><id>3</id><title>Three</title></item></r>"
_SCHEMA: Final = "id int, title string, _corrupt_record string"

#: By the fault: the second record, and its title as the author meant it.
DOCUMENTS: Final = {
    "none": ("<item><id>2</id><title>Two</title></item>", "Two"),
    "`&` in text": ("<item><id>2</id><title>Two & more</title></item>", "Two & more"),
    "`&nbsp;`, not declared": ("<item><id>2</id><title>Two&nbsp;more</title></item>", "Two\N{NO-BREAK SPACE}more"),
    "a prefix that is not declared": ("<item><id>2</id><title>Two</title><m:x/></item>", "Two"),
    "an attribute without quotes": ("<item a=1><id>2</id><title>Two</title></item>", "Two"),
    "a control character": ("<item><id>2</id><title>Two\x0b</title></item>", "Two\x0b"),
    "an end tag in other case": ("<item><id>2</id><title>Two</Title></item>", "Two"),
    "no `</item>`": ("<item><id>2</id><title>Two</title>", "Two"),
    "a quote that is not closed": ('<item a="1><id>2</id><title>Two</title></item>', "Two"),
    "cut off in the third title": ("<item><id>2</id><title>Two</title></item>", "Two"),
}
_CUT_OFF: Final = "cut off in the third title"


def _document(fault: str) -> str:
    text = _FIRST + DOCUMENTS[fault][0] + _LAST
    return text[: text.index("ee</title>")] if fault == _CUT_OFF else text


def _counts(rows: list[Any], title: str) -> str:
    """How many of the records came, and how many of their ids and titles are right."""
    wanted = {1: "One", 2: title, 3: "Three"}
    found = [row for row in rows if row.id in wanted]
    right = len({row.id for row in found}) + sum(wanted[row.id] == row.title for row in found)
    return f"{len(found)} | {right}"


def _reason(rows: list[Any]) -> str:
    """What the rows say of the fault: the code of the first error, and the worst effect."""
    effects = {row._effect for row in rows}
    worst = next((effect for effect in ("lost", "moved", "kept") if effect in effects), None)
    if worst is None:
        return "nothing"
    entry = next(error for row in rows for error in row._errors)
    return f"`{entry.split(': ')[1]}`, {worst}"


def _cells(session: Any, fault: str, path: Path) -> Iterator[str]:
    path.write_text(_document(fault), "utf-8")
    title = DOCUMENTS[fault][1]
    reader = session.read.option("rowTag", "item")
    rows = reader.format("xml").schema(_SCHEMA).load(str(path)).collect()
    yield _counts(rows, title)
    yield "malformed" if any(row._corrupt_record is not None for row in rows) else "nothing"
    schema = f"{_SCHEMA}, _errors array<string>, _effect string"
    rows = reader.format("xml5").schema(schema).load(str(path)).collect()
    yield _counts(rows, title)
    yield _reason(rows)


def table(session: Any) -> str:
    """The table, as Markdown.

    Args:
        session: a Spark session at which the source is registered.
    """
    lines = [
        "| fault | `xml`: rows | right | reported | `xml5`: rows | right | reported |\n|---|--:|--:|---|--:|--:|---|\n"
    ]
    with tempfile.TemporaryDirectory() as folder:
        for number, fault in enumerate(DOCUMENTS):
            cells = _cells(session, fault, Path(folder) / f"{number}.xml")
            lines.append(f"| {fault} | {' | '.join(cells)} |\n")
    return "".join(lines)


def table_of_page() -> str:
    """The table that stands in docs/internals/records.md."""
    part = read_part(_PAGE, _BEGIN, _END)
    return "".join(line for line in part.splitlines(keepends=True) if line.startswith("|"))


def _main() -> None:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help="put the table into docs/internals/records.md")
    write = parser.parse_args().write
    from pyspark.sql import SparkSession

    from xml5tree.spark import XML5DataSource

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(XML5DataSource)
    made = f"{table(session)}\nMade with Spark {metadata.version('pyspark')}.\n"
    session.stop()
    if write:
        write_part(_PAGE, _BEGIN, _END, f"\n{made}")
    else:
        print(made, end="")


if __name__ == "__main__":
    _main()
