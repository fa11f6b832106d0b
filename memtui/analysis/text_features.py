"""Features by which the texts of memories are compared: words in one spelling, numbers, names, negations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

from memtui.analysis.amounts import Amount, amounts_in, changes_between, rewritten
from memtui.text.memo import Memo
from memtui.text.normal_form import american, plain_form, respelt
from memtui.text.stemming import stem
from memtui.text.tables import compile_lines, read_table
from memtui.text.tokens import LONGEST_WHOLE, STOP_WORDS

READ_CHARACTERS = 4_000  # Characters of a memory that are compared
LEAST_NAME = 5  # Letters of a name from which it is looked for in words: a shorter one is part of many words

_TOKEN = re.compile(r"[a-z0-9]+(?:[_][a-z0-9]+)*|[^\W\d_a-z]+", re.UNICODE)
_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_SPACELESS = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]")

NEGATIONS = re.compile(
    r"(?<![\w-])(?:not|no|never|without|avoid(?:s|ed|ing)?|nor|neither|forbid(?:s|den)?|disallow(?:s|ed)?|prohibit(?:s|ed)?"
    r"|den(?:y|ies|ied)|disabl(?:e|es|ed|ing)|refuse[sd]?|fail(?:s|ed)? to|cease[sd]?|stop(?:s|ped)? (?=\w+ing)|lacks?"
    r"|unsafe|unsupported|impossible|off)(?![\w-])"
)
"""Words that negate a statement."""

_PLANNED = re.compile(
    r"\b(?:will\b|plan(?:s|ned)?(?: to\b|:)|going to|todo|to-do|intend(?:s|ed)?|propos(?:al|e|ed|es)|upcoming|wip\b"
    r"|next (?:week|month|quarter|year|sprint|release)|should be \w+(?:ed|t)\b|need(?:s)? to (?:be |move|switch|upgrade"
    r"|migrate|replace|drop|add|remove|split)|not yet|eventually|soon\b)"
    r"|^(?:plan|todo|proposal|idea)\b|^need to\b"
)
_ENVIRONMENTS = re.compile(
    r"\b(staging|production|development|ci|locally|local|preview|sandbox|qa|canary|windows|macos|linux|ios|android"
    r"|(?<=test )environment|tests?(?= environment)|on-call|browser|server-side|client-side)\b"
)
_ENVIRONMENT_WORDS = (
    "staging production development ci local preview sandbox qa canary windows macos linux ios android environment "
    "on-call browser server-side client-side"
)
_IN_ENVIRONMENTS = _ENVIRONMENT_WORDS.split()  # One of these is in every match, so that most texts are not searched

_NUMBER = re.compile(
    r"(?<![\w.])v?(\d+(?:[.:]\d+)*)(?:\s?(%|ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|weeks?"
    r"|months?|years?|[kmgt]i?b)\b|(%)|(?=\D|$))"
)
_UNITS = (
    ("millisecond", "ms"), ("sec", "s"), ("min", "m"), ("hour", "h"), ("day", "d"), ("week", "w"), ("month", "mo"),
    ("year", "y"),
)  # fmt: skip
_DIRECTIONS = re.compile(
    r"\b(before|after|up|down|above|below|inside|outside|until|first|last|always|minimum|maximum|at least|at most)\b"
)
# Shapes of code in running text: paths, files, snake_case, camelCase, calls, options.
# Lengths are bounded, so that a long blob is not scanned again from each of its characters.
_IDENTIFIER = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]+|~?[\w.@-]{0,80}/[\w./@*-]+|\w{1,80}\(\)|[A-Za-z]\w{0,80}(?:\.[A-Za-z_]\w{0,80})+(?:\(\))?"
    r"|[a-z]{1,80}[A-Z]\w*|[A-Z][a-z]{1,80}[A-Z]\w*|[A-Za-z]\w{0,80}_\w+"
)
_QUOTED_CODE = re.compile(r"`([^`\n]{1,60})`")
_SCHEME = re.compile(r"^[a-z][a-z+]{1,9}://(?:www\.)?|^www\.", re.IGNORECASE)
_LINK = re.compile(
    r"\b(?:[a-z][a-z+]{1,9}://|www\.)[^\s<>`]+|(?<![\w./@-])[\w-]+(?:\.[\w-]+)+/[^\s<>`]*", re.IGNORECASE
)
_SHORT_FORMS = "e.g i.e a.k.a n.b p.s w.r.t a.m p.m u.s z.b d.h u.a p.ex and/or either/or he/she his/her s/he w/o n/a"
_NO_NAMES = frozenset(_SHORT_FORMS.split())
"""Short forms of prose that are written like names of code."""


@dataclass(frozen=True)
class Wording:
    """A text as it is compared."""

    text: str  # as written, cut to `READ_CHARACTERS`
    title: str = ""  # the memory's own title, empty where the text starts with it

    @cached_property
    def plain(self) -> str:
        """The plain form, see `memtui.text.normal_form.plain_form`."""
        return plain_form(self.text)

    @cached_property
    def normal(self) -> str:
        """The normal form, see `memtui.text.normal_form.normal_form`."""
        return respelt(self.plain)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every word in one spelling, in order."""
        return tuple(map(american, _TOKEN.findall(self.plain)))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stems of the words that carry meaning, in order."""
        return stems_of(self.plain)

    @cached_property
    def sorted_stems(self) -> str:
        """The stems in alphabetical order, for a comparison without regard to order."""
        return " ".join(sorted(self.stems))

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(self.stems)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The stems with names of code split into their words: `payment_id` and `paymentId` are a payment id."""
        split = split_names(self.text)
        return self.terms if split == self.text else frozenset(stems_of(plain_form(split)))

    @cached_property
    def run_together(self) -> str:
        """The normal form without spaces and underscores, to find names of code however they are written."""
        return "".join(self.normal.replace("_", " ").split())

    def says(self, name: str) -> bool:
        """Return whether the text holds a name of code, as it is written or in words: `payment_id` as payment id."""
        if name in self.normal:
            return True
        letters = name.replace("_", "")
        return letters.isalnum() and len(letters) >= LEAST_NAME and letters in self.run_together

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numbers with their units, `15 m` for fifteen minutes."""
        return numbers_in(self.normal)

    @cached_property
    def negations(self) -> int:
        """How many words negate something."""
        return len(NEGATIONS.findall(self.plain))

    @cached_property
    def environments(self) -> frozenset[str]:
        return environments_in(self.normal)

    @cached_property
    def directions(self) -> frozenset[str]:
        """Words of order and direction; a text with the opposite ones reads alike."""
        return frozenset(_DIRECTIONS.findall(self.plain))

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Names of code, without case and closing brackets."""
        quoted = _QUOTED_CODE.findall(self.text) if "`" in self.text else []
        # The pattern is slow, so it only sees words that are not plain; no name holds a space.
        telling = " ".join(word for word in self.text.replace("`", " ").split() if not _is_plain(word))
        found = {*_IDENTIFIER.findall(telling), *(name for name in quoted if " " not in name)}
        return frozenset(_without_emphasis(name, telling).lower().strip("()./-") for name in found) - {""}

    @cached_property
    def told_numbers(self) -> frozenset[str]:
        """The numbers that tell something by themselves: without those within an address, such as `v3` in a URL."""
        bare = _LINK.sub(" ", self.text) if "/" in self.text else self.text
        return self.numbers if bare == self.text else self.numbers & Wording(bare).numbers

    @cached_property
    def told_names(self) -> frozenset[str]:
        """The names of code as people tell them apart: an address without its scheme, and no short form of prose."""
        return frozenset(_SCHEME.sub("", name).strip("/") for name in self.identifiers - _NO_NAMES) - {""}

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        return amounts_in(self.text)

    def in_notation_of(self, other: Wording, *, loosely: bool = False) -> Wording:
        """Return the wording with its amounts written as in another text; see `memtui.analysis.amounts`."""
        changes = changes_between(self.amounts, other.amounts, loosely=loosely)
        if not changes:
            return self
        text, length = rewritten(self.text, changes), len(self.title)
        in_title = [change for change in changes if change[0].end <= length]
        return Wording(text, rewritten(self.title, in_title))

    @cached_property
    def is_plan(self) -> bool:
        return _PLANNED.search(self.normal) is not None


