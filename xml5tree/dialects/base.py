"""The interface of a dialect."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypedDict, Unpack

from xml5tree.backends import Backend
from xml5tree.errors.codes import Code
from xml5tree.errors.hints import HEAD, WINDOWS_1252, Hint, hints_by_beginning, read_all_the_same
from xml5tree.errors.log import ParseError
from xml5tree.errors.reporter import Reporter
from xml5tree.input.content import ContentGate, NotXML
from xml5tree.input.stream import InputStream
from xml5tree.machine.input import Input
from xml5tree.machine.recorder import TokenRecorder
from xml5tree.options import Options, Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.backends.native_first import Look
    from xml5tree.output.edits import Edits
    from xml5tree.output.keeping import Keeping
    from xml5tree.output.places import Places
    from xml5tree.output.texts import Texts


#: Bytes or characters that go through the stages at a time.
BLOCK = 1 << 20


class Stream(Protocol):
    """The first stage: octets or text to the characters that the dialect's tokenizer takes."""

    def feed(self, data: bytes | bytearray | memoryview | str, final: bool = False) -> str:
        """Return the characters that `data` completes; raise `TypeError` for no bytes or text, or for a mix."""

    def end_of_file(self) -> bytes | str:
        """Return an empty part, bytes or text as the document is."""


def characters_of(stream: Stream, parts: Iterable[bytes | str]) -> Iterator[tuple[str, bool]]:
    """Yield each part's characters, and whether they end the document."""
    for part in parts:
        yield stream.feed(part), False
    yield stream.feed(stream.end_of_file(), final=True), True


def read_chunk(stream: InputStream, reporter: Reporter, tokenizer: Input, text: str, *, final: bool) -> None:
    """Have the tokenizer read the last characters of the input stream."""
    # The tokenizer takes the text first, so that places in it are known. Errors of its characters are reported next:
    # they come before the tokenizer's errors at the same place.
    tokenizer.feed(text, final=final)
    stream.report(reporter)
    tokenizer.run()


def recorded(
    parts: Iterable[bytes | str],
    stream: InputStream,
    tokenizer: Input,
    recorder: TokenRecorder[Any],
    reporter: Reporter,
    read: Callable[..., None] = read_chunk,
) -> Iterator[Any]:
    """Yield the tokens of a document that comes in parts, and errors if the recorder is told of them.

    `read` is or replaces `read_chunk`.
    """
    recorder.watch(reporter, tokenizer.place)
    for text, is_last in characters_of(stream, parts):
        read(stream, reporter, tokenizer, text, final=is_last)
        if is_last:
            reporter.close()
        yield from recorder.take()


class Builder(Protocol):
    """Builds the tree of one document without markup."""

    reporter: Reporter  # has the error log

    def build(self, data: bytes | str) -> Any:
        """Return the root of a whole document; raise `ParseError` if it is refused."""


