"""An `xml.sax` driver for broken documents.

``xml.sax.make_parser(["xml5tree.sax"])`` makes a parser of it; with ``xml5tree.sax`` in the environment variable
``PY_SAX_PARSER``, so do `xml.sax.parse` and its users. The standard driver, `xml.sax.expatreader`, reads the repaired
markup; events, features, properties and exceptions are those of that driver. Differences:

- Errors are repaired, and listed in `SAXParser.error_log`. Only a document without a start tag, or one that an option
  refuses, is a fatal error.
- No external DTD or entity is read, whatever ``feature_external_ges`` says, and the entity resolver is not called. An
  unknown reference is text. The document itself is opened as `xml.sax` always does it, from a path or a URL.
- Declarations of the DOCTYPE that are not well-formed are not reported.
- With ``feature_namespaces``, an undeclared prefix is declared on the first element that uses it, and white space in a
  namespace name is percent-encoded: the standard driver refuses or splits such names.

The locator gives lines of the original document, as long as the repair keeps its line breaks. Where it drops some,
lines are too small up to and including the next tag. Columns are those of the repaired markup, which are the same in
lines without repairs; they may be smaller in the lines where the XML declaration and the DOCTYPE end.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Unpack
from xml.sax import SAXParseException
from xml.sax.expatreader import ExpatParser
from xml.sax.handler import feature_namespaces, property_lexical_handler
from xml.sax.saxutils import prepare_input_source
from xml.sax.xmlreader import InputSource

from xml5tree.dialects import make_settings
from xml5tree.dialects.base import Pipeline
from xml5tree.documents import Document, Parts, parts_options
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.lifecycle import BeginsAfresh, LifeCycle
from xml5tree.options import Settings, TreeOptions, when_pushed
from xml5tree.tree.namespaces import UNDECLARED
from xml5tree.unpacking import UnpackedTooLarge
from xml5tree.wellformed import settings_for
from xml5tree.xml.limits import COMMENT, EXPAT_LIMITS, ReaderLimits
from xml5tree.xml.uris import percent_encode

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["SAXParser", "create_parser"]

#: The standard driver splits names at white space if it handles namespaces, and not otherwise.
_LIMITS: Final = EXPAT_LIMITS._replace(left_out=(), declarations=True)
_WITH_NAMESPACES: Final = _LIMITS._replace(not_in_namespace_names=re.compile(r"\s"))
_WITHOUT_NAMESPACES: Final = _LIMITS._replace(not_in_namespace_names=re.compile(r"(?!)"))


class SAXParser(BeginsAfresh, ExpatParser):
    """A SAX parser, incremental or for whole documents, with the interface of `xml.sax.expatreader.ExpatParser`."""

    # Attributes missing from the standard driver's type stub.
    _bufsize: int
    _parsing: bool
    _close_source: Callable[[], None]
    _source: InputSource

    def __init__(
        self, namespaceHandling: bool = False, bufsize: int = 2**16 - 20, **options: Unpack[TreeOptions]
    ) -> None:
        """Set the options.

        Args:
            namespaceHandling: initial value of ``feature_namespaces``.
            bufsize: bytes or characters that `parse` reads at a time.
            **options: see `xml5tree.options.Settings`; for a document that is fed, `recovery` is ``"draft"`` by
                default; it cannot be ``"strict"``. With ``warnings=True``, the error handler's ``warning()`` gets each
                error, before the events of its chunk.

        Raises what is usual for options: `TypeError` for an unknown one, and `ValueError` for an invalid value.
        """
        super().__init__(namespaceHandling, bufsize)
        self._dialect, self._settings = make_settings(options)
        _, self._fed_settings = make_settings(when_pushed(options))
        if not self._settings.recovers:
            raise ValueError(
                'recovery="strict" refuses broken documents, as xml.sax.expatreader does; this driver repairs'
            )
        self._warns = self._settings.warnings is not False
        self._settings = self._settings._replace(warnings=False)
        self._fed_settings = self._fed_settings._replace(warnings=False)
        self._listener = self._settings.listener
        self._cycle: LifeCycle[Pipeline] = LifeCycle()
        self._log = ErrorLog()
        self._refused = False
        self._stream: _Stream | None = None  # read by `parse`
        self._settled = self._settings  # for what `parse` reads

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far, or of the last one."""
        return self._log

    def parse(self, source: Any) -> None:
        """Read a document to its end.

        Args:
            source: a path or URL, a file object, or an ``InputSource``. Gzip and zstd are unpacked.

        Raises `OSError` if the source cannot be read, and `SAXParseException` as `feed`, or if it unpacks to too much.
        """
        source = self._read_to_the_end(prepare_input_source(source))
        self._stream = source.getCharacterStream() or source.getByteStream()
        self._settled = self._settle(source, self._stream)
        try:
            # By the loop of `xml.sax`, not `drive`: subclasses may replace any step of it. `_repair` asks for damage.
            super().parse(source)
        except UnpackedTooLarge as error:
            self._refuse(str(error), error, 1, 0)
        finally:
            self._stream = None

    def reset(self) -> None:
        """Prepare for another document."""
        super().reset()
        self._cycle.give_up()
        self._log = ErrorLog()
        self._refused = False

    def feed(self, data: "str | ReadableBuffer", isFinal: bool = False) -> None:
        """Take the next chunk of a document; `isFinal` marks the last one.

        After an exception of a handler or of `on_error`, the next chunk begins another document. Raises `TypeError` as
        `xml5tree.XMLParser.feed`. The error handler raises `SAXParseException`.
        """
        part = self._cycle.accept(data)
        try:
            with self._cycle.step(self._begin, last=isFinal) as pipeline:
                for markup in self._repair(pipeline, part, isFinal):
                    super().feed(markup.decode())  # as the source may name another encoding
                if isFinal and not self._refused:
                    super().feed("", True)
        except BaseException:
            self._parsing = self._cycle.is_feeding
            raise

    def close(self) -> None:
        """End the document, unless an exception ended it, and close its source; raise as `feed`."""
        self._cycle.require_idle()
        if self._cycle.state == "failed":
            self._close_source()
        else:
            super().close()

    def _repair(self, pipeline: Pipeline, part: bytes | str, final: bool) -> Iterator[bytes]:
        """Yield the markup of a chunk; nothing once the document is refused."""
        if self._refused:
            return
        try:
            yield from pipeline.feed(part)
            if final:
                if self._stream is not None and self._stream.damage:
                    pipeline.end_early(self._stream.damage)
                yield from pipeline.close()
        except ParseError as error:
            self._refuse(error.reason, error, *error.position)

    def _begin(self) -> Pipeline:
        super().reset()
        self._refused = False
        self._parsing = True
        self.getContentHandler().startDocument()
        settings = self._fed_settings if self._stream is None else self._settled
        settings = settings.named(self._source.getSystemId())
        if not self.getFeature(feature_namespaces) and settings.namespaces is None and self._dialect.name == "xml5":
            settings = settings._replace(namespaces={})  # so that `start_element` knows the declarations that are added
        if self._warns:
            settings = settings._replace(on_error=self._warn, logger=None)
        try:
            settings = _with_encoding(settings, self._source)
        except LookupError as error:
            self._refuse(str(error), error, 1, 0)
        pipeline = self._dialect.make_pipeline(settings, self._limits(), for_tree=False)
        self._log = pipeline.reporter.log
        return pipeline

    def _read_to_the_end(self, source: InputSource) -> InputSource:
        """Return a source whose streams return nothing only at the end, even if those of `source` do so earlier."""
        wrapped = InputSource(source.getSystemId())
        wrapped.setPublicId(source.getPublicId())
        wrapped.setEncoding(source.getEncoding())
        for stream, wrap in (
            (source.getCharacterStream(), wrapped.setCharacterStream),
            (source.getByteStream(), wrapped.setByteStream),
        ):
            if stream is not None:
                wrap(_Stream(stream, self._settings, self._bufsize))
        return wrapped

    def _settle(self, source: InputSource, stream: "_Stream") -> Settings:
        """Return the settings for a source of the caller's; see `xml5tree.wellformed`."""
        settings = self._settings
        with suppress(LookupError):  # which is told when the document begins
            settings = _with_encoding(settings, source)
        settled = settings_for(stream.file, self._dialect, settings, self._limits())
        return self._settings._replace(recovery=settled.recovery)

    def _limits(self) -> ReaderLimits:
        limits = _WITH_NAMESPACES if self.getFeature(feature_namespaces) else _WITHOUT_NAMESPACES
        if self.getProperty(property_lexical_handler) is None:
            limits = limits._replace(left_out={COMMENT})
        return limits

    def _warn(self, entry: ErrorEntry) -> None:
        place = _place(self._source, entry.line, entry.column)
        self.getErrorHandler().warning(SAXParseException(f"{entry.code}: {entry.message}", None, place))
        if self._listener is not None:
            self._listener(entry)

    def _refuse(self, message: str, error: Exception, line: int, column: int) -> None:
        self._refused = True
        self.getErrorHandler().fatalError(SAXParseException(message, error, _place(self._source, line, column)))

    def start_element(self, name: str, attrs: Mapping[str, str]) -> None:
        """Report a start tag, without declarations that the document does not have."""
        if self._log.total and not self.getFeature(feature_namespaces):
            attrs = {
                key: value
                for key, value in attrs.items()
                if not (key.startswith("xmlns:") and value == percent_encode(UNDECLARED + key[6:]))
            }
        super().start_element(name, attrs)

    def external_entity_ref(self, context: str, base: str | None, sysid: str | None, pubid: str | None) -> int:
        """Pass over an external DTD."""
        return 1


