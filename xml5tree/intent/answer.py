"""What a reading of a whole document teaches, for a second search."""

from collections.abc import Iterable, Sequence

from xml5tree.intent.hypotheses import Hypothesis
from xml5tree.intent.knowledge import Knowledge
from xml5tree.intent.lattice import EMPTY, END, SPACE, TEXT, Edge
from xml5tree.intent.model import CHARACTERS, CLEAN, FIRST, LAST, UNCLEAN, Element, Model, first

__all__ = ["taught"]


def taught(path: Sequence[Hypothesis], tape: Sequence[Edge], knowledge: Knowledge) -> Model:
    """Return a model of a reading; `tape` has the usual readings, of which those inside clean elements count."""
    # An element teaches as a clean one if its own tags are as they stand, whatever is in it.
    model, stack = Model(knowledge), list[Element]()
    inner = _inner(path, tape)
    for step in path:
        if step.edge is not None and not step.is_element:
            model.tally(step.edge)
    for token in inner:
        model.tally(token)
    for token in inner:
        model.nest(token, mates=False)
    for step in path:
        edge, operation = step.edge, step.operation
        if edge is None or edge.kind == SPACE or operation == "after_root":
            continue
        for _ in range(step.closed):
            _end(model, stack, -1, is_own=False)
        if step.opened:
            stack.append(Element(step.opened, -1, FIRST, is_clean=False))
        if operation in ("drop_end", "goes_on", "root_again"):
            if stack:  # more than a tag may be missing around it
                stack[-1].is_clean = False
            continue
        if edge.kind == END and not operation:
            if stack:
                _end(model, stack, edge.column, is_own=not edge.name or edge.name == stack[-1].name)
        elif operation in ("end", "wrong_end", "wrong_end_near", "start_as_end", "empty_as_end"):
            _end(model, stack, edge.column, is_own=False)
        elif edge.kind == TEXT or operation == "start_as_text":
            if stack:
                model.child(stack[-1], (CHARACTERS, -1, True))
        elif step.is_element or operation == "void_end" or (edge.kind == EMPTY and not operation):
            if stack:
                model.child(stack[-1], (edge.name, edge.column, False))
            if not step.is_element and not operation:
                model.count(edge.name, first(edge), LAST, CLEAN)
        else:
            symbol = FIRST if edge.kind == END else first(edge)
            stack.append(Element(step.name or edge.name, edge.column, symbol, is_clean=not operation))
    while stack:
        _end(model, stack, -1, is_own=False)
    model.refresh()
    return model


def _end(model: Model, stack: list[Element], column: int, *, is_own: bool) -> None:
    element = stack.pop()
    model.learn(element, CLEAN if is_own and element.is_clean else UNCLEAN, column)
    if stack:
        model.child(stack[-1], (element.name, element.column, False))


def _inner(path: Iterable[Hypothesis], tape: Sequence[Edge]) -> list[Edge]:
    """Return the tokens of the clean elements of a reading."""
    inner, index = [], 0
    for step in path:
        if step.edge is not None and step.is_element:
            while tape[index].begin < step.edge.begin:
                index += 1
            while index < len(tape) and tape[index].begin < step.place:
                inner.append(tape[index])
                index += 1
    return inner
