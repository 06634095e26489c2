"""The compiled scan: what it is made of, how it is built, and how it is switched off."""

import ctypes
import functools
import gc
import os
import re
import shutil
import string
import subprocess
import sys
import sysconfig
import weakref
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from support.cases import one_in

import xml5tree
from compat import make_names
from compat.lanes import LANES
from xml5tree import accelerator
from xml5tree.accelerator import compiled
from xml5tree.accelerator.selfcheck import fault_of
from xml5tree.input.stream import _find_forbidden
from xml5tree.xml.chars import FORBIDDEN

ROOT = Path(xml5tree.__file__).parents[1]
SOURCE = ROOT / "hatch_build.py"

needs_compiler = pytest.mark.skipif(
    not (shutil.which("gcc") or shutil.which("clang")) or not SOURCE.exists(), reason="no C compiler or no sources"
)
needs_compiled = pytest.mark.skipif(compiled is None, reason="the scanner is not compiled, or switched off")
needs_sources = pytest.mark.skipif(not make_names.PATH.exists(), reason="no sources")


@needs_sources
def test_names_are_those_of_the_library():
    """After a change of `xml5tree.xml.names`: python -m compat.make_names."""
    assert make_names.PATH.read_text("ascii") == make_names.header()


def run_python(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_pure_when_wanted():
    code = "import xml5tree; from xml5tree.dialects.xml5 import core; print(xml5tree.accelerated, bool(core.compiled))"
    assert run_python(code, XML5TREE_PURE="1") == ["False", "False"]
    assert run_python(code) == [str(compiled is not None)] * 2


@needs_compiled
def test_each_function_is_checked(monkeypatch):
    """One that does not work in this Python is noticed before a document is read."""
    names = {name for name in dir(compiled) if not name.startswith("_")}
    called = set()

    class Watched:
        def __getattr__(self, name):
            called.add(name)
            return getattr(compiled, name)

    assert fault_of(Watched()) == ""
    assert called == names
    for name in sorted(names - {"sources"}):

        def fail(*arguments):
            raise SystemError("another Python")

        broken = SimpleNamespace(**{other: getattr(compiled, other) for other in names} | {name: fail})
        assert fault_of(broken) == "SystemError: another Python"
        monkeypatch.setattr(accelerator, "_scan", broken)
        monkeypatch.setitem(sys.modules, "xml5tree.accelerator._scan", broken)
        assert accelerator._load() == (
            None,
            "the compiled part does not work in this Python: SystemError: another Python",
        )
    wrong = SimpleNamespace(**{name: getattr(compiled, name) for name in names} | {"seems_broken": lambda data: None})
    assert fault_of(wrong) == "seems_broken returns None"


def test_without_a_global_lock(monkeypatch, tmp_path):
    """Only what was compiled for the very version is imported there, as the stable ABI has other structures."""
    monkeypatch.delenv("XML5TREE_PURE", raising=False)
    monkeypatch.setattr(sys, "version", "3.14.0 free-threading build (main, Oct 7 2025) [GCC 14]")
    monkeypatch.setitem(sys.modules, "xml5tree.accelerator._scan", None)  # its import would fail
    monkeypatch.setattr(accelerator, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "_scan.abi3.so").touch()
    found, why = accelerator._load()
    assert found is None
    assert "no stable ABI" in why
    (tmp_path / f"_scan{EXTENSION_SUFFIXES[0]}").touch()
    assert "no stable ABI" not in accelerator._load()[1]


@needs_sources
def test_nothing_is_shared_between_threads():
    """Without a global lock, what two documents share must not change: no variable of a file or function does."""
    variables = set()
    for path in sorted((ROOT / "xml5tree/accelerator").glob("*.[ch]")):
        code = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
        for found in re.findall(r"\bstatic ([^(){};=]*)(?:[;={])", code):
            if "const" not in found and not found.startswith("inline"):
                variables.add(re.findall(r"\w+", found.partition("[")[0])[-1])
    # What Python knows the module by; and tables and a seed, which are made before any function is called.
    of_python, made = (
        {"methods", "methods_of_content", "slots", "definition"},
        {"logarithms", "logarithm_of_two", "hash_seed", "words"},
    )
    assert variables <= of_python | made


@needs_compiler
def test_compiles_for_a_python_without_a_global_lock(tmp_path):
    """It declares that it needs no lock, and may call what the stable ABI lacks."""
    headers = [include for version, (_, include) in all_pythons().items() if version >= (3, 13)]
    if not headers or not Path(headers[-1], "Python.h").exists():
        pytest.skip("there are no headers of Python 3.13 or later")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-DPy_GIL_DISABLED=1", "-DXML5TREE_SOURCES=0"]
    for unit in ("_scan", "_search"):
        source = ROOT / f"xml5tree/accelerator/{unit}.c"
        call = [
            shutil.which("gcc") or "clang",
            *flags,
            f"-I{headers[-1]}",
            "-c",
            str(source),
            "-o",
            str(tmp_path / unit),
        ]
        subprocess.run(call, check=True)


#: What makes the hashes of names in a search.
HASH_OF_NAME = """
#include "lattice.h"
uint32_t hash_of_name(uint64_t seed, const uint8_t *name, size_t length)
{
    Search search = {.seed = seed};
    return hash_octets(&search, name, length);
}
"""


@needs_compiler
def test_names_with_one_hash_depend_on_the_seed(tmp_path):
    """Authors who choose names that have one hash by some seed have chosen names with many hashes by another."""
    (tmp_path / "hash.c").write_text(HASH_OF_NAME, "ascii")
    call = [shutil.which("gcc") or "clang", "-std=c11", "-O1", "-shared", "-fPIC", f"-I{ROOT / 'xml5tree/accelerator'}"]
    subprocess.run([*call, str(tmp_path / "hash.c"), "-o", str(tmp_path / "hash.so")], check=True)
    hash_of_name = ctypes.CDLL(str(tmp_path / "hash.so")).hash_of_name
    hash_of_name.argtypes = [ctypes.c_uint64, ctypes.c_char_p, ctypes.c_size_t]
    hash_of_name.restype = ctypes.c_uint32
    random = Random(1)
    for length in (3, 4, 7, 8, 9, 12, 16, 17, 24, 40):
        names = {bytes(random.choices(string.ascii_letters.encode(), k=length)) for _ in range(12_000)}
        chosen = [name for name in names if not hash_of_name(0, name, length) % 128]
        assert 40 < len(chosen) < 200
        for seed in (1, 2, 16, 32, 1 << 32, random.getrandbits(64) & ~31):
            assert len({hash_of_name(seed, name, length) % 128 for name in chosen}) > 20, (length, seed)


#: How another Python says its version, whether it lacks the global lock, and where its headers are.
ABOUT = """if True:
    import sys, sysconfig
    print(*sys.version_info[:2], "free-threading" in sys.version, sysconfig.get_path("include"))"""


@functools.cache
def all_pythons():
    """Return the commands and headers of all versions of CPython that are there; with a lock or without."""
    names = [f"python3.{minor}{kind}" for minor in range(11, 20) for kind in ("", "t")]
    commands = [sys.executable, *filter(None, map(shutil.which, names))]
    for folder in Path(sys.base_prefix).parent.glob("*/bin"):  # of a manager of versions
        commands += [str(folder / name) for name in names if (folder / name).exists()]
    found = {}
    for command in commands:
        done = subprocess.run([command, "-c", ABOUT], capture_output=True, text=True, check=False)
        if done.returncode == 0:  # not for a shim without a version
            *version, is_free, include = done.stdout.split(maxsplit=3)
            found.setdefault((*map(int, version), is_free == "True"), (command, include.strip()))
    return {version: found[version] for version in sorted(found)}


#: Calls most functions of what is compiled, by way of documents that have errors of all kinds.
USE = """if True:
    import io, sys, xml5tree
    item = "<item k='1'><t>x</t><u a=b>&#65 y &amp</u><v>z</w></item>\\n"
    document = "<!DOCTYPE r [<!ENTITY e 'f'><!ATTLIST r d CDATA 'v'>]><r xmlns:p='u'>"
    document += item * 40 + "<p:q>&e;<s:t></p:q></r>"
    print(xml5tree.accelerated, xml5tree.accelerator.why_pure)
    for recovery in ("intent", "draft"):
        parser = xml5tree.XMLParser(recovery=recovery)
        print(xml5tree.repair(document, recovery=recovery), len(list(xml5tree.records(io.StringIO(document), "item"))))
        print(xml5tree.fromstring(document, parser=parser).attrib, parser.error_log.as_dicts())
"""


@needs_compiler
@pytest.mark.parametrize("builder", ["oldest", "newest"])
def test_every_python_uses_what_another_has_compiled(builder, tmp_path):
    pythons = all_pythons()
    locked = [version for version in pythons if not version[2]]
    if len(locked) < 2:
        pytest.skip(f"there is only one version of CPython: {locked}")
    shutil.copytree(ROOT / "xml5tree", tmp_path / "xml5tree", ignore=shutil.ignore_patterns("*.so", "*.[ch]", "*.pyc"))
    _, include = pythons[locked[0 if builder == "oldest" else -1]]
    if not Path(include, "Python.h").exists():
        pytest.skip(f"no headers in {include}")
    flags = ["-shared", "-fPIC", "-std=c11", "-O0", f"-I{include}", "-DXML5TREE_SOURCES=0"]
    library = tmp_path / "xml5tree/accelerator/_scan.abi3.so"
    units = [ROOT / "xml5tree/accelerator" / name for name in ("_scan.c", "_search.c")]
    subprocess.run([shutil.which("gcc") or "clang", *flags, *units, "-o", library], check=True)
    results = {}
    for version, (command, _) in pythons.items():
        for is_pure in "01":
            environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "XML5TREE_PURE": is_pure}
            call = [command, "-W", "error", "-c", USE]
            done = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (version, done.stderr)
            is_used, results[version, is_pure] = done.stdout.split("\n", 1)
            assert is_used.startswith("True" if is_pure == "0" and not version[2] else "False"), (version, is_used)
    assert len(set(results.values())) == 1


