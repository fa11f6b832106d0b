"""The Tidy screen's work on the vault, and its findings as rows and text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from memtui.analysis.contradictions import Contradiction
from memtui.analysis.dismissals import VERDICT_OF, Lesson
from memtui.analysis.duplicates import DuplicateGroup
from memtui.analysis.flaws import Flaw
from memtui.analysis.suggestions import RipeGroup
from memtui.curate.anchors import CheckedAnchor, re_anchor
from memtui.curate.mends import mend
from memtui.curate.resolutions import dismiss, keep_both, keep_one, merge_copies, parse_validity, unlearn
from memtui.curate.tidy import TidyCache, TidyOptions, tidy
from memtui.curate.tidy_report import TidyReport
from memtui.domain.memory import Memory
from memtui.errors import NotFoundError
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.memory_view import Block
from memtui.tui.values import Done
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.tui.widgets.lists import Cell, TextRow
from memtui.wording import outcomes, tidying

Progress = Callable[[str, int, int], None]  # Called with (stage, done, total); may raise `Cancelled`

Pair = tuple[Memory, Memory]


class TidyAccess:
    """Passes over a vault, of which all but the first examine only what changed, and the changes that fix a finding."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._opening = access.vault, access.opening
        self._cache: TidyCache | None = None

    def find(self, progress: Progress, *, anew: bool = False) -> TidyReport:
        """Return the findings; nothing is changed.

        `anew`: examine every memory, file and vector again.

        Raises `Cancelled`: raised by `progress`.
        """
        opening, reading = self._opening, self._access.read_vault
        cache = self._cache = self._cache or TidyCache(opening.context.encoding, opening.secret_patterns)
        if anew:
            cache.forget()
        with reading.read() as reader:
            view, model = self._access.view_of(reader), self._access.stored_model(reader)
        options = TidyOptions(
            scope=view.listing_scope,
            threshold=opening.threshold,
            tree=view.tree,
            model=model,
            secret_patterns=opening.secret_patterns,
            encoding=opening.context.encoding,
        )
        return tidy(reading, options, stage=lambda name: lambda done, total: progress(name, done, total), cache=cache)

    def pair(self, contradiction: Contradiction) -> Pair:
        """Return both memories of a contradiction. Raises `NotFoundError`: one no longer exists."""
        memories = self._access.memories(contradiction.ids)
        if len(memories) != 2:  # noqa: PLR2004 - a pair
            raise NotFoundError("One of the two memories no longer exists")
        return memories[0], memories[1]

    # -- fixing -----------------------------------------------------------------------------------

    def keep(self, contradiction: Contradiction, kept: Memory) -> Done:
        """Resolve a contradiction for one of the two, which supersedes the other."""
        self._opening.before_change()
        dropped = keep_one(self._vault, contradiction, kept.id, actor=self._opening.actor)
        return Done(outcomes.superseded(kept.title, dropped.title))

    def keep_both(self, contradiction: Contradiction, pair: Pair, places: Sequence[str]) -> Done:
        """Resolve a contradiction by saying where each of the two holds: paths, phases, words, as they were typed."""
        said = [(memory, place) for memory, place in zip(pair, places, strict=True) if place.strip()]
        self._opening.before_change()
        keep_both(
            self._vault,
            contradiction,
            {memory.id: parse_validity(place) for memory, place in said},
            actor=self._opening.actor,
            secret_patterns=self._opening.secret_patterns,
        )
        return Done(outcomes.both_kept([(memory.title, place) for memory, place in said]))

    def dismiss(self, finding: str, *groups: Iterable[str]) -> Done:
        """Never suggest a finding about these groups of memories again, until a text changes."""
        self._opening.before_change()
        dismiss(self._vault, VERDICT_OF[finding], *groups, actor=self._opening.actor)
        return Done(outcomes.dismissed(tidying.DISMISSED[finding], len(groups)))

    def unlearn(self, lesson: Lesson) -> Done:
        """Propose again what is like dismissed ones."""
        self._opening.before_change()
        unlearn(self._vault, lesson, actor=self._opening.actor)
        return Done(tidying.unlearned(lesson))

    def mend(self, flaw: Flaw) -> Done:
        """Mend a memory as it is offered, as one undoable change."""
        self._opening.before_change()
        return Done(tidying.mended(mend(self._vault, flaw, actor=self._opening.actor)))

    def merge_copies(self, groups: Sequence[DuplicateGroup]) -> Done:
        """Merge every group of exact copies, each as one undoable change."""
        self._opening.before_change()
        result = merge_copies(self._vault, groups, actor=self._opening.actor)
        return Done(outcomes.copies_merged(result), changed=bool(result.merged))

    def re_anchor(self, anchors: Iterable[CheckedAnchor]) -> Done:
        """Tie memories to where their files moved, as one undoable change."""
        moves: dict[str, dict[str, str]] = {}
        for anchor in anchors:
            if anchor.suggestion:
                moves.setdefault(anchor.id, {})[anchor.path] = anchor.suggestion
        act = MemoryActs(self._access)
        return act.change(lambda: re_anchor(self._vault, moves, actor=self._opening.actor), "Re-anchored")


