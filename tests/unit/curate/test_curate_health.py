"""Health: every figure is what one would count by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui.curate import health as service
from memtui.curate.anchors import dead_anchors
from memtui.curate.health import NO_PATH, HealthOptions, health, health_record
from memtui.curate.projects import View, link_folder
from memtui.curate.tidy import TidyOptions, tidy
from memtui.domain.freshness import freshness
from memtui.domain.memory import Anchor, Link, Memory, Signal
from memtui.pack.build import context
from memtui.pack.options import PackOptions
from memtui.pack.recipes import record_pack, save_recipe
from memtui.recall.result import Task
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.vault import Vault
from memtui.wording.outcomes import bar, sections
from memtui.workspace import find_workspace

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def memory(number: int, *, days: float, text: str = "", **values: Any) -> Memory:
    at = NOW - timedelta(days=days)
    chosen: dict[str, Any] = {
        "kind": "tooling",
        "project": "shop",
        "confirmed_at": at,
        "title": f"Tool {number}",
        **values,
    }
    insight = text or f"Tool number {number} moors ferry {number * 7}."
    return Memory(id=f"m{number:07d}", insight=insight, created_at=at, updated_at=at, **chosen)


MEMORIES = (
    memory(1, days=1, anchors=(Anchor("pay/lock.py"), Anchor("pay/api/v1/deep.py"))),
    memory(2, days=10, anchors=(Anchor("pay/**/*.py"),), kind="decision"),
    memory(3, days=100, text="Postgres 14 runs everywhere", title="Postgres"),
    memory(4, days=400, text="Postgres 14 runs everywhere", title="Postgres"),
    memory(5, days=3000, kind="note", anchors=(Anchor("README.md"),)),
    memory(6, days=3000, pinned=True, kind="constraint"),
    memory(7, days=1, project="other"),
    memory(8, days=1, status="retired"),
)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: NOW)
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(MEMORIES)
        writer.add_links(
            [
                Link(from_id="m0000001", type="contradicts", to_id="m0000002", created_at=NOW),
                Link(from_id="m0000002", type="contradicts", to_id="m0000001", created_at=NOW),
                Link(from_id="m0000001", type="contradicts", to_id="m0000008", created_at=NOW),
            ]
        )
        writer.add_signals(
            [
                Signal(memory_id="m0000001", signal="helped", at=NOW, actor="person"),
                Signal(memory_id="m0000003", signal="hurt", at=NOW, actor="person"),
                Signal(memory_id="m0000007", signal="hurt", at=NOW, actor="person"),
            ]
        )
        writer.insert_unjournaled(
            "anchor_states",
            [{"memory_id": "m0000005", "path": "README.md", "state": "gone", "checked_at": NOW}],
        )
    return vault


@pytest.fixture
def options(tmp_path: Path) -> HealthOptions:
    return HealthOptions(view=View("shop", Scope.of_project("shop"), find_workspace(tmp_path), tmp_path))


def test_figures_are_what_one_counts_by_hand(vault: Vault, options: HealthOptions) -> None:
    found = health(vault, options)
    with vault.read() as reader:
        active = reader.select(MemoryFilter(scope=options.view.scope), sort="created", now=NOW)
    fresh = [freshness(one, NOW, vault.kinds) for one in active]
    assert sum(found.freshness) == found.counts["active"] == len(active) == 6
    assert found.freshness == tuple(sum(min(9, int(value * 10)) == place for value in fresh) for place in range(10))
    assert found.mean_freshness == pytest.approx(sum(fresh) / 6)
    contradicting = 2
    assert found.counts["due"] == sum(value < 0.5 for value in fresh) + contradicting == 5
    assert found.overdue_days == 3000
    assert found.by_path == {"pay": 2, ".": 1, "pay/api": 1, NO_PATH: 3}
    assert found.anchors == {"fresh": 3, "changed": 0, "moved": 0, "gone": 1}
    assert found.dead_share == 0.25
    assert (found.copies, found.duplicates, found.linked_contradictions) == (1, 1, 1)
    assert found.duplicate_tokens > 0
    assert [one.id for one in found.most_useful] == ["m0000001"]
    assert [one.id for one in found.least_useful] == ["m0000003"]
    assert found.signals == {"helped": 1, "hurt": 1}


def test_packs_and_the_standing_payload_are_counted(vault: Vault, options: HealthOptions) -> None:
    task = Task(text="postgres")
    save_recipe(vault, "db", task, actor="person", project="shop", target="chat", budget="500")

    def made(recipes: Any = None) -> Any:
        return context(
            vault,
            task,
            options.view.payload_scope,
            PackOptions(),
            project="shop",
            target="chat",
            settings=options.recall,
            now=NOW,
            recipes=recipes,
        )

    first = record_pack(vault, made(), task, actor="person", project="shop", signal="copied")
    record_pack(vault, made(), task, actor="person", project="shop", signal="copied")
    with vault.write(actor="person", action="feedback") as writer:
        writer.add_signals([Signal(memory_id="m0000003", signal="helped", at=NOW, actor="person", pack_id=first)])
    found = health(vault, options)
    assert found.packs == {"used": 2, "helped": 1, "hurt": 0, "unjudged": 1}
    from memtui.vault.packs import read_recipes

    with vault.read() as reader:
        recipes = read_recipes(reader)
    assert (found.standing.tokens, found.standing.recipes) == (made(recipes).tokens, 1)


def test_a_large_vault_is_not_searched_for_pairs_here(
    vault: Vault, options: HealthOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_COMPARED", 2)
    found = health(vault, options)
    assert (found.copies, found.duplicates, found.proposed_contradictions) == (1, None, None)


def test_an_empty_vault_has_a_health_too(tmp_path: Path, options: HealthOptions) -> None:
    found = health(Vault(tmp_path / "none.duckdb", now=lambda: NOW), options)
    assert (found.mean_freshness, found.due_share, found.dead_share) == (0.0, 0.0, 0.0)
    record = health_record(found)
    assert record["active"] == 0
    assert all(section.rows for section in sections(found))


def test_a_bar_shows_that_there_is_something() -> None:
    assert bar(0.0, 4) == "    "
    assert bar(0.001, 4) == "▏   "
    assert bar(0.5, 4) == "██  "
    assert bar(7.0, 4) == "████"


def test_health_tidy_and_the_facets_mean_the_same_by_a_dead_anchor(tmp_path: Path) -> None:
    """Also where the file went before the memory was verified, and in a project that one does not stand in."""
    tree = tmp_path / "docks"
    tree.mkdir()
    (tree / "here.py").write_text("x = 1\n", encoding="utf-8")
    lot = [
        memory(1, days=1, project="docks", anchors=(Anchor("gone.py"), Anchor("here.py")), verified_at=NOW),
        memory(2, days=1, project="docks", anchors=(Anchor("old/*.py", "0" * 32),)),
        memory(3, days=1, project="docks", anchors=(Anchor("here.py"),)),
    ]
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: NOW)
    with vault.write(actor="person", action="fill") as writer:
        writer.put_many(lot)
    link_folder(vault, "docks", tree)
    found = health(vault, HealthOptions(view=View(None, EVERYTHING, find_workspace(tmp_path), tmp_path)))
    told = {(anchor.id, anchor.path) for anchor in tidy(vault, TidyOptions()).anchors}
    assert told == {("m0000001", "gone.py"), ("m0000002", "old/*.py")} == set(dead_anchors(vault, MemoryFilter()))
    assert (found.anchors["gone"], found.dead_memories, found.dead_share) == (2, 2, 0.5)