@needs_compiled
@pytest.mark.parametrize("seed", one_in(4, range(8)))
def test_other_code_may_do_anything_meanwhile(seed):
    """Whatever the arguments of what is compiled do while it works, it neither crashes nor breaks a rule of Python."""
    code = f"from compat.fuzz_reentrant import run_batch; print(run_batch({seed}, 1000))"
    call = [sys.executable, "-X", "faulthandler", "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 1000


@needs_sources
def test_no_format_depends_on_the_builder():
    """With a `#`, what is compiled for CPython 3.13 calls functions that refuse it in 3.11 and 3.12."""
    for path in sorted((ROOT / "xml5tree/accelerator").glob("*.[ch]")):
        calls = re.findall(r"Py(?:Arg_Parse\w*|_BuildValue)\((?:[^;]*?)\"([^\"]*)\"", path.read_text("utf-8"))
        assert not [form for form in calls if "#" in form], path.name


def test_lanes():
    assert ("compiled" in LANES) == xml5tree.accelerated


@needs_compiled
@pytest.mark.parametrize(
    "text", ["", "a<b>&\t\n\r\x7f\x85\ufffd", "\x00x\x1f\x0b\ufffe" * 9 + "\uffff", "\uefff\uf000"]
)
def test_forbidden_characters(text):
    data = text.encode()
    found = _find_forbidden(text, data)
    assert found == "".join(sorted({*FORBIDDEN.findall(text)}))
    assert compiled.is_plain(data, False) is (not found and "\r" not in text)


@needs_compiled
@pytest.mark.parametrize(
    "fault", ["&b ", "&b;", "& ", "&#0;", "&#b;", "<b k=&b>", "<b k='&b;' k='&b '>", "</c>", "<p:b/>"]
)
def test_errors_that_are_sought(fault):
    """The scan that only looks for an error finds each one that it would report."""
    document = f"<a>{fault}x</a>".encode()
    assert compiled.has_error(document, 0, len(document), 9, False)


def content_of(found, *, codes=None):
    if codes is None:
        codes = tuple([code and (code, code, code) for code in compiled.run_codes()])
    return compiled.Content(codes, ["r"], {"r": 1}, found, 9, False, None, True, True, False, False)


@needs_compiled
def test_wrong_arguments():
    read = content_of({}).read
    good = (b"<a>", {}, {}, None, 0, 3, 9, 0, 0, 0, 0, 1, 0)
    assert read(*good)[0] == 3
    wrong = [(0, "<a>"), (4, -1), (4, 4), (5, 4), (1, []), (1, {1: 2}), (2, []), (6, None), (9, 2), (9, -1), (10, "")]
    wrong += [(3, ""), (3, lambda *names: None)]
    for number, bad in wrong:
        arguments = [*good]
        arguments[number] = bad
        with pytest.raises((TypeError, ValueError)):
            read(*arguments)
    with pytest.raises(TypeError):
        read()
    for codes, found in [((), {}), ([], {}), (None, []), (None, None)]:
        with pytest.raises(TypeError):
            content_of(found, codes=codes)
    for rule in [None, (), (False, False, None), (False, False, (None,)), (False, False, (("k", b"", 0),))]:
        with pytest.raises(TypeError):
            read(b"<a>", {}, {b"a": rule}, None, 0, 3, 9, 0, 0, 0, 0, 1, 0)
    wrong_names = [(b"&x;", "x"), (b"&x;", (b"x", b"x")), (b"<p:a>", b"x"), (b"<a xmlns='v v'>", "x")]
    for (data, value), key in zip(wrong_names, (b"&x", b"&x", b":p", b"=v v"), strict=True):
        with pytest.raises(TypeError):
            content_of({key: value}).read(data, {}, {}, None, 0, len(data), 9, 0, 0, 0, 0, 1, 0)


@needs_compiled
def test_documents_are_forgotten():
    """What a document refers to is collected, though it refers to the core and the core to it."""

    class Found(dict):
        pass

    found = Found()
    found.content = content_of(found)
    gone = weakref.ref(found)
    del found
    gc.collect()
    assert gone() is None


def elements_in(source, wanted):
    """The notes on elements in a run at offset 10, in line 7 and in two elements; four may nest."""
    codes = tuple([code and (code, code, code) for code in compiled.run_codes()])
    found = {b":o": (b"v", b" xmlns:o='v'", 0)}
    content = compiled.Content(
        codes, ["r", "item"], {"r": 1, "item": 1}, found, 4, False, wanted, True, True, False, False
    )
    data = source.encode()
    run = content.read(data, {"p": "u"}, {}, None, 0, len(data), 0, 0, 0, 0, 10, 7, 0)
    assert run[0] == len(data)
    if run[-1] is None:
        return None
    rows = {
        at: [[*memoryview(part).cast("q")] for part in note] for at, note in enumerate(run[-1]) if type(note) is list
    }
    return [rows.get(at, note) for at, note in enumerate(run[-1])]


@needs_compiled
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", []),
        ("x<b>\n</b><c/>", []),
        ("é<item k='>'>é\n</item >é<p:item/>", [[[11, 34], [7, 8], [33, 43], [2, 27]]]),
        ("<items/><item/>x</item>", [(18, 7), 25, 33]),
        ("<!-- <item> --><![CDATA[</item>]]><?p <item>?><item/>", [(56, 7), 63]),
        ("<item/><item><item/></item>", [(10, 7), 17, (17, 7), (23, 7), 30, 37]),
        (
            "<item/><item/>\n<item>é</item><item>é</item>",
            [[[10, 17, 25, 39], [7, 7, 8, 8], [17, 24, 39, 53], [0, 7, 15, 30]]],
        ),
        ("<item>\n</r>", [(10, 7), (21, 17, 8, 0), (21, 17, 8, 0)]),
        ("\n<item><b></item>x</>", [(11, 8), 27, 31]),
        ("<item><b>x</item k='v'>", [(10, 7), 33]),
        ("<:item/>< item><o:item a=1>", [(25, 7)]),
        ("<item<a/></a><a:item:/><item>", [(33, 7)]),
        ("<item>x<item>y<item/></item>", [(10, 7), (17, 7), (31, 24, 7, 14), (24, 7), 31]),
    ],
)
def test_elements_of_a_name(source, expected):
    assert elements_in(source, b"item") == expected


