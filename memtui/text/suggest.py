"""The nearest of a few known names, for messages about a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name most like a mistyped one, whatever their case, or None if no name is close."""
    from difflib import get_close_matches

    names = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), names, n=1)
    return names[close[0]] if close else None


def did_you_mean(word: str, known: Iterable[str], *, otherwise: str = "", then: str = "") -> str:
    """Return `Did you mean X?` for the nearest known name, as (a part of) a remedy.

    Args:
        otherwise: what stands in its place if no name is close.
        then: what follows in either case.
    """
    close = nearest(word, known)
    return " ".join(part for part in (f"Did you mean {close}?" if close else otherwise, then) if part)
