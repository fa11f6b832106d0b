"""Groups of memories that say the same thing, and where similar texts differ in what matters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Literal

from memtui.analysis.cache import PassCache
from memtui.analysis.candidates import candidate_pairs
from memtui.analysis.claims import difference
from memtui.analysis.snapshot import NOT_CONTRADICTION, NOT_DUPLICATE, Gathered, Pair, by_project, pair_of
from memtui.analysis.text_features import Wording
from memtui.domain.memory import GLOBAL_PROJECT, MOST_MERGED, Memory, content_hash
from memtui.progress import ProgressCallback

_VERSION = re.compile(r"\d+\.\d+")
_BEFORE_NUMBER = re.compile(
    r"\b(?:version|v|python|node|postgres|redis|java|go|ruby|php|django|react|vue|rust|kafka) ?$"
)


def warnings(one: Wording, other: Wording) -> tuple[str, ...]:
    """Return what differs, in words for people; empty where nothing telling does."""
    found = [
        _numbers(one, other),
        _names(one, other),
        difference(one, other),
        _sides("environments differ", one.environments, other.environments),
        _sides("one speaks of order or direction", one.directions, other.directions),
        "one is a plan, the other is done" if _tense(one, other) else "",
        "the same words in another order" if is_reordered(one, other) else "",
    ]
    return tuple(warning for warning in found if warning)


def _numbers(one: Wording, other: Wording) -> str:
    if one.numbers == other.numbers:
        return ""
    differing = one.numbers ^ other.numbers
    is_version = any(_VERSION.search(number) for number in differing) or any(
        _BEFORE_NUMBER.search(wording.normal.split(number)[0]) for wording in (one, other) for number in differing
    )
    return _sides("versions differ" if is_version else "numbers differ", one.numbers, other.numbers)


def _names(one: Wording, other: Wording) -> str:
    """Names of code that only one of them holds; one that stands in the other's prose is the same."""
    left = {name for name in one.identifiers - other.identifiers if not _is_said(name, other)}
    right = {name for name in other.identifiers - one.identifiers if not _is_said(name, one)}
    if not left and not right:
        return ""
    paths = any("/" in name for name in left) and any("/" in name for name in right)
    return _sides("paths differ" if paths else "names differ", left, right)


LEAST_NAME = 5
"""Letters of a name from which it is looked for in words: a shorter one stands inside many of them."""


def _is_said(name: str, other: Wording) -> bool:
    """Return whether a text holds a name of code, as it is written or in words: `payment_id` as payment id."""
    if name in other.normal:
        return True
    letters = name.replace("_", "")
    return letters.isalnum() and len(letters) >= LEAST_NAME and letters in other.run_together


def _tense(one: Wording, other: Wording) -> bool:
    return one.is_plan != other.is_plan


def is_reordered(one: Wording, other: Wording) -> bool:
    """Return whether they hold the same words with two or more out of order, which may turn the meaning round."""
    return sorted(one.stems) == sorted(other.stems) and one.stems != other.stems


def _sides(what: str, left: Collection[str], right: Collection[str]) -> str:
    """Return `numbers differ: 8080, 8081`, what only one has; empty if both have the same."""
    mine, theirs = set(left) - set(right), set(right) - set(left)
    if not mine and not theirs:
        return ""
    shown = [", ".join(sorted(side)[:3]) or "none" for side in (mine, theirs)]
    return f"{what}: {shown[0]} / {shown[1]}"


Pile = Literal["easy", "look"]

SHORT, MEDIUM = 5, 14
"""Words of meaning up to which a text is short, or of middle length."""

THRESHOLDS: Mapping[str, float] = {"short": 0.74, "medium": 0.62, "long": 0.55}
"""Likeness from which two texts are proposed, by length. In a short text one word of five turns it into another
statement; texts of a paragraph that share more than half of their words retell each other."""

THRESHOLDS_BY_MEANING: Mapping[str, float] = {"short": 0.86, "medium": 0.84, "long": 0.82}
"""Cosine from which two texts are proposed whatever their words; 0.1 less where the words all but reach their own."""

