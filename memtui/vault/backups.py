"""Backups of a vault: their names, and whose they are where several vaults of one folder have the same name.

A backup of `work.db` is called `work-20260102T030405678901-daily.db`: it begins and ends like the name of its vault.
Backups of earlier versions end in `.duckdb` whatever their vault does. Where another vault of the folder may have made
one, the beginning of its journal tells whose it is.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from glob import escape
from pathlib import Path

from memtui.errors import MemtuiError, VaultNotWritableError
from memtui.text.words import some_of
from memtui.vault.lease import LOCK, backup_folder, copy_private, damaged_folder, lock_path, log_path
from memtui.vault.subprocess_probe import beginnings

_FIRST_SUFFIX = ".duckdb"  # Of all backups of earlier versions
_STAMP = re.compile(r"-(\d{8}T\d{12})-")
_SHOWN = 5
_STAMP_FORM = "%Y%m%dT%H%M%S%f"


@dataclass(frozen=True, slots=True)
class Backups:
    """Copies of a vault in a folder of it; backups with the newest first."""

    own: list[Path]
    unclear: list[Path]  # may be of this vault or of another one

    @property
    def unclear_words(self) -> str:
        """What to do about those that are unclear, in a sentence; empty if none is."""
        names = some_of([path.name for path in self.unclear], _SHOWN)
        return f"Of this or another vault are: {names}; `memtui vault restore NAME` takes one." if names else ""


def copy_vault(vault: Path, now: datetime, *, label: str, to: Path | None = None) -> Path:
    """Copy the vault file and its log; the caller holds the lease.

    Args:
        now: goes into the name.
        label: what the backup is for, e.g. `manual`.
        to: a place other than the backup folder.

    Returns:
        the copy.

    Raises `MemtuiError`: it cannot be written; nothing of it is left.
    """
    target = to or _unused(vault, now, label)
    partial = target.with_name(target.name + ".partial")
    try:
        if to is None:
            target.parent.mkdir(mode=0o700, exist_ok=True)
        copy_private(vault, partial)
        if log_path(vault).exists():
            copy_private(log_path(vault), log_path(target))
        partial.replace(target)
    except (OSError, VaultNotWritableError) as error:
        for left in (partial, log_path(target)):
            with suppress(OSError):
                left.unlink()
        if isinstance(error, VaultNotWritableError):
            raise
        raise MemtuiError(
            f"The backup cannot be written ({error.strerror})",
            where=str(target),
            remedy="Nothing was changed. Check the permissions of its folder, or choose another with"
            " `memtui vault backup --to`.",
        ) from error
    return target


def _unused(vault: Path, now: datetime, label: str) -> Path:
    moment = now.astimezone(UTC)
    while True:
        path = backup_folder(vault) / f"{vault.stem}-{moment:{_STAMP_FORM}}-{label}{vault.suffix}"
        if not path.exists():
            return path
        moment += timedelta(microseconds=1)  # A frozen clock gives every backup the same time


def list_backups(vault: Path) -> list[Path]:
    """Return the backups of a vault, the newest first; not those of a `vault-2` or a `vault.db` beside it."""
    return backups_of(vault).own


def backups_of(vault: Path) -> Backups:
    """Return the backups of a vault, and those that it or another vault may have made."""
    own = beside_backups(vault, "")
    others = _namesakes(vault)
    if not others:
        return Backups(_newest_first(own), [])
    doubtful = _matching(vault, _FIRST_SUFFIX, "")
    sure = [path for path in own if path not in doubtful]
    mine, unclear = _judged(vault, others, doubtful)
    return Backups(_newest_first(sure + mine), _newest_first(unclear))


def beside_backups(vault: Path, suffix: str) -> list[Path]:
    """Return the files with the name of a backup of a vault and a suffix, whether or not that backup is there."""
    return [path for ending in _endings(vault) for path in _matching(vault, ending, suffix)]


def unclear_leftovers(vault: Path, suffix: str) -> list[Path]:
    """Return files with a suffix that an earlier version left of this vault's backups or of those of one beside it."""
    named_otherwise = vault.suffix != _FIRST_SUFFIX and _namesakes(vault)
    return _matching(vault, _FIRST_SUFFIX, suffix) if named_otherwise else []


