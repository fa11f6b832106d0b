"""A payload as rows and lines: what is in it, what was left out, what is withheld and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memtui.domain.reasons import Reason, ReasonCode
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.memory_view import MARK_PINNED, Block, Piece, StyleName, freshness_bar
from memtui.tui.widgets.lists import Cell, TextRow
from memtui.wording.reasons import counts_words, hit_words, sentence

if TYPE_CHECKING:
    from memtui.domain.memory import Memory
    from memtui.pack.build import Pack
    from memtui.recall.result import Hit
    from memtui.tui.context.queries import Answer, Since

State = Literal["in", "put in", "left out", "withheld"]

_MARKS: Mapping[State, str] = {"in": "✓", "put in": "+", "left out": "·", "withheld": "−"}
_TEN = 10.0


# -- the ranked list -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A memory that is in the payload or could be.

    Attributes:
        state: `in` by its rank, `put in` or `left out` by a person, `withheld` for the reason.
        score: as recalled; of what is withheld its nearness to the task.
        reason: why it is in, or why not.
        tokens: of its text in the payload, None where it is not in it.
        pinned: unknown for what is withheld.
        share: score as a share of the best one.
    """

    id: str
    title: str
    state: State
    score: float
    reason: str
    kind: str = ""
    tokens: int | None = None
    pinned: bool = False
    share: float = 0.0

    @property
    def is_in(self) -> bool:
        """Whether it is in the payload."""
        return self.tokens is not None


def ranked_lines(answer: Answer) -> list[RankedRow | TextRow]:
    """Return the ranked memories, below them what is withheld, contradictions, and counts of the rest."""
    ranked, withheld, rest = ranked_rows(answer.pack), withheld_rows(answer.pack), rest_lines(answer)
    lines: list[RankedRow | TextRow] = [*ranked]
    if withheld or rest:
        lines += [*([TextRow("")] if ranked else []), TextRow("Withheld and why"), *withheld]
    return [*lines, *(TextRow(f"  {line}", "dim") for line in rest)]


def ranked_rows(pack: Pack) -> list[RankedRow]:
    """Return what is in the payload and what a person left out of it, pins first, then by score."""
    rows = [
        _row(one.memory, one.hit, one.tokens) for one in pack.included
    ]  # the memory as it went in: it may be masked
    rows += [_row(hit.memory, hit, None) for hit in pack.left_out]
    best = max((row.score for row in rows), default=0.0) or 1.0
    rows = [replace(row, share=row.score / best) for row in rows]
    return sorted(rows, key=lambda row: (not row.pinned, -row.score, row.id))


def _row(memory: Memory, hit: Hit, tokens: int | None) -> RankedRow:
    return RankedRow(
        id=memory.id,
        title=tame(memory.title) or tame(memory.insight),
        state="left out" if tokens is None else "put in" if hit.is_put_in else "in",
        score=hit.score,
        reason=sentence(Reason(ReasonCode.LEFT_OUT)) if tokens is None else hit_words(hit),
        kind=tame(memory.kind),
        tokens=tokens,
        pinned=memory.pinned,
    )


def withheld_rows(pack: Pack) -> list[RankedRow]:
    """Return what is withheld, the nearest first, without what a person left out: that is among the ranked."""
    left_out = {hit.memory.id for hit in pack.left_out}
    titles = {one.id: tame(one.title, 60) for one in pack.withheld} | {
        one.memory.id: tame(one.memory.title, 60) for one in pack.included
    }
    return [
        RankedRow(one.id, tame(one.title) or one.id, "withheld", one.nearness, _named(one.reason, titles))
        for one in pack.withheld
        if one.id not in left_out
    ]


def _named(reason: Reason, titles: Mapping[str, str]) -> str:
    """Return a reason with the title of the other memory for its id, where it is known."""
    title = titles.get(reason.other)
    return tame(sentence(replace(reason, other=f"“{title}”") if title else reason))


def rest_lines(answer: Answer) -> list[str]:
    """Return the contradictions in the payload, and how many other memories are withheld for which reason."""
    from memtui.wording.reasons import contradiction_words

    pack = answer.pack
    lines = [f"contradiction? {tame(contradiction_words(one))}" for one in answer.contradictions]
    lines += [f"and {number:,} more: {reason}" for reason, number in counts_words(pack.withheld_counts).items()]
    if pack.other_projects:
        lines.append(f"and {pack.other_projects:,} of other projects")
    return lines


