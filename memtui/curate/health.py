"""The health of a vault in figures that a person can act on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import Enum, auto
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any

from memtui.analysis.snapshot import Snapshot, pair_of
from memtui.config import ContextSettings, RecallSettings, TargetSettings, ValueSettings
from memtui.curate.anchors import DEAD, glance
from memtui.curate.dead_places import places_seen
from memtui.curate.packs import packs_in
from memtui.curate.projects import View, known_trees, read_places, unchecked_projects
from memtui.curate.snapshot_reader import pairs_by_meaning, read_snapshot
from memtui.curate.tidy import counted_tokens, proposals
from memtui.curate.value import Value, value
from memtui.curate.views import count_vault, texts_of
from memtui.domain.freshness import REVIEW_THRESHOLD, decay, half_life_after, usefulness
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Signal
from memtui.pack.build import context, recipes_of
from memtui.pack.options import PackOptions
from memtui.pack.targets.formats import target_named
from memtui.recall.result import Task
from memtui.text.token_count import get_counter
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.packs import read_packs, read_recipes, signals_of_packs
from memtui.vault.reader import VaultReader
from memtui.vault.review_triggers import (
    Fading,
    anchored_projects,
    count_by_month,
    count_copies,
    read_fading,
    unanswered_states,
)
from memtui.vault.vault import Vault

BINS = 10  # Bars of the freshness distribution, each a tenth
MOST_COMPARED = 1_500  # Memories up to which all pairs are compared here, about 1 ms each; `tidy` compares more
MONTHS = 12  # Months over which memories are counted, the current one the last
RANKED = 3  # Memories listed as the most and the least useful
NO_PATH = ""  # Stands for memories that are not tied to a file
ROOT = "."  # The folder of files at the root of a project

_FOLDER_DEPTH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthOptions:
    """What the figures depend on."""

    view: View
    threshold: float = REVIEW_THRESHOLD
    context: ContextSettings = field(default_factory=ContextSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    secret_patterns: Sequence[tuple[str, str]] = ()
    targets: Sequence[tuple[str, TargetSettings]] = ()
    value: ValueSettings = field(default_factory=ValueSettings)
    model: str | None = None  # whose stored vectors are compared; None compares by words alone


@dataclass(frozen=True, slots=True)
class Ranked:
    """A memory with its usefulness, in 0.5–1.5."""

    id: str
    title: str
    usefulness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingPayload:
    """The standing payload: the union of what the recipes recall, or what is recalled without a task."""

    tokens: int = 0
    memories: int = 0
    recipes: int = 0
    target: str = ""
    budget: str = ""


class Pending(Enum):
    """Figures that take longer than the others."""

    FILES = auto()  # what changed in files and is therefore due
    ANCHORS = auto()
    USE = auto()  # the standing payload, and what memories were worth
    DOUBLES = auto()  # duplicates and contradictions


_NOT_FRESH = ("changed", "moved", "gone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The figures; those that are `pending` say nothing yet."""

    counts: Mapping[str, Any]  # as `count_vault` has them
    freshness: tuple[int, ...]  # active memories per tenth of freshness, the stalest first
    mean_freshness: float  # over the active memories; 0 without any
    # active memories per folder that they are tied to, the most first; `NO_PATH` for the others
    by_path: Mapping[str, int]
    # active memories per kind by the month in which they were observed, else added: `MONTHS` numbers, the oldest first
    by_month: Mapping[str, tuple[int, ...]]
    first_month: str  # of these, as `2026-01`
    # anchors per state: `gone` and `moved` as `memtui.curate.anchors.glance` finds them, `changed` as the last check
    # found them, `fresh` for the rest
    anchors: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(("fresh", *_NOT_FRESH), 0))
    dead_places: int = 0  # dead anchors as Tidy lists them: each path once, and a rule file that holds for no file
    dead_memories: int = 0  # number of memories that have one
    copies: int  # memories whose text is exactly another's
    duplicates: int | None = None  # surplus memories by proposals of duplicates; None above `MOST_COMPARED` memories
    duplicate_groups: int = 0  # groups of duplicates that are proposed, as Tidy lists them
    duplicate_tokens: int = 0
    proposed_contradictions: int | None = None  # pairs that are proposed; None likewise
    linked_contradictions: int  # pairs of active memories that are linked as contradicting
    overdue_days: int  # days since the memory that is due for longest was verified or accepted
    most_useful: tuple[Ranked, ...]
    least_useful: tuple[Ranked, ...]
    signals: Mapping[str, int]  # how often each signal was given
    packs: Mapping[str, int]  # packs that were used, and of them how many helped, hurt, and were never judged
    standing: StandingPayload = field(default_factory=StandingPayload)
    value: Value = field(default_factory=Value)  # what assistants were served, and what it spared them
    unchecked: tuple[str, ...] = ()  # projects whose files could not be checked: their anchors count as found last
    pending: frozenset[Pending] = frozenset()

    @property
    def dead_share(self) -> float:
        """Share of the anchors whose file is gone or was moved; 0 without anchors."""
        total = sum(self.anchors.values())
        return (self.anchors.get("gone", 0) + self.anchors.get("moved", 0)) / total if total else 0.0

    @property
    def due_share(self) -> float:
        return self.counts["due"] / self.counts["active"] if self.counts["active"] else 0.0


