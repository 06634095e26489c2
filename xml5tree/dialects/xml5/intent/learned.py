"""The elements seen so far, by the elements around them (R-003)."""

from xml5tree.dialects.xml5.intent.constants import MANY_RECORDS, MOST_IMPLIED, MOST_LEARNED
from xml5tree.dialects.xml5.lexis import HTML_VOID
from xml5tree.xml.nearness import is_near

__all__ = ["TEXT_CHILD", "Learned", "Tables"]

#: The tables of `Learned.tables`.
Tables = tuple[
    set[tuple[str, str]],
    set[tuple[str, str | None, str]],
    dict[str, int],
    set[str],
    set[str],
    set[str],
    set[str],
    dict[str, dict[str, int]],
    dict[str, set[str]],
]

#: Stands for text among the children of an element; no tag has this name.
TEXT_CHILD = "#text"


class Learned:
    """Pairs, triples and names that the document has shown; each table is bounded.

    The compiled part of the library reads the tables and adds to them (accelerator/learning.h).
    """

    __slots__ = (
        "_children",
        "_parents",
        "completed",
        "doubted",
        "empty",
        "filled",
        "follows",
        "indented",
        "names",
        "pairs",
        "takes_slips",
    )

    def __init__(self) -> None:
        self.takes_slips = True  # whether a near name may be a slip of the pen
        # parents and children, and parents with `TEXT_CHILD` where text is in them
        self.pairs: set[tuple[str, str]] = set()
        # parents, a child's name or None, and the name of the child that follows it, or comes first
        self.follows: set[tuple[str, str | None, str]] = set()
        # how often elements of a name were closed by their own end tag or were empty, up to `MANY_RECORDS`
        self.completed: dict[str, int] = {}
        self.doubted: set[tuple[str, str]] = set()  # parents and children from doubtful choices
        self.filled: set[str] = set()  # names of elements that had content
        self.empty: set[str] = set()  # names of empty tags
        self.names: set[str] = set()  # names of start tags and empty tags
        # names of elements that were within each other, the inner one farther in on its line
        self.indented: set[str] = set()
        self._children: dict[str, dict[str, int]] = {}  # by parents, numbered in the order in which they were shown
        self._parents: dict[str, set[str]] = {}  # by children

    @property
    def tables(self) -> Tables:
        """All tables but `doubted`, in the order of accelerator/learning.h; they change with the document."""
        return (
            *(self.pairs, self.follows, self.completed, self.filled, self.empty, self.names, self.indented),
            *(self._children, self._parents),
        )

    @property
    def is_full(self) -> bool:
        """Whether nothing more is learned of start tags, texts and end tags."""
        tables = (self.completed, self.filled, self.follows, self.names, self.pairs)
        return all(len(table) >= MOST_LEARNED for table in tables)

    def all_names(self) -> set[str]:
        names = {*self.completed, *self.filled, *self.names, *self.empty, *self.indented}
        for pair in (*self.pairs, *self.doubted):
            names.update(pair)
        for parent, before, child in self.follows:
            names |= {parent, child} if before is None else {parent, before, child}
        return names

    def learn_name(self, name: str) -> None:
        if name not in self.names and len(self.names) < MOST_LEARNED:
            self.names.add(name)

    def learn_child(self, parent: str, before: str | None, child: str) -> None:
        """Learn that an element has a child, after `before` or as its first (None)."""
        self.learn_pair(parent, child)
        if len(self.follows) < MOST_LEARNED:
            self.follows.add((parent, before, child))

    def learn_pair(self, parent: str, child: str) -> None:
        pair = (parent, child)
        if pair not in self.pairs and len(self.pairs) < MOST_LEARNED:
            self.pairs.add(pair)
            children = self._children.setdefault(parent, {})
            children[child] = len(children)
            self._parents.setdefault(child, set()).add(parent)

    def is_new(self, parent: str, child: str) -> bool:
        """Return whether a parent and a child have not been shown together, and can be learned."""
        return (parent, child) not in self.pairs and len(self.pairs) < MOST_LEARNED

    def was_child(self, parent: str, child: str) -> bool:
        """Return whether a parent and a child were shown together, if only by a doubtful choice."""
        return (parent, child) in self.pairs or (parent, child) in self.doubted

    def is_new_triple(self, parent: str, before: str | None, child: str) -> bool:
        """Return whether a child after `before`, or as the first (None), has not been shown and can be learned."""
        return (parent, before, child) not in self.follows and len(self.follows) < MOST_LEARNED

    def learn_content(self, name: str) -> None:
        if name not in self.filled and len(self.filled) < MOST_LEARNED:
            self.filled.add(name)

    def learn_empty(self, name: str) -> None:
        if len(self.empty) < MOST_LEARNED:
            self.empty.add(name)

    def is_new_empty(self, name: str) -> bool:
        """Return whether no empty tag had a name, and it can be learned."""
        return name not in self.empty and len(self.empty) < MOST_LEARNED

    def learn_end(self, name: str) -> None:
        """Learn that an element was closed by its own end tag, or is an empty tag."""
        completed = self.completed
        if name not in completed:
            if len(completed) < MOST_LEARNED:
                completed[name] = 1
        elif completed[name] < MANY_RECORDS:
            completed[name] += 1

    def is_new_end(self, name: str) -> bool:
        """Return whether no element of a name has been completed, and that can be learned."""
        return name not in self.completed and len(self.completed) < MOST_LEARNED

    def has_children(self, name: str) -> bool:
        children = self._children.get(name, ())
        return len(children) > (TEXT_CHILD in children)

    def note_doubt(self, parent: str, child: str) -> None:
        """Note a child from a doubtful choice; learn nothing else of it."""
        if len(self.doubted) < MOST_LEARNED:
            self.doubted.add((parent, child))

    def is_known_empty(self, name: str) -> bool:
        """Return whether elements of this name were completed, and none ever had content."""
        return name in self.completed and name not in self.filled

    def is_slip(self, name: str, meant: str) -> bool:
        """Return whether a tag's name may be a slip for `meant` (R-005, R-022): it is unknown and near."""
        return self.takes_slips and name not in self.names and is_near(name, meant)

    def may_be_void(self, name: str) -> bool:
        """Return whether a start tag of this name may be an empty tag that lacks its "/" (R-026).

        `Simulation.read` and `Intent.doubts_child` look at `filled` first. In C: `is_perhaps_void` of ahead.h.
        """
        return name not in self.filled and (name in self.completed or name in HTML_VOID)

    def may_be_filled(self, name: str) -> bool:
        """Return whether an empty tag of this name may be a start tag with a "/" too many (R-036)."""
        return name in self.filled and self.is_new_empty(name)

    def between(self, parent: str, child: str) -> list[str]:
        """Return the first few names of elements that were shown both as children of `parent` and around `child`."""
        parents = self._parents.get(child)
        if parents is None:
            return []
        children = self._children.get(parent, {})
        return sorted(children.keys() & parents, key=children.__getitem__)[:MOST_IMPLIED]