def ranked_cells(row: RankedRow, width: int) -> list[Cell]:
    """Return a memory of the list: its state, kind, title, score and tokens, or why it is withheld."""
    mark = Cell(_MARKS[row.state], "good" if row.is_in else "dim", 2)
    if row.state == "withheld":
        return [
            mark,
            Cell(row.title, "dim", before=2, after=1),
            Cell(row.reason, "kind", max(1, int((width - 6) * 0.55))),
        ]
    base, kind, bar = ("base", "kind", "bar") if row.is_in else ("dim", "dim", "dim")
    return [
        mark,
        Cell(MARK_PINNED if row.pinned else "", "mark", 2),
        Cell(row.kind, kind, 12, since=46, after=1),
        Cell(row.title, base, after=1),
        Cell(freshness_bar(row.share, 3), bar, 3, since=56, after=1),
        Cell(f"{row.score:.2f}" if row.score < _TEN else f"{row.score:.1f}", "dim", 4, right=True, after=1),
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


def counts_note(pack: Pack) -> str:
    """Return how many memories are in, and how many were put in and left out by hand."""
    put_in = sum(one.hit.is_put_in for one in pack.included)
    parts = [counted(len(pack.included), "memory in", "memories in")]
    parts += [f"{put_in} put in by you"] if put_in else []
    parts += [f"{len(pack.left_out)} left out by you"] if pack.left_out else []
    return " · ".join(parts)


def title_note(answer: Answer) -> str:
    """Return the note of the title: contradictions, what is allowed in, and what changed since the last pack."""
    from memtui.wording.reasons import contradictions_count

    ask, diff = answer.ask, answer.diff
    parts = [contradictions_count(answer.contradictions)] if answer.contradictions else []
    parts += ["standing payload: no task"] if not ask.has_task else []
    parts += ["with unconfirmed"] if ask.choices.unconfirmed else []
    parts += ["with what is loaded"] if ask.choices.with_loaded else []
    if diff is not None:
        counts = (("+", diff.added), ("−", diff.removed), ("~", diff.changed))
        changes = " ".join(f"{sign}{len(found)}" for sign, found in counts if found)
        since = f"since {diff.previous.made_at:%d %b}"
        parts.append(f"{since}: {changes}" if changes else f"unchanged {since}")
    return " · ".join(parts)


def empty_notice(pack: Pack, *, has_task: bool) -> tuple[str, ...]:
    """Return why a payload is empty, and what to do."""
    reason = tame(sentence(pack.abstained)) if pack.abstained else "nothing fits"
    lines = [f"Nothing to say: {reason}."]
    if pack.budget.amount == 0 or (pack.abstained and pack.abstained.code is ReasonCode.NO_ROOM):
        return (*lines, "B changes the budget.")
    if has_task:
        lines.append("Other words or a file being edited may find more; an empty task gives the standing payload.")
    else:
        lines.append("Bring memories in from the list (esc): a adds one, : import reads rule files.")
    withheld = (*(one.reason for one in pack.withheld), *pack.withheld_counts)
    if any(reason.code is ReasonCode.UNCONFIRMED for reason in withheld):
        lines.append("Some wait in the inbox: accept them there, or put one in here with space.")
    return tuple(lines)


# -- cards ---------------------------------------------------------------------------------------------


def why_blocks(row: RankedRow, hit: Hit | None) -> list[Block]:
    """Return the explanation of a memory's score, or of why it is withheld."""
    why = row.reason if row.reason.startswith(row.state) else f"{row.state}: {row.reason}"
    blocks = [Block(((row.title, "title"),)), Block(((why, "dim"),))]
    if hit is None:
        return [*blocks, Block(((f"nearness to the task {row.score:.3f}", "text"),), gap=True)]
    from memtui.wording.reasons import explanation

    rows = explanation(hit)
    width = max(len(name) for name, _, _ in rows)
    for place, (name, detail, value) in enumerate(rows):
        strong: StyleName = "good" if name in {"relevance", "score"} else "text"
        label: Piece = (f"{name:<{width}}  ", "label")
        blocks.append(Block((label, (f"{value:>9}  ", strong), (tame(detail), "dim")), gap=place == 0))
    return blocks


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
