"""Packs of the story's vault, as the faces build them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from recall_story import NOON, PAYMENTS, SETTINGS

from memtui.pack.build import Pack, context
from memtui.pack.options import PackOptions

if TYPE_CHECKING:
    from memtui.recall.result import Task
    from memtui.vault.vault import Vault


def packed(vault: Vault, task: Task, scope: Any = PAYMENTS, **more: Any) -> Pack:
    """Return the pack of a task; whatever is an option goes among the options."""
    chosen = {name: more.pop(name) for name in {field.name for field in fields(PackOptions)} & set(more)}
    usual: dict[str, Any] = {"project": "payments-api", "target": "chat", "settings": SETTINGS, "now": NOON}
    return context(vault, task, scope, PackOptions(**chosen), **{**usual, **more})
