"""Import files and folders: find the sources, read them, plan, and write one undoable change."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from shlex import quote

from memtui.capture.apply import ImportReport, apply_plan, spared_by_agents
from memtui.capture.collect import ReadFile, SourcesFound, read, titled_apart
from memtui.capture.dates import SourceDates
from memtui.capture.draft import Draft, Skipped, SourceFile
from memtui.capture.import_plan import ImportOptions, ImportPlan
from memtui.capture.left_out import Exclusions
from memtui.capture.matching import is_gone, is_there
from memtui.capture.notices import with_notices
from memtui.capture.places import memory_folders, project_sources, sources_of
from memtui.capture.plan import Planner, Recut
from memtui.capture.skip_codes import SkipCode
from memtui.capture.stable_split import KnownUnit
from memtui.capture.stores.compare import StorePlanner
from memtui.capture.stores.importing import StoresRead
from memtui.curate.projects import project_for_writing, view_of
from memtui.domain.identity import Actor
from memtui.domain.memory import GLOBAL_PROJECT, Source
from memtui.domain.record import Record
from memtui.errors import SourceError
from memtui.progress import ProgressCallback
from memtui.text.words import counted, some_of
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.packs import RECIPE
from memtui.vault.passed_files import PASSED_FILE, passed_files
from memtui.vault.projects import check_name, ensure_project
from memtui.vault.reader import VaultReader
from memtui.vault.rows import HALF_LIFE
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter
from memtui.workspace import find_workspace

CLAIMS = frozenset(
    {
        *("status", "status_reason", "cause", "pinned"),
        *("confirmed_at", "confirmed_by", "verified_at", "verified_by"),
    }
)
"""Keys by which a record vouches for itself."""

_SETTINGS = frozenset({HALF_LIFE, RECIPE, PASSED_FILE})
"""Typed lines that configure a whole vault rather than state a memory."""

_TRANSCRIPT_BYTES = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What to import and how."""

    paths: Sequence[Path]  # Files and folders; without any, the project around the folder
    folder: Path
    home: Path  # The user's home folder
    project: str | None = None  # The project that a person named, if any
    format: str = "auto"  # A reader's format, or `auto`
    exclude: Sequence[str] = ()  # Patterns of what is left out of folders, as `.gitignore` has them
    options: ImportOptions = field(default_factory=ImportOptions)


@dataclass(slots=True)
class SourcesRead:
    """What was found and read before the vault is opened."""

    files: list[ReadFile] = field(default_factory=list)  # one per source file, in order
    skipped: list[Skipped] = field(default_factory=list)
    # every draft, with the folder whose project it belongs to (None: its own record says, or global)
    drafts: list[tuple[Draft, Path | None]] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    # how to read a source again, split as at its last import, by its path in the drafts
    recuts: dict[str, Recut] = field(default_factory=dict)
    roots: dict[str, Path] = field(default_factory=dict)  # the folder that a source's path is relative to, by that path
    # the paths of sources that hold no memory, with the folder whose project they belong to
    empty: list[tuple[str, Path]] = field(default_factory=list)
    stores: StoresRead | None = None  # what other tools' stores offer beside these

    def take(self, file: ReadFile, owner: Path | None, finished: Callable[[Draft], Draft]) -> None:
        """Add what a file holds.

        `owner`: the folder whose project it belongs to. `finished`: completes a draft of the file.
        """
        self.files.append(file)
        self.skipped.extend(file.result.skipped)
        # Settings of the whole vault come only from an export that a person names, not from one that was found.
        self.records.extend(one for one in file.result.records if file.named or one["type"] not in _SETTINGS)
        drafts = [finished(stated) for stated in file.result.drafts]
        self.drafts.extend((draft, owner) for draft in drafts)
        if drafts and drafts[0].record is None and drafts[0].source.path is not None:
            self.recuts[drafts[0].source.path] = _recut(file, finished)
            self.roots[drafts[0].source.path] = file.file.root

    def is_gone(self, old: str, new: str) -> bool:
        """Return whether a source of an earlier import no longer exists beside one that was read now."""
        root = self.roots.get(new)
        try:
            return root is not None and not is_there(root, old)
        except (OSError, ValueError):
            return False


