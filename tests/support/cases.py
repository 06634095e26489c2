"""Many cases in one test: to pytest, a test of its own costs some milliseconds, which is more than most cases take."""

import functools
import inspect
import os
import reprlib
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

Case = TypeVar("Case")

__all__ = ["each_case", "in_whole_run", "one_in"]

#: So many cases that fail tell what is wrong.
MOST_FAILURES = 5
_shown = reprlib.Repr()
_shown.maxstring = _shown.maxother = 200


_WHOLE_RUN = bool(os.environ.get("HYPOTHESIS_PROFILE"))
#: For a test that takes seconds, and fails only after few kinds of changes.
in_whole_run = pytest.mark.skipif(
    not _WHOLE_RUN, reason="takes seconds: NOT RUN unless HYPOTHESIS_PROFILE is set, as in .ci/run"
)


def one_in(number: int, cases: Iterable[Case]) -> list[Case]:
    """Return every ``number``-th of many like cases, or all of them where everything is tried (as in `.ci/run`).

    It is for tests of which each case takes long and is much like the others, such as those of linear time.
    """
    return [*cases][:: 1 if _WHOLE_RUN else number]


def each_case(
    names: str | Iterable[str], cases: Iterable[object], *, ids: Callable[..., object] | Iterable[object] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each of the cases, which are given as for `pytest.mark.parametrize`, within one test.

    It is for many cases that take little time and need no fixtures of their own: those that a test has are made once
    for all cases. What a case raises says which one it is, and the other cases are run nevertheless. None can be
    skipped.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    cases = [*cases]
    texts = [None] * len(cases) if ids is None else [*(map(ids, cases) if callable(ids) else ids)]
    rows = []
    for case, text in zip(cases, texts[: len(cases)], strict=True):
        is_marked = isinstance(case, type(pytest.param()))
        if is_marked and case.marks:
            raise TypeError("a case in a test of many cannot be marked")
        values = case.values if is_marked else (case,) if len(names) == 1 else case
        named = dict(zip(names, values, strict=True))
        rows.append(((is_marked and case.id) or text, named))

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def run(*instance: object, **fixtures: object) -> None:
            __tracebackhide__ = True
            assert rows, "there are no cases"
            failures: list[BaseException] = []
            for text, named in rows:
                try:
                    test(*instance, **fixtures, **named)
                except pytest.skip.Exception as skipped:
                    raise TypeError("a case in a test of many cannot be skipped") from skipped
                except (Exception, pytest.fail.Exception) as error:
                    shown = text or ", ".join([f"{name}={_shown.repr(value)}" for name, value in named.items()])
                    error.add_note(f"The case is {shown}")
                    failures.append(error)
                    if len(failures) == MOST_FAILURES:
                        break
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise BaseExceptionGroup("several cases fail", failures)

        others = [parameter for name, parameter in signature.parameters.items() if name not in names]
        if len(others) + len(names) != len(signature.parameters):
            raise TypeError(f"{test.__name__} does not take {', '.join(names)}")
        run.__signature__ = signature.replace(parameters=others)
        return run

    return decorate
