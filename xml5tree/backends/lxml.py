"""The backend for `lxml.etree` (libxml2)."""

import codecs
import copy
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import methodcaller
from typing import Any, Final

from lxml import etree

from xml5tree.backends.base import Backend, FeedParser, PullParser, RecordParser
from xml5tree.backends.elementpath import compile_element_path, value_at
from xml5tree.backends.native_first import is_wide, may_have_doctype
from xml5tree.options import Settings
from xml5tree.xml.limits import LIBXML2_LIMITS
from xml5tree.xml.prefixes import expanded_name

#: Errors in lxml's log that do not change the tree: IDs that are no names or occur twice.
_HARMLESS: Final = (etree.ErrorTypes.DTD_ID_REDEFINED, etree.ErrorTypes.DTD_XMLID_VALUE)
#: Bytes that libxml2 gets at a time.
_BLOCK: Final = 1 << 16

_NAME: Final = r"(?:(?P<{}prefix>[\w.-]+):)?[^\W\d][\w.-]*"
#: A path to an attribute, or to child elements, and perhaps to their text or an attribute of them.
_STEP: Final = re.compile(
    f"@(?P<own>{_NAME.format('own_')})"
    f"|(?P<name>{_NAME.format('')})(?:/(?P<text>text\\(\\))|/@(?P<attribute>{_NAME.format('attribute_')}))?"
)

_LONE_RETURN: Final = re.compile("\r(?!\n)")
_LONE_RETURN_BYTES: Final = re.compile(rb"\r(?!\n)")
_WIDE: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # which begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)


def versions() -> str:
    """Return the versions of lxml and libxml2, for reports of faults."""
    names = ("LXML_VERSION", "LIBXML_VERSION", "LIBXML_COMPILED_VERSION")
    lxml, libxml2, compiled = (".".join(map(str, getattr(etree, name))) for name in names)
    return f"{lxml}, libxml2 {libxml2}, compiled with {compiled}"


