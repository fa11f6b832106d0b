"""The Reflect screen's reads and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.curate.form import Basis, Finding, Texts, check_form, read_form
from memtui.domain.kinds import DEFAULT_KIND
from memtui.domain.memory import Memory
from memtui.errors import NotFoundError
from memtui.text.sanitize import reveal
from memtui.tui.edit.queries import FormError
from memtui.tui.memory_view import LONGEST_SHOWN, Block, highlighted
from memtui.tui.text_layout import ago, counted, days_between, tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess


@dataclass(frozen=True, slots=True)
class Sources:
    """What a conclusion is written from.

    Attributes:
        memories: as they are looked at.
        headings: kind and age of each.
        basis: the form's basis: a memory that holds what is proposed, and no text.
        outline: the titles, one a line.
        projects: named projects, of which a person chooses one where there are several.
    """

    memories: tuple[Memory, ...]
    headings: tuple[str, ...]
    basis: Basis
    outline: str
    projects: tuple[str, ...]


class ReflectAccess:
    """The vault as the Reflect screen sees it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening

    def sources(self, identifiers: Sequence[str]) -> Sources:
        """Return the sources with what a conclusion takes over from them.

        Raises:
            NotFoundError: fewer than two of them are left.
        """
        from memtui.curate.fields import vault_tags
        from memtui.curate.merge import common_project, named_projects
        from memtui.curate.reflect import FEWEST_SOURCES, propose
        from memtui.vault.projects import project_names

        memories = self._access.memories(identifiers)
        if len(memories) < FEWEST_SOURCES:
            raise NotFoundError("What was to be reflected on is gone")
        named = named_projects(memories)
        project = common_project(memories[0], memories[1:]) if len(named) < 2 else None  # noqa: PLR2004 - several
        proposed, now = propose(memories), self._vault.now()
        with self._reading.read() as reader:
            tree = self._access.tree_of(reader, project)
            projects = tuple(project_names(reader))
        blank = Memory(
            id="",
            title="",
            insight="",
            kind=DEFAULT_KIND,
            project=project,
            tags=proposed.tags,
            anchors=proposed.anchors,
            created_at=now,
            updated_at=now,
        )
        root = tree.root if tree is not None else None
        basis = Basis(blank, self._opening.vault.kinds, root, project, projects, vault_tags(self._reading))
        headings = tuple(f"{tame(m.kind)} · {ago(days_between(m.observed_at or m.created_at, now))}" for m in memories)
        return Sources(tuple(memories), headings, basis, proposed.outline, tuple(named))

    def check(self, texts: Texts, basis: Basis) -> list[Finding]:
        """Return what is to be said beside the fields."""
        return check_form(texts, basis, self._opening.secret_patterns)

    def reflect(
        self, sources: Sources, texts: Texts, *, retire: bool, allow_secret: bool = False
    ) -> tuple[Memory, Done]:
        """Store the conclusion with its sources.

        Raises:
            FormError: a field cannot be read.
            ConflictError: somebody changed a source since it was read.
            MemtuiError: see its text.
        """
        from memtui.curate.reflect import Conclusion, reflect

        values, errors = read_form(texts, sources.basis)
        if errors:
            raise FormError(errors[0])
        opening = self._opening
        opening.before_change()
        made = reflect(
            self._vault,
            [memory.id for memory in sources.memories],
            Conclusion(
                text=values.get("insight", ""),
                title=values.get("title", ""),
                kind=values.get("kind", DEFAULT_KIND),
                why=values.get("rationale", ""),
                tags=values.get("tags"),
                anchors=values.get("anchors"),
                project=values.get("project"),
                allow_secret=allow_secret,
            ),
            actor=opening.actor,
            retire=retire,
            versions={memory.id: memory.version for memory in sources.memories},
            secret_patterns=opening.secret_patterns,
        )
        kept = "retired" if made.retired else "kept"
        number = counted(len(made.sources), "source", "sources")
        word = "Concluded" if made.is_new else "Already there, with its sources now"
        waiting = "; it waits in the inbox" if made.memory.status == "candidate" else ""
        return made.memory, Done(
            f"{word}: {tame(made.memory.title, 80)} ({number} {kept}{waiting})", focus=made.memory.id
        )


def source_blocks(sources: Sources) -> list[Block]:
    """Return the sources one below the other: title, kind and age, text and reason."""
    blocks: list[Block] = []
    for place, (memory, heading) in enumerate(zip(sources.memories, sources.headings, strict=True), 1):
        blocks.append(Block(((f"{place} ", "label"), (tame(memory.title, 300), "title")), gap=place > 1))
        blocks.append(Block(((heading, "dim"),)))
        for label, text in (("", memory.insight), ("Why", memory.rationale)):
            shown = reveal(text[:LONGEST_SHOWN]).strip("\n").rstrip()
            if shown and shown != memory.title:
                blocks.append(Block(highlighted(shown + ("\n…" if len(text) > LONGEST_SHOWN else "")), label=label))
    return blocks
