"""Columns of records, which the compiled reader of markup makes without elements."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from os import urandom
from sys import maxsize
from typing import Any, Final, NamedTuple, TypeAlias

from xml5tree.accelerator import compiled
from xml5tree.backends import find_backend
from xml5tree.backends.pruning import Pruner
from xml5tree.fieldpaths import ATTRIBUTE, Path, names_of
from xml5tree.record import RecordRun

#: Returns the name of an element or attribute in a row, given its expanded name, the namespace of the record, and
#: whether it is an attribute's.
Naming = Callable[[str, str, bool], str]
#: Values as Arrow lays them out; see `take_columns` in accelerator/_scan.pyi.
Layout: TypeAlias = tuple[Any, ...]
#: The name of an element's text beside its attributes and child elements.
TEXT: Final = "#text"
#: Levels of structures; deeper values are text. Each may be in a list, and streams of Arrow have 64 levels at most.
DEEPEST: Final = 30

#: States and roles of elements, kinds of columns, and flags of states. The numbers are those of accelerator/columns.h,
#: which explains the flags.
_OUTSIDE, _SKIPPED, _RECORD = range(3)
_OTHER, _ALIKE, _IS_RECORD = range(3)
_TABLE, LEAF, SINGLE, LIST, EXACT, STRUCTURE = 1, 2, 4, 8, 16, 32
#: The instance that has text beside members first, if none has.
NEVER: Final = maxsize
#: The most names in records that are noted.
MOST_SEEN: Final = 1000

#: What the reader is told of an element: its state, its role, the number of a record's namespace; of a new state, its
#: flags and the columns of its text.
_Answer = tuple[int, int, int, int, tuple[int, ...]]


class _Names:
    """Answers the reader's questions about names."""

    columns: tuple[tuple[int, bool], ...] = ()  # kinds of columns that are known, and whether they have lists
    texts: tuple[int, ...] = ()  # those that get text of records

    def __init__(self, local_name: str, is_record: Callable[[str], bool]) -> None:
        """Set the local name of records, "" if they have several, and what says whether a name is that of records."""
        self._local_name = local_name
        self._is_record = is_record
        self.seen: dict[str, None] = {}  # names of the attributes and children of records

    def child(self, state: int, namespace: int, name: str) -> _Answer:
        role = _OTHER
        if not self._local_name or name.rpartition("}")[2] == self._local_name:
            if self._is_record(name):
                return _RECORD, _IS_RECORD, self._number_of(name), 0, ()
            role = _ALIKE
        if state in {_OUTSIDE, _SKIPPED}:
            return state, role, 0, 0, ()
        target, flags, columns = self._inner(state, namespace, name)
        return target, role, 0, flags, columns

    def _number_of(self, name: str) -> int:
        """Return the number of the namespace of a record."""
        return 0

    def _inner(self, state: int, namespace: int, name: str) -> tuple[int, int, tuple[int, ...]]:
        raise NotImplementedError

    def _note(self, state: int, name: str) -> None:
        if state == _RECORD and len(self.seen) < MOST_SEEN:
            self.seen[name] = None


# Fields ---------------------------------------------------------------------------------------------------------------


