"""Stores of other memory tools in the Import screen: what was found, and what of it is ticked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.progress import ProgressCallback
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.row_list import TextRow

if TYPE_CHECKING:
    from memtui.capture.stores.importing import StoreFound, StoresRead

HEADING = "Other memory tools"
FACETS = ("type", "project", "month", "importance")


@dataclass(frozen=True, slots=True)
class StoreRow:
    """A store, or one of its types or projects, ticked or not."""

    store: StoreFound
    ticked: bool
    facet: str = ""  # empty for the store itself
    value: str = ""
    number: int = 0

    @property
    def key(self) -> tuple[Path, str, str]:
        return (self.store.place.path, self.facet, self.value)


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores that were found, each read once."""

    found: Sequence[StoreFound] = ()
    ticked: frozenset[Path] = frozenset()
    unticked: frozenset[tuple[Path, str, str]] = frozenset()  # types and projects that are left out
    projects: Mapping[str, str] = field(default_factory=dict)  # what a person said that stores' names mean

    def toggled(self, row: StoreRow) -> Stores:
        """Return these with one row ticked in or out; a type or project of a store ticks the store."""
        path = row.store.place.path
        if not row.facet:
            return replace(self, ticked=self.ticked ^ {path})
        return replace(self, ticked=self.ticked | {path}, unticked=self.unticked ^ {row.key})

    def all_ticked(self, *, wanted: bool) -> Stores:
        """Return these with every store that can be read ticked, or none."""
        readable = frozenset(store.place.path for store in self.found if store.contents.rows)
        return replace(self, ticked=readable if wanted else frozenset(), unticked=frozenset())

    def facet_toggled(self, row: StoreRow) -> Stores:
        """Return these with all values of a row's facet ticked, or none where all are."""
        path = row.store.place.path
        keys = {(path, row.facet, value) for value, _ in _values(row.store)[row.facet]}
        unticked = self.unticked - keys if keys & self.unticked else self.unticked | keys
        return replace(self, ticked=self.ticked | {path}, unticked=unticked)

    def with_more(self, other: Stores) -> Stores:
        """Return these with others that a person named, which are ticked."""
        known = {store.place.path for store in self.found}
        fresh = [store for store in other.found if store.place.path not in known]
        return replace(self, found=[*self.found, *fresh], ticked=self.ticked | other.ticked)

    def rows(self) -> list[StoreRow | TextRow]:
        """Return the stores under their heading, those that are ticked with their types and projects."""
        lines: list[StoreRow | TextRow] = [TextRow(""), TextRow(HEADING)] if self.found else []
        for store in self.found:
            path = store.place.path
            if store.problem:
                lines.append(TextRow(f"  {store.place.tool}: {tame(store.problem, 160)}", "warning"))
                lines.append(_place_of(store))
                continue
            lines += [StoreRow(store, path in self.ticked, number=len(store.contents.rows)), _place_of(store)]
            for facet, values in _values(store).items() if path in self.ticked else ():
                if len(values) > 1:
                    lines += [
                        StoreRow(store, (path, facet, value) not in self.unticked, facet, value, number)
                        for value, number in values
                    ]
        return lines

    def read(self, access: VaultAccess, progress: ProgressCallback | None = None) -> StoresRead | None:
        """Return what the ticked stores offer; None if none is ticked."""
        from memtui.capture.stores.importing import Choice, Names, known_rows, offer

        chosen = [store for store in self.found if store.place.path in self.ticked]
        if not chosen:
            return None
        choices = {
            store.place.path: Choice(
                types=self._kept(store, "type", [one.casefold() for one in store.types]),
                projects=self._kept(store, "project", list(store.projects)),
                dates=self._kept(store, "month", list(store.dates)),
                importances=self._kept_importances(store),
            )
            for store in chosen
        }
        with access.read_vault.read() as reader:
            names = Names(reader, self.projects)
            known = known_rows(reader, chosen, names)
        return offer(chosen, names, now=access.vault.now(), known=known, choices=choices, progress=progress)

    def _kept(self, store: StoreFound, facet: str, values: Sequence[str]) -> frozenset[str] | None:
        out = {value.casefold() for path, of, value in self.unticked if path == store.place.path and of == facet}
        return frozenset(value for value in values if value.casefold() not in out) if out else None

    def _kept_importances(self, store: StoreFound) -> frozenset[int] | None:
        kept = self._kept(store, "importance", [str(importance) for importance in store.importances])
        return None if kept is None else frozenset(map(int, kept))


def _values(store: StoreFound) -> dict[str, list[tuple[str, int]]]:
    """Return the values of each facet of a store, each with how many memories have it."""
    importances = [(str(importance), number) for importance, number in store.importances.items()]
    values = (store.types.most_common(), store.projects.most_common(), list(store.dates.items()), importances)
    return dict(zip(FACETS, values, strict=True))


_PLACE_CELLS = 32


def _place_of(store: StoreFound) -> TextRow:
    """Return the line below a store: when it was last changed, and where it lies."""
    path, changed = store.place.path, store.changed_at
    inside = path.is_relative_to(store.place.home)
    where = f"~/{path.relative_to(store.place.home).as_posix()}" if inside else path.as_posix()
    short = where if len(where) <= _PLACE_CELLS else f"…{where[1 - _PLACE_CELLS :]}"
    return TextRow("    " + "  ".join(filter(None, (f"{changed:%Y-%m-%d}" if changed else "", tame(short, 60)))), "dim")


def known_stores(access: VaultAccess, home: Path) -> Stores:
    """Return the stores at their default places, of the home folder and of known projects."""
    from memtui.capture.stores.find import default_places
    from memtui.capture.stores.importing import look_into
    from memtui.curate.projects import known_trees, read_places
    from memtui.vault.projects import project_names

    folders = [access.opening.folder]
    if access.vault.exists:
        with access.read_vault.read() as reader:
            places = read_places(reader, project_names(reader))
        folders += [tree.root for tree in known_trees(places).values()]
    return Stores(look_into(default_places("auto", home, folders)))


def store_cells(row: StoreRow) -> list[Cell]:
    """Return a store or one of its types and projects: its tick, its name, its place, how many memories."""
    mark, text = ("good", "base") if row.ticked else ("dim", "dim")
    tick = Cell("✓" if row.ticked else "·", mark, 2)
    if row.facet:
        return [
            Cell("", "dim", 2),
            tick,
            Cell(row.facet, "dim", 11),
            Cell(tame(row.value), text),
            Cell(f"{row.number:,}", "dim", 9, right=True),
        ]
    name = f"{row.store.place.tool} {tame(row.store.contents.version, 40)}".strip()
    return [
        tick,
        Cell(name, text),
        Cell(counted(row.number, "memory"), "dim", 15, right=True, before=1),
    ]
