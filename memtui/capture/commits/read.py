"""The commits of a repository with what their messages say, the files that they changed, and their notes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from memtui.errors import UsageError
from memtui.git import run_git

MOST_COMMITS = 2_000  # Commits that are read when no age is given
GIT_SECONDS = 60.0
LONGEST_MESSAGE = 20_000  # Characters of a message that are read

_FIELDS = ("%H", "%P", "%an", "%ae", "%cI", "%s", "%b", "%N")
LESSON_KEYS = frozenset(
    {"decision", "lesson", "learned", "constraint", "rule", "why", "rationale", "reason", "root-cause", "cause"}
    | {"caveat", "gotcha", "invariant", "breaking change", "breaking-change"}
)
"""Trailers that state what is worth knowing; in lower case."""

_OTHER_KEYS = (
    r"[a-z-]+-by|fix(?:es|ed)?|clos(?:es|ed)|resolv(?:es|ed)|refs?|references|pr(?:-url)?|change-id|[a-z-]*session|cc"
    r"|links?|issues?|bugs?|see(?:-also)?|[a-z-]*backport[a-z-]*|tickets?|jira|release-notes?|type|differential|topic"
)
_TRAILER = re.compile(
    rf"^(?P<key>{'|'.join(sorted(LESSON_KEYS))}|{_OTHER_KEYS})(?::[ \t]*|[ \t]+(?=#))(?P<value>\S.*)$", re.IGNORECASE
)
_REVERTS = re.compile(r"\bThis reverts commit (?P<commit>[0-9a-f]{7,64})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit."""

    id: str
    author: str
    email: str
    at: datetime
    subject: str
    body: str  # without trailers
    trailers: tuple[tuple[str, str], ...] = ()  # key in lower case, value
    notes: str = ""  # of `git notes`
    files: tuple[str, ...] = ()  # that it added or changed, by their names after it
    is_merge: bool = False
    reverts: tuple[str, ...] = ()  # ids, maybe shortened, of the commits that it takes back


def read_commits(folder: Path, *, since: datetime | None = None, most: int = MOST_COMMITS) -> list[Commit]:
    """Return the commits of the branch that is checked out, the newest first.

    Raises `UsageError`: the folder lies in no repository, or has no commit.
    """
    limits = [f"--since={since.isoformat()}"] if since is not None else [f"-{most}"]
    # No message can know it, and so none can pass for several.
    mark = f"<{token_hex(8)}>"
    form = f"--format={mark}{mark.join(_FIELDS)}{mark}"
    options = ("--name-only", "--no-renames", "-z", "--no-ext-diff", "--no-color", "--notes")
    output = run_git(folder, "log", *limits, form, *options, "HEAD", "--", seconds=GIT_SECONDS)
    if output is None:
        raise UsageError("No commits to read", where=str(folder), remedy="Run it inside a repository.")
    parts = output.split(mark)[1:]
    width = len(_FIELDS) + 1
    return [_commit(parts[at : at + width]) for at in range(0, len(parts) - width + 1, width)]


def _commit(fields: Sequence[str]) -> Commit:
    name, parents, author, email, at, subject, message, notes, files = fields
    if r"\n\n" in message:  # Line ends that a program wrote out
        message = message.replace(r"\n", "\n")
    body, trailers = split_trailers(message[:LONGEST_MESSAGE])
    return Commit(
        id=name.strip("\0\n"),
        author=author,
        email=email,
        at=datetime.fromisoformat(at).astimezone(UTC),
        subject=subject.strip(),
        body=body,
        trailers=tuple(trailers),
        notes=notes.strip(),
        files=tuple(file for file in files.strip("\0\n").split("\0") if file.strip()),
        is_merge=len(parents.split()) > 1,
        reverts=tuple(found["commit"] for found in _REVERTS.finditer(message)),
    )


def split_trailers(body: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a body without its trailers, and those: the lines `Key: value` at its end, as git has them."""
    paragraphs = re.split(r"\n[ \t]*\n", body.replace("\r\n", "\n").strip())
    trailers: list[tuple[str, str]] = []
    while paragraphs:
        found = list(_trailers_in(paragraphs[-1]))
        if not found:
            break
        trailers[:0] = found
        paragraphs.pop()
    return "\n\n".join(paragraphs), trailers


def _trailers_in(paragraph: str) -> Iterator[tuple[str, str]]:
    """Yield the trailers of a paragraph that has nothing else in it; a line that is indented goes on."""
    found: list[tuple[str, str]] = []
    for line in paragraph.split("\n"):
        if line[:1].isspace() and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
            continue
        trailer = _TRAILER.match(line)
        if trailer is None:
            return
        found.append((trailer["key"].lower(), trailer["value"].strip()))
    yield from found


def reverted_by(commits: Sequence[Commit]) -> dict[str, Commit]:
    """Return, by the id that it names, the commit that takes another back; what was reverted twice is back."""
    found: dict[str, Commit] = {}
    for commit in reversed(commits):
        for name in commit.reverts:
            again = next((key for key, one in found.items() if one.id.startswith(name)), None)
            if again is not None:
                found.pop(again)
            else:
                found[name] = commit
    return found
