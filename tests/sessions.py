"""Small sessions of assistants, record by record, about an invented ferry office."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import count as counting
from pathlib import Path
from typing import Any

ROOT = "/srv/quayside"
Record = dict[str, Any]
_COUNT = counting()


def write_lines(file: Path, records: Iterable[Record | str]) -> Path:
    """Write one record a line; a text stands as it is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return file


def claude(kind: str, content: object, **more: object) -> Record:
    """Return a record of Claude Code."""
    count = next(_COUNT)
    return {
        "type": kind,
        "uuid": f"u-{count}",
        "sessionId": "s-1",
        "cwd": ROOT,
        "version": "2.1.340",
        "timestamp": f"2026-05-05T08:{count // 60 % 60:02}:{count % 60:02}.000Z",
        "message": {"role": kind, "content": content},
        **more,
    }


def claude_typed(text: str, **more: object) -> Record:
    """Return what a person typed into Claude Code."""
    return claude("user", text, origin={"kind": "human"}, **more)


def claude_call(call_id: str, name: str, **given: object) -> Record:
    """Return a tool call of Claude Code."""
    return claude("assistant", [{"type": "tool_use", "id": call_id, "name": name, "input": given}])


def claude_result(call_id: str, text: str, *, failed: bool = False) -> Record:
    """Return the result of a tool call of Claude Code."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": failed}
    return claude("user", [block], toolUseResult=text)


REFUSAL = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)


def codex(kind: str, **payload: object) -> Record:
    """Return a record of a Codex rollout."""
    return {"timestamp": "2026-05-05T09:00:00.000Z", "type": kind, "payload": payload}


def codex_item(kind: str, **item: object) -> Record:
    """Return a completed item of the layout of 2026."""
    return codex("event_msg", type="item_completed", item={"type": kind, **item})


def codex_message(role: str, text: str, **more: object) -> Record:
    """Return a message of the model's input or output."""
    block = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
    return codex("response_item", type="message", role=role, content=[block], **more)
