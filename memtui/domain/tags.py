"""Tags: words that a person or a source gives a memory."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST_TAG = 200
"""Characters of a tag, as of a title. A tag is a word or two; the longest are those of `memtui.domain.holding`, which
hold a path: the longest of a Python environment has 152 characters."""

CUT = "…"


def long_tag(tags: Iterable[str]) -> str | None:
    """Return the first tag that is too long, None where all fit."""
    return next((tag for tag in tags if len(tag) > LONGEST_TAG), None)


def fit_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags with what is too long cut short, each once."""
    return tuple(
        dict.fromkeys(tag if len(tag) <= LONGEST_TAG else f"{tag[: LONGEST_TAG - 1].rstrip()}{CUT}" for tag in tags)
    )
