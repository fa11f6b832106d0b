"""Sessions of Gemini CLI: lines where the last record of an id holds, and the older files of one object."""

from __future__ import annotations

import json
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
from memtui.capture.transcripts.lines import json_file, records
from memtui.capture.transcripts.session import WHOLE, CallResult, Place, Resume, Role, Session, ToolCall

ASSISTANT = "gemini-cli"

NO_TURNS = frozenset({"info", "error", "warning", "about", "stats", "compression", "quit", "help"})
_ADDED = re.compile(r"<(hook_context|session_context)>.*?(?:</\1>|\Z)", re.DOTALL)
_EXIT_CODE = re.compile(r"^Exit Code: (-?\d{1,5})$", re.MULTILINE)
_OUTPUT = re.compile(r"^(?:<untrusted_context>\n)?(?:Command: .*\n)?(?:Directory: .*\n)?(?:Output: )?", re.MULTILINE)
_REFUSED = re.compile(
    r"^(?:\[Operation Cancelled\] Reason: )?User (?:rejected|did not allow|denied|cancelled)\b[^:\n]*:?\s*"
)


def read(file: Path, resume: Resume = WHOLE) -> list[Session]:
    """Return the session of a file. Raises OSError: it cannot be read."""
    built = SessionBuilder.resumed(ASSISTANT, file, resume)
    chat = _Chat(built)
    if file.suffix == ".jsonl":
        for line in records(file, built.bad_lines):
            chat.merge(line.record, built.place(line.number))
    else:
        whole = json_file(file, built.bad_lines)
        for at, message in enumerate(list_at(whole, "messages")):
            chat.message(message, built.place(row=f"messages[{at}]"))
        chat.header(whole)
    chat.finish()
    return [built.build(resume)]


def project_of(file: Path) -> Path | None:
    """Return the working directory of the chats in a folder, as Gemini CLI notes it; None if it does not."""
    folder = file.parent.parent
    try:
        stated = (folder / ".project_root").read_text("utf-8").strip()
    except (OSError, ValueError):
        stated = ""
    if stated:
        return Path(stated)
    try:
        projects = json.loads((folder.parent.parent / "projects.json").read_bytes())
    except (OSError, ValueError):
        return None
    slugs = dict_at(projects, "projects")
    return next((Path(path) for path, slug in slugs.items() if slug == folder.name), None)


class _Chat:
    """The session object as its lines change it."""

    def __init__(self, built: SessionBuilder) -> None:
        self._built = built
        self._messages: dict[str, tuple[dict[str, Any], Place]] = {}

    def header(self, record: dict[str, Any]) -> None:
        """Take what the session says of itself."""
        self._built.id = self._built.id or text_at(record, "sessionId")
        self._built.subagent = self._built.subagent or record.get("kind") == "subagent"
        self._built.version = self._built.version or text_at(record, "version", "cliVersion")

    def merge(self, record: dict[str, Any], place: Place) -> None:
        """Apply one line."""
        if "$set" in record:
            for message in list_at(record["$set"], "messages"):
                self.message(message, place)
        elif "sessionId" in record and "type" not in record:
            self.header(record)
        elif "$rewindTo" in record:
            self._rewind(str(record["$rewindTo"]))
        else:
            self.message(record, place)

    def message(self, record: object, place: Place) -> None:
        """Take a message; one with the same id is replaced where it stands."""
        if not isinstance(record, dict) or not isinstance(record.get("type"), str):
            self._built.unknown_records["without a type"] += 1
            return
        self._messages[text_at(record, "id") or f"#{len(self._messages)}"] = (record, place)

    def finish(self) -> None:
        """Turn the messages that hold in the end into turns."""
        self._built.in_folder(str(project_of(self._built.file) or ""))
        for record_id, (record, place) in self._messages.items():
            kind, at = record["type"], moment(record.get("timestamp"))
            if kind == "user":
                self._built.say(*_said(record), place, record=record_id, at=at)
            elif kind == "gemini":
                text = blocks_text(record.get("content"))
                calls = [self._call(call, place) for call in list_at(record, "toolCalls")]
                self._built.say(Role.ASSISTANT, text, place, record=record_id, at=at, calls=calls)
            elif kind not in NO_TURNS:
                self._built.unknown_records[kind[:60]] += 1

    def _rewind(self, record_id: str) -> None:
        """Keep what was said before a rewind: the person said it all the same."""
        self._messages.setdefault(record_id, ({"type": "info"}, self._built.place()))

    def _call(self, call: object, place: Place) -> ToolCall:
        call_id = text_at(call, "id")
        self._built.end_call(call_id, _ended(call if isinstance(call, dict) else {}, place))
        return tool_call(call_id, text_at(call, "name"), dict_at(call, "args"), place)


def _said(record: dict[str, Any]) -> tuple[Role, str]:
    content = record.get("content")
    if any(isinstance(part, dict) and "functionResponse" in part for part in list_at(record, "content")):
        return Role.OTHER, ""
    shown = record.get("displayContent")
    whole = blocks_text(content)
    typed = _ADDED.sub("", blocks_text(shown) if shown else whole).strip()
    return (Role.PERSON, typed) if typed else (Role.OTHER, whole)


def _ended(call: dict[str, Any], place: Place) -> Result:
    response: dict[str, Any] = {}
    for part in list_at(call, "result"):
        response = response or dict_at(part, "functionResponse", "response")
    text = text_at(response, "output", "error") or text_at(call, "resultDisplay")
    status = text_at(call, "status")
    if refused := _REFUSED.match(text):
        return Result(CallResult.REFUSED, reason=text[refused.end() :], place=place)
    if status == "cancelled":
        return Result(CallResult.REFUSED)
    found = _EXIT_CODE.search(text)
    code = int(found[1]) if found else None
    failed = status == "error" or bool(code) or "error" in response
    passed = status == "success" or code == 0
    result = CallResult.FAILED if failed else CallResult.PASSED if passed else CallResult.UNKNOWN
    return Result(result, _OUTPUT.sub("", text, count=1), code)
