"""The result of each document, for people and programs."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import click

from xml5tree.cli.binaryfile import BinaryFile
from xml5tree.cli.rendering import number_of, printable
from xml5tree.cli.replacement import Replacement
from xml5tree.cli.severity import worst_first
from xml5tree.cli.sources import InputDocument
from xml5tree.errors.codes import KEPT, Effect, Verdict

__all__ = ["FileResult", "Summary", "summary_target"]

#: Rows of the table.
_SHOWN: Final = 20
_BATCH: Final = 4096


class FileResult(NamedTuple):
    """The result of a document.

    Attributes:
        effect: the worst effect of its errors; None without errors or tree, or where the command does not look.
        truncated: whether it is cut off.
        verdict: as `ErrorLog.verdict`; None if it could not be read.
        counts: the number of errors of each code.
        seconds: the time that it took.
        bytes: the size of the file; None without one.
        problem: why it was not read, or not to its end.
        uri: the path, percent-encoded, where `file` differs from it; else None.
    """

    file: str
    status: int
    effect: Effect | None
    truncated: bool
    errors: int
    counts: dict[str, int]
    verdict: Verdict | None
    seconds: float
    bytes: int | None
    problem: str | None
    uri: str | None

    @classmethod
    def of(cls, document: InputDocument, status: int, seconds: float, problem: str) -> "FileResult":
        counts = dict(document.counts.most_common())
        severity = document.severity
        effect = severity.effect if counts and severity.has_tree else None
        size = document.size if document.path is not None and document.path.is_file() else None
        return cls(
            document.name,
            status,
            effect,
            severity.truncated,
            sum(counts.values()),
            counts,
            None if problem else severity.verdict,
            round(seconds, 6),
            size,
            problem or None,
            document.in_json.get("uri"),
        )


def summary_target(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Check the value of ``--summary``."""
    if value not in {None, "-"} and not str(value).endswith((".jsonl", ".parquet")):
        raise click.BadParameter(f"{value!r} ends neither in .jsonl nor in .parquet")
    if str(value).endswith(".parquet"):
        try:
            import xml5tree.arrow.parquet  # noqa: F401
        except ImportError as error:
            raise click.BadParameter("Parquet needs one more package: pip install 'xml5tree[arrow]'") from error
    return value


class Summary:
    """Writes the results of documents, in order; a context manager."""

    def __init__(self, target: str | None) -> None:
        """Set the target: a path, ``-`` for a table on standard error, or None for nowhere."""
        self._is_table = target == "-"
        self._is_parquet = target is not None and target.endswith(".parquet")
        self._file = None if target in {None, "-"} else Replacement(Path(str(target)))
        self._rows: list[FileResult] = []
        self._writer: Any = None

    def take(self, row: FileResult) -> None:
        if self._is_table:
            self._rows.append(row)
        elif self._is_parquet:
            self._rows.append(row)
            if len(self._rows) == _BATCH:
                self._write_batch()
        elif self._file is not None:
            self._file.write(json.dumps(row._asdict(), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")

    def _write_batch(self) -> None:
        from xml5tree.arrow.parquet import SummaryFile

        if self._writer is None:
            self._writer = SummaryFile(BinaryFile(self._file))
        self._writer.write([row._asdict() for row in self._rows])
        self._rows.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and self._is_table:
            _show(self._rows)
        if self._file is not None:
            with self._file as file:
                if kind is None:
                    if self._is_parquet:
                        self._write_batch()
                        self._writer.close()
                    file.commit()


def _rank(row: FileResult) -> tuple[int, ...]:
    """Return the key that puts the worst files first: of those with the same status, the ones without a tree."""
    effect = row.effect if row.errors or row.problem else KEPT
    return -row.status, *worst_first(effect, row.truncated, row.errors)


def _show(rows: list[FileResult]) -> None:
    ranked = sorted(rows, key=_rank)
    lines = [("status", "verdict", "errors", "seconds", "bytes", "file")]
    for row in ranked[:_SHOWN]:
        size = "" if row.bytes is None else f"{row.bytes:,}"
        name = f"{row.file}: {printable(row.problem)}" if row.problem else row.file
        lines.append((str(row.status), row.verdict or "", f"{row.errors:,}", f"{row.seconds:.3f}", size, name))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for status, verdict, *numbers, file in lines:
        cells = [status.rjust(widths[0]), verdict.ljust(widths[1])]
        cells += [number.rjust(width) for number, width in zip(numbers, widths[2:], strict=False)]
        click.echo("  ".join([*cells, file]), err=True)
    if len(rows) > _SHOWN:
        click.echo(f"and {number_of(len(rows) - _SHOWN, 'more file')}", err=True)
    statuses = Counter(row.status for row in rows)
    said = ", ".join(f"{count:,} with status {status}" for status, count in sorted(statuses.items()))
    total = sum(row.bytes or 0 for row in rows)
    click.echo(
        f"{number_of(len(rows), 'file')}: {said}; {number_of(sum(row.errors for row in rows), 'error')}; "
        f"{total / 1e6:,.1f} MB; {sum(row.seconds for row in rows):,.1f} s of work",
        err=True,
    )
