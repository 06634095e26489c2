"""A well-formed document is never changed, wherever it is whole or can be read twice.

Intent reads some rare patterns as errors while it does not know the rest of the document. So it is asked first whether
the document is well-formed. Streams that are read once cannot be asked about.
"""

import gzip
import io
import os
import subprocess
import sys
import threading
import xml.sax.handler
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from support import nearxml
from support.cases import each_case
from support.commands import PACKAGE, run_command
from support.scaling import assert_scales_linearly
from support.splits import chunks

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.sax
from compat.lanes import LANES, lane
from xml5tree.accelerator import compiled
from xml5tree.dialects import make_settings
from xml5tree.documents import way_back
from xml5tree.wellformed import settings_for, settings_for_parts
from xml5tree.xml.limits import COMMON_LIMITS, MARKUP_LIMITS

#: Most of these documents have no element of the name of records.
pytestmark = pytest.mark.filterwarnings("ignore::xml5tree.RowsWarning")

_ITEM = "<item><t>x</t></item>"
MISTAKEN = f"<r>{_ITEM * 12}<item><t>x</t><item>{'<p>some text</p>' * 3000}</item></item></r>"
NEW_CHILD = f"<r>{'<t>x</t><item><b/></item>' * 9}<item><b/><t>x</t>{'<p>some text</p>' * 3000}</item></r>"
#: Patterns that look like errors; intent mistakes the first two for errors in a stream: see docs/intent.md.
PATTERNS = {
    "long element in another of its name": MISTAKEN,
    "new kind of child in a long element": NEW_CHILD,
    "very long element with many of its name": (
        f"<r>{_ITEM}<item><t>b</t>{_ITEM * 64}<item><t>{'x' * 270_000}</t></item></item></r>"
    ),
    "section with end tags and another": "<a>\n<b><c><![CDATA[x]]</c></b>\n<b><c><![CDATA[y]]></c></b>\n</a>",
    "instruction with end tags and another": "<a>\n<b><c><?x x?</c></b>\n<b><c><?x y?></c></b>\n</a>",
}
#: Those that are short enough for what is tried with each.
SHORT = {name: text for name, text in PATTERNS.items() if len(text) < 100_000}


class Source:
    """A document in the forms that the functions take, some of which cannot be read twice."""

    def __init__(self, document, folder):
        self.text = document
        self.data = document.encode()
        self.path = folder / "document.xml"
        self.path.write_bytes(self.data)
        self.packed = folder / "document.xml.gz"
        self.packed.write_bytes(gzip.compress(self.data))

    @property
    def file(self):
        return io.BytesIO(self.data)

    @property
    def text_file(self):
        return io.StringIO(self.text)

    @property
    def late_file(self):
        """A file that has been read up to the document."""
        file = io.BytesIO(b"<junk>" + self.data)
        file.seek(6)
        return file

    @property
    def parts(self):
        return [*chunks(self.data, 30_000)]

    @property
    def stream(self):
        return chunks(self.data, 30_000)

    @property
    def pipe(self):
        class Pipe(io.BytesIO):
            def seekable(self):
                return False

        return Pipe(self.data)


def drained(read):
    """Read all that a function yields."""
    return lambda source, **options: [*read(source, **options)]


def sax(get):
    def read(source, **options):
        parser = xml5tree.sax.create_parser(**options)
        parser.setContentHandler(xml.sax.handler.ContentHandler())
        parser.parse(get(source))

    return read


class Target:
    def start(self, tag, attributes):
        pass

    def end(self, tag):
        pass

    def data(self, text):
        pass

    def close(self):
        pass


def with_target(read):
    return lambda source, **options: read(source, xml5tree.XMLParser(target=Target(), recovery="intent", **options))


def tables(get):
    def read(source, **options):
        xml5tree.read_table(get(source), "item", fields={"t": "t"}, **options)

    return read


def lxml_parser(**options):
    return xml5tree.lxml.etree.XMLParser(**options)


ours, theirs, etree = xml5tree, xml5tree.lxml.etree, xml5tree.ElementTree

