"""The stage between input stream and tokenizer: the source as its author meant it."""

import codecs
import re
import sys
from collections import deque
from collections.abc import Callable
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from xml5tree.dialects.base import BLOCK
from xml5tree.dialects.xml5.declaring import SEEN, DeclaringMeaning, declare_in_whole
from xml5tree.dialects.xml5.reporting import SourceReporter
from xml5tree.errors.reporter import Reporter
from xml5tree.errors.wording import number_of
from xml5tree.input.linebreaks import LineBreaks, common
from xml5tree.input.sourcemap import SourceMap
from xml5tree.intent.assumption import Assumption, Meaning, SourceEdit
from xml5tree.intent.contradictions import Contradictions
from xml5tree.intent.knowledge import Knowledge
from xml5tree.intent.meaning import IntentMeaning, edits_of_whole
from xml5tree.options import Settings

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.tree import TreeBuilder
    from xml5tree.errors.entry import Found
    from xml5tree.output.composing import Composer
    from xml5tree.output.edits import Edits


#: Characters that are read at a time, if more follow that cannot be read: each reading costs a copy of all these.
_LEAST: Final = 2048
#: The beginning of a document with a DOCTYPE, which is no tag's nor a comment's.
_DOCTYPE: Final = re.compile(r"(?>[^<]++|<!--(?s:.*?)-->|<\?(?s:.*?)\?>)*+<!DOCTYPE")
#: References of XML that are read without their semicolon, too.
_UNENDED_OF_XML: Final = frozenset({b"amp", b"lt", b"gt", b"quot"})


def make_meaning(settings: Settings) -> Meaning:
    """Make what finds the edits of one document."""
    made = IntentMeaning(
        roots=settings.roots != "first",
        elements=None if settings.elements is None else frozenset(settings.elements),
        root_names=frozenset(settings.root_names),
        raw=frozenset(settings.raw or ()),
        has_values=settings.value_attribute is not None,
        references=None if settings.entities == "html" else _UNENDED_OF_XML,
        content=settings.content,
    )
    if settings.elements is not None or settings.roots != "first":
        return made
    return DeclaringMeaning(made, settings)


class FoundEdits:
    """A `Meaning` of a whole document without a DOCTYPE that has been looked for."""

    knowledge: Final = Knowledge({})
    doubt: Final = 0
    settled: Final = 0

    def __init__(self, text: str, utf8: bytes, settings: Settings) -> None:
        """Look for the edits but for those of `declare`; no elements are known."""
        self._text = text
        self._settings = settings
        found = edits_of_whole(text, utf8)
        self.lacks_declarations = found is not None  # whether `declare` may have edits to add
        self.edits = make_meaning(settings).feed(text, utf8, final=True) if found is None else found

    @property
    def leaves_prefixes(self) -> bool:
        """Whether a run of the edited text tells of each prefix that the document lacks: no start tag is altered."""
        replaced = (self._text[edit.begin : edit.end] for edit in self.edits)
        return all(not markup or (markup[:2] == "</" and ":" not in markup) for markup in replaced)

    def declare(self) -> None:
        """Add the edits that declare prefixes."""
        if self.lacks_declarations:
            declare_in_whole(self._text, self.edits, self._settings)

    def feed(self, text: str, utf8: bytes, *, final: bool) -> list[SourceEdit]:
        """See `Meaning`."""
        return self.edits


class _KnownEdits:
    """A `Meaning` of a whole document, looked through in parts. What is fed may leave out text without edits."""

    def __init__(self, meaning: Meaning, document: bytes) -> None:
        """Begin with a document in UTF-8."""
        self._meaning = meaning
        self._document = document.removeprefix(codecs.BOM_UTF8)  # which the input stream leaves out
        self._place = 0  # bytes that have been looked through
        #: Each edit in them, and the first and the last offset that it needs.
        self.edits: deque[tuple[int, int, SourceEdit]] = deque()
        self.front = 0  # the offset up to which the source has come

    @property
    def knowledge(self) -> Knowledge:
        return self._meaning.knowledge

    @property
    def doubt(self) -> float:
        return self._meaning.doubt

    @property
    def settled(self) -> int:
        """The offset of the next edit, or one far behind the front before which there is none."""
        while not self.edits and self._is_unseen and self._meaning.settled - self.front < BLOCK // 2:
            self._look()
        if self.edits:
            return self.edits[0][0]
        return self._meaning.settled if self._is_unseen else sys.maxsize

    @property
    def _is_unseen(self) -> bool:
        return self._place < len(self._document)

    def _look(self) -> None:
        part = self._document[self._place : self._place + BLOCK]
        self._place += len(part)
        head = part[: 4 * SEEN].decode(errors="ignore")  # more characters are not looked at
        edits = self._meaning.feed(head, part, final=not self._is_unseen)
        places = [(edit.begin, edit.end, *[one.offset for one in edit.assumptions]) for edit in edits]
        firsts = [*accumulate((min(each) for each in reversed(places)), min)]  # of each edit and of those after it
        self.edits += zip(reversed(firsts), map(max, places), edits, strict=True)

    def feed(self, text: str, utf8: bytes, *, final: bool) -> list[SourceEdit]:
        """See `Meaning`."""
        self.front += len(text)
        while self._is_unseen and (final or self._meaning.settled < self.front):
            self._look()
        found = []
        while self.edits and (final or self.edits[0][1] < self.front):
            found.append(self.edits.popleft()[2])
        return found


