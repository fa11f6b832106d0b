"""`install` and `uninstall`: the change is shown, nothing else is touched, and the bytes of before come back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flows.cli_driver import Cli

WRITTEN = ("claude-code", "codex", "gemini", "copilot", "opencode", "cursor")
PASTED = ("vscode", "windsurf", "cline", "roo", "zed", "goose", "kiro", "amp")


def _files(folder: Path) -> dict[str, bytes]:
    """Return every file and folder of a home, but for memtui's own."""
    found = {str(path): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}
    return {name: data for name, data in found.items() if "state" not in Path(name).relative_to(folder).parts}


def _settle(home: Path) -> None:
    """Put settings of somebody into the home: with comments, in odd styles, with hooks of others."""
    for name, text in {
        ".claude.json": '{"numStartups": 41, "mcpServers": {"other": {"command": "npx"}}, "tips": {"a": 1}}',
        ".claude/settings.json": '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"SessionStart": []\n\t}\n}\n',
        ".codex/config.toml": 'model = "o9" # big\r\n\r\n[projects."/w/tide pool"]\r\ntrust_level = "trusted"\r\n',
        ".gemini/settings.json": '{\n  // which theme\n  "theme": "ansi" /* no, not "dark" */\n  // "vimMode": true\n}',
        "config/opencode/opencode.jsonc": '\ufeff{\n    "theme": "tokyo", // best\n    "mcp": {},\n}\n',
        ".cursor/hooks.json": '{"version":1,"hooks":{"stop":[{"command":"./note.sh"}]}}\n',
    }.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


@pytest.mark.parametrize("assistant", WRITTEN)
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_what_was_installed_is_uninstalled_to_the_byte(cli: Cli, assistant: str, scope: str) -> None:
    _settle(cli.home)
    cli.repository("tide")
    cli.write("opencode.jsonc", '{\n\t"share": "off",\n}')
    before = _files(cli.home)
    shown = cli("install", assistant, scope, "--dry-run").out
    assert _files(cli.home) == before
    done = cli("install", assistant, scope)
    assert done.out == shown
    assert "Next: " in done.err
    after = _files(cli.home)
    assert after != before
    assert "already installed" in cli("install", assistant, scope).err
    assert _files(cli.home) == after
    assert "by hand" not in cli("uninstall", assistant).err
    assert _files(cli.home) == before
    cli("uninstall", assistant, code=3)


@pytest.mark.parametrize("assistant", WRITTEN)
def test_what_others_changed_since_is_kept(cli: Cli, assistant: str) -> None:
    cli("install", assistant)
    state = cli.home / "state" / "memtui"
    for path in state.rglob("*"):
        if path.is_file():
            path.unlink()
    for path in [one for one in cli.home.rglob("*.json") if "memtui" not in one.name]:
        path.write_text(json.dumps({**json.loads(path.read_text()), "theirs": [1, {}]}))
    cli("uninstall", assistant)
    kept = [json.loads(path.read_text()) for path in cli.home.rglob("*.json")]
    assert all(values.pop("theirs") == [1, {}] and values in ({}, {"version": 1}) for values in kept)
    assert not [path for path in cli.home.rglob("*") if path.is_file() and "memtui hook" in path.read_text()]


@pytest.mark.parametrize(
    ("assistant", "name", "old", "new", "again"),
    [
        ("codex", ".codex/config.toml", 'args = ["mcp"', 'startup_timeout_sec = 30\nargs = ["mcp"', True),
        ("codex", ".codex/config.toml", '"mcp"', '"mcp", "--profile", "curator"', False),
        ("claude-code", ".claude/settings.json", '"timeout": 2', '"timeout": 9', True),
        ("claude-code", ".claude/settings.json", '"Read|Edit|Write|NotebookEdit"', '"Read"', True),
        ("opencode", "config/opencode/plugins/memtui.js", "const LIMIT_MS = 2000", "const LIMIT_MS = 9000", False),
    ],
)
def test_a_change_by_hand_in_what_memtui_wrote_is_told_and_kept(
    cli: Cli, assistant: str, name: str, old: str, new: str, again: bool
) -> None:
    cli("install", assistant)
    path = cli.home / name
    changed = path.read_text().replace(old, new, 1)
    assert changed != path.read_text()
    path.write_text(changed)
    if again:
        cli("install", assistant)
    told = cli("uninstall", assistant, "--dry-run").err
    assert "edited by hand" in told
    (kept,) = [words.split()[-1] for words in told.splitlines() if "edited by hand" in words]
    assert not Path(kept).exists()
    assert cli("uninstall", assistant).err.count("edited by hand") == 1
    assert Path(kept).read_text() == changed
    assert not path.exists()


