"""ZIP containers: what is repaired in them, and that nothing else changes."""

import io
import random
import struct
import zipfile

import pytest

import xml5tree
from xml5tree import containers
from xml5tree.unpacking import DamagedData, UnpackedTooLarge

BROKEN = b"<p>Fish & chips<br>" + b"<i>x</i>" * 50 + b"</br></p>\n"
REPAIRED = xml5tree.repair(BROKEN)
WHOLE = b"<?xml version='1.0' encoding='utf-8'?>\n<a  x='1'/>"
#: Names and contents as in an EPUB, those that are broken as BROKEN.
MEMBERS = {
    "mimetype": b"application/epub+zip",
    "META-INF/": b"",
    "META-INF/container.xml": WHOLE,
    "OEBPS/one.xhtml": BROKEN,
    "OEBPS/image.png": b"\x89PNG & <p>" * 30,
    "OEBPS/no name of XML": b'\xef\xbb\xbf <p xmlns="u">&</p>',
    "OEBPS/style.css": b"a & b < c",
    "empty.xml": b"",
    "Zoë.xml": BROKEN.replace(b"Fish", "Käse".encode()),
}


class _Pipe(io.RawIOBase):
    """A file that cannot seek: zipfile then puts data descriptors after members."""

    def __init__(self):
        self.data = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.data += data
        return len(data)


def container(members, *, method=zipfile.ZIP_DEFLATED, pipe=False, wide=False, before=b"", after=b""):
    """Return a container of members with dates, extra fields and comments."""
    file = _Pipe() if pipe else io.BytesIO(before)
    if not pipe:
        file.seek(0, io.SEEK_END)
    with zipfile.ZipFile(file, "w") as written:
        for number, (name, data) in enumerate(members.items()):
            info = zipfile.ZipInfo(name, (1999 + number, 12, 31, 23, 59, 58))
            info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else method
            info.comment = b"comment of " + name.encode()
            info.extra = struct.pack("<2H", 0xCAFE, number) + b"x" * number
            info.external_attr = 0o640 << 16
            with written.open(info, "w", force_zip64=wide and number % 3 > 0) as content:
                content.write(data)
        written.comment = b"PK and more"
    return bytes(file.data if pipe else file.getvalue()) + after


def repaired(data, **options):
    target = io.BytesIO()
    logs = containers.repair(io.BytesIO(data), target, **options)
    return target.getvalue(), logs


def mended(members):
    """Return members as they are to be after a repair."""
    xml = {name for name in members if name.endswith((".xml", ".xhtml", "XML"))}
    return {name: xml5tree.repair(data) if name in xml and data else data for name, data in members.items()}


