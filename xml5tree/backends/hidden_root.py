"""Hides a root element that is not in the document.

See `Pipeline.hides_root`.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from xml5tree.backends.base import Events, PullParser

__all__ = ["HiddenRootEvents"]


class HiddenRootEvents(Events):
    """Leaves out the start of the markup's root element, and its end unless `show_root` is called."""

    def __init__(
        self, make: Callable[[Collection[str]], PullParser], events: Collection[str], tag: str | Collection[str] | None
    ) -> None:
        super().__init__(make({*events, "start", "end"}), events, tag)
        self._root: Any = None

    def read_events(self) -> Iterator[tuple[str, Any]]:
        for event, item in self.native.read_events():
            if event == "start" and self._root is None:
                self._root = item
            elif self._is_wanted(event, item):
                yield event, item

    def _is_wanted(self, event: str, item: Any) -> bool:
        if self._root is None or (item is self._root and not self._shows_root):
            return False
        return super()._is_wanted(event, item)
