"""What was typed into forms when the app was ended from outside: kept beside the vault until the next start."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from memtui.errors import MemtuiError
from memtui.publish.files import write_atomically
from memtui.vault.lease import drafts_file

_LARGEST_BYTES = 64 << 20

Drafts = dict[str, dict[str, str]]  # By the form's key the fields that were changed


def keep_drafts(vault: Path, drafts: Mapping[str, Mapping[str, str]]) -> bool:
    """Write drafts beside the vault, readable for their owner alone; returns whether they are kept.

    A disk that takes nothing more is no reason to stay: whoever ends the app does not wait.
    """
    if not drafts:
        return False
    with suppress(MemtuiError, OSError, ValueError):
        text = json.dumps({key: dict(fields) for key, fields in drafts.items()}, ensure_ascii=False)
        write_atomically(drafts_file(vault), text.encode(errors="surrogatepass"), mode=0o600)
        return True
    return False


def take_drafts(vault: Path) -> Drafts:
    """Return the drafts beside the vault, and remove them; what cannot be read as drafts stays where it is."""
    file = drafts_file(vault)
    try:
        if file.stat().st_size > _LARGEST_BYTES:
            return {}
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    drafts = {key: fields for key, fields in found.items() if _are_texts(fields)}
    with suppress(OSError):
        file.unlink()
    return drafts


def _are_texts(fields: object) -> bool:
    return isinstance(fields, dict) and all(isinstance(text, str) for text in fields.values())
