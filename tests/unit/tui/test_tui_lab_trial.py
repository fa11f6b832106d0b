"""What a user relies on in the Decay lab: what is tried is shown and applied, and nothing else."""

from __future__ import annotations

from typing import cast

import pytest

from memtui.curate.decay import Knobs, Payloads, take_snapshot
from memtui.tui.lab.trial import FLOOR, HURT_WEIGHT, MEMORY, THRESHOLD, LabRead, Trial, step
from memtui.vault.filters import EVERYTHING
from memtui.vault.vault import Vault


@pytest.fixture
def read(vault: Vault) -> LabRead:
    return LabRead(take_snapshot(vault, EVERYTHING, threshold=0.5), "ferry", {}, cast("Payloads", None))


def tried(trial: Trial) -> dict[str, float]:
    return dict(trial.knobs.half_lives)


def test_steps_are_those_of_the_ladder_in_both_directions() -> None:
    assert [step(90.0, 1), step(90.0, -1), step(41.3, -1)] == [120.0, 75.0, 30.0]
    assert [step(1.0, -1), step(0.5, -1), step(9_999.0, 1)] == [1.0, 0.5, 9_999.0]


def test_a_half_life_is_tried_until_it_is_the_one_in_force_again(read: LabRead) -> None:
    trial = Trial(subject="tooling").stepped(read, -1)
    assert (tried(trial), trial.days(read), trial.changed) == ({"tooling": 75.0}, 75.0, 1)
    assert tried(trial.stepped(read, 1)) == {}
    assert tried(trial.with_days(read, None)) == {}
    assert tried(trial.with_default(read)) == {}
    assert tried(trial.for_other_scope(read).stepped(read, -1)) == {"tooling": 75.0, "tooling@ferry": 60.0}
    assert not Trial().can_be_applied
    assert trial.can_be_applied


def test_what_somebody_applied_meanwhile_is_no_longer_tried(vault: Vault, read: LabRead) -> None:
    from memtui.curate.decay import apply
    from memtui.domain.identity import Actor

    trial = Trial(subject="tooling").with_days(read, 30.0)
    assert tried(trial.on(read)) == {"tooling": 30.0}
    apply(vault, {"tooling": 30.0}, actor=Actor())
    later = LabRead(take_snapshot(vault, EVERYTHING), None, {}, cast("Payloads", None))
    assert tried(trial.on(later)) == {}
    assert Trial(subject="gone").on(later).subject == later.snapshot.kinds[0].name


def test_settings_stop_at_what_the_configuration_takes_and_only_it_can_keep_them(read: LabRead) -> None:
    trial = Trial(subject="tooling")
    for _ in range(50):
        trial = trial.with_setting(read, THRESHOLD, 1).with_setting(read, FLOOR, 1).with_setting(read, HURT_WEIGHT, -1)
    assert trial.for_configuration() == ["[review] threshold = 1", "[recall] floor = 0.3", "[recall] hurt_weight = 0"]
    assert "Only the configuration" in (trial.why_not_apply(read) or "")
    assert trial.settings_words(read, all_of=False) == "due below 0.50 → 1 · floor 0.05 → 0.3 · hurt × 4 → 0"
    back = Trial().with_setting(read, FLOOR, 1).with_setting(read, FLOOR, -1)
    assert back.knobs == Knobs()
    assert back.settings_words(read, all_of=False) == "due below 0.50"
    assert back.why_not_apply(read) == "No half-life has been changed: ← and → change it."


def test_the_one_memory_is_first_and_has_a_half_life_of_its_own(vault: Vault) -> None:
    from curating import add

    identifier = add(vault, "Run make", kind="tooling").id
    read = LabRead(take_snapshot(vault, EVERYTHING), None, {}, cast("Payloads", None))
    trial = Trial(identifier).on(read)
    assert trial.subject == MEMORY
    assert trial.moved(read, 1).subject == "tooling"
    assert trial.moved(read, -1).subject == MEMORY
    one = trial.stepped(read, -1)
    assert (one.knobs.memory, one.days(read)) == ((identifier, 75.0), 75.0)
    assert one.without_memory().knobs == one.with_default(read).knobs == Knobs()
    assert MEMORY not in Trial("gone").subjects(read)
