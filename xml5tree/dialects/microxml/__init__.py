"""MicroXML with J. Clark's error recovery: any text gives a tree."""

from typing import ClassVar

from xml5tree.dialects.base import Dialect
from xml5tree.options import Options


class MicroXML(Dialect):
    """See `Dialect`. With ``recovery="strict"``, documents that are not MicroXML are refused (M-060)."""

    name = "microxml"
    has_native_stage = True
    has_comments = False
    tells_places = True
    tells_edits = True
    defaults: ClassVar[Options] = {"entities": "xml"}


DIALECT = MicroXML()
