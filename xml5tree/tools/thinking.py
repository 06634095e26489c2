"""Separates the reasoning of a model from its answer."""

import re

from xml5tree.tools.incall import InCall

__all__ = ["InThinking"]


class InThinking(InCall):
    """The states in reasoning, and at the beginning, where its start tag may be missing as the prompt had it.

    Then the text is held back until a tag of reasoning comes, or the end.
    """

    def _set_thinking(self, element: str | None, *, has_calls: bool) -> set[str]:
        """Set the element of reasoning, and whether calls in it count; return its tags."""
        grammar = self._grammars[0]
        self._has_calls = has_calls
        names = [] if element is None else [f"{element}>", f"{element}{grammar.ends}"]
        self._starts, self._ends = (
            dict.fromkeys(f"{head}{name}" for head, name in zip(heads, names, strict=False))
            for heads in (("<", grammar.opens), ("</", grammar.closes))
        )
        tags = {*self._starts, *self._ends}
        heads = {tag[:length] for tag in tags for length in range(1, len(tag))}
        self._end_of_thinking = re.compile("|".join(map(re.escape, self._ends)))
        self._any_tag = re.compile("|".join(map(re.escape, tags)))
        self._begun_tag = re.compile(rf"(?:{'|'.join(map(re.escape, sorted(heads, key=len, reverse=True)))})?\Z")
        self._withheld: list[str] = []  # the text that is held back
        return tags

    def _say(self, index: int) -> None:
        raise NotImplementedError

    def _after_tag(self, index: int) -> None:
        raise NotImplementedError

    def _outside(self) -> bool:
        raise NotImplementedError

    def _at_begin(self) -> bool:
        raise NotImplementedError

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
        self._base = self._at = self._counted = self._line_start = 0
        self._line = 1
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
