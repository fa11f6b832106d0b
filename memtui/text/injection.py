"""Detect text that tries to steer an assistant, and wording phrased as an instruction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain
from math import inf

from memtui.text.caseless import Caseless, Seldom
from memtui.text.injection_described import (
    downloads_nothing,
    is_only_told_of,
    leads_to_refused,
    names_refused,
    only_tells_where,
)
from memtui.text.injection_languages import Language, beginnings, languages_of
from memtui.text.injection_model import LONGEST_WHOLE, least_planted, weight_of_wording
from memtui.text.injection_roles import likeliest_reason
from memtui.text.injection_scope import MARKS, beyond_precedence, beyond_prohibitions, is_marked_wrong, is_reminder
from memtui.text.injection_second_look import SecondLook, second_look
from memtui.text.injection_told import only_tells
from memtui.text.injection_veils import unveiled
from memtui.text.planted import Planted, PlantedSort
from memtui.text.tables import read_table
from memtui.text.words import shorten

_SHOWN = 60
_LONGEST_QUOTED = 160  # characters of the sentence by which a text resembles planted ones
_LONGEST_TOLD = 4_000  # characters of a text whose paragraphs are judged as wholes, too
_FEWEST_TOGETHER = 2  # sentences of a paragraph that is judged as a whole
_SHORTEST_SENTENCE = 12  # "ignore rules" is the shortest that any pattern takes
_REACH = 100  # characters within which verb, object and address belong together

_HIDDEN_CHARACTERS = re.compile(
    "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]+"
)
_TAG_TEXT = re.compile("(?:\U0001f3f4[\U000e0020-\U000e007f]{3,7})|([\U000e0020-\U000e007e]{2,})")
_SELECTOR_TEXT = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_ZERO_WIDTH_RUN = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]{8,}")
_OVERRIDE_MARK = re.compile("[\u202d\u202e]")

_LINE_INSIDE_PARAGRAPH = re.compile(rf"\n(?![ \t]*(?:[-*+#>|\d{MARKS}]|$))", re.MULTILINE)
# It begins with a set of characters, which the search for the next one goes by.
_SENTENCE_END = re.compile(
    r"[\n.!?\u3002\uff01\uff1f](?:(?<=[\n\u3002\uff01\uff1f])|[ \t]+(?=[\"'(A-Z*_`\u00c0-\u042f]))"
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_EXAMPLE_SIGN = re.compile("[如比例예├└│]")
_EXAMPLE = re.compile(r"(?:如|例如|比如|例えば|예: ?)[\"“「『][^\"”」』\n]{1,60}[\"”」』]|^.*[├└│].*$", re.MULTILINE)
"""What a text only quotes as wording of a program, and the lines of a tree of files."""

_PROGRAM = re.compile(
    r"^[ \t]*```[ \t]*(?!(?:te?xt|md|markdown|plain\w*|prompt|none)\b)[a-z][\w+-]*[ \t]*\n[\s\S]*?^[ \t]*```",
    re.MULTILINE | re.IGNORECASE,
)
"""Fenced code of a language for programs."""

_REFUSED_BY_MARK = frozenset(
    {PlantedSort.OFF, PlantedSort.APPROVAL, PlantedSort.APPROVES_ALL, PlantedSort.FALSIFY, PlantedSort.RUN}
)
"""What a list of rules names as wrong; nobody has to name `ignore your instructions` there."""

_DONE_BY_CODE = frozenset({PlantedSort.RUN, PlantedSort.SEND})
_LIST_ITEM = re.compile(rf"[ \t]*(?:[-*+>|{MARKS}]|\d+[.)])")

_THAT = re.compile(r"\s+(?:it|them|that)\b")
_PIPE_OUT = re.compile(r"\|\s*(?:curl|wget|nc|ncat)\b")


@dataclass(frozen=True)
class _Wording:
    """A wording that no ordinary text needs, with the pattern that finds it."""

    sort: PlantedSort
    hints: frozenset[str]  # beginnings of words, one of which it contains, and
    also: frozenset[str]  # of others
    text: str
    order: bool  # only where it begins an order
    unless: str  # the pattern of what takes it back, if it ends before it

    @cached_property
    def pattern(self) -> Caseless:
        """The pattern, compiled for the first text that holds a hint."""
        return Caseless(self.text.replace("\n", ""))

    def said_in(self, sentence: str) -> bool:
        """Return whether a sentence says it and does not deny it."""
        return any(self._is_meant(sentence, *found.span()) for found in self.pattern.finditer(sentence))

    def _is_meant(self, sentence: str, at: int, end: int) -> bool:
        if is_only_told_of(sentence, at, end, self.sort):
            return False
        from_nowhere = self.sort is PlantedSort.RUN and downloads_nothing(sentence, at, end)
        if from_nowhere and not _pattern("outside").search(sentence[max(0, at - 2 * _REACH) : end + 2 * _REACH]):
            return False
        before = sentence[max(0, at - _REACH) : at]
        if _is_negated(sentence, at) or (self.unless and _pattern(self.unless).search(before)):
            return False
        return not self.order or not before.strip() or _pattern("order_start").search(before) is not None


@cache
def _wordings() -> tuple[_Wording, ...]:
    rows = read_table(__file__, "injection.toml")["anywhere"]
    return tuple(
        _Wording(
            PlantedSort(row["reason"]),
            frozenset(row["hints"].split()),
            frozenset(row.get("also", "").split()),
            row["pattern"],
            row.get("order", False),
            row.get("unless", ""),
        )
        for row in rows
    )


@cache
def _numbers(field: str) -> dict[str, int]:
    """Return which wordings each word of `hints` or `also` belongs to, as bits; those without words at ""."""
    numbers = {"": 0}
    for number, wording in enumerate(_wordings()):
        for word in getattr(wording, field) or ("",):
            numbers[word] = numbers.get(word, 0) | 1 << number
    return numbers


def _candidates(begun: frozenset[str]) -> list[_Wording]:
    """Return the wordings that may be in a text, of which the beginnings of the words are given."""
    hints, also = _numbers("hints"), _numbers("also")
    first, second = 0, also[""]
    for word in begun & hints.keys():
        first |= hints[word]
    if not first:
        return []
    for word in begun & also.keys():
        second |= also[word]
    both = first & second
    wordings = _wordings()
    found = []
    while both:
        lowest = both & -both
        found.append(wordings[lowest.bit_length() - 1])
        both ^= lowest
    return found


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_table(__file__, "injection.toml")["words"][name].split())


@cache
def _pattern(name: str) -> Seldom:
    text = read_table(__file__, "injection.toml")["patterns"][name].replace("\n", "")
    return Seldom(f"(?m){text}" if name == "order" else text)


def planted_instructions(text: str, body: str = "", *, is_record: bool = False) -> list[Planted]:
    """Return why a text looks planted; an empty list if nothing does.

    `body`: what it says without its names and places, if it has such; a second look is taken at that.
    `is_record`: whether it is of a record of decisions, in which a statement that only resembles planted ones is none.
    """
    return _planted(text, second_look(), body, is_record=is_record)


def _planted(text: str, look: SecondLook | None, body: str = "", *, is_record: bool = False) -> list[Planted]:
    reasons = [*_hidden_text(text)]
    visible = _HIDDEN_CHARACTERS.sub("", text) if not text.isascii() else text
    if "```" in visible:
        reasons += _code_reasons(visible)
        visible = _PROGRAM.sub(" ", visible)
    begun = beginnings(visible)
    if not begun.isdisjoint(_words("system")) and _pattern("fake_system").search(visible):
        reasons.append(Planted(PlantedSort.SYSTEM))
    languages = languages_of(visible, begun)
    hints = None if languages else _hints_in(visible, begun)
    least = least_planted() if look is None else min(least_planted(), 100 * look.near)
    # What a table finds comes first, then what weighs most: most faces show one reason.
    found = sorted(_found_in(visible, languages, hints, least, is_record=is_record), key=lambda each: -each.weight)
    reasons += _reasons_at_second_look(found, look, body or visible) if look else [each.reason for each in found]
    if "<!--" in visible:
        reasons += _comment_reasons(visible)
    for veil, said in unveiled(visible):
        if _says_something(said, is_record=is_record):
            reasons.append(Planted(PlantedSort.VEILED, _excerpt(said), veil=veil))
    return _quoting_once(dict.fromkeys(reasons))


def _quoting_once(reasons: Iterable[Planted]) -> list[Planted]:
    """Return reasons with the first resemblance alone: a title often repeats the sentence that its text begins with."""
    resembling = [reason for reason in reasons if reason.only_resembles]
    return [reason for reason in reasons if reason not in resembling[1:]]


def planted_sentences(text: str) -> list[str]:
    """Return the sentences that look planted by themselves; none where only several together do, or their meaning."""
    return [sentence.strip() for sentence in sentences_of(text) if _planted(sentence, None)]


def _code_reasons(text: str) -> Iterator[Planted]:
    """Yield what the code of programs in a text does that no example needs: what it says otherwise is its own."""
    for code in _PROGRAM.findall(text):
        yield from (reason for reason in _reasons(code, ()) if reason.sort in _DONE_BY_CODE)


def _hints_in(text: str, begun: frozenset[str]) -> frozenset[str]:
    """Return beginnings of words of a text, one of which stands wherever it says an English wording of the tables."""
    hints = begun.intersection(*[chain.from_iterable(wording.hints for wording in _candidates(begun))])
    sent = begun & _words("sent")
    return hints | sent if sent and _names_address(text, begun) else hints


def _names_address(text: str, begun: frozenset[str]) -> bool:
    """Return whether a text names an address outside the reader's machine and network."""
    return not begun.isdisjoint(_words("address")) and _pattern("outside").search(text) is not None


