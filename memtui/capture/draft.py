"""Drafts: what a reader makes of a source, and how readers make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, Protocol

from memtui.analysis.classify import kind_guess
from memtui.analysis.named_paths import anchors_in, path_of_heading
from memtui.analysis.title_fit import cut_title
from memtui.analysis.title_headings import scoped
from memtui.analysis.titles import title_for
from memtui.capture.blocks import Span, code_lines
from memtui.capture.context import context_lead, is_of_texts, with_lead, without_place
from memtui.capture.frontmatter import Frontmatter, split_frontmatter
from memtui.capture.merge_conflicts import has_marker, merge_conflicts
from memtui.capture.skip_codes import SkipCode, SkipReason, SkipWords
from memtui.capture.stable_split import Familiar, KnownUnit
from memtui.domain.memory import (
    DECISION_RECORDS,
    DEFAULT_IMPORTANCE,
    Memory,
    Source,
    fit_tags,
    hash_parts,
    long_tag,
    planted_in,
    trimmed,
)
from memtui.domain.record import Record
from memtui.regular_files import read_regular
from memtui.text.sanitize import (
    LOST_CHARACTER,
    NOT_UTF8,
    DecodedText,
    Sanitised,
    decode,
    lost_a_character,
    sanitise,
    without_surrogates,
)
from memtui.vault.indexed import Indexed, indexed_text, postings_of

DraftScope = Literal["project", "global"]


@dataclass(frozen=True, slots=True)
class Named:
    """A record that another one names."""

    number: str = ""
    path: str = ""  # of its file, from the folder of the other one; or its name without ending
    title: str = ""
    partly: bool = False  # whether what is said of it holds for a part of it


@dataclass(frozen=True, slots=True)
class Succession:
    """Which records a record says that it replaces, and by which it was replaced."""

    replaces: tuple[Named, ...] = ()
    replaced_by: tuple[Named, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One memory as its source states it."""

    title: str
    insight: str  # the source's own words, sanitised; whole blocks, never cut
    kind: str
    # always with path, span and native_id; the native_id is the heading path joined with ` > ` plus `#n` for the n-th
    # piece below that heading
    source: Source
    rationale: str = ""
    snippet: str = ""
    anchors: tuple[str, ...] = ()  # globs and paths that scope it, as the source writes them
    tags: tuple[str, ...] = ()
    importance: int = DEFAULT_IMPORTANCE
    # the date given in the source, else None (the importer asks git, then the file)
    observed_at: datetime | None = None
    scope: DraftScope = "project"  # `global` for sources in the user's home that hold for every project
    record: Record | None = None  # for memtui's own formats only, the whole portable record
    stated: Memory | None = None  # for those too, the memory that the record makes, without an id and time of its own
    # reasons for a closer look: `invisible-unicode`, `control-characters`, `planted-instruction`, `long-tag-cut`,
    # `anchor-left-out`, `new-id`, `secret-line-left-out`, `KEY-left-out`
    notes: tuple[str, ...] = ()
    found: bool = False  # whether its file was found by searching a folder rather than named
    title_stated: bool = False  # whether its source gives the title
    extra: Mapping[str, Any] = field(default_factory=dict)  # settings of its file that memtui has no place for
    # files by which an assistant reads the same text: a link to its file, or a file that imports it
    loaded_by: tuple[Source, ...] = ()
    indexed: Indexed | None = None  # its postings, where they were made already
    succession: Succession | None = None  # what its source says of records before and after it

    @cached_property
    def content(self) -> str:
        """The content hash of the memory it would make."""
        return hash_parts(self.title, self.insight, self.rationale, self.snippet)

    @cached_property
    def trimmed_content(self) -> str:
        """The same without the white space around its texts."""
        return hash_parts(self.title, trimmed(self.insight), trimmed(self.rationale), self.snippet)

    @property
    def record_id(self) -> str:
        """The id that its record states; empty without one."""
        return str((self.record or {}).get("id") or "")


@dataclass(frozen=True, slots=True)
class Skipped:
    """Lines that became no memory, with the reason; `span` counts from 1, both ends inclusive."""

    path: str
    span: tuple[int, int] | None
    reason: str  # for people; where it is a member of `SkipWords`, that says the code
    is_conflict: bool = False  # whether they wait for a person to settle a conflict in them
    code: SkipCode | None = None  # where the reason names something
    settings: str = ""  # what of their record they say, of lines that were read as settings

    @property
    def reason_code(self) -> str:
        """The reason as a word for scripts, which stays when it is reworded."""
        if isinstance(self.reason, SkipWords):
            return self.reason.code
        return (self.code or SkipCode.OTHER).value


