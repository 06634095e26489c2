"""Finds values of flat records without making elements.

A record is flat if its child elements have only text in them, CDATA sections included. A run of records of known parts,
with only white space between them, is found in one call: by the compiled part of the library, or by a pattern whose
groups are the values. The parts are start tags of records, elements in them, and end tags; how many there are of each,
and in which order, makes no difference. Other records are read as elements, unless a caller accepts elements in
elements: then each shape is one part.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from xml5tree.accelerator import compiled
from xml5tree.output.recordnames import Names

__all__ = [
    "ANY_ATTRIBUTE",
    "Buffers",
    "ColumnValues",
    "FlatRecords",
    "FlatRun",
    "FoundValues",
    "Path",
    "Shape",
    "Wanted",
    "joined",
]

#: Parts that are known at a time, and shapes; each costs an attempt where another one is than the last time. The
#: pattern of many takes long to compile.
_MOST: Final = 128
_MOST_SHAPES: Final = 8
#: Child elements in a record; and in all shapes.
_MOST_CHILDREN: Final = 200
#: Elements in each other.
_DEEPEST: Final = 20
#: By how many records without a shape there are to be more than with one, until no more are looked at before `start`.
_PATIENCE: Final = 100
#: How often that may happen in a row, until no more are looked at in the document.
_MOST_PAUSES: Final = 8
#: Before the name of an element that may be in any namespace.
_ANY_NAMESPACE: Final = b"{*}"
_NAME: Final = rb"[^ \t\n<>/=\"'&]+"
#: Values with tabs and newlines are others when a parser has normalised them.
_ATTRIBUTE: Final = rb"[ \t\n]+(" + _NAME + rb")=(\"[^\"<\t\n]*\"|'[^'<\t\n]*')"
_START: Final = re.compile(b"<(" + _NAME + b")((?:" + _ATTRIBUTE + rb")*)[ \t\n]*(?P<slash>/?)>")
_ATTRIBUTES: Final = re.compile(_ATTRIBUTE)
_SPACE: Final = re.compile(rb"[ \t\n]*")
_END: Final = re.compile(rb"</(" + _NAME + rb")[ \t\n]*>")
#: Text, CDATA sections included.
_CONTENT_TEXT: Final = rb"[^<]*+(?:<!\[CDATA\[(?:[^\]]++|\](?!\]>))*+\]\]>[^<]*+)*+"
_CONTENT_AND_END: Final = re.compile(_CONTENT_TEXT + rb"</(" + _NAME + rb")[ \t\n]*>")
_STEP: Final = r"(?:[A-Za-z_][A-Za-z0-9_.-]*:)?[A-Za-z_][A-Za-z0-9_.-]*"
_PATH: Final = re.compile(
    rf"(?:((?:\{{[^{{}}]+\}}(?=[^:/]+(?:/|$)))?{_STEP})(?:/(?:(text\(\))|@({_STEP})))?|@({_STEP}))"
)
_MARKUP: Final = re.compile(r"&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(lt|gt|amp|quot|apos));|<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_ENTITIES: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}

#: A step of a part: a literal, and all that comes after it. The numbers are those of accelerator/rows.h.
_Step: TypeAlias = tuple[bytes, int]
_SOME_SPACE, _ANY_SPACE, _CONTENT, _VALUE, _SINGLE_QUOTED = range(5)
_AFTER: Final = (rb"[ \t\n]++", rb"[ \t\n]*+", _CONTENT_TEXT, rb"[^\"<\t\n]*+", rb"[^'<\t\n]*+")
#: Flags for the wanted values of a column, by default the first one: all of them; those that are not empty, or for
#: which something is written. The numbers are those of accelerator/rows.h.
_WANTS_ALL: Final = 1
_WANTS_FILLED: Final = 2
_WANTS_WRITTEN: Final = 4
#: An empty value, and an item that is not there, among the numbers of steps that are values; the compiled part of the
#: library knows these numbers.
_EMPTY: Final = -1
_LACKING: Final = -2
#: In a path, stands for whatever attributes there are.
ANY_ATTRIBUTE: Final = b"*"


#: What a part is of a record; one that is neither comes in between. The numbers are those of accelerator/rows.h.
_STARTS: Final = 1
_ENDS: Final = 2


class Path(NamedTuple):
    """The places of the values of a column."""

    elements: tuple[bytes, ...]  # the names of the elements to go into, perhaps in any namespace; () for the record
    attribute: bytes = b""  # the name of an attribute; "" for text; `ANY_ATTRIBUTE` for an empty value if it has some
    is_own: bool = False  # empty text is none, unless
    has_empty_texts: bool = False  # it is that of an empty CDATA section
    is_all: bool = False  # all values are wanted, as a list
    is_presence: bool = False  # the value is empty, and tells that the element is there
    is_aligned: bool = False  # the list has an item for each element, None where that lacks the attribute


class Wanted(Protocol):
    """The values and shapes that a caller wants without elements; paths may be added at any time."""

    @property
    def paths(self) -> "Mapping[str, Path]":
        """The paths of values, by names for them."""

    def accepts(self, shape: "Shape") -> bool:
        """Return whether records of a shape are wanted without elements."""


class FoundValues:
    """Values of a column, text or None, or lists of text, as the compiled `list_values` and `join_texts` take them."""

    __slots__ = ("piece",)

    def __init__(self, piece: tuple[bytes, bytes, bytes, int, int, bool, int, int]) -> None:
        self.piece = piece

    def __len__(self) -> int:
        return self.piece[7] - self.piece[6]

    def __getitem__(self, part: slice) -> "FoundValues":
        start, stop, _ = part.indices(len(self))
        first = self.piece[6]
        return FoundValues((*self.piece[:6], first + start, first + stop))

    def __iter__(self) -> Iterator[Any]:
        assert compiled is not None
        return iter(compiled.list_values(self.piece))


#: Values of a column: text, None, or lists of text.
ColumnValues: TypeAlias = Sequence[Any] | FoundValues


#: A column as Arrow lays it out; see `join_texts` in accelerator/_scan.pyi.
Buffers: TypeAlias = tuple[int, int, bytes | None, bytes, int, int, bytes | None, bytes, bytes]


def joined(parts: Sequence[ColumnValues], *, is_list: bool) -> Buffers | None:
    """Return the parts of a column, of text or lists of text, as Arrow lays it out (the compiled `join_texts`).

    None unless the compiled part has found all parts.
    """
    if compiled is None or not any(isinstance(part, FoundValues) for part in parts):
        return None
    pieces = [part.piece if isinstance(part, FoundValues) else [*part] for part in parts]
    found: Buffers | None = compiled.join_texts(pieces, is_list)
    return found


class FlatRun(NamedTuple):
    """Flat records with nothing but white space between them: columns, their number, and the end of the last one."""

    columns: dict[str, ColumnValues]
    size: int
    end: int


class FlatRecords:
    """Finds the values of flat records, while `is_on` is True."""

    # It is off as soon as it is not clear what the names in records mean.

    def __init__(
        self,
        names: Names,
        paths: Mapping[str, Path],
        accepts: "Callable[[Shape], bool] | None" = None,
        *,
        takes_nested: bool = False,
    ) -> None:
        """Take the names of records, the path of each column, and what accepts shapes; None: all are accepted.

        An accepted shape stands for all records with the same parts, in any order and any number, but for elements of
        which there is only one in each shape; with `takes_nested`, for records of this shape only, perhaps with
        elements in elements. Paths may be added to `paths` at any time; records that are looked at later are searched
        for them, too.
        """
        self.is_on = False
        self._names = names
        self._accepts = accepts
        self._takes_nested = takes_nested
        self._paths = paths
        self._finder = (_Finder if compiled is None else _CompiledFinder)(
            paths, any_repeats=accepts is None or takes_nested, most=_MOST_SHAPES if takes_nested else _MOST
        )
        self._children = 0  # in all shapes
        self._is_over = False
        self._misses = 0
        self._pauses = 0

    def start(self) -> None:
        """Take records from now on, unless it is known that there are none to take."""
        self.is_on = not self._is_over

    def see(self, markup: bytes) -> None:
        """Look for declarations of namespaces."""
        if not self._is_over and not self._names.see(markup):
            self._is_over = True
            self.is_on = False

    def run(self, source: bytes, start: int) -> FlatRun | None:
        """Return the flat records of a stretch, from `start` up to one that is not flat; None if that is the first."""
        run = self._finder.find(source, start)
        if not run.size and self._knows_more(source, start):
            run = self._finder.find(source, start)
        if not run.size:
            self._misses += 1
            if self._misses > _PATIENCE:
                self.is_on = False
                self._misses = 0
                self._pauses += 1
                self._is_over = self._is_over or self._pauses > _MOST_PAUSES
            return None
        self._misses = max(0, self._misses - run.size)
        if not self._misses:
            self._pauses = 0
        return run

    def _knows_more(self, source: bytes, start: int) -> bool:
        """Add the parts of a record to the known ones; return whether there are any."""
        shape = None if self._finder.is_full else self._shape_at(source, start)
        if shape is None or (self._accepts is not None and not self._accepts(shape)):
            return False
        if not self._takes_nested:
            return self._finder.add(shape.parts(), shape.repeated())
        self._children += len(shape.elements)
        return self._children <= _MOST_CHILDREN and self._finder.add([shape], set())

    def _shape_at(self, source: bytes, start: int) -> "Shape | None":
        tag = _START.match(source, start)
        if tag is None or tag["slash"] or not self._names.begin(tag[1]):
            return None
        shape = Shape(self._names)
        shape.begin(tag, _ANY_SPACE)
        deepest = _DEEPEST if self._takes_nested else 1
        place = tag.end()
        while shape.depth:
            place = _SPACE.match(source, place).end()  # type: ignore[union-attr]
            child = _START.match(source, place)
            if child is None:
                end = _END.match(source, place)
                if end is None or end[1] != shape.name:
                    return None
                shape.end()
                place = end.end()
                continue
            if shape.depth > deepest or len(shape.elements) > _MOST_CHILDREN or child[1] == tag[1]:
                return None
            place = child.end()
            content = None if child["slash"] else _CONTENT_AND_END.match(source, place)
            shape.begin(child, _ANY_SPACE if content is None else _CONTENT)
            if child["slash"]:
                shape.pop()
            elif content is not None:
                if content[1] != child[1]:
                    return None
                shape.end()
                place = content.end()
        return shape if shape.is_clear else None


class _Element(NamedTuple):
    """An element of a shape."""

    path: tuple[bytes, ...]  # the names from the record on, without its own, as paths have them
    parent: int  # the number of its parent, -1 for the record
    text: int | None  # the step of its text; -1: it is empty; None: it has elements


class Shape:
    """A shape of records, or of a part of them: tags in order, with any text in elements without children."""

    def __init__(self, names: Names, role: int = _STARTS | _ENDS) -> None:
        self.is_clear = True  # whether all names are known
        self.role = role  # what it is of a record
        self._names = names
        self._begins: list[int] = []  # the first step of each element
        self.steps: list[_Step] = []  # its parts
        self.elements: list[_Element] = []  # the record, and the elements in it, in the order of their start tags
        # the steps of attribute values, each with the number of its element and its name, as paths have it
        self.attributes: dict[int, tuple[int, bytes]] = {}
        self._open: list[tuple[int, bytes]] = []  # the numbers of elements, and their names

    @property
    def depth(self) -> int:
        return len(self._open)

    @property
    def name(self) -> bytes:
        """The name of the innermost open element."""
        return self._open[-1][1]

    def begin(self, tag: re.Match[bytes], after: int) -> None:
        """Add a start tag or an empty tag, and what comes after it."""
        number, parent = len(self.elements), self._open[-1][0] if self._open else -1
        path = (*self.elements[parent].path, self._known(self._names.element(tag[1]))) if self._open else ()
        literal, begin = b"<" + tag[1], len(self.steps)
        for name, value in _ATTRIBUTES.findall(tag[2]):
            quote = value[:1]
            self.steps.append((literal, _SOME_SPACE))
            if known := self._known(self._names.attribute(name)):
                self.attributes[len(self.steps)] = number, known
            self.steps.append((name + b"=" + quote, _VALUE if quote == b'"' else _SINGLE_QUOTED))
            literal = quote
        self.steps += [(literal, _ANY_SPACE), (b"/>" if tag["slash"] else b">", after)]
        text = len(self.steps) - 1 if after == _CONTENT else -1 if tag["slash"] else None
        self.elements.append(_Element(path, parent, text))
        self._begins.append(begin)
        self._open.append((number, tag[1]))

    def _known(self, name: bytes | None) -> bytes:
        self.is_clear = self.is_clear and name is not None
        return name or b""

    def end(self) -> None:
        """Add an end tag, and the white space after it."""
        self.steps += [(b"</" + self.name, _ANY_SPACE), (b">", _ANY_SPACE)]
        self.pop()

    def pop(self) -> None:
        del self._open[-1]

    def parts(self) -> "list[Shape]":
        """Return the start tag of a flat record, the elements in it, and its end tag."""
        end = len(self.steps) - 2
        parts = []
        for number, (start, stop) in enumerate(pairwise([*self._begins, end, len(self.steps)])):
            part = Shape(self._names, (0 if number else _STARTS) | (_ENDS if start == end else 0))
            part.steps = self.steps[start:stop]
            part.elements = [
                element._replace(text=element.text if not element.text or element.text < 0 else element.text - start)
                for element in self.elements[number : number + 1]
            ]
            part.attributes = {step - start: (0, name) for step, (of, name) in self.attributes.items() if of == number}
            parts.append(part)
        return parts

    def repeated(self) -> set[tuple[bytes, ...]]:
        """Return the paths that several elements have."""
        return {path for path, count in Counter(element.path for element in self.elements).items() if count > 1}

    def uses(self, path: Path) -> list[int]:
        """Return the steps of a column's values, `_EMPTY` or `_LACKING`."""
        numbers = [number for number, element in enumerate(self.elements) if _leads_to(path, element.path)]
        if not path.attribute:
            found = [self.elements[number].text for number in numbers]
            return [_EMPTY] * len(found) if path.is_presence else [text for text in found if text is not None]
        steps = {
            number: _EMPTY if path.attribute == ANY_ATTRIBUTE else step
            for step, (number, name) in self.attributes.items()
            if path.attribute in (name, ANY_ATTRIBUTE)
        }
        return [steps.get(number, _LACKING) for number in numbers if path.is_aligned or number in steps]


