"""Write the table of docs/internals/exit-statuses.md anew: what each command and format makes of which file.

usage: python docs/list_outcomes.py

The commands are run, each on files of its own in a temporary folder.
"""

import contextlib
import gzip
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import marked

PAGE = Path(__file__).parent / "internals" / "exit-statuses.md"
sys.path.insert(0, str(Path(__file__).parent.parent))

from xml5tree.cli.application import run  # noqa: E402 (of this source tree, whatever is installed)

BEGIN = "<!-- The table is made by list_outcomes.py. -->\n"
END = "<!-- end of the table -->\n"

#: Documents by what is the matter with them. None: there is no such file; "": it cannot be read.
FILES: dict[str, bytes | str | None] = {
    "missing": None,
    "unreadable": "",
    "cut gzip": gzip.compress(b"<r><item>" + bytes(range(65, 91)) * 40 + b"</item></r>", mtime=0)[:-12],
    "truncated": b"<r><item>one</item><item>tw",
    "empty": b"",
    "binary": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    "moved": b"<r><item>one<item>two</item></r>",
    "lost": b"<r><item id='1' id='2'>one</item></r>",
    "kept": b"<r><item>Fish & chips</item></r>",
    "clean": b"<r><item>fine</item></r>",
}

#: The commands and formats by how they are called; FILE and OUT stand for a document and for a file to write.
COMMANDS = [
    ["check", "FILE"],
    ["check", "--format", "concise", "FILE"],
    ["check", "--format", "json", "FILE"],
    ["check", "--format", "sarif", "FILE"],
    ["check", "--format", "github", "FILE"],
    ["check", "--statistics", "FILE"],
    ["repair", "FILE"],
    ["repair", "-o", "OUT", "FILE"],
    ["repair", "--in-place", "FILE"],
    ["repair", "--in-place", "--force", "FILE"],
    ["repair", "--diff", "FILE"],
    ["xpath", "//item", "FILE"],
    ["xpath", "--format", "xml", "//item", "FILE"],
    ["xpath", "--format", "json", "//item", "FILE"],
    ["records", "FILE"],
    ["records", "--to", "csv", "--field", "text=.", "FILE"],
    ["tree", "FILE"],
    ["tokens", "FILE"],
    ["tokens", "--format", "json", "FILE"],
    ["report", "-o", "OUT", "FILE"],
]


def make(content: bytes | str | None) -> Path:
    """Make a file in the current folder, which is empty; its path."""
    path = Path("file.xml")
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.symlink_to(path.name)  # to itself, which even root cannot read
    return path


@contextlib.contextmanager
def empty_folder() -> Iterator[None]:
    """Be in a folder that is empty at first, and goes away."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def outcome(command: list[str], content: bytes | str | None) -> tuple[int, bool, str]:
    """The exit status of a command, whether it wrote anything but what it has to say, and that."""
    with empty_folder():
        path = make(content)
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = run([{"FILE": str(path), "OUT": "out"}.get(word, word) for word in command])
        written = bool(out.buffer.getvalue()) or Path("out").exists()
        if path.is_file():
            written = written or path.read_bytes() != content
        return status, written, err.buffer.getvalue().decode()


def cell(command: list[str], content: bytes | str | None) -> str:
    """What the table says: the status, and a pencil where something was written."""
    status, written, _ = outcome(command, content)
    return f"{status} ✎" if written else f"{status}"


def table() -> str:
    """The table in Markdown."""
    lines = [f"| | {' | '.join(FILES)} |\n", "|---" * (len(FILES) + 1) + "|\n"]
    for command in COMMANDS:
        cells = " | ".join(cell(command, content) for content in FILES.values())
        lines.append(f"| `{' '.join(command[:-1])}` | {cells} |\n")
    return "".join([BEGIN, "\n", *lines, "\n", END])


parts = partial(marked.parts, begin=BEGIN, end=END)


if __name__ == "__main__":
    marked.replace(PAGE, BEGIN, END, table())
