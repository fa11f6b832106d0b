"""What each session of an assistant was served, so that no memory reaches it twice and none is learned back from it.

One small file per session in the state folder, written whole: a crash leaves the state before or after. It holds ids
and hashes, no text. Sessions are told apart by their own ids alone: Cursor runs Claude Code's hooks too, and one
session must not get two copies.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from memtui.assist.spool import Spool, folder_of, make_folder
from memtui.domain.memory import Memory, content_hash
from memtui.publish.files import write_atomically
from memtui.text.normal_form import normal_form
from memtui.vault.lease import lease

WAIT_SECONDS = 0.5  # How long a session waits for another that is writing; nothing is served where that is in vain
MOST_SERVED = 2_000  # Memories remembered per session
MOST_SESSIONS = 500  # Sessions remembered per vault, the last used
KEPT_DAYS = 30  # Days after its last use until a session is forgotten
_LARGEST_BYTES = 1 << 20
_DAY_SECONDS = 86_400


def short_hash(text: str) -> str:
    """Return the hash by which a text is known again without being kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def text_hash(text: str) -> str:
    """Return the hash of what a text says, whatever its case, marks and spacing."""
    return short_hash(normal_form(text))


@dataclass(slots=True)
class State:
    """What is remembered of one session."""

    served: dict[str, str] = field(default_factory=dict)  # content hash of each memory that was served, by id
    texts: list[str] = field(default_factory=list)  # `text_hash` of their titles and insights
    files: list[str] = field(default_factory=list)  # `short_hash` of the files that were asked about
    events: dict[str, int] = field(default_factory=dict)  # how often each kind of event came, by name
    met: list[str] = field(default_factory=list)  # ids of the lessons whose file or task came up after them
    ruled: list[str] = field(default_factory=list)  # ids of what was served that carries rules
    tokens: int = 0  # tokens that were served
    assistant: str = ""  # whose session it is

    def has(self, memory: Memory) -> bool:
        """Return whether a memory was served, under this id or with these words under another."""
        return memory.id in self.served or content_hash(memory) in self.served.values()

    def knows_text(self, text: str) -> bool:
        """Return whether a text says what the session was served: it was not learned in it."""
        return text_hash(text) in self.texts


class Session:
    """One session of an assistant with one vault.

    Attributes:
        id: the assistant's own name of the session.
        assistant: which assistant it is.
    """

    def __init__(self, vault: Path, session: str, assistant: str) -> None:
        self.id = session
        self.assistant = assistant
        self.spool = Spool(vault)
        self._folder = folder_of(vault) / "sessions"
        self._path = self._folder / f"{short_hash(session)}.json"

    def state(self) -> State:
        """Return what is remembered now; nothing where the file is missing or broken."""
        return _read(self._path)

    def claim(
        self,
        memories: Sequence[Memory],
        *,
        event: str,  # what they are served for, in the assistant's own word
        at: datetime,
        tokens: int = 0,  # of the text that is served, all memories together
        project: str | None = None,
        subjects: Sequence[str] = (),  # `short_hash` of each file that called for them
        lessons: Sequence[Memory] = (),  # lessons that the event is about, whether they were served now or before
    ) -> list[Memory]:
        """Mark memories as served and spool that they were; returns those that nobody served meanwhile.

        Call it before the text goes out, and serve what is returned: two hooks of one session may run at once.

        Raises `MemtuiError` or `OSError`: it could not be kept, so that nothing must be served.
        """
        with self._locked():
            state = self.state()
            state.assistant = self.assistant
            fresh = [memory for memory in memories if not state.has(memory)]
            state.events[event] = state.events.get(event, 0) + 1
            for memory in fresh:
                state.served[memory.id] = content_hash(memory)
                state.ruled += [memory.id] if memory.rules else []
                state.texts += [text_hash(memory.title), text_hash(memory.insight)]
            if fresh:
                state.tokens += tokens
            met = [one.id for one in lessons if one.id in state.served and one.id not in state.met]
            state.met += met
            state.files += [one for one in dict.fromkeys(subjects) if one not in state.files]
            self._write(state)
        served = {"memories": [memory.id for memory in fresh], "tokens": tokens if fresh else 0, "repeats": len(met)}
        place = {
            "assistant": self.assistant,
            "session": short_hash(self.id),
            "project": project,
            "subjects": list(subjects),
        }
        self.spool.append({"kind": "served", "event": event, "at": at.isoformat(), **place, **served})
        return fresh

    def begin_anew(self) -> None:
        """Forget what was served: the assistant cleared or compacted its context, and the texts are gone from it."""
        with self._locked():
            state = self.state()
            self._write(State(texts=state.texts, tokens=state.tokens))

    def _locked(self) -> Any:
        make_folder(self._folder)
        return lease(self._folder / "all", exclusive=True, wait_seconds=WAIT_SECONDS)

    def _write(self, state: State) -> None:
        state.served = dict(list(state.served.items())[-MOST_SERVED:])
        state.texts, state.files = state.texts[-2 * MOST_SERVED :], state.files[-MOST_SERVED:]
        state.met, state.ruled = state.met[-MOST_SERVED:], state.ruled[-MOST_SERVED:]
        is_new = not self._path.exists()
        values = {one.name: getattr(state, one.name) for one in fields(State)}  # `asdict` would copy all of it
        data = json.dumps({"v": 1, **values}, separators=(",", ":")).encode()
        write_atomically(self._path, data, mode=0o600, durable=False)
        if is_new:
            _forget_old(self._folder)


def _read(path: Path) -> State:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            return State()
        values = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return State()
    state = State()
    for name in fields(State):
        value = values.get(name.name) if isinstance(values, dict) else None
        if type(value) is type(getattr(state, name.name)):
            setattr(state, name.name, value)
    state.served = {str(one): str(known) for one, known in state.served.items()}
    for names in (state.texts, state.files, state.met, state.ruled):
        names[:] = map(str, names)
    events: dict[str, object] = dict(state.events)
    state.events = {name: number for name, number in events.items() if isinstance(number, int)}
    return state


def _forget_old(folder: Path) -> None:
    """Remove sessions that were not used for long, and the oldest where there are too many."""
    used: list[tuple[float, Path]] = []
    for path in folder.glob("*.json"):
        with suppress(OSError):
            used.append((path.stat().st_mtime, path))
    used.sort(reverse=True)
    oldest = time.time() - KEPT_DAYS * _DAY_SECONDS
    for place, (at, path) in enumerate(used):
        if at < oldest or place >= MOST_SESSIONS:
            with suppress(OSError):
                path.unlink()


@dataclass(frozen=True, slots=True)
class Used:
    """What one session asked for and got."""

    assistant: str
    at: datetime  # when it asked last
    memories: tuple[str, ...]  # ids, in the order in which they were served
    tokens: int
    events: Mapping[str, int]  # how often each kind of event came


def sessions_of(vault: Path) -> list[Used]:
    """Return the sessions that are remembered of a vault, the last used first."""
    found = []
    for path in (folder_of(vault) / "sessions").glob("*.json"):
        with suppress(OSError):
            at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            state = _read(path)
            found.append(Used(state.assistant, at, tuple(state.served), state.tokens, state.events))
    return sorted(found, key=lambda one: one.at, reverse=True)
