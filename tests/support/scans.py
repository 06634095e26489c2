"""The scans of the fast path, made to look at documents of a few characters too, as those are which tests make up."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from compat.lanes import LANES
from xml5tree import fastpath
from xml5tree.fastpath import tags, wellformed

__all__ = ["eager_scans"]


@contextmanager
def eager_scans() -> Iterator[None]:
    """Have all scans be eager; for the body of a test, or by the fixture `eager_fast_path` for all of a module."""
    with pytest.MonkeyPatch.context() as patch:
        for name, scanner in LANES.items():
            if scanner is not None:
                eager = scanner._replace(min_bytes=1, cooldown=16)
                patch.setitem(LANES, name, eager)
                if scanner is fastpath.scanner:
                    patch.setattr(fastpath, "scanner", eager)
        patch.setattr(wellformed, "_FIRST_WINDOW", 8)
        patch.setattr(wellformed, "_WINDOW", 8)
        patch.setattr(tags, "_FIRST_TAIL", 4)
        yield
