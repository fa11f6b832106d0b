"""A memory as people see it: the record with derived values, text to paste, its place, and counts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memtui.domain.freshness import REVIEW_THRESHOLD, due_at, freshness, usefulness
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Anchor, AnchorState, Link, Memory, Signal, content_hash
from memtui.domain.record import format_time
from memtui.errors import NotFoundError
from memtui.pack.targets.markdown import said_apart
from memtui.regular_files import read_regular
from memtui.text.sanitize import one_line, sanitise
from memtui.tree import Tree, states_now
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.reader import SourceState, VaultReader
from memtui.vault.review_triggers import AskedSince, asked_since
from memtui.vault.source_texts import Texts, imported_texts, is_unstated
from memtui.vault.vault import Vault


def count_vault(vault: Vault, scope: Scope, *, threshold: float = REVIEW_THRESHOLD) -> dict[str, Any]:
    """Return counts for a scope: active, inbox, due, pinned, and per kind, status and project."""
    now = vault.now()
    with vault.read() as reader:
        per_project = reader.counts_by("project", MemoryFilter(scope=EVERYTHING, statuses=("active",)))
        return {
            "active": reader.count(MemoryFilter(scope=scope)),
            "inbox": reader.count(MemoryFilter(scope=scope, statuses=("candidate",))),
            "due": reader.count(MemoryFilter(scope=scope, stale_at=now, threshold=threshold)),
            "pinned": reader.count(MemoryFilter(scope=scope, pinned=True)),
            "by_kind": reader.counts_by("kind", MemoryFilter(scope=scope)),
            "by_status": reader.counts_by("status", MemoryFilter(scope=scope, statuses=None)),
            "by_project": {name or "unassigned": number for name, number in per_project.items()},
        }


MOST_READ_BYTES = 2 << 20  # Bytes of a file that are searched for a symbol

_FENCE = re.compile(r"`{3,}")


def memory_text(memories: Sequence[Memory]) -> str:
    """Return memories as plain text to paste: title, insight, rationale, snippet in a fence; no control characters."""
    return "\n---\n\n".join(_text(memory) for memory in memories)


def _text(memory: Memory) -> str:
    parts = [said_apart(memory.title, memory.insight), memory.insight]
    if memory.rationale:
        parts.append(f"Why: {memory.rationale}")
    if memory.snippet:
        longest = max((len(run) for run in _FENCE.findall(memory.snippet)), default=2)
        fence = "`" * (longest + 1)
        parts.append(f"{fence}\n{memory.snippet.rstrip()}\n{fence}")
    if memory.anchors:
        parts.append("Files: " + ", ".join(anchor.path for anchor in memory.anchors))
    return sanitise("\n\n".join(filter(None, dict.fromkeys(part.strip("\n") for part in parts)))).text + "\n"


ENCODING = "o200k_base"


def tokens_of(memories: Iterable[Memory]) -> int:
    """Return the tokens of the memories' texts (o200k_base)."""
    texts = ["\n".join(filter(None, texts_of(memory))) for memory in memories]
    if not texts:
        return 0
    from memtui.text.token_count import get_counter

    return sum(map(get_counter(ENCODING).count, texts))


def texts_of(memory: Memory) -> tuple[str, str, str, str]:
    """Return title, insight, rationale and snippet of a memory."""
    return (memory.title, memory.insight, memory.rationale, memory.snippet)


def place_of(memory: Memory, root: Path | None) -> tuple[Path, int]:
    """Return the file and line (from 1) that a memory came from; else those of its first existing file.

    `root`: the folder that its paths are relative to, None where that is not known.

    Raises `NotFoundError`: there is no such file.
    """
    for source in memory.sources:
        path = _existing(source.path, root) if source.path else None
        if path is not None:
            return path, source.span[0] if source.span else 1
    for anchor in memory.anchors:
        plain, _, symbol = anchor.path.partition("::")
        path = None if Anchor(plain).is_glob else _existing(plain, root)
        if path is not None:
            return path, _line_of(path, symbol)
    raise NotFoundError(_why_nowhere(memory, root), remedy="`memtui show ID` prints the text.")


def _existing(given: str, root: Path | None) -> Path | None:
    """Return the absolute path of an existing file, None for anything else."""
    path = Path(given).expanduser() if given.startswith("~") else Path(given)
    if not path.is_absolute():
        if root is None:
            return None
        path = root / path
    try:
        return path if os.path.isfile(path) else None  # noqa: PTH113 - Path.is_file raises for impossible names
    except ValueError:
        return None


