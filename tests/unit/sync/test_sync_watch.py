"""Going on syncing: what is changed while a sync runs is sent at once, and nobody syncs for their own writes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from flows.app_driver import fill, memory

from memtui.sync import service
from memtui.sync.carrier import SyncReport
from memtui.sync.service import Watch
from memtui.sync.sharing import SyncRequest
from memtui.vault.vault import Vault


def test_a_change_that_is_made_while_a_sync_runs_is_sent_by_the_next_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = (Vault(tmp_path / "vault.duckdb") for _ in range(2))
    fill(other, [memory(1, "There from the beginning")])
    runs: list[int] = []

    def sync(vault: Vault, _: SyncRequest) -> SyncReport:
        runs.append(len(runs))
        if len(runs) == 1:
            fill(other, [memory(2, "Written while the sync looks at what was there")])
        fill(vault, [memory(10 + len(runs), "What the sync itself writes")])
        return SyncReport()

    monkeypatch.setattr(service, "sync", sync)
    monkeypatch.setattr(service, "teams_of", lambda *_: [])
    monkeypatch.setattr(service, "SLICE_SECONDS", 0.05)
    found = Watch(mine, SyncRequest(folder=tmp_path), poll_seconds=1.0)
    reports = found.reports()
    next(reports)
    began = time.monotonic()
    next(reports)
    assert time.monotonic() - began < found.poll_seconds / 2, "it did not wait"
    began = time.monotonic()
    next(reports)
    assert time.monotonic() - began >= found.poll_seconds, "its own writes are no reason for another sync"
    reports.close()
