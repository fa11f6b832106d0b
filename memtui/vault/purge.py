"""Irreversible erasure: the vault and its backups are rewritten without a text or some memories."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtui import locations
from memtui.domain.identity import PERSON
from memtui.domain.memory import GLOBAL_PROJECT
from memtui.errors import MemtuiError, NotFoundError, UsageError, VaultMissingError
from memtui.vault.backups import backups_of, beside_backups, is_stamped, unclear_leftovers
from memtui.vault.journal import gone_with_words_of, words_of
from memtui.vault.lease import (
    LOG,
    UNFINISHED,
    backup_folder,
    damaged_folder,
    drafts_files,
    lease,
    log_path,
    published_folder,
    published_root,
    remove_files,
)
from memtui.vault.publications import publications
from memtui.vault.repair import SNAPSHOT
from memtui.vault.rewrite import FRESH, Order, rewrite_file
from memtui.vault.subprocess_probe import probe
from memtui.vault.team_copies import drop_copies
from memtui.vault.teams import read_teams
from memtui.vault.text_search import Eraser, bytes_pattern, cells_with_word, holds_text, text_pattern
from memtui.vault.vault import Vault

_MOST_VARIANTS = 20
_SHORTEST_TOLD = 8  # Characters of an id or a line by which a file is told to hold a memory
_SCANNED_BYTES = 1 << 20
_OVERLAP_BYTES = 4096
"""Kept of the previous chunk besides four times the text: room for the white space between its words."""


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What was erased."""

    memories: int  # memories erased, or changed by the erasure of a text
    revisions: int  # entries of the journal erased or changed
    backups: tuple[Path, ...] = ()  # backups that were rewritten
    leftovers: tuple[Path, ...] = ()  # files that could not be rewritten and may still contain it
    # other capitalisations of a text that the vault still contains, with the number of places
    variants: Mapping[str, int] = field(default_factory=dict)
    branches: tuple[str, ...] = ()  # of teams, whose history keeps what was shared
    found: bool = True  # False where a text is in neither the vault nor a backup, so that neither was written


def purge_memories(vault: Vault, ids: Sequence[str]) -> PurgeReport:
    """Erase memories with all their history: revisions, links, verdicts, signals, places in packs.

    What the journal has of their words under ids that are gone is erased, too.

    Tombstones with the hashes of their contents stay, so that no import brings them back.

    Raises:
        VaultMissingError: there is no vault.
        NotFoundError: neither the vault nor its journal has an id; nothing was erased.
        VaultBusyError: the vault is in use.
    """
    _require(vault)
    with vault.read() as reader:
        known = {*reader.get_many(ids), *reader.ids_in_journal(ids)}
        twins = gone_with_words_of(reader, ids)
        told = {*ids, *words_of(reader, [*ids, *twins])}
        published = [Path(one.path) for one in publications(reader) if not set(ids).isdisjoint(one.memory_ids)]
    unknown = [identifier for identifier in ids if identifier not in known]
    if unknown or not ids:
        raise NotFoundError(
            "No memory has this id",
            where=", ".join(unknown) or "(none given)",
            remedy="`memtui list --status any` lists all ids.",
        )
    report = _purge(vault, Order(frozenset(ids) | twins, None, vault.now(), named=len(set(ids))))
    report = _forget_copies(vault, report)
    report = _forget(report, locations.payload_files())
    wanted = [words for line in told if len(words := " ".join(line.split())) >= _SHORTEST_TOLD]
    return _with_published(vault, report, [*published, *_edited(ids, wanted)], lambda data: _tells(data, wanted))


