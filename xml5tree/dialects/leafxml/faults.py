"""The exception by which the parts of the LeafXML parser tell what is wrong with a document."""

__all__ = ["Fault"]


class Fault(Exception):
    """An error of the document; there is only one, and nothing comes after it.

    Attributes:
        code: the error code.
        index: where it is, in characters from the start of the text at hand.
        detail: what the message of the code is about.
    """

    def __init__(self, code: str, index: int, *detail: object) -> None:
        super().__init__(code)
        self.code = code
        self.index = index
        self.detail = detail

    def moved(self, distance: int) -> "Fault":
        """Return the fault for text that begins `distance` characters earlier."""
        return Fault(self.code, self.index + distance, *self.detail)
