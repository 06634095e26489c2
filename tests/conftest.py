"""Settings of the whole test run."""

import os

import pytest
from hypothesis import HealthCheck, settings

from xml5tree.fastpath import apply, scan, tags

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=200, database=None)
settings.register_profile(
    "deep", deadline=None, max_examples=20_000, suppress_health_check=[HealthCheck.too_slow], database=None
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="module")
def eager_clean_lane():
    """Have the clean lane look at documents of a few characters too, as those are which tests make up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apply, "_FEW", 1)
        patch.setattr(apply, "_REST", 16)
        patch.setattr(scan, "_FIRST_WINDOW", 8)
        patch.setattr(scan, "_WINDOW", 8)
        patch.setattr(tags, "_FIRST_TAIL", 4)
        yield
