"""The fuzzer's other engine: atheris, that is libFuzzer with the coverage of Python code.

It runs in a process of its own, which notes what it is about to read, so that a crash is a finding here, too.

usage: python -m compat.fuzz_atheris SECONDS SEED FOLDER CORPUS ...
"""

import importlib
import pickle
import pkgutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from compat.fuzz_mutations import LONGEST, SEEDS, mutated
from compat.fuzz_runner import PATIENCE, limit_memory

__all__ = ["run_atheris"]

#: How much of the mutations is left to libFuzzer, which knows what comparisons the code makes.
_SHARE_OF_LIBFUZZER = 0.2

Add = Callable[[bytes, int, dict[str, str]], None]


def run_atheris(seconds: float, seed: int, corpus: Path | None, kept: Path, add: Add) -> int:
    """Have atheris try documents; how many there were.

    Args:
        seconds: for how long.
        seed: what the documents depend on.
        corpus: a folder of documents, to which those of new ways through the code are added; None: they are not kept.
        kept: a folder of more documents.
        add: called with each document that fails, its variant, and its failures.
    """
    end = time.monotonic() + seconds
    executions = 0
    while (left := end - time.monotonic()) > 1:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            grown = folder / "corpus" if corpus is None else corpus
            grown.mkdir(parents=True, exist_ok=True)
            _run(folder, [str(int(left)), str(seed), name, str(grown), str(kept)], add)
            executions += _number(folder)
        seed += 1  # after a crash, not the same again
    return executions


def _run(folder: Path, arguments: list[str], add: Add) -> None:
    """Run the process until its time is up or it is gone; take what it found."""
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", __spec__.name, *arguments], stdout=log, stderr=log)
        hangs = _wait(process, folder / "current", time.monotonic() + float(arguments[0]) + 10)
    for path in sorted(folder.glob("*.failure")):
        add(*pickle.loads(path.read_bytes()))
    if process.returncode and (hangs or process.returncode != -signal.SIGKILL):
        if not (folder / "current").exists():
            raise RuntimeError((folder / "log").read_text("utf-8", "replace")[-2000:])
        data = (folder / "current").read_bytes()
        reason = "hang" if hangs else f"exit-{process.returncode}"
        add(data, _variant(data), {reason: (folder / "log").read_text("utf-8", "replace")[-2000:]})


def _wait(process: Any, current: Path, end: float) -> bool:
    """Wait for the process to end; end it where its time is up, or where a document takes it too long, and say so."""
    while True:
        try:
            process.wait(5)
            return False
        except subprocess.TimeoutExpired:
            hangs = current.exists() and time.time() - current.stat().st_mtime > PATIENCE
            if hangs or time.monotonic() > end:
                process.kill()
                process.wait()
                return hangs


def _number(folder: Path) -> int:
    counted = folder / "count"
    return int(counted.read_text()) if counted.exists() else 0


def _variant(data: bytes) -> int:
    from compat.fuzz_oracles import VARIANTS

    return zlib.crc32(data) % VARIANTS


def main() -> None:
    import atheris

    with atheris.instrument_imports(include=["xml5tree"]):
        import xml5tree

        for module in pkgutil.walk_packages(xml5tree.__path__, "xml5tree."):
            if ".cli" not in module.name and not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    from compat.fuzz_oracles import failures

    seconds, seed, folder, *corpora = sys.argv[1:]
    documents = [path.read_bytes() for corpus in corpora for path in sorted(Path(corpus).glob("*"))] + SEEDS
    place = Path(folder)
    count = 0
    kinds: set[str] = set()

    def test(data: bytes) -> None:
        nonlocal count
        count += 1
        (place / "current").write_bytes(data)
        variant = _variant(data)
        failed = failures(data, variant)
        if failed.keys() - kinds:
            kinds.update(failed)
            (place / f"{count}.failure").write_bytes(pickle.dumps((data, variant, failed)))
        if count % 10 == 0:
            (place / "count").write_text(str(count))

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < _SHARE_OF_LIBFUZZER:
            return bytes(atheris.Mutate(data, longest))
        return mutated([data] * len(documents) + documents, random)[:longest]

    limit_memory()
    options = [f"-max_total_time={seconds}", f"-seed={int(seed) + 1}", f"-max_len={LONGEST}", "-rss_limit_mb=0"]
    options += [f"-timeout={PATIENCE * 2:.0f}", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *options, *corpora], test, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
