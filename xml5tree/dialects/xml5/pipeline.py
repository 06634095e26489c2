"""The stages of XML5, connected. Modules that few documents need are imported late."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, TypeGuard, Unpack

import xml5tree.dialects.xml5.core as core
from xml5tree.dialects.base import BLOCK, MarkupOptions, Pipeline
from xml5tree.dialects.xml5.states import data_state, tag_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.dialects.xml5.wholerun import WholeRun, find_run
from xml5tree.errors.codes import codes_with
from xml5tree.errors.hints import HEAD, SEVERAL_ROOTS, Hint, hints_by_beginning
from xml5tree.errors.log import ParseError
from xml5tree.errors.reporter import Reporter
from xml5tree.input.stream import InputStream, is_plain
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.output.places import PlacedMarkup
from xml5tree.xml.limits import ReaderLimits
from xml5tree.xml.names import FIFTH_EDITION, UNREPLACED

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.editing import EditedSource
    from xml5tree.errors.entry import Found
    from xml5tree.output.keeping import Keeping


#: A character that XML forbids, or a reference to one.
_FORBIDDEN: Final = re.compile(
    rb"[\0-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]"
    rb"|&#0*(?:[0-9]|[12][0-9]|3[01]|5[5-7][0-9]{3}|6553[45]|[0-9]{7,})(?![0-9])"
    rb"|&#[xX]0*(?:1?[0-9A-Fa-f]|[dD][89A-Fa-f][0-9A-Fa-f]{2}|[fF]{3}[EFef]|[0-9A-Fa-f]{6,})(?![0-9A-Fa-f])"
)
_DECLARATION: Final = re.compile(rb"<\?xml")
_END_OF_SECTION: Final = re.compile(rb"--!?>|\]\]>")


#: Bytes of a document that is read in place: what the states get first, what is read at a time, and what the states get
#: before and after edits.
_BEGINNING: Final = 4 * HEAD
_MOST_AT_ONCE: Final = 250_000
_AROUND_EDITS: Final = 1024
#: Characters between edits that are read in place; fewer are left to the states, as going back and forth takes 0.2 ms.
_CLEAN: Final = 100_000


def make_source(settings: Settings, *, notes_places: bool = False) -> "EditedSource | None":
    """Make the stage that edits the source of one document; None: it is read as it is."""
    if settings.recovery != "intent":
        return None
    from xml5tree.dialects.xml5.editing import EditedSource

    return EditedSource(settings, notes_places=notes_places)


def make_stream(settings: Settings) -> InputStream:
    find_late = None
    if settings.root_element is not None or settings.recovery == "intent":
        from xml5tree.dialects.xml5.late_declaration import make_finder

        find_late = make_finder(settings)
    return InputStream(
        encoding=settings.encoding,
        find_late=find_late,
        keeps_null=settings.keeps_control_characters,
        finds_padding=settings.recovery == "intent",
    )


def tokenize_chunk(
    stream: InputStream,
    reporter: Reporter,
    tokenizer: Tokenizer,
    text: str,
    *,
    skip: int = 0,
    final: bool = False,
    source: "EditedSource | None" = None,
) -> None:
    """Tokenize the last characters of the input stream, after `skip` characters of the XML declaration.

    They are edited first if there is a `source`.
    """
    # The tokenizer takes the text first, so that the reporter can find lines in it. Errors of its characters are
    # reported next: they come before the tokenizer's errors at the same place.
    if source is None:
        tokenizer.feed_chunk(text, stream.utf8, skip, final=final)
        stream.report(reporter)
        tokenizer.run()
        return
    text, utf8, skip = source.feed(text, stream.utf8, skip=skip, final=final, padding=stream.padding)
    stream.report(reporter)  # errors of characters that have not been read wait by themselves
    ends = final and not source.notes_edits
    if text or ends:
        tokenizer.feed_chunk(text, utf8, skip, final=ends)
        tokenizer.run()
    if final and source.notes_edits:
        source.take_before_end(omits_declarations=tokenizer.has_internal_subset)
        tokenizer.feed_chunk("", b"", 0 if text else skip, final=True)
        tokenizer.run()


def _make_stages(
    emitter: Markup,
    reporter: Reporter,
    limits: ReaderLimits,
    settings: Settings,
    stream: InputStream,
    wanted: MarkupOptions,
) -> tuple[TreeBuilder, Tokenizer]:
    """Make tree construction and the tokenizer of one document, for the markup that is wanted."""
    make_builder: Callable[..., TreeBuilder] = TreeBuilder
    make_tokenizer: Callable[..., Tokenizer] = Tokenizer
    if settings.roots != "first":
        from xml5tree.dialects.xml5.roots import RootsBuilder

        make_builder = RootsBuilder
    if settings.root_element is not None:
        from xml5tree.dialects.xml5.junk import RootedTokenizer

        make_tokenizer = partial(RootedTokenizer, settings.root_names)
    builder = make_builder(emitter, reporter, limits, settings)
    known = reader = None
    if settings.elements is not None:
        from xml5tree.dialects.xml5.elements import KnownElements, make_fence

        known = KnownElements(settings, builder)
    if wanted.get("texts") is None and core.compiled is not None:
        places = wanted.get("places")
        local_name = None if places is None else places.local_name
        is_unchanged = wanted.get("edits") is not None
        reader = core.Core(builder, reporter, limits, settings, wanted=local_name, is_unchanged=is_unchanged)
        if known is not None:
            reader.fences.append(make_fence(settings, limits.left_out))
        if settings.keeps_control_characters:
            reader.fences.append(partial(core.find_or_end, _FORBIDDEN))
        if settings.roots != "first":  # between roots, XML declarations are left out
            reader.fences.append(partial(core.find_or_end, _DECLARATION))
    tokenizer = make_tokenizer(
        builder,
        reporter,
        settings,
        data_state,
        tag_state if known is None else known.tag_state,
        core=reader,
        is_standalone=lambda: stream.declaration is not None and stream.declaration.standalone == "yes",
        known=known,
    )
    tokenizer.keep_declarations(limits)
    if limits.names is FIFTH_EDITION:
        # libxml2 reads U+FFFD in names, and expat does not: what was replaced has to come to the same (D-010).

        def forbid_replaced() -> None:
            builder.namespaces.use_rules(UNREPLACED)
            if reader is not None:
                reader.forbid_replaced()

        tokenizer.on_replaced = forbid_replaced
    return builder, tokenizer


def _end_of_part(data: bytes, start: int, size: int) -> int:
    """Return where a part of UTF-8 of at most `size` bytes ends: with a tag, or else between characters."""
    end = min(start + size, len(data))
    if tag := data.rfind(b">", start, end) + 1:
        return tag
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


class Stages(Pipeline):
    """See `Pipeline`."""

    _stream: InputStream
    _has_controls = False  # whether there are control characters in a document that is read in place
    _run: WholeRun | None = None  # the document, if all of it has been read; then there are no stages

    def __init__(self, settings: Settings, limits: ReaderLimits, **wanted: Unpack[MarkupOptions]) -> None:
        """See `Dialect.make_pipeline`."""
        places, texts, edits = wanted.get("places"), wanted.get("texts"), wanted.get("edits")
        output_encoding = wanted.get("output_encoding")
        whole = wanted.get("whole")
        if whole is not None and not (places or texts or edits) and (run := find_run(whole, settings, limits)):
            self._run = run
            self.reporter = run.reporter
            self._output_encoding = output_encoding
            return
        notes = places or edits
        on_found: Callable[[Found], object] | None = None if notes is None else notes.note_error
        source = make_source(settings, notes_places=places is not None)
        if source is not None and edits is not None:
            on_found = source.note_edits(edits)
        reporter = settings.make_reporter(
            codes_with(settings.control_characters),
            left_out=limits.left_out,
            on_found=on_found,
            make=None if source is None else source.make_reporter,
        )
        stream = make_stream(settings)
        # Markup is the only stage that needs a later one: it asks the tokenizer for the line in the document.
        markup: Markup
        if places is not None:
            edits_of_source = None if source is None else source.map
            markup = PlacedMarkup(
                lambda: tokenizer.line(),
                places,
                lambda: tokenizer,
                reporter.locator.locate,
                edits_of_source,
                keeps_lines=limits.tells_lines,
            )
        elif texts is not None:
            from xml5tree.output.texts import TextMarkup

            markup = TextMarkup(lambda: tokenizer.line(), texts)
        elif edits is not None:
            from xml5tree.output.edited import EditedMarkup

            markup = EditedMarkup(lambda: tokenizer.line(), edits, lambda: tokenizer, keeps_lines=limits.tells_lines)
        else:
            markup = Markup(lambda: tokenizer.line(), keeps_lines=limits.tells_lines)
        keeping = None
        if wanted.get("keeps") or edits is not None:
            from xml5tree.output.keeping import Keeping

            keeping = Keeping(
                lambda: None if tokenizer.in_entity else tokenizer.place(),
                lambda encoding: reporter.report("unencodable-character", tokenizer.token_offset, encoding),
                as_text=output_encoding is None,
            )
            if source is not None:
                source.breaks = keeping.follow()
                source.has = keeping.has
        super().__init__(settings, stream, markup, reporter, edits, keeping)
        self._is_awaited = limits.is_awaited
        self._output_encoding = output_encoding
        self._root_names = settings.root_names
        self._builder, tokenizer = _make_stages(markup, reporter, limits, settings, stream, wanted)
        self._tokenizer = tokenizer
        self._source = source
        is_noted = any(part is not None for part in (places, texts, edits))
        is_plain_reading = not is_noted and settings.root_element is None and not limits.is_awaited
        refuses = source is not None and settings.forbid_dtd  # a DOCTYPE, before which there are no edits
        self._may_skip_states = is_plain_reading and tokenizer.may_pass_over and not refuses
        if source is not None:
            source.builder = self._builder
            tokenizer.add_fence(lambda utf8, place: source.next_wall(utf8, place, tokenizer.place()))
        self._places = places
        self._started = False
        self._has_replaced = False  # whether the stream has replaced characters

    @property
    def cut_levels(self) -> range:
        return self._builder.cut_levels

    def read_whole(self, data: bytes | str) -> Iterator[bytes]:
        """See `Pipeline`."""
        run = self._run
        if run is None:
            yield from self._read_plain(data) if self._is_read_in_place(data) else super().read_whole(data)
            return
        markup = run.markup(self._output_encoding)
        self._head = run.text[:HEAD]
        self._end()
        yield markup
        self.reporter.notify_end()

    def _is_read_in_place(self, data: bytes | str) -> TypeGuard[bytes]:
        """Return whether the core may read parts of a document in place, as its characters are only asked for there."""
        if not (self._may_skip_states and len(data) > 2 * _BEGINNING and isinstance(data, bytes)):
            return False
        self._has_controls = not is_plain(data)
        return not self._has_controls or (self._source is None and is_plain(data, allows_controls=True))

    def _read_plain(self, data: bytes) -> Iterator[bytes]:
        """Yield markup as `read_whole`, without making text of what the core reads."""
        if self._gate is not None:
            self._admit(self._gate, data, final=True)
        stream, tokenizer, source = self._stream, self._tokenizer, self._source
        place, size = 0, _BEGINNING
        while len(data) - place > size:
            end = _end_of_part(data, place, size)
            section = data.rfind(b"<!", place, end)
            if section > place and not _END_OF_SECTION.search(data, section, end):  # it may go on
                end = section
            text = self._read(data[place:end])
            if text and not self._started:  # the encoding has been found
                if not stream.takes_utf8:
                    size = BLOCK
                elif source is not None:
                    source.look_at(data)
            yield from self._take(text, final=False)
            place = end
            while stream.takes_utf8 and len(data) > place:
                size = _MOST_AT_ONCE
                clean = size if source is None else source.clean
                if source is not None and clean < _AROUND_EDITS:
                    size = self._size_with_edits(source, data, place)
                    break
                end = _end_of_part(data, place, min(clean, size))
                passed = tokenizer.pass_over(data, place, end, has_controls=self._has_controls)
                if passed is None:
                    break
                place, characters = passed
                stream.pass_over(characters)
                if source is not None:
                    source.pass_over(characters)
                self._length += characters
                yield self._markup.take()
        yield from self._finish(data[place:])

    @staticmethod
    def _size_with_edits(source: "EditedSource", data: bytes, place: int) -> int:
        """Return the size of the part of UTF-8 from a place on with the next edits that are near each other."""
        count = source.count_near(_CLEAN, BLOCK)
        after = place + len(data[place : place + 4 * count].decode(errors="ignore")[:count].encode())
        return _end_of_part(data, after, _AROUND_EDITS) - place

    def release(self) -> None:
        builder = self._builder if self._run is None else self._run.builder
        if self._run is None:
            self._tokenizer.release()
        if builder is not None:
            builder.release()

    def _advance(self, text: str, *, final: bool) -> None:
        skip = 0
        if not self._started and (text or final):
            self._started = True
            skip = self._write_declaration()
        first_replaced = self._stream.first_replaced
        if first_replaced is not None and not self._has_replaced:
            self._has_replaced = True
            self._tokenizer.note_replaced(first_replaced if self._source is None else 0)  # edits move places
        tokenize_chunk(self._stream, self.reporter, self._tokenizer, text, skip=skip, final=final, source=self._source)
        self.omits_declarations = self._tokenizer.has_internal_subset
        if self._places is not None:
            self._places.reached = self.reporter.source_of(self._tokenizer.reached)

    def _end_text(self) -> None:
        if self._builder.stack:
            self._markup.end_text()

    def _keep(self, keeping: "Keeping") -> None:
        """See `Pipeline`; text that the encoding may lack is left to the states."""
        super()._keep(keeping)
        if keeping.lacks and not self._started:
            from xml5tree.output.keeping import next_substituted

            self._tokenizer.add_fence(next_substituted)

    def _write_declaration(self) -> int:
        """Write the XML declaration, if any; return the number of its characters in the document."""
        declaration = self._stream.declaration
        if self.keeping is not None:
            needed = self.keeping.declaration(declaration)
        else:
            needed = None if declaration is None else declaration.written(self._output_encoding)
        end = 0 if declaration is None else declaration.end
        if needed is not None:
            self._markup.declaration(needed, end)
        return end

    def _hints(self) -> tuple[Hint, ...]:
        run = self._run
        hints = super()._hints() if run is None else hints_by_beginning(self._head)
        builder = self._builder if run is None else run.builder
        return (*hints, SEVERAL_ROOTS) if builder is not None and builder.drops_elements and not hints else hints

    def _check_end(self) -> None:
        """See `Pipeline`; there must be a root element (D-107)."""
        if not self._builder.has_root:
            names = " or ".join(f"<{name}>" for name in sorted(self._root_names))
            log = self.reporter.log
            place = self.reporter.locator.locate(self._builder.end_offset)
            if self._damage:
                raise ParseError(f"no root element: {self._damage}", "damaged-compression", place, log)
            # There may be no other errors, for which hints would have been given.
            log.hints = self._hints()
            hints = (hint.about("it") for hint in log.hints)
            missing = f"the document has no start tag{names and f' {names}'}"
            message = "; ".join([f"no root element (no element found): {missing}", *hints])
            raise ParseError(message, "no-root-element", place, log)
