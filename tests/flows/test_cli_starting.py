"""Processes start what they need ahead and end at once: nothing that was written is lost by either."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import child_environment, make_memory

from memtui import clock
from memtui.cli import main
from memtui.embedding import engine
from memtui.vault import connection
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

COUNT = 400


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("starting") / "vault.duckdb"
    with Vault(path).write(actor="person", action="add") as writer:
        writer.put_many(make_memory(insight=f"fact {number} " + "of the gateway " * 20) for number in range(COUNT))
    return path


def memtui(vault: Path, *words: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memtui", "--vault", str(vault), *words]
    return subprocess.run(
        command,
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=vault.parent,
        env=child_environment(),
        check=False,
    )


def test_all_of_a_large_answer_arrives_before_the_process_ends(vault: Path) -> None:
    done = memtui(vault, "list", "--json", "--all-projects", "--limit", str(COUNT))
    assert done.returncode == 0
    assert len(json.loads(done.stdout)) == COUNT
    assert len(done.stdout) > 100_000


def test_exit_codes_and_messages_survive(vault: Path) -> None:
    nothing = memtui(vault, "search", "zebra", "--fast", "--all-projects")
    assert (nothing.returncode, nothing.stdout) == (3, "")
    assert "Nothing found." in nothing.stderr
    wrong = memtui(vault, "search", "gateway", "--limit", "0")
    assert wrong.returncode == 2
    assert "--limit" in wrong.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [("list", "--all-projects", "--limit", "2"), ("--help",)])
def test_a_full_disk_is_told(vault: Path, words: tuple[str, ...]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = memtui(vault, *words, stdout=full)
    finally:
        os.close(full)
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_change_whose_output_was_lost_is_told_with_its_id(tmp_path: Path) -> None:
    """Who sees a failure alone would add it again."""
    path = tmp_path / "vault.duckdb"
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = memtui(path, "add", "The gateway drops idle connections.", stdout=full)
    finally:
        os.close(full)
    with Vault(path).read() as reader:
        (made,) = reader.select(MemoryFilter(statuses=None), sort="updated", now=clock.now())
    assert done.returncode == 1
    assert f"The change was saved: add {made.title} ({made.id})" in done.stderr
    assert "The output could not be written: standard output: No space left on device" in done.stderr
    assert done.stderr.count("No space left") == 1


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which things are begun for a command line."""
    found: list[str] = []
    monkeypatch.setattr(connection, "warm_up", lambda: found.append("engine"))
    monkeypatch.setattr(engine, "begin_opening", lambda find_model: found.append(f"model {find_model()}"))
    monkeypatch.setattr(main, "_begin_counting", lambda: found.append("tokens"))
    return found


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["context", "lock refunds"], ["engine", "model bundled", "tokens"]),
        (["context", "lock refunds", "--fast"], ["engine"]),
        (["context", "--budget", "2k"], ["engine"]),
        (["context", "--file", "a.py", "lock"], ["engine", "model bundled", "tokens"]),
        (["search", "refunds"], ["engine", "model bundled"]),
        (["list"], ["engine"]),
        (["list", "--help"], []),
        (["completion", "bash"], []),
        (["nonsense"], []),
        ([], []),
    ],
)
def test_what_is_begun_follows_the_command_line(
    vault: Path, begun: list[str], words: list[str], expected: list[str]
) -> None:
    main.begin(["--vault", str(vault), *words])
    assert begun == expected


def test_no_model_is_begun_for_a_vault_that_is_not_there(tmp_path: Path, begun: list[str]) -> None:
    for words in (["--vault", str(tmp_path / "none")], [f"--vault={tmp_path}"], ["--vault", "nul\0"], ["--vault"]):
        main.begin([*words, "search", "refunds"])
    assert begun == ["engine"] * 4


def test_an_engine_made_ahead_is_the_one_that_is_used(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path | None] = []
    opening = connection.open_connection

    def counted(path: Path | None, *, read_only: bool) -> object:
        made.append(path)
        return opening(path, read_only=read_only)

    monkeypatch.setattr(connection, "_idle", [])
    monkeypatch.setattr(connection, "open_connection", counted)
    connection.warm_up()
    connection.warm_up()
    for _ in range(2):
        with Vault(vault).read() as reader:
            assert reader.change_counter() == 1
    assert made == [None]
