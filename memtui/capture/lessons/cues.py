"""What people say around a lesson and around what is none, as patterns of seven languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from memtui.text.tables import read_table

_ALL = ""
_LETTER = r"[^\W\d_]"
_HAN = re.compile(r"[\u3400-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_WORD = re.compile(rf"{_LETTER}+(?:'{_LETTER}+)?")
_SPACELESS = ("zh", "ja")
_FLAGS = ("start", "whole")
_READ_WORDS = 60
_LEAD = r"\A[\s\W]*(?:(?:whoa|h+m+|ugh|oh|ah|hey|uh|btw|oje|ach|äh|bah|euh|ay|uy|ih|啊|呃|嗯|あ|えっと|えーと)[\s\W]+)*"
"""An interjection before what opens a statement."""

_NO_WORD = re.compile(r"[\s\W_]+")


@lru_cache(4_096)
def language_of(text: str) -> str:
    """Return the language of a text of a person, empty where it cannot be told."""
    lower = text[:600].lower().replace("\u2019", "'")
    if _KANA.search(lower):
        return "ja"
    if _HAN.search(lower):
        return "zh"
    counts: dict[str, int] = {}
    for word in _WORD.findall(lower)[:_READ_WORDS]:
        for language in _short_words().get(word, ()):
            counts[language] = counts.get(language, 0) + 1
    most = max(counts.values(), default=0)
    best = [language for language, count in counts.items() if count == most]
    return best[0] if len(best) == 1 else _ALL


def words_of_language(text: str) -> int:
    """Return how many of the short words of any language a text has."""
    return sum(word in _short_words() for word in _WORD.findall(text[:600].lower())[:_READ_WORDS])


def says(cue: str, plain: str, language: str = _ALL) -> bool:
    """Return whether a statement in lower case holds a cue of `cues.toml`, in one language or in any."""
    pattern = _pattern(cue, language)
    return pattern is not None and pattern.search(plain) is not None


def matches(cue: str, plain: str, language: str = _ALL) -> Iterator[tuple[int, int]]:
    """Yield where a statement in lower case holds the words of a cue."""
    pattern = _pattern(cue, language)
    yield from (found.span() for found in pattern.finditer(plain)) if pattern else ()


@lru_cache(1_024)
def only_agrees(plain: str) -> bool:
    """Return whether nothing but agreement, thanks or praise is said."""
    pattern = _pattern("agrees", _ALL)
    return pattern is not None and not _NO_WORD.sub("", pattern.sub(" ", plain))


@cache
def _pattern(cue: str, language: str) -> re.Pattern[str] | None:
    entry = read_table(__file__, "cues.toml")[cue]
    languages = [name for name in entry if name not in _FLAGS] if language == _ALL else [language]
    spaced = "|".join(entry[name] for name in languages if name in entry and name not in _SPACELESS)
    spaceless = "|".join(entry[name] for name in languages if name in entry and name in _SPACELESS)
    parts = [rf"(?<!{_LETTER})(?:{spaced})(?!{_LETTER})" if spaced else "", f"(?:{spaceless})" if spaceless else ""]
    either = "|".join(filter(None, parts))
    lead = _LEAD if entry.get("start") else ""
    return re.compile(f"{lead}(?:{either})") if either else None


@cache
def _short_words() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in read_table(__file__, "cues.toml")["languages"].items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found
