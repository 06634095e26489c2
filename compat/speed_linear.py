"""What a megabyte costs the peers of compat/speed.py in documents of several sizes."""

import tempfile
from itertools import product
from pathlib import Path
from statistics import median
from typing import Final

from documents import feed
from speed_measuring import Worker
from speed_peers import EXPAT, LIBXML2, PEERS

__all__ = ["print_costs"]

_SIZES: Final = (1, 4, 16, 64)
_BYTES_PER_ITEM: Final = 1168


def print_costs(rounds: int) -> None:
    """Print milliseconds per megabyte of feeds of several sizes."""
    rows = dict.fromkeys((EXPAT, LIBXML2), "")
    rows |= dict.fromkeys(("xml5tree-etree", "xml5tree-lxml", "xml5tree-lxml-feed", "xml5tree-repair"), "-broken")
    times: dict[tuple[str, int], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, Worker([PEERS[name] for name in rows]) as worker:
        for size in _SIZES:
            items = size * 1_000_000 // _BYTES_PER_ITEM
            Path(folder, f"{size}.xml").write_bytes(feed(items).encode())
            Path(folder, f"{size}-broken.xml").write_bytes(feed(items, 10).encode())
        for _, size, name in product(range(rounds), _SIZES, rows):
            path = Path(folder, f"{size}{rows[name]}.xml")
            times.setdefault((name, size), []).append(worker.seconds(PEERS[name], path) / path.stat().st_size * 1e9)
    print("\n### Feeds of several sizes: milliseconds per MB, and × that of the first\n")
    print("| | document | " + " | ".join(f"{size} MB" for size in _SIZES) + " |\n|---|---" + "|---:" * 4 + "|")
    for name, form in rows.items():
        medians = [median(times[name, size]) for size in _SIZES]
        print(f"| {name} | rss{form} |", *(f"{cost:.1f} ({cost / medians[0]:.2f}) |" for cost in medians))
