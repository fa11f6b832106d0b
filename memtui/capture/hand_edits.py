"""What a person wrote into a block of memtui by hand, as candidates in the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memtui.capture.markdown import split_markdown
from memtui.curate.memories import NewMemory, draft_memory, store_draft
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory, Source
from memtui.vault.vault import Vault


def pieces_by_hand(written: str, on_disk: str) -> list[str]:
    """Return the texts of a block that were not in it when memtui wrote it."""
    known = {piece.text for piece in split_markdown(written).pieces}
    return [piece.text for piece in split_markdown(on_disk).pieces if piece.text not in known]


def take_edit(
    vault: Vault,
    path: Path,
    written: str,
    on_disk: str,
    *,
    project: str | None,
    actor: Actor,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> list[Memory]:
    """Put what was written into a block by hand into the inbox, as one change; what waits there is not repeated.

    Args:
        path: the file, which the candidates name as their source.
        written: the block as memtui wrote it.
        on_disk: the block as it stands there.

    Raises `SecretRefusedError`: the text holds what looks like a secret; nothing is stored.
    """
    texts = pieces_by_hand(written, on_disk)
    now = vault.now()
    drafts = [
        draft_memory(vault.kinds, NewMemory(text=text), actor=actor, now=now, secret_patterns=secret_patterns)
        for text in texts
    ]
    source = Source(format="memtui", path=str(path))
    waiting = [
        replace(
            draft,
            memory=replace(draft.memory, status="candidate", confirmed_at=None, confirmed_by=None, sources=(source,)),
        )
        for draft in drafts
    ]
    if not waiting:
        return []
    with vault.write(actor=actor.name, action="take edit", summary=f"take edits by hand from {path.name}") as writer:
        added = [store_draft(writer, draft, project=project, anchors=(), actor=actor) for draft in waiting]
        return [one.memory for one in added if one.is_new]
