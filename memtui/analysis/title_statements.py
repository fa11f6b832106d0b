"""What a paragraph or item states first, without the labels, numbers and remarks before it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from memtui.analysis.grammar import capital, grammar_of, has_verb, language_of, plain_verbs, without_filler
from memtui.analysis.headlines import without_asides
from memtui.analysis.imperative import is_imperative
from memtui.analysis.sentence_acts import openings
from memtui.analysis.shorten import CLAUSE, shortened
from memtui.analysis.title_blocks import Statement
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_words import (
    BoldLead,
    bold_lead,
    is_bad,
    is_dropped,
    is_metadata,
    is_rule,
    matches,
    sentences,
    stands_alone,
    undecorated,
    waits,
    without_label,
)
from memtui.text.inline import HeldCode, unmarked
from memtui.text.words import cell_width

_QUOTED = re.compile(r"[\"“«「]([^\"“”«»「」]+)[\"”»」]$")
_ASIDE = re.compile(r"\s*\([^()]{1,60}\)")
_WORD = re.compile(r"\w")
_STEP_NUMBER = re.compile(r"((?:→|⇒|->|=>)\s?)\d[.)]\s(?=\s?\S)")  # `1. lift → 2. lower`
_PURPOSE = re.compile(r"(?:purpose|goal|aim|objective|mission|intent)s?", re.IGNORECASE)
_QUESTIONS = ("?", "？")
_ENDING = " .:;,：。；，、…-–—"
_MOST_SENTENCES = 12
_OUTRIGHT = re.compile(r"\b(?:must|should|never|always|do not|don['’]t|cannot|only)\b", re.IGNORECASE)
_GOES_ON = re.compile(
    r"(?:so|then|also|but|and|or|otherwise|therefore|thus|hence|if so|instead|both|each|which)\b", re.IGNORECASE
)
_VERDICT = re.compile(r"yes|no|never|always|not ever|ja|nein|nie|oui|non|jamais|sí|nunca|sim|não", re.IGNORECASE)
_NAMED_PLACE = re.compile(r"\w[./]\w")
_POINTS_TO = re.compile(r"(?:^|,\s)(?:please\s)?((?:see|refer to|read|consult|check out|visit)\b.*)", re.IGNORECASE)
_DEMANDS = re.compile(r"\b(?:must|should|never|always|do not|don['’]t|cannot)\b", re.IGNORECASE)
_FORBIDS = re.compile(r"(?:Always|Never|Do not|Don['’]t|Must)\b", re.IGNORECASE)
_ORDERS = re.compile(rf"{_FORBIDS.pattern}|(?:It|They) (?:must|should|cannot|may not|never)\b", re.IGNORECASE)
_ON_OCCASION = re.compile(
    r"(?:Use|Read|Load|Invoke|Run|Trigger) (?:this |it )?(?:when|if|for|before|whenever|to)\b", re.IGNORECASE
)
_PREMISE = re.compile(  # why a rule is needed, and no rule itself
    r"\b(?:eas(?:y|ily)|hard to|matters?|important|critical|crucial|sensitive|risky|dangerous|fragile|subtle|tricky"
    r"|costly|expensive|error-prone|powerful|guidelines)\b"
)
_POINTS = re.compile(r"(?:This|It) is (?:an?|the) ")  # says only what something is that it does not name
_POINTS_BACK = re.compile(r"\b(?:it|its|this|these|those|them|they|here|there|either|one)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[;:—–]\s|\s[—–]")
_SECOND_WORD = re.compile(r"\w+ (\w*).*", re.DOTALL)
_QUANTITIES = frozenset({"all", "any", "each", "every", "no", "only", "both", "be", "see"})
_SLOGAN_WORDS, _SLOGAN_CELLS, _LABEL_WORDS = 6, 40, 4
_NAME = re.compile(
    r"(?!(?:One|Two|Three|Four|Five|Zero|No|Max|Min)\b)"
    r"(?:[A-Z][\w-]+(?<!s)(?: [A-Za-z][\w-]*){1,3}|[A-Z][\w]+-[\w-]+)(?<!ed)"
)


def _says_what_to_do(background: str) -> bool:
    statement = capital(background.partition(": ")[2]) or background
    return is_imperative(statement) or is_rule(background) or _OUTRIGHT.search(background) is not None


def without_order(heading: str) -> str:
    """Return a heading without the order behind its subject, as in "Night lifts: never without a lamp"."""
    subject, _, order = heading.partition(": ")
    return subject if " " in subject and _FORBIDS.match(order) else heading


@dataclass(slots=True)
class Statements:
    """Reads statements whose code is held."""

    held: HeldCode

    def statement(self, source: str) -> Statement:
        """Return the first sentence that states something, without labels and numbers before it."""
        bare, wrong = undecorated(_STEP_NUMBER.sub(r"\1", source))
        lead = bold_lead(bare)
        if lead and not lead.goes_on and (lead.is_apart or (lead.is_rule and is_rule(lead.words))):
            statement = self._of_bold(lead, bare)
        elif lead and self._is_point(lead.words, bare):
            statement = Statement(unmarked(lead.words))
        else:
            plain = unmarked(bare)
            quoted = _QUOTED.match(plain)
            label, rest = self._label_before(quoted[1] if quoted else plain)
            if label and _PURPOSE.fullmatch(label) and rest[:1].islower():
                return Statement(f"{label}: {self.first(rest)}")  # without it, what a thing does reads as an order
            statement = self.statement(rest) if label else Statement(self.first(rest))
            statement.avoid |= is_bad(label)
        statement.avoid |= wrong
        return statement

    def place_to_read(self, source: str) -> str:
        """Return what the first sentence says to read, if it says nothing else and names the place."""
        first = next(sentences(unmarked(self.held.take_out(undecorated(source)[0])).strip()), "")
        points = _POINTS_TO.search(first) if matches("sentences", "pointer", first) else None
        return points[1] if points and _NAMED_PLACE.search(self.held.put_back(points[1])) else ""

    @staticmethod
    def _label_before(plain: str) -> tuple[str, str]:
        """Return the label before a statement that says nothing or only calls it wrong, and the rest; else no label."""
        label, rest = without_label(plain)
        return ("", plain) if matches("labels", "nouns", label) else (label, rest)

    def _of_bold(self, lead: BoldLead, source: str) -> Statement:
        """Return what a text states that begins with bold words, with what stands in brackets or says more of them."""
        is_sentence = lead.words.rstrip().endswith((".", "!", "。"))
        statement = self._of_lead(unmarked(lead.words).rstrip(_ENDING), lead.rest, is_sentence=is_sentence)
        if statement.words != statement.lead:
            return statement
        aside = _ASIDE.match(source, source.find(lead.words) + len(lead.words) + 2)
        both = f"{statement.words} {unmarked(aside[0])}" if aside else ""
        if both and self._width(both) <= MAX_TITLE_CELLS:
            statement.words = both
        elif lead.is_apart and not (aside or statement.avoid):
            statement.words = self._with_point(statement.words, lead.rest)
        return statement

    def _is_point(self, bold: str, source: str) -> bool:
        """Return whether bold words at the beginning state what a sentence without room for all of it says."""
        words = unmarked(bold)
        states = len(words.split()) > _SLOGAN_WORDS and has_verb(words, language_of(words))
        whole = next(sentences(unmarked(source)), "")
        return states and self._width(words) <= MAX_TITLE_CELLS < self._width(whole)

    def _of_lead(self, label: str, rest: str, *, is_sentence: bool) -> Statement:
        """Return what a text with bold words before it states."""
        label = without_label(undecorated(label)[0])[1]
        if not rest.strip():
            told = "" if is_metadata(label) or is_dropped(label) else self._whole_sentences(label)
            return Statement(told, label)
        if is_dropped(label) and not matches("labels", "nouns", label):
            statement = self.statement(rest)
            statement.avoid |= is_bad(label)
            return statement
        if stands_alone(label) and (is_sentence or not waits(label)):
            return Statement(self._whole_sentences(label), label)
        told = self.first(unmarked(rest))
        if matches("labels", "part", label):
            return Statement(told, label, part=True)
        between = ", " if " " in label and told.startswith(("not ", "never ")) else ": "
        return Statement(f"{label}{between}{told}" if told else label, label)

    def _with_point(self, slogan: str, rest: str) -> str:
        """Return a slogan of few words with what the text behind it states, if there is room: it says more of it."""
        if not stands_alone(slogan) or len(slogan.split()) > _SLOGAN_WORDS or self._width(slogan) > _SLOGAN_CELLS:
            return slogan
        room = MAX_TITLE_CELLS - self._width(slogan) - 2
        told = shortened(self.first(unmarked(rest)), room, self._width, least_rank=CLAUSE)
        refers = grammar_of(language_of(rest)).pronoun.match(told or "")
        return f"{slogan}: {told}" if told and not refers else slogan

    def _whole_sentences(self, label: str) -> str:
        """Return as many sentences of bold words as fit, at least the first."""
        first, *more = sentences(label)
        if more and first.endswith(_QUESTIONS):
            return self.first(label)
        for sentence in more if self._width(label) > MAX_TITLE_CELLS else ():
            if self._width(f"{first} {sentence}") > MAX_TITLE_CELLS:
                return first
            first = f"{first} {sentence}"
        return first if more and self._width(label) > MAX_TITLE_CELLS else label

    def first(self, plain: str) -> str:
        """Return the first sentence that is no pointer, question or remark on the text itself; may be empty."""
        question = ""
        for sentence in islice(sentences(plain), _MOST_SENTENCES):
            bare = sentence.strip().rstrip(_ENDING)
            if question and _VERDICT.fullmatch(bare):
                question = f"{question} {bare}."  # what follows only says why
                continue
            says_nothing = is_dropped(bare) or not _WORD.search(self.held.put_back(bare))
            if says_nothing or any(matches("sentences", key, bare) for key in ("pointer", "meta", "counts")):
                continue
            if not bare.endswith(_QUESTIONS):
                if answered := self._answered(question, bare):
                    return answered
                if question and not question.endswith(_QUESTIONS):
                    return question
                ways = (self._labelled, self._rule_behind, self._with_order)
                return next(filter(None, (way(bare, plain) for way in ways)), "") or without_filler(bare)
            question = question or bare
        return question

    def _answered(self, question: str, answer: str) -> str:
        """Return a question with its answer, shortened where need be; empty if there is no room for both."""
        both = without_asides(f"{question} {answer}", MAX_TITLE_CELLS)
        if not question or self._width(both) <= MAX_TITLE_CELLS:
            return both if question else ""
        room = MAX_TITLE_CELLS - self._width(question) - 1
        short = shortened(answer, room, self._width, least_rank=CLAUSE)
        return f"{question} {short}" if short else ""

    def _labelled(self, name: str, plain: str) -> str:
        """Return a sentence that is a mere name with what stands behind it, as in "Night lifts. Use the crane"."""
        if not _NAME.fullmatch(name) or language_of(plain) != "en" or has_verb(name, "en") or is_rule(name):
            return ""
        _, found, behind = plain.partition(f"{name}. ")
        told = next(sentences(behind), "").rstrip(_ENDING) if found else ""
        if not (has_verb(told, "en") or _DEMANDS.search(told)) or grammar_of("en").pronoun.match(told):
            return ""
        room = MAX_TITLE_CELLS - self._width(name) - 2
        short = told if self._width(told) <= room else shortened(told, room, self._width)
        return f"{name}: {short}" if short else ""

    def _with_order(self, fact: str, plain: str) -> str:
        """Return a sentence that tells how things are with the order right behind it, as far as there is room.

        Without room for both, it is the order if that forbids something or the fact only gives its reason.
        """
        says_rule = is_imperative(fact) or is_rule(fact) or _DEMANDS.search(fact)
        order = "" if says_rule or language_of(plain) != "en" else self._order_behind(fact, plain)
        if not order:
            return ""
        grammar = grammar_of("en")
        refers = grammar.pronoun.match(fact)
        for act in () if refers else dict.fromkeys((order, order.partition("; ")[0])):
            room = MAX_TITLE_CELLS - self._width(act) - 2
            short = fact if self._width(fact) <= room else shortened(fact, room, self._width, least_rank=CLAUSE)
            if short:
                return f"{short}; {act[0].lower()}{act[1:]}"
        first = _CLAUSE_END.split(order, maxsplit=1)[0]
        points = grammar.pronoun.match(order) or grammar.anaphora.search(order) or _POINTS_BACK.search(first)
        outweighs = _PREMISE.search(fact) or (_FORBIDS.match(order) and not grammar.negation.search(fact))
        return self._below_label_of(fact, order) if outweighs and not points else ""

    def _below_label_of(self, fact: str, order: str) -> str:
        """Return an order in the room there is, below the label of the fact that it follows."""
        label, colon, _ = fact.partition(": ")
        named = f"{label}: " if colon and len(label.split()) <= _LABEL_WORDS else ""
        short = shortened(order, MAX_TITLE_CELLS - self._width(named), self._width)
        return f"{named}{short}" if short else ""

    @staticmethod
    def _order_behind(fact: str, plain: str) -> str:
        """Return the order right behind a sentence; empty if there is none, or only one for an occasion."""
        behind = plain[plain.find(fact) + len(fact) :]
        order = next(sentences(behind.lstrip(_ENDING)), "").rstrip(_ENDING) if behind.startswith(". ") else ""
        first = order.partition(" ")[0]
        orders = (first.istitle() and first.lower() in plain_verbs() - _QUANTITIES) or _ORDERS.match(order)
        if first == "Always" and _SECOND_WORD.sub(r"\1", order) not in openings("verbs"):
            return ""  # "Always active: …"
        is_other = _ON_OCCASION.match(order) or matches("sentences", "pointer", order)
        return order if orders and not is_other else ""

    def _rule_behind(self, background: str, plain: str) -> str:
        """Return the sentence behind a long one that tells how things are, if it says outright what has to be done."""
        points = bool(_POINTS.match(background))
        if (self._width(background) <= MAX_TITLE_CELLS and not points) or _says_what_to_do(background):
            return ""
        behind = plain[plain.find(background) + len(background) :].lstrip(_ENDING)
        rule = next(sentences(behind), "").rstrip(_ENDING)
        grammar = grammar_of("en")
        refers = grammar.pronoun.match(rule) or grammar.anaphora.search(rule) or _GOES_ON.match(rule)
        orders = _OUTRIGHT.search(rule) or (points and rule.partition(" ")[0].lower() in plain_verbs() - _QUANTITIES)
        stands = language_of(plain) == "en" and orders and not refers and rule[:1].isupper()
        return rule if stands and self._width(rule) <= MAX_TITLE_CELLS else ""

    def _width(self, words: str) -> int:
        return cell_width(self.held.put_back(words))
