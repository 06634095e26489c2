"""What a fork of a process with several threads needs, so that the child can go on."""

import os
import sys
from _thread import get_ident
from contextlib import suppress
from importlib import _bootstrap, import_module
from typing import Final

#: Packages whose modules functions of xml5tree import, and which do nothing for long when they are imported.
_PACKAGES: Final = {"xml5tree", "lxml", "html5lib", *sys.stdlib_module_names}

_forks = 0


def number_of_forks() -> int:
    """Return how many forks there were since this package was imported, up to that which has made this process."""
    return _forks


def _finish_imports() -> None:
    """Wait for imports by other threads, such as those for the first document.

    The child would have the locks of these imports, but not the threads, so that it could never import the modules.
    """
    locks: dict[str, object] = getattr(_bootstrap, "_module_locks", {})
    seen: set[str] = set()  # this thread may itself be importing some
    while names := [name for name in [*locks] if name not in seen and name.partition(".")[0] in _PACKAGES]:
        for name in names:
            seen.add(name)
            with suppress(Exception):  # it is raised in the thread that wants the module
                import_module(name)


def _after_in_child() -> None:
    """Count the fork, and forget imports that other threads have begun since `_finish_imports`: they never end here."""
    global _forks
    _forks += 1
    locks = getattr(_bootstrap, "_module_locks", {})
    for name, reference in [*locks.items()]:
        lock = reference()
        if name.partition(".")[0] in _PACKAGES and getattr(lock, "owner", None) not in {None, get_ident()}:
            del locks[name]
            if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
                del sys.modules[name]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish_imports, after_in_child=_after_in_child)
