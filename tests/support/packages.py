"""Packages that some calls cannot do without, and that may not be installed."""

import pytest

#: By the name of the call, what it imports.
NEEDED = {"record_batches": ("pyarrow",), "read_table": ("pyarrow",), "read_frame": ("pandas", "pyarrow")}


def need_for(call: str) -> None:
    """Skip the test if a package is missing that a call imports."""
    for package in NEEDED.get(call, ()):
        pytest.importorskip(package)
