"""Whatever reads a file reads it to its end, however little the file gives at a time."""

import codecs
import io
import os
import socket
import subprocess
import sys
import xml.sax
from xml.sax.xmlreader import InputSource

import pytest
from support.cases import each_case

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.lxml.objectify
import xml5tree.sax

DOCUMENT = "<a>\u00e9<b>one</b><b>t & wo</b>text</a>"


class Short:
    """A file that gives three bytes or characters at most."""

    def __init__(self, document):
        self.rest = document

    def read(self, size=-1):
        assert size != 0
        size = 3 if size < 0 else min(3, size)
        part, self.rest = self.rest[:size], self.rest[size:]
        return part


class ShortWithSize(Short):
    """One whose `read` must be told how much."""

    def read(self, size):
        return super().read(size)


class ShortWithoutSize(Short):
    """One whose `read` cannot be told."""

    def read(self):
        return super().read()


class ShortRaw(io.RawIOBase):
    """A raw stream."""

    def __init__(self, document):
        self.file = Short(document)

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class OtherBuffers(Short):
    """One whose parts are neither `bytes` nor `str`."""

    def read(self, size=-1):
        return memoryview(super().read(size))


def text_of(root):
    return "".join(root.itertext())


def by_events(iterator):
    for _ in iterator:
        pass
    return text_of(iterator.root)


class Text(xml.sax.ContentHandler):
    def __init__(self):
        self.text = ""

    def characters(self, content):
        self.text += content


def by_sax(file):
    parser = xml5tree.sax.create_parser()
    parser.setContentHandler(Text())
    source = InputSource()
    source.setByteStream(file)
    parser.parse(source)
    return parser.getContentHandler().text


ET, lxml_etree = xml5tree.ElementTree, xml5tree.lxml.etree
DOORS = {
    "parse": lambda file: text_of(xml5tree.parse(file).getroot()),
    "parse, lxml": lambda file: text_of(xml5tree.parse(file, backend="lxml").getroot()),
    "iterparse": lambda file: by_events(xml5tree.iterparse(file)),
    "iterparse, lxml": lambda file: by_events(xml5tree.iterparse(file, backend="lxml")),
    "open": lambda file: text_of(xml5tree.fromstring(xml5tree.open(file).read())),
    "ElementTree.parse": lambda file: text_of(ET.parse(file).getroot()),
    "ElementTree.parse, parser": lambda file: text_of(ET.parse(file, ET.XMLParser(target=ET.TreeBuilder())).getroot()),
    "ElementTree.ElementTree": lambda file: text_of(ET.ElementTree(file=file).getroot()),
    "ElementTree.iterparse": lambda file: by_events(ET.iterparse(file)),
    "ElementTree.iterparse, parser": lambda file: by_events(ET.iterparse(file, parser=ET.XMLParser())),
    "lxml.parse": lambda file: text_of(lxml_etree.parse(file).getroot()),
    "lxml.parse, parser": lambda file: text_of(lxml_etree.parse(file, xml5tree.lxml.etree.XMLParser()).getroot()),
    "lxml.iterparse": lambda file: by_events(lxml_etree.iterparse(file)),
    "lxml.parseid": lambda file: text_of(lxml_etree.parseid(file)[0].getroot()),
    "lxml.objectify": lambda file: text_of(xml5tree.lxml.objectify.parse(file).getroot()),
    "sax": by_sax,
}
each_door = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


@each_door
@each_case("kind", [Short, ShortWithSize, ShortWithoutSize, ShortRaw, OtherBuffers, "buffered", "text"])
def test_short_reads(door, kind):
    if kind == "buffered":
        file = io.BufferedReader(ShortRaw(DOCUMENT.encode()), 2)
    elif kind == "text":
        file = Short(DOCUMENT)
    else:
        file = kind(DOCUMENT.encode())
    assert door(file) == "\u00e9onet & wotext"


@each_door
def test_pipe(door):
    reading, writing = os.pipe()
    code = "import os, sys\nfor byte in sys.argv[1].encode(): os.write(1, bytes([byte]))"
    with subprocess.Popen([sys.executable, "-c", code, DOCUMENT], stdout=writing), open(reading, "rb") as file:
        os.close(writing)
        assert door(file) == "\u00e9onet & wotext"


@each_door
@each_case("mode", ["rb", "r", "raw"])
def test_file_that_has_nothing_yet(door, mode):
    """What does not block must not look as if it had ended."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with open(writing, "wb", 0) as end, open(reading, mode.replace("raw", "rb"), 0 if mode == "raw" else -1) as file:
        end.write(b"<a>text")
        with pytest.raises(BlockingIOError, match="nothing to read yet"):
            door(file)


@each_door
@each_case("mode", ["rb", "r", "raw"])
def test_file_that_does_not_block_and_has_ended(door, mode):
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with open(writing, "wb", 0) as end:
        end.write(DOCUMENT.encode())
    with open(reading, mode.replace("raw", "rb"), 0 if mode == "raw" else -1, "utf-8" if mode == "r" else None) as file:
        assert door(file) == "\u00e9onet & wotext"


def test_socket_with_a_timeout():
    """Its descriptor does not block, but it waits."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(5)
        theirs.sendall(DOCUMENT.encode())
        theirs.shutdown(socket.SHUT_WR)
        with ours.makefile("rb") as file:
            assert DOORS["parse"](file) == "\u00e9onet & wotext"


@each_door
def test_codecs_open(door, tmp_path):
    """It shows all methods of the stream of bytes beneath, but the encoding is its own."""
    path = tmp_path / "a.xml"
    path.write_text("<a>\u0416 & \u0429</a>", "cp1251")
    with open(path, "rb") as raw, codecs.getreader("cp1251")(raw) as file:
        assert door(file) == "\u0416 & \u0429"


@each_door
def test_read_of_a_subclass(door):
    """A `read1` that is inherited reads past a `read` that does something else."""

    class Without(io.BytesIO):
        def read(self, size=-1):
            return super().read(size).replace(b"one", b"two")

        getvalue = None

    file = Without(b"x" + DOCUMENT.encode())
    file.seek(1)
    assert door(file) == "\u00e9twot & wotext"


@each_door
@pytest.mark.parametrize("error", [TypeError("inside"), OSError("inside")], ids=repr)
def test_exceptions_of_files(door, error):
    class File:
        calls = 0

        def read(self, size):
            self.calls += 1
            if self.calls == 2:
                raise error
            return b"<a>"

    file = File()
    with pytest.raises(type(error), match="inside"):
        door(file)
    assert file.calls == 2


@each_door
@each_case("wrong", [5, [], 0])
def test_files_that_read_something_else(door, wrong):
    class File:
        def read(self, size):
            return wrong

    with pytest.raises(TypeError, match=f"bytes or str expected, not {type(wrong).__name__}"):
        door(File())


def test_events_of_short_reads_are_not_late():
    """What has come is there before more is read."""
    file = Short(DOCUMENT)
    iterator = xml5tree.iterparse(file, recovery="draft")
    assert next(iterator)[1].text == "one"
    assert len(file.rest) > 10
