"""What Import reads from the disk and the vault, and the import itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.errors import NotFoundError
from memtui.progress import Cancelled
from memtui.text.words import counted
from memtui.tui.text_layout import tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.capture.collect import KnownPlace
    from memtui.capture.importer import ImportRequest
    from memtui.capture.plan import ImportPlan

Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it is done and how much there is; raises `Cancelled` to stop."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do, and how many files it would read."""

    plan: ImportPlan
    files: int


def place_at(typed: str, *, folder: Path, home: Path) -> KnownPlace:
    """Return a place that a person typed, relative to a folder.

    Raises:
        NotFoundError: there is none, or nothing in it that memtui can read.
    """
    from memtui.capture.collect import KnownPlace, look_at

    try:
        path = folder / Path(typed.strip()).expanduser()
        is_file, is_there = path.is_file(), path.exists()
    except (RuntimeError, ValueError, OSError):
        is_file, is_there = False, False
    if not typed.strip() or not is_there:
        raise NotFoundError("No such file or folder", where=tame(typed, 80), remedy="Check the path.")
    found = look_at(path, where="named", base=path.parent if is_file else path, home=home)
    if found is None and not is_file:
        raise NotFoundError(
            "This folder holds nothing in a format that memtui knows",
            where=tame(str(path), 120),
            remedy="Name a file instead: any file can be read as Markdown.",
        )
    return found or KnownPlace(path, "named", "Any Markdown", str(path), 1)


class Importer:
    """Dry runs, and the import itself.

    Args:
        home: the user's home folder.
    """

    def __init__(self, access: VaultAccess, home: Path) -> None:
        self._access = access
        self._home = home

    def preview(self, places: Sequence[KnownPlace], *, active: bool, progress: Progress) -> Preview:
        """Return what importing these places would do; writes nothing.

        Raises:
            Cancelled: raised by `progress`.
        """
        from memtui.capture.importer import plan_import, read_sources

        request = self._request(places, active=active)
        read = read_sources(request, progress=lambda done, total: progress("reading", done, total))
        return Preview(plan_import(self._access.read_vault, read, request), len(read.files))

    def run(self, places: Sequence[KnownPlace], *, active: bool, progress: Progress) -> Done:
        """Import these places as one change; cancelled, it leaves the vault unchanged."""
        from memtui.capture.importer import read_sources, run_import

        request = self._request(places, active=active)
        try:
            read = read_sources(request, progress=lambda done, total: progress("reading", done, total))
            self._access.opening.before_change()
            plan, report = run_import(
                self._access.vault,
                read,
                request,
                actor=self._access.opening.actor,
                progress=lambda done, total: progress("writing", done, total),
            )
        except Cancelled:
            return Done("Import cancelled; the vault is unchanged", changed=False)
        if report is None:
            taken = counted(plan.count("clash"), "record has an id", "records have ids")
            return Done(f"Nothing was imported: {taken} that another memory of the vault has", changed=False)
        changed = bool(report.added or report.updated)
        hints = [outcomes.imported(report)]
        hints += ["b opens the inbox"] if report.added and not active else []
        hints += ["b, then d resolves conflicts"] if report.conflicts else []
        hints += ["u undoes it"] if changed else []
        return Done("; ".join(hints), changed=changed)

    def _request(self, places: Sequence[KnownPlace], *, active: bool) -> ImportRequest:
        from memtui.capture.importer import ImportRequest
        from memtui.capture.plan import ImportOptions

        opening = self._access.opening
        return ImportRequest(
            paths=[place.path for place in places],
            folder=opening.folder,
            home=self._home,
            project=opening.project,
            options=ImportOptions(active=active, secret_patterns=opening.secret_patterns),
        )
