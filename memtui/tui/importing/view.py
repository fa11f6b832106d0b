"""The Import screen's reads and lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.segment import Segment

from memtui.capture.prose import STRUCTURE
from memtui.errors import NotFoundError
from memtui.text.sanitize import reveal
from memtui.tui.launch_options import Opening
from memtui.tui.memory_view import Block
from memtui.tui.text_layout import counted, fit, tame
from memtui.tui.values import Done
from memtui.tui.widgets.lists import Paint, PickList

if TYPE_CHECKING:
    from memtui.capture.apply import ImportReport
    from memtui.capture.importer import ImportRequest
    from memtui.capture.known_places import KnownPlace
    from memtui.capture.plan import ImportPlan, Planned

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of it are done and how many there are; raises `Cancelled` to stop."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do.

    Attributes:
        places: what was read, as ticked.
        project: where most of it goes; None for unassigned.
    """

    places: tuple[KnownPlace, ...]
    plan: ImportPlan
    files: int


class ImportAccess:
    """Known places, dry runs, and the import itself.

    Args:
        opening: what the app was opened with.
        home: the user's home folder.
    """

    def __init__(self, opening: Opening, home: Path) -> None:
        self._opening = opening
        self._vault = opening.vault
        self._home = home
        self._reading = opening.vault_to_read()

    def places(self) -> list[KnownPlace]:
        """Return the known places that hold something; the vault is not asked."""
        from memtui.capture.known_places import find_places

        return find_places(self._opening.folder, self._home)

    def place_at(self, typed: str) -> KnownPlace:
        """Return a place that a person typed.

        Raises:
            NotFoundError: there is none, or nothing in it that memtui can read.
        """
        from memtui.capture.known_places import KnownPlace, look_at

        try:
            path = self._opening.folder / Path(typed.strip()).expanduser()
            is_file, is_there = path.is_file(), path.exists()
        except (RuntimeError, ValueError, OSError):
            is_file, is_there = False, False
        if not typed.strip() or not is_there:
            raise NotFoundError("There is no such file or folder", where=tame(typed, 80), remedy="Check the path.")
        found = look_at(path, where="named", base=path.parent if is_file else path, home=self._home)
        if found is None and not is_file:
            raise NotFoundError(
                "Nothing in this folder is of a format that memtui knows",
                where=tame(str(path), 120),
                remedy="A file that is named is read as Markdown at the least.",
            )
        return found or KnownPlace(path, "named", "Any Markdown", str(path), 1)

    def preview(self, places: Sequence[KnownPlace], *, active: bool, progress: Progress) -> Preview:
        """Return what importing these places would do; writes nothing.

        Raises:
            Cancelled: raised by `progress`.
        """
        from memtui.capture.importer import plan_import, read_sources

        request = self._request(places, active=active)
        read = read_sources(request, progress=lambda done, total: progress("reading", done, total))
        return Preview(tuple(places), plan_import(self._reading, read, request), len(read.files))

    def run(self, places: Sequence[KnownPlace], *, active: bool, progress: Progress) -> Done:
        """Import these places as one change; stopped, it leaves the vault as it was."""
        from memtui.capture.importer import read_sources, run_import
        from memtui.progress import Cancelled

        request = self._request(places, active=active)
        try:
            read = read_sources(request, progress=lambda done, total: progress("reading", done, total))
            self._opening.before_change()
            plan, report = run_import(
                self._vault,
                read,
                request,
                actor=self._opening.actor,
                progress=lambda done, total: progress("writing", done, total),
            )
        except Cancelled:
            return Done("Import stopped; the vault is as it was", changed=False)
        if report is None:
            clashes = counted(plan.count("clash"), "record has an id", "records have ids")
            return Done(f"Nothing was written: {clashes} that the vault uses for something else", changed=False)
        return _told(report, active=active)

    def _request(self, places: Sequence[KnownPlace], *, active: bool) -> ImportRequest:
        from memtui.capture.importer import ImportRequest
        from memtui.capture.plan import ImportOptions

        return ImportRequest(
            paths=[place.path for place in places],
            folder=self._opening.folder,
            home=self._home,
            project=self._opening.project,
            options=ImportOptions(active=active, secret_patterns=self._opening.secret_patterns),
        )


def _told(report: ImportReport, *, active: bool) -> Done:
    """Return what an import came to, in words."""
    parted = len(report.conflicts)
    settle = f"{counted(parted, 'conflict', 'conflicts')}: edited here too (b, then d settles)" if parted else ""
    if not report.added and not report.updated:
        return Done(f"Nothing new{f'; {settle}' if settle else ': the vault says all of this already'}", changed=False)
    where = "active" if active else "into the inbox (b opens it)"
    parts = [f"{counted(report.added, 'new memory', 'new memories')} {where}"] if report.added else []
    parts += [f"{report.updated:,} changed"] if report.updated else []
    parts += [settle] if settle else []
    return Done(f"Imported {', '.join(parts)}; u undoes it")


