"""Scan every field of the vault that can contain free text for secrets."""

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
"""The user's own rules as (name, regular expression)."""


@lru_cache(maxsize=32)
def text_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields of a dataclass that can contain free text, directly or nested."""
    return tuple(
        field.name
        for field in fields(kind)
        if field.name not in MACHINE_KEYS and any(word in str(field.type) for word in _HOLDERS)
    )


_HOLDERS = ("str", "tuple", "list", "Sequence", "Mapping", "Record", "Anchor", "Source", "Memory", "Any")


def texts_in(thing: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield (field, text) for every free text in a thing of the vault, or in its record.

    Args:
        thing: a text, a memory, link, verdict or signal, a pack, a recipe, a portable record, or a list of these.
        name: field name of a bare text.
    """
    waiting: list[tuple[str, Any]] = [(name, thing)]
    while waiting:
        name, thing = waiting.pop()
        if isinstance(thing, str):
            yield name, thing
        else:
            waiting += [(field, part) for field, part in reversed(_parts(name, thing)) if part]


def _parts(name: str, thing: Any) -> list[tuple[str, Any]]:
    """Return the parts of a thing that can contain free text, each with the name of its field."""
    if isinstance(thing, Mapping):
        return [(key, part) for key, part in thing.items() if key not in MACHINE_KEYS]
    if isinstance(thing, list | tuple):
        return [(name, part) for part in thing]
    if is_dataclass(thing):
        # The texts of an anchor or a source go by the name of the field that contains it.
        return [(name or field, getattr(thing, field)) for field in text_fields(thing.__class__)]
    return []


def secrets_in(thing: Any, patterns: Patterns = (), *, unless_in: Any = None) -> dict[str, list[str]]:
    """Return the names of the rules that found a secret, by field; never the value.

    Args:
        patterns: the user's own rules.
        unless_in: texts in here were stored before with the user's consent.
    """
    known = {text for _, text in texts_in(unless_in)} if unless_in is not None else set()
    texts = [(field, text) for field, text in texts_in(thing) if text not in known]
    # Nearly always there is none, and one scan of all texts is several times faster than one of each.
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


def refuse_secrets_in(thing: Any, patterns: Patterns = (), *, what: str = "text", unless_in: Any = None) -> None:
    """Refuse a thing with something that looks like a secret, without echoing it; arguments as for `secrets_in`.

    Args:
        what: field name of a bare text.

    Raises:
        SecretRefusedError: names the field and the rules that matched.
    """
    found = secrets_in(thing, patterns, unless_in=unless_in)
    if found:
        field, rules = next(iter(found.items()))
        raise SecretRefusedError(
            "The text contains what looks like a secret",
            where=f"{field or what}: {', '.join(rules)}",
            remedy="Nothing was stored. Remove it, or use --allow-secret if it is not a secret.",
        )


def without_values(text: str, patterns: Patterns = ()) -> str:
    """Return a text in which each value that looks like a secret is replaced by the name of its rule."""
    return redact(text, [found for found in find_secrets(text, patterns) if found.severity == "secret"])


def masked(memory: Memory, patterns: Patterns = ()) -> Memory:
    """Return a memory whose payload shows no value that looks like a secret or an example from documentation."""

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
    """Return the parts of a memory that a payload shows, by field."""
    return {name: getattr(memory, name) for name in ("title", "insight", "rationale", "snippet", "anchors")}
