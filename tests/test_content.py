"""What is no XML gives no tree; what is compressed is unpacked; and hints at options that help."""

import contextlib
import gzip
import io
import json
import random
from itertools import product

import pytest
from support.cases import one_in
from support.commands import run_command
from support.packing import each_compression
from support.scaling import assert_grows_at_most, assert_scales_linearly
from support.splits import chunks
from support.suites import SUITES

import xml5tree
import xml5tree.ElementTree
import xml5tree.lxml.etree
import xml5tree.sax
from xml5tree import unpacking

BACKENDS = ["etree", "lxml"]
DOCUMENT = b"<r><a>1</a><a>2 & 3</a></r>"
REPAIRED = b"<r><a>1</a><a>2 &amp; 3</a></r>"

#: Files that are no XML, and a word of what is said about them.
FILES = {
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR<a/>", "PNG"),
    "jpeg": (b"\xff\xd8\xff\xe0\0\x10JFIF<a/>", "JPEG"),
    "gif": (b"GIF89a<a/>", "GIF"),
    "pdf": (b"%PDF-1.7\n<</Type /Catalog>>\n<a/>", "PDF"),
    "zip": (b"PK\x03\x04<a/>", "ZIP"),
    "gzip": (gzip.compress(DOCUMENT), "gzip"),
    "elf": (b"\x7fELF\x02\x01\x01<a/>", "ELF"),
    "exe": (b"MZ\x90\0" + b"\0" * 60 + b"<a/>", "Windows"),
    "class": (b"\xca\xfe\xba\xbe<a/>", "Java"),
    "plist": (b"bplist00<a/>", "plutil"),
    "sqlite": (b"SQLite format 3\0<a/>", "SQLite"),
    "ole": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1<a/>", "Office"),
    "bytes": (bytes(range(32)) + b"<a/>", "binary data"),
    "utf-16": ("\n<a>text</a>".encode("utf-16-le"), "encoding='utf-16-le'"),
}
#: What begins in odd ways, and is read.
READ = {
    "json": b'{"answer": "<a/>"}',
    "html": b"<!DOCTYPE html><a/>",
    "words": b"Here is your XML:\n```xml\n<a/>\n```",
    "colours": b"\x1b[31merror\x1b[0m: \x1b[1mx\x1b[0m <a/>",
    "framed": b"\x0b<a/>\x1c\r",
    "few controls": b"\x01\x02\x03\x04\x05<a/>",
    "controls after a tag": b"<a >" + bytes(range(32)) * 40 + b"</a>",
    "controls in much text": bytes(range(7)) + b"x" * 600 + b"<a/>",
    "windows-1251": "текст без кодировки <a/>".encode("cp1251"),
    "shift_jis": "<?xml version='1.0' encoding='shift_jis'?><a>日本</a>".encode("shift_jis"),
    "utf-16": "x <a/>".encode("utf-16"),
    "utf-16 without mark": "<a/>".encode("utf-16-be"),
    "utf-32": "<a/>".encode("utf-32"),
    "BM": b"BMW and others <a/>",
    "MZ": b"MZ is not always an executable" * 4 + b"<a/>",
    "Japanese": "<日本>x</日本><a/>".encode(),
}


def code_of(call):
    """The code of the `ParseError` that a call raises; "" where it raises none."""
    try:
        call()
    except xml5tree.ElementTree.ParseError as error:
        # The drop-ins have the numbers of expat and of lxml.
        return getattr(error, "reason", "") if isinstance(error.code, int) else error.code
    return ""


def ways(data):
    """All that reads documents of bytes."""
    for backend in BACKENDS:
        yield lambda backend=backend: xml5tree.fromstring(data, backend=backend)
        yield lambda backend=backend: xml5tree.fromstringlist(chunks(data, 3), backend=backend)
        yield lambda backend=backend: list(xml5tree.iterparse([*chunks(data, 3), b""], backend=backend))
    yield lambda: xml5tree.repair(data)
    yield lambda: b"".join(xml5tree.repair_iter(chunks(data, 1)))
    yield lambda: list(xml5tree.records([data], "a"))
    yield lambda: xml5tree.fromstring(data, dialect="microxml")
    yield lambda: xml5tree.fromstring(data, dialect="html")
    yield lambda: xml5tree.ElementTree.fromstring(data)
    yield lambda: xml5tree.lxml.etree.fromstring(data)