NAMES = {
    "duplicates": "Duplicates",
    "contradictions": "Contradictions",
    "anchors": "Dead anchors",
    "stale": "Due for review",
    "oversized": "Oversized",
    "vague": "Vague",
    "fragments": "Fragments",
    "secrets": "Secrets",
    "unconfirmed": "Unconfirmed",
    "unused": "Never used",
    "ripe": "Ripe for a conclusion",
    "lessons": "Not shown",
}

WHAT_TO_DO = {
    "duplicates": "enter merges them field by field · n no duplicates, N nor any like them · a merges all copies",
    "contradictions": "enter resolves it: A, B, both, or none · n no contradiction, N nor any like it",
    "anchors": "enter follows the file to its new place · a follows every moved file",
    "stale": "enter goes through them in Review",
    "oversized": "More than 400 tokens crowd out others: m splits it where it can, e shortens it · n it is fine",
    "vague": "e says what to do and where, m retires it · n it is fine",
    "fragments": "m mends it as offered, e edits it · n it is fine",
    "secrets": "It contains what looks like a secret: e removes it; rotate it; memtui purge erases it for good.",
    "unconfirmed": "Nobody accepted it: enter opens the inbox.",
    "ripe": "enter writes one conclusion from them · n no common conclusion",
    "lessons": "n shows what is like them again; what you dismissed stays dismissed",
    "unused": "No payload included it for 90 days: Y keeps it, x retires it, a retires them all.",
}

_NOTE_CELLS = 18
_NOTE_FROM = 34


@dataclass(frozen=True, slots=True)
class TidyRow:
    """One finding."""

    finding: str  # its kind, a key of `NAMES`
    text: str
    note: str  # a word at the right
    subject: Any  # what it is about: a group, a pair, an anchor, or the id of a memory
    memory: str | None = None  # the memory that it is about, None where there are several
    is_loud: bool = False  # whether the note is a warning
    describe: Callable[[], list[Block]] = field(default=list, compare=False)  # returns the finding in full


def rows_of(report: TidyReport) -> list[TidyRow | TextRow]:
    """Return the findings under their headings; what is due is one line, as Review goes through it."""
    lines: list[TidyRow | TextRow] = []
    for finding, name in NAMES.items():
        found = getattr(report, finding)
        if finding == "lessons":
            found = [number for _, number in found if number]
        if found:
            lines.append(TextRow(f"{name}  {_size(report, finding):,}", note=_mass(report, finding)))
            lines += _ROWS.get(finding, _memory_rows)(report, finding)
    return lines


def _size(report: TidyReport, finding: str) -> int:
    return len(report.hidden) if finding == "lessons" else len(getattr(report, finding))


def _mass(report: TidyReport, finding: str) -> str:
    if finding == "lessons":
        return "like what you dismissed"
    return f"{report.token_mass(finding):,} tokens" + (" to save" if finding == "duplicates" else "")


def row_cells(row: TidyRow, _: int) -> list[Cell]:
    return [
        Cell(row.text, "base", before=2, after=1),
        Cell(row.note, "warning" if row.is_loud else "dim", _NOTE_CELLS, since=_NOTE_FROM, right=True),
    ]


def row_blocks(row: TidyRow) -> list[Block]:
    """Return a finding in full, and what to do about it."""
    return [
        Block(((NAMES[row.finding], "title"),)),
        *row.describe(),
        Block(((WHAT_TO_DO[row.finding], "dim"),), gap=True),
    ]


def _memory_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for identifier in getattr(report, finding):
        title = report.titles[identifier]
        yield TidyRow(
            finding,
            tame(title, 120),
            f"{report.tokens[identifier]:,} t",
            identifier,
            memory=identifier,
            describe=partial(_title_block, title),
        )


def _flaw_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for identifier in getattr(report, finding):
        flaw, title = report.flaws[identifier], tame(report.titles[identifier], 120)
        note = f"{report.tokens[identifier]:,} t" if finding == "oversized" else flaw.mend
        describe = partial(_flaw_blocks, report.titles, flaw)
        yield TidyRow(finding, title, note, flaw, memory=identifier, describe=describe)


