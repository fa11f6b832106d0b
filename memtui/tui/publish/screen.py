"""Publish: the assistants of this repository, and what publishing to each would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual.binding import BindingType

from memtui.curate.publishing import Choosable, PlaceState
from memtui.tui.actions import registry
from memtui.tui.actions.registry import LISTING, PUBLISH, Action
from memtui.tui.list_detail import LIST, ListDetail
from memtui.tui.list_filter import ListFilter
from memtui.tui.publish.choosing import ChoosingScreen
from memtui.tui.publish.view import (
    Publications,
    PublishRead,
    Removal,
    Row,
    key_of,
    publish_cells,
    publish_lines,
    row_blocks,
)
from memtui.tui.row_detail import BREAKPOINTS, RowPanes, pane_answers
from memtui.tui.state import Opening
from memtui.tui.styled_text import Block
from memtui.tui.widgets.lines import TitleLine

_READING = "The assistants' files are being read."
_TAKES_OUT = "removes the block"


class PublishScreen(ListDetail):
    """The places beside what would change in one of them."""

    AREA = PUBLISH
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(PUBLISH, LISTING)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **pane_answers(PUBLISH),
        "publish-again": ("look_again",),
    }
    AUTO_FOCUS = ".rows"
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, opening: Opening) -> None:
        titles = ("Assistants", "What would change")
        self._rows = RowPanes(PUBLISH, publish_cells, self._blocks, key=key_of, titles=titles, part=_part)
        super().__init__(opening, self._rows.list, self._rows.detail, panes=self._rows)
        self.sifting = ListFilter(self, self._rows.list, "an assistant, or how it stands")
        self.parts = (self.sifting,)
        self._title = TitleLine("Publish", id="publish-title")
        self._publications = Publications(self.access)
        self._read: PublishRead | None = None
        self._removed: set[Path] = set()  # The files whose lines a person wants removed

    def on_mount(self) -> None:
        """Read after the first picture."""
        self.begin_looking()

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read what publishing anew would change."""
        self._title.note = "reading …"
        self.loader.read(self._publications.read, self._show, group=LIST)

    def _show(self, read: PublishRead) -> None:
        self._read = read
        self.looked_at = read.signature
        self._title.place = read.project
        self._title.note = ""
        self.trouble_is_over()
        self._rows.show(publish_lines(read, self._removed), f"{sum(row.is_published for row in read.rows)} published")

    def on_idle(self) -> None:
        """Say in the footer what the keys do with the row under the cursor."""
        is_removal = isinstance(self._rows.list.current, Removal)
        self.hints.words = {"publish-write": "remove the lines"} if is_removal else {}

    def _blocks(self, row: Row) -> Sequence[Block] | None:
        return None if self._read is None else row_blocks(row, self._read)

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        row = self._rows.list.current
        if action.owner != PUBLISH or action.area == "view":
            return super().why_not(action)
        if row is None:
            return _READING if self._read is None else "No assistant is under the cursor."
        if isinstance(row, Removal):
            return self._why_not_removed(row, action)
        return self._why_not_to(row, action) or super().why_not(action)

    def _why_not_removed(self, row: Removal, action: Action) -> str | None:
        """Return why an action is not possible with the lines of a file that was only read."""
        if action.id == "publish-choose":
            return None
        choose = self.key_of("publish-choose")
        if action.id == "publish-write":
            return None if row.is_chosen else f"memtui only read this file: {choose} chooses these lines for removal."
        return f"{choose} chooses these lines for removal, {self.key_of('publish-write')} removes them."

    def _why_not_to(self, row: PlaceState, action: Action) -> str:
        """Return why an action is not possible with the place under the cursor; empty if it is."""
        state = "refused" if row.plan is None else row.plan.state
        if action.id in {"publish-force", "publish-take"} and state != "edited":
            return "This block was not edited by hand."
        if action.id == "publish-out" and not row.is_published:
            return _READING if self.loader.is_under_way(LIST) else f"Nothing is published to {row.place.label}."
        if action.id == "publish-choose" and row.plan is None:
            return f"Nothing can be published to {row.place.label}; 2 says why."
        if action.id == "publish-write" and state == "edited":
            return "It was edited by hand: t sends the edit to the inbox, f overwrites it."
        if action.id == "publish-write" and (state == "current" or (row.plan is not None and not row.plan.files)):
            return f"Nothing to change for {row.place.label}."
        return ""

    @property
    def _current(self) -> PlaceState:
        """The place under the cursor; `why_not` lets no action through without one."""
        row = self._rows.list.current
        if not isinstance(row, PlaceState):
            raise TypeError("no place is under the cursor")
        return row

    def action_publish_write(self) -> None:
        """Write what is shown."""
        row = self._rows.list.current
        if isinstance(row, Removal):
            if self._was_in_sight("publish-write", "removes these lines from the file"):
                self._removed.discard(row.cut.path)
                self.do(lambda: self._publications.withdraw(row.cut))
        elif self._was_in_sight("publish-write", "publishes"):
            place = self._current
            self.do(lambda: self._publications.write(place))

    def _was_in_sight(self, identifier: str, does: str) -> bool:
        """Return whether the row's change was on the screen; where it was not, open it and say what the key does."""
        if not self.has_class("-narrow") or self.has_class("-reading"):
            return True
        self.enter_second()
        self._rows.detail.scroll_to(y=0, animate=False)
        words = f"Nothing was changed yet: {self.key_of(identifier)} again {does}"
        # About another thing than the question of an edit that may go, which comes after it.
        self.again.agrees(identifier, words, lambda: (does, self._place()))
        return False

    def _place(self) -> object:
        """Return which place is under the cursor, and whether what would change in it is on the screen."""
        row = self._rows.list.current
        return None if row is None else key_of(row), self.has_class("-reading")

    def action_publish_out(self) -> None:
        """Take the place's blocks out of its files."""
        row = self._current
        is_edited = row.plan is not None and row.plan.state == "edited"
        out, take = self.key_of("publish-out"), self.key_of("publish-take")
        if not self._was_in_sight("publish-out", _TAKES_OUT):
            return
        if is_edited:
            words = f"It was edited by hand: {out} again removes it with the edit, {take} sends it to the inbox first."
            is_sure = self.again.agrees("publish-out", words, self._place)
        else:
            words = f"{self._publications.block_words(row)}: {out} again {_TAKES_OUT}; {self.key_of('undo')} undoes it."
            is_sure = self.again.agrees("publish-out", words, lambda: (_TAKES_OUT, self._place()))
        if is_sure:
            self.do(lambda: self._publications.take_out(row, force=is_edited))

    def action_publish_choose(self) -> None:
        """Choose what goes in to the place, or that a file's lines go."""
        if isinstance(self._rows.list.current, Removal):
            self._removed ^= {self._rows.list.current.cut.path}
            if self._read is not None:
                self._show(self._read)
            return
        row = self._current
        self._title.note = "reading …"
        self.loader.read(lambda: self._publications.choosable(row), partial(self._offer, row), group="choose")

    def _offer(self, row: PlaceState, found: Sequence[Choosable]) -> None:
        self._title.note = ""
        if not self.is_current:
            return
        screen = ChoosingScreen(self.opening, row.place.label, found)

        def closed(_: None) -> None:
            if screen.selection is not None:
                self._publications.chosen[row.block] = screen.selection
                self.look_again()

        self.app.push_screen(screen, closed)

    def action_publish_take(self) -> None:
        """Take the edit by hand into the inbox, and publish."""
        row = self._current
        if self._was_in_sight("publish-take", "sends the edit to the inbox, and publishes"):
            self.do(lambda: self._publications.take_edit(row))

    def action_publish_force(self) -> None:
        """Write over what was written by hand."""
        row = self._current
        if self._was_in_sight("publish-force", "overwrites the edit"):
            self.do(lambda: self._publications.write(row, force=True))


def _part(row: Row) -> object:
    """Return which place it is and how it stands: another change begins at the top."""
    state = row.plan.state if isinstance(row, PlaceState) and row.plan is not None else ""
    return key_of(row), state
