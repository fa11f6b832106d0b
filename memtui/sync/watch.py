"""Go on syncing: when something changes here, when a database tells of news, and now and then in any case."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass, field

from memtui.errors import MemtuiError
from memtui.sync.carrier import Carrier
from memtui.sync.report import SyncReport
from memtui.sync.service import carrier_of, sync, teams_of
from memtui.sync.sharing import SyncRequest
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

    def reports(self) -> Generator[SyncReport | MemtuiError, None, None]:
        """Yield what each sync did, or why it could not."""
        try:
            while not self.stop.is_set():
                if not self._listeners:
                    self._listen()  # before the sync, so that no news falls between the two
                try:
                    yield sync(self.vault, self.request)
                except MemtuiError as error:
                    self._hang_up()
                    yield error
                self._wait()
        finally:
            self._hang_up()

    def _listen(self) -> None:
        for team in teams_of(self.vault, self.request):
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

    def _wait(self) -> None:
        """Wait until there may be something to do."""
        before = signature_of(self.vault.path)
        deadline = time.monotonic() + self.poll_seconds
        while time.monotonic() < deadline and signature_of(self.vault.path) == before and not self.stop.is_set():
            try:
                if any(carrier.wait(SLICE_SECONDS) for carrier in self._listeners):
                    return
            except MemtuiError:
                self._hang_up()
            if not self._listeners:
                self.stop.wait(min(SLICE_SECONDS, self.poll_seconds))
