"""The findings of Tidy, and one contradiction side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from memtui.analysis.contradictions import Contradiction
from memtui.analysis.dismissals import VERDICT_OF
from memtui.analysis.flaws import Flaw, Mend
from memtui.curate.anchors import CheckedAnchor
from memtui.curate.moved_paths import Moves
from memtui.curate.tidy_report import ALIKENESSES, FLAWED, TidyReport
from memtui.domain.memory import MOST_MERGED
from memtui.errors import MemtuiError
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import LISTING, RESEMBLING, TIDY, Action
from memtui.tui.edit.acts import EditActions
from memtui.tui.edit.resembling import SimilarOnSave
from memtui.tui.list_detail import POLL_SECONDS, ListDetail
from memtui.tui.list_filter import ListFilter
from memtui.tui.merge.screen import MergeScreen
from memtui.tui.reflect.screen import ReflectScreen
from memtui.tui.screens.dialogs import ask_to_follow, ask_to_untie, pick
from memtui.tui.state import Opening
from memtui.tui.styled_text import Block
from memtui.tui.tidy.contradiction import ContradictionScreen
from memtui.tui.tidy.queries import Pair, TidyAccess, still_tied
from memtui.tui.tidy.view import (
    NAMES,
    TidyRow,
    come_after,
    row_blocks,
    row_cells,
    rows_of,
    shown_findings,
    text_blocks,
)
from memtui.tui.values import Done
from memtui.tui.vault_access import MemoryActs
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import TitleLine
from memtui.tui.widgets.lists import READING, PickList
from memtui.tui.widgets.pane_border import PaneBorder
from memtui.tui.widgets.row_list import RowList, TextRow
from memtui.wording import tidying

CLEAN = ("Nothing to tidy.", "", "No duplicates, contradictions or missing files.", "esc goes back.")

NARROWEST_SIDE = 28  # Cells that a text needs to be read beside another; with less, they stand one below the other
_MOST_OF_SEVERAL = 170  # Characters of each of several texts where one pane of a low terminal holds them
_MOST_ABOUT = 10  # Lines over two texts that stand beside each other

_STILL_SCANNING = "The vault is still being scanned."
_NOTHING = "No finding is under the cursor."
_NOT_DISMISSED = "This finding disappears when it is fixed; it cannot be dismissed."
_ONLY_FOR = (
    ("tidy-not", frozenset({*VERDICT_OF, "lessons", "anchors"}), _NOT_DISMISSED),
    ("tidy-not-any", frozenset(VERDICT_OF), _NOT_DISMISSED),
    ("tidy-mend", frozenset(FLAWED), "This key fixes only oversized and vague memories and fragments."),
    (
        "tidy-all",
        frozenset({"duplicates", "anchors", "unused"}),
        "Only exact copies, moved files and unused memories can be fixed all at once.",
    ),
)
"""Actions that are for some findings alone, and what is said of them on another."""


class TidyScreen(ListDetail):
    """Findings by kind beside the texts that they are about; nothing is changed unless the user says so."""

    AREA = TIDY
    BINDINGS: ClassVar[list[BindingType]] = [
        *registry.bindings(TIDY),
        *registry.bindings(LISTING),
        *registry.bindings(RESEMBLING),
    ]
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **SimilarOnSave.ANSWERS,
        "tidy-retire": ("_treat", MemoryActs.retire),
        "tidy-keep": ("_treat", MemoryActs.verify),
    }
    AUTO_FOCUS = "#tidy-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide"), (150, "-vast")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(self, opening: Opening) -> None:
        self._found: RowList[TidyRow] = RowList(row_cells, words=self._words_of, id="tidy-list")
        self._detail = DetailPane(id="tidy-detail")
        super().__init__(opening, self._found, self._detail)
        self.resemblance = SimilarOnSave(self)
        self.editing = EditActions(self, self.resemblance)
        self.sifting = ListFilter(self, self._found, "words of a title, or what is found: duplicates, vague")
        self.parts = (self.sifting, self.resemblance, self.editing)
        self._tidying = TidyAccess(self.access)
        self._title = TitleLine("Tidy", id="tidy-head")
        self._finding = Vertical(id="tidy-finding")
        self.border = PaneBorder(self._found, self._finding)
        self._sides = [DetailPane(id=f"tidy-side-{place}") for place in (0, 1)]
        self._report: TidyReport | None = None
        self._lines: list[TidyRow | TextRow] = []
        self._texts_of: tuple[str, ...] = ()  # The memories whose texts were read last, and those texts
        self._texts: list[list[Block]] = []
        self._brief_texts: list[list[Block]] = []  # The same, cut to what differs where there are several
        self._is_scanning = False
        self._dismissed: tuple[str, ...] = ()  # The memories of what was dismissed last, until the next pass
        self._waited_for = True  # Whether the user asked for the pass, rather than a change that it follows

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        with Horizontal(id="tidy-panes"):
            yield self._found
            with self._finding:
                yield self._detail
                with Horizontal(id="tidy-sides"):
                    yield from (side.add_class("pane") for side in self._sides)
        yield from self.typed_lines()
        yield self.hints

    def on_mount(self) -> None:
        """Draw the panes, which say that they are read; the pass starts after the first paint."""
        self._found.set_title("Findings")
        self._found.say_reading()
        self._detail.set_title("Finding")
        self._detail.show([Block(((READING, "dim"),))], from_top=True)
        self._title.note = "scanning the vault …"
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.loader.read(self.access.read_place, self._name_place, group="place")
        self._begin_pass()
        self.set_interval(POLL_SECONDS, self._poll_files)

    def _name_place(self, place: str) -> None:
        self._title.place = place

    def _words_of(self, row: TidyRow) -> str:
        """Return what the filter finds a finding by besides what its row shows."""
        titles = self._report.titles if self._report is not None else {}
        return "\n".join((*(titles.get(one, "") for one in row.ids), *row.about))

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
        self._is_scanning = True
        self.looked_at = self.access.signature()
        self.loader.run(
            lambda task: self._tidying.find(task.progress(self._show_progress), anew=anew),
            self._show_report,
            group="tidy",
            on_error=self._fail_pass,
        )

    def look_again(self) -> None:
        """Scan what changed while another screen lay over this one, or in another process."""
        if not self._is_scanning:
            self._begin_pass()

    def _show_progress(self, stage: str, done: int, total: int) -> None:
        if self._is_scanning and self._waited_for:
            self._title.note = f"{stage} {done:,} of {total:,}"

    def _fail_pass(self, error: MemtuiError) -> None:
        self._is_scanning = False
        self._title.note = "stopped · R scans again"
        if self._report is None:
            self._found.show((), notice=(error.what, error.where, error.remedy))
        self.look_failed(error)

    def _show_report(self, found: TidyReport) -> None:
        report = shown_findings(found)
        self._is_scanning = False
        self.trouble_is_over()
        self.unsay(_STILL_SCANNING)
        self._title.place = self.access.place_words
        before, self._report, self._texts_of, self._texts = self._report, report, (), []
        if came := come_after(before, report, self._dismissed) if before else "":
            self.say(came)
        self._dismissed = ()
        self._list_findings(report)
        waiting = f" · {len(report.waiting):,} wait in the inbox" if report.waiting else ""
        counts, findings = report.counts(), report.total + len(report.ripe)
        saved = counts["tokens"] - counts["tokens_after"]
        easy = f" · easy merges save {saved:,} tokens" if saved else ""
        in_use = counts["memories"] - len(report.waiting)
        partial = f" · {report.without_vector:,} compared by words only" if report.without_vector else ""
        self._title.note = (
            f"{counted(findings, 'finding')} in {counted(in_use, 'memory', 'memories')}{easy}{waiting}{partial}"
        )
        self._found.set_title("Findings", f"{findings:,}" if findings else "")

    def _list_findings(self, report: TidyReport) -> None:
        """List the findings, the groups apart where all of them are in sight even so."""
        airy = rows_of(report, airy=True)
        self._lines = airy if len(airy) <= self._found.page else rows_of(report)
        current = self._found.current
        self._found.show(self._lines, follow=lambda row: row == current, notice=CLEAN)

    def draw_again(self) -> None:
        """Lay out the findings and the texts for the room there is."""
        if self._report is not None:
            self._list_findings(self._report)

    @on(PickList.Highlighted, "#tidy-list")
    def _show_current(self) -> None:
        """Show what speaks for a finding at once, and its texts when the cursor rests on it."""
        row = self._found.current
        self._show_finding(row)
        if row is None or not row.ids or row.ids == self._texts_of:
            self.stop_rest()
        else:
            self.read_rested(partial(self._read_texts, row), partial(self._take_texts, row))

    def _read_texts(self, row: TidyRow) -> tuple[list[list[Block]], list[list[Block]]]:
        memories, now = self.access.memories(row.ids[:MOST_MERGED]), self.opening.vault.now()
        whole = text_blocks(row, memories, now)
        return whole, text_blocks(row, memories, now, most=_MOST_OF_SEVERAL) if len(memories) > 1 else whole

    def _take_texts(self, row: TidyRow, texts: tuple[list[list[Block]], list[list[Block]]]) -> None:
        self._texts_of, (self._texts, self._brief_texts) = row.ids, texts
        if row == self._found.current:
            self._show_finding(row)

    def _show_finding(self, row: TidyRow | None) -> None:
        """Show a finding; two texts stand beside each other where there is room for it."""
        self._detail.set_title(f"Finding ─ {NAMES[row.finding]}" if row is not None else "Finding")
        texts = self._texts if row is not None and row.ids == self._texts_of else None
        beside = texts if texts is not None and self._fit_beside(texts) else None
        self.set_class(beside is not None, "-beside")
        if row is None:
            self._detail.show((), from_top=True)
        elif beside is not None:
            self._show_about(row, ())
        else:
            self._show_about(row, texts)
            # Where the whole texts have no room one below the other, their parts that differ have.
            if len(self._detail.plain_lines) > self._detail.size.height:
                self._show_about(row, self._brief_texts if texts is not None else None)
        rows = min(len(self._detail.plain_lines), _MOST_ABOUT) + 2
        self._detail.styles.height = "1fr" if beside is None else rows
        for place, (side, blocks) in enumerate(zip(self._sides, beside or (), strict=False)):
            side.set_title("AB"[place])
            side.show(blocks, from_top=True)

    def _fit_beside(self, texts: Sequence[Sequence[Block]]) -> bool:
        is_wide = not self.has_class("-narrow") and self._finding.size.width >= 2 * NARROWEST_SIDE
        return is_wide and len(texts) == len(self._sides)

    def _show_about(self, row: TidyRow, texts: Sequence[Sequence[Block]] | None) -> None:
        self._detail.show(row_blocks(row, texts, all_at_once=bool(self._sure(row))), from_top=True)

    # -- fixing -----------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        row = self._found.current
        if action.id == "tidy-again" and self._is_scanning and self._waited_for:
            return "The vault is already being scanned."
        if row is None:
            if action.owner != TIDY or action.id == "tidy-again":
                return super().why_not(action)
            if self._report is None:
                return _STILL_SCANNING if self._is_scanning else _NOTHING
            return _NOTHING if self._found.rows else CLEAN[0]
        return self._why_not_finding(action, row) or super().why_not(action)

    def _why_not_finding(self, action: Action, row: TidyRow) -> str | None:
        if action.id in {"tidy-edit", "tidy-retire", "tidy-keep"} and self.current_memory is None:
            return "This finding is about several memories; enter opens it."
        for identifier, findings, why in _ONLY_FOR:
            if action.id == identifier and row.finding not in findings:
                return why
        if action.id == "tidy-open" and row.finding == "lessons":
            return "n shows similar findings again."
        if action.id == "tidy-all" and not self._sure(row):
            if row.finding == "anchors":
                return "Nothing tells where these files are: enter removes one from Files, n lets it be missing."
            return "These cannot be fixed without a review; enter opens each."
        if action.id == "tidy-keep" and self._report is not None and row.memory in self._report.waiting:
            return "It waits in the inbox; it is accepted or rejected there."
        return None

    async def action_tidy_open(self) -> None:
        row = self._found.current
        if row is None:
            return
        if row.finding == "stale":
            await self.app.run_action("go('review')")
        elif row.finding == "duplicates":
            self._merge(row)
        elif row.finding == "ripe":
            self._conclude(row)
        elif row.finding == "contradictions":
            contradiction: Contradiction = row.subject
            show = partial(self._resolve, row)
            self.loader.read(lambda: self._tidying.pair(contradiction), show, group="pair")
        elif row.finding == "anchors" and row.subject.suggestion:
            self._re_anchor([row.subject])
        elif row.finding == "anchors":
            self._untie(row)
        elif row.memory is not None:
            self.editing.open_form(row.memory)

    def _merge(self, row: TidyRow) -> None:
        screen = MergeScreen(self.opening, row.subject.ids)
        self._fix_in(screen, row, lambda: screen.settled)

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
        """Tie memories to where their files moved, once that was looked at."""

        def follow(paths: Mapping[str, Mapping[str, str]]) -> None:
            self._take_out(*(row for row in self._found.rows if row.subject in anchors))
            self.do(lambda: self._tidying.re_anchor(paths))

        def ask(moves: Moves) -> None:
            if self.is_current:
                ask_to_follow(self.app, moves, lambda: follow(moves.paths))

        self.loader.read(lambda: self._tidying.look_at_moves(anchors), ask, group="moves")

    def _follow_all(self, anchors: Sequence[CheckedAnchor]) -> None:
        """Follow every moved file; where names alone tell of others, ask whether these are followed, too."""
        moved = [one for one in anchors if one.state == "moved"]
        if len(moved) in {0, len(anchors)}:
            self._re_anchor(anchors)
            return
        rest = len(anchors) - len(moved)
        ways = {
            f"the {counted(len(moved), 'file')} that moved": moved,
            f"also {rest:,} that may be elsewhere, by name": anchors,
        }
        choices = [(name, "") for name in ways]
        pick(self.app, "Follow files", choices, choices[0][0], lambda name: self._re_anchor(ways[name]))

    def _untie(self, row: TidyRow) -> None:
        """Take a file that is gone out of the Files of its memory, once that was looked at."""
        anchor: CheckedAnchor = row.subject
        if anchor.file:
            self.say(row.what_to_do(all_at_once=False), severity="warning")
            return

        def untie() -> None:
            self._take_out(row)
            self.do(lambda: self._tidying.untie(anchor))

        title = self._report.titles.get(anchor.id, "") if self._report is not None else ""
        title = f"{len(anchor.ids):,} memories" if anchor.others else title
        ask_to_untie(self.app, title, anchor.path, untie)

    def _sure(self, row: TidyRow) -> list[TidyRow]:
        """Return the findings of the same sort that are listed and can be fixed at once."""
        return [other for other in self._found.rows if other.finding == row.finding and _is_sure(other)]

    def action_tidy_all(self) -> None:
        """Fix every finding of this kind that is listed: exact copies, moved files, memories that were never used."""
        row = self._found.current
        if row is None:
            return
        alike = self._sure(row)
        if row.finding == "anchors":
            self._follow_all([other.subject for other in alike])
            return
        self._take_out(*alike)
        subjects = [other.subject for other in alike]
        if row.finding == "unused":
            self.do(lambda: self.memories.retire(subjects))
        else:
            self.do(lambda: self._tidying.merge_copies(subjects))

    def action_tidy_not(self) -> None:
        """Never suggest this finding again."""
        row = self._found.current
        if row is None:
            return
        self._take_out(row)
        subject = row.subject
        if row.finding == "anchors":
            self.do(lambda: self._tidying.let_be_gone(subject))
        elif row.finding == "lessons":
            self.do(lambda: self._tidying.unlearn(subject))
        else:
            self._dismissed = subject.ids
            self.do(lambda: self.memories.dismiss(row.finding, subject.ids))

    def action_tidy_not_any(self) -> None:
        """Never suggest this finding and those like it again, as one change."""
        row, report = self._found.current, self._report
        if row is None or report is None:
            return
        listed = {other.subject.ids for other in self._found.rows if other.finding == row.finding}
        found = {
            by: [ids for ids in report.alike(row.finding, row.subject.ids, by) if ids in listed] for by in ALIKENESSES
        }
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
        self.do(lambda: self.memories.dismiss(row.finding, *alike))

    def action_tidy_mend(self) -> None:
        """Mend the memory as it is offered; what only a person can shorten is opened."""
        row = self._found.current
        if row is None:
            return
        flaw: Flaw = row.subject
        if flaw.mend is Mend.EDIT:
            self.editing.open_form(row.memory)
            return
        self._take_out(row)
        self.do(lambda: self._tidying.mend(flaw))

    def action_tidy_edit(self) -> None:
        self.editing.open_form(self.current_memory)

    def _treat(self, act: Callable[[MemoryActs, Sequence[str]], Done]) -> None:
        """Retire the memory, or say "still true" of it, which leaves a file that is gone where it was."""
        row = self._found.current
        if row is None or row.memory is None:
            return
        memories = [row.memory]
        if row.finding == "anchors" and act is MemoryActs.verify:
            path = row.subject.path
            self.do(lambda: still_tied(act(self.memories, memories), path))
            return
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

    @on(PickList.Chosen, "#tidy-list")
    async def _open_clicked(self) -> None:
        await self.action_act("tidy-open")


def _is_sure(row: TidyRow) -> bool:
    """Return whether a finding can be fixed together with others: copies, the unused, files after a look at all."""
    if row.finding == "duplicates":
        return bool(row.subject.copies)
    return row.finding == "unused" or (row.finding == "anchors" and bool(row.subject.suggestion))
