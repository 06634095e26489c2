"""How much faster several processes check many small files than one, and what each of them does.

usage: python -m compat.jobs [--files N] [--jobs N]

The files are feeds of some 20 kB, a fourth of them with errors. The two ways take turns, so that other work on the
machine slows down both; the best time of each counts. On a machine that has other work to do, processor time says more:
that of the process which writes, and of those which read. With it, the gain is computed that there would be on as many
free cores as there are jobs: after the start, which is not divided, the cores share all work. Modules are read
as bytecode, as those of an installed package are; else each process would compile them again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

_ITEM = (
    "<item id='{0}'><title>Story {0} of {1}</title><link>http://example.org/{0}</link>"
    "<description>lorem ipsum dolor sit amet, consectetur {2} elit</description></item>\n"
)
_TURNS = 3


def make(folder: Path, count: int) -> int:
    """Make the files; their size in bytes."""
    random = Random(1)
    size = 0
    for number in range(count):
        broken = number % 4 == 0
        items = "".join(
            _ITEM.format(item, number, "&" if broken and item % 8 == 0 else "&amp;")
            for item in range(random.randrange(60, 180))
        )
        path = folder / f"{number % 100:02}" / f"{number:05}.xml"
        path.parent.mkdir(exist_ok=True)
        size += path.write_text(f"<rss><channel>{items}</channel></rss>")
    return size


#: Runs the command line, and says how much processor time that took here and in the processes that have ended.
_RUN = """
import json, os, sys
from xml5tree.cli.application import run
status = run(sys.argv[1:])
times = os.times()
print(json.dumps([times.user + times.system, times.children_user + times.children_system]), file=sys.stderr)
sys.exit(status)
"""


class Times(NamedTuple):
    """How long the command takes, in seconds.

    Attributes:
        wall: by the clock.
        parent: processor time of its first process.
        workers: processor time of all others.
    """

    wall: float
    parent: float
    workers: float

    @property
    def work(self) -> float:
        """Processor time of all processes."""
        return self.parent + self.workers


def measure(jobs: int, *paths: str, status: int, bytecode: str) -> Times:
    """Run the command, with bytecode from a folder, or written to it where it is not there yet."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": bytecode}
    start = time.perf_counter()
    command = [sys.executable, "-c", _RUN, "check", *paths, "--jobs", str(jobs)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, env=environment)
    assert done.returncode == status, done.stderr
    return Times(time.perf_counter() - start, *json.loads(done.stderr.splitlines()[-1]))


def _arguments() -> argparse.Namespace:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        prog="python -m compat.jobs",
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--files", type=int, default=10_000, help="how many files are checked (default: 10000)")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes do it (default: 2)")
    return parser.parse_args()


def main() -> int:
    given = _arguments()
    count, jobs = given.files, given.jobs
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as bytecode:
        size = make(Path(name), count)
        empty = Path(name, "empty")
        empty.write_text("<a/>")
        start = min(measure(1, str(empty), status=0, bytecode=bytecode).work for _ in range(_TURNS))
        empty.unlink()
        turns = [
            (measure(1, name, status=1, bytecode=bytecode), measure(jobs, name, status=1, bytecode=bytecode))
            for _ in range(_TURNS)
        ]
    one, several = (min(times, key=lambda times: times.work) for times in zip(*turns, strict=True))
    walls = [min(times.wall for times in way) for way in zip(*turns, strict=True)]
    print(f"{count:,} files of {size / count / 1000:.0f} kB; to start takes {start:.2f} s of processor time")
    print(f"one process: {walls[0]:.1f} s, of processor time {one.work:.2f} s")
    print(
        f"{jobs} processes: {walls[1]:.1f} s, of processor time {several.parent:.2f} s in the one that writes "
        f"({several.parent / several.work:.1%}), {several.workers:.2f} s in those that read"
    )
    print(f"{walls[0] / walls[1]:.2f} times as fast by the clock, with {os.getloadavg()[0]:.1f} processes at work")
    print(f"{one.work / (start + (several.work - start) / jobs):.2f} times as fast if there is no other work")
    return 0


if __name__ == "__main__":
    sys.exit(main())