def purge_text(vault: Vault, text: str) -> PurgeReport:
    """Replace a text by `[purged]` wherever it occurs: memories, journal, packs, recipes, projects, backups.

    Exactly this text, with any white space between its words. Case matters, because in other capitals it may be
    another word, and a purge cannot be undone; other capitalisations are reported. If it occurs neither in the vault
    nor in a backup, neither is written. Ids, configured kinds and other machine words stay. A file whose bytes still
    contain it is among the leftovers.

    Raises:
        VaultMissingError: there is no vault.
        UsageError: the text is blank, or not a text that a vault could contain.
        VaultBusyError: the vault is in use.
    """
    _require(vault)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(
            "The text to purge contains half a character",
            where=repr(text[:40]),
            remedy="Give a text of whole characters.",
        ) from None
    if not text.strip():
        raise UsageError("The text to purge is blank", remedy="Give the text itself.")
    eraser = Eraser(text, frozenset({*vault.kinds.names(), PERSON, GLOBAL_PROJECT}))
    variants = _case_variants(vault, text)
    with vault.read() as reader:
        published = [Path(one.path) for one in publications(reader)]
    report = _purge(vault, Order(frozenset(), eraser, vault.now()), text, has_variants=bool(variants))
    # What occurs nowhere else may be in what a branch was before it was rewritten.
    report = _forget_copies(vault, report, "" if report.found else text)
    installs = locations.installs_folder()
    # Uninstalling takes single entries out where no copy of a configuration is left.
    configurations = installs.iterdir() if installs.is_dir() else ()
    report = _forget(report, [*locations.payload_files(), locations.app_state(), *configurations], text)
    theirs = [path for path in (*published, *locations.editor_files()) if _holds(path, text)]
    report = _with_published(vault, report, theirs, bytes_pattern(text).search, is_of_text=True)
    return replace(report, variants=_case_variants(vault, text) if report.found else variants)


def _with_published(
    vault: Vault,
    report: PurgeReport,
    paths: Sequence[Path],
    holds: Callable[[bytes], object],
    *,
    is_of_text: bool = False,
) -> PurgeReport:
    """Remove drafts and the backups of files that memtui wrote into, and add the files that still contain the text.

    A file that two vaults publish into is kept by each with what the other wrote.

    `paths`: of these those that are a person's: what memtui published into, and what was given to an editor.
    `holds`: whether bytes contain what is erased. `is_of_text`: without it, all that this vault kept goes.
    """
    root, own = published_root(vault.path), {published_folder(vault.path), vault.path.parent}
    left = {path for path in paths if path.is_file()}
    for kept in (*drafts_files(vault.path), *root.glob("*"), *root.glob("*/*")):
        is_own = kept.parent in own
        try:
            is_meant = kept.is_file() and ((is_own and not is_of_text) or bool(holds(_stated_in(kept))))
            if is_meant and (is_own or kept.name != UNFINISHED):
                kept.unlink()
                continue
        except FileNotFoundError:
            continue
        except OSError:
            is_meant = True  # Nobody can tell what it contains.
        if is_meant:
            left.add(kept)
    return replace(report, leftovers=(*report.leftovers, *sorted(left)))


def _stated_in(kept: Path) -> bytes:
    """Return what a file holds that memtui keeps; what is kept of a crash is packed."""
    data = kept.read_bytes()
    if kept.name != UNFINISHED:
        return data
    try:
        packed = [row[side] for row in json.loads(data)["files"] for side in ("before", "after") if row[side]]
        return b"\n".join(map(base64.b64decode, packed))
    except (ValueError, KeyError, TypeError):
        return data


def _edited(ids: Sequence[str], wanted: Sequence[str]) -> list[Path]:
    """Return what an editor has or had open of some memories: their own files, and those of many that tell of them."""
    own = {path for identifier in ids for path in locations.editor_files(identifier)}
    for path in locations.editor_files():
        with suppress(OSError):
            if _tells(path.read_bytes(), wanted):
                own.add(path)
    return sorted(own)


def _tells(data: bytes, wanted: Sequence[str]) -> bool:
    """Return whether the bytes of a file tell of some memories.

    `wanted`: their ids and the lines of their texts, but those that are so short that they may stand anywhere.
    """
    text = " ".join(data.decode("utf-8", "replace").split())
    return any(words in text for words in wanted)


def _forget(report: PurgeReport, paths: Iterable[Path], text: str = "") -> PurgeReport:
    """Remove memtui's files outside the vault's folder that hold a text, or all; none is needed.

    Those that the system denies to read or to remove are added to the leftovers.
    """
    denied: list[Path] = []
    for path in paths:
        try:
            if not text or _holds(path, text):
                path.unlink(missing_ok=True)
        except FileNotFoundError:
            continue
        except PermissionError:
            denied.append(path)
    return replace(report, leftovers=(*report.leftovers, *denied))


def _forget_copies(vault: Vault, report: PurgeReport, text: str = "") -> PurgeReport:
    """Remove the local copies of teams' branches, also of teams that were left, and name the branches.

    `text`: only copies that may hold it are removed, and only their branches named.
    """
    copies = locations.team_copies()
    denied = drop_copies(copies, text, wait_seconds=vault.patience_seconds)
    gone = {*copies} - {*locations.team_copies()}
    with vault.read() as reader:
        teams = [team for team in read_teams(reader) if team.branch]
    branches = tuple(team.name for team in teams if not text or locations.team_copy(team.id) in gone)
    return replace(report, leftovers=(*report.leftovers, *denied), branches=branches)


