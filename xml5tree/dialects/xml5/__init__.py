"""The XML5 draft: its tokenizer (§1.3) and tree construction (§1.4)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xml5tree.backends.native_first import Look, begins_with, is_certainly_refused, judge, may_try
from xml5tree.dialects.base import Dialect
from xml5tree.errors.codes import CODES, Code
from xml5tree.options import Settings
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.input.stream import InputStream


class XML5(Dialect):
    """See `Dialect`. The stages are imported late: a well-formed document needs none."""

    name = "xml5"
    is_natively_strict = True
    tells_places = True
    tells_texts = True
    tells_edits = True

    @property
    def codes(self) -> Mapping[str, Code]:
        return CODES

    def make_stream(self, settings: Settings) -> "InputStream":
        from xml5tree.dialects.xml5.pipeline import make_stream

        return make_stream(settings)

    def first_look(self, data: bytes | str, settings: Settings, limits: ReaderLimits) -> bool | None:
        """See `Dialect`: what a native parser accepts, but for what it would lose or misread (D-001)."""
        if not _is_read_as_xml(data, settings):
            return None
        is_refused = is_certainly_refused(data, settings, limits)
        if is_refused is not False:
            return None if is_refused is None else False
        return may_try(data, settings, limits) or None

    def assumes(self, settings: Settings) -> bool:
        return settings.recovery == "intent"

    def judge(
        self, data: bytes | str, settings: Settings, limits: ReaderLimits, look: Look | None = None
    ) -> bool | None:
        """See `Dialect`; what an option makes of a document decides whether it has errors."""
        return judge(data, settings, limits, look) if _is_read_as_xml(data, settings) else None


def _is_read_as_xml(data: bytes | str, settings: Settings) -> bool:
    """Return whether no option makes a document mean anything else than to an XML parser."""
    if settings.elements is not None or settings.roots != "first":
        return False
    return settings.root_element is None or begins_with(data, settings.root_names)


DIALECT = XML5()
