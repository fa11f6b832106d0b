"""A memory in full, and what is said of its age, dates and sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui.domain.freshness import REVIEW_THRESHOLD, UNTIL_CHANGE, review_pace
from memtui.domain.memory import DEFAULT_IMPORTANCE, LinkType, Memory, Source
from memtui.text.inline import unwrapped
from memtui.text.sanitize import reveal, tame
from memtui.text.words import bar, clip_path
from memtui.tui.styled_text import LONGEST_SHOWN, Block, Piece, StyleName, highlighted
from memtui.tui.values import Detail, Explained
from memtui.wording.checks import ALLOWED, anchor_state, at_commit

BAR_CELLS = 5
AGE_CELLS = 5
MARK_PINNED = "●"
MARK_DUE = "!"

_FAINTEST = 0.001  # A freshness that is drawn: none is nothing
_DAY_SECONDS = 86_400.0
_DAYS_SHOWN = 60
_MONTH_DAYS = 30.44
_MONTHS_SHOWN = 24


def days_between(earlier: datetime, later: datetime) -> float:
    """Return days from one moment to another, negative if it lies ahead."""
    return (later - earlier).total_seconds() / _DAY_SECONDS


def short_age(days: float) -> str:
    """Return an age in at most five cells where it is below a thousand years: today, 12 d, 5 mo, 3 y."""
    if days < 1:
        return "today"
    if days < _DAYS_SHOWN:
        return f"{int(days)} d"
    months = days / _MONTH_DAYS
    return f"{int(months)} mo" if months < _MONTHS_SHOWN else f"{int(months / 12)} y"


def ago(days: float) -> str:
    """Return when something was: today, 12 d ago."""
    return "today" if days < 1 else f"{short_age(days)} ago"


def freshness_bar(freshness: float, cells: int = BAR_CELLS) -> str:
    """Return a freshness as a bar, padded to its cells; never empty."""
    return bar(max(freshness, _FAINTEST), cells)


def describe(detail: Detail) -> list[Block]:
    """Return a memory in full, top to bottom."""
    memory = detail.view.memory
    blocks = [Block(((tame(memory.title, 1_000), "title"),)), Block(_standing(detail)), Block(_freshness(detail))]
    if memory.standing_words != memory.standing:
        blocks.append(Block(((tame(memory.status_reason), "warning"),)))
    if detail.held:
        blocks.append(Block(((detail.held, "warning"),)))
    if detail.explained is not None:
        blocks.append(Block(_score(detail.explained), gap=True))
    blocks += [Block(_long(memory.insight, memory.id), gap=True, markdown=True)]
    if memory.rationale:
        blocks.append(Block(_long(memory.rationale, memory.id), label="Why", gap=True, markdown=True))
    if memory.snippet:
        blocks.append(Block(_long(memory.snippet, memory.id, plain="code"), gap=True))
    blocks += _labelled(list(_rows(detail)))
    return blocks


def _long(text: str, identifier: str, *, plain: StyleName | None = None) -> tuple[Piece, ...]:
    shown = reveal(text[:LONGEST_SHOWN]).strip("\n").rstrip()
    pieces: tuple[Piece, ...] = highlighted(unwrapped(shown)) if plain is None else ((shown, plain),)
    if len(text) <= LONGEST_SHOWN:
        return pieces
    return (*pieces, (f"\n… {len(text) - LONGEST_SHOWN:,} more characters: memtui show {identifier}", "warning"))


def _score(explained: Explained) -> tuple[Piece, ...]:
    """Return the table of a score: each part, its contribution, its input."""
    asked = f"for “{tame(explained.query, 40)}”" if explained.query.strip() else "without a task"
    pieces: list[Piece] = [("Score ", "label"), (asked, "dim")]
    widest = max((len(name) for name, _, _ in explained.rows), default=0)
    for name, given, value in explained.rows:
        style: StyleName = "title" if value.startswith("=") else "text"
        pieces += [(f"\n{value:>7} {name.ljust(widest)}  ", style), (tame(given), "dim")]
    return tuple(pieces)


def _standing(detail: Detail) -> tuple[Piece, ...]:
    memory = detail.view.memory
    weighed = [] if memory.importance == DEFAULT_IMPORTANCE else [f"importance {memory.importance}"]
    text = " · ".join((tame(memory.kind), detail.view.tier, memory.standing, *weighed))
    return ((f"{MARK_PINNED} pinned ", "good"), (f"· {text}", "dim")) if memory.pinned else ((text, "dim"),)


def vouched(memory: Memory, now: datetime) -> str:
    """Return what a person last said of a memory: `verified 3 d ago`, `accepted 3 d ago`, `never verified`."""
    for word, moment in (("verified", memory.verified_at), ("accepted", memory.confirmed_at)):
        if moment is not None:
            return f"{word} {ago(days_between(moment, now))}"
    return "never verified"


def _freshness(detail: Detail) -> tuple[Piece, ...]:
    view, memory = detail.view, detail.view.memory
    is_due = memory.status == "active" and view.due_at is not None and view.due_at <= detail.now
    pieces: list[Piece] = [
        (freshness_bar(view.freshness), "warning" if is_due else "bar"),
        (" ", "dim"),
        (f"fresh {view.freshness:.2f} · {vouched(memory, detail.now)} ", "dim"),
    ]
    return (*pieces, ("· ", "dim"), (f"{MARK_DUE} due", "warning")) if is_due else tuple(pieces)


def due_words(memory: Memory, due: datetime | None, now: datetime) -> str:
    """Return when a memory is due for review: `due since 2026-03-04`, `due 2026-08-01, in 12 d`, `never due`.

    `due`: of `memtui.domain.freshness.due_at`, which alone says when.
    """
    when = _when_due(memory, due, now)
    return f"due {when}" if when else _never_due(memory)


def _when_due(memory: Memory, due: datetime | None, now: datetime) -> str:
    """Return what follows "due"; empty where it never is."""
    if due is None or due.year == UNTIL_CHANGE.year:
        return "once one of its files changes" if memory.snoozed_until == UNTIL_CHANGE else ""
    days = days_between(now, due)
    ahead = f", in {'a day' if days < 1 else short_age(days)}"
    return f"since {due:%Y-%m-%d}" if days <= 0 else f"{due:%Y-%m-%d}{ahead}"


def _never_due(memory: Memory) -> str:
    return "never due: pinned" if memory.pinned else "never due"


NO_LONGER_SAYS = "its source no longer states this"


def still_said(memory: Memory) -> str:
    """Return what a source still says of a memory that was edited or is out of use: `still says what is retired here`.

    Where it was edited, the source was compared with what was changed; what was only added is not told.
    """
    return f"still states what was {'changed' if memory.status in {'active', 'candidate'} else memory.standing} here"


def _labelled(rows: list[tuple[str, tuple[Piece, ...]]]) -> list[Block]:
    """Return rows as blocks; a label that repeats is said once, and the first row stands off."""
    blocks: list[Block] = []
    last = ""
    for label, pieces in rows:
        blocks.append(Block(pieces, label=" " if label == last else label, gap=not blocks))
        last = label
    return blocks


MOST_AT_COMMITS = 5  # Stopped commits and exceptions that are shown, the newest


def _rows(detail: Detail) -> Iterator[tuple[str, tuple[Piece, ...]]]:
    view, memory = detail.view, detail.view.memory
    yield "Project", ((tame(memory.project or "unassigned"), "text"),)
    for anchor in memory.anchors:
        state = view.anchor_states.get(anchor.path)
        style: StyleName = "warning" if state in {"changed", "moved", "gone"} else "dim"
        yield "Files", ((tame(anchor.path) + "  ", "text"), (anchor_state(anchor, state), style))
    if memory.tags:
        yield "Tags", ((tame(", ".join(memory.tags)), "text"),)
    for rule in memory.rules:
        yield "Rules", ((tame(rule), "code"),)
    for signal in view.at_commits[-MOST_AT_COMMITS:]:
        yield "Commits", ((tame(at_commit(signal)), "warning" if signal.signal == ALLOWED else "text"),)
    for number, near in enumerate(neighbours(detail), 1):
        yield "Links", ((f"{number} ", "label"), (f"{near.arrow} {near.type}  ", "dim"), (near.title, "text"))
    yield from _maybe(detail)
    for source in memory.sources:
        yield "Source", _source(source)
    if view.source_says_this:
        yield "Source", ((f"{MARK_DUE} source {still_said(memory)}  ", "warning"), ("o opens it", "dim"))
    if view.is_dropped:
        yield "Source", ((f"{MARK_DUE} {NO_LONGER_SAYS}", "warning"),)
    yield "Dates", ((_dates(memory), "text"),)
    yield from _record(detail)


def _record(detail: Detail) -> Iterator[tuple[str, tuple[Piece, ...]]]:
    """Return what happened to the memory, and what is due."""
    view, memory = detail.view, detail.view.memory
    for change in detail.changes:
        said: Piece = (f"{change.at:%Y-%m-%d} {tame(change.actor, 20)}  ", "dim")
        yield "History", (said, (tame(change.summary, 80), "text"))
    if memory.status == "active" and view.due_at is not None:
        words = _when_due(memory, view.due_at, detail.now) or _never_due(memory)
        yield "Due", ((words, "text"), (_why_later(detail), "dim"))
        if detail.explained is not None:
            from memtui.wording.reasons import pace_words  # What it needs is no part of the first picture

            if paced := pace_words(review_pace(memory)):
                yield "Due", ((f"waits {paced}", "dim"),)
    if memory.valid_from or memory.valid_until:
        yield "Valid", ((_valid(memory), "text"),)
    yield "Trust", ((_trust(memory), "text"),)
    yield "Id", ((f"{memory.id}  version {memory.version}", "dim"),)


def _trust(memory: Memory) -> str:
    """Return who vouches for a memory: accepting many at once is less than having verified this one."""
    if memory.verified_at is not None:
        return f"verified by {tame(memory.verified_by or 'a person')}"
    return f"accepted by {tame(memory.confirmed_by or 'a person')}" if memory.confirmed_at else "not accepted yet"


_TYPES = ("supersedes", "contradicts", "duplicates", "derived-from", "relates")
_MUTUAL = frozenset({"contradicts", "duplicates", "relates"})


def _why_later(detail: Detail) -> str:
    """Return why a memory that has faded is not due yet; empty where it has not, or is."""
    view, memory = detail.view, detail.view.memory
    is_later = view.due_at is not None and view.due_at > detail.now and memory.snoozed_until is None
    if not is_later or view.freshness >= REVIEW_THRESHOLD:
        return ""
    said = "verified" if memory.verified_at is not None else "accepted"
    return (
        f"  counted from when it was {said}; it is less fresh because its text is older" if memory.confirmed_at else ""
    )


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory that another is linked to."""

    id: str
    type: LinkType
    arrow: str  # `→` to it, `←` from it, `↔` where the link says the same of both
    title: str