#: Ways to read a document that is whole or can be read twice; each is called with a `Source` and `on_error`.
DOORS = {
    "fromstring, encoding": lambda s, **o: ours.fromstring(s.text.encode("shift-jis"), encoding="shift-jis", **o),
    "fromstring, several roots": lambda s, **o: ours.fromstring(s.text, roots="all", **o),
    "fromstring, target": with_target(lambda s, p: ours.fromstring(s.data, parser=p)),
    "fromstrings": lambda s, **o: ours.fromstrings(s.text, **o),
    "fromstringlist": lambda s, **o: ours.fromstringlist(s.parts, **o),
    "parse, target": with_target(lambda s, p: ours.parse(s.path, parser=p)),
    "repair, text": lambda s, **o: ours.repair(s.text, **o),
    "repair, bytes": lambda s, **o: ours.repair(s.data, output_encoding="utf-8", **o),
    "repair, UTF-16": lambda s, **o: ours.repair(s.text.encode("utf-16"), **o),
    "repair, DOCTYPE": lambda s, **o: ours.repair(f"<!DOCTYPE r [<!ENTITY e 'f'>]>{s.text}", **o),
    "repair, text with an encoding": lambda s, **o: ours.repair(
        f"<?xml version='1.0' encoding='koi8-r'?>{s.text}", **o
    ),
    "edits": lambda s, **o: ours.edits(s.data, **o),
    "tokenize": drained(lambda s, **o: ours.tokenize(s.text, recovery="intent", **o)),
    "repair_iter, parts": drained(lambda s, **o: ours.repair_iter(s.parts, **o)),
    "repair_iter, file": drained(lambda s, **o: ours.repair_iter(s.file, **o)),
    "open, path": lambda s, **o: ours.open(s.path, **o).read(),
    "open, file": lambda s, **o: ours.open(s.file, **o).read(),
    "open, spool": lambda s, **o: ours.open(s.file, spool=True, **o).read(),
    "iterparse, path": drained(lambda s, **o: ours.iterparse(s.path, **o)),
    "iterparse, packed": drained(lambda s, **o: ours.iterparse(s.packed, **o)),
    "iterparse, file": drained(lambda s, **o: ours.iterparse(s.late_file, **o)),
    "iterparse, text": drained(lambda s, **o: ours.iterparse(s.text_file, ("text", "end"), **o)),
    "iterparse, errors": drained(lambda s, **o: ours.iterparse(s.file, ("error", "end"), spans=True, **o)),
    "iterparse, parts": drained(lambda s, **o: ours.iterparse(tuple(s.parts), **o)),
    "iterparse, lxml": drained(lambda s, **o: ours.iterparse(s.file, backend="lxml", **o)),
    "iterroots": drained(lambda s, **o: ours.iterroots(s.path, **o)),
    "records, path": drained(lambda s, **o: ours.records(s.path, **o)),
    "records, file": drained(lambda s, **o: ours.records(s.file, spans=True, on_bad="mark", **o)),
    "records, text": drained(lambda s, **o: ours.records(s.text_file, backend="lxml", fields={"t": "t"}, **o)),
    "tables, path": tables(lambda s: s.path),
    "tables, file": tables(lambda s: s.file),
    "SAX, path": sax(lambda s: str(s.path)),
    "SAX, file": sax(lambda s: s.late_file),
    "ElementTree.iterparse": drained(lambda s, **o: etree.iterparse(s.path, **o)),
    "ElementTree.canonicalize": lambda s, **o: etree.canonicalize(s.text, **o),
    "ElementTree.canonicalize, file": lambda s, **o: etree.canonicalize(from_file=s.file, **o),
    "lxml.iterparse, path": drained(lambda s, **o: theirs.iterparse(str(s.path), **o)),
    "lxml.iterparse, URL": drained(lambda s, **o: theirs.iterparse(s.path.as_uri(), **o)),
    "lxml.iterparse, file": drained(lambda s, **o: theirs.iterparse(s.file, **o)),
    "lxml.fromstring, target": lambda s, **o: theirs.fromstring(s.data, lxml_parser(target=Target(), **o)),
    "lxml.parse, target": lambda s, **o: theirs.parse(str(s.path), lxml_parser(target=Target(), **o)),
}

