"""What type checkers make of a program that uses the library as it is installed."""

import importlib.metadata
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

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


def run(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, check=False)


def test_mypy(installed):
    folder, python = installed
    options = ["--strict", "--cache-dir", str(folder / "cache"), "--python-executable", python]
    done = run(folder, sys.executable, "-m", "mypy", *options, PROGRAM.name)
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
