"""A memory as people see it: its record, its text, its place in the source."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from curating import PERSON, Clock, add, repository, write_files
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.import_plan import ImportOptions
from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.curate import health as service
from memtui.curate.anchors import dead_anchors
from memtui.curate.health import NO_PATH, HealthOptions, health, health_in_parts, health_record
from memtui.curate.lifecycle import reject, retire, verify
from memtui.curate.links import link
from memtui.curate.memories import edit_memory
from memtui.curate.projects import View, link_folder
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.views import get_view, list_memories, memory_text, place_of, view_record
from memtui.domain.freshness import freshness
from memtui.domain.memory import Anchor, Link, Memory, Signal, Source
from memtui.errors import NotFoundError
from memtui.pack.build import context
from memtui.pack.options import PackOptions
from memtui.pack.recipes import record_pack, save_recipe
from memtui.recall.result import Task
from memtui.text.words import bar
from memtui.tree import Tree
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.vault import Vault
from memtui.wording.health import NOT_KNOWN, sections
from memtui.workspace import find_workspace

CONTRACT = (
    *("id", "version", "project", "kind", "tier", "status", "title", "insight", "rationale", "snippet", "anchors"),
    *("tags", "rules", "importance", "confidence", "pinned", "created_at", "updated_at", "observed_at", "confirmed_at"),
    *("confirmed_by", "verified_at", "verified_by", "valid_from", "valid_until", "due_at", "snoozed_until"),
    *("half_life_days", "freshness", "usefulness", "source", "links"),
)
EXTRAS = {"status_reason", "linked_from"}
SOURCE_KEYS = ("format", "path", "span", "native_id", "agent")
RULES = "# Rules\n\n## Payments\n\nAlways take the payment lock before charging a card.\n"


def import_rules(vault: Vault, root: Path, *, active: bool = True) -> list[str]:
    request = ImportRequest(paths=[root], folder=root, home=root.parent, options=ImportOptions(active=active))
    _, report = run_import(vault, read_sources(request), request, actor=PERSON)
    return report.ids


def test_the_keys_are_those_of_the_contract_in_its_order(vault: Vault) -> None:
    record = view_record(get_view(vault, add(vault, "Lock payments").id), vault.kinds)
    assert tuple(key for key in record if key not in EXTRAS) == CONTRACT
    assert set(record) == {*CONTRACT, *EXTRAS}
    assert tuple(record["source"]) == (*SOURCE_KEYS, "disagrees", "heading")


def test_times_are_iso_8601_in_utc_and_empty_ones_null(vault: Vault) -> None:
    memory = verify(vault, [add(vault, "Lock payments").id], actor=PERSON).changed[0]
    record = view_record(get_view(vault, memory.id), vault.kinds)
    for key in ("created_at", "updated_at", "confirmed_at", "verified_at", "due_at"):
        assert record[key].endswith("Z")
        assert datetime.fromisoformat(record[key]).tzinfo is not None
    assert datetime.fromisoformat(record["verified_at"]) == memory.verified_at
    assert [record[key] for key in ("observed_at", "valid_from", "valid_until", "snoozed_until")] == [None] * 4


def test_what_is_derived_is_shown(vault: Vault, clock: Clock) -> None:
    memory = add(vault, "Run make", kind="tooling")
    clock.pass_days(90)
    record = view_record(get_view(vault, memory.id), vault.kinds)
    assert record["tier"] == "procedural"
    assert record["freshness"] == pytest.approx(0.525, abs=1e-3)
    assert record["usefulness"] == 1.0
    assert record["half_life_days"] is None


def test_links_are_shown_from_both_ends(vault: Vault) -> None:
    new, old = add(vault, "a"), add(vault, "b")
    link(vault, new.id, "supersedes", old.id, actor=PERSON)
    one = view_record(get_view(vault, new.id), vault.kinds)
    other = view_record(get_view(vault, old.id), vault.kinds)
    assert (one["links"], one["linked_from"]) == ([{"type": "supersedes", "id": old.id}], [])
    assert (other["links"], other["linked_from"]) == ([], [{"type": "supersedes", "id": new.id}])


def test_anchors_come_with_their_state_in_the_tree_of_the_project(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"src/a.py": "1\n", "src/b.py": "1\n", "src/c.py": "1\n"})
    files = ["src/a.py", "src/b.py", "src/c.py"]
    memory = add(vault, "Lock payments", folder=root, files=files)
    write_files(root, {"src/b.py": "2\n"})
    (root / "src/c.py").unlink()
    plain = view_record(get_view(vault, memory.id), vault.kinds)
    assert plain["anchors"] == [{"path": path, "state": None} for path in files]
    checked = view_record(get_view(vault, memory.id, tree=Tree("shop", root)), vault.kinds)
    assert [anchor["state"] for anchor in checked["anchors"]] == ["fresh", "changed", "gone"]
    foreign = view_record(get_view(vault, memory.id, tree=Tree("till", root)), vault.kinds)
    assert [anchor["state"] for anchor in foreign["anchors"]] == [None, None, None]


def test_views_come_in_the_order_that_was_asked_for(vault: Vault) -> None:
    ids = [add(vault, text, title=title).id for text, title in (("a", "b"), ("b", "C"), ("c", "a"))]
    titles = [view.memory.title for view in list_memories(vault, MemoryFilter(), sort="title")]
    assert titles == ["a", "b", "C"]
    newest = list_memories(vault, MemoryFilter(), sort="created", limit=2)
    assert [view.memory.id for view in newest] == [ids[2], ids[1]]


def test_a_source_that_still_says_what_was_changed_here_is_marked(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"CLAUDE.md": RULES})
    (identifier,) = import_rules(vault, root)
    assert not get_view(vault, identifier).source_says_this
    assert view_record(get_view(vault, identifier), vault.kinds)["source"]["disagrees"] is False
    edit_memory(vault, identifier, {"insight": "Take the payment lock, keyed by payment_id."}, actor=PERSON)
    view = get_view(vault, identifier)
    assert view.source_says_this
    record = view_record(view, vault.kinds)
    assert record["source"]["disagrees"] is True
    assert (record["source"]["format"], record["source"]["path"]) == ("claude-md", "CLAUDE.md")
    assert record["source"]["span"] == [5, 5]
    write_files(root, {"CLAUDE.md": RULES.replace("Always take", "Always hold")})
    import_rules(vault, root)
    assert not get_view(vault, identifier).source_says_this


def test_a_source_that_still_says_what_was_retired_here_is_marked(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"CLAUDE.md": RULES})
    (identifier,) = import_rules(vault, root)
    retire(vault, [identifier], actor=PERSON)
    assert get_view(vault, identifier).source_says_this
    import_rules(vault, root)
    assert get_view(vault, identifier).source_says_this


def test_of_a_source_is_only_told_what_was_compared_with_it(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"CLAUDE.md": RULES})
    (identifier,) = import_rules(vault, root)
    edit_memory(vault, identifier, {"rationale": "Two tills paid one bill twice.", "title": "Lock"}, actor=PERSON)
    assert not get_view(vault, identifier).source_says_this, "the source never said why"


def test_whoever_rejects_a_candidate_says_nothing_of_its_file(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"CLAUDE.md": RULES})
    (identifier,) = import_rules(vault, root, active=False)
    reject(vault, [identifier], actor=PERSON)
    view = get_view(vault, identifier)
    assert not view.source_says_this
    assert (view.memory.status, view.memory.standing) == ("retired", "rejected")


def test_a_memory_typed_here_has_no_source_to_disagree_with(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    edit_memory(vault, memory.id, {"insight": "Lock all"}, actor=PERSON)
    assert not get_view(vault, memory.id).source_says_this


NOW = datetime(2026, 6, 1, tzinfo=UTC)
PLAIN = Memory(
    id="m0000001", title="Lock by payment", insight="Users have several cards.", created_at=NOW, updated_at=NOW
)


def test_the_text_holds_what_is_said_and_a_fence_that_the_snippet_cannot_close() -> None:
    full = replace(PLAIN, rationale="Double charge.", snippet="a\n```\nb", anchors=(Anchor("pay/lock.py"),))
    assert memory_text([full]) == (
        "Lock by payment\n\nUsers have several cards.\n\nWhy: Double charge.\n\n"
        "````\na\n```\nb\n````\n\nFiles: pay/lock.py\n"
    )
    same = replace(PLAIN, insight="Lock by payment")
    assert memory_text([same, same]) == "Lock by payment\n\n---\n\nLock by payment\n"
    bold = replace(PLAIN, title="Quay: No lock. Retry by hand", insight="**No lock:** retry by hand, never twice.")
    assert memory_text([bold]) == "Quay\n\n**No lock:** retry by hand, never twice.\n"


@given(st.text(max_size=100), st.text(max_size=100))
def test_no_control_character_is_handed_on(title: str, snippet: str) -> None:
    text = memory_text([replace(PLAIN, title=title, snippet=snippet)])
    assert not any(ord(sign) < 32 and sign not in "\n\t" for sign in text)
    text.encode("utf-8")


def test_the_source_comes_before_the_files_and_a_symbol_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("x\n", encoding="utf-8")
    (tmp_path / "lock.py").write_text("import os\n\ndef unlocked(): ...\n\ndef lock(): ...\n", encoding="utf-8")
    source = Source(format="claude-md", path="CLAUDE.md", span=(41, 58))
    anchors = (Anchor("src/*.py"), Anchor("gone.py"), Anchor("lock.py::Store.lock"))
    memory = replace(PLAIN, sources=(source,), anchors=anchors)
    assert place_of(memory, tmp_path) == (tmp_path / "CLAUDE.md", 41)
    assert place_of(replace(memory, sources=()), tmp_path) == (tmp_path / "lock.py", 5)
    elsewhere = replace(memory, sources=(replace(source, path=str(tmp_path / "CLAUDE.md")),))
    assert place_of(elsewhere, None) == (tmp_path / "CLAUDE.md", 41)


@pytest.mark.parametrize(
    ("memory", "root", "said"),
    [
        (PLAIN, None, "It was typed here and is not tied to a file"),
        (replace(PLAIN, anchors=(Anchor("a.py"),)), None, "a.py belongs to a project whose folder is not known here"),
        (replace(PLAIN, anchors=(Anchor("a\x07.py\0"),)), Path("/nowhere"), "a.py does not exist"),
        (replace(PLAIN, anchors=(Anchor("x" * 5_000),)), Path("/nowhere"), "does not exist"),
    ],
)
def test_why_there_is_no_place_is_said(memory: Memory, root: Path | None, said: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        place_of(memory, root)
    assert said in caught.value.what


NOW_HEALTH = datetime(2026, 6, 1, 12, tzinfo=UTC)


def memory_health(number: int, *, days: float, text: str = "", **values: Any) -> Memory:
    at = NOW_HEALTH - timedelta(days=days)
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
    memory_health(1, days=1, anchors=(Anchor("pay/lock.py"), Anchor("pay/api/v1/deep.py"))),
    memory_health(2, days=10, anchors=(Anchor("pay/**/*.py"),), kind="decision"),
    memory_health(3, days=100, text="Postgres 14 runs everywhere", title="Postgres"),
    memory_health(4, days=400, text="Postgres 14 runs everywhere", title="Postgres"),
    memory_health(5, days=3000, kind="note", anchors=(Anchor("README.md"),)),
    memory_health(6, days=3000, pinned=True, kind="constraint"),
    memory_health(7, days=1, project="other"),
    memory_health(8, days=1, status="retired"),
)


@pytest.fixture
def vault_health(tmp_path: Path) -> Vault:
    vault_health = Vault(tmp_path / "vault.duckdb", now=lambda: NOW_HEALTH)
    with vault_health.write(actor="person", action="import") as writer:
        writer.put_many(MEMORIES)
        writer.add_links(
            [
                Link(from_id="m0000001", type="contradicts", to_id="m0000002", created_at=NOW_HEALTH),
                Link(from_id="m0000002", type="contradicts", to_id="m0000001", created_at=NOW_HEALTH),
                Link(from_id="m0000001", type="contradicts", to_id="m0000008", created_at=NOW_HEALTH),
            ]
        )
        writer.add_signals(
            [
                Signal(memory_id="m0000001", signal="helped", at=NOW_HEALTH, actor="person"),
                Signal(memory_id="m0000003", signal="hurt", at=NOW_HEALTH, actor="person"),
                Signal(memory_id="m0000007", signal="hurt", at=NOW_HEALTH, actor="person"),
            ]
        )
        writer.insert_unjournaled(
            "anchor_states",
            [{"memory_id": "m0000005", "path": "README.md", "state": "gone", "checked_at": NOW_HEALTH}],
        )
    return vault_health


@pytest.fixture
def options(tmp_path: Path) -> HealthOptions:
    return HealthOptions(view=View("shop", Scope.of_project("shop"), find_workspace(tmp_path), tmp_path))


def test_figures_are_what_one_counts_by_hand(vault_health: Vault, options: HealthOptions) -> None:
    found = health(vault_health, options)
    with vault_health.read() as reader:
        active = reader.select(MemoryFilter(scope=options.view.scope), sort="created", now=NOW_HEALTH)
    fresh = [freshness(one, NOW_HEALTH, vault_health.kinds) for one in active]
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


def test_memories_are_counted_by_kind_over_the_last_twelve_months(vault_health: Vault, options: HealthOptions) -> None:
    found = health(vault_health, options)
    months = {
        kind: {place: number for place, number in enumerate(row) if number} for kind, row in found.by_month.items()
    }
    # The others are older than a year, of another project or retired.
    assert months == {"tooling": {7: 1, 10: 1}, "decision": {10: 1}}
    assert found.first_month == "2025-07"
    assert health_record(found)["by_month"]["kinds"]["decision"][10] == 1


def test_packs_and_the_standing_payload_are_counted(vault_health: Vault, options: HealthOptions) -> None:
    task = Task(text="postgres")
    save_recipe(vault_health, "db", task, actor="person", project="shop", target="chat", budget="500")

    def made(recipes: Any = None) -> Any:
        return context(
            vault_health,
            task,
            options.view.payload_scope,
            PackOptions(),
            project="shop",
            target="chat",
            settings=options.recall,
            now=NOW_HEALTH,
            recipes=recipes,
        )

    first = record_pack(vault_health, made(), task, actor="person", project="shop", signal="copied")
    record_pack(vault_health, made(), task, actor="person", project="shop", signal="copied")
    with vault_health.write(actor="person", action="feedback") as writer:
        writer.add_signals(
            [Signal(memory_id="m0000003", signal="helped", at=NOW_HEALTH, actor="person", pack_id=first)]
        )
    found = health(vault_health, options)
    assert found.packs == {"used": 2, "helped": 1, "hurt": 0, "unjudged": 1}
    from memtui.vault.packs import read_recipes

    with vault_health.read() as reader:
        recipes = read_recipes(reader)
    assert (found.standing.tokens, found.standing.recipes) == (made(recipes).tokens, 1)


def test_a_large_vault_is_not_searched_for_pairs_here(
    vault_health: Vault, options: HealthOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_COMPARED", 2)
    found = health(vault_health, options)
    assert (found.copies, found.duplicates, found.proposed_contradictions) == (1, None, None)


def test_an_empty_vault_has_a_health_too(tmp_path: Path, options: HealthOptions) -> None:
    found = health(Vault(tmp_path / "none.duckdb", now=lambda: NOW_HEALTH), options)
    assert (found.mean_freshness, found.due_share, found.dead_share) == (0.0, 0.0, 0.0)
    record = health_record(found)
    assert record["active"] == 0
    assert all(section.rows for section in sections(found))


def test_a_bar_shows_that_there_is_something() -> None:
    assert bar(0.0, 4) == "    "
    assert bar(0.001, 4) == "╸   "
    assert bar(0.5, 4) == "━━  "
    assert bar(7.0, 4) == "━━━━"


def test_health_tidy_and_the_facets_mean_the_same_by_a_dead_anchor(tmp_path: Path) -> None:
    """Also where the file went before the memory was verified, and in a project that one does not stand in."""
    tree = tmp_path / "docks"
    tree.mkdir()
    (tree / "here.py").write_text("x = 1\n", encoding="utf-8")
    lot = [
        memory_health(
            1, days=1, project="docks", anchors=(Anchor("gone.py"), Anchor("here.py")), verified_at=NOW_HEALTH
        ),
        memory_health(2, days=1, project="docks", anchors=(Anchor("old/*.py", "0" * 32),)),
        memory_health(3, days=1, project="docks", anchors=(Anchor("here.py"),)),
    ]
    vault_health = Vault(tmp_path / "vault.duckdb", now=lambda: NOW_HEALTH)
    with vault_health.write(actor="person", action="fill") as writer:
        writer.put_many(lot)
    link_folder(vault_health, "docks", tree)
    found = health(vault_health, HealthOptions(view=View(None, EVERYTHING, find_workspace(tmp_path), tmp_path)))
    told = {(anchor.id, anchor.path) for anchor in tidy(vault_health, TidyOptions()).anchors}
    assert (
        told == {("m0000001", "gone.py"), ("m0000002", "old/*.py")} == set(dead_anchors(vault_health, MemoryFilter()))
    )
    assert (found.anchors["gone"], found.dead_memories, found.dead_share) == (2, 2, 0.5)


@pytest.mark.words
def test_health_counts_dead_places_and_tokens_to_save_as_tidy_does(tmp_path: Path) -> None:
    """Two memories share a path that is gone, and of a rule file's alternatives one is there."""
    tree = tmp_path / "docks"
    tree.mkdir()
    (tree / "here.py").write_text("x = 1\n", encoding="utf-8")
    rules = (Source(format="cursor", path=".cursor/rules/moor.mdc"),)
    said = "Moor with two lines at the stern, whatever the tide says."
    lot = [
        memory_health(1, days=1, project="docks", text=said, anchors=(Anchor("gone.py"),)),
        memory_health(2, days=1, project="docks", text=said, rationale="The swell turns her.", anchors=()),
        memory_health(3, days=1, project="docks", anchors=(Anchor("gone.py"),)),
        memory_health(4, days=1, project="docks", anchors=(Anchor("here.py"), Anchor("there.py")), sources=rules),
    ]
    vault = Vault(tmp_path / "vault.duckdb", now=lambda: NOW_HEALTH)
    with vault.write(actor="person", action="import") as writer:
        writer.put_many(lot)
    link_folder(vault, "docks", tree)
    options, checked = HealthOptions(view=View(None, EVERYTHING, find_workspace(tmp_path), tmp_path)), []
    first, *later, found = health_in_parts(vault, options, check_files=lambda: checked.append("files"))
    assert checked == ["files"]
    assert [len(part.pending) for part in (first, *later)] == [4, 3, 2, 1]
    assert sum(row.value == NOT_KNOWN for section in sections(first) for row in section.rows) == 6
    assert first.counts["active"] == 4, "what is counted at once is there"
    assert found == health(vault, options)
    report = tidy(vault, TidyOptions())
    assert [(anchor.path, set(anchor.ids)) for anchor in report.anchors] == [("gone.py", {lot[0].id, lot[2].id})]
    assert (found.dead_places, found.dead_memories) == (1, 2)
    assert len(report.duplicates) == 1
    assert (found.duplicate_groups, found.duplicate_tokens) == (1, report.token_mass("duplicates"))
    doubts = next(section for section in sections(found) if section.title == "In doubt")
    rows = {row.label: (row.value, row.note) for row in doubts.rows}
    assert rows["dead anchors"] == ("1", "3 anchors, 75% of 4, in 2 memories")
    record = health_record(found)
    assert (record["anchors"]["dead_places"], record["anchors"]["gone"]) == (1, 3)