def neighbours(detail: Detail) -> list[Neighbour]:
    """Return what a memory is linked to, by type; those that are gone are left out."""
    mine = detail.view.memory.id
    found = []
    for link in detail.view.links:
        away = link.from_id == mine
        other = link.to_id if away else link.from_id
        if other in detail.titles:
            arrow = "↔" if link.type in _MUTUAL else "→" if away else "←"
            found.append(Neighbour(other, link.type, arrow, detail.titles[other]))
    return sorted(found, key=lambda near: (_TYPES.index(near.type), near.arrow != "→"))


def _maybe(detail: Detail) -> Iterator[tuple[str, tuple[Piece, ...]]]:
    """Yield the links that are proposed, the one that the keys are for first, each with its reason."""
    mine = detail.view.memory.id
    for place, proposed in enumerate(detail.proposals):
        proposal = proposed.proposal
        arrow = "↔" if proposal.type in _MUTUAL else "→" if proposal.from_id == mine else "←"
        keys: tuple[Piece, ...] = (("  + link  - never", "good"),) if place == 0 else ()
        mark = "▸ " if place == 0 else "  "
        yield (
            "Maybe",
            (
                (mark, "good"),
                (f"{arrow} {proposal.type}  ", "dim"),
                (proposed.title, "text"),
                (f"\n  {proposal.why}", "dim"),
                *keys,
            ),
        )


