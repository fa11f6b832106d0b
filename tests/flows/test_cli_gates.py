"""The gates: git, hook managers and GitHub run the check, nothing of others is lost, and all of it goes again."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
import yaml
from checking import Repo
from flows.cli_driver import Cli

from memtui.assist.install.gates import GATES
from memtui.cli.assistants import _GATES

pytestmark = pytest.mark.skipif(os.name != "posix", reason="hooks are shell scripts")


@pytest.fixture
def repo(cli: Cli) -> Repo:
    made = Repo(cli.home / "lagoon")
    made.git("remote", "add", "origin", "git@example.org:lagoon/tides.git")
    cli.cd(made.folder)
    made.commit("start", a_dot_py="x = 1\n", gen__a_dot_py="A = 1\n")
    return made


@pytest.fixture
def held(cli: Cli, repo: Repo) -> str:
    """A constraint on the repository; returns its id."""
    cli.cd(repo.folder)
    made = cli("add", "Nothing prints", "--kind", "constraint", "--why", "Logs are parsed").id
    cli("edit", made, "--rule", r"forbid 'print\(' in '*.py'", "--rule", "protect 'gen/'")
    return made


def _commit(repo: Repo, message: str, **files: str) -> tuple[int, str]:
    """Try to commit as a person would; returns the exit code and what was said."""
    repo.stage(**files)
    done = subprocess.run(
        ["git", "commit", "-q", "-m", message], cwd=repo.folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_git_refuses_a_commit_that_breaks_a_rule_and_takes_one_that_says_why(cli: Cli, repo: Repo, held: str) -> None:
    hook = repo.folder / ".git" / "hooks" / "commit-msg"
    assert "memtui check" in cli("install", "git-hook", "--dry-run").out or not hook.exists()
    assert not hook.exists()
    cli("install", "git-hook")
    assert hook.stat().st_mode & stat.S_IXUSR
    code, said = _commit(repo, "Show it", a_dot_py="print(1)\n")
    assert code != 0
    assert "Nothing prints. Logs are parsed" in said
    code, _ = _commit(repo, f"Show it\n\nmemtui: allow {held} because it is the command line", a_dot_py="print(1)\n")
    assert code == 0
    assert _commit(repo, "Quiet", b_dot_py="y = 1\n")[0] == 0
    assert _commit(repo, "Generated", gen__a_dot_py="A = 2\n")[0] != 0
    repo.git("commit", "-q", "--no-verify", "-m", "Generated")
    assert "already installed" in cli("install", "git-hook").err
    cli("uninstall", "git-hook")
    assert not hook.exists()
    cli("uninstall", "git-hook", code=3)


def test_a_merge_is_checked_and_one_that_brings_nothing_new_passes(cli: Cli, repo: Repo, held: str) -> None:
    del held
    repo.git("checkout", "-q", "-b", "theirs")
    repo.commit("theirs", old_dot_py="print('before the rule')\n")
    repo.git("checkout", "-q", "main")
    repo.commit("ours", c_dot_py="z = 1\n")
    cli("install", "git-hook")
    repo.git("merge", "-q", "--no-edit", "theirs")
    assert (repo.folder / "old.py").exists()


@pytest.mark.parametrize("ending", ["exit 0\n", "exec true\n", ""])
def test_a_hook_that_is_there_runs_too_and_keeps_its_bytes(cli: Cli, repo: Repo, held: str, ending: str) -> None:
    del held
    hook = repo.folder / ".git" / "hooks" / "commit-msg"
    own = f'#!/usr/bin/env bash\nset -eu\ngrep -q Ticket "$1" || exit 3\ntouch ran\n{ending}'
    hook.write_text(own, encoding="utf-8")
    hook.chmod(0o700)
    cli("install", "git-hook")
    assert hook.stat().st_mode & 0o777 == 0o755
    assert _commit(repo, "No number", b_dot_py="y = 1\n")[0] != 0
    assert _commit(repo, "Ticket 1", b_dot_py="print(1)\n")[0] != 0
    assert not (repo.folder / "ran").exists()
    assert _commit(repo, "Ticket 1", b_dot_py="y = 1\n")[0] == 0
    assert (repo.folder / "ran").exists()
    cli("uninstall", "git-hook")
    assert hook.read_text(encoding="utf-8") == own


def test_husky_and_other_hook_folders_of_the_repository_are_used(cli: Cli, repo: Repo, held: str) -> None:
    del held
    repo.git("config", "core.hooksPath", ".husky/_")
    runner = '#!/usr/bin/env sh\nexec sh -e "$(dirname "$0")/../$(basename "$0")" "$@"\n'
    repo.write(".husky/_/commit-msg", runner).chmod(0o755)
    repo.write(".husky/commit-msg", "true\n").chmod(0o755)
    cli("install", "git-hook")
    assert (repo.folder / ".husky" / "_" / "commit-msg").read_text(encoding="utf-8") == runner
    assert _commit(repo, "Show", b_dot_py="print(1)\n")[0] != 0
    cli("uninstall", "git-hook")
    assert (repo.folder / ".husky" / "commit-msg").read_text(encoding="utf-8") == "true\n"
    repo.git("config", "core.hooksPath", "tools/hooks")
    cli("install", "git-hook")
    assert (repo.folder / "tools" / "hooks" / "commit-msg").is_file()


def test_a_hook_that_cannot_be_chained_is_refused_with_the_lines(cli: Cli, repo: Repo) -> None:
    hook = repo.folder / ".git" / "hooks" / "commit-msg"
    hook.write_text("#!/usr/bin/env python3\nprint('theirs')\n", encoding="utf-8")
    hook.chmod(0o755)
    refused = cli("install", "git-hook", code=6)
    assert "not a shell script" in refused.err
    assert 'check --staged --message "$1"' in refused.err
    hook.write_text("#!/bin/sh\nfalse\n", encoding="utf-8")
    hook.chmod(0o644)
    assert "not executable" in cli("install", "git-hook", code=6).err
    hook.unlink()
    repo.git("config", "core.hooksPath", str(cli.home / "shared-hooks"))
    cli("install", "git-hook", code=6)
    assert not (cli.home / "shared-hooks").exists()


def test_a_linked_worktree_gets_the_hook_of_its_repository(cli: Cli, repo: Repo, held: str) -> None:
    del held
    repo.git("worktree", "add", "-q", str(cli.home / "tree"))
    cli.cd(cli.home / "tree")
    cli("install", "git-hook")
    assert (repo.folder / ".git" / "hooks" / "commit-msg").is_file()


def test_a_hook_whose_memtui_is_gone_lets_commits_pass(cli: Cli, repo: Repo, held: str) -> None:
    del held
    cli("install", "git-hook")
    hook = repo.folder / ".git" / "hooks" / "commit-msg"
    hook.write_text(
        hook.read_text(encoding="utf-8").replace("bin/", "gone/").replace("#!/gone", "#!/bin"), encoding="utf-8"
    )
    code, said = _commit(repo, "Show", b_dot_py="print(1)\n")
    assert code == 0
    assert "nothing was checked" in said


def test_outside_a_repository_the_check_says_what_to_do_and_lets_pass(cli: Cli, held: str) -> None:
    del held
    cli.cd(cli.home)
    said = cli("check", "--staged").err
    assert said.startswith("memtui check: nothing was checked: This is not a git repository: ")
    assert "begin one with `git init`, or name the files to check" in said
    assert said.count("\n") == 1
    assert "git init" in cli("check", "--staged", "--strict", code=1).err


def test_a_change_between_its_marks_is_told_and_kept_when_a_gate_goes(cli: Cli, repo: Repo, held: str) -> None:
    del held
    hook = repo.folder / ".git" / "hooks" / "commit-msg"
    cli("install", "git-hook")
    hook.write_text(f"{hook.read_text()}echo ours\n")
    assert "by hand" not in cli("uninstall", "git-hook").err
    assert hook.read_text() == "#!/bin/sh\necho ours\n"
    cli("install", "git-hook")
    changed = hook.read_text().replace("|| exit $?", "|| exit 9")
    hook.write_text(changed)
    (kept,) = [line.split()[-1] for line in cli("uninstall", "git-hook").err.splitlines() if "by hand" in line]
    assert Path(kept).read_text() == changed
    assert hook.read_text() == "#!/bin/sh\necho ours\n"


DEEP = """\
# ours
repos:
    # first
    - repo: local
      hooks:
          - id: x
            name: x
            entry: |
              true

            language: system

