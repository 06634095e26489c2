"""Repairs records with the same tags by a template."""

# How a record reads alone depends on its tags, and on where it has text, but not on its texts and values, as long as
# there is nothing to repair in these. So one model with placeholders is repaired for all such records. What is filled
# in is well-formed, so that many records can be read as one document.

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate, chain, zip_longest
from typing import Final, Literal, NamedTuple

from xml5tree.errors.entry import ErrorEntry

__all__ = ["Model", "Repaired", "Templates"]

#: Longest record, in characters, and its tags at most: what is read ahead after a tag reaches the end of the record.
_LONGEST: Final = 6000
_MOST_TAGS: Final = 90
#: Outlines that are remembered at most.
_MOST: Final = 500

#: Characters that need no repair, without "<", ">", "&", quotes and line breaks.
_PLAIN: Final = r" !#-%(-;=?-~\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe\uff00-\uffef"
_NAME: Final = r"[A-Za-z_][\w.\-]*+(?::[A-Za-z_][\w.\-]*+)?+"
_VALUE: Final = rf"(?:\"(?:[{_PLAIN}']|&(?:amp|lt|gt);)*+\"|'(?:[{_PLAIN}\"]|&(?:amp|lt|gt);)*+')"
_TAG: Final = rf"<(?:/{_NAME}|{_NAME}(?:[ \n]+(?!xmlns){_NAME}={_VALUE})*+ ?/?)>"
#: Tags, and text of such characters and references to predefined entities.
_ORDINARY: Final = re.compile(rf"(?:[{_PLAIN}\t\n\"']++|&(?:amp|lt|gt|quot|apos);|{_TAG})*+", re.ASCII)
_PARTS: Final = re.compile(r"(<[^>]*>)")
#: A value in a tag, unless it may mean something by itself, as those of `xmlns` and `xml:space` do.
_VALUE_IN_TAG: Final = re.compile(r"([ \n](?!xml)[^\s=<>\"']+=([\"']))((?:(?!\2).)+)", re.ASCII)
_SPACE: Final = " \t\n"
_QUOTES: Final = ("'", '"')
_BREAK: Final = "\n"
_PLACEHOLDER: Final = re.compile(r"q7x([0-9]+)x7q(?: and[ \n]more)?")

#: A place in a record: a literal of its outline, by number, and characters from its beginning.
_Place = tuple[int, int]


class Model(NamedTuple):
    """The reading of a record alone. Lines and offsets count from its start tag."""

    markup: str  # the repaired markup
    errors: tuple[ErrorEntry, ...]
    end: int  # its end in characters
    complete: bool  # see `Record`
    doubt: str  # see `RangeRecords`


class _Outline(NamedTuple):
    """A record as literals, and as fields between them: trimmed texts, and values of attributes."""

    literals: list[str]
    fields: list[str]
    numbers: list[int]  # of each field its number, or that of the first value that is equal

    def filled(self, fields: list[str]) -> str:
        return "".join(chain.from_iterable(zip_longest(self.literals, fields, fillvalue="")))

    def starts(self, fields: list[str]) -> list[int]:
        sizes = zip(self.literals, fields, strict=False)
        return list(accumulate((len(literal) + len(field) for literal, field in sizes), initial=0))


class _Template(NamedTuple):
    """The reading of all records of an outline; see `Model`."""

    markup: str  # a format, to be filled with the fields
    errors: tuple[tuple[ErrorEntry, _Place], ...]
    end: _Place
    complete: bool
    doubt: str


class Repaired(NamedTuple):
    """A record that is repaired by a template."""

    template: _Template
    outline: _Outline

    @property
    def markup(self) -> bytes:
        return self.template.markup.format(*self.outline.fields).encode()

    @property
    def end(self) -> int:
        literal, more = self.template.end
        return self.outline.starts(self.outline.fields)[literal] + more

    @property
    def errors(self) -> tuple[ErrorEntry, ...]:
        """The errors of the record; lines and offsets count from its start tag."""
        outline = self.outline
        starts = outline.starts(outline.fields)
        text = outline.filled(outline.fields)
        return tuple(_moved(entry, text, starts[literal] + more) for entry, (literal, more) in self.template.errors)


def _moved(entry: ErrorEntry, text: str, offset: int) -> ErrorEntry:
    line = 1 + text.count("\n", 0, offset)
    column = offset - (text.rfind("\n", 0, offset) + 1)
    rest = entry.effect, entry.filename, entry.confidence
    return ErrorEntry(entry.code, entry.kind, entry.message, line, column, offset, *rest)


