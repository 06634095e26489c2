"""Hints at what well-formed documents may have, too: markers of a merge, and sections that do not end."""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable
from typing import Final

from xml5tree.errors.hints import WINDOWS_1252, Hint
from xml5tree.xml.names import EXPAT

_SECTION: Final = "<![CDATA["
_END: Final = "]]>"
#: The longest text that is kept, such as an open section, and the least.
_LONGEST: Final = 1 << 20
_REACH: Final = 1000
_MOST_IDS: Final = 100_000

#: An end of a section that is misspelt, before the end of the element.
_MISSPELT: Final = re.compile(r"(?:\]\]|\]>|\] \]>|\]\] >|\]\}>|\)\]>|\]\]&gt;)\s*</[A-Za-z_]")
_CONFLICT: Final = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?$|^={7}$", re.MULTILINE)
_ID: Final = re.compile(r"""<[^<>!?/][^<>]*?\sxml:id\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_DECLARATION: Final = re.compile(r"<\?xml\s+version\s*=")
_TAG: Final = re.compile(r"<[A-Za-z_]")

#: What is found, with the option that helps, its value, and what it does. The first place is told.
_FINDINGS: Final[dict[str, Hint]] = {
    "conflict": Hint("has the markers of a merge conflict"),
    "section": Hint("has a CDATA section with another one in it: the end of the first seems to be misspelt"),
    "declaration": Hint(
        "has an XML declaration after its first tag: it may be several documents", "roots", "all", "reads them all"
    ),
    "id": Hint("has values of xml:id that are no names, or occur twice; libxml2 refuses them"),
}

#: The characters of windows-1252 for the bytes 0x80 to 0x9F; the five undefined bytes stand for themselves.
_C1: Final = bytes(range(0x80, 0xA0)).decode("cp1252", "ignore") + "\x81\x8d\x8f\x90\x9d"
_CONTINUATION: Final = f"[{_C1}\x80-\xbf]"
#: UTF-8 of letters, punctuation, a byte order mark, U+FFFD and emoji, read as windows-1252 or ISO 8859-1.
_ENCODED: Final = re.compile(
    f"\xc3{_CONTINUATION}|\xc2[\xa0-\xbf]|\xe2[\u20ac\x80]{_CONTINUATION}|\xef\xbb\xbf|\xef\xbf\xbd"
    f"|\xf0[\u0178\x9f]{_CONTINUATION}{{2}}"
)
_ESCAPED: Final = re.compile("&amp;(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: Escaped markup, such as HTML in a feed, in which references are escaped once more.
_MARKUP: Final = re.compile("&lt;[/!]?[A-Za-z]")
#: The length of the longest match of these patterns.
_LONGEST_MATCH: Final = 40


class Doubling:
    """Looks for text that was encoded or escaped twice; it is well-formed, and not repaired."""

    def __init__(self) -> None:
        self._kept = ""  # the end of the text searched so far
        self._encoded = self._escaped = 0  # how many there are
        self._first_encoded = self._first_escaped = ""
        self._has_markup = False

    def take(self, text: str) -> None:
        before, text = len(self._kept), self._kept + text
        self._kept = text[-_LONGEST_MATCH:]
        if not text.isascii():
            number, first = _count(_ENCODED, text, before)
            self._encoded += number
            self._first_encoded = self._first_encoded or first
        if "&amp;" in text:
            number, first = _count(_ESCAPED, text, before)
            self._escaped += number
            self._first_escaped = self._first_escaped or first
        self._has_markup = self._has_markup or ("&lt;" in text and _MARKUP.search(text) is not None)

    def hints(self, encoding: str) -> tuple[Hint, ...]:
        hints: tuple[Hint, ...] = ()
        if self._encoded:
            codecs = ("latin-1" if character < "\u0100" else "cp1252" for character in self._first_encoded)
            data = b"".join(map(str.encode, self._first_encoded, codecs))
            meant = data.decode("utf-8", "replace")
            if encoding in {"cp1252", "iso8859-1"}:
                finding = f"has UTF-8 that was read as another encoding: {self._first_encoded!r}, perhaps for {meant!r}"
                hints += (Hint(finding + _and_more(self._encoded), "encoding", "utf-8", "reads it as such"),)
            else:
                finding = f"has text that seems to be encoded twice: {self._first_encoded!r}, perhaps for {meant!r}"
                hints += (Hint(finding + _and_more(self._encoded)),)
        if self._escaped and not self._has_markup:
            finding = f"has text that seems to be escaped twice: {self._first_escaped!r}"
            hints += (Hint(finding + _and_more(self._escaped)),)
        return hints


def _count(pattern: re.Pattern[str], text: str, before: int) -> tuple[int, str]:
    """Return the number of matches that end after `before`, and the first match."""
    number, first = 0, ""
    for found in pattern.finditer(text):
        if found.end() > before:
            number += 1
            first = first or found[0]
    return number, first


def _and_more(number: int) -> str:
    return f", and {number - 1:,} more" if number > 1 else ""


class Suspicions:
    """Looks through a document that comes in parts."""

    def __init__(self) -> None:
        self._doubling = Doubling()
        self._sample = Sample()
        self._found: dict[str, int] = {}  # what was found, and the line of the first
        self._kept = ""  # the end of the text so far: an open section, or what markup may begin in
        self._line = 1  # where that begins
        self._markers = ""  # the kinds of markers that came one after the other
        self._conflict = 0  # the line of the first of them
        self._ids: set[str] = set()
        self._has_tag = False

    def take(self, text: str, octets: bytes, *, final: bool = False) -> None:
        """Take the next octets, and the characters that came out."""
        self._doubling.take(text)
        self._sample.take(octets)
        text = self._kept + text
        place, begin = 0, text.find(_SECTION)
        while begin >= 0 and (end := text.find(_END, begin)) >= 0:
            self._look(text, place, begin)
            inner = text.find(_SECTION, begin + 1, end)
            if inner >= 0 and _MISSPELT.search(text, begin, inner):
                self._note("section", text, begin)
            place = end + len(_END)
            begin = text.find(_SECTION, place)
        stop = len(text) if begin < 0 else begin
        if not final:  # whole lines, of which tags are whole, mostly
            stop = text.rfind("\n", place, max(stop - _REACH, place)) + 1 or place
        if len(text) - stop > _LONGEST:
            stop = len(text)
        self._look(text, place, stop)
        self._line += text.count("\n", 0, stop)
        self._kept = text[stop:]

    def _look(self, text: str, begin: int, end: int) -> None:
        """Look at text outside sections."""
        part = text[begin:end]
        if "<<<<<<<" in part or "=======" in part or ">>>>>>>" in part:
            for marker in _CONFLICT.finditer(part):
                if marker[0][0] == "<":
                    self._markers, self._conflict = "", self._line + text.count("\n", 0, begin + marker.start())
                self._markers = (self._markers + marker[0][0])[:5]
                if self._markers in {"<=>", "<|=>"}:
                    self._found.setdefault("conflict", self._conflict)
        if "xml:id" in part:
            for found in _ID.finditer(part):
                value = (found[1] or found[2] or "").strip("\t\n\r ")
                if value in self._ids or not EXPAT.is_ncname(value):
                    self._note("id", text, begin + found.start())
                elif len(self._ids) < _MOST_IDS:
                    self._ids.add(value)
        if "<?xml" in part:
            for found in _DECLARATION.finditer(part):
                if self._has_tag or _TAG.search(part, 0, found.start()):
                    self._note("declaration", text, begin + found.start())
        self._has_tag = self._has_tag or _TAG.search(part) is not None

    def _note(self, kind: str, text: str, place: int) -> None:
        if kind not in self._found:
            self._found[kind] = self._line + text.count("\n", 0, place)

    def hints(self, known: tuple[Hint, ...], encoding: str) -> tuple[Hint, ...]:
        """Return the hints, and those that are known already, unless others contradict them.

        `encoding` is that of the document; "" for one of text.
        """
        doubled = self._doubling.hints(encoding)
        certain = ""
        if encoding == "utf-8":
            certain = self._sample.encoding()
        elif self._sample.is_utf8 and not (doubled or encoding.startswith("utf") or not encoding):
            certain = "utf-8"
        if certain:
            known = (
                *(hint for hint in known if hint != WINDOWS_1252),
                Hint(f"has bytes that seem to be {certain}, not {encoding}", "encoding", certain, "reads them so"),
            )
        found = [
            hint._replace(finding=f"{hint.finding}, in line {self._found[kind]}")
            for kind, hint in _FINDINGS.items()
            if kind in self._found
        ]
        return (*known, *doubled, *found)


# Encodings of bytes that declare none.

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
