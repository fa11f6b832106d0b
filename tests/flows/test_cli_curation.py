"""What a person decides about memories, and taking it back."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from curating import git, repository, write_files
from flows.cli_driver import Cli
from support import child_environment, make_memory

from memtui import clock
from memtui.cli import main
from memtui.cli.registry import Peek
from memtui.curate import review_sessions
from memtui.domain.identity import Actor
from memtui.domain.memory import Signal
from memtui.embedding import engine
from memtui.vault import connection
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault


@pytest.fixture
def ids(cli: Cli) -> list[str]:
    lines = [f'{{"insight": "Fact {word} about the lock."}}' for word in ("alpha", "beta", "gamma")]
    return cli("import", cli.write("facts.jsonl", "\n".join(lines)), "--active", "--project", "shop").lines


def test_verify_starts_freshness_anew(cli: Cli, ids: list[str]) -> None:
    cli.patch.setenv("MEMTUI_NOW", "2031-01-01T00:00:00Z")
    assert cli("show", ids[0], "--json").json["freshness"] < 0.5
    assert ids[0] in cli("list", "--stale").out
    run = cli("verify", ids[0][:5], ids[1])
    assert run.lines == ids[:2]
    assert "2 memories" in run.err
    row = cli("show", ids[0], "--json").json
    assert (row["freshness"], row["verified_by"], row["verified_at"]) == (1.0, "person", "2031-01-01T00:00:00Z")
    assert ids[0] not in cli("list", "--stale").out


def test_reading_and_previewing_verify_nothing(cli: Cli, ids: list[str]) -> None:
    cli("show", ids[0])
    cli("search", "lock")
    cli("context", "the lock", "--project", "shop")
    assert {row["verified_at"] for row in cli.all_rows()} == {None}


def test_pins_come_first_and_can_go(cli: Cli, ids: list[str]) -> None:
    assert cli("pin", ids[2], "--json").json == {"changed": [ids[2]], "unchanged": []}
    again = cli("pin", ids[2])
    assert again.out == ""
    assert f"{ids[2]} skipped: already pinned" in again.err
    payload = cli("context", "beta", "--project", "shop", "--json").json
    assert payload["included"][0]["id"] == ids[2]
    cli("unpin", ids[2])
    assert cli("list", "--pinned", "--json").json == []


def test_retire_and_restore_tell_what_changed(cli: Cli, ids: list[str]) -> None:
    """P85: exact counts and ids; what was retired already is told."""
    cli("retire", ids[0], "--why", "wrong since May")
    run = cli("retire", ids[0], ids[1])
    assert run.lines == [ids[1]]
    assert "Retired: Fact beta" in run.err
    assert f"{ids[0]} skipped: already retired" in run.err
    assert "wrong since May" in cli("show", ids[0]).out
    cli("search", "alpha", code=3)
    assert cli("restore", ids[0]).lines == [ids[0]]
    assert cli("search", "alpha", "--json").json[0]["id"] == ids[0]


def test_restore_to_a_version_brings_its_text_back(cli: Cli, ids: list[str]) -> None:
    cli("edit", ids[0], "--text", "Another text.")
    run = cli("restore", ids[0], "--to", 1)
    assert "Version 3 now has the text of version 1" in run.err
    assert cli("show", ids[0], "--json").json["insight"] == "Fact alpha about the lock."
    assert "no such version" in cli("restore", ids[0], "--to", 9, code=3).err
    assert "one memory at a time" in cli("restore", *ids, "--to", 1, code=2).err


def test_snooze_keeps_out_of_the_review(cli: Cli, ids: list[str]) -> None:
    cli.patch.setenv("MEMTUI_NOW", "2031-01-01T00:00:00Z")
    assert {row["id"] for row in cli("review", "--list", "--json").json} == set(ids)
    cli("snooze", ids[0], "--for", "3 months")
    cli("snooze", ids[1], "--until", "2031-02-01")
    rows = cli("review", "--list", "--json").json
    assert [row["id"] for row in rows] == [ids[2]]
    assert {
        "id",
        "title",
        "kind",
        "project",
        "freshness",
        "risk",
        "reasons",
        "reason_codes",
        "why",
        "snoozes",
        "offer",
    } == set(rows[0])
    assert cli("show", ids[1], "--json").json["snoozed_until"] == "2031-02-01T00:00:00Z"
    assert "ends in the future" in cli("snooze", ids[2], "--until", "2020-01-01", code=2).err
    assert "1 memory due" in cli("review", "--list").err
    assert cli("review", "--list", "--kind", "tooling", "--size", 2, "--json").json == []


def test_a_snooze_until_a_file_changes_ends_with_the_change(cli: Cli, tmp_path: Path) -> None:
    root = repository(tmp_path / "barge", {"lock.py": "lock\n"})
    cli.patch.chdir(root)
    made = cli("add", "The lock holds for 30 s.", "--kind", "note", "--file", "lock.py").id
    cli.patch.setenv("MEMTUI_NOW", "2031-01-01T00:00:00Z")
    assert [row["id"] for row in cli("review", "--list", "--json").json] == [made]
    assert "not both" in cli("snooze", made, "--until-change", "--for", "1w", code=2).err
    assert cli("snooze", made, "--until-change", "--json").json == {"changed": [made], "unchanged": []}
    assert cli("show", made, "--json").json["snoozed_until"] == "9999-12-31T00:00:00Z"
    assert "snoozed until a file changes" in cli("show", made).out
    assert cli("review", "--list", "--json").json == []
    assert cli("list", "--stale", "--json").json == []
    write_files(root, {"lock.py": "another lock\n"})
    assert "a file changed since it was snoozed" in cli("review", "--list", "--json").json[0]["why"]
    assert [row["id"] for row in cli("list", "--stale", "--json").json] == [made]
    cli("undo")
    assert cli("show", made, "--json").json["snoozed_until"] is None


def test_a_verdict_on_another_version_than_was_seen_is_a_conflict(cli: Cli, ids: list[str]) -> None:
    assert cli("verify", ids[0], "--if-version", 1).lines == [ids[0]]
    for command in ("verify", "pin", "unpin", "retire", "snooze"):
        run = cli(command, ids[0], "--if-version", 1, code=4)
        assert "This memory was changed since you read version 1" in run.err
        assert run.out == ""
    row = cli("show", ids[0], "--json").json
    assert (row["version"], row["pinned"], row["status"]) == (2, False, "active")
    assert "one memory at a time" in cli("verify", *ids, "--if-version", 1, code=2).err
    assert "one memory at a time" in cli("retire", "--where", "kind:note", "--if-version", 1, code=2).err


def test_files_that_moved_are_followed_after_a_look(cli: Cli, tmp_path: Path) -> None:
    root = repository(tmp_path / "barge", {"lock.py": "lock\n" * 9})
    cli.patch.chdir(root)
    ids = [cli("add", f"Rule {n} on the lock", "--file", "lock.py").id for n in range(2)]
    assert "No file is known to have moved" in cli("review", "--re-anchor", code=3).err
    git(root, "mv", "lock.py", "locking.py")
    rows = cli("review", "--re-anchor", "--dry-run", "--json").json
    assert rows == [{"id": name, "path": "lock.py", "to": "locking.py"} for name in ids]
    assert cli("show", ids[0], "--json").json["anchors"] == [{"path": "lock.py", "state": "moved"}]
    run = cli("review", "--re-anchor")
    assert "Re-anchored 2 memories" in run.err
    assert "lock.py → locking.py" in run.out
    assert cli("show", ids[1], "--json").json["anchors"] == [{"path": "locking.py", "state": "fresh"}]
    cli("undo")
    assert cli("show", ids[1], "--json").json["anchors"][0]["path"] == "lock.py"
    assert "--re-anchor" in cli("review", "--dry-run", code=2).err


def test_a_file_that_is_only_called_the_same_is_followed_where_that_is_asked_for(cli: Cli, tmp_path: Path) -> None:
    rules = "# Barge\n\n- Always grease `deck/sluice.py` and `deck/gate.js` before the lock opens.\n"
    files = {"deck/a.py": "a\n", "hold/sluice.py": "new\n", "deck/gate.ts": "new\n", "AGENTS.md": rules}
    root = repository(tmp_path / "barge", files)
    (name,) = cli("import", root, "--active").lines
    # The import knows the folder, wherever the command is run.
    assert "deck/sluice.py · maybe hold/sluice.py" in cli("tidy", code=7).out
    cli.patch.chdir(root)
    assert "--re-anchor --maybe` follows 2 paths by" in cli("review", "--re-anchor", code=3).err
    rows = cli("review", "--re-anchor", "--maybe", "--dry-run", "--json").json
    moves = {"deck/sluice.py": "hold/sluice.py", "deck/gate.js": "deck/gate.ts"}
    assert rows == [{"id": name, "path": old, "to": new} for old, new in moves.items()]
    cli("review", "--re-anchor", "--maybe")
    assert cli("show", name, "--json").json["anchors"] == [{"path": new, "state": "fresh"} for new in moves.values()]
    assert "--re-anchor" in cli("review", "--maybe", code=2).err


def test_the_receipt_of_a_review_session_is_printed(cli: Cli, ids: list[str]) -> None:
    assert "No review session" in cli("review", "--receipt", code=3).err
    cli.patch.setenv("MEMTUI_NOW", "2031-01-01T00:00:00Z")
    vault = Vault(Path(cli("vault", "path").lines[0]), now=clock.now)
    review_sessions.begin(vault, EVERYTHING, project="shop", actor=Actor(), threshold=0.5)
    cli("verify", ids[0])
    cli("retire", ids[1])
    receipt = cli("review", "--receipt", "--project", "shop", "--json").json
    assert receipt["counts"] == {"still true": 1, "retired": 1}
    assert (receipt["total"], receipt["left"]) == (3, 1)
    assert (receipt["standing"], receipt["packs_awaiting_feedback"]) == (None, [])
    assert "Review of 2031-01-01: 2 of 3 memories" in cli("review", "--receipt", "--project", "shop").out
    assert cli("review", "--undo", "--project", "shop", "--json").json == {"undone": 2, "stopped_by": None}
    assert cli("review", "--receipt", "--project", "shop", "--json").json["left"] == 3
    assert "left to undo" in cli("review", "--undo", "--project", "shop", code=3).err


def test_a_pack_without_a_word_is_told_of_beside_the_queue(cli: Cli, ids: list[str]) -> None:
    cli("context", "alpha lock", "--record", "--project", "shop")
    (pack,) = cli("pack", "list", "--json").json
    vault = Vault(Path(cli("vault", "path").lines[0]), now=clock.now)
    with vault.write(actor="person", action="copy") as writer:
        writer.add_signals(
            [Signal(memory_id=ids[0], signal="copied", at=writer.now, actor="person", pack_id=pack["id"])]
        )
    cli.patch.setenv("MEMTUI_NOW", "2031-01-01T00:00:00Z")
    run = cli("review", "--list", "--project", "shop", "--json")
    assert f"1 pack copied over a week ago without feedback: {pack['id']}" in run.err
    assert {row["id"] for row in run.json} == set(ids), "data is data"
    cli("feedback", pack["id"], "unused")
    assert "without feedback" not in cli("review", "--list", "--project", "shop").err


def test_a_merge_takes_the_texts_that_are_given(cli: Cli, ids: list[str]) -> None:
    cli("merge", ids[0], ids[1], "--title", "One lock", "--text", "Both facts about the lock.", "--kind", "constraint")
    row = cli("show", ids[0], "--json").json
    assert (row["title"], row["insight"], row["kind"]) == ("One lock", "Both facts about the lock.", "constraint")
    assert "needs a text" in cli("merge", ids[0], ids[2], "--text", " ", code=2).err


def test_merge_joins_and_unmerge_takes_apart(cli: Cli, ids: list[str]) -> None:
    before = {row["id"]: row["insight"] for row in cli.all_rows()}
    run = cli("merge", ids[0], ids[1], "--into", ids[1])
    assert run.id == ids[1]
    merged = cli("show", ids[1], "--json").json
    assert "Fact alpha" in merged["insight"]
    assert "Fact beta" in merged["insight"]
    assert cli("show", ids[0], "--json").json["status"] == "merged"
    assert cli("unmerge", ids[0], "--json").json == {"id": ids[1], "originals": [ids[0]]}
    assert {row["id"]: row["insight"] for row in cli.all_rows()} == before
    assert {row["status"] for row in cli.all_rows()} == {"active"}
    assert "Nothing was merged" in cli("unmerge", ids[2], code=3).err
    assert "2 to 8" in cli("merge", ids[0], ids[0], code=2).err


def test_links_are_made_and_taken_away(cli: Cli, ids: list[str]) -> None:
    assert "Linked" in cli("link", ids[0], "supersedes", ids[1]).err
    assert cli("show", ids[1], "--json").json["status"] == "superseded"
    assert cli("show", ids[0], "--json").json["links"] == [{"type": "supersedes", "id": ids[1]}]
    assert cli("link", ids[0], "supersedes", ids[1], "--json").json == {"changed": False}
    assert "Unlinked" in cli("unlink", ids[0], "supersedes", ids[1]).err
    assert cli("show", ids[1], "--json").json["status"] == "active"
    cli("unlink", ids[0], "supersedes", ids[1], code=3)
    cli("link", ids[0], "relates", ids[0], code=2)


def test_undo_redo_and_the_log_tell_one_story(cli: Cli, ids: list[str]) -> None:
    cli("retire", *ids, "--why", "old")
    retired = cli.exported()
    undone = cli("undo", "--json").json
    assert (undone["action"], undone["state"]) == ("retire", "undone")
    assert {row["status"] for row in cli.all_rows()} == {"active"}
    cli("redo")
    assert cli.exported() == retired
    entries = cli("log", "--json").json
    assert {"number", "at", "actor", "action", "summary", "reason", "state", "ids"} == set(entries[0])
    bulk = next(entry for entry in entries if entry["action"] == "retire")
    assert set(bulk["ids"]) == set(ids)
    assert bulk["reason"] == "old"
    assert "retire 3 memories" in cli("log", "--limit", 5).out
    assert len(cli("log", "--limit", 1).lines) == 1


def test_a_new_change_ends_what_could_be_redone(cli: Cli, ids: list[str]) -> None:
    cli("retire", ids[0])
    cli("undo")
    cli("pin", ids[1])
    assert "Nothing to redo" in cli("redo", code=3).err


def test_undoing_everything_leaves_an_empty_vault(cli: Cli, ids: list[str]) -> None:
    cli("edit", ids[0], "--text", "Changed.")
    cli("merge", *ids)
    for _ in range(3):
        cli("undo")
    assert cli.all_rows() == []
    assert cli.exported() == ""
    assert "Nothing to undo" in cli("undo", code=3).err


def test_versions_only_ever_grow(cli: Cli, ids: list[str]) -> None:
    seen = [1]
    for words in (("edit", ids[0], "--text", "Changed."), ("undo",), ("redo",), ("undo",)):
        cli(*words)
        seen.append(cli("show", ids[0], "--json").json["version"])
    assert seen == sorted(set(seen))


def test_purge_asks_and_erases_for_good(cli: Cli, ids: list[str]) -> None:
    refused = cli("purge", ids[0], code=6)
    assert "--yes" in refused.err
    assert len(cli.all_rows()) == 3
    run = cli("purge", ids[0], "--yes", "--json")
    assert run.json["memories"] == 1
    assert "Fact alpha" in run.err
    cli("show", ids[0], code=3)
    assert "Fact alpha" not in cli("sql", "SELECT * FROM change_log", "--json").out
    for path in (cli.home / "data").rglob("*"):
        assert not path.is_file() or b"Fact alpha" not in path.read_bytes(), path


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "code", "left"), [("\n", 6, 3), ("no\n", 6, 3), ("y\n", 0, 2)])
def test_at_a_terminal_purge_asks_and_no_is_the_default(
    cli: Cli, ids: list[str], answer: str, code: int, left: int
) -> None:
    cli.patch.setattr(io, "TextIOWrapper", Terminal)
    run = cli("purge", ids[0], stdin=answer, code=code)
    assert "[y/N]" in run.err
    assert len(cli.all_rows()) == left


def test_purge_of_a_text_erases_it_wherever_it_stands(cli: Cli, ids: list[str]) -> None:
    token = "hs_" + "k7Qm2Zr9Xw4Lp8Tn"
    cli("edit", ids[0], "--text", f"The token is {token}.", "--allow-secret")
    cli("edit", ids[0], "--text", "The token is in the keeper.")
    cli("vault", "backup")
    run = cli("purge", "--text", token, "--yes")
    assert token not in run.out + run.err
    for path in (cli.home / "data").rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes(), path
    assert len(cli.all_rows()) == 3


@pytest.mark.usefixtures("ids")
def test_purge_of_a_text_that_stands_nowhere_writes_nothing(cli: Cli) -> None:
    cli("vault", "backup")
    files = [path for path in sorted((cli.home / "data").rglob("*.duckdb")) if path.is_file()]
    before, log = [path.read_bytes() for path in files], cli("log").out
    assert "in neither the vault nor its backups" in cli("purge", "--text", "nosuchstring", "--yes", code=3).err
    assert [path.read_bytes() for path in files] == before
    assert cli("log").out == log
    assert cli("purge", "--text", "nosuchstring", "--yes", "--json", code=3).json["found"] is False


def test_only_a_person_may_decide(cli: Cli, ids: list[str]) -> None:
    for words in (("verify", ids[0]), ("pin", ids[0]), ("purge", ids[0], "--yes"), ("restore", ids[0])):
        assert "Only a person" in cli(*words, "--actor", "codex", code=6).err
    assert "actor codex" in cli("purge", ids[0], "--yes", "--actor", "codex", code=6).err


COUNT = 400


@pytest.fixture(scope="module")
def vault_starting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("starting") / "vault.duckdb"
    with Vault(path).write(actor="person", action="add") as writer:
        writer.put_many(make_memory(insight=f"fact {number} " + "of the gateway " * 20) for number in range(COUNT))
    return path


def memtui(vault_starting: Path, *words: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memtui", "--vault", str(vault_starting), *words]
    return subprocess.run(
        command,
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=vault_starting.parent,
        env=child_environment(),
        check=False,
    )


def test_all_of_a_large_answer_arrives_before_the_process_ends(vault_starting: Path) -> None:
    done = memtui(vault_starting, "list", "--json", "--all-projects", "--limit", str(COUNT))
    assert done.returncode == 0
    assert len(json.loads(done.stdout)) == COUNT
    assert len(done.stdout) > 100_000


def test_exit_codes_and_messages_survive(vault_starting: Path) -> None:
    nothing = memtui(vault_starting, "search", "zebra", "--fast", "--all-projects")
    assert (nothing.returncode, nothing.stdout) == (3, "")
    assert "Nothing found." in nothing.stderr
    wrong = memtui(vault_starting, "search", "gateway", "--limit", "0")
    assert wrong.returncode == 2
    assert "--limit" in wrong.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [("list", "--all-projects", "--limit", "2"), ("--help",)])
def test_a_full_disk_is_told(vault_starting: Path, words: tuple[str, ...]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = memtui(vault_starting, *words, stdout=full)
    finally:
        os.close(full)
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_change_whose_output_was_lost_is_told_with_its_id(tmp_path: Path) -> None:
    """Who sees a failure alone would add it again."""
    path = tmp_path / "vault.duckdb"
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = memtui(path, "add", "The gateway drops idle connections.", stdout=full)
    finally:
        os.close(full)
    with Vault(path).read() as reader:
        (made,) = reader.select(MemoryFilter(statuses=None), sort="updated", now=clock.now())
    assert done.returncode == 1
    assert f"The change was saved: add {made.title} ({made.id})" in done.stderr
    assert "The output could not be written: standard output: No space left on device" in done.stderr
    assert done.stderr.count("No space left") == 1


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which things are begun for a command line."""
    found: list[str] = []
    monkeypatch.setattr(connection, "warm_up", lambda: found.append("engine"))
    monkeypatch.setattr(engine, "begin_opening", lambda find_model: found.append(f"model {find_model()}"))
    monkeypatch.setattr(main, "_begin_counting", lambda: found.append("tokens"))
    return found


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["context", "lock refunds"], ["engine", "model bundled", "tokens"]),
        (["context", "lock refunds", "--fast"], ["engine"]),
        (["context", "--budget", "2k"], ["engine"]),
        (["context", "--file", "a.py", "lock"], ["engine", "model bundled", "tokens"]),
        (["context", "--json", "lock"], ["engine", "model bundled", "tokens"]),
        (["--project", "list", "search", "refunds"], ["engine", "model bundled"]),
        (["search", "refunds"], ["engine", "model bundled"]),
        (["list"], ["engine"]),
        (["import", "rules.md"], ["engine"]),
        (["list", "--help"], []),
        (["completion", "bash"], []),
        (["nonsense"], []),
        ([], []),
    ],
)
def test_what_is_begun_follows_the_command_line(
    vault_starting: Path, begun: list[str], words: list[str], expected: list[str]
) -> None:
    main.begin(Peek(["--vault", str(vault_starting), *words]))
    assert begun == expected


