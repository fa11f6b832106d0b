"""Chats of Cursor: rows of its editor's database, and the lines that its agent writes."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

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
from memtui.capture.transcripts.databases import columns, object_in, reading
from memtui.capture.transcripts.lines import json_file, records
from memtui.capture.transcripts.session import WHOLE, CallResult, Place, Resume, Role, Session, ToolCall

ASSISTANT = "cursor"

_TABLE = "cursorDiskKV"
_PERSON, _MODEL = 1, 2
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_ADDED = re.compile(
    r"<(attached_files|open_and_recently_viewed_files|system_reminder|user_info|rules|additional_data|git_status"
    r"|agent_transcripts|agent_skills|project_layout)\b[^>]*>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
_SPOKEN = re.compile(r"^(user|assistant|system|tool):\s*$", re.MULTILINE)


def read(file: Path, resume: Resume = WHOLE) -> list[Session]:
    """Return the chats of a database that changed since an earlier run, or the session of an agent's transcript.

    Raises:
        OSError: a file cannot be read.
        sqlite3.Error: the database cannot be read.
    """
    if file.suffix == ".jsonl":
        return [_read_lines(file, resume)]
    return [_read_blocks(file)] if file.suffix == ".txt" else _read_database(file, resume)


def _read_database(file: Path, resume: Resume) -> list[Session]:
    since = resume.seen_until.timestamp() * 1000 if resume.seen_until else -1.0
    sessions = []
    with reading(file) as connection:
        if not columns(connection, _TABLE):
            return []
        folders = _folders_of_chats(file.parent.parent / "workspaceStorage")
        for key, told in _objects(connection, "composerData:"):
            changed = told.get("lastUpdatedAt")  # without it, nothing says whether more was said since
            if isinstance(changed, int | float) and changed <= since:
                continue
            built = SessionBuilder(ASSISTANT, file, id=text_at(told, "composerId") or key)
            built.subagent = bool(told.get("subagentInfo"))
            built.in_folder(text_at(dict_at(told, "workspaceIdentifier", "uri"), "fsPath", "path"))
            built.in_folder(folders.get(built.id))
            _take_bubbles(built, connection, told)
            sessions.append(built.build(resume))
    return sessions


def _objects(connection: sqlite3.Connection, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects whose keys begin with a prefix; values may be NULL."""
    query = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? AND value IS NOT NULL"
    for row in connection.execute(query, (prefix, f"{prefix}\U0010ffff")).fetchall():
        found = object_in(row["value"])
        if found:
            yield str(row["key"])[len(prefix) :], found


def _take_bubbles(built: SessionBuilder, connection: sqlite3.Connection, told: dict[str, Any]) -> None:
    prefix = f"bubbleId:{built.id}:"
    bubbles = dict(_objects(connection, prefix))
    order = [text_at(header, "bubbleId") for header in list_at(told, "fullConversationHeadersOnly")]
    for bubble_id in order or bubbles:
        if bubble_id in bubbles:
            _take(built, bubble_id, bubbles[bubble_id], built.place(row=f"{_TABLE}/{prefix}{bubble_id}"))
    for at, bubble in enumerate(list_at(told, "conversation")):
        bubble_id = text_at(bubble, "bubbleId")
        if isinstance(bubble, dict) and bubble_id not in bubbles:
            place = built.place(row=f"{_TABLE}/composerData:{built.id}#conversation[{at}]")
            _take(built, bubble_id or f"#{at}", bubble, place)


def _take(built: SessionBuilder, record: str, bubble: dict[str, Any], place: Place) -> None:
    at = moment(bubble.get("createdAt")) or moment(dict_at(bubble, "timingInfo").get("clientStartTime"))
    kind = bubble.get("type")
    if kind == _PERSON:
        for uri in list_at(bubble, "workspaceUris"):
            built.in_folder(_path_of(uri))
        role = Role.OTHER if built.subagent else Role.PERSON
        built.say(role, text_at(bubble, "text"), place, record=record, at=at)
    elif kind == _MODEL:
        tool = dict_at(bubble, "toolFormerData")
        calls = [_call(built, tool, record, place)] if tool.get("name") else []
        built.say(Role.ASSISTANT, text_at(bubble, "text"), place, record=record, at=at, calls=calls)
    else:
        built.unknown_records[f"bubble {kind}"[:60]] += 1


