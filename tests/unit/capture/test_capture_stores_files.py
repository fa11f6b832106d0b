"""Each tool's files, a few each: what becomes of its fields."""

from __future__ import annotations

import json
from pathlib import Path

from curating import write_files
from stores import Tables, by_id, links, make_store, one, read

from memtui.capture.stores.importing import project_of_row
from memtui.capture.stores.rows import moment


def test_each_observation_of_the_mcp_server_is_a_memory_below_its_entity(tmp_path: Path) -> None:
    entity = {
        "type": "entity",
        "name": "Quay",
        "entityType": "Project",
        "observations": ["Cranes are blue.", "It is old."],
    }
    part = {"type": "entity", "name": "Crane", "entityType": "Machine", "observations": ["It lifts 40 t."]}
    empty = {"type": "entity", "name": "Team", "entityType": "group", "observations": []}
    relation = {"type": "relation", "from": "Crane", "to": "Quay", "relationType": "part_of"}
    lines = [json.dumps(line) for line in (entity, part, part, empty, relation)]
    path = tmp_path / "memory.json"
    path.write_text("\r\n".join([*lines, '{"type": "ent']), "utf-8")
    contents = read("mcp-memory", path)
    assert {row.native_id: project_of_row(row) for row in contents.rows} == {
        "Quay#1": "quay",
        "Quay#2": "quay",
        "Crane#1": "quay",
    }
    assert links(contents) == {("Crane#1", "relates", "Quay#1")}
    assert contents.left_out["entities without observations"] == 1
    assert len(contents.problems) == 1


def test_what_get_all_of_mem0_answers_keeps_its_metadata(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "memory": "Moor at 4.", "metadata": {"category": "convention", "repo": "org/tide.git"}},
        {"id": "b", "memory": "Tea at 5.", "metadata": None, "categories": ["habit"], "expiration_date": "2027-01-01"},
    ]
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"results": rows}))
    first, second = read("mem0", path).rows
    assert (first.kind, project_of_row(first)) == ("convention", "tide")
    assert (second.tags, moment(second.valid_until)) == (["habit"], moment("2027-01-01"))


def test_agentmemory_takes_memories_and_lessons_with_their_strength(tmp_path: Path) -> None:
    memories = [
        {"id": "m1", "type": "bug", "content": "Old.", "strength": 7, "isLatest": False, "createdAt": "2026-01-01"},
        {"id": "m2", "type": "fact", "content": "New.", "supersedes": ["m1"], "relatedIds": ["m3"]},
        {"id": "m3", "type": "fact", "content": "Beside.", "relatedIds": ["m2"]},
    ]
    lessons = [{"id": "l1", "content": "Ask first.", "reinforcements": 2, "createdAt": "2026-01-01", "confidence": 0.6}]
    lessons.append({"id": "l2", "content": "Gone.", "deleted": True})
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"version": "0.9", "sessions": [], "memories": memories, "lessons": lessons}))
    contents = read("agentmemory", path)
    rows = by_id(contents)
    assert (rows["m1"].status, rows["m1"].importance, rows["m1"].kind) == ("superseded", 4, "bug-pattern")
    assert [signal for signal, _ in rows["l1"].signals] == ["helped", "helped"]
    assert links(contents) == {("m2", "supersedes", "m1"), ("m2", "relates", "m3")}
    assert contents.left_out["deleted there"] == 1


