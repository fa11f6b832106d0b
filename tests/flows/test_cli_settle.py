"""`memtui settle`: what tidy proposes is decided by commands too."""

from __future__ import annotations

import pytest
from flows.cli_driver import Cli

ANY = (0, 3, 7)
NEW = "We run Postgres 14 in production."


def clashing(cli: Cli) -> tuple[str, str]:
    return tuple(cli("add", text, "--project", "shop").id for text in ("We run Postgres 13 in production.", NEW))  # type: ignore[return-value] # two texts


def proposed(cli: Cli) -> list[list[str]]:
    found = cli("tidy", "--json", "--project", "shop", code=ANY).json
    return [conflict["ids"] for conflict in found["conflicts"]] + [group["ids"] for group in found["duplicates"]]


def recalled(cli: Cli, *options: str) -> str:
    return cli("context", "which Postgres in production", "--project", "shop", *options, code=ANY).out


def test_the_one_that_is_kept_supersedes_the_other_in_every_payload_until_undone_and_done_again(cli: Cli) -> None:
    old, new = clashing(cli)
    assert proposed(cli) == [[old, new]]
    assert cli("settle", old, new, "--keep", new).out.split() == [old]
    for undone in (False, True, False):
        assert ("Postgres 13" in recalled(cli)) is undone
        assert bool(proposed(cli)) is undone
        cli("redo" if undone else "undo")
    assert cli("show", old, "--json").json["status"] == "active"


def test_both_hold_each_for_its_files_or_its_phase(cli: Cli) -> None:
    old, new = clashing(cli)
    run = cli(
        "settle", old, new, "--scope", f"{old[:7]}=legacy/**", "--scope", f"{new}=release, the new cluster", "--json"
    )
    assert run.json == {"changed": [old, new]}
    assert proposed(cli) == []
    assert cli("show", old, "--json").json["tags"] == ["only:legacy/**"]
    assert "Holds for: release, the new cluster" in cli("show", new).out
    there = recalled(cli, "--file", "legacy/**", "--phase", "plan")
    assert "Postgres 13" in there
    assert "Postgres 14" not in there
    cli("add", "Ships are tied up at the pier.", "--project", "shop", "--file", "pier/**")
    elsewhere = recalled(cli, "--file", "pier/**", "--phase", "release")
    assert "Postgres 13" not in elsewhere
    assert "Postgres 14" in elsewhere
    cli("undo")
    cli("undo")
    assert proposed(cli) == [[old, new]]


def test_what_is_none_is_never_proposed_again(cli: Cli) -> None:
    old, new = clashing(cli)
    assert "not be suggested as a contradiction" in cli("settle", old, new, "--none").err
    assert proposed(cli) == []
    twins = [cli("add", text, "--project", "bank").id for text in ("Tests need Docker.", "tests need `docker`")]
    cli("settle", *twins, "--no-duplicates")
    assert cli("tidy", "--json", "--project", "bank", code=ANY).json["duplicates"] == []
    assert "already" in cli("settle", *twins, "--no-duplicates").err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "Say how to settle it"),
        (("--none", "--no-duplicates"), "Say how to settle it"),
        (("--scope", "legacy/**"), "Write a scope as ID=WHERE"),
    ],
)
def test_a_wrong_use_is_told_and_changes_nothing(cli: Cli, options: tuple[str, ...], told: str) -> None:
    old, new = clashing(cli)
    assert told in cli("settle", old, new, *options, code=2).err
    assert cli("settle", old, old, "--none", code=2).err
    assert proposed(cli) == [[old, new]]
