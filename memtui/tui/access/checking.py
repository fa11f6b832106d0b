"""Looking after the files that memories are tied to, in the background."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memtui.tui.access.reading import Reading
from memtui.tui.opening import Opening

if TYPE_CHECKING:
    from memtui.curate.anchoring import CheckedAnchor


class Checking(Reading):
    """What the app finds in the working trees."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self._moves: Mapping[str, Mapping[str, str]] = {}

    def look_after_files(self) -> None:
        """Check the files of the projects in view, store what was found, and remember where some of them went."""
        from memtui.curate.anchoring import look_after_files
        from memtui.curate.trees import known_trees
        from memtui.errors import VaultBusyError

        if not self._vault.exists:
            return
        # Where somebody else holds the vault, what the last check found counts until the next one.
        with suppress(VaultBusyError):
            with self._reading.read() as reader:
                view = self._view_of(reader)
                trees = known_trees(reader, view.tree)
            wanted = view.scope.projects
            chosen = [tree for name, tree in trees.items() if wanted is None or name in wanted]
            found = look_after_files(self._reading, chosen)
            self._moves = moves_of(check for checks in found.values() for check in checks)

    def moves(self) -> Mapping[str, Mapping[str, str]]:
        """Return where files went that memories are tied to: per memory id, old path to new path."""
        return self._moves


def moves_of(checks: Iterable[CheckedAnchor]) -> dict[str, dict[str, str]]:
    """Return where files surely or likely went: per memory id, old path to new path."""
    moves: dict[str, dict[str, str]] = {}
    for check in checks:
        if check.state == "moved" and check.suggestion is not None:
            moves.setdefault(check.id, {})[check.path] = check.suggestion
    return moves
