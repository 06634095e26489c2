"""Bytes or text to LeafXML characters, up to the first error (L-010 to L-015)."""

from xml5tree.dialects.leafxml.characters import find_forbidden
from xml5tree.documents import kind_of
from xml5tree.input.decoder import UNICODE_SIGNATURES, Decoder
from xml5tree.xml.chars import code_point

_BYTE_ORDER_MARK = "\ufeff"


class CharacterStream:
    """Decodes and checks a document; `error` has code and detail of an error after the last characters."""

    def __init__(self, encoding: str | None) -> None:
        """Set the caller's encoding, which only a signature overrules; None: UTF-8."""
        self.error: tuple[str, str] | None = None
        self._decoder = Decoder(encoding, marks=UNICODE_SIGNATURES, guess=False)
        self._kind: type | None = None
        self._at_start = True
        self._held = ""  # a CR, after which an LF may come
        self._has_return = False  # whether a CR may have come that is in no CR LF

    def feed(self, data: bytes | bytearray | memoryview | str, final: bool = False) -> str:
        """Return the characters that `data`, perhaps empty, completes; raise `TypeError` for a mix."""
        if not isinstance(data, bytes | bytearray | memoryview | str):
            raise TypeError(f"bytes or str expected, not {type(data).__name__}")
        self._kind = kind_of(data, self._kind)
        text = data if isinstance(data, str) else self._decoder.decode(bytes(data), final)
        if self._at_start and text:
            self._at_start = False
            if isinstance(data, str) or self._decoder.has_mark:
                text = text.removeprefix(_BYTE_ORDER_MARK)
        if self._held and (text or final):
            text, self._held = self._held + text, ""
        bad = find_forbidden(text)
        if bad >= 0:
            self.error = self._error(text[bad])
            text, final = text[:bad], True
        if text.endswith("\r") and not final:
            text, self._held = text[:-1], "\r"
        # After a CR that is alone, or is that of an escape, a CR LF is another line break, which an LF would not be.
        is_plain = text.count("\r") == text.count("\r\n") and "&#" not in text and text[-1:] != "&"
        self._has_return = self._has_return or not is_plain
        return text if self._has_return else text.replace("\r\n", "\n")

    def end_of_file(self) -> bytes | str:
        return b"" if self._kind is bytes else ""

    def _error(self, character: str) -> tuple[str, str]:
        if self._kind is bytes and "\ud800" <= character <= "\udfff":  # the decoder's mark
            return "invalid-byte-sequence", self._decoder.encoding
        return "forbidden-character", code_point(character)
