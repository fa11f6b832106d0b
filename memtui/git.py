"""Runs git, for all that ask it, and reads what it says of renamed and deleted files.

No setting of a repository starts a program, so that one from a stranger can be looked at. What callers have to see to
themselves: `diff` and `log` with patches need `--no-ext-diff --no-textconv`, and what compares files of the working
tree, if only by their times, needs `without_filters`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from memtui.errors import MemtuiError
from memtui.regular_files import read_regular

GIT_SECONDS = 5.0  # Longest time for one call of git

_SAFE = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "log.showSignature=false"),  # it would run `gpg.program`
)
_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
OF_A_REPOSITORY = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
)
"""Variables that say which repository is meant. Git sets them for its hooks and what it executes in a rebase."""

_DROPPED = frozenset(
    {
        *OF_A_REPOSITORY,
        *("GIT_PREFIX", "GIT_NAMESPACE", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_ATTR_SOURCE", "GIT_EXTERNAL_DIFF"),
        *("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"),
    }
)
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",  # wait for nobody, and keep nobody waiting
    "GIT_TERMINAL_PROMPT": "0",  # ask nobody
    "LC_ALL": "C",
}
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
"""What a partial clone lacks would be fetched; only the second one says so to a git before 2.44."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a call of git."""

    output: bytes = b""
    error: bytes = b""
    code: int | None = None  # what git ended with; None if it did not run to its end, -1 if it could not be started
    fault: Literal["", "missing", "late"] = ""

    @property
    def is_whole(self) -> bool:
        """Whether git did what it was asked for."""
        return self.code == 0


def call_git(
    folder: Path | None,
    *arguments: str,
    seconds: float = GIT_SECONDS,
    given: bytes = b"",
    variables: Mapping[str, str] | None = None,
    network: bool = False,
    hooks: bool = False,
) -> Answer:
    """Run git in a folder. `given`: its input. `variables`: of the environment. `network`: whether it may fetch.

    `hooks`: whether they stay where they are, for git to tell where that is.
    """
    import subprocess

    environment = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    environment |= _QUIET | ({} if network else _OFFLINE) | dict(variables or {})
    where = () if folder is None else ("-C", str(folder))
    try:
        done = subprocess.run(
            ["git", *where, *_SAFE, *(() if hooks else _NO_HOOKS), *arguments],
            input=given,
            capture_output=True,
            check=False,
            timeout=seconds,
            env=environment,
        )
    except subprocess.TimeoutExpired as error:
        return Answer(error.stdout or b"", fault="late")
    except FileNotFoundError:
        return Answer(fault="missing")
    except OSError as error:
        return Answer(error=str(error).encode("utf-8", "replace"), code=-1)
    return Answer(done.stdout, done.stderr, done.returncode)


_OWN = frozenset({b"local", b"worktree"})  # Scopes of settings that lie in the repository itself
_NO_FILTER = {"clean": "", "smudge": "", "process": "", "required": "false"}


