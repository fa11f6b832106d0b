"""When a source was written: the dates that texts state, else git, else the file itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path

from memtui.git import call_git, without_filters

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\d.])(?P<year>(?:19|20)\d\d)([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?![\d.]*\d)",
        r"(?P<year>20\d\d)\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일]",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?[ -]{_MONTH}\.?[ ,-]{{1,2}}(?P<year>(?:19|20)\d\d)\b",
        rf"\b{_MONTH}\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>(?:19|20)\d\d)\b",
        r"(?<![\d.])(?P<one>\d{1,2})(?P<mark>[/.])(?P<two>\d{1,2})(?P=mark)(?P<year>(?:19|20)\d\d)(?!\d)",
    )
)
_LOOKED_AT_CHARS = 400
_MONTHS_OF_A_YEAR = 12

GIT_SECONDS = 10.0  # The longest that git may take for all files together

_MOST_PATHSPECS = 500
_LARGEST_COMPARED = 4_000_000  # Bytes of a touched file that is compared with what git holds of it


def date_in(text: str) -> tuple[datetime, tuple[int, int]] | None:
    """Return the first date at the start of a text as midnight UTC, with its position; None if there is none.

    `07/11/2016` is ambiguous and does not count; `25/11/2016` and `07.11.2016` are clear.
    """
    text = text[:_LOOKED_AT_CHARS]
    found = [match for pattern in _DATES if (match := pattern.search(text))]
    for match in sorted(found, key=lambda match: match.start()):
        moment = _moment(match.groupdict())
        if moment is not None:
            return moment, match.span()
    return None


def _moment(parts: dict[str, str | None]) -> datetime | None:
    day, month = parts.get("day"), parts.get("month")
    if parts.get("name"):
        month = str(_MONTHS.index(str(parts["name"])[:3].lower()) + 1)
    if parts.get("one"):
        one, two = int(parts["one"] or 0), int(parts["two"] or 0)
        if one <= _MONTHS_OF_A_YEAR and two <= _MONTHS_OF_A_YEAR and parts["mark"] == "/" and one != two:
            return None
        day, month = (str(two), str(one)) if two > _MONTHS_OF_A_YEAR else (str(one), str(two))
    try:
        return datetime(int(parts["year"] or 0), int(month or 0), int(day or 0), tzinfo=UTC)
    except ValueError:
        return None


class SourceDates:
    """When files last changed: their last commit, else the file's own time.

    Git is called once, on first use, for all files together.

    `root`: a folder in the repository. `files`: the files that will be asked for; by default everything below the root.
    """

    def __init__(self, root: Path, files: Iterable[Path] = ()) -> None:
        self._root = root
        self._files = tuple(files)
        self._commits: dict[str, datetime] | None = None

    def observed_at(self, path: Path) -> datetime | None:
        """Return when a file last changed, in UTC and whole seconds; None for a missing file."""
        if self._commits is None:
            self._commits = _last_commits(self._root, self._files)
        committed = self._commits.get(os.path.realpath(path))
        if committed is not None:
            return committed
        try:
            return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
        except (OSError, OverflowError, ValueError):
            return None


def _last_commits(root: Path, files: tuple[Path, ...]) -> dict[str, datetime]:
    """Return the time of the last commit of every file without changes since, by real path."""
    top = _git(root, "rev-parse", "--show-toplevel").decode(errors="surrogateescape").rstrip("\n")
    if not top:
        return {}
    real_top = os.path.realpath(top)
    asked = [os.path.realpath(file) for file in files]
    inside = sorted({os.path.relpath(file, real_top) for file in asked if file.startswith(real_top + os.sep)})
    if files and not inside:
        return {}
    specs = inside if inside and len(inside) <= _MOST_PATHSPECS else [os.path.relpath(os.path.realpath(root), real_top)]
    # Of files that are as old as the index it looks at the contents.
    variables = without_filters(Path(top))
    touched = _git(Path(top), "diff-files", "--name-only", "-z", "--", *specs, variables=variables).split(b"\0")
    staged = _git(Path(top), "diff-index", "--cached", "--name-only", "-z", "HEAD", "--", *specs).split(b"\0")
    changed = {*touched, *staged} - _unchanged(Path(top), touched, specs)
    log = _git(
        Path(top),
        *("log", "--no-renames", "--name-only", "-z", "--format=%x01%ct", "--"),
        *specs,
    )
    commits: dict[str, datetime] = {}
    moment: datetime | None = None
    for part in log.split(b"\0"):
        name = part.lstrip(b"\n")
        if name.startswith(b"\x01"):
            seconds, _, name = name[1:].partition(b"\n")
            moment = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdigit() else None
        if name and name not in changed and moment is not None:
            commits.setdefault(os.path.join(real_top, os.fsdecode(name)), moment)  # noqa: PTH118 - a key, not a path
    return commits


def _unchanged(top: Path, touched: list[bytes], specs: list[str]) -> set[bytes]:
    """Return which touched files say what git holds of them, as all do in a copy of a working tree.

    Their bytes are compared without any filter: a file with other line ends counts as changed.
    """
    if not any(touched):
        return set()
    blobs = {}
    for entry in _git(top, "ls-files", "--stage", "-z", "--", *specs).split(b"\0"):
        facts, _, name = entry.partition(b"\t")
        if len(parts := facts.split()) == len(("mode", "blob", "stage")):
            blobs[name] = parts[1].decode()
    return {name for name in touched if name in blobs and _blob_of(top / os.fsdecode(name)) == blobs[name]}


def _blob_of(file: Path) -> str:
    """Return the name that git gives the contents of a file; empty for what is no plain file, or is too large."""
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > _LARGEST_COMPARED:
            return ""
        content = file.read_bytes()
    except (OSError, ValueError):
        return ""
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _git(folder: Path, *arguments: str, variables: Mapping[str, str] | None = None) -> bytes:
    """Return git's output, the output so far when it takes too long, nothing when it fails."""
    told = call_git(
        folder,
        "-c",
        "core.quotePath=false",
        "--literal-pathspecs",
        *arguments,
        seconds=GIT_SECONDS / 2,
        variables=variables,
    )
    return told.output if told.is_whole or told.fault else b""
