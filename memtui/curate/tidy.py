"""Tidy: one read-only pass over a snapshot of the vault that lists what a person might fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import combinations
from threading import Lock

from memtui.analysis.contradictions import find_contradictions, linked_contradictions
from memtui.analysis.dismissals import Hidden, Lessons
from memtui.analysis.duplicates import find_duplicates
from memtui.analysis.flaws import Flaw, FlawReason, Mend, Neighbours, Shown, flaw_in, flaw_of, parts_of
from memtui.analysis.section_context import is_record
from memtui.analysis.snapshot import (
    SINGLE_VERDICTS,
    Alike,
    CacheGroup,
    PassCache,
    Snapshot,
    Text,
    TextCache,
    pair_of,
)
from memtui.analysis.suggestions import ripe_groups
from memtui.curate.anchors import CheckedAnchor, check_anchors, remember_states
from memtui.curate.dead_places import dead_places
from memtui.curate.projects import known_trees, read_places, unchecked_projects
from memtui.curate.snapshot_reader import pairs_by_meaning, read_snapshot, without_vector
from memtui.curate.tidy_report import TidyReport
from memtui.curate.value import idle_ids
from memtui.curate.views import texts_of
from memtui.domain.freshness import REVIEW_THRESHOLD, last_trusted_at
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory, Signal, planted_reasons
from memtui.errors import VaultBusyError
from memtui.progress import ProgressCallback
from memtui.text.secrets import find_secrets
from memtui.text.token_count import TokenCounter, get_counter
from memtui.tree import Tree
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.review_triggers import anchored_projects, kept_places
from memtui.vault.vault import Vault

Texts = tuple[str, str, str, str]  # Title, insight, rationale and snippet of a memory


class TidyCache(CacheGroup):
    """Results kept between the passes of one screen; they never change what a pass finds.

    Files and vectors are checked again only where a memory changed; `forget` drops what was seen of them.

    `encoding`: the token encoding that memories are measured in.

    Attributes:
        lock: held by a pass.
        snapshot: the memories of the last pass.
        tokens: of a memory's texts.
        flaws: what is wrong with a text by itself.
        secret: whether a memory's texts hold what looks like a secret.
    """

    def __init__(self, encoding: str = "o200k_base", secret_patterns: Sequence[tuple[str, str]] = ()) -> None:
        counter = get_counter(encoding)
        self.lock = Lock()
        self.texts = TextCache()
        self.snapshot: Snapshot | None = None
        self.tokens: PassCache[Texts, int] = PassCache(lambda texts: counted_tokens(texts, counter))
        self.flaws: PassCache[Text, Shown | None] = PassCache(lambda text: flaw_in(*text))
        self.secret: PassCache[Texts, bool] = PassCache(lambda texts: _hold_secret(texts, secret_patterns))
        self._meant: list[Alike] = []
        self._compared: dict[str, tuple[str | None, Texts]] | None = None
        self._lacking = 0
        self._checked: dict[str, tuple[int, list[CheckedAnchor]]] = {}
        self._hashes: dict[str, dict[str, str | None]] = {}
        super().__init__((self.texts, self.tokens, self.flaws, self.secret))

    def forget(self) -> None:
        """Drop what was seen of memories, files and vectors; results about texts stay true."""
        with self.lock:
            self.snapshot = None
            self._compared = None
            self._checked, self._hashes = {}, {}

    def meant(
        self, vault: Vault, snapshot: Snapshot, model: str | None, lacking: int, progress: ProgressCallback | None
    ) -> list[Alike]:
        """Return the pairs that are near in meaning; they are compared again only where a text or a vector is new.

        `lacking`: how many memories have no vector.
        """
        texts = {memory.id: (memory.project, texts_of(memory)) for memory in snapshot.memories}
        known = self._compared
        if (
            known is None
            or lacking != self._lacking
            or any(known.get(identifier) != text for identifier, text in texts.items())
        ):
            self._meant = pairs_by_meaning(vault, snapshot, model, progress=progress)
            self._compared, self._lacking = texts, lacking
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


def counted_tokens(texts: Texts, counter: TokenCounter) -> int:
    """Return how many tokens a memory takes, wherever they are counted."""
    return counter.count("\n".join(filter(None, texts)))


def _hold_secret(texts: Texts, patterns: Sequence[tuple[str, str]]) -> bool:
    """Return whether texts hold what looks like a secret; AWS's example keys do not count."""
    return any(finding.severity == "secret" for text in texts if text for finding in find_secrets(text, patterns))


