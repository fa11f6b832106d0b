"""The Import screen's work on files and the vault, and its lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.domain.memory import GLOBAL_PROJECT
from memtui.errors import NotFoundError
from memtui.progress import Cancelled
from memtui.text.sanitize import tame
from memtui.text.words import cell_width, counted
from memtui.tui.importing.came_in import CameIn, came_to
from memtui.tui.importing.preview import Preview
from memtui.tui.importing.stores import StoreRow, Stores, store_cells
from memtui.tui.styled_text import wrap
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.headed_titles import Titled, said_once
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.memory_list import KIND_CELLS, short_kind
from memtui.tui.widgets.row_list import TextRow
from memtui.wording import imports

if TYPE_CHECKING:
    from memtui.capture.collect import SourceFound, SourcesFound
    from memtui.capture.draft import Skipped
    from memtui.capture.import_plan import ImportPlan, Planned
    from memtui.capture.importer import ImportRequest, SourcesRead
    from memtui.capture.left_out import IgnoreLine
    from memtui.capture.places import KnownPlace
    from memtui.domain.memory import Memory

Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it is done and how much there is; raises `Cancelled` to stop."""

SILENT, REJECTED, IN_VAULT = "no memory", "rejected", "in vault"
"""Why a source holds nothing new: no file of it states a memory, or else what became of those that do."""
WHY_NOTHING_NEW = (SILENT, REJECTED, IN_VAULT)  # Of several files the last one counts


@dataclass(frozen=True, slots=True)
class Looked:
    """What one look at a folder or file found besides its places."""

    places: frozenset[Path]
    skipped: Sequence[Skipped] = ()
    links: Sequence[SourceFound] = ()  # Links to files of the places


@dataclass(frozen=True, slots=True)
class Places:
    """The places of one or several folders, and what was left out of them."""

    rows: Sequence[KnownPlace]
    looks: Sequence[Looked] = ()
    left_out: Sequence[IgnoreLine] = ()  # What lines of the repository's ignore file leave out

    @classmethod
    def of(cls, rows: Sequence[KnownPlace], found: SourcesFound, left_out: Sequence[IgnoreLine] = ()) -> Places:
        """Return the places of what one look found."""
        return cls(rows, [Looked(frozenset(row.path for row in rows), found.skipped, found.links)], left_out)

    def with_more(self, other: Places) -> Places:
        """Return these places with others behind them, each file once."""
        known = {source.real for place in self.rows for source in place.sources}
        fresh = [place for place in other.rows if not known.issuperset(source.real for source in place.sources)]
        return Places((*self.rows, *fresh), [*self.looks, *other.looks], self.left_out)

    def without(self, place: KnownPlace) -> Places:
        """Return these places without one of them."""
        return replace(self, rows=[row for row in self.rows if row.path != place.path])

    def leaving_out(self, line: IgnoreLine) -> Places:
        """Return these places without those that a line leaves out, which is listed instead."""
        out = line.root / line.name
        rows = [row for row in self.rows if not row.path.is_relative_to(out)]
        return replace(self, rows=rows, left_out=[*(one for one in self.left_out if one != line), line])

    def reading_again(self, line: IgnoreLine, found: Places) -> Places:
        """Return these places with those that a line left out until now."""
        again = {row.path for row in found.rows if row.path.is_relative_to(line.root / line.name)}
        rows = [row for row in found.rows if row.path in again]
        left_out = [one for one in self.left_out if one != line]
        return replace(self.with_more(Places(rows)), left_out=left_out)

    def found(self, ticked: Collection[Path]) -> SourcesFound:
        """Return the sources of the places that are ticked, and what was left out where they were looked for."""
        from memtui.capture.collect import SourcesFound

        sources = [source for place in self.rows if place.path in ticked for source in place.sources]
        looks = [look for look in self.looks if not look.places.isdisjoint(ticked)]
        read = {source.file.name for source in sources}
        skipped = [one for look in looks for one in look.skipped if one.path not in read]
        return SourcesFound(sources, skipped, [link for look in looks for link in look.links])


def places_at(typed: str, *, folder: Path, home: Path) -> Places:
    """Return the places of a file or folder that a person typed, relative to a folder.

    Raises `NotFoundError`: there is none, or nothing in it that memtui can read.
    """
    from memtui.capture.places import places_of, sources_of

    try:
        path = folder / Path(typed.strip()).expanduser()
        is_file, is_there = path.is_file(), path.exists()
    except (RuntimeError, ValueError, OSError):
        is_file, is_there = False, False
    if not typed.strip() or not is_there:
        raise NotFoundError("No such file or folder", where=tame(typed, 80), remedy="Check the path.")
    found = sources_of(path, home)
    if not found.sources:
        raise NotFoundError(
            "This folder contains nothing in a format that memtui knows",
            where=tame(str(path), 120),
            remedy="Name a file instead; any file can be read as Markdown.",
        )
    rows = places_of(found.sources, "named", path.parent if is_file else path, home)
    return Places.of(rows, found)


