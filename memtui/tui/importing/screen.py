"""Import: sources to tick, and a preview before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from memtui.errors import MemtuiError
from memtui.progress import Cancelled
from memtui.text.sanitize import tame
from memtui.text.words import some_of
from memtui.tui.actions import registry
from memtui.tui.actions.registry import IMPORT, Action
from memtui.tui.importing.came_in import CameIn, of_projects
from memtui.tui.importing.leaving_out import LEAVE_OUT, LeavingOut, why_not_chosen
from memtui.tui.importing.path_line import PathLine
from memtui.tui.importing.planned import row_blocks
from memtui.tui.importing.preview import Preview, news_words, plan_words
from memtui.tui.importing.stores import StoreRow, Stores, known_stores
from memtui.tui.importing.typed import all_places, found_at
from memtui.tui.importing.view import (
    SILENT,
    WHY_NOTHING_NEW,
    Importer,
    LeftOutRow,
    PlaceRow,
    Places,
    PlanRow,
    line_for,
    place_cells,
    place_rows,
    places_at,
    plan_cells,
    plan_lines,
    same_row,
)
from memtui.tui.list_detail import RESTING_SECONDS, ListDetail
from memtui.tui.loader import Task
from memtui.tui.project_switch import SwitchWanted
from memtui.tui.screens.dialogs import CardScreen, pick
from memtui.tui.state import Opening
from memtui.tui.switching import no_folder
from memtui.tui.values import Done
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import READING, PickList
from memtui.tui.widgets.row_list import RowList, TextRow

if TYPE_CHECKING:
    from memtui.capture.collect import SourcesFound
    from memtui.capture.left_out import IgnoreLine

WELCOME = (
    "This vault is empty. Below is what your assistants and your team wrote down.",
    "Nothing is imported until you press I; esc starts empty.",
    "To try a sample vault first: memtui demo",
    "Later V installs memtui into your assistants, D learns from their sessions.",
)
"""Above the lists at the first start with an empty vault."""

REMINDER = ("Nothing is imported until you press I; u undoes an import.",)  # The same later on

_CHOOSING = frozenset({"import-tick", LEAVE_OUT})
_ALL_KNOWN = (
    "Nothing new here: everything is already in the vault, was rejected, or contains no memory; / names another file."
)
_LOOKING = "Still looking for sources."
_HOLDS_NONE = "{} contains no memory: what was passed over is listed here with the reasons."

_NOTHING_AT_HOME = "No rule files were found in your home folder."
_NOTHING_FOUND = (
    "No rule files were found in this project or in your home folder.",
    "/ names another file or folder; any Markdown file will do.",
    "esc leaves.",
)


class ImportScreen(ListDetail):
    """Sources on the left, on the right what importing them would do.

    `first_run`: whether it greets a person whose vault is empty.
    """

    AREA = IMPORT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(IMPORT)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "import-sources": ("enter_first",),
        "import-preview": ("enter_second",),
        "import-pane": ("enter_other",),
    }
    AUTO_FOCUS = "#import-places"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, *, first_run: bool = False) -> None:
        self._places: RowList[PlaceRow | LeftOutRow | StoreRow] = RowList(place_cells, id="import-places")
        self._plan: RowList[PlanRow] = RowList(plan_cells, id="import-plan")
        super().__init__(opening, self._places, self._plan)
        self._leaving_out = LeavingOut(self, self._left_out)
        self.parts = (self._leaving_out,)
        self._home = Path.home()
        self._importer = Importer(self.access, self._home)
        self._title = TitleLine("Welcome" if first_run else "Import", id="import-title")
        self._nothing = _NOTHING_FOUND if opening.has_folder else (_NOTHING_AT_HOME, *_NOTHING_FOUND[1:])
        self._reminder = REMINDER if opening.has_folder else (no_folder(opening), *REMINDER)
        self._words = Static("\n".join(WELCOME if first_run else self._reminder), id="import-words", markup=False)
        self._path = PathLine(opening, id="import-path")
        self._known = Places(())
        self._stores = Stores()
        self._unclear: Mapping[str, str] = {}  # stores' project names with the project that each may be
        self._ticked: set[Path] = set()
        self._active = False
        self._stopped = False
        self._known_paths: dict[Path, str] = {}  # of places that hold nothing new, with why
        self._changed_paths: set[Path] = set()  # of places of which only something known changed
        self._unticks_known = True  # Whether they are still ticked by the screen alone, which then unticks them
        self._first_run = first_run
        self._previewed: set[Path] = set()  # places that were read
        self._imported: Done | None = None  # The last import that added or changed memories
        self._came_in: CameIn | None = None  # What the last import came to, None where it was undone
        self._told_at = 0  # How many changes had been made by then
        self._was_ticked: frozenset[Path] = frozenset()  # What it read

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
        yield self._path.offers
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the disk is read after the first paint."""
        self._places.set_title("1 Sources")
        self._plan.set_title("2 Preview")
        self._title.note = "looking …"
        self.loader.read(self.access.read_place, partial(setattr, self._title, "place"), group="place")
        self.call_after_refresh(self._find_places)

    def on_unmount(self) -> None:
        """Stop a preview that is still being made."""
        self.loader.stop("preview")

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        return self._path.hint_place if self.focused is self._path else IMPORT

    # -- sources ----------------------------------------------------------------------------------

    def _find_places(self) -> None:
        def show(places: Places) -> None:
            self._known = places
            loaded = [place for place in places.rows if place.is_loaded]
            in_project = {place.path for place in loaded if place.where != "home"}
            self._tick(in_project or {place.path for place in loaded})
            self.loader.read(lambda: known_stores(self.access, self._home), self._show_stores, group="stores")

        self.loader.read(partial(all_places, self.access, self.opening.folder, self._home), show, group="places")

    def _show_stores(self, stores: Stores) -> None:
        if not stores.found:
            return
        # A folder of rule files that is a store is offered once, as the store, which keeps its notes whole.
        twice = {store.place.path for store in stores.found} & {place.path for place in self._known.rows}
        for place in [place for place in self._known.rows if place.path in twice]:
            self._known = self._known.without(place)
        self._stores = replace(stores, ticked=frozenset(twice & self._ticked)).with_more(self._stores)
        if twice:
            self._tick(self._ticked - twice)
        else:
            self._show_sources()

    def _show_sources(self) -> None:
        """Draw the sources, the cursor on the one that it was on."""
        current = self._places.current
        # Ticks that may go at once are no ticks yet; an empty vault knows of nothing.
        unread = self._ticked - self._previewed if self._unticks_known and not self._first_run else set()
        places = place_rows(self._known, self._ticked, self._known_paths, unread, self._changed_paths)
        rows = [*places, *self._stores.rows()]
        self._places.show(rows, follow=(lambda row: same_row(row, current)) if current else None, notice=self._nothing)
        number = len(self._ticked) + len(self._stores.ticked)
        ticked = f"{number} of {len(self._known.rows) + len(self._stores.found)} ticked"
        self._places.set_title("1 Sources", READING if unread else ticked)

    def _tick(self, paths: Iterable[Path]) -> None:
        """Tick these sources and no others, and preview them."""
        self._ticked = set(paths)
        self._show_sources()
        self.look_again()

    @property
    def _chosen(self) -> SourcesFound:
        """The sources that are ticked, in the order of the list."""
        return self._known.found(self._ticked)

    # -- the preview ------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Preview an import of what is ticked."""
        if not self._ticked and not self._stores.ticked:
            self.loader.stop("preview")
            self._title.note = ""
            self._plan.show((), notice=("Nothing is ticked.", "space ticks a source."))
            self._plan.set_title("2 Preview")
            return
        self._title.note = "reading …"
        chosen, stores, active = self._chosen, self._stores, self._active

        def preview(task: Task) -> tuple[Preview, Sequence[PlanRow | TextRow]]:
            found = self._importer.preview(chosen, stores, active=active, progress=task.progress(self._show_progress))
            return found, plan_lines(found.plan, found.rows)  # in the thread, as there may be thousands

        self.loader.run(preview, self._show_preview, group="preview")

    def _show_progress(self, what: str, done: int, total: int) -> None:
        self._title.note = f"{what} {done:,} of {total:,} · esc stops"

    def _show_preview(self, found: tuple[Preview, Sequence[PlanRow | TextRow]]) -> None:
        preview, lines = found
        self.trouble_is_over()
        self._mark_known(preview)
        self._unclear = preview.unclear
        self._plan.show(lines, notice=("These sources hold no memories.",))
        self._plan.set_title("2 Preview", plan_words(preview.plan, active=self._active))
        others = self._importer.other_projects(preview.plan)
        place = "active at once" if self._active else f"inbox{of_projects(others)}"
        self._title.place = f"into {some_of(others, 2)}" if others else self.access.place_words
        self._title.note = f"{preview.read_words} read · {news_words(preview.plan, place)}"

    def _mark_known(self, preview: Preview) -> None:
        """Mark which of the ticked places hold nothing new; unless a person ticked them, they need no tick."""
        known = preview.known
        looked_at = {place.path: place for place in self._known.rows if place.path in self._ticked}
        self._previewed |= looked_at.keys()
        why = {path: {known.get(one.file.path, "") for one in place.sources} for path, place in looked_at.items()}
        news = {path: {one.file.path for one in place.sources} - known.keys() for path, place in looked_at.items()}
        self._changed_paths -= looked_at.keys()
        self._changed_paths |= {path for path, files in news.items() if files and files <= preview.changed}
        held = {path: max(words, key=WHY_NOTHING_NEW.index) for path, words in why.items() if all(words)}
        self._known_paths = {path: word for path, word in self._known_paths.items() if path not in looked_at} | held
        if self._unticks_known:
            self._ticked -= held.keys()
        self._show_sources()

    def look_failed(self, error: MemtuiError) -> None:
        """Show the error."""
        self._title.note = ""
        super().look_failed(error)

    # -- choosing ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        reason: str | None = None
        if self.acting and action.id in _CHOOSING | {"import-run", "import-all", "import-active", "import-path"}:
            reason = "An import is running; esc stops it."
        elif action.id in _CHOOSING:
            reason = self._why_not_choose(leaves_out=action.id == LEAVE_OUT)
        elif action.id in {"import-run", "import-active"} and not (self._ticked or self._stores.ticked):
            reason = self._why_nothing_to_run()
        elif action.id == "import-read":
            reason = self._why_not_read()
        return reason or super().why_not(action)

    def _why_nothing_to_run(self) -> str:
        if self.loader.is_under_way("places"):
            return _LOOKING
        is_all_known = self._known.rows and all(place.path in self._known_paths for place in self._known.rows)
        return _ALL_KNOWN if is_all_known else "Nothing is ticked."

    def _why_not_read(self) -> str | None:
        if self.focused is self._plan and self._plan.current is None:
            return "No memory is listed here to read; passed-over lines and files are listed by reason."
        return "No source is listed here to preview." if self._places.current is None else None

    def _why_not_choose(self, *, leaves_out: bool) -> str | None:
        if self._places.current is None:
            return "No source is under the cursor."
        if self.focused is self._plan:
            what = "x ignores a whole source" if leaves_out else "Sources are ticked, not memories"
            return f"{what}: go to the sources first. Reject one memory in the Inbox."
        return why_not_chosen(self._places.current, leaves_out=leaves_out)

    def action_import_tick(self) -> None:
        """Tick or untick the source under the cursor."""
        row = self._places.current
        self._unticks_known = False
        if isinstance(row, StoreRow):
            self._stores = self._stores.toggled(row)
            self._tick(self._ticked)
        elif isinstance(row, PlaceRow):
            self._tick(self._ticked ^ {row.place.path})

    def action_import_leave_out(self) -> None:
        """Leave the source under the cursor out of this import and of every later one, or read it again."""
        row = self._places.current
        line = line_for(row.place) if isinstance(row, PlaceRow) else None
        if isinstance(row, LeftOutRow):
            self._leaving_out.take_out(row.line)
        elif line is not None:
            self._leaving_out.ask(line, lambda: self._places.current)

    def _left_out(self, line: IgnoreLine, is_written: bool) -> None:
        """Show what a line leaves out now, or what is read again without it."""
        path = line.root / line.name
        if is_written:
            self._known = self._known.leaving_out(line)
            self._tick({one for one in self._ticked if not one.is_relative_to(path)})
            return

        def show(found: Places) -> None:
            before = {place.path for place in self._known.rows}
            self._known = self._known.reading_again(line, found)
            self._tick(self._ticked | {place.path for place in self._known.rows if place.path not in before})

        folder, home = self.opening.folder, self._home
        if folder.resolve().is_relative_to(line.root):
            self.loader.read(lambda: all_places(self.access, folder, home), show, group="places")
        else:
            self.loader.read(lambda: places_at(str(path), folder=folder, home=home), show, group="places")

    def action_import_all(self) -> None:
        """Tick every source, or none where all are; on a type, project, month or importance all of that kind."""
        self._unticks_known = False
        row = self._places.current
        if isinstance(row, StoreRow) and row.facet:
            self._stores = self._stores.facet_toggled(row)
            self._tick(self._ticked)
            return
        paths = {place.path for place in self._known.rows}
        every_store = self._stores.all_ticked(wanted=True)
        is_all = self._ticked == paths and self._stores.ticked == every_store.ticked
        self._stores = self._stores.all_ticked(wanted=not is_all)
        self._tick(set() if is_all else paths)

    def action_import_active(self) -> None:
        """Import into the inbox, or active at once."""
        self._active = not self._active
        self.look_again()

    def action_import_path(self) -> None:
        """Type another file or folder."""
        self.set_class(True, "-typing")
        self._path.focus()

    @on(Input.Submitted, "#import-path")
    def _find_place(self, event: Input.Submitted) -> None:
        event.stop()
        typed, folder = event.value, self.opening.types_from
        self.loader.read(lambda: found_at(typed, folder=folder, home=self._home), self._add_places, group="places")

    def _add_places(self, found: tuple[Places, Stores]) -> None:
        self.trouble_is_over()
        places, stores = found
        self._known, self._stores = self._known.with_more(places), self._stores.with_more(stores)
        self._close_path()
        self._tick(self._ticked | {place.path for place in places.rows})

    def _close_path(self) -> None:
        self._path.value = ""
        self.set_class(False, "-typing")
        self._places.focus()

    def leave_line(self) -> bool:
        """Close the path; False where it is closed."""
        if not self.has_class("-typing"):
            return False
        self._close_path()
        return True

    # -- importing --------------------------------------------------------------------------------

    def action_import_run(self) -> None:
        """Import what is ticked; where a store's project may be one of the vault, ask first."""
        if self._unclear:
            self._ask_project(*next(iter(self._unclear.items())))
            return
        chosen, stores, active = self._chosen, self._stores, self._active
        self._stopped = False
        self.loader.stop("preview")
        self._title.note = "importing …"

        def progress(what: str, done: int, total: int) -> None:
            if self._stopped:
                raise Cancelled
            self.call_later(self._show_progress, what, done, total)

        def run() -> Done:
            self._came_in = self._importer.run(chosen, stores, active=active, progress=progress)
            self._imported = self._came_in.done if self._came_in.done.changed else None
            self._told_at = len(self.access.vault.made)
            return self._came_in.done

        self.do(run)

    def _ask_project(self, name: str, known: str) -> None:
        """Ask which project a store means; the answer is remembered with the import."""

        def take(project: str) -> None:
            self._stores = replace(self._stores, projects={**self._stores.projects, name: project})
            self._unclear = {other: may_be for other, may_be in self._unclear.items() if other != name}
            self.action_import_run()

        choices = [(known, "a project with a similar name"), (name, "as the store calls it")]
        pick(self.app, f"The store calls a project {tame(name, 60)}. Which is it here?", choices, known, take)

    def tell_done(self, done: Done) -> None:
        """Say what came in and where it is; after an undo, what holds before any import."""
        is_told_here = done is self._imported and self._came_in is not None and self.is_current
        if is_told_here:
            self.memories.note_done()
        else:
            super().tell_done(done)
        if done is self._imported and self._came_in is not None:
            self._words.update(Content(self._came_in.words))
            self._title.screen_name, self._was_ticked = "Import", frozenset(self._ticked)
            self._stores = replace(self._stores, ticked=frozenset())
            self._show_sources()
        else:
            self._forget_import()
            # Undone, or done again: the next look tells what of it is in the vault.
            self._ticked |= self._was_ticked if done.changed else frozenset()
        self._unticks_known |= done.changed

    def _forget_import(self) -> None:
        """Say no longer what the last import came to, nor what undoes it."""
        self._came_in = None
        self._words.update(Content("\n".join(self._reminder)))

    def on_screen_resume(self) -> None:
        """Look again once something else was changed: the inbox holds less, or nothing of the import is left."""
        if self._came_in is not None and len(self.access.vault.made) != self._told_at:
            self._forget_import()
            self._ticked |= self._was_ticked
            self._unticks_known = True
            self.look_again()

    async def action_act(self, identifier: str) -> None:
        """Run an action; what was imported into another project waits in that one's inbox."""
        if identifier == "go-inbox" and self._came_in is not None and self._came_in.project is not None:
            self.post_message(SwitchWanted(self._came_in.project, "inbox"))
        else:
            await super().action_act(identifier)

    def action_back(self) -> None:
        """Stop an import that is running; else leave the preview, the path, the screen."""
        if self.acting:
            self._stopped = True
            self._title.note = "stopping …"
        else:
            super().action_back()

    # -- panes ------------------------------------------------------------------------------------

    def action_import_read(self) -> None:
        """Go to the preview, where it begins with the source under the cursor; from there, read a memory in full."""
        if self.focused is not self._plan:
            row = self._places.current
            if isinstance(row, PlaceRow) and row.known == SILENT:
                self.enter_second()
                self._plan.move_to_end(last=True)
                self.say(_HOLDS_NONE.format(tame(row.place.name, 60)))
                return
            self._preview_source()
            self.enter_second()
        elif self._plan.current is not None:
            self.app.push_screen(CardScreen("Preview", row_blocks(self._plan.current)))

    @on(PickList.Highlighted)
    def _follow_source(self, message: PickList.Highlighted) -> None:
        message.stop()
        if message.list is self._places and self.focused is not self._plan:
            self.loader.after(RESTING_SECONDS, self._preview_source, group="source")

    def _preview_source(self) -> None:
        """Let the preview begin with the source under the cursor, where it brings anything."""
        row = self._places.current
        files = [source.file for source in row.place.sources] if isinstance(row, PlaceRow) else []
        names = {name for file in files for name in (file.name, file.path.as_posix())}
        self._plan.go_to(lambda planned: planned.planned.draft.source.path in names)

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("import-tick" if message.list is self._places else "import-read")
