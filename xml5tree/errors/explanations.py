"""Reads `explanations.toml`, for `--explain`, reports and pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Explains an error code."""

    section: str  # title of the group of codes
    meaning: str  # what is wrong with the document
    document: str | bytes  # a small document that has the error
    becomes: str = ""  # its repaired markup as `literal_or_text` shows it, or in a dialect without one, the tree's
    repair: str = ""  # what the parser does about it, if the example does not show it
    is_long: bool = False  # whether ``…`` in the document stands for ten million letters
    options: dict[str, Any] = field(default_factory=dict)  # options that the example needs
    note: str = ""  # how some occurrences differ from the usual ones
    #: By dialect, what is different about the error there. `meaning` and `repair` are about the first dialect that has
    #: the code.
    elsewhere: dict[str, str] = field(default_factory=dict)
    of_tree: bool = False  # whether the tree of ElementTree has the error, and repaired markup has not


@cache
def explanations() -> Mapping[str, Explanation]:
    """Return the explanation of each code, in the order of the documentation."""
    # Imported late: importing this module stays cheap.
    import tomllib
    from importlib.resources import files

    data = tomllib.loads(files(__package__).joinpath("explanations.toml").read_text("utf-8"))
    return MappingProxyType(
        {code: _explanation(section, row) for section, rows in data.items() for code, row in rows.items()}
    )


def literal_or_text(document: str | bytes) -> str:
    """Return a document in one line; a Python literal if it has bytes or unprintable characters."""
    if isinstance(document, bytes):
        return ascii(document)
    return document if document.isprintable() and "\ufffd" not in document else ascii(document)


def _explanation(section: str, row: dict[str, Any]) -> Explanation:
    from ast import literal_eval

    values = dict(row)
    if "literal" in values:
        values["document"] = literal_eval(values.pop("literal"))
    for name in ("meaning", "repair", "note"):
        if name in values:
            values[name] = _joined(values[name])
    values["elsewhere"] = {dialect: _joined(text) for dialect, text in values.get("elsewhere", {}).items()}
    return Explanation(section=section, **values)


def _joined(text: str) -> str:
    return " ".join(text.split())
