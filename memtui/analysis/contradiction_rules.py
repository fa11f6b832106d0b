"""The rules by which two claims contradict each other, and the words that do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memtui.analysis.amounts import Amount, changes_between, dimension_of, rewritten
from memtui.analysis.claims import (
    FRAMED,
    NEGATION,
    PREFERS,
    Claim,
    Clause,
    claim_of,
    difference_in_denials,
    is_tool,
    light_stems,
    rivals,
    rivals_between,
    unit_stems,
)
from memtui.analysis.pair_facts import Facts, gone_but_used, is_supposed, numbers_of_one
from memtui.analysis.text_features import stems_of
from memtui.text.sanitize import one_line
from memtui.text.tokens import STOP_WORDS
from memtui.text.words import shorten

ContradictionType = Literal[
    "linked", "version", "number", "value", "tool", "negation", "always-never", "replaced", "order", "statement"
]

MOST_EXTRA = 3  # Words of meaning that one claim may have beyond the other and still have the same subject
LONGEST_VALUE = 4  # Words of meaning of a value; longer ones are explanations
SHOWN = 60  # Characters of a claim that the reason quotes

_GENERAL_KEYS = frozenset(stems_of("main primary default current max maximum min minimum total global our"))
_WENT_BACK = re.compile(
    r"\b(?:downgraded|reverted|rolled back|(?:went|gone|moved|switched|dropped|fell|set|pinned) back)\b"
    r"[^.;\n]{0,60}?\bto\b(?P<state>[^;\n]{1,40})",
    re.IGNORECASE,
)
"""What says that a change was taken back, and the state since then."""


@dataclass(frozen=True, slots=True)
class ClaimContradiction:
    """How two claims contradict each other."""

    type: ContradictionType  # which kind of contradiction
    why: str  # one line for people: the contradicting words, and both clauses
    words: tuple[str, str]  # the contradicting words of each
    claims: tuple[str, str]  # both clauses as written


def explain(first: Facts, second: Facts, ones: Sequence[Claim], others: Sequence[Claim]) -> ClaimContradiction:
    """Return what excludes what in two memories that contradict each other."""
    found = first_contradiction(ones, others)
    if found is not None:
        return found
    type_, words = _told(first, second)
    said = tuple(one_line(_statement(facts, word)) for facts, word in zip((first, second), words, strict=True))
    shown = " / ".join(f"“{shorten(text, SHOWN)}”" for text in said)
    against = f"{words[0]} against {words[1]}: " if all(words) else ""
    reason = {"replaced": f"{words[0] or words[1]} was replaced: ", "order": "reversed order: "}.get(type_, against)
    return ClaimContradiction(type_, f"{reason}{shown}", words, (said[0], said[1]))


def _told(first: Facts, second: Facts) -> tuple[ContradictionType, tuple[str, str]]:
    """Return the kind of contradiction and the words of each that exclude each other."""
    for one, other, place in ((first, second, 0), (second, first, 1)):
        left = gone_but_used(one, other)
        if left:
            word = _written(one, min(left))
            return "replaced", (word, "") if place == 0 else ("", word)
    if any((late, early) in second.order for early, late in first.order - second.order):
        return "order", ("", "")
    counted = max(numbers_of_one(first, second), key=lambda found: found[2], default=None)
    if counted is not None:
        numbers = (counted[0], counted[1])
        versions = [
            _versions(facts.wording.amounts, number) for facts, number in zip((first, second), numbers, strict=True)
        ]
        return "version" if all(_is_bare(number) for number in numbers) and any(versions) else "number", numbers
    pair = rivals_between(first.names, second.names, (first.wording.plain, second.wording.plain))
    if pair is not None:
        names = (pair[0].replace("_", " "), pair[1].replace("_", " "))
        return "tool" if is_tool(pair[0]) and is_tool(pair[1]) else "value", names
    how = difference_in_denials(first.wording, second.wording)
    return ("negation" if how else "statement"), ("", "")


def _versions(amounts: Sequence[Amount], number: str) -> list[Amount]:
    """Return the amounts that are versions with this number."""
    return [amount for amount in amounts if amount.is_version and ".".join(map(str, amount.parts)) == number]


def _is_bare(number: str) -> bool:
    return number.replace(".", "").isdigit()


def replacing(first: Facts, second: Facts) -> int | None:
    """Return which of two says that what the other goes by is no more, or names the later version: 0, 1 or None.

    What says that a change was taken back names the state since then, be it the earlier version.
    """
    gone = [bool(gone_but_used(first, second)), bool(gone_but_used(second, first))]
    if gone[0] != gone[1]:
        return gone.index(True)
    type_, words = _told(first, second)
    if type_ not in {"version", "number"}:
        return None
    back = [_went_back(facts, word) for facts, word in zip((first, second), words, strict=True)]
    if back[0] != back[1]:
        return back.index(True)
    left, right = (
        _versions(facts.wording.amounts, word)[:1] for facts, word in zip((first, second), words, strict=True)
    )
    if not left or not right or len({amount.name for amount in (*left, *right)} - {""}) > 1:
        return None
    return 0 if left[0].parts > right[0].parts else 1


def _went_back(facts: Facts, number: str) -> bool:
    """Return whether a text says that something was set back to a number."""
    bare = number.partition(" ")[0]
    text = facts.wording.text
    return any(
        re.search(rf"(?<![\d.]){re.escape(bare)}(?![\d]|\.\d)", found["state"]) is not None
        and not is_supposed(text, found.start())
        for found in _WENT_BACK.finditer(text)
    )


def _statement(facts: Facts, word: str) -> str:
    """Return the first sentence that holds a word."""
    sentences = [each.strip() for each in _SENTENCE_END.split(facts.insight) if each.strip()]
    return next((each for each in sentences if word and word in each.lower()), sentences[0] if sentences else "")


_SENTENCE_END = re.compile(r"(?<=[.;!?])\s|\n")


def _written(facts: Facts, wanted: str) -> str:
    """Return a word of the text with this stem."""
    return next((word for word in facts.wording.words if stems_of(word) == (wanted,)), wanted)


def agree(one: Claim, other: Claim) -> bool:
    """Return whether two claims say much the same."""
    words = len(one.terms) + len(other.terms)
    same = 2 * len(one.terms & other.terms) >= AGREEING * words
    alike = (one.denies, one.numbers, one.names, one.preference)
    return same and alike == (other.denies, other.numbers, other.names, other.preference)


AGREEING = 0.8  # Dice share of terms from which two claims say much the same


def first_contradiction(ones: Sequence[Claim], others: Sequence[Claim]) -> ClaimContradiction | None:
    """Return the first contradiction between two memories.

    Claims that both find their like in the other memory are no contradiction: the memories say the same of two
    things, `rendered on the server, all else on the client`.
    """
    for one in ones:
        for other in others:
            found = claim_contradiction(one, other)
            if found and not (any(agree(one, like) for like in others) and any(agree(other, like) for like in ones)):
                return found
    return None


def may_contradict(ones: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two clauses with these terms can contradict each other at all, as far as any rule goes."""
    shared = len(ones & others)
    left, right = len(ones) - shared, len(others) - shared
    return min(left, right) <= 1 or max(left, right) <= LONGEST_VALUE


