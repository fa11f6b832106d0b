"""`memtui capture`: from sessions on this machine to candidates with the person's words, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flows.cli_driver import Cli
from sessions import REFUSAL, Record, claude_call, claude_result, claude_typed, codex, write_lines

from memtui.assist.spool import Spool, Transcript

RULE = "never edit gen/ by hand, it is generated from schema.yaml; always change the schema"
KEY = "AKIAQ3EGRIV5CJ7NZP2M"


@pytest.fixture
def quay(cli: Cli) -> Cli:
    """A repository with a session in which a change was refused, and one of Codex that taught nothing."""
    root = cli.repository("quay", "git@github.com:acme/quay.git")
    cli.cd(root)
    records = [
        claude_typed("add a berth number to the api"),
        claude_call("t1", "Bash", command="env"),
        claude_result("t1", f"AWS_KEY={KEY}"),
        claude_call("t2", "Edit", file_path=f"{root}/gen/api.py", old_string="a", new_string="b"),
        claude_result("t2", f"{REFUSAL}{RULE}", failed=True),
        {"type": "moon-phase"},
    ]
    lines: list[Record | str] = [*(record | {"cwd": str(root)} for record in records), '{"half']
    write_lines(cli.home / ".claude" / "projects" / "-quay" / "s-1.jsonl", lines)
    rollout = cli.home / ".codex" / "sessions" / "2026" / "05" / "05" / "rollout-1.jsonl"
    meta = codex("session_meta", id="r-1", cwd=str(root), cli_version="0.171.0", source="cli")
    write_lines(rollout, [meta, codex("event_msg", type="user_message", message="thanks, looks good")])
    return cli


def test_the_json_says_what_was_read_and_proposed(quay: Cli) -> None:
    preview = quay("capture", "--dry-run", "--json").json
    assert (preview["sessions"], preview["read"]) == (2, 2)
    assert (preview["unknown_records"], preview["bad_lines"]) == ({"moon-phase": 1}, 1)
    (proposal,) = preview["proposals"]
    assert "id" not in proposal
    assert (proposal["quote"], proposal["signal"], proposal["assistant"]) == (RULE, "rejected-tool", "claude-code")
    assert (proposal["project"], proposal["line"]) == ("quay", 5)
    assert {"title", "insight", "rationale", "kind", "score", "evidence", "file", "at"} <= proposal.keys()
    (kept,) = quay("capture", "--json").json["proposals"]
    assert kept["id"] == quay("inbox", "--json").json[0]["id"]
    again = quay("capture", "--json").json
    assert (again["proposals"], again["read"], again["unchanged"]) == ([], 0, 2)


def test_people_are_told_the_session_the_signal_and_what_comes_next(quay: Cli) -> None:
    run = quay("capture")
    assert "quay · claude-code · add a berth number to the api" in run.out
    assert "(refused with a reason)" in run.out
    assert "1 proposal in the inbox" in run.err
    assert "1 record of unknown types skipped" in run.err
    assert "Nothing new" in quay("capture").err
    quay("undo")
    assert quay("inbox", "--json").json == []


def test_nothing_secret_of_a_transcript_reaches_the_vault_or_the_state(quay: Cli) -> None:
    quay("capture")
    files = [path for path in quay.home.parent.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
    assert any(path.suffix == ".duckdb" for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_one_assistant_or_one_project_alone_and_names_are_forgiven(quay: Cli) -> None:
    assert quay("capture", "--assistant", "codex", "--dry-run", "--json").json["read"] == 1
    assert quay("capture", "--assistant", "claude", "--dry-run", "--json").json["read"] == 1
    assert "claude-code" in quay("capture", "--assistant", "claude-cod", code=2).err
    assert quay("capture", "--project", "other", "--dry-run", "--json").json["proposals"] == []
    assert quay("capture", "--since", "soon", code=2).err


def test_what_a_hook_noted_at_the_end_of_a_session_is_read_wherever_it_lies(quay: Cli) -> None:
    refused = claude_result(
        "t9", f"{REFUSAL}always berth with two lines, one line broke twice last winter", failed=True
    )
    records = [claude_call("t9", "Edit", file_path="/srv/quay/berth.py", new_string="lines = 1"), refused]
    file = write_lines(quay.home / "elsewhere" / "s-9.jsonl", records)
    spool = Spool(Path(quay("vault", "path").lines[0]))
    spool.transcript(Transcript("claude-code", str(file), "s-9", str(quay.home), "2026-05-05T09:00:00Z"))
    spool.transcript(Transcript("no such tool", str(file), "s-8", str(quay.home), "2026-05-05T09:00:00Z"))
    assert quay("capture", "--dry-run", "--json").json["read"] == 3
    assert len(spool.transcripts()) == 2
    assert str(file) in [one["file"] for one in quay("capture", "--json").json["proposals"]]
    assert spool.transcripts() == []


def test_a_session_that_a_hook_noted_without_its_file_stops_no_capture(quay: Cli) -> None:
    spool = Spool(Path(quay("vault", "path").lines[0]))
    for session, path in (("s-1", ""), ("s-2", ""), ("s-3", "/"), ("s-4", "a\0b"), ("s-5", "../x")):
        spool.transcript(Transcript("copilot", path, session, "/w", "2026-05-05T00:00:00"))
    assert len(spool.transcripts()) == 5
    assert quay("capture", "--json").json["proposals"]
    assert spool.transcripts() == []


def test_a_project_that_is_off_is_left_alone(quay: Cli) -> None:
    quay("project", "off")
    found = quay("capture", "--json").json
    assert (found["proposals"], found["left_out"]) == ([], {"switched-off": 2})


def test_doctor_and_purge_know_the_quotes(quay: Cli) -> None:
    quay("capture")
    quay("purge", "--text", "schema.yaml", "--yes")
    rows = json.dumps(quay("inbox", "--json").json)
    assert "schema.yaml" not in rows
    assert b"schema.yaml" not in Path(quay("vault", "path").lines[0]).read_bytes()
