"""Text that is safe for terminals; excerpts."""

import codecs
import json
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import click

from xml5tree.dialects import dialects_with
from xml5tree.dialects.base import Dialect
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.explanations import explanations, literal_or_text
from xml5tree.nesting import json_text, json_texts

#: Characters that a terminal obeys, that turn the direction of writing, or that end a line for some programs.
_HARMFUL: Final = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
#: Characters that may take more or less than one column; before U+0300, only the soft hyphen does.
_ODD: Final = re.compile("[^\0-\xac\xae-\u02ff…]")
#: Lines that are printed at a time.
_LINES: Final = 256
#: Characters before and after a place that are looked at.
_REACH: Final = 200


def printable(text: str, *, lines: bool = False) -> str:
    """Return text of equal length, with pictures of control characters; `lines` keeps line ends and tabs."""
    return _HARMFUL.sub(lambda match: match[0] if lines and match[0] in "\t\n" else _picture(match[0]), text)


def in_json(value: object, *, indent: int | None = None, ensure_ascii: bool = True) -> str:
    """Return JSON without loss that no terminal obeys; with `ensure_ascii`, U+007F is an ASCII character."""
    if indent is None:
        text = json_text(value, ensure_ascii=ensure_ascii)
    else:
        text = json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)
    return _escaped(text)


def json_lines(columns: Mapping[str, Iterable[Any]]) -> str:
    """Return rows, given their columns, each on a line as `in_json` returns its dictionary without `ensure_ascii`."""
    row = ", ".join(f"{json_text(name)}: ".replace("%", "%%") + "%s" for name in columns)
    rows = zip(*map(json_texts, columns.values()), strict=True)
    return _escaped("".join(map(f"{{{row}}}\n".__mod__, rows)))


def _escaped(text: str) -> str:
    return _HARMFUL.sub(lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text)


class Terminal:
    """A binary file that shows its data, in an encoding, on standard output, which is a terminal."""

    def __init__(self, encoding: str) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def write(self, data: bytes) -> None:
        click.echo(printable(self._decoder.decode(data), lines=True), nl=False)


def _picture(character: str) -> str:
    if character in "\t\n":
        return " "
    if character < " ":
        return chr(0x2400 + ord(character))
    return "\u2421" if character == "\x7f" else "\ufffd"


class Excerpt(NamedTuple):
    """The line around a place, before and from it on; an ellipsis where the line goes on."""

    before: str
    after: str


def excerpts(blocks: Iterable[str], offsets: Sequence[int]) -> Iterator[Excerpt]:
    """Yield an excerpt for each of the ascending `offsets` of the document that comes in `blocks`."""
    text, base, done = "", 0, 0
    for block in blocks:
        keep = max(len(text) - 2 * _REACH, 0)
        if done < len(offsets):
            keep = min(keep, max(offsets[done] - base - _REACH, 0))
        text, base = text[keep:] + block, base + keep
        while done < len(offsets) and offsets[done] + _REACH < base + len(text):
            yield _excerpt(text, offsets[done] - base, base > 0)
            done += 1
        if done == len(offsets):
            return
    for offset in offsets[done:]:
        yield _excerpt(text, offset - base, base > 0)


def _excerpt(text: str, place: int, cut: bool) -> Excerpt:
    """Return the excerpt at a place of a text; `cut` says that there is more before the text."""
    start = max(place - _REACH, 0)
    line_start = text.rfind("\n", start, place) + 1
    before = text[line_start:place] if line_start else ("…" if start or cut else "") + text[start:place]
    line_end = text.find("\n", place, place + _REACH)
    after = text[place:line_end] if line_end >= 0 else text[place : place + _REACH]
    if line_end < 0 and len(text) > place + _REACH:
        after += "…"
    return Excerpt(before, after)


def show_excerpt(entry: ErrorEntry, excerpt: Excerpt, width: int) -> str:
    """Return the line of an error in `width` columns, and a caret below the place."""
    number = f"{entry.line:>5} | "
    room = max(width - len(number), 40)
    before, after = printable(excerpt.before), printable(excerpt.after)
    if _columns(before) + _columns(after) > room:
        if _columns(before) > room // 2:
            before = "…" + before[len(before) - _fitting(before[::-1], room // 2 - 1) :]
        if _columns(before) + _columns(after) > room:
            after = after[: _fitting(after, room - _columns(before) - 1)] + "…"
    gutter = " " * (len(number) - 2) + "| "
    caret = click.style("^", fg="green", bold=True)
    return (
        f"{click.style(number, dim=True)}{before}{after}\n"
        f"{click.style(gutter, dim=True)}{' ' * _columns(before)}{caret}"
    )


def _columns(text: str) -> int:
    return len(text) + sum(_width(character) - 1 for character in _ODD.findall(text))


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fitting(text: str, room: int) -> int:
    """Return the number of characters at the start of a text that fit into `room` columns."""
    for index, character in enumerate(text):
        room -= _width(character) if _ODD.match(character) else 1
        if room < 0:
            return index
    return len(text)


def echo_lines(lines: Iterator[str]) -> None:
    """Print lines, many at a time, as printing takes longer than making most lines."""
    while some := [*islice(lines, _LINES)]:
        click.echo("\n".join(some))


def repair_in(dialect: Dialect, code: str) -> str:
    """Return in words how a dialect repairs an error; nothing if the example shows it."""
    explanation = explanations()[code]
    explained = dialects_with(code)[0]
    if dialect.refuses(code) and not explained.refuses(code):
        return "The document is refused, so there is no tree."
    return explanation.elsewhere.get(dialect.name, explanation.repair)


def explain(code: str) -> str:
    """Return the meaning of a code, with an example."""
    explanation = explanations()[code]
    becomes = explanation.becomes or "ParseError: there is no tree"
    dialects = dialects_with(code)
    known = dialects[0].codes[code]
    kind = f"{known.kind}, content is {known.effect}"
    names = ", ".join(dialect.name for dialect in dialects)
    repairs = [(dialect.name, repair_in(dialect, code)) for dialect in dialects]
    elsewhere = [f"In the dialect {name}: {repair}" for name, repair in repairs if repair != explanation.repair]
    paragraphs = [
        f"{click.style(code, bold=True)} ({names}: {kind})",
        *(
            textwrap.fill(paragraph.replace("`", ""), 88, break_on_hyphens=False, break_long_words=False)
            for paragraph in (explanation.meaning, explanation.repair, *elsewhere, explanation.note)
            if paragraph
        ),
    ]
    options = "".join(f", with {name}={value!r}" for name, value in explanation.options.items())
    document = literal_or_text(explanation.document)
    paragraphs.append(f"Example{options}:\n    {document}\nbecomes\n    {click.style(becomes, fg='green')}")
    return "\n\n".join(paragraphs)
