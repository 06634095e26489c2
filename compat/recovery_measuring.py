"""Scores of parsers on broken documents, and what follows from them: means, intervals, leads, worst cases."""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from recovery_documents import FEEDS, Document
from recovery_facts import FactSets, Node, f1, facts
from recovery_faults import USUAL_PLACES, Broken, Fault, inject
from recovery_parsers import DRAFT, FEED_PARSERS, INTENT, PARSERS, Parser

__all__ = [
    "Row",
    "Score",
    "broken_document",
    "interval",
    "lead",
    "measure",
    "read_by_all",
    "score",
    "summary",
    "totals",
    "without_faults",
]

_RESAMPLES: Final = 1000
_WORST: Final = 15
#: What is not worth a line in the list of the worst.
_TOO_LITTLE: Final = 0.001
_GENERAL: Final = frozenset(parser.name for parser in PARSERS)
_POLICIES: Final = {parser.name: parser.policy for parser in (*PARSERS, *FEED_PARSERS)}


class Score(NamedTuple):
    """F1 of what a parser found.

    Attributes:
        plain: of paths that do not say which of its siblings an element is.
        numbered: of those that do.
    """

    plain: float
    numbered: float


class Row(NamedTuple):
    """What parsers made of one broken document.

    Attributes:
        seed: the number by which document and places were chosen.
        document: the name of the document within its family.
        scores: by parser.
    """

    fault: str
    seed: int
    family: str
    document: str
    scores: dict[str, Score]


# Scores -------------------------------------------------------------------------------------------------------------


def score(parser: Parser, pair: Broken) -> Score:
    """How much of what was meant the parser finds in the broken document; nothing where it refuses."""
    try:
        with warnings.catch_warnings(action="ignore"):
            found = parser.parse(pair.broken)
    except Exception:
        if parser.package == "xml5tree":  # what it may raise is dealt with; anything else is a defect of ours
            raise
        return Score(0.0, 0.0)
    return Score(*map(f1, _meant(parser.meant, pair.meant), facts(found)))


@lru_cache(4)  # one document after the other is read by all parsers
def _meant(parse: Callable[[bytes], list[Node]], data: bytes) -> FactSets:
    return facts(parse(data))


def broken_document(
    fault: Fault, seed: int, family: list[Document], places: int = USUAL_PLACES
) -> tuple[Document, Broken] | None:
    """The document of a family that the seed chooses, with the fault; None where none has a place for it."""
    random = Random(f"{fault.name} {seed} {family[0].family}")
    for document in random.sample(family, len(family)):
        made = inject(fault, random, document.text, places)
        if made is not None:
            return document, made
    return None


def measure(
    fault: Fault,
    seeds: Iterable[int],
    families: list[list[Document]],
    parsers: list[Parser],
    feeds: list[Parser],
    places: int = USUAL_PLACES,
) -> list[Row]:
    """The scores of all parsers for one fault, on a document of each family for each seed.

    Args:
        fault: the kind of fault.
        seeds: numbers that documents and places are chosen by.
        families: the documents.
        parsers: what reads all of them.
        feeds: what reads feeds only.
        places: how many places of a document have the fault.
    """
    rows = []
    for seed in seeds:
        for family in families:
            made = broken_document(fault, seed, family, places)
            if made is not None:
                document, pair = made
                readers = [*parsers, *feeds] if document.family == FEEDS else parsers
                scores = {parser.name: score(parser, pair) for parser in readers}
                rows.append(Row(fault.name, seed, document.family, document.name, scores))
    return rows


def read_by_all(family: list[Document], parsers: list[Parser]) -> tuple[list[Document], list[str]]:
    """The documents that every parser of XML reads without loss, and for the others which of them do not.

    What a parser makes of a DTD is another question than what it makes of a fault.
    """
    good, left_out = [], []
    for document in family:
        pair = _unbroken(document)
        losing = [parser.name for parser in parsers if not parser.folds_case and score(parser, pair).plain < 1]
        if losing:
            left_out.append(f"{document.name} ({', '.join(losing)})")
        else:
            good.append(document)
    return good, left_out


def _unbroken(document: Document) -> Broken:
    return Broken(document.text.encode(), document.text.encode())


def without_faults(families: list[list[Document]], parsers: list[Parser], feeds: list[Parser]) -> dict[str, float]:
    """The scores of all parsers where nothing is wrong."""
    found = {}
    for parser in (*parsers, *feeds):
        rows = [
            fmean(score(parser, _unbroken(document)).plain for document in family)
            for family in families
            if parser in parsers or family[0].family == FEEDS
        ]
        if rows:
            found[parser.name] = round(fmean(rows), 5)
    return found


