"""Where sessions are looked for: the usual folders, those that variables move, and histories beside the code."""

from __future__ import annotations

from pathlib import Path

import pytest
from sessions import claude_typed, write_lines

from memtui.capture.transcripts.discover import ASSISTANTS, transcripts

PLACES = {
    ".claude/projects/-srv-quay/s.jsonl": "claude-code",
    ".claude/projects/-srv-quay/s/subagents/agent-1.jsonl": "claude-code",
    ".codex/sessions/2026/05/05/rollout-1.jsonl": "codex",
    ".codex/archived_sessions/rollout-0.jsonl": "codex",
    ".gemini/tmp/quay/chats/session-1.jsonl": "gemini-cli",
    ".gemini/tmp/0af1/chats/session-0.json": "gemini-cli",
    ".local/share/opencode/opencode.db": "opencode",
    ".config/Cursor/User/globalStorage/state.vscdb": "cursor",
    "Library/Application Support/Cursor/User/globalStorage/state.vscdb": "cursor",
    ".cursor/projects/quay/agent-transcripts/1/1.jsonl": "cursor",
    ".copilot/session-state/1/events.jsonl": "copilot-cli",
    ".cline/data/sessions/1/1.messages.json": "cline",
    ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json": "cline",
    ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/api_conversation_history.json": "roo",
    ".config/VSCodium/User/globalStorage/kilocode.kilo-code/tasks/1/api_conversation_history.json": "kilo",
    "code/quay/.aider.chat.history.md": "aider",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path / "home"


def _write(home: Path, *names: str) -> None:
    for name in names:
        write_lines(home / name, [claude_typed("hello")])


def _found(home: Path) -> dict[str, str]:
    return {one.file.relative_to(home).as_posix(): one.assistant for one in transcripts(home)}


def test_every_assistant_has_its_places(home: Path) -> None:
    _write(home, *PLACES)
    assert _found(home) == PLACES
    assert set(PLACES.values()) == set(ASSISTANTS)


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("CLAUDE_CONFIG_DIR", "projects/-srv-quay/s.jsonl"),
        ("CODEX_HOME", "sessions/2026/05/05/rollout-1.jsonl"),
        ("COPILOT_HOME", "session-state/1/events.jsonl"),
        ("XDG_DATA_HOME", "opencode/opencode.db"),
        ("XDG_CONFIG_HOME", "Cursor/User/globalStorage/state.vscdb"),
    ],
)
def test_variables_move_them(home: Path, monkeypatch: pytest.MonkeyPatch, variable: str, name: str) -> None:
    _write(home / "elsewhere", name)
    monkeypatch.setenv(variable, str(home / "elsewhere"))
    assert list(_found(home)) == [f"elsewhere/{name}"]


def test_the_older_files_of_opencode_count_only_without_its_database(home: Path) -> None:
    older = ".local/share/opencode/storage/session/p/s.json"
    _write(home, older)
    assert list(_found(home)) == [older]
    _write(home, ".local/share/opencode/opencode.db")
    assert list(_found(home)) == [".local/share/opencode/opencode.db"]


def test_a_history_outside_the_home_folder_is_found_by_its_project(home: Path, tmp_path: Path) -> None:
    _write(tmp_path / "srv" / "quay", ".aider.chat.history.md")
    home.mkdir()
    (found,) = transcripts(home, roots=[tmp_path / "srv" / "quay"])
    assert found.assistant == "aider"


def test_what_is_empty_hidden_or_vendored_is_not_looked_at(home: Path) -> None:
    _write(home, "code/node_modules/x/.aider.chat.history.md", "code/.venv/.aider.chat.history.md")
    (home / ".codex" / "sessions").mkdir(parents=True)
    (home / ".codex" / "sessions" / "rollout-1.jsonl").touch()
    assert _found(home) == {}


def test_a_file_that_two_names_lead_to_is_read_once(home: Path) -> None:
    name = ".claude/projects/-srv-quay/s.jsonl"
    _write(home, name)
    (home / ".config").mkdir()
    (home / ".config" / "claude").symlink_to(home / ".claude")
    assert list(_found(home)) == [name]
