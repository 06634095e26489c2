"""Elements as rows, as Spark's XML source makes them.

A column is a child element, an attribute with `attributePrefix` before its name, or the element's text under
`valueTag`. An element with more than text is a structure; several elements of one name are an array.
"""

from collections.abc import Callable, Container, Iterator
from datetime import date, datetime
from decimal import Decimal, DecimalException
from functools import partial
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr
from zoneinfo import ZoneInfo

import pyarrow as pa

from xml5tree.rows import NestedRows, rescue
from xml5tree.spark.names import Names
from xml5tree.spark.options import SparkOptions
from xml5tree.spark.patterns import Pattern

_Convert = Callable[[Any, str], Any]
_TRUTH: Final = {"true": True, "false": False, "1": True, "0": False}


class Rows:
    """Makes rows of elements."""

    def __init__(self, schema: pa.Schema, options: SparkOptions, names: Names) -> None:
        """Set the columns; raise `ValueError` if a type is not supported."""
        self._options = options
        self._names = names
        self._rescues = options.rescuedDataColumn is not None
        self._nested = NestedRows(
            names.element,
            names.attribute,
            prefix=None if options.excludeAttribute else options.attributePrefix,
            text_name=options.valueTag,
        )
        self.rescued: dict[str, Any] = {}  # the last row's values without a column, if that is an option
        self.problems: list[str] = []  # about the last row's values of a wrong type
        self.remarks: list[str] = []  # about the last row's elements that share a column for one value
        self._convert = self._structure(list(schema))

    def begin(self) -> None:
        """Forget the notes on the last row."""
        self.problems = []
        self.remarks = []
        self.rescued = {}

    def row(self, element: Any) -> dict[str, Any]:
        """Return the values of a row by column; None where the element has none."""
        self.begin()
        found: dict[str, Any] = self._convert(element, "")
        return found

    # Values without a column --------------------------------------------------------------------------------------

    def _rescue(self, path: str, value: Any) -> None:
        """Keep a value that its column has no room for, at a path such as ``/a/@b``, if that is an option."""
        if self._rescues:
            names = [
                self._options.attributePrefix + name[1:] if name[0] == "@" else name
                for name in path.replace("/text()", f"/{self._options.valueTag}")[1:].split("/")
            ]
            rescue(self.rescued, names, value)

    def _rescue_element(self, path: str, element: Any) -> None:
        if self._rescues:
            self._rescue(path, self._nested.value(element))

    def _rescue_attributes(self, path: str, element: Any, taken: Container[str] = ()) -> None:
        if self._rescues and not self._options.excludeAttribute:
            for key, value in element.attrib.items():
                name = self._names.attribute(key)
                if name not in taken:
                    self._rescue(f"{path}/@{name}", value)

    def _rescue_text(self, path: str, element: Any) -> None:
        if self._rescues:
            for text in texts_of(element):
                self._rescue(f"{path}/text()", text)

    # Elements ---------------------------------------------------------------------------------------------------------

    def _of_element(self, kind: pa.DataType) -> _Convert:
        """Return a function that converts an element at a path to a type."""
        if pa.types.is_struct(kind):
            return self._structure(list(kind))
        if pa.types.is_map(kind):
            return self._mapping(kind)
        convert = self.of_text(kind)

        def found(element: Any, path: str) -> Any:
            self._rescue_attributes(path, element)
            return convert(self._content(element), path)

        return found if self._rescues else lambda element, path: convert(self._content(element), path)

    def _structure(self, fields: list[pa.Field]) -> _Convert:
        text_name = self._options.valueTag
        texts = next((self._of_texts(field.type) for field in fields if field.name == text_name), None)
        attributes, single, several = {}, {}, {}
        for field in fields:
            name, kind = field.name, field.type
            if name == text_name:
                continue
            if pa.types.is_list(kind) or pa.types.is_large_list(kind):
                several[name] = self._of_element(kind.value_type)
            else:
                single[name] = self._of_element(kind)
                if name.startswith(self._options.attributePrefix) and not pa.types.is_nested(kind):
                    attributes[name.removeprefix(self._options.attributePrefix)] = name, self.of_text(kind)
        empty: dict[str, Any] = dict.fromkeys(field.name for field in fields)
        name_of, attribute_name = self._names.element, self._names.attribute
        if self._options.excludeAttribute:
            attributes.clear()

        def convert(element: Any, path: str) -> dict[str, Any]:
            row = empty.copy()
            if attributes:
                for key, value in element.attrib.items():
                    found = attributes.get(attribute_name(key))
                    if found is not None:
                        row[found[0]] = found[1](value, f"{path}/@{attribute_name(key)}")
            self._rescue_attributes(path, element, attributes)
            children = [(name_of(child.tag), child) for child in element if isinstance(child.tag, str)]
            lasts = dict(children)
            for name, child in children:
                if name in several:
                    if row[name] is None:
                        row[name] = []
                    row[name].append(several[name](child, f"{path}/{name}"))
                elif name in single:
                    if lasts[name] is child:
                        row[name] = single[name](child, f"{path}/{name}")
                    else:
                        self._report_repeated(f"{path}/{name}", child)
                else:
                    self._rescue_element(f"{path}/{name}", child)
            if texts is not None:
                row[text_name] = texts(element, f"{path}/text()")
            else:
                self._rescue_text(path, element)
            return row

        return convert

    def _report_repeated(self, path: str, element: Any) -> None:
        """Report an element before the one whose value is taken."""
        self.remarks.append(f"{path}: several values, of which the last was taken")
        self._rescue_element(path, element)

    def _mapping(self, kind: pa.DataType) -> _Convert:
        convert, convert_text = self._of_element(kind.item_type), None
        if not pa.types.is_nested(kind.item_type):
            convert_text = self.of_text(kind.item_type)
        prefix, is_bare = self._options.attributePrefix, self._options.excludeAttribute

        def found(element: Any, path: str) -> list[tuple[str, Any]]:
            row = {}
            if convert_text is None:
                self._rescue_attributes(path, element)
            elif not is_bare:
                for key, value in element.attrib.items():
                    name = self._names.attribute(key)
                    row[prefix + name] = convert_text(value, f"{path}/@{name}")
            children = [(self._names.element(child.tag), child) for child in element if isinstance(child.tag, str)]
            lasts = dict(children)
            for name, child in children:
                if lasts[name] is child:
                    row[name] = convert(child, f"{path}/{name}")
                else:
                    self._report_repeated(f"{path}/{name}", child)
            self._rescue_text(path, element)
            return list(row.items())

        return found

    def _of_texts(self, kind: pa.DataType) -> _Convert:
        """Return a function that converts the text directly in an element."""
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            convert = self.of_text(kind.value_type)
            return lambda element, path: [convert(text, path) for text in texts_of(element)] or None
        convert_one = self.of_text(kind)

        def one(element: Any, path: str) -> Any:
            text = "".join(texts_of(element))
            return convert_one(text, path) if text else None

        return one

    def _content(self, element: Any) -> str:
        """Return the text of an element, or its inner markup if it has child elements."""
        return self._markup(element) if len(element) else element.text or ""

    def _markup(self, element: Any) -> str:
        """Return the inner markup of an element, with the document's names; without recursion."""
        parts = [escape(element.text or "")]
        todo: list[tuple[Any, Iterator[Any]]] = [(element, iter(element))]
        while todo:
            parent, children = todo[-1]
            for child in children:
                if isinstance(child.tag, str):
                    name = self._names.element(child.tag)
                    attributes = (f" {self._names.attribute(k)}={quoteattr(v)}" for k, v in child.attrib.items())
                    parts.append(f"<{name}{''.join(attributes)}>{escape(child.text or '')}")
                    todo.append((child, iter(child)))
                    break
                parts.append(escape(child.tail or ""))
            else:
                todo.pop()
                if todo:
                    parts.append(f"</{self._names.element(parent.tag)}>{escape(parent.tail or '')}")
        return "".join(parts)

    # Text -------------------------------------------------------------------------------------------------------------

    def of_text(self, kind: pa.DataType) -> _Convert:
        """Return a function that converts text at a path to a type."""
        strip, null = self._options.ignoreSurroundingSpaces, self._options.nullValue
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):

            def as_string(text: str, path: str) -> str | None:
                text = text.strip() if strip else text
                return None if text == null else text

            return as_string
        read = value_reader(kind, self._options)

        def convert(text: str, path: str) -> Any:
            text = text.strip()
            if not text or text == null:
                return None
            try:
                return read(text)
            except (ValueError, OverflowError, DecimalException):
                self.problems.append(f"{path}: {text[:100]!r} is not of the type {kind}")
                self._rescue(path, text)
                return None

        return convert


