"""What git and the working tree say about a memory's files: renames, and changed lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from hashlib import sha1
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Literal

from memtui.domain.freshness import last_trusted_at
from memtui.domain.memory import Anchor, AnchorState, Memory
from memtui.git import RENAMED, deletions_in, renames_in, run_git, run_git_as_far
from memtui.regular_files import read_regular
from memtui.text.sanitize import reveal
from memtui.tree import GENERIC_STEMS, Tree, file_hash, tree_files

Certainty = Literal["sure", "likely", "weak"]

GIT_SECONDS = 20.0  # Time limit of the search through the history; after it nothing is suggested
MOST_COMMITS = 5_000  # Newest commits that are searched for renames; 5,000 take one to three seconds
MOST_UNTRACKED = 2_000  # New files that are compared by content with files that were moved without git

FOLDER_SHARE = 0.5
"""Share of a folder's moved files that must have gone to one other folder for it to count as moved there."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Where the file of an anchor is now."""

    path: str  # the new path, with the symbol of the old one
    # `sure` where git recorded the rename or the content is the same, `likely` where the folder moved, `weak` where
    # only the name is the same
    certainty: Certainty


@dataclass(frozen=True)
class Renames:
    """The renames in one working tree, looked up once."""

    root: Path
    _known: dict[str, Moved | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def files(self) -> frozenset[str]:
        return frozenset(name for name in tree_files(self.root) if (self.root / name).exists())

    @cached_property
    def _recorded(self) -> tuple[str, ...]:
        """What git says of renamed and deleted files, newest first: of commits, and of what is staged at last."""
        log = ("log", f"--max-count={MOST_COMMITS}", "--diff-filter=RD", "--format=", *RENAMED)
        history, is_whole = run_git_as_far(self.root, *log, seconds=GIT_SECONDS)
        # Files that only moved are told by their names for their content, even where a clone lacks the content.
        moved = "" if is_whole else run_git_as_far(self.root, *log, "-M100%", seconds=GIT_SECONDS)[0]
        # The index against the last commit: looking at the files themselves would run the repository's filters.
        staged = run_git(self.root, "diff", "--cached", "--diff-filter=RD", *RENAMED, "HEAD", seconds=GIT_SECONDS)
        return moved, history, staged or ""

    @cached_property
    def _prefix(self) -> str:
        """The path of the root in its repository."""
        return (run_git(self.root, "rev-parse", "--show-prefix") or "").strip()

    @cached_property
    def recorded(self) -> dict[str, str]:
        """Old path to new path by git: of commits, oldest first, and of what is staged."""
        found: dict[str, str] = {}
        for output in self._recorded:
            for old, new in reversed([*renames_in(output)]):
                if old.startswith(self._prefix) and new.startswith(self._prefix):
                    found[old.removeprefix(self._prefix)] = new.removeprefix(self._prefix)
        return found

    @cached_property
    def _deleted(self) -> dict[str, str]:
        """Path to last blob of the files that git saw deleted."""
        found: dict[str, str] = {}
        for output in self._recorded:
            for path, blob in reversed([*deletions_in(output)]):
                if path.startswith(self._prefix):
                    found[path.removeprefix(self._prefix)] = blob
        return found

    @cached_property
    def _tracked(self) -> dict[str, str]:
        """Path to blob of the files in the index, which may be gone from the disk."""
        listed = run_git(self.root, "ls-files", "-z", "--stage") or ""
        entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
        return {path: fields.split(" ")[1] for fields, _, path in entries}

    @cached_property
    def _former(self) -> frozenset[str]:
        """The paths, folders included, of files that git knows and that were deleted or renamed."""
        names = {*self.recorded, *self._deleted}
        return frozenset(names | {str(folder) for name in names for folder in PurePosixPath(name).parents})

    @cached_property
    def folders(self) -> dict[str, str]:
        """Old folder to new folder, where most files went to one place and kept their names."""
        votes: dict[str, Counter[str]] = {}
        for old in self.recorded:
            new = self._end_of(old)
            if new is None:
                continue
            # A file that was moved on without git does not count against the rename of its folder.
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
    def _by_content(self) -> dict[str, str]:
        """Content to the only file that holds it: content hashes of new files, and blobs of all."""
        listed = run_git(self.root, "ls-files", "-z", "--others", "--exclude-standard") or ""
        new = [name for name in listed.split("\0")[:MOST_UNTRACKED] if name]
        holders = [(blob, name) for name, blob in self._tracked.items() if name in self.files and blob != _NO_CONTENT]
        for name in new:
            content, blob = file_hash(self.root / name), _blob(self.root / name)
            holders += [(known, name) for known in (content, blob) if known]
        counted = Counter(content for content, _ in holders)
        return {content: name for content, name in holders if counted[content] == 1}

    def had(self, anchor: Anchor) -> bool:
        """Return whether the tree once held the file or folder of an anchor."""
        return anchor.path.partition("::")[0].removeprefix("./").rstrip("/") in self._former

    def find(self, anchor: Anchor) -> Moved | None:
        """Return where the file of a dead anchor went, None if nothing tells."""
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
        blob = self._tracked.get(plain) or self._deleted.get(plain)
        for known in (content, blob):
            if known and known in self._by_content:
                return Moved(self._by_content[known], "sure")
        moved = self._with_folder(plain.rstrip("/"))
        if moved is not None:
            return Moved(moved + "/" * is_folder, "likely")
        if is_folder:
            return None
        rewritten = self._rewritten(PurePosixPath(plain))
        if rewritten:
            return Moved(rewritten, "weak")
        name = PurePosixPath(plain).name
        same = [] if _is_generic(name) else self._by_name.get(name, [])
        return Moved(same[0], "weak") if len(same) == 1 else None

    def _rewritten(self, plain: PurePosixPath) -> str:
        """Return the one file that stands in the place of another.

        It has a related ending, such as `.ts` for `.js`, or is the first file of the folder that a module became.
        """
        kin = next((kin for kin in _KIN if plain.suffix in kin), ())
        names = [str(plain.with_suffix(ending)) for ending in kin]
        for ending, first in _FIRST_OF_FOLDER.items():
            if plain.suffix == ending or {plain.suffix, ending} <= {*kin}:
                names.append(f"{plain.with_suffix('')}/{first}{ending}")
        found = [name for name in names if name in self.files]
        return found[0] if len(found) == 1 else ""

    def _followed(self, path: str) -> str | None:
        """Return where a chain of recorded renames ends, if a file is there."""
        end = self._end_of(path)
        return end if end in self.files else None

    def _end_of(self, path: str) -> str | None:
        """Return where a chain of recorded renames ends, None without one and for a cycle."""
        seen = {path}
        while path in self.recorded:
            path = self.recorded[path]
            if path in seen:
                return None
            seen.add(path)
        return path if len(seen) > 1 else None

    def _with_folder(self, plain: str) -> str | None:
        """Return the path after a move of its folder or a parent; globs move with their folder."""
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


_KIN = (
    (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"),
    (".c", ".cc", ".cpp", ".cxx"),
    (".h", ".hh", ".hpp", ".hxx"),
    (".yml", ".yaml"),
    (".md", ".mdx"),
)
"""Endings of files of which one is often rewritten as another."""

_FIRST_OF_FOLDER = {".rs": "mod", ".py": "__init__", ".js": "index", ".jsx": "index", ".ts": "index", ".tsx": "index"}
"""By their ending, the names of the files that stand for a folder, as `e2e/mod.rs` does for the module `e2e`."""

_NO_CONTENT = sha1(b"blob 0\0", usedforsecurity=False).hexdigest()


def _blob(path: Path) -> str | None:
    """Return the name that git has for a file's content (SHA-1); None for an empty file and one that cannot be read."""
    try:
        content = read_regular(path)
    except OSError:
        return None
    start = b"blob %d\0" % len(content)
    return sha1(start + content, usedforsecurity=False).hexdigest() if content else None


def _is_generic(name: str) -> bool:
    """Return whether many folders have a file of this name, so that it identifies nothing."""
    return name.split(".", 1)[0].lower() in GENERIC_STEMS


MOST_LINES = 12  # Changed lines shown of one file


MOST_FILES = 6  # Files of one memory that are compared


MOST_COMPARED = 2_000  # Lines up to which an uncommitted file is compared: twice as many take 0.1 s at worst


_LONGEST_LINE = 200


_GIT_SECONDS = 3.0


_SAFE = ("--no-ext-diff", "--no-textconv", "--no-color")


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a memory."""

    path: str  # as the anchor names it
    state: AnchorState | None  # of the anchor in the working tree; None where it was not checked
    added: int | None = None  # lines added since the memory was last verified; None where git cannot tell
    removed: int | None = None  # lines removed, likewise
    lines: tuple[str, ...] = ()  # the first changed lines, each starting with `+` or `-`


def file_changes(memory: Memory, tree: Tree | None, *, moves: Mapping[str, str] | None = None) -> list[FileChange]:
    """Return what happened to a memory's files, first those that are gone, last those that are as they were.

    It runs git, so call it outside any lease and off the main thread.

    `tree`: the working tree of its project, None where that is not known.
    """
    if tree is None or memory.project != tree.project:
        return [FileChange(anchor.path, None) for anchor in memory.anchors]
    states = tree.states(memory)
    base = _commit_before(tree.root, last_trusted_at(memory))
    found = []
    moves = moves or {}
    told = {path: "moved" if path in moves else state for path, state in states.items()}
    for anchor in sorted(memory.anchors, key=lambda one: _TOLD_LAST.get(told.get(one.path), 0))[:MOST_FILES]:
        to = moves.get(anchor.path)
        change = FileChange(anchor.path, "moved" if to else states.get(anchor.path))
        path = tree.resolve(anchor.path) or _plain(anchor.path)
        is_plain = not any(sign in path for sign in "*?[")
        paths = (path, _plain(to)) if to else (path,)
        found.append(_compared(tree.root, base, paths, change) if base and is_plain else change)
    return found


_TOLD_LAST = {"changed": 1, "fresh": 2, "unverifiable": 3, None: 3}
"""Places of states behind those that a review is most likely about: `gone` and `moved`."""


def _plain(path: str) -> str:
    return path.split("::", 1)[0]


def _commit_before(root: Path, moment: datetime) -> str | None:
    """Return the last commit before a moment, None outside a repository or before its first commit."""
    output = run_git(root, "rev-list", "-1", f"--before={moment.isoformat()}", "HEAD", seconds=_GIT_SECONDS)
    commit = (output or "").strip()
    return commit or None


def _compared(root: Path, base: str, paths: Sequence[str], change: FileChange) -> FileChange:
    lines = _committed(root, base, paths)
    if lines is None:
        return change
    if len(paths) == 1 and lines and all(line.startswith("+") for line in lines):
        was = _former_name(root, base, paths[0])
        lines = (_committed(root, base, (was, paths[0])) if was else None) or ([] if was else lines)
    if not lines and change.state == "changed":
        lines = _uncommitted(root, base, paths[-1])
    added = sum(1 for line in lines if line.startswith("+"))
    return replace(change, added=added, removed=len(lines) - added, lines=tuple(lines[:MOST_LINES]))


def _committed(root: Path, base: str, paths: Sequence[str]) -> list[str] | None:
    """Return the lines that commits changed in a file, or in one with its former name; None where git fails."""
    # A path from outside may look like pathspec magic.
    command = ("--literal-pathspecs", "diff", "-M", *_SAFE, "--unified=0", base, "HEAD", "--", *paths)
    output = run_git(root, *command, seconds=_GIT_SECONDS)
    return None if output is None else list(_changed_lines(output))


def _former_name(root: Path, base: str, path: str) -> str | None:
    """Return the name that a file had at a commit; None where it had this one or did not exist."""
    command = ("--literal-pathspecs", "log", "--follow", "-M", "--diff-filter=R", "--name-status", "-z", "--format=")
    output = run_git(root, *command, *_SAFE[:2], f"{base}..HEAD", "--", path, seconds=_GIT_SECONDS) or ""
    parts = [part.lstrip("\n") for part in output.split("\0")]
    # The oldest rename comes last, as status, old name, new name.
    names = [old for status, old in pairwise(parts) if status[:1] == "R" and status[1:].isdigit()]
    return names[-1] if names else None


def _uncommitted(root: Path, base: str, path: str) -> list[str]:
    """Return the lines that differ between a file as committed and as it is now."""
    from difflib import SequenceMatcher

    before = run_git(root, "cat-file", "blob", f"{base}:./{path}", seconds=_GIT_SECONDS)
    try:
        after = read_regular(root / path).decode("utf-8", "replace")
    except OSError:
        return []
    old, new = (before or "").splitlines(), after.splitlines()
    if before is None or max(len(old), len(new)) > MOST_COMPARED:
        return []
    lines: list[str] = []
    for name, first, last, start, end in SequenceMatcher(None, old, new).get_opcodes():
        if name != "equal":
            lines += [f"-{_tamed(line)}" for line in old[first:last]]
            lines += [f"+{_tamed(line)}" for line in new[start:end]]
    return lines


def _changed_lines(diff: str) -> Iterator[str]:
    """Yield the added and removed lines of a diff without context, safe to display."""
    inside = False
    for line in diff.split("\n"):
        if line.startswith("diff --git"):
            inside = False
        elif line.startswith("@@"):
            inside = True
        elif inside and line[:1] in {"+", "-"}:
            yield line[0] + _tamed(line[1:])


def _tamed(line: str) -> str:
    return reveal(line[: _LONGEST_LINE - 1].expandtabs(4))
