"""States that ask the policy, then do as the draft says."""

import re
from typing import Final, cast

import xml5tree.dialects.xml5.states as states
from xml5tree.dialects.xml5.intent.constants import FAR_WINDOW, WINDOW
from xml5tree.dialects.xml5.intent.junk import pass_junk
from xml5tree.dialects.xml5.intent.repairs import Rewrite
from xml5tree.dialects.xml5.intent.sections import (
    LONGEST_MISSPELT,
    MAY_BE_MISSPELT,
    SECTIONS,
    Sought,
    read_misspelt_section,
    read_section,
)
from xml5tree.dialects.xml5.intent.tags import CLEAN_TAG, TagSource, read_end_tag, read_start_tag
from xml5tree.dialects.xml5.intent.tokenizer import IntentTokenizer
from xml5tree.dialects.xml5.lexis import SPACES
from xml5tree.dialects.xml5.tokenizer import State, Tokenizer

__all__ = ["REPLACED"]

_GREATER_THAN: Final = re.compile(">")
_LESS_THAN: Final = re.compile("<")
_BY_OPENING: Final = {section.opening: section for section in SECTIONS}
_OPENING: Final = re.compile("|".join(map(re.escape, _BY_OPENING)))


def data_state(tokenizer: Tokenizer) -> State | None:
    """§1.3.1 Data state, once the tag before it, and a text that begins at this place, have been placed."""
    t = cast(IntentTokenizer, tokenizer)
    if not t.settle():
        return None
    if t.doubts_text():
        text, position = t.text_and_position
        found = SPACES.match(text, position)
        assert found is not None  # it matches the empty string
        if found.end() > position:  # white space needs no place: the text after it does
            t.skip(found.end() - position)
            t.emit_characters(found[0])
            return data_state
        if position < len(text) and not t.place_text():
            return None
    if t.pass_run() and t.doubts_text():
        return data_state  # another text may begin here
    return states.data_state(t)


def tag_state(tokenizer: Tokenizer) -> State | None:
    """§1.3.3 Tag state, after a check whether the tag is broken, or may be text."""
    t = cast(IntentTokenizer, tokenizer)
    text, position = t.text_and_position
    first = text[position : position + 1]
    if first in {"!", "?"}:
        return _section(t, text, position) if t.may_depart and not t.has_pieces else states.tag_state(t)
    is_clean = _is_clean(text, position)
    if (is_clean and t.is_past_junk) or not t.may_depart or t.has_pieces:
        return states.tag_state(t)
    if not t.is_past_junk:
        is_junk = pass_junk(t)
        if is_junk is None:
            return None
        if is_junk:
            return states.data_state
        if is_clean:
            return states.tag_state(t)
    if not t.has_ahead(WINDOW):
        # With a ">", perhaps in a value, any input may complete a clean tag; without, only a ">" can.
        t.wait(None if ">" in text[position:] else _GREATER_THAN, enough=WINDOW)
        return None
    reach = WINDOW if first == "/" else _reach(text, position)
    if not t.has_ahead(reach):
        t.wait(_LESS_THAN if reach == FAR_WINDOW else None, enough=reach)
        return None
    if not t.policy.has_budget(t.place()):
        return states.tag_state(t)
    source = TagSource(text, position, reach, t.place(), t.is_final, t.policy)
    return _read(t, read_end_tag(source) if first == "/" else read_start_tag(source))


def _is_clean(text: str, position: int) -> bool:
    """Return whether a tag without errors, no longer than the window, is after the "<" at a position."""
    end = position + WINDOW
    # `find` first: in a long value that has no end yet, it is a hundred times as fast as the pattern.
    return text.find(">", position, end) >= 0 and CLEAN_TAG.match(text, position, end) is not None


def _reach(text: str, position: int) -> int:
    """Return how far a start tag is read ahead: to the end of a window, or of half a window from the next "<" on.

    The farther of the two counts. Tags after that "<" may show where a value of this tag ends (R-016). Return
    `FAR_WINDOW` if no "<" is found. No two tags read the same long text ahead, so this takes linear time.
    """
    following = text.find("<", position, position + FAR_WINDOW - WINDOW // 2)
    return max(WINDOW, following - position + WINDOW // 2) if following >= 0 else FAR_WINDOW


def _section(t: IntentTokenizer, text: str, position: int) -> State | None:
    """Choose the state for markup that begins with ``<!`` or ``<?`` (R-020)."""
    found = _OPENING.match(text, position)
    if found is None:
        return _misspelt_section(t, text, position)
    if t.may_grow and found.end() == len(text):
        t.wait()  # the character after "<?" tells whether it may be text
        return None
    section = _BY_OPENING[found[0]]
    if not t.policy.is_on(section.rule):
        return states.tag_state(t)
    has_budget = t.policy.has_budget(t.place())
    known_tag = None if t.known is None else t.known.tag
    rewrite = read_section(
        section, text, position, t.policy, final=t.is_final, has_budget=has_budget, known_tag=known_tag
    )
    if isinstance(rewrite, Sought):
        t.wait(rewrite, enough=rewrite.reach)
        return None
    return _read(t, rewrite)


def _misspelt_section(t: IntentTokenizer, text: str, position: int) -> State | None:
    """Choose the state for markup that begins with ``<!`` and is no section as it stands (R-043)."""
    if not MAY_BE_MISSPELT.match(text, position):
        return states.tag_state(t)
    if not t.has_ahead(LONGEST_MISSPELT):
        t.wait(enough=LONGEST_MISSPELT)
        return None
    rewrite = read_misspelt_section(text, position, t.policy, final=t.is_final)
    if isinstance(rewrite, Sought):
        t.wait(rewrite, enough=rewrite.reach)
        return None
    return _read(t, rewrite)


def _read(t: IntentTokenizer, rewrite: Rewrite | None) -> State | None:
    """Continue with the rewrite instead of the markup."""
    if rewrite is None:
        return states.tag_state(t)
    if not rewrite.pieces and not rewrite.is_text:
        [assumption] = rewrite.assumptions
        t.drop(assumption.code, assumption.sentence, rewrite.resume)
        return states.data_state
    t.assume(rewrite)
    if rewrite.is_text:
        t.emit_characters("<")
        return states.data_state
    t.read_instead(rewrite.pieces, rewrite.resume)
    return states.tag_state(t)


#: The states of the draft, and those that stand in for them.
REPLACED: Final[dict[State, State]] = {states.data_state: data_state, states.tag_state: tag_state}
