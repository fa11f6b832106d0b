"""The line of Import into which a path is typed; files that can be read are offered."""

from __future__ import annotations

from textual.widgets import Input

from memtui.curate.fields import nameable_files
from memtui.errors import MemtuiError
from memtui.tui.context.task_lines import FilesLine
from memtui.tui.importing.typed import is_text
from memtui.tui.list_detail import ListDetail, MemtuiScreen
from memtui.tui.state import Opening


class PathLine(FilesLine):
    """A line for one path, which completes the names of texts below the folder that paths are typed from."""

    def __init__(self, opening: Opening, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        placeholder = "a file or folder, then enter"
        super().__init__(opening.types_from, placeholder=placeholder, longest=4_000, is_one=True, id=id)
        self._opening = opening

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows while it is typed in."""
        return "context-offers" if self.is_offering else "import-line"

    def on_focus(self) -> None:
        """Read the names anew: files may have come since."""
        super().on_focus()
        if self._opening.has_folder and isinstance(self.screen, MemtuiScreen):
            self.screen.loader.read(self._texts, self.know, group="names", on_error=_ignore)

    def _texts(self) -> list[str]:
        return [name for name in nameable_files(self._opening.types_from, ()) if is_text(name)]

    def _leave(self, *, to_list: bool) -> None:
        """Take what is typed; tab with nothing to complete goes to the sources."""
        self.close_offers()
        if to_list:
            self.post_message(Input.Submitted(self, self.value))
        elif isinstance(self.screen, ListDetail):
            self.screen.enter_first()

    def action_offer_down(self) -> None:
        """Choose the next name."""
        if self.is_offering:
            super().action_offer_down()


def _ignore(_: MemtuiError) -> None:
    """Leave it: a path can be typed without."""
