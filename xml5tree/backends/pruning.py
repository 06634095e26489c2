"""Keeping a tree small while it grows."""

from collections.abc import Callable
from typing import Any

__all__ = ["Pruner"]


class Pruner:
    """Takes out of a growing tree what has been read of it: all that has ended and is in no record.

    A record is an element of a certain name. A record within a record is taken out of that too, so that nothing is in
    both, and a record that never ends does not grow with all those that follow it.

    What is open is at the end of the tree: the root, its last child, and so on. Whatever stands before a child that is
    the last has ended. Nothing after the last child is touched, since the native parser may be about to add to it.
    """

    def __init__(self, is_record: Callable[[Any], bool]) -> None:
        """Set what tells whether an element, comment or the like is a record."""
        self._is_record = is_record
        self._open = 0  # elements that were open, as far as is known, when the tree was last looked through
        self._fed = 0  # bytes of markup that the tree has grown by since then
        self._has_inner = False
        #: What is open from a record on, by `id`, each with the last child of it that has been looked at and stays.
        self._seen: dict[int, tuple[Any, Any]] = {}

    def note_fed(self, length: int) -> None:
        """Note how many bytes of markup the tree has grown by."""
        self._fed += length

    def prune(self, root: Any, has_inner: bool) -> None:
        """Take out of a tree what has been read of it, once that is as much as there are elements to look through.

        That is by far most often at once. But all open elements are looked through: if that were done after each piece
        of the document, time would grow with the number of pieces times the depth.

        Args:
            root: the root element.
            has_inner: whether a record may have ended in a record that is open.
        """
        self._has_inner = self._has_inner or has_inner
        if self._fed < self._open:
            return
        has_inner, self._has_inner, self._fed = self._has_inner, False, 0
        node = root
        count = 1
        while not self._is_record(node) and len(node):
            del node[:-1]
            node = node[-1]
            count += 1
        seen = {}
        while (last := _child(node, 1)) is not None:
            if has_inner:
                self._take_out_records(node, 2)
            seen[id(node)] = node, _child(node, 2)
            node = last
        self._seen = seen
        self._open = count + len(seen)

    def purge(self, record: Any) -> None:
        """Take the records out of a record that has ended."""
        self._take_out_records(record, 1)

    def _take_out_records(self, node: Any, place: int) -> None:
        """Take records out of the children of a node, and out of what is in these, that have not been looked at.

        Children are not counted, nor looked at twice: lxml would take time for all of them.

        Args:
            node: the node.
            place: the place of the last child to look at, counted from the end.
        """
        todo = [(node, place)]
        while todo:
            node, place = todo.pop()
            _, seen = self._seen.get(id(node), (None, None))
            texts: list[str] = []  # after the records that are taken out, the last first
            while (child := _child(node, place)) is not None and child is not seen:
                if self._is_record(child):
                    # What is kept of the text after one must not depend on which others are taken out with it.
                    if child.tail and not child.tail.isspace():
                        texts.append(child.tail)
                    child.tail = None
                    del node[-place]
                else:
                    _add_text(node, child, texts)
                    todo.append((child, 1))
                    place += 1
            _add_text(node, child, texts)


def _child(node: Any, place: int) -> Any:
    """Return the child at a place counted from the end, or None."""
    try:
        return node[-place]
    except IndexError:
        return None


def _add_text(node: Any, before: Any, texts: list[str]) -> None:
    """Move texts, the last first, to after a child of a node; where that is None, to the beginning of the node."""
    if not texts:
        return
    text = "".join(reversed(texts))
    texts.clear()
    if before is not None:
        before.tail = (before.tail or "") + text
    else:
        node.text = (node.text or "") + text
