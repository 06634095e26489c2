"""How a module stands in for another one."""

from types import ModuleType
from typing import Any

__all__ = ["complete"]


def complete(namespace: dict[str, Any], original: ModuleType) -> None:
    """Give a module's namespace what it does not define itself: the names of the original, and the same objects.

    That includes names with underscores: users of lxml ask ``isinstance(x, etree._Element)``.
    """
    for name, value in vars(original).items():
        namespace.setdefault(name, value)
