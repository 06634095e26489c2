"""The lexer and its modes (M-020 to M-043).

Each mode is a method that consumes one token or a few and returns the next mode, or None if it needs more input.
"""

# Look-ahead of a token is awaited once (`Input.wait`), and a terminator missing from the document is remembered: so
# time is linear in the document, however it is fed (M-090).

import re
from collections.abc import Callable, Mapping
from typing import Final

from xml5tree.dialects.microxml.chars import (
    NAME,
    NAME_CHARACTERS,
    NAME_START,
    NOT_ALLOWED,
    SPACE,
    S,
    is_name,
    reference_problem,
)
from xml5tree.errors.reporter import Reporter
from xml5tree.machine.machine import Machine
from xml5tree.machine.quotes import OutsideQuotes
from xml5tree.xml.references import PREDEFINED, read_number

#: A mode returns the next mode, or None where the input pauses.
Mode = Callable[["Lexer"], "Mode | None"]

_TEXT: Final = re.compile("[^<>&]++")
_NAME_START: Final = re.compile(f"[{NAME_START}]")
_NAME: Final = re.compile(NAME)
_ANGLE: Final = re.compile("[<>]")
#: "<", a name (group 1), and attributes without value (group 2).
_OPENING: Final = re.compile(f"<({NAME})((?:{S}++{NAME})*+){S}*+")
_NAMES: Final = re.compile(f"{NAME}(?:{S}++{NAME})*+{S}*+")
_AFTER_NAMES: Final = re.compile(f"[^{NAME_CHARACTERS}{SPACE}]")
_END_TAG: Final = re.compile(f"</({NAME}){S}*+")
_REFERENCE: Final = re.compile(f"&(?:#x([0-9A-Fa-f]++)|#([0-9]++)|({NAME}));")
_MAYBE_REFERENCE: Final = re.compile(f"&#?+[{NAME_CHARACTERS}]*+")
_NO_REFERENCE: Final = re.compile(f"[^{NAME_CHARACTERS}]")
#: Runs of characters in values, by their quotes.
_RUNS: Final = {quote: re.compile(f"[^<>&{quote}]++") for quote in "'\""} | {"": re.compile(f"[^>/&<{SPACE}]++")}
#: Terminators, and the patterns by which they are awaited.
_TERMINATORS: Final = {terminator: re.compile(re.escape(terminator)) for terminator in ("-->", "?>", "'", '"')}
#: White space that XML values need as references.
_SPACE_IN_VALUE: Final = re.compile(r"[\t\n]")
_SECTION: Final = "<![CDATA["
_DOCTYPE: Final = re.compile("<!DOCTYPE", re.IGNORECASE | re.ASCII)
_MARK_IN_DOCTYPE: Final = re.compile(r"""[\[\]<>"']""")
_SUBSET_END: Final = re.compile(rf"\]{S}*+")
_NOT_SPACE: Final = re.compile(f"[^{SPACE}]")
_SIGNS_IN_VALUES: Final = {"<": "less-than-sign-in-attribute-value", ">": "greater-than-sign-in-attribute-value"}


class Sink:
    """Takes the abstract tokens: tree construction, or a recorder. What a subclass does not take is ignored.

    `offset` is the start of a token. `verbatim` is its source if XML reads that as this dialect does, else None.
    """

    def start_tag_open(self, name: str, offset: int) -> None:
        """Begin a start tag or an empty tag."""

    def attribute(self, name: str, offset: int) -> None:
        """Begin an attribute of the tag; its name is unique in the tag."""

    def attribute_value(self, value: str) -> None: ...

    def start_tag_close(self, verbatim: str | None, empty: bool) -> None: ...

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None: ...

    def flat_elements(self, text: str, start: int, offset: int) -> int:
        """Take flat elements of `text` at an index, `offset` in the document, as they are; return their end."""
        return start

    def characters(self, data: str, offset: int) -> None:
        """Take characters that stand unchanged in the document."""

    def reference(self, data: str, offset: int, verbatim: str | None) -> None:
        """Take the text of a reference."""

    def section(self, data: str, offset: int) -> None:
        """Take the characters of a CDATA section."""

    def comment(self, data: str, offset: int) -> None:
        """Take a comment, which is no abstract token."""

    def doctype(self, offset: int) -> None:
        """Take the start of a DOCTYPE, which is no abstract token."""

    def end_of_file(self, offset: int) -> None: ...


