"""Which files of folders are read: those with names of XML, but not what is hidden or git ignores."""

import fnmatch
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from xml5tree.cli.replacement import is_temporary

#: The ends of XML files' names, before a ".gz" or ".zst".
_NAMES_OF_XML: Final = (".xml", ".rss", ".atom", ".rdf", ".svg", ".xhtml", ".xsd", ".xsl", ".kml", ".gpx", ".opml")
_NAMES_OF_PACKED: Final = (".gz", ".zst")
#: Without the monitor, the settings of a repository cannot name a program to run.
_GIT: Final = ("git", "-c", "core.fsmonitor=false", "-C")


class Choice(NamedTuple):
    """The options about folders: patterns of names, and whether what is hidden or ignored is left out."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ignores: bool = True

    def takes(self, name: str) -> bool:
        """Return whether a file's name is one of XML, or matches a pattern to include."""
        name = name.lower()
        plain = os.path.splitext(name)[0] if name.endswith(_NAMES_OF_PACKED) else name
        return plain.endswith(_NAMES_OF_XML) or any(
            fnmatch.fnmatchcase(tried, pattern.lower()) for pattern in self.include for tried in (plain, name)
        )

    def leaves_out(self, path: str) -> bool:
        """Return whether a folder in a path is hidden, or a part of the path matches a pattern to exclude."""
        parts = path.split(os.sep)
        if self.ignores and any(part.startswith(".") for part in parts[:-1]):
            return True
        tried = {*parts, *(os.sep.join(parts[:count]) for count in range(1, len(parts) + 1))}
        return any(fnmatch.fnmatchcase(name, pattern.rstrip("/")) for pattern in self.exclude for name in tried)


#: The default of all options.
ALL: Final = Choice()


def files_below(folder: str, choice: Choice) -> tuple[list[str], Counter[str]]:
    """Return the sorted paths of chosen files in a folder, and counts of other files by the ends of their names."""
    found: list[str] = []
    skipped: Counter[str] = Counter()
    for path in _listed(folder, choice):
        name = os.path.basename(path)
        if is_temporary(name) or choice.leaves_out(path):
            continue
        if choice.takes(name):
            # A file "-" in the current folder is not standard input.
            found.append(path if folder == os.curdir and path != "-" else os.path.join(folder, path))
        else:
            plain = os.path.splitext(name.lower())
            skipped[os.path.splitext(plain[0])[1] if plain[1] in _NAMES_OF_PACKED else plain[1]] += 1
    return sorted(found), skipped


def _listed(folder: str, choice: Choice) -> Iterator[str]:
    """Yield the paths of the files below a folder, but not all that the choice leaves out."""
    listed = _listed_by_git(folder) if choice.ignores else None
    if listed is not None:
        for path in listed:
            whole = os.path.join(folder, path)
            if not os.path.isdir(whole):
                if os.path.lexists(whole):  # the index may have what was deleted
                    yield path
            elif not os.path.islink(whole):  # another repository
                yield from (os.path.join(path, below) for below in _listed(whole, choice))
        return
    for place, folders, names in os.walk(folder):
        below = os.path.relpath(place, folder)
        below = "" if below == os.curdir else below
        folders[:] = [name for name in folders if not choice.leaves_out(os.path.join(below, name, ""))]
        yield from (os.path.join(below, name) for name in names)


def _listed_by_git(folder: str) -> list[str] | None:
    """Return the paths of files that git does not ignore, below the folder; None if it is in no repository."""
    path = Path(os.path.realpath(folder))
    if not any(os.path.lexists(parent / ".git") for parent in (path, *path.parents)):
        return None
    out = _git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    # Of a folder that git ignores, it lists nothing; but it was asked for.
    return [os.fsdecode(name.rstrip(b"/")).replace("/", os.sep) for name in out.split(b"\0") if name] if out else None


def is_committed(path: Path) -> bool:
    """Return whether the last commit of a git repository has a file as it is."""
    path = Path(os.path.realpath(path))
    committed = _git(path.parent, "cat-file", "blob", f"HEAD:./{path.name}")
    return committed is not None and committed == path.read_bytes()


def _git(folder: str | Path, *arguments: str) -> bytes | None:
    try:
        done = subprocess.run([*_GIT, os.fspath(folder), *arguments], capture_output=True, check=False)
    except OSError:  # git is not installed
        return None
    return done.stdout if done.returncode == 0 else None
