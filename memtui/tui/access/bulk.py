"""What the screen for many memories at once asks the vault and tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtui.tui.access import Done, Signature, VaultAccess
from memtui.tui.wording import tame
from memtui.vault.filters import MemoryFilter

if TYPE_CHECKING:
    from memtui.curate.lifecycle import Outcome

WINDOW = 1_500
"""Memories read under one lease: about 100 ms."""

MOST_TOLD = 200
"""Memories that were left alone and are named; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Memories that an act is to be for.

    Attributes:
        versions: as they were when they were chosen, in the order of the list.
        kinds: how many of each kind.
        statuses: how many of each status.
        pinned: how many are pinned.
        signature: what the file system said of the vault before they were read.
    """

    versions: Mapping[str, int]
    kinds: Mapping[str, int]
    statuses: Mapping[str, int]
    pinned: int
    signature: Signature


@dataclass(slots=True)
class LeftAlone:
    """What an act did not change.

    Attributes:
        told: (title, reason) of the first of them.
        number: of all of them.
    """

    told: list[tuple[str, str]] = field(default_factory=list)
    number: int = 0


class BulkAccess(VaultAccess):
    """The vault as the screen for many memories sees it.

    Attributes:
        left: what the last act left alone.
    """

    left: LeftAlone = LeftAlone()

    def by_query(self, query: str) -> Chosen:
        """Return what a query chooses in view, in use unless it says otherwise, the newest first.

        Raises:
            QueryError: with the place, and how to write it.
        """
        from memtui.curate.querying import parse_query

        now, opening = self._vault.now(), self._opening
        asked = parse_query(query, opening.vault.kinds, now)
        with self._reading.read() as reader:
            base = MemoryFilter(scope=self._view_of(reader).scope, threshold=opening.threshold)
            ids = reader.select_ids(asked.narrow(base), sort="created", now=now)
        return self.by_ids(ids)

    def by_ids(self, identifiers: Sequence[str]) -> Chosen:
        """Return memories as they are now; those that are gone are left out."""
        signature = self.signature()
        versions: dict[str, int] = {}
        kinds: Counter[str] = Counter()
        statuses: Counter[str] = Counter()
        pinned = 0
        for start in range(0, len(identifiers), WINDOW):
            window = identifiers[start : start + WINDOW]
            with self._reading.read() as reader:
                found = reader.get_many(window)
            there = [found[identifier] for identifier in window if identifier in found]
            versions.update((memory.id, memory.version) for memory in there)
            kinds.update(memory.kind for memory in there)
            statuses.update(memory.status for memory in there)
            pinned += sum(memory.pinned for memory in there)
        return Chosen(versions, dict(kinds.most_common()), dict(statuses.most_common()), pinned, signature)

    # -- acts, each one change --------------------------------------------------------------------

    def retag(self, versions: Mapping[str, int], typed: str) -> Done:
        """Add tags and take tags away: `redis -old` adds the one and takes the other."""
        from memtui.curate.bulk import change_many, tags_from

        added, gone = tags_from(typed)
        return self._many(
            lambda: change_many(self._vault, versions, actor=self._opening.actor, add_tags=added, remove_tags=gone),
            "Retagged",
        )

    def rekind(self, versions: Mapping[str, int], kind: str) -> Done:
        """Give them another kind."""
        from memtui.curate.bulk import change_many

        return self._many(
            lambda: change_many(self._vault, versions, actor=self._opening.actor, kind=kind), f"Made {tame(kind)}"
        )

    def set_half_life(self, versions: Mapping[str, int], typed: str) -> Done:
        """Give them a half-life of their own, or with nothing typed that of their kind."""
        from memtui.curate.bulk import KIND_HALF_LIFE, change_many
        from memtui.text.quantities import parse_duration

        days = parse_duration(typed) if typed.strip() else KIND_HALF_LIFE
        return self._many(
            lambda: change_many(self._vault, versions, actor=self._opening.actor, half_life_days=days),
            "Gave a half-life to",
        )

    def verify_all(self, versions: Mapping[str, int]) -> Done:
        """Say "still true"; their files are taken as they are where the project's tree is at hand."""
        from memtui.curate import lifecycle

        with self._reading.read() as reader:
            tree = self._view_of(reader).tree
        return self._many(
            lambda: lifecycle.verify(
                self._vault, list(versions), actor=self._opening.actor, tree=tree, versions=versions
            ),
            "Verified",
        )

    def retire_all(self, versions: Mapping[str, int]) -> Done:
        """Take them out of use."""
        from memtui.curate import lifecycle

        return self._many(
            lambda: lifecycle.retire(self._vault, list(versions), actor=self._opening.actor, versions=versions),
            "Retired",
        )

    def _many(self, act: Callable[[], Outcome], word: str) -> Done:
        """Act, and note what was left alone with its title."""
        outcomes: list[Outcome] = []

        def noted() -> Outcome:
            outcomes.append(act())
            return outcomes[-1]

        done = self._act(noted, word)
        unchanged = outcomes[0].unchanged
        named = [identifier for identifier, _ in unchanged[:MOST_TOLD]]
        titles = {memory.id: tame(memory.title, 200) for memory in self._memories(named)} if named else {}
        told = [(titles.get(identifier, identifier), tame(reason)) for identifier, reason in unchanged[:MOST_TOLD]]
        self.left = LeftAlone(told, len(unchanged))
        return done
