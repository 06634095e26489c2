"""The options of every way of parsing."""

import os
import re
import sys
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from functools import cache
from operator import index
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypedDict, cast

from xml5tree.errors.codes import CODES, Code, Effect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.policy import OnBad
from xml5tree.progress import OnProgress
from xml5tree.unpacking import UNPACKING_RATIO, UNPACKING_THRESHOLD
from xml5tree.xml.prefixes import WELL_KNOWN_PREFIXES, XML_NAMESPACE, XMLNS_NAMESPACE
from xml5tree.xml.structure import KINDS, Content, ElementNames

if TYPE_CHECKING:
    from logging import Logger, LoggerAdapter

    from xml5tree.errors.entry import Found
    from xml5tree.errors.reporter import Reporter

    _Logger = str | Logger | LoggerAdapter[Logger] | None
else:
    # A string would be compiled where it is an annotation of these classes, which takes 1 ms the first time.
    _Logger = str | Any | None

#: The treatment of a broken document.
Recovery = Literal["intent", "draft", "strict"]
RECOVERIES: Final[tuple[Recovery, ...]] = ("intent", "draft", "strict")

#: The treatment of control characters.
ControlCharacters = Literal["replace", "drop", "escape"]
CONTROL_CHARACTERS: Final[tuple[ControlCharacters, ...]] = ("replace", "drop", "escape")


class TokenizerOptions(TypedDict, total=False):
    """Keyword arguments of `tokenize`; `Settings` says what they mean."""

    on_error: Callable[[ErrorEntry], object] | None
    recovery: Recovery


class HTMLOptions(TypedDict, total=False):
    """Keyword arguments for ``dialect="html"`` only; `Settings` says what they mean."""

    revision: str
    scripting: bool
    initial_state: str | None
    last_start_tag: str | None
    content_models: bool


class HTMLTokenizerOptions(TokenizerOptions, HTMLOptions, total=False):
    """Keyword arguments of `tokenize` for HTML."""


class Options(TokenizerOptions, total=False):
    """Keyword arguments of the functions and parsers for XML; `Settings` says what they mean."""

    dialect: str
    encoding: str | None
    entities: Literal["html", "xml"] | Mapping[str, str]
    namespaces: Mapping[str, str] | bool | None
    resolve_entities: bool
    attribute_defaults: bool | None
    forbid_dtd: bool
    forbid_entities: bool
    forbid_external: bool
    max_depth: int
    max_amplification: int
    amplification_threshold: int
    max_errors: int | None
    logger: _Logger
    warnings: bool | type[Warning]
    filename: str | None
    force: bool
    max_unpacking_ratio: int
    unpacking_threshold: int
    elements: Collection[str] | None
    raw: Collection[str] | None
    trim_raw: bool
    value_attribute: str | None
    roots: Literal["first", "all"]
    root_element: str | Collection[str] | None
    control_characters: ControlCharacters
    empty: Collection[str] | None
    never_nest: Collection[str] | None
    structure: ElementNames | str | os.PathLike[str] | None


class TreeOptions(Options, HTMLOptions, total=False):
    """Keyword arguments of calls that read whole trees, also of HTML."""

    fragment: bool | str


#: What only XML5 with repair has.
_OF_REPAIRS: Final = ("elements", "raw", "trim_raw", "value_attribute", "roots", "root_element", "control_characters")
#: What only repair by intent has.
_OF_INTENT: Final = (*KINDS, "structure")
#: Options that have an effect in some dialects only, and these. Elsewhere, what forbids something else is fulfilled.
_EFFECTIVE_IN: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys((*_OF_REPAIRS, *_OF_INTENT), ("xml5",)),
    **dict.fromkeys(("attribute_defaults", "max_amplification", "amplification_threshold"), ("xml5",)),
    **dict.fromkeys(("revision", "fragment", "scripting"), ("html",)),
    **dict.fromkeys(("initial_state", "last_start_tag", "content_models"), ("html",)),
    "entities": ("xml5", "microxml"),
    "namespaces": ("xml5", "html"),
    "forbid_dtd": ("xml5", "leafxml", "microxml"),
    "force": ("xml5", "microxml", "html"),
}
#: Options about files that may be compressed.
_OF_FILES: Final = ("max_unpacking_ratio", "unpacking_threshold")
#: Options that native parsers do not have.
_NOT_STRICT: Final = (*_OF_REPAIRS, *_OF_INTENT, "entities", "namespaces", "resolve_entities", "max_depth", "force")


