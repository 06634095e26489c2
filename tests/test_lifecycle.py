"""Every parser object in every order of calls, and after every exception: no document gets into another one."""

import gc
import io
import itertools
import tracemalloc
import warnings
import xml.sax
import xml.sax.handler

import pytest
from lxml import etree
from support.cases import each_case, one_in

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.sax
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.options import RECOVERIES
from xml5tree.output.markup import Markup


class Boom(Exception):
    """What callbacks raise."""


def failing(error):
    """A callback that raises an exception if it is called."""

    def callback(*arguments):
        raise error

    return callback


def feed_in_pieces(subject, document, size):
    for start in range(0, len(document), size):
        subject.feed(document[start : start + size])
    subject.close()


def tags(root):
    return [element.tag for element in root.iter()]


class Subject:
    """A parser object that is used again and again. It follows the draft, which finds each error where it is fed."""

    def __init__(self, on_error=None, recovery="draft", **options):
        self.on_error = on_error
        self.parser = self.make(on_error=self.called, recovery=recovery, **options)

    def called(self, entry):
        if self.on_error is not None:
            self.on_error(entry)

    def feed(self, data):
        self.parser.feed(data)

    def close(self):
        """End the document; the names of its elements."""
        return tags(self.parser.close())

    def whole(self, document):
        return tags(self.parser.parse_whole(document))


class EtreeParser(Subject):
    make = xml5tree.XMLParser


class LxmlParser(Subject):
    def make(self, **options):
        return xml5tree.XMLParser(backend="lxml", **options)


class ParserObject(Subject):
    def make(self, **options):
        return xml5tree.XMLParser(backend=etree.XMLParser(), **options)


class EtreeDropIn(Subject):
    make = xml5tree.ElementTree.XMLParser


class LxmlDropIn(Subject):
    make = xml5tree.lxml.etree.XMLParser


class LxmlPullDropIn(Subject):
    make = xml5tree.lxml.etree.XMLPullParser


class Repairer(Subject):
    make = xml5tree.Repairer

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.markup = []

    def feed(self, data):
        try:
            self.markup.append(self.parser.feed(data))
        except BaseException:
            if not self.parser._cycle.is_feeding:
                self.markup.clear()
            raise

    def close(self):
        markup, self.markup = self.markup, []
        markup.append(self.parser.close())
        return tags(etree.fromstring("".join(markup)))

    def whole(self, document):
        """What it has no method for: a document that is fed to another one like it."""
        other = type(self)(self.on_error)
        other.parser._settings = self.parser._settings
        other.feed(document)
        return other.close()


class SaxParser(Subject, xml.sax.ContentHandler):
    make = xml5tree.sax.SAXParser

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.parser.setContentHandler(self)

    def startDocument(self):
        self.found = []

    def startElement(self, name, attributes):
        self.found.append(name)

    def close(self):
        is_feeding = self.parser._cycle.is_feeding
        self.parser.close()
        if not is_feeding:  # then there is nothing to end, as in the standard driver
            raise xml.sax.SAXParseException("no document", None, self.parser)
        return self.found

    def whole(self, document):
        self.parser.parse(io.StringIO(document))
        return self.found


SUBJECTS = [
    EtreeParser,
    LxmlParser,
    ParserObject,
    EtreeDropIn,
    LxmlDropIn,
    LxmlPullDropIn,
    Repairer,
    SaxParser,
]
each_subject = pytest.mark.parametrize("make", SUBJECTS)
#: Those that take another document after one. The drop-in for ElementTree is finished then, as the standard parser is.
each_reusable = pytest.mark.parametrize("make", [subject for subject in SUBJECTS if subject is not EtreeDropIn])
NO_DOCUMENT = (SyntaxError, xml.sax.SAXParseException)  # both libraries' exceptions are SyntaxErrors


