"""LeafXML: a strict subset of XML. A document gives its tree or one error."""

from xml5tree.dialects.base import Dialect
from xml5tree.options import Settings


class LeafXML(Dialect):
    """The LeafXML dialect. It imports its stages on demand."""

    name = "leafxml"
    has_native_stage = True
    has_comments = False
    tells_places = True

    def refuses(self, code: str) -> bool:
        """Return True but for coercions: any error refuses the document (L-001)."""
        return self.codes[code].kind != "coerced"

    def adjusted(self, settings: Settings) -> Settings:
        """Return the options without recovery and well-known prefixes: the pipeline refuses faults (L-005)."""
        return settings._replace(recovery="draft", namespaces={})


DIALECT = LeafXML()
