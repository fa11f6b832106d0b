"""Plain text, XML and JSON, and the table of all targets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from memtui.config import TargetSettings
from memtui.domain.memory import Memory
from memtui.errors import UsageError
from memtui.pack.targets.base import (
    PackItem,
    PayloadInfo,
    Piece,
    Target,
    clean,
    clean_line,
    compiled_line,
    ended,
    grouped,
    is_vouched_for,
    shared_id_start,
    short_ids,
    status_marker,
    trust_line,
)
from memtui.pack.targets.beside import files_beside, paths_beside, place_before, places_told, without_places
from memtui.pack.targets.heads import without_list
from memtui.pack.targets.markdown import MarkdownWriter, indented, same_words, with_code
from memtui.text.words import did_you_mean

_INDENT = "    "


def write_plain(items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
    """Return the parts of the payload in order."""
    items = without_places(items, info)
    project = clean_line(info.project or "")
    compiled = info.style == "compiled"
    start = shared_id_start(items) if compiled else ""
    pieces = [
        Piece(f"Memories of {project}\n" if project else "Memories\n"),
        *(Piece(f"{note}\n\n") for note in info.notes(items, start)),
    ]
    ids = {identifier: short.removeprefix(start) for identifier, short in short_ids(items).items()} if compiled else {}
    for kind, group in grouped(items):
        name = clean_line(kind).upper()
        for item in group:
            place = place_before(item, info)
            label = f"{name}: {place}" if place else name
            text = _compiled(item, label, ids[item.memory.id], info) if compiled else _full(item, label, info)
            pieces.append(Piece(text, item.memory.id))
    return ended(pieces)


def _full(item: PackItem, name: str, info: PayloadInfo) -> str:
    memory = item.memory
    title, insight = _head(memory, info), clean(memory.insight).strip("\n")
    if info.says_lists_once:
        title, insight = _said_once(title, insight)
    blocks = [] if same_words(insight, title) else [insight]
    title = title if blocks else with_code(title, clean_line(insight))
    if memory.snippet.strip():
        blocks.append(clean(memory.snippet).strip("\n"))
    if memory.rationale.strip():
        blocks.append(f"Why: {clean(memory.rationale).strip()}")
    files, trust = files_beside(item, info), trust_line(item, info)
    blocks += [f"Files: {files}"] if files else []
    blocks += [trust] if trust else []
    body = f"{indented(chr(10).join(blocks), _INDENT)}\n" if blocks else ""
    return f"{name}: {title or 'Untitled'}\n{body}\n"


def _said_once(title: str, insight: str) -> tuple[str, str]:
    """Return a title and the text below it, without a first line that says the title and announces the rest."""
    first, _, rest = insight.partition("\n")
    if rest.strip() and first.rstrip().endswith((":", "：")) and same_words(first, title):
        return with_code(title, first.strip()), rest.strip("\n")
    return title, insight


def _compiled(item: PackItem, name: str, short_id: str, info: PayloadInfo) -> str:
    files = files_beside(item, info)
    line = f"{name}: {compiled_line(item, short_id)}" + (f" ({files})" if files else "")
    snippet = clean(item.memory.snippet).strip("\n")
    return f"{line}\n{indented(snippet, _INDENT)}\n" if snippet.strip() else f"{line}\n"


def write_json(items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
    """Return the parts of the payload in order."""
    items = without_places(items, info)
    ordered = [item for _, group in grouped(items) for item in group]
    compiled = info.style == "compiled"
    ids = short_ids(items) if compiled else {}
    project = clean_line(info.project) if info.project else None
    note = "".join(f'"note": {_dump(note)}, ' for note in info.notes(items))
    pieces = [Piece(f'{{"project": {_dump(project)}, {note}"memories": [\n')]
    for item in ordered:
        record = _compiled_record(item, ids[item.memory.id], info) if compiled else _record(item, info)
        pieces.append(Piece(_dump(record) + ("\n" if item is ordered[-1] else ",\n"), item.memory.id))
    return [*pieces, Piece("]}\n")]


def _compiled_record(item: PackItem, short_id: str, info: PayloadInfo) -> dict[str, Any]:
    memory, places = item.memory, places_told(item, info)
    record: dict[str, Any] = {"id": short_id, "kind": clean_line(memory.kind), **_only_for(places)}
    record["text"] = clean_line(memory.insight)
    if memory.snippet.strip():
        record["snippet"] = clean(memory.snippet).strip("\n")
    files = [clean_line(anchor.path) for anchor in memory.anchors if anchor.path not in places]
    return record | ({"files": files} if files else {})


def _only_for(places: Sequence[str]) -> dict[str, list[str]]:
    return {"only_for": [clean_line(place) for place in places]} if places else {}


def _record(item: PackItem, info: PayloadInfo) -> dict[str, Any]:
    memory, places = item.memory, places_told(item, info)
    record: dict[str, Any] = {
        "id": memory.id,
        "kind": clean_line(memory.kind),
        **_only_for(places),
        "title": _head(memory, info),
        "insight": clean(memory.insight).strip("\n"),
    }
    if memory.rationale.strip():
        record["rationale"] = clean(memory.rationale).strip()
    if memory.snippet.strip():
        record["snippet"] = clean(memory.snippet).strip("\n")
    paths = [anchor.path for anchor in memory.anchors if anchor.path not in places]
    if paths:
        record["files"] = [{"path": clean_line(path)} | _state(item.states.get(path)) for path in paths]
    if memory.status == "candidate":
        record["confirmed"] = False
    status = status_marker(memory, item.status)
    if status:
        record["status"] = status
    if is_vouched_for(item) and not info.is_early:
        return record
    record["verified"] = f"{memory.verified_at:%Y-%m-%d}" if memory.verified_at else None
    record["from"] = f"{memory.observed_at or memory.created_at:%Y-%m-%d}"
    return record


def _head(memory: Memory, info: PayloadInfo) -> str:
    title = clean_line(memory.title)
    return without_list(title, f"{clean(memory.insight)}\n{clean(memory.snippet)}") if info.says_lists_once else title


def _state(state: str | None) -> dict[str, str]:
    return {"state": state} if state else {}


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_NO_XML = re.compile("[\ufffe\uffff]")
"""Beside control characters and surrogates, which are gone by then, what XML 1.0 does not allow (production 2)."""


def write_xml(items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
    """Return the parts of the payload in order."""
    items = without_places(items, info)
    compiled = info.style == "compiled"
    project = _attributes([("project", clean_line(info.project or ""))])
    pieces = [Piece(f"<memories{project}>\n"), *(Piece(_element("note", one)) for one in info.notes(items))]
    ids = short_ids(items) if compiled else {}
    for _, group in grouped(items):
        for item in group:
            text = _xml_target_compiled(item, ids[item.memory.id], info) if compiled else _xml_target_full(item, info)
            pieces.append(Piece(text, item.memory.id))
    return [*pieces, Piece("</memories>\n")]


def _xml_target_full(item: PackItem, info: PayloadInfo) -> str:
    memory = item.memory
    verified = f"{memory.verified_at:%Y-%m-%d}" if memory.verified_at else "never"
    verified = "unconfirmed" if memory.status == "candidate" else verified
    known = f"{memory.observed_at or memory.created_at:%Y-%m-%d}"
    if is_vouched_for(item) and not info.is_early:
        verified = known = ""
    attributes = _attributes(
        [
            ("id", clean_line(memory.id)),
            ("kind", clean_line(memory.kind)),
            ("only-for", clean_line(" ".join(places_told(item, info)))),
            ("status", status_marker(memory, item.status)),
            ("verified", verified),
            ("from", known),
        ]
    )
    title, insight = _head(memory, info), clean(memory.insight).strip("\n")
    is_same = same_words(insight, title)
    title = with_code(title, clean_line(insight)) if is_same else title
    parts = [
        _element("title", title) if title else "",
        "" if is_same else _element("insight", insight),
        _element("snippet", clean(memory.snippet).strip("\n")) if memory.snippet.strip() else "",
        _element("why", clean(memory.rationale).strip()) if memory.rationale.strip() else "",
        *_files(item, info),
    ]
    return f"<memory{attributes}>\n{''.join(parts)}</memory>\n"


def _xml_target_compiled(item: PackItem, short_id: str, info: PayloadInfo) -> str:
    places = places_told(item, info)
    files = " ".join(clean_line(anchor.path) for anchor in item.memory.anchors if anchor.path not in places)
    only = clean_line(" ".join(places))
    kind = clean_line(item.memory.kind)
    attributes = _attributes([("id", short_id), ("kind", kind), ("only-for", only), ("files", files)])
    snippet = clean(item.memory.snippet).strip("\n")
    code = "\n" + _element("snippet", snippet) if snippet.strip() else ""
    return f"<memory{attributes}>{_escaped(clean_line(item.memory.insight))}{code}</memory>\n"


def _files(item: PackItem, info: PayloadInfo) -> list[str]:
    return [
        f"<file{_attributes([('path', clean_line(path)), ('state', item.states.get(path, ''))])}/>\n"
        for path in paths_beside(item, info)
    ]


def _attributes(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f' {name}="{_escaped(value, quote=True)}"' for name, value in pairs if value)


def _element(name: str, text: str) -> str:
    return f"<{name}>{_escaped(text)}</{name}>\n"


def _escaped(text: str, *, quote: bool = False) -> str:
    text = _NO_XML.sub("\ufffd", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;") if quote else text


FOREIGN_TOKENIZER = 0.3
"""Margin for assistants whose tokenizer is not public: counts by another vocabulary were seen up to 28 % low."""

_MARKDOWN = "text/markdown"
_CLAUDE = frozenset({"claude-md", "claude-rules", "claude-memory", "skill:.claude/skills"})
_COMMON_SKILLS = "skill:.agents/skills"
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
        loads_below=True,
    ),
    Target(
        "claude-md",
        "Section of a CLAUDE.md",
        _MARKDOWN,
        _SECTION,
        "200 lines",
        FOREIGN_TOKENIZER,
        loads=_CLAUDE,
        loads_below=True,
    ),
    Target(
        "claude-memory",
        "Claude's MEMORY.md folder",
        _MARKDOWN,
        _WHOLE_FILE,
        "200 lines and 25000 bytes",
        FOREIGN_TOKENIZER,
        loads=_CLAUDE,
        loads_below=True,
    ),
    Target(
        "cursor",
        "Cursor, body of an .mdc rule",
        _MARKDOWN,
        _WHOLE_FILE,
        margin=FOREIGN_TOKENIZER,
        loads=frozenset({"cursor-rules", "agents-md", "skill:.cursor/skills", "skill:.claude/skills", _COMMON_SKILLS}),
        loads_below=True,
    ),
    Target(
        "copilot",
        "GitHub Copilot instructions",
        _MARKDOWN,
        _SECTION,
        margin=FOREIGN_TOKENIZER,
        loads=frozenset({"copilot", "agents-md", "skill:.github/skills", "skill:.claude/skills", _COMMON_SKILLS}),
    ),
    Target(
        "codex",
        "Section of an AGENTS.md",
        _MARKDOWN,
        _SECTION,
        "32 KiB",
        loads=frozenset({"agents-md", "skill:.codex/skills", _COMMON_SKILLS}),
    ),
    Target(
        "gemini",
        "Section of a GEMINI.md",
        _MARKDOWN,
        _SECTION,
        margin=FOREIGN_TOKENIZER,
        loads=frozenset({"gemini", "skill:.gemini/skills", _COMMON_SKILLS}),
    ),
    Target(
        "windsurf",
        "Windsurf rule file",
        _MARKDOWN,
        _WHOLE_FILE,
        "12000 chars",
        FOREIGN_TOKENIZER,
        loads=frozenset({"windsurf", "agents-md"}),
        loads_below=True,
    ),
    Target(
        "cline",
        "Cline rule file",
        _MARKDOWN,
        _WHOLE_FILE,
        margin=FOREIGN_TOKENIZER,
        loads=frozenset({"cline", "cline-memory-bank", "agents-md"}),
    ),
    Target(
        "kiro",
        "Kiro steering file",
        _MARKDOWN,
        _WHOLE_FILE,
        margin=FOREIGN_TOKENIZER,
        loads=frozenset({"kiro", "agents-md"}),
    ),
    Target("xml", "XML elements", "application/xml", write_xml),
    Target("plain", "Plain text", "text/plain", write_plain),
    Target("json", "JSON", "application/json", write_json),
)
_BY_NAME = {target.name: target for target in _TARGETS}


def target_names() -> tuple[str, ...]:
    return tuple(_BY_NAME)


def target_named(name: str, settings: Iterable[tuple[str, TargetSettings]] = ()) -> Target:
    """Return the target of that name.

    `settings`: a person's own limits, per target.

    Raises `UsageError`: unknown target; the message suggests the nearest and lists all.
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
