"""Finds the files of a path: a file, a folder or a pattern, local or in another file system."""

import os
import re
from collections.abc import Iterator
from datetime import datetime
from fnmatch import fnmatchcase
from glob import has_magic

from pyarrow import fs

__all__ = ["files_at"]


def files_at(
    path: str,
    *,
    recursive: bool = False,
    name_filter: str | None = None,
    before: datetime | None = None,
    after: datetime | None = None,
) -> list[str]:
    """Return the files of a path, sorted; in folders, without names that begin with ``_`` or ``.``.

    Args:
        path: a path, or a URI for `pyarrow.fs`, perhaps with ``*``, ``?``, ``[…]`` or ``{a,b}``.
        recursive: whether files in subfolders are included.
        name_filter: a pattern for the names of the files.
        before: only files that were modified before this time, which has a zone.
        after: only files that were modified after this time, which has a zone.

    Raises:
        FileNotFoundError: there is nothing at the path.
        ValueError: a file's time is asked for, and its file system does not tell it.
    """
    uri = re.sub(r"\As3[an]://", "s3://", re.sub(r"\Afile:/(?!/)", "file:///", path))
    scheme = ""
    if "://" in uri:
        scheme = uri.partition("://")[0] + "://"
    found = {file: info for one in _alternatives(uri) for file, info in _found(one, scheme, recursive)}
    if not found:
        raise FileNotFoundError(f"there is no file at {path}")
    return [
        file
        for file in sorted(found)
        if (name_filter is None or fnmatchcase(file.rpartition("/")[2], name_filter))
        and _is_between(file, found[file].mtime, after, before)
    ]


def _is_between(file: str, time: datetime | None, after: datetime | None, before: datetime | None) -> bool:
    """Return whether the time of a file is after and before others, either of which may be None.

    Raises:
        ValueError: the time is not known, and is asked for.
    """
    if after is None and before is None:
        return True
    if time is None:
        raise ValueError(f"it is not known when {file} was modified, which modifiedBefore and modifiedAfter ask for")
    return (after is None or time > after) and (before is None or time < before)


def _alternatives(path: str) -> Iterator[str]:
    """Yield the expansions of ``{a,b}``."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if braces is None:
        yield path
        return
    for alternative in braces[1].split(","):
        yield from _alternatives(path[: braces.start()] + alternative + path[braces.end() :])


def _found(uri: str, scheme: str, recursive: bool) -> Iterator[tuple[str, fs.FileInfo]]:
    """Yield the files at a path without braces, each with what its file system tells of it."""
    parts = uri.split("/")
    plain = next((number for number, part in enumerate(parts) if has_magic(part)), len(parts))
    base = "/".join(parts[:plain]) or ("/" if uri.startswith("/") and plain else ".")
    system: fs.FileSystem
    system, place = fs.FileSystem.from_uri(base) if scheme else (fs.LocalFileSystem(), os.fspath(base))
    for info in _matching(system, system.get_file_info(place), parts[plain:]):
        if info.type == fs.FileType.File:
            yield _named(info.path, uri, scheme, place, base), info
        elif info.type == fs.FileType.Directory:
            for inner in system.get_file_info(fs.FileSelector(info.path, recursive=recursive)):
                below = inner.path[len(info.path) :].strip("/").split("/")
                if inner.type == fs.FileType.File and not any(part.startswith(("_", ".")) for part in below):
                    yield _named(inner.path, uri, scheme, place, base), inner


def _matching(system: fs.FileSystem, info: fs.FileInfo, patterns: list[str]) -> Iterator[fs.FileInfo]:
    """Yield the entries that match patterns, one pattern for each level below a folder."""
    if not patterns:
        yield info
    elif info.type == fs.FileType.Directory:
        for inner in system.get_file_info(fs.FileSelector(info.path)):
            name = inner.path.rpartition("/")[2]
            if fnmatchcase(name, patterns[0]) and (patterns[0][0] == name[0] or not name.startswith(("_", "."))):
                yield from _matching(system, inner, patterns[1:])


def _named(found: str, uri: str, scheme: str, place: str, base: str) -> str:
    """Return a path that opens a file of a file system again, below the base that the caller has named."""
    if not scheme:
        return found.removeprefix("./")
    return base.rstrip("/") + found[len(place.rstrip("/")) :]
