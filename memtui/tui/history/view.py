"""The History screen's reads, and a change as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual.message import Message

from memtui.curate import history
from memtui.curate.history import ChangeDiff, FieldDiff, NextUndo, change_numbers, change_rows
from memtui.text.diff import DiffLine
from memtui.text.sanitize import reveal, tame
from memtui.text.words import counted
from memtui.tui.styled_text import Block, Piece, StyleName
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lists import Cell, Paint, PickList, draw_cells
from memtui.vault.journal import UNDO_ONE, log, reversed_by
from memtui.wording.outcomes import FIELD_WORDS, file_names


@dataclass(frozen=True, slots=True)
class Changes:
    """Numbers of changes, the newest first."""

    numbers: tuple[int, ...]
    title: str | None = None  # of the memory whose changes they are, None for those of all
    upcoming: NextUndo | None = None  # what `undo` would come to now
    reversed: int | None = None  # what the newest change of all took back or made again, if it did


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A change as the list shows it."""

    number: int
    when: str  # UTC, to the minute
    actor: str
    summary: str  # one line, with the reason if there is one
    memories: int  # how many it touched
    state: str  # `done`, `undone` or `abandoned`


def find_changes(access: VaultAccess, query: str, memory_id: str | None) -> Changes:
    title = None
    if memory_id is not None:
        found = access.memories([memory_id])
        title = tame(found[0].title) if found else memory_id
    numbers = tuple(change_numbers(access.read_vault, query=query, memory_id=memory_id))
    with access.read_vault.read() as reader:
        upcoming = history.next_undo(reader, access.opening.actor)
        newest = log(reader, limit=1)
        reversed_last = reversed_by(reader, newest[0].number) if newest else None
    return Changes(numbers, title, upcoming, reversed_last)


REVERSALS = frozenset({"undo", UNDO_ONE, "redo"})  # Actions of changes that cannot be undone themselves


def undo_words(upcoming: NextUndo | None, key: str) -> str:
    """Return what a press of the key of `undo` would come to now: `u undoes 12: edit Lock refunds`."""
    if upcoming is None or not key:
        return ""
    verb = "redoes" if upcoming.is_made_again else "undoes"
    writes = f", which writes {file_names(upcoming.files)}" if upcoming.files else ""
    return f"{key} {verb} {upcoming.change.number}: {tame(upcoming.change.summary, 60)}{writes}"


def read_rows(access: VaultAccess, numbers: Sequence[int]) -> dict[int, HistoryRow]:
    return {
        number: HistoryRow(
            number=number,
            when=f"{row.change.at:%Y-%m-%d %H:%M}",
            actor=tame(row.change.actor, 60),
            summary=tame(row.change.summary + (f" ({row.change.reason})" if row.change.reason else "")),
            memories=row.memories,
            state=row.change.state,
        )
        for number, row in change_rows(access.read_vault, numbers).items()
    }


def bring_back(access: VaultAccess, memory_id: str, version: int) -> Done:
    """Bring back what a memory said at a version, as a new change."""
    if history.is_at_version(access.read_vault, memory_id, version):
        named = tame(next((one.title for one in access.memories([memory_id])), ""), 60)
        return Done(f"Unchanged: “{named}” already reads as in version {version}", changed=False)
    access.opening.before_change()
    memory = history.go_back(access.vault, memory_id, version, actor=access.opening.actor)
    return Done(f"Brought back version {version} of {tame(memory.title)}; u undoes it")


MOST_SHOWN = 20_000  # Characters shown of one change: wrapping more would delay the screen

_LONGEST_LINE = 1_000
_LONGEST_NAME = 8
_RELATED = {
    "link": ("link", "links"),
    "verdict": ("verdict", "verdicts"),
    "signal": ("record of use or feedback", "records of use and feedback"),
    "half-life": ("half-life of a kind", "half-lives of kinds"),
    "identity": ("project folder or remote", "project folders and remotes"),
    "recipe": ("recipe", "recipes"),
    "publication": ("block in a file", "blocks in files"),
    "block": ("text replaced in a file", "texts replaced in files"),
    "cut": ("text removed from a file", "texts removed from files"),
    "tombstone": ("ignored text", "ignored texts"),
    "passed-file": ("ignored file", "ignored files"),
}
_TONES: Mapping[str, tuple[StyleName, StyleName]] = {
    "-": ("warning", "dim"),
    "+": ("good", "text"),
    " ": ("dim", "dim"),
}
"""Styles of the words of a line that differ, and of the others."""

