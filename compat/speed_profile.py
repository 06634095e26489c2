"""Where `xml5tree.repair` spends its time."""

import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

from documents import DOCUMENTS

__all__ = ["print_profile"]


def print_profile(rounds: int) -> None:
    """Print in which functions `xml5tree.repair` spends its time on rss-broken by the draft, called C code included."""
    import xml5tree

    text = DOCUMENTS["rss-broken"]()
    shares: Counter[tuple[str, str]] = Counter()
    last = 0.0

    def sample(_: int, frame: Any) -> None:
        nonlocal last
        now = time.process_time()
        shares[Path(frame.f_code.co_filename).stem, frame.f_code.co_qualname] += now - last  # type: ignore[assignment]
        last = now

    xml5tree.repair(text, recovery="draft")
    signal.signal(signal.SIGPROF, sample)
    last = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, 0.0005, 0.0005)
    for _ in range(rounds):
        xml5tree.repair(text, recovery="draft")
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
