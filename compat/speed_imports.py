"""How long the import of xml5tree takes."""

import subprocess
import sys
from statistics import median
from typing import Final

__all__ = ["print_imports"]

_IMPORTS: Final = """
import sys, time
start = time.process_time()
import xml.etree.ElementTree
middle = time.process_time()
import xml5tree
print(middle - start, time.process_time() - middle, "lxml" in sys.modules)
"""


def print_imports(rounds: int) -> None:
    """Print how long imports take in new processes."""
    runs = [
        subprocess.run([sys.executable, "-c", _IMPORTS], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(rounds)
    ]
    native, more = (1000 * median(float(run[column]) for run in runs) for column in (0, 1))
    print(f"\nimport xml.etree.ElementTree {native:.1f} ms, import xml5tree {more:.1f} ms more,", end=" ")
    print("lxml imported" if any(run[2] == "True" for run in runs) else "lxml not imported")
