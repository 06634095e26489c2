"""The parsers: a document in, whole or in parts; what the native parser makes of it, or its repaired markup, out."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Unpack, overload

from xml5tree.backends import FeedParser, find_backend
from xml5tree.dialects import make_settings
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.options import Options
from xml5tree.xml.limits import COMMON_LIMITS, EXPAT_LIMITS, LIBXML2_LIMITS, Limits

if TYPE_CHECKING:
    from xml5tree.dialects.base import Pipeline

__all__ = ["Document", "Repairer", "XMLParser", "joined", "text_or_bytes"]

#: A document or a part of it.
Document = bytes | bytearray | memoryview | str


def text_or_bytes(data: Any) -> str | bytes:
    """A document, or a part of one, as text or bytes.

    Raises:
        TypeError: it is neither text nor an object with bytes in it.
    """
    if isinstance(data, bytes | str):
        return data
    try:
        return bytes(memoryview(data))
    except TypeError:
        raise TypeError(f"bytes or str expected, not {type(data).__name__}") from None


def joined(parts: Iterable[Document]) -> str | bytes:
    """The document that comes in these parts.

    Raises:
        TypeError: they are not all text, or all bytes.
    """
    whole: list[Any] = [text_or_bytes(part) for part in parts]
    return type(whole[0])().join(whole) if whole else b""


class XMLParser:
    """A parser with the interface of `xml.etree.ElementTree.XMLParser` that takes every document with a start tag.

    It can be given to `xml.etree.ElementTree.parse` as its ``parser``. After `close` it takes another document.
    """

    def __init__(
        self, *, backend: str | FeedParser = "etree", target: object | None = None, **options: Unpack[Options]
    ) -> None:
        """Set the options.

        Args:
            backend: ``"etree"`` for trees of `xml.etree.ElementTree`, ``"lxml"`` for those of `lxml.etree`, or a parser
                object with ``feed`` and ``close``, which takes the repaired markup as text.
            target: an object that is told of elements and text instead of a tree being built, as the backend's native
                parser takes it.
            **options: see `xml5tree.options.Settings`.

        Raises:
            TypeError: an unknown option, or a backend that is none.
            ValueError: a backend or an option's value that does not exist.
            LookupError: the encoding is unknown or refused.
            ImportError: the backend's library is not installed.
        """
        self._dialect, self._settings = make_settings(options)
        self._target = target
        self._own_parser: FeedParser | None = None
        self._log = ErrorLog()
        if isinstance(backend, str):
            self._backend = find_backend(backend)
            self._limits = self._backend.limits
        elif isinstance(backend, type) or not all(
            callable(getattr(backend, method, None)) for method in ("feed", "close")
        ):
            found = f"the class {backend.__name__}" if isinstance(backend, type) else type(backend).__name__
            raise TypeError(f"a backend is a name or an object with feed and close, not {found}")
        elif target is not None:
            raise TypeError("a target belongs to the parser object that is the backend")
        else:
            self._own_parser = backend
            self._limits = _limits_of(backend)
        if not self._settings.recover and self._settings.attribute_defaults not in {
            None,
            self._limits.attribute_defaults,
        }:
            raise ValueError("recover=False leaves attribute defaults to the native parser's way")
        self._native: FeedParser | None = None
        self._pipeline: Pipeline | None = None
        self._is_fed = False

    @property
    def is_feeding(self) -> bool:
        """Whether a document has been begun by `feed` and not ended by `close`."""
        return self._native is not None and self._is_fed

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far, or of the last one."""
        return self._log

    def feed(self, data: Document) -> None:
        """Take the next part of a document, which is all bytes or all text.

        Raises:
            TypeError: `data` is neither, or not what was fed before.
            ParseError: the document is refused, with `recover=False` or `forbid_dtd=True`.
        """
        data = text_or_bytes(data)
        native = self._native or self._begin()
        self._is_fed = True
        try:
            for markup in self._pipeline.feed(data) if self._pipeline else ():
                if markup and self._settings.recover:
                    self._pass_on(native, markup)
        except ParseError:
            self._abandon(native)
            raise
        if not self._settings.recover:
            self._strictly(native.feed, data)

    def close(self) -> Any:
        """End the document.

        Returns:
            The root element, or what the target's ``close`` returns.

        Raises:
            ParseError: the document has no root element; with `recover=False`, it is not well-formed.
        """
        native = self._native or self._begin()
        pipeline, self._native, self._pipeline = self._pipeline, None, None
        if pipeline is None or not self._settings.recover:
            return native.close() if self._own_parser is not None else self._strictly(self._backend.close, native)
        try:
            for markup in pipeline.close():
                self._pass_on(native, markup)
        except ParseError:
            self._abandon(native)
            raise
        if self._own_parser is not None:
            return native.close()
        try:
            return self._backend.close(native)
        except self._backend.refusals as error:  # a limit of the native parser's
            raise self._backend.exception(error) from error

    def parse_whole(self, data: Document) -> Any:
        """Parse a whole document.

        This is `feed` and `close` in one, except that the native parser tries first: what it accepts is its tree, at
        its speed, and without errors. A document that is being fed is given up.

        Returns, Raises:
            As `feed` and `close`.
        """
        data = text_or_bytes(data)
        self._native = None
        if self._may_try(data):
            try:
                root = self._backend.parse_whole(data, self._settings)
            except self._backend.refusals:
                pass
            else:
                self._log = ErrorLog()
                return root
        self.feed(data)
        return self.close()

    def make_tree(self, root: Any, source: Any = None) -> Any:
        """The element tree of the backend around the root element that `close` returned.

        Args:
            root: the root element.
            source: path or file object that the document came from, for the tree's base URL.
        """
        if hasattr(root, "getroottree"):
            return find_backend("lxml").make_tree(root, source)
        return find_backend("etree").make_tree(root, source)

    def _begin(self) -> FeedParser:
        """Begin a document."""
        settings = self._settings
        self._log = ErrorLog()
        self._pipeline = None
        self._is_fed = False
        if settings.recover or settings.forbid_dtd:
            self._pipeline = self._dialect.make_pipeline(settings, self._limits)
        if self._pipeline is not None and settings.recover:
            self._log = self._pipeline.reporter.log
        if self._own_parser is not None:
            self._native = self._own_parser
        elif settings.recover:
            self._native = self._backend.make_parser(self._target)
        else:
            self._native = self._backend.make_strict_parser(self._target, settings)
        return self._native

    def _pass_on(self, native: FeedParser, markup: bytes) -> None:
        """Feed repaired markup: as text to a parser of the caller's, which may expect another encoding."""
        native.feed(markup.decode() if native is self._own_parser else markup)

    def _may_try(self, data: bytes | str) -> bool:
        """Whether the native parser may try a whole document before it is repaired."""
        if self._own_parser is not None or self._target is not None or not self._settings.recover:
            return False
        return self._dialect.may_try_natively(data, self._settings, self._limits)

    def _abandon(self, native: FeedParser) -> None:
        """Give a document up that has been refused."""
        self._native = self._pipeline = None
        if native is self._own_parser:
            # What it was fed must not become part of the next document.
            with suppress(Exception):
                native.close()

    def _strictly(self, call: Any, *arguments: Any) -> Any:
        """Call a method of a native parser that reads the document as it is."""
        if self._own_parser is not None:
            return call(*arguments)
        try:
            return call(*arguments)
        except self._backend.refusals as error:
            self._native = None
            exception = self._backend.exception(error)
            self._log = exception.errors
            raise exception from error


