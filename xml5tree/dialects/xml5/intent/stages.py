"""The stages that have a policy, made."""

from collections.abc import Callable
from functools import partial

import xml5tree.dialects.xml5.intent as intent
import xml5tree.fastpath as fastpath
from xml5tree.dialects.xml5.elements import KnownElements, make_fence
from xml5tree.dialects.xml5.intent.ahead import Ahead
from xml5tree.dialects.xml5.intent.constants import AROUND
from xml5tree.dialects.xml5.intent.learning import Learner, learning
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.states import REPLACED
from xml5tree.dialects.xml5.intent.tokenizer import IntentTokenizer, unended_names
from xml5tree.dialects.xml5.intent.tree import IntentTreeBuilder
from xml5tree.dialects.xml5.junk import RootedTokenizer
from xml5tree.dialects.xml5.roots import RootsBuilder
from xml5tree.dialects.xml5.states import data_state, tag_state
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.output.markup import Emitter
from xml5tree.xml.limits import Limits

__all__ = ["make_stages"]


class _RootsBuilder(RootsBuilder, IntentTreeBuilder):
    """With any number of roots, which the policy takes for children of the element around them."""

    def begin_roots(self, offset: int) -> None:
        self.policy.opened(AROUND, {})
        super().begin_roots(offset)


class _RootedTokenizer(RootedTokenizer, IntentTokenizer):
    """With a root element that is known, so that no junk is to be looked for."""

    def begin_root(self) -> None:
        self.is_past_junk = True
        super().begin_root()


def make_stages(
    emitter: Emitter,
    reporter: Reporter,
    limits: Limits,
    settings: Settings,
    is_standalone: Callable[[], bool],
    make_known: Callable[[Settings, IntentTreeBuilder], KnownElements | None],
    *,
    is_quick: bool,
    finds: str,
) -> tuple[IntentTreeBuilder, IntentTokenizer]:
    """Tree construction and the tokenizer for one document, with a policy.

    Args:
        emitter: what the tree is told to.
        reporter: what the errors go to.
        limits: what the reader of the markup can read.
        settings: the options.
        is_standalone: as for `Tokenizer`.
        make_known: makes what takes the place of the tag state, or None.
        is_quick: whether there may be a fast path.
        finds: what the emitter looks for in runs; if anything, no error may be reported after a run that it is in.
    """
    scanner = fastpath.scanner if is_quick else None
    make_ahead = Ahead
    if scanner is not None and scanner.name == "compiled" and settings.elements is None:
        from xml5tree.dialects.xml5.intent.compiled import CompiledAhead

        make_ahead = CompiledAhead
    has_many_roots = settings.roots != "first"
    policy = Intent(intent.disabled, make_ahead, has_many_roots=has_many_roots)
    make_builder = _RootsBuilder if has_many_roots else IntentTreeBuilder
    builder = make_builder(emitter, reporter, limits, settings, policy)
    fast_path = learner = None
    if scanner is not None:
        fence = None if settings.elements is None else make_fence(settings, limits.left_out)
        learner = Learner(policy, is_compiled=scanner.name == "compiled")
        fast_path = fastpath.FastPath(
            builder,
            learning(scanner, learner),
            limits.names,
            fence,
            takes_errors=finds == "nothing" and not settings.keeps_control_characters,
            unended=unended_names(settings),
            is_verbatim=finds == "edits",
            keeps_lines=limits.tells_lines,
        )
    known = make_known(settings, builder)
    make_tokenizer: Callable[..., IntentTokenizer] = IntentTokenizer
    if settings.root is not None:
        make_tokenizer = partial(_RootedTokenizer, settings.root_names)
    tokenizer = make_tokenizer(
        builder,
        reporter,
        settings,
        data_state,
        tag_state if known is None else known.tag_state,
        REPLACED,
        fast_path=fast_path,
        has_shortcuts=fastpath.is_enabled() and settings.elements is None,
        is_standalone=is_standalone,
        known=known,
    )
    if learner is not None:
        learner.look_around(tokenizer)
    return builder, tokenizer
