"""Import from stores: which are there, what of them is chosen, and the drafts that come of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from memtui.capture.draft import Draft, Skipped
from memtui.capture.skip_codes import SkipCode
from memtui.capture.stores.drafts import Wanted, drafts_of, id_of, kin_of, project_word
from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import Contents, Row, moment, number_of, text
from memtui.capture.stores.sqlite_copy import SIDES
from memtui.capture.stores.tools import TOOLS, read_store
from memtui.children import made_in_two
from memtui.domain.identity import linked_folder, seen_at, suggest_name
from memtui.domain.memory import GLOBAL_PROJECT, Memory
from memtui.domain.record import Record, format_time
from memtui.errors import MemtuiError, UsageError
from memtui.progress import ProgressCallback
from memtui.text.sanitize import one_line
from memtui.text.words import counted
from memtui.vault.projects import add_identities, check_name, link_identity, list_projects, seen_folders
from memtui.vault.reader import VaultReader
from memtui.vault.text_search import without_values
from memtui.vault.writer import VaultWriter
from memtui.workspace import Workspace, find_workspace

UNCHOSEN = "not chosen"
UNASSIGNED = "unassigned"
STORE_IDENTITY = "store:"
"""Begins the identity of a project by the name that stores give it, as a person said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What of the stores is imported; everything by default."""

    types: frozenset[str] | None = None  # the tools' own words for kinds, case folded; all by default
    projects: frozenset[str] | None = None  # as `project_of_row` has them; all by default
    since: datetime | None = None
    importance: int = 1  # the least
    dates: frozenset[str] | None = None  # months or years as `StoreFound.dates` has them; all by default
    importances: frozenset[int] | None = None  # all by default

    def takes(self, row: Row) -> bool:
        if self.types is not None and type_of_row(row).casefold() not in self.types:
            return False
        if self.projects is not None and project_of_row(row) not in self.projects:
            return False
        made, importance = _made(row), importance_of_row(row)
        if self.since is not None and (made is None or made < self.since):
            return False
        if self.dates is not None and self.dates.isdisjoint({_month(made), _month(made)[:_YEAR]}):
            return False
        return self.importance <= importance and (self.importances is None or importance in self.importances)


UNDATED = "undated"
_YEAR = len("2026")
MOST_MONTHS = 12  # Rows of more months are counted by year


def _made(row: Row) -> datetime | None:
    return moment(row.updated) or moment(row.created)


def _month(made: datetime | None) -> str:
    return f"{made:%Y-%m}" if made is not None else UNDATED


def importance_of_row(row: Row) -> int:
    """Return the importance that a row gets, 1 to 5."""
    stated = number_of(row.importance)
    return DEFAULT_IMPORTANCE if stated is None else min(5, max(1, int(stated)))


DEFAULT_IMPORTANCE = 3


def project_of_row(row: Row) -> str:
    """Return the store's project of a row as it may be shown, or that it has none, or that it holds everywhere."""
    return GLOBAL_PROJECT if row.is_global else project_word(_shown(text(row.project))) or UNASSIGNED


def type_of_row(row: Row) -> str:
    """Return the tool's own word for the kind of a row, as it may be shown."""
    return _shown(row.type)


_shown = lru_cache(maxsize=4_096)(without_values)  # A name may hold a secret, too


