"""Completes a drop-in with the original's names."""

from types import ModuleType
from typing import Any

__all__ = ["complete"]


def complete(namespace: dict[str, Any], original: ModuleType) -> None:
    """Re-export every name that a module lacks, also private ones: users of lxml write ``etree._Element``."""
    for name, value in vars(original).items():
        namespace.setdefault(name, value)
