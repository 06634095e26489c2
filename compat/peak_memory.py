"""The memory of a process: the most that it has had, and what is free in it."""

import ctypes
import gc
import sys
from pathlib import Path

__all__ = ["peak_memory", "release_memory"]


def peak_memory() -> int:
    """The most memory that this process has had so far, in bytes."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    # On Linux, `ru_maxrss` begins with that of the process that started this one.
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def release_memory() -> None:
    """Give all memory that is free back to the system, so that all that is measured begins with as little."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
        if trim is not None:
            trim(0)
