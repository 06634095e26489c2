"""The parsers: a document in, a native result or markup out."""

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Unpack, cast, overload

from xml5tree.backends import Backend, FeedParser, find_backend
from xml5tree.dialects import make_settings
from xml5tree.documents import Document, Parts, Source, joined, of_one_kind, parts_options, text_or_bytes
from xml5tree.drive import drive
from xml5tree.editing import Edit
from xml5tree.errors.log import ErrorLog, refused
from xml5tree.lifecycle import BeginsAfresh, LastLog, LifeCycle
from xml5tree.options import Options, Settings, TreeOptions, of_data, when_pushed
from xml5tree.typing import Result, Target
from xml5tree.wellformed import settings_for_parts
from xml5tree.xml.limits import COMMON_LIMITS, EXPAT_LIMITS, LIBXML2_LIMITS, MARKUP_LIMITS, ReaderLimits

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

    from lxml.etree import _Element

    from xml5tree.dialects.base import Dialect, Pipeline
    from xml5tree.output.keeping import Keeping
    from xml5tree.output.rewriting import Rewriting


#: Packages whose code refuses a document for a native parser. Code in C has no traceback entry of its own: what it
#: raises comes out of the Python function that called it.
_OF_NATIVE_PARSERS: Final = ("xml5tree", "lxml", "encodings", "codecs")


def _last_elements(root: Any, levels: range, hidden: int) -> Iterator[Any]:
    """Yield the last element of each level in `levels`, each in the one before, below `hidden` hidden levels."""
    element = root
    for level in range(levels.stop + hidden if levels else 0):
        if element is None:
            return
        if level - hidden in levels:
            yield element
        element = next((child for child in reversed(element) if isinstance(child.tag, str)), None)


