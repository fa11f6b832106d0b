"""Write what was planned into the files of assistants, recorded so that undo takes it back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from memtui.publish import blocks
from memtui.publish.edits import Edit, finish_unfinished, written
from memtui.publish.plan import FilePlan, Plan
from memtui.text.words import some_of
from memtui.vault.publications import BLOCK, publication_of, set_publication
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

_NAMED = 3  # Files that a summary names


def publish(vault: Vault, plans: Sequence[Plan], *, actor: str, action: str = "publish") -> list[FilePlan]:
    """Write the files of some plans, all or none, and return those that changed.

    Raises:
        MemtuiError: one of the plans is refused, or a file cannot be written; nothing is changed.
        ConflictError: a file changed since it was planned.
    """
    finish_unfinished(vault)
    files = [file for plan in plans for file in plan.files]
    refused = next((file.problem for file in files if file.problem is not None), None)
    if refused is not None:
        raise refused
    if not files:
        return []
    changed = [file for file in files if file.is_change]
    edits = [Edit(file.path, file.base, file.before, file.after, _key(file), _recorded(file)) for file in changed]
    names = some_of([file.path.name for file in changed], _NAMED)
    # The files are put back where the change of the vault fails: they are entered last, and left after it.
    with ExitStack() as stack, vault.write(actor=actor, action=action, summary=f"{action} {names}") as writer:
        stack.enter_context(written(vault, edits))
        for file in files:
            if file.is_change:
                _note_replaced(writer, file)
            publication = None if file.publication is None else replace(file.publication, actor=actor)
            set_publication(writer, f"{file.path}#{file.target}", publication)
    return changed


def _note_replaced(writer: VaultWriter, file: FilePlan) -> None:
    """Journal what stood in a file where the publication's own record does not take it back there."""
    if file.on_disk == file.written != file.head + file.text:
        return
    known = publication_of(writer, str(file.path), file.target)
    ids = [identifier for one in (known, file.publication) if one is not None for identifier in one.memory_ids]
    about = {"path": str(file.path), "block": file.target, "memory_ids": sorted(set(ids))}
    before, after = (about | {"text": blocks.piece(data, file.target)} for data in (file.before, file.after))
    writer.note(BLOCK, f"{file.path}#{file.target}", before, after)


def _key(file: FilePlan) -> str:
    """Return the key of a publication by whose record a crash is known to have come after the change; else empty."""
    return f"{file.path}#{file.target}" if file.written != file.head + file.text else ""


def _recorded(file: FilePlan) -> str | None:
    return blocks.text_hash(file.head + file.text) if file.publication else None
