"""The most memory that a process has had."""

import sys
from pathlib import Path

__all__ = ["peak_memory"]


def peak_memory() -> int:
    """The most memory that this process has had so far, in bytes."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    # On Linux, `ru_maxrss` begins with that of the process that started this one.
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024