CANDIDATE_SHARE = 0.4
"""Part of the weight of rare terms that candidates share; below it no pair of the labelled set reached a threshold."""


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Memories that say the same.

    Attributes:
        ids: the memory to keep first.
        score: likeness of the two that are least alike, 0–1.
        pile: `easy` where they differ in nothing that matters, else `look`.
        warnings: what differs from the memory to keep, in words.
        copies: whether the texts are the same but for case, markup and spelling.
        texts: content hash of each memory when it was compared.
    """

    ids: tuple[str, ...]
    score: float
    pile: Pile
    warnings: tuple[str, ...]
    copies: bool
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two memories are, see `DuplicateGroup`."""

    score: float
    pile: Pile
    copies: bool = False


def length_class(one: Wording, other: Wording) -> str:
    """Return `short`, `medium` or `long`, by the shorter text."""
    words = min(len(one.stems), len(other.stems))
    return "short" if words <= SHORT else "medium" if words <= MEDIUM else "long"


def likeness(one: Wording, other: Wording) -> float:
    """Return how much two texts share, 0–1: the Dice share of their stems, or how alike the sorted stems are written.

    The stems are taken with names of code whole, or split where that is more alike. How they are written catches
    words that are written together or apart; it is worth nine tenths, as it also takes 8080 for 8081.
    """
    dice = max(_dice(one.terms, other.terms), _dice(one.parts, other.parts))
    if dice < _HOPELESS:
        return dice
    from rapidfuzz import fuzz

    written = fuzz.ratio(one.sorted_stems, other.sorted_stems) / 100.0
    return max(dice, 0.9 * written)


_HOPELESS = 0.4


def _dice(mine: AbstractSet[str], theirs: AbstractSet[str]) -> float:
    words = len(mine) + len(theirs)
    return 2.0 * len(mine & theirs) / words if words else 0.0


def likeness_of_titles(one: Wording, other: Wording) -> float:
    """Return how much the titles share, 0–1, where one is a statement of its own; 0 where they are too short to tell.

    A memory without a title of its own is its own title. Two that state the same may go on to explain it in words
    that have nothing in common.
    """
    first, second = one.headline, other.headline
    if (first is one and second is other) or min(len(first.parts), len(second.parts)) < LEAST_TITLE:
        return 0.0
    return _dice(first.parts, second.parts)


LEAST_TITLE = 4
"""Words of meaning from which a title states something: `Retry policy` names what many memories speak of."""


def compare(
    one: Memory, other: Memory, wordings: Mapping[str, Wording], cosine: float | None = None
) -> Likeness | None:
    """Return how two memories are duplicates, None if they are not."""
    first, second = wordings[one.id], wordings[other.id]
    score = likeness(first, second)
    titled = likeness_of_titles(first, second)
    if max(score, titled) < _HOPELESS and cosine is None:
        return None
    length = length_class(first, second)
    if score < THRESHOLDS[length] and titled >= THRESHOLDS["short"]:
        score = titled
    elif score < THRESHOLDS[length]:
        meant = THRESHOLDS_BY_MEANING[length] - (0.1 if score >= 0.9 * THRESHOLDS[length] else 0.0)
        if cosine is None or cosine < meant:
            return None
        score = cosine
    # What differs is looked up for the few pairs that are shown; only between equal words does it decide the pile.
    same = "".join(first.stems) == "".join(second.stems)
    pile: Pile = "easy" if same and not differences(one, other, wordings) else "look"
    return Likeness(round(score, 4), pile)


def differences(one: Memory, other: Memory, wordings: Mapping[str, Wording]) -> tuple[str, ...]:
    """Return what differs between two memories that matters, in words for people."""
    return (*warnings(wordings[one.id], wordings[other.id]), *_kept_apart(one, other))


def _kept_apart(one: Memory, other: Memory) -> Iterator[str]:
    """Yield what beside the texts tells two memories apart."""
    if one.project != other.project:
        yield f"one holds everywhere, the other in {one.project if other.project == GLOBAL_PROJECT else other.project}"
    mine, theirs = ({anchor.path for anchor in memory.anchors} for memory in (one, other))
    if mine and theirs and not mine & theirs:
        yield "tied to different files"
    if (one.valid_from, one.valid_until) != (other.valid_from, other.valid_until):
        yield "true at different times"


