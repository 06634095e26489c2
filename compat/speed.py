"""How fast parsers are on well-formed and on broken documents, and how much of these they keep.

usage: python compat/speed.py [FOLDER] [--rounds N] [--peers A,B] [--limit SECONDS] [--plot FILE]
       python compat/speed.py --linear [--rounds N]
       python compat/speed.py --import [--rounds N]
       python compat/speed.py --profile [--rounds N]

The documents of compat/documents.py are written into FOLDER (default: a temporary one). Other documents there are used
too: NAME.xml, well-formed, and its broken forms NAME-broken.xml, NAME-dense.xml ….

Every parser that is installed runs in a process of its own, and the rounds go round the parsers and documents. Times
are processor time, since the parsers are single-threaded and the machine may be busy; before each parse all free memory
is given back to the system, as allocators differ in what they keep. Times are given as a multiple of what the native
parser takes for the well-formed document: expat for those that make ElementTree trees, libxml2 in strict mode for all
others. Slow parsers get one round. Elements are kept where there are as many of a name as in the well-formed document;
what became of their text is not looked at. Memory is the greatest that the process had, less that after imports; it
includes the document.
"""

import argparse
import ctypes
import gc
import json
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import BytesIO
from itertools import product
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any, Final, NamedTuple

from documents import DOCUMENTS, feed, write_documents
from peak_memory import peak_memory
from versions import expat, libxml2, version_of

_CHUNK: Final = 1 << 16
_SIZES: Final = (1, 4, 16, 64)
_BYTES_PER_ITEM: Final = 1168
_WHOLE: Final = 0.99  # share of the elements that is as good as all

# Peers --------------------------------------------------------------------------------------------------------------


class Reader(NamedTuple):
    """A parser, imported: what it makes of a document, and the names of the elements in that."""

    parse: Callable[[Any], Any]
    names: Callable[[Any], Iterable[str]]


def _names_of_tree(root: Any) -> list[str]:
    return [element.tag for element in root.iter() if isinstance(element.tag, str)]


def _names_of_markup(markup: str) -> list[str]:
    import xml.etree.ElementTree as ET

    return _names_of_tree(ET.fromstring(markup))


def _element_tree() -> Reader:
    import xml.etree.ElementTree as ET

    return Reader(ET.fromstring, _names_of_tree)


def _lxml(*, recover: bool = False) -> Reader:
    from lxml import etree

    return Reader(lambda data: etree.fromstring(data, etree.XMLParser(huge_tree=True, recover=recover)), _names_of_tree)


def _markupever() -> Reader:
    import markupever
    from markupever.dom import Element

    def names(tree: Any) -> list[str]:
        return [node.name.local for node in tree.root().descendants() if isinstance(node, Element)]

    return Reader(lambda data: markupever.parse(data, "xml"), names)


def _beautiful_soup() -> Reader:
    from bs4 import BeautifulSoup

    return Reader(
        lambda data: BeautifulSoup(data, "xml"), lambda soup: [element.name for element in soup.find_all(True)]
    )


def _html5lib() -> Reader:
    import html5lib

    return Reader(lambda data: html5lib.parse(data, namespaceHTMLElements=False), _names_of_tree)


def _feedparser() -> Reader:
    import feedparser

    return Reader(lambda data: feedparser.parse(BytesIO(data)), lambda result: ["item"] * len(result.entries))


def _fromstring(backend: str) -> Reader:
    import xml5tree

    xml5tree.fromstring("<a/>", backend=backend)
    return Reader(lambda data: xml5tree.fromstring(data, backend=backend), _names_of_tree)


def _incremental(backend: str) -> Reader:
    import xml5tree

    def parse(data: bytes) -> Any:
        parser = xml5tree.XMLParser(backend=backend)
        for start in range(0, len(data), _CHUNK):
            parser.feed(data[start : start + _CHUNK])
        return parser.close()

    xml5tree.fromstring("<a/>", backend=backend)
    return Reader(parse, _names_of_tree)


def _repair(*, clean_lane: bool = True) -> Reader:
    import xml5tree

    return Reader(lambda text: xml5tree.repair(text, clean_lane=clean_lane), _names_of_markup)


