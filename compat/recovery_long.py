"""Well-formed documents of 30 000 to 60 000 characters, made here, for many faults of one kind.

Those of the other families are small, so that one fault weighs something, and fit into what `recovery="intent"` reads
before it decides. These do not. Their shapes are those of what programs write out whole: feeds, lists of parts, tables,
records within records, and the articles of a book. All are the same at every run.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from documents import catalog, feed
from recovery_facts import Node
from recovery_shapes import section
from recovery_writing import atom_feed, document, e, words

__all__ = ["LONG"]


def _feeds() -> Iterator[tuple[str, str]]:
    yield "rss-40", feed(40)
    yield "atom-60", atom_feed(60)


def _catalogs() -> Iterator[tuple[str, str]]:
    for parts in (150, 200):
        yield f"catalog-{parts}", catalog(parts)


def _tables() -> Iterator[tuple[str, str]]:
    """Flat tables; the last column is not in every row."""
    for name, indent, rows in (("indented", "  ", 400), ("one line", "", 450)):
        random = Random(f"long table {name}")
        yield f"table-{name}", document(e("rows", *(_row(random, number) for number in range(rows))), indent)


def _row(random: Random, number: int) -> Node:
    columns = [e("id", str(number)), e("name", words(random, 1, 3)), e("city", words(random, 1, 1))]
    return e("row", *columns, *([e("note", words(random, 2, 6))] if random.random() < 0.4 else []))


def _libraries() -> Iterator[tuple[str, str]]:
    """Records within records: shelves, the books on them, and their authors."""
    for name, indent, shelves in (("indented", " ", 45), ("one line", "", 60)):
        random = Random(f"library {name}")
        yield f"library-{name}", document(e("library", *(_shelf(random) for _ in range(shelves))), indent)


def _shelf(random: Random) -> Node:
    return e("shelf", e("label", words(random, 1, 2)), *(_book(random) for _ in range(random.randint(2, 9))))


def _book(random: Random) -> Node:
    authors = [e("author", words(random, 2, 2)) for _ in range(random.randint(1, 3))]
    return e("book", e("title", words(random, 1, 4)), *authors, e("price", str(random.randint(1, 90)), currency="EUR"))


def _articles() -> Iterator[tuple[str, str]]:
    """Articles like those of DocBook, with sections within sections."""
    for name, indent, sections in (("indented", "  ", 18), ("one line", "", 22)):
        random = Random(f"long article {name}")
        parts = [section(random, f"s{number}", 3) for number in range(sections)]
        yield f"article-{name}", document(e("article", e("title", words(random, 3, 5)), *parts), indent)


LONG: Final[dict[str, Callable[[], Iterator[tuple[str, str]]]]] = {
    "long feeds": _feeds,
    "long catalogs": _catalogs,
    "long tables": _tables,
    "libraries": _libraries,
    "long articles": _articles,
}
