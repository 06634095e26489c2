"""Put the playground into a folder, from which any static host can serve it: playground.html and what it needs.

usage: python docs/make_playground.py SITE

The package goes in as it is in the source tree, without the compiled scanner. Pyodide comes from npm, and is kept in
the cache of compat/cache.py. Nothing of the page is fetched from elsewhere.
"""

import io
import json
import shutil
import sys
import zipfile
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT / "compat"), str(DOCS / "playground")]

from cache import from_npm, read_archive  # noqa: E402
from examine import examine  # noqa: E402

PYODIDE = "314.0.7"
#: What a browser needs of Pyodide.
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
#: Kinds of files of the package that the page uses: modules, and the explanations of error codes.
KINDS = ("py", "toml")
EXAMPLES = ("feed.xml", "answer.xml", "contacts.xml")


def make(site: Path) -> None:
    """Make the page.

    Raises:
        cache.Unavailable: Pyodide is not in the cache, and npm cannot fetch it.
    """
    folder = site / "playground"
    (folder / "pyodide").mkdir(parents=True, exist_ok=True)
    archive = read_archive(from_npm("pyodide", PYODIDE), "")
    for name in FILES:
        (folder / "pyodide" / name).write_bytes(archive[name])
    shutil.copytree(DOCS / "playground", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(DOCS / "playground.html", site)
    (folder / "examples").mkdir(exist_ok=True)
    for name in EXAMPLES:
        shutil.copy(DOCS / "examples" / name, folder / "examples")
    (folder / "examples" / "feed.json").write_text(first_answer(), "utf-8")
    (folder / "xml5tree.zip").write_bytes(package())


def first_answer() -> str:
    """Return what the page shows of its first example until Python is loaded."""
    return examine(json.dumps({"text": (DOCS / "examples" / EXAMPLES[0]).read_text("utf-8")}))


def package() -> bytes:
    """Return the package as an archive, always the same for the same sources."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for kind in KINDS for path in (ROOT / "xml5tree").rglob(f"*.{kind}")):
            entry = zipfile.ZipInfo(path.relative_to(ROOT).as_posix(), (1980, 1, 1, 0, 0, 0))
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return file.getvalue()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make(Path(sys.argv[1]))