def find_sources(request: ImportRequest, *, progress: ProgressCallback | None = None) -> SourcesFound:
    """Find every source; reads only what tells a format.

    Raises:
        NotFoundError: a path does not exist.
        UsageError: the format is unknown, or a pattern cannot be read.
        Cancelled: the person stopped it.
    """
    exclusions = Exclusions(tuple(request.exclude))
    found = SourcesFound(exclusions=exclusions)
    if not request.paths:
        return project_sources(request.folder, request.home, exclusions=exclusions, progress=progress)
    for path in request.paths:
        absolute = Path(path).expanduser()
        absolute = _without_steps_up(absolute if absolute.is_absolute() else request.folder / absolute)
        found.add(sources_of(absolute, request.home, format=request.format, exclusions=exclusions, progress=progress))
    return found


def read_sources(
    request: ImportRequest, found: SourcesFound | None = None, *, progress: ProgressCallback | None = None
) -> SourcesRead:
    """Read every source; touches no vault.

    Args:
        request: what to import.
        found: what was found before, of which a person may have chosen some.
        progress: called with the number of files done and found so far.

    Raises:
        NotFoundError, SourceError: a path does not exist or cannot be read.
        Cancelled: the person stopped it.
    """
    collected = read(found or find_sources(request, progress=progress), progress=progress)
    result = SourcesRead(skipped=list(collected.skipped))
    by_root: dict[Path, list[Path]] = {}
    for file in collected.files:
        by_root.setdefault(file.file.root, []).append(file.file.path)
    dates = {root: SourceDates(root, paths) for root, paths in by_root.items()}
    repositories = {root: find_workspace(root).is_repository for root in by_root}
    for file in collected.files:
        root = file.file.root
        finished = partial(_finished, read=file, dates=dates[root], in_repository=repositories[root])
        owner = _project_folder(file.file.path, request)
        result.take(file, owner, finished)
        if not file.result.drafts:
            result.empty.append((file.file.name if repositories[root] else file.file.path.as_posix(), owner))
    return result


def _without_steps_up(path: Path) -> Path:
    """Return a path without `..`; its last name stays as given, a link unresolved."""
    if ".." not in path.parts:
        return path
    return path.resolve() if path.name == ".." else path.parent.resolve() / path.name


def _finished(stated: Draft, *, read: ReadFile, dates: SourceDates, in_repository: bool) -> Draft:
    """Return a draft with its date and place, and without claims unless its file was named."""
    draft = stated if read.named else _unvouched(stated)
    path = read.file.path
    placed = draft if in_repository else _placed(draft, path)
    loaded_by = tuple(_loading(source, placed.source, read.file) for source in read.loaded_by)
    return _dated(replace(placed, loaded_by=loaded_by) if loaded_by else placed, path, dates)


def _loading(source: Source, own: Source, file: SourceFile) -> Source:
    """Return the source that loads a file with the text's place; without lines unless it is a link to the file."""
    is_link = os.path.realpath(file.root / (source.path or "")) == os.path.realpath(file.path)
    return replace(source, span=own.span if is_link else None, native_id=own.native_id)


def _recut(file: ReadFile, finished: Callable[[Draft], Draft]) -> Recut:
    """Return how to read a file again, split as at its last import."""

    def again(units: Sequence[KnownUnit]) -> tuple[list[Draft], list[Skipped], list[Skipped]] | None:
        read = replace(file.file, known=tuple(units))
        try:
            if read.fingerprint != file.fingerprint:
                return None  # it was written meanwhile: what was read stands
            result = with_notices(titled_apart(file.reader.read(read)), read, file.reader.format)
        except (OSError, SourceError):
            return None
        return [finished(draft) for draft in result.drafts], file.result.skipped, result.skipped

    return again


