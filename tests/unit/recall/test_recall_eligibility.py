"""What a user relies on after saying of two clashing memories where each of them holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from curating import PERSON, add, get, new_vault
from recall_story import ids, recalled

from memtui.curate.memories import edit_memory
from memtui.curate.resolutions import contradiction_of, keep_both, parse_validity
from memtui.domain.kinds import DEFAULT_KINDS
from memtui.domain.memory import Memory
from memtui.domain.reasons import Reason, ReasonCode
from memtui.errors import UsageError
from memtui.recall.eligibility import PHASES, check_phase, guess_phase, kind_part
from memtui.recall.result import Recall
from memtui.vault.filters import Scope
from memtui.vault.vault import Vault

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


def reason(vault: Vault, text: str, *files: str, of: Memory, **options: str) -> Reason | None:
    found = look(vault, text, *files, **options)
    return next((one.reason for one in found.withheld if one.id == of.id), None)


def test_what_holds_for_some_files_is_recalled_for_those_alone(both: tuple[Vault, Memory, Memory]) -> None:
    vault, old, new = both
    settle(vault, old, new, "legacy/**, billing")
    task = "change the refund queue"
    assert set(ids(look(vault, task).hits)) == {old.id, new.id}
    assert set(ids(look(vault, task, "legacy/queue.py").hits)) == {old.id, new.id}
    assert ids(look(vault, task, "shop/queue.py").hits) == [new.id]
    assert reason(vault, task, "shop/queue.py", of=old) == Reason(
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
    assert reason(vault, "the refund queue", of=old, phase="test") == elsewhere
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
