"""Tidy: one read-only pass over a snapshot of the vault that lists what a person might fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import combinations
from threading import Lock
from typing import TYPE_CHECKING, Any

from memtui.analysis.contradictions import Contradiction, find_contradictions, linked_contradictions
from memtui.analysis.duplicates import DuplicateGroup, find_duplicates
from memtui.analysis.pair_features import UNKNOWN_CROWD
from memtui.analysis.snapshot import (
    PAIR_VERDICTS,
    Alike,
    CacheGroup,
    PassCache,
    Snapshot,
    Text,
    TextCache,
    pair_of,
    views,
)
from memtui.analysis.suggestions import RipeGroup, ripe_groups
from memtui.analysis.text_features import is_vague
from memtui.curate.anchors import CheckedAnchor, check_anchors, remember_states
from memtui.curate.projects import known_trees, unchecked_projects
from memtui.curate.value import idle_ids
from memtui.curate.views import texts_of
from memtui.domain.freshness import REVIEW_THRESHOLD, last_trusted_at
from memtui.domain.memory import Memory, Signal
from memtui.errors import NotFoundError, VaultBusyError
from memtui.progress import ProgressCallback
from memtui.text.secrets import find_secrets
from memtui.text.token_count import get_counter
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.vault import Vault
from memtui.workspace import Tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 1_500  # Memories read under one lease: about 100 ms on two cores, well under the 250 ms that a lease may last
LEAST_COSINE = 0.72  # Cosine from which all pairs are looked at, not only the nearest

MOST_COMPARED = 30_000
"""Memories of one project that are compared pair by pair: 350 billion products, about ten seconds on two cores."""

BLOCK = 1_024  # Rows compared at once: 1,024 × 30,000 cosines take 120 MB


def read_snapshot(
    vault: Vault, wanted: MemoryFilter, *, before: Snapshot | None = None, progress: ProgressCallback | None = None
) -> Snapshot:
    """Read memories window by window; one that changes meanwhile appears as it was or as it is.

    Whatever acts on the results checks the versions again.

    `before`: an earlier snapshot, from which unchanged memories are taken.
    """
    with vault.read() as reader:
        versions = reader.select_versions(wanted, sort="created", now=vault.now())
        links = reader.links()
        dismissals = [verdict for verdict in reader.verdicts() if verdict.verdict in PAIR_VERDICTS]
    ids = list(versions)[::-1]
    earlier = before or Snapshot([])
    known = {memory.id: memory for memory in earlier.memories if versions.get(memory.id) == memory.version}
    keys = {identifier: earlier.keys[identifier] for identifier in known}
    missing = [identifier for identifier in ids if identifier not in known]
    for start in range(0, len(missing), WINDOW):
        with vault.read() as reader:
            found = reader.keyed(missing[start : start + WINDOW])
        known.update((identifier, memory) for identifier, (_, memory) in found.items())
        keys.update((identifier, key) for identifier, (key, _) in found.items())
        if progress:
            progress(min(start + WINDOW, len(missing)), len(missing))
    return Snapshot([known[identifier] for identifier in ids if identifier in known], links, dismissals, keys)


def pairs_by_meaning(
    vault: Vault, snapshot: Snapshot, model: str | None, *, progress: ProgressCallback | None = None
) -> list[Alike]:
    """Return pairs of one project, or of it and `global`, whose vectors are near; empty without vectors.

    Projects of more than `MOST_COMPARED` memories are compared by words alone.
    """
    if model is None or not snapshot.keys:
        return []
    # Imported here: without vectors nothing needs numpy.
    from memtui.vault.search.vectors import all_vectors

    with vault.read() as reader:
        table = all_vectors(reader, model)
    rows = {int(key): row for row, key in enumerate(table.keys)}
    parts = views(memory for memory in snapshot.memories if snapshot.keys[memory.id] in rows)
    found: dict[tuple[str, str], Alike] = {}
    total = sum(map(len, parts))
    done = 0
    for part in parts:
        if 1 < len(part) <= MOST_COMPARED:
            matrix = table.matrix[[rows[snapshot.keys[memory.id]] for memory in part]]
            for one, other, cosine, crowd in _near(matrix, done, total, progress):
                found[part[one].id, part[other].id] = Alike(part[one].id, part[other].id, cosine, crowd)
        done += len(part)
    return list(found.values())


NEAREST = 3  # Neighbours of each memory that are looked at where they are nearer than `FAINT`
FAINT = 0.42  # Cosine below which two memories have hardly a subject in common; of 81 strangers' duplicates 5 are below
NEXT = slice(2, 8)  # Neighbours, by rank, that make the crowd around a memory: its own copies come before them


def _near(
    matrix: NDArray[np.float32], done: int, total: int, progress: ProgressCallback | None
) -> Iterator[tuple[int, int, float, float]]:
    """Yield positions of rows that are near, each pair once, with their cosine and the crowd around them."""
    import numpy as np

    number = len(matrix)
    most = min(NEXT.stop, number - 1)
    crowds = np.full(number, UNKNOWN_CROWD, np.float32)
    pairs: dict[tuple[int, int], float] = {}
    for start in range(0, number, BLOCK):
        cosines = matrix[start : start + BLOCK] @ matrix.T
        own = np.arange(start, start + len(cosines))
        cosines[own - start, own] = -1.0
        order = np.argpartition(-cosines, most - 1, axis=1)[:, :most]
        nearest = np.take_along_axis(cosines, order, axis=1)
        rank = np.argsort(-nearest, axis=1)
        order, nearest = np.take_along_axis(order, rank, axis=1), np.take_along_axis(nearest, rank, axis=1)
        if most == NEXT.stop:
            crowds[own] = nearest[:, NEXT].mean(axis=1)
        ones, others = np.nonzero(cosines >= LEAST_COSINE)
        close, places = np.nonzero(nearest[:, :NEAREST] >= FAINT)
        ones, others = np.concatenate((ones, close)), np.concatenate((others, order[close, places]))
        for one, other in zip(ones.tolist(), others.tolist(), strict=True):
            pairs[min(start + one, other), max(start + one, other)] = float(cosines[one, other])
        if progress:
            progress(min(done + start + BLOCK, total), total)
    for (one, other), cosine in pairs.items():
        yield one, other, cosine, float(crowds[one] + crowds[other]) / 2


Texts = tuple[str, str, str, str]  # Title, insight, rationale and snippet of a memory


class TidyCache(CacheGroup):
    """Results kept between the passes of one screen; they never change what a pass finds.

    Files and vectors are checked again only where a memory changed; `forget` drops what was seen of them.

    `encoding`: the token encoding that memories are measured in.

    Attributes:
        lock: held by a pass.
        snapshot: the memories of the last pass.
        tokens: of a memory's texts.
        vague: whether a text holds no fact.
        secret: whether a memory's texts hold what looks like a secret.
    """

    def __init__(self, encoding: str = "o200k_base", secret_patterns: Sequence[tuple[str, str]] = ()) -> None:
        counter = get_counter(encoding)
        self.lock = Lock()
        self.texts = TextCache()
        self.snapshot: Snapshot | None = None
        self.tokens: PassCache[Texts, int] = PassCache(lambda texts: counter.count("\n".join(filter(None, texts))))
        self.vague: PassCache[Text, bool] = PassCache(lambda text: is_vague(*text))
        self.secret: PassCache[Texts, bool] = PassCache(lambda texts: _hold_secret(texts, secret_patterns))
        self._meant: list[Alike] = []
        self._compared: dict[str, tuple[str | None, str, str]] | None = None
        self._checked: dict[str, tuple[int, list[CheckedAnchor]]] = {}
        self._hashes: dict[str, dict[str, str | None]] = {}
        super().__init__((self.texts, self.tokens, self.vague, self.secret))

    def forget(self) -> None:
        """Drop what was seen of memories, files and vectors; results about texts stay true."""
        with self.lock:
            self.snapshot = None
            self._compared = None
            self._checked, self._hashes = {}, {}

    def meant(
        self, vault: Vault, snapshot: Snapshot, model: str | None, progress: ProgressCallback | None
    ) -> list[Alike]:
        """Return the pairs that are near in meaning; they are compared again only where there is a new text."""
        texts = {memory.id: (memory.project, memory.title, memory.insight) for memory in snapshot.memories}
        known = self._compared
        if known is None or any(known.get(identifier) != text for identifier, text in texts.items()):
            self._meant = pairs_by_meaning(vault, snapshot, model, progress=progress)
            self._compared = texts
        return self._meant

    def checked(
        self, memories: Sequence[Memory], trees: Iterable[Tree], progress: ProgressCallback | None
    ) -> list[CheckedAnchor]:
        """Return the state of every anchor of the trees' projects; unchanged memories are not checked again."""
        before = self._checked
        moved = [memory for memory in memories if before.get(memory.id, (0, []))[0] != memory.version]
        found: dict[str, list[CheckedAnchor]] = {}
        for tree in trees:
            hashes = self._hashes.setdefault(tree.project, {})
            for anchor in check_anchors(moved, tree, progress=progress, hashes=hashes):
                found.setdefault(anchor.id, []).append(anchor)
        before.update({memory.id: (memory.version, found.get(memory.id, [])) for memory in moved})
        return [anchor for memory in memories for anchor in before[memory.id][1]]


