"""The programs of docs/engines.md for Dask and Ray, run as they stand by the engines themselves."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from support.cases import one_in
from support.faultyfeeds import write_feeds

from xml5tree import RowsWarning
from xml5tree.ranges import Range, read, split

ROOT = Path(__file__).parents[1]
PROGRAMS = dict(
    re.findall(r"^```python\n# (\w+_(?:dask|ray))\.py\n(.*?)^```$", (ROOT / "docs/engines.md").read_text(), re.M | re.S)
)
#: What a program needs beside xml5tree.
NEEDS = {
    "rows_dask": ("dask",),
    "table_dask": ("dask", "pandas", "pyarrow"),
    "rows_ray": ("ray", "pandas", "pyarrow"),
}
FILES = {"a.xml": (0, 200), "b.xml": (200, 260), "c.xml": (260, 261)}


def item(number):
    """A record: every third is broken, and of those, some lose content."""
    if number % 3:
        return f"<item><title>Story {number}</title><link>https://example.org/{number}</link></item>\n"
    if number % 50:
        return f"<item id={number}><title>Story {number} & more</title></item>\n"
    return f"<item><title>Story {number}\x01</title>\n"


@pytest.fixture
def feeds(tmp_path):
    """A folder with large and small files, without the end tags of their roots."""
    folder = tmp_path / "feeds"
    folder.mkdir()
    for name, numbers in FILES.items():
        (folder / name).write_text("<rss><channel>\n" + "".join(map(item, range(*numbers))) + "</channel>")
    return folder


def run(name, folder, *changes, size=1000):
    """Run a program of the page, with ranges small enough to cut the files; what it prints.

    Args:
        name: the name of the program.
        folder: the folder to run it in.
        size: the size of ranges.
        changes: what to put in the place of what in the program; None: its beginning.
    """
    missing = [package for package in NEEDS[name] if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"the program {name}.py of docs/engines.md was NOT RUN: {' and '.join(missing)} not installed")
    program = folder / f"{name}.py"
    text = PROGRAMS[name].replace("8 << 20", str(size))
    for old, new in changes:
        assert old is None or old in text
        text = new + text if old is None else text.replace(old, new)
    program.write_text(text)
    # Ray writes into the home folder, and sends reports of its use unless told not to.
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(folder), "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, str(program)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_of(folder, name):
    fields = {"title": "title", "link": "link"}
    return [
        dict(record) | {"_file": f"feeds/{name}"}
        for record in read(Range(str(folder / name)), fields=fields, on_bad="mark")
    ]


def expected(folder):
    """The rows of all files, each read as one range."""
    with pytest.warns(RowsWarning, match="the end of a record is not certain"):  # as some lack their end tags
        found = [row for name in FILES for row in rows_of(folder, name)]
    titles = [f"Story {n}" if n % 3 else f"Story {n} & more" if n % 50 else f"Story {n}\ufffd" for n in range(261)]
    assert [row["title"] for row in found] == titles
    return found


def in_order(rows):
    return sorted(rows, key=lambda row: (row["_file"], row["_byte_offset"]))


def test_every_program_is_run():
    assert PROGRAMS.keys() == NEEDS.keys()
    assert all("8 << 20" in program for program in PROGRAMS.values())


def test_the_files_are_cut(feeds):
    parts = split(sorted(feeds.iterdir()), size=1000)
    assert len(parts) > 10
    assert Counter(Path(part.path).name for part in parts)["c.xml"] == 1


def test_rows_of_a_dask_bag(feeds, tmp_path):
    printed = run("rows_dask", tmp_path)
    wanted = expected(feeds)
    lines = [line for path in (tmp_path / "rows").glob("*.jsonl") for line in path.read_text().splitlines()]
    assert in_order(map(json.loads, lines)) == wanted
    effects = Counter(row["_effect"] for row in wanted)
    assert effects.keys() == {None, "kept", "lost"}
    assert all(f"({effect!r}, {count})" in printed for effect, count in effects.items())


def test_a_dask_data_frame(feeds, tmp_path):
    run("table_dask", tmp_path)
    wanted = [{key: value for key, value in row.items() if key != "_errors"} for row in expected(feeds)]
    assert read_parquet(tmp_path / "table") == wanted


def test_rows_of_ray(feeds, tmp_path):
    run("rows_ray", tmp_path)
    assert read_parquet(tmp_path / "rows_parquet") == expected(feeds)


@pytest.mark.filterwarnings("ignore:.*may read otherwise:xml5tree.RowsWarning")
@pytest.mark.parametrize("name", one_in(2, ["rows_dask", "rows_ray"]))
def test_rows_around_any_fault_are_those_of_ranges(tmp_path, name):
    """Of each kind of fault that there is, however files are cut."""
    paths = write_feeds(tmp_path / "feeds")
    wanted = [row for path in paths.values() for row in rows_of(path.parent, path.name)]
    run(name, tmp_path, size=2000)
    if name == "rows_ray":
        assert read_parquet(tmp_path / "rows_parquet") == wanted
    else:
        lines = [line for path in (tmp_path / "rows").glob("*.jsonl") for line in path.read_text().splitlines()]
        assert in_order(map(json.loads, lines)) == wanted


#: What a row of the programs, or a table of rows, does once: it takes its process with it.
DEADLY = """
import os, pathlib, signal

def deadly(rows):
    titles = rows["title"]
    titles = titles if isinstance(titles, str) else titles.to_pylist()
    if "Story 77" in titles and not pathlib.Path("killed").exists():
        pathlib.Path("killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return rows
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows: NOT RUN")
def test_a_killed_worker_of_ray_changes_nothing(feeds, tmp_path):
    call = 'xml5tree.read_table(Range(**part), "item", **SETTINGS)'
    run("rows_ray", tmp_path, (f"return {call}", f"return deadly({call})"), (None, DEADLY))
    assert (tmp_path / "killed").exists()
    assert read_parquet(tmp_path / "rows_parquet") == expected(feeds)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows: NOT RUN")
def test_a_killed_worker_of_dask_changes_nothing(feeds, tmp_path):
    """The workers of dask.distributed are started anew; Dask's own processes are not, and the program ends."""
    killing = ("[dict(record) for record", "[deadly(dict(record)) for record"), (None, DEADLY)
    with pytest.raises(AssertionError, match="terminated abruptly"):
        run("rows_dask", tmp_path, *killing)
    (tmp_path / "killed").unlink()
    if importlib.util.find_spec("distributed") is None:
        pytest.skip("half of this test was NOT RUN: distributed is not installed")
    client = "    from dask.distributed import Client\n\n    Client(n_workers=2, dashboard_address=None)\n"
    run("rows_dask", tmp_path, *killing, ('if __name__ == "__main__":\n', f'if __name__ == "__main__":\n{client}'))
    assert (tmp_path / "killed").exists()
    lines = [line for path in (tmp_path / "rows").glob("*.jsonl") for line in path.read_text().splitlines()]
    assert in_order(map(json.loads, lines)) == expected(feeds)


def read_parquet(folder):
    from pyarrow import parquet

    return in_order(parquet.read_table(folder).to_pylist())