def find_duplicates(
    gathered: Gathered,
    *,
    alike: Iterable[tuple[str, str, float]] = (),
    apart: Iterable[Pair] = (),
    cache: PassCache | None = None,
    progress: ProgressCallback | None = None,
) -> list[DuplicateGroup]:
    """Return the groups of duplicates, the surest first; holds no lease and changes nothing.

    Args:
        alike: further candidates with the cosine of their vectors.
        apart: pairs that are no duplicates whatever their words, such as contradictions.
        cache: what an earlier pass worked out of the same texts.
        progress: told (done, total) of memories; may raise `Cancelled`.

    Raises:
        Cancelled: raised by `progress`, and passed on.
    """
    memories = {memory.id: memory for memory in gathered.memories}
    excluded = {*apart, *_told_apart(gathered)}
    # Who says that two are no contradiction says that both hold, so that they are no duplicates either.
    excluded |= gathered.dismissed(NOT_DUPLICATE) | gathered.dismissed(NOT_CONTRADICTION)
    known = PassCache() if cache is None else cache
    wordings = {memory.id: known.wordings[memory.title, memory.insight] for memory in gathered.memories}
    copies = _copies(gathered.memories, wordings)
    edges: dict[Pair, Likeness] = {}
    for twins in copies:
        for twin in twins[1:]:
            _note(edges, excluded, memories[twins[0]], memories[twin], wordings, exact=True)
    alone = [memories[twins[0]] for twins in copies]
    for one, other in _pairs(alone, wordings, progress):
        _note(edges, excluded, one, other, wordings)
    for one_id, other_id, cosine in alike:
        if one_id in memories and other_id in memories:
            _note(edges, excluded, memories[one_id], memories[other_id], wordings, cosine=cosine)
    groups = _groups(edges, copies, excluded, memories, wordings)
    return sorted(groups, key=lambda group: (group.pile != "easy", not group.copies, -group.score, group.ids))


def _note(
    edges: dict[Pair, Likeness],
    excluded: set[Pair],
    one: Memory,
    other: Memory,
    wordings: Mapping[str, Wording],
    *,
    cosine: float | None = None,
    exact: bool = False,
) -> None:
    pair = pair_of(one.id, other.id)
    if pair in excluded or pair in edges or not _in_one_view(one, other):
        return
    if exact:
        apart = tuple(_kept_apart(one, other))
        edges[pair] = Likeness(1.0, "look" if apart else "easy", copies=not apart)
    elif found := compare(one, other, wordings, cosine):
        edges[pair] = found


def _in_one_view(one: Memory, other: Memory) -> bool:
    """Return whether both may reach one payload: of one project, or one of them global."""
    return one.project == other.project or (
        GLOBAL_PROJECT in {one.project, other.project} and None not in {one.project, other.project}
    )


def _told_apart(gathered: Gathered) -> Iterator[Pair]:
    """Yield pairs of which a link already says what they are to each other."""
    for link in gathered.links:
        if link.type in {"supersedes", "contradicts", "derived-from"} or (
            link.type == "relates" and link.origin == "person"
        ):
            yield pair_of(link.from_id, link.to_id)


def _copies(memories: Iterable[Memory], wordings: Mapping[str, Wording]) -> list[list[str]]:
    """Return the ids of memories that say the same whatever case, markup and spelling; the one to keep first."""
    alike: dict[tuple[str | None, tuple[str, ...]], list[Memory]] = {}
    for memory in sorted(memories, key=worth_keeping):
        alike.setdefault((memory.project, wordings[memory.id].stems), []).append(memory)
    found: list[list[str]] = []
    for twins in alike.values():
        if len(twins) == 1:
            found.append([twins[0].id])
            continue
        same: dict[tuple[object, ...], list[str]] = {}
        for twin in twins:
            rest = (Wording(twin.rationale).words, Wording(twin.snippet).words)
            same.setdefault((wordings[twin.id].words, *rest), []).append(twin.id)
        found += same.values()
    return found


