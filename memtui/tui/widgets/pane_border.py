"""The border between two panes that stand side by side; the mouse drags it."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.widget import Widget

NARROWEST, WIDEST, STEP = 30, 80, 5  # Share of the first pane, in per cent; and what a key changes of it

BORDERS = "borders"  # Section of the state that holds the share by screen


def share_of(value: Any) -> int | None:
    """Return a remembered share within its limits; None for what is none."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return max(NARROWEST, min(WIDEST, value)) if is_whole else None


class PaneBorder:
    """Says how two panes share the room, once a person has chosen it; until then the style sheet does.

    Attributes:
        share: of the first pane, in per cent, as a person chose it; None as long as nobody did.
        usual: its share until then; None leaves it to the style sheet.
        is_held: whether the mouse drags it.
    """

    def __init__(self, first: Widget, second: Widget) -> None:
        self._first = first
        self._second = second
        self.share: int | None = None
        self.usual: int | None = None
        self.is_held = False

    def put(self, share: int | None) -> None:
        """Give the first pane this share of the room."""
        self.share = share_of(share)
        self.lay_out()

    def lay_out(self) -> None:
        """Share out the room; panes of which one stands over the other, or alone, are as wide as the screen."""
        share = None if self._first.screen.has_class("-narrow") else self.share or self.usual
        self._first.styles.width = f"{share}fr" if share is not None else None
        self._second.styles.width = f"{100 - share}fr" if share is not None else None

    def take(self, event: events.MouseDown) -> bool:
        """Hold the border if the mouse is on it."""
        left, right = self._first.region, self._second.region
        shown = self._first.display and self._second.display and left.right == right.x
        if shown and event.screen_x in {left.right - 1, right.x} and left.y <= event.screen_y < left.bottom:
            self.is_held = True
            self._first.capture_mouse()
            self._first.screen.clear_selection()  # the pane beneath takes it for the start of one
        return self.is_held

    def drag(self, event: events.MouseMove) -> None:
        """Put the border where the mouse is."""
        left, right = self._first.region.x, self._second.region.right
        if self.is_held and right > left:
            self.put(round(100 * (event.screen_x + 1 - left) / (right - left)))

    def let_go(self) -> bool:
        """Let the border rest where it is; False where it was not held."""
        was_held, self.is_held = self.is_held, False
        if was_held:
            self._first.release_mouse()
        return was_held
