"""The findings of Tidy, and one contradiction side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from memtui.analysis.contradictions import Contradiction
from memtui.analysis.dismissals import VERDICT_OF
from memtui.analysis.flaws import Flaw, Mend
from memtui.curate.anchors import CheckedAnchor
from memtui.curate.tidy_report import ALIKENESSES, FLAWED, TidyReport
from memtui.domain.memory import Memory
from memtui.errors import MemtuiError
from memtui.text.sanitize import reveal, tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import CLASH, CLASH_TEXT, GO, RESEMBLING, TIDY, Action
from memtui.tui.edit.acts import EditActions, SimilarOnSave
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.memory_view import LONGEST_SHOWN, Block, Piece, ago, days_between
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.reflect.screen import ReflectScreen
from memtui.tui.screens.dialogs import pick
from memtui.tui.state import Opening
from memtui.tui.tidy.view import NAMES, Pair, TidyAccess, TidyRow, row_blocks, row_cells, rows_of
from memtui.tui.values import Done
from memtui.tui.vault_access import MemoryActs
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import AskLine, Question, TitleLine
from memtui.tui.widgets.lists import PickList, RowList, TextRow
from memtui.wording import tidying

CLEAN = ("Nothing to tidy.", "", "No duplicates, no contradictions, no dead anchors.", "esc goes back.")


class TidyScreen(MemtuiScreen):
    """Findings by kind; nothing is changed unless the user says so."""

    AREA = TIDY
    BINDINGS: ClassVar[list[BindingType]] = [*registry.bindings(TIDY), *registry.bindings(RESEMBLING)]
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **SimilarOnSave.ANSWERS,
        "tidy-retire": ("_treat", MemoryActs.retire),
        "tidy-keep": ("_treat", MemoryActs.verify),
    }
    AUTO_FOCUS = "#tidy-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.resemblance = SimilarOnSave(self)
        self.editing = EditActions(self, self.resemblance)
        self.parts = (self.resemblance, self.editing)
        self._tidying = TidyAccess(self.access)
        self._title = TitleLine("Tidy", id="tidy-head")
        self._found: RowList[TidyRow] = RowList(row_cells, id="tidy-list")
        self._detail = DetailPane(id="tidy-detail")
        self._report: TidyReport | None = None
        self._lines: list[TidyRow | TextRow] = []
        self._running = False
        self._waited_for = True  # Whether the user asked for the pass, rather than a change that it follows

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="tidy-panes"):
            yield self._found.add_class("pane")
            yield self._detail.add_class("pane")
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the pass starts after the first paint."""
        self._detail.set_title("Finding")
        self._title.note = "scanning the vault · esc stops"
        self.call_after_refresh(self._begin_pass)

    @property
    def current_memory(self) -> str | None:
        row = self._found.current
        return row.memory if row is not None else None

    # -- the pass ---------------------------------------------------------------------------------

    def action_tidy_again(self) -> None:
        """Scan every memory and file of the vault again."""
        self._begin_pass(anew=True)

    def _begin_pass(self, *, anew: bool = False) -> None:
        self._waited_for = anew or self._report is None
        self._running = True
        self.loader.run(
            lambda task: self._tidying.find(task.progress(self._show_progress), anew=anew),
            self._show_report,
            group="tidy",
            on_error=self._fail_pass,
        )

    def _show_progress(self, stage: str, done: int, total: int) -> None:
        if self._running and self._waited_for:
            self._title.note = f"{stage} {done:,} of {total:,} · esc stops"

    def _end_pass(self) -> None:
        self._running = False
        self._title.note = "stopped · R scans again"

    def _fail_pass(self, error: MemtuiError) -> None:
        self._end_pass()
        self.look_failed(error)

    def _show_report(self, report: TidyReport) -> None:
        self._running = False
        self.trouble_is_over()
        self._title.place = self.access.place_words
        self._report, self._lines = report, rows_of(report)
        self._found.show(self._lines, notice=CLEAN)
        counts, findings = report.counts(), report.total + len(report.ripe)
        saved = counts["tokens"] - counts["tokens_after"]
        easy = f" · easy merges save {saved:,} tokens" if saved else ""
        self._title.note = f"{counted(findings, 'finding')} in {counts['memories']:,} memories{easy}"
        self._found.set_title("Findings", f"{findings:,}" if findings else "")

    @on(PickList.Highlighted, "#tidy-list")
    def _show_current(self) -> None:
        row = self._found.current
        self._detail.show(row_blocks(row) if row is not None else (), from_top=True)

    # -- fixing -----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        row = self._found.current
        if action.owner == TIDY and action.id != "tidy-again" and row is None:
            if self._report is None and self._running:
                return "The vault is still being scanned: the key was ignored."
            return "There is no finding under the cursor."
        if action.id in {"tidy-edit", "tidy-retire", "tidy-keep"} and self.current_memory is None:
            return "This finding is about several memories; enter opens it."
        if action.id == "tidy-not" and row is not None and row.finding not in {*VERDICT_OF, "lessons"}:
            return "This finding goes when it is fixed; it cannot be dismissed."
        if action.id == "tidy-not-any" and row is not None and row.finding not in VERDICT_OF:
            return "This finding goes when it is fixed; it cannot be dismissed."
        if action.id == "tidy-mend" and row is not None and row.finding not in FLAWED:
            return "Only what is oversized, vague or a fragment is mended like this."
        if action.id == "tidy-all" and row is not None and row.finding not in {"duplicates", "anchors", "unused"}:
            return "Only exact copies, moved files and what was never used can be fixed all at once."
        return super().why_not(action)

    async def action_tidy_open(self) -> None:
        row = self._found.current
        if row is None:
            return
        if row.finding in {"stale", "unconfirmed"}:
            await self.app.run_action(f"go('{'review' if row.finding == 'stale' else 'inbox'}')")
        elif row.finding == "duplicates":
            self._merge(row)
        elif row.finding == "ripe":
            self._conclude(row)
        elif row.finding == "contradictions":
            contradiction: Contradiction = row.subject
            show = partial(self._resolve, row)
            self.loader.read(lambda: self._tidying.pair(contradiction), show, group="pair")
        elif row.finding == "anchors":
            self._re_anchor([row.subject])
        else:
            self.editing.open_form(row.memory)

    def _merge(self, row: TidyRow) -> None:
        screen = MergeScreen(self.opening, row.subject.ids)
        self._fix_in(screen, row, lambda: screen.merged)

    def _conclude(self, row: TidyRow) -> None:
        screen = ReflectScreen(self.opening, row.subject.ids)
        self._fix_in(screen, row, lambda: screen.saved is not None)

    def _resolve(self, row: TidyRow, pair: Pair) -> None:

        screen = ContradictionScreen(self.opening, row.subject, pair)
        self._fix_in(screen, row, lambda: screen.resolved)

    def _fix_in(self, screen: Screen[None], row: TidyRow, is_fixed: Callable[[], bool]) -> None:
        def closed(_: None) -> None:
            if is_fixed():
                self._take_out(row)
                self.acts_ended(None)

        self.app.push_screen(screen, closed)

    def _re_anchor(self, anchors: Sequence[CheckedAnchor]) -> None:
        moved = [anchor for anchor in anchors if anchor.suggestion]
        if moved:
            self._take_out(*(row for row in self._found.rows if row.subject in moved))
            self.do(lambda: self._tidying.re_anchor(moved))
        else:
            self.say("Where the file went is not known; e edits the files of the memory.", severity="warning")

    def action_tidy_all(self) -> None:
        """Fix every finding of this kind: exact copies, moved files, memories that were never used."""
        report, row = self._report, self._found.current
        if report is None or row is None:
            return
        if row.finding == "anchors":
            self._re_anchor([anchor for anchor in report.anchors if anchor.state == "moved"])
        elif row.finding == "unused":
            self._take_out(*(other for other in self._found.rows if other.finding == "unused"))
            self.do(lambda: self.memories.retire(report.unused))
        elif copies := [group for group in report.duplicates if group.copies]:
            self._take_out(*(other for other in self._found.rows if other.subject in copies))
            self.do(lambda: self._tidying.merge_copies(copies))
        else:
            self.say("None of them are exact copies; enter opens each.", severity="warning")

    def action_tidy_not(self) -> None:
        """Never suggest this finding again."""
        row = self._found.current
        if row is not None:
            self._take_out(row)
            lesson = row.subject
            if row.finding == "lessons":
                self.do(lambda: self._tidying.unlearn(lesson))
            else:
                self.do(lambda: self._tidying.dismiss(row.finding, lesson.ids))

    def action_tidy_not_any(self) -> None:
        """Never suggest this finding and those like it again, as one change."""
        row, report = self._found.current, self._report
        if row is None or report is None:
            return
        found = {by: report.alike(row.finding, row.subject.ids, by) for by in ALIKENESSES}
        ways = tidying.ways_to_dismiss(row.finding, found, report.files_of(row.subject.ids))
        if len(ways) > 1:
            title = f"Dismiss {NAMES[row.finding].lower()}"
            named: dict[str, list[tuple[str, ...]]] = {by: found[by] for by, _ in ways}
            pick(self.app, title, ways, ways[0][0], lambda by: self._dismiss_all(row, named[by]))
        else:
            self._dismiss_all(row, found[ways[0][0] if ways else "shape"])

    def _dismiss_all(self, row: TidyRow, alike: Sequence[tuple[str, ...]]) -> None:
        same = (other for other in self._found.rows if other.finding == row.finding)
        self._take_out(*(other for other in same if other.subject.ids in alike))
        self.do(lambda: self._tidying.dismiss(row.finding, *alike))

    def action_tidy_mend(self) -> None:
        """Mend the memory as it is offered; what only a person can shorten is opened."""
        row = self._found.current
        if row is None:
            return
        flaw: Flaw = row.subject
        if flaw.mend is Mend.SHORTEN:
            self.editing.open_form(row.memory)
            return
        self._take_out(row)
        self.do(lambda: self._tidying.mend(flaw))

    def action_tidy_edit(self) -> None:
        self.editing.open_form(self.current_memory)

    def _treat(self, act: Callable[[MemoryActs, Sequence[str]], Done]) -> None:
        """Retire the memory, or say "still true" of it."""
        row = self._found.current
        if row is not None and row.memory is not None:
            memories = [row.memory]
            self._take_out(row)
            self.do(lambda: act(self.memories, memories))

    def _take_out(self, *rows: TidyRow) -> None:
        """Remove findings from the list at once; the next pass tells whether they are fixed."""
        self._lines = [line for line in self._lines if not any(line is gone for gone in rows)]
        self._found.show(self._lines)

    def acts_ended(self, focus: str | None) -> None:
        """Scan what changed, which may have fixed other findings too; the findings stay meanwhile."""
        del focus
        self._begin_pass()

    def action_back(self) -> None:
        """Stop a pass that was asked for, else leave."""
        self.loader.stop("tidy")
        if self._running and self._waited_for:
            self._end_pass()
        else:
            super().action_back()

    @on(PickList.Chosen, "#tidy-list")
    async def _open_clicked(self) -> None:
        await self.action_act("tidy-open")


