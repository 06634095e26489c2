"""Run lxml's own tests on `xml5tree.lxml.etree` and `xml5tree.lxml.objectify`.

usage: python -m compat.lxml_tests

The tests are those of the lxml that is installed. They are in its source distribution, which is fetched from the Python
package index. What fails is compared with expected/lxml_tests.txt.
"""

import contextlib
import doctest
import gc
import importlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

import lxml.etree
import lxml.html
import lxml.objectify
import lxml.pyclasslookup
import lxml.sax

from compat.cache import SKIPPED, Unavailable, from_pypi, read_archive
from compat.unittests import Result, name_of, report
from xml5tree.lxml import etree, objectify

#: All that parse; not those of HTTP and serialisation.
MODULES = [
    *["annotations", "builder", "classlookup", "css", "doctestcompare", "dtd", "elementpath", "elementtree", "errors"],
    *["etree", "external_document", "htmlparser", "io", "isoschematron", "nsclasses", "objectify", "pyclasslookup"],
    *["relaxng", "sax", "threading", "unicode", "xmlschema", "xpathevaluator", "xslt"],
]
#: Those of `lxml.html`, but for what needs other packages.
HTML_MODULES = ["basic", "diff", "formfill", "forms", "frames", "html5parser", "rewritelinks", "select", "xhtml"]
#: Modules of doctests, and pages of documentation: all that pass with lxml itself.
SELFTESTS = ["selftest", "selftest2"]
PAGES = [
    *["FAQ", "api", "compatibility", "element_classes", "extensions", "intro", "objectify", "parsing", "resolvers"],
    *["sax", "tutorial", "validation", "xpathxslt"],
]
#: Folders of the archive, and of the tests.
FOLDERS = {
    "src/lxml/tests/": "lxml_tests",
    "src/lxml/html/tests/": "lxml_html_tests",
    "doc/": "doc",
    "samples/": "samples",
}
#: Left out: 2 GB of newlines, which take minutes, and what needs the package rnc2rng.
LEFT_OUT = ("ETreeOnlyTestCase.test_very_large_sourceline_iterparse", "RelaxNGCompactTestCase.")


def unpack(archive, directory):
    """Unpack the tests to packages `lxml_tests` and `lxml_html_tests`, and the documentation."""
    for folder, own in FOLDERS.items():
        for name, content in read_archive(archive, folder).items():
            path = Path(directory, own, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def put_in_place():
    """Let the tests find the drop-ins where they look for lxml's modules."""
    etree.__name__ = "lxml.etree"  # by which tests ask whether it is lxml's
    sys.modules["lxml.etree"] = lxml.etree = etree
    lxml.objectify = objectify  # not in sys.modules: what is pickled is named by lxml's functions, and found there


def load(module):
    """The test cases of a module, but for base classes and those of `xml.etree.ElementTree`."""
    for name, case in vars(module).items():
        if not isinstance(case, type) or not issubclass(case, unittest.TestCase) or name.startswith("_"):
            continue
        if case.__module__ == module.__name__ and getattr(case, "etree", etree) is etree:
            for test in unittest.defaultTestLoader.loadTestsFromTestCase(case):
                if not name_of(test).startswith(LEFT_OUT):
                    yield test


def run_all(directory):
    """Run the tests that are unpacked in a directory."""
    sys.path.insert(0, directory)
    put_in_place()
    result = Result()
    gc.freeze()  # some tests collect garbage, and need not look at all modules each time
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for name in MODULES:
            module = importlib.import_module(f"lxml_tests.test_{name}")
            unittest.TestSuite(load(module)).run(result)
        for suite in others():
            suite.run(result)
    return result


def others():
    """The tests of `lxml.html`, and all that are doctests."""
    for name in HTML_MODULES:
        module = importlib.import_module(f"lxml_html_tests.test_{name}")
        load_all = getattr(module, "test_suite", None)
        yield load_all() if load_all else unittest.defaultTestLoader.loadTestsFromModule(module)
    for name in SELFTESTS:
        yield doctest.DocTestSuite(importlib.import_module(f"lxml_tests.{name}"))
    for name in PAGES:
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        yield doctest.DocFileSuite(
            str(Path("doc", f"{name}.txt").absolute()), module_relative=False, encoding="utf-8", optionflags=options
        )


def main():
    try:
        # When pip asks lxml for its dependencies, that looks for libxml2, which is not needed to compile nothing.
        archive = from_pypi("lxml", etree.__version__, {"PKG_CONFIG": "echo 2.14.0 #"})
    except Unavailable as error:
        print(f"skipped: {error}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory):  # some write where they are run
        unpack(archive, directory)
        result = run_all(directory)
    return 0 if report(result, "lxml_tests") else 1


if __name__ == "__main__":
    sys.exit(main())
