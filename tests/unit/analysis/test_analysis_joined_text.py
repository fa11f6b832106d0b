"""Texts put together: nothing is lost or torn, and nothing is said twice."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.analysis.joined_text import join
from memtui.analysis.text_units import contexts, units_of
from memtui.domain.memory import normalise

WORDS = (
    "ballast",
    "tide",
    "lantern",
    "crew",
    "never",
    "moor",
    "winch",
    "e.g.",
    "`hull/keel.py`",
    "**brace**",
    "12",
    "v2.1",
)
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)
sentences = st.builds(
    lambda some, day, end: f"Haul {' '.join(some)} on day {day}{end}",
    words,
    st.integers(10, 13),
    st.sampled_from(".!?"),
)


def _wrapped(some: list[str], breaks: list[bool]) -> str:
    spread = " ".join(some).split(" ")
    return "".join(
        f"{word}{chr(10) if at < len(breaks) and breaks[at] else ' '}" for at, word in enumerate(spread)
    ).strip()


paragraphs = st.builds(_wrapped, st.lists(sentences, min_size=1, max_size=3), st.lists(st.booleans(), max_size=9))
bullets = st.lists(st.builds("- {}".format, sentences), min_size=2, max_size=4).map("\n".join)
steps = st.lists(sentences, min_size=2, max_size=4).map(
    lambda some: "\n".join(f"{at}. {each}\n   and make fast" for at, each in enumerate(some, 1))
)
tables = st.lists(st.builds("| {} | {} |".format, sentences, sentences), min_size=1, max_size=3).map(
    lambda rows: "\n".join(["| Deck | Duty |", "|---|---|", *rows])
)
code = st.builds("```sh\n{}\n\nstow\n```".format, st.sampled_from(WORDS))
intros = st.builds("On {} days:".format, st.sampled_from(WORDS))
headings = st.builds("## {}".format, st.sampled_from(WORDS))
texts = st.lists(st.one_of(paragraphs, bullets, steps, tables, code, intros, headings), min_size=1, max_size=5).map(
    "\n\n".join
)


def statements(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Return all that a text says, each with what it stands under; headings and introductions lead to it."""
    units = units_of(text)
    leads = {unit.parent for unit in units}
    return [
        (under, unit.key)
        for at, (unit, under) in enumerate(zip(units, contexts(units), strict=True))
        if at not in leads and any(map(str.isalnum, unit.key)) and not (unit.is_heading or unit.announces)
    ]


@given(st.one_of(texts, st.text(max_size=200)))
def test_the_units_of_a_text_are_the_text(text: str) -> None:
    whole = normalise(text).strip("\n")
    assert "".join(unit.gap + unit.text for unit in units_of(whole)).strip() == whole.strip()


@given(st.lists(texts, min_size=2, max_size=3))
def test_every_statement_is_in_the_result_under_what_it_stood_under(some: list[str]) -> None:
    made = join(some).text
    said = statements(made)
    for text in some:
        assert not set(statements(text)) - set(said), made
        for sentence in re.findall(r"Haul .*?on\sday\s\d\d", text, re.DOTALL):
            assert " ".join(sentence.split()) in " ".join(made.split())
    assert set(made.split()) <= {word for text in some for word in text.split()} | {"---"}, "no word is torn"


@given(st.lists(texts, min_size=2, max_size=3))
def test_nothing_is_said_oftener_than_by_one_of_them(some: list[str]) -> None:
    said = Counter(statements(join(some).text))
    most = Counter[tuple[tuple[str, ...], str]]()
    for text in some:
        most |= Counter(statements(text))
    carried_on = {key for text in some for unit in units_of(text) if unit.after for key in (unit.key,)}
    assert carried_on or said <= most


@given(texts, texts)
def test_a_result_is_not_changed_by_what_went_into_it(one: str, other: str) -> None:
    made = join([one, other]).text
    assert join([made, one]).text == made
    assert join([made, other]).text == made


def test_a_text_that_repeats_itself_is_not_the_fuller_one() -> None:
    one = "Haul ballast on day 10. Haul ballast ballast on day 10."
    other = "Haul ballast on day 10.\n\nHaul ballast on day 10. Haul ballast on day 10. Haul ballast on day 10?"
    made = join([one, other]).text
    assert join([made, one]).text == join([made, other]).text == made


STEPS = """Before the lock opens:

1. **Sound the horn.** Wait for the green lamp; hold
   until it is steady.
2. **Clear the sill.** Keep the stern off the gate."""
ASIDE = "Sound the horn, wait for the lamp, clear the sill (stern off the gate) and\n**hold** until it is steady."


