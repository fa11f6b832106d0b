"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str, many: str = "") -> str:
    """Return `1 memory`, `2 memories`, `1,143 memories`; `many` where the plural is irregular."""
    if number != 1:
        noun = many or (f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s")
    return f"{number:,} {noun}"
