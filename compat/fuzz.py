"""Look for documents for which something does not hold that must hold of every document.

usage: python compat/fuzz.py [--seconds N | --executions N] [--seed N] [--engine own|atheris]
                             [--corpus DIR] [--output DIR]
       python compat/fuzz.py --replay FILE ...

Documents are made of those in compat/corpus, and in --corpus, by splices, declarations, prefixes, encodings, faults,
and quantities of which two grow at once (fuzz_mutations.py). Each is read at entry points and with options that are
chosen at random, and the invariants of docs/internals/architecture.md are asked for (fuzz_oracles.py). What goes a
new way through the code is used further, and written to --corpus if that is given.

Two engines choose the documents: our own, and atheris (libFuzzer) where it is installed. Reading is done in a process
with bounded memory, so that a crash is a finding (fuzz_runner.py). Each kind of finding is made small and written to
--output, with what fails beside it. The exit status is 1 if there are any. --replay asks everything of documents.
"""

import argparse
import hashlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

if not __package__:  # run as a file: this folder, whose modules it would offer to all, gives way to the one above
    sys.path[0] = str(Path(__file__).parent.parent)

from compat.fuzz_mutations import LONGEST, SEEDS, mutated
from compat.fuzz_oracles import VARIANTS, failures
from compat.fuzz_runner import Runner, minimised

CORPUS = Path(__file__).parent / "corpus"


class Findings:
    """What has been found: of each kind the first document, made small, in a folder."""

    def __init__(self, folder: Path, runner: Runner) -> None:
        self._folder = folder
        self._runner = runner
        self.kinds: dict[str, int] = {}

    def add(self, data: bytes, variant: int, failed: dict[str, str]) -> None:
        """Take the failures of a document."""
        for failure in failed:
            self.kinds[failure] = self.kinds.get(failure, 0) + 1
            if self.kinds[failure] == 1:
                self._write(minimised(self._runner, data, variant, failure), variant, failure, failed[failure])

    def _write(self, data: bytes, variant: int, failure: str, detail: str) -> None:
        detail = self._runner.run(data, variant).failures.get(failure, detail)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{failure}.xml"
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(f"{failure}, variant {variant}\n{detail}\n", "utf-8", "backslashreplace")
        print(f"{failure}, variant {variant}: {path}\n{data!r:.1000}\n{detail}\n", flush=True)


def run_own_engine(runner: Runner, documents: list[bytes], arguments: argparse.Namespace, findings: Findings) -> int:
    """Try documents until the time or their number is up; how many there were."""
    random = Random(arguments.seed)
    end = time.monotonic() + arguments.seconds
    executions = 0
    tries = seeds_first(documents, random)
    while executions != arguments.executions and (arguments.executions or time.monotonic() < end):
        data = next(tries)
        variant = random.randrange(VARIANTS)
        result = runner.run(data, variant, traced=executions % 4 == 0)
        executions += 1
        if result.failures:
            findings.add(data, variant, result.failures)
        elif result.is_new and len(data) <= LONGEST:
            documents.append(data)
            if arguments.corpus is not None:
                write_to_corpus(arguments.corpus, data)
    return executions


def seeds_first(documents: list[bytes], random: Random) -> Iterator[bytes]:
    """The documents as they are, then what is made of them, and of those that are added meanwhile."""
    yield from documents.copy()
    while True:
        yield mutated(documents, random)


def write_to_corpus(folder: Path, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{hashlib.sha256(data).hexdigest()[:16]}.xml").write_bytes(data)


def read_corpus(*folders: Path | None) -> list[bytes]:
    """The documents of folders, and those that are made."""
    paths = [path for folder in folders if folder is not None for path in sorted(folder.glob("*.xml"))]
    return [data for path in paths if (data := path.read_bytes())] + SEEDS


def replay(runner: Runner, paths: list[Path]) -> int:
    """Ask everything of documents; how many of them fail."""
    failing = 0
    for path in paths:
        failed: dict[str, str] = {}
        for variant in range(VARIANTS):
            failed |= runner.run(path.read_bytes(), variant).failures
        print(f"{path}: {', '.join(sorted(failed)) or 'all holds'}")
        for failure, detail in failed.items():
            print(f"  {failure}: {detail}")
        failing += bool(failed)
    return failing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="for how long (default: 60)")
    parser.add_argument("--executions", type=int, help="how many documents, however long it takes (own engine only)")
    parser.add_argument("--seed", type=int, default=0, help="what the documents depend on (default: 0)")
    parser.add_argument("--engine", choices=("own", "atheris"), default="own", help="who chooses them (default: own)")
    parser.add_argument("--corpus", type=Path, help="a folder of more documents, which grows")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="for findings (default: build/fuzz)")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="ask everything of these documents")
    arguments = parser.parse_args()
    runner = Runner(failures)
    try:
        if arguments.replay:
            return 1 if replay(runner, arguments.replay) else 0
        findings = Findings(arguments.output, runner)
        if arguments.engine == "atheris":
            from compat.fuzz_atheris import run_atheris

            executions = run_atheris(arguments.seconds, arguments.seed, arguments.corpus, CORPUS, findings.add)
        else:
            documents = read_corpus(CORPUS, arguments.corpus)
            executions = run_own_engine(runner, documents, arguments, findings)
    finally:
        runner.stop()
    kinds = ", ".join(f"{failure} ({count})" for failure, count in sorted(findings.kinds.items()))
    print(f"{executions} executions, engine {arguments.engine}, seed {arguments.seed}; found: {kinds or 'nothing'}")
    return 1 if findings.kinds else 0


if __name__ == "__main__":
    sys.exit(main())
