from __future__ import annotations

from time import process_time

import pytest

from memtui.analysis.sentence_acts import SENTENCE_CHARS, acts_of


@pytest.mark.parametrize(
    ("sentence", "act"),
    [
        ("Never open the sluice by hand", "forbids"),
        ("No direct writes to the ledger", "forbids"),
        ("No duplicates - list each berth once", "forbids"),
        ("No entry without the pilot that is required", "forbids"),
        ("Because the pump restarts on its own, do not cut its power", "forbids"),
        ("Keine Messwerte im Frontend berechnen", "forbids"),
        ("Ne pas modifier les tarifs publiés", "forbids"),
        ("Every fare must be a whole number of cents", "obliges"),
        ("Only restart the kiln when the door is open", "obliges"),
        ("Write one test for each fare", "orders"),
        ("When a berth is free, notify the pilot", "orders"),
        ("Revisa los horarios de verano", "orders"),
        ("Prüfe die Uhrzeit vor jeder Fahrt", "orders"),
        ("`make kiln` fires the test oven", "command_first"),
        ("Seed the harbour with `./seed.sh north`", "command"),
        ("The kiln service reads the sensors", "tells"),
        ("Glaze — a thin coat on top of the clay", "defines"),
        ("We chose clay instead of steel because it keeps its heat", "decide"),
        ("The printer hangs when a name holds an umlaut", "fault_explained"),
        ("It turned out that the tide table starts at noon", "learned"),
        ("The ferry app is currently moving to a new login", "now"),
    ],
)
def test_a_sentence_says_what_it_does(sentence: str, act: str) -> None:
    assert act in acts_of(sentence)


@pytest.mark.parametrize(
    ("sentence", "act"),
    [
        ("You do not need to restart the kiln", "forbids"),
        ("The gate stays open, because it must let the tide through", "obliges"),
        ("Tide tables come from the harbour — no copy is kept", "forbids"),
        ("The always-open gate lets the tide through", "obliges"),
        ("Cache keys have a prefix", "orders"),
        ("Format: one line for each berth", "orders"),
        ("CI fails when a berth has no test", "fault_explained"),
        ("Never run `make flood`", "command"),
        ("The error page lists every berth", "fails"),
        ("The variant is chosen by the pilot", "decide"),
        ("Runs when a firing fails", "fault_explained"),
        ("The gate is a weir rather than a lock because the tide is weak", "instead_because"),
        ("No berth conflicts - the harbour assigns berths by itself", "forbids"),
        ("No delays: a second kiln takes over", "forbids"),
        ("No pilot is needed at low tide", "forbids"),
        ("No pilot is required by the harbour", "obliges"),
        ("No tide tables yet, so ask the pilot", "forbids"),
    ],
)
def test_words_that_sound_like_an_act_are_none_where_they_do_something_else(sentence: str, act: str) -> None:
    assert act not in acts_of(sentence)


def test_words_are_found_without_their_accents_and_umlauts() -> None:
    assert "obliges" in acts_of("Die Pruefung muss gruendlich sein")
    assert "forbids" in acts_of("Es ist unzulaessig, Werte zu runden")


def test_a_long_sentence_is_read_from_its_start() -> None:
    assert acts_of("word " * SENTENCE_CHARS + "never") == acts_of("word " * SENTENCE_CHARS)
    assert acts_of("") == acts_of("** **") == frozenset()


def test_a_long_row_of_names_in_code_is_read_at_once() -> None:
    names = ", ".join(["`winch`"] * 16)
    started = process_time()

    assert acts_of(f"**Crane** (`quay/crane.rb`) — Fluent builder: {names}")

    assert process_time() - started < 1
