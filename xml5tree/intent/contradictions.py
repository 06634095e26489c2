"""What a repaired document has against what is known of its structure (`knowledge.py`): it is kept, and reported."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from xml5tree.errors.codes import KEPT
from xml5tree.intent.assumption import Assumption
from xml5tree.intent.knowledge import Knowledge
from xml5tree.xml.structure import TEXT

#: Start tags, end tags, what has no tags, text, and beginnings of what has none and does not end. No tag has a second
#: "<", so that it is clear where each ends.
_TOKEN: Final = re.compile(
    r"""(?s)<(?P<name>[^\s/<>!?="']++)(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+>|</(?P<end>[^\s/<>!?="']++)[^<>]*+>"""
    r"""|(?P<section><!--.*?-->|<\?.*?\?>|<!DOCTYPE(?:[^\[<>"']++|"[^"<]*+"|'[^'<]*+')*+(?:>|\[.*?\]\s{0,60}>))"""
    r"""|(?P<text><!\[CDATA\[.*?\]\]>|[^<\s][^<]*+)"""
    r"""|<(?P<opening>!--|!\[CDATA\[|\?|!DOCTYPE(?:[^\[<>"']++|"[^"<]*+"|'[^'<]*+')*+\[)"""
)
#: What ends these, by their first two characters.
_CLOSINGS: Final = {"!-": "-->", "![": r"\]\]>", "?": r"\?>", "!D": r"\]\s{0,60}>"}
_LONGEST: Final = 64  # characters of a closing
_AROUND: Final = 64  # elements around one that are looked at
_MOST: Final = 1000  # pairs of names that are remembered
_SHOWN: Final = 24  # characters of a name


class Contradictions:
    """Reads the edited text of one document."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._names = [""]  # of the open elements, and of the document
        self._open: Counter[str] = Counter()
        self._fine: set[tuple[str, str]] = set()  # children that nothing is said against, or that have been reported
        self._rest = ""  # the beginning of a token
        self._place = 0  # where it is in the source
        self._closing = ""  # of what has no tags

    def take(self, text: str, source_of: Callable[[int], int]) -> Iterator[Assumption]:
        """Take the next part; yield what contradicts. `source_of` is given an index in the part."""
        before, rest, at = len(self._rest), self._rest + text, 0
        names, fine = self._names, self._fine
        self._rest = ""
        if self._closing:
            closed = re.search(self._closing, rest)
            if closed is None:
                self._rest = rest[-_LONGEST:]
                return
            self._closing, at = "", closed.end()
        for found in _TOKEN.finditer(rest, at):
            at, kind = found.end(), found.lastgroup
            if kind == "opening":
                self._closing, self._rest = _CLOSINGS[found["opening"][:2]], rest[at:][-_LONGEST:]
                return
            if kind == "end":
                self._end(found["end"])
            elif kind != "section":
                name = found["name"] or TEXT
                if (names[-1], name) not in fine:
                    place = source_of(found.start() - before) if found.start() >= before else self._place
                    yield from self._child(name, place)
                if kind == "name" and rest[at - 2] != "/":
                    names.append(name)
                    self._open[name] += 1
        begin = rest.rfind("<", at)
        if begin >= 0:
            self._rest = rest[begin:]
            self._place = source_of(begin - before) if begin >= before else self._place

    def _end(self, name: str) -> None:
        is_open = self._open[name] > 0
        while is_open:
            self._open[self._names[-1]] -= 1
            is_open = self._names.pop() != name

    def _child(self, name: str, place: int) -> Iterator[Assumption]:
        known, parent = self._known(name), self._names[-1]
        children, never = self._knowledge.children(self._known(parent)), self._knowledge.around(known)
        around = parent
        if children is None or known in children:
            inside = (other for other in reversed(self._names[-_AROUND:]) if never)
            around = next((other for other in inside if self._known(other) in never), "")
        if (around or not never) and len(self._fine) < _MOST:
            self._fine.add((parent, name))
            if around:
                what = "text" if name == TEXT else f"<{name[:_SHOWN]}>"
                sentence = f"{what} is in <{around[:_SHOWN]}>, where none is expected"
                yield Assumption("contradicts-structure", place, sentence, KEPT)

    def _known(self, name: str) -> bytes:
        return self._knowledge.known(name.encode("utf-8", "surrogatepass"))
