"""What a source of a memory says now, beside what it said when the memory was made or last verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memtui.domain.memory import Memory
from memtui.vault.reader import VaultReader
from memtui.vault.review_triggers import Asked, asked_about
from memtui.vault.source_texts import SourceText, Texts, is_open, source_texts, texts_at


@dataclass(frozen=True, slots=True)
class SourceNews:
    """A source that says something else than when a person last looked."""

    paths: tuple[str, ...]  # the files that say the same anew
    at: datetime  # when that was found last
    before: Texts | None  # what it said; None where that was not kept
    now: Texts
    is_taken: bool  # whether the memory says by now what the source says; else the two wait to be settled


def source_news(reader: VaultReader, memory: Memory) -> list[SourceNews]:
    """Return what sources of a memory say anew since it was made, accepted or verified; empty without any news."""
    asked = [one for one in asked_about(reader, [memory.id]).get(memory.id, ()) if one.cause == "source"]
    if not asked:
        return []
    waiting = {text.seen_hash: text for text in source_texts(reader, [memory.id]) if is_open(text, memory)}
    of_path = {text.path: text.seen_hash for text in waiting.values()}
    says = {state.path: state.seen_hash for state in reader.source_states([memory.id])}
    looked = (memory.created_at, memory.confirmed_at, memory.verified_at)
    since = max(moment for moment in looked if moment is not None)
    earlier = texts_at(reader, memory.id, since)
    groups: dict[str, list[Asked]] = {}
    for one in _latest(asked):
        said = of_path.get(one.what, says.get(one.what, ""))
        groups.setdefault(said if said in waiting else "", []).append(one)
    return [_news(memory, same, waiting.get(said), earlier) for said, same in groups.items()]


def _latest(asked: Sequence[Asked]) -> list[Asked]:
    """Return one for each source, though several places of it may have news."""
    return list({one.what: one for one in sorted(asked, key=lambda one: one.at)}.values())


def _news(memory: Memory, same: Sequence[Asked], waiting: SourceText | None, earlier: Texts | None) -> SourceNews:
    paths, at = tuple(one.what for one in same), max(one.at for one in same)
    if waiting is None:
        return SourceNews(paths, at, earlier, Texts.of(memory), is_taken=True)
    return SourceNews(paths, at, waiting.base, waiting.stated, is_taken=False)
