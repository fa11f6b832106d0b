"""Findings of a tidy pass as rows, and one in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment

from memtui.tui.memory_view import Block
from memtui.tui.text_layout import counted, fit, tame
from memtui.tui.widgets.lists import Paint, PickList

if TYPE_CHECKING:
    from memtui.analysis.contradictions import Contradiction
    from memtui.analysis.duplicates import DuplicateGroup
    from memtui.analysis.suggestions import RipeGroup
    from memtui.curate.anchors import CheckedAnchor
    from memtui.curate.tidy import TidyReport

NAMES = {
    "duplicates": "Duplicates",
    "contradictions": "Contradictions",
    "anchors": "Dead anchors",
    "stale": "Due for review",
    "oversized": "Oversized",
    "vague": "Vague",
    "secrets": "Secrets",
    "unconfirmed": "Unconfirmed",
    "unused": "Never used",
    "ripe": "Ripe for a conclusion",
}

WHAT_TO_DO = {
    "duplicates": "enter merges them field by field · n they are none · a merges every exact copy",
    "contradictions": "enter settles it: A, B, both, or none · n it is none",
    "anchors": "enter ties it to the new place · a does so for every moved file",
    "stale": "enter goes through them in Review",
    "oversized": "More than 400 tokens crowd out others: e shortens it, or split it in two.",
    "vague": "It holds no fact: e says what to do and where, x retires it.",
    "secrets": "It holds what looks like a secret: e takes it out; rotate it; memtui purge erases it for good.",
    "unconfirmed": "Nobody accepted it: enter goes to the inbox.",
    "ripe": "enter writes one conclusion beside them · n there is none",
    "unused": "No payload took it for 90 days: y keeps it, x retires it, a retires them all.",
}


@dataclass(frozen=True, slots=True)
class TidyRow:
    """One line.

    Attributes:
        note: a word at the right.
        subject: what the line is about: a group, a ripe group, a pair, an anchor or an id; None for a heading.
    """

    finding: str
    text: str
    note: str = ""
    subject: DuplicateGroup | RipeGroup | Contradiction | CheckedAnchor | str | None = None


def rows_of(report: TidyReport) -> list[TidyRow]:
    """Return the findings under their headings; what is due is one line, as Review goes through it."""
    rows: list[TidyRow] = []
    for finding, name in NAMES.items():
        found = getattr(report, finding)
        if found:
            mass = f"{report.token_mass(finding):,} tokens" + (" to save" if finding == "duplicates" else "")
            rows.append(TidyRow(finding, f"{name}  {len(found):,}", mass))
            rows += _rows(report, finding)
    return rows


def _rows(report: TidyReport, finding: str) -> Iterator[TidyRow]:
    titles = report.titles
    if finding in {"duplicates", "ripe"}:
        for group in getattr(report, finding):
            sort = "conclude" if finding == "ripe" else "copies" if group.copies else group.pile
            yield TidyRow(finding, f"{len(group.ids)} × {tame(titles[group.ids[0]], 120)}", sort, group)
    elif finding == "contradictions":
        for contradiction in report.contradictions:
            yield TidyRow(finding, tame(contradiction.why, 160), contradiction.type, contradiction)
    elif finding == "anchors":
        for anchor in report.anchors:
            went = f" → {tame(anchor.suggestion, 80)}" if anchor.suggestion else ""
            yield TidyRow(finding, f"{tame(anchor.path, 80)}{went}", anchor.state, anchor)
    elif finding == "stale":
        yield TidyRow(finding, counted(len(report.stale), "memory waits", "memories wait"), "r review", "")
    else:
        for identifier in getattr(report, finding):
            yield TidyRow(finding, tame(titles[identifier], 120), f"{report.tokens[identifier]:,} t", identifier)


def row_blocks(report: TidyReport, row: TidyRow) -> list[Block]:
    """Return a finding in full, and what to do about it."""
    blocks = [Block(((NAMES[row.finding], "title"),))]
    subject = row.subject
    if subject is None or isinstance(subject, str):
        title = report.titles.get(subject or "", "")
        blocks += [Block(((tame(title, 300), "text"),), gap=True)] if title else []
    elif row.finding in {"duplicates", "ripe"}:
        ids = subject.ids  # type: ignore[union-attr] # a group
        for place, identifier in enumerate(ids):
            blocks.append(
                Block(((tame(report.titles[identifier], 300), "text"),), label=chr(65 + place % 26), gap=not place)
            )
        if row.finding == "ripe":
            blocks.append(Block(((tame(subject.why, 300), "dim"),), gap=True))  # type: ignore[union-attr] # a ripe group
        said = subject.warnings if row.finding == "duplicates" else ()  # type: ignore[union-attr] # a group
        blocks += [Block(((f"! {tame(warning)}", "warning"),), gap=at == 0) for at, warning in enumerate(said)]
    elif row.finding == "contradictions":
        words, claims = subject.words, subject.claims  # type: ignore[union-attr] # a contradiction
        for place in (0, 1):
            label = "AB"[place]
            blocks.append(Block(((tame(report.titles[subject.ids[place]], 300), "dim"),), label=label, gap=True))  # type: ignore[union-attr] # a contradiction
            blocks.append(Block(((tame(claims[place]), "text"),), label=" "))
            if words[place]:
                blocks.append(Block(((f"[{tame(words[place])}]", "warning"),), label=" "))
    else:
        blocks.append(Block(((tame(report.titles.get(subject.id, ""), 300), "text"),), gap=True))  # type: ignore[union-attr] # an anchor
        blocks.append(Block(((row.text, "path"), (f"  {row.note}", "warning")), gap=True))
    blocks.append(Block(((WHAT_TO_DO[row.finding], "dim"),), gap=True))
    return blocks


_NOTE_CELLS = 18
_NOTE_FROM = 34


class TidyList(PickList):
    """Lines of findings; headings are passed over."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._rows: tuple[TidyRow, ...] = ()

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self._rows)

    @property
    def current(self) -> TidyRow | None:
        """The finding under the cursor."""
        return self._rows[self.cursor] if self.has_current else None

    def show(self, rows: Sequence[TidyRow], notice: Sequence[str] = ()) -> None:
        """Show these findings; the cursor keeps its place."""
        self._rows = tuple(rows)
        self.rows_changed(None, notice)

    def selectable(self, index: int) -> bool:
        """Return whether a line is a finding."""
        return self._rows[index].subject is not None

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a line in that many cells."""
        row = self._rows[index]
        note = _NOTE_CELLS if width >= _NOTE_FROM else 0
        is_heading = row.subject is None
        text = fit(row.text if is_heading else f"  {row.text}", max(1, width - note - 1))
        loud = row.note in {"look", "gone"} or row.finding == "contradictions"
        return [
            Segment(text, paint["heading" if is_heading else "base"]),
            Segment(" ", paint["base"]),
            Segment(fit(row.note, note, right=True), paint["warning" if loud and not is_heading else "dim"]),
        ]
