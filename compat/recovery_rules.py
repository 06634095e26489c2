"""What each rule of `recovery="intent"` is worth: the means without it."""

from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any, Final, NamedTuple

from recovery_documents import Document
from recovery_faults import USUAL_PLACES, Broken, Fault
from recovery_measuring import broken_document, score
from recovery_parsers import INTENT, PARSERS
from rules import RULES, without

__all__ = ["Sample", "measure_rules", "sample"]

_PARSER: Final = next(parser for parser in PARSERS if parser.name == INTENT)


class Sample(NamedTuple):
    """Broken documents of one fault."""

    fault: str
    pairs: list[Broken]


def sample(
    faults: Iterable[Fault], seeds: range, families: list[list[Document]], places: int = USUAL_PLACES
) -> list[Sample]:
    """The documents of all faults that are read without each rule."""
    return [
        Sample(
            fault.name,
            [
                made[1]
                for seed in seeds
                for family in families
                if (made := broken_document(fault, seed, family, places)) is not None
            ],
        )
        for fault in faults
    ]


def measure_rules(samples: dict[str, list[Sample]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is lost without each rule, by rule.

    Args:
        samples: for each measure, its documents.

    Returns:
        For each rule and measure the loss of the mean of all faults, negative where it is better without the rule; and
        the faults where it is most, with their loss.
    """
    whole = {name: _means(found) for name, found in samples.items()}
    for rule in sorted(RULES):
        with without(rule):
            found = {name: _loss(whole[name], _means(samples[name])) for name in samples}
        yield rule, found


def _means(samples: list[Sample]) -> dict[str, float]:
    return {fault: fmean(score(_PARSER, pair).plain for pair in pairs) for fault, pairs in samples if pairs}


def _loss(whole: dict[str, float], without: dict[str, float]) -> dict[str, Any]:
    losses = {fault: round(whole[fault] - without[fault], 4) for fault in whole}
    most = sorted(losses, key=lambda fault: abs(losses[fault]), reverse=True)[:2]
    return {
        "loss": round(fmean(losses.values()), 5),
        "most": {fault: losses[fault] for fault in most if losses[fault]},
    }
