"""Readers for the formats of xml5lib-tests: tokenizer cases (JSON) and tree construction cases (.dat)."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
NO_SUITE = "xml5lib-tests not found: set XML5LIB_TESTS, or put it in ../shared/suites/xml5lib-tests"

Token = Any
"""A token as the suite writes it: a list that begins with the kind, or the string "ParseError"."""


def find_suite() -> Path | None:
    """Return the folder of the suite, or None where there is none; tests then skip with ``NO_SUITE``."""
    named = os.environ.get("XML5LIB_TESTS")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "suites" / "xml5lib-tests"
    return folder if folder.is_dir() else None


@dataclass(frozen=True)
class TokenizerCase:
    """One case of a .test file."""

    file: str
    index: int
    description: str
    input: str
    expected: list[Token]
    ignore_error_order: bool

    @property
    def name(self) -> str:
        """File and index, which say which case it is, as the descriptions are not unique."""
        return f"{self.file}#{self.index}"


def read_tokenizer_cases(path: Path) -> Iterator[TokenizerCase]:
    """Yield the cases of one .test file."""
    for index, test in enumerate(json.loads(path.read_text(encoding="utf-8"))["tests"]):
        unescape = _unescape if test.get("doubleEscaped") else _identity
        yield TokenizerCase(
            file=path.name,
            index=index,
            description=test["description"],
            input=unescape(test["input"]),
            expected=unescape(test["output"]),
            ignore_error_order=test.get("ignoreErrorOrder", False),
        )


def normalise(tokens: Iterable[Token]) -> list[Token]:
    """Return the tokens with adjacent Character tokens merged, and without empty ones."""
    result: list[Token] = []
    for token in tokens:
        if token[0] != "Character":
            result.append(token)
        elif result and result[-1][0] == "Character":
            result[-1] = ["Character", result[-1][1] + token[1]]
        elif token[1]:
            result.append(list(token))
    return result


def split_errors(tokens: Iterable[Token]) -> tuple[list[Token], int]:
    """Return the normalised tokens without the ParseErrors, and how many of those there were."""
    tokens = list(tokens)
    others = [token for token in tokens if token != "ParseError"]
    return normalise(others), len(tokens) - len(others)


@dataclass(frozen=True)
class TreeCase:
    """One case of a .dat file; ``document`` is the expected tree as the file prints it, ``| `` and all."""

    file: str
    index: int
    data: str
    errors: list[str] = field(default_factory=list)
    document: str = ""

    @property
    def name(self) -> str:
        """File and index, which say which case it is."""
        return f"{self.file}#{self.index}"


def read_tree_cases(path: Path) -> Iterator[TreeCase]:
    """Yield the cases of one .dat file.

    A ``#data`` line starts a case, ``#errors`` and ``#document`` lines its other sections. The newline before the next
    heading is not part of the data; empty lines after the document separate cases.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        sections: list[dict[str, list[str]]] = []
        current: list[str] = []
        for line in lines:
            heading = line.rstrip("\r\n")
            if heading == "#data":
                sections.append({})
            if heading in ("#data", "#errors", "#document"):
                current = sections[-1].setdefault(heading, [])
            else:
                current.append(line)
    for index, section in enumerate(sections):
        yield TreeCase(
            file=path.name,
            index=index,
            data="".join(section["#data"]).removesuffix("\n"),
            errors=[line.strip() for line in section.get("#errors", []) if line.strip()],
            document="".join(section.get("#document", [])).rstrip("\n"),
        )


def _identity(value: Any) -> Any:
    return value


def _unescape(value: Any) -> Any:
    r"""Undo the second escaping (``\uHHHH``) in every string within ``value``, joining surrogate pairs."""
    if isinstance(value, str):
        text = re.sub(r"\\u([0-9A-Fa-f]{4})", lambda match: chr(int(match[1], 16)), value)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    if isinstance(value, list):
        return [_unescape(item) for item in value]
    if isinstance(value, dict):
        return {_unescape(name): _unescape(item) for name, item in value.items()}
    return value
