"""What a user relies on when the phase is guessed from the task."""

from __future__ import annotations

import pytest

from memtui.domain.kinds import DEFAULT_KINDS
from memtui.errors import UsageError
from memtui.recall.eligibility import PHASES, check_phase, guess_phase, kind_part


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
