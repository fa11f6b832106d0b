"""Recorded packs and what assistants were served, which the journal does not cover, and recipes, which it does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from memtui.domain.memory import Signal
from memtui.domain.record import Record, RecordError, format_time, parse_time
from memtui.vault.filters import Scope
from memtui.vault.reader import VaultReader
from memtui.vault.rows import COLUMNS, among, thing_from_row, utc
from memtui.vault.writer import VaultWriter

RECIPE = "recipe"  # The journal's entity for one

_PACK_COLUMNS = ", ".join(COLUMNS["packs"])
_RECIPE_COLUMNS = ", ".join(COLUMNS["recipes"])
_LONGEST_NAME = 100
_LONGEST_CHOICE = 40

FILE_STATES = "file_states"  # Key of a pack's options: the state per anchor path, per memory

STATUSES = "statuses"
"""Key of a pack's options: why a memory that was added by hand is not active, in words, per memory."""

ABOUT_MEMORIES = (FILE_STATES, STATUSES)  # Keys of a pack's options that map memory ids


@dataclass(frozen=True, slots=True)
class PackMember:
    """A memory of a pack."""

    memory_id: str
    version: int  # the memory's version when the pack was made
    tokens: int  # tokens of its text in the payload
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPack:
    """A pack as it was used; of the payload only the hash is kept."""

    id: str
    made_at: datetime
    actor: str
    project: str | None
    task: str
    files: tuple[str, ...]
    target: str
    budget: str  # as people write it
    encoding: str
    tokens: int
    payload_hash: str  # BLAKE2b-128 of the payload in UTF-8, in hex
    members: tuple[PackMember, ...]  # in the order of the payload
    # further choices: style, phase, selections; empty for a pack of an older memtui
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A saved task with its files, target and budget."""

    name: str  # unique in the vault
    project: str | None
    task: str  # may be empty
    files: tuple[str, ...]
    target: str
    budget: str
    created_at: datetime
    options: Mapping[str, Any] = field(default_factory=dict)  # further choices, as in `StoredPack`


# -- packs ------------------------------------------------------------------------------------------

_IN_FORCE = (
    "(coalesce(len(members), 0) = 0 OR EXISTS (SELECT 1 FROM signals s"
    " WHERE s.pack_id = packs.id AND s.signal IN ('copied', 'injected')))"
)
"""A pack whose recording was undone has lost the signals of its use; one without members lost them to a purge."""


def read_packs(reader: VaultReader, *, limit: int | None) -> list[StoredPack]:
    """Return the packs used last, the newest first, without those whose recording was undone."""
    window = "" if limit is None else f" LIMIT {int(limit)}"
    found = reader.connection.execute(
        f"SELECT {_PACK_COLUMNS} FROM packs WHERE {_IN_FORCE} ORDER BY made_at DESC, id{window}"
    ).fetchall()
    return [_pack(row) for row in found]


def packs_by_prefix(reader: VaultReader, prefix: str, *, limit: int = 6) -> list[StoredPack]:
    """Return the packs whose id equals or starts with this, an exact one first."""
    found = reader.connection.execute(
        f"SELECT {_PACK_COLUMNS} FROM packs WHERE starts_with(id, ?) ORDER BY id <> ?, made_at DESC, id LIMIT ?",
        [prefix, prefix, limit],
    ).fetchall()
    return [_pack(row) for row in found]


def signals_of_packs(reader: VaultReader, identifiers: Sequence[str]) -> list[Signal]:
    """Return the signals about these packs, the oldest first."""
    condition, parameters = among("pack_id", identifiers)
    found = reader.connection.execute(
        f"SELECT {', '.join(COLUMNS['signals'])} FROM signals WHERE {condition} ORDER BY made_at, memory_id, signal",
        parameters,
    ).fetchall()
    return [thing_from_row(Signal, "signals", row) for row in found]


def write_pack(writer: VaultWriter, pack: StoredPack) -> None:
    writer.insert_unjournaled("packs", [asdict(pack) | {"options": _dump(pack.options)}])


def _pack(values: Sequence[Any]) -> StoredPack:
    row = _row("packs", values)
    members = tuple(PackMember(**member) for member in row["members"] or ())
    return StoredPack(**row | {"made_at": utc(row["made_at"]), "members": members})


# -- recipes ----------------------------------------------------------------------------------------


def read_recipes(reader: VaultReader) -> list[Recipe]:
    """Return every recipe by name."""
    found = reader.connection.execute(f"SELECT {_RECIPE_COLUMNS} FROM recipes ORDER BY name").fetchall()
    return [_recipe(row) for row in found]


def recipe_named(reader: VaultReader, name: str) -> Recipe | None:
    """Return the recipe with exactly this name, if there is one."""
    found = reader.connection.execute(f"SELECT {_RECIPE_COLUMNS} FROM recipes WHERE name = ?", [name]).fetchone()
    return None if found is None else _recipe(found)


def is_recipe_name(name: str) -> bool:
    """Return whether a name is valid for a recipe: 1 to 100 printable characters, without white space around."""
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and name == name.strip()


def recipe_record(recipe: Recipe) -> Record:
    """Return the typed line of a recipe; equal recipes give equal lines."""
    return (
        {"type": RECIPE, "name": recipe.name}
        | ({"project": recipe.project} if recipe.project else {})
        | {"task": recipe.task, "files": list(recipe.files), "target": recipe.target, "budget": recipe.budget}
        | ({"options": dict(sorted(recipe.options.items()))} if recipe.options else {})
        | {"created_at": format_time(recipe.created_at)}
    )


def recipe_from_record(record: Record) -> Recipe:
    """Return the recipe of a typed line. Raises `RecordError`: a value is invalid; the message names the key."""
    created_at = parse_time(record.get("created_at"), "created_at")
    fields: dict[str, Any] = {key: record.get(key) or "" for key in ("name", "task", "target", "budget")}
    fields |= {"project": record.get("project"), "files": record.get("files") or []}
    fields["options"] = record.get("options") or {}
    wrong = next((key for key, is_valid in _VALID.items() if not is_valid(fields[key])), None)
    if wrong or created_at is None:
        raise RecordError(f"{wrong or 'created_at'} is not valid for a recipe")
    return Recipe(**fields | {"files": tuple(fields["files"]), "created_at": created_at})


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _is_short(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_CHOICE


def _are_choices(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str | bool) or _are_texts(one) for one in value.values())


_VALID: Mapping[str, Callable[[Any], bool]] = {
    "task": lambda value: isinstance(value, str),
    "target": _is_short,
    "budget": _is_short,
    "project": lambda value: value is None or (isinstance(value, str) and value != ""),
    "files": _are_texts,
    "options": _are_choices,
    "name": lambda value: isinstance(value, str) and is_recipe_name(value),
}


def write_recipe(writer: VaultWriter, recipe: Recipe) -> None:
    """Store a recipe; one with the same name is replaced."""
    set_recipe(writer, recipe.name, _record(recipe))


def remove_recipe(writer: VaultWriter, name: str) -> None:
    set_recipe(writer, name, None)


def set_recipe(writer: VaultWriter, name: str, record: Record | None) -> None:
    """Store the recipe of a journal's record in place of the one with this name; None deletes it."""
    known = recipe_named(writer, name)
    before = _record(known) if known else None
    if before == record:
        return
    writer.delete_unjournaled("recipes", "name", [name])
    if record is not None:
        writer.insert_unjournaled("recipes", [record | {"options": _dump(record["options"])}])
    writer.note(RECIPE, name, before, record)