_STATES = {
    "undone": "undone; ctrl+r redoes what was undone last",
    "abandoned": "undone; a later change means it cannot be redone",
}


@dataclass(frozen=True, slots=True)
class ChangeText:
    """What a change did, as text."""

    blocks: tuple[Block, ...] = ()
    heads: tuple[int, ...] = ()  # index of the block that each memory begins with


def change_text(diff: ChangeDiff) -> ChangeText:
    blocks = list(_change(diff))
    heads: list[int] = []
    left = MOST_SHOWN
    for memory in diff.memories:
        heads.append(len(blocks))
        blocks.append(Block((("▸ ", "label"), (tame(memory.title, 200) or memory.id, "title")), gap=True))
        fate = "created" if memory.fate == "made" else memory.fate
        blocks.append(Block(((f"{fate} · {memory.id} · version {memory.version}", "dim"),)))
        for field in memory.fields:
            if left < 0:
                blocks.append(Block(((f"more differences: memtui show {memory.id} --history", "dim"),)))
                break
            left -= sum(len(line.text) for line in field.lines)
            blocks += _field(field)
        if not memory.fields:
            blocks.append(Block((("its text is the same", "dim"),)))
    rest = diff.row.memories - len(diff.memories)
    if rest > 0:
        blocks.append(Block(((f"… and {counted(rest, 'more memory', 'more memories')}", "dim"),), gap=True))
    return ChangeText(tuple(blocks), tuple(heads))


def _change(diff: ChangeDiff) -> Iterator[Block]:
    change = diff.row.change
    yield Block(((tame(change.summary, 300) or tame(change.action), "title"),))
    words = f"{change.at:%Y-%m-%d %H:%M:%S} UTC · {tame(change.actor, 60)} · {tame(change.action, 60)}"
    yield Block(((words, "dim"),))
    if change.reason:
        yield Block(((tame(change.reason), "text"),))
    if change.state in _STATES:
        yield Block(((_STATES[change.state], "warning"),))
    if diff.reversal is not None:
        verb = "made again" if change.state == "done" else "undone"
        by = f"{verb} {diff.reversal.at:%Y-%m-%d %H:%M:%S} UTC · {tame(diff.reversal.actor, 60)}"
        yield Block(((by, "dim"),))
    if diff.files and change.state == "done":
        yield Block(((f"undoing it writes {file_names(diff.files)}", "warning"),))
    for name, (added, removed) in diff.kin.items():
        one, many = _RELATED.get(name, (tame(name, 40), tame(f"{name}s", 40)))
        if added:
            yield Block(((f"+ {counted(added, one, many)}", "good"),))
        if removed:
            yield Block(((f"- {counted(removed, one, many)}", "warning"),))


def _field(field: FieldDiff) -> Iterator[Block]:
    name = FIELD_WORDS.get(field.name, field.name).capitalize()
    if len(name) > _LONGEST_NAME:
        yield Block(((tame(name), "label"),))
        name = " "
    for place, line in enumerate(field.lines):
        yield Block(_line(line), label=tame(name) if place == 0 and name.strip() else " ")


def _line(line: DiffLine) -> tuple[Piece, ...]:
    if line.sign == "…":
        return ((f"… {line.text}", "dim"),)
    changed, plain = _TONES[line.sign]
    if len(line.pieces) == 1:
        plain = changed
    pieces: list[Piece] = [(f"{line.sign} ", changed)]
    left = _LONGEST_LINE
    for text, differs in line.pieces:
        pieces.append((reveal(text[:left]), changed if differs else plain))
        left -= len(text)
        if left <= 0:
            pieces.append(("…", "dim"))
            break
    return tuple(pieces)


