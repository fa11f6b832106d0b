"""What of a recall may go into a payload: no secret, and what waits in the inbox only if asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from memtui.domain.memory import Memory
from memtui.errors import UsageError
from memtui.recall.result import Hit, Recall, Withheld, order_key
from memtui.recall.score import Part
from memtui.recall.withholding import UNCONFIRMED, Reason
from memtui.vault.vault import Vault

SecretChoice = Literal["withhold", "mask", "allow"]
SECRET_CHOICES: tuple[SecretChoice, ...] = ("withhold", "mask", "allow")
"""What a person may choose for memories that hold what looks like a secret."""

SECRET_WORDS: Mapping[str, str] = {
    "withhold": "such a memory stays out",
    "mask": "it goes in, with the secret masked",
    "allow": "it goes in as it is",
}
"""What each choice means, for people."""

SECRET = "secret"  # noqa: S105 - the group of a reason

Patterns = Sequence[tuple[str, str]]


def without_secrets(found: Recall, choice: str, patterns: Patterns = ()) -> Recall:
    """Return a recall in which no memory holds what looks like a secret: withheld, masked, or allowed after all.

    Args:
        found: the recall.
        choice: one of `SECRET_CHOICES`.
        patterns: a person's own rules as (name, regular expression).

    Raises:
        UsageError: the choice is none.
    """
    if choice not in SECRET_CHOICES:
        raise UsageError("Unknown choice for secrets", where=choice[:60], remedy=f"One of {', '.join(SECRET_CHOICES)}.")
    if choice == "allow":
        return found
    secrets = {
        hit.memory.id: names
        for hit in (*found.put_in, *found.pins, *found.hits)
        if (names := _secrets_in(hit.memory, patterns))
    }
    if not secrets:
        return found
    if choice == "mask":
        found = _changed(found, lambda hits: tuple(_without_values(hit, secrets, patterns) for hit in hits))
        # What only the fields together give away, no field holds: then the memory stays out after all.
        secrets = {
            identifier: names for identifier, names in secrets.items() if _still_told(found, identifier, patterns)
        }
        if not secrets:
            return found
    told = [
        Reason(f"secret ({', '.join(secrets[hit.memory.id])})", SECRET).of(hit.memory, hit.relevance)
        for hit in (*found.put_in, *found.pins, *found.hits)
        if hit.memory.id in secrets
    ]
    less = _changed(found, lambda hits: tuple(hit for hit in hits if hit.memory.id not in secrets))
    return replace(
        less,
        withheld=(*told, *less.withheld),
        abstained=less.abstained
        or (None if less.hits or less.put_in else "all that is relevant holds what looks like a secret"),
    )


def with_unconfirmed(vault: Vault, found: Recall) -> Recall:
    """Return a recall with the memories that match the task and wait in the inbox, each said to be unconfirmed.

    They rank by their nearness to the task, since nothing else is known of them.
    """
    waiting = {one.id: one for one in found.withheld if one.group == UNCONFIRMED}
    if not waiting:
        return found
    with vault.read() as reader:
        memories = reader.get_many(waiting)
    fresh = [_unconfirmed(memory, waiting[memory.id]) for memory in memories.values()]
    return replace(
        found,
        hits=tuple(sorted((*found.hits, *fresh), key=order_key)),
        withheld=tuple(one for one in found.withheld if one.id not in memories),
    )


def _unconfirmed(memory: Memory, one: Withheld) -> Hit:
    part = Part("nearness", one.nearness, one.reason, "term")
    return Hit(memory, one.nearness, one.nearness, (part,), "not confirmed, asked for")


def _changed(found: Recall, change: Callable[[tuple[Hit, ...]], tuple[Hit, ...]]) -> Recall:
    return replace(found, put_in=change(found.put_in), pins=change(found.pins), hits=change(found.hits))


def _without_values(hit: Hit, secrets: Mapping[str, list[str]], patterns: Patterns) -> Hit:
    return replace(hit, memory=_masked(hit.memory, patterns)) if hit.memory.id in secrets else hit


def _still_told(found: Recall, identifier: str, patterns: Patterns) -> bool:
    hits = (*found.put_in, *found.pins, *found.hits)
    return any(_secrets_in(hit.memory, patterns) for hit in hits if hit.memory.id == identifier)


def _secrets_in(memory: Memory, patterns: Patterns) -> list[str]:
    """Return the names of the rules that found something."""
    from memtui.vault.secrecy import payload_texts, texts_in

    texts = [text for _, text in texts_in(payload_texts(memory))]
    return list(_rules_for("\n".join(texts), tuple(patterns)))


# While a person changes budget or target the same memories are looked at again and again: 0.2 ms each.
@lru_cache(maxsize=512)
def _rules_for(text: str, patterns: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    from memtui.text.secrets import find_secrets

    return tuple(sorted({one.rule for one in find_secrets(text, patterns) if one.severity == "secret"}))


def _masked(memory: Memory, patterns: Patterns) -> Memory:
    from memtui.vault.secrecy import masked

    return masked(memory, patterns)
