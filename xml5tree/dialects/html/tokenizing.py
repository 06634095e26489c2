"""Makes the tokenizers of both revisions."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from xml5tree.dialects.html.content_models import MODELS, ContentModels, Models
from xml5tree.dialects.html.draft2008 import CONTENT_MODELS, DRAFT_MODELS, DraftTokenizer
from xml5tree.dialects.html.machine import State, Tokenizer, TokenSink
from xml5tree.dialects.html.states import cdata_section_state, data_state
from xml5tree.dialects.html.text_states import TEXT_STATES
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings

if TYPE_CHECKING:
    from xml5tree.dialects.html.tree import TreeSink

__all__ = ["make_tokenizer", "make_tree_tokenizer"]

_Value = TypeVar("_Value")

#: The initial states, by the names of their sections; states for text by their content models.
_STATES: Final[Mapping[str, State]] = {
    "data": data_state,
    **{title.lower(): TEXT_STATES[title] for title in ("RCDATA", "RAWTEXT", "Script data", "PLAINTEXT")},
    "cdata section": cdata_section_state,
}


def make_tokenizer(sink: TokenSink, reporter: Reporter, settings: Settings) -> Tokenizer:
    """Return a tokenizer without tree construction; raise `ValueError` for an unknown state.

    In an initial state of the caller's, start tags have no content models.
    """
    is_draft = settings.revision == "2008"
    if settings.content_models and settings.initial_state is None:
        models = DRAFT_MODELS if is_draft else Models(MODELS, foreign=True)
        sink = ContentModels(sink, models, scripting=settings.scripting)
    last_start_tag = settings.last_start_tag
    if is_draft:
        model = _look_up(settings.initial_state or "PCDATA", {name: name for name in CONTENT_MODELS})
        return DraftTokenizer(sink, reporter, content_model=model, last_start_tag=last_start_tag)
    state = _look_up(settings.initial_state or "data", _STATES)
    return Tokenizer(sink, reporter, data_state, _STATES, initial_state=state, last_start_tag=last_start_tag)


def make_tree_tokenizer(sink: "TreeSink", reporter: Reporter) -> Tokenizer:
    """Return a tokenizer whose states tree construction switches."""
    state = _STATES[sink.first_model or "data"]
    tokenizer = Tokenizer(sink, reporter, data_state, _STATES, initial_state=state)
    sink.place = partial(tokenizer.place, 1)
    return tokenizer


def _look_up(name: str, values: Mapping[str, _Value]) -> _Value:
    """Return the value of a name, ignoring case and " state" (H-005)."""
    value = values.get(name.lower().removesuffix(" state"))
    if value is None:
        raise ValueError(f"there is no initial state {name!r}; there are {', '.join(values)}")
    return value