class Pipeline(ABC):
    """Turns one document into markup: the connected stages of a dialect.

    A subclass connects its stages in its constructor, and its `_advance` passes them the next characters.
    """

    recovers: ClassVar[bool] = True  # whether the dialect makes trees of broken documents
    hides_root: bool = False  # whether the markup has a root element that trees and events do not show
    #: Whether that element is the root of the tree after all; known once the document has ended.
    shows_root: bool = False
    omits_declarations: bool = False  # whether the DOCTYPE has had declarations; the markup has none
    reporter: Reporter  # has the error log
    edits: "Edits | None" = None  # notes the edits; None if nobody asked for them
    keeping: "Keeping | None" = None  # what the markup keeps of the document besides its content; None: nothing
    _is_awaited = False  # whether someone waits for what the reader of the markup holds back
    _keeps = False  # whether the markup knows what to keep
    _stream: Stream
    _head = ""  # the first characters, for hints
    _length = 0  # characters so far
    _damage = ""

    @property
    def cut_levels(self) -> range:
        """Levels of the tree, from 0, whose last element was closed only by the end of the document."""
        return range(0)

    def __init__(
        self,
        settings: Settings,
        stream: Stream,
        markup: Markup,
        reporter: Reporter,
        edits: "Edits | None" = None,
        keeping: "Keeping | None" = None,
    ) -> None:
        self.reporter = reporter
        self._stream = stream
        self._markup = markup
        self.edits = edits
        self.keeping = keeping
        if keeping is not None:
            assert isinstance(stream, InputStream)
            keeping.watch(stream)
        # A dialect that recovers from nothing refuses such a document by itself.
        self._gate = None if settings.force or not self.recovers else ContentGate(settings.encoding)

    def feed(self, data: bytes | bytearray | memoryview | str) -> Iterator[bytes]:
        """Yield the markup of the next part, in pieces that end between tokens.

        Raises:
            TypeError: `data` is neither bytes nor text, or not of the kind that was fed before.
            ParseError: the document is refused; the markup before the reason is yielded first.
        """
        if not isinstance(data, bytes | bytearray | memoryview | str):
            raise TypeError(f"bytes or str expected, not {type(data).__name__}")
        if self._gate is not None:
            data = self._admit(self._gate, data)
        for start in range(0, len(data) or 1, BLOCK):  # an empty part, too, says whether the document is bytes or text
            yield from self._take(self._read(data[start : start + BLOCK]), final=False)

    def _admit(self, gate: ContentGate, data: bytes | bytearray | memoryview | str, *, final: bool = False) -> Any:
        """Return the part of the document that can be read now; raise `ParseError` if it is not XML."""
        if isinstance(data, str):  # which is never refused
            self._gate = None
            return data
        try:
            return gate.admit(bytes(data), final=final)
        except NotXML as error:
            self.reporter.log.hints = (read_all_the_same(error.description),)
            raise self.reporter.refuse("not-xml", 0, error.description) from None

    def end_early(self, damage: str) -> None:
        """Note that compressed data was damaged or cut off; the caller then calls `close`."""
        self._damage = damage

    def close(self) -> Iterator[bytes]:
        """Yield the last markup; raise `ParseError` if the document has no tree or is refused."""
        if self._gate is not None and (held := self._admit(self._gate, b"", final=True)):
            yield from self._take(self._read(held), final=False)
        if self._damage and not self.recovers:  # before what is wrong with a document that ends there
            raise self.reporter.refuse("damaged-compression", self._length, self._damage)
        yield from self._finish(self._stream.end_of_file())

    def read_whole(self, data: bytes | str) -> Iterator[bytes]:
        """Yield the markup of a whole document; raise what `feed` and `close` raise."""
        if self._gate is not None:
            data = self._admit(self._gate, data, final=True)
        place = 0
        while len(data) - place > BLOCK:
            end = place + BLOCK
            last = data.rfind(">", place, end) if isinstance(data, str) else data.rfind(b">", place, end)
            end = last + 1 or end  # as a tag that is cut takes longer
            yield from self._take(self._read(data[place:end]), final=False)
            place = end
        yield from self._finish(data[place:])

    def release(self) -> None:  # noqa: B027  # not every dialect has such stages
        """Break reference cycles between stages, so that memory is freed at once."""

    def _finish(self, data: bytes | str) -> Iterator[bytes]:
        yield from self._take(self._read(data, final=True), final=True)
        self._check_end()
        self.reporter.notify_end()

    def _read(self, data: bytes | bytearray | memoryview | str, *, final: bool = False) -> str:
        text = self._stream.feed(data, final)
        if self.edits is not None:
            stream = self._stream
            assert isinstance(stream, InputStream)
            self.edits.read(data if isinstance(data, str) else bytes(data), text, stream)
        return text

    def _take(self, text: str, *, final: bool) -> Iterator[bytes]:
        """Pass characters through the stages; yield their markup."""
        self._length += len(text)
        if len(self._head) < HEAD:
            self._head += text[: HEAD - len(self._head)]
        if self.keeping is not None and (text or final):
            self._keep(self.keeping)
        try:
            self._advance(text, final=final)
            if self.edits is not None:
                self.edits.omits_declarations = self.omits_declarations
            if final:
                self._end()
        except ParseError:
            yield self._markup.take()
            raise
        if self._is_awaited and not final:
            self._end_text()
        yield self._markup.take()

    def _end_text(self) -> None:  # noqa: B027  # other dialects hold it back
        """Have the markup's reader pass text on that ends here."""

    def _keep(self, keeping: "Keeping") -> None:
        """Tell the markup what to keep, once the document shows that there is something."""
        if keeping.stream is None:
            assert isinstance(self._stream, InputStream)
            keeping.begin(self._stream)
            if self.edits is not None:
                self.edits.encoding = keeping.encoding
        if not self._keeps and keeping.is_needed:
            self._keeps = True
            self._markup.keep(keeping)

    def _end(self) -> None:
        log = self.reporter.log
        if self._damage:
            self.reporter.record_in_source("damaged-compression", self._length, (self._damage,), None, None)
            log.truncated = True
        self.reporter.close()
        if log.total:
            log.hints = self._hints()

    def _hints(self) -> tuple[Hint, ...]:
        hints = hints_by_beginning(self._head)
        if getattr(self._stream, "may_be_windows_1252", False):
            hints += (WINDOWS_1252,)
        return hints

    @abstractmethod
    def _advance(self, text: str, *, final: bool) -> None:
        """Pass the next characters to the stages; `final` with the last ones."""

    def _check_end(self) -> None:  # noqa: B027  # most dialects have a tree of any document, or have refused it
        """Raise `ParseError` if the document, which has ended, has no tree."""


class MarkupOptions(TypedDict, total=False):
    """Options of the markup that a pipeline makes; only dialects with `tells_edits` take the last two.

    At most one of `places`, `texts` and `edits` is given; None, the default, notes nothing. What cannot use an option
    ignores it.
    """

    #: The encoding to name in the XML declaration; None, the default: none is named, as in text.
    output_encoding: str | None
    #: Whether a native parser reads the markup, which may then have a hidden root, the default; else a person.
    for_tree: bool
    places: "Places | None"  # notes the places of elements in a tree, in a dialect with `tells_places`
    texts: "Texts | None"  # notes the texts in a tree, in a dialect with `tells_texts`
    edits: "Edits | None"  # notes the edits
    keeps: bool  # whether to keep the document's encoding and line breaks; always with `edits`
    whole: "bytes | str | None"  # all of the document, which `read_whole` reads; None: it comes in parts


