"""Settings of the whole test run."""

import gc
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from compat.lanes import LANES, lane

# How fast the machine is, and what else it does, is no property of the code.
ALWAYS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "database": None}
# What is random is the same each time; where everything is tried before a change lands, it is more documents.
settings.register_profile("short", derandomize=True, max_examples=16, **ALWAYS)
settings.register_profile("ci", derandomize=True, max_examples=60, **ALWAYS)
settings.register_profile("deep", max_examples=20_000, **ALWAYS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))

#: Modules about the package's sources, which are not there where an installed package is tested; see .ci/pythons.
OF_SOURCES = "accelerator citations errors_doc mutation release".split()
collect_ignore = (
    [] if Path(__file__).parents[1].joinpath("xml5tree").exists() else [f"test_{name}.py" for name in OF_SOURCES]
)


def pytest_configure(config):
    """Have the hundreds of processes that tests start compile modules once where Python is told not to keep bytecode.

    The bytecode is kept for as long as the tests run, and not beside the modules. Workers of pytest-xdist share it.
    """
    if sys.dont_write_bytecode and not hasattr(config, "workerinput"):
        folder, patch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True), pytest.MonkeyPatch()
        patch.setenv("PYTHONPYCACHEPREFIX", folder.name)
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        config.add_cleanup(folder.cleanup)
        config.add_cleanup(patch.undo)


@pytest.fixture(scope="module", autouse=True)
def freeze_objects():
    """Keep the garbage collector, which many tests run, from looking each time at what earlier modules have left."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", params=LANES)
def reader(request):
    """Each of the readers of content, for all tests of a module; its name."""
    with lane(request.param):
        yield request.param
