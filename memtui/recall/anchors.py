"""Relevance by files: memories tied to the files in hand, the more precisely the more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtui.domain.globs import matches
from memtui.recall.score import Part

FILES_WEIGHT = 0.7
"""What the exact file adds to the relevance: as much as a good match by words, less than the best."""

EXACT = 1.0
BELOW_GIVEN_FOLDER = 0.7
"""A memory about a file in the folder that was given."""

FOLDER_RANGE = (0.3, 0.7)
"""A folder counts between these: the file's own folder most, the top folder least."""

GLOB_RANGE = (0.2, 0.6)
"""A pattern counts between these, by how many of the file's folders it names."""

GLOB_NAME_BONUS = 0.1
"""Added when the pattern names part of the file's name, as `*_test.py` does."""

FLOOR_STRENGTH = 0.25
"""Weaker ties (`**`, `*`) hold for any file and make nothing relevant on their own."""

_MARKS = frozenset("*?[{")


@dataclass(frozen=True, slots=True)
class FileMatch:
    """How a memory is tied to a file in hand.

    Attributes:
        strength: 0–1.
        anchor: the anchor's path.
        file: the file in hand.
    """

    strength: float
    anchor: str
    file: str


def strength(anchor: str, file: str) -> float:
    """Return how precisely an anchor names a file, 0–1; 0 if it does not."""
    if anchor == file:
        return EXACT
    plain = _plain(anchor)
    wanted = _plain(file)
    if not plain or not wanted:
        return 0.0
    if plain == wanted:
        return EXACT
    if plain.startswith(wanted + "/"):
        return BELOW_GIVEN_FOLDER
    if wanted.startswith(plain + "/"):
        return _between(FOLDER_RANGE, _depth(plain) + 1, wanted)
    if _MARKS.isdisjoint(plain) or not matches(plain, wanted):
        return 0.0
    return _glob_strength(plain, wanted)


def best_matches(anchored: Iterable[tuple[int, str]], files: Sequence[str]) -> dict[int, FileMatch]:
    """Return the strongest tie to any of the files per internal key.

    Args:
        anchored: (internal key, anchor path) pairs.
        files: project-relative POSIX paths.
    """
    by_path: dict[str, FileMatch | None] = {}
    best: dict[int, FileMatch] = {}
    for key, path in anchored:
        if path not in by_path:
            by_path[path] = _best_file(path, files)
        match = by_path[path]
        if match and (key not in best or match.strength > best[key].strength):
            best[key] = match
    return best


def files_part(match: FileMatch) -> Part:
    """Return the term that files add to the relevance."""
    detail = match.anchor if match.anchor == match.file else f"{match.anchor} for {match.file}"
    return Part("files", FILES_WEIGHT * match.strength, f"tied to {detail}", "term")


def _best_file(path: str, files: Sequence[str]) -> FileMatch | None:
    ranked = [FileMatch(value, path, file) for file in files if (value := strength(path, file))]
    return max(ranked, key=lambda match: match.strength, default=None)


def _plain(path: str) -> str:
    return path.split("::", 1)[0].removeprefix("./").rstrip("/")


def _depth(path: str) -> int:
    return path.count("/")


def _between(ends: tuple[float, float], named: int, file: str) -> float:
    """Return a value between two ends by the share of the file's folders that are named."""
    folders = _depth(file)
    share = min(1.0, named / folders) if folders else 1.0
    return ends[0] + (ends[1] - ends[0]) * share


def _glob_strength(pattern: str, file: str) -> float:
    segments = pattern.split("/")
    literal = 0
    while literal < len(segments) - 1 and _MARKS.isdisjoint(segments[literal]):
        literal += 1
    named = any(character.isalnum() for character in segments[-1])
    if not literal and not named:
        return GLOB_RANGE[0]
    share = _between(GLOB_RANGE, literal, file) if _depth(file) else GLOB_RANGE[0]
    return share + (GLOB_NAME_BONUS if named else 0.0)