def _leads_to(path: Path, elements: tuple[bytes, ...]) -> bool:
    if path.elements[:1] and path.elements[0].startswith(_ANY_NAMESPACE):  # there is one element in it only
        return len(elements) == 1 and elements[0].rpartition(b"}")[2] == path.elements[0][len(_ANY_NAMESPACE) :]
    return elements == path.elements


#: A use of a value in a part: the number of a column, its path, and the step, `_EMPTY` or `_LACKING`.
_Use: TypeAlias = tuple[int, Path, int]


class _AnyFinder:
    """Knows some parts, and the paths that are asked for, of which there may become more."""

    def __init__(self, wanted: Mapping[str, Path], *, any_repeats: bool, most: int) -> None:
        """Set the paths, whether a record may have several elements of any path, and how many parts are kept."""
        self._any_repeats = any_repeats
        self._most = most
        self._wanted = wanted
        self._known: dict[tuple[_Step, ...], Shape] = {}
        self._repeated: set[tuple[bytes, ...]] = set()
        self._paths: dict[str, Path] = {}  # those that are found
        self._uses: dict[tuple[_Step, ...], list[_Use]] = {}  # by part
        self._groups: dict[tuple[bytes, ...], int] = {}  # the number of the first part with each path
        self._prepare()

    @property
    def is_full(self) -> bool:
        return len(self._known) >= self._most

    def add(self, parts: "list[Shape]", repeated: set[tuple[bytes, ...]]) -> bool:
        """Add parts, and paths that several elements of a record may have; return whether there is something new."""
        new = {steps: part for part in parts if (steps := tuple(part.steps)) not in self._known}
        if len(self._known) + len(new) > self._most:
            return False
        if not new and (self._any_repeats or repeated <= self._repeated):
            return False
        self._known.update(new)
        self._repeated |= repeated
        self._prepare()
        return True

    def _group(self, part: Shape) -> int:
        """Return the number of a group of which a record has one part; -1 if it may have several."""
        if self._any_repeats or part.role or part.elements[0].path in self._repeated:
            return -1
        return self._groups[part.elements[0].path]

    def _prepare(self) -> None:
        """Make ready to find the paths in the parts."""
        first_new = len(self._paths)
        self._paths = {**self._wanted}
        columns = [*enumerate(self._paths.values())]
        for number, (steps, part) in enumerate(self._known.items()):
            if part.elements:
                self._groups.setdefault(part.elements[0].path, number)
            # Parts are added often, and there may be thousands of paths.
            missing = columns[first_new:] if steps in self._uses else columns
            self._uses.setdefault(steps, []).extend(
                (column, path, step) for column, path in missing for step in part.uses(path)
            )

    def find(self, source: bytes, start: int) -> FlatRun:
        """Find the records from a place on."""
        if len(self._paths) < len(self._wanted):
            self._prepare()
        return self._find(source, start)

    def _find(self, source: bytes, start: int) -> FlatRun:
        raise NotImplementedError


