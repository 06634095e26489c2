"""The results of compat/speed.py as a plot."""

from speed_peers import Peer
from speed_results import WHOLE, Results, document_names, share_kept, twin

__all__ = ["plot"]


def plot(results: Results, peers: list[Peer], path: str) -> None:
    """Draw the speeds on the broken documents; what loses elements is pale, and may go out of the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    documents = [document for document in document_names(results) if document != twin(document)]
    figure, axes = pyplot.subplots(len(documents), squeeze=False, figsize=(9, 0.3 * len(peers) * len(documents) + 1))
    for axis, document in zip(axes[:, 0], documents, strict=True):
        shown = [peer for peer in reversed(peers) if (peer.name, document) in results]
        kept = {peer: share_kept(results, peer, document) for peer in shown if not results[peer.name, document].problem}
        whole = [results[peer.name, document].speed for peer in kept if kept[peer] >= WHOLE]
        axis.set_xlim(0, 1.6 * max(whole, default=1.0))
        for peer in shown:
            result = results[peer.name, document]
            if peer in kept:
                speed, label = result.speed, f"{result.speed:.0f} MB/s, {kept[peer]:.1%} of the elements"
            else:
                speed, label = 0.0, result.problem
            pale = kept.get(peer, 0) < WHOLE
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
