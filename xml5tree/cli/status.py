"""Exit statuses; the highest of all files wins."""

from typing import Final

__all__ = ["CLOSED_PIPE", "ERRORS", "INTERRUPTED", "OK", "SERIOUS", "USAGE"]

OK: Final = 0
#: The document has errors, and all content is kept (``check``); nothing was found (``xpath``).
ERRORS: Final = 1
#: Content is moved or lost, the document is cut off, or there is no tree.
SERIOUS: Final = 2
#: Wrong usage, or a file that cannot be read or written.
USAGE: Final = 3
#: As a shell reports processes ended by SIGINT and SIGPIPE.
INTERRUPTED: Final = 130
CLOSED_PIPE: Final = 141
