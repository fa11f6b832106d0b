"""A memory as people see it: its record, its text, its place in the source."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from curating import PERSON, Clock, add, repository, write_files
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.importer import ImportRequest, read_sources, run_import
from memtui.capture.plan import ImportOptions
from memtui.curate.lifecycle import retire, verify
from memtui.curate.links import link
from memtui.curate.memories import edit_memory
from memtui.curate.views import get_view, list_memories, memory_text, place_of, view_record
from memtui.domain.memory import Anchor, Memory, Source
from memtui.errors import NotFoundError
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