def without_filters(folder: Path, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return variables with which git runs no filter that a repository's own settings name.

    Those of the person stay, as for LFS. `variables`: those with which git is asked.
    """
    keys = _own_settings(folder, r"^filter\.", variables) or set()
    settings = [
        (f"{key}.{part}", off)
        for key in sorted({key.rpartition(".")[0] for key in keys})
        for part, off in _NO_FILTER.items()
    ]
    known = os.environ.get("GIT_CONFIG_COUNT", "")
    first = int(known) if known.isdecimal() else 0
    found = {"GIT_CONFIG_COUNT": str(first + len(settings))} if settings else {}
    for number, (key, value) in enumerate(settings, first):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found


_STARTS = (
    r"^(core\.(sshcommand|gitproxy|askpass|alternaterefscommand)|gc\.recentobjectshook"
    r"|credential\..*|protocol\..*|remote\..*\.(uploadpack|vcs))$"
)
"""Settings by which a fetch starts a program, or a way of fetching that is one."""


def to_fetch(folder: Path, variables: Mapping[str, str] | None = None) -> dict[str, str] | None:
    """Return variables with which a fetch starts no program that a repository names; None: its settings name one.

    A folder is not fetched from unless the person allows it: another repository lies there, with settings of its own.
    """
    if _own_settings(folder, _STARTS, variables) != set():
        return None
    return {"GIT_ALLOW_PROTOCOL": os.environ.get("GIT_ALLOW_PROTOCOL", "git:http:https:ssh")}


def _own_settings(folder: Path, pattern: str, variables: Mapping[str, str] | None) -> set[str] | None:
    """Return the names of a repository's own settings that match, of whatever bytes; None if git does not tell."""
    asked = ("config", "--show-scope", "--null", "--name-only", "--get-regexp", pattern)
    answer = call_git(folder, *asked, variables=variables)
    if answer.code not in {0, 1}:  # 1: there are none
        return None
    parts = iter(answer.output.split(b"\0"))
    return {os.fsdecode(key) for scope, key in zip(parts, parts, strict=False) if scope in _OWN}


def missing_git(remedy: str) -> MemtuiError:
    """Return the error that git is not there."""
    return MemtuiError("git is not installed", where="git", remedy=remedy)


def run_git(folder: Path, *arguments: str, seconds: float = GIT_SECONDS) -> str | None:
    """Return what git prints, or None if it fails, is missing or takes too long."""
    output, is_whole = run_git_as_far(folder, *arguments, seconds=seconds)
    return output if is_whole else None


def run_git_as_far(folder: Path, *arguments: str, seconds: float = GIT_SECONDS) -> tuple[str, bool]:
    """Return what git prints until it ends, fails or has no time left, and whether that is all of it."""
    answer = call_git(folder, *arguments, seconds=seconds)
    return answer.output.decode("utf-8", "replace"), answer.is_whole


RENAMED = ("--raw", "--no-abbrev", "-z", "-M", "--no-ext-diff", "--no-textconv")
"""Options that make `git log` and `git diff` print renames as `renames_in` reads them."""

_TWO_PATHS = frozenset({"R", "C"})  # Statuses of git that are followed by an old and a new path
_RAW_FIELDS = 5  # Of a line of `--raw`: two modes, two blobs, the status


def renames_in(output: str | None) -> Iterator[tuple[str, str]]:
    """Yield (old, new) from git's `--raw -z`: modes, blobs and a status, then the two paths."""
    return ((paths[0], paths[1]) for status, _, paths in _statuses_in(output) if status == "R")


def deletions_in(output: str | None) -> Iterator[tuple[str, str]]:
    """Yield the path and the last blob of deleted files from git's `--raw -z`."""
    return ((paths[0], blob) for status, blob, paths in _statuses_in(output) if status == "D")


def _statuses_in(output: str | None) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the letter of each status with the blob from before and its one or two paths."""
    parts = filter(None, (part.lstrip("\n") for part in (output or "").split("\0")))
    for part in parts:
        fields = part.split(" ")
        if len(fields) != _RAW_FIELDS or not fields[-1]:
            continue
        status = fields[-1][0]
        paths = list(islice(parts, 2 if status in _TWO_PATHS else 1))
        if len(paths) == (2 if status in _TWO_PATHS else 1):
            yield status, fields[2], paths


_LONGEST = 1_000_000  # Bytes of a file of rules that are read


def ignores_below(root: Path, path: str) -> bool:
    """Return whether a rule of git is about what a folder would hold: `lib/*` or `lib/**/*.js` about `lib/`.

    Git itself says of such a folder that it is not ignored, since a rule may except some of what it holds. The rules
    that are read are those of the repository, not those of the person.
    """
    parts = path.strip("/").split("/")
    above = [parts[:depth] for depth in range(len(parts))]
    files = [(root.joinpath(*folders, ".gitignore"), "/".join(parts[len(folders) :])) for folders in above]
    files.append((root / ".git" / "info" / "exclude", "/".join(parts)))
    return any(_is_about(rule, folder) for file, folder in files for rule in _rules_in(file))


def _is_about(rule: str, folder: str) -> bool:
    """Return whether a rule names files below a folder, both relative to the file with the rule."""
    anywhere = rule.startswith("**/")
    plain = rule.removeprefix("**/").removeprefix("/")
    return plain.startswith(f"{folder}/") or (anywhere and plain.startswith(f"{folder.rpartition('/')[2]}/"))


def _rules_in(file: Path) -> list[str]:
    try:
        lines = read_regular(file, _LONGEST).decode("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return []
    return [line for line in map(str.strip, lines) if line[:1] not in {"", "#", "!"}]
