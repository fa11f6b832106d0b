"""A pack as rows: included, left out by a person, withheld."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from textual.message import Message

from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import MemtuiError
from memtui.tui.memory_view import Block, Piece, StyleName
from memtui.tui.text_layout import counted, tame
from memtui.wording.reasons import counts_words, hit_words, sentence

if TYPE_CHECKING:
    from memtui.pack.build import Pack
    from memtui.recall.result import Hit
    from memtui.tui.context.queries import Answer, Since
    from memtui.tui.values import Detail
    from memtui.vault.packs import Recipe


@dataclass
class Answered(Message):
    """A payload was made."""

    answer: Answer
    ticket: int


@dataclass
class NotAnswered(Message):
    """No payload could be made."""

    error: MemtuiError
    ticket: int


@dataclass
class FilesKnown(Message):
    """The names that complete the line of files are here."""

    names: Sequence[str]


@dataclass
class MemoryRead(Message):
    """A memory was read in full; None if it is gone."""

    detail: Detail | None


@dataclass
class FileWritten(Message):
    """A payload was written, or was not."""

    outcome: Path | MemtuiError
    answer: Answer


@dataclass
class RecipesRead(Message):
    """The recipes were read.

    Attributes:
        name: of the recipe that is to be saved, empty where one is to be chosen.
    """

    recipes: Sequence[Recipe]
    name: str = ""


@dataclass
class SinceRead(Message):
    """What changed since the last pack of a task was read."""

    since: Since


@dataclass
class QuestionNoted(Message):
    """An evaluation question was noted, or was not."""

    outcome: Path | MemtuiError
    answer: Answer


State = Literal["in", "put in", "left out", "withheld"]


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A memory that is in the payload or could be.

    Attributes:
        title: one line, tamed, not yet clipped.
        state: `in` by its rank, `put in` or `left out` by a person, `withheld` with the reason.
        score: as recalled; for what is withheld its nearness to the task.
        tokens: of its text in the payload, None where it is not in it.
        reason: why it is in, or why not.
        pinned: whether it is pinned; unknown for what is withheld.
    """

    id: str
    title: str
    state: State
    score: float
    reason: str
    kind: str = ""
    tokens: int | None = None
    pinned: bool = False

    @property
    def is_in(self) -> bool:
        """Whether it is in the payload."""
        return self.tokens is not None


@dataclass(frozen=True, slots=True)
class Section:
    """Part of the payload's tokens.

    Attributes:
        name: a kind of memories, or `frame` for headings and notes.
    """

    name: str
    tokens: int


def ranked_rows(pack: Pack) -> list[RankedRow]:
    """Return what is in the payload and what a person left out of it, pins first, then by score."""
    rows = [
        RankedRow(
            id=one.memory.id,
            title=tame(one.memory.title) or tame(one.memory.insight),
            state="put in" if one.hit.is_put_in else "in",
            score=one.score,
            reason=hit_words(one.hit),
            kind=tame(one.memory.kind),
            tokens=one.tokens,
            pinned=one.memory.pinned,
        )
        for one in pack.included
    ]
    rows += [_left_out(hit) for hit in pack.left_out]
    return sorted(rows, key=lambda row: (not row.pinned, -row.score, row.id))


def _left_out(hit: Hit) -> RankedRow:
    memory = hit.memory
    title = tame(memory.title) or tame(memory.insight)
    return RankedRow(
        memory.id,
        title,
        "left out",
        hit.score,
        sentence(Reason(ReasonCode.LEFT_OUT)),
        kind=tame(memory.kind),
        pinned=memory.pinned,
    )


def withheld_rows(pack: Pack) -> list[RankedRow]:
    """Return what is withheld, the nearest first; what a person left out stands with the ranked."""
    left_out = {hit.memory.id for hit in pack.left_out}
    titles = {one.id: tame(one.title, 60) for one in pack.withheld} | {
        one.memory.id: tame(one.memory.title, 60) for one in pack.included
    }
    return [
        RankedRow(one.id, tame(one.title) or one.id, "withheld", one.nearness, _named(one.reason, titles))
        for one in pack.withheld
        if one.id not in left_out
    ]


def _named(reason: Reason, titles: dict[str, str]) -> str:
    """Return a reason with the title of the other memory for its id, where it is known."""
    title = titles.get(reason.other)
    return tame(sentence(replace(reason, other=f"“{title}”") if title else reason))


def rest_lines(answer: Answer) -> list[str]:
    """Return what contradicts each other in the payload, and what is withheld beyond the named, counted per reason."""
    from memtui.wording.payload import contradiction_words

    pack = answer.pack
    lines = [f"contradiction? {tame(contradiction_words(one))}" for one in answer.clashes]
    lines += [f"and {number:,} more: {reason}" for reason, number in counts_words(pack.withheld_counts).items()]
    if pack.other_projects:
        lines.append(f"and {pack.other_projects:,} of other projects")
    return lines


def sections(pack: Pack) -> list[Section]:
    """Return the tokens of the payload by kind, the largest first, and of its frame; together they are the whole."""
    found: dict[str, int] = {}
    for one in pack.included:
        found[tame(one.memory.kind)] = found.get(tame(one.memory.kind), 0) + one.tokens
    by_size = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    return [*(Section(kind, tokens) for kind, tokens in by_size), *_frame(pack)]


