"""Deciding on candidates as one text in the user's editor, with a question before anything is changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screens.dialogs import pick

if TYPE_CHECKING:
    from memtui.curate.external_editor import EditorFile
    from memtui.curate.inbox_sheet import Decisions, Sheet
    from memtui.tui.inbox.view import InboxAccess

APPLY, AGAIN, LEAVE = "apply", "edit", "leave"


class SheetEditing:
    """Opens candidates in the editor; `apply` makes the change that was agreed to."""

    def __init__(self, screen: MemtuiScreen, inbox: InboxAccess, apply: Callable[[Sheet, Decisions], object]) -> None:
        self._screen = screen
        self._inbox = inbox
        self._apply = apply

    def open(self, identifiers: Sequence[str]) -> None:
        """Write the text and open it."""
        from memtui.curate.external_editor import find_editor, write_text_file

        def edit(sheet: Sheet) -> None:
            if sheet.memories:
                self._edit(sheet, write_text_file(sheet.text, "inbox"))

        try:
            find_editor()
        except MemtuiError as error:
            self._screen.say(f"{error.what}: {error.where}. Set it and start again.", severity="warning")
            return
        self._screen.loader.read(lambda: self._inbox.sheet(identifiers), edit, group="sheet")

    def _edit(self, sheet: Sheet, file: EditorFile) -> None:
        from memtui.curate.external_editor import discard_untouched, read_text_file, run_editor
        from memtui.curate.inbox_sheet import read_sheet

        try:
            with self._screen.app.suspend():
                run_editor(file)
        except SuspendNotSupported:
            discard_untouched(file)
            self._screen.say("This terminal cannot run an editor; a and x decide here.", severity="warning")
            return
        except MemtuiError as error:
            discard_untouched(file)
            self._screen.say(f"{error.what}: nothing was changed", severity="error")
            return
        try:
            decisions = read_sheet(sheet, read_text_file(file), self._screen.opening.vault.kinds)
        except MemtuiError as error:
            self._ask(f"{error.what}: {error.where}", sheet, file, None)
            return
        if decisions is None:
            file.path.unlink(missing_ok=True)
            self._screen.say("The text is empty: nothing was changed")
        else:
            self._ask(f"{decisions.words[0].upper()}{decisions.words[1:]}", sheet, file, decisions)

    def _ask(self, title: str, sheet: Sheet, file: EditorFile, decisions: Decisions | None) -> None:
        """Ask what to do with what was read; None for a text that cannot be read."""
        choices = [(APPLY, "one change, undone by u")] if decisions else []
        choices += [(AGAIN, "open the text again"), (LEAVE, "change nothing")]

        def take(choice: str) -> None:
            if choice == AGAIN:
                self._edit(sheet, file)
                return
            if choice == APPLY and decisions is not None:
                self._apply(sheet, decisions)
            else:
                self._screen.say("Nothing was changed")
            file.path.unlink(missing_ok=True)

        pick(self._screen.app, tame(title, 120), choices, APPLY if decisions else AGAIN, take)
