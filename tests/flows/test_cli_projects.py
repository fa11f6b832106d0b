"""Which project a memory belongs to: never a guess, and it survives moves and clones."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from flows.cli_driver import Cli

from memtui.domain.identity import is_remote

REMOTE = "git@example.org:shop/payments-api.git"


def commit(folder: Path) -> None:
    (folder / "README.md").write_text(f"# {folder.name}\n", encoding="utf-8")
    subprocess.run(["git", "add", "README.md"], check=True, cwd=folder)
    subprocess.run(["git", "commit", "-q", "-m", "Start"], check=True, cwd=folder)


def test_outside_a_repository_a_memory_is_unassigned_and_it_says_so(cli: Cli) -> None:
    """P35: not the project used last, none."""
    cli.repository("payments-api", REMOTE)
    cli("add", "Lock by payment_id.")
    cli.cd(cli.home / "elsewhere")
    run = cli("add", "Written in no project about locks.")
    assert "unassigned" in run.err
    assert cli("show", run.id, "--json").json["project"] is None
    cli.cd(cli.home / "payments-api")
    assert run.id not in cli("list").out
    assert run.id not in cli("context", "locks", "--json").json["included"]


def test_the_unassigned_reach_no_payload_from_anywhere(cli: Cli) -> None:
    made = cli("add", "Locks live 30 s.").id
    cli("context", "locks live", code=3)
    cli("edit", made, "--move-to", "shop")
    assert "Locks live 30 s" in cli("context", "locks live", "--project", "shop").out


def test_a_repository_is_its_remote_and_the_place_is_said(cli: Cli) -> None:
    cli.repository("checkout", REMOTE)
    run = cli("add", "Lock by payment_id.")
    assert "project payments-api" in run.err
    assert cli("project", "list", "--json").json == [
        {"name": "payments-api", "memories": 1, "identities": ["remote:example.org/shop/payments-api"]}
    ]
    assert "1 memory" in cli("project").out


@pytest.mark.parametrize(
    "other", ["https://example.org/shop/payments-api", "ssh://git@example.org:22/shop/payments-api.git"]
)
def test_two_clones_share_one_project(cli: Cli, other: str) -> None:
    """P33."""
    cli.repository("first", REMOTE)
    made = cli("add", "Known in both clones.").id
    cli.repository("second", other)
    assert [row["id"] for row in cli("list", "--json").json] == [made]
    assert cli("show", cli("add", "Another.").id, "--json").json["project"] == "payments-api"


def test_a_moved_repository_keeps_its_project(cli: Cli) -> None:
    """P32: with a remote, and without one by its root commit."""
    for name, remote in (("with", REMOTE), ("without", None)):
        folder = cli.repository(name, remote)
        commit(folder)
        made = cli("add", f"Known in the repository {name} a remote.").id
        cli.cd(cli.home)
        moved = shutil.move(folder, cli.home / "moved" / name)
        cli.cd(Path(moved))
        assert [row["id"] for row in cli("list", "--json").json] == [made]


def test_two_repositories_of_one_name_are_two_projects(cli: Cli) -> None:
    cli.repository("one", "git@example.org:alpha/api.git")
    first = cli("show", cli("add", "The first api.").id, "--json").json["project"]
    cli.repository("two", "git@example.org:beta/api.git")
    second = cli("show", cli("add", "The second api.").id, "--json").json["project"]
    assert first == "api"
    assert second == "beta-api"


def test_a_folder_belongs_to_a_project_once_it_is_linked(cli: Cli) -> None:
    folder = cli.cd(cli.home / "notes")
    assert "belongs to shop" in cli("project", "link", "shop").err
    cli.cd(folder / "deep" / "down")
    assert "project shop" in cli("add", "Written below a linked folder.").err
    run = cli("project", "link", "store", folder, "--json")
    assert run.json == {"project": "store", "before": "shop"}


def test_a_linked_folder_that_moved_is_told_and_can_be_linked_again(cli: Cli) -> None:
    folder = cli.cd(cli.home / "notes")
    cli("project", "link", "shop")
    made = cli("add", "Survives the move.").id
    cli.cd(cli.home)
    shutil.move(folder, cli.home / "new-notes")
    assert "missing" in cli("project", "list").out
    cli.cd(cli.home / "new-notes")
    cli("project", "link", "shop")
    assert [row["id"] for row in cli("list", "--json").json] == [made]


def test_an_alias_joins_a_renamed_remote(cli: Cli) -> None:
    cli.repository("old", REMOTE)
    made = cli("add", "Known under both remotes.").id
    cli("project", "alias", "payments-api", "https://example.org/shop/payments.git")
    cli.repository("new", "git@example.org:shop/payments.git")
    assert [row["id"] for row in cli("list", "--json").json] == [made]


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], check=True, cwd=folder, capture_output=True)


def test_a_repository_that_is_given_a_remote_later_stays_itself(cli: Cli) -> None:
    folder = cli.repository("shop")
    _git(folder, "commit", "--allow-empty", "-qm", "first")
    made = cli("add", "Known by the first commit.").id
    _git(folder, "remote", "add", "origin", REMOTE)
    assert [row["id"] for row in cli("list", "--json").json] == [made]
    assert "project shop" in cli("add", "Now with a remote.").err
    clone = cli.repository("clone", REMOTE)
    assert clone.name != "shop"
    assert made in {row["id"] for row in cli("list", "--json").json}


def test_a_fork_is_a_project_of_its_own_and_joining_is_offered(cli: Cli) -> None:
    folder = cli.repository("shop", REMOTE)
    _git(folder, "commit", "--allow-empty", "-qm", "first")
    made = cli("add", "Of the first.").id
    fork = cli.home / "fork"
    _git(folder, "clone", "-q", str(folder), str(fork))
    _git(fork, "remote", "set-url", "origin", "git@example.org:someone/fork.git")
    cli.cd(fork)
    run = cli("list", "--json")
    assert "shares its history with project payments-api: a fork, or moved" in run.err
    assert "memtui project alias payments-api example.org/someone/fork" in run.err
    cli("add", "Of the fork.")
    assert made not in {row["id"] for row in cli("list", "--json").json}
    cli("project", "alias", "payments-api", "git@example.org:someone/fork.git")
    assert made in {row["id"] for row in cli("list", "--json").json}


def test_a_named_project_needs_no_repository_and_global_must_be_chosen(cli: Cli) -> None:
    cli.repository("shop", REMOTE)
    house = cli("add", "Times are UTC in code.", "--project", "global").id
    other = cli("add", "Belongs to the bakery.", "--project", "bakery").id
    own = cli("add", "Belongs here.").id
    assert {row["id"] for row in cli("list", "--json").json} == {house, own}
    assert {row["id"] for row in cli("list", "--project", "bakery", "--json").json} == {house, other}
    assert [row["id"] for row in cli("list", "--project", "global", "--json").json] == [house]
    assert {row["id"] for row in cli("list", "--all-projects", "--json").json} == {house, own, other}


def test_files_of_a_repository_are_named_from_its_root(cli: Cli) -> None:
    folder = cli.repository("payments-api", REMOTE)
    cli.write("payments/lock.py", "TTL = 30\n")
    cli.cd(folder / "payments")
    made = cli("add", "The lock lives 30 s.", "--file", "lock.py").id
    assert [anchor["path"] for anchor in cli("show", made, "--json").json["anchors"]] == ["payments/lock.py"]
    assert made in cli("search", "--file", "./lock.py").out
    (folder / "payments" / "lock.py").unlink()
    cli.cd(folder)
    assert made in cli("search", "--file", "payments/lock.py").out
    assert "Did you mean payments/lock.py?" in cli("search", "--file", "payments/lok.py", code=2).err


def test_linking_and_aliasing_are_changes_that_undo_takes_back(cli: Cli) -> None:
    """An undo takes back what was done last, and nothing that was done before it."""
    made = cli("add", "Locks live 30 s.", "--project", "shop").id
    folder = cli.cd(cli.home / "notes")
    cli("project", "link", "store", folder)
    cli("project", "alias", "shop", "git@example.org:mirror/shop.git")
    newest = [row["action"] for row in cli("log", "--json").json]
    assert newest == ["project-alias", "project-link", "add"]

    def known() -> dict[str, list[str]]:
        return {row["name"]: row["identities"] for row in cli("project", "list", "--json").json}

    both = known()
    assert both == {"shop": ["remote:example.org/mirror/shop"], "store": [f"path:{folder}"]}
    cli("undo")
    assert known() == {"shop": [], "store": [f"path:{folder}"]}
    cli("project", "link", "shop", folder)
    cli("undo")
    assert known() == {"shop": [], "store": [f"path:{folder}"]}
    cli("undo")
    assert known() == {"shop": []}
    assert cli("show", made, "--json").json["status"] == "active"
    cli("redo")
    assert known() == {"shop": [], "store": [f"path:{folder}"]}
    counted = len(cli("log", "--json").json)
    cli("project", "link", "store", folder)
    assert len(cli("log", "--json").json) == counted, "what is so already is no change"


@pytest.mark.parametrize("remote", ["nonsense", "foo/bar", "https://", "https://host", "a b", "x\x1b[31m/y", "/", "-"])
def test_what_looks_like_no_remote_is_none(cli: Cli, remote: str) -> None:
    cli("add", "Locks live 30 s.", "--project", "shop")
    assert "A remote is a URL" in cli("project", "alias", "shop", "--", remote, code=2).err
    assert cli("project", "list", "--json").json[0]["identities"] == []


@pytest.mark.parametrize(
    "remote", ["ssh://git@example.org:22/a/b", "example.org/a/b", "forge:a/b", "/srv/git/a.git", "~/a", "file:///srv/a"]
)
def test_every_form_that_git_takes_is_a_remote(remote: str) -> None:
    assert is_remote(remote)
