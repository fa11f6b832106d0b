"""Packs of the story's vault, as the faces build them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from recall_story import NOON, PAYMENTS, SETTINGS

from memtui.pack.build import Pack, context
from memtui.pack.options import PackOptions

if TYPE_CHECKING:
    from memtui.pack.targets.base import Style
    from memtui.recall.result import Task
    from memtui.vault.vault import Vault


def packed(vault: Vault, task: Task, scope: Any = PAYMENTS, **more: Any) -> Pack:
    """Return the pack of a task; whatever is an option goes among the options."""
    chosen = {name: more.pop(name) for name in {field.name for field in fields(PackOptions)} & set(more)}
    usual: dict[str, Any] = {"project": "payments-api", "target": "chat", "settings": SETTINGS, "now": NOON}
    return context(vault, task, scope, PackOptions(**chosen), **{**usual, **more})


def memories_in(payload: str, style: Style = "full") -> int:
    """Return how many memories a Markdown payload has: items of lists, and in the full style sections below kinds."""
    tokens = MarkdownIt().parse(payload)
    depth, number, in_section = 0, 0, False
    for token in tokens:
        if token.type == "heading_open" and token.level == 0:
            level = int(token.tag[1:])
            depth = depth or level + 2
            in_section = style == "full" and level == depth
            assert level <= depth
            number += in_section
        elif token.type == "list_item_open" and token.level == 1 and not in_section:
            number += 1
    return number
