"""Irreversible erasure: the vault and its backups are rewritten without a text."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtui.domain.actor import PERSON
from memtui.domain.memory import GLOBAL_PROJECT
from memtui.errors import MemtuiError, NotFoundError, UsageError, VaultMissingError
from memtui.vault import rows
from memtui.vault.backup import backup_folder, list_backups, log_path, remove_files
from memtui.vault.lease import lease
from memtui.vault.repair import damaged_folder
from memtui.vault.rewrite import FRESH, Counts, Order, rewrite_file
from memtui.vault.subprocess_probe import probe
from memtui.vault.text_search import MACHINE_KEYS, MARK, Eraser, bytes_pattern, holds_text, text_pattern
from memtui.vault.vault import Vault

MOST_VARIANTS = 20
"""Ways of writing that are named; a word of everyday has four at most."""


def case_variants(vault: Vault, text: str) -> Mapping[str, int]:
    """Return how else, in upper and lower case, the vault writes a text, with the number of places, most first.

    Looks through memories, journal, packs, recipes and projects, not through backups.
    """
    # As JSON writes it, in which journal and options are kept.
    forms = {text, json.dumps(text, ensure_ascii=False)[1:-1]}
    wanted = re.compile(text_pattern(text), re.IGNORECASE)
    found: Counter[str] = Counter()
    for value in _texts(vault, text.strip().split()[0]):
        found.update(match[0] for match in wanted.finditer(value) if match[0] not in forms)
    return dict(found.most_common(MOST_VARIANTS))


def _texts(vault: Vault, word: str) -> Iterator[str]:
    """Yield the cells that hold a word in any case, lists and structures as JSON."""
    with vault.connect(read_only=True) as connection:
        for table, columns in rows.COLUMNS.items():
            for name, kind in columns.items():
                if name in MACHINE_KEYS or (isinstance(kind, str) and kind != "VARCHAR"):
                    continue
                cell = name if kind == "VARCHAR" else f"CAST(to_json({name}) AS VARCHAR)"
                found = connection.execute(
                    f"SELECT {cell} FROM {table} WHERE contains(lower({cell}), lower(?))",  # noqa: S608 - names are ours
                    [word],
                )
                yield from (value for (value,) in found.fetchall())


__all__ = ["MARK", "PurgeReport", "purge_memories", "purge_text"]

_SCANNED_BYTES = 1 << 20
_OVERLAP_BYTES = 4096
"""Kept of the chunk before, beside four times the text: room for the white space between its words."""


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What was erased.

    Attributes:
        memories: memories erased, or changed by the erasure of a text.
        revisions: entries of the journal erased or changed.
        backups: backups that were rewritten.
        leftovers: files that could not be rewritten and may still hold it.
        variants: how else, in upper and lower case, the vault still writes a text, with the number of places.
        found: False where a text stood nowhere, so that nothing was written.
    """

    memories: int
    revisions: int
    backups: tuple[Path, ...] = ()
    leftovers: tuple[Path, ...] = ()
    variants: Mapping[str, int] = field(default_factory=dict)
    found: bool = True


def purge_memories(vault: Vault, ids: Sequence[str]) -> PurgeReport:
    """Erase memories with all their history: revisions, links, verdicts, signals, places in packs.

    Tombstones with the hashes of their contents stay, so that no import brings them back.

    Raises:
        VaultMissingError: there is no vault.
        NotFoundError: neither the vault nor its journal knows an id; nothing was erased.
        VaultBusyError: the vault is in use.
    """
    _require(vault)
    with vault.read() as reader:
        known = {*reader.get_many(ids), *reader.ids_in_journal(ids)}
    unknown = [identifier for identifier in ids if identifier not in known]
    if unknown or not ids:
        raise NotFoundError("No memory has this id", where=", ".join(unknown) or "(none given)")
    return _purge(vault, Order(frozenset(ids), None, vault.now()), text="")


