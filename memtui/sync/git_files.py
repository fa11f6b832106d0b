"""The files of a branch: a memory each, the team itself, and one JSON line for each link, verdict and tombstone."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b

from memtui.analysis.titles import title_for
from memtui.capture.merge_conflicts import has_marker
from memtui.capture.readers.own_formats import clean
from memtui.domain.memory import ID_LENGTH
from memtui.domain.record import Record, memory_from_record
from memtui.errors import MemtuiError
from memtui.publish.files import dump_line
from memtui.publish.memory_file import parse_memory
from memtui.publish.portable import folder_name, project_of_folder
from memtui.sync.carrier import Outgoing
from memtui.sync.wire import LINK, TOMBSTONE, VERDICT, key_of, memories_of, memory_to_wire
from memtui.text.sanitize import decode
from memtui.vault.packs import RECIPE
from memtui.vault.rows import HALF_LIFE
from memtui.vault.teams import Share, Thing

TEAM_FILE = "memtui-team.json"
_TEAM_FORMAT = "memtui-team"

_ID_IN_NAME = re.compile(r"\.([A-Za-z0-9_-]+)\.md$")
_PLAIN_ID = re.compile(r"\w[\w.:@+-]{0,199}")  # Other ids, which an import may give, are kept by the file's name


def is_memory(path: str) -> bool:
    return path.endswith(".md") and not path.lower().endswith("/readme.md")


def id_in_name(path: str) -> str | None:
    """Return the id that a file's name states, None if it states none."""
    named = _ID_IN_NAME.search(path)
    return _decoded(named[1]) if named else None


def read_file(path: str, data: bytes, now: datetime) -> tuple[str, Record | None]:
    """Return the id of a memory's file and its record on the wire; None where it makes no memory.

    A file without an id, or with one that is none, is known by its name, else by its path: every machine finds the
    same. `now`: when it was made, if it does not say.
    """
    identifier = id_in_name(path) or id_of_path(path)
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


def project_of(folder: str, data: bytes) -> str:
    """Return the project of a folder by one of its files, since long names are cut."""
    stated = parse_memory(decode(data).text).record.get("project")
    if isinstance(stated, str) and folder_name(stated) == folder:
        return stated
    return project_of_folder(folder) or ""


@dataclass(slots=True)
class TeamFile:
    """What the branch says of its own."""

    team: str = ""  # the team's id; empty while there is no such file
    projects: dict[str, tuple[str, ...]] = field(default_factory=dict)  # identities by name

    @classmethod
    def of(cls, data: bytes | None) -> TeamFile:
        """Read the file. Raises `MemtuiError`: it is none, or a newer version wrote it."""
        if data is None:
            return cls()
        try:
            loaded = clean(json.loads(data))
            is_known = loaded["format"] == _TEAM_FORMAT and loaded["version"] == 1
            projects = {str(name): tuple(map(str, identities)) for name, identities in loaded["projects"].items()}
            team = str(loaded["team"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            is_known, team, projects = False, "", {}
        if not is_known:
            raise MemtuiError(
                "The branch's team file cannot be read",
                where=TEAM_FILE,
                remedy="Nothing was changed. Repair it, or update memtui if a newer version wrote it.",
            )
        return cls(team, projects)

    def __bytes__(self) -> bytes:
        loaded = {
            "format": _TEAM_FORMAT,
            "version": 1,
            "team": self.team,
            "projects": {name: list(identities) for name, identities in sorted(self.projects.items())},
        }
        return (json.dumps(loaded, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


_KIN = frozenset({LINK, VERDICT, TOMBSTONE, HALF_LIFE, RECIPE})


def kin_of_records(data: bytes) -> dict[Thing, Record]:
    found: dict[Thing, Record] = {}
    for line in _lines(data):
        record = _kin_line(line)
        if record is not None:
            found[_placed_key(record)] = record
    return found


def _lines(data: bytes) -> list[str]:
    """Return the lines that are not blank; other line ends than a line feed may stand within a text."""
    return [line for line in data.decode("utf-8", "replace").split("\n") if line.strip()]


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
    entity, key = key_of(without_project(record))
    return (entity, f"{key} {record.get('project') or ''}") if entity in {HALF_LIFE, RECIPE} else (entity, key)


def without_project(record: Record) -> Record:
    if record["type"] == TOMBSTONE:
        return {**record, "project": None}
    return {key: value for key, value in record.items() if key != "project"}


def _with_project(record: Record, share: Share) -> Record:
    if record["type"] == TOMBSTONE:
        return {**record, "project": share.remote or None}
    if record["type"] == HALF_LIFE and share.remote not in {"", "global"}:
        return {"type": HALF_LIFE, "kind": record["kind"], "project": share.remote, **record}
    if record["type"] == RECIPE and share.remote:
        return {"type": RECIPE, "name": record["name"], "project": share.remote, **record}
    return record


def belongs(thing: Thing, record: Record, share: Share, memories: Mapping[str, object]) -> bool:
    """Return whether a line belongs to a shared project: by what it states, else by its memory."""
    if record["type"] in {HALF_LIFE, RECIPE}:
        default = "global" if record["type"] == HALF_LIFE else ""
        return str(record.get("project") or default) == share.remote
    if record["type"] == TOMBSTONE:
        return str(record.get("project") or "") == share.remote
    return memories_of(thing)[0] in memories


def with_kin(before: bytes, share: Share, items: Iterable[Outgoing]) -> bytes:
    """Return the records file with some lines changed; lines of others stay as they are."""
    lines = {_line_key(line): line for line in _lines(before)}
    for item in items:
        entity, key = item.thing
        place: object = (entity, f"{key} {share.remote}") if entity in {HALF_LIFE, RECIPE} else item.thing
        if entity == HALF_LIFE and share.remote == "global":
            place = (entity, f"{key} ")
        lines.pop(place, None)
        if item.record is not None:
            lines[place] = dump_line(_with_project(item.record, share))
    return "".join(f"{line}\n" for line in sorted(lines.values(), key=_order)).encode("utf-8", "replace")


_ORDER = (LINK, VERDICT, "signal", TOMBSTONE, HALF_LIFE, RECIPE)


def _order(line: str) -> tuple[int, str]:
    record = _kin_line(line) or {}
    entity = str(record.get("type"))
    return (_ORDER.index(entity) if entity in _ORDER else len(_ORDER), line)


def _line_key(line: str) -> object:
    record = _kin_line(line)
    return line if record is None else _placed_key(record)