def _line_of(path: Path, symbol: str) -> int:
    """Return the first line that names a symbol, 1 where none does."""
    if not symbol:
        return 1
    word = re.compile(rf"(?<!\w){re.escape(symbol.rsplit('.', 1)[-1])}(?!\w)")
    try:
        text = read_regular(path, MOST_READ_BYTES).decode("utf-8", "replace")
    except OSError:
        return 1
    return next((number for number, line in enumerate(text.split("\n"), 1) if word.search(line)), 1)


def _why_nowhere(memory: Memory, root: Path | None) -> str:
    paths = [source.path for source in memory.sources if source.path] + [anchor.path for anchor in memory.anchors]
    if not paths:
        return "It was typed here and is not tied to a file"
    first = one_line(paths[0])[:80]
    if root is None and not Path(paths[0]).is_absolute():
        return f"{first} belongs to a project whose folder is not known here"
    return f"{first} does not exist"


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A memory with its derived values and relations."""

    memory: Memory
    tier: str
    freshness: float
    usefulness: float
    due_at: datetime | None
    anchor_states: dict[str, AnchorState]
    links: tuple[Link, ...]
    source_says_this: bool  # whether its source still says what was changed or retired here
    # whether its sources say nothing of it any longer, as of the last import
    is_dropped: bool = False
    # commits that its rules stopped, and exceptions that somebody made, since it was last verified
    at_commits: tuple[Signal, ...] = ()
    signals: tuple[str, ...] = ()  # types of all its signals


def view_memories(
    reader: VaultReader, memories: Sequence[Memory], *, now: datetime, threshold: float = REVIEW_THRESHOLD
) -> list[MemoryView]:
    """Return views of memories, in their order."""
    wanted = [memory.id for memory in memories]
    asked = asked_since(reader, identifiers=wanted) if wanted else {}
    links: dict[str, list[Link]] = {}
    for link in reader.links(wanted):
        for end in {link.from_id, link.to_id}:
            links.setdefault(end, []).append(link)
    signals: dict[str, list[Signal]] = {}
    for signal in reader.signals(wanted):
        signals.setdefault(signal.memory_id, []).append(signal)
    states: dict[str, dict[str, AnchorState]] = {}
    for (owner, path), anchor_state in reader.anchor_states(wanted).items():
        states.setdefault(owner, {})[path] = anchor_state
    seen = by_memory(reader.source_states(wanted))
    stated = stated_otherwise(reader, memories, seen)
    return [
        MemoryView(
            memory=memory,
            tier=reader.kinds.get(memory.kind).tier,
            freshness=freshness(memory, now, reader.kinds),
            usefulness=usefulness(signals.get(memory.id, ()), now, reader.kinds.hurt_weight),
            due_at=_due_of(memory, reader.kinds, threshold, asked.get(memory.id)),
            anchor_states=states.get(memory.id, {}),
            links=tuple(links.get(memory.id, ())),
            source_says_this=source_says_this(memory, seen.get(memory.id, ()), stated.get(memory.id)),
            is_dropped=is_unstated(memory, seen.get(memory.id, ())),
            at_commits=tuple(_at_commits(memory, signals.get(memory.id, ()))),
            signals=tuple(signal.signal for signal in signals.get(memory.id, ())),
        )
        for memory in memories
    ]


_AT_COMMITS = frozenset({"stopped", "allowed"})


def _at_commits(memory: Memory, signals: Iterable[Signal]) -> Iterator[Signal]:
    for signal in signals:
        if signal.signal in _AT_COMMITS and (memory.verified_at is None or signal.at >= memory.verified_at):
            yield signal


def _due_of(memory: Memory, kinds: Kinds, threshold: float, asked: AskedSince | None) -> datetime | None:
    """Return when a memory becomes due for review, for whatever reason; None if no day is known."""
    if asked is None:
        return due_at(memory, kinds, threshold)
    return due_at(memory, kinds, threshold, asked_at=asked.asked_at, woken_at=asked.woken_at)


_OUT_OF_USE = frozenset({"retired", "superseded", "merged"})


def source_says_this(memory: Memory, seen: Iterable[SourceState], stated: Texts | None) -> bool:
    """Return whether a source still says what was edited, retired or replaced here since the import.

    What was only added here, such as why it holds, the source never said; nor is a rejected one held against it.

    `stated`: of `stated_otherwise`.
    """
    imported = {source.imported_hash for source in memory.sources}
    if not any(state.seen_hash in imported for state in seen):
        return False
    if memory.standing in _OUT_OF_USE:
        return True
    pairs = () if stated is None else zip(_said(stated), _said(Texts.of(memory)), strict=True)
    return any(there and there != here for there, here in pairs)


def _said(texts: Texts) -> tuple[str, ...]:
    """Return what a source says itself; titles are made from that, or chosen here."""
    return (texts.insight, texts.rationale, texts.snippet)


def by_memory(states: Iterable[SourceState]) -> dict[str, list[SourceState]]:
    found: dict[str, list[SourceState]] = {}
    for state in states:
        found.setdefault(state.memory_id, []).append(state)
    return found


def stated_otherwise(
    reader: VaultReader, memories: Iterable[Memory], seen: Mapping[str, Sequence[SourceState]]
) -> dict[str, Texts]:
    """Return, by id, what sources still say of memories that were edited here, as far as the vault has kept it."""
    wanted: dict[str, set[str | None]] = {}
    for memory in memories:
        states = seen.get(memory.id, ())
        hashes = {state.seen_hash for state in states} & {source.imported_hash for source in memory.sources}
        if hashes and memory.status not in _OUT_OF_USE and content_hash(memory) not in hashes:
            wanted[memory.id] = set(hashes)
    return imported_texts(reader, wanted) if wanted else {}


def list_memories(
    vault: Vault,
    wanted: MemoryFilter,
    *,
    sort: str = "updated",
    limit: int | None = None,
    threshold: float = REVIEW_THRESHOLD,
    tree: Tree | None = None,
) -> list[MemoryView]:
    """Return the memories of a filter as views, in order; anchors are checked against a working tree if given."""
    now = vault.now()
    with vault.read() as reader:
        memories = reader.select(wanted, sort=sort, now=now, limit=limit)
        views = view_memories(reader, memories, now=now, threshold=threshold)
    return checked(views, tree)


def checked(views: Sequence[MemoryView], tree: Tree | None) -> list[MemoryView]:
    """Return views with the anchors of the tree's project checked against it; holds no lease."""
    if tree is None:
        return list(views)
    return [replace(view, anchor_states=states_now(view.anchor_states, tree.states(view.memory))) for view in views]