def _frame(pack: Pack) -> Iterator[Section]:
    if pack.payload:
        yield Section("frame", pack.frame_tokens)


def payload_title(pack: Pack) -> str:
    """Return how large the payload is, of what budget, counted how; with a margin, how large it is at most."""
    counter = pack.encoding if pack.exact else f"{pack.encoding}, at most"
    tokens = f"{pack.tokens:,}" + (f" (≤ {pack.tokens_at_most:,})" if pack.tokens_at_most > pack.tokens else "")
    if pack.budget.unit == "tokens":
        return f"{tokens} of {pack.budget.amount:,} tokens ({counter})"
    return f"{pack.size:,} of {pack.budget} · {tokens} tokens ({counter})"


def title_note(answer: Answer) -> str:
    """Return what the first line says of a payload: what it lets in besides, and what changed since the last one."""
    ask, diff = answer.ask, answer.diff
    parts = [_contradictions_count(answer)] if answer.clashes else []
    parts += ["standing payload: no task"] if not ask.text.strip() and not ask.files else []
    parts += ["with unconfirmed"] if ask.unconfirmed else []
    parts += ["with what is loaded"] if ask.with_loaded else []
    if diff is not None:
        counts = (("+", diff.added), ("−", diff.removed), ("~", diff.changed))
        changes = " ".join(f"{sign}{len(found)}" for sign, found in counts if found)
        parts.append(f"since {diff.previous.made_at:%d %b}: {changes or 'the same'}")
    return " · ".join(parts)


def _contradictions_count(answer: Answer) -> str:
    from memtui.wording.payload import contradictions_count

    return contradictions_count(answer.clashes)


def since_blocks(since: Since) -> list[Block]:
    """Return what a payload holds that the last one of its task did not, and the other way round."""
    diff = since.diff
    previous = diff.previous
    words = f"pack {previous.id} · {previous.made_at:%Y-%m-%d %H:%M} UTC · {previous.tokens:,} tokens"
    blocks = [Block((("Since this task was copied last", "title"),)), Block(((words, "dim"),))]
    groups: tuple[tuple[str, StyleName, tuple[str, ...]], ...] = (
        ("+ in now", "good", diff.added),
        ("− not in any more", "warning", diff.removed),
        ("~ changed", "label", diff.changed),
    )
    for heading, style, identifiers in groups:
        if identifiers:
            blocks.append(Block(((heading, style),), gap=True))
            blocks += [
                Block(((f"  {since.titles.get(one) or f'{tame(one, 40)} (gone)'}", "text"),)) for one in identifiers
            ]
    if diff.is_empty:
        blocks.append(Block((("The same memories, and none of them was changed.", "text"),), gap=True))
    return blocks


def tokens_left(pack: Pack) -> int | None:
    """Return the tokens left of the budget, None where it is counted in another unit."""
    return pack.budget.amount - pack.tokens_at_most if pack.budget.unit == "tokens" else None


def empty_notice(pack: Pack, *, has_task: bool) -> tuple[str, ...]:
    """Return what an empty payload says: why, and what to do."""
    reason = tame(sentence(pack.abstained)) if pack.abstained else "nothing fits"
    lines = [f"Nothing to say: {reason}."]
    if pack.budget.amount == 0 or (pack.abstained and pack.abstained.code is ReasonCode.NO_ROOM):
        return (*lines, "B changes the budget.")
    if has_task:
        lines.append("Other words or a file in hand may find more; an empty task gives the standing payload.")
    else:
        lines.append("Bring memories in from the list (esc): a adds one, : import reads rule files.")
    withheld = (*(one.reason for one in pack.withheld), *pack.withheld_counts)
    if any(reason.code is ReasonCode.UNCONFIRMED for reason in withheld):
        lines.append("Some wait in the inbox: accept them there, or put one in here with space.")
    return tuple(lines)


def why_blocks(row: RankedRow, hit: Hit | None) -> list[Block]:
    """Return the explanation of a memory's score, or of its being withheld."""
    blocks = [Block(((row.title, "title"),)), Block(((f"{row.state}: {row.reason}", "dim"),))]
    if hit is None:
        return [*blocks, Block(((f"nearness to the task {row.score:.3f}", "text"),), gap=True)]
    from memtui.wording.payload import explanation

    rows = explanation(hit)
    width = max(len(name) for name, _, _ in rows)
    for place, (name, detail, value) in enumerate(rows):
        strong: StyleName = "good" if name in {"relevance", "score"} else "text"
        label: Piece = (f"{name:<{width}}  ", "label")
        blocks.append(Block((label, (f"{value:>9}  ", strong), (tame(detail), "dim")), gap=place == 0))
    return blocks


def in_words(pack: Pack) -> str:
    """Return how many memories are in, and what was done by hand."""
    put_in = sum(one.hit.is_put_in for one in pack.included)
    parts = [counted(len(pack.included), "memory in", "memories in")]
    parts += [f"{put_in} put in by you"] if put_in else []
    parts += [f"{len(pack.left_out)} left out by you"] if pack.left_out else []
    return " · ".join(parts)
