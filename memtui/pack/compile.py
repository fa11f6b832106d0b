"""The compiled style: the sentences of each memory that the task needs, whole and as they stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtui.domain.memory import Memory
from memtui.domain.reasons import Reason
from memtui.pack.budget import Detail
from memtui.pack.sentences import Sentence, denials_of, is_ended, sentences_of
from memtui.pack.targets.base import OMITTED, status_marker
from memtui.pack.targets.heads import without_list
from memtui.pack.targets.markdown import says_title
from memtui.pack.work import words_of
from memtui.recall.result import Task
from memtui.text.tokens import STOP_WORDS, index_terms

KEPT: Mapping[Detail, float] = {"most": 0.5, "much": 0.3, "some": 0.1, "little": 0.0}
"""Part of a memory's text that is kept beside its rules where the task does not need more."""

RELATED: Mapping[Detail, int] = {"most": 1, "much": 2}  # Words of the task from which a sentence is kept
SAID = 0.8  # From this share of its words on, a title is said by a sentence
TOLD_WORDS = 3  # Words of a rule from which another one may say it
SAID_OF_CUT = 0.5  # The same of a title that was cut
SHORT_CODE, LONG_CODE = 160, 400
"""Characters up to which an item or code that a sentence announces is kept, of what is less near and what is near."""

_CODE_TERMS = 2  # Words that a task and a block of code must share before the code is needed
_FACT_VALUE, _RULE_VALUE, _WANTED_VALUE, _REASON_SHARE = 1.0, 3.0, 2.0, 0.5
"""What a fact, a rule and a word of the task are worth beside each other, and a reason beside what to do."""

_SHORTEST = 20  # Characters added to each length, so that fragments do not win by being short
_EMPHASIS = re.compile(r"`[^`]*`|\*\*")


@dataclass(slots=True)
class Compiler:
    """Compiles memories for a task."""

    wanted: frozenset[str] = frozenset()  # the words of the task, stemmed; empty without a task
    says_lists_once: bool = True  # whether a title goes without the list that is kept below it

    @classmethod
    def for_task(cls, task: Task, *, says_lists_once: bool = True) -> Compiler:
        return cls(words_of(task), says_lists_once)

    def compiled(self, memory: Memory, *, detail: Detail = "some", status: Reason | None = None) -> Memory:
        """Return a memory whose insight is all that is said of it, on one line; its snippet only where needed.

        `status`: why it is not in use, where more is known than its status says.
        """
        choice = _Choice(sentences_of(memory), self.wanted, bool(memory.title.strip()), self.says_lists_once)
        choice.choose(detail)
        text, code = choice.text(), choice.code()
        return replace(memory, insight=marked(text or memory.title, memory, status), rationale="", snippet=code)


def marked(text: str, memory: Memory, status: Reason | None = None) -> str:
    """Return the text of a memory, marked if it is not in use: `(retired) Lock by user_id`."""
    words = status_marker(memory, status)
    return f"({words}) {text}" if words else text


def is_told_whole(memory: Memory, told: Memory) -> bool:
    """Return whether a compiled memory holds every word of the original; repetitions may be dropped."""
    said = _terms_of(sentences_of(told))
    return all(sentence.terms <= said for sentence in sentences_of(memory))


def _terms_of_text(text: str) -> frozenset[str]:
    return frozenset(index_terms(text)) - STOP_WORDS


def _terms_of(sentences: Iterable[Sentence]) -> frozenset[str]:
    return frozenset[str]().union(*(sentence.terms for sentence in sentences))


