"""Mending fragments, vague and oversized memories: each mend is one change that an undo takes back whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from curating import AGENT, PERSON, add, everything, get, new_vault

from memtui.analysis.flaws import Flaw, FlawReason, Mend
from memtui.curate.history import undo
from memtui.curate.mends import mend, mend_all
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.tidy_report import TidyReport
from memtui.domain.memory import Memory, Source
from memtui.errors import ConflictError, RefusedError, UsageError
from memtui.vault.vault import Vault

PIECES = ("The scale is calibrated once a week.", "All three are calibrated before the first ship is weighed.")


def look(vault: Vault) -> TidyReport:
    return tidy(vault, TidyOptions())


def imported(folder: Path, pieces: Sequence[str] = PIECES) -> Vault:
    """Return a vault with pieces that stood below each other in one file."""
    vault, _ = new_vault(folder)
    for line, text in enumerate(pieces, 3):
        made = add(vault, text)
        source = Source(format="claude-md", path="CLAUDE.md", span=(line, line), native_id=f"Tide gauge > Notes#{line}")
        with vault.write(actor="person", action="import") as writer:
            writer.put(replace(made, sources=(source,)))
    return vault


def test_a_fragment_is_joined_with_its_neighbour_and_an_undo_parts_them(tmp_path: Path) -> None:
    vault = imported(tmp_path)
    before = everything(vault)
    (flaw,) = look(vault).flaws.values()
    assert (flaw.reason, flaw.mend) == (FlawReason.DANGLING, Mend.JOIN)
    done = mend(vault, flaw, actor=PERSON)
    assert done.memory.id == flaw.other
    assert done.memory.insight.index("The scale") < done.memory.insight.index("All three")
    assert [other.id for other in done.others] == [flaw.id]
    assert get(vault, flaw.id).status == "merged"
    assert not look(vault).flaws
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def test_what_means_several_pieces_is_joined_with_each_of_them(tmp_path: Path) -> None:
    pieces = (
        "Tide gauge: The scale is calibrated once a week.",
        "Tide gauge: The clock is set at noon.",
        "All of these are checked by two people.",
    )
    vault = imported(tmp_path, pieces)
    before = everything(vault)
    (flaw,) = look(vault).flaws.values()
    assert len(flaw.more) == 1
    done = mend(vault, flaw, actor=PERSON)
    joined = "\n\n".join((pieces[0], "The clock is set at noon.", pieces[2]))
    assert done.memory.insight == joined, "the heading that both begin with stands there once"
    assert done.memory.title == "Tide gauge"
    assert not look(vault).flaws
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def test_the_heading_is_taken_into_the_text_and_the_title(tmp_path: Path) -> None:
    vault = imported(tmp_path)
    before = everything(vault)
    (flaw,) = look(vault).flaws.values()
    done = mend(vault, flaw, how=Mend.HEADING, actor=PERSON)
    assert done.memory.insight.startswith("Tide gauge: All three")
    assert "Tide gauge" in done.memory.title
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def long_memory(vault: Vault) -> Memory:
    items = "\n".join(
        f"- Crane {number} lifts {number} tonnes of gravel, and is greased by hand." for number in range(40)
    )
    return add(vault, items, title="Cranes", tags=("quay",), why="They differ.")


def test_an_oversized_memory_is_split_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    memory = long_memory(vault)
    before = everything(vault)
    (flaw,) = look(vault).flaws.values()
    assert (flaw.finding, flaw.mend) == ("oversized", Mend.SPLIT)
    done = mend(vault, flaw, actor=PERSON)
    parts = (done.memory, *done.others)
    assert len(parts) > 1
    assert "\n".join(part.insight for part in parts) == memory.insight
    assert all(part.tags == ("quay",) and part.status == "active" for part in parts)
    assert done.memory.rationale == "They differ."
    assert not look(vault).oversized
    with vault.read() as reader:
        links = {(link.from_id, link.type, link.to_id) for link in reader.links()}
    assert links == {(part.id, "derived-from", memory.id) for part in done.others}
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def test_what_a_split_would_not_cure_is_left_to_a_person(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    rows = "\n".join(f"| crane {number} | lifts {number} tonnes of gravel by hand |" for number in range(80))
    table = add(vault, f"All cranes of the quay.\n\n| crane | load |\n| --- | --- |\n{rows}", title="Cranes")
    items = "\n".join(f"- Crane {number} lifts {number} tonnes of gravel by hand." for number in range(30))
    reasons = "\n".join(f"Berth {number} was too shallow for the barge of that year." for number in range(80))
    record = add(vault, items, title="Move the cranes", why=reasons)
    flaws = look(vault).flaws
    assert {name: flaws[name].mend for name in flaws} == dict.fromkeys((table.id, record.id), Mend.EDIT)


def test_what_says_nothing_is_retired(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    memory = add(vault, "Be careful with errors.")
    (flaw,) = look(vault).flaws.values()
    assert mend(vault, flaw, actor=PERSON).memory.status == "retired"
    assert get(vault, memory.id).status == "retired"


def test_a_mend_that_is_not_possible_says_why_and_changes_nothing(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    memory = add(vault, "All three are calibrated before the first ship is weighed.")
    before = everything(vault)
    flaw = look(vault).flaws[memory.id]
    assert flaw.mend is Mend.EDIT
    for how in (Mend.EDIT, Mend.JOIN, Mend.HEADING, Mend.SPLIT):
        with pytest.raises(UsageError):
            mend(vault, flaw, how=how, actor=PERSON)
    with pytest.raises(RefusedError):
        mend(vault, flaw, how=Mend.RETIRE, actor=AGENT)
    with pytest.raises(ConflictError):
        mend(vault, Flaw(memory.id, flaw.reason, "", Mend.HEADING), actor=PERSON, versions={memory.id: 7})
    assert everything(vault) == before


def test_several_mends_are_one_change_and_what_only_a_person_can_shorten_stays(tmp_path: Path) -> None:
    vault = imported(tmp_path)
    add(vault, "Be careful with errors.")
    rows = "\n".join(f"| crane {number} | lifts {number} tonnes of gravel by hand |" for number in range(80))
    table = add(vault, f"All cranes of the quay.\n\n| crane | load |\n| --- | --- |\n{rows}", title="Cranes")
    before = everything(vault)
    flaws = look(vault).flaws
    result = mend_all(vault, list(flaws.values()), actor=PERSON)
    assert {done.mend for done in result.done} == {Mend.JOIN, Mend.RETIRE}
    assert [flaw.id for flaw, _ in result.failed] == [table.id]
    assert list(look(vault).flaws) == [table.id]
    undo(vault, actor=PERSON)
    assert everything(vault) == before
