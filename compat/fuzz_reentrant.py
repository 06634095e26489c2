"""Fuzz what is compiled with arguments that run code: nothing may crash, whatever that code does meanwhile.

usage: python -m compat.fuzz_reentrant [--seconds SECONDS] [--seed SEED] [--sanitize]

Numbers, truth values, sequences, keys, attributes and callbacks of the calls run code when they are used; so do
finalizers, as everything is collected often. That code calls the compiled functions with the same objects, changes what
can be changed, or raises an exception. Documents that end anywhere are repaired, too. Each batch runs in a process of
its own, so that a dead one is noticed. A run is repeated with the same seed.
"""

import argparse
import gc
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from compat.cache import SKIPPED
from compat.fuzz_scan import SANITIZERS
from xml5tree import repair
from xml5tree.accelerator import compiled
from xml5tree.accelerator.sources import number_of_sources
from xml5tree.intent.costs import COSTS

#: Calls in each process.
BATCH: Final = 3_000
#: How deep code that is run by a call may call functions itself.
DEEPEST: Final = 3

DOCUMENT: Final = (
    b"<a k='1' k='2'>x &e; &amp; &lt &#65 &nope; <b/>y</a><p:c q:d='v'>z</p:c></x><a><b>t</b></a>\n"
    b"<item><t>x</t></item>\n<item><t>y</t><u a=b></u></item>< </>"
)
#: What is put into documents, anywhere.
ODD: Final = (b"=", b"'", b'"', b"<", b">", b"/", b"&", b"</", b"<!--", b"<![CDATA[", b"\xe2\x80\x9c", b"\x00", b"  ")
NAMES: Final = ("a", "b", "t", "item", "x", "p:c", "#text", "")


