"""Events while a document comes in, and its repaired markup as a file."""

import gc
import gzip
import io
import os
import pathlib
import plistlib
import re
import socket
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
import xml.sax
import xml.sax.handler
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support import nearxml
from support.cases import each_case, in_whole_run
from support.splits import chunkings, chunks
from support.trees import assert_same_content, assert_same_tree

import xml5tree
import xml5tree.sax
from xml5tree import ElementTree as ETDropIn
from xml5tree import streaming
from xml5tree.lxml import etree as LxmlDropIn

BACKENDS = ["etree", "lxml"]
NATIVE = {"etree": ET, "lxml": etree}
EVENTS = ("start", "end", "start-ns", "end-ns", "comment", "pi")
ANY_DOCUMENT = nearxml.documents() | nearxml.near_markup() | nearxml.byte_documents()

both_backends = pytest.mark.parametrize("backend", BACKENDS)


def seen(event):
    """What is known of an event when it comes; an element's text is not, at its start."""
    kind, value = event
    if kind in ("start", "end"):
        return kind, value.tag, dict(value.attrib)
    if kind in ("comment", "pi"):
        return kind, value.text
    return kind, value


def events_by_piece(parser, pieces):
    """The events after each piece, and after the end."""
    result = []
    for piece in pieces:
        parser.feed(piece)
        result.append([seen(event) for event in parser.read_events()])
    try:
        parser.close()
        result.append([seen(event) for event in parser.read_events()])
    except xml5tree.ParseError as error:
        assert error.code in {"no-root-element", "not-xml"}
    return result


def events_of(pieces, backend, events=EVENTS, **options):
    parser = streaming.XMLPullParser(events, backend=backend, **options)
    return list(chain(*events_by_piece(parser, pieces)))


def texts(events):
    return [element.text for _, element in events]


# Events


@both_backends
def test_wildcards_take_any_namespace(backend):
    """Even one with a line break in it."""
    document = "<r xmlns='a&#10;b'/>"
    uri = "a\nb" if backend == "etree" else "a%0Ab"  # libxml2 takes no line break in one
    for tag in ("*", "{*}r", f"{{{uri}}}*"):
        events = xml5tree.iterparse([document], backend=backend, tag=tag)
        assert [element.tag for _, element in events] == [f"{{{uri}}}r"]


@both_backends
def test_all_kinds_of_events(backend):
    document = '<!--c--><?p d?><r a=1 xmlns="u" xmlns:p="v">x & y<p:b/><c>1</r><!--e-->'
    pi = "p d" if backend == "etree" else "d"
    assert events_of([document], backend) == [
        *[("comment", "c"), ("pi", pi)],
        *[("start-ns", ("", "u")), ("start-ns", ("p", "v")), ("start", "{u}r", {"a": "1"})],
        *[("start", "{v}b", {}), ("end", "{v}b", {}), ("start", "{u}c", {}), ("end", "{u}c", {})],
        *[("end", "{u}r", {"a": "1"}), ("end-ns", None), ("end-ns", None), ("comment", "e")],
    ]
    assert events_of([document], backend, events=["comment"]) == [("comment", "c"), ("comment", "e")]
    assert events_of([document], backend, events=()) == []
    assert {kind for kind, *_ in events_of([document], backend, events=("end",))} == {"end"}


@given(st.data())
def test_events_do_not_depend_on_the_chunks(data):
    document = data.draw(ANY_DOCUMENT)
    pieces = data.draw(chunkings(document))
    for backend in BACKENDS:
        assert events_of(pieces, backend) == events_of([document], backend)


#: What adds events to the native ones, or facts about an element that are known when its end is reported.
ADDED = {
    "native": {"events": EVENTS},
    "errors": {"events": (*EVENTS, "error")},
    "errors in order": {"events": ("error",)},
    "marks and spans": {"events": EVENTS, "on_bad": "mark", "spans": True},
    "errors and spans": {"events": (*EVENTS, "error"), "spans": True},
    "bad elements left out": {"events": ("end", "error"), "on_bad": "skip", "tag": "a"},
    "text": {"events": (*EVENTS, "text")},
    "text of some": {"events": ("start", "end", "text"), "tag": ("a", "b")},
    "no root element": {"events": EVENTS, "roots": "all"},
}
#: Errors before, between and behind tags, namespaces that begin and end, text around all.
ALL_KINDS = (
    "<!--c--><?p d?><r xmlns='u'>w & v<a xmlns:p='v'>x & y<p:b>\1</p:b>&</a>z<!--d--><b/><b/>&<c>1 & 2</a>&<?e f?></r>&"
)


