"""What comes of a document, to hold both readers of content equal."""

import pytest

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.dialects.xml5.core import Core


def outcome(pieces, options):
    """What is repaired of a document in pieces, the log and what it says of the whole, and the errors as told."""
    told = []
    repairer = xml5tree.Repairer(**options, on_error=told.append)
    try:
        parts = [repairer.feed(piece) for piece in pieces]
        parts.append(repairer.close())
    except xml5tree.ParseError as error:
        parts = [error.code]
    log = repairer.error_log
    markup = parts[0][:0].join(parts) or ""  # what was never fed is empty bytes
    return markup, list(log), log.total, log.effect, log.truncated, told


def on_each_way(call):
    """What a call returns by each of the readers, which must be the same."""
    results = []
    for name in LANES:
        with lane(name):
            results.append(call())
    assert results[1:] == results[:-1]
    return results[0]


def assert_same_on_all_ways(document, pieces, options):
    """Assert that what comes of a document, whole and in pieces, is the same by both readers."""
    whole = on_each_way(lambda: outcome([document], options))
    cut = on_each_way(lambda: outcome(pieces, options))
    assert cut[:5] == whole[:5]
    assert sorted(cut[5], key=lambda entry: entry.offset) == sorted(whole[5], key=lambda entry: entry.offset)


def runs_of(document, **options):
    """The lengths of the runs that the core takes of a document that is fed."""
    lengths = []
    original = Core.take

    def take(self, *arguments):
        run = original(self, *arguments)
        lengths.append(run[0] if run else 0)
        return run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Core, "take", take)
        outcome([document], options)
    return lengths


def longest_run(document, **options):
    """The longest run that the core takes of a document."""
    return max(runs_of(document, **options), default=0)