@needs_compiled
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, None),
        (b"c", []),
        (b"", [(10, 7), (13, 7), 17, 21, (21, 7), 25, (25, 7), 29, (29, 7), 33, (33, 7), 37]),
    ],
)
def test_elements_of_all_names_and_of_none(wanted, expected):
    assert elements_in("<a><b/></a><b/><b/><b/><b/>", wanted) == expected


GOOD_RECORDS = [b"<item>1</item>", b"<item k='>'><b/></item >"]


@needs_compiled
@pytest.mark.parametrize(
    ("source", "has_prefixes", "expected"),
    [
        (b"", False, []),
        (
            b"<item>1</item>\r\n<item k='>'><b/></item >\t<item/>",
            False,
            [b"<item>1</item>", b"<item k='>'><b/></item >"],
        ),
        (b"<item><itemId>1</itemId></item>x<item></item>", False, [b"<item><itemId>1</itemId></item>"]),
        (b"<item><![CDATA[<b>]]></item><item><!--<<--></item>", False, [b"<item><![CDATA[<b>]]></item>"]),
        (b"<item><m:item>1</m:item></item>", False, [b"<item><m:item>1</m:item></item>"]),
        (b"<item><m:item>1</m:item></item>", True, []),
        (b"<item><item></item>", False, []),
        (b"<item><!--</item>", False, [b"<item><!--</item>"]),
        (b"<item xmlns:m='u'></item>", False, []),
        (b"<item x='xmln'></item>", False, [b"<item x='xmln'></item>"]),
        (b"<item k='></item>", False, []),
        (b"<item><b k='></b></item>", False, []),
        (b"<item><b k='<'/></item>", False, []),
        (b"<item!></item>", False, []),
        (b"<item>\v</item\v>", False, []),
        (b"<items></items>", False, []),
        (b"<item></item", False, []),
        (b"<item", False, []),
    ],
)
def test_records_of_a_name(source, has_prefixes, expected):
    offsets, found = compiled.list_records(bytearray(b"<r>" + source), 3, 3 + len(source), b"item", has_prefixes, 100)
    assert found == expected
    assert all(source.startswith(one, offset - 103) for offset, one in zip(offsets, found, strict=True))


