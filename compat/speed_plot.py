"""The results of compat/speed.py as a plot."""

from typing import Final

from speed_peers import Peer
from speed_results import WHOLE, Results, document_names, share_kept, twin

__all__ = ["plot"]

#: In inches: the width of a telephone's screen, the height of a row, and of a plot's title and axis.
_WIDTH: Final = 4.2
_ROW: Final = 0.2
_AROUND: Final = 0.9
#: The axis is longer than the longest bar by this, for the number beside it.
_ROOM: Final = 1.2
_FONT_SIZE: Final = 8


def plot(results: Results, peers: list[Peer], path: str) -> None:
    """Draw the speeds on the broken documents, to be read on a telephone as well.

    What loses elements has no bar but a note: the time that it takes to lose a document says little.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    documents = [document for document in document_names(results) if document != twin(document)]
    shown = {document: [peer for peer in reversed(peers) if (peer.name, document) in results] for document in documents}
    rows = [len(shown[document]) for document in documents]
    figure, axes = pyplot.subplots(
        len(documents),
        squeeze=False,
        figsize=(_WIDTH, sum(rows) * _ROW + len(documents) * _AROUND),
        gridspec_kw={"height_ratios": [count * _ROW + _AROUND / 2 for count in rows]},
    )
    for axis, document in zip(axes[:, 0], documents, strict=True):
        bars = {peer: _bar(results, peer, document) for peer in shown[document]}
        axis.set_xlim(0, _ROOM * max((speed for speed, _ in bars.values()), default=1.0))
        for peer, (speed, label) in bars.items():
            axis.barh(peer.name, speed, color="tab:blue" if peer.package == "xml5tree" else "tab:grey")
            axis.annotate(
                label, (speed, peer.name), (3, 0), textcoords="offset points", va="center", fontsize=_FONT_SIZE
            )
        axis.set_title(document, loc="left", fontsize=_FONT_SIZE + 1)
        axis.set_xlabel("MB/s; longer is faster", fontsize=_FONT_SIZE)
        axis.tick_params(labelsize=_FONT_SIZE)
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=180)
    pyplot.close(figure)


def _bar(results: Results, peer: Peer, document: str) -> tuple[float, str]:
    """The length of a bar, and what stands beside it."""
    result = results[peer.name, document]
    if result.problem:
        return 0.0, result.problem
    kept = share_kept(results, peer, document)
    return (result.speed, f"{result.speed:.1f}") if kept >= WHOLE else (0.0, f"keeps {kept:.0%}")
