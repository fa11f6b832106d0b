"""A git branch as a team's place: it holds the portable vault's folder, one file for each memory.

Whatever stands there counts, whoever wrote it: a sync, a merged pull request, an edit by hand.
"""

from __future__ import annotations

import base64
import json
import re
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b

from memtui.analysis.titles import title_for
from memtui.capture.merge_conflicts import has_marker
from memtui.capture.readers.own_formats import clean
from memtui.domain.memory import ID_LENGTH
from memtui.domain.record import Record, format_time, memory_from_record
from memtui.errors import MemtuiError
from memtui.publish.files import dump_line
from memtui.publish.memory_file import parse_memory, render_memory
from memtui.publish.portable import FORMAT, MANIFEST, MEMORIES, RECORDS, VERSION, file_name, folder_name
from memtui.sync.carrier import Accepted, Came, Incoming, Outgoing, Page, TeamProject
from memtui.sync.git_repo import Difference, GitRepo
from memtui.sync.wire import MEMORY, key_of, memories_of, memory_to_wire
from memtui.text.sanitize import decode
from memtui.text.words import counted
from memtui.vault.packs import RECIPE
from memtui.vault.rows import HALF_LIFE
from memtui.vault.teams import Share, Thing

TEAM_FILE = "memtui-team.json"
TEAM_FORMAT = "memtui-team"

PAGE_THINGS = 1_000
_LISTED = 20  # Changes that a commit's message names

_ID_IN_NAME = re.compile(r"\.([A-Za-z0-9_-]+)\.md$")
_PLAIN_ID = re.compile(r"\w[\w.:@+-]{0,199}")  # Other ids, which an import may give, are kept by the file's name
_KIN = frozenset({"link", "verdict", "tombstone", HALF_LIFE, RECIPE})
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
_UNDATED_TEXT = format_time(_UNDATED)


