"""Settings of imported files that memtui has no place for, kept so that an export writes them back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memtui.vault.reader import VaultReader
from memtui.vault.rows import among
from memtui.vault.writer import VaultWriter


def foreign_keys(reader: VaultReader, identifiers: Iterable[str], form: str) -> dict[str, dict[str, Any]]:
    """Return the settings that files of a format stated beside each memory, by id."""
    condition, parameters = among("memory_id", identifiers)
    found = reader.connection.execute(
        f"SELECT memory_id, keys FROM foreign_keys WHERE format = ? AND {condition}", [form, *parameters]
    ).fetchall()
    return {str(identifier): _loaded(keys) for identifier, keys in found}


def _loaded(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def put_foreign_keys(writer: VaultWriter, found: Mapping[str, Mapping[str, Any]], form: str) -> None:
    """Store the settings of memories' files in place of those known."""
    known = foreign_keys(writer, found, form)
    fresh = {identifier: keys for identifier, keys in found.items() if dict(keys) != known.get(identifier)}
    for identifier in sorted(fresh):
        writer.connection.execute("DELETE FROM foreign_keys WHERE memory_id = ? AND format = ?", [identifier, form])
    if fresh:
        writer.insert_unjournaled(
            "foreign_keys",
            (
                {"memory_id": identifier, "format": form, "keys": json.dumps(dict(keys), ensure_ascii=False)}
                for identifier, keys in fresh.items()
            ),
        )
