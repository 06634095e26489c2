"""Where the value of an argument ends."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from heapq import merge
from typing import Final

from xml5tree.dialects.xml5.raw import RawContent
from xml5tree.tools.grammar import Grammar, beginnings
from xml5tree.xml.vocabulary import Vocabulary

_NO_NAMES: Final = Vocabulary(())
#: White space between two tags that belong together.
_GAP: Final = re.compile("[\t\n\r ]{0,256}")
#: Characters after an end tag in which the tag is looked for that shows whether it counts.
_LONGEST_TAG: Final = 256
#: Characters after a start tag in a value, or after a call in it, in which the end tag is looked for.
_WINDOW: Final = 1 << 16
#: The name of a tool after the tag of a call.
_CALLED: Final = re.compile(r"[^\s<>]{1,128}\s{0,256}")
#: Most end tags of a value that stand one after the other where one was meant.
_MOST_ENDS: Final = 8
_LOOSE_NAMES: Final = ("param", "parameter", "arg", "argument")
_LOOSE: Final = "|".join(_LOOSE_NAMES)
#: Longest parts of a tag: a value, and white space.
_VALUE: Final = r"""(?:\\?"[^"<>\n]{0,128}"|\\?'[^'<>\n]{0,128}'|[^\s"'<>]{1,128})"""
_ATTRIBUTE: Final = rf"\s{{1,16}}[\w.:-]{{1,64}}(?:\s{{0,16}}=\s{{0,16}}{_VALUE})?"


class _Begun:
    """Finds a tag that a text ends in, as far as it goes, if it may become one that counts in a value."""

    def __init__(self, grammar: Grammar, names: set[str]) -> None:
        self._grammar = grammar
        self._names = [name.lower() for name in names] + (list(_LOOSE_NAMES) if grammar.opens == "<" else [])
        self._head = re.compile(rf"{beginnings(frozenset({grammar.opens, grammar.closes}))}\Z")
        rest = rf"(?P<name>(?:[｜|][ ]?\w+[ ]?[｜|][ ]?)?[^\s=/<>]*)(?P<more>[\s=/][^<>]{{0,{_LONGEST_TAG}}})?"
        spaced = "[ ]?" if grammar.opens == "<" else ""
        ends = "|".join(re.escape(grammar.ends[:length]) for length in range(len(grammar.ends)))
        self._tag = re.compile(f"(?:{re.escape(grammar.closes)}|{re.escape(grammar.opens)}){spaced}{rest}(?:{ends})\\Z")

    def search(self, text: str, start: int, end: int | None = None) -> re.Match[str] | None:
        end = len(text) if end is None else end
        opens = self._grammar.opens
        start = max(start, end - 2 * _LONGEST_TAG)
        for head in (opens, self._grammar.closes):
            place = text.rfind(head, start, end)
            if place >= 0 and (found := self._tag.match(text, place, end)) and self._may_count(found):
                return found
        return self._head.search(text, max(start, end - len(opens) - 1), end)

    def _may_count(self, found: re.Match[str]) -> bool:
        name, is_whole = found["name"], found["more"] is not None
        grammar = self._grammar
        if not grammar.format.argument and grammar.opens != "<":
            return True
        if is_whole:
            return grammar.role(grammar.spelled(name), is_in_call=True) != "none" or name.lower() in self._names
        return grammar.may_begin(name) or any(known.startswith(name.lower()) for known in self._names)


