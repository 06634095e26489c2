"""Wrong calls get an error of the right type that says what is wrong; so do documents without a root element."""

import array
import io
import xml.etree.ElementTree as ET

import lxml.etree
import pytest
from support.cases import each_case

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
from xml5tree.options import RECOVERIES

BACKENDS = ["etree", "lxml"]
each_backend = pytest.mark.parametrize("backend", BACKENDS)


def message_of(error):
    """The message of an exception with its notes."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


ROOTLESS = {
    "empty": "",
    "blank": " \n\t",
    "byte order mark": "\ufeff",
    "text": "just text",
    "comments": "<!-- a --><!-- b -->",
    "declaration": "<?xml version='1.0'?>",
    "DOCTYPE": "<!DOCTYPE a [<!ENTITY e '<a/>'>]>",
    "entity": "<!DOCTYPE a [<!ENTITY e '<!--x-->'>]>&e;",
    "end tags": "</a></>",
    "references": "&amp;&foo;",
    "unclosed comment": "<!-- <a/>",
    "instructions": "<?a?><?b c?>",
    "CDATA": "<![CDATA[<a/>]]>",
}


@each_backend
@each_case("recovery", ["intent", "draft"])
@each_case("name", ROOTLESS)
def test_no_root(backend, name, recovery):
    document = ROOTLESS[name]
    if (name, recovery) == ("unclosed comment", "intent"):  # it ends before the tag then
        assert xml5tree.fromstring(document, backend=backend).tag == "a"
        return
    calls = [
        lambda: xml5tree.fromstring(document, backend=backend, recovery=recovery),
        lambda: xml5tree.fromstring(document.encode(), backend=backend, recovery=recovery),
        lambda: xml5tree.fromstringlist(document, backend=backend, recovery=recovery),
        lambda: xml5tree.parse(io.StringIO(document), backend=backend, recovery=recovery),
        lambda: xml5tree.repair(document, recovery=recovery),
        lambda: xml5tree.repair(document.encode(), recovery=recovery),
    ]
    for call in calls:
        with pytest.raises(xml5tree.ParseError, match="no root element") as raised:
            call()
        assert raised.value.code == "no-root-element"


def test_nothing_fed():
    for parser in (xml5tree.XMLParser(), xml5tree.XMLParser(backend="lxml"), xml5tree.Repairer()):
        with pytest.raises(xml5tree.ParseError, match="no root element"):
            parser.close()
    with pytest.raises(xml5tree.ParseError, match="no root element"):
        xml5tree.fromstringlist([])


@pytest.mark.parametrize("data", [None, 5, ["<a/>"], io.BytesIO(b"<a/>"), ET.Element("a")])
def test_neither_bytes_nor_text(data):
    name = type(data).__name__
    for function in (xml5tree.fromstring, xml5tree.repair, xml5tree.XMLParser().feed, xml5tree.Repairer().feed):
        with pytest.raises(TypeError, match=f"bytes or str expected, not {name}"):
            function(data)
    with pytest.raises(TypeError, match=f"str expected, not {name}"):
        xml5tree.tokenize(data)
    if not hasattr(data, "read"):  # a list of one file is that file
        with pytest.raises(TypeError):
            xml5tree.fromstringlist([data])


@pytest.mark.parametrize(
    "data",
    [array.array("B", b"<a/>"), memoryview(b"<a/>").cast("I"), memoryview(b"<-a-/->-")[::2], bytearray(b"<a/>")],
    ids=["array", "integers", "not contiguous", "bytearray"],
)
def test_objects_with_bytes_in_them(data):
    for backend in BACKENDS:
        assert xml5tree.fromstring(data, backend=backend).tag == "a"
        assert xml5tree.fromstringlist([data], backend=backend).tag == "a"
        parser = xml5tree.XMLPullParser(backend=backend)
        parser.feed(data)
        assert parser.close().tag == "a"
    assert xml5tree.repair(data) == b"<a/>"


def test_empty_parts_are_neither_bytes_nor_text():
    for parts in (["", b"<a>"], [b"", "<a>"], ["", b"", "<a>", b""]):
        assert xml5tree.fromstringlist(parts).tag == "a"
        repairer = xml5tree.Repairer()
        markup = [repairer.feed(part) for part in parts]
        assert [type(piece) for piece in markup] == [type(part) for part in parts]
        whole = [*filter(None, markup), repairer.close()]
        assert whole[0][:0].join(whole) in (b"<a></a>", "<a></a>")


def test_tokenize_takes_no_bytes():
    with pytest.raises(TypeError, match="str expected, not bytes"):
        xml5tree.tokenize(b"<a/>")


@pytest.mark.parametrize("source", [None, 5, ET.Element("a")])
def test_neither_path_nor_file(source):
    with pytest.raises(TypeError, match=f"parse takes a path, .*, not {type(source).__name__}$"):
        xml5tree.parse(source)


def test_missing_file(tmp_path):
    for source in (tmp_path / "missing.xml", str(tmp_path / "missing.xml")):
        with pytest.raises(FileNotFoundError, match=r"missing\.xml") as raised:
            xml5tree.parse(source)
        assert "fromstring" not in message_of(raised.value)


def test_directory(tmp_path):
    with pytest.raises(OSError, match=tmp_path.name):
        xml5tree.parse(tmp_path)


@pytest.mark.parametrize(
    "document", ["<a/>", " \n<a>\n</a>", "<?xml version='1.0'?><a/>", "<a/>" * 5000, "<a>\0</a>", "\ufeff<a/>"]
)
@pytest.mark.parametrize(
    "function",
    [xml5tree.parse, xml5tree.iterparse, xml5tree.open, xml5tree.records, xml5tree.known_elements],
    ids=lambda function: function.__name__,
)
def test_markup_where_a_path_is_expected(function, document):
    with pytest.raises((OSError, ValueError)) as raised:
        function(document)
    assert "fromstring" in message_of(raised.value)


@pytest.mark.parametrize(
    "function",
    [xml5tree.parse, xml5tree.iterparse, xml5tree.open],
    ids=lambda function: function.__name__,
)
def test_url_where_a_path_is_expected(function):
    with pytest.raises(FileNotFoundError) as raised:
        function("https://example.org/feed.xml")
    assert "nothing is fetched" in message_of(raised.value)


@each_backend
def test_files_that_cannot_be_read(backend, tmp_path):
    with (tmp_path / "a.xml").open("wb") as file, pytest.raises(io.UnsupportedOperation):
        xml5tree.parse(file, backend=backend)
    with (tmp_path / "a.xml").open("rb") as closed:
        pass
    with pytest.raises(ValueError, match="closed file"):
        xml5tree.parse(closed, backend=backend)


def test_files_that_read_something_else():
    class File:
        def read(self, size):
            return 5

    with pytest.raises(TypeError, match="bytes or str expected, not int"):
        xml5tree.parse(File())


@pytest.mark.parametrize("parts", [["<a>", b"</a>"], [b"<a>", "</a>"], ["<a>", bytearray(b"</a>")]])
@pytest.mark.parametrize(
    "make",
    [xml5tree.XMLParser, lambda: xml5tree.XMLParser(backend="lxml"), xml5tree.Repairer],
    ids=[*BACKENDS, "repair"],
)
def test_bytes_and_text_mixed(make, parts):
    parser = make()
    parser.feed(parts[0])
    with pytest.raises(TypeError, match="both"):
        parser.feed(parts[1])
    with pytest.raises(TypeError, match="both"):
        xml5tree.fromstringlist(parts)


@pytest.mark.parametrize(
    "function",
    [
        lambda **options: xml5tree.fromstring("<a/>", **options),
        lambda **options: xml5tree.fromstringlist(["<a/>"], **options),
        lambda **options: xml5tree.parse(io.StringIO("<a/>"), **options),
        lambda **options: xml5tree.repair("<a/>", **options),
        xml5tree.XMLParser,
        xml5tree.Repairer,
    ],
)
class TestOptions:
    """Options are checked before anything is parsed, and everywhere alike."""

    def test_unknown(self, function):
        with pytest.raises(TypeError, match=r"unknown option 'recovering'.*recover"):
            function(recovering=True)

    @pytest.mark.parametrize("value", [True, False, None])
    def test_recover(self, function, value):
        """What lxml calls so has another name here, and the error says which."""
        with pytest.raises(TypeError, match="unknown option 'recover'; recovery=\"strict\" refuses"):
            function(recover=value)

    @each_case(
        ("options", "message"),
        [
            ({"entities": "sgml"}, "entities must be .*not 'sgml'"),
            ({"recovery": True}, 'recovery must be "intent", "draft" or "strict", not True'),
            ({"recovery": "lenient"}, 'recovery must be "intent", "draft" or "strict", not \'lenient\''),
            ({"recovery": ["draft"]}, 'recovery must be "intent", "draft" or "strict", not'),
            ({"entities": None}, "entities must be .*not None"),
            ({"roots": []}, 'roots must be "first" or "all", not'),
            ({"max_depth": 1}, "max_depth must be at least 2, not 1"),
            ({"max_depth": -5}, "max_depth must be at least 2, not -5"),
            ({"max_errors": -1}, "max_errors must be None or at least 0, not -1"),
            ({"namespaces": {"": "u"}}, "namespaces maps prefixes to URIs"),
            ({"namespaces": {"p": ""}}, "namespaces maps prefixes to URIs"),
        ],
    )
    def test_value(self, function, options, message):
        with pytest.raises(ValueError, match=message):
            function(**options)

    @each_case(
        ("options", "message"),
        [
            ({"encoding": 1}, "encoding must be a string or None, not 1"),
            ({"encoding": b"utf-8"}, "encoding must be a string or None, not b'utf-8'"),
            ({"entities": {"a": 1}}, "entities maps names to characters"),
            ({"entities": {1: "a"}}, "entities maps names to characters"),
            ({"namespaces": {"p": b"u"}}, "namespaces maps prefixes to URIs"),
            ({"namespaces": {None: "u"}}, "namespaces maps prefixes to URIs"),
            ({"namespaces": ["p"]}, "namespaces maps prefixes to URIs"),
            ({"on_error": []}, "on_error must be callable, not list"),
        ],
    )
    def test_type(self, function, options, message):
        with pytest.raises(TypeError, match=message):
            function(**options)


@each_backend
@pytest.mark.parametrize("recovery", RECOVERIES)
@pytest.mark.parametrize("encoding", ["x-unknown", "utf-7", "rot13", "unicode_escape", ""])
def test_encoding(backend, recovery, encoding):
    with pytest.raises(LookupError, match=f"unknown or refused encoding: '{encoding}'"):
        xml5tree.fromstring(b"<a/>", backend=backend, encoding=encoding, recovery=recovery)


@pytest.mark.parametrize("make", [xml5tree.XMLParser, xml5tree.Repairer])
def test_encoding_is_checked_at_once(make):
    with pytest.raises(LookupError, match="x-unknown"):
        make(encoding="x-unknown")


def test_strict_repair():
    for function in (xml5tree.Repairer, lambda **options: xml5tree.repair("<a/>", **options)):
        with pytest.raises(ValueError, match='recovery="strict"'):
            function(recovery="strict")


def test_unknown_backend():
    for function in (xml5tree.XMLParser, lambda **options: xml5tree.fromstring("<a/>", **options)):
        with pytest.raises(ValueError, match=r'unknown backend \'html5lib\'; known are "etree" and "lxml"'):
            function(backend="html5lib")


class OnlyFeed:
    def feed(self, data):
        raise AssertionError


@pytest.mark.parametrize("backend", [OnlyFeed(), None, 5, lxml.etree, ET, b"lxml"])
def test_backend_that_is_none(backend):
    with pytest.raises(TypeError, match=f"name or an object with feed and close, not {type(backend).__name__}"):
        xml5tree.fromstring("<a/>", backend=backend)


def test_class_as_backend():
    with pytest.raises(TypeError, match="backend"):
        xml5tree.XMLParser(backend=ET.XMLParser)


def test_target_beside_a_parser_object():
    with pytest.raises(TypeError, match="target"):
        xml5tree.XMLParser(backend=ET.XMLParser(), target=ET.TreeBuilder())


def test_options_beside_a_parser():
    for options in ({"encoding": "utf-8"}, {"backend": "lxml"}, {"recovery": "strict"}):
        with pytest.raises(TypeError, match="belong to the parser"):
            xml5tree.fromstring("<a/>", parser=xml5tree.XMLParser(), **options)


@pytest.mark.parametrize("parser", [ET.XMLParser(), lxml.etree.XMLParser(), 5])
def test_foreign_parser(parser):
    with pytest.raises(TypeError, match=r"parser must be an xml5tree\.XMLParser, not a "):
        xml5tree.fromstring("<a/>", parser=parser)


@each_backend
def test_depth_that_the_backend_cannot_read(backend):
    """libxml2 reads 2048 levels; whatever becomes of more, it must not be an exception of lxml's."""
    try:
        root = xml5tree.fromstring("<a>" * 3000, backend=backend, max_depth=5000)
    except ValueError as error:
        assert "max_depth" in str(error)
    else:
        assert root.tag == "a"


