"""A typing error finds what was meant, says so, and mends nothing that is a word of the vault."""

from __future__ import annotations

from pathlib import Path

import pytest
from recall_story import NOON, PAYMENTS, SETTINGS, ids, memory, recalled, story_vault

from memtui.recall.search import search
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault
from memtui.wording.payload import explanation

MEMORIES = (
    memory("storm222", "Retry storm after a gateway timeout", "Clients retried at once.", tags=("resilience",)),
    memory("forms222", "Forms are validated on the server"),
    memory("foreign2", "Quarantine of suspicious parcels", project="storefront"),
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("spelling"), MEMORIES, [])


def searched(vault: Vault, query: str, scope: Scope = PAYMENTS) -> list[str]:
    return ids(search(vault, query, scope, limit=9, settings=SETTINGS, now=NOON).hits)


@pytest.mark.parametrize("query", ["stroms", "retry stroms", "gatewya", "resiliense", "STROMS!", "tiemout"])
def test_a_typing_error_finds_what_was_meant(vault: Vault, query: str) -> None:
    assert searched(vault, query) == ["storm222"]


def test_the_table_says_what_was_read_for_what(vault: Vault) -> None:
    hit = search(vault, "stroms", PAYMENTS, limit=1, settings=SETTINGS, now=NOON).hits[0]
    assert dict(row[:2] for row in explanation(hit))["words"].startswith("storm for stroms")


@pytest.mark.parametrize("query", ["strm", "sourdough", "xtorms", "forces"])
def test_what_is_too_short_or_too_far_is_left_alone(vault: Vault, query: str) -> None:
    assert searched(vault, query) == []


def test_words_of_other_projects_mend_nothing_here(vault: Vault) -> None:
    assert searched(vault, "quarantin") in ([], ["foreign2"])
    assert searched(vault, "quarantyne") == []
    assert searched(vault, "quarantyne", Scope.of_project("storefront")) == ["foreign2"]


def test_a_task_is_mended_too(vault: Vault) -> None:
    assert ids(recalled(vault, "stop the retry stroms of the gatewya").hits) == ["storm222"]


def test_hostile_and_endless_words_are_only_words(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, MEMORIES, [])
    for query in ("'; DROP TABLE memories; --stroms", "x" * 100_000, " ".join(f"unknownword{n}" for n in range(200))):
        assert searched(vault, query) == []