SHAPES = [
    {},
    {"method": zipfile.ZIP_STORED},
    {"pipe": True},
    {"pipe": True, "wide": True},
    {"pipe": True, "method": zipfile.ZIP_STORED},
    {"wide": True},
    {"before": b"#!/bin/sh\nPK\x03\x04 of another program\n"},
    {"wide": True, "before": b"stub", "method": zipfile.ZIP_STORED},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("is_large", [False, True], ids=["", "large"])
def test_the_result_is_what_would_be_made_of_repaired_members(shape, is_large, monkeypatch):
    """Byte for byte: headers, extra fields, descriptors, the directory and its ends."""
    if is_large:  # the end of the directory is for ZIP64
        monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    before, expected = container(MEMBERS, **shape), container(mended(MEMBERS), **shape)
    assert before != expected
    found, logs = repaired(before)
    assert found == expected
    assert [name for name, log in logs.items() if log] == [
        *("OEBPS/one.xhtml", "OEBPS/no name of XML", "empty.xml", "Zoë.xml"),
    ]
    assert zipfile.ZipFile(io.BytesIO(found)).testzip() is None


def test_sizes_in_both_places_are_mended():
    """Python's own module put sizes in local headers and in their extra fields for ZIP64 before 3.11.4."""

    def with_both(data):
        changed = bytearray(data)
        for info in zipfile.ZipFile(io.BytesIO(data)).infolist():
            struct.pack_into("<2I", changed, info.header_offset + 18, info.compress_size, info.file_size)
        return bytes(changed)

    found, _ = repaired(with_both(container(MEMBERS, wide=True)))
    assert found == with_both(container(mended(MEMBERS), wide=True))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_container_without_errors_stays(shape):
    data = container({"a.xml": WHOLE, "b": b"&"}, **shape)
    found, logs = repaired(data)
    assert found == data
    assert logs == {"a.xml": []}


def test_descriptors_without_their_signature():
    """It is optional: APPNOTE.TXT 4.3.9.3."""
    shape = {"pipe": True, "method": zipfile.ZIP_STORED}

    def bare(data):
        return data.replace(b"PK\x07\x08", b"", 1)

    members = {"one.xml": BROKEN}
    before, after = (container(found, **shape) for found in (members, mended(members)))
    assert before.count(b"PK\x07\x08") == 1
    # The directory begins four bytes before what its end says, as if that much had stood before the container.
    found, _ = repaired(moved(bare(before)))
    assert found == moved(bare(after))


def moved(data):
    """Return a container whose directory is four bytes before the place that its end tells."""
    end = data.rindex(b"PK\x05\x06")
    place = int.from_bytes(data[end + 16 : end + 20], "little") - 4
    return data[: end + 16] + place.to_bytes(4, "little") + data[end + 20 :]


def test_members_in_another_order_than_in_the_directory():
    def swapped(data):
        start = zipfile.ZipFile(io.BytesIO(data)).start_dir
        second = data.index(b"PK\x01\x02", start + 4)
        end = data.rindex(b"PK\x05\x06")
        return data[:start] + data[second:end] + data[start:second] + data[end:]

    members = {"one.xml": BROKEN, "two.xml": BROKEN * 2}
    found, _ = repaired(swapped(container(members)))
    assert found == swapped(container(mended(members)))


def test_members_of_the_same_name():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        written.writestr(zipfile.ZipInfo("a.xml"), WHOLE)
        with pytest.warns(UserWarning, match="Duplicate name"):
            written.writestr(zipfile.ZipInfo("a.xml"), BROKEN)
    found, _ = repaired(file.getvalue())
    infos = zipfile.ZipFile(io.BytesIO(found)).infolist()
    assert [zipfile.ZipFile(io.BytesIO(found)).read(info) for info in infos] == [WHOLE, REPAIRED]


def test_options_and_logs():
    data = container({"a.xml": b"<a>&nope;<b></a>"})
    entries = []
    _, logs = repaired(data, on_error=entries.append, recovery="draft")
    assert {entry.filename for entry in entries} == {"a.xml"} == logs.keys()
    assert [*logs["a.xml"]] == entries
    with pytest.raises(TypeError, match="nope"):
        repaired(data, nope=1)


def test_paths(tmp_path):
    source, target = tmp_path / "a.zip", tmp_path / "b.zip"
    source.write_bytes(container(MEMBERS))
    assert containers.repair(source, str(target)).keys() == repaired(source.read_bytes())[1].keys()
    assert target.read_bytes() == container(mended(MEMBERS))
    with pytest.raises(ValueError, match="the source itself"):
        containers.repair(target, target)
    with pytest.raises(FileNotFoundError):
        containers.repair(tmp_path / "none", target)


def test_bombs():
    """What the XML of a container takes is bounded, that of all members together."""
    data = container({"a.xml": b"<a>" + b" " * (5 << 20), "b.xml": b"<a>" + b" " * (5 << 20), "c.bin": b" " * 10_000})
    with pytest.raises(UnpackedTooLarge, match="more than 100 times its size and more than 8 MiB"):
        repaired(data)
    assert repaired(data, max_unpacking_ratio=10_000)[1].keys() == {"a.xml", "b.xml"}
    assert repaired(data, unpacking_threshold=16 << 20)[1].keys() == {"a.xml", "b.xml"}


def test_a_bomb_that_understates_its_size():
    """No more than the stated size is unpacked."""
    data = bytearray(container({"a.xml": b"<a>" + b" " * (20 << 20)}))
    start = data.rindex(b"PK\x01\x02")
    data[start + 24 : start + 28] = (1000).to_bytes(4, "little")
    with pytest.raises(DamagedData, match=r"a\.xml: the ZIP container is damaged"):
        repaired(bytes(data))


def encrypted(data):
    data = bytearray(data)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + flags] |= 1
    return bytes(data)


def test_encrypted_members():
    with pytest.raises(DamagedData, match=r"a\.xml is encrypted"):
        repaired(encrypted(container({"a.xml": BROKEN, "b.xml": BROKEN})))
    found, logs = repaired(encrypted(container({"a": b"<?xml", "b.xml": BROKEN})))
    assert found == encrypted(container({"a": b"<?xml", "b.xml": REPAIRED}))
    assert logs.keys() == {"b.xml"}


def test_rare_compression():
    data = container({"a.xml": BROKEN}, method=zipfile.ZIP_BZIP2)
    with pytest.raises(DamagedData, match=r"a\.xml is compressed by method 12"):
        repaired(data)
    assert repaired(container({"a": WHOLE}, method=zipfile.ZIP_LZMA))[1] == {}


def test_what_is_no_container():
    for data in (b"", b"<a>", b"PK\x03\x04", container(MEMBERS)[:-40]):
        with pytest.raises(DamagedData, match="the ZIP container is damaged"):
            repaired(data)


def test_too_large_for_the_format(monkeypatch):
    monkeypatch.setattr(containers, "_IN_ZIP64", len(REPAIRED))
    with pytest.raises(OSError, match="too large for its format"):
        repaired(container({"a.xml": BROKEN}, method=zipfile.ZIP_STORED))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_damaged_containers(shape):
    """Whatever is changed in one, it is repaired or refused."""
    rng = random.Random(54)
    whole = container({"a.xml": b"<a>&</a>", "b": b"x", "c.xml": WHOLE}, **shape)
    outcomes = set()
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 1, 3])):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 255, rng.randrange(256)])
        try:
            repaired(bytes(data))
            outcomes.add("repaired")
        except DamagedData:
            outcomes.add("refused")
        except UnpackedTooLarge:
            pass
    assert outcomes == {"repaired", "refused"}
