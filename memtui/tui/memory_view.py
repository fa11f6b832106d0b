"""Text on screen: ages, columns, wrapping, and a memory in full."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.memory import DEFAULT_IMPORTANCE, LinkType, Memory, Source
from memtui.text.paragraphs import unwrapped
from memtui.text.sanitize import reveal, tame
from memtui.text.words import bar, cell_width, clip, clip_start, steady
from memtui.tui.values import Detail, Explained
from memtui.wording.checks import ALLOWED, at_commit

if TYPE_CHECKING:
    from memtui.curate.merge import Marked

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


def fit(text: str, cells: int, *, right: bool = False) -> str:
    """Return a text clipped with … and padded to exactly so many cells, its emoji in forms of undisputed width.

    Clipping keeps graphemes whole. What terminals and libraries still disagree on is padded by the measure that the
    screen is put together with.
    """
    if cells <= 0:
        return ""
    shown = clip(steady(text), cells)
    if (missing := cells - cell_len(shown)) < 0:
        return set_cell_size(shown, cells)
    return " " * missing + shown if right else shown + " " * missing


def clipped(content: Content, cells: int) -> Content:
    """Return styled text clipped with … to at most so many cells."""
    return content.truncate(max(0, cells), ellipsis=True)


_TAB = "    "
_CUT_CHARACTERS = 24
_LIST_MARK = re.compile(r"[-+]?(?:[-*+>]|\d{1,3}[.)]) +")  # Also behind the sign of a line of a difference


def wrap(line: str, cells: int) -> list[str]:
    """Return a text line as lines of the screen: broken at spaces, else between what is seen as one character.

    What follows the first is set in as far as the line itself, and its list mark, are.
    """
    shown = steady(reveal(line.replace("\t", _TAB)))
    if len(shown) <= cells and shown.isascii():
        return [shown]
    margin = margin_of(shown, cells)
    lines: list[str] = []
    current, used = "", 0
    for word, width in _parts(shown, cells - len(margin)):
        if used and used + width > cells:
            lines.append(current.rstrip())
            current = margin if word.isspace() else margin + word
            used = len(margin) + (0 if word.isspace() else width)
        else:
            current, used = current + word, used + width
    return [*lines, current.rstrip()] if current.strip() or not lines else lines


def margin_of(text: str, cells: int) -> str:
    """Return how far a line is set in once it is wrapped: as far as it begins, and behind its list mark."""
    blanks = len(text) - len(text.lstrip(" "))
    mark = _LIST_MARK.match(text, blanks)
    return " " * min(blanks + (len(mark.group()) if mark else 0), cells // 3)


def _parts(text: str, cells: int) -> Iterator[tuple[str, int]]:
    """Yield words and the blanks between them with their widths; what is wider than a line comes in pieces."""
    start, blank = 0, text[:1] == " "
    for place in range(1, len(text) + 1):
        if place < len(text) and (text[place] == " ") == blank:
            continue
        part = text[start:place]
        width = cell_width(part)
        if width <= cells:
            yield part, width
        else:
            yield from _pieces(part, cells)
        start, blank = place, not blank


def _pieces(text: str, cells: int) -> Iterator[tuple[str, int]]:
    if text.isascii():
        for start in range(0, len(text), cells):
            piece = text[start : start + cells]
            yield piece, len(piece)
        return
    from wcwidth import iter_graphemes

    piece, used = "", 0
    for grapheme in iter_graphemes(text):
        width = cell_width(grapheme)
        if piece and used + width > cells:
            yield piece, used
            piece, used = "", 0
        piece, used = piece + grapheme[:_CUT_CHARACTERS], used + width
    if piece:
        yield piece, used


StyleName = Literal["title", "text", "dim", "label", "code", "warning", "good", "bar", "heading", "path"]

Piece = tuple[str, StyleName]

_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HEADING = re.compile(r"#{1,6} ")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])(?= )")
# A path begins where a word does and each part is bounded, so that a line of a million characters costs a look at each.
_MARKED = re.compile(
    r"(?P<code>`[^`\n]{1,200}`)|(?<![\w./-])(?P<path>(?:\.{0,2}/)?(?:[\w.-]{1,80}/){1,12}[\w.*-]{1,80})"
)


def fenced_lines(lines: Iterable[str]) -> set[int]:
    """Return the indexes of lines that stand between the fences of code."""
    found: set[int] = set()
    fenced = False
    for index, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced:
            found.add(index)
    return found


def highlighted(text: str, *, fenced: bool = False) -> tuple[Piece, ...]:
    """Return a text in pieces with their styles; joined, they are the text. `fenced`: whether it begins within code."""
    pieces: list[Piece] = []
    for line in text.splitlines(keepends=True):
        if _FENCE.match(line):
            fenced = not fenced
            pieces.append((line, "dim"))
        elif fenced:
            pieces.append((line, "code"))
        elif _HEADING.match(line):
            pieces.append((line, "heading"))
        else:
            pieces += _line(line)
    return tuple(pieces)


def _line(line: str) -> Iterator[Piece]:
    bullet = _BULLET.match(line)
    start = bullet.end() if bullet else 0
    if bullet:
        yield bullet.group(), "label"
    for found in _MARKED.finditer(line, start):
        if found.start() > start:
            yield line[start : found.start()], "text"
        yield found.group(), "code" if found["code"] else "path"
        start = found.end()
    if start < len(line):
        yield line[start:], "text"


LONGEST_SHOWN = 20_000  # Characters of one text that the detail pane shows


def marked_pieces(marked: Marked, plain: StyleName = "text") -> tuple[Piece, ...]:
    """Return a text with the words that differ in brackets."""
    pieces: list[Piece] = []
    left = LONGEST_SHOWN
    for part, differs in _joined(marked):
        if left <= 0:
            break
        shown = reveal(part[:left])
        left -= len(part)
        core = shown.strip()
        if not differs or not core:
            pieces.append((shown, plain))
            continue
        start = shown.index(core)
        pieces += [(shown[:start], plain), (f"[{core}]", "warning"), (shown[start + len(core) :], plain)]
    if left <= 0:
        pieces.append(("\n… the rest is not shown", "dim"))
    return tuple(piece for piece in pieces if piece[0]) or (("(empty)", "dim"),)


_BEFORE_DIFFERENCE = 60  # Characters shown before the first word that differs
_AROUND_DIFFERENCE = 24  # Characters shown on either side of what is left out between two words that differ


def from_difference(marked: Marked, most: int) -> Marked:
    """Return a text of at most about so many characters; a longer one without what is far from words that differ."""
    if sum(len(part) for part, _ in marked) <= most:
        return tuple(marked)
    shown: list[tuple[str, bool]] = []
    room = most
    for place, (part, differs) in enumerate(marked):
        near = part if differs or place == len(marked) - 1 else _near_difference(part, is_first=place == 0)
        if len(near) > room:
            return (*shown, (near[:room], differs), ("…", False))
        shown.append((near, differs))
        room -= len(near)
    return tuple(shown)


def _near_difference(part: str, *, is_first: bool) -> str:
    """Return a part before a word that differs without its middle, or its beginning if it is the first."""
    before, after = (0, _BEFORE_DIFFERENCE) if is_first else (_AROUND_DIFFERENCE, _AROUND_DIFFERENCE)
    if len(part) <= 2 * before + after:
        return part
    end = part[-after:]
    return f"{part[:before]}… {end[end.find(' ') + 1 :]}"


def _joined(marked: Marked) -> list[tuple[str, bool]]:
    """Return the parts with words in a row that differ as one: `[Lock key is]`, not `[Lock] [key] [is]`."""
    joined: list[tuple[str, bool]] = []
    for place, (part, differs) in enumerate(marked):
        between = not part.strip() and 0 < place < len(marked) - 1 and marked[place - 1][1] and marked[place + 1][1]
        if joined and joined[-1][1] and (differs or between):
            joined[-1] = (joined[-1][0] + part, True)
        else:
            joined.append((part, differs))
    return joined


@dataclass(frozen=True, slots=True)
class Block:
    """Some text, wrapped as one paragraph or kept line by line."""

    pieces: tuple[Piece, ...]  # text with the name of its style
    label: str = ""  # word in the margin; blocks with one have their text indented
    gap: bool = False  # whether an empty line comes before
    markdown: bool = False  # whether it may be rendered as Markdown


def describe(detail: Detail) -> list[Block]:
    """Return a memory in full, top to bottom."""
    memory = detail.view.memory
    blocks = [Block(((tame(memory.title, 1_000), "title"),)), Block(_standing(detail)), Block(_freshness(detail))]
    if memory.standing_words != memory.standing:
        blocks.append(Block(((tame(memory.status_reason), "warning"),)))
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
    if due is None or due.year == UNTIL_CHANGE.year:
        waits = memory.snoozed_until == UNTIL_CHANGE
        return "due once a file of it changes" if waits else "never due: pinned" if memory.pinned else "never due"
    days = days_between(now, due)
    ahead = f", in {'a day' if days < 1 else short_age(days)}"
    return f"due since {due:%Y-%m-%d}" if days <= 0 else f"due {due:%Y-%m-%d}{ahead}"


NO_LONGER_SAYS = "its source no longer says this"


def still_said(memory: Memory) -> str:
    """Return what a source still says of a memory that was edited or is out of use: `still says what is retired here`.

    Where it was edited, the source was compared with what was changed; what was only added is not told.
    """
    return f"still says what was {'changed' if memory.status in {'active', 'candidate'} else memory.standing} here"


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
        yield "Files", ((tame(anchor.path) + "  ", "text"), (state or "unchecked", style))
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
        yield "Due", ((due_words(memory, view.due_at, detail.now).removeprefix("due "), "text"),)
    if memory.valid_from or memory.valid_until:
        yield "Valid", ((_valid(memory), "text"),)
    trust = f"confirmed by {tame(memory.confirmed_by or 'a person')}" if memory.confirmed_at else "confirmed by nobody"
    yield "Trust", ((trust, "text"),)
    yield "Id", ((f"{memory.id}  version {memory.version}", "dim"),)


_TYPES = ("supersedes", "contradicts", "duplicates", "derived-from", "relates")
_MUTUAL = frozenset({"contradicts", "duplicates", "relates"})


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
    name = clip_start(tame(first.path.replace("\\", "/")), SOURCE_CELLS)
    return (f"{name}:{first.span[0]}" if first.span else name) + rest
