"""The grammars, one folder each, imported on demand."""

import os
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from xml5tree.options import Options, Settings

if TYPE_CHECKING:
    from xml5tree.dialects.base import Dialect

#: The names that the option `dialect` takes, and the modules that have the dialect of that name as their `DIALECT`.
DIALECTS: Final = {
    "xml5": "xml5tree.dialects.xml5",
    "leafxml": "xml5tree.dialects.leafxml",
    "microxml": "xml5tree.dialects.microxml",
    "html": "xml5tree.dialects.html",
}
#: Types of values that cannot change, and that hold nothing of the caller's.
_PLAIN_VALUES: Final = frozenset((str, int, bool, type(None)))


def find_dialect(name: str) -> "Dialect":
    """Return the dialect of a name; raise `TypeError` for a name that is no string, `ValueError` for an unknown one."""
    if not isinstance(name, str):
        raise TypeError(f"dialect must be a string, not {name!r}")
    if name not in DIALECTS:
        raise ValueError(f"unknown dialect {name!r}; known are {', '.join(DIALECTS)}")
    return _import_dialect(name)


@cache
def _import_dialect(name: str) -> "Dialect":
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
    listener = options.get("on_error")
    plain: Mapping[str, Any] = options
    if callable(listener):
        plain = {name: value for name, value in options.items() if name != "on_error"}
    kinds = tuple(map(type, plain.values()))
    if not _PLAIN_VALUES.issuperset(kinds) or plain.get("structure") is not None:
        return _make(options)
    dialect, settings = _make_plain(tuple(plain.items()), kinds)
    return dialect, settings if plain is options else settings._replace(on_error=listener)


@lru_cache(maxsize=64)
def _make_plain(items: tuple[tuple[str, Any], ...], kinds: tuple[type, ...]) -> "tuple[Dialect, Settings]":
    """Return as `make_settings`, for options whose values cannot change; cached by values and types."""
    return _make(cast(Options, dict(items)))


def _make(options: Options) -> "tuple[Dialect, Settings]":
    dialect = find_dialect(options.get("dialect", "xml5"))
    if isinstance(given := options.get("structure"), str | os.PathLike):
        from xml5tree.vocabularies import read_schema

        options = {**options, "structure": read_schema(given)}
    return dialect, dialect.adjusted(Settings.make({**dialect.defaults, **options}))
