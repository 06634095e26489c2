"""Broken XML in, ordinary ElementTree or lxml trees out, every error listed.

xml5tree implements the XML5 draft ("XML with well-defined error handling"): every document with a start tag has a tree,
and an error log. Start with `fromstring` and `parse`; `records` and `iterparse` read documents of any size, `repair`
and `open` give well-formed markup. All options are in `xml5tree.options.Settings`.
"""

import typing as _typing

from xml5tree import accelerator
from xml5tree.api import XML, edits, fromstring, fromstringlist, fromstrings, known_elements, parse, repair, tokenize
from xml5tree.editing import Edit, apply, invert
from xml5tree.errors import ErrorEntry, ErrorLog, ParseError, RecoveryWarning, RowsWarning
from xml5tree.parser import Repairer, XMLParser
from xml5tree.progress import Progress
from xml5tree.records import Record, arecords, records
from xml5tree.streaming import XMLPullParser, aiterparse, iterparse, iterroots, repair_iter
from xml5tree.streaming import open as open
from xml5tree.tables import read_frame, read_table, record_batches

# Not `open`, which would replace Python's own in a module that imports all names.
__all__ = [
    "XML",
    "Edit",
    "ErrorEntry",
    "ErrorLog",
    "ParseError",
    "Progress",
    "Record",
    "RecoveryWarning",
    "Repairer",
    "RowsWarning",
    "XMLParser",
    "XMLPullParser",
    "accelerated",
    "aiterparse",
    "apply",
    "arecords",
    "edits",
    "fromstring",
    "fromstringlist",
    "fromstrings",
    "invert",
    "iterparse",
    "iterroots",
    "known_elements",
    "parse",
    "read_frame",
    "read_table",
    "record_batches",
    "records",
    "repair",
    "repair_iter",
    "tokenize",
]

#: Whether the compiled scanner runs. It is only faster; ``XML5TREE_PURE=1`` in the environment switches it off.
accelerated: bool = accelerator.compiled is not None

__version__ = "0.1.0"

#: Modules that callers import; those of the implementation are not listed.
_MODULES = frozenset(
    ["ElementTree", "containers", "errors", "lxml", "options", "ranges", "sax", "spark", "tools", "typing"]
)

if _typing.TYPE_CHECKING:
    from xml5tree import ElementTree as ElementTree
    from xml5tree import containers as containers
    from xml5tree import lxml as lxml
    from xml5tree import ranges as ranges
    from xml5tree import sax as sax
    from xml5tree import spark as spark
    from xml5tree import tools as tools
else:

    def __getattr__(name: str) -> object:
        """Import a module of `_MODULES` at its first use."""
        from importlib import import_module

        if name in _MODULES:
            try:
                return import_module(f"xml5tree.{name}")
            except ImportError as error:
                raise AttributeError(f"xml5tree.{name} cannot be imported: {error}") from error
        raise AttributeError(f"module 'xml5tree' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List what callers use."""
    return sorted({name for name in globals() if name in {"open", *__all__} or name.startswith("__")} | _MODULES)
