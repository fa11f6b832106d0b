"""A repository to check, and the constraints to check it against."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support import NOON, make_memory

from memtui.assist.check import Report, lines_wanted, run_check
from memtui.assist.check_constraints import Constraints, of_memory
from memtui.assist.check_git import Repository


class Repo:
    """A git repository whose user, dates and configuration are its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", ".")
        self.git("config", "commit.gpgsign", "false")

    def git(self, *words: str, **environment: str) -> str:
        """Run git; returns what it prints."""
        own = {
            "GIT_CONFIG_NOSYSTEM": "1",
            **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ada"),
            **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ada@example.org"),
            **dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), NOON.isoformat()),
        }
        done = subprocess.run(
            ["git", *words],
            cwd=self.folder,
            capture_output=True,
            check=False,
            env={**os.environ, **own, **environment},
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "replace")

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file without staging it."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def stage(self, **files: str | bytes) -> None:
        """Write and stage files; `__` in a name stands for a slash, and `_dot_` for a dot."""
        for name, text in files.items():
            path = name.replace("__", "/").replace("_dot_", ".")
            self.write(path, text)
            self.git("add", "--", path)

    def commit(self, message: str = "a commit", **files: str | bytes) -> str:
        """Stage files and commit; returns the commit's id."""
        self.stage(**files)
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()


def constraints(*rules: str, root: Path | None = None, why: str = "It was agreed") -> Constraints:
    """Return one constraint for each rule; their ids are rule00aa, rule01aa, …"""
    memories = [
        make_memory(id=f"rule{number:02}aa", title=why, kind="constraint", rules=(rule,))
        for number, rule in enumerate(rules)
    ]
    return Constraints(tuple(map(of_memory, memories)), root)


def staged(repo: Repo, *rules: str, root: Path | None = None, message: str = "") -> Report:
    """Check what the next commit changes."""
    held = constraints(*rules, root=root)
    repository = Repository(repo.folder, root)
    changes = repository.staged(lines_wanted(held))
    changes.messages = message
    return run_check(held, changes, repository=repository)


def since(repo: Repo, revision: str, *rules: str) -> Report:
    """Check what changed since a revision."""
    held = constraints(*rules)
    repository = Repository(repo.folder)
    return run_check(held, repository.since(revision, lines_wanted(held)), repository=repository)


def places(report: Report) -> list[tuple[str, int | None]]:
    return [(one.file, one.line) for one in report.findings]
