"""Dismissals teach: what is like enough of them is not proposed again, within bounds, until that is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from curating import AGENT, PERSON, add, bring, everything, new_vault, write_files
from pack_story import packed

from memtui.analysis.dismissals import FEWEST, VERDICT_OF
from memtui.curate.explain_payload import contradictions_in
from memtui.curate.health import HealthOptions, health
from memtui.curate.history import undo
from memtui.curate.projects import View
from memtui.curate.resolutions import dismiss, unlearn
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.tidy_report import TidyReport
from memtui.errors import NotFoundError, RefusedError
from memtui.publish.files import jsonl_text
from memtui.publish.portable import take_snapshot
from memtui.recall.result import Task
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace

GRAIN = ("wheat", "barley", "maize", "oats", "rye", "millet")


def look(vault: Vault) -> TidyReport:
    return tidy(vault, TidyOptions())


def silos(folder: Path, grains: Sequence[str] = GRAIN) -> Vault:
    """Return a vault in which a file gives each silo two capacities."""
    vault, _ = new_vault(folder)
    store(vault, folder, grains)
    return vault


def store(vault: Vault, folder: Path, grains: Sequence[str]) -> None:
    lines = [
        f"- The silo for {grain} holds {number + 30} tonnes.\n- The silo for {grain} holds {number + 60} tonnes."
        for number, grain in enumerate(grains)
    ]
    write_files(folder / "mill", {"CLAUDE.md": "# Silos\n\n" + "\n".join(lines) + "\n"})
    bring(vault, folder / "mill", active=True, project="mill")


def dismiss_some(vault: Vault, finding: str, number: int) -> list[tuple[str, ...]]:
    ids = [proposal.ids for proposal in look(vault).proposals(finding)][:number]
    dismiss(vault, VERDICT_OF[finding], *ids, actor=PERSON)
    return ids


def test_enough_dismissals_in_a_file_keep_the_like_from_being_proposed(tmp_path: Path) -> None:
    vault = silos(tmp_path)
    assert len(look(vault).contradictions) == len(GRAIN)
    dismiss_some(vault, "contradictions", FEWEST["files"] - 1)
    report = look(vault)
    assert len(report.contradictions) == len(GRAIN) - FEWEST["files"] + 1
    assert report.hidden == ()
    dismiss_some(vault, "contradictions", 1)
    report = look(vault)
    assert report.contradictions == ()
    assert len(report.hidden) == len(GRAIN) - FEWEST["files"]
    ((lesson, number), *_) = report.lessons
    assert number == len(report.hidden)
    assert (lesson.finding, lesson.shape, lesson.sort) == ("contradictions", ("number",), "files")
    assert lesson.place.endswith("CLAUDE.md")
    assert lesson.number == FEWEST["files"]


def test_what_was_learned_keeps_a_payload_from_warning_too(tmp_path: Path) -> None:
    vault = silos(tmp_path)

    def warned() -> set[tuple[str, ...]]:
        pack = packed(vault, Task("how many tonnes does a silo hold"), Scope.of_project("mill"), project="mill")
        assert len(pack.included) == 2 * len(GRAIN)
        return {found.ids for found in contradictions_in(vault, pack)}

    assert len(warned()) == len(GRAIN)
    dismiss_some(vault, "contradictions", FEWEST["files"])
    assert warned() == set()


def test_what_is_of_another_shape_or_from_elsewhere_is_proposed_as_before(tmp_path: Path) -> None:
    vault = silos(tmp_path)
    dismiss_some(vault, "contradictions", FEWEST["files"])
    old = add(vault, "We deploy with Postgres 13 in production.", project="mill")
    new = add(vault, "We deploy with Postgres 14 in production.", project="mill")
    one = add(vault, "The ferry for cars holds 30 cars.", project="pier")
    other = add(vault, "The ferry for cars holds 60 cars.", project="pier")
    assert {frozenset(found.ids) for found in look(vault).contradictions} == {
        frozenset((old.id, new.id)), frozenset((one.id, other.id)),
    }  # fmt: skip


def test_unlearning_proposes_the_like_again_and_leaves_the_dismissed_dismissed(tmp_path: Path) -> None:
    vault = silos(tmp_path)
    gone = dismiss_some(vault, "contradictions", FEWEST["files"])
    lesson = look(vault).lessons[0][0]
    assert look(vault).lesson(lesson.name) == lesson
    with pytest.raises(RefusedError):
        unlearn(vault, lesson, actor=AGENT)
    before = everything(vault)
    assert unlearn(vault, lesson, actor=PERSON) == FEWEST["files"]
    report = look(vault)
    assert report.hidden == ()
    assert {found.ids for found in report.contradictions}.isdisjoint(gone)
    assert len(report.contradictions) == len(GRAIN) - len(gone)
    with pytest.raises(NotFoundError):
        report.lesson(lesson.name)
    undo(vault, actor=PERSON)
    assert everything(vault) == before
    assert look(vault).contradictions == ()


def test_an_undo_of_the_last_dismissal_unteaches(tmp_path: Path) -> None:
    vault = silos(tmp_path)
    dismiss_some(vault, "contradictions", FEWEST["files"])
    assert look(vault).hidden
    undo(vault, actor=PERSON)
    assert not look(vault).hidden
    assert len(look(vault).contradictions) == len(GRAIN)


def test_dismissals_and_what_they_teach_survive_export_and_import(tmp_path: Path) -> None:
    vault = silos(tmp_path)
    dismiss_some(vault, "contradictions", FEWEST["files"])
    before = look(vault)
    (tmp_path / "out.jsonl").write_text(jsonl_text(take_snapshot(vault, EVERYTHING)), "utf-8")
    (tmp_path / "other").mkdir()
    other, _ = new_vault(tmp_path / "other")
    bring(other, tmp_path / "out.jsonl", active=True)
    after = look(other)
    assert after.contradictions == before.contradictions == ()
    assert after.lessons == before.lessons
    assert after.hidden == before.hidden


def test_health_counts_what_tidy_proposes(tmp_path: Path) -> None:
    vault = silos(tmp_path)
    options = HealthOptions(view=View(None, EVERYTHING, find_workspace(tmp_path), tmp_path))
    assert health(vault, options).proposed_contradictions == len(look(vault).contradictions) == len(GRAIN)
    dismiss_some(vault, "contradictions", FEWEST["files"])
    assert health(vault, options).proposed_contradictions == len(look(vault).contradictions) == 0


def test_a_finding_about_one_memory_is_dismissed_and_teaches_too(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    texts = [f"- See `docs/{grain}.md` for the {grain} harvest.\n" for grain in GRAIN]
    made = [add(vault, text, project="mill") for text in texts]
    assert set(look(vault).vague) == {memory.id for memory in made}
    dismiss(vault, VERDICT_OF["vague"], [made[0].id], actor=PERSON)
    assert made[0].id not in look(vault).vague
    assert dismiss(vault, VERDICT_OF["vague"], [made[0].id], actor=PERSON) == []
    undo(vault, actor=PERSON)
    assert made[0].id in look(vault).vague


def test_all_of_a_shape_a_file_or_a_sort_are_dismissed_as_one_change(tmp_path: Path) -> None:
    vault = silos(tmp_path)
    add(vault, "We deploy with Postgres 13 in production.", project="mill")
    add(vault, "We deploy with Postgres 14 in production.", project="mill")
    report = look(vault)
    first = next(found.ids for found in report.contradictions if found.type == "number")
    counts = {by: len(report.alike("contradictions", first, by)) for by in ("shape", "file", "sort")}
    assert counts == {"shape": len(GRAIN), "file": len(GRAIN), "sort": len(GRAIN) + 1}
    before = everything(vault)
    dismiss(vault, VERDICT_OF["contradictions"], *report.alike("contradictions", first, "sort"), actor=PERSON)
    assert look(vault).contradictions == ()
    undo(vault, actor=PERSON)
    assert everything(vault) == before
