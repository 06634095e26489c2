"""Check that a function's time grows in proportion to its input (invariant I7)."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")


def assert_scales_linearly(
    function: Callable[[Input], object],
    make_input: Callable[[int], Input],
    small: int,
    factor: int = 4,
    *,
    slack: float = 2.2,
    runs: int = 3,
    attempts: int = 6,
    floor: float = 0.02,
) -> None:
    """Fail when ``factor`` times the input costs more than ``slack * factor`` times the CPU time.

    Linear work costs ``factor`` times as much, quadratic work ``factor`` squared, so ``slack`` has to lie between 1 and
    ``factor``. Other processes only ever add time. So the best of ``runs`` measurements of the small input counts, and
    the large one, which is what takes long, is measured again only where it has cost too much: up to ``attempts``
    times, with the small one. Calls are repeated until they take about ``floor`` seconds, as clocks and caches distort
    what is shorter.
    """
    few, many = make_input(small), make_input(small * factor)
    repeats = 1
    while (seconds := _cpu_time(function, few, repeats)) < floor:
        repeats *= 2
    fewer = max(1, repeats // factor)
    best_few, best_many = seconds / repeats, float("inf")
    measured = 1
    for _ in range(attempts):
        for _ in range(runs - measured):
            best_few = min(best_few, _cpu_time(function, few, repeats) / repeats)
        measured = 0
        best_many = min(best_many, _cpu_time(function, many, fewer) / fewer)
        if best_many <= slack * factor * best_few:
            return
    raise AssertionError(
        f"{factor} times the input took {best_many / best_few:.1f} times as long: "
        f"{best_few * 1e3:.3f} ms at {small}, {best_many * 1e3:.3f} ms at {small * factor}"
    )


def assert_grows_at_most(
    function: Callable[[Input], object], few: Input, many: Input, most: float, *, attempts: int = 8
) -> None:
    """Fail when ``many`` costs more than ``most`` times the CPU time of ``few``.

    For many cheap cases: each attempt measures once only, and those after the first are made where one has failed. The
    best of all of them counts, as in `assert_scales_linearly`.
    """
    best_few = best_many = float("inf")
    for _ in range(attempts):
        best_few = min(best_few, _cpu_time(function, few, 1))
        best_many = min(best_many, _cpu_time(function, many, 1))
        if best_many <= most * best_few:
            return
    raise AssertionError(f"{best_many * 1e3:.3f} ms is more than {most} times {best_few * 1e3:.3f} ms")


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
