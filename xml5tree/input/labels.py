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

#: By Python's names of encodings, labels that Python does not know: those of the WHATWG Encoding Standard, of XML 1.0
#: §4.3.3, and of libiconv, which libxml2 uses.
_BY_NAME: Final = {
    "big5": "cn-big5",
    "big5hkscs": "x-x-big5",
    "cp1250": "ms-ee",
    "cp1251": "ms-cyrl",
    "cp1252": "ms-ansi",
    "cp1253": "ms-greek",
    "cp1254": "ms-turk",
    "cp1255": "ms-hebr",
    "cp1256": "ms-arab",
    "cp1257": "winbaltrim",
    "cp874": "dos-874 windows-874",
    "cp932": "ms_kanji windows-31j x-sjis",
    "cp949": "windows-949",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "euc-kr": "cseuckr csksc56011987 iso-ir-149 ks_c_5601-1989 ksc_5601",
    "gbk": "chinese csgb2312 gb_2312 gb_2312-80 windows-936 x-gbk",
    "hp-roman8": "cshproman8",
    "iso8859-15": "csisolatin9 latin-9",
    "iso8859-6": "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i",
    "iso8859-7": "sun_eu_greek",
    "iso8859-8": "csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i logical visual",
    "koi8-r": "koi koi8",
    "koi8-u": "koi8-ru",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "mac-roman": "csmacintosh mac x-mac-roman",
    "utf-16": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff",
    "utf-16-be": "unicodefffe",
    "utf-32": "csucs4 iso-10646-ucs-4 ucs-4",
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
}
_LABELS: Final = (
    {label: name for name, labels in _BY_NAME.items() for label in labels.split()}
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
