"""LeafXML: a strict subset of XML. A document gives its tree or one error."""

from typing import Any, Unpack

from xml5tree.backends import Backend
from xml5tree.dialects.base import Dialect, MarkupOptions, Pipeline
from xml5tree.options import Settings
from xml5tree.xml.limits import ReaderLimits

__all__ = ["DIALECT", "LeafXML"]


class LeafXML(Dialect):
    """The LeafXML dialect. It imports its stages on demand."""

    name = "leafxml"
    has_comments = False
    tells_places = True

    def refuses(self, code: str) -> bool:
        """Return True but for coercions: any error refuses the document (L-001)."""
        return self.codes[code].kind != "coerced"

    def adjusted(self, settings: Settings) -> Settings:
        """Return the options without recovery and well-known prefixes: the pipeline refuses faults (L-005)."""
        return settings._replace(recovery="draft", namespaces={})

    def make_pipeline(self, settings: Settings, limits: ReaderLimits, **markup: Unpack[MarkupOptions]) -> Pipeline:
        """Connect the stages; no XML declaration is written, since the tree has none."""
        from xml5tree.dialects.leafxml.pipeline import LeafXMLPipeline

        return LeafXMLPipeline(settings, limits, markup.get("places"))

    def parse_natively(self, data: bytes | str, settings: Settings, backend: Backend) -> tuple[Any, bool]:
        return self.stage("native").parse_natively(data, settings, backend), False


DIALECT = LeafXML()
