"""Deciding on candidates as one text in the user's editor, with a question before anything is changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screen_part import ScreenPart
from memtui.tui.screens.dialogs import pick
from memtui.tui.source_opener import outside
from memtui.tui.values import Done

if TYPE_CHECKING:
    from memtui.curate.external_editor import EditorFile
    from memtui.curate.inbox_sheet import Decisions, Sheet
    from memtui.tui.inbox.view import InboxAccess

APPLY, AGAIN, LEAVE = "apply", "edit", "leave"

_READ = "sheet"  # The loader's group of the text


class SheetEditing(ScreenPart[MemtuiScreen]):
    """Opens candidates in the editor; `applying` is called with the ids before the change that was agreed to."""

    def __init__(self, screen: MemtuiScreen, inbox: InboxAccess, applying: Callable[[Sequence[str]], object]) -> None:
        super().__init__(screen)
        self._inbox = inbox
        self._applying = applying
        self._refused: tuple[MemtuiError, Sheet, EditorFile] | None = None  # the text that could not be applied

    def open(self, identifiers: Sequence[str]) -> None:
        """Write the text and open it; while it is being written, a second press changes nothing."""
        from memtui.curate.external_editor import find_editor

        try:
            find_editor()
        except MemtuiError as error:
            self.screen.say(f"{error.what}: {error.where}. Set it and start again.", severity="warning")
            return
        loader, words = self.screen.loader, f"Writing the text of {counted(len(identifiers), 'candidate')} …"
        self.screen.unsay(words)
        self.screen.say(words)
        if loader.is_under_way(_READ):
            return

        def written(sheet: Sheet) -> None:
            self.screen.unsay(words)
            self._written(sheet)

        def failed(error: MemtuiError) -> None:
            self.screen.unsay(words)
            self.screen.say(str(error), severity="error")

        loader.read(lambda: self._inbox.sheet(identifiers), written, group=_READ, on_error=failed)

    def _written(self, sheet: Sheet) -> None:
        from memtui.curate.external_editor import write_text_file

        if not sheet.memories:
            self.screen.say("Nothing is left to decide: what was chosen no longer waits", severity="warning")
            self.screen.look_again()
            return
        try:
            file = write_text_file(sheet.text, "inbox")
        except OSError as error:
            self.screen.say(f"The text cannot be written ({error.strerror}): {error.filename}", severity="error")
            return
        self._edit(sheet, file)

    def _edit(self, sheet: Sheet, file: EditorFile) -> None:
        from memtui.curate.external_editor import discard_untouched, read_text_file, run_editor
        from memtui.curate.inbox_sheet import read_sheet

        try:
            outside(self.screen.app, lambda: run_editor(file))
        except SuspendNotSupported:
            discard_untouched(file)
            self.screen.say("This terminal cannot run an editor; a and x decide here.", severity="warning")
            return
        except MemtuiError as error:
            where = f": {error.where}" if error.where != str(file.path) else ""
            self._leave(file, f"{error.what}{where}. Nothing was changed", discard=False)
            return
        try:
            decisions = read_sheet(sheet, read_text_file(file), self.screen.opening.vault.kinds)
        except MemtuiError as error:
            self._ask(f"{error.what}: {error.where}", sheet, file, None)
            return
        if decisions is None:
            file.path.unlink(missing_ok=True)
            self.screen.say("The text is empty: nothing was changed")
        else:
            self._ask(f"{decisions.words[0].upper()}{decisions.words[1:]}", sheet, file, decisions)

    def _leave(self, file: EditorFile, said: str, *, discard: bool = True) -> None:
        """Say what happened, and where the text is kept; an untouched one may be discarded."""
        from memtui.curate.external_editor import discard_untouched

        if discard:
            discard_untouched(file)
        kept = f"; the text is kept in {file.path}" if file.path.exists() else ""
        self.screen.say(f"{said}{kept}", severity="information" if discard else "error")

    def _ask(self, title: str, sheet: Sheet, file: EditorFile, decisions: Decisions | None) -> None:
        """Ask what to do with what was read; None for a text that cannot be read or applied."""
        again, leave = (AGAIN, "open the text again"), (LEAVE, "change nothing")
        apply = (APPLY, "one change, undone by u")
        if decisions is None:
            choices = [again, leave]
        else:
            choices = [leave, apply, again] if decisions.is_untouched else [apply, again, leave]

        def take(choice: str) -> None:
            if choice == AGAIN:
                self._edit(sheet, file)
            elif choice == APPLY and decisions is not None:
                self._apply(sheet, file, decisions)
            else:
                self._leave(file, "Nothing was changed")

        pick(self.screen.app, tame(title, 120), choices, choices[0][0], take, left=LEAVE)

    def _apply(self, sheet: Sheet, file: EditorFile, decisions: Decisions) -> None:
        """Make the change; the text is deleted once it is made, and kept if it is refused."""

        def run() -> Done:
            try:
                done = self._inbox.apply(sheet, decisions)
            except MemtuiError as error:
                self._refused = (error, sheet, file)
                raise
            file.path.unlink(missing_ok=True)
            return done

        self._applying(tuple(sheet.memories))
        self.screen.do(run)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Offer to edit a text again that was refused, as for a secret in it."""
        if self._refused is None or self._refused[0] is not error:
            return False
        _, sheet, file = self._refused
        self._refused = None
        self._ask(f"{error.what}{f': {error.where}' if error.where else ''}. Nothing was changed", sheet, file, None)
        return True