#: Ways to read a stream once.
STREAMS = {
    "fromstringlist": lambda s, **o: ours.fromstringlist(s.stream, **o),
    "repair_iter": drained(lambda s, **o: ours.repair_iter(s.stream, **o)),
    "open": lambda s, **o: ours.open(s.pipe, **o).read(),
    "iterparse": drained(lambda s, **o: ours.iterparse(s.pipe, **o)),
    "records": drained(lambda s, **o: ours.records(s.stream, **o)),
    "SAX": sax(lambda s: s.pipe),
    "lxml.iterparse": drained(lambda s, **o: theirs.iterparse(s.pipe, **o)),
}

COMMANDS = [
    *(["check"], ["check", "--format", "json"], ["repair"], ["repair", "--diff"]),
    *(["repair", "--edits", "json"], ["repair", "--edits", "patch"], ["repair", "--in-place"], ["tree"]),
    *(["records", "--tag", "item"], ["xpath", "/*"], ["tokens", "--recovery", "intent"], ["report", "-o", "-"]),
]


def of_door(name):
    """Return the parameter for one of `DOORS`."""
    is_missing = name.startswith("tables") and find_spec("pyarrow") is None
    return pytest.param(DOORS[name], marks=pytest.mark.skip("pyarrow is not installed") if is_missing else (), id=name)


@pytest.mark.parametrize("door", [*map(of_door, DOORS)])
@each_case("document", PATTERNS.values(), ids=PATTERNS)
def test_documents_that_can_be_read_twice(door, document, tmp_path):
    source = Source(document, tmp_path)
    found = []
    door(source, on_error=found.append)
    assert found == []


@each_case("door", STREAMS.values(), ids=STREAMS)
def test_streams(door, tmp_path):
    """What is read once cannot be asked, so some patterns are mistaken there."""
    mistaken = {MISTAKEN: "assumed-end-tag", NEW_CHILD: "assumed-end-before"}
    for document in PATTERNS.values():
        found = []
        door(Source(document, tmp_path), on_error=found.append)
        assert (found[0].code if found else None) == mistaken.get(document)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@each_case("document", SHORT.values(), ids=SHORT)
def test_commands(command, document, tmp_path, monkeypatch):
    source = Source(document, tmp_path)
    monkeypatch.chdir(tmp_path)
    result = run_command(*command, source.path)
    assert result.status in {0, 1 if command[0] in {"records", "xpath"} else 0}
    shown = result.out + result.err
    assert ("0 errors" if command[0] == "report" else "") in shown
    assert "repaired" not in shown
    assert "assumed" not in result.err
    assert source.path.read_bytes() == source.data
    if command == ["repair"]:
        assert result.out == document


def test_standard_input_that_is_a_file(tmp_path):
    """It is read from where it stands, and twice; a pipe is read once."""
    document = MISTAKEN
    path = tmp_path / "a.xml"
    path.write_text(f"skipped{document}")
    arguments = [sys.executable, "-m", "xml5tree", "repair", "-"]
    with path.open("rb") as file:
        file.seek(7, os.SEEK_SET)
        os.lseek(file.fileno(), 7, os.SEEK_SET)
        result = subprocess.run(arguments, stdin=file, capture_output=True, cwd=PACKAGE, check=True)
    assert (result.stdout, result.stderr) == (document.encode(), b"")
    result = subprocess.run(arguments, input=document.encode(), capture_output=True, cwd=PACKAGE, check=True)
    assert b"assumed-end-tag" in result.stderr


# What is not well-formed ---------------------------------------------------------------------------------------------


def once(door, document, folder):
    """The entries of a document that is not asked about: it is read as a stream."""
    found = []
    door(Source(document, folder), on_error=found.append)
    return found


@pytest.mark.parametrize("fault", ["&", "<b></c>", "<b a=c/>", "<p:b/>", "\x01", "&nbsp;", "</r><r>"])
@pytest.mark.parametrize("place", ["first", "last"])
def test_broken_documents_are_read_by_intent(fault, place, tmp_path):
    """As by the doors that do not ask."""
    document = MISTAKEN
    document = document.replace("<r>", f"<r>{fault}", 1) if place == "first" else document[:-4] + fault + "</r>"
    expected = once(STREAMS["iterparse"], document, tmp_path)
    assert expected
    for name in ("iterparse, path", "iterparse, file", "repair, text", "open, path", "SAX, file"):
        assert {entry.code for entry in once(DOORS[name], document, tmp_path)} == {entry.code for entry in expected}


