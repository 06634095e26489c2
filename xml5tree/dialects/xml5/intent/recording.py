"""The tokenizer with a policy, for `tokenize`.

The draft would build the same tree of its tokens.
"""

from collections.abc import Callable
from typing import cast

from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.states import REPLACED
from xml5tree.dialects.xml5.intent.tokenizer import IntentTokenizer
from xml5tree.dialects.xml5.intent.tree import IntentTreeBuilder
from xml5tree.dialects.xml5.sink import TokenSink, TreeConstruction
from xml5tree.dialects.xml5.states import data_state, tag_state
from xml5tree.errors.codes import Effect, Kind
from xml5tree.errors.reporter import Reporter
from xml5tree.fastpath import is_enabled
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import COMMON_LIMITS

__all__ = ["make_tokenizer"]


class _NoMarkup(Markup):
    """Markup that is not read."""

    __slots__ = ()

    def _write(self, markup: str) -> None:
        pass


class _SilentTreeBuilder(IntentTreeBuilder):
    """Tree construction that keeps the policy informed of open elements, and reports no errors."""

    def __init__(self, reporter: Reporter, settings: Settings, policy: Intent, on_end: Callable[[str], None]) -> None:
        """Begin; `on_end` gets the name of each element whose end tag the policy assumes."""
        super().__init__(_NoMarkup(lambda: 0, keeps_lines=False), reporter, COMMON_LIMITS, settings, policy)
        self._on_end = on_end

    def error(
        self, code: str, offset: int, *detail: object, kind: Kind | None = None, effect: Effect | None = None
    ) -> None:
        """See `TreeBuilder`."""

    def pop_assumed(self, *, closed_at: int | None) -> None:
        self._on_end(self.policy.current)
        super().pop_assumed(closed_at=closed_at)


class _Both:
    """Two sinks for tokens: a recorder, and the current phase of tree construction."""

    drops_tags = False  # the recorder takes all tokens

    def __init__(self, recorder: TreeConstruction, builder: _SilentTreeBuilder) -> None:
        self._recorder = recorder
        self._builder = builder

    @property
    def phase(self) -> TokenSink:
        return cast(TokenSink, self)

    def ends_with_root(self, text: str) -> bool:
        return self._builder.ends_with_root(text)

    def __getattr__(self, kind: str) -> Callable[..., None]:
        """Return what gives a token of some kind to both sinks; each gets its own attributes."""

        def emit(*facts: object) -> None:
            own = [dict(fact) if isinstance(fact, dict) else fact for fact in facts]
            getattr(self._recorder.phase, kind)(*own)
            getattr(self._builder.phase, kind)(*facts)

        return emit


def make_tokenizer(recorder: TreeConstruction, reporter: Reporter, settings: Settings) -> IntentTokenizer:
    """Return a tokenizer whose tokens go to a recorder, those that the policy assumes included."""
    builder = _SilentTreeBuilder(reporter, settings, Intent(), lambda name: recorder.phase.end_tag(name, 0, None))
    construction = _Both(recorder, builder)
    return IntentTokenizer(
        builder,
        reporter,
        settings,
        data_state,
        tag_state,
        replaced=REPLACED,
        construction=construction,
        fast_path=None,
        has_shortcuts=is_enabled(),
        is_standalone=lambda: False,
    )
