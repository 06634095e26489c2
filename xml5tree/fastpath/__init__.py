"""The fast path: content that is certainly free of errors is written as it stands, past the tokenizer's states.

The states alone define behaviour. Whatever the fast path takes, they would write the same, without an error; at the
least doubt it takes nothing. Tests switch it off and hold the two ways equal.

It works on UTF-8, as expat does and as markup is written.
"""

from xml5tree.fastpath.apply import CleanLane, TreeConstruction

__all__ = ["CleanLane", "make_fast_path"]

#: Whether there is a fast path: tests switch it off.
enabled = True


def make_fast_path(construction: TreeConstruction) -> CleanLane | None:
    """The fast path for one document, or None where it is switched off."""
    return CleanLane(construction) if enabled else None
