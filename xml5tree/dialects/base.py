"""The interface of a dialect: a grammar as the functions and parsers see it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypedDict, Unpack

from xml5tree.backends import Backend
from xml5tree.errors.codes import Code
from xml5tree.errors.hints import HEAD, Hint, hints_by_beginning, read_all_the_same, windows_1252
from xml5tree.errors.log import ParseError
from xml5tree.errors.reporter import Reporter
from xml5tree.input.content import ContentGate, NotXML
from xml5tree.input.stream import InputStream
from xml5tree.options import Options, Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.output.edits import Edits
    from xml5tree.output.keeping import Keeping
    from xml5tree.output.places import Places
    from xml5tree.output.texts import Texts

__all__ = ["Dialect", "MarkupOptions", "Pipeline"]

#: Bytes or characters that go through the stages at a time.
_BLOCK = 1 << 18


class Stream(Protocol):
    """The first stage: octets or text to the characters that the dialect's tokenizer takes."""

    def feed(self, data: bytes | bytearray | memoryview | str, final: bool = False) -> str:
        """Return the characters that are certain with the next part of the document; `final` with the last part.

        Raises `TypeError` for anything but bytes or text, or the two mixed.
        """

    def end_of_file(self) -> bytes | str:
        """Return the empty last part of the right kind."""


def characters_of(stream: Stream, parts: Iterable[bytes | str]) -> Iterator[tuple[str, bool]]:
    """Yield the characters of a document as the input stream gives them, and whether the document ends with them."""
    for part in parts:
        yield stream.feed(part), False
    yield stream.feed(stream.end_of_file(), final=True), True


