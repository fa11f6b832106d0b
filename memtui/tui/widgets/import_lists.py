"""The two lists of the Import screen: places with ticks, and what an import would do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.segment import Segment

from memtui.tui.cells import fit
from memtui.tui.import_rows import PlanRow
from memtui.tui.widgets.pick_list import Paint, PickList
from memtui.tui.wording import counted, tame

if TYPE_CHECKING:
    from memtui.capture.known_places import KnownPlace

HEADINGS = {"project": "This project", "home": "Your home folder, for every project", "named": "Named by you"}

_NAME_CELLS = 20
_LABEL_CELLS = 26
_SHORTEST_LABEL = 12
_COUNT_CELLS = 10
_KIND_CELLS = 12
_KIND_FROM = 40
_PLACE_FROM = 64
_PLACE_CELLS = 23
_NOTE_SHARE = 0.4


class PlaceList(PickList):
    """Places under headings, each ticked or not."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._lines: list[KnownPlace | str] = []
        self._ticked: set[Path] = set()

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self._lines)

    @property
    def current(self) -> KnownPlace | None:
        """The place under the cursor."""
        line = self._lines[self.cursor] if self.cursor < len(self._lines) else None
        return None if isinstance(line, str) else line

    @property
    def places(self) -> list[KnownPlace]:
        """All places."""
        return [line for line in self._lines if not isinstance(line, str)]

    @property
    def ticked(self) -> list[KnownPlace]:
        """The places that are ticked, in order."""
        return [place for place in self.places if place.path in self._ticked]

    def selectable(self, index: int) -> bool:
        """Return whether a line is a place."""
        return not isinstance(self._lines[index], str)

    def show(self, places: Sequence[KnownPlace], *, notice: Sequence[str] = ()) -> None:
        """Show these places; their ticks stay."""
        current = self.current
        lines: list[KnownPlace | str] = []
        for where, heading in HEADINGS.items():
            mine = [place for place in places if place.where == where]
            lines += ["", heading] if mine and lines else [heading] if mine else []
            lines += mine
        self._lines = lines
        place = lines.index(current) if current in lines else 0
        self.rows_changed(place, notice)

    def set_ticks(self, paths: Sequence[Path]) -> None:
        """Tick these and no others."""
        self._ticked = set(paths)
        self.refresh()

    def toggle(self) -> None:
        """Tick the place under the cursor, or untick it."""
        if self.current is not None:
            self._ticked ^= {self.current.path}
            self.refresh()

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a place or a heading."""
        line = self._lines[index]
        if isinstance(line, str):
            return [Segment(fit(line, width), paint["heading"])]
        is_ticked = line.path in self._ticked
        spare = min(_LABEL_CELLS, width - 3 - _COUNT_CELLS - _NAME_CELLS)
        label = spare if spare >= _SHORTEST_LABEL else 0
        room = width - 2 - (label + 1 if label else 0) - _COUNT_CELLS
        return [
            Segment("✓ " if is_ticked else "· ", paint["good" if is_ticked else "dim"]),
            Segment(fit(tame(line.name), max(1, room)), paint["base" if is_ticked else "dim"]),
            *([Segment(" " + fit(tame(line.label), label), paint["kind" if is_ticked else "dim"])] if label else []),
            Segment(fit(counted(line.files, "file", "files") + " ", _COUNT_CELLS, right=True), paint["dim"]),
        ]


class PlanList(PickList):
    """What an import would do, under headings."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._lines: list[PlanRow | str] = []

    @property
    def count(self) -> int:
        """Lines in the list."""
        return len(self._lines)

    @property
    def current(self) -> PlanRow | None:
        """The row under the cursor."""
        line = self._lines[self.cursor] if self.cursor < len(self._lines) else None
        return line if isinstance(line, PlanRow) else None

    def selectable(self, index: int) -> bool:
        """Return whether a line is a memory."""
        return isinstance(self._lines[index], PlanRow)

    def show(self, lines: Sequence[PlanRow | str], *, notice: Sequence[str] = ()) -> None:
        """Show these lines."""
        self._lines = list(lines)
        self.rows_changed(None, notice)

    def segments(self, index: int, width: int, paint: Paint) -> list[Segment]:
        """Return a memory, a heading or a count."""
        line = self._lines[index]
        if isinstance(line, str):
            return [Segment(fit(line, width), paint["dim" if line.startswith("  ") else "heading"])]
        kind = _KIND_CELLS + 1 if width >= _KIND_FROM else 0
        note = int(width * _NOTE_SHARE) if line.note else 0
        place = _PLACE_CELLS if width >= _PLACE_FROM and not line.note else 0
        room = width - 2 - kind - (note + 1 if note else 0) - (place + 1 if place else 0)
        segments = [Segment(f"{line.mark} ", paint["warning" if line.mark in "!−" else "good"])]
        if kind:
            segments.append(Segment(fit(line.kind, kind - 1) + " ", paint["kind"]))
        segments.append(Segment(fit(line.title, max(1, room)), paint["base"]))
        if note:
            segments.append(Segment(" " + fit(line.note, note), paint["warning"]))
        if place:
            segments.append(Segment(" " + fit(line.place, place - 1, right=True) + " ", paint["dim"]))
        return segments