@dataclass(slots=True)
class StoreFound:
    """A store and what it holds, read once."""

    place: Place
    contents: Contents = field(default_factory=Contents)
    problem: str = ""  # why it could not be read

    @property
    def types(self) -> Counter[str]:
        return Counter(map(type_of_row, self.contents.rows))

    @property
    def projects(self) -> Counter[str]:
        return Counter(map(project_of_row, self.contents.rows))

    @property
    def dates(self) -> dict[str, int]:
        """How many rows are of which month, or year where there are many months, the latest first."""
        months = Counter(_month(_made(row)) for row in self.contents.rows)
        if len(months) > MOST_MONTHS:
            years = Counter[str]()
            for month, number in months.items():
                years[month if month == UNDATED else month[:_YEAR]] += number
            months = years
        return dict(sorted(months.items(), key=lambda one: (one[0] != UNDATED, one[0]), reverse=True))

    @property
    def importances(self) -> dict[int, int]:
        """How many rows have which importance, the highest first."""
        return dict(sorted(Counter(map(importance_of_row, self.contents.rows)).items(), reverse=True))

    @property
    def changed_at(self) -> datetime | None:
        """When its files were last written."""
        times = []
        for side in SIDES if self.place.path.is_file() else ("",):
            with suppress(OSError):
                times.append(self.place.path.with_name(f"{self.place.path.name}{side}").stat().st_mtime)
        for row in self.contents.rows:
            if row.path is not None:
                with suppress(OSError):
                    times.append(row.path.stat().st_mtime)
        return moment(max(times)) if times else None

    def record(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "tool": self.place.tool,
            "label": TOOLS[self.place.tool].label,
            "path": self.place.path.as_posix(),
            "version": self.contents.version or None,
            "memories": len(self.contents.rows),
            "types": dict(self.types.most_common()),
            "projects": dict(self.projects.most_common()),
            "dates": self.dates,
            "importance": {str(importance): number for importance, number in self.importances.items()},
            "left_out": {reason: number for reason, number in self.contents.left_out.most_common() if number},
            "changed_at": format_time(self.changed_at),
            "problem": self.problem or None,
        }


def look_into(places: Sequence[Place], progress: ProgressCallback | None = None) -> list[StoreFound]:
    """Read stores; what cannot be read is named with its problem."""
    found = []
    for number, place in enumerate(places):
        if progress:
            progress(number, len(places))
        try:
            if len(places) > 1 and (size := place.path.stat().st_size) > LARGEST_UNASKED:
                # Cursor's file holds its chats too: gigabytes are copied only for a person who names them.
                problem = f"{size / 1e9:.1f} GB: `memtui import --from {place.tool}` reads it"
                found.append(StoreFound(place, problem=problem))
                continue
            found.append(StoreFound(place, read_store(place)))
        except (MemtuiError, OSError) as error:
            found.append(StoreFound(place, problem=str(error)))
        except Exception as error:  # noqa: BLE001 - one odd store must not hide the others
            problem = (
                f"not what {TOOLS[place.tool].label} writes ({type(error).__name__}: {one_line(str(error))[:200]})"
            )
            found.append(StoreFound(place, problem=problem))
    return found


LARGEST_UNASKED = 1_000_000_000  # Bytes of a store that is read among others


@dataclass(slots=True)
class StoresRead:
    """What is offered to the vault."""

    drafts: list[Draft] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    unclear: dict[str, str] = field(default_factory=dict)  # stores' project names with the project that each may be
    tools: tuple[str, ...] = ()  # the tools whose stores they are
    mapped: Mapping[str, str] = field(default_factory=dict)  # projects that a person named for stores' names
    repositories: dict[str, str] = field(default_factory=dict)  # projects of repositories that are new, by identity

    def register(self, writer: VaultWriter) -> None:
        """Register what names and repositories belong to which projects, for the next import to know them."""
        for name, project in self.mapped.items():
            link_identity(writer, project, f"{STORE_IDENTITY}{name}")
        for identity, project in self.repositories.items():
            add_identities(writer, project, [identity])


def offer(
    stores: Iterable[StoreFound],
    names: Names,
    *,
    now: datetime,
    known: Mapping[str, Memory] | None = None,  # what rows became at earlier imports, by id
    choices: Mapping[Path, Choice] | None = None,  # by the path of the store; all of the others
    progress: ProgressCallback | None = None,
) -> StoresRead:
    """Return the drafts of stores, links and what was left out."""
    stores = list(stores)
    result = StoresRead(tools=tuple(dict.fromkeys(store.place.tool for store in stores)), mapped=names.stated)
    for store in stores:
        contents = store.contents
        choice = (choices or {}).get(store.place.path)
        result.left_out += contents.left_out
        result.skipped += contents.problems
        if store.problem:
            result.skipped.append(Skipped(store.place.path.as_posix(), None, store.problem, code=SkipCode.UNREADABLE))
        chosen = [row for row in contents.rows if choice is None or choice.takes(row)]
        result.left_out[UNCHOSEN] += len(contents.rows) - len(chosen)
        place, name = names.placed(store.place), partial(names.of_row, store.place)
        before = [known.get(id_of(place, row.key)) if known else None for row in chosen]
        wanted = list(zip(chosen, map(name, (row.project for row in chosen)), before, strict=True))
        if odd := sum(_shown(text(row.project)) != text(row.project) for row in chosen):
            reason = f"a project's name looks like a secret: {counted(odd, 'memory')} of it left unassigned"
            result.skipped.append(Skipped(store.place.path.as_posix(), None, reason, code=SkipCode.SECRET_LINE))
        drafts = [draft for draft in _drafts(wanted, place, now, progress) if draft is not None]
        result.left_out["without text"] += len(chosen) - len(drafts)
        result.drafts += drafts
        if drafts:
            result.repositories |= names.unregistered(store.place)
        result.records += kin_of(contents, place, name, now)
    result.unclear = names.unclear
    result.left_out = Counter({reason: number for reason, number in result.left_out.items() if number})
    return result


