"""Actions of the Browse screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from textual import work

from memtui.domain.memory import MOST_MERGED
from memtui.errors import MemtuiError
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import DUE
from memtui.tui.browse.link_suggestions import Neighbourhood
from memtui.tui.memory_view import neighbours
from memtui.tui.messages import Told
from memtui.tui.screens.memory_cards import OpeningFiles
from memtui.tui.values import Done

_ON_A_MEMORY = frozenset(
    {"pin", "retire", "restore", "verify", "read", "mark", "mark-range", "copy", "open-source", "explain", "follow"}
    | {"edit", "edit-external"}
)

FEWEST_SOURCES, MOST_SOURCES = 2, 20
"""Sources of one conclusion, as in `memtui.curate.reflect`, which the first picture must not wait for."""

SLOW_SECONDS = 0.5
"""A change that takes longer is told of: 500 memories take a second."""


class BrowseActs(OpeningFiles, Neighbourhood):
    """Acts on memories, marks, links and files."""

    # -- reasons ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an act on what is looked at cannot be done."""
        if action.id == "verify" and not self._due_only:
            return "Only what is due for review is verified here; d lists it, and r reviews it one by one."
        if action.id in _ON_A_MEMORY and self._subject is None:
            return "No memory is under the cursor."
        if action.id in {"merge", "reflect", "bulk"} and (reason := self._why_not_many(action)):
            return reason
        if action.id == "restore" and not self._targets_out_of_use():
            return "It is in use; the facet Status lists what is retired."
        if action.id == "follow" and not self._linked():
            return "It has no links."
        if action.id == "clear" and not self._chosen:
            return "No facet is chosen."
        return super().why_not(action)

    def _why_not_many(self, action: Action) -> str | None:
        """Return why an act on several memories cannot be done."""
        number = len(self._targets())
        if action.id == "merge" and not 2 <= number <= MOST_MERGED:  # noqa: PLR2004 - a pair
            return f"Mark two to {MOST_MERGED} memories with space first."
        if action.id == "reflect" and not FEWEST_SOURCES <= number <= MOST_SOURCES:
            return f"Mark {FEWEST_SOURCES} to {MOST_SOURCES} notes or lessons with space first."
        if action.id == "bulk" and not (self._list.marked or (self._query.strip() and self._list.ids)):
            return "Mark memories with space, or filter the list with /: words, or kind:tooling age>180d."
        return None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let `y` mean what the list is for: still true where due memories are listed, else copy."""
        if action == "act" and parameters in {("verify",), ("copy",)}:
            return self._due_only == (parameters == ("verify",))
        return super().check_action(action, parameters)

    # -- changes ----------------------------------------------------------------------------------

    def _targets(self) -> list[str]:
        """Return what an act is for: a memory read by a link, else what is marked and listed, else the current one."""
        if self._visiting is not None:
            return [self._visiting]
        marked = self._list.marked
        if marked:
            return marked
        return [self._list.current] if self._list.current is not None else []

    def _targets_out_of_use(self) -> bool:
        """Return whether an act on the targets may find something to bring back."""
        targets = self._targets()
        row = self._list.row(targets[0]) if len(targets) == 1 else None
        if row is None and self._read is not None and targets == [self._read.view.memory.id]:
            return self._read.view.memory.status not in {"active", "candidate"}
        return row is None or row.status not in {"active", "candidate"}

    def _change(self, run: Callable[[Sequence[str]], Done], *, take_out: bool) -> None:
        """Make one change of the targets; what leaves the list leaves it at once."""
        targets = self._targets()
        if take_out:
            self._list.take_out(targets)
        if len(targets) > 1:
            self._list.unmark()
        self.do(lambda: run(targets))

    def action_pin(self) -> None:
        """Pin or unpin; of several, all are pinned unless all are."""
        targets = self._targets()
        rows = [self._list.row(identifier) for identifier in targets]
        known = [row for row in rows if row is not None]
        pinned = not all(row.pinned for row in known)
        exactly = pinned if len(known) == len(targets) == 1 else None
        self._list.mark_pinned(targets, pinned=pinned)
        self._change(lambda ids: self.memories.pin(ids, pinned=exactly), take_out=False)

    def action_retire(self) -> None:
        """Retire."""
        self._change(self.memories.retire, take_out=True)

    def action_restore(self) -> None:
        """Bring back into use."""
        self._change(self.memories.restore, take_out=True)

    def action_verify(self) -> None:
        """Say "still true", where what is due is listed."""
        self._change(self.memories.verify, take_out=True)

    def do(self, change: Callable[[], Done], *, focus: bool = False) -> None:
        """Make a change after those asked for before it; the header shows that one takes its time."""
        super().do(change, focus=focus)
        self.set_timer(SLOW_SECONDS, self._tell_busy)

    def _tell_busy(self) -> None:
        self._header.busy = "working …" if self.acting else ""

    def acts_ended(self, focus: str | None) -> None:
        """Read the list anew, in the order on the screen, and what is looked at."""
        self._tell_busy()
        self._reload(steady=True, focus=focus)
        self._look()

    def action_merge(self) -> None:
        """Merge what is marked, field by field."""
        from memtui.tui.merge.screen import MergeScreen

        screen = MergeScreen(self.opening, self._targets())

        def closed(_: None) -> None:
            if screen.merged:
                self._list.unmark()
                self.acts_ended(None)

        self.app.push_screen(screen, closed)

    def action_bulk(self) -> None:
        """Change all that are marked, else all that the filter lists."""
        from memtui.tui.browse.bulk import BulkScreen

        marked = self._list.marked
        screen = BulkScreen(self.opening, marked or self._list.ids, query="" if marked else self._query.strip())

        def closed(_: None) -> None:
            if screen.changed:
                self._list.unmark()
                self.acts_ended(None)

        self.app.push_screen(screen, closed)

    def action_reflect(self) -> None:
        """Write one conclusion from what is marked."""
        from memtui.tui.reflect.screen import ReflectScreen

        screen = ReflectScreen(self.opening, self._targets())

        def closed(_: None) -> None:
            if screen.saved is not None:
                self._list.unmark()
                self.acts_ended(screen.saved.id)

        self.app.push_screen(screen, closed)

    # -- marks ------------------------------------------------------------------------------------

    def action_mark(self) -> None:
        """Mark the memory under the cursor, or unmark it."""
        self._list.mark_current()

    def action_mark_range(self) -> None:
        """Begin a range of marks, or end it."""
        self._list.mark_range()

    def action_mark_all(self) -> None:
        """Mark all that are listed, or none."""
        self._list.mark_all()

    # -- the clipboard ----------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy the text of the targets."""
        self._copy(self._targets())

    @work(thread=True, group="copy", exit_on_error=False)
    def _copy(self, identifiers: Sequence[str]) -> None:
        try:
            done = self.access.copy(identifiers)
        except MemtuiError as error:
            self.post_message(Told(str(error), good=False))
        else:
            self.post_message(Told(done.message, good=done.changed))

    # -- files ------------------------------------------------------------------------------------

    def action_open_source(self) -> None:
        """Open the source of the memory, or its first file, in the person's editor."""
        self.open_source_of(self._subject)

    def editor_closed(self) -> None:
        """Read the memory again: its file may have been changed."""
        self._look()

    # -- links ------------------------------------------------------------------------------------

    def _linked(self) -> list[tuple[str, str]]:
        """Return (id, what it is) of the memories that the one in the details is linked to, in their order."""
        if self._read is None or self._read.view.memory.id != self._subject:
            return []
        return [(near.id, f"{near.arrow} {near.type}  {near.title}") for near in neighbours(self._read)]

    def action_follow(self) -> None:
        """Go to the linked memory; of several, ask which."""
        linked = self._linked()
        if len(linked) == 1:
            self._follow_to(linked[0][0])
            return
        from memtui.tui.screens.dialogs import ChoiceScreen

        choices = [(str(number), words) for number, (_, words) in enumerate(linked, 1)]

        def follow(number: str | None) -> None:
            if number is not None:
                self._follow_to(linked[int(number) - 1][0])

        self.app.push_screen(ChoiceScreen("Follow which link?", choices, "1"), follow)

    def _return_from_link(self) -> bool:
        """Go back by the link that led here; False where none did."""
        if self._step_back():
            return True
        if self._visiting is None:
            return False
        self._visiting = None
        self._look()
        return True

    # -- how the details are shown ----------------------------------------------------------------

    def action_explain(self) -> None:
        """Show every part of the score, or no longer."""
        self._explaining = not self._explaining
        self._show_details()
        self._look()

    def action_markdown(self) -> None:
        """Render Markdown, or show plain text."""
        self._detail.rendered = not self._detail.rendered
        self._show_details()

    def _show_details(self) -> None:
        """Bring the details into sight; the screen knows how."""

    @property
    def _hint_place(self) -> Literal["due", "marks", "retired", "list", "empty"]:
        """Which keys matter in the list as it is."""
        row = self._list.current_row
        if self._list.marks.drawing or (len(self._list.marks) and self._list.marked):
            return "marks"
        if self._due_only:
            return "due"
        if self._listing is not None and not self._listing.base.ids:
            return "empty"
        return "retired" if row is not None and row.status in {"retired", "superseded", "merged"} else "list"

    def offered(self) -> list[Action]:
        """Return the acts that help and palette can run here."""
        from memtui.tui.actions import registry

        return [action for action in registry.of_owners(DUE) if action.menu] + super().offered()
