"""A sink that records tokens as objects, for `xml5tree.tokenize`."""

from xml5tree.dtd.declarations import Dtd
from xml5tree.tokens import (
    Characters,
    Comment,
    Doctype,
    EmptyTag,
    EndTag,
    ProcessingInstruction,
    ShortEndTag,
    StartTag,
    Token,
)

__all__ = ["Recorder"]

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Recorder:
    """Collects the tokens; adjacent characters become one token."""

    def __init__(self) -> None:
        self._tokens: list[Token] = []
        self._text: list[str] = []
        self._has_doctype = False

    def take(self) -> list[Token]:
        """The tokens that have been completed since the last call."""
        tokens, self._tokens = self._tokens, []
        return tokens

    def _add(self, token: Token) -> None:
        if self._text:
            self._tokens.append(Characters("".join(self._text)))
            self._text.clear()
        self._tokens.append(token)

    def start_tag(self, name: str, attributes: dict[str, str], offset: int, raw: str | None) -> None:
        """See `TokenSink`."""
        self._add(StartTag(name, attributes))

    def empty_tag(self, name: str, attributes: dict[str, str], offset: int, raw: str | None) -> None:
        """See `TokenSink`."""
        self._add(EmptyTag(name, attributes))

    def end_tag(self, name: str, offset: int, raw: str | None) -> None:
        """See `TokenSink`."""
        self._add(EndTag(name))

    def short_end_tag(self, offset: int) -> None:
        """See `TokenSink`."""
        self._add(ShortEndTag())

    def characters(self, data: str, offset: int) -> None:
        """See `TokenSink`."""
        self._text.append(data)

    def reference(self, data: str, offset: int, raw: str | None) -> None:
        """See `TokenSink`."""
        self._text.append(data)

    def cdata_start(self, offset: int) -> None:
        """See `TokenSink`; CDATA sections leave no token of their own."""

    def cdata_end(self) -> None:
        """See `TokenSink`."""

    def comment(self, data: str, offset: int, raw: str | None) -> None:
        """See `TokenSink`."""
        self._add(Comment(data))

    def processing_instruction(self, target: str, data: str, offset: int, raw: str | None) -> None:
        """See `TokenSink`."""
        self._add(ProcessingInstruction(target, data))

    def doctype(
        self, name: str | None, public_id: str | None, system_id: str | None, dtd: Dtd, offset: int, raw: str | None
    ) -> bool:
        """See `TokenSink`; the declarations of the first DOCTYPE are obeyed."""
        self._add(Doctype(name.translate(_ASCII_LOWER) if name else name, public_id, system_id))
        first, self._has_doctype = not self._has_doctype, True
        return first

    def enter_entity(self, name: str, offset: int) -> None:
        """See `TokenSink`; the tokens of an entity are those of the document."""

    def leave_entity(self, name: str, offset: int) -> None:
        """See `TokenSink`."""

    def end_of_file(self, offset: int) -> None:
        """See `TokenSink`."""
        if self._text:
            self._tokens.append(Characters("".join(self._text)))
            self._text.clear()
