from __future__ import annotations

from pathlib import Path

import pytest

from memtui.cli.main import main
from memtui.curate.off_switch import Off, memory_off, switch_project
from memtui.domain.identity import Actor
from memtui.vault.vault import Vault

PERSON = Actor()


def repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / "src" / "deep").mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    "text", ['memory = "off"', "memory = false", 'memory = "none"', "memory = [", "\ufeffmemory='off'"]
)
def test_a_file_of_the_repository_switches_memories_off_in_all_its_folders(tmp_path: Path, text: str) -> None:
    root = repository(tmp_path / "shop")
    (root / ".memtui.toml").write_text(text, encoding="utf-8")
    assert memory_off(root / "src" / "deep", environ={}) is Off.FILE


@pytest.mark.parametrize("text", ['memory = "on"', "memory = true", "", '[export]\nmemory = "off"'])
def test_a_file_that_says_nothing_of_it_switches_nothing_off(tmp_path: Path, text: str) -> None:
    root = repository(tmp_path / "shop")
    (root / ".memtui.toml").write_text(text, encoding="utf-8")
    assert memory_off(root / "src", environ={}) is None


def test_the_nearest_file_decides_and_none_outside_the_repository(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop")
    (tmp_path / ".memtui.toml").write_text('memory = "off"', encoding="utf-8")
    assert memory_off(root / "src", environ={}) is None
    (root / ".memtui.toml").write_text('memory = "off"', encoding="utf-8")
    (root / "src" / ".memtui.toml").write_text('memory = "on"', encoding="utf-8")
    assert memory_off(root / "src" / "deep", environ={}) is None
    assert memory_off(root, environ={}) is Off.FILE


@pytest.mark.parametrize(("value", "off"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_a_session_can_be_incognito(tmp_path: Path, value: str, *, off: bool) -> None:
    found = memory_off(tmp_path, environ={"MEMTUI_INCOGNITO": value})
    assert (found is Off.INCOGNITO) is off


def test_a_person_switches_a_project_off_and_on_also_before_it_has_memories(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop")
    name, changed = switch_project(vault, root / "src", None, off=True, actor=PERSON)
    assert changed
    with vault.read() as reader:
        assert memory_off(root / "src", reader, environ={}) is Off.PROJECT
        assert memory_off(tmp_path, reader, named=name, environ={}) is Off.PROJECT
        assert memory_off(tmp_path, reader, environ={}) is None
    assert switch_project(vault, root, None, off=True, actor=PERSON) == (name, False)
    switch_project(vault, root, None, off=False, actor=PERSON)
    with vault.read() as reader:
        assert memory_off(root, reader, environ={}) is None


def test_the_command_line_switches_a_project_off_and_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository(tmp_path / "shop"))
    assert main(["project", "off"]) == 0
    assert "is now off" in capsys.readouterr().err
    main(["project", "list"])
    assert "(off)" in capsys.readouterr().out
    main(["project", "list", "--json"])
    assert '"off": true' in capsys.readouterr().out
    assert main(["project", "on"]) == 0
    main(["project", "list"])
    assert "(off)" not in capsys.readouterr().out


def test_no_agent_switches_a_project_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository(tmp_path / "shop"))
    assert main(["project", "off"]) == 0
    assert main(["--actor", "codex", "project", "on"]) == 6


def test_a_folder_without_a_project_has_nothing_to_switch_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["project", "off"]) == 2