class Peer(NamedTuple):
    """A way to parse.

    Attributes:
        package: the distribution that has to be installed.
        native: the peer whose time for the well-formed document is the measure.
        load: imports it.
        slow: whether it gets only one round.
        feeds_only: whether it takes nothing but feeds, and gives their items.
        takes_text: whether it is given text; the others are given bytes.
    """

    name: str
    package: str | None
    native: str
    load: Callable[[], Reader]
    slow: bool = False
    feeds_only: bool = False
    takes_text: bool = False


_EXPAT: Final = "ElementTree"
_LIBXML2: Final = "lxml"
PEERS: Final = {
    peer.name: peer
    for peer in (
        Peer(_EXPAT, None, _EXPAT, _element_tree),
        Peer(_LIBXML2, "lxml", _LIBXML2, _lxml),
        Peer("lxml-recover", "lxml", _LIBXML2, lambda: _lxml(recover=True)),
        Peer("markupever", "markupever", _LIBXML2, _markupever),
        Peer("BeautifulSoup", "beautifulsoup4", _LIBXML2, _beautiful_soup, slow=True),
        Peer("html5lib", "html5lib", _EXPAT, _html5lib, slow=True),
        Peer("feedparser", "feedparser", _LIBXML2, _feedparser, slow=True, feeds_only=True),
        Peer("xml5tree-etree", "xml5tree", _EXPAT, lambda: _fromstring("etree")),
        Peer("xml5tree-lxml", "xml5tree", _LIBXML2, lambda: _fromstring("lxml")),
        Peer("xml5tree-etree-feed", "xml5tree", _EXPAT, lambda: _incremental("etree")),
        Peer("xml5tree-lxml-feed", "xml5tree", _LIBXML2, lambda: _incremental("lxml")),
        Peer("xml5tree-repair", "xml5tree", _LIBXML2, _repair, takes_text=True),
        Peer("xml5tree-repair-states", "xml5tree", _LIBXML2, lambda: _repair(clean_lane=False), True, takes_text=True),
    )
}


def _versions(peers: Iterable[Peer]) -> str:
    versions = [f"Python {sys.version.split()[0]}", expat()]
    for package in dict.fromkeys(peer.package for peer in peers if peer.package):
        versions.append(f"{package} {version_of(package)}")
        if package == "lxml":
            versions.append(f"libxml2 {libxml2()}")
    return ", ".join(versions)


# The process of a peer ----------------------------------------------------------------------------------------------


def _work(peer: Peer, with_names: bool) -> None:
    """Parse the documents whose paths come in, a line each; a line of JSON goes out for each."""
    reader = peer.load()
    before = peak_memory()
    for line in sys.stdin:
        data = Path(line.removesuffix("\n")).read_bytes()
        document: bytes | str = data.decode() if peer.takes_text else data
        del data
        result = None
        _release_memory()
        answer: dict[str, Any] = {}
        start = time.process_time()
        try:
            result = reader.parse(document)
        except Exception:  # each parser has its own exceptions
            answer["problem"] = "refuses"
        answer["seconds"] = time.process_time() - start
        answer["memory"] = peak_memory() - before
        if with_names and "problem" not in answer:
            answer["elements"] = Counter(re.split("[}:]", name)[-1] for name in reader.names(result))
        print(json.dumps(answer), flush=True)


def _release_memory() -> None:
    """Give all memory that is free back to the system, so that every parse begins with as little."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
        if trim is not None:
            trim(0)


def _command(peer: Peer) -> list[str]:
    return [sys.executable, __file__, "--work", peer.name]


class _Worker:
    """The process of a peer, kept for many rounds."""

    def __init__(self, peer: Peer) -> None:
        self._process = subprocess.Popen(
            _command(peer), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def __enter__(self) -> "_Worker":
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate()

    def seconds(self, path: Path) -> float:
        """The time that one parse of a document takes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(path, file=self._process.stdin, flush=True)
        return float(json.loads(self._process.stdout.readline())["seconds"])


# Measuring ----------------------------------------------------------------------------------------------------------


@dataclass
class Result:
    """What was measured of one peer and one document.

    Attributes:
        problem: why there is no result; "" where there is one.
    """

    size: int
    times: list[float] = field(default_factory=list)
    memory: int = 0
    elements: Counter[str] = field(default_factory=Counter)
    problem: str = ""

    @property
    def seconds(self) -> float:
        return median(self.times)

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return self.size / 1e6 / self.seconds


