"""What a user relies on when they search: words are OR-ed, ids and titles come first, scores are explained."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from recall_story import NOON, PAYMENTS, SETTINGS, ids, story_vault

from memtui.recall.rank import search
from memtui.recall.result import Hit
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("search"))


def _search(
    vault: Vault,
    query: str,
    *files: str,
    scope: Scope = PAYMENTS,
    limit: int = 20,
    statuses: Sequence[str] | None = ("active",),
) -> list[Hit]:
    return search(vault, query, scope, files=files, limit=limit, settings=SETTINGS, now=NOON, statuses=statuses).hits


def test_words_are_or_ed(vault: Vault) -> None:
    assert ids(_search(vault, "which port does the replica use?"))[0] == "replica2"


def test_one_telling_word_is_enough_where_recall_would_abstain(vault: Vault) -> None:
    assert ids(_search(vault, "kubernetes ingress certificates for webhooks")) == ["retryyes", "retrynot"]


def test_contradicting_memories_are_both_shown(vault: Vault) -> None:
    assert set(ids(_search(vault, "retry webhooks"))) == {"retryyes", "retrynot"}


def test_pinned_memories_are_found_like_others_and_only_when_they_match(vault: Vault) -> None:
    assert ids(_search(vault, "log numbers")) == ["cardlogs"]
    assert "cardlogs" not in ids(_search(vault, "refunds"))


@pytest.mark.parametrize("query", ["lockpaym", "LOCKPAYM", "Lock refunds by payment_id", "lock refunds by PAYMENT_ID "])
def test_an_id_or_a_title_comes_first(vault: Vault, query: str) -> None:
    hits = _search(vault, query)
    assert ids(hits)[0] == "lockpaym"
    assert hits[0].parts[-5].name == "name"


def test_the_start_of_an_id_is_enough_when_no_word_matches(vault: Vault) -> None:
    assert ids(_search(vault, "impe")) == ["imperati"]
    assert _search(vault, "lock") != []
    assert _search(vault, "inbo") == []


def test_candidates_are_found_only_when_asked_for(vault: Vault) -> None:
    assert "inboxed2" not in ids(_search(vault, "refund mails"))
    assert ids(_search(vault, "refund mails", statuses=("candidate",))) == ["inboxed2"]
    assert {"inboxed2", "retired2", "lockuser"} <= set(ids(_search(vault, "refunds", statuses=None)))


def test_the_scope_decides_over_projects_and_the_unassigned(vault: Vault) -> None:
    assert {"guestref", "nowhere2"}.isdisjoint(ids(_search(vault, "refund")))
    assert {"guestref", "nowhere2"} <= set(ids(_search(vault, "refund", scope=EVERYTHING)))


def test_files_alone_find_what_is_tied_to_them(vault: Vault) -> None:
    assert ids(_search(vault, "", "payments/lock.py")) == ["lockpaym", "intcents"]


def test_hits_carry_the_same_explanation_as_in_recall(vault: Vault) -> None:
    hit = _search(vault, "refunds", "payments/service.py")[0]
    assert [part.name for part in hit.parts] == ["words", "files", "freshness", "usefulness", "importance", "kind"]


def test_the_limit_is_kept_and_nothing_found_is_an_empty_list(vault: Vault) -> None:
    assert len(_search(vault, "refunds", scope=EVERYTHING, statuses=None, limit=2)) == 2
    assert _search(vault, "sourdough") == []
    assert _search(vault, "") == []
