"""What type checkers make of a program that uses the library as it is installed."""

import ast
import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import lxml.etree
import pytest

import xml5tree

PROGRAM = Path(__file__).parent / "data/typing/user_program.py"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The Python of an environment where the library is installed, so that checkers take it for somebody else's."""
    for distribution in ("mypy", "types-lxml"):
        try:
            importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"{distribution} is not installed")
    folder = tmp_path_factory.mktemp("user")
    venv.create(folder / "venv", with_pip=False)
    paths = {name: Path(path) for name, path in sysconfig.get_paths(vars={"base": str(folder / "venv")}).items()}
    shutil.copytree(Path(xml5tree.__file__).parent, paths["purelib"] / "xml5tree")
    (paths["purelib"] / "others.pth").write_text(sysconfig.get_paths()["purelib"])
    shutil.copy(PROGRAM, folder)
    return folder, str(paths["scripts"] / Path(sys.executable).name)


def run(folder, *command, env=None):
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=200, check=False)


def test_mypy(installed):
    folder, python = installed
    options = ["--strict", "--cache-dir", str(folder / "cache"), "--python-executable", python]
    done = run(folder, sys.executable, "-m", "mypy", *options, PROGRAM.name)
    assert done.returncode == 0, done.stdout + done.stderr


def declared_names(stub):
    """The public names of a stub: its definitions, and what it imports as itself."""
    for node in ast.parse(stub.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            yield from (name.name for name in node.names if name.asname == name.name)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield ast.unparse(node.target)


@pytest.mark.parametrize("module", ["etree", "objectify"])
def test_names_of_lxml(installed, module):
    """Checkers know each name of the drop-ins that types-lxml knows of lxml."""
    folder, python = installed
    stub = importlib.metadata.distribution("types-lxml").locate_file(f"lxml-stubs/{module}/__init__.pyi")
    names = sorted(set(declared_names(Path(stub))))
    assert len(names) > 20
    program = folder / f"names_of_{module}.py"
    program.write_text(
        f"from xml5tree.lxml import {module}\n\nnames = ({''.join(f'{module}.{it}, ' for it in names)})\n"
    )
    options = ["--cache-dir", str(folder / "cache"), "--python-executable", python]
    done = run(folder, sys.executable, "-m", "mypy", *options, program.name)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("module", ["etree", "objectify"])
def test_names_that_lxml_lacks(installed, module):
    """Checkers report a misspelt name of the drop-ins."""
    folder, python = installed
    program = folder / f"misspelt_name_of_{module}.py"
    program.write_text(f"from xml5tree.lxml import {module}\n\nname = {module}.fromstrnig\n")
    options = ["--cache-dir", str(folder / "cache"), "--python-executable", python]
    done = run(folder, sys.executable, "-m", "mypy", *options, program.name)
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'Module has no attribute "fromstrnig"' in done.stdout


#: The public names that lxml-stubs 0.5.1 declares.
NAMES_OF_LXML_STUBS = (
    "Comment CustomElementClassLookup DTD DocumentInvalid ETXPath Element ElementBase ElementClassLookup ElementTree "
    "Error FallbackElementClassLookup HTML HTMLParser LxmlError LxmlSyntaxError PI ParseError ProcessingInstruction "
    "QName Resolver SubElement TreeBuilder XML XMLParser XMLSchema XMLSyntaxError XPath XPathDocumentEvaluator "
    "XPathEvaluator XSLT XSLTAccessControl cleanup_namespaces fromstring iselement parse tostring"
).split()


def test_names_with_older_stubs(installed):
    """Stubs that leave names to `__getattr__`, as lxml-stubs, are no worse for the drop-in than for lxml."""
    folder, python = installed
    stubs = folder / "older" / "lxml"
    stubs.mkdir(parents=True)
    for name in ("__init__", "etree", "objectify"):
        declared = "".join(f"{it}: object\n" for it in NAMES_OF_LXML_STUBS if name == "etree")
        (stubs / f"{name}.pyi").write_text(f"{declared}def __getattr__(name: str) -> object: ...\n")
    names = sorted({*lxml.etree.__all__, "_Element", "_Attrib", "_ErrorLog"} - {"Schematron"})
    program = folder / "names_with_older_stubs.py"
    program.write_text(f"from xml5tree.lxml import etree\n\nnames = ({''.join(f'etree.{it}, ' for it in names)})\n")
    options = ["--cache-dir", str(folder / "older cache"), "--python-executable", python]
    environment = {**os.environ, "MYPYPATH": str(stubs.parent)}
    done = run(folder, sys.executable, "-m", "mypy", *options, program.name, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright(installed):
    folder, python = installed
    pyright = [sys.executable, "-m", "pyright"]
    try:
        version = run(folder, *pyright, "--version")
    except subprocess.TimeoutExpired:
        pytest.skip("pyright does not start: it needs Node.js, and fetches itself from npm at the first run")
    if version.returncode:
        pytest.skip("pyright is not installed, or cannot fetch itself from npm")
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    done = run(folder, *pyright, "--pythonpath", python, PROGRAM.name)
    assert done.returncode == 0, done.stdout + done.stderr