class EventOptions(Options, total=False):
    """Keyword arguments of readers of events; see `Options` and `xml5tree.XMLPullParser`."""

    tag: str | Iterable[str] | None
    on_bad: OnBad
    bad_from: Effect
    spans: bool


class SourceOptions(EventOptions, total=False):
    """Keyword arguments of readers of events of a source."""

    on_progress: OnProgress


class Settings(NamedTuple):
    """The options.

    Attributes:
        dialect: the grammar: ``"xml5"``; ``"leafxml"``, strict; ``"microxml"``; or ``"html"``.
        encoding: encoding of bytes, whatever they declare, unless they have a byte order mark (D-002).
        recovery: how to read broken markup. ``"intent"``: as its author seems to have meant it. ``"draft"``: by the
            XML5 draft; the default for `XMLPullParser`, `Repairer` and `tokenize`. ``"strict"``: not at all; the native
            parser reads the document, within its own limits (declarations also within those below). In MicroXML and
            HTML, the first two are equal. HTML has no ``"strict"``.
        entities: meanings of undeclared entities: ``"html"`` (with a semicolon, D-039); ``"xml"``, only the five of
            XML, the default of MicroXML; or a mapping of names to characters.
        namespaces: URIs for undeclared prefixes, before well-known ones, which ``{}`` switches off. Others are bound to
            ``urn:x-undeclared-prefix:`` and the prefix. For HTML, True puts elements in their namespace.
        resolve_entities: False keeps references to declared entities as text.
        attribute_defaults: whether to add attribute defaults of the DOCTYPE. None: for ElementTree, not for lxml.
        forbid_dtd: True raises `ParseError` for a DOCTYPE.
        forbid_entities: likewise for a DOCTYPE that declares an entity.
        forbid_external: likewise for one that names an external DTD or entity. (Neither is ever read.)
        max_depth: how deep elements nest; deeper ones are attached to the deepest allowed parent (D-124). The default
            does not apply to what the native parser accepts. libxml2 reads at most 2048.
        max_amplification: limit of the expansion of entities and attribute defaults, as a multiple of the document so
            far (D-046).
        amplification_threshold: expansion that is always allowed, in characters.
        max_errors: how many errors the log keeps, the worst; None: all.
        on_error: called with each `ErrorEntry` as it is found, before later events.
        logger: a logger, or its name, which gets each error: `kept` as information, `moved` as a warning, `lost` as an
            error.
        warnings: True issues a `xml5tree.RecoveryWarning` at the end of a repaired document; a subclass of `Warning` is
            its category.
        filename: the document's name in errors. None: its path, name or URL.
        force: True reads bytes that do not look like XML, such as an image.
        max_unpacking_ratio: limit of what gzip or zstd data unpacks to, as a multiple of its size so far.
        unpacking_threshold: unpacked size that is always allowed, in bytes.

    Attributes of XML5 only:
        elements: the names that are tags, as written; ``{*}name`` is ``name`` with any prefix or none. All else is
            text, except a misspelt end tag of the current element. None: any name.
        raw: those of `elements` that contain only characters, up to their exact end tag: with a parent, the first one
            before the parent's end tag, a start tag of one of `elements` or the end of the document.
        trim_raw: whether raw elements lose a line break after their start tag and one before their end tag.
        value_attribute: with `elements`, the attribute for the value of a tag such as ``<function=search>``. None: such
            tags are text.
        roots: ``"first"``: one root element, after which all but comments is dropped; or ``"all"``: an added root
            element ``{urn:x-xml5tree}roots`` around all.
        root_element: the name or names of the root element, as in `elements`. All before its first start tag is
            dropped, except a prolog.
        control_characters: how to treat characters that XML does not allow. ``"replace"``: U+FFFD, and a space for
            U+000C. ``"drop"``. ``"escape"``: as in Office Open XML, U+000B as ``_x000B_``. Not for names, undecodable
            bytes and lone surrogates.
        empty: for ``recovery="intent"``, names of elements without content, as in `elements`. This and the next two
            steer repairs only.
        never_nest: names of elements that are never inside one of their name.
        structure: the path of a DTD, an XML Schema or a RELAX NG grammar, or its `xml5tree.known_elements`.

    Attributes of HTML only:
        revision: ``"12.2.4"`` or, only in `tokenize`, ``"2008"``.
        fragment: True if the document is the content of a ``div``, or the name of another element, which is the result.
        scripting: whether ``noscript`` contains text.
        initial_state: in `tokenize`, the first state, such as ``"RCDATA state"``, or for the draft of 2008 the content
            model, such as ``"RCDATA"``.
        last_start_tag: in `tokenize`, the start tag before the text.
        content_models: in `tokenize`, whether start tags such as ``<title>`` set the state.
    """

    dialect: str = "xml5"
    revision: str = "12.2.4"
    encoding: str | None = None
    recovery: Recovery = "intent"
    entities: Literal["html", "xml"] | Mapping[str, str] = "html"
    namespaces: Mapping[str, str] | bool | None = None
    resolve_entities: bool = True
    attribute_defaults: bool | None = None
    forbid_dtd: bool = False
    forbid_entities: bool = False
    forbid_external: bool = False
    max_depth: int = 2000
    max_amplification: int = 100
    amplification_threshold: int = 8 * 1024 * 1024
    max_errors: int | None = 10_000
    on_error: Callable[[ErrorEntry], object] | None = None
    logger: _Logger = None
    warnings: bool | type[Warning] = False
    filename: str | None = None
    force: bool = False
    max_unpacking_ratio: int = UNPACKING_RATIO
    unpacking_threshold: int = UNPACKING_THRESHOLD
    fragment: bool | str = False
    scripting: bool = False
    initial_state: str | None = None
    last_start_tag: str | None = None
    content_models: bool = True
    elements: Collection[str] | None = None
    raw: Collection[str] | None = None
    trim_raw: bool = False
    value_attribute: str | None = "name"
    roots: Literal["first", "all"] = "first"
    root_element: str | Collection[str] | None = None
    control_characters: ControlCharacters = "replace"
    empty: Collection[str] | None = None
    never_nest: Collection[str] | None = None
    structure: ElementNames | str | os.PathLike[str] | None = None

    def check(self) -> None:
        """Check the values; raise `TypeError`, `ValueError`, or for an encoding `LookupError`."""
        for option, (is_right, what) in _TYPES.items():
            value = getattr(self, option)
            if not is_right(value):
                raise TypeError(f"{option} must be {what}, not {value!r}")
        if self.encoding is not None:
            from xml5tree.input.labels import check_label

            check_label(self.encoding)
        # A mapping that is no dict may make up its values when they are asked for.
        if isinstance(self.entities, dict) and not _is_all_text(self.entities):
            raise TypeError("entities maps names to characters, all of them strings")
        if not isinstance(self.entities, Mapping) and self.entities not in ("html", "xml"):
            raise ValueError(f'entities must be "html", "xml" or a mapping, not {self.entities!r}')
        if self.recovery not in RECOVERIES:
            raise ValueError(f'recovery must be "intent", "draft" or "strict", not {self.recovery!r}')
        if self.max_depth < 2:
            raise ValueError(f"max_depth must be at least 2, not {self.max_depth}")
        if self.max_errors is not None and self.max_errors < 0:
            raise ValueError(f"max_errors must be None or at least 0, not {self.max_errors}")
        if self.on_error is not None and not callable(self.on_error):
            raise TypeError(f"on_error must be callable, not {type(self.on_error).__name__}")
        if self.logger is not None and not isinstance(self.logger, str) and not hasattr(self.logger, "log"):
            raise TypeError(f"logger must be a logger or the name of one, not {type(self.logger).__name__}")
        category = self.warnings
        if not isinstance(category, bool) and not (isinstance(category, type) and issubclass(category, Warning)):
            raise TypeError(f"warnings must be a bool or a category of warnings, not {category!r}")
        self._check_effects()
        self._check_xml5()
        if self.dialect == "html":
            self._check_html()
            return
        namespaces = {} if self.namespaces is None else self.namespaces
        if not isinstance(namespaces, Mapping) or not _is_all_text(namespaces):
            raise TypeError("namespaces maps prefixes to URIs, all of them strings")
        if namespaces:
            from xml5tree.xml.chars import FORBIDDEN

            for prefix, uri in namespaces.items():
                if not prefix or not uri or uri in {XML_NAMESPACE, XMLNS_NAMESPACE} or FORBIDDEN.search(uri):
                    raise ValueError(f"namespaces maps prefixes to URIs; it cannot bind {prefix!r} to {uri!r}")

    def _is_chosen(self, option: str) -> bool:
        """Return whether an option has another value than its default, and does not switch off what is off anyway."""
        value, default = getattr(self, option), self._field_defaults[option]
        return bool(value != default and (value is not False or default is True))

    def takes(self, option: str) -> bool:
        """Return whether an option has an effect in this dialect, or with this recovery."""
        if self.dialect == "xml5" and not self.recovers and option in _NOT_STRICT:
            return False
        if option in _OF_INTENT and self.recovery != "intent":
            return False
        return self.dialect in _EFFECTIVE_IN.get(option, (self.dialect,))

    def _check_effects(self) -> None:
        """Raise `ValueError` for an option without an effect in this dialect, or without repair."""
        for option in (*_EFFECTIVE_IN, *_NOT_STRICT):
            if self.takes(option) or not self._is_chosen(option):
                continue
            if self.dialect in _EFFECTIVE_IN.get(option, (self.dialect,)):
                if self.recovers:
                    raise ValueError(f'{option} has no effect with recovery="draft"; it is for recovery="intent"')
                raise ValueError(f'recovery="strict" leaves documents to the native parser, which has no {option}')
            of = " or ".join(f'"{dialect}"' for dialect in _EFFECTIVE_IN[option])
            raise ValueError(f"{option} has no effect in dialect={self.dialect!r}; it is for dialect={of}")

    def _check_xml5(self) -> None:
        if not any(self._is_chosen(option) for option in (*_OF_REPAIRS, *_OF_INTENT)):
            return
        from xml5tree.xml.vocabulary import check_names, is_attribute

        if self.roots not in ("first", "all"):
            raise ValueError(f'roots must be "first" or "all", not {self.roots!r}')
        if self.control_characters not in CONTROL_CHARACTERS:
            raise ValueError(
                f'control_characters must be "replace", "drop" or "escape", not {self.control_characters!r}'
            )
        for option in ("elements", "raw", *KINDS):
            names = getattr(self, option)
            if names is not None:
                if isinstance(names, str | bytes) or not isinstance(names, Collection):
                    raise TypeError(f"{option} must be a collection of names, not {type(names).__name__}")
                check_names(option, names)
        if self.structure is not None and not (isinstance(self.structure, ElementNames) and self.structure.children):
            raise TypeError("structure is a path, or what known_elements returns of a DTD or schema")
        if unknown := set(self.raw or ()) - set(self.elements or ()):
            raise ValueError(f"raw elements must be among elements, and {min(unknown)!r} is not")
        if self.trim_raw and not self.raw:
            raise ValueError("trim_raw is about raw elements, which the option raw names")
        if self.value_attribute != self._field_defaults["value_attribute"] and self.elements is None:
            raise ValueError("value_attribute is about tags with a value, which there are with the option elements")
        if self.value_attribute is not None and not is_attribute(self.value_attribute):
            raise ValueError(f"value_attribute must be the name of an attribute, not {self.value_attribute!r}")
        if self.root_element is not None:
            if not isinstance(self.root_element, Collection):
                raise TypeError(
                    f"root_element must be a name or a collection of names, not {type(self.root_element).__name__}"
                )
            check_names("root_element", self.root_names)
            if not self.root_names:
                raise ValueError("root_element must have a name")
            if self.elements is not None and (unknown := set(self.root_names) - set(self.elements)):
                raise ValueError(f"root_element must be among elements, and {min(unknown)!r} is not")

    @property
    def recovers(self) -> bool:
        return self.recovery != "strict"

    @property
    def chooses_elements(self) -> bool:
        """Whether an option says which elements there are; native parsers have no such option."""
        return self.elements is not None or self.roots != "first" or self.root_element is not None

    @property
    def content(self) -> Mapping[str, Content]:
        """What the caller knows of elements, by their names."""
        known: dict[str, Content] = {}
        if isinstance(self.structure, ElementNames):
            known = {name: Content(children) for name, children in self.structure.children.items()}
        for option, make in KINDS.items():
            for name in getattr(self, option) or ():
                known[name] = known.get(name, Content()).also(make(name))
        return known

    @property
    def keeps_control_characters(self) -> bool:
        """Whether tree construction gets U+0000, which it drops or escapes."""
        return self.control_characters != "replace"

    @property
    def root_names(self) -> Collection[str]:
        if self.root_element is None:
            return ()
        return (self.root_element,) if isinstance(self.root_element, str) else self.root_element

    def _check_html(self) -> None:
        if not self.recovers:
            raise ValueError('recovery="strict" is for XML; every document is HTML, whatever its errors')
        if self.revision not in {"12.2.4", "2008"}:
            raise ValueError(f'revision must be "12.2.4" or "2008", not {self.revision!r}')
        if not isinstance(self.fragment, bool | str):
            raise TypeError(f"fragment must be a bool or the name of an element, not {type(self.fragment).__name__}")
        if isinstance(self.fragment, str) and not re.fullmatch("[A-Za-z][A-Za-z0-9]*", self.fragment):
            raise ValueError(f"fragment must be the name of an element, not {self.fragment!r}")
        if self.namespaces is not None and not isinstance(self.namespaces, bool):
            raise TypeError("of HTML, namespaces says whether its elements are in their namespace: True or False")

    @property
    def forbids_doctypes(self) -> bool:
        """Whether a document may be refused because of its DOCTYPE."""
        return self.forbid_dtd or self.forbid_entities or self.forbid_external

    @property
    def named_entities(self) -> Mapping[str, str]:
        if isinstance(self.entities, str):
            return _html_entities() if self.entities == "html" else {}
        return self.entities

    @property
    def known_prefixes(self) -> Mapping[str, str]:
        if self.namespaces is None or isinstance(self.namespaces, bool):
            return WELL_KNOWN_PREFIXES
        return {**WELL_KNOWN_PREFIXES, **self.namespaces} if self.namespaces else {}

    def named(self, filename: str | None) -> "Settings":
        """Return these settings for a document of this name, unless they name it themselves."""
        return self if filename is None or self.filename is not None else self._replace(filename=filename)

    @property
    def listener(self) -> Callable[[ErrorEntry], object] | None:
        """The function to call with each error: `on_error`, one that logs it, or both."""
        if self.logger is None:
            return self.on_error
        from xml5tree.errors.notify import logging_to

        return logging_to(self.logger, self.on_error)

    def make_reporter(
        self,
        codes: Mapping[str, Code] = CODES,
        left_out: Container[str | None] = (),
        *,
        on_error: Callable[[ErrorEntry], object] | None = None,
        on_found: "Callable[[Found], object] | None" = None,
        make: "Callable[..., Reporter] | None" = None,
    ) -> "Reporter":
        """Return a reporter of a document's errors, by `make`; `on_error` is called instead of `listener`."""
        on_end = None
        if self.warnings is not False:
            from xml5tree.errors.notify import warning_by

            on_end = warning_by(self.warnings)
        on_error = on_error or self.listener
        if make is None:
            from xml5tree.errors.reporter import Reporter

            make = Reporter
        return make(self.max_errors, on_error, codes, left_out, on_found, on_end, self.filename)

    @classmethod
    def make(cls, options: Options) -> "Settings":
        """Return checked settings; raise `TypeError` for an unknown option, and what `check` raises."""
        unknown = options.keys() - cls._fields
        if unknown:
            from xml5tree.suggestions import advice  # few callers need it

            name = min(unknown)
            raise TypeError(f"unknown option {name!r}; {advice(name, cls._fields)}")
        settings = cls(**options)
        settings.check()
        given: Mapping[str, Any] = options
        # C counts with numbers of a limited size, and no document reaches that.
        numbers: dict[str, Any] = {
            name: max(-1, min(index(given[name]), sys.maxsize)) for name in _NUMBERS if given.get(name) is not None
        }
        return settings._replace(**numbers) if numbers else settings


