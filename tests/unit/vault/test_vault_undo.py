"""Undo takes back one person's change and keeps what others wrote since, or refuses and shows both texts."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import NOON, FrozenClock, make_memory

from memtui.domain.memory import Link, Memory, Signal, Verdict
from memtui.errors import ConflictError, NotFoundError, NothingToUndoError, RefusedError
from memtui.vault.journal import log
from memtui.vault.undo import redo, seal, undo
from memtui.vault.vault import Vault
from memtui.vault.writer import VaultWriter

ANNA, BEN = "anna", "ben"
LINES = "Check the cones.\nWarm the kiln.\nClose the lid."


def _edit(vault: Vault, actor: str, identifier: str = "memoryaa", **values: object) -> int:
    """Change fields of a memory; returns the number of the change."""
    with vault.write(actor=actor, action="edit", summary=f"{actor} edits") as writer:
        writer.put(replace(writer.get(identifier), **values))  # type: ignore[arg-type]
    return writer.number


def _undo(vault: Vault, actor: str | None, number: int | None = None) -> int:
    with vault.write(actor=actor or "person", action="undo") as writer:
        return undo(writer, actor=actor, number=number).number


def _redo(vault: Vault, actor: str | None) -> int:
    with vault.write(actor=actor or "person", action="redo") as writer:
        return redo(writer, actor=actor).number


def _get(vault: Vault, identifier: str = "memoryaa") -> Memory:
    with vault.read() as reader:
        return reader.get(identifier)


@pytest.fixture
def kiln(vault: Vault) -> Vault:
    """A vault with one memory of three lines, which Anna added as change 1."""
    with vault.write(actor=ANNA, action="add") as writer:
        writer.put(make_memory(id="memoryaa", title="Firing", insight=LINES, tags=("clay",)))
    return vault


def test_undo_takes_back_the_last_change_of_the_one_who_asks(kiln: Vault) -> None:
    mine = _edit(kiln, ANNA, title="Firing a kiln")
    _edit(kiln, BEN, tags=("clay", "glaze"))
    assert _undo(kiln, ANNA) == mine
    assert (_get(kiln).title, _get(kiln).tags) == ("Firing", ("clay", "glaze"))
    assert _redo(kiln, ANNA) == mine
    assert (_get(kiln).title, _get(kiln).tags) == ("Firing a kiln", ("clay", "glaze"))


def test_undo_of_anybody_takes_back_the_last_change_of_all(kiln: Vault) -> None:
    _edit(kiln, ANNA, title="Firing a kiln")
    theirs = _edit(kiln, BEN, importance=5)
    assert _undo(kiln, None) == theirs


def test_a_change_in_the_middle_is_undone_by_its_number(kiln: Vault) -> None:
    middle = _edit(kiln, ANNA, insight=LINES.replace("cones", "pyrometric cones"))
    _edit(kiln, BEN, insight=_get(kiln).insight.replace("Close the lid.", "Close the lid and lock it."))
    _edit(kiln, ANNA, importance=5)
    assert _undo(kiln, BEN, middle) == middle
    assert _get(kiln).insight == LINES.replace("Close the lid.", "Close the lid and lock it.")
    assert _get(kiln).importance == 5


def test_words_that_both_changed_are_a_conflict_with_both_texts_and_nothing_is_written(kiln: Vault) -> None:
    _edit(kiln, ANNA, insight=LINES.replace("cones", "pyrometric cones"))
    later = _edit(kiln, BEN, insight=LINES.replace("cones", "thermocouple"))
    with pytest.raises(ConflictError) as caught:
        _undo(kiln, ANNA)
    assert "Check the cones." in caught.value.mine
    assert "Check the thermocouple." in caught.value.theirs
    assert f"memtui undo {later}" in caught.value.remedy
    assert "thermocouple" in _get(kiln).insight
    assert _undo(kiln, None, later) == later
    _undo(kiln, ANNA)
    assert _get(kiln).insight == LINES


def test_a_memory_that_others_changed_is_not_removed_by_undoing_its_creation(kiln: Vault) -> None:
    _edit(kiln, BEN, title="Firing at cone 6")
    with pytest.raises(ConflictError):
        _undo(kiln, ANNA)
    assert _get(kiln).title == "Firing at cone 6"


def test_a_memory_that_others_linked_is_not_removed_by_undoing_its_creation(kiln: Vault) -> None:
    with kiln.write(actor=BEN, action="link") as writer:
        writer.put(make_memory(id="memorybb", insight="Glaze after the first firing."))
        writer.add_links([Link(from_id="memorybb", type="relates", to_id="memoryaa", created_at=NOON)])
    with pytest.raises(ConflictError, match="was changed again since") as caught:
        _undo(kiln, ANNA)
    assert f"memtui undo {writer.number}" in caught.value.remedy
    _undo(kiln, BEN)
    _undo(kiln, ANNA)


_ADDED_TO_A = (
    Link(from_id="memorybb", type="relates", to_id="memoryaa", created_at=NOON),
    Verdict(memory_id="memoryaa", verdict="still-true", at=NOON, actor=ANNA, exposure_days=3.0),
    Signal(memory_id="memoryaa", signal="helped", at=NOON, actor=ANNA),
)


def _add(writer: VaultWriter, thing: Link | Verdict | Signal) -> None:
    writer.add_links([thing] if isinstance(thing, Link) else ())
    writer.add_verdicts([thing] if isinstance(thing, Verdict) else ())
    writer.add_signals([thing] if isinstance(thing, Signal) else ())


def _kin(vault: Vault) -> tuple[int, ...]:
    with vault.read() as reader:
        return len(reader.links()), len(reader.verdicts()), len(reader.signals())


@pytest.mark.parametrize("thing", _ADDED_TO_A)
def test_what_belongs_to_a_memory_that_is_gone_is_not_put_back(kiln: Vault, thing: Link | Verdict | Signal) -> None:
    with kiln.write(actor=BEN, action="add") as writer:
        writer.put(make_memory(id="memorybb", insight="Glaze after the first firing."))
    with kiln.write(actor=BEN, action="relate") as writer:
        _add(writer, thing)
    with kiln.write(actor=BEN, action="unlink") as taken:
        taken.drop([thing])
    _undo(kiln, ANNA, 1)
    with pytest.raises(ConflictError, match=f"Cannot undo change {taken.number}"):
        _undo(kiln, BEN, taken.number)
    assert _kin(kiln) == (0, 0, 0)
    _redo(kiln, None)
    _undo(kiln, BEN, taken.number)
    assert sum(_kin(kiln)) == 1


def test_a_link_that_came_without_its_other_end_is_undone_and_redone(kiln: Vault) -> None:
    with kiln.write(actor=BEN, action="import") as writer:
        writer.add_links([Link(from_id="memoryaa", type="relates", to_id="neverhad", created_at=NOON)])
    _undo(kiln, BEN)
    _redo(kiln, BEN)
    assert _kin(kiln) == (1, 0, 0)


def test_a_later_verification_by_somebody_else_stays(kiln: Vault) -> None:
    _edit(kiln, ANNA, verified_at=NOON, verified_by=ANNA)
    later = NOON.replace(hour=15)
    _edit(kiln, BEN, verified_at=later, verified_by=BEN)
    _undo(kiln, ANNA)
    assert (_get(kiln).verified_at, _get(kiln).verified_by) == (later, BEN)


def test_a_half_life_that_others_set_since_is_a_conflict(kiln: Vault) -> None:
    for actor, days in ((ANNA, 40.0), (BEN, 70.0)):
        with kiln.write(actor=actor, action="half-life") as writer:
            writer.set_half_life("lesson", days)
    with pytest.raises(ConflictError):
        _undo(kiln, ANNA)
    _undo(kiln, BEN)
    _undo(kiln, ANNA)


def test_redo_makes_again_what_was_undone_last_whatever_its_number(kiln: Vault) -> None:
    first, second = _edit(kiln, ANNA, importance=4), _edit(kiln, ANNA, title="Firing slowly")
    _undo(kiln, ANNA, first)
    _undo(kiln, ANNA)
    assert [_redo(kiln, ANNA), _redo(kiln, ANNA)] == [second, first]


def test_a_new_change_by_others_leaves_what_can_be_redone(kiln: Vault) -> None:
    mine = _edit(kiln, ANNA, title="Firing slowly")
    _undo(kiln, ANNA)
    _edit(kiln, BEN, importance=2)
    assert _redo(kiln, ANNA) == mine
    _undo(kiln, ANNA)
    _edit(kiln, ANNA, importance=3)
    with pytest.raises(NothingToUndoError):
        _redo(kiln, ANNA)


def test_what_one_person_undid_of_another_is_redone_by_the_one_who_undid_it(kiln: Vault) -> None:
    theirs = _edit(kiln, BEN, title="Firing slowly")
    _undo(kiln, ANNA, theirs)
    with pytest.raises(NothingToUndoError):
        _redo(kiln, BEN)
    assert _redo(kiln, ANNA) == theirs


def test_undo_says_why_a_change_cannot_be_undone(kiln: Vault) -> None:
    with pytest.raises(NotFoundError):
        _undo(kiln, ANNA, 99)
    edit = _edit(kiln, ANNA, title="Firing slowly")
    _undo(kiln, ANNA)
    with pytest.raises(NothingToUndoError, match="already"):
        _undo(kiln, ANNA, edit)
    with pytest.raises(RefusedError) as refused:
        _undo(kiln, ANNA, edit + 1)  # the undo itself
    assert "memtui redo" in refused.value.remedy
    with pytest.raises(NothingToUndoError) as caught:
        _undo(kiln, BEN)
    assert "memtui undo 1" in caught.value.remedy
    with kiln.write(actor=ANNA, action="demo") as writer:
        seal(writer)
    with pytest.raises(NothingToUndoError):
        _undo(kiln, ANNA)


def test_the_undo_of_an_undone_change_is_no_entity_of_its_own_in_the_log(kiln: Vault) -> None:
    _undo(kiln, ANNA)
    with kiln.read() as reader:
        assert [change.state for change in log(reader)] == ["done", "undone"]


acts = st.lists(
    st.tuples(st.sampled_from([ANNA, BEN]), st.sampled_from(["line", "tag", "undo", "redo"]), st.integers(0, 5)),
    min_size=2,
    max_size=14,
)


@given(acts)
@settings(max_examples=15)
def test_whatever_two_people_do_in_turn_undoing_takes_back_only_ones_own_words(
    acts: list[tuple[str, str, int]],
) -> None:
    """Each owns three lines and their tags; whatever either undoes, what the other wrote is there."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Vault(Path(folder) / "vault.duckdb", now=FrozenClock())
        with vault.write(actor="person", action="add") as writer:
            writer.put(make_memory(id="memoryaa", title="Log", insight="\n".join(["a", "=", "b", "=", "c", "="] * 2)))
            seal(writer)
        states: dict[str, list[str]] = {ANNA: [_own(vault, ANNA)], BEN: [_own(vault, BEN)]}
        undone: dict[str, list[str]] = {ANNA: [], BEN: []}
        for count, (actor, act, place) in enumerate(acts):
            other = BEN if actor == ANNA else ANNA
            before = _own(vault, other)
            if act == "undo":
                if len(states[actor]) > 1:
                    _undo(vault, actor)
                    undone[actor].append(states[actor].pop())
            elif act == "redo":
                if undone[actor]:
                    _redo(vault, actor)
                    states[actor].append(undone[actor].pop())
            else:
                with vault.write(actor=actor, action="edit") as writer:
                    _write(writer, actor, act, place, count)
                undone[actor].clear()
                states[actor].append(_own(vault, actor))
            assert _own(vault, actor) == states[actor][-1]
            assert _own(vault, other) == before


def _write(writer: VaultWriter, actor: str, act: str, place: int, count: int) -> None:
    memory = writer.get("memoryaa")
    if act == "tag":
        writer.put(replace(memory, tags=(*memory.tags, f"{actor}-{count}")))
        return
    lines = memory.insight.split("\n")
    # Three lines of each in turn, with a line that nobody changes between any two.
    lines[2 * (place % 3) + (6 if actor == BEN else 0)] = f"{actor} {count}"
    writer.put(replace(memory, insight="\n".join(lines)))


def _own(vault: Vault, actor: str) -> str:
    memory = _get(vault)
    lines = memory.insight.split("\n")
    mine = lines[6:] if actor == BEN else lines[:6]
    return "\n".join([*mine, *sorted(tag for tag in memory.tags if tag.startswith(actor))])
