"""Input that goes on in replacement texts of entities (D-041, D-042)."""

from collections.abc import Callable
from typing import Any

from xml5tree.errors.codes import Effect
from xml5tree.errors.reporter import Reporter
from xml5tree.machine.machine import Machine

__all__ = ["EntityMachine", "Frame"]


class Frame:
    """The input that waits at an index while the replacement text of an entity is tokenized."""

    __slots__ = ("entity", "parameter", "position", "text")

    def __init__(self, text: str, position: int, entity: str, parameter: bool) -> None:
        self.text = text
        self.position = position
        self.entity = entity
        self.parameter = parameter  # it is a parameter entity


class EntityMachine(Machine):
    """A state machine whose input is the document with the replacement texts of entities in between.

    Within an entity, everything has the place of the reference in the document.
    """

    __slots__ = ("_frames", "_reference_offset")

    def __init__(self, reporter: Reporter, state: Callable[[Any], Any]) -> None:
        super().__init__(reporter, state)
        self._frames: list[Frame] = []
        self._reference_offset = 0  # of the reference in the document that began the first frame

    def place(self, back: int = 0) -> int:
        return self._reference_offset if self._frames else self._base + self._position - back

    def error_at_end(self, code: str, *detail: object, effect: Effect | None = None, truncated: bool = True) -> None:
        """See `Machine`; the end of an entity is not the end of the document."""
        if self._frames:
            self.report(code, self.place(1), *detail, effect=effect)
        else:
            super().error_at_end(code, *detail, effect=effect, truncated=truncated)

    @property
    def in_entity(self) -> bool:
        return bool(self._frames)

    @property
    def in_parameter_entity(self) -> bool:
        return bool(self._frames) and self._frames[-1].parameter

    def enter_frame(self, text: str, entity: str, parameter: bool) -> None:
        """Continue in the replacement text of an entity, which ends in EOF; the text around it waits.

        `begin_item` was last called for the reference, whose place is that of all content of the entity.
        """
        if not self._frames:
            self._reference_offset = self._item_offset
        self._frames.append(Frame(self._text, self._position, entity, parameter))
        self._go_on_in(text, 0, self._base, final=True)

    def leave_frame(self) -> Frame:
        frame = self._frames.pop()
        self._go_on_in(frame.text, frame.position, self._base, final=self._closed or bool(self._frames))
        return frame
