"""Notes the edits of a repair."""

# The emitter knows which part of the document its markup stands for, and notes where they differ. So whole documents
# are never compared, and nobody pays for edits that are not asked for.

import re
from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Final, NamedTuple

from xml5tree.editing import Reason
from xml5tree.errors.entry import ErrorEntry, Found, entry_of
from xml5tree.input.linebreaks import common
from xml5tree.input.original import Characters, Original
from xml5tree.input.sourcemap import SourceMap
from xml5tree.input.stream import InputStream
from xml5tree.output.composing import Change, Composer

_ESCAPE: Final = re.compile("&[^;]*;")
#: Lengths up to which two texts are compared character by character.
_SHORT: Final = 32
#: The longest beginning of markup that is text if the document ends in it; its error is at the end.
_UNFINISHED: Final = "</"
#: The number of written names whose errors are remembered.
_MANY_NAMES: Final = 10_000
#: Errors that are found before the tokens that they are in.
_OF_CHARACTERS: Final = frozenset(
    {
        "control-character-in-input-stream",
        "noncharacter-in-input-stream",
        "surrogate-in-input-stream",
        "unexpected-null-character",
        "invalid-byte-sequence",
    }
)
#: Errors at the character after the markup that they are about.
_OF_WHAT_PRECEDES: Final = frozenset(
    {
        "abrupt-closing-xml-declaration",
        "missing-quote-after-attribute-value",
        "unclosed-doctype",
        "unclosed-tag",
    }
)
#: What is written otherwise where the start of a CDATA section is dropped: its end goes, and its content is escaped.
_OF_SECTIONS: Final = ("]]>", "&lt;", "&gt;", "&amp;")
_VALUE: Final = re.compile('"[^"]*"')
_NAME: Final = re.compile("[^\\s<>/=]+")
_PART_OF_NAME: Final = re.compile("[^\\s<>/=:]+")


class Note(NamedTuple):
    """A change."""

    #: Offsets of the characters that are replaced.
    begin: int
    end: int
    markup: str  # the replacement
    #: The span of the token; the change has the errors in it, or at `start`.
    start: int
    stop: int
    reason: Reason = "error"  # see `Edit`
    names: tuple[str, ...] = ()  # names in the markup that are not in the document there
    cause: int | None = None  # the offset of the errors if none is in the span, or None
    other: int | None = None  # the offset of errors besides those in the span, or None