@dataclass(frozen=True, slots=True)
class _Found:
    """Why a sentence or a paragraph looks planted."""

    part: str
    sort: PlantedSort | None = None  # what the tables find in it, None where it is told by how it is worded
    weight: float = inf  # of its wording, in hundredths

    @property
    def reason(self) -> Planted:
        return Planted(self.sort) if self.sort else _resembles(PlantedSort.WORDED, self.part)

    def is_only_told(self, languages: Sequence[Language]) -> bool:
        """Return whether no table finds it, and a record only tells it."""
        return self.sort is None and all(only_tells(each, languages) for each in sentences_of(self.part))

    def of(self, sentence: str, weight: float) -> _Found:
        """Return the same of the sentence that this one is left of, weighing no more than that."""
        return replace(self, part=sentence, weight=min(self.weight, weight))


def _reasons(text: str, languages: Sequence[Language], *, is_record: bool = False) -> Iterator[Planted]:
    """Yield what sentences say, except those about such texts, and the lists of what is described or forbidden."""
    return (found.reason for found in _found_in(text, languages, None, least_planted(), is_record=is_record))


def _reasons_at_second_look(found: Sequence[_Found], look: SecondLook, text: str) -> list[Planted]:
    """Return the same of what was found in a text; where no table finds any of it, a second look decides."""
    surely = [each.reason for each in found if each.weight >= least_planted()]
    if not found or any(each.sort for each in found):
        return surely
    likeliest = max(found, key=lambda each: each.weight)
    said = look.decides(text, likeliest.weight / 100)
    if said:
        return surely or [_resembles(PlantedSort.ALIKE, likeliest.part)]
    return surely if said is None else []


