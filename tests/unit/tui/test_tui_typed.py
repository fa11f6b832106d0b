"""Words that are typed where nothing takes text, told from commands."""

from __future__ import annotations

from itertools import pairwise

import pytest

from memtui.tui.actions import registry
from memtui.tui.actions.registry import BROWSE, EVERYWHERE, INBOX, PANE, PUBLISH, REVIEW, TIDY
from memtui.tui.typed import HOLD_SECONDS, QUIET_SECONDS, WORDS_SECONDS, Bound, Fate, TypedRun, bound_by

TYPIST = 0.15  # Seconds between two letters


def bound(screen: str, key: str) -> Bound:
    """Return what a key does on a screen whose list has the focus."""
    found = [action for owner in (PANE, screen, EVERYWHERE) for action in registry.of_owners(owner)]
    action = next((action for action in found if key in action.keys), None)
    return Bound.NOTHING if action is None else bound_by(key, action.id)


def typed(screen: str, keys: str, pause: float = TYPIST) -> tuple[TypedRun, list[Fate]]:
    run = TypedRun()
    fates: list[Fate] = []
    for place, key in enumerate(keys):
        if fates and fates[-1] is Fate.HOLD and pause > HOLD_SECONDS:
            run.settle()
        run = run.at(place * pause, key)
        fates.append(run.take(key, bound(screen, key), place * pause))
    return run, fates


@pytest.mark.parametrize(
    ("screen", "keys"),
    [
        (BROWSE, "e"),
        (BROWSE, "jjy"),
        (BROWSE, "ggkkG"),
        (INBOX, "xxx"),
        (INBOX, "jjjajja"),
        (REVIEW, "yyyyyy"),
        (TIDY, "nnjnjjn"),
        (PUBLISH, "jjp"),
    ],
)
def test_who_knows_the_keys_waits_for_none_but_the_first_act_for_a_moment(screen: str, keys: str) -> None:
    run, fates = typed(screen, keys)
    assert not run.is_text
    assert set(fates) <= {Fate.HOLD, Fate.RUN}
    assert fates.count(Fate.HOLD) <= len({key for key in keys if bound(screen, key) is Bound.ACT})


@pytest.mark.parametrize("screen", [BROWSE, INBOX, REVIEW, TIDY, PUBLISH])
@pytest.mark.parametrize("word", ["query", "reject it", "anchor", "export"])
def test_of_a_word_that_comes_at_once_no_letter_acts(screen: str, word: str) -> None:
    run, fates = typed(screen, word, pause=HOLD_SECONDS / 2)
    assert run.is_text
    assert not run.acted
    assert fates[-1] is Fate.TEXT


def test_a_key_that_is_held_down_waits_for_its_first_only() -> None:
    run, fates = typed(INBOX, "xxxxxx", pause=HOLD_SECONDS / 2)
    assert fates == [Fate.HOLD, *[Fate.RUN] * 5]
    assert run.acted == "x" * 6


@pytest.mark.parametrize(
    ("screen", "keys"),
    [
        (INBOX, "axaxxaaxa"),
        (INBOX, "vjjjajx"),
        (REVIEW, "yyxyzzyx"),
        (TIDY, "nmnnmYn"),
        (BROWSE, "pjpjxjpx"),
        (PUBLISH, "ppxjp"),
    ],
)
def test_acts_in_quick_succession_wait_for_a_moment_and_are_none_of_them_lost(screen: str, keys: str) -> None:
    run, fates = typed(screen, keys)
    assert not run.is_text
    assert fates[0] in {Fate.HOLD, Fate.RUN}
    assert Fate.TEXT not in fates


@pytest.mark.parametrize("screen", [BROWSE, INBOX, REVIEW, TIDY, PUBLISH])
@pytest.mark.parametrize("word", ["snapshot", "migration", "publish", "redirect", "timeout", "README", "the cart"])
def test_of_a_word_at_most_the_first_letter_acts(screen: str, word: str) -> None:
    run, fates = typed(screen, word)
    assert run.is_text
    assert run.text == word
    assert len(run.acted) <= 1
    assert fates[-1] is Fate.TEXT


def test_letters_that_come_slowly_are_commands() -> None:
    run, fates = typed(INBOX, "snapshot", pause=QUIET_SECONDS + 0.01)
    assert not run.is_text
    assert set(fates) <= {Fate.HOLD, Fate.RUN}


def test_enter_and_backspace_belong_to_a_word_for_a_while_and_to_no_commands() -> None:
    run, _ = typed(INBOX, "snapshot")
    last = 7 * TYPIST
    assert not run.ends("backspace", last + TYPIST)
    assert run.text == "snapsho"
    assert run.ends("escape", last + 2 * TYPIST)
    assert not run.ends("enter", last + 2 * TYPIST)
    assert run.ends("enter", last + 3 * TYPIST), "a second one is a command"
    assert not run.at(last + 3 * TYPIST, "a").is_text, "and so is what comes after it"
    late, _ = typed(INBOX, "snapshot")
    assert late.ends("enter", last + WORDS_SECONDS + 0.1)
    commands, _ = typed(INBOX, "ax")
    assert commands.ends("enter", 2 * TYPIST)


def test_every_screen_can_be_gone_to_from_the_other_after_the_rule_of_its_key() -> None:
    for first, second in pairwise("bTHKlJ"):
        _, fates = typed(BROWSE, first + second)
        assert fates == [Fate.HOLD, Fate.WAIT]
