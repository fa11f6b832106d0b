"""Which project is meant: by name, by folder, by remote, wherever a clone lies."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from curating import AGENT, PERSON, add, git, repository

from memtui.curate.anchors import dead_anchors, snooze_until_change
from memtui.curate.health import HealthOptions, health
from memtui.curate.lifecycle import retire
from memtui.curate.projects import (
    DEFAULT_SCOPE_KEY,
    View,
    alias_remote,
    check_named_files,
    folders_here,
    known_folder,
    link_folder,
    narrow_to_files,
    note_folder,
    view_of,
)
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.views import count_vault
from memtui.errors import UsageError
from memtui.git import run_git
from memtui.vault.filters import EVERYTHING, MemoryFilter, Scope
from memtui.vault.projects import list_projects, register_project
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace

REMOTE = "git@example.org:acme/shop.git"


def view(vault: Vault, folder: Path, named: str | None = None) -> View:
    with vault.read() as reader:
        return view_of(reader, folder, named)


def test_a_folder_shows_its_project_and_what_holds_everywhere(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"src/a.py": ""}, remote=REMOTE)
    add(vault, "Lock payments", project=None, folder=root)
    seen = view(vault, root / "src")
    assert (seen.project, seen.known, seen.named, seen.root) == ("shop", True, False, root.resolve())
    assert seen.scope == seen.payload_scope == Scope(("shop", "global"))
    assert seen.tree is not None


def test_a_new_repository_has_a_name_before_it_has_memories(vault: Vault, tmp_path: Path) -> None:
    seen = view(vault, repository(tmp_path / "till", {}, remote="https://example.org/acme/till"))
    assert (seen.project, seen.known) == ("till", False)
    assert not vault.exists


def test_outside_every_project_all_is_listed_and_only_global_reaches_a_payload(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "x"
    outside.mkdir()
    seen = view(vault, outside)
    assert (seen.project, seen.scope, seen.payload_scope) == (None, EVERYTHING, Scope(("global",)))
    assert seen.tree is None


def test_a_named_project_is_taken_as_it_is(vault: Vault, tmp_path: Path) -> None:
    add(vault, "Lock payments")
    assert view(vault, tmp_path, " shop ").known
    seen = view(vault, tmp_path, "till")
    assert (seen.project, seen.known, seen.named) == ("till", False, True)
    assert view(vault, tmp_path, "global").scope == Scope(("global",))
    with pytest.raises(UsageError):
        view(vault, tmp_path, "a\x1bb")


def test_a_moved_repository_stays_itself(vault: Vault, tmp_path: Path) -> None:
    with_remote = repository(tmp_path / "a", {}, remote=REMOTE)
    without = repository(tmp_path / "notes", {"a.md": "x"})
    names = [add(vault, f"t{folder}", project=None, folder=folder).project for folder in (with_remote, without)]
    for number, folder in enumerate((with_remote, without)):
        moved = tmp_path / "moved" / str(number)
        shutil.move(folder, moved)
        assert view(vault, moved).project == names[number]


def test_a_linked_worktree_is_called_as_its_main_checkout_is(vault: Vault, tmp_path: Path) -> None:
    main = repository(tmp_path / "ledger", {"a.md": "x"})
    git(main, "worktree", "add", "--quiet", str(main / ".claude/worktrees/retry"), "-b", "retry")
    assert view(vault, main / ".claude/worktrees/retry").project == "ledger"
    bare = tmp_path / "tides"
    git(tmp_path, "clone", "--quiet", "--bare", str(main), str(bare / ".bare"))
    git(bare / ".bare", "remote", "remove", "origin")
    git(bare / ".bare", "worktree", "add", "--quiet", str(bare / "retry"), "retry")
    assert view(vault, bare / "retry").project == "tides"


def test_a_folder_linked_by_hand_holds_for_its_worktrees_too(vault: Vault, tmp_path: Path) -> None:
    main = repository(tmp_path / "ledger", {"a.md": "x"}, remote=REMOTE)
    add(vault, "Lock payments", project="till")
    link_folder(vault, "till", main)
    git(main, "worktree", "add", "--quiet", str(tmp_path / "retry"), "-b", "retry")
    assert view(vault, tmp_path / "retry").project == "till"


def test_a_plain_host_alias_is_looked_up_in_the_ssh_configuration(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    (tmp_path / "home/.ssh").mkdir(parents=True)
    config = "Host other\n  HostName example.com\nHost work play\n  User git\n  HostName = example.org\n"
    (tmp_path / "home/.ssh/config").write_text(config, encoding="utf-8")
    add(vault, "Lock payments", project=None, folder=repository(tmp_path / "a", {}, remote=REMOTE))
    for number, url in enumerate(("git@work:acme/shop.git", "ssh://git@play/acme/shop")):
        assert view(vault, repository(tmp_path / f"b{number}", {}, remote=url)).known, url
    assert not view(vault, repository(tmp_path / "c", {}, remote="git@unknown:acme/shop.git")).known


def test_a_project_known_by_a_host_alias_keeps_it(vault: Vault, tmp_path: Path) -> None:
    with vault.write(actor="person", action="project-link", summary="as an earlier version wrote it") as writer:
        register_project(writer, ["remote:example.org-work/acme/shop"], "shop")
    aliased = repository(tmp_path / "a", {}, remote="git@example.org-work:acme/shop.git")
    assert view(vault, aliased).known


def test_repositories_of_one_name_are_told_apart(vault: Vault, tmp_path: Path) -> None:
    one = repository(tmp_path / "one/notes", {"a.md": "one"})
    other = repository(tmp_path / "other/notes", {"a.md": "other"}, on="2026-01-16")
    names = [add(vault, f"t{folder}", project=None, folder=folder).project for folder in (one, other)]
    assert names[0] == "notes"
    assert names[1] not in {"notes", None}
    assert [view(vault, folder).project for folder in (one, other)] == names


def test_a_project_known_by_its_memories_alone_takes_up_its_repository(vault: Vault, tmp_path: Path) -> None:
    add(vault, "Lock payments", project="shop")
    root = repository(tmp_path / "shop", {}, remote=REMOTE)
    assert view(vault, root).project == "shop"
    assert add(vault, "Seed first", project=None, folder=root).project == "shop"


def test_a_plain_folder_belongs_to_a_project_once_it_is_linked(vault: Vault, tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "deep"
    folder.mkdir(parents=True)
    assert link_folder(vault, " shop ", tmp_path / "docs") is None
    seen = view(vault, folder)
    assert (seen.project, seen.root) == ("shop", (tmp_path / "docs").resolve())
    assert add(vault, "Lock payments", project=None, folder=folder).project == "shop"
    assert link_folder(vault, "till", tmp_path / "docs") == "shop"
    assert view(vault, folder).project == "till"
    with pytest.raises(UsageError, match="No such file or folder"):
        link_folder(vault, "shop", tmp_path / "gone")


def test_a_part_of_a_repository_can_be_a_project_of_its_own(vault: Vault, tmp_path: Path) -> None:
    root = repository(tmp_path / "mono", {"apps/till/a.py": "", "apps/shop/a.py": ""}, remote=REMOTE)
    add(vault, "Lock payments", project=None, folder=root)
    link_folder(vault, "till", root / "apps/till")
    assert view(vault, root / "apps/till").project == "till"
    assert view(vault, root / "apps/shop").project == "shop"


def test_another_remote_can_mean_the_same_project(vault: Vault, tmp_path: Path) -> None:
    add(vault, "Lock payments")
    assert alias_remote(vault, "shop", "https://git.example.net/mirror/shop.git") is None
    fork = repository(tmp_path / "fork", {}, remote="git@git.example.net:mirror/shop")
    assert view(vault, fork).project == "shop"
    with vault.read() as reader:
        assert [project.identities for project in list_projects(reader)] == [("remote:git.example.net/mirror/shop",)]
    with pytest.raises(UsageError):
        alias_remote(vault, "shop", " ")


def test_the_demo_shows_itself_everywhere(vault: Vault, tmp_path: Path) -> None:
    with vault.write(actor="person", action="demo") as writer:
        writer.set_meta(DEFAULT_SCOPE_KEY, "all")
    root = repository(tmp_path / "new", {}, remote=REMOTE)
    seen = view(vault, root)
    assert (seen.project, seen.scope, seen.payload_scope) == (None, EVERYTHING, EVERYTHING)


def test_a_file_that_only_one_projects_memories_name_says_which_project_is_meant(vault: Vault, tmp_path: Path) -> None:
    for project, pattern in (("shop", "pay/**"), ("till", "till/*.py"), ("till", "both/**"), ("shop", "both/*.py")):
        add(vault, f"About {project} {pattern}", project=project, files=[pattern], folder=tmp_path)
    outside = view(vault, tmp_path)
    assert narrow_to_files(vault, outside, ["pay/a.py"]).project == "shop"
    assert narrow_to_files(vault, outside, ["till/a.py::f"]).project == "till"
    assert narrow_to_files(vault, outside, ["both/a.py"]) == outside
    assert narrow_to_files(vault, outside, ["none.py"]) == outside
    assert narrow_to_files(vault, outside, []) == outside
    named = view(vault, tmp_path, "till")
    assert narrow_to_files(vault, named, ["pay/a.py"]) == named


def test_a_project_named_as_its_repository_is_has_the_repositorys_files(vault: Vault, tmp_path: Path) -> None:
    add(vault, "Taxes are rounded once", project="bakery")
    add(vault, "Tills close at ten", project="till")
    by_folder = repository(tmp_path / "bakery", {"cart.py": ""})
    by_remote = repository(tmp_path / "b", {"cart.py": ""}, remote="https://example.org/acme/bakery.git")
    for root in (by_folder, by_remote):
        seen = view(vault, root, "bakery")
        assert seen.tree is not None
        assert seen.tree.root == root.resolve()
        assert view(vault, root, "till").tree is None


def test_a_given_file_of_the_working_directory_belongs_to_the_named_project(vault: Vault, tmp_path: Path) -> None:
    add(vault, "Taxes are rounded once", project="bakery")
    root = repository(tmp_path / "checkout", {"cart.py": ""})
    named = view(vault, root, "bakery")
    assert narrow_to_files(vault, named, ["missing.py"]).tree is None
    tree = narrow_to_files(vault, named, ["cart.py"]).tree
    assert tree is not None
    assert (tree.project, tree.root) == ("bakery", root.resolve())


def test_files_are_checked_against_the_anchors_in_view(vault: Vault, tmp_path: Path) -> None:
    add(vault, "About pay", project="shop", files=["pay/*.py"], folder=tmp_path)
    shop, till = view(vault, tmp_path, "shop"), view(vault, tmp_path, "till")
    assert check_named_files(vault, shop, ["pay/gone.py"], folder=tmp_path) == ["pay/gone.py"]
    assert check_named_files(vault, till, [], folder=tmp_path) == []
    with pytest.raises(UsageError):
        check_named_files(vault, till, ["pay/gone.py"], folder=tmp_path)


def test_counts_are_those_of_the_scope(vault: Vault) -> None:
    add(vault, "Use make", kind="tooling", pinned=True)
    add(vault, "Never log cards", kind="constraint", project="global")
    add(vault, "Use tabs", kind="note", project="till")
    add(vault, "Use ninja", kind="tooling", actor=AGENT)
    retire(vault, [add(vault, "Use ant", kind="tooling").id], actor=PERSON)
    counts = count_vault(vault, Scope.of_project("shop"))
    assert {name: counts[name] for name in ("active", "inbox", "due", "pinned")} == {
        "active": 2,
        "inbox": 1,
        "due": 0,
        "pinned": 1,
    }
    assert counts["by_kind"] == {"tooling": 1, "constraint": 1}
    assert counts["by_status"] == {"active": 2, "candidate": 1, "retired": 1}
    assert counts["by_project"] == {"shop": 1, "global": 1, "till": 1}
    assert count_vault(vault, EVERYTHING, threshold=1.0)["due"] == 2


def test_an_empty_vault_counts_nothing(vault: Vault) -> None:
    counts = count_vault(vault, EVERYTHING)
    assert (counts["active"], counts["by_project"]) == (0, {})
    assert not vault.exists


# -- where a project lies on this machine ---------------------------------------------------------------


def folder_of(vault: Vault, name: str) -> Path | None:
    with vault.read() as reader:
        return known_folder(reader, name)


def test_the_folder_of_a_repository_is_known_once_something_was_written_in_it(vault: Vault, tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", {"src/a.py": ""}, remote=REMOTE)
    add(vault, "Lock payments", project=None, folder=shop / "src")
    till = repository(tmp_path / "till", {})
    add(vault, "Count the till", project=None, folder=till)
    assert folder_of(vault, "shop") == shop.resolve()
    assert folder_of(vault, "till") == till.resolve()
    assert folder_of(vault, "quay") is None
    with vault.read() as reader:
        identities = {project.name: project.identities for project in list_projects(reader)}
    assert not any("folder:" in one for of_one in identities.values() for one in of_one), "a place identifies nothing"


def test_a_folder_that_another_repository_took_or_that_is_gone_is_not_the_projects(
    vault: Vault, tmp_path: Path
) -> None:
    shop = repository(tmp_path / "shop", {}, remote=REMOTE)
    add(vault, "Lock payments", project=None, folder=shop)
    moved = Path(shutil.move(shop, tmp_path / "moved"))
    assert folder_of(vault, "shop") is None
    repository(shop, {}, remote="git@example.org:acme/other.git")
    assert folder_of(vault, "shop") is None
    note_folder(vault, moved)
    assert folder_of(vault, "shop") == moved.resolve()


def test_a_linked_folder_goes_before_one_where_the_repository_was_seen(vault: Vault, tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", {}, remote=REMOTE)
    add(vault, "Lock payments", project=None, folder=shop)
    notes = tmp_path / "notes"
    notes.mkdir()
    link_folder(vault, "shop", notes)
    assert folder_of(vault, "shop") == notes.resolve()
    with vault.read() as reader:
        assert folders_here(reader)["shop"] == (notes.resolve(), shop.resolve())


def test_a_linked_worktree_is_known_by_the_main_checkout_which_stays(vault: Vault, tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", {"a.py": ""}, remote=REMOTE)
    git(shop, "worktree", "add", "-q", str(tmp_path / "side"))
    add(vault, "Lock payments", project=None, folder=tmp_path / "side")
    assert folder_of(vault, "shop") == shop.resolve()


def test_noting_where_a_project_is_changes_nothing_that_is_known(vault: Vault, tmp_path: Path) -> None:
    shop = repository(tmp_path / "shop", {}, remote=REMOTE)
    note_folder(vault, shop)
    assert folder_of(vault, "shop") is None, "a repository that the vault does not know is left alone"
    add(vault, "Lock payments", project=None, folder=shop)
    with vault.read() as reader:
        before = reader.change_counter()
    note_folder(vault, shop)
    with vault.read() as reader:
        assert reader.change_counter() == before


def everything(folder: Path) -> View:
    return View(None, EVERYTHING, find_workspace(folder), folder)


LOOKS: dict[str, Callable[[Vault, str], object]] = {
    "browse": lambda vault, _: dead_anchors(vault, MemoryFilter()),
    "snooze": lambda vault, name: snooze_until_change(vault, [name], actor=PERSON),
    "tidy": lambda vault, _: tidy(vault, TidyOptions()),
    "health": lambda vault, _: health(vault, HealthOptions(view=everything(vault.path.parent))),
    "context": lambda vault, _: narrow_to_files(vault, everything(vault.path.parent), ["a.py"]),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_git_is_asked_for_a_folder_with_no_lease_held_once_and_only_where_files_are_tied(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: Callable[[Vault, str], object]
) -> None:
    """A lease is held 250 ms at most, and git may take five seconds."""
    till, bare = repository(tmp_path / "till", {"a.py": ""}), repository(tmp_path / "bare", {"b.py": ""})
    memory = add(vault, "Count the till", project=None, folder=till, files=["a.py"])
    add(vault, "Nothing is tied here", project=None, folder=bare)
    asked: list[Path] = []
    leases: list[str] = []
    connect = Vault.connect

    @contextmanager
    def counted(self: Vault, **options: bool) -> Iterator[object]:
        with connect(self, **options) as connection:
            leases.append("held")
            try:
                yield connection
            finally:
                leases.pop()

    def noted(folder: Path, *arguments: str) -> str | None:
        assert not leases, "git runs while a lease is held"
        asked.append(folder)
        return run_git(folder, *arguments)

    monkeypatch.setattr(Vault, "connect", counted)
    monkeypatch.setattr("memtui.workspace.run_git", noted)
    monkeypatch.setattr("memtui.workspace._root_commits", {}, raising=False)
    look(vault, memory.id)
    look(vault, memory.id)
    assert asked == [till.resolve()]
    git(till, "checkout", "-q", "--orphan", "fresh")
    git(till, "commit", "-q", "--allow-empty", "-m", "other")
    look(vault, memory.id)
    assert asked == [till.resolve()] * 2, "HEAD means another commit"