def line_for(place: KnownPlace) -> IgnoreLine | None:
    """Return the line that leaves a place out of every import of its repository; None if it does not lie in one."""
    from memtui.capture.left_out import IgnoreLine

    root = place.sources[0].file.root
    if place.where == "home" or not place.path.is_relative_to(root):
        return None
    return IgnoreLine(root, place.path.relative_to(root).as_posix())


class Importer:
    """Dry runs, and the import itself. `home`: the user's home folder."""

    def __init__(self, access: VaultAccess, home: Path) -> None:
        self._access = access
        self._home = home

    def preview(self, found: SourcesFound, stores: Stores, *, active: bool, progress: Progress) -> Preview:
        """Return what importing these sources would do; writes nothing. Raises `Cancelled`: raised by `progress`."""
        from memtui.capture.importer import (
            changed_files,
            plan_import,
            silent_files,
            stating_files,
            turned_down_files,
        )

        request = self._request(found, active=active)
        read = self._read(found, stores, request, progress)
        unclear = dict(read.stores.unclear) if read.stores is not None else {}
        plan = plan_import(self._access.read_vault, read, request)
        known = dict.fromkeys(silent_files(plan, read), SILENT)
        known |= dict.fromkeys(turned_down_files(plan, read), REJECTED)
        known |= {path: IN_VAULT for path, has_news in stating_files(plan, read) if not has_news}
        rows = [*imports.told_rows(read.stores), *imports.told_links(plan)]
        return Preview(
            plan,
            len(read.files),
            known,
            unclear,
            frozenset(changed_files(plan, read)),
            rows,
            len(stores.ticked),
        )

    def _read(self, found: SourcesFound, stores: Stores, request: ImportRequest, progress: Progress) -> SourcesRead:
        from memtui.capture.importer import read_sources

        read = read_sources(request, found, progress=lambda done, total: progress("reading", done, total))
        read.stores = stores.read(self._access, lambda done, total: progress("reading", done, total))
        return read

    def run(self, found: SourcesFound, stores: Stores, *, active: bool, progress: Progress) -> CameIn:
        """Import these sources as one change; cancelled, it leaves the vault unchanged."""
        from memtui.capture.importer import run_import

        request = self._request(found, active=active)
        try:
            read = self._read(found, stores, request, progress)
            self._access.opening.before_change()
            plan, report = run_import(
                self._access.vault,
                read,
                request,
                actor=self._access.opening.actor,
                progress=lambda done, total: progress("writing", done, total),
            )
        except Cancelled:
            return CameIn(Done("Import cancelled; the vault is unchanged", changed=False))
        others = self.other_projects(plan)
        return came_to(report, others, active=active, elsewhere=self._waiting_elsewhere(plan, others))

    def other_projects(self, plan: ImportPlan) -> list[str]:
        """Return the projects that new memories go to, the most first; empty where one in view is among them."""
        view, opening = self._access.view, self._access.opening
        new = Counter(item.project for item in plan.items if item.action in {"add", "restore"})
        is_here = view is None or view.project in new or (opening.project is None and not opening.has_folder)
        return [] if is_here else [name for name, _ in new.most_common() if name not in {None, GLOBAL_PROJECT}]

    def _waiting_elsewhere(self, plan: ImportPlan, others: Sequence[str]) -> int:
        """Return how many new memories wait in other inboxes than that which is opened after the import."""
        view = self._access.view
        opened = others[0] if others else view.project if view is not None else None
        if opened is None:
            return 0
        new = (item for item in plan.items if item.action in {"add", "restore"})
        waiting = (item for item in new if (item.draft.record or {}).get("status", "candidate") == "candidate")
        return sum(item.project not in {opened, None, GLOBAL_PROJECT} for item in waiting)

    def _request(self, found: SourcesFound, *, active: bool) -> ImportRequest:
        from memtui.capture.import_plan import ImportOptions
        from memtui.capture.importer import ImportRequest

        opening = self._access.opening
        return ImportRequest(
            paths=[source.file.path for source in found.sources],
            folder=opening.folder,
            home=self._home,
            project=opening.project,
            options=ImportOptions(active=active, secret_patterns=opening.secret_patterns),
        )


HEADINGS = {"project": "This project", "home": "Your home folder, for every project", "named": "Named by you"}

LEFT_OUT = "Left out by lines in .memtuiignore"

