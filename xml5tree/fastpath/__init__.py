"""The fast path: the compiled scan reads runs of content instead of the states.

A run is written as it stands, or has errors that the draft decides from one token, or by the open elements and the
prefixes in scope, and is written repaired. The states alone define behaviour; at the least doubt nothing is taken.
Tests hold the two ways equal.

It works on UTF-8, as the native parsers do. `xml5tree.fastpath.contract` says what a scan promises;
`xml5tree.fastpath.apply` calls it and reports to tree construction.
"""

from xml5tree.accelerator import compiled
from xml5tree.fastpath.apply import FastPath
from xml5tree.fastpath.contract import Scan

__all__ = ["FastPath", "codes", "scan"]

#: Finds runs; None: the states read everything, as nothing is compiled. Tests change it.
scan: Scan | None = None if compiled is None else compiled.scan

#: The codes of errors of runs; None for what the library decides.
codes: list[str | None] = [] if compiled is None else compiled.run_codes()