class _RecordParser(RecordParser):
    """See `RecordParser`. The native parser is made once the name of the root element is known."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._has_other = False  # whether there are events of elements of another name
        self._waiting: list[bytes] = []
        self._native: Any = None

    def feed(self, data: Any, /) -> None:
        self._pruner.note_fed(len(data))
        if self._native is not None:
            self._native.feed(data)
            return
        self._waiting.append(data)
        if root := self._root_name():
            names = {self._name or "*", root.rpartition(":")[2]}
            self._has_other = bool(self._name) and len(names) > 1
            tags = None if self._observer is not None else [f"{{*}}{name}" for name in names]
            self._native = _PullParser(("start", "end"), tag=tags, huge_tree=True, recover=True)
            self._native.feed(b"".join(self._waiting))
            self._waiting.clear()

    def close(self) -> Any:
        return self._native.close()

    @property
    def feed_error_log(self) -> Any:
        return self._native.feed_error_log

    def read_ends(self) -> list[Any]:
        if self._native is None:
            return []
        events = self._native.read_events()
        if self._observer is not None:
            return self._observer.read(self._noted(events), self._has_name)
        if self._root is None:
            _, self._root = next(events, (None, None))
        if not self._has_other:
            return [element for event, element in events if event == "end"]
        has_name = self._has_name
        return [element for event, element in events if event == "end" and has_name[element.tag]]

    def _noted(self, events: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        for event in events:
            if self._root is None:
                self._root = event[1]
            yield event


class _PullParser(etree.XMLPullParser):
    """Reads repaired markup."""

    def feed(self, data: Any) -> None:
        if len(data) <= 4:  # if it is fed first, nothing of it is parsed before more comes
            super().feed(data[:1])
            data = data[1:]
        super().feed(data)


class LxmlBackend(Backend):
    """The backend for trees of `lxml.etree`."""

    limits = LIBXML2_LIMITS
    # ValueError and LookupError: an encoding that libxml2 does not read, text that is not Unicode.
    refusals = (etree.LxmlError, ValueError, LookupError)
    record_parser = _RecordParser
    # A parser that is fed uses the dictionary of names of the thread in which it began, which lxml frees with the
    # thread: feeding it later ends the process ("free(): invalid pointer"; lxml 6.1).
    one_thread = True
    has_empty_texts = True
    calls_close = True
    block = 1 << 16

    def make_parser(self, target: Any) -> FeedParser:
        # Entities have been expanded under our own limit, so libxml2's is switched off. `recover` lets values of
        # xml:id pass that are no names or occur twice; `close` raises for every other error. Not collect_ids=False,
        # for which libxml2 would read the external DTD.
        return etree.XMLParser(target=target, huge_tree=True, recover=True)

    def close(self, parser: Any) -> Any:
        result = parser.close()
        check_log(parser.feed_error_log)
        return result

    def make_strict_parser(self, target: Any, settings: Settings) -> Any:
        return etree.XMLParser(target=target, **self._strict(settings))

    def make_pull_parser(self, events: Any, tag: str | Iterable[str] | None) -> PullParser:
        return _PullParser(events, tag=tag, huge_tree=True, recover=True)

    def make_strict_pull_parser(self, events: Any, tag: str | Iterable[str] | None, settings: Settings) -> PullParser:
        return etree.XMLPullParser(events, tag=tag, **self._strict(settings))

    def compile_path(self, path: str, prefixes: Mapping[str, str]) -> Callable[[Any], Any]:
        if "{" in path:  # which XPath does not have
            return compile_element_path(path, prefixes)
        try:
            found: Callable[[Any], Any] = etree.XPath(path, namespaces=dict(prefixes), smart_strings=False)
            _evaluate_once(found)
        except etree.XPathError as error:
            raise ValueError(f"{path!r} is no XPath expression: {error}") from error
        return found

    def compile_value(self, path: str, prefixes: Mapping[str, str]) -> Callable[[Any], Any]:
        # Common paths are followed without XPath, which takes ten times as long.
        value = super().compile_value(path, prefixes)
        step = _STEP.fullmatch(path)
        if step is None or {step[f"{part}prefix"] for part in ("", "own_", "attribute_")} - {None} - prefixes.keys():
            return value
        if step["own"] is not None:
            return methodcaller("get", expanded_name(step["own"], prefixes))
        name = expanded_name(step["name"], prefixes)
        end = "" if step["text"] else step["attribute"] and expanded_name(step["attribute"], prefixes)
        return value_at(lambda element: next(element.iterchildren(name), None), end, value)

    def only_child(self, root: Any) -> Any:
        (child,) = root
        root.remove(child)  # and copy it: a libxml2 element belongs to its document
        return self.as_root(child)

    def as_root(self, element: Any) -> Any:
        root = copy.deepcopy(element)
        root.tail = None
        return root

    def parse_whole(self, data: bytes | str, settings: Settings) -> Any:
        # With a DOCTYPE not `huge_tree`, which switches off libxml2's guard against entity amplification.
        options = self._strict(settings) | {"huge_tree": not may_have_doctype(data)}
        data = with_line_feeds(data)
        if isinstance(data, str):  # which lxml refuses with an encoding declaration
            data = data.encode()
            options["encoding"] = "utf-8"
        parser = etree.XMLParser(**options)
        if is_wide(data):  # fed in blocks, the document information would name another encoding
            root = etree.fromstring(data, parser)
            check_log(parser.error_log)
        else:
            root = _parse_blocks(parser, data)
        return root

    def parse_markup(self, markup: bytes) -> Any:
        parser = etree.XMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
        root = etree.fromstring(with_line_feeds(markup), parser)
        check_log(parser.error_log)
        return root

    def _strict(self, settings: Settings) -> dict[str, Any]:
        encoding = settings.encoding
        if encoding is not None:
            try:
                etree.XMLParser(encoding=encoding)
            except LookupError:  # libxml2 knows fewer names than Python
                encoding = codecs.lookup(encoding).name
        # Not attribute_defaults, for which libxml2 would read the external DTD.
        return {"encoding": encoding, "no_network": True}

    def make_tree(self, root: Any, source: Any) -> Any:
        tree = root.getroottree()
        url = source if isinstance(source, str) else file_url(source)
        if url is not None:
            tree.docinfo.URL = url
        return tree

    def position(self, refusal: Exception) -> tuple[int, int]:
        # lxml counts columns from 1.
        if isinstance(refusal, etree.XMLSyntaxError):
            line, column = refusal.position
            return max(line, 1), max(column - 1, 0)
        return 1, 0


def _evaluate_once(expression: Callable[[Any], Any]) -> None:
    """Evaluate an XPath expression, as only that finds unknown prefixes and functions (`XPathError`)."""
    try:
        expression(etree.Element("a"))
    except etree.XPathError:
        raise
    except Exception:  # raised by an extension function of the caller, which may want another element
        return


def _parse_blocks(parser: Any, data: bytes) -> Any:
    """Feed a document to a parser of lxml in blocks and close it; see `check_log`."""
    # libxml2 reads a block with an error to its end, 0.2 ms; for a whole document, that is half the time of a parse.
    # lxml raises some errors only at the end. Reading its log copies it, so the log is checked after 1, 2, 4 … blocks.
    for number, start in enumerate(range(0, len(data), _BLOCK), 1):
        parser.feed(data[start : start + _BLOCK])
        if number & (number - 1) == 0:
            check_log(parser.feed_error_log)
    root = parser.close()
    check_log(parser.feed_error_log)
    return root


_prepared: Final = threading.local()


def prepare_thread() -> None:
    """Give this thread its own dictionary of names in lxml; call this before it uses a shared parser."""
    # A thread that begins with a parser of another thread gets that thread's dictionary (lxml 6.1). Then both write to
    # it at once, which mixes up names or ends the process. Making an element first makes a new dictionary.
    if not hasattr(_prepared, "is_prepared"):
        etree.Element("any")
        _prepared.is_prepared = True


def check_log(log: Any) -> None:
    """Raise `XMLSyntaxError` for the first error in the log of an lxml parser, other than those about IDs."""
    # lxml itself looks at the last entry only, so a later warning hides an error. libxml2 goes on after namespace
    # errors with unresolved names in the tree.
    for entry in log.filter_from_errors():
        if entry.type not in _HARMLESS:
            message = f"{entry.message}, line {entry.line}, column {entry.column}"
            raise etree.XMLSyntaxError(message, entry.type, entry.line, entry.column)


def file_url(file: Any) -> str | None:
    """Return the URL or path of a file object as lxml finds it; None if it has none."""
    if callable(getattr(file, "geturl", None)):
        url: str = file.geturl()
        return url
    for attribute in ("name", "filename"):
        name = getattr(file, attribute, None)
        if isinstance(name, str | bytes):
            return os.path.abspath(os.fsdecode(name))
    return None


def with_line_feeds(document: str | bytes) -> str | bytes:
    """Return a document with U+000A for each U+000D that is a line break by itself (XML 1.0 §2.11)."""
    # The tree is the same. But libxml2 does not count such lines, and `sourceline` would depend on the chunks.
    # Most documents have no U+000D; searching for one takes a hundredth of the time of counting.
    if isinstance(document, str):
        has_lone_return = "\r" in document and document.count("\r") != document.count("\r\n")
        return _LONE_RETURN.sub("\n", document) if has_lone_return else document
    if b"\r" not in document:
        return document
    encoding = next((encoding for start, encoding in _WIDE if document.startswith(start)), None)
    if encoding is None:
        has_lone_return = document.count(b"\r") != document.count(b"\r\n")
        return _LONE_RETURN_BYTES.sub(b"\n", document) if has_lone_return else document
    try:
        return _LONE_RETURN.sub("\n", document.decode(encoding)).encode(encoding)
    except UnicodeDecodeError:  # libxml2 refuses it
        return document
