"""Chats of Aider: one Markdown file beside the repository, appended for ever, where `####` is the person."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memtui.capture.transcripts.builder import Result, SessionBuilder, moment, tool_call
from memtui.capture.transcripts.session import WHOLE, CallResult, Position, Resume, Role, Session, ToolCall

ASSISTANT = "aider"
FILE_NAME = ".aider.chat.history.md"

_CHAT = re.compile(r"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_VERSION = re.compile(r"^Aider v(\S+)")
_APPLIED = re.compile(r"^Applied edit to (.+)$")
_COMMAND = re.compile(r"^(?:/(?:run|test)\s+|!\s*)(\S.*)$", re.DOTALL)
_FENCE = re.compile(r"^(`{3,}|~{3,})")
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|errors?)\b|\bTraceback\b|^\S*(?:Error|Exception)\b|\berror:|command not found"
    r"|No such file|ImproperlyConfigured|\bFAILED\b|exit (?:code|status) [1-9]",
    re.MULTILINE,
)
_PASSED = re.compile(r"\b\d+ passed\b|\b0 failed\b|\bOK\b|\bsucceeded\b|\bBUILD SUCCESSFUL\b|\bno issues found\b")
"""Aider notes no exit codes: only an output that says how it went counts."""


def read(file: Path, resume: Resume = WHOLE) -> list[Session]:
    """Return the chats of a file, or those from the last one that an earlier run has seen.

    Raises:
        OSError: it cannot be read.
    """
    history = _History(file, resume)
    offset, number = resume.start.offset, resume.start.lines
    with file.open("rb") as stream:
        stream.seek(offset)
        for raw in stream:
            if not raw.endswith(b"\n"):
                break
            number += 1
            history.line(raw.decode("utf-8", "replace").rstrip("\r\n"), Position(offset, number))
            offset += len(raw)
    return history.sessions(Position(offset, number))


class _History:
    """Reads the lines of a history; its positions are the start of a line with that line's own number."""

    def __init__(self, file: Path, resume: Resume) -> None:
        self._file, self._resume = file, resume
        self._built: SessionBuilder | None = None
        self._done: list[Session] = []
        self._chat_start = resume.start
        self._at: datetime | None = None
        self._fence = ""
        self._side = ""
        self._lines: list[str] = []
        self._start = resume.start
        self._last_call = ""
        self._version = resume.version

    def line(self, text: str, at: Position) -> None:
        """Read one line."""
        if opened := _CHAT.match(text):
            self._close_chat(None)
            self._open_chat(opened[1], at)
            return
        if self._fence:
            if text.startswith(self._fence) and not text.strip(self._fence[0]).strip():
                self._fence = ""
            self._add("model", text, at)
        elif text.startswith("#### "):
            self._add("person", text[5:].strip(), at)
        elif text.startswith("> ") or text == ">":
            self._add("notice", text[2:].strip(), at)
        elif text.strip() or self._side == "model":
            if fence := _FENCE.match(text):
                self._fence = fence[1]
            self._add("model", text, at)
        else:
            self._flush()

    def sessions(self, end: Position) -> list[Session]:
        """Return the chats."""
        self._close_chat(end)
        return self._done

    def _open_chat(self, started: str, at: Position) -> None:
        self._built = SessionBuilder(ASSISTANT, self._file, id=started, folder=self._file.parent)
        self._chat_start = Position(at.offset, at.lines - 1)
        self._at, self._fence, self._last_call = moment(started), "", ""

    def _close_chat(self, end: Position | None) -> None:
        self._flush()
        if self._built is not None:
            self._built.version = self._version
            self._done.append(replace(self._built.build(self._resume), end=end, context=self._chat_start))

    def _add(self, side: str, text: str, at: Position) -> None:
        if side != self._side:
            self._flush()
            self._side, self._start = side, at
        self._lines.append(text)

    def _flush(self) -> None:
        side, lines, self._side, self._lines = self._side, self._lines, "", []
        if not lines:
            return
        if self._built is None:
            self._open_chat("", self._start)
        if side == "person":
            self._say(Role.PERSON, "\n".join(lines), self._command(lines))
        elif side == "model":
            self._say(Role.ASSISTANT, "\n".join(lines))
        else:
            self._notices(lines)

    def _say(self, role: Role, text: str, calls: tuple[ToolCall, ...] = ()) -> None:
        if self._built is not None:
            place = self._built.place(self._start.lines)
            self._built.say(role, text, place, at=self._at, calls=calls, start=self._start)

    def _command(self, lines: list[str]) -> tuple[ToolCall, ...]:
        run = _COMMAND.match("\n".join(lines))
        if run is None or self._built is None:
            self._last_call = ""
            return ()
        self._last_call = f"run-{self._start.lines}"
        return (tool_call(self._last_call, "shell", {"command": run[1]}, self._built.place(self._start.lines)),)

    def _notices(self, lines: list[str]) -> None:
        if self._built is None:
            return
        place = self._built.place(self._start.lines)
        applied = [found[1] for line in lines if (found := _APPLIED.match(line))]
        for line in lines:
            if found := _VERSION.match(line):
                self._version = found[1]
        if applied:
            call_id = f"edit-{self._start.lines}"
            self._say(Role.ASSISTANT, "", (tool_call(call_id, "edit", {"paths": applied}, place),))
            self._built.end_call(call_id, Result(CallResult.PASSED))
        elif self._last_call:
            output = "\n".join(line for line in lines if not line.startswith(("/run ", "/test ", "!")))
            result = CallResult.FAILED if _FAILED.search(output) else CallResult.UNKNOWN
            if result is CallResult.UNKNOWN and _PASSED.search(output):
                result = CallResult.PASSED
            self._built.end_call(self._last_call, Result(result, output))
            self._last_call = ""
