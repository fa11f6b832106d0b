"""The compiled style: of each memory the sentences that carry the evidence, word for word, in far fewer tokens.

Rules alone decide, so that the same memory and task give the same text: what the title says and a sentence
says again is said once; every word that the task and the memory share is kept in some sentence; beside them
stand the sentences that hold most numbers, identifiers, paths and denials for their length. Phrases that say
nothing are taken out; nothing is put in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from memtui.domain.memory import Memory
from memtui.pack.sentences import Sentence, sentences_of
from memtui.recall.task import Task
from memtui.text.tokens import query_terms

KEPT_SHARE = 0.25
"""Part of a memory's text that is kept where the task does not need more.

With this, the next and `SHORT_TEXT`, payloads of ten memories of the sample vault take 59 % fewer tokens and every
answer asked for is still in them; with 0.4 and 130 characters it was 51 %.
"""

KEPT_OF_THE_BEST = 0.6
"""The same for the best hits, which the answer is most likely in."""

SHORT_TEXT = 60
"""Characters up to which a text counts as short: so much is kept of any memory."""

LONGEST_TEXT = 400
"""Characters that are kept of any memory where the task does not need more: a report gives its outline."""

SAID = 0.8
"""From this share of its words on, a sentence is said by others that are kept."""

STATEMENT_WORDS = 3
"""A title of fewer words names a topic and states nothing: then the first sentence is kept too."""

ANNOUNCED = 2
"""Sentences kept after one that ends in a colon: alone it would say nothing."""

UNCONFIRMED_MARK = "(not confirmed by a person)"

_CODE_TERMS = 2
"""Words that a task and a block of code must share before the code is needed."""

_FACT_VALUE, _NEGATION_VALUE, _WANTED_VALUE, _REASON_SHARE = 1.0, 1.0, 2.0, 0.5
"""What a fact, a denial and a word of the task are worth beside each other, and a reason beside what to do."""

_PLAIN_VALUE = 0.25
"""Of a sentence that says what to do and nothing hard: better than nothing where there is room."""

_FIRST_VALUE = 1.0
"""Of the first sentence after the title: what to do stands there."""

_LONG_FACT = 20
"""Characters from which a fact, such as a call with its arguments, counts as two."""

REASON_LOSS = 0.5
"""Less than one word of the task: a reason is taken for a word that nothing else says."""

_SHORTEST = 20
"""Characters added to each length, so that fragments do not win by being short."""

_READ_OF_TASK = 2_000
"""Characters of a task that are looked at: what is to be done stands at the start."""

_FILLER = re.compile(
    r"\b(?:please note that|note that|it is (?:important|worth) (?:to note|noting) that|keep in mind that"
    r"|it should be noted that|as (?:already )?mentioned(?: above| before| earlier)?,?|as you can see,?"
    r"|it turns out that|it turned out that|needless to say,?|of course,?|in fact,?|basically,?|essentially,?"
    r"|obviously,?|actually,?|generally speaking,?|for your information,?|in this case,?|at the end of the day,?"
    r"|I think(?: that)?|I believe(?: that)?|great(?:!|,)|sure(?:!|,)|perfect(?:!|,)|okay,|ok,)[ \t]*",
    re.IGNORECASE,
)
_DOING = frozenset(query_terms("make use get need want do"))
"""Words of nearly every task: that a memory holds them too is no evidence."""

_SPANS = re.compile(r"(`[^`]*`|\"[^\"\n]*\")")
_TRAILING = re.compile(r"[;,\s]+$")


@dataclass(slots=True)
class Compiler:
    """Compiles memories for a task.

    Attributes:
        wanted: the words of the task, stemmed; empty without a task.
    """

    wanted: frozenset[str] = frozenset()

    @classmethod
    def for_task(cls, task: Task) -> Compiler:
        """Return the compiler of a task."""
        return cls(frozenset(query_terms(task.text[:_READ_OF_TASK])) - _DOING if task.has_words else frozenset())

    def compiled(self, memory: Memory, *, among_best: bool = False) -> Memory:
        """Return a memory whose insight is all that is said of it, on one line; its snippet only where needed.

        Args:
            memory: in full.
            among_best: whether it is one of the best hits, of which more is kept.
        """
        sentences = sentences_of(memory)
        prose = [sentence for sentence in sentences if not sentence.is_code]
        code = [sentence for sentence in sentences if sentence.is_code]
        kept = _Choice(prose, self.wanted).kept(KEPT_OF_THE_BEST if among_best else KEPT_SHARE)
        text = " ".join(_written(sentence) for sentence in kept)
        needed = [one.text for one in code if not kept or self._is_needed(one, kept)]
        if memory.status == "candidate":
            text = f"{UNCONFIRMED_MARK} {text}"
        return replace(memory, insight=text or memory.title, rationale="", snippet="\n".join(needed))

    def _is_needed(self, code: Sentence, kept: Iterable[Sentence]) -> bool:
        """Return whether code holds a word of the task that nothing else says, or half of the task."""
        said = frozenset[str]().union(*(sentence.terms for sentence in kept))
        shared = self.wanted & code.terms
        if shared - said:
            return len(shared) >= _CODE_TERMS
        return len(shared) > _CODE_TERMS and 2 * len(shared) >= len(self.wanted)


@dataclass(slots=True)
class _Choice:
    sentences: list[Sentence]
    wanted: frozenset[str]
    _chosen: set[int] = field(default_factory=set)
    _said: set[str] = field(default_factory=set)
    _facts: set[str] = field(default_factory=set)

    def kept(self, share: float) -> list[Sentence]:
        """Return the sentences to keep, in order: about this share of the text, and what the task needs."""
        if not self.sentences:
            return []
        whole = sum(len(sentence.text) for sentence in self._without_repeats())
        room = min(max(SHORT_TEXT, int(share * whole)), int(share / KEPT_SHARE * LONGEST_TEXT))
        self._take(self._lead())
        is_topic = len(self.sentences[0].terms) < STATEMENT_WORDS
        if len(self.sentences) > 1 and (is_topic or share >= KEPT_OF_THE_BEST) and not self._is_said(self.sentences[1]):
            self._take(1)
        self._cover()
        for place in sorted(self._open(), key=lambda place: (-self._density(place), place)):
            fits = self._size() + len(self.sentences[place].text) <= room
            if fits and self._density(place) > 0 and not self._is_said(self.sentences[place]):
                self._take(place)
        return [self.sentences[place] for place in sorted(self._chosen)]

    def _without_repeats(self) -> list[Sentence]:
        lead = self._lead()
        return self.sentences if lead == 0 else self.sentences[1:]

    def _lead(self) -> int:
        """Return the place of what names the subject: the title, or a sentence that says all of the title."""
        title = self.sentences[0]
        for place, sentence in enumerate(self.sentences[1:], 1):
            if title.terms and title.terms <= sentence.terms and title.facts <= sentence.facts:
                return place
        return 0

    def _cover(self) -> None:
        """Take sentences until every word that task and memory share is said, the most new words first."""
        while True:
            missing = self.wanted - self._said

            def gain(place: int, missing: frozenset[str] = missing) -> tuple[float, int]:
                sentence = self.sentences[place]
                # Of two that say as much of the task, what to do goes before why.
                return len(sentence.terms & missing) - REASON_LOSS * sentence.is_reason, -len(sentence.text)

            best = max(self._open(), key=gain, default=None)
            if best is None or gain(best)[0] <= 0:
                return
            self._take(best)

    def _open(self) -> list[int]:
        return [
            place
            for place, sentence in enumerate(self.sentences)
            if place not in self._chosen and not self._is_said(sentence)
        ]

    def _is_said(self, sentence: Sentence) -> bool:
        if sentence.text.endswith(":"):
            return False
        fresh = len(sentence.terms - self._said)
        return sentence.facts <= self._facts and fresh <= (1 - SAID) * len(sentence.terms)

    def _density(self, place: int) -> float:
        sentence = self.sentences[place]
        facts = len(sentence.facts - self._facts)
        value = (
            _FACT_VALUE * facts
            + _NEGATION_VALUE * sentence.negations
            + _WANTED_VALUE * len(sentence.terms & self.wanted)
        )
        return value * (_REASON_SHARE if sentence.is_reason else 1.0) / (len(sentence.text) + _SHORTEST)

    def _take(self, place: int) -> None:
        """Take a sentence; one that ends in a colon with the first sentences of what it announces."""
        self._chosen.add(place)
        self._said |= self.sentences[place].terms
        self._facts |= self.sentences[place].facts
        if self.sentences[place].text.endswith(":"):
            for announced in range(place + 1, min(place + 1 + ANNOUNCED, len(self.sentences))):
                if announced not in self._chosen:
                    self._take(announced)

    def _size(self) -> int:
        return sum(len(self.sentences[place].text) for place in self._chosen)


def _written(sentence: Sentence) -> str:
    """Return a sentence without filler, with an end."""
    parts = _SPANS.split(sentence.text)
    text = "".join(part if place % 2 else _FILLER.sub("", part) for place, part in enumerate(parts)).strip()
    text = _TRAILING.sub("", text or sentence.text)
    return text if text[-1:] in ".!?:。！？" else f"{text}."