def purge_text(vault: Vault, text: str) -> PurgeReport:
    """Put `[purged]` wherever a text stands: memories, journal, packs, recipes, projects, backups.

    Exactly this text, whatever white space stands between its words, upper and lower case told apart: in other
    capitals it may be another word, and nothing of this can be undone. What stands so is reported instead. Where it
    stands neither in the vault nor in a backup, nothing is written. Ids, kinds that are configured, and other
    machine words stay. A file in which the bytes stand after all is among the leftovers.

    Raises:
        VaultMissingError: there is no vault.
        UsageError: the text is blank, or no text that a vault could hold.
        VaultBusyError: the vault is in use.
    """
    _require(vault)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("The text to purge holds half a character", where=repr(text[:40])) from None
    if not text.strip():
        raise UsageError("The text to purge is blank")
    eraser = Eraser(text, frozenset({*vault.kinds.names(), PERSON, GLOBAL_PROJECT}))
    variants = case_variants(vault, text)
    report = _purge(vault, Order(frozenset(), eraser, vault.now()), text, has_variants=bool(variants))
    return replace(report, variants=case_variants(vault, text) if report.found else variants)


def _require(vault: Vault) -> None:
    if not vault.exists:
        raise VaultMissingError("There is no vault to purge", where=str(vault.path))


def _purge(vault: Vault, order: Order, text: str, *, has_variants: bool = False) -> PurgeReport:
    """Rewrite the backups, then the vault: while it still holds the text, the work is seen to be unfinished."""
    rewritten: list[Path] = []
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        _remove_unfinished(vault.path)
        backups = list_backups(vault.path)
        # In a child process first: opening a damaged file could end this one.
        readable = [path for path in backups if probe(path).readable]
        leftovers = [path for path in backups if path not in readable]
        if order.eraser and not _stands([vault.path, *readable], order.eraser, text, has_variants=has_variants):
            leftovers.extend(_out_of_reach(vault.path))
            return PurgeReport(0, 0, leftovers=tuple(leftovers), found=False)
        for path in readable:
            (rewritten if _rewrite_backup(path, order) else leftovers).append(path)
        counts: Counts = rewrite_file(vault.path, order)
    if text:
        leftovers.extend(path for path in (vault.path, *rewritten) if _holds(path, text))
    leftovers.extend(_out_of_reach(vault.path))
    return PurgeReport(counts.memories, counts.revisions, tuple(rewritten), tuple(leftovers))


def _stands(paths: Sequence[Path], eraser: Eraser, text: str, *, has_variants: bool) -> bool:
    """Return whether a text stands in one of these files.

    Its bytes may stand in blocks that nothing refers to any more, so they count too; but not where the vault
    writes the text in other capitals, because the index holds every word in lower case.
    """
    if any(holds_text(path, eraser) for path in paths):
        return True
    return not has_variants and any(_holds(path, text) for path in paths)


def _rewrite_backup(path: Path, order: Order) -> bool:
    try:
        rewrite_file(path, order)
    except MemtuiError:
        return False
    return True


def _remove_unfinished(vault: Path) -> None:
    """Remove what a crash left over of earlier copies of the vault."""
    for suffix in (".new", ".partial", FRESH):
        remove_files(vault.with_name(vault.name + suffix))
    shutil.rmtree(vault.with_name(f".{vault.stem}-repair"), ignore_errors=True)
    folder = backup_folder(vault)
    if folder.is_dir():
        for path in [*folder.glob(f"{vault.stem}-*.partial"), *folder.glob(f"{vault.stem}-*{FRESH}")]:
            remove_files(path)


def _out_of_reach(vault: Path) -> list[Path]:
    """Return files that may hold anything: damaged copies, and vault files among the backups that are none."""
    found: list[Path] = []
    if damaged_folder(vault).is_dir():
        found.extend(sorted(path for path in damaged_folder(vault).iterdir() if path.is_file()))
    folder = backup_folder(vault)
    if folder.is_dir():
        # Files with a time stamp are backups of this vault, rewritten by now, or of another beside it.
        stamped = re.compile(r".*-\d{8}T\d{12}-.*", re.DOTALL)
        found.extend(sorted(path for path in folder.iterdir() if path.is_file() and not stamped.fullmatch(path.name)))
    return found


def _holds(path: Path, text: str) -> bool:
    """Return whether the bytes of a text stand in a file or its log; compression may hide them."""
    wanted, overlap = bytes_pattern(text), 4 * len(text.encode()) + _OVERLAP_BYTES
    for file in (path, log_path(path)):
        if not file.exists():
            continue
        with file.open("rb") as handle:
            tail = b""
            while chunk := handle.read(_SCANNED_BYTES):
                if wanted.search(tail + chunk):
                    return True
                tail = (tail + chunk)[-overlap:]
    return False