@pytest.mark.parametrize("assistant", WRITTEN)
def test_the_skill_stands_in_for_the_server(cli: Cli, assistant: str) -> None:
    before = _files(cli.home)
    done = cli("install", assistant, "--skill")
    assert "# Memories of this project" in done.out
    assert '"mcp"' not in done.out
    skill = next(path for path in cli.home.rglob("SKILL.md"))
    assert f"--actor {assistant}" in skill.read_text()
    assert "skill installed" in cli("install", "--list").out
    cli("uninstall", assistant)
    assert _files(cli.home) == before
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: memtui\n---\nby somebody else\n")
    cli("install", assistant, "--skill", code=6)
    cli("uninstall", assistant, code=3)
    assert "somebody else" in skill.read_text()


@pytest.mark.parametrize("assistant", PASTED)
def test_for_other_assistants_the_lines_to_paste_are_printed(cli: Cli, assistant: str) -> None:
    before = _files(cli.home)
    done = cli("install", assistant)
    assert "memtui" in done.out
    assert "mcp" in done.out
    assert "Paste this into" in done.err
    assert _files(cli.home) == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gemini/settings.json", '{"theme": "x",}'),
        (".gemini/settings.json", "[1]"),
        (".gemini/settings.json", '{"a": 1, "a": 2}'),
        (".gemini/settings.json", '{"hooks": {"SessionStart": {"hooks": []}}}'),
        (".gemini/settings.json", '{"mcpServers": {"memtui": {"command": "somebody-elses"}}}'),
        (".gemini/settings.json", "[" * 5_000),
        (".codex/config.toml", "model = \n"),
        (".codex/config.toml", 'mcp_servers = { other = { command = "x" } }\n'),
        (".codex/config.toml", b"caf\xe9 = 1\n"),
    ],
)
def test_what_cannot_be_edited_is_refused_with_the_lines_to_paste(cli: Cli, name: str, text: str | bytes) -> None:
    path = cli.home / name
    path.parent.mkdir()
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    before = _files(cli.home)
    refused = cli("install", name.partition("/")[0][1:], code=6)
    assert str(path) in refused.err
    assert "To do it by hand" in refused.err
    assert "memtui" in refused.err
    assert _files(cli.home) == before


