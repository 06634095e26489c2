"""The emitter that notes its edits."""

from xml5tree.dialects.microxml.markup import WRAPPER, RepairedMarkup
from xml5tree.output.edited import EditedMarkup


class EditedRepairedMarkup(EditedMarkup, RepairedMarkup):
    """See `RepairedMarkup` and `EditedMarkup`. Edits are held back with the markup."""

    _reason_of_tags = "value"

    def content(self, offset: int) -> None:
        super().content(offset)
        self._edits.hold(offset)

    def wrap(self) -> None:
        super().wrap()
        self._edits.insert_at_hold(f"<{WRAPPER}>")

    def finish(self) -> None:
        self._edits.release()
        super().finish()