# Arithmetic ---------------------------------------------------------------------------------------------------------


def interval(means: list[float]) -> list[float]:
    """The mean, and the limits of its confidence interval of 95 %, by bootstrap."""
    random = Random(0)
    resampled = sorted(fmean(random.choices(means, k=len(means))) for _ in range(_RESAMPLES))
    limits = resampled[round(0.025 * _RESAMPLES)], resampled[round(0.975 * _RESAMPLES) - 1]
    return [round(value, 5) for value in (fmean(means), *limits)]


def lead(mine: list[float], other: list[float]) -> list[float]:
    """How far one parser is ahead of another on the same documents, and the limits of that."""
    return interval([ahead - behind for ahead, behind in zip(mine, other, strict=True)])


def _by_seed(rows: list[Row], name: str, numbered: bool = False) -> list[float]:
    """The mean score of a parser for each seed."""
    by_seed = defaultdict(list)
    for row in rows:
        if name in row.scores:
            by_seed[row.seed].append(row.scores[name][numbered])
    return [fmean(values) for values in by_seed.values()]


def _names(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.scores))


def _gain(row: Row) -> float:
    return row.scores[INTENT].plain - row.scores[DRAFT].plain


def summary(rows: list[Row]) -> dict[str, Any]:
    """What there is to say of one fault.

    Returns:
        The number of documents; mean scores; how far each of ours is ahead of each of the others of its kind; which
        parsers none is ahead of; in how many documents a parser found nothing; in how many of them `intent` is better
        and worse than `draft`.
    """
    names = _names(rows)
    means = {name: _by_seed(rows, name) for name in names}
    general = [name for name in names if name in _GENERAL]
    return {
        "documents": len(rows),
        "f1": {name: interval(means[name]) for name in names},
        "ahead": {
            ours: {
                peer: lead(means[ours], means[peer])
                for peer in names
                if not _POLICIES[peer] and (peer in _GENERAL) == (ours in _GENERAL)
            }
            for ours in names
            if _POLICIES[ours]
        },
        "behind none": [
            name
            for name in general
            if all(lead(means[name], means[other])[2] >= 0 for other in general if other != name)
        ],
        "nothing": {name: sum(row.scores[name].plain == 0 for row in rows if name in row.scores) for name in names},
        **(_both(rows) if INTENT in names and DRAFT in names else {}),
    }


def _both(rows: list[Row]) -> dict[str, int]:
    gains = [_gain(row) for row in rows]
    return {"better": sum(gain > 0 for gain in gains), "worse": sum(gain < 0 for gain in gains)}


def totals(rows: list[Row]) -> dict[str, Any]:
    """What there is to say of all faults together.

    Returns:
        Means of all faults, without numbers and with them, and of each family; and the documents where `intent` is
        farthest behind `draft`.
    """
    names = _names(rows)
    families = dict.fromkeys(row.family for row in rows)
    return {
        "overall": {name: interval(list(_means(rows, name))) for name in names},
        "numbered": {name: interval(list(_means(rows, name, numbered=True))) for name in names},
        "by family": {
            family: {
                name: round(fmean(_by_fault([row for row in rows if row.family == family], name)), 5)
                for name in names
                if name in _GENERAL or family == FEEDS
            }
            for family in families
        },
        "worst": _worst(rows) if INTENT in names and DRAFT in names else [],
    }


def _means(rows: list[Row], name: str, numbered: bool = False) -> Iterator[float]:
    """The mean of all faults for each seed; all kinds of fault have the same weight."""
    for seed in dict.fromkeys(row.seed for row in rows):
        yield fmean(_by_fault([row for row in rows if row.seed == seed], name, numbered))


def _by_fault(rows: list[Row], name: str, numbered: bool = False) -> list[float]:
    by_fault = defaultdict(list)
    for row in rows:
        if name in row.scores:
            by_fault[row.fault].append(row.scores[name][numbered])
    return [fmean(values) for values in by_fault.values()]


def _worst(rows: list[Row]) -> list[dict[str, Any]]:
    worse = sorted((row for row in rows if _gain(row) < -_TOO_LITTLE), key=_gain)
    return [
        {
            **{"fault": row.fault, "family": row.family, "document": row.document, "seed": row.seed},
            **{"draft": round(row.scores[DRAFT].plain, 3), "intent": round(row.scores[INTENT].plain, 3)},
        }
        for row in worse[:_WORST]
    ]
