"""What the comparison of two memories reads from each: scope, subject, numbers, and cues of what a text is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

from memtui.analysis.amounts import amounts_in, changes_between, dimension_of, rewritten
from memtui.analysis.claims import Sides, light_stems, names_in, sides_of
from memtui.analysis.ordered_acts import verb_of
from memtui.analysis.pair_phrases import beginnings_of
from memtui.analysis.text_features import Wording, split_names, stems_of
from memtui.text.normal_form import plain_form
from memtui.text.tables import compile_lines, fill, read_table


def _whole_words(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)


_WORD = re.compile(r"[a-z][a-z0-9]*(?:\+\+|#)?")


_QUOTED = re.compile(r"```.*?(?:```|\Z)|(?<!\w)\"[^\"\n]{1,160}\"(?!\w)|“[^”\n]{1,160}”|「[^」\n]{1,160}」", re.DOTALL)
_LEAD = re.compile(
    r"^\W*(?P<word>in|on|at|under|with|for|before|after|during|from|when|while|once|until|inside|within|if"
    r"|files under|as)\b\s+(?P<rest>[^,.;:]{2,60}?)(?=,|:|\s(?:is|are|we|the|must|mustn|use|uses|has|have"
    r"|may|go|goes|run|runs|live|lives|default|name|indent|write|only|errors|it|they|merges|a|an|push|audio|all|every)\b|$)",
    re.IGNORECASE,
)
"""The phrase that a sentence opens with and that says where or when it holds: `In production, …`."""

_LABEL = re.compile(r"^[\W_]*(?P<label>[\w+#./,()' -]{1,60}?)\s*(?::\s|>\s|—\s|–\s|=>|->)")
_VERB = _whole_words(
    r"is|are|was|has|have|must|should|may|can|will|uses?|runs?|lives?|stores?|stored|goes|go|listens?|needs?|require[sd]?"
    r"|expires?|belongs?|owns?|keeps?|kept|writes?|written|gets?|accepts?|rejects?|takes?|holds?|carr\w+|contain\w*"
    r"|default\w*|comes?|starts?|do|does|don't|doesn't|mustn't|aren't|isn't|ships?|forecasts?|suffices"
)
_OPENING_CODE = re.compile(r"^\W*`([^`]+)`|^\W*([\w./-]*[_./=][\w./=-]+)")
_LABELLED_CODE = re.compile(r"^(?:\w+ ){1,3}`([^`]+)`:")
_PATH_OR_WORD = re.compile(r"(?<![\w/:])(?:[\w.@<>*-]*+/[\w./@<>*-]*+|[\w.@<>*-]++)")
"""Words are taken along, so that none is looked through again from each of its parts: `a-a-a-…`."""

_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_ORDER = re.compile(r"\b(before|prior to|after|first|then|over|instead of|rather than)\b")
_BOUND = re.compile(
    r"(?P<least>>=|≥|~>|at least|minimum|requires?|above)|(?P<most><=|≤|at most|at the most|up to|maximum|below|budget)"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_SENTENCE = re.compile(r"(?<=[.;!?])\s|\n")
_IF = re.compile(r"\W*(?:if|when|once|after|before|until|unless)\b", re.IGNORECASE)
"""Opens a sentence about what may happen."""

_QUOTES = frozenset('"“「')
_CLAUSE = 120  # Characters of a clause before a cue that are read

_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_COUNTING = re.compile(
    rf"^(?:[^\S\n]|[#>*])*+(\d+)\s?[.)·:]|\b(\d{{1,2}}) {_MONTH}\b"
    rf"|\b{_MONTH} (\d{{1,2}})\b|\b((?:19|20)\d\d)\b|#(\d+)\b",
    re.MULTILINE | re.IGNORECASE,
)
"""Numbers that count the parts of a text, are of a date, or name an issue."""

_BULLET = re.compile(r"^[-*•\s>#]+")

_NOTHING: frozenset[str] = frozenset()

LONGEST_VALUE = 2  # Words after a label that are its value
LONGEST_LABEL = 8  # Words of a label before a colon
LONGEST_SUBJECT = 9  # Words before the first verb that are a subject
NEAR_GONE = 4  # Words beside a word such as `dropped` that may be what is gone
NEAR_NUMBER = 5  # Words on each side of a number that say what it counts
FEWEST_NEAR = 2  # Words beside two bare numbers that must be the same for it to be sure that they count one thing
NEAR_ORDER = 4  # Words on each side of `before` or `after` that it puts in order


def _table() -> dict[str, dict[str, str]]:
    return read_table(__file__, "pairs.toml")


@cache
def scopes() -> dict[str, dict[str, str]]:
    """Return the words that say where something holds, by kind, each with the first of its synonyms."""
    return {
        kind: {word: names.split()[0] for names in listed.split("|") for word in names.split()}
        for kind, listed in _table()["scopes"].items()
    }


@cache
def cues() -> dict[str, re.Pattern[str]]:
    """Return the words that tell what a text is about its subject, by what they tell."""
    return _named("cues", "cue_patterns")


@cache
def manners() -> dict[str, re.Pattern[str]]:
    """Return the words that tell how a text says it: as a cause, as a default, of a span of years, as one side."""
    return _named("manners", "manner_patterns")


def _named(words: str, patterns: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of two tables by their names, in the order of these."""
    found = {name: _whole_words(text.replace("\n", "")) for name, text in _table()[words].items()}
    found |= {name: _filled(text) for name, text in _table()[patterns].items()}
    return dict(sorted(found.items()))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return _filled(_table()["patterns"][name])


