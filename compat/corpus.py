"""Read broken documents that others wrote, and compare what parsers find with what was meant.

usage: python compat/corpus.py [--show NAME]

The documents are in no registry: they are looked for in the folder $XML5TREE_REAL_DOCUMENTS, or else in
../shared/corpus. There, wanted.jsonl has a line for each document: its name, in documents/ or as text in the line, the
well-formed forms that were wanted (the best of several counts), the options it is read with, and its weight, as
documents that are nearly the same count once together.

A fact is an element at a path, an attribute with its value, or a text between two tags. expected/corpus.txt lists the
documents in which `recovery="intent"` finds less than `recovery="draft"` or lxml with recover=True, by more than 0.02
of F1. The run fails where the list is wrong, and where a document raises with one of our policies.
"""

import argparse
import json
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.parsers import expat

from cache import SKIPPED
from expected import read, report
from recovery_facts import Facts, Node, f1
from recovery_parsers import DRAFT, INTENT, PARSERS, Parser, installed

FOLDER: Final = Path(
    os.environ.get("XML5TREE_REAL_DOCUMENTS") or Path(__file__).parent.parent.parent / "shared" / "corpus"
)
#: By how much another parser is ahead where it is listed.
MARGIN: Final = 0.02
#: Elements that hold several roots, here and in the wanted forms: they are no facts.
_HOLDERS: Final = frozenset({"xml5tree:roots", "wanted-roots"})
_REPRODUCERS: Final = "reproducers"


class Entry(NamedTuple):
    """A broken document.

    Attributes:
        name: the name of its file.
        data: its bytes.
        wanted: the facts of each form that was wanted.
        options: what our parsers read it with.
        weight: how much it counts.
        sample: how it was chosen; the sample of reproducers is of minimal documents, and not part of the means.
    """

    name: str
    data: bytes
    wanted: list[Facts]
    options: dict[str, Any]
    weight: float
    sample: str


def entries() -> list[Entry]:
    """Read all documents of which it is known what was wanted."""
    lines = (FOLDER / "wanted.jsonl").read_text("utf-8").splitlines()
    return [_entry(found) for line in lines if "left_out" not in (found := json.loads(line))]


def _entry(found: dict[str, Any]) -> Entry:
    inline = found.get("document")
    data = inline.encode() if inline is not None else (FOLDER / "documents" / found["file"]).read_bytes()
    wanted = [single_facts([_as_written((FOLDER / path).read_bytes())]) for path in found["alternatives"]]
    return Entry(found["file"], data, wanted, found["options"], found["weight"], found["sample"])


def _as_written(data: bytes) -> Node:
    """Return the root of a document whose prefixes may lack declarations, which expat alone does not mind."""
    holder = Node("")
    open_nodes = [holder]

    def start(name: str, attributes: dict[str, str]) -> None:
        node = Node(name, {key: value for key, value in attributes.items() if key.partition(":")[0] != "xmlns"})
        open_nodes[-1].children.append(node)
        open_nodes.append(node)

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: open_nodes.pop()
    parser.CharacterDataHandler = lambda text: open_nodes[-1].children.append(text)
    parser.Parse(data, True)
    (root,) = holder.children
    assert isinstance(root, Node)
    return root


def single_facts(nodes: Iterable[Node | str]) -> Facts:
    """Return the facts of elements, each attribute and each text being one of its own, so that one slip costs one."""
    return Counter(_facts((), nodes))


def _facts(path: tuple[str, ...], nodes: Iterable[Node | str]) -> Iterator[tuple[Any, ...]]:
    waiting: list[tuple[tuple[str, ...], Iterable[Node | str]]] = [(path, nodes)]
    while waiting:
        parent, siblings = waiting.pop()
        text: list[str] = []
        for node in [*siblings, None]:
            if isinstance(node, str):
                text.append(node)
                continue
            normal = " ".join("".join(text).split())
            text = []
            if normal:
                yield "text", parent, normal
            if node is None:
                break
            inner = parent if not parent and node.name in _HOLDERS else (*parent, node.name)
            if inner:
                yield "element", inner
                yield from (
                    ("attribute", inner, name, " ".join(value.split())) for name, value in node.attributes.items()
                )
            waiting.append((inner, node.children))


