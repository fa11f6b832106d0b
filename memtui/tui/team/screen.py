"""Team: with whom memories are shared, who may do what, what came from whom, and what waits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.binding import BindingType

from memtui.errors import MemtuiError
from memtui.sync.service import Asked
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import TEAM, Action
from memtui.tui.list_detail import ListDetail
from memtui.tui.state import Opening
from memtui.tui.team.view import NOBODY, TeamActs, TeamRow, team_blocks, team_cells
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import PickList, RowList


class TeamScreen(ListDetail):
    """The teams beside all about one of them; what only the other side knows arrives when it answers."""

    AREA = TEAM
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(TEAM)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "team-read": ("enter_second",),
        "team-list": ("enter_first",),
        "team-detail": ("enter_second",),
        "team-pane": ("enter_other",),
    }
    AUTO_FOCUS = "#team-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        self._list: RowList[TeamRow] = RowList(team_cells, id="team-list")
        self._detail = DetailPane(id="team-detail")
        super().__init__(opening, self._list, self._detail)
        self._title = TitleLine("Team", id="team-title")
        self._team = TeamActs(self.access)
        self._asked: dict[str, Asked] = {}  # what the other sides said, by team
        self._problems: dict[str, str] = {}  # why they could not be asked
        self._shown = ""  # the team in the second pane

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._list.set_title("1 Teams")
        self._detail.set_title("2 Shared, waiting, members")
        self.begin_looking()

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        self.looked_at = self.access.signature()
        self.loader.read(self._team.read, self._show, group="list")

    def _show(self, rows: list[TeamRow]) -> None:
        self.trouble_is_over()
        current = self._list.current
        follow = (lambda row: row.id == current.id) if current is not None else None
        self._list.show(rows, follow=follow, from_top=current is None, notice=NOBODY)
        waiting = sum(row.state.waiting for row in rows)
        self._title.note = f"{counted(waiting, 'change')} to send" if waiting else ""
        self._list.set_title("1 Teams", counted(len(rows), "team") if rows else "")
        self.draw_again()
        for row in rows:
            self._ask(row)

    def _ask(self, row: TeamRow) -> None:
        """Ask the other side in a thread, once for each state of the vault."""

        def show(asked: Asked) -> None:
            self._asked[row.id] = asked
            self._problems.pop(row.id, None)
            self.draw_again()

        def tell(error: MemtuiError) -> None:
            self._problems[row.id] = str(error)
            self.draw_again()

        self.loader.read(partial(self._team.ask, row), show, group=f"ask-{row.id}", on_error=tell)

    def draw_again(self) -> None:
        """Lay out all about the current team for the room there is."""
        row = self._list.current
        if row is None:
            self._detail.show((), from_top=True)
            return
        blocks = team_blocks(row, self._asked.get(row.id), self._problems.get(row.id, ""))
        self._detail.show(blocks, from_top=row.id != self._shown)
        self._shown = row.id

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        self.draw_again()

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("team-read")

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        row = self._list.current
        if action.owner == TEAM and row is None:
            return "This vault shares its memories with nobody."
        if action.id == "team-conflicts" and row is not None and not row.state.conflicts:
            return "There are no conflicts with the team."
        return super().why_not(action)

    def action_team_sync(self) -> None:
        """Exchange what changed on both sides."""
        self._title.note = "syncing …"
        self.do(self._team.sync)

    def action_team_again(self) -> None:
        """Ask the other side again."""
        self._asked.clear()
        self._problems.clear()
        self.look_again()

    def action_team_conflicts(self) -> None:
        """Go to the Inbox, where both texts are shown."""
        # In the app's own turn: a screen that awaits its own removal would wait for ever.
        self.app.call_later(self.action_act, "go-inbox")
