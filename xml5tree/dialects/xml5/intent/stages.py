"""Makes the stages of a document with a policy."""

from collections.abc import Callable
from functools import partial
from typing import Any

from xml5tree.dialects.xml5.intent.ahead import Ahead
from xml5tree.dialects.xml5.intent.constants import AROUND
from xml5tree.dialects.xml5.intent.learned import Learned
from xml5tree.dialects.xml5.intent.learning import Learner, learning
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.runs.contract import RunReader
from xml5tree.dialects.xml5.intent.runs.pure import PureReader
from xml5tree.dialects.xml5.intent.states import REPLACED
from xml5tree.dialects.xml5.intent.tokenizer import IntentTokenizer, unended_names
from xml5tree.dialects.xml5.intent.tree import IntentTreeBuilder
from xml5tree.dialects.xml5.junk import RootedTokenizer
from xml5tree.dialects.xml5.roots import RootsBuilder
from xml5tree.fastpath.contract import Scanner
from xml5tree.options import Settings
from xml5tree.xml.vocabulary import Vocabulary

__all__ = ["makers_of", "unended_names"]


class _RootsBuilder(RootsBuilder, IntentTreeBuilder):
    """Tree construction with any number of roots, which the policy takes for children of the element around them."""

    def begin_roots(self, offset: int) -> None:
        self.policy.opened(AROUND, {})
        super().begin_roots(offset)


class _RootedTokenizer(RootedTokenizer, IntentTokenizer):
    """A tokenizer for a known root element, so that no junk is looked for."""

    def begin_root(self) -> None:
        self.is_past_junk = True
        super().begin_root()


def makers_of(
    settings: Settings, scanner: Scanner | None
) -> tuple[Callable[..., IntentTreeBuilder], Callable[..., IntentTokenizer], Scanner | None]:
    """Return makers of tree construction and the tokenizer with a policy, and the scanner; None: no fast path."""
    make_ahead: Callable[[Learned], Ahead] = Ahead
    make_reader: Callable[[Intent], RunReader] = PureReader
    if scanner is not None and scanner.name == "compiled":
        from xml5tree.dialects.xml5.intent.compiled import CompiledAhead
        from xml5tree.dialects.xml5.intent.runs.compiled import CompiledReader

        make_ahead, make_reader = CompiledAhead, CompiledReader
    has_many_roots = settings.roots != "first"
    elements = None if settings.elements is None else Vocabulary(settings.elements)
    roots = elements if settings.root_element is None else Vocabulary(settings.root_names)
    policy = Intent(make_ahead, has_many_roots=has_many_roots, elements=elements, roots=roots)
    builder_type = _RootsBuilder if has_many_roots else IntentTreeBuilder
    tokenizer_type: Callable[..., IntentTokenizer] = IntentTokenizer
    if settings.root_element is not None:
        tokenizer_type = partial(_RootedTokenizer, settings.root_names)
    make_tokenizer: Callable[..., IntentTokenizer] = partial(tokenizer_type, replaced=REPLACED)
    if scanner is not None:
        learner = Learner(policy, make_reader(policy))
        may_take_root = not has_many_roots and settings.root_element is None and settings.elements is None
        scanner = learning(scanner, learner, may_take_root=may_take_root)
        make_tokenizer = partial(_make_learned_from, learner, make_tokenizer)
    return partial(builder_type, policy=policy), make_tokenizer, scanner


def _make_learned_from(
    learner: Learner, make_tokenizer: Callable[..., IntentTokenizer], *arguments: Any, **options: Any
) -> IntentTokenizer:
    """Make a tokenizer that a learner asks about the surroundings of runs."""
    tokenizer = make_tokenizer(*arguments, **options)
    learner.surroundings = tokenizer
    return tokenizer
