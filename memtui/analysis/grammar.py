"""What the short words of a language tell: which language it is, where clauses begin and end, what a verb is."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache, lru_cache

from memtui.analysis.imperative import is_imperative
from memtui.analysis.sentence_acts import openings
from memtui.text.caseless import Caseless, Seldom
from memtui.text.tables import read_table

_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u3400-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
LATIN = ("en", "de", "fr", "es", "pt")
_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_ASCII_WORD = re.compile(r"[a-z][a-z0-9_'.-]*")  # the same in a text of ASCII in lower case, in half the time
_TOLD_CHARS = 400
_PAIRS = ("()", "[]", "{}", "（）", "「」", "『』", "“”", "«»", "【】", "<>")
FINITE = Caseless(
    r"\b(?:is|are|was|were|be|has|have|do|does|must|should|can|will|may|need|needs|cannot|never|always|use|hold|live|give|take|make|require|provide|contain|belong|depend"
    r"|exist|apply|remain|keep|become|\w+n['’]t)\b"
)
_ACTS = re.compile(
    "[a-z] [a-z]{2,}s (?:(?:an?|the|its|their|all|every|each|no|only|any|to|when|if)\\b|[\ue000-\uf8ff])"
)
_CODE_ACTS = re.compile("[\ue000-\uf8ff]\\S* [a-z]+s\\b")
RELATIVE_SUBJECT = re.compile(r"(?:\S+ ){1,3}(?:that|which|who) ")
_WORD_ONLY = re.compile(r"[a-zà-ÿ]+(?:[\s,'’]|$)")


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words of one language that open and end clauses, as in shorten.toml."""

    condition: Seldom
    temporal: Caseless
    exception: Seldom
    negation: Seldom
    reason: Caseless
    relative: Caseless
    aside: Caseless
    addition: Caseless
    preposition: Caseless
    example: Caseless
    dangling: Caseless
    verb_last: Caseless
    filler: Caseless
    pronoun: Caseless
    anaphora: Caseless
    restriction: Caseless
    contrast: Seldom


@cache
def grammar_of(language: str) -> Grammar:
    """Return the clause words of a language; of one without a table none."""
    table = read_table(__file__, "shorten.toml").get(language, {})
    start, end = (r"(?<![\w-])", r"(?![\w'’-])") if language in LATIN else ("", "")

    def words(key: str) -> Seldom:
        joined = table.get(key, "(?!)").replace("\n", "")
        return Seldom(f"{start}(?:{joined}){end}")

    return Grammar(**{each.name: words(each.name) for each in fields(Grammar)})


@cache
def plain_verbs() -> frozenset[str]:
    """Return the verbs that instructions begin with and that are no nouns."""
    return openings("verbs") - openings("nouns")


@cache
def _common(language: str) -> frozenset[str]:
    return frozenset(read_table(__file__, "shorten.toml")[language]["common"].split("|"))


@lru_cache(maxsize=4096)
def language_of(text: str) -> str:
    """Return the language of a text as a two-letter code: by its script, else by its frequent short words."""
    if not text.isascii():
        if _KANA.search(text):
            return "ja"
        if _HANGUL.search(text):
            return "ko"
        if len(_HAN.findall(text)) > 1:
            return "zh"
    words = (_ASCII_WORD if text.isascii() else _WORD).findall(text[:_TOLD_CHARS].lower())
    counts = {language: sum(map(_common(language).__contains__, words)) for language in LATIN}
    return max(LATIN, key=lambda language: counts[language])


def is_balanced(text: str) -> bool:
    """Return whether every bracket and quote of a text is closed."""
    if text.isalnum():
        return True
    quotes = text.count('"') % 2 or text.count("`") % 2
    return not quotes and all(text.count(pair[0]) == text.count(pair[1]) for pair in _PAIRS[:-1])


def without_filler(text: str) -> str:
    """Return a sentence without leading words such as `Please` and `Make sure to`."""
    filler = grammar_of(language_of(text)).filler.match(text)
    rest = text[filler.end() :].lstrip(" ,，") if filler else ""
    if not rest:
        return text
    return capital(rest) if text[0].isupper() else rest


def capital(text: str) -> str:
    """Return a sentence with a capital, unless it begins with a name or code."""
    return text[0].upper() + text[1:] if _WORD_ONLY.match(text) else text


def has_verb(head: str, language: str) -> bool:
    """Return whether words state something rather than name it; always for other languages than English."""
    if language != "en" or is_imperative(head):
        return True
    least = 1 + bool(RELATIVE_SUBJECT.match(head))
    verbs = plain_verbs()
    acting = (word for word in head.lower().split()[1:] if word.endswith("s") and word.removesuffix("s") in verbs)
    told = (found[0].split()[1] for found in _ACTS.finditer(head.lower()))
    acts = len({*acting, *told}) + bool(_CODE_ACTS.match(head))
    return sum(1 for _ in FINITE.finditer(head)) + acts >= least
