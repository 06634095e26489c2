"""The attributes of a tag, from its source.

In runs and in the text ahead, no tokenizer has read them.
"""

import re
from collections.abc import Callable
from typing import Final

from xml5tree.xml.references import PREDEFINED, REFERENCE_OR_PAIR, read_reference

__all__ = ["read_attributes"]

#: An attribute; its value may have no quotes or be absent.
_ATTRIBUTE: Final = re.compile(
    r"""([^\t\n =/><"'&]++)(?:[\t\n ]*+=(?:[\t\n ]*+(?:"([^"]*+)"|'([^']*+)')|([^\t\n "'>]*+)))?"""
)
_AMPERSAND: Final = re.compile(f"&(?:{REFERENCE_OR_PAIR.pattern})")


def read_attributes(source: str, markup_of: Callable[[str], str]) -> dict[str, str]:
    """Return the attributes in the source of a tag without its name; of duplicates, the first one counts.

    `markup_of` returns the markup that a reference to a name stands for, unless it is one of XML's own five.
    """

    def replaced(text: str) -> str:
        return _AMPERSAND.sub(stands_for, text)

    def stands_for(match: re.Match[str]) -> str:
        reference = read_reference(match[0], lambda *_: None, lambda _: False)
        name = reference.name
        if name is None:
            return reference.text
        return PREDEFINED[name] if name in PREDEFINED else replaced(markup_of(name))

    attributes: dict[str, str] = {}
    for name, double, single, unquoted in _ATTRIBUTE.findall(source):
        value = (double or single or unquoted).replace("\n", " ").replace("\t", " ")
        attributes.setdefault(name, replaced(value))
    return attributes
