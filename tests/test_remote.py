"""Documents at URLs: what fsspec opens, and nobody else, and only where the caller gives a URL."""

import gzip
import http.server
import json
import pickle
import socket
import subprocess
import sys
import threading
from functools import partial

import pytest
from support.commands import run_command

import xml5tree
from xml5tree import ranges, records
from xml5tree.remote import is_url, open_url, urls_at

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed (extra 'fsspec'): NOT RUN")

FEED = b"<r><item><n>1 & 2</n></item><item><n>3</n></item></r>"
ROWS = [{"n": "1 & 2"}, {"n": "3"}]


class Handler(http.server.SimpleHTTPRequestHandler):
    """Gives whole files, and by the names of others an error, less than it says, or nothing but a stream."""

    def do_GET(self):
        if "fault" in self.path:
            self.send_error(500)
        elif "cut" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", str(len(FEED)))
            self.end_headers()
            self.wfile.write(FEED[:-10])
        elif "stream" in self.path:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(FEED)
        else:
            super().do_GET()

    def do_HEAD(self):
        self.do_GET() if "stream" not in self.path else self.send_error(405)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(tmp_path):
    """The URL of a server on the loopback; its files are in `tmp_path`."""
    pytest.importorskip("aiohttp", reason="aiohttp is not installed (fsspec[http], extra 'compat'): NOT RUN")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=tmp_path)) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


@pytest.fixture
def memory():
    """A file system in memory."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


@pytest.mark.parametrize("data", [FEED, gzip.compress(FEED)], ids=["plain", "gzip"])
def test_http(server, tmp_path, data):
    (tmp_path / "feed.xml").write_bytes(data)
    url = f"{server}/feed.xml"
    found = records(url)
    assert list(map(dict, found)) == ROWS
    assert found.error_log[0].filename == url
    found.close()
    assert [dict(record) for part in ranges.split(url) for record in ranges.read(part)] == ROWS
    result = run_command("records", url)
    assert [json.loads(line) for line in result.out.splitlines()] == ROWS
    assert run_command("check", "-q", f"{url}?a=*").status == 1


def test_ranges_of_http(server, tmp_path):
    many = b"<r>" + b"".join(b"<item>%d & more</item>\n" % number for number in range(3000)) + b"</r>"
    (tmp_path / "many.xml").write_bytes(many)
    parts = ranges.split(f"{server}/many.xml", size=10_000)
    assert len(parts) > 3
    assert [record["#text"] for part in parts for record in ranges.read(part)] == [
        f"{number} & more" for number in range(3000)
    ]


@pytest.mark.parametrize(
    ("name", "is_missing", "words"), [("missing.xml", True, "there is nothing"), ("fault.xml", False, "500")]
)
def test_what_a_server_does_not_give(server, name, is_missing, words):
    url = f"{server}/{name}"
    for call in (records, ranges.split, open_url):
        with pytest.raises(OSError, match=name) as caught:
            call(url)
        assert isinstance(caught.value, FileNotFoundError) == is_missing
        assert words in str(caught.value)
    result = run_command("check", url)
    assert result.status == 3
    assert result.err.startswith(f"xml5tree: {url}: ")
    assert "Traceback" not in result.err


def test_a_response_that_breaks_off(server):
    """What has come before is read, or it is an `OSError`."""
    with pytest.raises(OSError, match="cut"):
        list(records(f"{server}/cut.xml"))


def test_a_server_that_gives_the_whole_only(server):
    url = f"{server}/stream"
    assert list(map(dict, records(url))) == ROWS
    with pytest.raises(OSError, match="stream"):
        ranges.split(url)


def test_no_server():
    pytest.importorskip("aiohttp", reason="aiohttp is not installed (fsspec[http], extra 'compat'): NOT RUN")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # a port at which nobody listens
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/x.xml"
        for call in (records, ranges.split, open_url):
            with pytest.raises(ConnectionError, match=r"cannot be read: .*onnect"):
                call(url)
        result = run_command("check", url)
    assert result.status == 3
    assert "onnect" in result.err
    assert "there is nothing" not in result.err


def test_memory(memory):
    memory.pipe({"/feeds/a.xml": FEED, "/feeds/b.xml": FEED, "/feeds/c.txt": b"<r/>"})
    assert urls_at("memory://feeds/*.xml") == ["memory:///feeds/a.xml", "memory:///feeds/b.xml"]
    assert urls_at("memory://feeds/a.xml") == ["memory://feeds/a.xml"]
    with pytest.raises(FileNotFoundError):
        urls_at("memory://feeds/*.none")
    assert list(map(dict, records("memory://feeds/a.xml"))) == ROWS
    parts = ranges.split(["memory://feeds/a.xml", "memory://feeds/b.xml"])
    assert [dict(record) for part in parts for record in ranges.read(part)] == ROWS * 2


def test_tables_of_urls(memory, tmp_path):
    pytest.importorskip("pyarrow")
    memory.pipe({"/a.xml": FEED, "/b.xml": FEED})
    (tmp_path / "c.xml").write_bytes(FEED)
    table = xml5tree.read_table("memory://*.xml", file_column="file")
    assert table["n"].to_pylist() == ["1 & 2", "3"] * 2
    assert table["file"].to_pylist() == ["memory:///a.xml"] * 2 + ["memory:///b.xml"] * 2
    table = xml5tree.read_table(["memory://a.xml", str(tmp_path / "c.xml"), (tmp_path / "c.xml").as_uri()])
    assert table.num_rows == 6


def test_files_by_url(tmp_path):
    path = tmp_path / "a b%.xml"
    path.write_bytes(FEED)
    assert list(map(dict, records(path.as_uri()))) == ROWS
    assert run_command("records", path.as_uri()).out.count("\n") == 2
    result = run_command("check", "--format", "json", path.as_uri())
    assert path.as_uri() in result.out
    assert run_command("repair", "--in-place", path.as_uri()).status == 3


def test_schemes_that_there_are_not():
    for call in (records, ranges.split):
        with pytest.raises(ValueError, match="nobody-knows-it"):
            call("nobody-knows-it://x/y.xml")
    result = run_command("check", "nobody-knows-it://x/y.xml", "nobody-knows-it://x/*.xml")
    assert result.status == 3
    assert result.err.count("nobody-knows-it") >= 2


def test_what_a_file_system_raises_is_an_error_of_files(memory, monkeypatch):
    def fail(*arguments, **options):
        raise RuntimeError("no credentials")

    memory.pipe("/a.xml", FEED)
    found = records("memory://a.xml")
    monkeypatch.setattr("fsspec.implementations.memory.MemoryFile.read", fail, raising=False)
    monkeypatch.setattr("fsspec.implementations.memory.MemoryFileSystem.open", fail)
    for call in (lambda: list(found), lambda: records("memory://a.xml")):
        with pytest.raises(OSError, match=r"memory://a\.xml cannot be read: no credentials"):
            call()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("s3://bucket/key.xml", True),
        ("simplecache::https://a/b.xml", True),
        ("HTTP://a", True),
        ("a.xml", False),
        ("C:\\a.xml", False),
        ("C://a.xml", False),
        ("://a", False),
        (" http://a", False),
        ("dir/http://a", False),
        ("<a>http://a</a>", False),
        (b"http://a", False),
        (None, False),
    ],
)
def test_what_is_a_url(source, expected):
    assert is_url(source) is expected


def test_nothing_else_takes_urls_or_imports_fsspec(tmp_path):
    """A path never is one, and no URL that a document names is opened: fsspec is not even imported."""
    path = tmp_path / "a.xml"
    path.write_text(
        "<!DOCTYPE r SYSTEM 'memory://a.dtd' [<!ENTITY e SYSTEM 'memory://b'>]><?xml-stylesheet href='memory://c'?>"
        "<r xmlns:i='http://www.w3.org/2001/XInclude'><item>&e;<i:include href='memory://d'/></item>"
    )
    code = """if True:
        import sys
        import xml5tree
        from xml5tree import ranges
        path = sys.argv[1]
        list(xml5tree.records(path)), [list(ranges.read(part)) for part in ranges.split(path)]
        xml5tree.parse(path), list(xml5tree.iterparse(path)), xml5tree.open(path).read()
        for function in (xml5tree.parse, xml5tree.iterparse, xml5tree.open):
            try:
                function("memory://a.xml")
            except FileNotFoundError:
                pass
            else:
                raise AssertionError(function)
        assert "fsspec" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code, path], check=True)


