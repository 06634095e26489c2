"""The measurement of ways in beside their peers: what each reads, and the table made of the times."""

import pytest
from support.cases import one_in

from compat import doors


@pytest.mark.parametrize("door", one_in(4, doors.doors(2_000)), ids=lambda door: door.name)
def test_both_read_their_documents(door):
    """The peer reads the well-formed document, and xml5tree the broken one, too."""
    if "html5lib" in door.peer:
        pytest.importorskip("html5lib", reason="html5lib is not installed (extra 'compat'): NOT RUN")
    door.theirs(door.document.well_formed)
    door.ours(door.document.well_formed)
    door.ours(door.document.broken)
    assert door.document.well_formed != door.document.broken


def test_a_command_that_fails_is_told():
    with pytest.raises(RuntimeError, match="status 3"):
        doors.run_command(["check", "--no-such-option"])(b"<a/>")


def test_the_table_has_rows_with_the_text():
    made = doors.table(2_000, rounds=1, rows="MicroXML")
    assert made.startswith("| way in | peer | well-formed | broken | floor |")
    assert [line.split(" | ")[1] for line in made.splitlines()[2:]] == ["XML5 by the draft"]


def test_what_is_above_its_floor_is_bold():
    assert doors.cell(1.504, 1.5) == "**1.50**"
    assert doors.cell(1.5, 1.5) == "1.50"
