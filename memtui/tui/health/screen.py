"""Health: the state of the vault, and what needs attention."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import BindingType

from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import HEALTH, Action
from memtui.tui.health.view import CareRow, HealthRead, care_cells, care_lines, health_blocks, read_health
from memtui.tui.list_detail import LIST, ListDetail
from memtui.tui.loader import Task
from memtui.tui.screens.dialogs import read_memory
from memtui.tui.state import Opening
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import READING, PickList
from memtui.tui.widgets.row_list import RowList

_EDGES = 3  # Cells of a list's line that are kept free, and of a bar that scrolls


class HealthScreen(ListDetail):
    """What needs attention, each figure leading to what it counts, beside what the vault holds."""

    AREA = HEALTH
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(HEALTH)
    AUTO_FOCUS = "#health-care"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        self._care: RowList[CareRow] = RowList(care_cells, id="health-care")
        self._holds = DetailPane(id="health-holds")
        super().__init__(opening, self._care, self._holds)
        self._title = TitleLine("Health", id="health-title")
        self._read: HealthRead | None = None  # All of the last look
        self._shown: HealthRead | None = None  # What is known of this one

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._care.set_title("1 Needs attention")
        self._holds.set_title("2 Contents")
        self._title.note = READING
        self.begin_looking()

    @property
    def current_memory(self) -> str | None:
        """The memory under the cursor, for screens that are opened from here."""
        row = self._care.current if self.focused is self._care else None
        return row.opens if row is not None and row.is_memory else None

    def look_again(self) -> None:
        """Read the state of the vault."""

        def read(task: Task) -> None:
            for part in read_health(self.access):
                if not task.is_wanted:
                    return
                task.show(self._take, part)

        self.loader.run(read, group=LIST)

    def _take(self, read: HealthRead) -> None:
        self.trouble_is_over()
        self._title.place = read.project
        active = counted(read.active, "active memory", "active memories")
        self._title.note = active if read.is_whole else f"{active} · {READING}"
        if read.is_whole:
            self._read, self.looked_at = read, read.signature
        elif self._read is not None:
            return  # What was known all along is better than parts of what is.
        self._shown = read
        self.draw_again()

    def draw_again(self) -> None:
        """Lay out the sections for the room there is."""
        if self._shown is None:
            return
        care = [section for section in self._shown.sections if not section.is_contents]
        holds = [section for section in self._shown.sections if section.is_contents]
        here = self._care.current
        self._care.show(
            care_lines(care, self._care.size.width - _EDGES),
            follow=None if here is None else lambda row: row.opens == here.opens and row.row.label == here.row.label,
            from_top=here is None,
        )
        self._holds.show(health_blocks(holds, self._holds.text_width), from_top=False)

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id == "health-open" and self._care.current is None:
            return "Nothing needs attention." if self._read is not None else "The vault is being read."
        return super().why_not(action)

    def action_health_open(self) -> None:
        """Open what the figure under the cursor counts, or read the memory."""
        row = self._care.current
        if row is None:
            return
        if row.is_memory:
            read_memory(self, row.opens)
        else:
            # In the app's own turn: a screen that awaits its own removal would wait for ever.
            self.app.call_later(self.action_act, row.opens)

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("health-open")

    def action_health_again(self) -> None:
        """Read the state of the vault again."""
        self._title.note = READING
        self.look_again()

    def action_health_pane(self) -> None:
        """Go to the other pane."""
        self.enter_other()
