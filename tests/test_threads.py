"""Threads: a parser that they share for whole documents, and one that two of them feed."""

import copy
import io
import os
import pickle
import queue
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from lxml import etree
from support.cases import each_case, in_whole_run, one_in
from support.trees import dump

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.lxml.objectify
import xml5tree.sax

THREADS = 8
ROUNDS = 8


def document_of(number):
    """A document with errors of its own: one more of them, and of elements, than that of the number before."""
    return f"<r{number}><a b=c>" + "<d>&nosuch; & </D>" * number + "\n" * number + "<f></a>"


def in_threads(work):
    """Call a function in many threads at once with different numbers; fail with the first exception of any."""
    failures = queue.SimpleQueue()
    barrier = threading.Barrier(THREADS)

    def run(number):
        try:
            barrier.wait()
            for round_ in range(ROUNDS):
                work(number, round_)
        except BaseException as error:
            failures.put(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(1, THREADS + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if not failures.empty():
        raise failures.get()


@pytest.fixture(autouse=True)
def switch_often():
    """Let threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def pieces(text, size=7):
    return [text[start : start + size] for start in range(0, len(text), size)]


ET5 = xml5tree.ElementTree
LX5 = xml5tree.lxml.etree

#: Ways to parse a whole document with a parser, and what makes the parser.
WHOLE = {
    "fromstring": (xml5tree.fromstring, xml5tree.XMLParser),
    "fromstring, lxml": (xml5tree.fromstring, lambda: xml5tree.XMLParser(backend="lxml")),
    "fromstringlist": (lambda text, parser: xml5tree.fromstringlist(pieces(text), parser=parser), xml5tree.XMLParser),
    "parse": (lambda text, parser: xml5tree.parse(io.StringIO(text), parser=parser).getroot(), xml5tree.XMLParser),
    "drop-in": (ET5.fromstring, ET5.XMLParser),
    "drop-in, fromstringlist": (lambda text, parser: ET5.fromstringlist(pieces(text), parser), ET5.XMLParser),
    "drop-in, parse": (lambda text, parser: ET5.parse(io.StringIO(text), parser).getroot(), ET5.XMLParser),
    "lxml drop-in": (LX5.fromstring, LX5.XMLParser),
    "lxml drop-in, parse": (lambda text, parser: LX5.parse(io.StringIO(text), parser).getroot(), LX5.XMLParser),
    "objectify drop-in": (
        lambda text, parser: etree.fromstring(etree.tostring(xml5tree.lxml.objectify.fromstring(text, parser))),
        xml5tree.lxml.objectify.makeparser,
    ),
}


@pytest.mark.parametrize("way", one_in(3, WHOLE))
def test_shared_parser(way):
    """Each call gives its own tree, and each thread is told of its own errors."""
    parse, make = WHOLE[way]
    shared = make()
    alone = {}
    for number in range(1, THREADS + 1):
        parser = make()
        alone[number] = dump(parse(document_of(number), parser=parser)), parser.error_log.as_dicts()
        assert len(alone[number][1]) > number

    def work(number, round_):
        assert dump(parse(document_of(number), parser=shared)) == alone[number][0]
        assert shared.error_log.as_dicts() == alone[number][1]
        if round_ % 4 == number % 4:
            assert parse("<ok/>", parser=shared).tag == "ok"
            assert not shared.error_log
        if round_ % 4 == 3:
            with pytest.raises(SyntaxError):
                parse("no markup", parser=shared)

    in_threads(work)
    assert shared.error_log is not None


@pytest.mark.parametrize("make", [xml5tree.XMLParser, lambda: xml5tree.XMLParser(backend="lxml"), ET5.XMLParser])
def test_log_of_another_thread(make):
    """A thread that has parsed nothing itself is told of what another one has parsed."""
    parser = make()
    thread = threading.Thread(target=parser.parse_whole, args=("<a>&",))
    thread.start()
    thread.join()
    assert [entry.code for entry in parser.error_log][:1] == ["unescaped-ampersand"]


def test_whole_documents_while_one_is_fed():
    """Neither gets into the other."""
    for make in (xml5tree.XMLParser, LX5.XMLParser):
        parser = make()

        def work(number, round_, parser=parser):
            if number > 1:
                assert parser.parse_whole(document_of(number)).tag == f"r{number}"
            elif round_ == ROUNDS - 1:
                assert [element.tag for element in parser.close().iter()] == ["a", *["b"] * (ROUNDS - 2)]
            else:
                parser.feed("<b/>" if round_ else "<a>")

        in_threads(work)


class Names:
    """A target that can be told of one document at a time."""

    def __init__(self):
        self.names = []

    def start(self, tag, attributes):
        self.names.append(tag)

    def end(self, tag): ...

    def data(self, data): ...

    def close(self):
        names, self.names = self.names, []
        return names


@pytest.mark.parametrize(
    "make",
    [
        lambda: xml5tree.XMLParser(target=Names()),
        lambda: xml5tree.XMLParser(backend="lxml", target=Names()),
        lambda: xml5tree.XMLParser(backend=etree.XMLParser(target=Names())),
        lambda: ET5.XMLParser(target=Names()),
        lambda: LX5.XMLParser(target=Names()),
    ],
    ids=["etree", "lxml", "parser object", "etree drop-in", "lxml drop-in"],
)
def test_shared_target(make):
    """Documents of one target wait for each other."""
    parser = make()

    def work(number, _round):
        names = parser.parse_whole(document_of(number))
        assert names == [f"r{number}", "a", *["d"] * number, "f"]

    in_threads(work)


def test_shared_parser_of_lxml():
    """lxml has one log for all threads; a document with errors must not be taken for one without."""
    parser = etree.XMLParser(recover=True)

    def work(number, _round):
        assert dump(LX5.fromstring(document_of(number), parser)) == dump(LX5.fromstring(document_of(number)))
        assert LX5.fromstring("<ok/>", parser).getroottree().parser is parser

    in_threads(work)


def test_shared_strict_parser():
    parser = LX5.XMLParser(recover=False)

    def work(number, _round):
        assert LX5.fromstring(f"<ok{number}/>", parser).tag == f"ok{number}"
        with pytest.raises(LX5.XMLSyntaxError, match=f"r{number}"):
            LX5.fromstring(f"<r{number}></a>", parser)

    in_threads(work)


def test_lxml_parses_in_several_threads(monkeypatch):
    """Threads that share a parser do not wait for each other: lxml can have a document of each at once."""
    meeting = threading.Barrier(3)
    waited = []

    def check_log(_log):
        waited.append(meeting.wait(timeout=30))

    monkeypatch.setattr("xml5tree.lxml.parsers.check_log", check_log)
    parser = LX5.XMLParser()
    roots = {}

    def run(number):
        roots[number] = LX5.fromstring(f"<ok{number}/>", parser)

    threads = [threading.Thread(target=run, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    run(0)
    for thread in threads:
        thread.join()
    assert {number: root.tag for number, root in roots.items()} == {0: "ok0", 1: "ok1", 2: "ok2"}
    assert sorted(waited) == [0, 1, 2]


def test_subclass_in_another_thread():
    """A subclass need not be callable without arguments; its options hold, and its class lookup."""

    class Parser(LX5.XMLParser):
        def __init__(self, removes):
            super().__init__(remove_comments=removes)

    class Special(etree.ElementBase):
        pass

    parser = Parser(True)
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=Special))
    root = in_another_thread(lambda: LX5.fromstring("<a><!--c--></a>", parser))
    assert etree.tostring(root) == b"<a/>"
    assert type(root) is Special


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("attribute_defaults", ("d", {"b": "c"})),
        ("load_dtd", ("d", {})),
        ("dtd_validation", ("d", {})),
        ("resolve_entities", ("de", {})),
    ],
)
def test_resolvers_in_another_thread(option, expected):
    """They serve wherever lxml reads what is external."""

    class Resolver(etree.Resolver):
        def resolve(self, url, _public_id, context):
            return self.resolve_string(files[url], context)

    files = {"some:dtd": "<!ELEMENT a (#PCDATA)><!ATTLIST a b CDATA 'c'><!ENTITY d 'd'>", "some:text": "de"}
    parser = LX5.XMLParser(**{option: True})
    parser.resolvers.add(Resolver())
    document = "<!DOCTYPE a SYSTEM 'some:dtd'><a>&d;</a>"
    if option == "resolve_entities":
        document = "<!DOCTYPE a [<!ENTITY e SYSTEM 'some:text'>]><a>&e;</a>"

    def parse():
        root = LX5.fromstring(document, parser)
        return root.text, dict(root.attrib)

    assert parse() == expected
    assert in_another_thread(parse) == expected


def test_ids_in_another_thread():
    """What is declared of a document that lxml accepts is known there, too."""
    parser = LX5.XMLParser()
    document = "<!DOCTYPE r [<!ATTLIST a k ID #IMPLIED>]><r><a k='z'/>"
    root, ids = in_another_thread(lambda: LX5.XMLDTDID(f"{document}</r>", parser))
    assert ids["z"] is root[0]
    error = in_another_thread(lambda: LX5.XMLDTDID(document, parser))
    assert isinstance(error, LX5.DocumentError)
    assert "had to be repaired" in str(error)


#: Threads that begin with a parser that another one has used, and parse with their own ones at once after that.
BEGINNERS = """
import io, sys, threading
from lxml import etree
import xml5tree
from xml5tree.lxml import etree as LX5

def fed(parser):
    with lock:
        parser.feed("<a/>")
        parser.close()

def fed_with_list(parser):
    with lock:
        LX5.fromstringlist(["<p>"], parser)

def run(number, use, parser):
    use(parser)
    document = template.replace("n", f"n{number}_")
    tags = [f"n{number}_{i}" for i in range(3000)]
    for _ in range(3):
        assert [element.tag for element in etree.fromstring(document, etree.XMLParser())] == tags
    passed.append(number)

lock = threading.Lock()
passed = []
template = "<r>" + "".join(f"<n{i}/>" for i in range(3000)) + "</r>"
for number, (make, use) in enumerate(WAYS):
    print(make, use, flush=True)
    make, use = eval(f"lambda: {make}"), eval(f"lambda parser: {use}")
    for round_ in range(5):
        shared = make()
        use(shared)
        first = 100 * number + 10 * round_
        threads = [threading.Thread(target=run, args=(first + n, use, shared)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(passed) == 20 * (number + 1)
"""
#: What makes the parser, and what uses it.
WAYS_TO_BEGIN = [
    ("LX5.XMLParser()", "LX5.fromstring('<a/>', parser)"),
    ("LX5.XMLParser()", "fed(parser)"),
    ("LX5.XMLParser(recover=False)", "LX5.fromstring('<a/>', parser)"),
    ("LX5.XMLParser(recover=False)", "LX5.parse(sys.argv[1], parser)"),
    ("LX5.XMLParser(recover=False)", "fed(parser)"),
    ("LX5.XMLParser(recover=False, target=etree.TreeBuilder())", "LX5.fromstring('<a/>', parser)"),
    ("LX5.XMLParser(target=etree.TreeBuilder())", "LX5.fromstring('<a/>', parser)"),
    ("LX5.XMLParser(resolve_entities=True)", "LX5.fromstring('<a/>', parser)"),
    ("LX5.XMLPullParser()", "fed(parser)"),
    ("etree.XMLParser()", "LX5.fromstring('<a/>', parser)"),
    ("etree.XMLParser()", "LX5.XMLDTDID('<!DOCTYPE a [<!ATTLIST a b ID #IMPLIED>]><a/>', parser)"),
    ("etree.HTMLParser()", "LX5.fromstring('<p>', parser)"),
    ("etree.HTMLParser()", "fed_with_list(parser)"),
    ("etree.HTMLParser()", "LX5.parse(io.StringIO('<p>'), parser)"),
    ("xml5tree.XMLParser(backend=etree.XMLParser())", "parser.parse_whole('<a/>')"),
    ("xml5tree.XMLParser(backend=etree.XMLParser())", "fed(parser)"),
]


@in_whole_run
def test_threads_that_begin_with_a_shared_parser(tmp_path):
    """Each has names of its own in lxml, which would give it those of the thread that has used the parser before.

    All ways are tried in one process; what it has printed last tells with which one it ended.
    """
    file = tmp_path / "a.xml"
    file.write_text("<a/>")
    command = [sys.executable, "-c", f"WAYS = {WAYS_TO_BEGIN}{BEGINNERS}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


FED = {
    "XMLParser": xml5tree.XMLParser,
    "lxml": lambda **options: xml5tree.XMLParser(backend="lxml", **options),
    "target": lambda **options: xml5tree.XMLParser(target=Names(), **options),
    "Repairer": xml5tree.Repairer,
    "XMLPullParser": xml5tree.XMLPullParser,
    "drop-in": ET5.XMLParser,
    "lxml drop-in": LX5.XMLParser,
    "sax": xml5tree.sax.SAXParser,
}


@pytest.mark.parametrize("name", [name for name in FED if name != "XMLPullParser"])
def test_two_threads_that_feed(name):
    """The second one is told so, whatever it calls, and the document goes on.

    The first one waits in `on_error`. A pull parser does not call that in `feed`, but where its events are read.
    """
    make = FED[name]
    is_in_feed, may_go_on = threading.Event(), threading.Event()

    def callback(entry):
        is_in_feed.set()
        assert may_go_on.wait(60)

    def disturb():
        assert is_in_feed.wait(60)
        for call in (lambda: parser.feed("<x/>"), parser.close):
            with pytest.raises(RuntimeError, match="fed by two threads at once") as caught:
                call()
            refusals.append(caught)
        may_go_on.set()

    refusals = []
    parser = make(on_error=callback, recovery="draft")  # by intent, the error waits for what follows
    thread = threading.Thread(target=disturb)
    thread.start()
    parser.feed("<a b=1>")
    thread.join()
    parser.feed("</a>")
    parser.close()
    assert len(refusals) == 2


@pytest.mark.parametrize("make", FED.values(), ids=FED)
def test_threads_that_feed_without_order(make):
    """Each call either takes a part whole or says why not; nothing else is raised."""
    parser = make()
    parser.feed("<a>")

    def work(_number, _round):
        try:
            parser.feed("<b/>&" * 50)
        except RuntimeError as error:
            assert "two threads" in str(error) or "in one thread only" in str(error)

    in_threads(work)
    parser.feed("</a>")
    parser.close()


def in_another_thread(function):
    """What a function returns, or the exception that it raises, in a thread of its own."""
    results = queue.SimpleQueue()

    def run():
        try:
            results.put(function())
        except Exception as error:
            results.put(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results.get()


@pytest.mark.parametrize("make", [xml5tree.XMLParser, ET5.XMLParser])
def test_threads_that_take_turns(make):
    parser = make()
    for part in ("<a>", "<b/>", "</a>"):
        assert in_another_thread(lambda part=part: parser.feed(part)) is None
    assert [element.tag for element in parser.close().iter()] == ["a", "b"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: xml5tree.XMLParser(backend="lxml"),
        lambda: xml5tree.XMLParser(backend=etree.XMLParser()),
        LX5.XMLParser,
        lambda: LX5.XMLParser(recover=False),
        lambda: LX5.XMLPullParser(),
        lambda: xml5tree.XMLPullParser(backend="lxml"),
    ],
)
def test_lxml_keeps_a_document_in_its_thread(make):
    """Going on after the end of the thread ends the process."""
    parser = make()
    assert in_another_thread(lambda: parser.feed("<a>")) is None
    for call in (lambda: parser.feed("</a>"), parser.close):
        with pytest.raises(RuntimeError, match="in one thread only"):
            call()
    parser = make()
    parser.feed("<a>")
    assert isinstance(in_another_thread(lambda: parser.feed("<b>")), RuntimeError)
    parser.feed("</a>")
    assert parser.close().tag == "a"


@pytest.mark.parametrize(
    "iterate",
    [
        lambda parts: xml5tree.iterparse(parts, backend="lxml", recovery="draft"),
        lambda parts: xml5tree.records(parts, "b", backend="lxml", recovery="draft"),
    ],
)
def test_lxml_iterators_stay_in_their_thread(iterate):
    iterator = iterate(iter(["<a><b/>", "<b/>", "</a>"]))
    assert not isinstance(in_another_thread(lambda: next(iterator)), Exception)
    with pytest.raises(RuntimeError, match="in one thread only"):
        list(iterator)


DUPLICATES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda parser: pickle.loads(pickle.dumps(parser)),
}
each_duplicate = pytest.mark.parametrize("duplicate", DUPLICATES.values(), ids=DUPLICATES)


PARSER_OBJECTS = {
    "XMLParser": xml5tree.XMLParser,
    "XMLParser of lxml": lambda: xml5tree.XMLParser(backend="lxml"),
    "XMLParser that recovers from nothing": lambda: xml5tree.XMLParser(recovery="strict"),
    "XMLParser with a parser": lambda: xml5tree.XMLParser(backend=ET.XMLParser()),
    "XMLPullParser": xml5tree.XMLPullParser,
    "XMLPullParser of lxml": lambda: xml5tree.XMLPullParser(backend="lxml"),
    "Repairer": xml5tree.Repairer,
    "ElementTree.XMLParser": xml5tree.ElementTree.XMLParser,
    "ElementTree.XMLPullParser": xml5tree.ElementTree.XMLPullParser,
    "lxml.etree.XMLParser": xml5tree.lxml.etree.XMLParser,
    "lxml.etree.XMLPullParser": xml5tree.lxml.etree.XMLPullParser,
    "lxml.etree.ETCompatXMLParser": xml5tree.lxml.etree.ETCompatXMLParser,
    "lxml.objectify": xml5tree.lxml.objectify.makeparser,
    "sax": xml5tree.sax.create_parser,
}


@each_duplicate
@each_case("make", PARSER_OBJECTS.values(), ids=PARSER_OBJECTS)
@each_case("fed", [0, 1, 2])
def test_copies_share_no_document(make, duplicate, fed):
    """A parser that is being fed has no copy; one that is not has none either, or one with a document of its own."""
    parts = ["<a>", "<b>x", "</b></a>"]
    parser = make()
    found = [parser.feed(part) for part in parts[:fed]]
    copied = None
    try:
        copied = duplicate(parser)
    except TypeError:
        pass
    else:
        assert not fed
        copied.feed("<other>")
    found += [parser.feed(part) for part in parts[fed:]]
    root = parser.close()
    if isinstance(parser, xml5tree.Repairer):
        assert "".join([*found, root]) == "".join(parts)
    elif root is not None:
        assert (root.tag, root.find("b").text, root.find("other")) == ("a", "x", None)


@each_duplicate
@pytest.mark.parametrize("backend", ["etree", "lxml"])
def test_copies(duplicate, backend):
    """They begin afresh, with the options and the last log."""
    parser = xml5tree.XMLParser(backend=backend, max_depth=2)
    parser.parse_whole("<a><b><c/></b></a>&")
    copied = duplicate(parser)
    assert copied.error_log == parser.error_log
    assert [element.tag for element in copied.parse_whole("<a><b><c/>&")] == ["b", "c"]


#: Begins every program of `run_forking`. `in_child` forks, and tells whether the child has ended well.
FORKING = """if True:
    import faulthandler, os, sys, threading, time, warnings
    warnings.simplefilter("ignore")  # newer versions of Python warn of forks of processes with threads
    import xml5tree
    data = "<r>" + "<item>a & b<t></item>" * 20
    def in_child(work):
        child = os.fork()
        if not child:
            faulthandler.dump_traceback_later(60, exit=True)
            work()
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


def run_forking(code, first=""):
    done = subprocess.run(
        [sys.executable, "-c", FORKING.replace(":", f":{first}", 1) + code], capture_output=True, text=True, timeout=250
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")

#: What threads do while a child is forked, and the child does, too: for the first time, or often.
WHILE_FORKING = {
    "repair": "xml5tree.repair(data)",
    "fromstring": "xml5tree.fromstring(data)",
    "lxml": "xml5tree.fromstring(data, parser=xml5tree.XMLParser(backend='lxml'))",
    "drop-in": "xml5tree.lxml.etree.fromstring(data, xml5tree.lxml.etree.XMLParser())",
    "events": "list(xml5tree.iterroots([data]))",
    "html": "xml5tree.fromstring(data, dialect='html')",
}


@needs_fork
def test_children_of_a_fork_import_what_another_thread_had_begun_to():
    """Its import began after those that the fork waits for."""
    first = """
    import importlib._bootstrap, os, threading, time
    def begin_import():
        is_held = threading.Event()
        def hold():
            lock = importlib._bootstrap._get_module_lock("xml5tree.sax")
            lock.acquire()
            is_held.set()
            time.sleep(1000)
        threading.Thread(target=hold, daemon=True).start()
        is_held.wait()
    os.register_at_fork(before=begin_import)  # the last one, as they are called in reverse order
    """
    run_forking(
        """
    def work():
        import xml5tree.sax
    if not in_child(work):
        sys.exit("the child hung")
    print("done", flush=True)
    os._exit(0)
    """,
        first,
    )


@needs_fork
@pytest.mark.parametrize("way", one_in(3, WHILE_FORKING))
def test_children_of_a_fork_never_wait_for_threads_of_the_parent(way):
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        pytest.skip("without a global lock, caches of functools are locked for ever in children of a fork")
    if way == "html":
        pytest.importorskip("html5lib")
    run_forking(f"""
    import xml5tree.lxml.etree
    sys.setswitchinterval(1e-5)
    def work():
        {WHILE_FORKING[way]}
    def go_on():
        while True:
            work()
    for _ in range(4):
        threading.Thread(target=go_on, daemon=True).start()
    for number in range(20):
        if not in_child(work):
            sys.exit(f"child {{number}} hung")
    print("done", flush=True)
    os._exit(0)
    """)


@needs_fork
def test_a_fork_waits_for_imports_of_other_threads():
    run_forking("""
    import importlib.abc, importlib.machinery
    begun = threading.Event()
    class Slow(importlib.abc.Loader, importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name == "xml5tree.slow":
                return importlib.machinery.ModuleSpec(name, self)
        def exec_module(self, module):
            begun.set()
            time.sleep(0.5)
            module.is_whole = True
    sys.meta_path.insert(0, Slow())
    def work():
        from xml5tree.slow import is_whole
    threading.Thread(target=work).start()
    begun.wait()
    if in_child(work):
        print("done")
    """)


@needs_fork
def test_a_fork_within_an_import_waits_for_nothing():
    run_forking("""
    import importlib.abc, importlib.machinery
    class Forking(importlib.abc.Loader, importlib.abc.MetaPathFinder):
        def find_spec(self, name, path, target=None):
            if name == "xml5tree.forking":
                return importlib.machinery.ModuleSpec(name, self)
        def exec_module(self, module):
            module.is_well = in_child(lambda: xml5tree.repair(data))
    sys.meta_path.insert(0, Forking())
    from xml5tree.forking import is_well
    if is_well:
        print("done")
    """)


@needs_fork
@pytest.mark.parametrize("step", ["parser.feed('<b/>')", "parser.parse_whole('<r/>')", "parser.close()"])
def test_a_parser_that_a_thread_of_the_parent_was_using(step):
    """In the child, that thread's document is given up, and the parser can be used."""
    run_forking(f"""
    inside, go_on = threading.Event(), threading.Event()
    class Waiting:
        def start(self, tag, attributes):
            if tag == "wait":
                inside.set()
                go_on.wait()
        def end(self, tag): ...
        def data(self, data): ...
        def close(self):
            return "closed"
    parser = xml5tree.XMLParser(target=Waiting())
    thread = threading.Thread(target=parser.feed, args=("<r><wait/>",))
    thread.start()
    inside.wait()
    def work():
        try:
            {step}
        except xml5tree.ParseError:  # there is no root element
            assert "close" in {step!r}
        assert parser.parse_whole("<r/>") == "closed"
    if in_child(work):
        print("done", flush=True)
    go_on.set()
    thread.join()
    """)


def test_no_lock_is_shared_by_all_objects_of_a_class():
    """As that of `functools.cached_property` is in Python 3.11."""
    package = Path(xml5tree.__file__).parent
    for path in package.rglob("*.py"):
        assert not re.search(r"from functools import .*\bcached_property\b", path.read_text("utf-8")), path
