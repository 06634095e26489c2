"""The clean lane: stretches of the document that are beyond doubt free of errors are written as they stand.

The states alone define behaviour. Whatever the lane takes, they would write just so, without an error; at the least
doubt it takes nothing. It can be switched off, and tests hold the two ways equal. It works where an element is open,
and knows these constructs: whole elements without child elements, start, end and empty tags, comments, CDATA sections
and processing instructions, each with the text before it.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from xml5tree.treebuilder import TreeBuilder

__all__ = ["CleanLane"]

# Possessive repetitions throughout, so that a failure costs no second try; but none around a capturing group, for which
# CPython 3.11 has a fault ("SystemError: The span of capturing group is wrong").
_S: Final = "[ \t\n]"
_LOCAL: Final = r"[A-Za-z_][A-Za-z0-9_.\-]*+"
_BAD: Final = "\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff"
#: References that mean the same to every parser; the numeric ones are not all, but surely of allowed characters.
_REFERENCE: Final = (
    "&(?:amp|lt|gt|quot|apos|#(?:3[2-9]|[4-9][0-9]|[1-9][0-9]{2,3})"
    "|#x(?:[2-9a-fA-F][0-9a-fA-F]|[1-9a-fA-F][0-9a-fA-F]{2}|[1-9a-cA-C][0-9a-fA-F]{3}));"
)
_TEXT: Final = rf"[^<&\]{_BAD}]*+(?:(?:{_REFERENCE}|\](?!\]>))[^<&\]{_BAD}]*+)*+"
_VALUE: Final = (
    f"(?:\"[^<&\"{_BAD}]*+(?:{_REFERENCE}[^<&\"{_BAD}]*+)*+\"|'[^<&'{_BAD}]*+(?:{_REFERENCE}[^<&'{_BAD}]*+)*+')"
)
_COMMENT: Final = rf"!--(?!-?>)[^\-{_BAD}]*+(?:-(?!-)[^\-{_BAD}]*+)*+-->"
_CDATA: Final = rf"!\[CDATA\[(?!\]\]>)[^\]{_BAD}]*+(?:\](?!\]>)[^\]{_BAD}]*+)*+\]\]>"
_PI: Final = rf"\?(?![xX][mM][lL][ \t\n?]){_LOCAL}(?:{_S}[^?{_BAD}]*+(?:\?(?!>)[^?{_BAD}]*+)*+)?+\?>"

#: White space in the attributes of a tag that may be in a value, at an end or more than one character.
_MAY_COLLAPSE: Final = re.compile(r"""=[ \t\n]*["'][ \t\n]|[ \t\n]["']|[ \t\n]{2}|&#""")

#: Sets of patterns that one document can have compiled; each takes some 10 ms.
_MOST_PATTERNS: Final = 20
#: Elements with attribute declarations that the patterns can name.
_MOST_DECLARED: Final = 200


class _Patterns(NamedTuple):
    """What the lane looks for, given the names that are good here: methods of compiled patterns.

    Attributes:
        match_run: any number of constructs that leave the open elements as they are.
        match_tag: a start tag (groups: name, attributes, ``/`` of an empty tag), or an end tag (fourth group: name),
            and such a run behind it.
        find_names: the names among the attributes of a tag.
    """

    match_run: Callable[[str, int], re.Match[str] | None]
    match_tag: Callable[[str, int], re.Match[str] | None]
    find_names: Callable[[str], list[str]]


@lru_cache(maxsize=64)
def _compile(prefixes: frozenset[str], with_defaults: frozenset[str], with_tokens: frozenset[str]) -> _Patterns:
    """Patterns for the prefixes that are in scope.

    Elements with attribute defaults are left to the states; those with attributes in which white space is collapsed
    are found by `match_tag` only.
    """
    name = f"(?:(?:{_any_of(prefixes)}):)?+{_LOCAL}"
    element = f"(?!(?:{_any_of(with_defaults)})[ \t\n/>]){name}"
    simple_element = f"(?!(?:{_any_of(with_defaults | with_tokens)})[ \t\n/>]){name}"
    attribute = f"(?!xmlns[ \t\n=]){name}"
    equals = f"{_S}*+={_S}*+"
    # Up to three attributes of different names; tags with more are looked at one by one.
    attributes = (
        rf"(?:{_S}++(?P<first>{attribute}){equals}{_VALUE}"
        rf"(?:{_S}++(?!(?P=first)[ \t\n=])(?P<second>{attribute}){equals}{_VALUE}"
        rf"(?:{_S}++(?!(?:(?P=first)|(?P=second))[ \t\n=]){attribute}{equals}{_VALUE})?)?)?"
    )
    leaf = rf"(?P<leaf>{simple_element}){attributes}{_S}*+(?:/>|>{_TEXT}</(?P=leaf){_S}*+>)"
    run = f"(?:{_TEXT}<(?:{leaf}|{_COMMENT}|{_CDATA}|{_PI}))*"
    tag = f"{_TEXT}<(?:({element})((?:{_S}++{attribute}{equals}{_VALUE})*+){_S}*+(/?)>|/({name}){_S}*+>)"
    return _Patterns(
        re.compile(run).match, re.compile(tag + run).match, re.compile(f"{_S}({name}){equals}{_VALUE}").findall
    )


def _any_of(names: frozenset[str]) -> str:
    """The pattern of any of some names; of nothing if there are none."""
    return "|".join(map(re.escape, sorted(names))) or "(?!)"


class CleanLane:
    """The lane of one document."""

    def __init__(self, builder: TreeBuilder) -> None:
        self._builder = builder
        self._version = -1  # of the namespaces in scope that the patterns are for
        self._patterns: _Patterns | None = None
        self._compiled: set[frozenset[str]] = set()

    def take(self, text: str, start: int) -> int:
        """Take what is clean in `text`, which is in the data state at `start`; where that ends."""
        builder = self._builder
        if not builder.may_take_clean_stretch():
            return start
        version = builder.namespaces.version
        if version != self._version:
            self._version = version
            self._patterns = self._find_patterns()
        if self._patterns is None:
            return start
        match_run, match_tag, find_names = self._patterns
        end = match_run(text, start).end()  # type: ignore[union-attr]  # it matches the empty string
        while tag := match_tag(text, end):
            name, attributes, empty, closed = tag.group(1, 2, 3, 4)
            if closed is not None:
                if not builder.leave_clean_element(closed):
                    break
            else:
                if attributes:
                    names = find_names(attributes)
                    if len(names) > 1 and len(set(names)) < len(names):
                        break
                    if name in builder.with_tokens and _MAY_COLLAPSE.search(attributes):
                        break
                if not empty and not builder.enter_clean_element(name):
                    break
            end = tag.end()
        if end > start:
            builder.append_clean_stretch(text[start:end])
        return end

    def _find_patterns(self) -> _Patterns | None:
        """The patterns for the names that are good here; None where the lane is closed."""
        builder = self._builder
        prefixes = builder.namespaces.clean_prefixes()
        if prefixes is None or len(builder.with_defaults) + len(builder.with_tokens) > _MOST_DECLARED:
            return None
        if prefixes not in self._compiled:
            if len(self._compiled) >= _MOST_PATTERNS:
                return None
            self._compiled.add(prefixes)
        return _compile(prefixes, builder.with_defaults, builder.with_tokens)
