"""The Review screen's work on the vault."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from memtui.clock import days_after
from memtui.domain.freshness import decay, half_life_days, last_trusted_at
from memtui.domain.memory import Memory
from memtui.errors import ConflictError
from memtui.tui.memory_acts import MemoryActs
from memtui.tui.text_layout import counted, tame
from memtui.tui.values import Detail, Done, Signature
from memtui.tui.vault_access import FileChecks, VaultAccess
from memtui.tui.widgets.curve import Curve
from memtui.wording import outcomes

if TYPE_CHECKING:
    from memtui.curate.file_history import FileChange
    from memtui.curate.outcomes import Outcome
    from memtui.curate.review_sessions import Progress, Receipt, ReviewSession
    from memtui.vault.packs import StoredPack

_NAMING = Lock()
"""Held while a name that is free is found and taken: two writes at once would find the same."""

MOVED_MEANWHILE = "It was changed meanwhile; look again, then decide"


@dataclass(frozen=True, slots=True)
class Shown:
    """The memory that a verdict is on, in the version that was shown."""

    id: str
    version: int

    @property
    def versions(self) -> Mapping[str, int]:
        """The version by id, as the services take it."""
        return {self.id: self.version}


class ReviewVerdicts:
    """What a person decides in review."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._vault, self._reading, self._opening = access.vault, access.read_vault, access.opening
        self._acts = MemoryActs(access)
        self.files = FileChecks(access)

    def still_true(self, shown: Shown) -> Done:
        """Say "still true" of a memory; its files are taken as they are."""
        from memtui.curate import lifecycle

        with self._reading.read() as reader:
            found = reader.get_many([shown.id])
            tree = self._access.tree_of(reader, found[shown.id].project) if found else None
        return self._decide(
            partial(lifecycle.verify, self._vault, [shown.id], tree=tree, versions=shown.versions), "Verified"
        )

    def pin_one(self, shown: Shown) -> Done:
        """Pin a memory."""
        from memtui.curate import lifecycle

        return self._decide(partial(lifecycle.pin, self._vault, [shown.id], versions=shown.versions), "Pinned")

    def retire_for(self, shown: Shown, reason: str) -> Done:
        """Retire a memory with a reason."""
        from memtui.curate import lifecycle

        return self._decide(
            partial(
                lifecycle.retire,
                self._vault,
                [shown.id],
                reason=reason,
                versions=shown.versions,
                secret_patterns=self._opening.secret_patterns,
            ),
            "Retired",
        )

    def snooze(self, shown: Shown, days: float) -> Done:
        """Put a memory off for some days."""
        from memtui.clock import days_after
        from memtui.curate import lifecycle

        until = days_after(self._vault.now(), days)
        return self._decide(
            partial(lifecycle.snooze, self._vault, [shown.id], until=until, versions=shown.versions),
            f"Snoozed until {until:%Y-%m-%d}",
        )

    def snooze_until_change(self, shown: Shown) -> Done:
        """Put a memory off until a file of it changes."""
        from memtui.curate.anchors import snooze_until_change

        with self._reading.read() as reader:
            tree = self._access.view_of(reader).tree
        return self._decide(
            partial(snooze_until_change, self._vault, [shown.id], tree=tree, versions=shown.versions),
            "Snoozed until a file changes",
        )

    def set_kind(self, shown: Shown, kind: str) -> Done:
        """Give a memory another kind."""
        from memtui.curate import lifecycle

        return self._decide(
            partial(lifecycle.change_kind, self._vault, [shown.id], kind, versions=shown.versions), f"Now a {kind}"
        )

    def set_half_life(self, shown: Shown, days: float | None) -> Done:
        """Give a memory a half-life of its own, or that of its kind again."""
        from memtui.curate.memories import edit_memory

        self._opening.before_change()
        try:
            memory = edit_memory(
                self._vault, shown.id, {"half_life_days": days}, actor=self._opening.actor, if_version=shown.version
            )
        except ConflictError:
            return Done(MOVED_MEANWHILE, changed=False)
        word = f"Half-life {days:g} d" if days else "Half-life of its kind"
        return Done(f"{word}: {tame(memory.title)}")

    def supersede_by(self, shown: Shown, newer: str) -> Done:
        """Say that another memory replaces this one."""
        from memtui.curate.links import link

        self._opening.before_change()
        try:
            link(self._vault, newer, "supersedes", shown.id, actor=self._opening.actor, versions=shown.versions)
        except ConflictError:
            return Done(MOVED_MEANWHILE, changed=False)
        return Done("Superseded")

    def kinds(self) -> Sequence[str]:
        """Return the kinds there are."""
        return self._vault.kinds.names()

    def _decide(self, act: Callable[..., Outcome], word: str) -> Done:
        """Do something to the memory that was shown; one that moved meanwhile is left alone, and that is said."""
        from memtui.curate.outcomes import SkipReason

        self._opening.before_change()
        outcome = act(actor=self._opening.actor)
        if outcome.changed:
            return Done(f"{word}: {tame(outcome.changed[0].title)}")
        if any(each.reason is SkipReason.CHANGED for each in outcome.skipped):
            return Done(MOVED_MEANWHILE, changed=False)
        return Done(outcomes.acted(word, outcome), changed=False)

    def undo_all(self, session: ReviewSession) -> Done:
        """Undo every verdict of a session, the last one first."""
        from memtui.curate.review_sessions import undo_all

        self._opening.before_change()
        undone, stopped_by = undo_all(self._vault, session, actor=self._opening.actor)
        stopped = f"; {tame(stopped_by)} stands between, u undoes it" if stopped_by else ""
        if not undone:
            return Done(f"Nothing of this session is left to undo{stopped}", changed=False)
        first = next(iter(session.ids), None)
        return Done(f"Undid {counted(undone, 'verdict', 'verdicts')}{stopped}", focus=first)

    # -- files ------------------------------------------------------------------------------------

    def re_anchor(self, moves: Mapping[str, Mapping[str, str]]) -> Done:
        """Tie memories to where their files went, as one change; it is no verdict."""
        from memtui.curate.anchors import re_anchor

        return self._acts.change(partial(re_anchor, self._vault, moves, actor=self._opening.actor), "Re-anchored")

    # -- packs ------------------------------------------------------------------------------------

    def say_of_pack(self, pack: StoredPack, verdict: str) -> Done:
        """Say of a pack whether it helped, or with an empty verdict that nothing shall be said."""
        from memtui.curate.packs import give_feedback, mark_asked

        self._opening.before_change()
        if not verdict:
            mark_asked(self._vault, pack, actor=self._opening.actor, undoable=True)
            return Done("Nothing said of the pack")
        effects = give_feedback(self._vault, pack.id, verdict, actor=self._opening.actor)
        words = "was not used" if verdict == "unused" else verdict
        return Done(f"The pack {words}: {counted(len(effects), 'memory', 'memories')}")

    # -- the receipt ------------------------------------------------------------------------------

    def copy_receipt(self, session: ReviewSession, send_escape: Callable[[str], bool]) -> Done:
        """Copy a session's receipt; the message says which route carried it."""
        from memtui.pack.clipboard import copy

        copied = copy(self._receipt_text(session), send_escape=send_escape)
        return Done(copied.message, changed=copied.route != "none")

    def write_receipt(self, session: ReviewSession, folder: Path) -> Done:
        """Write a session's receipt into the working directory, beside any earlier one."""
        from memtui.publish.files import write_atomically

        stem, text = f"memtui-review-{session.started_at:%Y-%m-%d}", self._receipt_text(session)
        with _NAMING:
            path, number = folder / f"{stem}.txt", 1
            while path.exists():
                number += 1
                path = folder / f"{stem}.{number}.txt"
            write_atomically(path, text.encode())
        return Done(f"Wrote {path}")

    def _receipt_text(self, session: ReviewSession) -> str:
        from memtui.curate.review_sessions import receipt_of, receipt_text

        return receipt_text(receipt_of(self._reading, session, standing=self.standing(session)))

    def standing(self, session: ReviewSession) -> int | None:
        """Return the tokens of the standing payload now, None where they were not counted at the beginning."""
        return None if session.standing is None else self.count_standing()

    def count_standing(self) -> int:
        """Return the tokens of the standing payload."""
        from memtui.curate.health import HealthOptions, standing_payload

        opening = self._opening
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
        options = HealthOptions(
            view=view,
            threshold=opening.threshold,
            context=opening.context,
            recall=opening.recall,
            secret_patterns=opening.secret_patterns,
            targets=opening.targets,
        )
        return standing_payload(self._reading, options).tokens


