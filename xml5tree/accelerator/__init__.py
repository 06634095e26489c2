"""The part of the library that is written in C, where it has been compiled; the library does the same without it.

``XML5TREE_PURE=1`` in the environment switches it off.
"""

import os
from types import ModuleType

__all__ = ["compiled"]


def _load() -> ModuleType | None:
    if os.environ.get("XML5TREE_PURE", "0") not in {"", "0"}:
        return None
    try:
        from xml5tree.accelerator import _scan
    except ImportError:  # not compiled, or for another Python
        return None
    return _scan


#: The compiled module; None: there is none, or it is switched off.
compiled = _load()
