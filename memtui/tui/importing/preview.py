"""What an import would do, as the Import screen shows it before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.text.words import counted

if TYPE_CHECKING:
    from memtui.capture.import_plan import ImportPlan


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do, and how many files it would read."""

    plan: ImportPlan
    files: int
    # Files without news, with why: all of their memories are in the vault already, were turned down, or there are none
    known: Mapping[Path, str] = field(default_factory=dict)
    unclear: Mapping[str, str] = field(default_factory=dict)  # stores' project names with the project that each may be
    changed: frozenset[Path] = frozenset()  # files with nothing new but changes of what is in the vault
    rows: Sequence[str] = ()  # what of stores becomes no memory, and why
    stores: int = 0  # how many stores were read

    @property
    def read_words(self) -> str:
        """How many files and stores were read."""
        stores = [counted(self.stores, "store")] if self.stores else []
        return " and ".join([counted(self.files, "file"), *stores] if self.files or not stores else stores)


def plan_words(plan: ImportPlan, *, active: bool) -> str:
    """Return how many memories an import would add, change, and leave as they are."""
    changed, conflicts = plan.count("update", "replace"), plan.count("conflict", "clash")
    clash = f" · {conflicts:,} in conflict" if conflicts else ""
    new = " · ".join(_new_words(plan, "active" if active else "inbox"))
    return f"{new} · {changed:,} changed{clash} · {plan.count('unchanged'):,} known"


def _new_words(plan: ImportPlan, place: str) -> list[str]:
    """Return how many new memories go where; those that their source superseded are not in use and wait nowhere."""
    new, old = plan.count("add", "restore"), plan.superseded
    told = [f"{new - old:,} new → {place}"] if new > old or not old else []
    return [*told, f"{old:,} new → superseded"] if old else told


def news_words(plan: ImportPlan, place: str) -> str:
    """Return how many memories an import would add, and where, and how many it would change, if any."""
    new, changed = plan.count("add", "restore"), plan.count("update", "replace")
    told = _new_words(plan, place) if new or not changed else []
    return " · ".join([*told, f"{changed:,} changed"] if changed else told)