class ValueEnd(RawContent):
    """See `RawContent`: finds the end of a value, and the start tags in it that show that an end tag is missing.

    An end tag also counts if another one of its element follows that counts, unless a start tag in the value needs it.
    One that is spelled otherwise counts only if a tag of an element around follows, or the next argument.
    """

    def __init__(self, grammar: Grammar) -> None:
        super().__init__(_NO_NAMES, _NO_NAMES, None, trims=False, has_values=True)  # type: ignore[arg-type]
        self._grammar = grammar
        letters = {name[0] for name in (*grammar.names, *_LOOSE_NAMES)}
        prefix = r"|[\w.\-]++(?::|\Z)" if grammar.has_prefixes else ""
        first = re.escape(grammar.opens[0])
        following = "" if grammar.opens != "<" else f"(?:[/{re.escape(''.join(sorted(letters)))}]{prefix})"
        #: What a piece of text has that may not be a value's alone.
        self.may_matter = re.compile(first + following)
        self._read = 0
        # Of start tags in the value, offsets and sources: those of its element that have no end tag yet, those of names
        # of arguments, those of other arguments that have the names of these, and those of calls.
        self._starts: list[tuple[int, str]] = []
        self._keys: list[tuple[int, str]] = []
        self._others: list[tuple[int, str]] = []
        self._calls: list[tuple[int, str]] = []

    def begin_value(self, place: int, element: str, key: str, *, opened: str, depth: int, is_key: bool) -> None:
        """Begin at an offset; `opened` is the element of the call, and `depth` the number of elements around it."""
        grammar = self._grammar
        named = element if grammar.has_named_arguments else ""
        self._key_end = is_key
        choice = named or ("key" if is_key else "argument"), f"{opened} {key}", depth > 0
        patterns = grammar.of_values
        if (found := patterns.get(choice)) is None:
            if len(patterns) > 64:  # names that models invent
                patterns.clear()
            found = patterns[choice] = self._compile(named, key, opened, is_around=depth > 0, is_key=is_key)
        compiled: tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], _Begun] = found
        self._end_tag, self._tags, self._following, self._begun = compiled
        self._begun_end_tag = self._begun  # type: ignore[assignment]
        self._opened = opened
        self._own_name = element
        is_like_last = choice == self._choice and place < self._scanned
        self._choice = choice
        self._restart(place, is_known=is_like_last)
        if not is_like_last or self._read <= place:
            self._read = place  # up to there, tags are in the lists
            for tags in (self._starts, self._keys, self._others, self._calls):
                tags.clear()
        else:
            for tags in (self._starts, self._keys, self._others, self._calls):
                del tags[: bisect_left(tags, (place, ""))]
        self.pending = -1  # the offset of a start tag in the value that may be that of a call
        self._nested_to = -1  # where the tags of a call in the value end

    _choice: tuple[str, str, bool] | None = None

    def _compile(
        self, named: str, key: str, opened: str, *, is_around: bool, is_key: bool
    ) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], _Begun]:
        grammar = self._grammar
        closes, opens, ends = map(re.escape, (grammar.closes, grammar.opens, grammar.ends))
        own = re.escape(named) if named else grammar.key if is_key else grammar.argument
        outer = "|".join([grammar.call, re.escape(opened), *([grammar.around] if is_around else [])])
        space = "[\t\n ]{0,16}"
        value = "(?:=[^<>\n]{0,128})?"
        tag = f"{closes}(?:(?P<own>{own}){value}{space}{ends}|(?P<outer>{outer}){value}{space}{ends}"
        if grammar.opens == "<" and not is_key and grammar.format.argument:
            other = f"|{re.escape(key)}" if key else ""
            tag += rf"|[ ]?(?:(?i:{grammar.argument}|{_LOOSE}){other})[ ]?(?:>|(?=\s{{0,16}}<(?!/?{own}))))"
        else:
            tag += ")"
        if is_key:
            tag += f"|(?P<after>{opens}{grammar.argument}(?=[\\s>]))"
        starts = (
            f"{opens}(?P<start>{own}|{grammar.key})(?=[\\s=]|{ends})"
            if not named
            else f"{opens}(?P<start>{own}){space}{ends}"
        )
        # All begin with what opens a tag, even where there are no others: then the search is for that first.
        starts += f"|{opens}(?P<other>{grammar.argument if named else '(?!)'}){space}{ends}"
        starts += f"|{opens}(?P<call>{grammar.call})(?=[\\s=]|{ends})"
        both = f"{starts}|{closes}(?P<end>{own}){value}{space}{ends}"
        following = f"(?:(?P<e>{closes})|{opens})(?P<n>{grammar.known}|{re.escape(opened)})(?=[\\s=/]|{ends})"
        begun = _Begun(grammar, {opened, key, named} - {""})
        return re.compile(tag), re.compile(both), re.compile(following), begun

    # The end --------------------------------------------------------------------------------------------------------

    def find(self, text: str, base: int, *, is_final: bool) -> int | None:
        """Return the index of the end in a text that begins at the offset `base`; None if it is not there yet."""
        self._text_base = base
        return self._find_end(text, base, is_final=is_final)

    def end_tag(self, text: str, index: int) -> tuple[int, bool]:
        """Return where the end tag at an index ends, and whether it is spelled as the format says.

        Where the value ends before a tag that is not its own, that is at the index.
        """
        found = self._end_tag.match(text, index)
        is_there = found is not None and self.is_own and not found.groupdict().get("after")
        return found.end() if found and is_there else index, found is None or found["own"] is not None

    def _roles_of(self, found: re.Match[str]) -> tuple[bool, bool, bool]:
        if found.start() < self._nested_to - self._text_base:
            return False, False, False
        is_outer = found["outer"] is not None
        is_own = found["own"] is not None
        return is_own, is_outer and not self._key_end, not is_own and not is_outer

    _text_base = 0

    def _may_end(self, text: str, found: re.Match[str], base: int, *, is_final: bool) -> bool | None:
        if self._key_end:
            return True
        self.read_tags(text, base, found.start())
        follows, repeated = self._follows(text, found.end(), is_final=is_final)
        ended = follows
        if follows and repeated:  # its end tag is there several times
            ended = not self._starts and found["own"] is not None
        if ended and self._calls:
            ended = self._ends_before_nested(text, found.end(), base, is_final=is_final)
        if ended is False and found["own"] is not None:
            self._pop()
            self._read = max(self._read, base + found.end())
        return ended

    def _follows(self, text: str, index: int, *, is_final: bool) -> tuple[bool | None, int]:
        """Return whether a tag after an index shows that the value has ended, and where its repeated end tags end."""
        repeated = 0
        for _ in range(_MOST_ENDS):
            gap = _GAP.match(text, index)
            place = gap.end() if gap else index
            if place == len(text):
                return (True if is_final else None), repeated
            kind = self._kind(text, place, is_final=is_final)
            if kind is None or isinstance(kind, bool):
                return kind, repeated
            index = repeated = kind
        return False, repeated

    def _kind(self, text: str, place: int, *, is_final: bool) -> bool | int | None:
        """Return whether a tag at an index follows values; where it ends, if it is another end tag of the value."""
        grammar = self._grammar
        tail = text[place : place + _LONGEST_TAG]
        if not tail.startswith(grammar.opens[: len(tail)]) and not tail.startswith(grammar.closes[: len(tail)]):
            return any(mark.startswith(tail[: len(mark)]) for mark in grammar.format.marks)
        known = self._following.match(tail)
        if known:
            if not known["e"]:
                return True
            role = grammar.role(grammar.spelled(known["n"]), is_in_call=not grammar.is_named)
            is_outer = role in ("call", "around") or known["n"] == self._opened
            if is_outer and not (grammar.is_named and known["n"] == self._own_name):
                return True
            own = self._end_tag.match(text, place)
            return own.end() if own and own["own"] is not None else False
        tag = grammar.tag(text, place, is_in_call=True)
        if tag is None:
            begun = len(tail) < _LONGEST_TAG and grammar.begun.match(tail)
            if not begun:
                return False
            if is_final:
                return grammar.closes == "</" and any(
                    name.startswith(tail)
                    for name in (f"</{self._opened}", *(f"</{name}" for name in grammar.format.around))
                )
            return None
        if tag.is_end:
            return grammar.is_near_call(tag, self._opened)
        return grammar.like(tag, self.tool, {}) is not None

    tool = ""  # the name of the tool

    def _ends_before_nested(self, text: str, index: int, base: int, *, is_final: bool) -> bool | None:
        """Return whether no end tag of the value comes after the call that begins in it."""
        grammar = self._grammar
        closes, opens, ends = map(re.escape, (grammar.closes, grammar.opens, grammar.ends))
        own = re.escape(self._own_name) if grammar.has_named_arguments else grammar.argument
        pattern = f"{closes}(?:(?P<own>{own})|(?P<end>{grammar.call}))[\t\n ]*{ends}"
        pattern += f"|{opens}(?P<call>{grammar.call})(?=[\\s=]|{ends})"
        calls = 1
        window = text[index : index + _WINDOW]
        for found in re.finditer(pattern, window):
            if found["call"]:
                if calls == 0:
                    return True
                calls += 1
            elif found["end"]:
                if calls == 0:
                    return True
                calls -= 1
            elif calls == 0:
                self._nested_to = base + index + found.start()
                self._starts.clear()
                self._keys.clear()
                self._calls.clear()
                return False
        return True if is_final or len(window) == _WINDOW else None

    # Start tags in the value ----------------------------------------------------------------------------------------

    def read_tags(self, text: str, base: int, index: int) -> None:
        """Note the start tags before an index."""
        self.pending = -1
        for found in self._tags.finditer(text, max(self._read - base, 0), index):
            if found["end"]:
                self._pop()
            elif found["call"]:
                begins = self._begins_call(text, found.start())
                if begins is None:
                    self.pending = base + found.start()
                    self._read = max(self._read, self.pending)
                    return
                if begins:
                    self._calls.append((base + found.start(), found["call"]))
            else:
                tag = self._grammar.tag(text, found.start(), is_in_call=True)
                if tag is not None and not tag.is_empty:
                    starts = self._others if found["other"] else self._keys if tag.role == "key" else self._starts
                    starts.append((base + found.start(), text[tag.start : tag.end]))
        self._read = max(self._read, base + index)

    def _begins_call(self, text: str, index: int) -> bool | None:
        """Return whether the start tag of a call at an index comes before that of an argument; None if it may."""
        tag = self._grammar.tag(text, index, is_in_call=not self._grammar.is_named)
        if tag is None:
            return False
        gap = _GAP.match(text, tag.end)
        place = gap.end() if gap else tag.end
        if self._grammar.format.key:  # the name comes first
            name = _CALLED.match(text, place)
            place = name.end() if name else place
            if place < len(text) and not name:
                return False
        begun = self._begun.search(text, place)
        if place == len(text) or (begun and begun.start() == place):
            return None
        found = self._tags.match(text, place)
        if found and found["call"] and tag.role == "around":
            return True
        return found is not None and not found["end"] and not found["call"]

    def _pop(self) -> None:
        """Forget the last start tag of an argument, and that of its name: the end tag of an argument ends both."""
        del self._starts[-1:], self._keys[-1:]

    @property
    def first_open(self) -> str:
        """The first start tag without an end tag in the value, so far; "" without one."""
        return next(iter(self._keys or self._starts), (0, ""))[1]

    def starts_of(self, least: int, reached: int, window: int) -> Iterator[int]:
        """Yield the offsets from `least` on of start tags without end tags, at most `window` before `reached`."""
        if not (self._keys or self._starts or self._others):  # as in most values
            return
        for place, _ in merge(_from(self._keys or self._starts, least), _from(self._others, least)):
            if reached - place <= window:
                yield place

    @property
    def is_in_doubt(self) -> bool:
        """Whether an end tag may be the one that is looked for."""
        return self._doubt >= 0 or self._scanned < self._read

    @property
    def enough(self) -> int:
        """The offset at which the end tag in doubt is certain."""
        return self._doubt + self._reach

    def half_end_tag(self, text: str, index: int) -> int:
        """Return where a text ends in half an end tag of the value; its length if it does not."""
        found = self._begun.search(text, max(index, len(text) - _LONGEST_TAG))
        is_half = (
            found is not None and len(found[0]) > len(self._grammar.opens) and found[0].startswith(self._grammar.closes)
        )
        return found.start() if found is not None and is_half else len(text)

    def pass_over(self, offset: int) -> None:
        """Go on at an offset, before which there are no tags."""
        self._scanned = self._read = offset

    @property
    def call_start(self) -> int:
        """The offset of the first start tag of a call in it; -1 without one."""
        return self._calls[0][0] if self._calls else -1

    @property
    def safe(self) -> int:
        """The offset before which everything is certainly in the value."""
        return self._scanned if self._doubt < 0 else min(self._doubt, self._scanned)


