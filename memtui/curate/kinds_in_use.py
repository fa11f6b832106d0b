"""Kinds that memories have, whether or not the configuration knows them: an import keeps what it is given."""

from __future__ import annotations

from collections.abc import Iterable

from memtui.curate.editing import check_kind
from memtui.domain.kinds import DEFAULT_KIND, Kinds
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault


def kinds_in_use(vault: Vault) -> list[str]:
    """Return the kinds that any memory of the vault has, whatever its status."""
    with vault.read() as reader:
        counts = reader.counts_by("kind", MemoryFilter(scope=EVERYTHING, statuses=None))
    return [kind for kind in counts if kind is not None]


def check_kind_in_use(vault: Vault, kind: str) -> str:
    """Return a kind to choose memories by: one that is known, or one that a memory has.

    Raises:
        UsageError: it is neither; names the nearest.
    """
    cleaned = kind.strip().lower()
    if cleaned not in vault.kinds:
        for used in kinds_in_use(vault):
            if used.lower() == cleaned:
                return used
    return check_kind(vault.kinds, kind)


def unknown_kinds(kinds: Kinds, stated: Iterable[str]) -> list[str]:
    """Return the kinds among those that a source states which the configuration does not know, each once."""
    return sorted({kind for kind in stated if kind not in kinds})


def unknown_kind_words(kind: str, kinds: Kinds) -> str:
    """Return the sentence that tells what becomes of a memory of an unknown kind."""
    fallback = kinds.get(DEFAULT_KIND)
    return (
        f"kind {kind} is not configured: kept as it is, and treated as {fallback.name}"
        f" (half-life {fallback.half_life_days:g} d); `[kinds.…]` in the configuration makes it one of your own"
    )
