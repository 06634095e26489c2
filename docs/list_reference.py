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
        records arecords read_frame read_table record_batches RowsWarning Record
        aiterparse iterparse iterroots XMLPullParser ranges.split ranges.read ranges.Range
    """,
    "Tool calls": "tools.read tools.CallReader tools.Output tools.Call tools.Event tools.Format",
    "Markup": "repair edits apply invert Edit repair_iter open Repairer",
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

#: Members that the package itself calls, that every mapping has, or that the class's docstring describes; None: all
#: members.
_LEFT_OUT: Final[dict[str, str | None]] = {
    "XMLParser": "end_early is_feeding parse_file parse_parts make_tree",
    "Record": "mark keys items values",
    "Repairer": "end_early",
    "options.Settings": None,
    "errors.faults.Fault": "add add_more code line column offset",
    "sax.SAXParser": "external_entity_ref",
}

_HEADING = re.compile(r"(?:(?:Args|Returns|Yields|Raises|Attributes)(?:, )?)+:")
_ITEM = re.compile(r"([*\w]+(?:, \w+)*): (.*)", re.DOTALL)


def listing() -> str:
    """Return the listing in Markdown."""
    lines = [BEGIN]
    for section, names in SECTIONS.items():
        lines.append(f"\n## {section}\n")
        for name in names.split():
            thing = find(name)
            lines += [f"\n### `{name}`\n", *described(thing, f"xml5tree.{name}")]
            for member in members(name, thing):
                lines += described_member(name, member, inspect.getattr_static(thing, member))
    return "".join(lines)


def described_member(cls: str, name: str, thing: Any) -> Iterator[str]:
    """Yield a heading with the signature of a method or property of a class, and its paragraphs."""
    yield f"\n#### `{cls}.{name}{signature(thing) if inspect.isroutine(thing) else ''}`\n"
    yield from in_markdown(inspect.getdoc(thing) or "", {})


def find(name: str) -> Any:
    """Return an object by its name within the package, which may begin with modules."""
    module, _, attribute = f"xml5tree.{name}".rpartition(".")
    return getattr(import_module(module), attribute)


def members(name: str, thing: Any) -> list[str]:
    """Return the names of a class's methods and properties, its own before those of its bases."""
    left_out = _LEFT_OUT.get(name, "")
    if not inspect.isclass(thing) or left_out is None:
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
    for docstring in docstrings:
        yield from in_markdown(docstring, defaults)


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
        yield f"\n**{heading.removesuffix(':').replace('Args', 'Arguments')}**\n\n"
        body = textwrap.dedent(body)
        items = [_ITEM.fullmatch(item) for item in re.split(r"\n(?! )", body)]
        if heading in {"Returns:", "Yields:"} or None in items:
            yield f"{inline(body)}\n"
            continue
        shown = defaults if heading == "Attributes:" else {}
        for item in items:
            default = f" (default `{shown[item[1]]!r}`)" if item[1] in shown else ""
            yield f"* `{item[1].replace(', ', '`, `')}`{default}: {inline(item[2])}\n"


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
