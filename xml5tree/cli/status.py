"""Exit statuses. The highest one that is true of any file is that of the command."""

from typing import Final

__all__ = ["CLOSED_PIPE", "ERRORS", "INTERRUPTED", "LOST", "OK", "USAGE"]

OK: Final = 0
#: The document has errors (``check``); nothing was found (``xpath``).
ERRORS: Final = 1
#: Content is lost, or there is no tree.
LOST: Final = 2
#: Wrong usage, or a file that cannot be read or written.
USAGE: Final = 3
#: As a shell reports what SIGINT and SIGPIPE have ended.
INTERRUPTED: Final = 130
CLOSED_PIPE: Final = 141
