"""Tells the encoding of bytes that declare none, where it is certain."""

import re
from collections.abc import Callable
from typing import Final

#: The most bytes that are looked at, and the least characters beyond ASCII that make an encoding certain.
_MOST: Final = 1 << 16
_LEAST: Final = 30
_LEAST_OF_UTF8: Final = 8

_KANA: Final = "\u3041-\u3096\u30a1-\u30fa"
_CYRILLIC: Final = re.compile("[а-яё]{3,}|[А-ЯЁ][а-яё]{2,}")
_HEBREW_WORD: Final = re.compile("[א-ת]+")
_FINALS: Final = frozenset("ךםןףץ")
_THAI: Final = re.compile("(?<=[ก-ฮ])[ัิ-ฺ็]|(?<=[ก-ฮัิ-ู])[่-์]|[เ-ไ](?=[ก-ฮ])")
_THAI_MARK: Final = re.compile("[ัิ-ฺ็-์เ-ไ]")


def _share(text: str, characters: str) -> float:
    """Return how many of the characters beyond ASCII are among some."""
    others = re.findall(r"[^\x00-\x7f]", text)
    return sum(map(len, re.findall(f"[{characters}]+", text))) / len(others)


def _is_russian(text: str) -> bool:
    """Return whether words are in lower case, and have the letters that most words have."""
    letters = re.findall("[А-яЁё]", text)
    words = "".join(_CYRILLIC.findall(text))
    common = sum(map(words.count, "оеаинт"))
    odd = len(re.findall("[а-яё][А-ЯЁ]", text))
    return len(words) > 0.9 * len(letters) > 100 * odd and common > 0.35 * len(words) and _share(text, "А-яЁё") > 0.9


def _is_hebrew(text: str) -> bool:
    """Return whether words are of Hebrew letters, with final forms at their ends only."""
    words = _HEBREW_WORD.findall(text)
    finals = sum(word[-1] in _FINALS for word in words)
    inside = sum(letter in _FINALS for word in words for letter in word[:-1])
    return (
        finals > 2
        and inside * 20 <= finals
        and len(words) * 2 < sum(map(len, words)) > 0
        and _share(text, "א-ת") > 0.95
    )


def _is_thai(text: str) -> bool:
    marks = len(_THAI_MARK.findall(text))
    return _share(text, "ก-๛") > 0.99 and marks > 5 and len(_THAI.findall(text)) > 0.98 * marks


def _is_japanese(text: str) -> bool:
    return (
        _share(text, _KANA) > 0.2
        and _share(text, f"{_KANA}\u3000-\u3040\u30fb-\u30ff\u4e00-\u9fff\uff01-\uff5e") > 0.97
    )


def _is_chinese(encoding: str, first: bytes, last: bytes) -> Callable[[str], bool]:
    """Return what tells whether a text has mostly the usual characters of an encoding, between two bytes."""

    def is_usual(text: str) -> bool:
        octets = [character.encode(encoding) for character in re.findall("[\u4e00-\u9fff]", text)]
        usual = [octet for octet in octets if first <= octet[:1] <= last]
        above = sum(octet[:1] > b"\xc8" for octet in usual)  # where EUC-KR has no syllables
        return (
            len(usual) > 0.95 * len(octets)
            and (encoding != "gb2312" or above > 0.1 * len(usual))
            and _share(text, "\u3000-\u303f\u4e00-\u9fff\uff00-\uffef") > 0.97
        )

    return is_usual


#: The encodings, in this order, with what tells whether a text that was decoded so is one.
_TABLE: Final[tuple[tuple[str, Callable[[str], bool]], ...]] = (
    ("shift_jis", _is_japanese),
    ("euc_jp", _is_japanese),
    ("euc_kr", lambda text: _share(text, "가-힣") > 0.95),
    ("gb2312", _is_chinese("gb2312", b"\xb0", b"\xd7")),
    ("big5", _is_chinese("big5", b"\xa4", b"\xc6")),
    ("tis_620", _is_thai),
    ("windows-1255", _is_hebrew),
    ("koi8-r", _is_russian),
    ("windows-1251", _is_russian),
)


def certain_encoding(octets: bytes) -> str:
    """Return the encoding of text whose bytes are not UTF-8, or "" if it is not certain."""
    if len(octets) - len(octets.translate(None, bytes(range(0x80, 0x100)))) < _LEAST:
        return ""
    found = [encoding for encoding, is_one in _TABLE if (text := _decoded(octets, encoding)) and is_one(text)]
    return found[0] if len(found) == 1 else ""


def _decoded(octets: bytes, encoding: str) -> str:
    try:
        return octets.decode(encoding)
    except UnicodeDecodeError:
        return ""


class Sample:
    """The beginning of a document in bytes, and whether all of it is UTF-8."""

    def __init__(self) -> None:
        from codecs import getincrementaldecoder

        self._octets = b""
        self._decoder = getincrementaldecoder("utf-8")()
        self._is_utf8 = True
        self._others = 0  # characters beyond ASCII, if it is

    def take(self, octets: bytes) -> None:
        self._octets += octets[: _MOST - len(self._octets)]
        if self._is_utf8 and not octets.isascii():
            try:
                text = self._decoder.decode(octets)
            except UnicodeDecodeError:
                self._is_utf8 = False
            else:
                self._others += len(text.encode()) - len(text)

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes are certainly UTF-8: they have characters beyond ASCII, and no error."""
        return self._is_utf8 and self._others > _LEAST_OF_UTF8

    def encoding(self) -> str:
        """Return the encoding of the bytes if they are not UTF-8, "" if that is not certain."""
        if self._is_utf8:
            return ""
        end = max(self._octets.rfind(b">"), self._octets.rfind(b" ")) + 1  # no character is cut
        return certain_encoding(self._octets[:end])
