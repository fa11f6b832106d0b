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
        ((), 2, "The conclusion is empty"),
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


def test_at_a_terminal_a_new_project_is_noted_and_nothing_else_changes(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("add", "The gangway is raised last", "--project", "ferry")
    assert "new project" not in cli("add", "The ramp is down by five", "--project", "fery").err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    run = cli("add", "The horn is tested on Mondays", "--project", "ferri", "--json")
    assert "note: ferri is a new project. Did you mean ferry?" in run.err
    assert set(run.json) == {"id"}
    assert "new project" not in cli("add", "The bell is tested on Fridays", "--project", "ferry").err


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
    assert "already dismissed" in cli("link", *ends, "--dismiss").err
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
    assert "not tied to this file" in cli("settle", old, new, "--gone", "pay/lock.py", code=3).err
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
