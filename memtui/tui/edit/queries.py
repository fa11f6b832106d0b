"""What forms read and write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.curate.form import Basis, Finding, Texts, read_form
from memtui.domain.memory import Memory
from memtui.errors import NotFoundError, UsageError
from memtui.text.sanitize import tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess

if TYPE_CHECKING:
    from memtui.curate.form import Decision


@dataclass(frozen=True, slots=True)
class Wish:
    """A save that the user asked for."""

    values: Mapping[str, Any]  # new values by field
    decision: Decision = "edit"  # what the save says of the memory
    allow_secret: bool = False  # whether to save what looks like a secret


class FormError(UsageError):
    """A field of the form is invalid."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.text)
        self.finding = finding


def read_values(texts: Texts, basis: Basis) -> dict[str, Any]:
    """Return the values that the texts of a form stand for. Raises `FormError`: a field is invalid."""
    values, errors = read_form(texts, basis)
    if errors:
        raise FormError(errors[0])
    return values


class EditingAccess:
    """Reads what a form starts from, and saves it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def basis(self, identifier: str | None) -> Basis:
        """Return what a form starts from: the memory, or the project and folder of a new one.

        Raises `NotFoundError`: the memory no longer exists.
        """
        from memtui.curate.fields import vault_tags
        from memtui.vault.projects import project_names

        opening = self._opening
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
            here = view.project if view.named or view.stands_in else None
            memory = reader.get(reader.resolve(identifier)) if identifier is not None else None
            owner = here if memory is None or memory.project is None else memory.project
            tree = self._access.tree_of(reader, owner)
            projects = tuple(project_names(reader))
        root = tree.root if tree is not None else view.root if memory is None else None
        return Basis(memory, opening.vault.kinds, root, here, projects, vault_tags(self._reading))

    def current(self, identifier: str) -> tuple[Memory, str]:
        """Return a memory as it is stored now, and who changed it last and how.

        Raises `NotFoundError`: it no longer exists.
        """
        from memtui.vault.facets import last_changes

        with self._reading.read() as reader:
            found = reader.get_many([identifier]).get(identifier)
            changes = last_changes(reader, identifier, limit=1)
        if found is None:
            raise NotFoundError("The memory no longer exists: adding it was undone, or it was purged", where=identifier)
        return found, "".join(f"{tame(actor)}: {tame(summary, 60)}" for _, actor, summary in changes)

    def save(self, base: Memory, wish: Wish) -> tuple[Memory, Done]:
        """Save against the version that the edit is based on. Raises `ConflictError`: the memory changed since."""
        from memtui.curate.form import save_edit

        opening = self._opening
        if not wish.values and wish.decision == "edit":
            return base, Done("Nothing to change", changed=False)
        tree = None
        if wish.decision == "verify":
            with self._reading.read() as reader:
                tree = self._access.tree_of(reader, base.project)
        opening.before_change()
        saved = save_edit(
            self._vault,
            base.id,
            wish.values,
            actor=opening.actor,
            if_version=base.version,
            folder=opening.folder,
            decision=wish.decision,
            tree=tree,
            allow_secret=wish.allow_secret,
            secret_patterns=opening.secret_patterns,
        )
        if saved.version == base.version:
            return saved, Done("Nothing to change", changed=False)
        word = {"edit": "Saved", "verify": "Saved and verified", "accept": "Accepted"}[wish.decision]
        place = "" if saved.project else " (unassigned: no payload includes it until it has a project)"
        return saved, Done(f"{word}: {tame(saved.title)}{place if wish.decision == 'accept' else ''}", focus=saved.id)

    def add(self, wish: Wish, basis: Basis) -> tuple[Memory, Done]:
        from memtui.curate.memories import NewMemory, add_memory

        opening, values = self._opening, dict(wish.values)
        values["text"] = values.pop("insight", "")
        values["why"] = values.pop("rationale", "")
        values["files"] = [anchor.path for anchor in values.pop("anchors", ())]
        values.pop("status_reason", None)
        new = NewMemory(
            **{"project": opening.project, **{k: v for k, v in values.items() if v is not None}},
            allow_secret=wish.allow_secret,
        )
        opening.before_change()
        added = add_memory(
            self._vault,
            new,
            actor=opening.actor,
            folder=self._place(basis),
            secret_patterns=opening.secret_patterns,
        )
        memory, title = added.memory, tame(added.memory.title)
        if not added.is_new:
            return memory, Done(
                f"Already stored ({memory.id}, {memory.status}): {title}", changed=False, focus=memory.id
            )
        guess = " (guessed)" if added.guessed_kind else ""
        place = f"project {tame(memory.project)}" if memory.project else "unassigned: no payload includes it yet"
        waiting = ", waiting in the inbox" if memory.status == "candidate" else ""
        return memory, Done(f"Added {memory.kind}{guess}, {place}{waiting}: {title}", focus=memory.id)

    def _place(self, basis: Basis) -> Path:
        """Return the folder that the files of a new memory are relative to."""
        folder = self._opening.folder
        return basis.root if basis.root is not None and folder.is_relative_to(basis.root) else folder