def _unvouched(draft: Draft) -> Draft:
    """Return a record that was found by searching a folder without its claims about itself.

    A file in someone else's repository must not make its own memories active, pinned or verified; that is honoured only
    where a person names the export.
    """
    if draft.record is None:
        return draft
    record = {key: value for key, value in draft.record.items() if key not in CLAIMS}
    return replace(draft, record=record, stated=None, found=True)


def _placed(draft: Draft, path: Path) -> Draft:
    """Return a draft from outside a repository with the full path: no other folder's file is mistaken for it."""
    return replace(draft, source=replace(draft.source, path=path.as_posix()))


def _dated(draft: Draft, path: Path, dates: SourceDates) -> Draft:
    """Return a draft with the date of its file if it states none; memtui's own records bring theirs."""
    if draft.observed_at or draft.record is not None:
        return draft
    return replace(draft, observed_at=dates.observed_at(path))


def _project_folder(path: Path, request: ImportRequest) -> Path:
    """Return the folder whose project a source belongs to: its own repository, else the working directory."""
    memory_of = _auto_memory_project(path, request)
    if memory_of is not None:
        return memory_of
    return path.parent if find_workspace(path).is_repository else request.folder


def _auto_memory_project(path: Path, request: ImportRequest) -> Path | None:
    """Return the project folder of Claude's auto memory: the slug of the working directory, or a transcript's `cwd`."""
    parts = path.parts
    if ".claude" not in parts or "projects" not in parts:
        return None
    position = len(parts) - 1 - parts[::-1].index("projects")
    slug = parts[position + 1] if position + 1 < len(parts) else ""
    workspace = find_workspace(request.folder)
    if any(folder.split("/")[2] == slug for folder in memory_folders(workspace)):
        return workspace.root
    for transcript in sorted(Path(*parts[: position + 2]).glob("*.jsonl"))[:3]:
        if not transcript.is_file():
            continue
        with transcript.open("rb") as stream:
            for line in stream.read(_TRANSCRIPT_BYTES).splitlines():
                folder = _cwd_of(line)
                if folder is not None and folder.is_dir():
                    return folder
    return None


def _cwd_of(line: bytes) -> Path | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    cwd = value.get("cwd") if isinstance(value, dict) else None
    return Path(cwd) if isinstance(cwd, str) and cwd else None


def plan_import(vault: Vault, read: SourcesRead, request: ImportRequest) -> ImportPlan:
    """Return what the import would do; writes nothing."""
    with vault.read() as reader:
        offered = _with_projects(read, request, lambda folder: view_of(reader, folder, request.project).project)
        return _plan(reader, read, request, offered)


def run_import(
    vault: Vault, read: SourcesRead, request: ImportRequest, *, actor: Actor, progress: ProgressCallback | None = None
) -> tuple[ImportPlan, ImportReport]:
    """Write the import as one change; what contradicts the vault waits among the source conflicts.

    Raises `Cancelled`: the person stopped it; the vault is unchanged.
    """
    with vault.write(actor=actor.name, action="import") as writer:
        plan = _plan(writer, read, request, _registered(writer, read, request))
        if not actor.is_person:
            plan.items = [spared_by_agents(item) for item in plan.items]
        report = apply_plan(writer, plan, request.options, actor=actor, progress=progress)
        named = request.paths if 0 < len(request.paths) <= NAMED_PATHS else [one.file.root for one in read.files]
        folders = (Path(path).resolve().name or str(path) for path in named)
        places = ", ".join(dict.fromkeys([*folders, *(read.stores.tools if read.stores else ())]))
        writer.summary = _summary(plan, report, places[:80])
        return plan, report


def _summary(plan: ImportPlan, report: ImportReport, places: str) -> str:
    """Return what the journal says of an import."""
    if plan.moved and not report.ids:
        return f"note that the sources of {len(plan.moved)} memories were moved, in {places}"
    if plan.followed and not report.ids:
        return f"note where {counted(len(plan.followed), 'memory')} stand now, in {places}"
    counts = ((report.added, "new"), (report.updated, "changed"))
    what = " and ".join(f"{number} {how}" for number, how in counts if number) or "no"
    noun = "memory" if report.added + report.updated == 1 else "memories"
    return f"import {what} {noun} from {places}"


