"""Edits memories of a list in the form or the user's editor, and shows what a saved text resembles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import SuspendNotSupported
from textual.content import Content
from textual.notifications import SeverityLevel
from textual.reactive import reactive
from textual.widget import Widget

from memtui.domain.memory import LinkType, Memory
from memtui.errors import ConflictError, MemtuiError, SecretRefusedError
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import RESEMBLING, Action, Keymap
from memtui.tui.list_detail import MemtuiScreen, ScreenPart
from memtui.tui.memory_view import clipped
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess

if TYPE_CHECKING:
    from memtui.analysis.duplicates import Resemblance
    from memtui.curate.external_editor import Edited, MemoryFile
    from memtui.curate.form import Basis, Decision
    from memtui.tui.edit.form import Wish
    from memtui.tui.edit.screen import EditScreen


@dataclass(frozen=True, slots=True)
class Beside:
    """A memory that was just saved, and the one that it resembles."""

    memory: Memory
    found: Resemblance


class ResemblingAccess:
    """The vault as it is looked at beside a save."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def beside(self, identifiers: Sequence[str], before: Memory | None = None) -> list[Beside]:
        """Return what memories resemble, of each the nearest.

        `before`: the one memory as it was before an edit: a small change is no new statement.
        """
        from memtui.analysis.duplicates import changed_much
        from memtui.curate.links import MOST_COMPARED, resembling

        meaning = self._opening.meaning
        ready = meaning if meaning is not None and meaning.is_ready else None
        return [
            Beside(memory, found)
            for memory in self._access.memories(list(identifiers)[:MOST_COMPARED])
            if before is None or changed_much(before, memory)
            for found in resembling(self._vault, memory, meaning=ready)
        ]

    def tie(self, beside: Beside, link_type: LinkType) -> Done:
        """Link the new memory with what it resembles; `supersedes` takes that out of use."""
        from memtui.curate.links import link

        self._opening.before_change()
        made = link(self._vault, beside.memory.id, link_type, beside.found.id, actor=self._opening.actor)
        if made is None:
            return Done("They are linked so already", changed=False)
        word = "Superseded" if link_type == "supersedes" else "Linked with"
        return Done(f"{word}: {tame(beside.found.title, 80)}", focus=beside.memory.id)


WORDS = {"resembling-link": "link", "resembling-supersede": "supersede", "resembling-both": "both"}

SAID = {"same": "says the same as", "clashes": "clashes with", "differs": "resembles"}

_GAP = "   "

NARROWEST_WITH_WORDS = 66  # Cells from which the keys have their words: with less, nothing of the title would be left


class ResemblanceLine(Widget):
    """Says it quietly; keys of the screen act on it, and esc or any other act takes it away."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ResemblanceLine {
        height: 1;
        background: $memtui-cursor;
    }
    """

    beside: reactive[Beside | None] = reactive(None)
    more: reactive[int] = reactive(0)  # How many others wait behind it

    def __init__(self, keymap: Keymap | None = None) -> None:
        super().__init__(id="resemblance")
        self._keymap = keymap or Keymap()

    def render(self) -> Content:
        """Return the line: the title and the difference get what room the keys leave."""
        if self.beside is None:
            return Content("")
        found = self.beside.found
        keys = self._keys(words=self.size.width >= NARROWEST_WITH_WORDS)
        head = Content.assemble(" ", ("≈ ", "$memtui-due"), (f"{SAID[found.sort]} ", "$memtui-dim"))
        room = self.size.width - head.cell_length - keys.cell_length - 1
        title = tame(found.title, 200)
        why = "" if found.sort == "same" else f"  {tame(found.why, 200)}"
        shown = clipped(Content.assemble(title, (why, "$memtui-dim")), room)
        pad = max(0, room - shown.cell_length)
        return Content.assemble(head, shown, " " * pad, keys)

    def _keys(self, *, words: bool) -> Content:
        """Return the keys, what is offered first at the front, and esc; without words where there is no room."""
        first = "resembling-supersede" if self.beside and self.beside.found.link == "supersedes" else "resembling-link"
        actions = sorted(registry.of_owners(RESEMBLING), key=lambda action: action.id != first)
        parts = [
            Content.assemble(
                (self._keymap.first(action), "bold $primary"), (f" {WORDS[action.id]}" if words else "", "$memtui-dim")
            )
            for action in actions
            if self._keymap.keys(action)
        ]
        more = f" ({self.more} more)" if self.more else ""
        parts.append(Content.assemble(("esc", "bold $primary"), (f" no{more}" if words else "", "$memtui-dim")))
        return Content.assemble(_GAP, Content("  ").join(parts), " ")


_HARMLESS = frozenset({"help", "palette", "theme"})  # Actions that leave the line as it is