class Session:
    """One document on its way to a native parser: repaired, or with ``recovery="strict"`` as it is."""

    def __init__(self, native: Any, backend: Backend | None, pipeline: "Pipeline | None", reads_markup: bool) -> None:
        """Begin a document; without `reads_markup`, `pipeline` only looks for a forbidden DOCTYPE."""
        self.native = native
        self.log = pipeline.reporter.log if pipeline is not None and reads_markup else ErrorLog()  # the errors so far
        self.shows_root = False  # whether the hidden root of the markup is shown (see `Pipeline`), known at the end
        self.cut: tuple[Any, ...] = ()  # the elements that were closed because the document has ended
        self._backend = backend
        self._pipeline = pipeline
        self._reads_markup = reads_markup

    def name(self, filename: str | None) -> None:
        if self.log.filename is None:
            self.log.filename = filename

    def feed(self, data: str | bytes) -> None:
        """Take the next part of the document; raise `ParseError` if it is refused."""
        if self._pipeline is not None:
            self._pass_on(self._pipeline.feed(data))
        if not self._reads_markup:
            self._call(self.native.feed, data)

    def flush(self) -> None:
        """Have a backend's parser read what it holds back; raise `ParseError` if the document is refused."""
        if self._backend is not None:
            self._call(self._backend.flush, self.native)

    def end_early(self, damage: str) -> None:
        """Note that compressed data was damaged or cut off; raise `ParseError` if nothing is recovered from."""
        if self._pipeline is None or not self._reads_markup:
            exception = refused(damage, (1, 0), self.log.filename, code="damaged-compression")
            self.log = exception.errors
            raise exception
        self._pipeline.end_early(damage)

    def close(self, *, notes_cut: bool = False, whole: str | bytes | None = None) -> Any:
        """End the document; return what the native parser's ``close`` returns; raise `ParseError`.

        With `notes_cut`, set `cut`. `whole` is a document that has not been fed.
        """
        pipeline = self._pipeline if self._reads_markup else None
        if pipeline is not None:
            self._pass_on(pipeline.close() if whole is None else pipeline.read_whole(whole))
        if self._backend is None:
            result = self.native.close()
        else:
            result = self._call(self._backend.close, self.native)
            if pipeline is not None:
                self.shows_root = pipeline.shows_root
                is_hidden = pipeline.hides_root and not pipeline.shows_root
                if notes_cut:
                    self.cut = tuple(_last_elements(result, pipeline.cut_levels, int(is_hidden)))
                result = self._backend.only_child(result) if is_hidden else result
        if pipeline is not None:
            pipeline.release()
        return result

    def abandon(self) -> None:
        """Give the document up; close a parser object of the caller's, so that the next document does not join it."""
        if self._backend is None:
            with suppress(Exception):
                self.native.close()

    def _pass_on(self, pieces: Iterable[bytes]) -> None:
        """Feed repaired markup: as text to a parser of the caller's, which may expect another encoding."""
        for markup in pieces:
            if markup and self._reads_markup:
                self.native.feed(markup.decode() if self._backend is None else markup)

    def _call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the native parser; raise `ParseError` if it refuses the document."""
        if self._backend is None:
            return method(*arguments)
        try:
            return method(*arguments)
        except self._backend.refusals as error:
            if not _is_refusal(error):
                raise
            exception = self._backend.exception(error, self.log.filename)
            if not self._reads_markup:
                self.log = exception.errors
            raise exception from error


def parse_whole(data: Document, backend: str, options: Options) -> Any:
    """Parse a whole document as `fromstring` does, without an `XMLParser`."""
    dialect, settings = make_settings(options)
    native = find_backend(backend)
    if not dialect.writes_markup(settings):
        return XMLParser(backend=backend, **options).parse_whole(data)
    return _read_whole(text_or_bytes(data), dialect, settings, native)


def _read_whole(
    data: str | bytes,
    dialect: "Dialect",
    settings: Settings,
    native: Backend,
    filename: str | None = None,
    on_log: Callable[[ErrorLog], None] | None = None,
) -> Any:
    """Return the root of a whole document, called `filename` in errors unless the option gives a name.

    `on_log` is called with the log before the document is read.
    """
    settings = settings.named(filename)
    root, is_broken = dialect.parse_natively(data, settings, native)
    if root is not None:
        if on_log is not None:
            log = ErrorLog()
            log.filename = settings.filename
            on_log(log)
        return root
    if (builder := dialect.make_builder(settings, native)) is not None:
        if on_log is not None:
            on_log(builder.reporter.log)
        return builder.build(data)
    if not is_broken:
        settings = settings_for_parts((data,), dialect, settings, native.limits)
    pipeline = dialect.make_pipeline(settings, native.limits, whole=data)
    if on_log is not None:
        on_log(pipeline.reporter.log)
    return Session(native.make_parser(None), native, pipeline, reads_markup=True).close(whole=data)


def _is_refusal(error: Exception) -> bool:
    """Return whether a native parser or a codec raised `error`, rather than a target that it called."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    module = "" if traceback is None else str(traceback.tb_frame.f_globals.get("__name__"))
    return module.partition(".")[0] in _OF_NATIVE_PARSERS


