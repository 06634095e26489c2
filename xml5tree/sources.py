"""What calls read: one rule for paths, patterns, URLs, open files, bytes, chunks, lists of these, and ranges."""

import errno
import glob
import os
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final

from xml5tree.documents import Source, is_markup
from xml5tree.remote import StorageOptions, is_url, urls_at

_ONE: Final = ("a path", "an open file", "bytes", "an iterable of chunks")
_SEVERAL: Final = ("a URL", "a pattern", "a list of several")
#: Calls for which text is never a name.
_OF_CHUNKS: Final = ("fromstringlist", "repair_iter")
#: Kinds of sources, as `_kind` tells them, that calls take.
TAKEN: Final = {
    **dict.fromkeys(("parse", "known_elements", "iterparse", "iterroots", "open"), _ONE),
    "records": (*_ONE, "a URL"),
    **dict.fromkeys(("read_table", "read_frame", "record_batches"), (*_ONE, "a Range", *_SEVERAL)),
    "ranges.split": ("a path", *_SEVERAL),
    "ranges.read": ("a Range",),
    **dict.fromkeys(_OF_CHUNKS, ("an open file", "bytes", "an iterable of chunks")),
    "containers.repair": ("a path", "an open file", "bytes"),
}
#: What to do with other kinds.
_INSTEAD: Final = {
    "a path": "; parse, iterparse, records and others read files",
    "a URL": ", and nothing is fetched; records and read_table do, or open it and pass the file object",
    "a pattern": "; read_table, record_batches and ranges.split do; here, pass one file",
    "bytes": "; fromstring, records and others read documents in memory",
    "an iterable of chunks": "; fromstringlist, records and others read chunks",
    "an open file": "; parse, iterparse, records and others read open files",
    "a list of several": "; read each by itself, or all with read_table, read_frame or record_batches",
    "a Range": "; xml5tree.ranges.read and read_table read it",
}
_MAGIC: Final = frozenset("*?[")


def one_document(source: Any, call: str) -> Any:
    """Return the document that a call is to read: a path, a URL, an open file or an iterable of chunks.

    A list of one item is that item. In a list, text is a name if it looks like one, or there is such a file. Raises
    `TypeError` for what the call does not take, and for several documents; for a URL or a pattern, which might be the
    name of a file, `FileNotFoundError`.
    """
    if call in _OF_CHUNKS and isinstance(source[0] if isinstance(source, list | tuple) and source else source, str):
        return source
    kind, found = _kind(source)
    if kind not in TAKEN[call]:
        raise _not_taken(kind, source, call)
    if isinstance(source, Iterator) and kind == "an iterable of chunks":
        return _chunks(source, call)
    return found


def _not_taken(kind: str, source: object, call: str) -> TypeError | FileNotFoundError:
    *others, last = TAKEN[call]
    taken = f"{', '.join(others)} or {last}" if others else last
    problem = f"{call} takes {taken}, not {kind or type(source).__name__}{_INSTEAD.get(kind, '')}"
    if kind in {"a URL", "a pattern"} and "a path" in TAKEN[call]:
        return FileNotFoundError(errno.ENOENT, f"{os.strerror(errno.ENOENT)}; {problem}", source)
    return TypeError(problem)


def _chunks(source: Iterator[Any], call: str) -> Iterator[Any]:
    """Yield the chunks of an iterator; raise `TypeError` if they turn out to be documents of their own."""
    for chunk in source:
        if not isinstance(chunk, str) and _is_one(chunk):
            raise _not_taken("a list of several", source, call)
        yield chunk


def sources_in(source: Any, call: str, storage_options: StorageOptions = None) -> Iterator[Source]:
    """Yield the documents that a source stands for: those of a list, and all that match a pattern, sorted.

    Raises `FileNotFoundError` if nothing matches a pattern, `ValueError` for an empty list, and what `one_document`
    raises.
    """
    if isinstance(source, list | tuple) and not source:
        raise ValueError("there are no documents: the list is empty")
    if isinstance(source, Iterator) and not hasattr(source, "read"):
        first = list(islice(source, 1))
        source = chain(first, source)
        are_several = bool(first) and not isinstance(first[0], str) and _is_one(first[0])
    else:
        are_several = _kind(source)[0] == "a list of several"
    for item in source if are_several else [one_document(source, call)]:
        if is_url(item):
            yield from urls_at(item, storage_options)
        elif _kind(item)[0] == "a pattern":
            matches = sorted(glob.glob(os.fspath(item), recursive=True))
            if not matches:
                raise FileNotFoundError(f"no file matches {os.fspath(item)!r}")
            yield from matches
        else:
            yield item


def _kind(source: Any) -> tuple[str, Any]:
    """Return the kind of a source, "" for none, and what is to be read."""
    if isinstance(source, str | os.PathLike):
        path = os.fsdecode(source)
        if is_markup(path) or _exists(path):
            return "a path", source
        return ("a URL" if is_url(source) else "a path" if _MAGIC.isdisjoint(path) else "a pattern"), source
    if isinstance(source, bytes | bytearray | memoryview):
        return "bytes", [source]
    if hasattr(source, "read"):
        return "an open file", source
    if is_range(source):
        return "a Range", source
    if isinstance(source, list | tuple):
        if not (source and all(map(_is_one, source))):
            return "an iterable of chunks", source
        return _kind(source[0]) if len(source) == 1 else ("a list of several", source)
    return ("an iterable of chunks" if isinstance(source, Iterable) else ""), source


def _is_one(item: object) -> bool:
    """Return whether an item of a list is a source by itself, and not a chunk: text is one if it looks like a name."""
    if isinstance(item, str):
        from xml5tree.errors.hints import looks_like_file  # few lists are of text

        return not is_markup(item) and (is_url(item) or looks_like_file(item) or _exists(item))
    return isinstance(item, os.PathLike) or hasattr(item, "read") or is_range(item)


def are_ranges(source: object) -> bool:
    """Return whether this is a range, or a list of ranges."""
    return is_range(source) or (isinstance(source, list | tuple) and bool(source) and all(map(is_range, source)))


def is_range(source: object) -> bool:
    """Return whether this is a range, without importing what reads ranges."""
    return type(source).__name__ == "Range" and type(source).__module__.startswith(__package__)


def _exists(path: str) -> bool:
    try:
        return bool(path) and os.path.exists(path)
    except ValueError:  # a null character
        return False
