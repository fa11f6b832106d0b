"""Recorded packs, and the memories of one."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from memtui.tui.packs.queries import MemberRow, PackRow
from memtui.tui.text_layout import fit
from memtui.tui.widgets.lists import Paint, PickList

_MARK_CELLS = 2
_AGE_CELLS = 6
_TARGET_CELLS = 12
_TARGET_FROM = 68
_TOKEN_CELLS = 8
_TOKENS_FROM = 40
_COUNT_CELLS = 5
_COUNT_FROM = 64
_SAID_CELLS = 13
_SAID_SHORT = 10
_SAID_LONG_FROM = 50

_KIND_CELLS = 12
_KIND_FROM = 62
_STATE_CELLS = 10
_STATE_SHORT = 8
_WORD_CELLS = 9
_WORD_FROM = 48


class PackList(PickList):
    """Packs, those that await feedback first."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.rows: tuple[PackRow, ...] = ()

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self.rows)

    @property
    def current(self) -> PackRow | None:
        """The pack under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def show(self, rows: Sequence[PackRow], *, notice: Sequence[str] = ()) -> None:
        """Show these packs; the cursor stays on its pack, or on its line where the pack is not there any more."""
        current = self.current
        self.rows = tuple(rows)
        places = {row.id: place for place, row in enumerate(self.rows)}
        self.rows_changed(places.get(current.id) if current is not None else 0, notice)

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a pack: what was said of it, when, the task, for whom, how large."""
        row = self.rows[index]
        target = _TARGET_CELLS if width >= _TARGET_FROM else 0
        tokens = _TOKEN_CELLS if width >= _TOKENS_FROM else 0
        count = _COUNT_CELLS if width >= _COUNT_FROM else 0
        said = _SAID_CELLS if width >= _SAID_LONG_FROM else _SAID_SHORT
        room = width - _MARK_CELLS - _AGE_CELLS - (target + 1 if target else 0) - tokens - count - said - 1
        tone = "warning" if row.mark in "?−~" else "good" if row.mark == "+" else "dim"
        found = [
            Segment(fit(row.mark, _MARK_CELLS), paint[tone]),
            Segment(fit(row.age, _AGE_CELLS), paint["dim"]),
            Segment(fit(row.task, max(1, room)), paint["base"]),
        ]
        if target:
            found.append(Segment(" " + fit(row.target, target), paint["kind"]))
        if tokens:
            found.append(Segment(fit(f"{row.tokens:,} t", tokens, right=True), paint["base"]))
        if count:
            found.append(Segment(fit(f"{row.memories} m", count, right=True), paint["dim"]))
        return [*found, Segment(" " + fit(row.said, said), paint[tone])]


class MemberList(PickList):
    """The memories of a pack under some lines about it."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._lines: list[MemberRow | str] = []

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self._lines)

    @property
    def current(self) -> MemberRow | None:
        """The memory under the cursor."""
        line = self._lines[self.cursor] if self.cursor < len(self._lines) else None
        return line if isinstance(line, MemberRow) else None

    @property
    def rows(self) -> list[MemberRow]:
        """All memories, in order."""
        return [line for line in self._lines if isinstance(line, MemberRow)]

    def selectable(self, index: int) -> bool:
        """Return whether a line is a memory."""
        return isinstance(self._lines[index], MemberRow)

    def show(self, head: Sequence[str], rows: Sequence[MemberRow], *, same: bool, notice: Sequence[str] = ()) -> None:
        """Show these memories.

        Args:
            head: lines about the pack.
            same: whether it is the pack that is shown already, so that the cursor stays.
            notice: lines to show where there is no pack.
        """
        self._lines = [*head, *([""] if head else []), *rows]
        self.rows_changed(None if same else 0, notice)
        if not same:
            self.scroll_to(y=0, animate=False)

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a memory, or a line about the pack."""
        line = self._lines[index]
        if isinstance(line, str):
            return [Segment(fit(line, width), paint["base" if index == 0 else "dim"])]
        kind = _KIND_CELLS if width >= _KIND_FROM else 0
        state = _STATE_CELLS if width >= _WORD_FROM else _STATE_SHORT
        word = _WORD_CELLS if width >= _WORD_FROM else 0
        tokens = _TOKEN_CELLS if width >= _TOKENS_FROM else 0
        extra = (kind + 1 if kind else 0) + state + 1 + tokens + (word + 1 if word else 0)
        room = width - _MARK_CELLS - extra
        tone = "warning" if line.mark in "−~" else "good" if line.mark == "+" else "dim"
        found = [Segment(fit(line.mark, _MARK_CELLS), paint[tone])]
        if kind:
            found.append(Segment(fit(line.kind, kind) + " ", paint["kind"]))
        found.append(Segment(fit(line.title, max(1, room)), paint["base" if line.is_there else "dim"]))
        moved = line.state != f"v{line.version}"
        found.append(Segment(" " + fit(line.state, state), paint["warning" if moved else "dim"]))
        if tokens:
            found.append(Segment(fit(f"{line.tokens:,} t", tokens, right=True), paint["dim"]))
        return [*found, Segment(" " + fit(line.said, word), paint[tone])] if word else found
