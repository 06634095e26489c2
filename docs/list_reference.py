"""Write the listing of docs/reference.md anew: every public name, from its signature and its docstring.

usage: python docs/list_reference.py
"""

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

PAGE = Path(__file__).parent / "reference.md"
BEGIN = "<!-- The listing is made by list_reference.py. -->\n"

#: Sections, each with its names within ``xml5tree``.
SECTIONS: Final = {
    "Trees": "fromstring fromstringlist fromstrings parse known_elements XMLParser",
    "Streams": """
        records arecords read_frame read_table record_batches RowsWarning Record Progress
        aiterparse iterparse iterroots XMLPullParser ranges.split ranges.read ranges.Range
    """,
    "Tool calls": """
        tools.read tools.CallReader tools.Output tools.Call tools.Event tools.Format tools.deltas tools.adeltas
    """,
    "Markup": "repair edits apply invert Edit repair_iter open Repairer containers.repair",
    "Tokens": """
        tokenize
        tokens.StartTag tokens.EmptyTag tokens.EndTag tokens.ShortEndTag tokens.Characters tokens.Comment
        tokens.ProcessingInstruction tokens.Doctype
        dialects.html.tokens.StartTag dialects.html.tokens.EndTag dialects.html.tokens.Characters
        dialects.html.tokens.Comment dialects.html.tokens.Doctype
    """,
    "Options": "options.Settings",
    "Errors": "ParseError ErrorLog ErrorEntry errors.Tally errors.faults.Fault RecoveryWarning",
    "SAX": "sax.SAXParser sax.create_parser",
}

#: Classes whose attributes and methods another page lists.
_LISTED_ON: Final = {
    "ErrorLog": "errors.md#where-to-find-the-log",
    "ErrorEntry": "errors.md#what-an-entry-says",
    "errors.Tally": "errors.md#where-to-find-the-log",
    "errors.faults.Fault": "errors.md#where-to-find-the-log",
    "Edit": "repair.md",
    "Record": "records.md#what-a-record-is",
    "tools.Format": "internals/model-output.md#formats",
}

#: Options that other pages describe, with these pages.
_DESCRIBED_ON: Final = {
    "[What the author meant](intent.md#the-option-recovery)": "recovery",
    "[What is limited](security.md#what-is-limited)": """
        resolve_entities forbid_dtd forbid_entities forbid_external max_depth max_amplification amplification_threshold
        max_errors max_unpacking_ratio unpacking_threshold
    """,
    "[Being told of errors](errors.md#being-told)": "on_error logger warnings",
    "[What you know](intent.md#say-what-you-know-never-nest-empty-schemas)": "empty never_nest structure",
    "[Tags of your own](model-output.md#tags-of-your-own-two-options)": """
        elements raw trim_raw value_attribute roots root_element
    """,
    "[Control characters](repair.md#control-characters)": "control_characters",
    "[HTML](html.md)": "fragment scripting",
}

#: Members that the package itself calls, that every mapping has, or that the class's docstring or the page's
#: introduction describes; None: all members.
_LEFT_OUT: Final[dict[str, str | None]] = {
    "XMLParser": "error_log end_early is_feeding parse_file parse_parts make_tree",
    "XMLPullParser": "error_log",
    "Repairer": "error_log end_early",
    "aiterparse": "close error_log root",
    "iterparse": "close error_log root",
    "iterroots": "close error_log",
    "options.Settings": None,
    "sax.SAXParser": "error_log external_entity_ref start_element",
    "tools.Output": "calls text",
}

#: The page's introduction says what is usually raised, and what ``**options`` are.
_USUAL = re.compile(r"\n\nRaises(?: what |:\n).*?(?=\n\n|\Z)", re.DOTALL)
_USUAL_OF_MEMBERS = re.compile(r"\n\nRaises[: ].*?(?=\n\n|\Z)", re.DOTALL)
_OPTIONS = re.compile(r"see `xml5tree\.options\.Settings`(?:\. |; |, |\.)")
_HEADING = re.compile(r"(?:(?:Args|Returns|Yields|Raises|Attributes)(?:, )?)+(?: of \w+ only)?:")
_ITEM = re.compile(r"([*\w]+(?:, \w+)*): (.*)", re.DOTALL)
#: What is said once, where the page's introduction says.
_SAID = re.compile(r"\n? *[*\w, ]+: as for `[\w.]+`\.(?=\n|\Z)")


def listing() -> str:
    """Return the listing in Markdown."""
    lines = [BEGIN]
    for section, names in SECTIONS.items():
        lines.append(f"\n## {section}\n")
        for name in names.split():
            thing = find(name)
            if ".tokens." in f".{name}":
                lines.append(f"\n* `xml5tree.{name}{signature(thing)}`: {inline(inspect.getdoc(thing) or '')}\n")
                continue
            lines += [f"\n### `{name}`\n", *described(thing, f"xml5tree.{name}")]
            see: dict[str, list[str]] = {}  # by class, members that are as its members
            for member in members(name, thing):
                found = inspect.getattr_static(thing, member)
                if like := re.fullmatch(r"See `(\w+)\.\w+`\.", inspect.getdoc(found) or ""):
                    see.setdefault(like[1], []).append(f"`{member}`")
                else:
                    lines += described_member(name, member, found)
            lines += [f"\nAs in `{cls}`: {', '.join(same)}.\n" for cls, same in see.items()]
    return "".join(lines)


