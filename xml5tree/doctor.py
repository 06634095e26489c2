"""A report on the installation."""

import codecs
import importlib.metadata
import importlib.util
import locale
import platform
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

import xml5tree
from xml5tree import accelerator

#: The packages that parts of the library need or use, by their names in the index.
_PACKAGES: Final = ("click", "html5lib", "pyarrow", "pyspark", "backports.zstd")

#: Encodings of documents that every complete Python reads, one of each of its families of codecs.
_ENCODINGS: Final = (
    *["utf-8", "utf-16", "utf-32", "iso8859-1", "windows-1252", "cp037", "koi8-r", "mac-roman"],
    *["big5", "euc-jp", "euc-kr", "gb18030", "iso2022-jp", "shift-jis"],
)

_DOCUMENT: Final = b"<a>1 & 2<b c=3>"


def report() -> str:
    """Return lines about the installation, for a report of a fault."""
    return "\n".join(f"{name}: {found}" for name, found in examine())


def examine() -> Iterator[tuple[str, str]]:
    """Yield names and findings about the installation; raise nothing."""
    yield "xml5tree", f"{xml5tree.__version__} in {Path(xml5tree.__file__).parent}"
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    lock = "with the global lock" if has_lock else "without a global lock"
    yield "Python", f"{platform.python_implementation()} {sys.version}; {lock}"
    yield "system", f"{platform.platform()}, {sysconfig.get_platform()}"
    yield "accelerated", "yes" if xml5tree.accelerated else f"no, so it reads 2 to 4 MB/s: {accelerator.why_pure}"
    yield "expat", ".".join(map(str, expat.version_info))
    yield "lxml", _lxml()
    for name in _PACKAGES:
        yield name, _version(name)
    yield "encodings", ", ".join(_unknown_encodings()) or "all"
    output = getattr(sys.stdout, "encoding", None) or "unknown"
    yield "texts", f"file names {sys.getfilesystemencoding()}, locale {locale.getencoding()}, output {output}"
    for backend in ("etree", "lxml"):
        yield f"a tree of {backend}", _first_tree(backend)


def _lxml() -> str:
    try:
        from xml5tree.backends.lxml import versions
    except ImportError as error:
        return f"cannot be imported: {error}"
    return versions()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _unknown_encodings() -> Iterator[str]:
    for name in _ENCODINGS:
        try:
            codecs.lookup(name)
        except LookupError:
            yield f"{name} is missing"


def _first_tree(backend: str) -> str:
    try:
        parser: xml5tree.XMLParser[Any] = xml5tree.XMLParser(backend=backend)
        root = xml5tree.fromstring(_DOCUMENT, parser=parser)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    found = root.tag, root.text, root[0].attrib["c"], parser.error_log[0].code
    is_right = found == ("a", "1 & 2", "3", "unescaped-ampersand")
    return "works" if is_right else f"is wrong: {found}"