def known(parser, event):
    """What can be compared of an event, with what is known of an element that has ended."""
    kind, value = event
    if kind == "error":
        return kind, value.code, value.offset
    if kind == "text":
        return kind, value[0].tag, value[1]
    facts = []
    for fact in (parser.span_of, parser.errors_of) if kind == "end" else ():
        try:
            facts.append(fact(value))
        except ValueError:  # not asked for
            facts.append(None)
    return *seen(event), repr(facts)


def taken_one_by_one(parser):
    """Call `read_events` again for each event."""
    while (event := next(parser.read_events(), None)) is not None:
        yield known(parser, event)


def taken_in_turn(parser):
    """Take events from three iterators by turns."""
    iterators = [parser.read_events() for _ in range(3)]
    while iterators:
        iterator = iterators.pop(0)
        for event in iterator:
            yield known(parser, event)
            iterators.append(iterator)
            break


@both_backends
@pytest.mark.parametrize("recovery", ["draft", "intent"])
@pytest.mark.parametrize("take", [taken_one_by_one, taken_in_turn])
@pytest.mark.parametrize("added", ADDED)
def test_iterators_share_the_events(added, take, recovery, backend):
    for pieces in ([ALL_KINDS], list(chunks(ALL_KINDS, 7))):
        parsers = [xml5tree.XMLPullParser(**ADDED[added], backend=backend, recovery=recovery) for _ in range(2)]
        for step in range(len(pieces) + 1):
            for parser in parsers:
                if step < len(pieces):
                    parser.feed(pieces[step])
                else:
                    parser.close()
            usual, other = parsers
            assert list(take(other)) == [known(usual, event) for event in usual.read_events()]


@both_backends
@pytest.mark.parametrize("added", [added for added in ADDED if "text" not in added])
@given(data=st.data())
def test_iterators_that_are_kept_share_the_events(added, backend, data):
    """Events that are left for later come first, from any iterator, also one that is older than the last chunk."""
    pieces = data.draw(chunkings(ALL_KINDS))
    parser, usual = (xml5tree.XMLPullParser(**ADDED[added], backend=backend) for _ in range(2))
    found, iterators = [], []
    for piece in pieces:
        parser.feed(piece)
        usual.feed(piece)
        iterators.append(parser.read_events())
        for _ in range(data.draw(st.integers(0, 4))):
            for event in data.draw(st.sampled_from(iterators)):
                found.append(known(parser, event))
                break
    parser.close()
    usual.close()
    found += [known(parser, event) for event in parser.read_events()]
    assert found == [known(usual, event) for event in usual.read_events()]
    assert not [event for iterator in iterators for event in iterator]


@given(nearxml.well_formed_documents())
def test_events_are_the_native_ones(document):
    """At every byte, not only at the end; but comments and instructions within the DOCTYPE make none."""
    document = document.removeprefix("\ufeff")
    if not document.startswith("<?xml"):
        document = "<!---->" + document  # nobody looks at less than four bytes
    data = document.encode()
    for backend in BACKENDS:
        if backend == "lxml" and "<!ENTITY" in document:
            continue  # lxml reports elements out of an entity the first time only
        native = events_by_piece(NATIVE[backend].XMLPullParser(EVENTS), chunks(data, 1))
        ours = events_by_piece(streaming.XMLPullParser(EVENTS, backend=backend), chunks(data, 1))
        if "<!DOCTYPE" in document:
            native, ours = [
                [[event for event in events if event[0] not in ("comment", "pi")] for events in by_piece]
                for by_piece in (native, ours)
            ]
        seen_of_native = seen_of_ours = 0
        for ours_now, native_now in zip(ours[3:], native[3:], strict=True):
            seen_of_native += len(native_now)
            seen_of_ours += len(ours_now)
            if "<!DOCTYPE" not in document:
                assert seen_of_ours >= seen_of_native
        assert list(chain(*ours)) == list(chain(*native))


FAULTS = [
    *["<v>1 & 2</v>", "<v>5 < 6</v>", "<v>&nbsp;&nope;</v>", "<v>]]></v>", "<v>\x01\x0c</v>", "<v>&#0;&#xFFFE;</v>"],
    *["<v a=1 b>t</v>", "<v a='1' a='2'/>", "<v a='1'b='<'>t</v>", "<1>", "<>", "<v>x</>", "</stray>", "</ v>"],
    *["<v>open", "<v><w>open", "<v></w>", "<v></w></v>", "<z:v/>", "<v z:a='1'/>", "<v xmlns:p=''/>"],
    *["<!-- a -- b -->", "<!x>", "<?xml version='1.0'?>", "<? ?>", "<!DOCTYPE x>", "<v/ >", "<v/a='1'/>"],
]


