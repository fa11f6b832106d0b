"""Path patterns of rule files: `**`, `*`, `?`, `[...]` and `{a,b}` over POSIX paths."""

from __future__ import annotations

import re
from functools import lru_cache

MOST_ALTERNATIVES = 200
"""Braces that expand to more patterns than this are taken literally."""


def matches(pattern: str, path: str) -> bool:
    """Return whether a project-relative path fits a pattern, a folder, a file or a `path::symbol` anchor.

    A pattern without a slash fits a file of that name pattern at the root alone; a folder fits all below it.
    """
    plain = pattern.split("::", 1)[0].removeprefix("./").rstrip("/")
    if plain == path or path.startswith(plain + "/"):
        return True
    if not any(mark in plain for mark in "*?[{"):
        return False
    return _compiled(plain).fullmatch(path) is not None


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("|".join(_translate(part) for part in expand_braces(pattern)))


def expand_braces(pattern: str) -> list[str]:
    """Return the patterns that `{a,b}` stands for; an unbalanced brace is literal."""
    results = [pattern]
    while len(results) <= MOST_ALTERNATIVES:
        position = next((i for i, text in enumerate(results) if _brace(text)), None)
        if position is None:
            return results
        text = results.pop(position)
        start, end = _brace(text) or (0, 0)
        results[position:position] = [
            text[:start] + choice + text[end + 1 :] for choice in text[start + 1 : end].split(",")
        ]
    return [pattern]


def _brace(text: str) -> tuple[int, int] | None:
    """Return the innermost first pair of braces that holds a comma."""
    found = re.search(r"\{[^{}]*,[^{}]*\}", text)
    return (found.start(), found.end() - 1) if found else None


def _translate(pattern: str) -> str:
    pieces: list[str] = []
    index = 0
    while index < len(pattern):
        character = pattern[index]
        if pattern.startswith("**/", index):
            pieces.append("(?:[^/]+/)*")
            index += 3
            continue
        if pattern.startswith("**", index):
            pieces.append(".*")
            index += 2
            continue
        end = pattern.find("]", index + 2) if character == "[" else -1
        if end > 0:
            body = pattern[index + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            pieces.append(f"[{'^' + body[1:] if body[0] in '!^' else body}]")
            index = end + 1
            continue
        pieces.append({"*": "[^/]*", "?": "[^/]"}.get(character, re.escape(character)))
        index += 1
    text = "".join(pieces)
    try:
        re.compile(text)
    except re.error:
        return re.escape(pattern)
    return text
