"""Sessions of Copilot CLI: events, one a line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from memtui.capture.transcripts.builder import Result, SessionBuilder, dict_at, list_at, moment, text_at, tool_call
from memtui.capture.transcripts.lines import Line, records
from memtui.capture.transcripts.session import WHOLE, CallResult, Place, Resume, Role, Session

ASSISTANT = "copilot-cli"

_KNOWN = re.compile(
    r"(?:session|hook|system|subagent|assistant|tool|user|skill|permission|mcp|model|external_tool|command|exit_plan"
    r"|elicitation|sampling|user_input|pending_messages|abort|capabilities|auto_mode|commands|plan)(?:[._]|$)"
)
"""Families of events; there are some 150 of them, and two hold turns."""
_FEEDBACK = re.compile(r"User feedback:\s*(.*)", re.DOTALL)
_EXIT_LINE = re.compile(r"\n?<(?:shellId|exited)[^>]*exit code (-?\d{1,5})>\s*$")


def read(file: Path, resume: Resume = WHOLE) -> list[Session]:
    """Return the session of a file, or of the part that an earlier run left. Raises OSError: it cannot be read."""
    built = SessionBuilder.resumed(ASSISTANT, file, resume)
    end = resume.start
    for line in records(file, built.bad_lines, since=resume.start):
        end = line.end
        _take(built, line)
    built.id = built.id or file.parent.name
    built.in_folder(_stated_folder(file.with_name("workspace.yaml")))
    return [built.build(resume, end=end)]


def _take(built: SessionBuilder, line: Line) -> None:
    kind, data = text_at(line.record, "type"), dict_at(line.record, "data")
    if kind == "user.message":
        role = Role.OTHER if text_at(data, "source") not in {"", "user"} else Role.PERSON
        _say(built, line, role, text_at(data, "content"))
    elif kind == "assistant.message":
        role = Role.OTHER if data.get("parentToolCallId") else Role.ASSISTANT
        _say(built, line, role, text_at(data, "content"), list_at(data, "toolRequests"))
    elif kind == "tool.execution_complete":
        built.end_call(text_at(data, "toolCallId"), _ended(data, built.place(line.number)))
    elif kind == "session.start":
        built.id = built.id or text_at(data, "sessionId")
        built.version = built.version or text_at(data, "copilotVersion")
        built.in_folder(dict_at(data, "context").get("cwd"))
    elif not _KNOWN.match(kind):
        built.unknown_records[kind[:60]] += 1


def _say(built: SessionBuilder, line: Line, role: Role, text: str, requests: list[Any] | None = None) -> None:
    record, place = text_at(line.record, "id"), built.place(line.number)
    if built.is_copy(record):
        return
    calls = [
        tool_call(text_at(one, "toolCallId"), text_at(one, "name"), dict_at(one, "arguments"), place)
        for one in requests or []
    ]
    at = moment(line.record.get("timestamp"))
    built.say(role, text, place, record=record, at=at, calls=calls, start=line.start)


def _ended(data: dict[str, Any], place: Place) -> Result:
    error = dict_at(data, "error")
    if text_at(error, "code") in {"rejected", "denied"}:
        said = _FEEDBACK.search(text_at(error, "message"))
        return Result(CallResult.REFUSED, reason=said[1] if said else "", place=place)
    text = text_at(dict_at(data, "result"), "content", "detailedContent") or text_at(error, "message")
    stated = dict_at(data, "shellExecution").get("exitCode")
    found = _EXIT_LINE.search(text)
    code = stated if isinstance(stated, int) else int(found[1]) if found else None
    failed = bool(code) or data.get("success") is False
    return Result(CallResult.FAILED if failed else CallResult.PASSED, _EXIT_LINE.sub("", text), code)


def _stated_folder(file: Path) -> str:
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    stated = (line.removeprefix("cwd:").strip().strip("\"'") for line in lines if line.startswith("cwd:"))
    return next(stated, "")