def health(vault: Vault, options: HealthOptions) -> Health:
    """Return the figures of a vault; leases are short, and nothing slow is computed under them."""
    *_, whole = health_in_parts(vault, options)
    return whole


def health_in_parts(
    vault: Vault, options: HealthOptions, *, check_files: Callable[[], object] | None = None
) -> Iterator[Health]:
    """Yield the figures as they become known: what is counted at once first, and what takes seconds last.

    `check_files`: looks whether files changed, after the first figures; what did is due.
    """
    found = _counted_at_once(vault, options)
    if check_files is not None:
        yield replace(found, pending=found.pending | {Pending.FILES})
        check_files()
        found = _counted_at_once(vault, options)
    yield found
    later: tuple[tuple[Pending, Callable[[], dict[str, Any]]], ...] = (
        (Pending.ANCHORS, lambda: _anchors(vault, options)),
        (Pending.USE, lambda: _use(vault, options)),
        (Pending.DOUBLES, lambda: _doubles(vault, options, sum(found.freshness))),
    )
    for part, count in later:
        found = replace(found, **count(), pending=found.pending - {part})
        yield found


def _counted_at_once(vault: Vault, options: HealthOptions) -> Health:
    scope, now = options.view.scope, vault.now()
    counts = count_vault(vault, scope, threshold=options.threshold)
    active = MemoryFilter(scope=scope)
    with vault.read() as reader:
        fading = read_fading(reader, scope, now)
        anchored = reader.anchored(active)
        copies = count_copies(reader, active)
        signals = reader.signals()
        linked = _linked_contradictions(reader, fading)
        packs = _judged_packs(reader, scope)
        tied = anchored_projects(reader, active)
        places = read_places(reader, tied)
        months = count_by_month(reader, active, now, MONTHS)
    unchecked = unchecked_projects(tied, known_trees(places, options.view.tree))
    ids = {memory.id for memory in fading}
    mine = [signal for signal in signals if signal.memory_id in ids]
    fresh = [_fresh(memory, memory.age_days, vault.kinds) for memory in fading]
    overdue = (
        one.waited_days for one in fading if _fresh(one, one.waited_days / one.pace, vault.kinds) < options.threshold
    )
    most, least = _ranked(mine, fading, vault)
    return Health(
        pending=frozenset({Pending.ANCHORS, Pending.USE, Pending.DOUBLES}),
        counts=counts,
        freshness=_binned(fresh),
        mean_freshness=sum(fresh) / len(fresh) if fresh else 0.0,
        by_path=_by_path(anchored, len(fading)),
        by_month={kind: tuple(months[kind]) for kind in counts["by_kind"] if any(months.get(kind, ()))},
        first_month=_month_before(now, MONTHS - 1),
        copies=copies,
        linked_contradictions=linked,
        overdue_days=int(max(overdue, default=0)),
        most_useful=most,
        least_useful=least,
        signals=dict(Counter(signal.signal for signal in mine).most_common()),
        packs=packs,
        unchecked=unchecked,
    )


