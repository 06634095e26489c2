"""Run CPython's own tests of `xml.etree.ElementTree` on `xml5tree.ElementTree`.

usage: python compat/cpython_etree.py

What fails is compared with expected/cpython_etree.txt, which says why. The run fails where the list is wrong: a test
that fails and is not listed, or one that is listed and passes. Exit status 77: this Python comes without its tests.
"""

import sys
import unittest
from pathlib import Path

import xml5tree.backends.etree  # before the tests import xml.etree.ElementTree anew
import xml5tree.ElementTree

try:
    from test import test_xml_etree
    from test.support.os_helper import temp_cwd
except (ImportError, unittest.SkipTest) as error:
    print(f"skipped: this Python comes without test.test_xml_etree ({error})")
    sys.exit(77)

EXPECTED = Path(__file__).parent / "expected" / "cpython_etree.txt"


def setUpModule():
    """What `test.test_xml_etree_c` does to run the tests on the accelerator."""
    test_xml_etree.setUpModule(module=xml5tree.ElementTree)


def load_tests():
    """The test cases as classes of this module, so that its `setUpModule` is theirs."""
    loader = unittest.TestLoader()
    for name, case in vars(test_xml_etree).items():
        if isinstance(case, type) and issubclass(case, unittest.TestCase):
            yield loader.loadTestsFromTestCase(type(name, (case,), {"__module__": __name__}))


def name_of(test):
    """Class and method, for a subtest those of its test."""
    return ".".join(test.id().split(" ")[0].split(".")[-2:])


class Result(unittest.TestResult):
    """Remembers which tests passed, besides those that did not."""

    def __init__(self):
        super().__init__()
        self.passed = set()

    def addSuccess(self, test):
        self.passed.add(name_of(test))


def read_expected():
    """Reasons by test."""
    lines = EXPECTED.read_text("utf-8").splitlines()
    entries = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    return {name: reason for name, _, reason in entries}


def main():
    result = Result()
    with temp_cwd():
        unittest.TestSuite(load_tests()).run(result)
    failed = {name_of(test): report for test, report in result.failures + result.errors}
    expected = read_expected()
    new = sorted(failed.keys() - expected.keys())
    vanished = sorted(result.passed & expected.keys())
    for name in new:
        print(f"{name} fails and is not listed:\n{failed[name]}")
    for name in vanished:
        print(f"{name} passes but is listed: {expected[name]}")
    print(f"{result.testsRun} tests, {len(result.skipped)} skipped, {len(failed)} failed; {len(expected)} listed")
    return 1 if new or vanished or not result.passed else 0


if __name__ == "__main__":
    sys.exit(main())
