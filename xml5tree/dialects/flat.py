"""Flat elements, as most records are: MicroXML and LeafXML copy those without errors by one pattern."""

import re
from typing import Final

from xml5tree.errors.locator import Locator
from xml5tree.output.markup import Markup

# Names are of ASCII and short, so that every parser reads them. All patterns are possessive: they never backtrack.
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_.\-]{0,255}+"
_S: Final = r"[\t\n ]"
#: How many levels a flat element has.
LEVELS: Final = 2


def flat_elements(references: str, value: str) -> re.Pattern[str]:
    """Return the pattern of text and elements with few attributes whose children have no child elements.

    `references` is the pattern of the names of references in text, `value` that of quoted values.
    """
    less = f"[^<>&]*+(?:<|(?>&(?:{references});[^<>&]*+)++<)"  # text and the "<" after it

    def attribute(group: str) -> str:
        return f"{_S}++(?!xmlns[\t\n =])(?P<{group}>{_NAME}){_S}*+={_S}*+{value}"

    def element(name: str, content: str) -> str:
        """Return the pattern of text and an element with up to two attributes; the groups begin with its name."""
        first, other = f"{name}_first", f"{name}_other"
        attributes = f"(?>{attribute(first)}(?>(?={_S}++(?!(?P={first})[\t\n =])){attribute(other)})?+)?+"
        return f"{less}(?P<{name}>{_NAME}){attributes}{_S}*+(?:/>|>{content}{less}/(?P={name})>)"

    inner = f"(?>{element('inner', '')})*+"
    return re.compile(f"(?>{element('outer', inner)})++")


def copy_flat(pattern: re.Pattern[str], text: str, start: int, offset: int, emitter: Markup, locator: Locator) -> int:
    """Write the flat elements at an index, `offset` in the document, as they are; return their end."""
    missing, brackets, _ = emitter.before_run()
    if missing > 0 or brackets or not emitter.can_append_verbatim() or (found := pattern.match(text, start)) is None:
        return start
    source = found[0].encode()
    newlines = source.count(b"\n")
    emitter.clean_run(source, source, newlines, 0)
    locator.pass_over(offset, locator.locate(offset), len(found[0]), newlines)
    return found.end()
