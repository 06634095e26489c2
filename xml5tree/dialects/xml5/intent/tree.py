"""The draft's tree construction, which reports to the policy."""

from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.tree import TreeBuilder
from xml5tree.errors.codes import KEPT
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.output.markup import Markup
from xml5tree.xml.limits import ReaderLimits

__all__ = ["IntentTreeBuilder"]


class IntentTreeBuilder(TreeBuilder):
    """See `TreeBuilder`; reports to `policy`."""

    def __init__(
        self, emitter: Markup, reporter: Reporter, limits: ReaderLimits, settings: Settings, policy: Intent
    ) -> None:
        super().__init__(emitter, reporter, limits, settings)
        self.policy = policy

    def insert(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self.policy.opened(name, attributes)
        super().insert(name, attributes, offset, verbatim)

    def append_element(self, name: str, attributes: dict[str, str], offset: int, verbatim: str | None) -> None:
        self.policy.appended(name)
        super().append_element(name, attributes, offset, verbatim)

    def end_tag(self, name: str, offset: int, verbatim: str | None) -> None:
        if name == self.policy.current:
            self.policy.ended()
        super().end_tag(name, offset, verbatim)

    def _ignore_end_tag(self, name: str, offset: int, depth: int, *, is_last: bool = True) -> None:
        """See `TreeBuilder`; an end tag that crosses another one moves nothing, as that one did (R-021)."""
        if self.policy.take_crossed(name):
            self.report_ignored(name, offset, KEPT)
            self.follows_ignored_end_tag = is_last
        else:
            super()._ignore_end_tag(name, offset, depth, is_last=is_last)

    def pop(self, verbatim: str | None = None, *, closed_at: int | None = None) -> None:
        self.policy.closed()
        super().pop(verbatim, closed_at=closed_at)

    def pop_assumed(self, *, closed_at: int | None) -> None:
        """Close the current element, whose end tag the policy assumes; for `closed_at` see `pop`."""
        self.pop(closed_at=closed_at)
