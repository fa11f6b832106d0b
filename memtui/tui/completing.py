"""Completing the last of several names in a line, such as the files of a task; knows no widgets."""

from __future__ import annotations

from collections.abc import Sequence

SEPARATOR = ", "
"""Between names in a line; a comma alone will do when it is read."""

MOST_OFFERED = 8


def names_in(line: str) -> list[str]:
    """Return the names of a line, in order and once each."""
    return list(dict.fromkeys(filter(None, (part.strip() for part in line.split(",")))))


def typed_at(line: str, cursor: int) -> str:
    """Return the beginning of the name at the cursor."""
    return line[:cursor].rsplit(",", 1)[-1].lstrip()


def offers(names: Sequence[str], typed: str, *, without: Sequence[str] = (), most: int = MOST_OFFERED) -> list[str]:
    """Return the names that fit what was typed, the likeliest first.

    Names that begin so stand before those whose last part does, before those that hold it anywhere, before those
    that hold its letters in order; within each the shorter first. Letter case does not count.
    """
    wanted = typed.strip().lower()
    taken = set(without)
    found: list[tuple[int, int, str]] = []
    for name in names:
        rank = _rank(name.lower(), wanted)
        if rank is not None and name not in taken:
            found.append((rank, len(name), name))
    return [name for _, _, name in sorted(found)[:most]]


def _rank(name: str, wanted: str) -> int | None:
    if name.startswith(wanted):
        return 0
    if wanted in name:
        return 1 if name.rsplit("/", 1)[-1].startswith(wanted) else 2
    letters = iter(name)
    return 3 if all(letter in letters for letter in wanted) else None


def completed(line: str, cursor: int, name: str) -> tuple[str, int]:
    """Return the line with the name at the cursor replaced and a separator after it, and the new cursor."""
    before, after = line[:cursor], line[cursor:]
    head = before.rpartition(",")[0]
    rest = after.partition(",")[2].strip()
    start = f"{head.strip()}{SEPARATOR}" if head.strip() else ""
    text = f"{start}{name}{SEPARATOR}"
    return text + rest, len(text)
