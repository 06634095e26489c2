"""Prunes a tree while it grows."""

from collections.abc import Callable, Collection
from typing import Any


class Pruner:
    """Removes all nodes from a growing tree that have ended and are in no record.

    A record within a record is removed from the outer one.
    """

    # No content is in two records, and a record that never ends does not grow with the records in it. The open elements
    # are the root, its last child, and so on. Nothing after the last child is touched, since the native parser may
    # still add to it.

    def __init__(self, is_record: Callable[[Any], bool], wanted: Collection[int] | None = None) -> None:
        """Set the function that returns whether a node is a record, and open elements to be kept whole, by `id`."""
        self._is_record = is_record
        self._wanted = () if wanted is None else wanted
        self._open = 0  # known open elements at the last walk through the tree
        self._fed = 0  # bytes of markup fed since then
        self._has_inner = False
        #: The open elements from a record on, by `id`, each with the last child that was examined and stays.
        self._seen: dict[int, tuple[Any, Any]] = {}

    def note_fed(self, length: int) -> None:
        self._fed += length

    def prune(self, root: Any, has_inner: bool) -> None:
        """Remove ended nodes; `has_inner` says whether a record may have ended inside an open record."""
        self._has_inner = self._has_inner or has_inner
        if self._fed < self._open:  # a walk visits all open elements: one for each chunk could take quadratic time
            return
        has_inner, self._has_inner, self._fed = self._has_inner, False, 0
        node = root
        count = 1
        while len(node) and not self._is_record(node) and id(node) not in self._wanted:
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
        self._take_out_records(record, 1)

    def _take_out_records(self, node: Any, place: int) -> None:
        """Remove the records among a node's descendants, beginning at child `place` from the end."""
        # Children are neither counted nor examined twice: lxml would take time for all of them.
        todo = [(node, place)]
        while todo:
            node, place = todo.pop()
            _, seen = self._seen.get(id(node), (None, None))
            texts: list[str] = []  # after the records that are removed, the last first
            while (child := _child(node, place)) is not None and child is not seen:
                if self._is_record(child):
                    if child.tail:
                        texts.append(child.tail)
                        child.tail = None
                    del node[-place]
                else:
                    _add_text(node, child, texts)
                    todo.append((child, 1))
                    place += 1
            _add_text(node, child, texts)


def _child(node: Any, place: int) -> Any:
    try:
        return node[-place]
    except IndexError:
        return None


def _add_text(node: Any, before: Any, texts: list[str]) -> None:
    """Insert texts, the last first, after the child `before`, or at the beginning of the node if it is None.

    White space is left out where white space is before it: between any number of records, there is as much as one has.
    """
    if not texts:
        return
    parts = [(node.text if before is None else before.tail) or ""]
    for text in reversed(texts):
        if not (text.isspace() and parts[-1][-1:].isspace()):
            parts.append(text)
    texts.clear()
    if len(parts) == 1:
        return
    if before is not None:
        before.tail = "".join(parts)
    else:
        node.text = "".join(parts)
