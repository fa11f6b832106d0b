"""Where a server works: the vault, the project in view, and what is kept warm between calls."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtui.config import Config
from memtui.curate.off_switch import Off, memory_off
from memtui.curate.projects import View, view_of
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory
from memtui.errors import MemtuiError, RefusedError
from memtui.pack.targets.base import Target
from memtui.pack.targets.formats import target_named
from memtui.recall.resident import ResidentMeaning
from memtui.recall.semantic import MOST_CAUGHT_UP, has_model
from memtui.vault.filters import Scope
from memtui.vault.lease import signature_of
from memtui.vault.text_search import secrets_in
from memtui.vault.vault import Vault

VIEW_KEPT_SECONDS = 20.0
"""How long the project in view is kept while nobody writes to the vault: finding it asks git, 10 to 30 ms."""

WARM_SECONDS = 4.0
"""How long a question waits for the model while it loads, words alone answer after that: one or two seconds for 11,637
memories, five for 100,000."""

_UNKNOWN_CLIENT = "mcp-client"
_LONGEST_NAME = 60
_ASSISTANTS = ("claude-code", "codex", "gemini", "copilot", "opencode", "cursor", "windsurf", "cline")
"""Assistants by their names elsewhere in memtui; their clients' names hold them: `codex-mcp-client`."""

_TARGETS = {"opencode": "codex"}  # Targets that tell what an assistant reads by itself, if named otherwise

_OFF = {
    Off.INCOGNITO: "this session is incognito (MEMTUI_INCOGNITO)",
    Off.FILE: "the .memtui.toml of this folder switches memories off",
    Off.PROJECT: "a person switched memories off for this project",
}


def assistant_named(client: str) -> str | None:
    """Return the assistant that a client belongs to, None for one that is not known."""
    return next((name for name in _ASSISTANTS if name in client.casefold()), None)


def agent_named(client: str) -> Actor:
    """Return the agent that a client says it is; a client is never taken for a person."""
    known = assistant_named(client)
    name = known or "".join(one for one in client.strip() if one.isprintable())[:_LONGEST_NAME].strip()
    is_claimed = name.casefold() == "person" or name.casefold().startswith("person:")
    return Actor(f"agent {name}"[:_LONGEST_NAME] if is_claimed else name or _UNKNOWN_CLIENT, is_person=False)


def target_for(client: str, config: Config) -> Target:
    """Return what a payload is written for: set apart as data, without what this client reads by itself."""
    form, known = target_named("claude-code", config.targets), assistant_named(client)
    if known is None:
        return replace(form, loads=frozenset())
    own = target_named(_TARGETS.get(known, known), config.targets)
    return replace(form, loads=own.loads, margin=own.margin)


@dataclass(slots=True)
class Place:
    """A vault and a folder, as one server uses them. Threads may share it."""

    vault: Vault
    config: Config
    folder: Path  # where the assistant works; the first root that a client names may replace it
    project: str | None = None  # the project that was named, if any
    before_change: Callable[[], None] = lambda: None  # backs the vault up once a day
    _kept: tuple[object, float, View, Off | None] | None = None
    _meaning: ResidentMeaning | None = None
    _warming: threading.Thread | None = None
    _embedding: threading.Thread | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self) -> tuple[View, Off | None]:
        """Return what is in view, and why nothing may be served or taken here, if so."""
        key, kept = (self.folder, signature_of(self.vault.path)), self._kept
        if kept is not None and kept[0] == key and time.monotonic() - kept[1] < VIEW_KEPT_SECONDS:
            # The person may have written the file a moment ago.
            return kept[2], memory_off(self.folder) or kept[3]
        with self.vault.read() as reader:
            view = view_of(reader, self.folder, self.project)
            off = memory_off(self.folder, reader, named=self.project)
        self._kept = key, time.monotonic(), view, off if off is Off.PROJECT else None
        return view, off

    def open(self) -> View:
        """Return what is in view, where something may be taken or decided. Raises `RefusedError`: nothing may."""
        view, off = self.look()
        if off is not None:
            raise RefusedError(
                "Memories are off here", where=off_words(off), remedy="Only the person can switch them on."
            )
        return view

    @property
    def patterns(self) -> Sequence[tuple[str, str]]:
        """The person's own patterns of secrets."""
        return self.config.secrets.patterns

    def holds_secret(self, memory: Memory) -> bool:
        """Return whether a memory must be withheld because something in it looks like a secret."""
        return self.config.context.secrets != "allow" and bool(secrets_in(memory, self.patterns))

    # -- what is kept warm ------------------------------------------------------------------------

    def meaning(self) -> ResidentMeaning | None:
        """Return model, vectors and postings in memory; loaded by the first question, which waits for them."""
        if not has_model(self.config.embedding.model) or not self.vault.exists:
            return None
        with self._lock:
            if self._meaning is None:
                self._meaning = ResidentMeaning(self.vault, self.config.embedding.model)
                self._warming = threading.Thread(target=self._warm, args=(self._meaning,), name="warm", daemon=True)
                self._warming.start()
            warming, meaning = self._warming, self._meaning
        if warming is not None:
            warming.join(WARM_SECONDS)
        return meaning

    def _warm(self, meaning: ResidentMeaning) -> None:
        try:
            meaning.load()
            # What is loaded stays, and looking through it again and again takes every twentieth call 10 ms.
            gc.collect()
            gc.freeze()
        except MemtuiError:
            return  # words answer alone; the call itself reports a busy or damaged vault
        finally:
            self._warming = None

    def catch_up(self, missing: int) -> None:
        """Embed a few of the memories that have no vector yet, while nobody waits."""
        meaning = self._meaning
        if not missing or meaning is None or self._embedding is not None:
            return

        def tend() -> None:
            try:
                meaning.tend(limit=MOST_CAUGHT_UP)
            except MemtuiError:
                return  # the next question tries again
            finally:
                self._embedding = None

        self._embedding = threading.Thread(target=tend, name="embed", daemon=True)
        self._embedding.start()


def off_words(off: Off) -> str:
    return _OFF[off]


def own_scope(view: View) -> Scope:
    """Return what may reach an assistant: the project in view and `global`, nothing without a project."""
    return Scope(view.payload_scope.projects)
