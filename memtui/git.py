"""Runs git, and reads what it says of renamed and deleted files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

GIT_SECONDS = 5.0  # Longest time for one call of git


def run_git(folder: Path, *arguments: str, seconds: float = GIT_SECONDS) -> str | None:
    """Return what git prints, or None if it fails, is missing or takes too long."""
    output, is_whole = run_git_as_far(folder, *arguments, seconds=seconds)
    return output if is_whole else None


def run_git_as_far(folder: Path, *arguments: str, seconds: float = GIT_SECONDS) -> tuple[str, bool]:
    """Return what git prints until it ends, fails or has no time left, and whether that is all of it."""
    import subprocess

    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            check=False,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
            # What a partial clone lacks would be fetched over the network.
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode("utf-8", "replace"), False
    except OSError:
        return "", False
    return done.stdout.decode("utf-8", "replace"), done.returncode == 0


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


_LONGEST = 1_000_000  # Characters of a file of rules that are read


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
        with file.open(encoding="utf-8", errors="replace") as lines:
            return [
                line for line in map(str.strip, lines.read(_LONGEST).splitlines()) if line[:1] not in {"", "#", "!"}
            ]
    except (OSError, ValueError):
        return []
