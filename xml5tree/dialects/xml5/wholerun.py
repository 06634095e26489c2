"""Whole documents that one run of the compiled scan reads to the end, as it does most of them.

They need no stages for parts of a document. Tree construction is only made for errors that depend on open elements.
"""

from typing import TYPE_CHECKING, Final

import xml5tree.dialects.xml5.core as core
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.dtd.entities import Entities
from xml5tree.errors.codes import CODES
from xml5tree.errors.reporter import Reporter
from xml5tree.input.content import begins_as_markup
from xml5tree.input.declaration import XMLDeclaration, find_declaration
from xml5tree.input.decoder import certain_text
from xml5tree.input.stream import InputStream, is_plain
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.tree.namespaces import Namespaces
from xml5tree.xml.limits import ReaderLimits

if TYPE_CHECKING:
    from xml5tree.accelerator._scan import Run
    from xml5tree.dialects.xml5.editing import EditedSource


#: The length of documents that are tried; what is longer takes more time than the stages.
_MOST: Final = 1 << 16
#: The flags of a run that begins outside the root element, and of data that is plain.
_OUTSIDE: Final = 64
_PLAIN: Final = 512
#: Events of runs that only matter for others.
_NOTES: Final = frozenset({"outer-comment", "outer-instruction"})
#: Errors that leave tags where they are, so that the run has told of each prefix that the document lacks.
_WITHIN_TOKENS: Final = _NOTES | {
    *("unescaped-ampersand", "missing-semicolon-after-character-reference", "unended-reference"),
    *("unknown-named-character-reference", "undeclared-entity-reference", "coerced-character"),
    *("unquoted-attribute-value", "duplicate-attribute", "same-name", "mismatched-end-tag", "unmatched-end-tag"),
}


class WholeRun:
    """A document that has been read, and whose errors are to be reported."""

    def __init__(self, settings: Settings, limits: ReaderLimits, text: str, declaration: XMLDeclaration | None) -> None:
        self.text = text  # of the source
        self.builder: TreeBuilder | None = None  # made if it is needed
        self._stream: InputStream | None = None  # likewise
        self.reporter: Reporter
        self._settings = settings
        self._limits = limits
        self._declaration = declaration
        self._is_edited = False
        self._read = text  # what is read instead of the source
        self._run: Run = ()
        self._utf8 = b""  # what has been read

    def scan(self, utf8: bytes) -> bool:
        """Read the document; return whether one run is all of it."""
        settings, text = self._settings, self.text
        skip = 0 if self._declaration is None else self._declaration.end
        if not is_plain(utf8):
            self._stream = InputStream(finds_padding=settings.recovery == "intent")
            self._stream.feed(text, final=True)
        if settings.recovery != "intent":
            return self._scan(utf8, skip)
        from xml5tree.dialects.xml5.editing import EditedSource, FoundEdits

        found = FoundEdits(text, utf8, settings)
        if found.leaves_prefixes or not found.lacks_declarations:
            if not self._scan(utf8, skip, EditedSource(settings, meaning=found) if found.edits else None):
                return False
            codes = {error[3 if len(error) == core.OF_LIBRARY else 0] for error in self._run[9]}
            if codes <= _WITHIN_TOKENS or not found.lacks_declarations:
                return True
        found.declare()
        return not found.edits or self._scan(utf8, skip, EditedSource(settings, meaning=found))

    def _scan(self, utf8: bytes, skip: int, source: "EditedSource | None" = None) -> bool:
        settings = self._settings
        self.reporter = settings.make_reporter(
            CODES,
            left_out=self._limits.left_out,
            make=None if source is None else source.make_reporter,
        )
        if source is not None:
            self._is_edited = True
            self._read, utf8, skip = source.feed(self.text, utf8, skip=skip, final=True)
            if source.map.next_wall(-1) is not None:
                return False
        names = core.Names(self._entities, self._namespaces)
        content = core.make_content(self.reporter, self._limits, settings, names, [], {})
        flags = _OUTSIDE if self._stream or source else _OUTSIDE | _PLAIN
        self._run = content.read(utf8, {}, {}, None, skip, len(utf8), 0, 0, flags, 0, skip, 1, skip)
        self._utf8 = utf8[skip:]
        return bool(self._run[0] == len(utf8) > skip)

    def _entities(self) -> Entities:
        return Entities(self._settings, error=_say_nothing, offset=int)

    def _namespaces(self) -> Namespaces:
        return Namespaces(self._limits, self._settings, _say_nothing)

    def markup(self, encoding: str | None) -> bytes:
        """Report the errors; return the markup, with a declaration that names an encoding, or None."""
        reporter, text = self.reporter, self._read
        report = None if self._stream is None else self._stream.report
        if report and self._is_edited:
            report(reporter)
        reporter.advance(0, text)
        if report and not self._is_edited:
            report(reporter)
        markup: bytes | None
        _, _, markup, ended, opened, _, line, _, _, errors, lowest = self._run[:11]
        if markup is None:
            markup = self._utf8
        written = "" if self._declaration is None else self._declaration.written(encoding)
        events = [error for error in errors if len(error) == core.OF_LIBRARY and error[3] not in _NOTES]
        if not (opened or events):
            reporter.record_run([error for error in errors if len(error) != core.OF_LIBRARY])
            return written.encode() + markup
        emitter = Markup(lambda: reporter.locator.line(len(text)), keeps_lines=self._limits.tells_lines)
        if written:
            emitter.declaration(written, len(written))
        builder = self.builder = TreeBuilder(emitter, reporter, self._limits, self._settings)
        core.report_run(errors, reporter, builder.events, lambda name: self._entities().has(name))
        builder.append_run(markup, self._utf8, line - 1, ended, opened, lowest, *self._run[11:])
        builder.phase.end_of_file(len(text))
        return emitter.take()


def _say_nothing(*report: object, **more: object) -> None:
    """Take a report of what is not read yet."""


def find_run(whole: bytes | str, settings: Settings, limits: ReaderLimits) -> WholeRun | None:
    """Return a whole document if one run reads it; None: the stages do."""
    if (
        len(whole) > _MOST
        or core.compiled is None
        or settings.encoding is not None
        or settings.chooses_elements
        or settings.control_characters != "replace"
        or settings.structure is not None
        or settings.empty
        or settings.never_nest
        or (found := certain_text(whole)) is None
    ):
        return None
    text, utf8 = found
    if "!" in text and "<!DOCTYPE" in text:  # a character is found in a thirtieth of the time
        return None
    if isinstance(whole, bytes) and not (settings.force or begins_as_markup(whole)):
        return None
    declaration = find_declaration(text, final=True) if text.lstrip().startswith("<?xml") else None
    if declaration is not None and (
        not isinstance(declaration, XMLDeclaration) or declaration.problems or declaration.line_breaks
    ):
        return None
    run = WholeRun(settings, limits, text, declaration)
    return run if run.scan(utf8) else None
