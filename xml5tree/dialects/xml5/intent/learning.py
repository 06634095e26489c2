"""Learns from runs of the fast path (R-009).

A tag's consequences depend on the names of the open elements and on the child before it. Most tags come where an equal
one came before, and are not doubted. A reader of `runs` passes these, and learns from others.

A run ends before text about which the policy has to be asked, and before a tag for which it chooses another reading
than the draft's. The policy need not be asked where a whole window of the run follows, as the draft's reading has no
error in it. Nor need it be asked about most tags, and the text of leaves, if the element around them ends in the run
(R-006).
"""

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.intent.attributes import read_attributes
from xml5tree.dialects.xml5.intent.columns import column_at
from xml5tree.dialects.xml5.intent.constants import LEAST_REACH, USUAL_REACH
from xml5tree.dialects.xml5.intent.runs.contract import AskedTag, RunReader
from xml5tree.dialects.xml5.intent.situation import PlacedTag
from xml5tree.dialects.xml5.lexis import HTML_JUNK, NOT_A_NAME
from xml5tree.fastpath.contract import Cache, Limits, PlainRun, Run, Scanner, TagRule

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.intent.policy import Intent
    from xml5tree.dialects.xml5.intent.tokenizer import IntentTokenizer

__all__ = ["Learner", "learning"]

#: After this many parts in a row that are shorter than `LEAST_REACH`, a scan covers half as much.
_MANY_PARTS: Final = 4
#: A scan covers this many times as much as the last one, up to `_LONGEST_REACH` bytes.
_GROWTH: Final = 8
_LONGEST_REACH: Final = 1 << 18

_START_TAG: Final = re.compile(rb"""<[^>"']*+(?:"[^"]*+"[^>"']*+|'[^']*+'[^>"']*+)*+>""")
_NAME_OF_TAG: Final = re.compile(r"\A<[^\t\n />]++")
_DECLARATION: Final = b"xmlns"
#: The start tag of a root element that no rule doubts. Faults that no rule doubts may match: the scan takes them, or
#: ends before them.
_ROOT: Final = re.compile(
    rb"""[\t\n ]*+<([^\t\n />"'<=@;:!?&]++)"""
    rb"""(?:[\t\n ]++[^\t\n =/><"'&]++=(?:"[^"<&]*+"|'[^'<&]*+'|[^\t\n "'<>=&/]++))*+[\t\n ]*+>"""
)