def _use(vault: Vault, options: HealthOptions) -> dict[str, Any]:
    return {
        "standing": standing_payload(vault, options),
        "value": value(vault, options.view.scope, options.value),
    }


def _fresh(memory: Fading, age_days: float, kinds: Kinds) -> float:
    if memory.pinned:
        return 1.0
    days = kinds.half_life(memory.kind, memory.project)
    usual = days if memory.held_days is None else half_life_after(days, memory.held_days)
    return decay(age_days, usual if memory.half_life_days is None else memory.half_life_days, kinds.floor)


def _binned(values: Iterable[float]) -> tuple[int, ...]:
    bins = Counter(min(BINS - 1, int(value * BINS)) for value in values)
    return tuple(bins[place] for place in range(BINS))


def _month_before(moment: datetime, months: int) -> str:
    year, month = divmod(moment.year * 12 + moment.month - 1 - months, 12)
    return f"{year:04}-{month + 1:02}"


def _by_path(anchored: Iterable[tuple[int, str]], total: int) -> dict[str, int]:
    folders: dict[str, set[int]] = {}
    tied: set[int] = set()
    for key, path in anchored:
        folders.setdefault(_folder(path), set()).add(key)
        tied.add(key)
    counts = {folder: len(keys) for folder, keys in folders.items()}
    ordered = dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))
    return {**ordered, NO_PATH: total - len(tied)} if total > len(tied) else ordered


def _folder(path: str) -> str:
    """Return the first two levels of a path's folder, or of the one that a glob starts from."""
    plain = takewhile(lambda part: not set(part) & set("*?["), PurePosixPath(path).parts[:-1])
    return "/".join(tuple(plain)[:_FOLDER_DEPTH]) or ROOT


def _anchors(vault: Vault, options: HealthOptions) -> dict[str, Any]:
    active = MemoryFilter(scope=options.view.scope)
    with vault.read() as reader:
        total = len(reader.anchored(active))
        states = unanswered_states(reader, active)
    seen, kept = glance(vault, active, options.view.tree)
    dead = {place: one for place, one in seen.items() if place not in kept and one.state in DEAD}
    found = Counter[str](anchor.state for anchor in dead.values())
    for identifier, of_one in states.items():
        found["changed"] += sum(state == "changed" and (identifier, path) not in dead for path, state in of_one.items())
    places = places_seen(vault, seen, kept)
    return {
        "anchors": {"fresh": total - sum(found.values()), **{name: found[name] for name in _NOT_FRESH}},
        "dead_places": len(places),
        "dead_memories": len({identifier for place in places for identifier in place.ids}),
    }


def _linked_contradictions(reader: VaultReader, fading: Sequence[Fading]) -> int:
    ids = {memory.id for memory in fading}
    links = [link for link in reader.links() if link.type == "contradicts"]
    return len({pair_of(link.from_id, link.to_id) for link in links if link.from_id in ids and link.to_id in ids})


def _doubles(vault: Vault, options: HealthOptions, number: int) -> dict[str, Any]:
    """Return what is proposed of several memories; nothing above `MOST_COMPARED` memories."""
    if number > MOST_COMPARED:
        return {}
    found: Snapshot = read_snapshot(vault, MemoryFilter(scope=options.view.scope))
    alike = pairs_by_meaning(vault, found, options.model)
    proposed = proposals(found, vault.kinds, alike)
    spare = {identifier for group in proposed.duplicates for identifier in group.ids[1:]}
    counter = get_counter(options.context.encoding) if spare else None
    tokens = {one.id: counted_tokens(texts_of(one), counter) for one in found.memories if counter and one.id in spare}
    return {
        "duplicates": len(spare),
        "duplicate_groups": len(proposed.duplicates),
        "duplicate_tokens": replace(proposed, tokens=tokens).token_mass("duplicates"),
        "proposed_contradictions": sum(one.type != "linked" for one in proposed.contradictions),
    }


