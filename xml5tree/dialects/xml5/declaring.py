"""Declarations that a document lacks, on its root element: what its author meant, besides the structure."""

import re
from bisect import insort
from collections.abc import Iterable, Mapping
from typing import Final

from xml5tree.intent.assumption import Assumption, Meaning, SourceEdit
from xml5tree.intent.names import is_xmlns
from xml5tree.options import Settings
from xml5tree.tree.namespaces import UNDECLARED, split_name
from xml5tree.xml.names import EXPAT
from xml5tree.xml.prefixes import FAMILIES
from xml5tree.xml.uris import percent_encode
from xml5tree.xml.vocabulary import Vocabulary

#: Characters at the beginning of a document in which prefixes are looked for.
SEEN: Final = 32_768
#: The most prefixes that are declared on the root, and characters of a prefix and its namespace name.
_MOST: Final = 64
_LONGEST: Final = 128
#: How many prefixes may be looked for one by one in each tag.
_FEW: Final = 4

_CODE: Final = "undeclared-namespace-prefix"
_SKIPPED: Final = r"<!--(?s:.*?)(?:-->|\Z)|<\?(?s:.*?)(?:\?>|\Z)"
_NAME: Final = r"""[^\t\n\r /<>="'!?&]++"""
_VALUE: Final = r"""(?:"[^"]*+"|'[^']*+'|[^\t\n\r <>"']++)"""
_ATTRIBUTE: Final = rf"[\t\n\r ]*+({_NAME})(?>[\t\n\r ]*+=[\t\n\r ]*+{_VALUE})?+"
_ATTRIBUTES: Final = re.compile(_ATTRIBUTE)
_TAG: Final = re.compile(
    rf"{_SKIPPED}|<!\[CDATA\[(?s:.*?)(?:\]\]>|\Z)"
    rf"|<(?P<name>{_NAME})(?P<rest>(?>{_ATTRIBUTE.replace('(', '(?:', 1)})*+)[\t\n\r ]*+/?>"
)
_DOCTYPE: Final = (
    r"""<!DOCTYPE(?>[^\[<>"']++|"[^"]*+"|'[^']*+')*+"""
    rf"""(?>\[(?>[^\]"'<]++|"[^"]*+"|'[^']*+'|{_SKIPPED}|<)*+\][\t\n\r ]*+)?+>"""
)
_PROLOG: Final = rf"(?>[^<]++|{_SKIPPED}|{_DOCTYPE}|</[^<>]*+>)*+(?P<tag><)"
_AFTER_NAME: Final = "(?=[\t\n\r />])"
_ROOT: Final = re.compile(_PROLOG + _NAME + _AFTER_NAME)
#: A prefix that may be in a tag, in text whose characters come in reverse, so that a colon is looked for first.
_PREFIX: Final = re.compile(r""":([\w.-]*+)(?<=[^\W\d])(?=<|[\t\n\r ](?![^<>"']{0,256}+>))""")
_DECLARED: Final = re.compile(f"xmlns:({_NAME})")


class DeclaringMeaning:
    """A meaning that also declares, on the root element, the prefixes that the document declares nowhere.

    It declares those that are used near the root. The draft binds others where they are used.
    """

    def __init__(self, meaning: Meaning, settings: Settings) -> None:
        self.settled = 0
        self.knowledge = meaning.knowledge
        self._meaning = meaning
        self._settings = settings
        self._head = ""  # the beginning of the document
        self._edits: list[SourceEdit] = []  # those that are held back
        self._missing: dict[str, str] | None = None  # the declarations that are missing, once that is known
        self._is_done = False

    @property
    def doubt(self) -> float:
        return self._meaning.doubt

    def feed(self, text: str, utf8: bytes, *, final: bool) -> list[SourceEdit]:
        """See `Meaning`."""
        edits = self._meaning.feed(text, utf8, final=final)
        settled = self._meaning.settled
        if self._is_done:
            self.settled = settled
            return edits
        head = self._head = self._head + text[: SEEN - len(self._head)]
        self._edits += edits
        if len(head) < SEEN and not final:
            return []
        if self._missing is None:
            self._missing = _find_missing(head, self._settings)
        is_settled = not self._missing or _declare(self._missing, self._edits, head, settled, self._settings)
        if not is_settled and settled < SEEN and not final:
            return []
        self._is_done = True
        self.settled = settled
        self._head = ""
        return self._edits