@needs_compiled
def test_records_with_wrong_arguments():
    with pytest.raises(TypeError):
        compiled.list_records("x", 0, 1, b"item", False, 0)
    for start, stop, name in [(0, 1, b""), (-1, 1, b"item"), (1, 0, b"item"), (0, 2, b"item")]:
        with pytest.raises(ValueError, match="not empty"):
            compiled.list_records(b"x", start, stop, name, False, 0)


class Names:
    """Answers what it is told to."""

    def __init__(self, child, attribute=(2,)):
        self._answers = child, attribute

    def child(self, state, namespace, name):
        return (2, 2, 0, 0, ()) if name == "r" else self._answers[0] if name == "b" else (1, 0, 0, 0, ())

    def attribute(self, state, namespace, name):
        return self._answers[1]


@needs_compiled
def test_columns_with_wrong_answers():
    """Nothing is believed that could lead out of the tables."""
    markup = b"<r a='1'><b c='2'><d/></b></r>"

    def feed(child, attribute=(), columns=(), texts=(), is_table=True):
        made = compiled.open_columns(1, columns, texts, is_table, is_table)
        compiled.feed_columns(made, Names(child, attribute), markup)

    feed((3, 0, 0, 1, ()))
    for child in (
        (4, 0, 0, 1, ()),
        (3, 0, 0, 0, ()),
        (3, 3, 0, 1, ()),
        (3, 2, 0, 1, ()),
        (2, 0, 0, 1, ()),
        (3, 0, 0, 64, ()),
    ):
        with pytest.raises(ValueError, match="an answer"):
            feed(child)
    with pytest.raises(ValueError, match="an answer"):
        feed((3, 0, 0, 1, ()), is_table=False)
    markup = b"<r><b><b/></b></r>"  # which would be in the table of another parent's children
    with pytest.raises(ValueError, match="an answer"):
        feed((3, 0, 0, 1, ()))
    markup = b"<r a='1'><b c='2'/></r>"
    for wrong in ((0,), (1,), (4,)):
        with pytest.raises(ValueError, match="a column"):
            feed((1, 0, 0, 0, ()), wrong)
    for wrong in (((0, False),), ((0, True), (3, True))):
        with pytest.raises(ValueError, match="a column"):
            feed((3, 0, 0, 0, (len(wrong) - 1 if len(wrong) > 1 else 1,)), (), wrong, (), is_table=False)
    for wrong in (None, 3, (3, 0, 0, 1), ("3", 0, 0, 1, ())):
        with pytest.raises(TypeError):
            feed(wrong)
    for wrong in ((2, True), (4, False), (9, False)):
        with pytest.raises(ValueError, match="known kind"):
            compiled.open_columns(1, (wrong,), (), False, False)
    columns = compiled.open_columns(1, (), (), True, True)
    for ranges, stop in ((((0, 1),), 1), (((0, 0),), -1), (((-1, 0),), 0), (((1, 0),), 0)):
        with pytest.raises(ValueError, match=r"ranges|ended"):
            compiled.take_columns(columns, ranges, stop)
    for bad in (b"<r", b"</r>", b"<r a='", b"<!--", b"<?", b"<r a=1>"):
        columns = compiled.open_columns(1, (), (), True, True)
        assert compiled.feed_columns(columns, Names((1, 0, 0, 0, ())), b"<r/>" + bad)[2] == 4
    names = Names((2, 2, 0, 0, ()))
    for start, most, is_first in ((-1, 1, True), (5, 1, True), (0, 0, True), (0, 1, False)):
        with pytest.raises(ValueError, match=r"a part|no part|some records"):
            compiled.read_columns(columns, names, b"<r/>", start, 9, False, most, is_first, True)
    for document, expected in ((b"<r>&</r>", True), (b"<r>\r&</r>", None), (b"<r>\xff</r>", None), (b"<r>", None)):
        columns = compiled.open_columns(1, (), (), True, True)
        assert compiled.read_columns(columns, names, document, 0, 9, False, 9, True, True) is expected
        with pytest.raises(RuntimeError, match="have failed"):
            compiled.take_columns(columns, (), 0)


