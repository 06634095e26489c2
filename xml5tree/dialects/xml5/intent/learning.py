"""Learning from error-free runs, which the fast path takes past the states (R-009).

What a tag comes to depends on the names of the elements that are open and on the child before it. Most tags of a
document come where one like them came before: nothing is new, nothing is doubted. So there is an automaton of such
places, whose transitions are those after which there is nothing to learn. Then reading a run is little more than
finding its tags.

A run ends before the first tag or text that the policy has to be asked about. It need not be asked where a whole window
of the run follows: the draft's reading of that has no error.
"""

import re
from operator import length_hint
from typing import TYPE_CHECKING, Final

from xml5tree.dialects.xml5.intent.constants import MANY_RECORDS, MOST_LEARNED, WINDOW
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD
from xml5tree.fastpath.contract import Cache, Limits, Run, Scanner, TagRule
from xml5tree.xml.references import PREDEFINED, read_reference

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.intent.policy import Intent

__all__ = ["Learner", "column_at", "learning"]

#: How many of the innermost open elements are known: one more than a run may end.
_MOST_KNOWN: Final = 7

#: How far a scan looks in bytes where the policy was asked before the end of the last run, since it may be asked soon
#: again; then ever farther.
_LEAST_REACH: Final = 256
_GROWTH: Final = 4
_LONGEST_REACH: Final = 1 << 18

_INSIDE: Final = r"""[^<>"']*+(?:"[^"]*+"[^<>"']*+|'[^']*+'[^<>"']*+)*+"""
#: A tag, comment, CDATA section or instruction of an error-free run; "<" if no text follows that is not white space;
#: and an end tag of the same name right after the text, as leaves have, with "<" if no text follows that.
_TOKEN: Final = re.compile(
    rf"""<(?:
        (/?)([^\t\n />!?]++){_INSIDE}(?:((?<=/)>)|>)
        |!(--)(?s:.*?)-->
        |!(\[CDATA\[)[\t\n ]*+((?:\]\]>)?)(?s:.*?)(?:(?<=\]\]>)|\]\]>)
        |\?(?s:.*?)\?>
    )[\t\n ]*+(?=(<?))[^<]*+(?:(</\2[\t\n ]*+>)[\t\n ]*+(?=(<?))[^<]*+)?""",
    re.VERBOSE,
)
_Token = tuple[str, str, str, str, str, str, str, str, str]
#: A section in which another one seems to begin, so that R-020 may doubt where it ends.
_NESTED: Final = re.compile(
    r"""<!\[CDATA\[ [^]<]*+ (?:(?:\](?!\]>) | <(?!!\[CDATA\[)) [^]<]*+)*+ <!\[CDATA\[
    | <\? [^?<]*+ (?:(?:\?(?!>) | <(?!\?)) [^?<]*+)*+ <\?""",
    re.VERBOSE,
)
_ATTRIBUTE: Final = re.compile(r"""([^\t\n =/><"'&]++)[\t\n ]*+=[\t\n ]*+(?:"([^"]*+)"|'([^']*+)')""")
_REFERENCE: Final = re.compile("&[^;]*+;")
_WHITE_SPACE: Final = "\t\n "


def learning(scanner: Scanner, policy: "Intent") -> Scanner:
    """A scan whose runs the policy learns from, and which ends them where the policy has to be asked."""
    learner = Learner(policy)
    reach = _LONGEST_REACH

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
    ) -> Run:
        """See `xml5tree.fastpath.contract.Scan`."""
        nonlocal reach
        if start + reach < stop:
            stop = start + reach
            while data[stop] & 0xC0 == 0x80:  # within a character
                stop -= 1
        run = Run(*scanner.scan(data, start, stop, open_names, prefixes, declared, limits, cache))
        reach = min(_GROWTH * reach, _LONGEST_REACH)
        if run.end == start:
            return run
        text = data[start : run.end].decode()
        length, ended, opened = learner.learn(text)
        if length == len(text):
            return run
        reach = _LEAST_REACH
        source = text[:length].encode()
        end = start + len(source)
        if run.markup is None:
            return Run(end, max(end, start + 1), None, ended, opened, length, source.count(b"\n"), 0)
        # The markup with defaults is asked for again. The run has kept within the limits, whatever the pure scan, which
        # only estimates levels, would make of a part of it. It may leave "]" at the end of a text to the states.
        known = limits._replace(levels=len(data), least=0)
        part = Run(*scanner.scan(data, start, end, open_names, prefixes, declared, known, cache))
        return part._replace(resume=max(part.end, start + 1), ended=ended, opened=opened)

    return scanner._replace(scan=scan)


