"""What the Context screen reads and shows."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.timer import Timer

from memtui.errors import MemtuiError, UsageError
from memtui.text.quantities import parse_budget
from memtui.tui.actions import registry
from memtui.tui.actions.table import CONTEXT
from memtui.tui.context import rows
from memtui.tui.context.choices import Choices, Steps
from memtui.tui.context.panes import BudgetMeter, PayloadPane, RankedList
from memtui.tui.context.queries import Answer, Ask, FilesError, PayloadAccess
from memtui.tui.context.rows import Answered, FilesKnown, NotAnswered
from memtui.tui.context.task_lines import TaskLines
from memtui.tui.launch_options import Opening
from memtui.tui.screen import MemtuiScreen
from memtui.tui.state import State
from memtui.tui.widgets.lines import AskLine, Question, TitleLine

TYPING_SECONDS = 0.03
"""Pause after a key before the payload is made anew: a paste is one change, and the answer takes some 70 ms more."""

POLL_SECONDS = 2.0
"""How often the vault is looked at for changes of others."""

WRITE, RECIPE, QUESTION = "write", "recipe", "question"
"""What the line at the bottom asks for."""

_ASKED = {
    WRITE: Question("Write to", "memtui-context.md", verb="writes"),
    RECIPE: Question("Save the task as", verb="saves", longest=100),
    QUESTION: Question("Note the question in", "memtui-questions.jsonl", verb="appends"),
}


class ContextReading(MemtuiScreen):
    """The Context screen without its acts.

    Args:
        opening: what the app was opened with.
    """

    AREA = CONTEXT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(CONTEXT)
    AUTO_FOCUS = "#context-task"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012 - the same

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        # Held here rather than queried: a worker may report while the screen is being taken down.
        self._payloads = PayloadAccess(self.access)
        self._title = TitleLine("Context", id="context-title")
        self._lines = TaskLines(opening.context, opening.folder, id="context-lines")
        self._list = RankedList(id="context-list")
        self._payload = PayloadPane(id="context-payload")
        self._ask_line = AskLine(_ASKED, id="context-ask-line")
        self._meter = BudgetMeter(id="context-meter")
        self._choices = Choices()
        self._steps = Steps()
        self._ticked_for = ""
        self._answer: Answer | None = None
        self._ticket = 0
        self._answered = 0
        self._awaited: str | None = None
        self._basis: tuple[int, ...] = ()
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        yield self._lines
        with Horizontal(id="context-panes"):
            yield self._list
            yield self._payload
        yield self._ask_line
        yield self._meter
        yield self.hints
        yield self._lines.offers

    def on_mount(self) -> None:
        """Take what was typed last, and ask for its payload after the first picture."""
        self._list.set_title("1 Ranked")
        self._payload.set_title("2 Payload")
        remembered = self._app_state().section(CONTEXT)
        self._lines.restore(remembered)
        self._choices = Choices.restored(remembered)
        self._ticked_for = self._lines.text
        if self._lines.text.strip():
            # A letter means an act on the payload that is there, not the start of another task.
            self.set_focus(self._list)
        self.call_after_refresh(self._renew)
        self.call_after_refresh(self._read_known_files)
        self.set_interval(POLL_SECONDS, self._poll)

    def on_unmount(self) -> None:
        """Keep what was typed for the next time."""
        self.remember(self._app_state())

    def remember(self, state: State) -> None:
        """Keep what was typed."""
        state.remember(CONTEXT, self._lines.remembered() | self._choices.remembered())

    def _app_state(self) -> State:
        state = getattr(self.app, "state", None)
        return state if isinstance(state, State) else State(None, self.opening.vault.path)

    # -- asking for a payload ---------------------------------------------------------------------

    @property
    def is_waiting(self) -> bool:
        """Whether a newer payload than the shown one is on its way."""
        return self._answered != self._ticket

    def _soon(self) -> None:
        """Ask once the typing rests."""
        if self._pause is not None:
            self._pause.stop()
        self._ticket += 1
        self._pause = self.set_timer(TYPING_SECONDS, self._renew)

    def _drop_old_ticks(self) -> None:
        """Take back ticks that were made for another task."""

    def _renew(self) -> None:
        """Ask for the payload of what the lines hold now."""
        self._drop_old_ticks()
        self._ticket += 1
        try:
            parse_budget(self._lines.budget)
        except UsageError as error:
            self._answered = self._ticket
            self._tell_trouble("Budget", error)
            return
        self._basis = self._basis_now()
        self._make(self._ask(), self._ticket)

    def _ask(self) -> Ask:
        return Ask(
            text=self._lines.text,
            files=self._lines.files,
            target=self._lines.target,
            budget=self._lines.budget,
            phase=self._lines.phase,
            without=self._choices.without,
            with_ids=self._choices.with_ids,
            style=self._lines.style,
            unconfirmed=self._choices.unconfirmed,
            with_loaded=self._choices.with_loaded,
            secrets=self._choices.secrets,
        )

    @work(thread=True, exclusive=True, group="payload", exit_on_error=False)
    def _make(self, ask: Ask, ticket: int) -> None:
        if ticket != self._ticket:
            return
        try:
            answer = self._payloads.answer(ask)
        except MemtuiError as error:
            self.post_message(NotAnswered(error, ticket))
        else:
            self.post_message(Answered(answer, ticket))

    @work(thread=True, exclusive=True, group="files", exit_on_error=False)
    def _read_known_files(self) -> None:
        try:
            self.post_message(FilesKnown(self._payloads.known_files()))
        except MemtuiError:
            # The payload's own failure tells the trouble; without names the line still takes any file.
            return

    def _basis_now(self) -> tuple[int, ...]:
        """Return what a payload hangs on beside what is typed: the vault's file, and whether meaning plays a part."""
        meaning = self.opening.meaning
        return (*self.access.signature(), int(meaning is not None and meaning.is_ready))

    def _poll(self) -> None:
        """Make the payload anew where others changed the vault, or where the last try failed."""
        if self.acting:
            return
        has_moved = not self.is_waiting and self._basis_now() != self._basis
        if self.in_trouble or has_moved:
            self._renew()

    # -- what workers report ----------------------------------------------------------------------

    @on(Answered)
    def _show_answer(self, message: Answered) -> None:
        if message.ticket != self._ticket:
            return
        self.trouble_is_over()
        self._answered = message.ticket
        before, self._answer = self._answer, message.answer
        pack, ask = message.answer.pack, message.answer.ask
        is_new = before is None or (before.ask.text, before.ask.files) != (ask.text, ask.files)
        current = self._list.current
        notice = rows.empty_notice(pack, has_task=bool(ask.text.strip() or ask.files))
        self._list.show(
            rows.ranked_rows(pack),
            rows.withheld_rows(pack),
            rows.rest_lines(message.answer),
            follow=current.id if current is not None and not is_new else None,
            notice=("No memory is near.",) if ask.text.strip() or ask.files else ("No memory is in use yet.",),
        )
        self._payload.show(pack.pieces, notice=() if pack.payload else notice)
        self._list.set_title("1 Ranked", rows.in_words(pack))
        self._payload.set_title(f"2 Payload ─ {rows.payload_title(pack)}")
        self._meter.parts = tuple(rows.sections(pack))
        self._meter.free = rows.tokens_left(pack)
        self._title.project = message.answer.place
        self._title.note = rows.title_note(message.answer)
        self._lines.clear_trouble()
        self._lines.show_settings(pack.phase)
        self._mark_current()
        self._do_awaited()

    @on(NotAnswered)
    def _tell_no_answer(self, message: NotAnswered) -> None:
        if message.ticket != self._ticket:
            return
        self._answered, self._awaited = message.ticket, None
        if isinstance(message.error, UsageError):
            self._tell_trouble("Files" if isinstance(message.error, FilesError) else "", message.error)
            return
        error = message.error
        self.complain(str(error))
        if self._answer is None:
            self._payload.show((), notice=tuple(filter(None, (error.what, error.where, error.remedy))))

    def _tell_trouble(self, field: str, error: MemtuiError) -> None:
        """Say under the lines what is wrong with one of them; the payload stays as it was."""
        self._awaited = None
        self._lines.tell(field, error)

    @on(FilesKnown)
    def _take_files(self, message: FilesKnown) -> None:
        self._lines.files_line.know(message.names)

    def _mark_current(self) -> None:
        row = self._list.current
        self._payload.mark(row.id if row is not None and row.is_in else None)

    def _do_awaited(self) -> None:
        """Do what was asked for while the payload was on its way."""
        awaited, self._awaited = self._awaited, None
        if awaited is not None:
            self.call_later(self.action_act, awaited)
