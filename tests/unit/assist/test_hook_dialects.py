"""What each assistant sends and wants to read, in its own words."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hooking import PROJECT, Yard, make_yard
from hypothesis import given
from hypothesis import strategies as st
from support import NOON, make_memory

from memtui.assist.hooks.dialects import DIALECTS, dialect_of
from memtui.assist.hooks.events import Kind, kind_of, read_event
from memtui.assist.hooks.run import Hook, answer
from memtui.assist.spool import Spool
from memtui.errors import SourceError
from memtui.text.token_count import get_counter
from memtui.vault.vault import Vault


@pytest.fixture
def yard(vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Yard:
    monkeypatch.setenv("MEMTUI_NOW", NOON.isoformat())
    yard = make_yard(vault, tmp_path)
    yard.add("Berths are numbered from the sea", "quay/berths.py")
    return yard


def asked(yard: Yard, event: str, assistant: str | None, values: dict[str, Any]) -> Any:
    """Return what a hook answers to an input that is given whole; None for silence."""
    printed = answer(Hook(event, assistant, yard.vault.path), json.dumps(values).encode())
    return json.loads(printed) if printed else None


def patch_of(path: str) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-pass\n+print()\n*** End Patch"


@pytest.mark.parametrize("assistant", ["claude-code", "codex", "vscode", "goose"])
def test_those_of_claude_codes_form_get_hook_specific_output(yard: Yard, assistant: str) -> None:
    values = {"session_id": "s", "cwd": str(yard.root), "hook_event_name": "SessionStart", "source": "startup"}
    found = asked(yard, "SessionStart", assistant, values)
    assert set(found) == {"hookSpecificOutput"}
    assert set(found["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert found["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "Berths" in found["hookSpecificOutput"]["additionalContext"]
    assert asked(yard, "SessionStart", assistant, {**values, "session_id": "s"}) is None


def test_codex_names_files_in_the_text_of_a_patch(yard: Yard) -> None:
    values = {
        "session_id": "s",
        "transcript_path": None,
        "cwd": str(yard.root),
        "hook_event_name": "PostToolUse",
        "model": "m",
        "permission_mode": "default",
        "turn_id": "t",
        "tool_name": "apply_patch",
        "tool_input": {"command": patch_of("quay/berths.py")},
        "tool_use_id": "u",
        "tool_response": "Success",
    }
    found = asked(yard, "PostToolUse", "codex", values)
    assert "Berths" in found["hookSpecificOutput"]["additionalContext"]


def test_gemini_is_always_answered_with_json_and_never_before_a_tool(yard: Yard) -> None:
    base = {"session_id": "s", "transcript_path": "/t", "cwd": str(yard.root), "timestamp": "2026-03-01T12:00:00Z"}
    tool = {"tool_name": "replace", "tool_input": {"file_path": "quay/berths.py"}}
    before = {**base, "hook_event_name": "BeforeTool", **tool}
    assert asked(yard, "BeforeTool", "gemini", before) == {}
    after = {**base, "hook_event_name": "AfterTool", **tool, "tool_response": {"llmContent": "x"}}
    found = asked(yard, "AfterTool", "gemini", after)
    assert found["hookSpecificOutput"]["hookEventName"] == "AfterTool"
    text = found["hookSpecificOutput"]["additionalContext"]
    assert "Berths" in text
    assert not set("<>&") & set(text)
    assert asked(yard, "AfterTool", "gemini", after) == {}
    for event in ("BeforeModel", "PreCompress", "AfterAgent", "Notification"):
        assert asked(yard, event, "gemini", {**base, "hook_event_name": event}) == {}


def test_gemini_that_runs_hooks_copied_from_claude_code_is_answered_in_its_own_form(yard: Yard) -> None:
    base = {"session_id": "s", "cwd": str(yard.root), "hook_event_name": "BeforeAgent"}
    prompt = "<hook_context>Berths are numbered</hook_context>renumber the berths from the sea"
    found = asked(yard, "UserPromptSubmit", "claude-code", {**base, "prompt": prompt})
    assert found["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    assert asked(yard, "UserPromptSubmit", "claude-code", {**base, "prompt": prompt}) == {}


def test_context_of_other_hooks_is_no_part_of_a_prompt(yard: Yard) -> None:
    prompt = "<hook_context>number the berths from the sea</hook_context>write a changelog"
    values = {"session_id": "s", "cwd": str(yard.root), "hook_event_name": "BeforeAgent", "prompt": prompt}
    assert asked(yard, "BeforeAgent", "gemini", values) == {}


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        ("a <hook_context>x</hook_context> b <hook_context>y\n</hook_context> c", "a   b   c"),
        ("say </hook_context> or <hook_context> to me", "say   or <hook_context> to me"),
        ("<hook_context>" * 200_000 + "x</p>", "<hook_context>" * 200_000 + "x</p>"),
    ],
)
def test_a_prompt_is_rid_of_what_hooks_added_however_many_tags_it_has(prompt: str, left: str) -> None:
    started = time.monotonic()
    event = read_event("UserPromptSubmit", json.dumps({"session_id": "s", "prompt": prompt}).encode())
    assert event.prompt == left
    assert time.monotonic() - started < 2


def test_edits_that_are_no_list_are_passed_over() -> None:
    said = {"session_id": "s", "file_path": "a.py", "edits": True, "new_string": "x"}
    assert read_event("afterFileEdit", json.dumps(said).encode()).written == "x"


def test_copilot_is_answered_flat_in_both_of_its_forms(yard: Yard) -> None:
    camel = {"sessionId": "s", "timestamp": 1_772_000_000_000, "cwd": str(yard.root)}
    found = asked(yard, "SessionStart", "copilot", {**camel, "source": "new", "initialPrompt": "x"})
    assert set(found) == {"additionalContext"}
    touched = {**camel, "sessionId": "s2", "toolName": "edit", "toolArgs": {"path": "quay/berths.py", "old_str": "a"}}
    assert "Berths" in asked(yard, "postToolUse", "copilot", touched)["additionalContext"]
    as_text = {**touched, "sessionId": "s3", "toolArgs": json.dumps({"path": "quay/berths.py"})}
    assert "Berths" in asked(yard, "postToolUse", "copilot", as_text)["additionalContext"]
    pascal = {
        "session_id": "s4",
        "cwd": str(yard.root),
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_input": {"path": str(yard.root / "quay" / "berths.py")},
        "tool_result": {"result_type": "success", "text_result_for_llm": "x"},
    }
    assert set(asked(yard, "PostToolUse", "copilot", pascal)) == {"additionalContext"}


def test_cursor_gets_flat_snake_case_and_always_an_object(yard: Yard) -> None:
    base = {"conversation_id": "c", "generation_id": "g", "cursor_version": "3.1", "workspace_roots": [str(yard.root)]}
    prompt = {**base, "hook_event_name": "beforeSubmitPrompt", "prompt": "renumber the berths from the sea"}
    assert asked(yard, "beforeSubmitPrompt", "cursor", prompt) == {}
    edited = {**base, "hook_event_name": "afterFileEdit", "file_path": "quay/berths.py", "edits": []}
    assert asked(yard, "afterFileEdit", "cursor", edited) == {}
    found = asked(yard, "sessionStart", "cursor", {**base, "hook_event_name": "sessionStart"})
    assert set(found) == {"additional_context"}
    assert "Berths" in found["additional_context"]
    tool = {"tool_name": "Edit", "tool_input": {"file_path": "quay/berths.py"}}
    used = {**base, "conversation_id": "d", "hook_event_name": "postToolUse", **tool}
    assert "Berths" in asked(yard, "postToolUse", "cursor", used)["additional_context"]


def test_opencodes_plugin_is_answered_flat(yard: Yard) -> None:
    base = {"session_id": "o", "cwd": str(yard.root)}
    event = "experimental.chat.system.transform"
    found = asked(yard, event, "opencode", {**base, "hook_event_name": event})
    assert set(found) == {"additionalContext"}
    tool = {"tool_name": "edit", "tool_input": {"filePath": "quay/berths.py"}}
    touched = {"session_id": "p", "cwd": str(yard.root), **tool}
    assert "Berths" in asked(yard, "tool.execute.after", "opencode", touched)["additionalContext"]
    asked(yard, "session.idle", "opencode", base)
    (one,) = Spool(yard.vault.path).transcripts()
    assert (one.assistant, one.session, one.path) == ("opencode", "o", "")


def test_cline_hears_of_the_start_with_its_first_tool(yard: Yard) -> None:
    yard.add("Cranes stop at force eight")
    base = {"clineVersion": "3", "taskId": "t", "workspaceRoots": [str(yard.root)]}
    assert asked(yard, "TaskStart", "cline", {**base, "hookName": "agent_start", "taskStart": {}}) is None
    call = {"name": "editor", "input": {"path": "quay/berths.py"}}
    values = {**base, "hookName": "tool_call", "tool_call": call, "preToolUse": {}}
    found = asked(yard, "PreToolUse", "cline", values)
    assert set(found) == {"cancel", "contextModification", "errorMessage"}
    assert found["cancel"] is False
    assert "Cranes" in found["contextModification"]
    assert found["contextModification"].count("Berths are numbered from the sea, because") == 1
    assert asked(yard, "PreToolUse", "cline", values) is None


def test_windsurf_has_no_room_for_text(yard: Yard) -> None:
    values = {"agent_action_name": "pre_user_prompt", "trajectory_id": "t", "tool_info": {"user_prompt": "berths"}}
    assert asked(yard, "pre_user_prompt", "windsurf", values) is None


def test_without_a_name_the_form_of_the_input_tells_the_assistant() -> None:
    inputs: dict[str, dict[str, Any]] = {
        "cline": {"clineVersion": "3"},
        "cursor": {"conversation_id": "c"},
        "gemini": {"hook_event_name": "BeforeAgent"},
        "copilot": {"sessionId": "s"},
        "claude-code": {"hook_event_name": "SessionStart", "session_id": "s"},
    }
    for name, values in inputs.items():
        assert dialect_of(None, read_event("", json.dumps(values).encode())).name == name
        assert dialect_of("nobody-knows", read_event("", json.dumps(values).encode())).name == name


def test_the_limit_of_each_assistant_holds_for_the_finished_text(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    with yard.vault.write(actor="person", action="add") as writer:
        rule = "a ship of {0} feet waits for the harbour master at the outer buoy {0}"
        writer.put_many(make_memory(project=PROJECT, title=f"{n}", insight=rule.format(n)) for n in range(150))
    path = yard.root.parent / "config.toml"
    path.write_text('[context]\nbudget = "40k"\nmax_memories = 1000', encoding="utf-8")
    monkeypatch.setenv("MEMTUI_CONFIG", str(path))
    for name in ("claude-code", "codex", "gemini"):
        found = asked(yard, "SessionStart", name, {"session_id": name, "cwd": str(yard.root)})
        text = found["hookSpecificOutput"]["additionalContext"]
        assert 5_000 < len(text) <= 10_000
        assert name != "codex" or get_counter("o200k_base").count(text) <= 2_400


def test_every_installed_event_is_known() -> None:
    from memtui.assist.install.assistants import assistants

    for one in assistants().values():
        if one.hooks is None:
            continue
        dialect = DIALECTS[one.name]
        for event in one.hooks.events:
            kind = kind_of(event.name)
            assert kind is not Kind.OTHER, event.name
            if event.use not in {"command", "end"}:
                assert kind in dialect.reaches, (one.name, event.name)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
_KEYS = st.sampled_from(
    [
        "session_id",
        "sessionId",
        "cwd",
        "hook_event_name",
        "hookName",
        "tool_name",
        "tool_input",
        "toolArgs",
        "files",
        "file_path",
        "path",
        "prompt",
        "source",
        "agent_id",
        "clineVersion",
        "workspace_roots",
        "tool_call",
        "command",
    ]
)


@given(values=st.dictionaries(_KEYS, _JSON | st.sampled_from(["Edit", "Bash", "PostToolUse", "s"]), max_size=8))
def test_no_input_is_too_odd_to_be_read_or_refused(values: dict[str, Any]) -> None:
    try:
        event = read_event("PostToolUse", json.dumps(values).encode())
    except SourceError:
        assert not all(isinstance(values.get(key), str | None) for key in ("session_id", "sessionId", "cwd"))
        return
    assert not any("\0" in file for file in event.files)
    assert isinstance(dialect_of(None, event).context(event, "text"), str)


@given(data=st.binary(max_size=200), event=st.text(max_size=20), assistant=st.sampled_from([*DIALECTS, None, "x"]))
def test_no_bytes_are_answered_with_anything_but_silence(data: bytes, event: str, assistant: str | None) -> None:
    assert answer(Hook(event, assistant, Path("/nowhere/vault.duckdb")), data) in {"", "{}"}
