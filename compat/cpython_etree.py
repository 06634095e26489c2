"""Run CPython's own tests of `xml.etree.ElementTree` on `xml5tree.ElementTree`.

usage: python -m compat.cpython_etree

What fails is compared with expected/cpython_etree.txt.
"""

import sys
import unittest

import xml5tree.backends.etree  # before the tests import xml.etree.ElementTree anew
import xml5tree.ElementTree
from compat.cache import SKIPPED
from compat.unittests import Result, report

try:
    from test import test_xml_etree
    from test.support.os_helper import temp_cwd
except (ImportError, unittest.SkipTest) as error:
    print(f"skipped: this Python comes without test.test_xml_etree ({error})")
    sys.exit(SKIPPED)


def setUpModule():
    """What `test.test_xml_etree_c` does to run the tests on the accelerator."""
    test_xml_etree.setUpModule(module=xml5tree.ElementTree)


def load_tests():
    """The test cases as classes of this module, so that its `setUpModule` is theirs."""
    loader = unittest.TestLoader()
    for name, case in vars(test_xml_etree).items():
        if isinstance(case, type) and issubclass(case, unittest.TestCase):
            yield loader.loadTestsFromTestCase(type(name, (case,), {"__module__": __name__}))


def main():
    result = Result()
    with temp_cwd():
        unittest.TestSuite(load_tests()).run(result)
    return 0 if report(result, "cpython_etree") else 1


if __name__ == "__main__":
    sys.exit(main())
