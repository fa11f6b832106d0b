"""How the list of Browse and what is beside it share the room."""

from __future__ import annotations

from memtui.tui.widgets.pane_border import PaneBorder

VAST = 150  # Cells of a screen from which the facets have room of their own

_SHARE, _SHARE_WITH_PROJECTS = 66, 72
"""Per cent of the room that the list has until a person chooses: at 120 cells they leave 55 for the titles."""
_VAST_SHARE, _VAST_SHARE_WITH_PROJECTS = 62, 71
"""The same beside the facets."""


class ListBorder(PaneBorder):
    """The border between the list and the details."""

    def share_usually(self, *, with_projects: bool) -> None:
        """Share out the room: as a person chose, else as the width and the columns of the list want it."""
        is_vast = self._first.screen.size.width >= VAST
        usual = (_VAST_SHARE, _VAST_SHARE_WITH_PROJECTS) if is_vast else (_SHARE, _SHARE_WITH_PROJECTS)
        self.usual = usual[with_projects]
        self.lay_out()

    def widen(self, change: int) -> None:
        """Give the list a larger share, in per cent."""
        self.put((self.share or self.usual or _SHARE) + change)
