"""Each tool's database, in a few rows with its own tables: what becomes of its fields."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from curating import write_files
from stores import SCHEMAS, Records, Tables, by_id, links, make_store, observation, one, read

from memtui.capture.stores.find import default_places
from memtui.capture.stores.importing import project_of_row
from memtui.capture.stores.location import Place
from memtui.capture.stores.tools import TOOLS, owners, read_store
from memtui.errors import SourceError


def test_claude_mem_takes_facts_worktrees_and_what_a_session_learned(tmp_path: Path) -> None:
    facts = ["The lock is held for 5 s.", "Berth rows are locked."]
    row = observation(
        "Lock first", "Berth rows are locked.", facts=facts, project="tide/wt-2", subtitle="Tugs collide."
    )
    learned = {
        "id": 1,
        "project": "tide",
        "request": "Stop collisions",
        "learned": "Pilots wait",
        "created_at_epoch": 5e12,
    }
    rows = {"observations": [row], "session_summaries": [learned, learned | {"id": 2, "learned": ""}]}
    contents = read("claude-mem", make_store(tmp_path / "claude-mem.db", "claude-mem", rows))
    first, summary = contents.rows
    assert first.insight == "Berth rows are locked.\n\n- The lock is held for 5 s."
    assert (first.rationale, first.kind, project_of_row(first)) == ("Tugs collide.", "decision", "tide")
    assert (summary.title, summary.insight) == ("Stop collisions", "Pilots wait")
    assert contents.left_out["session summaries that learned nothing"] == 1


def test_an_export_of_claude_mem_is_the_same_memory_as_its_row(tmp_path: Path) -> None:
    row = observation("Lock first", "Berth rows are locked.")
    database = make_store(tmp_path / "claude-mem.db", "claude-mem", {"observations": [row]})
    export = tmp_path / "export.json"
    export.write_text(json.dumps({"exportedAtEpoch": 1, "totalObservations": 1, "observations": [{"id": 77, **row}]}))
    assert one(read("claude-mem", database)).key == one(read("claude-mem", export)).key


def _engram(identifier: str, **more: Any) -> dict[str, Any]:
    content = "**What**: Tugs answer on 12.\n**Why**: Channel 16 is busy.\n**Where**: radio/tug.go, radio/log.go"
    stated = {"sync_id": identifier, "type": "policy", "title": "Radio", "content": content, "project": "Tide"}
    return stated | {"normalized_hash": "0", "scope": "project", "created_at": "2026-02-03 14:20:00"} | more


def test_engram_parts_what_and_why_and_follows_what_was_judged(tmp_path: Path) -> None:
    rows: Records = [
        _engram("obs-a", duplicate_count=3, pinned=1),
        _engram("obs-b", scope="personal", project=None, session_id="s"),
        _engram("obs-c", deleted_at="2026-03-01 00:00:00"),
        _engram("obs-d", type="session_summary"),
    ]
    judged = {"source_id": "obs-a", "target_id": "obs-b", "relation": "supersedes", "judgment_status": "judged"}
    waiting = {"source_id": "obs-b", "target_id": "obs-c", "relation": "related", "judgment_status": "pending"}
    store: Tables = {
        "observations": rows,
        "memory_relations": [judged, waiting],
        "sessions": [{"id": "s", "project": "quay"}],
    }
    contents = read("engram", make_store(tmp_path / "engram.db", "engram", store))
    first, second = contents.rows
    assert (first.insight, first.rationale) == ("Tugs answer on 12.", "Channel 16 is busy.")
    assert (first.files, first.kind, first.pinned) == (["radio/tug.go", "radio/log.go"], "constraint", True)
    assert len(first.signals) == 2
    assert (second.status, second.tags, project_of_row(second)) == ("superseded", ["personal"], "quay")
    assert links(contents) == {("obs-a", "supersedes", "obs-b")}
    assert contents.left_out == {"deleted there": 1, "session summaries": 1}


def test_chunks_of_engram_are_read_in_order_and_the_last_word_counts(tmp_path: Path) -> None:
    chunks = tmp_path / "quay" / ".engram" / "chunks"
    chunks.mkdir(parents=True)
    gone = {"seq": 2, "entity": "observation", "entity_key": "obs-b", "op": "delete", "payload": "{}"}
    payload = json.dumps(_engram("obs-a", content="Tugs answer on 14."))
    newer = {"seq": 1, "entity": "observation", "entity_key": "obs-a", "op": "upsert", "payload": payload}
    parts = ({"observations": [_engram("obs-a"), _engram("obs-b")]}, {"mutations": [gone, newer]})
    for name, part in zip(("aa", "bb"), parts, strict=True):
        (chunks / f"{name}.jsonl.gz").write_bytes(gzip.compress(json.dumps(part).encode()))
    manifest = {"version": 1, "chunks": [{"id": "aa"}, {"id": "bb"}, {"id": "cc"}]}
    (chunks.parent / "manifest.json").write_text(json.dumps(manifest))
    contents = read("engram", tmp_path / "quay")
    assert one(contents).insight == "Tugs answer on 14."
    assert contents.left_out == {"deleted there": 1}
    assert [problem.reason for problem in contents.problems] == ["the chunk cc is missing"]


def test_the_memory_service_keeps_store_project_and_what_replaced_what(tmp_path: Path) -> None:
    rows: Records = [
        {
            "content_hash": "aa",
            "content": "Moor at 4.",
            "tags": "project:Tide,pier",
            "memory_type": "error",
            "created_at": 1.77e9,
        },
        {"content_hash": "bb", "content": "Moor at 3.", "tags": "untagged", "superseded_by": "aa", "store": "mine"},
        {"content_hash": "cc", "content": "Gone.", "deleted_at": 1.78e9, "metadata": {"importance_score": 0.9}},
    ]
    graph = [{"source_hash": "aa", "target_hash": "bb", "similarity": 0.5, "relationship_type": "fixes"}]
    path = make_store(tmp_path / "sqlite_vec.db", "mcp-memory-service", {"memories": rows, "memory_graph": graph})
    contents = read("mcp-memory-service", path)
    first, second = contents.rows
    assert (first.kind, first.tags, project_of_row(first)) == ("bug-pattern", ["pier"], "tide")
    assert (second.status, second.tags) == ("superseded", ["store:mine"])
    assert links(contents) == {("aa", "supersedes", "bb"), ("aa", "relates", "bb")}
    assert [row.native_id for row in contents.deleted] == ["cc"]


def test_the_state_of_openmemory_says_what_becomes_of_a_memory(tmp_path: Path) -> None:
    states = ("active", "paused", "archived", "deleted")
    rows = [
        {
            "id": f"{number:032x}",
            "app_id": "app",
            "content": f"Fact {state}.",
            "metadata": {"project": "tide"},
            "state": state,
        }
        for number, state in enumerate(states)
    ]
    store: Tables = {"apps": [{"id": "app", "name": "cursor"}], "memories": rows}
    contents = read("openmemory", make_store(tmp_path / "openmemory.db", "openmemory", store))
    assert [(row.status, row.agent) for row in contents.rows] == [
        ("", "cursor"),
        ("candidate", "cursor"),
        ("retired", "cursor"),
    ]
    backup = tmp_path / "backup.zip"
    dashed = "00000000-0000-0000-0000-000000000000"
    line = {"id": dashed, "content": "Fact active.", "state": "active", "app": "cursor", "categories": ["work"]}
    with zipfile.ZipFile(backup, "w") as archive:
        archive.writestr("memories.jsonl.gz", gzip.compress(json.dumps(line).encode()))
    assert one(read("openmemory", backup)).key == contents.rows[0].key


def test_korva_links_only_what_is_judged_and_confirmed(tmp_path: Path) -> None:
    rows: Records = [
        {"id": name, "project": "", "type": "incident", "title": name, "content": f"{name} sank."} for name in "AB"
    ]
    relation = {"source_id": "A", "target_id": "B", "relation": "conflicts_with", "judgment_status": "judged"}
    relations = [relation | {"status": "confirmed"}, relation | {"relation": "supersedes", "status": "pending"}]
    store: Tables = {"observations": rows, "observation_relations": relations}
    contents = read("korva", make_store(tmp_path / "observations.db", "korva", store))
    assert links(contents) == {("A", "contradicts", "B")}
    assert {project_of_row(row) for row in contents.rows} == {"unassigned"}
    assert all(row.kind == "bug-pattern" for row in contents.rows)


def test_memorix_keeps_the_state_of_observations_skills_and_claims(tmp_path: Path) -> None:
    store: Tables = {
        "observations": [
            {"id": 1, "type": "gotcha", "title": "T", "narrative": "N.", "projectId": "org/tide", "status": "resolved"},
            {"id": 2, "type": "session-request", "title": "T", "narrative": "N.", "projectId": "org/tide"},
        ],
        "mini_skills": [
            {"id": 1, "title": "S", "instruction": "Do.", "sourceObservationIds": [1], "projectId": "org/tide"}
        ],
        "long_term_memories": [
            {"id": "l1", "content": "Old.", "state": "superseded", "supersededBy": "l2", "scope": "user"},
            {"id": "l2", "content": "New.", "state": "qualified", "accessCount": 2, "createdAt": "2026-01-01"},
        ],
        "knowledge_claims": [
            {"id": "c", "subject": "pier", "predicate": "has length", "objectValue": "90", "reviewState": "rejected"}
        ],
    }
    contents = read("memorix", make_store(tmp_path / "memorix.db", "memorix", store))
    rows = by_id(contents)
    assert {name: (row.status, row.reason) for name, row in rows.items()} == {
        "observation/1": ("retired", "resolved"),
        "mini_skill/1": ("", ""),
        "l1": ("superseded", "superseded"),
        "l2": ("candidate", ""),
        "c": ("retired", "rejected"),
    }
    assert rows["c"].insight == "pier has length 90"
    assert links(contents) == {("mini_skill/1", "derived-from", "observation/1"), ("l2", "supersedes", "l1")}


def test_conport_takes_decisions_patterns_and_custom_data_of_its_workspace(tmp_path: Path) -> None:
    store: Tables = {
        "decisions": [
            {"id": 1, "summary": "Use poles", "rationale": "Cheap.", "timestamp": "2026-01-01T00:00:00+00:00"}
        ],
        "system_patterns": [{"id": 1, "name": "Gate", "description": "One at a time."}],
        "custom_data": [{"id": 9, "category": "Glossary", "key": "ebb", "value": {"text": "Water goes out."}}],
        "progress_entries": [{"id": 1, "status": "TODO", "description": "Paint."}],
        "context_links": [
            {
                "source_item_type": "decision",
                "source_item_id": "1",
                "target_item_type": "custom_data",
                "target_item_id": "9",
                "relationship_type": "based_on",
            }
        ],
    }
    make_store(tmp_path / "tide" / "context_portal" / "context.db", "conport", store)
    contents = read("conport", tmp_path / "tide")
    rows = by_id(contents)
    assert {row.kind for row in contents.rows} == {"decision", "convention", "note"}
    assert rows["custom_data/Glossary/ebb"].insight == "Water goes out."
    assert {project_of_row(row) for row in contents.rows} == {"tide"}
    assert links(contents) == {("decision/1", "derived-from", "custom_data/Glossary/ebb")}
    assert contents.left_out["task progress"] == 1


def test_a_database_is_known_by_its_columns_whatever_it_is_called(tmp_path: Path) -> None:
    path = make_store(tmp_path / "notes.db", "korva", {})
    assert [tool.name for tool in owners(path)] == ["korva"]
    with pytest.raises(SourceError, match="Not a store of memorix") as raised:
        read_store(Place("memorix", path, tmp_path))
    assert raised.value.remedy == "It looks like the store of Korva: --from korva reads it."


@pytest.mark.parametrize("tool", SCHEMAS)
def test_a_database_under_a_name_that_says_nothing_has_one_owner(tmp_path: Path, tool: str) -> None:
    assert [one.name for one in owners(make_store(tmp_path / "copy.db", tool, {}))] == [tool]


def test_stores_are_found_at_their_default_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_store(tmp_path / "elsewhere" / "claude-mem.db", "claude-mem", {})
    monkeypatch.setenv("CLAUDE_MEM_DATA_DIR", str(tmp_path / "elsewhere"))
    write_files(tmp_path, {"home/.serena/memories/global/tea.md": "Tea.", "src/tide/.beads/issues.jsonl": "{}"})
    found = default_places("auto", tmp_path / "home", [tmp_path / "src" / "tide"])
    assert [(place.tool, place.project) for place in found] == [
        ("claude-mem", None),
        ("serena", None),
        ("beads", "tide"),
    ]
    assert set(TOOLS) >= {place.tool for place in found}


def test_stores_are_found_where_settings_variables_and_older_versions_put_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, root = tmp_path / "home", tmp_path / "src" / "tide"
    monkeypatch.delenv("CLAUDE_MEM_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    make_store(tmp_path / "moved" / "claude-mem.db", "claude-mem", {})
    make_store(root / "context.db", "conport", {})
    issue = {"id": "t-1", "title": "Radio", "issue_type": "decision", "priority": 1, "status": "open"}
    files = {
        "home/.claude-mem/settings.json": json.dumps({"CLAUDE_MEM_DATA_DIR": str(tmp_path / "moved")}),
        "home/basic-memory/tea.md": "Tea.",
        "data/cass-memory/playbook.yaml": "bullets: []\n",
        "src/tide/issues.jsonl": json.dumps(issue) + "\n",
    }
    write_files(tmp_path, files)
    found = {place.tool: place for place in default_places("auto", home, [root])}
    assert list(found) == ["claude-mem", "basic-memory", "cass", "beads", "conport"]
    assert {found[tool].project for tool in ("beads", "conport")} == {"tide"}
    write_files(tmp_path, {"src/tide/.beads/issues.jsonl": "{}", "src/tide/issues.jsonl": json.dumps({"id": "x"})})
    assert [place.path for place in default_places("beads", home, [root])] == [root / ".beads" / "issues.jsonl"]
