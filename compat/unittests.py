"""Run unit tests of others, and compare what fails with a list."""

import unittest
from collections.abc import Iterable

from compat import expected

__all__ = ["Result", "name_of", "report"]


def name_of(test: unittest.TestCase) -> str:
    """Class and method, for a subtest those of its test."""
    return ".".join(test.id().split(" ")[0].split(".")[-2:])


class Result(unittest.TestResult):
    """Remembers which tests passed, besides those that did not."""

    def __init__(self) -> None:
        super().__init__()
        self.passed: set[str] = set()

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.passed.add(name_of(test))


def report(result: Result, listed: str) -> bool:
    """Print what came of the tests, and where the list of this name is wrong; whether it is right.

    Listed tests that are not there, or are skipped, do not count.
    """
    failures: Iterable[tuple[unittest.TestCase, str]] = result.failures + result.errors
    failed = {name_of(test): detail for test, detail in failures}
    reasons = {name: reason for name, reason in expected.read(listed).items() if name in result.passed | failed.keys()}
    right = expected.report(failed, reasons)
    print(f"{result.testsRun} tests, {len(result.skipped)} skipped, {len(failed)} failed, {len(reasons)} listed")
    return right and bool(result.passed)
