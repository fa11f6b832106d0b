"""BERT's uncased WordPiece: text to the token ids of all-MiniLM-L6-v2.

An own one because the usual package brings a hub client and a network stack along; a test holds it equal to that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

LONGEST = 256
"""Tokens of a text, [CLS] and [SEP] among them: the model was trained on no more."""

LONGEST_TEXT = 16_384
"""Characters that are looked at. 256 tokens of words stand within the first few thousand."""

LONGEST_WORD = 100
"""Characters of a word beyond which it is unknown, as in BERT."""

_CACHED_WORDS = 50_000
"""Words whose pieces are remembered, about 10 MB."""

_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_ASCII_TOKENS = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_ASCII_CONTROLS = {code: None for code in range(128) if (code < 32 or code == 127) and chr(code) not in "\t\n\r"}  # noqa: PLR2004 - C0 and DEL
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
"""Ideographs stand alone, as in BERT; kana and hangul do not."""


class _Table(dict[int, str]):
    """A table for `str.translate` that is worked out one character at a time."""

    def __missing__(self, code: int) -> str:
        self[code] = value = self.replacement(chr(code), code)
        return value

    def replacement(self, character: str, code: int) -> str:
        raise NotImplementedError


class _Cleaning(_Table):
    """Drops control characters, makes every white space a blank, and sets ideographs apart."""

    def replacement(self, character: str, code: int) -> str:
        if character in "\t\n\r":
            return " "
        if code in {0, 0xFFFD} or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}:
            return ""
        if character.isspace():
            return " "
        if any(first <= code <= last for first, last in _IDEOGRAPHS):
            return f" {character} "
        return character


class _Splitting(_Table):
    """Drops marks that decomposing set free, and sets punctuation apart."""

    def replacement(self, character: str, code: int) -> str:  # noqa: ARG002 - the table's one signature
        category = unicodedata.category(character)
        if category == "Mn":
            return ""
        if category[0] == "P" or (character.isascii() and category[0] == "S"):
            return f" {character} "
        # Letter by letter, since a whole word in Greek capitals would get another sigma at its end.
        return character.lower()


_CLEANING = _Cleaning()
_SPLITTING = _Splitting()


def words_of(text: str) -> list[str]:
    """Return the words and punctuation marks of a text: lower case, without accents."""
    if text.isascii():
        return _ASCII_TOKENS.findall(text.translate(_ASCII_CONTROLS).lower())
    return unicodedata.normalize("NFD", text.translate(_CLEANING)).translate(_SPLITTING).split()


class WordPiece:
    """A tokenizer over one vocabulary.

    Args:
        vocabulary: file with one piece per line; the line is the id.
    """

    def __init__(self, vocabulary: Path) -> None:
        pieces = vocabulary.read_text(encoding="utf-8").split("\n")
        self._ids = {piece: number for number, piece in enumerate(pieces) if piece}
        self._longest = max(map(len, self._ids))
        self._unknown = self._ids["[UNK]"]
        self._start, self._end = self._ids["[CLS]"], self._ids["[SEP]"]
        self._pieces = lru_cache(maxsize=_CACHED_WORDS)(self._split)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, at most 256, [CLS] first and [SEP] last."""
        ids = [self._start]
        for number in self._numbers(text[:LONGEST_TEXT]):
            if len(ids) == LONGEST - 1:
                break
            ids.append(number)
        ids.append(self._end)
        return ids

    def _numbers(self, text: str) -> Iterator[int]:
        for place, part in enumerate(_SPECIAL.split(text)):
            if place % 2:
                yield self._ids[part]
                continue
            for word in words_of(part):
                yield from self._pieces(word)

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the pieces of a word, each the longest that fits; a word that is not made of pieces is unknown."""
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._ids.get(f"##{word[start:end]}" if start else word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(found)
