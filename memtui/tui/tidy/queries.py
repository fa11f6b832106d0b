"""The Tidy screen's work on the vault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.domain.memory import Memory
from memtui.tui.memory_acts import MemoryActs
from memtui.tui.text_layout import tame
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.analysis.contradictions import Contradiction
    from memtui.analysis.duplicates import DuplicateGroup
    from memtui.analysis.suggestions import RipeGroup
    from memtui.curate.tidy import TidyCache, TidyReport

Progress = Callable[[str, int, int], None]
"""Told (stage, done, total); may raise `Cancelled`."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Both memories of a contradiction, as they are now."""

    memories: tuple[Memory, Memory]


class TidyAccess:
    """The vault as the Tidy screen sees it."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening
        self._acts = MemoryActs(access)
        self._cache: TidyCache | None = None

    def find(self, progress: Progress, *, anew: bool = False) -> TidyReport:
        """Look through the vault; nothing is changed. After the first time, only what moved since is worked out.

        Args:
            progress: told how far it is.
            anew: look again at every memory, file and vector.

        Raises:
            Cancelled: raised by `progress`.
        """
        from memtui.curate.tidy import TidyCache, TidyOptions, tidy
        from memtui.vault.search.vectors import counts

        opening = self._opening
        cache = self._cache = self._cache or TidyCache(opening.context.encoding, opening.secret_patterns)
        if anew:
            cache.forget()

        with self._reading.read() as reader:
            view = self._access.view_of(reader)
            # The vectors that are stored are compared; no model is loaded for it.
            vectors = counts(reader) if opening.meaning is not None else {}
        options = TidyOptions(
            scope=view.listing_scope,
            threshold=opening.threshold,
            tree=view.tree,
            model=max(vectors, key=vectors.__getitem__, default=None),
            secret_patterns=opening.secret_patterns,
            encoding=opening.context.encoding,
        )
        return tidy(
            self._reading, options, stage=lambda name: lambda done, total: progress(name, done, total), cache=cache
        )

    def pair(self, contradiction: Contradiction) -> Pair:
        """Return both memories of a contradiction.

        Raises:
            NotFoundError: one is gone.
        """
        from memtui.errors import NotFoundError

        memories = self._access.memories(contradiction.ids)
        if len(memories) != 2:  # noqa: PLR2004 - a pair
            raise NotFoundError("One of the two is gone")
        return Pair((memories[0], memories[1]))

    # -- settling ---------------------------------------------------------------------------------

    def keep(self, contradiction: Contradiction, identifier: str) -> Done:
        """Settle a contradiction for one of the two."""
        from memtui.curate.resolutions import keep_one

        self._opening.before_change()
        other = keep_one(self._vault, contradiction, identifier, actor=self._opening.actor)
        return Done(f"Superseded: {tame(other.title, 80)}")

    def keep_both(self, contradiction: Contradiction, words: Sequence[str]) -> Done:
        """Settle a contradiction by saying where each of the two holds: paths, phases, words, as they were typed."""
        from memtui.curate.resolutions import keep_both, parse_validity

        self._opening.before_change()
        scopes = {
            identifier: parse_validity(said)
            for identifier, said in zip(contradiction.ids, words, strict=True)
            if said.strip()
        }
        keep_both(
            self._vault,
            contradiction,
            scopes,
            actor=self._opening.actor,
            secret_patterns=self._opening.secret_patterns,
        )
        places = [f"{'AB'[place]} for {tame(said, 60)}" for place, said in enumerate(words) if said.strip()]
        return Done(f"Both hold: {', '.join(places)}")

    def is_no_contradiction(self, contradiction: Contradiction) -> Done:
        """Never propose this pair again, until a text changes."""
        from memtui.analysis.snapshot import NOT_CONTRADICTION
        from memtui.curate.resolutions import dismiss

        self._opening.before_change()
        dismiss(self._vault, NOT_CONTRADICTION, contradiction.ids, actor=self._opening.actor)
        return Done("Remembered: no contradiction")

    def are_no_duplicates(self, group: DuplicateGroup) -> Done:
        """Never propose this group again, until a text changes."""
        from memtui.analysis.snapshot import NOT_DUPLICATE
        from memtui.curate.resolutions import dismiss

        self._opening.before_change()
        dismiss(self._vault, NOT_DUPLICATE, group.ids, actor=self._opening.actor)
        return Done("Remembered: no duplicates")

    def are_not_ripe(self, group: RipeGroup) -> Done:
        """Never propose this group for a conclusion again, until a text changes."""
        from memtui.analysis.snapshot import NOT_RIPE
        from memtui.curate.resolutions import dismiss

        self._opening.before_change()
        dismiss(self._vault, NOT_RIPE, group.ids, actor=self._opening.actor)
        return Done("Remembered: they have no common conclusion")

    def merge_copies(self, groups: Sequence[DuplicateGroup]) -> Done:
        """Merge every group of exact copies, each as one undoable change."""
        from memtui.curate.resolutions import merge_copies

        self._opening.before_change()
        result = merge_copies(self._vault, groups, actor=self._opening.actor)
        return Done(outcomes.copies_merged(result), changed=bool(result.merged))

    def re_anchor(self, moves: Sequence[tuple[str, str, str]]) -> Done:
        """Tie memories to the new places of their files, as one undoable change.

        Args:
            moves: (memory, old path, new path).
        """
        from memtui.curate.anchors import re_anchor

        wanted: dict[str, dict[str, str]] = {}
        for identifier, old, new in moves:
            wanted.setdefault(identifier, {})[old] = new
        return self._acts.change(lambda: re_anchor(self._vault, wanted, actor=self._opening.actor), "Re-anchored")
