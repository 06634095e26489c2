"""Compiles the scanner when a wheel is built; without a C compiler the wheel is one of pure Python.

The library is left in the source tree as well, since Python finds that first where it is started there. There it is
used as long as the sources are those that it is of. ``python hatch_build.py`` compiles it there alone, for work on it.
``XML5TREE_PURE=1`` chooses pure Python.
"""

import os
import platform
import re
import runpy
import shutil
import sys
import sysconfig
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parent
FOLDER = "xml5tree/accelerator"
#: Without a global lock there is no stable ABI, so each version of such a Python has a library of its own.
_IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
_VERSION = f"cp{sys.version_info.major}{sys.version_info.minor}"
_TAG = f"{_VERSION}-{_VERSION}t" if _IS_FREE_THREADED else "cp311-abi3"


class ReadmeHook(MetadataHookInterface):
    """Makes the long description of README.md: its links lead to the repository, at the tag of the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        """See `MetadataHookInterface`."""
        source, tag = metadata["urls"]["Source"], f"v{metadata['version']}"
        text = (ROOT / "README.md").read_text("utf-8")
        text = re.sub(r"!\[[^]]*\]\((?=\w+/)", rf"\g<0>{source}/raw/{tag}/", text)
        text = re.sub(r"\]\((?=\w+/)", rf"\g<0>{source}/blob/{tag}/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class ScannerHook(BuildHookInterface):
    """See above. An editable installation stays pure unless the scanner has been compiled in the source tree."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """See `BuildHookInterface`."""
        if self.target_name != "wheel" or version == "editable":
            return
        self._folder = tempfile.mkdtemp()
        try:
            library = compile_scanner(Path(self._folder))
        except (Exception, SystemExit) as error:  # setuptools has many ways to say that there is no compiler
            reason = str(error).partition("\n")[0]
            print(f"xml5tree: pure Python, so broken documents are read at 2 to 4 MB/s ({reason})", file=sys.stderr)
            return
        build_data["tag"] = f"{_TAG}-{_platform()}"
        build_data["pure_python"] = False
        build_data["force_include"][str(library)] = f"{FOLDER}/{library.name}"
        replacement = ROOT / FOLDER / f"{os.getpid()}-{library.name}"  # another build may be going on
        with suppress(OSError):  # it may be in use, or the folder may be read-only
            shutil.copy2(library, replacement)
            os.replace(replacement, ROOT / FOLDER / library.name)  # never written while a process has it mapped
        with suppress(OSError):
            replacement.unlink(missing_ok=True)
        print("xml5tree: with the compiled scanner", file=sys.stderr)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what has been compiled; it is in the wheel."""
        shutil.rmtree(getattr(self, "_folder", ""), ignore_errors=True)


def _platform() -> str:
    """Return the platform that is compiled for, as it is in the names of wheels."""
    from packaging.tags import sys_tags

    platforms = (tag.platform for tag in sys_tags() if "manylinux" not in tag.platform)
    platform_tag = next(name for name in platforms if "musllinux" not in name)
    if sys.platform == "darwin":
        from hatchling.builders.macos import process_macos_plat_tag

        return process_macos_plat_tag(platform_tag, compat=False)  # by ARCHFLAGS and MACOSX_DEPLOYMENT_TARGET
    return platform_tag


def compile_scanner(folder: Path) -> Path:
    """Compile the scanner; the library's path, which is in a folder that exists."""
    if os.environ.get("XML5TREE_PURE", "0") not in {"", "0"}:
        raise RuntimeError("XML5TREE_PURE is set")
    if platform.python_implementation() != "CPython":
        raise RuntimeError("this is not CPython")
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    wanted = os.environ.get("XML5TREE_CFLAGS", "").split()
    flags = [] if sys.platform == "win32" else ["-std=c11", "-O3", "-g0", *wanted]
    # Without symbols, a library is a quarter of the size, and always the same.
    links = {"linux": ["-Wl,-s"], "darwin": ["-Wl,-S,-x"]}.get(sys.platform, []) if not wanted else []
    # On Windows, one pyconfig.h serves both kinds of Python.
    macros = [("Py_GIL_DISABLED", "1")] if _IS_FREE_THREADED and sys.platform == "win32" else []
    number = runpy.run_path(str(ROOT / FOLDER / "sources.py"))["number_of_sources"](str(ROOT / FOLDER))
    extension = Extension(
        "_scan",
        [os.path.relpath(ROOT / FOLDER / name) for name in ("_scan.c", "_search.c")],
        py_limited_api=not _IS_FREE_THREADED,
        define_macros=[("XML5TREE_SOURCES", f"{number}UL"), *macros],
        extra_compile_args=flags,
        extra_link_args=links,
    )
    command = build_ext(Distribution({"ext_modules": [extension]}))
    command.build_lib = str(folder)
    command.build_temp = str(folder / "temporary")
    command.force = True  # the headers may have changed
    command.ensure_finalized()
    command.run()
    shutil.rmtree(command.build_temp, ignore_errors=True)
    # Each Python has its own idea of the name. The second and third are imported by all that have the stable ABI.
    if _IS_FREE_THREADED:
        library = folder / f"_scan{sysconfig.get_config_var('EXT_SUFFIX')}"
    else:
        library = folder / ("_scan.pyd" if sys.platform == "win32" else "_scan.abi3.so")
    os.replace(folder / command.get_ext_filename("_scan"), library)
    return library


if __name__ == "__main__":
    print(compile_scanner(ROOT / FOLDER))
