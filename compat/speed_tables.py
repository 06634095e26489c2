"""The results of compat/speed.py as tables."""

import sys
from collections.abc import Callable
from statistics import geometric_mean

from speed_peers import EXPAT, Peer
from speed_results import WHOLE, Results, document_names, share_kept, times_native, twin

__all__ = ["print_overview", "print_summary", "print_table"]


def print_table(results: Results, peers: list[Peer], document: str) -> None:
    """What was measured on one document."""
    size = results[EXPAT, document].size / 1e6
    print(f"\n### {document} ({size:.1f} MB)\n")
    print("| parser | MB/s | × native | elements kept | memory, MB |\n|---|---:|---:|---:|---:|")
    for peer in peers:
        result = results.get((peer.name, document))
        if result is None:
            continue
        if result.problem:
            print(f"| {peer.name} | {result.problem} | | | |")
            continue
        ratio, kept = times_native(results, peer, document), share_kept(results, peer, document)
        print(f"| {peer.name} | {result.speed:.1f} | {ratio:.2f} | {kept:.2%} | {result.memory / 1e6:.0f} |")
    sys.stdout.flush()


def print_overview(results: Results, peers: list[Peer]) -> None:
    """All speeds in one table, with the share of elements kept where it is not all."""
    documents = document_names(results)
    print("\n### MB/s\n\n| parser | " + " | ".join(documents) + " |\n|---" + "|---:" * len(documents) + "|")
    for peer in peers:
        cells = []
        for document in documents:
            result = results.get((peer.name, document))
            if result is None or result.problem:
                cells.append("" if result is None else result.problem)
            elif (kept := share_kept(results, peer, document)) >= WHOLE:
                cells.append(f"{result.speed:.1f}")
            else:
                cells.append(f"keeps {kept:.0%}")
        print(f"| {peer.name} | " + " | ".join(cells) + " |")


def print_summary(results: Results, peers: list[Peer]) -> None:
    """The ratios that matter, over all documents."""
    documents = document_names(results)
    broken = [document for document in documents if document.endswith("-broken")]
    dense = [document for document in documents if document.endswith("-dense")]
    well_formed = [document for document in documents if document == twin(document)]

    def least(peer: Peer, other: str, form: Callable[[str], str]) -> str:
        """The least multiple of another peer's throughput; `form`: on which document that is, given the broken one."""
        pairs = [(results[peer.name, document], results.get((other, form(document)))) for document in broken]
        ratios = [mine.speed / its.speed for mine, its in pairs if its is not None and not its.problem]
        return f"{min(ratios):.1f}" if ratios else ""

    print(f"\n### Summary\n\nWell-formed: {', '.join(well_formed)}. Broken: {', '.join(broken)}.\n")
    print("| parser | well-formed, greatest × native | broken, geometric mean × native | dense ÷ broken, MB/s", end="")
    print(" | broken, least × markupever | broken, least × BeautifulSoup on well-formed |\n|---" + "|---:" * 5 + "|")
    for peer in peers:
        problems = [results[peer.name, document].problem for document in documents if (peer.name, document) in results]
        if peer.package == "xml5tree" and any(problems):
            print(f"| {peer.name} | {max(problems)} |  |  |  |  |")
        elif peer.package == "xml5tree":
            greatest = max(times_native(results, peer, document) for document in well_formed)
            mean = geometric_mean(times_native(results, peer, document) for document in broken)
            drop = [results[peer.name, d].speed / results[peer.name, f"{twin(d)}-broken"].speed for d in dense]
            print(f"| {peer.name} | {greatest:.2f} | {mean:.2f} | {min(drop, default=1):.2f}", end="")
            print(f" | {least(peer, 'markupever', str)} | {least(peer, 'BeautifulSoup', twin)} |")