def claim_contradiction(one: Claim, other: Claim) -> ClaimContradiction | None:
    """Return how two claims contradict each other, None if they do not."""
    if not _can_contradict(one, other):
        return None
    alike = _in_notation_of(other, one)
    if alike is other:
        return _by_rules(one, other)
    found = _by_rules(one, alike) if _can_contradict(one, alike) else None
    return found and _made(found.type, found.words, one, other)


def _in_notation_of(claim: Claim, other: Claim) -> Claim:
    """Return a claim with its amounts written as in another."""
    changes = changes_between(claim.amounts, other.amounts, loosely=True)
    return claim_of(Clause(rewritten(claim.text, changes), claim.sentence)) or claim if changes else claim


def _by_rules(one: Claim, other: Claim) -> ClaimContradiction | None:
    found = _values(one, other) if one.pair and other.pair else None
    if found is None and not _apart(one.environments, other.environments):
        # Where both have a subject of their own, only what has the same place in a sentence can contradict.
        own = _own(one, other)
        for rule in (_slots,) if own else (_preferences, _negation, _numbers, _choices, _slots):
            found = found or rule(one, other)
    # Asked last, because names of code take longest to find.
    return found if found and not _apart(one.identifiers, other.identifiers) else None


def _can_contradict(one: Claim, other: Claim) -> bool:
    """Return whether any rule can apply to two claims; most pairs have nothing in common that could contradict."""
    common = one.traits & other.traits
    if _own(one, other):
        return bool(common & FRAMED)
    if one.denies == other.denies:
        return bool(common)
    # A statement contradicts a denial where one of the two says nothing beyond the other.
    return bool(common & PREFERS) or one.terms <= other.terms or other.terms <= one.terms


