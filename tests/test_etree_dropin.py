"""`xml5tree.ElementTree` in place of `xml.etree.ElementTree`."""

import inspect
import io
import pathlib
import pickle
import runpy
import subprocess
import sys
import xml.etree.ElementTree as standard
from xml.parsers.expat import errors as expat

import pytest
from hypothesis import given
from support import nearxml
from support.cases import each_case
from support.trees import assert_same_tree

import xml5tree
import xml5tree.ElementTree as ET
from xml5tree import streaming

BROKEN = b"<r><a id=1>Tom & Jerry</a><b id='2'>2 < 3</r>"
REPAIRED = '<r><a id="1">Tom &amp; Jerry</a><b id="2">2 &lt; 3</b></r>'
CODES = [
    *["unquoted-attribute-value", "unescaped-ampersand", "invalid-first-character-of-tag-name", "mismatched-end-tag"],
]

OURS = {
    *{"ElementTree", "XML", "XMLID", "XMLParser", "XMLPullParser", "canonicalize"},
    *{"fromstring", "fromstringlist", "iterparse", "parse"},
}


def as_text(element):
    return standard.tostring(element, "unicode")


# Names


def test_names():
    assert set(ET.__all__) == set(standard.__all__)
    for name in standard.__all__:
        assert (getattr(ET, name) is getattr(standard, name)) is (name not in OURS), name
    assert ET.fromstring is ET.XML


def test_names_that_are_not_in_all():
    assert ET.HTML_EMPTY is standard.HTML_EMPTY
    assert ET.ElementPath is standard.ElementPath
    assert ET._namespace_map is standard._namespace_map
    assert ET.register_namespace._namespace_map is standard._namespace_map
    with pytest.raises(AttributeError, match="nope"):
        _ = ET.nope


def test_the_standard_module_is_left_alone():
    code = (
        "import xml.etree.ElementTree as standard; before = dict(vars(standard));"
        "import xml5tree.ElementTree as ET; ET.XML('<a>&'); assert vars(standard) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", sorted(OURS - {"ElementTree", "XMLParser", "XMLPullParser"}))
def test_signatures(name):
    assert parameters(getattr(ET, name))[: len(parameters(getattr(standard, name)))] == parameters(
        getattr(standard, name)
    )


def parameters(function):
    return [(each.name, each.default) for each in inspect.signature(function).parameters.values()]


def test_parse_error():
    assert ET.ParseError is standard.ParseError
    for parse in (ET.fromstring, lambda text: ET.parse(io.StringIO(text)), lambda text: list(ET.iterparse([text]))):
        with pytest.raises(standard.ParseError) as caught:
            parse("no markup")
        assert isinstance(caught.value, xml5tree.ParseError)


#: What refuses text.
CALLS = {
    "fromstring": lambda text, **options: ET.fromstring(text, **options),
    "XML": lambda text, **options: ET.XML(text, **options),
    "XMLID": lambda text, **options: ET.XMLID(text, **options),
    "fromstringlist": lambda text, **options: ET.fromstringlist([text], **options),
    "parse": lambda text, **options: ET.parse(io.StringIO(text), **options),
    "ElementTree": lambda text, **options: ET.ElementTree().parse(io.StringIO(text), **options),
    "iterparse": lambda text, **options: list(ET.iterparse([text], **options)),
    "canonicalize": lambda text, **options: ET.canonicalize(text, **options),
    "XMLParser": lambda text, **options: standard.fromstring(text, ET.XMLParser(**options)),
    "standard parse": lambda text, **options: standard.parse(io.StringIO(text), ET.XMLParser(**options)),
    "parser": lambda text, **options: ET.fromstring(text, xml5tree.XMLParser(**options)),
}


def pulled(text, *, closes, **options):
    parser = ET.XMLPullParser(**options)
    parser.feed(text)
    if closes:
        parser.close()
    list(parser.read_events())


CALLS["XMLPullParser"] = lambda text, **options: pulled(text, closes=True, **options)