@dataclass(slots=True)
class _State:
    """What the branch says of its own, as of its tip."""

    team: str = ""
    projects: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class GitCarrier:
    """A branch of a git remote."""

    repo: GitRepo
    person: str
    known_team: str  # the id that the branch had at the last sync; empty before the first
    team: str = ""
    _state: _State = field(default_factory=_State)
    _new: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def connect(self) -> None:
        """Fetch the branch. Raises `MemtuiError`: it cannot be reached, or holds another team's memories."""
        self.repo.fetch()
        self._state = _read_state(self.repo)
        if self.known_team and self._state.team and self._state.team != self.known_team:
            raise MemtuiError(
                "This branch belongs to another team than before",
                where=f"{self.repo.branch}: team {self._state.team[:8]}, not {self.known_team[:8]}",
                remedy="Nothing was changed. `memtui team leave` forgets the old one.",
            )
        self.team = self._state.team or self.known_team or self.team or uuid.uuid4().hex

    def projects(self) -> list[TeamProject]:
        """Return the projects of the branch: those of its own list, and those that have a folder."""
        known = self._state.projects | self._new
        folders = {folder_name(name or None): name for name in known}
        for entry in self.repo.entries(f"{MEMORIES}/"):
            folder = entry.path.split("/")[1]
            if folder not in folders and entry.path.count("/") > 1:
                name = _project_of(self.repo, entry.blob, folder)
                folders[folder] = name
                known.setdefault(name, ())
        return [TeamProject(name, identities) for name, identities in sorted(known.items())]

    def register(self, project: TeamProject) -> None:
        """Add a project to the list, with the next push."""
        shown = tuple(identity for identity in project.identities if not identity.startswith("path:"))
        before = (self._state.projects | self._new).get(project.name)
        merged = tuple(sorted({*(before or ()), *shown}))
        if merged != before:
            self._new[project.name] = merged

    def is_anew(self, share: Share) -> bool:
        """Return whether the branch no longer contains the commit that was read last."""
        return bool(share.cursor) and not self.repo.has_ancestor(share.cursor)

    def pages(self, share: Share) -> Iterator[Page]:
        """Yield what changed on the branch since the share's cursor."""
        tip = self.repo.tip
        if tip is None or tip == share.cursor:
            return
        changed = self.repo.differences(share.cursor or None)
        memories, unread = self._memories(share, changed)
        found = [*memories, *self._kin(share, changed)]
        # The cursor moves with the last page, so that a kill between two pages loses nothing.
        starts = range(0, max(1, len(found)), PAGE_THINGS)
        for start in starts:
            is_last = start == starts[-1]
            cursor, named = (tip, unread) if is_last else (share.cursor, [])
            yield Page(found[start : start + PAGE_THINGS], cursor, named)

    def _read(self, path: str, data: bytes) -> tuple[str, Record | None]:
        found = read_file(path, data, _UNDATED)
        if found[1] is not None and found[1]["created_at"] == _UNDATED_TEXT:
            return read_file(path, data, self.repo.added_at(path))
        return found

    def _memories(self, share: Share, changed: Sequence[Difference]) -> tuple[list[Incoming], list[str]]:
        """Return what became of memories, and the files that make none."""
        folder = f"{MEMORIES}/{folder_name(share.remote or None)}/"
        files = [one for one in changed if one.path.startswith(folder) and _is_memory(one.path)]
        contents = self.repo.blobs(blob for one in files for blob in (one.after or one.before,) if blob)
        found: dict[str, Incoming] = {}
        gone: set[str] = set()
        broken: dict[str, str] = {}  # ids by path
        for one in files:
            identifier, record = self._read(one.path, contents.get(one.after or one.before or "", b""))
            if one.is_odd or (one.after is not None and record is None):
                broken[one.path] = identifier
            elif one.after is None or record is None:
                gone.add(identifier)
            else:
                if identifier in found:  # a copy of another file, which still has its id
                    identifier = id_of_path(one.path)
                found[identifier] = Incoming((MEMORY, identifier), record)
        gone -= found.keys() | set(broken.values())
        paths = self._paths(share) if gone else {}
        for identifier in gone - paths.keys():
            found[identifier] = Incoming((MEMORY, identifier), None)
        return list(found.values()), sorted(broken)

    def unreadable(self, share: Share, identifiers: Iterable[str]) -> set[str]:
        """Return those memories whose files make none at the moment, as with conflict markers."""
        paths = self._paths(share)
        wanted = {path: identifier for identifier in identifiers for path in paths.get(identifier, ())}
        entries = [entry for entry in self.repo.entries(f"{MEMORIES}/") if entry.path in wanted] if wanted else []
        contents = self.repo.blobs(entry.blob for entry in entries)
        return {wanted[one.path] for one in entries if read_file(one.path, contents[one.blob], _UNDATED)[1] is None}

    def _paths(self, share: Share) -> dict[str, list[str]]:
        """Return the files of each memory at the tip, by id."""
        folder = f"{MEMORIES}/{folder_name(share.remote or None)}/"
        entries = [entry for entry in self.repo.entries(folder) if _is_memory(entry.path)]
        odd = [entry for entry in entries if _ID_IN_NAME.search(entry.path) is None]
        contents = self.repo.blobs(entry.blob for entry in odd)
        found: dict[str, list[str]] = {}
        for entry in entries:
            named = _ID_IN_NAME.search(entry.path)
            identifier = _decoded(named[1]) if named else read_file(entry.path, contents[entry.blob], _UNDATED)[0]
            found.setdefault(identifier, []).append(entry.path)
        return found

    def _kin(self, share: Share, changed: Sequence[Difference]) -> list[Incoming]:
        records = next((one for one in changed if one.path == RECORDS), None)
        if records is None:
            return []
        contents = self.repo.blobs(blob for blob in (records.before, records.after) if blob)
        before, after = (_kin_of(contents.get(blob or "", b"")) for blob in (records.before, records.after))
        mine = self._paths(share)
        found = []
        for thing in dict.fromkeys([*after, *before]):
            new, old = after.get(thing), before.get(thing)
            known = new or old
            if new == old or known is None or not _belongs(thing, known, share, mine):
                continue
            found.append(Incoming(key_of(_without_project(known)), None if new is None else _without_project(new)))
        return found

    def allows(self, share: Share, item: Outgoing) -> bool:  # noqa: ARG002 - whoever may push may push anything
        """Return true: a git remote has no rights for single things."""
        return True

    def may_purge(self, share: Share) -> bool:  # noqa: ARG002 - the same for all
        """Return true, for the same reason."""
        return True

    def push(self, share: Share, items: Sequence[Outgoing]) -> Accepted | None:
        """Commit things and push; None if the branch moved meanwhile."""
        files = self._written(share, items)
        if self._new or not self._state.team:
            files[TEAM_FILE] = _state_file(_State(self.team, self._state.projects | self._new))
        if self.repo.file(MANIFEST) is None:
            files[MANIFEST] = (json.dumps({"format": FORMAT, "version": VERSION}) + "\n").encode()
        if not files:
            return Accepted(self.repo.tip)
        commit = self.repo.commit(files, _message(share, items))
        if not self.repo.push(commit):
            return None
        self._state = _State(self.team, self._state.projects | self._new)
        self._new = {}
        return Accepted(commit)

    def _written(self, share: Share, items: Sequence[Outgoing]) -> dict[str, bytes | None]:
        files: dict[str, bytes | None] = {}
        memories = [item for item in items if item.thing[0] == MEMORY]
        paths = self._paths(share) if memories and self.repo.tip else {}
        for item in memories:
            identifier = item.thing[1]
            files |= dict.fromkeys(paths.get(identifier, ()))
            if item.record is not None:
                record = {**item.record, "id": identifier, "project": share.remote or None}
                memory = memory_from_record(record, now=item.at or _UNDATED, new_id=identifier)
                path = f"{MEMORIES}/{folder_name(memory.project)}/{file_name(memory)}"
                files[path] = render_memory(memory).encode("utf-8", "replace")
        kin = [item for item in items if item.thing[0] != MEMORY]
        if kin:
            before = self.repo.file(RECORDS) or b""
            after = _with_kin(before, share, kin)
            if after != before:
                files[RECORDS] = after or None
        return files

    def recent(self, limit: int) -> list[Came]:
        """Return the newest commits."""
        return [Came(author, what, datetime.fromtimestamp(at, UTC)) for author, what, at in self.repo.recent(limit)]

    def wait(self, seconds: float) -> bool:
        """Wait and return true: a git remote tells nobody of news."""
        time.sleep(seconds)
        return True

    def close(self) -> None:
        """Nothing is held."""