@pytest.mark.parametrize("name", [name for name in FILES if name != "gzip"])
def test_what_is_no_xml_is_refused(name):
    data, word = FILES[name]
    for way in ways(data):
        assert code_of(way) == "not-xml"
    found = set()
    for size in (1, 2, 7, len(data)):
        parser = xml5tree.XMLParser()
        with pytest.raises(xml5tree.ParseError) as raised:
            xml5tree.fromstringlist(chunks(data, size), parser=parser)
        error = raised.value
        assert word in error.reason
        assert error.position == (1, 0)
        assert [entry.code for entry in error.errors] == ["not-xml"]
        assert error.errors is parser.error_log
        found.add(str(error))
    assert len(found) == 1


@pytest.mark.parametrize("name", FILES)
def test_what_is_no_xml_can_be_forced_and_text_is_never_refused(name):
    data, _ = FILES[name]
    assert code_of(lambda: xml5tree.fromstring(data, force=True)) in {"", "no-root-element"}
    assert code_of(lambda: xml5tree.fromstring(data.decode("latin-1"))) in {"", "no-root-element"}


def test_compressed_data_is_refused_where_it_is_fed():
    with pytest.raises(xml5tree.ParseError, match="gzip data; unpack it first, as parse, iterparse and open do"):
        xml5tree.fromstring(FILES["gzip"][0])
    assert code_of(lambda: xml5tree.repair(FILES["gzip"][0])) == "not-xml"


@pytest.mark.parametrize("name", READ)
def test_what_may_be_xml_is_read(name):
    data = READ[name]
    markup = xml5tree.repair(data)
    assert b"/>" in markup.replace(b"\0", b"") or b"</" in markup.replace(b"\0", b"")
    assert b"".join(xml5tree.repair_iter(chunks(data, 1))) == markup


def test_random_bytes_are_refused():
    """Of 200, all gave a tree; of compressed ones, 119."""
    random_bytes = random.Random(20).randbytes
    for _ in range(60):
        data = random_bytes(5000)
        assert code_of(lambda data=data: xml5tree.fromstring(data)) == "not-xml"
        assert code_of(lambda data=data: xml5tree.parse(io.BytesIO(gzip.compress(data)))) == "not-xml"
        assert code_of(lambda data=data: xml5tree.fromstring(gzip.compress(data))) == "not-xml"


def test_markup_is_not_held_back():
    """What begins as markup does is read as it comes."""
    for document in ("<a><b/>", "\n<!--c--><a><b/>", "<?xml version='1.0'?><a><b/>", "<!DOCTYPE a><a><b/>"):
        parser = xml5tree.XMLPullParser()
        parser.feed(document.encode())
        assert [element.tag for _, element in parser.read_events()] == ["b"]


def inputs_of_suites():
    """The inputs of the public suites, as bytes."""

    def strings(value):
        if isinstance(value, str):
            yield value.encode("utf-8", "surrogatepass")
        elif isinstance(value, dict | list):
            if isinstance(value, dict) and "hex" in value:
                yield bytes.fromhex(value["hex"])
            for inner in value.values() if isinstance(value, dict) else value:
                yield from strings(inner)

    for path in sorted(SUITES.rglob("*.test")) + sorted(SUITES.rglob("*.json")):
        yield from strings(json.loads(path.read_text("utf-8")))
    for path in sorted(SUITES.rglob("*.dat")):
        yield from path.read_bytes().split(b"#data\n")


@pytest.mark.skipif(not SUITES.is_dir(), reason="the public suites are not there")
def test_no_input_of_a_public_suite_is_refused():
    found = 0
    for data in inputs_of_suites():
        found += 1
        assert code_of(lambda data=data: xml5tree.repair(data)) in {"", "no-root-element"}, data
    assert found > 5000


def test_commands(tmp_path):
    path = tmp_path / "image.xml"
    data = FILES["png"][0]
    path.write_bytes(data)
    status, out, _ = run_command("check", path)
    assert status == 2
    assert f"{path}:1:1: not-xml: this is not XML: it looks like a PNG image" in out
    assert f"{path} looks like a PNG image; --force reads it all the same." in out
    for command in (["tree"], ["xpath", "//a"], ["repair"], ["records", "--tag", "a"]):
        result = run_command(*command, path)
        assert result.status == 2
        assert "PNG" in result.err
        assert run_command(*command, "--force", path).status == 0
    assert run_command("repair", "--in-place", "--force", path).status == 2
    assert path.read_bytes() == data
    assert run_command("report", "-o", tmp_path / "page.html", path).status == 2
    assert "This is no XML" in (tmp_path / "page.html").read_text("utf-8")


