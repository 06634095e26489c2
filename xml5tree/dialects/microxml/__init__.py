"""MicroXML with J. Clark's error recovery: any text gives a tree."""

from typing import Any, ClassVar

from xml5tree.backends import Backend
from xml5tree.dialects.base import Dialect
from xml5tree.options import Options, Settings

__all__ = ["DIALECT", "MicroXML"]


class MicroXML(Dialect):
    """See `Dialect`. With ``recovery="strict"``, documents that are not MicroXML are refused (M-060)."""

    name = "microxml"
    has_comments = False
    tells_places = True
    tells_edits = True
    defaults: ClassVar[Options] = {"entities": "xml"}

    def parse_natively(self, data: bytes | str, settings: Settings, backend: Backend) -> tuple[Any, bool]:
        return self.stage("native").parse_natively(data, settings, backend), False


DIALECT = MicroXML()
