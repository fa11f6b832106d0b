"""The base of all screens and of what they hold, and of screens with a list and a detail pane."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial, partialmethod
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.tui.actions import registry
from memtui.tui.actions.registry import ASK, EVERYWHERE, FILTER, GO, Action, Keymap
from memtui.tui.asking import AskedAgain
from memtui.tui.failures import START_AGAIN, end_reading, why_not_changed
from memtui.tui.list_filter import ListFilter
from memtui.tui.loader import TELL_SECONDS, Loader
from memtui.tui.row_detail import RowPanes
from memtui.tui.screen_part import ScreenPart
from memtui.tui.state import Opening, State, state_of
from memtui.tui.switching import why_not_go
from memtui.tui.textual_patches import display
from memtui.tui.values import Done, Signature
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.tui.widgets.lines import KeyHints, TitleLine
from memtui.tui.widgets.lists import CursorList
from memtui.tui.widgets.pane_border import BORDERS, PaneBorder

RESTING_SECONDS = 0.05  # Pause of the cursor before its row is read in full

T = TypeVar("T")

LIST = "list"  # The loader's group of what a screen shows

POLL_SECONDS = 2.0  # How often the vault is checked for changes of others
_LONGEST_TOAST = 600


class MemtuiScreen(Screen[None]):
    """A screen whose work on the vault is done in threads."""

    AREA: ClassVar[str] = ""  # Owner of this screen's own actions in the registry

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(EVERYWHERE)

    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    """Method of the screen or of what it holds (`acts.pin`), and arguments, of actions by id.

    An action that is not in it is answered by the screen's method of its name: `action_due`.
    """

    def __init__(self, opening: Opening) -> None:
        super().__init__()
        self.opening = opening
        self.access = VaultAccess(opening)
        self.memories = MemoryActs(self.access)
        self.loader = Loader(self, self.look_failed, self._tell_working)
        self.hints = KeyHints(id="hints")
        self.hints.set_reactive(KeyHints.place, self.AREA)
        self.looked_at: Signature | None = None  # The vault's files before the last read of `look_again`
        self.parts: tuple[ScreenPart[Any], ...] = ()  # What is asked before the screen itself acts
        self.again = AskedAgain(partial(self.say, severity="warning"), self.unsay)
        self.acting = False  # Whether a change is under way
        self.is_opening = False  # Whether keys have to wait for the fields of the screen
        self.border: PaneBorder | None = None  # Between the two panes of the screen, where it has them
        self._waiting_changes: deque[tuple[Callable[[], Done], bool]] = deque()
        self._leaving = False
        self._last_trouble = ""

    @property
    def current_memory(self) -> str | None:
        """The memory that a screen opened from here starts at; None where there is none."""
        return None

    @property
    def typed(self) -> str:
        """What was typed into the screen's own line, such as a filter or a task; empty where it has none."""
        return ""

    def remember(self, state: State) -> None:
        """Put what is to be restored at the next start into the app's state."""

    def open_at(self, field: Widget) -> None:
        """Focus a field, and take keys from now on; for screens that were `is_opening` until their fields are shown."""
        self.set_focus(field)
        self.is_opening = False

    # -- actions ----------------------------------------------------------------------------------

    def offered(self) -> list[Action]:
        """Return the actions that help and the palette can run here."""
        own = [action for action in registry.of_owners(self.AREA, EVERYWHERE) if action.menu]
        return [*(action for part in self.parts for action in part.offered()), *own]

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now, None where it is."""
        if action.id in {"undo", "redo"} and not self.opening.vault.exists:
            return f"Nothing to {action.id} yet."
        if action.id == f"{self.AREA}-again" and self.loader.is_under_way(LIST):
            return "It is already being read."
        reasons = (part.why_not(action) for part in self.parts)
        return why_not_go(action, self.opening, self.app.screen_stack) or next(filter(None, reasons), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave a key to others while the part that it belongs to has no use for it."""
        if action == "act" and any(part.is_off(str(parameters[0])) for part in self.parts):
            return False
        return super().check_action(action, parameters)

    async def action_act(self, identifier: str) -> None:
        """Run an action of the registry, or say why it is not possible."""
        if self.again.look(identifier) and identifier in {"back", "undo"}:
            # The answer was no: whoever takes a question back has nothing else undone.
            if identifier == "undo":
                self.say(f"Nothing was done; {self.key_of('undo')} again undoes your last change.")
            return
        if any([part.takes(identifier) for part in self.parts]):  # noqa: C419 - each is to look at it
            return
        action = registry.by_id(identifier)
        reason = self.why_not(action)
        if reason is not None:
            self.say(reason, severity="warning")
            return
        if action.id.startswith(GO):
            # In the app's own turn: a screen that awaits its own removal would wait for ever.
            self.app.call_later(self.app.run_action, f"go('{action.id.removeprefix(GO)}')")
            return
        method, *arguments = self.ANSWERS.get(action.id) or (f"action_{action.method}",)
        done = attrgetter(method)(self)(*arguments)
        if inspect.isawaitable(done):
            await done
        tour = getattr(self.app, "tour", None)
        if tour is not None:
            tour.saw(action)

    @on(KeyHints.Pressed)
    async def _run_hint(self, message: KeyHints.Pressed) -> None:
        message.stop()
        if message.action.owner == ASK and self.focused is not None:
            await self.focused.run_action(message.action.method)
        else:
            await self.action_act(message.action.id)

    def action_undo(self) -> None:
        """Undo the last change."""
        self.sure_of("undo")
        self.do(self.memories.undo, focus=True)

    def sure_of(self, action: str) -> None:
        """Let the undo or redo that comes do what was asked about, if it was."""
        self.memories.is_sure = self.again.answers(action)

    def action_redo(self) -> None:
        self.sure_of("redo")
        self.do(self.memories.redo, focus=True)

    def action_back(self) -> None:
        """Leave this screen, unless it is the only one."""
        if len(self.app.screen_stack) > 1:
            self.app.pop_screen()

    action_help = partialmethod(Screen.run_action, "app.help")
    action_palette = partialmethod(Screen.run_action, "app.palette")
    action_tour = partialmethod(Screen.run_action, "app.tour")
    action_theme = partialmethod(Screen.run_action, "app.change_theme")

    def action_settings(self) -> None:
        """Say where settings are changed, as no screen does it."""
        self.say("Settings are in a file: memtui config show lists them, memtui config init writes it")

    # -- reading ----------------------------------------------------------------------------------

    def begin_looking(self) -> None:
        """Read after the first picture, and from then on whenever the vault changed."""
        self.call_after_refresh(self.look_again)
        self.set_interval(POLL_SECONDS, self._poll_files)

    def look_again(self) -> None:
        """Read what the screen shows, as the loader's group `LIST`; sets `looked_at`."""

    def draw_again(self) -> None:
        """Lay out what was read for the room there is."""

    def gone_to_again(self) -> None:
        """Read again as when it was opened, files too, after its key was pressed on a screen over it."""
        if not self.acting and not self.loader.is_under_way(LIST):
            self.look_again()

    def on_screen_resume(self) -> None:
        """Read again what changed while another screen lay over this one."""
        self.hints.is_covered = False
        self._poll_files()

    def on_screen_suspend(self) -> None:
        """Name no key of this screen beneath a box, where it would do something else."""
        self.hints.is_covered = True
        self.again.drop()

    def _poll_files(self) -> None:
        # A screen that lies beneath another is looked at again once it is back; `is_current` is true of it as well.
        if self.looked_at is None or self.acting or self.app.screen is not self:
            return
        if self.loader.is_under_way(LIST):
            return  # Beginning again at every look would never let a slow read come to an end.
        if self.in_trouble or self.access.signature() != self.looked_at:
            for each in () if self.in_trouble else self.query(CursorList):
                each.say_reading()
            self.look_again()

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows for what is focused."""
        return self.hints.place

    def on_descendant_focus(self) -> None:
        self.hints.place = self.hint_place
        self.call_after_refresh(display.stand_clear, self)  # of a line that opens, for one

    def on_idle(self) -> None:
        """Offer in the footer what is possible now, after whatever changed it; keep what is said out of its way."""
        self.again.look()
        if self.is_current:
            display.keep_clear(self)
            offered = registry.shown_in(self.hints.shown_place)
            self.hints.leave_out(frozenset(action.id for action in offered if self.why_not(action) is not None))

    def on_resize(self) -> None:
        """Lay out the panes and the lines for the room there is."""
        if self.border is not None:
            self.border.lay_out()
        self.call_after_refresh(self.draw_again)

    # -- the border between the panes -------------------------------------------------------------

    def on_mount(self) -> None:
        """Put the border where it was put last."""
        kept = state_of(self.app, self.opening.vault).section(BORDERS).get(self.AREA)
        if self.border is not None and kept is not None:
            self.border.put(kept)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take the border, if the mouse is on it."""
        if self.border is not None and self.border.take(event):
            event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the border."""
        if self.border is not None:
            self.border.drag(event)

    def on_mouse_up(self) -> None:
        """Leave the border where it is, and lay out what stands beside it."""
        if self.border is not None and self.border.let_go():
            self.border_was_put(self.border)
            self.call_after_refresh(self.draw_again)

    def border_was_put(self, border: PaneBorder) -> None:
        """Keep where the border was put."""
        state = state_of(self.app, self.opening.vault)
        state.remember(BORDERS, {**state.section(BORDERS), self.AREA: border.share})

    # -- changes ----------------------------------------------------------------------------------

    def do(self, change: Callable[[], Done], *, focus: bool = False) -> None:
        """Make a change in a thread, after those asked for before it.

        `focus`: whether the cursor goes to the memory that was changed.
        """
        self.again.drop()
        self._waiting_changes.append((change, focus))
        self._next_change()
        self.set_timer(TELL_SECONDS, self._tell_working)

    def _tell_working(self) -> None:
        """Show that a change is being made, or that there is nothing to show yet."""
        self.hints.busy = "working …" if self.acting else self.loader.reading_words(self.opening.vault.path)

    def acts_ended(self, focus: str | None) -> None:
        """Show what changed; called after the last change in a row."""
        del focus
        self.look_again()

    def _next_change(self) -> None:
        if not self.acting and self._waiting_changes:
            self.acting = True
            change, focus = self._waiting_changes.popleft()
            # Not exclusive: a new key must never cancel a change that waits for its thread.
            self.loader.read(
                change,
                partial(self._end_change, focus=focus),
                group="act",
                on_error=self._change_failed,
                exclusive=False,
            )

    def tell_done(self, done: Done) -> None:
        """Show what a change did, or that there was nothing to change."""
        if done.changed:
            self.memories.note_done()
        self.say(done.message, severity="information" if done.changed else "warning")

    def _end_change(self, done: Done, *, focus: bool) -> None:
        if done.asks:
            self.again.agrees(done.asks, f"{self.key_of(done.asks)} {done.message}", str)
        elif done.writes is None:
            self.tell_done(done)
        else:
            attrgetter("show_writes")(self.app)(self, done.writes, focus=focus)
        self._proceed(done.focus if focus else None)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Handle a change that failed; False where a toast is to show the error."""
        return any(part.answers_failure(error) for part in self.parts)

    def _change_failed(self, error: MemtuiError) -> None:
        self._leaving = False
        if not self.answers_failure(error):
            why = why_not_changed(error, self.key_of, self.AREA)
            self.say(why or str(error), severity="warning" if why else "error")
        self._proceed()

    def key_of(self, identifier: str) -> str:
        """Return the key of an action by its id, empty where it has none."""
        keymap: Keymap = getattr(self.app, "keymap", None) or Keymap()
        return keymap.first(registry.by_id(identifier))

    def _proceed(self, focus: str | None = None) -> None:
        """Make the next change; after the last, leave if that was asked for."""
        self.acting = False
        self._next_change()
        if self.acting:
            return
        self._tell_working()
        for part in self.parts:
            part.changed()
        if self._leaving:
            self.app.exit()
        else:
            self.acts_ended(focus)

    def action_quit(self) -> None:
        """Leave, once every change that was asked for is made."""
        if any(part.keeps_open() for part in self.parts):
            return
        if self.acting:
            self._leaving = True
            self.say("Quitting once the last change is saved …")
        else:
            self.app.exit()

    # -- toasts -----------------------------------------------------------------------------------

    def say(self, text: str, *, severity: SeverityLevel = "information") -> None:
        """Show a toast; the text is never read as markup."""
        display.stand_clear(self.app.screen, text[:_LONGEST_TOAST])
        shown = display.over_labels(self.app.screen, tame(text, _LONGEST_TOAST))
        self.notify(shown, severity=severity, timeout=display.SECONDS[severity], markup=False)

    def unsay(self, text: str) -> None:
        """Take a toast away that `say` showed, where it is still there: what it tells is no longer so."""
        display.take_away(self.app, tame(text, _LONGEST_TOAST))

    def look_failed(self, error: MemtuiError) -> None:
        """Show why the vault could not be read."""
        self.complain(str(error))

    @property
    def in_trouble(self) -> bool:
        """Whether the last read of the vault failed."""
        return bool(self._last_trouble)

    def complain(self, text: str) -> None:
        """Show why a read failed; the same reason is shown once until a read succeeds."""
        if text != self._last_trouble:
            self.say(text, severity="error")
        self._last_trouble = text
        end_reading(getattr(self, "_title", None))

    def trouble_is_over(self) -> None:
        """Note that a read of the vault succeeded."""
        self._last_trouble = ""

    @on(Worker.StateChanged)
    def _tell_defect(self, event: Worker.StateChanged) -> None:
        """Show an unforeseen error; the app goes on."""
        if event.state is not WorkerState.ERROR:
            return
        text = f"{type(event.worker.error).__name__}: {event.worker.error}. {START_AGAIN}"
        if event.worker.group == "act":
            self._leaving = False
            self.say(text, severity="error")
            self._proceed()
        else:
            self.complain(text)


