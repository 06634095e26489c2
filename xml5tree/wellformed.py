"""Asks whether a document is well-formed before it is read, so that nothing is assumed in one that is."""

# Intent meets each tag before it knows the rest of the document, and a few rare patterns look like errors then. So a
# document that can be read twice is first read by the draft, up to its first error: a well-formed document has none.
# That takes a fifth of the time of a native parser and constant memory, and keeps the caller's options and all limits.
# The document is then read by the draft, which assumes nothing and is faster than intent.

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from xml5tree.backends import find_backend
from xml5tree.dialects import make_settings
from xml5tree.documents import Document, Parts, joined, of_one_kind, parts_options, way_back
from xml5tree.errors.log import ParseError
from xml5tree.options import Options, Settings, assuming_nothing
from xml5tree.xml.limits import COMMON_LIMITS, ReaderLimits

if TYPE_CHECKING:
    from xml5tree.dialects.base import Dialect


#: Bytes or characters that are best read at a time: with less it takes longer, with more it ends later after an error.
BLOCK: Final = 1 << 17
#: The most bytes or characters of a document that is looked at as a whole.
WHOLE: Final = 1 << 24


class _Unreadable(Exception):
    """A source cannot be read. What it has raised, it raises again where the document is read."""


def settings_for(
    source: Any,
    dialect: "Dialect",
    settings: Settings,
    limits: ReaderLimits,
    open_parts: Callable[[], Any] | None = None,
    whole: int = BLOCK,
) -> Settings:
    """Return the settings to read a document with, which assume nothing if it is well-formed.

    Args:
        source: where the document comes from. Whether it is well-formed remains open if that cannot be read twice.
        dialect, settings: those to read it with.
        limits: the limits of what reads its markup.
        open_parts: opens the source; the parts have `close`, and may have `damage`, as `Parts`. None: opens `Parts`.
        whole: bytes or characters of a document that is looked at as a whole, in half of the time.
    """
    go_back = way_back(source) if dialect.assumes(settings) else None
    if go_back is None:
        return settings
    try:
        if open_parts is None:
            parts: Any = Parts(source, size=whole, **parts_options(settings._asdict()))
        else:
            parts = open_parts()
        with closing(parts):
            found = _is_well_formed(parts, dialect, settings, limits, whole) and not getattr(parts, "damage", "")
    except OSError:  # which opening it raises again
        return settings
    finally:
        go_back()
    return _assuming_nothing(settings) if found else settings


def settings_for_parts(
    parts: Iterable[Document], dialect: "Dialect", settings: Settings, limits: ReaderLimits
) -> Settings:
    """Return as `settings_for`, for a document in parts, which are not unpacked; text is no path here."""
    if isinstance(parts, str | bytes | bytearray | memoryview):
        parts = (parts,)
    if isinstance(parts, tuple) and len(parts) == 1 and isinstance(parts[0], str | bytes) and dialect.assumes(settings):
        known = dialect.judge(parts[0], settings, limits)  # as all of it is there, and is mostly small
        if known is not None:
            return _assuming_nothing(settings) if known else settings
    return settings_for(parts, dialect, settings, limits, lambda: (part for part in parts))


def options_for(
    source: Any,
    options: Options,
    limits: ReaderLimits | str = COMMON_LIMITS,
    settle: "Callable[[Any, Dialect, Settings, ReaderLimits], Settings]" = settings_for,
) -> Options:
    """Return options to read a source with, of which `settle` makes settings.

    `limits` are those of what reads the markup, or the name of its backend.
    """
    known: Any = {name: value for name, value in options.items() if name in Settings._fields}
    dialect, settings = make_settings(known)
    if not dialect.assumes(settings):
        return options
    if not isinstance(limits, ReaderLimits):
        limits = find_backend(limits).limits
    is_settled = settle(source, dialect, settings, limits).recovery == "draft"
    return assuming_nothing(options) if is_settled else options


def _is_well_formed(
    parts: Iterable[Document],
    dialect: "Dialect",
    settings: Settings,
    limits: ReaderLimits,
    whole: int,
) -> bool:
    """Return whether a document in `parts` certainly has no error; read no further than to the first one."""
    try:
        known, read = _look(_readable(parts), dialect, settings, limits, whole)
        if known is not None:
            return known
        quiet = _assuming_nothing(settings)._replace(on_error=None, logger=None, warnings=False, max_errors=0)
        pipeline = dialect.make_pipeline(quiet, limits, for_tree=False)
        log = pipeline.reporter.log
        try:
            for part in _pieces(read):
                for _ in pipeline.feed(part):
                    pass
                if log.total:
                    return False
            for _ in pipeline.close():
                pass
        finally:
            pipeline.release()
    except (ParseError, _Unreadable):
        return False
    return not log.total


def _assuming_nothing(settings: Settings) -> Settings:
    return settings._replace(recovery="draft")


def _look(
    parts: Iterator[bytes | str],
    dialect: "Dialect",
    settings: Settings,
    limits: ReaderLimits,
    whole: int,
) -> tuple[bool | None, Iterable[bytes | str]]:
    """Return what the beginning tells of a document, or all of it if it fits a buffer; else None and all parts."""
    found = [next(parts, b"")]
    size = len(found[0])
    if size >= BLOCK and dialect.judge(found[0][:BLOCK], settings, limits) is False:
        return False, ()
    while size <= whole and (part := next(parts, None)) is not None:
        found.append(part)
        size += len(part)
    if size > whole:
        return None, chain(found, parts)
    document = joined(found)
    return dialect.judge(document, settings, limits), (document,)


def _readable(parts: Iterable[Document]) -> Iterator[bytes | str]:
    try:
        yield from of_one_kind(parts)
    except Exception as error:
        raise _Unreadable from error


def _pieces(parts: Iterable[bytes | str]) -> Iterator[bytes | str]:
    for part in parts:
        for start in range(0, len(part) or 1, BLOCK):
            yield part[start : start + BLOCK]
