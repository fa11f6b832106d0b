"""Relevance by files: memories anchored to the given files, their former paths, or what they import."""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memtui.domain.memory import Anchor, Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.domain.scope import held_places, matches, plain_path
from memtui.git import RENAMED, renames_in, run_git, run_git_as_far
from memtui.recall.result import Part
from memtui.regular_files import read_regular
from memtui.text.tokens import query_terms
from memtui.tree import GENERIC_STEMS, Tree, is_outside

if TYPE_CHECKING:
    from memtui.recall.imports.follow import Reached

FILES_WEIGHT = 0.7  # What the exact file adds to the relevance: as much as a good match by words, less than the best

EXACT = 1.0
BELOW_GIVEN_FOLDER = 0.7  # A memory about a file in the folder that was given
FOLDER_RANGE = (0.3, 0.7)  # A folder counts between these: the file's own folder most, the top folder least
GLOB_RANGE = (0.2, 0.6)  # A pattern counts between these, by how many of the file's folders it names
GLOB_NAME_BONUS = 0.1  # Added when the pattern names part of the file's name, as `*_test.py` does
FLOOR_STRENGTH = 0.25  # Weaker ties (`**`, `*`) hold for any file and make nothing relevant on their own

HOP_STRENGTH = {1: 0.6, 2: 0.35}
"""Share of a tie's strength that is left if the given file imports the file, directly or through another: a memory
of an imported file counts less than one of the file's own folder (0.7), one of two steps away still reaches the floor
(0.25) if it names that very file, and a pattern that merely fits an imported file mostly does not."""

SHARED_BY = 12
SHARED_POWER = 0.3
"""A tie that more memories than this share tells them apart less and less: one of 90 counts half."""

BROAD_SHARE = 0.3
BROAD_POWER = 0.5
"""A pattern that fits more than this share of the project's files is weak evidence: one that fits half counts 0.8."""

NARROWEST = 4.0  # A place of one file in ten thousand; nothing is narrower
UNKNOWN_NARROWNESS = 2.0  # Of a place where nobody counted the files
MOST_READ = 30_000  # Bytes of a file in hand whose words are compared with memories: about 900 lines