def test_a_link_out_of_the_home_is_not_followed(cli: Cli, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("{}")
    (cli.home / ".cursor").mkdir()
    (cli.home / ".cursor" / "mcp.json").symlink_to(outside)
    assert "symbolic link" in cli("install", "cursor", code=6).err
    assert outside.read_text() == "{}"
    assert not (cli.home / ".cursor" / "hooks.json").exists()


@pytest.mark.parametrize(
    ("assistant", "name"),
    [("cursor", ".cursor/mcp.json"), ("codex", ".codex/config.toml"), ("gemini", ".gemini/settings.json")],
)
def test_a_link_stays_when_the_file_that_was_made_behind_it_goes(cli: Cli, assistant: str, name: str) -> None:
    link, target = cli.home / name, cli.home / "dot" / "deep" / "settings"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(Path("..", "dot", "deep", "settings"))
    before = _files(cli.home)
    cli("install", assistant)
    assert b"memtui" in target.read_bytes()
    cli("uninstall", assistant)
    assert link.is_symlink()
    assert _files(cli.home) == before


def test_the_command_names_the_vault_only_where_it_is_not_the_default(cli: Cli) -> None:
    assert "--vault" not in cli("install", "codex", "--dry-run").out
    assert f"--vault {cli.home}/other" in cli("--vault", cli.home / "other", "install", "codex", "--dry-run").out


def test_the_moved_folder_of_an_assistant_is_used(cli: Cli) -> None:
    cli.patch.setenv("CODEX_HOME", str(cli.home / "elsewhere"))
    cli.patch.setenv("CLAUDE_CONFIG_DIR", str(cli.home / "moved"))
    cli("install", "codex")
    cli("install", "claude-code")
    assert {path.name for path in (cli.home / "elsewhere").iterdir()} == {"config.toml", "hooks.json"}
    assert {path.name for path in (cli.home / "moved").iterdir()} == {".claude.json", "settings.json"}


def test_the_list_tells_what_is_here_and_what_is_wrong(cli: Cli) -> None:
    cli("install", "gemini")
    settings = cli.home / ".gemini" / "settings.json"
    values = json.loads(settings.read_text())
    values["mcpServers"]["memtui"]["command"] = "/gone/memtui"
    values["hooksConfig"] = {"enabled": False}
    settings.write_text(json.dumps(values))
    listed = cli("install", "--list", "--json").json
    assert [row["assistant"] for row in listed] == [*WRITTEN, *PASTED]
    states = {part["part"]: part["state"] for part in listed[2]["parts"]}
    assert (listed[2]["here"], states) == (True, {"server": "broken", "hooks": "off", "skill": "absent"})
    assert "switch it on" in cli("install", "--list").err


def test_a_plugin_that_already_brings_memtui_is_not_doubled(cli: Cli) -> None:
    (cli.home / ".claude").mkdir()
    (cli.home / ".claude" / "settings.json").write_text('{"enabledPlugins": {"memtui@memtui": true}}')
    assert "plugin" in cli("install", "claude-code", code=6).err


def test_a_hook_before_commands_is_installed_on_request_and_stays(cli: Cli) -> None:
    assert "PreToolUse" not in cli("install", "codex").out
    cli("install", "codex", "--commands")
    cli("install", "codex")
    hooks = cli.home / ".codex" / "hooks.json"
    assert list(json.loads(hooks.read_text())["hooks"]) == [
        *("SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd", "PreToolUse")
    ], "appended, as the approvals of Codex hang on the position"
    cli("uninstall", "codex")
    assert not hooks.exists()


def test_where_commands_are_to_be_stopped_the_hook_before_them_is_installed(cli: Cli) -> None:
    (cli.home / "config").mkdir()
    (cli.home / "config" / "memtui.toml").write_text("[hooks]\nstop_commands = true\n")
    assert "BeforeTool" in cli("install", "gemini", "--dry-run").out


def test_hooks_for_the_user_and_the_project_are_said_to_run_twice(cli: Cli) -> None:
    cli.repository("tide")
    cli("install", "gemini")
    assert "twice" in cli("install", "gemini", "--project").err
    assert "twice" in cli("install", "--list").err
    cli("uninstall", "gemini", "--project")
    assert "twice" not in cli("install", "--list").err


def test_hostile_text_of_a_file_is_kept_and_shown_harmlessly(cli: Cli) -> None:
    settings = cli.home / ".cursor" / "mcp.json"
    settings.parent.mkdir()
    text = '{"mcpServers": {\n  "[/x] \u202e\x7f 日本": {"command": "x"}\n}}'
    settings.write_text(text, encoding="utf-8")
    shown = cli("install", "cursor").out
    assert "\u202e" not in shown
    assert "\x7f" not in shown
    assert "日本" in shown
    cli("uninstall", "cursor")
    assert settings.read_text(encoding="utf-8") == text


def test_an_agent_installs_nothing(cli: Cli) -> None:
    cli("install", "codex", "--actor", "helper", code=6)
    assert not (cli.home / ".codex").exists()


def test_mistakes_are_explained(cli: Cli) -> None:
    assert "claude-code" in cli("install", "claude-cod", code=2).err
    assert "--list" in cli("install", code=2).err
    assert "repository" in cli("install", "codex", "--project", code=2).err


def test_the_managed_block_is_published_on_request_and_stays(cli: Cli) -> None:
    root = cli.repository("tide", "git@example.org:sea/tide.git")
    cli("add", "Tide tables are in UTC", "--kind", "convention")
    assert "Tide tables" in cli("install", "codex", "--block", "--dry-run").out
    assert not (root / "AGENTS.md").exists()
    cli("install", "codex", "--block")
    assert "Tide tables are in UTC" in (root / "AGENTS.md").read_text()
    assert "--target codex --remove" in cli("uninstall", "codex").err
    assert (root / "AGENTS.md").exists()
    cli("install", "zed", "--block", code=2)