class FieldNames(_Names):
    """Follows the paths of `fields`: a state is a set of places in them."""

    def __init__(self, paths: Sequence[Path], local_name: str, is_record: Callable[[str], bool]) -> None:
        super().__init__(local_name, is_record)
        self._paths = paths
        start = tuple((number, 0) for number in range(len(paths)))
        self._places: list[tuple[tuple[int, int], ...]] = [(), (), start]
        self._known = {start: _RECORD}
        self.columns = tuple((path.kind, path.is_all) for path in paths)
        self.texts = self._texts(start)
        self._steps: dict[int, dict[str, list[tuple[int, int]]]] = {}  # by state: the places before each step

    def _texts(self, places: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        """Return the columns that get text of elements at these places."""
        paths = self._paths
        return tuple(
            number for number, step in places if step == len(paths[number].steps) and paths[number].kind != ATTRIBUTE
        )

    def _inner(self, state: int, namespace: int, name: str) -> tuple[int, int, tuple[int, ...]]:
        self._note(state, name)
        found = self._after(state, names_of(name))
        if not found:
            return _SKIPPED, 0, ()
        target = self._known.get(found)
        if target is not None:
            return target, 0, ()
        self._known[found] = len(self._places)
        self._places.append(found)
        return self._known[found], 0, self._texts(found)

    def _steps_of(self, state: int) -> dict[str, list[tuple[int, int]]]:
        """Return the places before each step, or attribute, that a path has next."""
        steps = self._steps.get(state)
        if steps is None:
            steps = self._steps[state] = {}
            for number, step in self._places[state]:
                path = self._paths[number]
                for name in path.steps[step : step + 1] or (f"@{path.attribute}",):
                    steps.setdefault(name, []).append((number, step))
        return steps

    def _after(self, state: int, names: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
        """Return the places after a step to an element with these names."""
        steps, paths = self._steps_of(state), self._paths
        matching = {*names, "*", f"{{*}}{names[0].rpartition('}')[2]}"} & steps.keys()
        places = chain.from_iterable(map(steps.__getitem__, matching))
        return tuple(
            (number, step + 1)
            for number, step in sorted(places)
            if paths[number].matches(paths[number].steps[step], names)
        )

    def attribute(self, state: int, namespace: int, name: str) -> tuple[int, ...]:
        self._note(state, f"@{name}")
        steps, paths = self._steps_of(state), self._paths
        names = names_of(name)
        places = chain.from_iterable(steps.get(f"@{one}", ()) for one in {*names})
        return tuple(
            number for number, _ in sorted(places) if paths[number].has_variants or paths[number].attribute == names[0]
        )


# Tables ---------------------------------------------------------------------------------------------------------------


class Node(NamedTuple):
    """The wanted parts of an element: the flags of its state, and a node for each wanted attribute or child element."""

    flags: int
    members: "Mapping[str, Node]"


class TableNames(_Names):
    """Makes a table of each kind of element, which is known by the names on the way from the record to it."""

    def __init__(
        self,
        written: Naming,
        local_name: str,
        is_record: Callable[[str], bool],
        wanted: Callable[[str], Node | None] | None = None,
    ) -> None:
        """Set what names elements, and what returns the wanted members of records by name; None: all are wanted."""
        super().__init__(local_name, is_record)
        self._written = written
        self._namespaces: dict[str, int] = {}  # the numbers of namespaces of records
        self._uris: list[str] = []
        # by state: its name, its depth, what finds its wanted members, and the states and columns of members by name
        self.names = ["", "", ""]
        self._depths = [0, 0, 0]
        self._wanted = [None, None, wanted]
        self._members: list[dict[str, int]] = [{}, {}, {}]
        self.attributes: dict[int, str] = {}  # names by column
        self._columns = 2  # the text and the markup of records

    def _number_of(self, name: str) -> int:
        uri = name[1:].rpartition("}")[0]
        if uri not in self._namespaces:
            self._namespaces[uri] = len(self._uris)
            self._uris.append(uri)
        return self._namespaces[uri]

    def _shown(self, namespace: int, name: str, *, is_attribute: bool) -> str:
        return self._written(name, self._uris[namespace], is_attribute)

    def _wants(self, state: int, name: str) -> tuple[bool, Node | None]:
        """Return whether a member is wanted, and what of it; None: all."""
        wanted = self._wanted[state]
        node = None if wanted is None else wanted(name)
        return wanted is None or node is not None, node

    def _inner(self, state: int, namespace: int, name: str) -> tuple[int, int, tuple[int, ...]]:
        shown = self._shown(namespace, name, is_attribute=False)
        self._note(state, shown)
        known = self._members[state].get(shown)
        if known is not None:
            return known, 0, ()
        is_wanted, node = self._wants(state, shown)
        depth = self._depths[state] + 1
        if not is_wanted or depth > DEEPEST:
            return _SKIPPED, 0, ()
        flags = _TABLE | (LEAF if depth == DEEPEST else 0) | (0 if node is None else node.flags)
        number = self._members[state][shown] = len(self.names)
        self.names.append(shown)
        self._depths.append(depth)
        self._wanted.append(None if node is None else node.members.get)
        self._members.append({})
        self._columns += 1  # that of its text
        return number, flags, ()

    def attribute(self, state: int, namespace: int, name: str) -> tuple[int, ...]:
        shown = "@" + self._shown(namespace, name, is_attribute=True)
        self._note(state, shown)
        known = self._members[state].get(shown)
        if known is not None:
            return (known,)
        if not self._wants(state, shown)[0]:
            return ()
        self._members[state][shown] = self._columns
        self.attributes[self._columns] = shown
        self._columns += 1
        return (self._columns - 1,)

    def name_of(self, kind: str, number: int) -> str:
        """Return the name of a member."""
        return TEXT if kind == "text" else self.names[number] if kind == "child" else self.attributes[number]


# Records --------------------------------------------------------------------------------------------------------------


#: The namespace of elements in the places of records within a record, see columnreader.h.
_INNER: Final = b"xml5tree:inner-record"


class Found(NamedTuple):
    """The values of some records: how many there are, columns or members, their markup, and which need elements."""

    size: int
    values: list[Any]  # layouts of the columns of `fields`; or of members, as `_named` returns them
    markup: "Sequence[bytes]"  # documents whose only child is a record, if markup is kept
    irregular: bytes  # by record: 1 if values are not all there
    seen: tuple[str, ...]  # names in records so far
    prefixes: Mapping[str, str]
    is_disordered: bool  # whether members that the same record has first may be in another order than in it

    @property
    def odd_rows(self) -> list[int]:
        """The rows that need elements."""
        irregular = self.irregular
        return [row for row, is_irregular in enumerate(irregular) if is_irregular] if 1 in irregular else []

    def detach(self) -> None:
        """Keep the markup of the records, not that of the window that they are of."""
        if isinstance(self.markup, _Documents):
            self.markup.detach()

    def lists(self) -> list[list[Any]]:
        """Return the values of the columns of `fields`."""
        return [*map(_list_of, self.values)]

    def element(self, row: int) -> Any:
        """Return the element of a record, if markup is kept."""
        markup = self.markup[row]
        element = find_backend("etree").parse_markup(markup)[0]
        if _INNER in markup:
            Pruner(lambda node: node.tag == f"{{{_INNER.decode()}}}x").purge(element)
        return element


class _Documents(Sequence[bytes]):
    """Documents whose only children are records; each is made when it is asked for."""

    def __init__(self, layout: Layout, parts: "Mapping[int, bytes | memoryview]", start: int) -> None:
        """Set the markup as it is kept, and the parts that it refers to, which begin at `start`."""
        *_, offsets, self._data = layout
        self._start = start
        self._offsets = memoryview(offsets).cast("i")
        self._parts = parts

    def detach(self) -> None:
        """See `Found.detach`."""
        self._parts = {number: bytes(part) for number, part in self._parts.items()}

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, row: Any) -> Any:
        value = self._data[self._offsets[row] : self._offsets[row + 1]]
        number, start, stop = memoryview(value[-24:]).cast("q")
        return b"".join((value[:-24], self._parts[number][start - self._start : stop - self._start], b"</x>"))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, ([*self],)


def _named(members: list[Any], name_of: Callable[[str, int], str]) -> list[tuple[str, int, Layout]]:
    """Return members in the order of those that have them first: their names, which record that is, and the values."""
    found = [(name_of(kind, number), first, _with_names(layout, name_of)) for kind, number, first, layout in members]
    return sorted(found, key=lambda member: (member[1], member[0] == TEXT))


def _with_names(layout: Layout, name_of: Callable[[str, int], str]) -> Layout:
    kind, *facts, inner = layout
    if kind == "structure":
        inner = _named(inner, name_of)
    elif kind == "list":
        inner = _with_names(inner, name_of)
    return kind, *facts, inner


class ColumnsParser:
    """Takes the place of the native parser of records, of which it numbers those that have ended, from 0."""

    def __init__(
        self,
        make_names: Callable[[], FieldNames | TableNames],
        prefixes: Mapping[str, str],
        *,
        keeps_markup: bool,
        tells_spans: bool,
    ) -> None:
        """Set what answers questions about names, the prefixes of members, and whether runs of windows have spans."""
        assert compiled is not None
        self._make_names = make_names
        self.names = names = make_names()
        self._prefixes = prefixes
        self._tells_spans = tells_spans
        seed, is_table = int.from_bytes(urandom(4)), isinstance(names, TableNames)
        self._columns = compiled.open_columns(seed, names.columns, names.texts, is_table, keeps_markup)
        self._keeps_markup = keeps_markup
        self.has_places = keeps_markup and not is_table  # whether runs of windows know where records begin and end
        self._ended: list[Sequence[int]] = []
        self._has_gaps = False  # whether records have been dropped
        self.count = 0  # records that have ended
        self._taken = 0
        self.read = -1  # how far the last window has been read, if it has no error
        self._window_start = 0  # bytes of the document before the next window
        self.has_others = False  # whether it has other elements of the local name of records
        self.is_large = False  # whether the records that have ended had better be taken
        self._number = 0  # of the last part that was read
        # the parts in which records have ended that are not taken, with `count` then
        self._parts: dict[int, tuple[int, bytes | memoryview]] = {}

    def feed(self, markup: bytes) -> None:
        assert compiled is not None
        ends, self.is_large, read = compiled.feed_columns(self._columns, self.names, markup)
        if read < len(markup):
            raise ValueError("the markup is not as it should be")
        first, count = self.count, ends.count(1)
        self.count += count
        self._number += 1
        if count and self._keeps_markup:
            self._parts[self._number] = self.count, markup
        if count == len(ends):
            self._ended.append(range(first, self.count))
        else:
            numbers = accumulate(ends, initial=first)
            self._ended.append([number if is_one else -1 for number, is_one in zip(numbers, ends, strict=False)])

    def renewed(self) -> "ColumnsParser":
        """Return one that has read nothing."""
        facts = {"keeps_markup": self._keeps_markup, "tells_spans": self._tells_spans}
        return ColumnsParser(self._make_names, self._prefixes, **facts)

    def read_window(
        self,
        runs: "list[RecordRun]",
        size: int,
        tells_bytes: bool,
        is_first: bool,
        is_last: bool,
        window: bytes,
        start: int,
        stop: int,
        *limits: Any,
    ) -> bool | None:
        """Append the records of a window of a document as runs of up to `size`, whose values are taken.

        For `is_first` and `is_last` see `read_columns` in accelerator/_scan.pyi. The other arguments and the result are
        those of `has_error`; nothing can be done after an error.
        """
        assert compiled is not None
        found = compiled.read_columns(self._columns, self.names, window, start, *limits, size, is_first, is_last)
        if found is None or isinstance(found, bool):
            return found
        parts, self.read = found
        self.has_others = any(others for _, _, others in parts)
        self._number += 1
        done, self._window_start = self._window_start, self._window_start + self.read
        begin = 0
        for (count, *values), each, _ in parts:
            places = memoryview(each).cast("q")
            rows = range(self.count, self.count + count)
            run = RecordRun(rows, None, range(rows.start + 1, rows.stop + 1), places[::6])
            if tells_bytes:
                run.byte_offsets = places[1::6]
            if self.has_places:
                run.starts, run.ends = places[2::6], places[5::6]
            if self._tells_spans:
                at = 1 if tells_bytes else 2
                run.spans = [*zip(places[at::6], places[at + 3 :: 6], strict=True)]
            self.count = rows.stop
            start, begin = begin, places[-2] - done
            self._parts = {self._number: (maxsize, memoryview(window)[start:begin] if self._keeps_markup else b"")}
            run.found = self._found(count, *values, start=start)
            runs.append(run)
        return False

    def close(self) -> None:
        pass

    def read_ends(self) -> Sequence[int]:
        """Return the numbers of the records that have ended, -1 for another element of their local name."""
        ended, self._ended = self._ended, []
        return ended[0] if len(ended) == 1 else [*chain.from_iterable(ended)]

    def prune(self, has_inner: bool) -> None:
        pass

    def purge(self, record: int) -> None:
        pass

    def take(self, rows: Sequence[range]) -> Found:
        """Return the values of some records, in order; those before and between them are dropped."""
        assert compiled is not None
        taken = self._taken
        self._taken = rows[-1].stop
        ranges = tuple((one.start - taken, one.stop - taken) for one in rows)
        size, *values = compiled.take_columns(self._columns, ranges, self._taken - taken)
        self._has_gaps = self._has_gaps or size < self._taken - taken
        found = self._found(size, *values)
        self._parts = {number: one for number, one in self._parts.items() if one[0] > self._taken}
        return found

    def _found(
        self, size: int, values: list[Any], markup: Layout | None, irregular: bytes, has_inner: bool, *, start: int = 0
    ) -> Found:
        """Return what `take_columns` has returned; the parts with markup begin at `start`."""
        documents: Sequence[bytes] = ()
        if isinstance(self.names, TableNames):
            values = _named(values, self.names.name_of)
        if markup is not None:
            documents = _Documents(markup, {number: part for number, (_, part) in self._parts.items()}, start)
        is_disordered = has_inner or self._has_gaps
        return Found(size, values, documents, irregular, tuple(self.names.seen), self._prefixes, is_disordered)


def _list_of(layout: Layout) -> list[Any]:
    """Return the values of a column, text or lists of text, as a list."""
    kind, size, nulls, validity, offsets, items = layout
    places = memoryview(offsets).cast("i")[: size + 1]
    if kind == "list":
        texts = _list_of(items)
        return [texts[start:end] for start, end in pairwise(places)]
    if items.isascii():
        text = items.decode()
        texts = [text[start:end] for start, end in pairwise(places)]
    else:
        texts = [items[start:end].decode() for start, end in pairwise(places)]
    if nulls:
        return [text if validity[at >> 3] >> (at & 7) & 1 else None for at, text in enumerate(texts)]
    return texts