@pytest.mark.parametrize("call", CALLS)
def test_numbers_of_errors(call):
    """`code` is expat's number at every door, and `reason` the name of xml5tree's code."""
    numbers = expat.codes
    for text, options, reason, number in (
        ("no markup", {}, "no-root-element", numbers[expat.XML_ERROR_SYNTAX]),
        ("<!-- no element -->", {}, "no-root-element", numbers[expat.XML_ERROR_NO_ELEMENTS]),
        ("", {}, "no-root-element", numbers[expat.XML_ERROR_NO_ELEMENTS]),
        ("<a></b>", {"recovery": "strict"}, "not-well-formed", numbers[expat.XML_ERROR_TAG_MISMATCH]),
        ("<a>", {"dialect": "leafxml"}, "eof-in-element", numbers[expat.XML_ERROR_ABORTED]),
        ("<!DOCTYPE a><a/>", {"forbid_dtd": True}, "doctype-forbidden", numbers[expat.XML_ERROR_ABORTED]),
    ):
        with pytest.raises(standard.ParseError) as caught:
            CALLS[call](text, **options)
        error = caught.value
        assert isinstance(error, ET.DocumentError)
        assert isinstance(error, xml5tree.ParseError)
        assert (error.reason, error.code) == (reason, number)
        assert not isinstance(error.__cause__, xml5tree.ParseError)
        again = pickle.loads(pickle.dumps(error))
        assert [str(again), again.code, again.reason, again.position] == [str(error), number, reason, error.position]


def test_errors_of_events_that_are_read_before_the_end():
    with pytest.raises(ET.DocumentError):
        pulled("<!DOCTYPE a><a/>", closes=False, forbid_dtd=True)


def test_events_in_a_string():
    """Each letter is an event, as for the standard module."""
    for module in (standard, ET):
        for call in (lambda m: m.iterparse(io.BytesIO(b"<a/>"), "start"), lambda m: m.XMLPullParser("end")):
            with pytest.raises(ValueError, match=r"unknown event '[a-z]'"):
                call(module)


# Reading


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "document.xml"
    path.write_bytes(BROKEN)
    return path


def test_fromstring():
    for document in (BROKEN, BROKEN.decode(), bytearray(BROKEN), memoryview(BROKEN)):
        assert as_text(ET.fromstring(document)) == REPAIRED
    assert as_text(ET.fromstringlist([BROKEN[:20], BROKEN[20:]])) == REPAIRED


def test_xmlid():
    root, ids = ET.XMLID("<r><a id=1></a><b id='2'>x<c id=''></r>")
    assert ids == {"1": root[0], "2": root[1]}


def test_parse(path):
    class Reader:
        def __init__(self):
            self.read = io.BytesIO(BROKEN).read

    text = io.StringIO(BROKEN.decode())
    for source in (path, str(path), io.BytesIO(BROKEN), text, Reader(), streaming.open(path)):
        tree = ET.parse(source)
        assert isinstance(tree, standard.ElementTree)
        assert isinstance(tree, ET.ElementTree)
        assert as_text(tree.getroot()) == REPAIRED
    assert not text.closed


def test_trees_of_the_standard_module_are_instances():
    """They are those of the drop-in, but not those of a subclass."""
    made = standard.ElementTree(standard.Element("a"))
    subclass = type("Tree", (ET.ElementTree,), {})
    assert isinstance(made, ET.ElementTree)
    assert isinstance(subclass(), ET.ElementTree)
    assert isinstance(subclass(), standard.ElementTree)
    for other in (made, ET.ElementTree(), standard.Element("a")):
        assert not isinstance(other, subclass)
    assert not isinstance(standard.Element("a"), ET.ElementTree)


