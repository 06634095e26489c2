"""What the document shows: children of elements, in their order; columns; tags that lack another.

The model nests the usual readings of the tokens by their names alone, ahead of the search. An element is *clean* if
its own end tag ends it and so it is with all elements inside it. Clean elements teach most: children are counted by
their parent and by the child before them. From start tags and end tags that have no other of their name follows what
faults the document is in the *habit* of.

A count is made of whole numbers only, and each table has at most `MOST` entries.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from xml5tree.intent.costs import COSTS, ln
from xml5tree.intent.knowledge import Knowledge
from xml5tree.intent.lattice import EMPTY, END, SPACE, START, TEXT, Edge
from xml5tree.intent.names import INLINE, NEVER_FILLED, is_near

MOST: Final = 4096  # entries of each table
MOST_COUNTED: Final = 1 << 31  # the weight of all children that are counted, as numbers in C have 32 bits
#: Symbols beside names: text; the end of an element; its start, and one with attributes.
CHARACTERS, LAST, FIRST, FIRST_WITH = b"#", b"$", b"^", b"@"
BEFORE_TEXT: Final = frozenset({CHARACTERS, FIRST, FIRST_WITH, b""})  # text after them is no text between children

#: How much a child counts: in a clean element, another one, one without end tag, and one whose name never has any.
CLEAN, UNCLEAN, CUT, NEVER = 20, 4, 2, 1
CHILDREN: Final = 64  # an element with more of them teaches before it ends
RECENT: Final = 8  # children that a stray end tag casts doubt on
SURPLUS: Final = 8  # names with more end tags than start tags that the search considers
STRICT: Final = 1500  # where a column that does not fit costs more, it makes an element unclean
LACKS_START: Final = frozenset({"surplus_end", "missing_start"})  # faults of end tags
#: Kinds of columns: of a child and the one before it; of a first child and its parent; of the two tags of an element.
SIBLING, CHILD, ENDS = range(3)

IN_TEXT: Final = INLINE | {CHARACTERS, LAST}  # what may follow text anywhere, with void elements
NONE: Final = -2  # no column is known

_Key = TypeVar("_Key")
Child = tuple[bytes, int, bool]  # name, column, whether it is text; None for one that is not known


class Element:
    """An open element of the usual readings."""

    __slots__ = (
        *("before", "children", "column", "edge", "has_never", "has_tags", "has_text", "is_clean"),
        *("is_low", "name", "previous", "recent"),
    )

    def __init__(self, edge: Edge, *, is_clean: bool) -> None:
        self.edge = edge
        self.name = edge.name
        self.column = edge.column
        self.is_clean = is_clean
        self.children: list[Child | None] = []  # those that have not been counted
        self.previous = first(edge)  # the symbol of the one before them
        self.recent: list[Edge] = []  # start tags of the last children that are clean
        self.before = NONE  # the column of the last child before them that has one
        self.has_text = False
        self.has_tags = False
        self.has_never = False  # an element in it must not be in some around it, as it is known
        self.is_low = False  # a child that is first on its line is no farther in than the element


def first(edge: Edge) -> bytes:
    """Return the symbol of the start of an element."""
    return FIRST_WITH if edge.has_attributes else FIRST


class Model:
    """What has been learned of one document; `refresh` makes it count."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self.starts: dict[bytes, int] = {}  # start tags of a name
        self.ends: dict[bytes, int] = {}  # end tags
        self.complete: dict[bytes, int] = {}  # clean elements
        self.nested: dict[bytes, int] = {}  # elements in clean ones of their own name
        self.filled: set[bytes] = set()  # names of elements that another of the name follows, after a child
        # children, by their parent and the child before
        self._triples: dict[tuple[bytes, bytes, bytes], int] = {}
        self._pairs: dict[tuple[bytes, bytes], int] = {}  # of parent and child
        self._most: dict[bytes, int] = {}  # the most of one child
        self._parents: dict[bytes, int] = {}
        self._contexts: dict[
            tuple[bytes, bytes], list[int]
        ] = {}  # parent and preceding child: all, and the most of one
        self._neighbours: dict[tuple[bytes, bytes], int] = {}  # preceding child and child
        self._befores: dict[bytes, int] = {}
        self._symbols: dict[bytes, int] = {}
        self._total = 0
        self._texts = self._mixes = 0  # clean elements with text, and with children, too
        # columns
        self._fits = [[0, 0] for _ in range(3)]
        self._seen: set[tuple[bytes, int]] = set()  # names and columns of start tags
        self._columns: dict[int, int] = {}
        self.column_costs = [0, 0, 0]
        self._is_strict = [False] * 3
        # nesting
        self._stack: list[Element] = []
        self._open: dict[bytes, int] = {}  # names of open elements
        self._root: Element | None = None  # the first one that has ended around all that is open
        self._is_ended = False
        self._maybe: dict[bytes, None] = {}  # names that had more end tags than start tags
        self.surplus: list[bytes] = []
        self._events: dict[tuple[bytes, bytes, bytes], int] = {}  # costs
        self._habits: dict[tuple[str, bytes], int] = {}
        self._mixed = 0

    def learn(self, edges: Sequence[tuple[Edge, bool]], *, mates: bool = True) -> None:
        """Take the next tokens of the usual readings, each with whether it is doubtful, and let them count.

        With `mates`, a clean element's start tag gets its end tag.
        """
        for edge, _ in edges:
            self._tally(edge)
        for edge, is_doubtful in edges:
            self._nest(edge, is_doubtful, mates)
        self.refresh()

    @property
    def open_names(self) -> list[bytes]:
        """The names of the open elements, the root first."""
        return [element.name for element in self._stack]

    def resume(self, names: Sequence[bytes]) -> None:
        """Go on at a later place, where elements of these names are open: what is between teaches nothing."""
        stack, same = self._stack, 0
        while same < min(len(stack), len(names)) and stack[same].name == names[same]:
            same += 1
        while len(stack) > same:
            _add(self.ends, self._pop().name)
        if stack:
            self.child(stack[-1], None)
        for name in names[same:]:
            element = Element(Edge(START, name, 0, 0), is_clean=False)
            element.name, element.previous, element.column = name, b"", -1
            stack.append(element)
            self._open[name] = self._open.get(name, 0) + 1
            _add(self.starts, name)

    # Counting tags ----------------------------------------------------------------------------------------------------

    def _tally(self, edge: Edge) -> None:
        """Count a token by itself."""
        kind, name = edge.kind, edge.name
        if kind in (SPACE, TEXT):
            return
        if edge.column >= 0:
            _add(self._columns, edge.column)
        if kind == END:
            _add(self.ends, name)
            if name and self.ends.get(name, 0) > self.starts.get(name, 0):
                self._maybe[name] = None
        elif kind == START:
            _add(self.starts, name)

    def started(self, name: bytes) -> int:
        """Return how many start tags of a name may have to have an end tag by now."""
        number = self.starts.get(name, 0)
        return number - 1 if number and not self._is_ended and name in self._open else number

    # Nesting ----------------------------------------------------------------------------------------------------------

    def _nest(self, edge: Edge, is_doubtful: bool, mates: bool) -> None:
        stack, kind, name = self._stack, edge.kind, edge.name
        if (is_doubtful or edge.instead is not None) and stack:
            stack[-1].is_clean = False
        if kind == SPACE:
            return
        if edge.column >= 0:
            place = (name, edge.column)
            if kind == START:
                if len(self._seen) < MOST:
                    self._seen.add(place)
            elif kind == END and self.starts.get(name):
                self._fits[ENDS][place in self._seen] += 1
        if kind != END and stack and self._knowledge.around(name):
            stack[-1].has_never = True
        if kind in (TEXT, EMPTY):
            if stack:
                self.child(stack[-1], (name or CHARACTERS, edge.column, kind == TEXT))
            ends = self.ends.get(name, 0)
            is_sure = ends <= self.starts.get(name, 0) and (edge.has_attributes or ends or name not in self._open)
            if kind == EMPTY and is_sure:  # else it may be meant for another tag
                self.count(name, first(edge), LAST, CLEAN)
        elif kind == START:
            if stack and stack[-1].name == name in self.starts and _last_symbol(stack[-1]) not in BEFORE_TEXT:
                self.filled.add(name)
            stack.append(Element(edge, is_clean=not is_doubtful))
            self._open[name] = self._open.get(name, 0) + 1
        elif stack and (stack[-1].name == name or not name):
            self._end(edge, mates)
        elif stack and self._is_slip(stack[-1].name, name):
            self._slip(name)
        else:
            self._mismatch(name)

    def _pop(self) -> Element:
        element = self._stack.pop()
        if self._stack:
            self._stack[-1].has_never |= element.has_never
        elif self._root is None:
            self._root = element
        number = self._open[element.name] - 1
        if number:
            self._open[element.name] = number
        else:
            del self._open[element.name]
        return element

    def _end(self, edge: Edge, mates: bool) -> None:
        """End the current element by its own end tag."""
        element = self._pop()
        stack = self._stack
        clean = element.is_clean and self._is_usual(element, edge)
        may_mate = mates and edge.instead is None and edge.name and stack and not element.has_never
        if clean and may_mate and element.name != stack[0].name:
            element.edge.mate = edge
            stack[-1].recent = [*stack[-1].recent[1 - RECENT :], element.edge]
        if not clean and any(child is not None and child[0] == element.name for child in element.children):
            _add(self.nested, element.name)
        self._learn(element, CLEAN if clean else UNCLEAN, is_last=True)
        if stack:
            self.child(stack[-1], (element.name, element.column, False))
            stack[-1].is_clean &= clean
        if clean:
            _add(self.complete, element.name)
            if element.has_text:
                self._texts += 1
                self._mixes += element.has_tags

    def _is_usual(self, element: Element, edge: Edge) -> bool:
        """Return whether an element is like others of its name: it would not be taken for two."""
        self._note(element, element.children)
        if element.column < 0:
            return True
        is_odd = self._is_strict[ENDS] and edge.column >= 0 and edge.column != element.column
        return not (is_odd or (self._is_strict[CHILD] and element.is_low))

    def _is_slip(self, name: bytes, other: bytes) -> bool:
        """Return whether the current element seems to have the end tag, where one of the two names is written wrong."""
        starts, ends = self.starts.get(other, 0), self.ends.get(other, 0)
        if bool(starts) == bool(self.ends.get(name)) or (other in self._open and ends <= starts):
            return False
        return name.rpartition(b":")[2] != other and is_near(name, other)

    def _slip(self, name: bytes) -> None:
        """End the current element where its end tag has another name, which is right if start tags have it."""
        element = self._pop()
        if self.starts.get(name):
            element.name = name
        self._learn(element, UNCLEAN, is_last=True)
        if self._stack:
            self.child(self._stack[-1], (element.name, element.column, False))
            self._stack[-1].is_clean = False

    def _mismatch(self, name: bytes) -> None:
        """Take an end tag that is not the current element's."""
        stack = self._stack
        if not stack:
            if self._root is not None:
                _doubt_recent(self._root, name)
            return
        current, is_open = stack[-1], bool(name) and name in self._open
        current.is_clean = False
        if not is_open:
            _doubt_recent(current, name)
        if not is_open and self.starts.get(name, 0) + self.ends.get(name, 0) > 1:
            # What stands before it may belong into an element whose start tag is missing, or that ended too early.
            for _ in range(RECENT):
                if current.children and current.children[-1] is not None and current.children[-1][0] != name:
                    current.children.pop()
        self.child(current, None)
        while is_open:
            element = self._pop()
            is_open = element.name != name
            self._cut(element)
            if stack:
                stack[-1].is_clean = False

    def end(self) -> None:
        """Take the end of the document."""
        stack = self._stack
        self._is_ended = bool(stack) and stack[0].name in self.ends
        while len(stack) > 1:
            self._cut(stack.pop())
        if stack:
            self._learn(stack.pop(), UNCLEAN, is_last=False)

    def child(self, element: Element, child: Child | None) -> None:
        """Add a child to an open element, None for one that is not known."""
        if child is not None and child[2] and _last_symbol(element) == CHARACTERS:
            return
        children = element.children
        children.append(child)
        if len(children) >= CHILDREN + 8:
            self._note(element, children[:CHILDREN])
            if self._weight_of_cut(element):
                self._learn_children(element, children[:CHILDREN], UNCLEAN)
            del children[:CHILDREN]

    def _cut(self, element: Element) -> None:
        """Learn an element without an end tag."""
        self._learn(element, self._weight_of_cut(element), is_last=True)
        if self._stack:
            self.child(self._stack[-1], None)

    def _weight_of_cut(self, element: Element) -> int:
        """Return how much an element without an end tag teaches: it may have what follows it as well.

        If its start tag has no end either, all that follows is in it by the usual reading.
        """
        if element.name in self.complete or element.edge.cost >= COSTS["no_gt"]:
            return 0
        return CUT if self.ends.get(element.name) else NEVER

    @staticmethod
    def _note(element: Element, children: Iterable[Child | None]) -> None:
        """Note of what kinds the children are."""
        for child in children:
            if child is not None:
                _, column, is_text = child
                if is_text:
                    element.has_text = True
                else:
                    element.has_tags = True
                    element.is_low |= 0 <= column <= element.column

    # Learning ---------------------------------------------------------------------------------------------------------

    def _learn(self, element: Element, weight: int, *, is_last: bool) -> None:
        self._learn_children(element, element.children, weight)
        if is_last and weight > CUT and element.previous:
            self.count(element.name, element.previous, LAST, weight)

    def _learn_children(self, element: Element, children: Sequence[Child | None], weight: int) -> None:
        name, previous, before = element.name, element.previous, element.before
        if not weight:
            return
        for child in children:
            if child is None:
                previous, before = b"", NONE
                continue
            symbol, column, is_text = child
            self.count(name, previous, symbol, weight)
            previous = symbol
            if not is_text and weight == CLEAN:
                if symbol == name:
                    _add(self.nested, name)
                if column >= 0:
                    if before >= 0:
                        self._fits[SIBLING][column == before] += 1
                    elif element.column >= 0:
                        self._fits[CHILD][column > element.column] += 1
                    before = column
        element.previous, element.before = previous, before

    def count(self, parent: bytes, previous: bytes, symbol: bytes, weight: int) -> None:
        """Count a child after another one in a parent."""
        triples, key = self._triples, (parent, previous, symbol)
        if self._total >= MOST_COUNTED or (key not in triples and len(triples) >= MOST):
            return
        number = triples[key] = triples.get(key, 0) + weight
        pair = self._pairs[parent, symbol] = self._pairs.get((parent, symbol), 0) + weight
        self._most[parent] = max(self._most.get(parent, 0), pair)
        self._parents[parent] = self._parents.get(parent, 0) + weight
        if previous:
            context = self._contexts.setdefault((parent, previous), [0, 0])
            context[0] += weight
            context[1] = max(context[1], number)
            self._neighbours[previous, symbol] = self._neighbours.get((previous, symbol), 0) + weight
            self._befores[previous] = self._befores.get(previous, 0) + weight
        self._symbols[symbol] = self._symbols.get(symbol, 0) + weight
        self._total += weight

    # Costs ------------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Let the costs be those of all that has been learned by now."""
        self._events.clear()
        self._habits.clear()
        for name in [name for name in self._maybe if self.ends[name] <= self.started(name)]:
            del self._maybe[name]
        self.surplus = list(self._maybe)[-SURPLUS:]
        rare = ln(2 * self._texts + 16) - ln(2 * self._mixes + 1) - 1000
        self._mixed = COSTS["mixed"] * max(0, min(3000, rare)) // 1000
        all_, most = sum(self._columns.values()), max(self._columns.values(), default=0)
        indented = min(1000, 4000 * (all_ - most) // all_) if all_ else 0
        for kind, (no, yes) in enumerate(self._fits):
            prior = 4000 + (4 * indented if kind == CHILD else 0)
            cost = ln(2000 * yes + prior) - ln(2000 * no + 1000)
            self.column_costs[kind] = max(0, min(4000, cost))

    def be_strict(self, other: "Model") -> None:
        """Let columns decide what is clean, by what another model learned; or, with itself, from now on."""
        self._is_strict = [cost > STRICT for cost in other.column_costs]

    def event(self, parent: bytes, previous: bytes, symbol: bytes) -> int:
        """Return what a child costs after another; or the end of the element, after its last child."""
        key = (parent, previous, symbol)
        cost = self._events.get(key)
        if cost is None:
            cost = self._events[key] = self._event(parent, previous, symbol)
        return cost

    def _event(self, parent: bytes, previous: bytes, symbol: bytes) -> int:
        # The probability of a child is that by parent and preceding child, smoothed by that by parent, by that by
        # preceding child, and by that alone. Its cost is relative to the likeliest child. Probabilities have 32 bits.
        key = (parent, previous, symbol)
        is_mixed = symbol == CHARACTERS and previous not in BEFORE_TEXT
        alone = (self._symbols.get(symbol, 0) + 6 << 32) // (self._total + 6 * (len(self._symbols) + 2))
        if is_mixed:
            alone //= 5
        near = ((self._neighbours.get((previous, symbol), 0) << 32) + 40 * alone) // (
            self._befores.get(previous, 0) + 40
        )
        inside = ((self._pairs.get((parent, symbol), 0) << 32) + 20 * near) // (self._parents.get(parent, 0) + 20)
        all_, most = self._contexts.get((parent, previous), (0, 0))
        shown = self._triples.get(key, 0) if previous else 0
        share = max(1, ((shown << 32) + 20 * inside) // (all_ + 20))
        usual = 0
        if parent in self.complete:
            usual = (self._most.get(parent, 0) << 32) // (self._parents.get(parent, 0) + 400)
        likeliest = ((most << 32) + 20 * usual) // (all_ + 20)
        cost = min(COSTS["most"], ln(likeliest) - ln(share)) if likeliest > share else 0
        if symbol not in (CHARACTERS, LAST) and parent not in self.complete and symbol not in self.nested:
            # Of what little is known of the parent, one thing is that others have such children.
            others = ln(self._symbols.get(symbol, 0) + 40) - ln(self._pairs.get((parent, symbol), 0) + 40)
            cost = max(cost, min(COSTS["most"], others))
        if symbol == LAST and self.starts.get(parent) == 1:
            cost = 0  # nothing shows where the only element of its name should end
        never_ends = not self.ends.get(parent)
        is_void = self._knowledge.is_void(parent)
        if is_mixed and not self._pairs.get((parent, CHARACTERS)):
            cost = max(cost, COSTS["bare_text"])
        is_first = previous == FIRST or (previous == FIRST_WITH and not never_ends)
        if symbol == LAST and is_first and not shown and not is_void:
            cost += COSTS["hollow"]
        if previous == CHARACTERS and shown < CLEAN and symbol.lower() not in IN_TEXT:
            cost += 0 if self._knowledge.is_void(symbol) else self._mixed
        if symbol == parent and not self.nested.get(symbol):
            cost += COSTS["self_nest"]
        if never_ends and is_void:
            if symbol == LAST:
                cost = min(cost, COSTS["void_ends"])
            else:
                cost += COSTS["void_with" if previous == FIRST_WITH or parent.lower() in NEVER_FILLED else "void"]
        children = self._knowledge.children(parent)
        if children is None:
            return cost
        if symbol == LAST:
            return cost if children else 0
        is_declared = self._knowledge.known(symbol) in children
        return min(cost, COSTS["declared"]) if is_declared else cost + COSTS["undeclared"]

    def is_usual(self, parent: bytes, previous: bytes, symbol: bytes) -> bool:
        """Return whether several clean elements have had a child after another."""
        return self._triples.get((parent, previous, symbol), 0) >= 2 * CLEAN

    def habit(self, fault: str, name: bytes) -> int:
        """Return how much more a fault costs in tags of a name, by how rare tags that lack another are."""
        cost = self._habits.get((fault, name))
        if cost is None:
            starts, ends = self.started(name), self.ends.get(name, 0)
            of, without = (ends, ends - starts) if fault in LACKS_START else (starts, starts - ends)
            halves = without if fault == "swap" else 2 * without
            cost = ln(20 * of + 20) - ln(10 * max(0, halves) + 1) if of or without else 3000
            if fault != "swap":
                cost = min(cost, COSTS["rare"])
            self._habits[fault, name] = cost
        return cost

    def systematic(self, fault: str, name: bytes) -> int:
        """Return, per mille, what a fault still costs if (nearly) all tags of a name have it."""
        starts, ends = self.started(name), self.ends.get(name, 0)
        if fault == "missing_start":
            return 1000 - 450 * max(0, ends - starts - 1) // max(2, ends - 1)
        if fault == "swap":
            return 1000 - 600 * max(0, starts - ends - 2) // max(2, starts - 2)
        return 1000 - 600 * max(0, starts - ends - 1) // max(2, starts - 1)


def _doubt_recent(element: Element, name: bytes) -> None:
    """Let the last child of a name be no clean element: it may have ended too early."""
    for edge in reversed(element.recent):
        if edge.name == name:
            edge.mate = None
            return


def _last_symbol(element: Element) -> bytes:
    """Return the symbol of the last child of an element."""
    if not element.children:
        return element.previous
    last = element.children[-1]
    return b"" if last is None else last[0]


def _add(counts: dict[_Key, int], key: _Key) -> None:
    """Count one more of a kind; no more kinds than `MOST` are counted."""
    number = counts.get(key)
    if number is not None:
        counts[key] = number + 1
    elif len(counts) < MOST:
        counts[key] = 1
