"""What shows whether a title tells what a text says: numbers for the model of `title_choice.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from memtui.analysis.grammar import has_verb, language_of
from memtui.analysis.imperative import is_imperative
from memtui.analysis.text_features import COUNTED
from memtui.analysis.title_blocks import Block
from memtui.analysis.title_words import (
    bold_lead,
    is_document,
    is_file_name,
    is_rule,
    is_vague,
    sentences,
    undecorated,
    waits,
)
from memtui.text.inline import one_line, unmarked, visible
from memtui.text.tokens import STOP_WORDS
from memtui.text.words import CJK, cell_width

_MOST_SENTENCES = 14
_COUNTED_CHARS = 1_500  # Characters of a text whose words are counted
_STEM = 5
_SHORTEST_WORD = 3
_MOST_COUNTED = 4  # The words that a text says most often
_SAME_SHARE = 0.15  # by which a later sentence must hold more of a title's words than an earlier one
_LEAST_SHARE = 0.5  # of a title's words that the sentence holds which it is taken from
_ENDING = " .:;,!：。；，、…-–—"
_WORD = re.compile(r"[^\W_]+")
_POINTS = re.compile(
    r"\b(?:this|these|that|those|it|its|they|them|above|below|following|such|here|there|same|the other|both)\b",
    re.IGNORECASE,
)
_BEGINS_BACK = re.compile(r"(?:this|these|that|those|it|they)\b", re.IGNORECASE)
_ENDS_WITHIN = re.compile(
    r"\b(?:the|an?|of|to|for|in|on|with|by|and|or|but|as|at|from|is|are|was|be|that|which|when|if|not|e\.g|i\.e|via|per"
    r"|bei|mit|von|für|und|oder)\W*$",
    re.IGNORECASE,
)
_OBLIGES = re.compile(
    r"\b(?:must|should|shall|never|always|do not|don['’]t|cannot|only|avoid|required|forbidden|muss|müssen|darf|nie"
    r"|immer)\b|必须|禁止|不要|必ず|禁じ",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[^:]{1,24}: ")
_CODE = re.compile(r"\S*[/_.(){}\[\]<>=$\\|#@]\S*|--?\w+|[a-z]+[A-Z]\w*")


def _stems(words: str) -> list[str]:
    """Return the beginnings of the words that carry meaning, of Chinese and Japanese each pair of characters."""
    found = [word for word in _WORD.findall(words.lower()) if len(word) >= _SHORTEST_WORD and word not in STOP_WORDS]
    if words.isascii():
        return [word[:_STEM] for word in found]
    characters = "".join(CJK.findall(words))
    pairs = [characters[at : at + 2] for at in range(len(characters) - 1)]
    return [word[:_STEM] for word in found if not CJK.search(word)] + pairs


@dataclass(frozen=True, slots=True)
class TextSigns:
    """What a text says, as far as its titles are compared with it."""

    sentences: tuple[str, ...]
    stems: tuple[frozenset[str], ...]  # of each sentence
    obliges: tuple[bool, ...]  # whether each sentence forbids or demands
    counts: Mapping[str, int]  # of the stems of the text
    count: int  # of all of these, at least 1
    often: tuple[str, ...]  # the stems that it says most often
    headings: tuple[str, ...]  # above it, outermost first, in lower case
    heading_stems: frozenset[str]  # of the innermost heading
    kinds: tuple[str, ...]  # of its blocks
    bold: str  # the bold words that it begins with, in lower case
    language: str

    @classmethod
    def of(cls, found: Sequence[Block], headings: Sequence[str], language: str) -> TextSigns:
        """Return what the blocks of a text say below these headings."""
        sources = [undecorated(block.text)[0] for block in found if block.kind in {"paragraph", "item"}]
        texts = list(map(unmarked, sources))
        lead = bold_lead(sources[0]) if sources else None
        told = tuple(sentence for text in texts for sentence in sentences(text))[:_MOST_SENTENCES]
        whole = "\n".join(block.text for block in found)[:_COUNTED_CHARS]
        counts = Counter(_stems(whole))
        above = [one_line(visible(unmarked(heading))) for heading in headings]
        return cls(
            told,
            tuple(frozenset(_stems(sentence)) for sentence in told),
            tuple(bool(_OBLIGES.search(sentence)) for sentence in told),
            counts,
            max(1, counts.total()),
            tuple(stem for stem, count in counts.most_common(_MOST_COUNTED) if count > 1),
            tuple(heading.casefold().strip() for heading in above),
            frozenset(_stems(above[-1]) if above else ()),
            tuple(block.kind for block in found),
            unmarked(lead.words).rstrip(_ENDING).casefold() if lead else "",
            language,
        )

    def is_said_by(self, title: str) -> bool:
        """Return whether a title is all that the text says."""
        return len(self.kinds) == len(self.sentences) == 1 and self.sentences[0].startswith(title)

    def source_of(self, stems: frozenset[str]) -> int:
        """Return which sentence holds most of these stems, counted from 0; -1 if none holds half of them."""
        most, at = 0.0, -1
        for number, own in enumerate(self.stems):
            share = len(stems & own) / max(1, len(stems))
            if share > most + _SAME_SHARE:
                most, at = share, number
        return at if most >= _LEAST_SHARE else -1


def signs_of(title: str, told: TextSigns) -> dict[str, float]:
    """Return what of a title shows how well it tells what a text says, each as a number.

    Only those are here that the trees of `title_worth.json` ask for: of others that were tried (balance, questions,
    definitions, examples, the language …) they made no use.
    """
    parts = title.split(": ")
    headed = _headed(parts, told.headings)
    rest = ": ".join(parts[headed:])
    own, whole = frozenset(_stems(rest)), _stems(title)
    return {
        **_of_form(title, rest),
        **_of_wording(rest),
        **_of_headings(parts, headed, whole, told),
        **_of_text(told),
        **_of_content(title, own, whole, told),
        **_of_demands(rest, told),
    }


def _headed(parts: Sequence[str], headings: Sequence[str]) -> int:
    """Return how many parts of a title are headings that stand before what it says."""
    folded = [part.casefold().strip() for part in parts[:-1]]
    return sum(
        1 for _ in takewhile(lambda part: any(part in heading or heading in part for heading in headings), folded)
    )


def _of_form(title: str, rest: str) -> dict[str, float]:
    words = rest.split()
    return {
        "words": len(words) + len(CJK.findall(rest)) // 2,
        "cells": cell_width(title),
        "cut": title.endswith("…"),
        "lower": rest[:1].islower(),
        "colons": title.count(": "),
        "colon": ": " in rest,
        "commas": rest.count(", "),
        "labelled": bool(_LABELLED.match(rest)),
        "brackets": "(" in rest,
        "dash": " — " in rest or " – " in rest,
        "counts": bool(COUNTED.search(title)),
        "code": len(_CODE.findall(rest)) / max(1, len(words)),
    }


def _of_wording(rest: str) -> dict[str, float]:
    return {
        "no_verb": not has_verb(rest, language_of(rest)),
        "orders": is_imperative(rest),
        "rule": is_rule(rest),
        "begins_back": bool(_BEGINS_BACK.match(rest)),
        "ends_within": bool(_ENDS_WITHIN.search(rest.rstrip("…"))),
        "points": len(_POINTS.findall(rest)),
        "waits": waits(rest),
        "vague": is_vague(rest),
    }


def _of_headings(parts: Sequence[str], headed: int, stems: Sequence[str], told: TextSigns) -> dict[str, float]:
    last = parts[-1].casefold().strip()
    is_heading = headed == len(parts) - 1 and any(
        last == heading or (last in heading and len(last) > len(heading) * 0.6) for heading in told.headings
    )
    said = told.heading_stems
    return {
        "headed": headed,
        "all_heading": is_heading,
        "document": any(is_document(part) or is_file_name(part) for part in parts[: headed + 1]),
        "heading_said": len(said.intersection(stems)) / max(1, len(said)),
        "heading_in_text": len(said & told.counts.keys()) / max(1, len(said)),
        "headings": len(told.headings),
        "says_twice": len(stems) - len(set(stems)),
    }


def _of_text(told: TextSigns) -> dict[str, float]:
    first = told.kinds[0] if told.kinds else ""
    return {
        "sentences": len(told.sentences),
        "items": told.kinds.count("item"),
        "paragraphs": told.kinds.count("paragraph"),
        **{f"first_{kind}": first == kind for kind in ("paragraph", "item", "code")},
    }


def _of_content(title: str, own: frozenset[str], whole: Sequence[str], told: TextSigns) -> dict[str, float]:
    at = told.source_of(own)
    said = frozenset(whole)
    return {
        "source": at,
        "in_text": len(own & told.counts.keys()) / max(1, len(own)),
        "covered": sum(told.counts[stem] for stem in said & told.counts.keys()) / told.count,
        "often_said": len(said.intersection(told.often)) / len(told.often) if told.often else _LEAST_SHARE,
        "bold": bool(told.bold),
        "bold_said": bool(told.bold) and told.bold in title.casefold(),
        "of_sentence": len(own & told.stems[at]) / max(1, len(told.stems[at])) if at >= 0 else 0.0,
        "demand_before": at > 0 and told.obliges[0],
    }


def _of_demands(rest: str, told: TextSigns) -> dict[str, float]:
    demands = bool(_OBLIGES.search(rest))
    return {
        "demands": demands,
        "demand_missed": any(told.obliges) and not (demands or is_imperative(rest)),
    }