def found_by(parser: Parser, entry: Entry) -> Facts | Exception:
    """Return what a parser finds in a document, or what it raises."""
    options = entry.options if parser.policy else {}
    try:
        with warnings.catch_warnings(action="ignore"):
            return single_facts(parser.parse(entry.data, **options))
    except Exception as error:
        return error


def score(found: Facts | Exception, entry: Entry) -> float:
    """Return the F1 of what was found, for the wanted form that it is nearest to."""
    return 0.0 if isinstance(found, Exception) else max(f1(wanted, found) for wanted in entry.wanted)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", default="", metavar="NAME", help="print the facts that differ in one document")
    arguments = parser.parse_args()
    if not (FOLDER / "wanted.jsonl").is_file():
        print(f"skipped: {FOLDER} has no wanted.jsonl; XML5TREE_REAL_DOCUMENTS names the folder that has")
        return SKIPPED
    parsers = [each for each in installed(PARSERS) if not each.folds_case]
    if arguments.show:
        for entry in entries():
            if entry.name.startswith(arguments.show):
                _show(entry, parsers)
        return 0
    scores: dict[str, dict[str, float]] = {}
    raised = {}
    read_entries = entries()
    for entry in read_entries:
        found = {each.name: found_by(each, entry) for each in parsers}
        raised |= {
            f"{entry.name}, {each.name}": f"  raises {found[each.name]!r}"
            for each in parsers
            if each.policy and isinstance(found[each.name], Exception)
        }
        scores[entry.name] = {name: score(facts, entry) for name, facts in found.items()}
    _print_means(read_entries, scores)
    behind = {
        f"{entry.name}, {other}": f"  {other} {scores[entry.name][other]:.3f}, intent {scores[entry.name][INTENT]:.3f}"
        for entry in read_entries
        for other in (DRAFT, "lxml")
        if scores[entry.name][INTENT] < scores[entry.name][other] - MARGIN
    }
    for name, said in raised.items():
        print(f"{name}{said}")
    return 0 if report(behind, read("corpus")) and not raised else 1


def _print_means(read_entries: list[Entry], scores: dict[str, dict[str, float]]) -> None:
    for title, chosen in (
        ("real documents", [entry for entry in read_entries if entry.sample != _REPRODUCERS]),
        (_REPRODUCERS, [entry for entry in read_entries if entry.sample == _REPRODUCERS]),
    ):
        weight = sum(entry.weight for entry in chosen)
        means = {
            name: sum(entry.weight * scores[entry.name][name] for entry in chosen) / weight
            for name in scores[chosen[0].name]
        }
        print(f"{title}: {len(chosen)}, F1 " + ", ".join(f"{name} {mean:.4f}" for name, mean in means.items()))
        for other in (name for name in means if name != INTENT):
            gains = [(entry.weight, scores[entry.name][INTENT] - scores[entry.name][other]) for entry in chosen]
            ahead = sum(weight for weight, gain in gains if gain > MARGIN)
            behind = sum(weight for weight, gain in gains if gain < -MARGIN)
            print(f"  {INTENT} against {other}, weighted: better {ahead:.1f}, worse {behind:.1f} of {weight:.1f}")


def _show(entry: Entry, parsers: list[Parser]) -> None:
    for parser in parsers:
        found = found_by(parser, entry)
        print(f"{entry.name}, {parser.name}: {score(found, entry):.3f}")
        if isinstance(found, Exception):
            print(f"  raises {found!r}")
            continue
        wanted = max(entry.wanted, key=lambda each: f1(each, found))
        for sign, facts in (("-", wanted - found), ("+", found - wanted)):
            for fact, count in facts.items():
                print(f"  {sign}{count} {fact!r}"[:200])


if __name__ == "__main__":
    sys.exit(main())
