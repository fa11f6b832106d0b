"""The readers of the other assistants: who typed, what a call did and how it ended, each in its own format."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sessions import ROOT, write_lines

from memtui.capture.transcripts import aider, claude_code, cline, codex, copilot, cursor, gemini, opencode
from memtui.capture.transcripts.session import CallResult, Resume, Role, Session, ToolCall

AT = "2026-10-05T10:00:0{}.000Z"


def _typed(session: Session) -> list[str]:
    return [turn.text for turn in session.typed()]


def _calls(session: Session) -> list[ToolCall]:
    return [call for turn in session.turns for call in turn.calls]


def _gemini(file: Path, *records: dict[str, Any]) -> Session:
    (session,) = gemini.read(write_lines(file, [{"sessionId": "g-1", "kind": "main"}, *records]))
    return session


def test_gemini_takes_the_last_record_of_an_id_and_what_was_displayed(tmp_path: Path) -> None:
    chats = tmp_path / "tmp" / "quay" / "chats"
    chats.mkdir(parents=True)
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {ROOT: "quay"}}))
    answer = {"response": {"error": "Output: no\nExit Code: 2\n"}}
    call: dict[str, Any] = {
        "id": "c",
        "name": "run_shell_command",
        "args": {"command": "make"},
        "status": "success",
    } | {"result": [{"functionResponse": answer}]}
    asked = {"id": "1", "type": "user", "timestamp": AT.format(1)}
    session = _gemini(
        chats / "session-1.jsonl",
        {"$set": {"messages": [{"id": "0", "type": "user", "content": "<session_context>\nx</session_context>"}]}},
        asked | {"content": [{"text": "always tie up"}, {"text": "<hook_context>y</hook_context>"}]},
        {"id": "2", "type": "gemini", "content": "first"},
        {"id": "2", "type": "gemini", "content": "", "toolCalls": [call]},
        {"id": "3", "type": "user", "content": [{"functionResponse": answer}]},
        {"$set": {"lastUpdated": AT.format(2)}},
        {"id": "4", "type": "gull"},
    )
    assert _typed(session) == ["always tie up"]
    (made,) = _calls(session)
    assert (made.command, made.result, made.exit_code) == ("make", CallResult.FAILED, 2)
    assert (session.folder, session.id, session.unknown_records) == (Path(ROOT), "g-1", {"gull": 1})
    assert "first" not in [turn.text for turn in session.turns]


def test_gemini_reads_the_older_file_of_one_object(tmp_path: Path) -> None:
    file = tmp_path / "session-2025.json"
    messages = [{"id": "1", "timestamp": AT.format(1), "type": "user", "content": "two lines fore and aft"}]
    file.write_text(json.dumps({"sessionId": "g-0", "messages": messages}))
    (session,) = gemini.read(file)
    assert (session.id, _typed(session)) == ("g-0", ["two lines fore and aft"])


def test_gemini_knows_what_an_earlier_run_has_read(tmp_path: Path) -> None:
    records = [{"id": str(n), "type": "user", "timestamp": AT.format(n), "content": f"line {n}"} for n in range(3)]
    file = tmp_path / "session-1.jsonl"
    first = _gemini(file, *records[:2])
    write_lines(file, [{"sessionId": "g-1", "kind": "main"}, *records])
    (second,) = gemini.read(file, Resume(seen_until=first.last_at))
    assert [turn.text for turn in second.turns[second.seen :]] == ["line 2"]


def test_copilot_takes_what_was_typed_never_what_was_sent(tmp_path: Path) -> None:
    request = {"toolCallId": "c", "name": "bash", "arguments": {"command": "make"}}
    edit = {"toolCallId": "e", "name": "edit", "arguments": {"path": "a.py", "new_str": "b"}}
    refused = {"message": "The user rejected this tool call. User feedback: a.py is vendored", "code": "rejected"}
    events: list[tuple[str, dict[str, Any]]] = [
        ("session.start", {"sessionId": "p-1", "copilotVersion": "1.1.0", "context": {"cwd": ROOT}}),
        ("user.message", {"content": "tie up", "transformedContent": "tie up\n<system_reminder>x</system_reminder>"}),
        ("assistant.message", {"content": "", "toolRequests": [request, edit]}),
        ("tool.execution_complete", {"toolCallId": "c", "success": True, "shellExecution": {"exitCode": 2}}),
        ("tool.execution_complete", {"toolCallId": "e", "success": False, "error": refused}),
        ("gull.cried", {}),
    ]
    lines = [
        {"type": kind, "data": data, "id": str(n), "timestamp": AT.format(n)} for n, (kind, data) in enumerate(events)
    ]
    (session,) = copilot.read(write_lines(tmp_path / "events.jsonl", lines))
    assert _typed(session) == ["tie up"]
    command, edited = _calls(session)
    assert (command.result, command.exit_code) == (CallResult.FAILED, 2)
    assert (edited.result, edited.reason) == (CallResult.REFUSED, "a.py is vendored")
    assert (session.id, session.folder, session.version) == ("p-1", Path(ROOT), "1.1.0")
    assert session.unknown_records == {"gull.cried": 1}


HISTORY = """
# aider chat started at 2026-10-05 09:00:00

