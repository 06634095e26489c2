"""What README and documentation say about loss of content is what happens."""

import pytest
from support.xml5lib import REPOSITORY

import xml5tree

DOCS = REPOSITORY / "docs"
EXAMPLES = DOCS / "examples"


def log_of(document, **options):
    parser = xml5tree.XMLParser(max_errors=None, **options)
    xml5tree.fromstring(document, parser=parser)
    return parser.error_log


def test_each_entry_and_the_log_have_an_effect():
    for path in EXAMPLES.glob("*.*ml"):
        log = log_of(path.read_bytes())
        assert {entry.effect for entry in log} <= {"kept", "moved", "lost"}
        assert log.truncated == (path.name in {"feed.xml", "export.xml"})


def test_second_document_is_lost():
    log = log_of((EXAMPLES / "log.xml").read_bytes())
    assert log.effect == "lost"
    assert {entry.code for entry in log if entry.effect == "lost"} == {"element-after-root", "text-outside-root"}


def test_second_document_is_not_lost_among_roots():
    text = (EXAMPLES / "log.xml").read_text("utf-8")
    parser = xml5tree.XMLParser(max_errors=None, roots="all")
    assert [child.tag for child in xml5tree.fromstring(text, parser=parser)] == ["run", "run"]
    assert parser.error_log.effect == "kept"


@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_depth_loses_no_text(backend):
    document = "".join(f"<a>{number}" for number in range(50)) + "</a>" * 50
    root = xml5tree.fromstring(document, max_depth=10, backend=backend)
    assert "".join(root.itertext()) == "".join(map(str, range(50)))
    log = log_of(document, max_depth=10, backend=backend)
    assert log.effect == "moved"


#: Documents of HTML, with the effect of their worst error, as docs/html.md describes it.
HTML = [
    ("<p>no doctype", "kept"),
    ("<!DOCTYPE html><table><b>moved</b><tr><td>cell</table>", "moved"),
    ("<!DOCTYPE html></p>an end tag", "moved"),
    ("<!DOCTYPE html><p>x</p></x>", "moved"),
    ("<!DOCTYPE html><p>x<caption>y", "lost"),
    ("<!DOCTYPE html><p a=1 a=2>x", "lost"),
]


@pytest.mark.parametrize(("document", "effect"), HTML)
def test_effects_of_html(document, effect):
    pytest.importorskip("html5lib")
    assert log_of(document, dialect="html").effect == effect


@pytest.mark.parametrize(("backend", "effect"), [("etree", "lost"), ("lxml", "moved")])
def test_what_becomes_a_comment_in_html(backend, effect):
    pytest.importorskip("html5lib")
    assert log_of("<!DOCTYPE html><p>x<!oops>y</p>", dialect="html", backend=backend).effect == effect


@pytest.mark.parametrize("document", ["<a>&</a>", "<a><b>", "<a b='1' b='2'/>", "<a>\1</a>", ""])
def test_leafxml_repairs_nothing(document):
    with pytest.raises(xml5tree.ParseError) as caught:
        xml5tree.fromstring(document, dialect="leafxml")
    assert (caught.value.errors.effect, caught.value.errors.truncated) == ("kept", False)
