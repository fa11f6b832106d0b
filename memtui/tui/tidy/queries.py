"""The Tidy screen's work on the vault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from memtui.analysis.contradictions import Contradiction
from memtui.analysis.dismissals import Lesson
from memtui.analysis.duplicates import DuplicateGroup
from memtui.analysis.flaws import Flaw
from memtui.curate.anchors import CheckedAnchor, let_be_gone, re_anchor, untie
from memtui.curate.dead_places import moves_of
from memtui.curate.mends import mend
from memtui.curate.moved_paths import Moves, that_name_old_paths
from memtui.curate.resolutions import keep_both, keep_one, merge_copies, parse_validity, unlearn
from memtui.curate.tidy import TidyCache, TidyOptions, tidy
from memtui.curate.tidy_report import TidyReport
from memtui.domain.memory import Memory
from memtui.errors import NotFoundError
from memtui.tui.values import Done
from memtui.tui.vault_access import MemoryActs, VaultAccess
from memtui.wording import outcomes, tidying

Progress = Callable[[str, int, int], None]  # Called with (stage, done, total); may raise `Cancelled`

Pair = tuple[Memory, Memory]


class TidyAccess:
    """Passes over a vault, of which all but the first examine only what changed, and the changes that fix a finding."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._opening = access.vault, access.opening
        self._cache: TidyCache | None = None

    def find(self, progress: Progress, *, anew: bool = False) -> TidyReport:
        """Return the findings; nothing is changed.

        `anew`: examine every memory, file and vector again.

        Raises `Cancelled`: raised by `progress`.
        """
        opening, reading = self._opening, self._access.read_vault
        cache = self._cache = self._cache or TidyCache(opening.context.encoding, opening.secret_patterns)
        if anew:
            cache.forget()
        if opening.meaning is not None:
            # Without the vectors of what was merged, undone or edited just now, what resembles it would be missed.
            opening.meaning.tend_newest()
        with reading.read() as reader:
            view, model = self._access.view_of(reader), self._access.stored_model(reader)
        options = TidyOptions(
            scope=view.listing_scope,
            threshold=opening.threshold,
            tree=view.tree,
            model=model,
            secret_patterns=opening.secret_patterns,
            encoding=opening.context.encoding,
        )
        return tidy(reading, options, stage=lambda name: lambda done, total: progress(name, done, total), cache=cache)

    def pair(self, contradiction: Contradiction) -> Pair:
        """Return both memories of a contradiction. Raises `NotFoundError`: one no longer exists."""
        memories = self._access.memories(contradiction.ids)
        if len(memories) != 2:  # noqa: PLR2004 - a pair
            raise NotFoundError("One of the two memories no longer exists", remedy="Scan the vault again.")
        return memories[0], memories[1]

    # -- fixing -----------------------------------------------------------------------------------

    def keep(self, contradiction: Contradiction, kept: Memory) -> Done:
        """Resolve a contradiction for one of the two, which supersedes the other."""
        self._opening.before_change()
        dropped = keep_one(self._vault, contradiction, kept.id, actor=self._opening.actor)
        return Done(outcomes.superseded(kept.title, dropped.title))

    def keep_both(self, contradiction: Contradiction, pair: Pair, places: Sequence[str]) -> Done:
        """Resolve a contradiction by saying where each of the two holds: paths, phases, words, as they were typed."""
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

    def unlearn(self, lesson: Lesson) -> Done:
        """Propose again what is like dismissed ones."""
        self._opening.before_change()
        unlearn(self._vault, lesson, actor=self._opening.actor)
        return Done(tidying.unlearned(lesson))

    def mend(self, flaw: Flaw) -> Done:
        """Mend a memory as it is offered, as one undoable change."""
        self._opening.before_change()
        return Done(tidying.mended(mend(self._vault, flaw, actor=self._opening.actor)))

    def merge_copies(self, groups: Sequence[DuplicateGroup]) -> Done:
        """Merge every group of exact copies, as one undoable change."""
        self._opening.before_change()
        result = merge_copies(self._vault, groups, actor=self._opening.actor)
        return Done(outcomes.copies_merged(result), changed=bool(result.merged))

    def untie(self, anchor: CheckedAnchor) -> Done:
        """Take a file out of the Files of its memories, as one undoable change."""
        self._opening.before_change()
        untie(self._vault, anchor, actor=self._opening.actor)
        return Done(tidying.untied(anchor.path))

    def let_be_gone(self, anchor: CheckedAnchor) -> Done:
        """Never report again that this file of these memories is gone."""
        self._opening.before_change()
        let_be_gone(self._vault, anchor.ids, anchor.paths, actor=self._opening.actor)
        return Done(tidying.left_gone(anchor.path))

    def look_at_moves(self, anchors: Sequence[CheckedAnchor]) -> Moves:
        """Return where files went, with the memories whose texts name them."""
        paths = moves_of(anchors)
        maybe = frozenset((one.path, str(one.suggestion)) for one in anchors if one.state != "moved")
        return Moves(paths, tuple(that_name_old_paths(self._access.memories(tuple(paths)), paths)), maybe)

    def re_anchor(self, moves: Mapping[str, Mapping[str, str]]) -> Done:
        """Tie memories to where their files moved, in their texts too, as one undoable change."""
        act = MemoryActs(self._access)
        return act.change(lambda: re_anchor(self._vault, moves, actor=self._opening.actor, in_text=True), "Re-anchored")


def still_tied(done: Done, path: str) -> Done:
    """Return what verifying came to, with what remains of a file that is gone."""
    return replace(done, message=f"{done.message}. {tidying.still_tied(path)}")