NAMED_PATHS = 3  # Paths of an import that its entry in the journal names; of more, it names their projects


Offered = tuple[Draft, str | None]  # A draft with its project


def _registered(writer: VaultWriter, read: SourcesRead, request: ImportRequest) -> list[Offered]:
    """Register the projects that an import is about; returns its drafts with theirs."""
    offered = _with_projects(read, request, lambda folder: project_for_writing(writer, folder, request.project))
    if request.project not in {None, GLOBAL_PROJECT}:
        ensure_project(writer, check_name(str(request.project)))
    if read.stores is not None:
        read.stores.register(writer)
    return offered


def _with_projects(
    read: SourcesRead, request: ImportRequest, project_of: Callable[[Path], str | None]
) -> list[Offered]:
    """Return the drafts of an import with their projects. `project_of`: finds or registers that of a folder."""
    owners = _Owners(request, project_of)
    return [(draft, owners.owner(draft, folder)) for draft, folder in read.drafts]


@dataclass(frozen=True, slots=True)
class _Owners:
    """The projects that drafts belong to."""

    request: ImportRequest
    project_of: Callable[[Path], str | None]
    names: dict[Path, str | None] = field(default_factory=dict)  # by folder, as found so far

    def owner(self, draft: Draft, folder: Path | None) -> str | None:
        if draft.record is not None and draft.record.get("project"):
            return str(draft.record["project"])
        if self.request.project is not None:
            return check_name(self.request.project)
        if draft.record is not None:
            return None
        if draft.scope == "global":
            return GLOBAL_PROJECT
        if folder is None:
            return None
        if folder not in self.names:
            self.names[folder] = self.project_of(folder)
        return self.names[folder]


def _plan(reader: VaultReader, read: SourcesRead, request: ImportRequest, offered: Sequence[Offered]) -> ImportPlan:
    """Return what an import would do; changes neither the vault nor what was read."""
    empty = [(path, view_of(reader, folder, request.project).project) for path, folder in read.empty]
    planner = Planner(reader, request.options, recuts=read.recuts, is_gone=read.is_gone, empty=empty)
    passed = _passed_over(reader, offered)
    plan = planner.plan([each for each in offered if each[0].record is not None or each[0].source.path not in passed])
    plan.skipped = [each for each in planner.skipped_of(read.skipped) if each.path not in passed]
    plan.skipped += [
        Skipped(
            path,
            None,
            f"never offered again; `memtui inbox never --undo {quote(path)}` offers it",
            code=SkipCode.NEVER_OFFERED,
        )
        for path in passed
    ]
    plan.records = list(read.records)
    if read.stores is not None:
        _add_stores(plan, reader, read.stores, request)
    return plan


def _add_stores(plan: ImportPlan, reader: VaultReader, stores: StoresRead, request: ImportRequest) -> None:
    """Plan the rows of other tools' stores too: what they say of their project goes before what a person named."""
    named = None if request.project is None else check_name(request.project)
    offered = [(draft, str((draft.record or {}).get("project") or named or "") or None) for draft in stores.drafts]
    planner = StorePlanner(reader, request.options, offered)
    items = planner.plan()
    records, plan.lost_links = planner.kept_kin(stores.records, items)
    plan.items += items
    plan.records += records
    plan.skipped += [*stores.skipped, *planner.skipped]


def _passed_over(reader: VaultReader, offered: Sequence[Offered]) -> list[str]:
    """Return the files that a person never wants to be offered from again."""
    passed = {file.place for file in passed_files(reader)}
    found = (
        draft.source.path for draft, name in offered if draft.record is None and (name, draft.source.path) in passed
    )
    return list(dict.fromkeys(path for path in found if path is not None))


NAMED = 8  # Ids named in one line


