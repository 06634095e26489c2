"""Check that a function's time grows in proportion to its input (invariant I7)."""

import gc
import time
from collections.abc import Callable, Sized
from typing import TypeVar

Input = TypeVar("Input")


def assert_scales_linearly(
    function: Callable[[Input], object],
    make_input: Callable[[int], Input],
    small: int,
    factor: int = 4,
    *,
    slack: float = 2.2,
    attempts: int = 12,
    floor: float = 0.003,
) -> None:
    """Fail when ``factor`` times the input costs more than ``slack * factor`` times the CPU time.

    Linear work costs ``factor`` times as much, quadratic work ``factor`` squared, so ``slack`` has to lie between 1 and
    ``factor``. Calls are repeated until they take about ``floor`` seconds, as clocks and caches distort what is
    shorter. Each attempt is as in `assert_grows_at_most`.
    """
    few, many = make_input(small), make_input(small * factor)
    repeats = 1
    while (taken := _cpu_time(function, few, repeats)) < floor:
        repeats *= 2
    _assert_ratio(
        function, (few, repeats), (many, max(1, repeats // factor)), slack * factor, attempts, before=taken / repeats
    )


def assert_grows_at_most(
    function: Callable[[Input], object], few: Input, many: Input, most: float, *, attempts: int = 12
) -> None:
    """Fail when ``many`` costs more than ``most`` times the CPU time of ``few``.

    Other processes slow this one, for seconds at a time. So ``many`` is compared with ``few`` just before and after it
    only, the shorter of the two; just before it is enough where half of ``most`` is kept. One attempt in which ``most``
    is kept is enough, too: work that grows faster keeps it in none.
    """
    _assert_ratio(function, (few, 1), (many, 1), most, attempts)


def parts_in(make_input: Callable[[int], Sized], length: int) -> int:
    """Return how many parts, at least one, make an input that is about so much longer than one without any."""
    return max(1, length * 64 // (len(make_input(64)) - len(make_input(0))))


def _assert_ratio(
    function: Callable[[Input], object],
    few: tuple[Input, int],
    many: tuple[Input, int],
    most: float,
    attempts: int,
    *,
    before: float | None = None,
) -> None:
    """Fail when none of ``attempts`` keeps ``most``; each input comes with how often it is used.

    ``before`` is the time of ``few`` in seconds where it has just been measured.
    """

    def seconds(argument: Input, repeats: int) -> float:
        return _cpu_time(function, argument, repeats) / repeats

    lowest = float("inf")
    for _ in range(attempts):
        if before is None:
            before = seconds(*few)
        longer = seconds(*many)
        ratio = longer / before
        if most / 2 < ratio <= most:
            ratio = longer / min(before, seconds(*few))
        if ratio <= most:
            return
        lowest = min(lowest, ratio)
        before = None
    raise AssertionError(
        f"the larger input took {lowest:.1f} times as long as the smaller one, at most {most:g} expected"
    )


def _cpu_time(function: Callable[[Input], object], argument: Input, repeats: int) -> float:
    """Measure the CPU seconds of ``repeats`` calls, with the garbage collector out of the way.

    It is not called either: after thousands of tests, it would look at so many objects that it took longer than most of
    what is measured.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.process_time()
        for _ in range(repeats):
            function(argument)
        return time.process_time() - start
    finally:
        if enabled:
            gc.enable()
