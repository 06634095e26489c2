"""One error, as a value."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, dataclass_transform

from xml5tree.errors.codes import LOST, Code, Effect, Kind, worst

if TYPE_CHECKING:
    from dataclasses import Field


#: An error as it is found, from which an entry is made on demand: the error code, its `Code`,
#: the kind where it is not the usual one, the effect, the details of the message, line, column and, last, the offset.
#: Where the meaning was assumed, the last detail is the confidence.
Found = tuple[str, Code, Kind | None, Effect, tuple[object, ...], int, int, int]

#: The fields of an entry, in the order of its constructor.
_FIELDS: Final = ("code", "kind", "message", "line", "column", "offset", "effect", "filename", "confidence")

_Value = TypeVar("_Value")


@dataclass_transform(frozen_default=True)
def _value(cls: type[_Value]) -> type[_Value]:
    return cls


class _DataclassFields:
    """Makes a class a dataclass at first use: `dataclasses` takes longer to import than a document to parse."""

    def __get__(self, instance: "ErrorEntry | None", owner: "type[ErrorEntry]") -> "dict[str, Field[Any]]":
        from dataclasses import field, make_dataclass

        annotations = ErrorEntry.__annotations__
        fields = [(name, annotations[name]) for name in _FIELDS[:-2]]
        others = [(name, annotations[name], field(default=None)) for name in _FIELDS[-2:]]
        made = make_dataclass(owner.__name__, [*fields, *others])
        found: dict[str, Field[Any]] = made.__dataclass_fields__  # type: ignore[attr-defined]
        owner.__dataclass_fields__ = found
        return found


@_value
class ErrorEntry:
    """One error and its repair: a plain value, which cannot be changed.

    `dataclasses.asdict` and `dataclasses.replace` take it as a dataclass.

    Attributes:
        code: the error code (``docs/errors.md`` lists all), such as ``"unmatched-end-tag"``.
        kind: ``"parse-error"``, ``"not-well-formed"`` or ``"coerced"``.
        message: the error and its repair, in words.
        line: the line, from 1.
        column: characters before the place in its line, from 0 as in ElementTree.
        offset: characters before the place in the decoded document. A line break counts as one, a leading byte order
            mark as none.
        effect: what happened to content: ``"kept"``; ``"moved"``, perhaps into another element, attribute value or
            comment; or ``"lost"``, if some was dropped or replaced.
        filename: path, name or URL of the document, or None.
        confidence: how likely it is that what was assumed is what the author meant, from 0 to 1; None if nothing was
            assumed, or nothing else could be.
    """

    __module__ = "xml5tree.errors"  # the public path, which pickles and tracebacks show
    __slots__ = _FIELDS
    __match_args__ = _FIELDS

    code: str
    kind: Kind
    message: str
    line: int
    column: int
    offset: int
    effect: Effect
    filename: str | None
    confidence: float | None

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:
        __dataclass_fields__ = _DataclassFields()

    def __init__(
        self,
        code: str,
        kind: Kind,
        message: str,
        line: int,
        column: int,
        offset: int,
        effect: Effect,
        filename: str | None = None,
        confidence: float | None = None,
    ) -> None:
        values = (code, kind, message, line, column, offset, effect, filename, confidence)
        for set_field, value in zip(_SETTERS, values, strict=True):
            set_field(self, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an ErrorEntry cannot be changed: {name!r} was assigned to")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an ErrorEntry cannot be changed: {name!r} was deleted")

    @property
    def lossy(self) -> bool:
        """Whether `effect` is ``"lost"``."""
        return self.effect == LOST

    @property
    def type_name(self) -> str:
        """The code, as lxml's log entries name it."""
        return self.code

    def as_dict(self) -> dict[str, str | int | float | None]:
        """Return the entry as a dictionary of strings and numbers."""
        return {name: getattr(self, name) for name in _FIELDS}

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in _FIELDS)

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, ErrorEntry) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values())

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), self._values()

    def __repr__(self) -> str:
        return f"ErrorEntry({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"

    def __str__(self) -> str:
        line = f"{self.line}:{self.column}: {self.code}: {self.message}"
        return line if self.filename is None else f"{self.filename}:{line}"


#: Setters of an entry's fields, which bypass `__setattr__`.
_SETTERS: Final = tuple(vars(ErrorEntry)[name].__set__ for name in _FIELDS)


def least(confidences: Iterable[float | None]) -> float | None:
    """Return the least confidence, None if there is none."""
    return min((confidence for confidence in confidences if confidence is not None), default=None)


def _confidence_of(found: Found) -> float | None:
    detail = found[4]
    return detail[-1] if detail and isinstance(detail[-1], float) else None


def entry_of(found: Found, filename: str | None) -> ErrorEntry:
    code, usual, kind, effect, detail, line, column, offset = found
    message, confidence = usual.message.format(*detail), _confidence_of(found)
    return ErrorEntry(code, kind or usual.kind, message, line, column, offset, effect, filename, confidence)


class Errors:
    """The errors of a record, of which entries are made when somebody asks for them."""

    __slots__ = ("_entries", "_filename", "found")

    def __init__(self, found: Sequence[Found] = (), filename: str | None = None) -> None:
        self.found = found
        self._filename = filename
        self._entries: tuple[ErrorEntry, ...] | None = None

    def __reduce__(self) -> tuple[type, tuple[Sequence[Found], str | None]]:
        return type(self), (self.found, self._filename)

    @property
    def entries(self) -> tuple[ErrorEntry, ...]:
        if self._entries is None:
            self._entries = tuple([entry_of(one, self._filename) for one in self.found])
        return self._entries

    @property
    def effect(self) -> Effect | None:
        """The worst effect; None without errors."""
        return worst(*[one[3] for one in self.found]) if self.found else None

    @property
    def confidence(self) -> float | None:
        """The least confidence; None if no error has one."""
        return least(map(_confidence_of, self.found))

    def lines(self, first_column: int = 0) -> list[str]:
        """Return the errors as text, without their file; columns are counted from `first_column`."""
        return [
            f"{line}:{column + first_column}: {code}: {usual.message.format(*detail)}"
            for code, usual, _, _, detail, line, column, _ in self.found
        ]


NO_ERRORS: Final = Errors()
