"""The lists of known differences: one line each with its reason, in the folder expected.

A run fails where its list is wrong: a difference that is not listed, or one that is listed and is none.
"""

from collections.abc import Mapping
from pathlib import Path

__all__ = ["read", "report"]

FOLDER = Path(__file__).parent / "expected"


def read(name: str) -> dict[str, str]:
    """Reasons by difference, out of the list of this name."""
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    entries = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    listed = {difference: reason for difference, _, reason in entries}
    if len(listed) < len(entries) or not all(listed.values()):
        raise ValueError(f"{name}.txt lists a difference twice, or one without a reason")
    return listed


def report(found: Mapping[str, str], listed: Mapping[str, str]) -> bool:
    """Print where a list is wrong.

    Args:
        found: the differences, and what is to be known of each.
        listed: the reasons of those that are expected.

    Returns:
        Whether the list is right.
    """
    for name in sorted(found.keys() - listed.keys()):
        print(f"{name} is not listed:\n{found[name]}")
    for name in sorted(listed.keys() - found.keys()):
        print(f"{name} is listed, but is none any more: {listed[name]}")
    return found.keys() == listed.keys()
