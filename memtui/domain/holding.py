"""Where a memory holds: tags by which a person limits it to some files, or to phases of the work.

`only:legacy/**` says that it holds for those files and nowhere else, `only:release` that it holds in that phase. They
are tags, so that every face shows, edits, filters, exports and merges them like any other.
"""

from __future__ import annotations

from memtui.domain.memory import Memory

ONLY = "only:"
"""What such a tag begins with; a path, a pattern or the name of a phase follows."""


def limits_of(memory: Memory) -> tuple[str, ...]:
    """Return the paths and phases that a memory is limited to, none for one that holds anywhere."""
    return tuple(tag[len(ONLY) :] for tag in memory.tags if tag[: len(ONLY)].lower() == ONLY and tag != ONLY)
