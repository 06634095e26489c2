"""Tags that DOCTYPE declarations change."""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final

from xml5tree.dtd.attributes import DeclaredAttributes, cost_of
from xml5tree.fastpath.contract import Default, TagRule
from xml5tree.fastpath.tags import TAG_REST
from xml5tree.output.markup import insert_in_tag, written_attributes
from xml5tree.xml.references import PREDEFINED_REFERENCE

__all__ = ["NO_TAG", "DeclaredTags", "compile_pattern", "tag_rules"]

#: Elements with attribute declarations that a pattern is made for, and bytes of their names: it is made again for
#: each text, which may be short.
_MOST_DECLARED: Final = 100
_MOST_BYTES: Final = 4000

# For text that is known to be well-formed. All repetitions are possessive: they never backtrack.
#: A comment, a CDATA section, a processing instruction.
NO_TAG: Final = (
    rb"<(?:!--[^-]*+(?:-(?!->)[^-]*+)*+-->|!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+\]\]>|\?[^?]*+(?:\?(?!>)[^?]*+)*+\?>)"
)
_START_TAG_NAME: Final = re.compile(b"<([^ \t\n/<>]++)")
_ATTRIBUTE: Final = re.compile(b"[ \t\n]([^ \t\n=]++)[ \t\n]*+=[ \t\n]*+(?:\"[^\"]*+\"|'[^']*+')")
#: The rest of a tag with two prefixed attributes: the states compare their expanded names.
_PERHAPS_TWO_PREFIXES: Final = b"(?=[^:<]*+:[^:<]*+:)"
#: The rest of a tag in whose attribute values no white space is to be collapsed; it may reject a tag that would do.
_COLLAPSED_REST: Final = (
    b'(?:[ \t\n][^ \t\n=<>"\'/]++=(?:"(?![ \t\n])(?:[^"<&\t\n ]++|[ \t\n](?![" \t\n])|%b)*+"'
    b"|'(?![ \t\n])(?:[^'<&\t\n ]++|[ \t\n](?![' \t\n])|%b)*+'))*+[ \t\n]?/?>"
) % (PREDEFINED_REFERENCE.encode(), PREDEFINED_REFERENCE.encode())


def tag_rules(declared: DeclaredAttributes) -> dict[bytes, TagRule]:
    rules = {
        name.encode(): TagRule(name not in declared.collapsed, name in declared.collapsed, ())
        for name in declared.rewritten
    }
    for name in declared.extended:
        defaults = [
            Default(attribute.encode(), written_attributes([(attribute, value)]).encode(), cost_of(attribute, value))
            for attribute, value in declared.lacking(name, ())
        ]
        rules[name.encode()] = TagRule(False, False, tuple(defaults))
    return rules


class DeclaredTags:
    """The tags in a text, which is being read, that their declarations may change."""

    def __init__(self, data: bytes, start: int, rules: Mapping[bytes, TagRule]) -> None:
        self._data = data
        self._place = start - 1  # of the next that has to be written anew
        names: Mapping[bytes, TagRule] = rules
        if _are_too_many(rules):
            names = {name: rules[name] for name in {*_START_TAG_NAME.findall(data, start)} & rules.keys()}
        self._rules = names
        self._is_closed = _are_too_many(names)
        #: The text added to a tag whose name and attributes have these names, and its cost.
        self._added: dict[tuple[bytes, ...], tuple[bytes, int]] = {}
        self._cost = 0  # of what is added to a run
        self._limit = 0  # of that cost
        self._extended = b""  # patterns; empty where nothing is to be looked for
        self._rewritten = b""
        if not self._is_closed:
            self._make_patterns()

    def _make_patterns(self) -> None:
        rules = self._rules
        always = [name for name, rule in rules.items() if rule.is_rewritten]
        perhaps = [name for name, rule in rules.items() if rule.is_collapsed]
        extended = [name for name, rule in rules.items() if rule.defaults]
        to_rewrite = []
        if always or perhaps:
            to_rewrite += [_any_of(always), b"%b(?!%b)" % (_any_of(perhaps), _COLLAPSED_REST)]
        if extended:
            self._extended = b"<(?P<name>%b)%b" % (_any_of(extended), TAG_REST)
            to_rewrite.append(b"%b%b" % (_any_of(extended), _PERHAPS_TWO_PREFIXES))
        if to_rewrite:
            self._rewritten = b"<(?:%b)" % b"|".join(to_rewrite)

    def next_to_rewrite(self, start: int) -> int:
        """Return the start of the next tag from `start` on that has to be written anew; else the end of the text."""
        if self._is_closed:
            return start
        if self._place < start:
            found = compile_pattern(self._rewritten).search(self._data, start) if self._rewritten else None
            self._place = found.start() if found else len(self._data)
        return self._place

    def with_defaults(self, run: bytes, has_tags_only: bool, limit: int) -> tuple[bytes, int] | None:
        """Return a run with its attribute defaults, and their cost; None if that is more than `limit` characters.

        `has_tags_only`: there are neither comments, CDATA sections nor processing instructions in it.
        """
        if not self._extended:
            return run, 0
        pattern = compile_pattern(self._extended if has_tags_only else b"%b|%b" % (self._extended, NO_TAG))
        self._cost, self._limit = 0, limit
        markup = pattern.sub(self._add_defaults, run)
        self._is_closed = self._cost > limit  # what else the budget may hold depends on the place of each tag
        if self._is_closed:
            return None
        return markup, self._cost

    def _add_defaults(self, found: re.Match[bytes]) -> bytes:
        tag, name = found.group(0, "name")
        if not name or self._cost > self._limit:
            return tag
        names = (name, *_ATTRIBUTE.findall(tag))
        if names not in self._added:
            self._added[names] = self._lacking(*names)
        added, cost = self._added[names]
        self._cost += cost
        return insert_in_tag(tag.decode(), added.decode()).encode()

    def _lacking(self, element: bytes, *present: bytes) -> tuple[bytes, int]:
        """Return the text added to a tag, and its cost; no more than shows that the budget may not hold it."""
        names = set(present)
        added = b""
        cost = 0
        for name, markup, its_cost in self._rules[element].defaults:
            if name not in names:
                cost += its_cost
                if self._cost + cost > self._limit:
                    break
                added += markup
        return added, cost


def _are_too_many(names: Collection[bytes]) -> bool:
    return len(names) > _MOST_DECLARED or sum(map(len, names)) > _MOST_BYTES


def _any_of(names: list[bytes]) -> bytes:
    return b"(?:%b)(?=[ \t\n/>])" % (b"|".join(map(re.escape, sorted(names))) or b"(?!)")


@lru_cache(maxsize=16)
def compile_pattern(pattern: bytes, flags: int = 0) -> re.Pattern[bytes]:
    """Compile a pattern, which may fit many blocks and perhaps many documents."""
    return re.compile(pattern, flags)