def texts_of(element: Any) -> list[str]:
    """Return the texts directly in an element, without those of white space only."""
    texts = [element.text, *(child.tail for child in element)] if len(element) else [element.text]
    return [stripped for text in texts if text and (stripped := text.strip())]


def value_reader(kind: pa.DataType, options: SparkOptions) -> Callable[[str], Any]:
    """Return a function that reads text as a type, or raise ValueError for an unsupported type."""
    types = pa.types
    if types.is_integer(kind):
        return _integer(kind.bit_width)
    if types.is_floating(kind):
        return _float
    if types.is_boolean(kind):
        return _truth
    if types.is_decimal(kind):
        return _decimal(kind)
    if types.is_date(kind):
        return partial(parse_date, pattern=options.dateFormat)
    if types.is_timestamp(kind) and kind.tz:
        return partial(parse_time, zone=ZoneInfo(options.timeZone), pattern=options.timestampFormat)
    if types.is_timestamp(kind):
        return lambda text: datetime.fromisoformat(text).replace(tzinfo=None)
    raise ValueError(f"values of the type {kind} cannot be read")


def _integer(bits: int) -> Callable[[str], int]:
    limit = 1 << (bits - 1)

    def read(text: str) -> int:
        number = int(text)
        if not -limit <= number < limit or "_" in text:
            raise ValueError(text)
        return number

    return read


def _float(text: str) -> float:
    if "_" in text:
        raise ValueError(text)
    return float(text)


def _truth(text: str) -> bool:
    found = _TRUTH.get(text.lower())
    if found is None:
        raise ValueError(text)
    return found


def _decimal(kind: pa.DataType) -> Callable[[str], Decimal]:
    def read(text: str) -> Decimal:
        number = Decimal(text).quantize(Decimal(1).scaleb(-kind.scale))
        pa.scalar(number, kind)  # raises an error if it has too many digits
        return number

    return read


def parse_date(text: str, pattern: Pattern | None = None) -> date:
    """Return a date in a pattern's form, by default ISO 8601, ``2024-02-29``; raise `ValueError` for another form."""
    if pattern is not None:
        return pattern.read(text, None).date()
    if len(text) != 10:
        raise ValueError(text)
    return date.fromisoformat(text)


def parse_time(text: str, zone: ZoneInfo, pattern: Pattern | None = None) -> datetime:
    """Return the point in time of a text in the form of a pattern, by default ISO 8601: ``2024-02-29T12:00:00Z``.

    A time without a zone is in `zone`. Raises `ValueError` for another form.
    """
    if pattern is not None:
        return pattern.read(text, zone)
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=zone)
