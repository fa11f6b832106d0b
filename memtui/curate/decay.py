"""What if kinds decayed faster or slower: the effect on the review queue and on payloads, and applying it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.config import ContextSettings, RecallSettings, TargetSettings
from memtui.curate.projects import View
from memtui.curate.review_queue import review_queue
from memtui.domain.freshness import (
    FLOOR,
    LONGEST_HALF_LIFE,
    REVIEW_THRESHOLD,
    SHORTEST_HALF_LIFE,
    decay,
    half_life_after,
)
from memtui.domain.identity import Actor, require_person
from memtui.domain.kinds import Kinds, Origin, in_project, split_project
from memtui.domain.lessons import Lesson, lessons_by_kind
from memtui.errors import RefusedError, UsageError
from memtui.text.sanitize import one_line
from memtui.text.words import unknown
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.packs import Recipe, read_recipes
from memtui.vault.review_triggers import Fading, read_fading, read_kinds
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

if TYPE_CHECKING:
    from memtui.recall.rank import Evidence
    from memtui.recall.result import Task
    from memtui.recall.semantic import Meaning

_TRIES = 3

OwnHalfLife = tuple[str, float | None]  # Id of a memory and its own half-life in days, None for that of its kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """Settings to try out; None leaves a setting as it is."""

    # half-lives of kinds in days; under `memtui.domain.kinds.in_project` those of one project alone
    half_lives: Mapping[str, float] = field(default_factory=dict)
    memory: OwnHalfLife | None = None
    threshold: float | None = None
    floor: float | None = None  # the share of trust that is left however old a memory is
    hurt_weight: float | None = None  # how many helps outweigh one hurt
    daily: int | None = None  # reviews a day, 0 for all that are due; only a forecast asks for it

    def kinds(self, in_force: Kinds) -> Kinds:
        """Return the kinds as if all of it were in force."""
        return in_force.with_half_lives(self.half_lives).weighed(floor=self.floor, hurt_weight=self.hurt_weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindNow:
    """One kind as it is."""

    name: str
    memories: int
    half_life_days: float
    origin: Origin  # where its half-life comes from
    lesson: Lesson | None  # what the verdicts suggest; None without any
    verified_days: tuple[float, ...] = ()  # how long ago memories of the kind were last verified, the newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The basis of effects, so that the vault is not needed again."""

    memories: tuple[Fading, ...]
    # memories that are due whatever their freshness: for their files, a contradiction, or since they hurt
    others: frozenset[str]
    kinds: tuple[KindNow, ...]  # every kind that is in use or known
    in_force: Kinds  # their half-lives when the snapshot was taken
    threshold: float
    now: datetime
    counter: int
    _in_projects: Mapping[tuple[str, str], float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Look up once what holds in one project alone: effects ask for every memory."""
        object.__setattr__(self, "_in_projects", self.in_force.project_half_lives())

    def kind(self, name: str) -> KindNow:
        """Return a kind by its name. Raises `KeyError`: there is none."""
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise KeyError(name)

    def memory(self, identifier: str) -> Fading | None:
        """Return a memory, None if it is not active."""
        return next((memory for memory in self.memories if memory.id == identifier), None)

    def half_life(self, memory: Fading, knobs: Knobs) -> float:
        """Return the effective half-life of a memory in days, as `domain.freshness.half_life_days`."""
        is_tried = knobs.memory is not None and knobs.memory[0] == memory.id
        own = knobs.memory[1] if knobs.memory is not None and is_tried else memory.half_life_days
        if own is not None:
            return own
        days = self.kind_half_life(memory.kind, memory.project, knobs)
        return days if memory.held_days is None else half_life_after(days, memory.held_days)

    def kind_half_life(self, kind: str, project: str | None, knobs: Knobs) -> float:
        """Return the half-life in days of a kind with these knobs, in one project or where none has its own."""
        plain = knobs.half_lives.get(kind)
        plain = self.in_force.get(kind).half_life_days if plain is None else plain
        if project is None:
            return plain
        own = knobs.half_lives.get(in_project(kind, project))
        return self._in_projects.get((kind, project), plain) if own is None else own


@dataclass(frozen=True, slots=True)
class Affected:
    """A memory that enters or leaves the review queue, with its freshness as it is and as it would be."""

    id: str
    title: str
    kind: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Effect:
    """What the review queue would become."""

    before: int  # number of memories due as things are
    after: int  # number of memories that would be due
    entering: tuple[Affected, ...] = ()  # memories that would become due, the least fresh first
    leaving: tuple[Affected, ...] = ()  # memories that would no longer be due, the freshest first


def take_snapshot(vault: Vault, scope: Scope, *, threshold: float = REVIEW_THRESHOLD) -> Snapshot:
    """Return the basis of effects, of one state of the vault; nothing is computed under its lease."""
    for _ in range(_TRIES):
        now = vault.now()
        with vault.read() as reader:
            counter = reader.change_counter()
            memories = read_fading(reader, scope, now)
            verdicts = reader.verdicts()
            # A fact that was found expired is out of use by that, so kinds are read whatever the status.
            kind_of = read_kinds(reader, scope)
        # No freshness is below the floor, so this queue holds what is due for other reasons.
        others = {due.memory.id for due in review_queue(vault, scope, threshold=vault.kinds.floor)}
        with vault.read() as reader:
            if reader.change_counter() == counter:
                break
    # The prior is the kind's half-life before anything was applied, so that lessons do not feed on themselves.
    lessons = lessons_by_kind(verdicts, kind_of, vault.kinds.without_stored())
    in_force = vault.kinds.with_half_lives({})
    return Snapshot(
        memories=tuple(memories),
        others=frozenset(others),
        kinds=_kinds_now(memories, in_force, lessons),
        in_force=in_force,
        threshold=threshold,
        now=now,
        counter=counter,
    )


def _kinds_now(memories: Sequence[Fading], kinds: Kinds, lessons: Mapping[str, Lesson]) -> tuple[KindNow, ...]:
    counts = Counter(memory.kind for memory in memories)
    verified: dict[str, list[float]] = {}
    for memory in memories:
        if memory.held_days is not None:
            verified.setdefault(memory.kind, []).append(memory.age_days)
    found = [
        KindNow(
            name=name,
            memories=counts[name],
            half_life_days=kinds.get(name).half_life_days,
            origin=kinds.origin(name),
            lesson=lessons.get(name),
            verified_days=tuple(sorted(verified.get(name, ()))),
        )
        for name in dict.fromkeys([*kinds.names(), *sorted(counts)])
    ]
    return tuple(sorted(found, key=lambda kind: -kind.memories))


def effect(snapshot: Snapshot, knobs: Knobs) -> Effect:
    """Return what the review queue would become; reads nothing."""
    as_is = Knobs(threshold=snapshot.threshold, floor=snapshot.in_force.floor)
    tried = replace(
        knobs,
        threshold=snapshot.threshold if knobs.threshold is None else knobs.threshold,
        floor=snapshot.in_force.floor if knobs.floor is None else knobs.floor,
    )
    before = after = 0
    entering: list[Affected] = []
    leaving: list[Affected] = []
    for memory in snapshot.memories:
        now_fresh, was = _state(snapshot, memory, as_is)
        then_fresh, becomes = _state(snapshot, memory, tried)
        before, after = before + was, after + becomes
        if was != becomes:
            moved = Affected(memory.id, memory.title, memory.kind, now_fresh, then_fresh)
            (entering if becomes else leaving).append(moved)
    entering.sort(key=lambda one: (one.after, one.id))
    leaving.sort(key=lambda one: (-one.after, one.id))
    return Effect(before, after, tuple(entering), tuple(leaving))


def _state(snapshot: Snapshot, memory: Fading, knobs: Knobs) -> tuple[float, bool]:
    """Return the freshness of a memory with knobs that are all set, and whether it is due."""
    half_life, floor = snapshot.half_life(memory, knobs), FLOOR if knobs.floor is None else knobs.floor
    fresh, left = (
        1.0 if memory.pinned else decay(d, half_life, floor)
        for d in (memory.age_days, memory.waited_days / memory.pace)
    )
    is_stale = knobs.threshold is not None and left < knobs.threshold
    return fresh, not memory.asleep_days and (memory.due or is_stale or memory.id in snapshot.others)


# -- applying ------------------------------------------------------------------------------------------


def apply(
    vault: Vault, half_lives: Mapping[str, float | None], *, memory: OwnHalfLife | None = None, actor: Actor
) -> str:
    """Give kinds, and one memory, other half-lives in days as one undoable change; returns its summary.

    `half_lives`: by kind, or by `memtui.domain.kinds.in_project`; None for the one from before anything was applied.

    Raises:
        RefusedError: an agent asks, or the configuration decides for one of the kinds.
        UsageError: nothing changes, a kind is unknown, or a half-life is out of range.
        NotFoundError: the memory is gone.
    """
    require_person(actor, "change how fast memories fade")
    if not half_lives and memory is None:
        raise UsageError("No half-life was changed", remedy="Change one first.")
    with vault.write(actor=actor.name, action="half-life") as writer:
        kinds = writer.kinds
        unknown = set(half_lives) - set(kinds.names())
        used = writer.counts_by("kind", MemoryFilter(statuses=None)) if unknown else {}
        changes = []
        for name, days in half_lives.items():
            _check(name, days, kinds, used)
            changes.append(_described(name, days, kinds))
            writer.set_half_life(name, days)
        if memory is not None:
            changes.append(_apply_to_memory(writer, *memory))
        writer.summary = f"half-life of {', '.join(changes)}"
        return writer.summary


def check_half_lives(half_lives: Mapping[str, float | None], snapshot: Snapshot, *, used: Iterable[str] = ()) -> None:
    """Check half-lives as `apply` does, before their effect is shown.

    `half_lives`: in days, by the name that they are stored under. `used`: kinds of memories out of view.

    Raises:
        RefusedError: the configuration decides for one of the kinds.
        UsageError: a kind is unknown, or a half-life is out of range.
    """
    in_use = {kind.name for kind in snapshot.kinds} | set(used)
    for name, days in half_lives.items():
        _check(name, days, snapshot.in_force, in_use)


def _check(name: str, days: float | None, kinds: Kinds, used: Iterable[str | None]) -> None:
    kind, project = split_project(name)
    if project is None and kinds.origin(kind) == "config":
        raise RefusedError(
            f"The configuration sets the half-life of {kind}, and it takes precedence over the vault",
            where=f"[kinds.{kind}]",
            remedy="Change it there, or remove it: `memtui config path` prints the file.",
        )
    if kind not in kinds and kind not in used:
        raise unknown("kind", kind, kinds.names())
    if days is not None:
        _check_days(kind, days)


def _check_days(name: str, days: float) -> None:
    if not SHORTEST_HALF_LIFE <= days <= LONGEST_HALF_LIFE:
        limits = f"{SHORTEST_HALF_LIFE:g} to {LONGEST_HALF_LIFE:,.0f} days"
        raise UsageError(
            f"A half-life is {limits}", where=f"{name} {days:g}", remedy="Give a number of days, such as 90d."
        )


def _described(name: str, days: float | None, kinds: Kinds) -> str:
    """Return what changes: `tooling in shop 90 d → 30 d`."""
    kind, project = split_project(name)
    usual = kinds.without_stored() if project is None else kinds
    after = usual.get(kind).half_life_days if days is None else days
    where = f" in {one_line(project)[:60]}" if project else ""
    return f"{kind}{where} {days_text(kinds.half_life(kind, project))} → {days_text(after)}"


def _apply_to_memory(writer: VaultWriter, identifier: str, days: float | None) -> str:
    if days is not None:
        _check_days(identifier, days)
    memory = writer.get(identifier)
    writer.put(replace(memory, half_life_days=days))
    return f"{one_line(memory.title)[:60]} {days_text(days) if days else 'as its kind'}"


def days_text(days: float) -> str:
    """Return a half-life as people read it: `41 d`, `0.5 d`."""
    return f"{days:,.0f} d" if days >= 10 else f"{days:.2g} d"  # noqa: PLR2004 - below ten days a part of a day counts


# -- payloads ------------------------------------------------------------------------------------------

Members = Mapping[str, tuple[str, ...]]  # Ids of a payload's memories by the name of the recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadOptions:
    """How payloads are made, as `memtui recipe run` makes them."""

    view: View
    context: ContextSettings = field(default_factory=ContextSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    secret_patterns: Sequence[tuple[str, str]] = ()
    targets: Sequence[tuple[str, TargetSettings]] = ()
    meaning: Meaning | None = None  # compares tasks with memories by meaning, None for words alone


@dataclass(frozen=True, slots=True)
class PayloadChange:
    """One recipe whose payload would change, with the ids of memories that would enter and leave it."""

    recipe: str
    entering: tuple[str, ...]
    leaving: tuple[str, ...]


class Payloads:
    """The payloads of the recipes in view, made again and again with other half-lives.

    What a task finds depends on its words, files and links, not on freshness: it is read once.
    """

    def __init__(self, vault: Vault, options: PayloadOptions) -> None:
        self._vault = vault
        self._options = options
        self._now = vault.now()
        self._evidence: dict[str, Evidence] = {}
        from memtui.pack.build import recipes_of

        with vault.read() as reader:
            self.recipes = recipes_of(read_recipes(reader), options.view.project)

    def members(
        self, kinds: Kinds, *, memory: OwnHalfLife | None = None, is_wanted: Callable[[], bool] = lambda: True
    ) -> Members | None:
        """Return the memories in the payload of each recipe; None once it is no longer wanted.

        `is_wanted`: asked before each recipe.
        """
        members: dict[str, tuple[str, ...]] = {}
        for recipe in self.recipes:
            if not is_wanted():
                return None
            members[recipe.name] = self._members(recipe, kinds, memory)
        return members

    def _members(self, recipe: Recipe, kinds: Kinds, memory: OwnHalfLife | None) -> tuple[str, ...]:
        from memtui.pack.build import context
        from memtui.pack.options import PackOptions, task_of
        from memtui.pack.targets.formats import target_named

        options, view = self._options, self._options.view
        if view.project is None and recipe.project is not None:
            view = replace(view, project=recipe.project, scope=Scope.of_project(recipe.project), stands_in=False)
        usual = PackOptions.of(options.context, options.secret_patterns)
        pack = context(
            self._vault,
            task_of(recipe.task, recipe.files, recipe.options),
            view.payload_scope,
            replace(usual.chosen(recipe.options), budget=recipe.budget),
            project=view.project,
            target=target_named(recipe.target, options.targets),
            settings=options.recall,
            now=self._now,
            recall_by=lambda task, most: _supposing(self._gathered(recipe.name, task, view, kinds), memory).rank(
                kinds, most
            ),
        )
        return tuple(one.memory.id for one in pack.included)

    def _gathered(self, name: str, task: Task, view: View, kinds: Kinds) -> Evidence:
        from memtui.recall.rank import gather

        known = self._evidence.get(name)
        if known is not None:
            return known
        vault = self._vault
        # A task without words is read by freshness, under the half-lives that are tried.
        supposed = vault if task.has_words else Vault(vault.path, kinds=kinds, patience_seconds=vault.patience_seconds)
        found = gather(
            supposed,
            task,
            view.payload_scope,
            settings=self._options.recall,
            now=self._now,
            tree=view.tree,
            meaning=self._options.meaning,
        )
        if task.has_words:
            self._evidence[name] = found
        return found


def _supposing(evidence: Evidence, memory: OwnHalfLife | None) -> Evidence:
    """Return what was read as if one memory had another half-life of its own."""
    if memory is None or memory[0] not in evidence.fetched.memories:
        return evidence
    identifier, days = memory
    memories = evidence.fetched.memories
    changed = memories | {identifier: replace(memories[identifier], half_life_days=days)}
    return replace(evidence, fetched=replace(evidence.fetched, memories=changed))


def payload_changes(before: Members, after: Members) -> list[PayloadChange]:
    """Return the recipes whose payload would hold other memories."""
    changes = []
    for name, now in before.items():
        then = after.get(name, ())
        entering, leaving = (tuple(i for i in a if i not in b) for a, b in ((then, now), (now, then)))
        if entering or leaving:
            changes.append(PayloadChange(name, entering, leaving))
    return changes
