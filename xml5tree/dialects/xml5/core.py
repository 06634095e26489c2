"""Has the compiled core read content; the states read what it leaves. `accelerator/_scan.pyi` is its contract.

It works on UTF-8, as the native parsers do. The states alone define behaviour; tests hold the two readers equal.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from xml5tree.accelerator import compiled
from xml5tree.dialects.xml5.tree import END_TAGS, TreeBuilder
from xml5tree.dtd.attributes import DeclaredAttributes, cost_of
from xml5tree.dtd.entities import SPACES, Entities, Entity
from xml5tree.errors.codes import Effect
from xml5tree.errors.locator import Place
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.output.markup import written_attributes, written_reference, written_value
from xml5tree.tree.namespaces import Namespaces, as_first
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.limits import ReaderLimits
from xml5tree.xml.names import FIFTH_EDITION
from xml5tree.xml.prefixes import FAMILIES
from xml5tree.xml.references import PREDEFINED, REFERENCE, error_without_semicolon, read_reference, taken_for_pair

if TYPE_CHECKING:
    from xml5tree.accelerator._scan import Content, Found, TagRule

__all__ = ["Core", "Names", "compiled", "find_or_end", "make_content", "report_run"]

#: How much there is of an error of which the library decides; of others, there is more.
OF_LIBRARY: Final = 5
#: Events in tokens, which do not depend on elements.
_IN_TOKENS: Final = frozenset({"unended-reference", "same-name", "surrogate-pair"})
#: Names whose meaning is kept.
_MOST_FOUND: Final = 1000
#: Characters of the prefixes in scope. Each run reads them; if they could be of any length, time would grow with their
#: length times the runs.
_MOST_PREFIXES: Final = 4096
#: Characters that all expansions have together at most.
_MOST_EXPANDED: Final = 1 << 16
#: Characters that may be an error in text, or begin markup.
_FOR_STATES: Final = re.compile(f"[]<]|{FORBIDDEN.pattern}")


def make_content(
    reporter: Reporter,
    limits: ReaderLimits,
    settings: Settings,
    names: "Names",
    stack: list[str],
    open_names: dict[str, int],
    *,
    wanted: str | None = None,
    takes_errors: bool = True,
) -> "Content":
    """Make what reads the content of one document, given the open elements; see `Content`."""
    assert compiled is not None
    content: Content = compiled.Content(
        reporter.codes_of(compiled.run_codes),
        stack,
        open_names,
        names,
        limits.depth(settings.max_depth),
        limits.names is FIFTH_EDITION,
        None if wanted is None else wanted.encode(),
        takes_errors,
        limits.tells_lines,
        settings.recovery == "intent",
        limits.checks_ids,
    )
    return content


def report_run(
    errors: list[Any],
    reporter: Reporter,
    events: Mapping[str, Callable[..., Any]],
    has_entity: Callable[[str], bool],
) -> None:
    """Report the errors of a run (`RunError`), and those that depend on elements or entities."""
    start = 0
    for number, error in enumerate(errors):
        if len(error) != OF_LIBRARY:
            continue
        offset, line, column, event, detail = error
        if event in _IN_TOKENS:
            code, detail, effect = _decided(event, detail, has_entity)
            errors[number] = reporter.found(code, offset, detail, None, effect, line, column)
        elif event in END_TAGS:
            errors[number] = events[event]((offset, line, column), *detail)
        else:
            reporter.record_run(errors[start:number])
            start = number + 1
            reporter.locator.go_to(offset, line, column)
            events[event](offset, *detail)
    reporter.record_run(errors[start:])


def _decided(
    event: str, detail: tuple[Any, ...], has_entity: Callable[[str], bool]
) -> tuple[str, tuple[object, ...], Effect | None]:
    """Return code, details and effect of an error that is one of `_IN_TOKENS`; no effect: the usual one."""
    if event == "same-name":
        name, first, effect = detail
        return "duplicate-attribute", (name, as_first(first)), effect
    if event == "surrogate-pair":
        return "assumed-reference", (taken_for_pair(*detail),), None
    return *error_without_semicolon(detail[0], has_entity), None


class Names(dict[bytes, "Found"]):
    """The meanings of names, each found when a run first asks."""

    def __init__(self, entities: Callable[[], Entities], namespaces: Callable[[], Namespaces]) -> None:
        self._entities = entities
        self._namespaces = namespaces
        self.meanings: dict[str, tuple[bytes, bytes, int]] = {}  # of declared entities
        self.has_prefixes = False  # whether prefixes may have been found

    def __missing__(self, key: bytes) -> "Found":
        kind, name = key[:1], key[1:].decode()
        found: Found | None
        if kind == b"&":
            found = self.meanings.get(name) or self._entities().undeclared_markup(name)
        elif kind == b"=":
            found = self._namespaces().readable(name).encode()
        else:
            uri = self._namespaces().adopted(name)
            markup = "" if uri is None else written_attributes([(f"xmlns:{name}", uri)])
            found = None if uri is None else (uri.encode(), markup.encode(), name in FAMILIES)
            self.has_prefixes = True
        if found is None:
            raise KeyError(key)
        if len(self) >= _MOST_FOUND:
            self.clear()
        self[key] = found
        return found


def find_or_end(pattern: re.Pattern[bytes], data: bytes, place: int) -> int:
    """Return where the first match of a pattern from `place` on begins, or the end."""
    found = pattern.search(data, place)
    return found.start() if found else len(data)


#: Finds what stands for characters that were replaced.
_next_replacement: Final = partial(find_or_end, re.compile("\ufffd".encode()))


def _rules_of(declared: DeclaredAttributes, *, are_added: bool) -> "dict[bytes, TagRule]":
    """Return the rules of the elements whose tags declarations change, by name; for `are_added` see `Core`."""
    rules: dict[bytes, TagRule] = {
        name.encode(): (name not in declared.collapsed, name in declared.collapsed, ()) for name in declared.rewritten
    }
    for name in declared.extended:
        defaults = [
            (attribute.encode(), written_attributes([(attribute, value)]).encode(), cost_of(attribute, value))
            for attribute, value in declared.lacking(name, ())
        ]
        rules[name.encode()] = (not are_added, False, tuple(defaults))
    return rules


def _meanings_of(entities: Entities) -> dict[str, tuple[bytes, bytes, int]]:
    """Return the markup of references to declared entities, in text and in attribute values, and the costs, by name.

    Left out are entities that have markup, other entities, errors, or nothing visible in their last line.
    """
    if not entities.expands or entities.kept is not None:
        return {}
    left = _MOST_EXPANDED
    found: dict[str, tuple[bytes, bytes, int]] = {}
    for entity in entities.declared.values():
        if entity.text is None or entity.name in PREDEFINED or (expanded := _expand(entity.text)) is None:
            continue
        text, value = expanded
        left -= len(text)
        if left < 0:
            break
        if text[text.rfind("\n") + 1 :].strip(" \t"):
            found[entity.name] = written_reference(text).encode(), written_value(value).encode(), entity.cost
    return found


def _expand(source: str) -> tuple[str, str] | None:
    """Return what an entity's text stands for in text and in attribute values; None: the states decide."""
    if len(source) > _MOST_EXPANDED or _FOR_STATES.search(source):
        return None
    text = value = ""
    place = 0
    while (ampersand := source.find("&", place)) >= 0:
        match = REFERENCE.match(source, ampersand + 1)
        assert match is not None  # it matches the empty string
        reference = read_reference("&" + match[0], lambda *_: None, lambda _: False)
        characters = reference.text if reference.name is None else PREDEFINED.get(reference.name)
        if not reference.is_correct or characters is None or "]" in characters:
            return None
        plain, place = source[place:ampersand], match.end()
        text += plain + characters
        value += plain.translate(SPACES) + characters
    return text + source[place:], value + source[place:].translate(SPACES)


