"""Sync in the background while the app is open: after changes, and when the other side has news."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memtui.errors import MemtuiError
from memtui.sync.service import team_states
from memtui.sync.sharing import SyncRequest
from memtui.sync.watch import Watch
from memtui.tui.state import Opening
from memtui.tui.team.view import header_words
from memtui.vault.vault import Vault


def watch_teams(opening: Opening, stop: threading.Event, show: Callable[[str], object]) -> None:
    """Sync until told to stop, or as long as the vault has a team.

    `show`: takes the words for the header, from this thread.
    """
    # Of its own, so that what the team changed is not taken for the person's last change.
    vault = Vault(opening.vault.path, kinds=opening.vault.kinds, now=opening.vault.now)

    def tell(problem: str) -> bool:
        states = team_states(vault, opening.secret_patterns)
        show(header_words(states, vault.now(), problem))
        return bool(states)

    if not vault.exists or not tell(""):
        return
    request = SyncRequest(folder=opening.folder, patterns=tuple(opening.secret_patterns))
    for found in Watch(vault, request, stop=stop).reports():
        if stop.is_set() or not tell(str(found) if isinstance(found, MemtuiError) else ""):
            return
