"""Whole documents of megabytes: those that speeds are quoted on, and real ones out of Debian packages."""

import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import islice

import pytest
from lxml import etree
from support.splits import chunks
from support.trees import assert_same_content, assert_same_document, assert_same_tree

import xml5tree

MAKE_DOCS = pathlib.Path(__file__).resolve().parents[2] / "shared" / "bench" / "make_docs.py"
WELL_FORMED = ["rss", "catalog", "nested", "mime", "cldr"]
BROKEN = ["rss-broken", "rss-dense", "catalog-broken", "mime-broken", "cldr-broken"]


@pytest.fixture(scope="session")
def documents(tmp_path_factory):
    """The folder with the documents; those of Debian packages only where packages can be had."""
    if not MAKE_DOCS.exists():
        pytest.skip(f"the generator of the documents is not there: {MAKE_DOCS.name} in ../shared/bench")
    folder = tmp_path_factory.mktemp("documents")
    make = [sys.executable, str(MAKE_DOCS), str(folder)]
    made = shutil.which("apt-get") and subprocess.run([*make, "--debian"], capture_output=True, check=False)
    if not made or made.returncode:
        subprocess.run(make, capture_output=True, check=True)
    return folder


def read(folder, name):
    path = folder / f"{name}.xml"
    if not path.exists():
        pytest.skip(f"{name}.xml is made of a Debian package, and none can be had here")
    return path.read_bytes()


def feed(data, size, **options):
    parser = xml5tree.XMLParser(**options)
    for piece in chunks(data, size):
        parser.feed(piece)
    return parser.close(), parser.error_log


@pytest.mark.parametrize("name", WELL_FORMED)
def test_well_formed(documents, name):
    data = read(documents, name)
    for size in (len(data), 9_973):
        root, log = feed(data, size)
        assert log == []
        assert_same_tree(root, ET.fromstring(data))
        root, log = feed(data, size, backend="lxml")
        assert log == []
        assert_same_document(root, etree.fromstring(data), prefixes=True, lines=True)


@pytest.mark.parametrize("name", BROKEN)
def test_broken(documents, name):
    data = read(documents, name)
    on_etree, log = feed(data, len(data), attribute_defaults=True)
    on_lxml, lxml_log = feed(data, 9_973, backend="lxml", attribute_defaults=True)
    assert_same_content(on_lxml, on_etree)
    assert lxml_log == log
    records = {"rss": ("item", 4_000), "catalog": ("{http://example.org/catalog}product", 17_000)}
    record, count = records.get(name.split("-")[0], (None, 0))
    assert len(list(on_etree.iter(record))) == count or record is None
    repaired = xml5tree.repair(data)
    assert_same_content(ET.fromstring(repaired), on_etree)


@pytest.mark.parametrize(("name", "lines_per_record"), [("rss", 10), ("catalog", 1)])
def test_errors_are_at_the_lines_of_the_faults(documents, name, lines_per_record):
    whole = read(documents, name).splitlines()
    broken = read(documents, f"{name}-broken").splitlines()
    assert len(whole) == len(broken)
    # An end tag that is missing shows at the end tag after it, which for a product is the end of the catalog.
    faulty = {
        line
        for line, (good, bad) in enumerate(zip(whole, broken, strict=True), start=1)
        if good != bad and bad != good.replace(b"</product>", b"")
    }
    _, log = feed(b"\n".join(broken), 1 << 20)
    reported = {entry.line for entry in log}
    assert len(faulty) >= 400
    for line in faulty:
        assert any(line + later in reported for later in range(lines_per_record)), broken[line - 1]
    for line in reported - {len(broken)}:
        assert any(line - earlier in faulty for earlier in range(lines_per_record)), broken[line - 1]


def real_files():
    """Some of the files that the packages shared-mime-info and unicode-cldr-core install."""
    folders = [pathlib.Path("/usr/share/mime"), pathlib.Path("/usr/share/unicode/cldr/common")]
    return [path for folder in folders for path in islice(sorted(folder.rglob("*.xml")), 0, None, 23)]


@pytest.mark.skipif(not real_files(), reason="neither shared-mime-info nor unicode-cldr-core is installed")
def test_real_files():
    for path in real_files():
        data = path.read_bytes()
        root, log = feed(data, 8_191)
        assert log == [], path
        assert_same_tree(root, ET.fromstring(data))
        root, log = feed(data, 8_191, backend="lxml")
        assert log == [], path
        assert_same_document(root, etree.fromstring(data), prefixes=True, lines=True)
