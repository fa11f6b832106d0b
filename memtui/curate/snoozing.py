"""Snoozing until a file changes: what the files were stands in the verdict, so that undo takes it along."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from memtui.curate.lifecycle import Outcome, apply_to_each, only_person
from memtui.curate.trees import known_trees
from memtui.curate.verdicts import verdict_on
from memtui.domain.actor import Actor
from memtui.domain.freshness import UNTIL_CHANGE
from memtui.domain.memory import Anchor, Memory, Verdict
from memtui.vault.anchor_checks import Tied, forget_woken
from memtui.vault.reading import VaultReader
from memtui.vault.vault import Vault
from memtui.vault.writing import VaultWriter
from memtui.workspace import Tree, file_hash

SNOOZED = "snoozed"
"""The verdict; its reason holds the hash of each file as JSON."""

MOST_FILES = 2_000
"""Files of one folder or glob that are looked at; more take over a second."""

NOT_THERE = ""
"""Stands for the content of a file that is not there: its coming is a change too."""


def snooze_until_change(
    vault: Vault,
    prefixes: Sequence[str],
    *,
    actor: Actor,
    tree: Tree | None = None,
    versions: Mapping[str, int] | None = None,
) -> Outcome:
    """Keep memories out of the review until a file that they are tied to is another than now.

    Memories that are tied to no file, or whose project's folder is not known here, are left alone.

    Args:
        vault: the vault.
        prefixes: ids, or the beginnings of ids.
        actor: a person.
        tree: the working tree one stands in; those of linked projects are found.
        versions: version of each memory when it was chosen; those that moved since are left alone.

    Raises:
        RefusedError: an agent cannot put off what a person should affirm.
    """
    only_person(actor, "snooze")
    with vault.read() as reader:
        trees = known_trees(reader, tree)

    def step(writer: VaultWriter, memory: Memory) -> Memory | str:
        if not memory.anchors:
            return "it is tied to no file"
        where = trees.get(memory.project or "")
        if where is None:
            return "the folder of its project is not known here"
        hashes = content_of(memory.anchors, where, {})
        if not hashes:
            return "none of its files can be looked at"
        forget_woken(writer, [memory.id])
        reason = json.dumps(hashes, ensure_ascii=False, sort_keys=True)
        writer.add_verdicts([verdict_on(memory, SNOOZED, writer.now, actor, reason)])
        return replace(memory, snoozed_until=UNTIL_CHANGE)

    return apply_to_each(vault, prefixes, actor, "snooze", step, versions=versions)


def content_of(anchors: Iterable[Anchor], tree: Tree, hashes: dict[str, str | None]) -> dict[str, str]:
    """Return what the files of anchors hold now, as a hash per path; what lies outside the tree is left out."""
    return {anchor.path: _content(anchor, tree, hashes) for anchor in anchors if tree.state(anchor) != "unverifiable"}


def _content(anchor: Anchor, tree: Tree, hashes: dict[str, str | None]) -> str:
    found = tree.resolve(anchor.path)
    if found is not None and (tree.root / found).is_file():
        if found not in hashes:
            hashes[found] = file_hash(tree.root / found)
        return hashes[found] or NOT_THERE
    if found is None and not anchor.is_glob:
        return NOT_THERE
    together = blake2b(digest_size=16)
    for number, name in enumerate(tree.fitting(anchor.path)):
        if number >= MOST_FILES:
            break
        together.update(f"{name}\0{file_hash(tree.root / name)}\n".encode("utf-8", "replace"))
    return together.hexdigest()


def snoozes_of(reader: VaultReader, waiting: Sequence[Tied]) -> list[Verdict]:
    """Return the last snooze of each memory that waits for a change of a file."""
    last: dict[str, Verdict] = {}
    for verdict in reader.verdicts([memory.id for memory in waiting]) if waiting else ():
        if verdict.verdict == SNOOZED:
            last[verdict.memory_id] = verdict
    return list(last.values())


def woken_of(snoozes: Iterable[Verdict], tree: Tree, hashes: dict[str, str | None]) -> set[str]:
    """Return the memories whose files are others than at their snooze; holds no lease."""
    return {verdict.memory_id for verdict in snoozes if _differs(verdict, tree, hashes)}


def _differs(verdict: Verdict, tree: Tree, hashes: dict[str, str | None]) -> bool:
    try:
        then = dict(json.loads(verdict.reason))
    except (TypeError, ValueError):
        # Nobody knows any more what it waits for: better asked once too often than never.
        return True
    return any(_content(Anchor(str(path)), tree, hashes) != content for path, content in then.items())