def _with_encoding(settings: Settings, source: InputSource) -> Settings:
    """Return settings with the encoding of a source, if it names one; raise `LookupError` for an unknown one."""
    encoding = source.getEncoding()
    if not encoding:
        return settings
    named = settings._replace(encoding=encoding)
    named.check()
    return named


class _Stream(Parts):
    """An unpacked stream for the standard driver, which takes an empty read for the end."""

    def __init__(self, file: Any, settings: Settings, size: int) -> None:
        super().__init__(file, size=size, **parts_options(settings._asdict()))
        self.file = file

    def __next__(self) -> Document:
        return next(self._parts)

    def read(self, _size: int = -1, /) -> Any:
        return next(self, b"")

    def close(self) -> None:
        if hasattr(self.file, "close"):
            self.file.close()


def _place(source: InputSource, line: int, column: int) -> Any:
    """Return a locator of a place in a source."""
    return SimpleNamespace(
        getLineNumber=lambda: line,
        getColumnNumber=lambda: column,
        getPublicId=source.getPublicId,
        getSystemId=source.getSystemId,
    )


def create_parser(
    namespaceHandling: bool = False, bufsize: int = 2**16 - 20, **options: Unpack[TreeOptions]
) -> SAXParser:
    """Return a `SAXParser`, for `xml.sax.make_parser`."""
    return SAXParser(namespaceHandling, bufsize, **options)