# -- files ------------------------------------------------------------------------------------------


def read_file(path: str, data: bytes, now: datetime) -> tuple[str, Record | None]:
    """Return the id of a memory's file and its record on the wire; None where it makes no memory.

    A file without an id, or with one that is none, is known by its name, else by its path: every machine finds the
    same. `now`: when it was made, if it does not say.
    """
    named = _ID_IN_NAME.search(path)
    identifier = _decoded(named[1]) if named else id_of_path(path)
    decoded = decode(data)
    if decoded.replaced or has_marker(decoded.text):
        return identifier, None
    parsed = parse_memory(decoded.text)
    record: Record = clean(parsed.record)
    stated = record.get("id")
    if isinstance(stated, str) and _PLAIN_ID.fullmatch(stated.strip()):
        identifier = stated.strip()
    if not record.get("created_at"):
        # A person wrote it, and nobody has accepted it yet.
        record = {"status": "candidate", **record}
    if not record.get("title") and isinstance(record.get("insight"), str):
        record["title"] = title_for(record["insight"], ())
    try:
        memory = memory_from_record({**record, "id": identifier}, now=now, new_id=identifier)
    except ValueError:
        return identifier, None
    return identifier, memory_to_wire(memory, "")


def id_of_path(path: str) -> str:
    """Return the id of a file that states none: made of its path."""
    raw = blake2b(path.encode("utf-8", "surrogateescape"), digest_size=10).digest()
    return base64.b32encode(raw).decode().lower()[:ID_LENGTH]


def _decoded(name: str) -> str:
    """Return the id in a file's name, in which bytes other than lower-case letters, digits and `-` are `_xx`."""
    try:
        return re.sub(
            r"((?:_[0-9a-f]{2})+)", lambda run: bytes.fromhex(run[1].replace("_", "")).decode("utf-8", "replace"), name
        )
    except ValueError:
        return name


def _is_memory(path: str) -> bool:
    return path.endswith(".md") and not path.lower().endswith("/readme.md")


def _project_of(repo: GitRepo, blob: str, folder: str) -> str:
    """Return the project of a folder by one of its files, since long names are cut."""
    from memtui.publish.portable import project_of_folder

    stated = parse_memory(decode(repo.blobs([blob]).get(blob, b"")).text).record.get("project")
    if isinstance(stated, str) and folder_name(stated) == folder:
        return stated
    return project_of_folder(folder) or ""