@each_subject
@each_case("error", [Boom("callback"), KeyboardInterrupt(), TypeError("callback")], ids=repr)
@each_case("size", [1, 100])
def test_callback_that_raises(make, error, size):
    """Wherever it does: what comes next is another document, and nothing of the one before it."""
    document = "<old><x></old><y>"
    subject = make(failing(error))
    with pytest.raises(type(error)):
        feed_in_pieces(subject, document, size)
    subject.on_error = None
    subject.feed("<new><x/>")
    assert subject.close() == ["new", "x"]
    assert not subject.parser.error_log[1:]  # the end tag that is missing
    subject.on_error = failing(error)
    with pytest.raises(type(error)):
        subject.whole(document)
    subject.on_error = None
    assert subject.whole("<new/>") == ["new"]


@each_reusable
def test_refusal(make):
    subject = make(forbid_dtd=True)
    for document in ("<!DOCTYPE a [<!ENTITY e 'x'>]><old>&e;</old>", "<!--x--><!DOCTYPE a><old>"):
        with pytest.raises(NO_DOCUMENT, match="DOCTYPE"):
            subject.feed(document)
        assert subject.parser.error_log is not None
        subject.feed("<new>")
        assert subject.close() == ["new"]
        with pytest.raises(NO_DOCUMENT, match="DOCTYPE"):
            subject.whole(document)
        assert subject.whole("<new/>") == ["new"]


@each_subject
def test_data_of_a_wrong_type(make):
    """It is refused, and the document goes on."""
    subject = make()
    for wrong in (5, None, ["<x/>"]):
        with pytest.raises(TypeError):
            subject.feed(wrong)
    subject.feed("<a>")
    for wrong in (5, None, b"<x/>", ["<x/>"]):
        with pytest.raises(TypeError):
            subject.feed(wrong)
    subject.feed("<b/></a>")
    assert subject.close() == ["a", "b"]


STEPS = {"begin": "<a>", "go on": "<b/>", "nothing": "", "fail": "<c d=1>", "wrong": 5, "close": None, "whole": "<e/>"}


@each_reusable
@each_case("first", one_in(2, STEPS))
def test_orders_of_calls(make, first):
    for number, (second, third) in enumerate(itertools.product(STEPS, STEPS)):
        order = (first, second, third, ("close", "whole")[number % 2])
        assert [*walk(make, order)] == [*expected(make, order)], order


def walk(make, order):
    """Take steps; what comes of each: names of elements, None, or the kind of exception."""

    def callback(entry):
        if entry.code == "unquoted-attribute-value":
            raise Boom

    subject = make(callback)
    for step in order:
        try:
            if step == "close":
                yield subject.close()
            elif step == "whole":
                yield subject.whole(STEPS[step])
            else:
                yield subject.feed(STEPS[step])
        except (Boom, TypeError) as error:
            yield type(error)
        except NO_DOCUMENT:
            yield SyntaxError


def expected(make, order):
    """What must come of the steps."""
    fed = ""
    for step in order:
        if step == "fail":
            fed = ""
            yield Boom
        elif step == "wrong":
            yield TypeError
        elif step == "close":
            yield tags(xml5tree.fromstring(fed)) if fed else SyntaxError
            fed = ""
        elif step == "whole":
            yield ["e"]
            if make in (ParserObject, SaxParser):  # which can do one thing at a time
                fed = ""
        else:
            yield None
            fed += STEPS[step]


class Target:
    """A target that raises an exception where it is told to."""

    def __init__(self, method, error):
        self.fails = {method: error}
        self.found = []

    def _told(self, method):
        if method in self.fails:
            raise self.fails[method]

    def start(self, tag, attributes):
        self._told("start")
        self.found.append(tag)

    def end(self, tag):
        self._told("end")

    def data(self, data):
        self._told("data")

    def close(self):
        self._told("close")
        found, self.found = self.found, []
        return found


