"""Settings of the whole test run."""

import gc
import os
import sys
import tempfile

import pytest
from hypothesis import HealthCheck, settings
from support.scans import eager_scans

# How fast the machine is, and what else it does, is no property of the code.
ALWAYS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "database": None}
settings.register_profile("short", derandomize=True, max_examples=60, **ALWAYS)
settings.register_profile("deep", max_examples=20_000, **ALWAYS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


@pytest.fixture(scope="session", autouse=True)
def bytecode():
    """Have the hundreds of processes that tests start compile modules once where Python is told not to keep bytecode.

    It is kept for as long as the tests run, and not beside the modules.
    """
    if not sys.dont_write_bytecode:
        yield
        return
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPYCACHEPREFIX", folder)
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


def pytest_collection_finish():
    """Keep the garbage collector, which many tests run, from looking at all modules and tests each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def eager_fast_path():
    """Have scans look at short documents; for a whole module, as it stays for the tests after the first that has it."""
    with eager_scans():
        yield