@dataclass(slots=True)
class ReadResult:
    """What one file yielded."""

    drafts: list[Draft] = field(default_factory=list)  # in the order of the file
    # every non-blank line that is in no draft, with the reason (boilerplate heading, comment …)
    skipped: list[Skipped] = field(default_factory=list)
    includes: list[Path] = field(default_factory=list)  # existing files that this one imports with `@path`
    # typed lines other than memories (link, verdict, signal, tombstone) of memtui's own formats
    records: list[Record] = field(default_factory=list)

    def add(self, found: Draft | Skipped) -> None:
        """Add a draft, or the lines that became none."""
        if isinstance(found, Draft):
            self.drafts.append(found)
        else:
            self.skipped.append(found)

    def note_if_empty(self, name: str) -> None:
        """Report a file in which nothing was found, neither memories nor lines to pass over."""
        if not self.drafts and not self.records and not self.skipped:
            self.skipped.append(Skipped(name, None, "empty", code=SkipCode.EMPTY))

    def sort_skipped(self) -> None:
        """Sort the skipped lines by their position in the file."""
        self.skipped.sort(key=lambda lines: lines.span or (0, 0))


@dataclass(frozen=True)
class SourceFile:
    """A file to read."""

    path: Path  # absolute path, symbolic links not resolved
    root: Path  # the folder that `name` is relative to: the project root, or the folder given to `import`
    home: Path  # the user's home folder; its assistants' folders have global scope
    # the text that memories took from it at the last import, so that it is split alike
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
        return read_regular(self.path)

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

    @cached_property
    def conflicts(self) -> list[Span]:
        """The parts that git could not merge, by the numbers of their lines from 0."""
        text = self.decoded.text
        if not has_marker(text):
            return []
        lines = text.split("\n")
        return merge_conflicts(lines, code=code_lines(lines))

    @cached_property
    def text(self) -> str:
        """The text with LF line ends and no BOM; the lines of unresolved merge conflicts are empty."""
        if not self.conflicts:
            return self.decoded.text
        lines = self.decoded.text.split("\n")
        for span in self.conflicts:
            lines[span.first : span.last + 1] = [""] * (span.last - span.first + 1)
        return "\n".join(lines)

    @property
    def has_undecided_settings(self) -> bool:
        """Whether a merge conflict touches the frontmatter, so that nobody knows what the file is about."""
        if not self.conflicts:
            return False
        first, lines = self.conflicts[0], self.decoded.text.split("\n")
        opens_file = not any(map(str.strip, lines[: first.first]))
        if opens_file:
            return any(line.rstrip() == "---" for line in lines[first.first : first.last + 1])
        before = split_frontmatter("\n".join([*lines[: first.first], "---"]))
        return bool(before.raw) and not before.body.strip()


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
        """Return what the file holds. Raises `SourceError`: the file cannot be read as this format at all."""
        ...


OWN_FORMATS = frozenset({"jsonl", "vault", "okf"})  # Formats whose readers return records

DOCUMENT_FOLDERS = frozenset({"doc", "docs", "documentation"})
"""Folders whose rule files are about the package around them; at the root such a file may be about the documents."""


EXPORTED = frozenset({"id", "project", "kind", "status", "importance", "confidence", "pinned", "created_at"})
"""Keys that every exported record has; few other records have all of them."""

SUPERSEDED_NOTE = "superseded-at-source"  # Note of a draft of which its source says that it no longer holds
HISTORICAL = "historical-at-source"  # Note of a draft of which its source says that what it mentions is history
PLANTED = "planted-instruction"  # Note of a draft whose text looks like an instruction to an assistant
LONG_TAG = "long-tag-cut"  # Note of a draft with a shortened tag; the source still has it in full


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


