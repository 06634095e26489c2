"""The XML declaration, however broken (D-013 to D-016)."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

_S = r"[\t\n\r ]"
_LEADING_SPACE: Final = re.compile(f"{_S}*")
_NOT_SPACE: Final = re.compile(r"[^\t\n\r ]")
_END: Final = re.compile("[<>]")
_WELL_FORMED: Final = re.compile(
    rf"""{_S}+version{_S}*={_S}*(?:"1\.[0-9]+"|'1\.[0-9]+')"""
    rf"""(?:{_S}+encoding{_S}*={_S}*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?"""
    rf"""(?:{_S}+standalone{_S}*={_S}*(?:"(?:yes|no)"|'(?:yes|no)'))?{_S}*"""
)
#: A declaration as nearly all documents have it.
_PLAIN: Final = re.compile(
    r"""<\?xml[ ]version=(?:"1\.[0-9]"|'1\.[0-9]')"""
    r"""(?:[ ]encoding=(?:"[A-Za-z][A-Za-z0-9._-]{0,39}"|'[A-Za-z][A-Za-z0-9._-]{0,39}'))?"""
    r"""(?:[ ]standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?[ ]?\?>"""
)
_ITEM: Final = re.compile(rf"""(version|encoding|standalone){_S}*={_S}*(?:"([^"]*)"|'([^']*)'|([^\t\n\r "'?]+))""")
#: Quotes of any kind, escaped ones and those that are not ASCII included. They may be missing, doubled or different.
_QUOTES: Final = r"""(?:["'`\\\t\n\r ]|[^\0-\x7f]|&(?:quot|apos|#(?:34|39|x22|x27));)*"""
#: The label of an encoding wherever it can be read: in any case, as a charset, in whatever quotes.
LABEL: Final = (
    rf"(?:[Ee][Nn][Cc][Oo][Dd][Ii][Nn][Gg]|[Cc][Hh][Aa][Rr][Ss][Ee][Tt]){_S}*={_QUOTES}"
    r"(?P<label>[A-Za-z][A-Za-z0-9._:-]*(?: [0-9][A-Za-z0-9._:-]*)*)"
)
_ANY_LABEL: Final = re.compile(LABEL)
#: What is no XML declaration, but was meant as one: misspelt, or in a comment.
_MISSPELT: Final = re.compile(
    rf"<?{_S}*\?{_S}*(?:[Pp][Hh][Pp])?[Xx][Mm][Ll](?={_S}|[Vv][Ee][Rr][Ss][Ii][Oo][Nn]|[Ee][Nn][Cc][Oo][Dd][Ii][Nn][Gg])"
    rf"[^<>]*?{LABEL}"
)
#: A comment, a processing instruction or the like that begins a document, and what certainly begins none of these.
_FIRST_SECTION: Final = re.compile(rf"(?s){_S}*+<(?:!--.*?--|{_S}*\?[^<>]*+)>")
_NO_SECTION: Final = re.compile(rf"{_S}*+(?:[^<]|<[^!?\t\n\r ]|<![^-]|<{_S}++[^?]|<!-[^-]|<{_S}*\?[^>]*<)")
#: How many characters of a document may hold a misspelt declaration.
_MISSPELT_REACH: Final = 1024
#: An item of whatever name, whole or cut off.
_ANY_ITEM: Final = re.compile(rf"""(?<![A-Za-z])[A-Za-z]++{_S}*+={_S}*+(?:"[^"]*"?|'[^']*'?|[^\t\n\r "']*)""")
_WORDS: Final = re.compile(r"\w+")
_VALUES: Final = {
    "version": re.compile(r"1\.[0-9]+"),
    "encoding": re.compile(r"[A-Za-z][A-Za-z0-9._-]*"),
    "standalone": re.compile("yes|no"),
}


class XMLDeclaration(NamedTuple):
    """An XML declaration, as far as it can be recognised."""

    start: int  # where ``<?xml`` begins; white space before it is an error
    end: int  # where the document goes on
    #: The values; None where missing or not allowed.
    version: str | None
    encoding: str | None
    standalone: str | None
    problems: tuple[tuple[str, int, str], ...]  # code, place and detail of each error
    source: str  # the declaration as it stands in the document
    line_breaks: int  # number of line breaks up to `end`
    has_words: bool  # whether it is not closed, and has swallowed other words

    def written(self, encoding: str | None, *, needs_encoding: bool = False) -> str:
        """Return the declaration for markup in an encoding, None for text, with as many line breaks as the document's.

        An encoding that the document does not declare is named only if it `needs_encoding`.
        """
        if not (self.encoding or needs_encoding):
            encoding = None
        if not self.problems and (self.encoding or "").lower() == (encoding or "").lower():
            return self.source
        items = f'version="{self.version or "1.0"}"'
        if encoding:
            items += f' encoding="{encoding}"'
        if self.standalone:
            items += f' standalone="{self.standalone}"'
        line_breaks = "\n" * self.line_breaks
        return f"<?xml {items}{line_breaks}?>"


def find_declaration(text: str, final: bool) -> XMLDeclaration | re.Pattern[str] | None:
    """Return the declaration that begins a document, or None; or a pattern of text to wait for before the next call."""
    plain = _PLAIN.match(text)
    return _find(text, final) if plain is None else _find_plain(plain[0])


@lru_cache(maxsize=64)
def _find_plain(source: str) -> XMLDeclaration | re.Pattern[str] | None:
    """Return as `find_declaration` for a plain declaration: most documents share a few."""
    return _find(source, final=True)


def _find(text: str, final: bool) -> XMLDeclaration | re.Pattern[str] | None:
    leading = _LEADING_SPACE.match(text)
    assert leading is not None  # it matches the empty string
    start = leading.end()
    opening = text[start : start + 6]
    if not final and len(opening) < 6 and "<?xml".startswith(opening[:5]):
        return re.compile(r"(?s:.)") if opening else _NOT_SPACE
    if opening[:5] != "<?xml" or opening[5:] not in {"\t", "\n", "\r", " ", "?", ">"}:
        return None
    closing = _END.search(text, start + 5)
    if closing is None and not final:
        return _END
    problems = []
    is_closed = True
    if start:
        problems.append(("misplaced-xml-declaration", start, "it was read all the same"))
    body_end = end = closing.start() if closing else len(text)
    if closing is None:
        problems.append(("eof-in-xml-declaration", end, ""))
        is_closed = False
    elif closing[0] == "<" or text[end - 1] != "?":
        problems.append(("abrupt-closing-xml-declaration", end, ""))
        is_closed = False
    else:
        body_end -= 1
    if closing is not None and closing[0] == ">":
        end += 1
    body = text[start + 5 : body_end]
    found: dict[str, str] = {}
    for item in _ITEM.finditer(body):
        name, *values = item.groups()
        value = next(value for value in values if value is not None)
        if name not in found and _VALUES[name].fullmatch(value):
            found[name] = value
    if "encoding" not in found and (label := _ANY_LABEL.search(body)):
        found["encoding"] = label["label"]
    if closing is not None and not _WELL_FORMED.fullmatch(body):
        problems.append(("invalid-xml-declaration", start, _complaint(body, found)))
    return XMLDeclaration(
        start,
        end,
        found.get("version"),
        found.get("encoding"),
        found.get("standalone"),
        tuple(problems),
        text[start:end],
        text.count("\n", 0, end),
        not is_closed and _has_words(body),
    )


def find_misspelt_label(head: str, final: bool) -> tuple[str, int] | int | None:
    """Find what was meant as a declaration at the beginning of a document that has none.

    Returns:
        The label in it and its place; None if there is none; or how many characters are needed, if no ">" comes before.
    """
    section = _FIRST_SECTION.match(head, 0, _MISSPELT_REACH)
    if section is None:
        return None if final or len(head) >= _MISSPELT_REACH or _NO_SECTION.match(head) else _MISSPELT_REACH
    found = _MISSPELT.search(section[0])
    return (found["label"], found.start()) if found else None


def _has_words(body: str) -> bool:
    """Return whether words are no items; the last may be the beginning of an item's name."""
    words = _WORDS.findall(_ANY_ITEM.sub(" ", body))
    if words and any(name.startswith(words[-1]) for name in _VALUES):
        words.pop()
    return bool(words)


def _complaint(body: str, found: dict[str, str]) -> str:
    if "version" not in found:
        return "no version 1.x; read as 1.0"
    for name in ("encoding", "standalone"):
        if name in body and name not in found:
            return f"{name} is not understood and was ignored"
    return "order, quotes or spaces are wrong; what could be recognised was used"
