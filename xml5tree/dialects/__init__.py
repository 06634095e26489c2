"""The grammars: a folder for each, with its tokenizer and its tree construction, imported when it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from xml5tree.options import Options, Settings

if TYPE_CHECKING:
    from xml5tree.dialects.base import Dialect

__all__ = ["DIALECTS", "dialects_with", "find_dialect", "make_settings"]

#: The names that the option `dialect` takes, and the modules that have the dialect of that name as their `DIALECT`.
DIALECTS: Final = {
    "xml5": "xml5tree.dialects.xml5",
    "leafxml": "xml5tree.dialects.leafxml",
    "microxml": "xml5tree.dialects.microxml",
    "html": "xml5tree.dialects.html",
}


def find_dialect(name: str) -> "Dialect":
    """Return the dialect of a name.

    Raises:
        TypeError: the name is no string.
        ValueError: there is no dialect of that name.
    """
    if not isinstance(name, str):
        raise TypeError(f"dialect must be a string, not {name!r}")
    if name not in DIALECTS:
        raise ValueError(f"unknown dialect {name!r}; known are {', '.join(DIALECTS)}")
    dialect: Dialect = import_module(DIALECTS[name]).DIALECT
    return dialect


def dialects_with(code: str) -> "list[Dialect]":
    """Return the dialects that have an error code; the first of them is the one that its explanation is about."""
    return [dialect for dialect in map(find_dialect, DIALECTS) if code in dialect.codes]


def make_settings(options: Options) -> "tuple[Dialect, Settings]":
    """Return the dialect that keyword arguments name, and the settings that they make, checked.

    Raises:
        TypeError: an unknown option, or a value of a type that it cannot have.
        ValueError: a dialect or an option's value that does not exist.
        LookupError: the encoding is unknown or refused.
    """
    dialect = find_dialect(options.get("dialect", "xml5"))
    return dialect, dialect.adjusted(Settings.make({**dialect.defaults, **options}))
