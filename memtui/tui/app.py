"""The app: themes, style sheets, keys, palette, and the screens it goes to."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import RenderableType
from textual import events, on, work
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widgets import Input, TextArea

from memtui import __version__, locations
from memtui.errors import MemtuiError
from memtui.text.words import counted
from memtui.tui import themes
from memtui.tui.actions import registry
from memtui.tui.actions.registry import BROWSE, GO, GUARANTEED, SCREENS, Keymap
from memtui.tui.browse.facets import FacetPane
from memtui.tui.browse.screen import BrowseScreen
from memtui.tui.drafts import DraftKeeper
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.loader import BackgroundThreads
from memtui.tui.model_loading import ModelLoading
from memtui.tui.project_switch import ProjectSwitch, SwitchWanted
from memtui.tui.state import Opening, State
from memtui.tui.switching import SWITCH
from memtui.tui.team.watch import TeamWatch
from memtui.tui.terminal_end import end_on_signals, end_with_terminal
from memtui.tui.textual_patches.display import SECONDS, FewNotifications, KeptStylesheet, drop_pictures
from memtui.tui.textual_patches.input import KeyOrder, Stripped, driver_taking_pastes
from memtui.tui.typed import LINE_KEY, TypedWords

if TYPE_CHECKING:
    from memtui.tui.capture.view import CaptureRun
    from memtui.tui.tour import Tour
    from memtui.tui.values import Writes


NOTE_SECONDS = 5.0  # Pause before it is noted where the project in view is: nothing on the screens waits for it

READ_SECONDS = 2.0  # After which what was told goes with the screen that told it; until then it is news
RECENT = "palette"  # Section of the state that holds what was run last from palette and help
MOST_RECENT = 20  # Kept of it, over all screens
WELCOMED = "welcome"  # Section of the state that says that this vault's first start is over


_STYLE_SHEETS = sorted(Path(__file__).parent.glob("**/*.tcss"), key=lambda sheet: sheet.name)


class MemtuiApp(App[int]):
    """The terminal app.

    `opening`: what the command line decided. `theme_folders`: where themes are looked for; by default those that ship
    and the user's own.

    Attributes:
        started: what the command line decided.
        opening: the same, with the project that was switched to.
    """

    CSS_PATH: ClassVar[list[str | Path]] = _STYLE_SHEETS  # type: ignore[assignment] # Textual takes a list as well
    TITLE = "memtui"
    ENABLE_COMMAND_PALETTE = False  # Textual's own; ours is `action_palette`
    # A mode of Textual is a stack of screens: here one per project, named by its place. Only that in view is kept.
    DEFAULT_MODE: ClassVar[str] = "start"

    def __init__(self, opening: Opening, *, theme_folders: Sequence[Path] | None = None) -> None:
        # Before Textual's own: it asks for the driver class, which depends on them.
        self.opening = self.started = opening
        self.keymap = Keymap(opening.keys)
        super().__init__()
        self._notifications = FewNotifications()
        # Without a limit for pastes that come as keys, words that come as keys are not looked for either.
        finds_words = bool(opening.burst)
        words = TypedWords(self, self._offer, opening.vault.made, self.keymap, finds_words=finds_words)
        self._key_order = KeyOrder(self, words)
        self._told_at = 0.0  # When something was told last, by the monotonic clock
        self._offered = ""  # What was typed or pasted where nothing takes text, for a line that is opened next
        self.state = State(opening.state_path, opening.vault.path)
        self._switching = ProjectSwitch(self, opening, self._open_anew)
        self._team_watch = TeamWatch(self, opening, self._show_team)
        self._model_loading = ModelLoading(self, opening.meaning)
        self.drafts: dict[str, object] = {}
        """What was typed into forms and is not saved, by memory id; kept while the app runs, and after an end that
        nobody asked for."""
        self.draft_keeper = DraftKeeper(self, opening.vault.path, self.drafts)
        self.capture_run: CaptureRun | None = None  # The capture that was started last
        self.tour: Tour | None = None  # The guided tour, while it is taken
        loaded = themes.load_themes(_theme_folders() if theme_folders is None else theme_folders)
        self._problems = [*loaded.problems, *self.keymap.problems]
        self._own_themes = frozenset(theme.name for theme in loaded.themes)
        for theme in loaded.themes:
            self.register_theme(theme)
        self._set_first_theme()
        self.stylesheet = KeptStylesheet(variables=self.get_css_variables())
        self.set_keymap(self.keymap.for_textual())
        self.bind(GUARANTEED, "quit", show=False)

    def _set_first_theme(self) -> None:
        """Take the theme of the environment, else the configuration's, else the one chosen last."""
        for name in (os.environ.get("TEXTUAL_THEME", ""), self.opening.theme, self.state.theme, themes.DARK):
            if name in self.available_themes:
                self.theme = name
                return
            if name and name == self.opening.theme:
                self._problems.append(f"app.theme: unknown theme {name!r}; {themes.DARK} is used")

    def get_css_variables(self) -> dict[str, str]:
        """Return the variables of the style sheet, our own colours among them whatever the theme."""
        variables = themes.with_stand_ins(super().get_css_variables())
        self.theme_variables = variables
        return variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what is done to every line before it is drawn: under `NO_COLOR` no colour is left."""
        filters = super().get_line_filters()
        if not self.no_color:
            return filters
        return [*(one for one in filters if not isinstance(one, themes.REPLACED)), themes.PlainFilter()]

    def get_driver_class(self) -> type[Driver]:
        """Return what reads the terminal: as Textual does, but a paste is text, and escape before a key is escape."""
        bound = frozenset(key for action in registry.ACTIONS for key in self.keymap.keys(action))
        return driver_taking_pastes(super().get_driver_class(), self.opening.burst, bound)

    @on(Stripped)
    def _tell_stripped(self, message: Stripped) -> None:
        """Say what was removed from a paste, where it went into something."""
        if isinstance(self.screen.focused, Input | TextArea):
            told = f"{counted(message.number, 'control character', 'control characters')} stripped from the paste."
            self.notify(told, timeout=SECONDS["warning"], markup=False)

    def get_default_screen(self) -> Screen[None]:
        """Return the first screen."""
        return BrowseScreen(self.opening)

    def on_load(self) -> None:
        """Work in threads that the end of the app does not wait for."""
        if not self.is_headless:
            asyncio.get_running_loop().set_default_executor(BackgroundThreads())

    def on_mount(self) -> None:
        """Say once which themes and keys were left out; go to Review if that was asked for."""
        if self._problems:
            self.notify("\n".join(self._problems), title="Left out", severity="warning", timeout=8, markup=False)
        self.call_after_refresh(self._take_drafts)
        if not self.is_headless:
            end_on_signals(self.end_unasked)
            end_with_terminal(self.end_unasked)
        if self.opening.start == "due":
            self.call_after_refresh(self.action_go, "review")
        self._model_loading.begin()
        self._team_watch.begin()
        if self.opening.state_path is not None:  # a demo leaves nothing behind
            self.set_timer(NOTE_SECONDS, self._note_folder)
        if self.opening.tour:
            self.call_after_refresh(self.action_tour)

    def _take_drafts(self) -> None:
        """Offer what was typed before an end that nobody asked for, and keep what is typed from now on."""
        if told := self.draft_keeper.begin():
            self.notify(told, timeout=SECONDS["warning"], markup=False)

    async def on_event(self, event: events.Event) -> None:
        """Hand out a key in its turn; what is pasted or typed where nothing takes text runs no commands."""
        if self._key_order.keeps(event):
            return
        if isinstance(event, events.Paste) and not isinstance(self.screen.focused, Input | TextArea):
            self._offer(event.text, "Pasted text runs no commands")
        elif isinstance(event, events.Key):
            if self.tour is not None and event.key == "escape":
                self._end_tour()
            offered, self._offered = self._offered, ""
            if offered and event.key == LINE_KEY:
                self.clear_notifications()  # What was told is done.
                # Behind the key, which opens the line first.
                self.post_message(events.Paste(offered))
        await super().on_event(event)

    def _offer(self, text: str, told: str) -> None:
        """Say what became of a text, and that the line of the screen in front takes it, where there is one."""
        line = self.screen.active_bindings.get(LINE_KEY)
        action = registry.find(line.binding.id) if line is not None else None
        if action is not None and isinstance(self.screen, MemtuiScreen) and self.screen.why_not(action) is not None:
            action = None
        self._offered = text if action is not None else ""
        more = f"; / puts it into the {action.label}" if action is not None else ""
        self.notify(f"{told}{more}.", timeout=SECONDS["warning"], markup=False)

    # -- the guided tour --------------------------------------------------------------------------

    def action_tour(self) -> None:
        """Take the guided tour from its beginning, which is the first screen."""
        # In the app's own turn: a screen that awaits its own removal would wait for ever.
        self.call_later(self._begin_tour)

    async def _begin_tour(self) -> None:
        from memtui.tui.tour import Tour

        if self.tour is not None:
            self.tour.end()
        await self.action_go(BROWSE)
        self.tour = Tour(self, self.keymap, is_sample=self.started.tour)

    def _end_tour(self) -> None:
        """End the tour; not where escape closes what lies over a screen, or does something nearer on it."""
        if self.tour is not None and isinstance(self.screen, MemtuiScreen) and self.tour.ends_at_escape(self.screen):
            self.tour.end()
            self.tour = None

    # -- the project in view ----------------------------------------------------------------------

    @work(thread=True, group="folder", exit_on_error=False)
    def _note_folder(self) -> None:
        """Note where the project is, so that it can be switched to from elsewhere."""
        from memtui.curate.projects import note_folder

        with suppress(MemtuiError):  # it is noted another time
            if self.started.vault.exists:
                note_folder(self.started.vault, self.started.folder)

    @on(FacetPane.Switched)
    def _switch_to(self, message: FacetPane.Switched) -> None:
        """Switch to the project under the cursor of the facets."""
        if isinstance(self.screen, MemtuiScreen):
            self._switching.find(self.screen, message.project)

    @on(SwitchWanted)
    def _switch_and_go(self, message: SwitchWanted) -> None:
        if isinstance(self.screen, MemtuiScreen):
            self._switching.find(self.screen, message.project, area=message.area)

    async def _open_anew(self, opening: Opening) -> None:
        """Begin with the first screen on what an opening puts in view; nothing of what was open is kept."""
        if opening.place == self.opening.place:
            return
        for screen in self.screen_stack:
            if isinstance(screen, MemtuiScreen):
                screen.remember(self.state)
        left = self.current_mode
        if left == self.DEFAULT_MODE:
            self.add_mode(left, self.get_default_screen)  # Only one that was added can be removed
        self.opening = opening
        self.add_mode(opening.place, partial(BrowseScreen, opening))
        await self.switch_mode(opening.place)
        self.remove_mode(left)
        drop_pictures()
        self._show_team(self._team_watch.words)

    def _show_team(self, words: str) -> None:
        """Show how the sharing with teams stands, where the first screen has a place for it."""
        first = self.screen_stack[0]
        if isinstance(first, BrowseScreen):
            first.tell_team(words)

    # -- going about ------------------------------------------------------------------------------

    @on(BrowseScreen.NothingStored)
    def _welcome(self) -> None:
        """Offer to import into an empty vault, once per vault and after the first picture."""
        is_first = len(self.screen_stack) == 1 and not self.state.section(WELCOMED)
        if is_first and self.opening.state_path is not None:
            from memtui.tui.importing.screen import ImportScreen

            self.state.remember(WELCOMED, {"at_version": __version__})
            self.push_screen(ImportScreen(self.opening, first_run=True))

    def notify(self, message: str, **values: Any) -> None:
        """Tell something in a corner of the screen, as Textual does."""
        self._told_at = time.monotonic()
        super().notify(message, **values)

    def _drop_told(self) -> None:
        """Take away what was told on a screen that is left, where it was there long enough to be read."""
        if time.monotonic() - self._told_at >= READ_SECONDS:
            self.clear_notifications()

    async def action_go(self, name: str) -> None:
        """Go to a screen: back to it where it is open, else on top of the one in front, to which esc comes back.

        It begins at the memory under the cursor, where the screen in front has one; one that is about a memory is not
        the same screen for another.
        """
        front, first = self.screen, self.screen_stack[0]
        if isinstance(front, MemtuiScreen) and name == front.AREA:
            return
        if isinstance(front, MemtuiScreen) and f"{GO}{name}" == SWITCH:
            self._switching.choose(front, front.listed_project if isinstance(front, BrowseScreen) else None)
            return
        self._drop_told()
        opened = [one for one in self.screen_stack if isinstance(one, MemtuiScreen) and name == one.AREA]
        if not opened or name in _AT_A_MEMORY:
            # A screen that has none in hand, as on a group of the Inbox or in Import, is about no single one.
            holder = front if isinstance(front, MemtuiScreen) else first
            memory = holder.current_memory if isinstance(holder, MemtuiScreen) else None
            await self.push_screen(_screen(name, self.opening, memory))
            return
        while self.screen is not opened[0] and isinstance(self.screen, MemtuiScreen):
            await self.pop_screen()
        opened[0].gone_to_again()

    def pop_screen(self) -> AwaitComplete:
        """Close the screen in front, and keep nothing of it."""
        if isinstance(self.screen, MemtuiScreen):
            self._drop_told()
        closed = super().pop_screen()
        drop_pictures()
        return closed

    async def action_quit(self) -> None:
        """Quit as the screen in front does: once every change that was asked for is made."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, MemtuiScreen):
                screen.action_quit()
                return
        self.exit()

    def show_writes(self, screen: MemtuiScreen, writes: Writes, *, focus: bool) -> None:
        """Show what an act of a screen writes outside the vault, and do it if the person wants it.

        `focus`: as of `MemtuiScreen.do`.
        """
        from memtui.tui.screens.dialogs import DiffScreen, write_blocks

        def decide(wanted: bool | None) -> None:
            if wanted:
                screen.do(writes.act, focus=focus)
            else:
                screen.memories.asked = None

        self.push_screen(DiffScreen(writes.title, write_blocks(writes.files), "writes it"), decide)

    def action_help(self) -> None:
        """Show what the screen in front is for, and everything that it can do."""
        from memtui.tui.screens.palette import HelpScreen

        if isinstance(self.screen, MemtuiScreen):
            self.push_screen(HelpScreen(self.screen), partial(self._run_on, self.screen))

    def action_palette(self) -> None:
        """Let an action of the screen in front be found and run."""
        from memtui.tui.screens.palette import PaletteScreen

        if isinstance(self.screen, MemtuiScreen):
            self.push_screen(PaletteScreen(self.screen, self._recent()), partial(self._run_on, self.screen))

    def _recent(self) -> list[str]:
        """Return the ids of the actions that were run last from palette and help, the newest first."""
        found = self.state.section(RECENT).get("actions")
        return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

    def _run_on(self, screen: MemtuiScreen, identifier: str | None) -> None:
        """Run what was chosen in palette or help."""
        if identifier is None:
            return
        action = registry.by_id(identifier)
        if action.owner in SCREENS and action not in screen.offered():
            from memtui.tui.screens.finding import show_where

            self.call_later(show_where, screen, action, self.keymap.first(action))
        else:
            self.state.remember(RECENT, {"actions": list(dict.fromkeys((identifier, *self._recent())))[:MOST_RECENT]})
            # In the app's own turn, as keys are: a screen that awaits its own removal would wait for ever.
            self.call_later(screen.action_act, identifier)

    def action_change_theme(self) -> None:
        """Choose a theme, previewed while the cursor moves."""
        from memtui.tui.screens.dialogs import ThemePicker

        # Ours and the person's own stand before Textual's.
        names = sorted(self.available_themes, key=lambda name: (name not in self._own_themes, name))
        self.push_screen(ThemePicker(names, self.theme), self._keep_theme)

    def _keep_theme(self, name: str | None) -> None:
        if name is not None:
            self.state.choose_theme(name)
            self.state.save()

    def exit(
        self,
        result: int | None = None,
        return_code: int = 0,
        message: RenderableType | None = None,
        *,
        keeps_typed: bool = False,
    ) -> None:
        """Remember what the screens want to find again, and leave.

        `keeps_typed`: whether what is typed and not saved is offered at the next start.
        """
        self.draft_keeper.end(is_wanted=not keeps_typed)
        for screen in self.screen_stack:
            if isinstance(screen, MemtuiScreen):
                screen.remember(self.state)
        self.state.save()
        self._model_loading.end()
        self._team_watch.end()
        super().exit(result, return_code, message)

    def end_unasked(self, code: int) -> None:
        """Leave because of a signal, or as the terminal is gone, with an exit code; what is typed is kept."""
        self.exit(code, keeps_typed=True)


