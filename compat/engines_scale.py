"""Rows a second by engine, size of the file and number of tasks: a section of docs/internals/records.md.

usage: nice -n 10 python -m compat.engines_scale [--megabytes N …] [--engine NAME …] [--write]

One file of records with six elements, every hundredth with an error, is read in ranges of 8 MB; three columns of each
row and its effect are looked at, and the rows are counted. Each measurement is a process of its own; starting the
engine does not count, and a small file is read first. By the clock: other work on the machine slows it down.

--write puts the section into docs/internals/records.md. Do that on a machine without other work only.
"""

import argparse
import json
import os
import platform
import subprocess
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
_BEGIN: Final = "<!-- made by python -m compat.engines_scale --write -->\n"
_END: Final = "<!-- end of the scale -->\n"
_SECTION: Final = """
## Engines: how fast

Rows a second of one file, by its size and by the number of tasks. A record has six elements and some 840 bytes; every
hundredth has an error. *MB/s* is of the largest file. A terabyte is computed from *MB/s*, and was not tried.
With *n* times as many tasks on as many more cores, a terabyte should take an *n*th of the time: tasks share nothing but
the first megabyte of the file, which each task reads.

"""
_RANGE: Final = 8 << 20
_FIELDS: Final = {"title": "title", "link": "link", "author": "author"}
ITEM: Final = (
    '<item id="{0}"><title>Story {0} {1} more</title><link>https://example.org/stories/{0}</link><author>someone</author>'
    "<date>2026-01-01T12:00:00Z</date><description>{2}</description><n>{0}</n></item>\n"
)
TEXT: Final = "lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor " * 8


def make(path: Path, megabytes: int) -> int:
    """Make a file; how many records there are in it."""
    number = size = 0
    with path.open("w") as file:
        size += file.write("<rss><channel>\n")
        while size < megabytes * 1_000_000:
            number += 1
            size += file.write(ITEM.format(number, "and" if number % 100 else "&", TEXT))
        file.write("</channel></rss>\n")
    return number


def _count(part: Any) -> int:
    """Look at the rows of a range."""
    from xml5tree.ranges import read

    found = (
        (record["title"], record["link"], record["author"], record.effect)
        for record in read(part, "item", fields=_FIELDS)
    )
    return sum(1 for _ in found)


def _whole(tasks: int) -> Callable[[str], int]:
    """One process, without an engine and without ranges."""
    from xml5tree import records

    def count(path: str) -> int:
        found = (
            (record["title"], record["link"], record["author"], record.effect)
            for record in records(path, fields=_FIELDS)
        )
        return sum(1 for _ in found)

    return count


def _processes(tasks: int) -> Callable[[str], int]:
    """Processes of Python's own pool."""
    from concurrent.futures import ProcessPoolExecutor

    from xml5tree.ranges import split

    pool = ProcessPoolExecutor(tasks)
    return lambda path: sum(pool.map(_count, split(path, size=_RANGE)))


def _dask(tasks: int) -> Callable[[str], int]:
    import dask.bag

    from xml5tree.ranges import split

    def count(path: str) -> int:
        bag = dask.bag.from_sequence(split(path, size=_RANGE), partition_size=1).map(_count)
        return int(bag.sum().compute(scheduler="processes", num_workers=tasks))

    return count


def _ray(tasks: int) -> Callable[[str], int]:
    import ray

    from xml5tree.ranges import split

    ray.init(num_cpus=tasks, include_dashboard=False, log_to_driver=False, logging_level="error")
    counted = ray.remote(_count)
    return lambda path: sum(ray.get([counted.remote(part) for part in split(path, size=_RANGE)]))


def _spark(tasks: int) -> Callable[[str], int]:
    from pyspark.sql import SparkSession

    from xml5tree.spark import XML5DataSource

    builder = SparkSession.builder.master(f"local[{tasks}]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(XML5DataSource)
    reader = session.read.format("xml5").option("rowTag", "item").option("maxPartitionBytes", str(_RANGE))
    reader = reader.schema("title string, link string, author string, _effect string")

    def count(path: str) -> int:
        frame = reader.load(path).selectExpr(
            "count(*) n", "count(title)", "count(link)", "count(author)", "count(_effect)"
        )
        return int(frame.collect()[0].n)

    return count


ENGINES: Final = {
    "`records`, one process": (_whole, (1,)),
    "`split` and `read`, processes": (_processes, (1, 2)),
    "Dask": (_dask, (1, 2)),
    "Ray": (_ray, (1, 2)),
    "Spark": (_spark, (1, 2)),
}


def _measure_here(engine: str, tasks: int, small: str, path: str) -> None:
    """Print how many rows there are, and how many seconds it took to count them."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    count = ENGINES[engine][0](tasks)
    count(small)
    start = time.perf_counter()
    rows = count(path)
    print(json.dumps([rows, time.perf_counter() - start]), flush=True)


def measure(engine: str, tasks: int, small: Path, path: Path) -> tuple[int, float]:
    """How many rows an engine counts, and in how many seconds."""
    command = [sys.executable, "-m", "compat.engines_scale", "--one", engine, str(tasks), str(small), str(path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    rows, seconds = json.loads(done.stdout.splitlines()[-1])
    return rows, seconds


def table(sizes: list[int], engines: list[str]) -> str:
    """The table, as Markdown."""
    lines = [
        f"| engine | tasks | {' | '.join(f'{size} MB' for size in sizes)} | MB/s | a terabyte, computed |\n",
        f"|---|--:|{'--:|' * len(sizes)}--:|--:|\n",
    ]
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.xml")
        make(small, 1)
        files = [(size, Path(folder, f"{size}.xml")) for size in sizes]
        counts = [make(path, size) for size, path in files]
        for engine in engines:
            for tasks in ENGINES[engine][1]:
                cells = []
                for (size, path), expected in zip(files, counts, strict=True):
                    rows, seconds = measure(engine, tasks, small, path)
                    assert rows == expected, (engine, rows, expected)
                    rate = size / seconds
                    cells.append(f"{rows / seconds:,.0f}")
                lines.append(f"| {engine} | {tasks} | {' | '.join(cells)} | {rate:.1f} | {1e6 / rate / 3600:.0f} h |\n")
                print(lines[-1], end="", file=sys.stderr, flush=True)
    return "".join(lines)


def _main() -> None:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 50, 200], help="sizes of the file")
    parser.add_argument("--engine", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--write", action="store_true", help="put the section into docs/internals/records.md")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        engine, tasks, small, path = given.one
        _measure_here(engine, int(tasks), small, path)
        return
    made = table(given.megabytes, given.engine)
    versions = ", ".join(
        f"{name} {metadata.version(package)}"
        for name, package in (("Dask", "dask"), ("Ray", "ray"), ("Spark", "pyspark"))
    )
    made += f"\nMade with CPython {platform.python_version()}, {versions}, on {os.cpu_count()} cores, with `nice`.\n"
    if given.write:
        write_part(_PAGE, _BEGIN, _END, f"{_SECTION}{made}")
    else:
        print(made, end="")


if __name__ == "__main__":
    _main()