def test_no_model_is_begun_for_a_vault_that_is_not_there(tmp_path: Path, begun: list[str]) -> None:
    for words in (["--vault", str(tmp_path / "none")], [f"--vault={tmp_path}"], ["--vault", "nul\0"], ["--vault"]):
        main.begin(Peek([*words, "search", "refunds"]))
    assert begun == ["engine"] * 3, "the last line names no command"


def test_an_engine_made_ahead_is_the_one_that_is_used(vault_starting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path | None] = []
    opening = connection.open_connection

    def counted(path: Path | None, *, read_only: bool) -> object:
        made.append(path)
        return opening(path, read_only=read_only)

    monkeypatch.setattr(connection, "_idle", [])
    monkeypatch.setattr(connection, "open_connection", counted)
    connection.warm_up()
    connection.warm_up()
    for _ in range(2):
        with Vault(vault_starting).read() as reader:
            assert reader.change_counter() == 1
    assert made == [None]


def test_the_coming_weeks_are_foretold_flattened_and_postponed(cli: Cli, ids: list[str]) -> None:
    cli.patch.setenv("MEMTUI_NOW", "2031-01-01T00:00:00Z")
    (first, *others) = cli("review", "--forecast", "--json").json
    assert (first["due"], first["reviewed"], first["left"]) == (3, 3, 0)
    assert len(others) == 7
    assert not any(week["due"] for week in others)
    assert cli("review", "--forecast", "--weeks", "2", "--daily", "1", "--threshold", "0.06").code == 0
    assert "3 due" in cli("review", "--forecast").out
    cli("review", "--forecast", "--threshold", "7", code=2)
    cli("snooze", *ids, "--until", "2031-02-01")
    config = cli.home / "config" / "memtui.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[review]\nholiday = "2031-01-20/2031-02-10"\n')
    cli.patch.setenv("MEMTUI_NOW", "2031-02-05T00:00:00Z")
    run = cli("review", "--list")
    assert "Nothing more becomes due until 2031-02-11" in run.err
    assert run.out == ""
    cli.patch.setenv("MEMTUI_NOW", "2031-02-11T00:00:00Z")
    assert len(cli("review", "--list", "--json").json) == 3
    config.write_text('[review]\nholiday = "2031-02-30/2031-03-10"\n')
    assert "must be two days like 2026-12-21/2027-01-06" in cli("review", "--list", code=2).err


def test_an_undo_that_is_refused_shows_what_would_be_and_what_is(cli: Cli) -> None:
    identifier = cli("add", "Fire the kiln at cone 5.", "--project", "pottery").out.split()[0]
    cli("edit", identifier, "--title", "Fire the kiln at cone 6")
    number = cli("log", "--json").json[0]["number"]
    cli("edit", identifier, "--title", "Fire the kiln at cone 7")
    told = cli("undo", str(number), code=4).err
    assert "--- as it would be\nFire the kiln at cone 5.\n" in told, "a title that is the text is said once"
    assert "--- as it is now\nFire the kiln at cone 7\n" in told
