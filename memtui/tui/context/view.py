"""The payload and the budget of the Context screen, as lines and panes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.domain.memory import Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.pack.budget import DETAIL_WORDS
from memtui.pack.build import Pack
from memtui.pack.grounds import grounds
from memtui.recall.result import Hit
from memtui.text.sanitize import tame
from memtui.text.words import counted, percent, some_of
from memtui.tui.context.queries import Answer, Since
from memtui.tui.memory_view import MARK_PINNED, freshness_bar
from memtui.tui.styled_text import Block, Piece, StyleName
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.memory_list import KIND_CELLS, short_kind
from memtui.tui.widgets.row_list import RowList, TextRow
from memtui.wording.chances import apart_from_score, chance_words, grounds_words, limits_words
from memtui.wording.reasons import (
    contradiction_words,
    contradictions_count,
    counts_words,
    doubt_in_brief,
    explained,
    explanation,
    partial_in_brief,
    sentence,
    with_titles,
)

State = Literal["in", "put in", "left out", "withheld"]

_MARKS: Mapping[State, str] = {"in": "✓", "put in": "+", "left out": "·", "withheld": "−"}
_TEN = 10.0
_OTHERS = TextRow("Not in it, and why")
_UNNAMED = TextRow("Those counted above, by title")
_COUNTED = "counted above with others; `memtui why ID TASK` tells its own reason"
_MOST_NAMED = 3  # Titles of memories that came or went with another
_MANY_ALIKE = 3  # Rows with the same reason, from which it is said once


# -- the ranked list -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A memory that is in the payload or could be."""

    id: str
    title: str
    state: State  # `in` by its rank, `put in` or `left out` by a person, `withheld` for the reason
    score: float  # as recalled; of what is withheld its nearness to the task
    reason: str  # why it is in, or why not
    kind: str = ""
    tokens: int | None = None  # of its text in the payload, None where it is not in it
    pinned: bool = False  # unknown for what is withheld
    share: float = 0.0  # its chance, else its score, as a share of the best one
    chance: float | None = None  # that it matters for the task, None where that was not judged
    is_judged: bool = False  # whether the chances of others in the list are known
    is_told: bool = False  # whether a line above says the reason, for several at once
    says_state: bool = False  # whether the reason says by itself that it is in, put in or left out

    @property
    def is_in(self) -> bool:
        return self.tokens is not None


def ranked_lines(answer: Answer) -> list[RankedRow | TextRow]:
    """Return the ranked memories, below them what is withheld, contradictions, and counts of the rest."""
    ranked, withheld, rest = ranked_rows(answer.pack), withheld_rows(answer.pack), rest_lines(answer)
    lines: list[RankedRow | TextRow] = [*ranked]
    if withheld or rest:
        lines += [*([TextRow("")] if ranked else []), _OTHERS, *_by_reason(withheld)]
    lines += [TextRow(f"  {line}", "dim") for line in rest]
    unnamed = unnamed_rows(answer)
    return [*lines, *([TextRow(""), replace(_UNNAMED, count=f"{len(unnamed):,}")] if unnamed else []), *unnamed]


def unnamed_rows(answer: Answer) -> list[RankedRow]:
    """Return the memories in use that the pack does not name, by title: whoever wants one of them puts it in."""
    return [
        RankedRow(identifier, tame(title) or identifier, "withheld", 0.0, _COUNTED, is_told=True)
        for identifier, title in answer.unnamed
    ]


class RankedList(RowList[RankedRow]):
    """The ranked memories over those that are not in the payload."""

    def beside(self, row: RankedRow) -> str:
        """Return the id of the row to go to when a memory is put in, the next one that is not in; else its own."""
        others = [each.id for each in self.rows if each.state == "withheld"]
        if row.id not in others:
            return row.id
        place = others.index(row.id)
        return next(iter(others[place + 1 : place + 2] or others[:place][-1:]), row.id)

    def move_to_end(self, *, last: bool) -> None:
        """Move to the first line or the last; down first to where the memories begin that are not in the payload.

        From the last memory of the payload that would be a single step, so there it goes to the last of these that has
        a reason of its own, and then to the last line.
        """
        lines = self._lines
        withheld = (place for place, row in enumerate(lines) if isinstance(row, RankedRow) and row.state == "withheld")
        first = next(withheld, -1)
        if not last or self.nearest(first - 1, -1) <= self.cursor:
            end = self._last_with_reason
            if last and end > self.cursor:
                self.cursor = end
            else:
                super().move_to_end(last=last)
            return
        self.cursor = first
        heading = max(place for place, row in enumerate(lines[:first]) if row == _OTHERS)
        self.scroll_to(y=heading, animate=False)

    @property
    def _last_with_reason(self) -> int:
        """The place of the last memory above those that are only counted, -1 where none are listed."""
        heads = (
            place for place, row in enumerate(self._lines) if isinstance(row, TextRow) and row.text == _UNNAMED.text
        )
        return self.nearest(next(heads, 0) - 1, -1)


