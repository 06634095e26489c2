"""Options that commands share, as tables, and what commands get of them."""

import os
import sys
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

import click

from xml5tree.api import known_elements
from xml5tree.cli.folders import Choice
from xml5tree.cli.sources import expand
from xml5tree.dialects import DIALECTS, find_dialect, make_settings
from xml5tree.errors.codes import EFFECTS
from xml5tree.errors.explanations import explanations
from xml5tree.errors.log import ParseError
from xml5tree.input.labels import check_label
from xml5tree.options import CONTROL_CHARACTERS, RECOVERIES
from xml5tree.vocabularies import read_schema
from xml5tree.xml.structure import ElementNames

_Command = Callable[..., int]


class Group(NamedTuple):
    """Options that a command gets as one argument of this name, made by `gather` of their values by name.

    `gather` also gets the arguments of the options before them.
    """

    name: str
    parameters: list[click.Parameter]
    gather: Callable[[dict[str, Any], dict[str, Any]], Any]


def command(short_help: str, *parts: Group | click.Parameter) -> Callable[[_Command], click.Command]:
    """Return a decorator that makes a command of a function; its docstring is the help."""

    def decorate(function: _Command) -> click.Command:
        parameters: list[click.Parameter] = []
        for part in (*parts, _COLOR):
            parameters += part.parameters if isinstance(part, Group) else [part]

        def run(**arguments: Any) -> int:
            for group in parts:
                if isinstance(group, Group):
                    values = {str(one.name): arguments.pop(str(one.name)) for one in group.parameters}
                    arguments[group.name] = group.gather(values, arguments)
            return function(**arguments)

        return click.Command(
            function.__name__, callback=run, params=parameters, help=function.__doc__, short_help=short_help
        )

    return decorate


def option(*names: str, **facts: Any) -> click.Option:
    return click.Option(names, **facts)


def choice(*names: str, of: Any, help: str, default: str | None = None) -> click.Option:
    """Return an option whose value is one of these words, by default the first."""
    words = list(of)
    return option(*names, type=click.Choice(words), default=default or words[0], show_default=True, help=help)


def _color(ctx: click.Context, parameter: click.Parameter, when: str | None) -> None:
    if when is not None:
        ctx.color = {"auto": None, "always": True, "never": False}[when]


_COLOR: Final = option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    expose_value=False,
    callback=_color,
    help="Use colours; auto: on a terminal. [default: never with NO_COLOR in the environment, always with FORCE_COLOR]",
)


# Documents.


