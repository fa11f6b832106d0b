"""Tasks of Cline: the messages of its CLI, and the older history that Roo and Kilo keep too."""

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
from memtui.capture.transcripts.lines import json_file
from memtui.capture.transcripts.session import WHOLE, CallResult, Place, Resume, Role, Session, ToolCall

ASSISTANT = "cline"

_OLD_ASSISTANTS = {"saoudrizwan.claude-dev": "cline", "rooveterinaryinc.roo-cline": "roo", "kilocode.kilo-code": "kilo"}
_TYPED = re.compile(
    r"<(user_input|task|feedback|user_message|answer)\b[^>\n]*>\n?(.*?)\n?</\1>(?=\s*(?:\Z|<|\[|\n))", re.DOTALL
)
_REFUSED = re.compile(r"The user (?:denied|rejected) this (?:operation|tool)", re.IGNORECASE)
_FEEDBACK = re.compile(r"<feedback>\s*(.*?)\s*</feedback>", re.DOTALL)
_EXIT_CODE = re.compile(r"[Ee]xit(?:ed with)?(?: code|_code):? (\d{1,5})")
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \((.+?)\) Files")
_OLD_RESULT = re.compile(r"^\[(\w+)(?: for '.*?')?(?:[^\]\n]*)\] Result:\s*", re.DOTALL)
_OLD_CALL = re.compile(
    r"<(execute_command|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|read_file)>(.*?)</\1>",
    re.DOTALL,
)
_OLD_FIELD = re.compile(r"<(command|path|content|diff)>\s*(.*?)\s*</\1>", re.DOTALL)


def read(file: Path, resume: Resume = WHOLE) -> list[Session]:
    """Return the session of a messages file. Raises OSError: it cannot be read."""
    old = file.name == "api_conversation_history.json"
    built = SessionBuilder.resumed(_assistant_of(file), file, resume)
    whole = json_file(file, built.bad_lines)
    messages = list_at(whole, "messages")
    task = _Task(built, old=old)
    for at, message in enumerate(messages):
        task.take(message, built.place(row=f"messages[{at}]"))
    built.id = built.id or text_at(whole, "sessionId") or file.parent.name
    built.version = built.version or text_at(dict_at(whole, "origin"), "version")
    if not old:
        beside = json_file(file.with_name(file.name.replace(".messages.json", ".json")), [])
        built.in_folder(beside.get("cwd") or beside.get("workspace_root"))
    return [built.build(resume)]


def _assistant_of(file: Path) -> str:
    return next((name for folder, name in _OLD_ASSISTANTS.items() if folder in file.parts), ASSISTANT)


class _Task:
    """Reads the messages of a task."""

    def __init__(self, built: SessionBuilder, *, old: bool) -> None:
        self._built, self._old = built, old
        self._open: list[str] = []
        """Calls of the older history that wait for their results; they have no ids."""

    def take(self, message: object, place: Place) -> None:
        """Read one message."""
        if not isinstance(message, dict) or text_at(message, "role") not in {"user", "assistant"}:
            self._built.unknown_records[
                str(message.get("role") if isinstance(message, dict) else "no object")[:60]
            ] += 1
            return
        record, at = text_at(message, "id"), moment(message.get("ts"))
        if message["role"] == "assistant":
            calls = [*self._calls(message, place)]
            text = blocks_text(message.get("content"))
            text = _OLD_CALL.sub("", text) if self._old else text
            self._built.say(Role.ASSISTANT, text, place, record=record, at=at, calls=calls)
            return
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for block in blocks:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                self._built.end_call(text_at(block, "tool_use_id"), _ended(block, place))
        text = blocks_text(blocks)
        if self._old:
            self._look_for_folder(text)
            self._old_results(text, place)
        typed = self._typed(message, text)
        self._built.say(Role.PERSON if typed else Role.OTHER, typed or text, place, record=record, at=at)

    def _typed(self, message: dict[str, Any], text: str) -> str:
        if text_at(dict_at(message, "metadata"), "displayRole") not in {"", "user"}:
            return ""
        if _REFUSED.search(text):
            return ""  # the reason belongs to the refused call
        return "\n".join(found[2] for found in _TYPED.finditer(text)).strip()

    def _calls(self, message: dict[str, Any], place: Place) -> list[ToolCall]:
        content = message.get("content")
        used = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        calls = [
            tool_call(text_at(block, "id"), text_at(block, "name"), block.get("input"), place)
            for block in used
            if block.get("type") == "tool_use"
        ]
        if self._old and not calls:
            for found in _OLD_CALL.finditer(blocks_text(content)):
                call_id = f"{place.row}-{len(calls)}"
                calls.append(tool_call(call_id, found[1], dict(_OLD_FIELD.findall(found[2])), place))
                self._open.append(call_id)
        return calls

    def _look_for_folder(self, text: str) -> None:
        if self._built.folder is None and (found := _FOLDER.search(text)):
            self._built.in_folder(found[1])

    def _old_results(self, text: str, place: Place) -> None:
        if self._open and (found := _OLD_RESULT.match(text)):
            self._built.end_call(self._open.pop(0), _outcome(text[found.end() :], place))
        self._open.clear()


def _ended(block: dict[str, Any], place: Place) -> Result:
    content = block.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    stated = [part for part in parts if "success" in part]
    if not stated:
        return _outcome(blocks_text(content), place, failed=bool(block.get("is_error")))
    text = "\n".join(filter(None, (text_at(part, key) for part in stated for key in ("result", "error"))))
    return _outcome(text, place, failed=not all(part["success"] for part in stated))


def _outcome(text: str, place: Place, *, failed: bool = False) -> Result:
    if _REFUSED.search(text[:400]):
        said = _FEEDBACK.search(text)
        return Result(CallResult.REFUSED, reason=said[1] if said else "", place=place)
    found = _EXIT_CODE.search(text)
    code = int(found[1]) if found else None
    return Result(CallResult.FAILED if failed or code else CallResult.PASSED, text, code)