class Edits:
    """The edits of one document."""

    def __init__(self, filename: str | None = None) -> None:
        self.original = Original()  # the document
        self._text = Characters()  # what is read of it
        self._is_edited = False  # whether that is the document with edits that are made first
        self._composer = Composer(self._original_is, filename)
        self.done = 0  # the offset up to which the document has its markup
        self.certain = 0  # the offset in the document up to which all changes have been taken
        self._read_certain = 0  # and that in the text that is read
        self.section: int | None = None  # the offset of the open CDATA section, or None
        self.replaces_mark = False  # whether what precedes the first character is replaced
        self.filename = filename
        self._has_begun = False
        self._notes: list[Note] = []
        self._taken: list[Change] = []  # changes of an edited text that have been taken ahead
        self._held: tuple[int, int] | None = None  # the number of certain notes, and the offset up to which they are
        self._found: list[tuple[int, int, Found]] = []  # offset, number and error, in ascending order
        self._number = 0
        self._last: Found | None = None
        self._last_at = 0  # its offset
        self._altered: list[tuple[int, str]] = []  # characters that are not those of the document, and their offsets
        self._altered_in_source: list[tuple[int, str]] = []  # those of text that has not been read,
        self._altered_and_replaced: list[int] = []  # and the offsets of those instead of which another text is read
        self._touching: list[Note] = []  # notes taken that the next ones may touch
        self._first = 0  # the first offset at which a touching note may have errors
        # The markup for one span, and the span.
        self._markup: list[str] = []
        self._span = (0, 0)
        self._is_late = False
        self._cause: int | None = None
        self._other: int | None = None
        self._begin = 0  # where the span begins, or `done` if that is later
        self._reason: Reason = "error"
        self._is_final = False
        self.encoding: str | None = None  # Python's name of the encoding of the result; None for a `str`
        self.omits_declarations = False  # whether the DOCTYPE has had declarations
        self._is_too_deep = False  # whether an element was nested too deep
        self._wrapped: Found | None = None  # the error for which an element was put around a document of MicroXML
        self._causes: dict[str, tuple[ErrorEntry, ...]] = {}  # errors of names, by what is written for them

    @property
    def converts(self) -> bool:
        decoder = self.original.decoder
        return decoder is not None and decoder.encoding != self.encoding

    @property
    def reached(self) -> int:
        """The offset up to which markup has been put."""
        return max(self._span[1], self.done) if self._markup else self.done

    # Input ----------------------------------------------------------------------------------------------------------

    def read(self, part: bytes | str, characters: str, stream: InputStream) -> None:
        """Take the next part of the document, and the characters made of it."""
        decoder = stream.decoder
        altered = [(offset, characters[offset - self.original.end]) for offset in stream.altered]
        self._altered_in_source += altered
        self.original.take_part(part, characters, decoder)
        if not self._is_edited:
            self.read_edited(characters, self.original.end, SourceMap(puts_walls=False))
        if characters and not self._has_begun:
            self._has_begun = True
            if decoder is not None and decoder.false_mark:
                self._notes.append(Note(0, 0, "", 0, 1, "encoding"))
                self.replaces_mark = True
            elif decoder is not None and decoder.encoding.startswith("utf-16") and not decoder.has_mark:
                self._notes.append(Note(0, 0, "\ufeff", 0, 0, "encoding"))

    def begin_edited(self) -> Composer:
        """Begin a document whose text is edited before it is read; return what takes those edits."""
        self._is_edited = True
        return self._composer

    def read_edited(self, text: str, stop: int, source_map: "SourceMap") -> None:
        """Take the next text that is read, which ends at an offset in the source."""
        self._text.add(text)
        altered = self._altered_in_source
        count = bisect_left(altered, (stop,))
        for offset, character in altered[:count]:
            if source_map.replaces(offset):
                self._altered_and_replaced.append(offset)
            else:
                self._altered.append((source_map.edited(offset), character))
        del altered[:count]

    def _original_is(self, begin: int, end: int, markup: str) -> bool:
        """Return whether markup is the document between two offsets, as it stands there."""
        altered = self._altered_and_replaced
        del altered[: bisect_left(altered, self.certain)]
        is_altered = bisect_left(altered, begin) < bisect_left(altered, end)
        return not is_altered and markup == self.original.characters(begin, end)

    def note_error(self, found: Found, at: int | None = None) -> None:
        """Note an error, at an offset in the text that is read, if that is not its own."""
        self._last = found
        self._number += 1
        code, offset = found[0], found[-1] if at is None else at
        self._last_at = offset
        insort(self._found, (offset - (code in _OF_WHAT_PRECEDES), self._number, found))
        if code == "max-depth-exceeded":
            self._is_too_deep = True
        elif code == "document-wrapped":
            self._wrapped = found

    def put(
        self,
        begin: int,
        end: int,
        markup: str,
        reason: Reason = "error",
        *,
        is_late: bool = False,
        other: int | None = None,
    ) -> None:
        """Note the markup for a span; `reason` is why it differs, unless an error is found.

        If `is_late`, the span ends where the next one begins, if that is before `end`. Errors at the offset `other` are
        causes, too.
        """
        if self._markup and (begin, end) == self._span:
            self._markup.append(markup)
            return
        self._flush(begin)
        self._drop_up_to(begin)
        self._markup.append(markup)
        self._span = (begin, end)
        self._is_late = is_late
        self._begin = max(begin, self.done)
        self._cause = self.section
        self._other = other
        if self._last is not None and self._last_at == end and self._last[0] not in _OF_CHARACTERS:
            self._cause = end  # what comes next has ended the token
        self._reason = reason

    def put_text(self, begin: int, length: int, markup: str, *, is_escaped: bool) -> None:
        """Note the markup of a text; if `is_escaped`, each reference in it stands for one character of the document."""
        end = begin + length
        self._flush(begin)
        if begin < self.done:
            self.put(begin, end, markup)
            return
        self._drop_up_to(begin)
        source = self._text.characters(begin, end)
        if source != markup:
            place, offset = 0, begin
            for escape in _ESCAPE.finditer(markup) if is_escaped else ():
                same = escape.start() - place
                self._note_differences(source, offset - begin, markup, place, same, begin)
                offset += same
                # The two characters that make ">" an error begin before it.
                cause = offset - 2 if escape[0] == "&gt;" else None
                self._notes.append(
                    Note(offset, offset + 1, escape[0], offset, offset + 1, "error", (escape[0],), cause=cause)
                )
                offset += 1
                place = escape.end()
            self._note_differences(source, offset - begin, markup, place, len(markup) - place, begin)
        self.done = end

    def flush(self) -> None:
        """Note all markup put so far."""
        self._flush(self.reached)

    def note_unchanged(self, begin: int, length: int) -> None:
        self._flush(begin)
        self._drop_up_to(begin)
        self.done = begin + length

    def hold(self, offset: int) -> None:
        """Hold back notes at or after an offset, up to `release`."""
        self._flush(offset)
        self._held = (len(self._notes), self.done)

    def insert_at_hold(self, markup: str) -> None:
        """Note markup where `hold` was called, and hold nothing back any more."""
        assert self._held is not None
        number, offset = self._held
        cause = self._last_at  # which has just been reported
        self._notes.insert(number, Note(offset, offset, markup, cause, cause, names=tuple(_names(markup))))
        self._held = None

    def release(self) -> None:
        self._held = None

    # Notes ----------------------------------------------------------------------------------------------------------

    def _flush(self, next_begin: int) -> None:
        """Note how the markup for the last span differs from the document."""
        if not self._markup:
            return
        markup = "".join(self._markup)
        self._markup.clear()
        begin, stop = self._begin, self._span[1]
        if self._is_late and begin < next_begin < stop:
            stop = next_begin
        end = max(min(stop, self._text.end), begin)
        source = self._text.characters(begin, end)
        if source != markup:
            head, tail = common(source, markup)
            middle = markup[head : len(markup) - tail]
            is_tag = markup[:1] == "<" and markup[1:2] not in {"!", "?"}
            names = tuple(_new_names(source, markup)) if is_tag else ()
            if middle == "]]><![CDATA[":  # what is dropped before it has the same name
                names = ("&gt;",)
            span = begin, max(stop, end)
            note = Note(begin + head, end - tail, middle, *span, self._reason, names, self._cause, self._other)
            self._notes.append(note)
        self.done = end

    def _drop_up_to(self, offset: int) -> None:
        end = min(offset, self._text.end)
        if end > self.done:
            dropped = self._text.characters(self.done, end)
            # A dropped part may bring a later ">" behind "]]". With the start of a CDATA section goes its end, and its
            # content is text like any other.
            names = _OF_SECTIONS if dropped.startswith("]]>") or "<![CDATA[" in dropped else ("&gt;",)
            self._notes.append(Note(self.done, end, "", self.done, offset, "error", names))
            self.done = end

    def _note_differences(self, source: str, at: int, markup: str, place: int, length: int, base: int) -> None:
        """Note which of `length` characters differ, of `source` from `at` and `markup` from `place` on."""
        if source[at : at + length] == markup[place : place + length]:
            return
        if length > _SHORT:
            half = length // 2
            self._note_differences(source, at, markup, place, half, base)
            self._note_differences(source, at + half, markup, place + half, length - half, base)
            return
        for index in range(length):
            character = markup[place + index]
            if source[at + index : at + index + 1] != character:
                offset = base + at + index
                self._notes.append(Note(offset, offset + 1, character, offset, offset + 1))

    # Output ---------------------------------------------------------------------------------------------------------

    def take(self, *, final: bool = False) -> Iterator[Change]:
        """Yield the changes that are certain, all if `final`; no two of them touch."""
        changes, self._taken = [*self._taken, *self._take(final=final)], []
        yield from self._composer.take(changes, self._read_certain, final=final)
        self.certain = self._composer.certain

    def take_before_end(self) -> None:
        """Take the changes that are certain before it is known that the document ends, as it does in the next part."""
        self._taken += self._take(final=False)

    def _take(self, *, final: bool) -> Iterator[Change]:
        if final:
            self.original.finish()
            self._is_final = True
            self._flush(self._text.end + 1)
            self._drop_up_to(self._text.end + 1)
        if not self._is_late:
            self._flush(self.done)
        number, certain = (len(self._notes), self.done) if self._held is None else self._held
        notes, self._notes = self._notes[:number], self._notes[number:]
        if self._held is not None:
            self._held = (0, certain)
        for note in self._with_altered(notes, certain):
            if self._touching and note.begin > self._touching[-1].end:
                yield self._take_touching()
            self._touching.append(note)
            self._first = min(self._first, *[at for at in (note.start, note.cause, note.other) if at is not None])
        if self._touching and (final or self._touching[-1].end < certain):
            yield self._take_touching()
        self._read_certain = self._touching[0].begin if self._touching else certain

    def _take_touching(self) -> Change:
        change = self._change(self._touching)
        self._touching = []
        self._first = self.done
        return change

    def forget(self) -> None:
        """Forget notes and characters that are no longer needed."""
        first = min(self.done, self._begin) if self._markup else self.done
        self.original.forget_characters(self.certain)
        self._text.forget_characters(first)
        if self._held is None:
            if self._touching:
                first = min(first, self._first)
            section = first if self.section is None else self.section
            # The errors of a ">" are two characters before it.
            del self._found[: bisect_left(self._found, (min(first - 2, section),))]

    def _with_altered(self, notes: list[Note], certain: int) -> Iterator[Note]:
        """Yield notes, with notes of characters that the encoding has altered in between."""
        altered = self._altered
        used = 0
        end = Note(certain, certain, "", certain, certain)
        for note in [*notes, end]:
            while used < len(altered) and altered[used][0] < note.begin:
                offset, character = altered[used]
                yield Note(offset, offset + 1, character, offset, offset + 1, "encoding")
                used += 1
            while used < len(altered) and altered[used][0] < note.end:
                used += 1
            if note is not end:
                yield note
        del altered[:used]

    def _change(self, notes: list[Note]) -> Change:
        entries: dict[ErrorEntry, None] = {}  # in order
        reasons: list[Reason] = []
        for note in notes:
            if errors := self._errors(note):
                entries.update(dict.fromkeys(errors))
            else:
                reasons.append(self._reason_of(note))
        markup = "".join([note.markup for note in notes])
        if not (entries or markup or self._wrapped is None):  # white space at the end of the wrapper's content
            entries[entry_of(self._wrapped, self.filename)] = None
        reason = reasons[0] if reasons and not entries else "error"
        return Change(notes[0].begin, notes[-1].end, markup, tuple(entries), reason)

    def _errors(self, note: Note) -> tuple[ErrorEntry, ...]:
        """Return the errors of a note, or those for which its names are written differently."""
        end = self._text.end
        found = self._found_between(note.start, max(note.stop, note.start + 1))
        if not found and note.cause is not None:
            found = self._found_between(note.cause, note.cause + 1)
        elif self._is_final and note.stop >= end:
            found = self._found_between(note.start, end + 1)
        if not found and self._is_final and note.stop >= end - len(_UNFINISHED):
            found = self._found_between(end, end + 1)
        if note.other is not None:
            found = [*self._found_between(note.other, note.other + 1), *found]
        if not found:
            names = note.names if note.markup else ("]]>",)
            causes = [self._causes[name] for name in names if name in note.names and name in self._causes]
            return tuple(entry for cause in causes for entry in cause)
        errors = tuple([entry_of(error, self.filename) for _, _, error in found])
        if len(self._causes) < _MANY_NAMES and not note.markup.startswith("</"):  # a start tag has those of a name
            self._causes.update(dict.fromkeys(note.names, errors))
        return errors

    def _found_between(self, begin: int, end: int) -> list[tuple[int, int, Found]]:
        return self._found[bisect_left(self._found, (begin,)) : bisect_left(self._found, (end,))]

    def _reason_of(self, note: Note) -> Reason:
        if note.reason != "error":
            return note.reason
        if self._is_too_deep:
            return "depth"
        return "doctype" if self.omits_declarations else "error"


def _names(markup: str) -> set[str]:
    tag = _VALUE.sub("", markup)
    return {*_NAME.findall(tag), *_PART_OF_NAME.findall(tag)}


def _new_names(source: str, markup: str) -> set[str]:
    """Return the names of a tag's markup that its source lacks, and all of its element's name if that is another."""
    old, new = _NAME.search(source), _NAME.search(markup)
    names = _names(markup) - _names(source)
    return names | _names(new[0]) if new and (not old or old[0] != new[0]) else names
