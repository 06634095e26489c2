"""What is wrong with a document, found without keeping the document."""

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final

from xml5tree.cli.progress import Progress
from xml5tree.cli.severity import Severity, status_of
from xml5tree.cli.sources import Source, text_blocks
from xml5tree.dialects import find_dialect, make_settings
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ErrorLog, ParseError
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
        passed_over: how many other errors there are, of codes that are not looked for.
        severity: how bad they are.
        status: the exit status that says what was found.
        dialect: the grammar that it was read by.
    """

    name: str
    path: Path | None
    entries: list[ErrorEntry]
    counts: Counter[str]
    passed_over: int
    severity: Severity
    status: int
    dialect: str

    @property
    def total(self) -> int:
        """How many errors there are."""
        return self.counts.total()


def examine(
    source: Source,
    *,
    max_errors: int | None,
    reading: Options,
    is_selected: Callable[[str], bool] = lambda code: True,
    fail_on: Collection[str] = (),
) -> Findings:
    """Find the errors of a document.

    Args:
        source: the document.
        max_errors: how many errors are kept; None: all.
        reading: the options that say how it is read. By HTML's draft of 2008, only the tokenizer's errors are found.
        is_selected: whether errors of a code count.
        fail_on: see `xml5tree.cli.severity.status_of`.

    Raises:
        CannotRead: the document cannot be read.
    """
    taken = _Taken(max_errors, is_selected)
    dialect = reading.get("dialect", "xml5")
    take = _take_tokens if reading.get("revision") == "2008" else _take_document
    truncated = take(source, reading, taken)
    taken.entries.sort(key=attrgetter("offset"))
    taken.severity.truncated = truncated and any(code.startswith("eof-") for code in taken.counts)
    status = status_of(taken.severity, fail_on)
    return Findings(
        source.name, source.path, taken.entries, taken.counts, taken.passed_over, taken.severity, status, dialect
    )


class _Taken:
    """The errors of a document, so far; see `Findings` for the attributes that it has too.

    Attributes:
        last: the last error, whether it was looked for or not; None where there is none.
    """

    def __init__(self, max_errors: int | None, is_selected: Callable[[str], bool]) -> None:
        """Begin without any; see `examine` for the arguments."""
        self._max_errors = max_errors
        self._is_selected = is_selected
        self.entries: list[ErrorEntry] = []
        self.counts: Counter[str] = Counter()
        self.passed_over = 0
        self.severity = Severity({})
        self.last: ErrorEntry | None = None

    def take(self, entry: ErrorEntry) -> None:
        """Take an error, if it is looked for."""
        self.last = entry
        if not self._is_selected(entry.code):
            self.passed_over += 1
        else:
            self._count(entry)
            if self._max_errors is None or len(self.entries) < self._max_errors:
                self.entries.append(entry)

    def take_refusal(self, entry: ErrorEntry) -> None:
        """Take the error for which there is no tree, which counts whatever is looked for."""
        self.severity.has_tree = False
        self._count(entry)
        self.entries.append(entry)

    def forget(self) -> None:
        """Forget all errors: one of them is the only one that the document has."""
        self.entries.clear()
        self.counts.clear()
        self.passed_over = 0
        self.severity.effects.clear()

    def _count(self, entry: ErrorEntry) -> None:
        self.counts[entry.code] += 1
        self.severity.take(entry)


def _take_document(source: Source, reading: Options, taken: _Taken) -> bool:
    """Take the errors of a document; whether it is cut off."""
    dialect = reading.get("dialect", "xml5")
    with Progress() as progress:

        def take(entry: ErrorEntry) -> None:
            progress.count(entry)
            taken.take(entry)

        options: Options = {**reading, "max_errors": 0, "on_error": take}
        repairer = Repairer(**options) if find_dialect(dialect).is_streamed else XMLParser(**options)
        log: ErrorLog
        try:
            for block in source.blocks(progress):
                repairer.feed(block)
            repairer.close()
            log = repairer.error_log
        except ParseError as error:
            log = error.errors
            refusal = taken.last
            if refusal is not None and refusal.code == error.code:  # it is the only error of the document then
                taken.forget()
            else:
                # It is not in the log. Its place is the end of the document.
                end = sum(map(len, text_blocks(source, reading.get("encoding"))))
                known = find_dialect(dialect).codes[error.code]
                refusal = ErrorEntry(error.code, known.kind, error.reason, *error.position, end, known.effect)
            taken.take_refusal(refusal)
    return log.truncated


def _take_tokens(source: Source, reading: Options, taken: _Taken) -> bool:
    """Take the errors of a document that its tokenizer finds; whether it may be cut off."""
    dialect, settings = make_settings({**reading, "max_errors": 0})
    found = dialect.tokenize(source.blocks(), settings, with_errors=True)
    for entry in sorted((item for item in found if isinstance(item, ErrorEntry)), key=attrgetter("offset")):
        taken.take(entry)
    return True


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