@both_backends
@each_case("fault", FAULTS)
def test_a_fault_neither_delays_events_nor_costs_the_next_record(backend, fault):
    parser = streaming.XMLPullParser(backend=backend, tag="item")
    parser.feed("<feed>\n")
    for number in range(3):
        parser.feed(f"<item id='{number}a'><t>good</t></item>")
        parser.feed(f"<item id='{number}b'>{fault}</item>\n")
        records = [element for _, element in parser.read_events()]
        assert [record.get("id") for record in records] == [f"{number}a", f"{number}b"]
        assert [(child.tag, child.text) for child in records[0]] == [("t", "good")]
    root = parser.close()
    assert [record.get("id") for record in root] == ["0a", "0b", "1a", "1b", "2a", "2b"]
    assert parser.error_log


@both_backends
def test_a_record_that_does_not_end(backend):
    parser = streaming.XMLPullParser(backend=backend, tag="title")
    parser.feed("<feed><item><title>1</title><item><title>2</title></item><item><title>3</title></item></feed>")
    assert texts(parser.read_events()) == ["1", "2", "3"]


@both_backends
def test_events_come_while_the_document_does(backend):
    parser = streaming.XMLPullParser(("start", "end"), backend=backend)
    events = parser.read_events()
    parser.feed("<root><a>1 & 2</a")
    assert [seen(next(events)) for _ in range(2)] == [("start", "root", {}), ("start", "a", {})]
    parser.feed("><b>")
    assert [seen(event) for event in events] == [("end", "a", {}), ("start", "b", {})]
    assert [seen(event) for event in parser.read_events()] == []


TAGS = ["*", "{*}*", "{}*", "{u}*", "{*}b", "b", "{}b", "{u}b", ["a", "{u}b"], ("{v}*", "a"), [], "{u}?"]


@pytest.mark.parametrize("tag", TAGS)
def test_tags_are_those_of_lxml(tag):
    document = "<r><a/><b/><!--c--><p:b xmlns:p='u'><p:c x='1'/><b xmlns='v'/></p:b><?p?><a.b/></r>"
    parser = etree.XMLPullParser(("start", "end", "comment", "end-ns"), tag=tag)
    expected = list(chain(*events_by_piece(parser, [document])))
    for backend in BACKENDS:
        assert events_of([document], backend, events=("start", "end", "comment", "end-ns"), tag=tag) == expected


@both_backends
@pytest.mark.parametrize("tag", ["", "{u}", "{u", "u}a", ["a", ""]])
def test_tags_that_are_none(backend, tag):
    with pytest.raises(ValueError, match="invalid tag name"):
        streaming.XMLPullParser(tag=tag, backend=backend)


@both_backends
def test_unknown_event(backend):
    with pytest.raises(ValueError, match="bogus"):
        streaming.XMLPullParser(("end", "bogus"), backend=backend)
    with pytest.raises(ValueError, match="bogus"):
        streaming.iterparse("there is no such file", ("end", "bogus"), backend=backend)


def test_unknown_options():
    with pytest.raises(TypeError, match="unknown option 'nope'"):
        streaming.XMLPullParser(nope=1)
    with pytest.raises(ValueError, match="unknown backend 'nope'"):
        streaming.XMLPullParser(backend="nope")
    with pytest.raises(LookupError, match="nope"):
        streaming.XMLPullParser(encoding="nope")


# The end


@both_backends
def test_close(backend):
    parser = streaming.XMLPullParser(backend=backend)
    parser.feed("<r><a>1</a><b>2")
    assert texts(parser.read_events()) == ["1"]
    assert parser.root is None
    root = parser.close()
    assert root is parser.root
    assert [(child.tag, child.text) for child in root] == [("a", "1"), ("b", "2")]
    assert [element.tag for _, element in parser.read_events()] == ["b", "r"]
    assert parser.error_log.truncated
    assert parser.close() is root
    with pytest.raises(ValueError, match="after close"):
        parser.feed("<r/>")


