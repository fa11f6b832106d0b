"""A PostgreSQL database as a team's place: rights by role and project, changes in one order, news at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memtui.capture.readers.own_formats import clean
from memtui.domain.record import Record
from memtui.errors import MemtuiError
from memtui.publish.memory_file import KEYS
from memtui.sync.carrier import Accepted, Came, Incoming, Outgoing, Page, TeamProject
from memtui.sync.database import CHANNEL, CLIENT, SCHEMA, asking, connect, database_errors
from memtui.sync.wire import LINK, MEMORY
from memtui.text.sanitize import without_surrogates
from memtui.text.words import counted
from memtui.vault.teams import Share, Thing

if TYPE_CHECKING:
    from psycopg import Connection

PAGE_THINGS = 1_000
PAGE_BYTES = 16 << 20  # Of the records of a page, unless one alone is larger
LARGEST_RECORD = 4 << 20  # Bytes; what is larger is no memory
MOST_CONNECTIONS = 100  # Where more are open, one looks now and then instead of listening

_KNOWN = [key for key in KEYS if key not in {"id", "project"}]
_RANKS = ("read", "propose", "write", "admin")

_PAGE = """
WITH page AS (
    SELECT h.entity, h.key, h.record::text AS record, h.seq, l.author::text AS author,
        l.origin || ' ' || extract(epoch FROM l.received_at) AS stamp
    FROM team.heads h JOIN team.log l USING (project, seq)
    WHERE h.project = %(project)s AND h.seq > %(cursor)s ORDER BY h.seq LIMIT %(things)s
), sized AS (
    SELECT *, coalesce(octet_length(record) > %(largest)s, false) AS is_large,
        row_number() OVER (ORDER BY seq) AS place,
        sum(coalesce(octet_length(record), 0)) OVER (ORDER BY seq) AS bytes
    FROM page
)
SELECT entity, key, CASE WHEN NOT is_large THEN record END, seq, author, stamp, is_large
FROM sized WHERE place = 1 OR bytes <= %(bytes)s ORDER BY seq
"""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a project was read, and the newest entry of its log that is known, own ones included."""

    seq: int = 0
    mark: int = 0  # the position of that entry
    stamp: str = ""  # what tells it from one that a restored server gave the same position

    @classmethod
    def of(cls, text: str) -> Cursor:
        return cls(*json.loads(text)) if text else cls()

    def __str__(self) -> str:
        return json.dumps([self.seq, self.mark, self.stamp])

    def past(self, seq: int, stamp: str) -> Cursor:
        """Return the cursor after an entry was read."""
        return Cursor(seq, seq, stamp) if seq >= self.mark else Cursor(seq, self.mark, self.stamp)


