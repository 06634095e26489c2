"""Findings as JSON, SARIF 2.1.0 and GitHub commands."""

from typing import Any, Final

import click

import xml5tree
from xml5tree.cli.findings import Findings
from xml5tree.cli.listing import Listing
from xml5tree.cli.rendering import in_json, number_of, printable, repair_in
from xml5tree.cli.sources import InputDocument, hint_in_words
from xml5tree.dialects import dialects_with, find_dialect
from xml5tree.dialects.base import Dialect
from xml5tree.errors.codes import LOST, Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.explanations import explanations
from xml5tree.errors.hints import Hint

__all__ = ["JSON", "SARIF", "GitHub"]

_SARIF_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


class JSON(Listing):
    """One JSON document."""

    needs_entries = True

    def __init__(self) -> None:
        self._findings: list[Findings] = []

    def take(self, found: Findings) -> None:
        self._findings.append(found)

    def close(self) -> None:
        files = [
            {
                "file": found.name,
                "uri": found.uri,
                "dialect": found.dialect,
                "status": found.status,
                "problem": found.problem or None,
                "has_tree": found.severity.has_tree,
                "effect": found.effect if found.is_read else None,
                "lossy": found.severity.effect == LOST,
                "truncated": found.severity.truncated,
                "total": found.total,
                "counts": dict(found.counts.most_common()),
                "hints": [_hint(hint, found.name) for hint in found.hints],
                "errors": [
                    {**entry.as_dict(), "column": entry.column + 1, "lossy": entry.lossy} for entry in found.entries
                ],
            }
            for found in self._findings
        ]
        click.echo(in_json({"version": xml5tree.__version__, "files": files}, indent=2))


class SARIF(JSON):
    """A log in the Static Analysis Results Interchange Format."""

    def close(self) -> None:
        dialects = {code: find_dialect(found.dialect) for found in self._findings for code in found.counts}
        codes = [code for code in explanations() if code in dialects]
        driver = {
            "name": "xml5tree",
            "version": xml5tree.__version__,
            "rules": [_sarif_rule(code, dialects[code]) for code in codes],
        }
        results = [_sarif_result(found, entry, codes) for found in self._findings for entry in found.entries]
        omitted = sum(found.total - len(found.entries) for found in self._findings)
        run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        problems = [
            _sarif_notification(found, "error", f"{found.name}: {found.problem}")
            for found in self._findings
            if found.problem
        ]
        hints = [
            _sarif_notification(found, "note", hint_in_words(hint, found.name))
            for found in self._findings
            for hint in found.hints
        ]
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


def _hint(hint: Hint, name: str) -> dict[str, Any]:
    return {
        "message": hint_in_words(hint, name),
        "option": hint.option or None,
        "value": hint.value if hint.option else None,
    }


def _sarif_rule(code: str, dialect: Dialect) -> dict[str, Any]:
    facts = dialect.codes[code]
    meaning = explanations()[code].meaning
    return {
        "id": code,
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": f"{meaning} {repair_in(dialect, code)}".rstrip()},
        "defaultConfiguration": {"level": _level(dialect, code, facts.effect)},
        "properties": {
            "kind": facts.kind,
            "effect": facts.effect,
            "dialects": [known.name for known in dialects_with(code)],
        },
    }


def _sarif_notification(found: Findings, level: str, message: str) -> dict[str, Any]:
    location = {"physicalLocation": {"artifactLocation": {"uri": found.uri}}}
    return {"level": level, "message": {"text": message}, "locations": [location]}


def _sarif_result(found: Findings, entry: ErrorEntry, codes: list[str]) -> dict[str, Any]:
    return {
        "ruleId": entry.code,
        "ruleIndex": codes.index(entry.code),
        "level": _level(find_dialect(found.dialect), entry.code, entry.effect),
        "message": {"text": entry.message},
        "properties": {"effect": entry.effect, "confidence": entry.confidence},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": found.uri},
                    "region": {"startLine": entry.line, "startColumn": entry.column + 1},
                }
            }
        ],
    }


def _level(dialect: Dialect, code: str, effect: Effect) -> str:
    return "error" if effect == LOST or dialect.refuses(code) else "warning"


def _escaped(value: object, *, in_property: bool = False) -> str:
    text = str(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
