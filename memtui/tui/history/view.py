"""The list of changes and the diff of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.text import Text
from textual.message import Message

from memtui.text.sanitize import reveal
from memtui.tui.launch_options import Opening
from memtui.tui.memory_view import Block, Piece
from memtui.tui.text_layout import counted, fit, tame
from memtui.tui.values import Done
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lists import Paint, PickList

if TYPE_CHECKING:
    from memtui.curate.history import ChangeDiff, FieldDiff, MemoryDiff
    from memtui.text.diff import DiffLine


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A change as the list shows it.

    Attributes:
        when: UTC, to the minute.
        summary: one line, tamed, with the reason if there is one.
        memories: how many it touched.
        state: `done`, `undone` or `abandoned`.
    """

    number: int
    when: str
    actor: str
    summary: str
    memories: int
    state: str


class HistoryAccess:
    """The journal a window at a time, what a change did, and going back to what a memory said.

    Args:
        opening: what the app was opened with.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._vault = opening.vault
        self._reading = opening.vault_to_read()

    def numbers(self, query: str, memory_id: str | None) -> tuple[int, ...]:
        """Return the numbers of the changes that fit, the newest first."""
        from memtui.curate.history import change_numbers

        return tuple(change_numbers(self._reading, query=query, memory_id=memory_id))

    def rows(self, numbers: Sequence[int]) -> dict[int, HistoryRow]:
        """Return rows by their numbers."""
        from memtui.curate.history import change_rows

        found = change_rows(self._reading, numbers)
        return {
            number: HistoryRow(
                number=number,
                when=f"{row.change.at:%Y-%m-%d %H:%M}",
                actor=tame(row.change.actor, 60),
                summary=tame(row.change.summary + (f" ({row.change.reason})" if row.change.reason else "")),
                memories=row.memories,
                state=row.change.state,
            )
            for number, row in found.items()
        }

    def diff(self, number: int, first: str | None) -> ChangeDiff:
        """Return what a change did.

        Raises:
            NotFoundError: there is no such change any more.
        """
        from memtui.curate.history import change_diff

        return change_diff(self._reading, number, first=first)

    def title_of(self, memory_id: str) -> str:
        """Return the title of a memory, its id where it is gone."""
        with self._reading.read() as reader:
            found = reader.get_many([memory_id])
        return tame(found[memory_id].title) if memory_id in found else memory_id

    def bring_back(self, memory_id: str, version: int) -> Done:
        """Bring back what a memory said at a version, as a new change."""
        from memtui.curate import history

        if history.says_already(self._reading, memory_id, version):
            return Done(f"Left alone: it says what version {version} said already", changed=False)
        self._opening.before_change()
        memory = history.go_back(self._vault, memory_id, version, actor=self._opening.actor)
        return Done(f"Brought back version {version} of {tame(memory.title)}; u undoes it")


NAMES = {
    "rationale": "why",
    "status_reason": "reason",
    "anchors": "files",
    "importance": "weight",
    "confidence": "sure",
    "half_life_days": "half-life",
    "confirmed_at": "confirmed",
    "confirmed_by": "by",
    "verified_at": "verified",
    "verified_by": "by",
    "observed_at": "observed",
    "snoozed_until": "snoozed",
    "valid_from": "from",
    "valid_until": "until",
    "due_at": "due",
    "other_sources": "sources",
}
"""Short names of fields, for the margin."""

MOST_TOLD = 20_000
"""Characters told of one change: wrapping more would hold the screen up."""

_LONGEST_LINE = 1_000
_LONGEST_NAME = 8
_KIN = {
    "link": ("link", "links"),
    "verdict": ("verdict", "verdicts"),
    "signal": ("signal", "signals"),
    "half-life": ("half-life of a kind", "half-lives of kinds"),
    "identity": ("folder or remote of a project", "folders and remotes of projects"),
    "recipe": ("recipe", "recipes"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """A change in words.

    Attributes:
        blocks: all of it, top to bottom.
        heads: the block that each memory begins with.
    """

    blocks: tuple[Block, ...]
    heads: tuple[Block, ...]


def told(diff: ChangeDiff) -> Told:
    """Return what a change did."""
    blocks = list(_change(diff))
    heads: list[Block] = []
    told_characters = 0
    for memory in diff.memories:
        heads.append(_head(memory))
        blocks += [heads[-1], Block(((f"{memory.fate} · {memory.id} · version {memory.version}", "dim"),))]
        for field in memory.fields:
            if told_characters > MOST_TOLD:
                blocks.append(Block(((f"more differs: memtui show {memory.id} --history", "dim"),)))
                break
            told_characters += sum(len(line.text) for line in field.lines)
            blocks += _field(field)
        if not memory.fields:
            blocks.append(Block((("nothing that it says differs", "dim"),)))
    rest = diff.row.memories - len(diff.memories)
    if rest > 0:
        blocks.append(Block(((f"… and {counted(rest, 'more memory', 'more memories')}", "dim"),), gap=True))
    return Told(tuple(blocks), tuple(heads))


def _change(diff: ChangeDiff) -> Iterator[Block]:
    change = diff.row.change
    yield Block(((tame(change.summary, 300) or tame(change.action), "title"),))
    words = f"{change.at:%Y-%m-%d %H:%M:%S} UTC · {tame(change.actor, 60)} · {tame(change.action, 60)}"
    yield Block(((words, "dim"),))
    if change.reason:
        yield Block(((tame(change.reason), "text"),))
    if change.state != "done":
        meaning = (
            "undone; ctrl+r does it again" if change.state == "undone" else "undone, then overtaken by a new change"
        )
        yield Block(((meaning, "warning"),))
    for name, (added, removed) in diff.kin.items():
        one, many = _KIN.get(name, (tame(name, 40), tame(f"{name}s", 40)))
        if added:
            yield Block(((f"+ {counted(added, one, many)}", "good"),))
        if removed:
            yield Block(((f"- {counted(removed, one, many)}", "warning"),))


def _head(memory: MemoryDiff) -> Block:
    return Block((("▸ ", "label"), (tame(memory.title, 200) or memory.id, "title")), gap=True)


def _field(field: FieldDiff) -> Iterator[Block]:
    name = NAMES.get(field.name, field.name)
    if len(name) > _LONGEST_NAME:
        yield Block(((tame(name), "label"),))
        name = " "
    for place, line in enumerate(field.lines):
        yield Block(_line(line), label=tame(name) if place == 0 and name.strip() else " ")


def _line(line: DiffLine) -> tuple[Piece, ...]:
    if line.sign == "…":
        return ((f"… {line.text}", "dim"),)
    changed = {"-": "warning", "+": "good", " ": "dim"}[line.sign]
    plain = "dim" if line.sign == " " else changed if len(line.pieces) == 1 else "text" if line.sign == "+" else "dim"
    pieces: list[Piece] = [(f"{line.sign} ", changed)]  # type: ignore[list-item] # the names are of styles
    left = _LONGEST_LINE
    for text, differs in line.pieces:
        shown = reveal(text[:left])
        pieces.append((shown, changed if differs else plain))  # type: ignore[arg-type] # as above
        left -= len(text)
        if left <= 0:
            pieces.append(("…", "dim"))
            break
    return tuple(pieces)


PAGE_ROWS = 100
"""Rows fetched at a time."""

MOST_ROWS = 2_000
"""Rows kept in memory; beyond, those out of sight are dropped."""

STATE_MARKS = {"done": " ", "undone": "↶", "abandoned": "×"}

_WHEN_CELLS = 16
_WHEN_FROM = 72
_DAY_CELLS = 10
_ACTOR_CELLS = 10
_ACTOR_FROM = 48
_COUNT_CELLS = 11


class ChangeList(PickList):
    """A window over numbers of changes. It asks for the rows that come into sight."""

    @dataclass
    class RowsWanted(Message):
        """Rows came into sight that are not here yet."""

        numbers: tuple[int, ...]

        def can_replace(self, message: Message) -> bool:
            """Let the newest of a burst stand for all."""
            return isinstance(message, ChangeList.RowsWanted)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.numbers: tuple[int, ...] = ()
        self._rows: dict[int, HistoryRow] = {}

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self.numbers)

    @property
    def current(self) -> int | None:
        """The number of the change under the cursor."""
        return self.numbers[self.cursor] if self.cursor < len(self.numbers) else None

    def show(self, numbers: Sequence[int], *, follow: int | None, notice: Sequence[str] = ()) -> None:
        """Show these changes, read anew; the cursor stays on the one to follow, else goes to the first."""
        self.numbers = tuple(numbers)
        self._keep_only(self._in_sight())
        place = self.numbers.index(follow) if follow in self.numbers else 0
        self.rows_changed(place, notice)
        self._ask(again=True)

    def put_rows(self, rows: Mapping[int, HistoryRow]) -> None:
        """Take rows that arrived."""
        self._rows.update(rows)
        if len(self._rows) > MOST_ROWS:
            self._keep_only(self._in_sight(margin=PAGE_ROWS))
        self.refresh()

    def row(self, number: int | None) -> HistoryRow | None:
        """Return a row that is here."""
        return self._rows.get(number) if number is not None else None

    def _keep_only(self, numbers: Iterable[int]) -> None:
        self._rows = {number: self._rows[number] for number in numbers if number in self._rows}

    def _in_sight(self, margin: int = 0) -> Sequence[int]:
        top = self.scroll_offset.y
        return self.numbers[max(0, top - margin) : top + self.page + margin]

    def _ask(self, *, again: bool = False) -> None:
        """Ask for the pages in sight, unless all their rows are here."""
        if not self.numbers or not (again or any(number not in self._rows for number in self._in_sight())):
            return
        top = self.scroll_offset.y
        first = top // PAGE_ROWS * PAGE_ROWS
        last = -(-(top + self.page) // PAGE_ROWS) * PAGE_ROWS
        wanted = self.numbers[first:last]
        self.post_message(self.RowsWanted(wanted if again else tuple(n for n in wanted if n not in self._rows)))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for the rows that come into sight."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._ask()

    def on_resize(self) -> None:
        """Keep the cursor in sight, and ask for the rows that came into it."""
        super().on_resize()
        self._ask()

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a change: number, when, who, what, how many memories."""
        number = self.numbers[index]
        row = self._rows.get(number)
        digits = len(str(self.numbers[0]))
        head = Segment(f"{number:>{digits}} ", paint["dim"])
        if row is None:
            return [head, Segment(fit("  …", max(1, width - digits - 1)), paint["dim"])]
        is_done = row.state == "done"
        mark = Segment(f"{STATE_MARKS.get(row.state, '?')} ", paint["warning"])
        when = _WHEN_CELLS if width >= _WHEN_FROM else _DAY_CELLS
        actor = _ACTOR_CELLS if width >= _ACTOR_FROM else 0
        room = width - digits - 1 - 2 - when - 2 - (actor + 1 if actor else 0) - _COUNT_CELLS
        segments = [head, mark, Segment(fit(row.when[:when], when) + "  ", paint["dim"])]
        if actor:
            segments.append(Segment(fit(row.actor, actor) + " ", paint["kind"]))
        summary = row.summary if is_done else f"{row.state}: {row.summary}"
        segments.append(Segment(fit(summary, max(1, room)), paint["base" if is_done else "dim"]))
        count = f"{row.memories:,} mem " if row.memories else ""
        return [*segments, Segment(fit(count, _COUNT_CELLS, right=True), paint["dim"])]


class DiffPane(DetailPane):
    """Shows a change; knows at which line each memory begins."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._heads: list[int] = []
        self._starts: list[int] = []
        self.place = 0
        """Index of the current memory."""

    @property
    def memories(self) -> int:
        """Memories shown."""
        return len(self._heads)

    def show_change(self, told: Told | None, *, from_top: bool) -> None:
        """Show a change, or none."""
        self._heads = [id(block) for block in told.heads] if told is not None else []
        self.place = 0 if from_top else min(self.place, max(0, len(self._heads) - 1))
        self.show(told.blocks if told is not None else (), from_top=from_top)

    def go_to(self, place: int) -> bool:
        """Make a memory current and bring it to the top; False where there is none."""
        if not 0 <= place < len(self._starts):
            return False
        self.place = place
        self.scroll_to(y=self._starts[place], animate=False)
        return True

    def _wrap(self) -> None:
        self._starts = []
        super()._wrap()

    def _wrapped(self, block: Block, width: int) -> list[Text]:
        if id(block) in self._heads:
            self._starts.append(len(self._lines))
        return super()._wrapped(block, width)
