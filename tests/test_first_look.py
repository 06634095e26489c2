"""The example documents, and the table of README.md about them."""

import importlib.util
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from lxml import etree

import xml5tree

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs/examples"
MENDED = sorted(path.name for path in (EXAMPLES / "mended").iterdir())
each_example = pytest.mark.parametrize("name", MENDED)


@pytest.fixture(scope="module")
def first_look():
    spec = importlib.util.spec_from_file_location("first_look", ROOT / "compat/first_look.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_mended_and_described():
    others = {"read_feed.py", "show_tree.py"}
    assert sorted(path.name for path in EXAMPLES.iterdir() if path.is_file()) == sorted([*MENDED, *others])
    page = (ROOT / "docs/examples.md").read_text()
    assert sorted(re.findall(r"^## (\S+): .", page, re.MULTILINE)) == MENDED
    shown = re.findall(r"^\$ python docs/examples/show_tree.py docs/examples/(\S+)", page, re.MULTILINE)
    assert sorted(shown) == MENDED


@each_example
def test_example_is_shown(name):
    shown = re.sub("[\0-\x08\x0b\x0e-\x1f]", "\ufffd", (EXAMPLES / name).read_bytes().decode("utf-8", "replace"))
    page = (ROOT / "docs/examples.md").read_text()
    assert re.search(rf"^## {re.escape(name)}: .*\n\n(`+)text\n{re.escape(shown.rstrip())}\n\1$", page, re.MULTILINE)


@each_example
def test_example_is_broken_and_its_mended_form_is_not(name):
    with pytest.raises(ET.ParseError):
        ET.parse(EXAMPLES / name)
    with pytest.raises(etree.XMLSyntaxError):
        etree.fromstring((EXAMPLES / name).read_bytes())
    errors = []
    for backend in ("etree", "lxml"):
        xml5tree.parse(EXAMPLES / "mended" / name, backend=backend, on_error=errors.append)
    assert errors == []


def test_no_table_without_a_parser(first_look, monkeypatch):
    """What cannot be imported is not what refuses a document."""
    monkeypatch.setattr(first_look, "PACKAGES", ("lxml", "no-such-package", "nor-this"))
    monkeypatch.setattr(sys, "argv", ["first_look.py"])
    monkeypatch.setattr(first_look, "table", lambda: pytest.fail("the table was made"))
    with pytest.raises(SystemExit, match=r"^not installed: no-such-package, nor-this;"):
        first_look._main()


def test_facts(first_look):
    document = b"<a xmlns:p='u' p:b='c'> x <p:d>y</p:d> z <d>y</d><e> </e></a>"
    wanted = {("a", "b", "c"): 1, ("a", "", "x z"): 1, ("a/d", "", "y"): 2}
    for name, parse in first_look.PARSERS.items():
        module = {"BeautifulSoup": "bs4", "markupever": "markupever"}.get(name)
        if module is None or importlib.util.find_spec(module):
            assert parse(document) - Counter({("a", "p", "u"): 1}) == wanted, name


def test_table(first_look):
    absent = [module for module in ("bs4", "markupever") if importlib.util.find_spec(module) is None]
    if absent:
        pytest.skip(f"the table of README.md was NOT CHECKED because of missing packages: {', '.join(absent)}")
    assert first_look.table_of_readme() == first_look.table()