@each_case("method", ["start", "end", "data", "close"])
@each_case("error", [Boom("x"), KeyError("x"), ValueError("x"), KeyboardInterrupt()], ids=repr)
@each_case("recovery", RECOVERIES)
@each_case(
    "make",
    [
        xml5tree.XMLParser,
        lambda **options: xml5tree.XMLParser(backend="lxml", **options),
        xml5tree.lxml.etree.XMLParser,
    ],
    ids=["etree", "lxml", "lxml drop-in"],
)
def test_target_that_raises(make, recovery, error, method):
    """Its exception is the caller's, whatever its type: no document was refused."""
    target = Target(method, error)
    parser = make(target=target, recovery=recovery)
    for parse in (parser.parse_whole, lambda document: (parser.feed(document), parser.close())):
        target.fails = {method: error}
        with pytest.raises(type(error)) as caught:
            parse("<old>text</old>")
        assert caught.value is error
        target.fails.clear()
        target.found.clear()
        parser.feed("<new/>")
        assert parser.close() == ["new"]


def test_parser_object_does_not_keep_what_was_given_up():
    parser = xml5tree.XMLParser(backend=etree.XMLParser(), on_error=failing(Boom), recovery="draft")
    parser.feed("<a>")
    assert tags(parser.parse_whole("<b/>")) == ["b"]
    parser.feed("<a>")
    with pytest.raises(Boom):
        parser.feed("<b c=1>")
    assert tags(parser.parse_whole("<new/>")) == ["new"]


@each_subject
def test_callback_that_calls_the_parser(make):
    """It is told so, and the document is not disturbed if it takes no notice."""
    caught = []

    def callback(entry):
        for call in (lambda: subject.parser.feed("<x/>"), subject.parser.close):
            with pytest.raises(RuntimeError, match="cannot be called by what it calls"):
                call()
            caught.append(call)

    subject = make(callback)
    subject.feed("<a b=1>")
    subject.feed("</a>")
    assert subject.close() == ["a"]
    assert len(caught) == 2


# Objects for one document ---------------------------------------------------------------------------------------------

PULL_PARSERS = [
    xml5tree.XMLPullParser,
    lambda **options: xml5tree.XMLPullParser(backend="lxml", **options),
    xml5tree.ElementTree.XMLPullParser,
]
each_pull_parser = pytest.mark.parametrize("make", PULL_PARSERS, ids=["etree", "lxml", "drop-in"])


@each_pull_parser
@pytest.mark.parametrize("error", [Boom("callback"), KeyboardInterrupt()], ids=repr)
def test_pull_parser_after_a_callback_that_raises(make, error):
    """There is no other document, and the one that failed is neither gone on with nor ended."""
    parser = make(on_error=failing(error))
    parser.feed("<a><b/><c d=1></c>")
    found = []
    with pytest.raises(type(error)):
        found.extend(element for _, element in parser.read_events())
    for _ in range(2):
        with pytest.raises(ValueError, match="after an exception"):
            parser.feed("</c>")
        with pytest.raises(ValueError, match="after an exception"):
            parser.close()
    assert [element.tag for element in found] == ["b"]
    assert parser.root is None


@each_pull_parser
@pytest.mark.parametrize("recovery", RECOVERIES)
def test_pull_parser_after_a_refusal(make, recovery):
    parser = make(forbid_dtd=True, recovery=recovery)
    for part in ("<!DOCTYPE a [<!ENTITY e 'x'>]>", "<a>&e;</a>"):
        parser.feed(part)
    for _ in range(2):
        with pytest.raises(xml5tree.ParseError, match="DOCTYPE"):
            list(parser.read_events())
        with pytest.raises(xml5tree.ParseError, match="DOCTYPE"):
            parser.close()
    assert parser.root is None


@each_pull_parser
@pytest.mark.parametrize("recovery", RECOVERIES)
def test_pull_parser_and_data_of_a_wrong_type(make, recovery):
    parser = make(recovery=recovery)
    parser.feed("<a>")
    for wrong in (5, None, b"<x/>"):
        with pytest.raises(TypeError):
            parser.feed(wrong)
    parser.feed("</a>")
    parser.close()
    assert parser.root.tag == "a"
    with pytest.raises(ValueError, match="after close"):
        parser.feed("<b/>")


