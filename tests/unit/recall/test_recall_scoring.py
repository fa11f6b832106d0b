"""What a user relies on when a score is explained: it is exactly the parts that are shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from curating import PERSON, add, get, new_vault
from recall_story import NOON, days_ago, ids, link, memory, recalled

from memtui.config import RecallSettings
from memtui.curate.memories import edit_memory
from memtui.curate.resolutions import contradiction_of, keep_both, parse_validity
from memtui.domain.freshness import freshness, multiplier, usefulness
from memtui.domain.kinds import DEFAULT_KINDS, Kinds
from memtui.domain.memory import Anchor, Memory, Signal
from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import UsageError
from memtui.recall.eligibility import PHASES, check_phase, guess_phase, kind_part
from memtui.recall.result import Part, Recall, combine
from memtui.recall.scoring import (
    GONE_FACTOR,
    NEIGHBOUR_SHARE,
    SUCCESSION_SHARE,
    freshness_part,
    gone_part,
    importance_part,
    neighbour_shares,
    neighbours_part,
    standing_hit,
    trusted_since,
    usefulness_part,
)
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

REASON = Reason(ReasonCode.NO_TASK)


def test_relevance_is_the_sum_of_terms_and_the_score_its_product_with_the_factors() -> None:
    parts = [
        Part("words", 0.5, REASON, "term"),
        Part("files", 0.7, REASON, "term"),
        Part("kind", 1.25, REASON),
        Part("age", 0.5, REASON),
    ]
    assert combine(parts) == (1.2, 0.75)


def test_a_memory_without_any_term_scores_nothing_however_good_its_factors() -> None:
    assert combine([Part("kind", 1.25, REASON)]) == (0.0, 0.0)


def test_freshness_counts_to_the_power_of_its_weight() -> None:
    old = memory("a", "A", kind="tooling", created_at=days_ago(90))
    assert freshness_part(old, NOON, Kinds(), 1.0).value == pytest.approx(0.525)
    assert freshness_part(old, NOON, Kinds(), 0.5).value == pytest.approx(0.525**0.5)
    assert freshness_part(old, NOON, Kinds(), 0.0).value == 1.0


def test_freshness_names_dates_and_no_ages() -> None:
    new, verified = memory("a", "A", created_at=days_ago(30)), memory("a", "A", verified_at=days_ago(12))
    assert trusted_since(new) == Reason(ReasonCode.NEVER_VERIFIED, date=days_ago(30))
    assert trusted_since(verified) == Reason(ReasonCode.VERIFIED, date=days_ago(12))
    assert trusted_since(memory("a", "A", pinned=True)) == Reason(ReasonCode.PINNED)


def test_what_helped_rises_and_what_hurt_falls() -> None:
    helped = Signal(memory_id="a", signal="helped", at=NOON, actor="person")
    hurt = Signal(memory_id="a", signal="hurt", at=NOON, actor="person")
    assert usefulness_part([helped], NOON).value > usefulness_part([], NOON).value > usefulness_part([hurt], NOON).value
    assert usefulness_part([helped, helped], NOON).reason.names == ("helped", "helped")


def test_importance_is_shown_as_it_was_set() -> None:
    part = importance_part(memory("a", "A", importance=5))
    assert (part.value, part.reason.number) == (1.25, 5)


@pytest.mark.parametrize(
    ("states", "demoted"),
    [
        ({"a.py": "gone", "b.py": "gone"}, True),
        ({"a.py": "gone", "b.py": "fresh"}, False),
        ({"a.py": "gone", "b.py": "unverifiable"}, True),
        ({"a.py": "gone"}, False),
        ({"a.py": "unverifiable", "b.py": "unverifiable"}, False),
        ({}, False),
    ],
)
def test_only_a_memory_whose_every_checked_file_is_gone_is_demoted(states: dict[str, str], demoted: bool) -> None:
    part = gone_part(memory("a", "A", files=("a.py", "b.py")), states)
    assert (part.value if part else None) == (GONE_FACTOR if demoted else None)


def test_relations_pass_a_share_both_ways() -> None:
    links = [link("a", "relates", "b"), link("c", "derived-from", "a")]
    shares = neighbour_shares(links, {"a": 0.8})
    assert {name: round(offer.share, 6) for name, offer in shares.items()} == {
        "b": round(0.8 * NEIGHBOUR_SHARE, 6),
        "c": round(0.8 * NEIGHBOUR_SHARE, 6),
    }


def test_who_asks_for_a_replaced_memory_gets_its_replacement_and_not_the_reverse() -> None:
    links = [link("new", "supersedes", "old")]
    assert neighbour_shares(links, {"old": 1.0})["new"].share == SUCCESSION_SHARE
    assert neighbour_shares(links, {"new": 1.0}) == {}


def test_a_weak_hit_passes_nothing_on() -> None:
    assert neighbour_shares([link("a", "relates", "b")], {"a": 0.49}) == {}


def test_contradictions_and_duplicates_pass_nothing_on() -> None:
    assert neighbour_shares([link("a", "contradicts", "b"), link("a", "duplicates", "c")], {"a": 1.0}) == {}


def test_many_links_do_not_add_up() -> None:
    links = [link("a", "relates", "hub"), link("b", "relates", "hub")]
    offer = neighbour_shares(links, {"a": 0.6, "b": 0.9})["hub"]
    assert (offer.seed, offer.share) == ("b", 0.9 * NEIGHBOUR_SHARE)
    reason = neighbours_part(offer).reason
    assert (reason.other, reason.link) == ("b", "relates")


def test_a_relation_lifts_nothing_above_the_hit_that_it_comes_from() -> None:
    links = [link("a", "relates", "b"), link("new", "supersedes", "a")]
    shares = neighbour_shares(links, {"a": 0.8}, {"a": 0.8, "b": 0.7})
    assert 0 < shares["b"].share < 0.1
    assert shares["new"].share == 0.8 * SUCCESSION_SHARE
    assert "b" not in neighbour_shares(links, {"a": 0.8}, {"a": 0.8, "b": 0.79})


NOW = datetime(2026, 6, 1, tzinfo=UTC)
KINDS = Kinds()
SETTINGS = RecallSettings()


def test_it_is_freshness_times_usefulness_times_importance() -> None:
    at = NOW - timedelta(days=100)
    memory = Memory(id="m0000001", title="T", insight="I", importance=5, created_at=at, updated_at=at)
    signals = [Signal(memory_id=memory.id, signal="helped", at=NOW, actor="person")]
    hit = standing_hit(memory, signals, {}, settings=SETTINGS, kinds=KINDS, now=NOW)
    fresh = freshness(memory, NOW, KINDS) ** SETTINGS.freshness_weight
    assert hit.score == pytest.approx(fresh * usefulness(signals, NOW) * multiplier(5))
    assert [part.name for part in hit.parts] == ["no task", "freshness", "usefulness", "importance"]


def test_files_that_are_all_gone_count_as_in_a_search() -> None:
    memory = Memory(id="m0000001", title="T", insight="I", anchors=(Anchor("a.py"),), created_at=NOW, updated_at=NOW)
    there = standing_hit(memory, (), {"a.py": "fresh"}, settings=SETTINGS, kinds=KINDS, now=NOW)
    gone = standing_hit(memory, (), {"a.py": "gone"}, settings=SETTINGS, kinds=KINDS, now=NOW)
    assert gone.score < there.score
    assert gone.parts[-1].name == "files gone"


OLD, NEW = "The refund queue is Redis.", "The refund queue is RabbitMQ."


@pytest.fixture
def both(tmp_path: Path) -> tuple[Vault, Memory, Memory]:
    vault, _ = new_vault(tmp_path)
    return vault, add(vault, OLD), add(vault, NEW)


def look(vault: Vault, text: str, *files: str, **options: str) -> Recall:
    return recalled(vault, text, *files, scope=Scope.of_project("shop"), **options)


def settle(vault: Vault, old: Memory, new: Memory, where_old: str, where_new: str = "") -> None:
    said = {old.id: parse_validity(where_old), new.id: parse_validity(where_new)}
    keep_both(vault, contradiction_of(vault, old.id, new.id), said, actor=PERSON)


def reason_eligibility(vault: Vault, text: str, *files: str, of: Memory, **options: str) -> Reason | None:
    found = look(vault, text, *files, **options)
    return next((one.reason for one in found.withheld if one.id == of.id), None)


def test_what_holds_for_some_files_is_recalled_for_those_alone(both: tuple[Vault, Memory, Memory]) -> None:
    vault, old, new = both
    settle(vault, old, new, "legacy/**, billing")
    task = "change the refund queue"
    assert set(ids(look(vault, task).hits)) == {old.id, new.id}
    assert set(ids(look(vault, task, "legacy/queue.py").hits)) == {old.id, new.id}
    assert ids(look(vault, task, "shop/queue.py").hits) == [new.id]
    assert reason_eligibility(vault, task, "shop/queue.py", of=old) == Reason(
        ReasonCode.OUT_OF_SCOPE, unit="files", names=("legacy/**",)
    )
    assert get(vault, old.id).rationale == "Holds for: legacy/**, billing"


def test_a_pin_does_not_bring_it_elsewhere(both: tuple[Vault, Memory, Memory]) -> None:
    vault, old, new = both
    settle(vault, old, new, "legacy/")
    edit_memory(vault, old.id, {"pinned": True}, actor=PERSON)
    assert old.id not in ids(look(vault, "change the refund queue", "shop/queue.py").pins)
    assert old.id in ids(look(vault, "change the refund queue", "legacy/queue.py").pins)


def test_what_holds_in_a_phase_is_left_out_of_another_and_demoted_where_that_is_guessed(
    both: tuple[Vault, Memory, Memory],
) -> None:
    vault, old, new = both
    settle(vault, old, new, "release", "test debug")
    elsewhere = Reason(ReasonCode.OUT_OF_SCOPE, unit="phases", names=("release",))
    assert reason_eligibility(vault, "the refund queue", of=old, phase="test") == elsewhere
    assert ids(look(vault, "the refund queue", phase="release").hits) == [old.id]
    guessed = look(vault, "fix the crash of the refund queue").hits
    assert ids(guessed) == [new.id, old.id]
    assert [(part.value, part.reason.note) for part in guessed[1].parts if part.name == "scope"] == [(0.5, "debug")]
    assert not [part for hit in look(vault, "the refund queue").hits for part in hit.parts if part.name == "scope"]


@pytest.mark.parametrize(
    ("typed", "paths", "phases", "words"),
    [
        ("legacy/**, release, the old cluster", ("legacy/**",), ("release",), "the old cluster"),
        ("./services/shop/ test", ("services/shop",), ("test",), ""),
        ("Makefile.am", ("Makefile.am",), (), ""),
        ("the release of March", (), (), "the release of March"),
        ("  ", (), (), ""),
        ("a\nb, ,", (), (), "a b"),
    ],
)
def test_a_scope_is_read_as_it_is_typed(
    typed: str, paths: tuple[str, ...], phases: tuple[str, ...], words: str
) -> None:
    scope = parse_validity(typed)
    assert (scope.paths, scope.phases, scope.words) == (paths, phases, words)


def test_a_tag_alone_limits_nothing(both: tuple[Vault, Memory, Memory]) -> None:
    vault, old, _ = both
    edit_memory(vault, old.id, {"tags": ("only:", "onlyish")}, actor=PERSON)
    assert replace(get(vault, old.id), tags=()).id in ids(look(vault, "refund queue", "shop/queue.py").hits)


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ("Plan the migration to Postgres 16", "plan"),
        ("make refunds idempotent", "implement"),
        ("Why does the webhook handler crash?", "debug"),
        ("fix the failing login test", "debug"),
        ("review the pull request for the ledger", "review"),
        ("refactor payments/service.py", "refactor"),
        ("write tests for refund rounding", "test"),
        ("deploy 2.4 to production", "release"),
        ("which port does the replica use?", None),
        ("show an error when the voucher has expired", "implement"),
        ("Please add a retry when the upload fails with a timeout", "implement"),
        ("return an error where the parcel is too heavy, and fix the label", "debug"),
        ("render loop hangs with an exception", "debug"),
        ("the login page shows an error", "debug"),
        ("rename the exception of a failed upload", "refactor"),
        ("", None),
        ("日本語のタスク", None),
    ],
)
def test_the_words_of_a_task_tell_its_phase(text: str, phase: str | None) -> None:
    assert guess_phase(text) == phase


def test_each_phase_favours_some_kinds_within_bounds() -> None:
    for phase in PHASES:
        values = [kind_part(kind, phase, guessed=True).value for kind in DEFAULT_KINDS]
        assert 0.8 <= min(values) < 1.0 < max(values) <= 1.25


def test_without_a_phase_and_for_kinds_of_ones_own_nothing_is_favoured() -> None:
    assert kind_part("bug-pattern", None, guessed=True).value == 1.0
    assert kind_part("runbook", "debug", guessed=False).value == 1.0


def test_the_explanation_says_whether_the_phase_was_guessed() -> None:
    guessed, given = (kind_part("lesson", "debug", guessed=guessed).reason for guessed in (True, False))
    assert guessed.names == given.names == ("lesson", "debug")
    assert (guessed.number, given.number) == (1, 0)


def test_an_unknown_phase_is_refused_with_the_known_ones() -> None:
    assert check_phase("debug") == "debug"
    with pytest.raises(UsageError, match="plan, implement, debug"):
        check_phase("debugging")
