"""Cases of the dialects that are not part of this repository; a test is skipped where the ones it needs are absent."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.xml5lib import REPOSITORY

__all__ = ["SUITES", "cases_of"]

#: Where suites of others are looked for: beside the repository.
SUITES = REPOSITORY.parent / "shared" / "suites"


def cases_of(name: str) -> Any:
    """What a file of cases holds; the test is skipped where it is absent."""
    named = os.environ.get("DIALECT_CASES")
    path = (Path(named) if named else SUITES / "dialects") / name
    if not path.is_file():
        pytest.skip(f"{name} not found: set DIALECT_CASES to its folder, or put it in ../shared/suites/dialects")
    return json.loads(path.read_text("utf-8"))
