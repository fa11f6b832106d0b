"""Recognise text that is not UTF-8, where it is safe to say what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memtui.text.tables import read_table

_SAMPLE_BYTES = 32_000
_LEAST_SHARE = 0.2
"""Of the characters of a script, so many are frequent ones; text in a wrong encoding has less than 0.1."""

_LEAST_LEAD = 2.0  # How many times better than any other reading a reading must be

_NO_WORDS = 0.01
"""The score of a text whose letters fit an alphabet, but which has none of the language's frequent words."""

_LEAST_ASCII = 0.5
_WORD = re.compile(r"[^\W\d_]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_INSIDE_A_WORD = re.compile(r"(?<=[^\W\d_])[^\s\x00-\x7f](?=[^\W\d_])")
_APOSTROPHES = frozenset("’‘·–—")


def guess_encoding(raw: bytes) -> str:
    """Return the encoding of a text that is neither UTF-8 nor marked as UTF-16; empty where it is not safe to say.

    Every encoding that can hold the bytes is tried. A reading counts for something only if it looks like one of the
    languages written in that encoding, and it wins only if no other reading looks half as good.
    """
    if b"\0" in raw:
        return next((name for name in ("utf-16-le", "utf-16-be") if _is_utf_16(raw, name)), "")
    scores: dict[str, tuple[float, str]] = {}
    for score, encoding, text in _readings(raw[:_SAMPLE_BYTES]):
        if score > scores.get(text, (0.0, ""))[0]:
            scores[text] = (score, encoding)
    best = sorted(scores.values(), reverse=True)
    if not best or (len(best) > 1 and best[0][0] < _LEAST_LEAD * best[1][0]):
        return ""
    return best[0][1] if _decoded(raw, best[0][1]) is not None else ""


def _is_utf_16(raw: bytes, encoding: str) -> bool:
    text = _decoded(raw, encoding)
    if not text or _CONTROLS.search(text):
        return False
    known = sum(1 for sign in text if sign.isascii() or sign in _frequent_anywhere())
    return known >= _LEAST_ASCII * len(text)


def _decoded(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


def _readings(sample: bytes) -> Iterator[tuple[float, str, str]]:
    """Yield a score, the encoding and the text of each plausible reading."""
    # A sample may end within a character, which a line never does.
    sample = sample[: sample.rfind(b"\n") + 1] or sample
    table = _table()
    for kind, score_of in (("scripts", _script_score), ("alphabets", _alphabet_score)):
        for language in table[kind]:
            for encoding in language["encodings"]:
                text = _decoded(sample, encoding)
                if text is not None and not _CONTROLS.search(text) and (score := score_of(text, language)):
                    yield score, encoding, text


def _table() -> dict[str, list[dict[str, str]]]:
    return read_table(__file__, "encodings.toml")


@cache
def _marks() -> frozenset[str]:
    return frozenset(read_table(__file__, "encodings.toml")["marks"])


@cache
def _frequent_anywhere() -> frozenset[str]:
    table = _table()
    letters = (one["letters"] for one in table["alphabets"])
    return frozenset("".join((*letters, *(one["frequent"] for one in table["scripts"])))) | _marks()


def _script_score(text: str, language: dict[str, str]) -> float:
    letters = [sign for sign in text if not sign.isascii() and sign not in _marks()]
    frequent = frozenset(language["frequent"])
    share = sum(1 for sign in letters if sign in frequent) / len(letters) if letters else 0.0
    return share if share >= _LEAST_SHARE else 0.0


def _alphabet_score(text: str, language: dict[str, str]) -> float:
    """Return the share of frequent words, if every letter belongs to the language and stands where letters stand."""
    alphabet = frozenset(language["letters"]) | _marks()
    if any(sign.lower() not in alphabet for sign in _BEYOND_ASCII.findall(text)):
        return 0.0
    if any(not sign.isalpha() and sign not in _APOSTROPHES for sign in _INSIDE_A_WORD.findall(text)):
        return 0.0
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    if any(not (word.islower() or word.isupper() or word[1:].islower()) for word in words):
        return 0.0
    frequent = frozenset(language["words"].split())
    found = [word.lower() in frequent for word in _WORD.findall(text)]
    return sum(found) / len(found) + _NO_WORDS if found else 0.0
