"""Values of a memory's fields as people type them: checked, cleaned, and tied to files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from unicodedata import category

from memtui.domain.freshness import LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE
from memtui.domain.kinds import DEFAULT_KIND, Kinds
from memtui.domain.memory import LONGEST_TAG, MATCHED, Anchor, Memory, long_tag
from memtui.domain.scope import matches
from memtui.errors import RefusedError, UsageError
from memtui.text.sanitize import one_line
from memtui.text.words import begun, did_you_mean, unknown
from memtui.tree import Tree, above_glob, file_hash, tree_files, without_symbol
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault


@dataclass(frozen=True, slots=True)
class Proposed:
    """Defaults that a conclusion takes from its sources."""

    tags: tuple[str, ...]  # of all sources, each once
    anchors: tuple[Anchor, ...]  # of all sources, each path once
    outline: str  # the sources' titles, one a line, as a start; never stored as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChanges:
    """Tags and files to add to a memory and to remove.

    Saving whole lists would drop what somebody else added in the meantime.
    """

    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    add_rules: tuple[str, ...] = ()
    remove_rules: bool = False  # whether the rules that it has go first
    add_anchors: tuple[Anchor, ...] = ()  # an anchor replaces one with the same path
    # paths as memories name them, each with what the person typed
    remove_files: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        lists = (self.add_tags, self.remove_tags, self.add_rules, self.add_anchors, self.remove_files)
        return self.remove_rules or any(lists)

    def values(self, memory: Memory | Proposed) -> dict[str, Any]:
        """Return the new values of the memory's lists that change, by field.

        Raises `UsageError`: a tag or file to remove is not there.
        """
        values: dict[str, Any] = {}
        if self.add_tags or self.remove_tags:
            values["tags"] = self._tags(memory)
        if self.add_anchors or self.remove_files:
            values["anchors"] = self._anchors(memory)
        if isinstance(memory, Memory) and (self.add_rules or self.remove_rules):
            kept = () if self.remove_rules else memory.rules
            values["rules"] = tuple(dict.fromkeys((*kept, *self.add_rules)))
        return values

    def _tags(self, memory: Memory | Proposed) -> list[str]:
        absent = [tag for tag in self.remove_tags if tag not in memory.tags]
        if absent:
            tags = ", ".join(memory.tags) or "none"
            raise UsageError("No such tag", where=", ".join(absent), remedy=f"Tags: {tags}.")
        return [tag for tag in (*memory.tags, *self.add_tags) if tag not in self.remove_tags]

    def _anchors(self, memory: Memory | Proposed) -> tuple[Anchor, ...]:
        known = {anchor.path for anchor in memory.anchors}
        absent = [typed for name, typed in self.remove_files.items() if name not in known]
        if absent:
            files = ", ".join(sorted(known)) or "none"
            raise UsageError("No such file", where=", ".join(absent), remedy=f"Files: {files}.")
        again = {anchor.path for anchor in self.add_anchors}
        kept = (anchor for anchor in memory.anchors if anchor.path not in {*self.remove_files, *again})
        return (*kept, *self.add_anchors)


MOST_NAMEABLE = 20_000
"""Files offered for completion: searching more takes longer than a key press may (3 ms per 10,000)."""


def relative_name(given: str, *, root: Path, folder: Path) -> str:
    """Return a given path as memories name it: POSIX, relative to the root where it lies below it.

    Raises `UsageError`: the name cannot be stored.
    """
    return _storable(_relative_name(_storable(given), root=root, folder=folder))


def _storable(name: str) -> str:
    """Return a name if a memory can hold it; that of the current folder may be one it cannot."""
    kinds = {category(character) for character in name}
    if "Cs" in kinds:
        raise UsageError(
            "This file name is not valid UTF-8, so no memory can name it",
            where=repr(name[:80]),
            remedy="Rename the file, or tie the memory to its folder.",
        )
    if "Cc" in kinds:
        raise UsageError(
            "This file name contains a control character",
            where=repr(name[:80]),
            remedy="Rename the file, or tie the memory to its folder.",
        )
    return name


def _relative_name(given: str, *, root: Path, folder: Path) -> str:
    plain = without_symbol(given, folder, root)
    symbol = given[len(plain) :].removeprefix("::")
    path = Path(os.path.normpath(folder / plain))
    real_root = Path(os.path.realpath(root))
    for candidate in (path, Path(os.path.realpath(path))):
        for base in (root, real_root):
            if candidate.is_relative_to(base) and _exists(candidate):
                name = candidate.relative_to(base).as_posix()
                return f"{name}::{symbol}" if symbol else name
    if Path(plain).is_absolute():
        return f"{path.as_posix()}::{symbol}" if symbol else path.as_posix()
    name = given.replace("\\", "/").removeprefix("./")
    return _glob_from_root(name, root=root, folder=folder) if Anchor(name).is_glob else name


def _exists(path: Path) -> bool:
    """Return whether there is such a file or folder, also for names that no system allows."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises for a name that is too long