class Templates:
    """The templates of the records of a file."""

    def __init__(self, read_alone: Callable[[bytes, str, bool], Model | None]) -> None:
        """Begin; `read_alone` gets a record, its name, and whether it ends with its end tag."""
        self._read_alone = read_alone
        self._known: dict[tuple[str, tuple[int, ...], str, bool], _Template | Literal[False] | None] = {}

    def repair(self, data: bytes, tag: str, *, is_whole: bool) -> Repaired | None:
        """Return the record `data` with the name `tag` repaired by a template, or None."""
        outline = _outline_of(data)
        if outline is None:
            return None
        key = "\0".join(outline.literals), tuple(outline.numbers), tag, is_whole
        found = self._known.get(key)
        if found is None:
            is_second = key in self._known  # of irregular records, most outlines come once
            if len(self._known) >= _MOST:
                self._known.clear()
            found = self._known[key] = self._make(outline, tag, is_whole) if is_second else None
        return Repaired(found, outline) if found else None

    def _make(self, outline: _Outline, tag: str, is_whole: bool) -> _Template | Literal[False]:
        """Return the template for records of an outline; False if there is none."""
        # Two models with other placeholders show what depends on the lengths of texts, such as the words of an error.
        made = [self._template(outline, tag, is_whole, more) for more in ("", " and{}more")]
        return made[0] if made[0] is not None and made[0] == made[1] else False

    def _template(self, outline: _Outline, tag: str, is_whole: bool, more: str) -> _Template | None:
        """Return the template that a model gives; `more` is added to placeholders, with white space in it."""
        fields = [
            f"q7x{number}x7q{more.format(' ' if literal[-1:] in _QUOTES else _BREAK)}"
            for literal, number in zip(outline.literals, outline.numbers, strict=False)
        ]
        model = self._read_alone(outline.filled(fields).encode(), tag, is_whole)
        return None if model is None else _template_of(model, outline, fields)


def _outline_of(data: bytes) -> _Outline | None:
    """Return the outline of a record; None if anything but its tags may need repair."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if len(text) > _LONGEST or "q7x" in text or not _ORDINARY.fullmatch(text):
        return None
    pieces = _PARTS.split(text)
    if len(pieces) > 2 * _MOST_TAGS:
        return None
    literals: list[str] = []
    fields: list[str] = []
    numbers: list[int] = []
    values: dict[str, int] = {}
    literal = ""
    is_tag = False
    for piece in pieces:
        if not is_tag and (core := piece.strip(_SPACE)):
            start = piece.index(core)
            literals.append(literal + piece[:start])
            numbers.append(len(fields))
            fields.append(core)
            literal = piece[start + len(core) :]
        elif is_tag and "=" in piece:
            before, *rest = _VALUE_IN_TAG.split(piece)
            literal += before
            for begin, value, after in zip(rest[::4], rest[2::4], rest[3::4], strict=True):
                literals.append(literal + begin)
                numbers.append(values.setdefault(value, len(fields)))
                fields.append(value)
                literal = after
        else:
            literal += piece
        is_tag = not is_tag
    literals.append(literal)
    return _Outline(literals, fields, numbers)


def _template_of(model: Model, outline: _Outline, fields: list[str]) -> _Template | None:
    """Return a template by a model whose placeholders are `fields`; None if a place in it is within a field."""
    starts = outline.starts(fields)
    text = outline.filled(fields)
    markup = model.markup.replace("{", "{{").replace("}", "}}")
    errors = []
    for entry in model.errors:
        place = _place(entry.offset, outline, starts)
        if place is None or _moved(entry, text, entry.offset) != entry:
            return None
        errors.append((_moved(entry, "", 0), place))
    end = _place(model.end, outline, starts)
    if end is None:
        return None
    return _Template(_PLACEHOLDER.sub(r"{\1}", markup), tuple(errors), end, model.complete, model.doubt)


def _place(offset: int, outline: _Outline, starts: list[int]) -> _Place | None:
    """Return the place of an offset; None within a field."""
    literal = bisect_right(starts, offset) - 1
    more = offset - starts[literal]
    is_in_field = more > len(outline.literals[literal]) and literal < len(outline.fields)
    return None if is_in_field else (literal, more)
