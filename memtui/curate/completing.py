"""What a field completes to while it is typed."""

from __future__ import annotations

from memtui.vault.sqlquery import run_query
from memtui.vault.vault import Vault

MOST_TAGS = 2_000
"""Tags offered: more than any person keeps apart."""


def vault_tags(vault: Vault, most: int = MOST_TAGS) -> tuple[str, ...]:
    """Return the tags of the vault, the most used first."""
    query = "SELECT tag FROM (SELECT unnest(tags) AS tag FROM memory) GROUP BY tag ORDER BY count(*) DESC, tag"
    return tuple(str(row[0]) for row in run_query(vault, f"{query} LIMIT {int(most)}").rows)


def completions(typed: str, choices: tuple[str, ...], most: int = 8) -> list[str]:
    """Return choices for what is typed: those that begin with it, then those that hold it.

    Nothing typed, and what is a choice already, have none.
    """
    wanted = typed.casefold()
    if not wanted or typed in choices:
        return []
    begin: list[str] = []
    hold: list[str] = []
    for choice in choices:
        lowered = choice.casefold()
        if lowered.startswith(wanted):
            begin.append(choice)
            if len(begin) >= most:
                return begin
        elif len(hold) < most and wanted in lowered:
            hold.append(choice)
    return [*begin, *hold][:most]
