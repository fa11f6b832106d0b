"""Who acts: a person, or an agent by name. Agents propose; they do not alter what a person vouched for."""

from __future__ import annotations

import os
from dataclasses import dataclass

from memtui.domain.memory import Memory
from memtui.errors import RefusedError, UsageError

PERSON = "person"
"""The default name of the person at the keyboard."""

_PERSON_PREFIX = "person:"
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Actor:
    """A person or an agent.

    Attributes:
        name: stored in the journal and in `confirmed_by`.
        is_person: False for an agent.
    """

    name: str = PERSON
    is_person: bool = True

    @property
    def origin(self) -> str:
        """What links store as their origin: `person`, or the name of the agent."""
        return PERSON if self.is_person else self.name


def parse_actor(name: str | None) -> Actor:
    """Return the actor of `--actor`, else of `MEMTUI_ACTOR`, else the person at the keyboard.

    A given name is an agent's, unless it is `person` or begins with `person:`.

    Raises:
        UsageError: the name is empty, long, or not printable.
    """
    chosen = name if name is not None else os.environ.get("MEMTUI_ACTOR") or None
    if chosen is None:
        return Actor()
    cleaned = chosen.strip()
    if not cleaned or len(cleaned) > _LONGEST_NAME or not cleaned.isprintable():
        raise UsageError(
            "An actor's name is 1 to 60 printable characters",
            where=repr(chosen[:80]),
            remedy="Name the agent, e.g. --actor claude-code, or leave it out.",
        )
    if cleaned == PERSON:
        return Actor()
    if cleaned.startswith(_PERSON_PREFIX):
        return Actor(cleaned.removeprefix(_PERSON_PREFIX).strip() or PERSON)
    return Actor(cleaned, is_person=False)


def require_person(actor: Actor, act: str) -> None:
    """Let only a person go on; `act` is the verb phrase of the message.

    Raises:
        RefusedError: an agent asks.
    """
    if not actor.is_person:
        raise RefusedError(
            f"Only a person can {act}", where=f"actor {actor.name}", remedy="An agent proposes; a person decides."
        )


def check_may_alter(actor: Actor, memory: Memory) -> None:
    """Let a person alter anything, an agent only what no person accepted, verified or pinned.

    What an agent writes over an accepted memory would reach payloads unread.

    Raises:
        RefusedError: an agent would alter what a person vouched for.
    """
    if actor.is_person or not (memory.pinned or memory.verified_at or memory.confirmed_at):
        return
    state = "pinned" if memory.pinned else "verified" if memory.verified_at else "accepted"
    raise RefusedError(
        f"An agent may not alter what a person {state}",
        where=f"{memory.id} ({memory.title[:60]})",
        remedy="Propose a new memory instead: `memtui add … --supersedes ID`.",
    )
