"""Words that messages have in common."""

__all__ = ["number_of"]


def number_of(count: int, noun: str) -> str:
    """``1 error``, ``2 errors``, ``12,000 errors``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
