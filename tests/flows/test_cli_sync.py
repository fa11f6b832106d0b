"""Sync from the command line, as two people with a repository between them do it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from flows.cli_driver import Cli
from machines import bare

ON = ("--project", "shop")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return bare(tmp_path / "remote.git")


def _at(cli: Cli, machine: str) -> Cli:
    """Go to the vault of a machine."""
    cli.globals = ["--vault", str(cli.home / machine / "vault.duckdb")]
    return cli


def test_two_machines_share_a_project_settle_a_conflict_and_part(cli: Cli, remote: Path) -> None:
    _at(cli, "one")
    memory = cli("add", "Retries need a key", *ON).id
    done = cli("sync", "--git", remote, *ON, "--json").json
    assert (done["pushed"], done["pulled"], done["merged"], done["conflicts"]) == (1, 0, 0, [])
    _at(cli, "two")
    assert "1 change received" in cli("sync", "--git", remote).err
    cli("edit", memory, "--text", "Retries need a key, said two.")
    _at(cli, "one")("edit", memory, "--text", "Retries need a key, said one.")
    cli("sync")
    _at(cli, "two")
    clash = cli("sync", "--json", code=4).json["conflicts"]
    assert [(one["id"], one["fields"]) for one in clash] == [(memory, ["title", "insight"])]
    waiting = cli("inbox", "conflicts", *ON)
    assert "team   Retries need a key, said one." in waiting.out
    assert "yours  Retries need a key, said two." in waiting.out
    (row,) = cli("inbox", "conflicts", *ON, "--json").json
    assert (row["with"], row["source"]["insight"]) == ("team", "Retries need a key, said one.")
    assert row["mine"]["insight"] == "Retries need a key, said two."
    cli("inbox", "take", memory)
    assert "2 changes sent" in cli("sync").err, "the text, and that a person verified it"
    _at(cli, "one")("sync")
    assert cli("show", memory, "--json").json["insight"] == "Retries need a key, said two."
    (team,) = cli("team", "status", "--json").json
    assert (team["place"], team["branch"], team["projects"], team["waiting"]) == (str(remote), "memory", ["shop"], 0)
    assert "nothing pending" in cli("team", "status").out
    cli("team", "leave")
    assert cli("team", "status", "--json").json == []
    assert "does not share memories yet" in cli("sync", code=2).err
    assert cli("show", memory, "--json").json["id"] == memory


def test_a_purge_is_shown_before_it_runs(cli: Cli, remote: Path) -> None:
    _at(cli, "one")
    memory = cli("add", "Retries need a key", *ON).id
    cli("sync", "--git", remote, *ON)
    _at(cli, "two")("sync", "--git", remote)
    _at(cli, "one")("purge", memory, "--yes")
    cli("sync")
    _at(cli, "two")
    shown = cli("sync", code=4)
    assert memory in shown.err
    assert "memtui sync --purge" in shown.err
    assert "--yes" in cli("sync", "--purge", code=6).err
    assert cli("show", memory, "--json").json["id"] == memory
    cli("sync", "--purge", "--yes")
    cli("show", memory, code=3)
    assert "No purge is waiting" in cli("sync", "--purge", "--yes").err


def test_an_agent_neither_shares_nor_purges_nor_leaves(cli: Cli, remote: Path) -> None:
    _at(cli, "one")("add", "Retries need a key", *ON)
    for words in (("sync", "--git", remote, *ON), ("sync", "--share", "shop"), ("sync", "--purge"), ("team", "leave")):
        assert "Only a person" in cli("--actor", "codex", *words, code=6).err


def test_refused_and_unreachable_places_change_nothing(cli: Cli, tmp_path: Path) -> None:
    _at(cli, "one")("add", "Retries need a key", *ON)
    before = cli.exported()
    secret = cli("sync", "--git", "https://ana:hunter2@localhost/x.git", *ON, code=6)
    assert "hunter2" not in secret.err + secret.out
    cli("sync", "--git", tmp_path / "nowhere", *ON, code=1)
    cli("sync", "--git", "-oProxyCommand=touch", *ON, code=2)
    cli("sync", "--git", tmp_path, "--branch", "--upload-pack=x", *ON, code=2)
    cli("sync", code=2)
    assert cli.exported() == before


def test_a_held_back_secret_ends_with_exit_6(cli: Cli, remote: Path) -> None:
    _at(cli, "one")("add", "The key is AKIAIOSFODNN7EXAMPLQ here", *ON, "--allow-secret")
    held = cli("sync", "--git", remote, *ON, code=6)
    assert "Not sent" in held.err
    assert "AKIA" not in held.err


def test_sync_in_a_repository_shares_its_project_on_a_branch_of_its_own_remote(cli: Cli, remote: Path) -> None:
    cli.repository("work/shop", str(remote))
    _at(cli, "one")("add", "Retries need a key")
    cli("sync", "--git", "origin")
    listed = subprocess.run(["git", "branch"], cwd=remote, capture_output=True, text=True, check=True)
    assert listed.stdout.strip() == "memory"
    _at(cli, "two")("sync", "--git", "origin")
    assert [row["title"] for row in cli("list", "--json").json] == ["Retries need a key"]