@pytest.mark.parametrize("order", [(STEPS, ASIDE), (ASIDE, STEPS)])
def test_numbered_steps_and_lines_stay_as_they_are(order: tuple[str, str]) -> None:
    assert join(order).text == "\n\n".join(order)


TABLE = "| Flag | Means |\n|---|---|\n| red | stop |\n| blue | pilot |"


@pytest.mark.parametrize(
    ("one", "other", "made"),
    [
        pytest.param("Moor at dusk.", "* **Moor** at\n  dusk", "Moor at dusk.", id="markup and line breaks"),
        pytest.param(
            "Moor at dusk. Pump dry.", "Pump dry! Oil it weekly.", "Moor at dusk. Pump dry.\n\nOil it weekly.", id="all"
        ),
        pytest.param(TABLE, "| Flag | Means |\n|---|---|\n| blue | pilot |", TABLE, id="a table of the same rows"),
        pytest.param(
            "| Flag | Means |\n|---|---|\n| blue | pilot |\n| black | ice |",
            TABLE,
            "| Flag | Means |\n|---|---|\n| blue | pilot |\n| black | ice |\n\n"
            "| Flag | Means |\n|---|---|\n| red | stop |",
            id="the head stays with a new row",
        ),
        pytest.param(
            "Never moor at dusk.", "Moor at dusk.", "Never moor at dusk.\n\nMoor at dusk.", id="within another"
        ),
        pytest.param("Never:\n- moor", "Always:\n- moor", "Never:\n- moor\n\nAlways:\n- moor", id="under another"),
        pytest.param(
            "Winch care:\n- oil the winch with care\n- stow",
            "Oil the winch with care.",
            "Winch care:\n- oil the winch with care\n- stow",
            id="under what it says itself",
        ),
        pytest.param(
            "1. Winches:\n   - oil\n   - grease winches",
            "Oil. Grease winches.",
            "1. Winches:\n   - oil\n   - grease winches\n\nOil.",
            id="within an item",
        ),
        pytest.param(
            "Never moor:\n- moor at dusk",
            "Moor at dusk.",
            "Never moor:\n- moor at dusk\n\nMoor at dusk.",
            id="under what denies it",
        ),
        pytest.param("The rules:\n- moor\n- oil", "Rules:\n\n* oil", "The rules:\n- moor\n- oil", id="a list alone"),
        pytest.param("Oil `a-b`.", "Oil `a/b`.", "Oil `a-b`.\n\nOil `a/b`.", id="signs in names"),
        pytest.param(
            "## Never\n\n- moor", "Oil it.", "## Never\n\n- moor\n\n---\n\nOil it.", id="not under its heading"
        ),
        pytest.param("```\nstow", "Oil it.", "```\nstow\n```\n\nOil it.", id="code that is not closed"),
        pytest.param("1. Oil\n2. Pump", "1. Oil\n2. Moor", "1. Oil\n2. Pump\n\n2. Moor", id="numbers"),
        pytest.param("Ask e.g. Bo.", "Bo.", "Ask e.g. Bo.\n\nBo.", id="short forms end no sentence"),
    ],
)
def test_what_is_the_same_is_said_once(one: str, other: str, made: str) -> None:
    assert join([one, other]).text == made


def test_headings_put_before_a_text_do_not_make_it_another() -> None:
    bare, yard, quay = "Oil the winch", "Yard > Winches: Oil the winch", "Quay duty: Oil the winch."
    under = ["Rules > Winches", "Work > Yard > Winches#2", "Duties > Quay duty#1"]
    assert join([bare, yard, quay], places=under).text == yard
    assert join([bare, "Yard > Never: Oil the winch"], places=["", "Yard > Never"]).text.count("Oil") == 2
    fuller = "Quay duty:\n\n- Oil the winch\n- Stow the rope"
    assert join([yard, fuller], places=under[1:]).text == fuller
    lists = ["Yard > Winches:\n\n- Oil the winch\n- Grease the cable\n- Tar the line", fuller]
    assert join(lists, places=under[1:]).text == f"{lists[0]}\n\nQuay duty:\n\n- Stow the rope"


def test_texts_written_alike_keep_what_differs_in_numbers() -> None:
    one = "Radio the harbour on channel 12. Tie up at the north quay."
    other = "Radio the harbour on channel 16. Tie up at the north quay!"
    assert join([one, other], alike=0.6).text == f"{one}\n\nRadio the harbour on channel 16."
    assert join([one, "Radio the harbour, on channel 12. Tie up at the northern quay."], alike=0.6).places == (0,)
