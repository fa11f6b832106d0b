"""What a user relies on while choosing what goes into a payload: each choice can be undone and redone, in order."""

from __future__ import annotations

from datetime import UTC, datetime

from memtui.tui.context.ask import Ask, Choices, Moment, Step, Steps, lines_of
from memtui.vault.packs import Recipe


def test_a_tick_puts_in_what_is_withheld_leaves_out_the_rest_and_a_second_one_takes_it_back() -> None:
    choices = Choices(unconfirmed=True).ticked("in", is_withheld=False).ticked("out", is_withheld=True)
    assert (choices.without, choices.with_ids) == (frozenset({"in"}), frozenset({"out"}))
    assert choices.has_tick("out")
    assert choices.ticked("in", is_withheld=False).ticked("out", is_withheld=False) == Choices(unconfirmed=True)
    assert choices.without_ticks() == Choices(unconfirmed=True)
    assert not choices.without_ticks().has_ticks


def test_choices_are_the_same_after_a_restart_whatever_else_the_file_holds() -> None:
    choices = Choices(frozenset({"a", "b"}), frozenset({"c"}), unconfirmed=True, with_loaded=True, secrets="mask")
    assert Choices.restored(choices.remembered() | {"task": "x"}) == choices
    assert Choices().remembered() == {}
    assert Choices.restored({"without": 7, "unconfirmed": True, "secrets": None}) == Choices()


def test_steps_are_undone_last_first_and_a_new_one_ends_what_can_be_redone() -> None:
    steps, first, second = Steps(), Step("one", Moment(Choices()), Moment(Choices())), Step("two", change=7)
    assert steps.undo() is None
    steps.add(first)
    steps.add(second)
    assert [steps.undo(), steps.undo(), steps.undo()] == [second, first, None]
    assert steps.redo() == first
    steps.add(second)
    assert steps.redo() is None
    assert [steps.undo(), steps.undo()] == [second, first]


def test_a_recipe_brings_its_lines_and_choices_and_odd_options_are_ignored() -> None:
    options = {
        "style": "compiled",
        "phase": "debug",
        "without": ["a", 1],
        "with": "b",
        "unconfirmed": True,
        "secrets": 0,
    }
    recipe = Recipe(
        name="weekly",
        project=None,
        task="refunds",
        files=("a.py", "b.py"),
        target="chat",
        budget="900",
        created_at=datetime(2026, 6, 1, tzinfo=UTC),
        options=options,
    )
    ask = Ask.of(recipe)
    assert (ask.phase, ask.style, ask.standing) == ("debug", "compiled", None)
    assert ask.choices == Choices(without=frozenset({"a"}), unconfirmed=True)
    lines = {"task": "refunds", "files": "a.py, b.py", "budget": "900", "target": "chat"}
    assert lines_of(recipe) == lines | {"style": "compiled", "phase": "debug"}
