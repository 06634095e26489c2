"""MicroXML with J. Clark's error recovery: any text gives a tree."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from xml5tree.backends import Backend
from xml5tree.dialects.base import Dialect, MarkupOptions, Pipeline
from xml5tree.errors.codes import Code
from xml5tree.options import Options, Settings
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.errors.entry import ErrorEntry
    from xml5tree.tokens import Token

__all__ = ["DIALECT", "MicroXML"]


class MicroXML(Dialect):
    """See `Dialect`. With ``recovery="strict"``, documents that are not MicroXML are refused (M-060)."""

    name = "microxml"
    has_comments = False
    tells_places = True
    tells_edits = True
    defaults: ClassVar[Options] = {"entities": "xml"}

    @property
    def codes(self) -> Mapping[str, Code]:
        from xml5tree.dialects.microxml.codes import CODES

        return CODES

    def make_pipeline(self, settings: Settings, limits: ReaderLimits, **markup: Unpack[MarkupOptions]) -> Pipeline:
        """See `Dialect`; no XML declaration is written."""
        from xml5tree.dialects.microxml.pipeline import MicroXMLPipeline

        return MicroXMLPipeline(settings, limits, **markup)

    def parse_natively(self, data: bytes | str, settings: Settings, backend: Backend) -> Any:
        from xml5tree.dialects.microxml.native import parse_natively

        return parse_natively(data, settings, backend)

    def tokenize(
        self, parts: Iterable[bytes | str], settings: Settings, *, with_errors: bool = False
    ) -> "Iterator[Token | ErrorEntry]":
        """See `Dialect`; start tags, empty tags, end tags and characters of `xml5tree.tokens` (M-078)."""
        from xml5tree.dialects.microxml.recorder import tokenize

        return tokenize(parts, settings, with_errors=with_errors)


DIALECT = MicroXML()