def test_hints_for_programs(tmp_path):
    path = tmp_path / "image.xml"
    path.write_bytes(FILES["png"][0])
    message = f"{path} looks like a PNG image; --force reads it all the same"
    (file,) = json.loads(run_command("check", "--format", "json", path).out)["files"]
    assert file["hints"] == [{"message": message, "option": "force", "value": True}]
    (run,) = json.loads(run_command("check", "--format", "sarif", path).out)["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"]
    (note,) = invocation["toolExecutionNotifications"]
    assert (note["level"], note["message"]) == ("note", {"text": message})


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_commands_on_nothing(pack, tmp_path):
    """No part of an empty document ever comes, but it has no root element all the same."""
    path = tmp_path / "empty.xml"
    path.write_bytes(pack(b""))
    for command in (["check"], ["tree"], ["xpath", "//a"], ["repair"], ["records", "--tag", "a"]):
        assert run_command(*command, path).status == 2


# Unpacking


@each_compression
def test_files_are_unpacked(compress, tmp_path):
    data = compress(DOCUMENT)
    path = tmp_path / "document.xml.packed"
    path.write_bytes(data)
    for source in (lambda: io.BytesIO(data), lambda: path, lambda: str(path)):
        for backend in BACKENDS:
            parser = xml5tree.XMLParser(backend=backend)
            root = xml5tree.parse(source(), parser=parser).getroot()
            assert [element.text for element in root] == ["1", "2 & 3"]
            assert [entry.code for entry in parser.error_log] == ["unescaped-ampersand"]
            events = xml5tree.iterparse(source(), backend=backend)
            assert [element.tag for _, element in events] == ["a", "a", "r"]
        assert xml5tree.open(source()).read() == REPAIRED
        assert [record.element.text for record in xml5tree.records(source(), "a")] == ["1", "2 & 3"]
        assert len(xml5tree.ElementTree.parse(source()).getroot()) == 2
    assert xml5tree.open(chunks(data, 1)).read() == REPAIRED
    assert run_command("check", path).status == 1
    assert run_command("repair", "-", stdin=data).out == REPAIRED.decode()
    assert run_command("repair", "--in-place", path).status == 0
    (unpacked,) = unpacking.Unpacking([path.read_bytes()])
    assert unpacked == REPAIRED


@each_compression
def test_errors_name_the_compressed_file(compress, tmp_path):
    path = tmp_path / "document.xml.packed"
    path.write_bytes(compress(DOCUMENT))
    small = {"max_unpacking_ratio": 0, "unpacking_threshold": 3}
    for name, options in ((str(path), small), ("feed", {**small, "filename": "feed"})):
        for read in (
            xml5tree.parse,
            xml5tree.ElementTree.parse,
            lambda path, **options: xml5tree.open(path, **options).read(),
        ):
            with pytest.raises(xml5tree.ParseError) as raised:
                read(path, **options)
            assert raised.value.filename == name
    parser = xml5tree.XMLParser()
    assert len(xml5tree.ElementTree.parse(path, parser).getroot()) == 2
    assert [(entry.code, entry.filename) for entry in parser.error_log] == [("unescaped-ampersand", str(path))]


@each_compression
def test_members(compress):
    data = compress(b"<r>") + compress(b"x</r>")
    assert xml5tree.parse(io.BytesIO(data)).getroot().text == "x"


@each_compression
def test_unpacking_is_limited_by_options(compress):
    data = compress(b"<a>" + b"x" * 9_000_000 + b"</a>")
    small = {"max_unpacking_ratio": 2, "unpacking_threshold": 1000}
    for options in ({}, small):
        for call in (
            lambda options=options: xml5tree.parse(io.BytesIO(data), **options),
            lambda options=options: list(xml5tree.iterparse(io.BytesIO(data), **options)),
            lambda options=options: xml5tree.open(io.BytesIO(data), **options).read(),
            lambda options=options: list(xml5tree.records(io.BytesIO(data), **options)),
        ):
            assert code_of(call) == "unpacked-too-large"
    assert len(xml5tree.parse(io.BytesIO(data), max_unpacking_ratio=100_000).getroot().text) == 9_000_000
    assert len(xml5tree.parse(io.BytesIO(data), unpacking_threshold=10_000_000).getroot().text) == 9_000_000
    assert xml5tree.parse(io.BytesIO(compress(DOCUMENT)), **small).getroot().tag == "r"


