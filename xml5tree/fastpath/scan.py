"""The pure scan, by expat and by counting tags."""

import re
from itertools import count
from typing import Final

from xml5tree.fastpath.contract import Cache, Limits, Run, Scanner, TagRule
from xml5tree.fastpath.defaults import DeclaredTags
from xml5tree.fastpath.references import DeclaredReferences
from xml5tree.fastpath.tags import deepest, measure, nesting, surely_open
from xml5tree.fastpath.wellformed import find_well_formed

__all__ = ["PURE", "scan"]

#: The name of the wrapper element around a run, with a number that no end tag has; and end tags with a number.
_WRAPPER: Final = "xml5tree%08d"
_WRAPPER_ENDS: Final = re.compile(rb"</xml5tree([0-9]{8})")
#: Characters of the names of open elements. Expat reads them for each run; if they could be of any length, time would
#: grow with their length times the runs.
_MOST_NAMES: Final = 1024


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
    notes: _Notes | None = cache.notes
    if notes is None:
        notes = cache.notes = _Notes(data, start, declared, limits)
    return notes.find_run(start, stop, open_names, prefixes, limits)


#: Starting expat takes as long as the states do for some hundred characters, and the states alone are up to twice as
#: fast where errors are dense.
PURE: Final = Scanner("pure", scan, min_bytes=128, cooldown=1024)


class _Notes:
    def __init__(self, data: bytes, start: int, declared: dict[bytes, TagRule], limits: Limits) -> None:
        self._data = data
        self._references = DeclaredReferences(data, start, limits.entities)
        self._declared_tags = DeclaredTags(data, start, declared)
        self._wrapper_name = _WRAPPER % 0
        self._wrapped: dict[str, str] = {}  # the prefixes that the wrapper declares
        self._wrapper = self._make_wrapper()
        self._reach = len(data)  # bytes in which elements are expected not to nest too deep
        self._deep_end = 0  # place up to which they do

    def find_run(self, start: int, stop: int, open_names: list[str], prefixes: dict[str, str], limits: Limits) -> Run:
        """Find the run that begins at `start`; expat reads a wrapper and the start tags of open elements before it.

        ::

            <xml5tree00000000 xmlns:p='0'><list><item>text</item><item>more <b x=y>
            wrapper with the prefixes     open_names  start                 end  resume
        """
        data = self._data
        if start < self._deep_end:
            return _nothing(start, start)
        open_names = _different(open_names)
        if prefixes != self._wrapped:
            self._wrapped = dict(prefixes)
            self._wrapper = self._make_wrapper()
        to_rewrite = min(self._declared_tags.next_to_rewrite(start), self._references.next_to_rewrite(start))
        stop = min(stop, to_rewrite, start + self._reach)
        open_tags = f"<{'><'.join(open_names)}>".encode() if open_names else b""
        while stop - start >= limits.min_bytes:
            end, resume, tags, has_tags_only = find_well_formed(data, start, stop, self._wrapper + open_tags)
            if end == start:
                return _nothing(start, max(resume, start + 1))
            deeper, levels, tags = measure(tags)
            if levels > limits.levels:
                levels = deepest(tags)
            still_open = surely_open(tags, [self._wrapper_name, *open_names])
            if not still_open:
                # The content may have closed the wrapper element: give it a name that no end tag has, and try again.
                used = set(_WRAPPER_ENDS.findall(data))
                self._wrapper_name = next(_WRAPPER % number for number in count() if b"%08d" % number not in used)
                self._wrapper = self._make_wrapper()
            elif levels > limits.levels:
                self._reach = (end - start) // 2
                stop = start + self._reach
                if self._reach < limits.min_bytes:  # it is as deep as it may be: try again farther on
                    self._reach = 2 * limits.min_bytes
                    self._deep_end = start + 2 * self._reach
            else:
                run = data[start:end]
                expanded = self._references.expand(run, limits.added)
                added = expanded and self._declared_tags.with_defaults(
                    expanded[0], has_tags_only, limits.added - expanded[1]
                )
                if expanded is None or added is None:
                    break
                cost = expanded[1] + added[1]
                self._reach = min(2 * self._reach, len(data))
                ended, opened = nesting(tags, deeper, 1 + len(open_names) - still_open)
                characters = len(run) if run.isascii() else len(run.decode())
                markup = added[0] if cost else None
                return Run(end, resume, markup, ended, opened, characters, run.count(b"\n"), cost)
        return _nothing(start, start)

    def _make_wrapper(self) -> bytes:
        """Return the start tag of an element around the run, in which the prefixes and the entities are declared."""
        numbers = {uri: number for number, uri in enumerate(self._wrapped.values())}  # which expat reads faster
        declarations = [f" xmlns:{prefix}='{numbers[uri]}'" for prefix, uri in self._wrapped.items() if prefix != "xml"]
        return self._references.declaration + f"<{self._wrapper_name}{''.join(declarations)}>".encode()


def _different(open_names: list[str]) -> list[str]:
    """Return the names of innermost open elements, up to one that comes again or to a limit that is quickly read."""
    names: list[str] = []
    left = _MOST_NAMES
    for name in reversed(open_names):
        left -= len(name)
        if left < 0 or name in names:
            break
        names.append(name)
    names.reverse()
    return names


def _nothing(start: int, resume: int) -> Run:
    return Run(start, resume, None, 0, [], 0, 0, 0)
