"""How each assistant wants to be answered: the JSON of its hooks, its limits, and where text reaches its model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memtui.assist.hooks.events import Event, Kind

Answer = dict[str, Any]

_ALL = frozenset({Kind.START, Kind.PROMPT, Kind.BEFORE_TOOL, Kind.AFTER_TOOL})


def _nested(event: Event, text: str) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}


def _nested_denial(event: Event, reason: str) -> Answer:
    decided = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": event.name, **decided}}


def _flat(_: Event, text: str) -> Answer:
    return {"additionalContext": text}


def _flat_denial(_: Event, reason: str) -> Answer:
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}


def _gemini_denial(_: Event, reason: str) -> Answer:
    return {"decision": "deny", "reason": reason}


def _cursor(_: Event, text: str) -> Answer:
    return {"additional_context": text}


def _cursor_denial(_: Event, reason: str) -> Answer:
    return {"permission": "deny", "user_message": reason, "agent_message": reason}


def _cline(_: Event, text: str) -> Answer:
    return {"cancel": False, "contextModification": text, "errorMessage": ""}


def _cline_denial(_: Event, reason: str) -> Answer:
    return {"cancel": True, "contextModification": "", "errorMessage": reason}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The hooks of one assistant."""

    name: str
    answer: Callable[[Event, str], Answer]
    deny: Callable[[Event, str], Answer] | None  # None where a hook cannot stop a command
    reaches: frozenset[Kind] = _ALL  # events whose text reaches the model
    silence: str = ""  # what is printed where nothing is to be said
    target: str = "chat"  # the target that says what the assistant reads by itself
    limit: str = "10000 chars"  # of one text; more goes to a file, and the model sees the beginning
    # events of these names have no room for text although their kind has
    mute: frozenset[str] = frozenset()
    plain: bool = False  # whether `<` and `>` reach the model as entities

    def context(self, event: Event, text: str) -> str:
        """Return what is printed so that a text reaches the model; of no text, silence."""
        return _dumped(self.answer(event, text)) if text else self.silence

    def denial(self, event: Event, reason: str) -> str:
        """Return what is printed so that a command is not run."""
        return _dumped(self.deny(event, reason)) if self.deny is not None else self.silence

    def takes_text(self, event: Event) -> bool:
        return event.kind in self.reaches and event.name not in self.mute


def _dumped(answer: Answer) -> str:
    return json.dumps(answer, ensure_ascii=True)


_CLAUDE = Dialect("claude-code", _nested, _nested_denial, _ALL | {Kind.SUBAGENT}, target="claude-code")

DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        _CLAUDE,
        # Text over 2,500 tokens goes to a file; ours are counted by another tokenizer than the model's.
        Dialect("codex", _nested, _nested_denial, _ALL | {Kind.SUBAGENT}, target="codex", limit="2400"),
        # Text of BeforeTool does not arrive; everything on stdout must be JSON.
        Dialect(
            "gemini", _nested, _gemini_denial, _ALL - {Kind.BEFORE_TOOL}, silence="{}", target="gemini", plain=True
        ),
        Dialect("copilot", _flat, _flat_denial, target="copilot"),
        Dialect("vscode", _nested, _nested_denial, target="copilot"),
        Dialect(
            "cursor",
            _cursor,
            _cursor_denial,
            frozenset({Kind.START, Kind.AFTER_TOOL}),
            silence="{}",
            target="cursor",
            mute=frozenset({"afterFileEdit"}),
        ),
        Dialect("opencode", _flat, _flat_denial, target="codex"),
        # Text of TaskStart and UserPromptSubmit does not arrive.
        Dialect("cline", _cline, _cline_denial, frozenset({Kind.BEFORE_TOOL, Kind.AFTER_TOOL}), target="cline"),
        Dialect("windsurf", _flat, None, frozenset(), target="windsurf"),
        Dialect("goose", _nested, _nested_denial),
    )
}
"""By name. What is not verified in an assistant's own release is left out of `reaches`."""

_OTHER_NAMES = {"claude": "claude-code", "gemini-cli": "gemini", "copilot-cli": "copilot", "vs-code": "vscode"}


def dialect_of(assistant: str | None, event: Event) -> Dialect:
    """Return the dialect of a named assistant, else of the form of its input, else Claude Code's, which most imitate.

    Gemini CLI copies Claude Code's hooks with their command lines, so that its own form goes before the name.
    """
    name = (assistant or "").strip().lower()
    known = DIALECTS.get(_OTHER_NAMES.get(name, name))
    if event.shape == "gemini" and (known is None or known is _CLAUDE):
        return DIALECTS["gemini"]
    return known or DIALECTS.get(event.shape, _CLAUDE)