def _record(recipe: Recipe) -> Record:
    """Return a recipe for the journal."""
    record: Record = {name: getattr(recipe, name) for name in COLUMNS["recipes"]}
    return record | {
        "files": list(recipe.files),
        "created_at": recipe.created_at.astimezone(UTC).replace(tzinfo=None).isoformat(),
        "options": dict(recipe.options),
    }


def _recipe(values: Sequence[Any]) -> Recipe:
    row = _row("recipes", values)
    return Recipe(**row | {"created_at": utc(row["created_at"])})


def _row(table: str, values: Sequence[Any]) -> dict[str, Any]:
    row = dict(zip(COLUMNS[table], values, strict=True))
    return row | {"files": tuple(row["files"] or ()), "options": _load(row["options"])}


def _dump(options: Mapping[str, Any]) -> str | None:
    return json.dumps(options, ensure_ascii=False, sort_keys=True) if options else None


def _load(text: str | None) -> Mapping[str, Any]:
    """Return stored options; anything else is ignored."""
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """One event of a session, with what it was served for it."""

    session: str  # hash of the assistant's own id
    assistant: str
    project: str | None
    event: str
    made_at: datetime
    tokens: int = 0
    memories: int = 0
    repeats: int = 0  # lessons that the session knew when a file or task of theirs came up

    @property
    def place(self) -> tuple[str, str, datetime]:
        """What identifies it."""
        return (self.session, self.event, self.made_at)


def servings(reader: VaultReader, scope: Scope | None = None) -> list[Serving]:
    """Return the servings of the projects in a scope, or all, oldest first."""
    found = reader.connection.execute(
        f"SELECT {', '.join(COLUMNS['servings'])} FROM servings ORDER BY made_at, session, event"
    ).fetchall()
    every = (Serving(**dict(zip(COLUMNS["servings"], row, strict=True)) | {"made_at": utc(row[4])}) for row in found)
    inside = None if scope is None else scope.projects
    return [one for one in every if inside is None or one.project in inside]


def add_servings(writer: VaultWriter, found: Iterable[Serving]) -> int:
    """Store servings; those that are stored already are left out. Returns how many were new."""
    wanted = {one.place: one for one in found}
    if not wanted:
        return 0
    known = {one.place for one in servings(writer)}
    fresh = [asdict(one) for place, one in wanted.items() if place not in known]
    if fresh:
        writer.insert_unjournaled("servings", fresh)
    return len(fresh)
