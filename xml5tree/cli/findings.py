"""What is wrong with a document, found without keeping the document."""

import re
from collections import Counter
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final

from xml5tree.cli.progress import Progress
from xml5tree.cli.sources import Source, text_blocks
from xml5tree.cli.status import ERRORS, LOST, OK
from xml5tree.dialects import find_dialect, make_settings
from xml5tree.errors.log import ErrorEntry, ErrorLog, ParseError
from xml5tree.options import Options
from xml5tree.parser import Repairer, XMLParser

__all__ = ["Findings", "examine", "looks_like_html"]


@dataclass(frozen=True, slots=True)
class Findings:
    """The errors of a document.

    Attributes:
        name: what the document is called.
        path: where it is; None for standard input.
        entries: the first errors, in document order.
        counts: how often each code occurs, the most frequent first.
        lossy: whether content is lost.
        truncated: whether the document ends in the middle of something.
        has_tree: whether there is a root element.
        dialect: the grammar that it was read by.
    """

    name: str
    path: Path | None
    entries: list[ErrorEntry]
    counts: Counter[str]
    lossy: bool
    truncated: bool
    has_tree: bool
    dialect: str

    @property
    def total(self) -> int:
        """How many errors there are."""
        return self.counts.total()

    @property
    def status(self) -> int:
        """The exit status that says what was found."""
        if self.lossy or not self.has_tree:
            return LOST
        return ERRORS if self.total else OK


def examine(
    source: Source, *, max_errors: int | None, encoding: str | None, dialect: str = "xml5", revision: str = "12.2.4"
) -> Findings:
    """Find the errors of a document.

    Args:
        source: the document.
        max_errors: how many errors are kept; None: all.
        encoding: the encoding, whatever the document declares.
        dialect: the grammar to read it by.
        revision: that of HTML; of the draft of 2008, only the tokenizer's errors are found.

    Raises:
        CannotRead: the document cannot be read.
    """
    if revision == "2008":
        return _examine_tokens(source, max_errors, encoding, dialect, revision)
    counts: Counter[str] = Counter()
    with Progress() as progress:

        def count(entry: ErrorEntry) -> None:
            counts[entry.code] += 1
            progress.count(entry)

        options: Options = {"max_errors": max_errors, "on_error": count, "encoding": encoding, "dialect": dialect}
        repairer = Repairer(**options) if find_dialect(dialect).is_streamed else XMLParser(**options)
        has_tree = True
        log: ErrorLog
        try:
            for block in source.blocks(progress):
                repairer.feed(block)
            repairer.close()
            log = repairer.error_log
            entries = list(log)
        except ParseError as error:
            log, has_tree = error.errors, False
            entries = list(log)
            if error.code in counts:  # it is the only error of the document then
                counts = Counter([error.code])
            else:
                # It is not in the log. Its place is the end of the document.
                counts[error.code] += 1
                end = sum(map(len, text_blocks(source, encoding)))
                known = find_dialect(dialect).codes[error.code]
                entries.append(ErrorEntry(error.code, known.kind, error.reason, *error.position, end, known.lossy))
    return Findings(source.name, source.path, entries, counts, log.lossy, log.truncated, has_tree, dialect)


def _examine_tokens(source: Source, max_errors: int | None, encoding: str | None, name: str, revision: str) -> Findings:
    """The errors of a document that its tokenizer finds."""
    dialect, settings = make_settings({"encoding": encoding, "max_errors": 0, "dialect": name, "revision": revision})
    found = dialect.tokenize(source.blocks(), settings, with_errors=True)
    entries = sorted((item for item in found if isinstance(item, ErrorEntry)), key=attrgetter("offset"))
    counts = Counter(entry.code for entry in entries)
    is_lossy = any(entry.lossy for entry in entries)
    is_truncated = any(entry.code.startswith("eof-") for entry in entries)
    return Findings(source.name, source.path, entries[:max_errors], counts, is_lossy, is_truncated, True, name)


#: How HTML begins, comments aside, where it does not say that it is XML.
_HTML: Final = re.compile(
    rb"\s*+(?:<!--.*?-->\s*+)*+(?:<!DOCTYPE\s++html\s*+(?:>|PUBLIC\s*+.-//(?:W3C|IETF)//DTD HTML)"
    rb"|<html(?![^>]*?xmlns)[\s>])",
    re.IGNORECASE | re.DOTALL,
)


def looks_like_html(source: Source) -> bool:
    """Whether a document begins as a page of HTML does.

    Raises:
        CannotRead: the document cannot be read.
    """
    head = next(iter(source.blocks()), b"")[:4096].removeprefix(b"\xef\xbb\xbf")
    return _HTML.match(head) is not None and b"<?xml" not in head[:100]