def no_empty_name(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Refuse an empty name, as of a variable that is not set: as a path, it would be the current folder."""
    if "" in ([value] if isinstance(value, str) else value):
        raise click.BadParameter("the name of a file is empty")
    return value


_FILES: Final = click.Argument(["files"], nargs=-1, required=True, metavar="FILE...", callback=no_empty_name)


def _patterns(name: str, help: str) -> click.Option:
    return option(name, metavar="PATTERN", multiple=True, help=f"Of folders, {help}; can be given several times.")


_OF_FOLDERS: Final[list[click.Parameter]] = [
    _patterns("--include", "read files with such names, too, as '*.opf'"),
    _patterns("--exclude", "leave out such files and folders, as build or 'old/*.svg'"),
    option("--no-ignore", is_flag=True, help="Of folders, read also hidden folders and files that git ignores."),
]


def documents(*, opens: bool = True) -> Group:
    """Return the documents that a command gets as `sources`; `opens` is that of `xml5tree.cli.sources.expand`."""

    def gather(values: dict[str, Any], others: dict[str, Any]) -> Any:
        taken = Choice(values["include"], values["exclude"], not values["no_ignore"])
        return list(expand(values["files"], taken, quiet=others.get("quiet", False), opens=opens))

    return Group("sources", [_FILES, *_OF_FOLDERS], gather)


DOCUMENTS: Final = documents()


# Many files.


class Jobs(NamedTuple):
    """The way to work through documents: the number of processes, and the summary's target: a path, ``-``, or None."""

    number: int = 1
    summary: str | None = None


#: One process, and no summary.
ONE: Final = Jobs()


def _summary_target(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value not in {None, "-"} and not str(value).endswith((".jsonl", ".parquet")):
        raise click.BadParameter(f"{value!r} ends neither in .jsonl nor in .parquet")
    if str(value).endswith(".parquet"):
        try:
            import xml5tree.arrow.parquet  # noqa: F401
        except ImportError as error:
            raise click.BadParameter("Parquet needs one more package: pip install 'xml5tree[arrow]'") from error
    return value


JOBS: Final = Group(
    "jobs",
    [
        option(
            *("-j", "--jobs"),
            type=click.IntRange(min=0),
            default=1,
            show_default=True,
            metavar="N",
            help="Read so many files at a time; 0: one for each processor.",
        ),
        option(
            "--summary",
            metavar="OUT",
            callback=_summary_target,
            help="Write what came of each file to this file, .jsonl or .parquet; - shows a table on standard error.",
        ),
    ],
    lambda values, others: Jobs(values["jobs"] or os.cpu_count() or 1, values["summary"]),
)


# Codes.


def _codes(*others: str) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], frozenset[str]]:
    """Return a callback that splits codes at commas; `others` are allowed besides codes."""

    def take(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> frozenset[str]:
        taken: set[str] = set()
        for name in filter(None, map(str.strip, ",".join(values).split(","))):
            found = {name} if name in others else {code for code in explanations() if fnmatchcase(code, name)}
            if not found:
                besides = f", and it is none of {', '.join(others)}" if others else ""
                raise click.BadParameter(f"there is no code {name!r}{besides}. 'check --explain list' lists all codes.")
            taken |= found
        return frozenset(taken)

    return take


def codes(name: str, help: str) -> click.Option:
    """Return an option whose values are error codes, separated by commas, or patterns such as ``eof-*``."""
    return option(name, metavar="CODES", multiple=True, callback=_codes(), help=help)


FAIL_ON: Final = option(
    "--fail-on",
    metavar="WHAT",
    multiple=True,
    callback=_codes(*EFFECTS, "truncated"),
    help="Fail only on these, separated by commas: kept, moved, lost (each with what is worse), truncated, codes.",
)


# Reading.


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


def _names_option(name: str, help: str) -> click.Option:
    return option(name, metavar="NAMES", callback=_names, help=help)


def _dialect(names: Iterable[str], more: str = "") -> click.Option:
    return choice("--dialect", of=names, help=f"The grammar to read documents by.{more}")


_ENCODING: Final = option(
    "--input-encoding",
    metavar="NAME",
    callback=known_encoding,
    help="Read the document in this encoding, whatever it declares.",
)
_OF_XML5: Final[list[click.Parameter]] = [
    choice(
        "--recovery",
        of=RECOVERIES,
        help="How broken markup is read: as its author seems to have meant it, as the draft of XML5 says, or not at "
        "all.",
    ),
    _names_option(
        "--elements",
        "Take only tags of these names for tags, and all else for text: names, separated by commas, or @FILE for "
        "those of a sample document, a DTD or an XML Schema.",
    ),
    choice(
        "--roots",
        of=("first", "all"),
        help="all: keep what comes after the first root element and around it, in an element around it all.",
    ),
    _names_option(
        "--root-element", "Begin at the first start tag of these names, separated by commas, and drop what is before."
    ),
    _names_option("--empty", "Elements of these names have nothing in them, in repairs."),
    _names_option("--never-nest", "Elements of these names are never in one of their own name, in repairs."),
    option(
        "--structure",
        metavar="FILE",
        callback=_structure,
        help="Repair by what a DTD, an XML Schema or a RELAX NG grammar says of what is in elements.",
    ),
    choice(
        "--control-characters",
        of=CONTROL_CHARACTERS,
        help="What becomes of characters that XML does not allow: U+FFFD, nothing, or an escape such as _x000B_.",
    ),
]
_REVISION: Final = choice(
    "--revision", of=("12.2.4", "2008"), help="The revision of HTML; of the draft of 2008 there is no tree."
)
_FORCE: Final = option(
    "--force", is_flag=True, help="Read a document even if it does not look like XML, but like an image or other data."
)


def reading(*, html_lacks: str = "", has_revision: bool = False, has_force: bool = True) -> Group:
    """Return the options on how documents are read, which a command gets as `reading`.

    Args:
        html_lacks: why HTML is not among the dialects, to go on from "HTML"; "" if it is.
        has_revision: whether ``--revision``, of HTML, is among the options.
        has_force: whether ``--force`` is among the options.
    """
    dialect = _dialect(DIALECTS)
    if html_lacks:
        others = [name for name in DIALECTS if find_dialect(name).is_streamed]
        dialect = _dialect(others, f" HTML {html_lacks}; 'tokens', 'tree', 'xpath' and 'check' read it.")
    more = [_REVISION] * has_revision + [_FORCE] * has_force
    return Group("reading", [_ENCODING, dialect, *_OF_XML5, *more], _as_reading)


def _as_reading(values: dict[str, Any], others: dict[str, Any]) -> Any:
    values["encoding"] = values.pop("input_encoding")
    if values.get("revision", "12.2.4") != "12.2.4" and values["dialect"] != "html":
        raise click.UsageError("--revision is for --dialect html.")
    try:
        make_settings(values)  # type: ignore[arg-type]
    except ValueError as error:  # options that contradict each other
        raise click.UsageError(str(error)) from error
    return values


_TAGS: Final = choice(
    "--recovery",
    of=("draft", "intent"),
    help="Whether tags that are assumed are tokens, and tags that are ignored are none.",
)
#: The options on how documents are tokenized.
TOKENIZING: Final = Group("reading", [_ENCODING, _dialect(DIALECTS), _TAGS, _REVISION], _as_reading)
