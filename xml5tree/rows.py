"""Elements as rows: values by paths, or nested dictionaries."""

from _thread import get_ident
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from xml5tree.backends import Backend
from xml5tree.backends.elementpath import text_of, well_known_of
from xml5tree.tree.namespaces import UNDECLARED
from xml5tree.xml.prefixes import WELL_KNOWN_PREFIXES, XML_NAMESPACE, well_known

if TYPE_CHECKING:
    from xml5tree.columns import Naming


#: Names of columns, and the paths to their values; a path in a list finds all values.
Fields = Mapping[str, str | Sequence[str]]

_TEXT: Final = "#text"
_ATTRIBUTE: Final = "@"
#: Most names in records that are remembered: there may be names without end.
_MOST_NAMES: Final = 1000


#: Returns the name of an element or attribute in a row.
_Naming = Callable[[str], str]

#: Finds a value in an element.
Finder = Callable[[Any], Any]


def check_fields(fields: object) -> None:
    """Raise `TypeError` for columns that are no mapping."""
    if not isinstance(fields, Mapping):
        raise TypeError(f"fields maps names to paths, and {fields!r} is no mapping")


def is_outside(path: object) -> bool:
    """Return whether the path of a field leads to an element around the record."""
    path = path[0] if isinstance(path, list | tuple) and path else path
    return isinstance(path, str) and (path.startswith(("ancestor::", "../")) or path == "..")


def make_finders(fields: Fields, backend: Backend, prefixes: Mapping[str, str]) -> dict[str, Finder]:
    """Return the functions that find the values of columns, by column name; `prefixes` has the URIs of those in paths.

    Raises `TypeError` for columns that are no mapping, or a path that is neither a string nor a list of one, and
    `ValueError` for a path that cannot be compiled.
    """
    check_fields(fields)
    columns: dict[str, Finder] = {}
    variants = _Variants()
    for name, path in fields.items():
        is_all = isinstance(path, list | tuple)
        if not isinstance(path, str) and not (is_all and len(path) == 1 and isinstance(path[0], str)):
            raise TypeError(f"the path of a field is a string, or a list of one for all values, not {path!r}")
        make, step = (_first_value, path) if isinstance(path, str) else (_all_values, path[0])
        # The same path is asked for with each document, unless it may call a function, which may be the caller's own.
        if prefixes is WELL_KNOWN_PREFIXES and "(" not in step.removesuffix("text()"):
            columns[name] = _compiled(make, backend, step, get_ident())
        else:
            columns[name] = make(backend, step, prefixes)
        if well_known_of(step, prefixes):
            columns[name] = partial(_of_variants, columns[name], variants)
    return columns


def _of_variants(find: Finder, variants: "_Variants", record: Any) -> Any:
    return find(variants.without(record))


class _Variants:
    """Renames variants of well-known namespaces in records."""

    def __init__(self) -> None:
        self._plain: set[Any] = set()  # names in records that are in no variant
        self._renamed: dict[Any, str] = {}  # the other ones, and their names in the well-known namespace
        self._last: tuple[Any, Any] = (None, None)  # a record, and what was made of it

    def without(self, record: Any) -> Any:
        """Return a record if it has no such names, else a copy with the well-known ones."""
        if self._last[0] is not record:
            names = {element.tag for element in record.iter()}.union(*(element.attrib for element in record.iter()))
            for name in names - self._plain - self._renamed.keys():
                uri, brace, local = name[1:].rpartition("}") if isinstance(name, str) else ("", "", "")
                if brace and well_known(uri) != uri:
                    self._renamed[name] = f"{{{well_known(uri)}}}{local}"
                elif len(self._plain) < _MOST_NAMES:
                    self._plain.add(name)
            self._last = record, record if names.isdisjoint(self._renamed) else self._copy(record)
        return self._last[1]

    def _copy(self, record: Any) -> Any:
        copy, renamed = deepcopy(record), self._renamed
        for element in copy.iter():
            if element.tag in renamed:
                element.tag = renamed[element.tag]
            if not renamed.keys().isdisjoint(element.attrib):
                attributes: dict[str, str] = {}
                for name, value in element.attrib.items():
                    attributes.setdefault(renamed.get(name, name), value)
                element.attrib.clear()
                element.attrib.update(attributes)
        return copy


@lru_cache(maxsize=256)
def _compiled(make: Callable[[Backend, str, Mapping[str, str]], Finder], backend: Backend, path: str, _: int) -> Finder:
    """Return the function for a path in one thread: lxml's compiled expressions make threads wait for each other."""
    return make(backend, path, WELL_KNOWN_PREFIXES)


def _first_value(backend: Backend, path: str, prefixes: Mapping[str, str]) -> Finder:
    return backend.compile_value(path, prefixes)


def make_rows(finders: Mapping[str, Finder] | None, prefixes: Mapping[str, str]) -> Callable[[Any], dict[str, Any]]:
    """Return a function that makes a row of an element, without `finders` a nested dictionary.

    `prefixes` has the URIs of the prefixes in the names of nested dictionaries.
    """
    if finders is None:
        return _Nested(prefixes)
    columns = list(finders.items())

    def row(element: Any) -> dict[str, Any]:
        values = {}
        for name, find in columns:  # a comprehension is a call more
            values[name] = find(element)
        return values

    return row


