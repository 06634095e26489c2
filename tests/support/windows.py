"""How far recovery by intent looks ahead, made shorter, so that small documents reach past it."""

import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest

from xml5tree import accelerated
from xml5tree.dialects.xml5 import intent

__all__ = ["SHORT", "lengths", "window_of"]

#: A window that is shorter than most documents that are generated.
SHORT = 120
#: How many times as long the window of records in records is (R-041).
FAR = 8


def _modules() -> Iterator[ModuleType]:
    """The modules that have the length of the window: each has a name of its own for it."""
    for info in pkgutil.walk_packages(intent.__path__, f"{intent.__name__}."):
        if accelerated or not info.name.endswith(".compiled"):
            module = importlib.import_module(info.name)
            if hasattr(module, "WINDOW"):
                yield module


def lengths() -> set[int]:
    """The lengths of the window, as the modules have them; one, unless some are left out."""
    return {vars(module)["WINDOW"] for module in _modules()}


@contextmanager
def window_of(size: int) -> Iterator[None]:
    """Have the policy look no farther than so many characters.

    That is for the body of a test: a fixture for a module, as generated documents need, would stay for other tests.
    """
    modules = list(_modules())  # all of them imported, as one that is imported later would keep the length
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            patch.setattr(module, "WINDOW", size)
            if hasattr(module, "FAR_WINDOW"):
                patch.setattr(module, "FAR_WINDOW", FAR * size)
        assert lengths() == {size}
        yield