def get_view(vault: Vault, prefix: str, *, threshold: float = REVIEW_THRESHOLD, tree: Tree | None = None) -> MemoryView:
    """Return one memory as a view; its anchors are checked against a working tree if given.

    Raises `NotFoundError` or `AmbiguousIdError`: the prefix names no memory, or several.
    """
    with vault.read() as reader:
        views = view_memories(reader, [reader.get(reader.resolve(prefix))], now=vault.now(), threshold=threshold)
    return checked(views, tree)[0]


def view_record(view: MemoryView, kinds: Kinds) -> dict[str, Any]:
    """Return the `--json` form of a memory: the contract's keys, in its order, times ISO 8601 UTC."""
    memory = view.memory
    source = memory.source
    return {
        "id": memory.id,
        "version": memory.version,
        "project": memory.project,
        "kind": memory.kind,
        "tier": kinds.get(memory.kind).tier,
        "status": memory.status,
        "status_reason": memory.status_reason,
        "title": memory.title,
        "insight": memory.insight,
        "rationale": memory.rationale,
        "snippet": memory.snippet,
        "anchors": [{"path": anchor.path, "state": view.anchor_states.get(anchor.path)} for anchor in memory.anchors],
        "tags": list(memory.tags),
        "rules": list(memory.rules),
        "importance": memory.importance,
        "confidence": memory.confidence,
        "pinned": memory.pinned,
        **{
            name: format_time(getattr(memory, name))
            for name in ("created_at", "updated_at", "observed_at", "confirmed_at")
        },
        "confirmed_by": memory.confirmed_by,
        "verified_at": format_time(memory.verified_at),
        "verified_by": memory.verified_by,
        "valid_from": format_time(memory.valid_from),
        "valid_until": format_time(memory.valid_until),
        "due_at": format_time(view.due_at),
        "snoozed_until": format_time(memory.snoozed_until),
        "half_life_days": memory.half_life_days,
        "freshness": round(view.freshness, 4),
        "usefulness": round(view.usefulness, 4),
        "source": None
        if source is None
        else {
            "format": source.format,
            "path": source.path,
            "span": list(source.span) if source.span else None,
            "native_id": source.native_id,
            "agent": source.agent,
            "disagrees": view.source_says_this,
            "heading": source.heading,
        },
        "links": [{"type": link.type, "id": link.to_id} for link in view.links if link.from_id == memory.id],
        "linked_from": [{"type": link.type, "id": link.from_id} for link in view.links if link.to_id == memory.id],
    }
