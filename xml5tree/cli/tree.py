"""`xml5tree tree`: the outline of a document."""

from typing import Final
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler, LexicalHandler, property_lexical_handler
from xml.sax.xmlreader import AttributesImpl

import click

from xml5tree.cli.jobs import for_each, strictly
from xml5tree.cli.options import DOCUMENTS, JOBS, Jobs, command, option, reading
from xml5tree.cli.rendering import printable
from xml5tree.cli.severity import OK, SERIOUS
from xml5tree.cli.sources import InputDocument, complain
from xml5tree.dialects import find_dialect
from xml5tree.errors.log import ParseError
from xml5tree.errors.wording import number_of
from xml5tree.options import Options
from xml5tree.sax import SAXParser

#: Characters of a text or value that are shown.
_SHOWN: Final = 60


class _Outline(ContentHandler, LexicalHandler):
    """Prints each item as it comes, two columns deeper than the element that it is in."""

    def __init__(self, depth: int | None, *, with_comments: bool) -> None:
        super().__init__()
        self._with_comments = with_comments
        self._limit = depth
        self._depth = 0
        self._text = ""  # its beginning
        self._start = ""  # a start tag that waits for the text after it
        self._hidden = 0  # elements below the limit, since the last one above it

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self._end_text()
        if self._is_shown():
            self._end_hidden()
            values = "".join(
                f" {click.style(printable(key), fg='yellow')}={_quoted(value)}" for key, value in attrs.items()
            )
            self._start = "  " * self._depth + click.style(printable(name), fg="cyan", bold=True) + values
        else:
            self._hidden += 1
        self._depth += 1

    def endElement(self, name: str) -> None:
        self._end_text()
        self._depth -= 1
        if self._is_shown():
            self._end_hidden(self._depth + 1)

    def characters(self, content: str) -> None:
        if (self._start or self._is_shown()) and len(self._text) <= _SHOWN:
            self._text = (self._text + content).lstrip()[: 4 * _SHOWN]

    def comment(self, content: str) -> None:
        if not self._with_comments:
            return
        self._end_text()
        if self._is_shown():
            self._print(click.style(f"<!--{_shortened(content)}-->", dim=True))

    def processingInstruction(self, target: str, data: str) -> None:
        self._end_text()
        if self._is_shown():
            self._print(click.style(f"<?{printable(target)} {_shortened(data)}?>", dim=True))

    def startDTD(self, name: str, public_id: str | None, system_id: str | None) -> None:
        identifiers = "".join(f" {_quoted(identifier)}" for identifier in (public_id, system_id) if identifier)
        self._print(click.style(f"<!DOCTYPE {printable(name)}{identifiers}>", dim=True))

    def _end_text(self) -> None:
        text, start = " ".join(self._text.split()), self._start
        self._text = self._start = ""
        shown = click.style(_quoted(text), fg="green") if text else ""
        if start:
            click.echo(f"{start} {shown}" if text else start)
        elif text:
            self._end_hidden()
            self._print(shown)

    def _end_hidden(self, depth: int | None = None) -> None:
        if self._hidden:
            self._print(click.style(f"… {number_of(self._hidden, 'element')}", dim=True), depth)
            self._hidden = 0

    def _is_shown(self) -> bool:
        return self._limit is None or self._depth < self._limit

    def _print(self, line: str, depth: int | None = None) -> None:
        click.echo("  " * (self._depth if depth is None else depth) + line)


def _shortened(text: str) -> str:
    text = printable(" ".join(text[: 4 * _SHOWN].split()))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _quoted(text: str) -> str:
    return f'"{_shortened(text)}"'


@command(
    "Print the outline of documents.",
    DOCUMENTS,
    option("--depth", type=click.IntRange(min=1), metavar="N", help="Go no deeper than this; 1 is the root element."),
    JOBS,
    reading(),
)
def tree(sources: list[InputDocument], depth: int | None, jobs: Jobs, reading: Options) -> int:
    """Print the elements, attributes and texts of documents, each thing indented below what it is in.

    Long texts are shortened, and white space between elements is left out.
    """

    def outline(source: InputDocument, reading: Options) -> int:
        if len(sources) > 1:
            click.secho(f"{source.name}:", bold=True)
        options: Options = {**reading, "max_errors": 0, "on_error": source.severity.take}
        parser = SAXParser(**options)
        handler = _Outline(depth, with_comments=find_dialect(reading.get("dialect", "xml5")).has_comments)
        parser.setContentHandler(handler)
        parser.setProperty(property_lexical_handler, handler)
        try:
            # Not by `drive`: SAX has no step for damage of compressed data, which `for_each` reports.
            parser.feed(b"")  # An empty document has no blocks, but begins all the same.
            for block in source.blocks(advances=True):
                parser.feed(block)
            parser.close()
        except SAXParseException as error:
            cause = error.getException()
            if isinstance(cause, ParseError):
                raise cause from None
            complain(source, error.getMessage())
            return SERIOUS
        source.report(parser.error_log)
        return OK

    return for_each(sources, strictly(outline, reading), jobs)
