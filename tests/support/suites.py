"""Suites that are not part of this repository: a folder `shared/suites` beside it, or above it, has them."""

import json
from typing import Any

import pytest

from support.xml5lib import REPOSITORY

__all__ = ["suite"]


def suite(name: str) -> list[Any]:
    """The cases of a suite of a dialect; where it is not there, one case that is skipped and says why."""
    for folder in REPOSITORY.parents:
        path = folder / "shared" / "suites" / "dialects" / name
        if path.is_file():
            cases: list[Any] = json.loads(path.read_text("utf-8"))
            return cases
    skipped = pytest.mark.skip(reason=f"the suite shared/suites/dialects/{name} is not beside the repository")
    return [pytest.param({"id": name}, marks=skipped)]