#: Conditions on values of options, with their wording, by the options' types.
_CONDITIONS: Final[Mapping[object, tuple[Callable[[object], bool], str]]] = {
    bool: (lambda value: isinstance(value, bool), "True or False"),
    bool | None: (lambda value: value is None or isinstance(value, bool), "True, False or None"),
    int: (lambda value: _is_number(value), "a whole number"),
    int | None: (lambda value: value is None or _is_number(value), "a whole number or None"),
    str: (lambda value: isinstance(value, str), "a string"),
    str | None: (lambda value: value is None or isinstance(value, str), "a string or None"),
}
_TYPES: Final = {option: _CONDITIONS[kind] for option, kind in Settings.__annotations__.items() if kind in _CONDITIONS}

#: The numbers, which are at most as large as C can count.
_NUMBERS: Final = [option for option, kind in Settings.__annotations__.items() if kind in (int, int | None)]


def when_pulled(options: Options) -> Options:
    """Return options with the default of `recovery` for a document that is whole or pulled."""
    return {"recovery": Settings._field_defaults["recovery"], **options}


def when_pushed(options: Options) -> Options:
    """Return options with ``recovery="draft"`` by default: a client that waits for answers cannot send more first."""
    return {"recovery": "draft", **options}


def assuming_nothing(options: Options) -> Options:
    """Return options with ``recovery="draft"``, without those that only intent has."""
    given: Options = {**options, "recovery": "draft"}
    return cast(Options, {name: value for name, value in given.items() if name not in _OF_INTENT})


def of_data(options: Options) -> Options:
    """Return the options of a call that gets data, or raise `ValueError` for one about compressed files."""
    for option in _OF_FILES:
        if options.get(option, Settings._field_defaults[option]) != Settings._field_defaults[option]:
            raise ValueError(f"{option} has no effect here: only files are unpacked")
    return options


def without_files(options: Options) -> Options:
    """Return the options for the data of a file that is unpacked by the caller."""
    return cast(Options, {name: value for name, value in options.items() if name not in _OF_FILES})


def with_filename(options: Options, filename: str | None) -> Options:
    """Return options for a document of this name, unless they name it themselves."""
    return options if filename is None else {**options, "filename": options.get("filename") or filename}


def _is_number(value: object) -> bool:
    return hasattr(type(value), "__index__") and not isinstance(value, bool)


def _is_all_text(mapping: Mapping[str, str]) -> bool:
    return all(isinstance(key, str) and isinstance(value, str) for key, value in mapping.items())


@cache  # an import statement takes 2 µs each time
def _html_entities() -> Mapping[str, str]:
    """Return HTML's names of characters that end in a semicolon, without it."""
    from html.entities import html5

    return {name[:-1]: characters for name, characters in html5.items() if name.endswith(";")}