def _without_emphasis(name: str, text: str) -> str:
    """Return a name without the marks of emphasis around it: of `**redis/broker**`, but not of the glob `redis/**`."""
    bare = name.rstrip("*")
    if bare != name and not bare.endswith("/") and (name.endswith("**") or f"*{bare}" in text):
        return bare
    if name.startswith("~") and f"~{name}" in text:
        return name.strip("~")
    if "__" in name and f"__{name}" in text:
        return f"__{name}"
    return name.rstrip("_") if name.endswith("_") and f"_{name}" in text else name


def split_names(text: str) -> str:
    """Return a text with its snake_case and camelCase names split into words."""
    return _JOINT.sub(" ", text)


_JOINT = re.compile(r"(?<=[^\W_])_+(?=[^\W_])|(?<=[a-z0-9])(?=[A-Z])")


def _is_plain(word: str) -> bool:
    """Return whether a word has no sign and no capital after its first letter; closing punctuation is ignored."""
    bare = word.rstrip(".,;:!?")
    return bare.isalnum() and bare[1:] == bare[1:].lower()


def numbers_in(normal: str) -> frozenset[str]:
    """Return the numbers of a text in normal form with their units, `15 m` for fifteen minutes."""
    return frozenset(map(_number, _NUMBER.finditer(normal))) if _DIGIT.search(normal) else _NOTHING