def _found_in(
    text: str, languages: Sequence[Language], hints: frozenset[str] | None, least: float, *, is_record: bool
) -> Iterator[_Found]:
    """Yield what looks planted by the tables, or weighs at least `least` by how it is worded and is not only told.

    `hints`: without one of these, if they are given, a sentence says no wording of the tables.
    """
    found = _found_anywhere(text, languages, hints, least)
    return (each for each in found if not (is_record and each.is_only_told(languages)))


def _found_anywhere(
    text: str, languages: Sequence[Language], hints: frozenset[str] | None, least: float
) -> Iterator[_Found]:
    """Yield the same of any text, whether it is of a record or not."""
    text = _EXAMPLE.sub(" ", text) if not text.isascii() and _EXAMPLE_SIGN.search(text) else text
    introduced = found_any = False
    sentences = sentences_of(text)
    for sentence in sentences:
        introduced = introduced and _LIST_ITEM.match(sentence) is not None
        if not introduced:
            for found in _meant(sentence, languages, hints, least):
                found_any = found_any or found.weight >= least_planted()
                yield found
        if _leads(sentence):
            introduced = any(_pattern(name).search(sentence) for name in ("about", "forbids", "forbids_list"))
            introduced = (introduced and not is_reminder(sentence)) or leads_to_refused(sentence)
    if not found_any and len(sentences) > 1 and len(text) <= _LONGEST_TOLD:
        yield from _meant_together(text, least)


