"""Text to the lexer's input stream (M-002 to M-007, M-011)."""

import re

from xml5tree.dialects.microxml.chars import NOT_ALLOWED
from xml5tree.input.declaration import XMLDeclaration
from xml5tree.input.stream import InputStream


class MicroXMLStream(InputStream):
    """Decodes and normalises a document for the lexer; reports other characters than XML5 does."""

    # U+0000 stays, since it cannot be in names and U+FFFD can (M-006). An XML declaration gives the encoding, but is
    # left for the lexer (M-007).

    def __init__(self, *, encoding: str | None = None) -> None:
        super().__init__(encoding=encoding)
        self._is_judged = False  # whether the encoding has been judged

    def _accept(self, declaration: XMLDeclaration) -> None:
        self._judge_encoding(declaration)

    def _deliver(self, text: str, encoded: bytes | None, *, final: bool) -> str:
        if not self._is_judged and self.decoder is not None and self.decoder.finds_other_than("utf-8"):
            self._problem("encoding-not-utf-8", 0, self.decoder.encoding)
        self._is_judged = True
        return super()._deliver(text, encoded, final=final)

    def _note_forbidden(self, text: str, encoded: bytes | None) -> str:
        if encoded is not None and not NOT_ALLOWED.may_be_in(encoded):
            return text
        return NOT_ALLOWED.pattern.sub(self._note_character, text)

    def _note_character(self, match: re.Match[str]) -> str:
        character = match[0]
        if "\ud800" <= character <= "\udfff":
            return super()._note_character(match)
        self._note(character, self._offset + match.start())
        return character
