"""Find sources: the files of a folder that hold memories, each read once with its imports, and well-known places."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from memtui.capture.draft import Reader, ReadResult, Skipped, SourceFile
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.includes import add_imports, is_inside
from memtui.errors import NotFoundError, SourceError
from memtui.progress import ProgressCallback
from memtui.text.tables import read_table
from memtui.workspace import find_workspace

MAX_BYTES = 4 * 1024 * 1024
"""Larger texts are not read; data such as JSONL may be longer."""

MAX_DEPTH = 4
"""How many files deep `@path` imports are followed."""

_TEXT_SUFFIXES = frozenset({"", ".md", ".markdown", ".mdown", ".mkd", ".mdx", ".mdc", ".txt", ".text"})
_LOOKED_AT_BYTES = 8_000
_FILES_PER_REPORT = 500
_MARKDOWN_MARK = re.compile(rb"^(?:#{1,6} |[-*+] |\d{1,3}[.)] )\S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file, its reader, and what the reader returned.

    Attributes:
        fingerprint: hash of the bytes read; empty where no memory came of them.
    """

    file: SourceFile
    reader: Reader
    result: ReadResult
    fingerprint: bytes = b""


@dataclass(slots=True)
class Collected:
    """The files read, in order, and the files left out with the reason."""

    files: list[ReadFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file that may be read.

    Attributes:
        real: its path with every link resolved.
        named: whether a person or another file named it, so that any Markdown is accepted.
        depth: number of imports between it and a file that was found by itself.
    """

    file: SourceFile
    reader: Reader | None
    real: str
    named: bool = False
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A file below a folder.

    Attributes:
        real: its path with every link resolved.
        linked: whether it, or a folder above it, is a link.
    """

    path: Path
    real: str
    linked: bool


def collect(
    paths: Sequence[Path],
    *,
    root: Path | None,
    home: Path,
    format: str = "auto",  # noqa: A002 - the word of the design
    progress: ProgressCallback | None = None,
) -> Collected:
    """Find and read every source below the paths; each real file is read once.

    Args:
        paths: files and folders. In a folder only recognised files are read; a named file is read at least as Markdown.
        root: the project's folder, which names are relative to; a path outside it is its own root.
        home: the user's home folder.
        format: the name of a reader that takes every file, or `auto`.
        progress: called before each file with the number of files done and found so far.

    Raises:
        NotFoundError: a path does not exist.
        UsageError: the format is unknown.
        Cancelled: raised by `progress`, and passed on.
    """
    work = _Work(Path(os.path.abspath(home)), _forced(format), progress)  # noqa: PTH100 - links must stay unresolved
    for path in paths:
        work.add(Path(os.path.abspath(path)), root)  # noqa: PTH100 - the same
    work.read()
    return work.collected


def _forced(format_name: str) -> Reader | None:
    from memtui.capture.readers.registry import AUTO, reader_named

    return None if format_name.strip().lower() == AUTO else reader_named(format_name)


@dataclass(slots=True)
class _Work:
    home: Path
    forced: Reader | None
    progress: ProgressCallback | None
    collected: Collected = field(default_factory=Collected)
    queue: deque[_Candidate] = field(default_factory=deque)
    seen: dict[str, SourceFile] = field(default_factory=dict)

    def add(self, path: Path, root: Path | None) -> None:
        if not path.exists():
            raise NotFoundError(
                "The file or folder to import does not exist",
                where=str(path),
                remedy="Check the path, and where a symbolic link leads.",
            )
        base = Path(os.path.abspath(root)) if root is not None else None  # noqa: PTH100 - links must stay unresolved
        if base is None or not path.is_relative_to(base):
            base = path if path.is_dir() else path.parent
        file = SourceFile(path, base, self.home)
        if path.is_dir():
            self._add_folder(path, base)
        elif not path.is_file():
            self._skip(file, "no regular file")
        else:
            real = os.path.realpath(path)
            self.queue.append(_Candidate(file, self.forced or self._reader(file), real, named=True))

    def _add_folder(self, folder: Path, base: Path) -> None:
        files: list[tuple[Found, SourceFile]] = []
        recognised: list[tuple[Found, SourceFile, Reader]] = []
        for found in walk(folder, self.collected.skipped):
            if self.progress is not None and len(files) % _FILES_PER_REPORT == 0:
                self.progress(0, len(recognised))
            file = SourceFile(found.path, base, self.home)
            files.append((found, file))
            if reader := self._reader(file):
                recognised.append((found, file, reader))
        if self.forced is not None:
            mine = [(found, file, self.forced) for found, file, reader in recognised if reader is self.forced]
            recognised = mine or [(found, file, self.forced) for found, file in files if self._fits(file)]
        recognised.sort(key=lambda entry: (entry[0].linked, entry[1].name))
        self.queue.extend(_Candidate(file, reader, found.real) for found, file, reader in recognised)

    def _fits(self, file: SourceFile) -> bool:
        """Return whether the chosen format may take a file that no reader recognises."""
        return self.forced is not None and (
            self.forced.detect(file) or file.path.suffix.lower() in {".md", ".markdown"}
        )

    def _reader(self, file: SourceFile) -> Reader | None:
        from memtui.capture.readers.registry import reader_for

        try:
            return reader_for(file)
        except OSError:  # reported when the file is read
            return None

    def read(self) -> None:
        """Read the queue; the imports of a file come right after it."""
        done = 0
        while self.queue:
            if self.progress is not None:
                self.progress(done, done + len(self.queue))
            self._read_one(self.queue.popleft())
            done += 1
        if self.progress is not None:
            self.progress(done, done)

    def _read_one(self, candidate: _Candidate) -> None:
        file = candidate.file
        first = self.seen.setdefault(candidate.real, file)
        if first is not file:
            # A linked folder repeats its whole content; only a link to the file itself is reported.
            if first.path != file.path and file.path.is_symlink():
                self._skip(file, f"the same file as {first.name}")
            return
        reader = candidate.reader
        try:
            reason = self._unfit(file, reader, named=candidate.named)
            if reader is None and not reason:
                from memtui.capture.readers.registry import reader_named

                reader = reader_named("markdown")
            if reason or reader is None:
                self._skip(file, reason)
                return
            result = reader.read(file)
            if candidate.depth and reader.format == "markdown":
                # An assistant follows `@path` in every file that it imports.
                add_imports(result, file, split_frontmatter(file.text))
        except SourceError as error:
            self._skip(file, str(error))
            return
        except OSError as error:
            self._skip(file, f"cannot be read: {error.strerror or error}")
            return
        # A fresh file lets go of the bytes: a folder of transcripts would fill the memory.
        fresh = SourceFile(file.path, file.root, file.home)
        fingerprint = file.fingerprint if result.drafts else b""
        self.collected.files.append(ReadFile(fresh, reader, result, fingerprint))
        self._follow(candidate, result)

    def _unfit(self, file: SourceFile, reader: Reader | None, *, named: bool) -> str:
        """Return why a file is not read; empty if it is."""
        if file.path.suffix.lower() in _TEXT_SUFFIXES and file.path.stat().st_size > MAX_BYTES:
            return f"larger than {MAX_BYTES // 1024 // 1024} MiB"
        if reader is None and not (named and _is_text(file.path)):
            return "no reader for this file"
        return ""

    def _follow(self, candidate: _Candidate, result: ReadResult) -> None:
        """Queue the imports of a file, next in turn."""
        found = []
        for target in result.includes:
            file = SourceFile(target, candidate.file.root, self.home)
            real = os.path.realpath(target)
            if not is_inside(candidate.file, target):
                self._skip(file, f"outside the project, imported by {candidate.file.name}")
            elif candidate.depth >= MAX_DEPTH:
                if real not in self.seen:
                    self._skip(file, f"imported more than {MAX_DEPTH} files deep")
            else:
                depth = candidate.depth + 1
                found.append(_Candidate(file, self._reader(file), real, named=True, depth=depth))
        self.queue.extendleft(reversed(found))

    def _skip(self, file: SourceFile, reason: str) -> None:
        self.collected.skipped.append(Skipped(file.name, None, reason))


def _is_text(path: Path) -> bool:
    """Return whether a file may be Markdown: by its name and bytes, without a suffix also by its marks."""
    if path.suffix.lower() not in _TEXT_SUFFIXES:
        return False
    with path.open("rb") as handle:
        start = handle.read(_LOOKED_AT_BYTES)
    if b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    if start.decode("utf-8", "replace").count("\ufffd") > len(start) // 20 and b"\0" not in start:
        return False
    return bool(path.suffix) or _MARKDOWN_MARK.search(start) is not None


def walk(folder: Path, skipped: list[Skipped]) -> Iterator[Found]:
    """Yield the files below a folder in the order of their names, those behind linked folders last.

    Links that leave the folder are not followed, nor links to a folder above them.

    Args:
        folder: where to start; its own name may be that of a skipped folder.
        skipped: receives the folders that cannot be opened, and links to texts and rule folders outside.
    """
    real_root = os.path.realpath(folder)
    waiting = deque([(os.fspath(folder), real_root, False)])
    visited: set[tuple[str, bool]] = set()
    while waiting:
        current, real, linked = waiting.popleft()
        if (real, linked) in visited:
            continue
        visited.add((real, linked))
        folders = []
        for entry in _entries(current, skipped):
            place = _place(entry, real_root, skipped)
            below = f"{real.rstrip(os.sep)}{os.sep}{entry.name}"
            if place == "file":
                yield Found(Path(entry.path), below, linked)
            elif place == "linked file":
                yield Found(Path(entry.path), os.path.realpath(entry.path), linked=True)
            elif place == "folder":
                folders.append((entry.path, below, linked))
            elif place == "linked folder":
                target = os.path.realpath(entry.path)
                if not f"{below}{os.sep}".startswith(f"{target}{os.sep}"):
                    waiting.append((entry.path, target, True))
            elif place == "outside":
                skipped.append(Skipped(entry.path, None, "a link that leads outside the folder"))
        waiting.extendleft(reversed(folders))


@cache
def _skipped_folders() -> frozenset[str]:
    return frozenset(read_table(__file__, "places.toml")["skipped_folders"])


def _entries(folder: str, skipped: list[Skipped]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scanned:
            return sorted(scanned, key=lambda entry: entry.name)
    except OSError as error:
        skipped.append(Skipped(folder, None, f"cannot be opened: {error.strerror or error}"))
        return []


def _leaves(target: str, real_root: str) -> bool:
    return target != real_root and not target.startswith(real_root.rstrip(os.sep) + os.sep)


def _place(entry: os.DirEntry[str], real_root: str, skipped: list[Skipped]) -> str:
    """Return what an entry is: file, folder, linked file, linked folder, outside; empty to skip it."""
    try:
        is_link, is_folder = entry.is_symlink(), entry.is_dir()
    except OSError as error:  # a link in a circle
        skipped.append(Skipped(entry.path, None, f"cannot be read: {error.strerror or error}"))
        return ""
    if is_folder and entry.name in _skipped_folders():
        return ""
    if is_link and _leaves(os.path.realpath(entry.path), real_root):
        # Programs and data are linked everywhere; a link to what may hold memories is worth reporting.
        text = not is_folder and Path(entry.name).suffix.lower() in _TEXT_SUFFIXES - {""}
        return "outside" if text or (is_folder and f"{os.sep}." in entry.path) else ""
    if not is_folder and not entry.is_file():
        return ""
    return f"{'linked ' if is_link else ''}{'folder' if is_folder else 'file'}"


MOST_FILES = 500
"""Files counted in one place; more are read all the same."""

Where = Literal["project", "home", "named"]


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """A file or folder that holds what memtui can read.

    Attributes:
        where: in the project, in the home folder, or named by a person.
        label: what people call it.
        name: its path for display: from the project's root, or from the home folder with `~`.
        files: how many recognised files it holds, at most `MOST_FILES`.
    """

    path: Path
    where: Where
    label: str
    name: str
    files: int


def find_places(folder: Path, home: Path) -> list[KnownPlace]:
    """Return the known places that hold something, the project's first; each real file or folder once.

    Args:
        folder: the working directory; the project is the repository around it, or the folder itself.
        home: the user's home folder.
    """
    root = find_workspace(folder).root
    found: list[KnownPlace] = []
    seen: set[str] = set()
    for where, base, relative in _candidates(root, home):
        path = base / relative
        real = os.path.realpath(path)
        if real in seen or not os.path.lexists(path):
            continue
        place = look_at(path, where=where, base=base, home=home)
        if place is not None:
            seen.add(real)
            found.append(place)
    return found


def look_at(path: Path, *, where: Where, base: Path, home: Path) -> KnownPlace | None:
    """Return a place with the recognised files in it; None if there are none."""
    from memtui.capture.readers.registry import reader_for

    labels: dict[str, int] = {}
    for number, file in enumerate(_files(path)):
        if number >= MOST_FILES:
            break
        try:
            reader = reader_for(SourceFile(file, base, home))
        except OSError:
            continue
        if reader is not None:
            labels[reader.label] = labels.get(reader.label, 0) + 1
    if not labels:
        return None
    label = max(labels, key=lambda name: labels[name])
    return KnownPlace(path, where, label, _name(path, where, base), sum(labels.values()))


def _candidates(root: Path, home: Path) -> Iterator[tuple[Where, Path, str]]:
    """Yield every place to look at; a root that is the home folder itself is looked at once."""
    places = read_table(__file__, "places.toml")
    for relative in places["project"]:
        yield "project", root, relative
    slug = re.sub(r"[^A-Za-z0-9]", "-", root.as_posix())
    yield "project", home, f".claude/projects/{slug}/memory"
    for relative in places["home"]:
        yield "home", home, relative


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        skipped: list[Skipped] = []
        for found in walk(path, skipped):
            yield found.path


def _name(path: Path, where: Where, base: Path) -> str:
    if not path.is_relative_to(base) or where == "named":
        return str(path)
    relative = path.relative_to(base).as_posix()
    return relative if where == "project" and not relative.startswith(".claude/projects/") else f"~/{relative}"