OVERSIZED_TOKENS = 600
"""Half of the default budget of 1,200 tokens. Of real memories between 400 and 600 hardly any is worth splitting."""

LONGEST_IN_ONE = 800  # Tokens up to which what has no parts to split it into, such as a decision record, is left alone

PART_CHARACTERS = 1_200  # Of the parts into which an oversized memory is split: about 300 tokens each

UNUSED_AFTER = timedelta(days=90)  # A memory that no pack held for so long, while others were used, counts as unused
USES = frozenset({"injected", "copied", "helped", "referenced", "corrected", "hurt"})  # Signals of a use


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
    active = replace(everything, memories=[memory for memory in memories if memory.status == "active"])
    tokens = _weigh(memories, known, stage("texts"))
    flaws = _flaws(active.memories, tokens, known)
    lacking = without_vector(vault, replace(wanted, statuses=("active",)), options.model)
    alike = known.meant(vault, active, options.model, lacking, stage("meaning"))
    lessons = Lessons(active, known.texts, {flaw.id: (flaw.finding, flaw.reason) for flaw in flaws})
    related = proposals(active, vault.kinds, alike, lessons=lessons, cache=known.texts, stage=stage)
    flawed = _not_dismissed(flaws, active, lessons)
    records = _long_records(flawed.shown, active.memories)
    in_use = {memory.id for memory in active.memories}
    with vault.read() as reader:
        anchored = anchored_projects(reader, wanted)
        places = read_places(reader, anchored)
    trees = known_trees(places, options.tree)
    anchors = known.checked(memories, trees.values(), stage("anchors"))
    _remember(vault, anchors)
    now = vault.now()
    with vault.read() as reader:
        signals = reader.signals()
        kept = kept_places(reader)
        due = replace(wanted, statuses=("active",), stale_at=now, threshold=options.threshold)
        stale = reader.select_ids(due, sort="due", now=now)
    unused = [memory.id for memory in _unused(active.memories, signals, now)]
    return replace(
        related,
        anchors=dead_places(vault, anchors, active.memories, kept),
        stale=tuple(identifier for identifier in stale if identifier in tokens),
        oversized=tuple(identifier for identifier in flawed.of("oversized") if identifier not in records),
        records=records,
        vague=flawed.of("vague"),
        fragments=flawed.of("fragments"),
        flaws={flaw.id: flaw for flaw in flawed.shown if flaw.id not in records},
        hidden=(*related.hidden, *flawed.hidden),
        learned=tuple(lessons),
        secrets=_ids(memories, lambda memory: known.secret[texts_of(memory)]),
        unconfirmed=_ids(memories, _is_unconfirmed),
        planted={
            memory.id: why[0] for memory in memories if _is_unconfirmed(memory) and (why := planted_reasons(memory))
        },
        unused=tuple(dict.fromkeys((*unused, *idle_ids(active.memories, signals)))),
        waiting=frozenset(tokens.keys() - in_use),
        tokens=tokens,
        titles={memory.id: memory.title for memory in memories},
        files={memory.id: memory.source.path for memory in memories if memory.source and memory.source.path},
        unchecked=unchecked_projects(anchored, trees),
        without_vector=lacking,
    )


def proposals(
    active: Snapshot,
    kinds: Kinds,
    alike: Iterable[Alike],  # pairs whose vectors are near
    *,
    lessons: Lessons | None = None,
    cache: TextCache | None = None,
    stage: Stage = _no_stage,
) -> TidyReport:
    """Return what is proposed about several memories, without what was dismissed or is like it; a pair once only."""
    texts = TextCache() if cache is None else cache
    taught = Lessons(active, texts, {}) if lessons is None else lessons
    near = list(alike)
    linked = linked_contradictions(active, cache=texts)
    found = find_contradictions(active, alike=near, cache=texts, progress=stage("contradictions"))
    apart = [pair_of(*contradiction.ids) for contradiction in (*linked, *found)]
    duplicates = find_duplicates(active, alike=near, apart=apart, cache=texts, progress=stage("duplicates"))
    apart += [pair_of(*pair) for group in duplicates for pair in combinations(group.ids, 2)]
    ripe = ripe_groups(active, kinds, alike=near, apart=apart, cache=texts, progress=stage("ripe"))
    shown, hidden = taught.part("contradictions", [one.ids for one in found])
    # Exact copies are merged whatever was dismissed of texts that are only alike.
    groups, more = taught.part("duplicates", [group.ids for group in duplicates if not group.copies])
    ripening, most = taught.part("ripe", [group.ids for group in ripe])
    return TidyReport(
        duplicates=tuple(group for group in duplicates if group.copies or group.ids in groups),
        contradictions=(*linked, *(one for one in found if one.ids in shown)),
        ripe=tuple(group for group in ripe if group.ids in ripening),
        hidden=(*hidden, *more, *most),
    )


