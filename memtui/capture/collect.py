"""Find sources, and read them: the files of a folder that hold memories, each once, with its imports."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from memtui.analysis.distinct_titles import Titled, distinct_titles
from memtui.capture.context import without_lead
from memtui.capture.draft import OWN_FORMATS, Draft, Reader, ReadResult, Skipped, SourceFile
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.includes import add_imports, is_inside, resolve_imports
from memtui.capture.left_out import UNREADABLE, Exclusions, LeftOut, folder_names, left_out
from memtui.capture.merge_conflicts import Unresolved
from memtui.capture.notices import with_notices
from memtui.capture.readers.config_files import CONFIG_FILES
from memtui.capture.readers.own_formats import holds_rows
from memtui.capture.readers.registry import AUTO, may_be_rules, reader_for, reader_named
from memtui.capture.skip_codes import SkipCode
from memtui.capture.stable_split import KnownUnit
from memtui.capture.walk import TEXT_SUFFIXES, Found, Walk
from memtui.domain.memory import Source, loose_words
from memtui.errors import MemtuiError, NotFoundError, SourceError
from memtui.progress import ProgressCallback
from memtui.publish.okf import is_bundle
from memtui.publish.portable import MANIFEST
from memtui.text.sanitize import NOT_UTF8

MAX_BYTES = 4 * 1024 * 1024  # Larger texts are not read; data such as JSONL may be longer
MAX_DEPTH = 4  # How many files deep `@path` imports are followed

_LOOKED_AT_CHARS, _FILES_PER_REPORT = 8_000, 500
_MARKDOWN_MARK = re.compile(r"^(?:#{1,6} |[-*+] |\d{1,3}[.)] )\S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SourceFound:
    """A file to read."""

    file: SourceFile
    reader: Reader | None
    real: str  # Its path with every link resolved
    linked: bool = False  # Whether it, or a folder above it, is a link
    named: bool = False  # Whether a person or another file named it, so that any Markdown is accepted
    depth: int = 0  # Number of imports between it and a file that was found by itself
    loaders: tuple[Source, ...] = ()  # The file at the start of those imports


@dataclass(slots=True)
class SourcesFound:
    """The files to read, in order, and what was left out with the reason."""

    sources: list[SourceFound] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    links: list[SourceFound] = field(default_factory=list)  # Links to one of the files
    unloaded: list[SourceFound] = field(default_factory=list)
    """Texts left out as no assistant loads them by itself, which a person may choose all the same."""
    exclusions: Exclusions = field(default_factory=Exclusions)
    """What a person leaves out, which holds for imported files too."""

    def add(self, other: SourcesFound) -> None:
        """Add what was found elsewhere, under the same exclusions."""
        self.sources += other.sources
        self.skipped += other.skipped
        self.links += other.links
        self.unloaded += other.unloaded


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file, its reader, and what the reader returned."""

    file: SourceFile
    reader: Reader
    result: ReadResult
    fingerprint: bytes = b""  # Hash of the bytes read; empty where no memory came of them
    encoding: str = "utf-8"  # What it was read as
    named: bool = False  # Whether a person named it, or the export it belongs to
    loaded_by: tuple[Source, ...] = ()
    """The files by which an assistant reads it too: links to it, and those that import it."""


