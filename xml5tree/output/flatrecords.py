"""Values of flat records, found in the clean stretches that they stand in, so that no elements are made of them.

A record is flat if its child elements have only text in them. Records of a document mostly have few shapes. A pattern
of all known shapes finds a run of records, with nothing but white space between them, in one call; its groups are the
values. What it does not match is read as elements.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from xml5tree.errors.codes import Effect, worst
from xml5tree.errors.entry import ErrorEntry

__all__ = ["Accepts", "FlatRecords", "FlatRun", "RecordRun", "decoded", "flat_records"]

#: Shapes that are known at a time; each costs a match for records of those after it.
_MOST: Final = 8
#: Child elements in all shapes; the pattern of many takes long to compile.
_MOST_CHILDREN: Final = 200
#: By how many records without a shape there are to be more than with one, until no more are looked at.
_PATIENCE: Final = 100
_NAME: Final = rb"[^ \t\n<>/=\"'&]+"
#: Values with tabs and newlines are others when a parser has normalised them.
_ATTRIBUTE: Final = rb"[ \t\n]+(" + _NAME + rb")=\"[^\"<\t\n]*\""
_START: Final = re.compile(b"<(" + _NAME + b")((?:" + _ATTRIBUTE + rb")*)[ \t\n]*(/?)>")
_ATTRIBUTE_NAME: Final = re.compile(_ATTRIBUTE)
_SPACE: Final = re.compile(rb"[ \t\n]*")
_CONTENT: Final = re.compile(rb"[^<]*</(" + _NAME + rb")[ \t\n]*>")
_DEFAULT_NAMESPACE: Final = re.compile(rb"\bxmlns[ \t\n]*=")
#: The rest of a stretch from where no record of a known shape is.
_REST: Final = rb"((?s:.)++)"
_STEP: Final = r"[A-Za-z_][A-Za-z0-9_.-]*"
_PATH: Final = re.compile(f"(?:({_STEP})(?:/(?:(text\\(\\))|@({_STEP})))?|@({_STEP}))")
_REFERENCE: Final = re.compile("&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(lt|gt|amp|quot|apos));")
_ENTITIES: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


#: Returns whether records of a shape are taken, by the names of their child elements, and by their attributes, each
#: with the name of the child element that it is in, or b"".
Accepts = Callable[[Sequence[bytes], Collection[tuple[bytes, bytes]]], bool]


class _Path(NamedTuple):
    """What a field asks for.

    Attributes:
        child: the name of a child element, or "" for the record.
        attribute: the name of an attribute; "" for text.
        is_own: whether empty text is none.
        is_all: whether all values are wanted, as a list.
    """

    child: bytes
    attribute: bytes
    is_own: bool
    is_all: bool


class _Shape(NamedTuple):
    """A shape of records.

    Attributes:
        mark: the number of a group that is empty in records of other shapes.
        groups: of each column, the numbers of the groups that are its values; -1: an empty one without a group.
    """

    mark: int
    groups: dict[str, list[int]]


class FlatRun(NamedTuple):
    """Flat records with nothing but white space between them.

    Attributes:
        columns: the values of each column: text, text in UTF-8, None, or lists of text.
        size: how many records there are.
        end: where the last one ends in its stretch.
    """

    columns: dict[str, Sequence[Any]]
    size: int
    end: int


class RecordRun:
    """Records without elements that follow one another, as columns; those with errors are in a run of their own.

    Attributes:
        number: the number of the first one, from 1, in the order of the document.
        lines: the line of each, from 1.
        byte_offsets: the byte offset of each; None in a document of text.
        columns: the values: text, text in UTF-8, None, or lists of text.
        errors: the errors of the only one, or none.
    """

    __slots__ = ("byte_offsets", "columns", "errors", "lines", "number")

    def __init__(
        self, number: int, lines: Sequence[int], byte_offsets: Sequence[int] | None, columns: dict[str, Sequence[Any]]
    ) -> None:
        self.number = number
        self.lines = lines
        self.byte_offsets = byte_offsets
        self.columns = columns
        self.errors: tuple[ErrorEntry, ...] = ()

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def effect(self) -> Effect | None:
        """The worst effect of the errors; None where there are none."""
        return worst(*(entry.effect for entry in self.errors)) if self.errors else None

    def part(self, start: int, stop: int) -> "RecordRun":
        """Return some of the records."""
        if (start, stop) == (0, len(self)):
            return self
        part = slice(start, stop)
        return RecordRun(
            self.number + start,
            self.lines[part],
            None if self.byte_offsets is None else self.byte_offsets[part],
            {name: values[part] for name, values in self.columns.items()},
        )


def flat_records(
    name: str, fields: Mapping[str, str | Sequence[str]], accepts: "Accepts | None" = None
) -> "FlatRecords | None":
    """Return a finder of values of columns in flat records; None where one of them needs elements.

    Args:
        name: the name of records, which are in no namespace.
        fields: as for `xml5tree.records`.
        accepts: which shapes are taken; None: all.
    """
    paths = {}
    for column, path in fields.items():
        found = _PATH.fullmatch(path if isinstance(path, str) else path[0])
        if found is None:
            return None
        child, text, attribute, own = found.groups()
        is_all = not isinstance(path, str)
        paths[column] = _Path((child or "").encode(), (attribute or own or "").encode(), bool(text), is_all)
    return FlatRecords(name.encode(), paths, accepts)


class FlatRecords:
    """Finds the values of flat records.

    Attributes:
        is_on: whether records may be taken. Names in a default namespace are others than those of paths.
    """

    def __init__(self, name: bytes, paths: Mapping[str, _Path], accepts: Accepts | None) -> None:
        self.is_on = False
        self._name = name
        self._accepts = accepts
        self._end = re.compile(_end_tag(name))
        self._paths = paths
        self._shapes: list[_Shape] = []
        self._parts: list[bytes] = []  # the pattern of each shape
        self._children = 0  # in all shapes
        self._pattern: re.Pattern[bytes] | None = None
        self._is_over = False
        self._misses = 0

    def start(self) -> None:
        """Take records from now on, unless it is known that there are none to take."""
        self.is_on = not self._is_over

    def see(self, markup: bytes) -> None:
        """Look for declarations of a default namespace."""
        if b"xmlns" in markup and _DEFAULT_NAMESPACE.search(markup):
            self._give_up()

    def _give_up(self) -> None:
        self._is_over = True
        self.is_on = False

    def run(self, source: bytes, start: int) -> FlatRun | None:
        """Return the records of a stretch from one of them on, up to the first that is not flat; None: it is that one.

        Args:
            source: the stretch.
            start: where the first record of the run begins.
        """
        found, end = self._found(source, start)
        if not found and self._knows_more(source, start):
            found, end = self._found(source, start)
        if not found:
            self._misses += 1
            if self._misses > _PATIENCE:
                self._give_up()
            return None
        self._misses = max(0, self._misses - len(found))
        return FlatRun(self._columns(found, source.find(b"&", start, end) >= 0), len(found), end)

    def _found(self, source: bytes, start: int) -> tuple[list[tuple[bytes, ...]], int]:
        """Return the groups of the records of known shapes from a place on, and where the last one ends."""
        if self._pattern is None:
            return [], start
        found = self._pattern.findall(source, start)
        rest = found[-1][-1] if found else b""
        if rest:
            del found[-1]
        return found, len(source) - len(rest)

    def _columns(self, found: list[tuple[bytes, ...]], has_references: bool) -> dict[str, Sequence[Any]]:
        """Return the values of each column.

        Args:
            found: the groups of each record.
            has_references: whether there may be references in them.
        """
        groups = list(zip(*found, strict=True))
        shapes = self._shapes
        if len(shapes) > 1:
            shapes = [shape for shape in shapes if any(groups[shape.mark])]
        columns: dict[str, Sequence[Any]] = {}
        for column, path in self._paths.items():
            if path.is_all or path.is_own:
                columns[column] = _several(path, column, shapes, groups, len(found))
            else:
                columns[column] = _first(column, shapes, groups, has_references, len(found))
        return columns

    def _knows_more(self, source: bytes, start: int) -> bool:
        """Add the shape of a record to the known ones, and return whether that was possible."""
        new = self._shape_at(source, start) if len(self._shapes) < _MOST else None
        if new is None:
            return False
        pattern, children = new
        if self._children + len(children) > _MOST_CHILDREN:
            return False
        if self._accepts is not None and not self._accepts(
            children, [names for names in pattern.groups.values() if names[1]]
        ):
            return False
        self._children += len(children)
        self._add(pattern, children)
        return True

    def _shape_at(self, source: bytes, start: int) -> "tuple[_Pattern, list[bytes]] | None":
        """Return the pattern of a record, and the names of its child elements; None where it is not flat."""
        tag = _START.match(source, start)
        if tag is None or tag[1] != self._name or tag[4]:
            return None
        pattern = _Pattern()
        pattern.add_tag(tag, b"")
        children: list[bytes] = []
        place = _SPACE.match(source, tag.end()).end()  # type: ignore[union-attr]
        while (child := _START.match(source, place)) is not None:
            pattern.add_tag(child, child[1])
            place = child.end()
            if child[4]:
                pattern.texts.append(-1)
            else:
                content = _CONTENT.match(source, place)
                if content is None or content[1] != child[1]:
                    return None
                place = content.end()
                pattern.add_text(child[1])
            children.append(child[1])
            if len(children) > _MOST_CHILDREN:
                return None
            place = _SPACE.match(source, place).end()  # type: ignore[union-attr]
        if self._end.match(source, place) is None:
            return None
        pattern.parts.append(self._end.pattern)
        return pattern, children

    def _add(self, pattern: "_Pattern", children: list[bytes]) -> None:
        """Add the shape of records with these children, in which what no column asks for is no group."""
        wanted = {}
        for column, path in self._paths.items():
            if path.attribute:
                wanted[column] = [at for at, name in pattern.groups.items() if name == path[:2]]
            else:
                wanted[column] = [at for at, name in zip(pattern.texts, children, strict=True) if name == path.child]
        used = sorted({at for found in wanted.values() for at in found if at >= 0})
        mark = 0 if self._pattern is None else self._pattern.groups - 1
        numbers = {at: mark + number for number, at in enumerate(used, 1)} | {-1: -1}
        self._shapes.append(_Shape(mark, {column: [numbers[at] for at in wanted[column]] for column in wanted}))
        self._parts.append(pattern.text(used))
        self._pattern = re.compile(b"|".join([*self._parts, _REST]))


class _Pattern:
    """The pattern of a shape, while it is made.

    Attributes:
        parts: its parts.
        groups: which parts are values, with the name of the child element, or b"", and that of the attribute, or b"".
        texts: which part is the text of each child; -1: it has none.
    """

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.groups: dict[int, tuple[bytes, bytes]] = {}
        self.texts: list[int] = []

    def add_tag(self, tag: re.Match[bytes], child: bytes) -> None:
        """Add a start tag, and the space after it where only space may be."""
        self.parts.append((b"<" if child else b"(<)") + re.escape(tag[1]))
        for name in _ATTRIBUTE_NAME.findall(tag[2]):
            self.parts.append(rb"[ \t\n]++" + re.escape(name) + b'="')
            self.groups[len(self.parts)] = child, name
            self.parts += [rb"[^\"<\t\n]*+", b'"']
        self.parts.append(rb"[ \t\n]*+" + (b"/" if tag[4] else b"") + b">")
        if tag[4] or not child:
            self.parts.append(rb"[ \t\n]*+")

    def add_text(self, child: bytes) -> None:
        """Add the text of a child element, and its end tag."""
        self.texts.append(len(self.parts))
        self.groups[len(self.parts)] = child, b""
        self.parts += [b"[^<]*+", _end_tag(child)]

    def text(self, used: list[int]) -> bytes:
        """Return the pattern, in which only some values are groups."""
        return b"".join(b"(" + part + b")" if at in used else part for at, part in enumerate(self.parts))


def _end_tag(name: bytes) -> bytes:
    """Return the pattern of an end tag and the white space after it."""
    return b"</" + re.escape(name) + rb"[ \t\n]*+>[ \t\n]*+"


def _first(
    column: str, shapes: list[_Shape], groups: list[tuple[bytes, ...]], has_references: bool, count: int
) -> Sequence[Any]:
    """Return the first value of a column in each record; for arguments see `FlatRecords._columns`."""
    at = [shape.groups[column][0] for shape in shapes if shape.groups[column]]
    values: Sequence[Any] = _united([groups[number] for number in at if number >= 0]) or [b""] * count
    if has_references:
        values = _decoded(values)
    lacking = _united([groups[shape.mark] for shape in shapes if not shape.groups[column]])
    return [None if lacks else value for lacks, value in zip(lacking, values, strict=True)] if lacking else values


def _several(
    path: _Path, column: str, shapes: list[_Shape], groups: list[tuple[bytes, ...]], count: int
) -> Sequence[Any]:
    """Return all values of a column in each record, or the first that is not empty."""
    rows: list[tuple[str, ...]] = [()] * count
    for shape in shapes:
        found = [_decoded(groups[number]) if number >= 0 else [""] * count for number in shape.groups[column]]
        if found:
            mark = groups[shape.mark]
            rows = [
                mine if is_mine else row
                for is_mine, mine, row in zip(mark, zip(*found, strict=True), rows, strict=True)
            ]
    if path.is_own:
        rows = [tuple(filter(None, row)) for row in rows]
    return [list(row) for row in rows] if path.is_all else [row[0] if row else None for row in rows]


def _united(parts: list[tuple[bytes, ...]]) -> Sequence[bytes]:
    """Return texts of which each is in one of several columns, where it is empty in the others."""
    return parts[0] if len(parts) == 1 else [b"".join(texts) for texts in zip(*parts, strict=True)]


def decoded(values: Sequence[str | bytes | None]) -> Sequence[str | None]:
    """Return values of which none are references any more as text."""
    try:
        return b"\0".join(values).decode().split("\0") if values else []  # type: ignore[arg-type]
    except TypeError:  # some are text already, or None
        return [value.decode() if isinstance(value, bytes) else value for value in values]


def _decoded(values: Sequence[bytes]) -> list[str]:
    """Return text as a parser reads it."""
    text = b"\0".join(values).decode()  # at once; there is no NUL in a document
    return (_REFERENCE.sub(_referred, text) if "&" in text else text).split("\0")


def _referred(reference: re.Match[str]) -> str:
    """Return what a reference in a clean stretch stands for."""
    hexadecimal, decimal, name = reference.groups()
    return _ENTITIES[name] if name else chr(int(hexadecimal, 16) if hexadecimal else int(decimal))
