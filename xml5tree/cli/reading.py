"""Options for reading documents, and strict reading."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, Final

import click

from xml5tree.api import known_elements
from xml5tree.cli.severity import SERIOUS
from xml5tree.cli.sources import InputDocument, complain
from xml5tree.dialects import DIALECTS, find_dialect, make_settings
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.input.labels import check_label
from xml5tree.options import CONTROL_CHARACTERS, RECOVERIES, Options, assuming_nothing
from xml5tree.parser import XMLParser
from xml5tree.vocabularies import read_schema
from xml5tree.xml.structure import ElementNames

__all__ = [
    "check_text",
    "choice_option",
    "is_strict",
    "known_encoding",
    "reading_options",
    "refuse",
    "strictly",
    "tokenizing_options",
]

_Command = Callable[..., int]


def choice_option(
    *names: str, choices: Iterable[str], default: str | None = None, help: str | None = None
) -> Callable[[Any], Any]:
    """Return an option whose value is one of the `choices`, by default the first."""
    words = list(choices)
    return click.option(*names, type=click.Choice(words), default=default or words[0], show_default=True, help=help)


def known_encoding(ctx: click.Context, parameter: click.Parameter, label: str | None) -> str | None:
    """Check the name of an encoding that is given as an option."""
    if label is not None:
        try:
            check_label(label)
        except LookupError as error:
            raise click.BadParameter(str(error)) from error
    return label


def check_text(value: str) -> str:
    """Return an argument that is text, not a path; raise `click.BadParameter` for bytes that cannot be decoded."""
    try:
        value.encode()
    except UnicodeEncodeError:
        encoding = sys.getfilesystemencoding()
        advice = "" if encoding == "utf-8" else "; with PYTHONUTF8=1 in the environment, it is UTF-8"
        raise click.BadParameter(
            f"{os.fsencode(value)!r} are no characters in {encoding}, the encoding of the command line{advice}"
        ) from None
    return value


def _names(ctx: click.Context, parameter: click.Parameter, value: str | None) -> frozenset[str] | None:
    """Return names separated by commas; after an at sign, the names that a file has or declares."""
    if value is None:
        return None
    found: set[str] = set()
    for part in value.split(","):
        if part.startswith("@"):
            try:
                found |= known_elements(part[1:])
            except (OSError, ParseError) as error:
                raise click.BadParameter(f"{part[1:]}: {error}") from error
        elif part:
            found.add(check_text(part))
    if not found:
        raise click.BadParameter("there is no name")
    return frozenset(found)


def _structure(ctx: click.Context, parameter: click.Parameter, path: str | None) -> ElementNames | None:
    """Return what a file declares."""
    try:
        return None if path is None else read_schema(path)
    except (OSError, ValueError) as error:
        raise click.BadParameter(str(error)) from error


def _names_option(name: str, help: str) -> Callable[[Any], Any]:
    return click.option(name, metavar="NAMES", callback=_names, help=help)


#: The options of every command, by the names of their parameters.
_COMMON: Final = {
    "input_encoding": click.option(
        "--input-encoding",
        metavar="NAME",
        callback=known_encoding,
        help="Read the document in this encoding, whatever it declares.",
    ),
    "dialect": choice_option("--dialect", choices=DIALECTS, help="The grammar to read documents by."),
    "recovery": choice_option(
        "--recovery",
        choices=RECOVERIES,
        help="How broken markup is read: as its author seems to have meant it, as the draft of XML5 says, or not at "
        "all.",
    ),
}
_OF_XML5: Final = {
    "elements": _names_option(
        "--elements",
        "Take only tags of these names for tags, and all else for text: names, separated by commas, or @FILE for "
        "those of a sample document, a DTD or an XML Schema.",
    ),
    "roots": choice_option(
        "--roots",
        choices=("first", "all"),
        help="all: keep what comes after the first root element and around it, in an element around it all.",
    ),
    "root_element": _names_option(
        "--root-element", "Begin at the first start tag of these names, separated by commas, and drop what is before."
    ),
    "empty": _names_option("--empty", "Elements of these names have nothing in them, in repairs."),
    "never_nest": _names_option(
        "--never-nest", "Elements of these names are never in one of their own name, in repairs."
    ),
    "structure": click.option(
        "--structure",
        metavar="FILE",
        callback=_structure,
        help="Repair by what a DTD, an XML Schema or a RELAX NG grammar says of what is in elements.",
    ),
    "control_characters": choice_option(
        "--control-characters",
        choices=CONTROL_CHARACTERS,
        help="What becomes of characters that XML does not allow: U+FFFD, nothing, or an escape such as _x000B_.",
    ),
}
_REVISION: Final = {
    "revision": choice_option(
        "--revision",
        choices=("12.2.4", "2008"),
        help="The revision of HTML; of the draft of 2008 there is no tree.",
    )
}
_FORCE: Final = {
    "force": click.option(
        "--force",
        is_flag=True,
        help="Read a document even if it does not look like XML, but like an image or other data.",
    )
}
_OF_TOKENIZER: Final = {
    "recovery": choice_option(
        "--recovery",
        choices=("draft", "intent"),
        help="Whether tags that are assumed are tokens, and tags that are ignored are none.",
    )
}


def reading_options(
    *, html_lacks: str = "", has_revision: bool = False, has_force: bool = True
) -> Callable[[_Command], _Command]:
    """Return a decorator that adds the options on how documents are read, which the command gets as `reading`.

    Args:
        html_lacks: why HTML is not among the dialects, to go on from "HTML"; "" if it is.
        has_revision: whether ``--revision``, of HTML, is among the options.
        has_force: whether ``--force`` is among the options.
    """
    options = _COMMON | _OF_XML5 | (_REVISION if has_revision else {}) | (_FORCE if has_force else {})
    if html_lacks:
        options["dialect"] = choice_option(
            "--dialect",
            choices=(name for name in DIALECTS if find_dialect(name).is_streamed),
            help=f"The grammar to read documents by. HTML {html_lacks}; 'tokens', 'tree', 'xpath' and 'check' read it.",
        )
    return _as_reading(options)


def tokenizing_options() -> Callable[[_Command], _Command]:
    """Return a decorator that adds the options on how documents are tokenized, which the command gets as `reading`."""
    return _as_reading(_COMMON | _OF_TOKENIZER | _REVISION)


def _as_reading(options: Mapping[str, Callable[[_Command], _Command]]) -> Callable[[_Command], _Command]:
    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def with_reading(**arguments: Any) -> int:
            reading: Any = {name: arguments.pop(name) for name in options}
            reading["encoding"] = reading.pop("input_encoding")
            if reading.get("revision", "12.2.4") != "12.2.4" and reading["dialect"] != "html":
                raise click.UsageError("--revision is for --dialect html.")
            try:
                make_settings(reading)
            except ValueError as error:  # options that contradict each other
                raise click.UsageError(str(error)) from error
            return command(**arguments, reading=reading)

        decorated: _Command = with_reading
        for option in reversed([*options.values()]):
            decorated = option(decorated)
        return decorated

    return decorate


def is_strict(reading: Options) -> bool:
    """Return whether ``--recovery strict`` refuses documents that are not well-formed; LeafXML does so by itself."""
    return reading.get("recovery") == "strict" and reading.get("dialect") != "leafxml"


def refuse(source: InputDocument, reading: Options) -> ErrorLog:
    """Read a document strictly, without a tree; return its empty log. Raise `ParseError` or `CannotRead`."""
    options: Options = {**reading, "filename": source.name}
    parser: XMLParser[None] = XMLParser(target=_Nothing(), **options)
    parser.parse_parts(source.blocks())
    return parser.error_log


def strictly(action: Callable[[InputDocument, Options], Any], reading: Options) -> Callable[[InputDocument], Any]:
    """Return a function that calls `action` with a document and the options to read it, unless it is refused."""
    # A well-formed document is the same however broken ones are read, so that `action` needs no strict way of its own.
    if not is_strict(reading):
        return lambda source: action(source, source.settled(reading))

    def act(source: InputDocument) -> Any:
        try:
            refuse(source, reading)
        except ParseError as error:
            complain(source, source.refusal(error))
            return SERIOUS
        return action(source, assuming_nothing(reading))

    return act


class _Nothing:
    def close(self) -> None:
        pass
