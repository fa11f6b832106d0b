"""Tidy: one pass over the vault and its findings in groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import get_current_worker

from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import TIDY
from memtui.tui.edit.acts import EditActs
from memtui.tui.launch_options import Opening
from memtui.tui.messages import LookFailed
from memtui.tui.text_layout import counted
from memtui.tui.tidy.queries import Pair, TidyAccess
from memtui.tui.tidy.rows import TidyList, TidyRow, row_blocks, rows_of
from memtui.tui.values import Done
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lists import PickList

if TYPE_CHECKING:
    from memtui.analysis.contradictions import Contradiction
    from memtui.curate.tidy import TidyReport

CLEAN = (
    "Nothing to tidy.",
    "",
    "No duplicates, no contradictions, no dead anchors: the vault tells the truth as far as a look can say.",
    "esc goes back.",
)


@dataclass
class Progressed(Message):
    """A pass came further."""

    stage: str
    done: int
    total: int

    def can_replace(self, message: Message) -> bool:
        """Let the newest of a burst stand for all."""
        return isinstance(message, Progressed)


@dataclass
class TidyRead(Message):
    """A pass ended; None where it was stopped."""

    report: TidyReport | None
    ticket: int


@dataclass
class PairRead(Message):
    """Both memories of a contradiction were read."""

    contradiction: Contradiction
    pair: Pair


class TidyScreen(EditActs):
    """Findings by sort; nothing is applied without a person."""

    AREA = TIDY
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(TIDY)
    AUTO_FOCUS = "#tidy-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._tidying = TidyAccess(self.access)
        self._head = Static("", id="tidy-head", markup=False)
        self._found = TidyList(id="tidy-list")
        self._detail = DetailPane(id="tidy-detail")
        self._report: TidyReport | None = None
        self._rows: list[TidyRow] = []
        self._running = False
        self._ticket = 0
        self._waited_for = True
        self._opened: TidyRow | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._head
        with Horizontal(id="tidy-panes"):
            yield self._found
            yield self._detail
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the pass begins after the first picture."""
        self.hints.place = TIDY
        self._detail.set_title("Finding")
        self._tell_head("looking through the vault · esc stops")
        self.call_after_refresh(self._begin_pass)

    @property
    def current_memory(self) -> str | None:
        """The memory under the cursor."""
        return self._memory_of(self._found.current)

    # -- the pass ---------------------------------------------------------------------------------

    def action_tidy_again(self) -> None:
        """Look through the vault again, at every memory and file."""
        self._begin_pass(anew=True)

    def _begin_pass(self, *, anew: bool = False) -> None:
        self._ticket += 1
        self._waited_for = anew or self._report is None
        self._running = True
        self._look_through(self._ticket, anew)

    @work(thread=True, exclusive=True, group="tidy", exit_on_error=False)
    def _look_through(self, ticket: int, anew: bool) -> None:
        from memtui.progress import Cancelled

        worker = get_current_worker()

        def progress(stage: str, done: int, total: int) -> None:
            if worker.is_cancelled:
                raise Cancelled
            self.post_message(Progressed(stage, done, total))

        try:
            report = self._tidying.find(progress, anew=anew)
        except Cancelled:
            self.post_message(TidyRead(None, ticket))
        except MemtuiError as error:
            self.post_message(TidyRead(None, ticket))
            self.post_message(LookFailed(error))
        else:
            self.post_message(TidyRead(report, ticket))

    @on(Progressed)
    def _show_progress(self, message: Progressed) -> None:
        if self._running and self._waited_for:
            self._tell_head(f"{message.stage} {message.done:,} of {message.total:,} · esc stops")

    @on(TidyRead)
    def _take_report(self, message: TidyRead) -> None:
        if message.ticket != self._ticket:
            return
        self._running = False
        if message.report is None:
            self._tell_head("stopped · R looks again")
            return
        self.trouble_is_over()
        report = self._report = message.report
        self._rows = rows_of(report)
        self._found.show(self._rows, CLEAN)
        self._tell_report(report)
        self._show_current()

    def _tell_report(self, report: TidyReport) -> None:
        findings = report.total + len(report.ripe)
        counts = report.counts()
        saved = counts["tokens"] - counts["tokens_after"]
        told = counted(findings, "finding", "findings")
        self._tell_head(
            f"{told} in {counts['memories']:,} memories" + (f" · easy merges save {saved:,} tokens" if saved else "")
        )
        self._found.set_title("Findings", f"{findings:,}" if findings else "")

    def _tell_head(self, text: str) -> None:
        self._head.update(Content.assemble((" Tidy", "bold $primary"), (f"   {text}", "$memtui-dim")))

    @on(PickList.Highlighted, "#tidy-list")
    def _show_current(self) -> None:
        row, report = self._found.current, self._report
        self._detail.show(row_blocks(report, row) if row is not None and report is not None else (), from_top=True)

    # -- acts -------------------------------------------------------------------------------------

    def _memory_of(self, row: TidyRow | None) -> str | None:
        """Return the memory that a line is about, None for groups."""
        subject: Any = row.subject if row is not None else None
        if isinstance(subject, str):
            return subject or None
        return subject.id if row is not None and row.finding == "anchors" and subject is not None else None

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        row = self._found.current
        if action.owner == TIDY and action.id != "tidy-again" and row is None:
            return "There is no finding under the cursor."
        if action.id in {"tidy-edit", "tidy-retire", "tidy-keep"} and self._memory_of(row) is None:
            return "This finding is about several memories; enter opens it."
        if action.id == "tidy-not" and row is not None and row.finding not in {"duplicates", "contradictions", "ripe"}:
            return "Only duplicates, contradictions and ripe groups can be dismissed."
        if action.id == "tidy-all" and row is not None and row.finding not in {"duplicates", "anchors", "unused"}:
            return "Only exact copies, moved files and what was never used are put right all at once."
        return super().why_not(action)

    async def action_tidy_open(self) -> None:
        """Put the finding right."""
        row = self._found.current
        subject: Any = row.subject if row is not None else None
        if row is None:
            return
        self._opened = row
        if row.finding == "duplicates":
            self._merge(subject.ids)
        elif row.finding == "ripe":
            self._conclude(subject.ids)
        elif row.finding == "contradictions":
            self._read_pair(subject)
        elif row.finding == "anchors":
            self._re_anchor([subject])
        elif row.finding in {"stale", "unconfirmed"}:
            await self.app.run_action(f"go('{'review' if row.finding == 'stale' else 'inbox'}')")
        else:
            self.open_form(subject)

    def _conclude(self, identifiers: tuple[str, ...]) -> None:
        from memtui.tui.reflect.screen import ReflectScreen

        screen = ReflectScreen(self.opening, identifiers)

        def closed(_: None) -> None:
            if screen.saved is not None:
                self._take_out(self._opened)
                self.acts_ended(None)

        self.app.push_screen(screen, closed)

    def _merge(self, identifiers: tuple[str, ...]) -> None:
        from memtui.tui.merge.screen import MergeScreen

        screen = MergeScreen(self.opening, identifiers)

        def closed(_: None) -> None:
            if screen.merged:
                self._take_out(self._opened)
                self.acts_ended(None)

        self.app.push_screen(screen, closed)

    @work(thread=True, exclusive=True, group="pair", exit_on_error=False)
    def _read_pair(self, contradiction: Contradiction) -> None:
        try:
            pair = self._tidying.pair(contradiction)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(PairRead(contradiction, pair))

    @on(PairRead)
    def _open_clash(self, message: PairRead) -> None:
        from memtui.tui.tidy.contradiction_screen import ContradictionScreen

        screen = ContradictionScreen(self.opening, message.contradiction, message.pair.memories)

        def closed(_: None) -> None:
            if screen.settled:
                self._take_out(self._opened)
                self.acts_ended(None)

        self.app.push_screen(screen, closed)

    def _re_anchor(self, anchors: list[Any]) -> None:
        moves = [(anchor.id, anchor.path, anchor.suggestion) for anchor in anchors if anchor.suggestion]
        if moves:
            self._take_out(*(row for row in self._rows if row.subject in anchors))
            self.do(lambda: self._tidying.re_anchor(moves))
        else:
            self.say("Nothing tells where it went; e edits its files.", severity="warning")

    def action_tidy_all(self) -> None:
        """Put every finding of this sort right: exact copies, moved files."""
        report, row = self._report, self._found.current
        if report is None or row is None:
            return
        if row.finding == "anchors":
            self._re_anchor([anchor for anchor in report.anchors if anchor.state == "moved"])
            return
        if row.finding == "unused":
            self._take_out(*(other for other in self._rows if other.finding == "unused"))
            self.do(lambda: self.memories.retire(report.unused))
            return
        copies = [group for group in report.duplicates if group.copies]
        if copies:
            self._take_out(*(other for other in self._rows if other.subject in copies))
            self.do(lambda: self._tidying.merge_copies(copies))
        else:
            self.say("None of them are exact copies; enter looks at each.", severity="warning")

    def action_tidy_not(self) -> None:
        """Never propose this finding again."""
        row = self._found.current
        subject: Any = row.subject if row is not None else None
        self._take_out(row)

        def run() -> Done:
            if row is not None and row.finding == "contradictions":
                return self._tidying.is_no_contradiction(subject)
            if row is not None and row.finding == "ripe":
                return self._tidying.are_not_ripe(subject)
            return self._tidying.are_no_duplicates(subject)

        self.do(run)

    def action_tidy_edit(self) -> None:
        """Edit the memory under the cursor."""
        memory = self._memory_of(self._found.current)
        if memory is not None:
            self.open_form(memory)

    def action_tidy_retire(self) -> None:
        """Retire the memory under the cursor."""
        row = self._found.current
        memory = self._memory_of(row)
        if memory is not None:
            self._take_out(row)
            self.do(lambda: self.memories.retire([memory]))

    def action_tidy_keep(self) -> None:
        """Say "still true" of the memory under the cursor."""
        row = self._found.current
        memory = self._memory_of(row)
        if memory is not None:
            self._take_out(row)
            self.do(lambda: self.memories.verify([memory]))

    def _take_out(self, *rows: TidyRow | None) -> None:
        """Take findings from the list at once; the next pass tells whether they are settled."""
        self._rows = [row for row in self._rows if not any(row is gone for gone in rows)]
        self._found.show(self._rows)

    def acts_ended(self, focus: str | None) -> None:
        """Look at what the change touched, as it may have settled other findings too; the findings stay meanwhile."""
        del focus
        self._begin_pass()

    def action_back(self) -> None:
        """Stop a pass that was asked for, else leave."""
        self.workers.cancel_group(self, "tidy")
        if not (self._running and self._waited_for):
            super().action_back()

    @on(PickList.Chosen, "#tidy-list")
    async def _open_clicked(self) -> None:
        await self.action_act("tidy-open")