def with_postings(draft: Draft) -> Draft:
    """Return a draft with the postings of the memory that it states: two processes make them in half the time."""
    stated = draft.stated
    if stated is None:
        return draft
    sources = stated.sources or (() if draft.record_id else (draft.source,))
    if (stated.title, stated.sources) != (draft.title, sources):
        stated = replace(stated, title=draft.title, sources=sources)
    return replace(draft, indexed=postings_of(indexed_text(stated)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftMaker:
    """Makes the drafts of one file."""

    file: SourceFile
    format: str  # the reader's format, e.g. `claude-md`
    agent: str | None  # the assistant that the format belongs to
    anchors: tuple[str, ...] = ()  # globs and paths that hold for the whole file
    scope: DraftScope = "project"  # `global` for files that hold for every project
    hint: str | None = None  # what the source says of the kind, as `kind_guess` takes it
    tags: tuple[str, ...] = ()
    observed_at: datetime | None = None  # the date given in the file itself

    def draft(
        self,
        text: str,  # the source's own words
        *,
        span: tuple[int, int],  # its lines in the file, counted from 1, both inclusive
        native_id: str,  # the id that the source gives it
        heading_path: Sequence[str] = (),  # the headings above it, as context for title and kind
        title: str = "",  # its title, if the source states one
        rationale: str = "",  # why, if the source separates it from the rule
        kind: str | None = None,  # its kind, if the source states one
        lead: bool = False,  # whether the headings go into the text where it says nothing without them
    ) -> Draft | Skipped:
        """Return the draft of a text, or why there is none: nothing readable is left after sanitising."""
        cleaned = [sanitise(part) for part in (text, title, rationale)]
        insight, stated, why = (part.text for part in cleaned)
        if not insight.strip():
            return Skipped(self.file.name, span, "holds no readable text", code=SkipCode.NO_TEXT_LEFT)
        if self.file.decoded.replaced:
            if "\ufffd" in f"{insight}{stated}{why}":
                return Skipped(self.file.name, span, NOT_UTF8, code=SkipCode.NOT_UTF8)
            heading_path = [heading for heading in heading_path if "\ufffd" not in heading]
            native_id = native_id.replace("\ufffd", "?")
        elif lost_a_character(f"{insight}{stated}{why}"):
            return Skipped(self.file.name, span, LOST_CHARACTER, code=SkipCode.LOST_CHARACTER)
        path = tuple(sanitise(heading).text for heading in heading_path)
        full = cut_title(stated) or title_for(insight, scoped(path, self._placed_name))
        led = self._led(insight, why, path, native_id, full) if lead else insight
        name = full if stated else without_place(full, path, self.file.root.name)
        native = sanitise(native_id).text
        of_record = self.format in DECISION_RECORDS
        planted = bool(planted_in(name, led, why, "", *self.tags, self.file.name, native, of_record=of_record))
        return Draft(
            title=name,
            title_stated=bool(stated.strip()),
            insight=led,
            kind=kind or kind_guess(f"{insight}\n{why}", name, path, path=self.file.name, hint=self.hint).kind,
            source=Source(
                format=self.format,
                path=self.file.name,
                span=span,
                native_id=native,
                agent=self.agent,
            ),
            rationale=why,
            anchors=self._anchors(f"{insight}\n{why}", path),
            tags=self.tags,
            observed_at=self.observed_at,
            scope=self.scope,
            notes=_notes(cleaned, is_planted=planted),
        )

    def _led(self, insight: str, why: str, path: Sequence[str], native_id: str, title: str) -> str:
        """Return a text below the headings that it needs, unless the last import took it without them."""
        familiar = self.file.familiar
        taken = "\n".join(filter(None, (insight, why)))
        if familiar is not None and familiar.stood_alone(taken, KnownUnit(sanitise(native_id).text, "").heading):
            return insight
        named = KnownUnit(sanitise(native_id).text, "").headings
        named = named if self._is_of_part or is_of_texts("".join(named[:1])) else ()
        document = next((heading for heading in named[:1] if heading in path), "")
        folder = next(iter(scoped(path, self._placed_name)), "") if document else ""
        return with_lead(
            insight, context_lead(insight, path, title, document=document, folder=folder, file=self.file.name)
        )

    @property
    def _placed_name(self) -> str:
        """The file's name; where it lies among documents and is about the folder around them, as if it lay there."""
        *folders, name = self.file.name.split("/")
        if not folders or folders[-1].lower() not in DOCUMENT_FOLDERS or f"{'/'.join(folders)}/**" in self.anchors:
            return self.file.name
        return "/".join((*folders[:-1], name))

    @property
    def _is_of_part(self) -> bool:
        """Whether the file is about a part of the project: a folder, or files of some name."""
        return self.scope == "project" and any(anchor.strip("*/.") for anchor in self.anchors)

    def _anchors(self, text: str, headings: Sequence[str]) -> tuple[str, ...]:
        """Return the paths of its file, of its heading if there is such a file, and those that its text names."""
        if self.scope == "global":
            return self.anchors
        above = path_of_heading(headings[-1]) if headings else None
        headed = (above,) if above and self._is_there(above) else ()
        named = map(self._from_root, (*headed, *anchors_in(text, self._is_there)))
        return tuple(dict.fromkeys((*self.anchors, *named)))

    def _is_there(self, path: str) -> bool:
        return (self.file.root / path).exists() or (self.file.path.parent / path).exists()

    def _from_root(self, path: str) -> str:
        """Return a path relative to the root: that of a file beside the source if there is one, else as it is named.

        One that is gone stood beside the source where the folder that it should be in is there, and none in the root.
        """
        folder, root = self.file.path.parent, self.file.root
        stood_beside = (folder / path).parent.is_dir() and not (root / path).parent.is_dir()
        if folder == root or not ((folder / path).exists() or (stood_beside and not (root / path).exists())):
            return path
        try:
            nested = (folder / path).relative_to(self.file.root).as_posix()
        except ValueError:
            return path
        return f"{nested}/" if path.endswith("/") else nested


def _notes(cleaned: Sequence[Sanitised], *, is_planted: bool) -> tuple[str, ...]:
    notes = (
        ("control-characters", any(part.removed for part in cleaned)),
        ("invisible-unicode", any(part.invisible or part.bidi for part in cleaned)),
        (PLANTED, is_planted),
    )
    return tuple(name for name, present in notes if present)


def skipped_frontmatter(file: SourceFile, settings: Frontmatter) -> list[Skipped]:
    """Return the lines of the settings as skipped; none where there are no settings."""
    if not settings.raw:
        return []
    last = settings.raw.rstrip("\n").count("\n") + 1
    return [Skipped(file.name, (1, last), settings.problem or SkipReason.FRONTMATTER)]