@pytest.mark.filterwarnings("ignore:the document is cut off:xml5tree.RowsWarning")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("cut", [-4, -9])
def test_compressed_data_that_is_cut_off(backend, cut):
    """What is there is read, and the log says that it may not be all; well-formed or not."""
    data = gzip.compress(b"<r>x</r>")[:cut]
    for read in (
        lambda parser: xml5tree.parse(io.BytesIO(data), parser=parser).getroot(),
        lambda parser: xml5tree.ElementTree.ElementTree().parse(io.BytesIO(data), parser),
    ):
        parser = xml5tree.XMLParser(backend=backend)
        assert read(parser).text == "x"
        assert parser.error_log[-1].code == "damaged-compression"
        assert parser.error_log.effect == "lost"
        assert parser.error_log.truncated
    events = xml5tree.iterparse(io.BytesIO(data), backend=backend)
    assert [element.text for _, element in events] == ["x"]
    assert events.error_log[-1].code == "damaged-compression"
    file = xml5tree.open(io.BytesIO(data))
    assert file.read() == b"<r>x</r>"
    assert file.error_log[-1].code == "damaged-compression"
    found = xml5tree.records(io.BytesIO(data), "r", backend=backend)
    assert [record.element.text for record in found] == ["x"]
    assert found.error_log[-1].code == "damaged-compression"
    for options in ({"recovery": "strict"}, {"dialect": "leafxml"}):
        call = lambda options=options: xml5tree.parse(io.BytesIO(data), backend=backend, **options)  # noqa: E731
        assert code_of(call) in {"damaged-compression", "eof-in-tag", "eof-in-element"}


def test_without_a_module_for_zstd(monkeypatch):
    monkeypatch.setattr(unpacking, "_zstd", lambda: None)
    with pytest.raises(xml5tree.ParseError, match="it looks like zstd data; to unpack it"):
        xml5tree.parse(io.BytesIO(b"\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"))


# Encodings and hints


ENCODED = {
    "windows-1252": b"<r>\x93Caf\xe9\x94 \xe9\x94</r>",
    "after a character": b"<r>\xc3\xa9 \xe9\x94 \xe9</r>",
    "after a byte order mark": b"\xef\xbb\xbf<r>\xe9\x94</r>",
    "cut": b"<r>\xe3\x81</r>",
    "cut at the end": b"<r>\xe9\x94",
    "false mark": b"\xff\xfe<r>" + b"x" * 70 + b"\xe9\x94</r>",
    "false mark before little": b"\xfe\xff<r/>",
    "true mark": "<r>é</r>".encode("utf-16"),
    "NUL": b"\0<r/>",
    "NUL in a tag": b"<\0r/>",
}