def _case_variants(vault: Vault, text: str) -> Mapping[str, int]:
    """Return other capitalisations of a text in the vault, backups apart, with the number of places, most first."""
    # As JSON writes it too, because journal and options are JSON.
    forms = {text, json.dumps(text, ensure_ascii=False)[1:-1]}
    wanted = re.compile(text_pattern(text), re.IGNORECASE)
    found: Counter[str] = Counter()
    with vault.connect(read_only=True) as connection:
        for value in cells_with_word(connection, text.strip().split()[0]):
            found.update(match[0] for match in wanted.finditer(value) if match[0] not in forms)
    return dict(found.most_common(_MOST_VARIANTS))


def _require(vault: Vault) -> None:
    if not vault.exists:
        raise VaultMissingError("No vault to purge", where=str(vault.path))


def _purge(vault: Vault, order: Order, text: str = "", *, has_variants: bool = False) -> PurgeReport:
    """Rewrite the backups, then the vault: until it is rewritten, the purge is visibly incomplete."""
    rewritten: list[Path] = []
    with lease(vault.path, exclusive=True, wait_seconds=vault.patience_seconds):
        _remove_unfinished(vault.path)
        listed = backups_of(vault.path)
        backups = listed.own
        # In a child process first: opening a damaged file could end this one.
        readable = [path for path in backups if probe(path).readable]
        leftovers = [*listed.unclear, *(path for path in backups if path not in readable)]
        if order.eraser and not _occurs([vault.path, *readable], order.eraser, text, has_variants=has_variants):
            return PurgeReport(0, 0, leftovers=(*leftovers, *_out_of_reach(vault.path)), found=False)
        for path in readable:
            (rewritten if _rewrite_backup(path, order) else leftovers).append(path)
        counts = rewrite_file(vault.path, order)
    if text:
        leftovers.extend(path for path in (vault.path, *rewritten) if _holds(path, text))
    leftovers.extend(_out_of_reach(vault.path))
    return PurgeReport(counts.memories, counts.revisions, tuple(rewritten), tuple(leftovers))


def _occurs(paths: Sequence[Path], eraser: Eraser, text: str, *, has_variants: bool) -> bool:
    """Return whether a text occurs in one of these files.

    Its bytes count too, because unreferenced blocks may contain it; but not where the vault has the text in other
    capitals, because the index stores every word in lower case.
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
    """Remove what crashes left behind of copies of the vault."""
    for suffix in (".new", ".partial", FRESH):
        remove_files(vault.with_name(vault.name + suffix))
    copies = [one for one in vault.parent.glob(f"{SNAPSHOT}*") if (one / vault.name).exists()]
    for left in (*(vault.with_name(f".{name}-repair") for name in (vault.name, vault.stem)), *copies):
        shutil.rmtree(left, ignore_errors=True)
    for suffix in (".partial", FRESH):
        for path in beside_backups(vault, suffix):
            remove_files(path)
    for suffix in (LOG, f".partial{LOG}", f"{FRESH}{LOG}"):
        for log in filter(_lacks_file, beside_backups(vault, suffix)):
            log.unlink(missing_ok=True)


def _out_of_reach(vault: Path) -> list[Path]:
    """Return files that may contain anything: damaged copies, and files in the backup folder that are not backups."""
    found: list[Path] = []
    if damaged_folder(vault).is_dir():
        found.extend(sorted(path for path in damaged_folder(vault).iterdir() if path.is_file()))
    folder = backup_folder(vault)
    if folder.is_dir():
        # Files with a time stamp are backups of this vault, rewritten by now, or of another vault beside it.
        found.extend(sorted(path for path in folder.iterdir() if path.is_file() and not is_stamped(path)))
    for suffix in (".partial", FRESH, f".partial{LOG}", f"{FRESH}{LOG}"):
        found.extend(unclear_leftovers(vault, suffix))
    found.extend(filter(_lacks_file, unclear_leftovers(vault, LOG)))
    return found


def _lacks_file(log: Path) -> bool:
    """Return whether a log stands alone, as the log of a backup is copied first."""
    return not log.with_name(log.name.removesuffix(LOG)).exists()


def _holds(path: Path, text: str) -> bool:
    """Return whether the bytes of a text occur in a file or its log; compression may hide them."""
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