class EditedSource:
    """The source of one document with its edits applied, part by part.

    The XML declaration, which the input stream reads, stays as it is.
    """

    def __init__(self, settings: Settings, *, notes_places: bool = False, meaning: Meaning | None = None) -> None:
        """Begin; with `notes_places`, no run of the core goes past an edit.

        `meaning` finds the edits; None: it is made by the settings.
        """
        self.map = SourceMap(puts_walls=notes_places)
        self._noted: Edits | None = None  # takes the text that is read,
        self._composer: Composer | None = None  # and its edits
        #: The line breaks of the source, and those of the text that is read, if they are to be known.
        self.breaks: tuple[LineBreaks, LineBreaks] | None = None
        self._has_returned = False  # whether a carriage return ends the text that is read
        #: Returns whether the encoding of the markup has all characters of a text.
        self.has: Callable[[str], bool] = lambda text: True
        self._meaning = meaning or make_meaning(settings)
        self._known: _KnownEdits  # the same, once a whole document has been looked at
        self.builder: TreeBuilder | None = None  # whose children are judged, once something is known of the structure
        #: Assumptions that are not reported, and who takes their errors.
        self._assumed: list[tuple[Assumption, list[Found]]] = []
        self._refuses = settings.forbid_dtd and settings.elements is None  # a DOCTYPE, which then no edit precedes
        self._is_refused = False  # whether one has come
        self._reporter: SourceReporter
        self._front = self._read = 0  # the offsets up to which the source has come, and is read
        self._unread: list[str] = []  # what is between them
        self._end = 0  # the offset of the end of the edited text
        self._skip = 0  # characters of the XML declaration
        self._edits: deque[SourceEdit] = deque()  # those that have not been applied

    def note_edits(self, edits: "Edits") -> "Callable[[Found], object]":
        """Have the edits of the source noted with those of the repair; return what notes errors, for the reporter."""
        self._noted = edits
        composer = self._composer = edits.begin_edited()

        def note_error(found: "Found") -> None:
            if (place := self._reporter.place) is not None:
                edits.note_error(found, place)
            elif not self._reporter.is_assuming and not composer.takes(found):
                edits.note_error(found, self.map.edited(found[-1]))

        return note_error

    def make_reporter(self, *arguments: object) -> Reporter:
        """Make the reporter of the document's errors; for the arguments see `Reporter`."""
        self._reporter = SourceReporter(self.map, *arguments)
        return self._reporter

    def feed(
        self, text: str, utf8: bytes, *, skip: int = 0, final: bool = False, padding: int | None = None
    ) -> tuple[str, bytes, int]:
        """Take the next part of the source; return the text that can be read now, its UTF-8, and what to skip of it.

        The first `skip` characters are the XML declaration; from `padding` on, an offset, nothing is of the document.
        """
        begin = self._front
        self._skip = max(self._skip, skip)
        self._front += len(text)
        if padding is None:
            found = self._meaning.feed(text, utf8, final=final)
        else:
            content = text[: padding - begin]
            found = self._meaning.feed(content, content.encode(), final=final)
            found.append(self._without_padding(found, padding))
        self._edits.extend(edit for edit in found if edit.begin >= self._skip)
        stop = self._front if final else min(max(self._meaning.settled, self._skip), self._front)
        if self._refuses and not self._read:
            self._is_refused = _DOCTYPE.match("".join([*self._unread, text])) is not None
        if self._is_refused:
            stop = self._front
        if self._read == begin and stop == self._front and not self._edits:
            self._take_breaks([(text, self._front)], final=final)
            self._go_on(text, text, final=final)
            return text, utf8, skip  # the source itself, as it is where nothing is doubtful
        self._unread.append(text)
        # The declaration has been written, so it is read at once.
        if not final and stop < self._front and stop - self._read < _LEAST and self._read >= self._skip:
            return "", b"", 0
        skip = 0 if self._read else self._skip
        edited = self._edited(stop, final=final)
        return edited, edited.encode(), skip

    def _without_padding(self, found: list[SourceEdit], padding: int) -> SourceEdit:
        """Return the edit that drops padding at the end; one that it touches is taken from those found."""
        edit = SourceEdit(padding, padding, "", ())
        if found and found[-1].end == padding:
            edit = found.pop()
        length = number_of(self._front - padding, "character")
        return edit._replace(
            end=self._front, assumptions=(*edit.assumptions, Assumption("assumed-padding", padding, length))
        )

    def look_at(self, document: bytes) -> None:
        """Look for the edits of a whole document in UTF-8; then `pass_over` may be called."""
        self._meaning = self._known = _KnownEdits(self._meaning, document)

    @property
    def clean(self) -> int:
        """How many characters without edits follow what has been read; 0 also if more has come than was read."""
        if self._edits or self._read < self._front or self._reporter.locator.is_behind:
            return 0
        return self._known.settled - self._front

    def count_near(self, clean: int, most: int) -> int:
        """Return the length of the text with the next edits that have fewer than `clean` characters between them.

        It is about `most` if there are many.
        """
        end = begin = self._front
        for first, last, _ in self._known.edits:
            if first - end >= clean or end - begin >= most:
                break
            end = max(end, last)
        return end - begin

    def pass_over(self, characters: int) -> None:
        """Note that a number of characters without edits are read elsewhere."""
        self._front += characters
        self._read += characters
        self._end += characters
        self._known.front += characters

    @property
    def notes_edits(self) -> bool:
        return self._noted is not None

    def take_before_end(self, *, omits_declarations: bool) -> None:
        """Have the edits of the repair taken before the end of the document is read; see `Pipeline`."""
        assert self._noted is not None
        self._noted.omits_declarations = omits_declarations
        self._noted.take_before_end()

    def _edited(self, stop: int, *, final: bool) -> str:
        """Apply the edits up to an offset; return the text from where it has been read."""
        edits, first = self._edits, self._read
        source = "".join(self._unread)
        pieces: list[tuple[str, int]] = []  # each with the offset in the source of its end
        place = 0  # in it
        ahead = self._end  # the offset of that place in the edited text
        while edits and (edits[0].begin < stop or final):
            edit = edits.popleft()
            begin, end = max(edit.begin - first, place), max(edit.end - first, place)
            pieces += ((source[place:begin], begin + first), (edit.instead, end + first))
            ahead += begin - place
            self._add(edit, source[begin:end], ahead, begin + first)
            ahead += len(edit.instead)
            place = end
        stop = max(place, stop - first)
        if not (final or self._is_refused):  # a tag that is cut takes longer
            stop = source.rfind(">", place, stop) + 1 or stop
        pieces.append((source[place:stop], stop + first))
        self._unread = [source[stop:]]
        edited = "".join([piece for piece, _ in pieces])
        self._take_breaks(pieces, final=final)
        self._go_on(source[:stop], edited, final=final)
        return edited

    def _take_breaks(self, pieces: list[tuple[str, int]], *, final: bool) -> None:
        """Have the line breaks of the next part taken: an edit keeps those that it replaces."""
        if self.breaks is None:
            return
        source, read = self.breaks
        read.kind = source.kind
        if not source.is_mixed:
            return
        begin = self._read
        parts: list[str] = []
        for piece, end in pieces:
            part = source.written(piece, begin, end)
            if part:
                # Else the two would be one line break.
                parts.append("\n" + part if self._has_returned and part[0] == "\n" else part)
                self._has_returned = part[-1] == "\r"
            begin = end
        read.take("".join(parts), self._end, ("\r", "\n"), final=final)

    def _add(self, edit: SourceEdit, replaced: str, offset: int, begin: int) -> None:
        """Note an edit, before which there are `offset` characters of the edited text and `begin` of the source."""
        found: list[Found] = []
        instead, end = edit.instead, begin + len(replaced)
        if replaced and instead:
            # What is equal at both ends of the edit stands where it stands in the source.
            head, tail = common(replaced, instead)
            replaced, instead = replaced[head : len(replaced) - tail], instead[head : len(instead) - tail]
            offset, begin, end = offset + head, begin + head, end - tail
        if instead or replaced:
            # Lines of a run count as those of its source, so that no run has an edit with one.
            is_wall = "\n" in instead or "\n" in replaced or not (instead.isascii() or self.has(instead))
            self.map.add(offset, offset + len(instead), begin, end, is_wall=is_wall)
            if self._composer is not None:
                self._composer.add(offset, instead, begin, end, found)
        for assumption in edit.assumptions:
            self._assumed.append((assumption, found))

    def _go_on(self, source: str, edited: str, *, final: bool) -> None:
        """Note the next part of the source that is read, and what is read of it."""
        if self.builder is not None and self.builder.contradictions is None and self._meaning.knowledge:
            self.builder.contradictions = Contradictions(self._meaning.knowledge, self._contradict)
        for assumption, taken in self._assumed:
            self._reporter.assume(assumption, taken)
        self._assumed.clear()
        self._read += len(source)
        self._end += len(edited)
        self._reporter.locator.take(source)
        self._reporter.locator.known = self._read if final else self._read - 1
        if self._noted is not None:
            self._noted.read_edited(edited, self._read, self.map)

    def _contradict(self, offset: int, sentence: str) -> None:
        if self.map.source(offset) >= self._meaning.doubt:
            self._reporter.contradict(offset, sentence)

    def next_wall(self, data: bytes, place: int, offset: int) -> int:
        """Return the first place from `place` on, in UTF-8, that no run goes past; `offset` is that of `place`."""
        wall = self.map.next_wall(offset)
        if wall is None:
            return len(data)
        count = wall - offset
        following = data[place : place + 4 * count]
        if following[:count].isascii():
            return min(place + count, len(data))
        return place + len(following.decode(errors="ignore")[:count].encode())
