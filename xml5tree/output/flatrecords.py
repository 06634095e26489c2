"""Values of flat records, found in the clean stretches that they stand in, so that no elements are made of them.

A record is flat if its child elements have only text in them. Records of a document mostly have few shapes: a pattern
of a shape matches a whole record, and its groups are the values. What no pattern matches is read as elements.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

__all__ = ["FlatRecords", "flat_records"]

#: Shapes that are known at a time; each costs a match for records of another one.
_MOST: Final = 8
#: Child elements of a flat record; the pattern of many takes long to compile.
_MOST_CHILDREN: Final = 100
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
_STEP: Final = r"[A-Za-z_][A-Za-z0-9_.-]*"
_PATH: Final = re.compile(f"(?:({_STEP})(?:/(?:(text\\(\\))|@({_STEP})))?|@({_STEP}))")
_REFERENCE: Final = re.compile("&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(lt|gt|amp|quot|apos));")
_ENTITIES: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


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
    """A pattern for records, and where their values are.

    Attributes:
        pattern: the pattern; its groups are texts and values of attributes.
        single: columns, and the group that is their value.
        constant: columns with the same value in all records.
        others: columns that are made of several groups.
    """

    pattern: re.Pattern[bytes]
    single: list[tuple[str, int]]
    constant: dict[str, Any]
    others: list[tuple[str, _Path, list[int]]]


def flat_records(name: str, fields: Mapping[str, str | Sequence[str]]) -> "FlatRecords | None":
    """Return a finder of values of columns in flat records; None where one of them needs elements.

    Args:
        name: the name of records, which are in no namespace.
        fields: as for `xml5tree.records`.
    """
    paths = {}
    for column, path in fields.items():
        found = _PATH.fullmatch(path if isinstance(path, str) else path[0])
        if found is None:
            return None
        child, text, attribute, own = found.groups()
        is_all = not isinstance(path, str)
        paths[column] = _Path((child or "").encode(), (attribute or own or "").encode(), bool(text), is_all)
    return FlatRecords(name.encode(), paths)


class FlatRecords:
    """Finds the values of flat records.

    Attributes:
        is_on: whether records may be taken. Names in a default namespace are others than those of paths.
    """

    def __init__(self, name: bytes, paths: Mapping[str, _Path]) -> None:
        self.is_on = False
        self._name = name
        self._paths = paths
        self._shapes: list[_Shape] = []
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

    def values(self, source: bytes, start: int) -> tuple[dict[str, Any], int] | None:
        """Return the values of the record that begins at a place in a stretch, and its end; None: it is not flat."""
        for number, shape in enumerate(self._shapes):
            match = shape.pattern.match(source, start)
            if match is not None:
                if number:
                    self._shapes.insert(0, self._shapes.pop(number))
                self._misses = max(0, self._misses - 1)
                return _values(shape, match), match.end()
        new = self._shape_at(source, start) if len(self._shapes) < _MOST else None
        if new is None or (match := new.pattern.match(source, start)) is None:
            self._misses += 1
            if self._misses > _PATIENCE:
                self._give_up()
            return None
        self._shapes.insert(0, new)
        return _values(new, match), match.end()

    def _shape_at(self, source: bytes, start: int) -> _Shape | None:
        """Return the shape of a record; None where it is not flat."""
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
        pattern.parts.append(b"</" + re.escape(self._name) + rb"[ \t\n]*>")
        return self._made(pattern, children)

    def _made(self, pattern: "_Pattern", children: list[bytes]) -> _Shape:
        """Return the shape of records with these children, in which what no column asks for is no group."""
        wanted = {}
        for column, path in self._paths.items():
            if path.attribute:
                wanted[column] = [at for at, name in pattern.groups.items() if name == path[:2]]
            else:
                wanted[column] = [at for at, name in zip(pattern.texts, children, strict=True) if name == path.child]
        used = sorted({at for found in wanted.values() for at in found if at >= 0})
        numbers = {at: number for number, at in enumerate(used)} | {-1: -1}
        shape = _Shape(pattern.compiled(used), [], {}, [])
        for column, path in self._paths.items():
            found = [numbers[at] for at in wanted[column]]
            if path.is_all or (path.is_own and found):
                shape.others.append((column, path, found))
            elif found and found[0] >= 0:
                shape.single.append((column, found[0]))
            else:
                shape.constant[column] = "" if found else None
        return shape


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
        self.parts.append(b"<" + re.escape(tag[1]))
        for name in _ATTRIBUTE_NAME.findall(tag[2]):
            self.parts.append(rb"[ \t\n]+" + re.escape(name) + b'="')
            self.groups[len(self.parts)] = child, name
            self.parts += [rb"[^\"<\t\n]*", b'"']
        self.parts.append(rb"[ \t\n]*" + (b"/" if tag[4] else b"") + b">")
        if tag[4] or not child:
            self.parts.append(rb"[ \t\n]*")

    def add_text(self, child: bytes) -> None:
        """Add the text of a child element, and its end tag."""
        self.texts.append(len(self.parts))
        self.groups[len(self.parts)] = child, b""
        self.parts += [b"[^<]*", b"</" + re.escape(child) + rb"[ \t\n]*>[ \t\n]*"]

    def compiled(self, used: list[int]) -> re.Pattern[bytes]:
        """Return the pattern, in which only some values are groups."""
        return re.compile(b"".join(b"(" + part + b")" if at in used else part for at, part in enumerate(self.parts)))


def _values(shape: _Shape, match: re.Match[bytes]) -> dict[str, Any]:
    """Return the values of a record that has a shape."""
    text = b"\0".join(match.groups()).decode()  # at once; there is no NUL in a document
    values = text.split("\0")
    if "&" in text:
        values = [_REFERENCE.sub(_referred, value) for value in values]
    row: dict[str, Any] = {column: values[group] for column, group in shape.single}
    if shape.constant:
        row |= shape.constant
    for column, path, found in shape.others:
        several = [values[group] if group >= 0 else "" for group in found]
        if path.is_own:
            several = [value for value in several if value]
        row[column] = several if path.is_all else next(iter(several), None)
    return row


def _referred(reference: re.Match[str]) -> str:
    """Return what a reference in a clean stretch stands for."""
    hexadecimal, decimal, name = reference.groups()
    return _ENTITIES[name] if name else chr(int(hexadecimal, 16) if hexadecimal else int(decimal))