def listed_as_alike(vault: Vault, scope: Scope, model: str | None) -> frozenset[str]:
    """Return the memories in use that are listed as duplicates or contradictions; `model`: as of `TidyOptions`."""
    active = read_snapshot(vault, MemoryFilter(scope=scope, statuses=("active",)))
    found = proposals(active, vault.kinds, pairs_by_meaning(vault, active, model))
    groups = [*(group.ids for group in found.duplicates), *(pair.ids for pair in found.contradictions)]
    return frozenset(identifier for ids in groups for identifier in ids)


@dataclass(frozen=True, slots=True)
class _Flawed:
    shown: list[Flaw]
    hidden: list[Hidden]

    def of(self, finding: str) -> tuple[str, ...]:
        return tuple(flaw.id for flaw in self.shown if flaw.finding == finding)


def _flaws(memories: Sequence[Memory], tokens: Mapping[str, int], known: TidyCache) -> list[Flaw]:
    """Return what is wrong with memories by themselves, of each the gravest."""
    neighbours = Neighbours(memories)
    found = []
    for memory in memories:
        parts = _good_parts(memory, known) if tokens[memory.id] > OVERSIZED_TOKENS else 1
        is_long = tokens[memory.id] > (OVERSIZED_TOKENS if parts > 1 else LONGEST_IN_ONE)
        shown = (FlawReason.OVERSIZED, "") if is_long else known.flaws[memory.title, memory.insight]
        if shown is not None:
            found.append(flaw_of(memory, shown, neighbours, parts))
    return found


def _long_records(flaws: Iterable[Flaw], memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return the memories that tell a whole file at length and have no parts; nobody rewrites such a file."""
    written = {memory.id for memory in memories if is_record(memory)}
    long = (flaw.id for flaw in flaws if flaw.reason is FlawReason.OVERSIZED and flaw.mend is Mend.EDIT)
    return tuple(identifier for identifier in long if identifier in written)


def _good_parts(memory: Memory, known: TidyCache) -> int:
    """Return into how many parts a memory can be split; one where a part would be too long or need the others.

    The first part keeps what the memory says besides its text.
    """
    first, *rest = parts_of(memory.insight, PART_CHARACTERS)
    sizes = [known.tokens[memory.title, first, memory.rationale, memory.snippet]]
    sizes += [known.tokens[memory.title, part, "", ""] for part in rest]
    leans = any(part.startswith("|") or known.flaws[memory.title, part] for part in rest)
    return 1 if leans or max(sizes) > OVERSIZED_TOKENS else len(sizes)


def _not_dismissed(flaws: Iterable[Flaw], active: Snapshot, lessons: Lessons) -> _Flawed:
    dismissed = {one for one, other in active.dismissed(*SINGLE_VERDICTS) if one == other}
    result = _Flawed([], [])
    for flaw in flaws:
        lesson = None if flaw.id in dismissed else lessons.hiding(flaw.finding, flaw.ids)
        if lesson is not None:
            result.hidden.append(Hidden(flaw.ids, lesson))
        elif flaw.id not in dismissed:
            result.shown.append(flaw)
    return result


def _remember(vault: Vault, anchors: Sequence[CheckedAnchor]) -> None:
    """Store the states of anchors for lists and the review; while the vault is busy, the next check stores them."""
    with suppress(VaultBusyError):
        if anchors:
            remember_states(vault, anchors)


def _ids(memories: Iterable[Memory], is_found: Callable[[Memory], bool]) -> tuple[str, ...]:
    return tuple(memory.id for memory in memories if is_found(memory))


def _is_unconfirmed(memory: Memory) -> bool:
    return memory.confirmed_at is None and memory.verified_at is None


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
