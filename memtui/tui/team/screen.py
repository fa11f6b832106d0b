"""Team: with whom memories are shared, who may do what, what came from whom, and what waits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar

from textual.binding import BindingType

from memtui.errors import MemtuiError
from memtui.sync.service import Asked
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import LISTING, TEAM, Action
from memtui.tui.list_detail import ListDetail
from memtui.tui.list_filter import ListFilter
from memtui.tui.row_detail import BREAKPOINTS, RowPanes, pane_answers
from memtui.tui.state import Opening
from memtui.tui.styled_text import Block
from memtui.tui.team.view import NOBODY, TeamActs, TeamRow, team_blocks, team_cells
from memtui.tui.widgets.lines import TitleLine


class TeamScreen(ListDetail):
    """The teams beside all about one of them; what only the other side knows arrives when it answers."""

    AREA = TEAM
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(TEAM, LISTING)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = pane_answers(TEAM)
    AUTO_FOCUS = ".rows"
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, opening: Opening) -> None:
        titles = ("Teams", "Shared, waiting, members")
        self._rows = RowPanes(TEAM, team_cells, self._blocks, key=attrgetter("id"), titles=titles)
        super().__init__(opening, self._rows.list, self._rows.detail, panes=self._rows)
        self.sifting = ListFilter(self, self._rows.list, "a team")
        self.parts = (self.sifting,)
        self._title = TitleLine("Team", id="team-title")
        self._team = TeamActs(self.access)
        self._asked: dict[str, Asked] = {}  # what the other sides said, by team
        self._problems: dict[str, str] = {}  # why they could not be asked

    def on_mount(self) -> None:
        """Read after the first picture."""
        self.begin_looking()

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        self.looked_at = self.access.signature()
        self.loader.read(self._team.read, self._show, group="list")

    def _show(self, rows: list[TeamRow]) -> None:
        waiting = sum(row.state.waiting for row in rows)
        self._title.note = f"{counted(waiting, 'change')} to send" if waiting else ""
        self.trouble_is_over()
        self._rows.show(rows, counted(len(rows), "team") if rows else "", notice=NOBODY)
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

    def _blocks(self, row: TeamRow) -> list[Block]:
        return team_blocks(row, self._asked.get(row.id), self._problems.get(row.id, ""))

    # -- actions ----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        row = self._rows.list.current
        if action.owner == TEAM and row is None:
            return "This vault does not share memories yet."
        if action.id == "team-conflicts" and row is not None and not row.state.conflicts:
            return "No conflicts with the team."
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
