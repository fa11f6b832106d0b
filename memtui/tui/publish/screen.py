"""Publish: the assistants of this repository, and what publishing to each would change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual import on
from textual.binding import BindingType

from memtui.curate.publishing import Standing
from memtui.publish.cut import Cut
from memtui.tui.actions import registry
from memtui.tui.actions.registry import PUBLISH, Action
from memtui.tui.list_detail import ListDetail
from memtui.tui.publish.view import Publications, PublishRead, Row, key_of, publish_cells, publish_lines, row_blocks
from memtui.tui.state import Opening
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import PickList, RowList


class PublishScreen(ListDetail):
    """The places beside what would change in one of them."""

    AREA = PUBLISH
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(PUBLISH)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "publish-read": ("enter_second",),
        "publish-list": ("enter_first",),
        "publish-detail": ("enter_second",),
        "publish-pane": ("enter_other",),
        "publish-again": ("look_again",),
    }
    AUTO_FOCUS = "#publish-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        self._list: RowList[Row] = RowList(publish_cells, id="publish-list")
        self._detail = DetailPane(id="publish-detail")
        super().__init__(opening, self._list, self._detail)
        self._title = TitleLine("Publish", id="publish-title")
        self._publications = Publications(self.access)
        self._read: PublishRead | None = None
        self._shown = ""  # the target in the second pane

    def on_mount(self) -> None:
        """Draw the empty panes; files and vault are read after the first paint."""
        self._list.set_title("1 Assistants")
        self._detail.set_title("2 What would change")
        self._title.note = "reading …"
        self.begin_looking()

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read what publishing anew would change."""
        self._title.note = "reading …"
        self.loader.read(self._publications.read, self._show, group="list")

    def _show(self, read: PublishRead) -> None:
        self.trouble_is_over()
        self._read = read
        self.looked_at = read.signature
        current = self._list.current
        self._list.show(
            publish_lines(read),
            follow=(lambda row: key_of(row) == key_of(current)) if current is not None else None,
            from_top=current is None,
        )
        published = sum(row.is_published for row in read.rows)
        self._list.set_title("1 Assistants", f"{published} published")
        self._title.project = read.project
        self._title.note = ""
        self.draw_again()

    def draw_again(self) -> None:
        """Lay out what would change at the current place for the room there is."""
        row = self._list.current
        if row is None or self._read is None:
            return
        self._detail.show(row_blocks(row, self._read), from_top=key_of(row) != self._shown)
        self._shown = key_of(row)

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        self.draw_again()

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("publish-read")

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        row = self._list.current
        if action.owner != PUBLISH or action.area == "look":
            return super().why_not(action)
        if row is None:
            return "No assistant is under the cursor."
        if isinstance(row, Cut):
            return None if action.id == "publish-write" else "p takes out what was retired; nothing else is done here."
        state = "refused" if row.plan is None else row.plan.state
        if action.id in {"publish-force", "publish-take"} and state != "edited":
            return "Nothing was written into this block by hand."
        if action.id == "publish-out" and not row.is_published:
            return f"Nothing is published to {row.place.label}."
        if action.id == "publish-write" and state == "edited":
            return "It was edited by hand: t takes the edit into the inbox, f writes over it."
        return super().why_not(action)

    @property
    def _current(self) -> Standing:
        """The place under the cursor; `why_not` lets no action through without one."""
        row = self._list.current
        if not isinstance(row, Standing):
            raise TypeError("no place is under the cursor")
        return row

    def action_publish_write(self) -> None:
        """Write what is shown."""
        row = self._list.current
        if isinstance(row, Cut):
            self.do(lambda: self._publications.withdraw(row))
        else:
            place = self._current
            self.do(lambda: self._publications.write(place))

    def action_publish_out(self) -> None:
        """Take the place's blocks out of its files."""
        row = self._current
        self.do(lambda: self._publications.take_out(row))

    def action_publish_take(self) -> None:
        """Take the edit by hand into the inbox, and publish."""
        row = self._current
        self.do(lambda: self._publications.take_edit(row))

    def action_publish_force(self) -> None:
        """Write over what was written by hand."""
        row = self._current
        self.do(lambda: self._publications.write(row, force=True))