@both_backends
def test_context_manager(backend):
    with streaming.XMLPullParser(backend=backend) as parser:
        parser.feed("<r><a>1</a><b>2")
    assert [element.tag for _, element in parser.read_events()] == ["a", "b", "r"]
    assert parser.root.tag == "r"
    with pytest.raises(xml5tree.ParseError), streaming.XMLPullParser(backend=backend) as parser:
        parser.feed("text")
    with pytest.raises(KeyError), streaming.XMLPullParser(backend=backend):
        raise KeyError


@both_backends
def test_no_root_element(backend):
    parser = streaming.XMLPullParser(("comment",), backend=backend)
    parser.feed("<!--a-->text<!--b")
    for _ in range(2):
        with pytest.raises(xml5tree.ParseError) as caught:
            parser.close()
    assert caught.value.code == "no-root-element"
    assert caught.value.errors is parser.error_log
    assert parser.root is None
    events = streaming.iterparse(["<!--a-->text"], ("comment",), backend=backend)
    assert texts([next(events)]) == ["a"]
    with pytest.raises(xml5tree.ParseError, match="no root element"):
        next(events)


@pytest.mark.parametrize("recovery", ["draft", "intent"])
@given(data=st.data())
def test_unfinished_documents(recovery, data):
    document = data.draw(nearxml.documents())
    cut = document[: data.draw(st.integers(0, len(document)))]
    for backend in BACKENDS:
        parser = streaming.XMLPullParser(("start", "end"), backend=backend, recovery=recovery)
        try:
            parser.feed(cut)
            root = parser.close()
        except xml5tree.ParseError:
            continue
        events = list(parser.read_events())
        elements = [element for element in root.iter() if isinstance(element.tag, str)]
        assert [element for kind, element in events if kind == "start"] == elements
        assert sum(kind == "end" for kind, _ in events) == len(elements)
        assert events[-1] == ("end", root)
        expected = xml5tree.XMLParser(backend=backend, recovery=recovery)
        expected.feed(cut)
        assert_same_content(root, expected.close())
        assert parser.error_log == expected.error_log
        assert parser.error_log.truncated == expected.error_log.truncated


# Refusals


@both_backends
def test_strict(backend):
    """The events before the fault come before the exception."""
    document = "<r><a/><b></c></r>"
    for pieces in ([document], list(document)):
        events = []
        iterator = streaming.iterparse(pieces, ("start", "end"), backend=backend, recovery="strict")
        with pytest.raises(xml5tree.ParseError) as caught:
            events.extend(seen(event) for event in iterator)
        assert [event[:2] for event in events] == [("start", "r"), ("start", "a"), ("end", "a"), ("start", "b")]
        assert caught.value.code == "not-well-formed"
        assert caught.value.position[0] == 1
        assert iterator.error_log is caught.value.errors
        assert len(iterator.error_log) == 1
        assert isinstance(caught.value.__cause__, SyntaxError)


@both_backends
def test_strict_and_well_formed(backend):
    with streaming.iterparse([b"<r><a>1</a></r>"], backend=backend, recovery="strict") as events:
        assert [element.tag for _, element in events] == ["a", "r"]
        assert events.root.tag == "r"
        assert events.error_log == []


@both_backends
@pytest.mark.parametrize(
    ("options", "code"), [({"recovery": "strict"}, "not-well-formed"), ({"forbid_dtd": True}, "doctype-forbidden")]
)
def test_refused(backend, options, code):
    parser = streaming.XMLPullParser(("comment",), backend=backend, **options)
    parser.feed("<!--c-->")
    parser.feed("<!DOCTYPE r x='1'><r>")
    events = parser.read_events()
    assert texts([next(events)]) == ["c"]
    with pytest.raises(xml5tree.ParseError):
        next(events)
    parser.feed("</r>")
    for call in (lambda: list(parser.read_events()), parser.close, parser.close):
        with pytest.raises(xml5tree.ParseError) as caught:
            call()
        assert caught.value.code == code
        assert caught.value.errors is parser.error_log
    assert parser.root is None


# Sources

DOCUMENT = "<r><a>é & 1</a>\n<a>2</r>"
TEXTS = ["é & 1", "2"]


def source_path(folder):
    path = folder / "document.xml"
    path.write_text(DOCUMENT, "utf-8")
    return path


def source_str(folder):
    return str(source_path(folder))


def source_file(folder):
    return source_path(folder).open("rb")


def source_unbuffered(folder):
    return source_path(folder).open("rb", buffering=0)


def source_text_file(folder):
    return source_path(folder).open(encoding="utf-8")


