"""What a Claude Code hook prints: the payload as `additionalContext` inside a JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memtui.pack.targets.base import PackItem, PayloadInfo, Piece, Target, Writer

HOOK_LIMIT = "10000 chars"
"""More goes to a file of which the model sees a preview alone (Claude Code's hooks guide); the wrapper counts."""


@dataclass(frozen=True, slots=True)
class _HookWriter:
    event: str
    inner: Writer

    def __call__(self, items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
        """Return the parts of the JSON object: the inner parts as parts of a string."""
        head = f'{{"hookSpecificOutput": {{"hookEventName": {json.dumps(self.event)}, "additionalContext": "'
        inner = [
            Piece(json.dumps(piece.text, ensure_ascii=False)[1:-1], piece.memory_id)
            for piece in self.inner(items, info)
        ]
        return [Piece(head), *inner, Piece('"}}\n')]


def hook_target(target: Target, event: str) -> Target:
    """Return a target in the form that a hook prints for an event, e.g. `UserPromptSubmit`.

    The payload is the whole output of the hook, so that the limit holds with the wrapper.

    Args:
        target: whose text the assistant gets; its name and margin stay.
        event: the name of the hook's event.
    """
    return replace(
        target, media="application/json", write=_HookWriter(event, target.write), limit=target.limit or HOOK_LIMIT
    )
