"""The app: themes, style sheet, palette, and the screen it opens on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from textual.app import App, SystemCommand
from textual.screen import Screen

from memtui import locations, resources
from memtui.errors import MemtuiError
from memtui.tui import themes
from memtui.tui.actions import ACTIONS
from memtui.tui.opening import Opening
from memtui.tui.screens.browse import BrowseScreen


class MemtuiApp(App[int]):
    """The terminal app.

    Args:
        opening: what the command line decided.
        theme_folders: where themes are looked for; by default those that ship and the user's own.
    """

    CSS_PATH = Path(__file__).with_name("memtui.tcss")
    TITLE = "memtui"
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, opening: Opening, *, theme_folders: Sequence[Path] | None = None) -> None:
        super().__init__()
        self._opening = opening
        loaded = themes.load_themes(_theme_folders() if theme_folders is None else theme_folders)
        self._theme_problems = loaded.problems
        for theme in loaded.themes:
            self.register_theme(theme)
        chosen = os.environ.get("TEXTUAL_THEME", themes.DARK)
        if chosen in self.available_themes:
            self.theme = chosen

    def get_css_variables(self) -> dict[str, str]:
        """Return the variables of the style sheet, our own colours among them whatever the theme."""
        variables = themes.with_stand_ins(super().get_css_variables())
        self.theme_variables = variables
        return variables

    def get_default_screen(self) -> Screen[None]:
        """Return the first screen."""
        return BrowseScreen(self._opening)

    def on_mount(self) -> None:
        """Say once which themes were skipped."""
        if self._theme_problems:
            self.notify(
                "\n".join(self._theme_problems), title="Themes skipped", severity="warning", timeout=8, markup=False
            )

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Yield what the palette offers: the actions of the screen in front, and the themes."""
        yield SystemCommand("Theme", "Choose another theme", self.action_change_theme)
        if isinstance(screen, BrowseScreen):
            for action in ACTIONS:
                if action.owner == "screen" and action.id != "palette" and screen.check_action(action.method, ()):
                    title = f"{action.id.replace('-', ' ').capitalize()} ({action.shown_keys})"
                    yield SystemCommand(title, action.help, getattr(screen, f"action_{action.method}"))


def _theme_folders() -> list[Path]:
    """Return the folders of the themes that ship and of the user's own."""
    folders = [locations.user_themes()]
    try:
        folders.insert(0, resources.resource_folder("themes"))
    except MemtuiError:
        # Built-in themes remain; a broken installation is `doctor`'s to tell.
        return folders
    return folders
