"""From the files in hand to what they import, and what that imports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memtui import locations
from memtui.recall.imports.caching import StatementCache
from memtui.recall.imports.parsing import language_of, parse
from memtui.recall.imports.sources import SourceTree, UnreadableFileError, normal
from memtui.recall.imports.statements import IMPORTED, SAME_PACKAGE, Statement

MOST_HOPS = 2
"""A third hop reaches most of a small project from any of its files, and tells nothing apart."""

MOST_READ = 256_000
"""Bytes of imported files that are read for the second hop, about 30 ms of reading; the files in hand come on top."""

MOST_REACHED = 400

MOST_IN_FOLDER = 20
"""Files of a folder in hand whose imports are followed."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A file that a file in hand imports, itself or through another.

    Attributes:
        file: path in the project.
        hop: 1 or 2.
        importer: the file that imports it.
        tie: how it is tied to the importer, in words.
        before: how the importer was reached; None if it is in hand.
    """

    file: str
    hop: int
    importer: str
    tie: str = IMPORTED
    before: Reached | None = None

    @property
    def reason(self) -> str:
        """Why the file is here, in words."""
        if self.before is None:
            return f"{self.file} is {self.tie} {self.importer}"
        return f"{self.file} is {self.tie} {self.importer}, itself {self.before.tie} {self.before.importer}"


@dataclass(frozen=True, slots=True)
class Imports:
    """What was reached.

    Attributes:
        reached: the nearest first.
        notes: what could not be read or was not followed, in words.
    """

    reached: tuple[Reached, ...] = ()
    notes: tuple[str, ...] = ()


def follow_imports(root: Path, files: Sequence[str], *, cache: Path | None = None) -> Imports:
    """Return the files of a working tree that some files import, one or two hops away.

    Only files inside the tree are read, and of those only what is reached. What cannot be read is named in the
    notes; nothing is raised.

    Args:
        root: the folder that paths are relative to.
        files: project-relative POSIX paths as `Task.files` has them; folders mean the files in them.
        cache: the folder to keep parse results in, None for memtui's own.
    """
    folder = locations.cache_folder() / "imports" if cache is None else cache
    return _Walk(SourceTree(root), StatementCache(folder), MOST_READ).run(files)


@dataclass(slots=True)
class _Walk:
    tree: SourceTree
    cache: StatementCache
    left: int
    reached: dict[str, Reached] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def run(self, files: Sequence[str]) -> Imports:
        in_hand = list(dict.fromkeys(path for file in files for path in self._in_hand(file)))
        for path in in_hand:
            self._expand(path, None, known=frozenset(in_hand))
        for first in [one for one in self.reached.values() if one.tie != SAME_PACKAGE]:
            if len(self.reached) >= MOST_REACHED:
                break
            self._expand(first.file, first, known=frozenset(in_hand))
        return Imports(tuple(self.reached.values()), tuple(self.notes))

    def _in_hand(self, file: str) -> list[str]:
        path = normal(file.split("::", 1)[0]) if file else None
        if path is None or self.tree.is_file(path):
            return [] if path is None else [path]
        inside = [name for name in self.tree.files(path, "") if language_of(name)] if self.tree.is_folder(path) else []
        if len(inside) > MOST_IN_FOLDER:
            self._note(f"{path or 'the root'}: the imports of {MOST_IN_FOLDER} of its {len(inside)} files are followed")
        return inside[:MOST_IN_FOLDER]

    def _expand(self, file: str, before: Reached | None, *, known: frozenset[str]) -> None:
        language = language_of(file)
        if language is None:
            return
        statements = self._statements(file, counted=before is not None)
        if statements is None:
            return
        hop = 1 if before is None else before.hop + 1
        for target, tie in language.resolve(self.tree, file, statements, before is None):
            if target not in known and target not in self.reached and len(self.reached) < MOST_REACHED:
                self.reached[target] = Reached(target, hop, file, tie, before)

    def _statements(self, file: str, *, counted: bool) -> tuple[Statement, ...] | None:
        """Return what a file says, None if it cannot be read or the budget is spent."""
        language = language_of(file)
        if language is None:
            return None
        try:
            source = self.tree.read(file)
            if counted and len(source) > self.left:
                self._note(f"{file}: not followed further, enough was read")
                return None
            self.left -= len(source) if counted else 0
            known = self.cache.get(source, language)
            if known is None:
                known = parse(source, language)
                self.cache.put(source, language, known)
        except UnreadableFileError as error:
            self._note(f"{file}: its imports are unknown, {error}")
        else:
            return known
        return None

    def _note(self, words: str) -> None:
        self.notes.setdefault(words)