@pytest.mark.parametrize(
    "uri", ["http://www.w3.org/2000/xmlns/", "http://www.w3.org/XML/1998/namespace", "a\x01b", "a\ufffe", "a\ud800"]
)
@each_backend
def test_namespaces_that_cannot_be_bound(backend, uri):
    """Refused at once or made good, but never passed on to a parser that raises."""
    try:
        root = xml5tree.fromstring("<p:a q='1' p:q='2' b=c/>", backend=backend, namespaces={"p": uri})
    except ValueError as error:
        assert "namespaces" in str(error)
    else:
        assert len(root.attrib) == 3


def test_repairer_after_the_end():
    """A second document is either repaired or refused, but not swallowed."""
    repairer = xml5tree.Repairer()
    assert repairer.feed("<a>") + repairer.close() == "<a></a>"
    try:
        second = repairer.feed("<b>") + repairer.close()
    except ValueError:
        return
    assert second == "<b></b>"


@each_backend
def test_parser_after_a_refusal(backend):
    """What was refused leaves nothing behind."""
    parser = xml5tree.XMLParser(backend=backend, forbid_dtd=True)
    with pytest.raises(xml5tree.ParseError, match="DOCTYPE"):
        parser.feed("<!--x--><!DOCTYPE a>")
    parser.feed("<b>")
    root = parser.close()
    assert root.tag == "b"


