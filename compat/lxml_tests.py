"""Run lxml's own tests on `xml5tree.lxml.etree` and `xml5tree.lxml.objectify`.

usage: python compat/lxml_tests.py

The tests are those of the lxml that is installed. They are in its source distribution, which pip fetches from the
package index into a cache: $XML5TREE_CACHE, or else xml5tree in the user's cache directory. Later runs need no network.

What fails is compared with expected/lxml_tests.txt, which says why. The run fails where the list is wrong: a test that
fails and is not listed, or one that is listed and passes. Exit status 77: the tests cannot be had.
"""

import contextlib
import importlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

import lxml.etree
import lxml.html
import lxml.objectify
import lxml.pyclasslookup
import lxml.sax

from xml5tree.lxml import etree, objectify

EXPECTED = Path(__file__).parent / "expected" / "lxml_tests.txt"

#: All that parse; not those of HTTP, serialisation, CSS, doctest and Schematron.
MODULES = [
    *["annotations", "builder", "classlookup", "dtd", "elementpath", "elementtree", "errors", "etree"],
    *["external_document", "htmlparser", "io", "nsclasses", "objectify", "pyclasslookup", "relaxng", "sax"],
    *["threading", "unicode", "xmlschema", "xpathevaluator", "xslt"],
]
#: Left out: 2 GB of newlines, which take minutes, and what needs the package rnc2rng.
LEFT_OUT = ("ETreeOnlyTestCase.test_very_large_sourceline_iterparse", "RelaxNGCompactTestCase.")


class Unavailable(Exception):
    """The tests cannot be had, and why."""


def cache():
    """The directory for what is fetched."""
    base = os.environ.get("XML5TREE_CACHE")
    if base:
        return Path(base)
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData/Local")) / "xml5tree"
    if sys.platform == "darwin":
        return home / "Library/Caches/xml5tree"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "xml5tree"


def fetch(version):
    """The source distribution of lxml, from the cache or the package index."""
    directory = cache()
    archive = directory / f"lxml-{version}.tar.gz"
    if not archive.exists():
        directory.mkdir(parents=True, exist_ok=True)
        # pip asks the package for its dependencies, for which it installs elsewhere what the package is built with. On
        # that occasion, lxml looks for libxml2, which is not needed as long as nothing is compiled.
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", "lxml", "--retries", "1"]
        run = subprocess.run(
            [*command, "--dest", str(directory), f"lxml=={version}"],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PKG_CONFIG": "echo 2.14.0 #"},
        )
        if not archive.exists():
            raise Unavailable(f"pip cannot fetch the source distribution of lxml {version}:\n{run.stdout}{run.stderr}")
    return archive


def unpack(archive, directory):
    """Unpack the tests to a package `lxml_tests`."""
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            _, found, name = member.name.partition("/src/lxml/tests/")
            if found and member.isfile():
                path = Path(directory, "lxml_tests", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(tar.extractfile(member).read())


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


def run_all(directory):
    """Run the tests that are unpacked in a directory."""
    sys.path.insert(0, directory)
    put_in_place()
    result = Result()
    stdout, sys.stdout = sys.stdout, io.StringIO()
    try:
        for name in MODULES:
            module = importlib.import_module(f"lxml_tests.test_{name}")
            unittest.TestSuite(load(module)).run(result)
    finally:
        sys.stdout = stdout
    return result


def main():
    version = etree.__version__
    try:
        archive = fetch(version)
    except Unavailable as error:
        print(f"skipped: {error}")
        return 77
    with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory):  # some write where they are run
        unpack(archive, directory)
        result = run_all(directory)
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