def _limits_of(parser: object) -> Limits:
    """What a parser object of the caller's can read: what any can, where it is of neither library."""
    module = type(parser).__module__
    if module.startswith("lxml."):
        return LIBXML2_LIMITS
    return EXPAT_LIMITS if module == "xml.etree.ElementTree" else COMMON_LIMITS


class Repairer:
    """Makes well-formed markup of a document that comes in parts, and after `close` of another one.

    The markup is accepted by every conforming parser. It is UTF-8 for a document of bytes, text for one of text, and
    the document itself wherever nothing has to be repaired.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        """Set the options; see `xml5tree.options.Settings`.

        Raises:
            TypeError: an unknown option.
            ValueError: an option's value that does not exist, such as `recover=False`: a repair always recovers.
            LookupError: the encoding is unknown or refused.
        """
        self._dialect, self._settings = make_settings(options)
        if not self._settings.recover:
            raise ValueError("recover=False refuses broken documents; a Repairer repairs them")
        self._pipeline: Pipeline | None = None  # of the last document, for its errors
        self._is_open = False
        self._as_text = False

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far."""
        return ErrorLog() if self._pipeline is None else self._pipeline.reporter.log

    @overload
    def feed(self, data: str) -> str: ...
    @overload
    def feed(self, data: bytes | bytearray | memoryview) -> bytes: ...
    def feed(self, data: Document) -> bytes | str:
        """Take the next part of the document.

        Returns:
            The markup that is certain now; it may be empty.

        Raises:
            TypeError: `data` is neither bytes nor text, or not what was fed before.
            ParseError: the document has a DOCTYPE and `forbid_dtd` is set.
        """
        data = text_or_bytes(data)
        if not data:
            return data  # it does not tell whether the document will be bytes or text
        pipeline = self._pipeline if self._is_open and self._pipeline else self._begin(data)
        return self._joined(pipeline.feed(data))

    def close(self) -> bytes | str:
        """End the document.

        Returns:
            The rest of the markup, of the type of the document.

        Raises:
            ParseError: the document has no root element.
        """
        pipeline = self._pipeline if self._is_open and self._pipeline else self._begin(b"")
        self._is_open = False
        return self._joined(pipeline.close())

    def _begin(self, data: bytes | str) -> "Pipeline":
        self._is_open = True
        self._as_text = isinstance(data, str)
        encoding = None if self._as_text else "utf-8"
        self._pipeline = self._dialect.make_pipeline(
            self._settings, COMMON_LIMITS, output_encoding=encoding, for_tree=False
        )
        return self._pipeline

    def _joined(self, pieces: Iterable[bytes]) -> bytes | str:
        markup = b"".join(pieces)
        return markup.decode() if self._as_text else markup
