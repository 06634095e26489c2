"""What newer versions of Python check, or say on standard error: older ones are made to do so."""

import gzip
import io
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.cases import one_in

import xml5tree
import xml5tree.ElementTree
from xml5tree.backends import etree

ROOT = Path(xml5tree.__file__).parents[1]


def run_strictly(*arguments, folder=None):
    """Run Python, which says on standard error what went wrong in finalizers and what was not closed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    call = [sys.executable, "-X", "dev", "-W", "error", *arguments]
    done = subprocess.run(call, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


#: Calls that fail before there is anything to close, or to read.
FAILING = {
    "open, markup": "xml5tree.open('<a/>')",
    "open, no file": "xml5tree.open('no-such-file')",
    "open, spool": "xml5tree.open('no-such-file', spool=True)",
    "open, folder": "xml5tree.open('.')",
    "open, option": "xml5tree.open(__file__, nope=1)",
    "open, value": "xml5tree.open(__file__, max_depth='x')",
    "parse": "xml5tree.parse('<a/>')",
    "parse, folder": "xml5tree.parse('.')",
    "parse, option": "xml5tree.parse(__file__, nope=1)",
    "iterparse": "next(iter(xml5tree.iterparse('<a/>')))",
    "iterparse, option": "next(iter(xml5tree.iterparse(__file__, nope=1)))",
    "iterroots": "next(iter(xml5tree.iterroots('<a/>')))",
    "records": "next(xml5tree.records('<a/>', 'a'))",
    "records, option": "next(xml5tree.records(__file__, 'a', nope=1))",
    "drop-in": "xml5tree.ElementTree.parse('<a/>')",
    "drop-in, events": "next(iter(xml5tree.ElementTree.iterparse('<a/>')))",
    "drop-in, canonicalize": "xml5tree.ElementTree.canonicalize(from_file='<a/>')",
    "ranges": "xml5tree.ranges.split('<a/>')",
}


def test_what_is_half_made_is_closed_silently(tmp_path):
    """Python 3.13 tells of exceptions in finalizers without being asked."""
    program = tmp_path / "program.py"
    program.write_text(
        f"""if True:
        import gc, xml5tree, xml5tree.ElementTree, xml5tree.ranges
        for name, call in {FAILING!r}.items():
            try:
                eval(call)
            except Exception:
                pass
            else:
                print(name, "raises nothing")
            gc.collect()
        """,
        "utf-8",
    )
    assert run_strictly(str(program), folder=tmp_path) == (0, "", "")


@pytest.mark.parametrize("use", ["read()", "read(3)", "readline()", "seek(5)"])
def test_repaired_files_still_close_what_they_opened(use, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<a>x & y<b>", "utf-8")
    code = f"import gc, xml5tree; file = xml5tree.open({str(path)!r}); file.{use}; file.seek(0); print(file.read(2))"
    assert run_strictly("-c", f"{code}; del file; gc.collect()") == (0, "b'<a'\n", "")


COMPRESSIONS = {"gzip": gzip.compress, "zstd": lambda data: pytest.importorskip("backports.zstd").compress(data)}


WAYS = [("--in-place",), ("--in-place", "--force"), ("--output", "out"), ("--diff",)]


@pytest.mark.parametrize("arguments", one_in(2, WAYS))
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_commands_close_damaged_files(arguments, compression, tmp_path):
    """Where nothing is replaced, no compressed data is left to be written."""
    text = "".join(f"<a>x & {os.urandom(9).hex()}</a>\n" for _ in range(9999))
    data = COMPRESSIONS[compression](f"<r>{text}</r>".encode())
    name = {"gzip": "a.xml.gz", "zstd": "a.xml.zst"}[compression]
    (tmp_path / name).write_bytes(data[: len(data) // 2])
    status, _, errors = run_strictly("-m", "xml5tree", "repair", *arguments, name, folder=tmp_path)
    assert status == 3, errors
    assert all(line.startswith("xml5tree: ") for line in errors.splitlines()), errors
    if arguments == ("--in-place",):
        assert os.listdir(tmp_path) == [name]
        assert (tmp_path / name).read_bytes() == data[: len(data) // 2]


class Checked(ET.ElementTree):
    """A tree that checks its root as in Python 3.14."""

    def __init__(self, element=None, file=None):
        if element is not None and not ET.iselement(element):
            raise TypeError(f"expected an Element, not {type(element).__name__}")
        super().__init__(element, file)

    def _setroot(self, element):
        if not ET.iselement(element):
            raise TypeError(f"expected an Element, not {type(element).__name__}")
        super()._setroot(element)


class Target:
    def __init__(self, result):
        self.result = result

    def start(self, tag, attributes): ...
    def end(self, tag): ...
    def data(self, data): ...

    def close(self):
        return self.result


@pytest.mark.parametrize("result", ["text", "", None, 1, [ET.Element("a")], ET.Element("a")])
@pytest.mark.parametrize("document", [b"<a/>", b"<a>&<b>"])
def test_results_of_targets_are_no_elements(result, document, monkeypatch):
    monkeypatch.setattr(ET, "ElementTree", Checked)
    assert etree.ET.ElementTree is Checked
    parser = xml5tree.XMLParser(target=Target(result))
    assert xml5tree.parse(io.BytesIO(document), parser=parser).getroot() is result
    drop_in = xml5tree.ElementTree.XMLParser(target=Target(result))
    assert xml5tree.ElementTree.parse(io.BytesIO(document), drop_in).getroot() is result


def test_the_drop_in_uses_nothing_deprecated():
    """Python 3.15 warns of `VERSION`, which is no longer among the module's public names."""
    code = """if True:
        import warnings, xml.etree.ElementTree as standard
        vars(standard).pop("VERSION", None)
        if "VERSION" in standard.__all__:
            standard.__all__.remove("VERSION")
        def __getattr__(name):
            if name == "VERSION":
                warnings.warn("VERSION is deprecated", DeprecationWarning, stacklevel=2)
                return "1.3.0"
            raise AttributeError(name)
        standard.__getattr__ = __getattr__
        import xml5tree.ElementTree as drop_in
        from xml5tree.ElementTree import *
        assert "VERSION" not in drop_in.__all__
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            print(drop_in.VERSION, len(found))
    """
    assert run_strictly("-c", code) == (0, "1.3.0 1\n", "")
    assert ("VERSION" in xml5tree.ElementTree.__all__) == ("VERSION" in ET.__all__)
