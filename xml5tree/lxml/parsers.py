"""lxml's parsers, fed repaired markup if necessary."""

import codecs
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast
from weakref import WeakValueDictionary, ref

from lxml import etree

from xml5tree.backends.lxml import check_log, prepare_thread
from xml5tree.backends.native_first import keeps_limits, may_have_doctype, may_name_external
from xml5tree.dialects import make_settings
from xml5tree.dialects.base import Pipeline
from xml5tree.documents import Document, text_or_bytes
from xml5tree.drive import drive
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.lifecycle import LastLog, LifeCycle
from xml5tree.lxml.log import DocumentError, Log, as_log, of_parse_error, refused
from xml5tree.lxml.reading import FedParser
from xml5tree.lxml.sources import SourceParts, for_lxml, path_of
from xml5tree.options import Options, Settings, when_pushed
from xml5tree.wellformed import BLOCK, settings_for, settings_for_parts
from xml5tree.xml.limits import COMMENT, LIBXML2_LIMITS, PROCESSING_INSTRUCTION, ReaderLimits

if TYPE_CHECKING:
    from lxml.etree import _Element, _ElementTree


#: Options of xml5tree that lxml's parsers do not have.
_OWN: Final = {*Settings._fields} - {"attribute_defaults", "encoding", "resolve_entities"}

#: Options of lxml's parsers about the unrepaired document.
_OF_THE_DOCUMENT: Final = ("decompress", "encoding", "huge_tree", "no_network", "resolve_entities")

#: Attributes that a copy of a parser has in common with it.
_COPIED: Final = (
    *("_lxml_options", "_kept_from_repair", "_recovers_by_itself", "collects_ids", "_strict"),
    *("_dialect", "_settings", "_fed_settings", "_base_url", "_class_lookup"),
)

#: lxml's exceptions for a whole document. ValueError: text with an encoding declaration, or no Unicode.
_REFUSALS: Final = (etree.XMLSyntaxError, ValueError)

