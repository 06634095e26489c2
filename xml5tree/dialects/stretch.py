"""The fast path of MicroXML and LeafXML: writes certainly error-free content without tokens."""

# The tokens alone define behaviour: they would write the same for every stretch taken here. In doubt nothing is taken.

import re
from collections.abc import Callable
from typing import Any, Final

from xml5tree.errors.reporter import Reporter
from xml5tree.output.markup import Markup

# Names are of ASCII and short, so that every parser reads them. All patterns are possessive: they never backtrack.
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_.\-]{0,255}+"
_S: Final = r"[\t\n ]"
#: Most open elements that a stretch may end.
_LOOKED_AT: Final = 64


def tag_pattern(name: str, value: str) -> str:
    """Return the pattern of attributes and the end of a start tag or an empty tag."""
    return f"((?:{_S}++{name}{_S}*+={_S}*+{value})*+){_S}*+(/?)>"


class Patterns:
    """The patterns of one dialect: those of stretches, and of the attributes of a tag in one."""

    def __init__(self, references: str, value: str) -> None:
        """Set the pattern of the names of references in text, and that of quoted values."""
        data = f"[^<>&]*+(?:&(?:{references});[^<>&]*+)*+"

        def attribute(group: str) -> str:
            return f"{_S}++(?!xmlns[\t\n =])(?P<{group}>{_NAME}){_S}*+={_S}*+{value}"

        def element(name: str, content: str) -> str:
            """Return the pattern of text and an element with up to two attributes; the groups begin with its name."""
            first, other = f"{name}_first", f"{name}_other"
            attributes = f"(?:{attribute(first)}(?:(?={_S}++(?!(?P={first})[\t\n =])){attribute(other)})?+)?+"
            return f"{data}<(?P<{name}>{_NAME}){attributes}{_S}*+(?:/>|>{content}{data}</(?P={name})>)"

        inner = f"(?:{element('inner', '')})*+"
        #: Elements with few attributes that contain at most such elements without child elements. Most records are so,
        #: and one match takes several. Where another element comes, the beginning of its parent is read once more.
        self.flat = re.compile(f"(?:{element('outer', inner)})*+")
        #: Text and a tag: an end tag (group 1), or a start tag (2), with attributes (3), perhaps an empty tag (4).
        self.tag = re.compile(f"{data}<(?:/({_NAME}){_S}*+>|({_NAME}){tag_pattern(_NAME, value)})")
        self.attribute = re.compile(f"({_NAME}){_S}*+={_S}*+{value}")


class Construction:
    """The part of tree construction that stretches use."""

    _stack: list[tuple[str, Any]]  # the names of the open elements, each with its written name or form if that differs
    _max_depth: int

    def innermost(self, most: int) -> list[str] | None:
        """Return names of up to `most` innermost open elements but the root, which markup closes by these names.

        None outside the root; a subclass returns None where start tags cannot be written as they stand, too.
        """
        names: list[str] = []
        for name, written in reversed(self._stack[max(1, len(self._stack) - most) :]):
            if written is not None and written != name:
                break
            names.append(name)
        names.reverse()
        return names if self._stack else None

    def levels_left(self) -> int:
        """Return how many more elements can nest in the current one before the depth limit matters."""
        return self._max_depth - len(self._stack) - 3

    def pass_stretch(self, closed: int, opened: list[str]) -> None:
        """Close `closed` open elements, and then open those of the names in `opened`."""
        raise NotImplementedError


class Stretches:
    """Writes error-free stretches of an open element's content, for one document."""

    def __init__(
        self,
        patterns: Patterns,
        construction: Construction,
        emitter: Markup,
        reporter: Reporter,
        next_not_allowed: Callable[[int], int | None],
    ) -> None:
        """Connect the stages; `next_not_allowed` returns the first offset from another on that is in no stretch."""
        self._patterns = patterns
        self._construction = construction
        self._emitter = emitter
        self._reporter = reporter
        self._next_not_allowed = next_not_allowed

    def take(self, text: str, start: int, offset: int) -> int:
        """Write the stretch at an index, `offset` in the document, and return its end, which is after a tag."""
        limit = self._next_not_allowed(offset)
        stop = len(text) if limit is None else start + limit - offset
        missing, brackets, _ = self._emitter.before_run()
        if missing > 0 or brackets or not self._emitter.can_append_verbatim():
            return start
        names, levels = self._construction.innermost(_LOOKED_AT), self._construction.levels_left()
        # This is asked first, as content that is read here and not taken is read again after the next token.
        if names is None or levels <= 0:
            return start
        flat, tag = self._skip_flat_elements(text, start, stop)
        before = outer = len(names)  # number of earlier elements that are still open
        most = outer + levels
        end = start
        while len(names) < most:
            end = flat
            if tag is None:
                break
            closed, opened, attributes, empty = tag.groups()
            if closed is not None:
                if not names or names[-1] != closed:
                    break
                names.pop()
                outer = min(outer, len(names))
            elif attributes and not self._are_different(attributes):
                break
            elif not empty:
                names.append(opened)
            end = tag.end()
            flat, tag = self._skip_flat_elements(text, end, stop)
        if end > start:
            self._construction.pass_stretch(before - outer, names[outer:])
            self._write(text[start:end], offset)
        return end

    def _skip_flat_elements(self, text: str, start: int, stop: int) -> tuple[int, re.Match[str] | None]:
        """Return the end of the flat elements at `start`, and the tag after them, both before `stop`."""
        end = self._patterns.flat.match(text, start, stop).end()  # type: ignore[union-attr]  # it matches the empty string
        return end, self._patterns.tag.match(text, end, stop)

    def _are_different(self, attributes: str) -> bool:
        """Return whether attributes have different names, none of them `xmlns`."""
        names = self._patterns.attribute.findall(attributes)
        return "xmlns" not in names and len(set(names)) == len(names)

    def _write(self, markup: str, offset: int) -> None:
        source = markup.encode()
        newlines = markup.count("\n")
        self._emitter.clean_run(source, source, newlines, min(len(source) - len(source.rstrip(b"]")), 2))
        locator = self._reporter.locator
        locator.pass_over(offset, locator.locate(offset), len(markup), newlines)