def learning(scanner: Scanner, learner: "Learner", *, may_take_root: bool = True) -> Scanner:
    """Return a scan whose runs are learned from, and end where another reading than the draft's may be chosen.

    A run may begin with the root element's start tag if `may_take_root`.
    """
    reach = _LONGEST_REACH
    short_parts = 0  # how many there were in a row
    takes_root = may_take_root = scanner.takes_root and may_take_root

    def scan(
        data: bytes,
        start: int,
        stop: int,
        open_names: list[str],
        prefixes: dict[str, str],
        declared: dict[bytes, TagRule],
        limits: Limits,
        cache: Cache,
        /,
    ) -> Run | PlainRun:
        nonlocal reach, short_parts, takes_root  # the reach is short after a run that was cut; a root is taken once
        if limits.is_outside:
            if not (takes_root and learner.may_take_root(data, start)):  # then the states read the root's start tag
                return Run(start, start, None, 0, [], 0, 0, 0)
            takes_root = False
        if start + reach < stop:
            stop = start + reach
            while data[stop] & 0xC0 == 0x80:  # within a character
                stop -= 1
        run = scanner.scan(data, start, stop, open_names, prefixes, declared, limits, cache)
        if reach < _LONGEST_REACH:
            reach = min(_GROWTH * reach, _LONGEST_REACH)
        run_end, _, markup, _, still_open, *_ = run
        if run_end == start:
            return run
        if limits.is_outside and run_end == len(data) and not still_open and learner.is_flat_document(data, start):
            return run
        end, ended, opened = learner.learn(data, start, run_end, limits)
        if end == run_end:
            return run
        short_parts = short_parts + 1 if end - start < LEAST_REACH else 0
        reach = max(USUAL_REACH >> (short_parts // _MANY_PARTS), LEAST_REACH)
        may_bind = scanner.takes_errors and data.find(_DECLARATION, start, end) >= 0
        if markup is None and not may_bind:
            source = data[start:end]
            return Run(end, max(end, start + 1), None, ended, opened, _length_of(source), source.count(b"\n"), 0)
        # A second scan gives the markup with defaults and errors, and the bindings, of the part before `end`:
        # * The part has kept within the limits, so these are lifted. The pure scan, which only estimates levels, might
        #   end it too soon otherwise.
        # * Nothing in the part is doubted, whatever follows, so `unended` is None.
        # * An ampersand at the end of the part would be left to the states if the scan did not see what follows. So it
        #   sees the "<" of the tag there, up to `seen`.
        known = limits._replace(levels=len(data), min_bytes=0, unended=None)
        seen = end + data.startswith(b"<", end)
        part = Run(*scanner.scan(data, start, seen, open_names, prefixes, declared, known, cache))
        return part._replace(resume=max(part.end, start + 1), ended=ended, opened=opened)

    return scanner._replace(scan=scan, takes_root=may_take_root)


def _length_of(source: bytes) -> int:
    return len(source) if source.isascii() else len(source.decode())


class Learner:
    """Learns from the runs of one document, which have no doubted errors."""

    def __init__(self, policy: "Intent", reader: RunReader) -> None:
        self._policy = policy
        self._reader = reader
        #: What knows the text around runs; without it, runs end before the first doubted tag.
        self.surroundings: IntentTokenizer | None = None
        self._data = b""
        self._limits: Limits | None = None
        self._root: re.Match[bytes] | None = None  # the start tag of the root element
        self._is_right = False  # whether the draft's reading is right from the current part on
        self._characters = 0  # the length of the run in characters, up to `_counted`
        self._counted = 0

    def may_take_root(self, data: bytes, start: int) -> bool:
        """Return whether a run may begin at a place with the start tag of the root element."""
        self._root = found = _ROOT.match(data, start)
        if found is None or self.surroundings is None or not self._policy.is_on("root"):
            return False
        name = found[1].decode()
        return name.lower() not in HTML_JUNK and not NOT_A_NAME.search(name)  # these may be junk

    def is_flat_document(self, data: bytes, start: int) -> bool:
        """Return whether a run is the rest of the document, from its root on, and no element is in one of its name.

        Then no window has an error, so no tag has to be learned from.
        """
        return (
            self.surroundings is not None
            and self.surroundings.is_final
            and compiled is not None
            and bool(compiled.is_flat(data, start, len(data)))
        )

    def learn(self, data: bytes, start: int, end: int, limits: Limits) -> tuple[int, int, list[str]]:
        """Learn from a run between `start` and `end` of `data`, found within the limits of a scan.

        Returns:
            The end of the part that can be taken; the number of open elements that end in it; the names of the elements
            that it opens and does not end.
        """
        self._data, self._limits = data, limits
        self._characters, self._counted = 0, start
        self._is_right = False
        column = self._policy.column
        ended = 0
        opened: list[str] = []
        asked: AskedTag | None
        if limits.is_outside:
            place, asked = self._ask_about_root(start)
        else:
            place, asked, ended, opened = self._learn_part(start, end)
        while place < end and asked is not None and (after := self._pass_tag(place, asked)):
            if not asked[1]:
                opened.append(self._policy.current)
            place, asked, ended_in_part, opened_in_part = self._learn_part(after, end)
            left = max(len(opened) - ended_in_part, 0)  # how many of the `opened` elements the part does not end
            ended += ended_in_part - (len(opened) - left)
            opened[left:] = opened_in_part
        if limits.is_outside and not opened:  # without the root element, there is no run
            self._policy.column = column
            return start, 0, []
        return place, ended, opened

    def _ask_about_root(self, start: int) -> tuple[int, AskedTag]:
        """Return the place of the root's start tag, and that tag as one to ask about."""
        found = self._root
        assert found is not None  # `may_take_root` has found it
        place = found.start(1) - 1
        self._policy.column = column_at(self._data, start, place, self._policy.column)
        return place, (found[1].decode(), False)

    def _pass_tag(self, start: int, asked: AskedTag) -> int:
        """Return the end of a start or empty tag if the draft's reading of the tag is chosen, else 0."""
        policy, surroundings, data = self._policy, self.surroundings, self._data
        if surroundings is None:
            return 0
        found = _START_TAG.match(data, start)
        assert found is not None  # it begins there
        end = found.end()
        before = self._characters + _length_of(data[self._counted : start])
        self._characters, self._counted = before + _length_of(found[0]), end
        name, is_empty = asked
        tag = PlacedTag(name, _attributes(found[0], self._limits), is_empty, policy.column)
        if not surroundings.may_choose_after(before):
            policy.pass_tag(tag, is_doubtful=False)
            return end
        window = surroundings.window_after(self._characters)
        if window is None:
            return 0
        choice = policy.choose_at_once(tag) or policy.choose_for_start_tag(tag, window)
        if choice.code:
            surroundings.note_choice(choice)
            return 0
        self._is_right = policy.is_right
        policy.pass_tag(tag, is_doubtful=choice.is_doubtful)
        return end

    def _learn_part(self, start: int, end: int) -> tuple[int, AskedTag | None, int, list[str]]:
        """Learn from a part of a run, up to a token about which the policy has to be asked, and tell the policy.

        Return the end of the part, the tag to ask about there, and the ended and opened elements as `learn` does.
        """
        learnt = self._reader.read(self._data, start, end, is_right=self._is_right)
        self._policy.note_run(learnt)
        if learnt.opened and learnt.last is None:
            self._policy.note_attributes(partial(_attributes_at, self._data, learnt.innermost, self._limits))
        return learnt.end, learnt.asked, learnt.ended, learnt.opened


def _attributes_at(data: bytes, start: int, limits: Limits | None) -> dict[str, str]:
    tag = _START_TAG.match(data, start)
    assert tag is not None  # it begins there
    return _attributes(tag[0], limits)


def _attributes(tag: bytes, limits: Limits | None) -> dict[str, str]:
    def markup_of(name: str) -> str:
        assert limits is not None  # a run has been found
        if expansion := (limits.entities or {}).get(name.encode()):
            return expansion.value.decode()
        assert limits.references is not None  # a run may have them
        return limits.references[name.encode()].decode()

    return read_attributes(_NAME_OF_TAG.sub("", tag.decode()), markup_of)
