"""The part of a page that is written by a script, between two marks."""

from pathlib import Path


def parts(page: str, begin: str, end: str) -> tuple[str, str, str]:
    """The page before the part, the part with its marks, and the page after it."""
    before, begin, rest = page.partition(begin)
    body, end, after = rest.partition(end)
    return before, begin + body + end, after


def replace(page: Path, begin: str, end: str, part: str) -> None:
    """Write the part of a page anew."""
    before, _, after = parts(page.read_text("utf-8"), begin, end)
    page.write_text(before + part + after, "utf-8")