PAGE_ROWS = 100  # Rows fetched at a time
MOST_ROWS = 2_000  # Rows kept in memory; beyond, those out of view are dropped

STATE_MARKS = {"done": " ", "undone": "↶", "abandoned": "↶"}  # What cannot be redone is said beside it

_ROOMY = 72


class ChangeList(PickList):
    """A window over numbers of changes; it asks for the rows that scroll into view."""

    @dataclass
    class RowsWanted(Message):
        """Rows scrolled into view that are not here yet."""

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
        return len(self.numbers)

    @property
    def current(self) -> int | None:
        """The number of the change under the cursor."""
        return self.numbers[self.cursor] if self.cursor < len(self.numbers) else None

    def show(self, numbers: Sequence[int], *, follow: int | None, notice: Sequence[str] = ()) -> None:
        """Show these changes; the cursor stays on the one to follow, else goes to the first."""
        self.numbers = tuple(numbers)
        self._keep_only(self._in_view())
        place = self.numbers.index(follow) if follow in self.numbers else 0
        self.rows_changed(place, notice)
        self._ask(again=True)

    def put_rows(self, rows: Mapping[int, HistoryRow]) -> None:
        """Show rows that were read."""
        self._rows.update(rows)
        if len(self._rows) > MOST_ROWS:
            self._keep_only(self._in_view(margin=PAGE_ROWS))
        self.refresh()

    def _keep_only(self, numbers: Iterable[int]) -> None:
        self._rows = {number: self._rows[number] for number in numbers if number in self._rows}

    def _in_view(self, margin: int = 0) -> Sequence[int]:
        top = self.scroll_offset.y
        return self.numbers[max(0, top - margin) : top + self.page + margin]

    def _ask(self, *, again: bool = False) -> None:
        """Ask for the pages in view, unless all their rows are here."""
        if not self.numbers or not (again or any(number not in self._rows for number in self._in_view())):
            return
        top = self.scroll_offset.y
        first = top // PAGE_ROWS * PAGE_ROWS
        last = -(-(top + self.page) // PAGE_ROWS) * PAGE_ROWS
        wanted = self.numbers[first:last]
        self.post_message(self.RowsWanted(wanted if again else tuple(n for n in wanted if n not in self._rows)))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._ask()

    def on_resize(self) -> None:
        """Keep the cursor in view, and ask for the rows that came into view."""
        super().on_resize()
        self._ask()

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a change: number, when, who, what, how many memories."""
        number = self.numbers[index]
        digits, row = len(str(self.numbers[0])), self._rows.get(number)
        head = Cell(str(number), "dim", digits, right=True, after=1)
        return draw_cells([head, *(_row_cells(row, width) if row else [Cell("  …", "dim")])], width, paint)


def _row_cells(row: HistoryRow, width: int) -> list[Cell]:
    when = 16 if width >= _ROOMY else 10
    is_done = row.state == "done"
    return [
        Cell(STATE_MARKS.get(row.state, "?"), "warning", 2),
        Cell(row.when[:when], "dim", when, after=2),
        Cell(row.actor, "kind", 11, since=48, after=1),
        Cell(row.summary if is_done else f"undone: {row.summary}", "base" if is_done else "dim"),
        Cell(f"{row.memories:,} mem" if row.memories else "", "dim", 9, since=_ROOMY, right=True, before=1),
    ]


class DiffPane(DetailPane):
    """Shows a change; one of its memories is current."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._heads: tuple[int, ...] = ()
        self.place = 0  # Index of the current memory

    @property
    def memories(self) -> int:
        return len(self._heads)

    def show_change(self, text: ChangeText, *, from_top: bool) -> None:
        self._heads = text.heads
        self.place = 0 if from_top else min(self.place, max(0, len(self._heads) - 1))
        self.show(text.blocks, from_top=from_top)

    def go_to(self, place: int) -> bool:
        """Make a memory current and scroll it to the top; False where there is none."""
        if not 0 <= place < len(self._heads):
            return False
        self.place = place
        self.scroll_to(y=self._starts[self._heads[place]], animate=False)
        return True