class SimilarOnSave(ScreenPart):
    """Shows after a save what the new memory resembles, for screens beneath forms.

    Attributes:
        waiting: what was found, the first of them in the line.
    """

    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "resembling-link": ("resemblance.tie", "relates"),
        "resembling-supersede": ("resemblance.tie", "supersedes"),
        "resembling-both": ("resemblance.open_both",),
    }
    """What answers the keys of the line on a screen that holds it as `resemblance`."""

    def __init__(self, screen: MemtuiScreen) -> None:
        super().__init__(screen)
        self.waiting: list[Beside] = []
        self._queries = ResemblingAccess(screen.access)

    def look(self, identifiers: Sequence[str], before: Memory | None = None) -> None:
        """Look for what memories resemble that were saved as new statements, or accepted; safe to call from a thread.

        `before`: the one memory as it was before an edit.
        """

        def ignore(_: MemtuiError) -> None:
            """Leave it: the save stands, and Tidy finds the same later."""

        def read() -> None:
            self.screen.loader.read(
                lambda: self._queries.beside(identifiers, before), self.show, group="beside", on_error=ignore
            )

        self.screen.call_later(read)

    def show(self, found: list[Beside]) -> None:
        """Show the first of what was found, or nothing."""
        self.waiting = found
        line = self.screen.query_one_optional(ResemblanceLine)
        if not found:
            if line is not None:
                line.display = False
            return
        if line is None:
            line = ResemblanceLine(getattr(self.screen.app, "keymap", None))
            self.screen.mount(line, before=self.screen.hints)
        line.beside, line.more, line.display = found[0], len(found) - 1, True

    def leave(self) -> None:
        """Take the line away, and drop what is still being looked for."""
        self.screen.loader.stop("beside")
        if self.waiting:
            self.show([])

    # -- keys -------------------------------------------------------------------------------------

    def is_off(self, identifier: str) -> bool:
        """Return whether a key is the line's own while there is no line."""
        return identifier.startswith(f"{RESEMBLING}-") and not self.waiting

    def offered(self) -> list[Action]:
        return registry.of_owners(RESEMBLING) if self.waiting else []

    def takes(self, identifier: str) -> bool:
        """Take the line away for any action but its own; esc does only that."""
        was_open = bool(self.waiting)
        if not identifier.startswith(f"{RESEMBLING}-") and identifier not in _HARMLESS:
            self.leave()
            return was_open and identifier == "back"
        return False

    def tie(self, link_type: LinkType) -> None:
        """Link the new memory with what it resembles; `supersedes` takes that out of use."""
        if self.waiting:
            beside, *rest = self.waiting
            self.show(rest)
            self.screen.do(lambda: self._queries.tie(beside, link_type), focus=True)

    def open_both(self) -> None:
        """Open both side by side, to be merged or only looked at."""
        if not self.waiting:
            return
        from memtui.tui.merge.screen import MergeScreen

        beside = self.waiting[0]
        merging = MergeScreen(self.screen.opening, (beside.found.id, beside.memory.id))

        def closed(_: None) -> None:
            # Looked at without a merge, the line stands as it stood.
            if merging.merged:
                self.leave()
                self.screen.acts_ended(beside.found.id)

        self.screen.app.push_screen(merging, closed)


