"""Ways to cut an input into pieces: the parser must not notice any of them (invariant I4)."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import TypeVar

from hypothesis import strategies as st

Data = TypeVar("Data", str, bytes)


def cut(data: Data, points: list[int]) -> list[Data]:
    """Cut ``data`` at ascending ``points``; a point twice, or at either end, gives an empty piece."""
    return [data[start:end] for start, end in pairwise([0, *points, len(data)])]


def splits(data: Data, pieces: int = 2) -> Iterator[list[Data]]:
    """All ways to cut ``data`` into at most ``pieces`` pieces, none empty, the whole first."""
    for points in range(pieces):
        for chosen in combinations(range(1, len(data)), points):
            yield cut(data, list(chosen))


def chunks(data: Data, size: int) -> Iterator[Data]:
    """Cut ``data`` into pieces of ``size``, the last one perhaps shorter; nothing for empty data."""
    for start in range(0, len(data), size):
        yield data[start : start + size]


def chunkings(data: Data) -> st.SearchStrategy[list[Data]]:
    """Random ways to cut ``data``: equal small pieces, or up to nine pieces, some of them empty."""
    sizes = st.integers(1, 8).map(lambda size: list(chunks(data, size)) or [data])
    points = st.lists(st.integers(0, len(data)), max_size=8).map(sorted)
    return points.map(lambda chosen: cut(data, chosen)) | sizes