def test_elementtree(path, tmp_path):
    tree = ET.ElementTree(file=path)
    assert as_text(tree.getroot()) == REPAIRED
    assert tree.find("a").text == "Tom & Jerry"
    tree.write(tmp_path / "written.xml")
    assert standard.parse(tmp_path / "written.xml").find("b").text == "2 < 3"
    root = tree.parse(io.BytesIO(b"<s>&"))
    assert root is tree.getroot()
    assert as_text(root) == "<s>&amp;</s>"
    assert ET.ElementTree(root).getroot() is root
    assert ET.ElementTree().getroot() is None
    ET.indent(tree)
    ET.dump(tree)


def test_options(path):
    errors = []
    assert ET.fromstring("<r>&x;</r>", entities={"x": "y"}, on_error=errors.append).text == "y"
    assert [error.code for error in errors] == ["undeclared-entity-reference"]
    for read in (
        lambda **options: ET.parse(path, **options),
        lambda **options: ET.ElementTree().parse(path, **options),
        lambda **options: ET.fromstringlist([BROKEN], **options),
        lambda **options: ET.XMLID(BROKEN, **options),
        lambda **options: list(ET.iterparse(path, **options)),
    ):
        with pytest.raises(ET.ParseError):
            read(recovery="strict")
        with pytest.raises(TypeError, match="unknown option"):
            read(nope=1)


def test_backend():
    for function in (ET.XMLParser, ET.XMLPullParser):
        with pytest.raises(TypeError, match="backend"):
            function(backend="lxml")
    for function in (ET.fromstring, ET.fromstringlist, ET.iterparse, ET.XMLID):
        with pytest.raises(TypeError, match="backend"):
            function(["<a/>"], backend="lxml")


def test_comments_and_instructions_in_a_doctype_leave_no_trace():
    """Unlike in the standard module, and as in canonical XML, which has no DOCTYPE."""
    document = "<!DOCTYPE a [<!--c--><?pi?>]><a/>"
    assert ET.canonicalize(document, with_comments=True) == "<a></a>"
    assert [event for event, _ in ET.iterparse(io.StringIO(document), ("start", "comment", "pi"))] == ["start"]


def test_canonicalize_with_options():
    log = []
    text = ET.canonicalize("<a><i>x<i>y</a><!--z-->", on_error=log.append, recovery="draft", with_comments=True)
    assert text == "<a><i>x<i>y</i></i></a>\n<!--z-->"
    assert [entry.code for entry in log] == ["mismatched-end-tag"]


def test_canonicalize(path):
    assert ET.canonicalize(BROKEN.decode()) == REPAIRED
    assert ET.canonicalize(from_file=path) == REPAIRED
    file = io.StringIO()
    assert ET.canonicalize(BROKEN, out=file, exclude_tags=["b"]) is None
    assert file.getvalue() == '<r><a id="1">Tom &amp; Jerry</a></r>'
    assert ET.canonicalize("<r><!--c--> x</r>", with_comments=True, strip_text=True) == "<r><!--c-->x</r>"


# Parsers


def test_parser():
    parser = ET.XMLParser()
    assert isinstance(parser, xml5tree.XMLParser)
    assert isinstance(parser.target, ET.TreeBuilder)
    assert parser.version == standard.XMLParser().version
    parser.feed(BROKEN[:30])
    parser.flush()
    parser.feed(BROKEN[30:])
    assert as_text(parser.close()) == REPAIRED
    assert [error.code for error in parser.error_log] == CODES


def test_parser_after_close():
    """It takes nothing more, as the standard module's, but for whole documents."""
    for module in (standard, ET):
        parser = module.XMLParser()
        parser.feed("<a/>")
        parser.close()
        for call in (parser.close, lambda parser=parser: parser.feed("<b/>")):
            with pytest.raises(standard.ParseError, match=r"^parsing finished") as caught:
                call()
            assert caught.value.code == expat.codes[expat.XML_ERROR_FINISHED]
    assert ET.fromstring("<b/>", parser).tag == "b"


