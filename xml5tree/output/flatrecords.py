"""Finds values of flat records without making elements.

A record is flat if its child elements have only text in them, CDATA sections included. A run of records of a few known
shapes, with only white space between them, is found in one call: by the compiled part of the library, or by a pattern
whose groups are the values. Other records are read as elements, unless a caller accepts shapes with elements in
elements.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from xml5tree.accelerator import compiled
from xml5tree.backends.elementpath import expanded_name
from xml5tree.errors.codes import Effect, worst
from xml5tree.errors.entry import ErrorEntry
from xml5tree.output.recordnames import Names
from xml5tree.xml.prefixes import XML_NAMESPACE

__all__ = [
    "ANY_ATTRIBUTE",
    "Buffers",
    "ColumnValues",
    "FlatRecords",
    "FlatRun",
    "FoundValues",
    "Path",
    "RecordRun",
    "Shape",
    "Wanted",
    "decoded",
    "flat_paths",
    "joined",
]

#: Shapes that are known at a time; each costs an attempt for records of those after it.
_MOST: Final = 8
#: Child elements in all shapes; the pattern of many takes long to compile.
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
#: The rest of a stretch from where no record of a known shape is.
_REST: Final = rb"((?s:.)++)"
_STEP: Final = r"(?:[A-Za-z_][A-Za-z0-9_.-]*:)?[A-Za-z_][A-Za-z0-9_.-]*"
_PATH: Final = re.compile(
    rf"(?:((?:\{{[^{{}}]+\}}(?=[^:/]+(?:/|$)))?{_STEP})(?:/(?:(text\(\))|@({_STEP})))?|@({_STEP}))"
)
_MARKUP: Final = re.compile(r"&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(lt|gt|amp|quot|apos));|<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_ENTITIES: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}

#: The parts of a shape: a literal, and all that comes after it. The numbers are those of accelerator/rows.h.
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


#: Values of a column: text, text in UTF-8, None, or lists of text.
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


class RecordRun:
    """Consecutive records without elements, as columns.

    `number` is that of the first one, as in `xml5tree.record.Record`, `lines` and `byte_offsets` have those of each.
    `errors` return the errors of some records by their indices; the others have none.
    """

    __slots__ = ("byte_offsets", "columns", "errors", "lines", "number")

    def __init__(
        self, number: int, lines: Sequence[int], byte_offsets: Sequence[int] | None, columns: dict[str, ColumnValues]
    ) -> None:
        self.number = number
        self.lines = lines
        self.byte_offsets = byte_offsets
        self.columns = columns
        self.errors: dict[int, Callable[[], tuple[ErrorEntry, ...]]] = {}

    def __len__(self) -> int:
        return len(self.lines)

    def all_errors(self) -> list[tuple[ErrorEntry, ...]]:
        found: list[tuple[ErrorEntry, ...]] = [()] * len(self)
        for place, errors in self.errors.items():
            found[place] = errors()
        return found

    def effects(self) -> list[Effect | None]:
        """Return the worst effect of the errors of each record."""
        found: list[Effect | None] = [None] * len(self)
        for place, errors in self.errors.items():
            found[place] = worst(*(entry.effect for entry in errors()))
        return found

    def part(self, start: int, stop: int) -> "RecordRun":
        if (start, stop) == (0, len(self)):
            return self
        part = slice(start, stop)
        found = RecordRun(
            self.number + start,
            self.lines[part],
            None if self.byte_offsets is None else self.byte_offsets[part],
            {name: values[part] for name, values in self.columns.items()},
        )
        if self.errors:
            found.errors = {at - start: self.errors[at] for at in range(start, stop) if at in self.errors}
        return found


def flat_paths(
    fields: Mapping[str, str | Sequence[str]], prefixes: Mapping[str, str], *, has_empty_texts: bool = False
) -> dict[str, Path] | None:
    """Return the paths of `fields` in flat records; None if a field needs elements.

    `prefixes` has the namespaces of all prefixes in the fields; for `has_empty_texts` see `Backend`.
    """
    prefixes = {"xml": XML_NAMESPACE, **prefixes}
    paths = {}
    for column, path in fields.items():
        found = _PATH.fullmatch(path if isinstance(path, str) else path[0])
        if found is None:
            return None
        child, text, attribute, own = (name and expanded_name(name, prefixes).encode() for name in found.groups())
        paths[column] = Path(
            (child,) if child else (),
            attribute or own or b"",
            is_own=bool(text),
            has_empty_texts=bool(text) and has_empty_texts and "{" not in found[0],
            is_all=not isinstance(path, str),
        )
    return paths


class FlatRecords:
    """Finds the values of flat records, while `is_on` is True."""

    # It is off as soon as it is not clear what the names in records mean.

    def __init__(
        self, names: Names, paths: Mapping[str, Path], accepts: "Callable[[Shape], bool] | None" = None
    ) -> None:
        """Take the names of records, the path of each column, and what accepts shapes; None: flat ones are accepted.

        Paths may be added to `paths` at any time; records that are looked at later are searched for them, too.
        """
        self.is_on = False
        self._names = names
        self._accepts = accepts
        self._paths = paths
        self._finder = _Finder(paths) if compiled is None else _CompiledFinder(paths)
        self._shapes = 0  # how many are known
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
        """Add the shape of a record to the known ones; return whether that was possible."""
        shape = self._shape_at(source, start) if self._shapes < _MOST else None
        if shape is None or self._children + len(shape.elements) > _MOST_CHILDREN:
            return False
        if self._accepts is not None and not self._accepts(shape):
            return False
        self._shapes += 1
        self._children += len(shape.elements)
        self._finder.add(shape)
        return True

    def _shape_at(self, source: bytes, start: int) -> "Shape | None":
        tag = _START.match(source, start)
        if tag is None or tag["slash"] or not self._names.begin(tag[1]):
            return None
        shape = Shape(self._names)
        shape.begin(tag, _ANY_SPACE)
        deepest = 1 if self._accepts is None else _DEEPEST
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
            if shape.depth > deepest or len(shape.elements) > _MOST_CHILDREN:
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
    """A shape of records: tags in order, with any text in elements without children."""

    def __init__(self, names: Names) -> None:
        self.is_clear = True  # whether all names are known
        self._names = names
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
        literal = b"<" + tag[1]
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


class _AnyFinder:
    """Knows some shapes, and the paths that are asked for, of which there may become more."""

    def __init__(self, wanted: Mapping[str, Path]) -> None:
        self._wanted = wanted
        self._known: list[Shape] = []
        self._paths: dict[str, Path] = {}  # those that are found
        self._prepare()

    def add(self, shape: Shape) -> None:
        self._known.append(shape)
        self._prepare()

    def _prepare(self) -> None:
        """Make ready to find the paths in the shapes."""
        self._paths = {**self._wanted}

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
    """Finds records of known shapes as `_Finder` does."""

    def _prepare(self) -> None:
        super()._prepare()
        paths = self._paths.values()
        self._modes = bytes(map(_mode, paths))
        self._shapes = tuple(
            (tuple(shape.steps), tuple(tuple(shape.uses(path)) for path in paths)) for shape in self._known
        )

    def _find(self, source: bytes, start: int) -> FlatRun:
        assert compiled is not None
        size, end, *found = compiled.find_rows(source, start, self._shapes, self._modes)
        columns: dict[str, ColumnValues] = {}
        for number, (column, path) in enumerate(self._paths.items()):
            columns[column] = FoundValues((*found, len(self._paths), number, path.is_all, 0, size))
        return FlatRun(columns, size, end)


class _Groups(NamedTuple):
    """The groups of a shape in the pattern of all shapes."""

    mark: int  # a group that is empty in records of other shapes
    groups: dict[str, list[int]]  # by column; or `_EMPTY`, `_LACKING`


class _Finder(_AnyFinder):
    """Finds records of known shapes by one pattern."""

    # For a Python without the compiled part: tables of flat records take three fifths of the time that elements take.

    def _prepare(self) -> None:
        """Make the pattern; only what a column asks for is a group of it."""
        super()._prepare()
        self._shapes: list[_Groups] = []
        parts: list[bytes] = []
        mark = 0
        for shape in self._known:
            uses = {column: shape.uses(path) for column, path in self._paths.items()}
            used = sorted({step for steps in uses.values() for step in steps if step >= 0})
            numbers = {step: mark + number for number, step in enumerate(used, 1)}
            groups = {column: [numbers.get(step, step) for step in steps] for column, steps in uses.items()}
            self._shapes.append(_Groups(mark, groups))
            part = b"".join(
                re.escape(literal) + (b"(" + _AFTER[after] + b")" if step in used else _AFTER[after])
                for step, (literal, after) in enumerate(shape.steps)
            )
            parts.append(b"(<)" + part[1:])
            mark += 1 + len(used)
        self._pattern = re.compile(b"|".join([*parts, _REST])) if parts else None

    def _find(self, source: bytes, start: int) -> FlatRun:
        found = [] if self._pattern is None else self._pattern.findall(source, start)
        rest = found[-1][-1] if found else b""
        if rest:
            del found[-1]
        if not found:
            return FlatRun({}, 0, start)
        end = len(source) - len(rest)
        has_markup = source.find(b"&", start, end) >= 0 or source.find(b"<!", start, end) >= 0
        return FlatRun(self._columns(found, has_markup), len(found), end)

    def _columns(self, found: list[tuple[bytes, ...]], has_markup: bool) -> dict[str, ColumnValues]:
        """Return the values of each column, given the groups of each record, and whether these may have markup."""
        groups = list(zip(*found, strict=True))
        shapes = self._shapes
        if len(shapes) > 1:
            shapes = [shape for shape in shapes if any(groups[shape.mark])]
        columns: dict[str, ColumnValues] = {}
        for column, path in self._paths.items():
            if path.is_all or path.is_own:
                columns[column] = _several(path, column, shapes, groups, len(found))
            else:
                columns[column] = _first(column, shapes, groups, has_markup, len(found))
        return columns


def _first(
    column: str, shapes: list[_Groups], groups: list[tuple[bytes, ...]], has_markup: bool, count: int
) -> Sequence[Any]:
    at = [shape.groups[column][0] for shape in shapes if shape.groups[column]]
    values: Sequence[Any] = _united([groups[number] for number in at if number >= 0]) or [b""] * count
    if has_markup:
        values = _decoded(values)
    lacking = _united([groups[shape.mark] for shape in shapes if not shape.groups[column]])
    return [None if lacks else value for lacks, value in zip(lacking, values, strict=True)] if lacking else values


def _several(
    path: Path, column: str, shapes: list[_Groups], groups: list[tuple[bytes, ...]], count: int
) -> Sequence[Any]:
    """Return all values of a column in each record, or the first that is not empty."""
    rows: list[tuple[str | None, ...]] = [()] * count
    for shape in shapes:
        found: list[Sequence[str | None]] = [
            _decoded(groups[number]) if number >= 0 else ["" if number == _EMPTY else None] * count
            for number in shape.groups[column]
        ]
        if path.is_own:
            found = [
                [
                    text if text or (path.has_empty_texts and number >= 0 and written) else None
                    for text, written in zip(texts, groups[number], strict=True)
                ]
                for number, texts in zip(shape.groups[column], found, strict=True)
            ]
        if found:
            mark = groups[shape.mark]
            rows = [
                mine if is_mine else row
                for is_mine, mine, row in zip(mark, zip(*found, strict=True), rows, strict=True)
            ]
    if path.is_own:
        rows = [tuple(text for text in row if text is not None) for row in rows]
    return [list(row) for row in rows] if path.is_all else [row[0] if row else None for row in rows]


def _united(parts: list[tuple[bytes, ...]]) -> Sequence[bytes]:
    """Return the texts of several columns as one column; at most one of them has a text in any row."""
    return parts[0] if len(parts) == 1 else [b"".join(texts) for texts in zip(*parts, strict=True)]


def decoded(values: Sequence[str | bytes | None] | FoundValues) -> Sequence[str | None]:
    """Return values without references and CDATA sections as text."""
    if isinstance(values, FoundValues):
        return [*values]
    try:
        return b"\0".join(values).decode().split("\0") if values else []  # type: ignore[arg-type]
    except TypeError:  # some are text already, or None
        return [value.decode() if isinstance(value, bytes) else value for value in values]


def _decoded(values: Sequence[bytes]) -> list[str]:
    text = b"\0".join(values).decode()  # at once; there is no NUL in a document
    return (_MARKUP.sub(_meant, text) if "&" in text or "<" in text else text).split("\0")


def _meant(markup: re.Match[str]) -> str:
    """Return what a reference or a CDATA section stands for."""
    hexadecimal, decimal, name, section = markup.groups()
    if section is not None:
        return section
    return _ENTITIES[name] if name else chr(int(hexadecimal, 16) if hexadecimal else int(decimal))
