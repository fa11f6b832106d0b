"""Rows of stores that hold a secret: it goes with its sentence, tag, file or name, the rest is kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from memtui.analysis.titles import title_for
from memtui.capture.draft import Draft, Skipped
from memtui.capture.secret_screening import LEFT_OUT, without_secret_lines
from memtui.capture.skip_codes import SkipCode
from memtui.domain.memory import Memory
from memtui.domain.record import Record, memory_record
from memtui.text.secrets import find_secrets
from memtui.text.words import shorten
from memtui.vault.text_search import Patterns, secrets_in, without_values

_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])[ \t]+(?=\S)|(?<=[。！？])")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LONGEST_NAMED = 60
_REMEDY = "--allow-secret stores it"


def without_secrets(
    draft: Draft, project: str | None, patterns: Patterns
) -> tuple[Draft, str | None, list[Skipped]] | None:
    """Return a draft and its project without what holds a secret, and what was left out; None if too little is left.

    `draft`: with its stated memory.
    """
    stated = draft.stated
    if stated is None:
        return None
    told: list[Skipped] = []

    def is_plain(field: str) -> Callable[[str], bool]:
        def plain(value: str) -> bool:
            found = secrets_in(value, patterns)
            told.extend(_left_out(draft, field, rules, patterns) for rules in found.values())
            return not found

        return plain

    tags = tuple(filter(is_plain("tags"), stated.tags))
    anchors = tuple(one for one in stated.anchors if is_plain("files")(one.path))
    home = None if project is None or not is_plain("project")(project) else project
    titled = is_plain("title")(stated.title)
    source = replace(draft.source, native_id=without_values(draft.source.native_id or "", patterns) or None)
    bare = replace(
        draft,
        record=None,
        stated=None,
        title=stated.title if titled else title_for(without_values(stated.insight, patterns), ()),
        tags=tags,
        anchors=tuple(one.path for one in anchors),
        source=source,
        insight=_by_sentences(stated.insight, patterns),
        rationale=_by_sentences(stated.rationale, patterns),
    )
    kept, lines = without_secret_lines(bare, patterns) or (bare, [])
    if not titled:
        kept = replace(kept, title=title_for(kept.insight, ()))
    if secrets_in(replace(kept, source=replace(source, path=None)), patterns):
        return None
    memory = replace(
        stated,
        title=kept.title,
        insight=kept.insight,
        rationale=kept.rationale,
        snippet=kept.snippet,
        tags=tags,
        anchors=anchors,
        project=home if stated.project is not None else None,
        status_reason=without_values(stated.status_reason, patterns),
        sources=tuple(replace(one, native_id=source.native_id) for one in stated.sources),
    )
    notes = tuple(dict.fromkeys((*kept.notes, LEFT_OUT)))
    return replace(kept, record=_record(draft, memory), stated=memory, notes=notes), home, [*told, *lines]


def _record(draft: Draft, memory: Memory) -> Record:
    return {key: value for key, value in memory_record(memory).items() if key in (draft.record or {})}


def _by_sentences(text: str, patterns: Patterns) -> str:
    """Return a text in which each sentence of a line that holds a secret stands on a line of its own."""
    if not secrets_in(text, patterns):
        return text
    lines: list[str] = []
    in_fence = False
    for line in text.split("\n"):
        in_fence ^= _FENCE.match(line) is not None
        if in_fence or not find_secrets(line, patterns):
            lines.append(line)
        else:
            lines += [part for part in _BETWEEN_SENTENCES.split(line) if part]
    return "\n".join(lines)


def named(draft: Draft, patterns: Patterns) -> str:
    """Return which row of its store a draft is, without a secret: its title and the store's id."""
    shown: dict[str, Any] = {"title": draft.title, "id": draft.source.native_id or ""}
    title, native = (shorten(without_values(value, patterns), _LONGEST_NAMED) for value in shown.values())
    return f"“{title}” ({native})" if native and native != title else f"“{title}”"


def _left_out(draft: Draft, field: str, rules: list[str], patterns: Patterns) -> Skipped:
    reason = f"looks like a secret ({', '.join(rules)}) in {field} of {named(draft, patterns)}"
    return Skipped(draft.source.path or "", None, f"{reason}; the rest is kept; {_REMEDY}", code=SkipCode.SECRET_LINE)