def _source(source: Source) -> tuple[Piece, ...]:
    if source.path is None:
        return (("typed here" if source.format == "memtui" else tame(source.format), "text"),)
    place = tame(source.path)
    if source.span:
        first, last = source.span
        place += f":{first}" if first == last else f":{first}–{last}"
    return ((place + "  ", "text"), (f"({tame(source.agent or source.format)})", "dim"))


def _dates(memory: Memory) -> str:
    parts = [f"added {memory.created_at:%Y-%m-%d}"]
    if memory.observed_at and memory.observed_at.date() != memory.created_at.date():
        parts.append(f"observed {memory.observed_at:%Y-%m-%d}")
    if memory.verified_at:
        parts.append(f"verified {memory.verified_at:%Y-%m-%d}")
    if memory.snoozed_until:
        day = f"{memory.snoozed_until:%Y-%m-%d}"
        parts.append("snoozed until a file changes" if memory.snoozed_until == UNTIL_CHANGE else f"snoozed until {day}")
    return " · ".join(parts)


def _valid(memory: Memory) -> str:
    parts = [f"from {memory.valid_from:%Y-%m-%d}"] if memory.valid_from else []
    parts += [f"until {memory.valid_until:%Y-%m-%d}"] if memory.valid_until else []
    return " ".join(parts)


SOURCE_CELLS = 24  # Of the path of a source in a line, cut at its beginning


def source_line(sources: Sequence[Source]) -> str:
    """Return where a memory came from in a few cells: `api/CLAUDE.md:41`, an agent, a format.

    The folders stay, as many files of a repository have the same name.
    """
    if not sources:
        return "?"
    first = sources[0]
    rest = f" +{len(sources) - 1}" if len(sources) > 1 else ""
    if first.path is None:
        return tame(first.agent or ("typed" if first.format == "memtui" else first.format)) + rest
    name = clip_path(tame(first.path.replace("\\", "/")), SOURCE_CELLS)
    return (f"{name}:{first.span[0]}" if first.span else name) + rest
