"""What of a recall is sure enough to be injected unasked, judged by words and files alone: no model is loaded here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import PurePosixPath

from memtui.domain.kinds import RULE_KINDS
from memtui.domain.memory import Memory
from memtui.recall.anchors import EXACT, FILES_WEIGHT, plain_path
from memtui.recall.lexical import ROUNDING, generic_terms
from memtui.recall.rank import Evidence
from memtui.recall.result import Hit, Recall
from memtui.text.tokens import query_terms

LEAST = ((3, 0.5), (2, 0.4), (2, 0.3))
"""How many words that tell memories apart a prompt must share with one, and which share of its weight they must make,
by how many of them stand in the title: none, one, or more. A word of the title is what a memory is about, and a single
word is an accident. Figures in tests/bench/RESULTS.md."""

LEAST_NEAR = 0.6
"""Strength of a tie from which the folder or pattern of a rule is near its file: its own folder, or a pattern that
names most of its path. Wider ones hold for a whole tree."""

FEW_SHARE = 2
"""A folder or pattern that more memories than this share is the place of a rule file, not of a rule: of those the ones
count whose title shares a word with the file's name or folder."""

_DESCRIPTIONS = frozenset({"architecture", "tooling", "note"})
_BEFORE = 40  # Characters before a path that say what it is named for
_EXAMPLE = r"\be\.g\.|\bfor (?:example|instance)|\bsuch as"
_RUNNERS = r"\b(?:run|execute|node|python3?|bash|sh|deno|uv|pnpm|npm|npx|yarn|test)"
_RUN = rf"{_RUNNERS}(?: run| test| --?[\w-]+(?:[= ][\w.@/-]+)?)*"
_PASSING = re.compile(rf"(?:{_EXAMPLE}|{_RUN})[\s,:]*[`(\"']*$", re.IGNORECASE)
_PATHS = re.compile(r"\S*/\S*")
FEW_FILES = 3  # A description of more files than this is a list of places, and about none of them


def certain_hits(evidence: Evidence, found: Recall) -> Recall:
    """Return a recall with what certainly belongs to its task alone, pinned or not."""
    return _only(found, lambda hit: _belongs(evidence, hit.memory))


def tied_hits(found: Recall, project: str | None) -> Recall:
    """Return a recall with what its files call for alone, pinned or not.

    That is what names a file itself, and the rules of its folder or pattern. `project`: its name, whose words every
    file of it shares.
    """
    ties = {hit.memory.id: part for hit in (*found.pins, *found.hits) for part in hit.parts if part.name == "files"}
    shared = Counter(part.reason.path for part in ties.values())
    common = frozenset(query_terms(project or ""))

    def is_called_for(hit: Hit) -> bool:
        part = ties.get(hit.memory.id)
        if part is None:
            return False
        if part.value >= EXACT * FILES_WEIGHT - ROUNDING:
            is_list = hit.memory.kind in _DESCRIPTIONS and len(hit.memory.anchors) > FEW_FILES
            return not is_list and not _is_in_passing(hit.memory, plain_path(part.reason.path))
        if part.value < LEAST_NEAR * FILES_WEIGHT - ROUNDING or hit.memory.kind not in RULE_KINDS:
            return False
        return shared[part.reason.path] <= FEW_SHARE or _names(hit.memory.title, part.reason.file, common)

    return _only(found, is_called_for)


def _is_in_passing(memory: Memory, path: str) -> bool:
    """Return whether a text names a file but as an example or as a program to run: it is about something else."""
    text = f"{memory.title}\n{memory.insight}\n{memory.rationale}"
    mentions = [text[max(0, found.start() - _BEFORE) : found.start()] for found in re.finditer(re.escape(path), text)]
    return bool(mentions) and all(map(_PASSING.search, mentions))


def _names(title: str, file: str, common: Collection[str]) -> bool:
    """Return whether a title shares a word with the name of a file or folder; paths in it say where, not what."""
    place, title = PurePosixPath(file), _PATHS.sub(" ", title)
    words = {*query_terms(place.stem), *query_terms(place.parent.name)}.difference(common, generic_terms())
    return not words.isdisjoint(query_terms(title))


def _only(found: Recall, test: Callable[[Hit], bool]) -> Recall:
    hits, pins = (tuple(filter(test, group)) for group in (found.hits, found.pins))
    return replace(found, hits=hits, pins=pins)


def _belongs(evidence: Evidence, memory: Memory) -> bool:
    weights, matched = evidence.fetched.weights, evidence.fetched.lexical.get(memory.id)
    if matched is None:
        return False
    telling = weights.informative.intersection(matched.terms)
    titled = len(telling.intersection(query_terms(memory.title)))
    words, share = LEAST[min(titled, len(LEAST) - 1)]
    return len(telling) >= words and weights.coverage(telling) >= share - ROUNDING
