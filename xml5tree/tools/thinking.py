"""Separates the reasoning of a model from its answer."""

import re

from xml5tree.tools.calls import Event

__all__ = ["Thinking"]


class Thinking:
    """Separates the reasoning at the beginning, an element of a name, from the rest; its events are of either kind.

    Its start tag may be missing. Then the text is held back until the end tag comes, or the end.
    """

    def __init__(self, element: str) -> None:
        name = re.escape(element)
        self._start = re.compile(rf"\s*<{name}>")
        self._end = re.compile(f"</{name}>")
        self._tail = len(element) + 2  # the longest part of an end tag that is not whole
        self._pieces: list[str] = []
        self._last = ""  # the end of `pieces`, and what may be an end tag
        self._is_begun: bool | None = False  # whether its start tag was there; None: the reasoning is over

    def feed(self, text: str) -> list[Event]:
        if self._is_begun is None:
            return [Event("text", text=text)]
        window = self._last + text
        self._pieces.append(text)
        if not self._is_begun:
            whole = "".join(self._pieces) if len(self._pieces) < self._tail + 9 else ""
            if found := self._start.match(whole):
                self._is_begun = True
                window = whole[found.end() :]
                self._pieces = [window]
        if found := self._end.search(window):
            return self._over("".join(self._pieces), len(window) - found.start(), len(window) - found.end())
        self._last = window[-self._tail :]
        if not self._is_begun:
            return []
        thought = "".join(self._pieces)
        self._pieces = [thought[-self._tail :]]
        return _events("thinking", thought[: -self._tail])

    def _over(self, text: str, start: int, end: int) -> list[Event]:
        """End the reasoning; `start` and `end` of its end tag are counted from the end of the text."""
        self._is_begun = None
        self._pieces.clear()
        return _events("thinking", text[: len(text) - start]) + _events("text", text[len(text) - end :])

    def close(self) -> list[Event]:
        rest = "".join(self._pieces)
        self._pieces.clear()
        return _events("thinking" if self._is_begun else "text", rest)


def _events(kind: str, text: str) -> list[Event]:
    return [Event(kind, text=text)] if text else []  # type: ignore[arg-type]
