"""The states of January 2008, in order (H-070 to H-103).

The surviving text has four states and parts of others; H-080 to H-098 define the rest. Instead of a state for each
kind of text, the draft has a content model flag and an escape flag, which its data state checks. The states within
tags, of comments, of the DOCTYPE and of character references, here called entities, are those of `states` and
`doctype`, with branches for this revision: U+0000 does not reach them, and no "!" ends a comment. A DOCTYPE whose
correctness flag is incorrect has the force-quirks flag.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from xml5tree.dialects.html.content_models import MODELS, Models
from xml5tree.dialects.html.machine import LETTERS, SPACE, State, Tokenizer, TokenSink, ascii_lower
from xml5tree.dialects.html.states import (
    character_reference_in_data_state,
    markup_declaration_open_state,
    open_no_end_tag,
    open_no_tag,
    tag_name_state,
)
from xml5tree.errors.codes import KEPT
from xml5tree.errors.reporter import Reporter
from xml5tree.machine.input import EOF

PCDATA: Final = "pcdata"
RCDATA: Final = "rcdata"
CDATA: Final = "cdata"
PLAINTEXT: Final = "plaintext"

#: The values of the content model flag.
CONTENT_MODELS: Final = (PCDATA, RCDATA, CDATA, PLAINTEXT)

#: The content models of start tags (H-096).
DRAFT_MODELS: Final = Models(
    {name: {"rawtext": CDATA, "script data": CDATA}.get(model, model) for name, model in MODELS.items()}, foreign=False
)

#: Characters that stop the data state, by the content model flag and the escape flag.
_DATA_STOPS: Final[Mapping[tuple[str, bool], re.Pattern[str]]] = {
    (PCDATA, False): re.compile("[&<]"),
    (RCDATA, False): re.compile("[-&<]"),
    (RCDATA, True): re.compile("[&>]"),
    (CDATA, False): re.compile("[-<]"),
    (CDATA, True): re.compile("[>]"),
    (PLAINTEXT, False): re.compile("(?!)"),
}


@cache
def _entities() -> Mapping[str, str]:
    """Return the entities table, which is lost (H-094)."""
    from html.entities import html5, name2codepoint

    names = {f"{name};" for name in (*name2codepoint, *["AMP", "COPY", "GT", "LT", "QUOT", "REG", "TRADE", "apos"])}
    names.update(name for name in html5 if not name.endswith(";"))
    return {name: html5[name] for name in names} | {"lang;": "\u3008", "rang;": "\u3009"}


class DraftTokenizer(Tokenizer):
    """The machine of the draft, with content model flag and escape flag; tags are emitted at EOF."""

    is_draft = True
    space = SPACE | {"\v"}

    def __init__(
        self, sink: TokenSink, reporter: Reporter, *, content_model: str = PCDATA, last_start_tag: str | None = None
    ) -> None:
        """Connect the tokenizer, as `Tokenizer`, and set the content model to start in."""
        super().__init__(sink, reporter, data_state, {}, last_start_tag=last_start_tag)
        self.content_model = content_model
        self.escaped = False
        self.references = _entities()
        self._history = ""  # the last three characters before the text

    def _load(self, skip: int) -> None:
        self._history = self.preceding(3, self._position)  # may still be asked for
        super()._load(skip)

    def preceding(self, count: int, position: int | None = None) -> str:
        """Return up to `count` (at most 3) input characters before the current one, or before an index."""
        end = self._position - 1 if position is None else position
        text = self._text[max(0, end - count) : end]
        return text if len(text) == count else (self._history + text)[-count:]

    def _state_after(self, model: str | None) -> State:
        self.content_model = PCDATA if model is None else model
        return self.data_state


def data_state(t: Tokenizer) -> State | None:
    """Data state."""
    assert isinstance(t, DraftTokenizer)
    c = t.emit_until(_DATA_STOPS[t.content_model, t.escaped])
    if c == "&":
        return character_reference_in_data_state
    if c == "<":
        t.begin_token()
        return tag_open_state
    if c == "-":
        t.escaped = t.preceding(3) == "<!-"
        t.emit_characters(c)
        return data_state
    if c == ">":
        t.escaped = t.preceding(2) != "--"
        t.emit_characters(c)
        return data_state
    if c == EOF:
        t.emit_end_of_file()
    return None


def tag_open_state(t: Tokenizer) -> State | None:
    """Tag open state."""
    assert isinstance(t, DraftTokenizer)
    c = t.consume()
    if c == "/":
        return close_tag_open_state
    if t.content_model != PCDATA:
        t.reconsume()
        t.emit_characters("<")
        return data_state
    if c == "!":
        return markup_declaration_open_state
    if c in LETTERS:
        t.create_tag(c, is_end=False)
        return tag_name_state
    if c == ">":
        t.error("invalid-first-character-of-tag-name", "<", effect=KEPT)
        t.emit_characters("<>")
        return data_state
    return open_no_tag(t, c)


def close_tag_open_state(t: Tokenizer) -> State | None:
    """Close tag open state."""
    assert isinstance(t, DraftTokenizer)
    if t.content_model != PCDATA:
        is_end_tag = _is_end_tag_ahead(t, t.last_start_tag)
        if is_end_tag is None:
            return None
        if not is_end_tag:
            t.emit_characters("</")
            return data_state
    c = t.consume()
    if c in LETTERS:
        t.create_tag(c, is_end=True)
        return tag_name_state
    return open_no_end_tag(t, c)


def _is_end_tag_ahead(t: Tokenizer, name: str | None) -> bool | None:
    """Return whether an end tag of that name is next in the input; None: wait for more (H-098)."""
    if name is None:
        return False
    ahead = t.peek(len(name) + 1)
    if t.may_grow and len(ahead) <= len(name) and name.startswith(ascii_lower(ahead)):
        t.wait()
        return None
    following = ahead[len(name) :]
    return ascii_lower(ahead[: len(name)]) == name and (following in t.space or following in {">", "/", EOF})
