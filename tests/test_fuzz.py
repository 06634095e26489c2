"""The fuzzer of `compat/fuzz.py`: it finds what is there to be found, and nothing in what is tried here."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from support.cases import in_whole_run, one_in

import compat.fuzz
from compat import fuzz_mutations, fuzz_oracles
from compat.fuzz import CORPUS, read_corpus
from compat.fuzz_coverage import Coverage
from compat.fuzz_runner import Result, Runner, minimised

REPOSITORY = Path(__file__).parent.parent
KEPT = sorted(CORPUS.glob("*.xml"))


def sick(data, variant):
    """What the fuzzer is to find, in place of the invariants."""
    if b"crash" in data:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"hang" in data:
        time.sleep(60)
    if b"memory" in data:
        try:
            bytearray(1 << 40)
        except MemoryError:
            return {"memory": "as it should be"}
    if b"exit" in data:
        os._exit(3)
    return {"odd": "an odd length"} if b"odd" in data and variant else {}


@pytest.fixture(scope="module")
def runner():
    runner = Runner(sick, patience=2)
    yield runner
    runner.stop()


@pytest.mark.parametrize(
    ("data", "failure"),
    one_in(
        2, [(b"crash", "crash-SIGSEGV"), (b"hang", "hang"), (b"odd", "odd"), (b"exit", "exit-3"), (b"memory", "memory")]
    ),
)
def test_whatever_happens_is_a_finding(runner, data, failure):
    assert list(runner.run(data, 1).failures) == [failure]
    assert runner.run(b"fine", 1).failures == {}


def test_findings_are_made_small(runner):
    data = b"<a>" * 40 + b"odd" + b"</a>" * 40
    assert minimised(runner, data, 1, "odd") == b"odd"
    assert minimised(runner, data, 1, "odd", seconds=0) == data
    assert minimised(runner, b"<crash/>", 1, "crash-SIGSEGV") == b"crash"


def test_coverage_tells_new_ways_from_old_ones():
    coverage = Coverage()
    assert coverage.is_new(lambda: fuzz_oracles.repair(b"<a>x</a>"))
    assert not coverage.is_new(lambda: fuzz_oracles.repair(b"<a>x</a>"))
    assert coverage.is_new(lambda: fuzz_oracles.repair(b"<a b='&x;'"))


def test_mutations_depend_on_the_seed_alone():
    documents = read_corpus(CORPUS)
    assert len(documents) > len(fuzz_mutations.SEEDS)
    first, again = (
        [fuzz_mutations.mutated(documents, random) for _ in range(300)] for random in (Random(1), Random(1))
    )
    assert first == again
    assert len(set(first)) > 250
    # All kinds of documents are among them.
    for part in (b"<!ENTITY", b"<!ATTLIST", b"xmlns:", b"encoding=", b"\0<", b"&#", b"<![CDATA["):
        assert any(part in data for data in first), part


@pytest.mark.parametrize("path", one_in(3, KEPT), ids=lambda path: path.stem)
def test_corpus(path):
    """Some of all that is asked of a document, of those that are kept: of each of them something else."""
    failed = {}
    for variant in range(KEPT.index(path), fuzz_oracles.VARIANTS, 222):
        failed |= fuzz_oracles.failures(path.read_bytes(), variant)
    assert failed == {}


def fuzz(*arguments):
    command = [sys.executable, "compat/fuzz.py", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


@in_whole_run
def test_run(tmp_path):
    result = fuzz("--executions", "20", "--seed", "3", "--corpus", str(tmp_path / "corpus"), "--output", str(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout == "20 executions, engine own, seed 3; found: nothing\n"
    assert list((tmp_path / "corpus").glob("*.xml"))


def test_run_of_atheris(tmp_path):
    pytest.importorskip("atheris", exc_type=ImportError)
    result = fuzz("--seconds", "3", "--engine", "atheris", "--output", str(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "executions, engine atheris, seed 0; found: nothing" in result.stdout


class Pretence:
    """In place of a process that reads documents."""

    def __init__(self, check):
        self.variants = set()

    def run(self, data, variant):
        self.variants.add(variant)
        return Result({"i4-pieces": "two trees"} if b"odd" in data and variant == 7 else {}, False)

    def stop(self):
        assert len(self.variants) == fuzz_oracles.VARIANTS


def test_replay(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(compat.fuzz, "Runner", Pretence)
    fine, odd = tmp_path / "fine.xml", tmp_path / "odd.xml"
    fine.write_bytes(b"<a/>")
    odd.write_bytes(b"<odd/>")
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "--replay", str(fine), str(odd)])
    assert compat.fuzz.main() == 1
    assert capsys.readouterr().out == f"{fine}: all holds\n{odd}: i4-pieces\n  i4-pieces: two trees\n"
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "--replay", str(fine)])
    assert compat.fuzz.main() == 0
