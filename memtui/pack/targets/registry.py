"""The targets by name: each a row of data and a writer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memtui.config import TargetSettings
from memtui.errors import UsageError
from memtui.pack.targets.base import Target
from memtui.pack.targets.formats import write_json, write_plain, write_xml
from memtui.pack.targets.markdown import MarkdownWriter
from memtui.text.suggest import did_you_mean

FOREIGN_TOKENIZER = 0.3
"""Margin for assistants whose tokenizer is not public: counts by another vocabulary were seen up to 28 % low."""

_MARKDOWN = "text/markdown"
_CLAUDE = frozenset({"claude-md", "claude-rules", "claude-memory"})
_SECTION = MarkdownWriter("Project memories{of}")
_WHOLE_FILE = MarkdownWriter(level=1)

# Limits: what the vendors state; see also the table of limits in the documentation of each.
_TARGETS = (
    Target("chat", "Any assistant (Markdown)", _MARKDOWN, MarkdownWriter()),
    Target(
        "claude-code",
        "Claude Code, pasted or injected",
        _MARKDOWN,
        MarkdownWriter(tag="background-facts"),
        margin=FOREIGN_TOKENIZER,
        loads=_CLAUDE,
    ),
    Target("claude-md", "Section of a CLAUDE.md", _MARKDOWN, _SECTION, "200 lines", FOREIGN_TOKENIZER, loads=_CLAUDE),
    Target(
        "claude-memory",
        "Claude's MEMORY.md folder",
        _MARKDOWN,
        _WHOLE_FILE,
        "200 lines and 25000 bytes",
        FOREIGN_TOKENIZER,
        loads=_CLAUDE,
    ),
    Target(
        "cursor",
        "Cursor, body of an .mdc rule",
        _MARKDOWN,
        _WHOLE_FILE,
        margin=FOREIGN_TOKENIZER,
        loads=frozenset({"cursor-rules", "agents-md"}),
    ),
    Target(
        "copilot",
        "GitHub Copilot instructions",
        _MARKDOWN,
        _SECTION,
        margin=FOREIGN_TOKENIZER,
        loads=frozenset({"copilot", "agents-md"}),
    ),
    Target("codex", "Section of an AGENTS.md", _MARKDOWN, _SECTION, "32 KiB", loads=frozenset({"agents-md"})),
    Target(
        "gemini", "Section of a GEMINI.md", _MARKDOWN, _SECTION, margin=FOREIGN_TOKENIZER, loads=frozenset({"gemini"})
    ),
    Target(
        "windsurf",
        "Windsurf rule file",
        _MARKDOWN,
        _WHOLE_FILE,
        "12000 chars",
        FOREIGN_TOKENIZER,
        loads=frozenset({"windsurf", "agents-md"}),
    ),
    Target(
        "cline",
        "Cline rule file",
        _MARKDOWN,
        _WHOLE_FILE,
        margin=FOREIGN_TOKENIZER,
        loads=frozenset({"cline", "cline-memory-bank", "agents-md"}),
    ),
    Target("xml", "XML elements", "application/xml", write_xml),
    Target("plain", "Plain text", "text/plain", write_plain),
    Target("json", "JSON", "application/json", write_json),
)
_BY_NAME = {target.name: target for target in _TARGETS}


def target_names() -> tuple[str, ...]:
    """Return the name of every target."""
    return tuple(_BY_NAME)


def target_named(name: str, settings: Iterable[tuple[str, TargetSettings]] = ()) -> Target:
    """Return the target of that name.

    Args:
        name: as people write it.
        settings: a person's own limits, per target.

    Raises:
        UsageError: there is none; the message names the nearest and all.
    """
    wanted = name.strip().lower()
    found = _BY_NAME.get(wanted)
    if found is not None:
        own = dict(settings).get(wanted)
        return found if own is None else _changed(found, own)
    hint = did_you_mean(wanted, _BY_NAME, then=f"Known: {', '.join(_BY_NAME)}.")
    raise UsageError("Unknown target", where=name[:60], remedy=hint)


def _changed(target: Target, own: TargetSettings) -> Target:
    changed = target if own.limit is None else replace(target, limit=own.limit)
    return changed if own.margin is None else replace(changed, margin=own.margin)
