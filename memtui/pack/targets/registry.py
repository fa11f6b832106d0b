"""The targets by name."""

from __future__ import annotations

from memtui.errors import UsageError
from memtui.pack.targets.base import Target
from memtui.pack.targets.chat import ChatTarget
from memtui.pack.targets.json_target import JsonTarget

_TARGETS: dict[str, Target] = {target.name: target for target in (ChatTarget(), JsonTarget())}


def target_names() -> tuple[str, ...]:
    """Return the name of every target."""
    return tuple(_TARGETS)


def target_named(name: str) -> Target:
    """Return the target of that name.

    Raises:
        UsageError: there is none; the message names the nearest and all.
    """
    found = _TARGETS.get(name.strip().lower())
    if found is not None:
        return found
    from difflib import get_close_matches

    close = get_close_matches(name.strip().lower(), _TARGETS, n=1)
    hint = f"Did you mean {close[0]}? " if close else ""
    raise UsageError("Unknown target", where=name[:60], remedy=f"{hint}Known: {', '.join(_TARGETS)}.")