def column_at(text: str, index: int, before: int | None) -> int | None:
    """How many characters of white space are before an index on its line; None where something else is.

    Args:
        text: the text.
        index: the index.
        before: the same of the text's beginning.
    """
    newline = text.rfind("\n", 0, index)
    if text[newline + 1 : index].strip(_WHITE_SPACE):
        return None
    if newline >= 0:
        return index - newline - 1
    return None if before is None else before + index


class _Level:
    """An open element, by its name and the elements around it.

    Attributes:
        above: the element around it; None where that is not known.
        name: its name.
        has_text: whether it had text before, so that the policy is not asked about its text.
    """

    __slots__ = ("_inside", "_places", "above", "has_text", "name")

    def __init__(self, above: "_Level | None", name: str, has_text: bool) -> None:
        self.above = above
        self.name = name
        self.has_text = has_text
        self._inside: dict[tuple[str, bool], _Level] = {}
        self._places: dict[str | None, _Place] = {}

    def path(self) -> list[str]:
        """The names of the elements that are known to be open, the outermost first."""
        names = []
        level = self
        while level.above is not None:
            names.append(level.name)
            level = level.above
        return names[::-1]

    def inside(self, name: str, has_text: bool = False) -> "_Level":
        """The level of an element in this one."""
        level = self._inside.get((name, has_text))
        if level is None:
            level = self._inside[name, has_text] = _Level(self, name, has_text)
        return level

    def after(self, last: str | None) -> "_Place":
        """The place after a child, after text and no child (`TEXT_CHILD`), or at the beginning (None)."""
        place = self._places.get(last)
        if place is None:
            place = self._places[last] = _Place(self, last)
        return place


class _Place(dict[_Token, "_Place"]):
    """A place in an element, and the places after what may come there with nothing to learn from it.

    Attributes:
        level: the element.
        last: the name of the last child, `TEXT_CHILD` if there is text and no child, None if there is no content.
    """

    __slots__ = ("last", "level")

    def __init__(self, level: _Level, last: str | None) -> None:
        super().__init__()
        self.level = level
        self.last = last

    def outside(self) -> "_Place":
        """The place after the element."""
        above = self.level.above
        assert above is not None  # a run ends only elements that are known
        return above.after(self.level.name)

    def after_text(self) -> "_Place":
        """The place after text that is not white space."""
        return self if self.last is not None else self.level.after(TEXT_CHILD)


class _Asked(Exception):
    """The policy has to be asked, and needs what follows to answer."""