@dataclass(slots=True)
class _Choice:
    """Which sentences of a memory are kept: by place, so that each comes with what it needs."""

    sentences: Sequence[Sentence]
    wanted: frozenset[str]
    has_title: bool
    says_lists_once: bool
    chosen: set[int] = field(default_factory=set)
    _said: set[str] = field(default_factory=set)
    _facts: set[str] = field(default_factory=set)
    _depending: dict[int, list[int]] = field(default_factory=dict)

    def choose(self, detail: Detail) -> None:
        for place, sentence in enumerate(self.sentences):
            self._depending.setdefault(sentence.needs, []).append(place)
        subject = self._place_of_subject(self._open()) if self.has_title else None
        if subject is not None:
            self._take(subject)
        for place in self._open():
            sentence = self.sentences[place]
            if sentence.is_rule:
                self._take_unless_said(place)
        if detail != "little":
            self._cover()
            self._take_related(RELATED.get(detail))
            self._fill(KEPT[detail])
        if not self.chosen:
            self._take_best()
        self._say_what_is_announced(SHORT_CODE if detail == "little" else LONG_CODE)
        if self.has_title and self._title():
            self.chosen.add(0)

    def _place_of_subject(self, places: Iterable[int]) -> int | None:
        """Return the place of the first sentence that says the title; of a cut title, the one that says most."""
        title = self.sentences[0]
        wanted = SAID_OF_CUT if title.text.endswith(("…", "...")) else SAID
        shares = {place: self._share_of_title(self.sentences[place]) for place in sorted(places)}
        best = max(shares, key=lambda place: (min(shares[place], SAID), -place), default=None)
        return best if best is not None and shares[best] >= wanted else None

    def _share_of_title(self, sentence: Sentence) -> float:
        """Return which part of what the title states a sentence says."""
        title = self.sentences[0].text
        if sentence.is_code or not denials_of(title) <= denials_of(sentence.text):
            return 0.0
        stated = _terms_of_text(title.rpartition(": ")[2])
        return len(stated & sentence.terms) / len(stated) if stated else 0.0

    def text(self) -> str:
        texts = []
        title = self._title() if self.has_title else ""
        is_whole = self.has_title and title in {self.sentences[0].text, self._named()}
        for place in sorted(self.chosen):
            sentence = self.sentences[place]
            if sentence.is_code or (is_whole and self._names_title(place)):
                continue
            text = sentence.text if place or not self.has_title else title
            plain = _EMPHASIS.sub(lambda found: found[0] if found[0].startswith("`") else "", text)
            texts.append(plain if is_ended(plain) else f"{plain}:" if sentence.is_heading else f"{plain}.")
            if any(place == self._last_said_under(lead) for lead in self._leads_of(place)):
                texts.append(OMITTED)
        return " ".join(texts)

    def _names_title(self, place: int) -> bool:
        """Return whether a sentence announces what follows by the title alone, after the headings above it."""
        sentence = self.sentences[place]
        last = _terms_of_text(sentence.text.rpartition(" > ")[2])
        return bool(place and self.has_title and sentence.announces and last <= self.sentences[0].terms)

    def _leads_of(self, place: int) -> Iterator[int]:
        """Yield the announcements that a sentence belongs to, itself included, of which something is left out."""
        while place >= 0:
            if self.sentences[place].announces and not self.chosen.issuperset(self._depending.get(place, ())):
                yield place
            place = self.sentences[place].needs

    def _last_said_under(self, lead: int) -> int:
        """Return the place of the last kept sentence that an announcement leads to, its own if none is kept."""
        below = [lead]
        for one in below:  # it grows
            below += [other for other in self._depending.get(one, ()) if other in self.chosen]
        return max(one for one in below if not self.sentences[one].is_code)

    def code(self) -> str:
        return "\n".join(self.sentences[place].text for place in sorted(self.chosen) if self.sentences[place].is_code)

    def _take_best(self) -> None:
        """Take the most telling sentence."""
        best = max(self._open(), key=lambda place: (self._density(place), -place), default=None)
        if best is not None:
            self._take(best)

    def _title(self) -> str:
        """Return what is told of the title: nothing where the text says it, its label where that says the rest."""
        title = self._named()
        kept = [self.sentences[place] for place in sorted(self.chosen) if place and not self.sentences[place].is_code]
        is_short = len(title) < len(whole := self.sentences[0].text) and whole[len(title) :].startswith(": ")
        if not kept:
            return f"{title}:" if is_short else title
        said = _terms_of(kept)
        labels = title.split(": ") if is_short else title.split(": ")[:-1]
        while labels and _terms_of_text(labels[-1]) <= said:
            labels.pop()
        if is_short or says_title(title, kept[0].text) or self._place_of_subject(self.chosen - {0}) is not None:
            return f"{': '.join(labels)}:" if labels else ""
        return "" if self._says_all_of(title, kept) else title

    def _says_all_of(self, title: str, kept: Sequence[Sentence]) -> bool:
        """Return whether kept sentences have the words of the title, and announce it where it is a rule."""
        if not self.sentences[0].terms <= _terms_of(kept):
            return False
        announced = (one.text.rpartition(" > ")[2].rstrip(":：") for one in kept if one.announces)
        return not self.sentences[0].is_rule or any(says_title(words, title) for words in announced)

    def _named(self) -> str:
        """Return the title without the list that is kept below it."""
        title = self.sentences[0].text
        if not self.says_lists_once:
            return title
        places = [sorted(self.chosen - {0}), range(1, len(self.sentences))]
        kept, whole = ("\n".join(f"- {self.sentences[place].text}" for place in some) for some in places)
        return without_list(title, kept, whole)

    def _say_what_is_announced(self, longest: int) -> None:
        """Take something of what a kept sentence announces."""
        for place in sorted(self.chosen):
            depending = self._depending.get(place, ())
            if not self.sentences[place].announces or any(one in self.chosen for one in depending):
                continue
            short = [one for one in depending if len(self.sentences[one].text) <= longest]
            if short:
                self._take(max(short, key=self._density))

    def _cover(self) -> None:
        """Take sentences until every word that task and memory share is said, the most new words first."""
        while True:
            missing = self.wanted - self._said

            def gain(place: int, missing: frozenset[str] = missing) -> tuple[float, int]:
                sentence = self.sentences[place]
                new = len(_terms_of(self.sentences[one] for one in self._with(place)) & missing)
                if sentence.is_code and not self._is_needed(sentence):
                    new = 0
                return new - _REASON_SHARE * sentence.is_reason, -self._cost(place)

            best = max(self._open(), key=gain, default=None)
            if best is None or gain(best)[0] <= 0:
                return
            self._take(best)

    def _take_related(self, fewest: int | None) -> None:
        """Take the sentences that share so many words with the task, whether others say these or not."""
        for place in self._open():
            sentence = self.sentences[place]
            if fewest and not sentence.is_code and len(sentence.terms & self.wanted) >= fewest:
                self._take_unless_said(place)

    def _is_needed(self, code: Sentence) -> bool:
        """Return whether a block of code shares enough words with the task: half of them where it is long."""
        shared = len(code.terms & self.wanted)
        return shared >= _CODE_TERMS and (len(code.text) <= LONG_CODE or 2 * shared >= len(self.wanted))

    def _fill(self, share: float) -> None:
        """Take the sentences that say most for their length, as far as the share of the text goes."""
        whole = sum(len(sentence.text) for sentence in self.sentences[self.has_title :] if not sentence.is_code)
        room = int(share * whole)
        for place in sorted(self._open(), key=lambda place: (-self._density(place), place)):
            if (
                place not in self.chosen
                and not self.sentences[place].is_code
                and self._size() + self._cost(place) <= room
            ):
                self._take_unless_said(place)

    def _open(self) -> list[int]:
        """Return the places of what may be taken for itself."""
        places = range(int(self.has_title), len(self.sentences))
        return [place for place in places if place not in self.chosen and not self.sentences[place].is_heading]

    def _density(self, place: int) -> float:
        sentence = self.sentences[place]
        value = (
            1.0
            + _FACT_VALUE * len(sentence.facts - self._facts)
            + _RULE_VALUE * sentence.is_rule
            + _WANTED_VALUE * len(sentence.terms & self.wanted)
        )
        return value * (_REASON_SHARE if sentence.is_reason else 1.0) / (self._cost(place) + _SHORTEST)

    def _with(self, place: int) -> set[int]:
        """Return the places that come with one: what it needs, and what limits any of these."""
        found: set[int] = set()
        waiting = [place]
        while waiting:
            one = waiting.pop()
            if one in found or one < 0:
                continue
            found.add(one)
            waiting.append(self.sentences[one].needs)
            waiting += [other for other in self._depending.get(one, ()) if self.sentences[other].limits]
        return found - self.chosen

    def _cost(self, place: int) -> int:
        return sum(len(self.sentences[one].text) for one in self._with(place))

    def _take(self, place: int) -> None:
        for one in self._with(place):
            self.chosen.add(one)
            self._said |= self.sentences[one].terms
            self._facts |= self.sentences[one].facts

    def _take_unless_said(self, place: int) -> None:
        sentence = self.sentences[place]
        if sentence.is_rule:  # one other rule has to say it, and of a short one the words tell too little
            others = [self.sentences[one].terms for one in self.chosen if self.sentences[one].is_rule]
            is_said = len(sentence.terms) >= TOLD_WORDS and any(sentence.terms <= terms for terms in others)
        else:
            is_said = bool(sentence.terms) and sentence.terms <= self._said
        if not (is_said and sentence.facts <= self._facts):
            self._take(place)

    def _size(self) -> int:
        return sum(len(self.sentences[place].text) for place in self.chosen)
