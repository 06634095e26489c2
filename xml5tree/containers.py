"""ZIP containers such as EPUB, DOCX and ODT: repairs the XML in them, and changes no other byte."""

import errno
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final, NamedTuple, Unpack
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.options import Options, when_pulled, without_files
from xml5tree.parser import Repairer
from xml5tree.sources import one_document
from xml5tree.unpacking import UNPACKING_RATIO, UNPACKING_THRESHOLD, DamagedData, UnpackedTooLarge

__all__ = ["Container", "Content", "is_container", "repair"]

_BLOCK: Final = 1 << 16
#: Bytes of a member that tell whether it is XML, if its name does not.
_HEAD: Final = 1024
_IN_MEMORY: Final = 1 << 20
#: The ends of the names of XML in containers. Other members are XML if they begin so.
_NAMES_OF_XML: Final = (".xml", ".rels", ".opf", ".ncx", ".xhtml", ".svg", ".vml", ".rdf", ".kml", ".smil")
_ENCRYPTED: Final = 0x01
_HAS_DESCRIPTOR: Final = 0x08
#: Fixed sizes of headers (APPNOTE.TXT 4.3), and where in them are the CRC, which the sizes follow, and the sizes of
#: the name and the extra fields.
_LOCAL: Final = (30, 14, 26)
_CENTRAL: Final = (46, 16, 28)
_OFFSET: Final = 42
_END: Final = struct.Struct("<4s4H2IH")
_END_64: Final = (56, 48)
_LOCATOR: Final = struct.Struct("<4sIQI")
_MAX_COMMENT: Final = 0xFFFF
#: In a field of 32 bits: the value is in the extra field for ZIP64, which has this number.
_IN_ZIP64: Final = 0xFFFFFFFF
_ZIP64: Final = 1
#: What zipfile and zlib raise for damaged containers.
_DAMAGES: Final = (BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError, struct.error)


class _Facts(NamedTuple):
    """The facts about a member that change with its content."""

    crc: int
    packed: int
    size: int


class _Splice(NamedTuple):
    """A replacement of the bytes from `begin` to `end`, whose parts come from `parts`."""

    begin: int
    end: int
    parts: "bytes | IO[bytes]"


class Content:
    """New content of a member; `write` takes its parts."""

    def __init__(self, member: ZipInfo) -> None:
        self._packing = zlib.compressobj(wbits=-zlib.MAX_WBITS) if member.compress_type == ZIP_DEFLATED else None
        self.file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed by `close`)
        self._crc = self._size = 0

    def write(self, data: bytes) -> None:
        self._crc = zlib.crc32(data, self._crc)
        self._size += len(data)
        self.file.write(data if self._packing is None else self._packing.compress(data))

    def facts(self) -> _Facts:
        """End the content; return what is to be known about it."""
        if self._packing is not None:
            self.file.write(self._packing.flush())
            self._packing = None
        return _Facts(self._crc, self.file.tell(), self._size)

    def close(self) -> None:
        self.file.close()


