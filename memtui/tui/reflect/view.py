"""The Reflect screen's reads and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memtui.curate.form import Basis, Texts
from memtui.domain.kinds import DEFAULT_KIND
from memtui.domain.memory import Memory
from memtui.errors import NotFoundError
from memtui.text.sanitize import reveal, tame
from memtui.tui.edit.queries import read_values
from memtui.tui.memory_view import LONGEST_SHOWN, Block, ago, days_between, highlighted
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.wording import outcomes


@dataclass(frozen=True, slots=True)
class Sources:
    """What a conclusion is written from.

    Attributes:
        headings: kind and age of each.
        basis: what the form starts from: a memory with the proposed tags, files and project, and no text.
        outline: the titles, one a line.
        projects: named projects, of which the user chooses one where there are several.
    """

    memories: tuple[Memory, ...]
    headings: tuple[str, ...]
    basis: Basis
    outline: str
    projects: tuple[str, ...]


def read_sources(access: VaultAccess, identifiers: Sequence[str]) -> Sources:
    """Return the sources, and what a conclusion takes from them.

    Raises:
        NotFoundError: fewer than two of them are left.
    """
    from memtui.curate.fields import vault_tags
    from memtui.curate.merge import common_project, named_projects
    from memtui.curate.reflect import FEWEST_SOURCES, propose
    from memtui.vault.projects import project_names

    memories = access.memories(identifiers)
    if len(memories) < FEWEST_SOURCES:
        raise NotFoundError("The sources of the conclusion no longer exist")
    named = named_projects(memories)
    project = common_project(memories[0], memories[1:]) if len(named) < 2 else None  # noqa: PLR2004 - several
    proposed, now = propose(memories), access.vault.now()
    with access.read_vault.read() as reader:
        tree = access.tree_of(reader, project)
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
    basis = Basis(blank, access.vault.kinds, root, project, projects, vault_tags(access.read_vault))
    headings = tuple(f"{tame(m.kind)} · {ago(days_between(m.observed_at or m.created_at, now))}" for m in memories)
    return Sources(tuple(memories), headings, basis, proposed.outline, tuple(named))


def save_conclusion(
    access: VaultAccess, sources: Sources, texts: Texts, *, retire: bool, allow_secret: bool
) -> tuple[Memory, Done]:
    """Store the conclusion with its sources as one change.

    Raises:
        FormError: a field is invalid.
        ConflictError: a source changed since it was read.
    """
    from memtui.curate.reflect import Conclusion, reflect

    values = read_values(texts, sources.basis)
    texts_given = {name: values[name] for name in ("title", "tags", "anchors", "project") if name in values}
    conclusion = Conclusion(
        text=values.get("insight", ""),
        kind=values.get("kind", DEFAULT_KIND),
        why=values.get("rationale", ""),
        allow_secret=allow_secret,
        **texts_given,
    )
    access.opening.before_change()
    made = reflect(
        access.vault,
        [memory.id for memory in sources.memories],
        conclusion,
        actor=access.opening.actor,
        retire=retire,
        versions={memory.id: memory.version for memory in sources.memories},
        secret_patterns=access.opening.secret_patterns,
    )
    return made.memory, Done(outcomes.reflected(made), focus=made.memory.id)


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
