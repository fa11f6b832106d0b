"""Change many memories at once as one change with one undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from memtui.curate.lifecycle import MOVED, Outcome
from memtui.curate.memories import check_half_life, check_importance, check_kind, check_tags, clean_tags
from memtui.domain.actor import Actor, check_may_alter
from memtui.domain.kinds import DEFAULT_KIND, Kinds
from memtui.domain.memory import Memory
from memtui.errors import UsageError
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault


def kinds_in_use(vault: Vault) -> list[str]:
    """Return the kinds that any memory of the vault has, whatever its status."""
    with vault.read() as reader:
        counts = reader.counts_by("kind", MemoryFilter(scope=EVERYTHING, statuses=None))
    return [kind for kind in counts if kind is not None]


def check_kind_in_use(vault: Vault, kind: str) -> str:
    """Return a kind to choose memories by: one that is known, or one that a memory has.

    Raises:
        UsageError: it is neither; names the nearest.
    """
    cleaned = kind.strip().lower()
    if cleaned not in vault.kinds:
        for used in kinds_in_use(vault):
            if used.lower() == cleaned:
                return used
    return check_kind(vault.kinds, kind)


def unknown_kinds(kinds: Kinds, stated: Iterable[str]) -> list[str]:
    """Return the kinds among those that a source states which the configuration does not know, each once."""
    return sorted({kind for kind in stated if kind not in kinds})


def unknown_kind_words(kind: str, kinds: Kinds) -> str:
    """Return the sentence that tells what becomes of a memory of an unknown kind."""
    fallback = kinds.get(DEFAULT_KIND)
    return (
        f"kind {kind} is not configured: kept as it is, and treated as {fallback.name}"
        f" (half-life {fallback.half_life_days:g} d); `[kinds.…]` in the configuration makes it one of your own"
    )


KIND_HALF_LIFE = 0.0
"""As a half-life: follow the kind's again."""


def tags_from(typed: str) -> tuple[list[str], list[str]]:
    """Return the tags to add and those to take away from what a person typed: `redis, #cache -old`."""
    words = [word for word in typed.replace(",", " ").split() if word.strip("-#")]
    return [word for word in words if not word.startswith("-")], [word[1:] for word in words if word.startswith("-")]


def change_many(
    vault: Vault,
    versions: Mapping[str, int],
    *,
    actor: Actor,
    add_tags: Sequence[str] = (),
    remove_tags: Sequence[str] = (),
    kind: str | None = None,
    half_life_days: float | None = None,
    importance: int | None = None,
) -> Outcome:
    """Change memories that were chosen by a query; those that moved since are left alone and told.

    Args:
        versions: id and version of each memory when it was chosen.
        remove_tags: tags to take away, whatever their case.
        half_life_days: the new half-life; `KIND_HALF_LIFE` to follow the kind's.
        importance: the new importance, 1–5.

    Raises:
        UsageError: nothing is to change, or a value is wrong.
        RefusedError: an agent would alter what a person vouched for, or a tag is too long.
    """
    if not (add_tags or remove_tags or kind or half_life_days is not None or importance is not None):
        raise UsageError("Say what to change", remedy="Tags, the kind, the half-life or the importance.")
    added, gone = check_tags(clean_tags(add_tags)), {tag.lower() for tag in clean_tags(remove_tags)}
    chosen_kind = check_kind(vault.kinds, kind) if kind else None
    days = check_half_life(half_life_days) if half_life_days else None

    def changed(memory: Memory) -> Memory:
        kept = [tag for tag in memory.tags if tag.lower() not in gone]
        return replace(
            memory,
            tags=tuple(dict.fromkeys([*kept, *added])),
            kind=chosen_kind or memory.kind,
            half_life_days=memory.half_life_days if half_life_days is None else days,
            importance=memory.importance if importance is None else check_importance(importance),
        )

    return _change(vault, versions, changed, actor)


def _change(vault: Vault, versions: Mapping[str, int], changed: Callable[[Memory], Memory], actor: Actor) -> Outcome:
    outcome = Outcome()
    with vault.write(actor=actor.name, action="edit") as writer:
        stored = writer.get_many(versions)
        pending = []
        for identifier, version in versions.items():
            memory = stored.get(identifier)
            if memory is None or memory.version != version:
                outcome.unchanged.append((identifier, MOVED))
                continue
            check_may_alter(actor, memory)
            fresh = changed(memory)
            if fresh == memory:
                outcome.unchanged.append((identifier, "it is so already"))
            else:
                pending.append(fresh)
        outcome.changed = writer.put_many(pending)
        title = outcome.changed[0].title if len(outcome.changed) == 1 else f"{len(outcome.changed)} memories"
        writer.summary = f"edit {title}"
    return outcome
