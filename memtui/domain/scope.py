"""Where a memory applies: path patterns, and tags that limit it to files or phases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memtui.domain.memory import Memory
from memtui.text.braces import names_path

MOST_ALTERNATIVES = 200  # Braces that expand to more patterns are taken literally
LONGEST_PATTERN = 1_000  # A longer pattern is taken literally; no file system has longer names

_MOST_CHARACTERS = 20_000
_MARKS = "*?[{"
_GLOBSTAR = "**"
_GLUED = re.compile(r"(?<=[^/])\*\*|\*\*(?=[^/])")
_ANY_FOLDERS = "(?:[^/]*/)*"


def matches(pattern: str, path: str) -> bool:
    """Return whether a project-relative path fits a pattern, a folder, a file or a `path::symbol` anchor.

    A pattern without a slash fits a file of that name pattern at the root alone; a folder fits all below it.
    Brackets are a set of characters, but also themselves, as folders such as `[id]` bear them in their names.
    """
    plain = pattern.split("::", 1)[0].removeprefix("./").rstrip("/")
    if not plain:
        return False
    if plain == path or path.startswith(plain + "/"):
        return True
    if len(plain) > LONGEST_PATTERN or not any(mark in plain for mark in _MARKS):
        return False
    return _compiled(plain).fullmatch(path) is not None


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    choices = expand_braces(pattern)
    parted = [part for text in choices for part in _part_globstars(text, MOST_ALTERNATIVES // len(choices))]
    if sum(map(len, parted)) > _MOST_CHARACTERS:
        parted = [pattern]
    texts = dict.fromkeys(_translate(part, sets=True) for part in parted)
    texts.update(dict.fromkeys(_translate(part, sets=False) for part in parted))
    return re.compile("|".join(texts), re.DOTALL)


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


def _part_globstars(pattern: str, most: int) -> list[str]:
    """Return patterns in which `**` is always a separate part: `a**b` means `a*b` or `a*/**/*b`.

    If that would make more than `most`, the remaining ones stay within their part of the path.
    """
    results = [re.sub(r"\*{2,}", _GLOBSTAR, pattern)]
    done: list[str] = []
    while results:
        text = results.pop()
        glued = _GLUED.search(text)
        if glued is None:
            done.append(text)
        elif len(results) + len(done) >= most:
            done.append(_GLUED.sub("*", text))
        else:
            before, after = text[: glued.start()], text[glued.end() :]
            results += [f"{before}*{after}", f"{before}*/**/*{after}"]
    return done


def _translate(pattern: str, *, sets: bool) -> str:
    """Return the regular expression of a pattern without braces."""
    groups: list[list[str]] = [[]]
    for part in pattern.split("/"):
        if part != _GLOBSTAR:
            groups[-1].append(_translate_part(part, sets=sets))
        elif groups[-1] or len(groups) == 1:
            groups.append([])
    if len(groups) == 1:
        return "/".join(groups[0])
    first, *middle, last = ["/".join(group) for group in groups]
    pieces = [f"{first}/" if groups[0] else ""]
    pieces += [f"(?>(?:[^/]*/)*?{text}/)" for text in middle]
    pieces.append(_ANY_FOLDERS + last if groups[-1] else ".*")
    return "".join(pieces)


def _translate_part(part: str, *, sets: bool) -> str:
    chunks = [""]
    index = 0
    while index < len(part):
        character = part[index]
        closing = part.find("]", index + (3 if part.startswith(("[!", "[^"), index) else 2)) if character == "[" else -1
        if character == "*":
            chunks.append("")
        elif character == "?":
            chunks[-1] += "[^/]"
        elif sets and closing > 0:
            chunks[-1] += _set(part[index + 1 : closing])
            index = closing
        else:
            chunks[-1] += re.escape(character)
        index += 1
    if len(chunks) == 1:
        return chunks[0]
    first, *middle, last = chunks
    return first + "".join(f"(?>[^/]*?{chunk})" for chunk in middle if chunk) + f"[^/]*{last}"


def _set(body: str) -> str:
    """Return the regular expression of a set of characters; a range from z to a holds nothing."""
    negated = body[0] in "!^"
    members = body[1:] if negated else body
    ranges = re.findall(r"(.)-(.)|(.)", members, re.DOTALL)
    inside = "".join(
        re.escape(single) if single else f"{re.escape(low)}-{re.escape(high)}"
        for low, high, single in ranges
        if single or low <= high
    )
    if negated:
        return f"[^/{inside}]"
    return f"(?!/)[{inside}]" if inside else "(?!)"


ONLY = "only:"  # The prefix of such a tag; a path, a pattern or the name of a phase follows


def limits_of(memory: Memory) -> tuple[str, ...]:
    """Return the paths and phases that a memory is limited to, none if it applies anywhere."""
    return tuple(tag[len(ONLY) :] for tag in memory.tags if tag[: len(ONLY)].lower() == ONLY and tag != ONLY)


def plain_path(path: str) -> str:
    """Return an anchor's path without its symbol and without what makes no difference at its ends."""
    return path.split("::", 1)[0].removeprefix("./").rstrip("/")


def held_places(memory: Memory) -> tuple[str, ...]:
    """Return the anchors that say for which files a memory holds; what its own text names says no such thing."""
    text = f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}"
    return tuple(anchor.path for anchor in memory.anchors if not names_path(text, plain_path(anchor.path)))


def holds_within(memory: Memory, other: Memory) -> bool:
    """Return whether a memory holds only for files and in phases for which another one does, too."""
    phases, paths = _phases_and_paths(memory)
    other_phases, other_paths = _phases_and_paths(other)
    if other_phases and not (phases and phases <= other_phases):
        return False
    return _lie_within(paths, other_paths) and _lie_within(held_places(memory), held_places(other))


def _phases_and_paths(memory: Memory) -> tuple[set[str], list[str]]:
    """Return what a memory is limited to: names of phases, which are single words, and paths or patterns."""
    limits = limits_of(memory)
    phases = {limit for limit in limits if limit.isalpha()}
    return phases, [limit for limit in limits if limit not in phases]


def _lie_within(places: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether each of some places lies within another of some; no place at all is everywhere."""
    return not others or (bool(places) and all(any(matches(other, one) for other in others) for one in places))