class ListDetail(MemtuiScreen):
    """Two panes, read through the loader, and read again when somebody changes the vault.

    Where it is narrow one pane is shown; the class `-reading` says that it is the second. A subclass makes the panes
    (a `RowList` with its renderer, a `DetailPane`) and the title, sets `looked_at` and reads in `look_again`; one
    that shows more than these composes them itself.
    """

    _title: TitleLine

    BACK_TO_FIRST: ClassVar[bool] = True  # Whether back leads from the second pane to the first

    def __init__(self, opening: Opening, first: Widget, second: Widget, *, panes: RowPanes[Any] | None = None) -> None:
        super().__init__(opening)
        self._first = first
        self._second = second
        self._panes = panes  # What holds both, where it shows rows and what is known of the current one
        self.sifting: ListFilter | None = None  # The filter of the list, where it is one of rows
        self.border = PaneBorder(first, second)
        first.add_class("pane")
        second.add_class("pane")

    def compose(self) -> ComposeResult:
        """Lay out the panes side by side between the title and the keys."""
        yield self._title
        yield self._panes or Horizontal(self._first, self._second, id=f"{self.AREA}-panes")
        yield from self.typed_lines()
        yield self.hints

    def draw_again(self) -> None:
        """Lay out everything about the current row for the room there is."""
        if self._panes is not None:
            self._panes.draw()

    def typed_lines(self) -> Iterable[Widget]:
        """Return the lines to type into that stand under the panes."""
        return () if self.sifting is None else (self.sifting.bar,)

    def read_rested(self, function: Callable[[], T], then: Callable[[T], object]) -> None:
        """Read the current row in full, once the cursor rests on it."""
        read = partial(self.loader.read, function, then, group="detail")
        self.loader.after(RESTING_SECONDS, read, group="detail")

    def stop_rest(self) -> None:
        """Read nothing for the row that the cursor left."""
        self.loader.stop("detail")

    # -- panes ------------------------------------------------------------------------------------

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        return FILTER if self.sifting is not None and self.sifting.bar.is_typed_in else self.AREA

    def on_idle(self) -> None:
        """Tell how much the filter leaves, after whatever changed it."""
        if self.sifting is not None:
            self.sifting.tell_count()

    def action_list_filter(self) -> None:
        """Type a filter of the list."""
        if self.sifting is not None:
            self.sifting.bar.open()

    def enter_first(self) -> None:
        """Go to the first pane."""
        self.set_class(False, "-reading")
        self._first.focus()

    def enter_second(self) -> None:
        self.set_class(True, "-reading")
        self._second.focus()

    def enter_other(self) -> None:
        if self.focused is self._first:
            self.enter_second()
        else:
            self.enter_first()

    def leave_line(self) -> bool:
        """Close a line that is typed in; False where none is open."""
        return self.sifting is not None and self.sifting.bar.leave()

    def action_back(self) -> None:
        """Leave the second pane, then a line that is open, then the screen."""
        if self.BACK_TO_FIRST and self.focused is self._second:
            self.enter_first()
        elif not self.leave_line():
            super().action_back()
