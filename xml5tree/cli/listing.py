"""Findings for people, and as JSON, SARIF 2.1.0 and GitHub commands."""

import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import click

import xml5tree
from xml5tree.cli.findings import Findings
from xml5tree.cli.rendering import echo_lines, excerpts, in_json, printable, repair_in, show_excerpt
from xml5tree.cli.severity import Severity
from xml5tree.cli.sources import InputDocument, hint_in_words, text_blocks
from xml5tree.dialects import dialects_with, find_dialect
from xml5tree.dialects.base import Dialect
from xml5tree.errors.codes import EFFECTS, KEPT, LOST, MOVED, Effect
from xml5tree.errors.entry import ErrorEntry, least
from xml5tree.errors.explanations import explanations
from xml5tree.errors.wording import number_of
from xml5tree.options import Options

_PLAIN_WIDTH: Final = 120
_SARIF_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_WELL_FORMED: Final = "well-formed"
_PASSED_OVER: Final = "none of the errors that are looked for"
_NO_TREE: Final = "without a tree"
_NOT_READ: Final = "not read"
_COLOURS: Final = {KEPT: "yellow", MOVED: "magenta", LOST: "red"}


class Listing:
    """Shows the findings of documents; `needs_entries` says whether `take` needs the single errors."""

    needs_entries = False

    def show(self, found: Findings, source: InputDocument) -> None:
        """Show the findings of a document, perhaps in another process, so without changing this object."""

    def take(self, found: Findings) -> None:
        """Take the findings of the next document into account."""

    def close(self) -> None:
        """Show what concerns all documents."""


class Concise(Listing):
    """One line for each document, and the sum of all."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._cut_off = 0
        self._all = Severity()  # the errors of all documents

    def take(self, found: Findings) -> None:
        self._verdicts[_verdict_in_total(found)] += 1
        self._cut_off += found.truncated
        self._all.add(found)

    def show(self, found: Findings, source: InputDocument) -> None:
        click.echo(_in_one_line(found))

    def close(self) -> None:
        """Show the sum in one line, unless there is only one document."""
        total = self._verdicts.total()
        if total < 2:
            return
        order = [_WELL_FORMED, _PASSED_OVER, *(f"with content {effect}" for effect in EFFECTS), _NO_TREE, _NOT_READ]
        parts = [f"{self._verdicts[verdict]:,} {verdict}" for verdict in order if self._verdicts[verdict]]
        of_them = f"; {self._cut_off:,} cut off" if self._cut_off else ""
        click.echo(f"\n{number_of(total, 'file')}: {', '.join(parts)}{of_them}")


class Text(Concise):
    """Each error with its line, and a verdict on each document."""

    def __init__(self, reading: Options) -> None:
        super().__init__()
        self._reading = reading

    def show(self, found: Findings, source: InputDocument) -> None:
        if found.is_read:  # else that was said on standard error
            echo_lines(self._lines(found, source))

    def _lines(self, found: Findings, source: InputDocument) -> Iterator[str]:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PLAIN_WIDTH
        offsets = [fault.offset for fault in found.faults]
        lines = excerpts(text_blocks(source, self._reading), offsets) if offsets else ()
        for fault, line in zip(found.faults, lines, strict=True):
            place = click.style(f"{found.name}:{fault.line}:{fault.column + 1}:", bold=True)
            code = click.style(fault.code, fg=_COLOURS[fault.effect], bold=True)
            yield f"{place} {code}: {printable(fault.message)}"
            yield show_excerpt(fault.entry, line, width)
        yield _in_one_line(found)
        if found.number > 1:
            for code, tally in found.tallies.items():
                yield f"{tally.number:>8,}  {code}{_effect_in_words(tally.effect)}"
        if found.number > len(found.faults):
            yield f"{len(found.faults):,} of {found.number:,} errors shown; --max-errors 0 shows all."
        for hint in found.hints:
            yield f"{hint_in_words(hint, found.name)}."

    def close(self) -> None:
        super().close()
        for code in [*self._all.tallies][:1]:
            click.secho(f"What a code means: xml5tree check --explain {code}", dim=True)


class Statistics(Concise):
    """The number of errors of each code in all documents."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json
        self._files: Counter[str] = Counter()

    def take(self, found: Findings) -> None:
        super().take(found)
        self._files.update(found.tallies.keys())

    def show(self, found: Findings, source: InputDocument) -> None:
        pass

    def close(self) -> None:
        if self._as_json:
            rows: list[dict[str, Any]] = [
                {"code": code, "count": tally.number, "effect": tally.effect, "files": self._files[code]}
                for code, tally in self._all.tallies.items()
            ]
            click.echo(in_json({"version": xml5tree.__version__, "statistics": rows}, indent=2))
            return
        for code, tally in self._all.tallies.items():
            files = number_of(self._files[code], "file")
            click.echo(f"{tally.number:>8,}  {code}{_effect_in_words(tally.effect)}, in {files}")
        super().close()


def _in_one_line(found: Findings) -> str:
    dialect = "" if found.dialect == "xml5" else f"as {found.dialect}: "
    return f"{click.style(found.name + ':', bold=True)} {dialect}{_verdict(found)}"


def _verdict(found: Findings) -> str:
    if not found.is_read:
        return click.style(f"not read: {printable(found.problem)}", fg="red")
    damage = f"; {printable(found.problem)}" if found.problem else ""
    if not found.number:
        return click.style(_verdict_in_total(found) + damage, fg="red" if damage else "green")
    effect = f"content is {found.effect}" if found.has_tree else "there is no tree"
    cut_off = "; the document is cut off" if found.truncated else ""
    words = f"{number_of(found.number, 'error')}; {effect}{cut_off}{damage}"
    return click.style(words, fg=_COLOURS[found.effect] if found.has_tree and not damage else "red")


