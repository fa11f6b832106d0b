"""Where and when a memory holds: status, project, time, files and phase; which of two exclusive ones gives way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import takewhile

from memtui.domain.memory import Link, Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.domain.scope import limits_of
from memtui.recall.anchors import strength
from memtui.recall.result import Hit, Part
from memtui.text.tables import read_table
from memtui.text.words import unknown
from memtui.vault.filters import Scope

PHASES = ("plan", "implement", "debug", "review", "refactor", "test", "release")

_READ_CHARACTERS = 2_000  # Characters of a task that the phase is guessed from: what is to be done stands at the start

_WORD = re.compile(r"[a-z0-9]+")

_FIRST_CUE_BONUS = 1.5
"""The first cue is mostly the verb of the task ("write tests for the fix"); it outweighs one later word."""


@cache
def _phases_of(*sorts: str) -> Mapping[str, str]:
    """Return the phase of each word of some sorts: `cues`, `symptoms`, `opening`."""
    phases = read_table(__file__, "phases.toml")
    return {word: phase for phase in PHASES for sort in sorts for word in phases[phase].get(sort, "").split()}


def guess_phase(text: str) -> str | None:
    """Return the phase that a task's words speak of, or None if they speak of none."""
    words = _WORD.findall(text[:_READ_CHARACTERS].lower())
    opening, cues = _opening(words), _phases_of("cues")
    # An error that is to be shown is none to be found, unless the task says that something is to be mended.
    is_made = opening is not None and "debug" not in map(cues.get, words)
    phase_of, points = cues if is_made else _phases_of("cues", "symptoms"), dict[str, float]()
    for word in words:
        phase = phase_of.get(word)
        if phase is not None:
            points[phase] = points.get(phase, 0.0) + (1.0 if points else _FIRST_CUE_BONUS)
    # Of phases with equal points the first named one wins, because dictionaries keep their order.
    return max(points, key=lambda phase: points[phase], default=opening)


def _opening(words: Sequence[str]) -> str | None:
    """Return the phase of the verb that a task begins with, None where it tells what happens ("render loop hangs")."""
    polite, happens, clause = (
        frozenset(read_table(__file__, "phases.toml")["sentence"][name].split())
        for name in ("polite", "happens", "clause")
    )
    if happens.intersection(takewhile(lambda word: word not in clause, words)):
        return None
    return _phases_of("opening").get(next((word for word in words if word not in polite), ""))


def check_phase(name: str) -> str:
    """Return the name if it is a phase. Raises `UsageError`: unknown phase; the message lists the known ones."""
    if name in PHASES:
        return name
    raise unknown("phase", name, PHASES)


STANDING_KINDS: Mapping[str, float] = {"constraint": 1.1, "convention": 1.05}
"""The factor of kinds without a task: rules hold whatever is done, facts are looked up when they are needed. Right
after an import all else is equal, and a payload of the newest facts would have no rule in it."""


def kind_part(kind: str, phase: str | None, *, guessed: bool, is_standing: bool = False) -> Part:
    """Return the factor, 0.8–1.25, by which a phase favours a kind; 1.0 for kinds of the user's own.

    `is_standing`: whether there is no task, so that `STANDING_KINDS` hold where no phase is given either.
    """
    reason = Reason(ReasonCode.KIND, names=(kind,) if phase is None else (kind, phase), number=int(guessed))
    if phase is not None:
        favoured: Mapping[str, float] = read_table(__file__, "phases.toml")[phase]["kinds"]
    else:
        favoured = STANDING_KINDS if is_standing else {}
    return Part("kind", favoured.get(kind, 1.0), reason)


CODE_OF_PLACE = {
    "candidate": ReasonCode.UNCONFIRMED,
    "retired": ReasonCode.RETIRED,
    "superseded": ReasonCode.SUPERSEDED,
    "merged": ReasonCode.MERGED,
    "unassigned": ReasonCode.UNASSIGNED,
}
"""Why a memory is withheld by its status, or by having no project."""


def ineligible(memory: Memory, scope: Scope, at: datetime, successor: str | None) -> Reason | None:
    """Return why a memory may not be recalled at all, or None if it may.

    `at`: the moment at which it must be valid. `successor`: id of the memory that replaces it, if one does.
    """
    if memory.project is not None and scope.projects is not None and memory.project not in scope.projects:
        return Reason(ReasonCode.OTHER_PROJECT, names=(memory.project,))
    if memory.status in {"superseded", "merged"}:
        return Reason(CODE_OF_PLACE[memory.status], other=successor or "")
    if memory.status != "active":
        return Reason(CODE_OF_PLACE[memory.status])
    if memory.project is None:
        return Reason(ReasonCode.UNASSIGNED)
    if successor:
        return Reason(ReasonCode.SUPERSEDED, other=successor)
    return outside_valid_time(memory, at)


