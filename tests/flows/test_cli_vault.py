"""The vault as a file: asked in SQL, counted, backed up, configured, and held by another program."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from curating import add
from flows.cli_driver import Cli, memtui

from memtui import config
from memtui.vault.lease import lease
from memtui.vault.vault import Vault


@contextmanager
def held_by_a_foreign_program(vault: Path) -> Iterator[int]:
    """Let a program that is not memtui hold the file open for writing; yields its PID."""
    script = "import duckdb, sys\nheld = duckdb.connect(sys.argv[1])\nprint('held', flush=True)\nsys.stdin.read()\n"
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(vault)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout
    assert child.stdin
    try:
        assert child.stdout.readline() == "held\n"
        yield child.pid
    finally:
        child.stdin.close()
        child.wait(10)
        child.stdout.close()


def impatient(cli: Cli, seconds: str = "0.3") -> None:
    path = cli.home / "config" / "memtui.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"[vault]\npatience_seconds = {seconds}\n", encoding="utf-8")


def test_a_foreign_program_that_holds_the_vault_is_named_and_nothing_is_lost(cli: Cli) -> None:
    """P01."""
    cli("add", "Here before.")
    before, vault = cli.exported(), Path(cli("vault", "path").out.strip())
    impatient(cli)
    with held_by_a_foreign_program(vault) as pid:
        started = time.monotonic()
        for words in (
            ("add", "Not stored."),
            ("list",),
            ("undo",),
            ("import", cli.write("x.jsonl", '{"insight": "x"}')),
        ):
            run = cli(*words, code=5)
            assert run.out == ""
            assert f"PID {pid}" in run.err
            assert "Nothing was changed" in run.err
        assert time.monotonic() - started < 20
    assert cli.exported() == before
    assert cli("add", "Stored again.").id


def test_a_command_waits_for_a_program_that_soon_lets_go(cli: Cli) -> None:
    cli("add", "Here before.")
    vault = Path(cli("vault", "path").out.strip())
    script = (
        "import duckdb, sys, time\nheld = duckdb.connect(sys.argv[1])\nprint('held', flush=True)\ntime.sleep(0.5)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(vault)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        assert child.stdout.readline() == "held\n"
        assert cli("add", "Waited for.").id


def test_another_memtui_that_writes_is_named(cli: Cli) -> None:
    cli("add", "Here before.")
    vault = cli("vault", "path").out.strip()
    impatient(cli)
    script = "import sys\nfrom pathlib import Path\nfrom memtui.vault.lease import lease\n"
    script += "with lease(Path(sys.argv[1]), exclusive=True, wait_seconds=5):\n    print('held', flush=True)\n"
    script += "    sys.stdin.read()\n"
    child = subprocess.Popen(
        [sys.executable, "-c", script, vault], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout
    assert child.stdin
    with child.stdout, child.stdin:
        assert child.stdout.readline() == "held\n"
        run = cli("add", "Not stored.", code=5)
        assert str(child.pid) in run.err
        child.stdin.close()
    child.wait(10)
    assert cli("add", "Stored again.").id


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_the_vault_is_its_owners_alone(cli: Cli) -> None:
    cli("add", "Private.")
    vault = Path(cli("vault", "path").out.strip())
    assert vault.stat().st_mode & 0o777 == 0o600
    assert vault.parent.stat().st_mode & 0o777 == 0o700


def test_sql_answers_over_stable_views(demo: Cli) -> None:
    run = demo("sql", "SELECT kind, count(*) AS n FROM memory WHERE status = 'active' GROUP BY kind ORDER BY kind")
    assert run.lines[0].split() == ["kind", "n"]
    assert "rows" in run.err
    rows = demo("sql", "SELECT id, anchors, created_at FROM memory WHERE id = 'zpuwvdkl'", "--json").json
    assert rows[0]["id"] == "zpuwvdkl"
    assert "payments/lock.py" in rows[0]["anchors"]
    views = ("anchor", "source", "link", "verdict", "signal", "pack", "change_log", "project")
    every = " UNION ALL ".join(f"SELECT '{view}' AS name, count(*) AS n FROM {view}" for view in views)  # noqa: S608 - names are ours
    assert [row["name"] for row in demo("sql", "-", "--json", stdin=every).json] == list(views)


def test_sql_writes_csv_and_bounds_a_cell(demo: Cli) -> None:
    run = demo(
        "sql", "SELECT id, tags, NULL AS n, true AS t, 'a,\"b' AS id FROM memories WHERE id = 'zpuwvdkl'", "--csv"
    )
    heading, row = csv.reader(run.lines)
    assert heading == ["id", "tags", "n", "t", "id_2"]
    assert row[0] == "zpuwvdkl"
    assert isinstance(json.loads(row[1]), list)
    assert row[2:] == ["", "true", 'a,"b']
    assert demo("sql", "SELECT 'nan'::DOUBLE AS n", "--json").json == [{"n": None}]
    long = demo("sql", "SELECT repeat('x', 3000) AS x")
    assert max(map(len, long.lines)) == 1_000
    assert "1 cell cut" in long.err
    assert "memories (id," in demo("sql", "--help").out.replace("\n", " ")
    demo("sql", "SELECT 1", "--csv", "--json", code=2)


REFUSED = (
    "DELETE FROM memories",
    "UPDATE memories SET title = 'x'",
    "COPY (SELECT 1) TO 'out.csv'",
    "SELECT * FROM read_csv('secret.csv')",
    "SELECT * FROM 'secret.csv'",
    "ATTACH 'other.duckdb'",
    "INSTALL httpfs",
    "SET enable_external_access = true",
    "PRAGMA enable_profiling",
)


@pytest.mark.parametrize(
    ("queries", "code"), [(REFUSED, 6), (("SELECT 1; SELECT 2", "SELEC 1", "SELECT * FROM memori", ""), 2)]
)
def test_sql_reads_this_vault_and_nothing_else(demo: Cli, queries: tuple[str, ...], code: int) -> None:
    demo.write("secret.csv", "a,b\n1,2\n")
    for query in queries:
        run = demo("sql", query, code=code)
        assert run.out == ""
        assert run.err.startswith("memtui: ")
    assert not (Path.cwd() / "out.csv").exists()
    assert len(demo("list", "--json", "--limit", 1).json) == 1


def test_stats_count(demo: Cli) -> None:
    counts = demo("stats", "--json").json
    assert counts["active"] == sum(counts["by_kind"].values()) == sum(counts["by_project"].values())
    assert set(counts) >= {"active", "inbox", "due", "pinned", "by_kind", "by_status", "by_project"}
    text = demo("stats").out
    assert f"active: {counts['active']}" in text
    assert "constraint" in text


def test_a_reindex_changes_no_answer(demo: Cli) -> None:
    before = [row["id"] for row in demo("search", "double charge", "--json").json]
    assert demo("reindex", "--json").json["memories"] == len(demo.all_rows())
    assert [row["id"] for row in demo("search", "double charge", "--json").json] == before


def test_doctor_finds_a_healthy_vault_healthy(demo: Cli) -> None:
    run = demo("doctor")
    assert all(line.split()[0] in {"ok", "warn"} for line in run.lines)
    assert "every memory is indexed" in run.out
    assert "advice to an assistant, not a safeguard" in run.out
    record = demo("doctor", "--json").json
    assert set(record) == {"healthy", "checks", "repair"}
    assert record["healthy"] is True
    assert {check["state"] for check in record["checks"]} <= {"ok", "warn"}
    assert all(set(check) == {"name", "state", "detail", "remedy"} for check in record["checks"])


def test_doctor_of_no_vault_at_all_makes_none(cli: Cli) -> None:
    assert "no vault yet" in cli("doctor").out
    assert not Path(cli("vault", "path").out.strip()).exists()


def test_doctor_repairs_a_damaged_vault_from_its_backup(cli: Cli) -> None:
    cli("add", "In the backup.")
    cli("vault", "backup")
    before, vault = cli.exported(), Path(cli("vault", "path").out.strip())
    for log in vault.parent.glob("*.wal"):
        log.unlink()
    vault.write_bytes(b"broken" * 1000)
    run = cli("doctor", code=1)
    assert any(line.startswith("bad") for line in run.lines)
    assert "doctor --repair" in run.err
    assert vault.read_bytes() == b"broken" * 1000
    mended = cli("doctor", "--repair", "--json").json
    assert (mended["healthy"], mended["repair"]["outcome"], mended["repair"]["memories"]) == (True, "restored", 1)
    assert Path(mended["repair"]["kept"]).read_bytes() == b"broken" * 1000
    assert cli.exported() == before


def test_a_backup_is_made_listed_and_restored(cli: Cli) -> None:
    cli("add", "In the backup.")
    before = cli.exported()
    backup = Path(cli("vault", "backup").out.strip())
    assert backup.is_file()
    elsewhere = cli.home / "copy.duckdb"
    assert cli("vault", "backup", "--to", elsewhere, "--json").json == {"path": str(elsewhere)}
    assert "already exists" in cli("vault", "backup", "--to", elsewhere, code=2).err
    cli("add", "After the backup.")
    assert cli("vault", "restore", backup.name, "--json").json == {"path": str(backup)}
    assert cli.exported() == before
    assert len(cli("vault", "backups", "--json").json) >= 2
    kept = next(line for line in cli("vault", "backups").lines if "before-restore" in line)
    cli("vault", "restore", kept)
    assert len(cli.all_rows()) == 2
    cli("vault", "restore", elsewhere)
    assert cli.exported() == before


def test_the_first_change_of_a_day_keeps_a_copy(cli: Cli) -> None:
    cli("add", "First.")
    cli("add", "Second.")
    assert [name for name in cli("vault", "backups").lines if "daily" in name]
    assert len(cli("vault", "backups").lines) == 1
    assert "No backup yet" in cli("--vault", cli.home / "new.duckdb", "vault", "backups").err


def test_a_backup_of_nothing_is_an_error(cli: Cli) -> None:
    assert "No vault exists yet" in cli("vault", "backup", code=3).err


def test_the_configuration_is_started_shown_and_found(cli: Cli) -> None:
    path = cli.home / "config" / "memtui.toml"
    assert cli("config", "path").out == f"{path}\n"
    assert "no configuration file" in cli("config", "show").err
    assert cli("config", "init", "--json").json == {"path": str(path)}
    assert config.load_config(path) == config.Config(path=path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('#budget = "1200"', 'budget = "2k"'), encoding="utf-8")
    assert cli("config", "show", "--json").json["context"]["budget"] == "2k"
    shown = cli("config", "show")
    assert tomllib.loads(shown.out)["context"]["budget"] == "2k"
    assert str(path) in shown.err
    assert "already" in cli("config", "init", code=2).err
    assert "2k" in path.read_text(encoding="utf-8")


def test_configured_kinds_and_secret_patterns_hold(cli: Cli) -> None:
    path = cli.home / "config" / "memtui.toml"
    path.parent.mkdir()
    path.write_text(
        '[kinds.runbook]\nhalf_life_days = 120\ntier = "procedural"\n[secrets.patterns]\nhouse = "hs_[a-z]{6}"\n',
        encoding="utf-8",
    )
    made = cli("add", "Restart the queue first.", "--kind", "runbook").id
    assert cli("show", made, "--json").json["tier"] == "procedural"
    assert "half-life 120 days" in cli("show", made).out
    assert tomllib.loads(cli("config", "show").out) == cli("config", "show", "--json").json
    refused = cli("add", "The token is hs_abcdef.", code=6)
    assert "hs_abcdef" not in refused.err


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 400])
def test_a_damaged_vault_is_told_and_left_alone(cli: Cli, damage: bytes) -> None:
    cli("add", "Lost for now.")
    vault = Path(cli("vault", "path").out.strip())
    vault.write_bytes(damage)
    run = cli("list", code=1)
    assert "memtui doctor" in run.err
    assert vault.read_bytes() == damage


def test_a_vault_that_is_a_folder_without_rights_or_a_text_is_told(cli: Cli) -> None:
    text = cli.write("notes.md", "# Notes\n")
    run = cli("--vault", text, "list", code=1)
    assert str(text) in run.err
    assert text.read_text(encoding="utf-8") == "# Notes\n"
    blocked = cli.write("file", "x") / "vault.duckdb"
    assert "Traceback" not in cli("--vault", blocked, "add", "x", code=1).err


def test_readers_at_once_all_answer(demo: Cli) -> None:
    """P04."""
    command = [sys.executable, "-m", "memtui", "--vault", str(demo.home / "demo"), "search", "double charge"]
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
        for _ in range(4)
    ]
    results = [child.communicate(timeout=60) for child in children]
    assert [child.returncode for child in children] == [0] * 4
    assert len({out for out, _ in results}) == 1


def test_writers_at_once_all_get_their_memory_in(cli: Cli, tmp_path: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "memtui", "add", f"Written by process {number}."],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        for number in range(4)
    ]
    results = [child.communicate(timeout=120) for child in children]
    assert [child.returncode for child in children] == [0] * 4, results
    ids = {out.strip() for out, _ in results}
    assert {row["id"] for row in cli.all_rows()} == ids
    assert len(ids) == 4


def test_a_real_process_uses_the_exit_codes(tmp_path: Path) -> None:
    environment = {"MEMTUI_VAULT": str(tmp_path / "v.duckdb")}
    assert memtui("show", "nope", env=environment).code == 3
    assert memtui("lst", env=environment).code == 2
    assert memtui("add", "fine", env=environment).code == 0


def test_the_file_alone_is_whole_after_a_command_and_its_path_says_when_it_is_not(cli: Cli, tmp_path: Path) -> None:
    cli("add", "Lock by payment_id.", "--project", "shop")
    vault = Path(cli("vault", "path").out.strip())
    log = vault.with_name(f"{vault.name}.wal")
    assert not log.exists() or not log.stat().st_size
    assert "beside it" not in cli("vault", "path").err

    copied = tmp_path / "copied.duckdb"
    copied.write_bytes(vault.read_bytes())
    assert "Lock by payment_id" in cli("--vault", str(copied), "list").out

    add(Vault(vault), "Seed the database first.")
    assert log.stat().st_size
    told = cli("vault", "path")
    assert told.out.strip() == str(vault)
    assert "memtui vault backup" in told.err
    assert cli("vault", "path", "--json").json == {"path": str(vault)}


def test_a_command_does_not_wait_to_leave_the_file_whole(cli: Cli) -> None:
    cli("add", "Lock by payment_id.", "--project", "shop")
    vault = Vault(Path(cli("vault", "path").out.strip()))
    add(vault, "Seed the database first.")
    with lease(vault.path, exclusive=True, wait_seconds=5):
        assert vault.fold_log_if_free() is False
    assert vault.fold_log_if_free() is True
    assert vault.fold_log_if_free() is False
