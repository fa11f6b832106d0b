"""What the tests of hooks share: a repository with memories, and hooks that are called as an assistant would."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import make_memory

from memtui.assist.hooks.run import Hook, answer
from memtui.domain.memory import Anchor, Memory
from memtui.vault.projects import register_project
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace

PROJECT = "ferry"


@dataclass
class Yard:
    """A repository with its vault, and an assistant that works in it."""

    vault: Vault
    root: Path
    assistant: str = "claude-code"
    session: str = "s-1"
    sent: dict[str, Any] = field(default_factory=dict)

    def add(self, title: str, *files: str, **overrides: Any) -> Memory:
        values = {"title": title, "insight": f"{title}, because the harbour says so.", "project": PROJECT}
        anchors = tuple(Anchor(file) for file in files)
        with self.vault.write(actor="person", action="add") as writer:
            return writer.put(make_memory(**{**values, "kind": "constraint", "anchors": anchors, **overrides}))

    def call(self, event: str, assistant: str | None = None, **values: Any) -> str:
        """Return what a hook prints."""
        given = {"session_id": self.session, "cwd": str(self.root), "hook_event_name": event, **self.sent, **values}
        data = json.dumps({key: value for key, value in given.items() if value is not None}).encode()
        return answer(Hook(event, assistant or self.assistant, self.vault.path), data)

    def told(self, event: str, **values: Any) -> str:
        """Return the text that a hook of Claude Code's form gives to the model."""
        printed = self.call(event, **values)
        return str(json.loads(printed)["hookSpecificOutput"]["additionalContext"]) if printed else ""

    def edit(self, path: str, **values: Any) -> str:
        return self.told("PostToolUse", tool_name="Edit", tool_input={"file_path": path}, **values)


def make_yard(vault: Vault, folder: Path) -> Yard:
    root = folder / "ferry"
    (root / ".git").mkdir(parents=True)
    (root / "quay").mkdir()
    for name in ("quay/berths.py", "quay/tides.py"):
        (root / name).write_text("pass\n", encoding="utf-8")
    with vault.write(actor="person", action="add") as writer:
        name = register_project(writer, find_workspace(root).own_identities(), PROJECT)
    assert name == PROJECT
    return Yard(vault, root)