def test_beads_takes_memories_decisions_and_bugs_that_were_explained(tmp_path: Path) -> None:
    lines = [
        {"_type": "memory", "key": "tea", "value": "Tea is at five."},
        {
            "id": "b1",
            "title": "Leak",
            "issue_type": "bug",
            "status": "closed",
            "close_reason": "The valve was upside down",
            "priority": 0,
        },
        {"id": "b2", "title": "Typo", "issue_type": "bug", "status": "closed", "close_reason": "Done"},
        {
            "id": "b3",
            "title": "Poles",
            "issue_type": "decision",
            "status": "closed",
            "description": "Use poles.",
            "dependencies": [{"depends_on_id": "b1", "type": "discovered-from"}],
        },
        {"id": "b4", "title": "Old", "issue_type": "task", "status": "tombstone", "deleted_at": "2026-01-01T00:00:00Z"},
    ]
    path = tmp_path / "tide" / ".beads" / "issues.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(map(json.dumps, lines)))
    contents = read("beads", tmp_path / "tide")
    rows = by_id(contents)
    assert (rows["b1"].insight, rows["b1"].importance, rows["b1"].kind) == (
        "The valve was upside down",
        5,
        "bug-pattern",
    )
    assert links(contents) == {("b3", "derived-from", "b1")}
    assert contents.left_out == {"work items": 1, "deleted there": 1}
    assert {project_of_row(row) for row in contents.rows} == {"tide"}


def test_cass_keeps_feedback_maturity_and_what_was_forgotten(tmp_path: Path) -> None:
    book = """
schema_version: 2
bullets:
  - {id: b-1, content: Lock berths., kind: workflow_rule, state: draft, maturity: proven, helpfulCount: 2,
     createdAt: 2026-01-12T08:15:00.000Z, workspace: /home/sam/tide, confidenceDecayHalfLifeDays: 30,
     feedbackEvents: [{type: helpful, timestamp: '2026-02-01T00:00:00Z'}]}
  - {id: b-2, content: Paint daily., state: retired, deprecationReason: Too dear., replacedBy: b-1}
"""
    folder = tmp_path / ".cass-memory"
    write_files(folder, {"playbook.yaml": book, "blocked.log": '{"id": "b-9", "content": "Sing."}\n'})
    contents = read("cass", folder / "playbook.yaml")
    rows = by_id(contents)
    assert (rows["b-1"].confidence, rows["b-1"].half_life, project_of_row(rows["b-1"])) == (0.9, 30.0, "tide")
    assert [signal for signal, _ in rows["b-1"].signals] == ["helped", "helped"]
    assert (rows["b-2"].status, rows["b-2"].reason) == ("superseded", "Too dear.")
    assert [row.native_id for row in contents.deleted] == ["b-9"]


NOTE = """---
title: Berths are locked
type: note
tags: [pier]
status: archived
---

# Berths are locked

- [rule] Lock the row first #lock (berths/assign.py)
- [ ] paint it

- replaces [[Berths are free]]
"""


def test_basic_memory_reads_the_notes_of_its_projects(tmp_path: Path) -> None:
    config = {"projects": {"main": {"path": "/home/else/basic-memory"}, "tide": "/home/else/notes/tide"}}
    write_files(
        tmp_path,
        {
            ".basic-memory/config.json": json.dumps(config | {"default_project": "main"}),
            "notes/tide/Berths are locked.md": NOTE,
            "notes/tide/Berths are free.md": "# Berths are free\n\nFirst come, first served.\n",
            "basic-memory/tea.md": "---\ntitle: Tea\n---\nTea is at five.\n",
        },
    )
    contents = read("basic-memory", tmp_path)
    rows = {row.title: row for row in contents.rows}
    locked = rows["Berths are locked"]
    assert (locked.kind, locked.tags, locked.files) == ("constraint", ["pier", "lock"], ["berths/assign.py"])
    assert (locked.status, locked.reason) == ("retired", "archived")
    assert "replaces" not in str(locked.insight)
    assert rows["Berths are free"].status == "superseded"
    assert (project_of_row(rows["Tea"]), project_of_row(locked)) == ("unassigned", "tide")