def _hold_secret(texts: Texts, patterns: Sequence[tuple[str, str]]) -> bool:
    """Return whether texts hold what looks like a secret; AWS's example keys do not count."""
    return any(finding.severity == "secret" for text in texts if text for finding in find_secrets(text, patterns))


OVERSIZED_TOKENS = 400
"""A third of the default budget of 1,200 tokens: a longer memory leaves room for two others at most."""

UNUSED_AFTER = timedelta(days=90)  # A memory that no pack held for so long, while others were used, counts as unused
USES = frozenset({"injected", "copied", "helped", "referenced", "corrected", "hurt"})  # Signals of a use

FINDINGS = (
    "duplicates",
    "contradictions",
    "anchors",
    "stale",
    "oversized",
    "vague",
    "secrets",
    "unconfirmed",
    "unused",
)
"""The findings in their order."""

WORDS = {"anchors": "dead anchors", "stale": "due for review", "unused": "never used"}
"""How people read a finding, where that differs from its name."""

_KEYS = {"contradictions": "conflicts"}  # Keys of the JSON contract that differ from the name of a finding


@dataclass(frozen=True, slots=True, kw_only=True)
class TidyReport:
    """Findings of a pass; ids unless said otherwise."""

    duplicates: tuple[DuplicateGroup, ...] = ()  # groups, the surest first
    contradictions: tuple[Contradiction, ...] = ()  # pairs, linked ones before proposed ones
    anchors: tuple[CheckedAnchor, ...] = ()  # anchors whose file moved or is gone
    stale: tuple[str, ...] = ()  # memories that are due for review
    oversized: tuple[str, ...] = ()  # memories of more than `OVERSIZED_TOKENS` tokens
    vague: tuple[str, ...] = ()  # memories that hold no fact
    secrets: tuple[str, ...] = ()  # memories that hold what looks like a secret
    unconfirmed: tuple[str, ...] = ()  # memories that no person accepted
    # memories that no pack held for `UNUSED_AFTER`, and those that were served often and never used
    unused: tuple[str, ...] = ()
    ripe: tuple[RipeGroup, ...] = ()  # groups that may share a conclusion: an offer, not a finding
    tokens: Mapping[str, int] = field(default_factory=dict)  # tokens of each examined memory
    titles: Mapping[str, str] = field(default_factory=dict)  # title of each examined memory
    unchecked: tuple[str, ...] = ()  # projects whose files could not be checked

    @property
    def total(self) -> int:
        """Number of findings of all kinds."""
        return sum(len(getattr(self, name)) for name in FINDINGS)

    def alike(self, finding: str, ids: Iterable[str]) -> list[tuple[str, ...]]:
        """Return the ids of a proposal and of those of its shape, that one first.

        `finding`: `contradictions`, `duplicates` or `ripe`.

        Raises `NotFoundError`: these memories are not proposed together.
        """
        proposed: tuple[DuplicateGroup | Contradiction | RipeGroup, ...] = getattr(self, finding)
        wanted = set(ids)
        one = next((proposal for proposal in proposed if wanted <= set(proposal.ids)), None)
        if one is None:
            raise NotFoundError(
                "These are not proposed together",
                where=" ".join(sorted(wanted)),
                remedy="`memtui tidy` lists the proposals.",
            )
        rest = [proposal.ids for proposal in proposed if proposal is not one and proposal.shape == one.shape]
        return [one.ids, *rest]

    def ids(self, finding: str) -> list[str]:
        """Return the memories of a finding, each once."""
        found = getattr(self, finding)
        if finding in {"duplicates", "contradictions", "ripe"}:
            return list(dict.fromkeys(identifier for proposal in found for identifier in proposal.ids))
        if finding == "anchors":
            return list(dict.fromkeys(anchor.id for anchor in found))
        return list(found)

    def token_mass(self, finding: str) -> int:
        """Return the tokens of a finding's memories; of duplicates, what merging would save."""
        if finding == "duplicates":
            return sum(self.tokens[name] for group in self.duplicates for name in group.ids[1:])
        return sum(self.tokens[identifier] for identifier in self.ids(finding))

    def counts(self) -> dict[str, Any]:
        """Return the counts: per finding, of memories and tokens, now and after every easy merge."""
        easy = {name for group in self.duplicates if group.pile == "easy" for name in group.ids[1:]}
        total = sum(self.tokens.values())
        return {
            "memories": len(self.tokens),
            "memories_after": len(self.tokens) - len(easy),
            "tokens": total,
            "tokens_after": total - sum(self.tokens[name] for name in easy),
            **{_KEYS.get(name, name): len(getattr(self, name)) for name in FINDINGS},
            "token_mass": {_KEYS.get(name, name): self.token_mass(name) for name in FINDINGS},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TidyOptions:
    """What a pass examines."""

    scope: Scope = EVERYTHING
    threshold: float = REVIEW_THRESHOLD
    # the working tree of the current folder; other projects are checked in their linked folders
    tree: Tree | None = None
    model: str | None = None  # the embedding model whose vectors are compared; None for words alone
    secret_patterns: Sequence[tuple[str, str]] = ()
    encoding: str = "o200k_base"  # the token encoding that memories are measured in


Stage = Callable[[str], ProgressCallback | None]
"""Gives the callback of a stage: reading, contradictions, meaning, duplicates, ripe, anchors, texts."""


def _no_stage(_name: str) -> ProgressCallback | None:
    return None


def tidy(vault: Vault, options: TidyOptions, *, stage: Stage = _no_stage, cache: TidyCache | None = None) -> TidyReport:
    """Examine active memories and candidates; no memory is changed, leases are short, states of anchors are stored.

    `stage`: gives the progress callback of each stage; a callback may raise `Cancelled`.
    """
    known = TidyCache(options.encoding, options.secret_patterns) if cache is None else cache
    with known.lock:
        known.begin()
        report = _look(vault, options, stage, known)
        known.end()
    return report


def _look(vault: Vault, options: TidyOptions, stage: Stage, known: TidyCache) -> TidyReport:
    wanted = MemoryFilter(scope=options.scope, statuses=("active", "candidate"))
    everything = known.snapshot = read_snapshot(vault, wanted, before=known.snapshot, progress=stage("reading"))
    memories = everything.memories
    active = [memory for memory in memories if memory.status == "active"]
    related = _related(vault, replace(everything, memories=active), options, stage, known)
    with vault.read() as reader:
        trees = known_trees(reader, options.tree)
        unchecked = unchecked_projects(reader, wanted, options.tree)
    anchors = known.checked(memories, trees.values(), stage("anchors"))
    _remember(vault, anchors)
    now = vault.now()
    with vault.read() as reader:
        signals = reader.signals()
        due = replace(wanted, statuses=("active",), stale_at=now, threshold=options.threshold)
        stale = reader.select_ids(due, sort="due", now=now)
    tokens = _weigh(memories, known, stage("texts"))
    return replace(
        related,
        anchors=tuple(found for found in anchors if found.state in {"moved", "gone"}),
        stale=tuple(identifier for identifier in stale if identifier in tokens),
        oversized=_ids(active, lambda memory: tokens[memory.id] > OVERSIZED_TOKENS),
        vague=_ids(active, lambda memory: known.vague[memory.title, memory.insight]),
        secrets=_ids(memories, lambda memory: known.secret[texts_of(memory)]),
        unconfirmed=_ids(memories, lambda memory: memory.confirmed_at is None),
        unused=tuple(dict.fromkeys((*(one.id for one in _unused(active, signals, now)), *idle_ids(active, signals)))),
        tokens=tokens,
        titles={memory.id: memory.title for memory in memories},
        unchecked=unchecked,
    )


def _related(vault: Vault, active: Snapshot, options: TidyOptions, stage: Stage, known: TidyCache) -> TidyReport:
    """Return what is found between memories; a pair is one finding only."""
    contradictions = linked_contradictions(active, cache=known.texts)
    alike = known.meant(vault, active, options.model, stage("meaning"))
    contradictions += find_contradictions(active, alike=alike, cache=known.texts, progress=stage("contradictions"))
    apart = [pair_of(*contradiction.ids) for contradiction in contradictions]
    duplicates = find_duplicates(active, alike=alike, apart=apart, cache=known.texts, progress=stage("duplicates"))
    apart += [pair_of(*pair) for group in duplicates for pair in combinations(group.ids, 2)]
    ripe = ripe_groups(active, vault.kinds, alike=alike, apart=apart, cache=known.texts, progress=stage("ripe"))
    return TidyReport(duplicates=tuple(duplicates), contradictions=tuple(contradictions), ripe=tuple(ripe))


def _remember(vault: Vault, anchors: Sequence[CheckedAnchor]) -> None:
    """Store the states of anchors for lists and the review; while the vault is busy, the next check stores them."""
    with suppress(VaultBusyError):
        if anchors:
            remember_states(vault, anchors)


def _ids(memories: Iterable[Memory], is_found: Callable[[Memory], bool]) -> tuple[str, ...]:
    return tuple(memory.id for memory in memories if is_found(memory))


def _weigh(memories: Sequence[Memory], known: TidyCache, progress: ProgressCallback | None) -> dict[str, int]:
    tokens: dict[str, int] = {}
    for number, memory in enumerate(memories):
        if progress and number % 200 == 0:
            progress(number, len(memories))
        tokens[memory.id] = known.tokens[texts_of(memory)]
    return tokens


def _unused(memories: Iterable[Memory], signals: Iterable[Signal], now: datetime) -> list[Memory]:
    """Return old memories that were never used, in projects where others were used since."""
    project_of = {memory.id: memory.project for memory in memories}
    used: set[str] = set()
    busy: dict[str | None, datetime] = {}
    for signal in signals:
        if signal.signal in USES and signal.memory_id in project_of:
            used.add(signal.memory_id)
            project = project_of[signal.memory_id]
            busy[project] = max(signal.at, busy.get(project, signal.at))
    found = []
    for memory in memories:
        trusted = last_trusted_at(memory)
        # A rule file's age is no neglect: what has just been imported could not be used before.
        old = now - max(trusted, memory.created_at) > UNUSED_AFTER
        if old and not memory.pinned and memory.id not in used and busy.get(memory.project, trusted) > trusted:
            found.append(memory)
    return found


def report_record(report: TidyReport) -> dict[str, Any]:
    """Return the `--json` form of a report: the contract's keys, in its order."""
    return {
        "duplicates": [
            {
                "ids": list(group.ids),
                "score": group.score,
                "pile": group.pile,
                "warnings": list(group.warnings),
                "why": group.why,
            }
            for group in report.duplicates
        ],
        "conflicts": [
            {
                "ids": list(contradiction.ids),
                "type": contradiction.type,
                "why": contradiction.why,
                "winner": contradiction.winner,
            }
            for contradiction in report.contradictions
        ],
        "anchors": [
            {"id": anchor.id, "path": anchor.path, "state": anchor.state}
            | ({"suggestion": anchor.suggestion} if anchor.suggestion else {})
            for anchor in report.anchors
        ],
        **{name: list(getattr(report, name)) for name in FINDINGS[3:]},
        "counts": report.counts(),
        "ripe": [{"ids": list(group.ids), "score": group.score, "why": group.why} for group in report.ripe],
        "unchecked_projects": list(report.unchecked),
    }
