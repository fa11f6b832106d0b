"""Import: sources chosen by ticks and previewed before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import IMPORT
from memtui.tui.importing.view import (
    ImportAccess,
    PlaceList,
    PlanList,
    PlanRow,
    Preview,
    plan_lines,
    plan_words,
    row_blocks,
)
from memtui.tui.launch_options import Opening
from memtui.tui.list_detail import ListDetail
from memtui.tui.messages import LookFailed
from memtui.tui.screens.dialogs import CardScreen
from memtui.tui.text_layout import counted
from memtui.tui.values import Done
from memtui.tui.widgets.lines import TextLine, TitleLine
from memtui.tui.widgets.lists import PickList

if TYPE_CHECKING:
    from memtui.capture.known_places import KnownPlace

WELCOME = (
    "This vault is empty. Below is what your assistants and your team wrote down already.",
    "Nothing is written until you press I.   esc starts empty   a sample to look around in: memtui demo",
)
"""Above the lists at the first start with an empty vault."""

REMINDER = ("Nothing is written until you press I; u undoes an import.",)
"""The same later on."""


@dataclass
class PlacesFound(Message):
    """The known places were looked at."""

    places: list[KnownPlace]


@dataclass
class PlaceNamed(Message):
    """A place that a person typed was found."""

    place: KnownPlace


@dataclass
class Previewed(Message):
    """A dry run came to its end; its lines are made in the thread, as there may be thousands."""

    preview: Preview
    lines: list[PlanRow | str]
    ticket: int


@dataclass
class Progressed(Message):
    """Some of the work is done."""

    what: str
    done: int
    total: int

    def can_replace(self, message: Message) -> bool:
        """Let the newest of a burst stand for all."""
        return isinstance(message, Progressed)


class ImportScreen(ListDetail):
    """Places on the left, on the right what importing them would do.

    Args:
        opening: what the app was opened with.
        first_run: whether it greets a person whose vault is empty.
    """

    AREA = IMPORT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(IMPORT)
    AUTO_FOCUS = "#import-places"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, *, first_run: bool = False) -> None:
        self._places = PlaceList(id="import-places")
        self._plan = PlanList(id="import-plan")
        super().__init__(opening, self._places, self._plan)
        self._sources = ImportAccess(opening, Path.home())
        self._title = TitleLine("Welcome" if first_run else "Import", id="import-title")
        self._words = Static(Content("\n".join(WELCOME if first_run else REMINDER)), id="import-words", markup=False)
        self._path = TextLine("a file or folder", longest=4_000, id="import-path")
        self._known: list[KnownPlace] = []
        self._preview: Preview | None = None
        self._active = False
        self._ticket = 0
        self._stopped = False
        self._imported: Done | None = None
        """What the last import came to, where it brought anything in."""

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        yield self._words
        with Horizontal(id="import-panes"):
            yield self._places
            yield self._plan
        with Horizontal(id="import-bar"):
            yield Static(" Path ", id="import-label", markup=False)
            yield self._path
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the disk is looked at after the first picture."""
        self._places.set_title("1 Sources")
        self._plan.set_title("2 Preview")
        self.hints.place = IMPORT
        self._title.note = "looking …"
        self.call_after_refresh(self._look)

    def on_unmount(self) -> None:
        """Let a dry run that is still on its way end."""
        self._ticket += 1

    # -- looking ----------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="places", exit_on_error=False)
    def _look(self) -> None:
        self.post_message(PlacesFound(self._sources.places()))

    @on(PlacesFound)
    def _show_places(self, message: PlacesFound) -> None:
        self._known = message.places
        in_project = [place.path for place in message.places if place.where == "project"]
        self._places.set_ticks(in_project or [place.path for place in message.places])
        self._show_known()
        self.look_again()

    def _show_known(self) -> None:
        notice = (
            "Nothing was found in this folder or at home.",
            "/ names another file or folder; any Markdown will do.",
            "esc leaves.",
        )
        self._places.show(self._known, notice=notice)
        self._count_ticks()

    def _count_ticks(self) -> None:
        self._places.set_title("1 Sources", f"{len(self._places.ticked)} of {len(self._known)} ticked")

    def look_again(self) -> None:
        """Make a dry run of what is ticked now."""
        self._ticket += 1
        ticked = self._places.ticked
        self._count_ticks()
        if not ticked:
            self._preview = None
            self._title.note = ""
            self._plan.show((), notice=("Nothing is ticked.", "space ticks a source."))
            self._plan.set_title("2 Preview")
            return
        self._title.note = "reading …"
        self._make_preview(tuple(ticked), self._ticket, active=self._active)

    @work(thread=True, exclusive=True, group="preview", exit_on_error=False)
    def _make_preview(self, places: tuple[KnownPlace, ...], ticket: int, *, active: bool) -> None:
        from memtui.progress import Cancelled

        def progress(what: str, done: int, total: int) -> None:
            if ticket != self._ticket:
                raise Cancelled
            self.post_message(Progressed(what, done, total))

        if ticket != self._ticket:
            return
        try:
            preview = self._sources.preview(places, active=active, progress=progress)
            lines = plan_lines(preview.plan)
        except Cancelled:
            return
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(Previewed(preview, lines, ticket))

    @on(Progressed)
    def _show_progress(self, message: Progressed) -> None:
        self._title.note = f"{message.what} {message.done:,} of {message.total:,} · esc stops"

    @on(Previewed)
    def _show_preview(self, message: Previewed) -> None:
        if message.ticket != self._ticket:
            return
        self.trouble_is_over()
        self._preview = message.preview
        plan = message.preview.plan
        self._plan.show(message.lines, notice=("These sources hold no memory.",))
        self._plan.set_title("2 Preview", plan_words(plan, active=self._active))
        files = counted(message.preview.files, "file", "files")
        self._title.note = f"{files} read · {'active at once' if self._active else 'into the inbox'}"

    def look_failed(self, error: MemtuiError) -> None:
        """Tell of it."""
        self._title.note = ""
        super().look_failed(error)

    # -- choosing ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        if self.acting and action.id in {"import-run", "import-tick", "import-all", "import-active", "import-path"}:
            return "An import is on its way; esc stops it."
        if action.id == "import-tick" and self._places.current is None:
            return "No source is under the cursor."
        if action.id == "import-run" and not self._places.ticked:
            return "Nothing is ticked."
        if action.id == "import-read" and self._plan.current is None:
            return "There is nothing to read."
        return super().why_not(action)

    def action_import_tick(self) -> None:
        """Tick the source under the cursor in or out."""
        self._places.toggle()
        self.look_again()

    def action_import_all(self) -> None:
        """Tick every source, or none where all are ticked."""
        all_of = [place.path for place in self._known]
        self._places.set_ticks([] if len(self._places.ticked) == len(all_of) else all_of)
        self.look_again()

    def action_import_active(self) -> None:
        """Import into the inbox, or active at once."""
        self._active = not self._active
        self.look_again()

    def action_import_path(self) -> None:
        """Type another file or folder."""
        self.set_class(True, "-typing")
        self._path.focus()

    @on(Input.Submitted, "#import-path")
    def _name_place(self, event: Input.Submitted) -> None:
        event.stop()
        self._find_place(event.value)

    @work(thread=True, exclusive=True, group="places", exit_on_error=False)
    def _find_place(self, typed: str) -> None:
        try:
            place = self._sources.place_at(typed)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(PlaceNamed(place))

    @on(PlaceNamed)
    def _take_place(self, message: PlaceNamed) -> None:
        self.trouble_is_over()
        ticked = [place.path for place in self._places.ticked]
        if message.place.path not in {place.path for place in self._known}:
            self._known = [*self._known, message.place]
        self._places.set_ticks([*ticked, message.place.path])
        self._show_known()
        self._close_path()
        self.look_again()

    def _close_path(self) -> None:
        self._path.value = ""
        self.set_class(False, "-typing")
        self._places.focus()

    # -- importing --------------------------------------------------------------------------------

    def action_import_run(self) -> None:
        """Import what is ticked."""
        from memtui.progress import Cancelled

        places, active = tuple(self._places.ticked), self._active
        self._stopped = False

        def progress(what: str, done: int, total: int) -> None:
            if self._stopped:
                raise Cancelled
            self.post_message(Progressed(what, done, total))

        self._ticket += 1
        self._title.note = "importing …"

        def run() -> Done:
            done = self._sources.run(places, active=active, progress=progress)
            self._imported = done if done.changed else None
            return done

        self.do(run)

    def tell_done(self, done: Done) -> None:
        """Say where what came in is; after an undo, what holds before any import."""
        super().tell_done(done)
        place = "It is in use: esc goes to the list." if self._active else "It waits in the inbox: b goes there."
        came_in = done is self._imported
        self._words.update(Content(f"{place}   u undoes the import." if came_in else "\n".join(REMINDER)))

    def acts_ended(self, focus: str | None) -> None:
        """Show what another import would do now."""
        del focus
        self.look_again()

    # -- going about ------------------------------------------------------------------------------

    def action_import_read(self) -> None:
        """Read a memory of a source in full."""
        if self.focused is not self._plan:
            self.action_import_preview()
        elif self._plan.current is not None:
            self.app.push_screen(CardScreen("Draft", row_blocks(self._plan.current)))

    @on(PickList.Highlighted)
    def _passed(self, message: PickList.Highlighted) -> None:
        message.stop()

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("import-tick" if message.list is self._places else "import-read")

    def action_import_sources(self) -> None:
        """Go to the sources."""
        self.enter_first()

    def action_import_preview(self) -> None:
        """Go to the preview."""
        self.enter_second()

    def action_import_pane(self) -> None:
        """Go to the other pane."""
        self.enter_other()

    def action_back(self) -> None:
        """Stop an import on its way; leave the preview, the line, the screen."""
        if self.acting:
            self._stopped = True
            self._title.note = "stopping …"
        else:
            super().action_back()

    def leave_line(self) -> bool:
        """Close the path; False where it is closed."""
        if not self.has_class("-typing"):
            return False
        self._close_path()
        return True

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        return "import-line" if self.focused is self._path else IMPORT