def test_serena_memories_are_whole_notes_with_links_and_hidden_ones_are_retired(tmp_path: Path) -> None:
    write_files(
        tmp_path / "tide",
        {
            ".serena/memories/core.md": "# Core\n\nSee `mem:radio/tugs` and `mem:gone`.\n",
            ".serena/memories/radio/tugs.md": "Tugs answer on 12.\n",
            ".serena/memories/old/pier.md": "# Pier\n\nIt was wood.\n",
            ".serena/project.yml": "ignored_memory_patterns: ['old/.*', '(a+)+$', '(', '(?:a?){30}!', '((a|aa))*!']\n",
            f".serena/memories/{'a' * 60}.md": "Anchors are aweigh.\n",
        },
    )
    contents = read("serena", tmp_path / "tide")
    rows = by_id(contents)
    assert (rows["old/pier"].status, rows["old/pier"].reason) == ("retired", "hidden in Serena")
    assert (rows["core"].title, project_of_row(rows["core"])) == ("Core", "tide")
    assert links(contents) == {("core", "relates", "radio/tugs")}


def test_the_context_tree_of_byterover_gives_narrative_facts_and_snippet(tmp_path: Path) -> None:
    note = (
        "---\ntitle: Berths\nrelated: [radio/tugs.md]\nimportance: 80\n---\n## Reason\nTugs collide.\n\n"
        "## Raw Concept\n"
        "**Files:**\n- berths/assign.py\n\n## Narrative\n### Rules\nLock first.\n\n"
        "## Facts\n- **berth**: Lock first. [rule]\n"
        "- **pier**: It is 90 m. [fact]\n\n---\n\n```py\nlock()\n```\n"
    )
    files = {
        "berths/lock.md": note,
        "radio/tugs.md": "---\nsummary: Channel 12.\n---\n",
        "_index.md": "x",
        "a/context.md": "y",
    }
    write_files(tmp_path / "tide", {f".brv/context-tree/{name}": text for name, text in files.items()})
    contents = read("byterover", tmp_path / "tide")
    row = by_id(contents)["berths/lock.md"]
    assert row.insight == "### Rules\nLock first.\n\n- **pier**: It is 90 m. [fact]"
    assert (row.rationale, row.files, row.importance) == ("Tugs collide.", ["berths/assign.py"], 4)
    assert "lock()" in str(row.snippet)
    assert links(contents) == {("berths/lock.md", "relates", "radio/tugs.md")}
    assert contents.left_out["made by the tool"] == 2


def test_letta_leaves_out_the_agent_itself(tmp_path: Path) -> None:
    base = ".letta/agents/agent-1/memory/"
    files = {
        "system/persona.md": "I am.",
        "facts.md": "---\ndescription: Facts\n---\nSee [[radio]].\n",
        "radio.md": "On 12.\n",
    }
    write_files(tmp_path, {f"{base}{name}": text for name, text in files.items()})
    contents = read("letta", tmp_path)
    assert {row.native_id: row.title for row in contents.rows} == {"facts": "Facts", "radio": ""}
    assert links(contents) == {("facts", "relates", "radio")}
    agent = tmp_path / "a.af"
    blocks = [{"label": "persona", "value": "I am."}, {"label": "human", "value": "Tea at five."}]
    agent.write_text(json.dumps({"agents": [{"name": "x", "messages": ["never"]}], "blocks": blocks}))
    assert one(read("letta", agent)).insight == "Tea at five."


def test_codex_takes_the_bullets_of_three_sections(tmp_path: Path) -> None:
    book = (
        "# Task Group: tide / work\n\napplies_to: cwd=/home/sam/tide; reuse_rule=x\n\n## Task 1: done\n\n"
        "### keywords\n\n"
        "- a, b\n\n## User preferences\n\n- Ask first. [Task 1][ad-hoc note]\n\n"
        "## Failures and how to do differently\n\n"
        "- The valve\n  was upside down. [Task 1]\n"
    )
    write_files(tmp_path, {".codex/memories/MEMORY.md": book, ".codex/memories/raw_memories.md": "never"})
    contents = read("codex", tmp_path)
    assert [(row.insight, row.kind, project_of_row(row)) for row in contents.rows] == [
        ("Ask first.", "convention", "tide"),
        ("The valve\nwas upside down.", "bug-pattern", "tide"),
    ]


