"""The title that the rules alone give a text, before any other is preferred to it."""

from __future__ import annotations

from collections.abc import Sequence

from memtui.analysis import titles


def title_by_rules(text: str, heading_path: Sequence[str]) -> str:
    """Return what a text states first, ended at a clause, with the heading's subject where the text names none."""
    found, language = titles._read(text)
    return titles._by_rules(text, found, heading_path, language) or titles.UNTITLED