def damaged_copy(vault: Path, now: datetime) -> Path:
    """Return where a damaged vault is kept when it is repaired."""
    return damaged_folder(vault) / f"{vault.stem}-{now.astimezone(UTC):{_STAMP_FORM}}{vault.suffix}"


def damaged_copies(vault: Path) -> Backups:
    """Return what was kept of a vault when it was repaired, the oldest first; no journal tells whose a copy is."""
    folder, endings = damaged_folder(vault), "|".join(map(re.escape, {vault.suffix, _FIRST_SUFFIX}))
    named = re.compile(rf"{re.escape(vault.stem)}-\d{{8}}T\d{{12}}(?:{endings})")
    found = sorted(path for path in folder.iterdir() if named.fullmatch(path.name)) if folder.is_dir() else []
    doubtful = {_FIRST_SUFFIX} if _namesakes(vault) else set()
    return Backups(
        [path for path in found if path.suffix not in doubtful], [path for path in found if path.suffix in doubtful]
    )


def _endings(vault: Path) -> set[str]:
    """Return how copies of a vault end: as it does, and as earlier versions called them unless another may have any."""
    return {vault.suffix} if _namesakes(vault) else {vault.suffix, _FIRST_SUFFIX}


def _matching(vault: Path, ending: str, suffix: str) -> list[Path]:
    folder = backup_folder(vault)
    if not folder.is_dir():
        return []
    # A vault without a suffix must not take the backups of those with one.
    label = r".*" if ending else r"[^.]*"
    own = re.compile(re.escape(vault.stem) + _STAMP.pattern + label + re.escape(ending + suffix), re.DOTALL)
    return [path for path in folder.iterdir() if own.fullmatch(path.name) and is_stamped(path)]


def is_stamped(path: Path) -> bool:
    """Return whether the name of a file has the time of a backup in it, and one that there can be."""
    try:
        made_at(path)
    except ValueError:
        return False
    return True


def made_at(path: Path) -> datetime:
    """Return when a listed backup was made, by the vault's clock, from its name."""
    stamp = _STAMP.search(path.name)
    return datetime.strptime(f"{stamp[1] if stamp else ''}+0000", f"{_STAMP_FORM}%z")


def _newest_first(paths: list[Path]) -> list[Path]:
    return sorted(paths, key=_age, reverse=True)


def _age(path: Path) -> tuple[datetime, int]:
    try:
        return made_at(path), path.stat().st_mtime_ns
    except FileNotFoundError:
        # Another process pruned it meanwhile; whoever opens it gets the error.
        return made_at(path), 0


# -- vaults that differ in the suffix of their names ------------------------------------------------------------


def _namesakes(vault: Path) -> list[Path]:
    """Return the other vaults of the folder whose names differ in the suffix alone, there or gone.

    The lock file tells that memtui has opened one: a copy that a person made with such a name has no backups.
    """
    locks = vault.parent.glob(f"{escape(vault.stem)}*{LOCK}")
    named = [lock.with_name(lock.name.removesuffix(LOCK)) for lock in locks if lock != lock_path(vault)]
    return [one for one in named if one.stem == vault.stem and os.path.normcase(one) != os.path.normcase(vault)]


def _judged(vault: Path, others: list[Path], doubtful: list[Path]) -> tuple[list[Path], list[Path]]:
    """Return those of some backups that are the vault's, and those of which that is unclear."""
    if not doubtful:
        return [], []
    begun = beginnings(vault, [*others, *doubtful])
    theirs = {begun[other] for other in others if other in begun}
    are_others_known = all(other in begun for other in others)
    mine: list[Path] = []
    unclear: list[Path] = []
    for path in doubtful:
        beginning = begun.get(path)
        # A copy of a vault begins like it; which of the two made a backup, its name tells as far as anything does.
        is_mine = beginning == begun.get(vault) and (beginning not in theirs or vault.suffix == _FIRST_SUFFIX)
        # A vault that is damaged or gone cannot be compared; what no other vault made is its own.
        is_left_over = vault not in begun and are_others_known and beginning not in theirs
        if beginning is not None and (is_mine or is_left_over):
            mine.append(path)
        elif beginning not in theirs or beginning == begun.get(vault):
            unclear.append(path)
    return mine, unclear