def _filled(pattern: str) -> re.Pattern[str]:
    return compile_lines(fill(pattern, _table()["parts"]))


@cache
def _sides_of_words() -> dict[str, list[int]]:
    """Return the sides of opposites by the words that say them, see `Facts.opposites`."""
    sides: dict[str, list[int]] = {}
    for place, line in enumerate(_table()["opposites"]["lines"].strip().split("\n"), 1):
        for side, words in zip((place, -place), line.split("|"), strict=True):
            for word in words.split(","):
                sides.setdefault(word.strip(), []).append(side)
    return sides


@cache
def _opposite() -> re.Pattern[str]:
    return _whole_words("|".join(re.escape(word) for word in sorted(_sides_of_words(), key=len, reverse=True)))


def sides_of_word(word: str) -> list[int]:
    """Return the sides of opposites that a word is on, as in `Facts.opposites`."""
    return _sides_of_words()[word]


@dataclass(frozen=True)
class Facts:
    """One memory as it is compared with another; everything is computed on demand and kept."""

    wording: Wording
    insight: str

    def in_notation_of(self, other: Facts) -> Facts:
        """Return the facts with amounts written as in another text, and versions as exactly as there."""
        wording = self.wording.in_notation_of(other.wording, loosely=True)
        if wording is self.wording:
            return self
        changes = changes_between(amounts_in(self.insight), other.wording.amounts, loosely=True)
        return Facts(wording, rewritten(self.insight, changes))

    @cached_property
    def low(self) -> str:
        return self.wording.text.lower()

    @cached_property
    def first(self) -> str:
        """The first line without its list mark."""
        return _BULLET.sub("", self.insight).partition("\n")[0]

    @cached_property
    def scopes(self) -> dict[str, frozenset[str]]:
        words = set(_WORD.findall(self.low))
        return {kind: frozenset(known[word] for word in words if word in known) for kind, known in scopes().items()}

    @cached_property
    def cues(self) -> frozenset[str]:
        return frozenset(name for name, pattern in cues().items() if pattern.search(self.wording.text))

    @cached_property
    def manners(self) -> frozenset[str]:
        return frozenset(name for name, pattern in manners().items() if pattern.search(self.wording.text))

    @cached_property
    def _opening(self) -> tuple[str, str]:
        """The labels that the first line begins with, such as headings, and the rest of it."""
        labels, rest = "", self.first.replace("`", "")
        while (found := _LABEL.match(rest)) and len(found["label"].split()) <= LONGEST_LABEL:
            labels, rest = f"{labels} {found['label']}", rest[found.end() :]
        return labels, rest

    @cached_property
    def lead(self) -> tuple[str, frozenset[str]]:
        """The preposition of the opening phrase and its stems, empty where there is none."""
        found = _LEAD.match(self._opening[1])
        return (found["word"].lower(), frozenset(stems_of(plain_form(found["rest"])))) if found else ("", _NOTHING)

    @cached_property
    def label(self) -> frozenset[str]:
        labels = self._opening[0].strip()
        return frozenset(stems_of(plain_form(labels))) if labels else _NOTHING

    @cached_property
    def label_parts(self) -> frozenset[str]:
        """The stems of the labels, whole and with names of code split into their words."""
        labels = self._opening[0].strip()
        return self.label | frozenset(stems_of(plain_form(split_names(labels)))) if labels else _NOTHING

    @cached_property
    def value(self) -> str:
        """What follows the label, where that is a word or two."""
        labels, rest = self._opening
        return rest.strip() if labels and len(rest.split()) <= LONGEST_VALUE else ""

    @cached_property
    def subject(self) -> frozenset[str]:
        """Stems of the words before the first verb."""
        rest = self._opening[1]
        found = _VERB.search(rest)
        head = rest[: found.start()].strip() if found else ""
        is_subject = 0 < len(head.split()) <= LONGEST_SUBJECT
        return frozenset(stems_of(plain_form(head))) - light_stems() if is_subject else _NOTHING

    @cached_property
    def opening_code(self) -> str:
        """The name of code that the text or its label opens with, without a value that is assigned to it."""
        found = _OPENING_CODE.match(self.first) or _LABELLED_CODE.match(self.first)
        return next(filter(None, found.groups()), "").lower().partition("=")[0] if found else ""

    @cached_property
    def numbers(self) -> dict[str, str]:
        """Numbers with their dimension, `time` or `size`, else the unit, empty for a bare number."""
        counting = set(chain(*(filter(None, found.groups()) for found in _COUNTING.finditer(self.wording.text))))
        split = (number.partition(" ") for number in sorted(self.wording.numbers) if number not in counting)
        return {number: dimension_of(unit) for number, _, unit in split}

    @cached_property
    def gone(self) -> frozenset[str]:
        """Stems of what the text says is no more."""
        found: set[str] = set()
        for sentence in _SENTENCE.split(unquoted(self.wording.text)):
            for cue in () if _IF.match(sentence) else _pattern("gone").finditer(sentence):
                if is_supposed(sentence, cue.start()):
                    continue
                if cue["before"]:
                    found.update(_telling(sentence[cue.end() :])[:NEAR_GONE])
                found.update(_telling(sentence[: cue.start()])[-NEAR_GONE:] if cue["after"] else ())
        return frozenset(found)

    @cached_property
    def measured(self) -> dict[str, frozenset[str]]:
        """Each number with the stems of the words around it."""
        found: dict[str, set[str]] = {}
        words = self.wording.normal.split()
        for number in self.numbers:
            bare = number.partition(" ")[0]
            for at, word in enumerate(words):
                if bare in word:
                    near = " ".join([*words[max(0, at - NEAR_NUMBER) : at], *words[at : at + NEAR_NUMBER]])
                    found.setdefault(number, set()).update(each for each in stems_of(near) if each.isalpha())
        return {number: frozenset(near) - light_stems() for number, near in found.items()}

    @cached_property
    def names(self) -> frozenset[str]:
        return names_in(self.low)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """Beginnings of its words and of every two in a row."""
        return beginnings_of(self.insight)

    @cached_property
    def sides(self) -> Sides:
        return sides_of(self.wording.plain)

    @cached_property
    def denied(self) -> frozenset[str]:
        return frozenset().union(*(words for _, words in self.sides.denied)) - light_stems()

    @cached_property
    def code_share(self) -> float:
        return sum(map(len, _CODE.findall(self.insight))) / max(1, len(self.insight))

    @cached_property
    def paths(self) -> frozenset[str]:
        found = (path for path in _PATH_OR_WORD.findall(self.insight) if "/" in path)
        return frozenset(path.strip(".,").lower() for path in found)

    @cached_property
    def opposites(self) -> frozenset[int]:
        """Sides of opposites that the text is on: the number of the opposite, negative for its second side."""
        return frozenset(side for word in _opposite().findall(self.low) for side in sides_of_word(word))

    @cached_property
    def order(self) -> frozenset[tuple[str, str]]:
        """Pairs of stems of which the first comes before the second, or is preferred to it."""
        pairs: set[tuple[str, str]] = set()
        for sentence in re.split(r"[.;\n]", self.wording.plain):
            for found in _ORDER.finditer(sentence):
                left = [each for each in stems_of(sentence[: found.start()]) if each not in light_stems()][-NEAR_ORDER:]
                rest = sentence[found.end() :]
                right = [each for each in verb_of(rest) or stems_of(rest) if each not in light_stems()][:NEAR_ORDER]
                early, late = (right, left) if found[1] == "after" else (left, right)
                pairs |= {(one, other) for one in early for other in late}
        return frozenset((early, late) for early, late in pairs if (late, early) not in pairs)

    @cached_property
    def bounds(self) -> tuple[tuple[tuple[int, ...], bool], ...]:
        """Numbers that are bounds, each with whether it is the least allowed."""
        found = []
        for bound in _BOUND.finditer(self.low):
            number = _NUMBER.search(self.low, bound.end(), bound.end() + 30)
            if number:
                found.append((_parsed(number[0]), bound["least"] is not None))
        return tuple(found)

    def keeps_to(self, other: Facts) -> bool:
        """Return whether a number of this text lies within a bound that the other sets."""
        for number in self.numbers.keys() - other.numbers.keys():
            value = _parsed(number.replace(":", "."))
            if any(value >= bound if is_least else value <= bound for bound, is_least in other.bounds):
                return True
        return False


