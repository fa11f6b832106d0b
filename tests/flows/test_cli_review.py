"""`tidy` and `half-life` at the command line."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

from flows.cli_driver import Cli

from memtui.tui.tidy.view import NAMES

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
    "unchecked_projects",
]


def test_the_demo_has_findings_that_are_told_and_nothing_is_changed(demo: Cli) -> None:
    before = demo.exported()
    run = demo("tidy", "--dry-run", code=7)
    assert "contradictions (" in run.out
    told = [line.split(" (")[0] for line in run.lines if " tokens): " in line]
    assert {"contradictions", "due for review", "never used"} <= set(told)
    assert set(told) <= {name.lower() for name in NAMES.values()}, "the app says the same words"
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


def test_faces_agree_on_what_moved_and_folders_and_globs_follow_the_folder(cli: Cli) -> None:
    root = cli.repository("shop", "https://example.org/team/shop.git")
    for name in ("lib/one.ts", "lib/two.ts", "auth.ts"):
        cli.write(f"src/{name}", f"export const it = '{name}'\n" * 9)
    git = ("git", "-C", str(root))
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "Start"], check=True)
    old = {"src/lib": "packages/lib", "src/lib/**": "packages/lib/**", "src/auth.ts": "packages/auth/index.ts"}
    cli("add", "The session is checked in one place.", *(word for path in old for word in ("--file", path)))
    (root / "packages" / "auth").mkdir(parents=True)
    subprocess.run([*git, "mv", "src/lib", "packages/lib"], check=True)
    subprocess.run([*git, "mv", "src/auth.ts", "packages/auth/index.ts"], check=True)

    def told() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
        anchors = cli("tidy", "--json", code=7).json["anchors"]
        (memory,) = cli("list", "--json").json
        return (
            {anchor["path"]: anchor["suggestion"] for anchor in anchors},
            {anchor["path"]: anchor["state"] for anchor in anchors},
            {anchor["path"]: anchor["state"] for anchor in memory["anchors"]},
        )

    moved = dict.fromkeys(old, "moved")
    assert told() == (old, moved, moved)
    (root / "packages/lib/two.ts").rename(root / "three.ts")
    assert told() == (old, moved, moved)
    assert cli("stats", "--json").json["anchors"]["moved"] == 3
    (root / "three.ts").rename(root / "packages/lib/two.ts")
    subprocess.run([*git, "mv", "packages/lib", "src/lib"], check=True)
    assert set(told()[0]) == {"src/auth.ts"}


def test_projects_whose_folder_is_not_known_here_are_named(cli: Cli, tmp_path: Path) -> None:
    for name in ("known", "unknown"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "gone.py").write_text("x = 1\n")
        cli("project", "link", name, str(folder))
        with contextlib.chdir(folder):
            cli("add", f"Never call the {name} service twice.", "--file", "gone.py")
        (folder / "gone.py").unlink()
    (tmp_path / "unknown").rename(tmp_path / "elsewhere")
    run = cli("tidy", "--all-projects", "--json", code=7)
    assert [anchor["path"] for anchor in run.json["anchors"]] == ["gone.py"]
    assert run.json["unchecked_projects"] == ["unknown"]
    assert "The files of unknown were not checked" in run.err
    run = cli("stats", "--json")
    assert run.json["unchecked_projects"] == ["unknown"]
    assert "unknown were not checked" in run.err


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
    assert "No memory matches" in cli("retire", "--where", "kind:note", "--project", "shop", code=3).err
    assert "(at character 5)" in cli("list", "--where", "ops kidn:note", code=2).err
    assert "--where" in cli("retire", code=2).err
    assert "--where" in cli("retire", kept, "--where", "tag:ops", code=2).err


def test_the_effect_is_told_before_it_is_applied_and_undone_after(demo: Cli) -> None:
    before = demo("review", "--list", "--json").json
    told = demo("half-life", "tooling=30d", "--dry-run", "--json").json
    assert told["due_before"] == len(before)
    assert demo("review", "--list", "--json").json == before
    assert "tooling 90 d → 30 d" in demo("half-life", "tooling=30d").err
    after = {row["id"] for row in demo("review", "--list", "--json").json}
    assert (len(after), after - {row["id"] for row in before}) == (told["due_after"], set(told["entering"]))
    kinds = {row["kind"]: row for row in demo("half-life", "--json").json}
    assert (kinds["tooling"]["half_life_days"], kinds["tooling"]["set_by"]) == (30.0, "vault")
    demo("undo")
    assert demo("review", "--list", "--json").json == before


def test_one_project_alone_what_was_learned_and_the_way_back(demo: Cli) -> None:
    assert (
        "tooling in payments-api 90 d → 14 d"
        in demo("half-life", "tooling=2w", "--here", "--project", "payments-api").err
    )
    assert _days(demo, "--here", "--project", "payments-api") == 14.0
    assert _days(demo) == 90.0
    demo("half-life", "tooling=default", "--here", "--project", "payments-api")
    assert _days(demo, "--here", "--project", "payments-api") == 90.0
    learned = next(row for row in demo("half-life", "--json").json if row["learned_days"])
    demo("half-life", f"{learned['kind']}=learned")
    assert _days(demo, kind=learned["kind"]) == learned["learned_days"]


def _days(demo: Cli, *options: str, kind: str = "tooling") -> float:
    rows = demo("half-life", "--json", *options).json
    return next(float(row["half_life_days"]) for row in rows if row["kind"] == kind)


def test_what_is_no_half_life_is_told(demo: Cli) -> None:
    wrongs = (("tooling", "KIND=TIME"), ("tooling=soon", "soon"), ("nonsense=30d", "nonsense"), ("note=0d", "0.01 to"))
    for wrong, told in wrongs:
        assert told in demo("half-life", wrong, code=2).err
        assert told in demo("half-life", wrong, "--dry-run", code=2).err
