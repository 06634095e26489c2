"""`xml5tree xpath`: evaluates an XPath expression."""

import math
import sys
from typing import Any, Final

import click

import xml5tree
from xml5tree.cli.jobs import for_each, strictly
from xml5tree.cli.options import DOCUMENTS, JOBS, Jobs, check_text, choice, command, option, reading
from xml5tree.cli.rendering import in_json, printable
from xml5tree.cli.severity import ERRORS, OK, USAGE
from xml5tree.cli.sources import InputDocument, complain
from xml5tree.options import Options
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.prefixes import WELL_KNOWN_PREFIXES, well_known

#: Prefixes for the default namespace of the root element in an expression.
_DEFAULT: Final = "_"

#: Python's names of numbers without digits, and XPath's.
_NO_DIGITS: Final = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


def _bindings(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for value in values:
        prefix, equals, uri = value.partition("=")
        check_text(value)
        if not prefix or not equals or not uri or FORBIDDEN.search(value):
            raise click.BadParameter(f"{value!r} is not of the form PREFIX=URI")
        found[prefix] = uri
    return found


@command(
    "Print what an XPath expression finds.",
    click.Argument(["expression"], metavar="EXPR"),
    DOCUMENTS,
    option(
        *("-n", "--namespace", "bindings"),
        metavar="PREFIX=URI",
        multiple=True,
        callback=_bindings,
        help="Bind a prefix of the expression. Those of the document are known, and '_' is its default namespace.",
    ),
    choice(
        *("--format", "form"),
        of=("text", "xml", "json"),
        help="text: one line for each result; xml: markup; json: one object a line.",
    ),
    JOBS,
    reading(),
)
def xpath(
    expression: str,
    sources: list[InputDocument],
    bindings: dict[str, str],
    form: str,
    jobs: Jobs,
    reading: Options,
) -> int:
    """Print what an XPath 1.0 expression finds in documents, well-formed or not.

    \b
    The exit status is that of the worst file:
      0  something was found
      1  nothing was found
      2  there is no tree
      3  wrong usage or expression, or a file cannot be read
    """  # noqa: D301 (click reads the backspace: what follows is not wrapped)
    from xml5tree.lxml import etree

    try:
        etree.XPath(check_text(expression))
    except click.BadParameter as error:
        error.param_hint = "EXPR"
        raise
    except (etree.XPathSyntaxError, ValueError) as error:  # ValueError: no characters of XML
        raise click.BadParameter(f"{expression!r} is not XPath: {error}", param_hint="EXPR") from error

    def find(source: InputDocument, reading: Options) -> int:
        options: Options = {**reading, "max_errors": 0, "on_error": source.severity.take}
        parser = xml5tree.XMLParser(backend="lxml", **options)
        root = parser.parse_whole(b"".join(source.blocks(advances=True)))
        source.report(parser.error_log)
        namespaces = _namespaces(root) | bindings
        try:
            results = root.getroottree().xpath(expression, namespaces=namespaces)
        except etree.XPathEvalError as error:
            known = f"; known prefixes: {', '.join(sorted(namespaces)) or 'none'}; -n PREFIX=URI binds others"
            complain(source, f"{error} in the expression{known if 'prefix' in str(error) else ''}")
            return USAGE
        if not isinstance(results, list):
            results = [results]
        elif not results and _DEFAULT in namespaces and f"{_DEFAULT}:" not in expression:
            name = etree.QName(root).localname
            complain(source, f"nothing found; the elements have a namespace, as in //{_DEFAULT}:{name}")
        for result in results:
            prefix = f"{source.name}: " if len(sources) > 1 and form == "text" else ""
            click.echo(prefix + _shown(result, form, source))
        return OK if results else ERRORS

    return for_each(sources, strictly(find, reading), jobs)


def _namespaces(root: Any) -> dict[str, str]:
    """Return the prefixes that a document declares, each with its first meaning, and the well-known ones of those."""
    from xml5tree.lxml import etree

    default = root.nsmap.get(None)
    found: dict[str, str] = {_DEFAULT: default} if default else {}
    declaration: Any
    for _, declaration in etree.iterwalk(root, events=("start-ns",)):
        prefix, uri = declaration
        if prefix and uri:
            found.setdefault(prefix, uri)
    variants = {well_known(uri): uri for uri in found.values()}
    return {prefix: variants[uri] for prefix, uri in WELL_KNOWN_PREFIXES.items() if uri in variants} | found


def _shown(result: Any, form: str, source: InputDocument) -> str:
    """Return a result: a node, a string, a number, a truth value, or a namespace as prefix and URI."""
    from xml5tree.lxml import etree

    if form == "json":
        return in_json(_as_object(result, source), ensure_ascii=False)
    is_node = hasattr(result, "tag")
    if form == "xml":
        written = etree.tostring(result, encoding="unicode", with_tail=False) if is_node else _as_string(result)
        return printable(str(written), lines=True) if sys.stdout.isatty() else str(written)
    return " ".join(printable(_string_value(result)).split()) if is_node else printable(_as_string(result))


def _as_string(result: Any) -> str:
    """Return a result that is no node, as XPath's string() does."""
    if isinstance(result, bool):
        return "true" if result else "false"
    if isinstance(result, float):
        return str(int(result)) if result.is_integer() else _NO_DIGITS.get(str(result), str(result))
    if isinstance(result, tuple):
        return f"{result[0] or ''}={result[1]}"
    return str(result)


def _string_value(node: Any) -> str:
    return "".join(node.itertext()) if isinstance(node.tag, str) else node.text or ""


def _path(node: Any) -> str | None:
    try:
        path: str = node.getroottree().getpath(node)
    except MemoryError:  # libxml2 has no path of what is in a DOCTYPE
        return None
    return path


def _as_object(result: Any, source: InputDocument) -> dict[str, Any]:
    found: dict[str, Any] = {**source.in_json}
    if hasattr(result, "tag"):
        found |= {"line": result.sourceline, "path": _path(result)}
        if isinstance(result.tag, str):
            found |= {"name": result.tag, "attributes": dict(result.attrib)}
        return found | {"text": _string_value(result)}
    parent = result.getparent() if hasattr(result, "getparent") else None
    if parent is not None:
        found |= {"line": parent.sourceline, "path": _path(parent)}
    if getattr(result, "is_attribute", False):
        found["attribute"] = result.attrname
    is_json = isinstance(result, bool) or (isinstance(result, float) and math.isfinite(result))
    return found | {"value": result if is_json else _as_string(result)}
