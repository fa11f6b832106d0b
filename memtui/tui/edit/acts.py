"""Actions of a list that open the form or the external editor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.app import SuspendNotSupported

from memtui.errors import ConflictError, MemtuiError, SecretRefusedError
from memtui.tui.actions.action import Action
from memtui.tui.edit.messages import FileConflicted, FileSaved, FileWanted
from memtui.tui.launch_options import Opening
from memtui.tui.messages import LookFailed
from memtui.tui.screens.similar_on_save import MemoriesSaved, ResemblanceActs
from memtui.tui.text_layout import counted

if TYPE_CHECKING:
    from memtui.curate.external_editor import Edited, MemoryFile
    from memtui.curate.form import Basis, Decision
    from memtui.tui.edit.screen import EditScreen
    from memtui.tui.values import Done
    from memtui.tui.widgets.memory_list import MemoryList


class EditActs(ResemblanceActs):
    """A screen with a list of memories that can be edited."""

    _list: MemoryList

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._kept: dict[str, MemoryFile] = {}
        """Files that could not be saved, by memory: the editor opens them again."""
        self._in_editor: tuple[MemoryFile, Basis, Edited] | None = None
        self._refused: MemtuiError | None = None
        """Why the save of what stands in `_in_editor` failed."""
        self._quit_warned = False

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        if action.id in {"edit", "edit-external"} and self._list.current is None:
            return "No memory is under the cursor."
        return super().why_not(action)

    # -- the form ---------------------------------------------------------------------------------

    def action_edit(self) -> None:
        """Edit the memory under the cursor in a form."""
        if self._list.current is not None:
            self.open_form(self._list.current)

    def action_add(self) -> None:
        """Add a memory."""
        self.open_form(None)

    def open_form(self, identifier: str | None, decision: Decision = "edit") -> None:
        """Open the form; once it is saved, the list is read anew."""
        from memtui.tui.edit.screen import EditScreen

        self._push_form(EditScreen(self.opening, identifier, decision))

    def _push_form(self, screen: EditScreen) -> None:
        def closed(_: None) -> None:
            self._take_form(screen)

        self.app.push_screen(screen, closed)

    def _take_form(self, screen: EditScreen) -> None:
        """Look at what a form saved, and at what it resembles."""
        if screen.saved is not None:
            self.acts_ended(screen.saved.id)
            if screen.is_statement:
                self.post_message(MemoriesSaved([screen.saved.id], screen.edited))

    # -- the editor -------------------------------------------------------------------------------

    def action_edit_external(self) -> None:
        """Edit the memory under the cursor as a file in the person's own editor."""
        if self._list.current is not None:
            self._read_for_editor(self._list.current)

    @work(thread=True, exclusive=True, group="editor", exit_on_error=False)
    def _read_for_editor(self, identifier: str) -> None:
        from memtui.tui.edit.queries import EditingAccess

        try:
            basis = EditingAccess(self.access).basis(identifier)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(FileWanted(basis))

    @on(FileWanted)
    def _open_editor(self, message: FileWanted) -> None:
        from memtui.curate.external_editor import discard_untouched, find_editor, write_memory_file

        memory = message.basis.memory
        if memory is None:
            return
        try:
            find_editor()
        except MemtuiError as error:
            self.say(
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
            left = f"; left alone: {', '.join(edited.left_alone)}" if edited.left_alone else ""
            self.say(f"Nothing was changed{left}")
            return
        self._save_from_editor(file, message.basis, edited)

    def _run_editor(self, file: MemoryFile) -> Edited | None:
        """Give the terminal to the editor and read back what it made; None where nothing can be saved."""
        from memtui.curate.external_editor import discard_untouched, read_memory_file, run_editor

        try:
            with self.app.suspend():
                run_editor(file)
            return read_memory_file(file)
        except SuspendNotSupported:
            discard_untouched(file)
            self.say(
                "The editor needs a terminal of its own, which this one cannot give. e opens the form.",
                severity="warning",
            )
        except MemtuiError as error:
            kept = file.path.exists()
            if kept:
                self._kept[file.memory.id] = file
            again = " E opens it again." if kept else ""
            self.say(f"{error.what}: {error.where}. Nothing was saved.{again}", severity="error")
        return None

    def _save_from_editor(self, file: MemoryFile, basis: Basis, edited: Edited) -> None:
        from memtui.tui.edit.queries import EditingAccess, Wish

        access, wish = EditingAccess(self.access), Wish(edited.values)

        def run() -> Done:
            try:
                _, done = access.save(file.memory, wish)
            except MemtuiError as error:
                self._refused = error
                if isinstance(error, ConflictError):
                    theirs, last = access.current(file.memory.id)
                    self.post_message(FileConflicted(file, theirs, wish, last))
                raise
            self.post_message(FileSaved(file))
            return done

        self._kept[file.memory.id] = file
        self._in_editor = (file, basis, edited)
        self.do(run, focus=True)

    @on(FileSaved)
    def _forget_file(self, message: FileSaved) -> None:
        self._in_editor = None
        self._kept.pop(message.file.memory.id, None)
        self.post_message(MemoriesSaved([message.file.memory.id], message.file.memory))
        message.file.path.unlink(missing_ok=True)

    @on(FileConflicted)
    def _show_conflict(self, message: FileConflicted) -> None:
        from memtui.tui.edit.version_conflict import ConflictScreen

        file = message.file
        screen = ConflictScreen(self.opening, file.memory, message.theirs, message.wish, message.last)

        def settled(_: None) -> None:
            if screen.saved is not None:
                self.post_message(FileSaved(file))
                self.acts_ended(screen.saved.id)
            else:
                self.say(f"Not saved. What you wrote is kept in {file.path}; E opens it again.", severity="warning")

        self.app.push_screen(screen, settled)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Bring what was written in the editor into the form where it is refused; a conflict has its own screen."""
        pending = self._in_editor
        if pending is None or error is not self._refused:
            return super().answers_failure(error)
        self._in_editor = self._refused = None
        if isinstance(error, ConflictError):
            return True
        file, basis, edited = pending
        where = f": {error.where}" if error.where else ""
        insist = " ctrl+n keeps it nevertheless." if isinstance(error, SecretRefusedError) else ""
        self.say(
            f"{error.what}{where}. Nothing was stored; what you wrote is here and in {file.path}.{insist}",
            severity="error",
        )
        self._form_after_editor(file, basis, edited.values)
        return True

    def _form_after_editor(self, file: MemoryFile, basis: Basis, values: dict[str, Any]) -> None:
        from memtui.curate.form import texts_of
        from memtui.tui.edit.form import Draft
        from memtui.tui.edit.screen import EditScreen

        draft = Draft(basis, texts_of(file.memory, values), "edit")
        screen = EditScreen(self.opening, file.memory.id, typed=draft)

        def closed(_: None) -> None:
            if screen.saved is not None:
                self.post_message(FileSaved(file))
            self._take_form(screen)

        self.app.push_screen(screen, closed)

    # -- leaving ----------------------------------------------------------------------------------

    def action_quit(self) -> None:
        """Quit; forms that were left unsaved are said first, as they end with the app."""
        drafts: dict[str, object] = getattr(self.app, "drafts", {})
        if drafts and not self._quit_warned and not self.acting:
            self._quit_warned = True
            forms = counted(len(drafts), "form", "forms")
            self.say(
                f"Typed and not saved: {forms}. e, a or C brings it back; quitting again leaves without.",
                severity="warning",
            )
            return
        super().action_quit()