MOST_SHOWN = 2_000  # Rows of one group; the rest are counted

_GROUPS = (
    ("New", ("add", "restore"), "+"),
    ("Changed in their source", ("update", "replace"), "~"),
    ("In conflict: left unchanged", ("conflict", "clash"), "!"),
)
_UNASSIGNED = "unassigned: in no project"
_LONGEST_TITLE = 200
_REST_CELLS = 64  # Of a line about what is not in the list: it is wrapped to fit the pane from 80 columns on
_SHORTEST_LABEL = 20  # Less of it would be cut in its first words


# -- sources -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A source, ticked or not."""

    place: KnownPlace
    ticked: bool
    known: str = ""  # why it holds nothing new; empty if it may
    unread: bool = False  # whether it is ticked unless reading it shows that it holds nothing new
    is_changed: bool = False  # whether all that is new of it are changes


@dataclass(frozen=True, slots=True)
class LeftOutRow:
    """A source that a line of the ignore file leaves out."""

    line: IgnoreLine


def place_rows(
    places: Places,
    ticked: Collection[Path],
    known: Mapping[Path, str] | None = None,  # paths of those that hold nothing new, with why
    unread: Collection[Path] = (),  # paths of those whose tick goes where they hold nothing new
    changed: Collection[Path] = (),  # paths of those of which only something known changed
) -> list[PlaceRow | LeftOutRow | TextRow]:
    """Return the sources under headings."""
    lines: list[PlaceRow | LeftOutRow | TextRow] = []
    for where, heading in HEADINGS.items():
        found = [place for place in places.rows if place.where == where]
        if found:
            lines += [TextRow("")] if lines else []
            lines += [
                TextRow(heading),
                *(
                    PlaceRow(
                        *(one, one.path in ticked, (known or {}).get(one.path, "")),
                        unread=one.path in unread,
                        is_changed=one.path in changed,
                    )
                    for one in found
                ),
            ]
    if places.left_out:
        lines += [*([TextRow("")] if lines else []), TextRow(LEFT_OUT), *map(LeftOutRow, places.left_out)]
    return lines


def same_row(row: PlaceRow | LeftOutRow | StoreRow, other: PlaceRow | LeftOutRow | StoreRow) -> bool:
    """Return whether two rows are of the same source, ticked or not."""
    if isinstance(row, StoreRow) and isinstance(other, StoreRow):
        return row.key == other.key
    if isinstance(row, PlaceRow) and isinstance(other, PlaceRow):
        return row.place == other.place
    return isinstance(row, LeftOutRow) and row == other


def place_cells(row: PlaceRow | LeftOutRow | StoreRow, width: int) -> list[Cell]:
    """Return a source: its tick, its name, its format, how many files, or that it is in the vault already."""
    if isinstance(row, StoreRow):
        return store_cells(row)
    if isinstance(row, LeftOutRow):
        back = Cell("x includes it again", "dim", 16, since=34, right=True, before=1)
        return [Cell("−", "dim", 2), Cell(tame(row.line.name), "dim", is_path=True), back]
    label = min(30, width - 33)
    mark, text, kind = ("good", "base", "kind") if row.ticked else ("dim", "dim", "dim")
    return [
        Cell("…", "dim", 2) if row.unread else Cell("✓" if row.ticked else "·", mark, 2),
        Cell(tame(row.place.name), text, is_path=True),
        Cell(tame(row.place.label), kind, label if label >= _SHORTEST_LABEL else 0, before=1, snug=True),
        Cell(
            row.known or ("changed" if row.is_changed else counted(len(row.place.sources), "file")),
            "dim",
            9,
            right=True,
            before=1,
            snug=True,
        ),
    ]


# -- what an import would do ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What happens to one memory of a source."""

    mark: str  # `+` new, `~` changed, `!` conflict, `−` left out
    kind: str
    title: str
    place: str  # path of the file, and line
    note: str  # why, and what to check
    planned: Planned
    listed: str = ""  # the title in the list, as the rows above let it be


def plan_lines(plan: ImportPlan, left_out: Sequence[str] = ()) -> list[PlanRow | TextRow]:
    """Return rows under headings; memories that stay as they are are counted. `left_out`: what of stores is none."""
    lost = imports.lost_imports(plan.skipped, {item.draft.source.path for item in plan.items})
    groups = [list(_group(heading, mark, plan, actions)) for heading, actions, mark in _GROUPS]
    groups[:0] = [[TextRow("Nothing to read: an import leads nowhere"), *_wrapped(lost)]] if lost else []
    unchanged = plan.count("unchanged")
    same = f"  {counted(unchanged, 'memory is', 'memories are')} already in the vault, unchanged"
    groups += [[TextRow(same, "dim")] if unchanged else [], _dropped(plan.missing), list(_passed_over(plan))]
    groups += [[TextRow("Left out of stores"), *_wrapped(left_out)] if left_out else []]
    lines: list[PlanRow | TextRow] = []
    for group in filter(None, groups):
        lines += [*([TextRow("")] if lines else []), *group]
    return lines