@pytest.mark.parametrize("name", LANES)
@given(data=nearxml.byte_documents())
def test_well_formed_is_what_the_draft_finds_no_error_in(name, data):
    """Then nothing is assumed; else the document is read as it is without asking."""
    with lane(name):
        draft, asked, alone = [], [], []
        for recovery, found, parts in (
            ("draft", draft, [data]),
            ("intent", asked, [data]),
            ("intent", alone, iter([data])),
        ):
            try:
                markup = b"".join(xml5tree.repair_iter(parts, recovery=recovery, on_error=found.append))
            except xml5tree.ParseError as error:
                markup = error.code
            found.append(markup)
        assert asked == (draft if len(draft) == 1 and isinstance(draft[0], bytes) else alone)


@given(data=nearxml.byte_documents())
def test_what_was_repaired_is_well_formed(data):
    """I5, by intent: repairing again changes nothing."""
    with suppress(xml5tree.ParseError):
        for document in (data, data.decode("utf-8", "replace")):
            markup = xml5tree.repair(document)
            assert xml5tree.repair(markup, on_error=pytest.fail) == markup
            assert xml5tree.edits(markup) == []


@pytest.mark.parametrize(
    "options",
    [
        {"elements": ["a", "b"]},
        {"roots": "all"},
        {"root_element": "b"},
        {"forbid_dtd": True},
        {"max_depth": 2},
        {"entities": "xml"},
        {"encoding": "utf-16"},
    ],
    ids=str,
)
@given(data=nearxml.byte_documents())
def test_options_decide_what_is_well_formed(options, data):
    dialect, settings = make_settings({**options, "recovery": "intent"})
    found = settings_for([data], dialect, settings, COMMON_LIMITS).recovery
    repairer = xml5tree.Repairer(**options, recovery="draft")
    try:
        repairer.repair_whole(data)
        is_right = not repairer.error_log
    except xml5tree.ParseError:
        is_right = False
    assert found == ("draft" if is_right else "intent")


@each_case("options", [{"recovery": "draft"}, {"recovery": "strict"}, {"dialect": "microxml"}, {"dialect": "leafxml"}])
def test_nothing_is_asked_where_nothing_is_assumed(options):
    class Unread(io.BytesIO):
        def read(self, size=-1):
            pytest.fail("the document is read")

        read1 = read

    dialect, settings = make_settings(options)
    assert settings_for(Unread(b"<a/>"), dialect, settings, COMMON_LIMITS) is settings
    xml5tree.iterparse(Unread(b"<a/>"), **options)


# How it is asked -----------------------------------------------------------------------------------------------------


class Counting(io.BytesIO):
    """A file that counts what is read of it, and remembers the largest part."""

    def __init__(self, data):
        super().__init__(data)
        self.count = self.largest = 0

    def read1(self, size=-1):
        assert size >= 0
        part = super().read1(size)
        self.count += len(part)
        self.largest = max(self.largest, len(part))
        return part

    read = read1


@pytest.mark.parametrize("place", [0, 500_000, 1_000_000])
@each_case(
    "read",
    [
        drained(lambda file: xml5tree.iterparse(file)),
        lambda file: xml5tree.open(file).read(),
    ],
)
def test_no_more_is_read_than_to_the_first_error(read, place):
    file = Counting(f"<r>{'<a>x</a>' * (place // 8)}&{'<a>x</a>' * ((1_000_000 - place) // 8)}</r>".encode())
    read(file)
    size = len(file.getvalue())
    assert size + place <= file.count <= size + place + (1 << 17)
    assert file.largest <= 1 << 18


@pytest.mark.parametrize(
    ("head", "text", "path", "times"),
    [("", "x", "b", 1), ("", "&", "b", 2), ("", "x", "b[1]", 2), ("<!DOCTYPE r>", "x", "b", 3)],
)
@pytest.mark.skipif(compiled is None, reason="the reader is not compiled, or switched off")
def test_a_clean_document_is_read_once_for_values(head, text, path, times):
    file = Counting(b"%b<r>%b%b</r>" % (head.encode(), b"<a>x</a>" * 100_000, text.encode()))
    assert sum(1 for _ in xml5tree.records(file, "a", fields={"b": path})) == 100_000
    assert file.count == times * len(file.getvalue())


