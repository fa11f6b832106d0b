"""Sessions of Codex: rollouts in the layout of 2026, and in that of 2025 where every message stands twice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from memtui.capture.transcripts.builder import (
    Result,
    SessionBuilder,
    blocks_text,
    command_text,
    dict_at,
    list_at,
    moment,
    text_at,
    tool_call,
)
from memtui.capture.transcripts.lines import Line, records
from memtui.capture.transcripts.session import WHOLE, CallResult, Place, Resume, Role, Session, ToolCall

ASSISTANT = "codex"

NO_TURNS = frozenset({"turn_context", "world_state", "compacted", "token_usage_record", "ghost_snapshot"})
_NO_TURN_EVENTS = frozenset({
    "task_started", "task_complete", "token_count", "turn_aborted", "thread_settings_applied", "agent_reasoning",
    "agent_reasoning_section_break", "agent_reasoning_raw_content", "entered_review_mode", "exited_review_mode",
    "context_compacted", "exec_command_begin", "exec_command_end", "patch_apply_begin", "patch_apply_end",
    "error", "warning", "background_event", "thread_rolled_back", "item_started", "undo_completed", "turn_diff",
    "plan_update", "web_search_begin", "web_search_end", "mcp_tool_call_begin", "mcp_tool_call_end",
    "view_image_tool_call",
})  # fmt: skip
_NO_TURN_ITEMS = frozenset(
    {"reasoning", "web_search_call", "ghost_snapshot", "compaction", "compaction_summary", "other"}
)
_NO_TURN_COMPLETED = frozenset(
    {"Reasoning", "WebSearch", "McpToolCall", "ImageView", "Plan", "ContextCompaction", "HookPrompt"}
)

_SKIPPED = re.compile(rb'"payload": ?\{"type": ?"(?:reasoning|token_count)"')
_BY_MACHINE = (
    "# AGENTS.md instructions for", "<INSTRUCTIONS>", "<environment_context>", "<user_instructions>", "<turn_aborted>",
    "<permissions instructions>", "<skill>", "<user_shell_command>", "<subagent_notification>", "<hook_context>",
)  # fmt: skip
_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,5})$", re.MULTILINE)
_REFUSED = re.compile(
    r"^\s*(?:exec command|patch|tool call|command)?\s*(?:was )?(?:rejected|denied) by (?:the )?user\b", re.IGNORECASE
)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_ADDED = re.compile(r"^\+(?!\+\+ )(.*)$", re.MULTILINE)


def read(file: Path, resume: Resume = WHOLE) -> list[Session]:
    """Return the session of a rollout, or of the part that an earlier run left. Raises OSError: it cannot be read."""
    built = SessionBuilder.resumed(ASSISTANT, file, resume)
    rollout = _Rollout(built)
    end = resume.start
    for line in records(file, built.bad_lines, since=resume.start, skip=_SKIPPED):
        end = line.end
        rollout.take(line)
    rollout.finish()
    return [built.build(resume, end=end)]


class _Rollout:
    """Reads the records of one rollout."""

    def __init__(self, built: SessionBuilder) -> None:
        self._built = built
        self._calls: set[str] = set()
        self._unproven: list[tuple[Line, Role, str]] = []
        """Messages of the model's input; they count where no event tells who typed."""
        self._has_events = False

    def take(self, line: Line) -> None:
        """Read one record."""
        kind, payload = text_at(line.record, "type"), dict_at(line.record, "payload")
        if kind == "session_meta":
            self._header(payload)
        elif kind == "event_msg":
            self._event(line, payload)
        elif kind == "response_item":
            self._item(line, payload)
        elif kind not in NO_TURNS:
            self._built.unknown_records[str(kind)[:60]] += 1

    def finish(self) -> None:
        """Fall back on the model's input where no event names a turn."""
        if self._has_events:
            return
        for line, role, text in self._unproven:
            self._say(line, role, text)
        order = sorted(range(len(self._built.turns)), key=lambda at: self._built.starts[at].offset)
        self._built.turns = [self._built.turns[at] for at in order]
        self._built.starts = [self._built.starts[at] for at in order]

    def _header(self, payload: dict[str, Any]) -> None:
        built = self._built
        built.id = built.id or text_at(payload, "id", "session_id")
        built.in_folder(payload.get("cwd"))
        built.version = built.version or text_at(payload, "cli_version")
        source = payload.get("source")
        built.subagent = (isinstance(source, dict) and "subagent" in source) or payload.get(
            "thread_source"
        ) == "subagent"

    def _say(self, line: Line, role: Role, text: str, calls: tuple[ToolCall, ...] = ()) -> None:
        at = moment(line.record.get("timestamp"))
        self._built.say(role, text, self._built.place(line.number), at=at, calls=calls, start=line.start)

    def _typed(self, line: Line, text: str) -> None:
        self._has_events = True
        machine = self._built.subagent or text.lstrip().startswith(_BY_MACHINE)
        self._say(line, Role.OTHER if machine else Role.PERSON, text)

    def _event(self, line: Line, payload: dict[str, Any]) -> None:
        kind = text_at(payload, "type")
        if kind == "user_message":
            self._typed(line, text_at(payload, "message"))
        elif kind == "agent_message":
            self._has_events = True
            self._say(line, Role.ASSISTANT, text_at(payload, "message"))
        elif kind == "item_completed":
            self._completed(line, dict_at(payload, "item"))
        elif kind not in _NO_TURN_EVENTS:
            self._built.unknown_records[f"event_msg {kind}"[:60]] += 1

    def _completed(self, line: Line, item: dict[str, Any]) -> None:
        kind = text_at(item, "type")
        if kind == "UserMessage":
            self._typed(line, blocks_text(item.get("content")))
        elif kind == "AgentMessage":
            self._has_events = True
            self._say(line, Role.ASSISTANT, blocks_text(item.get("content"), kinds=("Text", "text")))
        elif kind == "CommandExecution":
            self._ran(line, item)
        elif kind == "FileChange":
            self._changed(line, item)
        elif kind not in _NO_TURN_COMPLETED:
            self._built.unknown_records[f"item_completed {kind}"[:60]] += 1

    def _ran(self, line: Line, item: dict[str, Any]) -> None:
        call_id, code = text_at(item, "id"), item.get("exit_code")
        if call_id not in self._calls:
            command = command_text(item.get("command"))
            self._call(line, tool_call(call_id, "exec_command", {"cmd": command}, self._built.place(line.number)))
        exit_code = code if isinstance(code, int) else None
        declined = text_at(item, "status") == "declined"
        failed = bool(exit_code) or text_at(item, "status") == "failed"
        result = CallResult.REFUSED if declined else CallResult.FAILED if failed else CallResult.PASSED
        self._built.end_call(call_id, Result(result, text_at(item, "aggregated_output"), exit_code))

    def _changed(self, line: Line, item: dict[str, Any]) -> None:
        call_id, changes = text_at(item, "id"), dict_at(item, "changes")
        status = text_at(item, "status")
        result = {"completed": CallResult.PASSED, "failed": CallResult.FAILED, "declined": CallResult.REFUSED}
        if call_id not in self._calls:
            added = "\n".join(
                "\n".join(_ADDED.findall(text_at(one, "unified_diff", "content"))) for one in changes.values()
            )
            given = {"paths": list(changes), "content": added}
            self._call(line, tool_call(call_id, "apply_patch", given, self._built.place(line.number)))
        self._built.end_call(call_id, Result(result.get(status, CallResult.UNKNOWN)))

    def _call(self, line: Line, call: ToolCall) -> None:
        self._calls.add(call.id)
        self._say(line, Role.ASSISTANT, "", (call,))

    def _item(self, line: Line, payload: dict[str, Any]) -> None:
        kind = text_at(payload, "type")
        if kind == "message":
            self._message(line, payload)
        elif kind in {"function_call", "custom_tool_call", "local_shell_call"}:
            self._call(line, _called(payload, self._built.place(line.number)))
        elif kind in {"function_call_output", "custom_tool_call_output"}:
            self._ended(payload)
        elif kind not in _NO_TURN_ITEMS:
            self._built.unknown_records[f"response_item {kind}"[:60]] += 1

    def _message(self, line: Line, payload: dict[str, Any]) -> None:
        text, role = blocks_text(payload.get("content")), text_at(payload, "role")
        kinds = list_at(dict_at(payload, "internal_chat_message_metadata_passthrough"), "content_item_kinds")
        if role == "assistant":
            self._unproven.append((line, Role.ASSISTANT, text))
        elif role == "user":
            typed = not text.lstrip().startswith(_BY_MACHINE) and all(kind == "user.text" for kind in kinds)
            if typed:
                self._unproven.append((line, Role.OTHER if self._built.subagent else Role.PERSON, text))
            else:
                self._say(line, Role.OTHER, text)
        else:
            self._say(line, Role.OTHER, text)

    def _ended(self, payload: dict[str, Any]) -> None:
        call_id, given = text_at(payload, "call_id"), payload.get("output")
        text = given if isinstance(given, str) else blocks_text(given) or text_at(given, "content")
        code: int | None = None
        if text.startswith('{"output"'):
            try:
                wrapped = json.loads(text)
            except ValueError:
                wrapped = {}
            text = text_at(wrapped, "output") or text
            stated = dict_at(wrapped, "metadata").get("exit_code")
            code = stated if isinstance(stated, int) else None
        elif found := _EXIT_CODE.search(text[:400]):
            code = int(found[1])
            text = text.partition("\nOutput:\n")[2] or text
        if _REFUSED.match(text):
            self._built.end_call(call_id, Result(CallResult.REFUSED))
        elif code is not None or call_id not in self._built.results:
            passed = code == 0 if code is not None else None
            result = CallResult.UNKNOWN if passed is None else CallResult.PASSED if passed else CallResult.FAILED
            self._built.end_call(call_id, Result(result, text, code))


def _called(payload: dict[str, Any], place: Place) -> ToolCall:
    name, call_id = text_at(payload, "name"), text_at(payload, "call_id", "id")
    given: object = payload.get("arguments") or payload.get("input") or dict_at(payload, "action")
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            given = json.loads(given)
        except ValueError:
            given = {}
    patch = _patch_in(given)
    if patch:
        paths = [found[0] or found[1] for found in _PATCHED.findall(patch)]
        given = {"paths": [path.strip() for path in paths], "content": "\n".join(_ADDED.findall(patch))}
        return tool_call(call_id, "apply_patch", given, place)
    if payload.get("type") == "local_shell_call":
        name = "local_shell"
    return tool_call(call_id, name, given, place)


def _patch_in(given: object) -> str:
    text = given if isinstance(given, str) else command_text(given.get("command")) if isinstance(given, dict) else ""
    if isinstance(given, dict) and not text:
        text = text_at(given, "input", "patch", "cmd")
    return text if "*** Begin Patch" in text else ""
