"""Sessions of OpenCode: rows of its database, or the older files of the same objects."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from memtui.capture.transcripts.builder import Result, SessionBuilder, dict_at, moment, text_at, tool_call
from memtui.capture.transcripts.databases import columns, object_in, reading
from memtui.capture.transcripts.lines import json_file
from memtui.capture.transcripts.session import WHOLE, CallResult, Place, Resume, Role, Session, ToolCall

ASSISTANT = "opencode"

NO_TURNS = frozenset({
    "step-start", "step-finish", "reasoning", "patch", "file", "compaction", "snapshot", "agent", "subtask", "retry",
})  # fmt: skip
_REFUSED = re.compile(r"The user rejected permission to use this specific tool call", re.IGNORECASE)
_FEEDBACK = re.compile(r"with the following feedback:\s*(.*)", re.DOTALL)

Row = tuple[str, dict[str, Any], str]
"""A part: its id, its object, and where it stands."""


def read(file: Path, resume: Resume = WHOLE) -> list[Session]:
    """Return the sessions of a database that changed since an earlier run, or the session of an older file.

    Raises:
        OSError: a file cannot be read.
        sqlite3.Error: the database cannot be read.
    """
    return [_read_files(file, resume)] if file.suffix == ".json" else _read_database(file, resume)


def _read_database(file: Path, resume: Resume) -> list[Session]:
    since = int(resume.seen_until.timestamp() * 1000) if resume.seen_until else -1
    sessions = []
    with reading(file) as connection:
        if not columns(connection, "session") or not columns(connection, "part"):
            return []
        changed = "SELECT * FROM session WHERE time_updated > ? ORDER BY time_created"
        for row in connection.execute(changed, (since,)).fetchall():
            told = dict(row)
            built = SessionBuilder(ASSISTANT, file, id=str(told["id"]), version=str(told.get("version") or ""))
            built.subagent = bool(told.get("parent_id"))
            built.in_folder(told.get("directory"))
            for message, parts in _messages(connection, built.id):
                _take(built, message, parts)
            sessions.append(built.build(resume))
    return sessions


def _messages(connection: sqlite3.Connection, session: str) -> Iterator[tuple[dict[str, Any], list[Row]]]:
    parts: dict[str, list[Row]] = {}
    query = "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY time_created, rowid"
    for row in connection.execute(query, (session,)):
        parts.setdefault(row["message_id"], []).append((row["id"], object_in(row["data"]), f"part/{row['id']}"))
    query = "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, rowid"
    for row in connection.execute(query, (session,)):
        message = object_in(row["data"])
        message.setdefault("time", {"created": row["time_created"]})
        yield message, parts.get(row["id"], [])


def _read_files(file: Path, resume: Resume) -> Session:
    """Read a session of the older layout, `storage/session/<project>/<id>.json` with its messages and parts."""
    built = SessionBuilder(ASSISTANT, file)
    told = json_file(file, built.bad_lines)
    built.id, built.version = text_at(told, "id") or file.stem, text_at(told, "version")
    built.subagent = bool(told.get("parentID"))
    built.in_folder(told.get("directory"))
    storage = file.parent.parent.parent
    messages = [json_file(path, built.bad_lines) for path in (storage / "message" / built.id).glob("*.json")]
    for message in sorted(messages, key=lambda one: str(dict_at(one, "time").get("created", ""))):
        paths = sorted((storage / "part" / text_at(message, "id")).glob("*.json"))
        parts = [(path.stem, json_file(path, built.bad_lines), f"part/{path.stem}") for path in paths]
        built.in_folder(dict_at(message, "path").get("cwd"))
        _take(built, message, parts)
    return built.build(resume)


def _take(built: SessionBuilder, message: dict[str, Any], parts: Iterable[Row]) -> None:
    at, role = moment(dict_at(message, "time").get("created")), text_at(message, "role")
    if role not in {"user", "assistant"}:
        built.unknown_records[f"message {role}"[:60]] += 1
        return
    for part_id, part, row in parts:
        place, kind = built.place(row=row), text_at(part, "type")
        if kind == "text":
            made = bool(part.get("synthetic")) or (built.subagent and role == "user")
            who = Role.OTHER if made else Role.PERSON if role == "user" else Role.ASSISTANT
            text = text_at(part, "text")
            built.say(who, _unquoted(text) if who is Role.PERSON else text, place, record=part_id, at=at)
        elif kind == "tool":
            built.say(Role.ASSISTANT, "", place, record=part_id, at=at, calls=[_call(built, part, place)])
        elif kind not in NO_TURNS:
            built.unknown_records[f"part {kind}"[:60]] += 1


def _unquoted(text: str) -> str:
    """Return a prompt without the quotes in which `opencode run` stores it."""
    inner = text.strip()
    return inner[1:-1] if len(inner) > 1 and inner[0] == inner[-1] == '"' and '"' not in inner[1:-1] else text


def _call(built: SessionBuilder, part: dict[str, Any], place: Place) -> ToolCall:
    call_id, state = text_at(part, "callID"), dict_at(part, "state")
    built.end_call(call_id, _ended(state, place))
    return tool_call(call_id, text_at(part, "tool"), dict_at(state, "input"), place)


def _ended(state: dict[str, Any], place: Place) -> Result:
    error = text_at(state, "error")
    if _REFUSED.search(error):
        said = _FEEDBACK.search(error)
        return Result(CallResult.REFUSED, reason=said[1] if said else "", place=place)
    metadata = dict_at(state, "metadata")
    code = next((metadata[key] for key in ("exit", "exitCode") if isinstance(metadata.get(key), int)), None)
    status = text_at(state, "status")
    if status == "error" or code:
        return Result(CallResult.FAILED, error or text_at(state, "output"), code)
    result = CallResult.PASSED if status == "completed" else CallResult.UNKNOWN
    return Result(result, text_at(state, "output"), code)
