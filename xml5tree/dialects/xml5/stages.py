"""Tree construction and the tokenizer, made as the options ask for; what few documents need is imported for these."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from xml5tree.dialects.xml5.states import data_state, tag_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.reporter import Reporter
from xml5tree.fastpath import is_enabled, make_fast_path
from xml5tree.input.stream import InputStream
from xml5tree.options import Settings
from xml5tree.output.markup import Emitter
from xml5tree.xml.limits import Limits

if TYPE_CHECKING:
    from xml5tree.dialects.xml5.elements import KnownElements

__all__ = ["Finds", "make_known", "make_stages", "make_stream"]

#: What an emitter may look for in runs.
Finds = Literal["nothing", "elements of a name", "elements", "edits"]


def make_stream(settings: Settings) -> InputStream:
    """Make the input stream of one document."""
    find_late = None
    if settings.root is not None or settings.recovery == "intent":
        from xml5tree.dialects.xml5.late import make_finder

        find_late = make_finder(settings)
    return InputStream(encoding=settings.encoding, find_late=find_late, keeps_null=settings.keeps_control_characters)


def make_stages(
    emitter: Emitter,
    reporter: Reporter,
    limits: Limits,
    settings: Settings,
    is_standalone: Callable[[], bool],
    *,
    is_quick: bool = True,
    finds: Finds = "nothing",
) -> tuple[TreeBuilder, Tokenizer]:
    """Make tree construction and the tokenizer of one document.

    Args:
        emitter: what the tree is told to.
        reporter: what the errors go to.
        limits: what the reader of the markup can read.
        settings: the options.
        is_standalone: as for `Tokenizer`.
        is_quick: whether there may be a fast path.
        finds: what the emitter looks for in runs. So that it can, runs have no wrong end tags then, or no errors; for
            edits, they are as they stand in the document.
    """
    if settings.recovery == "intent":
        from xml5tree.dialects.xml5.intent.stages import make_stages as make_stages_of_intent

        return make_stages_of_intent(
            emitter,
            reporter,
            limits,
            settings,
            is_standalone,
            make_known,
            is_quick=is_quick,
            finds=finds,
        )
    builder = _make_builder(emitter, reporter, limits, settings)
    fence = None
    if settings.elements is not None:
        from xml5tree.dialects.xml5.elements import make_fence

        fence = make_fence(settings, limits.left_out)
    known = make_known(settings, builder)
    make_tokenizer: Callable[..., Tokenizer] = Tokenizer
    if settings.root is not None:
        from xml5tree.dialects.xml5.junk import RootedTokenizer

        make_tokenizer = partial(RootedTokenizer, settings.root_names)
    return builder, make_tokenizer(
        builder,
        reporter,
        settings,
        data_state,
        tag_state if known is None else known.tag_state,
        fast_path=make_fast_path(
            builder,
            limits.names,
            fence,
            takes_errors=finds in {"nothing", "elements of a name"} and not settings.keeps_control_characters,
            takes_end_tags=finds == "nothing",
            is_verbatim=finds == "edits",
            keeps_lines=limits.tells_lines,
        )
        if is_quick
        else None,
        has_shortcuts=is_enabled() and settings.elements is None,
        is_standalone=is_standalone,
        known=known,
    )


def _make_builder(emitter: Emitter, reporter: Reporter, limits: Limits, settings: Settings) -> TreeBuilder:
    if settings.roots == "first":
        return TreeBuilder(emitter, reporter, limits, settings)
    from xml5tree.dialects.xml5.roots import RootsBuilder

    return RootsBuilder(emitter, reporter, limits, settings)


def make_known(settings: Settings, builder: TreeBuilder) -> "KnownElements | None":
    """Make what takes the place of the tag state where only some names are tags; None where all are."""
    if settings.elements is None:
        return None
    from xml5tree.dialects.xml5.elements import KnownElements

    return KnownElements(settings, builder)
