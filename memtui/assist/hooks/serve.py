"""What a session is served for an event: whole memories that are surely meant, each once, within the limit, or none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath

from memtui.assist.hooks.dialects import Dialect
from memtui.assist.sessions import State
from memtui.config import Config
from memtui.curate.off_switch import memory_off
from memtui.curate.projects import View, view_of
from memtui.domain.kinds import RULE_KINDS
from memtui.domain.memory import Memory
from memtui.domain.scope import plain_path
from memtui.pack.budget import WHOLE
from memtui.pack.build import Pack, context, pack_of_recall, recipes_of
from memtui.pack.options import PackOptions
from memtui.pack.targets.base import PayloadInfo, Target
from memtui.pack.targets.formats import target_named
from memtui.recall.anchors import EXACT, FILES_WEIGHT
from memtui.recall.lexical import ROUNDING, generic_terms
from memtui.recall.rank import Evidence, gather
from memtui.recall.result import Hit, Recall, Task
from memtui.text.tokens import query_terms
from memtui.vault.packs import Recipe, read_recipes
from memtui.vault.vault import Vault

MOST_ROUNDS = 6  # Rounds of leaving out what does not fit whole; each leaves out at least one


LESSONS = frozenset({"lesson", "bug-pattern"})  # Kinds of what was learned the hard way, and need not be again


@dataclass(frozen=True, slots=True)
class Offer:
    """What may be served for an event."""

    pack: Pack | None = None
    lessons: tuple[Memory, ...] = ()  # the lessons that the event is about, also those that were served before


@dataclass(frozen=True, slots=True)
class Desk:
    """Where and for whom memories are served: one vault, one project, one assistant."""

    vault: Vault
    view: View
    recipes: Sequence[Recipe]
    dialect: Dialect
    config: Config
    now: datetime

    def _target(self) -> Target:
        """Return the form of what is injected: fenced Markdown without what the assistant reads by itself."""
        own = target_named(self.dialect.target, self.config.targets)
        form = target_named("plain" if self.dialect.plain else "claude-code")
        return replace(form, name=own.name, loads=own.loads, limit=self.dialect.limit, margin=own.margin)

    def _options(self, budget: str, most: int) -> PackOptions:
        options = PackOptions.of(self.config.context, self.config.secrets.patterns)
        # Masked or not, a secret goes to no assistant that nobody watches.
        return replace(options, budget=budget, max_memories=most, style="full", fast=True, secrets="withhold")

    def _evidence(self, task: Task) -> Evidence:
        return gather(self.vault, task, self.view.payload_scope, settings=self.config.recall, now=self.now)

    def standing(self, known: State, *, recipe: str | None = None) -> Offer:
        """Return the standing payload without what the session knows; of a named recipe, its own."""
        recipes = [one for one in self.recipes if recipe is None or one.name == recipe]
        pack = self._whole(
            lambda without: context(
                self.vault,
                Task(),
                self.view.payload_scope,
                replace(self._options(self.config.context.budget, self.config.context.max_memories), without=without),
                project=self.view.project,
                target=self._target(),
                settings=self.config.recall,
                now=self.now,
                recipes=recipes,
                recall_by=lambda task, limit: _servable(self._evidence(task).rank(self.vault.kinds, limit), known),
            )
        )
        return Offer(pack)

    def for_task(self, text: str, known: State) -> Offer:
        """Return what is known for sure to belong to a task."""
        task, settings = Task(text), self.config.hooks
        evidence = self._evidence(task)
        found = certain_hits(evidence, evidence.rank(self.vault.kinds))
        return self._offer(found, known, task, settings.prompt_budget, settings.prompt_memories)

    def for_files(self, files: Sequence[str], known: State) -> Offer:
        """Return what is tied to files."""
        task, settings = Task(files=tuple(files)), self.config.hooks
        found = tied_hits(self._evidence(task).rank(self.vault.kinds), self.view.project)
        return self._offer(found, known, task, settings.file_budget, settings.file_memories)

    def _offer(self, everything: Recall, known: State, task: Task, budget: str, most: int) -> Offer:
        about = [hit.memory for hit in (*everything.hits, *everything.pins)]
        lessons = tuple(memory for memory in about if memory.kind in LESSONS)
        found = _servable(everything, known)
        if not found.hits and not found.pins:
            return Offer(lessons=lessons)
        options = self._options(budget, most)
        info = PayloadInfo.for_task(task, self.view.project, options.style)
        build = partial(pack_of_recall, self.vault, task, found, target=self._target(), info=info)
        pack = self._whole(lambda without: build(replace(options, without=without)))
        return Offer(pack, lessons)

    def _whole(self, build: Callable[[frozenset[str]], Pack]) -> Pack:
        """Return the pack in which every memory is whole."""
        without: frozenset[str] = frozenset()
        for _ in range(MOST_ROUNDS):
            pack = build(without)
            unfit = {one.memory.id for one in pack.included if one.detail != WHOLE}
            if not unfit:
                return pack
            without |= unfit
        return build(frozenset(one.memory.id for one in pack.included) | without)


def open_desk(vault: Vault, folder: Path, dialect: Dialect, config: Config, *, named: str | None) -> Desk | None:
    """Return the desk for a working directory; None where a person switched its project off.

    `named`: the project, where the command line names it.
    """
    with vault.read() as reader:
        if memory_off(folder, reader, named=named) is not None:
            return None
        view = view_of(reader, folder, named)
        return Desk(vault, view, recipes_of(read_recipes(reader), view.project), dialect, config, vault.now())


def _servable(found: Recall, known: State) -> Recall:
    """Return a recall without what the session knows already."""
    return replace(
        found,
        hits=tuple(hit for hit in found.hits if not known.has(hit.memory)),
        pins=tuple(hit for hit in found.pins if not known.has(hit.memory)),
    )


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