@each_case(
    "make",
    [
        lambda n: "<r>" + '<a b="c">x</a>' * n + "</r>",
        lambda n: "<a>" * n + "</a>" * n,
        lambda n: "<!DOCTYPE r [" + "".join(f"<!ENTITY e{i} 'x'>" for i in range(n)) + "]><r>" + "&e0;" * n + "</r>",
        lambda n: "<r>" + "".join(f"<a{i}/>" for i in range(n)) + "</r>",
    ],
)
def test_time_to_ask_is_linear(make):
    dialect, settings = make_settings({})
    assert_scales_linearly(
        lambda document: settings_for([document], dialect, settings, COMMON_LIMITS), lambda n: make(n).encode(), 3000
    )


def test_a_file_stands_where_it_stood():
    for file in (io.BytesIO(b"xx<a>\xd0\xb1</a>"), io.TextIOWrapper(io.BytesIO(b"xx<a>\xd0\xb1</a>"), "utf-8")):
        file.read(2)
        events = xml5tree.iterparse(file)
        assert file.tell() == 2
        assert [element.text for _, element in events] == ["\u0431"]
        file.seek(2)
        with xml5tree.open(file) as repaired:
            assert file.tell() == 2
            assert repaired.read() == "<a>\u0431</a>".encode()


def test_what_cannot_be_read_twice(tmp_path):
    """A pipe is not touched before it is read, nor is a name in it: to open it would wait for a writer."""
    reading, writing = os.pipe()
    with open(reading, "rb") as file, open(writing, "wb"):
        assert way_back(file) is None
        xml5tree.iterparse(file)
    if hasattr(os, "mkfifo"):
        path = tmp_path / "pipe"
        os.mkfifo(path)
        assert way_back(path) is None
        writer = threading.Thread(target=lambda: path.write_bytes(b"<a>x</a>"))
        writer.start()
        assert [element.text for _, element in xml5tree.iterparse(path)] == ["x"]
        writer.join()
    assert way_back(tmp_path / "missing") is None
    assert way_back(tmp_path) is None
    assert way_back(iter([b"<a/>"])) is None
    assert way_back("\0") is None


def test_text_in_the_place_of_parts_is_no_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("<b/>")
    opened = []
    monkeypatch.setattr(os, "stat", lambda *arguments, **_: opened.append(arguments) or os.lstat(*arguments))
    with pytest.raises(xml5tree.ParseError):
        xml5tree.fromstringlist("a")
    with pytest.raises(xml5tree.ParseError):
        list(xml5tree.repair_iter("a"))
    assert opened == []


@each_case("failing", [OSError("disk"), ValueError("other")])
def test_a_file_that_fails_fails_where_it_is_read(failing):
    """After what comes before, as without asking."""

    class Failing(io.BytesIO):
        def read1(self, size=-1):
            if self.tell() >= 40_000:
                raise failing
            return super().read1(min(size, 10_000))

        read = read1

    found = xml5tree.records(Failing(f"<r>{_ITEM * 9000}</r>".encode()))
    records = []
    with pytest.raises(type(failing), match=str(failing)):
        records.extend(found)
    with pytest.raises(type(failing), match=str(failing)):
        xml5tree.open(Failing(f"<r>{_ITEM * 9000}</r>".encode())).read()


def test_damage_of_compressed_data_is_an_error(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(MISTAKEN.encode())[:-2])
    events = xml5tree.iterparse(path)
    list(events)
    assert {"damaged-compression", "assumed-end-tag"} <= {entry.code for entry in events.error_log}


@pytest.mark.skipif(not xml5tree.accelerated, reason="pure Python does not scan documents")
@each_case("document", ["<a>x & y</a>", b"<a xml:id='x'><b></a>", f"<r>{_ITEM * 9000}&</r>", "<a>x</a>", b"<a>x</a>"])
def test_whole_documents_are_judged_before_anything_is_made(document, monkeypatch):
    """The scan knows most of them; no stages are made for these."""
    dialect, settings = make_settings({"recovery": "intent"})
    monkeypatch.setattr(type(dialect), "make_pipeline", lambda *_, **__: pytest.fail("stages are made"))
    expected = "draft" if len(document) == len("<a>x</a>") else "intent"
    assert settings_for_parts((document,), dialect, settings, MARKUP_LIMITS).recovery == expected