def _read_state(repo: GitRepo) -> _State:
    data = repo.file(TEAM_FILE)
    if data is None:
        return _State()
    try:
        loaded = json.loads(data)
        is_known = loaded["format"] == TEAM_FORMAT and loaded["version"] == 1
        projects = {str(name): tuple(map(str, identities)) for name, identities in loaded["projects"].items()}
        team = str(loaded["team"])
    except (ValueError, KeyError, TypeError, AttributeError):
        is_known, team, projects = False, "", {}
    if not is_known:
        raise MemtuiError(
            "The branch's team file cannot be read",
            where=TEAM_FILE,
            remedy="Nothing was changed. Repair it, or update memtui if a newer version wrote it.",
        )
    return _State(team, projects)


def _state_file(state: _State) -> bytes:
    loaded = {
        "format": TEAM_FORMAT,
        "version": 1,
        "team": state.team,
        "projects": {name: list(identities) for name, identities in sorted(state.projects.items())},
    }
    return (json.dumps(loaded, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def _message(share: Share, items: Sequence[Outgoing]) -> str:
    """Return a commit's message: who did what, in a line, and the changes below it."""
    memories = sum(item.thing[0] == MEMORY for item in items)
    what = counted(memories, "memory") if memories else counted(len(items), "record")
    lines = list(dict.fromkeys(item.summary for item in items if item.summary))
    body = "".join(f"- {line}\n" for line in lines[:_LISTED])
    return f"memtui: {what} of {share.remote or 'no project'}\n" + (f"\n{body}" if body else "")


# -- links, verdicts, tombstones and settings -------------------------------------------------------


def _kin_of(data: bytes) -> dict[Thing, Record]:
    found: dict[Thing, Record] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        record = _kin_line(line)
        if record is not None:
            found[_placed_key(record)] = record
    return found


def _kin_line(line: str) -> Record | None:
    """Return the record of a line that is shared; None for signals, other tools' lines and broken ones."""
    try:
        record = clean(json.loads(line))
        if isinstance(record, dict) and record.get("type") in _KIN:
            key_of(record)
            return record
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return None


def _placed_key(record: Record) -> Thing:
    """Return the key of a line among all projects: settings of two projects have the same key on the wire."""
    entity, key = key_of(_without_project(record))
    return (entity, f"{key} {record.get('project') or ''}") if entity in {HALF_LIFE, RECIPE} else (entity, key)


def _without_project(record: Record) -> Record:
    if record["type"] == "tombstone":
        return {**record, "project": None}
    return {key: value for key, value in record.items() if key != "project"}


def _with_project(record: Record, share: Share) -> Record:
    if record["type"] == "tombstone":
        return {**record, "project": share.remote or None}
    if record["type"] == HALF_LIFE and share.remote not in {"", "global"}:
        return {"type": HALF_LIFE, "kind": record["kind"], "project": share.remote, **record}
    if record["type"] == RECIPE and share.remote:
        return {"type": RECIPE, "name": record["name"], "project": share.remote, **record}
    return record


def _belongs(thing: Thing, record: Record, share: Share, memories: Mapping[str, object]) -> bool:
    """Return whether a line belongs to a shared project: by what it states, else by its memory."""
    if record["type"] in {HALF_LIFE, RECIPE}:
        default = "global" if record["type"] == HALF_LIFE else ""
        return str(record.get("project") or default) == share.remote
    if record["type"] == "tombstone":
        return str(record.get("project") or "") == share.remote
    return memories_of(thing)[0] in memories


def _with_kin(before: bytes, share: Share, items: Iterable[Outgoing]) -> bytes:
    """Return the records file with some lines changed; lines of others stay as they are."""
    lines = {_line_key(line): line for line in before.decode("utf-8", "replace").splitlines() if line.strip()}
    for item in items:
        entity, key = item.thing
        place: object = (entity, f"{key} {share.remote}") if entity in {HALF_LIFE, RECIPE} else item.thing
        if entity == HALF_LIFE and share.remote == "global":
            place = (entity, f"{key} ")
        lines.pop(place, None)
        if item.record is not None:
            lines[place] = dump_line(_with_project(item.record, share))
    return "".join(f"{line}\n" for line in sorted(lines.values(), key=_order)).encode("utf-8", "replace")


_ORDER = ("link", "verdict", "signal", "tombstone", HALF_LIFE, RECIPE)


def _order(line: str) -> tuple[int, str]:
    record = _kin_line(line) or {}
    entity = str(record.get("type"))
    return (_ORDER.index(entity) if entity in _ORDER else len(_ORDER), line)


def _line_key(line: str) -> object:
    record = _kin_line(line)
    return line if record is None else _placed_key(record)