def _by_reason(rows: Iterable[RankedRow]) -> Iterator[RankedRow | TextRow]:
    """Yield rows with a reason of their own, then those of a reason that many share, which is said once over them."""
    alike: dict[str, list[RankedRow]] = {}
    for row in rows:
        alike.setdefault(row.reason, []).append(row)
    yield from (row for found in alike.values() if len(found) < _MANY_ALIKE for row in found)
    for reason, found in alike.items():
        if len(found) >= _MANY_ALIKE:
            yield TextRow(f"  {reason}", "kind", count=str(len(found)))
            yield from (replace(row, is_told=True) for row in found)


def ranked_rows(pack: Pack) -> list[RankedRow]:
    """Return what is in the payload and what a person left out of it, pins first, then by chance, else by score."""
    titles = _titles(pack)
    rows = [
        _row(one.memory, one.hit, one.tokens, titles) for one in pack.included
    ]  # the memory as it went in: it may be masked
    rows += [_row(hit.memory, hit, None, titles) for hit in pack.left_out]
    judged = bool(pack.chances)
    rows = [replace(row, chance=pack.chances.get(row.id), is_judged=judged) for row in rows]
    # What was not judged where others were, such as what a person put in, comes after them.
    heights = {row.id: (row.chance or 0.0) if pack.chances else row.score for row in rows}
    best = max(heights.values(), default=0.0) or 1.0
    rows = [replace(row, share=heights[row.id] / best) for row in rows]
    return sorted(rows, key=lambda row: (not row.pinned, -heights[row.id], -row.score, row.id))


def _row(memory: Memory, hit: Hit, tokens: int | None, titles: Mapping[str, str]) -> RankedRow:
    return RankedRow(
        id=memory.id,
        title=tame(memory.title) or tame(memory.insight),
        state="left out" if tokens is None else "put in" if hit.is_put_in else "in",
        score=hit.score,
        reason=sentence(Reason(ReasonCode.LEFT_OUT)) if tokens is None else _why(hit, titles),
        says_state=tokens is None or any(each.code in _SAY_STATE for each in hit.reasons[:1]),
        kind=tame(memory.kind),
        tokens=tokens,
        pinned=memory.pinned,
    )


_SAY_STATE = frozenset({ReasonCode.LEFT_OUT, ReasonCode.PUT_IN, ReasonCode.SAME_PROJECT})
"""Reasons that begin with the state: `put in by you`."""


def withheld_rows(pack: Pack) -> list[RankedRow]:
    """Return what is withheld, the nearest first, without what a person left out: that is among the ranked."""
    left_out = {hit.memory.id for hit in pack.left_out}
    titles = _titles(pack)
    return [
        RankedRow(one.id, tame(one.title) or one.id, "withheld", one.nearness, _named(one.reason, titles))
        for one in pack.withheld
        if one.id not in left_out
    ]


def _titles(pack: Pack) -> dict[str, str]:
    """Return the titles of the memories that a payload came of, by id."""
    withheld = {one.id: tame(one.title, 60) for one in pack.withheld}
    return withheld | {one.memory.id: tame(one.memory.title, 60) for one in pack.included}


def _why(hit: Hit, titles: Mapping[str, str]) -> str:
    """Return why a memory was recalled, other memories by their titles."""
    return "; ".join(_named(reason, titles) for reason in hit.reasons)


def _named(reason: Reason, titles: Mapping[str, str]) -> str:
    return tame(sentence(with_titles(reason, titles)))


def _height(row: RankedRow) -> str:
    """Return what a memory stands in the list by: its chance, else its score, which is no number among chances."""
    if row.chance is not None:
        return percent(row.chance)
    if row.is_judged:
        return "–"
    return f"{row.score:.2f}" if row.score < _TEN else f"{row.score:.1f}"


