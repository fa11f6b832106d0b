"""A vault with a stepping clock, real repositories, and short ways to add and to export: for tests of services."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.capture.apply import ImportReport
from memtui.capture.import_plan import ImportOptions, ImportPlan
from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.curate.memories import NewMemory, add_memory
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory
from memtui.publish.files import jsonl_text
from memtui.publish.portable import export_jsonl, take_snapshot, write_vault
from memtui.vault.filters import EVERYTHING
from memtui.vault.vault import Vault

PERSON = Actor()
AGENT = Actor("codex", is_person=False)
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    """A clock that moves one second each time somebody looks, and by days when told."""

    def __init__(self, start: datetime = START) -> None:
        self.moment = start

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment

    def pass_days(self, days: float) -> None:
        self.moment += timedelta(days=days)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path, clock: Clock) -> Vault:
    """A vault that does not exist yet, with a clock that moves."""
    folder = tmp_path / "data"
    folder.mkdir()
    return new_vault(folder, clock)[0]


def new_vault(folder: Path, clock: Clock | None = None) -> tuple[Vault, Clock]:
    clock = clock or Clock()
    return Vault(folder / "vault.duckdb", now=clock), clock


def add(vault: Vault, text: str, *, actor: Actor = PERSON, folder: Path | None = None, **options: Any) -> Memory:
    """Add a memory of project `shop`, unless told otherwise."""
    options.setdefault("project", "shop")
    return add_memory(vault, NewMemory(text=text, **options), actor=actor, folder=folder or vault.path.parent).memory


def try_import(
    vault: Vault,
    *paths: Path,
    actor: Actor = PERSON,
    folder: Path | None = None,
    project: str | None = None,
    progress: Any = None,
    **options: Any,
) -> tuple[ImportPlan, ImportReport]:
    """Import paths as somebody who stands in the first of them."""
    request = ImportRequest(
        paths=paths,
        folder=folder or (paths[0] if paths[0].is_dir() else paths[0].parent),
        home=vault.path.parent,
        project=project,
        options=ImportOptions(**options),
    )
    return run_import(vault, read_sources(request), request, actor=actor, progress=progress)


def bring_with_plan(vault: Vault, *paths: Path, **options: Any) -> tuple[ImportPlan, ImportReport]:
    """Import paths; returns what was planned besides."""
    return try_import(vault, *paths, **options)


def bring(vault: Vault, *paths: Path, **options: Any) -> ImportReport:
    """Import paths."""
    return bring_with_plan(vault, *paths, **options)[1]


def outcome(report: ImportReport) -> tuple[int, int, int, int]:
    """Return how many were added, updated, unchanged and in conflict."""
    return (report.added, report.updated, report.unchanged, len(report.conflicts))


def rewrite(root: Path, old: str, new: str, name: str = "CLAUDE.md") -> None:
    """Replace a text in a file."""
    path = root / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def get(vault: Vault, identifier: str) -> Memory:
    with vault.read() as reader:
        return reader.get(identifier)


def everything(vault: Vault) -> str:
    """Return the whole vault in its portable form."""
    return jsonl_text(take_snapshot(vault, EVERYTHING))


def counter(vault: Vault) -> int:
    with vault.read() as reader:
        return reader.change_counter()


def git(folder: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **environment},
    )
    return done.stdout


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def repository(folder: Path, files: Mapping[str, str], *, remote: str | None = None, on: str = "2026-01-15") -> Path:
    """Make a git repository whose files were all committed on one day."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.org")
    git(folder, "config", "commit.gpgsign", "false")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    write_files(folder, files)
    commit(folder, on=on)
    return folder


def commit(folder: Path, *, on: str) -> None:
    moment = f"{on}T10:00:00+00:00"
    git(folder, "add", "--all")
    git(
        folder,
        *("commit", "--quiet", "--allow-empty", "--message", "Write"),
        GIT_AUTHOR_DATE=moment,
        GIT_COMMITTER_DATE=moment,
    )


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def to_jsonl(vault: Vault, folder: Path) -> Path:
    export_jsonl(take_snapshot(vault, EVERYTHING), folder / "export.jsonl")
    return folder / "export.jsonl"


def to_folder(vault: Vault, folder: Path) -> Path:
    write_vault(folder / "export", take_snapshot(vault, EVERYTHING))
    return folder / "export"