def passed_over(plan: ImportPlan) -> int:
    """Return how many parts of the sources with a text of their own an import passes over, as its report has it."""
    skipped = (item.reason_code for item in plan.items if item.action == "skip")
    return imports.passed_over([*skipped, *(one.reason_code for one in plan.skipped)])


def _group(heading: str, mark: str, plan: ImportPlan, actions: Collection[str]) -> Iterator[PlanRow | TextRow]:
    found = [item for item in plan.items if item.action in actions]
    if not found:
        return
    all_unassigned = mark == "+" and all(item.project is None for item in found)
    parts = [f"{len(found):,}"]
    parts += [_UNASSIGNED] if all_unassigned else []
    parts += ["after the import, b then d resolves them"] if mark == "!" else []
    yield TextRow(heading, count=" · ".join(parts))
    yield from _listed(found, mark, note_unassigned=mark == "+" and not all_unassigned)


def _listed(found: Sequence[Planned], mark: str, *, note_unassigned: bool = False) -> Iterator[PlanRow | TextRow]:
    rows = [_row(item, mark, note_unassigned=note_unassigned) for item in found[:MOST_SHOWN]]
    titles = said_once([Titled.of(row.title, [row.planned.draft.source]) for row in rows])
    yield from (replace(row, listed=title) for row, title in zip(rows, titles, strict=True))
    yield from _more(len(found) - MOST_SHOWN)


def _more(number: int) -> Iterator[TextRow]:
    if number > 0:
        yield TextRow(f"  … and {number:,} more", "dim")


def _dropped(missing: Sequence[Memory]) -> list[PlanRow | TextRow]:
    """Return the memories that their sources no longer state, by name."""
    if not missing:
        return []
    named = [TextRow(f"  {tame(memory.title, _LONGEST_TITLE)}", "base") for memory in missing[:MOST_SHOWN]]
    heading = TextRow("No longer in their source: kept", count=f"{len(missing):,}")
    return [heading, *named, *_more(len(missing) - MOST_SHOWN)]


def _passed_over(plan: ImportPlan) -> Iterator[PlanRow | TextRow]:
    """Yield what becomes no memory: texts one by one, files and lines by the reason."""
    told = imports.told_lines(plan.skipped)
    lines = [*imports.told_files(plan.skipped), *told]
    if number := passed_over(plan):
        yield TextRow("Passed over", count=f"{counted(number, 'place')}: files, or lines in a row")
    yield from _listed([item for item in plan.items if item.action == "skip"], "−")
    yield from _wrapped([*lines, *([_BY_HAND] if told else [])])
    if beside := imports.told_besides(plan.skipped):
        yield from [TextRow("")] if told else []
        yield TextRow("Not counted: no content")
        yield from _wrapped(beside)


_BY_HAND = "To keep such a line, add it with a in Browse or memtui add."


def _wrapped(lines: Sequence[str]) -> Iterator[TextRow]:
    return (TextRow(f"  {part}", "dim") for line in lines for part in wrap(line, _REST_CELLS))


def _row(item: Planned, mark: str, *, note_unassigned: bool) -> PlanRow:
    draft = item.draft
    title = "(not shown)" if item.holds_secret else tame(draft.title) or tame(draft.insight)
    span = draft.source.span
    place = tame(draft.source.path or "") + (f":{span[0]}" if span else "")
    notes = [note for note in (item.reason, *map(imports.note_words, draft.notes)) if note]
    notes += [_UNASSIGNED] if note_unassigned and item.project is None else []
    return PlanRow(mark, tame(item.kind, 40), title, place, tame("; ".join(notes)), item)


def plan_cells(row: PlanRow, width: int) -> list[Cell]:
    """Return a memory of a source: what happens to it, its kind, title, and a note or its place."""
    return [
        Cell(row.mark, "warning" if row.mark in "!−" else "good", 2),
        Cell(short_kind(row.kind), "kind", KIND_CELLS, since=40, after=1),
        Cell(row.listed or row.title, "base", at_word=True),
        Cell(row.note, "warning", min(cell_width(row.note), int(width * 0.4)), before=1, at_word=True),
        Cell(row.place, "dim", 0 if row.note else min(22, width // 4), since=64, right=True, before=1, is_path=True),
    ]