def check_files(given: Iterable[str], *, root: Path, folder: Path, anchors: Iterable[str]) -> list[str]:
    """Return files as memories name them, folders with a slash at the end.

    Raises `UsageError`: a path neither exists nor matches an anchor.
    """
    known = list(anchors)
    names = []
    for path in given:
        if not path.strip():
            raise UsageError("A file needs a name", where="--file", remedy="Give a path that exists.")
        name = relative_name(path, root=root, folder=folder)
        plain = without_symbol(name, root).rstrip("/")
        exists = _exists(folder / without_symbol(path, folder)) or _exists(root / plain)
        if not exists and plain not in {end.rstrip("/") for anchor in known for end in (anchor, anchor.split("::")[0])}:
            _check_planned(plain, given=path, root=root, known=known)
        is_folder = exists and Path(root / plain).is_dir()
        names.append(f"{plain}/" if is_folder and plain not in {"", "."} else name)
    return list(dict.fromkeys(names))


def _check_planned(plain: str, *, given: str, root: Path, known: Collection[str]) -> None:
    """Raise `UsageError` where a path that is not there is no file to come of a place that memories are tied to.

    A name without a suffix, or one that a file or folder there begins with, is more likely typed in part.
    """
    parent, _, name = plain.rpartition("/")
    beside = [f"{parent}/{other}" if parent else other for other in _names_in(root / parent)]
    is_part = not PurePosixPath(name).suffix or any(other.startswith(plain) for other in beside)
    is_placed = any(matches(anchor, plain) for anchor in known)
    if is_placed and not is_part:
        return
    paths = [*beside, *(anchor for anchor in known if "*" not in anchor)]
    hint = did_you_mean(plain, paths, otherwise="Give a path that exists, relative to where you are.")
    told = "No such file or folder" if is_placed else "No such file, and no memory is tied to it"
    raise UsageError(told, where=given, remedy=hint)


