"""Draw docs/before-after.svg: an example document, what is wrong in it, and what the repair puts in its place.

usage: python docs/draw_example.py
"""

from collections.abc import Iterator
from html import escape
from pathlib import Path

import xml5tree

DOCS = Path(__file__).parent
EXAMPLE = DOCS / "examples/feed.xml"
PICTURE = DOCS / "before-after.svg"

#: Pixels: of a character and a line, around the text, and above the first line of each of the two parts.
CHARACTER, LINE, MARGIN, TITLE = 7.2, 17, 14, 34
STYLE = """
  rect { fill: #f6f8fa; }
  text { fill: #1f2328; font: 12px ui-monospace, Menlo, Consolas, monospace; white-space: pre; }
  .title { font-weight: bold; }
  .wrong { fill: #cf222e; font-weight: bold; }
  .mended { fill: #1a7f37; font-weight: bold; }
  @media (prefers-color-scheme: dark) {
    rect { fill: #151b23; }
    text { fill: #f0f6fc; }
    .wrong { fill: #ff7b72; }
    .mended { fill: #3fb950; }
  }
"""

#: A piece of text with the name of its class, "" for none.
Piece = tuple[str, str]


def pieces() -> tuple[list[Piece], list[Piece]]:
    """Return the example as it is and as it is repaired."""
    source = EXAMPLE.read_text("utf-8")
    before: list[Piece] = []
    after: list[Piece] = []
    place = 0
    for edit in xml5tree.edits(source):
        if edit.reason == "encoding":  # only text has no encoding; a file keeps what it says
            continue
        same = (source[place : edit.begin], "")
        before += [same, (edit.original, "wrong")]
        after += [same, (edit.replacement, "mended")]
        place = edit.end
    last = (source[place:], "")
    return [*before, last], [*after, last]


def lines(text: list[Piece]) -> Iterator[list[Piece]]:
    """Yield the pieces of each line."""
    line: list[Piece] = []
    for content, name in text:
        first, *others = content.split("\n")
        line.append((first, name))
        for other in others:
            yield line
            line = [(other, name)]
    if any(content for content, _ in line):
        yield line


def span(piece: Piece) -> str:
    content, name = piece
    return f'<tspan class="{name}">{escape(content)}</tspan>' if name and content else escape(content)


def picture() -> str:
    """Return the picture."""
    parts: list[str] = []
    columns = y = 0
    for title, text in zip(("before", "after xml5tree repair"), pieces(), strict=True):
        parts.append(f'<text class="title" x="{MARGIN}" y="{y + TITLE - 12}">{title}</text>')
        y += TITLE
        for line in lines(text):
            columns = max(columns, sum(len(content) for content, _ in line))
            parts.append(f'<text x="{MARGIN}" y="{y + 8}" xml:space="preserve">{"".join(map(span, line))}</text>')
            y += LINE
    width, height = round(columns * CHARACTER) + 2 * MARGIN, y + MARGIN
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    return "\n".join([head, f"<style>{STYLE}</style>", '<rect width="100%" height="100%" rx="6"/>', *parts, "</svg>\n"])


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