def _end_of_block(data: bytes | str, start: int) -> int:
    """Return where a block of a whole document ends: before its last tag if that goes on in the next block."""
    end = start + _BLOCK
    if end >= len(data):
        return len(data)
    signs: Any = "<>" if isinstance(data, str) else (b"<", b">")
    tag = data.rfind(signs[0], start + max(_BLOCK // 2, 1), end)
    return end if tag < 0 or data.find(signs[1], tag, end) >= 0 else tag


class Pipeline(ABC):
    """The stages from one document to its markup, connected.

    A dialect's pipeline connects its stages in its constructor; its `_advance` has them work on a chunk, in their
    order. Callers use `feed`, `close` and `reporter`.

    Attributes:
        reporter: has the error log.
        edits: notes the edits; None: they are not asked for.
        keeping: what the markup keeps of the document besides its content; None: nothing.
        hides_root: whether the markup has a root element around the document that trees and events do not show, unless
            `shows_root` says so at the end.
        omits_declarations: whether the DOCTYPE read so far had declarations: the markup has none.
        shows_root: once the document has ended, whether the hidden root is the root of the tree after all.
        recovers: whether the dialect makes trees of broken documents.
    """

    recovers: ClassVar[bool] = True
    hides_root: bool = False
    shows_root: bool = False
    omits_declarations: bool = False

    @property
    def cut_levels(self) -> range:
        """The levels of the tree, from 0, at which the end of the document alone has closed the last element."""
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
        """Set the first and the last stage and the reporter, which all dialects have; for others see above."""
        self.reporter = reporter
        self._stream = stream
        self._markup = markup
        self.edits = edits
        if edits is not None:
            edits.marks = reporter.marks
        self.keeping = keeping
        self._keeps = False  # whether the markup knows of it
        if keeping is not None:
            assert isinstance(stream, InputStream)
            keeping.watch(stream)
        # A dialect that recovers from nothing refuses such a document by itself.
        self._gate = None if settings.force or not self.recovers else ContentGate(settings.encoding)
        self._head = ""  # the first characters, for hints
        self._length = 0  # characters so far
        self._damage = ""

    def feed(self, data: bytes | bytearray | memoryview | str) -> Iterator[bytes]:
        """Take the next part of the document; yield its markup in pieces that end between tokens.

        Raises:
            TypeError: `data` is neither bytes nor text, or not of the kind that was fed before.
            ParseError: the document is refused, by an option or by a dialect that recovers from nothing; after the
                markup of what comes before the reason for it.
        """
        if not isinstance(data, bytes | bytearray | memoryview | str):
            raise TypeError(f"bytes or str expected, not {type(data).__name__}")
        if self._gate is not None:
            data = self._admit(self._gate, data)
        for start in range(0, len(data) or 1, _BLOCK):  # an empty part, too, says whether the document is bytes or text
            yield from self._take(self._read(data[start : start + _BLOCK]), final=False)

    def _admit(self, gate: ContentGate, data: bytes | bytearray | memoryview | str, *, final: bool = False) -> Any:
        """Return the part of the document that can be read now; raise `ParseError` for no XML."""
        if isinstance(data, str):  # which is never refused
            self._gate = None
            return data
        try:
            return gate.admit(bytes(data), final=final)
        except NotXML as error:
            self.reporter.log.hints = (read_all_the_same(error.description),)
            raise self.reporter.refuse("not-xml", 0, error.description) from None

    def end_early(self, damage: str) -> None:
        """Note that compressed data was damaged or cut off, so that the document ends here; then `close` it."""
        self._damage = damage

    def close(self) -> Iterator[bytes]:
        """End the document; yield its last markup; raise `ParseError` if it has no tree, or is refused."""
        if self._gate is not None and (held := self._admit(self._gate, b"", final=True)):
            yield from self._take(self._read(held), final=False)
        if self._damage and not self.recovers:  # before what is wrong with a document that ends there
            raise self.reporter.refuse("damaged-compression", self._length, self._damage)
        yield from self._finish(self._stream.end_of_file())

    def read_whole(self, data: bytes | str) -> Iterator[bytes]:
        """Return the markup of a whole document, as `feed` and `close` do in more steps; raise what they raise."""
        if self._gate is not None:
            data = self._admit(self._gate, data, final=True)
        start = 0
        while (end := _end_of_block(data, start)) < len(data):
            yield from self._take(self._read(data[start:end]), final=False)
            start = end
        yield from self._finish(data[start:])

    def release(self) -> None:  # noqa: B027  # not every dialect has such stages
        """Break circles of references between stages that are not used any more, so that memory is free at once."""

    def _finish(self, data: bytes | str) -> Iterator[bytes]:
        """Take the last part of the document, which may be empty; yield the rest of the markup."""
        yield from self._take(self._read(data, final=True), final=True)
        self._check_end()
        self.reporter.tell_end()

    def _read(self, data: bytes | bytearray | memoryview | str, *, final: bool = False) -> str:
        text = self._stream.feed(data, final)
        if self.edits is not None:
            stream = self._stream
            assert isinstance(stream, InputStream)
            self.edits.read(data if isinstance(data, str) else bytes(data), text, stream)
        return text

    def _take(self, text: str, *, final: bool) -> Iterator[bytes]:
        """Take the next characters of the input stream through the stages; yield their markup."""
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
        yield self._markup.take()

    def _keep(self, keeping: "Keeping") -> None:
        """Have the markup keep, in what is written next, what it would not keep by itself."""
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
            self.reporter.report("damaged-compression", self._length, self._damage)
            log.truncated = True
        self.reporter.close()
        if log.total:
            log.hints = self._hints()

    def _hints(self) -> tuple[Hint, ...]:
        """Return the likely problems of the document as a whole, which has errors."""
        hints = hints_by_beginning(self._head)
        if getattr(self._stream, "may_be_windows_1252", False):
            hints += (windows_1252(),)
        return hints

    @abstractmethod
    def _advance(self, text: str, *, final: bool) -> None:
        """Have the stages read the next characters of the input stream; `final` with the last ones."""

    @abstractmethod
    def _check_end(self) -> None:
        """Raise `ParseError` if the document, which has ended, has no tree."""


class MarkupOptions(TypedDict, total=False):
    """Options of the markup that a pipeline makes.

    Attributes:
        output_encoding: the encoding that the XML declaration names; None, the default, for text: it names none.
        for_tree: whether the markup is for a native parser, and may have a hidden root element, the default; or for
            whoever asked for repaired markup.
        edits: notes the edits, in a dialect that tells them; None, the default: they are not asked for.
        keeps: whether the markup keeps encoding and line breaks of the document, in a dialect that tells edits; always
            so with `edits`.
    """

    output_encoding: str | None
    for_tree: bool
    edits: "Edits | None"
    keeps: bool


class Dialect(ABC):
    """A grammar. There is one object for each, which has no state.

    Attributes:
        name: what the option `dialect` calls it.
        is_streamed: whether the markup comes as the document does; if not, nothing is known before its end.
        defaults: the options whose defaults differ from those of `Settings`.
        is_natively_strict: whether the native parser alone reads a document with ``recovery="strict"``; if not, the
            pipeline raises `ParseError`.
        has_comments: whether its trees have comments.
        tells_places: whether `make_placed_pipeline` makes one.
        tells_edits: whether a pipeline can note edits.
    """

    name: ClassVar[str]
    is_streamed: ClassVar[bool] = True
    defaults: ClassVar[Options] = {}
    is_natively_strict: ClassVar[bool] = False
    has_comments: ClassVar[bool] = True
    tells_places: ClassVar[bool] = False
    tells_edits: ClassVar[bool] = False

    @property
    @abstractmethod
    def codes(self) -> Mapping[str, Code]:
        """The error codes that a document can have, and the properties of each."""

    def adjusted(self, settings: Settings) -> Settings:
        """Return the options as the dialect understands them."""
        return settings

    def writes_markup(self, settings: Settings) -> bool:
        """Return whether a native parser reads the pipeline's markup, and not the document as it is."""
        return settings.recovers or not self.is_natively_strict

    def refuses(self, code: str) -> bool:
        """Return whether an error of this code is not repaired: the document that has it gives no tree."""
        return code in {"no-root-element", "doctype-forbidden", "entities-forbidden", "external-forbidden", "not-xml"}

    def require_streaming(self, what: str) -> None:
        """Raise `ValueError` unless `is_streamed` is set; `what`, in its message, needs parts of the tree early."""
        if not self.is_streamed:
            raise ValueError(
                f"{what} is not for dialect={self.name!r}, where no part of the tree is certain before the document "
                "ends; parse it with fromstring or parse"
            )

    def make_stream(self, settings: Settings) -> InputStream:
        """Return the first stage alone, for the characters that offsets, lines and columns of errors count."""
        return InputStream(encoding=settings.encoding)

    @abstractmethod
    def make_pipeline(self, settings: Settings, limits: ReaderLimits, **markup: Unpack[MarkupOptions]) -> Pipeline:
        """Connect the stages for one document, for a reader of the markup with these limits."""

    def make_placed_pipeline(self, settings: Settings, limits: ReaderLimits, places: "Places") -> Pipeline:
        """Connect the stages for a tree, with notes on places; raise `ValueError` if the dialect does not tell them."""
        raise ValueError(
            f"the dialect {self.name!r} does not tell where elements stand, so there are neither records nor errors "
            "among events; fromstring and parse give its tree"
        )

    def make_text_pipeline(self, settings: Settings, limits: ReaderLimits, texts: "Texts") -> Pipeline:
        """Connect the stages for a tree, with notes on text as it comes; raise `ValueError` if the dialect has none."""
        raise ValueError(f'there are no events of the kind "text" in the dialect {self.name!r}')

    def may_try_natively(self, data: bytes | str, settings: Settings, limits: ReaderLimits) -> bool:
        """Return whether the native parser that has these `limits` may try a whole document before it is repaired.

        True promises that what the native parser accepts has the dialect's tree and no errors; False is always safe.
        """
        return False

    def is_own_repair(self, data: bytes | str, settings: Settings) -> bool:
        """Return whether a repair certainly leaves a whole document as it is; False is always safe."""
        return False

    def parse_natively(self, data: bytes | str, settings: Settings, backend: Backend) -> Any:
        """Return the root of an error-free document that the native parser reads as the dialect does; else None."""
        if not self.may_try_natively(data, settings, backend.limits):
            return None
        try:
            return backend.parse_whole(data, settings)
        except backend.refusals:
            return None

    @abstractmethod
    def tokenize(self, parts: Iterable[bytes | str], settings: Settings, *, with_errors: bool = False) -> Iterator[Any]:
        """Yield the tokens of a document, each as soon as the part that it ends in has been read.

        `with_errors` gives each `ErrorEntry`, too, before the token that it was found in, instead of calling
        `on_error`.
        """
