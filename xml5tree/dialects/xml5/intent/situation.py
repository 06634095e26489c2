"""The open elements, and what they teach (R-003)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from xml5tree.dialects.xml5.intent.columns import NO_COLUMN, NO_SIBLING, column_number
from xml5tree.dialects.xml5.intent.constants import MOST_OPEN
from xml5tree.dialects.xml5.intent.learned import TEXT_CHILD, Learned

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.intent.runs.contract import Learnt

__all__ = ["NO_PLACING", "OpenElement", "PlacedTag", "Situation"]

#: The column of a tag if the tag is the first on its line, else None; and whether its place is doubtful (see `Choice`),
#: so that no pair is learned from it.
_Placing = tuple[int | None, bool]
NO_PLACING: Final[_Placing] = (None, False)


#: The attributes of a tag, or a function that reads them.
Attributes = dict[str, str] | Callable[[], dict[str, str]]


class PlacedTag(NamedTuple):
    """A start tag or empty tag, with its raw name; `indent` is its column if it is the first on its line, else None."""

    name: str
    attributes: dict[str, str]
    empty: bool
    indent: int | None


class OpenElement:
    """An open element."""

    __slots__ = ("_attributes", "has_text", "indent", "is_text_decided", "last", "last_indent", "name")

    def __init__(self, name: str, attributes: Attributes | None, indent: int | None) -> None:
        self.name = name  # its raw name
        self._attributes = attributes
        self.indent = indent  # its column if its tag is the first on its line, else None
        self.has_text = False  # it has text that is not white space; runs report none of elements with children
        self.last: str | None = None  # the name of the last child, or None
        self.last_indent: int | None = None  # the indent of the last child
        self.is_text_decided = False  # the place of its first text has been decided

    @property
    def has_children(self) -> bool:
        return self.last is not None

    @property
    def has_content(self) -> bool:
        return self.has_text or self.has_children

    @property
    def attributes(self) -> dict[str, str] | None:
        """Its attributes; None once it has content, or a repetition of its start tag was dropped (R-025)."""
        if callable(self._attributes):
            self._attributes = self._attributes()
        return self._attributes

    def set_attributes(self, attributes: Attributes | None) -> None:
        """Set its attributes; None: they are not needed any more."""
        self._attributes = attributes

    def note_child(self, name: str, indent: int | None) -> None:
        self._attributes = None
        self.last = name
        self.last_indent = indent


class Situation:
    """The current place in one document."""

    def __init__(self) -> None:
        self.learned = Learned()  # what the document has shown
        # The column and the doubt about the tag that is being placed, for the next report of `opened` or `appended`:
        # tree construction, which reports, does not know them.
        self.placing = NO_PLACING
        # the column of the next character if only white space is before it on its line, else None
        self.column: int | None = 0
        self._open: list[OpenElement] = []
        self._names: list[str] = []  # of these elements
        self._open_names: dict[str, int] = {}
        self._forced: list[str] = []  # names of elements just closed by another element's end tag
        self.has_root = False

    # Reports of tree construction ---------------------------------------------------------------------------------

    def opened(self, name: str, attributes: dict[str, str], placing: _Placing | None = None) -> None:
        """Note that an element has been inserted; `placing`: None for `self.placing`, that of the current tag."""
        indent, is_doubtful = placing or self.placing
        self._child(name, indent, is_doubtful)
        self._open.append(OpenElement(name, attributes, indent))
        self._names.append(name)
        self._open_names[name] = self._open_names.get(name, 0) + 1
        self.has_root = True

    def appended(self, name: str, placing: _Placing | None = None) -> None:
        """Note that an element without content has been appended; for `placing` see `opened`."""
        self._child(name, *(placing or self.placing))
        self.learned.learn_empty(name)
        self.learned.learn_end(name)
        self.has_root = True

    def _child(self, name: str, indent: int | None, is_doubtful: bool) -> None:
        self._forced.clear()
        self.learned.learn_name(name)
        if not self._open:
            return
        top = self._open[-1]
        self.learned.learn_content(top.name)
        if is_doubtful:
            self.learned.note_doubt(top.name, name)
        else:
            if top.name == name and self.learned.is_new_triple(name, top.last, name):
                column = column_number(top.indent)
                if column != NO_COLUMN and column_number(indent) > column:  # such elements are indented
                    self.learned.indented.add(name)
            self.learned.learn_child(top.name, top.last, name)
        top.note_child(name, indent)

    def closed(self) -> None:
        del self._open[-1]
        name = self._names.pop()
        count = self._open_names.pop(name)
        if count > 1:
            self._open_names[name] = count - 1

    def ended(self) -> None:
        """Note that the current element is about to be closed by its own end tag."""
        self.learned.learn_end(self._open[-1].name)

    def take_crossed(self, name: str) -> bool:
        """Take an ignored end tag for that of an element which another one has just closed; return False if it is not.

        There is one such tag for each of these elements, so this forgets the element (R-021).
        """
        if name not in self._forced:
            return False
        self._forced.remove(name)
        return True

    def text(self, *, is_doubtful: bool = False) -> None:
        """Note that text has come which is not white space; `is_doubtful`: see `Choice`."""
        if not self._open or self._open[-1].has_text:
            return
        top = self._open[-1]
        top.has_text = True
        top.set_attributes(None)
        self.learned.learn_content(top.name)
        if not is_doubtful:
            self.learned.learn_pair(top.name, TEXT_CHILD)

    # Reports of the fast path: see `learning` ---------------------------------------------------------------------

    def pass_tag(self, tag: PlacedTag, *, is_doubtful: bool) -> None:
        """Note a start tag or empty tag that is read as by the draft; `is_doubtful`: see `Choice`."""
        self.column = None
        if tag.empty:
            self.appended(tag.name, (tag.indent, is_doubtful))
        else:
            self.opened(tag.name, tag.attributes, (tag.indent, is_doubtful))

    def innermost_elements(self, most: int) -> list[OpenElement]:
        return self._open[-most:]

    def has_none_beyond(self, name: str, most: int) -> bool:
        """Return whether at most one element of a name is open, and that among the `most` innermost elements."""
        count = self._open_names.get(name, 0)
        return not count or (count == 1 and name in self._names[-most:])

    @property
    def open_tables(self) -> tuple[dict[str, int], list[OpenElement]]:
        """The numbers of open elements by name, and the open elements; both change with the document."""
        return self._open_names, self._open

    def note_run(self, learnt: "Learnt") -> None:
        """Note the effect of a part of a run; everything about it is learned already."""
        elements, names, counts = self._open, self._names, self._open_names
        self.column = learnt.column
        if learnt.has_start_tag:
            self._forced.clear()
        if ended := learnt.ended:
            for name in names[-ended:]:
                if counts[name] == 1:
                    del counts[name]
                else:
                    counts[name] -= 1
            del elements[-ended:], names[-ended:]
        top = elements[-1]
        for name, column in zip(learnt.opened, learnt.columns, strict=True):
            top.note_child(name, column)
            top = OpenElement(name, None, column)
            elements.append(top)
            names.append(name)
            counts[name] = counts.get(name, 0) + 1
        last, child = learnt.last, learnt.child
        if last == TEXT_CHILD:
            top.has_text = True
            top.set_attributes(None)
        elif last is not None:
            # With `NO_SIBLING`, the last child is the one that the element had before the part.
            top.note_child(last, child if child != NO_SIBLING else top.last_indent)

    def note_attributes(self, attributes: Attributes) -> None:
        self._open[-1].set_attributes(attributes)

    # Open elements ------------------------------------------------------------------------------------------------

    @property
    def has_open(self) -> bool:
        return bool(self._open)

    @property
    def current(self) -> str:
        return self._open[-1].name

    @property
    def parent(self) -> str:
        """The name of the element around the current one; that of the current one if this is the root element."""
        return self._names[-2:][0]

    @property
    def last_child(self) -> str:
        """The name of the last child of the current element; "" if it has none."""
        return (self._open[-1].last or "") if self._open else ""

    @property
    def root(self) -> str:
        return self._open[0].name

    def is_open(self, name: str) -> bool:
        return name in self._open_names

    def is_known_child(self, name: str) -> bool:
        """Return whether the document has shown a name directly in elements of the current one's name."""
        return self.has_open and (self.current, name) in self.learned.pairs

    def _stack(self) -> list[str]:
        return self._names[-MOST_OPEN:]
