"""A root element that is in the markup and not in the document: trees and events do not show it."""

import pytest

from xml5tree.backends import find_backend
from xml5tree.backends.base import Events

pytestmark = pytest.mark.usefixtures("reader")

BACKENDS = ["etree", "lxml"]
MARKUP = b"<hidden>\n<a><b k='1'>x</b>\n<b/></a> </hidden>"


def root_of(backend):
    parser = backend.make_parser(None)
    parser.feed(MARKUP)
    return backend.close(parser)


@pytest.mark.parametrize("name", BACKENDS)
def test_the_only_child_is_a_root(name):
    backend = find_backend(name)
    root = backend.only_child(root_of(backend))
    assert (root.tag, root.tail, [child.tag for child in root]) == ("a", None, ["b", "b"])
    tree = backend.make_tree(root, None)
    assert tree.getroot() is root
    assert [element.tag for element in tree.iter()] == ["a", "b", "b"]


def test_the_tree_of_lxml_is_its_own():
    backend = find_backend("lxml")
    root = backend.only_child(root_of(backend))
    assert root.getroottree().getroot() is root
    assert root.getparent() is None
    assert root.xpath("/*") == [root]
    assert [element.sourceline for element in root.iter()] == [2, 2, 3]


def events_of(name, events, tag=None):
    backend = find_backend(name)
    events_shown = Events(backend.make_pull_parser({*events, "start", "end"}, None), events, tag, hides_root=True)
    found = []
    for start in range(0, len(MARKUP), 7):
        events_shown.native.feed(MARKUP[start : start + 7])
        found += events_shown.read_events()
    events_shown.native.close()
    found += events_shown.read_events()
    return [(event, item.tag) for event, item in found]


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("tag", [None, "*", ["a", "b", "hidden"]])
def test_events_do_not_show_it(name, tag):
    start_b, end_b = ("start", "b"), ("end", "b")
    assert events_of(name, ("start", "end"), tag) == [("start", "a"), *[start_b, end_b] * 2, ("end", "a")]
    assert events_of(name, ("start",), tag) == [("start", "a"), start_b, start_b]
    assert events_of(name, ("end",), tag) == [end_b, end_b, ("end", "a")]


@pytest.mark.parametrize("name", BACKENDS)
def test_a_tag_filters_as_ever(name):
    assert events_of(name, ("end",), "b") == [("end", "b"), ("end", "b")]
    assert events_of(name, ("end",), "hidden") == []


@pytest.mark.parametrize("name", BACKENDS)
def test_its_end_is_shown_where_it_is_the_root_after_all(name):
    backend = find_backend(name)
    events = Events(backend.make_pull_parser(("start", "end"), None), ("start", "end"), hides_root=True)
    events.native.feed(b"<hidden><a/>")
    found = list(events.read_events())
    events.show_root()
    events.native.feed(b"</hidden>")
    assert events.native.close().tag == "hidden"
    found += events.read_events()
    assert [(event, item.tag) for event, item in found] == [("start", "a"), ("end", "a"), ("end", "hidden")]
