"""Counting tokens offline: exactly for a named encoding, else an estimate on the safe side."""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Protocol

from memtui.text.words import unknown

DEFAULT_ENCODING = "o200k_base"
EXACT_ENCODINGS = (DEFAULT_ENCODING, "cl100k_base")
ESTIMATE = "estimate"

_SURROGATE = re.compile("[\ud800-\udfff]")

_PIECE = re.compile(
    r"(?P<blob>[A-Za-z0-9+/=]{20,})"
    r"|(?P<word>[ ]?[A-Z]?[a-z]+)"
    r"|(?P<capitals>[A-Z]+)"
    r"|(?P<digits>[ ]?[0-9]+)"
    r"|(?P<sign>[ ]?[!-/:-@\[-`{-~])"
    r"|(?P<space>[\x00-\x20\x7f]+)"
    r"|(?P<other>[^\x00-\x7f]+)"
)
_LONGEST_WORD = 11  # characters of a word and its space that are one token; inside a name half as many
_SHORT_WORD, _RARE_WORD = 5, 1.2  # some words of more characters are two tokens
_LETTERS_OF_CAPITALS = 2
_DIGITS = 3
_CHARACTERS_OF_BLOB = 1.1  # base64, hashes, keys

# Tokens per character by the block it is in: the first code point beyond the block, and the weight.
_WEIGHTS = (
    (0x0300, 0.75),  # Latin with accents
    (0x0370, 1.5),  # combining marks
    (0x0530, 0.45),  # Greek, Cyrillic
    (0x0900, 0.8),  # Hebrew, Arabic
    (0x0E00, 1.3),  # Indic
    (0x2010, 1.2),
    (0x2030, 1.0),  # dashes and quotation marks
    (0x2E80, 1.5),  # symbols
    (0xAC00, 1.05),  # Han, kana
    (0xD7A4, 0.8),  # Hangul
    (0xFE00, 1.2),
    (0xFE10, 2.0),  # variation selectors
    (0x10000, 1.1),
    (0x110000, 3.2),  # emoji
)


class TokenCounter(Protocol):
    """Counts the tokens of a text."""

    encoding: str  # its name, or `estimate`
    exact: bool  # whether the count is exact for the encoding, or an estimate on the safe side

    def count(self, text: str) -> int:
        """Return the number of tokens; special tokens that the text spells out count as ordinary text."""
        ...


@cache
def get_counter(encoding: str = DEFAULT_ENCODING) -> TokenCounter:
    """Return the counter of an encoding, loaded once (about 100 ms); the estimate if its package is missing.

    Raises `UsageError`: the encoding is unknown.
    """
    if encoding == ESTIMATE:
        return _Estimate()
    if encoding not in EXACT_ENCODINGS:
        raise unknown("token encoding", encoding, (*EXACT_ENCODINGS, ESTIMATE))
    try:
        from rs_bpe.bpe import openai
    except ImportError:
        return _Estimate()
    return _Exact(encoding, getattr(openai, encoding)())


def is_common_word(word: str) -> bool:
    """Return whether a word in lower case is common enough to be one token; of 20 misspelt words two are.

    False where no vocabulary is installed.
    """
    counter = get_counter()
    return counter.exact and counter.count(f" {word}") == 1


class _Exact:
    exact = True

    def __init__(self, encoding: str, tokenizer: Any) -> None:
        self.encoding = encoding
        self._tokenizer = tokenizer

    def count(self, text: str) -> int:
        """Return the number of tokens; a lone surrogate counts as the U+FFFD it is written as."""
        return int(self._tokenizer.count(text if text.isascii() else _SURROGATE.sub("\ufffd", text)))


class _Estimate:
    """An upper estimate that needs no vocabulary.

    Measured against o200k_base and cl100k_base: prose, code, JSON and Markdown come out 15 to 60 % high, Chinese,
    Japanese and Korean 5 to 80 % high, other scripts up to three times too high for o200k_base, since the estimate must
    suffice for older vocabularies too. Only random letters and odd white space came out low, by 16 % at most.
    """

    encoding = ESTIMATE
    exact = False

    def count(self, text: str) -> int:
        return math.ceil(math.fsum(chain.from_iterable(map(_weigh, _PIECE.finditer(text)))))


def _weigh(piece: re.Match[str]) -> tuple[float, ...]:
    text = piece.group()
    match piece.lastgroup:
        case "word":
            spaced = text[0] == " " or piece.start() == 0
            rarity = _RARE_WORD if len(text) > _SHORT_WORD else 1
            return (math.ceil(len(text) / (_LONGEST_WORD if spaced else _LONGEST_WORD / 2)) * rarity,)
        case "space":
            tail = len(text) - 1 - text.rfind("\n")
            return (("\n" in text) + (tail > 0 if "\n" in text else len(text) > 1),)
        case "sign":
            return (1,)
        case "digits":
            return (math.ceil(len(text.lstrip()) / _DIGITS) + (text[0] == " "),)
        case "capitals":
            return (math.ceil(len(text) / _LETTERS_OF_CAPITALS),)
        case "blob":
            return (len(text) / (_CHARACTERS_OF_BLOB if any(map(str.isdigit, text)) else _LETTERS_OF_CAPITALS),)
        case _:
            return tuple(map(_character_weight, text))


@lru_cache(maxsize=8192)
def _character_weight(character: str) -> float:
    code = ord(character)
    return next(weight for end, weight in _WEIGHTS if code < end)
