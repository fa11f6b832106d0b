"""What a user relies on for the age of imported memories."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui.capture import dates
from memtui.capture.dates import SourceDates, date_in


def _git(folder: Path, *arguments: str, at: str = "2024-05-01T10:00:00Z") -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_COMMITTER_DATE": at,
        "GIT_AUTHOR_DATE": at,
    }
    options = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *options, *arguments], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name in ("CLAUDE.md", 'docs/größe und "mehr".md', "edited.md"):
        (tmp_path / name).write_text("one")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-qm", "one", at="2023-01-01T00:00:00Z")
    (tmp_path / "CLAUDE.md").write_text("two")
    _git(tmp_path, "commit", "-qam", "two", at="2024-05-01T12:00:00+02:00")
    (tmp_path / "edited.md").write_text("not committed")
    (tmp_path / "untracked.md").write_text("new")
    for name in ("edited.md", "untracked.md"):
        os.utime(tmp_path / name, (1_700_000_000, 1_700_000_000))
    return tmp_path


@pytest.mark.parametrize("named", [True, False])
def test_the_last_commit_dates_a_file_and_its_own_time_one_that_changed_since(repository: Path, named: bool) -> None:
    files = sorted(repository.rglob("*.md"))
    source_dates = SourceDates(repository, files if named else ())
    touched = datetime.fromtimestamp(1_700_000_000, UTC)
    assert {file.name: source_dates.observed_at(file) for file in files} == {
        "CLAUDE.md": datetime(2024, 5, 1, 10, tzinfo=UTC),
        'größe und "mehr".md': datetime(2023, 1, 1, tzinfo=UTC),
        "edited.md": touched,
        "untracked.md": touched,
    }


def test_a_copy_of_a_working_tree_keeps_the_dates_of_what_did_not_change(repository: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(repository, copy, copy_function=shutil.copyfile)  # without the times of the files
    assert SourceDates(copy).observed_at(copy / "CLAUDE.md") == datetime(2024, 5, 1, 10, tzinfo=UTC)
    (copy / "CLAUDE.md").write_text("three")
    os.utime(copy / "CLAUDE.md", (1_700_000_000, 1_700_000_000))
    assert SourceDates(copy).observed_at(copy / "CLAUDE.md") == datetime.fromtimestamp(1_700_000_000, UTC)


def test_a_sub_folder_and_a_link_to_it_know_the_same(repository: Path) -> None:
    name = 'größe und "mehr".md'
    assert SourceDates(repository / "docs").observed_at(repository / "docs" / name) == datetime(2023, 1, 1, tzinfo=UTC)
    (repository.parent / "alias").symlink_to(repository, target_is_directory=True)
    alias = repository.parent / "alias"
    assert SourceDates(alias).observed_at(alias / "docs" / name) == datetime(2023, 1, 1, tzinfo=UTC)


def test_git_is_asked_once(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source_dates = SourceDates(repository)
    source_dates.observed_at(repository / "CLAUDE.md")
    monkeypatch.setenv("PATH", "")
    assert source_dates.observed_at(repository / "CLAUDE.md") == datetime(2024, 5, 1, 10, tzinfo=UTC)


def test_without_git_or_a_repository_the_file_itself_tells(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path_factory.mktemp("plain")
    (plain / "a.md").write_text("x")
    os.utime(plain / "a.md", (1_700_000_000.9, 1_700_000_000.9))
    assert SourceDates(plain).observed_at(plain / "a.md") == datetime.fromtimestamp(1_700_000_000, UTC)
    assert SourceDates(plain).observed_at(plain / "gone.md") is None
    monkeypatch.setenv("PATH", "")
    assert SourceDates(repository).observed_at(repository / "edited.md") == datetime.fromtimestamp(1_700_000_000, UTC)


def test_a_hook_of_another_repository_does_not_mislead(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository / "nowhere"))
    assert SourceDates(repository).observed_at(repository / "CLAUDE.md") == datetime(2024, 5, 1, 10, tzinfo=UTC)


def test_a_slow_git_is_not_waited_for(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path_factory.mktemp("tools")
    (tools / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(dates, "GIT_SECONDS", 0.2)
    assert SourceDates(repository).observed_at(repository / "CLAUDE.md") is not None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-02-11", "2026-02-11"),
        ("[2026-02-11] x", "2026-02-11"),
        ("2026/2/1: x", "2026-02-01"),
        ("2026.02.11", "2026-02-11"),
        ("2026-02-11T10:00:00Z", "2026-02-11"),
        ("11 February 2026", "2026-02-11"),
        ("Feb. 11th, 2026", "2026-02-11"),
        ("11-Feb-2026", "2026-02-11"),
        ("25/12/2025", "2025-12-25"),
        ("12/25/2025", "2025-12-25"),
        ("11.02.2026", "2026-02-11"),
        ("2026年2月11日", "2026-02-11"),
        ("v1 of March 3, 2026 after 2020-01-01", "2026-03-03"),
        ("07/11/2016", ""),
        ("2026-13-01", ""),
        ("2026-02-30", ""),
        ("version 2026.02.11.4", ""),
        ("mayor 3, 2026", ""),
        ("1234-56-78", ""),
        ("yesterday", ""),
    ],
)
def test_dates_are_read_where_they_are_clear(text: str, day: str) -> None:
    found = date_in(text)
    assert (found[0].date().isoformat() if found else "") == day
    if found:
        assert found[0].tzinfo is UTC
