"""Codex's rollouts: the layouts of 2026 and 2025, and the model's input where no event tells who typed."""

from __future__ import annotations

import json
from pathlib import Path

from sessions import ROOT, codex, codex_item, codex_message, write_lines

from memtui.capture.transcripts.codex import read
from memtui.capture.transcripts.session import CallKind, CallResult, Role, Session


def _session(tmp_path: Path, *records: object) -> Session:
    meta = codex("session_meta", id="r-1", cwd=ROOT, cli_version="0.180.0", source="cli")
    (session,) = read(write_lines(tmp_path / "rollout.jsonl", [meta, *records]))  # type: ignore[list-item]
    return session


def test_a_message_that_stands_twice_is_one_turn(tmp_path: Path) -> None:
    session = _session(
        tmp_path,
        codex_message("user", "<environment_context>\n</environment_context>"),
        codex_message("user", "sort the berths"),
        codex("event_msg", type="user_message", message="sort the berths"),
        codex("event_msg", type="agent_message", message="Sorted."),
        codex_message("assistant", "Sorted."),
    )
    assert [(turn.role, turn.text) for turn in session.turns[1:]] == [
        (Role.PERSON, "sort the berths"),
        (Role.ASSISTANT, "Sorted."),
    ]
    assert (session.id, session.folder, session.version) == ("r-1", Path(ROOT), "0.180.0")


def test_completed_items_tell_who_spoke_and_how_a_command_ended(tmp_path: Path) -> None:
    session = _session(
        tmp_path,
        codex_message("developer", "Background facts"),
        codex_item("UserMessage", content=[{"type": "text", "text": "run it"}]),
        codex("response_item", type="function_call", name="exec_command", call_id="c1", arguments='{"cmd":"make"}'),
        codex_item("CommandExecution", id="c1", command=["bash", "-lc", "make"], exit_code=2, aggregated_output="no"),
        codex_item("AgentMessage", content=[{"type": "Text", "text": "It failed."}]),
    )
    assert [turn.role for turn in session.turns] == [Role.OTHER, Role.PERSON, Role.ASSISTANT, Role.ASSISTANT]
    (call,) = session.turns[2].calls
    assert (call.command, call.result, call.exit_code, call.output) == ("make", CallResult.FAILED, 2, "no")


def test_without_events_only_plain_user_text_is_typed(tmp_path: Path) -> None:
    kinds = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": ["hooks.additional_context"]}}
    session = _session(
        tmp_path,
        codex_message("user", "# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"),
        codex_message("user", "Always berth left.", **kinds),
        codex_message("user", "berth right"),
        codex_message("assistant", "Done."),
    )
    assert [turn.text for turn in session.typed()] == ["berth right"]
    assert [turn.place.line for turn in session.turns] == [2, 3, 4, 5]


def test_a_patch_names_its_files_and_what_it_adds(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: quay/a.py\n*** Move to: quay/b.py\n-x = 1\n+x = 2\n*** End Patch"
    session = _session(
        tmp_path,
        codex("response_item", type="custom_tool_call", name="apply_patch", call_id="c1", input=patch),
        codex("response_item", type="custom_tool_call_output", call_id="c1", output="Exit code: 0\nOutput:\nDone"),
    )
    (call,) = session.turns[0].calls
    assert (call.kind, call.paths, call.written) == (CallKind.EDIT, ("quay/a.py", "quay/b.py"), "x = 2")
    assert call.result is CallResult.PASSED


def test_a_command_of_2025_has_its_exit_code_in_a_wrapped_output(tmp_path: Path) -> None:
    output = json.dumps({"output": "no such file", "metadata": {"exit_code": 127}})
    arguments = json.dumps({"command": ["bash", "-lc", "./dock"]})
    session = _session(
        tmp_path,
        codex("response_item", type="function_call", name="shell", call_id="c1", arguments=arguments),
        codex("response_item", type="function_call_output", call_id="c1", output=output),
        codex("response_item", type="function_call", name="shell", call_id="c2", arguments=arguments),
        codex("response_item", type="function_call_output", call_id="c2", output="exec command rejected by user"),
    )
    failed, refused = (turn.calls[0] for turn in session.turns)
    assert (failed.command, failed.exit_code, failed.output) == ("./dock", 127, "no such file")
    assert refused.result is CallResult.REFUSED


def test_a_subagents_rollout_has_no_person(tmp_path: Path) -> None:
    meta = codex("session_meta", id="r-2", cwd=ROOT, source={"subagent": "review"})
    asked = codex("event_msg", type="user_message", message="Never skip a file.")
    (session,) = read(write_lines(tmp_path / "r.jsonl", [meta, asked]))
    assert session.subagent
    assert list(session.typed()) == []


def test_unknown_records_are_counted_with_their_level(tmp_path: Path) -> None:
    session = _session(tmp_path, codex("moon"), codex("event_msg", type="tide"), codex_item("Gull"))
    assert session.unknown_records == {"moon": 1, "event_msg tide": 1, "item_completed Gull": 1}
