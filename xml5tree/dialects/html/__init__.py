"""HTML: tokenizers of §12.2.4 and of the draft of January 2008, and html5lib's trees."""

from typing import TYPE_CHECKING

from xml5tree.backends import Backend
from xml5tree.dialects.base import Builder, Dialect
from xml5tree.options import Settings

if TYPE_CHECKING:
    from xml5tree.input.stream import InputStream


class Html(Dialect):
    """The HTML dialect. It imports its stages on demand, and html5lib only for a tree."""

    name = "html"
    is_streamed = False

    def make_stream(self, settings: Settings) -> "InputStream":
        from xml5tree.dialects.html.stream import HtmlInputStream

        return HtmlInputStream(encoding=settings.encoding)

    def make_builder(self, settings: Settings, backend: Backend) -> Builder | None:
        if backend.library is None:
            return None
        builder: Builder = self.stage("pipeline").Stages(settings, backend.limits, backend.library)
        return builder


DIALECT = Html()
