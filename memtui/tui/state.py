"""What the app remembers between two starts: theme, cursor, filters, sizes. Losing it loses no memory."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from memtui.errors import MemtuiError

_LARGEST_BYTES = 256 * 1024
_MOST_VAULTS = 50


class State:
    """Small values by section: one file for all vaults, each with sections of its own.

    Args:
        path: a JSON file; None remembers nothing beyond this object.
        vault: the vault in use; its values are kept apart from those of others.
    """

    def __init__(self, path: Path | None, vault: Path) -> None:
        self._path = path
        self._vault = str(vault)
        self._values: dict[str, Any] = _read(path) if path is not None else {}

    @property
    def theme(self) -> str:
        """The theme chosen last, empty where none was; the same for all vaults."""
        found = self._values.get("theme", "")
        return found if isinstance(found, str) else ""

    def choose_theme(self, name: str) -> None:
        """Remember a theme."""
        self._values["theme"] = name

    def section(self, name: str) -> dict[str, Any]:
        """Return a copy of what a screen remembered for this vault, empty where that is nothing."""
        vaults = self._values.get("vaults")
        mine = vaults.get(self._vault) if isinstance(vaults, dict) else None
        found = mine.get(name) if isinstance(mine, dict) else None
        return dict(found) if isinstance(found, dict) else {}

    def remember(self, name: str, values: dict[str, Any]) -> None:
        """Keep what a screen wants to find again; values must be of JSON's types."""
        vaults = self._values.get("vaults")
        vaults = vaults if isinstance(vaults, dict) else {}
        mine = vaults.pop(self._vault, None)
        mine = mine if isinstance(mine, dict) else {}
        mine[name] = values
        # The vault used last stands last; the oldest make room.
        vaults[self._vault] = mine
        for oldest in list(vaults)[:-_MOST_VAULTS]:
            del vaults[oldest]
        self._values["vaults"] = vaults

    def save(self) -> None:
        """Write the file; a folder that cannot be written is no reason to trouble anybody."""
        if self._path is None:
            return
        from memtui.publish.files import write_atomically

        with suppress(MemtuiError, OSError, ValueError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(
                self._path, json.dumps(self._values, ensure_ascii=False).encode(), mode=0o600, durable=False
            )


def _read(path: Path) -> dict[str, Any]:
    """Return what a file holds, nothing where it is missing, broken or absurdly large."""
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            return {}
        values = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