Results = dict[tuple[str, str], Result]


def _try_once(peer: Peer, path: Path, limit: float) -> Result:
    """Let a new process parse one document: its elements, its memory, and whether it can at all."""
    result = Result(path.stat().st_size)
    try:
        done = subprocess.run(
            [*_command(peer), "--names"], input=f"{path}\n", capture_output=True, text=True, timeout=limit
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


def _measure(peers: list[Peer], paths: list[Path], rounds: int, limit: float) -> Results:
    """Measure peers on a document and its broken forms."""
    results: Results = {}
    for path, peer in product(paths, peers):
        if not peer.feeds_only or path.stem.startswith("rss"):
            results[peer.name, path.stem] = _try_once(peer, path, limit)
    with ExitStack() as stack:
        fast = [(peer.name, stack.enter_context(_Worker(peer))) for peer in peers if not peer.slow]
        for number, path, (name, worker) in product(range(rounds), paths, fast):
            result = results[name, path.stem]
            if not result.problem:
                if not number:
                    result.times.clear()
                result.times.append(worker.seconds(path))
    return results


def _families(folder: Path) -> list[list[Path]]:
    """The documents of a folder: each that is well-formed, followed by its broken forms."""
    families = []
    for path in sorted(folder.glob("*.xml")):
        if "-" not in path.stem:
            families.append([path, *sorted(folder.glob(f"{path.stem}-*.xml"))])
    return families


# Reporting ----------------------------------------------------------------------------------------------------------


def _twin(document: str) -> str:
    """The well-formed form of a document."""
    return document.partition("-")[0]


def _ratio(results: Results, peer: Peer, document: str) -> float:
    """Time as a multiple of the native parser's for the well-formed document."""
    return results[peer.name, document].seconds / results[peer.native, _twin(document)].seconds


def _kept(results: Results, peer: Peer, document: str) -> float:
    """The share of the well-formed document's elements that are there."""
    wanted = results[_EXPAT, _twin(document)].elements
    if peer.feeds_only:
        wanted = Counter(item=wanted["item"])
    return (results[peer.name, document].elements & wanted).total() / wanted.total()


def _print_table(results: Results, peers: list[Peer], document: str) -> None:
    size = results[_EXPAT, document].size / 1e6
    print(f"\n### {document} ({size:.1f} MB)\n")
    print("| parser | MB/s | × native | elements kept | memory, MB |\n|---|---:|---:|---:|---:|")
    for peer in peers:
        result = results.get((peer.name, document))
        if result is None:
            continue
        if result.problem:
            print(f"| {peer.name} | {result.problem} | | | |")
            continue
        ratio, kept = _ratio(results, peer, document), _kept(results, peer, document)
        print(f"| {peer.name} | {result.speed:.1f} | {ratio:.2f} | {kept:.2%} | {result.memory / 1e6:.0f} |")
    sys.stdout.flush()


def _print_overview(results: Results, peers: list[Peer]) -> None:
    """All speeds in one table, with the share of elements kept where it is not all."""
    documents = list(dict.fromkeys(document for _, document in results))
    print("\n### MB/s\n\n| parser | " + " | ".join(documents) + " |\n|---" + "|---:" * len(documents) + "|")
    for peer in peers:
        cells = []
        for document in documents:
            result = results.get((peer.name, document))
            if result is None or result.problem:
                cells.append("" if result is None else result.problem)
            elif (kept := _kept(results, peer, document)) >= _WHOLE:
                cells.append(f"{result.speed:.1f}")
            else:
                cells.append(f"keeps {kept:.0%}")
        print(f"| {peer.name} | " + " | ".join(cells) + " |")


def _print_summary(results: Results, peers: list[Peer]) -> None:
    """The ratios that matter, over all documents."""
    documents = list(dict.fromkeys(document for _, document in results))
    broken = [document for document in documents if document.endswith("-broken")]
    dense = [document for document in documents if document.endswith("-dense")]
    well_formed = [document for document in documents if document == _twin(document)]

    def least(peer: Peer, other: str, form: Callable[[str], str]) -> str:
        """The least multiple of another peer's throughput; `form`: on which document that is, given the broken one."""
        pairs = [(results[peer.name, document], results.get((other, form(document)))) for document in broken]
        ratios = [mine.speed / its.speed for mine, its in pairs if its is not None and not its.problem]
        return f"{min(ratios):.1f}" if ratios else ""

    print(f"\n### Summary\n\nWell-formed: {', '.join(well_formed)}. Broken: {', '.join(broken)}.\n")
    print("| parser | well-formed, greatest × native | broken, geometric mean × native | dense ÷ broken, MB/s", end="")
    print(" | broken, least × markupever | broken, least × BeautifulSoup on well-formed |\n|---" + "|---:" * 5 + "|")
    for peer in peers:
        if peer.package == "xml5tree":
            greatest = max(_ratio(results, peer, document) for document in well_formed)
            mean = geometric_mean(_ratio(results, peer, document) for document in broken)
            drop = [results[peer.name, d].speed / results[peer.name, f"{_twin(d)}-broken"].speed for d in dense]
            print(f"| {peer.name} | {greatest:.2f} | {mean:.2f} | {min(drop, default=1):.2f}", end="")
            print(f" | {least(peer, 'markupever', str)} | {least(peer, 'BeautifulSoup', _twin)} |")


def _plot(results: Results, peers: list[Peer], path: str) -> None:
    """Draw the speeds on the broken documents; what loses elements is pale, and may go out of the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    documents = [document for document in dict.fromkeys(d for _, d in results) if document != _twin(document)]
    figure, axes = pyplot.subplots(len(documents), squeeze=False, figsize=(9, 0.3 * len(peers) * len(documents) + 1))
    for axis, document in zip(axes[:, 0], documents, strict=True):
        shown = [peer for peer in reversed(peers) if (peer.name, document) in results]
        kept = {peer: _kept(results, peer, document) for peer in shown if not results[peer.name, document].problem}
        whole = [results[peer.name, document].speed for peer in kept if kept[peer] >= _WHOLE]
        axis.set_xlim(0, 1.6 * max(whole, default=1.0))
        for peer in shown:
            result = results[peer.name, document]
            if peer in kept:
                speed, label = result.speed, f"{result.speed:.0f} MB/s, {kept[peer]:.1%} of the elements"
            else:
                speed, label = 0.0, result.problem
            pale = kept.get(peer, 0) < _WHOLE
            colour = "tab:blue" if peer.package == "xml5tree" else "tab:grey"
            axis.barh(peer.name, speed, color=colour, alpha=0.3 if pale else 1.0)
            place = min(speed, max(whole, default=1.0))
            axis.annotate(label, (place, peer.name), (4, 0), textcoords="offset points", va="center", fontsize=8)
        axis.set_title(document, loc="left", fontsize=10)
        axis.tick_params(labelsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1, 0].set_xlabel("MB/s")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


# Commands -----------------------------------------------------------------------------------------------------------


def _compare(folder: Path, peers: list[Peer], rounds: int, limit: float, plot: str | None) -> None:
    write_documents(folder)
    results: Results = {}
    for paths in _families(folder):
        results |= _measure(peers, paths, rounds, limit)
        for path in paths:
            _print_table(results, peers, path.stem)
    _print_overview(results, peers)
    _print_summary(results, peers)
    if plot:
        _plot(results, peers, plot)


def _linear(rounds: int) -> None:
    """Print milliseconds per megabyte of feeds of several sizes."""
    rows = dict.fromkeys((_EXPAT, _LIBXML2), "")
    rows |= dict.fromkeys(("xml5tree-etree", "xml5tree-lxml", "xml5tree-lxml-feed", "xml5tree-repair"), "-broken")
    times: dict[tuple[str, int], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        for size in _SIZES:
            items = size * 1_000_000 // _BYTES_PER_ITEM
            Path(folder, f"{size}.xml").write_bytes(feed(items).encode())
            Path(folder, f"{size}-broken.xml").write_bytes(feed(items, 10).encode())
        workers = {name: stack.enter_context(_Worker(PEERS[name])) for name in rows}
        for _, size, name in product(range(rounds), _SIZES, rows):
            path = Path(folder, f"{size}{rows[name]}.xml")
            times.setdefault((name, size), []).append(workers[name].seconds(path) / path.stat().st_size * 1e9)
    print("\n### Feeds of several sizes: milliseconds per MB, and × that of the first\n")
    print("| | document | " + " | ".join(f"{size} MB" for size in _SIZES) + " |\n|---|---" + "|---:" * 4 + "|")
    for name, form in rows.items():
        medians = [median(times[name, size]) for size in _SIZES]
        print(f"| {name} | rss{form} |", *(f"{cost:.1f} ({cost / medians[0]:.2f}) |" for cost in medians))


def _profile(rounds: int) -> None:
    """Print in which functions `xml5tree.repair` spends its time on rss-broken, called C code included."""
    import xml5tree

    text = DOCUMENTS["rss-broken"]()
    shares: Counter[tuple[str, str]] = Counter()
    last = 0.0

    def sample(_: int, frame: Any) -> None:
        nonlocal last
        now = time.process_time()
        shares[Path(frame.f_code.co_filename).stem, frame.f_code.co_qualname] += now - last  # type: ignore[assignment]
        last = now

    xml5tree.repair(text)
    signal.signal(signal.SIGPROF, sample)
    last = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, 0.0005, 0.0005)
    for _ in range(rounds):
        xml5tree.repair(text)
    signal.setitimer(signal.ITIMER_PROF, 0)
    modules: Counter[str] = Counter()
    for (module, _), seconds in shares.items():
        modules[module] += seconds
    print(
        "\n### Where `xml5tree.repair` spends its time on rss-broken\n\n| module | share | functions |\n|---|---:|---|"
    )
    for module, seconds in modules.most_common(10):
        names = [(name, part) for (place, name), part in shares.most_common() if place == module][:4]
        functions = ", ".join(f"`{name}` {part / shares.total():.1%}" for name, part in names)
        print(f"| {module} | {seconds / shares.total():.1%} | {functions} |")


_IMPORTS: Final = """
import sys, time
start = time.process_time()
import xml.etree.ElementTree
middle = time.process_time()
import xml5tree
print(middle - start, time.process_time() - middle, "lxml" in sys.modules)
"""


def _import(rounds: int) -> None:
    """Print how long imports take in new processes."""
    runs = [
        subprocess.run([sys.executable, "-c", _IMPORTS], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(rounds)
    ]
    native, more = (1000 * median(float(run[column]) for run in runs) for column in (0, 1))
    print(f"\nimport xml.etree.ElementTree {native:.1f} ms, import xml5tree {more:.1f} ms more,", end=" ")
    print("lxml imported" if any(run[2] == "True" for run in runs) else "lxml not imported")


def _choose(names: str | None) -> list[Peer]:
    """The peers to run: those asked for and installed, and always the native parsers."""
    wanted = set(PEERS) if names is None else {_EXPAT, _LIBXML2, *names.split(",")}
    unknown = wanted - set(PEERS)
    if unknown:
        sys.exit(f"no such peer: {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    return [peer for peer in PEERS.values() if peer.name in wanted and (not peer.package or version_of(peer.package))]


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=7, help="how often each is measured (default: 7)")
    parser.add_argument("--peers", help="which to run, apart from the native parsers: " + ",".join(PEERS))
    parser.add_argument("--limit", type=float, default=120, help="seconds that one parse may take (default: 120)")
    parser.add_argument("--plot", metavar="FILE", help="draw the speeds on broken documents into a PNG (matplotlib)")
    parser.add_argument("--linear", action="store_true", help="measure the cost per MB at several sizes instead")
    parser.add_argument("--import", action="store_true", dest="imports", help="measure the time of imports instead")
    parser.add_argument("--profile", action="store_true", help="sample where a repair spends its time instead")
    parser.add_argument("--work", choices=PEERS, help=argparse.SUPPRESS)
    parser.add_argument("--names", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        _work(PEERS[arguments.work], arguments.names)
        return
    peers = _choose(arguments.peers)
    print(f"`{shlex.join(['python', 'compat/speed.py', *sys.argv[1:]])}`: {_versions(peers)}")
    if arguments.imports:
        _import(arguments.rounds)
    if arguments.linear:
        _linear(arguments.rounds)
    if arguments.profile:
        _profile(arguments.rounds)
    if arguments.imports or arguments.linear or arguments.profile:
        return
    with ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _compare(folder, peers, arguments.rounds, arguments.limit, arguments.plot)


if __name__ == "__main__":
    main()
