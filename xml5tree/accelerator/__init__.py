"""The compiled part of the library, which is optional.

``XML5TREE_PURE=1`` in the environment switches it off. A Python without a global lock has no stable ABI, so that it is
never loaded there.
"""

import os
import sys
from types import ModuleType

from xml5tree.accelerator.selfcheck import fault_of
from xml5tree.accelerator.sources import number_of_sources

__all__ = ["compiled", "why_pure"]


def _load() -> tuple[ModuleType | None, str]:
    """Return the compiled module, or None and why it is not used."""
    if os.environ.get("XML5TREE_PURE", "0") not in {"", "0"}:
        return None, "XML5TREE_PURE is set in the environment"
    if "free-threading build" in sys.version:  # its objects have another layout, even if the lock is switched on
        return None, "this Python has no stable ABI, so xml5tree is pure here"
    try:
        import xml5tree.accelerator._scan as scan
    except ModuleNotFoundError:
        return None, "this is the wheel of pure Python, or there was no C compiler when it was built"
    except ImportError as error:
        return None, f"the compiled part cannot be imported: {error}"
    number = number_of_sources(os.path.dirname(__file__))
    if number is not None and number != getattr(scan, "sources", int)():
        return None, "the compiled part is of other sources than those beside it; build it again"
    if fault := fault_of(scan):
        return None, f"the compiled part does not work in this Python: {fault}"
    return scan, ""


#: The compiled module, or None; and why it is None.
compiled, why_pure = _load()
