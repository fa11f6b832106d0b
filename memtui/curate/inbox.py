"""The inbox: what waits, what is unusual about it, and bulk decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memtui.curate import lifecycle
from memtui.curate.lifecycle import Outcome, planted_reasons
from memtui.domain.actor import Actor
from memtui.domain.memory import Memory, content_hash
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.secret_scan import secrets_in
from memtui.vault.vault import Vault


def waiting(scope: Scope, *, with_unassigned: bool) -> MemoryFilter:
    """Return the filter of what waits in a scope, with what has no project where that is wanted."""
    if with_unassigned and scope.projects is not None:
        scope = Scope(scope.projects, with_unassigned=True)
    return MemoryFilter(scope=scope, statuses=("candidate",))


@dataclass(frozen=True, slots=True)
class Oddities:
    """What a person should know before accepting a candidate.

    Attributes:
        planted: why its text looks planted to steer an assistant.
        secrets: rules of what looks like a secret in it.
        twins: ids of memories in use in the same project that hold the same text.
    """

    planted: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """A few words for each, for a row."""
        found = ["looks planted"] if self.planted else []
        found += ["secret"] if self.secrets else []
        return (*found, *(f"same as {identifier}" for identifier in self.twins[:1]))


def oddities(
    reader: VaultReader, memories: Sequence[Memory], patterns: Sequence[tuple[str, str]] = ()
) -> dict[str, Oddities]:
    """Return what is odd about candidates, by id.

    Args:
        patterns: the user's own patterns of secrets.
    """
    hashes = {memory.id: content_hash(memory) for memory in memories}
    holders = reader.ids_by_content(set(hashes.values()))
    twins = reader.get_many({identifier for found in holders.values() for identifier, _ in found})
    in_use = {identifier: twin.project for identifier, twin in twins.items() if twin.status == "active"}
    result = {}
    for memory in memories:
        same = [key for key, _ in holders.get(hashes[memory.id], ()) if in_use.get(key, "") == memory.project]
        secrets = dict.fromkeys(rule for rules in secrets_in(memory, patterns).values() for rule in rules)
        result[memory.id] = Oddities(tuple(planted_reasons(memory)), tuple(secrets), tuple(same))
    return result


@dataclass(slots=True)
class Accepted:
    """What accepting came to.

    Attributes:
        outcome: what was changed and what was not.
        planted: ids left out because their text looks planted.
        unassigned: ids left out because they have no project, which is decided for each.
    """

    outcome: Outcome = field(default_factory=Outcome)
    planted: tuple[str, ...] = ()
    unassigned: tuple[str, ...] = ()


def accept_many(
    vault: Vault, identifiers: Sequence[str], *, actor: Actor, folder: Path, project: str | None = None
) -> Accepted:
    """Accept candidates as one change; of several, those that a person should look at singly are left out.

    Left out are those that look planted, and those without a project, as they would go to that of the folder.
    A single one was looked at, so it is accepted whatever it is.

    Raises:
        RefusedError: an agent cannot accept.
    """
    planted: list[str] = []
    unassigned: list[str] = []
    if len(identifiers) > 1:
        with vault.read() as reader:
            found = reader.get_many(identifiers)
        planted = [key for key in identifiers if key in found and planted_reasons(found[key])]
        unassigned = [key for key in identifiers if key in found and found[key].project is None and key not in planted]
        left = {*planted, *unassigned}
        identifiers = [key for key in identifiers if key in found and key not in left]
    accepted = Accepted(planted=tuple(planted), unassigned=tuple(unassigned))
    if identifiers:
        accepted.outcome = lifecycle.accept(vault, identifiers, actor=actor, folder=folder, project=project)
    return accepted
