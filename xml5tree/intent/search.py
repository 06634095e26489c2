"""The cheapest reading of a document: a beam over places of the text, running behind the lexer.

A hypothesis has read the text up to a place; it has a stack of open elements, each with its last child, and the end
tags that are owed: of elements whose end was assumed, as these may still come. At each place of the text at most
`BEAM` hypotheses wait, and of those with equal stacks only the cheapest. Each of them tries each edge of the lattice,
as it stands, and with the operations of the table. A clean element is one token.

Places are worked on in steps of `STEP` octets. Before a step, the model takes the tokens up to `LOOK` octets after its
beginning. What was decided `LOOK` octets before is final then: hypotheses that contradict the best one are dropped.

The search is quiet, where the draft's reading has no error up to `LOOK` octets after the step: it stands, and nothing
is learned. At an error, the model takes what is before it, a window or two. It is quiet again where no further error is
in sight, and all operations of the best reading are final.
"""

import re
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from operator import attrgetter
from typing import Final, Unpack

from xml5tree.intent.context import Options
from xml5tree.intent.costs import COSTS
from xml5tree.intent.hypotheses import EARLY, Frame, Frames, Hypothesis, Waiting, rank, weigh
from xml5tree.intent.lattice import EMPTY, END, LOOK, SPACE, START, TEXT, Edge, Lattice
from xml5tree.intent.model import CHARACTERS, FIRST, FIRST_WITH, LAST, Model, first
from xml5tree.intent.names import ENDS, INLINE, PHRASE, PRINTED, is_near, is_odd_case, stem
from xml5tree.intent.restarts import Restarts
from xml5tree.intent.soundness import Soundness
from xml5tree.intent.steps import Step, Walk

STEP: Final = 4096
INNER: Final = 5  # elements that may be ended before a token, besides the usual reading
OUTER: Final = 9  # elements that an end tag may end
OTHERS: Final = 4  # elements that an end tag of another name may end
OWED: Final = 8
AROUND: Final = 64  # elements around one that are looked at
RIVALS: Final = 256  # steps that are compared with those of a rival reading
AGAIN: Final = b"+"  # after the root, its start tag came once more
FREE: Final = -2  # the column of children of the document: what follows the root costs only for itself
_ENDS: Final = re.compile(rb"[\t\n\v\f\r ]*+(?:</[^<>]*+>?+[\t\n\v\f\r ]*+)*+")  # nothing, or end tags only


