"""With whom a vault shares memories, and what each side last knew: the state of `memtui.sync`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from memtui.domain.record import Record
from memtui.vault import rows
from memtui.vault.reader import VaultReader
from memtui.vault.rows import COLUMNS, SYNC, among
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

Thing = tuple[str, str]
"""What is shared, as (entity, key): a memory by its id, a link by both ids and its type, and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A place that a vault shares memories with."""

    id: str  # made here, of 32 hex characters
    carrier: str  # `git` or `postgres`
    place: str  # the remote, or the database's URL; never with a password
    branch: str  # of a git remote; empty for a database
    team: str = ""  # the id that the other side gives itself; empty until the first sync
    person: str = ""  # the name that `person` has there
    proposes: bool = False  # whether candidates are shared, too
    synced_at: datetime | None = None

    @property
    def name(self) -> str:
        return f"{self.place} ({self.branch})" if self.branch else self.place


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A project that is shared with a team."""

    team: str  # the id of the `Team`
    project: str | None  # its name here; None for unassigned memories
    remote: str  # its name there; empty for unassigned memories
    cursor: str = ""  # how far the other side was read, in the carrier's own words
    pushed: int | None = None  # the last change of the journal that was looked at; None: everything is to be looked at
    waiting: tuple[Thing, ...] = ()  # to be looked at again, because they were held back or merged


@dataclass(frozen=True, slots=True)
class Head:
    """The last state of a thing that both sides knew."""

    seq: int  # its position in the carrier's order; 0 where the carrier has none
    hash: str | None  # of its record; None where it was deleted


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeOrder:
    """A purge that somebody else ordered."""

    team: str
    project: str | None
    memory_id: str
    author: str
    made_at: datetime


def read_teams(reader: VaultReader) -> list[Team]:
    """Return the teams of a vault by place."""
    found = _rows(reader, "teams", "true ORDER BY place, branch")
    return [Team(**row | {"synced_at": row["synced_at"] and rows.utc(row["synced_at"])}) for row in found]


def read_shares(reader: VaultReader, team: str) -> list[Share]:
    """Return the projects that are shared with a team, by name."""
    found = _rows(reader, "team_projects", "team = ? ORDER BY project NULLS LAST", team)
    return [Share(**row | {"waiting": tuple(map(tuple, json.loads(row["waiting"] or "[]")))}) for row in found]


def _rows(reader: VaultReader, table: str, condition: str, *parameters: object) -> list[dict[str, Any]]:
    names = tuple(COLUMNS[table])
    found = reader.connection.execute(
        f"SELECT {', '.join(names)} FROM {table} WHERE {condition}", list(parameters)
    ).fetchall()
    return [dict(zip(names, values, strict=True)) for values in found]


def put_team(writer: VaultWriter, team: Team) -> None:
    writer.delete_unjournaled("teams", "id", [team.id])
    writer.insert_unjournaled("teams", [asdict(team)])


def put_share(writer: VaultWriter, share: Share) -> None:
    writer.connection.execute(
        "DELETE FROM team_projects WHERE team = ? AND project IS NOT DISTINCT FROM ?", [share.team, share.project]
    )
    waiting = json.dumps([list(thing) for thing in sorted(share.waiting)])
    writer.insert_unjournaled("team_projects", [asdict(share) | {"waiting": waiting}])


def drop_team(writer: VaultWriter, team: str) -> None:
    """Forget a team and what it last knew; memories stay."""
    for table in ("team_projects", "team_heads", "team_orders"):
        writer.delete_unjournaled(table, "team", [team])
    writer.delete_unjournaled("teams", "id", [team])


def note_synced(vault: Vault, team: Team, moment: datetime) -> None:
    """Store when a team was last reached, without a change of the journal."""
    with vault.transaction() as connection:
        connection.execute("UPDATE teams SET synced_at = ? WHERE id = ?", [moment.replace(tzinfo=None), team.id])


def ids_of_project(reader: VaultReader, project: str | None) -> list[str]:
    """Return the ids of a project's memories, of any status; of the unassigned ones for None."""
    found = reader.connection.execute(
        "SELECT id FROM memories WHERE project IS NOT DISTINCT FROM ? ORDER BY key", [project]
    ).fetchall()
    return [str(row[0]) for row in found]


# -- heads ------------------------------------------------------------------------------------------


def read_heads(reader: VaultReader, share: Share, things: Iterable[Thing]) -> dict[Thing, Head]:
    """Return the last common states of those things that had one."""
    condition, parameters = among("entity_key", {key for _, key in things})
    found = _rows(
        reader,
        "team_heads",
        f"team = ? AND project IS NOT DISTINCT FROM ? AND {condition}",
        *(share.team, share.project, *parameters),
    )
    return {(row["entity"], row["entity_key"]): Head(row["seq"], row["content_hash"]) for row in found}


