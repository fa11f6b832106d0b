"""What a user reads of a vault's health."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from support import NOON

from memtui.curate.health import HealthOptions, health
from memtui.curate.projects import View
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault
from memtui.wording.outcomes import sections
from memtui.workspace import find_workspace


def test_pairs_that_were_not_searched_for_name_the_command_that_does(tmp_path: Path) -> None:
    options = HealthOptions(view=View("shop", Scope.of_project("shop"), find_workspace(tmp_path), tmp_path))
    found = health(Vault(tmp_path / "none.duckdb", now=lambda: NOON), options)
    large = replace(found, duplicates=None, proposed_contradictions=None)
    notes = [row.note for section in sections(large) for row in section.rows]
    assert any("memtui tidy" in note for note in notes)