def source_gzip(folder):
    path = folder / "document.xml.gz"
    path.write_bytes(gzip.compress(DOCUMENT.encode()))
    return gzip.open(path)


def source_bytesio(folder):
    return io.BytesIO(DOCUMENT.encode())


def source_stringio(folder):
    return io.StringIO(DOCUMENT)


def source_pipe(folder):
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write(DOCUMENT.encode())
    return os.fdopen(reader, "rb")


def source_socket(folder):
    here, there = socket.socketpair()
    with here, there:
        there.sendall(DOCUMENT.encode())
        there.shutdown(socket.SHUT_WR)
        return here.makefile("rb")


def source_reader(folder):
    class Reader:
        read = io.BytesIO(DOCUMENT.encode()).read

    return Reader()


def source_generator(folder):
    return (bytes([byte]) for byte in DOCUMENT.encode())


def source_texts(folder):
    return iter(DOCUMENT)


def source_list(folder):
    return [memoryview(DOCUMENT.encode()), bytearray(b""), b"\n"]


SOURCES = [function for name, function in sorted(globals().items()) if name.startswith("source_")]


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    source = request.param(tmp_path)
    yield source
    if hasattr(source, "close"):
        assert not getattr(source, "closed", False)
        source.close()


@both_backends
def test_iterparse(backend, source):
    with streaming.iterparse(source, tag="a", backend=backend) as events:
        assert events.root is None
        assert texts(events) == TEXTS
    assert events.root.tag == "r"
    assert [error.code for error in events.error_log] == ["unescaped-ampersand", "mismatched-end-tag"]


def test_open(source):
    with streaming.open(source) as file:
        assert [element.text for element in ET.parse(file).iter("a")] == TEXTS
    assert [error.code for error in file.error_log] == ["unescaped-ampersand", "mismatched-end-tag"]


@pytest.mark.parametrize("function", [streaming.iterparse, streaming.open])
def test_sources_that_are_none(function, tmp_path):
    for source in (None, 1):
        with pytest.raises(TypeError):
            function(source)
    with pytest.raises(FileNotFoundError):
        function(tmp_path / "missing.xml")
    with pytest.raises(IsADirectoryError):
        function(tmp_path)


@pytest.mark.parametrize("function", [streaming.iterparse, streaming.open])
def test_mixed_parts(function):
    with pytest.raises(TypeError, match="not both"), function([b"<a>", "</a>"]) as reader:
        list(reader)


@both_backends
def test_events_do_not_wait_for_more_of_a_pipe(backend):
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as source, os.fdopen(writer, "wb", buffering=0) as sink:
        events = streaming.iterparse(source, tag="a", backend=backend, recovery="draft")
        sink.write(b"<root><a>1</a>")
        assert texts([next(events)]) == ["1"]
        sink.write(b"<a>2 & 3</a>")
        assert texts([next(events)]) == ["2 & 3"]
        sink.close()
        assert texts(events) == []
    assert events.error_log.truncated


def pulled_from(parser):
    """What a pull parser answers to a part: the texts of the elements that have ended."""

    def answer(part):
        parser.feed(part)
        return [element.text for _, element in parser.read_events()]

    return answer


class Told:
    """A target and SAX handler that notes the texts of the elements that have ended."""

    def __init__(self):
        self.text = ""
        self.texts = []

    def data(self, text):
        self.text += text

    def end(self, tag):
        self.texts.append(self.text)
        self.text = ""

    def close(self):
        """Nothing is left to be done; lxml's targets need this method."""

    def answer_of(self, feed):
        def answer(part):
            feed(part)
            texts, self.texts = self.texts, []
            return texts

        return answer


def told_by_sax(**options):
    told = Told()
    handler = xml.sax.ContentHandler()
    handler.characters = told.data
    handler.endElement = told.end
    parser = xml5tree.sax.SAXParser(**options)
    parser.setContentHandler(handler)
    return told.answer_of(parser.feed)


def told_by(make):
    def begin(**options):
        told = Told()
        return told.answer_of(make(target=told, **options).feed)

    return begin


def repaired(**options):
    repairer = xml5tree.Repairer(**options)
    return lambda part: re.findall("<ask>(.*)</ask>", repairer.feed(part))


