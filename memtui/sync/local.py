"""What a vault holds of a shared project, as records on the wire, and how such records are stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from memtui.domain.kinds import in_project, split_project
from memtui.domain.memory import GLOBAL_PROJECT, Link, Memory, Signal, Tombstone, Verdict
from memtui.domain.record import Record
from memtui.sync.wire import (
    LINK,
    MEMORY,
    TOMBSTONE,
    VERDICT,
    about,
    half_life_to_wire,
    is_about,
    kin_to_wire,
    memories_of,
    memory_to_wire,
    recipe_key,
    recipe_to_wire,
    tombstone_from_wire,
)
from memtui.vault.journal import thing_from_record
from memtui.vault.packs import RECIPE, read_recipes, recipe_from_record, recipe_named, set_recipe, write_recipe
from memtui.vault.reader import VaultReader
from memtui.vault.rows import HALF_LIFE
from memtui.vault.teams import Share, Thing, Touched, ids_of_project
from memtui.vault.writer import VaultWriter


@dataclass(slots=True)
class Local:
    """Some things of a shared project, as they stand here."""

    records: dict[Thing, Record] = field(default_factory=dict)  # what is not there is missing
    memories: dict[str, Memory] = field(default_factory=dict)  # the memories themselves, by id

    def put(self, found: tuple[Thing, Record]) -> None:
        self.records[found[0]] = found[1]


def read_local(reader: VaultReader, share: Share, person: str, things: Iterable[Thing]) -> Local:
    """Return what the vault holds of these things."""
    wanted = set(things)
    by_entity = {entity for entity, _ in wanted}
    identifiers = about(wanted)
    found = Local()
    for memory in reader.get_many(identifiers).values():
        if memory.project == share.project:
            found.memories[memory.id] = memory
            found.records[MEMORY, memory.id] = memory_to_wire(memory, person)
    for kin in _kin(reader, share, by_entity, identifiers):
        found.put(kin_to_wire(kin, person))
    for setting in _settings(reader, share, by_entity):
        found.put(setting)
    found.records = {thing: record for thing, record in found.records.items() if thing in wanted}
    return found


def _kin(
    reader: VaultReader, share: Share, entities: set[str], identifiers: set[str]
) -> Iterator[Link | Verdict | Tombstone]:
    if LINK in entities:
        yield from reader.links(identifiers)
    if VERDICT in entities:
        yield from reader.verdicts(identifiers)
    if TOMBSTONE in entities:
        yield from (stone for stone in reader.tombstones() if stone.project == share.project)


def _settings(reader: VaultReader, share: Share, entities: set[str]) -> Iterator[tuple[Thing, Record]]:
    if HALF_LIFE in entities:
        for name, days in reader.half_lives().items():
            kind, project = split_project(name)
            if (project or GLOBAL_PROJECT) == share.project:
                yield half_life_to_wire(kind, days)
    if RECIPE in entities:
        yield from (recipe_to_wire(one) for one in read_recipes(reader) if one.project == share.project)


def all_things(reader: VaultReader, share: Share, person: str) -> set[Thing]:
    """Return every thing of a shared project that is here."""
    identifiers = ids_of_project(reader, share.project)
    return (
        {(MEMORY, identifier) for identifier in identifiers}
        | kin_of(reader, share, person, identifiers)
        | {thing for thing, _ in _settings(reader, share, {HALF_LIFE, RECIPE})}
    )


def kin_of(reader: VaultReader, share: Share, person: str, identifiers: Collection[str]) -> set[Thing]:
    """Return the links, verdicts and tombstones of memories."""
    if not identifiers:
        return set()
    found = _kin(reader, share, {LINK, VERDICT, TOMBSTONE}, set(identifiers))
    known = set(identifiers)
    return {kin_to_wire(kin, person)[0] for kin in found if not isinstance(kin, Tombstone) or kin.memory_id in known}


def hand_over(writer: VaultWriter, old: str, new: str) -> None:
    """Remove a memory for another one, which gets its links, verdicts and signals."""
    links, verdicts, signals = writer.links([old]), writer.verdicts([old]), writer.signals([old])
    writer.drop([*links, *verdicts, *signals])
    moved = [
        replace(
            link,
            from_id=new if link.from_id == old else link.from_id,
            to_id=new if link.to_id == old else link.to_id,
        )
        for link in links
    ]
    writer.add_links(link for link in moved if link.from_id != link.to_id)
    writer.add_verdicts(replace(one, memory_id=new) for one in verdicts)
    writer.add_signals(replace(one, memory_id=new) for one in signals)
    writer.remove([old])


def touched_things(touched: Iterable[Touched], share: Share, person: str) -> dict[Thing, Touched]:
    """Return what was changed, each thing with its last change; things of other projects may be among them."""
    found: dict[Thing, Touched] = {}
    for one in touched:
        thing = _thing_of(one, share, person)
        if thing is not None:
            found[thing] = one
    return found


def _thing_of(one: Touched, share: Share, person: str) -> Thing | None:
    if one.entity == MEMORY:
        return MEMORY, one.key
    if one.entity in {LINK, VERDICT, TOMBSTONE}:
        kin = thing_from_record({**one.record, "type": one.entity})
        return None if isinstance(kin, Signal) else kin_to_wire(kin, person)[0]
    if one.entity == HALF_LIFE:
        kind, project = split_project(one.key)
        return (HALF_LIFE, kind) if (project or GLOBAL_PROJECT) == share.project else None
    return recipe_key(one.key) if one.entity == RECIPE else None


@dataclass(slots=True)
class KinStore:
    """Collects what becomes of links, verdicts, tombstones and settings, and stores it as a whole."""

    writer: VaultWriter
    share: Share
    person: str
    dropped: list[Link | Verdict | Tombstone] = field(default_factory=list)
    added: list[Link | Verdict | Signal | Tombstone] = field(default_factory=list)

    def bring(self, thing: Thing, mine: Record | None, theirs: Record | None) -> None:
        """Bring a thing to what the team has.

        Raises `KeyError`, `ValueError` or `TypeError`: the team's record is broken; nothing was changed.
        """
        if theirs is not None and not is_about(theirs, thing):
            raise ValueError("a record that is about something else than its key")
        if thing[0] in {HALF_LIFE, RECIPE}:
            _store_setting(self.writer, self.share, thing, mine, theirs)
            return
        new = _kin_from_wire(theirs, self.share) if theirs is not None else None
        old = _stored_kin(self.writer, self.share, self.person, thing) if mine is not None else None
        self.dropped += [old] if old is not None else []
        self.added += [new] if new is not None else []

    def store(self) -> None:
        self.writer.drop(self.dropped)
        self.writer.add_links(kin for kin in self.added if isinstance(kin, Link))
        self.writer.add_verdicts(kin for kin in self.added if isinstance(kin, Verdict))
        self.writer.add_tombstones(kin for kin in self.added if isinstance(kin, Tombstone))


def _kin_from_wire(record: Record, share: Share) -> Link | Verdict | Signal | Tombstone:
    kin = thing_from_record(record)
    return tombstone_from_wire(kin, record, share.project) if isinstance(kin, Tombstone) else kin


def _stored_kin(writer: VaultWriter, share: Share, person: str, thing: Thing) -> Link | Verdict | Tombstone | None:
    near = _kin(writer, share, {thing[0]}, set(memories_of(thing)))
    return next((kin for kin in near if kin_to_wire(kin, person)[0] == thing), None)


def _store_setting(writer: VaultWriter, share: Share, thing: Thing, mine: Record | None, theirs: Record | None) -> None:
    entity, key = thing
    project = share.project
    if entity == HALF_LIFE:
        name = key if project in {None, GLOBAL_PROJECT} else in_project(key, str(project))
        writer.set_half_life(name, None if theirs is None else float(theirs["half_life_days"]))
        return
    stated = theirs or mine or {}
    known = recipe_named(writer, str(stated.get("name")))
    if known is not None and known.project != project:
        return  # names are unique in a vault; the recipe of another project stays
    if theirs is None:
        set_recipe(writer, str(stated["name"]), None)
    else:
        write_recipe(writer, replace(recipe_from_record(theirs), project=project))
