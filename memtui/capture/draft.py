"""What a reader makes of a source: drafts of memories, skipped lines, included files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Literal, Protocol

from memtui.capture.stable_split import Familiar, KnownUnit
from memtui.domain.memory import DEFAULT_IMPORTANCE, Memory, Source, fit_tags, hash_parts, long_tag
from memtui.domain.record import Record
from memtui.text.sanitize import DecodedText, decode, without_surrogates

DraftScope = Literal["project", "global"]


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One memory as its source states it.

    Attributes:
        insight: the source's own words, sanitised; whole blocks, never cut.
        anchors: globs and paths that scope it, as the source writes them.
        source: always with path, span and native_id; the native_id is the heading path joined with ` > ` plus `#n` for
            the n-th piece below that heading.
        observed_at: the date given in the source, else None (the importer asks git, then the file).
        scope: `global` for sources in the user's home that hold for every project.
        record: for memtui's own formats only, the whole portable record.
        stated: for those too, the memory that the record makes, without an id and time of its own.
        notes: reasons for a closer look: `invisible-unicode`, `control-characters`, `planted-instruction`,
            `undecodable-bytes`, `long-tag-cut`, `anchor-left-out`, `new-id`, `secret-line-left-out`.
        found: whether its file was found by searching a folder rather than named.
    """

    title: str
    insight: str
    kind: str
    source: Source
    rationale: str = ""
    snippet: str = ""
    anchors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    importance: int = DEFAULT_IMPORTANCE
    observed_at: datetime | None = None
    scope: DraftScope = "project"
    record: Record | None = None
    stated: Memory | None = None
    notes: tuple[str, ...] = ()
    found: bool = False

    @cached_property
    def content(self) -> str:
        """The content hash of the memory it would make."""
        return hash_parts(self.title, self.insight, self.rationale, self.snippet)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Lines that became no memory, with the reason; `span` counts from 1, both ends inclusive."""

    path: str
    span: tuple[int, int] | None
    reason: str


@dataclass(slots=True)
class ReadResult:
    """What one file yielded.

    Attributes:
        drafts: in the order of the file.
        skipped: every non-blank line that is in no draft, with the reason (boilerplate heading, comment …).
        includes: existing files that this one imports with `@path`.
        records: typed lines other than memories (link, verdict, signal, tombstone) of memtui's own formats.
    """

    drafts: list[Draft] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    includes: list[Path] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)

    def add(self, found: Draft | Skipped) -> None:
        """Add a draft, or the lines that became none."""
        if isinstance(found, Draft):
            self.drafts.append(found)
        else:
            self.skipped.append(found)

    def sort_skipped(self) -> None:
        """Sort the skipped lines by their position in the file."""
        self.skipped.sort(key=lambda lines: lines.span or (0, 0))


@dataclass(frozen=True)
class SourceFile:
    """A file to read.

    Attributes:
        path: absolute path, symbolic links not resolved.
        root: the folder that `name` is relative to: the project root, or the folder given to `import`.
        home: the user's home folder; its assistants' folders have global scope.
        known: the text that memories took from it at the last import, so that it is split alike.
    """

    path: Path
    root: Path
    home: Path
    known: tuple[KnownUnit, ...] = ()

    @cached_property
    def name(self) -> str:
        """The POSIX path relative to the root, or the absolute path when it lies outside.

        Undecodable bytes become question marks, as the vault stores them.
        """
        inside = self.path.is_relative_to(self.root)
        name = self.path.relative_to(self.root).as_posix() if inside else self.path.as_posix()
        return without_surrogates(name)

    @cached_property
    def raw(self) -> bytes:
        """The file's bytes."""
        return self.path.read_bytes()

    @property
    def fingerprint(self) -> bytes:
        """A hash of the bytes."""
        return blake2b(self.raw, digest_size=16).digest()

    @cached_property
    def decoded(self) -> DecodedText:
        """The file as text, with newline style, BOM and the count of undecodable bytes."""
        return decode(self.raw)

    @cached_property
    def familiar(self) -> Familiar | None:
        """The text taken from it at the last import, to be found again; None for the first import."""
        return Familiar(self.known, self.text) if self.known else None

    @property
    def text(self) -> str:
        """The text with LF line ends and no BOM."""
        return self.decoded.text


class Reader(Protocol):
    """One source format."""

    @property
    def format(self) -> str:
        """Name used by `import --format` and stored in `source.format`, e.g. `claude-md`."""
        ...

    @property
    def label(self) -> str:
        """What people call it, e.g. `Claude Code CLAUDE.md`."""
        ...

    @property
    def agent(self) -> str | None:
        """The assistant whose format it is: claude-code, cursor, copilot, codex, gemini and others."""
        ...

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is of this format, by its path, and by its content only if the path cannot tell."""
        ...

    def read(self, file: SourceFile) -> ReadResult:
        """Return what the file holds.

        Raises:
            SourceError: the file cannot be read as this format at all.
        """
        ...


EXPORTED = frozenset({"id", "project", "kind", "status", "importance", "confidence", "pinned", "created_at"})
"""Keys that every exported record has; few other records have all of them."""

LONG_TAG = "long-tag-cut"
"""Note of a draft with a shortened tag; the source still has it in full."""


def with_fit_tags(draft: Draft) -> Draft:
    """Return a draft whose tags all fit; if one was shortened, this is noted.

    memtui's own exports are taken as they are, so that what one vault holds another holds too.
    """
    if long_tag(draft.tags) is None or is_export(draft):
        return draft
    tags = fit_tags(draft.tags)
    record = None if draft.record is None else {**draft.record, "tags": list(tags)}
    stated = None if draft.stated is None else replace(draft.stated, tags=tags)
    return replace(draft, tags=tags, record=record, stated=stated, notes=(*draft.notes, LONG_TAG))


def is_export(draft: Draft) -> bool:
    """Return whether a draft comes from an export, which states everything about its memory."""
    return draft.record is not None and draft.record.keys() >= EXPORTED
