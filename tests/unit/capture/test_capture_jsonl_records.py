"""Half-lives and recipes come along with an export, and never replace a person's own unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from curating import (
    AGENT,
    PERSON,
    START,
    Clock,
    add,
    bring,
    counter,
    everything,
    new_vault,
    to_folder,
    to_jsonl,
    write_rows,
)

from memtui.curate.history import undo
from memtui.errors import SecretRefusedError
from memtui.pack.options import PackOptions
from memtui.pack.recipes import list_recipes, save_recipe
from memtui.publish.portable import export_jsonl, refuse_secrets, take_snapshot, write_vault
from memtui.recall.result import Task
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.vault import Vault

TOKEN = "AKIA" + "QX7T3MZJ5WNDR2PL"


def with_half_lives(vault: Vault, **days: float) -> Vault:
    with vault.write(actor="person", action="half-life") as writer:
        for kind, number in days.items():
            writer.set_half_life(kind, number)
    return vault


@pytest.mark.parametrize("form", ["vault", "jsonl"])
def test_applied_half_lives_come_along_and_back_to_the_byte(tmp_path: Path, form: str) -> None:
    vault, _ = new_vault(tmp_path / "a")
    add(vault, "Lock by payment_id.")
    with_half_lives(vault, tooling=41.25, note=3, **{"note@shop": 2})
    out = tmp_path / ("out" if form == "vault" else "out.jsonl")
    snapshot = take_snapshot(vault, EVERYTHING)
    if form == "vault":
        write_vault(out, snapshot)
    else:
        export_jsonl(snapshot, out)
    copy, _ = new_vault(tmp_path / "b")
    bring(copy, out)
    assert everything(copy) == everything(vault)
    assert copy.kinds.get("tooling").half_life_days == 41.25
    before = counter(copy)
    bring(copy, out)
    assert counter(copy) == before, "importing one's own export changes nothing"
    undo(copy, actor=PERSON)
    assert copy.kinds.get("tooling").half_life_days == 90.0


def test_half_lives_of_others_do_not_replace_ones_own_unasked(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path / "a")
    with_half_lives(vault, tooling=30)
    lines = tmp_path / "theirs.jsonl"
    rows = [
        {"type": "half-life", "kind": "tooling", "half_life_days": 41},
        {"type": "half-life", "kind": "note", "half_life_days": 5},
        {"type": "half-life", "kind": "lesson", "half_life_days": -1},
        {"type": "half-life", "kind": "lesson", "half_life_days": True},
        {"type": "half-life", "kind": "lesson", "half_life_days": "long"},
    ]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    report = bring(vault, lines)
    assert take_snapshot(vault, EVERYTHING).half_lives == {"tooling": 30.0, "note": 5.0}
    assert [problem.split(":")[0] for problem in report.bad_records] == [
        "half-life of tooling",
        *["half-life of lesson"] * 3,
    ]
    assert bring(vault, lines, actor=AGENT).bad_records[1].endswith("what persons decided")
    bring(vault, lines, replace=True)
    assert take_snapshot(vault, EVERYTHING).half_lives == {"tooling": 41.0, "note": 5.0}


def test_an_export_that_lies_about_sets_no_half_life(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path / "a")
    found = tmp_path / "repo" / "notes.jsonl"
    found.parent.mkdir()
    found.write_text(
        '{"insight": "A found row."}\n{"type": "half-life", "kind": "tooling", "half_life_days": 1}\n', "utf-8"
    )
    assert bring(vault, found.parent).added == 1
    assert take_snapshot(vault, EVERYTHING).half_lives == {}


def test_a_project_exported_alone_carries_no_settings_of_the_vault(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path / "a")
    add(vault, "Lock by payment_id.")
    with_half_lives(vault, tooling=30, **{"note@shop": 3, "note@ferry": 4})
    assert take_snapshot(vault, Scope(("shop",))).half_lives == {"note@shop": 3}


def save(vault: Vault, name: str, task: str = "fix refunds", **chosen: Any) -> None:
    usual = {"project": "shop", "target": "chat", "budget": "1200"}
    save_recipe(vault, name, Task(task, files=("pay.py",), phase="debug"), actor=PERSON.name, **usual | chosen)


@pytest.mark.parametrize("export", [to_jsonl, to_folder])
def test_recipes_come_along_and_back_to_the_byte(vault: Vault, tmp_path: Path, export: Callable[..., Path]) -> None:
    ticked = add(vault, "Lock by payment_id.").id
    options = PackOptions(style="compiled", with_ids=frozenset({ticked}), without=frozenset({"zpuwvdkl", "aaaaaaaa"}))
    save(vault, "weekly — 返金", "fix\nrefunds 🙂", options=options)
    save(vault, "bare", "", project=None, budget="32 KiB")
    exported, text = export(vault, tmp_path), everything(vault)
    assert [json.loads(line)["type"] for line in text.splitlines()] == ["memory", "recipe", "recipe"]
    seen = counter(vault)
    assert bring(vault, exported, replace=True).bad_records == []
    assert counter(vault) == seen, "importing one's own export changes nothing"

    copy, _ = new_vault(tmp_path / "b", Clock(START + timedelta(days=9)))
    assert bring(copy, exported).bad_records == []
    assert everything(copy) == text
    assert list_recipes(copy) == list_recipes(vault)
    copied = {path.name: path.read_bytes() for path in export(copy, tmp_path / "b").parent.rglob("*.jsonl")}
    assert copied == {
        path.name: path.read_bytes() for path in exported.parent.glob("**/*.jsonl") if "b" not in path.parts
    }
    undo(copy, actor=PERSON)
    assert everything(copy) == ""


def test_recipes_of_others_do_not_replace_ones_own_unasked(vault: Vault, tmp_path: Path) -> None:
    save(vault, "weekly")
    usual = {"type": "recipe", "target": "chat", "budget": "900", "created_at": "2026-01-01"}
    lines = write_rows(
        tmp_path / "theirs.jsonl",
        {"insight": "A found row."},
        usual | {"name": "weekly", "task": "theirs"},
        usual | {"name": "new", "task": "theirs", "project": "till"},
        *(usual | {"name": "bad", **wrong} for wrong in ({"target": "moon"}, {"budget": "much"}, {"files": "a"})),
        *(usual | {"name": "bad", **wrong} for wrong in ({"options": [1]}, {"created_at": "x"}, {"task": 5})),
        usual | {"name": "n" * 101},
    )
    assert bring(vault, tmp_path).bad_records == [], "an export that lies about sets none"
    assert [recipe.name for recipe in list_recipes(vault)] == ["weekly"]
    assert all("decided" in problem for problem in bring(vault, lines, actor=AGENT).bad_records[:2])
    report = bring(vault, lines)
    told = [problem.split(":")[0] for problem in report.bad_records]
    assert told == ["recipe weekly", *["recipe bad"] * 6, f"recipe {'n' * 40}"]
    assert {recipe.name: recipe.task for recipe in list_recipes(vault)} == {"new": "theirs", "weekly": "fix refunds"}
    bring(vault, lines, replace=True)
    assert {recipe.task for recipe in list_recipes(vault)} == {"theirs"}
    undo(vault, actor=PERSON)
    assert {recipe.name: recipe.task for recipe in list_recipes(vault)} == {"new": "theirs", "weekly": "fix refunds"}


def test_a_recipe_whose_task_holds_a_secret_goes_neither_out_nor_in_unasked(vault: Vault, tmp_path: Path) -> None:
    save(vault, "weekly", f"log in with {TOKEN}", allow_secret=True)
    with pytest.raises(SecretRefusedError, match=r"recipe weekly \(task\)") as refused:
        refuse_secrets(take_snapshot(vault, EVERYTHING))
    assert TOKEN not in str(refused.value)
    copy, _ = new_vault(tmp_path / "b")
    report = bring(copy, to_jsonl(vault, tmp_path))
    assert len(report.bad_records) == 1
    assert TOKEN not in report.bad_records[0]
    assert list_recipes(copy) == []
    bring(copy, to_jsonl(vault, tmp_path), allow_secret=True)
    assert list_recipes(copy) == list_recipes(vault)


def test_a_project_exported_alone_carries_its_own_recipes(vault: Vault) -> None:
    for name, project in (("a", "shop"), ("b", "ferry"), ("c", None)):
        save(vault, name, project=project)
    for scope, names in ((Scope(("shop",)), ["a"]), (Scope((), with_unassigned=True), ["c"]), (EVERYTHING, [*"abc"])):
        assert [recipe.name for recipe in take_snapshot(vault, scope).recipes] == names


def test_a_link_without_a_date_dates_from_the_import(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path / "a")
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"insight": "A row."}\n{"type": "link", "from": "a", "link": "relates", "to": "b"}\n', "utf-8")
    assert bring(vault, rows).bad_records == []
    with vault.read() as reader:
        assert [link.created_at <= vault.now() for link in reader.links()] == [True]
