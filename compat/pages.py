"""The part of a page that a command makes, between two lines of comments."""

from pathlib import Path

__all__ = ["read_part", "write_part"]


def read_part(page: Path, begin: str, end: str) -> str:
    """What is between the two lines."""
    return page.read_text("utf-8").partition(begin)[2].partition(end)[0]


def write_part(page: Path, begin: str, end: str, part: str) -> None:
    """Put something else between them."""
    before, begin, rest = page.read_text("utf-8").partition(begin)
    after = "".join(rest.partition(end)[1:])
    page.write_text(f"{before}{begin}{part}{after}", "utf-8")
