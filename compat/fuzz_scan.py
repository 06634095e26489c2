"""Fuzz what is compiled: no access outside its input, nothing undefined, the same with and without SSE2 or NEON.

usage: python -m compat.fuzz_scan [--seconds SECONDS] [--seed SEED] [--libfuzzer]

compat/fuzz_scan.c is compiled with all warnings as errors and with the sanitizers of addresses and of undefined
behaviour, once as it is and once with -DXML5TREE_PLAIN. Both run on the same documents, which are made up; each is in a
heap block of its own, at whose end it ends. They have to come to the same. A run is repeated with the same seed.

With --libfuzzer, clang's libFuzzer makes the documents, and uses further what takes a new way through the code.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Final

from compat.cache import SKIPPED

FOLDER: Final = Path(__file__).parent
WARNINGS: Final = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wundef", "-Wpedantic", "-Werror")
SANITIZERS: Final = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
#: Documents a run of the program.
BATCH: Final = 20_000


def build(compiler: str, program: Path, *options: str) -> None:
    """Compile the fuzz target."""
    headers = FOLDER.parent / "xml5tree" / "accelerator"
    command = [compiler, "-std=c11", "-g", "-O1", *options, *WARNINGS, *SANITIZERS]
    subprocess.run([*command, f"-I{headers}", str(FOLDER / "fuzz_scan.c"), "-o", str(program)], check=True)


def run_libfuzzer(seconds: float, seed: int) -> int:
    """Have libFuzzer make the documents; return 0 if it finds nothing, or that it was skipped."""
    compiler = shutil.which("clang")
    if compiler is None:
        print("skipped: there is no clang")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "fuzzer"
        build(compiler, program, "-fsanitize=fuzzer")
        options = [f"-max_total_time={seconds:.0f}", f"-seed={seed}", "-max_len=4096", "-print_final_stats=1"]
        done = subprocess.run(
            [program, *options, f"-artifact_prefix={folder}/"], capture_output=True, text=True, check=False
        )
        found = sorted(path.read_bytes().hex() for path in Path(folder).glob("*-*"))
    if done.returncode:
        print(done.stderr[-20_000:], *found, sep="\n")
        return 1
    executed = re.search(r"number_of_executed_units: *([0-9]+)", done.stderr)
    print(f"{executed[1] if executed else 0} documents of libFuzzer, nothing found")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="number of the first batch of documents (default: 1)")
    parser.add_argument("--libfuzzer", action="store_true", help="have clang's libFuzzer make the documents")
    arguments = parser.parse_args()
    if arguments.libfuzzer:
        return run_libfuzzer(arguments.seconds, arguments.seed)
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        print("skipped: there is no C compiler")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        programs = [Path(folder) / "vectors", Path(folder) / "plain"]
        build(compiler, programs[0], "-DSTANDALONE")
        build(compiler, programs[1], "-DSTANDALONE", "-DXML5TREE_PLAIN")
        end = time.monotonic() + arguments.seconds
        for seed in count(arguments.seed):
            runs = [
                subprocess.run([program, str(seed), str(BATCH)], capture_output=True, text=True, check=False)
                for program in programs
            ]
            if any(run.returncode for run in runs) or runs[0].stdout != runs[1].stdout:
                print(f"seed {seed}:", *(run.stdout + run.stderr for run in runs), sep="\n")
                return 1
            if time.monotonic() > end:
                print(f"{(seed - arguments.seed + 1) * BATCH} documents, nothing found")
                return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
