"""Calls a scan for the stages, and reports runs."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from xml5tree.dtd.attributes import DeclaredAttributes
from xml5tree.dtd.entities import Entities, Entity
from xml5tree.fastpath.contract import Adopted, Limits, RunCode, RunError, Scan, Scope, TagRule
from xml5tree.fastpath.defaults import tag_rules
from xml5tree.fastpath.entities import expansions
from xml5tree.output.markup import written_attributes
from xml5tree.tree.namespaces import Namespaces
from xml5tree.xml.names import FIFTH_EDITION, NameRules
from xml5tree.xml.prefixes import FAMILIES

__all__ = ["FastPath", "FoundWhenUsed", "RunSink", "adopted", "readable"]

#: Undeclared entities, or prefixes, whose meaning is kept.
_MOST_FOUND: Final = 1000
#: Characters of the prefixes in scope. Each scan reads them; if they could be of any length, time would grow with their
#: length times the runs.
_MOST_PREFIXES: Final = 4096


class RunSink(Protocol):
    """The fast path's interface to tree construction."""

    namespaces: Namespaces  # the scopes of the open elements
    # the attribute declarations of the DOCTYPE; they do not change once an element is open
    declared: DeclaredAttributes
    open_names: dict[str, int]  # the names of all open elements, always the same dictionary

    max_depth: int  # how deep elements may nest in the markup

    @property
    def stack(self) -> list[str]:
        """The names of the open elements, always the same list."""

    def barrier_of_run(self, *, may_flatten: bool) -> int | None:
        """Return how many of the outermost open elements a run may not end that begins now.

        They are those whose end tags may be written otherwise. None: no content can be written verbatim here. After
        this, only `append_run` may follow. `may_flatten`: at the greatest depth allowed, a run may be written with its
        elements as siblings.
        """

    @property
    def is_before_root(self) -> bool: ...

    def before_run(self) -> tuple[int, int]:
        """Return `missing` and `flags` of `Scan` for a run that begins now."""

    @property
    def events(self) -> dict[str, Callable[..., None]]:
        """What reports errors of runs that depend on elements, given the offset and the details, by their codes."""

    def append_run(
        self,
        markup: bytes,
        source: bytes,
        newlines: int,
        ended: int,
        opened: list[str],
        lowest: int | None,
        scopes: tuple[Scope, ...],
        renamed: tuple[tuple[int, str], ...],
        missing: int,
        flags: int,
    ) -> None:
        """Write a run, `source` in UTF-8, whose errors have been reported.

        `markup` has attribute defaults, and errors repaired. The run ends `ended` open elements, and opens those in
        `opened` without ending them. For the others see `Run`.
        """


_Value = TypeVar("_Value")


class FoundWhenUsed(dict[bytes, _Value]):
    """A dictionary that finds missing values when a scan first looks for them; `find` returns None for no value."""

    def __init__(self, find: Callable[[str], _Value | None]) -> None:
        self._find = find

    def __missing__(self, key: bytes) -> _Value:
        value = self._find(key.decode()) if len(self) < _MOST_FOUND else None
        if value is None:
            raise KeyError(key)
        self[key] = value
        return value


def adopted(namespaces: Namespaces, prefix: str) -> Adopted | None:
    uri = namespaces.adopted(prefix)
    if uri is None:
        return None
    markup = written_attributes([(f"xmlns:{prefix}", uri)]).encode()
    return Adopted(uri.encode(), markup, prefix in FAMILIES)


def readable(namespaces: Namespaces, uri: str) -> bytes:
    return namespaces.readable(uri).encode()