def known_rows(reader: VaultReader, stores: Iterable[StoreFound], names: Names) -> dict[str, Memory]:
    """Return what rows of stores became at earlier imports, by id."""
    return reader.get_many(id_of(names.placed(one.place), row.key) for one in stores for row in one.contents.rows)


MANY_ROWS = 2_000  # Rows of a first import from which a child is worth its start: their titles have to be made


def _drafts(
    wanted: Sequence[Wanted], place: Place, now: datetime, progress: ProgressCallback | None
) -> Iterable[Draft | None]:
    def made(number: int) -> None:
        if progress:
            progress(number, len(wanted))

    is_much = sum(before is None for _, _, before in wanted) >= MANY_ROWS
    return chain.from_iterable(made_in_two(partial(drafts_of, place, now), wanted, made, is_worth_a_child=is_much))


class Names:
    """Which project of the vault a store's name or path means."""

    def __init__(self, reader: VaultReader, mapped: Mapping[str, str] | None = None) -> None:
        projects = list_projects(reader)
        self.unclear: dict[str, str] = {}
        self.stated = dict(mapped or {})
        self._mapped = {
            identity.removeprefix(STORE_IDENTITY): one.name
            for one in projects
            for identity in one.identities
            if identity.startswith(STORE_IDENTITY)
        }
        self._mapped |= self.stated
        self._known = {one.name.casefold(): one.name for one in projects}
        self._loose = {_loosened(name): name for name in self._known.values()}
        self._folders = {str(folder): name for name, seen in seen_folders(reader).items() for folder in seen}
        self._folders |= {
            str(folder): one.name
            for one in projects
            for identity in one.identities
            if (folder := linked_folder(identity))
        }
        self._remotes = {
            _owner_and_name(identity): one.name
            for one in projects
            for identity in one.identities
            if identity.startswith("remote:")
        }
        self._owners = {identity: one.name for one in projects for identity in one.identities}
        self._identified = {one.name for one in projects if any(map(_is_repository, one.identities))}
        self._found: dict[str, str | None] = {}
        self._repositories: dict[Path, tuple[str | None, str]] = {}  # projects and owners of stores' repositories
        self._folder_names: dict[str, str] = {}  # projects of repositories that are not called as their folders
        self._claimed: dict[str, Path] = {}  # names of folders with the first repository that is called so

    def of(self, value: object) -> str | None:
        written = value if isinstance(value, str) else ""
        if written not in self._found:
            self._found[written] = self._resolved(written)
        return self._found[written]

    def of_row(self, place: Place, value: object) -> str | None:
        """Return the project of a row of a store; a repository is known by more than the name of its folder."""
        if place.repository is None or value != place.project or project_word(value) in self.stated:
            return self.of(value)
        return self._repository(place.repository)[0] or self.of(value)

    def placed(self, place: Place) -> Place:
        """Return a place with its owner: rows of two repositories whose folders are called alike are not the same."""
        owner = self._repository(place.repository)[1] if place.repository is not None else ""
        return replace(place, owner=owner)

    def unregistered(self, place: Place) -> dict[str, str]:
        """Return the identities of a place's repository with its project, if the vault does not know whose they are.

        Once they are registered, the ids of its rows no longer depend on which repository is found first.
        """
        word = project_word(place.project)
        if place.repository is None or word in self._mapped:
            return {}
        workspace, project = find_workspace(place.repository), self.of_row(place, place.project)
        if not _is_whole(workspace) or project is None or project in self._identified:
            return {}
        identities = workspace.own_identities()
        if linked_folder(identities[0]) is None:  # Its remote may change; its path is known otherwise
            identities.append(seen_at(workspace.main_root.as_posix()))
        return dict.fromkeys(identities, project)

    def _repository(self, folder: Path) -> tuple[str | None, str]:
        """Return the project of a repository, None where only its name tells, and its owner."""
        if folder not in self._repositories:
            self._repositories[folder] = self._looked_up(folder)
        return self._repositories[folder]

    def _looked_up(self, folder: Path) -> tuple[str | None, str]:
        workspace, word = find_workspace(folder), project_word(folder.name)
        identities = workspace.lookup_identities()
        mine = next((self._owners[one] for one in identities if one in self._owners), None)
        mine = mine or self._folders.get(workspace.root.as_posix())
        namesake = self._known.get(word)
        own = mine
        if own is None and _is_whole(workspace):
            own = suggest_name(workspace.suggested_name, self._identified)
        if own is not None and _is_whole(workspace) and project_word(own) != word:
            # It is called as everywhere else, by its remote, and another repository's folder may be called alike.
            self._folder_names.setdefault(word, own)
            return own, next(iter(workspace.own_identities()), folder.as_posix())
        is_first = self._claimed.setdefault(word, workspace.main_root) == workspace.main_root
        if (mine is not None and mine == namesake) or (is_first and namesake not in self._identified):
            return mine, ""
        if mine is None and workspace.is_repository:
            mine = suggest_name(workspace.suggested_name, self._identified | {word})
        return mine, next(iter(workspace.own_identities()), folder.as_posix())

    def _resolved(self, written: str) -> str | None:
        if _shown(written) != written:
            return None
        word = project_word(written)
        if word in self._mapped:
            return self._mapped[word]
        if not word or word == GLOBAL_PROJECT:  # what holds everywhere is chosen by a person, or stated as such
            return None
        known = self._folders.get(written.rstrip("/")) or self._remotes.get(_owner_and_name(written))
        if known is not None:
            return known
        known = self._known.get(word)
        if known is not None:
            self._ask_which(written, word, known)
            return known
        alike = self._loose.get(_loosened(word)) or self._folder_names.get(word)
        if alike is not None:
            self.unclear[word] = alike
        with suppress(UsageError):
            return check_name(word)
        return None

    def _ask_which(self, written: str, word: str, known: str) -> None:
        """Note that a name may mean another project: of another repository, or owner, with the same last part."""
        named = {remote: project for remote, project in self._remotes.items() if remote.endswith(f"/{word}")}
        others = sorted(set(named.values()) - {known})
        owner = _owner_and_name(written).rpartition("/")[0]
        is_stated = bool(owner) and owner != "local" and not written.startswith(("/", "~"))
        if others:
            self.unclear[word] = others[0]
        elif named and is_stated:
            self.unclear[word] = suggest_name(written, self._known)


def _is_whole(workspace: Workspace) -> bool:
    """Return whether a folder is a repository, and not a part of one."""
    return workspace.is_repository and workspace.folder == workspace.root


def _is_repository(identity: str) -> bool:
    return not identity.startswith(STORE_IDENTITY)


def _owner_and_name(written: str) -> str:
    """Return the last two parts of a path, of `owner/repository` or of a remote."""
    parts = [part for part in re.split(r"[/\\:]", written) if part]
    return "/".join(parts[-2:]).removesuffix(".git").casefold()


def _loosened(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def mapping_of(stated: Iterable[str]) -> dict[str, str]:
    """Return the projects that a person named for stores' names. Raises `UsageError`: not `NAME=PROJECT`."""
    found = {}
    for one in stated:
        name, equals, project = one.partition("=")
        if not equals or not name.strip() or not project.strip():
            raise UsageError("Not NAME=PROJECT", where=f"--map {one}", remedy="For example --map api=larch-api.")
        found[project_word(name)] = check_name(project)
    return found
