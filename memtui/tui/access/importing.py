"""The Import screen's work on files and the vault, to be called from thread workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import NotFoundError
from memtui.tui.access.values import Done
from memtui.tui.opening import Opening
from memtui.tui.wording import counted, tame

if TYPE_CHECKING:
    from memtui.capture.applying import ImportReport
    from memtui.capture.importing import ImportRequest
    from memtui.capture.known_places import KnownPlace
    from memtui.capture.planning import ImportPlan

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of it are done and how many there are; raises `Cancelled` to stop."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do.

    Attributes:
        places: what was read, as ticked.
        files: files read.
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
        from memtui.capture.importing import plan_import, read_sources

        request = self._request(places, active=active)
        read = read_sources(request, progress=lambda done, total: progress("reading", done, total))
        return Preview(tuple(places), plan_import(self._reading, read, request), len(read.files))

    def run(self, places: Sequence[KnownPlace], *, active: bool, progress: Progress) -> Done:
        """Import these places as one change; stopped, it leaves the vault as it was."""
        from memtui.capture.draft import Cancelled
        from memtui.capture.importing import read_sources, run_import

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
        from memtui.capture.importing import ImportRequest
        from memtui.capture.planning import ImportOptions

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