def build_wheel(folder, **environment):
    code = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", code, folder], cwd=ROOT, env=os.environ | environment, check=True, capture_output=True
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


@needs_compiler
@needs_compiled
def test_library_in_the_source_tree(tmp_path):
    """Building a wheel leaves the library there; it is used until the sources are others."""
    pytest.importorskip("hatchling")
    pytest.importorskip("setuptools")
    source = tmp_path / "source"
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(ROOT / "xml5tree", source / "xml5tree", ignore=ignored)
    for name in ("hatch_build.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)

    def is_accelerated():
        environment = {**os.environ, "PYTHONPATH": "", "XML5TREE_PURE": ""}
        code = "import xml5tree; print(xml5tree.accelerated)"
        call = [sys.executable, "-c", code]
        return subprocess.run(call, cwd=source, env=environment, capture_output=True, text=True, check=True).stdout

    assert is_accelerated() == "False\n"
    call = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    environment = {**os.environ, "XML5TREE_PURE": "0", "XML5TREE_CFLAGS": "-O0"}  # compiles in half the time
    subprocess.run(call, cwd=source, env=environment, check=True, capture_output=True)
    assert is_accelerated() == "True\n"
    header = source / "xml5tree/accelerator/extents.h"
    before = header.read_bytes()
    header.write_bytes(before + b"/* changed */\n")
    assert is_accelerated() == "False\n"
    header.write_bytes(before)
    assert is_accelerated() == "True\n"


@needs_compiler
@pytest.mark.parametrize("header", sorted(path.name for path in (ROOT / "xml5tree/accelerator").glob("*.h")))
def test_headers_include_what_they_use(header, tmp_path):
    """So none includes another that includes it, or depends on what stands before it."""
    source = tmp_path / "alone.c"
    kind = (
        "#define KIND(name, code, details, remark)\n" if header == "kinds.h" else ""
    )  # whoever includes it defines that
    source.write_text(f'{kind}#include "{header}"\n', "utf-8")
    folders = [f"-I{ROOT / 'xml5tree/accelerator'}", f"-I{sysconfig.get_path('include')}"]
    subprocess.run(
        [shutil.which("gcc") or "clang", "-fsyntax-only", "-DPy_LIMITED_API=0x030B0000", *folders, source], check=True
    )


@needs_compiler
@needs_compiled
def test_libraries_are_reproducible(tmp_path):
    """What is compiled does not depend on the folder or the builder's names, and has no symbols for debuggers."""
    pytest.importorskip("hatchling")
    pytest.importorskip("setuptools")
    libraries = []
    for name in ("one", "another-folder"):
        folder = tmp_path / name
        folder.mkdir()
        code = """if True:
            import hatch_build, pathlib, sys
            from setuptools.command.build_ext import build_ext
            if "another" in sys.argv[1]:  # as in Python 3.15
                build_ext.get_ext_filename = lambda self, name: name + ".abi3-x86_64-linux-gnu.so"
            print(hatch_build.compile_scanner(pathlib.Path(sys.argv[1])))"""
        call = [sys.executable, "-c", code, str(folder)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "XML5TREE_PURE": "0", "XML5TREE_CFLAGS": ""}
        subprocess.run(call, cwd=folder, env=environment, check=True, capture_output=True)
        (library,) = folder.glob("_scan*")
        assert library.name == "_scan.abi3.so"
        libraries.append(library.read_bytes())
    assert libraries[0] == libraries[1]
    assert b".debug_info" not in libraries[0]
    assert len(libraries[0]) < 300_000


@needs_compiler
def test_wheels(tmp_path):
    """A wheel with the compiled scanner is for a platform, one without for any; neither has sources."""
    pytest.importorskip("hatchling")
    pytest.importorskip("setuptools")
    flags = "-Wall -Wextra -Wconversion -Werror"
    wheels = {}
    for pure in ("0", "1"):
        folder = tmp_path / pure
        folder.mkdir()
        wheel = build_wheel(folder, XML5TREE_PURE=pure, XML5TREE_CFLAGS=flags)
        names = zipfile.ZipFile(wheel).namelist()
        wheels[pure] = wheel.name.removesuffix(".whl").split("-")[2:], [n for n in names if "_scan." in n]
        assert not [name for name in names if name.endswith((".c", ".h"))]
        assert "xml5tree/errors/explanations.toml" in names
    assert wheels["1"] == (["py3", "none", "any"], ["xml5tree/accelerator/_scan.pyi"])
    tags, names = wheels["0"]
    if sys.implementation.name != "cpython":
        assert wheels["0"] == wheels["1"]
    else:
        version = f"cp{sys.version_info.major}{sys.version_info.minor}"
        is_free = sysconfig.get_config_var("Py_GIL_DISABLED")
        assert tags[:2] == ([version, f"{version}t"] if is_free else ["cp311", "abi3"])
        assert tags[2] != "any"
        assert len(names) == 2


@needs_compiled
def test_references_are_counted_by_the_running_python():
    """What is compiled by Python 3.11 would count references to None, which later versions never count."""
    code = """if True:
        import sys
        from xml5tree.accelerator import _scan
        before = sys.getrefcount(None)
        held = [_scan.has_error(b"<a>", 0, 3, 9, False) for _ in range(1000)]
        print(sys.getrefcount(None) - before)"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for version, (command, _) in all_pythons().items():
        if not version[2]:
            call = [command, "-c", code]
            done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
            assert (int(done.stdout) == 0) == (version >= (3, 12)), (version, done)


@needs_compiler
def test_without_a_compiler(tmp_path):
    """The wheel is one of pure Python, and one line of the builder's output says so."""
    pytest.importorskip("hatchling")
    pytest.importorskip("setuptools")
    done = subprocess.run(
        [sys.executable, "-c", f"from hatchling.build import build_wheel; build_wheel({str(tmp_path)!r})"],
        cwd=ROOT,
        env=os.environ | {"CC": "false", "XML5TREE_PURE": ""},
        check=True,
        capture_output=True,
        text=True,
    )
    assert [path.name.rpartition("-py3-")[2] for path in tmp_path.iterdir()] == ["none-any.whl"]
    assert re.fullmatch(r"xml5tree: pure Python, so broken documents are read at 2 to 4 MB/s \(.*\)\n", done.stderr)
