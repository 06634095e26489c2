"""BeautifulSoup (beautifulsoup4 4.12.3 or later): the parser `"xml5"`."""

from collections.abc import Iterator
from typing import Any, ClassVar, Final, cast

from bs4.builder import ParserRejectedMarkup, builder_registry
from bs4.builder._lxml import LXMLTreeBuilderForXML

from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.options import Options, Settings
from xml5tree.parser import XMLParser

__all__ = ["XML5TreeBuilder"]

_OPTIONS: Final = {*Settings._fields}


class XML5TreeBuilder(LXMLTreeBuilderForXML):
    """BeautifulSoup's tree builder for XML, which is fed the repaired document.

    Options of `xml5tree.options.Settings` are arguments of ``BeautifulSoup``; its ``from_encoding`` is the option
    `encoding`. A document without a tree raises `ParserRejectedMarkup`; one of only white space is an empty soup.

    Attributes:
        error_log: the errors of the last document.
    """

    NAME = "xml5"
    ALTERNATE_NAMES: ClassVar[list[str]] = ["xml5-lxml"]
    features: ClassVar[list[str]] = [NAME, *ALTERNATE_NAMES]

    def __init__(self, **options: Any) -> None:
        """Set the options of `xml5tree.options.Settings` and of BeautifulSoup's builder."""
        own = {name: options.pop(name) for name in _OPTIONS & options.keys()}
        self._options = cast(Options, own)
        self.error_log = ErrorLog()
        super().__init__(**options)
        XMLParser(backend="lxml", target=self, **self._options)  # refuses options that do not exist

    def prepare_markup(
        self,
        markup: Any,
        user_specified_encoding: Any = None,
        document_declared_encoding: Any = None,
        exclude_encodings: Any = None,
    ) -> Iterator[tuple[Any, Any, Any, bool]]:
        """Yield the document once, unchanged: the repair detects the encoding."""
        yield markup, user_specified_encoding, document_declared_encoding, False

    def feed(self, markup: str | bytes) -> None:
        """Read the document; raise `ParserRejectedMarkup` without a tree, or for an unknown encoding."""
        if not markup.strip():
            return
        options = self._options.copy()
        if isinstance(markup, bytes) and self.soup.original_encoding:
            options["encoding"] = self.soup.original_encoding
        try:
            parser = XMLParser(backend="lxml", target=self, **options)
        except LookupError as error:
            raise ParserRejectedMarkup(str(error)) from error
        try:
            parser.parse_whole(markup)
        except ParseError as error:
            raise ParserRejectedMarkup(str(error)) from error
        finally:
            self.error_log = parser.error_log


builder_registry.register(XML5TreeBuilder)
