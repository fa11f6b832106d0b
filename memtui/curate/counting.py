"""What the vault holds, in numbers."""

from __future__ import annotations

from typing import Any

from memtui.domain.freshness import REVIEW_THRESHOLD
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.vault import Vault


def count_vault(vault: Vault, scope: Scope, *, threshold: float = REVIEW_THRESHOLD) -> dict[str, Any]:
    """Return counts for a scope: active, inbox, due, pinned, and per kind, status and project."""
    now = vault.now()
    with vault.read() as reader:
        per_project = reader.counts_by("project", MemoryFilter(scope=EVERYTHING, statuses=("active",)))
        return {
            "active": reader.count(MemoryFilter(scope=scope)),
            "inbox": reader.count(MemoryFilter(scope=scope, statuses=("candidate",))),
            "due": reader.count(MemoryFilter(scope=scope, stale_at=now, threshold=threshold)),
            "pinned": reader.count(MemoryFilter(scope=scope, pinned=True)),
            "by_kind": reader.counts_by("kind", MemoryFilter(scope=scope)),
            "by_status": reader.counts_by("status", MemoryFilter(scope=scope, statuses=None)),
            "by_project": {name or "unassigned": number for name, number in per_project.items()},
        }