PUSHED = {
    "etree": lambda **options: pulled_from(streaming.XMLPullParser(**options)),
    "lxml": lambda **options: pulled_from(streaming.XMLPullParser(backend="lxml", **options)),
    "etree drop-in": lambda **options: pulled_from(ETDropIn.XMLPullParser(**options)),
    "lxml drop-in": lambda **options: pulled_from(LxmlDropIn.XMLPullParser(**options)),
    "target": told_by(xml5tree.XMLParser),
    "target of lxml": told_by(lambda **options: xml5tree.XMLParser(backend="lxml", **options)),
    "target of the etree drop-in": told_by(ETDropIn.XMLParser),
    "target of the lxml drop-in": told_by(LxmlDropIn.XMLParser),
    "SAX": told_by_sax,
    "repairer": repaired,
}


@pytest.mark.parametrize("begin", PUSHED.values(), ids=PUSHED)
def test_a_client_that_waits_for_each_answer(begin):
    """What is fed and asked at once waits for nothing, unless it is told to look ahead."""
    answer, answer_by_intent = begin(), begin(recovery="intent")
    assert answer("<stream>") == answer_by_intent("<stream>") == []
    for number in range(3):
        part = f"<ask>{number}</ask>"
        assert answer(part) == [str(number)]
        assert answer_by_intent(part) == []


@pytest.mark.filterwarnings("ignore:the document is cut off:xml5tree.RowsWarning")
@both_backends
@pytest.mark.parametrize("read", [streaming.iterparse, xml5tree.records])
def test_a_source_that_waits_for_each_answer(read, backend):
    answered = []

    def source():
        yield "<stream>"
        for number in range(3):
            yield f"<item>{number}</item>"
            assert answered == [str(each) for each in range(number + 1)]

    for found in read(source(), backend=backend, recovery="draft"):
        element = found[1] if read is streaming.iterparse else found.element
        answered += [element.text] if element.tag == "item" else []
    assert answered == ["0", "1", "2"]


