"""Run the tests of packages that read XML, before and after xml5tree is put in the place of their parsers.

usage: python -m compat.clients [PACKAGE ...]

Packages, and what their tests need, are installed from the Python package index into the cache; tests are in source
distributions. A test that passes only before the substitution differs, and is compared with expected/clients.txt.
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from compat import expected
from compat.cache import SKIPPED, Unavailable, folder, from_pypi


class Client(NamedTuple):
    """A package, and which of its tests are run."""

    version: str
    tests: str = "tests"  # paths in the source distribution, or in the installed package with --pyargs
    is_installed: bool = False  # whether its tests are installed with it


#: Of Scrapy and pandas, whose suites start servers and take hours, the tests of modules that import a parser of XML.
#: Left out are tests that need a network, or do not pass with the original modules.
CLIENTS: Final = {
    "beautifulsoup4": Client("4.15.0", "bs4/tests"),
    "cssselect": Client("1.6.0"),
    "elementpath": Client("5.1.4"),
    "feedgen": Client("1.0.0"),
    "gpxpy": Client("1.6.2", "test.py"),
    "itemloaders": Client("1.5.0"),
    "lxml_html_clean": Client("0.4.6"),
    "pandas": Client(
        "3.1.1", "--pyargs pandas.tests.io.xml pandas.tests.io.test_html pandas.tests.io.test_common", is_installed=True
    ),
    "parsel": Client("1.12.1"),
    "podcastparser": Client("0.6.11", "tests test_podcastparser.py"),
    "python_docx": Client("1.2.0"),
    "scrapy": Client(
        "2.19.0",
        "tests/test_command_version.py tests/test_contracts.py tests/test_exporters.py tests/test_feedexport.py"
        " tests/test_feedexport_batch.py tests/test_feedexport_postprocess.py tests/test_http_request_form.py"
        " tests/test_http_response_text.py tests/test_linkextractors.py tests/test_loader.py tests/test_selector.py"
        " tests/test_responsetypes.py tests/test_spider.py tests/test_spider_sitemap.py tests/test_squeues.py"
        " tests/test_utils_iterators.py tests/test_utils_sitemap.py",
    ),
    "python_pptx": Client("1.0.2"),
    "svgpathtools": Client("1.8.0", "test"),
    "xsdata": Client("26.10", "tests --benchmark-disable"),
}
#: What their tests need besides.
NEEDED: Final = (
    *("html5lib", "hypothesis", "jinja2", "click", "psutil", "pytest", "pytest-benchmark", "requests", "responses"),
    *("webtest", "lxml", "xsdata[cli,soap]"),
)


def install() -> Path:
    """Install the packages into a folder of the cache that is named after their versions; return it.

    Raises:
        Unavailable: it is not in the cache, and pip cannot install into it.
    """
    wanted = [*sorted(f"{name}=={client.version}" for name, client in CLIENTS.items()), *NEEDED]
    site = folder() / f"clients-{sys.version_info.major}.{sys.version_info.minor}"
    mark = site / "installed.txt"
    if mark.exists() and mark.read_text("utf-8") == "\n".join(wanted):
        return site
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--retries", "1", "--target", str(site)]
    run = subprocess.run([*command, *wanted], capture_output=True, text=True, check=False)
    if run.returncode:
        raise Unavailable(f"pip cannot install the packages:\n{run.stderr}")
    mark.write_text("\n".join(wanted), "utf-8")
    return site


def outcomes(client: Client, directory: Path, site: Path, *, substitutes: bool) -> dict[str, str]:
    """Run the tests of a client in a directory; return the outcomes by test."""
    found = directory / "outcomes.json"
    found.unlink(missing_ok=True)
    variables = {
        "CLIENTS_SUBSTITUTES": str(int(substitutes)),
        "CLIENTS_OUTCOMES": str(found),
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent.parent), str(site)]),
        "PYTHONWARNINGS": "ignore",
        "PATH": os.pathsep.join([str(site / "bin"), os.environ["PATH"]]),
    }
    options = "-q -p compat.substituted -p no:cacheprovider -p no:xdist -o addopts= -o filterwarnings= -W default"
    command = [sys.executable, "-m", "pytest", *options.split(), *client.tests.split()]
    run = subprocess.run(
        command, cwd=directory, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    if not found.exists():
        print(run.stdout[-2000:], run.stderr[-2000:])
        return {}
    if substitutes and run.returncode > 1:
        print(run.stdout[-2000:], run.stderr[-2000:])
    own: dict[str, str] = json.loads(found.read_text("utf-8"))
    return own


def differing(name: str, site: Path) -> tuple[set[str], dict[str, str]]:
    """Return the tests of a client that pass with the original modules, and those of them that differ.

    Raises:
        Unavailable: its source distribution cannot be had.
    """
    client = CLIENTS[name]
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        if not client.is_installed:
            with tarfile.open(from_pypi(name, client.version)) as archive:
                archive.extractall(directory, filter="data")
            (directory,) = directory.iterdir()
        before = outcomes(client, directory, site, substitutes=False)
        after = outcomes(client, directory, site, substitutes=True)
    passed = {f"{name} {test}" for test, outcome in before.items() if outcome == "passed"}
    differ = {test: after.get(test.partition(" ")[2], "missing") for test in passed}
    return passed, {test: outcome for test, outcome in differ.items() if outcome != "passed"}


def main() -> int:
    names = sys.argv[1:] or list(CLIENTS)
    listed = expected.read("clients")
    right = ran = True
    try:
        site = install()
    except Unavailable as error:
        print(f"skipped: {error}")
        return SKIPPED
    for name in names:
        try:
            passed, differ = differing(name, site)
        except Unavailable as error:
            print(f"{name} skipped: {error}")
            ran = False
            continue
        reasons = {test: reason for test, reason in listed.items() if test.startswith(f"{name} ")}
        right = expected.report(differ, reasons) and bool(passed) and right
        print(f"{name}: {len(passed)} tests pass before, {len(differ)} of them differ", flush=True)
    return 1 if not right else 0 if ran else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