class EditActions(ScreenPart):
    """Opens the form and the editor over a screen, and shows what a saved memory resembles."""

    def __init__(self, screen: MemtuiScreen, resemblance: SimilarOnSave) -> None:
        super().__init__(screen)
        self._resemblance = resemblance
        self._kept: dict[str, MemoryFile] = {}  # Files that could not be saved, by memory; the editor opens them again
        self._in_editor: tuple[MemoryFile, Basis, Edited] | None = None
        self._refused: MemtuiError | None = None  # Why the save of `_in_editor` failed
        self._quit_warned = False

    def _say(self, text: str, severity: SeverityLevel = "information") -> None:
        self.screen.say(text, severity=severity)

    # -- the form ---------------------------------------------------------------------------------

    def open_form(self, identifier: str | None, decision: Decision = "edit") -> None:
        """Open the form on a memory, None for a new one; once it is saved, the list is read again."""
        from memtui.tui.edit.screen import EditScreen

        form = EditScreen(self.screen.opening, identifier, decision)
        self.screen.app.push_screen(form, lambda _: self._take_form(form))

    def _take_form(self, form: EditScreen) -> None:
        if form.saved is not None:
            self.screen.acts_ended(form.saved.id)
            if form.is_statement:
                self._resemblance.look([form.saved.id], form.edited)

    # -- the editor -------------------------------------------------------------------------------

    def open_editor(self, identifier: str) -> None:
        """Edit a memory as a file in the user's own editor."""
        from memtui.tui.edit.form import EditingAccess

        queries = EditingAccess(self.screen.access)
        self.screen.loader.read(lambda: queries.basis(identifier), self._edit_file, group="editor")

    def _edit_file(self, basis: Basis) -> None:
        from memtui.curate.external_editor import discard_untouched, find_editor, write_memory_file

        memory = basis.memory
        if memory is None:
            return
        try:
            find_editor()
        except MemtuiError as error:
            self._say(
                f"{error.what}: {error.where}. Set it and start again, or press e for the form.", severity="warning"
            )
            return
        kept = self._kept.get(memory.id)
        file = kept if kept is not None and kept.path.exists() else write_memory_file(memory)
        edited = self._run_editor(file)
        if edited is None:
            return
        if not edited.values:
            self._kept.pop(memory.id, None)
            discard_untouched(file)
            left = f"; not changed here: {', '.join(edited.left_alone)}" if edited.left_alone else ""
            self._say(f"Nothing was changed{left}")
            return
        self._save_from_editor(file, basis, edited)

    def _run_editor(self, file: MemoryFile) -> Edited | None:
        """Give the terminal to the editor and read back what it made; None where nothing can be saved."""
        from memtui.curate.external_editor import discard_untouched, read_memory_file, run_editor

        try:
            self.screen.outside(lambda: run_editor(file))
            return read_memory_file(file)
        except SuspendNotSupported:
            discard_untouched(file)
            self._say(
                "This terminal cannot run an editor; e opens the form.",
                severity="warning",
            )
        except MemtuiError as error:
            kept = file.path.exists()
            if kept:
                self._kept[file.memory.id] = file
            again = " E opens it again." if kept else ""
            self._say(f"{error.what}: {error.where}. Nothing was saved.{again}", severity="error")
        return None

    def _save_from_editor(self, file: MemoryFile, basis: Basis, edited: Edited) -> None:
        from memtui.tui.edit.form import EditingAccess, Wish

        queries, wish = EditingAccess(self.screen.access), Wish(edited.values)

        def run() -> Done:
            try:
                _, done = queries.save(file.memory, wish)
            except MemtuiError as error:
                self._refused = error
                if isinstance(error, ConflictError):
                    theirs, last = queries.current(file.memory.id)
                    self.screen.call_later(self._show_conflict, file, theirs, wish, last)
                raise
            self.screen.call_later(self._forget_file, file)
            return done

        self._kept[file.memory.id] = file
        self._in_editor = (file, basis, edited)
        self.screen.do(run, focus=True)

    def _forget_file(self, file: MemoryFile) -> None:
        self._in_editor = None
        self._kept.pop(file.memory.id, None)
        self._resemblance.look([file.memory.id], file.memory)
        file.path.unlink(missing_ok=True)

    def _show_conflict(self, file: MemoryFile, theirs: Memory, wish: Wish, last: str) -> None:
        from memtui.tui.edit.version_conflict import ConflictScreen

        conflict = ConflictScreen(self.screen.opening, file.memory, theirs, wish, last)

        def closed(_: None) -> None:
            if conflict.saved is not None:
                self._forget_file(file)
                self.screen.acts_ended(conflict.saved.id)
            else:
                self._say(f"Not saved. Your text is kept in {file.path}; E opens it again.", severity="warning")

        self.screen.app.push_screen(conflict, closed)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Open the form on a text from the editor that was refused; a version conflict has its own screen."""
        pending = self._in_editor
        if pending is None or error is not self._refused:
            return False
        self._in_editor = self._refused = None
        if isinstance(error, ConflictError):
            return True
        file, basis, edited = pending
        where = f": {error.where}" if error.where else ""
        insist = " ctrl+n saves it anyway." if isinstance(error, SecretRefusedError) else ""
        self._say(
            f"{error.what}{where}. Nothing was saved; your text is here and in {file.path}.{insist}",
            severity="error",
        )
        self._form_after_editor(file, basis, edited.values)
        return True

    def _form_after_editor(self, file: MemoryFile, basis: Basis, values: dict[str, Any]) -> None:
        from memtui.curate.form import texts_of
        from memtui.tui.edit.form import Draft
        from memtui.tui.edit.screen import EditScreen

        draft = Draft(basis, texts_of(file.memory, values), "edit")
        form = EditScreen(self.screen.opening, file.memory.id, typed=draft)

        def closed(_: None) -> None:
            if form.saved is not None:
                self._forget_file(file)
            self._take_form(form)

        self.screen.app.push_screen(form, closed)

    # -- leaving ----------------------------------------------------------------------------------

    def keeps_open(self) -> bool:
        """Warn once of forms that were left unsaved, as they end with the app."""
        drafts: dict[str, object] = getattr(self.screen.app, "drafts", {})
        if not drafts or self._quit_warned or self.screen.acting:
            return False
        self._quit_warned = True
        forms = counted(len(drafts), "form")
        self._say(
            f"Unsaved: {forms}. e, a or C brings it back; quit again to leave without saving.", severity="warning"
        )
        return True
