"""HTML: tokenizers of §12.2.4 and of the draft of January 2008, and html5lib's trees."""

from functools import cache
from typing import TYPE_CHECKING, Unpack

from xml5tree.backends import Backend
from xml5tree.dialects.base import Builder, Dialect, MarkupOptions, Pipeline
from xml5tree.options import Settings
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.dialects.html.pipeline import HtmlPipeline
    from xml5tree.input.stream import InputStream

__all__ = ["DIALECT", "Html"]


class Html(Dialect):
    """The HTML dialect. It imports its stages on demand, and html5lib only for a tree."""

    name = "html"
    is_streamed = False

    def make_stream(self, settings: Settings) -> "InputStream":
        from xml5tree.dialects.html.stream import HtmlInputStream

        return HtmlInputStream(encoding=settings.encoding)

    def make_pipeline(self, settings: Settings, limits: ReaderLimits, **markup: Unpack[MarkupOptions]) -> Pipeline:
        """Raise `ValueError` for options that HTML lacks, and `ImportError` without html5lib."""
        _check(settings)
        return _pipeline_class()(settings, limits)

    def make_builder(self, settings: Settings, backend: Backend) -> Builder | None:
        if backend.library is None:
            return None
        _check(settings)
        return _pipeline_class()(settings, backend.limits, backend.library)


@cache  # an import statement takes 2 µs each time
def _pipeline_class() -> "type[HtmlPipeline]":
    from xml5tree.dialects.html.pipeline import HtmlPipeline

    return HtmlPipeline


def _check(settings: Settings) -> None:
    """Raise `ValueError` for options of `tokenize`."""
    if settings.revision == "2008":
        raise ValueError('revision="2008" is for tokenize; there is no tree construction of that draft')
    if settings.initial_state is not None or settings.last_start_tag is not None:
        option = "last_start_tag" if settings.initial_state is None else "initial_state"
        raise ValueError(f"{option} is for tokenize; for the content of an element there is fragment")
    if not settings.content_models:
        raise ValueError("content_models is for tokenize; tree construction has its own")


DIALECT = Html()
