"""The number that ties a compiled library to its C sources."""

import os


def number_of_sources(folder: str) -> int | None:
    """Return a checksum of the C sources in a folder and of their names; None if there are none, as once installed."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith((".c", ".h")))
    except OSError:  # in an archive
        return None
    if not names:
        return None
    import zlib  # 0.25 MB, which what is installed has no use for

    number = 0
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            number = zlib.crc32(file.read(), zlib.crc32(name.encode(), number))
    return number
