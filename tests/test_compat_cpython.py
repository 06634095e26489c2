"""CPython's own tests of ElementTree, with the drop-in in its place."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "compat" / "cpython_etree.py"


def test_cpython_tests():
    run = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    if run.returncode == 77:
        pytest.skip(run.stdout)
    assert run.returncode == 0, run.stdout + run.stderr
