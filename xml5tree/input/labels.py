"""Labels of encodings (D-005)."""

import codecs
import re
from encodings.aliases import aliases
from functools import lru_cache
from typing import Final

#: Codecs that are no character encodings, or that hide markup in harmless bytes (D-005), by Python's names.
#: Those that Python itself does not call a text encoding (rot13, hex, base64, zip …) are refused as well.
_REFUSED: Final = frozenset(
    ("punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem", "utf-7")
)

#: Labels that Python does not know: those of the WHATWG Encoding Standard, of XML 1.0 §4.3.3, and of libiconv, which
#: libxml2 uses.
_LABELS: Final = (
    {
        "chinese": "gbk",
        "cn-big5": "big5",
        "cseuckr": "euc-kr",
        "cseucpkdfmtjapanese": "euc-jp",
        "csgb2312": "gbk",
        "cshproman8": "hp-roman8",
        "csiso88596e": "iso8859-6",
        "csiso88596i": "iso8859-6",
        "csiso88598e": "iso8859-8",
        "csiso88598i": "iso8859-8",
        "csisolatin9": "iso8859-15",
        "csksc56011987": "euc-kr",
        "csmacintosh": "mac-roman",
        "csucs4": "utf-32",
        "csunicode": "utf-16",
        "dos-874": "cp874",
        "gb_2312": "gbk",
        "gb_2312-80": "gbk",
        "iso-10646-ucs-2": "utf-16",
        "iso-10646-ucs-4": "utf-32",
        "iso-8859-6-e": "iso8859-6",
        "iso-8859-6-i": "iso8859-6",
        "iso-8859-8-e": "iso8859-8",
        "iso-8859-8-i": "iso8859-8",
        "iso-ir-149": "euc-kr",
        "koi": "koi8-r",
        "koi8": "koi8-r",
        "koi8-ru": "koi8-u",
        "ks_c_5601-1989": "euc-kr",
        "ksc_5601": "euc-kr",
        "latin-9": "iso8859-15",
        "logical": "iso8859-8",
        "mac": "mac-roman",
        "ms-ansi": "cp1252",
        "ms-arab": "cp1256",
        "ms-cyrl": "cp1251",
        "ms-ee": "cp1250",
        "ms-greek": "cp1253",
        "ms-hebr": "cp1255",
        "ms-turk": "cp1254",
        "ms_kanji": "cp932",
        "sun_eu_greek": "iso8859-7",
        "ucs-2": "utf-16",
        "ucs-4": "utf-32",
        "unicode": "utf-16",
        "unicode-1-1-utf-8": "utf-8",
        "unicode11utf8": "utf-8",
        "unicode20utf8": "utf-8",
        "unicodefeff": "utf-16",
        "unicodefffe": "utf-16-be",
        "visual": "iso8859-8",
        "winbaltrim": "cp1257",
        "windows-31j": "cp932",
        "windows-874": "cp874",
        "windows-936": "gbk",
        "windows-949": "cp949",
        "x-euc-jp": "euc-jp",
        "x-gbk": "gbk",
        "x-mac-cyrillic": "mac-cyrillic",
        "x-mac-roman": "mac-roman",
        "x-mac-ukrainian": "mac-cyrillic",
        "x-sjis": "cp932",
        "x-unicode20utf8": "utf-8",
        "x-x-big5": "big5hkscs",
    }
    | {f"x-cp{number}": f"cp{number}" for number in range(1250, 1259)}
    | {f"iso8859{part}": f"iso8859-{part}" for part in (*range(1, 12), *range(13, 17))}
)
#: What does not tell labels apart.
_IGNORED: Final = re.compile(r"[-_\s]")


def find_encoding(label: str, *, strictly: bool = False) -> str | None:
    """Return Python's name of the encoding with this label; None if unknown or refused.

    Unless `strictly`, hyphens and spaces that a label has too many or too few do not matter.
    """
    name = _find_exactly(label)
    if name is None and not strictly:
        label = _condensed_labels().get(_IGNORED.sub("", label.lower()), "")
        name = _find_exactly(label)
    return name


@lru_cache(maxsize=1)
def _condensed_labels() -> dict[str, str]:
    """Return labels by what they are without hyphens and spaces."""
    known = {_IGNORED.sub("", label): label for label in (*aliases, *aliases.values(), *_LABELS)}
    return known | {f"win{number}": f"cp{number}" for number in range(1250, 1259)}


def _find_exactly(label: str) -> str | None:
    try:
        info = codecs.lookup(_LABELS.get(label.lower(), label))
    except (LookupError, ValueError):
        return None
    if not info._is_text_encoding or info.name in _REFUSED:
        return None
    return "utf-8" if info.name == "utf-8-sig" else info.name


def check_label(label: str) -> None:
    """Raise `LookupError` if an encoding is unknown or refused."""
    if find_encoding(label) is None:
        raise LookupError(f"unknown or refused encoding: {label!r}")


def family(encoding: str) -> str:
    return encoding[:6] if encoding.startswith(("utf-16", "utf-32")) else encoding


def reads_ascii(encoding: str) -> bool:
    """Return whether an XML declaration in ASCII reads the same in an encoding."""
    return b"<?xml".decode(encoding, "replace") == "<?xml"
