"""Follow imports from the given files, one or two hops, in every language that can be read."""

from __future__ import annotations

import contextlib
import json
import os
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Literal

from memtui import locations
from memtui.domain.reasons import Reason, ReasonCode
from memtui.recall.imports.sources import (
    IMPORTED,
    SAME_PACKAGE,
    Language,
    SourceTree,
    Statement,
    UnreadableFileError,
    normal,
)

Tongue = Literal["python", "javascript", "go", "rust", "java"]

BY_SUFFIX: dict[str, Tongue] = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
}

MOST_STATEMENTS = 2_000  # Statements of one file that are kept; more stand in generated lists


def language_of(path: str) -> Language | None:
    """Return the language of a file by its name, None if its imports cannot be read."""
    tongue = BY_SUFFIX.get(posixpath.splitext(path)[1].lower())
    return _language(tongue) if tongue is not None else None


def parse(source: bytes, language: Language) -> tuple[Statement, ...]:
    """Return the statements of a file that name other files; bytes that are no UTF-8 are replaced."""
    text = source.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return tuple(dict.fromkeys(islice(language.read(text), MOST_STATEMENTS)))


@cache
def _language(tongue: Tongue) -> Language:
    """Return a language; only those that are met are loaded, as compiling the patterns of all takes 30 ms."""
    if tongue == "python":
        from memtui.recall.imports.packages import PYTHON as LANGUAGE
    elif tongue == "javascript":
        from memtui.recall.imports.javascript import JAVASCRIPT as LANGUAGE
    elif tongue == "go":
        from memtui.recall.imports.packages import GO as LANGUAGE
    elif tongue == "rust":
        from memtui.recall.imports.rust import RUST as LANGUAGE
    else:
        from memtui.recall.imports.packages import JAVA as LANGUAGE
    return LANGUAGE


FORMAT = 1  # Raised when statements come to mean something else

MOST_PER_SHARD = 24
"""Entries in each of the 256 folders: at most 6,144 in all, about what three large repositories reach."""


class StatementCache:
    """Statements by content, below one folder; every failure of the file system means a miss."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, source: bytes, language: Language) -> tuple[Statement, ...] | None:
        """Return the statements of a content, None if they are not known."""
        try:
            record = json.loads(self._file(source, language).read_bytes())
            return tuple(Statement(kind, path, tuple(names)) for kind, path, *names in map(_strings, record))
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def put(self, source: bytes, language: Language, statements: tuple[Statement, ...]) -> None:
        target = self._file(source, language)
        part = target.with_suffix(f".{os.getpid()}.part")
        text = json.dumps([[one.kind, one.path, *one.names] for one in statements], ensure_ascii=True)
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make_room(target.parent)
            part.write_text(text, encoding="ascii")
            part.replace(target)
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()

    def _file(self, source: bytes, language: Language) -> Path:
        salt = f"{FORMAT} {language.name}".encode()
        name = blake2b(source, key=blake2b(salt, digest_size=32).digest(), digest_size=16).hexdigest()
        return self._folder / name[:2] / f"{name}.json"


def _strings(row: object) -> list[str]:
    """Return a row as it must be. Raises `TypeError`: it is something else."""
    if not isinstance(row, list) or len(row) < 2 or not all(isinstance(one, str) for one in row):  # noqa: PLR2004 - kind and path
        raise TypeError
    return row


def _make_room(folder: Path) -> None:
    """Remove the oldest entries of a full folder."""
    entries = [Path(entry) for entry in os.scandir(folder)]
    if len(entries) < MOST_PER_SHARD:
        return
    for oldest in sorted(entries, key=_written)[: len(entries) - MOST_PER_SHARD + 1]:
        with contextlib.suppress(OSError):
            oldest.unlink()


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


MOST_READ = 256_000  # Bytes of imported files read for the second hop, about 30 ms; the given files are not counted

MOST_REACHED = 400

MOST_IN_FOLDER = 20  # Files of a given folder whose imports are followed


@dataclass(frozen=True, slots=True)
class Reached:
    """A file that a given file imports, directly or through another."""

    file: str  # path in the project
    hop: int  # 1 or 2
    importer: str  # the file that imports it
    tie: str = IMPORTED  # how it is tied to the importer: `imported`, `used`, `same-package` or `of-package`
    before: Reached | None = None  # how the importer was reached; None if it was given

    @property
    def reason(self) -> Reason:
        """How the file is tied to a given one: `other` is the importer, `because` says how that was reached."""
        before = (self.before.reason,) if self.before else ()
        return Reason(ReasonCode.FILE, file=self.file, other=self.importer, link=self.tie, because=before)


@dataclass(frozen=True, slots=True)
class Imports:
    """What was reached."""

    reached: tuple[Reached, ...] = ()
    notes: tuple[str, ...] = ()  # what could not be read or was not followed, in words


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