def worth_keeping(memory: Memory) -> tuple[object, ...]:
    """Return a sort key that puts the memory first into which the others would be merged."""
    return (not memory.pinned, memory.verified_at is None, memory.confirmed_at is None, memory.created_at, memory.id)


def _pairs(
    memories: list[Memory], wordings: Mapping[str, Wording], progress: ProgressCallback | None
) -> Iterator[tuple[Memory, Memory]]:
    """Yield pairs of one project and `global` that share rare words."""
    parts = by_project(memories)
    shared = parts.pop(GLOBAL_PROJECT, [])
    if not any(project is not None for project in parts):
        parts[GLOBAL_PROJECT] = []
    total = sum(len(part) + (len(shared) if project else 0) for project, part in parts.items())
    done = 0

    def step(position: int) -> None:
        if progress:
            progress(min(done + position, total), total)

    for project, part in parts.items():
        near = [*shared, *part] if project is not None else part
        for first, second in candidate_pairs(
            [wordings[memory.id].terms | wordings[memory.id].parts for memory in near], share=CANDIDATE_SHARE, step=step
        ):
            yield near[first], near[second]
        done += len(near)
    if progress:
        progress(total, total)


def _groups(
    edges: Mapping[Pair, Likeness],
    copies: Iterable[list[str]],
    excluded: set[Pair],
    memories: Mapping[str, Memory],
    wordings: Mapping[str, Wording],
) -> Iterator[DuplicateGroup]:
    """Yield groups in which every pair is an edge, the most alike joined first.

    Exact copies stand together whatever their number; other groups hold what one merge can take.
    """
    twins = {names[0]: [name for name in names[1:] if pair_of(names[0], name) not in excluded] for names in copies}
    exact = {
        pair_of(first, name)
        for first, names in twins.items()
        for name in names
        if (edge := edges.get(pair_of(first, name))) is not None and edge.copies
    }
    clusters = {end: {end} for pair in edges if pair not in exact for end in pair}
    rest = [item for item in edges.items() if item[0] not in exact]
    for (one, other), _ in sorted(rest, key=lambda item: (item[1].pile != "easy", -item[1].score, item[0])):
        left, right = clusters[one], clusters[other]
        if left is right or len(left) + len(right) > MOST_MERGED:
            continue
        if all(pair_of(first, second) in edges for first in left for second in right):
            left |= right
            clusters.update(dict.fromkeys(right, left))
    for cluster in {id(cluster): cluster for cluster in clusters.values() if len(cluster) > 1}.values():
        yield _group(cluster, edges, memories, wordings)
    for first, names in twins.items():
        same = [name for name in names if pair_of(first, name) in exact]
        if same:
            yield _copies_group([first, *same], memories)


def _group(
    cluster: set[str],
    edges: Mapping[Pair, Likeness],
    memories: Mapping[str, Memory],
    wordings: Mapping[str, Wording],
) -> DuplicateGroup:
    ids = sorted(cluster, key=lambda name: worth_keeping(memories[name]))
    inner = [edges[pair_of(one, other)] for at, one in enumerate(ids) for other in ids[at + 1 :]]
    kept, others = memories[ids[0]], [memories[name] for name in ids[1:]]
    told = [warning for other in others for warning in differences(kept, other, wordings)]
    # Of several memories only what differs is told, not in which words each does.
    found = tuple(dict.fromkeys(warning.split(":")[0] if len(others) > 1 else warning for warning in told))
    pile: Pile = "easy" if all(edge.pile == "easy" for edge in inner) else "look"
    score = min(edge.score for edge in inner)
    return DuplicateGroup(tuple(ids), score, pile, found, copies=False, texts=_texts(ids, memories))


def _copies_group(ids: list[str], memories: Mapping[str, Memory]) -> DuplicateGroup:
    return DuplicateGroup(tuple(ids), 1.0, "easy", (), copies=True, texts=_texts(ids, memories))


def _texts(ids: Iterable[str], memories: Mapping[str, Memory]) -> dict[str, str]:
    return {name: content_hash(memories[name]) for name in ids}