def environments_in(normal: str) -> frozenset[str]:
    """Return the environments and platforms that a text in normal form names."""
    return frozenset(_ENVIRONMENTS.findall(normal)) if any(map(normal.__contains__, _IN_ENVIRONMENTS)) else _NOTHING


_DIGIT = re.compile("[0-9]")
_NOTHING: frozenset[str] = frozenset()


COUNTED = re.compile(r",? and \d+ more$")
"""How a title ends that names some items of a list and counts the others."""


def wording_of(title: str, insight: str) -> Wording:
    """Return the wording of a memory; a title that its text repeats counts once, one that counts items without that."""
    text = insight[:READ_CHARACTERS]
    title = COUNTED.sub("", title)
    head = title.rstrip("….").strip()
    repeated = text.startswith(head) or _opens_with(text[: len(head) + 40], head)
    return Wording(text) if repeated else Wording(f"{title}\n{text}", title)


def _opens_with(text: str, head: str) -> bool:
    """Return whether the normal form of a text begins with that of another."""
    opening, wanted = plain_form(text), plain_form(head)
    first, first_wanted = opening.lstrip()[:1], wanted.lstrip()[:1]
    # Respelling changes the first character of numbers only, never two of them to the same.
    if first.isalpha() and first_wanted.isalpha() and first != first_wanted:
        return False
    return respelt(opening).startswith(respelt(wanted))


def _stems_of_word(word: str) -> tuple[str, ...]:
    spelt = american(word)
    if spelt in STOP_WORDS:
        return ()
    if spelt.isascii():
        return (stem(spelt) if spelt.isalpha() else spelt[:LONGEST_WHOLE],)
    return _pairs_of_signs(spelt)


_stems: Memo[str, tuple[str, ...]] = Memo(_stems_of_word, most=200_000)


def stems_of(plain: str) -> tuple[str, ...]:
    """Return the stems of a text in plain or normal form, stop words left out; stop words alone are kept."""
    words = (_ASCII_TOKEN if plain.isascii() else _TOKEN).findall(plain)
    return tuple(chain.from_iterable(map(_stems.__getitem__, words))) or tuple(words)


def _pairs_of_signs(word: str) -> tuple[str, ...]:
    """Return overlapping pairs of characters for a script without spaces, any other word whole."""
    if _SPACELESS.search(word) and len(word) > 1:
        return tuple(word[at : at + 2] for at in range(min(len(word), LONGEST_WHOLE) - 1))
    return (word[:LONGEST_WHOLE],)


def _number(found: re.Match[str]) -> str:
    unit = found[2] or found[3] or ""
    short = next((to for start, to in _UNITS if unit.startswith(start)), unit)
    return f"{found[1]} {short}".strip()


MOST_EMPTY = 2  # Number of other meaningful words up to which a text of platitudes states nothing


@cache
def _platitude() -> re.Pattern[str]:
    return compile_lines(read_table(__file__, "flaws.toml")["platitude"], re.NOFLAG)


@cache
def _empty_stems() -> frozenset[str]:
    """Return the stems of words that say nothing by themselves."""
    return frozenset(stems_of(read_table(__file__, "flaws.toml")["empty"]))


def is_platitude(title: str, insight: str) -> bool:
    """Return whether a memory holds no fact: no name of code, no number, and little but platitudes."""
    wording = wording_of(title, insight)
    if _is_concrete(wording):
        return False
    telling = wording.terms - _empty_stems()
    if _platitude().search(wording.normal):
        return len(telling) <= MOST_EMPTY
    return not telling


def _is_concrete(wording: Wording) -> bool:
    # A script without spaces is split into pairs, so its words cannot be counted.
    return bool(wording.numbers or wording.identifiers) or not wording.normal.isascii()