class Fuzzer:
    """Makes calls, with objects that come back to it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.depth = 0
        self.calls = self.successes = 0
        self.faults: list[str] = []
        self.exceptions: Counter[str] = Counter()
        self.kept: list[Any] = []  # what may be changed by code that runs meanwhile
        self.searches: list[Any] = []

    def interfere(self) -> None:
        """Do what other code may do at any time."""
        random = self.random
        chosen = random.random()
        if chosen < 0.25 and self.depth < DEEPEST:
            self.call()
        elif chosen < 0.5 and self.kept:
            change(random, random.choice(self.kept))
        elif chosen < 0.6:
            self.kept.clear()
        elif chosen < 0.65:
            gc.collect(0)
        elif chosen < 0.7:
            raise ValueError("of a callback")

    # Objects that run code -------------------------------------------------------------------------------------------

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def number(self, *usual: int) -> Any:
        number = self.random.choice(usual or (0, 1, 3, 9, 2**40, -1, 2**62))
        return Number(self, number) if self.random.random() < 0.3 else number

    def flag(self) -> Any:
        return self.number(0, 1)

    def name(self) -> Any:
        chosen = self.random.random()
        name = self.random.choice(NAMES) + (
            "\ud800" if chosen > 0.99 else str(self.random.randrange(300)) * (chosen > 0.8)
        )
        return Text(name, self) if chosen < 0.2 else "".join(list(name))

    def names(self) -> Any:
        names = [self.name() for _ in range(self.random.randrange(5))]
        return self.random.choice((self.keep(names), tuple(names), Names(self, names)))

    def bytes(self, data: bytes) -> Any:
        return bytes(bytearray(data))  # an object of its own

    def table(self, values: Callable[[], Any], *, kinds: tuple[bytes, ...] = (b"",)) -> Any:
        """Return a dictionary whose keys may run code."""
        table: dict[Any, Any] = {}
        for name in (*NAMES, "e", "nope", "p", "q"):
            key = self.random.choice(kinds) + name.encode()
            if self.random.random() < 0.7:
                table[Key(self, key) if self.random.random() < 0.3 else key] = values()
        if self.random.random() < 0.3:
            table = Finding(self, table, values)
        return self.keep(table)

    def known(self, *items: Any) -> Any:
        """Return a set whose members may run code."""
        return self.keep({Key(self, item) if self.random.random() < 0.3 else item for item in items})

    def judge(self, *names: Any) -> Any:
        self.interfere()
        return self.random.choice((True, False, ("r", "a"), None))

    # Calls -----------------------------------------------------------------------------------------------------------

    def call(self) -> None:
        """Call a function; no exception matters but that of a function that breaks the rules of Python."""
        self.depth += 1
        self.calls += 1
        try:
            self.random.choice(CALLS)(self)
            self.successes += 1
        except SystemError as error:
            self.faults.append(f"{type(error).__name__}: {error}; {error.__cause__!r}")
        except Exception as error:
            self.exceptions[f"{type(error).__name__}: {error}"[:40]] += 1
        finally:
            self.depth -= 1

    def scan(self) -> None:
        def triple() -> tuple[Any, ...]:
            return self.bytes(b"kk"), self.bytes(b" kk='vv'"), self.number(0, 1)

        rule = lambda: (False, False, tuple(triple() for _ in range(2)))  # noqa: E731
        codes = tuple([code and (code, code, code) for code in compiled.run_codes()])
        found = self.table(lambda: self.random.choice((self.bytes(b"&amp;"), triple())), kinds=(b"&", b":", b"="))
        flags = [self.flag(), self.random.choice((None, self.bytes(b"item"), b"")), *(self.flag() for _ in range(4))]
        content = compiled.Content(codes, self.names(), self.keep({"r": 1}), found, self.number(99, 3), *flags)
        declared = self.random.choice(({}, self.table(rule)))
        prefixes = self.keep({self.name(): self.name() for _ in range(3)})
        counts = [self.number(99), 0, self.number(0, 127), self.number(0, 1), 0, 1, 0]
        judge = self.random.choice((None, self.judge))
        content.read(self.bytes(DOCUMENT), prefixes, declared, judge, 0, len(DOCUMENT), *counts)

    def parts(self) -> None:
        compiled.has_error(self.bytes(DOCUMENT), self.number(), self.number(9, 40), self.number(), self.flag())
        data = self.keep(bytearray(DOCUMENT))
        compiled.list_records(data, self.number(0, 96), self.number(len(data)), b"item", self.flag(), self.number(0, 3))

    def columns(self) -> None:
        """Read markup as if it were repaired, asking code that may read more, or take records."""
        found = compiled.open_columns(7, (), (), self.flag(), self.flag())
        fuzzer = self

        class Names:
            def child(self, state: int, namespace: int, name: str) -> tuple[Any, ...]:
                fuzzer.interfere()
                flags = fuzzer.number(1, 0, 3)
                return (2, 2, 0, 0, ()) if name == "item" else (fuzzer.number(1, 3, 4), fuzzer.number(0), 0, flags, ())

            def attribute(self, state: int, namespace: int, name: str) -> tuple[int, ...]:
                fuzzer.interfere()
                return tuple(fuzzer.keep([fuzzer.number(2, 3)]))

        with suppress(ValueError, RuntimeError):
            compiled.feed_columns(found, Names(), self.bytes(DOCUMENT))
            compiled.take_columns(found, ((0, self.number(1)),), self.number(1))
            numbers = self.number(9), self.flag(), self.number(1, 9), self.flag(), self.flag()
            compiled.read_columns(found, Names(), self.bytes(DOCUMENT), 0, *numbers)

    def open_search(self) -> Any:
        costs = tuple(self.number(COSTS[name]) for name in compiled.list_costs())
        names = tuple(self.bytes(name.encode(errors="replace")) for name in self.names())
        return compiled.open_search(costs, self.flag(), self.flag(), names, self.random.randrange(9))

    def search(self) -> None:
        """Search, with edges from code that may take steps of other searches, and of this one."""
        found = self.open_search()
        edges: dict[int, list[Any]] = {}  # of the same place, they are the same

        def ask(place: int) -> Any:
            self.interfere()
            if place not in edges:
                edge = self.number(0, 1, 2, 3), self.bytes(b"a"), self.number(place), self.number(place + 3)
                edges[place] = [(*edge, self.number(-1, 0), self.number(0, 1), self.number(0, 9_000))]
            return self.keep(edges[place][:])

        self.searches.append((found, ask))
        del self.searches[:-3]
        for search, asked in ((found, ask), self.random.choice(self.searches)):
            end = len(DOCUMENT)
            with suppress(ValueError, RuntimeError):  # the other one may be at its end, at work, or have failed
                compiled.step_search(search, asked, self.bytes(DOCUMENT), 0, end, True)
            compiled.count_search(search, self.number(0, 1, 2), self.bytes(b"a"))

    def repair(self) -> None:
        """Repair a document that begins and ends anywhere."""
        begin, end = sorted(self.random.choices(range(len(DOCUMENT) + 1), k=2))
        data = bytearray(DOCUMENT[begin:end])
        for _ in range(self.random.randrange(4)):
            place = self.random.randrange(len(data) + 1)
            data[place:place] = self.random.choice(ODD)
        repair(bytes(data))


CALLS: Final = [Fuzzer.scan, Fuzzer.parts, *[Fuzzer.columns, Fuzzer.repair] * 2, *[Fuzzer.search] * 4]


def change(random: Random, thing: Any) -> None:
    """Change a list, dictionary, set or array of bytes."""
    if random.random() < 0.5:
        thing.clear()
    elif isinstance(thing, list):
        thing.extend(thing[:3])
    elif isinstance(thing, dict):
        thing.update({name: bytes(9) for name in NAMES} | {name.encode(): bytes(9) for name in NAMES})
    elif isinstance(thing, set):
        thing.update(NAMES)


class Number:
    """A number, or a truth value."""

    def __init__(self, fuzzer: Fuzzer, value: int) -> None:
        self._fuzzer, self._value = fuzzer, value

    def __index__(self) -> int:
        self._fuzzer.interfere()
        return self._value

    def __bool__(self) -> bool:
        return bool(self.__index__())


class Text(str):
    """A text that does something when it goes."""

    __slots__ = ("fuzzer",)

    def __new__(cls, text: str, fuzzer: Fuzzer) -> "Text":
        made = super().__new__(cls, text)
        made.fuzzer = fuzzer
        return made

    def __del__(self) -> None:
        if self.fuzzer.depth:
            with suppress(Exception):  # else it is printed
                self.fuzzer.interfere()


class Names:
    """A sequence that makes its items."""

    def __init__(self, fuzzer: Fuzzer, names: list[str]) -> None:
        self._fuzzer, self._names = fuzzer, names

    def __len__(self) -> int:
        self._fuzzer.interfere()
        return len(self._names)

    def __getitem__(self, index: int) -> str:
        self._fuzzer.interfere()
        return self._names[index][:]


class Key:
    """A key that is compared with others of its hash."""

    def __init__(self, fuzzer: Fuzzer, value: Any) -> None:
        self._fuzzer, self._value = fuzzer, value

    def __hash__(self) -> int:
        return hash(self._value)

    def __eq__(self, other: object) -> bool:
        self._fuzzer.interfere()
        return bool(self._value == (other._value if isinstance(other, Key) else other))


class Finding(dict[Any, Any]):
    """A dictionary that finds what it lacks."""

    def __init__(self, fuzzer: Fuzzer, table: dict[Any, Any], values: Callable[[], Any]) -> None:
        super().__init__(table)
        self._fuzzer, self._values = fuzzer, values

    def __missing__(self, key: Any) -> Any:
        self._fuzzer.interfere()
        if self._fuzzer.random.random() < 0.5:
            raise KeyError(key)
        return self._values()


def run_batch(seed: int, calls: int = BATCH) -> int:
    """Make calls; return how many there were, with those that were made by other code; raise what is a fault."""
    gc.set_threshold(20)  # so that finalizers run in allocations
    fuzzer = Fuzzer(seed)
    for _ in range(calls):
        fuzzer.call()
        del fuzzer.kept[:-50]
    if fuzzer.faults:
        raise SystemError("\n".join(fuzzer.faults[:5]))
    return fuzzer.calls


def with_sanitizers(folder: Path) -> dict[str, str]:
    """Compile the library with sanitizers, beside a copy of the package; return the environment that uses it."""
    root = Path(__file__).parents[1]
    for name in ("xml5tree", "compat"):
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("*.so", "*.pyd", "corpus", "results"))
    accelerator = folder / "xml5tree/accelerator"
    flags = [f"-I{sysconfig.get_path('include')}", f"-DXML5TREE_SOURCES={number_of_sources(str(accelerator))}UL"]
    units = [str(accelerator / name) for name in ("_scan.c", "_search.c")]
    library = ["-shared", "-fPIC", *units, "-o", str(accelerator / "_scan.abi3.so")]
    subprocess.run(["gcc", "-std=c11", "-g", "-O1", *SANITIZERS, *flags, *library], check=True)
    found = [
        subprocess.check_output(["gcc", f"-print-file-name={name}.so"], text=True) for name in ("libasan", "libubsan")
    ]
    preloaded = " ".join(found).replace("\n", "")
    settings = {"LD_PRELOAD": preloaded, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    # The working directory has the package, too; without the last setting, it would come first.
    return {**os.environ, **settings, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}


def run(seconds: float, first: int, environment: dict[str, str] | None) -> int:
    """Make calls in one process after the other; return 0 if nothing is found."""
    end, calls = time.monotonic() + seconds, 0
    for seed in count(first):
        code = f"from compat.fuzz_reentrant import run_batch; print(run_batch({seed}))"
        command = [sys.executable, "-X", "faulthandler", "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode or done.stderr:
            print(f"seed {seed}: status {done.returncode}", done.stderr[-5000:], sep="\n")
            return 1
        calls += int(done.stdout)
        if time.monotonic() > end:
            break
    print(f"{calls} calls, nothing found")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="number of the first batch (default: 1)")
    parser.add_argument("--sanitize", action="store_true", help="compile with the sanitizers of gcc, and use that")
    arguments = parser.parse_args()
    if compiled is None and not arguments.sanitize:
        print("skipped: nothing is compiled")
        return SKIPPED
    if not arguments.sanitize:
        return run(arguments.seconds, arguments.seed, None)
    if shutil.which("gcc") is None:
        print("skipped: there is no gcc")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        return run(arguments.seconds, arguments.seed, with_sanitizers(Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