def _from(places: list[tuple[int, str]], least: int) -> list[tuple[int, str]]:
    return places[bisect_left(places, (least, "")) :]


class NamedTags:
    """The tags of tools and arguments, in formats in which they have the names of these.

    Such names stand in text, too, as in ``usage: <command> <path>``. So one start tag shows nothing.
    """

    def __init__(self, grammar: Grammar) -> None:
        calls, arguments = grammar.call, grammar.argument
        end = rf"/(?P<end>{calls}|{arguments})\s{{0,16}}>"
        rest = rf"(?:={_VALUE})?(?:{_ATTRIBUTE}){{0,8}}\s{{0,16}}(?<!/)>"
        call = rf"(?P<call>{calls}){rest}(?=\s{{0,256}}<(?P<first>{arguments})\s{{0,16}}>)"
        self._tag = re.compile(rf"<(?:{end}|{call}|(?P<start>{arguments})\s{{0,16}}>)")
        self._grammar = grammar

    def first_open(self, text: str, argument: str) -> str | None:
        """Return the first start tag in the text of an argument that seems to be markup; None without one.

        It has no end tag there. It is a call's, before that of its argument; or the argument's own, after its end tag.
        """
        has_ended = False
        begun: dict[str, list[tuple[re.Match[str], bool]]] = {}  # start tags, and whether each seems to be markup
        for found in self._tag.finditer(text):
            name = found["end"] or found["call"] or found["start"]
            if self._begins_call(found) or found["start"] == argument:
                begun.setdefault(name, []).append((found, has_ended or found["start"] is None))
            elif found["end"] and begun.get(name):
                begun[name].pop()
            elif found["end"] == argument:
                has_ended = True
        tags = [found for places in begun.values() for found, is_markup in places if is_markup]
        return min(tags, key=re.Match.start)[0] if tags else None

    def _begins_call(self, found: re.Match[str]) -> bool:
        tool = self._grammar.tools.get(found["call"] or "")
        return tool is not None and found["first"] in tool.arguments
