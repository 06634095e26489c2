"""How long this library's Spark source takes beside Spark's own for XML: a table in docs/internals/records.md.

usage: nice python -m compat.spark_speed [--megabytes N] [--rounds N] [--profile] [--write]

Both sources read the same file of records without errors with the same schema and options, every row with all its
columns, into Spark's sink that drops them. A figure is the least of all rounds by the clock, in which the sources take
turns, after one that does not count; starting Spark does not count either. PySpark has to be installed, with a Java
runtime.

--profile shows instead what a task of this library's source spends its time on, in this process.
--write puts the table into docs/internals/records.md.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from compat.pages import write_part

ROOT: Final = Path(__file__).parent.parent
_PAGE: Final = ROOT / "docs/internals/records.md"
_BEGIN: Final = "<!-- made by python -m compat.spark_speed --write -->\n"
_END: Final = "<!-- end -->\n"
_TEXT: Final = "lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor "
#: Records by their kind, with their schemas.
KINDS: Final = {
    "7 values, 840 bytes": (
        '<item id="{0}"><title>Story {0} and more</title><link>https://example.org/stories/{0}</link>'
        "<author>someone</author><date>2026-01-01T12:00:00Z</date><description>" + _TEXT * 8 + "</description>"
        "<n>{0}</n></item>\n",
        "_id long, title string, link string, author string, date timestamp, description string, n long",
    ),
    "7 values, 240 bytes": (
        '<item id="{0}"><title>Story {0} and more</title><link>https://example.org/stories/{0}</link>'
        "<author>someone</author><date>2026-01-01T12:00:00Z</date><description>" + _TEXT[:40] + "</description>"
        "<n>{0}</n></item>\n",
        "_id long, title string, link string, author string, date timestamp, description string, n long",
    ),
    "lists and structures, 330 bytes": (
        '<item id="{0}"><title lang="en">Story {0} and more</title><tag>one</tag><tag>two</tag><author><name>someone'
        "</name><mail>someone@example.org</mail></author><description>"
        + _TEXT[:40]
        + "</description><n>{0}</n></item>\n",
        "_id long, title struct<_lang:string,_VALUE:string>, tag array<string>, "
        "author struct<name:string,mail:string>, description string, n long",
    ),
}


def make(path: Path, record: str, megabytes: int) -> int:
    """Make a file; how many records there are in it."""
    number = size = 0
    with path.open("w") as file:
        size += file.write("<rss><channel>\n")
        while size < megabytes * 1_000_000:
            number += 1
            size += file.write(record.format(number))
        file.write("</channel></rss>\n")
    return number


def _reading(session: Any, source: str, schema: str, path: Path) -> Callable[[], None]:
    frame = session.read.format(source).option("rowTag", "item").schema(schema).load(str(path))
    return lambda: frame.write.format("noop").mode("overwrite").save()


def _least(readings: list[Callable[[], None]], rounds: int) -> list[float]:
    """The least seconds of each of some readings."""
    found = [float("inf")] * len(readings)
    for turn in range(rounds + 1):
        for number, read in enumerate(readings):
            start = time.perf_counter()
            read()
            if turn:
                found[number] = min(found[number], time.perf_counter() - start)
    return found


def _session(cores: int) -> Any:
    from pyspark.sql import SparkSession

    from xml5tree.spark import XML5DataSource

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(XML5DataSource)
    return session


def table(megabytes: int, rounds: int) -> str:
    """The table, as Markdown."""
    session = _session(2)
    lines = ["| records | `xml`, rows/s | `xml5`, rows/s | time, `xml5` ÷ `xml` |\n|---|--:|--:|--:|\n"]
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (record, schema)) in enumerate(KINDS.items()):
            path = Path(folder, f"{number}.xml")
            rows = make(path, record, megabytes)
            theirs, ours = _least([_reading(session, source, schema, path) for source in ("xml", "xml5")], rounds)
            lines.append(f"| {name} | {rows / theirs:,.0f} | {rows / ours:,.0f} | {ours / theirs:.2f} |\n")
            print(lines[-1], end="", file=sys.stderr, flush=True)
    session.stop()
    return "".join(lines)


def profile(megabytes: int) -> None:
    """Print what a task spends its time on."""
    import cProfile
    import pstats

    from pyspark.sql.types import StructType

    from xml5tree.spark import XML5DataSource

    session = _session(1)  # which reads the schemas
    with tempfile.TemporaryDirectory() as folder:
        for record, schema in KINDS.values():
            path = Path(folder, "profile.xml")
            rows = make(path, record, megabytes)
            source = XML5DataSource({"rowTag": "item", "path": str(path)})
            reader = source.reader(StructType.fromDDL(schema))
            parts = reader.partitions()
            start = time.process_time()
            assert sum(batch.num_rows for part in parts for batch in reader.read(part)) == rows
            print(f"{rows / (time.process_time() - start):,.0f} rows/s in this process")
            with cProfile.Profile() as profiler:
                for part in parts:
                    for _ in reader.read(part):
                        pass
            pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    session.stop()


def _main() -> None:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--megabytes", type=int, default=50, help="size of each file (50)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count (5)")
    parser.add_argument("--profile", action="store_true", help="show what a task spends its time on")
    parser.add_argument("--write", action="store_true", help="put the table into docs/internals/records.md")
    arguments = parser.parse_args()
    if arguments.profile:
        profile(arguments.megabytes)
        return
    made = f"{table(arguments.megabytes, arguments.rounds)}\nMade with Spark {metadata.version('pyspark')}.\n"
    if arguments.write:
        write_part(_PAGE, _BEGIN, _END, f"\n{made}")
    else:
        print(made, end="")


if __name__ == "__main__":
    _main()