def rest_lines(answer: Answer) -> list[str]:
    """Return the contradictions in the payload, and how many other memories are withheld for which reason."""
    pack = answer.pack
    lines = [f"contradiction? {tame(contradiction_words(one))}" for one in answer.contradictions]
    lines += [f"and {number:,} more: {reason}" for reason, number in counts_words(_counts(answer)).items()]
    if pack.other_projects:
        lines.append(f"and {pack.other_projects:,} of other projects")
    return lines


def ranked_cells(row: RankedRow, width: int) -> list[Cell]:
    """Return a memory of the list: its state, kind, title, score and tokens, or why it is withheld."""
    mark = Cell(_MARKS[row.state], "good" if row.is_in else "dim", 2)
    if row.state == "withheld":
        why = 0 if row.is_told else max(1, int((width - 6) * 0.55))
        return [mark, Cell(row.title, "dim", before=2, at_word=True), Cell(row.reason, "kind", why, before=1)]
    base, kind, bar = ("base", "kind", "bar") if row.is_in else ("dim", "dim", "dim")
    return [
        mark,
        Cell(MARK_PINNED if row.pinned else "", "mark", 2),
        Cell(short_kind(row.kind), kind, KIND_CELLS, since=46, after=1),
        Cell(row.title, base, after=1),
        Cell(freshness_bar(row.share, 3), bar, 3, since=54, after=1),
        Cell(_height(row), "dim", 4, right=True, after=1),
        Cell("out" if row.tokens is None else f"{row.tokens:,} t", base, 7, since=32, right=True),
    ]


# -- titles and notes ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Section:
    """Part of the payload's tokens: a kind of memories, or `frame` for headings and notes."""

    name: str
    tokens: int


def sections(pack: Pack) -> list[Section]:
    """Return the tokens of the payload by kind, the largest first, and of its frame; they add up to the payload."""
    found: dict[str, int] = {}
    for one in pack.included:
        found[tame(one.memory.kind)] = found.get(tame(one.memory.kind), 0) + one.tokens
    by_size = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    frame = [Section("frame", pack.frame_tokens)] if pack.payload else []
    return [*(Section(kind, tokens) for kind, tokens in by_size), *frame]


def tokens_left(pack: Pack) -> int | None:
    """Return the tokens left of the budget, None where it is in another unit."""
    return pack.budget.amount - pack.tokens_at_most if pack.budget.unit == "tokens" else None


def payload_title(pack: Pack) -> str:
    """Return how large the payload is, of what budget, counted how; with a margin, how large it is at most."""
    counter = pack.encoding if pack.exact else f"{pack.encoding}, at most"
    tokens = f"{pack.tokens:,}" + (f" (≤ {pack.tokens_at_most:,})" if pack.tokens_at_most > pack.tokens else "")
    if pack.budget.unit == "tokens":
        return f"{tokens} of {pack.budget.amount:,} tokens ({counter})"
    return f"{pack.size:,} of {pack.budget} · {tokens} tokens ({counter})"


def _counts(answer: Answer) -> Mapping[Reason, int]:
    """Return how many memories are withheld beside those that are named, by the reason."""
    counts = answer.pack.withheld_counts
    untied = Reason(ReasonCode.UNRELATED)
    return {**counts, untied: counts.get(untied, 0) + answer.untied} if answer.untied else counts


def counts_note(answer: Answer, key: str) -> str:
    """Return how many memories are in, how many were put in and left out by hand, and how many others there are.

    `key`: leads to the others, each with why it is not needed or has no room.
    """
    pack = answer.pack
    put_in = sum(one.hit.is_put_in for one in pack.included)
    parts = [counted(len(pack.included), "memory in", "memories in")]
    parts += [f"{put_in} added by you"] if put_in else []
    parts += [f"{len(pack.left_out)} left out by you"] if pack.left_out else []
    withheld = len(withheld_rows(pack)) + sum(_counts(answer).values())
    parts += [f"{key}: {counted(withheld, 'other')}, and why"] if withheld else []
    return " · ".join(parts)


