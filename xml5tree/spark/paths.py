"""Finds the files of a path."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import partial
from glob import has_magic
from typing import Final
from urllib.parse import unquote

from pyarrow import fs

from xml5tree.remote import StorageOptions, system_of
from xml5tree.spark.options import SparkOptions

#: The value of a folder that stands for null.
_NULL: Final = "__HIVE_DEFAULT_PARTITION__"


def files_at(path: str, options: SparkOptions) -> list[str]:
    """Return the files of a path, sorted; in folders, without names that begin with ``_`` or ``.``.

    Args:
        path: a path, or a URI that fsspec or `pyarrow.fs` knows, perhaps with ``*``, ``?``, ``[…]`` or ``{a,b}``.
        options: say which of the files are meant. Without `recursiveFileLookup`, files in subfolders are only those in
            folders such as ``year=2024``.

    Raises:
        FileNotFoundError: there is nothing at the path.
        ValueError: a file's time is asked for, and its file system does not tell it.
    """
    found = _all_found(path, options)
    if not found:
        raise FileNotFoundError(f"there is no file at {path}")
    return [file for file in sorted(found) if _has_name(file, options) and _has_time(file, found[file], options)]


def times_at(path: str, options: SparkOptions) -> dict[str, datetime | None]:
    """Return the files of a path, perhaps none, with the times at which they were modified, where these are known.

    For arguments see `files_at`. Raises `FileNotFoundError` for a path that is no pattern, without file and folder.
    """
    found = _all_found(path, options)
    if not found and not has_magic(path) and "{" not in path:
        system, place = _system(_uri(path), options.storageOptions)
        if system.get_file_info(place).type == fs.FileType.NotFound:
            raise FileNotFoundError(f"there is no file or folder at {path}")
    return {file: time() for file, time in found.items() if _has_name(file, options)}


def folder_values(file: str, base: str | None) -> dict[str, str | None]:
    """Return the values of a file's folders below `base`, if given, such as ``year=2024``, by column.

    Raises `ValueError` for a file that is not below `base`.
    """
    inner = file
    if base is not None:
        inner = file.removeprefix(_uri(base).rstrip("/") + "/")
        if inner == file:
            raise ValueError(f"{file} is not below basePath, {base}")
    pairs = (folder.partition("=") for folder in inner.split("/")[:-1] if "=" in folder.strip("="))
    return {unquote(name): None if value == _NULL else unquote(value) for name, _, value in pairs}


def facts_of(file: str, storage_options: StorageOptions) -> tuple[int | None, datetime | None]:
    """Return the size of a file, and when it was modified; None for what is not known."""
    system, place = _system(_uri(file), storage_options)
    info = system.get_file_info(place)
    return info.size, _modified(system, info)


def _has_name(file: str, options: SparkOptions) -> bool:
    return options.pathGlobFilter is None or fnmatchcase(file.rpartition("/")[2], options.pathGlobFilter)


def _uri(path: str) -> str:
    return re.sub(r"\As3[an]://", "s3://", re.sub(r"\Afile:/(?!/)", "file:///", path))


def _system(base: str, storage_options: StorageOptions) -> tuple[fs.FileSystem, str]:
    """Return the file system of a path without patterns, as `xml5tree.remote.open_url`, and the path in it."""
    if "://" not in base:
        return fs.LocalFileSystem(), os.fspath(base)
    found: tuple[fs.FileSystem, str]
    if not base.startswith("file://"):
        try:
            system, place = system_of(base, storage_options)
        except (ImportError, ValueError):
            if storage_options:
                raise
        else:
            return fs.PyFileSystem(fs.FSSpecHandler(system)), place
    found = fs.FileSystem.from_uri(base)
    return found


def _modified(system: fs.FileSystem, info: fs.FileInfo) -> datetime | None:
    if info.mtime is None and isinstance(system, fs.PyFileSystem):
        with suppress(NotImplementedError):
            found: datetime = system.handler.fs.modified(info.path)
            return found if found.tzinfo else found.replace(tzinfo=UTC)
    time: datetime | None = info.mtime
    return time


def _all_found(path: str, options: SparkOptions) -> dict[str, Callable[[], datetime | None]]:
    """Return the files at a path, each with a function that returns when it was modified."""
    return {file: time for one in _alternatives(_uri(path)) for file, time in _found(one, options)}


def _has_time(file: str, find_time: Callable[[], datetime | None], options: SparkOptions) -> bool:
    """Return whether a file was modified when the options say; raise `ValueError` if they ask and it is not known."""
    after, before = options.modifiedAfter, options.modifiedBefore
    if after is None and before is None:
        return True
    time = find_time()
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


def _found(uri: str, options: SparkOptions) -> Iterator[tuple[str, Callable[[], datetime | None]]]:
    """Yield the files at a path without braces as `_all_found` returns them."""
    parts = uri.split("/")
    plain = next((number for number, part in enumerate(parts) if has_magic(part)), len(parts))
    base = "/".join(parts[:plain]) or ("/" if uri.startswith("/") and plain else ".")
    system, place = _system(base, options.storageOptions)
    for info in _matching(system, system.get_file_info(place), parts[plain:]):
        if info.type == fs.FileType.File:
            yield _named(info.path, place, base), partial(_modified, system, info)
        elif info.type == fs.FileType.Directory:
            for inner in _files_in(system, info.path, options.recursiveFileLookup):
                yield _named(inner.path, place, base), partial(_modified, system, inner)


def _files_in(system: fs.FileSystem, folder: str, recursive: bool) -> Iterator[fs.FileInfo]:
    for inner in system.get_file_info(fs.FileSelector(folder)):
        name = inner.path.rpartition("/")[2]
        has_value = "=" in name.strip("=")
        if name.startswith(".") or (name.startswith("_") and not has_value):
            continue
        if inner.type == fs.FileType.File:
            yield inner
        elif inner.type == fs.FileType.Directory and (recursive or has_value):
            yield from _files_in(system, inner.path, recursive)


def _matching(system: fs.FileSystem, info: fs.FileInfo, patterns: list[str]) -> Iterator[fs.FileInfo]:
    """Yield the entries that match patterns, one pattern for each level below a folder."""
    if not patterns:
        yield info
    elif info.type == fs.FileType.Directory:
        for inner in system.get_file_info(fs.FileSelector(info.path)):
            name = inner.path.rpartition("/")[2]
            if fnmatchcase(name, patterns[0]) and (patterns[0][0] == name[0] or not name.startswith(("_", "."))):
                yield from _matching(system, inner, patterns[1:])


def _named(found: str, place: str, base: str) -> str:
    """Return a path that opens a file of a file system again, below the base that the caller has named."""
    if "://" not in base:
        return found.removeprefix("./")
    return base.rstrip("/") + found[len(place.rstrip("/")) :]
