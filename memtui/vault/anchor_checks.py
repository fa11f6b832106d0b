"""What the last checks of anchors found that no verdict has answered since."""

from __future__ import annotations

from memtui.domain.memory import AnchorState
from memtui.vault.filters import MemoryFilter, where_sql
from memtui.vault.reading import VaultReader


def unanswered_states(reader: VaultReader, wanted: MemoryFilter) -> dict[str, dict[str, AnchorState]]:
    """Return, per memory of a filter, its anchors that changed, moved or went, by path.

    A check from before the memory was verified is answered: whoever verified it looked at the files.
    """
    condition, parameters = where_sql(wanted, reader.kinds)
    found = reader._connection.execute(  # noqa: SLF001 - the same package
        "SELECT s.memory_id, s.path, s.state FROM anchor_states s JOIN memories m ON m.id = s.memory_id"  # noqa: S608 - names are ours
        " WHERE s.state IN ('changed', 'moved', 'gone') AND (m.verified_at IS NULL OR s.checked_at > m.verified_at)"
        " AND list_contains([anchor.path FOR anchor IN m.anchors], s.path)"
        f" AND {condition} ORDER BY s.memory_id, s.path",
        parameters,
    ).fetchall()
    states: dict[str, dict[str, AnchorState]] = {}
    for identifier, path, state in found:
        states.setdefault(identifier, {})[path] = state
    return states