_PIECE = re.compile(r"[\w.-]+")
_CODE_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,300})\1(?!`)")
_MARKS = frozenset("*?[{")
_FIRST_MARK = re.compile(r"[*?\[{]")


@dataclass(frozen=True, slots=True)
class FileMatch:
    """How a memory is tied to a given file."""

    strength: float  # 0–1
    anchor: str
    file: str  # the given file, or one that it imports
    reached: Reached | None = None  # how that was reached, None for a given file
    is_moved: bool = False  # whether the anchor names the file by what it was called before
    is_named: bool = False  # whether the memory has no anchor, and names the file in a code span by its bare name


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the working tree adds to the given files."""

    reached: tuple[Reached, ...] = ()
    # from an anchor's path to the file that it means, for anchors that are only the end of a path
    resolve: Callable[[str], str | None] | None = None
    notes: tuple[str, ...] = ()  # whose imports could not be read or followed, in words
    former: Mapping[str, str] = field(default_factory=dict)  # from earlier names of the given files to their names now
    breadth: Callable[[str], float] | None = None  # the share of the project's files that a path fits, 0–1
    words: frozenset[str] = frozenset()  # of what stands in the given files
    alone: Mapping[str, str] = field(default_factory=dict)  # the given files whose name no other has, by that name


NO_SURROUNDINGS = Surroundings()


def surroundings_of(tree: Tree | None, files: Sequence[str]) -> Surroundings:
    """Return what a working tree adds to files; reads files, so call it outside a lease."""
    if tree is None or not files:
        return NO_SURROUNDINGS
    # Imported here: a task without files follows nothing.
    from memtui.recall.imports.follow import follow_imports

    imports = follow_imports(tree.root, files)
    words = _words_of(tree, files)
    alone = {name: plain for file in files[:MOST_FILES] if (name := _name_alone(tree, plain := plain_path(file)))}
    return Surroundings(imports.reached, tree.resolve, imports.notes, breadth=tree.breadth, words=words, alone=alone)


def _name_alone(tree: Tree, plain: str) -> str:
    """Return the name of a file that no other file of the tree has, and that many folders have in no project."""
    name = PurePosixPath(plain).name
    is_telling = "." in name[1:] and name.split(".", 1)[0].lower() not in GENERIC_STEMS
    if not is_telling or tree.resolve(name) != plain:
        return ""
    return name if "/" in plain or not tree.elsewhere(name) else ""


def names_in_code(text: str, name: str) -> bool:
    """Return whether a text names a file in a code span, by its name without a folder."""
    return name in text and any(name in span[2].split() for span in _CODE_SPAN.finditer(text))


def named_match(file: str) -> FileMatch:
    """Return the tie of a memory that names a file so."""
    return FileMatch(EXACT, file, file, is_named=True)


def _words_of(tree: Tree, files: Sequence[str]) -> frozenset[str]:
    """Return the words of the beginnings of files; of what cannot be read, none."""
    found: set[str] = set()
    for name in files[:MOST_FILES]:
        plain = plain_path(name)
        if is_outside(plain):
            continue
        with contextlib.suppress(OSError, ValueError):
            beginning = read_regular(tree.root / plain, MOST_READ).decode("utf-8", "replace")
            found.update(_PIECE.findall(beginning))
    return frozenset(query_terms(" ".join(sorted(found))))


@dataclass(frozen=True, slots=True)
class Places:
    """How the places that a memory is tied to lie to the files of a task.

    A rule file gives its place to all of its memories, and what a text names in passing is no such place.
    """

    holds_for: float = 0.0  # how narrow the place is that the memory holds for, see `NARROWEST`
    names: float = 0.0  # the same of one that its text names
    has_place: bool = False
    has_named: bool = False
    is_exact: bool = False


def places_of(memory: Memory, files: Sequence[str], surroundings: Surroundings = NO_SURROUNDINGS) -> Places:
    """Return how the anchors of a memory lie to files."""
    text = _text_of(memory)
    narrow, there, exact = {True: 0.0, False: 0.0}, set[bool](), False
    for anchor in memory.anchors:
        plain = plain_path(anchor.path)
        is_named = plain in text
        there.add(is_named)
        reached = max((strength(anchor.path, file) for file in files), default=0.0)
        if reached:
            narrow[is_named] = max(narrow[is_named], _narrowness(plain, surroundings))
            exact = exact or reached >= EXACT
    return Places(narrow[False], narrow[True], False in there, True in there, exact)


def _narrowness(plain: str, surroundings: Surroundings) -> float:
    """Return how few of the project's files a path fits, as a power of ten."""
    share = surroundings.breadth(plain) if surroundings.breadth else 0.0
    return min(NARROWEST, -math.log10(share)) if share else UNKNOWN_NARROWNESS


def strength(anchor: str, file: str) -> float:
    """Return how precisely an anchor names a file, or a folder, which ends in a slash, 0–1; 0 if it does not."""
    if anchor == file:
        return EXACT
    plain = plain_path(anchor)
    wanted = plain_path(file)
    if not plain or not wanted:
        return 0.0
    if plain == wanted:
        return EXACT
    if plain.startswith(wanted + "/"):
        return BELOW_GIVEN_FOLDER
    if wanted.startswith(plain + "/"):
        return _between(FOLDER_RANGE, _depth(plain) + 1, wanted)
    if _MARKS.isdisjoint(plain):
        return 0.0
    # A pattern for files holds for a folder that may have such files.
    tried = (wanted, f"{wanted}/{plain.rpartition('/')[2]}") if file.endswith("/") else (wanted,)
    return next((_glob_strength(plain, one) for one in tried if matches(plain, one)), 0.0)


def best_matches(
    anchored: Iterable[tuple[int, str]], files: Sequence[str], surroundings: Surroundings = NO_SURROUNDINGS
) -> dict[int, FileMatch]:
    """Return the strongest tie to any of the files, or to what they import, per internal key.

    Args:
        anchored: (internal key, anchor path) pairs.
        files: project-relative POSIX paths.
        surroundings: what the working tree adds.
    """
    ties = _Ties(files, surroundings)
    pairs = list(anchored)
    shared = Counter(path for _, path in pairs)
    by_path = {path: _weighed(ties.best(path), shared[path], surroundings) for path in shared}
    best: dict[int, FileMatch] = {}
    for key, path in pairs:
        match = by_path[path]
        if match and (key not in best or match.strength > best[key].strength):
            best[key] = match
    return best


def _weighed(match: FileMatch | None, shared: int, surroundings: Surroundings) -> FileMatch | None:
    """Return a tie with what is left of it where many memories share it, or its pattern fits many files.

    `shared`: how many memories have the anchor.
    """
    if match is None or match.strength >= EXACT:
        return match
    weight = min(1.0, SHARED_BY / shared) ** SHARED_POWER
    plain = plain_path(match.anchor)
    if surroundings.breadth and not _MARKS.isdisjoint(plain):
        weight *= min(1.0, BROAD_SHARE / max(BROAD_SHARE, surroundings.breadth(plain))) ** BROAD_POWER
    return replace(match, strength=match.strength * weight)


def files_part(match: FileMatch) -> Part:
    """Return the term that files add to the relevance."""
    reason = Reason(
        ReasonCode.FILE,
        path=match.anchor,
        file=match.file,
        link="moved" if match.is_moved else "",
        because=(match.reached.reason,) if match.reached and not match.is_moved else (),
    )
    return Part("files", FILES_WEIGHT * match.strength, reason, "term")


class _Ties:
    """The ties of any anchor to some files and to what they import.

    Many anchors meet many imported files, so those are looked up by the paths that a plain anchor may have, and
    tried one by one against patterns alone.
    """

    def __init__(self, files: Sequence[str], surroundings: Surroundings) -> None:
        self._files = files
        self._surroundings = surroundings
        self._reached: dict[str, FileMatch] = {}
        self._by_end: dict[str, list[FileMatch]] = {}
        for one in surroundings.reached:
            for path in (one.file, *_folders(one.file)):
                match = FileMatch(_hop_share(one, path) * strength(path, one.file), path, one.file, one)
                if path not in self._reached or match.strength > self._reached[path].strength:
                    self._reached[path] = match
        if surroundings.resolve is not None:
            exact = [FileMatch(EXACT, plain, plain) for plain in map(plain_path, files)]
            exact += [
                FileMatch(_hop_share(one, one.file) * EXACT, one.file, one.file, one) for one in surroundings.reached
            ]
            for match in exact:
                for end in _ends(match.file):
                    self._by_end.setdefault(end, []).append(match)

    def best(self, path: str) -> FileMatch | None:
        """Return the strongest tie of an anchor, None if it has none."""
        plain = plain_path(path)
        ranked = [FileMatch(value, path, file) for file in self._files if (value := strength(path, file))]
        former = self._surroundings.former.get(plain)
        if former is not None:
            ranked.append(FileMatch(EXACT, path, former, is_moved=True))
        if plain in self._reached:
            ranked.append(replace(self._reached[plain], anchor=path))
        if not _MARKS.isdisjoint(plain):
            ranked += self._patterned(path, plain)
        if not ranked and plain in self._by_end and self._surroundings.resolve is not None:
            meant = self._surroundings.resolve(path)
            ranked = [replace(match, anchor=path) for match in self._by_end[plain] if match.file == meant]
        return max(ranked, key=lambda match: match.strength, default=None)

    def _patterned(self, path: str, plain: str) -> Iterable[FileMatch]:
        start = _FIRST_MARK.split(plain, maxsplit=1)[0]
        for one in self._surroundings.reached:
            value = strength(path, one.file) if one.file.startswith(start) else 0.0
            if value:
                yield FileMatch(_hop_share(one, path) * value, path, one.file, one)


def _hop_share(one: Reached, path: str) -> float:
    """Return what is left of the tie of an anchor to a reached file.

    Files that merely share a package count as two steps away, and so does each of several files of an imported one;
    what is said of all of that package does not.
    """
    from memtui.recall.imports.sources import OF_PACKAGE, SAME_PACKAGE

    is_further = one.tie == SAME_PACKAGE or (one.tie == OF_PACKAGE and path == one.file)
    return HOP_STRENGTH[2 if is_further else one.hop]


def _folders(file: str) -> list[str]:
    parts = file.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _ends(file: str) -> list[str]:
    parts = file.split("/")
    return ["/".join(parts[start:]) for start in range(1, len(parts))]


def folders_of(memory: Memory) -> tuple[str, ...]:
    """Return the folders outside which a memory does not hold, as the rule file of a folder does not; else nothing.

    They are those of its patterns `folder/**`, where it is tied to nothing else but what its text names or lies there.
    """
    places = [plain_path(path) for path in held_places(memory)]
    folders = tuple(path.removesuffix("/**") for path in places if path.endswith("/**"))
    within = tuple(f"{folder}/" for folder in folders)
    is_whole = all(_MARKS.isdisjoint(folder) for folder in folders) and all(path.startswith(within) for path in places)
    return folders if is_whole else ()


def _text_of(memory: Memory) -> str:
    return f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}"


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


GIT_SECONDS = 1.0  # How long one call of git may take; without an answer nothing moved, and a payload waits for no more
MOST_FILES = 5  # Given files whose history is searched
MOST_LOOKED_AT = 2_000  # Anchors that are looked for in the tree: so many take some 10 ms
MOST_RENAMES = 20  # Renames of one file that are followed
KEPT_SECONDS = 30  # How long an answer of git is kept: the files stay the same while a task is typed


def former_names(tree: Tree | None, files: Sequence[str], anchors: Collection[str]) -> dict[str, str]:
    """Return the given file per earlier name that an anchor still has; runs git, so call it outside a lease.

    Git runs only if an anchor with the suffix of a given file is no longer in the tree.

    Args:
        tree: the working tree, None for none.
        files: project-relative POSIX paths.
        anchors: paths of anchors in view.
    """
    if tree is None or not files or not anchors:
        return {}
    names = [plain_path(file) for file in files[:MOST_FILES]]
    endings = {PurePosixPath(name).suffix for name in names}
    alike = sorted({plain for path in anchors if PurePosixPath(plain := plain_path(path)).suffix in endings})
    gone = {plain for plain in alike[:MOST_LOOKED_AT] if _is_gone(tree, plain)}
    if not gone:
        return {}
    moment = int(time.monotonic() // KEPT_SECONDS)
    return {
        old: name
        for name in names
        if (tree.root / name).is_file()
        for old in _names_before(tree.root, name, moment)
        if old in gone
    }


def _is_gone(tree: Tree, plain: str) -> bool:
    if is_outside(plain) or Anchor(plain).is_glob:
        return False
    try:
        return not (tree.root / plain).exists()
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=64)
def _names_before(root: Path, name: str, _moment: int) -> tuple[str, ...]:
    """Return what a file was called before, by what is staged and by its history."""
    prefix = (run_git(root, "rev-parse", "--show-prefix", seconds=GIT_SECONDS) or "").strip()
    # The index against the last commit: looking at the files themselves would run the repository's filters.
    staged = run_git(root, "diff", "--cached", "--diff-filter=R", *RENAMED, "HEAD", seconds=GIT_SECONDS)
    recorded = {new: old for old, new in renames_in(staged)}
    whole = prefix + name
    before = [recorded[whole]] if whole in recorded else []
    followed = (before or [whole])[0].removeprefix(prefix)
    history, _ = run_git_as_far(
        root,
        *("log", "--follow", f"--max-count={MOST_RENAMES}", "--diff-filter=R", "--format=", *RENAMED, "--", followed),
        seconds=GIT_SECONDS,
    )
    before += [old for old, _ in renames_in(history)]
    return tuple(old.removeprefix(prefix) for old in before if old.startswith(prefix))
