"""Switch the project that all screens are about."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual.app import App
from textual.message import Message

from memtui.tui.actions import registry
from memtui.tui.actions.registry import BROWSE, GO
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.state import Opening
from memtui.tui.switching import EVERY, SWITCH, opening_for, project_choices, switched, why_not_go
from memtui.tui.vault_access import ALL_PROJECTS

TITLE = "Switch project · a new one: start memtui in it"  # The vault lists only those that it holds


class SwitchWanted(Message):
    """A screen wants a project in view, and one of its screens open."""

    def __init__(self, project: str, area: str) -> None:
        super().__init__()
        self.project = project
        self.area = area


class ProjectSwitch:
    """Lets the project be switched.

    `start`: what the app was started with. `open_anew`: opens the first screen on another, in the app's own turn.
    """

    def __init__(self, app: App[Any], start: Opening, open_anew: Callable[[Opening], Awaitable[None]]) -> None:
        self._app = app
        self._start = start
        self._open_anew = open_anew

    def choose(self, screen: MemtuiScreen, listed: str | None) -> None:
        """Let the project be chosen. `listed`: the one whose memories are listed, the first choice."""
        from memtui.tui.screens.dialogs import pick

        def show(found: tuple[list[tuple[str, str]], str]) -> None:
            choices, in_view = found
            current = listed or in_view
            area = screen.AREA if screen.AREA != BROWSE else ""
            pick(self._app, TITLE, choices, current, partial(self.find, screen, area=area))

        screen.loader.read(lambda: project_choices(self._start, screen.opening), show, group="project")

    def find(self, screen: MemtuiScreen, chosen: str, *, area: str = "") -> None:
        """Find the folder of what was chosen, and put it in view. `area`: the screen to go to then, else the first."""
        name = None if chosen == EVERY else chosen
        screen.loader.read(
            lambda: opening_for(self._start, name),
            # In the app's own turn: a screen that awaits its own removal would wait for ever.
            lambda opening: self._app.call_later(self._switch, opening, name, area),
            group="project",
        )

    async def _switch(self, opening: Opening, name: str | None, area: str) -> None:
        reason = why_not_go(registry.by_id(SWITCH), opening, self._app.screen_stack)
        if reason is None:
            await self._open_anew(opening)
            if area and why_not_go(registry.by_id(f"{GO}{area}"), opening, self._app.screen_stack) is None:
                await self._app.run_action(f"go('{area}')")
        if isinstance(self._app.screen, MemtuiScreen):
            told = switched(opening, name or ALL_PROJECTS) if reason is None else reason
            self._app.screen.say(told, severity="information" if reason is None else "warning")