class Search:
    """The search in one document. `advance` it after the lattice has been fed; what is decided then is a path."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self.lattice = lattice = Lattice(**options)
        self.knowledge = lattice.knowledge
        self.model = Model(self.knowledge)
        self.is_quiet = True
        self.doubt = -1  # where the beam began for the first time
        self.cost = 0  # of what is decided
        self._restarts = Restarts(lattice)
        self._soundness = Soundness(lattice, self._restarts)
        self._retry = 0  # quiet cannot follow before
        self._walk: Walk | None = None  # the decided reading from where the beam began
        self._is_finished = False
        self.place = 0  # all up to here is decided
        self._roots = lattice.roots
        self._root_names = options.get("root_names")
        self._step = 0  # the beginning of the next step
        self._lexed = 0
        self._is_taught = False  # the model has learned something
        self._frames = Frames()
        self._numbers = 0
        self._waiting: dict[int, Waiting] = {}
        self._heap: list[int] = []
        self._last = Hypothesis(0, self._frames.of(b"", None, FIRST, -1, -1), 0)  # the last one that is final

    # Steps ------------------------------------------------------------------------------------------------------------

    @property
    def start(self) -> int | None:
        """Where a start tag begins that may be changed yet, as all but white space has followed it so far."""
        return self._walk.start[0] if self._walk is not None and self._walk.start is not None else None

    @property
    def kept(self) -> int:
        """Where the text begins that is read again if an error follows."""
        if not self.is_quiet:
            return self.place
        return self._soundness.mark if self._soundness.mark > self._lexed else self._last.place

    def advance(self) -> Iterator[Step]:
        """Work on all that can be done by now; yield the further steps of the best reading that are final."""
        for path in self._paths():
            assert self._walk is not None
            yield from self._walk.take(path)

    def _paths(self) -> Iterator[list[Hypothesis]]:
        lattice = self.lattice
        while self._step <= self._end():
            front = self._step + LOOK
            if lattice.final and lattice.fed <= self._step + 2 * LOOK:
                front = lattice.fed
            elif lattice.reach() < front:
                return
            lattice.advance(front)
            self._step = front + 1 if lattice.final and front == lattice.fed else self._step + STEP
            if self.is_quiet:
                self._soundness.advance(front)
                if not self._soundness.has_error(self._step):
                    self.place = max(self.place, min(self._step, lattice.fed))
                    continue
                self._resume()
            self._learn(front)
            if self.is_quiet:
                self._begin_beam()
            yield self._commit()
            if self._is_over(front):
                yield self._path(self._best)
                self._walk = None
                continue
            self._tidy()
            self._search(min(self._step, self._end()))
        if not self.is_quiet and not self._is_finished:
            yield self._finish()

    def _end(self) -> int:
        """Return the place where the document ends, if that is known."""
        return self.lattice.fed if self.lattice.final else 1 << 60

    def _learn(self, front: int) -> None:
        """Let the model take the usual readings up to a place."""
        lattice, model, edges = self.lattice, self.model, []
        while self._lexed < front:
            readings = lattice.edges(self._lexed)
            edge = readings[0]
            edges.append((edge, self._is_doubtful(readings)))
            self._restarts.note(edge)
            self._lexed = edge.end
        is_first, self._is_taught = not self._is_taught, True
        if is_first:  # twice: what is clean is known after the first time
            names = model.open_names
            model.learn(edges, mates=False)
            self.model, first_ = Model(self.knowledge), model
            self.model.resume(names)
            self.model.be_strict(first_)
            model = self.model
        model.learn(edges)
        if lattice.final and self._lexed >= lattice.fed:
            model.end()
            model.refresh()
        if not is_first:
            model.be_strict(model)

    def _is_doubtful(self, readings: Sequence[Edge]) -> bool:
        """Return whether another reading of a tag or section may be meant."""
        edge = readings[0]
        if edge.cost or len(readings) == 1:
            return edge.cost > 0
        return edge.kind in (START, EMPTY, END) or self.lattice.text(edge.begin, edge.begin + 1) == b"<"

    # Quiet ------------------------------------------------------------------------------------------------------------

    def _resume(self) -> None:
        """Prepare for learning what is before an error, but not what is before the mark."""
        mark, root = self._soundness.mark, self._restarts.root
        if mark <= self._lexed:
            return
        names = self._soundness.open_at_mark()
        frame = self._frames.of(b"", None, (root.name if root.begin < mark else b"") or FIRST, -1, -1)
        for name in names:
            frame = self._frames.push(frame, name, -1, b"")
        self._last = Hypothesis(self._last.cost, frame, mark)
        self.model.resume(names)
        self._lexed = mark

    def _begin_beam(self) -> None:
        """Let the beam begin at the step, up to which the draft's reading stands."""
        place, frame = self._soundness.follow(self._frames, self._last.frame, self._last.place, self.place)
        self.place = place
        self.is_quiet = False
        self.doubt = place if self.doubt < 0 else self.doubt
        self._last = Hypothesis(self._last.cost, frame, place)
        self._walk = Walk(frame)
        self._wait(self._last)

    def _is_over(self, front: int) -> bool:
        """Return whether quiet begins: no error is in sight after the best reading, and its operations are final."""
        best, sound = self._best, self._soundness
        if best.owed or best.place <= self._retry or len(best.anchors) < LOOK // STEP:
            return False
        if any(step.is_choice for step in self._steps(best)) or not sound.begin(best, self._lexed):
            return False
        sound.advance(front)
        if sound.has_error(self._step):
            self._retry = sound.place
            return False
        self._waiting.clear()
        self._heap.clear()
        self.is_quiet = True
        self.cost = best.cost
        return True

    # Deciding ---------------------------------------------------------------------------------------------------------

    def _commit(self) -> list[Hypothesis]:
        """Drop the hypotheses that contradict the best one in what is final now."""
        depth = LOOK // STEP
        places = sorted(place for place, waiting in self._waiting.items() if waiting.hypotheses)
        nearest = [min(self._waiting[place].hypotheses.values(), key=rank) for place in places]
        self._best = best = min(nearest, key=attrgetter("cost"))  # the nearest of equally dear ones
        decided = best.anchors[-depth] if len(best.anchors) >= depth else None
        self._weigh(best)
        for place in places:
            waiting = self._waiting[place]
            kept: dict[tuple[int, tuple[bytes, ...]], Hypothesis] = {}
            for key, hypothesis in waiting.hypotheses.items():
                if decided is None or (len(hypothesis.anchors) >= depth and hypothesis.anchors[-depth] is decided):
                    hypothesis.anchors = (*hypothesis.anchors[1 - depth :], hypothesis)
                    kept[key] = hypothesis
                else:
                    weigh(best, hypothesis, max(hypothesis.cost - best.cost, 0), self._last.place)
            waiting.hypotheses = kept
            waiting.limit()
        self._waiting = {place: self._waiting[place] for place in places if self._waiting[place].hypotheses}
        self._heap = list(self._waiting)
        return [] if decided is None else self._path(decided)

    def _weigh(self, best: Hypothesis) -> None:
        """Weigh the steps of the best reading against the rivals of each."""
        choices = RIVALS
        for hypothesis in self._steps(best):
            choices = 0 if hypothesis.is_choice else choices + 1
            if choices < RIVALS and hypothesis.rival is not None:
                weigh(hypothesis, hypothesis.rival, hypothesis.gap, self._last.place, RIVALS)
            hypothesis.rival = None

    def _steps(self, to: Hypothesis) -> list[Hypothesis]:
        path = []
        hypothesis: Hypothesis | None = to
        while hypothesis is not None and hypothesis is not self._last:
            path.append(hypothesis)
            hypothesis = hypothesis.before
        path.reverse()
        return path

    def _path(self, to: Hypothesis) -> list[Hypothesis]:
        path = self._steps(to)
        to.before = None
        self._last, self.place = to, to.place
        return path

    def _tidy(self) -> None:
        """Drop what no hypothesis needs any more."""
        self._restarts.forget(self.place)
        self._frames.collect(
            [hypothesis.frame for waiting in self._waiting.values() for hypothesis in waiting.hypotheses.values()]
        )

    def _finish(self) -> list[Hypothesis]:
        """Return the rest of the best reading at the end of the document: what is open ends there."""
        best, least, ends = None, 1 << 60, []
        for hypothesis in self._waiting.pop(self._end()).ranked():
            cost, each, count, frame = hypothesis.cost, 0, 0, hypothesis.frame
            self._kind = -1
            while frame.parent is not None:
                each += self._missing_end(frame, 0)
                count += 1
                frame = frame.parent
            if count:
                cost += min(each, COSTS["cut_off"] + COSTS["cut_off_each"] * count)
            ends.append((hypothesis, cost))
            if cost < least:
                best, least = hypothesis, cost
        assert best is not None
        self._weigh(best)
        for hypothesis, cost in ends:
            weigh(best, hypothesis, cost - least, self._last.place)
        self.cost = least
        self._is_finished = True
        return self._path(best)

    # The beam ---------------------------------------------------------------------------------------------------------

    def _wait(self, hypothesis: Hypothesis) -> None:
        self._target(hypothesis.place).put(hypothesis)

    def _target(self, place: int) -> Waiting:
        waiting = self._waiting.get(place)
        if waiting is None:
            waiting = self._waiting[place] = Waiting()
            heappush(self._heap, place)
        return waiting

    def _search(self, to: int) -> None:
        """Let the hypotheses go on that wait before a place."""
        heap, edges = self._heap, self.lattice.edges
        while heap and heap[0] < to:
            place = heappop(heap)
            waiting = self._waiting.pop(place)
            if not waiting.hypotheses:
                continue
            ranked = waiting.ranked()
            readings = edges(place)
            self._margin = COSTS["width"] + (len(readings) == 1)
            for edge in readings:
                is_element = edge.mate is not None and edge.kind == START
                end = edge.mate.end if edge.mate is not None and is_element else edge.end
                self._edge, self._is_element, self._to = edge, is_element, end
                self._there = self._target(end)
                self._no_root = COSTS["no_root"] if end == self._end() else 0
                for hypothesis in ranked:
                    if hypothesis.cost + edge.cost <= self._there.bound:
                        self._from, self._kind = hypothesis, edge.kind
                        self._expand(hypothesis)

    def _put(
        self,
        cost: int,
        frame: Frame,
        owed: tuple[bytes, ...] = (),
        operation: str = "",
        closed: int = 0,
        opened: bytes = b"",
        name: bytes = b"",
    ) -> None:
        waiting = self._there
        if frame.parent is None and frame.previous == FIRST:
            cost += self._no_root
        if cost > waiting.bound:
            return
        found = waiting.hypotheses.get((frame.number, owed))
        gap = cost - found.cost if found is not None else 0
        if found is not None and gap >= 0 and found.rival is not None and gap >= found.gap:
            return
        hypothesis = Hypothesis(cost, frame, self._to)
        self._numbers += 1
        hypothesis.number = self._numbers
        hypothesis.owed = owed
        hypothesis.before = self._from
        hypothesis.edge = self._edge
        hypothesis.operation, hypothesis.closed, hypothesis.opened, hypothesis.name = operation, closed, opened, name
        if found is not None and gap >= 0:
            found.rival, found.gap = hypothesis, gap
            return
        hypothesis.rival, hypothesis.gap = found, -gap
        hypothesis.margin = COSTS["width"] if operation or closed or opened else self._margin
        hypothesis.anchors = self._from.anchors
        waiting.put(hypothesis)

    def _expand(self, hypothesis: Hypothesis) -> None:
        """Try an edge after a hypothesis."""
        edge = self._edge
        cost = hypothesis.cost + edge.cost
        if edge.kind == SPACE:
            frame = hypothesis.frame
            self._put(cost, self._early(frame) if edge.name else frame, hypothesis.owed)
        elif edge.kind == END:
            self._end_tag(hypothesis.frame, hypothesis.owed, cost)
        else:
            self._enter_all(hypothesis.frame, hypothesis.owed, cost)

    def _end_tag(self, frame: Frame, owed: tuple[bytes, ...], cost: int) -> None:
        model, edge = self.model, self._edge
        name, column, parent = edge.name, edge.column, frame.parent
        surplus = model.habit("surplus_end", name)
        is_own = parent is not None and (not name or frame.name == name)
        if is_own and parent is not None:
            closing = self._close_cost(frame, column) + self._loss_cost(frame)
            self._put(cost + closing, parent if name else self._around(frame), owed)
            is_sure = closing <= COSTS["sure"] and not edge.cost and name not in model.surplus
            if is_sure and parent.parent is not None:
                return
        if parent is None and frame.previous != FIRST:  # after the root
            self._put(cost + (0 if frame.previous == AGAIN else COSTS["after_root_each"]), frame, owed, "after_root")
            return
        # It belongs to no element.
        if name in owed:
            rest = tuple(other for other in owed if other != name)
            self._put(cost + COSTS["drop_end_owed"], frame, rest, "drop_end")
        else:
            dropping = COSTS["drop_end"] + surplus
            if parent is not None and parent.parent is None and self._is_torn(edge.end):
                dropping += COSTS["torn_tail"]
            if is_own:
                dropping += -COSTS["goes_on_once"] if model.starts.get(name) == 1 else COSTS["goes_on"]
            if self._from.operation == "goes_on":
                dropping = dropping * COSTS["gap"] // 1000
            self._put(cost + dropping, frame, owed, "goes_on" if is_own else "drop_end")
        if parent is None:
            return
        if self.knowledge.is_void(name) and edge.cost >= 0:  # else it is near a name that the caller lists
            opening = self._open_cost(frame, name, column)
            self._put(cost + COSTS["void_end"] + opening, self._frames.after(frame, name, column), owed, "void_end")
        # It ends an outer element, or has another name than the one that it ends.
        before, outer, others = cost, frame, owed
        for closed in range(OUTER):
            if outer.parent is None or before > self._there.bound:
                break
            if closed and outer.name == name:
                ending = self._close_cost(outer, column) + self._loss_cost(outer)
                self._put(before + ending, outer.parent, others[-OWED:], "end", closed)
            elif name and outer.name != name and closed < OTHERS:
                wrong = before + (surplus + model.habit("missing_end", outer.name)) // 2
                operation = "wrong_end_near" if is_near(name, outer.name) else "wrong_end"
                wrong += COSTS[operation] + self._root_cost(outer)
                if operation == "wrong_end_near" and is_odd_case(outer.name, name, outer.parent.name):
                    wrong += COSTS["odd_case"]
                if operation == "wrong_end_near" and self._has_own_elements(name, outer.name):
                    wrong += COSTS["unseen_start"]
                if wrong <= self._there.bound:
                    wrong += self._close_cost(outer, column)
                    self._put(wrong, self._around(outer), others[-OWED:], operation, closed, name=outer.name)
            before += self._missing_end(outer, closed)
            others = (*others, outer.name)
            outer = outer.parent
        if name:
            opening = cost + COSTS["end_as_start"] + surplus + self._after_others_cost(frame, name)
            opening += self._open_cost(frame, name, column)
            if opening <= self._there.bound:
                self._put(opening, self._frames.push(frame, name, column, FIRST), (), "end_as_start")

    def _has_own_elements(self, name: bytes, other: bytes) -> bool:
        """Return whether a name has elements, and another that is near has none: so they are hardly the same."""
        model = self.model
        has_some = name in model.complete or min(model.started(name), model.ends.get(name, 0)) > 1
        return has_some and other not in model.complete and not model.ends.get(other) and stem(name) != stem(other)

    def _enter_all(self, frame: Frame, owed: tuple[bytes, ...], cost: int) -> None:
        """Try text or an opening tag in the current element; after the ends of some; in assumed ones."""
        model, edge = self.model, self._edge
        is_restart = edge.begin in self._restarts and (self._roots or self._restarts.is_root_tag(edge))
        inner = frame
        for closed in range(INNER + 1):
            self._enter(inner, owed, cost, closed, b"")
            if inner.parent is not None or inner.previous == FIRST:
                for name in model.surplus:
                    assumed = COSTS["missing_start"] * model.systematic("missing_start", name) // 1000
                    assumed += cost + model.habit("missing_start", name) + self._after_others_cost(inner, name)
                    if model.is_usual(name, FIRST, edge.name or CHARACTERS):
                        assumed -= COSTS["usual_start"]
                    elif edge.kind == TEXT and not closed and self._lacks_start(inner, name):
                        assumed -= COSTS["only_start"]
                    assumed += self._open_cost(inner, name, -1)
                    if assumed <= self._there.bound:
                        self._enter(self._frames.push(self._early(inner), name, -1, FIRST), owed, assumed, closed, name)
            if inner.parent is None or (inner.parent.parent is None and not self._roots):
                return
            ending = self._missing_end(inner, closed)
            cost += ending * COSTS["restart"] // 1000 if is_restart else ending
            if cost > self._there.bound:
                return
            inner = inner.parent

    def _enter(self, frame: Frame, owed: tuple[bytes, ...], cost: int, closed: int, opened: bytes) -> None:
        """Try text or an opening tag in an element."""
        model, edge = self.model, self._edge
        kind, name, column, parent = edge.kind, edge.name, edge.column, frame.parent
        if kind == TEXT:
            if parent is not None:
                if frame.previous != CHARACTERS:
                    cost += self._event(frame, CHARACTERS)
                    frame = self._frames.after(frame, CHARACTERS)
                self._put(cost, frame, owed, "", closed, opened)
            elif not opened:
                self._put(cost + self._outer_text_cost(frame), frame, (), "", closed)
            return
        if parent is None and frame.previous != FIRST and not self._roots:
            self._after_root(frame, cost, closed, opened)
            return
        inside = self._open_cost(frame, name, column)
        if self._is_element:
            self._put(cost + inside, self._frames.after(frame, name, column), (), "", closed, opened)
            return
        if kind == EMPTY:
            after = self._frames.after(frame, name, column)
            if edge.operation and parent is None and not self._roots:
                inside += self._early_cost()
                after = self._early(after)
            self._put(cost + inside, after, (), "", closed, opened)
            if model.ends.get(name, 0) > model.started(name):
                into = self._frames.push(frame, name, column, first(edge))
                cost_of_start = cost + inside + model.habit("missing_start", name)
                cost_of_start += COSTS["empty_as_start"] * model.systematic("missing_start", name) // 1000
                self._put(cost_of_start, into, (), "empty_as_start", closed, opened)
            swap = COSTS["empty_as_end"] * model.systematic("missing_end", name) // 1000
            self._as_end_tag(frame, cost + swap, "missing_end", "empty_as_end", closed, opened)
            return
        self._put(cost + inside, self._frames.push(frame, name, column, first(edge)), (), "", closed, opened)
        if parent is None:
            return
        if parent.parent is None and self._restarts.is_root_tag(edge):
            again = self._frames.of(frame.name, self._early(parent), frame.previous, frame.column, frame.child_column)
            share = COSTS["restart"] if edge.begin in self._restarts else 1000
            self._put(cost + COSTS["root_again"] * share // 1000, again, owed, "root_again", closed, opened)
        swap = COSTS["start_as_end"] * model.systematic("swap", name) // 1000
        is_text = frame.previous == CHARACTERS
        if not model.ends.get(name):
            if is_text and name.lower() in INLINE:
                swap -= COSTS["start_as_end_inline"]
            elif not self._is_before(b"<" if is_text else b"</", edge.end):
                swap += COSTS["start_as_end_unseen"]
        self._as_end_tag(frame, cost + swap, "swap", "start_as_end", closed, opened)
        if model.started(name) > model.ends.get(name, 0):
            for other in model.surplus:
                self._rename(frame, other, cost, closed, opened)
            if not model.ends.get(name) and name not in model.complete and not self.knowledge.is_void(name):
                self._as_text(frame, cost, closed, opened)

    def _as_end_tag(self, frame: Frame, cost: int, fault: str, operation: str, closed: int, opened: bytes) -> None:
        """Try an opening tag as the end tag of the current element."""
        edge, parent = self._edge, frame.parent
        if edge.has_attributes or parent is None or frame.name != edge.name or frame.previous in (FIRST, FIRST_WITH):
            return
        cost += self._root_cost(frame) + self.model.habit(fault, edge.name) + self._close_cost(frame, edge.column)
        self._put(cost, self._around(frame), (), operation, closed, opened, frame.name)

    def _rename(self, frame: Frame, other: bytes, cost: int, closed: int, opened: bytes) -> None:
        """Try a start tag under another name."""
        model, edge, name = self.model, self._edge, self._edge.name
        is_slip = is_near(other, name)
        if not is_slip and other == name:
            return
        cost += COSTS["rename_start" if is_slip and stem(other) != stem(name) else "rename_far"]
        cost += model.habit("surplus_start", name) // 2
        if model.started(other) <= 0 and other not in model.complete:
            cost += COSTS["unseen_name"]
        if model.ends.get(name) or name in model.complete:
            cost += COSTS["complete_name"]
        if b":" in name and name.rpartition(b":")[2] == other:
            cost += COSTS["prefix"]
        cost += self._open_cost(frame, other, edge.column)
        if cost <= self._there.bound:
            into = self._frames.push(frame, other, edge.column, first(edge))
            self._put(cost, into, (), "rename_start", closed, opened, other)

    def _as_text(self, frame: Frame, cost: int, closed: int, opened: bytes) -> None:
        """Try a start tag as text."""
        edge, source = self._edge, self.lattice.text
        is_printed = edge.name.lower() in PRINTED and not edge.has_attributes
        cost += COSTS["printed" if is_printed else "start_as_text"]
        is_after_tag = frame.previous != CHARACTERS or source(edge.begin - 1, edge.begin) in (b">", b"\n")
        if is_after_tag and not is_printed:
            cost += COSTS["between_tags"]
        if edge.has_attributes or edge.name.lower() in PHRASE:
            cost += COSTS["phrase_text"]
        if frame.previous != CHARACTERS:
            cost += self._event(frame, CHARACTERS)
        self._put(cost, self._frames.after(frame, CHARACTERS), (), "start_as_text", closed, opened)

    # Outside the root -------------------------------------------------------------------------------------------------

    def _outer_text_cost(self, frame: Frame) -> int:
        """Return what text costs that is in no element."""
        if self._roots or frame.previous == AGAIN:
            return 0
        if frame.previous != FIRST:
            return self._after_root_cost(frame)
        begin = self.lattice.text(self._edge.begin, min(self._edge.end, self._edge.begin + 2))
        return COSTS["text_before_root"] if begin[:1] == b"<" and begin != b"<!" else 0

    def _after_root_cost(self, frame: Frame) -> int:
        each = COSTS["after_root_early" if frame.child_column == EARLY else "after_root_each"]
        return each * (1 + (self._to - self._edge.begin) // 40)

    def _after_root(self, frame: Frame, cost: int, closed: int, opened: bytes) -> None:
        """Try an opening tag after the root: the draft drops it."""
        edge = self._edge
        if frame.previous == AGAIN:
            self._put(cost, frame, (), "", closed, opened)
        elif frame.previous == edge.name and (edge.begin in self._restarts or self._restarts.is_root_tag(edge)):
            cost += COSTS["after_root"] - COSTS["next_root"]
            self._put(cost, self._frames.after(frame, AGAIN), (), "", closed, opened)
        else:
            cost += self._after_root_cost(frame) + (COSTS["after_root"] if frame.child_column > FREE else 0)
            column = min(frame.child_column, FREE)
            self._put(cost, self._frames.of(frame.name, None, frame.previous, -1, column), (), "", closed, opened)

    def _around(self, frame: Frame) -> Frame:
        """Return what is around an element that is ended by another tag than its own."""
        assert frame.parent is not None
        return self._early(frame.parent)

    def _early(self, frame: Frame) -> Frame:
        """Return an element; if it is the document, one in which what follows the root is dear."""
        if frame.parent is not None or self._roots:
            return frame
        return self._frames.of(frame.name, None, frame.previous, -1, EARLY)

    def _is_before(self, following: bytes, place: int) -> bool:
        """Return whether only white space is between a place and what may follow it."""
        return self.lattice.text(place, place + 256).lstrip().startswith(following)

    def _lacks_start(self, frame: Frame, name: bytes) -> bool:
        """Return whether text beside elements is all that is in one which lacks its start tag, as no other does."""
        begin, end, previous = self._edge.begin, self._edge.end, frame.previous
        after = end + len(name) + 3
        if b">" in self.lattice.text(begin, end):  # the rest of a tag, perhaps
            return False
        lacking = self.model.ends.get(name, 0) - self.model.starts.get(name, 0)
        if lacking != 1 or self.lattice.text(end, after) != b"</%b>" % name:
            return False
        if previous in (FIRST, FIRST_WITH) and (not self.model.ends.get(frame.name) or self._is_before(b"</", after)):
            return False
        if previous == name or previous.lower() in INLINE or is_near(name, frame.name):
            return False
        return self._is_before(b"<", after)

    def _is_torn(self, place: int) -> bool:
        """Return whether a place looks like one within a tag."""
        after = self.lattice.text(place, place + 256).lstrip()
        end = after.find(b">")
        return end > 0 and b"<" not in after[:end]

    # Costs ------------------------------------------------------------------------------------------------------------

    def _event(self, frame: Frame, symbol: bytes) -> int:
        """Return what a child costs, or the end."""
        return self.model.event(frame.name, frame.previous, symbol)

    def _open_cost(self, frame: Frame, name: bytes, column: int) -> int:
        """Return what an element in another one costs."""
        model, parent = self.model, frame.parent
        cost = self._event(frame, name) + self._never_cost(frame, name)
        if name.lower() in ENDS.get(frame.name.lower(), ()) and not model.is_usual(frame.name, frame.previous, name):
            cost += COSTS["html_end"]
        if parent is None:
            if frame.previous == FIRST:
                cost = COSTS["no_root"] if self._root_names and name not in self._root_names else 0
            elif not self._roots:
                cost += COSTS["after_root"]
            else:
                cost = min(cost, COSTS["next_root"])
        if column >= 0:
            if frame.child_column >= 0:
                if column != frame.child_column:
                    cost += model.column_costs[0]
            elif column <= frame.column:
                cost += model.column_costs[1]
        return cost

    def _after_others_cost(self, frame: Frame, name: bytes) -> int:
        """Return what the start of an element costs between others, if its name has end tags only."""
        edge, model = self._edge, self.model
        if frame.previous in (name, FIRST, FIRST_WITH) or model.starts.get(name) or model.ends.get(name, 0) < 3:
            return 0
        is_before_tag = self._is_before(b"<", edge.end if edge.kind == END else edge.begin)
        return COSTS["start_after_others"] if is_before_tag else 0

    def _never_cost(self, frame: Frame, name: bytes) -> int:
        """Return what an element costs that is never in one of those around it, as it is known."""
        never = self.knowledge.around(name)
        around: Frame | None = frame if never else None
        for _ in range(AROUND):
            if around is None or around.parent is None:
                break
            if self.knowledge.known(around.name) in never:
                return COSTS["undeclared"]
            around = around.parent
        return 0

    def _close_cost(self, frame: Frame, column: int = -1) -> int:
        """Return what the end of an element costs, by the column of its end tag."""
        cost = self._event(frame, LAST)
        if column >= 0 <= frame.column != column:
            cost += self.model.column_costs[2]
        return cost

    def _is_root(self, frame: Frame) -> bool:
        return frame.parent is not None and frame.parent.parent is None

    def _root_cost(self, frame: Frame) -> int:
        if self._roots or not self._is_root(frame):
            return 0
        return self._early_cost() + self._loss_cost(frame)

    def _loss_cost(self, frame: Frame) -> int:
        """Return what it costs besides that the root ends where most of the document follows."""
        end = self._edge.end
        is_most = min(self.lattice.fed, end + LOOK) - end > 2 * (end - self._restarts.root.begin)
        if not is_most or self._roots or not self._is_root(frame) or not self._early_cost():
            return 0
        return COSTS["lost_most"]

    def _early_cost(self) -> int:
        """Return what it costs besides that an operation ends the root."""
        end = self._edge.end
        return 0 if _ENDS.fullmatch(self.lattice.text(end, end + 256)) else COSTS["early_end"]

    def _missing_end(self, frame: Frame, closed: int) -> int:
        """Return what the assumed end of an element costs, where others have been assumed at the same place."""
        model, name = self.model, frame.name
        share = model.systematic("missing_end", name)
        if not model.ends.get(name):
            if self.knowledge.is_void(name):
                is_hollow = frame.previous in (FIRST, FIRST_WITH)
                share = COSTS["void_name" if is_hollow else "never_ended"]
            elif (
                frame.previous == FIRST_WITH
                and self._kind != TEXT
                and name not in model.filled
                and not self._is_root(frame)
            ):
                share = COSTS["empty_tag" if model.started(name) > 1 else "empty_tag_once"]
        cost = COSTS["missing_end"] * share // 1000 + model.habit("missing_end", name)
        cost += self._close_cost(frame)
        return cost * COSTS["gap"] // 1000 if closed else cost
