"""Whole documents: those that speeds are quoted on, but shorter, and real ones where Debian packages are installed."""

import re
import xml.etree.ElementTree as ET
from random import Random

import pytest
from lxml import etree
from support.cases import one_in
from support.splits import chunks
from support.trees import assert_same_content, assert_same_document, assert_same_tree
from support.wellformed import FOLDERS, files

import xml5tree
from compat.documents import catalog, feed, nested

#: Long enough to go through the stages in several blocks.
MADE = {
    "rss": lambda: feed(800),
    "rss-broken": lambda: feed(800, 10),
    "rss-dense": lambda: feed(300, 1),
    "catalog": lambda: catalog(2500),
    "catalog-broken": lambda: catalog(2500, 10),
    "nested": lambda: nested(3000),
}
#: A large file of each package, the first of which has attribute defaults, and the second a DOCTYPE and Cyrillic text.
REAL = {
    "mime": ("shared-mime-info", "packages/freedesktop.org.xml"),
    "cldr": ("unicode-cldr-core", "main/ru.xml"),
}
#: What is found, and what takes its place, with what the group has found.
FAULTS = [
    (re.compile(rb'="([^" ]+)"'), b"=%b"),
    (re.compile(rb"</([^>]+)>"), b"</%b "),
    (re.compile(rb"<([a-z]+)"), b"<%b & "),
    (re.compile(rb">([^<]{4})"), b">%b & \x01"),
]


def damaged(data):
    """A document with four kinds of faults, each at random in one of a hundred places that are fit for it."""
    random = Random(4)
    start = data.index(b"]>" if b"<!ATTLIST" in data else b"?>")  # of the root; what is before it stays
    prolog, content = data[:start], data[start:]
    for pattern, fault in FAULTS:
        place = 0
        pieces = []
        for found in pattern.finditer(content):
            if random.random() < 0.01:
                pieces += [content[place : found.start()], fault % found[1]]
                place = found.end()
        content = b"".join([*pieces, content[place:]])
    return prolog + content


def read(name):
    kind, _, fault = name.partition("-")
    if kind not in REAL:
        return MADE[name]().encode()
    package, path = REAL[kind]
    real = FOLDERS[package][0] / path
    if not real.is_file():
        pytest.skip(f"the Debian package {package} is not installed")
    return damaged(real.read_bytes()) if fault else real.read_bytes()


def parse(data, size, **options):
    parser = xml5tree.XMLParser(**options)
    for piece in chunks(data, size):
        parser.feed(piece)
    return parser.close(), parser.error_log


def assert_native_tree(data, size):
    root, log = parse(data, size)
    assert log == []
    assert_same_tree(root, ET.fromstring(data))
    root, log = parse(data, size, backend="lxml")
    assert log == []
    assert_same_document(root, etree.fromstring(data), prefixes=True, lines=True)


@pytest.mark.parametrize("name", one_in(2, ["rss", "mime", "catalog", "cldr", "nested"]))
def test_well_formed(name):
    data = read(name)
    for size in (9_973,) if name in REAL else (len(data), 9_973):
        assert_native_tree(data, size)


@pytest.mark.parametrize("document", list(files()))
def test_real_files(document):
    assert_native_tree(document(), 8_191)


RECORDS = {
    "rss-broken": ("item", 800),
    "rss-dense": ("item", 300),
    "catalog-broken": ("{http://example.com/parts}part", 2500),
}


@pytest.mark.parametrize("name", one_in(2, ["rss-broken", "mime-broken", "rss-dense", "cldr-broken", "catalog-broken"]))
def test_broken(name):
    data = read(name)
    on_etree, log = parse(data, len(data), attribute_defaults=True)
    on_lxml, lxml_log = parse(data, 9_973, backend="lxml", attribute_defaults=True)
    assert log != []
    assert_same_content(on_lxml, on_etree)
    assert lxml_log == log
    if name in RECORDS:
        record, count = RECORDS[name]
        assert len(list(on_etree.iter(record))) == count
    assert_same_content(ET.fromstring(xml5tree.repair(data)), on_etree)


@pytest.mark.parametrize(("name", "lines_per_record"), [("rss", 12), ("catalog", 1)])
def test_errors_are_at_the_lines_of_the_faults(name, lines_per_record):
    whole = read(name).splitlines()
    broken = read(f"{name}-broken").splitlines()
    assert len(whole) == len(broken)
    # An end tag that is missing shows at the end tag after it, which for a part is the end of the catalog.
    faulty = {
        line
        for line, (good, bad) in enumerate(zip(whole, broken, strict=True), start=1)
        if good != bad and bad != good.replace(b"</part>", b"")
    }
    _, log = parse(b"\n".join(broken), 1 << 20, recovery="draft")
    reported = {entry.line for entry in log}
    assert len(faulty) >= 60
    for line in faulty:
        assert any(line + later in reported for later in range(lines_per_record)), broken[line - 1]
    for line in reported - {len(broken)}:
        assert any(line - earlier in faulty for earlier in range(lines_per_record)), broken[line - 1]