class FastPath:
    """The fast path of one document. It works where an element is open, and before the root element."""

    def __init__(
        self,
        construction: RunSink,
        scan: Scan,
        names: NameRules,
        fence: Callable[[bytes, int], int] | None = None,
        *,
        takes_errors: bool = False,
        takes_end_tags: bool = False,
        takes_root: bool = False,
        may_flatten: bool = False,
        is_verbatim: bool = False,
        keeps_lines: bool = True,
        replaces_forbidden: bool = True,
        takes_pairs: bool = False,
        is_wrapped: bool = False,
        codes: tuple[RunCode | None, ...] = (),
    ) -> None:
        """Set the parts that it connects; for `keeps_lines` and `replaces_forbidden` see `Limits`.

        Args:
            construction: tree construction.
            scan: finds clean runs.
            names: the names that the reader of the markup can read.
            fence: given a place in UTF-8, returns the first one from there on that is for the states, whatever a
                scan says of it; None: there is none.
            takes_errors: whether runs may go on past errors.
            takes_end_tags: whether runs may go on past wrong end tags, too.
            takes_root: whether a run may have the root element's start tag.
            may_flatten: whether markup may have elements of a run as siblings that are deeper than is allowed.
            is_verbatim: whether declarations add nothing to runs, so that without errors these are as they stand.
        """
        self._construction = construction
        self.events = construction.events
        self._codes = codes
        self._namespaces = construction.namespaces
        self._scan = scan
        self._takes_root = takes_root
        self._may_flatten = may_flatten
        self._takes_errors = takes_errors  # runs go on past errors; see `Limits` for which
        self._limits = Limits(
            construction.max_depth,
            0,
            names is FIFTH_EDITION,
            all_open=construction.open_names if takes_end_tags else None,
            keeps_lines=keeps_lines,
            replaces_forbidden=replaces_forbidden,
            adopted=FoundWhenUsed(partial(adopted, self._namespaces)) if takes_errors else None,
            uris=FoundWhenUsed(partial(readable, self._namespaces)) if takes_errors else None,
            takes_pairs=takes_pairs,
            is_wrapped=is_wrapped,
            flattens=may_flatten,
            # With a fence, broken tags are for the states: the fence comes from `elements`, whose states read some of
            # them in a way of their own. So they are where the places of elements are noted (then `takes_end_tags` is
            # False): the pattern of `output/places.py` that finds a run's tags would misread them.
            broken=takes_end_tags and fence is None,
        )
        self._is_verbatim = is_verbatim
        self._declared: dict[str, Entity] | None = None  # the entities that the limits have
        self._rules: dict[bytes, TagRule] = {}  # made of `_declared_attributes`
        self._declared_attributes: DeclaredAttributes | None = None
        self._version = -1  # of the namespaces that `_prefixes` was made of
        self._prefixes: dict[str, str | None] | None = None  # None: not all names can be written verbatim
        self._fence = fence
        self._stop = -1  # place in the text's data where the fence is; -1: not known
        self._text = _Text("", b"")
        self._resume = 0  # place in the text's data before which asking is pointless

    def add_fence(self, fence: Callable[[bytes, int], int]) -> None:
        """Leave the places to the states, too, that another fence returns."""
        earlier = self._fence
        self._fence = fence if earlier is None else lambda data, place: min(earlier(data, place), fence(data, place))

    def load(self, text: str, chunk: str, utf8: bytes) -> None:
        """Go on to another text, which ends in `chunk`, whose UTF-8 is given."""
        self._text = _Text(text, text[: len(text) - len(chunk)].encode() + utf8)
        self._resume = 0
        self._stop = -1

    def take(
        self,
        start: int,
        offset: int,
        position: tuple[int, int],
        entities: Entities,
        report: Callable[[list[RunError]], None],
    ) -> tuple[int, int] | None:
        """Write the clean run of content that begins at an index of the text; the tokenizer is in the data state.

        `offset` and `position`, its line and column, are those of the index in the document. Errors of the run go to
        `report` before it is written.

        Returns:
            The characters and newlines of the run; None if there is no run.
        """
        text, construction = self._text, self._construction
        if (
            start >= text.length
            or not (self._takes_root or construction.stack)
            or (barrier := construction.barrier_of_run(may_flatten=self._may_flatten)) is None
            or (prefixes := self._prefixes_in_scope()) is None
        ):
            return None
        place = start if text.is_ascii else text.go_to(start)
        if place < self._resume:
            return None
        limits = self._limits_now(entities)
        rules = self._rules
        if rules or limits.entities:
            limits = limits._replace(added=entities.budget.left())
        data = text.data
        lacking, flags = construction.before_run()
        if not self._takes_errors and (lacking > 0 or flags & 7):
            return None
        run = self._scan(
            data,
            place,
            len(data) if self._fence is None else self._fence_after(place),
            construction.stack,
            prefixes,
            rules,
            limits,
            lacking,
            flags,
            barrier if self._takes_root else max(barrier, 1),
            offset,
            *position,
            self._codes,
        )
        end, self._resume, markup, ended, opened, characters, newlines, cost, errors, lowest = run[:10]
        if end > place:
            if errors:
                report(errors)
            source = data[place:end]
            if markup is None:
                markup = source
            else:
                entities.budget.spend(cost)
            construction.append_run(markup, source, newlines + lacking, ended, opened, lowest, *run[10:])
            text.index, text.place = start + characters, end
        return (characters, newlines) if characters else None

    def _limits_now(self, entities: Entities) -> Limits:
        """Return the limits of a scan, and make the rules anew if need be; new limits take time."""
        construction = self._construction
        limits = self._limits
        changed: dict[str, Any] = {}
        if self._declared_attributes is not construction.declared:
            self._declared_attributes = construction.declared
            rules = tag_rules(construction.declared)
            if self._is_verbatim:
                rules = {
                    name: rule._replace(is_rewritten=True) if rule.defaults else rule for name, rule in rules.items()
                }
            self._rules = rules
        if self._declared is not entities.declared:
            self._declared = entities.declared
            if self._takes_errors:
                changed["references"] = FoundWhenUsed(entities.undeclared_markup)
            expanded = None if self._is_verbatim or not entities.declared else expansions(entities) or None
            if expanded is not limits.entities:
                changed["entities"] = expanded
        if limits.is_outside != construction.is_before_root:
            changed["is_outside"] = not limits.is_outside
        if changed:
            limits = self._limits = limits._replace(**changed)
        return limits

    def _fence_after(self, place: int) -> int:
        """Return the first place from `place` on that is for the states; `place` never goes back."""
        data = self._text.data
        if self._stop < place:
            self._stop = len(data) if self._fence is None else self._fence(data, place)
        return self._stop

    def _prefixes_in_scope(self) -> dict[str, str | None] | None:
        """Return the prefixes in scope; None if too many, or if names without prefix cannot be written verbatim."""
        namespaces = self._namespaces
        if namespaces.version != self._version:
            self._version = namespaces.version
            prefixes = namespaces.clean_prefixes()
            if prefixes is not None and sum(map(len, prefixes)) > _MOST_PREFIXES:
                prefixes = None
            self._prefixes = prefixes
            if self._limits.adopted:  # some of what was found may not hold any more
                self._limits = self._limits._replace(adopted=FoundWhenUsed(partial(adopted, self._namespaces)))
        return self._prefixes


class _Text:
    """The current text, with its UTF-8."""

    __slots__ = ("_characters", "data", "index", "is_ascii", "length", "place")

    def __init__(self, text: str, utf8: bytes) -> None:
        self._characters = text
        self.length = len(text)
        self.data = utf8
        self.is_ascii = len(utf8) == len(text)  # places in the data are indices of the text
        self.index = 0  # the index of the last call of `go_to`
        self.place = 0  # the place of that index in the data

    def go_to(self, index: int) -> int:
        """Return the place in the data of an index of the text; later calls do not go back."""
        self.place += len(self._characters[self.index : index].encode())
        self.index = index
        return self.place
