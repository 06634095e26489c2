"""What a repaired document has against what is known of its structure (`knowledge.py`): it is kept, and reported."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from xml5tree.errors.codes import KEPT
from xml5tree.intent.assumption import Assumption
from xml5tree.intent.knowledge import Knowledge
from xml5tree.xml.structure import TEXT

__all__ = ["Contradictions"]

#: Tags, text, and the beginnings of what has none: none has a second "<", so that it is clear where each ends.
_TOKEN: Final = re.compile(
    r"""(?:(?P<text>[^<]++)|<(?P<end>/?)(?P<name>[^\s/<>!?="']++)(?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+>"""
    r"""|<(?P<opening>!--|!\[CDATA\[|\?|!DOCTYPE(?:[^\[<>"']|"[^"<]*+"|'[^'<]*+')*+[\[>]))"""
)
_CLOSINGS: Final = {
    opening: re.compile(closing)
    for opening, closing in (("!--", "-->"), ("![CDATA[", "]]>"), ("?", r"\?>"), ("[", r"\]\s{0,60}>"), (">", ""))
}
_LONGEST: Final = 64  # characters of a closing
_AROUND: Final = 64  # elements around one that are looked at
_MOST: Final = 1000  # pairs of names that are reported
_SHOWN: Final = 24  # characters of a name


class Contradictions:
    """Reads the edited text of one document."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._names: list[str] = []  # of the open elements
        self._open: Counter[str] = Counter()
        self._told: set[tuple[str, str]] = set()
        self._rest = ""  # the beginning of a token
        self._place = 0  # where it is in the source
        self._closing: re.Pattern[str] | None = None  # of what has no tags

    def take(self, text: str, source_of: Callable[[int], int]) -> Iterator[Assumption]:
        """Take the next part; yield what contradicts. `source_of` is given an index in the part."""
        before, rest, at = len(self._rest), self._rest + text, 0
        self._rest = ""
        while at < len(rest):
            if self._closing is not None:
                closed = self._closing.search(rest, at)
                if closed is None:
                    self._rest = rest[max(at, len(rest) - _LONGEST) :]
                    return
                self._closing, at = None, closed.end()
                continue
            found = _TOKEN.match(rest, at)
            place = source_of(at - before) if at >= before else self._place
            if found is not None:
                yield from self._token(found, place)
                at = found.end()
            elif rest.find("<", at + 1) < 0:
                self._rest, self._place = rest[at:], place
                return
            else:
                at += 1

    def _token(self, found: re.Match[str], place: int) -> Iterator[Assumption]:
        names, opening, name = self._names, found["opening"], found["name"]
        if opening is not None:
            self._closing = _CLOSINGS[opening if opening in _CLOSINGS else opening[-1]]
        if opening == "![CDATA[" or (found["text"] or "").strip():
            yield from self._child(TEXT, place)
        elif name and found["end"]:
            is_open = self._open[name] > 0
            while is_open:
                self._open[names[-1]] -= 1
                is_open = names.pop() != name
        elif name:
            yield from self._child(name, place)
            if not found[0].endswith("/>"):
                names.append(name)
                self._open[name] += 1

    def _child(self, name: str, place: int) -> Iterator[Assumption]:
        if not self._names:
            return
        known, around = self._known(name), self._names[-1]
        children = self._knowledge.children(self._known(around))
        if children is None or known in children:
            never = self._knowledge.around(known)
            inside = (other for other in reversed(self._names[-_AROUND:]) if never)
            around = next((other for other in inside if self._known(other) in never), "")
        if around and (around, name) not in self._told and len(self._told) < _MOST:
            self._told.add((around, name))
            what = "text" if name == TEXT else f"<{name[:_SHOWN]}>"
            sentence = f"{what} is in <{around[:_SHOWN]}>, where none is expected"
            yield Assumption("contradicts-structure", place, sentence, KEPT)

    def _known(self, name: str) -> bytes:
        return self._knowledge.known(name.encode("utf-8", "surrogatepass"))
