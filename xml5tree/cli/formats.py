"""Findings for other programs: JSON, SARIF 2.1.0 and the commands of GitHub Actions."""

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import click

import xml5tree
from xml5tree.cli.findings import Findings
from xml5tree.cli.rendering import in_json, number_of, printable
from xml5tree.dialects import dialects_with, find_dialect
from xml5tree.errors.explanations import EXPLANATIONS
from xml5tree.errors.log import ErrorEntry

__all__ = ["print_github", "print_json", "print_sarif"]

_SARIF_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def print_json(findings: list[Findings]) -> None:
    """One JSON document; columns are counted from 1, as everywhere on the command line."""
    files = [
        {
            "file": found.name,
            "dialect": found.dialect,
            "status": found.status,
            "has_tree": found.has_tree,
            "lossy": found.lossy,
            "truncated": found.truncated,
            "total": found.total,
            "counts": dict(found.counts.most_common()),
            "errors": [
                {
                    "code": entry.code,
                    "kind": entry.kind,
                    "message": entry.message,
                    "line": entry.line,
                    "column": entry.column + 1,
                    "offset": entry.offset,
                    "lossy": entry.lossy,
                }
                for entry in found.entries
            ],
        }
        for found in findings
    ]
    click.echo(in_json({"version": xml5tree.__version__, "files": files}, indent=2))


def print_sarif(findings: list[Findings]) -> None:
    """A log in the Static Analysis Results Interchange Format."""
    known = {code: facts for found in findings for code, facts in find_dialect(found.dialect).codes.items()}
    codes = [code for code in known if any(code in found.counts for found in findings)]
    driver = {
        "name": "xml5tree",
        "version": xml5tree.__version__,
        "rules": [
            {
                "id": code,
                "shortDescription": {"text": EXPLANATIONS[code].meaning},
                "fullDescription": {"text": f"{EXPLANATIONS[code].meaning} {EXPLANATIONS[code].repair}"},
                "defaultConfiguration": {"level": "error" if known[code].lossy else "warning"},
                "properties": {"kind": known[code].kind, "dialects": [dialect.name for dialect in dialects_with(code)]},
            }
            for code in codes
        ],
    }
    results = [_sarif_result(found, entry, codes) for found in findings for entry in found.entries]
    omitted = sum(found.total - len(found.entries) for found in findings)
    run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    if omitted:
        run["properties"] = {"omittedResults": omitted}
    click.echo(in_json({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2))


def _sarif_result(found: Findings, entry: ErrorEntry, codes: list[str]) -> dict[str, Any]:
    return {
        "ruleId": entry.code,
        "ruleIndex": codes.index(entry.code),
        "level": _level(entry),
        "message": {"text": entry.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(found.path)},
                    "region": {"startLine": entry.line, "startColumn": entry.column + 1},
                }
            }
        ],
    }


def _level(entry: ErrorEntry) -> str:
    return "error" if entry.lossy or entry.code == "no-root-element" else "warning"


def _uri(path: Path | None) -> str:
    """A path as a URI: absolute for an absolute path, else relative to where the command was run."""
    if path is None:
        return "stdin"
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))


def print_github(found: Findings) -> None:
    """Commands that GitHub Actions shows as annotations."""
    for entry in found.entries:
        properties = {"file": found.name, "line": entry.line, "col": entry.column + 1, "title": entry.code}
        shown = ",".join(f"{name}={_escaped(value, in_property=True)}" for name, value in properties.items())
        click.echo(f"::{_level(entry)} {shown}::{_escaped(printable(entry.message, lines=True))}")
    if found.total > len(found.entries):
        omitted = number_of(found.total - len(found.entries), "more error")
        click.echo(f"::notice file={_escaped(found.name, in_property=True)}::{omitted}")


def _escaped(value: object, *, in_property: bool = False) -> str:
    text = str(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
