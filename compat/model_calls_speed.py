"""What reading a call in chunks costs, beside regular expressions: a table in docs/internals/model-output.md.

usage: python compat/model_calls_speed.py [--write]

The call writes a file of code. Times are processor time, the least of several; each column is the time of all pieces of
that many characters, as a multiple of the time of two regular expressions, one for calls and one for their arguments,
over the whole output.

--write puts the table into docs/internals/model-output.md.
"""

import argparse
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
sys.path[:0] = [str(Path(__file__).parent)]

from pages import write_part  # noqa: E402
from tool_calls import write_calls  # noqa: E402

_PAGE: Final = ROOT / "docs/internals/model-output.md"
_BEGIN: Final = "<!-- made by compat/model_calls_speed.py --write -->\n"
_END: Final = "<!-- end of the speed -->\n"
_CALL: Final = re.compile("<function=(.*?)</function>", re.DOTALL)
_ARGUMENT: Final = re.compile("<parameter=(.*?)</parameter>", re.DOTALL)
_CODE: Final = "def f(a, b):\n    return a < b and '<b>' or {'x': 1}[a] & 7  # comment\n"
_SIZES: Final = (10_000, 100_000, 1_000_000)
_PIECES: Final = (4, 16, 64, 256, 1024, 4096, 65536)


def _seconds(action: Callable[[], object], attempts: int = 7) -> float:
    least = float("inf")
    for _ in range(attempts):
        begun = time.process_time()
        action()
        least = min(least, time.process_time() - begun)
    return least


def _search(output: str) -> None:
    for call in _CALL.findall(output):
        _ARGUMENT.findall(call)


def _stream(output: str, size: int) -> None:
    from xml5tree.tools import CallReader

    reader = CallReader("qwen3-coder")
    for start in range(0, len(output), size):
        reader.feed(output[start : start + size])
    reader.close()


def table() -> str:
    """Return the table, as Markdown."""
    lines = [f"| file | regular expressions | {' | '.join(f'by {size:,}' for size in _PIECES)} |\n"]
    lines.append(f"|---:|---:{'|---:' * len(_PIECES)}|\n")
    for length in _SIZES:
        code = (_CODE * (length // len(_CODE) + 1))[:length]
        output = write_calls("qwen3-coder", [("write_file", {"path": "a.py", "content": code})])
        whole = _seconds(lambda output=output: _search(output))  # type: ignore[misc]
        cells = []
        for size in _PIECES:
            cells.append(f"{_seconds(lambda o=output, s=size: _stream(o, s)) / whole:.1f}")  # type: ignore[misc]
        lines.append(f"| {length:,} characters | {whole * 1000:.1f} ms | {' | '.join(cells)} |\n")
    return "".join(lines)


def _main() -> None:
    summary, _, description = (__doc__ or "").partition("\n\nusage: ")
    parser = argparse.ArgumentParser(
        description=summary + "\n\n" + description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help="put the table into docs/internals/model-output.md")
    if parser.parse_args().write:
        write_part(_PAGE, _BEGIN, _END, f"\n{table()}")
    else:
        print(table(), end="")


if __name__ == "__main__":
    _main()
