"""Reads documents that may be clean in windows, as columns of records."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from xml5tree.documents import kind_of
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.columns import ColumnsParser
    from xml5tree.record import RecordRun


#: Bytes of a window: farther from an error than anything that intent reads otherwise because of it.
WINDOW: Final = 1 << 24


class StartAgain(Exception):
    """Raised for a document that is to be read again from its beginning, with repairs."""

    def __init__(self, *, is_broken: bool) -> None:
        super().__init__()
        self.is_broken = is_broken  # whether it certainly has an error


class Windows:
    """Reads a document that is its own markup; raises `StartAgain` where it has an error, or that is not known.

    The records of a window are returned once the next one has no error either: what is returned stays.
    """

    def __init__(
        self,
        parser: "ColumnsParser",
        judge: Callable[..., bool | None],
        limits: ReaderLimits,
        size: int,
        *,
        tells_bytes: bool,
    ) -> None:
        """Set what makes columns, in runs of up to `size`; `judge` is `Dialect.judge` of a window and `look`."""
        self._parser = parser
        self._judge = judge
        self._limits = limits
        self._size = size
        self._tells_bytes = tells_bytes
        self._kind: type | None = None
        self._parts: list[bytes] = []  # of the window
        self._length = 0
        self._is_first = True
        self._held: list[RecordRun] = []

    def feed(self, part: bytes | str) -> "list[RecordRun]":
        try:
            self._kind = kind_of(part, self._kind)
            self._parts.append(part.encode() if isinstance(part, str) else part)
        except (TypeError, UnicodeEncodeError):
            raise StartAgain(is_broken=False) from None
        self._length += len(self._parts[-1])
        return [] if self._length < WINDOW else self._read(is_last=False)

    def close(self) -> "list[RecordRun]":
        return self._read(is_last=True) + self._held

    def _read(self, *, is_last: bool) -> "list[RecordRun]":
        from xml5tree.backends.native_first import is_certain  # as most who import xml5tree read no records

        window = b"".join(self._parts)
        runs: list[RecordRun] = []
        tells_bytes = self._tells_bytes and self._kind is not str
        look = partial(self._parser.read_window, runs, self._size, tells_bytes, self._is_first, is_last)
        if self._is_first:
            known = self._judge(window, look=look)
        else:
            is_broken = look(window, 0, len(window), 0, False)
            known = is_certain(window, self._limits) if is_broken is False else is_broken and False
        if not known or self._parser.read < 0:
            raise StartAgain(is_broken=known is False)
        self._is_first = False
        self._parts = [window[self._parser.read :]]
        self._length = len(self._parts[0])
        given, self._held = self._held, runs
        return given
