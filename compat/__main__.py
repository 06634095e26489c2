"""Run the suites and comparisons of this folder; README.md says what each is.

usage: python -m compat [--quick] [NAME ...]

Without names, all are run. --quick leaves out what takes minutes. The exit status is 1 where one of them fails, and 77
where all of them are skipped, because what they run cannot be had.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from compat.cache import SKIPPED

#: The arguments of each for a quick run; None: a quick run is without it.
RUNNERS: Final[dict[str, list[str] | None]] = {
    "cpython_etree": [],
    "cpython_sax": [],
    "lxml_tests": [],
    "clients": None,
    "xml5lib": [],
    "xmlconf": ["--quick"],
    "feedparser_data": [],
    "xml5ever": [],
    "html5lib_tests": [],
    "html5lib_speed": None,
    "peers": [],
    "mutations": ["--count", "1000"],
    "corpus": [],
    "round_trip": None,
    "recovery": None,
    "memory": None,
}
#: Scripts that import their neighbours.
SCRIPTS: Final = ("corpus", "recovery")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RUNNERS))
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in RUNNERS:
            parser.error(f"there is no {name}; there are {', '.join(RUNNERS)}")
    statuses = {}
    for name, quick in RUNNERS.items():
        if name not in arguments.names if arguments.names else arguments.quick and quick is None:
            continue
        options = (quick or []) if arguments.quick else []
        print(f"== {name}", *options, flush=True)
        start = time.perf_counter()
        module = [f"compat/{name}.py"] if name in SCRIPTS else ["-m", f"compat.{name}"]
        command = [sys.executable, *module, *options]
        statuses[name] = subprocess.run(command, cwd=Path(__file__).parent.parent, check=False).returncode
        outcome = {0: "passed", SKIPPED: "SKIPPED"}.get(statuses[name], "FAILED")
        print(f"== {name} {outcome} in {time.perf_counter() - start:.0f} s\n", flush=True)
    if set(statuses.values()) == {SKIPPED}:
        return SKIPPED
    return 0 if set(statuses.values()) <= {0, SKIPPED} else 1


if __name__ == "__main__":
    sys.exit(main())
