"""What is done to memories of the list: to the marked ones, else to the one that is looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memtui.domain.memory import MOST_MERGED
from memtui.tui.actions.registry import Action
from memtui.tui.browse.details import Details
from memtui.tui.browse.list_reader import ListReader
from memtui.tui.edit.acts import EditActions
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screen_part import ScreenPart
from memtui.tui.source_opener import SourceOpener
from memtui.tui.values import Done
from memtui.tui.widgets.memory_list import MemoryList

FEWEST_SOURCES, MOST_SOURCES = 2, 20
"""Sources of one conclusion, as in `memtui.curate.links`, which the first picture must not wait for."""

_ON_A_MEMORY = frozenset(
    {"pin", "retire", "restore", "verify", "read", "mark", "mark-range", "copy", "open-source", "explain", "follow"}
    | {"edit", "edit-external"}
)


class ListActions(ScreenPart[MemtuiScreen]):
    """Pins, retires, restores, verifies and copies memories, and opens the screens for several."""

    def __init__(
        self, screen: MemtuiScreen, memories: MemoryList, lists: ListReader, details: Details, editing: EditActions
    ) -> None:
        super().__init__(screen)
        self._editing = editing
        self._source = SourceOpener(screen, details.look)
        self._list = memories
        self._lists = lists
        self._details = details

    def _targets(self) -> list[str]:
        """Return what an action is for: a memory read by a link, else what is marked and listed, else the current."""
        if self._details.visiting is not None:
            return [self._details.visiting]
        current = self._list.current
        return self._list.marked or ([current] if current is not None else [])

    # -- which are possible -----------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action on memories is not possible now."""
        if action.id in _ON_A_MEMORY and self._details.subject is None:
            return "No memory is under the cursor."
        if action.id in {"merge", "reflect", "bulk"}:
            return self._why_not_of_marked(action.id)
        if action.id == "restore" and not self._may_restore():
            return "It is active; the facet Status lists retired memories."
        if action.id == "follow" and not self._details.linked():
            return "It has no links."
        if action.id in {"link-accept", "link-dismiss"} and not self._details.suggested:
            return "No link is suggested for this memory."
        return None

    def _why_not_of_marked(self, name: str) -> str | None:
        """Return why an action on several memories is not possible with what is marked or listed."""
        number = len(self._targets())
        if name == "merge" and not 2 <= number <= MOST_MERGED:  # noqa: PLR2004 - a pair
            return f"Mark 2 to {MOST_MERGED} memories with space first."
        if name == "reflect" and not FEWEST_SOURCES <= number <= MOST_SOURCES:
            return f"Mark {FEWEST_SOURCES} to {MOST_SOURCES} notes or lessons with space first."
        if name == "bulk" and not (self._list.marked or (self._lists.query.strip() and self._list.ids)):
            return "Mark memories with space, or filter the list with /: words, or kind:tooling age>180d."
        return None

    def _may_restore(self) -> bool:
        """Whether restoring may find something to bring back."""
        targets, in_use = self._targets(), {"active", "candidate"}
        row = self._list.row(targets[0]) if len(targets) == 1 else None
        read = self._details.read
        if row is None and read is not None and targets == [read.view.memory.id]:
            return read.view.memory.status not in in_use
        return row is None or row.status not in in_use

    # -- changes ----------------------------------------------------------------------------------

    def _change(self, run: Callable[[Sequence[str]], Done], *, take_out: bool) -> None:
        """Make one change of the targets; what leaves the list leaves it at once."""
        targets = self._targets()
        if take_out:
            self._list.take_out(targets)
        if len(targets) > 1:
            self._list.unmark()
        self.screen.do(lambda: run(targets))

    def pin(self) -> None:
        """Pin or unpin; of several, all are pinned unless all are."""
        targets = self._targets()
        known = [row for row in map(self._list.row, targets) if row is not None]
        pinned = not all(row.pinned for row in known)
        exactly = pinned if len(known) == len(targets) == 1 else None
        self._list.mark_pinned(targets, pinned=pinned)
        self._change(lambda ids: self.screen.memories.pin(ids, pinned=exactly), take_out=False)

    def retire(self) -> None:
        self._change(self.screen.memories.retire, take_out=True)

    def restore(self) -> None:
        """Bring back into use."""
        self._change(self.screen.memories.restore, take_out=True)

    def verify(self) -> None:
        """Confirm as still true."""
        self._change(self.screen.memories.verify, take_out=self._lists.due_only)

    def copy(self) -> None:
        screen, targets = self.screen, self._targets()
        screen.loader.read(
            lambda: screen.access.copy(targets),
            screen.tell_done,
            group="copy",
            on_error=lambda error: screen.say(str(error), severity="warning"),
            exclusive=False,
        )

    # -- the one that is looked at ----------------------------------------------------------------

    def edit(self) -> None:
        if self._details.subject is not None:
            self._editing.open_form(self._details.subject)

    def edit_external(self) -> None:
        """Edit it as a file in the user's own editor."""
        if self._details.subject is not None:
            self._editing.open_editor(self._details.subject)

    def open_source(self) -> None:
        """Open its source, or its first file, in the user's own editor."""
        if self._details.subject is not None:
            self._source.open(self._details.subject)

    # -- several at once --------------------------------------------------------------------------

    def merge(self) -> None:
        """Merge what is marked, field by field."""
        from memtui.tui.merge.screen import MergeScreen

        merging = MergeScreen(self.screen.opening, self._targets())
        self.screen.app.push_screen(merging, lambda _: self._end(done=merging.settled))

    def bulk(self) -> None:
        """Change all that are marked, else all that the filter lists."""
        from memtui.tui.browse.bulk import BulkScreen

        marked = self._list.marked
        query = "" if marked else self._lists.query.strip()
        bulk = BulkScreen(self.screen.opening, marked or self._list.ids, query=query)
        self.screen.app.push_screen(bulk, lambda _: self._end(done=bulk.changed))

    def reflect(self) -> None:
        """Write one conclusion from what is marked."""
        from memtui.tui.reflect.screen import ReflectScreen

        reflect = ReflectScreen(self.screen.opening, self._targets())

        def closed(_: None) -> None:
            saved = reflect.saved
            self._end(done=saved is not None, focus=saved.id if saved is not None else None)

        self.screen.app.push_screen(reflect, closed)

    def _end(self, *, done: bool, focus: str | None = None) -> None:
        if done:
            self._list.unmark()
            self.screen.acts_ended(focus)