@dataclass(slots=True)
class PostgresCarrier:
    """A team's database."""

    url: str
    origin: str  # which vault writes
    known_team: str  # the id that the database had at the last sync; empty before the first
    team: str = ""
    person: str = ""  # the role that logged in
    _open: Connection[tuple[Any, ...]] | None = None
    _seen: list[TeamProject] = field(default_factory=list)
    _ids: dict[str, int] = field(default_factory=dict)  # of projects by name
    _may: dict[str, str] = field(default_factory=dict)  # rights by project

    @property
    def db(self) -> Connection[tuple[Any, ...]]:
        if self._open is None:
            raise RuntimeError("not connected")
        return self._open

    def connect(self) -> None:
        """Log in and check what the database is.

        Raises `MemtuiError`: it cannot be reached, holds no team, another team, or a newer schema.
        """
        if self._open is None:
            self._open = connect(self.url)
        with self._asking():
            found = self.db.execute("SELECT key, value, session_user::text FROM team.settings").fetchall()
        settings = {key: value for key, value, _ in found}
        self.person = next((str(role) for *_, role in found), "")
        self.team = str(settings.get("team", ""))
        if int(settings.get("schema", 0)) != SCHEMA or int(settings.get("oldest_client", 1)) > CLIENT:
            raise MemtuiError(
                "The team's database needs a newer memtui",
                where=f"schema {settings.get('schema')}; this memtui supports {SCHEMA}",
                remedy="Nothing was changed. Upgrade memtui: pip install -U memtui.",
            )
        if self.known_team and self.team != self.known_team:
            raise MemtuiError(
                "This database belongs to another team than before",
                where=f"team {self.team[:8]}, not {self.known_team[:8]}",
                remedy="Nothing was changed. `memtui team leave` forgets the old one.",
            )
        self._look()

    def projects(self) -> list[TeamProject]:
        """Return the projects that one may see."""
        return list(self._seen)

    def _look(self) -> None:
        with self._asking():
            found = self.db.execute(
                "SELECT id, name, identities, team.may(id) FROM team.projects ORDER BY name"
            ).fetchall()
        # The tables' owner sees every row, whatever the members say.
        mine = [row for row in found if row[3] is not None]
        self._ids = {str(name): int(number) for number, name, *_ in mine}
        self._may = {str(name): str(may) for _, name, _, may in mine}
        self._seen = [TeamProject(str(name), tuple(identities), str(may)) for _, name, identities, may in mine]

    def register(self, project: TeamProject) -> None:
        """Make a project known at once. Raises `RefusedError`: one may not."""
        known = next((one for one in self._seen if one.name == project.name), None)
        if known is not None and (_rank(known.may) < _rank("write") or {*project.identities} <= {*known.identities}):
            return
        with self._asking():
            may_everywhere = self.db.execute("SELECT team.may(NULL)").fetchone()
            if known is not None and _rank(str(may_everywhere and may_everywhere[0])) < _rank("write"):
                return
            self.db.execute("SELECT team.register(%s, %s::text[])", [project.name, list(project.identities)])
        self._look()

    def sees(self, share: Share) -> bool:
        """Return whether one has any right in a project."""
        return share.remote in self._ids

    def is_anew(self, share: Share) -> bool:
        """Return whether the server was put back to an older state: what it lost is here and at the others."""
        cursor = Cursor.of(share.cursor)
        if not cursor.mark:
            return False
        with self._asking():
            found = self.db.execute(
                "SELECT origin || ' ' || extract(epoch FROM received_at) FROM team.log WHERE project = %s AND seq = %s",
                [self._id(share), cursor.mark],
            ).fetchone()
        return found is None or found[0] != cursor.stamp

    def pages(self, share: Share) -> Iterator[Page]:
        """Yield what the project has beyond the share's cursor, in the order in which it was accepted."""
        cursor = Cursor.of(share.cursor)
        with ThreadPoolExecutor(1) as ahead:
            found = self._page(share, cursor)
            while found:
                cursor = cursor.past(int(found[-1][3]), str(found[-1][5]))
                # The database finds the next one while the vault takes this one.
                following = ahead.submit(self._page, share, cursor)
                things = [
                    Incoming((entity, key), _record(record), int(seq), str(author))
                    for entity, key, record, seq, author, _, is_large in found
                    if not is_large
                ]
                large = [f"{entity} {key}" for entity, key, *_, is_large in found if is_large]
                yield Page(things, str(cursor), large)
                found = following.result()

    def _page(self, share: Share, cursor: Cursor) -> list[tuple[Any, ...]]:
        wanted = {"project": self._id(share), "things": PAGE_THINGS, "largest": LARGEST_RECORD, "bytes": PAGE_BYTES}
        with self._asking():
            return self.db.execute(_PAGE, wanted | {"cursor": cursor.seq}).fetchall()

    def unreadable(self, share: Share, items: Sequence[Outgoing]) -> set[Thing]:
        """Return things that were read past: their last write came before the cursor, and is not what is known here."""
        cursor = Cursor.of(share.cursor)
        if not cursor.seq:
            return set()
        asked = [(*item.thing, item.base) for item in items]
        with self._asking():
            found = self.db.execute(
                "SELECT h.entity, h.key FROM unnest(%s::text[], %s::text[], %s::bigint[]) AS x(entity, key, base)"
                " JOIN team.heads h ON h.project = %s AND h.entity = x.entity AND h.key = x.key"
                " WHERE h.seq <= %s AND h.seq > x.base",
                [*map(list, zip(*asked, strict=True)), self._id(share), cursor.seq],
            ).fetchall()
        return {(entity, key) for entity, key in found}

    def allows(self, share: Share, item: Outgoing) -> bool:
        """Return whether the server would take a thing from this role."""
        may = self._may.get(share.remote, "")
        if may == "propose":
            status = (item.record or {}).get("status")
            return (item.thing[0] == MEMORY and status == "candidate") or (item.thing[0] == LINK and bool(item.record))
        return _rank(may) >= _rank("write")

    def may_purge(self, share: Share) -> bool:
        """Return whether one is an admin of the project."""
        return self._may.get(share.remote) == "admin"

    def push(self, share: Share, items: Sequence[Outgoing]) -> Accepted | None:
        """Send things; None if somebody changed one of them meanwhile."""
        # A database takes neither half of a surrogate pair nor, in JSON, a null.
        sent = without_surrogates(json.dumps(clean([_sent(item) for item in items]), ensure_ascii=False))
        with self._asking():
            row = self.db.execute(
                "SELECT team.push(%s, %s, %s, %s::text[], %s::jsonb)",
                [self._id(share), self.origin, CLIENT, _KNOWN, sent],
            ).fetchone()
        answer: Any = row[0] if row else {}
        if answer.get("stale"):
            return None
        if answer.get("secrets"):
            return self._push_others(share, items, frozenset((entity, key) for entity, key in answer["secrets"]))
        first, cursor = int(answer["first"]), Cursor.of(share.cursor)
        last = first + len(items) - 1
        # Where nobody wrote in between there is nothing left to read.
        read = last if cursor.seq == first - 1 else cursor.seq
        return Accepted(
            str(Cursor(read, last, str(answer["stamp"]))),
            {item.thing: first + number for number, item in enumerate(items)},
        )

    def _push_others(self, share: Share, items: Sequence[Outgoing], secrets: frozenset[Thing]) -> Accepted | None:
        """Send what the server does not take for a secret."""
        others = [item for item in items if item.thing not in secrets]
        accepted = self.push(share, others) if others else Accepted()
        return accepted and replace(accepted, secrets=accepted.secrets | secrets)

    def recent(self, limit: int) -> list[Came]:
        """Return who sent how much in one go, with the summary of the last of it."""
        with self._asking():
            found = self.db.execute(
                "SELECT l.author::text, p.name, count(*), (array_agg(l.summary ORDER BY l.seq DESC))[1], l.received_at"
                " FROM (SELECT * FROM team.log ORDER BY received_at DESC LIMIT 500) l"
                " JOIN team.projects p ON p.id = l.project"
                " GROUP BY l.author, p.name, l.received_at ORDER BY l.received_at DESC LIMIT %s",
                [limit],
            ).fetchall()
        return [
            Came(str(author), f"{counted(int(number), 'change')} of {name or 'no project'}: {summary}".rstrip(": "), at)
            for author, name, number, summary, at in found
        ]

    def listen(self) -> bool:
        """Log in and let the server tell of changes; False where many others do already."""
        self.connect()
        with self._asking():
            found = self.db.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            ).fetchone()
            if found and found[0] > MOST_CONNECTIONS:
                return False
            self.db.execute(f"LISTEN {CHANNEL}")
        return True

    def wait(self, seconds: float) -> bool:
        """Wait until the server tells of a change, so long at most; returns whether it did."""
        with database_errors(self.url):
            return any(True for _ in self.db.notifies(timeout=seconds, stop_after=1))

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _asking(self) -> AbstractContextManager[None]:
        return asking(self.url, self.db)

    def _id(self, share: Share) -> int:
        return self._ids[share.remote]


def _rank(may: str) -> int:
    return _RANKS.index(may) if may in _RANKS else -1


def _record(text: str | None) -> Record | None:
    record = clean(json.loads(text)) if text else None
    return record if isinstance(record, dict) else None


def _sent(item: Outgoing) -> dict[str, Any]:
    entity, key = item.thing
    return {
        "entity": entity,
        "key": key,
        "base": item.base,
        "record": item.record,
        "actor": item.actor,
        "action": item.action,
        "summary": item.summary,
        "at": item.at.isoformat() if item.at else None,
    }
