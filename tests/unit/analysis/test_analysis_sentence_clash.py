"""A memory that came by itself, typed or captured, against what files say: judged by the sentences that are nearest."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui.analysis.contradictions import FEW_LONE, find_contradictions
from memtui.analysis.pair_facts import Facts
from memtui.analysis.pair_features import Nearness
from memtui.analysis.sentence_clash import sentence_clash
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
    found = sentence_clash(facts(RULE), facts(said), NEAR)
    assert found is not None
    assert shown in found.first.insight
    assert found.second.insight == said


@pytest.mark.parametrize(
    "said",
    ["Sew the sacks with hemp twine.", "Oil the chute every 3 days.", "The scale shows kilograms.", "Clean the mill."],
)
def test_what_repeats_a_part_of_a_rule_does_not_contradict_the_rest_of_it(said: str) -> None:
    assert sentence_clash(facts(RULE), facts(said), NEAR) is None


def test_what_does_not_stand_out_of_its_neighbours_and_what_has_no_vectors_is_left_alone() -> None:
    said = facts("Sacks are best not sewn with hemp at harvest time, as the twine is short.")
    assert sentence_clash(facts(RULE), said, Nearness(0.45, 0.9, is_crowded=True)) is None
    assert sentence_clash(facts(RULE), facts("Sew the sacks with wire."), Nearness(is_crowded=True)) is None


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


def test_only_what_came_by_itself_is_held_against_files_and_only_its_surest_contradiction_is_proposed() -> None:
    long = " ".join(f"Door number {number} of the mill is painted in colour {number + 40}." for number in range(12))
    kept = memory("a", f"{RULE} {long}", path="CLAUDE.md")
    also = memory("b", f"Sacks are sewn with hemp twine, never with wire. {long}", path="AGENTS.md")
    typed = memory("c", "Sew the sacks with wire.")
    alike = [Alike("a", "c", 0.7, 0.4), Alike("b", "c", 0.75, 0.4), Alike("a", "b", 0.8, 0.4)]
    assert proposed(kept, also, typed, alike=alike) == {("b", "c")}
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
