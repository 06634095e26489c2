"""The fast path: certainly clean content skips the states.

Clean content is written as it stands, or has errors that the draft decides from one token, or by the open elements and
the prefixes in scope, and is written repaired. The states alone define behaviour; at the least doubt nothing is taken.
Tests hold the two ways equal.

It works on UTF-8, as the native parsers do. `xml5tree.fastpath.contract` says what a scan promises;
`xml5tree.fastpath.apply` calls it and reports to tree construction.
"""

from typing import Final

from xml5tree.accelerator import compiled
from xml5tree.fastpath.apply import FastPath
from xml5tree.fastpath.contract import Scanner
from xml5tree.fastpath.scan import PURE

__all__ = ["COMPILED", "FastPath", "is_enabled", "scanner"]

#: The compiled scan, where there is one. It starts in the time that the states need for a short tag, so it is always
#: worth asking.
COMPILED: Final = (
    None
    if compiled is None
    else Scanner("compiled", compiled.scan, min_bytes=16, cooldown=0, takes_errors=True, takes_root=True)
)

#: Finds clean runs; None: the states read everything. Tests change it.
scanner: Scanner | None = COMPILED or PURE


def is_enabled() -> bool:
    return scanner is not None
