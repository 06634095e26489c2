"""How fast parsers are on well-formed and on broken documents, and how much of these they keep.

usage: python compat/speed.py [FOLDER] [--rounds N] [--peers A,B] [--limit SECONDS] [--plot FILE]
       python compat/speed.py --linear [--rounds N]
       python compat/speed.py --import [--rounds N]
       python compat/speed.py --profile [--rounds N]

The documents of compat/documents.py are written into FOLDER (default: a temporary one). Other documents there are used
too: NAME.xml, well-formed, and its broken forms NAME-broken.xml, NAME-dense.xml ….

All parsers that are installed run in one process, and the rounds go round them and the documents, each beginning with
another. Which are not installed is said on standard error; to ask for one of these by --peers is an error. Times are
processor time, since the parsers are single-threaded, and the least of all rounds, since what else the machine is busy
with only adds to it; before each parse garbage is collected and all free memory is given back to the system, as
allocators differ in what they keep. Times are given as a multiple of what the native parser takes for the well-formed
document: expat for those that make ElementTree trees, libxml2 in strict mode for all others. Slow parsers get one
round. Elements are kept where there are as many of a name as in the well-formed document; what became of their text is
not looked at. Memory is the greatest that a process for this alone had, less that after imports; it includes the
document.
"""

import argparse
import shlex
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from documents import write_documents
from speed_imports import print_imports
from speed_linear import print_costs
from speed_measuring import families, measure
from speed_peers import EXPAT, LIBXML2, PEERS, Peer, versions
from speed_plot import plot
from speed_profile import print_profile
from speed_results import Results
from speed_tables import print_overview, print_summary, print_table
from versions import version_of


def _compare(folder: Path, peers: list[Peer], rounds: int, limit: float, picture: str | None) -> None:
    write_documents(folder)
    results: Results = {}
    for paths in families(folder):
        results |= measure(peers, paths, rounds, limit)
        for path in paths:
            print_table(results, peers, path.stem)
    print_overview(results, peers)
    print_summary(results, peers)
    if picture:
        plot(results, peers, picture)


def _choose(names: str | None) -> tuple[list[Peer], list[Peer]]:
    """The peers to run, and those that cannot be: of those asked for, or of all, and always of the native parsers.

    Raises:
        SystemExit: one that is asked for does not exist or is not installed.
    """
    wanted = set(PEERS) if names is None else {EXPAT, LIBXML2, *names.split(",")}
    unknown = wanted - set(PEERS)
    if unknown:
        sys.exit(f"no such peer: {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}")
    peers = [peer for peer in PEERS.values() if peer.name in wanted]
    absent = [peer for peer in peers if peer.package and version_of(peer.package) is None]
    if names is not None and absent:
        sys.exit(_not_installed(absent))
    return [peer for peer in peers if peer not in absent], absent


def _not_installed(peers: list[Peer]) -> str:
    """Why these peers cannot be run."""
    packages = dict.fromkeys(peer.package for peer in peers)
    return "not installed: " + ", ".join(
        f"{package} (for {', '.join(peer.name for peer in peers if peer.package == package)})" for package in packages
    )


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=9, help="how often each is measured (default: 9)")
    parser.add_argument("--peers", help="which to run, apart from the native parsers: " + ",".join(PEERS))
    parser.add_argument("--limit", type=float, default=120, help="seconds that one parse may take (default: 120)")
    parser.add_argument("--plot", metavar="FILE", help="draw the speeds on broken documents into a PNG (matplotlib)")
    parser.add_argument("--linear", action="store_true", help="measure the cost per MB at several sizes instead")
    parser.add_argument("--import", action="store_true", dest="imports", help="measure the time of imports instead")
    parser.add_argument("--profile", action="store_true", help="sample where a repair spends its time instead")
    arguments = parser.parse_args()
    peers, absent = _choose(arguments.peers)
    print(f"`{shlex.join(['python', 'compat/speed.py', *sys.argv[1:]])}`: {versions(peers)}")
    if arguments.imports:
        print_imports(arguments.rounds)
    if arguments.linear:
        print_costs(arguments.rounds)
    if arguments.profile:
        print_profile(arguments.rounds)
    if arguments.imports or arguments.linear or arguments.profile:
        return
    if absent:
        print(f"not run, as {_not_installed(absent)}", file=sys.stderr)
    with ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _compare(folder, peers, arguments.rounds, arguments.limit, arguments.plot)


if __name__ == "__main__":
    main()