@dataclass(slots=True)
class Collected:
    """The files read, in order, and the files left out with the reason."""

    files: list[ReadFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def find(
    path: Path,
    *,
    root: Path | None,
    home: Path,
    format: str = "auto",  # noqa: A002 - the word of the design
    exclusions: Exclusions | None = None,
    progress: ProgressCallback | None = None,
) -> SourcesFound:
    """Find the sources of a folder, or take a file as one.

    Args:
        path: in a folder only recognised files count, unless it lies in a repository and no assistant loads what it
            holds by itself; a named file is read at least as Markdown.
        root: the root of the repository around the path, which names are relative to; None outside of one.
        home: the user's home folder.
        format: the name of a reader that takes every file, or `auto`.
        exclusions: what a person leaves out of folders.
        progress: called now and then with 0 and the number of sources found so far.

    Raises:
        NotFoundError: the path does not exist.
        UsageError: the format is unknown, or a pattern cannot be read.
        Cancelled: raised by `progress`, and passed on.
    """
    forced = None if format.strip().lower() == AUTO else reader_named(format)
    path, home = _absolute(path), _absolute(home)
    if not path.exists():
        raise NotFoundError(
            "The file or folder to import does not exist",
            where=str(path),
            remedy="Check the path, and where a symbolic link leads.",
        )
    base = _absolute(root) if root is not None else None
    inside = base is not None and path.is_relative_to(base)
    if base is None or not inside:
        base = path if path.is_dir() else path.parent
    if path.is_dir():
        return _Search(forced, home, exclusions or Exclusions(), progress).folder(path, base, in_repository=inside)
    file, found = SourceFile(path, base, home), SourcesFound()
    if path.is_file():
        reader = forced or _reader(file) or (reader_named("jsonl") if holds_rows(file) else None)
        found.sources.append(SourceFound(file, reader, os.path.realpath(path), named=True))
    else:
        found.skipped.append(Skipped(file.name, None, LeftOut.IRREGULAR))
    return found


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links must stay unresolved


def _reader(file: SourceFile) -> Reader | None:
    try:
        return reader_for(file)
    except OSError:  # reported when the file is read
        return None


def is_article(file: SourceFile) -> bool:
    """Return whether a text that no assistant loads by itself may be one for assistants, no page for people."""
    return file.path.stem.lower() != "readme"


@dataclass(slots=True)
class _Search:
    forced: Reader | None
    home: Path
    exclusions: Exclusions
    progress: ProgressCallback | None
    result: SourcesFound = field(default_factory=SourcesFound)
    pages: list[SourceFound] = field(default_factory=list)  # Markdown that no reader takes

    def folder(self, folder: Path, base: Path, *, in_repository: bool) -> SourcesFound:
        walk = Walk(folder, base, in_repository, self._is_of_interest)
        recognised = self._recognised(walk, base)
        for path, why in walk.skipped:
            file = SourceFile(path, base, self.home)
            if why not in UNREADABLE or may_be_rules(file):
                self.result.skipped.append(Skipped(file.name, None, why))
        recognised.sort(key=lambda source: (source.linked, _shown(source, base)))
        if (folder / MANIFEST).is_file() or is_bundle(folder):
            recognised = [replace(source, named=True) for source in recognised]
        if not recognised and folder != base:
            recognised = self._named_with_their_folder()
            pages = () if recognised else self.pages
            self.result.skipped += [
                Skipped(_shown(page, base), None, self._excluded(page, base) or LeftOut.PAGE) for page in pages
            ]
        self._take(recognised)
        return self.result

    def _recognised(self, walk: Walk, base: Path) -> list[SourceFound]:
        """Return the files that are read; what is left out is noted with the reason."""
        recognised: list[SourceFound] = []
        others: list[SourceFound] = []
        excluded: set[str] = set()
        for number, found in enumerate(walk):
            if self.progress is not None and number % _FILES_PER_REPORT == 0:
                self.progress(0, len(recognised))
            file = SourceFile(found.path, found.root, self.home)
            source = SourceFound(file, _reader(file), found.real, found.linked)
            reason = self._reason(source, found, base)
            if reason is None:
                (recognised if source.reader else others).append(source)
            elif not found.linked:
                self._leave_out(source, reason, base)
                if reason in {LeftOut.IGNORED, LeftOut.EXCLUDED}:
                    excluded.add(source.real)
        if self.forced is not None:
            recognised = self._as_forced(recognised, others)
        self.pages = [one for one in others if one.real.lower().endswith(_PAGE_ENDINGS) and not one.linked]
        return [source for source in recognised if source.real not in excluded]  # without links to what is left out

    def _leave_out(self, source: SourceFound, reason: LeftOut, base: Path) -> None:
        self.result.skipped.append(Skipped(_shown(source, base), None, reason))
        if reason is LeftOut.UNLOADED and is_article(source.file) and not self._excluded(source, base):
            self.result.unloaded.append(replace(source, named=True))

    def _named_with_their_folder(self) -> list[SourceFound]:
        """Return the texts that no assistant loads by itself: a person who names their folder means them."""
        texts, self.result.unloaded = self.result.unloaded, []
        names = {source.file.name for source in texts}
        self.result.skipped = [one for one in self.result.skipped if one.span or one.path not in names]
        return texts

    def _is_of_interest(self, name: str) -> bool:
        suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122 - a Path for every file of a large tree is slow
        return self.forced is not None or suffix in _SUFFIXES or name in _config_names()

    def _reason(self, source: SourceFound, found: Found, base: Path) -> LeftOut | None:
        reason = left_out(source.file, source.reader, found.lies_in)
        if source.reader is None and self.forced is None:
            return reason
        return self._excluded(source, base) or (reason if source.reader is not None else None)

    def _excluded(self, source: SourceFound, base: Path) -> LeftOut | None:
        excluded = self.exclusions.reason(source.file)
        if excluded is None and source.file.root != base:
            excluded = self.exclusions.reason(replace(source.file, root=base))  # the repository around a submodule
        return excluded

    def _as_forced(self, recognised: Sequence[SourceFound], others: Sequence[SourceFound]) -> list[SourceFound]:
        """Return the files that the chosen format recognises; if there are none, those that it may take."""
        forced = self.forced
        mine = [source for source in recognised if source.reader is forced]
        fits = (
            source
            for source in (*recognised, *others)
            if source.file.path.suffix.lower() in {".md", ".markdown"} or (forced and forced.detect(source.file))
        )
        return [replace(source, reader=forced) for source in mine or fits]

    def _take(self, recognised: Sequence[SourceFound]) -> None:
        """Take each real file once."""
        seen: dict[str, SourceFound] = {}
        for source in recognised:
            first = seen.setdefault(source.real, source)
            if first is source:
                self.result.sources.append(source)
            elif source.file.path.is_symlink():
                # A linked folder repeats its whole content; only a link to the file itself counts.
                self.result.links.append(source)


_PAGE_ENDINGS = (".md", ".markdown", ".mdx")
_SUFFIXES = TEXT_SUFFIXES | {".jsonl"}


@cache
def _config_names() -> frozenset[str]:
    return (
        folder_names("unread_files")
        | folder_names("misnamed_files")
        | {name.rpartition("/")[2] for name in CONFIG_FILES}
    )


def _shown(source: SourceFound, base: Path) -> str:
    """Return the name of a file relative to the folder that is searched, though it belong to a repository in it."""
    return replace(source.file, root=base).name


def read(found: SourcesFound, *, progress: ProgressCallback | None = None) -> Collected:
    """Read sources and what they import; each real file is read once.

    `found`: the sources. `progress`: called before each file with the number of files done and found so far.

    Raises `Cancelled`: raised by `progress`, and passed on.
    """
    reading = _Reading(progress, deque(found.sources), Collected(skipped=list(found.skipped)), found.exclusions)
    reading.all(found.links)
    return reading.collected


@dataclass(slots=True)
class _Reading:
    progress: ProgressCallback | None
    queue: deque[SourceFound]
    collected: Collected
    exclusions: Exclusions
    seen: dict[str, SourceFile] = field(default_factory=dict)
    loaders: dict[str, dict[Source, None]] = field(default_factory=dict)

    def all(self, links: Sequence[SourceFound]) -> None:
        """Read the queue; the imports of a file come right after it."""
        done = 0
        while self.queue:
            if self.progress is not None:
                self.progress(done, done + len(self.queue))
            self._one(self.queue.popleft())
            done += 1
            if not self.queue:
                self.queue.extend(self._links(links))
                links = ()
        if self.progress is not None:
            self.progress(done, done)
        files = self.collected.files
        files[:] = [
            replace(file, loaded_by=tuple(self.loaders.get(os.path.realpath(file.file.path), ()))) for file in files
        ]

    def _links(self, links: Sequence[SourceFound]) -> Iterator[SourceFound]:
        """Yield what is imported through links to files that were read, and note the links."""
        for link in links:
            first = self.seen.get(link.real)
            if first is not None:
                self._skip(link.file, LeftOut.LINK)
                yield from self._loaded(link, first, (_source(link),))

    def _one(self, source: SourceFound) -> None:
        file = source.file
        first = self.seen.setdefault(source.real, file)
        if first is not file:
            self.queue.extendleft(reversed(self._loaded(source, first, source.loaders)))
            return
        reader = source.reader or reader_named("markdown")
        try:
            result = self._read(source, reader)
        except SourceError as error:
            self._skip(file, str(error), SkipCode.UNREADABLE)
            return
        except OSError as error:
            self._skip(file, f"cannot be read: {error.strerror or error}", SkipCode.UNREADABLE)
            return
        if result is not None:
            self._take(source, reader, result)

    def _read(self, source: SourceFound, reader: Reader) -> ReadResult | None:
        """Return what a file holds; None if it is not read, and why is noted."""
        file = source.file
        reason, code = self._unfit(source)
        if reason:
            self._skip(file, reason, code)
            return None
        if self._is_undecided(file, reader):
            return None
        result = with_notices(titled_apart(reader.read(file)), file, reader.format)
        if source.depth and reader.format == "markdown":
            # An assistant follows `@path` in every file that it imports.
            add_imports(result, file, split_frontmatter(file.text))
        return result

    def _take(self, source: SourceFound, reader: Reader, result: ReadResult) -> None:
        file = source.file
        # A fresh file lets go of the bytes: a folder of transcripts would fill the memory.
        fresh = SourceFile(file.path, file.root, file.home)
        fingerprint = file.fingerprint if result.drafts else b""
        named = source.named and not source.depth
        self.collected.files.append(ReadFile(fresh, reader, result, fingerprint, file.decoded.encoding, named))
        targets = result.includes or (_imports_of(fresh) if source.depth and reader.format != "markdown" else [])
        loaders = source.loaders or ((_source(source),) if targets else ())
        self._note(source.real, source.loaders)
        self.queue.extendleft(reversed(self._imported(source, loaders, targets)))

    def _unfit(self, source: SourceFound) -> tuple[str, SkipCode | None]:
        """Return why a file is not read, with the code of it; empty and None if it is."""
        path = source.file.path
        if path.suffix.lower() in TEXT_SUFFIXES and path.stat().st_size > MAX_BYTES:
            return f"larger than {MAX_BYTES // 1024 // 1024} MiB", SkipCode.TOO_LARGE
        if source.reader is None and not (source.named and _may_be_markdown(source.file)):
            told = _store_words(path) if source.named else ""
            return told or "no reader for this file", SkipCode.NO_READER
        return ("", None) if source.file.decoded.encoding else (NOT_UTF8, SkipCode.NOT_UTF8)

    def _is_undecided(self, file: SourceFile, reader: Reader) -> bool:
        """Report the merge conflicts of a file; returns whether they leave nothing of it to read."""
        if reader.format in OWN_FORMATS:  # those name the rows of a conflict
            return False
        reason = Unresolved.CONFLICT_IN_SETTINGS if file.has_undecided_settings else Unresolved.CONFLICT
        spans = ((span.first + 1, span.last + 1) for span in file.conflicts)
        self.collected.skipped.extend(Skipped(file.name, span, reason) for span in spans)
        return file.has_undecided_settings

    def _note(self, real: str, loaders: Sequence[Source]) -> bool:
        """Note the files by which an assistant reads one; return whether one of them is new."""
        known = self.loaders.setdefault(real, {})
        before = len(known)
        known.update(dict.fromkeys(loaders))
        return len(known) > before

    def _loaded(self, source: SourceFound, first: SourceFile, loaders: Sequence[Source]) -> list[SourceFound]:
        """Note that a file read before is loaded by others; return what they load through it."""
        if (first.path == source.file.path and not source.depth) or not self._note(source.real, loaders):
            return []
        return self._imported(replace(source, file=first), loaders, _imports_of(first))

    def _imported(self, source: SourceFound, loaders: Sequence[Source], targets: Sequence[Path]) -> list[SourceFound]:
        """Return the files that one imports, as sources."""
        found = []
        for target in targets:
            file = SourceFile(target, source.file.root, source.file.home)
            real = os.path.realpath(target)
            excluded = self.exclusions.reason(file)
            if not is_inside(source.file, target):
                self._skip(file, f"outside the project, imported by {source.file.name}", SkipCode.OUTSIDE)
            elif excluded is not None:
                self._skip(file, excluded)
            elif source.depth >= MAX_DEPTH:
                if real not in self.seen:
                    self._skip(file, f"imported more than {MAX_DEPTH} files deep", SkipCode.TOO_DEEP)
            else:
                found.append(
                    SourceFound(file, _reader(file), real, named=True, depth=source.depth + 1, loaders=tuple(loaders))
                )
        return found

    def _skip(self, file: SourceFile, reason: str, code: SkipCode | None = None) -> None:
        self.collected.skipped.append(Skipped(file.name, None, reason, code=code))


def titled_apart(result: ReadResult) -> ReadResult:
    """Give drafts with different texts titles of their own, except where their source states the title.

    A text that the file repeats, in other capitals or with another full stop, is left out and reported.
    """
    _leave_out_repeats(result)
    own = [at for at, draft in enumerate(result.drafts) if draft.record is None and not draft.title_stated]
    drafts = [result.drafts[at] for at in own]
    paths = [KnownUnit(draft.source.native_id, "").headings for draft in drafts]
    titled = [Titled(one.title, without_lead(one.insight, path), path) for one, path in zip(drafts, paths, strict=True)]
    for at, draft, title in zip(own, drafts, distinct_titles(titled), strict=True):
        if title != draft.title:
            result.drafts[at] = replace(draft, title=title)
    return result


_CODE = re.compile(r"[`/\\_<>{}()=]|\.\w")  # Here capitals may mean something


def _leave_out_repeats(result: ReadResult) -> None:
    firsts: dict[tuple[str, ...], Draft] = {}
    kept = []
    for draft in result.drafts:
        key = (loose_words(draft.insight).rstrip(".!").casefold(), draft.rationale, draft.snippet, *draft.anchors)
        is_own = draft.record is not None or draft.title_stated or _CODE.search(draft.insight)
        first = draft if is_own else firsts.setdefault(key, draft)
        if first is draft or first.content == draft.content:
            kept.append(draft)
        else:
            where = f"line {first.source.span[0]}" if first.source.span else "another place"
            reason = f"says the same as {where}"
            result.add(Skipped(draft.source.path or "", draft.source.span, reason, code=SkipCode.REPEATED))
    if len(kept) < len(result.drafts):
        result.drafts[:] = kept
        result.sort_skipped()


def _imports_of(file: SourceFile) -> list[Path]:
    """Return the files that a text imports with `@path`, whatever its own reader makes of that."""
    if file.path.suffix.lower() not in TEXT_SUFFIXES:
        return []
    try:
        settings = split_frontmatter(SourceFile(file.path, file.root, file.home).text)
    except OSError:
        return []
    return resolve_imports(file, settings.body)[0]


def _source(source: SourceFound) -> Source:
    reader = source.reader
    return Source(
        format=reader.format if reader else "markdown",
        path=source.file.name,
        agent=reader.agent if reader else None,
    )


def _may_be_markdown(file: SourceFile) -> bool:
    """Return whether a file may be Markdown: by its name, and without a suffix by its marks."""
    if file.path.suffix.lower() not in TEXT_SUFFIXES or "\0" in file.text[:_LOOKED_AT_CHARS]:
        return False
    return bool(file.path.suffix) or _MARKDOWN_MARK.search(file.text[:_LOOKED_AT_CHARS]) is not None


def _store_words(path: Path) -> str:
    """Return how a store of another tool is read; empty if the file is none."""
    from memtui.capture.stores.tools import owners

    with suppress(MemtuiError, OSError, ValueError):
        for tool in owners(path):
            return f"a store of {tool.label}: --from {tool.name} reads it"
    return ""
