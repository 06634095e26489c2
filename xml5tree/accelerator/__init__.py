"""The compiled part of the library, which is optional.

``XML5TREE_PURE=1`` in the environment switches it off. A Python without a global lock has no stable ABI, so it only
loads what was compiled for its own version.
"""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType

from xml5tree.accelerator.selfcheck import fault_of
from xml5tree.accelerator.sources import number_of_sources

__all__ = ["compiled", "why_pure"]


def _load() -> tuple[ModuleType | None, str]:
    """Return the compiled module, or None and why it is not used."""
    if os.environ.get("XML5TREE_PURE", "0") not in {"", "0"}:
        return None, "XML5TREE_PURE is set in the environment"
    folder = os.path.dirname(__file__)
    # Its objects have another layout, even if the lock is switched on; the first suffix is that of its own version.
    if "free-threading build" in sys.version and not os.path.exists(f"{folder}/_scan{EXTENSION_SUFFIXES[0]}"):
        return None, "nothing was compiled for this Python, which has no stable ABI; build it with a C compiler"
    try:
        import xml5tree.accelerator._scan as scan
    except ModuleNotFoundError:
        return None, "this is the wheel of pure Python, or there was no C compiler when it was built"
    except ImportError as error:
        return None, f"the compiled part cannot be imported: {error}"
    number = number_of_sources(folder)
    if number is not None and number != getattr(scan, "sources", int)():
        return None, "the compiled part is of other sources than those beside it; build it again"
    if fault := fault_of(scan):
        return None, f"the compiled part does not work in this Python: {fault}"
    return scan, ""


#: The compiled module, or None; and why it is None.
compiled, why_pure = _load()