MOST_SHOWN = 2_000
"""Rows of one group; the rest are counted."""

_GROUPS = (
    ("New", ("add", "restore"), "+"),
    ("Changed in their source", ("update", "replace"), "~"),
    ("In conflict, left as they are", ("conflict", "clash"), "!"),
    ("Left out", ("skip",), "−"),
)
SETTLED_BY = " · once imported, b then d settles"
"""Said of conflicts: the keys to where a person decides."""

UNASSIGNED = "unassigned: of no project"
"""Said of what reaches no payload until a project is chosen for it."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What happens to one memory of a source.

    Attributes:
        mark: `+` new, `~` changed, `!` conflict, `−` left out.
        place: name of the file, and line.
        note: why, and what to look at.
    """

    mark: str
    kind: str
    title: str
    place: str
    note: str
    planned: Planned | None = None


def plan_lines(plan: ImportPlan) -> list[PlanRow | str]:
    """Return rows under headings; what stays as it is is counted."""
    lines: list[PlanRow | str] = []
    for heading, actions, mark in _GROUPS:
        found = [item for item in plan.items if item.action in actions]
        if found:
            lines += [""] if lines else []
            unassigned = sum(item.project is None for item in found) if mark == "+" else 0
            note = f" · {UNASSIGNED}" if unassigned == len(found) else ""
            settle = SETTLED_BY if any(item.action == "conflict" for item in found) else ""
            lines.append(f"{heading} · {len(found):,}{note}{settle}")
            lines += [_row(item, mark, told=bool(note)) for item in found[:MOST_SHOWN]]
            if len(found) > MOST_SHOWN:
                lines.append(f"  … and {len(found) - MOST_SHOWN:,} more")
    return [*lines, *_rest(plan, bool(lines))]


def _rest(plan: ImportPlan, has_rows: bool) -> list[str]:
    lines = []
    if plan.count("unchanged"):
        lines.append(f"  {counted(plan.count('unchanged'), 'memory', 'memories')} unchanged: known already")
    if plan.missing:
        gone = counted(len(plan.missing), "memory", "memories")
        lines.append(f"  {gone} no longer in their source: kept")
    telling = Counter(tame(one.reason, 80) for one in plan.skipped if one.reason not in STRUCTURE)
    lines += [f"  {number:,}× passed over: {reason}" for reason, number in telling.most_common(6)]
    return ["", *lines] if lines and has_rows else lines


def _row(item: Planned, mark: str, *, told: bool) -> PlanRow:
    draft = item.draft
    # A draft that looks like a secret is shown nowhere.
    title = "(not shown)" if item.holds_secret else tame(draft.title) or tame(draft.insight)
    span = draft.source.span
    place = tame((draft.source.path or "").rsplit("/", 1)[-1]) + (f":{span[0]}" if span else "")
    notes = [note for note in (item.reason, *draft.notes) if note]
    if item.project is None and mark == "+" and not told:
        notes.append(UNASSIGNED)
    return PlanRow(mark, tame(draft.kind, 40), title, place, tame("; ".join(notes)), item)


def plan_words(plan: ImportPlan, *, active: bool) -> str:
    """Return what an import would come to."""
    new, changed = plan.count("add", "restore"), plan.count("update", "replace")
    where = "active" if active else "inbox"
    return f"{new:,} new → {where} · {changed:,} changed · {plan.count('unchanged'):,} known"


def row_blocks(row: PlanRow) -> list[Block]:
    """Return a memory of a source in full."""
    blocks = [Block(((row.title, "title"),)), Block(((f"{row.kind} · {row.place}", "dim"),))]
    if row.note:
        blocks.append(Block(((row.note, "warning"),)))
    if row.planned is None or row.title == "(not shown)":
        return blocks
    draft = row.planned.draft
    blocks.append(Block(((reveal(draft.insight[:20_000]), "text"),), gap=True))
    if draft.rationale:
        blocks.append(Block(((reveal(draft.rationale[:20_000]), "text"),), label="Why", gap=True))
    if draft.snippet:
        blocks.append(Block(((reveal(draft.snippet[:20_000]), "code"),), gap=True))
    if draft.anchors:
        blocks.append(Block(((tame(", ".join(draft.anchors)), "text"),), label="Files", gap=True))
    blocks.append(Block(((tame(row.planned.project or "unassigned"), "text"),), label="Project", gap=True))
    blocks.append(
        Block(((tame(draft.source.path or ""), "text"), (f"  ({draft.source.format})", "dim")), label="Source")
    )
    return blocks


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
