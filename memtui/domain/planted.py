"""Whether a memory looks planted to steer an assistant, and whether a person stands for it all the same."""

from __future__ import annotations

from functools import lru_cache

from memtui.domain.memory import Memory
from memtui.text.injection import planted_instructions


# The same memories are looked at for each payload: 0.7 ms each.
@lru_cache(maxsize=512)
def planted_reasons(memory: Memory) -> tuple[str, ...]:
    """Return why a memory, its tags and the headings of its sources included, looks planted to steer an assistant."""
    texts = [memory.title, memory.insight, memory.rationale, memory.snippet, memory.status_reason, *memory.tags]
    texts += [named or "" for source in memory.sources for named in (source.path, source.native_id)]
    return tuple(
        planted_instructions("\n\n".join(filter(None, texts)))
    )  # a blank line: no sentence goes on in the next


def held_back(memory: Memory) -> str:
    """Return why a memory reaches no assistant: it looks planted, and no person verified it; empty if it may."""
    is_verified = memory.verified_at is not None and memory.status == "active"
    return "" if is_verified else next(iter(planted_reasons(memory)), "")