@pytest.mark.parametrize("name", ENCODED)
def test_encodings_do_not_depend_on_chunks(name):
    data = ENCODED[name]
    found = []
    for size in (1, 2, 3, 5, len(data)):
        repairer = xml5tree.Repairer()
        markup = b"".join([*map(repairer.feed, chunks(data, size)), repairer.close()])
        found.append((markup, list(repairer.error_log), repairer.error_log.hints))
    assert all(other == found[0] for other in found)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("windows-1252", "\u201cCaf\xe9\u201d \xe9\u201d"),
        ("after a character", "\xe9 \ufffd \xe9"),
        ("after a byte order mark", "\ufffd"),
        ("cut", "\ufffd"),
        ("cut at the end", "\xe9\u201d"),
        ("false mark", "x" * 70 + "\xe9\u201d"),
        ("true mark", "\xe9"),
    ],
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_undecodable_bytes(backend, name, text):
    assert xml5tree.fromstring(ENCODED[name], backend=backend).text == text


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"<r>\xc3\xa9 \xe9\x94</r>", "encoding='windows-1252' reads them so"),
        (b"<r>\xc3\xa9 \xe9\x94 \xe3\x81</r>", ""),
        (b"<r>\x93Caf\xe9\x94</r>", ""),
        (b"<!DOCTYPE html><html><br></html>", "dialect='html' reads it as HTML"),
        (b"<!-- c -->\n<HTML><br></html>", "dialect='html' reads it as HTML"),
        (b"<html xmlns='u'><br></html>", ""),
        (b'{"a": "<b/>"}', "looks like JSON"),
        (b'[1, "<b/>"]', "looks like JSON"),
        (b"[see below] <b/>", ""),
        (b'[{"a": 1}]', "looks like JSON"),
        (b"feeds/the news.XML.gz\n", "looks like the path of a file"),
        (b"https://example.org/feed?x=1", "looks like a URL"),
        (
            b"<a/><b/>",
            "has elements after its root element, which were dropped; roots='all' keeps them in a new root",
        ),
        (b"<a/>text<!--b-->", ""),
        (b"no markup here.", ""),
        (b"news.xml <b/>", ""),
        (b"news.xml\nold.xml", ""),
        (b"<r/>", ""),
        (b"<html></html>", ""),
    ],
)
def test_hints(data, hint, tmp_path):
    for read in (xml5tree.fromstring, lambda data, parser: xml5tree.fromstringlist(chunks(data, 1), parser=parser)):
        parser = xml5tree.XMLParser()
        try:
            read(data, parser=parser)
        except xml5tree.ParseError as error:
            assert error.code == "no-root-element"
            assert hint in str(error)
            assert error.errors.hints == parser.error_log.hints
        assert len(parser.error_log.hints) == bool(hint)
        assert all(hint in str(found) for found in parser.error_log.hints)
    path = tmp_path / "document.xml"
    path.write_bytes(data)
    advice = hint.replace("encoding=", "--input-encoding ").replace("'", "")
    for option in ("dialect", "roots"):
        advice = advice.replace(f"{option}=", f"--{option} ")
    out = run_command("check", path).out
    assert advice in out
    assert hint or ("reads" not in out and "keeps" not in out)


def test_no_hint_at_html_in_html():
    pytest.importorskip("html5lib")
    parser = xml5tree.XMLParser(dialect="html")
    parser.feed(b"<!DOCTYPE html><html></p>")
    parser.close()
    assert parser.error_log
    assert parser.error_log.hints == ()


@pytest.mark.parametrize(
    "document",
    [
        b'\0<?xml version="1.0"?><r>' + b"\x01x" * 20 + b"</r>",
        b"\xef\xbb\xbf\xef\xbb\xbf<r>" + b"\x01x" * 20 + b"</r>",
        b"PAR1 <r>1</r>",
        b"$EXIT_CODE=0\n<r>1</r>",
        b"%PDF-x <r/>",
        b'{"a":"' + b"\x01" * 20 + b'"}<r/>',
    ],
)
def test_what_may_be_xml_is_not_refused(document):
    """A NUL or a mark before the markup, and text that begins as a signature or as JSON does."""
    assert xml5tree.fromstring(document).tag == "r"


def gzip_header(name=b"", comment=b"", extra=b""):
    """A gzip member of nothing with the optional fields of RFC 1952."""
    flags = 4 * bool(extra) | 8 * bool(name) | 16 * bool(comment)
    fields = [bytes([0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 255])]
    fields += [len(extra).to_bytes(2, "little") + extra] if extra else []
    fields += [field + b"\0" for field in (name, comment) if field]
    return b"".join(fields) + gzip.compress(b"", mtime=0)[10:]


def zstd_skipped(size):
    """A skippable frame of zstd, behind which there is another."""
    return zstd_of(b"") + b"\x50\x2a\x4d\x18" + size.to_bytes(4, "little") + b"x" * size + zstd_of(b"<a/>")


def zstd_of(data):
    if not unpacking.has_zstd():
        pytest.skip("zstd needs Python 3.14 or backports.zstd")
    return unpacking._zstd().compress(data)