def head_keys(reader: VaultReader, share: Share) -> list[Thing]:
    """Return everything of a share that the other side has, as far as it was read."""
    found = _rows(
        reader,
        "team_heads",
        "team = ? AND project IS NOT DISTINCT FROM ? AND content_hash IS NOT NULL",
        *(share.team, share.project),
    )
    return [(row["entity"], row["entity_key"]) for row in found]


def put_heads(writer: VaultWriter, share: Share, heads: Mapping[Thing, Head]) -> None:
    if not heads:
        return
    condition, parameters = among("entity || ' ' || entity_key", [f"{entity} {key}" for entity, key in heads])
    writer.connection.execute(
        f"DELETE FROM team_heads WHERE team = ? AND project IS NOT DISTINCT FROM ? AND {condition}",
        [share.team, share.project, *parameters],
    )
    writer.insert_unjournaled(
        "team_heads",
        (
            {
                "team": share.team,
                "project": share.project,
                "entity": entity,
                "entity_key": key,
                "seq": head.seq,
                "content_hash": head.hash,
            }
            for (entity, key), head in heads.items()
        ),
    )


def begin_anew(writer: VaultWriter, share: Share, waiting: Iterable[Thing]) -> Share:
    """Forget what the other side knew, because it was put back to an older state; returns the share as it is now.

    `waiting`: what is to be sent there again, whatever it has.
    """
    writer.connection.execute(
        "DELETE FROM team_heads WHERE team = ? AND project IS NOT DISTINCT FROM ?", [share.team, share.project]
    )
    fresh = replace(share, cursor="", pushed=None, waiting=tuple(sorted(waiting)))
    put_share(writer, fresh)
    return fresh


# -- the journal ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Touched:
    """What a change of the journal did to one thing."""

    entity: str
    key: str
    record: Record  # as it is after it, or was before it was removed
    actor: str
    action: str
    summary: str
    at: datetime


def newest_change(reader: VaultReader) -> int:
    return reader.scalar("SELECT coalesce(max(number), 0) FROM changes")


def has_purged(reader: VaultReader, after: int) -> bool:
    """Return whether something was erased since a change: the journal does not say what."""
    return reader.scalar("SELECT count(*) FROM changes WHERE number > ? AND action = 'purge'", [after]) > 0


def touched_since(reader: VaultReader, number: int) -> Iterator[Touched]:
    """Yield what was changed here after a change, in order, without what came from a team."""
    found = reader.connection.execute(
        "SELECT r.entity, r.entity_key, coalesce(r.after, r.before), c.actor, c.action, c.summary, c.made_at"
        " FROM revisions r JOIN changes c ON c.number = r.change_number"
        " WHERE r.change_number > ? AND c.action <> ? ORDER BY r.change_number, r.position",
        [number, SYNC],
    ).fetchall()
    for entity, key, record, actor, action, summary, made_at in found:
        yield Touched(entity, key, json.loads(record), actor, action, summary, rows.utc(made_at))


def past_states(reader: VaultReader, identifiers: Sequence[str]) -> dict[str, list[Record]]:
    """Return every state that the journal remembers of memories, the oldest first, by id."""
    condition, parameters = among("entity_key", identifiers, few=rows.FEW_WIDE)
    found = reader.connection.execute(
        f"SELECT entity_key, before, after FROM revisions WHERE entity = 'memory' AND {condition}"
        " ORDER BY change_number, position",
        parameters,
    ).fetchall()
    states: dict[str, list[Record]] = {}
    for identifier, *sides in found:
        states.setdefault(str(identifier), []).extend(json.loads(side) for side in sides if side)
    return states


# -- purge orders -----------------------------------------------------------------------------------


def read_orders(reader: VaultReader, team: str) -> list[PurgeOrder]:
    """Return the purges that a team ordered and that were not run here, the oldest first."""
    found = _rows(reader, "team_orders", "team = ? ORDER BY made_at, memory_id", team)
    return [PurgeOrder(**row | {"made_at": rows.utc(row["made_at"])}) for row in found]


def put_orders(writer: VaultWriter, orders: Sequence[PurgeOrder]) -> None:
    writer.delete_unjournaled("team_orders", "memory_id", [order.memory_id for order in orders])
    if orders:
        writer.insert_unjournaled("team_orders", map(asdict, orders))


def drop_orders(writer: VaultWriter, identifiers: Sequence[str]) -> None:
    writer.delete_unjournaled("team_orders", "memory_id", list(identifiers))