_WHERE = "paths, phases or words, separated by commas; empty leaves the memory as it is"
_QUESTIONS = {
    name: Question(f"{letter} is right for", verb=verb, longest=500)
    for name, letter, verb in (("first", "A", "continues with B"), ("second", "B", "resolves it"))
}


class ContradictionText(DetailPane):
    """One of the two texts; `b` keeps both memories here, and opens the inbox everywhere else."""

    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(CLASH_TEXT)


class ContradictionScreen(MemtuiScreen):
    """Resolve one contradiction by one key; each way is one undoable change."""

    AREA = CLASH
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(CLASH)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {"clash-first": ("_keep", 0), "clash-second": ("_keep", 1)}
    AUTO_FOCUS = "#clash-0"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening, contradiction: Contradiction, pair: Pair) -> None:
        super().__init__(opening)
        self.resolved = False  # Whether it was resolved
        self._contradiction = contradiction
        self._pair = pair
        self._tidying = TidyAccess(self.access)
        self._title = TitleLine("Contradiction", warns=True, id="clash-head")
        self._panes = [ContradictionText(id=f"clash-{place}") for place in (0, 1)]
        self._line = AskLine(_QUESTIONS, id="clash-ask")
        self._where = Static(_WHERE, id="clash-where", markup=False)
        self._first = ""

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="clash-sides"):
            yield from (pane.add_class("pane") for pane in self._panes)
        yield self._where
        yield self._line
        yield self.hints

    def on_mount(self) -> None:
        why = tame(self._contradiction.why, 200)
        self._title.place, self._title.note = self._contradiction.type, why
        self.call_after_refresh(self._show_both)

    def _show_both(self) -> None:
        now = self.opening.vault.now()
        for place, (pane, memory) in enumerate(zip(self._panes, self._pair, strict=True)):
            when = memory.verified_at or memory.observed_at or memory.created_at
            word = "verified" if memory.verified_at else "from"
            pane.set_title(f"{'AB'[place]}  {word} {ago(days_between(when, now))}")
            pane.show(self._blocks(memory, place), from_top=True)

    def _blocks(self, memory: Memory, place: int) -> list[Block]:
        words = self._contradiction.words[place]
        blocks = [
            Block(((tame(memory.title, 500), "title"),)),
            Block(((f"{tame(memory.kind)} · {tame(memory.project or 'unassigned')}", "dim"),)),
            Block(_marked(memory.insight, words), gap=True),
        ]
        if memory.rationale:
            blocks.append(Block(((reveal(memory.rationale[:LONGEST_SHOWN]), "text"),), label="Why", gap=True))
        blocks += [
            Block(((tame(anchor.path), "path"),), label=" " if at else "Files", gap=not at)
            for at, anchor in enumerate(memory.anchors[:3])
        ]
        return blocks

    # -- resolving ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id.startswith(GO) or action.id in {"undo", "redo"}:
            return "Resolve the contradiction first; esc leaves it."
        if self.acting and action.owner == CLASH:
            return "The contradiction is being resolved."
        return super().why_not(action)

    def _keep(self, place: int) -> None:
        self._resolve(lambda: self._tidying.keep(self._contradiction, self._pair[place]))

    def action_clash_none(self) -> None:
        """Say that it is not a contradiction."""
        self._resolve(lambda: self._tidying.dismiss("contradictions", self._contradiction.ids))

    def action_clash_both(self) -> None:
        """Ask where each holds; at least one answer is needed."""
        if not self.acting:
            self._ask("first")

    def _ask(self, name: str) -> None:
        self._where.add_class("-open")
        self.hints.place = "clash-line"
        self._line.open(name)

    @on(AskLine.Given)
    def _take_where(self, message: AskLine.Given) -> None:
        message.stop()
        if message.name == "first":
            self._first = message.text
            self._ask("second")
            return
        said = (self._first, message.text)
        if not any(where.strip() for where in said):
            self.say("Say where at least one of them holds: a path, a phase, or words.", severity="warning")
            self._ask("first")
            return
        self._close_line()
        self._resolve(lambda: self._tidying.keep_both(self._contradiction, self._pair, said))

    def _close_line(self) -> None:
        self._where.remove_class("-open")
        self.hints.place = CLASH
        self._line.close()
        self._panes[0].focus()

    def action_back(self) -> None:
        """Close the line, else leave."""
        if self._line.is_open:
            self._close_line()
        else:
            super().action_back()

    def _resolve(self, change: Callable[[], Done]) -> None:
        def run() -> Done:
            done = change()
            self.resolved = True
            return done

        self.do(run)

    def acts_ended(self, focus: str | None) -> None:
        """Close once resolved."""
        del focus
        if self.resolved and self.is_current:
            self.dismiss(None)


def _marked(text: str, words: str) -> tuple[Piece, ...]:
    shown, sought = reveal(text[:LONGEST_SHOWN]), reveal(words).strip()
    at = shown.lower().find(sought.lower()) if sought else -1
    if at < 0:
        return ((shown, "text"), *(((f"\n[{sought}]", "warning"),) if sought else ()))
    end = at + len(sought)
    return tuple(
        piece for piece in ((shown[:at], "text"), (f"[{shown[at:end]}]", "warning"), (shown[end:], "text")) if piece[0]
    )
