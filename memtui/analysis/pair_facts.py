"""What the comparison of two memories reads from each: scope, subject, numbers, and cues of what a text is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from memtui.analysis.amounts import amounts_in, changes_between, dimension_of, rewritten
from memtui.analysis.claims import LIGHT, Sides, names_in, sides_of
from memtui.analysis.ordered_acts import verb_of
from memtui.analysis.pair_phrases import beginnings_of
from memtui.analysis.text_features import Wording, split_names, stems_of
from memtui.text.normal_form import plain_form

_SCOPES = {
    "environment": (
        "dev development local locally localhost | staging stage stg preproduction | prod production live | sandbox"
        " | ci pipeline | test tests testing | release | debug | beta | canary | demo | qa | preview"
    ),
    "platform": (
        "windows | linux | ios | android | mac macos osx | web | desktop | browser | handheld | console | arm64 | x86"
    ),
    "language": (
        "python | typescript | javascript | lua | rust | kotlin | swift | ruby | php | sql | scala | elixir | css"
        " | html | c++ | c# | perl | haskell | dart | julia | go golang | java | bash shell zsh"
    ),
    "part": (
        "backend | frontend | server | client | admin | mobile | firmware | unit | integration | internal | external"
        " | public | private"
    ),
}
SCOPES: dict[str, dict[str, str]] = {
    kind: {word: names.split()[0] for names in listed.split("|") for word in names.split()}
    for kind, listed in _SCOPES.items()
}
"""Words that say where something holds, by kind, each with the first of its synonyms."""

_WORD = re.compile(r"[a-z][a-z0-9]*(?:\+\+|#)?")


def _cues(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)


_ENDED = (
    "dropped|replaced|removed|deleted|retired|deprecated|abandoned|ditched|switched off|turned off|phased out|scrapped"
    "|discontinued|sunset|decommissioned"
)
_USED_TO = (
    r"(?<=\w )(?<!\bis )(?<!are )(?<!be )(?<!was )(?<!were )(?<!only )(?<!can )used to"  # Not `used to lift`: a purpose
)
_NO_LONGER = r"(?<!that are )(?<!that is )(?<!which are )(?<!which is )no longer"  # Not of what a rule is about
_QUOTED = re.compile(r"```.*?(?:```|\Z)|(?<!\w)\"[^\"\n]{1,160}\"(?!\w)|“[^”\n]{1,160}”|「[^」\n]{1,160}」", re.DOTALL)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|until|whether|in case|(?:when|whenever|once|as soon as)(?! (?:we|i)\b)"
    r"|should (?:it|they|the|a|an)\b|which|who|whose|e\.g|for example|such as"
    r"|(?<!note )(?<!remember )(?<!means )(?<!know )(?<!so )(?<!says )(?<!said )(?<!decided )(?<!now )(?<!is )that)\b"
    r"[^,;:.!?()—–]*$",
    re.IGNORECASE,
)
"""What opens a condition, a relative clause or an example that has not ended yet."""

_GONE = re.compile(
    r"\b(?P<before>(?:moved?|migrated|switched) (?:\w+ ){0,4}?(?:off|away from|from)|goodbye"
    rf"|{_USED_TO}|until recently"
    rf"|(?:we|have|has|was|were) (?:\w+ )?(?:{_ENDED}))\b"
    rf"|\b(?P<after>(?:was|were|has been|have been) (?:\w+ )?(?:{_ENDED})"
    r"|(?:is|are) (?:\w+ )?(?:gone(?! (?:within|after|by|when|once|if|in)\b)|retired|deprecated|abandoned"
    r"|switched off|unused|history|obsolete|phased out|(?:a )?leftovers?)|(?:has|have) gone|went away"
    rf"|{_NO_LONGER}|any ?more"
    r"|any longer|isn't used|not used|aren't used|isn't installed)\b",
    re.IGNORECASE,
)
"""What says that something is no more; it stands before what is gone, or after it."""

CUES: dict[str, re.Pattern[str]] = {
    "gone": re.compile(
        rf"\b(?:(?:moved?|migrated|switched) (?:\w+ ){{0,4}}?(?:off|away from|from)|replaces|{_NO_LONGER}|any ?more"
        rf"|any longer|gone|goodbye|until recently|{_USED_TO}|isn't used|not used|aren't used|{_ENDED})\b",
        re.IGNORECASE,
    ),
    "change": _cues(
        r"moved|moving|migrated|switched|dropped|retired|replace[ds]|deprecated|no longer|any ?more|any longer|gone"
        r"|removed|since|as of|now|nowadays|used to|until recently|goodbye|older|deleted|abandoned|successor|changed"
    ),
    "exception": _cues(r"exceptions?|exempt(?:ed|ion)?|except|exclud\w+|may skip|unless"),
    "example": _cues(r"e\.g|for example|for instance|such as|example"),
    "option": _cues(
        r"options? ?[a-z0-9]?|alternativ\w+|pros?|cons?|advantages?|disadvantages?|drawbacks?|undecided|not decided"
        r"|considered|would|could|proposal|proposed|rejected|chose|chosen|decide|trade-offs?"
    ),
    "verdict": re.compile(
        r"(?:^|\n|\|)\W*(?:correct|incorrect|good|bad|right|wrong|do|don't|yes|no)\b\s*(?:[:\n`]|$)|[✅❌✓✗]",
        re.IGNORECASE,
    ),
    "strict": _cues(
        r"only|all|every|everything|everywhere|always|never|must|sole|solely|any|none|whole|whatever|throughout|disabled"
        r"|forbidden|required?|has to|have to|exclusively|just"
    ),
    "owner": _cues(
        r"own(?:s|ed|er|ers|ership)?|belongs?|responsible|approv\w+|writers?|maintain(?:s|ed|er)?|team|guild|squad|theirs"
        r"|writes?|page|reviews?"
    ),
    "place": _cues(
        r"lives?|kept|stored|located|sits?|placed|defined|found|comes?|read|reside\w*|put|location"
    ),
    "order": _cues(r"first|then|before|after|prior to|afterwards|precedes?|follows?|until"),
}  # fmt: skip
"""Words that tell what a text is about its subject, by what they tell."""

MANNERS: dict[str, re.Pattern[str]] = {
    "cause": _cues(
        r"because|causes?|caused|root cause|due to|c[ao]mes? from|reasons?|traced|bisected|culprit|turned out|blame"
        r"|explanation|fault|stems? from"
    ),
    "default": _cues(
        r"defaults?|unless|fresh|out of the box|factory|initially|if (?:nothing|not|none) (?:is )?(?:set|given)"
    ),
    "era": re.compile(r"\b(?:before|after|from|since|until|till|as of)\s+(?:\w+ )?(?:19|20)\d\d\b", re.IGNORECASE),
    "weighing": _cues(
        r"in favou?r|against|good for|bad for|upside|downside|speaks? for|contra|pros?|cons?|benefits?|cheaper|costs?"
    ),
}
"""Words that tell how a text says it: as a cause, as a default, of a span of years, as one side of a choice."""

_OPPOSITES = [
    tuple(tuple(side.strip() for side in half.split(",")) for half in line.split("|"))
    for line in (
        "upper | lower",
        "tabs | spaces",
        "allowed | forbidden, not allowed, disallowed, never",
        "enabled | disabled",
        "may, can, safe, fine, allowed, preferred | never, must not, no, cannot, not",
        "on | off",
        "committed, commit, checked in | stripped, ignored, never",
        "optional | required, mandatory",
        "public | private",
        "singular | plural",
        "by hand, manual, manually | automatically, generated, never",
        "sync, synchronous | async, asynchronous",
        "merge commit, merge commits | squash, squashed, squash-merged, squash-merge",
        "prefix | suffix, trailing",
        "before | after",
        "prefer | never, avoid",
        "several, multiple, any number | at most one, only one, exactly one, single, just one, only once",
        "included, includes, served, exposed | excluded, excludes, left out, unsupported, not supported",
        "kept, retained, keep | delete, deleted, purged, thrown away, discarded",
        "independent, independently, separate, separately | shared, shares, jointly, combined",
        "anywhere, any order | first, last, top, in order",
        "lazily, lazy, on demand | eagerly, eager, up front, upfront",
        "remote, remotely, hosted, cloud | local, locally, on-premise, self-hosted",
        "sorted, ordered, in order | unsorted, unordered, any order",
        "hard-coded, hardcoded | configurable, configured",
        "nullable | not null, non-null",
        "case-sensitive | case-insensitive, ignoring case",
        "fails, fail, aborts, raises | warns, warning, ignored, skipped, silently",
        "immediately, at once, straight away | later, queued, batched, delayed",
        "required, requires, needed | unnecessary, not needed, needn't, nobody has to, no need",
    )
]
_SIDES_OF_WORD: dict[str, list[int]] = {}
for _place, _halves in enumerate(_OPPOSITES):
    for _sign, _half in zip((1, -1), _halves, strict=True):
        for _said in _half:
            _SIDES_OF_WORD.setdefault(_said, []).append(_sign * (_place + 1))


def sides_of_word(word: str) -> list[int]:
    """Return the sides of opposites that a word is on, as in `Facts.opposites`."""
    return _SIDES_OF_WORD[word]


_OPPOSITE = _cues("|".join(re.escape(word) for word in sorted(_SIDES_OF_WORD, key=len, reverse=True)))

_LEAD = re.compile(
    r"^\W*(?P<word>in|on|at|under|with|for|before|after|during|from|when|while|once|until|inside|within|if"
    r"|files under|as)\b\s+(?P<rest>[^,.;:]{2,60}?)(?=,|:|\s(?:is|are|we|the|must|mustn|use|uses|has|have"
    r"|may|go|goes|run|runs|live|lives|default|name|indent|write|only|errors|it|they|merges|a|an|push|audio|all|every)\b|$)",
    re.IGNORECASE,
)
"""The phrase that a sentence opens with and that says where or when it holds: `In production, …`."""

_LABEL = re.compile(r"^[\W_]*(?P<label>[\w+#./,()' -]{1,60}?)\s*(?::\s|>\s|—\s|–\s|=>|->)")
_VERB = _cues(
    r"is|are|was|has|have|must|should|may|can|will|uses?|runs?|lives?|stores?|stored|goes|go|listens?|needs?|require[sd]?"
    r"|expires?|belongs?|owns?|keeps?|kept|writes?|written|gets?|accepts?|rejects?|takes?|holds?|carr\w+|contain\w*"
    r"|default\w*|comes?|starts?|do|does|don't|doesn't|mustn't|aren't|isn't|ships?|forecasts?|suffices"
)
_OPENING_CODE = re.compile(r"^\W*`([^`]+)`|^\W*([\w./-]*[_./=][\w./=-]+)")
_LABELLED_CODE = re.compile(r"^(?:\w+ ){1,3}`([^`]+)`:")
_PATH = re.compile(r"(?<![\w/:])[\w.@<>*-]*/[\w./@<>*-]*")
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
    rf"^[\s#>*]*(\d+)\s?[.)·:]|\b(\d{{1,2}}) {_MONTH}\b|\b{_MONTH} (\d{{1,2}})\b|\b((?:19|20)\d\d)\b|#(\d+)\b",
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
        return {kind: frozenset(known[word] for word in words if word in known) for kind, known in SCOPES.items()}

    @cached_property
    def cues(self) -> frozenset[str]:
        return frozenset(name for name, pattern in CUES.items() if pattern.search(self.wording.text))

    @cached_property
    def manners(self) -> frozenset[str]:
        return frozenset(name for name, pattern in MANNERS.items() if pattern.search(self.wording.text))

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
        return frozenset(stems_of(plain_form(head))) - LIGHT if 0 < len(head.split()) <= LONGEST_SUBJECT else _NOTHING

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
            for cue in () if _IF.match(sentence) else _GONE.finditer(sentence):
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
        return {number: frozenset(near) - LIGHT for number, near in found.items()}

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
        return frozenset().union(*(words for _, words in self.sides.denied)) - LIGHT

    @cached_property
    def code_share(self) -> float:
        return sum(map(len, _CODE.findall(self.insight))) / max(1, len(self.insight))

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(path.strip(".,").lower() for path in _PATH.findall(self.insight))

    @cached_property
    def opposites(self) -> frozenset[int]:
        """Sides of opposites that the text is on: the number of the opposite, negative for its second side."""
        return frozenset(side for word in _OPPOSITE.findall(self.low) for side in _SIDES_OF_WORD[word])

    @cached_property
    def order(self) -> frozenset[tuple[str, str]]:
        """Pairs of stems of which the first comes before the second, or is preferred to it."""
        pairs: set[tuple[str, str]] = set()
        for sentence in re.split(r"[.;\n]", self.wording.plain):
            for found in _ORDER.finditer(sentence):
                left = [each for each in stems_of(sentence[: found.start()]) if each not in LIGHT][-NEAR_ORDER:]
                rest = sentence[found.end() :]
                right = [each for each in verb_of(rest) or stems_of(rest) if each not in LIGHT][:NEAR_ORDER]
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
    return _SUPPOSED.search(sentence, max(0, at - _CLAUSE), at) is not None


def _telling(text: str) -> list[str]:
    return [each for each in stems_of(plain_form(text)) if each not in LIGHT] if text.strip() else []


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
