"""How much faster several processes check many small files than one.

usage: python -m compat.jobs [FILES [JOBS]] (10000 files and 2 jobs without them)

The files are feeds of some 20 kB, a fourth of them with errors. The two ways take turns, so that other work on the
machine slows down both; the best time of each counts.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

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


def seconds(folder: Path, jobs: int) -> float:
    """How long the command takes."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "xml5tree", "check", str(folder), "--jobs", str(jobs)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    assert done.returncode == 1
    return time.perf_counter() - start


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with tempfile.TemporaryDirectory() as name:
        size = make(Path(name), count)
        turns = [(seconds(Path(name), 1), seconds(Path(name), jobs)) for _ in range(_TURNS)]
    one, several = (min(times) for times in zip(*turns, strict=True))
    print(f"{count:,} files of {size / count / 1000:.0f} kB: one process {one:.1f} s, {jobs} processes {several:.1f} s")
    print(f"{one / several:.2f} times as fast")
    return 0


if __name__ == "__main__":
    sys.exit(main())
