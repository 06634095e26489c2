"""Measures peers of compat/speed.py, in processes of their own (speed_worker.py)."""

import json
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

from speed_peers import Peer
from speed_results import Result, Results

__all__ = ["Worker", "families", "measure", "try_once"]


def _command(peers: list[Peer]) -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("speed_worker.py")), *(peer.name for peer in peers)]


class Worker:
    """A process in which peers parse, kept for many rounds."""

    def __init__(self, peers: list[Peer]) -> None:
        self._process = subprocess.Popen(
            _command(peers),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate()

    def seconds(self, peer: Peer, path: Path, times: int = 1) -> float:
        """The time that one of the peers takes to parse a document, in the mean of so many times."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(peer.name, times, path, file=self._process.stdin, flush=True)
        return float(json.loads(self._process.stdout.readline())["seconds"])


def try_once(peer: Peer, path: Path, limit: float) -> Result:
    """Let a new process parse one document: its elements, its memory, and whether it can at all."""
    result = Result(path.stat().st_size)
    try:
        done = subprocess.run(
            [*_command([peer]), "--names"],
            input=f"{peer.name} 1 {path}\n",
            capture_output=True,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        result.problem = f"over {limit:.0f} s"
        return result
    if done.returncode:
        result.problem = "crashes"
        return result
    answer = json.loads(done.stdout)
    result.problem = answer.get("problem", "")
    if not result.problem:
        result.times = [answer["seconds"]]
        result.memory = answer["memory"]
        result.elements = Counter(answer["elements"])
    return result


def measure(peers: list[Peer], paths: list[Path], rounds: int, limit: float) -> Results:
    """Measure peers on a document and its broken forms."""
    results: Results = {}
    for path, peer in product(paths, peers):
        if not peer.feeds_only or path.stem.startswith("rss"):
            results[peer.name, path.stem] = try_once(peer, path, limit)
    fast = [peer for peer in peers if not peer.slow]
    turns = [(path, peer) for path, peer in product(paths, fast) if not results[peer.name, path.stem].problem]
    # All in one process, so that what differs between processes, such as where their memory lies, does not count.
    with Worker(fast) as worker:
        for number, turn in product(range(rounds), range(len(turns))):
            # Every round begins with another one, so that none always has the same before it.
            path, peer = turns[(turn + number) % len(turns)]
            result = results[peer.name, path.stem]
            if not number:
                result.times.clear()
            result.times.append(worker.seconds(peer, path))
    return results


def families(folder: Path) -> list[list[Path]]:
    """The documents of a folder: each that is well-formed, followed by its broken forms."""
    found = []
    for path in sorted(folder.glob("*.xml")):
        if "-" not in path.stem:
            found.append([path, *sorted(folder.glob(f"{path.stem}-*.xml"))])
    return found
