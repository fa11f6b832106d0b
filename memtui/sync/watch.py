"""Go on syncing: when something changes here, when a database tells of news, and now and then in any case."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass, field

from memtui.errors import MemtuiError, VaultBusyError
from memtui.sync.carrier import Carrier, SyncReport
from memtui.sync.service import carrier_of, sync, teams_of
from memtui.sync.sharing import SyncRequest
from memtui.vault.journal import last_number, made_since
from memtui.vault.lease import signature_of
from memtui.vault.vault import Vault

POLL_SECONDS = 30.0  # How long at most without a look, where nothing tells of news
SLICE_SECONDS = 1.0  # How often the vault is looked at meanwhile


@dataclass(slots=True)
class Watch:
    """Syncs a vault until nobody asks for the next report."""

    vault: Vault
    request: SyncRequest
    poll_seconds: float = POLL_SECONDS
    stop: threading.Event = field(default_factory=threading.Event)  # ends it, at the next look at the vault
    _listeners: list[Carrier] = field(default_factory=list)
    _heard: set[str] = field(default_factory=set)  # ids of the teams that are listened to, as far as they tell of news

    def reports(self) -> Generator[SyncReport | MemtuiError, None, None]:
        """Yield what each sync did, or why it could not."""
        try:
            while not self.stop.is_set():
                self._listen()  # before the sync, so that no news falls between the two
                found, since = self._synced()
                yield found
                before = signature_of(self.vault.path)
                if since is None or not self._was_changed(since):
                    self._wait(before)
        finally:
            self._hang_up()

    def _synced(self) -> tuple[SyncReport | MemtuiError, int | None]:
        """Return what a sync did, or why it could not, and the last change before it where it was looked at."""
        try:
            with self.vault.read() as reader:
                since = last_number(reader)
            return sync(self.vault, self.request), since
        except MemtuiError as error:
            self._hang_up()
            return error, None

    def _was_changed(self, since: int) -> bool:
        """Return whether somebody else made a change after one, while the sync looked at what was there before."""
        with suppress(VaultBusyError), self.vault.read() as reader:
            return bool(made_since(reader, since) - self.vault.made)
        return False

    def _listen(self) -> None:
        """Listen to the teams there are; anew where one was joined or left."""
        teams = teams_of(self.vault, self.request)
        if self._listeners and self._heard == {team.id for team in teams}:
            return
        self._hang_up()
        self._heard = {team.id for team in teams}
        for team in teams:
            carrier = carrier_of(team)
            # Where it cannot be reached, or one more connection is refused, the vault is synced now and then.
            with suppress(MemtuiError):
                if carrier.listen():
                    self._listeners.append(carrier)
                    continue
            carrier.close()

    def _hang_up(self) -> None:
        for carrier in self._listeners:
            carrier.close()
        self._listeners.clear()

    def _wait(self, before: tuple[int, ...]) -> None:
        """Wait until there may be something to do; `before`: the vault's files as they were looked at last."""
        deadline = time.monotonic() + self.poll_seconds
        while time.monotonic() < deadline and signature_of(self.vault.path) == before and not self.stop.is_set():
            try:
                if any(carrier.wait(SLICE_SECONDS) for carrier in self._listeners):
                    return
            except MemtuiError:
                self._hang_up()
            if not self._listeners:
                self.stop.wait(min(SLICE_SECONDS, self.poll_seconds))