def test_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ImportError, match=r"pip install 'xml5tree\[fsspec\]'"):
        records("memory://a.xml")
    result = run_command("check", "memory://a.xml")
    assert result.status == 3
    assert "pip install 'xml5tree[fsspec]'" in result.err


def test_what_fsspec_cannot_open_pyarrow_may(monkeypatch):
    """File systems of pyarrow are there for schemes that fsspec needs a package for."""
    fs = pytest.importorskip("pyarrow.fs")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    system = fs.FileSystem.from_uri("mock:///")[0]
    with system.open_output_stream("a.xml") as file:
        file.write(FEED)

    class FileSystem:
        @staticmethod
        def from_uri(url):
            assert url == "mock:///a.xml"
            return system, "a.xml"

    monkeypatch.setattr("pyarrow.fs.FileSystem", FileSystem)
    assert list(map(dict, records("mock:///a.xml"))) == ROWS


def test_the_options_of_a_file_system(monkeypatch):
    """``s3://`` is what the caller's own s3fs makes of it: here, a file system in memory that wants credentials."""
    from support.buckets import OPTIONS, put_into_bucket

    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra 'arrow'): NOT RUN")
    put_into_bucket(monkeypatch, "bucket/a.xml", FEED)
    put_into_bucket(monkeypatch, "bucket/b.xml.gz", gzip.compress(FEED))
    url, given = "s3://bucket/a.xml", {"storage_options": OPTIONS}
    assert [dict(record) for record in records(url, **given)] == ROWS
    assert [dict(record) for record in records("s3://bucket/b.xml.gz", **given)] == ROWS
    parts = ranges.split(url, size=20, **given)
    assert len(parts) > 1
    assert [dict(record) for part in pickle.loads(pickle.dumps(parts)) for record in ranges.read(part)] == ROWS
    assert "sesame" not in repr(parts)
    table = xml5tree.read_table("s3://bucket/*.xml*", file_column="file", **given)
    assert table["n"].to_pylist() == ["1 & 2", "3"] * 2
    assert table["file"].to_pylist() == [url] * 2 + ["s3://bucket/b.xml.gz"] * 2
    assert [batch.num_rows for batch in xml5tree.record_batches([url, "s3://bucket/b.xml.gz"], **given)] == [2, 2]
    for call in (records, xml5tree.read_table, ranges.split):
        with pytest.raises(OSError, match="no credentials"):
            call(url)


def test_options_of_a_file_system_for_what_is_no_url(tmp_path):
    path = tmp_path / "a.xml"
    path.write_bytes(FEED)
    for call in (records, xml5tree.read_table, ranges.split):
        with pytest.raises(ValueError, match="storage_options are for URLs"):
            call(str(path), storage_options={"key": "me"})


def test_options_of_a_file_system_are_never_ignored(monkeypatch):
    """pyarrow, which opens URLs where fsspec cannot, would not take them."""
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ImportError, match="needs one more package"):
        records("s3://bucket/a.xml", storage_options={"key": "me"})