class Learner:
    """Learns from the error-free runs of one document."""

    def __init__(self, policy: "Intent") -> None:
        """Begin with what a policy knows."""
        self._policy = policy
        self._learned = policy.learned
        self._outermost = _Level(None, "", False)
        self._missed = 0  # tokens for which there was no transition
        self._is_new = False  # whether the token that is being read may show something new
        self._is_near = False  # whether it is so near the end of the run that the policy would look beyond

    def learn(self, text: str) -> tuple[int, int, list[str]]:
        """Learn from a run.

        Returns:
            How many characters of it can be taken, how many open elements end in these, and the names of the elements
            that are opened in them and stay open.
        """
        levels = self._open_levels()
        before = levels[-1].after(self._policy.last_content)
        limit = _end_of_plain_sections(text)
        first = text.find("<", 0, limit)
        head = text[: first if first >= 0 else limit]
        place = before
        tokens: list[_Token] = []
        if head.strip(_WHITE_SPACE):
            self._is_near = len(text) - len(head) < WINDOW
            try:
                place = self._after_text(place)
            except _Asked:
                limit = len(head) - len(head.lstrip(_WHITE_SPACE))
                first = -1
        if first >= 0:
            place, tokens, limit = self._read(f"{text[:limit]}<", place, len(text))
        return self._note(text, limit, tokens, levels, before, place)

    def _open_levels(self) -> list[_Level]:
        """The levels of the innermost open elements."""
        if self._missed > MOST_LEARNED:
            self._missed = 0
            self._outermost = _Level(None, "", False)
        level = self._outermost
        levels = []
        for element in self._policy.innermost(_MOST_KNOWN):
            is_settled = element.has_text and self._learned.is_new(element.name, TEXT_CHILD)
            level = level.inside(element.name, is_settled)
            levels.append(level)
        return levels

    def _read(self, text: str, place: _Place, total: int) -> tuple[_Place, list[_Token], int]:
        """Read the tokens of a run, which "<" follows.

        Args:
            text: the run, as far as it may be taken, and "<".
            place: where it begins.
            total: the length of the whole run.

        Returns:
            The place after the tokens that can be taken, these, and where they end.
        """
        tokens: list[_Token] = _TOKEN.findall(text)
        coming = iter(tokens)
        matches = enumerate(_TOKEN.finditer(text))
        while True:
            try:
                for token in coming:
                    place = place[token]
                return place, tokens, len(text) - 1
            except KeyError:
                index = len(tokens) - length_hint(coming) - 1
            match = next(match for number, match in matches if number == index)
            self._is_near = match.end() + WINDOW > total
            self._is_new = False
            self._missed += 1
            try:
                following = self._after(place, tokens[index])
            except _Asked:
                return place, tokens[:index], match.start()
            if not self._is_new:
                place[tokens[index]] = following
            place = following

    def _after(self, place: _Place, token: _Token) -> _Place:
        """The place after a token, once it has been learned from."""
        solidus, name, empty, _, cdata, blank, text, end, tail = token
        ended = []
        if not name:
            if cdata and not blank:
                self._learn_text(place)
                place = place.after_text()
        elif solidus:
            ended.append(name)
            place = place.outside()
        else:
            self._learn_child(place, name, is_empty=bool(empty))
            place = place.level.after(name) if empty else place.level.inside(name).after(None)
            if empty:
                ended.append(name)
        if not text:
            place = self._after_text(place)
        if end:
            ended.append(name)
            place = place.outside()
            if not tail:
                place = self._after_text(place)
        for name in ended:  # now that the policy need not be asked
            if self._learned.completed.get(name, 0) < MANY_RECORDS:
                self._is_new = True
            self._learned.learn_end(name)
        return place

    def _after_text(self, place: _Place) -> _Place:
        """The place after text that is not white space."""
        level = place.level
        has_children = place.last is not None and place.last != TEXT_CHILD
        if not level.has_text and self._policy.doubts_text_in(level.name, has_children) and self._is_near:
            raise _Asked
        self._learn_text(place)
        return place.after_text()

    def _learn_text(self, place: _Place) -> None:
        level, learned = place.level, self._learned
        if not level.has_text and (learned.is_new(level.name, TEXT_CHILD) or level.name not in learned.filled):
            self._is_new = True
            learned.learn_content(level.name)
            learned.learn_pair(level.name, TEXT_CHILD)

    def _learn_child(self, place: _Place, name: str, *, is_empty: bool) -> None:
        """Learn from a start tag or empty tag."""
        parent, learned = place.level.name, self._learned
        has_children = place.last is not None and place.last != TEXT_CHILD
        before = place.last if has_children else None
        if self._policy.doubts_child(parent, before, name, is_empty=is_empty):
            if self._is_near or (not is_empty and has_children and self._policy.is_record_in_record(parent, name)):
                raise _Asked
            self._is_new = True
        if (parent, before, name) not in learned.follows:
            self._is_new = True
            learned.learn_name(name)
            learned.learn_content(parent)
            learned.learn_child(parent, before, name)

    def _note(
        self, text: str, length: int, tokens: list[_Token], levels: list[_Level], before: _Place, place: _Place
    ) -> tuple[int, int, list[str]]:
        """Tell the policy what is open after a run; see `learn`.

        Args:
            text: the run.
            length: how many characters of it are taken.
            tokens: the tokens in these.
            levels: the open elements before it.
            before: where it begins.
            place: where what is taken ends.
        """
        policy = self._policy
        names = place.level.path()
        column = policy.column
        opened: list[str] = []
        ended = 0
        if place is not before or tokens:
            kept = _surely_open(text, [level.name for level in levels])
            child, starts = _last_starts(text, length, tokens, len(names) - kept)
            opened = names[len(names) - len(starts) :]
            ended = len(levels) - (len(names) - len(starts))
            indents = [column_at(text, start, column) for start in starts]
            for _ in range(ended):
                policy.closed()
            if policy.has_forced and any(token[1] and not token[0] for token in tokens):
                policy.forget_forced()
            for name, start, indent in zip(opened, starts, indents, strict=True):
                policy.note_child(name, indent)
                is_empty = name == opened[-1] and start == starts[-1] and place.last is None
                policy.note_open(name, _attributes(text[start:length]) if is_empty else None, indent)
            if place.last == TEXT_CHILD:
                policy.note_text()
            elif place.last is not None:
                policy.note_child(place.last, None if child < 0 else column_at(text, child, column), is_seen=child >= 0)
        policy.column = column_at(text, length, column)
        return length, ended, opened


