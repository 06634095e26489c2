"""The option `root`: drops junk before a known root element."""

# Junk is the warnings of a server, the log of a command, or the polite words of a language model. It is searched for
# the root's start tag without being read as markup: a "<" in it would swallow that tag.

import re
from collections.abc import Iterable
from typing import Any, Final

from xml5tree.dialects.xml5.states import data_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.errors.codes import KEPT, LOST, Effect
from xml5tree.errors.wording import number_of
from xml5tree.xml.vocabulary import Vocabulary

_SPACE: Final = re.compile("[\t\n ]+")
_PROLOG: Final = ("<!--", "<!DOCTYPE", "<?")
#: Ends of junk besides the root: an XML declaration, which is dropped too, and a DOCTYPE, which counts. The length of
#: the declaration is bounded, so that its absence is known after that many characters.
_DECLARATION: Final = "(?P<declaration><\\?xml[\t\n ][^<>]{0,200}\\?>)"
_DOCTYPE: Final = "<!DOCTYPE(?=[\t\n ])"
_LONGEST_DECLARATION: Final = 220


class RootedTokenizer(Tokenizer):
    """A tokenizer that drops junk before the root element."""

    # Up to the root's start tag, states of its own replace the data state. A comment, a processing instruction or a
    # DOCTYPE is of the prolog if no junk stands before it, or if an XML declaration or a DOCTYPE has ended the junk.

    def __init__(self, names: Iterable[str], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._vocabulary = Vocabulary(names)
        root = f"<{self._vocabulary.pattern}(?=[\t\n />]|\\Z)"
        self._root = re.compile(root)
        self._junk_end = re.compile(f"{root}|{_DECLARATION}|{_DOCTYPE}")
        self._longest = max(len("<") + self._vocabulary.longest, _LONGEST_DECLARATION)
        self._data_states = frozenset({data_state, self._state})
        self._is_at_root = False
        self._dropped = 0  # characters of the current junk

    def run(self) -> None:
        state = self._state
        while not self._is_at_root and (self._position < self._end or self._final):
            following = self._prolog_state() if state in self._data_states else state(self)
            if following is None:
                break
            state = following
        self._state = state
        if self._is_at_root:
            super().run()

    def _prolog_state(self) -> Any:
        """Before the root element: a prolog, or junk."""
        if space := self.match(_SPACE):
            self.skip(len(space[0]))
            self.emit_characters(space[0])
            return data_state
        is_root = self._is_root_next()
        is_prolog = False if is_root else self._is_prolog_next()
        if is_root is None or is_prolog is None:
            self.wait()
            return None
        if is_prolog:
            self.consume()
            self.begin_token()
            return self.tag_state
        if is_root or not self.peek(1):  # or at the end of the document, which has no root element
            self._is_at_root = True
            return data_state if is_root else data_state(self)
        self._reporter.marks["junk"] = self.place()
        return RootedTokenizer._junk_state

    def _junk_state(self) -> Any:
        """In junk: drop it up to its end."""
        if self._drop_junk():
            return data_state
        if self.peek(1):
            self.wait()
        return None

    def _is_root_next(self) -> bool | None:
        """Return whether the root's start tag comes next; None: more input is needed."""
        if root := self.match(self._root):
            return None if self.reaches_end(root) else True
        beginning = self.peek(self._longest + 1)
        is_cut = self.may_grow and len(beginning) <= self._longest
        return None if is_cut and beginning[:1] == "<" and self._vocabulary.may_begin(beginning[1:]) else False

    def _is_prolog_next(self) -> bool | None:
        """Return whether a comment or the like comes next; None: more input is needed."""
        beginning = self.peek(len("<!DOCTYPE"))
        if beginning.startswith(_PROLOG):
            return True
        return None if self.may_grow and any(start.startswith(beginning) for start in _PROLOG) else False

    def _drop_junk(self) -> bool:
        """Consume junk; return whether it ends here, and not for want of input."""
        text, start = self._text, self._position
        found = self._junk_end.search(text, start)
        if found and self.reaches_end(found) and not found["declaration"]:
            found = None
        end = self._end
        if found:
            end = found.end() if found["declaration"] else found.start()
        elif self.may_grow:
            # Only the last "<" can be the beginning of the end of the junk.
            end = text.rfind("<", max(start, end - self._longest))
            end = self._end if end < 0 else end
        self._dropped += end - start
        self._position = end
        if found is None and not self._final:
            return False
        if found is not None:  # else there is no tree, which is an error of its own
            # What precedes an XML declaration or a DOCTYPE is no content.
            effect: Effect = KEPT if text.startswith(("<?", "<!"), found.start()) else LOST
            length = number_of(self._dropped, "character")
            self.report("assumed-junk", self._reporter.marks.pop("junk"), length, effect=effect)
            self._dropped = 0
        return True
