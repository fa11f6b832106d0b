"""A git branch as a team's place: it holds the portable vault's folder, one file for each memory.

Whatever stands there counts, whoever wrote it: a sync, a merged pull request, an edit by hand.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memtui.domain.record import Record, format_time, memory_from_record
from memtui.errors import MemtuiError
from memtui.publish.memory_file import render_memory
from memtui.publish.portable import FORMAT, MANIFEST, MEMORIES, RECORDS, VERSION, file_name, folder_name
from memtui.sync.carrier import Accepted, Came, Incoming, Outgoing, Page, TeamProject
from memtui.sync.git_files import (
    TEAM_FILE,
    TeamFile,
    belongs,
    id_in_name,
    id_of_path,
    is_memory,
    kin_of_records,
    project_of,
    read_file,
    with_kin,
    without_project,
)
from memtui.sync.git_repo import Difference, GitRepo
from memtui.sync.wire import MEMORY, key_of
from memtui.text.words import counted
from memtui.vault.teams import Share, Thing

PAGE_THINGS = 1_000
LARGEST_RECORDS = 256 << 20  # Bytes of the file of links and the like
_LISTED = 20  # Changes that a commit's message names

_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
_UNDATED_TEXT = format_time(_UNDATED)


@dataclass(slots=True)
class GitCarrier:
    """A branch of a git remote."""

    repo: GitRepo
    person: str
    known_team: str  # the id that the branch had at the last sync; empty before the first
    team: str = ""
    _state: TeamFile = field(default_factory=TeamFile)
    _new: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def connect(self) -> None:
        """Fetch the branch. Raises `MemtuiError`: it cannot be reached, or holds another team's memories."""
        self.repo.fetch()
        self.repo.refuse_odd(TEAM_FILE, MANIFEST, RECORDS)
        self._state = TeamFile.of(self.repo.file(TEAM_FILE))
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
                name = project_of(folder, self.repo.blobs([entry.blob]).get(entry.blob, b""))
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

    def sees(self, share: Share) -> bool:  # noqa: ARG002 - the same for all
        """Return true: whoever may read the branch sees all of it."""
        return True

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

    def _memories(self, share: Share, changed: Sequence[Difference]) -> tuple[list[Incoming], list[str]]:
        """Return what became of memories, and the files that make none."""
        files = [one for one in changed if one.path.startswith(_folder(share)) and is_memory(one.path)]
        contents = self.repo.blobs(blob for one in files for blob in (one.after or one.before,) if blob)
        found: dict[str, Incoming] = {}
        gone: set[str] = set()
        broken: dict[str, str] = {}  # ids by path
        for one in files:
            identifier, record = self._read(one, contents)
            if record is not None:
                identifier = id_of_path(one.path) if identifier in found else identifier  # a copy still has the id
                found[identifier] = Incoming((MEMORY, identifier), record)
            elif one.is_gone:
                gone.add(identifier)
            else:
                broken[one.path] = identifier
        gone -= found.keys() | set(broken.values())
        gone -= self._paths(share).keys() if gone else set()
        found |= {identifier: Incoming((MEMORY, identifier), None) for identifier in sorted(gone)}
        return list(found.values()), sorted(broken)

    def _read(self, one: Difference, contents: Mapping[str, bytes]) -> tuple[str, Record | None]:
        """Return the id of a file and its record as it is now; None where it is gone or makes no memory."""
        data = contents.get(one.after or one.before or "", b"")
        found = read_file(one.path, data, _UNDATED)
        if one.after is None:
            return found[0], None
        if found[1] is not None and found[1]["created_at"] == _UNDATED_TEXT:
            return read_file(one.path, data, self.repo.added_at(one.path))
        return found

    def unreadable(self, share: Share, items: Sequence[Outgoing]) -> set[Thing]:
        """Return those memories whose files make none at the moment, as with conflict markers."""
        wanted = [item.thing[1] for item in items if item.thing[0] == MEMORY]
        paths = self._paths(share) if wanted else {}
        ids = {path: identifier for identifier in wanted for path in paths.get(identifier, ())}
        entries = [entry for entry in self.repo.entries(_folder(share)) if entry.path in ids] if ids else []
        contents = self.repo.blobs(entry.blob for entry in entries)
        return {
            (MEMORY, ids[one.path])
            for one in entries
            if read_file(one.path, contents.get(one.blob, b""), _UNDATED)[1] is None
        }

    def _paths(self, share: Share) -> dict[str, list[str]]:
        """Return the files of each memory at the tip, by id."""
        entries = [entry for entry in self.repo.entries(_folder(share)) if is_memory(entry.path)]
        contents = self.repo.blobs(entry.blob for entry in entries if id_in_name(entry.path) is None)
        found: dict[str, list[str]] = {}
        for entry in entries:
            named = id_in_name(entry.path)
            identifier = named or read_file(entry.path, contents.get(entry.blob, b""), _UNDATED)[0]
            found.setdefault(identifier, []).append(entry.path)
        return found

    def _kin(self, share: Share, changed: Sequence[Difference]) -> list[Incoming]:
        records = next((one for one in changed if one.path == RECORDS), None)
        if records is None:
            return []
        before, after = (
            kin_of_records(self.repo.content(RECORDS, blob, LARGEST_RECORDS) if blob else b"")
            for blob in (records.before, records.after)
        )
        mine = self._paths(share)
        found = []
        for thing in dict.fromkeys([*after, *before]):
            new, old = after.get(thing), before.get(thing)
            known = new or old
            if new == old or known is None or not belongs(thing, known, share, mine):
                continue
            found.append(Incoming(key_of(without_project(known)), None if new is None else without_project(new)))
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
            files[TEAM_FILE] = bytes(TeamFile(self.team, self._state.projects | self._new))
        if self.repo.file(MANIFEST) is None:
            files[MANIFEST] = (json.dumps({"format": FORMAT, "version": VERSION}) + "\n").encode()
        if not files:
            return Accepted(self.repo.tip)
        commit = self.repo.commit(files, _message(share, items))
        if not self.repo.push(commit):
            return None
        self._state = TeamFile(self.team, self._state.projects | self._new)
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
                path = f"{_folder(share)}{file_name(memory)}"
                files[path] = render_memory(memory).encode("utf-8", "replace")
        kin = [item for item in items if item.thing[0] != MEMORY]
        if kin:
            before = self.repo.file(RECORDS, LARGEST_RECORDS) or b""
            after = with_kin(before, share, kin)
            if after != before:
                files[RECORDS] = after or None
        return files

    def recent(self, limit: int) -> list[Came]:
        """Return the newest commits."""
        return [Came(author, what, datetime.fromtimestamp(at, UTC)) for author, what, at in self.repo.recent(limit)]

    def listen(self) -> bool:
        """Return false: a git remote tells nobody of news."""
        return False

    def wait(self, seconds: float) -> bool:
        time.sleep(seconds)
        return False

    def close(self) -> None:
        """Nothing is held."""


def _folder(share: Share) -> str:
    return f"{MEMORIES}/{folder_name(share.remote or None)}/"


def _message(share: Share, items: Sequence[Outgoing]) -> str:
    """Return a commit's message: who did what, in a line, and the changes below it."""
    memories = sum(item.thing[0] == MEMORY for item in items)
    what = counted(memories, "memory") if memories else counted(len(items), "record")
    lines = list(dict.fromkeys(item.summary for item in items if item.summary))
    body = "".join(f"- {line}\n" for line in lines[:_LISTED])
    return f"memtui: {what} of {share.remote or 'no project'}\n" + (f"\n{body}" if body else "")
