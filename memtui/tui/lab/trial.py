"""What a person tries in the decay lab, and what it would change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memtui.curate.decay import (
    Knobs,
    Members,
    PayloadChange,
    PayloadOptions,
    Payloads,
    Snapshot,
    apply,
    payload_changes,
    take_snapshot,
)
from memtui.domain.freshness import HIGHEST_THRESHOLD, LOWEST_THRESHOLD, due_at
from memtui.domain.kinds import in_project, split_project
from memtui.domain.memory import Memory
from memtui.text.sanitize import tame
from memtui.tui.memory_view import due_words
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.vault.review_triggers import AskedSince, asked_since


@dataclass(frozen=True, slots=True)
class LabRead:
    """The vault as the lab calculates with it."""

    snapshot: Snapshot
    project: str | None  # the project in view
    titles: Mapping[str, str]  # of the active memories, by id
    payloads: Payloads  # makes the payloads of the recipes
    daily: int = 0  # reviews a day by the configuration, 0 for all that are due
    memory: Memory | None = None  # the memory that can be given a half-life of its own
    asked: AskedSince | None = None  # since when else than for its age it is due

    def due_words(self, knobs: Knobs) -> str:
        """Return when that memory is due, by `memtui.domain.freshness.due_at`, which says it everywhere."""
        if self.memory is None:
            return ""
        snapshot, tried = self.snapshot, self.memory
        if knobs.memory is not None and knobs.memory[0] == tried.id:
            tried = replace(tried, half_life_days=knobs.memory[1])
        when = due_at(
            tried,
            knobs.kinds(snapshot.in_force),
            snapshot.threshold if knobs.threshold is None else knobs.threshold,
            asked_at=self.asked.asked_at if self.asked else None,
            woken_at=self.asked.woken_at if self.asked else None,
        )
        return due_words(tried, when, snapshot.now)


@dataclass(frozen=True, slots=True)
class PayloadEffect:
    """What a trial would do to the payloads of the recipes."""

    current: Members  # the members of each payload without the trial
    changes: list[PayloadChange]


def read_lab(access: VaultAccess, memory_id: str | None) -> LabRead:
    """Read everything that effects are calculated from. `memory_id`: a memory that can be tried by itself."""
    opening, ids = access.opening, [memory_id] if memory_id is not None else []
    with access.read_vault.read() as reader:
        view = access.view_of(reader)
        memory = next(iter(reader.get_many(ids).values()), None)
        asked = asked_since(reader, identifiers=ids).get(ids[0]) if ids else None
    snapshot = take_snapshot(access.read_vault, view.scope, threshold=opening.threshold)
    options = PayloadOptions(
        view=view,
        context=opening.context,
        recall=opening.recall,
        secret_patterns=opening.secret_patterns,
        targets=opening.targets,
        meaning=opening.meaning,
    )
    titles = {memory.id: tame(memory.title, 120) for memory in snapshot.memories}
    return LabRead(snapshot, view.project, titles, Payloads(access.read_vault, options), opening.daily, memory, asked)


def payload_effect(
    read: LabRead, knobs: Knobs, current: Members | None, is_wanted: Callable[[], bool]
) -> PayloadEffect | None:
    """Return what the payloads would become, None once the answer is no longer wanted.

    `current`: the members without the trial, None to find them too.
    """

    def members(tried: Knobs) -> Members | None:
        return read.payloads.members(tried.kinds(read.snapshot.in_force), memory=tried.memory, is_wanted=is_wanted)

    before = current if current is not None else members(Knobs())
    # The review threshold and the daily number have no part in a payload.
    after = before if knobs == Knobs(threshold=knobs.threshold, daily=knobs.daily) else members(knobs)
    return PayloadEffect(before, payload_changes(before, after)) if before is not None and after is not None else None


def apply_trial(access: VaultAccess, read: LabRead, knobs: Knobs) -> Done:
    """Apply half-lives as one change; one that equals its default is deleted from the vault instead of stored."""
    access.opening.before_change()
    in_force = read.snapshot.in_force
    half_lives: dict[str, float | None] = {}
    for name, days in knobs.half_lives.items():
        kind, project = split_project(name)
        default = in_force.without_stored() if project is None else in_force
        half_lives[name] = None if days == default.get(kind).half_life_days else days
    summary = apply(access.vault, half_lives, memory=knobs.memory, actor=access.opening.actor)
    return Done(f"Applied: {tame(summary)}; u undoes it")


MEMORY = "\0memory"  # Stands for the one memory among the kinds; no kind has this name

LADDER = (1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 75, 90, 120, 150, 180, 225, 270, 365, 450, 540, 730, 1095, 1825, 3650)
"""Half-lives in days that the keys stop at: a day to ten years, in steps that a person would name."""


def step(days: float, by: int) -> float:
    """Return the next half-life of the ladder above or below one."""
    if by > 0:
        return float(next((rung for rung in LADDER if rung > days), max(days, LADDER[-1])))
    return float(next((rung for rung in reversed(LADDER) if rung < days), min(days, LADDER[0])))


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the configuration that can be tried but not applied."""

    section: str
    name: str  # in the configuration, and in `Knobs`
    label: str
    step: float  # by how much one key changes it
    lowest: float
    highest: float
    form: str = ".2f"

    def now(self, read: LabRead) -> float:
        snapshot = read.snapshot
        where = {"threshold": snapshot, "daily": read}.get(self.name, snapshot.in_force)
        found: float = getattr(where, self.name)
        return found

    def tried(self, knobs: Knobs) -> float | None:
        """Return the value that is tried, None where it is the one in force."""
        found: float | None = getattr(knobs, self.name)
        return found