def test_functions_with_a_parser(path):
    for read in (
        lambda parser: ET.parse(path, parser).getroot(),
        lambda parser: ET.ElementTree().parse(path, parser),
        lambda parser: ET.fromstring(BROKEN, parser),
        lambda parser: ET.fromstringlist([BROKEN], parser),
        lambda parser: ET.XMLID(BROKEN, parser)[0],
        lambda parser: standard.parse(path, parser).getroot(),
        lambda parser: standard.fromstring(BROKEN, parser),
    ):
        parser = ET.XMLParser()
        assert as_text(read(parser)) == REPAIRED
        assert parser.error_log
    for read in (ET.parse, ET.fromstring, ET.fromstringlist, ET.iterparse):
        with pytest.raises(TypeError, match="belong to the parser"):
            read(io.BytesIO(BROKEN), parser=ET.XMLParser(), recovery="strict")


def test_file_that_reads_what_is_no_document():
    """It would never end."""

    class Odd:
        def read(self, size):
            return 5

    for read in (ET.parse, lambda file: ET.parse(file, ET.XMLParser()), lambda file: list(ET.iterparse(file))):
        with pytest.raises(TypeError, match="bytes or str expected, not int"):
            read(Odd())


def test_native_parser_tries_whole_documents_first(tmp_path):
    """Only the repair has a limit of depth."""
    document = "<a>" * 2100 + "</a>" * 2100
    path = tmp_path / "deep.xml"
    path.write_text(document)

    class Own(ET.XMLParser):
        fed = 0

        def feed(self, data):
            self.fed += len(data)
            super().feed(data)

    for read in (
        lambda parser: ET.parse(path, parser),
        lambda parser: ET.parse(io.StringIO(document), parser),
        lambda parser: ET.fromstring(document, parser),
        lambda parser: ET.XMLID(document.encode(), parser),
    ):
        for parser in (ET.XMLParser(), xml5tree.XMLParser()):
            read(parser)
            assert parser.error_log == []
            read(parser)
            assert parser.error_log == []
        parser = Own()
        read(parser)
        assert parser.fed == len(document)
        assert [error.code for error in parser.error_log] == ["max-depth-exceeded"]
    parser = ET.XMLParser()
    parser.feed("<b>1")
    assert as_text(ET.fromstring("2</b>", parser)) == "<b>12</b>"
    parser = ET.XMLParser()
    parser.feed("<b>1")
    assert as_text(ET.parse(io.StringIO("2</b>"), parser).getroot()) == "<b>12</b>"
    parser.entity["e"] = "&"
    assert ET.fromstring("<a>&e;</a>", parser).text == "&"
    assert parser.target is ET.XMLParser(target=parser.target).target


def test_functions_with_a_parser_of_the_standard_module(path):
    """It is used as it is."""
    for read in (ET.parse, ET.fromstring, lambda document, parser: list(ET.iterparse(document, None, parser))):
        with pytest.raises(standard.ParseError) as caught:
            read(path if read is not ET.fromstring else BROKEN, standard.XMLParser())
        assert type(caught.value) is standard.ParseError
    assert ET.fromstring("<a>1</a>", standard.XMLParser()).text == "1"


def test_target():
    class Target:
        def __init__(self):
            self.seen = []

        def start(self, tag, attributes):
            self.seen.append((tag, attributes))

        def end(self, tag):
            self.seen.append(tag)

        def data(self, data):
            self.seen.append(data)

        def close(self):
            return "".join(str(each) for each in self.seen)

    target = Target()
    parser = ET.XMLParser(target=target)
    assert parser.target is target
    assert ET.fromstring("<r a=1>x<b>", parser) == "('r', {'a': '1'})x('b', {})br"


def test_tree_builder_with_comments():
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True, insert_pis=True))
    assert as_text(ET.fromstring("<r>&<!--c--><?p d?></r>", parser)) == "<r>&amp;<!--c--><?p d?></r>"


