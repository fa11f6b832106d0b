"""What a payload holds more or less than an earlier pack, as `context` and `pack` print it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtui.cli.output import say

if TYPE_CHECKING:
    from memtui.pack.recipes import PackDiff


def diff_record(diff: PackDiff) -> dict[str, object]:
    """Return what has changed since an earlier pack, for `--json`."""
    return {
        "previous": diff.previous.id,
        "added": list(diff.added),
        "removed": list(diff.removed),
        "changed": list(diff.changed),
    }


def say_diff(diff: PackDiff | None, titles: Mapping[str, str]) -> None:
    """Say on stderr which memories were added, removed or changed since an earlier pack, if there is one."""
    if diff is None:
        say("No earlier pack for this task.")
        return
    same = " the same memories" if diff.is_empty else ""
    say(f"Compared with pack {diff.previous.id} of {diff.previous.made_at:%Y-%m-%d}:{same}")
    for mark, identifiers in (("+", diff.added), ("-", diff.removed), ("~", diff.changed)):
        for identifier in identifiers:
            say(f"  {mark} {identifier}  {titles.get(identifier, '')}".rstrip())
