"""A project stays itself: in worktrees, clones, moved repositories; and nothing is guessed outside one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from support import make_memory

from memtui.domain.identity import path_identity, remote_identity
from memtui.errors import UsageError
from memtui.vault import projects
from memtui.vault.vault import Vault
from memtui.workspace import find_workspace


def _git(folder: Path, *arguments: str) -> None:
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    names = {f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, env={**os.environ, **quiet, **names}
    )


def _repository(folder: Path, remote: str | None = None) -> Path:
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "README.md").write_text(folder.name)
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "Start")
    if remote:
        _git(folder, "remote", "add", "origin", remote)
    return folder


def _register(vault: Vault, folder: Path) -> str:
    workspace = find_workspace(folder)
    with vault.write(actor="person", action="add") as writer:
        return projects.register_project(writer, workspace.own_identities(), workspace.suggested_name)


def _look_up(vault: Vault, folder: Path) -> str | None:
    with vault.read() as reader:
        return projects.find_project(reader, find_workspace(folder).lookup_identities())


@pytest.mark.parametrize(
    "url",
    ["git@github.com:acme/shop.git", "https://github.com/acme/shop", "ssh://git@GitHub.com:22/acme/shop.git/"],
)
def test_a_clone_is_the_same_project_however_its_remote_is_written(vault: Vault, tmp_path: Path, url: str) -> None:
    name = _register(vault, _repository(tmp_path / "one", "https://ada@github.com/acme/shop.git"))
    assert name == "shop"
    assert _look_up(vault, _repository(tmp_path / "two", url)) == "shop"
    assert _look_up(vault, _repository(tmp_path / "three", "git@github.com:acme/other.git")) is None


@pytest.mark.parametrize(
    ("remotes", "name"),
    [
        ({"copies": "/srv/copies/kiln.git", "origin": "git@github.com:acme/pottery.git"}, "pottery"),
        ({"copies": "/srv/copies/kiln.git", "upstream": "https://github.com/acme/glaze"}, "glaze"),
        ({"origin": "https://github.com/ada/fork-of-it", "upstream": "https://github.com/acme/clay"}, "clay"),
        ({"copies": "/srv/copies/kiln.git"}, "kiln"),
        ({"origin": "/srv/copies/acme/repo"}, "clay"),
    ],
)
def test_of_several_remotes_the_one_called_like_the_folder_names_the_project_else_origin_else_upstream(
    vault: Vault, tmp_path: Path, remotes: dict[str, str], name: str
) -> None:
    folder = _repository(tmp_path / "clay")
    for remote, url in remotes.items():
        _git(folder, "remote", "add", remote, url)
    assert _register(vault, folder) == name
    first = next(filter(remotes.__contains__, ("origin", "upstream", "copies")))
    assert find_workspace(folder).own_identities() == [remote_identity(remotes[first])]


def test_a_repository_known_by_its_first_remote_stays_itself_when_it_gets_an_upstream(
    vault: Vault, tmp_path: Path
) -> None:
    folder = _repository(tmp_path / "wheel")
    _git(folder, "remote", "add", "copies", "/srv/copies/kiln.git")
    name = _register(vault, folder)
    _git(folder, "remote", "add", "upstream", "https://github.com/acme/glaze")
    assert _look_up(vault, folder) == name


def test_a_repository_without_a_remote_stays_itself_when_it_moves(vault: Vault, tmp_path: Path) -> None:
    name = _register(vault, _repository(tmp_path / "a"))
    (tmp_path / "a").rename(tmp_path / "b")
    assert _look_up(vault, tmp_path / "b") == name


def test_a_worktree_and_a_deep_folder_belong_to_the_repository(vault: Vault, tmp_path: Path) -> None:
    repository = _repository(tmp_path / "main", "git@github.com:acme/shop.git")
    name = _register(vault, repository)
    _git(repository, "worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "other")
    (repository / "src" / "deep").mkdir(parents=True)
    assert _look_up(vault, tmp_path / "tree") == name
    assert _look_up(vault, repository / "src" / "deep") == name
    assert find_workspace(tmp_path / "tree").root == tmp_path / "tree"


def test_a_repository_before_its_first_commit_is_known_by_its_path(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    _git(tmp_path / "new", "init", "--quiet")
    assert _register(vault, tmp_path / "new") == "new"
    assert _look_up(vault, tmp_path / "new") == "new"


def test_a_folder_outside_a_repository_is_no_project_until_it_is_linked(vault: Vault, tmp_path: Path) -> None:
    plain = tmp_path / "notes" / "deep"
    plain.mkdir(parents=True)
    assert find_workspace(plain).own_identities() == []
    assert _look_up(vault, plain) is None
    with vault.write(actor="person", action="link") as writer:
        assert projects.link_identity(writer, "notes", path_identity((tmp_path / "notes").as_posix())) is None
    assert _look_up(vault, plain) == "notes"


def test_a_linked_part_of_a_repository_is_a_project_of_its_own(vault: Vault, tmp_path: Path) -> None:
    repository = _repository(tmp_path / "mono", "git@github.com:acme/mono.git")
    (repository / "apps" / "web" / "src").mkdir(parents=True)
    _register(vault, repository)
    with vault.write(actor="person", action="link") as writer:
        projects.link_identity(writer, "web", path_identity((repository / "apps" / "web").as_posix()))
    assert _look_up(vault, repository / "apps" / "web" / "src") == "web"
    assert _look_up(vault, repository / "apps") == "mono"


def test_linking_takes_the_folder_from_its_former_project_and_says_so(vault: Vault) -> None:
    with vault.write(actor="person", action="link") as writer:
        projects.link_identity(writer, "old", "path:/srv/a")
        assert projects.link_identity(writer, "new", "path:/srv/a") == "old"
    with vault.read() as reader:
        assert projects.find_project(reader, ["path:/srv/a"]) == "new"


def test_two_repositories_of_one_name_get_two_names(vault: Vault, tmp_path: Path) -> None:
    names = [
        _register(vault, _repository(tmp_path / str(number), f"git@github.com:{owner}/shop.git"))
        for number, owner in enumerate(("acme", "umbrella"))
    ]
    assert names == ["shop", "umbrella-shop"]


def test_a_project_known_by_its_memories_alone_is_taken_over_by_its_repository(vault: Vault, tmp_path: Path) -> None:
    with vault.write(actor="person", action="import") as writer:
        writer.put(make_memory(project="shop"))
    assert _register(vault, _repository(tmp_path / "x", "git@github.com:acme/shop.git")) == "shop"
    with vault.read() as reader:
        (project,) = projects.list_projects(reader)
    assert (project.name, project.identities, project.memories) == ("shop", ("remote:github.com/acme/shop",), 1)


def test_unassigned_memories_make_no_project(vault: Vault) -> None:
    with vault.write(actor="person", action="add") as writer:
        writer.put(make_memory(project=None))
    with vault.read() as reader:
        assert projects.project_names(reader) == []


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 101, "\x1b[31m"])
def test_a_name_that_no_list_could_show_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        projects.check_name(name)
