"""Several machines of one team: each with a vault of its own, all with one git remote."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from postgres import Server
from support import FrozenClock, make_memory

from memtui.domain.memory import Link, Memory
from memtui.sync.carrier import SyncReport
from memtui.sync.database import add_member, init_team
from memtui.sync.service import sync
from memtui.sync.sharing import SyncRequest
from memtui.vault.source_texts import source_texts
from memtui.vault.vault import Vault

PROJECT = "shop"
BRANCH = "memory"

_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{f"GIT_{who}_NAME": "Hand" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "hand@example.org" for who in ("AUTHOR", "COMMITTER")},
}


def git(*words: str | Path, folder: Path) -> str:
    """Run git as a person without settings; returns what it prints."""
    done = subprocess.run(
        ["git", *map(str, words)], cwd=folder, check=True, capture_output=True, env={**os.environ, **_GIT}
    )
    return done.stdout.decode()


def bare(folder: Path) -> Path:
    """Make a bare repository that takes pushes; returns it."""
    folder.mkdir(parents=True)
    git("init", "-q", "--bare", ".", folder=folder)
    return folder


@dataclass
class Machine:
    """One vault, and what a person does with it."""

    path: Path
    remote: Path
    clock: FrozenClock = field(default_factory=FrozenClock)

    def __post_init__(self) -> None:
        self.vault = Vault(self.path / "vault.duckdb", now=self.clock)

    def put(self, *memories: Memory, actor: str = "person") -> None:
        with self.vault.write(actor=actor, action="edit", summary="edit by hand") as writer:
            writer.put_many(memories)

    def add(self, **values: Any) -> Memory:
        memory = make_memory(**{"project": PROJECT, "confirmed_at": self.clock(), "confirmed_by": "person"} | values)
        self.put(memory)
        return memory

    def edit(self, identifier: str, **values: Any) -> None:
        self.put(replace(self.get(identifier), **values))

    def get(self, identifier: str) -> Memory:
        with self.vault.read() as reader:
            return reader.get(identifier)

    def all(self) -> dict[str, Memory]:
        with self.vault.read() as reader:
            found = reader.connection.execute("SELECT id FROM memories").fetchall()
            return reader.get_many(str(row[0]) for row in found)

    def sync(self, **wishes: Any) -> SyncReport:
        request = SyncRequest(folder=self.path, git=str(self.remote), **wishes)
        return sync(self.vault, request)


def machines(folder: Path, names: Iterable[str] = ("one", "two")) -> list[Machine]:
    """Return machines that share the project `shop` from their first sync on; the first one has registered it."""
    remote = bare(folder / "remote.git")
    found = []
    for name in names:
        (folder / name).mkdir()
        found.append(Machine(folder / name, remote))
    return found


def joined(folder: Path, names: Iterable[str] = ("one", "two")) -> tuple[Memory, list[Machine]]:
    """Return a memory that all of some machines have, and the machines."""
    found = machines(folder, names)
    memory = found[0].add(tags=("billing",))
    found[0].sync(share=(PROJECT,))
    for machine in found[1:]:
        machine.sync()
    return memory, found


def shared(machine: Machine) -> dict[str, tuple[object, ...]]:
    """Return what a team agrees on, of each memory."""
    return {
        one.id: (one.title, one.insight, one.rationale, one.tags, one.status, one.importance, one.pinned, one.project)
        for one in machine.all().values()
        if one.project == PROJECT
    }


def work_tree(remote: Path, folder: Path) -> Path:
    """Return a clone of the branch in which a person edits by hand."""
    git("clone", "-q", "-b", BRANCH, remote, folder, folder=remote)
    return folder


def commit_all(tree: Path, message: str = "by hand") -> None:
    git("add", "-A", folder=tree)
    git("commit", "-q", "-m", message, folder=tree)
    git("push", "-q", "origin", BRANCH, folder=tree)


def file_of(tree: Path, memory: Memory) -> Path:
    """Return the file of a memory in a clone."""
    return next((tree / "memories" / PROJECT).glob(f"*.{memory.id}.md"))


@dataclass
class Fleet:
    """Machines that work at the same time, and what each of them wrote."""

    members: list[Machine]
    written: list[tuple[str, str]] = field(default_factory=list)  # (memory, token) of every text that was written

    def act(self, machine: Machine, number: int, turn: int, chance: Random) -> None:
        """Let a machine make one change: mostly of a text, of a memory that others have, too."""
        token = f"<{number}.{turn}>"
        known = sorted(machine.all())
        what = chance.random()
        if what < 0.5 or not known:
            memory = machine.add(title=f"Note {token}", insight=f"Machine {number} found out {token}.")
            self.written.append((memory.id, token))
            return
        identifier = chance.choice(known[:20])
        memory = machine.get(identifier)
        if what < 0.8:
            machine.edit(identifier, insight=f"{memory.insight} {token}")
            self.written.append((identifier, token))
        elif what < 0.9:
            tags = tuple(dict.fromkeys((*memory.tags, f"tag{chance.randrange(9)}")))
            machine.edit(identifier, tags=tags, importance=chance.randint(1, 5))
        elif what < 0.95:
            machine.edit(identifier, status="retired", status_reason=token)
        else:
            link = Link(from_id=identifier, type="relates", to_id=chance.choice(known), created_at=machine.clock())
            with machine.vault.write(actor="person", action="link") as writer:
                writer.add_links([link])

    def lost(self, sent: Callable[[str], str]) -> list[tuple[str, str]]:
        """Return what was written and stands nowhere: neither in what was sent of a memory, nor in an inbox."""
        waiting: dict[str, str] = {}
        for machine in self.members:
            with machine.vault.read() as reader:
                for text in source_texts(reader):
                    waiting[text.memory_id] = waiting.get(text.memory_id, "") + text.stated.insight
        return [
            (identifier, token)
            for identifier, token in self.written
            if token not in sent(identifier) and token not in waiting.get(identifier, "")
        ]


def links_of(machine: Machine) -> set[tuple[str, str, str]]:
    with machine.vault.read() as reader:
        return {(link.from_id, link.type, link.to_id) for link in reader.links()}


@dataclass
class Seat(Machine):
    """A machine of a team on PostgreSQL; `remote` is of no use."""

    url: str = ""

    def sync(self, **wishes: Any) -> SyncReport:
        """Sync with the team's database, and join it the first time."""
        return sync(self.vault, SyncRequest(folder=self.path, database=self.url, **wishes))


@dataclass(frozen=True)
class Squad:
    """A team on a real server: its database, its members' roles, and machines for them."""

    server: Server
    database: str
    folder: Path

    def url(self, role: str) -> str:
        return self.server.url(self.database, f"{role}_{self.database}")

    def seat(self, role: str, name: str = "") -> Seat:
        path = self.folder / (name or role)
        path.mkdir()
        return Seat(path, self.folder, url=self.url(role))

    def add(self, role: str, may: str, project: str | None = None) -> None:
        add_member(self.url("boss"), f"{role}_{self.database}", may, project)

    def ask(self, statement: str, *values: Any, role: str = "boss") -> list[tuple[Any, ...]]:
        """Run a statement as a member."""
        return self.server.run(statement, *values, database=self.database, role=f"{role}_{self.database}")


def squad(server: Server, folder: Path, **rights: str) -> Squad:
    """Found a team whose owner is `boss`, and whose further members have rights in every project."""
    found = Squad(server, server.database(*rights), folder)
    init_team(found.url("boss"))
    for role, may in rights.items():
        found.add(role, may)
    return found