CURVE_STEPS = 120
"""Points of a curve; a wide terminal has about so many columns for it."""

MOST_SIMILAR = 8
"""Memories offered as the one that supersedes."""

NEIGHBOURS_SHOWN = 6

LEAST_ALIKE = 0.25
"""Likeness from which a memory is shown as a neighbour: a quarter of the words of meaning are the same."""

_DAY_SECONDS = 86_400.0
_SIGNS = {
    "contradicts": "≠ contradicts",
    "supersedes": "> supersedes",
    "duplicates": "= duplicates",
    "derived-from": "← derived from",
    "relates": "~ relates to",
}


@dataclass(frozen=True, slots=True)
class Opened:
    """A session with how far it is.

    Attributes:
        resumed: whether it was begun earlier.
        receipt: what it came to, once nothing is left.
        signature: what the file system said of the vault before it was looked at.
        packs: packs to ask about, once nothing is left.
        paced: whether it is empty because what the person wants to review a day or a week is done.
    """

    session: ReviewSession
    progress: Progress
    resumed: bool
    receipt: Receipt | None
    signature: Signature
    packs: Sequence[StoredPack] = ()
    paced: bool = False


@dataclass(frozen=True, slots=True)
class Similar:
    """A memory that is like the one in review.

    Attributes:
        how: the sign and word of a link, or `≈ 0.81 similar`.
        near: whether it is worth a line beside the memory; the others are only offered to supersede it.
    """

    id: str
    title: str
    how: str
    near: bool = True


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """Everything to decide on one memory by.

    Attributes:
        moves: old path to new path of files that moved.
    """

    detail: Detail
    why: tuple[str, ...]
    curve: Curve
    files: tuple[FileChange, ...]
    similar: tuple[Similar, ...]
    moves: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> Shown:
        """The memory in the version that is shown, for a verdict on it."""
        memory = self.detail.view.memory
        return Shown(memory.id, memory.version)


