"""parsel (1.8.1 or later): a `Selector` of broken XML."""

from typing import Any

import parsel

from xml5tree.api import fromstring
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.options import Options
from xml5tree.parser import XMLParser

__all__ = ["Selector"]


class Selector(parsel.Selector):
    """`parsel.Selector` of an XML document; `error_log` has the errors of a document, and none of selected parts."""

    __slots__ = ("error_log",)

    def __init__(
        self,
        text: str | None = None,
        *,
        body: bytes | None = None,
        encoding: str | None = None,
        options: Options | None = None,
        **others: Any,
    ) -> None:
        """Read a document.

        Args:
            text: the document as text.
            body: the document as bytes, instead of text.
            encoding: the encoding of `body`, which overrules any other; None: that which the document has.
            options: options of `xml5tree.options.Settings`, or None.
            **others: options of `parsel.Selector`, such as ``namespaces``.

        A document that is empty or white space is what it is for `parsel.Selector`, unless it is read strictly.

        Raises what `xml5tree.fromstring` raises, and `ValueError` if there is neither `text` nor `body`.
        """
        self.error_log = ErrorLog()
        document = body if text is None else text
        if document is not None:
            known: Options = {} if encoding is None or document is text else {"encoding": encoding}
            parser = XMLParser(backend="lxml", **known | (options or {}))
            try:
                others |= {"root": fromstring(document, parser=parser), "type": "xml"}
            except ParseError:
                if document.strip() or (options or {}).get("recovery") == "strict":
                    raise
                others = {"type": "xml", **others, "text": ""}
            self.error_log = parser.error_log
        super().__init__(**others)  # of a selected part, there is only a root among them
