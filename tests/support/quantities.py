"""Documents in which two quantities grow at once, such as the length of a namespace name and the number of its uses.

Each quantity makes a part of a document. Any two of them can stand in one document, where they meet if they can: all
parts speak of the same names. These are the root element ``r``, elements ``e``, their attributes ``a`` and ``b``, open
elements ``d``, the prefixes ``p`` and ``1``, and the entities ``x``.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

__all__ = ["LONG_OR_MANY", "USES", "Part", "document"]


#: How many characters weigh as much as one element.
_CHARACTERS: Final = 450


class Part(NamedTuple):
    """What one quantity contributes to a document.

    Attributes:
        subset: declarations in the DOCTYPE.
        root: attributes of the root element.
        content: content of the root element.
    """

    subset: str = ""
    root: str = ""
    content: str = ""


def document(*parts: Part) -> str:
    """The document of some parts. Their content comes in their order; the elements are not closed."""
    subset, root, content = map("".join, zip(*parts, strict=True))
    return f"<!DOCTYPE r [{subset}]><r{root}>{content}&"


def _subset(before: str, repeated: str, after: str = "") -> Callable[[int], Part]:
    return lambda n: Part(subset=_many(before, repeated, after, n))


def _root(before: str, repeated: str, after: str = "") -> Callable[[int], Part]:
    return lambda n: Part(root=_many(before, repeated, after, n))


def _content(before: str, repeated: str, after: str = "") -> Callable[[int], Part]:
    return lambda n: Part(content=_many(before, repeated, after, n))


def _many(before: str, repeated: str, after: str, n: int) -> str:
    """Put texts around many of one; each has its number in the place of ``#``."""
    middle = "".join([repeated.replace("#", str(number)) for number in range(n)]) if "#" in repeated else repeated * n
    return before + middle + after


def _long(make: Callable[[int], Part]) -> Callable[[int], Part]:
    """Make a quantity of characters, which cost little each, out of so many more of them."""
    return lambda n: make(_CHARACTERS * n)


def _hidden(n: int) -> Part:
    """A namespace name whose prefix is replaced by one that an element in the root element declares."""
    return Part(root=f" xmlns:1='{'u' * n}'", content="<ns0:d xmlns:ns0='v'>")


def _hidden_twice(n: int) -> Part:
    """As `_hidden`, and the same namespace name again where the prefix would have been."""
    return Part(
        root=f" xmlns:1='{'u' * (n // 3)}'",
        content=f"<ns0:d xmlns:ns0='{'u' * (n // 3)}v'><ns0:d xmlns:ns0='{'u' * (n // 3)}'>",
    )


_CLEAN: Final = "<e>some text, just text, some text</e>" * 4 + "&"

#: What is long or many, and may be met by all that comes after it.
LONG_OR_MANY: Final[Mapping[str, Callable[[int], Part]]] = {
    # Declarations
    "length of an entity": _long(_subset("<!ENTITY x '", "y", "'>")),
    "length of an entity of markup": _subset("<!ENTITY x '", "<e/>&amp;", "'>"),
    "entities": _subset("", "<!ENTITY x# 'y'>"),
    "length of a default": _long(_subset("<!ATTLIST e b CDATA '", "y", "'>")),
    "defaults": _subset("<!ATTLIST e", " b# CDATA 'y'", ">"),
    "namespaces by default": _subset("<!ATTLIST e", " xmlns:q# CDATA 'u'", ">"),
    "length of a namespace by default": _long(_subset("<!ATTLIST e xmlns:p CDATA '", "u", "'>")),
    "declared tokens": _subset("<!ATTLIST e", " b# NMTOKENS #IMPLIED", ">"),
    "length of a name with declared attributes": _long(_subset("<!ATTLIST ", "e", " b CDATA 'y'>")),
    "names with declared attributes": _subset("", "<!ATTLIST e# b CDATA 'y'>"),
    # Namespaces
    "length of a namespace name": _long(_root(" xmlns:p='", "u", "'")),
    "length of the default namespace": _long(_root(" xmlns='", "u", "'")),
    "length of a hidden namespace name": _long(_hidden),
    "length of a namespace name that is hidden twice": _long(_hidden_twice),
    "length of a prefix": _long(_root(" xmlns:", "p", "='u'")),
    "length of 60 prefixes": _long(
        lambda n: Part(root="".join([f" xmlns:{'p' * (n // 60)}{i}='u{i}'" for i in range(60)]))
    ),
    "prefixes": _root("", " xmlns:p#='u'"),
    "prefixes that are no names": _root("", " xmlns:#='u'"),
    "prefixes that others are replaced by": _root("", " xmlns:ns#='u'"),
    "namespace of an element closed early": _long(lambda n: Part(content="<d>" * 48 + f"<d xmlns:p='{'u' * n}'>")),
    # What is open
    "depth": _content("", "<d>"),
    "depth of different names": _content("", "<d#>"),
    "depth of prefixes": _content("", "<p:d xmlns:p='u'>"),
    "depth of undeclared prefixes": _content("", "<p#:d>"),
    "length of an open name": _long(_content("<", "d", ">")),
    "attributes of an open element": _content("<d", " a#='y'", ">"),
    # Long tokens
    "text": _long(_content("", "y")),
    "length of a comment": _long(_content("<!--", "y", "-->")),
    "hyphens": _content("<!--", "-" * 10, "-->"),
    "length of a value": _long(_content("<e a='", "y", "'/>")),
    "attributes": _content("<e", " a#='y'", "/>"),
    "attributes with a prefix": _content("<e", " p:a#='y'", "/>"),
    "attributes with a hidden prefix": _content("<e", " 1:a#='y'", "/>"),
    "references in a value": _content("<e a='", "&x;", "'/>"),
}

#: What meets it.
USES: Final[Mapping[str, Callable[[int], Part]]] = {
    "elements": _content("", "<e/>"),
    "elements with a prefix": _content("", "<p:e p:a='y'/>"),
    "elements with a hidden prefix": _content("", "<1:e/>"),
    "elements with an undeclared prefix": _content("", "<q#:e/>"),
    "elements with different attributes": _content("", "<e a#='y'/>"),
    "elements that declare a prefix": _content("", "<e xmlns:p='v'/>"),
    "elements that declare a prefix that is no name": _content("", "<e xmlns:1='v'/>"),
    "elements that are not closed": _content("", "<e>"),
    "end tags": _content("", "</d>"),
    "unmatched end tags": _content("", "</z>"),
    "unmatched end tags of different names": _content("", "</z#z#z#z#>"),
    "mismatched end tags": _content("", "<d><z></d>"),
    "short end tags": _content("", "</>"),
    "references": _content("", "&x;"),
    "values with a reference": _content("", "<e a='&x;'/>"),
    "stretches without errors": _content("", _CLEAN),
    "stretches with declarations": _content("", _CLEAN + "<e xmlns='v'/>"),
    "comments": _content("", "<!--y-->"),
    "ampersands": _content("", "&"),
    "lines": _content("", "\n&"),
    "duplicate attributes": _content("", "<e a='y' a='z'/>"),
}
