"""The edit form: every editable field; nothing typed is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from memtui.errors import ConflictError, MemtuiError
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import EDIT
from memtui.tui.edit.form import FormScreen, drafts_of, tells_unsaved
from memtui.tui.edit.messages import FormSaved, SaveConflicted
from memtui.tui.values import Done

if TYPE_CHECKING:
    from memtui.curate.form import Decision
    from memtui.domain.memory import Memory


class EditScreen(FormScreen):
    """The form with its acts: saving, insisting, leaving."""

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        if action.owner == EDIT and self._basis is None:
            return "The memory is still being read; its form takes keys in a moment."
        if action.owner == EDIT and self.acting:
            return "A save is on its way."
        if action.id == "edit-verify" and (self._identifier is None or self._decision == "accept"):
            return "What is new is not verified yet; ctrl+s saves."
        if action.id in {"undo", "redo"}:
            return "The form comes first: esc leaves it, ctrl+z takes back what was typed."
        return super().why_not(action)

    @property
    def edited(self) -> Memory | None:
        """The memory as it was before it was edited; None where all of it is a new statement."""
        return None if self._basis is None or self._decision == "accept" else self._basis.memory

    def action_edit_save(self) -> None:
        """Save."""
        self._save(self._decision)

    def action_edit_verify(self) -> None:
        """Save, and say "still true"."""
        self._save("verify")

    def action_edit_insist(self) -> None:
        """Save although a text looks like a secret."""
        self._save(self._decision, allow_secret=True)

    def _save(self, decision: Decision, *, allow_secret: bool = False) -> None:
        basis, texts = self._basis, self._texts()
        if basis is None:
            return

        def run() -> Done:
            wish = self._editing.wish(texts, basis, decision, allow_secret=allow_secret)
            if basis.memory is None:
                memory, done = self._editing.add(wish, basis)
                self.is_statement = done.changed
            else:
                try:
                    memory, done = self._editing.save(basis.memory, wish)
                except ConflictError:
                    theirs, last = self._editing.current(basis.memory.id)
                    self.post_message(SaveConflicted(basis.memory, theirs, wish, last))
                    raise
            self.post_message(FormSaved(memory))
            return done

        self.do(run)

    @on(FormSaved)
    def _take_saved(self, message: FormSaved) -> None:
        self.saved = message.memory
        drafts_of(self.app).pop(self._key, None)

    def acts_ended(self, focus: str | None) -> None:
        """Close the form once it is saved."""
        del focus
        if self.saved is not None and self.is_current:
            self.dismiss(None)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Go to the field that is wrong; a conflict opens its own screen."""
        return tells_unsaved(self, self._rows, error) or isinstance(error, ConflictError)

    @on(SaveConflicted)
    def _show_conflict(self, message: SaveConflicted) -> None:
        from memtui.tui.edit.version_conflict import ConflictScreen

        screen = ConflictScreen(self.opening, message.base, message.theirs, message.wish, message.last)

        def settled(_: None) -> None:
            if screen.saved is not None:
                self.saved = screen.saved
                drafts_of(self.app).pop(self._key, None)
                self.call_after_refresh(self.acts_ended, None)

        self.app.push_screen(screen, settled)

    def action_edit_stored(self) -> None:
        """Show what is stored; again, what was typed."""
        if self._set_aside is not None:
            self._put(self._set_aside)
            return
        typed = {name: row.field.typed for name, row in self._rows.items()}
        if self._is_dirty:
            self._put(self._shown)
            self._set_aside = typed
            self.say("This is what is stored; ctrl+l brings back what you typed")

    def action_back(self) -> None:
        """Leave; what is typed and not saved is said first, and kept."""
        if self._is_dirty and not self._warned:
            self._warned = True
            self.say(
                "Not saved yet: ctrl+s saves. esc again leaves; what you typed is kept for the next time.",
                severity="warning",
            )
            return
        self.dismiss(None)

    def action_quit(self) -> None:
        """Quit; what is typed and not saved, here or in forms left before, is said first."""
        if drafts_of(self.app) and not self._warned and not self.acting:
            self._warned = True
            self.say("Not saved yet: ctrl+s saves. Quitting again leaves without it.", severity="warning")
            return
        super().action_quit()
