"""Export memories as JSONL or as a portable vault."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from memtui.domain.kinds import split_project
from memtui.errors import SecretRefusedError, UnsafePathError, UsageError
from memtui.publish.files import write_atomically
from memtui.publish.jsonl import Snapshot, jsonl_text
from memtui.text.width import some_of
from memtui.vault.filters import MemoryFilter, Scope
from memtui.vault.packs import read_recipes
from memtui.vault.secret_scan import Patterns, secrets_in, without_values
from memtui.vault.vault import Vault

TARGETS = ("vault", "jsonl")

_NAMED = 5
"""Memories that a refusal names."""


def take_snapshot(vault: Vault, scope: Scope) -> Snapshot:
    """Read the memories of a scope, of any status, with everything attached to them."""
    with vault.read() as reader:
        memories = reader.select(MemoryFilter(scope=scope, statuses=None), sort="created", now=vault.now())
        ids = [memory.id for memory in memories]
        wanted = None if scope.is_everything else ids
        stones = reader.tombstones()
        known = set(ids)
        if scope.projects is not None:
            stones = [stone for stone in stones if stone.memory_id in known or stone.project in scope.projects]
        return Snapshot(
            memories,
            reader.links(wanted),
            reader.verdicts(wanted),
            reader.signals(wanted),
            stones,
            gone=frozenset(reader.ids_gone()),
            half_lives={
                name: days
                for name, days in reader.half_lives().items()
                if scope.is_everything or split_project(name)[1] in (scope.projects or ())
            },
            recipes=[recipe for recipe in read_recipes(reader) if _is_in(scope, recipe.project)],
        )


def _is_in(scope: Scope, project: str | None) -> bool:
    """Return whether something that belongs to a project, or to none, is in a scope."""
    return scope.projects is None or (scope.with_unassigned if project is None else project in scope.projects)


def holding_secrets(snapshot: Snapshot, patterns: Patterns = ()) -> dict[str, list[str]]:
    """Return the fields that hold apparent secrets: of memories by id, with what is attached, and of recipes."""
    reasoned = (thing for things in (snapshot.verdicts, snapshot.signals, snapshot.tombstones) for thing in things)
    candidates: Iterator[tuple[str, object]] = chain(
        ((memory.id, memory) for memory in snapshot.memories),
        ((thing.memory_id, thing) for thing in reasoned if thing.reason),
        ((f"recipe {without_values(recipe.name, patterns)}", recipe) for recipe in snapshot.recipes),
    )
    found: dict[str, list[str]] = {}
    for key, thing in candidates:
        if fields := secrets_in(thing, patterns):
            found.setdefault(key, []).extend(fields)
    return found


def refuse_secrets(snapshot: Snapshot, patterns: Patterns = ()) -> None:
    """Refuse to export what looks like a secret: an export is made to be passed on.

    Raises:
        SecretRefusedError: names the memories or recipes and the fields, never the value.
    """
    found = holding_secrets(snapshot, patterns)
    if found:
        named = [f"{key} ({', '.join(dict.fromkeys(fields))})" for key, fields in found.items()]
        raise SecretRefusedError(
            f"{len(found)} of the memories{' and recipes' if snapshot.recipes else ''} hold what looks like a secret",
            where=some_of(named, _NAMED),
            remedy="Nothing was written. Take it out with `memtui edit` or `memtui purge`, or say --allow-secret.",
        )


def export_jsonl(snapshot: Snapshot, path: Path) -> int:
    """Write a JSONL file atomically; returns its size in bytes.

    Raises:
        UnsafePathError: the path is a folder.
        UsageError: its folder does not exist.
    """
    if path.is_dir():
        raise UnsafePathError("The target is a folder", where=str(path), remedy="Name a file: --out memories.jsonl.")
    if not path.parent.is_dir():
        raise UsageError("The folder does not exist", where=str(path.parent))
    if path.is_symlink() or (path.exists() and not _is_jsonl(path)):
        raise UnsafePathError(
            "The file is not JSONL",
            where=str(path),
            remedy="Choose a new name, or move it away first.",
        )
    data = jsonl_text(snapshot).encode("utf-8")
    write_atomically(path, data)
    return len(data)


def _is_jsonl(path: Path) -> bool:
    """Return whether a file that an export would replace is empty or looks like JSONL."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(1) in {b"", b"{"}
