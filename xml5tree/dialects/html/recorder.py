"""Records tokens as objects, for `xml5tree.tokenize`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from xml5tree.dialects.base import recorded
from xml5tree.dialects.html.codes import CODES
from xml5tree.dialects.html.content_models import MODELS, ContentModels, Models
from xml5tree.dialects.html.draft2008 import CONTENT_MODELS, DRAFT_MODELS, DraftTokenizer
from xml5tree.dialects.html.machine import Tokenizer, TokenSink
from xml5tree.dialects.html.states import data_state
from xml5tree.dialects.html.stream import HtmlInputStream
from xml5tree.dialects.html.text_states import STATES
from xml5tree.dialects.html.tokens import Characters, Comment, Doctype, EndTag, StartTag, Token
from xml5tree.errors.entry import ErrorEntry
from xml5tree.errors.reporter import Reporter
from xml5tree.machine.recorder import TokenRecorder
from xml5tree.options import Settings

_Value = TypeVar("_Value")


class Recorder(TokenRecorder[Token]):
    """Collects the tokens; start tags have no content models."""

    text_token = Characters

    def start_tag(self, name: str, attributes: dict[str, str], self_closing: bool, offset: int) -> str | None:
        self._add(StartTag(name, attributes, self_closing))
        return None

    def end_tag(self, name: str, offset: int) -> None:
        self._add(EndTag(name))

    def comment(self, data: str, offset: int) -> None:
        self._add(Comment(data))

    def doctype(self, doctype: Doctype, offset: int) -> None:
        self._add(doctype)

    def current_node_is_foreign(self) -> bool:
        return False


def tokenize(parts: Iterable[bytes | str], settings: Settings, *, with_errors: bool) -> Iterator[Token | ErrorEntry]:
    recorder = Recorder()
    reporter = settings.make_reporter(CODES, on_error=recorder.note_error if with_errors else None)
    stream = HtmlInputStream(encoding=settings.encoding, draft=settings.revision == "2008")
    tokenizer = make_tokenizer(recorder, reporter, settings)
    return recorded(parts, stream, tokenizer, recorder, reporter)


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
    state = _look_up(settings.initial_state or "data", STATES)
    return Tokenizer(sink, reporter, data_state, STATES, initial_state=state, last_start_tag=last_start_tag)


def _look_up(name: str, values: Mapping[str, _Value]) -> _Value:
    """Return the value of a name, ignoring case and " state" (H-005)."""
    value = values.get(name.lower().removesuffix(" state"))
    if value is None:
        raise ValueError(f"there is no initial state {name!r}; there are {', '.join(values)}")
    return value
