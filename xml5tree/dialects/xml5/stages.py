"""Makes the stages before the tokenizer by the options.

Modules that few documents need are imported late.
"""

from typing import TYPE_CHECKING

from xml5tree.input.stream import InputStream
from xml5tree.options import Settings

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.editing import EditedSource


def make_source(settings: Settings, *, notes_places: bool = False) -> "EditedSource | None":
    """Make the stage that edits the source of one document; None: it is read as it is."""
    if settings.recovery != "intent":
        return None
    from xml5tree.dialects.xml5.editing import EditedSource

    return EditedSource(settings, notes_places=notes_places)


def make_stream(settings: Settings) -> InputStream:
    find_late = None
    if settings.root_element is not None or settings.recovery == "intent":
        from xml5tree.dialects.xml5.late_declaration import make_finder

        find_late = make_finder(settings)
    return InputStream(
        encoding=settings.encoding,
        find_late=find_late,
        keeps_null=settings.keeps_control_characters,
        finds_padding=settings.recovery == "intent",
    )
