"""The target `chat`: Markdown to paste into any assistant."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.pack.targets.base import (
    NOTE,
    PackItem,
    PayloadInfo,
    Piece,
    clean,
    clean_line,
    grouped,
    join,
    verified_words,
)
from memtui.pack.targets.markdown import bold, close_fences, fenced, indented, says_title

_HEADINGS = {
    "constraint": "Constraints",
    "decision": "Decisions",
    "bug-pattern": "Bug patterns",
    "architecture": "Architecture",
    "convention": "Conventions",
    "tooling": "Tooling",
    "lesson": "Lessons",
    "note": "Notes",
}
_TOLD_STATES = ("changed", "moved", "gone")
_INDENT = "  "


class ChatTarget:
    """Markdown: a heading, the note, and the memories by kind."""

    name = "chat"
    label = "Any assistant (Markdown)"
    media = "text/markdown"

    def pieces(self, items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
        """Return the parts of the payload in order; none for no items."""
        if not items:
            return []
        title = f"Memories of {clean_line(info.project)}" if info.project else "Memories"
        pieces = [Piece(f"## {title}\n\n"), Piece(f"{NOTE}\n\n")]
        for kind, group in grouped(items):
            pieces.append(Piece(f"### {heading(kind)}\n\n"))
            pieces += [Piece(item_text(item) + "\n", item.memory.id) for item in group[:-1]]
            pieces.append(Piece(item_text(group[-1]) + "\n\n", group[-1].memory.id))
        last = pieces[-1]
        pieces[-1] = Piece(last.text.rstrip("\n") + "\n", last.memory_id)
        return pieces

    def render(self, items: Sequence[PackItem], info: PayloadInfo) -> str:
        """Return the payload; empty for no items."""
        return join(self.pieces(items, info))


def heading(kind: str) -> str:
    """Return the plural heading of a kind."""
    known = _HEADINGS.get(kind)
    if known:
        return known
    words = clean_line(kind).replace("-", " ").capitalize() or "Others"
    return words if words.endswith("s") else f"{words}s"


def item_text(item: PackItem) -> str:
    """Return one memory as a list item, without a line end."""
    memory = item.memory
    title, body = clean_line(memory.title), close_fences(clean(memory.insight).strip("\n"))
    facts = _facts(item)
    first, _, rest = body.partition("\n")
    if first.strip() == title:
        head, body = bold(title), rest.strip("\n")
    elif _may_lead(first) and (not title or says_title(title, body)):
        head, body = body.lstrip(), ""
    else:
        head = bold(title or "Untitled")
    blocks = [head]
    if body.strip():
        blocks.append(body)
    if memory.snippet.strip():
        blocks.append(fenced(clean(memory.snippet).strip("\n")))
    # A blank line keeps the facts out of a list, a table or a code block that the text may end with.
    separator = "\n\n" if any("\n" in block for block in blocks) else "\n"
    text = "\n".join(blocks) + separator + "\n".join(facts)
    return "- " + indented(text, _INDENT).removeprefix(_INDENT)


def _may_lead(line: str) -> bool:
    """Return whether a line may follow the list mark: one of mere signs could make a rule of both."""
    return any(character.isalnum() for character in line)


def _facts(item: PackItem) -> list[str]:
    memory = item.memory
    facts = []
    if memory.rationale.strip():
        facts.append(f"Why: {close_fences(clean(memory.rationale).strip())}")
    if memory.anchors:
        facts.append(f"Files: {', '.join(_file(anchor.path, item) for anchor in memory.anchors)}")
    words = verified_words(memory)
    return [*facts, f"{words[0].upper()}{words[1:]}."]


def _file(path: str, item: PackItem) -> str:
    state = item.states.get(path, "")
    shown = clean_line(path)
    return f"{shown} ({state})" if state in _TOLD_STATES else shown