def unquoted(text: str) -> str:
    """Return a text without what it quotes and shows as an example."""
    return _QUOTED.sub(" … ", text) if "```" in text or not _QUOTES.isdisjoint(text) else text


def is_supposed(sentence: str, at: int) -> bool:
    """Return whether what stands at a place of a sentence is only supposed, or said of what a rule is about."""
    return _pattern("supposed").search(sentence, max(0, at - _CLAUSE), at) is not None


def _telling(text: str) -> list[str]:
    return [each for each in stems_of(plain_form(text)) if each not in light_stems()] if text.strip() else []


def _parsed(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))


def gone_but_used(one: Facts, other: Facts) -> frozenset[str]:
    """Return the stems of what the first text says is no more and the second goes by."""
    return (one.gone & (other.wording.parts | other.wording.terms)) - other.gone - other.denied


def numbers_of_one(one: Facts, other: Facts) -> Iterator[tuple[str, str, float]]:
    """Yield pairs of different numbers of one dimension that stand beside the same words, and how sure that is, 0–1."""
    other = other.in_notation_of(one)
    for number, unit in one.numbers.items():
        for their, their_unit in other.numbers.items():
            differ = number not in other.numbers and their not in one.numbers and unit == their_unit
            shared = one.measured.get(number, _NOTHING) & other.measured.get(their, _NOTHING)
            if differ and shared:
                yield number, their, 1.0 if unit or len(shared) >= FEWEST_NEAR else 0.5
