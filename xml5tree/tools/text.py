"""Reports the text around calls, and separates the reasoning of a model from its answer."""

import re
from collections.abc import Callable, Sequence

from xml5tree.errors.locator import Locator
from xml5tree.tools.calls import Event
from xml5tree.tools.callstate import Options
from xml5tree.tools.grammar import Grammar
from xml5tree.tools.incall import InCall

__all__ = ["InText"]


class InText(InCall):
    """The states in reasoning, and at the beginning, where its start tag may be missing as the prompt had it.

    Then the text is held back until a tag of reasoning comes, or the end.
    """

    _outside: Callable[[], bool]
    _at_begin: Callable[[], bool]

    def __init__(self, grammars: Sequence[Grammar], options: Options) -> None:
        super().__init__(grammars, options)
        self._before = "\n"  # the last character
        self._line_head = ""  # the beginning of the current line
        self._in_fence = False
        self._is_first = False  # whether no text has been reported since the last tag
        self._after_around = False  # whether that tag was one around calls
        self._has_calls = options.thinking_calls  # whether calls in reasoning count
        self._withheld: list[str] = []  # the text that is held back
        element, grammar = options.thinking, self._grammars[0]
        # Its tags, as the format spells tags, and as XML does
        self._starts, self._ends = (
            {} if element is None else dict.fromkeys([f"{head}{element}{grammar.ends}", f"{plain}{element}>"])
            for head, plain in ((grammar.opens, "<"), (grammar.closes, "</"))
        )
        tags = [*self._starts, *self._ends]
        heads = {tag[:length] for tag in tags for length in range(1, len(tag))}
        self._end_of_thinking = re.compile("|".join(map(re.escape, self._ends)))
        self._any_tag = re.compile("|".join(map(re.escape, tags)))
        self._begun_tag = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(heads, key=len, reverse=True)))})?\Z")

    def _after_tag(self, index: int) -> None:
        self._at = index
        self._before = ">"
        self._line_head = "-" * 8
        self._is_first = True
        self._after_around = False

    def _say(self, index: int) -> None:
        """Report the text up to an index."""
        text = self._text[self._at : index]
        if not text:
            return
        self._at = index
        self._before = text[-1]
        self._is_first = self._after_around = False
        self._track_fence(text)
        self._events.append(Event(self._kind, text=text))

    def _track_fence(self, text: str) -> None:
        head = self._line_head
        if "`" not in text and "`" not in head:
            line = text.rfind("\n")
            self._line_head = (text[line + 1 : line + 9] if line >= 0 else head + text[: 8 - len(head)])[:8]
            return
        for number, part in enumerate(text.split("\n")):
            before = "" if number else head
            head = (before + part)[:8]
            if head.lstrip(" ").startswith("```") and not before.lstrip(" ").startswith("```"):
                self._in_fence = not self._in_fence
        self._line_head = head

    def _before_thinking(self) -> bool:
        """Look for the first tag of reasoning."""
        text, at = self._text, self._at
        found = self._any_tag.search(text, at)
        if found is None and not self._final:
            self._at = self._begun_tag.search(text, at).start()  # type: ignore[union-attr]
            self._withheld.append(text[at : self._at])
            return False
        self._text = "".join((*self._withheld, text[at:]))  # read again from the beginning
        self._withheld.clear()
        self._base = self._at = 0
        self._reporter.locator = Locator()
        self._reporter.advance(0, self._text)
        if found is not None and found[0] in self._ends:
            self._begin_thinking(0)
        else:
            self._state = self._at_begin
        return True

    def _begin_thinking(self, index: int) -> None:
        self._after_tag(index)
        self._kind = "thinking"
        self._state = self._outside if self._has_calls else self._in_thinking

    def _in_thinking(self) -> bool:
        found = self._end_of_thinking.search(self._text, self._at)
        if found is None:
            begun = None if self._final else self._begun_tag.search(self._text, self._at)
            self._say(begun.start() if begun else len(self._text))
            return False
        self._say(found.start())
        return bool(self._at_thinking(found.start()))

    def _at_thinking(self, index: int) -> bool | None:
        """Read a tag of reasoning at an index; None if there is none, False if there may be one."""
        text, is_end = self._text, self._kind == "thinking"
        for tag in self._ends if is_end else self._starts:
            if text.startswith(tag, index):
                if is_end:
                    self._after_tag(index + len(tag))
                    self._kind, self._state = "text", self._outside
                else:
                    self._begin_thinking(index + len(tag))
                return True
            if not self._final and tag.startswith(text[index:]):
                return False
        return None