> Aider v0.90.0

#### tie the ferry up {space}
#### with two lines {space}

```md
#### not a person
```

> Applied edit to quay/berth.py {space}

#### /run make dock {space}

> make: *** error: no rule {space}

# aider chat started at 2026-10-06 09:00:00

#### good {space}
"""


def test_aider_takes_marked_lines_outside_fences_chat_by_chat(tmp_path: Path) -> None:
    file = tmp_path / ".aider.chat.history.md"
    file.write_text(HISTORY.format(space=""))
    first, second = aider.read(file)
    assert _typed(first) == ["tie the ferry up\nwith two lines", "/run make dock"]
    assert _typed(second) == ["good"]
    edited, run = _calls(first)
    assert edited.paths == ("quay/berth.py",)
    assert (run.command, run.result) == ("make dock", CallResult.FAILED)
    assert (first.id, first.version, first.folder) == ("2026-10-05 09:00:00", "0.90.0", tmp_path)
    assert next(iter(first.typed())).place.line == 6


def test_aider_goes_on_from_the_last_chat(tmp_path: Path) -> None:
    file = tmp_path / ".aider.chat.history.md"
    file.write_text(HISTORY.format(space=""))
    last = aider.read(file)[-1]
    assert last.context is not None
    assert last.end is not None
    with file.open("a") as stream:
        stream.write("\n#### never moor to the crane\n")
    (session,) = aider.read(file, Resume(last.context, last.end.offset))
    assert [turn.text for turn in session.turns[session.seen :]] == ["never moor to the crane"]
    assert session.turns[-1].place.line == len(file.read_text().splitlines())


def test_cline_takes_what_stands_in_the_tag_of_typed_words(tmp_path: Path) -> None:
    file = tmp_path / "1_a" / "1_a.messages.json"
    file.parent.mkdir()
    denied = "The user denied this operation. The user provided the following feedback:\n<feedback>\nno\n</feedback>"
    done = [{"query": "make", "result": "x", "error": "Command exited with code 2", "success": False}]
    blocks: list[tuple[str, dict[str, Any]]] = [
        ("user", {"type": "text", "text": '<user_input mode="act">use <Berth setup> tags</user_input>'}),
        ("assistant", {"type": "tool_use", "id": "a", "name": "run_commands", "input": {"commands": ["make"]}}),
        ("user", {"type": "tool_result", "tool_use_id": "a", "content": done}),
        ("assistant", {"type": "tool_use", "id": "b", "name": "editor", "input": {"path": "a", "new_text": "b"}}),
        ("user", {"type": "tool_result", "tool_use_id": "b", "content": denied, "is_error": True}),
    ]
    messages: list[dict[str, Any]] = [
        {"role": role, "content": [block], "ts": 1_790_000_000_000} for role, block in blocks
    ]
    hook = {"type": "text", "text": "<user_input>not me</user_input>"}
    messages.append({"role": "user", "content": [hook], "metadata": {"displayRole": "system"}})
    file.write_text(json.dumps({"sessionId": "1_a", "origin": {"version": "3.1"}, "messages": messages}))
    file.with_name("1_a.json").write_text(json.dumps({"cwd": ROOT}))
    (session,) = cline.read(file)
    assert _typed(session) == ["use <Berth setup> tags"]
    command, edited = _calls(session)
    assert (command.result, command.exit_code) == (CallResult.FAILED, 2)
    assert (edited.result, edited.reason) == (CallResult.REFUSED, "no")
    assert (session.folder, session.version, session.turns[0].place.row) == (Path(ROOT), "3.1", "messages[0]")


def test_roo_reads_the_older_history_with_its_calls_in_the_text(tmp_path: Path) -> None:
    file = tmp_path / "rooveterinaryinc.roo-cline" / "tasks" / "9" / "api_conversation_history.json"
    file.parent.mkdir(parents=True)
    details = f"<environment_details>\n# Current Working Directory ({ROOT}) Files\na.py\n</environment_details>"
    denied = (
        "[execute_command for 'npm i'] Result:\nThe user denied this operation.\n<feedback>\npnpm only\n</feedback>"
    )
    messages = [
        {"role": "user", "content": [{"type": "text", "text": f"<task>\npaint the buoy\n</task>\n{details}"}]},
        {"role": "assistant", "content": "<execute_command>\n<command>npm i</command>\n</execute_command>"},
        {"role": "user", "content": [{"type": "text", "text": denied}]},
    ]
    file.write_text(json.dumps(messages))
    (session,) = cline.read(file)
    (call,) = _calls(session)
    assert (session.assistant, session.folder, _typed(session)) == ("roo", Path(ROOT), ["paint the buoy"])
    assert (call.command, call.result, call.reason) == ("npm i", CallResult.REFUSED, "pnpm only")


def _opencode_parts() -> list[tuple[str, dict[str, Any]]]:
    failed = {"status": "completed", "input": {"command": "make"}, "output": "no", "metadata": {"exit": 2}}
    feedback = "The user rejected permission to use this specific tool call with the following feedback: use just"
    refused = {"status": "error", "input": {"command": "make x"}, "error": feedback}
    return [
        ("user", {"type": "text", "text": '"keep the tide tables"'}),
        ("user", {"type": "text", "text": "<system-reminder>x</system-reminder>", "synthetic": True}),
        ("assistant", {"type": "tool", "tool": "bash", "callID": "a", "state": failed}),
        ("assistant", {"type": "tool", "tool": "bash", "callID": "b", "state": refused}),
        ("assistant", {"type": "gull"}),
    ]


def _opencode_database(file: Path) -> Path:
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(
            "CREATE TABLE session (id, parent_id, directory, version, time_created, time_updated);"
            "CREATE TABLE message (id, session_id, time_created, data);"
            "CREATE TABLE part (id, message_id, session_id, time_created, data);"
        )
        database.execute("INSERT INTO session VALUES ('s', NULL, ?, '1.20.0', 1, 1790000000000)", (ROOT,))
        for n, (role, part) in enumerate(_opencode_parts()):
            message = json.dumps({"role": role, "time": {"created": 1_790_000_000_000 + n}})
            database.execute("INSERT INTO message VALUES (?, 's', ?, ?)", (f"m{n}", n, message))
            database.execute("INSERT INTO part VALUES (?, ?, 's', ?, ?)", (f"p{n}", f"m{n}", n, json.dumps(part)))
    return file


def _opencode_files(folder: Path) -> Path:
    session = folder / "storage" / "session" / "pr" / "s.json"
    session.parent.mkdir(parents=True)
    session.write_text(json.dumps({"id": "s", "directory": ROOT, "version": "1.20.0"}))
    for n, (role, part) in enumerate(_opencode_parts()):
        message = folder / "storage" / "message" / "s" / f"m{n}.json"
        parts = folder / "storage" / "part" / f"m{n}" / f"p{n}.json"
        for file, held in ((message, {"id": f"m{n}", "role": role, "time": {"created": n}}), (parts, part)):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(held))
    return session


@pytest.mark.parametrize("layout", ["database", "files"])
def test_opencode_reads_parts_from_its_database_and_from_older_files(tmp_path: Path, layout: str) -> None:
    file = _opencode_database(tmp_path / "opencode.db") if layout == "database" else _opencode_files(tmp_path)
    (session,) = opencode.read(file)
    assert _typed(session) == ["keep the tide tables"]
    failed, refused = _calls(session)
    assert (failed.result, failed.exit_code, failed.output) == (CallResult.FAILED, 2, "no")
    assert (refused.result, refused.reason) == (CallResult.REFUSED, "use just")
    assert (session.folder, session.version, session.turns[0].place.row) == (Path(ROOT), "1.20.0", "part/p0")
    assert session.unknown_records == {"part gull": 1}


def test_reading_a_database_leaves_no_file_beside_it(tmp_path: Path) -> None:
    file = _opencode_database(tmp_path / "opencode.db")
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("PRAGMA journal_mode = WAL")
    assert len(opencode.read(file)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["opencode.db"]


def test_what_still_stands_in_the_log_of_a_live_database_is_read(tmp_path: Path) -> None:
    file = _opencode_database(tmp_path / "opencode.db")
    live = sqlite3.connect(file, isolation_level=None)
    live.execute("PRAGMA journal_mode = WAL")
    live.execute("UPDATE session SET version = '1.20.1'")
    (session,) = opencode.read(file)
    live.execute("PRAGMA wal_autocheckpoint = 0")
    live.execute("UPDATE session SET version = '1.20.2'")
    copies = tmp_path / "copied"
    copies.mkdir()
    for side in ("", "-wal"):  # as a backup has it: nobody has it open, and no index lies beside it
        shutil.copyfile(f"{file}{side}", copies / f"opencode.db{side}")
    live.close()
    before = {path.name: path.read_bytes() for path in copies.iterdir()}
    (copied,) = opencode.read(copies / "opencode.db")
    assert (session.version, copied.version) == ("1.20.1", "1.20.2")
    assert {path.name: path.read_bytes() for path in copies.iterdir()} == before


def _dated(file: Path, **times: float) -> Path:
    with closing(sqlite3.connect(file)) as database, database:
        key = ("composerData:c1",)
        (told,) = database.execute("SELECT value FROM cursorDiskKV WHERE key = ?", key).fetchone()
        stated = json.dumps(json.loads(told) | times)
        database.execute("UPDATE cursorDiskKV SET value = ? WHERE key = ?", (stated, *key))
    return file


def test_cursor_follows_the_order_of_the_headers(tmp_path: Path) -> None:
    file = tmp_path / "User" / "globalStorage" / "state.vscdb"
    file.parent.mkdir(parents=True)
    workspace = tmp_path / "User" / "workspaceStorage" / "w1"
    workspace.mkdir(parents=True)
    (workspace / "workspace.json").write_text(json.dumps({"folder": f"file://{ROOT}"}))
    with closing(sqlite3.connect(workspace / "state.vscdb")) as database, database:
        database.execute("CREATE TABLE ItemTable (key, value)")
        held = json.dumps({"allComposers": [{"composerId": "c1"}]})
        database.execute("INSERT INTO ItemTable VALUES ('composer.composerData', ?)", (held,))
    tool = {
        "name": "run_terminal_cmd",
        "toolCallId": "t",
        "status": "completed",
        "rawArgs": '{"command":"rm quay"}',
        "result": '{"rejected":true}',
    }
    rows: dict[str, dict[str, Any] | None] = {
        "composerData:c1": {
            "composerId": "c1",
            "createdAt": 1e12,
            "fullConversationHeadersOnly": [{"bubbleId": b} for b in "za"],
        },
        "composerData:c2": None,
        "bubbleId:c1:a": {"type": 2, "text": "", "toolFormerData": tool},
        "bubbleId:c1:z": {"type": 1, "text": "moor at low tide"},
    }
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        database.executemany(
            "INSERT INTO cursorDiskKV VALUES (?, ?)",
            [(key, value and json.dumps(value)) for key, value in rows.items()],
        )
    (session,) = cursor.read(file)
    assert [turn.role for turn in session.turns] == [Role.PERSON, Role.ASSISTANT]
    later = Resume(seen_until=datetime(2026, 1, 2, tzinfo=UTC))
    assert len(cursor.read(file, later)) == 1  # nothing says that no more was said since
    assert cursor.read(_dated(file, lastUpdatedAt=1e12), later) == []
    (call,) = _calls(session)
    assert (call.command, call.result) == ("rm quay", CallResult.REFUSED)
    assert session.folder == Path(ROOT)


def test_cursors_agent_wraps_what_was_typed(tmp_path: Path) -> None:
    text = "<rules>never</rules>\n<user_query>\nmoor at low tide\n</user_query>"
    line = {"role": "user", "message": {"content": [{"type": "text", "text": text}]}}
    (session,) = cursor.read(write_lines(tmp_path / "t.jsonl", [line]))
    assert _typed(session) == ["moor at low tide"]
    older = tmp_path / "t.txt"
    older.write_text("user:\n<user_query>\nmoor low\n</user_query>\n\nassistant:\nDone.\n")
    (session,) = cursor.read(older)
    assert [(turn.role, turn.text) for turn in session.turns] == [(Role.PERSON, "moor low"), (Role.ASSISTANT, "Done.")]


_KEYS = [
    "type",
    "role",
    "message",
    "content",
    "text",
    "payload",
    "item",
    "data",
    "id",
    "uuid",
    "$set",
    "messages",
    "attachment",
    "toolCalls",
    "result",
    "timestamp",
    "cwd",
    "output",
    "name",
    "input",
    "state",
]
_KINDS = [
    "user",
    "assistant",
    "gemini",
    "text",
    "tool_use",
    "tool_result",
    "message",
    "event_msg",
    "response_item",
    "item_completed",
    "function_call",
    "attachment",
    "user.message",
]
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(_KINDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("read", [claude_code.read, codex.read, gemini.read, copilot.read, cursor.read])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(lines=st.lists(_JSON.map(json.dumps) | st.text(max_size=20), max_size=6))
def test_no_line_stops_a_reader(tmp_path: Path, read: Callable[[Path], list[Session]], lines: list[str]) -> None:
    file = tmp_path / "session-x.jsonl"
    file.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    for session in read(file):
        assert all(turn.text or turn.calls for turn in session.turns)
