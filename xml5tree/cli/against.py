"""Compares what another parser keeps of a document."""

from collections import Counter, defaultdict
from operator import add
from typing import Any, Final, NamedTuple

import click

from xml5tree.api import fromstring
from xml5tree.backends.lxml import recovered, versions
from xml5tree.cli.rendering import number_of
from xml5tree.cli.sources import InputDocument
from xml5tree.errors.log import ParseError
from xml5tree.options import Options
from xml5tree.tree.infoset import coerce_characters

__all__ = ["Comparison", "Facts", "Totals", "compare"]

#: The rows of the summary.
_SUMS: Final = ("xml5tree keeps", "lxml drops of that", "lxml has elsewhere", "xml5tree drops, lxml not")
#: Stands for characters that XML does not allow, which is no better than nothing.
_REPLACEMENT: Final = "\ufffd"


class Counts(NamedTuple):
    """Numbers of elements, attributes, and characters of text and attribute values."""

    elements: int = 0
    attributes: int = 0
    characters: int = 0

    @property
    def in_words(self) -> str:
        words = [number_of(count, noun[:-1]) for noun, count in zip(self._fields, self, strict=True) if count]
        return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


class Comparison(NamedTuple):
    """The content that two parsers keep of a document.

    `kept` is what this library keeps, None without a tree. Of that, the other parser lacks `dropped`, and has `moved`
    in other elements. It alone has `missed`.
    """

    kept: Counts | None
    dropped: Counts = Counts()
    moved: Counts = Counts()
    missed: Counts = Counts()
    has_tree: bool = True

    @property
    def is_same(self) -> bool:
        return self.has_tree == (self.kept is not None) and not any((*self.dropped, *self.moved, *self.missed))

    @property
    def in_words(self) -> str:
        if self.kept is None:
            return "neither gives a tree" if not self.has_tree else "xml5tree gives no tree, lxml does"
        if not self.has_tree:
            return f"lxml gives no tree; xml5tree keeps {self.kept.in_words}"
        if self.is_same:
            return "both keep the same"
        dropped, moved, missed = self.dropped.in_words, self.moved.in_words, self.missed.in_words
        parts = [f"lxml drops {dropped}" if dropped else "", f"lxml has {moved} elsewhere" if moved else ""]
        return "; ".join(part for part in (*parts, f"xml5tree drops {missed}" if missed else "") if part)


class Facts:
    """The content of a tree: elements, attributes and characters, those of text and of attribute values.

    Elements and characters are counted by the names of the elements around them, without prefix and namespace, as
    parsers treat undeclared prefixes differently. White space does not count, nor do U+FFFD and characters that XML
    does not allow.
    """

    def __init__(self, root: Any, paths: dict[tuple[int, str], int]) -> None:
        """Count the content below lxml's `root`; trees to compare share `paths`, their numbers by parent and name."""
        self.elements: Counter[int] = Counter()
        self.attributes: Counter[tuple[str, str]] = Counter()
        self.characters: defaultdict[int, Counter[str]] = defaultdict(Counter)
        around: list[int] = []  # the paths of open elements
        element = root
        while element is not None:
            parent = around[-1] if around else -1
            if isinstance(element.tag, str):
                name = _local(element.tag)
                path = paths.setdefault((parent, name), len(paths))
                self.elements[path] += 1
                for key in set(element.keys()):  # libxml2 can have one twice, of which the first is found
                    self.attributes[name, _local(key)] += 1
                    self._add(path, element.get(key))
                self._add(path, element.text)
                if len(element):
                    around.append(path)
                    element = element[0]
                    continue
            element = self._after(element, root, around)

    def _after(self, element: Any, root: Any, around: list[int]) -> Any:
        """Count the text after an ending element and the elements that end with it; return the element after them."""
        while element is not root:
            self._add(around[-1], element.tail)
            following = element.getnext()
            if following is not None:
                return following
            around.pop()
            element = element.getparent()
        return None

    def _add(self, path: int, text: str | None) -> None:
        if text and (seen := "".join(coerce_characters(text, "drop").replace(_REPLACEMENT, "").split())):
            self.characters[path].update(seen)

    @property
    def counts(self) -> Counts:
        characters = sum(found.total() for found in self.characters.values())
        return Counts(self.elements.total(), self.attributes.total(), characters)

    def without(self, other: "Facts", names: dict[int, str]) -> tuple[Counts, Counts]:
        """Return the content that the other tree lacks, and that it has in other places; `names` are by number."""
        attributes = (self.attributes - other.attributes).total()
        elsewhere = (self.elements - other.elements).total()
        elements = (_by_name(self.elements, names) - _by_name(other.elements, names)).total()
        unplaced = sum((found - other.characters[path]).total() for path, found in [*self.characters.items()])
        mine, theirs = (sum(facts.characters.values(), Counter[str]()) for facts in (self, other))
        characters = (mine - theirs).total()
        return Counts(elements, attributes, characters), Counts(elsewhere - elements, 0, unplaced - characters)


def _local(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2]


def _by_name(elements: Counter[int], names: dict[int, str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for path, count in elements.items():
        found[names[path]] += count
    return found


def compare(source: InputDocument, reading: Options) -> Comparison:
    """Compare the content that this library keeps with what lxml keeps with ``recover=True``, and no other option."""
    data = b"".join(source.blocks())
    theirs = recovered(data, reading.get("encoding"))
    options: Options = {**reading, "max_errors": 0}
    try:
        ours = fromstring(data, backend="lxml", **options)
    except ParseError:
        return Comparison(None, has_tree=theirs is not None)
    paths: dict[tuple[int, str], int] = {}
    mine = Facts(ours, paths)
    if theirs is None:
        return Comparison(mine.counts, dropped=mine.counts, has_tree=False)
    other = Facts(theirs, paths)
    names = {number: name for (_, name), number in paths.items()}
    dropped, moved = mine.without(other, names)
    missed, _ = other.without(mine, names)
    return Comparison(mine.counts, dropped, moved, missed)


class Totals:
    """Shows comparisons: a line for each document, and a summary of several."""

    def __init__(self) -> None:
        self._files = self._same = self._treeless = self._less = 0
        self._sums = dict.fromkeys(_SUMS, Counts())

    @staticmethod
    def show(source: InputDocument, found: Comparison) -> None:
        """Show the comparison of a document; called in other processes, too."""
        click.echo(f"{click.style(source.name + ':', bold=True)} {found.in_words}")

    def take(self, found: Comparison) -> None:
        self._files += 1
        self._same += found.is_same
        self._treeless += not found.has_tree and found.kept is not None
        self._less += any((*found.dropped, *found.moved))
        for name, counts in zip(_SUMS, (found.kept or Counts(), found.dropped, found.moved, found.missed), strict=True):
            self._sums[name] = Counts(*map(add, self._sums[name], counts))

    def close(self) -> None:
        if self._files > 1:
            files = number_of(self._files, "file")
            click.echo(
                f"\n{files}: {self._same:,} the same from both; lxml keeps less, or moves it, in {self._less:,}, and "
                f"gives no tree of {self._treeless:,} of these (lxml {versions()})"
            )
            click.echo(f"{'':>26}" + "".join(f"{noun:>13}" for noun in Counts._fields))
            for name, counts in self._sums.items():
                cells = [
                    "-" if name.endswith("elsewhere") and index == 1 else f"{n:,}" for index, n in enumerate(counts)
                ]
                click.echo(f"{name:>26}" + "".join(f"{cell:>13}" for cell in cells))
