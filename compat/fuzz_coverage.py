"""Which ways through xml5tree a document takes: what tells the fuzzer that a document is worth keeping."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import xml5tree

__all__ = ["Coverage"]

_PACKAGE = str(Path(xml5tree.__file__).parent)

#: From one line of a function to another one.
_Arc = tuple[CodeType, int, int]


class Coverage:
    """The arcs between lines that have been taken so far.

    `sys.settrace` is slow, but one traced repair of a small document costs little beside all that is then asked of it.
    """

    def __init__(self) -> None:
        self._arcs: set[_Arc] = set()

    def is_new(self, call: Callable[[], object]) -> bool:
        """Call a function, and say whether it went a way that no call went before."""
        before = len(self._arcs)
        # What traces already, such as a debugger, goes on afterwards.
        tracer = sys.gettrace()
        sys.settrace(self._enter)
        try:
            call()
        finally:
            sys.settrace(tracer)
        return len(self._arcs) > before

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            return None
        last = 0

        def follow(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            if event == "line":
                self._arcs.add((code, last, frame.f_lineno))
                last = frame.f_lineno
            return follow

        return follow
