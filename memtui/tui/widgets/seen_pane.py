"""Details that know since when they are on the screen, for acts that are right only on what was seen."""

from __future__ import annotations

from textual._time import get_time
from textual.geometry import Region
from textual.strip import Strip

from memtui.tui.widgets.detail import DetailPane


class SeenPane(DetailPane):
    """Shows blocks of text, and tells whether what it shows was drawn."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._drawn_at: float | None = None

    def show_unseen(self) -> None:
        """Take what is shown next, or was shown just now, for something that nobody has seen yet."""
        self._drawn_at = None

    def was_seen(self, moment: float | None = None) -> bool:
        """Return whether what it shows was drawn, before a moment (an event's `time`) if one is given."""
        return self._drawn_at is not None and (moment is None or self._drawn_at <= moment)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines of the screen, and take note that they are drawn."""
        lines = super().render_lines(crop)
        if self._drawn_at is None:
            self._drawn_at = get_time()
        return lines
