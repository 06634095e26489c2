"""Look-ahead: windows, and three questions about their tags."""

from collections.abc import Sequence
from itertools import islice

from xml5tree.dialects.xml5.intent.constants import INSIDE_REACH, MOST_INSIDE, MOST_TAGS
from xml5tree.dialects.xml5.intent.learned import Learned
from xml5tree.dialects.xml5.intent.outlook import DraftReading, Outlook
from xml5tree.dialects.xml5.intent.simulation import Begun, Outcome, compare
from xml5tree.dialects.xml5.intent.window import TEXT_RUN, Window

__all__ = ["Ahead"]


class Ahead:
    """Reads the text that follows a token for the policy. `compiled` has the same results, faster."""

    def __init__(self, learned: Learned) -> None:
        self._learned = learned
        self._outlook = Outlook()

    def window(self, text: str, start: int, stop: int, at_end: bool, offset: int, most_tags: int = MOST_TAGS) -> Window:
        """Return the window that follows a token.

        A later window does not end before an earlier one, but may begin before it. Of `<p <c>`, the window that tells
        whether the first "<" is text begins at the second "<"; the later window of the tag `<p` begins after its name.
        """
        return Window(text, start, stop, at_end, offset, most_tags)

    def compare(self, readings: Sequence[Begun], window: Window) -> list[Outcome]:
        return compare(readings, window, self._learned)

    def has_fault(self, window: Window, stack: Sequence[str], forced: Sequence[str]) -> bool:
        return self._outlook.has_fault(window, stack, forced)

    def ends_rightly(self, window: Window, outer: str, inner: Sequence[str]) -> bool:
        """Return whether an element `outer` ends in the draft's reading before an error, within `MOST_INSIDE` tags.

        The tags must end within `INSIDE_REACH` characters. `inner` names the open elements in it, outermost first.
        """
        reading = DraftReading([outer, *inner], ())
        for tag in islice((tag for tag in window.peek(INSIDE_REACH) if tag[0] != TEXT_RUN), MOST_INSIDE):
            if not reading.read([tag]):
                return False
            if not reading.stack:
                return True
        return False