_SCREENS = {
    "context": ("context", "ContextScreen"),
    "inbox": ("inbox", "InboxScreen"),
    "review": ("review", "ReviewScreen"),
    "tidy": ("tidy", "TidyScreen"),
    "packs": ("packs", "PacksScreen"),
    "history": ("history", "HistoryScreen"),
    "lab": ("lab", "LabScreen"),
    "health": ("health", "HealthScreen"),
    "import": ("importing", "ImportScreen"),
    "assistants": ("assistants", "AssistantsScreen"),
    "publish": ("publish", "PublishScreen"),
    "capture": ("capture", "CaptureScreen"),
    "team": ("team", "TeamScreen"),
}
"""Module and class of each screen by its area."""

_AT_A_MEMORY = frozenset({"history", "lab"})  # Screens that open at the memory that was looked at


def _screen(name: str, opening: Opening, memory_id: str | None = None) -> MemtuiScreen:
    """Return a new screen by its area, at a memory where it can be; each is imported when it is first gone to."""
    module, kind = _SCREENS[name]
    made = getattr(import_module(f"memtui.tui.{module}.screen"), kind)
    screen: MemtuiScreen = made(opening, memory_id=memory_id) if name in _AT_A_MEMORY else made(opening)
    return screen


def _theme_folders() -> list[Path]:
    folders = [locations.user_themes()]
    try:
        folders.insert(0, locations.resource_folder("themes"))
    except MemtuiError:
        # Built-in themes remain; a broken installation is `doctor`'s to tell.
        return folders
    return folders