class Container:
    """A ZIP container in a seekable file; `members` are those that are XML, by name or by their first bytes."""

    def __init__(self, file: IO[bytes], *, ratio: int = UNPACKING_RATIO, threshold: int = UNPACKING_THRESHOLD) -> None:
        """Read the directory.

        Raises `DamagedData` for what is no container, and `UnpackedTooLarge` if the XML in it takes more than
        `threshold` bytes and more than `ratio` times those of the container.
        """
        self._file = file
        with _damage(""):
            self._zip: Any = ZipFile(file)
            self._size = file.seek(0, os.SEEK_END)
            self.members = [info for info in self._zip.infolist() if self._is_xml(info)]
        if sum(info.file_size for info in self.members) > max(threshold, ratio * self._size):
            raise UnpackedTooLarge(
                f"the XML in the container unpacks to more than {ratio} times its size and more than "
                f"{threshold >> 20} MiB; unpack it with another program if it can be trusted"
            )

    def blocks(self, member: ZipInfo) -> Iterator[bytes]:
        """Yield the content of a member; raise `DamagedData` if it is damaged, encrypted or packed in a rare way."""
        if member.flag_bits & _ENCRYPTED:
            raise DamagedData(f"{member.filename} is encrypted")
        if member.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            raise DamagedData(f"{member.filename} is compressed by method {member.compress_type}, which is not read")
        with _damage(f"{member.filename}: "), self._zip.open(member) as content:
            while block := content.read(_BLOCK):
                yield block

    def _is_xml(self, info: ZipInfo) -> bool:
        name = info.filename.lower()
        if name.endswith(_NAMES_OF_XML):
            return True
        if info.flag_bits & _ENCRYPTED or info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            return False
        try:
            with self._zip.open(info) as content:
                head = content.read(_HEAD).replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")
        except (*_DAMAGES, zlib.error):
            return False
        return head.startswith(b"<?xml") or (head.startswith(b"<") and b" xmlns" in head)

    def rewritten(self, contents: Mapping[int, Content]) -> Iterator[bytes]:
        """Yield the container with new contents of members, whose keys are their numbers in `members`.

        Raises `DamagedData` if the container is not built as its directory says.
        """
        with _damage(""):
            splices = self._splices({id(self.members[number]): content for number, content in contents.items()})
        place = 0
        for splice in splices:
            yield from self._copy(place, splice.begin)
            if isinstance(splice.parts, bytes):
                yield splice.parts
            else:
                splice.parts.seek(0)
                yield from iter(lambda file=splice.parts: file.read(_BLOCK), b"")  # type: ignore[misc]
            place = splice.end
        yield from self._copy(place, self._size)

    def _copy(self, begin: int, end: int) -> Iterator[bytes]:
        while begin < end:
            self._file.seek(begin)
            block = self._file.read(min(_BLOCK, end - begin))
            if not block:
                raise DamagedData("the container has become shorter while it was read")
            yield block
            begin += len(block)

    def _read(self, begin: int, size: int) -> bytearray:
        return bytearray(b"".join(self._copy(begin, begin + size)))

    def _splices(self, contents: Mapping[int, Content]) -> list[_Splice]:
        """Return the changes of the container in order; `contents` are by the identity of their members."""
        splices: list[_Splice] = []
        moves: list[tuple[int, int]] = []  # places after which everything is moved, and by how much
        central = self._zip.start_dir
        old = {id(info): _Facts(info.CRC, info.compress_size, info.file_size) for info in self._zip.infolist()}
        new = {key: content.facts() for key, content in contents.items()}
        for info in sorted(self._zip.infolist(), key=lambda info: info.header_offset):
            if (key := id(info)) not in contents:
                continue
            begin = info.header_offset
            if splices and begin < splices[-1].end:
                raise BadZipFile("members overlap")
            header = self._header(begin, _LOCAL)
            _patch(header, _LOCAL, old[key], new[key])
            data = begin + len(header)
            end = data + info.compress_size
            splices += (_Splice(begin, data, bytes(header)), _Splice(data, end, contents[key].file))
            if info.flag_bits & _HAS_DESCRIPTOR:
                descriptor = self._descriptor(end, old[key], new[key])
                splices.append(_Splice(end, end + len(descriptor), descriptor))
            moves.append((begin, new[key].packed - info.compress_size))
            if splices[-1].end > central:
                raise BadZipFile("a member is behind the directory")

        def moved(place: int) -> int:
            return sum(by for begin, by in moves if begin < place)

        entries = bytearray()
        place = central
        for info in self._zip.infolist():
            header = self._header(place, _CENTRAL)
            place += len(header)
            key = id(info)
            _patch(header, _CENTRAL, old[key], new.get(key, old[key]), moved(info.header_offset))
            entries += header
        if moves:
            splices.append(_Splice(central, place, bytes(entries)))
            splices += self._ends(place, central, moved(central))
        return splices

    def _header(self, place: int, layout: tuple[int, int, int]) -> bytearray:
        """Return a header with its name, extra fields and comment."""
        size, _, names = layout
        fixed = self._read(place, size)
        if fixed[:2] != b"PK":
            raise BadZipFile("a header is not where the directory says")
        more = sum(struct.unpack_from("<2H" if layout is _LOCAL else "<3H", fixed, names))
        return fixed + self._read(place + size, more)

    def _descriptor(self, place: int, old: _Facts, new: _Facts) -> bytes:
        """Return the data descriptor after a member's content, with the new facts."""
        found = bytes(self._read(place, min(24, self._size - place)))
        for form in ("<4x3I", "<3I", "<4xI2Q", "<I2Q"):
            signature = found[: 4 * ("x" in form)]
            fits = signature in {b"", b"PK\x07\x08"} and struct.calcsize(form) <= len(found)
            if fits and struct.unpack_from(form, found) == old:
                return signature + struct.pack(form.replace("4x", ""), *new)
        raise BadZipFile("a data descriptor is not that of its member")

    def _ends(self, place: int, central: int, by: int) -> Iterator[_Splice]:
        """Yield the changes of the records after the directory that say where it is; everything there moves."""
        start = max(place, self._size - _END.size - _MAX_COMMENT)
        tail = self._read(start, self._size - start)
        end = tail.rfind(b"PK\x05\x06")
        if end < 0:
            raise BadZipFile("there is no end of the directory")
        record = _END.unpack_from(tail, end)
        ahead = start + end - _LOCATOR.size  # of the record, in the container
        if ahead >= place and (locator := self._read(ahead, _LOCATOR.size)).startswith(b"PK\x06\x07"):
            signature, disk, told, disks = _LOCATOR.unpack(locator)
            size, at = _END_64
            begin = ahead - size
            found = self._read(begin, size)
            if not found.startswith(b"PK\x06\x06"):
                raise BadZipFile("the end of the directory for ZIP64 is not before its locator")
            found[at:] = (int.from_bytes(found[at:], "little") + by).to_bytes(8, "little")
            yield _Splice(begin, ahead, bytes(found))
            yield _Splice(ahead, start + end, _LOCATOR.pack(signature, disk, told + by, disks))
        if record[6] != _IN_ZIP64:
            patched = _END.pack(*record[:6], _fitting(record[6] + by), record[7])
            yield _Splice(start + end, start + end + _END.size, patched)


