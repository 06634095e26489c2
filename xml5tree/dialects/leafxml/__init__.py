"""LeafXML: a strict, safe subset of XML. A document gives its tree, or exactly one error."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xml5tree.backends import Backend
from xml5tree.dialects.base import Dialect, Pipeline
from xml5tree.errors.codes import Code
from xml5tree.options import Settings
from xml5tree.xml.limits import Limits

if TYPE_CHECKING:
    from xml5tree.output.edits import Edits
    from xml5tree.output.places import Places

__all__ = ["DIALECT", "LeafXML"]


class LeafXML(Dialect):
    """See `Dialect`. The stages are imported when they are needed."""

    name = "leafxml"
    has_comments = False
    tells_places = True

    @property
    def codes(self) -> Mapping[str, Code]:
        """See `Dialect`."""
        from xml5tree.dialects.leafxml.codes import CODES

        return CODES

    def refuses(self, code: str) -> bool:
        """See `Dialect`. All that is an error refuses the document; what a backend cannot hold is none (L-001)."""
        return self.codes[code].kind != "coerced"

    def adjusted(self, settings: Settings) -> Settings:
        """See `Dialect`. The pipeline refuses faults by itself, and no prefix is known but its own (L-005)."""
        return settings._replace(recovery="draft", namespaces={})

    def make_pipeline(
        self,
        settings: Settings,
        limits: Limits,
        *,
        output_encoding: str | None = None,
        for_tree: bool = True,
        edits: "Edits | None" = None,
        keeps: bool = False,
    ) -> Pipeline:
        """See `Dialect`. No XML declaration is written, since there is none in the tree."""
        from xml5tree.dialects.leafxml.pipeline import LeafXMLPipeline

        return LeafXMLPipeline(settings, limits)

    def make_placed_pipeline(self, settings: Settings, limits: Limits, places: "Places") -> Pipeline:
        """See `Dialect`."""
        from xml5tree.dialects.leafxml.pipeline import LeafXMLPipeline

        return LeafXMLPipeline(settings, limits, places)

    def parse_natively(self, data: bytes | str, settings: Settings, backend: Backend) -> Any:
        """See `Dialect`."""
        from xml5tree.dialects.leafxml.native import parse_natively

        return parse_natively(data, settings, backend)

    def tokenize(self, parts: Iterable[bytes | str], settings: Settings, *, with_errors: bool = False) -> Iterator[Any]:
        """See `Dialect`."""
        from xml5tree.dialects.leafxml.recorder import tokenize

        return tokenize(parts, settings, with_errors=with_errors)


DIALECT = LeafXML()
