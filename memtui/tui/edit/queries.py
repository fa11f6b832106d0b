"""The edit form's work on the vault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.curate.form import Basis, Finding, Texts, check_form, read_form
from memtui.domain.memory import Memory
from memtui.errors import NotFoundError, UsageError
from memtui.tui.text_layout import tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess

if TYPE_CHECKING:
    from memtui.curate.form import Decision


@dataclass(frozen=True, slots=True)
class Wish:
    """A save that a person asked for.

    Attributes:
        values: new values by field.
        decision: what is said of the memory with it.
        allow_secret: whether the person insists on what looks like a secret.
    """

    values: Mapping[str, Any]
    decision: Decision = "edit"
    allow_secret: bool = False


class FormError(UsageError):
    """A field of the form cannot be read."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.text)
        self.finding = finding


class EditingAccess:
    """The vault as forms see it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def basis(self, identifier: str | None) -> Basis:
        """Return what a form starts from: the memory, or the place of a new one.

        Raises:
            NotFoundError: the memory is gone.
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

    def files(self, root: Path) -> tuple[str, ...]:
        """Return files of a working tree to offer."""
        from memtui.curate.fields import nameable_files

        return tuple(nameable_files(root, ()))

    def check(self, texts: Texts, basis: Basis) -> list[Finding]:
        """Return what is to be said beside the fields."""
        return check_form(texts, basis, self._opening.secret_patterns)

    def wish(self, texts: Texts, basis: Basis, decision: Decision, *, allow_secret: bool) -> Wish:
        """Return the save that the texts of a form ask for.

        Raises:
            FormError: a field cannot be read.
        """
        values, errors = read_form(texts, basis)
        if errors:
            raise FormError(errors[0])
        return Wish(values, decision, allow_secret)

    def current(self, identifier: str) -> tuple[Memory, str]:
        """Return a memory as it is stored now, and who changed it last by what.

        Raises:
            NotFoundError: it is gone.
        """
        from memtui.vault.facets import last_changes

        with self._reading.read() as reader:
            found = reader.get_many([identifier]).get(identifier)
            changes = last_changes(reader, identifier, limit=1)
        if found is None:
            raise NotFoundError("The memory is gone: its adding was undone, or it was purged", where=identifier)
        return found, "".join(f"{tame(actor)}: {tame(summary, 60)}" for _, actor, summary in changes)

    def save(self, base: Memory, wish: Wish) -> tuple[Memory, Done]:
        """Save a wish against the version that it is based on.

        Raises:
            ConflictError: somebody changed the memory since.
            MemtuiError: see its text.
        """
        from memtui.curate.form import save_edit

        opening = self._opening
        if not wish.values and wish.decision == "edit":
            return base, Done("Nothing was changed", changed=False)
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
            return saved, Done("Nothing was changed", changed=False)
        word = {"edit": "Saved", "verify": "Saved, and still true", "accept": "Accepted"}[wish.decision]
        place = "" if saved.project else " (unassigned: it reaches no payload until it has a project)"
        return saved, Done(f"{word}: {tame(saved.title)}{place if wish.decision == 'accept' else ''}", focus=saved.id)

    def add(self, wish: Wish, basis: Basis) -> tuple[Memory, Done]:
        """Add a memory.

        Raises:
            MemtuiError: see its text.
        """
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
                f"Already there ({memory.id}, {memory.status}): {title}", changed=False, focus=memory.id
            )
        guess = " (guessed)" if added.guessed_kind else ""
        place = f"project {tame(memory.project)}" if memory.project else "unassigned: in no payload until it has one"
        waiting = "; it waits in the inbox" if memory.status == "candidate" else ""
        return memory, Done(f"Added {memory.kind}{guess}, {place}{waiting}: {title}", focus=memory.id)

    def _place(self, basis: Basis) -> Path:
        """Return the folder that the files of a new memory are relative to."""
        folder = self._opening.folder
        return basis.root if basis.root is not None and folder.is_relative_to(basis.root) else folder
