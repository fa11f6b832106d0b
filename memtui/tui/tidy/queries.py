"""What the Tidy screen reads and writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from memtui.analysis.snapshot import NOT_CONTRADICTION, NOT_DUPLICATE, NOT_RIPE
from memtui.domain.memory import Memory
from memtui.errors import NotFoundError
from memtui.tui.values import Done
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.analysis.contradictions import Contradiction
    from memtui.analysis.duplicates import DuplicateGroup
    from memtui.curate.anchors import CheckedAnchor
    from memtui.curate.tidy import TidyCache, TidyReport

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); may raise `Cancelled`."""

Pair = tuple[Memory, Memory]

DISMISSED = {
    "duplicates": (NOT_DUPLICATE, outcomes.NOT_DUPLICATES),
    "contradictions": (NOT_CONTRADICTION, outcomes.NOT_CONTRADICTING),
    "ripe": (NOT_RIPE, outcomes.NO_COMMON_CONCLUSION),
}
"""Findings that can be dismissed: the verdict, and the sentence for it."""


class TidyAccess:
    """Passes over a vault, of which all but the first examine only what changed, and the changes that fix a finding."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._opening = access.vault, access.opening
        self._cache: TidyCache | None = None

    def find(self, progress: Progress, *, anew: bool = False) -> TidyReport:
        """Return the findings; nothing is changed.

        Args:
            anew: examine every memory, file and vector again.

        Raises:
            Cancelled: raised by `progress`.
        """
        from memtui.curate.tidy import TidyCache, TidyOptions, tidy
        from memtui.vault.search.vectors import counts

        opening, reading = self._opening, self._access.read_vault
        cache = self._cache = self._cache or TidyCache(opening.context.encoding, opening.secret_patterns)
        if anew:
            cache.forget()
        with reading.read() as reader:
            view = self._access.view_of(reader)
            # Only stored vectors are compared, so no model is loaded.
            vectors = counts(reader) if opening.meaning is not None else {}
        options = TidyOptions(
            scope=view.listing_scope,
            threshold=opening.threshold,
            tree=view.tree,
            model=max(vectors, key=vectors.__getitem__, default=None),
            secret_patterns=opening.secret_patterns,
            encoding=opening.context.encoding,
        )
        return tidy(reading, options, stage=lambda name: lambda done, total: progress(name, done, total), cache=cache)

    def pair(self, contradiction: Contradiction) -> Pair:
        """Return both memories of a contradiction.

        Raises:
            NotFoundError: one no longer exists.
        """
        memories = self._access.memories(contradiction.ids)
        if len(memories) != 2:  # noqa: PLR2004 - a pair
            raise NotFoundError("One of the two memories no longer exists")
        return memories[0], memories[1]

    # -- fixing -----------------------------------------------------------------------------------

    def keep(self, contradiction: Contradiction, kept: Memory) -> Done:
        """Resolve a contradiction for one of the two, which supersedes the other."""
        from memtui.curate.resolutions import keep_one

        self._opening.before_change()
        dropped = keep_one(self._vault, contradiction, kept.id, actor=self._opening.actor)
        return Done(outcomes.superseded(kept.title, dropped.title))

    def keep_both(self, contradiction: Contradiction, pair: Pair, places: Sequence[str]) -> Done:
        """Resolve a contradiction by saying where each of the two holds: paths, phases, words, as they were typed."""
        from memtui.curate.resolutions import keep_both, parse_validity

        said = [(memory, place) for memory, place in zip(pair, places, strict=True) if place.strip()]
        self._opening.before_change()
        keep_both(
            self._vault,
            contradiction,
            {memory.id: parse_validity(place) for memory, place in said},
            actor=self._opening.actor,
            secret_patterns=self._opening.secret_patterns,
        )
        return Done(outcomes.both_kept([(memory.title, place) for memory, place in said]))

    def dismiss(self, finding: str, identifiers: Iterable[str]) -> Done:
        """Never suggest a finding about these memories again, until a text changes."""
        from memtui.curate.resolutions import dismiss

        verdict, sentence = DISMISSED[finding]
        self._opening.before_change()
        dismiss(self._vault, verdict, identifiers, actor=self._opening.actor)
        return Done(sentence)

    def merge_copies(self, groups: Sequence[DuplicateGroup]) -> Done:
        """Merge every group of exact copies, each as one undoable change."""
        from memtui.curate.resolutions import merge_copies

        self._opening.before_change()
        result = merge_copies(self._vault, groups, actor=self._opening.actor)
        return Done(outcomes.copies_merged(result), changed=bool(result.merged))

    def re_anchor(self, anchors: Iterable[CheckedAnchor]) -> Done:
        """Tie memories to where their files moved, as one undoable change."""
        from memtui.curate.anchors import re_anchor

        moves: dict[str, dict[str, str]] = {}
        for anchor in anchors:
            if anchor.suggestion:
                moves.setdefault(anchor.id, {})[anchor.path] = anchor.suggestion
        act = MemoryActs(self._access)
        return act.change(lambda: re_anchor(self._vault, moves, actor=self._opening.actor), "Re-anchored")