ITERATORS = {
    "etree": xml5tree.iterparse,
    "lxml": lambda source, **options: xml5tree.iterparse(source, backend="lxml", **options),
    "etree drop-in": xml5tree.ElementTree.iterparse,
    "etree drop-in with a parser": lambda source, **options: xml5tree.ElementTree.iterparse(
        source, parser=xml5tree.ElementTree.XMLParser(**options)
    ),
    "lxml drop-in": xml5tree.lxml.etree.iterparse,
}
each_iterator = pytest.mark.parametrize("iterate", ITERATORS.values(), ids=ITERATORS)


@each_iterator
@pytest.mark.parametrize("options", [{"on_error": failing(Boom())}, {"on_error": failing(KeyboardInterrupt())}, {}])
def test_iterators_after_an_exception(iterate, options, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<a><b/><c d=1/></a>" if options else "<!DOCTYPE a><a/>")
    iterator = iterate(path, **options or {"forbid_dtd": True}, recovery="draft")
    with pytest.raises((Boom, KeyboardInterrupt, SyntaxError)):
        list(iterator)
    assert list(iterator) == []
    assert iterator.root is None


@each_iterator
@each_case("events", [0, 1, 2, 5])
def test_iterators_that_are_not_used_up(iterate, events, tmp_path):
    """They close the file that they have opened, even as part of a cycle, and warn of nothing."""
    path = tmp_path / "a.xml"
    path.write_text("<a>" + f"<b>{'x' * 50_000}</b>" * 4 + "</a>")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for in_cycle in (False, True):
            iterator = iterate(path)
            for _ in range(events):
                next(iterator)
            if in_cycle:
                iterator.itself = iterator
            del iterator
            gc.collect()
    assert [str(warning.message) for warning in caught] == []


@pytest.mark.parametrize("error", [Boom("callback"), OSError("source")], ids=repr)
def test_file_after_an_exception(error):
    """It does not look as if it had come to its end."""

    def parts():
        yield "<a>"
        yield "<b c=1>"
        raise error

    file = xml5tree.open(parts(), on_error=failing(error) if isinstance(error, Boom) else None)
    for _ in range(3):
        with pytest.raises(type(error)):
            list(file)


def test_file_after_an_interruption():
    file = xml5tree.open(["<a>", "<b c=1>"], on_error=failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        file.read()
    with pytest.raises(ValueError, match="broken off"):
        file.read()


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("backend", ["etree", "lxml"])
@pytest.mark.parametrize(
    "document", ["<a><b>x & y</a>", "<!DOCTYPE a [<!ENTITY e 'x'>]><p:a xmlns:q='u' b=c>&e;<q:b/><q:c>"]
)
def test_stages_of_whole_documents_do_not_wait_for_the_garbage_collector(document, backend, recovery):
    """They refer to each other, and to the text of the document."""

    def stages():
        return sum(isinstance(item, Markup | Tokenizer | TreeBuilder) for item in gc.get_objects())

    xml5tree.fromstring(document, backend=backend, recovery=recovery)
    gc.collect()
    before = stages()  # of other tests' parsers
    gc.disable()
    try:
        xml5tree.fromstring(document, backend=backend, recovery=recovery)
        assert stages() == before
    finally:
        gc.enable()


def test_a_whole_document_after_a_part_of_another():
    """It is the rest of that one, even where it would be its own repair; alone, its log has the document's name."""
    repairer = xml5tree.Repairer(filename="x.xml")
    assert repairer.feed("<a>") + repairer.repair_whole("<b/>") == "<a><b/></a>"
    assert repairer.repair_whole("<b/>") == "<b/>"
    assert repairer.error_log.filename == "x.xml"


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("is_fed", [False, True], ids=["whole", "fed"])
def test_repairs_free_the_document_at_once(recovery, is_fed):
    """The garbage collector does not have to find it."""
    document = f"<r>{'<a>text</a>' * 20_000}<b>1</r>"

    def repair():
        if not is_fed:
            xml5tree.repair(document, recovery=recovery)
            return
        repairer = xml5tree.Repairer(recovery=recovery)
        repairer.feed(document)
        repairer.close()

    repair()
    gc.disable()
    try:
        tracemalloc.start()
        repair()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert kept < len(document) // 20
