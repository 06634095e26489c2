"""Which versions of other software are installed."""

import sys
from collections.abc import Iterable
from importlib import metadata

__all__ = ["expat", "libxml2", "require", "version_of"]


def version_of(package: str) -> str | None:
    """The version of a distribution; None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def require(packages: Iterable[str]) -> None:
    """End the command unless all of these distributions are installed.

    Raises:
        SystemExit: some are not.
    """
    absent = [package for package in packages if version_of(package) is None]
    if absent:
        sys.exit(f"not installed: {', '.join(absent)}; they are in the extra 'compat'")


def expat() -> str:
    """The name and version of the expat that ElementTree uses."""
    import pyexpat

    return pyexpat.EXPAT_VERSION.replace("_", " ")


def libxml2() -> str:
    """The version of the libxml2 that lxml uses."""
    from lxml import etree

    return ".".join(map(str, etree.LIBXML_VERSION))
