"""Callers are told how far a source has been read, wherever it is read step by step."""

import gzip
import io
from importlib.util import find_spec
from unittest import mock

import pytest
from support.cases import each_case

import xml5tree
from xml5tree import documents, progress
from xml5tree.documents import OwnFile
from xml5tree.progress import Meter, Progress

DOCUMENT = b"<items>" + b"<item><n>1</n> & </item>" * 3_000 + b"</items>"
ALL = len(DOCUMENT)


def by_records(source, **options):
    return len(list(xml5tree.records(source, **options)))


def by_batches(source, **options):
    return sum(batch.num_rows for batch in xml5tree.record_batches(source, **options))


def by_table(source, **options):
    return xml5tree.read_table(source, **options).num_rows


def by_frame(source, **options):
    return len(xml5tree.read_frame(source, **options))


def by_events(source, **options):
    for _ in xml5tree.iterparse(source, **options):
        pass
    return 0


def by_roots(source, **options):
    for _ in xml5tree.iterroots(source, **options):
        pass
    return 0


def by_open(source, **options):
    with xml5tree.open(source, **options) as file:
        file.read()
    return 0


DOORS = {
    "records": by_records,
    "record_batches": by_batches,
    "read_table": by_table,
    "read_frame": by_frame,
    "iterparse": by_events,
    "iterroots": by_roots,
    "open": by_open,
}
NEEDED = {"record_batches": "pyarrow", "read_table": "pyarrow", "read_frame": "pandas"}


def made(name, door):
    needed = NEEDED.get(name)
    is_missing = needed is not None and find_spec(needed) is None
    return pytest.param(door, id=name, marks=pytest.mark.skipif(is_missing, reason=f"{needed} is not installed"))


each_door = pytest.mark.parametrize("door", [made(*item) for item in DOORS.items()])


def path_of(document, folder):
    path = folder / "x.xml"
    path.write_bytes(document)
    return path


SOURCES = {
    "path": (path_of, ALL),
    "file": (lambda document, folder: OwnFile(path_of(document, folder)), ALL),
    "bytes": (lambda document, folder: document, ALL),
    "stream": (lambda document, folder: io.BytesIO(document), None),
    "chunks": (lambda document, folder: iter([document]), None),
}


@pytest.fixture
def always():
    """Every block is worth a call, and small."""
    with mock.patch.multiple(progress, _INTERVAL=0, _BLOCK=1 << 13):
        yield


@pytest.mark.usefixtures("always")
@each_door
@pytest.mark.parametrize(("make", "size"), SOURCES.values(), ids=SOURCES)
def test_what_is_told(door, make, size, tmp_path):
    told = []
    count = door(make(DOCUMENT, tmp_path), recovery="draft", on_progress=told.append)
    assert len(told) > 3
    assert {one.size for one in told} == {size}
    assert told[-1].read == ALL
    assert told[-1].errors == 3_000
    assert told[-1].records == count
    for name in ("read", "errors", "records"):
        numbers = [getattr(one, name) for one in told]
        assert numbers == sorted(numbers)
    halfway = next(one for one in told if one.read > ALL // 2)
    assert halfway.errors > 1_000
    assert halfway.records >= (1_000 if count else 0)


@pytest.mark.usefixtures("always")
def test_bytes_of_a_packed_file_are_those_of_the_file(tmp_path):
    packed = gzip.compress(DOCUMENT)
    told = []
    list(xml5tree.records(path_of(packed, tmp_path), on_progress=told.append))
    assert {(one.name, one.size) for one in told} == {(str(tmp_path / "x.xml"), len(packed))}
    assert told[-1].read == len(packed)


@each_door
def test_few_calls(door):
    """As many as there are tenths of a second, and the last one."""
    told = []
    with (
        mock.patch.object(progress.time, "monotonic", side_effect=(at / 100 for at in range(1000))),
        mock.patch.object(progress, "_BLOCK", 1 << 10),
    ):
        door(DOCUMENT, recovery="draft", on_progress=told.append)
    blocks = -(-ALL // (1 << 10))
    assert blocks // 20 < len(told) <= blocks // 10 + 1


@pytest.mark.usefixtures("always")
@each_door
@pytest.mark.parametrize("document", [DOCUMENT, DOCUMENT.replace(b"&", b"x")], ids=["broken", "well-formed"])
@pytest.mark.parametrize("make", [path_of, lambda document, folder: document], ids=["path", "bytes"])
@each_case("options", [{}, {"recovery": "draft"}])
def test_an_exception_ends_the_reading(door, document, make, options, tmp_path):
    told = []

    def stop(one):
        told.append(one)
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        door(make(document, tmp_path), on_progress=stop, **options)
    assert len(told) == 1


@each_door
def test_what_cannot_be_called(door, tmp_path):
    """It leaves no file open."""
    files = []

    def opened(path):
        files.append(OwnFile(path))
        return files[-1]

    with (
        mock.patch.object(documents, "OwnFile", opened),
        pytest.raises(TypeError, match="on_progress must be callable, not int"),
    ):
        door(path_of(DOCUMENT, tmp_path), on_progress=3)
    assert {file.closed for file in files} <= {True}


def test_nothing_is_told_of_a_document_that_is_left(tmp_path):
    told = []
    with xml5tree.records(path_of(DOCUMENT, tmp_path), on_progress=told.append) as found:
        next(found)
    assert told == []


@each_case("parts", [[b"x" * 10], [b"x"] * 10, ["é" * 10], [b""], []])
def test_a_meter_alone(parts):
    told = []
    meter = Meter(told.append, "x")
    meter.found = lambda: (3, 4)
    assert list(meter.over(parts, 12)) == parts
    meter.finish()
    meter.finish()
    assert told == [Progress("x", sum(map(len, parts)), 12, 3, 4)]
