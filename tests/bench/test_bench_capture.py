"""A year of transcripts read for the first time, stopped and gone on with, and the day after it."""

from __future__ import annotations

import json
import resource
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.test_bench_speed import SMALL, check
from bench.timing import seconds
from bench.transcripts import write_transcripts

from memtui.capture.proposals import scan
from memtui.capture.proposals.run import CaptureRequest, capture, found_and_to_read
from memtui.domain.identity import Actor
from memtui.progress import Cancelled
from memtui.vault.vault import Vault

pytestmark = pytest.mark.bench

YEAR = 4_000_000 if SMALL else 2_000_000_000
DAY = YEAR // 365
ME = Actor()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("year")
    print(f"\n{write_transcripts(home, YEAR)} sessions in {YEAR / 1e6:,.0f} MB")
    return home


def _vault(folder: Path) -> Vault:
    return Vault(folder / "vault.duckdb", now=lambda: datetime(2026, 11, 29, tzinfo=UTC))


def test_the_first_run_and_the_day_after(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(scan, "LARGE_BYTES", min(scan.LARGE_BYTES, YEAR // 2))
    vault, request = _vault(tmp_path), CaptureRequest(home=home, folder=tmp_path)
    before = {who: _cores(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)}
    check("a year of transcripts, first time", seconds(lambda: capture(vault, request, actor=ME)), 60)
    for who, name in ((resource.RUSAGE_SELF, "this process"), (resource.RUSAGE_CHILDREN, "children")):
        memory = resource.getrusage(who).ru_maxrss / 1024
        print(f"{name}: {_cores(who) - before[who]:.0f} s of a core, at most {memory:,.0f} MB")
    state = next(tmp_path.rglob("capture/*.json"))
    print(f"state: {state.stat().st_size / 1024:,.0f} KB for {len(json.loads(state.read_bytes())['files'])} files")
    check("again, with nothing new", seconds(lambda: capture(vault, request, actor=ME)), 1)
    write_transcripts(home / "next", DAY, days=1, seed=8)
    for file in sorted((home / "next").rglob("*.jsonl")):
        target = home / file.relative_to(home / "next").with_name(f"{file.stem}-next{file.suffix}")
        target.parent.mkdir(parents=True, exist_ok=True)
        file.rename(target)
    check("a day of transcripts", seconds(lambda: capture(vault, request, actor=ME)), 2)


def _cores(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def test_a_run_that_was_stopped_goes_on(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    vault, request = _vault(tmp_path), CaptureRequest(home=home, folder=tmp_path)

    def stop(done: int, total: int) -> None:
        if done > total / 4:
            raise Cancelled

    before = len(found_and_to_read(vault, request)[1])
    assert capture(vault, request, actor=ME, progress=stop).is_cancelled
    assert 0 < len(found_and_to_read(vault, request)[1]) < before
    check("the rest of a run that was stopped", seconds(lambda: capture(vault, request, actor=ME)), 60)
