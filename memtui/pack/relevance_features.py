"""What tells whether a memory matters for a task, as numbers, and the model that makes a chance of them.

`relevance_weights.json` holds the models, with meaning and without: `tests/scripts/relevance_weights.py` fits them on
the judgements of people in `tests/relevance`, and prints what they are worth on repositories that they did not see.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath

from memtui.domain.memory import Memory
from memtui.pack.topics import (
    BY_PLACE,
    SURE,
    Subject,
    asked_of,
    languages_of_files,
    topics,
    topics_of_path,
    words_of_path,
)
from memtui.pack.work import Work, holds_for_what_is_new
from memtui.recall.lexical import LONGEST_QUERY
from memtui.recall.result import Hit, Signs, Task
from memtui.text.tables import read_words
from memtui.text.tokens import query_terms

NAMES_WHAT_IS_IN_HAND = 0.2
"""Share of the words of the paths in hand from which a title is about them, whatever files its memory is tied to."""

READ = 800  # Characters of a memory that are looked at: what it is about stands at its beginning
KINDS = ("constraint", "convention", "architecture", "decision", "tooling")
LEAST_TELLING, TELLING = 0.15, 0.5
"""What a topic counts that every memory of a vault is about, and how much more for each power that fewer are."""

BEST_OF_SOURCE = 3  # Other memories of a source, the best, by which its file or section is judged
RAREST = 3.0  # A name counts no more than that, however rare it is
FEW = 12  # Memories below which a topic does not tell them apart any better
FEWEST = 20  # Memories below which a word is not taken to be rarer: among five everything is

_ORDERS = re.compile(r"\b(?:must|never|always|do not|don't|avoid|should|use|prefer|ensure|only)\b", re.IGNORECASE)
_INSISTS = re.compile(r"\b(?:must|never|always|do not|don't|required|mandatory)\b", re.IGNORECASE)
_OF_ITSELF = re.compile(
    r"\b(?:governing thought|scope and audience|overview|introduction|purpose|about this|when to use|maintenance"
    r"|this (?:file|document|guide|rule|skill)|table of contents|related|references|see also)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"`([^`\n]{2,60})`|\b([A-Za-z]+[a-z][A-Z]\w+|\w+_\w+)\b")

ALONE = ("sentence", "tokens", "share", "log_rank", "coverage", "title_coverage")
"""What counts by a weight of its own where no file is given: a question has one answer, work in a file many rules."""

_OF_FILES = (
    *("holds", "holds_narrowly", "names", "names_narrowly", "holds_elsewhere", "names_elsewhere", "exact", "tie"),
    *("reached", "in_files", "names_in_files", "in_path", "in_path_by_title", "topic_of_path", "same_language"),
    "other_language",
    *("plain_files", "docs_files", "rule_for_plain", "rule_for_code", "tests_of_new"),
    *("general_title", "general", "number_of_names"),
)
"""What only files tell, or only matters for work in some: a question is answered, and no rule is kept in it."""

_MEANING = ("cosine", "cosine_gap", "sentence", "sentence_gap", "tokens", "tokens_gap")
OF_MEANING = frozenset((*_MEANING, "alone_sentence", "alone_tokens"))
"""What only a model of meaning tells."""


@cache
def general_words() -> frozenset[str]:
    """Return the terms of words that rules for any code of any project are made of."""
    return frozenset(query_terms(" ".join(sorted(read_words(__file__, "general_words.txt")))))


@dataclass(frozen=True, slots=True)
class Text:
    """The words of a memory."""

    title: frozenset[str]
    whole: frozenset[str]  # of the title and the beginning of its text
    names: tuple[str, ...]  # identifiers and what stands in backticks, as terms

    @classmethod
    @lru_cache(maxsize=1_000)
    def of(cls, heading: str, body: str) -> Text:
        """Return the words of a title and of the beginning of a text; kept, as a task is typed letter by letter."""
        title, rest = frozenset(query_terms(heading)), frozenset(query_terms(body))
        names = {one or other for one, other in _NAME.findall(f"{heading}\n{body}")}
        firsts = {term for name in sorted(names) if len(name) > 3 for term in query_terms(name)[:1]}  # noqa: PLR2004
        return cls(title, title | rest, tuple(sorted(firsts)))


@dataclass(frozen=True, slots=True)
class Setting:
    """What a task brings, the same for all of its hits."""

    words: frozenset[str]
    path: frozenset[str]  # words of the paths of its files
    in_hand: frozenset[str]  # words of what stands in them
    has_files: bool
    asked: Mapping[str, float]  # how surely its words are about each topic
    placed: frozenset[str]  # topics of the places of its files
    here: Mapping[str, float]  # how surely it is about each topic at all
    brought: frozenset[str]  # topics whose rules it meets as well
    languages: frozenset[str]  # languages of code of its files
    telling: Mapping[str, float]  # how well each topic tells the memories of the vault apart
    rarity: Mapping[str, float]  # of the words of its hits
    unknown: float  # rarity of a word that no hit has
    best: Signs  # the best of each sign
    work: Work = field(default_factory=Work)

    def weight(self, terms: Iterable[str]) -> float:
        return math.fsum(self.rarity.get(term, self.unknown) for term in terms)


def features_of(hits: Sequence[Hit], task: Task, in_hand: frozenset[str]) -> dict[str, dict[str, float]]:
    """Return what tells of each hit with signs whether it matters, by id."""
    signed = [(hit, signs) for hit in hits if (signs := hit.signs) is not None]
    texts = {hit.memory.id: Text.of(hit.memory.title, hit.memory.insight[:READ]) for hit, _ in signed}
    subjects = {hit.memory.id: subject_of(hit.memory) for hit, _ in signed}
    setting = _setting(task, in_hand, texts.values(), subjects.values(), [signs for _, signs in signed])
    sources = _shares(signed)
    return {
        hit.memory.id: {
            **_by_words_and_meaning(signs, setting),
            **_by_files(signs, setting),
            **_by_text(hit.memory, texts[hit.memory.id], setting),
            **_by_topics(subjects[hit.memory.id], setting),
            **_by_work(hit.memory, subjects[hit.memory.id], setting),
            **sources[hit.memory.id],
        }
        for hit, signs in signed
    }


def subject_of(memory: Memory) -> Subject:
    """Return what a memory is about."""
    source = memory.source
    section = (source.native_id or "").partition("#")[2] if source else ""
    folder_and_file = "/".join(((source.path if source else None) or "").split("/")[-2:])
    places = tuple(anchor.path for anchor in memory.anchors)
    return Subject.of(memory.title, memory.insight[:READ], f"{folder_and_file} {section}", places)


def _setting(
    task: Task,
    in_hand: frozenset[str],
    texts: Collection[Text],
    subjects: Collection[Subject],
    signs: Sequence[Signs],
) -> Setting:
    words = frozenset(query_terms(task.text[:LONGEST_QUERY]))
    path = words_of_path(" ".join(task.files))
    held, count = Counter(term for text in texts for term in text.whole), max(FEWEST, len(texts))
    rarity = {term: math.log(1 + (count - number + 0.5) / (number + 0.5)) for term, number in held.items()}
    asked = asked_of(words, task.text[:LONGEST_QUERY])
    placed = frozenset(name for file in task.files for name in topics_of_path(file))
    here = {name: max(asked.get(name, 0.0), BY_PLACE * (name in placed)) for name in sorted({*asked, *placed})}
    return Setting(
        words=words,
        path=path,
        in_hand=in_hand,
        has_files=bool(task.files),
        asked=asked,
        placed=placed,
        here=here,
        brought=frozenset(one for name in here for one in topics()[name].brings) - here.keys(),
        languages=languages_of_files(task.files),
        telling=_telling(subjects),
        rarity=rarity,
        unknown=math.log(1 + (count + 0.5) / 0.5),
        best=Signs(
            cosine=max((one.cosine for one in signs), default=0.0),
            sentence=max((one.sentence for one in signs), default=0.0),
            tokens=max((one.tokens for one in signs), default=0.0),
        ),
        work=Work.of(task.text, task.files),
    )


def _telling(subjects: Collection[Subject]) -> dict[str, float]:
    """Return how well each topic tells memories apart: the fewer are about it, the better."""
    spoken = Counter(name for subject in subjects for name in subject.about)
    count = max(FEW, len(subjects))
    return {
        name: LEAST_TELLING + TELLING * math.log((count + 1) / (number + 1)) for name, number in sorted(spoken.items())
    }


def _by_words_and_meaning(signs: Signs, setting: Setting) -> dict[str, float]:
    found = {
        "cosine": signs.cosine,
        "cosine_gap": setting.best.cosine - signs.cosine,
        "sentence": signs.sentence,
        "sentence_gap": setting.best.sentence - signs.sentence,
        "tokens": signs.tokens,
        "tokens_gap": setting.best.tokens - signs.tokens,
        "share": signs.share,
        "log_rank": math.log1p(signs.rank),
        "coverage": signs.coverage,
        "by_words": signs.by_words,
        "title_coverage": signs.title_coverage,
        "below_floor": float(signs.is_below),
    }
    alone = float(not setting.has_files)
    return found | {"alone": alone} | {f"alone_{name}": alone * found[name] for name in ALONE}


def _by_files(signs: Signs, setting: Setting) -> dict[str, float]:
    holds, named = signs.holds_for, signs.names
    return {
        "holds": float(holds > 0),
        "holds_narrowly": holds,
        "names": float(named > 0),
        "names_narrowly": named,
        "holds_elsewhere": float(setting.has_files and signs.has_place and not holds),
        "names_elsewhere": float(setting.has_files and signs.has_named and not holds and not named),
        "exact": float(signs.is_exact),
        "tie": signs.tie,
        "reached": 0.0 if holds or named else signs.tie,
    }


def _by_text(memory: Memory, text: Text, setting: Setting) -> dict[str, float]:
    whole, path = setting.weight(text.whole) or 1.0, setting.weight(setting.path) or 1.0
    beginning = f"{memory.title}\n{memory.insight[:READ]}"
    known = math.fsum(
        min(RAREST, setting.rarity.get(name, setting.unknown)) for name in text.names if name in setting.in_hand
    )
    asked = math.fsum(
        min(RAREST, setting.rarity.get(name, setting.unknown)) for name in text.names if name in setting.words
    )
    return {
        "in_files": setting.weight(text.whole & setting.in_hand) / whole,
        "names_in_files": math.log1p(known),
        "names_in_task": math.log1p(asked),
        "in_path": setting.weight(setting.path & text.whole) / path,
        "in_path_by_title": setting.weight(setting.path & text.title) / path,
        **{kind: float(memory.kind == kind) for kind in KINDS},
        "length": math.log1p(len(memory.insight)),
        "orders": float(bool(_ORDERS.search(beginning))),
        "insists": float(bool(_INSISTS.search(beginning))),
        "of_itself": float(bool(_OF_ITSELF.search(beginning[: len(memory.title) + 80]))),
        "names_a_skill": float(memory.title.startswith("Skill ")),
        "general_title": setting.has_files * _share_of_general(text.title),
        "general": setting.has_files * _share_of_general(text.whole),
        "number_of_names": setting.has_files * math.log1p(len(text.names)),
    }


def _share_of_general(words: frozenset[str]) -> float:
    return len(words & general_words()) / max(1, len(words))


def _by_topics(subject: Subject, setting: Setting) -> dict[str, float]:
    asked, here, placed, brought = setting.asked, setting.here, setting.placed, setting.brought
    topic = said = of_path = of_brought = instead = best = 0.0
    main = ""
    for name, part in subject.about.items():
        share = part * setting.telling[name]
        if share > best:
            main, best = name, share
        if name in brought:
            of_brought += share
            continue
        sure = asked.get(name, 0.0)
        topic += sure * share
        said += share * (sure >= SURE)
        of_path += share * (name in placed)
        instead += share * (name not in here)
    same = not subject.languages.isdisjoint(setting.languages)
    return {
        "topic": topic,
        "alone_topic": 0.0 if setting.has_files else topic,
        "topic_said": said,
        "topic_of_path": of_path,
        "topic_brought": of_brought,
        "topic_instead": instead,
        "topic_of_title": float(any(asked.get(name, 0.0) >= SURE for name in subject.named)),
        "main_topic": here.get(main, 0.0),
        "main_topic_brought": float(main in brought),
        "topic_of_place": float(not subject.placed.isdisjoint(here)),
        "same_language": float(same),
        "other_language": float(bool(subject.languages and setting.languages) and not same),
    }


def _by_work(memory: Memory, subject: Subject, setting: Setting) -> dict[str, float]:
    work, is_rule = setting.work, memory.kind in {"constraint", "convention"}
    is_testing = "test" in setting.here
    is_new = work.writes and not is_testing and holds_for_what_is_new(memory.title, memory.insight)
    return {
        "plain_files": float(work.is_plain),
        "docs_files": float(work.is_docs),
        "rule_for_plain": float(work.is_plain and is_rule),
        "rule_for_code": float(work.writes and is_rule),
        "asks_only": float(work.asks),
        "mends_errors": (subject.about.get("errors", 0.0) + subject.about.get("bug", 0.0)) * work.mends,
        "tests_of_new": subject.about.get("test", 0.0) * is_new,
    }


def _shares(signed: Sequence[tuple[Hit, Signs]]) -> dict[str, dict[str, float]]:
    """Return how near the other memories of the same file, and of the same section of it, come to the task."""
    by_file: dict[str, list[tuple[float, str]]] = {}
    by_section: dict[tuple[str, str], list[tuple[float, str]]] = {}
    places = {hit.memory.id: _place(hit.memory) for hit, _ in signed}
    for hit, signs in signed:
        place = places[hit.memory.id]
        by_file.setdefault(place[0], []).append((signs.share, hit.memory.id))
        by_section.setdefault(place, []).append((signs.share, hit.memory.id))
    return {
        one: {"file_share": _best(by_file[place[0]], one), "section_share": _best(by_section[place], one)}
        for one, place in places.items()
    }


def _place(memory: Memory) -> tuple[str, str]:
    """Return the file that a memory came from, and the section of it."""
    source = memory.source
    if source is None:
        return "", ""
    section = (source.native_id or "").rsplit("#", 1)[0]
    return source.path or "", str(PurePosixPath(section).parent) if section else ""


def _best(shares: Sequence[tuple[float, str]], own: str) -> float:
    others = sorted((share for share, one in shares if one != own), reverse=True)
    return math.fsum(others[:BEST_OF_SOURCE]) / BEST_OF_SOURCE


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic model: the chance that a memory matters."""

    weights: Mapping[str, float]
    base: float

    def chance(self, found: Mapping[str, float]) -> float:
        """Return the chance, 0–1, rounded so that the order of a sum decides nothing."""
        total = self.base + math.fsum(weight * found[name] for name, weight in self.weights.items())
        return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total)))), 6)


@cache
def model(*, with_meaning: bool) -> Model:
    stored = json.loads(Path(__file__).with_name("relevance_weights.json").read_text("utf-8"))
    return Model(**stored["meaning" if with_meaning else "words"])


def without_files(found: Mapping[str, float]) -> dict[str, float]:
    """Return what would tell of a memory if the task had no files."""
    alone = {f"alone_{name}": found[name] for name in (*ALONE, "topic")}
    return {**found, **dict.fromkeys(_OF_FILES, 0.0), "alone": 1.0, **alone}


def belongs_elsewhere(found: Mapping[str, float]) -> bool:
    """Return whether a memory is tied to other files than those in hand, and its title does not name these either.

    What the task itself asks for by its place does not, see `memtui.pack.calls.is_asked_for`.
    """
    is_tied = found["holds_elsewhere"] > 0 or found["names_elsewhere"] > 0
    return is_tied and found["in_path_by_title"] < NAMES_WHAT_IS_IN_HAND
