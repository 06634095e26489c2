"""The interface between tokenizer and tree construction."""

from typing import Protocol

from xml5tree.dtd.declarations import Dtd


class Doctype:
    """The current DOCTYPE: its name, in the case of the document, and identifiers, or None, and the internal subset."""

    def __init__(self, dtd: Dtd) -> None:
        self.name: str | None = None
        self.public_id: str | None = None
        self.system_id: str | None = None
        self.dtd = dtd


class TokenSink:
    """Takes the tokens: a phase of tree construction, or a recorder. What a subclass does not take is ignored.

    `offset` is the beginning of the token. `verbatim` is its source if that may stand as it is in the markup, because a
    conforming parser, given no DTD, reads it as the tokenizer did; None if the token came out of an entity or something
    about it was repaired.
    """

    def start_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        """Take a start tag: raw names, in document order."""

    def empty_tag(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None: ...

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None: ...

    def short_end_tag(self, offset: int) -> None: ...

    def characters(self, data: str, offset: int) -> None:
        """Take characters that stand in the document as they are."""

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        """Take characters that a reference stands for; adjacent to those before and after."""

    def cdata_start(self, offset: int) -> None:
        """Begin a CDATA section of the document."""

    def cdata_end(self) -> None: ...

    def comment(self, data: str, offset: int, verbatim: str | None) -> None: ...

    def processing_instruction(self, target: str, data: str, offset: int, verbatim: str | None) -> None: ...

    def doctype(self, doctype: Doctype, offset: int, verbatim: str | None) -> None:
        """Take a DOCTYPE; a sink that does not accept its declarations calls `discard` of its `dtd`."""

    def enter_entity(self, name: str, offset: int) -> None:
        """Begin the replacement text of an entity."""

    def leave_entity(self, name: str, offset: int) -> None:
        """End the replacement text of an entity."""

    def end_of_file(self, offset: int) -> None: ...


class TreeConstruction(Protocol):
    """Has the current phase, which takes the tokens; each token may change it."""

    @property
    def phase(self) -> TokenSink:
        """The current phase, which takes the next token."""

    def ends_with_root(self, text: str) -> bool:
        """Return whether a text ends in an end tag of the open root element, so that the document is there whole."""
