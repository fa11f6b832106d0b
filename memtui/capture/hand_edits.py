"""What a person wrote into a block of memtui by hand, as candidates in the inbox."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent

from memtui.curate.memories import NewMemory, draft_memory, store_draft
from memtui.domain.identity import Actor
from memtui.domain.memory import Link, Memory, Source
from memtui.vault.publications import publication_of
from memtui.vault.vault import Vault

_ALIKE = 55.0  # Likeness, 0–100, from which an item replaces one that is gone
_FROM_MEMORY = 80.0  # The same from which an item says what a memory says
_ITEM = re.compile(r"[-*+] ")


@dataclass(frozen=True, slots=True)
class HandEdit:
    """One item of a block that memtui did not write."""

    text: str  # as it stands in the file, without its mark
    was: str = ""  # the item that it replaces, as memtui wrote it; empty for a new one


def hand_edits(written: str, on_disk: str) -> list[HandEdit]:
    """Return the items of a block that were not in it when memtui wrote it, each with the one that it replaces."""
    from rapidfuzz.fuzz import ratio

    before, after = list(_items(written)), list(_items(on_disk))
    gone = [item for item in before if item not in after]
    found = []
    for item in (item for item in after if item not in before):
        was = max(gone, key=lambda old: ratio(old, item), default="")
        if was and ratio(was, item) >= _ALIKE:
            gone.remove(was)
            found.append(HandEdit(item, was))
        else:
            found.append(HandEdit(item))
    return found


def _items(text: str) -> Iterator[str]:
    """Yield the items of lists with what belongs to them, and paragraphs; headings are none."""
    held: list[str] = []
    for line in [*text.splitlines(), "#"]:
        is_item, is_heading = _ITEM.match(line) is not None, line.startswith("#")
        in_item = bool(held) and _ITEM.match(held[0]) is not None
        goes_on = line[:1].isspace() or not line.strip() if in_item else bool(line.strip())
        if is_item or is_heading or not goes_on:
            yield from _joined(held)
            held = []
        if not is_heading and (held or line.strip()):
            held.append(line)


def _joined(lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    first = _ITEM.sub("", lines[0], count=1)
    text = f"{first}\n{dedent(chr(10).join(lines[1:]))}".strip()
    if text:
        yield text


def take_edit(
    vault: Vault,
    path: Path,
    block: str,
    written: str,
    on_disk: str,
    *,
    project: str | None,
    actor: Actor,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> list[Memory]:
    """Put what was written into a block by hand into the inbox, as one change; what waits there is not repeated.

    An edited item corrects the memory that it stood for: it supersedes that one once it is accepted.

    Args:
        path: the file, which the candidates name as their source.
        block: the id of the block.
        written: the block as memtui wrote it.
        on_disk: the block as it stands there.

    Raises `SecretRefusedError`: the text holds what looks like a secret; nothing is stored.
    """
    edits = hand_edits(written, on_disk)
    if not edits:
        return []
    with vault.read() as reader:
        known = publication_of(reader, str(path), block)
        published = reader.get_many(known.memory_ids) if known is not None else {}
    corrected = [_memory_of(edit.was, published.values()) for edit in edits]
    now, source = vault.now(), Source(format="memtui", path=str(path))
    drafts = []
    for edit, old in zip(edits, corrected, strict=True):
        new = NewMemory(text=_as_insight(edit, old), kind=old.kind if old else None, tags=old.tags if old else ())
        drafted = draft_memory(vault.kinds, new, actor=actor, now=now, secret_patterns=secret_patterns)
        memory = replace(drafted.memory, status="candidate", confirmed_at=None, confirmed_by=None, sources=(source,))
        drafts.append(replace(drafted, memory=memory))
    with vault.write(actor=actor.name, action="take edit", summary=f"take edits by hand from {path.name}") as writer:
        taken = []
        for drafted, old in zip(drafts, corrected, strict=True):
            anchors = old.anchors if old else ()
            added = store_draft(writer, drafted, project=old.project if old else project, anchors=anchors, actor=actor)
            if added.is_new and old is not None:
                link = Link(from_id=added.memory.id, type="supersedes", to_id=old.id, created_at=writer.now)
                writer.add_links([link])
            taken += [added.memory] if added.is_new else []
        return taken


def _memory_of(item: str, memories: Iterable[Memory]) -> Memory | None:
    """Return the memory that an item was written from; None for what is new."""
    from rapidfuzz.fuzz import partial_ratio

    told = [(partial_ratio(memory.insight, item), len(memory.insight), memory) for memory in memories if item]
    best = max(told, key=lambda one: one[:2], default=None)
    return best[2] if best is not None and best[0] >= _FROM_MEMORY else None


def _as_insight(edit: HandEdit, old: Memory | None) -> str:
    """Return an edited item without what memtui wrote around the text of its memory, such as files beside it."""
    if old is None:
        return edit.text
    told = old.insight.rstrip(" .。\n")  # a bold head is written without its full stop
    before, held, after = edit.was.partition(told)
    if not (held and edit.text.startswith(before) and edit.text.endswith(after)):
        return edit.text
    return f"{edit.text[len(before) : len(edit.text) - len(after)]}{old.insight[len(told) :]}"
