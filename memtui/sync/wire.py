"""What leaves a machine: records of memories and what hangs on them, without anything private.

A record on the wire has no project, since the carrier knows it, no absolute path, and no anonymous person.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b

from memtui.domain.causes import PURGED, RETIRED
from memtui.domain.identity import PERSON
from memtui.domain.memory import Anchor, Link, Memory, Source, Tombstone, Verdict
from memtui.domain.record import (
    Record,
    link_record,
    memory_from_record,
    memory_record,
    tombstone_record,
    verdict_record,
)
from memtui.vault.packs import RECIPE, Recipe, recipe_record
from memtui.vault.rows import HALF_LIFE
from memtui.vault.source_texts import TEAM_PLACE
from memtui.vault.teams import Thing

MEMORY, LINK, VERDICT, TOMBSTONE = "memory", "link", "verdict", "tombstone"

_ORDER = PURGED
"""The reason, on the wire, of a tombstone that orders everybody to erase a memory. There no other stone has it, and the
cause says nothing of it: older versions of memtui, and the database that allows a purge to admins alone, go by it."""

_LONGEST_ID = 200
_ABSOLUTE = re.compile(r"[/~\\]|[a-zA-Z]:[\\/]|file:", re.IGNORECASE)


def digest(record: Record | None) -> str | None:
    """Return the hash of a record, the same for the same values whatever their order; None for a deleted thing."""
    if record is None:
        return None
    text = json.dumps(record, sort_keys=True, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def check_id(identifier: str) -> str:
    """Return the id of a memory. Raises `ValueError`: it is none, such as a text or one with control characters."""
    if not 0 < len(identifier) <= _LONGEST_ID or not identifier.isprintable():
        raise ValueError("no id")
    return identifier


def is_absolute(path: str) -> bool:
    """Return whether a path names a place on one machine: from its root, or from somebody's home."""
    return _ABSOLUTE.match(path) is not None


def is_private_source(source: Source) -> bool:
    path = source.path or ""
    return is_absolute(path) or path.startswith(TEAM_PLACE)


def is_private_anchor(anchor: Anchor) -> bool:
    return is_absolute(anchor.path)


def named(actor: str, person: str) -> str:
    """Return an actor's name as the team knows it."""
    return f"{PERSON}:{person}" if actor == PERSON and person else actor


def memory_to_wire(memory: Memory, person: str) -> Record:
    shared = replace(
        memory,
        sources=tuple(source for source in memory.sources if not is_private_source(source)),
        anchors=tuple(anchor for anchor in memory.anchors if not is_private_anchor(anchor)),
        confirmed_by=memory.confirmed_by and named(memory.confirmed_by, person),
        verified_by=memory.verified_by and named(memory.verified_by, person),
    )
    record = memory_record(shared)
    del record["id"], record["project"]
    return record


def memory_from_wire(record: Record, identifier: str, project: str | None, now: datetime) -> Memory:
    """Return the memory of a record. Raises `RecordError`: a value does not fit."""
    return memory_from_record({**record, "id": identifier, "project": project}, now=now, new_id=identifier)


def with_private(memory: Memory, stored: Memory) -> Memory:
    """Return a memory that came from a team with what only this machine knows of it."""
    return replace(
        memory,
        sources=(*memory.sources, *filter(is_private_source, stored.sources)),
        anchors=(*memory.anchors, *filter(is_private_anchor, stored.anchors)),
    )


def past_to_wire(record: Record, person: str, now: datetime) -> Record:
    """Return what a state in the journal was on the wire."""
    return memory_to_wire(memory_from_record(record, now=now, new_id=str(record["id"])), person)


def kin_to_wire(thing: Link | Verdict | Tombstone, person: str) -> tuple[Thing, Record]:
    """Return the key and the record of a link, verdict or tombstone."""
    if isinstance(thing, Link):
        return (LINK, f"{thing.from_id} {thing.type} {thing.to_id}"), link_record(thing)
    shared = replace(thing, actor=named(thing.actor, person))
    if isinstance(shared, Verdict):
        record = verdict_record(shared)
        return (VERDICT, f"{thing.memory_id} {digest(record)}"), record
    record = tombstone_record(shared) | {"project": None}
    if shared.cause == PURGED:
        record["reason"] = _ORDER
    elif shared.reason == _ORDER:
        record["reason"] = f'"{_ORDER}"'  # somebody's own word
    return (TOMBSTONE, f"{thing.memory_id} {shared.content_hash}"), record


def orders_purge(record: Mapping[str, object] | None) -> bool:
    """Return whether a tombstone on the wire, if there is one, orders everybody to erase its memory."""
    return record is not None and record.get("reason") == _ORDER


def tombstone_from_wire(stone: Tombstone, record: Mapping[str, object], project: str | None) -> Tombstone:
    """Return a tombstone of a shared project as it is kept here; only an order has the cause of one."""
    if orders_purge(record):
        return replace(stone, project=project, cause=PURGED)
    return replace(stone, project=project, cause=RETIRED if stone.cause == PURGED else stone.cause)


def recipe_to_wire(recipe: Recipe) -> tuple[Thing, Record]:
    record = recipe_record(replace(recipe, project=None))
    record["files"] = [path for path in recipe.files if not is_absolute(path)]
    return recipe_key(recipe.name), record


def recipe_key(name: str) -> Thing:
    """Return the key of a recipe: a hash, because its name may be the text that a purge erases."""
    return RECIPE, blake2b(name.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def half_life_to_wire(kind: str, days: float) -> tuple[Thing, Record]:
    return (HALF_LIFE, kind), {"type": HALF_LIFE, "kind": kind, "half_life_days": days}


def key_of(record: Mapping[str, object]) -> Thing:
    """Return the key of a typed line of the wire that is no memory. Raises `KeyError`: it lacks one."""
    entity = str(record["type"])
    if entity == LINK:
        return entity, f"{record['from']} {record['link']} {record['to']}"
    if entity == VERDICT:
        return entity, f"{record['memory']} {digest(dict(record))}"
    if entity == TOMBSTONE:
        return entity, f"{record['memory']} {record['content_hash']}"
    if entity == HALF_LIFE:
        return entity, str(record["kind"])
    if entity == RECIPE:
        return recipe_key(str(record["name"]))
    raise KeyError(entity)


def memories_of(thing: Thing) -> list[str]:
    """Return the ids of the memories that a thing is about."""
    entity, key = thing
    parts = key.split(" ")
    if entity == LINK:
        return [parts[0], parts[-1]]
    if entity == MEMORY:
        return [key]  # an imported id may hold a space
    return [parts[0]] if entity in {VERDICT, TOMBSTONE} else []


def is_about(record: Mapping[str, object], thing: Thing) -> bool:
    """Return whether a typed line is about what its key says. Raises `KeyError`: it lacks what would be its key."""
    key = key_of(record)
    return key == thing or (key[0] == thing[0] == VERDICT and memories_of(key) == memories_of(thing))


def about(things: Iterable[Thing]) -> set[str]:
    """Return the ids of the memories that things are about."""
    return {identifier for thing in things for identifier in memories_of(thing)}
