"""Keeping a tree small while it grows."""

from collections.abc import Callable
from typing import Any

__all__ = ["Forgetter"]


class Forgetter:
    """Takes out of a growing tree what has been read of it: all that has ended and is in no record.

    A record is an element of a certain name. A record within a record is taken out of that too, so that nothing is in
    both, and a record that never ends does not grow with all those that follow it.

    What is open is at the end of the tree: the root, its last child, and so on. Whatever stands before a child that is
    the last has ended. Nothing after the last child is touched, since the native parser may be about to add to it.
    """

    def __init__(self, is_record: Callable[[Any], bool]) -> None:
        """Set what tells whether an element, comment or the like is a record."""
        self._is_record = is_record
        #: Open elements, from a record on, and the last child of each that is there to stay.
        self._stay: list[tuple[Any, Any]] = []

    def forget(self, root: Any, has_inner: bool) -> None:
        """Take out of a tree what has been read of it.

        Args:
            root: the root element.
            has_inner: whether a record within a record has ended since the last time.
        """
        node = root
        while not self._is_record(node) and len(node):
            del node[:-1]
            node = node[-1]
        if has_inner:
            self._take_inner_records_out(node)

    def _take_inner_records_out(self, record: Any) -> None:
        """Take out of a record that is open, and of what is open in it, the records that have ended.

        No child is looked at twice, nor are they counted, which takes lxml as long as there are children.
        """
        stay = []
        known = iter(self._stay)
        node = record
        while (last := _child(node, 1)) is not None:
            before, child = next(known, (None, None))
            if before is not node:
                known, child = iter(()), None
            self._take_out_records(node, 2, child)
            stay.append((node, _child(node, 2)))
            node = last
        self._stay = stay

    def purge(self, record: Any) -> None:
        """Take the records out of a record that has ended."""
        self._take_out_records(record, 1, None)

    def _take_out_records(self, node: Any, place: int, until: Any) -> None:
        """Take records out of a node's children and what is in them.

        Args:
            node: the node.
            place: the place of the last child to look at, from the end.
            until: the child before the first one to look at; None: look at all.
        """
        todo = [(node, place, until)]
        while todo:
            node, place, until = todo.pop()
            while (child := _child(node, place)) is not None and child is not until:
                if self._is_record(child):
                    _take_out(node, place)
                else:
                    todo.append((child, 1, None))
                    place += 1


def _child(node: Any, place: int) -> Any:
    """The child at a place counted from the end, or None."""
    try:
        return node[-place]
    except IndexError:
        return None


def _take_out(node: Any, place: int) -> None:
    """Take a child, whose place is counted from the end, out of a node; the text after it stays."""
    child = node[-place]
    tail = child.tail
    child.tail = None
    del node[-place]
    if tail and not tail.isspace():
        before = _child(node, place)
        if before is not None:
            before.tail = (before.tail or "") + tail
        else:
            node.text = (node.text or "") + tail
