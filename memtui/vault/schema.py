"""The schema version, its migrations, and the `meta` table."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from memtui import __version__
from memtui.errors import VaultTooNewError

if TYPE_CHECKING:
    import duckdb

SCHEMA_VERSION = 5
"""The newest migration; a vault with a higher one is refused."""

_META = "CREATE TABLE IF NOT EXISTS meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL)"


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
            remedy="Upgrade memtui (pip install -U memtui). The vault was not touched.",
        )
    return version


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring an open vault to the newest schema, all migrations in one transaction."""
    version = stored_version(connection)
    if version == SCHEMA_VERSION:
        return
    connection.execute("BEGIN")
    connection.execute(_META)
    for script in _scripts(version):
        connection.execute(script)
    write_meta(connection, "schema_version", str(SCHEMA_VERSION))
    write_meta(connection, "written_by", __version__)
    connection.execute("COMMIT")


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Make every table of the newest schema, empty, within the running transaction."""
    connection.execute(_META)
    for script in _scripts(0):
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
