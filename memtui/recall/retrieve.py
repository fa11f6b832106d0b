"""Read everything that a recall needs under one lease."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memtui.domain.memory import AnchorState, Link, Memory, Signal, Source
from memtui.domain.reasons import Reason, ReasonCode
from memtui.domain.scope import plain_path
from memtui.recall import fusion, lexical
from memtui.recall.anchors import (
    NO_SURROUNDINGS,
    FileMatch,
    Surroundings,
    best_matches,
    former_names,
    named_match,
    names_in_code,
    surroundings_of,
)
from memtui.recall.eligibility import STANDING_KINDS
from memtui.recall.fusion import Kinship
from memtui.recall.lexical import ANSWER_COVERAGE, Query, QueryWeights, match_query
from memtui.text.tokens import query_terms
from memtui.tree import Tree, states_now
from memtui.vault.bm25 import FOREIGN, UNASSIGNED, LexicalHit, Matched
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.publications import published_sources
from memtui.vault.reader import VaultReader
from memtui.vault.search.spelling import nearest_words
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    from memtui.embedding.tokens import Closeness
    from memtui.recall.semantic import Likeness, Meaning, Sense
    from memtui.vault.search.postings_memory import TermIndex

MOST_BY_WORDS = 120
MOST_BY_FILES = 200
MOST_NAMED = 30  # Memories with words of the name of a file in hand that are looked through for that name
MOST_BY_MEANING = 60
MOST_STANDING = 120
MOST_PINS = 200
MOST_NEIGHBOURS = 60
MOST_ALL = 150  # Memories of a project up to which a task in words reads all: more than words may tell that one matters
MOST_OTHERS = 50  # Bounds of what is read in full: a payload takes forty, and fifty withheld ones are named
SEED_RELEVANCE = 0.5  # Weaker hits pass nothing on: their neighbours were measured to be noise

_NO_WORDS = QueryWeights({}, 0.0, {}, frozenset(), ())


@dataclass(slots=True)
class Fetched:
    """What was read."""

    memories: dict[str, Memory] = field(default_factory=dict)  # by id, of any status
    lexical: dict[str, LexicalHit] = field(default_factory=dict)  # BM25 hits by id, of memories in `memories`
    # ids whose lexical score is no BM25 but the weight that they match: they are withheld anyway
    barred: set[str] = field(default_factory=set)
    weights: QueryWeights = _NO_WORDS  # the weights of the query's terms
    # how like the task memories are by meaning, None without any to compare with; `cosines` has it by id
    likeness: Likeness | None = None
    cosines: dict[str, float] = field(default_factory=dict)
    # the same, but of what was compared token by token what that says as well
    meanings: dict[str, float] = field(default_factory=dict)
    without_vector: int = 0  # memories that have none yet, where meaning is compared
    # ids of memories in another language than the task, of which the model knows little
    foreign: frozenset[str] = frozenset()
    close: dict[str, Closeness] = field(default_factory=dict)  # how close those come, by id
    # how like each other the best memories are, by two ids, the smaller first
    kinship: Mapping[tuple[str, str], float] = field(default_factory=dict)
    files: dict[str, FileMatch] = field(default_factory=dict)  # how memories are tied to the given files, by id
    named: list[str] = field(default_factory=list)  # ids of the memories whose id or title the query is
    begun: list[str] = field(default_factory=list)  # ids of those that hold its words, the last of them half typed
    # ids of the project's most useful memories; only where there is no text
    standing: list[str] = field(default_factory=list)
    pins: list[str] = field(default_factory=list)  # ids of the pinned memories in scope
    is_whole: bool = False  # whether all memories in view were read, as they are few
    links: list[Link] = field(default_factory=list)  # links that touch these memories
    signals: dict[str, list[Signal]] = field(default_factory=dict)
    # last known state per (memory id, anchor path)
    states: Mapping[tuple[str, str], AnchorState] = field(default_factory=dict)
    tied_to: Collection[str] = ()  # paths of all anchors in view, if files are given
    # counts of all that match by place and whether they reach the floor, see `Matched.survey`
    survey: dict[tuple[str, bool], int] = field(default_factory=dict)
    unseen: dict[Reason, int] = field(default_factory=dict)  # counts per reason for a task without text
    given: Sequence[str] = ()  # the files of the task
    surroundings: Surroundings = NO_SURROUNDINGS  # what the working tree adds to them
    other_projects: int = 0  # active memories of other projects that would be relevant
    # the blocks in assistants' files that memories stand in, by id, as `published_sources` has them
    published: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)

    def check_anchors(self, tree: Tree | None, former: Mapping[str, str] | None = None) -> None:
        """Take the states of anchors from a working tree for the memories of its project; holds no lease.

        `tree`: the tree, None for none. `former`: earlier names of the given files; an anchor that is gone and among
        these has moved.
        """
        if tree is None:
            return
        moved = frozenset(former or ())
        found: dict[tuple[str, str], AnchorState] = {}
        for memory in self.memories.values():
            looked = tree.states(memory)
            known = {path: state for path in looked if (state := self.states.get((memory.id, path)))}
            for path, state in states_now(known, looked).items():
                found[memory.id, path] = "moved" if state == "gone" and plain_path(path) in moved else state
        self.states = {**self.states, **found}


def fetch(read: Callable[..., Fetched], meaning: Meaning | None, tree: Tree | None, files: Sequence[str]) -> Fetched:
    """Return what was read with what the working tree adds: imports, states of anchors, former names of files.

    `read`: reads the vault under one lease, given `surroundings`; called again where vectors that were missing are
    there now, or a given file had another name.
    """
    surroundings = surroundings_of(tree, files)
    fetched = read(surroundings=surroundings)
    if meaning and meaning.catch_up():
        fetched = read(surroundings=surroundings)
    former = former_names(tree, files, fetched.tied_to)
    if former:
        fetched = read(surroundings=replace(surroundings, former=former))
    fetched.given, fetched.surroundings = files, surroundings
    fetched.check_anchors(tree, former)
    return fetched


def assigned(scope: Scope) -> Scope:
    """Return the scope without unassigned memories, where a filter can say so."""
    return Scope(scope.projects)


def fetch_for_task(
    vault: Vault,
    query: Query | None,  # the task's text, None for none
    files: Sequence[str],  # project-relative POSIX paths
    scope: Scope,
    *,
    at: datetime,
    now: datetime,
    freshness_weight: float,
    surroundings: Surroundings = NO_SURROUNDINGS,
    sense: Sense | None = None,
    index: TermIndex | None = None,
    standing_limit: int = MOST_STANDING,  # most memories that are read for a task without text because they are useful
) -> Fetched:
    """Return what ranking a task needs, read under one lease."""
    fetched = Fetched()
    active = MemoryFilter(scope=assigned(scope))
    with vault.read() as opened:
        reader = _cached(opened, active, index)
        hits: list[LexicalHit] = []
        barred: list[LexicalHit] = []
        if query:
            hits, barred = _by_words(reader, fetched, query, scope)
        matches = _by_files(reader, fetched, files, active, surroundings)
        standing: list[int] = []
        if not query:
            standing = reader.most_useful_keys(
                active, at=at, now=now, weight=freshness_weight, by_kind=STANDING_KINDS, limit=standing_limit
            )
            _count_all(reader, fetched, scope, at)
        near = _by_meaning(reader, fetched, sense, active, [*(hit.key for hit in hits), *matches])
        taken = {*(hit.key for hit in hits), *matches, *standing, *near}
        rest = reader.keys_if_few(active, MOST_ALL) if query and len(taken) < MOST_ALL else ()
        fetched.is_whole = bool(rest)
        by_key = reader.get_by_keys({*taken, *(hit.key for hit in barred), *rest})
        _take(fetched, by_key, [*hits, *barred], matches)
        _take_meaning(reader, fetched, sense, by_key, hits, query)
        fetched.barred = {by_key[hit.key].id for hit in barred}
        fetched.standing = [by_key[key].id for key in standing if key in by_key]
        pins = reader.select(
            MemoryFilter(scope=assigned(scope), pinned=True), sort="importance", now=now, limit=MOST_PINS
        )
        fetched.memories.update((memory.id, memory) for memory in pins)
        fetched.pins = [memory.id for memory in pins]
        _fetch_kin(reader, fetched)
        fetched.published = published_sources(reader, fetched.memories.keys())
    return fetched


def fetch_for_search(
    vault: Vault,
    query: str,
    wanted: MemoryFilter,
    files: tuple[str, ...],
    *,
    limit: int,
    surroundings: Surroundings = NO_SURROUNDINGS,
    sense: Sense | None = None,
    index: TermIndex | None = None,
) -> Fetched:
    """Return what a search needs, read under one lease."""
    fetched = Fetched()
    with vault.read() as opened:
        reader = _cached(opened, wanted, index)
        asked = Query.of(query)
        matched, fetched.weights = _match(reader, asked, wanted)
        hits = matched.search(wanted, limit=limit)
        matches = _by_files(reader, fetched, files, wanted, surroundings, limit=limit)
        named = reader.keys_by_name(query.strip(), wanted) if query.strip() else []
        begun = [] if named or not is_begun(query, fetched.weights) else reader.keys_by_letters(query.split(), wanted)
        near = _by_meaning(reader, fetched, sense, wanted, [*(hit.key for hit in hits), *matches, *named, *begun])
        by_key = reader.get_by_keys({*(hit.key for hit in hits), *matches, *named, *begun, *near})
        _take(fetched, by_key, hits, matches)
        _take_meaning(reader, fetched, sense, by_key, hits, asked)
        _fetch_kin(reader, fetched)
        fetched.named = [by_key[key].id for key in named]
        fetched.begun = [by_key[key].id for key in begun]
    return fetched


def is_begun(query: str, weights: QueryWeights) -> bool:
    """Return whether the last word of a query may be half a word: nothing in the vault holds it as a whole one."""
    *_, last = query.split() or [""]
    return bool(last) and set(query_terms(last)) <= set(weights.unknown)


def _cached(reader: VaultReader, wanted: MemoryFilter, index: TermIndex | None) -> VaultReader:
    """Return a reader that answers from memory as far as an index allows."""
    return reader if index is None else index.reader(reader, wanted)


def _match(reader: VaultReader, query: Query, wanted: MemoryFilter) -> tuple[Matched, QueryWeights]:
    """Match a query; the titles and tags of the wanted memories say which words a typing error may have meant."""
    return match_query(
        query, match=reader.match, nearest=lambda words, reach: nearest_words(reader, wanted, words, reach)
    )


def _by_words(
    reader: VaultReader, fetched: Fetched, query: Query, scope: Scope
) -> tuple[list[LexicalHit], list[LexicalHit]]:
    """Return what matches and may be recalled, and what matches and can only be withheld."""
    matched, weights = _match(reader, query, MemoryFilter(scope=assigned(scope)))
    fetched.weights = weights
    known = {term: weight for term, weight in weights.idf.items() if term not in weights.unknown}
    floor = ANSWER_COVERAGE * weights.mass
    fetched.survey = matched.survey(known, scope, floor=floor)
    fetched.other_projects = fetched.survey.get((FOREIGN, True), 0)
    hits: list[LexicalHit] = []
    barred: list[LexicalHit] = []
    if any(place == "active" for place, _ in fetched.survey):
        hits = matched.search(MemoryFilter(scope=assigned(scope)), limit=MOST_BY_WORDS)
    if any(reached and place not in {"active", FOREIGN} for place, reached in fetched.survey):
        barred = matched.barred(known, scope, floor=floor, limit=MOST_OTHERS)
    return hits, barred


def _by_files(
    reader: VaultReader,
    fetched: Fetched,
    files: Sequence[str],
    wanted: MemoryFilter,
    surroundings: Surroundings,
    *,
    limit: int = MOST_BY_FILES,
) -> dict[int, FileMatch]:
    if not files:
        return {}
    anchored = reader.anchored(wanted)
    fetched.tied_to = {path for _, path in anchored}
    matches = best_matches(anchored, files, surroundings)
    for key, match in _by_bare_names(reader, wanted, surroundings):
        if key not in matches or matches[key].strength < match.strength:
            matches[key] = match
    if len(matches) <= limit:
        return matches
    nearest = sorted(matches, key=lambda key: (-matches[key].strength, -key))[:limit]
    return {key: matches[key] for key in nearest}


def _by_bare_names(
    reader: VaultReader, wanted: MemoryFilter, surroundings: Surroundings
) -> Iterator[tuple[int, FileMatch]]:
    """Yield the memories, by key, that name a given file without its folder, where no other file has that name."""
    for name, file in surroundings.alone.items():
        hits = _match(reader, Query.of(name), wanted)[0].search(wanted, limit=MOST_NAMED)
        for key, memory in reader.get_by_keys({hit.key for hit in hits}).items():
            if any(names_in_code(text, name) for text in (memory.title, memory.insight, memory.rationale)):
                yield key, named_match(file)


def _by_meaning(
    reader: VaultReader, fetched: Fetched, sense: Sense | None, wanted: MemoryFilter, keys: Sequence[int]
) -> Collection[int]:
    """Compare the nearest memories and those already found with the task; returns the keys that have a cosine."""
    if sense is None:
        return ()
    likeness = sense.look(reader, wanted, keys=keys, limit=MOST_BY_MEANING)
    fetched.likeness = likeness if likeness.cosines else None
    fetched.without_vector = likeness.missing
    return likeness.cosines.keys()


def _take_meaning(
    reader: VaultReader,
    fetched: Fetched,
    sense: Sense | None,
    by_key: Mapping[int, Memory],
    hits: Sequence[LexicalHit],
    query: Query | None,
) -> None:
    """Keep the cosines by id, and compare the best memories with each other."""
    if sense is None or query is None or fetched.likeness is None:
        return
    is_foreign = lexical.is_foreign(" ".join(query.words))
    fetched.foreign = frozenset(
        memory.id
        for key, memory in by_key.items()
        if key in fetched.likeness.cosines and lexical.is_foreign(f"{memory.title}\n{memory.insight}") != is_foreign
    )
    fetched.cosines = {by_key[key].id: cosine for key, cosine in fetched.likeness.cosines.items() if key in by_key}
    fetched.close = {by_key[key].id: close for key, close in fetched.likeness.close.items() if key in by_key}
    fetched.meanings = fusion.with_tokens(fetched.cosines, fetched.close)
    fused = fusion.fuse(_evidence(fetched, fetched.likeness.unrelated, by_key, hits))
    chosen = sorted(fused, key=lambda one: (-fused[one].total, one))[: fusion.POOL]
    keys = {memory.id: key for key, memory in by_key.items()}
    fetched.kinship = _kinship(reader, sense, {keys[one]: one for one in chosen if one in fetched.cosines})


def _evidence(
    fetched: Fetched, unrelated: float, by_key: Mapping[int, Memory], hits: Sequence[LexicalHit]
) -> fusion.Evidence:
    best = max((hit.score for hit in hits), default=0.0)
    shares = {by_key[hit.key].id: hit.score / best for hit in hits if hit.key in by_key}
    coverage = max((fetched.weights.coverage(hit.terms) for hit in hits), default=0.0)
    return fusion.Evidence(shares, fetched.meanings, unrelated, coverage, foreign=fetched.foreign)


def _kinship(reader: VaultReader, sense: Sense, ids: Mapping[int, str]) -> Mapping[tuple[str, str], float]:
    """Return how like each other some memories are, by their ids. `ids`: by key."""
    kinship = sense.kinship(reader, ids)
    if isinstance(kinship, Kinship):
        return kinship.renamed(ids.__getitem__)
    named = {(ids[one], ids[other]): cosine for (one, other), cosine in kinship.items()}
    return {(min(pair), max(pair)): cosine for pair, cosine in named.items()}


def _take(
    fetched: Fetched,
    by_key: Mapping[int, Memory],
    hits: Iterable[LexicalHit],
    matches: Mapping[int, FileMatch],
) -> None:
    fetched.memories.update((memory.id, memory) for memory in by_key.values())
    fetched.lexical = {by_key[hit.key].id: hit for hit in hits if hit.key in by_key}
    fetched.files = {by_key[key].id: match for key, match in matches.items() if key in by_key}


def _fetch_kin(reader: VaultReader, fetched: Fetched) -> None:
    """Read links, the memories at their other ends, signals and anchor states."""
    ids = sorted(fetched.memories)
    if not ids:
        return
    fetched.links = reader.links(ids)
    missing = sorted(_useful_ends(fetched).difference(ids))[:MOST_NEIGHBOURS]
    if missing:
        fetched.memories.update(reader.get_many(missing))
    ids = sorted(memory.id for memory in fetched.memories.values() if memory.status == "active")
    for signal in reader.signals(ids):
        fetched.signals.setdefault(signal.memory_id, []).append(signal)
    fetched.states = reader.anchor_states(ids)


def _useful_ends(fetched: Fetched) -> set[str]:
    """Return the ids at the other ends of links that can matter: of possible seeds, and whatever replaces."""
    ranked = {identifier: hit.score for identifier, hit in fetched.lexical.items() if identifier not in fetched.barred}
    best = max(ranked.values(), default=0.0)
    strong = {identifier for identifier, score in ranked.items() if score >= SEED_RELEVANCE * best}
    strong.update(fetched.files, fetched.pins)
    if fetched.likeness:
        nearest, low = max(fetched.meanings.values(), default=0.0), fetched.likeness.unrelated
        strong.update(
            one
            for one, value in fetched.meanings.items()
            if fusion.meaning_share(value, low, nearest) >= SEED_RELEVANCE
        )
    ends = {link.from_id for link in fetched.links if link.type == "supersedes"}
    for link in fetched.links:
        if link.from_id in strong or link.to_id in strong:
            ends.update((link.from_id, link.to_id))
    return ends


def _count_all(reader: VaultReader, fetched: Fetched, scope: Scope, at: datetime) -> None:
    """Count what a task without text withholds."""
    everything = MemoryFilter(scope=assigned(scope), statuses=None)
    by_status = reader.counts_by("status", everything)
    fetched.survey = {(str(status), True): number for status, number in by_status.items()}
    by_project = reader.counts_by("project", MemoryFilter())
    fetched.survey[UNASSIGNED, True] = by_project.get(None, 0)
    inside = scope.projects
    fetched.other_projects = sum(
        number for name, number in by_project.items() if name is not None and inside is not None and name not in inside
    )
    fetched.unseen[Reason(ReasonCode.OUTSIDE_VALID_TIME)] = reader.count_outside_valid_time(
        MemoryFilter(scope=assigned(scope)), at
    )
