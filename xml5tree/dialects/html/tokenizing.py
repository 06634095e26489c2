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


def make_tokenizer(
    sink: TokenSink,
    reporter: Reporter,
    *,
    revision: str = "12.2.4",
    initial_state: str | None = None,
    last_start_tag: str | None = None,
    scripting: bool = False,
    content_models: bool = True,
) -> Tokenizer:
    """Return a tokenizer without tree construction; raise `ValueError` for an unknown revision or state.

    Args:
        sink: takes the tokens.
        reporter: takes the errors.
        revision: ``"12.2.4"`` or ``"2008"``.
        initial_state: the state to start in, such as ``"RCDATA state"``, or for 2008 the content model, ``"RCDATA"``;
            case does not matter. Then start tags have no content models.
        last_start_tag: the last start tag before the text; the states for text look for its end tag.
        scripting: whether the content of ``noscript`` is text.
        content_models: whether start tags such as ``<title>`` and ``<script>`` have content models.
    """
    if content_models and initial_state is None:
        models = DRAFT_MODELS if revision == "2008" else Models(MODELS, foreign=True)
        sink = ContentModels(sink, models, scripting=scripting)
    if revision == "2008":
        model = _look_up(initial_state or "PCDATA", dict(zip(CONTENT_MODELS, CONTENT_MODELS, strict=True)))
        return DraftTokenizer(sink, reporter, content_model=model, last_start_tag=last_start_tag)
    if revision != "12.2.4":
        raise ValueError(f'revision must be "12.2.4" or "2008", not {revision!r}')
    state = _look_up(initial_state or "data", _STATES)
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