class Dialect:
    """A grammar: one object, without state."""

    name: ClassVar[str]  # the value of the option `dialect`
    is_streamed: ClassVar[bool] = True  # whether the markup comes as the document does; else at its end
    defaults: ClassVar[Options] = {}  # the options whose defaults differ from those of `Settings`
    #: Whether the native parser alone reads a document with ``recovery="strict"``; else the pipeline raises
    #: `ParseError`.
    is_natively_strict: ClassVar[bool] = False
    has_native_stage: ClassVar[bool] = False  # whether its module `native` has error-free documents read
    has_comments: ClassVar[bool] = True  # whether its trees have comments
    tells_places: ClassVar[bool] = False  # whether a pipeline can note the places of elements
    tells_texts: ClassVar[bool] = False  # whether a pipeline can note texts
    tells_edits: ClassVar[bool] = False  # whether a pipeline can note edits

    def stage(self, name: str) -> Any:
        """Return a module of the dialect, imported on demand."""
        return import_module(f"xml5tree.dialects.{self.name}.{name}")

    @property
    def codes(self) -> Mapping[str, Code]:
        """The error codes that a document can have, and their properties."""
        codes: Mapping[str, Code] = self.stage("codes").CODES
        return codes

    def adjusted(self, settings: Settings) -> Settings:
        return settings

    def writes_markup(self, settings: Settings) -> bool:
        """Return whether a native parser reads the pipeline's markup instead of the document."""
        return settings.recovers or not self.is_natively_strict

    def refuses(self, code: str) -> bool:
        """Return whether a document with an error of this code gives no tree."""
        return code in {"no-root-element", "doctype-forbidden", "entities-forbidden", "external-forbidden", "not-xml"}

    def require_streaming(self, what: str) -> None:
        """Raise `ValueError` unless `is_streamed` is set; `what` needs parts of the tree early."""
        if not self.is_streamed:
            raise ValueError(
                f"{what} is not for dialect={self.name!r}, where no part of the tree is certain before the document "
                "ends; parse it with fromstring or parse"
            )

    def make_stream(self, settings: Settings) -> InputStream:
        """Return the first stage alone; offsets, lines and columns of errors count its characters."""
        return InputStream(encoding=settings.encoding)

    def make_pipeline(self, settings: Settings, limits: ReaderLimits, **markup: Unpack[MarkupOptions]) -> Pipeline:
        """Connect the stages for one document; `limits` are those of the markup's reader."""
        pipeline: Pipeline = self.stage("pipeline").Stages(settings, limits, **markup)
        return pipeline

    def require_places(self) -> None:
        """Raise `ValueError` unless `tells_places` is set."""
        if not self.tells_places:
            raise ValueError(
                f"the dialect {self.name!r} does not tell where elements stand, so there are neither records nor "
                "errors among events; fromstring and parse give its tree"
            )

    def first_look(self, data: bytes | str, settings: Settings, limits: ReaderLimits) -> bool | None:
        """Return whether the native parser may try a whole document before it is repaired.

        True promises that a document it accepts has the dialect's tree and no errors. False says that it certainly has
        an error. None is always safe.
        """
        return None

    def assumes(self, settings: Settings) -> bool:
        """Return whether a document may be read otherwise than by the rules: as its author seems to have meant it."""
        return False

    def judge(
        self, data: bytes | str, settings: Settings, limits: ReaderLimits, look: "Look | None" = None
    ) -> bool | None:
        """Return whether a whole document is well-formed; None, which is always safe: that is not known.

        True promises that a repair leaves the document as it is, unless it is text that names an encoding. False is
        also right for the beginning of a document: it has an error. `look` may look for errors in a document that is
        its own markup.
        """
        return None

    def parse_natively(self, data: bytes | str, settings: Settings, backend: Backend) -> tuple[Any, bool]:
        """Return the root of an error-free document that the native parser reads as the dialect does; else None.

        Also return whether the document certainly has an error.
        """
        if self.has_native_stage:
            return self.stage("native").parse_natively(data, settings, backend), False
        looked = self.first_look(data, settings, backend.limits)
        if not looked:
            return None, looked is False
        try:
            return backend.parse_whole(data, settings), False
        except backend.refusals:
            return None, False

    def make_builder(self, settings: Settings, backend: Backend) -> "Builder | None":
        """Connect the stages for a whole document whose tree is built without markup; None: it is made from markup."""
        return None

    def tokenize(self, parts: Iterable[bytes | str], settings: Settings, *, with_errors: bool = False) -> Iterator[Any]:
        """Return the tokens of a document, each as soon as its last part has been read.

        With `with_errors`, each `ErrorEntry` comes before its token; `on_error` is not called.
        """
        tokens: Iterator[Any] = self.stage("recorder").tokenize(parts, settings, with_errors=with_errors)
        return tokens