class Core:
    """Has runs of one document read, where an element is open, and outside the root element."""

    def __init__(
        self,
        builder: TreeBuilder,
        reporter: Reporter,
        limits: ReaderLimits,
        settings: Settings,
        *,
        wanted: str | None = None,
        is_unchanged: bool = False,
    ) -> None:
        """Connect the core with tree construction; `reporter` takes the errors.

        `wanted` is the local name of the elements that are to be noted, "" for those of all names; the root is left to
        the states then. If `is_unchanged`, runs are as they stand in the document: without errors and added defaults.
        """
        self._builder = builder
        self._reporter = reporter
        self._events = builder.events
        self._takes_root = wanted is None
        self._is_unchanged = is_unchanged
        self._namespaces = builder.namespaces
        self._entities: Entities
        self._names = Names(lambda: self._entities, lambda: self._namespaces)
        self._content = make_content(
            reporter,
            limits,
            settings,
            self._names,
            builder.stack,
            builder.open_names,
            wanted=wanted,
            takes_errors=not is_unchanged,
        )
        self._declared: dict[str, Entity] | None = None  # the entities that meanings were made of
        self._rules: dict[bytes, TagRule] = {}  # made of `_declared_attributes`
        self._declared_attributes: DeclaredAttributes | None = None
        self._version = -1  # of the namespaces that `_prefixes` was made of
        self._prefixes: dict[str, str | None] | None = None  # None: not all names can be written verbatim
        #: Given a place in UTF-8, each returns the first one from there on that is for the states.
        self.fences: list[Callable[[bytes, int], int]] = []
        self._stop = -1  # place in the data where the first fence is; -1: not known
        self._has_replaced = False  # whether U+FFFD is in no name
        self._text = ""  # the current text, with its UTF-8
        self._data = b""
        self._is_ascii = True  # whether places in the data are indices of the text
        self._index = self._place = 0  # the index of the last call of `_go_to`, and its place in the data
        self._resume = 0  # place in the data before which asking is pointless

    def release(self) -> None:
        """Break reference cycles; see `Pipeline.release`."""
        del self._names, self._content

    def load(self, text: str, chunk: str, utf8: bytes) -> None:
        """Go on to another text, which ends in `chunk`, whose UTF-8 is given."""
        self._text = text
        self._data = text[: len(text) - len(chunk)].encode() + utf8
        self._is_ascii = len(self._data) == len(text)
        self._index = self._place = self._resume = 0
        self._stop = -1

    def expect_replaced(self) -> None:
        """Leave the first token with U+FFFD to the states, as it may stand for a character that was replaced."""
        self.fences.append(_next_replacement)

    def forbid_replaced(self) -> None:
        """Have no name with U+FFFD from now on; see `expect_replaced`."""
        self.fences.remove(_next_replacement)
        self._stop = -1
        self._has_replaced = True
        self._names.clear()

    def may_take(self, start: int) -> bool:
        """Return False if there is certainly no run at an index of the text."""
        return start < len(self._text) and self._go_to(start) >= self._resume

    def _go_to(self, index: int) -> int:
        """Return the place in the data of an index of the text; later calls do not go back."""
        if self._is_ascii:
            return index
        self._place += len(self._text[self._index : index].encode())
        self._index = index
        return self._place

    def take(self, start: int, offset: int, position: tuple[int, int], entities: Entities) -> tuple[int, int] | None:
        """Write the run of content that begins at an index of the text; the tokenizer is in the data state.

        `offset` and `position`, its line and column, are those of the index in the document.

        Returns:
            The characters and newlines of the run; None if there is no run.
        """
        data = self._data
        place = self._go_to(start)
        if self._stop < place and self.fences:  # `place` never goes back
            self._stop = min(fence(data, place) for fence in self.fences)
        stop = self._stop if self.fences else len(data)
        run = self.read(data, place, stop, offset, position, entities)
        if run is None:
            return None
        self._place, self._resume, (end, line, _) = run
        characters = end - offset
        self._index = start + characters
        return (characters, line - position[0]) if characters else None

    def read(
        self,
        data: bytes,
        place: int,
        stop: int,
        offset: int,
        position: tuple[int, int],
        entities: Entities,
        *,
        has_controls: bool | None = None,
    ) -> tuple[int, int, Place] | None:
        """Write a run as `take` does, at a place in UTF-8; nothing from `stop` on is read.

        If `has_controls` is not None, the data is `is_plain` but for control characters: there are some, which have
        not been reported, or none.

        Returns:
            Where the run ends, the first place worth another try, and the place of the end in the document. None: there
            can be no run.
        """
        builder = self._builder
        if (
            not (self._takes_root or builder.stack)
            or (barrier := builder.barrier_of_run(may_flatten=not self._is_unchanged)) is None
            or (prefixes := self._prefixes_in_scope()) is None
        ):
            return None
        self._entities = entities
        if self._declared is not entities.declared or self._declared_attributes is not builder.declared:
            self._take_declarations(entities)
        lacking, flags = builder.before_run()
        if self._is_unchanged and (lacking > 0 or flags & 7):
            return None
        run = self._content.read(
            data,
            prefixes,
            self._rules,
            None if builder.contradictions is None else builder.contradictions.judge,
            place,
            stop,
            entities.budget.left() if self._rules or self._names.meanings else 0,
            lacking,
            flags | self._has_replaced << 7 | (has_controls is True) << 8 | (has_controls is False) << 9,
            barrier if self._takes_root else max(barrier, 1),
            offset,
            *position,
        )
        end, resume, markup, ended, opened, last, line, column, cost, errors, lowest = run[:11]
        if end > place:
            source = data[place:end]
            if errors:
                report_run(errors, self._reporter, self._events, entities.has)
            if markup is None:
                markup = source
            else:
                entities.budget.spend(cost)
            newlines = line - position[0]
            builder.append_run(markup, source, newlines + lacking, ended, opened, lowest, *run[11:])
        return end, resume, (last, line, column)

    def _take_declarations(self, entities: Entities) -> None:
        """Make anew what depends on declarations, which takes time."""
        self._declared, self._declared_attributes = entities.declared, self._builder.declared
        self._rules = _rules_of(self._builder.declared, are_added=not self._is_unchanged)
        self._names.clear()
        self._names.meanings = _meanings_of(entities) if entities.declared and not self._is_unchanged else {}

    def _prefixes_in_scope(self) -> dict[str, str | None] | None:
        """Return the prefixes in scope; None if too many, or if names without prefix cannot be written verbatim."""
        namespaces = self._namespaces
        if namespaces.version != self._version:
            self._version = namespaces.version
            prefixes = namespaces.clean_prefixes()
            if prefixes is not None and sum(map(len, prefixes)) > _MOST_PREFIXES:
                prefixes = None
            self._prefixes = prefixes
            if self._names.has_prefixes:  # some of what was found may not hold any more
                self._names.has_prefixes = False
                self._names.clear()
        return self._prefixes
