"""A screen that shows an answer: what it shows where none could be made for what its lines hold."""

from __future__ import annotations

from memtui.errors import MemtuiError, UsageError
from memtui.tui.context.ask import Ask
from memtui.tui.context.payload_pane import PayloadPane
from memtui.tui.context.queries import Answer, LineError
from memtui.tui.context.task_lines import TaskLines
from memtui.tui.context.view import BudgetMeter, RankedList
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.widgets.lines import TitleLine

OF_OTHERS = "No payload can be built from these lines: correct them first."


class AnswerScreen(MemtuiScreen):
    """Shows the answer to what its lines hold; after a failed read none that was made for others."""

    _title: TitleLine
    _lines: TaskLines
    _list: RankedList
    _payload: PayloadPane
    _meter: BudgetMeter
    _answer: Answer | None
    _copy_awaited: bool

    def _ask(self) -> Ask:
        raise NotImplementedError

    @property
    def is_of_lines(self) -> bool:
        """Whether the shown payload was made for what the lines hold."""
        return self._answer is not None and self._answer.ask == self._ask()

    def _show_failure(self, error: MemtuiError) -> None:
        self._copy_awaited = False
        self._title.note = ""
        if isinstance(error, UsageError):
            self._lines.show_problem(error.line if isinstance(error, LineError) else "", error)  # the payload stays
            return
        self.complain(str(error))
        if not self.is_of_lines:
            self._title.note = "could not be read"
            self._show_none(error)

    def _show_none(self, error: MemtuiError) -> None:
        """Show the error instead of a payload that was made for other lines, and of all that tells of it."""
        self._answer = None
        self._list.show((), follow=None, from_top=True, notice=("The memories could not be read.",))
        self._list.set_title("1 Ranked")
        self._payload.show((), notice=tuple(filter(None, (error.what, error.where, error.remedy))))
        self._payload.set_title("2 Payload")
        self._meter.parts, self._meter.free = (), None
        self._title.counts = ()
