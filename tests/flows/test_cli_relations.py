"""Conclusions, links, resemblances and contradictions at the command line."""

from __future__ import annotations

import pytest
from flows.cli_driver import Cli

NOTES = ("The refund lock was lost at noon", "A slow refund outlives its lock", "Two workers paid one refund")


@pytest.fixture
def notes(cli: Cli) -> list[str]:
    cli.write("pay/lock.py", "TTL = 30\n")
    return [
        cli("add", text, "--kind", "note", "--project", "shop", "--tag", f"t{number}", "--file", "pay/lock.py").id
        for number, text in enumerate(NOTES)
    ]


def test_a_conclusion_is_one_change_with_its_sources(cli: Cli, notes: list[str]) -> None:
    before = cli.exported()
    cli.write("pay/worker.py", "RETRIES = 3\n")
    run = cli(
        *("reflect", *(note[:6] for note in notes), "--text", "-", "--title", "Locks outlive refunds"),
        *("--kind", "constraint", "--why", "Double refunds in March", "--remove-tag", "t1", "--add-tag", "locks"),
        *("--add-file", "pay/worker.py", "--retire"),
        stdin="A lock must outlive the slowest refund.\n",
    )
    assert "Concluded: Locks outlive refunds (constraint; 3 sources retired)" in run.err
    row = cli("show", run.id, "--json").json
    assert (row["kind"], row["tags"], row["project"]) == ("constraint", ["t0", "t2", "locks"], "shop")
    assert [anchor["path"] for anchor in row["anchors"]] == ["pay/lock.py", "pay/worker.py"]
    assert {(link["type"], link["id"]) for link in row["links"]} == {("derived-from", note) for note in notes}
    assert cli("show", notes[0], "--json").json["status_reason"] == f"reflected in {run.id}"
    after = cli.exported()
    assert "reflect 3 memories into Locks outlive refunds" in cli("undo").err
    assert cli.exported() == before
    cli("redo")
    assert cli.exported() == after


def test_a_conclusion_as_json_keeps_the_sources(cli: Cli, notes: list[str]) -> None:
    run = cli("reflect", *notes, "--text", "A lock must outlive the slowest refund.", "--json")
    assert run.json["sources"] == notes
    assert cli("show", run.json["id"], "--json").json["kind"] == "lesson"
    assert {row["status"] for row in cli.all_rows()} == {"active"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "There is no conclusion yet"),
        (("--text", " "), 2, "The conclusion is empty: of 3 sources. Write what follows"),
        (("--text", "-"), 2, "The conclusion is empty: of 3 sources. Write what follows"),
        (("--text", "\u200b"), 2, "The conclusion is empty: of 3 sources. Write what follows"),
        (("--text", f"- {NOTES[0]}\n- {NOTES[1]}"), 2, "still the outline of the sources"),
        (("--text", "Locks.", "--remove-tag", "nosuch"), 2, "No such tag: nosuch"),
        (("--text", "Locks.", "--remove-file", "no.py"), 2, "No such file: no.py"),
        (("--text", "Locks.", "--kind", "lessn"), 2, "Did you mean lesson?"),
        (("--text", "Locks.", "--retire", "--actor", "codex"), 6, "Only a person can retire"),
    ],
)
def test_what_cannot_be_concluded_says_why(
    cli: Cli, notes: list[str], words: tuple[str, ...], code: int, said: str
) -> None:
    before = cli.exported()
    assert said in cli("reflect", *notes, *words, code=code).err
    assert cli.exported() == before


def test_add_says_what_it_resembles_and_the_command_works(cli: Cli) -> None:
    old = cli("add", "The refund lock lives for 30 seconds", "--project", "shop").id
    run = cli("add", "The refund lock lives for 60 seconds", "--project", "shop")
    (line,) = [line for line in run.err.splitlines() if "similar to" in line]
    command = f"memtui link {run.id} supersedes {old}"
    assert command in line
    cli(*command.split()[1:])
    assert cli("show", old, "--json").json["status"] == "superseded"
    again = cli("add", "The refund lock lives for 90 seconds", "--project", "shop", "--json").json
    assert [found["id"] for found in again["resembles"]] == [run.id]
    assert set(again["resembles"][0]) == {"id", "title", "sort", "score", "why"}
    replaced = cli("add", "The refund lock lives for 45 seconds", "--supersedes", again["id"], "--project", "shop")
    assert again["id"] not in [line.split()[2] for line in replaced.err.splitlines() if "similar to" in line]


def test_accepting_and_rewriting_say_what_they_resemble(cli: Cli) -> None:
    old = cli("add", "The refund lock lives for 30 seconds", "--project", "shop").id
    proposed = cli("add", "The refund lock lives for 60 seconds", "--project", "shop", "--actor", "codex")
    assert "similar to" not in proposed.err, "an agent's proposal is looked at when a person accepts it"
    assert f"similar to {old}" in cli("inbox", "accept", proposed.id).err
    other = cli("add", "Deploys wait for the smoke test", "--project", "shop").id
    assert "similar to" not in cli("edit", other, "--add-tag", "ci").err
    assert "similar to" in cli("edit", other, "--text", "The refund lock lives for 75 seconds", "--title", "Lock").err


def test_links_are_proposed_made_and_dismissed(cli: Cli) -> None:
    note = cli(
        "add", "On Friday the lock of a slow refund ran out at noon, and the card was paid twice", "--kind", "note"
    )
    rule = cli("add", "Whoever holds a lock renews it in time, since a slow refund outlives it", "--kind", "constraint")
    scope = ("--all-projects", "--json")
    cli("edit", note.id, "--move-to", "shop")
    cli("edit", rule.id, "--move-to", "shop")
    (proposal,) = cli("link", "--proposals", *scope).json
    assert set(proposal) == {"from", "type", "to", "score", "why", "titles"}
    assert cli("link", "--proposals", note.id[:6], "--json").json == [proposal]
    assert proposal["why"] in cli("link", "--proposals", "--all-projects").out
    ends = (proposal["from"], proposal["type"], proposal["to"])
    cli("link", *ends, "--dismiss")
    assert cli("link", "--proposals", *scope).json == []
    assert "No links are suggested" in cli("link", "--proposals", rule.id).err
    assert "dismissed already" in cli("link", *ends, "--dismiss").err
    cli("undo")
    assert cli("link", "--proposals", *scope).json == [proposal]
    cli("link", *ends)
    assert cli("link", "--proposals", *scope).json == []
    assert "two ends" in cli("link", note.id, code=2).err
    assert "at most one ID" in cli("link", "--proposals", note.id, "relates", code=2).err


def test_tidy_offers_what_is_ripe_and_cron_stays_quiet(cli: Cli, notes: list[str]) -> None:
    for note in notes:
        cli("edit", note, "--add-tag", "lock")
    run = cli("tidy", "--all-projects")
    assert "ripe (1): `memtui reflect ID ID… --text" in run.out
    assert f"{' '.join(notes)}  3 notes of one day: pay/lock.py, #lock" in run.out
    (group,) = cli("tidy", "--all-projects", "--json").json["ripe"]
    cli("reflect", *group["ids"], "--text", "A lock must outlive the slowest refund.", "--project", "shop")
    assert cli("tidy", "--all-projects", "--json").json["ripe"] == []


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
