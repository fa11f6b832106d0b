"""Edits memories of a list in the form or the user's editor, and shows what a saved text resembles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported
from textual.notifications import SeverityLevel

from memtui.domain.memory import Memory
from memtui.errors import ConflictError, MemtuiError, SecretRefusedError
from memtui.text.words import counted
from memtui.tui.edit.resembling import SimilarOnSave
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screen_part import ScreenPart
from memtui.tui.source_opener import outside
from memtui.tui.values import Done

if TYPE_CHECKING:
    from memtui.curate.external_editor import Edited, MemoryFile
    from memtui.curate.form import Basis, Decision
    from memtui.tui.edit.form import Wish
    from memtui.tui.edit.screen import EditScreen


class EditActions(ScreenPart[MemtuiScreen]):
    """Opens the form and the editor over a screen, and shows what a saved memory resembles."""

    def __init__(self, screen: MemtuiScreen, resemblance: SimilarOnSave) -> None:
        super().__init__(screen)
        self._resemblance = resemblance
        self._kept: dict[str, MemoryFile] = {}  # Files that could not be saved, by memory; the editor opens them again
        self._in_editor: tuple[MemoryFile, Basis, Edited] | None = None
        self._refused: MemtuiError | None = None  # Why the save of `_in_editor` failed

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
                self._resemblance.look([form.saved.id], form.edited, is_typed=True)

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
            outside(self.screen.app, lambda: run_editor(file))
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
        self._resemblance.look([file.memory.id], file.memory, is_typed=True)
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
        if not drafts or self.screen.acting:
            return False
        words = (
            f"Unsaved: {counted(len(drafts), 'form')}. e, a or C brings it back; quit again to leave without saving."
        )
        return not self.screen.again.agrees("quit", words, lambda: list(drafts))