def test_gemini_takes_its_section_and_the_notes_of_each_project(tmp_path: Path) -> None:
    files = {
        "GEMINI.md": "# Mine\n\nSmall commits.\n\n## Gemini Added Memories\n- Tea at five.\n\n## Other\n- not this\n",
        "projects.json": json.dumps({"projects": {"/home/sam/tide": "td"}}),
        "tmp/td/memory/MEMORY.md": "- Berths are locked.\n- [Radio](radio.md): how\n",
        "tmp/td/memory/radio.md": "# Radio\n\nOn 12.\n",
    }
    write_files(tmp_path, {f".gemini/{name}": text for name, text in files.items()})
    contents = read("gemini", tmp_path)
    assert [(row.insight, project_of_row(row)) for row in contents.rows] == [
        ("Tea at five.", "global"),
        ("Berths are locked.", "tide"),
        ("On 12.", "tide"),
    ]


def test_goose_copilot_and_cursor_give_an_entry_or_line_each(tmp_path: Path) -> None:
    storage = "Code/User/workspaceStorage/0a/"
    memories = f"{storage}GitHub.copilot-chat/memory-tool/memories/"
    write_files(
        tmp_path,
        {
            "tide/.goose/memory/dev.txt": "# lint go\nUse make lint.\nTwice.\n\nNo tags here.\n",
            f"{storage}workspace.json": json.dumps({"folder": "file:///home/sam/my%20tide"}),
            f"{memories}repo/a.md": "# Berths\n\nLock first.\n",
            f"{memories}QUJD/plan.md": "a plan",
        },
    )
    tagged, bare = read("goose", tmp_path / "tide").rows
    assert (tagged.insight, tagged.tags, project_of_row(tagged)) == (
        "Use make lint.\nTwice.",
        ["dev", "lint", "go"],
        "tide",
    )
    assert bare.insight == "No tags here."
    chat = read("copilot-vscode", tmp_path / "Code" / "User")
    assert (one(chat).title, project_of_row(one(chat))) == ("Berths", "my tide")
    assert chat.left_out["notes of one chat"] == 1
    rules: Tables = {
        "ItemTable": [{"key": "aicontext.personalContext", "value": b"- Tea at five.\n\nAsk first.\n"}, {"key": "x"}]
    }
    state = make_store(tmp_path / "User" / "globalStorage" / "state.vscdb", "cursor", rules)
    assert [row.insight for row in read("cursor", state).rows] == ["Tea at five.", "Ask first."]


def test_what_was_deleted_in_mem0_stays_deleted_though_its_deletion_bears_no_time(tmp_path: Path) -> None:
    def event(number: int, name: str, what: str, *texts: str | None, at: str | None = None) -> dict[str, object]:
        old, new = texts
        told = {"old_memory": old, "new_memory": new, "event": what, "updated_at": at}
        return {"id": f"e{number}", "memory_id": name, **told, "is_deleted": int(what == "DELETE")}

    rows = [
        event(1, "gone", "ADD", None, "The gate is red.", at="2026-03-01T10:00:00-08:00"),
        event(2, "gone", "DELETE", "The gate is red.", None),
        event(3, "kept", "ADD", None, "The crane is old.", at="2026-03-01T20:00:00+00:00"),
        event(4, "kept", "UPDATE", "The crane is old.", "The crane is new.", at="2026-03-01T13:00:00-08:00"),
    ]
    contents = read("mem0", make_store(tmp_path / "history.db", "mem0", {"history": rows}))
    assert [(row.native_id, row.insight) for row in contents.rows] == [("kept", "The crane is new.")]
    assert [row.native_id for row in contents.deleted] == ["gone"]
