"""The draft's tokenizer, which asks the policy."""

from collections.abc import Callable
from html.entities import html5
from typing import Any, Final, NamedTuple

from xml5tree.dialects.xml5.intent.constants import FAR_WINDOW, USUAL_REACH, WINDOW
from xml5tree.dialects.xml5.intent.policy import Choice, FarLook, Intent
from xml5tree.dialects.xml5.intent.repairs import UNFINISHED_TAG, Assumption, Rewrite
from xml5tree.dialects.xml5.intent.situation import NO_PLACING, PlacedTag
from xml5tree.dialects.xml5.intent.tree import IntentTreeBuilder
from xml5tree.dialects.xml5.intent.window import Window
from xml5tree.dialects.xml5.lexis import WHITE_SPACE
from xml5tree.dialects.xml5.sink import TreeConstruction
from xml5tree.dialects.xml5.tokenizer import KnownTags, State, Tokenizer, is_clean_tag
from xml5tree.errors.codes import LOST, Effect
from xml5tree.errors.reporter import Reporter
from xml5tree.fastpath.apply import FastPath
from xml5tree.options import Settings
from xml5tree.tree.endtags import has_swallowed
from xml5tree.xml.references import NAME_END, REFERENCE, Reference

__all__ = ["IntentTokenizer", "unended_names"]

#: The usual scan stops after `USUAL_REACH` bytes, but not inside a character, which may have four bytes. So a run that
#: ends where the scan stopped has at least this many characters.
_LEAST_CUT_RUN: Final = USUAL_REACH // 4 - 1
#: Before these in a text, the states read on.
_ENDS_OF_TEXT: Final = frozenset({"<", "&", "]", ""})

#: Names that need a semicolon in HTML, but hardly stand after an ampersand unless a reference is meant (R-031). Length
#: does not tell which: programs have `&image`, `&target`, `&alpha`, `&trade` and `&bull` before white space.
_TYPOGRAPHIC: Final = (
    *("ldquo", "rdquo", "bdquo", "lsquo", "rsquo", "sbquo", "lsaquo", "rsaquo"),
    *("ndash", "mdash", "hellip", "larr", "rarr"),
)
#: References that are read without a semicolon, with their characters (R-031): those that need none in HTML, and those
#: above; and those that XML has, too.
_UNENDED: Final = {name: characters for name, characters in html5.items() if not name.endswith(";")} | {
    name: html5[f"{name};"] for name in _TYPOGRAPHIC
}
_UNENDED_OF_XML: Final = {name: _UNENDED[name] for name in ("amp", "lt", "gt", "quot")}


#: The names in UTF-8, as keys.
_UNENDED_NAMES: Final = dict.fromkeys(name.encode() for name in _UNENDED)
_UNENDED_NAMES_OF_XML: Final = dict.fromkeys(name.encode() for name in _UNENDED_OF_XML)


def unended_names(settings: Settings) -> dict[bytes, None]:
    """Return the names of references that are read without a semicolon, in UTF-8 (R-031)."""
    return _UNENDED_NAMES if settings.entities == "html" else _UNENDED_NAMES_OF_XML


class _Pending(NamedTuple):
    """A tag that waits for the text that follows it."""

    tag: PlacedTag | None  # None: it is an end tag
    name: str  # "" for a short end tag
    offset: int
    verbatim: str | None  # its source if unchanged


