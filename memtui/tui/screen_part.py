"""What a screen holds instead of inheriting it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from textual.screen import Screen

if TYPE_CHECKING:
    from memtui.errors import MemtuiError
    from memtui.tui.actions.registry import Action

S = TypeVar("S", bound=Screen[Any])


class ScreenPart(Generic[S]):
    """What a screen holds instead of inheriting it; the screen asks each of its `parts` in turn."""

    def __init__(self, screen: S) -> None:
        self.screen = screen

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now, None where it is."""
        del action
        return None

    def offered(self) -> list[Action]:
        """Return actions that help and the palette offer besides the screen's own."""
        return []

    def is_off(self, identifier: str) -> bool:
        """Return whether the key of an action is free for others now."""
        del identifier
        return False

    def takes(self, identifier: str) -> bool:
        """Look at an action before the screen runs it; True where that was all there is to do."""
        del identifier
        return False

    def answers_failure(self, error: MemtuiError) -> bool:
        """Handle a change that failed; False where a toast is to show the error."""
        del error
        return False

    def changed(self) -> None:
        """Look at what a change, whoever asked for it, means for what is shown."""

    def keeps_open(self) -> bool:
        """Return whether quitting has to wait, after saying why."""
        return False
