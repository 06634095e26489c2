"""Start tags that come several times in a row (R-025)."""

import re
from typing import Final

from xml5tree.dialects.xml5.intent.situation import PlacedTag
from xml5tree.dialects.xml5.intent.window import Window

__all__ = ["is_repeated"]

_ATTRIBUTE: Final = r"""[\t\n ]++([^\t\n =/><"'&]++)[\t\n ]*+=[\t\n ]*+(?:"([^"<&\t\n]*+)"|'([^'<&\t\n]*+)')"""
_START_TAG: Final = re.compile(rf"[\t\n ]*+<([^\t\n />]++)((?:{_ATTRIBUTE})*+)[\t\n ]*+>")
_ATTRIBUTES: Final = re.compile(_ATTRIBUTE)


def is_repeated(tag: PlacedTag, window: Window, times: int = 1) -> bool:
    """Return whether a start tag comes `times` times in the window directly after itself, with equal attributes."""
    place = window.start
    for _ in range(times):
        found = _START_TAG.match(window.text, place, window.stop)
        if found is None or found[1] != tag.name or _attributes(found[2]) != tag.attributes:
            return False
        place = found.end()
    return True


def _attributes(source: str) -> dict[str, str]:
    """Return the attributes of a tag without references in values; of duplicates, the first one counts."""
    found: dict[str, str] = {}
    for name, double, single in _ATTRIBUTES.findall(source):
        found.setdefault(name, double or single)
    return found
