"""Scan every field of the vault that may hold free text for secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any

from memtui.domain.memory import Anchor, Memory
from memtui.errors import SecretRefusedError
from memtui.text.secrets import SecretFinding, find_secrets, redact
from memtui.vault.rows import MACHINE_KEYS

Patterns = Sequence[tuple[str, str]]
"""A person's own rules as (name, regular expression)."""

PAYLOAD_FIELDS = ("title", "insight", "rationale", "snippet", "anchors")
"""What of a memory a payload shows."""


@lru_cache(maxsize=32)
def text_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields of a dataclass that may hold free text, by themselves or within."""
    return tuple(
        field.name
        for field in fields(kind)
        if field.name not in MACHINE_KEYS and any(word in str(field.type) for word in _HOLDERS)
    )


_HOLDERS = ("str", "tuple", "list", "Sequence", "Mapping", "Record", "Anchor", "Source", "Memory", "Any")


def texts_in(thing: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield (field, text) of everything in a thing of the vault, or in its record, that may hold free text.

    Args:
        thing: a text, a memory or what hangs on one, a pack, a recipe, a portable record, or a list of these.
        name: how to call a bare text.
    """
    waiting: list[tuple[str, Any]] = [(name, thing)]
    while waiting:
        name, thing = waiting.pop()
        if isinstance(thing, str):
            yield name, thing
        elif isinstance(thing, dict):
            waiting += [(key, part) for key, part in reversed(thing.items()) if part and key not in MACHINE_KEYS]
        elif isinstance(thing, list | tuple):
            waiting += [(name, part) for part in reversed(thing) if part]
        elif is_dataclass(thing):
            # What an anchor or a source holds is told by the name of the field that holds it.
            names = text_fields(thing.__class__)
            held = [(name or field, getattr(thing, field)) for field in reversed(names)]
            waiting += [(field, part) for field, part in held if part]
        elif isinstance(thing, Mapping):
            waiting.append((name, dict(thing)))


def secrets_in(thing: Any, patterns: Patterns = (), *, unless_in: Any = None) -> dict[str, list[str]]:
    """Return the names of the rules that found a secret, by field; never the value.

    Args:
        patterns: a person's own rules.
        unless_in: texts that this holds were stored before with the person's leave.
    """
    known = {text for _, text in texts_in(unless_in)} if unless_in is not None else set()
    texts = [(field, text) for field, text in texts_in(thing) if text not in known]
    # Nearly always there is none, and looking once through all is several times faster than through each.
    together = _rules(find_secrets("\n".join(text for _, text in texts), patterns))
    if not together:
        return {}
    found: dict[str, list[str]] = {}
    for field, text in texts:
        rules = _rules(find_secrets(text, patterns))
        if rules:
            found[field] = list(dict.fromkeys([*found.get(field, []), *rules]))
    return found or {"texts together": together}


def _rules(findings: Iterable[SecretFinding]) -> list[str]:
    return list(dict.fromkeys(finding.rule for finding in findings if finding.severity == "secret"))


def refuse_secrets_in(
    thing: Any, patterns: Patterns = (), *, what: str = "text", unless_in: Any = None, remedy: str = ""
) -> None:
    """Refuse what holds something that looks like a secret, without ever echoing it.

    Args:
        patterns: a person's own rules.
        what: how to call a bare text.
        unless_in: texts that this holds were stored before with the person's leave.
        remedy: what to do about it.

    Raises:
        SecretRefusedError: names the field and the rules that matched.
    """
    found = secrets_in(thing, patterns, unless_in=unless_in)
    if found:
        field, rules = next(iter(found.items()))
        raise SecretRefusedError(
            "The text holds what looks like a secret",
            where=f"{field or what}: {', '.join(rules)}",
            remedy=remedy or "Nothing was stored. Take it out, or say --allow-secret if it is none.",
        )


def without_values(text: str, patterns: Patterns = ()) -> str:
    """Return a text in which each value that looks like a secret is named by its rule."""
    return redact(text, [found for found in find_secrets(text, patterns) if found.severity == "secret"])


def masked(memory: Memory, patterns: Patterns = ()) -> Memory:
    """Return a memory whose payload shows no value that looks like a secret, nor the examples of documentations."""

    def hidden(text: str) -> str:
        return redact(text, find_secrets(text, patterns))

    return replace(
        memory,
        title=hidden(memory.title),
        insight=hidden(memory.insight),
        rationale=hidden(memory.rationale),
        snippet=hidden(memory.snippet),
        anchors=tuple(Anchor(hidden(one.path), one.content_hash) for one in memory.anchors),
    )


def payload_texts(memory: Memory) -> dict[str, Any]:
    """Return what of a memory a payload shows, by field."""
    return {name: getattr(memory, name) for name in PAYLOAD_FIELDS}
