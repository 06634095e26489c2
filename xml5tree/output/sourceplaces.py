"""Notes the places of elements in the source of edited text."""

from collections.abc import Callable

from xml5tree.input.sourcemap import SourceMap
from xml5tree.output.places import ImpliedEnd, PlacedMarkup, Places, Tokenizer

__all__ = ["SourcePlacedMarkup"]


class SourcePlacedMarkup(PlacedMarkup):
    """See `PlacedMarkup`; no run goes past an edit, so that its places are as far apart as in the source."""

    __slots__ = ("_map",)

    def __init__(
        self,
        source_line: Callable[[], int],
        places: Places,
        tokenizer: Callable[[], Tokenizer],
        locate: Callable[[int], tuple[int, int]],
        source_map: SourceMap,
    ) -> None:
        super().__init__(source_line, places, tokenizer, locate)
        self._map = source_map

    def _source_of(self, offset: int) -> int:
        return self._map.source(offset)

    def _note_end(self, closed_at: int | None = None) -> None:
        """Note the end of an element; an end tag that is only in an edit is where the edit begins."""
        tokenizer = self._tokenizer()
        begin, stop = tokenizer.token_offset, tokenizer.place()
        is_assumed = closed_at is None and self._map.is_assumed(begin, max(begin + 1, stop))
        if is_assumed:
            closed_at = begin
        end = self._map.source(begin) + 1
        if not is_assumed:
            end = max(end, self._map.source_end(stop))
        if closed_at is not None:
            token = self._map.source(closed_at)
            end = ImpliedEnd(end, token, self._locate(closed_at), is_assumed=is_assumed)
        self._places.note_end(end)
