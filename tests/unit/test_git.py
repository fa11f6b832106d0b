"""A repository is looked at without running what it names, and it is the one that is asked for."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.assist.check_git import GitError, Repository
from memtui.capture.commits.read import read_commits
from memtui.capture.dates import SourceDates
from memtui.errors import MemtuiError
from memtui.git import call_git, run_git
from memtui.sync.carrier import check_branch
from memtui.tree import tree_files

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the programs are shell scripts")

WRITTEN = 1_700_000_000

SIGNED = """tree {tree}
parent {parent}
author Ada <ada@quay.example> 1700000000 +0000
committer Ada <ada@quay.example> 1700000000 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 x
 -----END PGP SIGNATURE-----

Moor the tender
"""


def _git(folder: Path, *arguments: str, given: str = "") -> str:
    settings = ("-c", "user.name=Ada", "-c", "user.email=ada@quay.example", "-c", "core.fsmonitor=false")
    done = subprocess.run(
        ["git", *settings, *arguments], cwd=folder, input=given, capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    os.utime(file, (WRITTEN, WRITTEN))


def _repository(folder: Path, name: str) -> Path:
    folder.mkdir()
    _write(folder / name, "one\n")
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "config", "core.trustctime", "false")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-qm", "Start")
    return folder


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    """A repository whose settings name a program wherever they can; it makes the file `sprung`."""
    folder = _repository(tmp_path / "trapped", "a.md")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{tmp_path / 'sprung'}'\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    signed = SIGNED.format(tree=_git(folder, "rev-parse", "HEAD^{tree}"), parent=_git(folder, "rev-parse", "HEAD"))
    _git(folder, "reset", "-q", _git(folder, "hash-object", "-t", "commit", "-w", "--stdin", given=signed))
    for hook in ("post-index-change", "pre-commit", "reference-transaction"):
        (folder / ".git" / "hooks" / hook).symlink_to(trap)
    _write(folder / "b.txt", "one\n")
    _git(folder, "add", "b.txt")
    (folder / ".gitattributes").write_bytes(b"*.md filter=trap diff=trap\n*.txt filter=\xff\n")
    _write(folder / "b.txt", "two\n")
    # What is as long and as old as before, and no older than the index, git can only tell by its contents.
    _write(folder / "a.md", "two\n")
    os.utime(folder / ".git" / "index", (WRITTEN, WRITTEN))
    for name in ("core.fsmonitor", "gpg.program", "diff.external", "diff.trap.command", "core.pager"):
        _git(folder, "config", name, str(trap))
    for name in ("filter.trap.clean", "filter.trap.smudge", "diff.trap.textconv"):
        _git(folder, "config", name, f"'{trap}'")
    _git(folder, "config", "filter.trap.required", "true")
    with (folder / ".git" / "config").open("ab") as settings:
        settings.write(b'[filter "\xff"]\n\tclean = "\'' + os.fsencode(trap) + b"'\"\n")
    _git(folder, "config", "log.showSignature", "true")
    return folder


LOOKS: dict[str, Callable[[Path], object]] = {
    "files": tree_files,
    "log": lambda folder: run_git(folder, "log", "--format=%H"),
    "commits": read_commits,
    "dates": lambda folder: SourceDates(folder).observed_at(folder / "a.md"),
    "staged": lambda folder: Repository(folder).staged(lambda _: True),
    "named files": lambda folder: Repository(folder).files(["a.md"], lambda _: True),
    "since": lambda folder: Repository(folder).since("HEAD~1", lambda _: True),
    "of commits": lambda folder: [*Repository(folder).of_commits([_git(folder, "rev-parse", "HEAD")], lambda _: True)],
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_looking_at_a_repository_runs_nothing_that_it_names(trapped: Path, look: Callable[[Path], object]) -> None:
    sprung = trapped.parent / "sprung"
    sprung.unlink(missing_ok=True)
    assert look(trapped)
    assert not sprung.exists(), sprung.read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", ["remote.origin.uploadpack", "remote.origin.vcs", ""])
def test_the_gate_fetches_what_a_partial_clone_lacks_only_if_that_starts_no_program_of_the_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file")
    source = _repository(tmp_path / "source", "a.md")
    _git(source, "config", "uploadpack.allowFilter", "true")
    (source / "a.md").write_text("two\n", encoding="utf-8")
    _git(source, "commit", "-qam", "Change")
    _git(tmp_path, "clone", "-q", "--filter=blob:none", source.as_uri(), "clone")
    if setting:
        _git(tmp_path / "clone", "config", setting, f"touch '{tmp_path / 'sprung'}'; git-upload-pack")
        with pytest.raises(GitError, match="git refused"):
            Repository(tmp_path / "clone").since("HEAD~1", lambda _: True)
    else:
        (change,) = Repository(tmp_path / "clone").since("HEAD~1", lambda _: True).files
        assert change.added == {1: "two"}
    assert not (tmp_path / "sprung").exists()


def test_filters_of_the_person_are_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _repository(tmp_path / "quay", "a.md")
    (tmp_path / "mine").write_text('[filter "low"]\nclean = tr A-Z a-z\n', encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "mine"))
    (folder / ".gitattributes").write_text("*.md filter=low\n", encoding="utf-8")
    (folder / "a.md").write_text("ONE\n", encoding="utf-8")
    assert [change.path for change in Repository(folder).files(["a.md"], lambda _: True).files] == []


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"])
def test_variables_of_a_hook_do_not_lead_to_its_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    own, other = _repository(tmp_path / "own", "mine.py"), _repository(tmp_path / "other", "theirs.py")
    hook = {"GIT_DIR": ".git", "GIT_WORK_TREE": ".", "GIT_INDEX_FILE": ".git/index", "GIT_COMMON_DIR": ".git"}
    monkeypatch.setenv(name, str(other / hook.get(name, "src/")))
    assert run_git(own, "ls-files") == "mine.py\n"
    assert list(tree_files(own)) == ["mine.py"]


def test_the_gate_asks_the_repository_of_the_folder_in_a_rebase_of_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = _repository(tmp_path / "own", "mine.py"), _repository(tmp_path / "other", "theirs.py")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert Repository(own).staged(lambda _: True).files == []


@pytest.mark.parametrize("index", ["{other}/.git/index", ".git/no/index", "{free}/index"])
def test_of_an_index_alone_the_gate_obeys_only_its_own_and_one_outside_of_repositories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: str
) -> None:
    own, other = _repository(tmp_path / "own", "mine.py"), _repository(tmp_path / "other", "theirs.py")
    free = tmp_path / "free"
    free.mkdir()
    monkeypatch.setenv("GIT_INDEX_FILE", index.format(other=other, free=free))
    found = Repository(own).staged(lambda _: True).files
    assert [(change.path, change.status) for change in found] == ([("mine.py", "D")] if "{free}" in index else [])


def test_the_gate_obeys_a_repository_that_lies_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _repository(tmp_path / "home", "a.py")
    (tmp_path / "home" / ".git").rename(tmp_path / "dotfiles")
    (tmp_path / "home" / "a.py").write_text("two\n", encoding="utf-8")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "dotfiles"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "home"))
    _git(tmp_path / "home", "add", "a.py")
    assert [change.path for change in Repository(tmp_path / "home").staged(lambda _: True).files] == ["a.py"]


def test_a_git_that_takes_too_long_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\necho begun\nexec sleep 60\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    began = time.monotonic()
    answer = call_git(tmp_path, "status", seconds=0.5)
    assert (answer.output, answer.fault, answer.is_whole) == (b"begun\n", "late", False)
    assert time.monotonic() - began < 10


def test_without_git_it_is_said_that_git_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert call_git(tmp_path, "status").fault == "missing"
    with pytest.raises(Exception, match="git is not installed"):
        check_branch("main")


def test_only_what_git_says_of_a_branch_is_held_against_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MemtuiError, match="takes no branch of this name"):
        check_branch("a..b")
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(call_git, "__kwdefaults__", {**(call_git.__kwdefaults__ or {}), "seconds": 0.3})
    with pytest.raises(MemtuiError, match="git does not answer"):
        check_branch("main")
    (tmp_path / "git").write_text("no program\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MemtuiError, match="git cannot be started"):
        check_branch("main")


def test_the_gate_is_told_where_the_hooks_of_a_repository_lie(tmp_path: Path) -> None:
    folder = _repository(tmp_path / "quay", "a.md")
    assert Repository(folder).git("rev-parse", "--git-path", "hooks").strip() == b".git/hooks"
    _git(folder, "config", "core.hooksPath", "tools/hooks")
    assert Repository(folder).git("rev-parse", "--git-path", "hooks").strip() == b"tools/hooks"