@pytest.mark.parametrize("refused", ["<!--x-->", "<!--x--><!DOCTYPE a>"])
def test_parser_object_after_a_refusal(refused):
    parser = xml5tree.XMLParser(backend=lxml.etree.XMLParser(), forbid_dtd=True)
    with pytest.raises(xml5tree.ParseError):
        xml5tree.fromstring(refused, parser=parser)
    root = xml5tree.fromstring("<a>", parser=parser)
    assert lxml.etree.tostring(root.getroottree()) == b"<a/>"


@each_backend
def test_target_that_raises(backend):
    class Target:
        def start(self, tag, attributes):
            if tag == "bad":
                raise KeyError(tag)

        def close(self):
            return "done"

    parser = xml5tree.XMLParser(backend=backend, target=Target())
    with pytest.raises(KeyError, match="bad"):
        xml5tree.fromstring("<a><bad/>", parser=parser)
    assert xml5tree.fromstring("<a><good/>", parser=parser) == "done"


def test_tree_of_a_target(tmp_path):
    """Whatever a target's close returns, parse does not choke on it."""

    class Target:
        def close(self):
            return "done"

    for backend in BACKENDS:
        result = xml5tree.parse(io.StringIO("<a>"), parser=xml5tree.XMLParser(backend=backend, target=Target()))
        assert "done" in (result, getattr(result, "getroot", lambda: None)())


