"""Saving an edit together with what the person says of the memory: still true, or accepted; as one change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from memtui.curate.editing import edited_memory
from memtui.curate.lifecycle import accepted, only_person, settle_supersessions, verified
from memtui.domain.actor import Actor
from memtui.domain.memory import Memory
from memtui.errors import UsageError
from memtui.vault.vault import Vault
from memtui.vault.writing import VaultWriter
from memtui.workspace import Tree

Decision = Literal["edit", "verify", "accept"]
"""`edit` saves alone, `verify` says "still true" too, `accept` takes a candidate into use too."""

_SUMMARIES: Mapping[Decision, str] = {"edit": "edit", "verify": "edit and verify", "accept": "edit and accept"}


def save_edit(
    vault: Vault,
    identifier: str,
    values: Mapping[str, Any],
    *,
    actor: Actor,
    if_version: int,
    folder: Path,
    decision: Decision = "edit",
    tree: Tree | None = None,
    allow_secret: bool = False,
    secret_patterns: Sequence[tuple[str, str]] = (),
) -> Memory:
    """Save fields of one memory and a decision on it; returns it as stored.

    Args:
        vault: the vault.
        identifier: id or prefix.
        values: new values by field, see `memtui.curate.editing.EDITABLE`; none is fine beside a decision.
        actor: who edits.
        if_version: the version that the edit is based on; a moved one is a conflict.
        folder: where an unassigned candidate is accepted: it goes to this folder's project.
        decision: what is said of it.
        tree: the working tree whose files "still true" takes as they are.
        allow_secret: store the text even if it looks like a secret.
        secret_patterns: the user's own patterns.

    Raises:
        UsageError, NotFoundError, RefusedError, SecretRefusedError, ConflictError: see their texts.
    """
    if decision != "edit":
        only_person(actor, decision)
    with vault.write(actor=actor.name, action=decision) as writer:
        memory = writer.get(writer.resolve(identifier))
        edited = edited_memory(
            writer, memory, values, actor=actor, allow_secret=allow_secret, secret_patterns=secret_patterns
        )
        if memory.version == if_version:
            # On a moved version the save below is a conflict, whatever else would be wrong.
            edited = _decided(writer, edited, decision, actor, folder=folder, tree=tree)
        writer.summary = f"{_SUMMARIES[decision] if values else decision} {edited.title}"
        saved = writer.put(edited, if_version=if_version)
        if decision == "accept":
            settle_supersessions(writer, [saved], actor)
        return saved


def _decided(
    writer: VaultWriter, memory: Memory, decision: Decision, actor: Actor, *, folder: Path, tree: Tree | None
) -> Memory:
    wanted = {"edit": memory.status, "verify": "active", "accept": "candidate"}[decision]
    if memory.status != wanted:
        raise UsageError(f"It is {memory.status}, not {wanted}: there is nothing to {decision}", where=memory.id)
    if decision == "verify":
        return verified(writer, memory, actor, tree)
    return accepted(writer, memory, actor, folder=folder, project=None) if decision == "accept" else memory