def _own(one: Claim, other: Claim) -> bool:
    """Return whether both have a subject of their own."""
    return bool(one.firm - other.terms and other.firm - one.terms)


def _apart(ones: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether both name something, and nothing in common: they are about different places."""
    return bool(ones) and bool(others) and not ones & others


def _made(type_: ContradictionType, words: tuple[str, str], one: Claim, other: Claim) -> ClaimContradiction:
    shown = " / ".join(f"“{shorten(claim.text, SHOWN)}”" for claim in (one, other))
    against = f"{words[0]} against {words[1]}: " if all(words) else "one denies what the other says: "
    return ClaimContradiction(type_, against + shown, words, (one.text, other.text))


def _values(one: Claim, other: Claim) -> ClaimContradiction | None:
    """`key: value` against the same key with another value."""
    (key, value), (other_key, other_value) = one.pair or (frozenset(), ""), other.pair or (frozenset(), "")
    values, others = frozenset(stems_of(value)), frozenset(stems_of(other_value))
    if not _is_same_key(key, other_key) or one.denies != other.denies or values <= others or others <= values:
        return None
    longest = max(len(values), len(others))
    if longest > LONGEST_VALUE or not (_is_assigned(one, other) or _is_specific(one, other, key & other_key, longest)):
        return None
    type_ = _number_type(one, other) if one.numbers - other.numbers and other.numbers - one.numbers else "value"
    return _made(type_, (value, other_value), one, other)


def _is_same_key(key: frozenset[str], other: frozenset[str]) -> bool:
    return bool(key & other) and key ^ other <= _GENERAL_KEYS


def _is_assigned(one: Claim, other: Claim) -> bool:
    return any(sign in claim.text for claim in (one, other) for sign in ":=")


def _is_specific(one: Claim, other: Claim, key: frozenset[str], longest: int) -> bool:
    """Return whether what is said of a shared key excludes the other: numbers, rivals, or a key of several words.

    `The API is fast` is not a value that excludes another (`the API is small`). `longest`: words of the longer value.
    """
    if longest > MOST_EXTRA:
        return False
    return bool(one.numbers and other.numbers) or rivals(one.names, other.names) is not None or len(key) > 1


def _preferences(one: Claim, other: Claim) -> ClaimContradiction | None:
    """X over Y against Y over X."""
    if one.preference and other.preference and one.preference == other.preference[::-1]:
        return _made("value", one.preference, one, other)
    return None


def _extras(one: Claim, other: Claim, ignored: frozenset[str] = frozenset()) -> tuple[frozenset[str], frozenset[str]]:
    return one.terms - other.terms - ignored, other.terms - one.terms - ignored


def _same_subject(left: frozenset[str], right: frozenset[str], shared: frozenset[str]) -> bool:
    """Return whether both have one subject: the difference is small and on one side only."""
    if left and right:
        return False
    # One shared word is a weak subject, so almost nothing else may differ.
    return bool(shared) and len(left | right) <= (MOST_EXTRA if len(shared) > 1 else 1)


def _negation(one: Claim, other: Claim) -> ClaimContradiction | None:
    """A statement against its denial."""
    shared = one.terms & other.terms
    left, right = _extras(one, other)
    if one.denies == other.denies or not _same_subject(left, right, shared):
        return None
    # What a denial adds is mostly the very thing that it denies: `never change a mapping in place`.
    if len(left if one.denies else right) > 1:
        return None
    if _number_stems(one) - _number_stems(other) and _number_stems(other) - _number_stems(one):
        return None
    absolute = one.absolute or other.absolute
    words = (_denial(one), _denial(other))
    return _made("always-never" if absolute else "negation", words, one, other)


def _denial(claim: Claim) -> str:
    found = NEGATION.search(claim.text.lower().replace("n't", " not"))
    return found[0] if found else "always" if claim.absolute else ""


def _number_stems(claim: Claim) -> frozenset[str]:
    return frozenset(part for number in claim.numbers for part in number.replace(":", " ").replace(".", " ").split())


def _numbers(one: Claim, other: Claim) -> ClaimContradiction | None:
    """The same statement with another number."""
    mine, theirs = one.numbers - other.numbers, other.numbers - one.numbers
    if one.denies != other.denies or not mine or not theirs or not _comparable(mine, theirs):
        return None
    ignored = one.number_terms | other.number_terms | unit_stems()
    left, right = _extras(one, other, ignored)
    shared = (one.terms & other.terms) - ignored
    if not _same_subject(left, right, shared):
        return None
    words = (", ".join(sorted(mine)), ", ".join(sorted(theirs)))
    return _made(_number_type(one, other), words, one, other)


def _comparable(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    left, right = ({dimension_of(number.partition(" ")[2]) for number in numbers} for numbers in (mine, theirs))
    return bool(left & right)


def _number_type(one: Claim, other: Claim) -> ContradictionType:
    sides = ((one, one.numbers - other.numbers), (other, other.numbers - one.numbers))
    is_version = any(_versions(claim.amounts, number) for claim, numbers in sides for number in numbers)
    return "version" if is_version and all(map(_is_bare, one.numbers ^ other.numbers)) else "number"


def _choices(one: Claim, other: Claim) -> ClaimContradiction | None:
    """One tool against another of its class, or a word against its opposite, for the same purpose."""
    if one.denies != other.denies:
        return None
    pair = rivals_between(one.names, other.names, (one.normal, other.normal))
    if pair is None:
        return None
    ignored = one.name_terms | other.name_terms
    left, right = _extras(one, other, ignored)
    shared = (one.terms & other.terms) - ignored
    bare = not shared and not left and not right
    if not bare and not _same_subject(left, right, shared):
        return None
    names = (pair[0].replace("_", " "), pair[1].replace("_", " "))
    type_: ContradictionType = "tool" if is_tool(pair[0]) and is_tool(pair[1]) else "value"
    return _made(type_, names, one, other)


def _slots(one: Claim, other: Claim) -> ClaimContradiction | None:
    """Use X for P against use Y for P; S is kept in X against S is kept in Y."""
    if one.denies or other.denies:
        return None
    if one.use and other.use:
        (thing, purpose), (other_thing, other_purpose) = one.use, other.use
        if purpose == other_purpose and _differ(thing.stems, other_thing.stems):
            return _made("tool", (thing.text, other_thing.text), one, other)
    if one.slot and other.slot:
        (subject, preposition, place), (other_subject, other_preposition, other_place) = one.slot, other.slot
        same = subject == other_subject and subject - light_stems() - STOP_WORDS and preposition == other_preposition
        if same and _differ(place.stems, other_place.stems):
            return _made("value", (place.text, other_place.text), one, other)
    return None


def _differ(ones: frozenset[str], others: frozenset[str]) -> bool:
    small = len(ones) <= MOST_EXTRA and len(others) <= MOST_EXTRA
    return small and bool(ones) and bool(others) and not ones <= others and not others <= ones
