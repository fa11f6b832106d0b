"""Say a sentence in fewer words without touching its clauses: without asides, without articles, as a headline."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from memtui.analysis.grammar import Grammar, capital, grammar_of, has_verb, language_of
from memtui.text.caseless import Seldom
from memtui.text.tables import read_table
from memtui.text.words import cell_width

PURPOSE = re.compile("(?:to|for|like|unlike|as) ", re.IGNORECASE)

_BETWEEN_DASHES = re.compile(r"\s[—–]\s[^—–]{1,160}\s[—–]\s")
_RELATIVE = re.compile("(?:which|who|whose) ")
_ASIDE = re.compile(  # `warn(docs)` holds none, unlike Japanese without a space
    r"[(（【](?:(?<=[\s\u3040-\u9fff]\()[^()]{1,300}\)|(?<=（)[^（）]{0,200}）|(?<=【)[^【】]{0,200}】)"
)
_QUOTES = frozenset(('""', "''", "“”", "‘’", "„“", "«»", "``", "「」"))
_LEADS_ON = frozenset("→⇒>=+/&|")  # What stands in brackets behind one of these is a step or a part itself
_JOINS = re.compile("and|or|of|to|with|like|the|an?|und|oder|et|ou|y|o|e", re.IGNORECASE)
_ARTICLE = re.compile(r"(?<!&)\b(?:the|an?)\s(?=[^\s\d])(?!(?:two|three|four|five|six|other)\b)", re.IGNORECASE)


@cache
def _compactions() -> tuple[tuple[Seldom, str], ...]:
    rows = read_table(__file__, "shorten.toml")["compact"]
    return tuple((Seldom(row["words"].replace("\n", "")), row["by"]) for row in rows)


def compact(text: str) -> str:
    """Return an English sentence as a headline says it: without articles, with short words for long ones."""
    if language_of(text) != "en":
        return text
    for words, by in _compactions():
        text = words.sub(by, text)
    return capital(text.strip()) or text


def without_articles(text: str) -> str:
    """Return an English sentence without its articles, the mildest form of a headline."""
    return text if language_of(text) != "en" else capital(_ARTICLE.sub("", text).strip()) or text


def without_asides(text: str, most: int, width: Callable[[str], int] = cell_width) -> str:
    """Drop what stands in brackets, from the end, or between dashes, until a sentence fits; it may still be too long.

    What limits the sentence, or is quoted, stays.
    """
    grammar = grammar_of(language_of(text))
    text = _without_dashes(text, grammar) if width(text) > most else text
    for aside in reversed([*_ASIDE.finditer(text)]):
        if width(text) <= most:
            break
        before, behind = text[: aside.start()].rstrip(), text[aside.end() :]
        if before[-1:] + behind[:1] in _QUOTES or before[-1:] in _LEADS_ON:
            continue
        if _JOINS.fullmatch(before.rpartition(" ")[2]):
            continue  # `groups like (app) and (auth)`
        words = aside[0].strip(" (（【")
        limits = grammar.exception.match(words) or grammar.condition.match(words)
        if before and not (limits or (grammar.negation.match(words) and "," not in words)):
            text = before + behind
    return text


def _without_dashes(text: str, grammar: Grammar) -> str:
    """Drop what stands between two dashes, if it names and does not limit."""
    dashes = _BETWEEN_DASHES.search(text)
    if dashes is None or not text[dashes.end() : dashes.end() + 1].islower():
        return text
    aside, before = dashes[0].strip(" —–"), text[: dashes.start()]
    names = bool(_RELATIVE.match(aside)) or not has_verb(aside, "en")
    limits = grammar.exception.search(aside) or grammar.negation.search(aside)
    if names and not (limits and has_verb(before, language_of(text))):
        is_lead = "," not in before and any(
            opener.match(text) for opener in (PURPOSE, grammar.condition, grammar.preposition)
        )
        text = text[: dashes.start()] + (", " if is_lead else " ") + text[dashes.end() :]
    return text