WRONG_TYPES = {
    "max_depth": "x",
    "max_amplification": 2.5,
    "amplification_threshold": None,
    "max_errors": int,
    "resolve_entities": "internal",
    "forbid_dtd": 1,
    "attribute_defaults": "no",
    "encoding": 5,
    "namespaces": "x",
    "dialect": ["xml5"],
    "on_error": "print",
    "scripting": "yes",
    "revision": 2008,
}


@pytest.mark.parametrize("option", WRONG_TYPES)
def test_options_of_a_wrong_type(option):
    """A sentence names the option and the value, or its type; nothing is parsed."""
    options = {option: WRONG_TYPES[option]}
    calls = [
        lambda: xml5tree.fromstring("<a/>", **options),
        lambda: xml5tree.Repairer(**options),
        lambda: xml5tree.iterparse(["<a/>"], **options),
        lambda: xml5tree.records(["<a/>"], "a", **options),
        lambda: xml5tree.ElementTree.fromstring("<a/>", **options),
    ]
    if option not in ("encoding", "resolve_entities", "attribute_defaults"):  # which are lxml's own there
        calls.append(lambda: xml5tree.lxml.etree.XMLParser(**options))
    for call in calls:
        with pytest.raises(TypeError, match=rf"{option} (must be|maps) .+"):
            call()


@pytest.mark.parametrize("value", [1, 0, "yes", "", [1], []], ids=repr)
def test_recover_of_the_lxml_drop_in_is_taken_for_its_truth(value):
    """As in lxml."""
    etree = xml5tree.lxml.etree

    def is_read(read):
        try:
            return read() is not None
        except etree.XMLSyntaxError:
            return False

    assert is_read(lambda: etree.fromstring("<a>", etree.XMLParser(recover=value))) == bool(value)
    assert is_read(lambda: list(etree.iterparse(io.BytesIO(b"<a>"), recover=value))) == bool(value)