def declare_in_whole(text: str, edits: list[SourceEdit], settings: Settings) -> None:
    """Add what is missing to the edits of a whole document."""
    head = text[:SEEN]
    if missing := _find_missing(head, settings):
        _declare(missing, edits, head, len(text), settings)


def _root_of(settings: Settings) -> re.Pattern[str]:
    if not settings.root_names:
        return _ROOT
    name = Vocabulary(settings.root_names).pattern + _AFTER_NAME
    return re.compile(f"(?>[^<]++|<(?!{name}))*+(?P<tag><){name}")


def _find_missing(head: str, settings: Settings) -> dict[str, str]:
    """Return prefixes that names in the beginning of a document have, and their namespace names."""
    if ":" not in head:
        return {}
    names = {name[::-1] for name in {*_PREFIX.findall(head[::-1])}}
    may_be = names.difference(_DECLARED.findall(head), ("xml", "xmlns"))
    root = _root_of(settings).match(head) if may_be else None
    signs = [f"{prefix}:" for prefix in may_be] if len(may_be) <= _FEW else [":"]
    used: dict[str, None] = {}
    for tag in _TAG.finditer(head, root.start("tag")) if root else ():
        if tag["name"] and [sign for sign in signs if sign in tag[0]]:
            used |= dict.fromkeys(split_name(name)[0] for name in (tag["name"], *_ATTRIBUTES.findall(tag["rest"])))
            if may_be <= used.keys():
                break
    missing = [prefix for prefix in used if prefix in may_be and EXPAT.is_ncname(prefix) and not is_xmlns(prefix)]
    found = ((prefix, _namespace(prefix, settings)) for prefix in missing[:_MOST])
    return {prefix: uri for prefix, uri in found if uri}


def _namespace(prefix: str, settings: Settings) -> str | None:
    """Return what the draft binds a prefix to, wherever that is (D-116); None if that depends on more."""
    given = settings.namespaces
    if prefix in FAMILIES and not (isinstance(given, Mapping) and prefix in given):
        return None
    uri = settings.known_prefixes.get(prefix, UNDECLARED + prefix)
    is_plain = percent_encode(uri) == uri and "&" not in uri and len(prefix) + len(uri) <= _LONGEST
    return uri if is_plain else None


def _declare(missing: Mapping[str, str], edits: list[SourceEdit], head: str, settled: int, settings: Settings) -> bool:
    """Add the missing declarations to the start tag of the root; return whether that is settled."""
    place = 0
    read: list[tuple[str, int, int]] = []  # a text, where it begins in the source, and the index of its edit or -1
    for index, edit in enumerate(edits):
        read += ((head[place : edit.begin], place, -1), (edit.instead, edit.begin, index))
        place = edit.end
    read.append((head[place:settled], place, -1))
    root = _root_of(settings).match("".join([text for text, _, _ in read]))
    if root is None:
        return False
    _, begin, _ = _find(read, root.start("tag"))
    at, place, index = _find(read, root.end())
    declared = {prefix for edit in edits for prefix in _DECLARED.findall(edit.instead)}
    declarations = [(prefix, uri) for prefix, uri in missing.items() if prefix not in declared]
    if not declarations:
        return True
    markup = "".join([f' xmlns:{prefix}="{uri}"' for prefix, uri in declarations])
    assumptions = tuple([Assumption(_CODE, begin, prefix, more=(uri,)) for prefix, uri in declarations])
    if index < 0:
        insort(edits, SourceEdit(place, place, markup, assumptions))
    else:
        edit = edits[index]
        instead = edit.instead[:at] + markup + edit.instead[at:]
        edits[index] = edit._replace(instead=instead, assumptions=(*edit.assumptions, *assumptions))
    return True


def _find(read: Iterable[tuple[str, int, int]], offset: int) -> tuple[int, int, int]:
    """Return an offset of what is read in its text, in the source, and the index of the edit that it is in or at."""
    found = (0, 0, -1)
    for text, place, index in read:
        if 0 <= offset <= len(text) and (index >= 0 or found[2] < 0):
            found = (offset, place if index >= 0 else place + offset, index)
        offset -= len(text)
    return found
