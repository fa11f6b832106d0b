"""The target `plain`: text without any markup; what is indented belongs to the line above it."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.pack.targets.base import (
    NOTE,
    PackItem,
    PayloadInfo,
    Piece,
    clean,
    clean_line,
    compiled_note,
    ended,
    files_words,
    grouped,
    shared_id_start,
    short_ids,
    trust_line,
)
from memtui.pack.targets.markdown import indented, same_words, with_code

_INDENT = "    "


def write_plain(items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
    """Return the parts of the payload in order."""
    project = clean_line(info.project or "")
    compiled = info.style == "compiled"
    start = shared_id_start(items) if compiled else ""
    note = compiled_note(start) if compiled else NOTE
    pieces = [Piece(f"Memories of {project}\n" if project else "Memories\n"), Piece(f"{note}\n\n")]
    ids = {identifier: short.removeprefix(start) for identifier, short in short_ids(items).items()} if compiled else {}
    for kind, group in grouped(items):
        name = clean_line(kind).upper()
        for item in group:
            text = _compiled(item, name, ids[item.memory.id]) if compiled else _full(item, name)
            pieces.append(Piece(text, item.memory.id))
    return ended(pieces)


def _full(item: PackItem, name: str) -> str:
    memory = item.memory
    title, insight = clean_line(memory.title), clean(memory.insight).strip("\n")
    blocks = [] if same_words(insight, title) else [insight]
    title = title if blocks else with_code(title, clean_line(insight))
    if memory.snippet.strip():
        blocks.append(clean(memory.snippet).strip("\n"))
    if memory.rationale.strip():
        blocks.append(f"Why: {clean(memory.rationale).strip()}")
    if memory.anchors:
        blocks.append(f"Files: {files_words(item)}")
    blocks.append(trust_line(item))
    return f"{name}: {title or 'Untitled'}\n{indented(chr(10).join(blocks), _INDENT)}\n\n"


def _compiled(item: PackItem, name: str, short_id: str) -> str:
    files = files_words(item)
    line = f"{name} [{short_id}]: {clean_line(item.memory.insight)}" + (f" ({files})" if files else "")
    snippet = clean(item.memory.snippet).strip("\n")
    return f"{line}\n{indented(snippet, _INDENT)}\n" if snippet.strip() else f"{line}\n"