ci:
  autofix_prs: false
"""

PRE_COMMIT = (
    "",
    DEEP,
    "repos:\n- repo: https://example.org/a\n  rev: v1  # pinned\n  hooks:\n  - id: a\n",
    "default_stages: [pre-commit]\r\nrepos:\r\n  - repo: meta\r\n    hooks: [{id: identity}]\r\n",
    "ci: {skip: [a]}\nrepos:\n  - repo: meta\n    hooks: [{id: identity}]",
)


@pytest.mark.parametrize("before", PRE_COMMIT)
def test_pre_commit_gets_one_more_repository_and_loses_nothing(cli: Cli, repo: Repo, before: str) -> None:
    file = repo.folder / ".pre-commit-config.yaml"
    if before:
        file.write_bytes(before.encode())
    cli("install", "pre-commit")
    old, new = yaml.safe_load(before) or {}, yaml.safe_load(file.read_bytes())
    *others, ours = new["repos"]
    assert others == (old.get("repos") or [])
    assert (ours["repo"], ours["hooks"][0]["entry"]) == ("local", "memtui check --staged")
    assert {**new, "repos": others} == {"repos": [], **old}
    assert "already installed" in cli("install", "pre-commit").err
    cli("uninstall", "pre-commit")
    assert (file.read_bytes() if file.exists() else b"") == before.encode()


LEFTHOOK = (
    "",
    "pre-push:\n  commands:\n    test:\n      run: make test\n",
    "pre-commit:\n  parallel: true\n  commands:\n    lint:\n      run: make lint\npre-push:\n  jobs: []\n",
    "pre-commit:  # quick ones\n    jobs:\n        - run: make lint\n",
    "pre-commit:\n  commands:\n",
)


@pytest.mark.parametrize("before", LEFTHOOK)
def test_lefthook_gets_one_more_command_and_loses_nothing(cli: Cli, repo: Repo, before: str) -> None:
    file = repo.folder / "lefthook.yml"
    if before:
        file.write_text(before, encoding="utf-8")
    cli("install", "lefthook")
    old, new = yaml.safe_load(before) or {}, yaml.safe_load(file.read_bytes())
    assert new["pre-commit"]["commands"].pop("memtui") == {"run": "memtui check --staged"}
    section = {**(old.get("pre-commit") or {})}
    assert new["pre-commit"] == {**section, "commands": section.get("commands") or {}}
    assert {name: value for name, value in new.items() if name != "pre-commit"} == {
        name: value for name, value in old.items() if name != "pre-commit"
    }
    cli("uninstall", "lefthook")
    assert (file.read_text(encoding="utf-8") if file.exists() else "") == before


@pytest.mark.parametrize(
    ("gate", "name", "text"),
    [
        ("pre-commit", ".pre-commit-config.yaml", "repos: [{repo: meta, hooks: [{id: identity}]}]\n"),
        ("pre-commit", ".pre-commit-config.yaml", "repos:\n  - {\n"),
        ("lefthook", "lefthook.yml", "pre-commit: {parallel: true}\n"),
        ("lefthook", "lefthook.yml", "pre-commit:\n  commands:\n    memtui:\n      run: make memtui\n"),
        ("github-action", ".github/workflows/memtui.yml", "on: push\n"),
    ],
)
def test_what_cannot_be_edited_is_refused_and_unchanged(
    cli: Cli, repo: Repo, held: str, gate: str, name: str, text: str
) -> None:
    del held
    cli("export", "--target", "vault", "--out", repo.folder / ".memtui")
    repo.write(name, text)
    refused = cli("install", gate, code=6)
    assert "memtui check --" in refused.err
    assert (repo.folder / name).read_text(encoding="utf-8") == text


def test_a_workflow_reads_the_portable_vault_of_the_repository(cli: Cli, repo: Repo, held: str) -> None:
    del held
    refused = cli("install", "github-action", code=6)
    assert "no portable vault" in refused.err
    cli("export", "--target", "vault", "--out", repo.folder / "docs" / "memory")
    cli("install", "github-action")
    file = repo.folder / ".github" / "workflows" / "memtui.yml"
    steps = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]["check"]["steps"]
    assert steps[-1]["run"] == 'memtui check --from docs/memory --diff "origin/$BASE" --strict --github'
    assert steps[0]["with"]["fetch-depth"] == 0
    cli("uninstall", "github-action")
    assert not (repo.folder / ".github").exists()


def test_the_gates_are_named_in_the_help_and_need_a_repository(cli: Cli, tmp_path: Path) -> None:
    assert ", ".join(GATES) == _GATES
    cli.cd(tmp_path / "plain")
    for gate in GATES:
        assert "Not inside a repository" in cli("install", gate, code=2).err
    assert "Only a person" in cli("install", "git-hook", "--actor", "codex", code=6).err


@pytest.mark.usefixtures("held")
def test_the_hook_of_a_repository_that_another_hook_asks_checks_its_own_files(cli: Cli, repo: Repo) -> None:
    cli("install", "git-hook")
    repo.stage(b_dot_py="y = 1\n")
    (cli.home / "said").write_text("Quiet\n", encoding="utf-8")
    other = Repo(cli.home / "quay")
    other.commit("start", theirs_dot_py="x = 1\n")
    hook = other.write(
        ".git/hooks/pre-commit",
        f"#!/bin/sh\nenv | grep ^GIT_INDEX_FILE= >'{cli.home}/told' || exit 3\n"
        f"cd '{repo.folder}' && exec .git/hooks/commit-msg '{cli.home}/said'\n",
    )
    hook.chmod(0o755)
    other.write("theirs.py", "print(1)\n")
    other.git("commit", "-q", "-a", "-m", "Show it")
    assert str(other.folder) in (cli.home / "told").read_text(encoding="utf-8")
    repo.stage(b_dot_py="print(1)\n")
    other.write("theirs.py", "x = 3\n")
    with pytest.raises(AssertionError, match="Nothing prints"):
        other.git("commit", "-q", "-a", "-m", "Quiet")


@pytest.mark.usefixtures("held")
def test_the_hook_checks_what_a_commit_of_all_files_takes_along(cli: Cli, repo: Repo) -> None:
    cli("install", "git-hook")
    repo.write("a.py", "print(1)\n")
    with pytest.raises(AssertionError, match="Nothing prints"):
        repo.git("commit", "-q", "-a", "-m", "Show it")
    repo.git("worktree", "add", "-q", str(cli.home / "tree"))
    tree = Repo.__new__(Repo)
    tree.folder = cli.home / "tree"
    tree.write("a.py", "print(2)\n")
    with pytest.raises(AssertionError, match="Nothing prints"):
        tree.git("commit", "-q", "-a", "-m", "Show it")