class XMLParser(BeginsAfresh, Generic[Result]):
    """A parser with the interface of `xml.etree.ElementTree.XMLParser` that repairs documents.

    It can be the `parser` of `xml.etree.ElementTree.parse`. After `close` or an exception, it takes another document.

    Threads may share a parser for whole documents. A document that is fed belongs to one thread at a time.
    """

    @overload
    def __init__(
        self: "XMLParser[ET.Element]",
        *,
        backend: Literal["etree"] = "etree",
        target: None = None,
        **options: Unpack[TreeOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: "XMLParser[_Element]", *, backend: Literal["lxml"], target: None = None, **options: Unpack[TreeOptions]
    ) -> None: ...
    @overload
    def __init__(self, *, backend: str = "etree", target: Target[Result], **options: Unpack[TreeOptions]) -> None: ...
    @overload
    def __init__(
        self: "XMLParser[Any]",
        *,
        backend: str | FeedParser = "etree",
        target: object | None = None,
        **options: Unpack[TreeOptions],
    ) -> None: ...
    def __init__(
        self, *, backend: str | FeedParser = "etree", target: object | None = None, **options: Unpack[TreeOptions]
    ) -> None:
        """Set the options.

        Args:
            backend: as for `fromstring`; a parser object gets repaired markup.
            target: an object to call instead of building a tree, as for the native parser.
            **options: see `xml5tree.options.Settings`; for a document fed to a target or a parser object, `recovery` is
                ``"draft"`` by default, so that no call waits.

        Raises what `fromstring` raises for arguments and options: `TypeError`, `ValueError`, `LookupError` and
        `ImportError`.
        """
        self._dialect, self._settings = make_settings(options)
        self._fed_settings = self._settings
        self._target = target
        self._own_parser: FeedParser | None = None
        self._last_log = LastLog()
        if isinstance(backend, str):
            self._backend = find_backend(backend)
            self._limits = self._backend.limits
            if target is not None:
                self._limits = self._limits.with_target(target)
                if self._backend.calls_close and not hasattr(target, "close"):
                    raise TypeError(f"a target of lxml's parser must have a method close, and {target!r} has none")
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
        self._reads_markup = self._dialect.writes_markup(self._settings)
        if not self._reads_markup and self._settings.attribute_defaults not in {None, self._limits.attribute_defaults}:
            raise ValueError('recovery="strict" leaves attribute defaults to the native parser\'s way')
        is_of_lxml = self._limits is LIBXML2_LIMITS if self._own_parser is not None else self._backend.one_thread
        self._cycle = LifeCycle(Session.abandon, one_thread=is_of_lxml)
        self._shares_native = target is not None or self._own_parser is not None
        if self._shares_native:  # which is called before the end of the document
            _, self._fed_settings = make_settings(when_pushed(options))

    def __getstate__(self) -> dict[str, Any]:
        if self._own_parser is not None:
            raise TypeError("a parser with a parser object as its backend cannot be copied or pickled")
        return super().__getstate__()

    @property
    def is_feeding(self) -> bool:
        """Whether a document has been begun by `feed` and has not ended."""
        return self._cycle.is_feeding

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far, or of the last one.

        A thread that has parsed documents gets the log of its own last one.
        """
        return self._last_log.get()

    def feed(self, data: Document) -> None:
        """Take the next chunk of a document, all bytes or all text.

        Raises:
            TypeError: `data` is neither, or not of the type of earlier chunks.
            ParseError: the document is not XML, or rejected by an option such as `forbid_dtd`.
            RuntimeError: another thread is feeding or closing, or has begun a document for lxml; `on_error` or the
                target calls `feed`.
        """
        data = self._cycle.accept(data)
        self._step(lambda session: session.feed(data))

    def close(self) -> Result:
        """End the document; return the root element, or the result of the target's ``close``.

        Raises `ParseError` if the document has no root element or, with ``recovery="strict"``, is not well-formed, and
        `RuntimeError` as `feed`.
        """
        result: Result = self._step(Session.close, last=True)
        return result

    def end_early(self, damage: str) -> None:
        """Note that the source is damaged, as `damage` says; then call `close`. May raise `ParseError`."""
        self._step(lambda session: session.end_early(damage))

    def parse_file(self, source: Source) -> Result:
        """Parse a whole document in `source`, a file, which may be compressed; return and raise as `parse_whole`."""
        with closing(Parts(source, **parts_options(self._settings._asdict()))) as parts:
            data = joined(parts)
        if parts.damage:
            return self.parse_parts((data,), parts.name, damage=parts.damage)
        return self.parse_whole(data, parts.name)

    def parse_whole(self, data: Document, filename: str | None = None) -> Result:
        """Parse a whole document, `data`, called `filename` in errors.

        A document that is being fed goes on, but not with a target or a parser object.
        """
        data = text_or_bytes(data)
        if not self._shares_native and self._reads_markup:
            root: Result = _read_whole(data, self._dialect, self._settings, self._backend, filename, self._last_log.set)
            return root
        return self.parse_parts((data,), filename)

    def parse_parts(self, parts: Iterable[Document], filename: str | None = None, *, damage: str = "") -> Result:
        """Parse a document that comes in `parts`, as `parse_whole` does without the native parser.

        `filename` is what it is called in errors, `damage` what is wrong with its compressed data; "" for nothing.
        """
        settings = self._settings
        if not damage:
            settings = settings_for_parts(parts, self._dialect, settings, self._limits)
        if self._shares_native:
            # A whole document needs no answers before its end.
            with self._cycle.step(lambda: self._make_session(settings), whole=True) as session:
                return self._read(session, parts, filename, damage)
        return self._read(self._make_session(settings), parts, filename, damage)

    def _read(self, session: Session, parts: Iterable[Document], filename: str | None, damage: str) -> Result:
        session.name(filename)
        self._last_log.set(session.log)
        try:
            for result in drive(session, of_one_kind(parts), lambda: damage):  # noqa: B007 (the last is what is asked)
                pass
            return cast("Result", result)
        finally:
            self._last_log.set(session.log)

    def make_tree(self, root: Any, source: Any = None) -> Any:
        """Return the backend's element tree around `root`; `source`, a path or file object, gives its base URL."""
        return find_backend("lxml" if hasattr(root, "getroottree") else "etree").make_tree(root, source)

    def parse_roots(self, data: Document) -> list[Any]:
        """Return the root elements of `data`, each of its own tree.

        Raises `ValueError` if the option `roots` is not ``"all"``, and `TypeError` with a target or a parser object.
        """
        if self._settings.roots != "all":
            raise ValueError('a parser of several root elements has roots="all"')
        if self._target is not None or self._own_parser is not None:
            raise TypeError("a parser of several root elements builds trees, and has no target or parser object")
        around: Any = self.parse_whole(data)
        return [self._backend.as_root(child) for child in around if isinstance(child.tag, str)]

    def _step(self, action: Callable[[Session], Any], *, last: bool = False) -> Any:
        with self._cycle.step(self._begin, last=last) as session:
            self._last_log.set(session.log)
            try:
                return action(session)
            finally:
                self._last_log.set(session.log)

    def _begin(self) -> Session:
        return self._make_session(self._fed_settings)

    def _make_session(self, settings: Settings) -> Session:
        native: Any = self._own_parser
        if native is not None and self._limits is LIBXML2_LIMITS:
            from xml5tree.backends.lxml import prepare_thread  # where the parser object is, lxml is, too

            prepare_thread()
        if native is None and self._reads_markup:
            native = self._backend.make_parser(self._target)
        elif native is None:
            native = self._backend.make_strict_parser(self._target, settings)
        pipeline = None
        if self._reads_markup or settings.forbids_doctypes:
            # Only of a tree can a root element be hidden.
            for_tree = self._own_parser is None and self._target is None
            pipeline = self._dialect.make_pipeline(settings, self._limits, for_tree=for_tree)
        session = Session(native, None if self._own_parser is not None else self._backend, pipeline, self._reads_markup)
        session.name(settings.filename)
        return session


def _limits_of(parser: object) -> ReaderLimits:
    """Return the limits of a caller's parser object; for one of neither library, those that both have."""
    module = type(parser).__module__
    if module.startswith("lxml."):
        return LIBXML2_LIMITS
    if module != "xml.etree.ElementTree":
        return COMMON_LIMITS._replace(tells_lines=True)
    target = getattr(parser, "target", None)
    # A `TreeBuilder` of ElementTree does not tell whether it keeps comments; by default it does not.
    is_own = target is None or type(target).__module__ == module
    return EXPAT_LIMITS if is_own else EXPAT_LIMITS.with_target(target)


class Repairer(BeginsAfresh):
    """Makes a document that comes in chunks well-formed.

    The markup is that of `repair` with the same `recovery`. After `close` or an exception, it takes another document.
    """

    def __init__(
        self,
        *,
        edits: list[Edit] | None = None,
        output_encoding: Literal["utf-8"] | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Set the options.

        Args:
            edits: a list to which edits are appended as they become certain; not for ``dialect="leafxml"``.
            output_encoding: as for `xml5tree.repair`.
            **options: see `xml5tree.options.Settings`. `recovery` is ``"draft"`` by default, so that no markup waits;
                it cannot be ``"strict"``, nor `dialect` ``"html"``.

        Raises what `XMLParser` raises, and `ValueError` for an option that does not fit.
        """
        self._dialect, self._settings = make_settings(when_pushed(of_data(options)))
        self._dialect.require_streaming("a repair")
        if not self._settings.recovers:
            raise ValueError('recovery="strict" refuses broken documents; a Repairer repairs them')
        if edits is not None and not self._dialect.tells_edits:
            raise ValueError(f"there are no edits in the dialect {self._dialect.name!r}, which repairs nothing")
        if edits is not None and not hasattr(edits, "append"):
            raise TypeError(f"edits must be a list to which edits are added, not {type(edits).__name__}")
        if output_encoding not in (None, "utf-8"):
            raise ValueError(f'output_encoding must be "utf-8" or None, not {output_encoding!r}')
        if edits is not None and output_encoding is not None:
            raise ValueError("edits keep the encoding of the document, so there is no output_encoding")
        self._output_encoding = output_encoding
        #: The list of edits, or None.
        self.edits = edits
        self._cycle: LifeCycle[Pipeline] = LifeCycle()
        #: Whether the last document that came in chunks has had declarations, which the markup has not.
        self.omits_declarations = False
        self._log = ErrorLog()
        self._as_text = False
        self._rewriting: Rewriting | None = None
        self._keeping: Keeping | None = None

    @property
    def error_log(self) -> ErrorLog:
        """The errors of the document so far, or of the last one."""
        return self._log

    @overload
    def feed(self, data: str) -> str: ...
    @overload
    def feed(self, data: bytes | bytearray | memoryview) -> bytes: ...
    def feed(self, data: Document) -> bytes | str:
        """Take the next chunk, `data`; return the markup that is certain now.

        Raises `TypeError` and `ParseError` as `XMLParser.feed`.
        """
        data = self._cycle.accept(data)
        if not data:
            if not self._cycle.is_feeding:
                self._as_text = isinstance(data, str)  # if nothing else comes
            return data
        with self._cycle.step(lambda: self._begin(data, self._settings)) as pipeline:
            return self._joined(pipeline.feed(data))

    def repair_whole(self, data: Document) -> bytes | str:
        """Return the markup of a whole document, `data`; raise as `feed` and `close`."""
        data = self._cycle.accept(data)
        settings = self._settings
        if self._cycle.is_feeding:
            return self.feed(data) + self.close()  # type: ignore[operator]
        from xml5tree.backends.native_first import is_own_repair, is_read_in_place  # late: saves import time

        is_quick = self.edits is None and is_read_in_place(data, settings)
        is_known = None if is_quick else self._dialect.judge(data, settings, MARKUP_LIMITS)
        # A document that is certainly its own repair does not go through the stages.
        if is_known and self._output_encoding is None and is_own_repair(data):
            self._log = ErrorLog()
            self._log.filename = settings.filename
            return data
        if is_known is not False:
            settings = settings_for_parts((data,), self._dialect, settings, COMMON_LIMITS)
        with self._cycle.step(lambda: self._begin(data, settings, is_whole=True), last=True) as pipeline:
            markup = self._joined(pipeline.read_whole(data), final=True)
            pipeline.release()
            return markup

    def end_early(self, damage: str) -> None:
        """Note that the source is damaged, as `damage` says; then call `close`."""
        with self._cycle.step(lambda: self._begin(b"", self._settings)) as pipeline:
            pipeline.end_early(damage)

    def close(self) -> bytes | str:
        """End the document; return the rest of the markup. Raise `ParseError` if there is no root element."""
        nothing: str | bytes = "" if self._as_text else b""  # of the kind of the document, also where nothing came
        with self._cycle.step(lambda: self._begin(nothing, self._settings), last=True) as pipeline:
            markup = self._joined(chain(pipeline.feed(nothing), pipeline.close()), final=True)
            self.omits_declarations = pipeline.omits_declarations
            pipeline.release()
            return markup

    def _begin(self, data: bytes | str, settings: Settings, *, is_whole: bool = False) -> "Pipeline":
        self._as_text = isinstance(data, str)
        noted = None
        keeps = self._output_encoding is None and self._dialect.tells_edits
        if self.edits is not None:
            from xml5tree.output.edits import Edits
            from xml5tree.output.rewriting import Rewriting

            noted = Edits(settings.filename)
            self._rewriting = Rewriting(noted, self.edits.append)
        pipeline = self._dialect.make_pipeline(
            settings,
            MARKUP_LIMITS,
            output_encoding=None if self._as_text else "utf-8",
            for_tree=False,
            edits=noted,
            keeps=keeps,
            whole=data if is_whole else None,
        )
        self._log = pipeline.reporter.log
        self._keeping = pipeline.keeping
        return pipeline

    def _joined(self, pieces: Iterable[bytes], *, final: bool = False) -> bytes | str:
        written = io.BytesIO()  # in place of a list of pieces, which would take as much memory as the result
        written.writelines(pieces)
        markup = written.getvalue()
        if self._rewriting is not None:
            rewritten: bytes | str = self._rewriting.rewritten(markup, final=final)
            return rewritten
        if markup and self._keeping is not None:
            return self._keeping.encoded(markup)
        return markup.decode() if self._as_text else markup
