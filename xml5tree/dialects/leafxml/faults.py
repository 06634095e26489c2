"""The exception that the parts of the LeafXML parser raise for an error of the document."""

__all__ = ["Fault"]


class Fault(Exception):
    """The error of the document; it ends the parse.

    `index` is its place, in characters from the start of the current text; `detail` has arguments of the code's
    message.
    """

    def __init__(self, code: str, index: int, *detail: object) -> None:
        super().__init__(code)
        self.code = code
        self.index = index
        self.detail = detail

    def moved(self, distance: int) -> "Fault":
        """Return the fault for text that begins `distance` characters earlier."""
        return Fault(self.code, self.index + distance, *self.detail)