def test_subclass():
    class Parser(ET.XMLParser):
        def __init__(self):
            super().__init__(target=ET.TreeBuilder(), encoding="iso-8859-1")

    assert ET.fromstring(b"<r>\xe9 & \xfc", Parser()).text == "é & ü"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "ours é &nope;"),
        ({"entities": "xml"}, "ours &eacute; &nope;"),
        ({"entities": {"nope": "no"}}, "ours &eacute; no"),
    ],
)
def test_entity(options, text):
    parser = ET.XMLParser(**options)
    parser.entity["x"] = "ours"
    root = ET.fromstring("<r a='&x;'>&x; &eacute; &nope;</r>", parser)
    assert (root.get("a"), root.text) == ("ours", text)


def test_entity_does_not_replace_what_is_declared():
    parser = ET.XMLParser()
    parser.entity.update({"x": "ours", "eacute": "e", "amp": "nope"})
    assert (
        ET.fromstring("<!DOCTYPE r [<!ENTITY x 'declared'>]><r>&x; &eacute; &amp;</r>", parser).text == "declared e &"
    )


def test_parser_options():
    with pytest.raises(TypeError, match="unknown option"):
        ET.XMLParser(nope=1)
    with pytest.raises(LookupError):
        ET.XMLParser(encoding="nope")
    with pytest.raises(ET.ParseError):
        ET.fromstring(BROKEN, ET.XMLParser(recovery="strict"))


# Events


def test_iterparse(path):
    for source in (path, str(path), io.BytesIO(BROKEN), io.StringIO(BROKEN.decode())):
        events = ET.iterparse(source)
        assert [(event, element.tag, element.text) for event, element in events] == [
            *[("end", "a", "Tom & Jerry"), ("end", "b", "2 < 3"), ("end", "r", None)],
        ]
        assert as_text(events.root) == REPAIRED
        assert events.error_log
    assert [event for event, _ in ET.iterparse(path, ("start", "end"), tag="b")] == ["start", "end"]
    assert list(ET.iterparse(path, ())) == []


@pytest.mark.parametrize("module", [ET, standard])
def test_iterparse_with_a_parser(module):
    """The standard function takes a parser of this module as well."""
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    events = module.iterparse(io.StringIO("<r><!--c-->1 & 2<a b=c></r>"), ("start", "end", "comment"), parser)
    assert [event for event, _ in events] == ["start", "comment", "start", "end", "end"]
    assert as_text(events.root) == '<r><!--c-->1 &amp; 2<a b="c" /></r>'
    assert parser.error_log


def test_pull_parser():
    parser = ET.XMLPullParser()
    parser.feed("<r><a>1 & 2</a><b>")
    parser.flush()
    assert [(event, element.text) for event, element in parser.read_events()] == [("end", "1 & 2")]
    assert parser.close() is None
    assert [element.tag for _, element in parser.read_events()] == ["b", "r"]
    assert parser.root.tag == "r"
    assert parser.error_log.truncated
    parser = ET.XMLPullParser(("start",), tag="{u}*")
    parser.feed("<r><a xmlns=u>")
    assert [element.tag for _, element in parser.read_events()] == ["{u}a"]


def test_pull_parser_holds_exceptions_back():
    """As the standard one does; they come when the events are read."""
    for parser in (standard.XMLPullParser(), ET.XMLPullParser(recovery="strict")):
        parser.feed("<r><a/><b></r>")
        events = parser.read_events()
        assert next(events)[1].tag == "a"
        with pytest.raises(ET.ParseError, match=r"mismatched tag: line 1, column 12"):
            next(events)


# Well-formed documents, and misuse


@given(nearxml.well_formed_documents())
def test_well_formed_documents(document):
    data = document.encode()
    expected = standard.fromstring(data)
    assert_same_tree(ET.fromstring(data), expected)
    assert_same_tree(ET.fromstring(data, ET.XMLParser()), expected)
    assert_same_tree(ET.parse(io.BytesIO(data)), expected)
    assert_same_tree(ET.fromstringlist([data[:9], data[9:]]), expected)
    events = ET.iterparse(io.BytesIO(data))
    assert [element.tag for _, element in events] == [
        element.tag for _, element in standard.iterparse(io.BytesIO(data))
    ]
    assert_same_tree(events.root, expected)
    assert events.error_log == []
    assert ET.XMLID(data)[1].keys() == standard.XMLID(data)[1].keys()
    if "<!DOCTYPE" not in document:  # in it, only the standard module finds comments and processing instructions
        canonical = [module.canonicalize(data, with_comments=True) for module in (ET, standard)]
        assert canonical[0] == canonical[1]


