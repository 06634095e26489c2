"""Makes tokenizer and tree construction by the options.

Modules that few documents need are imported late.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import xml5tree.dialects.xml5.core as core
from xml5tree.dialects.xml5.states import data_state, tag_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.reporter import Reporter
from xml5tree.input.stream import InputStream
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import ReaderLimits
from xml5tree.xml.names import FIFTH_EDITION, UNREPLACED

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.editing import EditedSource


#: A character that XML forbids, or a reference to one.
_FORBIDDEN: Final = re.compile(
    rb"[\0-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]"
    rb"|&#0*(?:[0-9]|[12][0-9]|3[01]|5[5-7][0-9]{3}|6553[45]|[0-9]{7,})(?![0-9])"
    rb"|&#[xX]0*(?:1?[0-9A-Fa-f]|[dD][89A-Fa-f][0-9A-Fa-f]{2}|[fF]{3}[EFef]|[0-9A-Fa-f]{6,})(?![0-9A-Fa-f])"
)


def _next_forbidden(utf8: bytes, place: int) -> int:
    found = _FORBIDDEN.search(utf8, place)
    return found.start() if found else len(utf8)


def make_source(settings: Settings, *, notes_places: bool = False) -> "EditedSource | None":
    """Make the stage that edits the source of one document; None: it is read as it is."""
    if settings.recovery != "intent":
        return None
    from xml5tree.dialects.xml5.editing import EditedSource

    return EditedSource(settings, notes_places=notes_places)


def make_stream(settings: Settings) -> InputStream:
    find_late = None
    if settings.root_element is not None or settings.recovery == "intent":
        from xml5tree.dialects.xml5.late_declaration import make_finder

        find_late = make_finder(settings)
    return InputStream(
        encoding=settings.encoding,
        find_late=find_late,
        keeps_null=settings.keeps_control_characters,
        finds_padding=settings.recovery == "intent",
    )


def make_stages(
    emitter: Markup,
    reporter: Reporter,
    limits: ReaderLimits,
    settings: Settings,
    is_standalone: Callable[[], bool],
    *,
    is_quick: bool = True,
    wanted: str | None = None,
    is_unchanged: bool = False,
) -> tuple[TreeBuilder, Tokenizer]:
    """Make tree construction and the tokenizer of one document.

    The emitter takes the tree, for a reader with these limits; `is_quick` allows the compiled core. For `wanted` and
    `is_unchanged` see `Core`.
    """
    make_builder, make_tokenizer = _makers_of(settings)
    builder = make_builder(emitter, reporter, limits, settings)
    known = reader = None
    if settings.elements is not None:
        from xml5tree.dialects.xml5.elements import KnownElements, make_fence

        known = KnownElements(settings, builder)
    if is_quick and core.compiled is not None:
        reader = core.Core(builder, reporter, limits, settings, wanted=wanted, is_unchanged=is_unchanged)
        if known is not None:
            reader.fences.append(make_fence(settings, limits.left_out))
        if settings.keeps_control_characters:
            reader.fences.append(_next_forbidden)
        if settings.roots != "first":  # between roots, XML declarations are left out
            reader.fences.append(partial(core.find_or_end, b"<?xml"))
    tokenizer = make_tokenizer(
        builder,
        reporter,
        settings,
        data_state,
        tag_state if known is None else known.tag_state,
        core=reader,
        is_standalone=is_standalone,
        known=known,
    )
    tokenizer.keep_declarations(limits)
    if limits.names is FIFTH_EDITION:
        # libxml2 reads U+FFFD in names, and expat does not: what was replaced has to come to the same (D-010).

        def forbid_replaced() -> None:
            builder.namespaces.use_rules(UNREPLACED)
            if reader is not None:
                reader.forbid_replaced()

        tokenizer.on_replaced = forbid_replaced
    return builder, tokenizer


def _makers_of(settings: Settings) -> tuple[Callable[..., TreeBuilder], Callable[..., Tokenizer]]:
    """Return makers of tree construction and the tokenizer for a document that is read by the draft."""
    make_builder: Callable[..., TreeBuilder] = TreeBuilder
    make_tokenizer: Callable[..., Tokenizer] = Tokenizer
    if settings.roots != "first":
        from xml5tree.dialects.xml5.roots import RootsBuilder

        make_builder = RootsBuilder
    if settings.root_element is not None:
        from xml5tree.dialects.xml5.junk import RootedTokenizer

        make_tokenizer = partial(RootedTokenizer, settings.root_names)
    return make_builder, make_tokenizer
