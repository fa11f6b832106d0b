"""What stores offer: the same drafts in the same order, whether a child process makes a part of them or not."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from curating import write_files
from stores import make_store, observation

from memtui import children
from memtui.capture import importer
from memtui.capture.importer import ImportRequest, SourcesRead, plan_import, run_import
from memtui.capture.stores import importing
from memtui.capture.stores.compare import SAME_TEXT
from memtui.capture.stores.drafts import draft_of, memory_id
from memtui.capture.stores.find import places_at
from memtui.capture.stores.importing import Choice, Names, StoreFound, StoresRead, known_rows, look_into, offer
from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import Contents, Row
from memtui.capture.stores.tools import read_store
from memtui.domain.identity import Actor, seen_at
from memtui.domain.record import memory_from_record
from memtui.progress import Cancelled
from memtui.vault.indexed import indexed_text, postings_of
from memtui.vault.projects import add_identities, ensure_project, find_project, project_names
from memtui.vault.vault import Vault

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ROWS = [
    observation(
        f"Berth {number}",
        "<private>The code of the gate is 4711.</private>" if number == 7 else f"Berth {number} is checked daily.",
        type="decision" if number % 3 else "bugfix",
        project="harbour" if number % 2 else "quay",
        created_at_epoch=1e12 + number,
    )
    for number in range(450)
]


def offered(vault: Vault, folder: Path) -> StoresRead:
    path = folder / "claude-mem.db"
    if not path.exists():
        make_store(path, "claude-mem", {"observations": ROWS})
    with vault.read() as reader:
        names = Names(reader)
    found = look_into([Place("claude-mem", path, folder)])
    return offer(found, names, now=NOW, choices={path: Choice(projects=frozenset({"harbour"}))})


def test_a_child_makes_the_same_drafts(vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = offered(vault, tmp_path)
    monkeypatch.setattr(importing, "MANY_ROWS", 1)
    monkeypatch.setattr(children, "TOGETHER", 50)
    shared = offered(vault, tmp_path)
    assert [draft.stated for draft in shared.drafts] == [draft.stated for draft in here.drafts]
    assert shared.drafts == here.drafts
    assert shared.left_out == here.left_out == {importing.UNCHOSEN: 225, "without text": 1}
    assert len(here.drafts) == 224
    assert all(draft.indexed == postings_of(indexed_text(draft.stated)) for draft in shared.drafts if draft.stated)


def test_a_plan_changes_neither_the_vault_nor_what_was_read(vault: Vault, tmp_path: Path) -> None:
    stores = replace(offered(vault, tmp_path), mapped={"harbour": "port"})
    first = stores.drafts[0].record_id
    stores.records.append({"type": "link", "from": first, "link": "relates", "to": "not-imported"})
    read, before = SourcesRead(stores=stores), deepcopy(stores)
    request = ImportRequest(paths=(), folder=tmp_path, home=tmp_path, project="bay")
    with vault.write(actor="person", action="import") as writer:
        plan = importer._plan(writer, read, request, [])
        assert not writer.finish(), "nothing is written"
    assert (plan.lost_links, stores) == (1, before)
    assert plan_import(vault, read, request).count("add") == run_import(vault, read, request, actor=Actor())[1].added
    with vault.read() as reader:
        assert {"bay", "port"} <= {*project_names(reader)}
        assert find_project(reader, ["store:harbour"]) == "port"


def test_cancelling_while_a_child_works_stops_the_import(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MANY_ROWS", 1)
    monkeypatch.setattr(children, "TOGETHER", 50)
    make_store(tmp_path / "claude-mem.db", "claude-mem", {"observations": ROWS})
    found = look_into([Place("claude-mem", tmp_path / "claude-mem.db", tmp_path)])

    def cancel(done: int, total: int) -> None:
        assert 0 < done <= total == len(ROWS)
        raise Cancelled

    with vault.read() as reader, pytest.raises(Cancelled):
        offer(found, Names(reader), now=NOW, progress=cancel)


@pytest.mark.parametrize("word", ["expired", "purged", "rejected", "AGENTS.md is never offered again"])
def test_a_stores_own_word_for_why_a_row_is_out_decides_nothing(tmp_path: Path, word: str) -> None:
    row = Row(native_id="berth", insight="Berth 4 is checked daily.", status="retired", reason=word)
    draft = draft_of(row, Place("claude-mem", tmp_path / "claude-mem.db", tmp_path), "harbour", NOW)
    assert draft is not None
    assert draft.record is not None
    taken = memory_from_record(draft.record, now=NOW, new_id="other")
    assert (taken.put_out_by, taken.standing_words) == ("retired", f"retired: {word}")


def test_rows_are_chosen_by_month_or_year_and_importance(tmp_path: Path) -> None:
    def row(created: str, importance: object = None) -> Row:
        return Row(native_id=created, insight="x", created=created, importance=importance)

    place = Place("claude-mem", tmp_path / "claude-mem.db", tmp_path)
    few = [row("2026-02-03"), row("2026-02-09", 5), row("2025-12-31", 9), row("")]
    store = StoreFound(place, Contents(rows=few))
    assert store.dates == {"2026-02": 2, "2025-12": 1, "undated": 1}
    assert store.importances == {5: 2, 3: 2}
    taken = [one.created for one in few if Choice(dates=frozenset({"2026-02", "undated"})).takes(one)]
    assert taken == ["2026-02-03", "2026-02-09", ""]
    assert [one.created for one in few if Choice(importances=frozenset({5})).takes(one)] == ["2026-02-09", "2025-12-31"]
    many = [row(f"{year}-{month:02}-01") for year in (2025, 2026) for month in range(1, 13)]
    assert StoreFound(place, Contents(rows=many)).dates == {"2026": 12, "2025": 12}
    assert sum(Choice(dates=frozenset({"2025"})).takes(one) for one in many) == 12


def test_a_name_means_the_repository_of_its_path_or_owner_else_it_is_asked(vault: Vault, tmp_path: Path) -> None:
    acme, zeta = tmp_path / "acme" / "quay", tmp_path / "zeta" / "quay"
    with vault.write(actor="person", action="add") as writer:
        for name, folder, remote in (("quay", acme, "acme/quay"), ("zeta-quay", zeta, "zeta/quay")):
            ensure_project(writer, name)
            add_identities(writer, name, [f"remote:example.com/{remote}", seen_at(str(folder))])
        ensure_project(writer, "dock")
        add_identities(writer, "dock", ["remote:example.com/acme/dock"])
    with vault.read() as reader:
        names = Names(reader)
    assert [names.of(str(path)) for path in (acme, zeta, f"{zeta}/")] == ["quay", "zeta-quay", "zeta-quay"]
    assert [names.of(written) for written in ("acme/quay", "zeta/quay", "git@example.com:zeta/quay.git")] == [
        "quay",
        "zeta-quay",
        "zeta-quay",
    ]
    assert (names.of("dock"), names.of("local/dock"), names.unclear) == ("dock", "dock", {})
    assert (names.of("quay"), names.of("zeta/dock")) == ("quay", "dock")
    assert names.unclear == {"quay": "zeta-quay", "dock": "zeta-dock"}


def test_repositories_whose_folders_are_called_alike_keep_their_memories_apart(vault: Vault, tmp_path: Path) -> None:
    for owner in ("acme", "zeta", "new"):
        remote = f'[remote "origin"]\n\turl = git@example.com:{owner}/quay.git\n'
        berth = f"The berths of {owner} are checked daily."
        write_files(tmp_path / owner / "quay", {".git/config": remote, ".serena/memories/berths.md": berth})
    with vault.write(actor="person", action="add") as writer:
        for name, owner in (("quay", "acme"), ("zeta-quay", "zeta")):
            ensure_project(writer, name)
            add_identities(writer, name, [f"remote:example.com/{owner}/quay"])

    def offered_of(*owners: str) -> dict[str, tuple[str, str | None]]:
        stores = look_into([place for owner in owners for place in places_at("serena", tmp_path / owner, tmp_path)])
        with vault.read() as reader:
            names = Names(reader)
            known = known_rows(reader, stores, names)
        drafts = offer(stores, names, now=NOW, known=known).drafts
        return {one.insight.split()[3]: (one.record_id, one.stated.project if one.stated else None) for one in drafts}

    found = offered_of("acme", "zeta", "new")
    assert {owner: project for owner, (_, project) in found.items()} == {
        "acme": "quay",
        "zeta": "zeta-quay",
        "new": "new-quay",
    }
    assert len({identifier for identifier, _ in found.values()}) == 3
    assert found["acme"][0] == memory_id("serena", "quay\nberths")  # as earlier imports have it
    assert offered_of("zeta") | offered_of("new") | offered_of("acme") == found


def test_a_repository_is_called_by_its_remote_whichever_source_is_imported_first(vault: Vault, tmp_path: Path) -> None:
    for owner, name in (("acme", "harbour"), ("zeta", "canal")):
        remote = f'[remote "origin"]\n\turl = git@example.com:{owner}/{name}.git\n'
        berth = f"The berths of {owner} are checked daily."
        write_files(tmp_path / owner / "checkout", {".git/config": remote, ".serena/memories/berths.md": berth})

    def imported(*owners: str) -> dict[str, tuple[str, str | None]]:
        stores = look_into([place for owner in owners for place in places_at("serena", tmp_path / owner, tmp_path)])
        with vault.read() as reader:
            names = Names(reader)
            read = SourcesRead(stores=offer(stores, names, now=NOW, known=known_rows(reader, stores, names)))
        assert names.of("checkout") == "checkout"
        assert list(names.unclear) == ["checkout"], "another tool's word may mean the repository of this folder: asked"
        run_import(vault, read, ImportRequest(paths=(), folder=tmp_path, home=tmp_path), actor=Actor())
        stated = [draft.stated for draft in read.stores.drafts] if read.stores else []
        return {one.insight.split()[3]: (one.id, one.project) for one in stated if one}

    both = imported("acme", "zeta")
    assert {owner: project for owner, (_, project) in both.items()} == {"acme": "harbour", "zeta": "canal"}
    assert imported("zeta") | imported("acme") == both, "each row is known again by its id"
    with vault.read() as reader:
        assert project_names(reader) == ["canal", "harbour"]
        found = find_project(reader, ["remote:example.com/acme/harbour"])
        assert found is not None


@pytest.mark.parametrize("order", [("acme", "zeta"), ("zeta", "acme")])
def test_the_name_of_a_folder_stays_with_the_repository_that_was_imported_first(
    vault: Vault, tmp_path: Path, order: tuple[str, str]
) -> None:
    def write(owner: str, text: str) -> None:
        berth = f"The berths of {owner} {text}."
        write_files(tmp_path / owner / "quay", {".git/config": "", ".serena/memories/berths.md": berth})

    def imported(*owners: str) -> dict[str, tuple[str, str | None]]:
        stores = look_into([place for owner in owners for place in places_at("serena", tmp_path / owner, tmp_path)])
        with vault.read() as reader:
            names = Names(reader)
            known = known_rows(reader, stores, names)
        read = SourcesRead(stores=offer(stores, names, now=NOW, known=known))
        plan, _ = run_import(vault, read, ImportRequest(paths=(), folder=tmp_path, home=tmp_path), actor=Actor())
        assert not [one for one in plan.items if one.action == "conflict"]
        with vault.read() as reader:
            memories = reader.get_many(one.draft.record_id for one in plan.items).values()
        return {one.insight.split()[3]: (one.id, one.project) for one in memories}

    for owner in order:
        write(owner, "are checked daily")
    for first in order:
        found = imported("zeta")
        assert found == {"zeta": (memory_id("serena", "quay\nberths"), "quay")}
        write("zeta", f"are checked before {first}")
        found = imported(*order)
        assert found["zeta"] == (memory_id("serena", "quay\nberths"), "quay")
        assert found["acme"][0] != found["zeta"][0]
        assert found["acme"][1] == "acme-quay"
    part = {".git/config": "", "parts/crane/.serena/memories/oil.md": "The cranes of yard are oiled."}
    write_files(tmp_path / "yard", part)
    assert imported("yard")["yard"][1] == "crane"
    with vault.read() as reader:
        assert project_names(reader) == ["acme-quay", "crane", "quay"]
        assert find_project(reader, [f"path:{tmp_path / 'yard'}"]) is None, "a part is not its repository"
        assert len(reader.get_many(identifier for identifier, _ in found.values())) == 2


def test_a_store_that_breaks_its_reader_is_named_and_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_store(tmp_path / "claude-mem.db", "claude-mem", {"observations": ROWS[:2]})

    def read_or_break(place: Place) -> Contents:
        if place.tool == "cass":
            raise OverflowError("date value out of\nrange")
        return read_store(place)

    monkeypatch.setattr(importing, "read_store", read_or_break)
    odd, good = look_into([Place("cass", tmp_path, tmp_path), Place("claude-mem", path, tmp_path)])
    assert "OverflowError: date value out of" in odd.problem
    assert "\n" not in odd.problem
    assert (good.problem, len(good.contents.rows)) == ("", 2)


def test_the_same_text_from_two_tools_is_marked_before_it_is_imported(vault: Vault, tmp_path: Path) -> None:
    said, other = "Berths are checked daily.", "Cranes stop at 40 knots."
    rows = [observation("Berths", said, project="quay"), observation("Cranes", other, project="quay")]
    there = Contents()
    there.add(Row(native_id="a", title="Daily check of berths", insight=said, project="quay"))
    there.add(Row(native_id="b", title="Elsewhere", insight=other, project="canal"))
    store = make_store(tmp_path / "claude-mem.db", "claude-mem", {"observations": rows})
    stores = look_into([Place("claude-mem", store, tmp_path)])
    stores.append(StoreFound(Place("engram", tmp_path / "engram.db", tmp_path), there))
    with vault.read() as reader:
        read = SourcesRead(stores=offer(stores, Names(reader), now=NOW))
    plan = plan_import(vault, read, ImportRequest(paths=(), folder=tmp_path, home=tmp_path))
    marked = {item.draft.title: SAME_TEXT in item.draft.notes for item in plan.items}
    assert marked.pop("Daily check of berths")
    assert len(marked) == 3
    assert not any(marked.values()), "a text of another project is no repetition"