DOCUMENTS = runpy.run_path(str(pathlib.Path(__file__).parent.parent / "compat" / "documents.py"))


@pytest.mark.parametrize("name", ["feed", "catalog", "nested"])
def test_long_documents(name, tmp_path):
    data = DOCUMENTS[name](500).encode()
    expected = standard.fromstring(data)
    path = tmp_path / "document.xml"
    path.write_bytes(data)
    events = ET.iterparse(path, ("start", "end", "start-ns", "end-ns", "comment", "pi"))
    expected_events = standard.iterparse(path, ("start", "end", "start-ns", "end-ns", "comment", "pi"))
    for (event, value), (expected_event, expected_value) in zip(events, expected_events, strict=True):
        assert event == expected_event
        assert getattr(value, "tag", value) == getattr(expected_value, "tag", expected_value)
    for root in (ET.parse(path), ET.parse(path, ET.XMLParser()), ET.fromstring(data.decode()), events.root):
        assert_same_tree(root, expected)
    assert events.error_log == []


def after_close(module):
    parser = module.XMLPullParser()
    parser.feed("<a/>")
    parser.close()
    parser.feed("<a/>")


def twice(module):
    parser = module.XMLParser()
    parser.feed("<a/>")
    parser.close()
    parser.close()


def closed_file(module):
    file = io.BytesIO(b"<a/>")
    file.close()
    module.parse(file)


MISUSES = [
    *[after_close, twice, closed_file],
    lambda module: module.fromstring(None),
    lambda module: module.fromstring(["<a/>"]),
    lambda module: module.fromstring(),
    lambda module: module.fromstring("<a/>", nope=1),
    lambda module: module.fromstring("<a/>", 1),
    lambda module: module.fromstring(""),
    lambda module: module.fromstringlist(None),
    lambda module: module.fromstringlist([]),
    lambda module: module.fromstringlist([1]),
    lambda module: module.XMLID(None),
    lambda module: module.parse(None),
    lambda module: module.parse("there is no such file"),
    lambda module: module.parse("."),
    lambda module: module.parse(io.BytesIO()),
    lambda module: module.parse(io.BytesIO(b"<a/>"), object()),
    lambda module: module.ElementTree(file="there is no such file"),
    lambda module: module.canonicalize(),
    lambda module: module.canonicalize("<a/>", nope=1),
    lambda module: module.iterparse("there is no such file"),
    lambda module: module.iterparse(None),
    lambda module: module.iterparse(io.BytesIO(), ("bogus",)),
    lambda module: module.iterparse(io.BytesIO(), None, 1),
    lambda module: next(module.iterparse(io.BytesIO())),
    lambda module: module.XMLPullParser(("bogus",)),
    lambda module: module.XMLPullParser(1),
    lambda module: module.XMLPullParser(None, None),
    lambda module: module.XMLPullParser().feed(1),
    lambda module: module.XMLPullParser().close(),
    lambda module: module.XMLParser(1),
    lambda module: module.XMLParser(nope=1),
    lambda module: module.XMLParser().feed(1),
    lambda module: module.XMLParser().feed(),
    lambda module: module.XMLParser().close(),
    lambda module: module.fromstring(b"<a/>", module.XMLParser(encoding="x-nope")),
]


@each_case("misuse", MISUSES)
def test_misuse(misuse):
    assert isinstance(exception(misuse, ET), type(exception(misuse, standard)))


def exception(function, argument):
    try:
        function(argument)
    except Exception as error:
        return error
    raise AssertionError("no exception")
