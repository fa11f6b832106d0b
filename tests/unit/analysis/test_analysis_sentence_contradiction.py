"""A memory that came by itself, typed or captured, against what files say: judged by the sentences that are nearest."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui.analysis.contradictions import FEW_LONE, find_contradictions
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness
from memtui.analysis.sentence_contradiction import sentence_contradiction
from memtui.analysis.snapshot import Alike, Snapshot
from memtui.analysis.text_features import wording_of
from memtui.domain.memory import Memory, Source

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NEAR = Nearness(0.7, 0.4, is_crowded=True)

RULE = """The mill is cleaned by hand. The chute is oiled every 3 days, always before the first load.
Sacks are sewn with hemp twine — never with wire. The scale shows kilograms."""


def facts(text: str) -> Facts:
    return Facts(wording_of("", text), text)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Sew the sacks with wire.", "never with wire"),
        ("Oil the chute every 5 days.", "oiled every 3 days"),
        ("Do not clean the mill by hand.", "cleaned by hand"),
    ],
)
def test_a_sentence_within_a_longer_rule_is_found_to_exclude_what_was_typed(said: str, shown: str) -> None:
    found = sentence_contradiction(facts(said), facts(RULE), NEAR)
    assert found is not None
    assert found.first.insight == said
    assert shown in found.second.insight


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("Sieve replaced Grist for the bran last spring.", "Bran goes through Grist, at a slow pace."),
        ("We weigh with `tally` now; `balance` is gone.", "Weighing: `balance`"),
        ("Tallow kept clogging the axle, please take oil.", "Grease the axle with Tallow every week."),
        ("Deliveries are listed in books/deliveries.md.", "Deliveries are listed in `ledger/in.md`."),
        ("Start the mill with GRAIN_MODE=2.", "The mill is started with `GRAIN_MODE=1`."),
        ("Use Hopper two for oats.", "Use the small bin for oats instead of Hopper."),
        ("It's fine to run the mill in high wind.", "Never run the mill in high wind."),
        ("Do not mix rye and wheat in one sack.", "Rye and wheat are mixed in one sack."),
        ("We left Grist, bran is sieved by hand.", "Bran goes through Grist, at a slow pace."),
        ("The windlass went away in spring.", "Sacks are lifted with the windlass by two."),
        ("twine_check is off unless you ask for it.", "Each sack is sewn with `twine_check=True`."),
        ("Marks take a dash: RYE becomes RYE-1.", "Marks take an x: RYE becomes `RYEx`."),
        ("Sew the sacks first and weigh the load afterwards.", "1. Weigh the load\n2. Oil the scale\n3. Sew the sacks"),
        ("Leave the gate open, nobody has to wait for the miller.", "You should wait for the\nmiller at the gate."),
        ("Weigh by `tally`, the clerk reads it.", "Weigh by `balance`, not by tally marks."),
    ],
)
def test_what_a_colleague_writes_later_takes_a_rule_back(said: str, rule: str) -> None:
    assert sentence_contradiction(facts(said), facts(rule), NEAR) is not None


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("`balance` shows ounces as well.", "Weighing: `balance`"),
        ("Tallow is kept in the shed.", "Grease the axle with Tallow every week."),
        ("Deliveries of `ledger/in.md` are signed twice.", "Deliveries are listed in `ledger/in.md`."),
        ("`sieve` is configured in mill.toml.", "sieve check grain/rye.py"),
        ("Start the mill with GRAIN_MODE=1 in winter.", "The mill is started with `GRAIN_MODE=1`."),
        ("Hopper is being repaired.", "Use the small bin for oats, not Flume."),
        ("Call the smith if `balance` is no longer level.", "Weighing: `balance`"),
        ("Clean the axle as soon as Tallow is gone.", "Grease the axle with Tallow every week."),
        ("Oil wheels that Tallow no longer reaches.", "Grease the axle with Tallow every week."),
        ('Write notes such as "Tallow is gone" on the slate.', "Grease the axle with Tallow every week."),
        ("Copies of the ledger go to the smith.", "A copy of the ledger is gone within 7 days."),
        ("Rye sacks are weighed, Tallow ones are not.", "Grease the axle with Tallow every week."),
        ("Weigh the load first and sew the sacks afterwards.", "1. Weigh the load\n2. Oil the scale\n3. Sew the sacks"),
        ("Clerks may lend old sacks.", "Don't wash old sacks."),
    ],
)
def test_what_adds_to_a_rule_takes_nothing_back(said: str, rule: str) -> None:
    assert sentence_contradiction(facts(said), facts(rule), NEAR) is None


def test_a_statement_is_held_against_the_memory_that_is_nearest_to_it() -> None:
    long = " ".join(f"Door number {number} of the mill is painted in colour {number + 40}." for number in range(12))
    texts = {"a": "Weighing: `balance`", "b": f"`balance` is oiled. {long}", "c": "Doors are shut at night."}
    rules = [memory(name, text, path="CLAUDE.md") for name, text in texts.items()]
    typed = memory("t", "We weigh with `tally` now; `balance` is gone.")
    alike = [Alike("a", "t", 0.6, 0.3), Alike("b", "t", 0.3, 0.3)]
    assert proposed(*rules, typed, alike=alike) == {("a", "t")}
    assert proposed(*rules[1:], typed, alike=[alike[1], Alike("c", "t", 0.9, 0.3)]) == set()


def test_a_memory_of_a_file_may_be_taken_back_by_several_statements() -> None:
    rule = memory("a", "Weigh with `balance`. Grease the axle with Tallow every week.", path="CLAUDE.md")
    other = memory("b", "Doors are shut at night.", path="CLAUDE.md")
    typed = [memory("t", "The old `balance` is gone."), memory("u", "Tallow kept clogging the axle.")]
    alike = [Alike("a", "t", 0.6, 0.3), Alike("a", "u", 0.6, 0.3)]
    assert proposed(rule, other, *typed, alike=alike) == {("a", "t"), ("a", "u")}


@pytest.mark.parametrize(
    "said",
    ["Sew the sacks with hemp twine.", "Oil the chute every 3 days.", "The scale shows kilograms.", "Clean the mill."],
)
def test_what_repeats_a_part_of_a_rule_does_not_contradict_the_rest_of_it(said: str) -> None:
    assert sentence_contradiction(facts(said), facts(RULE), NEAR) is None


def test_what_does_not_stand_out_of_its_neighbours_and_what_has_no_vectors_is_left_alone() -> None:
    said = facts("Sacks are best not sewn with hemp at harvest time, as the twine is short.")
    assert sentence_contradiction(said, facts(RULE), Nearness(0.45, 0.9, is_crowded=True)) is None
    assert sentence_contradiction(facts("Sew the sacks with wire."), facts(RULE), Nearness(is_crowded=True)) is None


def memory(identifier: str, text: str, *, path: str | None = None) -> Memory:
    source = Source(format="claude-md" if path else "memtui", path=path)
    return Memory(
        id=identifier,
        title=text[:40],
        insight=text,
        project="mill",
        created_at=NOW,
        updated_at=NOW,
        sources=(source,),
    )


def proposed(*memories: Memory, alike: list[Alike]) -> set[tuple[str, str]]:
    return {found.ids for found in find_contradictions(Snapshot(list(memories)), alike=alike)}


def test_only_what_came_by_itself_is_held_against_files_and_only_its_surest_contradictions_are_proposed() -> None:
    long = " ".join(f"Door number {number} of the mill is painted in colour {number + 40}." for number in range(12))
    kept = memory("a", f"{RULE} {long}", path="CLAUDE.md")
    also = memory("b", f"Sacks are sewn with hemp twine, never with wire. {long}", path="AGENTS.md")
    again = memory("d", f"Nobody sews sacks with wire. {long}", path="GEMINI.md")
    typed = memory("c", "Sew the sacks with wire.")
    alike = [Alike("a", "c", 0.7, 0.4), Alike("b", "c", 0.75, 0.4), Alike("c", "d", 0.69, 0.4)]
    assert proposed(kept, also, again, typed, alike=alike) == {("a", "c"), ("b", "c")}
    imported = memory("c", "Sew the sacks with wire.", path="docs/notes.md")
    assert proposed(kept, also, imported, alike=alike) == set()


def test_however_many_were_typed_few_are_proposed() -> None:
    long = " ".join(f"Door number {number} of the mill is painted in colour {number + 40}." for number in range(12))
    rules, typed, alike = [], [], []
    for number in range(FEW_LONE + 4):
        rules.append(memory(f"r{number:02}", f"Silo s{number} is never filled with rye. {long}", path=f"{number}.md"))
        typed.append(memory(f"t{number:02}", f"Silo s{number} is filled with rye."))
        alike.append(Alike(f"r{number:02}", f"t{number:02}", 0.8, 0.4))
    assert len(proposed(*rules, *typed, alike=alike)) == FEW_LONE


def test_among_many_imported_memories_an_order_alone_is_no_contradiction() -> None:
    texts = ("Weigh the sacks before you sew them.", "Sew the sacks before you weigh them.")
    names = ("Larks nest under the roof.", "The yard is paved.", "A fox lives nearby.", "Rain fills the tank.")
    crowd = [memory(f"x{number}", text, path="a.md") for number, text in enumerate(names)]
    for path, number in ((None, 1), ("CLAUDE.md", 0)):
        pair = [memory(name, text, path=path) for name, text in zip("ab", texts, strict=True)]
        found = find_contradictions(Snapshot([*pair, *crowd]), alike=[Alike("a", "b", 0.95, 0.4)])
        assert [each.type for each in found] == ["order"] * number