@pytest.mark.parametrize("read", [lambda reader: None, next, lambda reader: reader.close()])
@pytest.mark.parametrize("function", [streaming.iterparse, streaming.open])
def test_files_that_are_opened_are_closed(function, read, tmp_path):
    path = source_path(tmp_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reader = function(path)
        read(reader)
        del reader
        gc.collect()
    assert caught == []


def test_iterparse_after_close(tmp_path):
    events = streaming.iterparse(source_path(tmp_path), recovery="draft")
    next(events)
    events.close()
    assert list(events) == []
    assert events.root is None


# The repaired markup


@given(st.data())
def test_open_is_repair(data):
    document = data.draw(ANY_DOCUMENT)
    pieces = data.draw(chunkings(document))
    try:
        expected = xml5tree.repair(document)
    except xml5tree.ParseError as error:
        with pytest.raises(xml5tree.ParseError) as caught:
            streaming.open(pieces).read()
        assert str(caught.value) == str(error)
        return
    assert expected[:0].join(streaming.repair_iter(pieces)) == expected
    expected = xml5tree.repair(document, output_encoding="utf-8")
    expected = expected.encode() if isinstance(expected, str) else expected
    assert streaming.open(pieces).read() == expected
    file, size = streaming.open(pieces), data.draw(st.integers(1, 20))
    assert b"".join(iter(lambda: file.read(size), b"")) == expected


def test_ways_to_read():
    document = b"<r>\n" + b"<a b=c>1 & 2</a>\n" * 5000
    expected = xml5tree.repair(document)
    assert list(streaming.open([document])) == expected.splitlines(keepends=True)
    file = streaming.open([document])
    assert isinstance(file, io.BufferedIOBase)
    assert file.readline() == b"<r>\n"
    assert file.peek(3).startswith(b"<a b=")
    assert file.read1(4) == b"<a b"
    buffer = bytearray(50_000)
    assert file.readinto(buffer) == 50_000
    assert bytes(buffer) == expected[8:50_008]
    assert file.read() == expected[50_008:]
    assert file.read() == b""
    assert not file.closed
    file.close()
    assert file.closed
    with pytest.raises(ValueError, match="closed"):
        file.read()


def test_what_a_stream_cannot_do(tmp_path):
    with streaming.open([b"<a/>"]) as file:
        assert file.readable()
        assert not file.writable()
        assert not file.seekable()
        assert not file.isatty()
        for call in (file.fileno, file.tell, file.truncate, lambda: file.seek(0), lambda: file.write(b"")):
            with pytest.raises(io.UnsupportedOperation):
                call()
    with streaming.open(source_path(tmp_path)) as file:
        assert file.seekable()
        for call in (file.fileno, lambda: file.write(b"")):
            with pytest.raises(io.UnsupportedOperation):
                call()


LONG = b"<r>\n" + b"".join(b"<a b=%d>1 & 2</a>\n" % number for number in range(8000))


def seekable_sources(folder):
    """A document in the ways in which its repaired file is seekable."""
    path = folder / "long.xml"
    path.write_bytes(LONG)
    behind = io.BytesIO(b"left out" + LONG)
    behind.seek(8)
    packed = folder / "long.xml.gz"
    packed.write_bytes(gzip.compress(LONG))
    yield streaming.open(path)
    yield streaming.open(packed)
    yield streaming.open(behind)
    yield streaming.open(io.StringIO(LONG.decode()))
    yield streaming.open([LONG[:50_000], LONG[50_000:]], spool=True)
    yield streaming.open(path, spool=True)


#: Where to go, from where, and how much to read there.
STEPS = [
    (10, io.SEEK_SET, 20),
    (0, io.SEEK_SET, 100_000),
    (-60_000, io.SEEK_CUR, 5),
    (-7, io.SEEK_END, 100),
    (90_000, io.SEEK_SET, 1),
    (40_000, io.SEEK_CUR, 40_000),
    (0, io.SEEK_END, 1),
    (3, io.SEEK_SET, 0),
]


def test_seeking(tmp_path):
    expected = io.BytesIO(xml5tree.repair(LONG))
    for file in seekable_sources(tmp_path):
        expected.seek(0)
        for offset, whence, size in STEPS:
            assert file.seek(offset, whence) == expected.seek(offset, whence)
            assert file.read(size) == expected.read(size)
            assert file.tell() == expected.tell()
        assert file.read() == expected.read()
        assert file.seek(1 << 30) == len(expected.getvalue())  # a reader's place is not behind the end
        assert file.error_log.truncated
        with pytest.raises((OSError, ValueError)):
            file.seek(-1)
        file.close()


def test_small_steps_back_read_nothing_again():
    """What sniffs at the begin of a file, as `plistlib` does, does not have errors reported twice."""
    told = []
    file = streaming.open(io.BytesIO(b"<a>1 & 2</a>"), on_error=told.append)
    assert file.read(5) == b"<a>1 "
    file.seek(0)
    assert file.read() == b"<a>1 &amp; 2</a>"
    assert len(told) == 1


def test_property_lists():
    listed = b"<plist><dict><key>R&D</key><integer>2</integer></dict>"
    assert plistlib.load(streaming.open(io.BytesIO(listed))) == {"R&D": 2}
    assert plistlib.load(streaming.open([listed], spool=True)) == {"R&D": 2}


def test_spooled_once():
    """A source is read once, however often its repaired file is; what failed fails at the same place again."""
    parts = iter([b"<!--c-->", b"text"])
    with streaming.open(parts, spool=True, recovery="draft") as file:
        for _ in range(2):
            assert file.seek(0) == 0
            assert file.read(8) == b"<!--c-->"
            with pytest.raises(xml5tree.ParseError, match="no root element"):
                file.read()


def test_name(tmp_path):
    path = source_path(tmp_path)
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        for source in (path, str(path), binary, text):
            with streaming.open(source) as file:
                assert file.name == str(path)
                assert etree.parse(file).docinfo.URL.endswith("document.xml")
    with pytest.raises(AttributeError):
        _ = streaming.open([b"<a/>"]).name


def test_declared_encodings():
    document = '<?xml version="1.0" encoding="iso-8859-1"?><r>é & ü</r>'
    for source in ([document.encode("iso-8859-1")], [document]):
        assert ET.parse(streaming.open(source)).getroot().text == "é & ü"
        assert etree.parse(streaming.open(source)).getroot().text == "é & ü"


def test_open_options():
    with streaming.open([b"<r>&e;<p:a/></r>"], entities={"e": "E"}, namespaces={"p": "u"}) as file:
        assert file.read() == b'<r xmlns:p="u">E<p:a/></r>'
    with pytest.raises(TypeError, match="unknown option"):
        streaming.open([], nope=1)
    with pytest.raises(ValueError, match='recovery="strict"'):
        streaming.open([], recovery="strict")
    with pytest.raises(LookupError):
        streaming.repair_iter([], encoding="nope")
    with pytest.raises(xml5tree.ParseError, match="DOCTYPE"):
        streaming.open([b"<!DOCTYPE a><a/>"], forbid_dtd=True).read()


def test_no_root_element_in_a_file():
    file = streaming.open([b"<!--c-->", b"text"], recovery="draft")
    assert file.read(8) == b"<!--c-->"
    with pytest.raises(xml5tree.ParseError, match="no root element"):
        file.read()
    with pytest.raises(xml5tree.ParseError, match="no root element"):  # not an end, as if there had been a document
        file.read()
    assert [error.code for error in file.error_log] == ["text-outside-root"]


def read_with_elementtree(file):
    return [element.text for element in ET.parse(file).iter("a")]


def read_with_elementtree_iterparse(file):
    return [element.text for _, element in ET.iterparse(file) if element.tag == "a"]


def read_with_lxml(file):
    return etree.parse(file).xpath("//a/text()")


def read_with_lxml_iterparse(file):
    return texts(etree.iterparse(file, tag="a"))


def read_with_sax(file):
    class Handler(xml.sax.handler.ContentHandler):
        def __init__(self):
            self.texts = []

        def startElement(self, name, attributes):
            if name == "a":
                self.texts.append("")

        def characters(self, content):
            if self.texts and content.strip():
                self.texts[-1] += content

    handler = Handler()
    xml.sax.parse(file, handler)
    return handler.texts


def read_with_text_wrapper(file):
    return read_with_elementtree(io.TextIOWrapper(file, "utf-8"))


READERS = [function for name, function in sorted(globals().items()) if name.startswith("read_with_")]


@pytest.mark.parametrize("read", READERS)
def test_whatever_reads_xml(read, tmp_path):
    """The rest of them are in test_consumers.py."""
    with streaming.open(source_path(tmp_path)) as file:
        assert read(file) == TEXTS


@pytest.mark.parametrize("read", READERS)
def test_whatever_reads_xml_is_told_of_no_root(read):
    with pytest.raises(xml5tree.ParseError, match="no root element"):
        read(streaming.open([b"text"]))


def test_standard_functions_with_the_parser(tmp_path):
    tree = ET.parse(source_path(tmp_path), parser=xml5tree.XMLParser())
    assert [element.text for element in tree.iter("a")] == TEXTS
    assert_same_tree(tree, xml5tree.fromstring(DOCUMENT))


# Memory


@in_whole_run
def test_memory():
    """`python -m compat memory` reads more."""
    pytest.importorskip("resource", reason="this system does not tell how much memory a process takes")
    command = [sys.executable, "-m", "compat.memory", "32"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=pathlib.Path(__file__).parent.parent)
    assert run.returncode == 0, run.stdout + run.stderr


STRICT = (
    "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e 'x'>]><a b='c'><!-- > --><?p i?>text &e;<![CDATA[<]]>"
    + "<record number='>'>" * 3
    + "</record>" * 3
    + f"<long name='{'>' * 5000}'/><!-- {'-> ' * 2000} --><after/></a>"
)


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-16"])
def test_events_without_recovery_come_in_time(encoding, size):
    """With the end of their tags while these are short; else before as much has come as was held back."""
    whole, head = STRICT, STRICT.partition("</record>")[0] + "</record>" * 3
    if encoding is not None:
        whole, head = whole.encode(encoding), head.encode(encoding)
    fed = 0
    parser = streaming.XMLPullParser(recovery="strict")
    come = {}
    for piece in chunks(whole, size):
        parser.feed(piece)
        fed += len(piece)
        come |= {element.tag: fed for _, element in parser.read_events()}
    assert come["record"] < len(head) + size
    assert "long" in come
    root = parser.close()
    come |= {element.tag: fed for _, element in parser.read_events()}
    assert set(come) == {"record", "long", "after", "a"}
    assert ET.tostring(root) == ET.tostring(ET.fromstring(STRICT))


def test_flush_without_recovery():
    """What is held back of a long token can be had, and so can the exception for it."""
    parser = ETDropIn.XMLPullParser(["start"], recovery="strict")
    parser.feed("<a b='" + "x" * 5000)
    parser.feed("'>")
    assert list(parser.read_events()) == []
    parser.flush()
    assert [element.tag for _, element in parser.read_events()] == ["a"]
    parser.feed("<b c='" + "x" * 5000)
    parser.feed("'<")
    parser.flush()
    with pytest.raises(xml5tree.ParseError, match="not well-formed"):
        list(parser.read_events())
    parser = ETDropIn.XMLParser(recovery="strict")
    parser.flush()
    parser.feed("<a b='" + "x" * 5000)
    parser.feed("'<")
    with pytest.raises(xml5tree.ParseError, match="not well-formed"):
        parser.flush()
    assert parser.error_log.total == 1
    parser.feed("<new/>")
    assert parser.close().tag == "new"