THRESHOLD = Setting("review", "threshold", "threshold", 0.05, LOWEST_THRESHOLD, HIGHEST_THRESHOLD)
FLOOR = Setting("recall", "floor", "floor", 0.01, 0.0, 0.3)
HURT_WEIGHT = Setting("recall", "hurt_weight", "hurt ×", 1.0, 0.0, 20.0, "g")
DAILY = Setting("review", "daily", "a day", 5.0, 0.0, 200.0, "g")
SETTINGS = (THRESHOLD, FLOOR, HURT_WEIGHT, DAILY)


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried."""

    memory_id: str | None = None  # a memory that can be given a half-life of its own, None for none
    subject: str = ""  # the kind whose half-life the keys change, or `MEMORY`
    knobs: Knobs = field(default_factory=Knobs)
    project_only: bool = False  # whether half-lives of kinds are tried for the project in view alone

    def subjects(self, read: LabRead) -> list[str]:
        """Return what can be changed: the one memory if it is active, then the kinds, the most used first."""
        first = [MEMORY] if self.memory_id and read.snapshot.memory(self.memory_id) is not None else []
        return [*first, *(kind.name for kind in read.snapshot.kinds)]

    def project(self, read: LabRead) -> str | None:
        """Return the one project that half-lives are tried for, None for all."""
        return read.project if self.project_only else None

    @property
    def can_be_applied(self) -> bool:
        """Whether a half-life was changed."""
        return bool(self.knobs.half_lives) or self.knobs.memory is not None

    @property
    def changed(self) -> int:
        """How many half-lives were changed."""
        return len(self.knobs.half_lives) + (self.knobs.memory is not None)

    def days(self, read: LabRead) -> float:
        """Return the half-life of the subject as it is tried, else as it is."""
        if self.subject != MEMORY:
            return read.snapshot.kind_half_life(self.subject, self.project(read), self.knobs)
        memory = read.snapshot.memory(self.memory_id or "")
        return read.snapshot.half_life(memory, Knobs(memory=self.knobs.memory)) if memory is not None else 0.0

    # -- changes: each returns another trial --------------------------------------------------------

    def on(self, read: LabRead) -> Trial:
        """Return the trial on a fresh read: half-lives that are in force by now are no longer tried."""
        in_force, names = read.snapshot.in_force, self.subjects(read)
        tried = {
            name: days
            for name, days in self.knobs.half_lives.items()
            if in_force.half_life(*split_project(name)) != days
        }
        subject = self.subject if self.subject in names else names[0]
        return replace(self, subject=subject, knobs=replace(self.knobs, half_lives=tried))

    def moved(self, read: LabRead, by: int) -> Trial:
        subjects = self.subjects(read)
        place = subjects.index(self.subject) + by
        return replace(self, subject=subjects[max(0, min(len(subjects) - 1, place))])

    def with_days(self, read: LabRead, days: float | None) -> Trial:
        """Return the trial with a half-life for the subject, None for the one in force."""
        if self.subject == MEMORY:
            memory = (self.memory_id, days) if self.memory_id is not None and days is not None else None
            return self._with(memory=memory)
        project = self.project(read)
        name = in_project(self.subject, project) if project else self.subject
        tried = {key: value for key, value in self.knobs.half_lives.items() if key != name}
        if days is not None and days != read.snapshot.kind_half_life(self.subject, project, Knobs()):
            tried[name] = days
        return self._with(half_lives=tried)

    def stepped(self, read: LabRead, by: int) -> Trial:
        """Return the trial with the next shorter or longer half-life for the subject."""
        return self.with_days(read, step(self.days(read), by))

    def for_other_scope(self, _: LabRead) -> Trial:
        """Return the trial for the project in view only, or for all again."""
        return replace(self, project_only=not self.project_only)

    def with_learned(self, read: LabRead) -> Trial:
        """Return the trial with the half-life learned from verdicts for the subject."""
        lesson = read.snapshot.kind(self.subject).lesson
        return self.with_days(read, round(lesson.half_life_days, 1) if lesson is not None else None)

    def with_default(self, read: LabRead) -> Trial:
        """Return the trial with the half-life that the subject has where nothing was applied."""
        if self.subject == MEMORY:
            return self.with_days(read, None)
        in_force = read.snapshot.in_force
        kinds = in_force if self.project(read) else in_force.without_stored()
        return self.with_days(read, kinds.get(self.subject).half_life_days)

    def with_setting(self, read: LabRead, setting: Setting, by: int) -> Trial:
        """Return the trial with a setting some steps higher or lower."""
        now, tried = setting.now(read), setting.tried(self.knobs)
        moved = round((now if tried is None else tried) + by * setting.step, 4)
        moved = max(setting.lowest, min(setting.highest, moved))
        return self._with(**{setting.name: None if moved == now else moved})

    def without_memory(self) -> Trial:
        """Return the trial without a half-life for the one memory."""
        return self._with(memory=None)

    def _with(self, **knobs: Any) -> Trial:
        return replace(self, knobs=replace(self.knobs, **knobs))

    # -- words ------------------------------------------------------------------------------------

    def for_configuration(self) -> list[str]:
        """Return the lines of the configuration that would keep what cannot be applied."""
        tried = ((setting, setting.tried(self.knobs)) for setting in SETTINGS)
        return [f"[{one.section}] {one.name} = {value:g}" for one, value in tried if value is not None]

    def settings_words(self, read: LabRead, *, all_of: bool) -> str:
        """Return the settings in force and as tried; all of them, or the threshold and those that are tried."""
        parts = []
        for one in SETTINGS:
            now, tried = one.now(read), one.tried(self.knobs)
            if (all_of and one is not DAILY) or one is THRESHOLD or tried is not None:
                parts.append(f"{one.label} {now:{one.form}}" + ("" if tried is None else f" → {tried:g}"))
        return " · ".join(parts)

    def why_not_apply(self, read: LabRead) -> str | None:
        """Return why the trial cannot be applied, None where it can."""
        if not self.can_be_applied:
            lines = self.for_configuration()
            if lines:
                return f"Only the configuration can store this: {'; '.join(lines)}"
            return "No half-life has been changed: ← and → change it."
        fixed = [
            name for name in self.knobs.half_lives if "@" not in name and read.snapshot.kind(name).origin == "config"
        ]
        if fixed:
            return f"The configuration sets the half-life of {tame(fixed[0], 40)}: change it there; 0 resets it here."
        return None