def _meant(sentence: str, languages: Sequence[Language], hints: frozenset[str] | None, least: float) -> list[_Found]:
    """Return why a sentence looks planted, unless it is about such texts; what it forbids does not count."""
    found = _judged(sentence, languages, hints, least)
    if not found or _pattern("about").search(sentence) or names_refused(sentence):
        return []
    rest = beyond_prohibitions(sentence)
    if rest == sentence:
        return found
    # What is cut out of a sentence may end within a word, so that the rest is not asked for hints.
    left = _judged(rest, languages, None if hints else hints, least)
    return [each.of(sentence, found[0].weight) for each in left]


def _judged(sentence: str, languages: Sequence[Language], hints: frozenset[str] | None, least: float) -> list[_Found]:
    """Return why a sentence looks planted: by what the tables find, or else by how it is worded."""
    by_words = hints is None or (hints and any(map(sentence.lower().__contains__, hints)))
    sorts = _said_in(sentence, languages) if by_words else []
    if not _REFUSED_BY_MARK.isdisjoint(sorts) and is_marked_wrong(sentence):
        sorts = [sort for sort in sorts if sort not in _REFUSED_BY_MARK]
        if not sorts:
            return []
    found = [_Found(sentence, sort) for sort in sorts]
    if not found and (weight := _weight([sentence], least)) >= least:
        found.append(_Found(sentence, weight=weight))
    return found


def _weight(sentences: Sequence[str], least: float) -> float:
    """Return the weight of how sentences are worded together, if it is `least` and not by something harmless."""
    weight = weight_of_wording(sentences, least)
    if weight < least or all(map(only_tells_where, sentences)):
        return -inf
    rest = [*map(beyond_precedence, sentences)]
    return weight if rest == [*sentences] else min(weight, weight_of_wording(filter(str.strip, rest), least))


def _resembles(sort: PlantedSort, part: str) -> Planted:
    """Return that a sentence or paragraph resembles planted ones, those of which most, and its weightiest sentence."""
    weightiest = max(sentences_of(part), key=lambda each: weight_of_wording([each], -inf), default=part)
    return Planted(sort, shorten(" ".join(weightiest.split()), _LONGEST_QUOTED), like=likeliest_reason(part))


def _meant_together(text: str, least: float) -> Iterator[_Found]:
    """Yield why a short paragraph looks planted of which no sentence does by itself."""
    for part in _BLANK_LINE.split(text):
        sentences = sentences_of(part) if len(part) <= LONGEST_WHOLE else []
        if len(sentences) < _FEWEST_TOGETHER or (weight := _weight(sentences, least)) < least:
            continue
        if any(_pattern(name).search(text) for name in ("about", "forbids")):
            return
        beyond = weight_of_wording(map(beyond_prohibitions, sentences), least)
        if beyond >= least:
            yield _Found(part, weight=min(weight, beyond))


def _said_in(sentence: str, languages: Sequence[Language]) -> list[PlantedSort]:
    """Return what the wordings of the tables find in a sentence."""
    begun = beginnings(sentence)
    found = [*_sentence_reasons(sentence, begun)]
    outside = _names_address(sentence, begun)
    for language in languages:
        found += language.reasons(sentence, begun, outside=outside)
    return found