def _call(built: SessionBuilder, tool: dict[str, Any], record: str, place: Place) -> ToolCall:
    call_id = text_at(tool, "toolCallId") or record
    built.end_call(call_id, _ended(tool))
    given = object_in(tool.get("rawArgs")) or object_in(tool.get("params"))
    return tool_call(call_id, text_at(tool, "name"), given, place)


def _ended(tool: dict[str, Any]) -> Result:
    answer, status = object_in(tool.get("result")), text_at(tool, "status")
    output = text_at(answer, "output", "contents", "error") or text_at(tool, "error")
    code = next((answer[key] for key in ("exitCodeV2", "exitCode") if isinstance(answer.get(key), int)), None)
    if tool.get("userDecision") == "rejected" or answer.get("rejected") is True:
        return Result(CallResult.REFUSED)
    if status == "error" or code:
        return Result(CallResult.FAILED, output, code)
    return Result(CallResult.PASSED if status == "completed" else CallResult.UNKNOWN, output, code)


def _folders_of_chats(storage: Path) -> dict[str, str]:
    """Return the folder of each chat as the workspaces name them; until version 3.12 this was the only link."""
    found: dict[str, str] = {}
    for workspace in sorted(storage.glob("*/workspace.json")):
        try:
            folder = _path_of(json_file(workspace, []).get("folder"))
            database = workspace.with_name("state.vscdb")
            if not folder or not database.is_file():
                continue
            with reading(database) as connection:
                row = connection.execute("SELECT value FROM ItemTable WHERE key = 'composer.composerData'").fetchone()
        except (OSError, sqlite3.Error):
            continue
        told = object_in(row["value"]) if row else {}
        ids = [text_at(one, "composerId") for one in list_at(told, "allComposers")]
        for composer in [*ids, *(one for one in list_at(told, "selectedComposerIds") if isinstance(one, str))]:
            found.setdefault(composer, folder)
    return found


def _path_of(uri: object) -> str:
    """Return the path of a `file:` address; other addresses are folders of another machine."""
    if not isinstance(uri, str) or not uri.startswith("file:"):
        return ""
    path = unquote(urlsplit(uri).path)
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path


def _read_lines(file: Path, resume: Resume) -> Session:
    built = SessionBuilder.resumed(ASSISTANT, file, resume)
    end = resume.start
    for line in records(file, built.bad_lines, since=resume.start):
        end = line.end
        role, message = text_at(line.record, "role"), dict_at(line.record, "message")
        content = message.get("content")
        place = built.place(line.number)
        if role == "user":
            built.say(*_typed(blocks_text(content)), place, start=line.start)
        elif role == "assistant":
            used = [block for block in list_at(message, "content") if isinstance(block, dict) and block.get("name")]
            calls = [tool_call(text_at(one, "id"), text_at(one, "name"), one.get("input"), place) for one in used]
            built.say(Role.ASSISTANT, blocks_text(content), place, calls=calls, start=line.start)
        else:
            built.unknown_records[str(role)[:60]] += 1
    return built.build(resume, end=end)


def _typed(text: str) -> tuple[Role, str]:
    asked = _QUERY.findall(text)
    typed = "\n".join(asked) if asked else _ADDED.sub("", text).strip()
    return (Role.PERSON, typed) if typed and not typed.startswith("<") else (Role.OTHER, text)


def _read_blocks(file: Path) -> Session:
    """Read the older transcripts of the agent: blocks of text below `user:` and `assistant:`."""
    built = SessionBuilder(ASSISTANT, file)
    text = file.read_text("utf-8", "replace")
    heads = list(_SPOKEN.finditer(text))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        block = text[head.end() : following.start() if following else len(text)].strip()
        place = built.place(text.count("\n", 0, head.start()) + 1)
        role, said = _typed(block) if head[1] == "user" else (Role.ASSISTANT, block)
        built.say(role if head[1] in {"user", "assistant"} else Role.OTHER, said, place)
    return built.build()
