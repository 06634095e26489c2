"""Bytes that are not UTF-8, among letters of another script than windows-1252 has (D-006)."""

import re
from typing import Final

from xml5tree.input.decoder import STRAY_BYTES, UNKNOWN_BYTES

#: How many characters before and after such bytes tell the script.
_REACH: Final = 64
_LONGEST: Final = 3  # the most marks of one sequence of bytes
_LETTER: Final = re.compile(r"[^\W\d_]")
#: Letters of scripts that windows-1252 does not have.
_FOREIGN: Final = re.compile("[^\\W\\d_A-Za-zªºµÀ-ÖØ-öø-ʯḀ-ỿ]+")
#: Letters of the Latin script, or bytes that may be some.
_LATIN: Final = re.compile("[A-Za-zªºµÀ-ÖØ-öø-ʯḀ-ỿ\udcc0-\udcff\uddc0-\uddff]+")
#: Markup, whose letters say nothing of the text: the name in a tag, names of attributes, and references.
_MARKUP: Final = re.compile(r"<[^\s<>\"']*|(?<![\w:.-])[\w:.-]++\s*+=|&#?\w{1,9};")
_END_OF_TEXT: Final = re.compile("[<>]")


class StrayBytes:
    """Judges the marks of a decoder in a text that comes in chunks.

    Bytes next to a letter are of its script; else those of the same text or tag decide, so that each record is read as
    it is alone. Where that script is another than Latin, the bytes are no letters of windows-1252, but parts of a
    character that was cut.
    """

    def __init__(self) -> None:
        self._before = ""  # the last characters that were returned, as they came
        self._held = ""  # text whose marks depend on what follows

    def judge(self, text: str, *, final: bool, is_valid: bool, has_characters: bool) -> str:
        """Return text with marks for U+FFFD in place of those that are among foreign letters.

        `is_valid`: the text has no marks; `has_characters`: there has been one beyond ASCII that is no mark. Text is
        held back until it is followed by enough of it.
        """
        if is_valid and not self._held:
            self._before = (self._before + text[-_REACH:])[-_REACH:]
            return text
        start = len(self._before)
        whole = self._before + self._held + text
        end = len(whole)
        for match in () if final else STRAY_BYTES.finditer(whole, max(start, end - _REACH - _LONGEST)):
            if match.end() + _REACH > len(whole):
                end = match.start()
                break
        self._held = whole[end:]
        self._before = whole[max(end - _REACH, 0) : end]
        judged = whole[start:end]
        if not has_characters or _FOREIGN.search(whole) is None:
            return judged
        return STRAY_BYTES.sub(lambda match: _judged(match, whole), whole[:end])[start:]


def _judged(match: re.Match[str], whole: str) -> str:
    begin, end = match.span()
    before, after = whole[max(begin - _REACH, 0) : begin], whole[end : end + _REACH]
    return UNKNOWN_BYTES * (end - begin) if _is_foreign(before, after) else match[0]


def _is_foreign(before: str, after: str) -> bool:
    for neighbour in (before[-1:], after[:1]):
        if _LETTER.match(neighbour):
            return _FOREIGN.match(neighbour) is not None
    before = before[max(before.rfind("<"), before.rfind(">") + 1, 0) :]
    text = f"{_MARKUP.sub(' ', before)} {_MARKUP.sub(' ', _END_OF_TEXT.split(after, maxsplit=1)[0])}"
    return len("".join(_FOREIGN.findall(text))) > len("".join(_LATIN.findall(text)))