@each_backend
@pytest.mark.parametrize("wrong", [5, b"a", ["a", 5]], ids=repr)
def test_names_of_a_wrong_type(backend, wrong):
    for call in (
        lambda: xml5tree.iterparse(["<a/>"], tag=wrong, backend=backend),
        lambda: xml5tree.XMLPullParser(tag=wrong, backend=backend),
        lambda: xml5tree.records(["<a/>"], wrong, backend=backend),
    ):
        with pytest.raises(TypeError, match="tag must be a string or several"):
            call()
    with pytest.raises(ValueError, match="tag names no elements"):
        xml5tree.records(["<a/>"], [], backend=backend)
    with pytest.raises(TypeError, match="events must be a string or several"):
        xml5tree.iterparse(["<a/>"], wrong, backend=backend)
    assert [tag for _, tag in xml5tree.iterparse(["<a/>"], "end", backend=backend)] != []


@each_backend
@pytest.mark.parametrize("tag", ["m:item", "{*}m:item", ":item", ["a", "m:item"]])
def test_tags_with_prefixes(backend, tag):
    """No tag of an element has one, so that nothing would be found."""
    calls = [
        lambda: xml5tree.iterparse(["<a/>"], tag=tag, backend=backend),
        lambda: xml5tree.XMLPullParser(tag=tag, backend=backend),
    ]
    if isinstance(tag, str):
        calls.append(lambda: xml5tree.records(["<a/>"], tag, backend=backend))
    for call in calls:
        with pytest.raises(ValueError, match=r"item': tags have namespaces, not prefixes; '\{\*\}item' is in any"):
            call()


@pytest.mark.parametrize("wrong", [5, "a", ["a"]], ids=repr)
def test_fields_of_a_wrong_type(wrong):
    with pytest.raises(TypeError, match="fields maps names to paths"):
        xml5tree.records(["<a/>"], "a", fields=wrong)


#: Documents by which of defusedxml's three options refuse them.
FORBIDDEN = {
    "<!DOCTYPE a><a/>": {"forbid_dtd"},
    "<!DOCTYPE a [<!ELEMENT a ANY>]><a/>": {"forbid_dtd"},
    "<!DOCTYPE a SYSTEM 'a.dtd'><a/>": {"forbid_dtd", "forbid_external"},
    "<!DOCTYPE a PUBLIC '-//A' 'a.dtd'><a/>": {"forbid_dtd", "forbid_external"},
    "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>": {"forbid_dtd", "forbid_entities"},
    "<!DOCTYPE a [<!ENTITY % e 'x'>]><a/>": {"forbid_dtd", "forbid_entities"},
    "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///x'>]><a>&e;</a>": {"forbid_dtd", "forbid_entities", "forbid_external"},
    "<!DOCTYPE a [<!ENTITY % e SYSTEM 'x'> %e;]><a/>": {"forbid_dtd", "forbid_entities", "forbid_external"},
    "<!DOCTYPE a [<!NOTATION n SYSTEM 'n'><!ENTITY e SYSTEM 'x' NDATA n>]><a/>": {
        "forbid_dtd",
        "forbid_entities",
        "forbid_external",
    },
    "<a>&amp; &#65;</a>": set(),
    "<a>&nbsp; &unknown; <!DOCTYPE a [<!ENTITY e 'x'>]></a>": set(),
}


@pytest.mark.parametrize("option", ["forbid_dtd", "forbid_entities", "forbid_external"])
@pytest.mark.parametrize("document", FORBIDDEN)
def test_options_of_defusedxml(document, option):
    code = {"forbid_dtd": "doctype", "forbid_entities": "entities", "forbid_external": "external"}[option]
    options = {option: True}
    etree = xml5tree.lxml.etree
    calls = [
        lambda: xml5tree.fromstring(document, **options),
        lambda: xml5tree.fromstring(document.encode("utf-16"), backend="lxml", **options),
        lambda: xml5tree.repair(document, **options),
        lambda: list(xml5tree.iterparse([document[:20], document[20:]], **options)),
        lambda: xml5tree.ElementTree.fromstring(document, **options),
        lambda: etree.fromstring(document, etree.XMLParser(**options)),
    ]
    if "unknown" not in document:  # which is not well-formed
        calls.append(lambda: xml5tree.fromstring(document, recovery="strict", **options))
    for call in calls:
        if option in FORBIDDEN[document]:
            with pytest.raises(xml5tree.ParseError) as caught:
                call()
            assert f"{code}-forbidden" in (caught.value.code, caught.value.reason)
        else:
            call()