def _flaw_blocks(titles: Mapping[str, str], flaw: Flaw) -> list[Block]:
    blocks = [*_title_block(titles[flaw.id]), Block(((tidying.flaw_words(flaw), "warning"),), gap=True)]
    offer = f"Offered: {tidying.mend_words(flaw)}"
    blocks.append(Block(((offer, "text"),), gap=True))
    if flaw.other in titles:
        blocks.append(Block(((tame(titles[flaw.other], 300), "dim"),), label=" "))
    return blocks


def _lesson_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for lesson, number in report.lessons:
        if number:
            text = tidying.lesson_words(lesson, number)
            yield TidyRow(finding, text, "", lesson, describe=partial(_title_block, text))


def _title_block(title: str) -> list[Block]:
    return [Block(((tame(title, 300), "text"),), gap=True)]


def _due_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    yield TidyRow(finding, counted(len(report.stale), "memory waits", "memories wait"), "r review", "")


def _duplicate_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for group in report.duplicates:
        note = "copies" if group.copies else "please check" if group.pile == "look" else group.pile
        describe, is_loud = partial(_group_blocks, report.titles, group), note == "please check"
        yield TidyRow(finding, _group_text(report, group), note, group, is_loud=is_loud, describe=describe)


def _ripe_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for group in report.ripe:
        describe = partial(_ripe_blocks, report.titles, group)
        yield TidyRow(finding, _group_text(report, group), "conclude", group, describe=describe)


def _group_text(report: TidyReport, group: DuplicateGroup | RipeGroup) -> str:
    return f"{len(group.ids)} × {tame(report.titles[group.ids[0]], 120)}"


def _member_blocks(titles: Mapping[str, str], group: DuplicateGroup | RipeGroup) -> list[Block]:
    return [
        Block(((tame(titles[identifier], 300), "text"),), label=chr(65 + place % 26), gap=not place)
        for place, identifier in enumerate(group.ids)
    ]


def _group_blocks(titles: Mapping[str, str], group: DuplicateGroup) -> list[Block]:
    warnings = [Block(((f"! {tame(said)}", "warning"),), gap=not at) for at, said in enumerate(group.warnings)]
    return [*_member_blocks(titles, group), *warnings, Block(((tame(group.why), "dim"),), gap=True)]


def _ripe_blocks(titles: Mapping[str, str], group: RipeGroup) -> list[Block]:
    return [*_member_blocks(titles, group), Block(((tame(group.why, 300), "dim"),), gap=True)]


def _contradiction_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for found in report.contradictions:
        describe = partial(_contradiction_blocks, report.titles, found)
        yield TidyRow(finding, tame(found.why, 160), found.type, found, is_loud=True, describe=describe)


def _contradiction_blocks(titles: Mapping[str, str], found: Contradiction) -> list[Block]:
    blocks: list[Block] = []
    for label, identifier, claim, words in zip("AB", found.ids, found.claims, found.words, strict=True):
        blocks.append(Block(((tame(titles[identifier], 300), "dim"),), label=label, gap=True))
        blocks.append(Block(((tame(claim), "text"),), label=" "))
        if words:
            blocks.append(Block(((f"[{tame(words)}]", "warning"),), label=" "))
        if identifier == found.winner:
            blocks.append(Block((("newer, or replaced the other", "dim"),), label=" "))
    return blocks


def _anchor_rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    for anchor in report.anchors:
        to = f" → {tame(anchor.suggestion, 80)}" if anchor.suggestion else ""
        text = f"{tame(anchor.path, 80)}{to}"
        describe = partial(_anchor_blocks, report.titles.get(anchor.id, ""), text, anchor)
        is_loud = anchor.state == "gone"
        yield TidyRow(finding, text, anchor.state, anchor, memory=anchor.id, is_loud=is_loud, describe=describe)


def _anchor_blocks(title: str, text: str, anchor: CheckedAnchor) -> list[Block]:
    return [*_title_block(title), Block(((text, "path"), (f"  {anchor.state}", "warning")), gap=True)]


_ROWS: dict[str, Callable[[TidyReport, str], Iterator[TidyRow]]] = {
    "duplicates": _duplicate_rows,
    "contradictions": _contradiction_rows,
    "anchors": _anchor_rows,
    "stale": _due_rows,
    "oversized": _flaw_rows,
    "vague": _flaw_rows,
    "fragments": _flaw_rows,
    "lessons": _lesson_rows,
    "ripe": _ripe_rows,
}