def _all_values(backend: Backend, path: str, prefixes: Mapping[str, str]) -> Callable[[Any], list[Any]]:
    """Return a function that gives all values that a path finds from an element on, as text."""
    find = backend.compile_path(path, prefixes)

    def values(element: Any) -> list[Any]:
        found = find(element)
        return [text_of(item) for item in found] if isinstance(found, list) else [found]

    return values


class NestedRows:
    """Makes nested dictionaries of elements.

    Attributes have a prefix before their names. An element without attributes and child elements is its text, or None;
    the text of others has a name of its own. Several elements of a name are a list. White space around text is dropped.
    """

    def __init__(self, element_name: _Naming, attribute_name: _Naming, *, prefix: str | None, text_name: str) -> None:
        """Set the functions that return names by tag and by attribute name, and the name of text beside other values.

        The `prefix` goes before the names of attributes; None leaves attributes out.
        """
        self._element_name = element_name
        self._attribute_name = attribute_name
        self._prefix = prefix
        self._text_name = text_name

    def value(self, element: Any) -> Any:
        found = self(element)
        return found.get(self._text_name) if found.keys() <= {self._text_name} else found

    def __call__(self, record: Any) -> dict[str, Any]:
        """The dictionary of an element; without recursion, as elements nest deeper than functions may."""
        top = self._attributes(record)
        open_elements = [(record, iter(record), top)]
        while True:
            element, children, row = open_elements[-1]
            for child in children:
                if not isinstance(child.tag, str):  # a comment or the like
                    continue
                attributes = self._attributes(child)
                if len(child):
                    open_elements.append((child, iter(child), attributes))
                    break
                _add(row, self._element_name(child.tag), self._with_text(attributes, child.text))
            else:
                open_elements.pop()
                value = self._with_text(row, "".join([element.text or "", *(child.tail or "" for child in element)]))
                if not open_elements:
                    return top if isinstance(value, dict) or value is None else {self._text_name: value}
                _add(open_elements[-1][2], self._element_name(element.tag), value)

    def _attributes(self, element: Any) -> dict[str, Any]:
        if self._prefix is None:
            return {}
        return {self._prefix + self._attribute_name(name): value for name, value in element.attrib.items()}

    def _with_text(self, row: dict[str, Any], text: str | None) -> Any:
        """Return the value of an element whose attributes and children are in `row`."""
        text = (text or "").strip()
        if not row:
            return text or None
        if text:
            row[self._text_name] = text
        return row


class _Nested(NestedRows):
    """Makes nested dictionaries in the convention of xmltodict; the record's own namespace has no prefix."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        super().__init__(self._name, partial(self._name, is_attribute=True), prefix=_ATTRIBUTE, text_name=_TEXT)
        self._written = written_names(prefixes)
        self._names: dict[str, str] = {}
        self._namespace = ""

    def __call__(self, record: Any) -> dict[str, Any]:
        namespace = record.tag[1:].rpartition("}")[0]
        if namespace != self._namespace:
            self._namespace = namespace
            self._names.clear()
        return super().__call__(record)

    def _name(self, name: str, is_attribute: bool = False) -> str:
        if name[:1] != "{":
            return name
        if is_attribute:
            return self._written(name, self._namespace, True)
        written = self._names.get(name)
        if written is None:
            written = self._names[name] = self._written(name, self._namespace, False)
        return written


def written_names(prefixes: Mapping[str, str]) -> "Naming":
    """Return a function that returns the names of elements and attributes in nested dictionaries.

    They have prefixes, but for those of elements in the record's own namespace.
    """
    known = {uri: prefix for prefix, uri in reversed(list(prefixes.items()))} | {XML_NAMESPACE: "xml"}

    def written(name: str, namespace: str, is_attribute: bool) -> str:
        if name[:1] != "{":
            return name
        uri, _, local = name[1:].rpartition("}")
        if uri == namespace and not is_attribute:
            return local
        if uri.startswith(UNDECLARED):
            return f"{uri.removeprefix(UNDECLARED)}:{local}"
        prefix = known.get(uri) or known.get(well_known(uri))
        return f"{prefix}:{local}" if prefix else name

    return written


def rescue(kept: dict[str, Any], path: Sequence[str], value: Any) -> None:
    """Add a value that its column has no room for to the nested dictionaries in `kept`.

    `path` has the names of the column and its structures, outermost first; a second value of a path makes a list. The
    value is text, None, or a dictionary.
    """
    for name in path[:-1]:
        inner = kept.get(name)
        if isinstance(inner, list):
            inner = inner[-1]
        if not isinstance(inner, dict):
            inner = {}
            _add(kept, name, inner)
        kept = inner
    _add(kept, path[-1], value)


def _add(row: dict[str, Any], name: str, value: Any) -> None:
    if name not in row:
        row[name] = value
    elif isinstance(row[name], list):
        row[name].append(value)
    else:
        row[name] = [row[name], value]