def _verdict_in_total(found: Findings) -> str:
    if not found.is_read:
        return _NOT_READ
    if not found.number:
        return _PASSED_OVER if found.passed_over else _WELL_FORMED
    return f"with content {found.effect}" if found.has_tree else _NO_TREE


def _effect_in_words(effect: Effect) -> str:
    return "" if effect == KEPT else f" (content is {effect})"


class JSON(Listing):
    """One JSON document."""

    needs_entries = True

    def __init__(self) -> None:
        self._findings: list[Findings] = []

    def take(self, found: Findings) -> None:
        self._findings.append(found)

    def close(self) -> None:
        files = [_file(found) for found in self._findings]
        click.echo(in_json({"version": xml5tree.__version__, "files": files}, indent=2))


class SARIF(JSON):
    """A log in the Static Analysis Results Interchange Format."""

    def close(self) -> None:
        dialects = {code: find_dialect(found.dialect) for found in self._findings for code in found.entry_counts}
        codes = [code for code in explanations() if code in dialects]
        rules = [_sarif_rule(code, dialects[code]) for code in codes]
        driver = {"name": "xml5tree", "version": xml5tree.__version__, "rules": rules}
        results = [_sarif_result(found, entry, codes) for found in self._findings for entry in found.entries]
        omitted = sum(found.entry_counts.total() - len(found.entries) for found in self._findings)
        run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        problems, hints = [], []
        for found in self._findings:
            if found.problem:
                problems.append(_sarif_notification(found, "error", f"{found.name}: {found.problem}"))
            hints += [_sarif_notification(found, "note", hint_in_words(hint, found.name)) for hint in found.hints]
        run["invocations"] = [{"executionSuccessful": not problems, "toolExecutionNotifications": problems + hints}]
        if omitted:
            run["properties"] = {"omittedResults": omitted}
        click.echo(in_json({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2))


class GitHub(Listing):
    """Commands that GitHub Actions shows as annotations."""

    def show(self, found: Findings, source: InputDocument) -> None:
        if found.problem:
            name = _escaped(found.name, in_property=True)
            title = "not read to its end" if found.is_read else "not read"
            click.echo(f"::error file={name},title={title}::{_escaped(printable(found.problem))}")
        dialect = find_dialect(found.dialect)
        for fault in found.faults:
            level = _level(dialect, fault.code, fault.effect)
            properties = {"file": found.name, "line": fault.line, "col": fault.column + 1, "title": fault.code}
            shown = ",".join(f"{name}={_escaped(value, in_property=True)}" for name, value in properties.items())
            click.echo(f"::{level} {shown}::{_escaped(printable(fault.message, lines=True))}")
        if found.number > len(found.faults):
            omitted = number_of(found.number - len(found.faults), "more error")
            click.echo(f"::notice file={_escaped(found.name, in_property=True)}::{omitted}")


def _file(found: Findings) -> dict[str, Any]:
    return {
        "file": found.name,
        "uri": found.uri,
        "dialect": found.dialect,
        "status": found.status,
        "problem": found.problem or None,
        "has_tree": found.has_tree,
        "effect": found.effect_on_tree,
        "lossy": found.effect == LOST,
        "truncated": found.truncated,
        "verdict": found.verdict if found.is_read else None,
        "confidence": least([entry.confidence for entry in found.entries]),
        "total": found.entry_counts.total(),
        "counts": dict(found.entry_counts.most_common()),
        "hints": [
            {
                "message": hint_in_words(hint, found.name),
                "option": hint.option or None,
                "value": hint.value if hint.option else None,
            }
            for hint in found.hints
        ],
        "errors": [{**entry.as_dict(), "column": entry.column + 1, "lossy": entry.lossy} for entry in found.entries],
    }


def _sarif_rule(code: str, dialect: Dialect) -> dict[str, Any]:
    facts = dialect.codes[code]
    meaning = explanations()[code].meaning
    return {
        "id": code,
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": f"{meaning} {repair_in(dialect, code)}".rstrip()},
        "defaultConfiguration": {"level": _level(dialect, code, facts.effect)},
        "properties": {"kind": facts.kind, "effect": facts.effect, "dialects": [it.name for it in dialects_with(code)]},
    }


def _sarif_notification(found: Findings, level: str, message: str, **region: Any) -> dict[str, Any]:
    location = {"physicalLocation": {"artifactLocation": {"uri": found.uri}, **region}}
    return {"level": level, "message": {"text": message}, "locations": [location]}


def _sarif_result(found: Findings, entry: ErrorEntry, codes: list[str]) -> dict[str, Any]:
    level = _level(find_dialect(found.dialect), entry.code, entry.effect)
    region = {"startLine": entry.line, "startColumn": entry.column + 1}
    return {
        "ruleId": entry.code,
        "ruleIndex": codes.index(entry.code),
        **_sarif_notification(found, level, entry.message, region=region),
        "properties": {"effect": entry.effect, "confidence": entry.confidence},
    }


def _level(dialect: Dialect, code: str, effect: Effect) -> str:
    return "error" if effect == LOST or dialect.refuses(code) else "warning"


def _escaped(value: object, *, in_property: bool = False) -> str:
    text = str(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