def _ranked(
    signals: Iterable[Signal], fading: Sequence[Fading], vault: Vault
) -> tuple[tuple[Ranked, ...], tuple[Ranked, ...]]:
    """Return the memories that signals raised most, and those they lowered most."""
    by_memory: dict[str, list[Signal]] = {}
    for signal in signals:
        by_memory.setdefault(signal.memory_id, []).append(signal)
    titles = {memory.id: memory.title for memory in fading}
    ranked = [
        Ranked(key, titles[key], usefulness(found, vault.now(), vault.kinds.hurt_weight))
        for key, found in by_memory.items()
    ]
    ranked.sort(key=lambda one: (-one.usefulness, one.id))
    most = [one for one in ranked if one.usefulness > 1.0][:RANKED]
    least = [one for one in reversed(ranked) if one.usefulness < 1.0][:RANKED]
    return tuple(most), tuple(least)


def _judged_packs(reader: VaultReader, scope: Scope) -> dict[str, int]:
    packs = packs_in(read_packs(reader, limit=None), scope)
    said: dict[str, set[str]] = {}
    for signal in signals_of_packs(reader, [pack.id for pack in packs]):
        said.setdefault(signal.pack_id or "", set()).add(signal.signal)
    helped = sum(1 for words in said.values() if "helped" in words)
    hurt = sum(1 for words in said.values() if {"hurt", "corrected"} & words)
    unjudged = sum(1 for pack in packs if not {"helped", "hurt", "corrected", "unused"} & said.get(pack.id, set()))
    return {"used": len(packs), "helped": helped, "hurt": hurt, "unjudged": unjudged}


def standing_payload(vault: Vault, options: HealthOptions) -> StandingPayload:
    view = options.view
    with vault.read() as reader:
        recipes = recipes_of(read_recipes(reader), view.project)
    pack = context(
        vault,
        Task(text=""),
        view.payload_scope,
        PackOptions.of(options.context, options.secret_patterns),
        project=view.project,
        target=target_named(options.context.target, options.targets),
        settings=options.recall,
        now=vault.now(),
        tree=view.tree,
        recipes=recipes,
    )
    return StandingPayload(
        tokens=pack.tokens,
        memories=len(pack.included),
        recipes=len(recipes),
        target=pack.target,
        budget=str(pack.budget),
    )


def health_record(found: Health) -> dict[str, Any]:
    """Return the health for `stats --json`: the counts, and beside them everything else."""
    return {
        **found.counts,
        "freshness": {"bins": list(found.freshness), "mean": round(found.mean_freshness, 4)},
        "by_path": {("unanchored" if name == NO_PATH else name): number for name, number in found.by_path.items()},
        "by_month": {"first": found.first_month, "kinds": {kind: list(row) for kind, row in found.by_month.items()}},
        "anchors": {**found.anchors, "dead_places": found.dead_places, "dead_share": round(found.dead_share, 4)},
        "unchecked_projects": list(found.unchecked),
        "duplicates": {"copies": found.copies, "proposed": found.duplicates, "tokens": found.duplicate_tokens},
        "contradictions": {"linked": found.linked_contradictions, "proposed": found.proposed_contradictions},
        "review": {"due": found.counts["due"], "share": round(found.due_share, 4), "oldest_days": found.overdue_days},
        "most_useful": [asdict(one) for one in found.most_useful],
        "least_useful": [asdict(one) for one in found.least_useful],
        "signals": dict(found.signals),
        "packs": dict(found.packs),
        "standing": asdict(found.standing),
    }