class Lexer(Machine):
    """Divides the input into lexical tokens; the abstract tokens go to `sink`."""

    def __init__(self, sink: Sink, reporter: Reporter, entities: Mapping[str, str]) -> None:
        """Set where tokens and errors go; `entities` are names of characters besides the five."""
        super().__init__(reporter, Lexer._main)
        self._sink = sink
        self._entities = entities
        self._may_be_flat = False  # whether the text may have flat elements
        #: Terminators that are missing from the rest; known only when all input has come.
        self._missing: set[str] = set()
        #: Failed searches for a declaration's end, and how far each has been continued.
        self._failed: list[tuple[OutsideQuotes, int]] = []

        # The current tag.
        self._is_in_tag = False  # whether the lexer is in a start tag
        self._is_over = False  # whether the end of the document has been taken
        self._names: set[str] = set()  # names of its attributes
        self._spaced = True  # whether white space precedes its next part
        self._is_clean = True  # whether it is error-free so far
        self._quote = ""  # around the current value
        self._value_counts = True  # False for the value of a duplicate attribute
        self._data_signs = ""  # those of "<" and ">" that are data in this value

    @property
    def offset(self) -> int:
        return self._base + self._position

    @property
    def reached(self) -> int:
        return self.token_offset if self._is_in_tag else self.offset

    def place(self, back: int = 0) -> int:
        """See `Input`; elements closed by the end of the document end after it."""
        return super().place(back) + self._is_over

    # For the owner ----------------------------------------------------------------------------------------------

    def line(self) -> int:
        return self._reporter.locator.line(self._base + self._position)

    def _load(self, skip: int) -> None:
        super()._load(skip)
        self._may_be_flat = not NOT_ALLOWED.may_be_in(self._text)

    # Helpers of modes -------------------------------------------------------------------------------------------

    def _error(self, code: str, offset: int, *detail: object) -> None:
        self._is_clean = False
        self._reporter.report(code, offset, *detail)

    def _error_at_end(self, code: str) -> None:
        self._error(code, self._base + self._end)
        self._reporter.log.truncated = True

    def _find(self, terminator: str, start: int) -> int:
        """Return the index of a terminator, searched from `start` on; -1 to wait for it, or if it never comes."""
        if terminator in self._missing:
            return -1
        found = self._text.find(terminator, start)
        if found < 0:
            if self._final:
                self._missing.add(terminator)
            else:
                self.wait(_TERMINATORS[terminator])
        return found

    def _lacks(self, count: int) -> bool:
        """Return whether fewer than `count` characters have come but more may; then hold the input back."""
        if self._final or self._position + count <= self._end:
            return False
        self.wait()
        return True

    # Main -------------------------------------------------------------------------------------------------------

    def _main(self) -> "Mode | None":
        if self._may_be_flat:
            self._position = self._sink.flat_elements(self._text, self._position, self.offset)
        while (position := self._position) < self._end:
            run = _TEXT.match(self._text, position)
            if run is not None:
                self._position = run.end()
                self._sink.characters(run[0], self._base + position)
                continue
            sign = self._text[position]
            if sign == "<":
                return self._markup()
            if sign == ">":
                self._take_sign("greater-than-sign-in-text")
            elif (reference := self._reference()) is not None:
                self._sink.reference(reference[0], self._base + position, reference[1])
            else:
                return None
        if self._final:
            self._is_over = True
            self._sink.end_of_file(self._base + self._end)
        return None

    def emit_characters(self, data: str) -> None:
        self._sink.characters(data, self._base + self._position - len(data))

    def _take_sign(self, code: str) -> None:
        """Take a markup character as text, with an error."""
        self._error(code, self.offset)
        self.emit_characters(self.consume())

    def _less_than_sign(self) -> "Mode | None":
        self._take_sign("unescaped-less-than-sign")
        return Lexer._main

    def _markup(self) -> "Mode | None":
        if self._lacks(2):
            return None
        following = self._text[self._position + 1 : self._position + 2]
        if following == "/":
            return self._end_tag()
        if following == "!":
            return self._declaration()
        if following == "?":
            return self._processing_instruction()
        if _NAME_START.match(following):
            return self._start_tag()
        return self._less_than_sign()

    def _end_tag(self) -> "Mode | None":
        if self._lacks(3):
            return None
        tag = self.match(_END_TAG)
        if tag is None:
            return self._less_than_sign()
        if self.reaches_end(tag):
            self.wait(_AFTER_NAMES)
            return None
        if self._text[tag.end() : tag.end() + 1] != ">":
            return self._less_than_sign()
        self._position = tag.end() + 1
        verbatim = None if "\f" in tag[0] else f"{tag[0]}>"
        self._sink.end_tag(tag[1], self._base + tag.start(), verbatim)
        return Lexer._main

    def _declaration(self) -> "Mode | None":
        opening = self.peek(9)
        if opening.startswith("<!--"):
            return self._comment()
        if opening == _SECTION:
            self._error("cdata-not-allowed", self.offset)
            self.skip(9)
            return Lexer._section
        if _DOCTYPE.match(opening):
            self._error("doctype-not-allowed", self.offset)
            self._sink.doctype(self.offset)
            self.skip(9)
            return Lexer._doctype
        known = ("<!--", _SECTION, "<!DOCTYPE")
        if any(start.startswith((opening, opening.upper())) for start in known) and self._lacks(9):
            return None
        return self._less_than_sign()

    def _comment(self) -> "Mode | None":
        start = self._position + 4
        end = self._find("-->", start)
        if end < 0:
            return self._less_than_sign() if self._final else None
        data = self._text[start:end]
        offset = self.offset
        if "--" in data or data.endswith("-"):
            self._error("malformed-comment", offset)
        self._position = end + 3
        self._sink.comment(data, offset)
        return Lexer._main

    def _processing_instruction(self) -> "Mode | None":
        end = self._find("?>", self._position + 2)
        if end < 0:
            return self._less_than_sign() if self._final else None
        opening, offset = self.peek(6), self.offset
        if not offset and opening.startswith("<?xml") and opening[5] in f"?{SPACE}":
            self._error("xml-declaration-not-allowed", offset)
        else:
            self._error("processing-instruction-not-allowed", offset)
        self._position = end + 2
        return Lexer._main

    def _reference(self) -> tuple[str, str | None] | None:
        """Consume a reference, or a lone ``&``; return None if more input is needed.

        Returns:
            The text that it stands for, and its source if XML reads that as this dialect does, else None.
        """
        found, offset = self.match(_REFERENCE), self.offset
        if found is None:
            begun = self.match(_MAYBE_REFERENCE)
            if begun is not None and self.reaches_end(begun):
                self.wait(_NO_REFERENCE)
                return None
            self._error("unescaped-ampersand", offset)
            return self.consume(), None
        self._position = found.end()
        source, (hexadecimal, decimal, name) = found[0], found.groups()
        if name in PREDEFINED:
            return PREDEFINED[name], source
        if name is not None:
            is_known = name in self._entities
            code = "undeclared-entity-reference" if is_known else "unknown-named-character-reference"
            self._error(code, offset, source)
            return self._entities[name] if is_known else source, None
        if decimal is not None:
            self._error("decimal-character-reference", offset, source)
        number = read_number(hexadecimal or decimal, 10 if hexadecimal is None else 16)
        problem = reference_problem(number)
        if problem is not None:
            self._error(problem, offset, source)
        character = chr(number) if number <= 0x10FFFF else source
        return character, source if decimal is None and problem is None else None

    # Tags -------------------------------------------------------------------------------------------------------

    def _start_tag(self) -> "Mode | None":
        """Take ``<`` and the name of an element, if a tag follows (M-030)."""
        # A tag without errors ends at the next angle bracket; then it is complete, and can be written unchanged.
        if not self._final and not _ANGLE.search(self._text, self._position + 1):
            self.wait(_ANGLE)
            return None
        opening = self.match(_OPENING)
        assert opening is not None  # it begins with a name
        following = self._text[opening.end() : opening.end() + 2]
        if following[:1] != ">" and following != "/>" and not (following[:1] == "=" and opening[2]):
            return self._less_than_sign()
        name = opening[1]
        self.token_offset = self.offset
        self._names.clear()
        self._spaced = self._is_clean = self._is_in_tag = True
        self._check_name(name, self.token_offset)
        self._sink.start_tag_open(name, self.token_offset)
        self._position += 1 + len(name)
        return Lexer._tag

    def _check_name(self, name: str, offset: int) -> None:
        """Report a name that is not one of MicroXML; its tag can still be written unchanged."""
        if not is_name(name):
            self._reporter.report("invalid-name", offset, name)

    def _tag(self) -> "Mode | None":
        if self.run_until(_NOT_SPACE):
            self._spaced = True
        if self._position == self._end:
            return self._end_in_tag()
        sign = self._text[self._position]
        if sign == ">":
            self._position += 1
            return self._close_tag(empty=False)
        if sign == "/":
            if self._lacks(2):
                return None
            if self.peek(2) == "/>":
                self._position += 2
                return self._close_tag(empty=True)
        names = self.match(_NAMES)
        if names is not None:
            following = self._text[names.end() : names.end() + 2]
            if not self._final and following in {"", "/"}:
                self.wait(None if following else _AFTER_NAMES)
                return None
            if following[:1] in {"=", ">"} or following == "/>":
                return self._attributes(names, has_value=following[0] == "=")
        self._error("unclosed-tag", self.offset)
        return self._close_tag(empty=False)

    def _end_in_tag(self) -> "Mode | None":
        """End the input in a tag or a value; at the end of the document, close the tag (M-038)."""
        if not self._final:
            return None
        self._error_at_end("eof-in-tag")
        return self._close_tag(empty=False)

    def _close_tag(self, empty: bool) -> "Mode | None":
        verbatim = None
        if self._is_clean and self.token_offset >= self._base:
            verbatim = self._text[self.token_offset - self._base : self._position]
            if "\f" in verbatim:
                verbatim = None
        self._sink.start_tag_close(verbatim, empty)
        self._is_in_tag = False
        return Lexer._main

    def _attributes(self, names: re.Match[str], has_value: bool) -> "Mode | None":
        """Take the names of attributes; all but perhaps the last have no value."""
        found = list(_NAME.finditer(self._text, names.start(), names.end()))
        for number, name in enumerate(found, start=1):
            offset = self._base + name.start()
            if not self._spaced:
                self._error("missing-whitespace-between-attributes", offset)
            self._spaced = True
            self._attribute(name[0], offset)
            if number < len(found) or not has_value:
                self._error("attribute-without-value", offset)
                self._end_value()
        self._position = names.end()
        if not has_value:
            return Lexer._tag
        self._position += 1
        return Lexer._start_value

    def _attribute(self, name: str, offset: int) -> None:
        if name == "xmlns":
            self._error("xmlns-attribute", offset)
        else:
            self._check_name(name, offset)
        self._value_counts = name not in self._names
        if self._value_counts:
            self._names.add(name)
            self._sink.attribute(name, offset)
        else:
            self._error("duplicate-attribute", offset, name)

    def _end_value(self) -> "Mode":
        value = self.take_collected()
        if self._value_counts:
            self._sink.attribute_value(value)
        return Lexer._tag

    # Values -----------------------------------------------------------------------------------------------------

    def _start_value(self) -> "Mode | None":
        self.run_until(_NOT_SPACE)
        if self._position == self._end:
            if self._final:
                self._end_value()
            return self._end_in_tag()
        sign = self._text[self._position]
        if sign in {"'", '"'}:
            self._position += 1
            self._quote, self._data_signs = sign, ""
            return Lexer._value
        if sign == "/" and self._lacks(2):
            return None
        if sign == ">" or self.peek(2) == "/>":
            self._error("missing-attribute-value", self.offset)
            return self._end_value()
        self._error("unquoted-attribute-value", self.offset)
        self._quote, self._data_signs = "", "<"
        return Lexer._value

    def _value(self) -> "Mode | None":
        """Take a value up to its quote; one without quotes ends at white space, ``>`` or ``/>``."""
        quote = self._quote
        while self._position < self._end:
            run = self.match(_RUNS[quote])
            if run is not None:
                self.collected.append(run[0])
                self._is_clean = self._is_clean and not _SPACE_IN_VALUE.search(run[0])
                self._position = run.end()
                continue
            sign = self._text[self._position]
            if sign == "&":
                reference = self._reference()
                if reference is None:
                    return None
                self.collect(reference[0])
            elif sign in self._data_signs:
                self._error(_SIGNS_IN_VALUES[sign], self.offset)
                self.collect(self.consume())
            elif quote and sign != quote:
                proper = self._has_proper_end()
                if proper is None:
                    return None
                if not proper:
                    self._error("missing-quote-after-attribute-value", self.offset)
                    return self._end_value()
                self._data_signs = "<>"
            elif sign == "/" and self._lacks(2):
                return None
            elif sign == "/" and self.peek(2) != "/>":
                self.collect(self.consume())
            else:
                if quote:
                    self._position += 1
                    self._spaced = False
                return self._end_value()
        if self._final:
            self._end_value()
        return self._end_in_tag()

    def _has_proper_end(self) -> bool | None:
        """Return whether the text after the next quote shows that the value ends there (M-036); None: wait."""
        quote = self._find(self._quote, self._position)
        if quote < 0:
            return False if self._final else None
        following = self._text[quote + 1 : quote + 3]
        if not self._final and (not following or following == "/"):
            self.wait()
            return None
        return following[:1] in {">", *SPACE} or following == "/>"

    # CDATA and DOCTYPE ------------------------------------------------------------------------------------------

    def _section(self) -> "Mode | None":
        offset = self.offset
        is_closed = self.take_until("]]>")
        if data := self.take_collected():
            self._sink.section(data, offset)
        if is_closed:
            return Lexer._main
        if self._final:
            self._error_at_end("eof-in-cdata")
            return Lexer._main
        if self._position < self._end:
            self.wait()
        return None

    def _unclosed_doctype(self) -> "Mode | None":
        """End an unclosed DOCTYPE here (M-043)."""
        self._error("unclosed-doctype", self.offset)
        return Lexer._main

    def _end_in_doctype(self) -> "Mode | None":
        if not self._final:
            return None
        self._error_at_end("eof-in-doctype")
        return Lexer._main

    def _doctype(self) -> "Mode | None":
        self.run_until(_MARK_IN_DOCTYPE)
        if self._position == self._end:
            return self._end_in_doctype()
        sign = self._text[self._position]
        if sign == ">":
            self._position += 1
            return Lexer._main
        if sign == "[":
            self._position += 1
            return Lexer._subset
        if sign in {"'", '"'}:
            return self._skip(sign, self._position + 1, Lexer._doctype)
        return self._unclosed_doctype()

    def _skip(self, terminator: str, start: int, mode: Mode) -> "Mode | None":
        """Skip a construct of a DOCTYPE, whose terminator is searched from `start` on."""
        found = self._find(terminator, start)
        if found >= 0:
            self._position = found + len(terminator)
            return mode
        return self._unclosed_doctype() if self._final else None

    def _subset(self) -> "Mode | None":
        self.run_until(_NOT_SPACE)
        if self._position == self._end:
            return self._end_in_doctype()
        opening = self.peek(4)
        if opening in {"<", "<!", "<!-"} and self._lacks(4):
            return None
        if opening.startswith("<?"):
            return self._skip("?>", self._position + 2, Lexer._subset)
        if opening == "<!--":
            return self._skip("-->", self._position + 4, Lexer._subset)
        if opening.startswith("<!"):
            return self._markup_declaration()
        end = self.match(_SUBSET_END)
        if end is not None:
            if self.reaches_end(end):
                self.wait(_NOT_SPACE)
                return None
            if self._text[end.end() : end.end() + 1] == ">":
                self._position = end.end() + 1
                return Lexer._main
        return self._unclosed_doctype()

    def _markup_declaration(self) -> "Mode | None":
        """Skip a declaration of the subset, up to ``>`` outside of literals."""
        if self._has_failed():
            return self._unclosed_doctype()
        literals = OutsideQuotes(">")
        end = literals.find(self._text, self._position, self._end)
        if end >= 0:
            self._position = end + 1
            return Lexer._subset
        if not self._final:
            self.wait(literals.see)
            return None
        self._failed.append((OutsideQuotes(">"), self._position))
        return self._unclosed_doctype()

    def _has_failed(self) -> bool:
        """Return whether an earlier search shows that the declaration here has no end."""
        # That search failed from the same state on. There are three states, and quotes permute them: searches in
        # different states never meet, so no place is searched more than three times.
        for number, (literals, position) in enumerate(self._failed):
            literals.find(self._text, position, self._position)
            self._failed[number] = literals, self._position
        return any(not literals.quote for literals, _ in self._failed)