#: Compressed data of some size that unpacks to nothing or to hardly anything.
UNPRODUCTIVE = {
    "gzip: file name": lambda n: gzip_header(name=b"x" * n),
    "gzip: comment": lambda n: gzip_header(comment=b"x" * n),
    "gzip: extra fields": lambda n: gzip_header(extra=b"x" * 60_000) * (n // 60_000),
    "gzip: members of nothing": lambda n: gzip.compress(b"") * (n // 20),
    "gzip: members of a space": lambda n: gzip.compress(b" ") * (n // 21),
    "gzip: members of 40 bytes": lambda n: gzip_header(name=b"x" * 20) * (n // 41),
    "gzip: blocks of nothing": lambda n: gzip.compress(b"")[:10] + b"\0\0\0\xff\xff" * (n // 5),
    "gzip: padding": lambda n: gzip.compress(b"<a/>") + bytes(n),
    "zstd: frames of nothing": lambda n: zstd_of(b"") * (n // 9),
    "zstd: frames of a space": lambda n: zstd_of(b" ") * (n // 10),
    "zstd: skipped frame": zstd_skipped,
    "zstd: skipped frames": lambda n: zstd_of(b"") + zstd_skipped(32) * (n // 40),
}


@pytest.mark.parametrize(("size", "make"), one_in(5, product([1000, 1 << 30], UNPRODUCTIVE.values())))
def test_no_compressed_data_takes_longer_than_markup(make, size):
    """A byte of compressed data takes no longer than one of markup that has to be repaired, whatever it unpacks to."""
    data = make(400_000)
    markup = "<a><b>&</c></a>" * 600

    def unpack(data):
        with contextlib.suppress(unpacking.UnpackedTooLarge):
            for _ in unpacking.Unpacking(chunks(data, size)):
                pass

    assert_grows_at_most(
        lambda call: call(), lambda: xml5tree.repair(markup), lambda: unpack(data), len(data) / len(markup)
    )


@each_compression
def test_number_of_members_is_limited(compress):
    members = compress(b" ") * 9_990 + compress(b"<a/>")
    assert xml5tree.parse(io.BytesIO(members)).getroot().tag == "a"
    assert code_of(lambda: xml5tree.parse(io.BytesIO(compress(b" ") * 30_000))) == "unpacked-too-large"
    large = compress(random.Random(1).randbytes(100)) * 20_000
    assert sum(map(len, unpacking.Unpacking([large]))) == 2_000_000


@each_compression
def test_what_follows_compressed_data(compress):
    """Padding is nothing; anything else is told."""
    for junk, codes in ((b"", []), (bytes(100), []), (b"junk", ["damaged-compression"])):
        parser = xml5tree.XMLParser()
        root = xml5tree.parse(io.BytesIO(compress(b"<r>x</r>") + junk), parser=parser).getroot()
        assert (root.text, [entry.code for entry in parser.error_log]) == ("x", codes)


def test_damaged_checksum_costs_nothing():
    """All text is there, though only what follows it tells that something is wrong."""
    data = bytearray(gzip.compress(b"<r>" + b"x" * 1000 + b"</r>"))
    data[-6] ^= 1
    for size in (1, 5, 1000):
        unpacked = unpacking.Unpacking(chunks(bytes(data), size))
        assert b"".join(unpacked) == b"<r>" + b"x" * 1000 + b"</r>"
        assert "damaged or cut off" in unpacked.damage


@each_compression
def test_damaged_data_without_root_says_so(compress, tmp_path):
    """Who gets no tree is told that the data is damaged, not that there is no start tag."""
    data = compress(b"<a/>")[:6] + b"\xff" * 20
    path = tmp_path / "a.xml.packed"
    path.write_bytes(data)
    for call in (
        lambda: xml5tree.parse(io.BytesIO(data)),
        lambda: xml5tree.parse(io.BytesIO(data), backend="lxml"),
        lambda: xml5tree.parse(io.BytesIO(data), recovery="strict"),
        lambda: xml5tree.parse(io.BytesIO(data), recovery="draft"),
        lambda: xml5tree.parse(io.BytesIO(data), dialect="leafxml"),
        lambda: list(xml5tree.iterparse(path)),
        lambda: xml5tree.open(path).read(),
        lambda: list(xml5tree.records(path, "a")),
    ):
        with pytest.raises(xml5tree.ParseError, match="compressed data is damaged") as raised:
            call()
        assert raised.value.code == "damaged-compression"
    for command in ("check", "repair"):
        status, out, err = run_command(command, path)
        assert status >= 2
        assert "compressed data is damaged" in out + err
        assert "start tag" not in out + err


def test_one_large_compressed_part_takes_linear_time():
    assert_scales_linearly(
        lambda data: sum(map(len, unpacking.Unpacking([data]))),
        lambda n: gzip.compress(random.Random(n).randbytes(n << 20), 0),
        2,
        factor=4,
        slack=2.2,
    )