def outside_valid_time(memory: Memory, at: datetime) -> Reason | None:
    """Return that a memory is not valid at a moment, None if it is."""
    if memory.valid_from and memory.valid_from > at:
        return Reason(ReasonCode.NOT_YET_VALID, date=memory.valid_from)
    if memory.valid_until and memory.valid_until <= at:
        return Reason(ReasonCode.EXPIRED, date=memory.valid_until)
    return None


def successors(links: Iterable[Link], memories: Mapping[str, Memory], scope: Scope, at: datetime) -> dict[str, str]:
    """Return, per replaced memory, the id of its replacement.

    A memory that is still active counts as replaced only by one that may itself be recalled, and of two
    that replace each other the newer link holds. For superseded and merged ones any link tells.
    """
    found: dict[str, str] = {}
    for link in sorted(links, key=lambda link: (link.created_at, link.from_id, link.to_id)):
        replaced = memories.get(link.to_id)
        if link.type != "supersedes" or replaced is None or link.from_id == link.to_id:
            continue
        if replaced.status == "active":
            replacement = memories.get(link.from_id)
            if replacement is None or ineligible(replacement, scope, at, None):
                continue
            if found.get(link.from_id) == link.to_id:
                del found[link.from_id]
        found[link.to_id] = link.from_id
    return found


def settle(ranked: Sequence[Hit], links: Iterable[Link]) -> tuple[list[Hit], list[tuple[Hit, Reason]]]:
    """Return the hits that may stand side by side, in order, and those that give way with the reason.

    What is replaced gives way to its replacement whatever the scores; of two that contradict each other the
    lower gives way, and what a withheld memory contradicts may stay.

    `ranked`: hits in order, pins before the others.
    """
    present = {hit.memory.id for hit in ranked}
    rivals: dict[str, set[str]] = {}
    replacement: dict[str, str] = {}
    for link in links:
        if link.from_id not in present or link.to_id not in present or link.from_id == link.to_id:
            continue
        if link.type == "contradicts":
            rivals.setdefault(link.from_id, set()).add(link.to_id)
            rivals.setdefault(link.to_id, set()).add(link.from_id)
        elif link.type == "supersedes" and replacement.get(link.from_id) != link.to_id:
            replacement[link.to_id] = link.from_id
    kept: list[Hit] = []
    dropped: list[tuple[Hit, Reason]] = []
    for hit in ranked:
        identifier = hit.memory.id
        winner = next((other.memory.id for other in kept if other.memory.id in rivals.get(identifier, ())), None)
        if identifier in replacement:
            dropped.append((hit, Reason(ReasonCode.SUPERSEDED, other=replacement[identifier])))
        elif winner is not None:
            dropped.append((hit, Reason(ReasonCode.CONTRADICTED, other=winner)))
        else:
            kept.append(hit)
    return kept, dropped


GUESSED_ELSEWHERE = 0.5
"""Factor where the phase is only guessed to be another: half, so that an equal match which holds anywhere stands first
and a wrong guess hides nothing."""


def elsewhere(memory: Memory, files: Sequence[str], phase: str | None) -> Reason | None:
    """Return why a memory does not hold for a task that names other files or another phase, else None."""
    if not memory.tags:
        return None
    paths, phases = _split(memory)
    if files and paths and not any(_is_for(path, file) for path in paths for file in files):
        return Reason(ReasonCode.OUT_OF_SCOPE, unit="files", names=tuple(paths))
    if phase is not None and phases and phase not in phases:
        return Reason(ReasonCode.OUT_OF_SCOPE, unit="phases", names=tuple(phases))
    return None


def holding_part(memory: Memory, phase: str | None) -> Part | None:
    """Return the factor of a memory that is limited to other phases than this one, or None."""
    if phase is None or not memory.tags:
        return None
    phases = _split(memory)[1]
    if not phases or phase in phases:
        return None
    return Part("scope", GUESSED_ELSEWHERE, Reason(ReasonCode.OTHER_PHASE, names=tuple(phases), note=phase))


STANDING_OF_PART = 0.1
"""Factor without a task for a memory that applies only to some files: whatever is done, most of it is done elsewhere.
Ten short rules of one folder would otherwise be worth more of the budget than the commands of the whole project."""


def place_part(memory: Memory) -> Part | None:
    """Return the factor, without a task, of a memory whose patterns fit only some files; None if it applies to all."""
    places = tuple(anchor.path for anchor in memory.anchors if anchor.is_glob and anchor.path.strip("*/"))
    return (
        Part("place", STANDING_OF_PART, Reason(ReasonCode.OUT_OF_SCOPE, unit="files", names=places))
        if places and not memory.pinned
        else None
    )


def _split(memory: Memory) -> tuple[list[str], list[str]]:
    """Return the paths and the phases that a memory is limited to."""
    limits = limits_of(memory)
    return [limit for limit in limits if limit not in PHASES], [limit for limit in limits if limit in PHASES]


def _is_for(path: str, file: str) -> bool:
    """Return whether a path, folder, pattern or end of a path matches a file."""
    return strength(path, file) > 0 or file.rstrip("/").endswith(f"/{path.rstrip('/')}")
