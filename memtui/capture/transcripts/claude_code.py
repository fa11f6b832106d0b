"""Sessions of Claude Code: one record per line, one content block per record of the assistant."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from memtui.capture.transcripts.builder import (
    Result,
    SessionBuilder,
    blocks_text,
    dict_at,
    list_at,
    moment,
    text_at,
    tool_call,
)
from memtui.capture.transcripts.lines import Line, records
from memtui.capture.transcripts.session import WHOLE, CallResult, Place, Resume, Role, Session

ASSISTANT = "claude-code"

NO_TURNS = frozenset({
    "system", "summary", "ai-title", "custom-title", "tag", "file-history-snapshot", "progress", "mode", "last-prompt",
    "continued-in", "content-replacement", "relocated", "session-owner", "atis-latch", "tools-used",
    "attribution-snapshot", "pr-link", "agent-setting", "history-suppression", "permission-mode", "agent-name",
    "queue-operation",
})  # fmt: skip
"""Types of records that hold no turn."""

_SKIPPED = re.compile(rb'^\{"type": ?"(?:file-history-snapshot|progress)"|"content": ?\[\{"type": ?"thinking"')
"""The assistant's thoughts stand in records of their own; none of them counts."""

_NOT_TYPED = (
    "isMeta", "isCompactSummary", "isSidechain", "isVirtual", "isVisibleInTranscriptOnly", "textNotTyped", "handedOff",
    "toolUseResult",
)  # fmt: skip
_BY_MACHINE = re.compile(r"^(?:\s*<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])")
_ALWAYS_BY_MACHINE = re.compile(
    r"^\s*(?:<(?:command-name|command-message|command-args|bash-(?:input|stdout|stderr)|local-command-\w+"
    r"|task-notification|teammate-message|channel|cross-session-message|system-reminder|user-prompt-submit-hook"
    r"|persisted-output|tool_use_error)[\s>]|\[Request interrupted by user|Stop hook feedback:)"
)
_REMINDER = re.compile(r"<(system-reminder|user-prompt-submit-hook|persisted-output)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL)
_REFUSED = "The user doesn't want to proceed with this tool use."
_HALTED = "The user doesn't want to take this action right now."
_SAID = "the user said:"
_NOTE = "\n\nNote: The user's next message"
_EXIT_CODE = re.compile(r"^(?:Error: )?Exit code (\d{1,5})\b")


def read(file: Path, resume: Resume = WHOLE) -> list[Session]:
    """Return the session of a file, or of the part that an earlier run left. Raises OSError: it cannot be read."""
    built = SessionBuilder.resumed(ASSISTANT, file, resume)
    built.subagent = file.name.startswith("agent-")
    end = resume.start
    for line in records(file, built.bad_lines, since=resume.start, skip=_SKIPPED):
        end = line.end
        _header(built, line.record)
        _take(built, line)
    return [built.build(resume, end=end)]


def _header(built: SessionBuilder, record: dict[str, Any]) -> None:
    built.in_folder(record.get("cwd"))
    built.version = built.version or text_at(record, "version")
    if not built.subagent and text_at(record, "type") in {"user", "assistant"}:
        built.id = built.id or text_at(record, "sessionId")


def _take(built: SessionBuilder, line: Line) -> None:
    record, kind = line.record, text_at(line.record, "type")
    if kind == "user":
        if not built.is_copy(text_at(record, "uuid")):
            _take_user(built, line)
    elif kind == "assistant":
        if not built.is_copy(text_at(record, "uuid")):
            _take_assistant(built, line)
    elif kind == "attachment":
        _take_attachment(built, line)
    elif kind not in NO_TURNS:
        built.unknown_records[str(kind)[:60]] += 1


def _take_user(built: SessionBuilder, line: Line) -> None:
    record, place = line.record, built.place(line.number)
    content = dict_at(record, "message").get("content")
    results = [block for block in content if _is_result(block)] if isinstance(content, list) else []
    for block in results:
        built.end_call(text_at(block, "tool_use_id"), _result(record, block, place))
    text = blocks_text(content)
    typed = not results and _is_typed(record, text)
    if typed:
        text = _REMINDER.sub("", text)
    built.say(
        Role.PERSON if typed else Role.OTHER,
        text,
        place,
        record=text_at(record, "uuid"),
        at=moment(record.get("timestamp")),
        start=line.start,
    )


def _take_assistant(built: SessionBuilder, line: Line) -> None:
    record, place = line.record, built.place(line.number)
    content = dict_at(record, "message").get("content")
    blocks = content if isinstance(content, list) else []
    used = [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_use"]
    calls = [tool_call(text_at(block, "id"), text_at(block, "name"), block.get("input"), place) for block in used]
    built.say(
        Role.OTHER if record.get("isSidechain") or record.get("isApiErrorMessage") else Role.ASSISTANT,
        blocks_text(content),
        place,
        record=text_at(record, "uuid"),
        at=moment(record.get("timestamp")),
        calls=calls,
        start=line.start,
    )


def _take_attachment(built: SessionBuilder, line: Line) -> None:
    """Take a message that was typed while the assistant worked; other attachments are hooks and notices."""
    attachment = dict_at(line.record, "attachment")
    if attachment.get("type") != "queued_command" or line.record.get("isSidechain"):
        return
    text = blocks_text(attachment.get("prompt"))
    human = text_at(dict_at(attachment, "origin"), "kind") in {"human", ""}
    typed = human and attachment.get("commandMode", "prompt") == "prompt" and not _ALWAYS_BY_MACHINE.match(text)
    record = text_at(line.record, "uuid")
    if not built.is_copy(record):
        built.say(
            Role.PERSON if typed else Role.OTHER,
            _REMINDER.sub("", text),
            built.place(line.number),
            record=record,
            at=moment(line.record.get("timestamp")),
            start=line.start,
        )


def _is_typed(record: dict[str, Any], text: str) -> bool:
    if any(record.get(flag) for flag in _NOT_TYPED):
        return False
    origin = record.get("origin")
    if isinstance(origin, dict):
        return origin.get("kind") == "human" and not _ALWAYS_BY_MACHINE.match(text)
    return not _BY_MACHINE.match(text) and not _ALWAYS_BY_MACHINE.match(text)


def _is_result(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _result(record: dict[str, Any], block: dict[str, Any], place: Place) -> Result:
    text = blocks_text(block.get("content"))
    if text.startswith((_REFUSED, _HALTED)):
        _, said, reason = text.partition(_SAID)
        return Result(CallResult.REFUSED, reason=reason.partition(_NOTE)[0] if said else "", place=place)
    if text.startswith("[Request interrupted by user"):
        return Result(CallResult.UNKNOWN)
    code = _EXIT_CODE.match(text)
    failed = bool(block.get("is_error")) or bool(code and code[1] != "0")
    if list_at(record, "toolUseResult") or dict_at(record, "toolUseResult").get("interrupted"):
        return Result(CallResult.UNKNOWN, text)
    return Result(CallResult.FAILED if failed else CallResult.PASSED, text, int(code[1]) if code else None)
