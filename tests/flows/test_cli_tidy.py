"""`memtui tidy`: what should be put right, for people, for scripts and for cron."""

from __future__ import annotations

import subprocess

from flows.cli_driver import Cli

KEYS = [
    "duplicates",
    "conflicts",
    "anchors",
    "stale",
    "oversized",
    "vague",
    "secrets",
    "unconfirmed",
    "unused",
    "counts",
    "ripe",
]


def test_the_demo_has_findings_that_are_told_and_nothing_is_changed(demo: Cli) -> None:
    before = demo.exported()
    run = demo("tidy", "--dry-run", code=7)
    assert "conflicts (" in run.out
    assert "Be careful with the cart" in run.out
    assert "memtui settle ID ID --keep ID" in run.out
    assert "Nothing was changed." in run.err
    record = demo("tidy", "--dry-run", "--json", code=7).json
    assert list(record) == KEYS
    assert all(len(conflict["ids"]) == 2 and conflict["why"] for conflict in record["conflicts"])
    assert record["counts"]["conflicts"] == len(record["conflicts"]) > 0
    assert demo.exported() == before


def test_what_is_linked_and_what_is_proposed_add_up_to_what_is_listed(demo: Cli) -> None:
    listed = demo("tidy", "--json", code=7).json["conflicts"]
    told = demo("stats", "--json").json["contradictions"]
    types = [conflict["type"] for conflict in listed]
    assert told == {"linked": 2, "proposed": len(listed) - 2}
    assert types[:2] == ["linked", "linked"]
    assert "linked" not in types[2:]
    assert len({tuple(sorted(conflict["ids"])) for conflict in listed}) == len(listed)
    assert f"linked · {listed[0]['why']}" in demo("tidy", code=7).out
    first, second = (conflict["ids"] for conflict in listed[:2])
    demo("settle", *first, "--none")
    demo("settle", *second, "--keep", second[0])
    assert demo("tidy", "--json", code=7).json["conflicts"] == listed[2:]
    assert demo("stats", "--json").json["contradictions"] == {"linked": 0, "proposed": len(listed) - 2}
    demo("undo")
    demo("undo")
    assert demo("tidy", "--json", code=7).json["conflicts"] == listed


def test_a_clean_vault_exits_0_also_where_there_is_none(cli: Cli) -> None:
    assert "Nothing to tidy" in cli("tidy", "--dry-run").err
    cli("add", "Refunds are locked by payment_id, see src/refund.py.", "--project", "shop")
    run = cli("tidy", "--dry-run", "--json", "--project", "shop")
    assert run.json["counts"]["memories"] == 1
    assert not any(run.json[key] for key in KEYS if key != "counts")


def test_with_and_without_dry_run_it_lists_and_changes_nothing(demo: Cli) -> None:
    before = demo.exported()
    assert demo("tidy", code=7).out == demo("tidy", "--dry-run", code=7).out
    assert demo.exported() == before


def test_copies_that_were_merged_are_found_no_more(cli: Cli) -> None:
    first = cli("add", "Integration tests need Docker running.", "--project", "shop").id
    second = cli("add", "integration tests need `Docker` running", "--project", "shop").id
    (group,) = cli("tidy", "--dry-run", "--json", "--project", "shop", code=7).json["duplicates"]
    assert (group["ids"], group["pile"], group["warnings"]) == ([first, second], "easy", [])
    cli("merge", *group["ids"])
    assert cli("tidy", "--dry-run", "--json", "--project", "shop").json["duplicates"] == []


def test_a_moved_file_is_a_finding_with_its_new_place(cli: Cli) -> None:
    root = cli.repository("shop", "https://example.org/team/shop.git")
    cli.write("src/lib/auth.ts", "export const auth = 1\n" * 9)
    git = ("git", "-C", str(root))
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "Start"], check=True)
    kept = cli("add", "The session is checked in one file.", "--file", "src/lib/auth.ts").id
    assert cli("tidy", "--dry-run", "--json").json["anchors"] == []
    subprocess.run([*git, "mv", "src/lib/auth.ts", "src/auth.ts"], check=True)
    anchors = cli("tidy", "--dry-run", "--json", code=7).json["anchors"]
    assert anchors == [{"id": kept, "path": "src/lib/auth.ts", "state": "moved", "suggestion": "src/auth.ts"}]
    assert "moved · src/lib/auth.ts · now src/auth.ts" in cli("tidy", "--dry-run", code=7).out


def test_a_query_narrows_the_list_and_chooses_what_is_retired(cli: Cli) -> None:
    note = cli("add", "The sandbox is down until noon.", "--kind", "note", "--tag", "ops", "--project", "shop").id
    kept = cli("add", "Refunds are locked by payment_id.", "--tag", "ops", "--project", "shop").id
    rows = cli("list", "--where", "tag:ops -kind:note", "--json").json
    assert [row["id"] for row in rows] == [kept]
    edited = cli("edit", "--where", "tag:ops", "--add-tag", "x", "--half-life", "30d", "--project", "shop")
    assert set(edited.lines) == {kept, note}
    assert cli("show", note, "--json").json["tags"] == ["ops", "x"]
    assert cli("show", note, "--json").json["half_life_days"] == 30
    cli("edit", "--where", "tag:x", "--half-life", "kind", "--project", "shop")
    assert cli("show", note, "--json").json["half_life_days"] is None
    assert "--title" in cli("edit", "--where", "tag:x", "--title", "no", "--project", "shop", code=2).err
    assert "--where" in cli("edit", code=2).err
    assert "--where" in cli("edit", note, "--where", "tag:x", "--add-tag", "y", code=2).err
    assert set(cli("verify", "--where", "tag:ops", "--project", "shop").lines) == {kept, note}
    assert cli("retire", "--where", "kind:note", "--why", "over", "--project", "shop").lines == [note]
    assert cli("list", "--where", "status:retired", "--json").json[0]["status_reason"] == "over"
    assert "No memory fits" in cli("retire", "--where", "kind:note", "--project", "shop", code=3).err
    assert "(at character 5)" in cli("list", "--where", "ops kidn:note", code=2).err
    assert "--where" in cli("retire", code=2).err
    assert "--where" in cli("retire", kept, "--where", "tag:ops", code=2).err