def described_member(cls: str, name: str, thing: Any) -> Iterator[str]:
    """Yield a heading with the signature of a method or property of a class, and its paragraphs."""
    yield f"\n#### `{cls}.{name}{signature(thing) if inspect.isroutine(thing) else ''}`\n"
    yield from in_markdown(_USUAL_OF_MEMBERS.sub("", inspect.getdoc(thing) or ""), {})


def find(name: str) -> Any:
    """Return an object by its name within the package, which may begin with modules."""
    module, _, attribute = f"xml5tree.{name}".rpartition(".")
    return getattr(import_module(module), attribute)


def members(name: str, thing: Any) -> list[str]:
    """Return the names of a class's methods and properties, its own before those of its bases."""
    left_out = _LEFT_OUT.get(name, "")
    if not inspect.isclass(thing) or left_out is None or name in _LISTED_ON:
        return []
    found = {
        member: None
        for cls in thing.__mro__
        if cls.__module__.startswith("xml5tree")
        for member, value in vars(cls).items()
        if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))
    }
    return [member for member in found if member not in left_out.split()]


def described(thing: Any, name: str) -> Iterator[str]:
    """Yield paragraphs on an object: its signature, and its docstring with that of ``__init__``."""
    docstrings = [inspect.getdoc(thing) or ""]
    if inspect.isclass(thing):
        arguments = inspect.getdoc(thing.__init__) or ""
        if "Args:" in arguments:
            docstrings.append(arguments.partition("\n\n")[2])
    has_fields = dataclasses.is_dataclass(thing) and "Attributes:" not in docstrings[0]
    if inspect.isroutine(thing) or len(docstrings) == 2 or has_fields:
        yield f"\n`{name}{signature(thing)}`\n"
    defaults = defaults_of(thing) if inspect.isclass(thing) else {}
    page = _LISTED_ON.get(name.removeprefix("xml5tree."))
    for docstring in docstrings:
        docstring = _USUAL.sub("", docstring.partition("\n\n")[0] if page else docstring)
        yield from in_markdown(docstring, defaults)
    if page:
        yield f"\n[Attributes and methods]({page})\n"


def signature(thing: Callable[..., Any]) -> str:
    """Return the parameters of a function or class without their types, which docstrings give in words."""
    factories = {}
    if dataclasses.is_dataclass(thing):
        factories = {field.name: field.default_factory for field in dataclasses.fields(thing)}
    parameters = []
    for parameter in inspect.signature(thing).parameters.values():
        factory = factories.get(parameter.name, dataclasses.MISSING)
        default = parameter.default if factory is dataclasses.MISSING else factory()
        if parameter.name != "self":
            parameters.append(parameter.replace(annotation=parameter.empty, default=default))
    return str(inspect.Signature(parameters))


def defaults_of(cls: type) -> dict[str, Any]:
    """Return the defaults of the fields of a class that has fields."""
    if not (dataclasses.is_dataclass(cls) or hasattr(cls, "_fields")):
        return {}
    parameters = inspect.signature(cls).parameters.values()
    return {item.name: item.default for item in parameters if item.default is not item.empty}


def in_markdown(docstring: str, defaults: dict[str, Any]) -> Iterator[str]:
    """Yield the paragraphs of a docstring, its sections with their items as lists.

    Args:
        docstring: the docstring, without its indentation.
        defaults: the defaults to give with the attributes of the docstring.
    """
    for paragraph in docstring.split("\n\n"):
        heading, _, body = paragraph.partition("\n")
        if not _HEADING.fullmatch(heading):
            yield f"\n{inline(paragraph)}\n"
            continue
        body = _SAID.sub("", "\n" + textwrap.dedent(body)).lstrip("\n")
        if heading == "Args:" and not (body := _OPTIONS.sub("", body).removesuffix("**options: ").rstrip("\n")):
            continue
        yield "\n" if heading in {"Args:", "Attributes:"} else f"\n**{heading.removesuffix(':')}**\n\n"
        items = [_ITEM.fullmatch(item) for item in re.split(r"\n(?! )", body)]
        if heading in {"Returns:", "Yields:"} or None in items:
            yield f"{inline(body)}\n"
            continue
        shown = defaults if heading.startswith("Attributes") else {}
        elsewhere: dict[str, list[str]] = {}  # by page
        for item in items:
            default = f"={shown[item[1]]!r}" if item[1] in shown else ""
            names = f"`{item[1].replace(', ', '`, `')}{default}`"
            if page := next(
                (page for page, options in _DESCRIBED_ON.items() if default and item[1] in options.split()), ""
            ):
                elsewhere.setdefault(page, []).append(names)
            else:
                yield f"* {names}: {inline(item[2])}\n"
        yield from (f"* {page}: {', '.join(names)}\n" for page, names in elsewhere.items())


def inline(text: str) -> str:
    """Return text of a docstring in Markdown, on one line."""
    return " ".join(text.split()).replace("``", "`")


def parts(page: str) -> tuple[str, str]:
    """Return the page before the listing, and the listing."""
    before, begin, body = page.partition(BEGIN)
    return before, begin + body


if __name__ == "__main__":
    before, _ = parts(PAGE.read_text("utf-8"))
    PAGE.write_text(before + listing(), "utf-8")
