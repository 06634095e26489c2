"""Run CPython's own tests of `xml.sax` and `xml.dom.pulldom` on `xml5tree.sax`.

usage: python -m compat.cpython_sax

What fails is compared with expected/cpython_sax.txt.
"""

import sys
import unittest
import xml.sax

import xml5tree.sax
from compat.cache import SKIPPED
from compat.unittests import Result, report

try:
    from test import test_pulldom, test_sax
    from test.support.os_helper import temp_cwd
except (ImportError, unittest.SkipTest) as error:
    print(f"skipped: this Python comes without test.test_sax ({error})")
    sys.exit(SKIPPED)


def main() -> int:
    xml.sax.default_parser_list = ["xml5tree.sax"]
    test_sax.create_parser = xml5tree.sax.create_parser
    result = Result()
    with temp_cwd():
        for module in (test_sax, test_pulldom):
            unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    return 0 if report(result, "cpython_sax") else 1


if __name__ == "__main__":
    sys.exit(main())
