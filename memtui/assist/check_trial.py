"""What rules would have stopped: a look back over the last commits, before a rule is saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memtui.assist.check import Finding as Broken
from memtui.assist.check import lines_wanted, run_check
from memtui.assist.check_constraints import KIND, Constraint, Constraints
from memtui.assist.check_git import GitError, Repository
from memtui.assist.check_suggest import suggested_rules
from memtui.curate.form import Basis, Finding, Texts
from memtui.domain.rules import readable_rules
from memtui.text.guarded_patterns import Matcher
from memtui.wording import checks

LAST_COMMITS = 200  # Commits that are looked back on, merges left out


@dataclass(frozen=True, slots=True)
class Stopped:
    """A commit that a rule would have stopped."""

    commit: str
    subject: str
    finding: Broken  # the first one


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of the last commits."""

    commits: int  # how many there were
    stopped: tuple[Stopped, ...]  # the newest first


@lru_cache(maxsize=64)
def try_rules(rules: tuple[str, ...], folder: Path, root: Path) -> Trial | None:
    """Return which of the last commits of a repository rules would have stopped; None outside of one.

    `folder`: a folder of the working tree. `root`: the folder that globs are relative to.
    """
    found, _ = readable_rules(rules)
    held = Constraints((Constraint("trial", "", "", tuple(found)),), root)
    try:
        repository = Repository(folder, root)
        commits = list(_commits(repository))
        stopped = [
            Stopped(commit, subject, report.findings[0])
            for (commit, subject), changes in zip(
                commits, repository.of_commits([commit for commit, _ in commits], lines_wanted(held)), strict=True
            )
            if (report := run_check(held, changes, repository=repository, matcher=_MATCHER)).findings
        ]
    except GitError:
        return None
    return Trial(len(commits), tuple(stopped))


_MATCHER = Matcher(seconds=0.5)


def _commits(repository: Repository) -> Iterator[tuple[str, str]]:
    """Yield (id, subject) of the last commits, the newest first. Raises `GitError`: there is none."""
    output = repository.git("log", f"-{LAST_COMMITS}", "--no-merges", "-z", "--format=%H%n%s")
    for entry in filter(None, output.decode("utf-8", "replace").split("\0")):
        commit, _, subject = entry.partition("\n")
        yield commit, subject.strip()


def about_rules(texts: Texts, basis: Basis) -> list[Finding]:
    """Return what to say beside the rules of a form: what new ones would have stopped, or which its words suggest."""
    before = basis.memory.rules if basis.memory is not None else ()
    lines = [line.strip() for line in texts.get("rules", "").split("\n") if line.strip()]
    if not lines:
        suggested = suggested_rules(basis.memory) if basis.memory and basis.memory.kind == KIND else []
        return [Finding("rules", "hint", checks.suggested(rule)) for rule in suggested[:1]]
    new = [str(rule) for _, rule in readable_rules(lines)[0] if str(rule) not in before]
    return list(_trials(new, basis.root)) if basis.root is not None else []


def _trials(rules: Sequence[str], root: Path) -> Iterator[Finding]:
    """Yield what each rule would have stopped among the last commits."""
    for rule in rules:
        trial = try_rules((rule,), root, root)
        if trial is not None and trial.commits:
            words = checks.trial(trial.commits, [(one.commit, one.subject) for one in trial.stopped])
            yield Finding("rules", "hint", f"{rule}: {words}" if len(rules) > 1 else words)