def others_moved(before: Pack, after: Pack, ticked: str) -> str:
    """Return which other memories came into a payload or fell out of it with a tick, by their titles."""
    was, now = ({one.memory.id: one.memory for one in pack.included} for pack in (before, after))
    came = [_quoted(now[one]) for one in now if one not in was and one != ticked]
    fell = [_quoted(was[one]) for one in was if one not in now and one != ticked]
    parts = [f"also in: {some_of(came, _MOST_NAMED)}"] if came else []
    parts += [f"no longer in: {some_of(fell, _MOST_NAMED)}"] if fell else []
    return "; ".join(parts)


def _quoted(memory: Memory) -> str:
    return f"“{tame(memory.title or memory.insight, 60)}”"


def doubts(answer: Answer) -> tuple[Content, ...]:
    """Return what speaks against the payload, for the head; nothing where the task is well covered."""
    partial = partial_in_brief(answer.pack.without_vector, is_loading=answer.is_before_model)
    words = partial, doubt_in_brief(answer.pack)
    return tuple(Content.styled(one, "bold $memtui-due") for one in words if one)


def title_note(answer: Answer, now: datetime, me: str) -> str:
    """Return the note of the title: contradictions, what is allowed in, and what changed since the last pack.

    `me`: the actor whose packs are copies of the person's own.
    """
    ask, diff = answer.ask, answer.diff
    parts = [contradictions_count(answer.contradictions)] if answer.contradictions else []
    parts += ["standing payload: no task"] if not answer.has_task else []
    parts += ["with unconfirmed"] if ask.choices.unconfirmed else []
    parts += ["with what is loaded"] if ask.choices.with_loaded else []
    if diff is not None:
        counts = (("in", diff.added), ("out", diff.removed), ("changed", diff.changed))
        changes = ", ".join(f"{len(found)} {word}" for word, found in counts if found)
        since = f"since {_whose(diff.previous.actor, me)} {_at(diff.previous.made_at, now)}"
        unchanged = "recorded just now" if answer.just_used else f"unchanged {since}"
        parts.append(f"{since}: {changes}" if changes else unchanged)
    return " · ".join(parts)


def _whose(actor: str, me: str) -> str:
    return "your copy" if actor == me else f"the copy of {tame(actor, 20)}"


def _at(moment: datetime, now: datetime) -> str:
    """Return when something was, as a clock in the room shows it: `at 14:05` of today, else `of 29 Nov`."""
    here = moment.astimezone()
    return f"at {here:%H:%M}" if here.date() == now.astimezone().date() else f"of {here:%d %b}"


def empty_notice(pack: Pack, *, has_task: bool, waiting: int = 0) -> tuple[str, ...]:
    """Return why a payload is empty, and what to do. `waiting`: memories in the inbox."""
    reason = tame(sentence(pack.abstained)) if pack.abstained else "nothing fits"
    lines = [f"Nothing to say: {reason}."]
    if pack.budget.amount == 0 or (pack.abstained and pack.abstained.code is ReasonCode.NO_ROOM):
        return (*lines, "B changes the budget.")
    if has_task:
        lines.append("Other words or a file being edited may find more; an empty task gives the standing payload.")
    elif pack.other_projects:
        number = counted(pack.other_projects, "memory is", "memories are")
        lines.append(f"{number} in other projects, only in the payloads of those: esc, then @ switches the project.")
    else:
        lines.append("Add memories from the list (esc): a adds one, J imports rule files.")
    if pack.other_projects and has_task:
        number = counted(pack.other_projects, "memory of another project shares", "memories of other projects share")
        lines.append(f"{number} words with it: esc, then @ switches the project.")
    if waiting:
        waits = counted(waiting, "memory waits", "memories wait")
        is_listed = any(one.reason.code is ReasonCode.UNCONFIRMED for one in pack.withheld)
        also = "; space puts one in here" if is_listed else ""
        lines.append(f"{waits} in the inbox, left out of payloads until accepted: esc, then b goes there{also}.")
    return tuple(lines)


# -- cards ---------------------------------------------------------------------------------------------