def _end_of_plain_sections(text: str) -> int:
    """Where the first CDATA section or instruction of a run begins in which another one seems to; else its end."""
    nested = _NESTED.search(text) if "<?" in text or "<![CDATA[" in text else None
    if nested is None:
        return len(text)
    within = next((match for match in _TOKEN.finditer(f"{text}<") if match.end() > nested.start()), None)
    return len(text) if within is None else within.start()


def _surely_open(text: str, names: list[str]) -> int:
    """How many of the elements of these names, which were open before a run, surely are open after it."""
    kept = len(names)
    while kept and f"</{names[kept - 1]}" in text:
        kept -= 1
    return kept


def _last_starts(text: str, length: int, tokens: list[_Token], most: int) -> tuple[int, list[int]]:
    """Where the last tags begin that show what is open after the tokens.

    Args:
        text: what the tokens are in.
        length: where they end.
        tokens: the tokens.
        most: how many elements they may have opened that they do not end.

    Returns:
        Where the last child of the current element begins, -1 if it does not begin here, and where the elements begin
        that are opened.
    """
    child = -1
    starts: list[int] = []
    ended = 0
    index = length
    for solidus, name, empty, comment, cdata, _, _, end, _ in reversed(tokens):
        if end:
            ended += 1
            index = text.rfind("<", 0, index)
        opening = "<" if name else "<!--" if comment else "<![CDATA[" if cdata else "<?"
        index = text.rfind(opening, 0, index)
        if solidus:
            ended += 1
        elif name:
            if not empty and not ended:
                starts.append(index)
            elif child < 0 and not starts and ended == (0 if empty else 1):
                child = index
            if not empty and ended:
                ended -= 1
        if len(starts) == most and (child >= 0 or starts):
            break
    starts.reverse()
    return child, starts


def _attributes(tag: str) -> dict[str, str]:
    """The attributes of a start tag that is free of errors."""
    return {
        name: _REFERENCE.sub(_referred, (double or single).replace("\n", " ").replace("\t", " "))
        for name, double, single in _ATTRIBUTE.findall(tag)
    }


def _referred(match: re.Match[str]) -> str:
    """What a reference to a character or to an entity that every document has stands for."""
    reference = read_reference(match[0], lambda *_: None)
    return reference.text if reference.name is None else PREDEFINED[reference.name]