def _by_file(read: SourcesRead) -> Iterator[tuple[Path, set[str]]]:
    """Yield each file that was read with the paths by which a draft of it may name it."""
    for one in read.files:
        yield one.file.path, {one.file.name, one.file.path.as_posix()}


def stating_files(plan: ImportPlan, read: SourcesRead) -> list[tuple[Path, bool]]:
    """Return the files that state memories, each with whether an import would add, change or miss any of them.

    What is left out, as it was turned down or holds a secret, makes a file neither known nor new.
    """
    news: set[str | None] = set()
    known: set[str | None] = set()
    news.update(source.path for memory in plan.newly_missing for source in memory.sources)
    for item in plan.items:
        if item.action != "skip":
            told = known if item.action == "unchanged" else news
            told.update(source.path for source in (item.draft.source, *item.more_sources))
    return [(path, bool(names & news)) for path, names in _by_file(read) if names & (known | news)]


def changed_files(plan: ImportPlan, read: SourcesRead) -> set[Path]:
    """Return the files of which an import would take in nothing but changes of what it took in before."""
    new: set[str | None] = set()
    changed: set[str | None] = set()
    for item in plan.items:
        told = changed if item.action in {"update", "replace"} else new if item.action in {"add", "restore"} else set()
        told.update(source.path for source in (item.draft.source, *item.more_sources))
    return {path for path, names in _by_file(read) if names & changed and not names & new}


def turned_down_files(plan: ImportPlan, read: SourcesRead) -> set[Path]:
    """Return the files that state memories of which a person turned down every one."""
    down: set[str | None] = set()
    others: set[str | None] = set()
    for item in plan.items:
        is_down = item.action == "skip" and item.memory is not None and item.memory.status == "retired"
        told = down if is_down else others
        told.update(source.path for source in (item.draft.source, *item.more_sources))
    return {path for path, names in _by_file(read) if names & down and not names & others}


def silent_files(plan: ImportPlan, read: SourcesRead) -> set[Path]:
    """Return the files that state no memory at all: links alone, what memtui wrote there, or what is left out."""
    stated = {source.path for item in plan.items for source in (item.draft.source, *item.more_sources)}
    return {path for path, names in _by_file(read) if not names & stated}


@dataclass(frozen=True, slots=True)
class Vanished:
    """A source that no longer exists."""

    path: str  # as its memories name it
    ids: tuple[str, ...]  # the active memories and candidates that came from it

    def __str__(self) -> str:
        """Return it for people, with what they may do."""
        number = len(self.ids)
        named = some_of(self.ids, NAMED, " ")
        stay = "stays" if number == 1 else "stay"
        came = f"{counted(number, 'memory')} came from it and {stay}"
        return f"{self.path} is gone: {came}; `memtui retire {named}` takes out what no longer holds"


def vanished_sources(vault: Vault, request: ImportRequest) -> list[Vanished]:
    """Return the sources imported earlier from the folders of a request that no longer exist, by path.

    A memory is theirs only if none of its sources exists. Called after the import, when a renamed source already
    has its new path.
    """
    found: dict[str, set[str]] = {}
    for folder in _folders(request):
        workspace = find_workspace(folder)
        root = workspace.root if workspace.is_repository else folder
        with vault.read() as reader:
            project = view_of(reader, folder, request.project).project
            if project is None:
                continue
            wanted = MemoryFilter(scope=Scope((project,)), statuses=("active", "candidate"))
            ids = reader.select_ids(wanted, sort="created", now=vault.now())
            states = reader.source_states(ids)
        living = {state.memory_id for state in states if not is_gone(state.path, root)}
        for state in states:
            if state.memory_id not in living and (root / state.path).is_relative_to(folder):
                found.setdefault(state.path, set()).add(state.memory_id)
    return [Vanished(path, tuple(sorted(ids))) for path, ids in sorted(found.items())]


def _folders(request: ImportRequest) -> Iterable[Path]:
    for path in request.paths or [find_workspace(request.folder).root]:
        absolute = (request.folder / Path(path).expanduser()).resolve()
        if absolute.is_dir():
            yield absolute
