"""Settings of the whole test run."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=200, database=None)
settings.register_profile(
    "deep", deadline=None, max_examples=20_000, suppress_health_check=[HealthCheck.too_slow], database=None
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
