"""The exception for an error of the document."""


class Fault(Exception):
    """The error that ends the parse, `index` characters after the start of the current text.

    `attribute` is the attribute whose name is at fault in a tag; None: the element's.
    """

    attribute: str | None = None

    def __init__(self, code: str, index: int, *detail: object) -> None:
        super().__init__(code)
        self.code = code
        self.index = index
        # The line breaks of a detail must not depend on what else the document has; see `CharacterStream`.
        self.detail = tuple([part.replace("\r\n", "\n") if isinstance(part, str) else part for part in detail])

    def moved(self, distance: int) -> "Fault":
        """Return the fault for text that begins `distance` characters earlier."""
        return Fault(self.code, self.index + distance, *self.detail)