def why_blocks(row: RankedRow, answer: Answer) -> list[Block]:
    """Return the explanation of a memory's score, or of why it is withheld."""
    hit = answer.hit(row.id)
    titles = _titles(answer.pack)
    withheld = {one.id: one.reason for one in answer.pack.withheld} if hit is None else {}
    against = withheld.get(row.id)
    blocks = [Block(((row.title, "title"),)), Block(((_in_full(row, answer, against, titles), "dim"),))]
    if hit is not None and row.chance is not None:
        apart = apart_from_score(grounds(answer.pack.features, row.id), hit.score)
        blocks += [Block(((apart, "dim"),))] if apart else []
    if against is not None and against.code is ReasonCode.TOO_FAR:
        blocks.append(Block(((limits_words(has_files=bool(answer.task.files)), "dim"),), gap=True))
    if hit is None:
        if against is not None and against.code is ReasonCode.PLANTED:
            blocks.append(Block((("Y verifies it, so that assistants receive it.", "dim"),)))
        return blocks
    rows = explanation(hit, titles)
    width = max(len(name) for name, _, _ in rows)
    for place, (name, detail, value) in enumerate(rows):
        strong: StyleName = "good" if name in {"relevance", "score"} else "text"
        label: Piece = (f"{name:<{width}}  ", "label")
        blocks.append(Block((label, (f"{value:>9}  ", strong), (tame(detail), "dim")), gap=place == 0))
    return blocks


def _in_full(row: RankedRow, answer: Answer, against: Reason | None, titles: Mapping[str, str]) -> str:
    """Return in one line why a memory is in a payload, or what is said against it, with its chance to matter."""
    reason = row.reason if against is None else tame(explained(with_titles(against, titles)))
    says_state = row.says_state if against is None else against.code in _SAY_STATE
    why = reason if says_state else f"{row.state}: {reason}"
    if row.chance is not None:
        is_said = against is not None and against.score == row.chance
        why += "" if is_said else f"; {chance_words(row.chance)}"
        told = grounds_words(grounds(answer.pack.features, row.id))
        why += f"; {told}" if told else ""
    details = [DETAIL_WORDS.get(one.detail) for one in answer.pack.included if one.memory.id == row.id]
    return why + "".join(f" ({words})" for words in details if words)


def since_blocks(since: Since) -> list[Block]:
    """Return which memories a payload has gained, lost and changed since the last one of its task."""
    diff = since.diff
    previous = diff.previous
    words = f"pack {previous.id} · {previous.made_at:%Y-%m-%d %H:%M} UTC · {previous.tokens:,} tokens"
    blocks = [Block((("Since this task was last copied", "title"),)), Block(((words, "dim"),))]
    groups: tuple[tuple[str, StyleName, Sequence[str]], ...] = (
        ("+ in now", "good", diff.added),
        ("− no longer in", "warning", diff.removed),
        ("~ changed", "label", diff.changed),
    )
    for heading, style, identifiers in groups:
        if identifiers:
            titles = [since.titles.get(one) or f"{tame(one, 40)} (gone)" for one in identifiers]
            blocks += [Block(((heading, style),), gap=True), *(Block(((f"  {title}", "text"),)) for title in titles)]
    if diff.is_empty:
        blocks.append(Block((("The same memories, all unchanged.", "text"),), gap=True))
    return blocks


_GAP = "   "
_BAR_CELLS = 6


class BudgetMeter(Widget):
    """One line: kinds with a bar and their tokens, the largest first; the shown numbers add up to the payload."""

    ALLOW_SELECT = False
    parts: reactive[Sequence[Section]] = reactive(())
    free: reactive[int | None] = reactive(None)  # Tokens left of the budget; None where it is in another unit

    def render(self) -> Content:
        if not self.parts:
            return Content("")
        tail = "" if self.free is None else f"{self.free:,} left"
        shown = list(self.parts)
        while len(shown) > 1 and self._line(shown, tail).cell_length > self.size.width:
            # The smallest sections share one figure, so that the sum still holds.
            last, before = shown[-1].tokens, shown[-2].tokens
            shown = [*shown[:-2], Section("other", last + before)]
        return self._line(shown, tail)

    def _line(self, parts: Sequence[Section], tail: str) -> Content:
        whole = sum(part.tokens for part in parts) + (self.free or 0) or 1
        found = []
        for part in parts:
            share = min(1.0, part.tokens / whole)
            cells = max(1, round(share * _BAR_CELLS * 2))
            bar = freshness_bar(min(1.0, share * _BAR_CELLS * 2 / cells), cells).strip() or "╸"
            found.append(Content.assemble((f"{part.name} ", "$memtui-dim"), (bar, "$memtui-bar"), f" {part.tokens:,}"))
        if tail:
            found.append(Content.styled(tail, "$memtui-dim"))
        return Content.assemble(" ", Content(_GAP).join(found))
