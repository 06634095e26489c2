"""What comes of a document, to hold all ways through the library equal."""

import pytest

import xml5tree
from compat.lanes import LANES, lane
from xml5tree.fastpath import FastPath


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
    return "".join(parts), list(log), log.total, log.effect, log.truncated, told


def assert_same_on_all_ways(document, pieces, options):
    """Assert that what comes of a document, whole and in pieces, is the same on every way."""
    results = []
    for name in LANES:
        with lane(name):
            results += [outcome(parts, options) for parts in ([document], pieces)]
    whole = results[0]
    for result in results[1:]:
        assert result[:5] == whole[:5]
        assert sorted(result[5], key=lambda entry: entry.offset) == sorted(whole[5], key=lambda entry: entry.offset)
    assert [result[5] for result in results[2::2]] == [whole[5]] * (len(LANES) - 1)
    assert [result[5] for result in results[3::2]] == [results[1][5]] * (len(LANES) - 1)


def longest_run(document, **options):
    """The longest run that the fast path takes of a document."""
    longest = 0
    original = FastPath.take

    def take(self, *arguments):
        nonlocal longest
        run = original(self, *arguments)
        longest = max(longest, run[0] if run else 0)
        return run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FastPath, "take", take)
        xml5tree.repair(document, **options)
    return longest
