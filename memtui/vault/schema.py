"""The schema version, its migrations, and the settings in the `meta` table: half-lives of kinds among them."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING

from memtui import __version__
from memtui.domain.freshness import LONGEST_HALF_LIFE, SHORTEST_HALF_LIFE
from memtui.errors import VaultTooNewError

if TYPE_CHECKING:
    import duckdb

SCHEMA_VERSION = 5
"""The newest migration; a vault with a higher one is refused."""

HALF_LIFE = "half-life"
"""The journal's entity for a half-life that was applied to a kind."""

_HALF_LIFE = "half_life:"
"""Prefix of the keys of half-lives."""


def stored_version(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the schema version of an open vault, 0 for an empty file."""
    from memtui.vault.engine import duckdb

    try:
        return int(read_meta(connection, "schema_version") or 0)
    except duckdb.CatalogException:
        # Asking for the table first costs 16 ms at every open.
        return 0


def check_not_newer(connection: duckdb.DuckDBPyConnection, where: str) -> int:
    """Return the stored version.

    Raises:
        VaultTooNewError: the vault was written by a newer memtui.
    """
    version = stored_version(connection)
    if version > SCHEMA_VERSION:
        writer = read_meta(connection, "written_by") or "a newer version"
        raise VaultTooNewError(
            f"The vault has schema {version}, written by memtui {writer}; this is memtui {__version__}"
            f" with schema {SCHEMA_VERSION}",
            where=where,
            remedy="Upgrade memtui (pip install -U memtui). The vault was not changed.",
        )
    return version


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Migrate an open vault to the newest schema in one transaction."""
    version = stored_version(connection)
    if version == SCHEMA_VERSION:
        return
    connection.execute("BEGIN")
    create_tables(connection, after=version)
    write_meta(connection, "schema_version", str(SCHEMA_VERSION))
    write_meta(connection, "written_by", __version__)
    connection.execute("COMMIT")


def create_tables(connection: duckdb.DuckDBPyConnection, *, after: int = 0) -> None:
    """Run the migrations after a schema version, by default all, within the running transaction."""
    connection.execute("CREATE TABLE IF NOT EXISTS meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL)")
    for script in _scripts(after):
        connection.execute(script)


def _scripts(after: int) -> list[str]:
    folder = files("memtui.vault") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text(encoding="utf-8") for name in names if int(name[:4]) > after]


def read_meta(connection: duckdb.DuckDBPyConnection, key: str) -> str | None:
    """Return a value of the `meta` table."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
    return None if row is None else str(row[0])


def write_meta(connection: duckdb.DuckDBPyConnection, key: str, value: str) -> None:
    """Set a value of the `meta` table within the running transaction."""
    connection.execute("DELETE FROM meta WHERE key = ?", [key])
    connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])


def stored_half_lives(connection: duckdb.DuckDBPyConnection) -> dict[str, float]:
    """Return the half-lives in days that were applied to kinds; invalid values are left out."""
    found = connection.execute("SELECT key, value FROM meta WHERE starts_with(key, ?)", [_HALF_LIFE]).fetchall()
    half_lives = {str(key).removeprefix(_HALF_LIFE): _days(value) for key, value in found}
    return {kind: days for kind, days in half_lives.items() if days is not None}


def write_half_life(connection: duckdb.DuckDBPyConnection, kind: str, days: float | None) -> None:
    """Set the half-life of a kind within the running transaction; None removes it."""
    connection.execute("DELETE FROM meta WHERE key = ?", [_HALF_LIFE + kind])
    if days is not None:
        connection.execute("INSERT INTO meta VALUES (?, ?)", [_HALF_LIFE + kind, repr(float(days))])


def renamed_key(key: str, rename: Callable[[str], str]) -> str:
    """Return the key of a half-life with its kind or project renamed; other keys are returned as they are."""
    return _HALF_LIFE + rename(key.removeprefix(_HALF_LIFE)) if key.startswith(_HALF_LIFE) else key


def _days(value: str) -> float | None:
    try:
        days = float(value)
    except ValueError:
        return None
    return days if math.isfinite(days) and SHORTEST_HALF_LIFE <= days <= LONGEST_HALF_LIFE else None
