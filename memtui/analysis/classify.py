"""Guess the kind of a text from what its sentences do, its form, its headings and its file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from memtui.analysis.grammar import language_of
from memtui.analysis.kind_form import READ_CHARS, blocks, form_features, lists_paths
from memtui.analysis.kind_words import odds_of_kinds, signs_of
from memtui.analysis.sentence_acts import (
    RULES,
    SENTENCE_CHARS,
    acts_of,
    pattern,
    sightings,
    table,
    words_of,
)
from memtui.domain.kinds import DEFAULT_KINDS
from memtui.domain.memory import Memory, Source

Confidence = Literal["sure", "likely", "guess"]  # How well a guessed kind is founded
_SURE, _LIKELY = 2.0, 0.8  # By how much the odds of the best kind lead, as logarithms: right in .95 and .78 of cases
_EQUAL = 0.2  # within which of the best odds one is as good, so that what stays true for longer is taken
_STATED = 15.0  # what cues say of a kind that the source names outright
_TOLD_CHARS = 400  # by which the language of a text is told
_LEAST_CHARS = 6  # of a text of whose kind anything can be sure

_LONGEST_FIRST = ("architecture", "convention", "constraint", "decision", "lesson", "bug-pattern", "tooling", "note")
"""Of two kinds with the same evidence, the one that stays true for longer."""


@dataclass(frozen=True, slots=True)
class KindGuess:
    """A guessed kind and how well it is founded."""

    kind: str
    confidence: Confidence


def kind_guess(
    text: str, title: str, heading_path: Sequence[str], *, path: str = "", hint: str | None = None
) -> KindGuess:
    """Guess the kind of a text; with little evidence, one that stays true for longer.

    Args:
        title: its title.
        heading_path: the headings above it, outermost first; the last weighs most.
        path: the file that holds it; empty for typed text.
        hint: the source's own word for it, e.g. `claude-memory:feedback`, `adr`, or the name of a kind.
    """
    start = text[:READ_CHARS]
    cues, names = _cues(start, title, heading_path, path, hint)
    stated = next((kind for kind, weight in cues.items() if weight >= _STATED), None)
    if stated is not None:
        return KindGuess(stated, "sure")
    # Too few memories in other languages, and of assistants' own types, were labelled to learn words from.
    by_cues = not _is_english(text) or ":" in (hint or "")
    if by_cues:
        odds = {kind: cues.get(kind, 0.0) for kind in DEFAULT_KINDS}
    else:
        odds = odds_of_kinds(cues, signs_of(start, heading_path, path, names))
    best, second = sorted(odds.values(), reverse=True)[:2]
    lead = best - second if len(text) >= _LEAST_CHARS else 0.0
    kind = max(_LONGEST_FIRST, key=odds.__getitem__) if by_cues else longest_of_best(odds)
    return KindGuess(kind, "sure" if lead >= _SURE else "likely" if lead >= _LIKELY else "guess")


def _is_english(text: str) -> bool:
    return language_of(text[:_TOLD_CHARS]) == "en"


def longest_of_best(odds: Mapping[str, float]) -> str:
    """Return the kind with the best odds; of several that are about as good the one that stays true for longest."""
    best = max(odds.values())
    return next(kind for kind in _LONGEST_FIRST if odds[kind] >= best - _EQUAL)


def cues_and_signs(
    text: str, title: str, heading_path: Sequence[str], *, path: str = "", hint: str | None = None
) -> tuple[dict[str, float], set[str]]:
    """Return what `kind_cues.toml` says of each kind, and the signs that `kind_words.py` weighs beside it.

    The arguments are those of `kind_guess`.
    """
    cues, names = _cues(text[:READ_CHARS], title, heading_path, path, hint)
    return cues, signs_of(text[:READ_CHARS], heading_path, path, names)


def _cues(
    start: str, title: str, heading_path: Sequence[str], path: str, hint: str | None
) -> tuple[dict[str, float], set[str]]:
    """Return what cues say of each kind, and which of them the beginning of a text has."""
    lacking = bool(heading_path) and any(pattern(name).search(heading_path[-1].lower()) for name in _LACKING)
    features = [*_sentence_features(start, lacking=lacking), *form_features(start, (title, *heading_path[-2:]))]
    names = {feature for feature, _ in features}
    if not names.isdisjoint(_BOUND):
        features = [one for one in features if one[0] != "of_file"]
    cues: defaultdict[str, float] = defaultdict(float)
    weights = table("weights") if _is_english(start) else {**table("weights"), **table("weights_elsewhere")}
    for feature, share in features:
        for kind, weight in weights.get(feature, {}).items():
            cues[kind] += weight * share
    for kind, weight in [*_heading_weights(heading_path, names), *_source_weights(path, hint, start, names)]:
        cues[kind] += weight
    return cues, names


def states_rule(text: str) -> bool:
    """Return whether one of the first sentences of a text forbids, obliges, orders, advises, denies or restricts."""
    sentences = list(islice(_sentences(text[:READ_CHARS]), _MOST_SENTENCES))
    binds = any(not acts_of(sentence).isdisjoint(RULES | {"only", "forbids_later"}) for sentence in sentences)
    return binds or any(_DENIES.search(sentence.lower()) for sentence in sentences)


def forbids(text: str) -> bool:
    """Return whether one of the first sentences of a text forbids something."""
    sentences = islice(_sentences(text[:READ_CHARS]), _MOST_SENTENCES)
    return any(not acts_of(sentence).isdisjoint(_FORBIDDING) for sentence in sentences)


_FORBIDDING = frozenset({"forbids", "forbids_later"})

_DENIES = re.compile(
    r"\b(?:not|never|no|don't|cannot|can't|must|always|without|nicht|kein\w*|nie\w*|immer|muss|müssen|nur|pas|jamais|aucune?"
    r"|toujours|faut|n'y|ne|nunca|siempre|sin|sólo|solo|hay que|não|sempre|só|sem|tem que|precisa)\b"
    r"|不能|不得|不要|不可|禁止|必须|只能|一律|别|ないで|ません|禁止|必ず|こと[。\s]*$|経由|のみ|だけ"
)
"""What denies or binds, in seven languages; a fact may have such a word too, and is then taken for a rule."""


def kind_confidence(memory: Memory) -> Confidence | None:
    """Return how well founded the kind of a stored memory is; None if it is not what memtui would guess."""
    source = memory.source or Source(format="")
    headings = (source.native_id or "").rsplit("#", 1)[0].split(" > ")
    text = f"{without_lead(memory.insight, headings)}\n{memory.rationale}"
    guess = kind_guess(text, memory.title, headings, path=source.path or "", hint=source.format)
    return guess.confidence if guess.kind == memory.kind else None


def without_lead(text: str, headings: Sequence[str]) -> str:
    """Return a stored text without the headings that were put before it."""
    lead = _LEAD.match(text)
    above = " ".join(headings)
    return text[lead.end() :] if lead and all(part in above for part in lead[1].split(" > ")) else text


# What its sentences do

_MOST_SENTENCES = 12
_LEAD = re.compile(r"([^\n]{1,160}?)(?:: |：|:?\n\n)")
_SEVERAL = 2
_FEW = 4
_SHARE_OF_REST, _SHARE_OF_LEAD_IN = 0.65, 0.7

_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=\S)|(?<=[。！？])")


_RULE_OF_ROW = re.compile(
    r".*?\s[—–-]{1,2}\s(?:\*\*)?(?:rule|policy|requirement|regel|règle|regla|regra|规则|ルール)(?:\*\*)?[:：]\s*",
    re.IGNORECASE,
)
"""What stands in a row of a table before its rule: what the rule is about."""
_NONE = re.compile(r"(?:no|kein\w*|aucune?|sin|sem)\s", re.IGNORECASE)
_ACTS_OF_RUNNING = frozenset({"command", "command_first", "command_told"})


def _acts_in(sentence: str, *, lacking: bool, paths: bool) -> frozenset[str]:
    """Return what a sentence does; below a heading of what is lacking, `No server` tells how things are."""
    if lacking and _NONE.match(sentence.lstrip("*_")):
        return frozenset({"tells"})
    about = _RULE_OF_ROW.match(sentence)
    acts = acts_of(sentence[about.end() :] if about else sentence)
    return acts - _ACTS_OF_RUNNING if paths else acts


def _sentence_features(text: str, *, lacking: bool = False) -> Iterator[tuple[str, float]]:
    """Yield what each sentence does and its share: the first weighs more than all others together."""
    paths = lists_paths(text)
    if paths:
        yield "paths", 1.0
    sentences = list(islice(_sentences(text), _MOST_SENTENCES))
    if len(sentences) > 1 and _only_leads(sentences[0]):
        del sentences[0]
    commands = 0
    for number, sentence in enumerate(sentences):
        share = _SHARE_OF_REST / (len(sentences) - 1) if number else 1.0
        acts = _acts_in(sentence, lacking=lacking, paths=paths)
        if not number and len(sentences) > 1 and sentence.endswith((":", "：")) and "orders" not in acts:
            share = _SHARE_OF_LEAD_IN
        commands += not acts.isdisjoint(_ACTS_OF_RUNNING)
        # "Set `TIDE_URL` in `.env`" says what is set up, not how things are done.
        yield from ((act, share) for act in acts - ({"orders"} if "setting" in acts else set()))
    if commands >= _SEVERAL:
        yield "commands", 1.0
    if 1 < len(sentences) <= _FEW and _turns_to_rule(sentences):
        yield "rule_after_fact", 1.0


def _turns_to_rule(sentences: Sequence[str]) -> bool:
    """Return whether the first sentence tells how something is, and a later one outright what is to be done or not."""
    first, *rest = sentences
    return acts_of(first).isdisjoint(RULES) and any(pattern("outright").search(one.lower()) for one in rest)


def _only_leads(sentence: str) -> bool:
    """Return whether a sentence only points elsewhere, or names the occasion of what follows."""
    lower = sentence.lower()
    occasion = sentence.endswith((":", "：")) and lower.partition(" ")[0] in words_of("conditions")
    points = pattern("points").match(lower)
    return bool(occasion or points) and RULES.isdisjoint(acts_of(sentence) - ({"orders"} if points else set()))


def _sentences(text: str) -> Iterator[str]:
    for block in blocks(text):
        yield from filter(None, map(str.strip, _SENTENCE_END.split(block[:SENTENCE_CHARS])))


# Its headings and its source

_HEADING_SHARES = (1.0, 0.6, 0.3)
_CLASSES = {"rules": "convention", "purpose": "architecture"}  # Headings that stand for a kind in a way of their own
_SYMPTOM = 5.0  # Outweighs the commands of its cure
_PLANNED = 5.0  # Outweighs that a file is about lessons
_PRAISED = 5.0  # Outweighs what the benefits are
_CHOSEN = 4.0  # Outweighs that the reasons are told as facts
_OCCASION = 2.5
_FORBIDDEN = 4.0  # Outweighs the reasons and the commands of what is forbidden
_OF_CODE = 4.0  # Outweighs that what code does reads like orders
_LACKING = ("lacking", "left_out")
_BINDING = frozenset({"forbids", "obliges", "orders"})
_BOUND = frozenset({"forbids", "forbids_later", "and_forbids", "obliges", "only"})
"""What makes a rule of what is told of a file."""
_FADING = 0.9  # What a heading further out says less
_FITTING, _WEAKENED = 1.2, 0.5
_SAYS_MORE = {
    "convention": frozenset({"forbids", "obliges", "command_first"}),
    "decision": frozenset({"orders", "of_all", "command_first"}),
}
"""What a text does that weighs more than that it stands among the conventions or the decisions."""
_LONG_HEADING, _LONG_SHARE, _WHOLE_SHARE = 4, 0.4, 1.3
_SOLE_HEADING, _FILE_SHARE = 0.6, 0.4
_WEAK_WEIGHT, _MILD_WEIGHT, _HINT_WEIGHT, _FIRM_WEIGHT = 1.3, 1.9, 4.0, 20.0
_RULES_FOR_FILES = ".instructions.md"
_FILE_OF_RULES = (("architecture", -1.2), ("convention", 0.4))
"""What it says that a file tells how those files are to be written that it names."""
_OF_SYSTEMS = frozenset({"architecture", "tooling", "note"})
_WHY = re.compile(r"\b(?:because|since|why|reason)\b|原因|因为|理由|ため", re.IGNORECASE)
_HEAD = re.compile(r"\s[—–-]{1,2}\s|[:：]\s")
_PARENS = re.compile(r"[(（][^()（）]*[)）]")
_WEIGHT_OF_PART = re.compile(
    r"\b(?:critical|important|key|essential)\s+"
    r"(?=(?:\w+\s+)?(?:files?|paths?|locations?|folders?|directories|components?|modules?|services?|dependencies)\b)"
)
"""What calls a part of the project critical, which is no rule about it."""
_MEMORY_BANKS = frozenset({"memory-bank", "memory_bank"})


def _heading_weights(heading_path: Sequence[str], features: set[str]) -> Iterator[tuple[str, float]]:
    """Yield the kinds that the headings stand for, and how much each counts: more if the text does what fits it."""
    if heading_path:
        yield from _asked_by(heading_path[-1].lower(), features)
    above = heading_path[1:] if len(heading_path) > 1 else heading_path  # the first of several is the document's title
    if heading_path and pattern("symptom").search(heading_path[-1].lower()):
        troubles = any(map(pattern("troubles").search, " ".join(heading_path).lower().split()))
        yield "bug-pattern", _SYMPTOM if troubles else 0.0
    named = list(_kinds_of_headings(above))
    entry = {"entry"} if named and above and not dict(_named_kinds(above[-1])) else set()
    shares = _HEADING_SHARES if len(heading_path) > 1 else (_SOLE_HEADING,)  # it may be the document's title
    for (kinds, fading), rank_share in zip(named, shares, strict=False):
        share = rank_share * fading
        for kind, weight in kinds.items():
            fits = not (features | entry).isdisjoint(table("heading_fits").get(kind, ()))
            weakened = _WEAKENED if features & _SAYS_MORE.get(kind, frozenset()) else 1.0
            yield kind, (weight * weakened + _FITTING * fits) * share


def _asked_by(heading: str, features: set[str]) -> Iterator[tuple[str, float]]:
    """Yield the kinds that the whole of the innermost heading, in lower case, stands for."""
    asked = heading.endswith("?")  # what answers a question is no order, whatever its first word
    if pattern("planned").search(heading):
        yield "note", _PLANNED
    elif pattern("praised").search(heading):
        yield "note", _PRAISED
    elif pattern("on_which").search(heading):
        yield "convention", _OCCASION
    elif pattern("forbidden").match(heading) and "forbids" in features:
        yield "constraint", _FORBIDDEN
    elif pattern("of_code").search(heading) and features.isdisjoint(_BINDING - {"orders"}):
        yield "architecture", _OF_CODE
    elif features.isdisjoint(_BINDING - ({"orders"} if asked else set())) and any(
        pattern(name).search(heading) for name in ("chosen", "left_out")
    ):
        yield "decision", _CHOSEN


def _kinds_of_headings(headings: Sequence[str]) -> Iterator[tuple[dict[str, float], float]]:
    """Yield the kinds that each heading names, innermost first, and how much its distance leaves of them."""
    for distance, heading in enumerate(reversed(headings)):
        if kinds := dict(_named_kinds(heading)):
            yield kinds, _FADING**distance


def _named_kinds(heading: str) -> Iterator[tuple[str, float]]:
    lower = _WEIGHT_OF_PART.sub("", _PARENS.sub("", heading[:SENTENCE_CHARS]).lower())
    if pattern("reasons").match(lower):
        return
    named = _HEAD.split(heading.lower(), maxsplit=1)[0]  # behind it stands what the heading goes on about
    found = sorted(sightings(lower, "headings"), key=lambda one: -one[1] if one[0] == "constraint" else 0)
    for name, position in found:  # of constraints the first is last, which a dict keeps
        is_named = name == "constraint" and position < len(named)
        words = len((named if is_named else heading).split())
        share = _WHOLE_SHARE if words == 1 else 1.0 if words <= _LONG_HEADING else _LONG_SHARE
        yield _CLASSES.get(name, name), table("heading_weights")[name] * share


def _source_weights(path: str, hint: str | None, text: str, features: set[str]) -> Iterator[tuple[str, float]]:
    """Yield the kind that the source's own word for a memory stands for, else those that its file's name stands for."""
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0]
    in_bank = not _MEMORY_BANKS.isdisjoint(folders) or stem == "conventions"
    word = stem if in_bank else (hint or "").rpartition(":")[2].strip().lower()
    kind = word if word in DEFAULT_KINDS else table("hints")["kinds"].get(word)
    if kind is None:
        places = re.sub(r"[-_]", " ", " ".join([*folders[-2:], stem]))
        named = dict(_named_kinds(places))
        if name.endswith(_RULES_FOR_FILES) and named.keys().isdisjoint(_OF_SYSTEMS) and "tree" not in features:
            yield from _FILE_OF_RULES
        yield from ((kind, weight * _FILE_SHARE) for kind, weight in named.items())
        return
    if word == "feedback" and _WHY.search(text) and features.isdisjoint(RULES):
        kind = "lesson"
    yield kind, next((weight for name, weight in _HINTS if word in table("hints")[name].split()), _HINT_WEIGHT)


_HINTS = (("firm", _FIRM_WEIGHT), ("weak", _WEAK_WEIGHT), ("mild", _MILD_WEIGHT))
