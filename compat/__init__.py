"""Evidence from suites and software that are not ours; see README.md in this folder."""

import sys
from pathlib import Path

# For `support`: readers of suites and comparers of trees, which the tests have as well.
sys.path.append(str(Path(__file__).parent.parent / "tests"))