class ReviewAccess(ReviewVerdicts):
    """The vault as the Review screen sees it."""

    def now(self) -> datetime:
        """Return the time by the vault's clock."""
        return self._vault.now()

    # -- looking ----------------------------------------------------------------------------------

    def begin(self, *, anew: bool = False) -> Opened:
        """Resume the session of the project in view, or look at the files and begin one."""
        from memtui.curate import review_sessions

        opening = self._opening
        with self._reading.read() as reader:
            view = self._access.view_of(reader)
        session = (
            None
            if anew
            else review_sessions.resume(self._reading, project=view.project, kinds=opening.kinds, size=opening.most)
        )
        if session is not None:
            return self.look_at(session, resumed=True)
        self.files.check()
        most = None if anew else review_sessions.left_of_pace(self._reading, daily=opening.daily, weekly=opening.weekly)
        session = review_sessions.begin(
            self._vault,
            view.scope,
            project=view.project,
            actor=opening.actor,
            kinds=opening.kinds,
            size=opening.most,
            most=most,
            threshold=opening.threshold,
        )
        return replace(self.look_at(session), paced=most == 0)

    def look_at(self, session: ReviewSession, *, resumed: bool = False) -> Opened:
        """Return how far a session is."""
        from memtui.curate import review_sessions

        signature = self._access.signature()
        progress = review_sessions.progress(self._reading, session)
        if progress.left:
            return Opened(session, progress, resumed, None, signature)
        receipt = self.receipt(session) if progress.total else None
        packs = review_sessions.awaiting_feedback(self._reading, session)
        return Opened(session, progress, resumed, receipt, signature, packs)

    def receipt(self, session: ReviewSession) -> Receipt:
        """Return what a session came to."""
        from memtui.curate.review_sessions import receipt_of

        return receipt_of(self._reading, session, standing=self.standing(session))

    def note_standing(self, session: ReviewSession) -> ReviewSession:
        """Remember how large the standing payload is, for the receipt."""
        from memtui.curate import review_sessions

        return review_sessions.note_standing(self._vault, session, self.count_standing(), actor=self._opening.actor)

    # -- one memory -------------------------------------------------------------------------------

    def card(self, session: ReviewSession, identifier: str) -> ReviewCard | None:
        """Return what to decide on a memory by, None if it is gone."""
        from memtui.curate.file_history import file_changes

        detail = self._access.detail(identifier)
        if detail is None:
            return None
        memory = detail.view.memory
        with self._reading.read() as reader:
            tree = self._access.tree_of(reader, memory.project)
        moves = _still_tied(memory, self.files.moves.get(identifier, {}))
        return ReviewCard(
            detail,
            session.why.get(identifier, ()),
            self._curve(memory, detail.now),
            tuple(file_changes(memory, tree, moves=moves)),
            (*_linked(detail), *self._alike(memory, {*detail.titles, identifier})),
            moves,
        )

    def moves_left(self) -> dict[str, dict[str, str]]:
        """Return the moves that are not followed yet: per memory id, old path to new path."""
        moves = self.files.moves
        with self._reading.read() as reader:
            memories = reader.get_many(moves)
        left = {identifier: _still_tied(memory, moves[identifier]) for identifier, memory in memories.items()}
        return {identifier: paths for identifier, paths in left.items() if paths}

    def _alike(self, memory: Memory, known: set[str]) -> Sequence[Similar]:
        from memtui.analysis.duplicates import likeness
        from memtui.analysis.text_features import wording_of
        from memtui.recall.search import search

        with self._reading.read() as reader:
            scope = self._access.view_of(reader).scope
        words = f"{memory.title} {memory.insight[:300]}"
        similar = search(
            self._reading, words, scope, limit=MOST_SIMILAR, settings=self._opening.recall, now=self._vault.now()
        )
        mine = wording_of(memory.title[:300], memory.insight)
        found = [
            (
                likeness(mine, wording_of(hit.memory.title[:300], hit.memory.insight)),
                hit.memory.id,
                tame(hit.memory.title),
            )
            for hit in similar.hits
            if hit.memory.id not in known
        ]
        return [
            Similar(identifier, title, f"≈ {score:.2f} similar", near=score >= LEAST_ALIKE)
            for score, identifier, title in sorted(found, key=lambda one: -one[0])
        ]

    def _curve(self, memory: Memory, now: datetime) -> Curve:
        """Return the curve from the last verification to where it is long past the line."""
        kinds, threshold = self._vault.kinds, self._opening.threshold
        half_life, floor = half_life_days(memory, kinds), kinds.floor
        age = max(0.0, (now - last_trusted_at(memory)).total_seconds() / _DAY_SECONDS)
        is_crossed = threshold > floor
        crossing = half_life * math.log2((1.0 - floor) / (threshold - floor)) if is_crossed else math.inf
        length = max(2.0 * half_life, 1.2 * age, 1.3 * crossing if is_crossed else 0.0)
        values = tuple(
            1.0 if memory.pinned else decay(length * step / CURVE_STEPS, half_life, floor)
            for step in range(CURVE_STEPS + 1)
        )
        return Curve(values, min(1.0, age / length), threshold, _caption(memory, half_life, crossing, age))


def _still_tied(memory: Memory, moves: Mapping[str, str]) -> dict[str, str]:
    """Return the moves of files that a memory is tied to still: some may have been followed since the check."""
    paths = {anchor.path for anchor in memory.anchors}
    return {old: new for old, new in moves.items() if old in paths}


def _linked(detail: Detail) -> list[Similar]:
    me = detail.view.memory.id
    found = []
    for link in detail.view.links:
        other = link.to_id if link.from_id == me else link.from_id
        how = _SIGNS.get(link.type, link.type) if link.from_id == me else f"{_SIGNS.get(link.type, link.type)} this"
        found.append(Similar(other, detail.titles.get(other, other), how))
    return found


def _caption(memory: Memory, half_life: float, crossing: float, age: float) -> str:
    if memory.pinned:
        return "pinned: never stale"
    if math.isinf(crossing):
        return f"half-life {half_life:.0f} d · never crosses the line"
    day = days_after(last_trusted_at(memory), min(crossing, 365_000))
    left = crossing - age
    when = (
        f"crosses {day:%Y-%m-%d}" if left > 0 else f"crossed {day:%Y-%m-%d}, {counted(int(-left), 'day', 'days')} ago"
    )
    return f"half-life {half_life:.0f} d · {when}"
