"""What programs see of a memory: exactly the keys of the contract, and what is derived."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from curating import PERSON, Clock, add, repository, write_files

from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.capture.plan import ImportOptions
from memtui.curate.lifecycle import retire, verify
from memtui.curate.links import link
from memtui.curate.memories import edit_memory
from memtui.curate.views import get_view, list_memories, view_record
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault
from memtui.workspace import Tree

CONTRACT = (
    *("id", "version", "project", "kind", "tier", "status", "title", "insight", "rationale", "snippet", "anchors"),
    *("tags", "importance", "confidence", "pinned", "created_at", "updated_at", "observed_at", "confirmed_at"),
    *("confirmed_by", "verified_at", "verified_by", "valid_from", "valid_until", "due_at", "snoozed_until"),
    *("half_life_days", "freshness", "usefulness", "source", "links"),
)
EXTRAS = {"status_reason", "linked_from"}
SOURCE_KEYS = ("format", "path", "span", "native_id", "agent")
RULES = "# Rules\n\n## Payments\n\nAlways take the payment lock before charging a card.\n"


def import_rules(vault: Vault, root: Path) -> list[str]:
    request = ImportRequest(paths=[root], folder=root, home=root.parent, options=ImportOptions(active=True))
    _, report = run_import(vault, read_sources(request), request, actor=PERSON)
    assert report is not None
    return report.ids


def test_the_keys_are_those_of_the_contract_in_its_order(vault: Vault) -> None:
    record = view_record(get_view(vault, add(vault, "Lock payments").id), vault.kinds)
    assert tuple(key for key in record if key not in EXTRAS) == CONTRACT
    assert set(record) == {*CONTRACT, *EXTRAS}
    assert tuple(record["source"]) == (*SOURCE_KEYS, "still_says_this")


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
    edit_memory(vault, identifier, {"insight": "Take the payment lock, keyed by payment_id."}, actor=PERSON)
    view = get_view(vault, identifier)
    assert view.source_says_this
    record = view_record(view, vault.kinds)
    assert record["source"]["still_says_this"] is True
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


def test_a_memory_typed_here_has_no_source_to_disagree_with(vault: Vault) -> None:
    memory = add(vault, "Lock payments")
    edit_memory(vault, memory.id, {"insight": "Lock all"}, actor=PERSON)
    assert not get_view(vault, memory.id).source_says_this