def _names_in(folder: Path) -> list[str]:
    """Return the names in a folder; none where it cannot be read."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names alone
    except (OSError, ValueError):
        return []


def nameable_files(root: Path | None, anchors: Iterable[str], *, most: int = MOST_NAMEABLE) -> list[str]:
    """Return files to complete: the paths that memories are tied to, then the files of a tree.

    `root`: the working tree, None outside of one. `anchors`: paths that memories in view are tied to; globs are left
    out and, where there is a tree, what is not in it.
    """
    tied = sorted({path.split("::", 1)[0] for path in anchors if not Anchor(path).is_glob and "://" not in path})
    found = dict.fromkeys(path for path in tied if root is None or _exists(root / path))
    if root is not None:
        found.update(dict.fromkeys(sorted(tree_files(root))))
    return list(found)[:most]


def anchors_for(given: Iterable[str], *, root: Path, folder: Path) -> tuple[Anchor, ...]:
    """Return anchors for paths, globs and symbols as typed; files that exist get their content hash.

    A glob that fits no file is kept, as files may be about to come, and counts as dead until they do.

    Raises `UsageError`: a plain path does not exist.
    """
    anchors = []
    for path in given:
        if not path.strip():
            raise UsageError("A file needs a name", where="--file", remedy="Give a path that exists.")
        anchor = Anchor(relative_name(path, root=root, folder=folder))
        plain = without_symbol(anchor.path, root)
        target = root / plain
        if not _exists(target) and anchor.is_glob:
            anchors.append(Anchor(anchor.path, MATCHED))
            continue
        if not _exists(target) and not _exists(folder / plain):
            raise UsageError("No such file", where=path, remedy="Give a path that exists, or a glob in quotes.")
        anchors.append(Anchor(anchor.path, file_hash(target) if target.is_file() else None))
    return tuple(dict.fromkeys(anchors))


def without_files(anchors: Iterable[Anchor], root: Path) -> list[str]:
    """Return the globs among anchors that no file of a tree fits, which may be typing errors."""
    tree = Tree("", root)
    return [
        anchor.path
        for anchor in anchors
        if anchor.is_glob and tree.holds(anchor.path) is False and not tree.fits(anchor.path)
    ]


def _glob_from_root(glob: str, *, root: Path, folder: Path) -> str:
    """Return a glob typed in a folder below the root as one from the root, unless it starts with a folder there."""
    below = Path(os.path.realpath(folder))
    real_root = Path(os.path.realpath(root))
    if below == real_root or not below.is_relative_to(real_root):
        return glob
    first = glob.split("/", 1)[0]
    if "/" in glob and not Anchor(first).is_glob and _exists(root / first) and not _exists(folder / first):
        return glob
    return f"{below.relative_to(real_root).as_posix()}/{glob}"


def rehashed(anchors: Iterable[Anchor], tree: Tree) -> tuple[Anchor, ...]:
    """Return anchors with the current hash of each file, for a memory that was just verified.

    A glob records that files match it; one without matches, and a missing file, stay as they are.
    """
    return tuple(_rehashed(anchor, tree) for anchor in anchors)


def _rehashed(anchor: Anchor, tree: Tree) -> Anchor:
    plain = without_symbol(anchor.path, tree.root)
    found = plain if _exists(tree.root / plain) else tree.resolve(plain)
    if found is not None:
        target = tree.root / found
        return Anchor(anchor.path, file_hash(target)) if target.is_file() else anchor
    return Anchor(anchor.path, MATCHED) if anchor.is_glob and tree.fits(plain) else anchor


LONGEST_TITLE = 200


def check_kind(kinds: Kinds, kind: str) -> str:
    """Return a kind that is known. Raises `UsageError`: names the nearest."""
    cleaned = kind.strip().lower()
    if cleaned in kinds:
        return cleaned
    raise unknown("kind", kind, kinds.names())


def check_importance(value: int) -> int:
    """Return an importance of 1–5. Raises `UsageError`: it is another number."""
    if not 1 <= value <= 5:  # noqa: PLR2004 - the scale
        raise UsageError(
            "Importance is a number from 1 to 5", where=str(value), remedy="Enter a whole number in this range."
        )
    return value


def check_confidence(value: float) -> float:
    """Return a confidence of 0–1. Raises `UsageError`: it is another number."""
    if not 0 <= value <= 1:
        raise UsageError("Confidence is a number from 0 to 1", where=str(value), remedy="Enter a number such as 0.8.")
    return value


def check_half_life(days: float | None) -> float | None:
    """Return a half-life in days that a memory may have; None stands for its kind's.

    Raises `UsageError`: it is another number.
    """
    if days is not None and not SHORTEST_HALF_LIFE <= days <= LONGEST_HALF_LIFE:
        raise UsageError(
            f"A half-life is a number of days from {SHORTEST_HALF_LIFE:g} to {LONGEST_HALF_LIFE:,.0f}",
            where=str(days),
            remedy="Give a number in this range, such as 90d.",
        )
    return days


def is_blank(text: str) -> bool:
    """Return whether a text holds only blanks and invisible characters."""
    return not any(character.isprintable() and not character.isspace() for character in text)


def check_tags(tags: tuple[str, ...], *, in_use: Sequence[str] = ()) -> tuple[str, ...]:
    """Return tags of which none is too long.

    `in_use`: tags that a memory has already; an older memtui allowed longer ones.

    Raises `RefusedError`: one is too long.
    """
    found = long_tag(tag for tag in tags if tag not in in_use)
    if found is not None:
        raise RefusedError(
            f"A tag has at most {LONGEST_TAG} characters; this one has {len(found):,}",
            where=f"{found[:60]}…",
            remedy="Shorten it, or move the words to the text. Commas separate tags.",
        )
    return tags


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags without `#`, surrounding blanks, empty ones and repeats; commas separate them."""
    split = [part.strip().lstrip("#") for tag in tags for part in one_line(tag).split(",")]
    return tuple(dict.fromkeys(tag for tag in split if tag))


