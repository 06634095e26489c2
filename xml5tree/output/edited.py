"""The emitter that notes its edits."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from xml5tree.editing import Reason
from xml5tree.output.edits import Edits
from xml5tree.output.markup import Markup
from xml5tree.output.places import Tokenizer


class EditedMarkup(Markup):
    """Markup that notes what it changes; without slots, so that it can be combined with other kinds."""

    _reason_of_tags: ClassVar[Reason] = "error"  # why start tags are changed that have no error

    def __init__(
        self, source_line: Callable[[], int], edits: Edits, tokenizer: Callable[[], Tokenizer], *, keeps_lines: bool
    ) -> None:
        super().__init__(source_line, keeps_lines=keeps_lines)
        self._edits = edits
        self._tokenizer = tokenizer
        self._written: list[str] = []
        self._at: int | None = None
        self._wrapper_name = ""

    def _write(self, markup: str) -> None:
        super()._write(markup)
        self._written.append(markup)

    def at(self, offset: int) -> None:
        super().at(offset)
        self._at = offset

    def _note(
        self, begin: int, end: int, reason: Reason = "error", *, is_late: bool = False, other: int | None = None
    ) -> None:
        """Note what has been written since the last note, for a span of the document; see `Edits.put`."""
        if self._written:
            self._edits.put(begin, end, "".join(self._written), reason, is_late=is_late, other=other)
            self._written.clear()

    def _note_token(self, reason: Reason = "error") -> None:
        tokenizer = self._tokenizer()
        at, self._at = self._at, None
        begin = tokenizer.token_offset if at is None else at
        self._note(begin, tokenizer.place(), reason, is_late=at is not None)

    def _begin_of(self, data: str) -> int:
        at, self._at = self._at, None
        return self._tokenizer().place() - len(data) if at is None else at

    def declaration(self, source: str, end: int) -> None:
        super().declaration(source, end)
        self._at = None
        self._note(0, end, "encoding" if end else "declaration")

    def start_tag(self, name: str, attributes: Iterable[tuple[str, str]], empty: bool, verbatim: str | None) -> None:
        super().start_tag(name, attributes, empty, verbatim)
        self._note_token(self._reason_of_tags)

    def around(self, name: str, attributes: Iterable[tuple[str, str]]) -> None:
        super().around(name, attributes)
        self._wrapper_name = name
        self._note(self._edits.reached, self._edits.reached, "roots")

    def end_tag(self, name: str, verbatim: str | None, *, closed_at: int | None = None) -> None:
        super().end_tag(name, verbatim, closed_at=closed_at)
        self._note_token("roots" if name == self._wrapper_name else "error")

    def text(self, data: str) -> None:
        begin = self._begin_of(data)
        self._begin_section(begin)
        super().text(data)
        markup = "".join(self._written)
        self._written.clear()
        if self._cdata is None or len(markup) == len(data):
            self._edits.put_text(begin, len(data), markup, is_escaped=self._cdata is None)
        else:  # the section ends, and another one begins
            self._edits.put(begin, begin + len(data), markup)

    def _begin_section(self, begin: int) -> None:
        """Begin the CDATA section, if there is one, whose first text is at an offset."""
        if self._cdata is False:
            self._write_in_cdata("")
            self._edits.section = self._tokenizer().token_offset
            self._note(self._edits.section, begin)

    def substitute(self, data: str) -> None:
        begin = self._begin_of(data)
        self._begin_section(begin)
        super().substitute(data)
        self._note(begin, begin + 1)

    def reference(self, data: str, verbatim: str | None) -> None:
        super().reference(data, verbatim)
        at, self._at = self._at, None
        place = self._tokenizer().place()
        is_late = at is not None
        if at is None:
            at = self._edits.reached if verbatim is None else place - len(verbatim)
        self._note(at, place, is_late=is_late)

    def cdata_end(self) -> None:
        begin = self._tokenizer().token_offset if self._cdata is False else self._edits.reached
        super().cdata_end()
        # What is wrong with the section itself is why its end is written, if that is not in the document.
        self._note(begin, self._tokenizer().place(), other=self._edits.section)
        self._edits.flush()
        self._edits.section = None

    def space(self, data: str, line: int) -> None:
        begin = self._begin_of(data)
        super().space(data, line)
        if self._written:
            markup = "".join(self._written)
            self._written.clear()
            self._edits.put_text(begin, len(data), markup, is_escaped=False)

    def clean_run(
        self, markup: bytes, source: bytes, newlines: int, brackets: int, elements: list[Any] | None = None
    ) -> None:
        super().clean_run(markup, source, newlines, brackets, elements)
        length = len(source) if source.isascii() else len(source.decode())
        self._edits.note_unchanged(self._tokenizer().place(), length)

    def comment(self, data: str, verbatim: str | None, *, length: int | None = None) -> None:
        super().comment(data, verbatim, length=length)
        self._note_token()

    def processing_instruction(self, target: str, data: str, verbatim: str | None) -> None:
        super().processing_instruction(target, data, verbatim)
        self._note_token()

    def doctype(
        self, name: str, public_id: str | None, system_id: str | None, verbatim: str | None, declarations: str = ""
    ) -> None:
        super().doctype(name, public_id, system_id, verbatim, declarations)
        self._note_token("doctype")
