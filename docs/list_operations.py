"""Write the table of operations of docs/internals/intent.md.

usage: python docs/list_operations.py
"""

import runpy
from functools import partial
from pathlib import Path
from typing import Final

import marked

from xml5tree.errors.codes import CODES
from xml5tree.intent.costs import COSTS, OPERATIONS

PAGE: Final = Path(__file__).parent / "internals" / "intent.md"
SUPPORT: Final = Path(__file__).parent.parent / "tests" / "support" / "operations.py"
BEGIN: Final = "<!-- The table is made by list_operations.py. -->\n"
END: Final = "<!-- end of the table -->\n"


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|").replace("\n", "⏎")


def table() -> str:
    """The table in Markdown."""
    examples = runpy.run_path(str(SUPPORT))["EXAMPLES"]
    rows = [BEGIN, "\n| operation, code | effect | cost | example |\n|---|---|---:|---|\n"]
    for name, operation in OPERATIONS.items():
        effect = operation.effect or CODES[operation.code].effect
        cost = f"{COSTS[operation.cost]:,}" if operation.cost else ""
        example = " → ".join(map(_code, examples[name])) if name in examples else "with `elements`"
        rows.append(f"| {name.replace('_', ' ')}, `{operation.code}` | {effect} | {cost} | {example} |\n")
    return "".join([*rows, "\n", END])


parts = partial(marked.parts, begin=BEGIN, end=END)


if __name__ == "__main__":
    marked.replace(PAGE, BEGIN, END, table())
