"""Where files went: git renames, moved folders, and files moved without git."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Literal

from memtui.domain.memory import Anchor
from memtui.workspace import GENERIC_STEMS, RENAMED, file_hash, renames_in, run_git, tree_files

Certainty = Literal["sure", "likely", "weak"]

GIT_SECONDS = 20.0
"""How long the history may be searched; without an answer nothing is suggested."""

MOST_COMMITS = 5_000
"""Newest commits whose renames are looked at; 5,000 take one to three seconds."""

MOST_UNTRACKED = 2_000
"""New files that are compared by content with files that went without git."""

FOLDER_SHARE = 0.5
"""Part of a folder's moved files that went to one other folder for the folder to count as moved there."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Where something that an anchor named is now.

    Attributes:
        path: the new path, with the symbol of the old one.
        certainty: `sure` where git recorded the rename or the content is the same, `likely` where the folder
            moved, `weak` where only the name is the same.
    """

    path: str
    certainty: Certainty


@dataclass(frozen=True)
class Renames:
    """The renames in one working tree, looked up once."""

    root: Path
    _known: dict[str, Moved | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def files(self) -> frozenset[str]:
        """The files of the tree now."""
        return frozenset(name for name in tree_files(self.root) if (self.root / name).exists())

    @cached_property
    def recorded(self) -> dict[str, str]:
        """Old path to new path by git: of commits, oldest first, and of what is staged."""
        history = run_git(
            self.root,
            *("log", f"--max-count={MOST_COMMITS}", "--diff-filter=R", "--format=", *RENAMED),
            seconds=GIT_SECONDS,
        )
        # The index against the last commit: looking at the files themselves would run the repository's filters.
        staged = run_git(self.root, "diff", "--cached", "--diff-filter=R", *RENAMED, "HEAD", seconds=GIT_SECONDS)
        prefix = (run_git(self.root, "rev-parse", "--show-prefix") or "").strip()
        found: dict[str, str] = {}
        for old, new in (*reversed([*renames_in(history)]), *renames_in(staged)):
            if old.startswith(prefix) and new.startswith(prefix):
                found[old.removeprefix(prefix)] = new.removeprefix(prefix)
        return found

    @cached_property
    def folders(self) -> dict[str, str]:
        """Old folder to new folder, where most of its files went to one place under the same names."""
        votes: dict[str, Counter[str]] = {}
        for old in self.recorded:
            new = self._end_of(old)
            if new is None:
                continue
            # A file that went on from there without git took no folder along: the rename of its folder stands.
            was, now = PurePosixPath(old), PurePosixPath(new)
            while was.name == now.name and was.name:
                was, now = was.parent, now.parent
                if str(was) != "." and str(now) != "." and was != now:
                    votes.setdefault(str(was), Counter())[str(now)] += 1
        best = {folder: counted.most_common(1)[0] for folder, counted in votes.items()}
        return {folder: to for folder, (to, count) in best.items() if count >= FOLDER_SHARE * votes[folder].total()}

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.files:
            found.setdefault(name.rsplit("/", 1)[-1], []).append(name)
        return found

    @cached_property
    def _untracked(self) -> dict[str, str]:
        """Content hash to path of new files; of several with one content none is known."""
        listed = run_git(self.root, "ls-files", "-z", "--others", "--exclude-standard") or ""
        hashes: dict[str, str] = {}
        repeated = set()
        for name in listed.split("\0")[:MOST_UNTRACKED]:
            content = file_hash(self.root / name) if name else None
            if content in hashes:
                repeated.add(content)
            if content:
                hashes[content] = name
        return {content: name for content, name in hashes.items() if content not in repeated}

    def find(self, anchor: Anchor) -> Moved | None:
        """Return where a gone anchor went, None if nothing tells."""
        plain, mark, symbol = anchor.path.partition("::")
        key = f"{plain}\0{anchor.content_hash}"
        if key not in self._known:
            self._known[key] = self._find(plain.removeprefix("./"), anchor.content_hash)
        moved = self._known[key]
        return moved and Moved(moved.path + mark + symbol, moved.certainty)

    def _find(self, plain: str, content: str | None) -> Moved | None:
        is_folder = plain.endswith("/")
        new = None if is_folder else self._followed(plain)
        if new is not None:
            return Moved(new, "sure")
        if content and content in self._untracked:
            return Moved(self._untracked[content], "sure")
        moved = self._with_folder(plain.rstrip("/"))
        if moved is not None:
            return Moved(moved + "/" * is_folder, "likely")
        name = PurePosixPath(plain).name
        same = [] if is_folder or is_generic(name) else self._by_name.get(name, [])
        return Moved(same[0], "weak") if len(same) == 1 else None

    def _followed(self, path: str) -> str | None:
        """Return where a chain of recorded renames ends, if a file is there."""
        end = self._end_of(path)
        return end if end in self.files else None

    def _end_of(self, path: str) -> str | None:
        """Return where a chain of recorded renames ends, None without one and for a ring."""
        seen = {path}
        while path in self.recorded:
            path = self.recorded[path]
            if path in seen:
                return None
            seen.add(path)
        return path if len(seen) > 1 else None

    def _with_folder(self, plain: str) -> str | None:
        """Return the path in the folder that its folder, or one above, moved to; globs move with their folder."""
        folder = PurePosixPath(plain)
        for parent in (folder, *folder.parents):
            to = self.folders.get(str(parent))
            if to is None:
                continue
            rest = plain[len(str(parent)) :].lstrip("/")
            there = f"{to}/{rest}" if rest else to
            is_glob = any(sign in rest for sign in "*?[{")
            if (self.root / (to if is_glob else there)).exists():
                return there
        return None


def is_generic(name: str) -> bool:
    """Return whether many folders have a file of this name, so that it alone tells nothing."""
    return name.split(".", 1)[0].lower() in GENERIC_STEMS


def new_anchor(anchor: Anchor, moves: Mapping[str, str]) -> Anchor:
    """Return an anchor at its new path; the hash of its last verification stays, so that a changed file shows."""
    to = moves.get(anchor.path)
    return anchor if to is None else Anchor(to, anchor.content_hash)
