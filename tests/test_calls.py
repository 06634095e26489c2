"""The count of the functions that a small document goes through."""

import pytest

import xml5tree
from compat import calls


@pytest.mark.parametrize(
    ("module", "room"),
    [
        ("xml5tree", ""),
        ("xml5tree.api", "api"),
        ("xml5tree.input.stream", "input"),
        ("xml5tree.dialects", "dialects"),
        ("xml5tree.dialects.base", "dialects/base"),
        ("xml5tree.dialects.xml5.tree", "dialects/xml5/tree"),
        ("xml5tree.intent.compiled", "intent"),
        ("lxml.etree", None),
    ],
)
def test_rooms(module, room):
    assert calls.room_of(module) == room


@pytest.mark.skipif(not xml5tree.accelerated, reason="the compiled scanner is not there")
def test_a_run_takes_what_the_states_need_not_read():
    """The figures are about those of the page; versions of Python count differently."""
    draft, intent, repair, drop_in = map(calls.calls, calls.DOORS)
    assert draft.total() <= 75
    assert draft["dialects/xml5/states"] == draft["intent"] == 0
    assert intent.total() <= 80
    assert repair.total() <= 90
    assert drop_in.total() <= 95
