"""Text to the tokenizer's input stream (H-020 to H-024, H-095)."""

import re
from typing import Final

from xml5tree.dialects.html.prescan import PRESCANNED, declared_encoding
from xml5tree.errors.codes import KEPT
from xml5tree.input.decoder import Decoder
from xml5tree.input.stream import InputStream
from xml5tree.xml.chars import NotAllowed, code_point

#: Characters that are an error anywhere in HTML. The tokenizer handles U+0000.
_ODD: Final = NotAllowed("\x01-\x08\x0b\x0e-\x1f\x7f-\x9f")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def passes_unchanged(text: str) -> bool:
    """Return whether the input stream of 12.2.4 makes of a document of text that very text, without errors."""
    return "\r" not in text and not _ODD.may_be_in(text)


class HtmlInputStream(InputStream):
    """The input stream of HTML, in chunks of bytes or of text.

    It normalises newlines, joins surrogate pairs and replaces undecodable bytes. Characters that HTML does not allow
    are reported, but stay.
    """

    def __init__(self, *, encoding: str | None = None, draft: bool = False) -> None:
        """Make the stream of one document; `encoding` is as for `Decoder`.

        By the `draft` of 2008, U+0000 is replaced, a byte order mark is dropped from text too, and nothing else is an
        error.
        """
        super().__init__(encoding=encoding, prolog=False)
        self._decoder = Decoder(encoding, declared=(PRESCANNED, declared_encoding))
        self._draft = draft
        self._at_start = True

    def _deliver(self, text: str, encoded: bytes | None, *, final: bool) -> str:
        """Drop the byte order mark, and report characters that HTML does not allow."""
        self._report_pairs(text)
        if self._at_start and text:
            self._at_start = False
            if self.decoder is not None and self.decoder.false_mark:
                message = f"a byte order mark of {self.decoder.false_mark} was dropped: what follows is not UTF-16"
                self._problem("invalid-byte-sequence", 0, message, effect=KEPT)
            if self._draft or self.decoder is not None:
                text = text.removeprefix("\ufeff")
        if self._draft:
            for null in re.finditer("\0", text):
                self._problem("unexpected-null-character", self._offset + null.start())
            text = text.replace("\0", "\ufffd")
        if not self._draft or self.decoder is not None:
            text = self._report_odd(text)
        self._offset += len(text)
        return text

    def _report_odd(self, text: str) -> str:
        """Report characters that are errors, and replace marks of undecodable bytes."""
        if not _ODD.may_be_in(text):
            return text
        pieces = []
        start = 0
        for match in (_SURROGATE if self._draft else _ODD.pattern).finditer(text):
            character, offset = match[0], self._offset + match.start()
            if not "\ud800" <= character <= "\udfff":
                self._note(character, offset)
            elif self.decoder is None:
                self._problem("surrogate-in-input-stream", offset, code_point(character))
            else:
                pieces += [text[start : match.start()], self._replace_bytes(character, offset)]
                start = match.end()
        return "".join([*pieces, text[start:]]) if pieces else text