def _patch(header: bytearray, layout: tuple[int, int, int], old: _Facts, new: _Facts, moved: int = 0) -> None:
    """Put new facts in place of the old ones in a header; in the directory, also add `moved` to the member's place."""
    size, crc, names = layout
    if int.from_bytes(header[crc : crc + 4], "little") == old.crc:  # else there is a data descriptor
        header[crc : crc + 4] = new.crc.to_bytes(4, "little")
    name, extra = struct.unpack_from("<2H", header, names)
    wide, end = _zip64_field(header, size + name, size + name + extra)
    # In this order, the extra field for ZIP64 has those that do not fit.
    fields = [(crc + 8, old.size, new.size), (crc + 4, old.packed, new.packed)]
    for at, before, after in [*fields, (_OFFSET, -1, moved)] if layout is _CENTRAL else fields:
        places = [(at, 4)]
        is_wide = header[at : at + 4] == _IN_ZIP64.to_bytes(4, "little")
        if (is_wide or layout is _LOCAL) and wide + 8 <= end:
            # Python's own module puts sizes in both before 3.11.4.
            places = [(wide, 8)] if is_wide else [(at, 4), (wide, 8)]
            wide += 8
        for place, width in places:
            value = int.from_bytes(header[place : place + width], "little")
            if before < 0:
                before, after = value, value + moved
            if value == before:
                header[place : place + width] = (_fitting(after) if width == 4 else after).to_bytes(width, "little")


def _zip64_field(header: bytearray, begin: int, end: int) -> tuple[int, int]:
    """Return the begin and end of the data of the extra field for ZIP64, among extra fields; equal if there is none."""
    while begin + 4 <= end:
        number, size = struct.unpack_from("<2H", header, begin)
        if number == _ZIP64:
            return begin + 4, min(begin + 4 + size, end)
        begin += 4 + size
    return end, end


def _fitting(value: int) -> int:
    if value >= _IN_ZIP64:
        raise OSError(errno.EFBIG, "the repaired container would be too large for its format")
    return value


@contextmanager
def _damage(name: str) -> Iterator[None]:
    """Turn what zipfile and zlib raise into `DamagedData` with a message that begins with a name."""
    try:
        yield
    except (*_DAMAGES, zlib.error) as error:
        raise DamagedData(f"{name}the ZIP container is damaged ({error})") from error


def is_container(path: str | os.PathLike[str]) -> bool:
    """Return whether the file at a path begins as a ZIP container."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except (OSError, ValueError):
        return False


def repair(
    source: "str | os.PathLike[str] | IO[bytes] | bytes | bytearray | memoryview",
    target: "str | os.PathLike[str] | IO[bytes]",
    **options: Unpack[Options],
) -> dict[str, ErrorLog | ParseError]:
    """Write a ZIP container with repaired XML; return the logs of its members that are XML, by name.

    Every byte stays but of members with errors. A member without a tree stays, too, and has its `ParseError` in place
    of a log.

    Args:
        source: a path, a seekable binary file, or bytes.
        target: another path, or a binary file.
        **options: see `xml5tree.options.Settings`.

    Raises what `xml5tree.repair` raises, and `OSError` for what cannot be read, such as encrypted XML, or written.
    """
    ratio = options.get("max_unpacking_ratio", UNPACKING_RATIO)
    threshold = options.get("unpacking_threshold", UNPACKING_THRESHOLD)
    logs: dict[str, ErrorLog | ParseError] = {}
    contents: dict[int, Content] = {}
    with ExitStack() as stack:
        file: Any = one_document(source, "containers.repair")
        if isinstance(file, list):
            file = BytesIO(b"".join(file))
        elif isinstance(file, str | os.PathLike):
            if isinstance(target, str | os.PathLike) and os.path.exists(target) and os.path.samefile(file, target):
                raise ValueError("the target is the source itself; write to another file, and rename that")
            file = stack.enter_context(open(file, "rb"))
        container = Container(file, ratio=ratio, threshold=threshold)
        for number, member in enumerate(container.members):
            named: Options = {**when_pulled(without_files(options)), "filename": member.filename}
            repairer = Repairer(**named)
            try:
                markup = repairer.repair_whole(b"".join(container.blocks(member)))
            except ParseError as error:
                logs[member.filename] = error
                continue
            logs[member.filename] = repairer.error_log
            if repairer.error_log.total:
                content = contents[number] = Content(member)
                stack.callback(content.close)
                assert isinstance(markup, bytes)
                content.write(markup)
        parts = container.rewritten(contents)
        first = next(parts)  # what is built otherwise than expected is found before the target is opened
        if isinstance(target, str | os.PathLike):
            target = stack.enter_context(open(target, "wb"))
        target.write(first)
        for part in parts:
            target.write(part)
    return logs
