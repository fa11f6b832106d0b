"""`capture --git`: commits become proposals once, tied to their files, and marked when they are taken back."""

from __future__ import annotations

import pytest
from checking import Repo
from flows.cli_driver import Cli

WHY = "The gauges share one bus, which means that parallel reads corrupt `frame_id` and must not happen."


@pytest.fixture
def repo(cli: Cli) -> Repo:
    made = Repo(cli.home / "lagoon")
    made.git("remote", "add", "origin", "git@example.org:lagoon/tides.git")
    cli.cd(made.folder)
    made.commit("Add gauges", src__gauge_dot_py="GAUGES = 1\n")
    return made


def test_a_commit_is_proposed_once_and_tied_to_its_files(cli: Cli, repo: Repo) -> None:
    made = repo.commit(f"Fix corrupt frames\n\n{WHY}", src__gauge_dot_py="GAUGES = 2\n")
    dry = cli("capture", "--git", "--dry-run", "--json").json
    assert (dry["read"], [one["title"] for one in dry["proposals"]]) == (2, ["Fix corrupt frames"])
    assert cli("list", "--status", "any", "--all-projects", "--json").json == []
    (found,) = cli("capture", "--git", "--json").json["proposals"]
    assert (found["quote"], found["signal"], found["place"]) == (WHY, "commit-fix", made)
    memory = cli("show", found["id"], "--json").json
    assert (memory["status"], memory["project"]) == ("candidate", "tides")
    assert [anchor["path"] for anchor in memory["anchors"]] == ["src/gauge.py"]
    assert (memory["source"]["format"], memory["source"]["native_id"]) == ("commit", made)
    assert cli("capture", "--git", "--json").json["proposals"] == []
    cli("inbox", "reject", found["id"])
    assert cli("capture", "--git", "--json").json["proposals"] == []


def test_what_was_taken_back_is_not_proposed_and_marks_what_was(cli: Cli, repo: Repo) -> None:
    made = repo.commit(f"Fix corrupt frames\n\n{WHY}", src__gauge_dot_py="GAUGES = 2\n")
    (found,) = cli("capture", "--git", "--json").json["proposals"]
    cli("inbox", "accept", found["id"])
    repo.git("revert", "--no-edit", made)
    report = cli("capture", "--git", "--json").json
    assert report["proposals"] == []
    assert list(report["reverted"]) == [found["id"]]
    memory = cli("show", found["id"], "--json").json
    assert memory["tags"] == ["reverted"]
    assert memory["id"] in cli("list", "--stale").out
    assert cli("capture", "--git", "--json").json["reverted"] == {}
    cli("undo")
    assert cli("show", found["id"], "--json").json["tags"] == []


def test_secrets_and_odd_uses_are_refused(cli: Cli, repo: Repo) -> None:
    token = "AKIA" + "QX7T3MZJ5WNDR2PL"
    repo.commit(
        f"Fix login\n\nThe key {token} must never be sent, because the gauge logs it and `send` fails.", a_dot_py="1\n"
    )
    cli("capture", "--git")
    assert token not in cli.exported()
    cli("capture", "--git", "--assistant", "codex", code=2)
    cli.cd(cli.home / "plain")
    assert "No commits" in cli("capture", "--git", code=2).err
