"""What counts as a purged text: its words, with any white space between them, also as JSON writes them."""

from __future__ import annotations

import json
import re

# Titles and summaries fold line breaks, JSON writes them as escapes, and so do environment files.
_SPACE = r"(?:\s|\\+(?:[nrtfv]|u00(?:0[9a-d]|1[c-f]|85)|u202[89]))+"
_SPACE_BYTES = (
    rb"(?:[\s\x1c-\x1f]|\xc2[\x85\xa0]|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe3\x80\x80"
    rb"|\\+(?:[nrtfv]|u00(?:0[9a-d]|1[c-f]|85)|u202[89]))+"
)


def text_pattern(text: str) -> str:
    """Return a pattern of a text that is not blank; white space at its ends says that no other word goes on there."""
    body = "|".join(_SPACE.join(map(re.escape, form)) for form in _forms(text))
    head = rf"(?:{_SPACE}|(?<!\w))" if text[:1].isspace() else ""
    tail = rf"(?:{_SPACE}|(?!\w))" if text[-1:].isspace() else ""
    return f"{head}(?:{body}){tail}"


def bytes_pattern(text: str) -> re.Pattern[bytes]:
    """Return the pattern of the same text within a file's bytes; white space at its ends does not count."""
    forms = ([re.escape(word.encode()) for word in form] for form in _forms(text))
    return re.compile(b"|".join(_SPACE_BYTES.join(form) for form in forms))


def squeezed(text: str) -> tuple[str, list[int]]:
    """Return a text with each run of white space as one space and none at its ends, and where each character stood."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        if not letter.isspace():
            letters.append(letter)
            places.append(place)
        elif letters and letters[-1] != " ":
            letters.append(" ")
            places.append(place)
    if letters and letters[-1] == " ":
        del letters[-1], places[-1]
    return "".join(letters), places


def _forms(text: str) -> list[list[str]]:
    """Return the words of a text as JSON writes them, then as they are."""
    words = text.split()
    written = [json.dumps(word, ensure_ascii=False)[1:-1] for word in words]
    return [written, words] if written != words else [words]