def named_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return cleaned tags that a person named.

    Raises `UsageError`: nothing is left of one, which would otherwise be ignored silently.
    """
    nameless = next((tag for tag in tags if not clean_tags([tag])), None)
    if nameless is not None:
        raise UsageError("A tag needs a name", where=repr(nameless), remedy="Give a word, such as `redis`.")
    return clean_tags(tags)


def kinds_in_use(vault: Vault) -> list[str]:
    """Return the kinds that any memory of the vault has, whatever its status."""
    with vault.read() as reader:
        counts = reader.counts_by("kind", MemoryFilter(scope=EVERYTHING, statuses=None))
    return [kind for kind in counts if kind is not None]


def check_kind_in_use(vault: Vault, kind: str) -> str:
    """Return a kind to filter by: a known one, or one that a memory has; a beginning that only one has will do.

    Raises `UsageError`: it is neither; names the nearest.
    """
    cleaned = kind.strip().lower()
    if cleaned in vault.kinds:
        return cleaned
    return begun(cleaned, {*vault.kinds.names(), *kinds_in_use(vault)}) or check_kind(vault.kinds, kind)


def unknown_kinds(kinds: Kinds, stated: Iterable[str]) -> list[str]:
    """Return the kinds that the configuration does not know, each once."""
    return sorted({kind for kind in stated if kind not in kinds})


def unknown_kind_words(kind: str, kinds: Kinds) -> str:
    """Return the sentence about what happens to a memory of an unknown kind."""
    fallback = kinds.get(DEFAULT_KIND)
    return (
        f"kind {kind} is not configured: stored unchanged and treated as {fallback.name}"
        f" (half-life {fallback.half_life_days:g} d); define it under `[kinds.…]` in the configuration"
    )


KIND_HALF_LIFE = 0.0  # As a half-life: follow the kind's again


def tags_from(typed: str) -> tuple[list[str], list[str]]:
    """Return the tags to add and to remove from what a person typed: `redis, #cache -old`."""
    words = [word for word in typed.replace(",", " ").split() if word.strip("-#")]
    return [word for word in words if not word.startswith("-")], [word[1:] for word in words if word.startswith("-")]


def files_from(typed: str, root: Path) -> tuple[tuple[Anchor, ...], list[str]]:
    """Return what to tie to and the paths to take away from what a person typed in the app: `quay/**, -docs/**`.

    Raises `UsageError`: a path leads outside of the tree, or there is no such file.
    """
    words = [word for word in paths_in(typed, root) if word.strip("-,")]
    added = [anchor for word in words if not word.startswith("-") for anchor in anchors_at(word, root)]
    gone = [word[1:].strip() for word in words if word.startswith("-")]
    # An import may have kept a path as its source writes it.
    names = [*gone, *(relative_name(path, root=root, folder=root) for path in gone)]
    return tuple(dict.fromkeys(added)), list(dict.fromkeys(names))


_MOST_IN_NAME = 4  # Parts of a name with commas, unless it is all that a line holds


def paths_in(line: str, root: Path | None, known: Collection[str] = ()) -> Iterator[str]:
    """Yield the paths of a line, told apart by a comma and a space, unless a file or folder is named so.

    `known`: paths that need not exist. One that is to go begins with a hyphen.
    """
    parts, at = line.split(", "), 0
    while at < len(parts):
        left = len(parts) - at
        sizes = [left] * (at == 0) + [*range(min(_MOST_IN_NAME, left), 1, -1)]
        joined = ((size, ", ".join(parts[at : at + size]).strip()) for size in sizes)
        size, path = next((one for one in joined if _is_one_path(one[1], root, known)), (1, parts[at].strip()))
        if path:
            yield path
        at += size


def _is_one_path(path: str, root: Path | None, known: Collection[str]) -> bool:
    """Return whether a text with commas is a known path, one that exists, or a glob below such a folder."""
    if path in known:
        return True
    plain = path.removeprefix("-").strip()
    fixed = above_glob(plain)
    return root is not None and ", " not in plain[len(fixed) :] and os.path.lexists(root / fixed.replace("\0", ""))


def anchors_at(path: str, root: Path) -> tuple[Anchor, ...]:
    """Return the anchors of a path or glob; an error speaks of the app, where no shell needs quotes.

    Raises `UsageError`: it leads outside of the tree, or there is no such file.
    """
    check_inside(path, root)
    try:
        return anchors_for([path], root=root, folder=root)
    except UsageError as error:
        remedy = error.remedy.replace(", or a glob in quotes.", ", or a glob.")
        raise UsageError(error.what, where=error.where, remedy=remedy) from error


def check_inside(path: str, root: Path | None) -> None:
    """Raise `UsageError` for a path typed in the app that leads outside of a project.

    `root`: its working tree; None where that is not known.
    """
    plain = path.split("::", 1)[0].replace("\\", "/")
    inside = root is not None and Path(plain).is_absolute() and Path(plain).is_relative_to(root)
    if ".." in PurePosixPath(plain).parts or plain.startswith("~") or (is_outside(plain) and not inside):
        raise UsageError(
            "This path leads outside the project", where=path[:80], remedy="Give a path inside the project."
        )


def is_outside(path: str) -> bool:
    """Return whether a path begins at the root of a machine."""
    return Path(path).is_absolute() or PurePosixPath(path).is_absolute()


MOST_TAGS = 2_000  # Tags offered for completion


def vault_tags(vault: Vault, most: int = MOST_TAGS) -> tuple[str, ...]:
    """Return the tags of the vault, the most used first."""
    from memtui.vault.sql_query import run_query

    query = "SELECT tag FROM (SELECT unnest(tags) AS tag FROM memory) GROUP BY tag ORDER BY count(*) DESC, tag"
    return tuple(str(row[0]) for row in run_query(vault, f"{query} LIMIT {int(most)}").rows)


def completions(typed: str, choices: tuple[str, ...], most: int = 8) -> list[str]:
    """Return choices that begin with what is typed, then those that contain it; none for an exact choice."""
    wanted = typed.casefold()
    if not wanted or typed in choices:
        return []
    begin: list[str] = []
    hold: list[str] = []
    for choice in choices:
        lowered = choice.casefold()
        if lowered.startswith(wanted):
            begin.append(choice)
            if len(begin) >= most:
                return begin
        elif len(hold) < most and wanted in lowered:
            hold.append(choice)
    return [*begin, *hold][:most]
