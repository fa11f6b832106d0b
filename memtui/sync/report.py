"""What a sync did."""

from __future__ import annotations

from dataclasses import dataclass, field

from memtui.errors import EXIT_CONFLICT, EXIT_DONE, EXIT_REFUSED
from memtui.vault.teams import PurgeOrder


@dataclass(frozen=True, slots=True)
class Clash:
    """A memory of which both sides changed the same fields."""

    id: str
    title: str
    project: str | None
    fields: tuple[str, ...]
    is_purge: bool = False  # the team ordered it to be purged, and it was edited here


@dataclass(frozen=True, slots=True)
class Held:
    """A thing that was not pushed, because it holds what looks like a secret."""

    id: str  # the memory that it is about; of a recipe, its key
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wipe:
    """Deletions that are so many that a person must accept them; nothing of the project was exchanged."""

    project: str | None
    deleted: int  # memories that are here and were deleted there
    shared: int  # memories that both sides had
    is_of_memories: bool  # else of their links, verdicts and tombstones


@dataclass(slots=True)
class SyncReport:
    """What a sync did, and what waits."""

    pushed: int = 0  # things that were sent
    pulled: int = 0  # things that were received
    merged: int = 0  # memories made of what both sides had changed
    deleted: int = 0  # memories that were removed here because the team deleted them
    removals: list[int] = field(default_factory=list)  # the changes of the journal that did so
    twins: int = 0  # memories that were the same as one of the team's under another id
    rounds: int = 0
    conflicts: list[Clash] = field(default_factory=list)  # wait in the inbox
    overruled: list[Clash] = field(default_factory=list)  # fields whose value of the team stands
    held: list[Held] = field(default_factory=list)
    planted: list[str] = field(default_factory=list)  # ids of memories that arrived as candidates
    skipped: list[str] = field(default_factory=list)  # what could not be read there
    behind: list[str] = field(default_factory=list)  # ids of memories whose changes wait until a file is repaired
    hidden: list[str] = field(default_factory=list)  # shared projects that one may not see there any more
    not_shared: list[str] = field(default_factory=list)  # projects of the team that are here, too, but not shared
    orders: list[PurgeOrder] = field(default_factory=list)  # purges that wait to be run
    wipes: list[Wipe] = field(default_factory=list)  # wait to be accepted
    # projects in which one may not write, with the number of things that stay here for that
    refused: list[tuple[str, int]] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """4 where something waits to be settled, else 6 where something was held back."""
        if self.conflicts or self.orders or self.wipes or self.behind:
            return EXIT_CONFLICT
        return EXIT_REFUSED if self.held or self.refused or self.hidden else EXIT_DONE

    @property
    def is_news(self) -> bool:
        """Whether anything was exchanged or waits."""
        return bool(self.pushed or self.pulled or self.merged or self.exit_code)

    def add(self, other: SyncReport) -> None:
        """Add what the sync with another team did."""
        for name in ("pushed", "pulled", "merged", "deleted", "twins"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.rounds = max(self.rounds, other.rounds)
        lists = (
            "conflicts",
            "overruled",
            "held",
            "planted",
            "skipped",
            "behind",
            "not_shared",
            "orders",
            "wipes",
            "refused",
            "removals",
            "hidden",
        )
        for name in lists:
            getattr(self, name).extend(getattr(other, name))