def _mode(path: Path) -> int:
    own = _WANTS_WRITTEN if path.has_empty_texts else _WANTS_FILLED
    return _WANTS_ALL * path.is_all + own * path.is_own


class _CompiledFinder(_AnyFinder):
    """Finds records of known parts as `_Finder` does."""

    def _prepare(self) -> None:
        super()._prepare()
        self._modes = bytes(map(_mode, self._paths.values()))
        self._parts = tuple(
            (steps, tuple((column, step) for column, _, step in self._uses[steps]), part.role, self._group(part))
            for steps, part in self._known.items()
        )

    def _find(self, source: bytes, start: int) -> FlatRun:
        assert compiled is not None
        size, end, *found = compiled.find_rows(source, start, self._parts, self._modes)
        columns: dict[str, ColumnValues] = {}
        for number, (column, path) in enumerate(self._paths.items()):
            columns[column] = FoundValues((*found, len(self._paths), number, path.is_all, 0, size))
        return FlatRun(columns, size, end)


class _Groups(NamedTuple):
    """A part in the pattern of all parts.

    A use is a column with the group of its value, `_EMPTY` or `_LACKING`.
    """

    first: list[tuple[int, int]]  # uses by columns of the first value, whatever it is
    others: list[tuple[int, int, Path]]  # other uses
    role: int
    group: int  # as `_AnyFinder._group`