#: Repaired markup before the DOCTYPE, and a DOCTYPE with an external DTD.
_BEFORE_DOCTYPE: Final = re.compile(rb"(?>\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_EXTERNAL_DTD: Final = re.compile(rb"<!DOCTYPE\s+\S+\s+(?:SYSTEM|PUBLIC)\s")


class _NoElement(Exception):
    """A document has no element, which ``recover=True`` allows; `result` is that of parsing it."""

    def __init__(self, result: Any) -> None:
        super().__init__(result)
        self.result = result


class _NothingExternal(etree.Resolver):
    """Resolves everything but the document to nothing."""

    def __hash__(self) -> int:
        return 0  # lxml has resolvers in a set; so this one is asked before those of the caller

    def resolve(self, system_url: str | None, public_id: str | None, context: Any) -> Any:
        return self.resolve_string("", context)


class _OnlyOthers(etree.Resolver):
    """Leaves everything to the other resolvers of a parser, and raises an exception for what they do not resolve."""

    def __init__(self, parser: "XMLParser") -> None:
        self._parser = ref(parser)

    def resolve(self, system_url: str | None, public_id: str | None, context: Any) -> Any:
        parser = self._parser()
        assert parser is not None  # it parses
        registry: Any = parser.resolvers
        others = registry.copy()
        others.remove(self)
        found = others.resolve(system_url, public_id, context)
        if found is None:
            raise parser.refusal(f"iterparse reads no other file, so not {system_url!r}", 1, 1)
        return found


class _WithoutSystem:
    """A caller's target whose `doctype` gets None for a system identifier that the document lacks, as from lxml."""

    def __init__(self, target: Any, log: Callable[[], ErrorLog]) -> None:
        self._target = target
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        # Markup with a public identifier has a system identifier, if only an empty one.
        lacks = any(entry.code == "missing-doctype-system-identifier" for entry in self._log())
        self._target.doctype(name, public, None if lacks else system)


class XMLParser(etree.XMLParser):
    """`lxml.etree.XMLParser` that takes every document with a start tag.

    It has lxml's interface: it is fed, or passed to the functions of this package as ``parser``. lxml's own functions
    use it as a strict parser with the same options.

    A whole document goes to lxml first, and a document that lxml accepts gives its tree. Any other document, and every
    one that is fed, is repaired, and lxml's parser reads the repaired markup.

    Threads may share a parser for whole documents: each call has a state of its own. Calls wait for each other if the
    parser has a target, or if lxml reads the document, external entities or DTDs. Otherwise, in other threads than the
    one that made the parser, lxml parses with one like it, which is then the `parser` of the element tree. A document
    that is fed belongs to the thread in which it began: `feed` and `close` raise RuntimeError in another one.
    """

    _lxml_class: ClassVar[type[etree.XMLParser]] = etree.XMLParser

    def __init__(self, **options: Any) -> None:
        """Set the options.

        Args:
            **options: those of `lxml.etree.XMLParser` with their defaults, and those of `xml5tree.options.Settings`;
                docs/drop-ins.md says where they meet. With a `target`, `recovery` is ``"draft"`` by default for
                documents that are fed.

        Raises:
            TypeError: an unknown option.
            ValueError: an invalid value; a `recover` that contradicts `recovery`; `forbid_dtd` or its like, or another
                dialect than XML5, where the document is left to lxml.
            LookupError: the encoding is unknown.
        """
        options = translated(options)
        self._recovers_by_itself = bool(options.pop("recover", False))
        own = {name: options.pop(name) for name in _OWN & options.keys()}
        self._kept_from_repair = [name for name in ("dtd_validation", "load_dtd") if options.get(name)]
        self.collects_ids = bool(options.get("collect_ids", True))
        # Without IDs, libxml2 reads the external DTD, whether it is asked to or not.
        is_unasked = not (self.collects_ids or self._kept_from_repair or options.get("attribute_defaults"))
        if is_unasked and options.get("resolve_entities", "internal") not in {"internal", False}:
            del options["collect_ids"]
        # For lxml's own functions, and where the document is left to lxml. Before a repair, lxml's log is checked.
        super().__init__(**{**options, "recover": self._recovers_by_itself})
        if is_unasked and "collect_ids" in options:
            self.resolvers.add(_NothingExternal())
        self._lxml_options: dict[str, Any] = options
        encoding = options.get("encoding")
        own["encoding"] = encoding.decode() if isinstance(encoding, bytes) else encoding
        own["attribute_defaults"] = bool(options.get("attribute_defaults"))
        self._dialect, self._settings = make_settings(cast(Options, own))
        self._fed_settings = self._settings
        if options.get("target") is not None:  # a target is called before the document's end
            _, self._fed_settings = make_settings(when_pushed(cast(Options, own)))
        if self._kept_from_repair and not self._dialect.is_natively_strict:
            raise ValueError(f"{self._kept_from_repair[0]}=True leaves the document to lxml, which only reads XML")
        self._strict = bool(self._kept_from_repair) or not self._dialect.writes_markup(self._settings)
        if self._strict and self._settings.forbids_doctypes:
            names = ("forbid_dtd", "forbid_entities", "forbid_external")
            option = next(name for name in names if getattr(self._settings, name))
            raise ValueError(f"{option}=True needs recover=True, and neither dtd_validation nor load_dtd")
        if self._strict and self._settings.chooses_elements:
            raise ValueError("elements, roots and root need recover=True, and neither dtd_validation nor load_dtd")
        self._base_url: str | bytes | None = None  # for documents that are fed
        self._class_lookup: etree.ElementClassLookup | None = None
        self._reader: Any = None
        self._cycle: LifeCycle[Any] = LifeCycle(one_thread=True)  # for documents that are fed
        self._thread = threading.get_ident()  # the thread that has made it
        self._prolog_line = 0  # of the next markup, while a DOCTYPE with an external DTD may come; else 0
        self._last_log = LastLog(Log())
        self._feed_log = Log()

    @property
    def error_log(self) -> Any:
        """The errors of this thread's last document: an `xml5tree.ErrorLog` with what lxml's logs have.

        A thread that has parsed nothing gets the log of the last document.
        """
        return Log.of_lxml(super().error_log) if self._strict else as_log(self._last_log.get())

    @property
    def feed_error_log(self) -> Any:
        """The error log of the last document that was fed."""
        return Log.of_lxml(super().feed_error_log) if self._strict else self._feed_log

    def set_element_class_lookup(self, lookup: etree.ElementClassLookup | None = None) -> None:
        """Set the lookup for the classes of elements; None: lxml's default."""
        super().set_element_class_lookup(lookup)
        self._class_lookup = lookup
        if self._reader is not None and not isinstance(self._reader, FedParser):
            self._reader.set_element_class_lookup(lookup)

    def copy(self) -> "XMLParser":
        """Return a new parser with the same options."""
        copy: XMLParser = super().copy()
        for name in _COPIED:
            setattr(copy, name, getattr(self, name))
        return copy

    def feed(self, data: Document) -> None:
        """Take the next chunk of a document, which is all bytes or all text.

        Raises:
            TypeError: `data` is neither, or not what was fed before.
            DocumentError: the document is refused.
            RuntimeError: another thread has begun the document, or `on_error` calls this.
        """
        if self._strict:
            with self._feeding_lxml():
                super().feed(text_or_bytes(data))
            return
        data = self._cycle.accept(data)
        with self._feeding() as (pipeline, reader):
            for markup in pipeline.feed(data):
                self._pass_on(reader, markup)

    def close(self) -> "_Element":
        """End the document; return the root element, or the result of the target's ``close``; raise as `feed`."""
        if self._strict:
            with self._feeding_lxml(last=True):
                result = super().close()
                if not self._recovers_by_itself:
                    check_log(super().feed_error_log)
                return result
        try:
            with self._feeding(last=True) as (pipeline, reader):
                for markup in pipeline.close():
                    self._pass_on(reader, markup)
                root: _Element = reader.close()
                check_log(reader.feed_error_log)
            return root
        except _NoElement as nothing:
            return cast("_Element", nothing.result)

    def end_early(self, damage: str) -> None:
        """End the document because compressed data was damaged; raise `OSError` if lxml reads the document."""
        if self._strict:
            refuse_damage(damage)
        with self._feeding() as (pipeline, _):
            pipeline.end_early(damage)

    def parse_whole(self, data: Document, base_url: str | bytes | None = None, *, damage: str = "") -> "_Element":
        """Parse a whole document; return the root element, or the result of the target's ``close``.

        `damage` is that of the compressed data that the document comes from; "" for none. Raises `TypeError` if `data`
        is neither bytes nor text, and `DocumentError` if the document is refused.
        """
        root, _ = self.read_whole(data, base_url, damage=damage)
        return root

    def read_whole(
        self, data: Document, base_url: str | bytes | None = None, *, damage: str = ""
    ) -> "tuple[_Element, bool]":
        """Parse a whole document as `parse_whole`; return its result, and whether the document was repaired."""
        log = Log()
        log.filename = _named(self._settings, base_url).filename
        self._last_log.set(log)
        whole = text_or_bytes(data)
        if self._strict:
            refuse_damage(damage)
            return self._parse_strictly(etree.fromstring, for_lxml(whole), base_url), False
        looked = None if damage else self._first_look(whole)
        if self.target is None and looked:
            try:
                root, log = self._parse_natively(for_lxml(whole), base_url)
                # Such a warning: a reference was dropped to an entity that an unread declaration might declare.
                lost = etree.ErrorTypes.WAR_UNDECLARED_ENTITY
                if not self._resolve_entities or not any(entry.type == lost for entry in log):
                    return root, False
            except _REFUSALS:
                pass
        with nullcontext() if self.target is None else _using(self):
            try:
                return self._repair_whole(whole, base_url, damage, is_broken=looked is False), True
            except _NoElement as nothing:
                return nothing.result, True

    def _parse_natively(self, whole: bytes | str, base_url: str | bytes | None) -> "tuple[_Element, Any]":
        """Parse a document with this parser, or one like it; return its root and lxml's log."""
        with self._native() as native:
            root: _Element = etree.fromstring(whole, native, base_url=base_url)
            log = super().error_log if native is self else native.error_log
            check_log(log)
            return root, log

    def _parse_strictly(self, parse: Callable[..., Any], source: Any, base_url: str | bytes | None) -> Any:
        with _using(self), self._document_errors(lambda: super(XMLParser, self).error_log):
            result = parse(source, self, base_url=base_url)
            if not self._recovers_by_itself:
                check_log(super().error_log)
            return result

    def _repair_whole(
        self, whole: bytes | str, base_url: str | bytes | None, damage: str, *, is_broken: bool
    ) -> "_Element":
        settings, limits = self._settings, self._limits()
        if not (damage or is_broken):
            settings = settings_for_parts((whole,), self._dialect, settings, limits)
        pipeline = self._make_pipeline(settings, base_url, limits, None if damage else whole)
        self._last_log.set(pipeline.reporter.log)
        reader = self._make_reader()
        with self._document_errors(lambda: reader.error_log, base_url):
            markup = _repaired(pipeline, whole, damage)
            if self._settings.attribute_defaults:
                self._check_prolog(markup, 1)
            if self._reads_markup:
                with suppress(etree.XMLSyntaxError):
                    return self._parse_natively(markup, base_url)[0]
            result: _Element = etree.fromstring(markup, reader, base_url=base_url)
            check_log(reader.error_log)
        return result

    def open_source(self, source: Any, size: int | None = None) -> SourceParts:
        """Return the chunks of a file, unpacked unless the option `decompress` is False."""
        decompress = bool(self._lxml_options.get("decompress", True))
        return SourceParts(source, self._settings, decompress=decompress, size=size)

    def settle(self, source: Any) -> None:
        """Assume nothing in the document in a file, which is about to be fed, if it is well-formed."""
        if not self._strict:
            opened = path_of(source) if isinstance(source, str | bytes | os.PathLike) else source
            self._fed_settings = settings_for(
                opened, self._dialect, self._fed_settings, self._limits(), lambda: self.open_source(opened, BLOCK)
            )

    def parse_source(self, source: Any, base_url: str | bytes | None = None) -> "_ElementTree":
        """Return the tree of a file, or the result of the target's ``close``; raise what `SourceParts` raises."""
        if self._strict and not hasattr(source, "read"):
            return cast("_ElementTree", self._parse_strictly(etree.parse, source, base_url))
        parts = self.open_source(source)
        made: Any = self.parse_whole(parts.read(), parts.url if base_url is None else base_url, damage=parts.damage)
        if self.target is None:
            made = etree.ElementTree(made) if made is None else made.getroottree()
        return cast("_ElementTree", made)

    def _first_look(self, whole: bytes | str) -> bool | None:
        """Return whether the unrepaired document can go to lxml; see `Dialect.first_look`."""
        looked = self._dialect.first_look(whole, self._settings, LIBXML2_LIMITS)
        if looked is False:
            return False
        reads_more = not self.collects_ids and not self._settings.attribute_defaults
        if reads_more and may_have_doctype(whole) and may_name_external(whole, self._settings.encoding):
            return None  # lxml would read the external DTD
        if not keeps_limits(whole, self._settings):
            return None
        if looked:
            return True
        settings = self._settings._replace(attribute_defaults=None)  # lxml adds defaults if asked to
        if not settings.forbids_doctypes:
            # Lost references are in lxml's log, so they need no check before: only the encoding does.
            whole = "" if isinstance(whole, str) else whole.replace(b"&", b" ")
        return self._dialect.first_look(whole, settings, LIBXML2_LIMITS) or None

    # The repair -------------------------------------------------------------------------------------------------------

    def _make_pipeline(
        self, settings: Settings, base_url: str | bytes | None, limits: ReaderLimits, whole: bytes | str | None = None
    ) -> Pipeline:
        settings = _named(settings, base_url)
        if self._resolve_entities not in {"internal", False}:
            settings = settings._replace(on_error=self._refuse_external(settings.listener), logger=None)
        pipeline = self._dialect.make_pipeline(settings, limits, output_encoding="UTF-8", for_tree=False, whole=whole)
        pipeline.reporter.log.__class__ = Log  # whose entries have lxml's attributes, too
        return pipeline

    def _limits(self) -> ReaderLimits:
        target: object = self.target
        if target is not None:
            return LIBXML2_LIMITS.with_target(target)
        options = {COMMENT: "remove_comments", PROCESSING_INSTRUCTION: "remove_pis"}
        return LIBXML2_LIMITS._replace(
            left_out={node for node, option in options.items() if self._lxml_options.get(option)},
            entity_nodes=not self._resolve_entities,
        )

    @property
    def _resolve_entities(self) -> bool | str:
        resolve: bool | str = self._lxml_options.get("resolve_entities", "internal")
        return resolve

    def _refuse_external(self, on_error: Callable[[ErrorEntry], object] | None) -> Callable[[ErrorEntry], None]:
        """Return a callback for errors that refuses references to external entities, which are wanted."""
        message = (
            "resolve_entities=True: external entities are read only for well-formed documents that are parsed whole,"
            " and not in Shift_JIS or the like"
        )

        def check(entry: ErrorEntry) -> None:
            if entry.code == "external-entity-reference":
                raise self.refusal(message, entry.line, entry.column + 1)
            if on_error is not None:
                on_error(entry)

        return check

    def read_nothing_else(self) -> None:
        """Refuse documents for which lxml would read other files than those that resolvers supply."""
        if self._strict:
            self.resolvers.add(_OnlyOthers(self))

    def refusal(self, message: str, line: int, column: int) -> DocumentError:
        message += f", line {line}, column {column}"
        return DocumentError(message, "option-not-honoured", (line, column), self._last_log.get())

    def _check_prolog(self, markup: bytes, line: int) -> int:
        """Refuse markup with an external DTD; return the line at its end if a DOCTYPE may still come, else 0."""
        prolog = _BEFORE_DOCTYPE.match(markup)
        assert prolog is not None  # it matches the empty string
        line += prolog[0].count(b"\n")
        if _EXTERNAL_DTD.match(markup, prolog.end()):
            message = "attribute_defaults=True: an external DTD is not read for a document that is repaired or fed"
            raise self.refusal(message, line, 1)
        return line if prolog.end() == len(markup) else 0

    @contextmanager
    def _native(self) -> Iterator[etree.XMLParser]:
        """Yield the parser for a whole document: this one, or in other threads than its own, one like it."""
        # So threads need not wait for each other. The other parser lacks the resolvers, which only matter for external
        # entities and DTDs.
        reads_external = self._resolve_entities not in {"internal", False} or self._settings.attribute_defaults
        if reads_external or threading.get_ident() == self._thread:
            with _using(self):
                yield self
        else:
            yield self._make_lxml_parser(self._lxml_options)

    def _make_lxml_parser(self, options: dict[str, Any]) -> etree.XMLParser:
        parser: etree.XMLParser = self._lxml_class(**options)
        parser.set_element_class_lookup(self._class_lookup)
        return parser

    def _make_reader(self) -> Any:
        """Return a parser of lxml for repaired markup, which reads no DTD and has no limits of its own."""
        # `recover` only lets IDs pass that are no names or occur twice; all other errors are checked.
        options = {name: value for name, value in self._lxml_options.items() if name not in _OF_THE_DOCUMENT}
        if options.get("schema") is None:
            options.pop("attribute_defaults", None)
        options["resolve_entities"] = "internal" if self._resolve_entities else False
        if not self._dialect.has_comments:
            options["remove_comments"] = True
        if callable(getattr(self.target, "doctype", None)):
            options["target"] = _WithoutSystem(self.target, self._last_log.get)
        reader = self._make_lxml_parser({**options, "recover": True, "huge_tree": True})
        if not self.collects_ids:
            reader.resolvers.add(_NothingExternal())
        return reader

    @property
    def _reads_markup(self) -> bool:
        """Whether this parser can read repaired markup that keeps its limits; it is then the `parser` of the tree."""
        encoding = self._settings.encoding
        return (
            self.target is None
            and self._dialect.has_comments
            and (encoding is None or codecs.lookup(encoding).name == "utf-8")
            and self._resolve_entities in {"internal", False}
            and (self.collects_ids or not self._settings.attribute_defaults)
        )

    def _get_reader(self) -> Any:
        if self._reader is None:
            is_own = self._reads_markup and not isinstance(self, etree.XMLPullParser)
            self._reader = FedParser(self, self._make_reader) if is_own else self._make_reader()
        return self._reader

    def _begin(self) -> Pipeline:
        if self._cycle.state == "failed" or isinstance(self._reader, FedParser):
            self._reader = None  # it still has the document that failed
        self._prolog_line = 1 if self._settings.attribute_defaults else 0
        pipeline = self._make_pipeline(self._fed_settings, self._base_url, self._limits())
        self._feed_log = as_log(pipeline.reporter.log)
        self._last_log.set(self._feed_log)
        return pipeline

    def _pass_on(self, reader: Any, markup: bytes) -> None:
        if self._prolog_line:
            self._prolog_line = self._check_prolog(markup, self._prolog_line)
        if markup:
            reader.feed(markup)

    @contextmanager
    def _feeding(self, *, last: bool = False) -> Iterator[tuple[Pipeline, Any]]:
        prepare_thread()
        with self._cycle.step(self._begin, last=last) as pipeline:
            reader = self._get_reader()
            with self._document_errors(lambda: reader.feed_error_log):
                yield pipeline, reader

    @contextmanager
    def _feeding_lxml(self, *, last: bool = False) -> Iterator[None]:
        prepare_thread()
        step = self._cycle.step(lambda: None, last=last)
        with step, self._document_errors(lambda: super(XMLParser, self).feed_error_log):
            yield

    @contextmanager
    def _document_errors(self, lxml_log: Callable[[], Any], url: str | bytes | None = None) -> Iterator[None]:
        """Raise `DocumentError` in place of other exceptions for refused documents."""
        try:
            yield
        except ParseError as error:
            target: Any = self.target
            result = None if target is None else target.close()  # as lxml does it
            exception = error if isinstance(error, DocumentError) else of_parse_error(error, url)
            self._feed_log = exception.error_log if self._feed_log is self._last_log.get() else self._feed_log
            self._last_log.set(exception.error_log)
            is_empty = target is None and exception.position == (1, 1)
            if self._recovers_by_itself and exception.reason == "no-root-element" and not is_empty:
                raise _NoElement(result) from None
            raise exception from None
        except etree.XMLSyntaxError as error:
            if type(error) is not etree.XMLSyntaxError:
                raise  # raised by the target
            explanation = ""
            if self._kept_from_repair:
                explanation = f" (not repaired because of {self._kept_from_repair[0]}=True)"
            found = ErrorLog() if self._strict else self._last_log.get()
            exception = refused(error, lxml_log().filter_from_errors(), found, explanation)
            self._last_log.set(exception.errors)
            raise exception from None


class XMLPullParser(XMLParser, etree.XMLPullParser):
    """`lxml.etree.XMLPullParser` that takes every document with a start tag."""

    _lxml_class = etree.XMLPullParser

    def __init__(
        self,
        events: Iterable[str] | None = None,
        *,
        tag: Any = None,
        base_url: str | bytes | None = None,
        **options: Any,
    ) -> None:
        """Set the options.

        Args:
            events: the events to collect: ``start``, ``end``, ``start-ns``, ``end-ns``, ``comment``, ``pi``. None:
                ``end``.
            tag: a tag or tags, as `lxml.etree.iterparse` takes them; limits ``start`` and ``end``.
            base_url: the document's URL.
            **options: see `XMLParser`, which also says what is raised.
        """
        events = None if events is None else tuple(events)
        if "error" in (events or ()) or {"on_bad", "bad_from"} & options.keys():
            raise ValueError(
                'lxml has no events of the kind "error", nor on_bad: xml5tree.iterparse and xml5tree.XMLPullParser do, '
                'with backend="lxml"; here the errors are in feed_error_log, and go to on_error'
            )
        super().__init__(events=events, tag=tag, base_url=base_url, **when_pushed(cast(Options, translated(options))))
        self._base_url = base_url
        self._dialect.require_streaming("reading events")

    def read_events(self) -> "Iterator[tuple[str, _Element]]":
        """Return an iterator over the events collected since the last call."""
        events: Iterator[tuple[str, Any]] = super().read_events() if self._strict else self._get_reader().read_events()
        return events


class ETCompatXMLParser(XMLParser, etree.ETCompatXMLParser):
    """`lxml.etree.ETCompatXMLParser` that takes every document; it drops comments and instructions by default."""

    _lxml_class = etree.ETCompatXMLParser


def _named(settings: Settings, base_url: str | bytes | None) -> Settings:
    return settings.named(None if base_url is None else os.fsdecode(base_url))


def _repaired(pipeline: Pipeline, whole: bytes | str, damage: str) -> bytes:
    if not damage:
        return b"".join(pipeline.read_whole(whole))
    return b"".join(chain.from_iterable(drive(pipeline, (whole,), lambda: damage)))


def refuse_damage(damage: str) -> None:
    """Raise `OSError` for a document that is left to lxml, if it was not unpacked completely."""
    if damage:
        raise OSError(damage)


def parse_with_native(
    data: Document, parser: etree.XMLParser, base_url: str | bytes | None = None, *, damage: str = ""
) -> "_Element":
    """Parse a whole document with a parser of lxml's own, whose options then apply to the repaired markup.

    The options of such a parser are unknown: its `encoding` does not reach the repair. A document that it accepts
    without errors gives its tree. Other arguments, results and exceptions are those of `XMLParser.parse_whole`.
    """
    dialect, settings = make_settings({})
    whole = text_or_bytes(data)
    looked = None if damage else dialect.first_look(whole, settings, LIBXML2_LIMITS)
    if parser.target is None and looked:
        try:
            with _using(parser):
                root = etree.fromstring(for_lxml(whole), parser, base_url=base_url)
                if not parser.error_log.filter_from_errors():
                    return root
        except _REFUSALS:
            pass
    limits = LIBXML2_LIMITS if parser.target is None else LIBXML2_LIMITS.with_target(parser.target)
    settings = _named(settings, base_url)
    if not damage and looked is not False:
        settings = settings_for_parts((whole,), dialect, settings, limits)
    pipeline = dialect.make_pipeline(settings, limits, whole=None if damage else whole)
    try:
        markup = _repaired(pipeline, whole, damage)
    except ParseError as error:
        raise of_parse_error(error, base_url) from None
    with _using(parser):
        try:
            return etree.fromstring(markup.decode(), parser, base_url=base_url)
        except etree.XMLSyntaxError as error:
            raise refused(error, parser.error_log.filter_from_errors(), pipeline.reporter.log) from None


#: Locks of the parsers that read whole documents, by `id`.
_locks: WeakValueDictionary[int, threading.RLock] = WeakValueDictionary()
_locks_lock = threading.Lock()


def _forget_threads() -> None:
    """Forget what other threads use; they are not in the child of a fork, so they would never give it up."""
    global _locks_lock
    _locks_lock = threading.Lock()
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


@contextmanager
def _using(parser: etree.XMLParser) -> Iterator[None]:
    """Keep other threads from parsing whole documents with a parser until its log is read, which all threads share."""
    prepare_thread()
    with _locks_lock:
        lock = _locks.setdefault(id(parser), threading.RLock())
    with lock:
        yield


def translated(options: dict[str, Any]) -> dict[str, Any]:
    """Return options with lxml's `recover` translated to our `recovery`; raise `ValueError` if these disagree."""
    options = dict(options)
    recover = options.get("recover")
    if recover is None:
        options.pop("recover", None)
        return options
    if not recover:  # lxml takes any value for its truth
        options.setdefault("recovery", "strict")
    if "recovery" in options and (options["recovery"] == "strict") == bool(recover):
        raise ValueError(f"recover={bool(recover)} contradicts recovery={options['recovery']!r}")
    return options