def sentences_of(text: str) -> list[str]:
    """Return sentences, joining the lines of a paragraph; list items and headings stay separate."""
    joined = _LINE_INSIDE_PARAGRAPH.sub(" ", text) if "\n" in text else text
    sentences = []
    start = 0
    for end in _SENTENCE_END.finditer(joined):
        sentences.append(joined[start : end.start() + (end[0] != "\n")])
        start = end.end()
    sentences.append(joined[start:])
    return [one for one in sentences if len(one) >= _SHORTEST_SENTENCE or not one.isascii() or _leads(one)]


def _leads(sentence: str) -> bool:
    """Return whether a sentence ends with a colon or in bold, or is a heading."""
    return (
        sentence.rstrip(" *_").endswith((":", "："))
        or sentence.rstrip(" \t").endswith(("**", "__"))
        or sentence.lstrip(" \t").startswith("#")
    )


def _sentence_reasons(sentence: str, begun: frozenset[str]) -> Iterator[PlantedSort]:
    yield from (wording.sort for wording in _candidates(begun) if wording.said_in(sentence))
    if begun.isdisjoint(_words("sent")) or not _names_address(sentence, begun):
        return
    outside = _pattern("outside")
    if _carries_away(sentence):
        yield PlantedSort.SEND
    every = _pattern("every_time").search(sentence)
    call = _pattern("call").search(sentence, every.end(), every.end() + _REACH) if every else None
    if call and not _is_negated(sentence, call.start()) and outside.search(sentence, call.end(), call.end() + _REACH):
        yield PlantedSort.CALL


def _carries_away(sentence: str) -> bool:
    """Return whether a verb of sending, something private and an address follow closely on each other."""
    private, outside = _pattern("private"), _pattern("outside")
    for carry in _pattern("carry").finditer(sentence):
        found = private.search(sentence, carry.end(), carry.end() + _REACH)
        if not found or _is_negated(sentence, carry.start()):
            continue
        if outside.search(sentence, found.end(), found.end() + _REACH):
            return True
    for found in private.finditer(sentence):
        verb = _pattern("carry").search(sentence, found.end(), found.end() + _REACH)
        if verb and _THAT.match(sentence, verb.end()) and outside.search(sentence, verb.end(), verb.end() + _REACH):
            return not _is_negated(sentence, verb.start())
    return any(
        private.search(sentence, max(0, pipe.start() - _REACH), pipe.start()) for pipe in _PIPE_OUT.finditer(sentence)
    )


def _is_negated(sentence: str, at: int) -> bool:
    return bool(_pattern("negated").search(sentence, max(0, at - _SHOWN), at))


def _comment_reasons(text: str) -> Iterator[Planted]:
    """Yield reasons for comments, which a rendered page hides but an assistant reads."""
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            return
        comment = text[start + 4 : end]
        if _pattern("addressed").search(comment) or _says_something(comment):
            yield Planted(PlantedSort.COMMENT, _excerpt(comment))
        start = text.find("<!--", end)


def _says_something(text: str, *, is_record: bool = False) -> bool:
    return any(_reasons(text, languages_of(text, beginnings(text)), is_record=is_record))


def _hidden_text(text: str) -> Iterator[Planted]:
    if text.isascii():
        return
    for match in _TAG_TEXT.finditer(text):
        if match.group(1):
            letters = "".join(chr(ord(sign) - 0xE0000) for sign in match.group(1))
            yield Planted(PlantedSort.TAGS, _excerpt(letters))
    if _SELECTOR_TEXT.search(text):
        yield Planted(PlantedSort.SELECTORS)
    if _ZERO_WIDTH_RUN.search(text):
        yield Planted(PlantedSort.ZERO_WIDTH)
    if _OVERRIDE_MARK.search(text):
        yield Planted(PlantedSort.DIRECTION)


def _excerpt(text: str) -> str:
    return shorten(" ".join(text.split()), _SHOWN)


_SHOUT = re.compile(r"\b(?:ALWAYS|NEVER|MUST)\b")


def ordering_line(text: str) -> int | None:
    """Return the number (from 1) of the first line phrased as an order, e.g. with ALWAYS; None without one."""
    starts = [found.start() for found in (_pattern("order").search(text), _SHOUT.search(text)) if found]
    return text.count("\n", 0, min(starts)) + 1 if starts else None