class _Finder(_AnyFinder):
    """Finds records of known parts by one pattern."""

    def _prepare(self) -> None:
        """Make the pattern; only what a column asks for is a group of it."""
        super()._prepare()
        self._parts: dict[int | None, _Groups] = {}  # by the group after the part, which is empty
        parts: list[bytes] = []
        mark = 0
        for steps, part in self._known.items():
            uses = self._uses[steps]
            used = sorted({step for _, _, step in uses if step >= 0})
            numbers = {step: mark + number for number, step in enumerate(used, 1)}
            parts.append(
                b"".join(
                    re.escape(literal) + (b"(" + _AFTER[after] + b")" if step in used else _AFTER[after])
                    for step, (literal, after) in enumerate(part.steps)
                )
            )
            mark += 1 + len(used)
            groups = [(column, numbers.get(step, step), path) for column, path, step in uses]
            first = [use[:2] for use in groups if not use[2].is_all and not use[2].is_own]
            others = [use for use in groups if use[2].is_all or use[2].is_own]
            self._parts[mark] = _Groups(first, others, part.role, self._group(part))
        self._pattern = re.compile(b"".join(part + b"()|" for part in parts))  # at the end of the run, it is empty

    def _find(self, source: bytes, start: int) -> FlatRun:
        rows: list[list[Any]] = []
        end = start
        row: list[Any] | None = None
        seen: set[int] = set()
        for found in self._pattern.finditer(source, start):
            part = self._parts.get(found.lastindex)
            if part is None or (row is None) != bool(part.role & _STARTS) or part.group in seen:
                break
            if row is None:
                row = [[] if path.is_all else None for path in self._paths.values()]
                seen.clear()
            if part.group >= 0:
                seen.add(part.group)
            for column, group in part.first:
                if row[column] is None:
                    row[column] = found[group] if group > 0 else b""
            for column, group, path in part.others:
                written = found[group] if group > 0 else b""
                value = None if group == _LACKING else _meant(written.decode())
                if path.is_own and not (value or (written and path.has_empty_texts)):
                    continue
                if path.is_all:
                    row[column].append(value)
                elif row[column] is None:
                    row[column] = value
            if part.role & _ENDS:
                rows.append(row)
                end = found.end()
                row = None
        columns: dict[str, ColumnValues] = {
            name: [*values] if path.is_all or path.is_own else _decoded(values)
            for (name, path), values in zip(self._paths.items(), zip(*rows, strict=True), strict=False)
        }
        return FlatRun(columns, len(rows), end)


def _decoded(values: Sequence[bytes | None]) -> list[str | None]:
    """Return the texts of values, all at once; there is no NUL in a document."""
    texts = _meant(b"\0".join(value or b"" for value in values).decode()).split("\0")
    return [None if value is None else text for value, text in zip(values, texts, strict=True)]


def _meant(text: str) -> str:
    """Return text without references and CDATA sections."""
    return _MARKUP.sub(_text_of, text) if "&" in text or "<" in text else text


def _text_of(markup: re.Match[str]) -> str:
    hexadecimal, decimal, name, section = markup.groups()
    if section is not None:
        return section
    return _ENTITIES[name] if name else chr(int(hexadecimal, 16) if hexadecimal else int(decimal))
