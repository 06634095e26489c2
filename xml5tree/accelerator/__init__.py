"""The compiled part of the library, which is optional.

``XML5TREE_PURE=1`` in the environment switches it off.
"""

import os
from types import ModuleType

from xml5tree.accelerator.sources import number_of_sources

__all__ = ["compiled"]


def _load() -> ModuleType | None:
    """Return the compiled module, unless it is of other sources than those beside it."""
    if os.environ.get("XML5TREE_PURE", "0") not in {"", "0"}:
        return None
    try:
        from xml5tree.accelerator import _scan
    except ImportError:  # not compiled, or for another Python
        return None
    number = number_of_sources(os.path.dirname(__file__))
    return _scan if number is None or number == getattr(_scan, "sources", int)() else None


#: The compiled module; None: there is none, or it is switched off.
compiled = _load()