class IntentTokenizer(Tokenizer):
    """The tokenizer of the draft, with a policy.

    Tags go to tree construction once the policy has placed them. Broken markup is read by the states in the pieces
    given to `read_instead`; the text around waits meanwhile.
    """

    leaves_start_tags = False  # the fast path ends before those that the policy is asked about

    __slots__ = (
        "_builder",
        "_chosen",
        "_end_of_piece",
        "_outer",
        "_pending",
        "_pieces",
        "_replaced",
        "_unended",
        "is_past_junk",
        "policy",
    )

    def __init__(
        self,
        builder: IntentTreeBuilder,
        reporter: Reporter,
        settings: Settings,
        data_state: State,
        tag_state: State,
        *,
        replaced: dict[State, State],
        fast_path: FastPath | None,
        has_shortcuts: bool,
        is_standalone: Callable[[], bool],
        construction: TreeConstruction | None = None,
        known: KnownTags | None = None,
    ) -> None:
        """Start in the data state; tokens go to `construction`, by default to `builder`.

        `tag_state` may be a replacement, as may the states in `replaced`; for the others see `Tokenizer`.
        """
        super().__init__(
            builder if construction is None else construction,
            reporter,
            settings,
            data_state,
            tag_state,
            fast_path=fast_path,
            has_shortcuts=has_shortcuts,
            is_standalone=is_standalone,
            known=known,
        )
        self._state = replaced.get(data_state, data_state)
        self.policy: Intent = builder.policy
        self.is_past_junk = False  # whether it has been decided if junk comes before the document
        self._builder = builder
        self._replaced = replaced
        self._unended = _UNENDED if settings.entities == "html" else _UNENDED_OF_XML
        self._pending: _Pending | None = None
        self._chosen: Choice | None = None  # what has been chosen for the tag that comes next
        self._pieces: list[tuple[str, int]] = []  # see `read_instead`; in reverse order
        self._end_of_piece = 0  # the offset after the last piece that was read
        # the text that waits while pieces are read: itself, its offset, and the index where it goes on
        self._outer: tuple[str, int, int] | None = None

    # The input ------------------------------------------------------------------------------------------------------

    def release(self) -> None:
        super().release()
        del self._builder, self.policy

    def run(self) -> None:
        state: Any = self._state
        stand_in = self._replaced.get
        while self._position < self._end or self._final or self._next_piece():
            following = state(self)
            if following is not None:
                state = stand_in(following, following)
            elif not self._next_piece():
                break
        self._state = state

    def read_instead(self, pieces: list[tuple[str, int]], resume: int) -> None:
        """Have the states read pieces, each with its index in the text, and then the text from an index on."""
        self._is_verbatim = False
        self._outer = (self._text, self._base, resume)
        tag = "".join([piece for piece, _ in pieces])
        if is_clean_tag(tag):  # it is read as one piece, placed so that its end has the right index
            last, index = pieces[-1]
            self._pieces = [(tag, index + len(last) - len(tag))]
        else:
            self._pieces = pieces[::-1]
        self._go_on_in("", 0, self._base, final=False)
        self._end_of_piece = self._base + self._pieces[-1][1]
        self._next_piece()

    def _next_piece(self) -> bool:
        """Continue with the next piece, or in the text that waits; return whether there is one."""
        if self._outer is None:
            return False
        text, base, resume = self._outer
        if self._token_start >= 0:
            self._token_start = 0
        if self._pieces:
            piece, index = self._pieces.pop()
            if self._position:  # else the states wait for the end of what begins in an earlier piece
                self._end_of_piece = self.place()
            held = self._lookahead.take()
            self._go_on_in(held + piece, 0, base + index - len(held), final=False)
        else:
            self._outer = None
            self._go_on_in(text, resume, base, final=self._closed)
        return True

    def begin_item(self) -> None:
        """See `Machine`; the current character may be the last one of the piece before."""
        super().begin_item()
        if self._outer is not None and not self._position:
            self._item_offset = self._end_of_piece - 1

    def has_ahead(self, characters: int) -> bool:
        """Return whether `characters` of text, or the end of the document, have come."""
        return self._final or self._end - self._position >= characters

    def window(self, skipped: int = 0) -> Window:
        """Return the window after `skipped` characters."""
        start = self._position + skipped
        stop = min(start + WINDOW, self._end)
        at_end = self._final and stop == self._end
        return self.policy.ahead.window(self._text, start, stop, at_end, self.place() + skipped)

    def _far_look(self) -> FarLook:
        """Return the window that decides where an element ends (R-033, R-041)."""
        stop = min(self._position + FAR_WINDOW, self._end)
        return self.policy.look_far(self._text, self._position, stop, self._final and stop == self._end, self.place())

    def pass_clean_content(self) -> None:
        if self._outer is None:
            super().pass_clean_content()

    def pass_run(self) -> bool:
        """Pass clean content as `pass_clean_content` does; return whether there was any.

        A scan has a limit. If the limit is within text, another scan goes on there. If a run ends within text before
        the limit, there is something for the states. They ask the policy about that text; no other scan begins, since
        it would ask the policy again.
        """
        first = last = self._position
        while self._outer is None:
            super().pass_clean_content()
            position = self._position
            if position - last < _LEAST_CUT_RUN or self._text[position : position + 1] in _ENDS_OF_TEXT:
                break
            self._may_be_clean = not self.doubts_text()
            last = position
        return self._position > first

    @property
    def reached(self) -> int:
        return super().reached if self._pending is None else self._pending.offset

    @property
    def may_depart(self) -> bool:
        """Whether the policy is asked here: in the text of the document, not of an entity (R-001)."""
        return not self._frames

    @property
    def has_pieces(self) -> bool:
        return self._outer is not None

    @property
    def is_final(self) -> bool:
        """Whether the document ends where the text does."""
        return self._final

    # Questions while learning from a run ----------------------------------------------------------------------------

    def may_choose_after(self, characters: int) -> bool:
        """Return whether the policy chooses for a token `characters` after the beginning of the run."""
        return self.policy.may_choose(self.place() + characters)

    def window_after(self, characters: int) -> Window | None:
        """Return the window `characters` after the beginning of the run; None: more input is needed."""
        return self.window(characters) if self.has_ahead(characters + WINDOW) else None

    def note_choice(self, choice: Choice) -> None:
        """Note that another reading than the draft's was chosen for the tag before which the run ends."""
        self._chosen = choice

    # Text -----------------------------------------------------------------------------------------------------------

    def emit_characters(self, data: str) -> None:
        """See `Tokenizer`; the policy learns of text, and where the next line begins."""
        super().emit_characters(data)
        self._note_text(data)

    def emit_reference(self, reference: Reference) -> None:
        super().emit_reference(reference)
        self.policy.column = None
        if not self._frames:
            self.policy.text()

    def end_cdata(self) -> None:
        super().end_cdata()
        self.policy.column = None

    def emit_comment(self) -> None:
        super().emit_comment()
        self.policy.column = None

    def emit_processing_instruction(self) -> None:
        super().emit_processing_instruction()
        self.policy.column = None

    def _note_text(self, data: str) -> None:
        line = data[data.rfind("\n") + 1 :]
        if line.strip(WHITE_SPACE):
            self.policy.column = None
        elif len(line) < len(data):
            self.policy.column = len(line)
        elif self.policy.column is not None:
            self.policy.column += len(line)
        if data.strip(WHITE_SPACE):
            self.policy.text()

    def consume_reference(self) -> Reference | None:
        """See `Tokenizer`; some names of HTML are references without a semicolon, too (R-031)."""
        match = REFERENCE.match(self._text, self._position)
        assert match is not None  # it matches the empty string
        name = match[0]
        if self._frames or not name or name not in self._unended or not self.policy.is_on("legacy"):
            return super().consume_reference()
        if self.reaches_end(match):
            self.begin_item()
            self.wait(NAME_END)
            return None
        if self._text[match.end() : match.end() + 1] == "=":
            return super().consume_reference()
        self.begin_item()
        self._position = match.end()
        character = self._unended[name]
        self.error_in_item("assumed-reference", f"'&{name}' without ';' was taken for a reference to {character!r}")
        return Reference(f"&{name}", self._unended[name], is_correct=False)

    # Tags -----------------------------------------------------------------------------------------------------------

    def emit_tag(self) -> State:
        """See `Tokenizer`; the tag waits if the policy doubts its place, unless raw content follows it."""
        raw = self._raw_element()
        verbatim = self._end_token()
        tag = PlacedTag(self.tag_name, self.attributes, self.empty, self.policy.column)
        if raw is not None:
            self._place(tag, self.token_offset, verbatim)
            return raw.begin(self, tag.name)
        if self._chosen is not None or (
            self.may_depart and self.policy.may_choose(self.token_offset) and self.policy.doubts_start_tag(tag)
        ):
            self._pending = _Pending(tag, tag.name, self.token_offset, verbatim)
        else:
            self._place(tag, self.token_offset, verbatim)
        return self.data_state

    def emit_end_tag(self) -> None:
        """See `Tokenizer`; the tag waits if the policy doubts what it ends."""
        self._emit_end_tag(self.tag_name)

    def emit_short_end_tag(self) -> None:
        """See `Tokenizer`; the tag waits if the policy doubts what it ends."""
        self._emit_end_tag("")

    def _emit_end_tag(self, name: str) -> None:
        verbatim = self._end_token()
        # If the document ends without more markup, nothing is to be chosen about the end of its root.
        if (
            self.may_depart
            and self.policy.may_choose(self.token_offset)
            and self.policy.doubts_end_tag(name)
            and not (self.policy.ends_root(name) and self._final and self._text.find("<", self._position) < 0)
        ):
            self._pending = _Pending(None, name, self.token_offset, verbatim)
        else:
            self._place_end_tag(name, self.token_offset, verbatim)

    def _place(self, tag: PlacedTag, offset: int, verbatim: str | None, *, is_doubtful: bool = False) -> None:
        """Emit a start tag or empty tag; `is_doubtful`: see `Choice`."""
        self.policy.column = None
        phase = self._construction.phase
        emit = phase.empty_tag if tag.empty else phase.start_tag
        self.policy.placing = tag.indent, is_doubtful
        try:
            emit(tag.name, tag.attributes, offset, verbatim)
        finally:
            self.policy.placing = NO_PLACING

    def _place_end_tag(self, name: str, offset: int, verbatim: str | None) -> None:
        self.policy.column = None
        if name:
            self._construction.phase.end_tag(name, offset, verbatim)
        else:
            self._place_short_end_tag(offset)

    def settle(self) -> bool:
        """Place the tag that waits, if there is one; return whether there is enough input for that."""
        pending = self._pending
        if pending is None:
            return True
        choice, tag = self._chosen, pending.tag
        if choice is None and tag is not None:
            choice = self.policy.choose_at_once(tag)
        if choice is None:
            if tag is not None:
                looks_far = self.policy.looks_far(tag)
            else:
                looks_far = self.has_ahead(WINDOW) and self.policy.ends_early(pending.name, self.window())
            reach = FAR_WINDOW if looks_far else WINDOW
            if not self.has_ahead(reach):
                self.wait(enough=reach)
                return False
            far = self._far_look() if looks_far else None
            if tag is not None:
                choice = self.policy.choose_for_start_tag(tag, self.window(), far)
            else:
                choice = self.policy.choose_for_end_tag(pending.name, self.window(), far)
        self._pending = self._chosen = None
        self._carry_out(choice, pending)
        return True

    def _carry_out(self, choice: Choice, pending: _Pending) -> None:
        _, name, offset, verbatim = pending
        if choice.code:
            is_swallowing = pending.tag is None and has_swallowed(name)
            self.report(choice.code, offset, choice.message, effect=LOST if is_swallowing else choice.effect)
            self._prepare(choice, offset, is_doubtful=choice.is_doubtful)
        tag = pending.tag
        if choice.is_dropped:
            self.policy.column = None
        elif choice.tag is not None:
            self._place(choice.tag, offset, None, is_doubtful=choice.is_doubtful)
        elif tag is None:
            self._place_end_tag(name, offset, verbatim)
        else:
            self._place(tag, offset, verbatim, is_doubtful=choice.is_doubtful)

    def _prepare(self, choice: Choice, offset: int, *, is_doubtful: bool) -> None:
        """Close and open the elements that a choice names; `is_doubtful`: no pair is learned of the opened one."""
        for left in range(choice.levels, 0, -1):
            # A token that is dropped is taken for the end tag of the outermost of these elements, the last one left.
            self._builder.pop_assumed(closed_at=None if left == 1 and choice.is_dropped else offset)
        if choice.opened:
            self._place(PlacedTag(choice.opened, {}, empty=False, indent=None), offset, None, is_doubtful=is_doubtful)

    # Doubtful text and markup ---------------------------------------------------------------------------------------

    def doubts_text(self) -> bool:
        return (
            not self._text.startswith("<", self._position)
            and self.may_depart
            and not self.has_pieces
            and self.policy.doubts_text()
        )

    def place_text(self) -> bool:
        """Decide where the text that begins here belongs; return whether there is enough input for that."""
        if not self.policy.may_choose(self.place()):
            return True
        if not self.has_ahead(WINDOW):
            self.wait(enough=WINDOW)
            return False
        choice = self.policy.choose_for_text(self.window())
        if choice.code:
            self.token_offset = self.place()
            self.report(choice.code, self.token_offset, choice.message)
            self._prepare(choice, self.token_offset, is_doubtful=False)
        self.policy.text(is_doubtful=choice.is_doubtful)
        return True

    def drop(self, code: str, detail: str, end: int, effect: Effect | None = None) -> None:
        """Drop the token that has been begun, up to an index of the text; `effect`: None for that of the code."""
        self._assume(Assumption(code, detail, effect=effect))
        self._token_start = -1
        self._position = end

    def assume(self, rewrite: Rewrite) -> None:
        for assumption in rewrite.assumptions:
            self._assume(assumption)

    def _assume(self, assumption: Assumption) -> None:
        code, sentence, node, effect = assumption
        self.report(code, self.token_offset, sentence, effect=LOST if self._reporter.leaves_out(node) else effect)
        if code == UNFINISHED_TAG:
            self._reporter.judge_end(truncated=True)
